// sizes: n=2; n=3; n=9; n=200
/* Statements of one loop that need one another in a circle, because one overwrites in the
 * next iteration what another has read: old values are copied, and the circle is none.
 */
void node_splitting(int n, float a[n], float b[n], float c[n], float d[n],
	float e[n + 5], float f[n], float g[n], float h[n], const float x[n],
	int k[n], int p[n])
{
	for (int i = 0; i < n - 1; i++) {
		a[i] = b[i] * x[i] * d[i];
		b[i] = a[i] * a[i + 1] * d[i];
	}
	for (int i = 0; i < n - 1; i++) {
		b[i] = a[i] + x[i];
		a[i] = b[i] - b[i + 1];
	}
	for (int i = 0; i < n - 1; i++) {
		c[i] = d[i] + x[i] * x[i];
		d[i] = x[i] + d[i];
		c[i + 1] = d[i] + c[i + 1] * x[i];
	}
	for (int i = 0; i < n - 1; i++) {
		f[i] = g[i] + x[i] * x[i] + g[i] * g[i] + x[i];
		h[i] = f[i] + f[i + 1];
	}
	for (int i = 0; i + 5 < n; i += 5) {
		e[i] = e[i + 1] * e[i];
		e[i + 1] = e[i + 2] * e[i + 1];
		e[i + 2] = e[i + 3] * e[i + 2];
		e[i + 3] = e[i + 4] * e[i + 3];
		e[i + 4] = e[i + 5] * e[i + 4];
	}
	for (int i = 0; i < n; i++) {
		k[i] = p[i] + (i > 0 ? k[i - 1] & 7 : 3);
		p[i] = k[i] - p[n - 1 - i];
	}
}
