/* nvptx: negations of integers that ptxas must not see.
 *
 * The releases of ptxas seen (12.8.93 and 13.0.88, from -O1 on) conclude too much
 * from two kinds, without a word. From 0 - abs(x) that it has been compared: of
 *
 *	abs.s32 %m, %x;
 *	neg.s32 %n, %m;
 *	setp.lt.s32 %p, %n, -5;
 *
 * %p is taken to be true, and of 64 bits max(%n, -5) to be -5, min(%n, -5) to be
 * %n. And from 0 - x of 16 bits that it does not overflow: of
 *
 *	neg.s16 %n, %x;
 *	cvt.s32.s16 %m, %n;
 *
 * %m is 32768 if %x is -32768, and so is what a comparison or a shift sees. Of a
 * negation of 32 bits that is shifted to the right and added they make one instruction,
 * which negates more than it should:
 *
 *	neg.s32 %n, %x;
 *	shr.s32 %s, %n, 2;
 *	add.s32 %m, %s, %x;	LEA.HI.SX32 m, -x, x, 0x1e: 1 if x is 1, not 0
 *
 * LLVM makes the negation of much: of min(x, -x), of -(x < 0 ? -x : x), of x * -4,
 * and while it selects instructions. So it is the absolute value that ptxas does not
 * see for what it is, all of 16 bits that can become a negation, and all of 32 that is
 * shifted then.
 */
#include <string.h>

#include "nvptx/optimise/optimise.h"

/* Is "v" a number of 16 bits, or several? What has fewer is cut off behind. */
static bool is_half(LLVMValueRef v)
{
	LLVMTypeRef type = nvptx_element_type(LLVMTypeOf(v));

	return LLVMGetTypeKind(type) == LLVMIntegerTypeKind &&
		LLVMGetIntTypeWidth(type) > 8 && LLVMGetIntTypeWidth(type) <= 16;
}

static bool is_difference_from_0(LLVMValueRef v)
{
	return LLVMIsAInstruction(v) && LLVMGetInstructionOpcode(v) == LLVMSub &&
		LLVMIsNull(LLVMGetOperand(v, 0));
}

/* Is it a constant that is not known to be 0 or more? */
static bool is_negative(LLVMValueRef v)
{
	return LLVMIsConstant(v) && (!LLVMIsAConstantInt(v) ||
		LLVMConstIntGetSExtValue(v) < 0);
}

/* Can "v", of 16 bits, become a negation? */
static bool can_negate(LLVMValueRef v)
{
	switch (LLVMGetInstructionOpcode(v)) {
	case LLVMMul:
		return is_negative(LLVMGetOperand(v, 1));
	case LLVMTrunc:
		return is_difference_from_0(LLVMGetOperand(v, 0));
	default:
		return is_difference_from_0(v);
	}
}

/* Is "v" one of 32 bits, and shifted to the right? */
static bool is_shifted(LLVMValueRef v)
{
	LLVMTypeRef type = nvptx_element_type(LLVMTypeOf(v));
	bool shifted = false;

	if (LLVMGetTypeKind(type) != LLVMIntegerTypeKind ||
	    LLVMGetIntTypeWidth(type) != 32)
		return false;
	for (LLVMUseRef use = LLVMGetFirstUse(v); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);
		LLVMOpcode op = LLVMIsAInstruction(user) ?
			LLVMGetInstructionOpcode(user) : LLVMRet;

		shifted |= (op == LLVMAShr || op == LLVMLShr) &&
			LLVMGetOperand(user, 0) == v;
	}
	return shifted;
}

/* Put something apart in the place of "v", if ptxas must not see what it is. */
static void hide(struct nvptx_module *m, LLVMBuilderRef build, LLVMValueRef v)
{
	unsigned abs = LLVMLookupIntrinsicID("llvm.abs", strlen("llvm.abs"));
	LLVMValueRef copy;

	if (nvptx_called_intrinsic(v) != abs &&
	    !((is_half(v) || is_shifted(v)) && can_negate(v)))
		return;
	LLVMPositionBuilderBefore(build, v);
	copy = LLVMInstructionClone(v);
	LLVMInsertIntoBuilder(build, copy);
	LLVMReplaceAllUsesWith(v, nvptx_apart(m, build, copy));
	LLVMInstructionEraseFromParent(v);
}

void nvptx_hide_negations(struct nvptx_module *m)
{
	nvptx_each_instruction(m, hide);
}
