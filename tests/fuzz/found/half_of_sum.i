// --fp=strict --no-contract -Dn=1 -Dm=1
// One half of a packed sum of 16 bits is used: ptxas lost its constant.
void f(int n, int m, unsigned short A[m + 6][m + 7])
{
	for (int i1 = 0; i1 < 4; i1++) {
		for (int i2 = 0; i2 < i1 + 1; i2++) {
			A[1][i1 + 2] = A[0][i1 + 3];
			A[i1 + 1][i2 + 4] ^= ((A[i1 + 1][i2 + 4] + A[i2 + 1][i1 + 3]) ^ ((i1 + 1) & 7));
			A[i1 + 2][i2 + 3] = (A[i1 + 1][i1 + 3] - 5);
		}
	}
}
