/* Layouts made of layouts: products, restrictions, other dimensions and
 * coordinates.
 *
 * Most of them are a few sums with the digits. Where the box cuts off what digits
 * reach, the sums may say more than was held; so the result is compared, place by
 * place, with what it must hold, and is none if it holds anything else.
 *
 */
#include <stdlib.h>
#include <string.h>

#include "polyir/place/place.h"

/* ----------------------------------------------------------------- the check */

/* A function of places and x, and whether the result has a place for its value. */
struct mapping {
	bool (*fn)(const struct mapping *m, const struct poly_held *from,
		struct poly_held *to);
	const struct poly_layout *from, *to;
	const int *matrix, *constant;
	int dim, inner;
};

/* "m->to", which is taken, in its normal form, if it holds what the function makes
 * of what "m->from" holds; else NULL.
 */
static struct poly_layout *checked(struct poly_layout *to, struct mapping *m)
{
	int n = 0, n_to = 0, k = 0;
	struct poly_held *list, *other;
	bool same;

	to = poly_layout_normal(to);
	m->to = to;
	list = to ? poly_layout_list(m->from, &n) : NULL;
	other = poly_layout_list(to, &n_to);
	for (int i = 0; list && i < n; i++) {
		struct poly_held h = { 0 };

		if (m->fn(m, &list[i], &h))
			list[k++] = h;
	}
	if (list)
		qsort(list, (size_t) k, sizeof(*list), poly_held_compare);
	same = list && other && k == n_to &&
		!memcmp(list, other, (size_t) k * sizeof(*list));
	free(list);
	free(other);
	return same ? to : poly_layout_free(to);
}

/* ------------------------------------------------------------------ products */

/* What the weights of "b" count in a product: whole spans of the places of "a",
 * whole periods of its swizzle.
 */
static bool units(const struct poly_layout *a, const struct poly_layout *b,
	int *unit)
{
	int period = 1, own = 1;

	for (int i = 0; i < POLY_N_AT; i++)
		unit[i] = poly_layout_span(a, i);
	for (int i = 0; i < POLY_SWIZZLE_BIT; i++) {
		uint32_t bits = a->swizzle[i] ^ 1u << i;

		while (bits && (uint32_t) period <= (bits | 1u << i))
			period *= 2;
		if (b->swizzle[i] != 1u << i)
			own = 2;
	}
	unit[POLY_AT_BYTE] = (unit[POLY_AT_BYTE] + period - 1) / period * period;
	for (int i = 0; i < POLY_N_AT; i++)
		if (unit[i] < 1)
			return false;
	return own == 1 || (unit[POLY_AT_BYTE] == 1 && period == 1);
}

struct poly_layout *poly_layout_product(const struct poly_layout *a,
	const struct poly_layout *b)
{
	int unit[POLY_N_AT], n = a && b ? a->n_dim + b->n_dim : 0;
	struct poly_layout *l;

	if (!a || !b || n > POLY_LAYOUT_DIM || !units(a, b, unit))
		return NULL;
	l = poly_layout_copy(a);
	if (!l)
		return NULL;
	l->n_dim = n;
	for (int k = 0; k < b->n_dim; k++) {
		l->extent[a->n_dim + k] = b->extent[k];
		l->origin[a->n_dim + k] = b->origin[k];
	}
	for (int i = 0; i < POLY_N_AT; i++)
		l->base[i] += b->base[i] * unit[i];
	for (int i = 0; i < b->n_digit; i++) {
		struct poly_digit d = b->digit[i];
		int step[POLY_LAYOUT_DIM] = { 0 };

		memcpy(step + a->n_dim, d.step,
			(size_t) b->n_dim * sizeof(*step));
		poly_layout_add(l, d.place, d.radix, d.weight *
			unit[poly_place_coordinate(d.place)], step);
	}
	for (int i = 0; i < POLY_SWIZZLE_BIT; i++)
		if (b->swizzle[i] != 1u << i)
			l->swizzle[i] = b->swizzle[i];
	return poly_layout_normal(l);
}

