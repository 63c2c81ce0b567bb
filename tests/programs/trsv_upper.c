// sizes: n=1; n=8; n=13    tame: U
void trsv_upper(int n, const float U[n][n], float x[n])
{
	for (int i = n - 1; i > -1; i -= 1) {
		for (int j = i + 1; j != n; j++)
			x[i] -= U[i][j] * x[j];
		x[i] /= U[i][i];
	}
}
