// sizes: n=1; n=3; n=4; n=5; n=18; n=33
// Loops that begin with what their variable is: behind another loop that takes
// several steps at once, from a number, downwards, and by a sum in a condition.
int loop_goes_on(int n, float a[n], float b[n], float c[2 * n + 2])
{
	int i, j = 1, k = n;
	long m;

	for (i = 0; i + 3 < n; i += 4) {
		a[i] = b[i];
		a[i + 1] = b[i + 1] * 2;
		a[i + 2] = b[i + 2] * 3;
		a[i + 3] = b[i + 3] * 4;
	}
	for (; i < n; i++)
		a[i] = b[i] * 5;
	for (; j <= n - 1; j++)
		a[j] += b[j - 1];
	for (; k - 2 >= 0; k -= 2)
		c[k] = a[k - 1] + a[k - 2];
	for (; k >= 0; k--)
		c[k] = 7;
	for (m = n; 2 + m - 1 <= 2 * n; m += 3)
		c[m] += i;
	for (; m < 2 * n + 2; m++)
		c[m] -= m;
	for (int r = 0; r < 2; r++) {
		for (i = r; i + 1 < n; i += 2)
			b[i] = b[i + 1] - b[i];
		for (; i < n; i += 2)
			b[i] = -b[i];
	}
	return j + k + (int)m;
}
