// sizes: n=1; n=8; n=13
void rot(int n, double x[n], double y[n], double c, double s)
{
	for (int i = 0; i < n; i++) {
		double t = c * x[i] + s * y[i];

		y[i] = c * y[i] - s * x[i];
		x[i] = t;
	}
}
