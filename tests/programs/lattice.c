// sizes: n=6 T=1; n=9 T=3; n=14 T=2
/* Matter on a lattice: streams along five directions, bounces back from the
 * walls, and relaxes. The functions for a cell get values and places.
 */
enum { C, E, W, N, S };

static void wall(double in_c, double in_e, double in_w, double in_n,
	double in_s, double *c, double *e, double *w, double *n, double *s)
{
	*c = in_c;
	*e = in_w;
	*w = in_e;
	*n = in_s;
	*s = in_n;
}

static void cell(double in_c, double in_e, double in_w, double in_n,
	double in_s, double *c, double *e, double *w, double *n, double *s,
	double omega, double push, int y, int x, int last)
{
	double rho, ux, uy, square;

	if (y == 1 || y == last || x == 1 || x == last) {
		wall(in_c, in_e, in_w, in_n, in_s, c, e, w, n, s);
		return;
	}
	rho = in_c + in_e + in_w + in_n + in_s;
	ux = in_e - in_w;
	ux = ux / rho;
	uy = in_n - in_s;
	uy = uy / rho;
	if (y == 2) {
		ux = push;
		uy = 0.0;
	}
	square = 1.5 * (ux * ux + uy * uy);
	*c = (1.0 - omega) * in_c + omega * (rho * (1.0 - square) / 3.0);
	*e = (1.0 - omega) * in_e +
		omega * (rho * (1.0 + 3.0 * ux + 4.5 * ux * ux - square) / 6.0);
	*w = (1.0 - omega) * in_w +
		omega * (rho * (1.0 - 3.0 * ux + 4.5 * ux * ux - square) / 6.0);
	*n = (1.0 - omega) * in_n +
		omega * (rho * (1.0 + 3.0 * uy + 4.5 * uy * uy - square) / 6.0);
	*s = (1.0 - omega) * in_s +
		omega * (rho * (1.0 - 3.0 * uy + 4.5 * uy * uy - square) / 6.0);
}

void lattice(int n, int T, double omega, double push, double grid[2][n][n][5])
{
	for (int t = 0; t < T; t++)
		for (int y = 1; y < n - 1; y++)
			for (int x = 1; x < n - 1; x++)
				cell(grid[t % 2][y][x][C],
					grid[t % 2][y][x - 1][E],
					grid[t % 2][y][x + 1][W],
					grid[t % 2][y - 1][x][N],
					grid[t % 2][y + 1][x][S],
					&grid[(t + 1) % 2][y][x][C],
					&grid[(t + 1) % 2][y][x][E],
					&grid[(t + 1) % 2][y][x][W],
					&grid[(t + 1) % 2][y][x][N],
					&grid[(t + 1) % 2][y][x][S],
					omega, push, y, x, n - 2);
}
