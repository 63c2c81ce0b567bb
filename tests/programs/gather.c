// sizes: n=1 m=1 k=1; n=7 m=5 k=3; n=40 m=33 k=64    flat: walk=1
/* Subscripts that are data: rows of a sparse matrix of a fixed width, a table,
 * subscripts of two dimensions, and some that only count under a condition.
 */
void gather(int n, int m, int k, const int col[n][4], const double val[n][4],
	const double x[256], const unsigned char key[m], const float table[256],
	const double grid[k][9], double y[n], float t[m], double z[n],
	int *walk, const unsigned next[9])
{
	for (int i = 0; i < n; i++) {
		double s = 0;

		for (int j = 0; j < 4; j++)
			s += val[i][j] * x[(col[i][j] + 4) * 3 + j];
		y[i] = s;
	}
	for (int i = 0; i < m; i++)
		t[i] = table[key[i]] + table[key[i] ^ 255];
	for (int i = 0; i < n; i++) {
		int at = col[i][0];

		z[i] = 0;
		if (at >= 0 && at < k)
			z[i] = grid[at][i % 9];
		z[i] += at > 0 && at < 9 ? grid[k - 1][at] : x[0];
	}
	*walk = 8;
	for (int i = 0; i < n; i++)
		*walk = *walk + next[*walk % 9];
	for (int i = 0; i < n; i++)
		z[i] += x[i > 0 ? col[i - 1][i * i % 4] + 4 : 7];
}
