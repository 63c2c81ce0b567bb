// --host-seed=758 --fp=reassoc -Dn=7 -Dm=2
// Points of negative sizes do not count.
void f(int n, int m, int A[m + 5][4], short B[7][m + 5])
{
	int C[m + 4][m + 3][n][4][m + 5];
	for (int q0 = 0; q0 < m + 4; q0++)
		for (int q1 = 0; q1 < m + 3; q1++)
			for (int q2 = 0; q2 < n; q2++)
				for (int q3 = 0; q3 < 4; q3++)
					for (int q4 = 0; q4 < m + 5; q4++)
						C[q0][q1][q2][q3][q4] = q0 + q1 + q2 + q3 + q4 - 2;
	for (int i1 = -1; i1 < n / 2; i1++) {
		if (1) {
			A[i1 + 2][i1 + 1] &= C[i1 + 1][i1 + 1][i1 / 3 + 2][i1 + 1][2 * i1 + 2];
		}
		long s2 = B[2 * i1 + 2][2 * i1 + 2];
		B[i1 + 2][i1 + 2] ^= ((A[2 * i1 + 2][i1 + 1] - 7) - 5);
		B[i1 + 2][i1 + 2] ^= (C[i1 + 3][i1 + 2][2 * i1 + 2][i1 + 1][i1 + 3] - 3);
	}
}
