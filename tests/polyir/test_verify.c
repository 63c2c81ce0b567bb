/* Check that poly_verify refuses programs without meaning, each for the
 * reason that is wrong with it: texts of a good program with one change.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "polyir/legal/legal.h"
#include "example.h"

/* "text" with the first "old" replaced by "new". */
static void replace(struct poly_str *out, const char *text, const char *old,
	const char *new)
{
	const char *at = strstr(text, old);

	if (!at)
		fail_msg("no \"%s\" in the text", old);
	poly_str_free(out);
	poly_str_addn(out, text, (size_t)(at - text));
	poly_str_add(out, new);
	poly_str_add(out, at + strlen(old));
}

struct change {
	const char *old, *new;
	int number;
	const char *message;
};

/* Apply each change to "text", which must be a program, and expect its
 * message.
 */
static void assert_each_refused(struct example *x, const char *text,
	const struct change *change, size_t n)
{
	struct poly_str changed = { 0 };
	struct poly_prog *prog;
	size_t i;

	prog = poly_parse(x->ctx, text, strlen(text), &x->report);
	assert_non_null(prog);
	poly_prog_free(prog);
	for (i = 0; i < n; i++) {
		replace(&changed, text, change[i].old, change[i].new);
		poly_report_free(&x->report);
		prog = poly_parse(x->ctx, changed.s, changed.len, &x->report);
		if (prog)
			fail_msg("accepted: %s", change[i].new);
		if (x->report.n_msg != 1 ||
		    x->report.msg[0].number != change[i].number ||
		    !strstr(x->report.msg[0].text, change[i].message))
			fail_msg("\"%s\" gives E%d %s", change[i].new,
				x->report.msg[0].number,
				x->report.msg[0].text);
	}
	poly_str_free(&changed);
}

/* Changes of a program in two kernels of one thread a point. */
static const struct change of_mapped[] = {
	{ "\"{ S[i, j] -> [(i), (j)] }\"", "\"{ S[i, j] -> [(i), (j)] : "
		"i > 0 }\"", 303, "band is not defined on all" },
	{ "                \"{ P_init[i, j] -> [(i), (j)] }\"\n", "", 303,
		"band is not defined on all" },
	{ "[(i), (j)] }\"\n        ", "[(i), (j)] }\"\n"
		"                options \"{ faster[0] }\"\n        ", 303,
		"unknown options" },
	{ "                filter \"{ P_init[i, j] }\"",
		"                filter \"{ P_init[i, j] : i > 0 }\"", 303,
		"leave something out" },
	{ "                filter \"{ P_init[i, j] }\"", "                "
		"filter \"{ P_init[i, j] }\" \"{ P[i, j, k] : k = 0 }\"", 303,
		"filters of a sequence overlap" },
	{ "                filter \"{ P_init[i, j] }\"",
		"                filter \"{ Q[i, j] }\"", 303,
		"filter names no statement" },
	{ "                filter \"{ P_init[i, j] }\"",
		"                filter \"{ P_init[i] }\"", 303,
		"filter names no statement" },
	{ "                filter \"{ P_init[i, j] }\"", "                "
		"filter \"[x] -> { P_init[i, j] : x > i }\"", 303,
		"filter names no statement" },
	{ "S[i, j] : (-t0", "S[i, j] : i > 0 and (-t0", 303,
		"a filter drops instances of S" },
	{ "mark kernel:k1", "mark kernel:k2", 303, "not that of the next" },
	{ "mark kernel:k0", "mark kernel:k1", 303, "not that of the next" },
	{ "mark kernel:k1", "mark other", 303, "outside of all kernels" },
	{ "                filter \"{ P_init[i, j] }\"\n", "                "
		"filter \"{ P_init[i, j] }\"\n                  "
		"mark kernel:k1\n", 303, "kernel:k1 is inside a kernel" },
	{ "  domain\n", "  domain \"{ Q[] }\"\n", 303, "names no statement" },
	{ "  domain\n      \"[M, N] -> { P_init[i, j] : 0 <= i < M and "
		"0 <= j < N }\"\n", "  domain\n", 303,
		"domain is not that of the statements" },
	{ "have schedule kernels\n", "have deps schedule\n", 314,
		"dependences are missing" },
	{ "thread 16 16", "thread 16 12", 314, "cannot share a tile of 16" },
	{ "thread 16 16", "thread 16 8", 314, "cannot share a tile of 16" },
	{ "tile 16 16 1 grid", "tile 16 16 1 vec 1 2 grid", 314,
		"cannot share a tile of 16" },
	{ "thread 16 16 tile 16 16", "thread 64 64 tile 64 64", 314,
		"more than 1024 threads" },
	{ "grid \"[M] -> { [", "grid \"[x] -> { [(x)] }\" \"[M] -> { [", 301,
		"unexpected" },
	{ "grid \"[M] -> { [(1 + floor((-1 + M)/16))] }\"",
		"grid \"[b0, x] -> { [(x)] }\"", 314,
		"grid of kernel k0 depends" },
	{ "context \"[M, N, K] -> {", "context \"[M, N, K, L] -> {", 314,
		"context is not one of sizes" },
};

