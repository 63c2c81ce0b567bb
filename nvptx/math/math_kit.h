/* nvptx: the vocabulary in which the mathematical functions are written: one
 * operation each, sums "hi + lo" of two numbers that carry what rounding cuts
 * off, and the parts that functions of several files share.
 *
 * All operations are those that IEEE 754 rounds once. "dd" stands for
 * operations on sums, good for about 100 bits in f64 and 44 in f32.
 */
#ifndef NVPTX_MATH_KIT_H
#define NVPTX_MATH_KIT_H

#include <math.h>
#include <string.h>

#include "nvptx/llvm/llvm.h"
#include "nvptx/math/math.h"

#define MAX_EXP 12
#define MAX_LOG 21

/* A binary format and the constants of the methods in it. */
struct format {
	const char *name;
	unsigned width;		/* bits of a value */
	unsigned mantissa;	/* stored bits of the significand */
	int bias;		/* of the exponent */
	double log2e;
	double ln2_hi, ln2_lo;
	double round;		/* adding it rounds to an integer */
	double exp_low;		/* below this exp is 0 */
	double exp_high;	/* from here on exp is inf */
	uint64_t sqrt_half;	/* bits of sqrt(1/2) */
	double normal;		/* least normal number */
	double lift;		/* makes denormals normal: 2^lift_log */
	double lift_log;
	int n_exp, n_log;
	double exp[MAX_EXP];	/* Q, constant term first */
	double log[MAX_LOG];	/* P */
};

/* A function under construction. */
struct fn {
	LLVMModuleRef module;
	LLVMBuilderRef b;
	LLVMTypeRef real, integer;	/* of one width */
	LLVMValueRef function;
	bool gpu, relaxed;
	const struct format *f;
};

/* The exact sum of two numbers, |hi| much greater than |lo|. */
struct sum {
	LLVMValueRef hi, lo;
};

/* ------------------------------------------------------------ vocabulary */

static inline LLVMValueRef real(struct fn *f, double v)
{
	return LLVMConstReal(f->real, v);
}

static inline LLVMValueRef integer(struct fn *f, uint64_t v)
{
	return LLVMConstInt(f->integer, v, 0);
}

static inline LLVMValueRef add(struct fn *f, LLVMValueRef x, LLVMValueRef y)
{
	return LLVMBuildFAdd(f->b, x, y, "");
}

static inline LLVMValueRef sub(struct fn *f, LLVMValueRef x, LLVMValueRef y)
{
	return LLVMBuildFSub(f->b, x, y, "");
}

static inline LLVMValueRef mul(struct fn *f, LLVMValueRef x, LLVMValueRef y)
{
	return LLVMBuildFMul(f->b, x, y, "");
}

static inline LLVMValueRef neg(struct fn *f, LLVMValueRef x)
{
	return LLVMBuildFNeg(f->b, x, "");
}

/* Call the intrinsic "name" of this function's type. */
static inline LLVMValueRef intrinsic(struct fn *f, const char *name,
	LLVMValueRef *arg, int n)
{
	return nvptx_build_intrinsic(f->module, f->b, name, arg, n);
}

/* x * y + z, rounded once. */
static inline LLVMValueRef fma3(struct fn *f, LLVMValueRef x, LLVMValueRef y,
	LLVMValueRef z)
{
	LLVMValueRef arg[3] = { x, y, z };

	return intrinsic(f, "llvm.fma", arg, 3);
}

static inline LLVMValueRef to_bits(struct fn *f, LLVMValueRef x)
{
	return LLVMBuildBitCast(f->b, x, f->integer, "");
}

static inline LLVMValueRef from_bits(struct fn *f, LLVMValueRef x)
{
	return LLVMBuildBitCast(f->b, x, f->real, "");
}

static inline LLVMValueRef sign_mask(struct fn *f)
{
	return integer(f, (uint64_t)1 << (f->f->width - 1));
}

static inline LLVMValueRef choose(struct fn *f, LLVMValueRef cond, LLVMValueRef x,
	LLVMValueRef y)
{
	return LLVMBuildSelect(f->b, cond, x, y, "");
}

/* Ordered comparison with a constant: false for NaN. */
static inline LLVMValueRef compare(struct fn *f, LLVMRealPredicate p, LLVMValueRef x,
	double y)
{
	return LLVMBuildFCmp(f->b, p, x, real(f, y), "");
}

