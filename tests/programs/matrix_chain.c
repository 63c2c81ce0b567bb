// sizes: n=2; n=8; n=13
void matrix_chain(int n, const int p[n + 1], int c[n][n])
{
	for (int i = 0; i < n; i++)
		c[i][i] = 0;
	for (int len = 2; len <= n; len++)
		for (int i = 0; i <= n - len; i++) {
			c[i][i + len - 1] = 1 << 20;
			for (int k = i; k < i + len - 1; k++) {
				int cost = c[i][k] + c[k + 1][i + len - 1] +
					p[i] * p[k + 1] * p[i + len];

				if (cost < c[i][i + len - 1])
					c[i][i + len - 1] = cost;
			}
		}
}
