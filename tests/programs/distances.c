// sizes: n=1; n=2; n=7; n=31
// Functions of math.h that are made of others, where values are special, too.
#include <math.h>
void distances(int n, float a[n], const float b[n], double c[n],
	const double d[n], float e[n][6], double f[n][6])
{
	for (int i = 0; i < n; i++) {
		float s[6] = { 0, -0.0f, INFINITY, -INFINITY, 1e30f, 3e-42f };

		a[i] = a[i] + fdimf(b[i], a[i] * 0.5f);
		c[i] = fdim(c[i], d[i]) - fdim(d[i], c[i] / 3);
		for (int j = 0; j < 6; j++) {
			e[i][j] = b[i] + fdimf(s[j], s[5 - j]);
			f[i][j] = fdim(s[j], s[j]) + fdim(d[i], s[j]);
		}
	}
}
