// sizes: n=1; n=64; n=1009
// Several bits of one number as conditions: ptxas took one of another number.
void bits(int n, const unsigned x[n], const unsigned long y[n], const unsigned short z[n],
	const int w[n], unsigned out[n], unsigned product[n])
{
	for (int i = 0; i < n; i++) {
		unsigned a = x[i], s = 1, t = 1;

		s *= a & 1 ? 5 : 1;
		s *= a & 2 ? 25 : 1;
		s *= a & 4 ? 625 : 1;
		s *= a & 64 ? 7 : 1;
		s *= a >> 20 & 1 ? 11 : 1;
		s *= a >> 21 & 1 ? 13 : 1;
		t *= y[i] & 1 ? 3 : 1;
		t *= y[i] & 2 ? 9 : 1;
		t *= y[i] >> 33 & 1 ? 17 : 1;
		t *= y[i] >> 34 & 1 ? 19 : 1;
		out[i] = w[i] > 3 ? s : t;
		product[i] = (z[i] & 1 ? 3 : 5) * (z[i] & 8 ? 23 : 29) * (z[i] & 4 ? s : t);
	}
}
