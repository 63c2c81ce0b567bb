// sizes: n=1; n=8; n=13
void carried(int n, const double x[n], double y[n])
{
	double last = 0, older = 0;
	int k;

	for (k = 0; k < n; k++) {
		y[k] = x[k] + 0.5 * last - 0.25 * older;
		older = last;
		last = y[k];
	}
	for (k = 0; k < n; k++) {
		double t[3] = { last, x[k] };

		for (int i = 0; i < 3; i++)
			t[2] += t[i] * (i + 1);
		y[k] += t[2];
	}
}
