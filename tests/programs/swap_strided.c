// sizes: n=1; n=8; n=13
void swap_strided(int n, double x[3 * n], double y[2 * n])
{
	for (int i = 0; i < n; i++) {
		double t = x[3 * i];

		x[3 * i] = y[2 * (n - 1 - i)];
		y[2 * (n - 1 - i)] = t;
	}
}
