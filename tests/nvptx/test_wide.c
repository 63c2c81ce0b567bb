/* Check the reference mode, whose numbers are the interpreter's with a bound of what
 * was rounded: that the bound holds, and is 0 where nothing is rounded.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "ops.h"

struct wide {
	double value, bound;
};

/* What a bool or an integer looks like. */
static int64_t int_of(struct wide w)
{
	int64_t n;

	memcpy(&n, &w.value, sizeof(n));
	return n;
}

/* C = A < B ? A : B + 1, I = (i32) floor(A), in reference mode. */
static void wide_choices(void **state)
{
	static const struct nvptx_options o = {
		.device = NVPTX_HOST, .wide = true
	};
	static const struct wide a[4] = {
		{ 1, 0 }, { 2, 0.5 }, { 7, 0.1 }, { 2.5, 0.25 }
	}, b[4] = { { 2, 0 }, { 2.25, 0 }, { 2, 0.1 }, { 2.5, 0 } };
	struct poly_array *x[4];
	struct wide c[4], n[4];
	struct poly_expr *e;
	struct unit u;

	(void) state;
	ops_begin(&u, 2);
	x[0] = array(&u, "A", POLY_F32, POLY_INPUT, "[N] -> { A[(1),(N)] }");
	x[1] = array(&u, "B", POLY_F32, POLY_INPUT, "[N] -> { B[(1),(N)] }");
	x[2] = array(&u, "C", POLY_F32, POLY_OUTPUT, "[N] -> { C[(1),(N)] }");
	x[3] = array(&u, "I", POLY_I32, POLY_OUTPUT, "[N] -> { I[(1),(N)] }");
	e = poly_expr_op(POLY_OP_LT, POLY_BOOL, read_at(&u, x[0], 0),
		read_at(&u, x[1], 0));
	e = poly_expr_select(e, read_at(&u, x[0], 0), poly_expr_op(
		POLY_OP_ADD, POLY_F32, read_at(&u, x[1], 0),
		poly_expr_const(POLY_F32, 1)));
	writes(&u, u.prog->stmt[0], x[2], "{ S0[i,j] -> C[(i),(j)] }",
		POLY_OP_NONE, e);
	writes(&u, u.prog->stmt[1], x[3], "{ S1[i,j] -> I[(i),(j)] }",
		POLY_OP_NONE, poly_expr_cast(POLY_I32, poly_expr_op(
		POLY_OP_FLOOR, POLY_F32, read_at(&u, x[0], 1), NULL)));
	ops_end(&u, 2);
	ops_run(&u, &o, 4, (void *[]) { (void *) a, (void *) b, c, n });
	unit_end(&u);
	assert_true(c[0].value == 1 && c[0].bound == 0);
	assert_true(c[1].value == 2 && c[1].bound >= 1.25 && c[1].bound < 1.3);
	assert_true(c[2].value == 3 && c[2].bound >= 0.1 && c[2].bound < 0.11);
	assert_true(c[3].value == 3.5 && c[3].bound >= 1.25);
	assert_true(int_of(n[0]) == 1 && n[0].bound == 0);
	assert_true(int_of(n[1]) == 2 && n[1].bound == 1);
	assert_true(int_of(n[2]) == 7 && n[2].bound == 1);
	assert_true(int_of(n[3]) == 2 && n[3].bound == 0);
}

/* Sums and products of exact f64 are exact where nothing is cut off, and only
 * there.
 */
static void wide_exact(void **state)
{
	static const enum poly_op op[] = {
		POLY_OP_ADD, POLY_OP_SUB, POLY_OP_MUL
	};
	static const struct nvptx_options o = {
		.device = NVPTX_HOST, .wide = true
	};
	static const struct wide a[4] = {
		{ 3, 0 }, { 0.1, 0 }, { 1e-200, 0 }, { 0, 0 }
	}, b[4] = { { 5, 0 }, { 0.3, 0 }, { 1e-200, 0 }, { 0.1, 0 } };
	static const bool exact[3][4] = {
		{ true, false, true, true }, { true, true, true, true },
		{ true, false, false, true }
	};
	struct wide c[3][4];

	(void) state;
	run_ops(&o, POLY_F64, op, 3, 4, a, b, c);
	for (int k = 0; k < 3; k++)
		for (int i = 0; i < 4; i++)
			assert_true((c[k][i].bound == 0) == exact[k][i]);
}

static double root(double x)
{
	return 1 / sqrt(x);
}

static double sine(double x)
{
	return sin(M_PI * x);
}

static double cosine(double x)
{
	return cos(M_PI * x);
}

static double sine_by(double x)
{
	return sine(x) / (M_PI * x);
}

/* For x >= 0. */
static double erfinv(double x)
{
	double low = 0, high = 6;

	for (int i = 0; i < 60; i++)
		*(erf((low + high) / 2) < x ? &low : &high) = (low + high) / 2;
	return low;
}

static double gelu(double x)
{
	return x * (1 + erf(x * M_SQRT1_2)) / 2;
}

