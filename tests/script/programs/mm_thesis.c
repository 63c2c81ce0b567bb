void mm(int n, float a[n][n], float b[n][n], float c[n][n])
{
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++)
			for (int k = 0; k < n; k++)
				c[j][i] = c[j][i] + a[k][i] * b[j][k];
}
