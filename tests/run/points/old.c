/* Arrays that are changed in place while their old values are still needed:
 * one shift, a stencil that looks ahead, a triangular product; and one of
 * which only the first step sees old values.
 */
void old(int n, int m, int T, double a[n + 3], double b[n][m], double c[n][m],
	double l[n][n], int d[n + 1])
{
	for (int i = 0; i < n; i++)
		a[i] = a[i] + 2 * a[i + 3];
	for (int i = n - 2; i > 0; i--)
		for (int j = 0; j < m - 1; j++)
			b[i][j] = b[i - 1][j + 1] - 0.5 * b[i - 1][j];
	for (int i = 0; i < n; i++)
		for (int j = 0; j < m; j++) {
			for (int k = i + 1; k < n; k++)
				c[i][j] += l[k][i] * c[k][j];
			c[i][j] = 0.25 * c[i][j];
		}
	for (int t = 0; t < T; t++)
		for (int i = 0; i < n; i++)
			d[i] = d[i] + d[i + 1];
}
