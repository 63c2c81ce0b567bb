/* Arithmetic on single values of all types.
 *
 * Integers are exact and wrap. Floats are computed twice: rounded once an
 * operation to the type ("f"), and in long double ("wide") beside a bound for
 * the distance to what any correct program has: one that sums in any order and
 * fuses a product with a sum or not.
 *
 * How the bound comes about, with u the unit roundoff of a type, t its
 * smallest subnormal, and x a wide value with the bound e:
 *
 *	rounding	e + u (|x| + e) + t
 *	function	infinite if e is, since x may be no number; else the
 *			larger distance to its values at x - e and x + e,
 *			then an error of n ulps, n from op.def:
 *			(2n + 1) u (|x| + e) + (n + 1) t
 *	sum of K terms	each is rounded at most K times more, the first sum
 *			being one with 0; so with g = K u / (1 - K u) and the
 *			sum A of all |x| + e: sum of all e + g A + K t
 *
 * Operations in f32 are done in f64 and rounded, which gives the same as one
 * rounding for + - * / and sqrt (53 >= 2 * 24 + 2); functions are evaluated in
 * long double and rounded.
 *
 * A result that may lie beyond the range of its type, or that is no number,
 * has an infinite bound. u is taken a little larger than it is, which covers
 * the errors of the wide values themselves.
 *
 * Where a comparison of inexact values could fall either way, or a
 * float near a step becomes an integer, the result is uncertain: its bound is
 * infinite, and a selection by it covers both of its values. In the ring floats
 * are integers, exact like these.
 */
#include <math.h>
#include <string.h>

#include "frontend/base/value.h"

bool fe_value_is_float(enum poly_type t)
{
	return poly_type_is_float(t);
}

/* The low bits of "x" as a number of the type "t". */
static int64_t wrap(enum poly_type t, uint64_t x)
{
	int bits = 8 * poly_type_size(t);

	if (t == POLY_BOOL)
		return x & 1;
	if (bits == 64)
		return (int64_t)x;
	x &= (UINT64_C(1) << bits) - 1;
	if (poly_type_class(t) == POLY_CLASS_INT && x >> (bits - 1))
		x |= ~UINT64_C(0) << bits;
	return (int64_t)x;
}

struct fe_number fe_value_integer(enum poly_type t, int64_t x, bool ring)
{
	return (struct fe_number) { .i = wrap(t, (uint64_t)x), .ring = ring };
}

struct fe_number fe_value_const(enum poly_type t, double x, bool ring)
{
	struct fe_number v = { .ring = ring };

	if (!fe_value_is_float(t)) {
		v.i = wrap(t, poly_type_class(t) == POLY_CLASS_UINT ?
			(uint64_t)x : (uint64_t)(int64_t)x);
	} else if (ring) {
		v.i = fe_ring_const(t, x);
	} else {
		v.f = x;
		v.wide = x;
		v.bound = isfinite(x) ? 0 : INFINITY;
	}
	return v;
}

struct fe_number fe_value_load(enum poly_type t, const void *data, int64_t at,
	bool ring)
{
	int size = poly_type_size(t), k;
	const unsigned char *p = (const unsigned char *)data + at * size;
	uint64_t x = 0;

	if (fe_value_is_float(t) && ring)
		return (struct fe_number) { .i = fe_ring_load(t, data, at),
			.ring = true };
	if (fe_value_is_float(t))
		return fe_value_const(t, fe_number_load(t, data, at), false);
	for (k = 0; k < size; k++)
		x |= (uint64_t)p[k] << 8 * k;
	return fe_value_integer(t, (int64_t)(t == POLY_BOOL ? x != 0 : x),
		ring);
}

/* ---------------------------------------------------------------- integers */

/* Quotient or remainder, truncated; by 0 it is 0. */
static uint64_t divide(enum poly_type t, int64_t a, int64_t b, bool rest)
{
	if (!b)
		return 0;
	if (poly_type_class(t) != POLY_CLASS_INT)
		return rest ? (uint64_t)a % (uint64_t)b :
			(uint64_t)a / (uint64_t)b;
	if (b == -1)
		return rest ? 0 : -(uint64_t)a;
	return (uint64_t)(rest ? a % b : a / b);
}

static bool less(enum poly_type t, int64_t a, int64_t b)
{
	return poly_type_class(t) == POLY_CLASS_INT ? a < b :
		(uint64_t)a < (uint64_t)b;
}

/* The bits of "a", which has "width", above the highest that is 1. */
static uint64_t leading_zeros(int64_t a, int width)
{
	uint64_t n = 0;

	while (n < (uint64_t)width && !((uint64_t)a >> (width - 1 - (int)n) & 1))
		n++;
	return n;
}

