/* Check that a conversion of layouts takes what it says, against searches through all
 * places.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "places.h"
#include "table.h"

static bool is_held(const struct table *t, int cluster, int thread,
	const int *slot, const int *x)
{
	for (int i = 0; i < t->n; i++)
		if (t->held[i].at[0] == cluster && t->held[i].at[1] == thread &&
		    !memcmp(t->held[i].at + 2, slot, 2 * sizeof(*slot)) &&
		    !memcmp(t->held[i].x, x, sizeof(t->held[i].x)))
			return true;
	return false;
}

/* Does lane ^ mask have, in "slot", what each entry of "to" in slot "own" holds? */
static bool serves(const struct table *from, const struct table *to,
	const int *own, const int *slot, int mask)
{
	for (int i = 0; i < to->n; i++) {
		const struct poly_held *h = &to->held[i];

		if (!memcmp(h->at + 2, own, 2 * sizeof(*own)) &&
		    !is_held(from, h->at[0], h->at[1] ^ mask, slot, h->x))
			return false;
	}
	return true;
}

/* What entry "h" takes at least, all others of its slot considered. */
static int least(const struct table *from, const struct table *to,
	const struct poly_held *h)
{
	int best = POLY_CONVERT_LACKS;

	if (serves(from, to, h->at + 2, h->at + 2, 0))
		return POLY_CONVERT_NOTHING;
	for (int i = 0; i < from->n; i++) {
		const struct poly_held *o = &from->held[i];
		int how, mask = h->at[1] ^ o->at[1];

		if (memcmp(o->x, h->x, sizeof(h->x)))
			continue;
		how = o->at[0] != h->at[0] ? POLY_CONVERT_CLUSTER :
			mask >= 32 ? POLY_CONVERT_SHARED :
			!serves(from, to, h->at + 2, o->at + 2, mask) ?
			POLY_CONVERT_SHUFFLE :
			mask ? POLY_CONVERT_XOR : POLY_CONVERT_RENAME;
		best = how < best ? how : best;
	}
	return best;
}

/* The moves bring what "to" holds: each of its places has one that finds its x. */
static void check_moves(const struct table *from, const struct table *to,
	const struct poly_conversion *c)
{
	for (int i = 0; i < to->n; i++) {
		const struct poly_held *h = &to->held[i];
		bool found = false;

		for (int k = 0; k < c->n_move; k++) {
			const struct poly_move *m = &c->move[k];

			if (memcmp(m->to, h->at + 2, sizeof(m->to)))
				continue;
			for (int lane = 0; lane < 32; lane++)
				if (m->mask < 0 || m->mask ==
				    (lane ^ h->at[1] % 32))
					found |= is_held(from, h->at[0],
						h->at[1] / 32 * 32 + lane,
						m->from, h->x);
		}
		assert_true(found);
	}
}

static int check_conversion(const struct poly_layout *a,
	const struct poly_layout *b)
{
	struct table from = table_of(a), to = table_of(b);
	struct poly_conversion c;
	int most = 0;

	assert_true(poly_layout_convert(a, b, &c));
	for (int i = 0; i < to.n; i++) {
		int how = least(&from, &to, &to.held[i]);

		most = how > most ? how : most;
	}
	if (c.how != (enum poly_convert) most)
		fail_msg("%s -> %s: %s, not %s", place_text(a), place_text(b),
			poly_convert_name(c.how),
			poly_convert_name((enum poly_convert) most));
	if (c.how < POLY_CONVERT_SHARED)
		check_moves(&from, &to, &c);
	free(c.move);
	free(from.held);
	free(to.held);
	return most;
}

