// sizes: n=1; n=8; n=31
// Constants without a sign that only an unsigned long holds, other names of them,
// and what conversions leave of them.
void huge_constants(int n, const int a[n], int p[n], int q[n], int r[n],
	int s[n], unsigned long t[n], unsigned long u[n], int v[n], int w[n])
{
	for (int i = 0; i < n; i++) {
		unsigned long zero = 7 / 255;
		int most = 1024;
		int cut = (unsigned long)most << 40;
		int lost = most * 4294967296l;
		unsigned long high = (unsigned long)most << 40 >> 36;

		p[i] = zero < -5 ? a[i] : 100;
		q[i] = (unsigned long)i < -5 ? a[i] : 100;
		r[i] = (unsigned)i < -5 ? a[i] : 100;
		s[i] = (unsigned long)i == -1 || i + 1ul > -3 ? 100 : a[i];
		t[i] = (unsigned long)i % -5;
		u[i] = (i + 7ul) / -2;
		if ((unsigned long)i >= 0x8000000000000000)
			v[i] = 7;
		else
			v[i] = i;
		w[i] = cut > 4 ? 1 : a[i];
		if (lost > 4)
			w[i] += 2;
		if (high == 16384)
			w[i] += 4;
	}
	for (unsigned long i = 1; i < n; i++)
		q[i + -1] += a[i];
}
