void map(int n, int m, int p, float a[n][m][p])
{
	for (int i = 0; i < n; i++)
		for (int j = 0; j < m; j++)
			for (int k = 0; k < p; k++)
				a[i][j][k] = a[i][j][k] * 2.0f + 1.0f;
}
