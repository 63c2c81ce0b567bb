/* What sets came to that are alike but for their names is known, under the names of
 * each; sets that differ in anything else are asked about anew. The filter of a kernel
 * has no more pieces than its statements' instances.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "frontend/frontend.h"
#include "polyir/base/base.h"
#include "polyir/polyir.h"

static isl_set *set_of(isl_ctx *ctx, const char *text)
{
	isl_set *set = isl_set_read_from_str(ctx, text);

	assert_non_null(set);
	return set;
}

/* Is the answer about "a" and "b" known? If not, it is from now on. */
static bool is_known(struct poly_answers *all, isl_ctx *ctx, const char *a,
	const char *b)
{
	isl_set *one = set_of(ctx, a), *other = set_of(ctx, b);
	struct poly_answer *of = poly_answer_of(all, one, other);
	bool known = of->known;

	of->known = true;
	isl_set_free(one);
	isl_set_free(other);
	return known;
}

static void test_answers(void **state)
{
	static const char *const set = "[N] -> { S[i, j] : 0 <= i < N and j = 2i }";
	isl_ctx *ctx = poly_ctx_alloc();
	struct poly_answers all = { .next = 0 };

	(void)state;
	assert_false(is_known(&all, ctx, set, set));
	assert_true(is_known(&all, ctx, set, set));
	assert_true(is_known(&all, ctx,
		"[N] -> { T[i, j] : 0 <= i < N and j = 2i }", set));
	assert_false(is_known(&all, ctx,
		"[N] -> { T[i, j] : 0 <= i < N and j = 3i }", set));
	assert_false(is_known(&all, ctx, set,
		"[N] -> { S[i, j] : 0 <= i < N and j = 3i }"));
	assert_false(is_known(&all, ctx,
		"[M] -> { S[i, j] : 0 <= i < M and j = 2i }", set));
	assert_false(is_known(&all, ctx,
		"[N] -> { S[i, j, k] : 0 <= i < N and j = 2i }", set));
	assert_false(is_known(&all, ctx, "[N] -> { S[i, j] : j = 2i and "
		"(0 <= i < N or i > 2N) }", set));
	assert_true(is_known(&all, ctx, "[N] -> { U[i, j] : j = 2i and "
		"(0 <= i < N or i > 2N) }", set));
	poly_answers_free(&all);
	assert_true(poly_ctx_free(ctx));
}

static void test_names(void **state)
{
	isl_ctx *ctx = poly_ctx_alloc();
	isl_set *other = set_of(ctx, "{ T[x, y] : x = 7 }");
	isl_set *set = poly_named_like(set_of(ctx, "{ S[i, j] : i = 3 }"), other);
	isl_set *right = set_of(ctx, "{ T[x, y] : x = 3 }");

	(void)state;
	assert_int_equal(isl_set_is_equal(set, right), isl_bool_true);
	assert_string_equal(isl_set_get_dim_name(set, isl_dim_set, 1), "y");
	isl_set_free(set);
	isl_set_free(other);
	isl_set_free(right);
	assert_true(poly_ctx_free(ctx));
}

/* The classes of "domain", on which the functions "at" are; each has what is left of
 * its first set behind i = 0.
 */
static void check_classes(isl_ctx *ctx, const char *domain, const char *at,
	int n)
{
	isl_union_set *all = isl_union_set_read_from_str(ctx, domain);
	struct poly_alikes *c = poly_alikes_find(all,
		isl_multi_union_pw_aff_read_from_str(ctx, at));
	isl_union_set *first, *right, *behind = isl_union_set_read_from_str(ctx,
		"{ A[i] : i > 0; B[i] : i > 0; C[i] : i > 0; D[i] : i > 0 }");

	assert_non_null(c);
	first = poly_alikes_first(c, isl_union_set_copy(all));
	assert_int_equal(isl_union_set_n_set(first), n);
	right = isl_union_set_intersect(all, isl_union_set_copy(behind));
	first = poly_alikes_spread(c, isl_union_set_intersect(first, behind));
	assert_int_equal(isl_union_set_is_equal(first, right), isl_bool_true);
	isl_union_set_free(first);
	isl_union_set_free(right);
	poly_alikes_free(c);
}

