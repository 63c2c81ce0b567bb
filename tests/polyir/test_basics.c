/* Check strings, messages, types, operators, expressions, the tables of a
 * program and the isl context.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include <isl/ast_build.h>
#include <isl/union_set.h>

#include "polyir/loops/loops.h"
#include "example.h"

static void test_str(void **state)
{
	struct poly_str s = { 0 };
	int i;

	(void)state;
	poly_str_add(&s, "");
	assert_string_equal(s.s, "");
	for (i = 0; i < 1000; i++)
		poly_str_printf(&s, "%03d,", i);
	poly_str_addn(&s, "end of it", 3);
	assert_int_equal(s.len, 4003);
	assert_int_equal(strlen(s.s), 4003);
	assert_string_equal(s.s + 3990, "97,998,999,end" + 1);
	assert_false(s.failed);
	poly_str_free(&s);
	assert_null(s.s);
	assert_int_equal(s.len, 0);
}

static void test_report(void **state)
{
	struct poly_loc loc = { 3, 4, 5 };
	struct poly_report r = { 0 };
	int i;

	(void)state;
	poly_report_add(&r, MSG_POLY_BARRIER, &loc, "sync", "A[0]", "B[1]");
	assert_int_equal(r.msg[0].number, 309);
	assert_int_equal(r.msg[0].severity, POLY_ERROR);
	assert_int_equal(r.msg[0].loc.col, 4);
	assert_string_equal(r.msg[0].text,
		"sync lacks a barrier between A[0] and B[1]");
	for (i = 0; i < 20; i++)
		poly_report_add(&r, MSG_POLY_TREE, NULL, "no root");
	assert_int_equal(r.n_msg, 21);
	assert_int_equal(r.n_error, 21);
	assert_int_equal(r.msg[20].loc.line, 0);
	poly_report_add(&r, MSG_REPRODUCER, NULL, "file");
	assert_int_equal(r.msg[21].severity, POLY_REMARK);
	assert_int_equal(r.n_error, 21);
	poly_report_free(&r);
	assert_int_equal(r.n_msg, 0);
}

static void test_types(void **state)
{
	int t;

	(void)state;
	for (t = 0; t < POLY_N_TYPE; t++)
		assert_int_equal(poly_type_find(poly_type_name(
			(enum poly_type)t)), t);
	assert_int_equal(poly_type_find("f31"), POLY_N_TYPE);
	assert_int_equal(poly_type_size(POLY_BF16), 2);
	assert_int_equal(poly_type_digits(POLY_F64), 53);
	assert_false(poly_type_is_float(POLY_I8));
	assert_true(poly_type_is_float(POLY_F16));
	assert_int_equal(poly_type_compute(POLY_I8), POLY_I32);
	assert_int_equal(poly_type_compute(POLY_F16), POLY_F32);
	assert_int_equal(poly_type_compute(POLY_BF16), POLY_F32);
	assert_int_equal(poly_type_compute(POLY_F8E5M2), POLY_F32);
	assert_int_equal(poly_type_compute(POLY_TF32), POLY_F32);
	assert_int_equal(poly_type_compute(POLY_F64), POLY_F64);
}

/* Rounding, denormals, overflow and special values, as bit patterns. */
static void test_bits(void **state)
{
	static const struct {
		double x;
		uint64_t f16, bf16, f32, tf32;
	} row[] = {
		{ 1, 0x3c00, 0x3f80, 0x3f800000, 0x3f800000 },
		{ -0.0, 0x8000, 0x8000, 0x80000000, 0x80000000 },
		{ 0.1, 0x2e66, 0x3dcd, 0x3dcccccd, 0x3dccc000 },
		{ -65519, 0xfbff, 0xc780, 0xc77fef00, 0xc77fe000 },
		{ 65520, 0x7c00, 0x4780, 0x477ff000, 0x47800000 },
		{ 0x1p-24, 0x0001, 0x3380, 0x33800000, 0x33800000 },
		{ 0x1p-25, 0x0000, 0x3300, 0x33000000, 0x33000000 },
		{ 0x1.ff8p-15, 0x03ff, 0x3880, 0x387fc000, 0x387fc000 },
		{ 0x1.fffp-15, 0x0400, 0x3880, 0x387ff800, 0x38800000 },
		{ 0x1p-149, 0, 0, 1, 0 },
		{ -1e300, 0xfc00, 0xff80, 0xff800000, 0xff800000 },
		{ INFINITY, 0x7c00, 0x7f80, 0x7f800000, 0x7f800000 },
		{ NAN, 0x7e00, 0x7fc0, 0x7fc00000, 0x7fc00000 },
		{ 0x1.002p0, 0x3c00, 0x3f80, 0x3f801000, 0x3f802000 },
		{ -0x1.001ffffp0, 0xbc00, 0xbf80, 0xbf801000, 0xbf800000 },
		{ 0x1p-137, 0, 0, 0x1000, 0x2000 },
		{ 0x1.ffep127, 0x7c00, 0x7f80, 0x7f7ff000, 0x7f800000 },
	};
	static const struct {
		double x;
		uint64_t e4m3, e5m2;
	} eighth[10] = {
		{ 1, 0x38, 0x3c }, { -0.0, 0x80, 0x80 }, { 448, 0x7e, 0x5f },
		{ -465, 0xfe, 0xdf }, { 1e300, 0x7e, 0x7b },
		{ -INFINITY, 0xfe, 0xfb }, { 0x1p-9, 0x01, 0x18 },
		{ 0x1p-10, 0x00, 0x14 }, { 0x1.8p-9, 0x02, 0x1a },
		{ NAN, 0x7f, 0x7f },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		double x = row[i].x;

		assert_int_equal(poly_type_bits(POLY_F16, x), row[i].f16);
		assert_int_equal(poly_type_bits(POLY_BF16, x), row[i].bf16);
		assert_int_equal(poly_type_bits(POLY_F32, x), row[i].f32);
		assert_int_equal(poly_type_bits(POLY_TF32, x), row[i].tf32);
	}
	for (int i = 0; i < 10; i++) {
		assert_int_equal(poly_type_bits(POLY_F8E4M3, eighth[i].x),
			eighth[i].e4m3);
		assert_int_equal(poly_type_bits(POLY_F8E5M2, eighth[i].x),
			eighth[i].e5m2);
	}
	assert_true(poly_type_bits(POLY_F64, -2) ==
		UINT64_C(0xc000000000000000));
}

