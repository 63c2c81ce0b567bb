/* nvptx: exp2, expm1, sinh, cosh, log2, log10, log1p, asinh, acosh, atanh and pow.
 *
 * The logarithm of most comes from one that carries about 70 bits (f32: 36), which pow
 * needs, since it multiplies the error by up to 745 (f32: 88). With x = 2^k (1 + m),
 * 1 + m in [sqrt(1/2), sqrt(2)), and s = m / (2 + m):
 *
 *	log(x) = k ln 2 + 2 s (1 + z/3 + z^2/5 + ...),  z = s^2
 *
 * z is at most 0.03; the terms from z^3 on (f32: z^2) are a polynomial of one number
 * each, the first ones sums. The others:
 *
 *	exp2(x) = 2^n exp((x - n) ln 2)
 *	pow(x, y) = exp(y log|x|), then the sign and C's special cases
 *	expm1(x) = 2^n - 1 + 2^n (exp(r) - 1)
 *	sinh(x) = (E + E / (E + 1)) / 2,  E = exp(|x|) - 1
 *	cosh(x) = (E + 1 / E) / 2,  E = exp(|x|)
 *	log1p(x) = log(1 + x), 1 + x being a sum
 *	asinh(x) = log(|x| + sqrt(x^2 + 1)),  acosh(x) = log(x + sqrt(x^2 - 1))
 *	atanh(x) = log((1 + |x|) / (1 - |x|)) / 2
 *
 * In f32 exp2, log2, log10 and log1p are those of short_power.c, and pow is exp2 of a
 * product with a logarithm to base 2.
 */
#include "nvptx/math/math_kit.h"

/* Above it the root in asinh and acosh is x. */
#define BIG 0x1p28

/* Below it sinh, asinh and atanh are the identity. */
static double tiny(const struct fn *f)
{
	return is_short(f) ? 0x1p-13 : 0x1p-28;
}

/* ------------------------------------------------------------- logarithms */

/* A logarithm in parts: k ln 2 + rest. */
struct logarithm {
	LLVMValueRef k;
	struct sum rest;
};

/* z/3 + z^2/5 + ... in f32 */
static struct sum short_tail(struct fn *f, struct sum z)
{
	static const double tail[] = {
		1.0 / 5, 1.0 / 7, 1.0 / 9, 1.0 / 11, 1.0 / 13, 1.0 / 15
	};
	struct sum third = dd(f, 1.0 / 3, 0), u;

	u = fast_sum(f, third.hi, mul(f, z.hi, polynomial(f, tail, 6, z.hi)));
	u.lo = add(f, u.lo, third.lo);
	return product(f, u, z);
}

/* The same in f64. */
static struct sum long_tail(struct fn *f, struct sum z)
{
	static const double tail[] = {
		1.0 / 7, 1.0 / 9, 1.0 / 11, 1.0 / 13, 1.0 / 15, 1.0 / 17,
		1.0 / 19, 1.0 / 21, 1.0 / 23, 1.0 / 25, 1.0 / 27, 1.0 / 29
	};
	LLVMValueRef t = polynomial(f, tail, 12, z.hi);
	struct sum u;

	u = fast_sum(f, real(f, 0x1.999999999999ap-3), mul(f, z.hi, t));
	u.lo = add(f, u.lo, real(f, -0x1.999999999999ap-57));
	u = dd_mul(f, u, z);
	u = dd_add(f, dd(f, 0x1.5555555555555p-2, 0x1.5555555555555p-56), u);
	return dd_mul(f, u, z);
}

/* 2 s (1 + z/3 + ...) */
static struct sum log_series(struct fn *f, struct sum s)
{
	struct sum z = product(f, s, s), u, twice, more;

	u = is_short(f) ? short_tail(f, z) : long_tail(f, dd_mul(f, s, s));
	twice.hi = add(f, s.hi, s.hi);
	twice.lo = add(f, s.lo, s.lo);
	if (!is_short(f))
		return dd_add(f, twice, dd_mul(f, twice, u));
	u = product(f, twice, u);
	more = fast_sum(f, twice.hi, u.hi);
	more.lo = add(f, more.lo, add(f, twice.lo, u.lo));
	return fast_sum(f, more.hi, more.lo);
}

/* m / (2 + m) */
static struct sum ratio(struct fn *f, LLVMValueRef m)
{
	struct sum d = fast_sum(f, real(f, 2), m), s;
	LLVMValueRef inverse = inverse_of(f, d.hi), minus, rest;

