// --host-seed=832 --fp=strict --no-contract --roundtrip -Dn=7 -Dm=1
// isl loses that a strided loop is one of odd threads only.
void f(int n, int m, int A[m + 6][6][m + 6], int B[3][m + 6][3])
{
	int C[m + 5][2];
	for (int q0 = 0; q0 < m + 5; q0++)
		for (int q1 = 0; q1 < 2; q1++)
			C[q0][q1] = q0 + q1 - 2;
	for (int i1 = 0; i1 < n / 2; i1 += 2) {
		for (int i2 = 0; i2 < i1; i2++) {
			int s3 = 1;
			for (int i4 = n - 1 - 1; i4 >= i1; i4 -= 3) {
				s3 += (8 * (A[i4 + 1][i2][i2] & A[i1][i4][2 * i2])) -
					((B[i1][i2 + 2 * i1][i1] | i4) | (2 == m - 1));
				int s5 = C[i4][i2];
				A[i2 + 1][i1][i4 + 1] &= i4 < n - 1;
				B[i2][i2 + 2 * i1][i2] &= B[i1][i4 + 1][i2 + 1];
			}
			A[3][i2][i1] &= (unsigned char)1;
		}
	}
}
