/* What tests of rewrites of LLVM IR (nvptx/optimise) share: functions as text, before a
 * rewrite and after it.
 */
#ifndef REWRITTEN_H
#define REWRITTEN_H

#include "nvptx/llvm/llvm.h"

/* How often "part" stands in "text". */
int occurrences(const char *text, const char *part);
/* The module of a function, "head" and "body", as it is printed after "rewrite"; NULL: as it
 * was read. Valid LLVM IR, for sm_90a.
 */
struct poly_str rewritten(const char *head, const char *body,
	void (*rewrite)(struct nvptx_module *m));

#endif
