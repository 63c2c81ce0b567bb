// sizes: m=8 n=9000
/* Counts of each row in bins of its own: of all bins blocks have no room for a copy, of those
 * of a row they have.
 */
void rows_of_bins(int m, int n, const unsigned short x[m][n], int h[m][2048])
{
	for (int r = 0; r < m; r++)
		for (int i = 0; i < n; i++)
			h[r][x[r][i] % 2048] += 1;
}
