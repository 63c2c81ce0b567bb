// sizes: n=3 c_steps=1; n=7 c_steps=4; n=34 c_steps=20    flat: q=n,one=1
// Arrays of structures of several types, which are an array for each member;
// tables of constants.
struct part {
	int id;
	double x, v[3];
	unsigned char tag;
};
struct cfg {
	int steps;
	double dt;
};
static const struct {
	int off;
	float w;
} table[] = { { -1, 0.25f }, { 0, 0.5f }, { 1, 0.25f } };

static void turn(struct part *p, struct part by)
{
	by.x *= 0.5;
	p->v[0] += by.v[1] * by.x;
	p->id ^= by.id;
}

void structure_types(int n, struct cfg c, struct part p[n],
	const struct part *q, float a[n], float b[n], const struct part *one)
{
	for (int i = 0; i < n; i++) {
		p[i].x += q[i].v[1] * c.dt;
		for (int k = 0; k < 3; k++)
			p[i].v[k] -= q[i].x;
		p[i].id++;
		if (q[i].tag > 3)
			p[i].tag = one->id;
		turn(&p[i], q[i]);
	}
	for (int i = 1; i < n - 1; i++) {
		b[i] = table[1].off;
		for (int k = 0; k < 3; k++)
			b[i] += table[k].w * a[i + k - 1];
	}
	for (int i = 0; i < c.steps; i++)
		p[i] = q[i];
}
