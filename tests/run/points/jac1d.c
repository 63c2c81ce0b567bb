void jac1d(int T, int n, double A[n], double B[n])
{
	for (int t = 0; t < T; t++) {
		for (int i = 1; i < n - 1; i++)
			B[i] = 0.25 * (A[i - 1] + 2 * A[i] + A[i + 1]);
		for (int i = 1; i < n - 1; i++)
			A[i] = 0.25 * (B[i - 1] + 2 * B[i] + B[i + 1]);
	}
}