/* "x", but not below "low", not above "high", or between them; NaN stays. */
static inline LLVMValueRef at_least(struct fn *f, LLVMValueRef x, double low)
{
	LLVMValueRef arg[2] = { x, real(f, low) };

	if (f->f->width == 32)
		return intrinsic(f, "llvm.maximum", arg, 2);
	return choose(f, compare(f, LLVMRealOLT, x, low), arg[1], x);
}

/* min(x, high), which keeps NaN. */
static inline LLVMValueRef at_most(struct fn *f, LLVMValueRef x, double high)
{
	LLVMValueRef arg[2] = { x, real(f, high) };

	if (f->f->width == 32)
		return intrinsic(f, "llvm.minimum", arg, 2);
	return choose(f, compare(f, LLVMRealOGT, x, high), arg[1], x);
}

static inline LLVMValueRef clamp(struct fn *f, LLVMValueRef x, double low,
	double high)
{
	return at_least(f, at_most(f, x, high), low);
}

/* The number whose exponent is the low bits of "bits", and nothing else. */
static inline LLVMValueRef as_power(struct fn *f, LLVMValueRef bits)
{
	bits = LLVMBuildShl(f->b, bits, integer(f, f->f->mantissa), "");
	return from_bits(f, bits);
}

/* 2^n for the integer "n" of a normal number. */
static inline LLVMValueRef power(struct fn *f, LLVMValueRef n)
{
	return as_power(f, LLVMBuildAdd(f->b, n, integer(f,
		(uint64_t)f->f->bias), ""));
}

/* x * 2^n, in two steps because 2^n may not be representable. The first is
 * exact for 1/4 <= |x| < 4.
 */
static inline LLVMValueRef scale(struct fn *f, LLVMValueRef x, LLVMValueRef n)
{
	LLVMValueRef half = LLVMBuildAShr(f->b, n, integer(f, 1), "");
	LLVMValueRef rest = LLVMBuildSub(f->b, n, half, "");

	return mul(f, mul(f, x, power(f, half)), power(f, rest));
}

/* The polynomial with "n" coefficients "coef" (constant term first) at x. */
static inline LLVMValueRef polynomial(struct fn *f, const double *coef, int n,
	LLVMValueRef x)
{
	LLVMValueRef p = real(f, coef[n - 1]);
	int i;

	for (i = n - 2; i >= 0; i--)
		p = fma3(f, p, x, real(f, coef[i]));
	return p;
}

/* x + y without error where |x| >= |y| or x = 0. */
static inline struct sum fast_sum(struct fn *f, LLVMValueRef x, LLVMValueRef y)
{
	struct sum s;

	s.hi = add(f, x, y);
	s.lo = sub(f, y, sub(f, s.hi, x));
	return s;
}

/* x + y without error. */
static inline struct sum exact_sum(struct fn *f, LLVMValueRef x, LLVMValueRef y)
{
	struct sum s;
	LLVMValueRef part;

	s.hi = add(f, x, y);
	part = sub(f, s.hi, x);
	s.lo = add(f, sub(f, x, sub(f, s.hi, part)), sub(f, y, part));
	return s;
}

/* Is the function one of f32? */
static inline bool is_short(const struct fn *f)
{
	return f->f->width == 32;
}

/* 1 / y, rounded once. */
static inline LLVMValueRef reciprocal(struct fn *f, LLVMValueRef y)
{
	return LLVMBuildFDiv(f->b, real(f, 1), y, "");
}

/* The same for y from 2^-64 to 2^64: a GPU needs no test for other numbers then. */
static inline LLVMValueRef inverse_of(struct fn *f, LLVMValueRef y)
{
	if (f->gpu && is_short(f))
		return nvptx_hw_inverse(f->module, f->b, y);
	return reciprocal(f, y);
}

/* x / y for y.hi from 2^-64 to 2^64 in f32: the rounded reciprocal gives a first
 * quotient, its remainder (exact by fma) the correction.
 */
static inline LLVMValueRef quotient(struct fn *f, struct sum x, struct sum y)
{
	LLVMValueRef inverse, q, minus, rest;

	inverse = inverse_of(f, y.hi);
	q = mul(f, x.hi, inverse);
	minus = neg(f, q);
	rest = fma3(f, minus, y.lo, x.lo);
	rest = add(f, fma3(f, minus, y.hi, x.hi), rest);
	return fma3(f, rest, inverse, q);
}

/* u r + c, and what rounding cuts off it. */
static inline struct sum last_step(struct fn *f, LLVMValueRef u, LLVMValueRef r,
	LLVMValueRef c)
{
	struct sum s;

	s.hi = fma3(f, u, r, c);
	s.lo = fma3(f, u, r, sub(f, c, s.hi));
	return s;
}

