/* nvptx: atan, asin, acos and atan2 in f32.
 *
 *	atan(t) = t - t^3/4 + t^3 A(t^2),  0 <= t <= 1;  asin(t) = t + t^3 S(t^2),  |t| <= 1/2
 *	atan2(y, x) = base + s atan(t),  t = the lesser of |x| and |y| by the greater
 *	asin(v) = pi/2 - 2 asin(t),  t = sqrt((1 - v) / 2), for v > 1/2
 *
 * A and S are minimax polynomials. What rounding cuts off t, which remainders tell, and
 * off pi is added last.
 */
#include "nvptx/math/math_kit.h"

#define PI 0x1.921fb54442d18p+1

/* atan(t) for 0 <= t <= 1 and what rounding cut off t: the part -t^3/4 is a sum. */
static struct sum bend(struct fn *f, LLVMValueRef t, LLVMValueRef more)
{
	static const double coef[] = {
		-0x1.55555p-2 + 0.25, 0x1.99979ap-3, -0x1.247p-3, 0x1.c4c60ap-4,
		-0x1.6846cap-4, 0x1.12bd64p-4, -0x1.6a3c2p-5, 0x1.6acfc6p-6,
		-0x1.d38824p-8, 0x1.1a6cbcp-10,
	};
	struct sum z = exact_product(f, t, t), cube, s;
	LLVMValueRef quarter = mul(f, t, real(f, -0.25)), p;

	cube = exact_product(f, quarter, z.hi);
	cube.lo = add(f, fma3(f, quarter, z.lo, cube.lo), more);
	p = mul(f, z.hi, polynomial(f, coef, 10, z.hi));
	s = fast_sum(f, t, cube.hi);
	s.lo = add(f, s.lo, fma3(f, t, p, cube.lo));
	return s;
}

/* asin(t) - t of z = t^2
 *
 * The polynomial has only even powers: asin is odd.
 */
static LLVMValueRef lean(struct fn *f, LLVMValueRef t, LLVMValueRef z)
{
	static const double coef[] = {
		0x1.55554cp-3, 0x1.333898p-4, 0x1.6cac0ep-5, 0x1.04a2p-5,
		0x1.d86a28p-7, 0x1.338596p-5,
	};

	return mul(f, mul(f, t, z), polynomial(f, coef, 6, z));
}

/* base + s, rounded once; |base| > |s| or base = 0.
 *
 * What rounding cut off both is added first, to the smaller part.
 */
static LLVMValueRef onto(struct fn *f, struct sum base, struct sum s)
{
	struct sum t = fast_sum(f, base.hi, s.hi);

	return add(f, t.hi, add(f, t.lo, add(f, base.lo, s.lo)));
}

/* The lower part is what the f64 nearest to pi still has beyond f32. */
static struct sum pi_times(struct fn *f, double by)
{
	return dd(f, PI * by, 0);
}

/* The angle of (x, y), neither negative, in the first quadrant, or beside it where
 * "left".
 */
static LLVMValueRef angle(struct fn *f, LLVMValueRef x, LLVMValueRef y,
	LLVMValueRef left)
{
	LLVMValueRef steep = LLVMBuildFCmp(f->b, LLVMRealOGT, y, x, ""), a, b, t;
	LLVMValueRef equal, turn;
	struct sum base, s;

	a = choose(f, steep, x, y);
	b = choose(f, steep, y, x);
	equal = LLVMBuildFCmp(f->b, LLVMRealOEQ, a, b, "");
	t = choose(f, equal, real(f, 1), LLVMBuildFDiv(f->b, a, b, ""));
	s.hi = t;
	/* The rest of the division, by the divisor: what rounding cut off t.
	 * The term with t^2 makes it that of the angle.
	 */
	s.lo = LLVMBuildFDiv(f->b, fma3(f, neg(f, t), b, a), b, "");
	s.lo = fma3(f, mul(f, s.lo, real(f, -0.5)), mul(f, t, t), s.lo);
	/* At infinity there is no rest. */
	s.lo = choose(f, compare(f, LLVMRealOLT, b, INFINITY), s.lo, real(f, 0));
	base = dd_choose(f, left, pi_times(f, 1), dd(f, 0, 0));
	base = dd_choose(f, steep, pi_times(f, 0.5), base);
	turn = LLVMBuildXor(f->b, steep, left, "");
	s = bend(f, t, s.lo);
	s = dd_choose(f, turn, dd_neg(f, s), s);
	return onto(f, base, s);
}

