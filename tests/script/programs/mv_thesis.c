void mv(int n, float a[n], float b[n], float c[n][n])
{
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++)
			a[i] = a[i] + c[j][i] * b[j];
}
