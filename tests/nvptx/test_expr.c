/* Check single operations and casts on the host device: special values, and
 * conversions that round once. Each program is C[i] = f(A[i], B[i]).
 */
#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "program.h"

/* C = (type of C) op(A, B); "op" NONE only casts A. */
static void one_op(struct unit *u, enum poly_type from, enum poly_op op,
	enum poly_type to)
{
	static const int thread[2] = { 1, 4 };
	struct poly_array *a, *b, *c;
	struct poly_expr *x, *y = NULL;
	struct poly_stmt *s;

	unit_begin(u, "op");
	param(u, "N");
	a = array(u, "A", from, POLY_INPUT, "[N] -> { A[(1),(N)] }");
	b = array(u, "B", from, POLY_INPUT, "[N] -> { B[(1),(N)] }");
	c = array(u, "C", to, POLY_OUTPUT, "[N] -> { C[(1),(N)] }");
	s = stmt(u, "S", POLY_POINT,
		"[N] -> { S[i,j] : i = 0 and 0 <= j < N }");
	x = reads(u, a, "{ S[i,j] -> A[(i),(j)] }");
	if (op != POLY_OP_NONE) {
		if (poly_op_n_arg(op) == 2)
			y = reads(u, b, "{ S[i,j] -> B[(i),(j)] }");
		x = poly_expr_op(op, from, x, y);
	}
	writes(u, s, c, "{ S[i,j] -> C[(i),(j)] }", POLY_OP_NONE,
		poly_expr_cast(to, x));
	kernel(u, false, thread, thread, 0, "{ [(1)] }",
		"[N] -> { [(floor((N + 3)/4))] }");
	schedule(u, "{ domain: \"[N] -> { S[i,j] : i = 0 and 0 <= j < N }\", "
		"child: { mark: \"kernel:k\", child: { filter: "
		"\"[b0,b1,t0,t1] -> { S[b0 + t0, 4b1 + t1] : "
		"0 = t0 and 0 <= t1 < 4 }\", child: { schedule: "
		"\"[{ S[i,j] -> [(i)] }, { S[i,j] -> [(j)] }]\" } } } }");
}

/* Run one_op on "n" elements of "a" and "b". */
static void run(enum poly_type from, enum poly_op op, enum poly_type to,
	int n, const void *a, const void *b, void *c, bool wide)
{
	const void *data[3] = { a, b ? b : a, c };
	int64_t size = n;
	struct unit u;
	struct host h;

	one_op(&u, from, op, to);
	host_begin(&h, &u, false, wide);
	assert_int_equal(host_run(&h, &size, (void *const *) data), CETANE_OK);
	host_end(&h);
	unit_end(&u);
}

static bool same(float x, float y)
{
	return (isnan(x) && isnan(y)) ||
		(x == y && signbit(x) == signbit(y));
}

static void f32_special_values(void **state)
{
	static const float a[8] = { NAN, 1, -0.0f, 0, -3, INFINITY, NAN,
		-0.0f };
	static const float b[8] = { 2, NAN, 0, -0.0f, 4, -INFINITY, NAN, 5 };
	static const float min[8] = { 2, 1, -0.0f, -0.0f, -3, -INFINITY, NAN,
		-0.0f };
	static const float max[8] = { 2, 1, 0, 0, 4, INFINITY, NAN, 5 };
	static const float relu[8] = { NAN, 1, 0, 0, 0, INFINITY, NAN, 0 };
	static const float abs[8] = { NAN, 1, 0, 0, 3, INFINITY, NAN, 0 };
	static const struct {
		enum poly_op op;
		const float *want;
	} row[] = {
		{ POLY_OP_MIN, min }, { POLY_OP_MAX, max },
		{ POLY_OP_RELU, relu }, { POLY_OP_ABS, abs },
	};
	float c[8];

	(void) state;
	for (size_t r = 0; r < sizeof(row) / sizeof(row[0]); r++) {
		run(POLY_F32, row[r].op, POLY_F32, 8, a, b, c, false);
		for (int i = 0; i < 8; i++) {
			if (!same(c[i], row[r].want[i]))
				print_error("%s of %g, %g: %g\n",
					poly_op_name(row[r].op), a[i], b[i],
					c[i]);
			assert_true(same(c[i], row[r].want[i]));
		}
	}
}

