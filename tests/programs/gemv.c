// sizes: m=1 n=1; m=4 n=8; m=11 n=13
void gemv(int m, int n, double alpha, double beta, const double A[m][n],
	const double x[n], double y[m])
{
	for (int i = 0; i < m; i++) {
		double s = 0;

		for (int j = 0; j < n; j++)
			s += A[i][j] * x[j];
		y[i] = alpha * s + beta * y[i];
	}
}
