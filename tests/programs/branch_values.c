// sizes: n=1; n=37
// Scalars whose values conditions choose, and that are read where these hold.
void branch_values(int n, double a[n], double b[n], double c[n], double d[n])
{
	double t, u, v = 0.5, w = 1.0, q;
	for (int i = 0; i < n; i++) {
		if (a[i] > 0) {
			t = a[i] * b[i];
			if (b[i] > 0) {
				u = t + 1;
				t = u * u;
			}
			c[i] += t;
			w = t;
		} else {
			t = b[i];
			c[i] -= t * w;
		}
		d[i] = t;
		if (b[i] < 0.25) {
			v = c[i];
			d[i] += v * v;
		} else {
			d[i] -= v;
		}
		v = a[i];
		if (c[i] > 0.5)
			q = c[i];
		if (c[i] > 0.5 && c[i] > 0.25)
			d[i] += q;
	}
}
