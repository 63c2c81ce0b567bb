// sizes: n=1 m=1; n=2 m=3; n=13 m=8; n=64 m=5; n=100 m=31
/* Loops whose variable is multiplied or divided: sums of neighbours further and further
 * away, halves added to halves, a network that sorts, and what the variable is behind
 * its loop.
 */
void doubling(int n, int m, const float a[n], float b[n], float c[n], float h[n],
	int sort[16], int last[6], long w[m][m], unsigned u[n])
{
	int k, j, up;
	unsigned long big = 1;

	for (int i = 0; i < n; i++)
		b[i] = a[i];
	for (k = 1; k < n; k *= 2) {
		for (int i = 0; i < n; i++)
			c[i] = i >= k ? b[i] + b[i - k] : b[i];
		for (int i = 0; i < n; i++)
			b[i] = c[i];
	}
	last[0] = k;
	for (int s = n / 2; s > 0; s /= 2)
		for (int i = 0; i < s; i++)
			h[i] += h[i + s];
	for (k = 2; k <= 16; k <<= 1)
		for (j = k >> 1; j > 0; j >>= 1)
			for (int i = 0; i < 16; i++) {
				int x = sort[i];
				if (i / j % 2 == 0) {
					up = i / k % 2 == 0;
					if (up ? x > sort[i + j] : x < sort[i + j]) {
						sort[i] = sort[i + j];
						sort[i + j] = x;
					}
				}
			}
	last[1] = k;
	k = 3;
	while (3 * k < m) {
		int half = k / 2;
		float t = k;
		for (int i = 0; i < m; i++)
			w[half][i] += k + (long)t;
		k *= 3;
	}
	last[2] = k;
	for (int i = 1; i < m; i++)
		for (int v = i; v < m; v = v * 2)
			w[i][v] = v;
	for (int i = 0; i < n; i++) {
		for (k = i + 1; k < m; k *= 3)
			u[i] += 1u;
		u[i] += (unsigned)k;
	}
	for (; big < (unsigned long)n; big *= 4)
		u[big] = 7;
	last[3] = (int)big;
	for (k = n; k > 1; k = k / 3)
		u[k - 1] += 1u;
	last[4] = k;
	for (k = 100; k > 3; k >>= 2)
		last[5] += k;
	if (m > 2)
		do {
			u[0] += 3u;
			k *= 5;
		} while (k < m);
}