/* ---------------------------------------------------------------- dimensions */

struct poly_layout *poly_layout_restrict(const struct poly_layout *l, int dim,
	int first, int count)
{
	struct poly_layout *new = poly_layout_copy(l);

	if (!new)
		return NULL;
	new->origin[dim] -= first;
	new->extent[dim] = first + count < l->extent[dim] ? count :
		l->extent[dim] - first;
	return poly_layout_normal(new);
}

/* Take entry "dim" out of "v", or put one in. */
static void take_out(int *v, int dim)
{
	memmove(v + dim, v + dim + 1, (size_t) (POLY_LAYOUT_DIM - dim - 1) *
		sizeof(*v));
	v[POLY_LAYOUT_DIM - 1] = 0;
}

/* Put in "value" as entry "dim"; the last entry is lost. */
static void put_in(int *v, int dim, int value)
{
	memmove(v + dim + 1, v + dim, (size_t) (POLY_LAYOUT_DIM - dim - 1) *
		sizeof(*v));
	v[dim] = value;
}

struct poly_layout *poly_layout_drop(const struct poly_layout *l, int dim)
{
	struct poly_layout *new = poly_layout_copy(l);

	if (!new)
		return NULL;
	new->n_dim--;
	take_out(new->extent, dim);
	take_out(new->origin, dim);
	for (int i = 0; i < new->n_digit; i++)
		take_out(new->digit[i].step, dim);
	return poly_layout_normal(new);
}

struct poly_layout *poly_layout_insert(const struct poly_layout *l, int dim)
{
	struct poly_layout *new = !l || l->n_dim == POLY_LAYOUT_DIM ? NULL :
		poly_layout_copy(l);

	if (!new)
		return NULL;
	new->n_dim++;
	put_in(new->extent, dim, 1);
	put_in(new->origin, dim, 0);
	for (int i = 0; i < new->n_digit; i++)
		put_in(new->digit[i].step, dim, 0);
	return poly_layout_normal(new);
}

/* --------------------------------------------------------------- coordinates */

/* "out" is "matrix" times "in", and the constants, if there are some. */
static void multiply(const struct mapping *m, int n_out, const int *in,
	bool constants, int *out)
{
	int n_in = m->from->n_dim;

	for (int i = 0; i < n_out; i++) {
		out[i] = constants ? m->constant[i] : 0;
		for (int k = 0; k < n_in; k++)
			out[i] += m->matrix[i * n_in + k] * in[k];
	}
}

/* Coordinates x become "matrix" x + "constant"; places stay. False outside of
 * the box of the result.
 */
static bool affine(const struct mapping *m, const struct poly_held *from,
	struct poly_held *to)
{
	memcpy(to->at, from->at, sizeof(to->at));
	multiply(m, m->to->n_dim, from->x, true, to->x);
	return poly_layout_point(m->to, to->x) >= 0;
}

struct poly_layout *poly_layout_apply(const struct poly_layout *l,
	int n_dim, const int *extent, const int *matrix, const int *constant)
{
	struct mapping m = { .fn = affine, .from = l, .matrix = matrix,
		.constant = constant };
	struct poly_layout *new = l ? poly_layout_alloc(n_dim, extent) : NULL;

	if (!new)
		return NULL;
	multiply(&m, n_dim, l->origin, true, new->origin);
	memcpy(new->base, l->base, sizeof(new->base));
	memcpy(new->swizzle, l->swizzle, sizeof(new->swizzle));
	for (int i = 0; i < l->n_digit; i++) {
		int step[POLY_LAYOUT_DIM] = { 0 };

		multiply(&m, n_dim, l->digit[i].step, false, step);
		poly_layout_add(new, l->digit[i].place, l->digit[i].radix,
			l->digit[i].weight, step);
	}
	return checked(new, &m);
}

