// sizes: m=1 n=1; m=4 n=8; m=11 n=13    tame: L
void trsm(int m, int n, const double L[m][m], double B[m][n])
{
	for (int j = 0; j < n; j++)
		for (int i = 0; i < m; i++) {
			for (int k = 0; k < i; k++)
				B[i][j] -= L[i][k] * B[k][j];
			B[i][j] /= L[i][i];
		}
}
