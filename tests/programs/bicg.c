// sizes: m=1 n=1; m=4 n=8; m=11 n=13
void bicg(int m, int n, const double A[n][m], double s[m], double q[n],
	const double p[m], const double r[n])
{
	for (int i = 0; i < m; i++)
		s[i] = 0;
	for (int i = 0; i < n; i++) {
		q[i] = 0.0;
		for (int j = 0; j < m; j++) {
			s[j] = s[j] + r[i] * A[i][j];
			q[i] = q[i] + A[i][j] * p[j];
		}
	}
}