static void test_mapped(void **state)
{
	struct poly_str text = { 0 };
	struct example x;

	(void)state;
	example_mapped(&x);
	poly_print(x.prog, &text);
	assert_each_refused(&x, text.s, of_mapped,
		sizeof(of_mapped) / sizeof(of_mapped[0]));
	poly_str_free(&text);
	assert_true(example_close(&x));
}

/* Changes of statements and arrays. */
static const struct change of_fig2[] = {
	{ "array A f32 input global \"[M, K] -> { A[(M), (K)] }\"",
		"array A f32 input global \"[M, K] -> { B[(M), (K)] }\"", 314,
		"the extent of A" },
	{ "{ A[(M), (K)] }", "{ [i] -> A[(M), (K)] }", 314, "extent of A" },
	{ "[M, K] -> { A[(M), (K)] }", "[L, K] -> { A[(L), (K)] }", 314,
		"extent of A" },
	{ "temp global", "temp shared", 314, "extent is not constant" },
	{ "{ S[i, j] : 0", "{ R[i, j] : 0", 314, "the domain of S" },
	{ "[M, N] -> { S[i, j] : 0", "[M, N, L] -> { S[i, j] : 0", 314,
		"the domain of S" },
	{ "write E \"{ S[i, j] -> E[(i), (j)] }\"",
		"write E \"{ S[i] -> E[(i), (0)] }\"", 314, "index of E in S" },
	{ "write E \"{ S[i, j] -> E[(i), (j)] }\"",
		"write E \"{ S[i, j] -> E[(i)] }\"", 314, "index of E in S" },
	{ "write E \"{ S[i, j] -> E[(i), (j)] }\"",
		"write E \"{ S[i, j] -> C[(i), (j)] }\"", 314, "of E in S" },
	{ "write E \"{ S[i, j] -> E[(i), (j)] }\"",
		"write E \"{ S[i, j] -> E[(i), (j)] : i > 0 }\"", 314,
		"not defined on all of S" },
	{ "read C \"{ S[i, j] -> C[(i), (j)] }\"",
		"read C \"{ S[i, j] -> C[(i), (j)] : j > 5 }\"", 314,
		"not defined on all of S" },
	{ "read C \"{ S[i, j] -> C[(i), (j)] }\"",
		"read C \"{ P[i, j, k] -> C[(i), (j)] }\"", 314,
		"index of C in S" },
	{ "array E f32", "array E f64", 314, "S writes a value of another" },
	{ "(const f32 0)", "(const i32 0)", 314, "P_init writes a value" },
	{ "  value (const f32 0)\n", "  value (const f32 0)\n"
		"  at \"{ [p0] -> P_init[(p0), (p0)] }\"\n", 314,
		"the place of P_init" },
	{ "  value (const f32 0)\n", "  value (const f32 0)\n"
		"  member S\n", 314, "P_init has 1 members" },
	{ "stmt S point", "stmt S sync", 314, "S is no point statement" },
	{ "stmt P_init point", "stmt X point \"{ X[t0, t1] }\"\n"
		"stmt P_init point", 314, "X accesses no array" },
	{ "stmt P_init point", "stmt X group \"{ X[t0, t1] }\"\n  member S\n"
		"stmt P_init point", 314, "S has no place in tile space" },
	{ "stmt P_init point", "stmt X copy \"{ X[t0, t1] }\"\n  member S\n"
		"stmt P_init point", 314, "X does not stand for all of S" },
	{ "stmt P_init point", "stmt X copy \"{ X[t0, t1] }\"\n  member S\n"
		"  contraction \"{ S[i, j] -> X[i, j] }\"\n"
		"stmt P_init point", 314, "X fills no shared array" },
	{ "stmt P_init point", "stmt X copy \"{ X[t0, t1] }\"\n  member S P\n"
		"stmt P_init point", 314, "X has 2 members" },
	{ "stmt P_init point", "stmt X sync \"{ X[t0, t1] }\"\n  member S\n"
		"stmt P_init point", 314, "X has 1 members" },
};

static void test_statements(void **state)
{
	struct poly_str text = { 0 };
	struct example x;

	(void)state;
	example_fig2(&x, "K");
	poly_print(x.prog, &text);
	assert_each_refused(&x, text.s, of_fig2,
		sizeof(of_fig2) / sizeof(of_fig2[0]));
	poly_str_free(&text);
	assert_true(example_close(&x));
}