	s.hi = mul(f, m, inverse);
	minus = neg(f, s.hi);
	rest = fma3(f, minus, d.hi, m);
	s.lo = mul(f, fma3(f, minus, d.lo, rest), inverse);
	return s;
}

/* log(x) for a positive finite sum "x". */
static struct logarithm log_parts(struct fn *f, struct sum x)
{
	struct logarithm l;
	LLVMValueRef m = nvptx_log_split(f, x.hi, &l.k);

	l.rest = log_series(f, ratio(f, m));
	if (!LLVMIsNull(x.lo)) {
		m = LLVMBuildFDiv(f->b, x.lo, x.hi, "");
		m = fma3(f, mul(f, m, real(f, -0.5)), m, m);
		l.rest.lo = add(f, l.rest.lo, m);
	}
	return l;
}

/* k ln 2 + rest as one sum. */
static struct sum log_join(struct fn *f, struct logarithm l)
{
	struct sum s = fast_sum(f, mul(f, l.k, real(f, f->f->ln2_hi)),
		l.rest.hi);

	s.lo = add(f, s.lo, fma3(f, l.k, real(f, f->f->ln2_lo), l.rest.lo));
	return fast_sum(f, s.hi, s.lo);
}

static LLVMValueRef build_log2(struct fn *f, LLVMValueRef x)
{
	struct logarithm l = log_parts(f, single(f, x));
	struct sum s = dd_mul(f, l.rest, dd(f, 0x1.71547652b82fep+0,
		0x1.777d0ffda0d24p-56)), t;

	t = fast_sum(f, l.k, s.hi);
	return nvptx_log_special(f, x, add(f, t.hi, add(f, t.lo, s.lo)));
}

/* (k ln 2 + rest) / ln 10 */
static LLVMValueRef build_log10(struct fn *f, LLVMValueRef x)
{
	struct logarithm l = log_parts(f, single(f, x));
	struct sum s = dd_mul(f, l.rest, dd(f, 0x1.bcb7b1526e50ep-2,
		0x1.95355baaafad3p-57)), t;

	t = dd_mul(f, single(f, l.k), dd(f, 0x1.34413509f79ffp-2,
		-0x1.9dc1da994fd21p-59));
	s = dd_add(f, t, s);
	return nvptx_log_special(f, x, add(f, s.hi, s.lo));
}

/* log(x + sqrt(x^2 + c)) for x >= 0 and c = 1 or -1; log(2 x) where x is big.
 */
static LLVMValueRef log_of_root(struct fn *f, LLVMValueRef x, double c)
{
	LLVMValueRef big = compare(f, LLVMRealOGT, x, BIG), none;
	struct sum square = exact_product(f, x, x), t;
	struct logarithm l;

	none = compare(f, LLVMRealUEQ, x, INFINITY);
	t = exact_sum(f, square.hi, real(f, c));
	t = dd_sqrt(f, fast_sum(f, t.hi, add(f, t.lo, square.lo)));
	t = dd_choose(f, big, single(f, x), dd_add(f, single(f, x), t));
	l = log_parts(f, dd_choose(f, none, single(f, real(f, 1)), t));
	l.k = choose(f, big, add(f, l.k, real(f, 1)), l.k);
	t = log_join(f, l);
	return choose(f, none, x, add(f, t.hi, t.lo));
}

/* asinh(|x|) with the sign of x. */
static LLVMValueRef build_asinh(struct fn *f, LLVMValueRef x)
{
	LLVMValueRef sign, y;

	x = magnitude(f, x, &sign);
	y = log_of_root(f, x, 1);
	y = choose(f, compare(f, LLVMRealOLT, x, tiny(f)), x, y);
	return with_sign(f, y, sign);
}

struct sum nvptx_log1p(struct fn *f, struct sum x)
{
	struct sum s;

	if (is_short(f))
		return nvptx_short_log1p(f, x);
	s = exact_sum(f, real(f, 1), x.hi);
	if (!LLVMIsNull(x.lo))
		s.lo = add(f, s.lo, x.lo);
	return log_join(f, log_parts(f, s));
}

/* 1 + x is 0 for -1 alone, and a positive finite number for finite x > -1: what it is
 * tells what the result is.
 */
