// sizes: n=1; n=32; n=37
#define MIN(a, b) ((a) < (b) ? (a) : (b))

void gemm_tiled(int n, const double A[n][n], const double B[n][n],
	double C[n][n])
{
	for (int ii = 0; ii < n; ii += 16)
		for (int kk = 0; kk < n; kk += 8)
			for (int i = ii; i < MIN(n, ii + 16); i++)
				for (int k = kk; k < MIN(n, kk + 8); k++)
					for (int j = 0; j < n; j++)
						C[i][j] += A[i][k] * B[k][j];
}
