// sizes: n=1 m=1 l=1; n=6 m=5 l=7; n=3 m=4 l=3    flat: orig=n*m*l,sol=n*m*l
#define IDX(r, c, b) ((c) + n * ((r) + m * (b)))
void flat_faces(int n, int m, int l, const int C[2], const int orig[n * m * l], int sol[n * m * l])
{
	for (int j = 0; j < m; j++)
		for (int k = 0; k < n; k++) {
			sol[IDX(j, k, 0)] = orig[IDX(j, k, 0)];
			sol[IDX(j, k, l - 1)] = orig[IDX(j, k, l - 1)];
		}
	for (int i = 1; i < l - 1; i++)
		for (int k = 0; k < n; k++) {
			sol[IDX(0, k, i)] = orig[IDX(0, k, i)];
			sol[IDX(m - 1, k, i)] = orig[IDX(m - 1, k, i)];
		}
	for (int i = 1; i < l - 1; i++)
		for (int j = 1; j < m - 1; j++) {
			sol[IDX(j, 0, i)] = orig[IDX(j, 0, i)];
			sol[IDX(j, n - 1, i)] = orig[IDX(j, n - 1, i)];
		}
	for (int i = 1; i < l - 1; i++)
		for (int j = 1; j < m - 1; j++)
			for (int k = 1; k < n - 1; k++) {
				int sum0 = orig[IDX(j, k, i)];
				int sum1 = orig[IDX(j, k, i + 1)] + orig[IDX(j, k, i - 1)] + orig[IDX(j + 1, k, i)] + orig[IDX(j - 1, k, i)] + orig[IDX(j, k + 1, i)] + orig[IDX(j, k - 1, i)];
				sol[IDX(j, k, i)] = sum0 * C[0] + sum1 * C[1];
			}
}