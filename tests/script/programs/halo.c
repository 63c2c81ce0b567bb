void halo(int n, float x[n], float y[n + 1], float z[n])
{
	for (int i = 0; i < n; i++)
		y[i] = x[i] * 3.0f;
	for (int i = 0; i < n; i++)
		z[i] = y[i] + y[i + 1];
}
