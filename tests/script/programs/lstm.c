void lstm(int m, int n, int b, float h[m + 1][n + 1][b], float w[m + 1])
{
	for (int l = 1; l < m + 1; l++)
		for (int s = 1; s < n + 1; s++)
			for (int i = 0; i < b; i++)
				h[l][s][i] = w[l] * h[l - 1][s][i] + h[l][s - 1][i];
}