/* A group of S that is right, and changes of it. */
#define MEMBER "  member S\n" \
	"  contraction \"{ S[i, j] -> G[floor(i/8), floor(j/8)] }\"\n"
#define GROUP "stmt G group \"[M, N] -> { G[t0, t1] : 0 <= 8t0 < M and " \
	"0 <= 8t1 < N }\"\n" MEMBER "have registers\n"

static const struct change of_group[] = {
	{ "G[floor(i/8), floor(j/8)]", "G[i, floor(j/8)]", 314,
		"instances of S belong to no instance of G" },
	{ "G[floor(i/8), floor(j/8)]", "G[a, floor(j/8)] : 8a <= i", 314,
		"several instances" },
	{ "{ S[i, j] -> G", "{ S[i, j] -> H", 314, "does not stand for all" },
	{ "  contraction", "  contraction \"{ P[i, j, k] -> G[0, 0] }\"\n"
		"  contraction", 314, "G contracts what is no member" },
	{ "  member S", "  member S S", 314, "S cannot be a member of G" },
	{ MEMBER, "", 314, "G has 0 members" },
	{ "stmt G group", "stmt G contract", 314, "G contracts no update" },
	{ "G group \"[M, N] ->", "G group \"[M, N, b0] ->", 314,
		"the domain of G" },
};

static void test_group(void **state)
{
	struct poly_str text = { 0 };
	struct example x;

	(void)state;
	example_fig2(&x, "K");
	poly_prog_find_stmt(x.prog, "S")->at = isl_multi_aff_read_from_str(
		x.ctx, "{ [p0, p1] -> S[(p0), (p1)] }");
	poly_print(x.prog, &text);
	poly_str_add(&text, GROUP);
	assert_each_refused(&x, text.s, of_group,
		sizeof(of_group) / sizeof(of_group[0]));
	poly_str_free(&text);
	assert_true(example_close(&x));
}

static const char scatter[] =
	"cetane-poly 1\nprogram \"h\" file \"h.c\"\nparam n\n"
	"context \"[n] -> {  : n >= 0 }\"\nfp strict\n"
	"array a i32 input global \"[n] -> { a[(n)] }\"\n"
	"array h i32 inout global \"{ h[(300)] }\"\n"
	"stmt S point \"[n] -> { S[i, e] : 0 <= i < n and 0 <= e <= 299 }\"\n"
	"  write h \"{ S[i, e] -> h[(e)] }\" reduce add atomic\n"
	"  value (select (eq (index i64 \"{ S[i, e] -> [(e)] }\") (cast i64 "
	"(read a \"{ S[i, e] -> a[(i)] }\"))) (const i32 1) (const i32 0))\n";

static const struct change of_atomic[] = {
	{ "reduce add", "reduce mul", 314, "S is no atomic update" },
	{ "reduce add", "", 314, "S is no atomic update" },
	{ "(const i32 0)", "(const i32 2)", 314, "S is no atomic update" },
	{ "array h i32", "array h i16", 314, "S is no atomic update" },
	{ "read a \"{ S[i, e] -> a[(i)] }", "read h \"{ S[i, e] -> h[(i)] }",
		314, "S is no atomic update" },
	{ "(select (eq (index i64 \"{ S[i, e] -> [(e)] }\") (cast i64 "
		"(read a \"{ S[i, e] -> a[(i)] }\"))) (const i32 1) (const i32 "
		"0))", "(const i32 0)", 314, "S is no atomic update" },
};

static void test_atomic(void **state)
{
	struct example x;

	(void)state;
	example_fig2(&x, "K");
	assert_each_refused(&x, scatter, of_atomic,
		sizeof(of_atomic) / sizeof(of_atomic[0]));
	assert_true(example_close(&x));
}

/* All statements of "prog", in no order. */
static isl_schedule *unordered(struct poly_prog *prog)
{
	isl_schedule *all = NULL;

	for (int i = 0; i < prog->n_stmt; i++) {
		isl_schedule *one = isl_schedule_from_domain(
			isl_union_set_from_set(isl_set_copy(
			prog->stmt[i]->domain)));

		all = all ? isl_schedule_set(all, one) : one;
	}
	return all;
}

