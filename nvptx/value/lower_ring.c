/* nvptx: ring mode, in which every float type of w bits is the ring of the
 * integers modulo 2^w, so that two schedules of one program must agree bit for
 * bit, however they regroup sums and products.
 *
 *	+ - * fma lerp neg	wrap
 *	literals, inputs	their bit pattern
 *	exp2(x)			5^x, which turns sums into products
 *	exp(x)			exp2(c x) with an odd c
 *	a / b			a * p(b), p a fixed permutation
 *	comparisons, min, max, abs, relu
 *				those of signed integers
 *	casts			sign-extend or truncate
 *	other functions		a fixed permutation each; of two arguments, one of
 *				the first that depends on the second
 *
 * Operations of f16 and bf16 are done modulo 2^32, the compute type's ring,
 * and truncated.
 */
#include "nvptx/value/value.h"

static LLVMValueRef word(LLVMValueRef like, uint64_t v)
{
	LLVMTypeRef type = LLVMTypeOf(like);
	unsigned width = LLVMGetIntTypeWidth(type);

	return LLVMConstInt(type, width < 64 ? v & 0xffffffff : v, 0);
}

/* A permutation of the ring, another one for each key. */
static LLVMValueRef permute(struct nvptx_ir *ir, unsigned key,
	LLVMValueRef x)
{
	unsigned half = LLVMGetIntTypeWidth(LLVMTypeOf(x)) / 2;

	for (int i = 0; i < 2; i++) {
		x = LLVMBuildAdd(ir->b, x, word(x, (key + 1) *
			UINT64_C(0x9e3779b97f4a7c15)), "");
		x = LLVMBuildXor(ir->b, x,
			LLVMBuildLShr(ir->b, x, word(x, half), ""), "");
		x = LLVMBuildMul(ir->b, x, word(x,
			UINT64_C(0xbf58476d1ce4e5b9)), "");
	}
	return LLVMBuildXor(ir->b, x, LLVMBuildLShr(ir->b, x, word(x, half),
		""), "");
}

/* 5^x; 5 has the order 2^(w - 2), so two bits of "x" do not matter. */
static LLVMValueRef power_of_five(struct nvptx_ir *ir, LLVMValueRef x)
{
	unsigned width = LLVMGetIntTypeWidth(LLVMTypeOf(x));
	LLVMValueRef result = word(x, 1), bit, next;
	uint64_t factor = 5;

	for (unsigned i = 0; i < width - 2; i++) {
		bit = LLVMBuildAnd(ir->b, x, word(x, UINT64_C(1) << i), "");
		bit = LLVMBuildICmp(ir->b, LLVMIntNE, bit, word(x, 0), "");
		next = LLVMBuildMul(ir->b, result, word(x, factor), "");
		result = LLVMBuildSelect(ir->b, bit, next, result, "");
		factor *= factor;
	}
	return result;
}

/* A function in the ring: a permutation of its argument, or of the sum of the
 * first one and a permutation of the second.
 */
static LLVMValueRef function(struct nvptx_ir *ir, enum poly_op op,
	const LLVMValueRef *x)
{
	LLVMValueRef y = x[0];

	if (poly_op_n_arg(op) == 2)
		y = LLVMBuildAdd(ir->b, y, permute(ir, op, x[1]), "");
	return permute(ir, op, y);
}

/* a * (1 - t) + b * t */
static LLVMValueRef lerp(struct nvptx_ir *ir, const LLVMValueRef *x)
{
	bool wide = LLVMGetIntTypeWidth(LLVMTypeOf(x[2])) == 64;
	LLVMValueRef one = word(x[2], wide ? UINT64_C(0x3ff0000000000000) :
		0x3f800000), a, b;

	a = LLVMBuildMul(ir->b, x[0], LLVMBuildSub(ir->b, one, x[2], ""), "");
	b = LLVMBuildMul(ir->b, x[1], x[2], "");
	return LLVMBuildAdd(ir->b, a, b, "");
}

LLVMValueRef nvptx_ring_op(struct nvptx_ir *ir, enum poly_op op,
	const LLVMValueRef *x)
{
	const uint64_t scale = UINT64_C(0xb504f333f9de6485);

	switch (op) {
	case POLY_OP_ADD:
	case POLY_OP_SUB:
	case POLY_OP_MUL:
	case POLY_OP_NEG:
	case POLY_OP_MIN:
	case POLY_OP_MAX:
	case POLY_OP_RELU:
	case POLY_OP_ABS:
		return nvptx_int_op(ir, op, POLY_I64, x);
	case POLY_OP_FMA:
		return LLVMBuildAdd(ir->b, LLVMBuildMul(ir->b, x[0], x[1], ""),
			x[2], "");
	case POLY_OP_LERP:
		return lerp(ir, x);
	case POLY_OP_DIV:
		return LLVMBuildMul(ir->b, x[0], permute(ir, op, x[1]), "");
	case POLY_OP_EXP2:
		return power_of_five(ir, x[0]);
	case POLY_OP_EXP:
		return power_of_five(ir, LLVMBuildMul(ir->b, x[0],
			word(x[0], scale), ""));
	default:
		return function(ir, op, x);
	}
}
