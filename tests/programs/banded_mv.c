// sizes: n=1 k=0; n=6 k=2; n=13 k=3
/* gbmv and tbsv by diagonals: row k holds the main one. */
void banded_mv(int n, int k, const double A[2 * k + 1][n], const double x[n],
	double y[n], double z[n])
{
	for (int i = 0; i < n; i++)
		for (int d = 0; d < 2 * k + 1; d++)
			if (i + d - k >= 0 && i + d - k < n)
				y[i] += A[d][i] * x[i + d - k];
	for (int i = 0; i < n; i++)
		for (int d = 0; d < k; d++)
			if (i + d - k >= 0)
				z[i] -= A[d][i] * z[i + d - k];
}
