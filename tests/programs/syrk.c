// sizes: m=1 n=1; m=4 n=8; m=11 n=13
void syrk(int m, int n, double alpha, double beta, const double A[n][m],
	double C[n][n])
{
	for (int i = 0; i < n; i++) {
		for (int j = 0; j <= i; j++)
			C[i][j] *= beta;
		for (int k = 0; k < m; k++)
			for (int j = 0; j <= i; j++)
				C[i][j] += alpha * A[i][k] * A[j][k];
	}
}
