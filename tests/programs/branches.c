// sizes: n=1; n=8; n=13
void branches(int n, const double x[n][n], double y[n][n])
{
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++) {
			double left = j > 0 ? x[i][j - 1] : 0;
			double right = j < n - 1 ? x[i][j + 1] : 0;
			double above = i && j % 3 != 1 ? x[i - 1][j] : 1;

			if (i == j)
				y[i][j] = left + right;
			else if (i < j || i > 2 * j + 1)
				y[i][j] = left * above;
			else
				y[i][j] = right - above;
		}
}
