/* nvptx: the remainder of a division (C's fmod), which is exact, rounding to an
 * integer with halves away from zero, and the length of (x, y), in f32 and f64.
 *
 * The remainder is a long division of the significands, as many bits a step as
 * an integer of 64 bits leaves room for:
 *
 *	x = mx 2^e,  y = my 2^g,  e >= g:  r = mx mod my, then e - g times
 *	r = 2 r mod my; the result is r 2^g with the sign of x
 */
#include "nvptx/math/math_kit.h"

/* A finite |x| as significand and exponent: both i64. */
struct parts {
	LLVMValueRef significand, exponent;
};

static LLVMValueRef word(struct fn *f, int64_t v)
{
	return LLVMConstInt(LLVMInt64TypeInContext(
		LLVMGetModuleContext(f->module)), (unsigned long long) v, 1);
}

/* The parts of "x", which is not negative: it is their significand times 2 to
 * the exponent, but for a bias. A denormal number has the least exponent and no
 * hidden bit.
 */
static struct parts take_apart(struct fn *f, LLVMValueRef x)
{
	int64_t hidden = INT64_C(1) << f->f->mantissa;
	LLVMValueRef bits = LLVMBuildZExt(f->b, to_bits(f, x),
		LLVMTypeOf(word(f, 0)), "");
	LLVMValueRef denormal, high;
	struct parts p;

	high = LLVMBuildLShr(f->b, bits, word(f, f->f->mantissa), "");
	denormal = LLVMBuildICmp(f->b, LLVMIntEQ, high, word(f, 0), "");
	p.significand = LLVMBuildAnd(f->b, bits, word(f, hidden - 1), "");
	p.significand = LLVMBuildOr(f->b, p.significand,
		choose(f, denormal, word(f, 0), word(f, hidden)), "");
	p.exponent = choose(f, denormal, word(f, 1), high);
	return p;
}

/* r 2^n mod m by a loop, for r < m. Leaves the builder behind it. */
static LLVMValueRef shift_modulo(struct fn *f, LLVMValueRef r, LLVMValueRef n,
	LLVMValueRef m)
{
	LLVMContextRef ctx = LLVMGetModuleContext(f->module);
	LLVMBasicBlockRef from = LLVMGetInsertBlock(f->b), head, body, end;
	LLVMValueRef left, rest, step, most = word(f, 63 - f->f->mantissa);
	LLVMValueRef next[2];

	head = LLVMAppendBasicBlockInContext(ctx, f->function, "head");
	body = LLVMAppendBasicBlockInContext(ctx, f->function, "body");
	end = LLVMAppendBasicBlockInContext(ctx, f->function, "end");
	LLVMBuildBr(f->b, head);
	LLVMPositionBuilderAtEnd(f->b, head);
	left = LLVMBuildPhi(f->b, LLVMTypeOf(n), "");
	rest = LLVMBuildPhi(f->b, LLVMTypeOf(r), "");
	LLVMAddIncoming(left, &n, &from, 1);
	LLVMAddIncoming(rest, &r, &from, 1);
	LLVMBuildCondBr(f->b, LLVMBuildICmp(f->b, LLVMIntSGT, left,
		word(f, 0), ""), body, end);
	LLVMPositionBuilderAtEnd(f->b, body);
	step = choose(f, LLVMBuildICmp(f->b, LLVMIntSLT, left, most, ""),
		left, most);
	next[0] = LLVMBuildSub(f->b, left, step, "");
	next[1] = LLVMBuildURem(f->b, LLVMBuildShl(f->b, rest, step, ""), m,
		"");
	LLVMAddIncoming(left, &next[0], &body, 1);
	LLVMAddIncoming(rest, &next[1], &body, 1);
	LLVMBuildBr(f->b, head);
	LLVMPositionBuilderAtEnd(f->b, end);
	return rest;
}