/* Exchange the steps of two digits, or let one go the other way. */
static struct poly_layout *shuffled(struct places *p,
	const struct poly_layout *l)
{
	struct poly_layout *new = poly_layout_copy(l);
	int i = place_below(p, l->n_digit), k = place_below(p, l->n_digit);
	struct poly_digit d = new->digit[i];

	if (new->digit[i].radix == new->digit[k].radix) {
		memcpy(new->digit[i].step, new->digit[k].step, sizeof(d.step));
		memcpy(new->digit[k].step, d.step, sizeof(d.step));
	}
	for (int j = 0; !place_below(p, 2) && j < new->n_dim; j++) {
		new->origin[j] += (new->digit[k].radix - 1) *
			new->digit[k].step[j];
		new->digit[k].step[j] *= -1;
	}
	return new;
}

static void test_convert(void **state)
{
	int count[POLY_CONVERT_LACKS + 1] = { 0 };
	struct places p;

	(void)state;
	places_begin(&p);
	for (int i = 0; i < 1500; i++) {
		struct poly_layout *a = place_made(&p, place_tile(&p)), *b, *c;

		if (a->n_digit && poly_layout_volume(a) <= 128 &&
		    poly_layout_replication(a) <= 4) {
			b = shuffled(&p, a);
			for (int k = 0; k < b->n_digit; k += 2)
				poly_layout_refine(b, k, 2);
			c = shuffled(&p, b);
			poly_layout_free(b);
			b = place_made(&p, c);
			count[check_conversion(a, b)]++;
			poly_layout_free(b);
		}
		poly_layout_free(a);
	}
	for (int i = 0; i < POLY_CONVERT_LACKS; i++)
		if (count[i] < 10)
			fail_msg("%s: %d", poly_convert_name(
				(enum poly_convert) i), count[i]);
	places_end(&p);
}

static void test_convert_text(void **state)
{
	static const struct {
		const char *from, *to;
		enum poly_convert how;
		int n_shuffle;
		bool packs;
	} row[] = {
		{ "box [8] lane 4 [2] reg 2 [1]", "box [8] lane 4 [2] reg 2 [1]",
			POLY_CONVERT_NOTHING, 0, false },
		{ "box [8] lane 4 [2] reg 2 [1]",
			"box [8] from [1] lane 4 [2] reg 2 [-1]",
			POLY_CONVERT_RENAME, 0, false },
		{ "box [8] lane 4 [2] reg 2 [1]",
			"box [8] from [6] lane 4 [-2] reg 2 [1]",
			POLY_CONVERT_XOR, 2, false },
		{ "box [32] lane 32 [1]", "box [32] lane 16*2 [1] lane 2 [16]",
			POLY_CONVERT_SHUFFLE, 1, false },
		{ "box [8] lane 4 [2] reg 2 [1]", "box [8] lane 4 [1] reg 2 [4]",
			POLY_CONVERT_SHUFFLE, 4, false },
		{ "box [64] warp 2 [32] lane 32 [1]",
			"box [64] warp 2 [1] lane 32 [2]", POLY_CONVERT_SHARED,
			0, false },
		{ "box [8] lane 4 [2] reg 2 [1]", "box [8] lane 4 [2] byte 2*2 [1]",
			POLY_CONVERT_RENAME, 0, true },
		{ "box [8] lane 4 [2] reg 2 [1]", "box [8] lane 8 [1]",
			POLY_CONVERT_SHUFFLE, 2, false },
		{ "box [8] lane 7 [1]", "box [8] lane 8 [1]",
			POLY_CONVERT_LACKS, 0, false },
		{ "box [8] lane 8*4 [1] lane 4 [0]", "box [8] lane 8*4 [1]",
			POLY_CONVERT_NOTHING, 0, false },
	};
	struct poly_conversion c;
	struct places p;

	(void)state;
	places_begin(&p);
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		struct poly_layout *a = place_read(&p, row[i].from);
		struct poly_layout *b = place_read(&p, row[i].to);

		check_conversion(a, b);
		assert_true(poly_layout_convert(a, b, &c));
		assert_int_equal(c.how, row[i].how);
		assert_int_equal(c.n_shuffle, row[i].n_shuffle);
		assert_int_equal(c.packs, row[i].packs);
		free(c.move);
		poly_layout_free(a);
		poly_layout_free(b);
	}
	places_end(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_convert),
		cmocka_unit_test(test_convert_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
