/* The references of the mathematical functions. */
#include <float.h>
#include <math.h>

#include "tests/nvptx/math_reference.h"

/* A formula in both types: BOTH(name, x, body), where F(f) is f or its long form. */
#define F_double(f) f
#define F_long(f) f##l
#define BOTH(name, body) \
	static double name(double x) \
	{ \
		typedef double real; \
		body(F_double) \
	} \
	static long double name##l(long double x) \
	{ \
		typedef long double real; \
		body(F_long) \
	}

#define SIGMOID(F) \
	real t = F(exp)(-F(fabs)(x)); \
	return x < 0 ? t / (1 + t) : 1 / (1 + t);
BOTH(sigmoid, SIGMOID)

#define FALLING(F) \
	real y = -F(fabs)(x); \
	return F(exp)(y);
BOTH(falling, FALLING)

#define RSQRT(F) \
	real one = 1; \
	return one / F(sqrt)(x);
BOTH(rsqrt, RSQRT)

/* x - 2 n is exact, and so is what is left to the nearest half. */
#define SINPI(F) \
	real a = F(fmod)(F(fabs)(x), 2), r = a - F(rint)(2 * a) / 2, y; \
	int n = (int) F(rint)(2 * a) % 4; \
	const real pi = 3.14159265358979323846264338327950288L; \
	y = n % 2 ? F(cos)(r * pi) : F(sin)(r * pi); \
	y = y == 0 ? 0 : n / 2 ? -y : y; \
	return isinf(x) ? (real) NAN : F(copysign)(1, x) * y;
BOTH(sinpi, SINPI)

#define COSPI(F) \
	real a = F(fmod)(F(fabs)(x), 2), r = a - F(rint)(2 * a) / 2, y; \
	int n = ((int) F(rint)(2 * a) + 1) % 4; \
	const real pi = 3.14159265358979323846264338327950288L; \
	y = n % 2 ? F(cos)(r * pi) : F(sin)(r * pi); \
	y = y == 0 ? 0 : n / 2 ? -y : y; \
	return isinf(x) ? (real) NAN : y;
BOTH(cospi, COSPI)

#define SINC(F) \
	const real pi = 3.14159265358979323846264338327950288L; \
	real y = F(sinpi)(x); \
	return x == 0 ? 1 : y == 0 ? 0 : F(fabs)(x) < (real) 1e-20L ? 1 : \
		y / (pi * x);
BOTH(sinc, SINC)

/* erfc(-x / sqrt(2)), with what rounding cuts off the argument. */
#define GELU(F) \
	const real c = 0.707106781186547524400844362104849039L; \
	const real rest = sizeof(real) == 8 ? -4.8336466567264565e-17L : \
		1.8950325588932570797e-20L; \
	const real slope = 1.12837916709551257389615890312154517L; \
	real y = -x * c, d = F(fma)(-x, c, -y) - x * rest, e; \
	if (isinf(x)) \
		return x > 0 ? x : (real) -0.0; \
	e = F(erfc)(y) - slope * F(exp)(-y * y) * d; \
	return x * e / 2;
BOTH(gelu, GELU)

#define SILU(F) \
	real t = F(exp)(-F(fabs)(x)); \
	if (isinf(x)) \
		return x > 0 ? x : (real) -0.0; \
	return x < 0 ? x * t / (1 + t) : x / (1 + t);
BOTH(silu, SILU)

#define SOFTPLUS(F) \
	real t = F(log1p)(F(exp)(-F(fabs)(x))); \
	return x > 0 ? x + t : t;
BOTH(softplus, SOFTPLUS)

#define MISH(F) \
	real t = F(exp)(-F(fabs)(x)), up = 1 + 2 * t, down = t * (2 + t); \
	if (isinf(x)) \
		return x > 0 ? x : (real) -0.0; \
	return x < 0 ? x * down / (2 + down) : \
		x * up / (up + 2 * t * t);
BOTH(mish, MISH)

/* erf(y) = x by bisection, on erfc where that has more digits. */
#define ERFINV(F) \
	real a = F(fabs)(x), low = 0, high = 30, y = 0; \
	if (!(a < 1)) \
		return a == 1 ? x * (real) INFINITY : (real) NAN; \
	if (a < (real) 1e-9) \
		return x * 0.886226925452758013649083741670572591L; \
	for (int i = 0; i < 140; i++) { \
		y = (low + high) / 2; \
		if (a < 0.5 ? F(erf)(y) < a : F(erfc)(y) > 1 - a) \
			low = y; \
		else \
			high = y; \
	} \
	return F(copysign)(y, x);
