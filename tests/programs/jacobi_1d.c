// sizes: n=1 steps=0; n=8 steps=3; n=13 steps=4
void jacobi_1d(int n, int steps, float A[n], float B[n])
{
	for (int t = 0; t < steps; t++) {
		for (int i = 1; i < n - 1; i++)
			B[i] = 0.33333 * (A[i - 1] + A[i] + A[i + 1]);
		for (int i = 1; i < n - 1; i++)
			A[i] = 0.33333 * (B[i - 1] + B[i] + B[i + 1]);
	}
}
