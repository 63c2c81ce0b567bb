// --fp=relaxed --parametric --roundtrip -Dn=3 -Dm=4
// Ranges of a loop in statements that were read back: sizes in another order.
void f(int n, int m, const int B[n][5][5][n + 4][m], int A[n + 2][n + 4][5][m + 4][3])
{
	for (int i1 = 1; i1 < n; i1++) {
		for (int i2 = i1; i2 < -i1 + n + 1; i2++) {
			for (int i3 = 0; i3 < -i1 + n + 1; i3++) {
				int s4 = B[i2][i1][(i1 + 1) / 3 + 1][i1 + 2][2];
				A[i1][i1][0][i2 + 5][i3] = ((A[i1][i1][0][i2 + 5][i3] < (((B[i2][i1 + 2][i3 + 2][i2 + 2][(i1 + 1) % 2 + 1] & s4) | (B[i3][i1 + 1][i1 - i3 + 1][i3][i2 - 1] ^ B[0][i1 + 2][i3 + 1][-i3 + m + 1][i2 - i3 + 1])) - -1)) ? A[i1][i1][0][i2 + 5][i3] : (((B[i2][i1 + 2][i3 + 2][i2 + 2][(i1 + 1) % 2 + 1] & s4) | (B[i3][i1 + 1][i1 - i3 + 1][i3][i2 - 1] ^ B[0][i1 + 2][i3 + 1][-i3 + m + 1][i2 - i3 + 1])) - -1));
				A[i2 + 2][i1 + 2 * i3][i2][-i3 + 2][i1] = ((s4 != A[i2 + i1][2 * i3 + 1][i2 + i1][i1 + 5][i1 - 1]) ? (A[(i3 + 1) / 2][i1][i1 - 1][i3 + 5][1] + 5) : (s4 | B[i3][i3][1][2 * i3 + 2][i2 + 1]));
			}
		}
	}
}
