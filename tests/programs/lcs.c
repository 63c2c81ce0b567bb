// sizes: n=1 m=1; n=8 m=5; n=13 m=11
int lcs(int n, int m, const char a[n], const char b[m])
{
	int t[n + 1][m + 1];

	for (int i = 0; i <= n; i++)
		for (int j = 0; j <= m; j++)
			if (i == 0 || j == 0)
				t[i][j] = 0;
			else if (a[i - 1] == b[j - 1])
				t[i][j] = t[i - 1][j - 1] + 1;
			else
				t[i][j] = t[i - 1][j] > t[i][j - 1] ?
					t[i - 1][j] : t[i][j - 1];
	return t[n][m];
}
