/* A block kernel whose arrays come near: which, and how much room they take. */
#ifndef POLYIR_BLOCK_STAGE_H
#define POLYIR_BLOCK_STAGE_H

#include <stdint.h>

#include <isl/set.h>
#include <isl/union_set.h>

#include "polyir/ir/ir.h"

/* An array of the kernel. "in" are the elements to be copied at the beginning,
 * "out" at the end; NULL: none.
 *
 * "bytes" and "accesses" are estimates for choosing, not bounds.
 */
struct poly_near {
	struct poly_array *array, *copy;
	isl_set *in, *out;
	double bytes, accesses;
};

/* A kernel, and its arrays that are to be copied near.
 *
 * "near" is owned, and so are "first" and "last".
 */
struct poly_stage {
	struct poly_prog *prog;
	struct poly_kernel *kernel;
	struct poly_stmt **stmt;	/* of the kernel */
	int n_stmt;
	struct poly_near *near;
	int n;
	isl_union_set *first, *last;	/* the copies in and out */
};

/* block_arrays.c: the largest value of extent "d" of "array", for sizes that are
 * possible; 0 if there is none.
 *
 * For a size that may be anything the extent has no maximum, so the array stays
 * in memory.
 */
int64_t poly_largest_extent(struct poly_prog *prog, const struct poly_array *array,
	int d);
/* Note "array" if it is worth a place in shared memory.
 *
 * The order of conditions: cheap ones first; isl is asked for cells only in the
 * end. Nothing is noted where what is written cannot be said in few pieces.
 */
void poly_note_near(struct poly_stage *s, struct poly_array *array);
/* Keep those that there is room for.
 *
 * Greedy, from the one used most. shared_bytes is half of what a multiprocessor
 * has, so one block alone may have twice that.
 */
void poly_keep_fitting(struct poly_stage *s);

#endif