/* The point is (1, |x|); atan is odd. */
static LLVMValueRef build_atan(struct fn *f, LLVMValueRef x)
{
	LLVMValueRef sign, ax = magnitude(f, x, &sign), no;

	no = LLVMConstInt(LLVMInt1TypeInContext(LLVMGetModuleContext(f->module)),
		0, 0);
	return with_sign(f, angle(f, real(f, 1), ax, no), sign);
}

/* Both are made longer where remainders could be too small; at the origin x is 1. */
static LLVMValueRef build_atan2(struct fn *f, LLVMValueRef y, LLVMValueRef x)
{
	LLVMValueRef sign_x, sign_y, small, by, left, nan, origin, r;

	nan = LLVMBuildFCmp(f->b, LLVMRealUNO, x, y, "");
	x = magnitude(f, x, &sign_x);
	/* Both are multiplied by 2^64 if both are small, which does not change
	 * the angle.
	 */
	y = magnitude(f, y, &sign_y);
	small = LLVMBuildAnd(f->b, compare(f, LLVMRealOLT, x, 0x1p-64),
		compare(f, LLVMRealOLT, y, 0x1p-64), "");
	by = choose(f, small, real(f, 0x1p64), real(f, 1));
	x = mul(f, x, by);
	y = mul(f, y, by);
	origin = LLVMBuildAnd(f->b, compare(f, LLVMRealOEQ, x, 0),
		compare(f, LLVMRealOEQ, y, 0), "");
	left = LLVMBuildICmp(f->b, LLVMIntNE, sign_x, integer(f, 0), "");
	r = angle(f, choose(f, origin, real(f, 1), x), y, left);
	return choose(f, nan, real(f, NAN), with_sign(f, r, sign_y));
}

/* asin(sqrt((1 - v) / 2)) as a sum, for v from 1/2 to 1; NaN beyond.
 *
 * The polynomial of asin is used for the root, which is at most 1/2.
 */
static struct sum half_angle(struct fn *f, LLVMValueRef v)
{
	LLVMValueRef z = fma3(f, v, real(f, -0.5), real(f, 0.5)), rest;
	struct sum s;

	s.hi = intrinsic(f, "llvm.sqrt", &z, 1);
	rest = fma3(f, neg(f, s.hi), s.hi, z);
	rest = LLVMBuildFDiv(f->b, rest, add(f, s.hi, s.hi), "");
	rest = choose(f, compare(f, LLVMRealOEQ, z, 0), real(f, 0), rest);
	s.lo = add(f, rest, lean(f, s.hi, z));
	return s;
}

/* Twice each part is exact. */
static struct sum twice(struct fn *f, struct sum s)
{
	s.hi = add(f, s.hi, s.hi);
	s.lo = add(f, s.lo, s.lo);
	return s;
}

/* Below 1/2 the polynomial alone; above it, pi/2 less twice the half angle. */
static LLVMValueRef build_asin(struct fn *f, LLVMValueRef x)
{
	LLVMValueRef sign, ax = magnitude(f, x, &sign), low, high;

	low = add(f, ax, lean(f, ax, mul(f, ax, ax)));
	high = onto(f, pi_times(f, 0.5), dd_neg(f, twice(f, half_angle(f, ax))));
	low = choose(f, compare(f, LLVMRealOLE, ax, 0.5), low, high);
	return with_sign(f, low, sign);
}

/* From the left, pi less the angle; up to 1/2, pi/2 less asin. */
static LLVMValueRef build_acos(struct fn *f, LLVMValueRef x)
{
	LLVMValueRef sign, ax = magnitude(f, x, &sign), left, low, high;
	struct sum s = twice(f, half_angle(f, ax)), t, none = dd(f, 0, 0);

	left = compare(f, LLVMRealOLT, x, 0);
	s = dd_choose(f, left, dd_neg(f, s), s);
	high = onto(f, dd_choose(f, left, pi_times(f, 1), none), s);
	t.hi = neg(f, x);
	t.lo = lean(f, t.hi, mul(f, x, x));
	low = onto(f, pi_times(f, 0.5), t);
	return choose(f, compare(f, LLVMRealOLE, ax, 0.5), low, high);
}

const struct angles nvptx_short_angle = {
	.atan = build_atan, .asin = build_asin, .acos = build_acos,
	.atan2 = build_atan2
};
