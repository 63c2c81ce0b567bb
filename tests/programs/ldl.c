// sizes: n=1; n=8; n=13    tame: A
void ldl(int n, const double A[n][n], double L[n][n], double d[n])
{
	for (int j = 0; j < n; j++) {
		double s = A[j][j];

		for (int k = 0; k < j; k++)
			s -= L[j][k] * L[j][k] * d[k];
		d[j] = s;
		L[j][j] = 1;
		for (int i = j + 1; i < n; i++) {
			L[j][i] = 0;
			L[i][j] = A[i][j];
			for (int k = 0; k < j; k++)
				L[i][j] -= L[i][k] * L[j][k] * d[k];
			L[i][j] /= d[j];
		}
	}
}
