/* The heat equation on a plate of n x n points, "steps" steps in time. */
// test: n=9 steps=5
// test: n=40 steps=3
void heat(int n, int steps, double u[n][n], double v[n][n])
{
	for (int t = 0; t < steps; t++) {
		for (int i = 1; i < n - 1; i++)
			for (int j = 1; j < n - 1; j++)
				v[i][j] = u[i][j] + 0.2 * (u[i - 1][j] +
					u[i + 1][j] + u[i][j - 1] +
					u[i][j + 1] - 4 * u[i][j]);
		for (int i = 1; i < n - 1; i++)
			for (int j = 1; j < n - 1; j++)
				u[i][j] = v[i][j];
	}
}
