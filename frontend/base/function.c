/* The functions of one float, in long double, and how far they change near a number.
 *
 * The reference interpreter rounds their values to double, so long double (64
 * digits on x86) leaves an error far below the bounds of op.def. Accuracy comes
 * first, speed does not matter.
 */
#include <math.h>

#include "frontend/base/value.h"

/* pi to more digits than long double has. */
#define PI 3.14159265358979323846264338327950288L

/* sin(pi (x + more / 2)) of |x|: what is left to the nearest half is exact.
 *
 * sin(pi*x) for large x needs no reduction by pi: fmod is exact, and so is what
 * is left.
 */
static long double sin_pi(long double x, int more)
{
	long double a = fmodl(fabsl(x), 2), n = rintl(2 * a);
	long double r = PI * (a - n / 2), y;
	int turn = ((int)n + more) % 4;

	if (!isfinite(x))
		return NAN;
	y = turn % 2 ? cosl(r) : sinl(r);
	return y == 0 ? 0 : turn / 2 ? -y : y;
}

/* sin(pi x) / (pi x); near 0 the quotient is 1 to all digits. */
static long double sinc(long double x)
{
	long double y = sin_pi(x, 0);

	return fabsl(x) < 1e-12L ? 1 : y / (PI * fabsl(x));
}

/* x erfc(-x / sqrt(2)) / 2, whose argument is off by what its slope tells.
 *
 * x * Phi(x). The argument of erfc is rounded, and its relative error grows
 * with its size: "rest" is what rounding lost, found by a fused operation, and
 * "cut" what the constant lacks; the slope of erfc carries both over.
 */
static long double gelu(long double x)
{
	const long double root = 0.707106781186547524400844362104849039L;
	const long double cut = 1.8950325588932570797e-20L;
	const long double slope = 1.12837916709551257389615890312154517L;
	long double y = -x * root, rest = fmal(-x, root, -y) - x * cut;

	if (isinf(x))
		return x > 0 ? x : (long double)-0.0;
	return x * (erfcl(y) - slope * expl(-y * y) * rest) / 2;
}

/* x t / (1 + t) and x t (t + 2) / (t (t + 2) + 2) for t = exp(x), by exp(-|x|).
 *
 * SILU, SIGMOID and MISH. exp of a negative number only, so nothing overflows:
 * both forms are the same function.
 */
static long double gate(enum poly_op op, long double x)
{
	long double t = expl(-fabsl(x)), up = 1, all = 1 + t;

	if (op == POLY_OP_SIGMOID)
		return (x < 0 ? t : 1) / all;
	if (isinf(x))
		return x > 0 ? x : (long double)-0.0;
	if (op == POLY_OP_MISH) {
		up = x < 0 ? t + 2 : 1 + 2 * t;
		all = x < 0 ? t * up + 2 : up + 2 * t * t;
	}
	return x * (x < 0 ? t * up : up) / all;
}

/* The number of which erf is x, by Newton's method on what is left of 1 where x is
 * nearer to that; from a first value that is good for two digits (S. Winitzki, A handy
 * approximation for the error function and its inverse, 2008).
 */
static long double erfinv(long double x)
{
	const long double root = 0.886226925452758013649083741670572591L;
	long double a = fabsl(x), l = logl((1 - a) * (1 + a)), y, t;

	if (!(a < 1))
		return a == 1 ? x * INFINITY : NAN;
	t = 2 / (PI * 0.147L) + l / 2;
	y = sqrtl(sqrtl(t * t - l / 0.147L) - t);
	for (int i = 0; i < 6; i++)
		y -= (a < 0.5L ? erfl(y) - a : 1 - a - erfcl(y)) *
			root * expl(y * y);
	return copysignl(y, x);
}

/* The functions that the C library does not have.
 *
 * The default is one of the gates.
 */
