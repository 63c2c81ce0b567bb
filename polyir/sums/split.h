/* polyir: what the division of reductions (split.c, rest.c) knows of one. */
#ifndef POLYIR_SPLIT_H
#define POLYIR_SPLIT_H

#include "polyir/ir/ir.h"
#include "polyir/cost/cost.h"
#include "polyir/sums/sums.h"

/* A reduction and what the schedule makes of its dimensions. */
struct split {
	struct poly_parts p;
	int n;
	bool host[POLY_MAX_DIM], parallel[POLY_MAX_DIM];
	bool cell[POLY_MAX_DIM];	/* names the cell */
	double count[POLY_MAX_DIM], width;
	bool wave;
	bool whole;		/* a product that is not divided */
	bool alone;		/* can have lanes in its kernel */
	bool alike;		/* and so many that they are the block's */
	bool all_cells;		/* and others there have no more cells */
	int across;		/* threads of lanes that the kernel has */
	bool down;		/* which go down columns */
};

/* fold_make.c: let "stmt" begin in tiles of "width" values of dimension "d". */
bool poly_fold_apply(struct poly_prog *prog, struct poly_stmt *stmt, int d,
	int width);

/* split_read.c: could "stmt" be divided at all? In ring mode products have no
 * other neutral element than that of integers.
 */
bool poly_can_split(const struct poly_prog *prog, struct poly_stmt *stmt);
/* Find out about the statement of "s": what the mapping will do with it, as
 * map_points does it, and its dimensions; false if it has no sums.
 */
bool poly_split_read(struct split *s);
/* Let the context say that the statement of "s" has all cells of its band, which
 * is so for the sizes that are known (all_cells).
 */
void poly_split_assume_cells(const struct split *s);
/* The outermost parallel band that the statement of "s" reaches, NULL if none. */
__isl_give isl_schedule_node *poly_split_band(const struct split *s);
/* The dimension to divide: of the long sums that with the best strides; -1 if
 * there is none. "but" is another.
 */
int poly_split_longest(const struct split *s, int but);
/* Is the reduction one for tiles? Then "axis" receives the dimensions that these
 * go along, "*k" its longest sum or -1, and "*w", unless that is -1, what a
 * kernel does that tiles the reduction along "axis" and "*k".
 */
bool poly_split_product(const struct split *s, int axis[2], int *k,
	struct poly_work *w);
/* Parallel loops that move what the loop of an axis of "w" moves are part of it, as far
 * as they will be in its tiles (map/merge.c).
 */
void poly_split_merge(const struct split *s, const int axis[2],
	struct poly_work *w);

/* lanes.c: does the sum over "d" go along memory, and no parallel loop as well? The
 * largest power of two up to "x" that is worth that many threads.
 */
bool poly_sum_along_rows(const struct split *s, int d);
int poly_power_below(double x);
/* Decide on lanes; false: none. */
bool poly_choose_lanes(struct split *s);
/* Can the lanes that the loop of "s" has, over "d", be those of threads? */
bool poly_take_lanes(struct split *s, int d);
/* Are columns long and so few that blocks of enough of them side by side need parts, each
 * of which has lanes then? Decide how many.
 */
bool poly_choose_shares(struct split *s);

/* chained.c: "prog", whose sums are not divided yet, up to its tiles with all products
 * whole, if some may be one kernel with another; else NULL. Is the statement "name"
 * in such a kernel there?
 */
struct poly_prog *poly_try_chains(struct poly_prog *prog);
bool poly_is_chained(struct poly_prog *trial, const char *name);

#endif
