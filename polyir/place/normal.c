/* The normal form of a layout: one record for all ways to write it.
 *
 *	lane 8*4 [8], lane 4 [2], lane 2 [1], reg 1 [5]	before
 *	lane 32 [1]					after, in a box of 32
 *
 * 1. Digits lose the values at which nothing is held: those whose x is outside
 *    the box, whatever the other digits are. Two digits, of which one goes on
 *    where the other ends, become one.
 * 2. The digits of one coordinate of places, threads or registers or bytes, are
 *    found anew from the places that they reach together: the least distance of
 *    two places is the weight of the innermost digit, the longest run of equal
 *    distances and steps its radix, the rest is a smaller problem. A swizzle is
 *    kept where that fails for the bytes themselves.
 * 3. Threads are warps and lanes wherever no digit crosses the border of a warp.
 *
 * What cannot be found so stays as it was written, sorted: digits that reach one
 * place twice, and places that the box leaves over of a digit in no order. The list
 * of places before and after tells.
 */
#include <stdlib.h>
#include <string.h>

#include "polyir/place/normal.h"

/* A value of one coordinate, and how far it moves x. */
struct value {
	int at, x[POLY_LAYOUT_DIM];
	bool used;
};

/* ----------------------------------------------------------------- soundness */

/* Are the rows of the swizzle independent? */
bool poly_swizzle_has_inverse(const uint32_t *swizzle)
{
	uint32_t row[POLY_SWIZZLE_BIT];

	memcpy(row, swizzle, sizeof(row));
	for (int bit = 0; bit < POLY_SWIZZLE_BIT; bit++) {
		int pivot = bit;
		uint32_t other;

		while (pivot < POLY_SWIZZLE_BIT && !(row[pivot] >> bit & 1))
			pivot++;
		if (pivot == POLY_SWIZZLE_BIT)
			return false;
		other = row[pivot];
		row[pivot] = row[bit];
		row[bit] = other;
		for (int i = 0; i < POLY_SWIZZLE_BIT; i++)
			if (i != bit && row[i] >> bit & 1)
				row[i] ^= other;
	}
	return true;
}

/* Does the swizzle change any address? */
bool poly_layout_is_swizzled(const struct poly_layout *l)
{
	for (int i = 0; i < POLY_SWIZZLE_BIT; i++)
		if (l->swizzle[i] != 1u << i)
			return true;
	return false;
}

static void set_identity(uint32_t *swizzle)
{
	for (int i = 0; i < POLY_SWIZZLE_BIT; i++)
		swizzle[i] = 1u << i;
}

/* Are all numbers such that no sum of them leaves 30 bits? */
static bool is_small(const struct poly_layout *l)
{
	int64_t most = 1 << 30, at[POLY_N_AT], far[POLY_LAYOUT_DIM];

	for (int i = 0; i < POLY_N_AT; i++)
		at[i] = l->base[i];
	for (int k = 0; k < l->n_dim; k++)
		far[k] = llabs(l->origin[k]);
	for (int i = 0; i < l->n_digit; i++) {
		const struct poly_digit *d = &l->digit[i];
		int64_t n = d->radix - 1;

		if (d->radix < 1 || d->radix > most || d->weight < 1 ||
		    n * d->weight > most)
			return false;
		at[poly_place_coordinate(d->place)] += n * d->weight *
			poly_place_unit(d->place);
		for (int k = 0; k < l->n_dim; k++) {
			far[k] += n * llabs(d->step[k]);
			if (far[k] > most)
				return false;
		}
	}
	for (int i = 0; i < POLY_N_AT; i++)
		if (l->base[i] < 0 || at[i] > most)
			return false;
	for (int k = 0; k < l->n_dim; k++)
		if (l->extent[k] < 0 || l->extent[k] > most || far[k] > most)
			return false;
	return true;
}

/* ---------------------------------------------------------------------- join */

static void drop_digit(struct poly_layout *l, int i)
{
	l->n_digit--;
	memmove(&l->digit[i], &l->digit[i + 1],
		(size_t) (l->n_digit - i) * sizeof(*l->digit));
}

/* Does digit "outer" go on where "inner" ends? */
static bool goes_on(const struct poly_digit *inner,
	const struct poly_digit *outer)
{
	if (inner->place != outer->place ||
	    (int64_t) inner->weight * inner->radix != outer->weight)
		return false;
	for (int k = 0; k < POLY_LAYOUT_DIM; k++)
		if ((int64_t) inner->step[k] * inner->radix != outer->step[k])
			return false;
	return true;
}

