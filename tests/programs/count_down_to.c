// sizes: n=1 m=1; n=2 m=1; n=7 m=5; n=31 m=13
// Loops whose conditions change their variable, to bounds that are sizes.
int count_down_to(int n, int m, float a[n + m], float b[n + m], int c[n])
{
	unsigned lo = m, u;
	int i, k = 0, t;

	for (u = n + m; u-- > lo;)
		a[u] = b[u] + 1;
	for (unsigned long s = n + m; s-- != lo;)
		b[s] *= a[s];
	for (i = n + m; i-- > m;)
		a[i] -= i;
	for (i = n + m; --i;)
		b[i] += b[i - 1];
	for (unsigned s = n, j = 0; s-- > 0 && j < m; j++)
		c[s] = j;
	for (i = 0; i++ < n - 1;)
		c[i] += 4;
	for (int r = 0; r < m; r++)
		for (int s = 2; s < n - 1; s++)
			k++;
	for (t = 0; t++ <= m; k += 2)
		a[t - 1] += 1;
	for (int r = n; r-- > 0;) {
		if (r == 2)
			continue;
		c[r] = r - c[r];
	}
	return k * 1000 + i * 100 + t;
}
