// sizes: n=1; n=6; n=37; n=400
/* Sums and products as programs write them: under conditions, of several terms, in
 * several updates, in narrow types, with other statements between.
 */
void reduction_forms(int n, const float a[n], const float b[n], const int k[n],
	const unsigned char u[n], float x[n], float y[8], int q[8])
{
	float s = 0, t = 1, v = -0.0f, p = 1, both = 0, other = 0;
	int count = 0, mixed = 3, three = 0;
	unsigned char small = 200;
	short mask = -1;

	for (int i = 0; i < n; i++) {
		if (a[i] > 0)
			s += a[i];
		if (b[i] > a[i])
			s -= b[i];
		t = t + a[i] - b[i];
		if (a[i] > 1e30f)
			v += a[i];
		if (k[i] % 3 == 0)
			p *= a[i];
		if (a[i] > b[i])
			both += a[i];
		else
			both -= b[i];
		x[i] = a[i] * b[i];
		other += x[i];
		x[i] = x[i] + 1;
		other += x[i];
	}
	for (int i = 0; i < n; i++) {
		count += a[i] > b[i];
		mixed += k[i];
		mixed -= u[i];
		if (k[i] > 3)
			mixed += 2;
		small = small + u[i] + k[i];
		three = three + k[i] * 3 + u[i] - 1;
		mask &= k[i] | 256;
		if (u[i] > 9)
			mask &= ~u[i];
	}
	y[0] = s; y[1] = t; y[2] = v; y[3] = p; y[4] = both; y[5] = other;
	y[6] = y[7] = 0;
	q[0] = count; q[1] = mixed; q[2] = small; q[3] = three; q[4] = mask;
	q[5] = q[6] = q[7] = 0;
}
