/* Reductions over layouts for tests, executed place by place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "polyir/base/base.h"
#include "places.h"

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
