/* nvptx: the signs of floats, read off the operations that they come from. */
#include <string.h>

#include "nvptx/llvm/llvm.h"
#include "nvptx/math/math.h"

enum { DEEP = 8 };	/* operations that are looked through */

static bool has_sign(LLVMValueRef v, bool negative, int depth);

static bool is_call_of(LLVMValueRef v, const char *name)
{
	return nvptx_called_intrinsic(v) == LLVMLookupIntrinsicID(name, strlen(name));
}

/* Is "v" a number that has the sign, or 0? */
static bool constant_has_sign(LLVMValueRef v, bool negative)
{
	LLVMBool lost;
	double value = LLVMConstRealGetDouble(v, &lost);

	return negative ? value <= 0 : value >= 0;
}

/* Has a * b the sign? Where "a" is c * b, that is the sign of c. */
static bool product_has_sign(LLVMValueRef a, LLVMValueRef b, bool negative, int depth)
{
	if (a == b)
		return !negative;
	if (LLVMIsABinaryOperator(a) && LLVMGetInstructionOpcode(a) == LLVMFMul)
		for (unsigned i = 0; i < 2; i++)
			if (LLVMGetOperand(a, i) == b)
				return has_sign(LLVMGetOperand(a, 1 - i), negative,
					depth);
	return (has_sign(a, false, depth) && has_sign(b, negative, depth)) ||
		(has_sign(a, true, depth) && has_sign(b, !negative, depth));
}

/* max(x, 0), as a comparison and a choice */
static bool is_relu(LLVMValueRef v)
{
	LLVMValueRef test = LLVMGetOperand(v, 0), zero = LLVMGetOperand(v, 1);

	return LLVMIsAFCmpInst(test) && LLVMIsNull(zero) &&
		LLVMGetFCmpPredicate(test) == LLVMRealOLE &&
		LLVMGetOperand(test, 0) == LLVMGetOperand(v, 2) &&
		LLVMGetOperand(test, 1) == zero;
}

/* Has the result of a call the sign? */
static bool call_has_sign(LLVMValueRef v, bool negative, int depth)
{
	if (is_call_of(v, negative ? "llvm.minimum" : "llvm.maximum"))
		return has_sign(LLVMGetOperand(v, 0), negative, depth) ||
			has_sign(LLVMGetOperand(v, 1), negative, depth);
	return !negative && (is_call_of(v, "llvm.fabs") || is_call_of(v, "llvm.sqrt"));
}

/* Is "v" NaN, 0, or less ("negative"), or more? A product or a sum of NaN is NaN. */
static bool has_sign(LLVMValueRef v, bool negative, int depth)
{
	if (LLVMIsAConstantFP(v))
		return constant_has_sign(v, negative);
	if (!LLVMIsAInstruction(v) || depth-- == 0)
		return false;
	switch (LLVMGetInstructionOpcode(v)) {
	case LLVMFNeg:
		return has_sign(LLVMGetOperand(v, 0), !negative, depth);
	case LLVMFAdd:
		return has_sign(LLVMGetOperand(v, 0), negative, depth) &&
			has_sign(LLVMGetOperand(v, 1), negative, depth);
	case LLVMFSub:
		return has_sign(LLVMGetOperand(v, 0), negative, depth) &&
			has_sign(LLVMGetOperand(v, 1), !negative, depth);
	case LLVMFMul:
		return product_has_sign(LLVMGetOperand(v, 0), LLVMGetOperand(v, 1),
			negative, depth) || product_has_sign(LLVMGetOperand(v, 1),
			LLVMGetOperand(v, 0), negative, depth);
	case LLVMSelect:
		return !negative && is_relu(v);
	case LLVMCall:
		return call_has_sign(v, negative, depth);
	default:
		return false;
	}
}

bool nvptx_never_positive(LLVMValueRef v)
{
	return has_sign(v, true, DEEP);
}
