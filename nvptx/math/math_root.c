/* nvptx: the reciprocal of the square root, and the cube root.
 *
 * Both take a number near the result, and correct it by Newton's method with a
 * remainder that is a sum. That of the cube root starts from the bits of x, of which a
 * third is the logarithm of the result (W. Kahan, Computing a real cube root, 1991),
 * and takes Halley's steps, each of which has three times as many right bits.
 */
#include "nvptx/math/math_kit.h"

/* y + y (1 - v y^2) / 2 for y = 1 / sqrt(v), of "v" whose square is far from the ends of
 * the range.
 */
static LLVMValueRef build_rsqrt(struct fn *f, LLVMValueRef x)
{
	const double up = is_short(f) ? 0x1p64 : 0x1p200;
	LLVMValueRef low = compare(f, LLVMRealOLT, x, 1), plain, y, v, rest;
	LLVMValueRef one = real(f, 1);
	struct sum s;

	plain = LLVMBuildAnd(f->b, compare(f, LLVMRealOGT, x, 0),
		compare(f, LLVMRealOLT, x, INFINITY), "");
	v = mul(f, x, choose(f, low, real(f, up), real(f, 1 / up)));
	v = choose(f, plain, v, one);
	y = inverse_of(f, intrinsic(f, "llvm.sqrt", &v, 1));
	s = exact_product(f, y, y);
	rest = fma3(f, neg(f, v), s.lo, fma3(f, neg(f, v), s.hi, one));
	y = fma3(f, mul(f, y, real(f, 0.5)), rest, y);
	y = mul(f, y, choose(f, low, real(f, sqrt(up)), real(f, 1 / sqrt(up))));
	v = choose(f, compare(f, LLVMRealOEQ, x, INFINITY), real(f, 0),
		real(f, NAN));
	v = choose(f, compare(f, LLVMRealOEQ, x, 0), from_bits(f,
		LLVMBuildOr(f->b, to_bits(f, x), to_bits(f, real(f, INFINITY)),
		"")), v);
	return choose(f, plain, y, v);
}

/* y (y^3 + 2 x) / (2 y^3 + x) */
static LLVMValueRef halley(struct fn *f, LLVMValueRef x, LLVMValueRef y)
{
	LLVMValueRef cube = mul(f, mul(f, y, y), y);

	return mul(f, y, LLVMBuildFDiv(f->b, add(f, cube, add(f, x, x)),
		add(f, add(f, cube, cube), x), ""));
}

/* The cube root of |x|, times or over a whole power of two for the steps. */
static LLVMValueRef build_cbrt(struct fn *f, LLVMValueRef x)
{
	const uint64_t third = is_short(f) ? 0x2a5119f2 :
		UINT64_C(0x2a9f7893a5a4e000);
	const double up = is_short(f) ? 0x1p20 : 0x1p100;
	LLVMValueRef sign, low, v, y, rest, plain, ax = magnitude(f, x, &sign);
	struct sum s;

	plain = LLVMBuildAnd(f->b, compare(f, LLVMRealOGT, ax, 0),
		compare(f, LLVMRealOLT, ax, INFINITY), "");
	low = compare(f, LLVMRealOLT, ax, 1);
	v = mul(f, ax, choose(f, low, real(f, up * up * up),
		real(f, 1 / (up * up * up))));
	v = choose(f, plain, v, real(f, 1));
	y = LLVMBuildUDiv(f->b, to_bits(f, v), integer(f, 3), "");
	y = from_bits(f, LLVMBuildAdd(f->b, y, integer(f, third), ""));
	for (int i = 0; i < (is_short(f) ? 1 : 2); i++)
		y = halley(f, v, y);
	s = exact_product(f, y, y);
	rest = fma3(f, neg(f, s.hi), y, v);
	rest = fma3(f, neg(f, s.lo), y, rest);
	y = add(f, y, LLVMBuildFDiv(f->b, rest, mul(f, s.hi, real(f, 3)), ""));
	y = mul(f, y, choose(f, low, real(f, 1 / up), real(f, up)));
	return choose(f, plain, with_sign(f, y, sign), add(f, x, x));
}

LLVMValueRef nvptx_math_root(struct fn *f, enum poly_op op, LLVMValueRef x)
{
	return op == POLY_OP_CBRT ? build_cbrt(f, x) : build_rsqrt(f, x);
}
