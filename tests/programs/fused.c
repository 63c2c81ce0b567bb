// sizes: n=1; n=2; n=7; n=31
// fma rounds once, copysign looks at the sign of zeros, too.
#include <math.h>
void fused(int n, float a[n], const float b[n], double c[n], const double d[n],
	double e[n][6])
{
	for (int i = 0; i < n; i++) {
		double s[6] = { 0, -0.0, INFINITY, -INFINITY, 1e300, 3e-310 };
		float t = a[i] * b[i];
		double u = c[i] * d[i];

		a[i] = fmaf(a[i], b[i], -t) + copysignf(3, b[i] - a[i]);
		c[i] = fma(c[i], d[i], -u) * 0x1p50 + fma(d[i], 1e9, c[i]);
		for (int j = 0; j < 6; j++)
			e[i][j] = copysign(s[j], s[5 - j]) +
				copysign(d[i], s[j]) + fma(d[i], 0.1, i);
	}
}