/* x * y without error. */
static inline struct sum exact_product(struct fn *f, LLVMValueRef x,
	LLVMValueRef y)
{
	struct sum s;

	s.hi = mul(f, x, y);
	s.lo = fma3(f, x, y, neg(f, s.hi));
	return s;
}

/* The constant hi + lo: "lo" is what f64 cuts off, and f32 splits "hi". */
static inline struct sum dd(struct fn *f, double hi, double lo)
{
	double upper = is_short(f) ? (double) (float) hi : hi;
	struct sum s = { real(f, upper), real(f, hi - upper + lo) };

	return s;
}

static inline struct sum single(struct fn *f, LLVMValueRef x)
{
	struct sum s = { x, real(f, 0) };

	return s;
}

static inline struct sum dd_neg(struct fn *f, struct sum x)
{
	struct sum s = { neg(f, x.hi), neg(f, x.lo) };

	return s;
}

static inline struct sum dd_choose(struct fn *f, LLVMValueRef cond,
	struct sum x, struct sum y)
{
	struct sum s = { choose(f, cond, x.hi, y.hi),
		choose(f, cond, x.lo, y.lo) };

	return s;
}

/* x + y: the upper parts exactly, all else rounded. */
static inline struct sum dd_add(struct fn *f, struct sum x, struct sum y)
{
	struct sum s = exact_sum(f, x.hi, y.hi);

	return fast_sum(f, s.hi, add(f, s.lo, add(f, x.lo, y.lo)));
}

/* x y, of which the parts may overlap. */
static inline struct sum product(struct fn *f, struct sum x, struct sum y)
{
	struct sum s = exact_product(f, x.hi, y.hi);

	s.lo = fma3(f, x.hi, y.lo, s.lo);
	if (!LLVMIsNull(x.lo))
		s.lo = fma3(f, x.lo, y.hi, s.lo);
	return s;
}

static inline struct sum dd_mul(struct fn *f, struct sum x, struct sum y)
{
	struct sum s = product(f, x, y);

	return fast_sum(f, s.hi, s.lo);
}

/* x / y: the quotient of the upper parts, and that of what it leaves. */
static inline struct sum dd_div(struct fn *f, struct sum x, struct sum y)
{
	LLVMValueRef inverse = reciprocal(f, y.hi), q, rest;

	q = mul(f, x.hi, inverse);
	rest = fma3(f, neg(f, q), y.hi, x.hi);
	rest = add(f, rest, fma3(f, neg(f, q), y.lo, x.lo));
	return fast_sum(f, q, mul(f, rest, inverse));
}

/* The root of x >= 0. */
static inline struct sum dd_sqrt(struct fn *f, struct sum x)
{
	LLVMValueRef s = intrinsic(f, "llvm.sqrt", &x.hi, 1), rest, zero;

	rest = add(f, fma3(f, neg(f, s), s, x.hi), x.lo);
	rest = LLVMBuildFDiv(f->b, rest, add(f, s, s), "");
	zero = compare(f, LLVMRealOEQ, s, 0);
	return fast_sum(f, s, choose(f, zero, real(f, 0), rest));
}

/* |x| and its sign bit, to be put back by with_sign. */
static inline LLVMValueRef magnitude(struct fn *f, LLVMValueRef x,
	LLVMValueRef *sign)
{
	LLVMValueRef bits = to_bits(f, x);

	*sign = LLVMBuildAnd(f->b, bits, sign_mask(f), "");
	return from_bits(f, LLVMBuildXor(f->b, bits, *sign, ""));
}

/* "x" with its sign changed where "sign" is set. */
static inline LLVMValueRef with_sign(struct fn *f, LLVMValueRef x,
	LLVMValueRef sign)
{
	return from_bits(f, LLVMBuildXor(f->b, to_bits(f, x), sign, ""));
}

/* exp(x) = 2^n (1 + r + c), |r| <= ln(2) / 2. */
struct expo {
	LLVMValueRef n, r, c;
};

/* math.c: the parts of exp(x) for "x" within the bounds of the format; r + c
 * of exp(r + tail); 1 + r + c; exp(x) - 1 for x >= 0.
 */
struct expo nvptx_exp_parts(struct fn *f, LLVMValueRef x);
/* (exp(r) - 1 - r) / r^2 in f32, more exact than exp itself has to be. */
enum { NVPTX_SHORT_EXP = 6 };
extern const double nvptx_short_exp[NVPTX_SHORT_EXP];
LLVMValueRef nvptx_exp_rest(struct fn *f, LLVMValueRef r, LLVMValueRef tail);
struct sum nvptx_exp_mantissa(struct fn *f, struct expo e);
struct sum nvptx_exp_minus_one(struct fn *f, LLVMValueRef x);
/* Split a positive finite "x" into 2^k (1 + m) with 1 + m in [sqrt(1/2),
 * sqrt(2)); "k" has the type of "x". Returns m.
 */
