// sizes: n=1; n=7; n=40; n=333
/* Reads at positions that are data of arrays that other loops of the nest write: an image
 * whose histogram is equalised, rows that are permuted and put back, a table that changes
 * behind its readers, and one that a loop around writes a part of.
 */
void gather_written(int n, const int x[n], int h[16], int c[16], int y[n],
	int z[n], int at[n], float v[n], float w[n], int late[n], int t[n][3])
{
	int s = 0;

	for (int i = 0; i < 16; i++)
		h[i] = 0;
	for (int i = 0; i < n; i++)
		h[x[i] & 15]++;
	for (int i = 0; i < 16; i++) {
		s += h[i];
		c[i] = s;
	}
	for (int i = 0; i < n; i++)
		y[i] = c[x[i] & 15] * 15 / n;
	for (int i = 0; i < n; i++)
		z[i] = c[h[x[i] & 15] & 15] + h[y[i] & 15];
	for (int i = 0; i < n; i++)
		at[i] = n - 1 - i;
	for (int i = 0; i < n; i++)
		v[i] = v[i] * 2;
	for (int i = 0; i < n; i++)
		w[i] = v[at[i]];
	for (int i = 0; i < n; i++)
		v[i] = w[at[i]] + 1;
	for (int i = 0; i < n; i++)
		y[i] += late[at[i]];
	for (int i = 0; i < n; i++)
		late[i] = x[i];
	for (int i = 0; i < n / 2; i++)
		for (int j = 0; j < 3; j++)
			t[i][j] = i - j;
	for (int i = 0; i < n; i++)
		z[i] += t[at[i]][x[i] & 1];
}
