// sizes: n=2 m=1; n=9 m=2; n=30 m=6
// Members that depend on other members of other elements; elements that change
// places; counters; several dimensions.
typedef struct {
	float re, im;
} complex32;
struct cell {
	int hits, first;
};

static complex32 times(complex32 a, complex32 b)
{
	complex32 r = { a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re };

	return r;
}

void structure_sweeps(int n, int m, complex32 a[n], complex32 b[m][n],
	struct cell c[n], const int at[n])
{
	for (int i = 1; i < n; i++) {
		a[i].re += 0.5f * a[i - 1].im;
		a[i].im -= 0.25f * a[i - 1].re;
	}
	for (int i = 0; i < n / 2; i++) {
		complex32 t = a[i];

		a[i] = a[n - 1 - i];
		a[n - 1 - i] = t;
	}
	for (int j = 0; j < m; j++)
		for (int i = 0; i < n; i++) {
			complex32 *p = &b[j][i];

			*p = times(*p, a[i]);
			if (p->re < 0)
				b[j][i] = (complex32){ -p->re, p->im };
		}
	for (int i = 0; i < n; i++) {
		c[i].hits++;
		if (at[i] < 0)
			c[i].first = i;
		c[i].hits += sizeof(struct cell);
	}
}