static LLVMValueRef build_log1p(struct fn *f, LLVMValueRef x)
{
	struct sum s = nvptx_log1p(f, single(f, x));
	LLVMValueRef y = add(f, s.hi, s.lo);

	y = nvptx_log_special(f, add(f, real(f, 1), x), y);
	return choose(f, compare(f, LLVMRealOEQ, x, 0), x, y);
}

static LLVMValueRef build_acosh(struct fn *f, LLVMValueRef x)
{
	return choose(f, compare(f, LLVMRealOLT, x, 1), real(f, NAN),
		log_of_root(f, x, -1));
}

/* atanh(|x|) with the sign of x; infinity at 1, NaN beyond. */
static LLVMValueRef build_atanh(struct fn *f, LLVMValueRef x)
{
	LLVMValueRef sign, y, one = real(f, 1);
	struct sum s;

	x = magnitude(f, x, &sign);
	s = dd_div(f, exact_sum(f, one, x), exact_sum(f, one, neg(f, x)));
	s = log_join(f, log_parts(f, s));
	y = mul(f, add(f, s.hi, s.lo), real(f, 0.5));
	y = choose(f, compare(f, LLVMRealOLT, x, tiny(f)), x, y);
	y = choose(f, compare(f, LLVMRealOEQ, x, 1), real(f, INFINITY), y);
	y = choose(f, compare(f, LLVMRealOGT, x, 1), real(f, NAN), y);
	return with_sign(f, y, sign);
}

/* -------------------------------------------------------------- exponentials */

/* 2^x: n is the integer nearest to x. Beyond the clamps it is 0 or infinity
 * anyway.
 */
static LLVMValueRef build_exp2(struct fn *f, LLVMValueRef x)
{
	LLVMValueRef magic = real(f, f->f->round), shifted, rest;
	struct sum s;
	struct expo e;

	x = clamp(f, x, -1100, 1100);
	shifted = add(f, x, magic);
	rest = sub(f, x, sub(f, shifted, magic));
	e.n = LLVMBuildSub(f->b, to_bits(f, shifted), to_bits(f, magic), "");
	s = dd_mul(f, single(f, rest), dd(f, 0x1.62e42fefa39efp-1,
		0x1.abc9e3b39803fp-56));
	e.r = s.hi;
	e.c = nvptx_exp_rest(f, s.hi, s.lo);
	return scale(f, nvptx_exp_mantissa(f, e).hi, e.n);
}

/* exp(x), where "x" may lie beyond all bounds. */
static LLVMValueRef exp_of_sum(struct fn *f, struct sum x)
{
	LLVMValueRef hi = clamp(f, x.hi, f->f->exp_low, f->f->exp_high), lo;
	LLVMValueRef same = LLVMBuildFCmp(f->b, LLVMRealOEQ, hi, x.hi, "");
	struct expo e = nvptx_exp_parts(f, hi);

	lo = choose(f, same, x.lo, real(f, 0));
	e.c = fma3(f, lo, nvptx_exp_mantissa(f, e).hi, e.c);
	return scale(f, nvptx_exp_mantissa(f, e).hi, e.n);
}

/* exp(x) / 2 for x >= 0, also where exp(x) is too large. */
static LLVMValueRef half_exp(struct fn *f, LLVMValueRef x)
{
	struct expo e = nvptx_exp_parts(f, clamp(f, x, 0, f->f->exp_high + 1));
	LLVMValueRef one = integer(f, 1);

	return scale(f, nvptx_exp_mantissa(f, e).hi,
		LLVMBuildSub(f->b, e.n, one, ""));
}

/* With p = 2^(n - 1), such that it is finite: of p - 1/2 the fraction that rounding
 * cuts off counts where p is large.
 */
static LLVMValueRef build_expm1(struct fn *f, LLVMValueRef x)
{
	LLVMValueRef half = real(f, -0.5), p, y;
	double low = is_short(f) ? -20 : -40;
	struct expo e;
	struct sum s, t;

	e = nvptx_exp_parts(f, clamp(f, x, low, f->f->exp_high));
	p = power(f, LLVMBuildSub(f->b, e.n, integer(f, 1), ""));
	t = fast_sum(f, p, half);
	s = fast_sum(f, t.hi, mul(f, p, e.r));
	s = fast_sum(f, s.hi, add(f, fma3(f, p, e.c, s.lo), t.lo));
	y = add(f, s.hi, s.hi);
	return choose(f, compare(f, LLVMRealOLT, magnitude(f, x, &p),
		0x1p-60), x, y);
}

