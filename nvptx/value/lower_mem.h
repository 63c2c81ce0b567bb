/* nvptx: what the files of elements of arrays share. */
#ifndef NVPTX_LOWER_MEM_H
#define NVPTX_LOWER_MEM_H

#include "nvptx/value/value.h"

/* Operations that a divisor is looked for in.
 *
 * What LLVM sees of an index is a sum of a few products.
 */
enum { NVPTX_DIVISOR_DEPTH = 16 };

/* lower_alias.c: say of the access "v" to "a" what it does not touch. */
void nvptx_alias_scope(struct nvptx_lower *l, const struct poly_array *a,
	LLVMValueRef v);
/* The same of "call", which starts the copy "s". */
void nvptx_alias_copy(struct nvptx_lower *l, const struct poly_stmt *s,
	LLVMValueRef call);
/* The largest power of two up to POLY_RUN_BYTES that divides "v" as it is written, at
 * most "depth" operations deep.
 */
int64_t nvptx_divisor(LLVMValueRef v, int depth);
/* Of how many bytes the address of the element "index" of "a" is a multiple, as its place in
 * a run tells; 0: as any element's. Let the access "v" to it be aligned so.
 */
unsigned nvptx_run_alignment(const struct nvptx_lower *l, const struct poly_array *a,
	const LLVMValueRef *index);
void nvptx_align_run(const struct nvptx_lower *l, const struct poly_array *a,
	const LLVMValueRef *index, LLVMValueRef v);

/* lower_runs.c: the number of the element of "a" at "index"; "*divides": some index has a
 * floor, or several pieces. NULL unless all extents but the first are fixed. The only index
 * of the first dimension, where the argument begins at it, does not count.
 */
__isl_give isl_pw_aff *nvptx_element_number(struct nvptx_lower *l,
	const struct poly_array *a, __isl_keep isl_multi_pw_aff *index,
	bool *divides);

#endif
