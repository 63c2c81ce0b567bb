// sizes: n=1 m=2; n=4 m=6    flat: buf=9*m,flat=n*m,out=n*m,tail=n*m+9*m
// Pointers that see an array in other dimensions, and all ways to follow one.
#define REAL double
typedef double (*rows)[3];

static REAL trace(int n, REAL (*a)[n])
{
	return a[0][0] + (*(a + n - 1))[n - 1];
}

static void shift(int n, int m, REAL (*to)[m], const REAL from[n][m])
{
	for (int i = 0; i < n; i++)
		for (int j = 0; j < m; j++)
			to[i][j] += from[i][m - 1 - j];
}

void views(int n, int m, REAL *buf, const REAL *flat, REAL *out, REAL a[n][m],
	REAL *tail)
{
	REAL (*u)[3][3] = (REAL (*)[3][3])buf;
	const REAL (*v)[m] = (const REAL (*)[m])flat;
	REAL (*w)[m] = (REAL (*)[m])(void *)out;
	REAL *row = a[n / 2], *whole = (REAL *)w;
	REAL (*last)[m] = a + (n - 1);
	REAL (*moved)[m] = (REAL (*)[m])&tail[3 * m] + 0;
	REAL (*third)[3] = u[1] + 1;

	for (int k = 0; k < m; k++)
		for (int i = 0; i < 3; i++)
			for (int j = 0; j < 3; j++)
				u[k][i][j] *= u[k][j][i] + 1;
	for (int i = 0; i < n; i++) {
		for (int j = 0; j < m; j++) {
			w[i][j] = v[i][j] + *(*(a + i) + j);
			moved[i][j] = -(&v[i][0])[j];
		}
		*w[i] += (*last)[m / 2];
	}
	for (int j = 0; j < m; j++) {
		*(row + j) = 2 * row[j];
		*(&buf[j + 1] - 1) += 1;
	}
	third[1][0] = (*(third + 1))[2];
	((REAL (*)[3])buf)[2][1] = 7;
	shift(n, m, (REAL (*)[m])(tail + 9 * m), a);
	for (int i = 0; i < m; i++)
		tail[i / 4] += trace(3, (REAL (*)[3])buf) + whole[0];
}
