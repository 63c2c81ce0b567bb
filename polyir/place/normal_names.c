/* poly: the names that digits of a normal layout get. */
#include <stdlib.h>
#include <string.h>

#include "polyir/place/normal.h"

/* -------------------------------------------------------------------- naming */

/* How many of the values of a digit of threads stay within a warp, if the rest
 * are whole warps; else all.
 */
static int values_in_warp(const struct poly_digit *d)
{
	int fit = d->weight < POLY_LANES && POLY_LANES % d->weight == 0 ?
		POLY_LANES / d->weight : 0;

	return fit && d->radix % fit == 0 ? fit : d->radix;
}

/* Call the digits of threads warps and lanes, where no sum of lanes leaves a warp.
 */
static void name_threads(struct poly_layout *l)
{
	int n = l->n_digit, most = l->base[POLY_AT_THREAD] % POLY_LANES;

	for (int i = 0; i < n; i++)
		if (l->digit[i].place == POLY_PLACE_THREAD &&
		    l->digit[i].weight % POLY_LANES)
			most += (values_in_warp(&l->digit[i]) - 1) *
				l->digit[i].weight;
	for (int i = 0; i < n; i++) {
		struct poly_digit *d = &l->digit[i], *warp;
		int in_warp = values_in_warp(d);

		if (d->place != POLY_PLACE_THREAD)
			continue;
		if (d->weight % POLY_LANES == 0) {
			d->place = POLY_PLACE_WARP;
			d->weight /= POLY_LANES;
		} else if (most < POLY_LANES) {
			d->place = POLY_PLACE_LANE;
			if (in_warp == d->radix ||
			    l->n_digit == POLY_LAYOUT_DIGIT)
				continue;
			warp = &l->digit[l->n_digit++];
			*warp = *d;
			warp->place = POLY_PLACE_WARP;
			warp->weight = 1;
			warp->radix = d->radix / in_warp;
			for (int k = 0; k < l->n_dim; k++)
				warp->step[k] *= in_warp;
			d->radix = in_warp;
		}
	}
}

/* The digits of warps and lanes as digits of threads. */
void poly_layout_make_linear(struct poly_layout *l)
{
	for (int i = 0; i < l->n_digit; i++) {
		struct poly_digit *d = &l->digit[i];
		int unit = poly_place_unit(d->place);

		d->place = poly_place_of_coordinate(poly_place_coordinate(d->place));
		d->weight *= unit;
	}
}

/* Digits of outer coordinates first, of greater weights first. */
static int compare_digits(const void *a, const void *b)
{
	const struct poly_digit *x = a, *y = b;
	int at_x = poly_place_coordinate(x->place);
	int at_y = poly_place_coordinate(y->place);
	int w_x = x->weight * poly_place_unit(x->place);
	int w_y = y->weight * poly_place_unit(y->place);

	if (at_x != at_y)
		return at_x - at_y;
	if (w_x != w_y)
		return w_x > w_y ? -1 : 1;
	if (x->radix != y->radix)
		return y->radix - x->radix;
	return memcmp(x->step, y->step, sizeof(x->step));
}

/* Columns of the swizzle for bits that are 0 in all addresses say nothing. */
static void clear_unused(struct poly_layout *l)
{
	int value[POLY_LAYOUT_DIGIT] = { 0 };
	uint32_t used = 0, clear[POLY_SWIZZLE_BIT];
	struct poly_held h;

	if (!poly_layout_is_swizzled(l))
		return;
	do {
		poly_layout_held(l, value, &h);
		used |= (uint32_t) h.at[POLY_AT_BYTE];
	} while (poly_layout_next(l, value));
	for (int bit = 0; bit < POLY_SWIZZLE_BIT; bit++) {
		memcpy(clear, l->swizzle, sizeof(clear));
		for (int i = 0; i < POLY_SWIZZLE_BIT; i++)
			clear[i] &= ~(1u << bit);
		clear[bit] |= 1u << bit;
		if (!(used >> bit & 1) && poly_swizzle_has_inverse(clear))
			memcpy(l->swizzle, clear, sizeof(clear));
	}
}

/* Name and sort the digits; what the record does not use becomes 0. */
void poly_layout_finish(struct poly_layout *l)
{
	name_threads(l);
	qsort(l->digit, (size_t) l->n_digit, sizeof(*l->digit),
		compare_digits);
	clear_unused(l);
	memset(&l->digit[l->n_digit], 0, (size_t)
		(POLY_LAYOUT_DIGIT - l->n_digit) * sizeof(*l->digit));
}
