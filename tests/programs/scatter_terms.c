// sizes: n=1300 m=260; n=40 m=9
/* Sums and products at subscripts that are data, under conditions, of what is computed. */
void scatter_terms(int n, int m, const int k[n], const float x[n], const double h[n],
	double w[m])
{
	for (int i = 0; i < n; i++)
		if (x[i] > 0)
			w[(unsigned)k[i] % m] = w[(unsigned)k[i] % m] + h[i] * x[i];
	for (int i = 0; i < n; i++)
		w[(unsigned)k[i] % m] *= h[i];
}
