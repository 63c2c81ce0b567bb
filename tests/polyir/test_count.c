/* Check that points are counted: as isl does one by one, in closed form where
 * there are too many for that, and as "no more than" where neither is possible.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <isl/set.h>
#include <isl/val.h>

#include "polyir/layout/layout.h"

#include "example.h"

static double count(isl_ctx *ctx, const char *text, bool *exact)
{
	*exact = true;
	return poly_count_points(isl_set_read_from_str(ctx, text), exact);
}

static void assert_as_isl(isl_ctx *ctx, const char *text)
{
	isl_set *set = isl_set_read_from_str(ctx, text);
	isl_val *n = isl_set_count_val(set);
	bool exact;
	double counted = count(ctx, text, &exact);

	assert_non_null(set);
	if (!exact || counted != isl_val_get_d(n))
		fail_msg("%s: %g, not %g", text, counted, isl_val_get_d(n));
	isl_val_free(n);
	isl_set_free(set);
}

static void test_small(void **state)
{
	static const char *const sets[] = {
		"{ S[] }", "{ S[i] : 0 <= i < 0 }", "{ S[i] : 3 <= i < 17 }",
		"{ S[i, j] : 0 <= i <= j < 30 }",
		"{ S[i, j] : 0 <= i and i <= j <= 30 }",
		"{ S[i, j, k] : 0 <= i < 20 and i < j < 20 and 0 <= k < i }",
		"{ S[i, j, k] : 0 <= k < 9 and k < j <= 11 and j - k < i < 12 }",
		"{ S[i, j] : 0 <= 3i + 5j <= 60 and 0 <= j <= i }",
		"{ S[i] : 0 <= i < 50 and i mod 7 = 3 }",
		"{ S[i, j] : 0 <= i < 50 and 0 <= j < i and (i + j) mod 3 = 0 }",
		"{ S[i, j] : 0 <= i < 40 and 2j <= i < 2j + 5 }",
		"{ S[i, j] : 0 <= i < 40 and j = floor(i / 3) }",
		"{ S[i] : exists a, b : i = 4a + 6b and 0 <= i < 40 and 0 <= a < 9 "
			"and 0 <= b < 3 }",
		"{ S[i, j] : 0 <= i < 9 and 0 <= j < 9 or 5 <= i < 12 and "
			"5 <= j < 12 }",
		"{ S[i, j] : -20 <= i < -3 and i <= 4j <= -i }",
		"{ S[i, j, k, l] : 0 <= i < 6 and 0 <= j <= i and 0 <= k < 7 and "
			"0 <= l <= k }",
		"{ S[i, j] : i = 2j + 1 and 0 <= i < 33 }"
	};
	isl_ctx *ctx = isl_ctx_alloc();

	(void)state;
	for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++)
		assert_as_isl(ctx, sets[i]);
	isl_ctx_free(ctx);
}

static void test_large(void **state)
{
	isl_ctx *ctx = isl_ctx_alloc();
	double n = 4096;
	bool exact;

	(void)state;
	assert_true(count(ctx, "{ S[i, j, k] : 0 <= i, j, k < 4096 }", &exact)
		== n * n * n && exact);
	assert_true(count(ctx, "{ S[i, j, k] : 0 <= i < j < 4096 and "
		"0 <= k < 4096 }", &exact) == n * (n - 1) / 2 * n && exact);
	assert_true(count(ctx, "{ S[i, j, k] : 0 <= i < j < k < 4096 }",
		&exact) == n * (n - 1) / 2 * (n - 2) / 3 && exact);
	assert_true(count(ctx, "{ S[i, j] : 0 <= i < 4096 and 0 <= j < 4096 "
		"and (i + j) mod 2 = 0 }", &exact) == n * n / 2 && exact);
	isl_ctx_free(ctx);
}

/* Bounds that three dimensions decide together, of too many values. */
static void test_too_many(void **state)
{
	isl_ctx *ctx = isl_ctx_alloc();
	double n = 4096, most;
	bool exact;

	(void)state;
	most = count(ctx, "{ S[i, j, k, l] : 0 <= i, j, k < 4096 and "
		"0 <= l < i + j + k }", &exact);
	assert_false(exact);
	assert_true(most >= n * n * n * (n - 1) * 1.5);
	assert_true(most <= n * n * n * n * 3);
	isl_ctx_free(ctx);
}

/* The tiles of a kernel of "rows" times "columns"; NULL: isl has failed. */
static int64_t tiles(const char *rows, const char *columns)
{
	struct poly_report report = { 0 };
	isl_ctx *ctx = poly_ctx_alloc();
	struct poly_prog *prog = poly_prog_alloc(ctx, "tiles", &report);
	struct poly_kernel k = { .tiled = true, .grid = {
		rows ? isl_pw_aff_read_from_str(ctx, rows) : NULL,
		columns ? isl_pw_aff_read_from_str(ctx, columns) : NULL } };
	int64_t n;

	assert_non_null(poly_prog_add_param(prog, "M"));
	n = poly_kernel_count(prog, &k);
	isl_pw_aff_free(k.grid[0]);
	isl_pw_aff_free(k.grid[1]);
	poly_prog_free(prog);
	poly_report_free(&report);
	assert_true(poly_ctx_free(ctx));
	return n;
}

/* What is not known, or too much for 32 bits, has no count. */
static void test_tiles(void **state)
{
	(void)state;
	assert_int_equal(tiles("{ [(3)] }", "{ [(5)] }"), 15);
	assert_int_equal(tiles("{ [(1)] }", "{ [(1)] }"), 1);
	assert_int_equal(tiles("[M] -> { [(M)] }", "{ [(5)] }"), 0);
	assert_int_equal(tiles("{ [(65536)] }", "{ [(65536)] }"), 0);
	assert_int_equal(tiles(NULL, NULL), 0);
	assert_int_equal(tiles("{ [(3)] }", NULL), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_small),
		cmocka_unit_test(test_large),
		cmocka_unit_test(test_too_many),
		cmocka_unit_test(test_tiles),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
