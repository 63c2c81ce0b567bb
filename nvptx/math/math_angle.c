/* nvptx: atan, asin, acos and atan2 in f64.
 *
 * All are the angle of a point (x, y), whose coordinates may be sums:
 *
 *	atan(v): (1, v)    asin(v): (sqrt(1 - v^2), v)    acos(v): the reverse
 *
 * In the first quadrant the angle is base + atan(t), where c is the nearest of
 * 0, 1/2, 1, 3/2 and infinity to y / x, base = atan(c), and
 * t = (y - c x) / (x + c y), at most 7/16. Then the series of atan.
 */
#include "nvptx/math/math_kit.h"

/* A point of the plane. */
struct point {
	struct sum x, y;
};

/* From "ratio" on, y / x is nearer to "c" than to the one before. */
static const struct {
	double ratio, c, base, base_lo;
} step[] = {
	{ 0.4375, 0.5, 0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56 },
	{ 0.6875, 1, 0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55 },
	{ 1.1875, 1.5, 0x1.f730bd281f69bp-1, 0x1.007887af0cbbdp-56 },
	{ 2.4375, 0, 0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54 },
};
enum { N_STEP = sizeof(step) / sizeof(step[0]) };

/* x + c y for c of "step"
 *
 * As a sum, since the quotient needs what rounding cuts off.
 */
static struct sum combine(struct fn *f, struct sum x, LLVMValueRef c,
	struct sum y)
{
	struct sum p = exact_product(f, c, y.hi);

	p.lo = fma3(f, c, y.lo, p.lo);
	return dd_add(f, x, p);
}

/* atan(t) for |t| <= 7/16
 *
 * The coefficients are those of the series: 1/3, 1/5 and so on, with
 * alternating signs.
 */
static struct sum atan_near_zero(struct fn *f, struct sum t)
{
	double coef[24];
	LLVMValueRef z = mul(f, t.hi, t.hi), tail;
	int i;

	for (i = 0; i < 24; i++)
		coef[i] = (i % 2 ? 1.0 : -1.0) / (2 * i + 3);
	tail = fma3(f, neg(f, z), t.lo, t.lo);
	tail = fma3(f, mul(f, t.hi, z), polynomial(f, coef, 24, z), tail);
	return fast_sum(f, t.hi, tail);
}

/* The angle of a point whose coordinates are not negative, at most one of
 * them 0, and not both near the ends of the range.
 *
 * The steps are tried in turn; the last one that holds counts. For infinity the
 * coordinates change places.
 */
static struct sum first_quadrant(struct fn *f, struct point p)
{
	LLVMValueRef c = real(f, 0), after, last = NULL;
	struct sum base = dd(f, 0, 0), t, d;
	int i;

	for (i = 0; i < N_STEP; i++) {
		after = LLVMBuildFCmp(f->b, LLVMRealOGE, p.y.hi,
			mul(f, p.x.hi, real(f, step[i].ratio)), "");
		c = choose(f, after, real(f, step[i].c), c);
		base = dd_choose(f, after, dd(f, step[i].base,
			step[i].base_lo), base);
		last = after;
	}
	t = combine(f, p.y, neg(f, c), p.x);
	d = combine(f, p.x, c, p.y);
	t = dd_choose(f, last, dd_neg(f, p.x), t);
	d = dd_choose(f, last, p.y, d);
	t = atan_near_zero(f, dd_div(f, t, d));
	return dd_add(f, base, t);
}

/* sqrt(1 - v^2)
 *
 *	1 - v^2	as a sum, so that it is exact near v = 1
 */
static struct sum other_side(struct fn *f, LLVMValueRef v)
{
	struct sum square = exact_product(f, v, v), s;

	s = exact_sum(f, real(f, 1), neg(f, square.hi));
	return dd_sqrt(f, fast_sum(f, s.hi, sub(f, s.lo, square.lo)));
}

/* pi - x where "left", then rounded. */
static LLVMValueRef mirror(struct fn *f, LLVMValueRef left, struct sum x)
{
	struct sum pi = dd(f, 0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53);

	x = dd_choose(f, left, dd_add(f, pi, dd_neg(f, x)), x);
	return add(f, x.hi, x.lo);
}

/* The angle of (1, x). A large x is cut off where it makes no difference; a
 * small one is its own angle.
 */
