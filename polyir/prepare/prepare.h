/* What happens to the program before it is scheduled. */
#ifndef POLYIR_PREPARE_H
#define POLYIR_PREPARE_H

#include <stdbool.h>

#include <isl/aff.h>
#include <isl/ctx.h>
#include <isl/schedule.h>
#include <isl/schedule_node.h>
#include <isl/set.h>

#include "polyir/ir/ir.h"

isl_stat poly_privatise(struct poly_prog *prog);

/* scatter.c: does "stmt" leave its cell as it is where its value is the second choice? */
bool poly_skips(const struct poly_stmt *stmt);

/* untouched.c: the reads of a kernel's statements, of arrays that it writes, no
 * element of which is written in the same launch, as "*n" leaves of their
 * expressions. The caller frees the list, in case of an error, too.
 */
isl_stat poly_untouched(struct poly_prog *prog, const struct poly_kernel *kernel,
	const struct poly_expr ***list, int *n);

/* scratch.c: is it known that every read of "array", which is no temporary, sees
 * what the program has written?
 */
bool poly_is_scratch(struct poly_prog *prog, const struct poly_array *array);
/* Let a new temporary take the place of "*array", which becomes it, and copy at
 * the end what was written last. The "n" functions "loop" of the instances, at
 * most two, get those of the copy: what they are at the last write. Nothing
 * changes if that is not simple; an error only without memory.
 */
isl_stat poly_copy_out(struct poly_prog *prog, struct poly_array **array,
	isl_union_pw_aff **loop, int n);
/* Add the statement "name" that copies the elements "domain", which has that
 * name, from "source" to "array"; it is in no order yet.
 */
isl_stat poly_add_copy(struct poly_prog *prog, const char *name,
	__isl_take isl_set *domain, struct poly_array *array,
	struct poly_array *source);

/* update.c: statements that put values together in a cell become updates, which may be
 * made in any order. Returns how many there were, or -1 on failure.
 */
int poly_make_updates(struct poly_prog *prog);

/* running.c: an element for each write of scalars whose values go from one iteration to
 * the next. Returns how many there were, or -1 on failure.
 */
int poly_expand_scalars(struct poly_prog *prog);

/* direct.c: let the recurrence "in", whose values begin with that of "begins", write where
 * another statement copies what it computes, which is dropped, as are "begins" and the
 * array. 1 if so, 0 if somebody would see the difference, -1 on failure.
 */
int poly_write_directly(struct poly_prog *prog, struct poly_stmt *in,
	struct poly_stmt *begins);

/* shift.c: count the instances of recurrences by the cells that they write. Returns of
 * how many statements, or -1 on failure.
 * How far "pa", which is taken, is from dimension "d" of "stmt" everywhere: an
 * affine function of sizes. NULL: that depends on the instance.
 */
int poly_shift(struct poly_prog *prog);
__isl_give isl_aff *poly_dim_offset(__isl_take isl_pw_aff *pa,
	const struct poly_stmt *stmt, int d);

/* residue.c, a step of poly_classes: divide loops whose iterations depend on what lies a number of iterations
 * before. Returns how many statements were changed, or -1 on failure.
 */
int poly_divide_strides(struct poly_prog *prog);

/* snapshot.c: copies, at the beginning, of arrays whose old values are read
 * while they are changed in place. Returns how many were added, or -1 on
 * failure.
 */
int poly_snapshot(struct poly_prog *prog);
/* in_place.c: make copies of what recurrences read of arrays that are overwritten: how
 * many, or -1.
 */
int poly_keep_incoming(struct poly_prog *prog);

/* circle.c: do statements, of which "s" is one, need one another in a circle that keeps
 * all their loops from being parallel, and which is none without the pairs "dropped"?
 * These are of "s" and what writes "array"; "order" has those of the other reads of "s".
 * No program with more statements is asked.
 */
enum { POLY_MOST_IN_CIRCLE = 48 };
bool poly_is_circle(struct poly_prog *prog, const struct poly_deps *deps,
	const struct poly_stmt *s, const struct poly_array *array,
	__isl_keep isl_union_map *order, __isl_keep isl_union_map *dropped);

/* live.c: split temporaries that hold several unrelated values one after
 * another. Returns how many were added, or -1 on failure. The dependences are
 * those of the program before.
 */
int poly_split_live(struct poly_prog *prog);

/* scatter.c: make those updates atomic that had better be, and take their
 * reductions out of the dependences; only the latter, after these have been
 * computed anew.
 */
isl_stat poly_scatter(struct poly_prog *prog);
/* The number of cells of the array that "stmt" updates, if it is known and a block may
 * have a copy of all of them in shared memory; else of those that differ along the one
 * coordinate that data tell, "*line", which is -1 otherwise; 0: it may have neither.
 */
int64_t poly_near_cells(struct poly_prog *prog, const struct poly_stmt *stmt,
	int *line);
