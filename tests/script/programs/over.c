void over(int n, float a[n], float b[n], float t[n])
{
	for (int i = 0; i < n; i++)
		t[i] = 2 * a[i];
	for (int i = 0; i < n; i++)
		a[i] = b[i];
	for (int i = 1; i < n; i++)
		b[i] = t[i] + t[i - 1];
	for (int i = 1; i < n; i++)
		a[i] = t[i] + a[i];
}
