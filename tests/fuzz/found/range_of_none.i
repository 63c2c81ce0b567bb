// --fp=strict --no-contract --parametric -Dn=1 -Dm=1
// A range of a loop in which a condition leaves nothing to do.
void f(int n, int m, double A[m + 4][m + 3][m + 1])
{
	for (int i = n; i >= 0; i--) {
		if (i != n - 1)
			A[-i + n][i][i / 2] = A[2 * i + 2][i + 2][i] * A[i + 1][i + 2][i];
	}
}
