// sizes: n=1 k=1; n=8 k=3; n=13 k=5
void conv_2d(int n, int k, const float x[2 * n + 3 * k][2 * n + 3 * k],
	const float f[k][k], float y[n][n])
{
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++) {
			y[i][j] = 0;
			for (int p = 0; p < k; p++)
				for (int q = 0; q < k; q++)
					y[i][j] += x[2 * i + 3 * p][2 * j + 3 * q] *
						f[p][q];
		}
}