static void test_ops(void **state)
{
	int op;

	(void)state;
	for (op = 0; op < POLY_OP_NONE; op++)
		assert_int_equal(poly_op_find(poly_op_name((enum poly_op)op)),
			op);
	assert_int_equal(poly_op_find("powr"), POLY_OP_NONE);
	assert_int_equal(poly_op_n_arg(POLY_OP_MUL), 2);
	assert_int_equal(poly_op_n_arg(POLY_OP_NONE), 0);
	assert_int_equal(poly_op_ulp(POLY_OP_TANH), 2);
}

/* Constructors pass NULL on and free what they were given. */
static void test_null_expr(void **state)
{
	struct poly_expr *one = poly_expr_const(POLY_F32, 1);

	(void)state;
	assert_null(poly_expr_op(POLY_OP_ADD, POLY_F32, one, NULL));
	one = poly_expr_const(POLY_F32, 1);
	assert_null(poly_expr_op(POLY_OP_ADD, POLY_F32, NULL, one));
	assert_null(poly_expr_access(NULL, NULL));
	assert_null(poly_expr_cast(POLY_F32, NULL));
	assert_null(poly_expr_copy(NULL));
	assert_null(poly_expr_free(NULL));
}

static void add_name(struct poly_expr *leaf, void *user)
{
	poly_str_add(user, leaf->array->name);
}

