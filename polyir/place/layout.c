/* The record of a layout, under construction and copied, and its places' names. */
#include <stdlib.h>
#include <string.h>

#include "polyir/place/place.h"

static const struct {
	const char *name;
	int coordinate, unit;
} places[POLY_N_PLACE] = {
#define PLACE(id, text, at, lanes) \
	[POLY_PLACE_##id] = { text, POLY_AT_##at, lanes },
#include "polyir/place/place.def"
#undef PLACE
};

const char *poly_place_name(enum poly_place place)
{
	return places[place].name;
}

int poly_place_coordinate(enum poly_place place)
{
	return places[place].coordinate;
}

int poly_place_unit(enum poly_place place)
{
	return places[place].unit;
}

struct poly_layout poly_layout_begin(int n_dim, const int *extent)
{
	struct poly_layout l = { .n_dim = n_dim };

	for (int i = 0; i < n_dim; i++)
		l.extent[i] = extent[i];
	for (int i = 0; i < POLY_SWIZZLE_BIT; i++)
		l.swizzle[i] = 1u << i;
	return l;
}

struct poly_layout *poly_layout_alloc(int n_dim, const int *extent)
{
	struct poly_layout *l = n_dim < 0 || n_dim > POLY_LAYOUT_DIM ? NULL :
		malloc(sizeof(*l));

	if (l)
		*l = poly_layout_begin(n_dim, extent);
	return l;
}

/* A digit too many is counted, and kept nowhere. */
void poly_layout_add(struct poly_layout *l, enum poly_place place, int radix,
	int weight, const int *step)
{
	struct poly_digit *d;

	if (!l || l->n_digit > POLY_LAYOUT_DIGIT ||
	    l->n_digit++ == POLY_LAYOUT_DIGIT)
		return;
	d = &l->digit[l->n_digit - 1];
	*d = (struct poly_digit){ .place = place, .radix = radix,
		.weight = weight };
	for (int i = 0; i < l->n_dim; i++)
		d->step[i] = step[i];
}

void poly_layout_add_along(struct poly_layout *l, enum poly_place place,
	int radix, int weight, int dim, int step)
{
	int steps[POLY_LAYOUT_DIM] = { 0 };

	if (dim >= 0)
		steps[dim] = step;
	poly_layout_add(l, place, radix, weight, steps);
}

void poly_layout_add_swizzle(struct poly_layout *l, int to, int from)
{
	if (l)
		l->swizzle[to] ^= 1u << from;
}

struct poly_layout *poly_layout_copy(const struct poly_layout *l)
{
	struct poly_layout *copy = l ? malloc(sizeof(*copy)) : NULL;

	if (copy)
		*copy = *l;
	return copy;
}

struct poly_layout *poly_layout_free(struct poly_layout *l)
{
	free(l);
	return NULL;
}

static bool is_equal_digit(const struct poly_digit *a,
	const struct poly_digit *b)
{
	return a->place == b->place && a->radix == b->radix &&
		a->weight == b->weight &&
		!memcmp(a->step, b->step, sizeof(a->step));
}

static bool is_equal_record(const struct poly_layout *a,
	const struct poly_layout *b)
{
	bool equal = a->n_digit == b->n_digit &&
		!memcmp(a->origin, b->origin, sizeof(a->origin)) &&
		!memcmp(a->base, b->base, sizeof(a->base)) &&
		!memcmp(a->swizzle, b->swizzle, sizeof(a->swizzle));

	for (int i = 0; equal && i < a->n_digit; i++)
		equal = is_equal_digit(&a->digit[i], &b->digit[i]);
	return equal;
}

/* Do "a" and "b", of one box, hold the same, place by place? */
static bool hold_the_same(const struct poly_layout *a,
	const struct poly_layout *b)
{
	int n_a, n_b;
	struct poly_held *list_a = poly_layout_list(a, &n_a);
	struct poly_held *list_b = poly_layout_list(b, &n_b);
	bool same = list_a && list_b && n_a == n_b &&
		!memcmp(list_a, list_b, (size_t) n_a * sizeof(*list_a));

	free(list_a);
	free(list_b);
	return same;
}

bool poly_layout_is_equal(const struct poly_layout *a,
	const struct poly_layout *b)
{
	if (!a || !b || a->n_dim != b->n_dim ||
	    memcmp(a->extent, b->extent, sizeof(a->extent)))
		return false;
	return is_equal_record(a, b) || hold_the_same(a, b);
}
