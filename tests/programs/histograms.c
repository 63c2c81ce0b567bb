// sizes: n=1 m=1; n=9 m=4; n=150 m=7
/* Integers that are updated where data say so: sums in any order, and such as
 * their own value stops.
 */
void histograms(int n, int m, const int idx[n], int h[8], unsigned char low[m],
	int best[3], int full[4], double sum[4])
{
	for (int i = 0; i < n; i++)
		h[idx[i] & 7] += i;
	for (int i = 0; i < n; i++)
		if (idx[i] > 3) {
			low[i % m] -= idx[i];
			if (idx[i] < 100)
				best[i % 3] ^= idx[i] * 5;
			best[2] &= idx[i] | 12;
		}
	for (int i = 0; i < n; i++)
		if (full[i % 4] < 5)
			full[i % 4] += 1;
	for (int i = 0; i < n; i++)
		if (idx[i] % 2 != 0)
			sum[i % 4] += idx[i];
}
