// sizes: n=1 c=1 k=1; n=4 c=3 k=5; n=7 c=2 k=3
/* Filters laid at every second point of an image, scattered and gathered. */
void transposed(int n, int c, int k, const float x[c][n][n],
	const float f[c][k][4][4], float y[k][2 * n + 2][2 * n + 2],
	float z[k][2 * n][2 * n], float w[k][n + 2])
{
	for (int o = 0; o < k; o++)
		for (int u = 0; u < 2 * n + 2; u++)
			for (int v = 0; v < 2 * n + 2; v++)
				y[o][u][v] = 0.5f;
	for (int l = 0; l < c; l++)
		for (int i = 0; i < n; i++)
			for (int j = 0; j < n; j++)
				for (int o = 0; o < k; o++)
					for (int r = 0; r < 4; r++)
						for (int s = 0; s < 4; s++)
							y[o][2 * i + r][2 * j + s] +=
								x[l][i][j] * f[l][o][r][s];
	for (int o = 0; o < k; o++)
		for (int u = 0; u < 2 * n; u++)
			for (int v = 0; v < 2 * n; v++) {
				float t = 0;

				for (int l = 0; l < c; l++)
					for (int r = 0; r < 4; r++)
						for (int s = 0; s < 4; s++) {
							int a = u + 1 - r, b = v + 1 - s;

							if (a >= 0 && b >= 0 && a % 2 == 0 &&
							    b % 2 == 0 && a / 2 < n && b / 2 < n)
								t += x[l][a / 2][b / 2] * f[l][o][r][s];
						}
				z[o][u][v] = t;
			}
	for (int o = 0; o < k; o++)
		for (int u = 0; u < n + 2; u++)
			w[o][u] = 0;
	/* Terms of a cell in the order of r, not of i. */
	for (int r = 0; r < 3; r++)
		for (int l = 0; l < c; l++)
			for (int i = 0; i < n; i++)
				for (int o = 0; o < k; o++)
					w[o][i + r] += x[l][i][0] * f[l][o][r][0];
}
