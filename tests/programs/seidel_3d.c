// sizes: t=1 n=3; t=2 n=5; t=2 n=7
void seidel_3d(int t, int n, double a[n][n][n])
{
	for (int s = 0; s < t; s++)
		for (int i = 1; i < n - 1; i++)
			for (int j = 1; j < n - 1; j++)
				for (int k = 1; k < n - 1; k++)
					a[i][j][k] = 0.125 * (a[i - 1][j][k] +
						a[i + 1][j][k] + a[i][j - 1][k] +
						a[i][j + 1][k] + a[i][j][k - 1] +
						a[i][j][k + 1] + 2 * a[i][j][k]);
}
