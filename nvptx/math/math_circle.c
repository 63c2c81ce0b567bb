/* nvptx: sin, cos and tan, and those of multiples of pi: sinpi(x) = sin(pi x), cospi
 * and sinc(x) = sin(pi x) / (pi x).
 *
 * In f64 |x| is reduced to r in [-pi/4, pi/4] with r + n pi/2 = |x|, whatever its
 * size, by multiplying its significand, an integer, with the 192 bits of 2/pi
 * that matter for it (the bits before them give multiples of 4, those behind
 * less than 2^-137). The product's two upper bits are n, the others the
 * fraction, of which at most 62 bits can be zero. Then Taylor's series on r
 * and its tail. The method is that of M. Payne and R. Hanek, Radian reduction for
 * trigonometric functions (SIGNUM Newsletter, 1983).
 *
 * f32 does so from FAR on, with 128 bits of 2/pi, of which 126 are a fraction good for
 * 102 of them: at most 32 bits can be zero. Below FAR r is x - n pi/2 with pi/2 in
 * three parts, of which the product of n with the first and its difference are exact
 * (W. Cody and W. Waite, Software Manual for the Elementary Functions, 1980).
 */
#include "nvptx/math/math_kit.h"

#define FAR 65536.0

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

static LLVMTypeRef word_type(struct fn *f)
{
	return LLVMInt64TypeInContext(LLVMGetModuleContext(f->module));
}

static LLVMValueRef word(struct fn *f, uint64_t v)
{
	return LLVMConstInt(word_type(f), v, 0);
}

/* The table as a constant of the module. */
static LLVMValueRef table(struct fn *f)
{
	static const char name[] = "cetane_two_over_pi";
	LLVMValueRef global = LLVMGetNamedGlobal(f->module, name);
	LLVMTypeRef type = LLVMArrayType2(word_type(f), N_WORD);
	LLVMValueRef value[N_WORD];
	int i;

	if (global)
		return global;
	for (i = 0; i < N_WORD; i++)
		value[i] = word(f, two_over_pi[i]);
	global = LLVMAddGlobalInAddressSpace(f->module, type, name,
		f->gpu ? 4 : 0);
	LLVMSetInitializer(global, LLVMConstArray2(word_type(f), value, N_WORD));
	LLVMSetGlobalConstant(global, 1);
	LLVMSetLinkage(global, LLVMInternalLinkage);
	return global;
}

/* Word "at" + "more" of the table. */
static LLVMValueRef load_word(struct fn *f, LLVMValueRef at, int more)
{
	LLVMTypeRef type = LLVMArrayType2(word_type(f), N_WORD);
	LLVMValueRef index[2] = { word(f, 0),
		LLVMBuildAdd(f->b, at, word(f, (uint64_t) more), "") };

	return LLVMBuildLoad2(f->b, word_type(f), LLVMBuildInBoundsGEP2(f->b,
		type, table(f), index, 2, ""), "");
}

