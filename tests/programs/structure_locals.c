// sizes: n=6; n=33
// Local structures of several types: initialised, copied, changed, in arrays;
// literals; a pointer to one; structures that are assigned by data.
struct inner {
	short k[2];
	double x;
};
struct s {
	int n;
	float f;
	struct inner in, many[2];
	unsigned char c;
};

static struct s change(struct s s, int by)
{
	if (by > 2)
		s.many[1].k[0] = by;
	s.n += by;
	for (int i = 0; i < 2; i++)
		s.in.k[i] += i + by;
	return s;
}

static void set(struct inner *in, double x)
{
	in->x = x;
	in->k[1] = 7;
}

void structure_locals(int n, const int a[n], const double x[n], double out[n],
	int ints[n][4])
{
	const struct s zero = { 0 };
	struct { int first, last; } range = { .last = n, .first = 0 };
	struct s table[3] = { { 1, 2.5f }, { .c = 200, .in = { { 1, 2 }, 3 } } };

	table[2] = (struct s){ .many = { { { 4 }, 5 } }, .n = -1 };
	for (int i = range.first; i < range.last; i++) {
		struct s t = zero, u;
		struct inner *p = &t.many[1];

		t.n = a[i];
		t.f = x[i] * 2;
		t.c = a[i] * 100;
		set(&t.in, x[i]);
		p->x = x[i] + 1;
		p->k[0] = a[i];
		u = change(t, i);
		if (a[i] > 0)
			u = table[1];
		else
			u.in = table[2].many[0];
		t.many[0] = u.many[1];
		out[i] = u.f + u.in.x + u.many[1].x + t.many[0].x + t.c;
		ints[i][0] = u.n + t.n + table[0].n;
		ints[i][1] = u.in.k[0] * 100 + u.in.k[1];
		ints[i][2] = u.c + t.many[0].k[0];
		ints[i][3] = u.many[0].k[0] + u.many[1].k[1] + sizeof(short);
	}
}
