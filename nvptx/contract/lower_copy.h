/* nvptx: what the files of COPY share. */
#ifndef NVPTX_LOWER_COPY_H
#define NVPTX_LOWER_COPY_H

#include "nvptx/contract/contract.h"

/* A copy in the making. */
struct nvptx_copy {
	const struct poly_stmt *op, *point;
	isl_set *inside;	/* elements that are read, not filled */
	int n_arg;		/* tile coordinates */
	struct nvptx_share share;	/* of the box */
	LLVMValueRef in[16];	/* tile coordinates, r, c */
	LLVMValueRef lane;	/* linear index of the thread */
	LLVMValueRef later;	/* rows (across "coalesce") to go on, or NULL */
	LLVMValueRef turn;	/* the turn that they are those of, "rows" each */
	int64_t rows;
	LLVMValueRef row;	/* where in the array the last run's row begins, */
	int64_t n_row;		/* this behind the first one; NULL: none yet */
	bool whole;		/* where all of the box is known to be inside */
};

/* lower_copy.c: instances that the tree runs over the box, as a set on the copy's points;
 * the vector width, which is how many elements of a row are moved at once.
 */
__isl_give isl_set *nvptx_copy_box(const struct nvptx_facts *fact,
	const struct nvptx_copy *c);
int nvptx_copy_run(struct nvptx_lower *l, const struct nvptx_copy *c);
/* Go to the run "e" of the thread: the condition that there is one, or NULL. */
LLVMValueRef nvptx_copy_place(struct nvptx_ir *ir, struct nvptx_copy *c,
	int64_t e);

/* copy_async.c: start all of the thread's runs, as one group, or leave it to the product
 * that follows. True if that owns "c" then.
 */
bool nvptx_copy_start(struct nvptx_lower *l, struct nvptx_copy *c);

/* copy_repeat.c: the fewest rows, so many as divisors tell, after which each place of "box"
 * is "*far" elements further in the array, and inside of it if the earlier one is; 0: there
 * are none, or there is no use of them.
 */
int64_t nvptx_copy_repeats(struct nvptx_lower *l, const struct nvptx_copy *c,
	__isl_keep isl_set *box, int64_t *far);

#endif
