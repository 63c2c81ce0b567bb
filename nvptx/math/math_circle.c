/* nvptx: sin, cos and tan in f64; f32 is computed in f64 and rounded.
 *
 * |x| is reduced to r in [-pi/4, pi/4] with r + n pi/2 = |x|, whatever its
 * size, by multiplying its significand, an integer, with the 192 bits of 2/pi
 * that matter for it (the bits before them give multiples of 4, those behind
 * less than 2^-137). The product's two upper bits are n, the others the
 * fraction, of which at most 62 bits can be zero. Then Taylor's series on r
 * and its tail.
 */
#include "nvptx/math/math_kit.h"

/* 64 zero bits, then the binary fraction of 2/pi. */
static const uint64_t two_over_pi[] = {
	0,
	UINT64_C(0xa2f9836e4e441529), UINT64_C(0xfc2757d1f534ddc0),
	UINT64_C(0xdb6295993c439041), UINT64_C(0xfe5163abdebbc561),
	UINT64_C(0xb7246e3a424dd2e0), UINT64_C(0x06492eea09d1921c),
	UINT64_C(0xfe1deb1cb129a73e), UINT64_C(0xe88235f52ebb4484),
	UINT64_C(0xe99c7026b45f7e41), UINT64_C(0x3991d639835339f4),
	UINT64_C(0x9c845f8bbdf9283b), UINT64_C(0x1ff897ffde05980f),
	UINT64_C(0xef2f118b5a0a6d1f), UINT64_C(0x6d367ecf27cb09b7),
	UINT64_C(0x4f463f669e5fea2d), UINT64_C(0x7527bac7ebe5f17b),
	UINT64_C(0x3d0739f78a5292ea), UINT64_C(0x6bfb5fb11f8d5d08),
	UINT64_C(0x56033046fc7b6bab),
};
enum { N_WORD = sizeof(two_over_pi) / sizeof(two_over_pi[0]) };

/* r + n pi/2 */
struct angle {
	struct sum r;
	LLVMValueRef n;
};

/* The table as a constant of the module. */
static LLVMValueRef table(struct fn *f)
{
	static const char name[] = "cetane_two_over_pi";
	LLVMValueRef global = LLVMGetNamedGlobal(f->module, name);
	LLVMTypeRef type = LLVMArrayType2(f->integer, N_WORD);
	LLVMValueRef word[N_WORD];
	int i;

	if (global)
		return global;
	for (i = 0; i < N_WORD; i++)
		word[i] = integer(f, two_over_pi[i]);
	global = LLVMAddGlobalInAddressSpace(f->module, type, name,
		f->gpu ? 4 : 0);
	LLVMSetInitializer(global, LLVMConstArray2(f->integer, word, N_WORD));
	LLVMSetGlobalConstant(global, 1);
	LLVMSetLinkage(global, LLVMInternalLinkage);
	return global;
}

/* Word "at" + "more" of the table. */
static LLVMValueRef load_word(struct fn *f, LLVMValueRef at, int more)
{
	LLVMTypeRef type = LLVMArrayType2(f->integer, N_WORD);
	LLVMValueRef index[2] = { integer(f, 0),
		LLVMBuildAdd(f->b, at, integer(f, (uint64_t) more), "") };

	return LLVMBuildLoad2(f->b, f->integer, LLVMBuildInBoundsGEP2(f->b,
		type, table(f), index, 2, ""), "");
}

/* 64 bits of "high" and "low" from bit "by" on. */
static LLVMValueRef funnel(struct fn *f, LLVMValueRef high, LLVMValueRef low,
	LLVMValueRef by)
{
	unsigned id = LLVMLookupIntrinsicID("llvm.fshl", 9);
	LLVMValueRef arg[3] = { high, low, by }, callee;

	callee = LLVMGetIntrinsicDeclaration(f->module, id, &f->integer, 1);
	return LLVMBuildCall2(f->b, LLVMGlobalGetValueType(callee), callee,
		arg, 3, "");
}

static LLVMTypeRef double_word(struct fn *f)
{
	return LLVMInt128TypeInContext(LLVMGetModuleContext(f->module));
}

static LLVMValueRef zext(struct fn *f, LLVMValueRef x)
{
	return LLVMBuildZExt(f->b, x, double_word(f), "");
}

