/* Layouts for tests, and the checks of each. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <isl/map.h>
#include <isl/point.h>
#include <isl/set.h>
#include <isl/val.h>

#include "polyir/base/base.h"
#include "places.h"

void places_begin(struct places *p)
{
	*p = (struct places){ isl_ctx_alloc(), 20251125, 0 };
}

void places_end(struct places *p)
{
	isl_ctx_free(p->ctx);
}

int place_below(struct places *p, int n)
{
	p->random = p->random * 1664525u + 1013904223u;
	return (int) ((p->random >> 8) % (unsigned) n);
}

/* --------------------------------------------------------------- comparison */

static int compare(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct poly_held));
}

/* What "l" holds as its digits are written, the box and the swizzle: nothing of
 * polyir is asked. Returns how many places there are.
 */
static int as_written(const struct poly_layout *l, struct poly_held *list)
{
	int n = 0, total = 1;

	for (int i = 0; i < l->n_digit; i++)
		total *= l->digit[i].radix;
	for (int i = 0; i < total; i++) {
		struct poly_held h = { 0 };
		int rest = i, byte = 0;
		bool inside = true;

		memcpy(h.at, l->base, sizeof(h.at));
		memcpy(h.x, l->origin, sizeof(h.x));
		for (int k = 0; k < l->n_digit; k++) {
			const struct poly_digit *d = &l->digit[k];
			int v = rest % d->radix;
			int at = d->place == POLY_PLACE_CLUSTER ? 0 :
				d->place == POLY_PLACE_REG ? 2 :
				d->place == POLY_PLACE_BYTE ? 3 : 1;

			rest /= d->radix;
			h.at[at] += v * d->weight *
				(d->place == POLY_PLACE_WARP ? 32 : 1);
			for (int x = 0; x < l->n_dim; x++)
				h.x[x] += v * d->step[x];
		}
		for (int x = 0; x < l->n_dim; x++)
			inside &= h.x[x] >= 0 && h.x[x] < l->extent[x];
		for (int bit = 0; bit < POLY_SWIZZLE_BIT; bit++)
			for (int k = 0; k < POLY_SWIZZLE_BIT; k++)
				if (l->swizzle[bit] >> k & h.at[3] >> k & 1)
					byte ^= 1 << bit;
		h.at[3] = byte | h.at[3] >> POLY_SWIZZLE_BIT << POLY_SWIZZLE_BIT;
		if (inside)
			list[n++] = h;
	}
	return n;
}

/* Sort the "n" entries and drop repetitions; -1 if a place has two x. */
static int sorted(struct poly_held *list, int n)
{
	int k = 0;

	qsort(list, (size_t) n, sizeof(*list), compare);
	for (int i = 0; i < n; i++) {
		if (k && !compare(&list[k - 1], &list[i]))
			continue;
		if (k && !memcmp(list[k - 1].at, list[i].at,
		    sizeof(list[i].at)))
			return -1;
		list[k++] = list[i];
	}
	return k;
}

/* Points of isl's relation under way. */
struct points {
	struct poly_held *list;
	int n, most, n_digit, n_dim;
};

static int coordinate(isl_point *point, int i)
{
	isl_val *v = isl_point_get_coordinate_val(point, isl_dim_set, i);
	int value = (int) isl_val_get_num_si(v);

	isl_val_free(v);
	return value;
}

static isl_stat add_point(isl_point *point, void *user)
{
	struct points *s = user;
	struct poly_held h = { 0 };

	for (int i = 0; i < POLY_N_AT; i++)
		h.at[i] = coordinate(point, s->n_digit + i);
	for (int i = 0; i < s->n_dim; i++)
		h.x[i] = coordinate(point, s->n_digit + POLY_N_AT + i);
	isl_point_free(point);
	assert_true(s->n < s->most);
	s->list[s->n++] = h;
	return isl_stat_ok;
}

