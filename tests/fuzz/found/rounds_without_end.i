// --fp=strict --no-contract -Dn=5 -Dm=7
// Barriers for rounds without end: no constraint of one part holds for the other.
void f(int n, int m, double B[m + 1][m + 4][n + 3], double A[n + 5][10][n + 6][m + 4])
{
	for (int i3 = 0; i3 < n; i3 += 3) {
		for (int i4 = 2; i4 < m; i4++) {
			for (int i5 = 2; i5 < n; i5++) {
				A[i5 + 3][i3 + 3][i4 + 3][i5 + 2] = (0.5f * B[i4 + 1][i5 + 2][i3 + 1]);
				B[i3 + 1][i4 + 2][i5 + 1] += B[i4 + 1][i3 + 2][i4 + 1];
				double s7 = A[i5 + 3][4][i4 + 3][i3 + 2];
				A[i5 + 3][i3 + 3][i4 + 3][i5 + 2] -= (A[i3 + 3][i4 + 3][i4 + 3][i3 % 2 + 2] * (B[(i4 + 1) % 3 + 1][i3 % 3 + 2][i5 + 2] * B[i5 - 1][i4][i4 + 1]));
				A[i5 + 3][i3 + 3][i4 + 3][i5 + 2] = (A[i5 + 3][i3 + 3][i4 + 3][i5 + 2] + ((0.5 * B[i3 + 3][i5 + 2][i4 + 1]) - ((0.25 * B[i4 + 1][i5 + 3][i3 + 1]) * 0.25)));
			}
		}
	}
}