static void test_classes(void **state)
{
	isl_ctx *ctx = poly_ctx_alloc();

	(void)state;
	check_classes(ctx, "{ A[i] : 0 <= i < 9; B[i] : 0 <= i < 9; "
		"C[i] : 0 <= i < 9; D[i] : 0 <= i < 8 }",
		"[{ A[i] -> [(i)]; B[i] -> [(i)]; C[i] -> [(i + 1)]; "
		"D[i] -> [(i)] }]", 3);
	check_classes(ctx, "[N] -> { A[i] : 0 <= i < N; B[i] : 0 <= i < N }",
		"[{ A[i] -> [(i)]; B[i] -> [(i)] }]", 1);
	check_classes(ctx, "[N] -> { A[i] : 0 <= i < N; B[i] : 0 <= i < N }",
		"[N] -> [{ A[i] -> [(i)]; B[i] -> [(N - i)] }]", 2);
	assert_true(poly_ctx_free(ctx));
}

/* ----------------------------------------------------------------- filters */

/* What is done at the faces of a cube has six pieces. */
static const char faces[] =
	"void f(float b[2][40][40][40]) {\n"
	"	float s;\n"
	"	for (int t = 0; t < 10; t++)\n"
	"	for (int z = 1; z < 39; z++)\n"
	"	for (int y = 1; y < 39; y++)\n"
	"	for (int x = 1; x < 39; x++) {\n"
	"		s = b[t % 2][z - 1][y][x] + b[t % 2][z][y - 1][x];\n"
	"		if (x == 1 || x == 38 || y == 1 || y == 38 || z == 1 || z == 38)\n"
	"			b[(t + 1) % 2][z][y][x] = s + 1;\n"
	"		else\n"
	"			b[(t + 1) % 2][z][y][x] = s * 2;\n"
	"	}\n"
	"}\n";

/* The most pieces of a set. */
static isl_stat most_pieces(isl_set *set, void *user)
{
	int *most = user;

	if (isl_set_n_basic_set(set) > *most)
		*most = isl_set_n_basic_set(set);
	isl_set_free(set);
	return isl_stat_ok;
}

static isl_bool look_at(isl_schedule_node *node, void *user)
{
	isl_union_set *filter;

	if (isl_schedule_node_get_type(node) != isl_schedule_node_filter)
		return isl_bool_true;
	filter = isl_schedule_node_filter_get_filter(node);
	isl_union_set_foreach_set(filter, most_pieces, user);
	isl_union_set_free(filter);
	return isl_bool_true;
}

static void test_pieces(void **state)
{
	const struct fe_how src = { 0 };
	struct poly_options o = poly_options_default;
	struct poly_report report = { 0 };
	isl_ctx *ctx = poly_ctx_alloc();
	struct fe_unit *unit = fe_read_as(fe_notation_of("test.c"), "test.c",
		faces, strlen(faces), &src, NULL, 0, &report);
	struct poly_prog *prog = fe_lower(unit, ctx, &report);
	int has = 0, most = 0;

	(void)state;
	assert_non_null(prog);
	for (int i = 0; poly_pass_name(POLY_MAP_TILED, i); i++)
		assert_int_equal(poly_run(&prog, &o, poly_pass_name(
			POLY_MAP_TILED, i)), isl_stat_ok);
	for (int i = 0; i < prog->n_stmt; i++)
		most_pieces(isl_set_copy(prog->stmt[i]->domain), &has);
	isl_schedule_foreach_schedule_node_top_down(prog->schedule, look_at,
		&most);
	assert_int_equal(has, 6);
	assert_in_range(most, 1, has);
	poly_prog_free(prog);
	fe_unit_free(unit);
	poly_report_free(&report);
	assert_true(poly_ctx_free(ctx));
}

int main(void)
{
	const struct CMUnitTest test[] = {
		cmocka_unit_test(test_answers),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_classes),
		cmocka_unit_test(test_pieces),
	};

	return cmocka_run_group_tests_name("polyir alike", test, NULL, NULL);
}
