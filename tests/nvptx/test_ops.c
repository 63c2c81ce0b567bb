/* Check every operator on every type, and every cast, on the host device,
 * against C: integers in 128 bits and cut, floats bit for bit.
 *
 * A program has one statement for each operator, S0, S1, ..., which run one
 * after the other: C[k,j] = op(A[0,j], B[0,j]), with A[0,N-1-j] behind if there
 * is a third operand, where a comparison is cast to the type of its operands; or Ck[0,j] = (type k) A[0,j].
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "ops.h"

/* ---------------------------------------------------------------- integers */

/* Pairs of small numbers, numbers near the ends of the type, and others. */
static int int_pairs(enum poly_type t, void *a, void *b)
{
	__int128 top = (__int128) 1 << (width(t) - is_signed(t));
	__int128 v[] = { 0, 1, -1, 2, -2, 3, -7, 100, top - 1, top - 2,
		-top, -top + 1, top / 3, 0x123456789abcdefLL };
	int n = sizeof(v) / sizeof(v[0]);

	for (int i = 0; i < n * n; i++) {
		set_int(t, a, i, v[i / n]);
		set_int(t, b, i, v[i % n]);
	}
	return n * n;
}

static void check_ints(enum poly_type t, const enum poly_op *op, int n_op,
	bool checked)
{
	const struct nvptx_options o = {
		.device = NVPTX_HOST, .checked = checked
	};
	uint64_t a[MOST], b[MOST], *c = calloc(32 * MOST, sizeof(*c));
	int n = int_pairs(t, a, b);

	assert_non_null(c);
	run_ops(&o, t, op, n_op, n, a, b, c);
	for (int k = 0; k < n_op * n; k++) {
		__int128 x = get_int(t, a, k % n), y = get_int(t, b, k % n);
		__int128 want = wrap(t, int_ref(op[k / n], t, x, y));

		if (get_int(t, c, k) != want)
			print_error("%s %s(%lld, %lld): %lld, not %lld\n",
				poly_type_name(t), poly_op_name(op[k / n]),
				(long long) x, (long long) y,
				(long long) get_int(t, c, k),
				(long long) want);
		assert_true(get_int(t, c, k) == want);
	}
	free(c);
}

static void integers(void **state)
{
	static const enum poly_op all[] = {
		POLY_OP_ADD, POLY_OP_SUB, POLY_OP_MUL, POLY_OP_DIV,
		POLY_OP_REM, POLY_OP_NEG, POLY_OP_MIN, POLY_OP_MAX,
		POLY_OP_AND, POLY_OP_OR, POLY_OP_XOR, POLY_OP_NOT,
		POLY_OP_SHL, POLY_OP_SHR, POLY_OP_CLZ, POLY_OP_PHILOX,
		POLY_OP_LT, POLY_OP_LE, POLY_OP_EQ, POLY_OP_NE, POLY_OP_RELU, POLY_OP_ABS,
		POLY_OP_FLOOR, POLY_OP_CEIL, POLY_OP_TRUNC, POLY_OP_ROUND,
	};
	static const enum poly_op of_bool[] = {
		POLY_OP_AND, POLY_OP_OR, POLY_OP_XOR, POLY_OP_NOT,
		POLY_OP_LT, POLY_OP_LE, POLY_OP_EQ, POLY_OP_NE,
		POLY_OP_MIN, POLY_OP_MAX,
	};

	(void) state;
	for (int t = POLY_I8; t <= POLY_U64; t++)
		check_ints((enum poly_type) t, all,
			sizeof(all) / sizeof(all[0]), false);
	check_ints(POLY_BOOL, of_bool, sizeof(of_bool) / sizeof(of_bool[0]),
		false);
	check_ints(POLY_BOOL, of_bool, 2, true);
	check_ints(POLY_U16, all, 3, true);
}

/* The reference on the vectors that its authors published with the generator
 * (Random123, kat_vectors): ten rounds on zeros, on ones, and on digits of pi.
 */
