/* Whatever the budget of isl's operations is, a compilation ends in good
 * order: with a legal program, or with nothing done, nothing left over and a
 * context that says that the budget was spent.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "frontend/frontend.h"

static const char matrix[] =
	"Params M, K, N;\n"
	"Matrix A(M,K); Matrix B(K,N); Matrix C(M,N);\n"
	"D = A * B; E = ReLU(D + C);\n";

static const char stencil[] =
	"param T, N;\n"
	"tensor f32 u0(N);\n"
	"u(t,i) for 0<=t<=T, 0<=i<N = case { t == 0: u0(i);\n"
	"	i == 0 or i == N-1: u(t-1,i);\n"
	"	else: u(t-1,i-1) + u(t-1,i+1); };\n"
	"out m() = sum(i: u(T,i)); out v(i) = u(T,i) / 2.0 - m();\n";

static const char sums[] =
	"param N, M;\n"
	"tensor f32 A(N, M); tensor f32 x(M); tensor f32 c(2 * N);\n"
	"y(i) = sum(j: A(i,j) * x(j)) / max(j for 0 <= j <= i: c(i + j));\n"
	"out z(i) for 0 <= 2*i < N += sum(k for 0 <= k < N, k % 2 == i: y(k)) + c(3*i/2);\n";

static const char nest[] =
	"double f(int n, double a, double A[n][n], double B[n][n])\n"
	"{\n"
	"	double s = 0, t[8];\n"
	"	for (int i = n - 1; i > 0; i--)\n"
	"		for (int j = i; j < n; j += 2) {\n"
	"			t[j % 8] = i < j - 1 ? A[j][i] : a;\n"
	"			if (j / 3 > i || n > 9)\n"
	"				A[i][j / 2] += t[j % 8] * B[i - 1][0];\n"
	"			s += A[i][j];\n"
	"		}\n"
	"	return s;\n"
	"}\n";

/* The loops go on in the order of 25i + 5j + k, as those of a box of radius 4 do. */
static const char box[] =
	"void f(int n, float a[n][n][n])\n"
	"{\n"
	"	for (int i = 4; i < n - 4; i++)\n"
	"		for (int j = 4; j < n - 4; j++)\n"
	"			for (int k = 4; k < n - 4; k++)\n"
	"				a[i][j][k] = a[i][j][k - 1] +\n"
	"					a[i][j - 1][k + 4] +\n"
	"					a[i - 1][j + 4][k + 4];\n"
	"}\n";

struct outcome {
	bool done;	/* compiled */
	int spent;	/* messages E559 */
	int search;	/* remarks R319 */
};

/* Compile "text" with "budget" operations, up to the pass "last"; "record" is noted. */
static struct outcome compile(const char *text, const char *last,
	unsigned long budget, struct poly_record *record)
{
	struct poly_options options = poly_options_default;
	struct poly_report report = { 0 };
	struct outcome outcome = { false, 0, 0 };
	struct fe_unit *u = fe_read("p.dsl", text, strlen(text), NULL, 0,
		&report);
	isl_ctx *ctx = poly_ctx_alloc();
	struct poly_prog *prog;

	assert_non_null(u);
	options.stop_after = last;
	options.request.record = record;
	poly_ctx_budget(ctx, budget);
	prog = fe_lower(u, ctx, &report);
	outcome.done = prog && poly_compile(&prog, &options) ==
		isl_stat_ok && !poly_ctx_spent(ctx);
	if (!outcome.done)
		assert_true(poly_ctx_spent(ctx));
	poly_ctx_budget(ctx, 0);
	isl_ctx_reset_error(ctx);
	if (outcome.done)
		assert_int_equal(poly_check(prog, "test"), isl_stat_ok);
	for (int i = 0; i < report.n_msg; i++) {
		outcome.spent += report.msg[i].number == MSG_BUDGET;
		outcome.search += report.msg[i].number == MSG_POLY_SEARCH;
	}
	poly_prog_free(prog);
	assert_true(poly_ctx_free(ctx));
	fe_unit_free(u);
	poly_report_free(&report);
	return outcome;
}

