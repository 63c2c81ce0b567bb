// sizes: n=1; n=8; n=13
void trmv(int n, const double A[n][n], double x[n])
{
	for (int i = n - 1; i >= 0; i--) {
		x[i] *= A[i][i];
		for (int j = i - 1; j >= 0; j--)
			x[i] += A[i][j] * x[j];
	}
}
