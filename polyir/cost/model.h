/* What the two halves of the model of products share: model.c, and model_unit.c for
 * blocks with a unit.
 */
#ifndef POLYIR_MODEL_H
#define POLYIR_MODEL_H

#include "polyir/cost/cost.h"

/* Slots of a product's buffers at most. */
#define MOST_STAGES 4
/* Steps of a tile at most, which are no more than it takes for a short sum. */
#define MOST_STEPS 32

/* model.c: registers that a thread may have for its sums; bytes of shared memory that a
 * block may use; cycles of a thread for the copies of a tile's steps in one of "n"
 * blocks; what latencies add to the work of "n" warps of a scheduler.
 */
int poly_most_accumulators(const struct poly_work *w);
int poly_shared_room(const struct poly_work *w);
double poly_copy_cycles(const struct poly_work *w, const struct poly_block *b,
	double n);
double poly_unhidden(const struct poly_work *w, double n);

/* model_unit.c, of blocks "b" with a unit: bytes of the buffers for one step of a
 * tile; the block for large or unknown sizes; the blocks there are, up to "n" of them,
 * into "list".
 */
double poly_unit_bytes(const struct poly_work *w, const struct poly_block *b);
struct poly_block poly_usual_unit_block(const struct poly_work *w);
int poly_unit_blocks(const struct poly_work *w, struct poly_block *list, int n);
/* Does a warp start the copies of blocks "b", for sizes that are not known? */
bool poly_is_fed_anyway(const struct poly_work *w, const struct poly_block *b);
/* Cycles that "n" blocks take for the steps of a tile, "warps" of them on a scheduler,
 * to which latencies add "most" at most; "bytes" are those of a block.
 */
double poly_unit_cycles(const struct poly_work *w, const struct poly_block *b,
	double n, double warps, double bytes);
/* The cycles in which a block stores its points, while others compute if there are any
 * on the multiprocessor.
 */
double poly_store_cycles(const struct poly_work *w, const struct poly_block *b);
/* The steps of which a part of the sum of "w" has a multiple, so that its tiles are
 * whole: "most", or more.
 */
int poly_part_steps(const struct poly_work *w, int most);

#endif
