// sizes: n=0 m=3; n=1 m=1; n=7 m=5; n=40 m=9
/* Loops by "while" and "do" that count up and down, inside of one another, with other
 * loops, with a break, and what their counters hold behind them.
 */
#define CLEAR(a, i) do { (a)[i] = 0; } while (0)

int counted_while(int n, int m, const int a[n], int b[n], int c[n][m],
	int d[n + 1], int e[2 * n], int f[n], int g[m], int h[n])
{
	int i = 0, j, k = n, s = 0, t = 0, last;

	while (i < n) {
		b[i] = a[i] * 2;
		i++;
	}
	last = i;
	i = 0;
	while (i < n) {
		j = 0;
		while (j < m) {
			int w = i * j;

			c[i][j] = w + a[i];
			j = j + 1;
		}
		i += 1;
	}
	do {
		d[k] = k * 3;
		k--;
	} while (k >= 0);
	i = 0;
	while (i < 2 * n) {
		e[i] = a[i / 2];
		e[i + 1] = i;
		i += 2;
	}
	i = n;
	while (i-- > 0)
		f[i] = a[i] + i;
	i = 0;
	do {
		int v = i;

		g[i] = 1;
		for (int l = 0; l < n; l++) {
			if (a[l] < 0)
				continue;
			g[i] += a[l] * v;
		}
		++i;
	} while (i < m);
	i = 0;
	do {
		d[0] += 7;
		i++;
	} while (i < n);
	i = n;
	do {
		d[n] += 5;
		i++;
	} while (i < n);
	for (int l = 0; l < n; l++)
		if (a[l] > 1)
			CLEAR(h, l);
		else
			h[l] = l;
	i = n - 1;
	while (i >= 0) {
		s += a[i];
		if (s > 9)
			break;
		t++;
		i--;
	}
	return last + s * 100 + t + k;
}