BOTH(erfinv, ERFINV)

const struct math_function math_function[MATH_N_FUNCTION] = {
	{ POLY_OP_EXP, exp, expl, 0.9, false },
	{ POLY_OP_LOG, log, logl, 0.9, false },
	{ POLY_OP_TANH, tanh, tanhl, 0.9, false },
	{ POLY_OP_SIGMOID, sigmoid, sigmoidl, 1, false },
	{ POLY_OP_EXP2, exp2, exp2l, 0.9, false },
	{ POLY_OP_LOG2, log2, log2l, 1, false },
	{ POLY_OP_LOG10, log10, log10l, 1, false },
	{ POLY_OP_SIN, sin, sinl, 0.9, false },
	{ POLY_OP_COS, cos, cosl, 0.9, false },
	{ POLY_OP_TAN, tan, tanl, 0.9, false },
	{ POLY_OP_ASIN, asin, asinl, 0.9, false },
	{ POLY_OP_ACOS, acos, acosl, 0.9, false },
	{ POLY_OP_ATAN, atan, atanl, 0.9, false },
	{ POLY_OP_SINH, sinh, sinhl, 1.0, false },
	{ POLY_OP_COSH, cosh, coshl, 0.9, false },
	{ POLY_OP_ASINH, asinh, asinhl, 0.9, false },
	{ POLY_OP_ACOSH, acosh, acoshl, 0.9, false },
	{ POLY_OP_ATANH, atanh, atanhl, 0.9, false },
	{ POLY_OP_ROUND, round, roundl, 0, false },
	{ POLY_OP_EXP, falling, fallingl, 0.9, true },
	{ POLY_OP_EXPM1, expm1, expm1l, 1, false },
	{ POLY_OP_LOG1P, log1p, log1pl, 1, false },
	{ POLY_OP_RSQRT, rsqrt, rsqrtl, 0.9, false },
	{ POLY_OP_CBRT, cbrt, cbrtl, 0.9, false },
	{ POLY_OP_SINPI, sinpi, sinpil, 1, false },
	{ POLY_OP_COSPI, cospi, cospil, 0.9, false },
	{ POLY_OP_SINC, sinc, sincl, 0.9, false },
	{ POLY_OP_ERF, erf, erfl, 1, false },
	{ POLY_OP_ERFC, erfc, erfcl, 1, false },
	{ POLY_OP_ERFINV, erfinv, erfinvl, 1, false },
	{ POLY_OP_GELU, gelu, gelul, 1, false },
	{ POLY_OP_SILU, silu, silul, 1, false },
	{ POLY_OP_SOFTPLUS, softplus, softplusl, 1, false },
	{ POLY_OP_MISH, mish, mishl, 1, false },
};

const struct math_pair math_pair[MATH_N_PAIR] = {
	{ POLY_OP_ATAN2, atan2, atan2l, 1 },
	{ POLY_OP_POW, pow, powl, 1 },
	{ POLY_OP_REM, fmod, fmodl, 0 },
	{ POLY_OP_HYPOT, hypot, hypotl, 0.76 },
};

double math_error_f32(float got, double ref)
{
	int e;

	if (isnan(ref) || isnan(got))
		return isnan(ref) && isnan(got) ? 0 : HUGE_VAL;
	if (isinf(ref))
		return got == ref ? 0 : HUGE_VAL;
	e = ref == 0 ? -126 : ilogb(ref);
	e = e < -126 ? -126 : e > 127 ? 127 : e;
	if (isinf(got) && fabs(ref) > FLT_MAX)
		return !signbit(got) == !signbit(ref) ? 0 : HUGE_VAL;
	return fabs(got - ref) / ldexp(1, e - 23);
}

double math_error_f64(double got, long double ref)
{
	int e;

	if (isnan(ref) || isnan(got))
		return isnan(ref) && isnan(got) ? 0 : HUGE_VAL;
	if (isinf(ref))
		return got == ref ? 0 : HUGE_VAL;
	e = ref == 0 ? -1022 : ilogbl(ref);
	e = e < -1022 ? -1022 : e > 1023 ? 1023 : e;
	if (isinf(got) && fabsl(ref) > DBL_MAX)
		return !signbit(got) == !signbit(ref) ? 0 : HUGE_VAL;
	return (double) (fabsl(got - ref) / ldexpl(1, e - 52));
}
