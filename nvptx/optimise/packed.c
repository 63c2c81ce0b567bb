/* nvptx: sums of packed integers of 16 bits that ptxas must not see.
 *
 * The SLP vectoriser pairs sums of 16 bits, which are one instruction from compute
 * capability 9.0 on. Where only one half of such a sum is used and an operand is
 * constant, the releases of ptxas seen (12.8.93 and 13.0.88) add 0, without a word:
 *
 *	add.s16x2 %r, %x, 65531;
 *	mov.b32 {%h, _}, %r;		VIADD.16x2 R0, R0, 0x0
 *
 * ptxas may find out by itself that an operand is constant, and LLVM computes 8 bits
 * in 16. So no such sum is left: each element has its own.
 */
#include "nvptx/optimise/optimise.h"

/* Is "v" a sum or difference of vectors of integers that have 16 bits in PTX? */
static bool is_packed_sum(LLVMValueRef v)
{
	LLVMTypeRef type = LLVMTypeOf(v), element;

	if (LLVMGetInstructionOpcode(v) != LLVMAdd &&
	    LLVMGetInstructionOpcode(v) != LLVMSub)
		return false;
	element = nvptx_element_type(type);
	return LLVMGetTypeKind(type) == LLVMVectorTypeKind &&
		LLVMGetTypeKind(element) == LLVMIntegerTypeKind &&
		LLVMGetIntTypeWidth(element) <= 16;
}

/* Make the sum "v" element by element, if it is a packed one. */
static void part(struct nvptx_module *m, LLVMBuilderRef build, LLVMValueRef v)
{
	LLVMTypeRef word = LLVMInt32TypeInContext(m->ctx);
	LLVMValueRef whole = LLVMGetPoison(LLVMTypeOf(v));

	if (!is_packed_sum(v))
		return;
	LLVMPositionBuilderBefore(build, v);
	for (unsigned i = 0; i < LLVMGetVectorSize(LLVMTypeOf(v)); i++) {
		LLVMValueRef at = LLVMConstInt(word, i, false);
		LLVMValueRef a = LLVMBuildExtractElement(build,
			LLVMGetOperand(v, 0), at, "");
		LLVMValueRef b = LLVMBuildExtractElement(build,
			LLVMGetOperand(v, 1), at, "");

		whole = LLVMBuildInsertElement(build, whole,
			LLVMBuildBinOp(build, LLVMGetInstructionOpcode(v), a, b,
			""), at, "");
	}
	LLVMReplaceAllUsesWith(v, whole);
	LLVMInstructionEraseFromParent(v);
}

void nvptx_part_packed_sums(struct nvptx_module *m)
{
	nvptx_each_instruction(m, part);
}
