// sizes: n=1300 m=300 d=2; n=40 m=9 d=3
/* Rows and columns that are added at subscripts that are data. */
void scatter_rows(int n, int m, int d, const int k[n], const float g[n][d], float z[m][d],
	double u[d][m])
{
	for (int i = 0; i < n; i++)
		for (int j = 0; j < d; j++)
			z[(unsigned)k[i] % m][j] += g[i][j] * 2.0f;
	for (int i = 0; i < n; i++)
		for (int j = 0; j < d; j++)
			u[j][(unsigned)k[i] % m] += g[i][j];
}
