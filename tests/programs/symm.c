// sizes: m=1 n=1; m=4 n=8; m=11 n=13
void symm(int m, int n, double alpha, const double A[m][m],
	const double B[m][n], double C[m][n])
{
	double carried;

	for (int i = 0; i < m; i++)
		for (int j = 0; j < n; j++) {
			carried = 0;
			for (int k = 0; k < i; k++) {
				C[k][j] += alpha * B[i][j] * A[i][k];
				carried += B[k][j] * A[i][k];
			}
			C[i][j] += alpha * B[i][j] * A[i][i] + alpha * carried;
		}
}
