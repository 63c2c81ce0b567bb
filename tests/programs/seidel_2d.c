// sizes: n=1 steps=0; n=8 steps=3; n=13 steps=4
void seidel_2d(int n, int steps, double A[n][n])
{
	for (int t = 0; t <= steps - 1; t++)
		for (int i = 1; i <= n - 2; i++)
			for (int j = 1; j <= n - 2; j++)
				A[i][j] = (A[i - 1][j - 1] + A[i - 1][j] +
					A[i - 1][j + 1] + A[i][j - 1] + A[i][j] +
					A[i][j + 1] + A[i + 1][j - 1] +
					A[i + 1][j] + A[i + 1][j + 1]) / 9.0;
}
