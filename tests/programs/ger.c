// sizes: m=1 n=1; m=4 n=8; m=11 n=13
void ger(int m, int n, double alpha, const double x[m], const double y[n],
	double A[m][n])
{
	for (int i = 0; i < m; i++)
		for (int j = 0; j < n; j++)
			A[i][j] += alpha * x[i] * y[j];
}