/* Make one digit of two wherever one goes on where the other ends. */
static void join(struct poly_layout *l)
{
	for (int i = 0; i < l->n_digit; i++)
		for (int k = 0; k < l->n_digit; k++) {
			if (i == k || !goes_on(&l->digit[i], &l->digit[k]))
				continue;
			l->digit[i].radix *= l->digit[k].radix;
			drop_digit(l, k);
			i = -1;
			break;
		}
}

/* ----------------------------------------------------------- values to digits */

static int compare(const void *a, const void *b)
{
	const struct value *x = a, *y = b;

	return (x->at > y->at) - (x->at < y->at);
}

/* Is "b" at "at", and "times" as far from "a" as "step" says? */
static bool is_step(const struct value *a, const struct value *b,
	const int *step, int times)
{
	for (int k = 0; k < POLY_LAYOUT_DIM; k++)
		if (b->x[k] - a->x[k] != times * step[k])
			return false;
	return true;
}

/* Which of the entries "from" to "n" is at "at", an unused one; or NULL. */
static struct value *find(struct value *v, int from, int n, int at)
{
	struct value key = { .at = at };
	struct value *found = bsearch(&key, v + from, (size_t) (n - from),
		sizeof(*v), compare);

	return found && !found->used ? found : NULL;
}

/* The innermost digit of the "n" sorted values, of which those stay that it has at
 * 0; returns their number, 0 if the digit does not divide them.
 */
static int take_digit(struct value *v, int n, struct poly_digit *d)
{
	struct value *next;
	int left = 0;

	*d = (struct poly_digit){ .radix = 2, .weight = v[1].at - v[0].at };
	for (int k = 0; k < POLY_LAYOUT_DIM; k++)
		d->step[k] = v[1].x[k] - v[0].x[k];
	while ((next = find(v, 1, n, v[0].at + d->radix * d->weight)) &&
	       is_step(&v[0], next, d->step, d->radix))
		d->radix++;
	for (int i = 0; i < n; i++) {
		for (int k = 1; !v[i].used && k < d->radix; k++) {
			next = find(v, i + 1, n, v[i].at + k * d->weight);
			if (!next || !is_step(&v[i], next, d->step, k))
				return 0;
			next->used = true;
		}
		if (!v[i].used)
			v[left++] = v[i];
	}
	return left;
}

/* ---------------------------------------------------------------------- trim */

/* Is every x in the box, as far as the least and the greatest of each dimension
 * tell?
 */
static bool is_inside(const struct poly_layout *l)
{
	for (int k = 0; k < l->n_dim; k++) {
		int low = l->origin[k], high = low;

		for (int i = 0; i < l->n_digit; i++) {
			int far = (l->digit[i].radix - 1) *
				l->digit[i].step[k];

			if (far > 0)
				high += far;
			else
				low += far;
		}
		if (low < 0 || high >= l->extent[k])
			return false;
	}
	return true;
}

/* Note at which values of each digit something is held: those of digit i begin at
 * "used[first[i]]".
 */
static void find_used(const struct poly_layout *l, const int *first, bool *used)
{
	int value[POLY_LAYOUT_DIGIT] = { 0 };
	struct poly_held h;

	do {
		poly_layout_held(l, value, &h);
		for (int i = 0; poly_layout_point(l, h.x) >= 0 &&
		     i < l->n_digit; i++)
			used[first[i] + value[i]] = true;
	} while (poly_layout_next(l, value));
}

/* Put digits for the "n" values "v" of a digit of "place" behind the others of "l";
 * false if there are none.
 */
static bool add_digits(struct poly_layout *l, enum poly_place place,
	struct value *v, int n)
{
	struct poly_digit d;

	while (n > 1) {
		n = l->n_digit == POLY_LAYOUT_DIGIT ? 0 : take_digit(v, n, &d);
		if (!n)
			return false;
		d.place = place;
		l->digit[l->n_digit++] = d;
	}
	return true;
}