LLVMValueRef nvptx_log_split(struct fn *f, LLVMValueRef x, LLVMValueRef *k);
/* "y", the logarithm of "x", unless "x" is no positive finite number. */
LLVMValueRef nvptx_log_special(struct fn *f, LLVMValueRef x, LLVMValueRef y);

/* The functions of x[0] and x[1]: exp2, expm1, sinh, cosh, log2, log10, log1p, asinh,
 * acosh, atanh, pow (math_power.c); sinpi, cospi, sinc (math_circle.c).
 */
LLVMValueRef nvptx_math_power(struct fn *f, enum poly_op op,
	const LLVMValueRef *x);
LLVMValueRef nvptx_math_circle(struct fn *f, enum poly_op op, LLVMValueRef x);
/* What |x| is in parts, r + n pi/2, as a structure of r.hi, r.lo and n; and sin, cos or
 * tan of "x" by that. Functions of one number share it.
 */
LLVMTypeRef nvptx_angle_type(struct fn *f);
LLVMValueRef nvptx_math_reduce(struct fn *f, LLVMValueRef x);
LLVMValueRef nvptx_math_turn(struct fn *f, enum poly_op op, LLVMValueRef x,
	LLVMValueRef all);
/* short_power.c: 2 to the "x", log2 or log10, and log1p in f32. */
LLVMValueRef nvptx_short_exp2(struct fn *f, struct sum x);
LLVMValueRef nvptx_short_log(struct fn *f, enum poly_op op, LLVMValueRef x);
struct sum nvptx_short_log1p(struct fn *f, struct sum x);
/* The functions that give angles, in f32 (short_angle.c) and in f64 (math_angle.c). */
struct angles {
	LLVMValueRef (*atan)(struct fn *f, LLVMValueRef x);
	LLVMValueRef (*asin)(struct fn *f, LLVMValueRef x);
	LLVMValueRef (*acos)(struct fn *f, LLVMValueRef x);
	LLVMValueRef (*atan2)(struct fn *f, LLVMValueRef y, LLVMValueRef x);
};
extern const struct angles nvptx_short_angle, nvptx_math_angle;
/* log1p of a sum (math_power.c). */
struct sum nvptx_log1p(struct fn *f, struct sum x);
/* hi + lo + coef[0] x + ..., "n" terms with x. */
struct series {
	double hi, lo;
	int n;
	double coef[32];
};
/* math_erf.c: the series at 2 u - 1, for u from 0 to 1 or about that. */
struct sum nvptx_series(struct fn *f, const struct series *s, struct sum u);
/* erf, erfc, gelu (math_erf.c); erfinv (math_erfinv.c); silu, softplus, mish (math_gate.c); rsqrt, cbrt
 * (math_root.c).
 */
LLVMValueRef nvptx_math_erf(struct fn *f, enum poly_op op, LLVMValueRef x);
LLVMValueRef nvptx_math_erfinv(struct fn *f, LLVMValueRef x);
LLVMValueRef nvptx_math_gate(struct fn *f, enum poly_op op, LLVMValueRef x);
LLVMValueRef nvptx_math_root(struct fn *f, enum poly_op op, LLVMValueRef x);
/* brief.c: the function "op" of "x" for results that are rounded to "to", f16 or bf16; is
 * there one? "tanh" stands for 1 + tanh(x), and for nothing else.
 */
LLVMValueRef nvptx_brief(struct fn *f, enum poly_op op, enum poly_type to,
	LLVMValueRef x);
bool nvptx_has_brief(enum poly_op op);
/* relaxed.c: the function "op" of "x" in f32 by approximations of a GPU. */
LLVMValueRef nvptx_relaxed(struct fn *f, enum poly_op op, LLVMValueRef x);
/* math_rest.c: rem, round and hypot in either format; what is round(x) when truncated: x
 * and the greatest number below 1/2, of its sign.
 */
LLVMValueRef nvptx_math_away(struct fn *f, LLVMValueRef x);
LLVMValueRef nvptx_math_rem(struct fn *f, LLVMValueRef x, LLVMValueRef y);
LLVMValueRef nvptx_math_round(struct fn *f, LLVMValueRef x);
LLVMValueRef nvptx_math_hypot(struct fn *f, LLVMValueRef x, LLVMValueRef y);

#endif
