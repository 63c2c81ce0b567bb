// --host-seed=97 --fp=strict --no-contract -Dn=1 -Dm=1
// A copy of what changes later cannot run last.
void f(int n, int m, double B[n][m])
{
	double C[n][m];
	for (int q0 = 0; q0 < n; q0++)
		for (int q1 = 0; q1 < m; q1++)
			C[q0][q1] = q0 + q1 * 0.125;
	for (int i1 = 0; i1 < 2; i1++) {
		B[0][0] = C[0][0];
		C[0][0] = 1;
	}
}