/* "op" on the bits of "a" and "b". */
static uint64_t apply_bits(enum poly_op op, enum poly_type t, int64_t a,
	int64_t b)
{
	int count = (int)((uint64_t)b % (8 * (uint64_t)poly_type_size(t)));

	switch (op) {
	case POLY_OP_AND:
		return (uint64_t)(a & b);
	case POLY_OP_OR:
		return (uint64_t)(a | b);
	case POLY_OP_XOR:
		return (uint64_t)(a ^ b);
	case POLY_OP_NOT:
		return ~(uint64_t)a;
	case POLY_OP_SHL:
		return (uint64_t)a << count;
	case POLY_OP_CLZ:
		return leading_zeros(a, 8 * poly_type_size(t));
	case POLY_OP_PHILOX:
		return fe_philox((uint64_t)a, (uint64_t)b);
	default:
		return poly_type_class(t) == POLY_CLASS_INT ?
			(uint64_t)(a >> count) : (uint64_t)a >> count;
	}
}

/* "op" on two integers of the type "t": the bits of the result, of which the
 * caller keeps the low ones. Operations of one argument ignore "b".
 */
static uint64_t apply_integer(enum poly_op op, enum poly_type t, int64_t a,
	int64_t b)
{
	switch (op) {
	case POLY_OP_ADD:
		return (uint64_t)a + (uint64_t)b;
	case POLY_OP_SUB:
		return (uint64_t)a - (uint64_t)b;
	case POLY_OP_MUL:
		return (uint64_t)a * (uint64_t)b;
	case POLY_OP_DIV:
	case POLY_OP_REM:
		return divide(t, a, b, op == POLY_OP_REM);
	case POLY_OP_NEG:
		return -(uint64_t)a;
	case POLY_OP_MIN:
		return (uint64_t)(less(t, b, a) ? b : a);
	case POLY_OP_MAX:
		return (uint64_t)(less(t, a, b) ? b : a);
	case POLY_OP_ABS:
		return less(t, a, 0) ? -(uint64_t)a : (uint64_t)a;
	case POLY_OP_RELU:
		return less(t, a, 0) ? 0 : (uint64_t)a;
	default:
		return apply_bits(op, t, a, b);
	}
}

/* ---------------------------------------------------------------- compare */

/* Does the comparison "op" hold, a and b being less, equal or neither? */
static bool holds(enum poly_op op, bool below, bool equal)
{
	return op == POLY_OP_LT ? below : op == POLY_OP_LE ? below || equal :
		op == POLY_OP_EQ ? equal : !equal;
}

/* The truth of "a op b", in doubt if either is unknown or if their bounds let
 * the comparison fall either way.
 */
static struct fe_number compare(enum poly_op op, enum poly_type t,
	const struct fe_number *a, const struct fe_number *b)
{
	struct fe_number v = { .ring = a->ring };
	bool below;

	v.bound = isinf(a->bound) || isinf(b->bound) ? INFINITY : 0;
	if (!fe_value_is_float(t) || a->ring) {
		below = fe_value_is_float(t) ? a->i < b->i : less(t, a->i, b->i);
		v.i = holds(op, below, a->i == b->i);
		return v;
	}
	v.i = holds(op, a->f < b->f, a->f == b->f);
	if (a->bound + b->bound > 0 &&
	    !(fabsl(a->wide - b->wide) > a->bound + b->bound))
		v.bound = INFINITY;
	return v;
}

/* ------------------------------------------------------------------ floats */

static struct fe_number apply_ring(enum poly_op op, enum poly_type t,
	const struct fe_number *a, const struct fe_number *b,
	const struct fe_number *c)
{
	const int64_t x[3] = { a->i, b ? b->i : 0, c ? c->i : 0 };

	return (struct fe_number) { .i = fe_ring_apply(op, t, x),
		.ring = true };
}

struct fe_number fe_value_apply3(enum poly_op op, enum poly_type t,
	const struct fe_number x[3])
{
	struct fe_number one = fe_value_const(t, 1, false), v = { 0 };

	if (x[0].ring)
		return apply_ring(op, t, &x[0], &x[1], &x[2]);
	if (op == POLY_OP_LERP) {
		one = fe_value_float(POLY_OP_SUB, t, &one, &x[2]);
		one = fe_value_float(POLY_OP_MUL, t, &x[0], &one);
		v = fe_value_float(POLY_OP_MUL, t, &x[1], &x[2]);
		return fe_value_float(POLY_OP_ADD, t, &one, &v);
	}
	v.f = t == POLY_F64 ? fma(x[0].f, x[1].f, x[2].f) : (double)fmaf(
		(float)x[0].f, (float)x[1].f, (float)x[2].f);
	v.wide = fmal(x[0].wide, x[1].wide, x[2].wide);
	v.bound = fabsl(x[0].wide) * x[1].bound +
		fabsl(x[1].wide) * x[0].bound + x[0].bound * x[1].bound +
		x[2].bound;
	fe_value_add_rounding(&v, t, 0);
	fe_value_check_known(&v, &x[0], &x[1]);
	fe_value_check_known(&v, &v, &x[2]);
	return v;
}

