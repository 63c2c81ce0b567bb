/* What one place holds, found without the list: in the emitters' loops. */
#include <string.h>

#include "polyir/place/place.h"

/* The address whose byte, swizzled, is "byte": the matrix has an inverse, so that
 * as many bits as there are rows decide it, one after the other.
 */
static int address_of(const struct poly_layout *l, int byte)
{
	uint32_t row[POLY_SWIZZLE_BIT], low = (1u << POLY_SWIZZLE_BIT) - 1;
	uint32_t rest = (uint32_t) byte & ~low, bits = (uint32_t) byte & low;

	memcpy(row, l->swizzle, sizeof(row));
	for (int bit = 0; bit < POLY_SWIZZLE_BIT; bit++) {
		int pivot = bit;
		uint32_t other, value;

		while (!(row[pivot] >> bit & 1))
			pivot++;
		other = row[pivot];
		value = bits >> pivot & 1;
		row[pivot] = row[bit];
		row[bit] = other;
		bits &= ~(1u << pivot);
		bits |= (bits >> bit & 1) << pivot;
		bits = (bits & ~(1u << bit)) | value << bit;
		for (int i = 0; i < POLY_SWIZZLE_BIT; i++)
			if (i != bit && row[i] >> bit & 1) {
				row[i] ^= other;
				bits ^= value << i;
			}
	}
	return (int) (rest | bits);
}

/* How far the digits behind number "i" go in its coordinate. */
static int reach_behind(const struct poly_layout *l, int i)
{
	int at = poly_place_coordinate(l->digit[i].place), reach = 0;

	while (++i < l->n_digit) {
		const struct poly_digit *d = &l->digit[i];

		if (poly_place_coordinate(d->place) == at)
			reach += (d->radix - 1) * d->weight *
				poly_place_unit(d->place);
	}
	return reach;
}

/* Add to "x" the steps of the digits from number "i" on, whose weights are "rest"
 * in each coordinate, so that it is in the box; false if there are no such digits,
 * and nothing is changed then.
 */
static bool take(const struct poly_layout *l, int i, int *rest, int *x)
{
	const struct poly_digit *d = &l->digit[i];
	int at, weight, reach, value;

	if (i == l->n_digit) {
		for (at = 0; at < POLY_N_AT; at++)
			if (rest[at])
				return false;
		return poly_layout_point(l, x) >= 0;
	}
	at = poly_place_coordinate(d->place);
	weight = d->weight * poly_place_unit(d->place);
	reach = reach_behind(l, i);
	value = rest[at] / weight < d->radix ? rest[at] / weight :
		d->radix - 1;
	for (; value >= 0 && rest[at] - value * weight <= reach; value--) {
		rest[at] -= value * weight;
		for (int k = 0; k < l->n_dim; k++)
			x[k] += value * d->step[k];
		if (take(l, i + 1, rest, x))
			return true;
		rest[at] += value * weight;
		for (int k = 0; k < l->n_dim; k++)
			x[k] -= value * d->step[k];
	}
	return false;
}

bool poly_layout_at(const struct poly_layout *l, const int *at, int *x)
{
	int rest[POLY_N_AT];

	memcpy(x, l->origin, (size_t) l->n_dim * sizeof(*x));
	for (int i = 0; i < POLY_N_AT; i++) {
		rest[i] = i == POLY_AT_BYTE ? address_of(l, at[i]) : at[i];
		rest[i] -= l->base[i];
		if (rest[i] < 0)
			return false;
	}
	return take(l, 0, rest, x);
}