static void random_reference(void **state)
{
	static const struct {
		uint32_t counter[4], key[2], want[4];
	} known[] = {
		{ { 0, 0, 0, 0 }, { 0, 0 },
		  { 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8 } },
		{ { ~0u, ~0u, ~0u, ~0u }, { ~0u, ~0u },
		  { 0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd } },
		{ { 0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344 },
		  { 0xa4093822, 0x299f31d0 },
		  { 0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1 } }
	};

	(void) state;
	for (int k = 0; k < 3; k++)
		for (int i = 0; i < 4; i++)
			assert_int_equal(random_word(known[k].counter,
				known[k].key, i), known[k].want[i]);
}

/* The numbers 0 to 3 of the seed 0 are the first of the vectors. */
static void random_bits(void **state)
{
	static const uint64_t want[4] = { 0x6627e8d5, 0xe169c58d, 0xbc57ac4c,
		0x9b00dbd8 };
	static const uint64_t seed[4] = { 0 }, number[4] = { 0, 1, 2, 3 };
	static const enum poly_op op = POLY_OP_PHILOX;
	static const struct nvptx_options o = { .device = NVPTX_HOST };
	uint64_t c[4];

	(void) state;
	run_ops(&o, POLY_U64, &op, 1, 4, seed, number, c);
	for (int i = 0; i < 4; i++)
		assert_true(c[i] == want[i]);
}

/* ------------------------------------------------------------------ floats */

static double float_min(double a, double b, bool max)
{
	if (isnan(a) || isnan(b))
		return isnan(a) ? b : a;
	if (a == b)
		return !signbit(a) == max ? a : b;
	return (a < b) == max ? b : a;
}

static float single_lerp(float a, float b, float t)
{
	float left = a * (1 - t), right = b * t;

	return left + right;
}

/* Exact or, for f64, rounded once; x87's digits hold + - * / of the others. */
static long double float_ref(enum poly_op op, double a, double b, double c,
	bool f64)
{
	long double x = a, y = b;

	switch (op) {
	case POLY_OP_ADD: return f64 ? (long double) (a + b) : x + y;
	case POLY_OP_SUB: return f64 ? (long double) (a - b) : x - y;
	case POLY_OP_MUL: return f64 ? (long double) (a * b) : x * y;
	case POLY_OP_DIV: return a / b;
	case POLY_OP_REM: return fmod(a, b);
	case POLY_OP_NEG: return -a;
	case POLY_OP_MIN: return float_min(a, b, false);
	case POLY_OP_MAX: return float_min(a, b, true);
	case POLY_OP_LT: return a < b;
	case POLY_OP_LE: return a <= b;
	case POLY_OP_EQ: return a == b;
	case POLY_OP_NE: return a != b;
	case POLY_OP_RELU: return a <= 0 ? 0 : a;
	case POLY_OP_ABS: return fabs(a);
	case POLY_OP_FLOOR: return floor(a);
	case POLY_OP_CEIL: return ceil(a);
	case POLY_OP_TRUNC: return trunc(a);
	case POLY_OP_ROUND: return round(a);
	case POLY_OP_COPYSIGN: return copysign(a, b);
	case POLY_OP_NEXTAFTER: return f64 ? nextafter(a, b) :
		nextafterf((float) a, (float) b);
	case POLY_OP_FMA: return f64 ? fma(a, b, c) :
		fmaf((float) a, (float) b, (float) c);
	case POLY_OP_LERP: return f64 ? a * (1 - c) + b * c :
		single_lerp((float) a, (float) b, (float) c);
	default: return sqrt(a);
	}
}

static int float_pairs(enum poly_type t, void *a, void *b)
{
	static const double v[] = {
		0.0, -0.0, 1, -1, 0.5, -0.5, 1.5, -2.5, 3, 0.1, -0.3, 1e3,
		65504, -65520, 3e38, 1e308, -1e308, 0x1p-24, 0x1p-149,
		-0x1p-1074, INFINITY, -INFINITY, NAN, 0x1p53, 8388609
	};
	int n = sizeof(v) / sizeof(v[0]);

	for (int i = 0; i < n * n; i++) {
		set_float(t, a, i, v[i / n]);
		set_float(t, b, i, v[i % n]);
	}
	return n * n;
}

