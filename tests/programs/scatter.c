// sizes: m=1 n=1; m=4 n=8; m=11 n=13
void scatter(int m, int n, const double a[m], const double b[n],
	double c[m + n])
{
	for (int i = 0; i < m; i++)
		for (int j = 0; j < n; j++)
			c[i + j] += a[i] * b[j];
}
