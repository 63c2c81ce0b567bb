// sizes: n=1; n=2; n=11
// Several variables in the head of a loop.
void loop_heads(int n, double a[n], double b[n], int c[n], double m[n][n])
{
	int i, j, k = 0;
	for (i = 0, j = n - 1; i < j; i++, j--) {
		double t = a[i];
		a[i] = a[j];
		a[j] = t;
	}
	for (int p = 0, q = p + 1; p < n; p++, q += 2) {
		if (p == 1)
			continue;
		c[p] = q;
	}
	for (i = n - 1, j = 0; j < n; ++j, --i)
		m[i][j] += b[j];
	for (i = 0; i < n; i++, k++)
		b[k] *= 2;
	for (int p = n, q = 0; q < p; p -= 2, q++)
		m[q][0] += a[q];
}
