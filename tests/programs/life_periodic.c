// sizes: n=1 m=1 T=2; n=7 m=6 T=3; n=2 m=9 T=2
void life_periodic(int n, int m, int T, unsigned char g[n][m], unsigned char h[n][m])
{
	for (int t = 0; t < T; t++) {
		for (int i = 0; i < n; i++)
			for (int j = 0; j < m; j++) {
				int s = 0;
				for (int di = -1; di < 2; di++)
					for (int dj = -1; dj < 2; dj++)
						if (di != 0 || dj != 0)
							s += g[(i + di + n) % n][(j + dj + m) % m] & 1;
				h[i][j] = (s == 3 || (s == 2 && (g[i][j] & 1)));
			}
		for (int i = 0; i < n; i++)
			for (int j = 0; j < m; j++)
				g[i][j] = h[i][j];
	}
}