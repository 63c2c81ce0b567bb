// sizes: m=1 n=1; m=5 n=4; m=7 n=11
/* B := alpha * B * inv(A), A upper with a diagonal of its own. */
void trsm_right(int m, int n, double alpha, const double A[n][n], double B[m][n])
{
	for (int i = 0; i < m; i++)
		for (int j = 0; j < n; j++) {
			B[i][j] *= alpha;
			for (int k = 0; k < j; k++)
				B[i][j] -= B[i][k] * A[k][j];
			B[i][j] /= A[j][j];
		}
}
