/* nvptx: absolute values of integers, whose negation ptxas must not see.
 *
 * From 0 - abs(x) the releases of ptxas seen (12.8.93 and 13.0.88, from -O1 on)
 * conclude too much: of
 *
 *	abs.s32 %m, %x;
 *	neg.s32 %n, %m;
 *	setp.lt.s32 %p, %n, -5;
 *
 * %p is taken to be true, and of 64 bits max(%n, -5) to be -5, min(%n, -5) to be
 * %n, each without a word. LLVM makes the negation of much: of min(x, -x), of
 * -(x < 0 ? -x : x), and while it selects instructions. So it is the absolute
 * value that ptxas does not see for what it is.
 */
#include <string.h>

#include "nvptx/nvptx_internal.h"

static bool is_absolute(LLVMValueRef v, unsigned abs)
{
	LLVMValueRef f = LLVMIsACallInst(v) ? LLVMGetCalledValue(v) : NULL;

	return f && LLVMIsAFunction(f) && LLVMGetIntrinsicID(f) == abs;
}

void nvptx_hide_absolute(struct nvptx_module *m)
{
	unsigned abs = LLVMLookupIntrinsicID("llvm.abs", strlen("llvm.abs"));
	LLVMBuilderRef build = LLVMCreateBuilderInContext(m->ctx);
	LLVMValueRef next, copy;

	for (LLVMValueRef f = LLVMGetFirstFunction(m->module); f;
	     f = LLVMGetNextFunction(f))
		for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(f); bb;
		     bb = LLVMGetNextBasicBlock(bb))
			for (LLVMValueRef v = LLVMGetFirstInstruction(bb); v; v = next) {
				next = LLVMGetNextInstruction(v);
				if (!is_absolute(v, abs))
					continue;
				LLVMPositionBuilderBefore(build, v);
				copy = LLVMInstructionClone(v);
				LLVMInsertIntoBuilder(build, copy);
				LLVMReplaceAllUsesWith(v, nvptx_apart(m, build, copy));
				LLVMInstructionEraseFromParent(v);
			}
	LLVMDisposeBuilder(build);
}