/* The points of isl's relation are the "n" sorted entries of "list". */
static void compare_with_isl(struct places *p, const struct poly_layout *l,
	const struct poly_held *list, int n)
{
	isl_map *map = poly_layout_relation(p->ctx, l);
	isl_set *set = isl_set_flatten(isl_map_wrap(map));
	struct points s = { .n_digit = l->n_digit, .n_dim = l->n_dim,
		.most = 1 };

	for (int i = 0; i < l->n_digit; i++)
		s.most *= l->digit[i].radix;
	s.list = calloc((size_t) s.most, sizeof(*list));
	assert_int_equal(isl_set_foreach_point(set, add_point, &s),
		isl_stat_ok);
	s.n = sorted(s.list, s.n);
	if (s.n != n || memcmp(s.list, list, (size_t) n * sizeof(*list)))
		fail_msg("isl: %s", place_text(l));
	free(s.list);
	isl_set_free(set);
}

const char *place_text(const struct poly_layout *l)
{
	static struct poly_str text[8];
	static int next;
	struct poly_str *s = &text[next++ % 8];

	poly_str_free(s);
	if (l)
		poly_layout_print(l, s);
	return l ? s->s : "none";
}

/* Each place of "list" is found to hold what it says, and places beside these to
 * hold what the list says of them.
 */
static void seek_all(const struct poly_layout *l, const struct poly_held *list,
	int n)
{
	for (int i = 0; i < n; i++) {
		struct poly_held h = { 0 };

		memcpy(h.at, list[i].at, sizeof(h.at));
		if (!poly_layout_at(l, h.at, h.x) || compare(&h, &list[i]))
			fail_msg("%s: at %d", place_text(l), i);
	}
	for (int i = 0; i < n && i < 8 * POLY_N_AT; i++) {
		struct poly_held h = { 0 };
		bool held = false;

		memcpy(h.at, list[i].at, sizeof(h.at));
		h.at[i % POLY_N_AT] += i / POLY_N_AT - 3;
		for (int k = 0; k < n; k++)
			held |= !memcmp(list[k].at, h.at, sizeof(h.at));
		assert_int_equal(poly_layout_at(l, h.at, h.x), held);
	}
}

/* Compare the normal "l" with the "n" sorted entries of "list", in all ways. */
static void check(struct places *p, const struct poly_layout *l,
	struct poly_held *list, int n)
{
	int own;
	struct poly_held *held = poly_layout_list(l, &own);
	struct poly_layout *again;
	const char *wrong;

	assert_non_null(held);
	qsort(held, (size_t) own, sizeof(*held), compare);
	if (own != n || memcmp(held, list, (size_t) n * sizeof(*list)))
		fail_msg("list: %s", place_text(l));
	free(held);
	seek_all(l, list, n);
	compare_with_isl(p, l, list, n);
	again = poly_layout_normal(poly_layout_copy(l));
	place_is(again, place_text(l));
	poly_layout_free(again);
	again = poly_layout_parse(place_text(l), &wrong);
	place_is(again, place_text(l));
	poly_layout_free(again);
	p->n_made++;
}

struct poly_layout *place_made(struct places *p, struct poly_layout *raw)
{
	int total = 1, n;
	struct poly_held *list;
	struct poly_layout *l;

	for (int i = 0; i < raw->n_digit; i++)
		total *= raw->digit[i].radix;
	list = malloc((size_t) total * sizeof(*list));
	n = sorted(list, as_written(raw, list));
	l = poly_layout_normal(raw);
	assert_int_equal(l != NULL, n >= 0);
	if (l)
		check(p, l, list, n);
	free(list);
	return l;
}

struct poly_layout *place_read(struct places *p, const char *text)
{
	const char *wrong;
	struct poly_layout *l = poly_layout_parse(text, &wrong);

	if (!l)
		fail_msg("%s: wrong at %s", text, wrong);
	return place_made(p, l);
}

void place_is(const struct poly_layout *l, const char *text)
{
	assert_string_equal(place_text(l), text);
}

/* ----------------------------------------------------------- random layouts */

static int any_step(struct places *p)
{
	static const int step[] = { 0, 1, 1, 2, 3, 4, 6, 8, -1, -3 };

	return step[place_below(p, 10)];
}

struct poly_layout *place_random(struct places *p)
{
	static const int radix[] = { 1, 2, 2, 3, 4, 4, 5, 6, 8 };
	static const int weight[] = { 1, 1, 2, 3, 4, 6, 8, 12, 16, 32 };
	int n_dim = 1 + place_below(p, 2), n = place_below(p, 5);
	int extent[2] = { 1 + place_below(p, 20), 1 + place_below(p, 20) };
	struct poly_layout *l = poly_layout_alloc(n_dim, extent);

