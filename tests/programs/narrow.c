// sizes: n=1; n=8; n=13
// Conversions to types that hold less: of sums, and of a subscript that counts.
void narrow(int n, int A[n + 300], int B[n], int C[n], long D[n],
	unsigned char E[n])
{
	int p = 0;

	for (int i = 0; i < 300; i++) {
		A[p] += i;
		p = (unsigned char)(p + 1);
	}
	for (int i = 0; i < 2; i++) {
		for (int j = 0; j < n; j++) {
			B[j] = (unsigned short)(B[j] | 1);
			C[j] = (unsigned char)C[j] + 5;
			D[j] = (int)(D[j] + 7000000000);
			E[j] = E[j] + 5;
		}
	}
}
