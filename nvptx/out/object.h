/* What the files that make an object share. */
#ifndef NVPTX_OBJECT_H
#define NVPTX_OBJECT_H

#include "nvptx/llvm/llvm.h"

/* An object that is being made. "program" is the global that the runtime's
 * functions take.
 */
struct nvptx_object {
	struct nvptx_module *m;
	const struct nvptx_interface *face;
	LLVMBuilderRef b;
	LLVMTypeRef i32, i64, ptr;
	LLVMValueRef program;
	bool failed;
};
/* object_valid.c: 1 if "size", the values of the sizes of "prog", are in the set "valid"
 * of isl, else 0.
 */
LLVMValueRef nvptx_object_valid(struct nvptx_object *o, struct poly_prog *prog,
	const char *valid, const LLVMValueRef *size);
/* object_entry.c: add the function that stands in the place of one in C. */
void nvptx_object_entry(struct nvptx_object *o);

#endif
