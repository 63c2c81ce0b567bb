# 1 "gemm.c"
void gemm(int n, float alpha, float A[n][n], const float B[n][n], float C[n][n])
{
	int i, j, k;
#pragma scop
	for (i = 0; i < n; i++)
		for (j = 0; j <= i; j++) {
			C[i][j] *= 0.5f;
			for (k = 0; k < n; ++k)
				C[i][j] += alpha * A[i][k] * B[k][j];
			if (i > 2 && j % 2 == 0)
				C[i][j] = C[i][j] > 0 ? sqrtf(C[i][j]) : -1e-3f;
		}
#pragma endscop
}
