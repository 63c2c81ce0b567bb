// sizes: w=1 h=1; w=8 h=5; w=13 h=11    ulp: 64
#include <math.h>

void filter(int w, int h, float alpha, const float in[w][h], float out[w][h],
	float y[w][h])
{
	float ym1, ym2, xm1, a, b;

	a = b = (1.0f - expf(-alpha)) * (1.0f - expf(-alpha));
	for (int i = 0; i < w; i++) {
		ym1 = 0;
		ym2 = 0;
		xm1 = 0;
		for (int j = 0; j < h; j++) {
			y[i][j] = a * in[i][j] + b * xm1 + 0.5f * ym1 -
				0.25f * ym2;
			xm1 = in[i][j];
			ym2 = ym1;
			ym1 = y[i][j];
		}
	}
	for (int i = 0; i < w; i++) {
		ym1 = 0;
		for (int j = h - 1; j >= 0; j--) {
			out[i][j] = y[i][j] + 0.5f * ym1;
			ym1 = out[i][j];
		}
	}
}