/* 64 bits of "high" and "low" from bit "by" on. */
static LLVMValueRef funnel(struct fn *f, LLVMValueRef high, LLVMValueRef low,
	LLVMValueRef by)
{
	unsigned id = LLVMLookupIntrinsicID("llvm.fshl", 9);
	LLVMTypeRef type = word_type(f);
	LLVMValueRef arg[3] = { high, low, by }, callee;

	callee = LLVMGetIntrinsicDeclaration(f->module, id, &type, 1);
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
	return LLVMBuildTrunc(f->b, x, word_type(f), "");
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

/* |x| = r + n pi/2 in f64; "x" is not negative. */
static struct angle reduce_long(struct fn *f, LLVMValueRef x)
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

/* The same in f32 for x up to FAR. What the first part leaves is a multiple of 2^-24, which
 * the last place of the second one, below 2^-9, divides: so fast_sum loses nothing where the
 * second is larger, either.
 */
static struct angle reduce_near(struct fn *f, LLVMValueRef x)
{
	LLVMValueRef magic = real(f, f->f->round), shifted, n, first;
	struct sum middle;
	struct angle a;

	shifted = fma3(f, x, real(f, 0x1.45f306p-1), magic);
	a.n = to_bits(f, shifted);
	n = neg(f, sub(f, shifted, magic));
	first = fma3(f, n, real(f, 0x1.921fb6p+0), x);
	middle = exact_product(f, n, real(f, -0x1.777a5cp-25));
	a.r = fast_sum(f, first, middle.hi);
	middle.lo = fma3(f, n, real(f, -0x1.ee59dap-50), middle.lo);
	a.r.lo = add(f, a.r.lo, middle.lo);
	return a;
}

/* The same in f32 for x from 1 on; NaN if it is infinite. */
static struct angle reduce_far(struct fn *f, LLVMValueRef x)
{
	const uint64_t hidden = UINT64_C(1) << 23;
	LLVMValueRef bits = LLVMBuildZExt(f->b, to_bits(f, x), word_type(f), "");
	LLVMValueRef m, at, shift, w[3], p, hi, up, whole;
	struct sum part;
	struct angle a;

	m = LLVMBuildAnd(f->b, bits, word(f, hidden - 1), "");
	m = LLVMBuildOr(f->b, m, word(f, hidden), "");
	at = LLVMBuildLShr(f->b, bits, word(f, 23), "");
	at = LLVMBuildSub(f->b, at, word(f, 150 + 2 - 64), "");
	shift = LLVMBuildAnd(f->b, at, word(f, 63), "");
	at = LLVMBuildLShr(f->b, at, word(f, 6), "");
	for (int i = 0; i < 3; i++)
		w[i] = load_word(f, at, i);
	for (int i = 0; i < 2; i++)
		w[i] = funnel(f, w[i], w[i + 1], shift);
	p = LLVMBuildMul(f->b, zext(f, m), zext(f, w[1]), "");
	hi = LLVMBuildAdd(f->b, LLVMBuildMul(f->b, m, w[0], ""),
		low_word(f, high_word(f, p)), "");
	whole = funnel(f, hi, low_word(f, p), word(f, 2));
	up = LLVMBuildLShr(f->b, whole, word(f, 63), "");
	a.n = LLVMBuildAdd(f->b, LLVMBuildLShr(f->b, hi, word(f, 62), ""), up, "");
	a.n = LLVMBuildTrunc(f->b, a.n, f->integer, "");
	whole = LLVMBuildAShr(f->b, whole, word(f, 1), "");
	part.hi = LLVMBuildSIToFP(f->b, whole, f->real, "");
	up = LLVMBuildFPToSI(f->b, part.hi, word_type(f), "");
	part.lo = LLVMBuildSIToFP(f->b, LLVMBuildSub(f->b, whole, up, ""),
		f->real, "");
	part.hi = mul(f, part.hi, real(f, 0x1p-63));
	part.lo = mul(f, part.lo, real(f, 0x1p-63));
	a.r = dd_mul(f, part, dd(f, 0x1.921fb54442d18p+0, 0));
	a.r.hi = choose(f, compare(f, LLVMRealOLT, x, INFINITY), a.r.hi,
		real(f, NAN));
	return a;
}

static LLVMValueRef merge(struct fn *f, LLVMValueRef near, LLVMValueRef far,
	LLVMBasicBlockRef *from)
{
	LLVMValueRef phi = LLVMBuildPhi(f->b, LLVMTypeOf(near), "");

	LLVMAddIncoming(phi, &near, &from[0], 1);
	LLVMAddIncoming(phi, &far, &from[1], 1);
	return phi;
}

/* |x| = r + n pi/2; "x" is not negative. In f32 what is far is a branch, which hardly
 * any program takes. Leaves the builder behind it.
 */
static struct angle reduce(struct fn *f, LLVMValueRef x)
{
	LLVMContextRef ctx = LLVMGetModuleContext(f->module);
	LLVMBasicBlockRef from[2], join;
	struct angle near, far;

	if (!is_short(f))
		return reduce_long(f, x);
	near = reduce_near(f, x);
	from[0] = LLVMGetInsertBlock(f->b);
	from[1] = LLVMAppendBasicBlockInContext(ctx, f->function, "far");
	join = LLVMAppendBasicBlockInContext(ctx, f->function, "angle");
	LLVMBuildCondBr(f->b, compare(f, LLVMRealOGT, x, FAR), from[1], join);
	LLVMPositionBuilderAtEnd(f->b, from[1]);
	far = reduce_far(f, x);
	LLVMBuildBr(f->b, join);
	LLVMPositionBuilderAtEnd(f->b, join);
	near.n = merge(f, near.n, far.n, from);
	near.r.hi = merge(f, near.r.hi, far.r.hi, from);
	near.r.lo = merge(f, near.r.lo, far.r.lo, from);
	return near;
}

/* What sin and cos of r have in common: z = r.hi^2, and 1 - z/2 as a sum. In f32 what
 * rounding cuts off z is an eighth of cos's last place: "near" leaves it out.
 */
static struct sum parabola(struct fn *f, LLVMValueRef r, bool near, LLVMValueRef *z)
{
	LLVMValueRef one = real(f, 1), half = real(f, -0.5);
	struct sum s;

	*z = mul(f, r, r);
	s.hi = fma3(f, *z, half, one);
	s.lo = fma3(f, *z, half, sub(f, one, s.hi));
	if (!near)
		s.lo = fma3(f, fma3(f, r, r, neg(f, *z)), half, s.lo);
	return s;
}

/* sin(r) for |r| <= pi/4: Taylor's series for r.hi, and r.lo (1 - r^2/2). The parts of this
 * sum and of the next one overlap.
 */
static struct sum sin_near_zero(struct fn *f, struct sum r)
{
	static const double coef[] = {
		-1.0 / 6, 1.0 / 120, -1.0 / 5040, 1.0 / 362880,
		-1.0 / 39916800, 1.0 / 6227020800, -1.0 / 1307674368000,
		1.0 / 355687428096000
	};
	LLVMValueRef z, p, tail;
	struct sum s = parabola(f, r.hi, true, &z);

	p = polynomial(f, coef, is_short(f) ? 4 : 8, z);
	tail = mul(f, r.lo, s.hi);
	return (struct sum) { r.hi, fma3(f, mul(f, r.hi, z), p, tail) };
}

/* cos(r) for |r| <= pi/4: Taylor's series for r.hi, and -r.hi r.lo. */
static struct sum cos_near_zero(struct fn *f, struct sum r, bool near)
{
	static const double coef[] = {
		1.0 / 24, -1.0 / 720, 1.0 / 40320, -1.0 / 3628800,
		1.0 / 479001600, -1.0 / 87178291200, 1.0 / 20922789888000,
		-1.0 / 6402373705728000
	};
	LLVMValueRef z, p;
	struct sum s = parabola(f, r.hi, near, &z);

	p = polynomial(f, coef, is_short(f) ? 4 : 8, z);
	s.lo = fma3(f, neg(f, r.hi), r.lo, s.lo);
	s.lo = fma3(f, mul(f, z, z), p, s.lo);
	return s;
}

/* Is sin or cos of r + n pi/2 that of the other one of r? And the sign bit that it is to
 * change.
 */
static LLVMValueRef turn_of(struct fn *f, LLVMValueRef n, bool cosine,
	LLVMValueRef *flip)
{
	if (cosine)
		n = LLVMBuildAdd(f->b, n, integer(f, 1), "");
	*flip = LLVMBuildLShr(f->b, n, integer(f, 1), "");
	*flip = LLVMBuildShl(f->b, *flip, integer(f, f->f->width - 1), "");
	return LLVMBuildTrunc(f->b, n, LLVMInt1TypeInContext(
		LLVMGetModuleContext(f->module)), "");
}

static LLVMValueRef whole(struct fn *f, struct sum s)
{
	return add(f, s.hi, s.lo);
}

/* Sin or cos of r + n pi/2, and the sign bit that it is to change. */
static LLVMValueRef turned(struct fn *f, struct angle a, bool cosine,
	LLVMValueRef *flip)
{
	LLVMValueRef odd = turn_of(f, a.n, cosine, flip);

	return choose(f, odd, whole(f, cos_near_zero(f, a.r, is_short(f))),
		whole(f, sin_near_zero(f, a.r)));
}

/* pi (x - n/2) and n modulo 4: exact but for the product. NaN if "x" is infinite. */
static struct angle reduce_pi(struct fn *f, LLVMValueRef x)
{
	LLVMValueRef magic = real(f, f->f->round), shifted, half;
	struct angle a;

	half = mul(f, x, real(f, 0.5));
	half = intrinsic(f, "llvm.trunc", &half, 1);
	x = fma3(f, half, real(f, -2), x);
	shifted = fma3(f, x, real(f, 2), magic);
	a.n = to_bits(f, shifted);
	x = fma3(f, sub(f, shifted, magic), real(f, -0.5), x);
	a.r = dd_mul(f, single(f, x), dd(f, 0x1.921fb54442d18p+1,
		0x1.1a62633145c07p-53));
	return a;
}

/* A zero of sin(pi x) has the sign of x, one of cos(pi x) is positive. */
static LLVMValueRef build_pi(struct fn *f, bool cosine, LLVMValueRef x)
{
	LLVMValueRef sign, flip, y, ax = magnitude(f, x, &sign);

	y = turned(f, reduce_pi(f, ax), cosine, &flip);
	flip = choose(f, compare(f, LLVMRealOEQ, y, 0), integer(f, 0), flip);
	if (!cosine)
		flip = LLVMBuildXor(f->b, flip, sign, "");
	return with_sign(f, y, flip);
}

/* From 2^24 or 2^53 on all numbers are even. */
static LLVMValueRef build_sinc(struct fn *f, LLVMValueRef x)
{
	const double even = is_short(f) ? 0x1p24 : 0x1p53;
	LLVMValueRef sign, flip, y, ax = magnitude(f, x, &sign), finite, zero;
	struct angle a;
	struct sum s;

	finite = compare(f, LLVMRealOLT, ax, INFINITY);
	zero = compare(f, LLVMRealOGE, ax, even);
	ax = choose(f, zero, real(f, 1), ax);
	a = reduce_pi(f, ax);
	s = dd_choose(f, turn_of(f, a.n, false, &flip), cos_near_zero(f, a.r, is_short(f)),
		sin_near_zero(f, a.r));
	s = fast_sum(f, s.hi, s.lo);
	y = quotient(f, s, dd_mul(f, single(f, ax), dd(f,
		0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53)));
	y = with_sign(f, y, flip);
	y = choose(f, compare(f, LLVMRealOLT, ax, 0x1p-30), real(f, 1), y);
	y = choose(f, compare(f, LLVMRealOEQ, s.hi, 0), real(f, 0), y);
	y = choose(f, compare(f, LLVMRealOEQ, x, 0), real(f, 1), y);
	return choose(f, finite, y, real(f, NAN));
}

static LLVMValueRef build_tan(struct fn *f, struct angle a)
{
	struct sum s = sin_near_zero(f, a.r), c = cos_near_zero(f, a.r, false);
	LLVMValueRef odd;

	s = fast_sum(f, s.hi, s.lo);
	c = fast_sum(f, c.hi, c.lo);
	odd = LLVMBuildTrunc(f->b, a.n, LLVMInt1TypeInContext(
		LLVMGetModuleContext(f->module)), "");
	return quotient(f, dd_choose(f, odd, dd_neg(f, c), s),
		dd_choose(f, odd, s, c));
}

LLVMTypeRef nvptx_angle_type(struct fn *f)
{
	LLVMTypeRef part[3] = { f->real, f->real, f->integer };

	return LLVMStructTypeInContext(LLVMGetModuleContext(f->module), part, 3,
		0);
}

LLVMValueRef nvptx_math_reduce(struct fn *f, LLVMValueRef x)
{
	LLVMValueRef sign, ax = magnitude(f, x, &sign), all;
	struct angle a;

	if (!is_short(f))
		ax = choose(f, compare(f, LLVMRealOLT, ax, INFINITY), ax,
			real(f, 0));
	a = reduce(f, ax);
	all = LLVMGetUndef(nvptx_angle_type(f));
	all = LLVMBuildInsertValue(f->b, all, a.r.hi, 0, "");
	all = LLVMBuildInsertValue(f->b, all, a.r.lo, 1, "");
	return LLVMBuildInsertValue(f->b, all, a.n, 2, "");
}

LLVMValueRef nvptx_math_turn(struct fn *f, enum poly_op op, LLVMValueRef x,
	LLVMValueRef all)
{
	LLVMValueRef sign, y, flip, ax = magnitude(f, x, &sign);
	struct angle a;

	a.r.hi = LLVMBuildExtractValue(f->b, all, 0, "");
	a.r.lo = LLVMBuildExtractValue(f->b, all, 1, "");
	a.n = LLVMBuildExtractValue(f->b, all, 2, "");
	if (op == POLY_OP_TAN) {
		y = build_tan(f, a);
	} else {
		y = turned(f, a, op == POLY_OP_COS, &flip);
		if (op == POLY_OP_COS)
			sign = integer(f, 0);
		sign = LLVMBuildXor(f->b, sign, flip, "");
	}
	y = with_sign(f, y, sign);
	if (is_short(f))
		return y;
	return choose(f, compare(f, LLVMRealOLT, ax, INFINITY), y, real(f, NAN));
}

LLVMValueRef nvptx_math_circle(struct fn *f, enum poly_op op, LLVMValueRef x)
{
	return op == POLY_OP_SINC ? build_sinc(f, x) :
		build_pi(f, op == POLY_OP_COSPI, x);
}