static void floats(void **state)
{
	static const enum poly_op op[] = {
		POLY_OP_ADD, POLY_OP_SUB, POLY_OP_MUL, POLY_OP_DIV,
		POLY_OP_REM, POLY_OP_NEG, POLY_OP_MIN, POLY_OP_MAX,
		POLY_OP_LT, POLY_OP_LE, POLY_OP_EQ, POLY_OP_NE, POLY_OP_RELU,
		POLY_OP_ABS, POLY_OP_FLOOR, POLY_OP_CEIL, POLY_OP_TRUNC,
		POLY_OP_ROUND, POLY_OP_SQRT, POLY_OP_COPYSIGN, POLY_OP_FMA,
		POLY_OP_LERP, POLY_OP_NEXTAFTER,
	};
	const int n_op = sizeof(op) / sizeof(op[0]);
	uint64_t a[MOST], b[MOST], *c = calloc(32 * MOST, sizeof(*c));

	(void) state;
	assert_non_null(c);
	for (int t = POLY_F16; t <= POLY_F64; t++) {
		enum poly_type type = (enum poly_type) t;
		int n = float_pairs(type, a, b);

		run_ops(&plain, type, op, n_op, n, a, b, c);
		for (int k = 0; k < n_op * n; k++) {
			double x = get_float(type, a, k % n);
			double y = get_float(type, b, k % n);
			double z = get_float(type, a, n - 1 - k % n);
			double got = get_float(type, c, k);
			double want = round_to(type, float_ref(op[k / n], x,
				y, z, t == POLY_F64));

			if (poly_type_compute(type) != type)
				want = round_to(type, round_to(POLY_F32,
					float_ref(op[k / n], x, y, z,
					false)));
			if (!same(got, want))
				print_error("%s %s(%a, %a): %a, not %a\n",
					poly_type_name(type),
					poly_op_name(op[k / n]), x, y, got,
					want);
			assert_true(same(got, want));
		}
	}
	free(c);
}

/* ------------------------------------------------------------------- casts */

static __int128 float_to_int(enum poly_type to, double x)
{
	if (isnan(x))
		return 0;
	x = trunc(x);
	if (to == POLY_U64 && x >= 0x1p64)
		return ((__int128) 1 << 64) - 1;
	if (to != POLY_U64 && x >= 0x1p63)
		return INT64_MAX;
	if (x < -0x1p63)
		return wrap(to, INT64_MIN);
	return wrap(to, (__int128) x);
}

static bool right_cast(enum poly_type from, enum poly_type to, const void *a,
	const void *c, int i)
{
	bool is_float = poly_type_is_float(from);
	double x = is_float ? get_float(from, a, i) : 0;
	__int128 n = is_float ? 0 : get_int(from, a, i), want;

	if (poly_type_is_float(to))
		return same(get_float(to, c, i), round_to(to, is_float ? x :
			(long double) n));
	if (to == POLY_BOOL)
		want = is_float ? x != 0 : n != 0;
	else
		want = is_float ? wrap(to, float_to_int(to, x)) : wrap(to, n);
	return get_int(to, c, i) == want;
}

/* Digits of the types that a value may be rounded to. */
static const int cut_to[] = { 8, 11, 24, 53 };
enum { N_CUT = sizeof(cut_to) / sizeof(cut_to[0]) };

/* The "k"-th of three numbers of "digits" digits: even, odd, and one that a carry
 * makes longer.
 */
static int64_t whole(int digits, int k)
{
	int64_t half = INT64_C(1) << (digits - 1);

	return k == 2 ? 2 * half - 1 : half + k;
}

/* Behind the "n" integers of "a", those in the middle between two numbers of
 * each float type, and those beside them; returns how many there are then.
 */
static int add_int_ties(enum poly_type t, void *a, int n)
{
	for (int c = 0; c < N_CUT; c++)
		for (int k = 0; k < 3 * 3 * 2; k++)
			for (int s = 1; s + cut_to[c] <= width(t); s++) {
				__int128 x = whole(cut_to[c], k % 3);

				x = (x << s) + ((__int128) 1 << (s - 1)) +
					k / 3 % 3 - 1;
				x = k / 9 ? -x : x;
				if (wrap(t, x) != x)
					continue;
				assert_true(n < MOST_CAST);
				set_int(t, a, n++, x);
			}
	return n;
}

