// sizes: n=1; n=2; n=9; n=40; n=333
/* What a condition keeps, one behind another: places that are counted from 0 and from
 * elsewhere, several arrays, in a loop around, what was there stays behind, and what
 * comes near but is no such loop.
 */
int compactions(int n, const float a[n], const int k[n], float b[n], int at[n],
	float c[n + 3], int rows[3][n], int plain[n], float both[n], int size[8],
	int late[n])
{
	int kept = 0, from = 3, odd = 0, other = 0, twice = 0,
		start = 0;

	for (int i = 0; i < n; i++)
		if (a[i] > 0) {
			b[kept] = a[i] * 2;
			at[kept++] = i;
		}
	for (int i = 0; i < n; i++)
		if (k[i] % 3 != 0 || a[i] < 0)
			c[from++] = a[i] - k[i];
	for (int r = 0; r < 3; r++) {
		int m = 0;

		for (int i = 0; i < n; i++)
			if (k[i] % 3 == r)
				rows[r][m++] = k[i];
		size[r] = m;
	}
	for (int i = 0; i < n; i++) {
		if (k[i] & 1)
			plain[odd++] = k[i];
		other += odd;
	}
	for (int i = 0; i < n; i++)
		if (a[i] > 0.5f) {
			both[twice] = both[twice] + a[i];
			twice++;
		}
	if (k[0] != 0)
		start = 1;
	for (int i = 0; i < n; i++)
		if (i > 0 && a[i] < 0)
			late[start++] = k[i];
	size[3] = kept + start; size[4] = from; size[5] = odd; size[6] = other;
	size[7] = twice;
	return kept + from;
}