bool poly_layout_refine(struct poly_layout *l, int digit, int inner)
{
	struct poly_digit *d = &l->digit[digit], outer = *d;
	int step[POLY_LAYOUT_DIM] = { 0 };

	if (inner < 1 || d->radix % inner)
		return false;
	for (int k = 0; k < l->n_dim; k++)
		step[k] = outer.step[k] * inner;
	d->radix = inner;
	poly_layout_add(l, outer.place, outer.radix / inner,
		outer.weight * inner, step);
	return l->n_digit <= POLY_LAYOUT_DIGIT;
}

static int floor_of(int a, int b)
{
	return a / b - (a % b < 0);
}

/* Dimension "dim" becomes two: its quotient by "inner", rounded down, and the
 * remainder behind it.
 */
static bool divided(const struct mapping *m, const struct poly_held *from,
	struct poly_held *to)
{
	int outer = floor_of(from->x[m->dim], m->inner);

	*to = *from;
	put_in(to->x, m->dim, outer);
	to->x[m->dim + 1] -= outer * m->inner;
	return true;
}

struct poly_layout *poly_layout_divide(const struct poly_layout *l, int dim,
	int inner)
{
	struct mapping m = { .fn = divided, .from = l, .dim = dim,
		.inner = inner };
	struct poly_layout *new = !l || l->n_dim == POLY_LAYOUT_DIM ? NULL :
		poly_layout_copy(l);

	if (!new)
		return NULL;
	for (int i = 0; i < new->n_digit; i++) {
		int step = abs(new->digit[i].step[dim]);

		if (step && step < inner && inner % step == 0 &&
		    new->digit[i].radix > inner / step)
			poly_layout_refine(new, i, inner / step);
		if (new->n_digit > POLY_LAYOUT_DIGIT)
			return poly_layout_free(new);
	}
	new->n_dim++;
	put_in(new->extent, dim, (l->extent[dim] + inner - 1) / inner);
	new->extent[dim + 1] = inner;
	put_in(new->origin, dim, floor_of(l->origin[dim], inner));
	new->origin[dim + 1] -= new->origin[dim] * inner;
	for (int i = 0; i < new->n_digit; i++) {
		int *step = new->digit[i].step;
		bool whole = step[dim] % inner == 0;

		put_in(step, dim, whole ? step[dim] / inner : 0);
		if (whole)
			step[dim + 1] = 0;
	}
	return checked(new, &m);
}

/* ------------------------------------------------------------------- inverse */

/* The number of the point becomes a place, and the place the point. */
static bool inverted(const struct mapping *m, const struct poly_held *from,
	struct poly_held *to)
{
	to->at[POLY_AT_BYTE] = (int) poly_layout_point(m->from, from->x);
	memcpy(to->x, from->at, sizeof(from->at));
	return true;
}

/* The number of a point whose coordinates are "x", or of a step, in the box. */
static int linear(const struct poly_layout *l, const int *x)
{
	int point = 0;

	for (int k = 0; k < l->n_dim; k++)
		point = point * l->extent[k] + x[k];
	return point;
}

struct poly_layout *poly_layout_inverse(const struct poly_layout *l)
{
	struct mapping m = { .fn = inverted, .from = l };
	int extent[POLY_N_AT], base;
	struct poly_layout *new;

	if (!l || poly_layout_volume(l) > POLY_LAYOUT_PLACES)
		return NULL;
	for (int i = 0; i < POLY_N_AT; i++)
		extent[i] = poly_layout_span(l, i);
	new = poly_layout_alloc(POLY_N_AT, extent);
	if (!new)
		return NULL;
	memcpy(new->origin, l->base, sizeof(l->base));
	base = linear(l, l->origin);
	for (int i = 0; i < l->n_digit; i++) {
		const struct poly_digit *d = &l->digit[i];
		int weight = linear(l, d->step), sign = weight < 0 ? -1 : 1;
		int at = poly_place_coordinate(d->place);
		int step = d->weight * poly_place_unit(d->place);

		if (weight < 0) {
			base += weight * (d->radix - 1);
			new->origin[at] += step * (d->radix - 1);
		}
		poly_layout_add_along(new, POLY_PLACE_BYTE, d->radix,
			weight * sign, at, step * sign);
	}
	new->base[POLY_AT_BYTE] = base;
	return checked(new, &m);
}
