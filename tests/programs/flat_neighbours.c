// sizes: n=1 m=1 l=1; n=5 m=6 l=4; n=3 m=1 l=2    flat: in=n*m*l,clamped=n*m*l,wrapped=n*m*l,rows=n*m

/* Neighbours of a cell by conditions on where it lies. */
void flat_neighbours(int n, int m, int l, const float *in, float *clamped,
	float *wrapped, float *rows)
{
	for (int z = 0; z < l; z++)
		for (int y = 0; y < m; y++)
			for (int x = 0; x < n; x++) {
				int c = x + y * n + z * n * m;
				int west = x == 0 ? c : c - 1;
				int east = x == n - 1 ? c : c + 1;
				int north = y == 0 ? c : c - n;
				int south = y == m - 1 ? c : c + n;
				int below = z == 0 ? c : c - n * m;
				int above = z == l - 1 ? c : c + n * m;

				clamped[c] = in[west] + 2 * in[east] -
					in[north] * in[south] + in[above] /
					(in[below] + 3);
			}
	for (int z = 0; z < l; z++)
		for (int y = 0; y < m; y++)
			for (int x = 0; x < n; x++) {
				int c = (z * m + y) * n + x;
				int west = x == 0 ? c + n - 1 : c - 1;
				int east = x == n - 1 ? c - (n - 1) : c + 1;
				int north = y == 0 ? c + n * (m - 1) : c - n;
				int south = y < m - 1 ? c + n :
					c - n * (m - 1);
				int below = z > 0 ? c - n * m :
					c + n * m * (l - 1);

				wrapped[c] = in[west] + 2 * in[east] -
					in[north] * in[south] + 3 * in[below];
			}
	for (int y = 0; y < m; y++)
		for (int x = 0; x < n; x++)
			rows[y * n + x] = rows[y * n + n - 1 - x] +
				in[(y > 2 ? y - 1 : 0) * n + x];
}