struct fe_number fe_value_apply(enum poly_op op, enum poly_type arg,
	const struct fe_number *a, const struct fe_number *b)
{
	struct fe_number v;

	if (poly_op_shape(op) == POLY_SHAPE_COMPARE)
		return compare(op, arg, a, b);
	if (fe_value_is_float(arg))
		return a->ring ? apply_ring(op, arg, a, b, NULL) :
			fe_value_float(op, arg, a, b);
	v = fe_value_integer(arg, (int64_t)apply_integer(op, arg, a->i,
		b ? b->i : 0), a->ring);
	v.bound = b ? fmaxl(a->bound, b->bound) : a->bound;
	return v;
}

struct fe_number fe_value_select(enum poly_type t,
	const struct fe_number *cond, const struct fe_number *a,
	const struct fe_number *b)
{
	struct fe_number v = cond->i ? *a : *b;
	const struct fe_number *other = cond->i ? b : a;

	if (cond->bound == 0)
		return v;
	if (!fe_value_is_float(t) || v.ring) {
		v.bound = a->i == b->i ? fmaxl(a->bound, b->bound) : INFINITY;
		return v;
	}
	v.bound = fmaxl(v.bound, fabsl(other->wide - v.wide) + other->bound);
	if (isnan(v.bound))
		v.bound = INFINITY;
	return v;
}

/* ------------------------------------------------------------------- casts */

static long double integer_value(enum poly_type t, int64_t i)
{
	return poly_type_class(t) == POLY_CLASS_INT ? (long double)i :
		(long double)(uint64_t)i;
}

/* A float to an integer: towards 0, then the low bits; NaN and what is beyond
 * 64 bits give 0, and uncertainly so.
 */
static struct fe_number to_integer(enum poly_type to,
	const struct fe_number *a)
{
	struct fe_number v = { .bound = INFINITY };
	double x = trunc(a->f);

	if (x >= -9223372036854775808.0 && x < 9223372036854775808.0)
		v.i = wrap(to, (uint64_t)(int64_t)x);
	else if (x > 0 && x < 18446744073709551616.0)
		v.i = wrap(to, (uint64_t)x);
	else
		return v;
	if (truncl(a->wide - a->bound) == truncl(a->wide + a->bound))
		v.bound = 0;
	return v;
}

struct fe_number fe_value_cast(enum poly_type to, enum poly_type from,
	const struct fe_number *a)
{
	struct fe_number v = *a, zero = { 0 };
	long double x;

	if (to == from)
		return v;
	if (to == POLY_BOOL)
		return compare(POLY_OP_NE, from, a, &zero);
	if (a->ring && fe_value_is_float(to)) {
		v.i = fe_ring_wrap(to, (uint64_t)a->i);
		return v;
	}
	if (!fe_value_is_float(to) && fe_value_is_float(from) && !a->ring)
		return to_integer(to, a);
	if (!fe_value_is_float(to)) {
		v.i = wrap(to, (uint64_t)a->i);
		return v;
	}
	if (!fe_value_is_float(from)) {
		x = integer_value(from, a->i);
		v.f = fe_number_round(to, x);
		v.wide = x;
		if (v.f != x)
			fe_value_add_rounding(&v, to, 0);
		return v;
	}
	v.f = fe_number_round(to, a->f);
	if (a->bound == 0 && v.f == a->wide)
		return v;
	if (poly_type_digits(to) < poly_type_digits(from) ||
	    fe_number_max(to) < fe_number_max(from) ||
	    fe_number_tiny(to) > fe_number_tiny(from))
		fe_value_add_rounding(&v, to, 0);
	return v;
}

/* The bound covers what is lost where the wide value becomes a double. */
void fe_value_result(enum poly_type t, const struct fe_number *x,
	struct fe_value *v)
{
	bool real = fe_value_is_float(t) && !x->ring;

	v->integer = real ? 0 : x->i;
	v->exact = real ? x->f : (double)integer_value(fe_value_is_float(t) ?
		POLY_I64 : t, x->i);
	v->wide = real ? (double)x->wide : v->exact;
	v->bound = (double)(x->bound * (1 + ldexpl(1, -30)));
	if (v->bound > 0)
		v->bound = nextafter(v->bound, INFINITY);
	if (real && v->wide != x->wide && !isnan(v->wide))
		v->bound += ldexp(fabs(v->wide), -52);
}

/* -------------------------------------------------------------- reductions */

struct fe_number fe_value_bits(enum poly_type from, const struct fe_number *a)
{
	struct fe_number v = { .ring = a->ring };
	float single = (float)a->f;
	uint32_t bits;

	if (a->ring) {
		v.i = from == POLY_F32 ? (int64_t)(uint32_t)a->i : a->i;
		return v;
	}
	if (from == POLY_F32) {
		memcpy(&bits, &single, sizeof(bits));
		v.i = bits;
	} else {
		memcpy(&v.i, &a->f, sizeof(v.i));
	}
	if (a->bound != 0)
		v.bound = INFINITY;
	return v;
}