/* sinh(|x|) with the sign of x; from 20 on it is half of exp(|x|). */
static LLVMValueRef build_sinh(struct fn *f, LLVMValueRef x)
{
	const double most = is_short(f) ? 10 : 20;
	LLVMValueRef sign, y, big;
	struct sum e;

	x = magnitude(f, x, &sign);
	big = compare(f, LLVMRealOGT, x, most);
	e = nvptx_exp_minus_one(f, clamp(f, x, 0, most));
	e = dd_add(f, e, dd_div(f, e, dd_add(f, e, dd(f, 1, 0))));
	y = add(f, e.hi, e.lo);
	y = choose(f, big, half_exp(f, x), mul(f, y, real(f, 0.5)));
	y = choose(f, compare(f, LLVMRealOLT, x, tiny(f)), x, y);
	return with_sign(f, y, sign);
}

/* cosh(x); from 20 on it is half of exp(|x|). */
static LLVMValueRef build_cosh(struct fn *f, LLVMValueRef x)
{
	LLVMValueRef sign, y, p;
	struct expo e;
	struct sum s;

	x = magnitude(f, x, &sign);
	e = nvptx_exp_parts(f, clamp(f, x, 0, 20));
	s = nvptx_exp_mantissa(f, e);
	p = power(f, e.n);
	s.hi = mul(f, s.hi, p);
	s.lo = mul(f, s.lo, p);
	y = quotient(f, single(f, real(f, 1)), s);
	y = mul(f, add(f, s.hi, add(f, s.lo, y)), real(f, 0.5));
	return choose(f, compare(f, LLVMRealOGT, x, 20), half_exp(f, x), y);
}

/* ----------------------------------------------------------------- powers */

/* |x|^y for positive finite "x" as 2 to the y log2(x), in f32. */
static LLVMValueRef short_power(struct fn *f, LLVMValueRef x, LLVMValueRef y)
{
	LLVMValueRef k, m = nvptx_log_split(f, x, &k);
	struct sum s = ratio(f, m), u = short_tail(f, product(f, s, s)), e;

	s = product(f, s, dd(f, 0x1.71547652b82fep+1, 0));
	u = product(f, s, u);
	e = fast_sum(f, k, s.hi);
	e.lo = add(f, e.lo, add(f, s.lo, u.lo));
	s = fast_sum(f, e.hi, u.hi);
	s.lo = add(f, s.lo, e.lo);
	e = exact_product(f, y, s.hi);
	e.lo = fma3(f, y, s.lo, e.lo);
	return nvptx_short_exp2(f, e);
}

/* C's special cases of pow: the sign of the result "p" of |x| ^ y, and where
 * there is none or it is 1.
 */
static LLVMValueRef pow_special(struct fn *f, LLVMValueRef x, LLVMValueRef y,
	LLVMValueRef p)
{
	LLVMValueRef sign, ax = magnitude(f, x, &sign), half, whole, even, nan;
	LLVMValueRef one, cut;

	cut = intrinsic(f, "llvm.trunc", &y, 1);
	whole = LLVMBuildFCmp(f->b, LLVMRealOEQ, cut, y, "");
	half = mul(f, y, real(f, 0.5));
	cut = intrinsic(f, "llvm.trunc", &half, 1);
	even = LLVMBuildFCmp(f->b, LLVMRealOEQ, cut, half, "");
	nan = LLVMBuildAnd(f->b, compare(f, LLVMRealOLT, x, 0),
		compare(f, LLVMRealOLT, ax, INFINITY), "");
	nan = LLVMBuildAnd(f->b, nan, LLVMBuildNot(f->b, whole, ""), "");
	nan = LLVMBuildOr(f->b, nan, LLVMBuildFCmp(f->b, LLVMRealUNO, x, y,
		""), "");
	sign = choose(f, LLVMBuildAnd(f->b, whole, LLVMBuildNot(f->b, even,
		""), ""), sign, integer(f, 0));
	one = compare(f, LLVMRealOEQ, ax, 1);
	p = with_sign(f, choose(f, one, real(f, 1), p), sign);
	p = choose(f, nan, real(f, NAN), p);
	one = LLVMBuildOr(f->b, compare(f, LLVMRealOEQ, x, 1),
		compare(f, LLVMRealOEQ, y, 0), "");
	return choose(f, one, real(f, 1), p);
}

