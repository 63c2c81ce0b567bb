// sizes: m=1 n=1; m=5 n=8; m=7 n=13
void chain(int m, int n, const double A[m][n], const double B[n][m],
	const double C[m][n], double E[m][n])
{
	double T[m][m];

	for (int i = 0; i < m; i++)
		for (int j = 0; j < m; j++) {
			T[i][j] = 0;
			for (int k = 0; k < n; k++)
				T[i][j] += A[i][k] * B[k][j];
		}
	for (int i = 0; i < m; i++)
		for (int j = 0; j < n; j++) {
			E[i][j] = 0;
			for (int k = 0; k < m; k++)
				E[i][j] += T[i][k] * C[k][j];
		}
}
