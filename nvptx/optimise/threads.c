/* nvptx: what LLVM is told of the numbers of threads.
 *
 * A kernel has blocks of one size, and of a row of 251 elements thread x has x, 32 + x,
 * up to 224 + x. Whether there is such an element is asked of each. With
 *
 *	%x = call range(i32 0, 32) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
 *
 * only the last one is a question: the others are in one block with what is the same for
 * all of them.
 */
#include <stdio.h>
#include <string.h>

#include "nvptx/optimise/optimise.h"

/* The threads that "f", a kernel, has along each axis; false: that is not said. */
static bool read_block(LLVMValueRef f, int size[3])
{
	static const char name[] = "nvvm.reqntid";
	LLVMAttributeRef a = LLVMGetStringAttributeAtIndex(f,
		(LLVMAttributeIndex) LLVMAttributeFunctionIndex, name,
		sizeof(name) - 1);
	unsigned length;

	for (int d = 0; d < 3; d++)
		size[d] = 1;
	return a && sscanf(LLVMGetStringAttributeValue(a, &length), "%d,%d,%d",
		&size[0], &size[1], &size[2]) > 0;
}

/* The axis of the number of a thread that "v" reads; -1: it reads none. */
static int axis_of(LLVMValueRef v)
{
	static const char *const name[] = {
		"llvm.nvvm.read.ptx.sreg.tid.x", "llvm.nvvm.read.ptx.sreg.tid.y",
		"llvm.nvvm.read.ptx.sreg.tid.z",
	};
	unsigned called = nvptx_called_intrinsic(v);

	for (int d = 0; called && d < 3; d++)
		if (called == LLVMLookupIntrinsicID(name[d], strlen(name[d])))
			return d;
	return -1;
}

/* Say that "call" gives a number from 0 up to, but without, "n". */
static void set_range(struct nvptx_module *m, LLVMValueRef call, int n)
{
	static const char name[] = "range";
	uint64_t low = 0, high = (uint64_t) n;
	unsigned kind = LLVMGetEnumAttributeKindForName(name, sizeof(name) - 1);

	LLVMAddCallSiteAttribute(call, (LLVMAttributeIndex) LLVMAttributeReturnIndex,
		LLVMCreateConstantRangeAttribute(m->ctx, kind, 32, &low, &high));
}

void nvptx_bound_threads(struct nvptx_module *m)
{
	LLVMValueRef f = LLVMGetFirstFunction(m->module);
	int size[3];

	for (; f; f = LLVMGetNextFunction(f)) {
		LLVMBasicBlockRef b = read_block(f, size) ? LLVMGetFirstBasicBlock(f) : NULL;

		for (; b; b = LLVMGetNextBasicBlock(b)) {
			LLVMValueRef v = LLVMGetFirstInstruction(b);

			for (; v; v = LLVMGetNextInstruction(v))
				if (axis_of(v) >= 0 && size[axis_of(v)] > 0)
					set_range(m, v, size[axis_of(v)]);
		}
	}
}
