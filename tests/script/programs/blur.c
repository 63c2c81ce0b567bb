void blur(int n, float a[n][n], float b[n][n])
{
	float t[n][n];

	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++)
			t[i][j] = 2 * a[i][j] + i;
	for (int i = 1; i < n - 1; i++)
		for (int j = 1; j < n - 1; j++)
			b[i][j] = t[i - 1][j] + t[i][j - 1] * t[i + 1][j + 1];
}
