// --host-seed=126 --fp=strict --no-contract --parametric -Dn=1 -Dm=1
// A bound by something that exists is none.
void f(int n, int m, unsigned char A[m + 2][n])
{
	for (int i1 = 0; i1 < n; i1++) {
		for (int i2 = 0; i2 < n; i2++) {
			for (int i3 = 0; i3 < m; i3++) {
				if (((-i2 + m) == (i2))) {
					A[i2 + 2][i3] = A[i3][i1];
				}
			}
		}
	}
}
