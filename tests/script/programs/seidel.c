void seidel(int t, int n, float a[n])
{
	for (int s = 0; s < t; s++)
		for (int i = 1; i < n - 1; i++)
			a[i] = a[i - 1] + a[i] + a[i + 1];
}
