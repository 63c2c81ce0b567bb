/* Shortened functions are the same on the box, at every point of it: against isl's own
 * values of the function as it was. Functions that are the same come out as such, and
 * others do not.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include <isl/aff.h>
#include <isl/ctx.h>
#include <isl/point.h>
#include <isl/set.h>
#include <isl/space.h>
#include <isl/val.h>

#include "polyir/sets/sets.h"

static uint32_t seed = 7;

/* A number from "least" to "most". */
static int any(int least, int most)
{
	seed = seed * 1664525u + 1013904223u;
	return least + (int)(seed >> 8) % (most - least + 1);
}

/* Write a random function of i, j, k and N, with divisions "deep" in one another. */
static void write_function(FILE *f, int deep)
{
	static const char *const name[] = { "i", "j", "k", "N" };

	fprintf(f, "%d", any(-9, 9));
	for (int n = any(1, 3); n > 0; n--) {
		fprintf(f, " + %d*", any(-12, 12));
		if (deep > 0 && any(0, 2)) {
			fputs("floor((", f);
			write_function(f, deep - 1);
			fprintf(f, ")/%d)", any(2, 12));
		} else {
			fputs(name[any(0, 3)], f);
		}
	}
}

struct compared {
	isl_aff *before, *after;
	int points;
};

static isl_stat compare(__isl_take isl_point *point, void *user)
{
	struct compared *c = user;
	isl_val *a = isl_aff_eval(isl_aff_copy(c->before), isl_point_copy(point));
	isl_val *b = isl_aff_eval(isl_aff_copy(c->after), point);

	assert_int_equal(isl_val_eq(a, b), isl_bool_true);
	isl_val_free(a);
	isl_val_free(b);
	c->points++;
	return isl_stat_ok;
}

/* Compare a random function with its shorter form on "box". */
static void check_one(isl_ctx *ctx, isl_set *box, const struct poly_bounds *bounds)
{
	char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);
	struct compared c = { 0 };

	assert_non_null(f);
	fputs("[N] -> { [i, j, k] -> [", f);
	write_function(f, 3);
	fputs("] }", f);
	assert_int_equal(fclose(f), 0);
	c.before = isl_aff_read_from_str(ctx, text);
	assert_non_null(c.before);
	c.after = poly_bounds_shorten(isl_aff_copy(c.before), bounds);
	assert_non_null(c.after);
	assert_int_equal(isl_set_foreach_point(box, compare, &c), isl_stat_ok);
	assert_true(c.points > 0);
	isl_aff_free(c.before);
	isl_aff_free(c.after);
	free(text);
}

static void test_values(void **state)
{
	isl_ctx *ctx = isl_ctx_alloc();

	(void)state;
	for (int b = 0; b < 40; b++) {
		char text[256];
		int lo[4], hi[4];
		struct poly_bounds *bounds;
		isl_set *box;

		for (int d = 0; d < 4; d++) {
			lo[d] = any(-5, 5);
			hi[d] = lo[d] + any(0, d < 3 ? 6 : 1);
		}
		snprintf(text, sizeof(text), "[N] -> { [i, j, k] : %d <= i <= %d "
			"and %d <= j <= %d and %d <= k <= %d and %d <= N <= %d }",
			lo[0], hi[0], lo[1], hi[1], lo[2], hi[2], lo[3], hi[3]);
		box = isl_set_read_from_str(ctx, text);
		bounds = poly_bounds_of(box);
		assert_non_null(bounds);
		for (int i = 0; i < 25; i++)
			check_one(ctx, box, bounds);
		poly_bounds_free(bounds);
		isl_set_free(box);
	}
	isl_ctx_free(ctx);
}

/* Is the first function the second on the set, as written, and at all? */
static const struct {
	const char *domain, *a, *b;
	bool alike, same;
} pairs[] = {
	{ "{ A[c, r, s] : 0 <= r < 3 and 0 <= s < 3 }",
	  "{ A[c, r, s] -> [floor((9c + 3r + s)/9)] }", "{ A[c, r, s] -> [c] }",
	  true, true },
	{ "{ A[c, r, s] : 0 <= r <= 3 and 0 <= s < 3 }",
	  "{ A[c, r, s] -> [floor((9c + 3r + s)/9)] }", "{ A[c, r, s] -> [c] }",
	  false, false },
	{ "{ A[c, r, s] : -1 <= r < 3 and 0 <= s < 3 }",
	  "{ A[c, r, s] -> [floor((9c + 3r + s)/9)] }", "{ A[c, r, s] -> [c] }",
	  false, false },
	{ "{ A[n, p, q] : 0 <= p < 56 and 0 <= q < 56 }",
	  "{ A[n, p, q] -> [floor((6272n + 120p + q + 64*floor((-8p + q)/64) - "
		"64*floor((3136n + 56p + q)/64))/3136)] }",
	  "{ A[n, p, q] -> [n] }", true, true },
	{ "[M] -> { A[i, j] : M = 4 and 0 <= i < M and 0 <= j < M }",
	  "[M] -> { A[i, j] -> [M*0 + 4*floor((i + M)/4)] }",
	  "{ A[i, j] -> [4] }", true, true },
	{ "[M] -> { A[i, j] : 0 <= i < M and 0 <= j < M }",
	  "[M] -> { A[i, j] -> [floor((i + M)/4)] }", "{ A[i, j] -> [1] }",
	  false, false },
	{ "{ A[i, j] : 0 <= i <= 8 and i = 2j }",
	  "{ A[i, j] -> [floor((i + 1)/2)] }", "{ A[i, j] -> [j] }",
	  false, true },
	{ "{ A[i] : i >= 0 }",
	  "{ A[i] -> [((floor((i)/4)) : i < 8; (floor((i + 4)/4) - 1) : i >= 8)] }",
	  "{ A[i] -> [floor((i)/4)] }", true, true },
	{ "{ A[i] : i >= 0 }",
	  "{ A[i] -> [((i) : i < 8; (i + 1) : i >= 8)] }", "{ A[i] -> [i] }",
	  false, false },
};

static void test_pairs(void **state)
{
	isl_ctx *ctx = isl_ctx_alloc();

	(void)state;
	for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++) {
		isl_set *domain = isl_set_read_from_str(ctx, pairs[i].domain);
		isl_multi_pw_aff *a = isl_multi_pw_aff_read_from_str(ctx, pairs[i].a);
		isl_multi_pw_aff *b = isl_multi_pw_aff_read_from_str(ctx, pairs[i].b);
		isl_bool alike = poly_is_written_alike(isl_multi_pw_aff_copy(a),
			isl_multi_pw_aff_copy(b), domain);
		isl_bool same = poly_is_same_on(a, b, domain);

		if (alike != isl_bool_ok(pairs[i].alike) ||
		    same != isl_bool_ok(pairs[i].same))
			fail_msg("%s and %s on %s: alike %d, same %d", pairs[i].a,
				pairs[i].b, pairs[i].domain, alike, same);
		isl_set_free(domain);
	}
	isl_ctx_free(ctx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_pairs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
