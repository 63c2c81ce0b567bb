void triangle(int n, float l[n][n], float x[n])
{
	for (int i = 0; i < n; i++) {
		for (int j = 0; j < i; j++)
			x[i] -= l[i][j] * x[j];
		x[i] = x[i] * 0.5f;
	}
}
