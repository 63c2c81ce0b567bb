/* nvptx: which divisions in f32 division.c replaces, and those that the optimiser has put
 * behind the block where others by the same number are.
 */
#include <llvm-c/Core.h>

#include "nvptx/optimise/optimise.h"

/* Is "y", a constant, within the bounds of a divisor? */
static bool is_divisor(LLVMValueRef y)
{
	LLVMBool lost;
	double v = LLVMConstRealGetDouble(y, &lost);

	return v >= 1. / (1 << -NVPTX_DIVISOR_LOW) && v < 1 << NVPTX_DIVISOR_HIGH;
}

/* Is "v" a division in f32 that is to be replaced: by what is no constant, or
 * by one in the range?
 */
bool nvptx_is_division(LLVMValueRef v)
{
	return LLVMGetInstructionOpcode(v) == LLVMFDiv &&
		LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMFloatTypeKind &&
		!LLVMGetFastMathFlags(v) &&
		(!LLVMIsAConstantFP(LLVMGetOperand(v, 1)) ||
		is_divisor(LLVMGetOperand(v, 1)));
}

/* Is "from" the only block that goes to "block"? */
static bool comes_from(LLVMBasicBlockRef block, LLVMBasicBlockRef from)
{
	LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(block));

	return use && !LLVMGetNextUse(use) &&
		LLVMGetInstructionParent(LLVMGetUser(use)) == from;
}

/* Is what "v" takes made outside of "block"? */
static bool is_free_of(LLVMValueRef v, LLVMBasicBlockRef block)
{
	for (int i = 0; i < LLVMGetNumOperands(v); i++) {
		LLVMValueRef x = LLVMGetOperand(v, i);

		if (LLVMIsAInstruction(x) && LLVMGetInstructionParent(x) == block)
			return false;
	}
	return true;
}

/* Does "block" divide by "y"? */
static bool divides_by(LLVMBasicBlockRef block, LLVMValueRef y)
{
	LLVMValueRef v = LLVMGetFirstInstruction(block);

	for (; v; v = LLVMGetNextInstruction(v))
		if (nvptx_is_division(v) && LLVMGetOperand(v, 1) == y)
			return true;
	return false;
}

/* Have divisions back in "block" that the optimiser has put behind its end, to where
 * alone they are needed: with others by the same number they take little.
 */
void nvptx_take_back_divisions(struct nvptx_module *m, LLVMBasicBlockRef block)
{
	LLVMBuilderRef b = LLVMCreateBuilderInContext(m->ctx);
	LLVMValueRef last = LLVMGetBasicBlockTerminator(block), v, next;

	for (unsigned i = 0; i < LLVMGetNumSuccessors(last); i++) {
		LLVMBasicBlockRef to = LLVMGetSuccessor(last, i);

		v = comes_from(to, block) ? LLVMGetFirstInstruction(to) : NULL;
		for (; v; v = next) {
			next = LLVMGetNextInstruction(v);
			if (!nvptx_is_division(v) || !is_free_of(v, to) ||
			    !divides_by(block, LLVMGetOperand(v, 1)))
				continue;
			LLVMPositionBuilderBefore(b, last);
			LLVMInstructionRemoveFromParent(v);
			LLVMInsertIntoBuilder(b, v);
		}
	}
	LLVMDisposeBuilder(b);
}
