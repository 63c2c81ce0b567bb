// sizes: s=1 b=1 f=1; s=3 b=2 f=3; s=2 b=1 f=5   ulp: 256
#include <math.h>

void gru(int s, int b, int f, const double X[s][b][f], const double W[3][f][f],
	const double U[3][f][f], double H[s + 1][b][f], double z[b][f],
	double r[b][f])
{
	for (int t = 0; t < s; t++)
		for (int i = 0; i < b; i++) {
			for (int j = 0; j < f; j++) {
				double a = 0, c = 0;

				for (int k = 0; k < f; k++) {
					a += W[0][j][k] * X[t][i][k] +
						U[0][j][k] * H[t][i][k];
					c += W[1][j][k] * X[t][i][k] +
						U[1][j][k] * H[t][i][k];
				}
				z[i][j] = 1 / (1 + exp(-a));
				r[i][j] = 1 / (1 + exp(-c));
			}
			for (int j = 0; j < f; j++) {
				double n = 0;

				for (int k = 0; k < f; k++)
					n += W[2][j][k] * X[t][i][k] + U[2][j][k] *
						(r[i][k] * H[t][i][k]);
				H[t + 1][i][j] = z[i][j] * H[t][i][j] +
					(1 - z[i][j]) * tanh(n);
			}
		}
}
