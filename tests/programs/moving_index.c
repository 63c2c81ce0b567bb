// sizes: n=1; n=2; n=7; n=31
// Subscripts that change a variable.
int moving_index(int n, float a[2 * n], const float b[2 * n], int c[n],
	float d[3 * n + 1], float e[n + 4])
{
	int k = 0, m = 2 * n, p = -1;
	long q = 0;

	for (int i = 0; i < n; i++) {
		a[k++] = b[--m];
		a[k++] = b[--m] * 2;
	}
	for (int i = 0; i < n; i++)
		c[++p] += i;
	for (int i = 0; i < n; i++) {
		float x = b[q++], y = b[q++];

		d[3 * i] = x;
		d[3 * i + 1] = y;
		d[3 * i + 2] = x - y;
	}
	m = 0;
	for (int i = n; i-- > 0;)
		e[m++] = c[i], d[i] += 1;
	e[m++] = 1;
	e[m++] -= 2;
	e[m++] = d[0] = 3;
	e[m] = e[m - 1];
	k = n;
	for (int i = 0; i < n; i++)
		c[--k] ^= i;
	return m + k;
}
