// --host-seed=394 --fp=reassoc -Dn=6 -Dm=1
// Elements of C in pieces, one with a stride, to be copied to shared memory.
void f(int n, int m, unsigned long A[n + 5][m + 5], int C[m + 4], const unsigned long B[n + 1])
{
	for (int i1 = 0; i1 < n; i1 += 3) {
		A[i1 + 1][i1] = (((! (i1 + 1)) >= A[i1 + 1][i1]) ? (! (i1 + 1)) : A[i1 + 1][i1]);
		for (int i2 = 0; i2 < 2 && i2 < 5; i2++) {
			for (int i3 = 0; i3 < n - 1; i3 += 2) {
				int s4 = A[i2][i3];
				C[i2] += ((((B[i3] > (- B[i3 + 2])) ? B[i3] : (- B[i3 + 2])) > (- (i2 - 1))) ? ((B[i3] > (- B[i3 + 2])) ? B[i3] : (- B[i3 + 2])) : (- (i2 - 1)));
				A[i3 + i1 + 1][i3 + 1] = (C[i3] - 7);
			}
		}
	}
}