static LLVMValueRef long_power(struct fn *f, LLVMValueRef x, LLVMValueRef y)
{
	struct sum l = log_join(f, log_parts(f, single(f, x))), e;

	e = exact_product(f, y, l.hi);
	e.lo = fma3(f, y, l.lo, e.lo);
	return exp_of_sum(f, e);
}

/* The result of pow, "p" being |x|^y unless |x| is 0 or infinite. */
static LLVMValueRef any_power(struct fn *f, LLVMValueRef x, LLVMValueRef y,
	LLVMValueRef p)
{
	LLVMValueRef sign, ax = magnitude(f, x, &sign), down, edge, zero;

	zero = compare(f, LLVMRealOEQ, ax, 0);
	edge = LLVMBuildOr(f->b, zero, compare(f, LLVMRealOEQ, ax, INFINITY), "");
	down = LLVMBuildXor(f->b, zero, compare(f, LLVMRealOLT, y, 0), "");
	down = choose(f, down, real(f, 0), real(f, INFINITY));
	return pow_special(f, x, y, choose(f, edge, down, p));
}

/* In f32 what is not the power of a positive finite number is a branch. Leaves the
 * builder behind it.
 */
static LLVMValueRef build_short_pow(struct fn *f, LLVMValueRef x, LLVMValueRef y)
{
	LLVMContextRef ctx = LLVMGetModuleContext(f->module);
	LLVMValueRef sign, plain, value[2], result;
	LLVMBasicBlockRef from[2], join;

	value[0] = short_power(f, magnitude(f, x, &sign), y);
	plain = LLVMBuildAnd(f->b, compare(f, LLVMRealOGT, x, 0),
		compare(f, LLVMRealOLT, x, INFINITY), "");
	plain = LLVMBuildAnd(f->b, plain, compare(f, LLVMRealOLT,
		magnitude(f, y, &sign), INFINITY), "");
	from[0] = LLVMGetInsertBlock(f->b);
	from[1] = LLVMAppendBasicBlockInContext(ctx, f->function, "special");
	join = LLVMAppendBasicBlockInContext(ctx, f->function, "power");
	LLVMBuildCondBr(f->b, plain, join, from[1]);
	LLVMPositionBuilderAtEnd(f->b, from[1]);
	value[1] = any_power(f, x, y, value[0]);
	LLVMBuildBr(f->b, join);
	LLVMPositionBuilderAtEnd(f->b, join);
	result = LLVMBuildPhi(f->b, f->real, "");
	LLVMAddIncoming(result, value, from, 2);
	return result;
}

/* pow(x, y) with log|x| as a sum; of 0, infinity and NaN it is what log makes
 * of them.
 */
static LLVMValueRef build_pow(struct fn *f, LLVMValueRef x, LLVMValueRef y)
{
	LLVMValueRef sign, ax = magnitude(f, x, &sign), plain;

	if (is_short(f))
		return build_short_pow(f, x, y);
	plain = LLVMBuildAnd(f->b, compare(f, LLVMRealOGT, ax, 0),
		compare(f, LLVMRealOLT, ax, INFINITY), "");
	return any_power(f, x, y, long_power(f, choose(f, plain, ax,
		real(f, 1)), y));
}

LLVMValueRef nvptx_math_power(struct fn *f, enum poly_op op,
	const LLVMValueRef *x)
{
	if (is_short(f) && op == POLY_OP_EXP2)
		return nvptx_short_exp2(f, single(f, x[0]));
	if (is_short(f) && (op == POLY_OP_LOG2 || op == POLY_OP_LOG10))
		return nvptx_short_log(f, op, x[0]);
	switch (op) {
	case POLY_OP_EXP2:
		return build_exp2(f, x[0]);
	case POLY_OP_EXPM1:
		return build_expm1(f, x[0]);
	case POLY_OP_LOG2:
		return build_log2(f, x[0]);
	case POLY_OP_LOG10:
		return build_log10(f, x[0]);
	case POLY_OP_LOG1P:
		return build_log1p(f, x[0]);
	case POLY_OP_SINH:
		return build_sinh(f, x[0]);
	case POLY_OP_COSH:
		return build_cosh(f, x[0]);
	case POLY_OP_ASINH:
		return build_asinh(f, x[0]);
	case POLY_OP_ACOSH:
		return build_acosh(f, x[0]);
	case POLY_OP_ATANH:
		return build_atanh(f, x[0]);
	default:
		return build_pow(f, x[0], x[1]);
	}
}
