/* Which instances depend on which. */
#ifndef POLYIR_DEPS_H
#define POLYIR_DEPS_H

#include <stdbool.h>
#include <stdint.h>

#include <isl/ctx.h>
#include <isl/schedule.h>
#include <isl/set.h>
#include <isl/union_map.h>
#include <isl/union_set.h>

#include "polyir/ir/facts.h"
#include "polyir/ir/ir.h"

/* poly_deps() without the pairs of reads, which only the choice of a schedule
 * looks at.
 */
isl_stat poly_deps_again(struct poly_prog *prog);
/* The dependences that accesses (statement -> element) imply, but for pairs of
 * reads, into "d", which holds none; "updates" are the writes of reductions,
 * whose self-reads are among "reads".
 */
void poly_deps_of(struct poly_deps *d, __isl_take isl_union_map *reads,
	__isl_take isl_union_map *writes, __isl_take isl_union_map *updates);
/* Pairs of different instances that read the same cell. */
__isl_give isl_union_map *poly_rar_of(__isl_take isl_union_map *reads);

/* incoming.c: which of "pairs" has "flow", directly or in few steps? "flow" without what
 * is read of arrays that come in before it is overwritten.
 */
__isl_give isl_union_map *poly_in_flow(__isl_keep isl_union_map *flow,
	__isl_keep isl_union_map *pairs);
__isl_give isl_union_map *poly_drop_overwritten(struct poly_prog *prog,
	__isl_take isl_union_map *flow);

/* The program has changed: its dependences are not known any more. */
void poly_forget_deps(struct poly_prog *prog);

/* deps_sizes.c: the pairs "deps" as they are for the sizes that are fixed */
__isl_give isl_union_map *poly_deps_of_sizes(struct poly_prog *prog,
	__isl_take isl_union_map *deps);

/* The dependences of a program with an original order into "d", which is
 * empty; those that isl cannot compute are NULL, those of other kinds than
 * "kinds" empty. With "use", only those through arrays for which it says so.
 */
void poly_deps_ordered(struct poly_prog *prog, struct poly_deps *d,
	enum poly_kinds kinds,
	bool (*use)(const struct poly_array *array, const void *user),
	const void *user);
/* All pairs of an access and a later write to one cell of an array for which
 * "use" says so; those of free updates of one statement are left out. A loop has
 * two iterations in an order by these where it has two by the nearest such pairs
 * and the flow, and these take less to find. NULL if isl fails.
 */
__isl_give isl_union_map *poly_reuse_ordered(struct poly_prog *prog,
	bool (*use)(const struct poly_array *array, const void *user),
	const void *user);

/* found.c: the dependences through "array" that were found for the accesses
 * "access" in the order of the text, of the kinds "kinds", or none yet. What was
 * found for other accesses to it is dropped. NULL without memory.
 */
struct poly_found *poly_found_at(struct poly_prog *prog,
	const struct poly_array *array, __isl_keep isl_union_map **access);
/* The record of "array" if it has the flow of values for its accesses as they are, or
 * NULL. These have changed, and the values go as before: it has their flow for them.
 */
struct poly_found *poly_found_values(struct poly_prog *prog,
	const struct poly_array *array);
void poly_found_keep_values(struct poly_prog *prog, struct poly_found *f);

/* flow_accesses.c: true if the updates that "s" makes of one cell may be done in any order. */
bool poly_is_free_update(const struct poly_prog *prog,
	const struct poly_stmt *s);

/* before.c: the part of "pairs" whose sources "schedule", the order of a text,
 * runs before their sinks.
 */
__isl_give isl_union_map *poly_pairs_before(__isl_keep isl_schedule *schedule,
	__isl_take isl_union_map *pairs);
/* The order "schedule" of the statements that "use" has instances of, of all points
 * of their spaces.
 */
__isl_give isl_schedule *poly_bare_order(__isl_keep isl_schedule *schedule,
	__isl_take isl_union_set *use);

/* iteration.c: the instances of one iteration of the loops that are around all
 * statements of "order", its numbers being parameters: "[@0] -> { S[i, j] :
 * i = @0 }". NULL if there is no such loop, and without memory.
 */
__isl_give isl_union_set *poly_one_iteration(__isl_keep isl_schedule *order);
/* What one iteration of these loops runs, one after another; NULL if it has loops, and
 * without memory.
 */
__isl_give isl_union_set_list *poly_turns(__isl_keep isl_schedule *order);
/* "map", found in one iteration, for any of them. */
__isl_give isl_union_map *poly_any_iteration(__isl_take isl_union_map *map);

/* parts.c: parts of "array", each access of "accesses" being in one of them. */
__isl_give isl_set_list *poly_array_parts(const struct poly_array *array,
	__isl_keep isl_union_map *const accesses[POLY_N_ACCESS]);

/* cells.c: an array whose elements e along dimension "dim" are kept in cells e mod "n",
 * written in their order or, with "down", in the reverse.
 */
struct poly_cells {
	int dim;
	int64_t n;
	bool down;
};
/* The accesses of the program to "array", instance -> element. */
void poly_find_accesses(struct poly_prog *prog, const struct poly_array *array,
	isl_union_map **reads, isl_union_map **writes);
/* "{ A[a..] -> A[a'..] }": elements that differ along dimension "dim" alone. */
__isl_give isl_map *poly_along(const struct poly_array *array, int dim);
/* The pairs of one of "access" and one of "writes" to an element that lies so far behind
 * that it may have the same cell; but for an instance and itself, which reads before it
 * writes. The array may be kept so if the first of each pair comes before the second.
 */
__isl_give isl_union_map *poly_cell_pairs(const struct poly_array *array,
	const struct poly_cells *cells, __isl_take isl_union_map *access,
	__isl_take isl_union_map *writes);

void poly_forget_atomic(struct poly_prog *prog);

#endif
