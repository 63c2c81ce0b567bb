// sizes: m=1 n=1; m=4 n=8; m=11 n=13    ulp: 64
#include <math.h>

void softmax(int m, int n, const float x[m][n], float y[m][n])
{
	for (int i = 0; i < m; i++) {
		float top = x[i][0], sum = 0;

		for (int j = 0; j < n; j++)
			top = fmaxf(top, x[i][j]);
		for (int j = 0; j < n; j++)
			sum += expf(x[i][j] - top);
		for (int j = 0; j < n; j++)
			y[i][j] = expf(x[i][j] - top) / sum;
	}
}
