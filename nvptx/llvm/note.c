/* nvptx: bytes that go with a module wherever its text goes, as named metadata:
 *
 *	!cetane.note = !{!14}
 *	!14 = !{!"\89CETANE\0A..."}
 */
#include <string.h>

#include "nvptx/llvm/llvm.h"

static const char name[] = "cetane.note";

void nvptx_note_set(struct nvptx_module *m, const void *data, size_t size)
{
	LLVMMetadataRef text = LLVMMDStringInContext2(m->ctx, data, size);
	LLVMMetadataRef node = LLVMMDNodeInContext2(m->ctx, &text, 1);

	LLVMAddNamedMetadataOperand(m->module, name,
		LLVMMetadataAsValue(m->ctx, node));
}

bool nvptx_note_get(struct nvptx_module *m, struct poly_str *out)
{
	LLVMValueRef node, value = NULL;
	const char *text = NULL;
	unsigned len = 0;

	if (LLVMGetNamedMetadataNumOperands(m->module, name) != 1)
		return false;
	LLVMGetNamedMetadataOperands(m->module, name, &node);
	if (LLVMGetMDNodeNumOperands(node) == 1)
		LLVMGetMDNodeOperands(node, &value);
	if (value)
		text = LLVMGetMDString(value, &len);
	if (text)
		poly_str_addn(out, text, len);
	return text != NULL;
}
