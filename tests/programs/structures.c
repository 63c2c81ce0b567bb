// sizes: g_n=1 m=1; g_n=7 m=3; g_n=40 m=9    flat: b=g_n
// Arrays of structures, a structure by value whose member is a size, functions
// that take and return structures, pointers to them, nested structures.
struct p {
	double x, y, z;
};
typedef struct {
	int n;
	double h;
} grid;
struct q {
	float v[3];
	struct {
		float a, b;
	} in[2];
	float w;
};

static struct p add(struct p a, struct p b)
{
	struct p r;

	r.x = a.x + b.x;
	r.y = a.y + b.y;
	r.z = a.z + b.z;
	return r;
}

static double dot(struct p a, const struct p b)
{
	return a.x * b.x + a.y * b.y + a.z * b.z;
}

static void scale(struct p *a, double s)
{
	a->x *= s;
	a[0].y *= s;
	(*a).z *= s;
}

static struct p moved(struct p a, double by)
{
	a.x += by;
	a.y -= by;
	return a;
}

void structures(grid g, struct p a[g.n], const struct p *b, double d[g.n],
	int m, struct q q[m])
{
	for (int i = 0; i < g.n; i++) {
		struct p t = b[i];

		t.x += g.h;
		a[i] = add(t, b[i]);
		a[i].y = 3 * a[i].x;
		scale(&a[i], 2.0);
		d[i] = dot(a[i], b[i]);
		a[i] = moved(a[i], d[i]);
	}
	for (int j = 0; j < m; j++) {
		for (int k = 0; k < 3; k++)
			q[j].v[k] += q[j].in[1].a * q[j].in[0].b;
		for (int k = 0; k < 2; k++)
			q[j].in[k].b = q[j].w + q[j].in[k].a;
		q[j].w = q[m - 1 - j].v[1];
	}
}
