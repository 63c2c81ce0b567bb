/* Check ring mode, in which floats are integers modulo 2^32. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ops.h"

static const struct nvptx_options in_ring = {
	.device = NVPTX_HOST, .ring = true
};

enum { N_RING = 64 };

/* One operator on f32 in ring mode. */
static void ring_op(enum poly_op op, const uint32_t *a, const uint32_t *b,
	uint32_t *c)
{
	run_ops(&in_ring, POLY_F32, &op, 1, N_RING, a, b, c);
}

static bool all_differ(const uint32_t *x)
{
	for (int i = 0; i < N_RING; i++)
		for (int k = 0; k < i; k++)
			if (x[i] == x[k])
				return false;
	return true;
}

static void ring_numbers(uint32_t *a, uint32_t *b)
{
	for (uint32_t i = 0; i < N_RING; i++) {
		a[i] = i * 0x9e3779b9u;
		b[i] = i * 0x85ebca6bu + 1;
	}
}

/* + - * neg wrap; comparisons, min, max, abs, relu are signed. */
static void ring_arithmetic(void **state)
{
	static const enum poly_op op[] = {
		POLY_OP_ADD, POLY_OP_SUB, POLY_OP_MUL, POLY_OP_NEG,
		POLY_OP_MIN, POLY_OP_MAX, POLY_OP_ABS, POLY_OP_RELU,
		POLY_OP_LT, POLY_OP_LE, POLY_OP_EQ, POLY_OP_NE,
	};
	enum { N_OP = sizeof(op) / sizeof(op[0]) };
	uint32_t a[N_RING], b[N_RING], c[N_OP][N_RING];

	(void) state;
	ring_numbers(a, b);
	b[5] = a[5];
	run_ops(&in_ring, POLY_F32, op, N_OP, N_RING, a, b, c);
	for (int i = 0; i < N_RING; i++)
		for (int k = 0; k < N_OP; k++)
			assert_int_equal(c[k][i], (uint32_t) wrap(POLY_I32,
				int_ref(op[k], POLY_I32, (int32_t) a[i],
				(int32_t) b[i])));
}

/* a b + c, and a (1 - c) + b c with the bits of 1. */
static void ring_three(void **state)
{
	uint32_t a[N_RING], b[N_RING], f[N_RING], l[N_RING], c;

	(void) state;
	ring_numbers(a, b);
	ring_op(POLY_OP_FMA, a, b, f);
	ring_op(POLY_OP_LERP, a, b, l);
	for (int i = 0; i < N_RING; i++) {
		c = a[N_RING - 1 - i];
		assert_int_equal(f[i], a[i] * b[i] + c);
		assert_int_equal(l[i], a[i] * (0x3f800000 - c) + b[i] * c);
	}
}

/* a / b = a p(b) with a permutation p. */
static void ring_division(void **state)
{
	uint32_t a[N_RING], b[N_RING], one[N_RING], p[N_RING], c[N_RING];

	(void) state;
	ring_numbers(a, b);
	for (int i = 0; i < N_RING; i++)
		one[i] = 1;
	ring_op(POLY_OP_DIV, one, b, p);
	ring_op(POLY_OP_DIV, a, b, c);
	assert_true(all_differ(p) && memcmp(p, b, sizeof(p)) != 0);
	for (int i = 0; i < N_RING; i++)
		assert_int_equal(c[i], a[i] * p[i]);
}

/* exp2(a + b) = exp2(a) exp2(b), and so for exp; exp2(1) is 5. */
static void ring_powers(void **state)
{
	static const enum poly_op op[] = { POLY_OP_EXP2, POLY_OP_EXP };
	uint32_t a[N_RING], b[N_RING], sum[N_RING], x[N_RING], y[N_RING];
	uint32_t z[N_RING];

	(void) state;
	ring_numbers(a, b);
	for (int k = 0; k < 2; k++) {
		for (int i = 0; i < N_RING; i++)
			sum[i] = a[i] + b[i];
		ring_op(op[k], a, a, x);
		ring_op(op[k], b, b, y);
		ring_op(op[k], sum, sum, z);
		for (int i = 0; i < N_RING; i++)
			assert_int_equal(z[i], x[i] * y[i]);
		assert_int_equal(x[0], 1);
		assert_true(k ? y[0] != 5 : y[0] == 5);
	}
}