static double silu(double x)
{
	return x / (1 + exp(-x));
}

static double softplus(double x)
{
	return log(1 + exp(x));
}

static double mish(double x)
{
	return x * tanh(softplus(x));
}

/* Functions of an interval: the bound covers both ends, and is no more than
 * "most" times what it has to be.
 */
static void wide_functions(void **state)
{
	static const struct {
		enum poly_op op;
		double (*ref)(double);
		double most;
	} row[] = {
		{ POLY_OP_EXP2, exp2, 1.1 }, { POLY_OP_LOG2, log2, 1.1 },
		{ POLY_OP_LOG10, log10, 1.1 }, { POLY_OP_SIN, sin, 3 },
		{ POLY_OP_COS, cos, 3 }, { POLY_OP_TAN, tan, 1.1 },
		{ POLY_OP_ASIN, asin, 1.1 }, { POLY_OP_ACOS, acos, 1.1 },
		{ POLY_OP_ATAN, atan, 1.1 }, { POLY_OP_SINH, sinh, 1.1 },
		{ POLY_OP_COSH, cosh, 1.1 }, { POLY_OP_ASINH, asinh, 1.1 },
		{ POLY_OP_ATANH, atanh, 1.1 }, { POLY_OP_TANH, tanh, 1.1 },
		{ POLY_OP_EXPM1, expm1, 1.1 }, { POLY_OP_LOG1P, log1p, 1.1 },
		{ POLY_OP_RSQRT, root, 1.1 }, { POLY_OP_CBRT, cbrt, 1.1 },
		{ POLY_OP_ERFINV, erfinv, 1.1 }, { POLY_OP_ERF, erf, 1.1 }, { POLY_OP_ERFC, erfc, 1.1 },
		{ POLY_OP_SINPI, sine, 1000 }, { POLY_OP_COSPI, cosine, 1.1 },
		{ POLY_OP_SINC, sine_by, 2 }, { POLY_OP_GELU, gelu, 1.5 },
		{ POLY_OP_SILU, silu, 1.6 }, { POLY_OP_MISH, mish, 1.4 },
		{ POLY_OP_SOFTPLUS, softplus, 1.1 },
	};
	enum { N = sizeof(row) / sizeof(row[0]) };
	static const struct nvptx_options o = {
		.device = NVPTX_HOST, .wide = true
	};
	static const struct wide a = { 0.5, 0.01 };
	struct wide c[N];
	enum poly_op op[N];

	(void) state;
	for (int i = 0; i < N; i++)
		op[i] = row[i].op;
	run_ops(&o, POLY_F32, op, N, 1, &a, &a, c);
	for (int i = 0; i < N; i++) {
		double v = row[i].ref(a.value);
		double low = fabs(row[i].ref(a.value - a.bound) - v);
		double high = fabs(row[i].ref(a.value + a.bound) - v);
		double need = fmax(low, high);

		assert_true(fabs(c[i].value - v) <= 1e-15 * fabs(v) + 1e-16);
		if (!(c[i].bound >= need && c[i].bound < row[i].most * need))
			print_error("%s: bound %g, %g is needed\n",
				poly_op_name(op[i]), c[i].bound, need);
		assert_true(c[i].bound >= need &&
			c[i].bound < row[i].most * need);
	}
}

/* Operators of two and three arguments, of which the third is that of the
 * other element: the value, and from which to which number the bound is.
 */
static void wide_operators(void **state)
{
	static const enum poly_op op[] = {
		POLY_OP_COPYSIGN, POLY_OP_FMA, POLY_OP_LERP, POLY_OP_HYPOT,
		POLY_OP_NEXTAFTER
	};
	static const struct nvptx_options o = {
		.device = NVPTX_HOST, .wide = true
	};
	static const struct wide a[2] = { { 1, 0.125 }, { 2, 0 } };
	static const struct wide b[2] = { { -3, 1 }, { 0.5, 1 } };
	static const struct {
		double value, low, high;
	} want[5][2] = {
		{ { -1, 0.125, 0.125 }, { 2, 4, 4 } },
		{ { -1, 1.5, 1.51 }, { 2, 2.125, 2.13 } },
		{ { -7, 2.125, 2.13 }, { 0.5, 1.4375, 1.44 } },
		{ { sqrt(10), 1.125, 1.13 }, { sqrt(4.25), 1, 1.01 } },
		{ { 1 - 0x1p-24, 0.125, 0.126 }, { 2 - 0x1p-23, 0x1p-22, 0x1p-19 } }
	};
	struct wide c[5][2];

	(void) state;
	run_ops(&o, POLY_F32, op, 5, 2, a, b, c);
	for (int k = 0; k < 5; k++)
		for (int i = 0; i < 2; i++) {
			assert_true(c[k][i].value == want[k][i].value);
			assert_true(c[k][i].bound >= want[k][i].low);
			assert_true(c[k][i].bound <= want[k][i].high);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wide_choices),
		cmocka_unit_test(wide_exact),
		cmocka_unit_test(wide_functions),
		cmocka_unit_test(wide_operators),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
