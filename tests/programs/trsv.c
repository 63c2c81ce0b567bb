// sizes: n=1; n=8; n=13    tame: L
void trsv(int n, const double L[n][n], const double b[n], double x[n])
{
	for (int i = 0; i < n; i++) {
		double s = b[i];

		for (int j = 0; j < i; j++)
			s -= L[i][j] * x[j];
		x[i] = s / L[i][i];
	}
}
