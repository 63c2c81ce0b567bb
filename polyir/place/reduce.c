/* How a tile is reduced along one of its dimensions.
 *
 *	warp 2 [256], lane 32 [4], reg 2*4 [128], reg 4 [1]	a row of 512
 *
 * Each thread puts its registers together, five XORs of lanes the warp, and the two
 * warps meet in shared memory. Then all of them hold the sum: the digits of the
 * dimension have the step 0. Digits are divided at the border of a warp, and digits
 * of lanes are filled up to a power of two: the lanes between, which hold nothing,
 * have the identity.
 */
#include <stdlib.h>
#include <string.h>

#include "polyir/place/place.h"

static const char *const combine_name[] = {
	[POLY_COMBINE_REGISTERS] = "registers", [POLY_COMBINE_XOR] = "xor",
	[POLY_COMBINE_LANES] = "lanes", [POLY_COMBINE_SHARED] = "shared",
	[POLY_COMBINE_CLUSTER] = "cluster"
};

const char *poly_combine_name(enum poly_combine how)
{
	return combine_name[how];
}

static int raw_weight(const struct poly_digit *d)
{
	return d->weight * poly_place_unit(d->place);
}

static bool is_power(int n)
{
	return n > 0 && !(n & (n - 1));
}

static int to_power(int n)
{
	int power = 1;

	while (power < n)
		power *= 2;
	return power;
}

static void add_step(struct poly_reduction *r, enum poly_combine how,
	int radix, int weight, int step)
{
	r->step[r->n_step++] = (struct poly_reduce_step){ how, radix, weight,
		step };
}

/* How many values digit "number" of threads may have before it meets others: those
 * below stay below its weight, those above are multiples of what is returned times
 * that. 0: it meets them anyway.
 */
static int room(const struct poly_layout *l, int number)
{
	int weight = raw_weight(&l->digit[number]), below, most = 1 << 20;

	below = l->base[POLY_AT_THREAD] % weight;
	for (int i = 0; i < l->n_digit; i++) {
		const struct poly_digit *o = &l->digit[i];
		int other = raw_weight(o);

		if (i == number ||
		    poly_place_coordinate(o->place) != POLY_AT_THREAD)
			continue;
		if (other < weight)
			below += (o->radix - 1) * other;
		else if (other % weight || other == weight)
			return 0;
		else
			while (other / weight % most)
				most /= 2;
	}
	while (l->base[POLY_AT_THREAD] / weight % most)
		most /= 2;
	return below < weight ? most : 0;
}

/* Take digit "number" of threads apart into XORs of lanes and a step over warps;
 * the radix of "d", the same digit of the result, becomes that of all places that
 * hold it.
 */
static void reduce_threads(const struct poly_layout *l, int number, int step,
	struct poly_digit *d, struct poly_reduction *r)
{
	int weight = raw_weight(d), fit = POLY_LANES / weight;
	int most = room(l, number), lanes, warps;

	if (weight >= POLY_LANES && weight % POLY_LANES == 0) {
		add_step(r, POLY_COMBINE_SHARED, d->radix, weight, step);
		return;
	}
	lanes = d->radix < fit ? to_power(d->radix) : fit;
	warps = fit ? (d->radix + fit - 1) / fit : 0;
	if (!is_power(weight) || lanes > most ||
	    (warps > 1 && (fit * to_power(warps) > most))) {
		add_step(r, d->place == POLY_PLACE_LANE ? POLY_COMBINE_LANES :
			POLY_COMBINE_SHARED, d->radix, weight, step);
		return;
	}
	for (int k = 1; k < lanes; k *= 2)
		add_step(r, POLY_COMBINE_XOR, 2, weight * k, step * k);
	if (warps > 1)
		add_step(r, POLY_COMBINE_SHARED, warps, POLY_LANES,
			step * lanes);
	d->radix = lanes * (warps > 1 ? warps : 1);
}

