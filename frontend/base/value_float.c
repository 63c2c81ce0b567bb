/* Arithmetic on single floats, with a bound of how far any correct program is from it.
 */
#include <math.h>

#include "frontend/base/value.h"

/* Unit roundoff of "t", with something to spare. */
long double fe_value_unit(enum poly_type t)
{
	return fe_number_unit(t) * (1 + 0x1p-6L);
}

void fe_value_check_range(struct fe_number *v, enum poly_type t)
{
	if (!(fabsl(v->wide) + v->bound <= fe_number_max(t)))
		v->bound = INFINITY;
}

/* A result in "t" that is off by "ulp" units beyond correct rounding. */
void fe_value_add_rounding(struct fe_number *v, enum poly_type t, int ulp)
{
	v->bound += fe_value_unit(t) * (2 * ulp + 1) * (fabsl(v->wide) + v->bound);
	v->bound += (ulp + 1) * fe_number_tiny(t);
	fe_value_check_range(v, t);
}

static bool is_step(enum poly_op op)
{
	return op == POLY_OP_FLOOR || op == POLY_OP_CEIL ||
		op == POLY_OP_TRUNC || op == POLY_OP_ROUND;
}

/* A function of one argument, with the errors of its argument and of its own
 * (op.def); rounding to an integer has none of its own.
 */
static void apply_function(struct fe_number *v, enum poly_op op,
	enum poly_type t, const struct fe_number *a)
{
	v->f = fe_number_round(t, op == POLY_OP_SQRT ?
		(long double)sqrt(a->f) : fe_function_value(op, a->f));
	v->wide = fe_function_value(op, a->wide);
	v->bound = fe_function_spread(op, a->wide, a->bound);
	if (!is_step(op))
		fe_value_add_rounding(v, t, poly_op_ulp(op));
}

/* The largest distance from f(x,y) at the corners around. */
static long double corners(long double (*f)(long double, long double),
	const struct fe_number *a, const struct fe_number *b)
{
	long double y = f(a->wide, b->wide), most = 0;
	int k;

	if (isinf(a->bound) || isinf(b->bound))
		return INFINITY;
	for (k = 0; k < 4; k++)
		most = fmaxl(most, fabsl(y - f(
			a->wide + (k & 1 ? a->bound : -a->bound),
			b->wide + (k & 2 ? b->bound : -b->bound))));
	return most;
}

/* The power: a base that may be 0 or negative makes the result unknown unless
 * both arguments are exact, as the corners say nothing of what is between them
 * there.
 */
static void apply_pow(struct fe_number *v, enum poly_type t,
	const struct fe_number *a, const struct fe_number *b)
{
	v->f = fe_number_round(t, powl(a->f, b->f));
	v->wide = powl(a->wide, b->wide);
	v->bound = corners(powl, a, b);
	if (a->bound + b->bound > 0 && a->wide <= a->bound)
		v->bound = INFINITY;
	fe_value_add_rounding(v, t, poly_op_ulp(POLY_OP_POW));
}

/* atan2, which is unknown where the arguments may lie on its cut, at negative
 * b.
 */
static void apply_atan2(struct fe_number *v, enum poly_type t,
	const struct fe_number *a, const struct fe_number *b)
{
	v->f = fe_number_round(t, atan2l(a->f, b->f));
	v->wide = atan2l(a->wide, b->wide);
	v->bound = corners(atan2l, a, b);
	if (a->bound + b->bound > 0 && fabsl(a->wide) <= a->bound &&
	    b->wide <= b->bound)
		v->bound = INFINITY;
	fe_value_add_rounding(v, t, poly_op_ulp(POLY_OP_ATAN2));
}

/* The length changes by no more than both arguments do together. */
static void apply_hypot(struct fe_number *v, enum poly_type t,
	const struct fe_number *a, const struct fe_number *b)
{
	v->f = fe_number_round(t, hypotl(a->f, b->f));
	v->wide = hypotl(a->wide, b->wide);
	v->bound = a->bound + b->bound;
	fe_value_add_rounding(v, t, poly_op_ulp(POLY_OP_HYPOT));
}

/* The sign of a zero, and of what may be one, is open. */
static void apply_sign(struct fe_number *v, const struct fe_number *a,
	const struct fe_number *b)
{
	v->f = copysign(a->f, b->f);
	v->wide = copysignl(a->wide, b->wide);
	v->bound = fabsl(b->wide) > b->bound ? a->bound :
		2 * fabsl(a->wide) + a->bound;
}

/* The number of the type next to a on the way to b. Where either may be another, the way
 * may be the other one.
 */
static void apply_neighbour(struct fe_number *v, enum poly_type t,
	const struct fe_number *a, const struct fe_number *b)
{
	v->f = t == POLY_F64 ? nextafter(a->f, b->f) :
		(double)nextafterf((float)a->f, (float)b->f);
	v->wide = v->f;
	if (a->bound == 0 && b->bound == 0)
		return;
	v->wide = a->wide + (v->f - a->f);
	v->bound = a->bound;
	fe_value_add_rounding(v, t, 3);
}

