// sizes: n=1; n=64; n=1009
// Chains of products of multiples of powers of 2, of which ptxas forgot factors.
void multiples(int n, const long x[n], long a[n], long b[n], long c[n], long d[n],
	long e[n])
{
	for (int i = 0; i < n; i++) {
		unsigned long v = x[i] * 4128768UL + 4611686018427387904UL;
		unsigned long w = v * 3997696 + 4611686018427387904UL;
		unsigned long u = x[i];

		a[i] = v;
		b[i] = w;
		c[i] = w * 59 + 5;
		d[i] = w * 1056964608 - 7;
		for (int j = 0; j < 9; j++)
			u = u * 1536 + 4294967296UL;
		e[i] = u;
	}
}
