// sizes: n=1; n=8; n=13
void reverse(int n, double x[n])
{
	for (int i = 0; i < n / 2; i++) {
		double t = x[i];

		x[i] = x[n - 1 - i];
		x[n - 1 - i] = t;
	}
}
