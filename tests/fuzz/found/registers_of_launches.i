// --host-seed=873 --fp=strict --no-contract --parametric -Dn=2 -Dm=21
// Lanes of two launches may write one cell's parts, each into registers of its own.
void f(int n, int m, long A[n + 6][m + 12][m + 8])
{
	for (int i = 0; i < n; i++)
		for (int j = 2; j >= i + 1; j--)
			for (int k = (m - j + 2) / 4 - 1; k >= j; k--) {
				long q = A[j + 1][k + i + 7][i - k + 5];
				A[2 * j + 1][9][j + 3] -= q;
			}
}
