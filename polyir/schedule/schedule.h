/* The order of the instances, and which loops are parallel. */
#ifndef POLYIR_SCHEDULE_H
#define POLYIR_SCHEDULE_H

#include <stdbool.h>

#include <isl/ctx.h>
#include <isl/schedule.h>
#include <isl/schedule_node.h>
#include <isl/union_set.h>

#include "polyir/ir/in_rows.h"
#include "polyir/ir/ir.h"

/* loops.c: one loop around the point statement "stmt", which "kernel" runs:
 * "counts" is what it counts, a function of the statement's indices. A loop
 * that is not parallel names, if there is one, a dependence that it carries:
 * its kind ("flow", "anti", "output", "reduction"), the array, and two
 * instances. Tiled kernels have none.
 */
struct poly_loop {
	const struct poly_stmt *stmt;
	const struct poly_kernel *kernel;
	char *counts;
	bool parallel;
	const char *kind;
	const struct poly_array *array;
	char *source, *sink;
};
void poly_loops_free(struct poly_loop *list, int n);
/* The array that both ends of the pairs "map", of two statements, access, and that one
 * of them writes; NULL if there is none.
 */
const struct poly_array *poly_shared_array(struct poly_prog *prog,
	__isl_keep isl_map *map);

isl_stat poly_schedule(struct poly_prog *prog);
isl_stat poly_cut_loops(struct poly_prog *prog);
isl_stat poly_order(struct poly_prog *prog);

/* scheduler.c: isl's schedule of the statement instances in "domain" under
 * the program's dependences; NULL if there is none.
 */
__isl_give isl_schedule *poly_schedule_domain(struct poly_prog *prog,
	__isl_take isl_union_set *domain);

/* fit.c: can all that a schedule runs become one kernel? */
enum poly_fit {
	POLY_FIT,
	POLY_FIT_WORDS,		/* accumulators do not fit into registers */
	POLY_FIT_LOOPS,		/* fewer than two outer loops in common */
	POLY_FIT_PARALLEL,	/* one of the two is not parallel */
	POLY_FIT_CELLS,		/* fewer than a reduction's cells have */
	POLY_FIT_RANGES,	/* the two differ between statements */
	POLY_FIT_ERROR
};
/* Statements that are put together into one kernel, at most. */
enum { POLY_FIT_STATEMENTS = 16 };
enum poly_fit poly_fit_schedule(struct poly_prog *prog,
	__isl_keep isl_schedule *schedule);

/* steps.c: "deps", which are taken, and those that let a temporary of a recurrence have
 * as few cells as it needs; "*any" is whether there are such. edge[i * n_stmt + j]:
 * statement j waits for i, perhaps through others.
 */
__isl_give isl_union_map *poly_step_together(struct poly_prog *prog,
	const bool *edge, __isl_take isl_union_map *deps, bool *any);

/* The schedule of all point statements under the program's own dependences;
 * NULL if isl finds none.
 */
__isl_give isl_schedule *poly_schedule_deps(struct poly_prog *prog);

/* Take the bands of "schedule" apart into single members and flag those that
 * are coincident under the program's dependences.
 */
__isl_give isl_schedule *poly_find_coincident(struct poly_prog *prog,
	__isl_take isl_schedule *schedule);
/* PARALLEL: a member is coincident. WAVE: none, but permutable with several
 * members. SERIAL: neither.
 */
enum poly_shape_of_band {
	POLY_BAND_SERIAL, POLY_BAND_PARALLEL, POLY_BAND_WAVE
};
/* Is a loop of the band "node" written out? */
bool poly_is_written_out(__isl_keep isl_schedule_node *node);
/* Is the band "node" the loop over several cells of a thread (map/several.c), above all else
 * that it does? Runs of parts of sums stand at the leaves instead.
 */
bool poly_has_cells(const struct poly_kernel *kernel, __isl_keep isl_schedule_node *node);
enum poly_shape_of_band poly_band_shape(__isl_keep isl_schedule_node *band);
/* Put the sum of the members of the permutable band "node" above it, in the
 * place of its first; the others are parallel then.
 */
__isl_give isl_schedule_node *poly_skew(__isl_take isl_schedule_node *node);
/* Members of bands that the host may run around a kernel; with more of them,
 * launches would take longer than they gain.
 */
enum { POLY_HOST_LOOPS = 2 };
/* Is there a band below "node", under few enough others, that is not serial?
 */
bool poly_has_parallel(__isl_keep isl_schedule_node *node);
/* How much parallelism a mapping of "schedule" has; more is better. */
int poly_parallel_score(__isl_keep isl_schedule *schedule);
/* sink.c: "schedule" with parallel loops, where they are few, inside of loops that go
 * on in order.
 */
__isl_give isl_schedule *poly_sink_parallel(struct poly_prog *prog,
	__isl_take isl_schedule *schedule);
/* sum_loops.c: "schedule", where sums that stand by themselves have the loops of their
 * statements.
 */
__isl_give isl_schedule *poly_own_loops(struct poly_prog *prog,
	__isl_take isl_schedule *schedule);
/* What no schedule of isl's scheduler scores more than. */
int poly_parallel_bound(const struct poly_prog *prog);

/* group.c: make one of neighbours in sequences that are small. */
isl_stat poly_group_small(struct poly_prog *prog);

/* fuse.c: make one of parallel loops that are one loop of the text, or pieces of one
 * array.
 */
isl_stat poly_fuse_alike(struct poly_prog *prog);

/* The most threads of a block, and of one of those that run together: these must
 * all be on the device, and one that has a fraction of the multiprocessors has room
 * for some on each.
 */
enum { POLY_MOST_TOGETHER = 256 };

/* loop_cost.c: microseconds that what is at and below a node, which is not mapped
 * yet, takes with "n" launches, in one block, and in blocks that run together.
 * "width" is the longest parallel loop, "area" the most instances that may run
 * together.
 */
struct poly_loop_cost {
	double launches, block, together, width, area, n;
	int kernels, serial;
};
struct poly_loop_cost poly_loop_cost(struct poly_prog *prog,
	__isl_keep isl_schedule_node *node);
/* What runs the loops at and below "node": LAUNCHES, BLOCK or TOGETHER. */
enum poly_loops poly_choose_loops(struct poly_prog *prog,
	__isl_keep isl_schedule_node *node);
/* Would it take no longer in one block, even if it is a single kernel? */
bool poly_fits_block(struct poly_prog *prog,
	__isl_keep isl_schedule_node *node);
/* The values of member "i" of "band". */
double poly_member_count(struct poly_prog *prog,
	__isl_keep isl_schedule_node *band, int i);

#endif
