// sizes: n=5000 m=260; n=1 m=1
/* Sums of floats at subscripts that are data, in the order of the text. */
void scatters(int n, int m, const int k[n], const float x[n], float y[m], float v[m],
	float s[n])
{
	for (int i = 0; i < n; i++)
		if (k[i] % 1024 >= 0 && k[i] % 1024 < m)
			v[k[i] % 1024] -= x[i] + 1;
	for (int i = 0; i < n; i++) {
		s[i] = x[i] * 2;
		y[(unsigned)k[i] % m] += s[i];
	}
}
