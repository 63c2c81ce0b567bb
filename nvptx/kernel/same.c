/* nvptx: kernels of several versions that do the same, such as those that add the
 * parts of a sum: they are one, which each of the versions launches.
 *
 * Two functions are the same if their text is, but for their names, for places in
 * the source and for the numbers of loops.
 */
#include <stdlib.h>
#include <string.h>

#include "nvptx/llvm/llvm.h"
#include "nvptx/kernel/kernel.h"

/* The length of what stands at "p" and tells a place or a loop, or 0. */
static size_t number_at(const char *p)
{
	static const char *const what[] = { "!dbg !", "!llvm.loop !" };

	for (int i = 0; i < 2; i++) {
		size_t n = strlen(what[i]);

		if (!strncmp(p, what[i], n))
			return n + strspn(p + n, "0123456789");
	}
	return 0;
}

/* The text of "fn" behind its name, without such numbers; the caller frees it with
 * LLVMDisposeMessage.
 */
static char *text_of(LLVMValueRef fn, const char **from)
{
	char *text = LLVMPrintValueToString(fn), *to, *p;

	to = p = strchr(text, '(');
	*from = p;
	while (p && *p) {
		size_t n = number_at(p);

		if (!n)
			*to++ = *p;
		p += n ? n : 1;
	}
	if (p)
		*to = '\0';
	return text;
}

/* Is "text" that of the function "one", too? */
static bool are_same(LLVMValueRef one, const char *text)
{
	const char *from;
	char *other = text_of(one, &from);
	bool same = from && text && !strcmp(from, text);

	LLVMDisposeMessage(other);
	return same;
}

void nvptx_share(struct nvptx_ir *ir, struct nvptx_launch *launch)
{
	const char *text;
	char *all = text_of(ir->fn, &text);
	LLVMValueRef one = LLVMGetFirstFunction(ir->m->module);

	while (one && (one == ir->fn || LLVMIsDeclaration(one) ||
	    !are_same(one, text)))
		one = LLVMGetNextFunction(one);
	LLVMDisposeMessage(all);
	if (!one)
		return;
	LLVMDeleteFunction(ir->fn);
	ir->fn = NULL;
	free(launch->kernel);
	launch->kernel = strdup(LLVMGetValueName(one));
	if (!launch->kernel)
		nvptx_fail(ir, nvptx_i32(ir), "out of memory");
}
