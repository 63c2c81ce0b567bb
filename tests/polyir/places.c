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

/* --------------------------------------------------------------- reductions */

const char *place_steps(const struct poly_reduction *r)
{
	static struct poly_str s;

	poly_str_free(&s);
	for (int i = 0; i < r->n_step; i++)
		poly_str_printf(&s, "%s%s %d*%d", i ? ", " : "",
			poly_combine_name(r->step[i].how), r->step[i].radix,
			r->step[i].weight);
	return s.s ? s.s : "";
}

enum { N_CLUSTER = 4, N_THREAD = 128, N_REG = 16, MOST = 64 };

/* What each place has put together: the coordinates along the dimension, in order.
 */
struct sum {
	int n, x[MOST];
};
static struct sum machine[N_CLUSTER][N_THREAD][N_REG];

/* Append "b" to "a". */
static void append(struct sum *a, const struct sum *b)
{
	assert_true(a->n + b->n <= MOST);
	memcpy(a->x + a->n, b->x, (size_t) b->n * sizeof(*b->x));
	a->n += b->n;
}

static int raw(const struct poly_digit *d)
{
	return d->weight * (d->place == POLY_PLACE_WARP ? 32 : 1);
}

/* The digit of "l" that step "s" along "dim" is, or is a part of: "*part" values of
 * it are one of the step.
 */
static const struct poly_digit *digit_of(const struct poly_layout *l, int dim,
	const struct poly_reduce_step *s, int *part)
{
	for (int i = 0; i < l->n_digit; i++) {
		const struct poly_digit *d = &l->digit[i];
		int ratio = d->step[dim] ? s->step / d->step[dim] : 0;

		*part = ratio;
		if (ratio >= 1 && s->step == ratio * d->step[dim] &&
		    s->weight == ratio * raw(d) && ratio < d->radix)
			return d;
	}
	fail_msg("no digit: %s", place_text(l));
	return NULL;
}

/* The value of digit "d" at "at", a value of its coordinate. */
static int value_at(const struct poly_layout *l, const struct poly_digit *d,
	int at)
{
	int which = poly_place_coordinate(d->place);

	at -= l->base[which];
	for (int i = 0; i < l->n_digit; i++)
		if (poly_place_coordinate(l->digit[i].place) == which &&
		    raw(&l->digit[i]) > raw(d))
			at %= raw(&l->digit[i]);
	return at < 0 ? -1 : at / raw(d);
}

/* Is there a thread "at", or one between those that there are? */
static bool is_thread(const struct poly_layout *l, int at)
{
	int rest = at - l->base[POLY_AT_THREAD];
	bool is = rest >= 0;

	for (int i = 0; is && i < l->n_digit; i++) {
		const struct poly_digit *d = &l->digit[i];
		int most = d->radix;

		if (poly_place_coordinate(d->place) != POLY_AT_THREAD)
			continue;
		while (!(raw(d) & (raw(d) - 1)) && most & (most - 1))
			most++;
		is = rest / raw(d) < most;
		rest %= raw(d);
	}
	return is && rest == 0;
}

static struct sum *place_of(const int *at)
{
	return &machine[at[0]][at[1]][at[2]];
}

/* All places of the group whose first is at "at" have its sum, or, of registers,
 * the first one.
 */
static void put_together(const struct poly_reduce_step *s, const int *at,
	int which)
{
	struct sum all = { 0 };

	for (int i = 0; i < s->radix; i++) {
		int k = s->step > 0 ? i : s->radix - 1 - i;
		int other[3] = { at[0], at[1], at[2] };

		other[which] += k * s->weight;
		append(&all, place_of(other));
	}
	for (int i = 0; i < s->radix; i++) {
		int other[3] = { at[0], at[1], at[2] };

		other[which] += i * s->weight;
		*place_of(other) = all;
		if (which == POLY_AT_REG)
			return;
	}
}

static void xor_lanes(const struct poly_reduce_step *s, int cluster, int reg)
{
	for (int t = 0; t < N_THREAD; t++) {
		struct sum *low = &machine[cluster][t][reg], *high, all;

		if (t & s->weight)
			continue;
		high = &machine[cluster][t ^ s->weight][reg];
		assert_int_equal(t / 32, (t ^ s->weight) / 32);
		all = s->step > 0 ? *low : *high;
		append(&all, s->step > 0 ? high : low);
		*low = *high = all;
	}
}

