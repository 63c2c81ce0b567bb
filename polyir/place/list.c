/* The places of a layout that hold something, one by one. */
#include <stdlib.h>
#include <string.h>

#include "polyir/place/place.h"

int poly_layout_swizzled(const struct poly_layout *l, int address)
{
	unsigned low = (1u << POLY_SWIZZLE_BIT) - 1;
	unsigned byte = (unsigned) address & ~low;

	for (int i = 0; i < POLY_SWIZZLE_BIT; i++)
		byte |= (unsigned) __builtin_parity(l->swizzle[i] &
			(unsigned) address & low) << i;
	return (int) byte;
}

int64_t poly_layout_byte(const struct poly_layout *l, const int *x)
{
	int64_t byte = l->base[POLY_AT_BYTE];

	for (int i = 0; i < l->n_digit; i++) {
		const struct poly_digit *g = &l->digit[i];

		for (int d = 0; d < l->n_dim; d++)
			if (g->step[d])
				byte += x[d] / g->step[d] % g->radix *
					(int64_t)g->weight;
	}
	return poly_layout_swizzled(l, (int)byte);
}

int64_t poly_layout_volume(const struct poly_layout *l)
{
	int64_t n = 1;

	for (int i = 0; i < l->n_dim; i++)
		if (n <= INT32_MAX)
			n *= l->extent[i] > 0 ? l->extent[i] : 0;
	return n;
}

int64_t poly_layout_point(const struct poly_layout *l, const int *x)
{
	int64_t point = 0;

	for (int i = 0; i < l->n_dim; i++) {
		if (x[i] < 0 || x[i] >= l->extent[i])
			return -1;
		point = point * l->extent[i] + x[i];
	}
	return point;
}

/* How many values all digits have together; 0 if there are too many. */
static int64_t n_values(const struct poly_layout *l)
{
	int64_t n = 1;

	for (int i = 0; i < l->n_digit; i++) {
		n *= l->digit[i].radix;
		if (n > POLY_LAYOUT_PLACES)
			return 0;
	}
	return n;
}

void poly_layout_held(const struct poly_layout *l, const int *value,
	struct poly_held *h)
{
	memset(h, 0, sizeof(*h));
	memcpy(h->at, l->base, sizeof(h->at));
	memcpy(h->x, l->origin, sizeof(h->x));
	for (int i = 0; i < l->n_digit; i++) {
		const struct poly_digit *d = &l->digit[i];

		h->at[poly_place_coordinate(d->place)] += value[i] * d->weight *
			poly_place_unit(d->place);
		for (int k = 0; k < l->n_dim; k++)
			h->x[k] += value[i] * d->step[k];
	}
}

bool poly_layout_next(const struct poly_layout *l, int *value)
{
	for (int i = l->n_digit - 1; i >= 0; i--) {
		if (++value[i] < l->digit[i].radix)
			return true;
		value[i] = 0;
	}
	return false;
}

int poly_held_compare(const void *a, const void *b)
{
	const struct poly_held *x = a, *y = b;

	for (int i = 0; i < POLY_N_AT; i++)
		if (x->at[i] != y->at[i])
			return x->at[i] < y->at[i] ? -1 : 1;
	return 0;
}

/* Sort the "n" entries and drop what stands there twice; returns how many are left,
 * -1 if one place has two x.
 */
static int ordered(struct poly_held *list, int n)
{
	bool is = true;
	int k = 0;

	for (int i = 1; is && i < n; i++)
		is = poly_held_compare(&list[i - 1], &list[i]) < 0;
	if (is)
		return n;
	qsort(list, (size_t) n, sizeof(*list), poly_held_compare);
	for (int i = 0; i < n; i++) {
		bool again = k && !poly_held_compare(&list[k - 1], &list[i]);

		if (again && memcmp(list[k - 1].x, list[i].x,
		    sizeof(list[i].x)))
			return -1;
		if (!again)
			list[k++] = list[i];
	}
	return k;
}

struct poly_held *poly_layout_list(const struct poly_layout *l, int *n)
{
	int64_t most = l && l->n_digit <= POLY_LAYOUT_DIGIT ? n_values(l) : 0;
	struct poly_held *list = most ? malloc((size_t) most * sizeof(*list)) :
		NULL;
	int value[POLY_LAYOUT_DIGIT] = { 0 };

	*n = 0;
	if (!list)
		return NULL;
	do {
		struct poly_held *h = &list[*n];

		poly_layout_held(l, value, h);
		h->at[POLY_AT_BYTE] = poly_layout_swizzled(l,
			h->at[POLY_AT_BYTE]);
		*n += poly_layout_point(l, h->x) >= 0;
	} while (poly_layout_next(l, value));
	*n = ordered(list, *n);
	if (*n < 0) {
		free(list);
		return NULL;
	}
	return list;
}

int *poly_layout_owners(const struct poly_layout *l,
	const struct poly_held *list, int n)
{
	int64_t volume = poly_layout_volume(l);
	int *owner = volume > POLY_LAYOUT_PLACES ? NULL :
		malloc((size_t) (volume + 1) * sizeof(*owner));

	for (int64_t i = 0; owner && i < volume; i++)
		owner[i] = -1;
	for (int i = n - 1; owner && i >= 0; i--)
		owner[poly_layout_point(l, list[i].x)] = i;
	return owner;
}
