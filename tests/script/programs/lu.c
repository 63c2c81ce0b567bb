void lu(int n, float a[n][n])
{
	for (int k = 0; k < n - 1; k++) {
		for (int i = k + 1; i < n; i++)
			a[i][k] = a[i][k] / a[k][k];
		for (int i = k + 1; i < n; i++)
			for (int j = k + 1; j < n; j++)
				a[i][j] = a[i][j] - a[i][k] * a[k][j];
	}
}
