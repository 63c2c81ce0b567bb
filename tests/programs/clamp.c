// sizes: n=1; n=8; n=13
#include <math.h>

void clamp(int n, float low, float high, const float x[n], float y[n])
{
	for (int i = 0; i < n; i++) {
		float v = x[i];

		if (v < low)
			v = low;
		else if (v > high)
			v = high;
		y[i] = floorf(v * 8) + ceilf(v) - truncf(4 * v) +
			fminf(v, 0.5f) * fabsf(v);
	}
}
