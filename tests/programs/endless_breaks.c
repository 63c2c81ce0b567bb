// sizes: n=1 m=1; n=2 m=3; n=7 m=5; n=31 m=13
// Loops without a condition, which end by "break".
int endless_breaks(int n, int m, float a[n], float b[n][m], int c[n])
{
	int i = 0, k = 3;

	for (int j = 0;; j++) {
		if (j >= n)
			break;
		a[j] = b[j][0] + j;
	}
	for (;;) {
		if (i == n)
			break;
		c[i] = i * 5;
		i += 1;
	}
	for (int j = n - 1;; --j) {
		int t = 0;

		if (j < 0)
			break;
		for (;;) {
			b[j][t] *= 2;
			t++;
			if (t >= m)
				break;
		}
	}
	for (;; k++) {
		if (k > n)
			break;
		c[k - 1] -= 2;
	}
	return i;
}