static LLVMValueRef low_word(struct fn *f, LLVMValueRef x)
{
	return LLVMBuildTrunc(f->b, x, f->integer, "");
}

static LLVMValueRef high_word(struct fn *f, LLVMValueRef x)
{
	return LLVMBuildLShr(f->b, x, LLVMConstInt(double_word(f), 64, 0), "");
}

/* x 2/pi modulo 4 as 192 bits, two of them before the point, high word first;
 * x >= 1/2 finite.
 */
static void multiply(struct fn *f, LLVMValueRef x, LLVMValueRef *product)
{
	const uint64_t hidden = UINT64_C(1) << 52;
	LLVMValueRef bits = to_bits(f, x), m, at, shift, w[4], t[3];

	m = LLVMBuildAnd(f->b, bits, integer(f, hidden - 1), "");
	m = LLVMBuildOr(f->b, m, integer(f, hidden), "");
	at = LLVMBuildLShr(f->b, bits, integer(f, 52), "");
	at = LLVMBuildSub(f->b, at, integer(f, 1075 + 2 - 64), "");
	shift = LLVMBuildAnd(f->b, at, integer(f, 63), "");
	at = LLVMBuildLShr(f->b, at, integer(f, 6), "");
	for (int i = 0; i < 4; i++)
		w[i] = load_word(f, at, i);
	for (int i = 0; i < 3; i++)
		w[i] = funnel(f, w[i], w[i + 1], shift);
	m = zext(f, m);
	t[2] = LLVMBuildMul(f->b, m, zext(f, w[2]), "");
	t[1] = LLVMBuildMul(f->b, m, zext(f, w[1]), "");
	t[1] = LLVMBuildAdd(f->b, t[1], high_word(f, t[2]), "");
	t[0] = LLVMBuildMul(f->b, low_word(f, m), w[0], "");
	product[0] = LLVMBuildAdd(f->b, t[0],
		low_word(f, high_word(f, t[1])), "");
	product[1] = low_word(f, t[1]);
	product[2] = low_word(f, t[2]);
}

/* The fraction "hi lo" of 128 bits with sign as a sum. */
static struct sum fraction(struct fn *f, LLVMValueRef hi, LLVMValueRef lo)
{
	LLVMTypeRef type = double_word(f);
	LLVMValueRef minus, x, zeros, arg[2], callee, top, scale_by;
	unsigned id = LLVMLookupIntrinsicID("llvm.ctlz", 9);
	struct sum s;

	minus = LLVMBuildICmp(f->b, LLVMIntSLT, hi, integer(f, 0), "");
	x = LLVMBuildShl(f->b, zext(f, hi), LLVMConstInt(type, 64, 0), "");
	x = LLVMBuildOr(f->b, x, zext(f, lo), "");
	x = choose(f, minus, LLVMBuildNeg(f->b, x, ""), x);
	arg[0] = LLVMBuildOr(f->b, x, LLVMConstInt(type, 1, 0), "");
	arg[1] = LLVMConstInt(LLVMInt1TypeInContext(
		LLVMGetModuleContext(f->module)), 0, 0);
	callee = LLVMGetIntrinsicDeclaration(f->module, id, &type, 1);
	zeros = LLVMBuildCall2(f->b, LLVMGlobalGetValueType(callee), callee,
		arg, 2, "");
	x = LLVMBuildShl(f->b, x, zeros, "");
	top = low_word(f, high_word(f, x));
	s.hi = LLVMBuildAnd(f->b, top, integer(f, ~UINT64_C(0x7ff)), "");
	s.lo = LLVMBuildOr(f->b,
		LLVMBuildShl(f->b, top, integer(f, 53), ""),
		LLVMBuildLShr(f->b, low_word(f, x), integer(f, 11), ""), "");
	s.hi = LLVMBuildUIToFP(f->b, s.hi, f->real, "");
	s.lo = LLVMBuildUIToFP(f->b, s.lo, f->real, "");
	s.lo = mul(f, s.lo, real(f, 0x1p-53));
	scale_by = power(f, LLVMBuildSub(f->b, integer(f, (uint64_t) -64),
		low_word(f, zeros), ""));
	scale_by = choose(f, minus, neg(f, scale_by), scale_by);
	s.hi = mul(f, s.hi, scale_by);
	s.lo = mul(f, s.lo, scale_by);
	return fast_sum(f, s.hi, s.lo);
}

