// sizes: n=1; n=2; n=7; n=31
// Loops whose conditions change their variable, with a sign and without.
typedef unsigned long size_t;
int count_down(int n, float a[n], float b[n], int c[n], unsigned char d[n])
{
	int i, last = 0;
	unsigned u, v = 5;
	size_t m = n, k;

	for (size_t j = n; j-- > 0;)
		a[j] = b[j] * 2;
	for (int j = n; j--;)
		b[j] += j;
	for (int j = n; j --> 1;)
		b[j - 1] = b[j] - b[j - 1];
	for (i = n; --i >= 0;)
		c[i] = i * 3;
	last += i;
	for (i = -1; ++i < n;)
		c[i] += i & 1;
	last = last * 100 + i;
	for (i = 0; i++ < n;)
		c[i - 1] ^= i;
	last = last * 100 + i;
	for (u = n; u-- > 0;)
		d[u] = u * 7;
	last = last * 10 + (u == 4294967295u);
	for (unsigned short e = 3; e-- != 0;)
		d[n - 1] += e;
	for (k = m; k--;) {
		if (k == 3)
			break;
		a[k] -= d[k];
	}
	for (u = n + 1; u-- >= 2;)
		a[u - 1] *= 1.5f;
	for (unsigned x = n, y = 0; x-- > 0; y++)
		c[y] += d[x];
	for (unsigned r = n; r > 0; r--)
		for (unsigned s = r; s-- > 0;)
			c[s] += 1;
	for (int j = n; j-- > 0 && n > 2;)
		c[j] -= 2;
	for (; v-- > 0;)
		last += v;
	return last;
}
