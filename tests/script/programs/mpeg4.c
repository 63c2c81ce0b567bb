void mpeg4(int n, int m, float result[n][m], float prev[n + 16][m + 16], float curr[256])
{
	for (unsigned int i = 0; i < n; i++)
		for (unsigned int j = 0; j < m; j++)
			for (unsigned int k = 0; k < 16; k++)
				for (unsigned int l = 0; l < 16; l++)
					result[i][j] += prev[i + k][j + l] *
						curr[k * 16 + l];
}