/* |x| = r + n pi/2; "x" is not negative. */
static struct angle reduce(struct fn *f, LLVMValueRef x)
{
	LLVMValueRef small = compare(f, LLVMRealOLE, x, 0x1.921fb54442d18p-1);
	LLVMValueRef p[3], hi, lo, up;
	struct angle a;
	struct sum none = { x, real(f, 0) };

	multiply(f, choose(f, small, real(f, 1), x), p);
	hi = funnel(f, p[0], p[1], integer(f, 2));
	lo = funnel(f, p[1], p[2], integer(f, 2));
	up = LLVMBuildLShr(f->b, hi, integer(f, 63), "");
	a.n = LLVMBuildAdd(f->b, LLVMBuildLShr(f->b, p[0], integer(f, 62), ""),
		up, "");
	a.n = choose(f, small, integer(f, 0), a.n);
	a.r = dd_mul(f, fraction(f, hi, lo), dd(f, 0x1.921fb54442d18p+0,
		0x1.1a62633145c07p-54));
	a.r = dd_choose(f, small, none, a.r);
	return a;
}

/* sin(r) for |r| <= pi/4: Taylor's series for r.hi, and r.lo (1 - r^2/2). */
static struct sum sin_near_zero(struct fn *f, struct sum r)
{
	static const double coef[] = {
		-1.0 / 6, 1.0 / 120, -1.0 / 5040, 1.0 / 362880,
		-1.0 / 39916800, 1.0 / 6227020800, -1.0 / 1307674368000,
		1.0 / 355687428096000
	};
	LLVMValueRef z = mul(f, r.hi, r.hi), p, tail;

	p = polynomial(f, coef, 8, z);
	tail = fma3(f, mul(f, z, real(f, -0.5)), r.lo, r.lo);
	return fast_sum(f, r.hi, fma3(f, mul(f, r.hi, z), p, tail));
}

/* cos(r) for |r| <= pi/4: Taylor's series for r.hi, and -r.hi r.lo; 1 - r^2/2
 * is a sum.
 */
static struct sum cos_near_zero(struct fn *f, struct sum r)
{
	static const double coef[] = {
		1.0 / 24, -1.0 / 720, 1.0 / 40320, -1.0 / 3628800,
		1.0 / 479001600, -1.0 / 87178291200, 1.0 / 20922789888000,
		-1.0 / 6402373705728000
	};
	struct sum z = exact_product(f, r.hi, r.hi), s;
	LLVMValueRef p = polynomial(f, coef, 8, z.hi), rest;

	s = fast_sum(f, real(f, 1), mul(f, z.hi, real(f, -0.5)));
	rest = fma3(f, z.lo, real(f, -0.5), s.lo);
	rest = fma3(f, neg(f, r.hi), r.lo, rest);
	rest = fma3(f, mul(f, z.hi, z.hi), p, rest);
	return fast_sum(f, s.hi, rest);
}

LLVMValueRef nvptx_math_circle(struct fn *f, enum poly_op op, LLVMValueRef x)
{
	LLVMValueRef sign, finite, odd, y, flip, ax = magnitude(f, x, &sign);
	struct angle a;
	struct sum s, c;

	finite = compare(f, LLVMRealOLT, ax, INFINITY);
	a = reduce(f, choose(f, finite, ax, real(f, 0)));
	s = sin_near_zero(f, a.r);
	c = cos_near_zero(f, a.r);
	if (op == POLY_OP_COS) {
		a.n = LLVMBuildAdd(f->b, a.n, integer(f, 1), "");
		sign = integer(f, 0);
	}
	odd = LLVMBuildTrunc(f->b, a.n, LLVMInt1TypeInContext(
		LLVMGetModuleContext(f->module)), "");
	if (op == POLY_OP_TAN) {
		y = quotient(f, dd_choose(f, odd, dd_neg(f, c), s),
			dd_choose(f, odd, s, c));
	} else {
		flip = LLVMBuildLShr(f->b, a.n, integer(f, 1), "");
		flip = LLVMBuildShl(f->b, flip, integer(f, 63), "");
		sign = LLVMBuildXor(f->b, sign, flip, "");
		s = dd_choose(f, odd, c, s);
		y = add(f, s.hi, s.lo);
	}
	return choose(f, finite, with_sign(f, y, sign), real(f, NAN));
}