/* The array whose cells all of "domain" update atomically, by one operator, and
 * of which a block may have a copy; NULL: none, or several. The same of a list, with a
 * copy of "rows" of the array (poly_slice_cells), 0: of all, or of a line.
 */
const struct poly_array *poly_near(struct poly_prog *prog,
	__isl_keep isl_union_set *domain);
const struct poly_array *poly_near_array(struct poly_prog *prog,
	struct poly_stmt *const *list, int n, int rows);
/* An array of whose cells blocks have "n" slices, of "rows" indices of its first
 * coordinate each; the threads of a block have "steps" updates each, and look at them
 * for their slice.
 */
struct poly_slices {
	int n, rows, steps;
};
/* The cells of a slice of "rows" rows of what "stmt" updates; 0: there are no slices of
 * it. How many slices there are then. Had blocks better have slices, "*s", than update
 * memory?
 */
int64_t poly_slice_cells(struct poly_prog *prog, const struct poly_stmt *stmt,
	int rows);
int poly_slice_count(struct poly_prog *prog, const struct poly_stmt *stmt, int rows);
bool poly_slice(struct poly_prog *prog, struct poly_stmt *stmt,
	struct poly_slices *s);
/* A scatter whose places are ranks in tiles of "tile" instances along dimension "last":
 * what is in one of "bins" bins, "bin", goes side by side from what "base" gathers on. A
 * thread has POLY_RANK_ITEMS of them.
 */
enum { POLY_RANK_ITEMS = 16 };
struct poly_ranks {
	const struct poly_expr *bin, *base;
	int tile, bins, last;
};
/* Are the statements of the list, or of "domain", such, and which? */
bool poly_ranks_read(struct poly_prog *prog,
	struct poly_stmt *const *list, int n, struct poly_ranks *r);
bool poly_ranks_of(struct poly_prog *prog,
	__isl_keep isl_union_set *domain, struct poly_ranks *r);
/* Can "stmt" be atomic? */
bool poly_is_atomic(const struct poly_prog *prog, const struct poly_stmt *stmt);
/* "schedule", where loops over elements that may be meant are not parallel. */
__isl_give isl_schedule *poly_scatter_inside(struct poly_prog *prog,
	__isl_take isl_schedule *schedule);

/* exponent.c: have exponents that are never positive say so. Dependences stay. */
isl_stat poly_sign_exponents(struct poly_prog *prog);

/* pieces.c: make "stmt" the first of its "n" pieces, which are taken, and the
 * others statements of their own, in the same place of the text's order and of the
 * schedule, where there is one.
 */
isl_stat poly_cut_stmt(struct poly_prog *prog, struct poly_stmt *stmt,
	isl_set **piece, int n);

/* The order of the text, and the schedule, of instances that "pull" says were those
 * of the statements before, all of them. The same where all are as they were, but for
 * statements that are gone.
 */
isl_stat poly_pull_order(struct poly_prog *prog,
	__isl_keep isl_union_pw_multi_aff *pull);
isl_stat poly_pull_same(struct poly_prog *prog);

/* Let "stmt" be counted anew: "ma" gives the old of the new instances. Its order is left
 * as it is: poly_pull_stmt then tells the text's, and the schedule's, of the new ones.
 */
void poly_stmt_pull(struct poly_stmt *stmt, __isl_keep isl_multi_aff *ma);
isl_stat poly_pull_stmt(struct poly_prog *prog, const struct poly_stmt *stmt,
	__isl_take isl_multi_aff *ma);

/* own_loops.c: loops over the dimensions of "stmt" that those above "node" do not tell in
 * the place of all at and below that, those that are "last" (NULL: none) innermost.
 * Let the text go over the cells of the sum "stmt" first, and over its terms, which are
 * the dimensions that are "last", for each of them, if no cell sees the difference.
 */
__isl_give isl_schedule_node *poly_put_own_loops(
	__isl_take isl_schedule_node *node, const struct poly_stmt *stmt,
	const bool *last);
isl_stat poly_cells_first(struct poly_prog *prog, struct poly_stmt *stmt,
	const bool *last);

/* deal.c: deal the steps of loops whose bounds are data out to lanes, where what they
 * carry may be put together in any order. Which dimension of "stmt" are lanes? -1: it has
 * none. Take them back, of a scheduled program whose dependences are not needed.
 */
isl_stat poly_deal_loops(struct poly_prog *prog);
/* The operator by which the LOOP that is the value of "stmt" adds at each step what does not
 * need what is carried, NONE: it does not; the same if steps may be put together in any order.
 */
enum poly_op poly_loop_adds(const struct poly_stmt *stmt);
enum poly_op poly_loop_operator(const struct poly_prog *prog,
	const struct poly_stmt *stmt);
int poly_lane_dim(const struct poly_stmt *stmt);
isl_stat poly_undeal_loop(struct poly_prog *prog, struct poly_stmt *stmt);

/* classes.c: sums whose terms lie a stride apart. */
isl_stat poly_classes(struct poly_prog *prog);

#endif
