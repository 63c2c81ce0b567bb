// sizes: n=1 m=1; n=2 m=3; n=3 m=1; n=8 m=5; n=13 m=4
#include <stddef.h>

/* Remainders by sizes, of values of every sign and some multiples. */
void periodic_sizes(int n, size_t m, const float u[n][m], float v[n][m],
	float a[n], float b[n], float c[n], int life[n][n], int d[n], int e[n])
{
	for (int i = 0; i < n; i++)
		for (size_t j = 0; j < m; j++)
			v[i][j] = u[(i + 1) % n][j] + u[(i + n - 1) % n][j] +
				u[i][(j + 1) % m] - u[i][(j + m - 1) % m];
	for (int t = 0; t < 3; t++) {
		for (int i = 0; i < n; i++) {
			int left = (i - 1 + n) % n, right = (i + 1) % n;

			b[i] = a[left] + 0.5f * a[right] -
				a[(i - 2 + n) % n] * a[(i + 2) % n];
		}
		for (int i = n - 1; i >= 0; i--)
			a[i] = 0.25f * b[(n - i) % n] + b[(2 * i + 1) % n];
	}
	for (int i = 0; i < n; i++)
		c[i] = c[(i + 3) % n] + a[(n - 1 - i) % n];
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++) {
			int sum = 0;

			for (int y = -1; y <= 1; y++)
				for (int x = -1; x <= 1; x++)
					sum += life[(i + y + n) % n][(j + x +
						n) % n] & 1;
			life[i][j] += 2 * sum;
		}
	for (int i = 0; i < n; i++) {
		d[i] = (i * 7 + 5) % n;
		if ((i + 1) % n == 0)
			d[i] -= 9;
		e[(i + 1) % n] += d[i];
	}
}