	for (int i = 0; i < n; i++) {
		int step[2] = { any_step(p), place_below(p, 2) ? any_step(p) :
			0 };

		poly_layout_add(l, (enum poly_place) place_below(p,
			POLY_N_PLACE), radix[place_below(p, 9)],
			weight[place_below(p, 10)], step);
	}
	for (int i = 0; i < n_dim; i++)
		l->origin[i] = place_below(p, 4) ? 0 : place_below(p, 9) - 4;
	for (int i = 0; i < POLY_N_AT; i++)
		l->base[i] = place_below(p, 4) ? 0 : place_below(p, 40);
	for (int i = place_below(p, 6) - 3; i > 0; i--)
		poly_layout_add_swizzle(l, place_below(p, 4),
			4 + place_below(p, 3));
	return l;
}

/* Digits in another order, some divided, threads in place of warps and lanes. */
struct poly_layout *place_respelled(struct places *p,
	const struct poly_layout *l)
{
	struct poly_layout *new = poly_layout_copy(l);

	for (int i = 0; i < new->n_digit && new->n_digit < 12; i++) {
		struct poly_digit *d = &new->digit[i], more = *d;
		int part = 2 + place_below(p, 2);

		if (poly_place_coordinate(d->place) == POLY_AT_THREAD &&
		    place_below(p, 2)) {
			d->weight *= poly_place_unit(d->place);
			d->place = POLY_PLACE_THREAD;
			more = *d;
		}
		if (d->radix % part)
			continue;
		more.radix /= part;
		more.weight *= part;
		for (int k = 0; k < POLY_LAYOUT_DIM; k++)
			more.step[k] *= part;
		d->radix = part;
		new->digit[new->n_digit++] = more;
	}
	for (int i = new->n_digit - 1; i > 0; i--) {
		int k = place_below(p, i + 1);
		struct poly_digit d = new->digit[i];

		new->digit[i] = new->digit[k];
		new->digit[k] = d;
	}
	return new;
}

struct poly_layout *place_tiny(struct places *p)
{
	int extent = 4 + place_below(p, 3), n = 1 + place_below(p, 3);
	struct poly_layout *l = poly_layout_alloc(1, &extent);

	for (int i = 0; i < n; i++)
		poly_layout_add_along(l, place_below(p, 2) ? POLY_PLACE_LANE :
			POLY_PLACE_REG, 1 + place_below(p, 4),
			1 + place_below(p, 3), 0, place_below(p, 4));
	return l;
}

/* Digits of each coordinate follow upon one another, with a hole now and then; so
 * do steps, in another order.
 */
struct poly_layout *place_tile(struct places *p)
{
	static const int radix[] = { 2, 2, 3, 4, 4, 5, 6, 8 };
	static const int most[POLY_N_AT] = { 4, 128, 16, 1 };
	static const enum poly_place place[] = { POLY_PLACE_CLUSTER,
		POLY_PLACE_THREAD, POLY_PLACE_REG };
	int n = 1 + place_below(p, 5), at[POLY_N_AT] = { 1, 1, 1, 1 };
	int extent[2] = { 1, 1 };
	struct poly_layout *l = poly_layout_alloc(2, extent);

	for (int i = 0; i < n; i++) {
		int where = place_below(p, 6) ? 1 + place_below(p, 2) : 0;
		int r = radix[place_below(p, 8)], dim = place_below(p, 2);
		bool still = !place_below(p, 6);

		if (at[where] * r > most[where] || extent[dim] * r > 64)
			continue;
		poly_layout_add_along(l, place[where], r, at[where], dim,
			still ? 0 : extent[dim]);
		at[where] *= r;
		if (!place_below(p, 5) && at[where] * 2 < most[where])
			at[where] = at[where] * 2;
		if (!still)
			extent[dim] *= r;
	}
	for (int i = 0; i < 2; i++)
		l->extent[i] = place_below(p, 2) ? extent[i] :
			1 + place_below(p, extent[i]);
	return l;
}
