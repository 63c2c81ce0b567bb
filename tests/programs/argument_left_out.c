// sizes: n=1 m=1; n=2 m=3; n=4 m=5
// Arguments that only values have which nothing reads.
void argument_left_out(int n, int m, int k[m], double a[m][m])
{
	int t[4] = { 0 };

	for (int i = 0; i < m; i++) {
		double s = 1;

		s = a[n - 1][0];
		if (k[n - 1] > n)
			t[n - 1] = k[0];
		for (int j = 0; j < n; j++)
			t[j]++;
		a[i][0] = i;
	}
}
