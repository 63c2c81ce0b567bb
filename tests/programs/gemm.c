// sizes: m=1 n=1 k=1; m=4 n=8 k=16; m=13 n=7 k=11
void gemm(int m, int n, int k, float alpha, float beta, const float A[m][k],
	const float B[k][n], float C[m][n])
{
	for (int i = 0; i < m; i++)
		for (int j = 0; j < n; j++) {
			C[i][j] *= beta;
			for (int l = 0; l < k; l++)
				C[i][j] += alpha * A[i][l] * B[l][j];
		}
}
