/* The contracts of passes guard their order: where two neighbours change places,
 * one of them is refused, or the program comes out the same.
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
#include "polyir/polyir.h"

/* Programs that give passes something to do. */
static const struct {
	const char *what, *text;
	bool c;
} program[] = {
	{ "a product of a product", "Params M, N, K, L; Matrix A(M,K);"
		"Matrix B(K,N); Matrix C(N,L); D = A * B * C;"
		"CodeGen(FLOAT, {D});", false },
	{ "a reduction of what a product computes", "param N;"
		"tensor f32 a(N,N), b(N,N); c(i,j) += a(i,k) * b(k,j);"
		"out r(i) max= abs(c(i,j));", false },
	{ "an array that is overwritten from its end", "void f(int n, "
		"float a[n]) { for (int i = 0; i < n; i++)"
		"a[i] = a[n - 1 - i] * 2; }", true },
	{ "a scalar of each iteration", "void f(int n, float a[n], float b[n])"
		"{ for (int i = 0; i < n; i++) { float t = a[i]; "
		"b[i] = t * t; } }", true },
};

/* The program as it is lowered. */
static struct poly_prog *lower(isl_ctx *ctx, size_t p,
	struct poly_report *report, struct fe_unit **unit)
{
	const struct fe_how src = { 0 };
	const struct fe_define size = { "N", 512 };
	const char *text = program[p].text;
	struct poly_prog *prog;

	*unit = program[p].c ?
		fe_read_as(fe_notation_of("test.c"), "test.c", text,
			strlen(text), &src, NULL, 0, report) :
		fe_read("test.dsl", text, strlen(text), &size, 1, report);
	for (int i = 0; i < report->n_msg && !*unit; i++)
		print_message("%s\n", report->msg[i].text);
	assert_non_null(*unit);
	prog = fe_lower(*unit, ctx, report);
	assert_non_null(prog);
	return prog;
}

/* Run all passes of "mapping" with "first" behind the one that follows; -1: in
 * their order. False if a pass is refused; fails if one fails otherwise.
 */
static bool run_exchanged(size_t p, enum poly_mapping mapping, int first,
	struct poly_str *out)
{
	struct poly_options o = poly_options_default;
	struct poly_report report = { 0 };
	isl_ctx *ctx = poly_ctx_alloc();
	struct fe_unit *unit;
	struct poly_prog *prog = lower(ctx, p, &report, &unit);
	bool ok = true;

	for (int i = 0; ok && poly_pass_name(mapping, i); i++) {
		int at = i == first ? i + 1 : i == first + 1 && first >= 0 ?
			first : i;

		ok = poly_run(&prog, &o, poly_pass_name(mapping, at)) ==
			isl_stat_ok;
	}
	if (ok) {
		poly_print(prog, out);
	} else {
		assert_int_equal(report.n_error, 1);
		ok = report.msg[report.n_msg - 1].number != MSG_POLY_LATE &&
			report.msg[report.n_msg - 1].number !=
			MSG_POLY_CONTRACT;
		if (ok)
			fail_msg("%s", report.msg[report.n_msg - 1].text);
	}
	poly_prog_free(prog);
	fe_unit_free(unit);
	poly_report_free(&report);
	assert_true(poly_ctx_free(ctx));
	return ok;
}

/* Exchange each two neighbours. "*refused" counts those that are refused. */
static void exchange_all(size_t p, enum poly_mapping mapping, int *refused)
{
	struct poly_str right = { 0 };

	assert_true(run_exchanged(p, mapping, -1, &right));
	for (int i = 0; poly_pass_name(mapping, i + 1); i++) {
		struct poly_str other = { 0 };

		if (!run_exchanged(p, mapping, i, &other))
			++*refused;
		else if (strcmp(other.s, right.s))
			fail_msg("%s: %s and %s change places in silence",
				program[p].what, poly_pass_name(mapping, i),
				poly_pass_name(mapping, i + 1));
		poly_str_free(&other);
	}
	poly_str_free(&right);
}

static void test_exchanged(void **state)
{
	int refused = 0;

	(void)state;
	for (size_t p = 0; p < sizeof(program) / sizeof(program[0]); p++)
		for (int m = POLY_MAP_TILED; m <= POLY_MAP_NAIVE; m++)
			exchange_all(p, m, &refused);
	assert_true(refused > 0);
}

int main(void)
{
	const struct CMUnitTest test[] = {
		cmocka_unit_test(test_exchanged),
	};

	return cmocka_run_group_tests_name("polyir passes", test, NULL, NULL);
}
