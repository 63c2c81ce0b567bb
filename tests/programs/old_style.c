// sizes: n=1 m=1; n=9 m=7
// Functions without a prototype, with all forms of parameters.
static double
plus(x, y, z)
	double x, *y;
{
	return x + y[0] + z;
}

static void
add(n, m, a, b, c, k, p)
	int m, k, n;
	register double a[n][m];
	double b[n][m], (*c)[m]; float *p;
{
	for (int i = 0; i < n; i++)
		for (int j = 0; j < m; j++) {
			b[i][j] = plus(a[i][j], &a[0][j], k);
			c[i][j] += b[i][j];
			p[j] += a[i][j];
		}
}

void old_style(int n, int m, double a[n][m], double b[n][m], double c[n][m],
	float p[m])
{
	for (int k = 0; k < 3; k++)
		add(n, m, a, b, c, k, p);
}
