/* nvptx: kernels that begin while the launch in front of them ends.
 *
 * From sm_90 on the blocks of a launch may be put on multiprocessors as soon as those of
 * the one in front of it have all begun, if the launch asks for that (runtime/cuda/cuda.c)
 * and the code waits itself for what others write. Ours does both first of all:
 *
 *	griddepcontrol.wait;			nothing of the launch in front is left
 *	griddepcontrol.launch_dependents;	the one behind may put its blocks here
 *
 * These are put into the text that LLVM has made: it moves loads of what a kernel only
 * reads in front of anything, an inline assembly too. A kernel that has the wait where it needs
 * what the launch in front makes gets the second alone: that launch has waited itself for
 * all that came before.
 */
#include <string.h>

#include "nvptx/llvm/llvm.h"

static const char wait[] = "griddepcontrol.wait;";
static const char go_on[] = "\tgriddepcontrol.launch_dependents;\n";

bool nvptx_begins_early(const struct nvptx_options *o)
{
	enum { FIRST = 90 };

	return o->device == NVPTX_GPU && o->target && o->target->cc >= FIRST;
}

/* Does the line "s" declare registers or memory of a thread? */
static bool declares(const char *s)
{
	static const char *const word[] = { "\t.reg ", "\t.local " };

	for (int i = 0; i < 2; i++)
		if (!strncmp(s, word[i], strlen(word[i])))
			return true;
	return false;
}

/* Where the code of the next kernel of "ptx" begins, behind what it declares; NULL if
 * there is none.
 */
static const char *next_code(const char *ptx)
{
	static const char begin[] = "\n{\n";
	const char *s = strstr(ptx, ".entry ");

	s = s ? strstr(s, begin) : NULL;
	if (!s)
		return NULL;
	s += strlen(begin);
	while (declares(s))
		s = strchr(s, '\n') + 1;
	return s;
}

/* Does the kernel whose code begins at "code" wait by itself? */
static bool waits(const char *code)
{
	const char *at = strstr(code, wait), *next = strstr(code, ".entry ");

	return at && (!next || at < next);
}

void nvptx_add_waits(const char *ptx, struct poly_str *out)
{
	const char *code;

	while ((code = next_code(ptx))) {
		poly_str_addn(out, ptx, code - ptx);
		if (!waits(code))
			poly_str_printf(out, "\t%s\n", wait);
		poly_str_add(out, go_on);
		ptx = code;
	}
	poly_str_add(out, ptx);
}
