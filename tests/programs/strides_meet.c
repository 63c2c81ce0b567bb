// sizes: n=5 m=4
/* Instances with a stride whose outer iterations only some of them share. */
void strides_meet(int n, int m, double b[m + 2][n + 3], int a[6][n][m + 1],
	const int c[m + 1][n][n][4][m + 7])
{
	for (int i = 0; i < n; i++)
		for (int j = 0; j < m; j++) {
			double unused = b[0][i + 3];

			for (int k = 0; k < m; k += 3) {
				double s = a[i][0][1];

				b[k][j + 2] = i < 1 ? 0.5 * (a[k + 1][i][j] + s) :
					j + 2 > 2 ? b[i + 1][i + 3] -
						c[i][2][k][k][j + 4] :
					s - c[k][m - 1 - j][i][(k + 1) % 3][2 * j + 4];
				a[i + 1][j][k + 1] = (i != m - 1 ?
					c[j][k + 1][j + 1][j][j - i + 4] : j) + 1;
			}
			b[j + 1][3 - j] += b[i + 1][j + 3] - b[i][4];
		}
}
