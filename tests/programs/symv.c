// sizes: n=1; n=8; n=13
void symv(int n, double alpha, const double A[n][n], const double x[n],
	double y[n])
{
	for (int i = 0; i < n; i++) {
		double t1 = alpha * x[i], t2 = 0;

		for (int j = 0; j < i; j++) {
			y[j] += t1 * A[i][j];
			t2 += A[i][j] * x[j];
		}
		y[i] += t1 * A[i][i] + alpha * t2;
	}
}
