/* nvptx: floats from 0 to 1, or NaN, whose operation says so. LLVM keeps that as long as it
 * keeps the operation.
 */
#include "nvptx/llvm/llvm.h"

static unsigned kind_of(LLVMModuleRef m)
{
	static const char name[] = "cetane.part";

	return LLVMGetMDKindIDInContext(LLVMGetModuleContext(m), name,
		sizeof(name) - 1);
}

LLVMValueRef nvptx_set_part_of_one(LLVMModuleRef m, LLVMValueRef v)
{
	LLVMContextRef ctx = LLVMGetModuleContext(m);

	if (LLVMIsAInstruction(v))
		LLVMSetMetadata(v, kind_of(m), LLVMMetadataAsValue(ctx,
			LLVMMDNodeInContext2(ctx, NULL, 0)));
	return v;
}

bool nvptx_is_part_of_one(LLVMModuleRef m, LLVMValueRef v)
{
	return LLVMIsAInstruction(v) && LLVMGetMetadata(v, kind_of(m));
}
