/* nvptx: LLVM IR as text, below the schedule tree that it came from.
 *
 * The schedule tree is printed as comments in front of it: --emit=llvm shows
 * both.
 */
#include "nvptx/llvm/llvm.h"

void nvptx_print(struct nvptx_module *m, struct poly_str *out)
{
	char *text;

	if (m->tree)
		poly_str_add(out, m->tree);
	if (!m->module)
		return;
	text = LLVMPrintModuleToString(m->module);
	poly_str_add(out, text);
	LLVMDisposeMessage(text);
}
