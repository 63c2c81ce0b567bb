// sizes: n=1 steps=0; n=8 steps=3; n=13 steps=4
void jacobi_2d(int n, int steps, double A[2][n][n])
{
	for (int t = 0; t < steps; t++)
		for (int i = 1; i + 1 < n; i++)
			for (int j = 1; j + 1 < n; j++)
				A[(t + 1) % 2][i][j] = 0.2 * (A[t % 2][i][j] +
					A[t % 2][i][j - 1] + A[t % 2][i][j + 1] +
					A[t % 2][i - 1][j] + A[t % 2][i + 1][j]);
}
