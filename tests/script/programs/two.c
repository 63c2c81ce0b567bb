void two(int n, float x[n], float y[n], float z[n])
{
	for (int i = 0; i < n; i++)
		y[i] = x[i] + 1.0f;
	for (int i = 0; i < n; i++)
		z[i] = y[n - 1 - i] * 2.0f;
}