/* Budgets from 1 until one is enough, each a little more than the last. */
static void sweep(const char *text, const char *pass)
{
	struct outcome last = { false, 0, 0 };
	int tries = 0, told = 0, search = 0;

	for (unsigned long budget = 1; !last.done; tries++) {
		last = compile(text, pass, budget, NULL);
		told += last.spent > 0;
		search += last.search;
		budget += 1 + budget / 5;
		assert_true(budget < POLY_BUDGET);
	}
	assert_true(tries > 15);
	assert_true(told > 0);
	assert_true(search > 0);
}

static void test_matrix(void **state)
{
	(void)state;
	sweep(matrix, NULL);
}

static void test_index(void **state)
{
	(void)state;
	sweep(stencil, "schedule");
}

/* The least budget with which "text" is compiled. */
static unsigned long least_budget(const char *text)
{
	unsigned long low = 0, high = 1;

	for (; !compile(text, NULL, high, NULL).done; high *= 2)
		low = high;
	while (high - low > 1 + high / 1000) {
		unsigned long middle = low + (high - low) / 2;

		if (compile(text, NULL, middle, NULL).done)
			high = middle;
		else
			low = middle;
	}
	return high;
}

/* What a schedule is recorded in is text, and to write that does not count: the budget that
 * is enough without is enough.
 */
static void test_record(void **state)
{
	struct poly_record record = { .n = 0 };

	(void)state;
	assert_true(compile(matrix, NULL, least_budget(matrix), &record).done);
	assert_true(record.n > 0);
	poly_record_free(&record);
}

/* Lower "u" with "budget" operations; true if that was enough. */
static bool lower(const struct fe_unit *u, unsigned long budget)
{
	struct poly_report report = { 0 };
	isl_ctx *ctx = poly_ctx_alloc();
	struct poly_prog *prog;
	bool spent;

	poly_ctx_budget(ctx, budget);
	prog = fe_lower(u, ctx, &report);
	spent = poly_ctx_spent(ctx);
	assert_true(prog || spent);
	assert_true(prog || report.n_error > 0);
	poly_ctx_budget(ctx, 0);
	poly_prog_free(prog);
	assert_true(poly_ctx_free(ctx));
	poly_report_free(&report);
	return !spent;
}

/* Nothing of what the front end makes is left over, whichever operation is the
 * last that isl does.
 */
static void sweep_front(struct fe_unit *u)
{
	unsigned long budget = 1;

	assert_non_null(u);
	while (!lower(u, budget))
		budget += 1 + budget / 250;
	assert_true(budget > 1000);
	fe_unit_free(u);
}

static void test_front(void **state)
{
	static const char *const text[] = { matrix, stencil, sums };
	const struct fe_how src = { 0 };
	struct poly_report report = { 0 };

	(void)state;
	for (int i = 0; i < 3; i++)
		sweep_front(fe_read("p.dsl", text[i], strlen(text[i]), NULL,
			0, &report));
	sweep_front(fe_read_as(fe_notation_of("p.c"), "p.c", nest,
		strlen(nest), &src, NULL, 0, &report));
	poly_report_free(&report);
}

/* The loops of a kernel that is launched for some values between two others only: the
 * pieces that tell which are not compared with one another again and again.
 */
static void test_loops(void **state)
{
	struct poly_options options = poly_options_default;
	const struct fe_how how = { 0 };
	struct poly_report report = { 0 };
	struct fe_unit *u = fe_read_as(fe_notation_of("p.c"), "p.c", box,
		strlen(box), &how, NULL, 0, &report);
	isl_ctx *ctx = poly_ctx_alloc();
	struct poly_prog *prog;
	isl_ast_node *ast;

	(void)state;
	assert_non_null(u);
	prog = fe_lower(u, ctx, &report);
	assert_int_equal(poly_compile(&prog, &options), isl_stat_ok);
	assert_int_equal(prog->n_kernel, 1);
	poly_ctx_budget(ctx, 400000);
	ast = poly_ast_kernel(prog, prog->kernel[0]);
	assert_non_null(ast);
	poly_ctx_budget(ctx, 0);
	isl_ast_node_free(ast);
	poly_prog_free(prog);
	assert_true(poly_ctx_free(ctx));
	fe_unit_free(u);
	poly_report_free(&report);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_front),
		cmocka_unit_test(test_matrix),
		cmocka_unit_test(test_index),
		cmocka_unit_test(test_record),
		cmocka_unit_test(test_loops),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