/* Add the steps that put together the values of digit "number", which is "d" in
 * the result: of blocks of a cluster, of threads, or of the registers of one,
 * of which one is left.
 */
static void reduce_digit(const struct poly_layout *l, int number, int step,
	struct poly_digit *d, struct poly_reduction *r)
{
	switch (poly_place_coordinate(d->place)) {
	case POLY_AT_CLUSTER:
		add_step(r, POLY_COMBINE_CLUSTER, d->radix, d->weight, step);
		break;
	case POLY_AT_THREAD:
		reduce_threads(l, number, step, d, r);
		break;
	default:
		add_step(r, POLY_COMBINE_REGISTERS, d->radix, d->weight, step);
		d->radix = 1;
	}
}

static int compare_steps(const void *a, const void *b)
{
	const struct poly_reduce_step *x = a, *y = b;
	int step_x = abs(x->step), step_y = abs(y->step);

	return (step_x > step_y) - (step_x < step_y);
}

static int compare_places(const void *a, const void *b)
{
	const struct poly_reduce_step *x = a, *y = b;

	return x->how != y->how ? (int) x->how - (int) y->how :
		compare_steps(a, b);
}

/* Do the digits along "dim", the lesser steps first, each go further than those
 * before together, along no other dimension, and over no bytes?
 */
static bool is_simple(const struct poly_layout *l, int dim)
{
	int64_t reach = 0;

	for (int last = 0;;) {
		int64_t far = 0;
		int least = INT32_MAX, n = 0;

		for (int i = 0; i < l->n_digit; i++) {
			const struct poly_digit *d = &l->digit[i];
			int step = abs(d->step[dim]);

			for (int k = 0; step && k < l->n_dim; k++)
				if (k != dim && d->step[k])
					return false;
			if (step && d->place == POLY_PLACE_BYTE)
				return false;
			if (step <= last || step > least)
				continue;
			n = step == least ? n + 1 : 1;
			least = step;
			far = (int64_t) (d->radix - 1) * step;
		}
		if (!n)
			return true;
		if (n > 1 || least <= reach)
			return false;
		reach += far;
		last = least;
	}
}

/* Number the registers anew, without holes, where each digit goes further than
 * those of lesser weights together.
 */
static void close_registers(struct poly_layout *l)
{
	int new[POLY_LAYOUT_DIGIT], reach = 0, next = 1;

	for (int i = l->n_digit - 1; i >= 0; i--) {
		const struct poly_digit *d = &l->digit[i];

		new[i] = d->weight;
		if (d->place != POLY_PLACE_REG)
			continue;
		if (d->weight <= reach)
			return;
		reach += (d->radix - 1) * d->weight;
		new[i] = next;
		next *= d->radix;
	}
	for (int i = 0; i < l->n_digit; i++)
		l->digit[i].weight = new[i];
	l->base[POLY_AT_REG] = 0;
}

/* "l", which is taken, without dimension "dim". */
static struct poly_layout *without(struct poly_layout *l, int dim)
{
	struct poly_layout *result = poly_layout_drop(l, dim);

	poly_layout_free(l);
	if (result)
		close_registers(result);
	return poly_layout_normal(result);
}

bool poly_layout_reduce(const struct poly_layout *l, int dim, bool commutes,
	struct poly_reduction *r)
{
	struct poly_layout *result;

	*r = (struct poly_reduction){ 0 };
	if (!l || !is_simple(l, dim))
		return false;
	result = poly_layout_copy(l);
	for (int i = 0; result && i < result->n_digit; i++)
		if (l->digit[i].step[dim])
			reduce_digit(l, i, l->digit[i].step[dim],
				&result->digit[i], r);
	qsort(r->step, (size_t) r->n_step, sizeof(*r->step),
		commutes ? compare_places : compare_steps);
	r->result = without(result, dim);
	return r->result != NULL;
}
