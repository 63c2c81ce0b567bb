// sizes: m=1 n=1; m=4 n=8; m=11 n=13
void gemv_transposed(int m, int n, const float A[m][n], const float x[m],
	float y[n])
{
	int i, j;

	for (j = 0; j < n; j++)
		y[j] = 0.0f;
	for (i = 0; i < m; i++)
		for (j = 0; j < n; j++)
			y[j] += A[i][j] * x[i];
}