/* Other functions are permutations, no two of them the same. */
static void ring_functions(void **state)
{
	static const enum poly_op op[] = {
		POLY_OP_SQRT, POLY_OP_LOG, POLY_OP_TANH, POLY_OP_SIGMOID,
		POLY_OP_SIN, POLY_OP_COS, POLY_OP_POW, POLY_OP_ATAN2,
		POLY_OP_REM, POLY_OP_FLOOR, POLY_OP_ROUND, POLY_OP_HYPOT,
		POLY_OP_COPYSIGN, POLY_OP_NEXTAFTER,
	};
	enum { N_OP = sizeof(op) / sizeof(op[0]) };
	uint32_t a[N_RING], b[N_RING], c[N_OP][N_RING];

	(void) state;
	ring_numbers(a, b);
	for (int i = 0; i < N_RING; i++)
		b[i] = 7;
	run_ops(&in_ring, POLY_F32, op, N_OP, N_RING, a, b, c);
	for (int k = 0; k < N_OP; k++) {
		assert_true(all_differ(c[k]));
		for (int i = 0; i < k; i++)
			assert_true(memcmp(c[k], c[i], sizeof(c[k])) != 0);
	}
}

/* Literals and inputs are their bits; C = f64(A) + 1.5 and back. */
static void ring_casts(void **state)
{
	static const uint32_t a[2] = { 0x80000001, 0x7fffffff };
	const double literal = 1.5;
	struct poly_array *x[3];
	struct poly_expr *e;
	uint64_t c[2], bits;
	uint16_t d[2];
	struct unit u;

	(void) state;
	ops_begin(&u, 2);
	x[0] = array(&u, "A", POLY_F32, POLY_INPUT, "[N] -> { A[(1),(N)] }");
	x[1] = array(&u, "C", POLY_F64, POLY_OUTPUT, "[N] -> { C[(1),(N)] }");
	x[2] = array(&u, "D", POLY_F16, POLY_OUTPUT, "[N] -> { D[(1),(N)] }");
	e = poly_expr_op(POLY_OP_ADD, POLY_F64, poly_expr_cast(POLY_F64,
		read_at(&u, x[0], 0)), poly_expr_const(POLY_F64, literal));
	writes(&u, u.prog->stmt[0], x[1], "{ S0[i,j] -> C[(i),(j)] }",
		POLY_OP_NONE, e);
	e = poly_expr_op(POLY_OP_ADD, POLY_F16, poly_expr_cast(POLY_F16,
		read_at(&u, x[0], 1)), poly_expr_const(POLY_F16, 0.5));
	writes(&u, u.prog->stmt[1], x[2], "{ S1[i,j] -> D[(i),(j)] }",
		POLY_OP_NONE, e);
	ops_end(&u, 2);
	ops_run(&u, &in_ring, 2, (void *[]) { (void *) a, c, d });
	unit_end(&u);
	memcpy(&bits, &literal, sizeof(bits));
	assert_true(c[0] == UINT64_C(0xffffffff80000001) + bits);
	assert_true(c[1] == UINT64_C(0x7fffffff) + bits);
	assert_int_equal(d[0], 0x3801);
	assert_int_equal(d[1], 0x37ff);
}

/* Infinities are the least and the greatest element. */
static void ring_infinities(void **state)
{
	struct poly_array *x[2];
	uint32_t c, d;
	struct unit u;

	(void) state;
	ops_begin(&u, 2);
	x[0] = array(&u, "C", POLY_F32, POLY_OUTPUT, "[N] -> { C[(1),(N)] }");
	x[1] = array(&u, "D", POLY_F32, POLY_OUTPUT, "[N] -> { D[(1),(N)] }");
	writes(&u, u.prog->stmt[0], x[0], "{ S0[i,j] -> C[(i),(j)] }",
		POLY_OP_NONE, poly_expr_const(POLY_F32, -INFINITY));
	writes(&u, u.prog->stmt[1], x[1], "{ S1[i,j] -> D[(i),(j)] }",
		POLY_OP_NONE, poly_expr_const(POLY_F32, INFINITY));
	ops_end(&u, 2);
	ops_run(&u, &in_ring, 1, (void *[]) { &c, &d });
	unit_end(&u);
	assert_int_equal(c, 0x80000000);
	assert_int_equal(d, 0x7fffffff);
}

/* cell + x y wraps, fused or not. */
static void ring_sum(void **state)
{
	const uint32_t a = 0x12345679, b = 0x9abcdef1;
	float x, y, c;
	uint32_t bits;

	(void) state;
	memcpy(&x, &a, sizeof(x));
	memcpy(&y, &b, sizeof(y));
	sum_of_product(&in_ring, &x, &y, &c);
	memcpy(&bits, &c, sizeof(bits));
	assert_int_equal(bits, b + a * a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ring_arithmetic),
		cmocka_unit_test(ring_three),
		cmocka_unit_test(ring_division),
		cmocka_unit_test(ring_powers),
		cmocka_unit_test(ring_functions),
		cmocka_unit_test(ring_casts),
		cmocka_unit_test(ring_infinities),
		cmocka_unit_test(ring_sum),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
