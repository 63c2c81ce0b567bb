// sizes: n=1 m=2; n=7 m=5; n=23 m=14
/* Pointers to scalars. */
static void both(int a, int *restrict high, int b, int *restrict low)
{
	*high = a > b ? a : b;
	low[0] = a > b ? b : a;
}

static void add(int by, int *to)
{
	*to += by;
	to[0] += by;
}

static void twice(int *x)
{
	add(*x, x);
	add(1, &x[0]);
}

static int reads(const int *x, int by)
{
	return *x * by;
}

static void sum(int n, const double x[n], double *s)
{
	*s = 0;
	for (int i = 0; i < n; i++)
		*s += x[i];
}

void address(int n, int m, int a[n], int b[n], int c[n], double A[n][m],
	double out[n])
{
	int h, l, t = 3;

	for (int i = 0; i < n; i++) {
		int *const p = &t;
		double s, *q = &s;

		both(a[i], &h, b[i], &l);
		c[i] = h * 10 + l;
		both(h, &h, 2, &l);
		b[i] = h - reads(&l, h) + i;
		twice(&t);
		*p = *p % 17;
		a[i] += p[0] + reads(p, 2);
		sum(m, A[i], &s);
		out[i] = *q / m;
	}
}