static long double other(enum poly_op op, long double x)
{
	switch (op) {
	case POLY_OP_RSQRT:
		return 1 / sqrtl(x);
	case POLY_OP_SINPI:
		return copysignl(1, x) * sin_pi(x, 0);
	case POLY_OP_COSPI:
		return sin_pi(x, 1);
	case POLY_OP_SINC:
		return sinc(x);
	case POLY_OP_GELU:
		return gelu(x);
	case POLY_OP_ERFINV:
		return erfinv(x);
	case POLY_OP_SOFTPLUS:
		return fmaxl(x, 0) + log1pl(expl(-fabsl(x)));
	default:
		return gate(op, x);
	}
}

/* "op" must have one float argument and be in function.def. */
long double fe_function_value(enum poly_op op, long double x)
{
	switch (op) {
	case POLY_OP_SQRT: return sqrtl(x);
	case POLY_OP_EXP: return expl(x);
	case POLY_OP_EXP2: return exp2l(x);
	case POLY_OP_EXPM1: return expm1l(x);
	case POLY_OP_LOG: return logl(x);
	case POLY_OP_LOG2: return log2l(x);
	case POLY_OP_LOG10: return log10l(x);
	case POLY_OP_LOG1P: return log1pl(x);
	case POLY_OP_CBRT: return cbrtl(x);
	case POLY_OP_SIN: return sinl(x);
	case POLY_OP_COS: return cosl(x);
	case POLY_OP_TAN: return tanl(x);
	case POLY_OP_ASIN: return asinl(x);
	case POLY_OP_ACOS: return acosl(x);
	case POLY_OP_ATAN: return atanl(x);
	case POLY_OP_SINH: return sinhl(x);
	case POLY_OP_COSH: return coshl(x);
	case POLY_OP_TANH: return tanhl(x);
	case POLY_OP_ASINH: return asinhl(x);
	case POLY_OP_ACOSH: return acoshl(x);
	case POLY_OP_ATANH: return atanhl(x);
	case POLY_OP_ERF: return erfl(x);
	case POLY_OP_ERFC: return erfcl(x);
	case POLY_OP_FLOOR: return floorl(x);
	case POLY_OP_CEIL: return ceill(x);
	case POLY_OP_TRUNC: return truncl(x);
	case POLY_OP_ROUND: return roundl(x);
	default: return other(op, x);
	}
}

/* The greatest slope of a function that rises and falls, and how far its values lie
 * apart; 0 for the others.
 *
 * By calculus: the derivative of sin(pi x)/(pi x) is at most about 1.37, of
 * gelu 1.13, of silu 1.1, of mish 1.09; rounded up. "*range" is the distance of
 * the greatest and the least value.
 */
static long double slope_of(enum poly_op op, long double *range)
{
	*range = op == POLY_OP_SINC ? 1.22L : op == POLY_OP_GELU ||
		op == POLY_OP_SILU || op == POLY_OP_MISH ? INFINITY : 2;
	switch (op) {
	case POLY_OP_SIN:
	case POLY_OP_COS:
		return 1;
	case POLY_OP_SINPI:
	case POLY_OP_COSPI:
		return PI;
	case POLY_OP_SINC:
		return 1.38L;
	case POLY_OP_GELU:
		return 1.13L;
	case POLY_OP_SILU:
		return 1.1L;
	case POLY_OP_MISH:
		return 1.09L;
	default:
		return 0;
	}
}

/* How far the value may be from the one at x, if the argument is off by e at
 * most. Functions that rise all along are asked at both ends; those that do not
 * have their greatest slope. An argument across a pole of the tangent may have
 * any value.
 */
long double fe_function_spread(enum poly_op op, long double x, long double e)
{
	long double y = fe_function_value(op, x), low, high, most, range;
	long double slope = slope_of(op, &range);

	if (e == 0 || isinf(e))
		return e;
	if (slope > 0)
		return fminl(slope * e, range);
	if (op == POLY_OP_TAN && floorl((x - e) / PI + 0.5L) !=
	    floorl((x + e) / PI + 0.5L))
		return INFINITY;
	low = fe_function_value(op, x - e);
	high = fe_function_value(op, x + e);
	most = fmaxl(fabsl(low - y), fabsl(high - y));
	/* the minimum of cosh lies within the interval */
	if (op == POLY_OP_COSH && e > fabsl(x))
		most = fmaxl(most, y - 1);
	return isnan(low) || isnan(high) ? INFINITY : most;
}