static LLVMValueRef build_atan(struct fn *f, LLVMValueRef x)
{
	LLVMValueRef sign, y, big, ax = magnitude(f, x, &sign);
	struct point p = { single(f, real(f, 1)), { NULL, NULL } };
	struct sum s;

	big = compare(f, LLVMRealOGT, ax, 0x1p80);
	p.y = single(f, choose(f, big, real(f, 0x1p80), ax));
	s = first_quadrant(f, p);
	y = add(f, s.hi, s.lo);
	y = choose(f, compare(f, LLVMRealOLT, ax, 0x1p-28), ax, y);
	return with_sign(f, y, sign);
}

/* The angle of (sqrt(1 - x^2), x); NaN where |x| > 1. */
static LLVMValueRef build_asin(struct fn *f, LLVMValueRef x)
{
	LLVMValueRef sign, y, ax = magnitude(f, x, &sign);
	struct point p = { other_side(f, ax), single(f, ax) };
	struct sum s = first_quadrant(f, p);

	y = add(f, s.hi, s.lo);
	y = choose(f, compare(f, LLVMRealOLT, ax, 0x1p-28), ax, y);
	y = choose(f, compare(f, LLVMRealOGT, ax, 1), real(f, NAN), y);
	return with_sign(f, y, sign);
}

/* The angle of (|x|, sqrt(1 - x^2)), from the other side if "x" is negative;
 * NaN where |x| > 1.
 */
static LLVMValueRef build_acos(struct fn *f, LLVMValueRef x)
{
	LLVMValueRef sign, y, ax = magnitude(f, x, &sign);
	struct point p = { single(f, ax), other_side(f, ax) };

	y = mirror(f, compare(f, LLVMRealOLT, x, 0), first_quadrant(f, p));
	return choose(f, compare(f, LLVMRealOGT, ax, 1), real(f, NAN), y);
}

/* |x| and |y| such that nothing overflows or underflows before it must. */
static struct point fit(struct fn *f, LLVMValueRef x, LLVMValueRef y)
{
	LLVMValueRef inf[2], both, by, greater = choose(f, LLVMBuildFCmp(f->b,
		LLVMRealOGT, x, y, ""), x, y), arg[2] = { x, y };
	struct point p;

	by = choose(f, compare(f, LLVMRealOGT, greater, 0x1p1000),
		real(f, 0x1p-100), real(f, 1));
	by = choose(f, compare(f, LLVMRealOLT, greater, 0x1p-900),
		real(f, 0x1p200), by);
	for (int i = 0; i < 2; i++)
		inf[i] = compare(f, LLVMRealOEQ, arg[i], INFINITY);
	both = LLVMBuildOr(f->b, inf[0], inf[1], "");
	for (int i = 0; i < 2; i++)
		arg[i] = choose(f, both, choose(f, inf[i], real(f, 1),
			real(f, 0)), mul(f, arg[i], by));
	p.x = single(f, arg[0]);
	p.y = single(f, arg[1]);
	return p;
}

/* The angle of the point (x, y): found in the first quadrant, then mirrored as the
 * signs say. Where y / x is below 2^-28, the angle is the quotient.
 */
static LLVMValueRef build_atan2(struct fn *f, LLVMValueRef y, LLVMValueRef x)
{
	LLVMValueRef sign_x, sign_y, left, zero, flat, r, nan;
	struct point p;
	struct sum s;

	nan = LLVMBuildFCmp(f->b, LLVMRealUNO, x, y, "");
	x = magnitude(f, x, &sign_x);
	y = magnitude(f, y, &sign_y);
	p = fit(f, x, y);
	zero = compare(f, LLVMRealOEQ, y, 0);
	s = dd_choose(f, zero, dd(f, 0, 0), first_quadrant(f, p));
	flat = LLVMBuildFDiv(f->b, p.y.hi, p.x.hi, "");
	flat = LLVMBuildAnd(f->b, LLVMBuildNot(f->b, zero, ""),
		compare(f, LLVMRealOLT, flat, 0x1p-28), "");
	s = dd_choose(f, flat, single(f, LLVMBuildFDiv(f->b, p.y.hi, p.x.hi,
		"")), s);
	left = LLVMBuildICmp(f->b, LLVMIntNE, sign_x, integer(f, 0), "");
	r = with_sign(f, mirror(f, left, s), sign_y);
	return choose(f, nan, real(f, NAN), r);
}

const struct angles nvptx_math_angle = {
	.atan = build_atan, .asin = build_asin, .acos = build_acos,
	.atan2 = build_atan2
};
