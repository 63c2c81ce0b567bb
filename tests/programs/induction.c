// sizes: n=1 m=1; n=6 m=4; n=17 m=9    flat: count=1,last=1
/* Integers that follow the loops: set in each iteration, counted through two
 * loops, up and down, in both branches, by a step; and some that only data
 * know.
 */
void induction(int n, int m, int a[n + 1], int b[2 * n + 8], int c[40][8],
	int flat[320], int *count, long *last)
{
	int j, k = -1, l = 2 * n + 7, data = 0;
	unsigned u = 0;
	long twice = 1;

	for (int i = 0; i < n; i++) {
		j = i + 1;
		a[j] = a[i] + b[j];
	}
	for (int i = 0; i < n; i += 2) {
		k++;
		if (b[i] > 0) {
			twice += 2;
			b[l] = i;
		} else {
			b[l] -= 1;
			twice += 2;
		}
		l--;
		a[k] += b[l] + (int)twice;
		if (a[k] > 3)
			data++;
	}
	k = -1;
	for (int i = 0; i < 40; i++)
		for (int x = 7; x >= 0; x--) {
			k++;
			flat[k] = c[i][x] + k * data;
			u += 3;
			c[i][x] ^= (int)(u % 7);
		}
	for (int i = 0; i < m; i++) {
		k = n;
		for (int x = 0; x < 2; x++)
			k = k - 1;
		c[i][0] += k;
		if (c[i][0] > i)
			k = i;
		c[i][1] += k;
	}
	*count = data + k;
	*last = twice + l;
}
