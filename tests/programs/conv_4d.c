// sizes: n=1; n=3; n=5
void conv_4d(int n, const float x[2][3][n + 2][n + 2],
	const float f[4][3][3][3], float y[2][4][n][n])
{
	for (int b = 0; b < 2; b++)
		for (int o = 0; o < 4; o++)
			for (int i = 0; i < n; i++)
				for (int j = 0; j < n; j++) {
					float s = 0;

					for (int c = 0; c < 3; c++)
						for (int p = 0; p < 3; p++)
							for (int q = 0; q < 3; q++)
								s += x[b][c][i + p][j + q] *
									f[o][c][p][q];
					y[b][o][i][j] = s > 0 ? s : 0;
				}
}
