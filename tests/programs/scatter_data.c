// sizes: n=1 m=1; n=7 m=5; n=30 m=12    flat: total=1
/* Writes whose place is data: a histogram, a permutation, rows, a list of what
 * meets a condition, and two subscripts at once.
 */
void scatter_data(int n, int m, const unsigned char key[n], const int to[n],
	int count[256], double a[m], const double b[n], double rows[m][3],
	double list[n + 1], int *total, float grid[4][5])
{
	int k = 0;

	for (int i = 0; i < n; i++)
		count[key[i]]++;
	for (int i = 0; i < n; i++)
		a[(to[i] + 4) % m] = b[i] + a[(to[i] + 4) % m] * 0.5;
	for (int i = 0; i < n; i++)
		for (int j = 0; j < 3; j++)
			rows[i % m * (to[i] & 1)][j] -= b[i] * j;
	for (int i = 0; i < n; i++)
		if (b[i] > 0) {
			list[k] = b[i];
			k++;
		}
	*total = k;
	for (int i = 0; i < n; i++)
		grid[key[i] & 3][to[i] < 0 ? 0 : to[i]] = b[i];
}
