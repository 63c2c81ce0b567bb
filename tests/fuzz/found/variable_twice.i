// --host-seed=138 --fp=strict --no-contract --roundtrip -Dn=6 -Dm=1
// Where isl finds sources that write and that may have written, it crashes.
void f(int n, int m, int D[1])
{
	int B[n + 2];
	for (int i = 0; i < n + 2; i++)
		B[i] = i - 2;
	for (int i = 0; i < n; i++) {
		for (int j = 0; j < n; j++)
			for (int k = j; k < m; k += 3)
				B[j + k + 2] |= 1;
		for (int j = 0; j < i - 1; j++)
			for (int k = i - 1; k < n; k++)
				D[0] = B[j + 2] + B[k + 1];
	}
}