static void test_expr(void **state)
{
	struct poly_expr *copy, *same;
	struct poly_str names = { 0 }, text = { 0 };
	struct example x;

	(void)state;
	example_fig2(&x, "K");
	copy = poly_expr_copy(poly_prog_find_stmt(x.prog, "S")->rhs);
	poly_expr_each_access(copy, add_name, &names);
	assert_string_equal(names.s, "TC");
	same = poly_expr_cast(POLY_F32, copy);
	assert_ptr_equal(same, copy);
	copy = poly_expr_cast(POLY_F16, copy);
	assert_int_equal(copy->op, POLY_OP_CAST);
	assert_int_equal(copy->type, POLY_F16);
	poly_print_expr(copy, &text);
	assert_string_equal(text.s,
		"(cast f16 (add (read T \"{ S[i, j] -> T[(i), (j)] }\") "
		"(read C \"{ S[i, j] -> C[(i), (j)] }\")))");
	poly_expr_free(copy);
	poly_str_free(&names);
	poly_str_free(&text);
	assert_true(example_close(&x));
}

static __isl_give isl_set *universe(struct example *x, const char *name)
{
	struct poly_str t = { 0 };
	isl_set *set;

	poly_str_printf(&t, "{ %s[] }", name);
	set = poly_read_set(x->prog, t.s);
	poly_str_free(&t);
	return set;
}

/* Names are unique identifiers that isl can read. */
static void test_names(void **state)
{
	static const char *const bad[] = {
		"", "1a", "a b", "a.b", "\xc3\xa9", "max", "MOD", "Or",
		"infty", "A", "S", "M",
	};
	struct example x;
	size_t i;

	(void)state;
	example_fig2(&x, "K");
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_null(poly_prog_add_param(x.prog, bad[i]));
		assert_null(poly_prog_add_stmt(x.prog, bad[i], POLY_SYNC,
			universe(&x, "X")));
		assert_null(example_array(&x, bad[i], POLY_TEMP, "M", "N"));
	}
	assert_int_equal(x.prog->n_param, 3);
	assert_int_equal(x.prog->n_stmt, 3);
	assert_int_equal(x.prog->n_array, 5);
	assert_non_null(poly_prog_add_kernel(x.prog, "A"));
	assert_null(poly_prog_add_kernel(x.prog, "A"));
	assert_null(poly_prog_add_kernel(x.prog, "a-b"));
	assert_ptr_equal(poly_prog_find_kernel(x.prog, "A"),
		x.prog->kernel[0]);
	assert_null(poly_prog_find_kernel(x.prog, "B"));
	assert_true(example_close(&x));
}

static void test_prog(void **state)
{
	struct poly_stmt *group, *stmt;
	isl_set *expected;
	struct example x;

	(void)state;
	example_fig2(&x, "K");
	expected = poly_read_set(x.prog,
		"[M, N, K] -> { : M >= 0 and N >= 0 and K >= 0 }");
	assert_int_equal(isl_set_is_equal(x.prog->context, expected), 1);
	isl_set_free(expected);
	assert_int_equal(poly_prog_fix(x.prog, "N", 7), isl_stat_ok);
	assert_int_equal(poly_prog_fix(x.prog, "L", 7), isl_stat_error);
	assert_int_equal(poly_prog_find_param(x.prog, "N")->value, 7);
	assert_false(poly_prog_find_param(x.prog, "M")->fixed);
	assert_int_equal(poly_prog_find_array(x.prog, "A")->n_dim, 2);
	stmt = poly_prog_find_stmt(x.prog, "S");
	assert_false(poly_stmt_is_member(x.prog, stmt));
	group = poly_prog_add_stmt(x.prog, "G", POLY_GROUP, universe(&x, "G"));
	poly_stmt_add_member(group, poly_prog_find_stmt(x.prog, "P"));
	poly_stmt_add_member(group, stmt);
	assert_true(poly_stmt_is_member(x.prog, stmt));
	assert_int_equal(group->n_member, 2);
	assert_ptr_equal(group->member[1], stmt);
	assert_true(example_close(&x));
}

/* Free "ctx", which is in use, and catch what isl prints about it. */
static void assert_in_use(isl_ctx *ctx)
{
	int saved = dup(STDERR_FILENO);
	FILE *file = tmpfile();
	char text[200] = "";
	bool freed;

	assert_non_null(file);
	dup2(fileno(file), STDERR_FILENO);
	freed = poly_ctx_free(ctx);
	dup2(saved, STDERR_FILENO);
	close(saved);
	rewind(file);
	assert_non_null(fgets(text, sizeof(text), file));
	fclose(file);
	assert_false(freed);
	assert_non_null(strstr(text, "isl_ctx not freed"));
}

