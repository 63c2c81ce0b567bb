// sizes: n=1 m=5; n=3 m=5
void never_runs(int n, int m, float a[2][6][m + 1], float b[m])
{
	for (int i = 0; i < m; i++)
		b[i] = a[1][2][i + 1] + b[i];
	for (int i = 0; i < n; i++)
		for (int j = 1; j < n / 2; j += 3)
			a[i + 1][j + 2][m] -= b[j];
	for (int i = 0; i < n / 2; i++)
		for (int j = i; j >= 1; j -= 3)
			b[j + m] += a[j][4][i + 3];
}
