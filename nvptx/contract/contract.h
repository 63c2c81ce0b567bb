/* Tile operations of products, COPY, CONTRACT and their waits, to LLVM IR. */
#ifndef NVPTX_CONTRACT_H
#define NVPTX_CONTRACT_H

#include "nvptx/value/value.h"

/* -------------------------------------------------------- contract_place.c */

/* Steps of a body of the loop over a product's tile. */
int nvptx_body(const struct poly_kernel *k, const struct poly_stmt *product);

/* ------------------------------------------------------------ copy_async.c */

/* Copies that were put off (l->put_off.turns) are started by the product that
 * follows: all at once, or a part of each in each turn, after which they are
 * committed. "done" forgets them. "step" is the one of a turn's "steps" that is
 * best for the part, which was measured. "whole" is the condition that their
 * boxes lie inside the arrays, or NULL if there is none to tell; code that is
 * emitted while that is assumed does not ask for each element.
 */
LLVMValueRef nvptx_copy_whole(struct nvptx_lower *l);
/* Are all boxes inside the arrays? */
bool nvptx_copy_is_plain(const struct nvptx_put_off *put_off);
void nvptx_copy_assume_whole(struct nvptx_put_off *put_off, bool whole);
void nvptx_copy_all(struct nvptx_lower *l);
/* The share "i" of "n" of all that was put off, without a commit. */
void nvptx_copy_slice(struct nvptx_lower *l, int i, int n);
int nvptx_copy_step(const struct nvptx_put_off *put_off, int steps);
void nvptx_copy_part(struct nvptx_lower *l, LLVMValueRef turn);
/* Carry the addresses of those whose rows are not equally far for all sizes through
 * the loop over turns that begins behind "from"; at the end of its body.
 */
void nvptx_copy_carry(struct nvptx_lower *l, LLVMBasicBlockRef from);
void nvptx_copy_carried(struct nvptx_lower *l);
void nvptx_copy_commit(struct nvptx_lower *l);
void nvptx_copy_done(struct nvptx_put_off *put_off);
/* The wait of a barrier for copies that are point statements. */
void nvptx_wait_started(struct nvptx_lower *l);
void nvptx_wait(struct nvptx_lower *l, const struct poly_stmt *s,
	const LLVMValueRef *arg);

/* ------------------------------------------------------------ lower_bulk.c */

/* Is the copy "s" done in bulk? Start it; wait for it. Give the
 * barriers of the kernel's buffers their places from byte "at" of shared memory on:
 * where they end; begin to use them.
 */
bool nvptx_is_bulk(const struct nvptx_ir *ir, const struct poly_stmt *s);
/* Does "s" copy boxes? Does anything else write swizzled buffers of the kernel? */
bool nvptx_copies_boxes(const struct nvptx_ir *ir, const struct poly_stmt *s);
bool nvptx_writes_swizzled(const struct nvptx_lower *l);
/* How many tiles "copy" makes of each tile of the kernel, as an i32. */
LLVMValueRef nvptx_copy_steps(struct nvptx_lower *l, const struct poly_stmt *copy);
void nvptx_copy_bulk(struct nvptx_lower *l, const struct poly_stmt *s,
	const LLVMValueRef *arg);
void nvptx_wait_bulk(struct nvptx_lower *l, const struct poly_stmt *s,
	const LLVMValueRef *arg);
/* Does a warp start all copies of the kernel? Does the role in force emit "s"? Say, behind
 * the product "s" at the tile "arg" or its last one, which slot nobody reads any more.
 */
bool nvptx_has_feeder(const struct nvptx_lower *l);
/* Blocks of a cluster that copy for one another, 1 if none do. */
int nvptx_cluster_blocks(const struct nvptx_lower *l);
bool nvptx_has_part(const struct nvptx_lower *l, const struct poly_stmt *s);
void nvptx_vacate(struct nvptx_lower *l, const struct poly_stmt *s,
	const LLVMValueRef *arg);
void nvptx_vacate_last(struct nvptx_lower *l);
int64_t nvptx_bind_barriers(struct nvptx_lower *l, int64_t at);
void nvptx_init_barriers(struct nvptx_lower *l);
/* Wait for all blocks of the launch. */
void nvptx_meet(struct nvptx_lower *l);

/* -------------------------------------------------------- lower_contract.c */

/* That of CONTRACT. */
void nvptx_contract(struct nvptx_lower *l, const struct poly_stmt *s,
	const LLVMValueRef *arg);

/* ------------------------------------------------------------ lower_copy.c */

/* Fail as "covers" says, what nvptx_share_covers or
 * nvptx_share_covers_rows answers (share.c); true if it is true.
 */
bool nvptx_share_checked(struct nvptx_ir *ir, isl_bool covers);
/* A COPY, and the wait of the SYNC "s" for the asynchronous
 * copies of the tile "arg".
 */
void nvptx_copy(struct nvptx_lower *l, const struct poly_stmt *s,
	const LLVMValueRef *arg);
/* Does the code of the copy "s" only start it? */
bool nvptx_is_async(struct nvptx_lower *l, const struct poly_stmt *s);

/* -------------------------------------------------------- lower_fragment.c */

/* Behind the product "op"; before a group of the tile "arg", which has the sums of all
 * products before it where it finds them in a kernel without a unit; behind "group",
 * before products that have their sums in fragments.
 */
void nvptx_unit_note(struct nvptx_lower *l, const struct poly_stmt *op);
/* Bind the block anew for a group behind products, so that no register holds its place
 * while these run.
 */
void nvptx_unit_bind(struct nvptx_lower *l, const struct poly_stmt *s);
void nvptx_unit_end(struct nvptx_lower *l, const LLVMValueRef *arg);
void nvptx_unit_begin(struct nvptx_lower *l, const struct poly_stmt *group);
/* Turn the square of "n" runs of "run" registers in as many lanes, so that lane i has
 * in its k-th run what lane k had in its i-th.
 */
void nvptx_turn(struct nvptx_lower *l, struct nvptx_value *v, int n, int run);
/* Let each thread have runs of what it has in fragments of "sum", or back; if "round" is
 * set, rounded to the type to which whoever reads them rounds them first.
 */
void nvptx_turn_sums(struct nvptx_lower *l, const struct poly_array *sum, bool round);

/* ------------------------------------------------------------ lower_unit.c */

/* Run "op" on a matrix unit, for all points of its tile. "index" are
 * those of its operands as functions of "in", in whose "box" all places are: the tile,
 * two offsets of digits from "digit" on, two thread coordinates, the step. False,
 * with nothing emitted, if it cannot be.
 */
struct nvptx_unit_op {
	const struct poly_stmt *op;
	isl_multi_pw_aff **index;
	isl_set *box;
	LLVMValueRef *in;
	int digit, thread, step;
};
bool nvptx_unit(struct nvptx_lower *l, const struct nvptx_unit_op *op);
/* Wait for what warpgroups add up for "op", and multiply what was put off, before it is
 * read; did warpgroups go on with it?
 */
bool nvptx_unit_wait(struct nvptx_lower *l, const struct poly_stmt *op);
/* Does the product "op" go on behind its code, until the next one has begun? */
bool nvptx_unit_goes_on(struct nvptx_lower *l, const struct poly_stmt *op);

#endif