/* Let digit "d" of "l", which has left it, have the values only that are "used". */
static bool narrow(struct poly_layout *l, const struct poly_digit *d,
	const bool *used)
{
	struct value *v = calloc((size_t) d->radix, sizeof(*v));
	struct poly_layout new = *l;
	int n = 0, coordinate = poly_place_coordinate(d->place);
	bool ok = v != NULL;

	for (int i = 0; v && i < d->radix; i++) {
		if (!used[i])
			continue;
		v[n].at = i * d->weight;
		for (int k = 0; k < l->n_dim; k++)
			v[n].x[k] = i * d->step[k];
		n++;
	}
	if (ok) {
		new.base[coordinate] += v[0].at;
		for (int k = 0; k < l->n_dim; k++)
			new.origin[k] += v[0].x[k];
		ok = add_digits(&new, d->place, v, n);
	}
	if (ok)
		*l = new;
	free(v);
	return ok;
}

/* The values from the first to the last that is "used" of "n". */
static void fill_holes(bool *used, int n)
{
	int first = 0, last = n - 1;

	while (first < n && !used[first])
		first++;
	while (last > first && !used[last])
		last--;
	for (int i = first; i < last; i++)
		used[i] = true;
}

static bool uses_all(const bool *used, int n)
{
	for (int i = 0; i < n; i++)
		if (!used[i])
			return false;
	return true;
}

/* Take away from the digits the values at which nothing is held, or, where the
 * others are not those of digits, the first and the last of them; true if there
 * were some. Something is held.
 */
static bool trim(struct poly_layout *l)
{
	int first[POLY_LAYOUT_DIGIT], total = 0;
	bool inside = is_inside(l), changed = false, *used;

	for (int i = 0; i < l->n_digit; i++) {
		first[i] = total;
		total += l->digit[i].radix;
	}
	used = inside ? NULL : calloc((size_t) total + 1, sizeof(*used));
	if (used)
		find_used(l, first, used);
	for (int i = l->n_digit - 1; i >= 0; i--) {
		struct poly_digit d = l->digit[i];
		bool own = used && !uses_all(used + first[i], d.radix);

		if (!own && d.radix > 1)
			continue;
		drop_digit(l, i);
		if (own && !narrow(l, &d, used + first[i])) {
			fill_holes(used + first[i], d.radix);
			own = !uses_all(used + first[i], d.radix);
			if (!narrow(l, &d, used + first[i]))
				l->digit[l->n_digit++] = d;
		}
		changed |= own;
	}
	free(used);
	return changed;
}

/* --------------------------------------------------------------------- merge */

/* The values of coordinate "at" of places, sorted, those of bytes before or behind
 * the swizzle; NULL if one stands for two x.
 */
static struct value *values_of(const struct poly_layout *l, int at,
	bool swizzled, int *n)
{
	struct poly_layout part = { .n_dim = l->n_dim };
	int value[POLY_LAYOUT_DIGIT] = { 0 }, most = 1, k = 0;
	struct poly_held h;
	struct value *v;

	memcpy(part.base, l->base, sizeof(part.base));
	for (int i = 0; i < l->n_digit; i++)
		if (poly_place_coordinate(l->digit[i].place) == at) {
			part.digit[part.n_digit++] = l->digit[i];
			most *= l->digit[i].radix;
		}
	v = calloc((size_t) most, sizeof(*v));
	*n = 0;
	if (!v)
		return NULL;
	do {
		poly_layout_held(&part, value, &h);
		v[*n].at = swizzled ? poly_layout_swizzled(l, h.at[at]) :
			h.at[at];
		memcpy(v[(*n)++].x, h.x, sizeof(h.x));
	} while (poly_layout_next(&part, value));
	qsort(v, (size_t) *n, sizeof(*v), compare);
	for (int i = 0; i < *n; i++) {
		if (k && v[k - 1].at == v[i].at) {
			if (memcmp(v[k - 1].x, v[i].x, sizeof(v[i].x))) {
				free(v);
				return NULL;
			}
			continue;
		}
		v[k++] = v[i];
	}
	*n = k;
	return v;
}

/* A sorted list of all places that hold something. */
struct held_list {
	const struct poly_held *list;
	int n;
};

static int compare_ints(const void *a, const void *b)
{
	int x = *(const int *) a, y = *(const int *) b;

	return (x > y) - (x < y);
}

/* Of the "n" values "v" of coordinate "at", those stay at which something is held;
 * returns their number, 0 without memory.
 */