/* Freeing a context says whether something still refers to it. */
static void test_ctx(void **state)
{
	isl_ctx *ctx = poly_ctx_alloc();
	isl_set *set = isl_set_read_from_str(ctx, "{ A[i] }");

	(void)state;
	assert_null(isl_set_read_from_str(ctx, "{ A[i"));
	assert_in_use(ctx);
	isl_set_free(set);
	assert_true(poly_ctx_free(ctx));
	assert_true(poly_ctx_free(NULL));
}

static isl_bool is_right(isl_ctx *ctx, isl_ast_node *ast, isl_schedule *schedule,
	const char *context)
{
	isl_set *set = isl_set_read_from_str(ctx, context);
	isl_bool right = poly_ast_is_right(ast, schedule, set);

	isl_set_free(set);
	return right;
}

/* isl divides as C does where it knows that what is divided is not negative: such
 * loops are right for these sizes alone.
 */
static void test_dividends(void **state)
{
	isl_ctx *ctx = poly_ctx_alloc();
	isl_schedule *schedule = isl_schedule_from_domain(
		isl_union_set_read_from_str(ctx, "[n] -> { S[i] : "
			"0 <= i < 10 and (i - n) mod 3 = 0 }"));
	isl_ast_build *build = isl_ast_build_from_context(isl_set_read_from_str(
		ctx, "[n] -> { : n >= 0 }"));
	isl_ast_node *ast;
	char *text;

	(void)state;
	schedule = isl_schedule_insert_partial_schedule(schedule,
		isl_multi_union_pw_aff_read_from_str(ctx,
			"[{ S[i] -> [(i)] }]"));
	ast = isl_ast_build_node_from_schedule(build,
		isl_schedule_copy(schedule));
	text = isl_ast_node_to_C_str(ast);
	assert_non_null(strchr(text, '%'));
	assert_int_equal(is_right(ctx, ast, schedule, "[n] -> { : n >= 0 }"),
		isl_bool_true);
	assert_int_equal(is_right(ctx, ast, schedule, "[n] -> { : n >= 5 }"),
		isl_bool_true);
	assert_int_equal(is_right(ctx, ast, schedule, "[n] -> { : n >= -4 }"),
		isl_bool_false);
	free(text);
	isl_ast_node_free(ast);
	isl_ast_build_free(build);
	isl_schedule_free(schedule);
	isl_ctx_free(ctx);
}

/* isl joins the pieces of sets with divisions to one that has more elements: 3 with n = 4. */
static void test_joined(void **state)
{
	isl_ctx *ctx = poly_ctx_alloc();
	isl_set *set = isl_set_read_from_str(ctx, "[n] -> { A[i] : (n >= 2 and 0 <= i <= 1) "
		"or (i % 2 = 0 and 0 <= i <= n - 2) }");
	isl_set *joined = isl_set_coalesce(isl_set_copy(set));

	(void)state;
	assert_false(isl_set_is_equal(joined, set));
	isl_set_free(joined);
	joined = poly_set_coalesce(isl_set_copy(set));
	assert_true(isl_set_is_equal(joined, set));
	isl_set_free(joined);
	isl_set_free(set);
	assert_true(poly_ctx_free(ctx));
}

int main(void)
{
	const struct CMUnitTest test[] = {
		cmocka_unit_test(test_str),
		cmocka_unit_test(test_report),
		cmocka_unit_test(test_types),
		cmocka_unit_test(test_bits),
		cmocka_unit_test(test_ops),
		cmocka_unit_test(test_null_expr),
		cmocka_unit_test(test_expr),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_prog),
		cmocka_unit_test(test_ctx),
		cmocka_unit_test(test_dividends),
		cmocka_unit_test(test_joined),
	};

	return cmocka_run_group_tests_name("polyir basics", test, NULL, NULL);
}
