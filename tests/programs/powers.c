// sizes: t=0 n=3; t=1 n=5; t=3 n=17; t=2 n=70
void powers(int t, int n, double A[n][n], const double B[n][n], double C[n][n])
{
	for (int s = 0; s < t; s++) {
		for (int i = 0; i < n; i++)
			for (int j = 0; j < n; j++) {
				C[i][j] = 0;
				for (int k = 0; k < n; k++)
					C[i][j] += A[i][k] * B[k][j];
			}
		for (int i = 0; i < n; i++)
			for (int j = 0; j < n; j++)
				A[i][j] = 0.5 * C[j][i];
	}
}
