// --host-seed=3 --fp=strict --no-contract -Dn=13
// isl joins pieces of which one has a stride, to more than both.
void f(int n, int A[n], int B[n][n], int C[n])
{
	for (int i = 0; i < n; i++) {
		if ((n >= 2 && i <= 1) || (i % 2 == 0 && i <= n - 2))
			A[i] += 1;
		if (i <= 1 || (i % 2 == 0 && i < 8))
			C[i] += 1;
		for (int j = 0; j < n; j++)
			if ((i < 2 && j > 0) || (i % 2 == 0 && j > i && j < n - 1))
				B[i][j] -= j;
	}
}
