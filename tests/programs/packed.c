// sizes: n=1 m=1; n=2 m=3; n=7 m=5; n=31 m=13
// One variable counts through the rows of several arrays.
void packed(int n, int m, float a[n][m], float b[n * m], float c[n * m],
	const int d[2 * n * m], int e[n][m], float f[n * (m + 1)])
{
	int k = 0, l = 0;
	unsigned long p = 0, q = 0;

	for (int i = 0; i < n; i++)
		for (int j = 0; j < m; j++)
			b[k++] = a[i][j];
	for (int i = 0; i < n; i++)
		for (int j = m - 1; j >= 0; j--)
			a[i][j] += c[l++];
	for (int i = 0; i < n; i++)
		for (unsigned long j = 0; j < m; j++) {
			e[i][j] = d[p++];
			e[i][j] -= d[p++] / 2;
		}
	for (int i = 0; i < n; i++) {
		for (int j = m; j-- > 0;)
			f[q++] = j;
		f[q++] = a[i][0];
	}
}
