// sizes: d_n=3 m=4; d_n=6 m=9; d_n=20 m=31
// Structures in globals, tables, behind casts, pointers and indices that are
// data; members of structures without names; functions that take parts.
#define BINS 8
typedef struct dims dims;
struct dims {
	int n;
	struct {
		int low, high;
	};
};
struct v {
	float x, y;
};
struct body {
	struct v at, by[2];
	struct {
		float mass;
	};
};
typedef struct tally {
	int hits, last;
} tally;
static const struct v unit[2] = { { 1, 0.5f }, { -1, 2 } };
static const struct body heavy = { .mass = 3, .at = { 1, 2 } };

static float length(const struct v *v)
{
	return v->x * v->x + v->y * v->y;
}

static void push(struct v *v, const float by[2], int n, float x)
{
	for (int i = 0; i < n; i++) {
		v[i].x += by[0] * x;
		v[i].y += by[1];
	}
}

static void tick(struct body *x)
{
	x->at.x += length(&x->by[1]);
}

static struct v at_most(struct v v, float most)
{
	if (v.x > most)
		return (struct v){ most, v.y };
	if (v.y > most)
		v.y = most;
	return v;
}

void structure_views(dims d, int m, struct body b[d.n], float flat[2 * m],
	const int index[d.n], tally t[BINS], struct v out[d.n][2])
{
	struct v *pair = (struct v *)flat, *second = pair + 1;
	struct body first = b[0], *const copy = &first;

	copy->mass += heavy.mass + heavy.at.y + heavy.by[1].x;
	for (int i = 0; i < d.n; i++) {
		push(b[i].by, &unit[1].x, 2, b[i].mass);
		tick(b + i);
		out[i][0] = at_most(b[i].at, 2);
		out[i][1].x = first.mass;
		out[i][1].y = unit[i % 2].y;
	}
	for (int i = 0; i + 1 < m; i++)
		second[i].x += pair[i].y;
	for (int i = 0; i < d.n; i++)
		t[index[i] & (BINS - 1)].hits++;
	for (int i = 0; i < BINS; i++)
		if (t[i].hits > 2 && d.high > d.low)
			t[i].last = d.n;
}
