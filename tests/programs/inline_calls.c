// sizes: n=1 m=1; n=7 m=5; n=20 m=33    flat: flat=n*m
#include <math.h>

typedef float real;

/* Expressions: values of parameters and locals, conditions, other calls. */
static inline real sq(real x)
{
	return x * x;
}

static inline real mix(const real *restrict w, int k, real x)
{
	const real a = w[0] + sq(x);
	real b = a * 2, c = b - w[k];

	if (c < 0)
		return -c;
	else if (a > 1) {
		return b;
	}
	return c + sqrtf(a);
}

static inline int clampi(int i, int low, int high)
{
	return i < low ? low : i > high ? high : i;
}

/* Statements: loops, a value that is found by them, locals that change. */
static real norm(int n, const real x[n])
{
	real s = 0;

	for (int i = 0; i < n; i++)
		s += sq(x[i]);
	return s;
}

static void scale(int n, real *x, real by)
{
	int i;

	by = by * 0.5f;
	for (i = 0; i < n; i++)
		x[i] *= by;
}

static int steps(int k)
{
	int count = 0;

	if (k > 2)
		count = k;
	count += 1;
	return count;
}

void inline_calls(int n, int m, real A[n][m], real *flat, real w[3],
	real out[n], int c[n])
{
	for (int i = 0; i < n; i++) {
		real *row = A[i], *line = flat + i * m;
		const real *last = &A[n - 1][0];

		scale(m, A[i], w[i % 3]);
		out[i] = norm(m, row) + mix(w, i % 3, out[i]);
		for (int j = 0; j < m; j++) {
			line[j] = mix(w + 1, 1, last[j]) - *row;
			A[i][clampi(j - 1, 0, m - 1)] += line[j];
		}
		c[i] = steps(c[i]) + clampi(c[i], -1, 1);
	}
	scale(m, flat + (n - 1) * m, 3);
}