static int keep_used(const struct poly_layout *l, int at, bool swizzled,
	const struct held_list *held, struct value *v, int n)
{
	int *used = malloc((size_t) held->n * sizeof(*used)), k = 0;

	for (int i = 0; used && i < held->n; i++)
		used[i] = held->list[i].at[at];
	if (used && at)
		qsort(used, (size_t) held->n, sizeof(*used), compare_ints);
	for (int i = 0; used && i < n; i++) {
		int key = v[i].at;

		if (at == POLY_AT_BYTE && !swizzled)
			key = poly_layout_swizzled(l, key);
		if (bsearch(&key, used, (size_t) held->n, sizeof(*used),
		    compare_ints))
			v[k++] = v[i];
	}
	free(used);
	return k;
}

/* Some place for a digit of a coordinate, whose unit is 1. */
enum poly_place poly_place_of_coordinate(int at)
{
	return at == POLY_AT_CLUSTER ? POLY_PLACE_CLUSTER :
		at == POLY_AT_THREAD ? POLY_PLACE_THREAD :
		at == POLY_AT_REG ? POLY_PLACE_REG : POLY_PLACE_BYTE;
}

/* Find the digits of coordinate "at" anew, from its values, or from those at which
 * something is held; false, and they stay, if that fails.
 */
static bool merge(struct poly_layout *l, int at, bool swizzled,
	const struct held_list *held)
{
	struct poly_layout new = *l;
	int n;
	struct value *v = values_of(l, at, swizzled, &n);
	bool ok = v != NULL;

	for (int i = l->n_digit - 1; i >= 0; i--)
		if (poly_place_coordinate(l->digit[i].place) == at)
			drop_digit(&new, i);
	if (ok && held)
		n = keep_used(l, at, swizzled, held, v, n);
	ok &= n > 0;
	if (ok) {
		new.base[at] = v[0].at;
		for (int k = 0; k < l->n_dim; k++)
			new.origin[k] += v[0].x[k];
	}
	ok = ok && add_digits(&new, poly_place_of_coordinate(at), v, n);
	free(v);
	if (ok)
		*l = new;
	return ok;
}

/* The same, from the values at which something is held if that can be. */
static bool merge_any(struct poly_layout *l, int at, bool swizzled,
	const struct held_list *held)
{
	return merge(l, at, swizzled, held) || merge(l, at, swizzled, NULL);
}

/* Find the digits of all coordinates anew. Those of bytes behind a swizzle make
 * it needless; if there are none, they are found before it.
 */
static void merge_all(struct poly_layout *l, const struct held_list *held)
{
	for (int at = 0; at < POLY_AT_BYTE; at++)
		merge_any(l, at, false, held);
	if (!poly_layout_is_swizzled(l))
		merge_any(l, POLY_AT_BYTE, false, held);
	else if (merge_any(l, POLY_AT_BYTE, true, held))
		set_identity(l->swizzle);
	else
		merge_any(l, POLY_AT_BYTE, false, held);
}

/* -------------------------------------------------------------------- result */

/* Nothing is held: the one place holds what is outside of the box. */
static void make_empty(struct poly_layout *l)
{
	l->n_digit = 0;
	memset(l->base, 0, sizeof(l->base));
	set_identity(l->swizzle);
	for (int k = 0; k < l->n_dim; k++)
		l->origin[k] = -1;
	poly_layout_finish(l);
}

/* Does "l" hold what "held" says? */
static bool holds(const struct poly_layout *l, const struct held_list *held)
{
	int own;
	struct poly_held *other = poly_layout_list(l, &own);
	bool same = other && own == held->n && !memcmp(other, held->list,
		(size_t) own * sizeof(*other));

	free(other);
	return same;
}

struct poly_layout *poly_layout_normal(struct poly_layout *l)
{
	bool sound = l && l->n_digit <= POLY_LAYOUT_DIGIT && is_small(l) &&
		poly_swizzle_has_inverse(l->swizzle);
	int n = 0;
	struct poly_held *list = sound ? poly_layout_list(l, &n) : NULL;
	struct held_list held = { list, n };
	struct poly_layout plain;

	if (!list)
		return poly_layout_free(l);
	if (!n) {
		make_empty(l);
		free(list);
		return l;
	}
	poly_layout_make_linear(l);
	trim(l);
	do
		join(l);
	while (trim(l));
	plain = *l;
	do
		merge_all(l, &held);
	while (trim(l));
	poly_layout_finish(l);
	if (!holds(l, &held)) {
		*l = plain;
		poly_layout_finish(l);
	}
	free(list);
	return l;
}