static void execute(const struct poly_layout *l, int dim,
	const struct poly_reduce_step *s)
{
	static const int coordinates[] = { POLY_AT_REG, POLY_AT_THREAD,
		POLY_AT_THREAD, POLY_AT_THREAD, POLY_AT_CLUSTER };
	int part = 1, which = coordinates[s->how];
	const struct poly_digit *d = digit_of(l, dim, s, &part);

	for (int i = 0; i < N_CLUSTER * N_THREAD * N_REG; i++) {
		int at[3] = { i / N_REG / N_THREAD, i / N_REG % N_THREAD,
			i % N_REG };
		int last = at[which] + (s->radix - 1) * s->weight;
		int most = which == 0 ? N_CLUSTER : which == 1 ? N_THREAD :
			N_REG;

		if (s->how == POLY_COMBINE_XOR) {
			if (!at[1])
				xor_lanes(s, at[0], at[2]);
			continue;
		}
		if (last >= most || !is_thread(l, at[1]) ||
		    value_at(l, d, at[which]) / part != 0 ||
		    value_at(l, d, at[which]) < 0)
			continue;
		if (s->how == POLY_COMBINE_LANES)
			assert_int_equal(last / 32, at[1] / 32);
		put_together(s, at, which);
	}
}

/* The register of "l" that register "reg" of its reduction along "dim" is: the one
 * of that number among those that no step has emptied.
 */
static int register_of(const struct poly_layout *l, int dim, int reg)
{
	for (int r = 0; r < N_REG; r++) {
		int rest = r - l->base[POLY_AT_REG];
		bool kept = rest >= 0;

		for (int i = 0; i < l->n_digit; i++) {
			const struct poly_digit *d = &l->digit[i];

			if (d->place != POLY_PLACE_REG || rest < 0)
				continue;
			kept &= rest / d->weight < d->radix &&
				(!d->step[dim] || rest / d->weight == 0);
			rest %= d->weight;
		}
		if (kept && rest == 0 && reg-- == 0)
			return r;
	}
	return -1;
}

static int compare_ints(const void *a, const void *b)
{
	return *(const int *) a - *(const int *) b;
}

/* Has the place of "h", of the result, each x of its row, of "list", once? */
static void check_row(const struct poly_layout *l, int dim, bool commutes,
	const struct poly_held *list, int n, const struct poly_held *h)
{
	int at[3] = { h->at[0], h->at[1], register_of(l, dim, h->at[2]) };
	struct sum sum = *place_of(at);
	bool in_row[MOST] = { false };
	int k = 0;

	for (int i = 0; i < n; i++)
		if (l->n_dim == 1 || list[i].x[!dim] == h->x[0])
			in_row[list[i].x[dim]] = true;
	if (commutes)
		qsort(sum.x, (size_t) sum.n, sizeof(*sum.x), compare_ints);
	for (int x = 0; x < MOST; x++)
		if (in_row[x] && (k >= sum.n || sum.x[k++] != x))
			fail_msg("%s, %d: lacks %d", place_text(l), dim, x);
	if (k != sum.n)
		fail_msg("%s, %d: too much", place_text(l), dim);
}

static void prepare(const struct poly_held *list, int n, int dim)
{
	for (int i = 0; i < N_CLUSTER * N_THREAD * N_REG; i++)
		machine[i / N_REG / N_THREAD][i / N_REG % N_THREAD]
			[i % N_REG].n = 0;
	for (int i = 0; i < n; i++) {
		place_of(list[i].at)->n = 1;
		place_of(list[i].at)->x[0] = list[i].x[dim];
	}
}

int place_reduces(struct places *p, const struct poly_layout *l, int dim,
	bool commutes)
{
	struct poly_reduction r;
	struct poly_held *list, *result;
	int n, n_result;

	if (!poly_layout_reduce(l, dim, commutes, &r))
		return 0;
	list = poly_layout_list(l, &n);
	prepare(list, n, dim);
	for (int i = 0; i < r.n_step; i++)
		execute(l, dim, &r.step[i]);
	result = poly_layout_list(r.result, &n_result);
	for (int i = 0; i < n_result; i++)
		check_row(l, dim, commutes, list, n, &result[i]);
	free(result);
	for (int i = 0; i < n; i++) {
		struct poly_held h;

		assert_true(poly_layout_owner(r.result, &list[i].x[!dim], &h));
	}
	free(list);
	r.result = place_made(p, r.result);
	poly_layout_free(r.result);
	return 1;
}
