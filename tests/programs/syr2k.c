// sizes: m=1 n=1; m=4 n=8; m=11 n=13
void syr2k(int m, int n, const float A[n][m], const float B[n][m],
	float C[n][n])
{
	for (int i = 0; i < n; i++)
		for (int j = i; j < n; j++)
			for (int k = 0; k < m; k++)
				C[i][j] += A[i][k] * B[j][k] + B[i][k] * A[j][k];
}