/* The same of floats, and where 32 and 64 bits end. */
static int add_float_ties(enum poly_type t, void *a, int n)
{
	static const double end[] = {
		0x1p31, 0x1.000002p+31, -0x1.000002p+31, 0x1.fffffep+30,
		0x1p63, -0x1p63, 0x1.fffffep+62, 0x1.000002p+63
	};

	for (int i = 0; i < (int) (sizeof(end) / sizeof(end[0])); i++)
		set_float(t, a, n++, end[i]);
	for (int c = 0; cut_to[c] < poly_type_digits(t); c++)
		for (int k = 0; k < 3 * 3 * 2; k++)
			for (int e = -170; e <= 130; e += 7) {
				double x = ldexp((double) whole(cut_to[c],
					k % 3) + 0.5, e);

				x += (k / 3 % 3 - 1) * ldexp(1, e + cut_to[c] -
					poly_type_digits(t));
				assert_true(n < MOST_CAST);
				set_float(t, a, n++, k / 9 ? -x : x);
			}
	return n;
}

/* Floats of 8 bits have tests of their own (tests/run/test_float8.py). */
static bool is_short_float(enum poly_type t)
{
	return poly_type_is_float(t) && poly_type_size(t) == 1;
}

/* Casts from "t" to every type, to which "c" has room for each. */
static void check_casts(enum poly_type t, uint64_t *a, uint64_t *b,
	void *const *c)
{
	int n = poly_type_is_float(t) ?
		add_float_ties(t, a, float_pairs(t, a, b)) :
		add_int_ties(t, a, int_pairs(t, a, b));

	run_casts(t, n, a, c);
	for (int k = 0; k < POLY_N_TYPE * n; k++) {
		enum poly_type to = (enum poly_type) (k / n);
		bool good = is_short_float(to) ||
			right_cast(t, to, a, c[to], k % n);

		if (!good)
			print_error("%s to %s: element %d\n",
				poly_type_name(t), poly_type_name(to), k % n);
		assert_true(good);
	}
}

static void casts(void **state)
{
	static uint64_t a[MOST_CAST], b[MOST_CAST];
	void *c[POLY_N_TYPE];

	(void) state;
	for (int k = 0; k < POLY_N_TYPE; k++) {
		c[k] = calloc(MOST_CAST, 8);
		assert_non_null(c[k]);
	}
	for (int from = 0; from < POLY_N_TYPE; from++)
		if (!is_short_float((enum poly_type) from))
			check_casts((enum poly_type) from, a, b, c);
	for (int k = 0; k < POLY_N_TYPE; k++)
		free(c[k]);
}

/* --------------------------------------------------- indices and selections */

/* C = A < B ? an index beyond 32 bits : A, by a branch; D is an index that
 * wraps.
 */
static void index_and_select(void **state)
{
	static const int64_t a[4] = { 1, 2, 3, 4 }, b[4] = { 9, 2, 9, 9 };
	struct poly_array *x[4];
	struct poly_expr *e[2], *cond;
	int64_t c[4];
	int32_t d[4];
	struct unit u;

	(void) state;
	ops_begin(&u, 2);
	x[0] = array(&u, "A", POLY_I64, POLY_INPUT, "[N] -> { A[(1),(N)] }");
	x[1] = array(&u, "B", POLY_I64, POLY_INPUT, "[N] -> { B[(1),(N)] }");
	x[2] = array(&u, "C", POLY_I64, POLY_OUTPUT, "[N] -> { C[(1),(N)] }");
	x[3] = array(&u, "D", POLY_I32, POLY_OUTPUT, "[N] -> { D[(1),(N)] }");
	e[0] = poly_expr_index(POLY_I64, poly_read_index(u.prog,
		"[N] -> { S0[i,j] -> [(3000000000j - floor(j/3) + N)] }"));
	e[1] = poly_expr_index(POLY_I32, poly_read_index(u.prog,
		"[N] -> { S1[i,j] -> [(3000000000j)] }"));
	cond = poly_expr_op(POLY_OP_LT, POLY_BOOL, read_at(&u, x[0], 0),
		read_at(&u, x[1], 0));
	e[0] = poly_expr_op3(POLY_OP_BRANCH, POLY_I64, cond, e[0],
		read_at(&u, x[0], 0));
	writes(&u, u.prog->stmt[0], x[2], "{ S0[i,j] -> C[(i),(j)] }",
		POLY_OP_NONE, e[0]);
	writes(&u, u.prog->stmt[1], x[3], "{ S1[i,j] -> D[(i),(j)] }",
		POLY_OP_NONE, e[1]);
	ops_end(&u, 2);
	ops_run(&u, &plain, 4, (void *[]) { (void *) a, (void *) b, c, d });
	unit_end(&u);
	for (int64_t j = 0; j < 4; j++) {
		assert_true(c[j] == (a[j] < b[j] ?
			3000000000 * j - j / 3 + 4 : a[j]));
		assert_true(d[j] == (int32_t) (3000000000 * j));
	}
}

