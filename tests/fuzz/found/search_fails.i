// --host-seed=470 --fp=strict --no-contract -Dn=1 -Dm=1
// isl takes its search for a last write for invalid, in the middle of it.
void f(int n, int m, int A[n + 2])
{
	for (int i1 = n - 1; i1 >= 0; i1 -= 3) {
		int s2 = A[1];
		for (int i3 = 0; i3 < n - 1; i3++) {
			for (int i4 = 0; i4 < i3 + 1; i4++) {
				A[1] = A[i1 + 1];
				A[i4 + 1] = 1;
			}
			for (int i6 = 0; i6 < -i3 + m + 1; i6++) {
				int s7 = (i3);
				A[i6 + 1] = (A[i6 + 1] - (A[i6 + 1] ^ s2));
				s7 -= (5 * (A[i6 + 1] * A[i6 + 1]));
			}
		}
		s2 &= ((unsigned)(((i1 + 1) == (m - 1)) ? A[i1] : A[-i1 + n]));
	}
}