static void int_division(void **state)
{
	static const int32_t a[6] = { 7, -7, 5, INT_MIN, INT_MIN, 0 };
	static const int32_t b[6] = { 2, 2, 0, -1, 0, -1 };
	static const int32_t want[6] = { 3, -3, 0, INT_MIN, 0, 0 };
	static const int8_t a8[4] = { -128, 100, -128, 5 };
	static const int8_t b8[4] = { -1, 100, 0, -1 };
	int32_t c[6];
	int8_t c8[4];

	(void) state;
	run(POLY_I32, POLY_OP_DIV, POLY_I32, 6, a, b, c, false);
	assert_memory_equal(c, want, sizeof(want));
	run(POLY_I8, POLY_OP_DIV, POLY_I8, 4, a8, b8, c8, false);
	assert_memory_equal(c8, ((int8_t []) { -128, 1, 0, -5 }), 4);
	run(POLY_I8, POLY_OP_ADD, POLY_I8, 4, a8, b8, c8, false);
	assert_memory_equal(c8, ((int8_t []) { 127, -56, -128, 4 }), 4);
	run(POLY_I8, POLY_OP_NEG, POLY_I8, 4, a8, b8, c8, false);
	assert_memory_equal(c8, ((int8_t []) { -128, -100, -128, -5 }), 4);
}

/* Rounding to f32 first would take the ties the other way. */
static void casts_round_once(void **state)
{
	static const double d[6] = { 1 + 0x1p-11 + 0x1p-30,
		1 + 0x1p-11 - 0x1p-30, -(1 + 0x1p-11 + 0x1p-40), 1e300, NAN,
		0x1p-25 };
	static const double bd[3] = { 1 + 0x1p-8 + 0x1p-40, 1 + 0x1p-8,
		-1e300 };
	static const int32_t i[4] = { 0x1010001, 0x1010000, -0x1010001, 3 };
	uint16_t h[6];

	(void) state;
	run(POLY_F64, POLY_OP_NONE, POLY_F16, 6, d, NULL, h, false);
	assert_int_equal(h[0], 0x3c01);
	assert_int_equal(h[1], 0x3c00);
	assert_int_equal(h[2], 0xbc01);
	assert_int_equal(h[3], 0x7c00);
	assert_true(isnan(cetane_host_f16_to_f32(h[4])));
	assert_int_equal(h[5], 0);
	run(POLY_F64, POLY_OP_NONE, POLY_BF16, 3, bd, NULL, h, false);
	assert_int_equal(h[0], 0x3f81);
	assert_int_equal(h[1], 0x3f80);
	assert_int_equal(h[2], 0xff80);
	run(POLY_I32, POLY_OP_NONE, POLY_BF16, 4, i, NULL, h, false);
	assert_int_equal(h[0], 0x4b81);
	assert_int_equal(h[1], 0x4b80);
	assert_int_equal(h[2], 0xcb81);
	assert_int_equal(h[3], 0x4040);
}

static void casts_to_int_wrap(void **state)
{
	static const double d[5] = { 2.9, -2.9, 4294967298.0, NAN, 300 };
	static const int32_t want[5] = { 2, -2, 2, 0, 300 };
	int32_t c[5];
	int8_t c8[5];

	(void) state;
	run(POLY_F64, POLY_OP_NONE, POLY_I32, 5, d, NULL, c, false);
	assert_memory_equal(c, want, sizeof(want));
	run(POLY_F64, POLY_OP_NONE, POLY_I8, 5, d, NULL, c8, false);
	assert_memory_equal(c8, ((int8_t []) { 2, -2, 2, 0, 44 }), 5);
}

