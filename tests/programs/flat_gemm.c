// sizes: n=1 m=1 k=1 lda=1; n=7 m=5 k=6 lda=9; n=31 m=17 k=40 lda=40    flat: a=n*lda,b=k*m,c=n*m
/* Matrices behind pointers, one with a leading dimension. */
void flat_gemm(int n, int m, int k, int lda, float alpha, const float *a,
	const float *b, float *c)
{
	for (int i = 0; i < n; i++)
		for (int j = 0; j < m; j++) {
			float s = 0;

			for (int l = 0; l < k; l++)
				s += a[i * lda + l] * b[l * m + j];
			c[i * m + j] = alpha * s + c[i * m + j];
		}
}
