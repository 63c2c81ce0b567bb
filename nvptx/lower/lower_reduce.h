/* nvptx: what the files of REDUCE share. */
#ifndef NVPTX_LOWER_REDUCE_H
#define NVPTX_LOWER_REDUCE_H

#include "nvptx/lower/lower.h"

/* A REDUCE under way. Threads of a line are in "lanes" lanes of a warp, "step" apart,
 * of each of "rows" warps, in "blocks" blocks; "digits" lines go through points of one
 * thread, which has "own" points on each.
 *
 * As in a SCAN (lower_scan.c), and "blocks" for clusters.
 */
struct nvptx_line {
	const struct poly_stmt *stmt;	/* the member */
	struct poly_term term;		/* that it has at each point */
	const struct poly_kernel *kernel;
	int axis, lanes, step, rows, blocks, digits, own;
	bool brief;	/* values are positions of 32 bits */
};

/* reduce_line.c: that of "op", all of whose terms are done to each point; the bytes of a place, a whole number of words, which clusters
 * exchange; how many lines the block has places for, and how many places of each warps have.
 */
struct nvptx_line nvptx_line_of(const struct poly_kernel *k,
	const struct poly_stmt *op);
int nvptx_line_bytes(const struct nvptx_line *n);
int64_t nvptx_line_count(const struct nvptx_line *n);
int nvptx_line_rows(const struct nvptx_line *n);
/* Place number "at" from "base" on. */
LLVMValueRef nvptx_line_place(struct nvptx_ir *ir, const struct nvptx_line *n,
	LLVMValueRef base, LLVMValueRef at);
/* What "v", made of all terms of the line of the instance "in", is once the rest of the
 * member's expression is done to it.
 */
LLVMValueRef nvptx_line_result(struct nvptx_lower *l, const struct nvptx_line *n,
	const LLVMValueRef *in, LLVMValueRef v);
/* Are the values of "s" positions that 32 bits hold? */
bool nvptx_line_is_brief(struct nvptx_lower *l, const struct poly_stmt *s);
/* The type of values, what "a" and "b" make by the member's operator, and the value that
 * changes nothing.
 */
LLVMTypeRef nvptx_line_type(struct nvptx_ir *ir, const struct nvptx_line *n);
LLVMValueRef nvptx_line_combined(struct nvptx_ir *ir, const struct nvptx_line *n,
	LLVMValueRef a, LLVMValueRef b);
LLVMValueRef nvptx_line_nothing(struct nvptx_lower *l, const struct nvptx_line *n);
/* "v" of all of "lanes" lanes, "step" apart, put together. */
LLVMValueRef nvptx_line_exchanged(struct nvptx_ir *ir, const struct nvptx_line *n,
	LLVMValueRef v, int lanes, int step);

/* reduce_blocks.c: put together what all blocks of the cluster have, "v" of each digit, by
 * places from "base" on.
 */
void nvptx_line_join_blocks(struct nvptx_lower *l, const struct nvptx_line *n,
	LLVMValueRef base, LLVMValueRef *v);

#endif