/* What text cannot say. */
static void test_by_hand(void **state)
{
	struct poly_prog *prog;
	struct poly_stmt *stmt;
	struct example x, y;

	(void)state;
	example_fig2(&x, "K");
	example_fig2(&y, "K");
	prog = x.prog;
	stmt = poly_prog_find_stmt(prog, "S");
	stmt->rhs->arg[0]->type = POLY_F64;
	assert_int_equal(poly_verify(prog, "a_pass"), isl_stat_error);
	assert_string_equal(x.report.msg[0].text, "invalid program: "
		"S reads T as another type (after a_pass)");
	stmt->rhs->arg[0]->type = POLY_F32;
	stmt->rhs->type = POLY_F64;
	assert_int_equal(poly_verify(prog, "a_pass"), isl_stat_error);
	assert_non_null(strstr(x.report.msg[1].text, "without a cast"));
	stmt->rhs->type = POLY_F32;
	stmt->write_array = poly_prog_find_array(y.prog, "E");
	assert_int_equal(poly_verify(prog, "a_pass"), isl_stat_error);
	assert_non_null(strstr(x.report.msg[2].text, "accesses no array"));
	stmt->write_array = poly_prog_find_array(prog, "E");
	stmt->reduce = POLY_OP_EXP;
	assert_int_equal(poly_verify(prog, "a_pass"), isl_stat_error);
	assert_non_null(strstr(x.report.msg[3].text, "reduce with exp"));
	stmt->reduce = POLY_OP_NONE;
	prog->have = POLY_HAVE_SCHEDULE;
	assert_int_equal(poly_verify(prog, "a_pass"), isl_stat_error);
	assert_non_null(strstr(x.report.msg[4].text, "there is none"));
	prog->have = 0;
	assert_int_equal(poly_verify(prog, "a_pass"), isl_stat_ok);
	assert_int_equal(x.report.n_error, 5);
	prog->original = unordered(prog);
	assert_int_equal(poly_verify(prog, "a_pass"), isl_stat_error);
	assert_non_null(strstr(x.report.msg[5].text, "has a set"));
	assert_true(example_close(&y));
	assert_true(example_close(&x));
}

/* A kernel without a mark, and nodes that we do not have. */
static void test_trees(void **state)
{
	isl_schedule_node *node;
	struct poly_kernel *kernel;
	struct example x;
	int d;

	(void)state;
	example_fig2(&x, "K");
	kernel = poly_prog_add_kernel(x.prog, "k0");
	for (d = 0; d < 2; d++)
		kernel->grid[d] = isl_pw_aff_read_from_str(x.ctx,
			"[M] -> { [(M)] }");
	x.prog->schedule = isl_schedule_from_domain(
		poly_point_domains(x.prog));
	assert_int_equal(poly_verify(x.prog, "a_pass"), isl_stat_error);
	assert_string_equal(x.report.msg[0].text, "invalid schedule tree: "
		"kernel k0 has no mark (after a_pass)");
	node = isl_schedule_get_root(x.prog->schedule);
	node = isl_schedule_node_child(node, 0);
	node = isl_schedule_node_insert_guard(node,
		isl_set_read_from_str(x.ctx, "[M] -> { [] : M > 5 }"));
	isl_schedule_free(x.prog->schedule);
	x.prog->schedule = isl_schedule_node_get_schedule(node);
	isl_schedule_node_free(node);
	assert_int_equal(poly_verify(x.prog, "a_pass"), isl_stat_error);
	assert_non_null(strstr(x.report.msg[1].text, "a node is of a kind"));
	assert_true(example_close(&x));
}

/* The least coordinates of a pair are those of parts that have points: the first part here
 * has none for the least size that the second one has.
 */
static void test_witness(void **state)
{
	struct example x;
	isl_union_map *pairs;
	struct poly_pair pair;

	(void)state;
	example_open(&x, "witness");
	example_fig2(&x, "K");
	pairs = isl_union_map_read_from_str(x.ctx, "[M] -> { D_init[i,j] -> D_init[a,b] :"
		" (0 <= i < j and j < a < M and b = 0) or (M >= 1 and i + j >= 7 and "
		"0 <= i <= 9 and 0 <= j <= 9 and a + b >= 5 and 0 <= a <= 6 and 0 <= b <= 6) }");
	pair = poly_witness(x.prog, pairs);
	assert_string_equal(pair.source, "[M = 1] D_init[0, 7]");
	assert_string_equal(pair.sink, "D_init[0, 5]");
	free(pair.source);
	free(pair.sink);
	isl_union_map_free(pairs);
	assert_true(example_close(&x));
}

int main(void)
{
	const struct CMUnitTest test[] = {
		cmocka_unit_test(test_mapped),
		cmocka_unit_test(test_statements),
		cmocka_unit_test(test_group),
		cmocka_unit_test(test_atomic),
		cmocka_unit_test(test_by_hand),
		cmocka_unit_test(test_trees),
		cmocka_unit_test(test_witness),
	};

	return cmocka_run_group_tests_name("polyir verify", test, NULL, NULL);
}