/* Storage types compute in f32 and round once more. */
static void half_arithmetic(void **state)
{
	uint16_t a[2] = { cetane_host_f32_to_f16(2048),
		cetane_host_f32_to_f16(60000) };
	uint16_t b[2] = { cetane_host_f32_to_f16(1.5f),
		cetane_host_f32_to_f16(60000) };
	uint16_t c[2];

	(void) state;
	run(POLY_F16, POLY_OP_ADD, POLY_F16, 2, a, b, c, false);
	assert_true(cetane_host_f16_to_f32(c[0]) == 2050);
	assert_true(isinf(cetane_host_f16_to_f32(c[1])));
}

/* The bound of each operation covers the true value, given operands that are
 * off by their bounds; here {value, bound} pairs.
 */
static void wide_bounds(void **state)
{
	static const double a[3][2] = { { 3, 0.01 }, { 0.1, 0 }, { 1, 2 } };
	static const double b[3][2] = { { 2, 0.02 }, { 0.25, 0 }, { 1, 2 } };
	double c[3][2];

	(void) state;
	run(POLY_F32, POLY_OP_MUL, POLY_F32, 3, a, b, c, true);
	assert_true(c[0][0] == 6 && c[0][1] >= 0.0802 && c[0][1] < 0.0803);
	assert_true(c[1][0] == 0.025 && c[1][1] >= 0.025 * 0x1p-24 &&
		c[1][1] < 0.026 * 0x1p-24);
	run(POLY_F32, POLY_OP_DIV, POLY_F32, 3, a, b, c, true);
	assert_true(c[0][1] >= 3.01 / 1.98 - 1.5 && c[0][1] < 0.0203);
	assert_true(isinf(c[2][1]));
	run(POLY_F32, POLY_OP_SUB, POLY_F32, 3, a, b, c, true);
	assert_true(c[2][0] == 0 && c[2][1] >= 4 && c[2][1] < 4.001);
	run(POLY_F32, POLY_OP_EXP, POLY_F32, 3, a, b, c, true);
	assert_true(c[0][1] >= exp(3.01) - exp(3) && c[0][1] < 0.204);
	run(POLY_F32, POLY_OP_SQRT, POLY_F32, 3, a, b, c, true);
	assert_true(c[0][1] >= sqrt(3) - sqrt(2.99) && c[0][1] < 0.003);
	assert_true(isinf(c[2][1]));
	run(POLY_F32, POLY_OP_LOG, POLY_F32, 3, a, b, c, true);
	assert_true(c[0][1] >= log(3) - log(2.99) && c[0][1] < 0.0034);
	assert_true(isinf(c[2][1]));
	run(POLY_F32, POLY_OP_NONE, POLY_F16, 3, a, b, c, true);
	assert_true(c[1][1] >= 0.1 * 0x1p-11 && c[1][1] < 0x1p-14);
}

/* Values that leave the type's range have no bound. */
static void wide_overflow(void **state)
{
	static const double a[2][2] = { { 3e38, 0 }, { 1e5, 0 } };
	static const double b[2][2] = { { 3e38, 0 }, { 1e5, 0 } };
	double c[2][2];

	(void) state;
	run(POLY_F32, POLY_OP_ADD, POLY_F32, 2, a, b, c, true);
	assert_true(isinf(c[0][1]));
	assert_true(c[1][1] < 1);
	run(POLY_F32, POLY_OP_NONE, POLY_F16, 2, a, b, c, true);
	assert_true(isinf(c[1][1]));
}

/* Integers wrap in reference mode as they do in their type. */
static void wide_integers(void **state)
{
	static const struct wide {
		int64_t value;
		double bound;
	} a[2] = { { 127, 0 }, { -3, 0 } }, b[2] = { { 2, 0 }, { 50, 0 } };
	struct wide c[2];

	(void) state;
	run(POLY_I8, POLY_OP_MUL, POLY_I8, 2, a, b, c, true);
	assert_true(c[0].value == -2 && c[0].bound == 0);
	assert_true(c[1].value == 106 && c[1].bound == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(f32_special_values),
		cmocka_unit_test(int_division),
		cmocka_unit_test(casts_round_once),
		cmocka_unit_test(casts_to_int_wrap),
		cmocka_unit_test(half_arithmetic),
		cmocka_unit_test(wide_bounds),
		cmocka_unit_test(wide_overflow),
		cmocka_unit_test(wide_integers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
