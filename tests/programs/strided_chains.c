// sizes: n=1; n=5; n=64; n=333
/* Chains over every fourth or second iteration, and updates of few cells in turn. */
void strided_chains(int n, float a[n], const float b[n], int h[8], float g[3],
	const int k[n], long c[n][6], float w[n + 2])
{
	for (int i = 4; i < n; i++)
		a[i] = a[i - 4] * 0.5f + b[i];
	for (int i = 0; i < n; i++)
		h[i % 8] += k[i];
	for (int i = 0; i < n; i++)
		g[i % 3] = g[i % 3] * 0.25f + b[i];
	for (int i = 2; i < n; i++)
		for (int j = 0; j < 6; j++)
			c[i][j] = c[i - 2][j] + k[i];
	for (int i = 0; i < n; i++)
		w[i + 2] = b[i] - w[i];
}
