// sizes: n=2 m=5; n=7 m=3
/* A loop that never runs. */
void nothing(int n, int m, double c[n + 2])
{
	for (int i = 1; i < m; i++)
		for (int k = 1; k < 1; k++)
			c[k + 1] += c[k - 1];
}