/* The quotient, unknown if the divisor may be 0. */
static void apply_divide(struct fe_number *v, enum poly_type t,
	const struct fe_number *a, const struct fe_number *b)
{
	long double y = fabsl(b->wide), x = fabsl(a->wide);

	v->f = fe_number_round(t, a->f / b->f);
	v->wide = a->wide / b->wide;
	v->bound = y > b->bound ? (x * b->bound + y * a->bound) /
		(y * (y - b->bound)) : INFINITY;
	fe_value_add_rounding(v, t, 0);
}

/* The remainder, whose sign is that of "a". It is unknown if the divisor is not
 * exact, or if the quotient may be one of several whole numbers.
 */
static void apply_rest(struct fe_number *v, const struct fe_number *a,
	const struct fe_number *b)
{
	long double y = fabsl(b->wide);

	v->f = fmod(a->f, b->f);
	v->wide = fmodl(a->wide, b->wide);
	v->bound = a->bound;
	if (b->bound > 0 || (a->bound > 0 && truncl((a->wide - a->bound) /
	    y) != truncl((a->wide + a->bound) / y)))
		v->bound = INFINITY;
}

/* The sum, difference or product, rounded once. */
static void apply_linear(struct fe_number *v, enum poly_op op,
	enum poly_type t, const struct fe_number *a,
	const struct fe_number *b)
{
	if (op == POLY_OP_MUL) {
		v->f = fe_number_round(t, a->f * b->f);
		v->wide = a->wide * b->wide;
		v->bound = fabsl(a->wide) * b->bound +
			fabsl(b->wide) * a->bound + a->bound * b->bound;
	} else {
		v->f = fe_number_round(t, op == POLY_OP_ADD ? a->f + b->f :
			a->f - b->f);
		v->wide = op == POLY_OP_ADD ? a->wide + b->wide :
			a->wide - b->wide;
		v->bound = a->bound + b->bound;
	}
	fe_value_add_rounding(v, t, 0);
}

/* Operations without rounding. */
static bool apply_simple(struct fe_number *v, enum poly_op op,
	const struct fe_number *a, const struct fe_number *b)
{
	v->bound = b ? fmaxl(a->bound, b->bound) : a->bound;
	switch (op) {
	case POLY_OP_NEG:
		v->f = -a->f;
		v->wide = -a->wide;
		return true;
	case POLY_OP_ABS:
		v->f = fabs(a->f);
		v->wide = fabsl(a->wide);
		return true;
	case POLY_OP_RELU:
		v->f = a->f > 0 || isnan(a->f) ? a->f : 0;
		v->wide = a->wide > 0 || isnan(a->wide) ? a->wide : 0;
		return true;
	case POLY_OP_MIN:
		v->f = fmin(a->f, b->f);
		v->wide = fminl(a->wide, b->wide);
		return true;
	case POLY_OP_MAX:
		v->f = fmax(a->f, b->f);
		v->wide = fmaxl(a->wide, b->wide);
		return true;
	default:
		return false;
	}
}

/* Is the reduction's start, an infinity, all that makes the bound infinite?
 * Then the other argument of min or max counts.
 */
static bool is_start(enum poly_op op, const struct fe_number *a)
{
	return (op == POLY_OP_MIN && a->f == INFINITY) ||
		(op == POLY_OP_MAX && a->f == -INFINITY);
}

/* Nothing is known of "v" if that is so of the arguments or it is no finite
 * number.
 */
void fe_value_check_known(struct fe_number *v, const struct fe_number *a,
	const struct fe_number *b)
{
	if (isinf(a->bound) || (b && isinf(b->bound)) || isnan(v->bound) ||
	    !isfinite(v->wide)) {
		v->wide = v->f;
		v->bound = INFINITY;
	}
}

/* "op" on floats of the type "t"; "b" is NULL for functions of one argument. */
struct fe_number fe_value_float(enum poly_op op, enum poly_type t,
	const struct fe_number *a, const struct fe_number *b)
{
	struct fe_number v = { 0 };

	if (is_start(op, a))
		return *b;
	if (op == POLY_OP_ADD || op == POLY_OP_SUB || op == POLY_OP_MUL) {
		apply_linear(&v, op, t, a, b);
	} else if (!apply_simple(&v, op, a, b)) {
		if (op == POLY_OP_DIV)
			apply_divide(&v, t, a, b);
		else if (op == POLY_OP_REM)
			apply_rest(&v, a, b);
		else if (op == POLY_OP_POW)
			apply_pow(&v, t, a, b);
		else if (op == POLY_OP_ATAN2)
			apply_atan2(&v, t, a, b);
		else if (op == POLY_OP_HYPOT)
			apply_hypot(&v, t, a, b);
		else if (op == POLY_OP_COPYSIGN)
			apply_sign(&v, a, b);
		else if (op == POLY_OP_NEXTAFTER)
			apply_neighbour(&v, t, a, b);
		else
			apply_function(&v, op, t, a);
	}
	fe_value_check_known(&v, a, b);
	return v;
}
