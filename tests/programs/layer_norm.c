// sizes: m=1 n=1; m=4 n=8; m=11 n=13
#include <math.h>

void layer_norm(int m, int n, const float x[m][n], const float g[n],
	float y[m][n])
{
	for (int i = 0; i < m; i++) {
		float mean = 0, var = 0;

		for (int j = 0; j < n; j++)
			mean += x[i][j];
		mean /= n;
		for (int j = 0; j < n; j++)
			var += (x[i][j] - mean) * (x[i][j] - mean);
		var = 1 / sqrtf(var / n + 1e-5f);
		for (int j = 0; j < n; j++)
			y[i][j] = (x[i][j] - mean) * var * g[j];
	}
}
