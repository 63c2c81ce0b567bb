// sizes: n=1; n=2; n=11
// What the variables of loops are behind them.
void loop_ends(int n, int out[12], double a[n+4], double b[n+4])
{
	int i, j;
	unsigned u;
	long k;
	for (i = 0; i < n; i++)
		a[i] += 1;
	a[i] = 5;
	out[0] = i;
	for (i = 1; i <= n; i += 3)
		b[i] *= 2;
	out[1] = i;
	for (i = n - 1; i >= 2; i--)
		b[i] += a[i-2];
	out[2] = i;
	for (i = n; i > 1; i -= 4)
		b[i] -= 1;
	out[3] = i;
	i = 3;
	out[4] = i;
	for (j = 0; j < n; j++) {
		for (i = j; i < n; i++)
			a[i] -= b[j];
		out[5] = i;
		for (k = i - 1; k >= j; k--)
			b[k] += a[j];
		out[6] = k;
	}
	out[7] = j;
	for (u = 0; u < n; u++)
		a[u] *= 0.5;
	out[8] = u + 1;
	i = n - 1;
	for (j = 0; j < i; j++)
		a[j] += b[i];
	for (i = i + 1; i < n + 3; i++)
		b[i] = a[i-1];
	if (n > 4)
		for (i = 0; i < 3; i++)
			a[i] = i;
	else
		i = 2;
	out[9] = i;
	for (i = 0; i < n; i++)
		for (j = 0; j < i; j++)
			a[j] += 1;
	out[10] = i;
	out[11] = 0;
}
