// sizes: t=0 n=3; t=1 n=5; t=3 n=17; t=2 n=70
void updates(int t, int n, float A[t][n][n], float B[n][n], float C[n][n])
{
	for (int s = 0; s < t; s++) {
		for (int i = 0; i < n; i++)
			for (int j = 0; j < n; j++)
				for (int k = 0; k < n; k++)
					C[i][j] += A[s][i][k] * B[k][j];
		for (int i = 0; i < n; i++)
			for (int j = 0; j < n; j++)
				B[i][j] = 0.5f * C[j][i] + B[i][j];
	}
}
