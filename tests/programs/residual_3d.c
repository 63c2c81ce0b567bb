// sizes: m=1 n=3; m=2 n=9; m=2 n=20
// Relaxation in three dimensions beside the sum of the squares of what it
// changes, and the largest of these.
double residual_3d(int m, int n, double p[n][n][n], double w[n][n][n],
	double c[n][n][n], double omega, double largest[1])
{
	double sum, most = 0, flow, e;
	int i, j, k, t;

	for (t = 0; t < m; t++) {
		sum = 0;
		for (i = 1; i < n - 1; i++)
			for (j = 1; j < n - 1; j++)
				for (k = 1; k < n - 1; k++) {
					flow = c[i][j][k] * p[i + 1][j][k] +
						p[i][j - 1][k] * p[i][j][k + 1];
					e = (flow - p[i][j][k]) * c[i][j][k];
					sum += e * e;
					w[i][j][k] = p[i][j][k] + omega * e;
				}
		for (i = 1; i < n - 1; i++)
			for (j = 1; j < n - 1; j++)
				for (k = 1; k < n - 1; k++) {
					double d = w[i][j][k] - p[i][j][k];

					if (d < 0)
						d = -d;
					if (d > most)
						most = d;
					p[i][j][k] = w[i][j][k];
				}
	}
	largest[0] = most;
	return sum;
}