/* ------------------------------------------------------- modes of the fp */

static void contraction(void **state)
{
	struct nvptx_options o = plain;
	const float a = 1 + 0x1p-20f, b = -1;
	float c;

	(void) state;
	sum_of_product(&o, &a, &b, &c);
	assert_true(c == fmaf(a, a, b));
	o.no_contract = true;
	sum_of_product(&o, &a, &b, &c);
	assert_true(c == a * a - 1 && c != fmaf(a, a, b));
}

/* ---------------------------------------------------------------- the GPU */

/* "u" as PTX is one kernel that calls nothing. */
static void check_ptx(struct unit *u)
{
	struct poly_str ptx = gpu_text(u, "sm_89");

	unit_is_clean(u);
	assert_non_null(strstr(ptx.s, ".entry k("));
	assert_null(strstr(ptx.s, "call"));
	assert_null(strstr(ptx.s, ".extern .func"));
	poly_str_free(&ptx);
}

static void gpu_operators(void **state)
{
	static const enum poly_type type[] = { POLY_F16, POLY_F32, POLY_F64 };
	enum poly_op op[POLY_OP_NONE];
	struct unit u;
	int n = 0;

	(void) state;
	for (int k = POLY_OP_LT; k < POLY_OP_NONE; k++)
		if (poly_op_shape((enum poly_op) k) != POLY_SHAPE_SELECT)
			op[n++] = (enum poly_op) k;
	op[n++] = POLY_OP_REM;
	for (int k = 0; k < 3; k++) {
		make_ops(&u, type[k], op, n);
		check_ptx(&u);
		unit_end(&u);
	}
	n = 0;
	for (int k = POLY_OP_ADD; k <= POLY_OP_ROUND; k++)
		if (k != POLY_OP_SELECT)
			op[n++] = (enum poly_op) k;
	for (int t = POLY_I8; t <= POLY_BOOL; t++) {
		make_ops(&u, (enum poly_type) t, op, n);
		check_ptx(&u);
		unit_end(&u);
	}
}

/* No function of f32 or of a narrower type has an operation of f64. */
static void gpu_without_f64(void **state)
{
	static const enum poly_type type[] = { POLY_F16, POLY_BF16, POLY_F32 };
	int n_wide = 0;

	(void) state;
	for (int k = POLY_OP_ADD; k < POLY_OP_NONE; k++) {
		enum poly_op op = (enum poly_op) k;
		struct unit u;

		if (poly_op_shape(op) != POLY_SHAPE_SAME ||
		    (op >= POLY_OP_AND && op <= POLY_OP_PHILOX))
			continue;
		for (int t = k < POLY_OP_EXP ? 2 : 0; t < 3; t++) {
			struct poly_str ptx;

			make_ops(&u, type[t], &op, 1);
			ptx = gpu_text(&u, "sm_89");
			unit_is_clean(&u);
			if (strstr(ptx.s, ".f64")) {
				print_error("%s of %s has f64\n", poly_op_name(op),
					poly_type_name(type[t]));
				n_wide++;
			}
			poly_str_free(&ptx);
			unit_end(&u);
		}
	}
	assert_int_equal(n_wide, 0);
}

static void gpu_casts(void **state)
{
	struct unit u;

	(void) state;
	for (int t = 0; t < POLY_N_TYPE; t++) {
		make_casts(&u, (enum poly_type) t);
		check_ptx(&u);
		unit_end(&u);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(integers),
		cmocka_unit_test(random_reference),
		cmocka_unit_test(random_bits),
		cmocka_unit_test(floats),
		cmocka_unit_test(casts),
		cmocka_unit_test(index_and_select),
		cmocka_unit_test(contraction),
		cmocka_unit_test(gpu_operators),
		cmocka_unit_test(gpu_without_f64),
		cmocka_unit_test(gpu_casts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
