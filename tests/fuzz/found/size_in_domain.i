// --host-seed=738 --fp=strict --no-contract -Dn=9 -Dm=1
// A domain that differs where a size is negative.
void f(int n, int m, unsigned char A[m][1])
{
	unsigned char C[n][m][7][7][n];
	for (int q0 = 0; q0 < n; q0++)
		for (int q1 = 0; q1 < m; q1++)
			for (int q2 = 0; q2 < 7; q2++)
				for (int q3 = 0; q3 < 7; q3++)
					for (int q4 = 0; q4 < n; q4++)
						C[q0][q1][q2][q3][q4] = q0 + q1 + q2 + q3 + q4 - 2;
	for (int i1 = 0; i1 < m; i1++) {
		unsigned char s2 = C[1][0][0][0][i1 + 1];
		for (int i5 = 0; i5 < 2; i5++) {
			C[1][0][0][0][1] = A[0][0];
		}
	}
	for (int i6 = -1; i6 < n - 1; i6++) {
		for (int i7 = 0; i7 < i6; i7++) {
			A[0][0] = C[i6 + 1][0][i7][i7][i6 + 1];
		}
	}
}
