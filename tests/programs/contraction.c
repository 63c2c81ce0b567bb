// sizes: n=1; n=2; n=3
void contraction(int n, const double a[n][n][n][n],
	const double b[n][n][n][n], double c[n][n][n][n][n][n])
{
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++)
			for (int k = 0; k < n; k++)
				for (int l = 0; l < n; l++)
					for (int p = 0; p < n; p++)
						for (int q = 0; q < n; q++) {
							c[i][j][k][l][p][q] = 0;
							for (int r = 0; r < n; r++)
								c[i][j][k][l][p][q] +=
									a[i][j][k][r] *
									b[r][l][p][q];
						}
}
