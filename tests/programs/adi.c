// sizes: n=3 steps=1; n=8 steps=2; n=13 steps=2
void adi(int n, int steps, double u[n][n], double v[n][n], double p[n][n],
	double q[n][n])
{
	double DX = 1.0 / (double)n, a = -DX / 2, b = 1.0 + DX, c = a;

	for (int t = 1; t <= steps; t++)
		for (int i = 1; i < n - 1; i++) {
			v[0][i] = 1.0;
			p[i][0] = 0.0;
			q[i][0] = v[0][i];
			for (int j = 1; j < n - 1; j++) {
				p[i][j] = -c / (a * p[i][j - 1] + b);
				q[i][j] = (-a * u[j][i - 1] + (1.0 + 2.0 * a) *
					u[j][i] - c * u[j][i + 1] -
					a * q[i][j - 1]) / (a * p[i][j - 1] + b);
			}
			v[n - 1][i] = 1.0;
			for (int j = n - 2; j >= 1; j--)
				v[j][i] = p[i][j] * v[j + 1][i] + q[i][j];
		}
}
