// sizes: n=1 steps=1; n=4 steps=3; n=7 steps=5    ulp: 256
#include <math.h>

void lstm(int n, int steps, const float x[steps][n], const float W[4][n][n],
	const float U[4][n][n], float h[steps + 1][n], float c[n])
{
	float g[4][n];

	for (int t = 0; t < steps; t++) {
		for (int q = 0; q < 4; q++)
			for (int i = 0; i < n; i++) {
				g[q][i] = 0;
				for (int j = 0; j < n; j++)
					g[q][i] += W[q][i][j] * x[t][j] +
						U[q][i][j] * h[t][j];
			}
		for (int i = 0; i < n; i++) {
			c[i] = c[i] / (1 + expf(-g[1][i])) + tanhf(g[2][i]) /
				(1 + expf(-g[0][i]));
			h[t + 1][i] = tanhf(c[i]) / (1 + expf(-g[3][i]));
		}
	}
}
