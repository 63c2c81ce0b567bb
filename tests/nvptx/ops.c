/* Programs of one statement for each operator or cast, and values of every type. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ops.h"

/* ---------------------------------------------------------------- programs */

static const char *text(struct poly_str *s, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static const char *text(struct poly_str *s, const char *fmt, ...)
{
	char buf[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(buf, sizeof(buf), fmt, ap);
	va_end(ap);
	poly_str_free(s);
	poly_str_add(s, buf);
	return s->s;
}

/* Begin a program of "n" statements S0[i,j] .. over j < N. */
void ops_begin(struct unit *u, int n)
{
	struct poly_str s = { 0 };

	unit_begin(u, "ops");
	param(u, "N");
	for (int k = 0; k < n; k++) {
		char name[16];

		snprintf(name, sizeof(name), "S%d", k);
		stmt(u, name, POLY_POINT, text(&s,
			"[N] -> { S%d[i,j] : i = 0 and 0 <= j < N }", k));
	}
	poly_str_free(&s);
}

/* "open" each statement "close" */
static void each(struct poly_str *s, int n, const char *open, const char *with,
	const char *close)
{
	poly_str_add(s, open);
	for (int k = 0; k < n; k++)
		poly_str_printf(s, "%sS%d%s", k ? "; " : "", k, with);
	poly_str_add(s, close);
}

/* One kernel that runs the statements of "u" in order, a thread a "j". */
void ops_end(struct unit *u, int n)
{
	static const int thread[2] = { 1, 4 };
	struct poly_str s = { 0 };

	kernel(u, false, thread, thread, 0, "{ [(1)] }",
		"[N] -> { [(floor((N + 3)/4))] }");
	each(&s, n, "{ domain: \"[N] -> { ",
		"[i,j] : i = 0 and 0 <= j < N", " }\", ");
	each(&s, n, "child: { mark: \"kernel:k\", child: { filter: "
		"\"[b0,b1,t0,t1] -> { ",
		"[b0 + t0, 4b1 + t1] : 0 = t0 and 0 <= t1 < 4", " }\", ");
	each(&s, n, "child: { schedule: \"[{ ", "[i,j] -> [(i)]", " }, ");
	each(&s, n, "{ ", "[i,j] -> [(j)]", " }]\"");
	if (n > 1) {
		poly_str_add(&s, ", child: { sequence: [ ");
		for (int k = 0; k < n; k++)
			poly_str_printf(&s, "%s{ filter: \"{ S%d[i,j] }\" }",
				k ? ", " : "", k);
		poly_str_add(&s, " ] }");
	}
	poly_str_add(&s, " } } } }");
	schedule(u, s.s);
	poly_str_free(&s);
}

struct poly_expr *read_at(struct unit *u, struct poly_array *a, int k)
{
	struct poly_str s = { 0 };
	struct poly_expr *e = reads(u, a, text(&s, "{ S%d[i,j] -> %s[(i),(j)] "
		"}", k, a->name));

	poly_str_free(&s);
	return e;
}

/* Run "u" on "n" elements; "data" is in the order of the arrays. */
void ops_run(struct unit *u, const struct nvptx_options *o, int n,
	void *const *data)
{
	int64_t size = n;
	struct host h;

	host_begin_with(&h, u, o);
	assert_int_equal(host_run(&h, &size, data), CETANE_OK);
	host_end(&h);
}

const struct nvptx_options plain = { .device = NVPTX_HOST };

/* A program of the operators "op" on type "t", each a row of C. */
void make_ops(struct unit *u, enum poly_type t, const enum poly_op *op,
	int n_op)
{
	struct poly_str s = { 0 };
	struct poly_array *array_a, *array_b, *array_c;

	ops_begin(u, n_op);
	array_a = array(u, "A", t, POLY_INPUT, "[N] -> { A[(1),(N)] }");
	array_b = array(u, "B", t, POLY_INPUT, "[N] -> { B[(1),(N)] }");
	array_c = array(u, "C", t, POLY_OUTPUT,
		text(&s, "[N] -> { C[(%d),(N)] }", n_op));
	for (int k = 0; k < n_op; k++) {
		struct poly_expr *x = read_at(u, array_a, k), *y = NULL, *z;
		bool is = poly_op_shape(op[k]) == POLY_SHAPE_COMPARE;

		if (poly_op_n_arg(op[k]) >= 2)
			y = read_at(u, array_b, k);
		if (poly_op_n_arg(op[k]) == 3) {
			z = reads(u, array_a, text(&s, "[N] -> { S%d[i,j] -> "
				"A[(i),(N - 1 - j)] }", k));
			x = poly_expr_op3(op[k], t, x, y, z);
		} else {
			x = poly_expr_op(op[k], is ? POLY_BOOL : t, x, y);
		}
		writes(u, u->prog->stmt[k], array_c, text(&s,
			"{ S%d[i,j] -> C[(%d),(j)] }", k, k), POLY_OP_NONE,
			poly_expr_cast(t, x));
	}
	ops_end(u, n_op);
	poly_str_free(&s);
}

/* Run them; "c" receives a row for each. */
void run_ops(const struct nvptx_options *o, enum poly_type t,
	const enum poly_op *op, int n_op, int n, const void *a, const void *b,
	void *c)
{
	struct unit u;

	make_ops(&u, t, op, n_op);
	ops_run(&u, o, n, (void *[]) { (void *) a, (void *) b, c });
	unit_end(&u);
}

/* A program of casts of A to every type: C0, C1, ... */
void make_casts(struct unit *u, enum poly_type from)
{
	struct poly_array *array_a, *array_c;
	struct poly_str s = { 0 };
	char name[16];

	ops_begin(u, POLY_N_TYPE);
	array_a = array(u, "A", from, POLY_INPUT, "[N] -> { A[(1),(N)] }");
	for (int k = 0; k < POLY_N_TYPE; k++) {
		snprintf(name, sizeof(name), "C%d", k);
		array_c = array(u, name, (enum poly_type) k, POLY_OUTPUT,
			text(&s, "[N] -> { C%d[(1),(N)] }", k));
		writes(u, u->prog->stmt[k], array_c, text(&s,
			"{ S%d[i,j] -> C%d[(i),(j)] }", k, k), POLY_OP_NONE,
			poly_expr_cast((enum poly_type) k,
			read_at(u, array_a, k)));
	}
	ops_end(u, POLY_N_TYPE);
	poly_str_free(&s);
}

/* Run it; c[k] receives what has type k. */
void run_casts(enum poly_type from, int n, const void *a,
	void *const *c)
{
	void *data[POLY_N_TYPE + 1] = { (void *) a };
	struct unit u;

	make_casts(&u, from);
	for (int k = 0; k < POLY_N_TYPE; k++)
		data[k + 1] = c[k];
	ops_run(&u, &plain, n, data);
	unit_end(&u);
}

/* ------------------------------------------------------------------ values */

bool is_signed(enum poly_type t)
{
	return poly_type_class(t) == POLY_CLASS_INT;
}

int width(enum poly_type t)
{
	return t == POLY_BOOL ? 1 : 8 * poly_type_size(t);
}

/* The low bits of "x" as a value of "t". */
__int128 wrap(enum poly_type t, __int128 x)
{
	__int128 span = (__int128) 1 << width(t), low = x & (span - 1);

	return is_signed(t) && low >= span / 2 ? low - span : low;
}

__int128 get_int(enum poly_type t, const void *data, int i)
{
	uint64_t x = 0;

	memcpy(&x, (const char *) data + (size_t) i * poly_type_size(t),
		poly_type_size(t));
	return wrap(t, x);
}

void set_int(enum poly_type t, void *data, int i, __int128 x)
{
	uint64_t bits = (uint64_t) wrap(t, x);

	memcpy((char *) data + (size_t) i * poly_type_size(t), &bits,
		poly_type_size(t));
}

double get_float(enum poly_type t, const void *data, int i)
{
	switch (t) {
	case POLY_F16:
		return (double) cetane_host_f16_to_f32(
			((const uint16_t *) data)[i]);
	case POLY_BF16:
		return (double) cetane_host_bf16_to_f32(
			((const uint16_t *) data)[i]);
	case POLY_TF32:
	case POLY_F32:
		return (double) ((const float *) data)[i];
	default:
		return ((const double *) data)[i];
	}
}

/* "x" rounded once to the float type "t". */
double round_to(enum poly_type t, long double x)
{
	int low = t == POLY_F16 ? -14 : -126, e;
	long double unit, most = t == POLY_F16 ? 65504 :
		t == POLY_TF32 ? 0x1.ffcp127L : 0x1.fep127L;

	if (t == POLY_F64)
		return (double) x;
	if (t == POLY_F32)
		return (double) (float) x;
	if (x == 0 || !isfinite(x))
		return (double) x;
	e = ilogbl(x) < low ? low : ilogbl(x);
	unit = ldexpl(1, e + 1 - poly_type_digits(t));
	x = (t == POLY_TF32 ? roundl(x / unit) : rintl(x / unit)) * unit;
	return fabsl(x) > most ? copysign(INFINITY, (double) x) : (double) x;
}

void set_float(enum poly_type t, void *data, int i, double x)
{
	if (t == POLY_F64)
		((double *) data)[i] = x;
	else if (t == POLY_F32 || t == POLY_TF32)
		((float *) data)[i] = (float) round_to(t, x);
	else
		((uint16_t *) data)[i] = t == POLY_F16 ?
			cetane_host_f32_to_f16((float) round_to(t, x)) :
			cetane_host_f32_to_bf16((float) round_to(t, x));
}

bool same(double x, double y)
{
	return (isnan(x) && isnan(y)) ||
		(x == y && !signbit(x) == !signbit(y));
}

/* --------------------------------------------------------- sums of products */

/* C[j] += A[j] B[j] over the row, in one thread an element. */
void sum_of_product(const struct nvptx_options *o, const float *a,
	const float *b, float *c)
{
	struct poly_array *x[3];
	struct unit u;

	ops_begin(&u, 2);
	x[0] = array(&u, "A", POLY_F32, POLY_INPUT, "[N] -> { A[(1),(N)] }");
	x[1] = array(&u, "B", POLY_F32, POLY_INPUT, "[N] -> { B[(1),(N)] }");
	x[2] = array(&u, "C", POLY_F32, POLY_OUTPUT, "[N] -> { C[(1),(N)] }");
	writes(&u, u.prog->stmt[0], x[2], "{ S0[i,j] -> C[(i),(j)] }",
		POLY_OP_NONE, read_at(&u, x[1], 0));
	writes(&u, u.prog->stmt[1], x[2], "{ S1[i,j] -> C[(i),(j)] }",
		POLY_OP_ADD, poly_expr_op(POLY_OP_MUL, POLY_F32,
		read_at(&u, x[0], 1), read_at(&u, x[0], 1)));
	ops_end(&u, 2);
	ops_run(&u, o, 1, (void *[]) { (void *) a, (void *) b, c });
	unit_end(&u);
}

/* Word "i" of what the rounds from the last one, "round", back make of "counter". */
static uint32_t word_after(int round, const uint32_t *counter,
	const uint32_t *key, int i)
{
	uint64_t even;

	if (round < 0)
		return counter[i];
	even = word_after(round - 1, counter, key, (i & 2) ^ 2) *
		(i & 2 ? 0xD2511F53ull : 0xCD9E8D57ull);
	if (i & 1)
		return (uint32_t) even;
	return (uint32_t) (even >> 32) ^
		word_after(round - 1, counter, key, i + 1) ^
		(key[i / 2] + (uint32_t) round *
		(i ? 0xBB67AE85u : 0x9E3779B9u));
}

uint32_t random_word(const uint32_t counter[4], const uint32_t key[2], int i)
{
	return word_after(9, counter, key, i);
}

/* Number "i" of "seed". */
static __int128 random_number(uint64_t seed, uint64_t i)
{
	uint32_t key[2] = { (uint32_t) seed, (uint32_t) (seed >> 32) };
	uint32_t counter[4] = { (uint32_t) (i >> 2), (uint32_t) (i >> 34) };

	return random_word(counter, key, (int) (i & 3));
}

__int128 int_ref(enum poly_op op, enum poly_type t, __int128 a,
	__int128 b)
{
	int n = (int) (b & (width(t) - 1));

	switch (op) {
	case POLY_OP_ADD: return a + b;
	case POLY_OP_SUB: return a - b;
	case POLY_OP_MUL: return (__int128) ((unsigned __int128) a *
		(unsigned __int128) b);
	case POLY_OP_DIV: return b == 0 ? 0 : a / b;
	case POLY_OP_REM: return b == 0 ? 0 : a % b;
	case POLY_OP_NEG: return -a;
	case POLY_OP_MIN: return a < b ? a : b;
	case POLY_OP_MAX: return a > b ? a : b;
	case POLY_OP_AND: return a & b;
	case POLY_OP_OR: return a | b;
	case POLY_OP_XOR: return a ^ b;
	case POLY_OP_NOT: return ~a;
	case POLY_OP_SHL: return (__int128) ((unsigned __int128) a << n);
	case POLY_OP_SHR: return a >> n;
	case POLY_OP_CLZ:
		for (n = 0; n < width(t) && !(a >> (width(t) - 1 - n) & 1); n++)
			;
		return n;
	case POLY_OP_PHILOX:
		return random_number((uint64_t) a, (uint64_t) b);
	case POLY_OP_LT: return a < b;
	case POLY_OP_LE: return a <= b;
	case POLY_OP_EQ: return a == b;
	case POLY_OP_NE: return a != b;
	case POLY_OP_RELU: return a > 0 ? a : 0;
	case POLY_OP_ABS: return a < 0 ? -a : a;
	default: return a;
	}
}
