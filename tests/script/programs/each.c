void each(int m, int n, float x[m][n], float y[m][n])
{
	float t[m][n];

	for (int l = 0; l < m; l++) {
		for (int i = 0; i < n; i++)
			t[l][i] = x[l][i] * 2.0f;
		for (int i = 0; i < n; i++)
			y[l][i] = t[l][n - 1 - i] + x[l][i];
	}
}
