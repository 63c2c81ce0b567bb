// sizes: n=1; n=7; n=64; n=61    ulp: 2
// Lengths whose squares are too large, too small or no numbers.
#include <math.h>
void hypotenuse(int n, float a[n], const float b[n], double c[n],
	const double d[n], float e[n][6], double f[n][6])
{
	for (int i = 0; i < n; i++) {
		float s[6] = { 0, -0.0f, INFINITY, -INFINITY, 1e30f, 3e-42f };
		double t[6] = { -0.0, INFINITY, -INFINITY, 1e200, 3e-310, 1e-170 };

		a[i] = hypotf(a[i], b[i]);
		c[i] = hypot(c[i], d[i]);
		for (int j = 0; j < 6; j++) {
			e[i][j] = hypotf(s[j], b[i] * 1e30f);
			f[i][j] = hypot(t[j], d[i] * t[5 - j]);
		}
	}
}