LLVMValueRef nvptx_math_rem(struct fn *f, LLVMValueRef x, LLVMValueRef y)
{
	LLVMValueRef sign, ax = magnitude(f, x, &sign), ay, plain, none, n, r;
	LLVMValueRef zero = word(f, 0);
	struct parts p, q;

	ay = magnitude(f, y, &n);
	plain = LLVMBuildFCmp(f->b, LLVMRealOLT, ax, ay, "");
	none = LLVMBuildOr(f->b, compare(f, LLVMRealOEQ, ay, 0),
		compare(f, LLVMRealUEQ, ax, INFINITY), "");
	none = LLVMBuildOr(f->b, none,
		LLVMBuildFCmp(f->b, LLVMRealUNO, ay, ay, ""), "");
	p = take_apart(f, ax);
	q = take_apart(f, ay);
	q.significand = choose(f, LLVMBuildICmp(f->b, LLVMIntEQ,
		q.significand, zero, ""), word(f, 1), q.significand);
	n = LLVMBuildSub(f->b, p.exponent, q.exponent, "");
	n = choose(f, LLVMBuildOr(f->b, none, plain, ""), zero, n);
	r = LLVMBuildURem(f->b, p.significand, q.significand, "");
	r = shift_modulo(f, r, n, q.significand);
	r = LLVMBuildUIToFP(f->b, r, f->real, "");
	n = LLVMBuildSub(f->b, q.exponent,
		word(f, f->f->bias + (int) f->f->mantissa), "");
	r = scale(f, r, LLVMBuildTrunc(f->b, n, f->integer, ""));
	r = with_sign(f, choose(f, plain, ax, r), sign);
	return choose(f, none, real(f, NAN), r);
}

LLVMValueRef nvptx_math_away(struct fn *f, LLVMValueRef x)
{
	const double half = is_short(f) ? 0x1.fffffep-2 : 0x1.fffffffffffffp-2;
	LLVMValueRef sign;

	magnitude(f, x, &sign);
	return add(f, x, with_sign(f, real(f, half), sign));
}

LLVMValueRef nvptx_math_round(struct fn *f, LLVMValueRef x)
{
	x = nvptx_math_away(f, x);
	return intrinsic(f, "llvm.trunc", &x, 1);
}

/* The root of x^2 + y^2, whose squares are exact sums: of numbers that are
 * scaled such that they neither overflow nor lose digits that count. Beside an
 * infinity NaN does not count.
 */
LLVMValueRef nvptx_math_hypot(struct fn *f, LLVMValueRef x, LLVMValueRef y)
{
	LLVMValueRef sign, ax = magnitude(f, x, &sign);
	LLVMValueRef ay = magnitude(f, y, &sign), swap, big, small, by, back;
	int top = f->f->bias / 2 - 16, step = f->f->bias / 2 + 32;
	struct sum s, t;

	swap = LLVMBuildFCmp(f->b, LLVMRealOLT, ax, ay, "");
	big = choose(f, swap, ay, ax);
	small = choose(f, swap, ax, ay);
	swap = compare(f, LLVMRealOGT, big, ldexp(1, top));
	by = choose(f, swap, real(f, ldexp(1, -step)), real(f, 1));
	back = choose(f, swap, real(f, ldexp(1, step)), real(f, 1));
	swap = compare(f, LLVMRealOLT, big, ldexp(1, -f->f->bias / 3));
	by = choose(f, swap, real(f, ldexp(1, step)), by);
	back = choose(f, swap, real(f, ldexp(1, -step)), back);
	big = mul(f, big, by);
	small = mul(f, small, by);
	s = exact_product(f, big, big);
	t = exact_product(f, small, small);
	s = dd_sqrt(f, dd_add(f, s, t));
	big = mul(f, add(f, s.hi, s.lo), back);
	big = choose(f, compare(f, LLVMRealOEQ, ax, INFINITY), ax, big);
	return choose(f, compare(f, LLVMRealOEQ, ay, INFINITY), ay, big);
}
