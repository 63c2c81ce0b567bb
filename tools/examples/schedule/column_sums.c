/* y = A^T x: neighbouring sums read neighbouring columns. */
// test: m=7 n=40
// test: m=64 n=128
void column_sums(int m, int n, const float a[m][n], const float x[m], float y[n])
{
	for (int j = 0; j < n; j++) {
		y[j] = 0;
		for (int i = 0; i < m; i++)
			y[j] += a[i][j] * x[i];
	}
}
