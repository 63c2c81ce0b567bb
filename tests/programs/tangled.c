// sizes: n=1; n=4; n=7
void tangled(int n, int a[4 * n + 4][4 * n + 4])
{
	for (int i = 0; i < n; i++)
		for (int j = i; j < n; j++) {
			for (int k = 0; k < n; k += 2)
				a[i + 2 * j][j + k] += a[2 * j + k][i + k] - a[k + 1][i + 2 * j];
			for (int k = n - 1; k >= 0; k--)
				a[n - i][k + j] = a[i + k][n - j] + a[2 * k + 1][i + j] - a[2 * i + k][j];
		}
}
