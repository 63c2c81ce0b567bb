/* What commands do to the plan. */
#ifndef POLYIR_SCRIPT_COMMAND_H
#define POLYIR_SCRIPT_COMMAND_H

#include <stdbool.h>
#include <stdint.h>

#include "polyir/script/plan.h"

enum { POLY_MOST_NAMES = 16, POLY_MOST_AXES = 2 + POLY_MAX_BATCH };

/* Names of loops as a command has them. */
struct poly_names {
	char text[POLY_MOST_NAMES][POLY_LOOP_TEXT];
	int n;
};

/* Each command changes the plan around statement "leaf" and does not ask whether the
 * result is legal. False, having said why, if there is nothing that it could change so;
 * the plan may be changed in part then, and the caller has a copy.
 */

/* --------------------------------------------------------------- reorder.c */

/* Put the loops "names" into that order, at the places that they have now. */
bool poly_do_permute(struct poly_plan *plan, struct poly_item *leaf,
	const struct poly_names *names, struct poly_refusal *why);
/* Cut loops into tiles of "size" iterations; 0 leaves one as it is. The new loops
 * over the tiles, "ctrl", stand above all of these loops, or where "order" says, which
 * names all loops from the outermost to the innermost of them. Empty names of "ctrl"
 * become NAME_o. The new loops count tiles, or with "strided" have steps of a tile.
 */
struct poly_tiling {
	struct poly_names loop, ctrl, order;
	int64_t size[POLY_MOST_NAMES];
	bool strided;
};
bool poly_do_tile(struct poly_plan *plan, struct poly_item *leaf,
	const struct poly_tiling *tiling, struct poly_refusal *why);
/* The values of "loop" become their sum with "factor" times those of "by". */
bool poly_do_skew(struct poly_plan *plan, struct poly_item *leaf,
	const char *loop, const struct poly_names *by, const int64_t *factor,
	struct poly_refusal *why);
/* The loops "names" count sums of what they have counted: loop i row[i * n] times the
 * first, and so on, and with "constant" that number more.
 */
bool poly_do_affine(struct poly_plan *plan, struct poly_item *leaf,
	const struct poly_names *names, const int64_t *row,
	const int64_t *constant, struct poly_refusal *why);
/* Statement "leaf" alone runs "by" iterations of "loop" later. */
bool poly_do_shift(struct poly_plan *plan, struct poly_item *leaf,
	const char *loop, int64_t by, struct poly_refusal *why);
/* The values of "loop" become "factor" times what they were; -1 reverses it. */
bool poly_do_scale(struct poly_plan *plan, struct poly_item *leaf,
	const char *loop, int64_t factor, struct poly_refusal *why);
/* Write out "factor" iterations of "loop"; 0: all. */
bool poly_do_unroll(struct poly_plan *plan, struct poly_item *leaf,
	const char *loop, int64_t factor, struct poly_refusal *why);
/* "loop", which goes through the points of tiles, counts them from 0 in each. */
bool poly_do_normalize(struct poly_plan *plan, struct poly_item *leaf,
	const char *loop, struct poly_refusal *why);
bool poly_do_rename(struct poly_plan *plan, struct poly_item *leaf,
	const char *loop, const char *name, struct poly_refusal *why);
/* The loop "name" around "leaf", or NULL, having said why. */
struct poly_item *poly_find_loop(struct poly_plan *plan, struct poly_item *leaf,
	const char *name, struct poly_refusal *why);
/* False, having said so, if a loop around, or below "item" is called "name", or that is
 * no name.
 */
bool poly_is_free_name(struct poly_item *item, const char *name,
	struct poly_refusal *why);

/* The loop "inner" right within "outer" and that become one, "name", which counts all
 * iterations of both.
 */
bool poly_do_flatten(struct poly_plan *plan, struct poly_item *leaf,
	const char *outer, const char *inner, const char *name,
	struct poly_refusal *why);

/* -------------------------------------------------------------- map_text.c */

/* The loops around "leaf" count what the map "text" of its instances says. */
bool poly_do_map(struct poly_plan *plan, struct poly_item *leaf, const char *text,
	struct poly_refusal *why);

/* -------------------------------------------------------- apart_together.c */

/* Cut "loop" in two: first the instances for which "condition" holds, which is
 * comparisons of loops around "leaf" and sizes, or, where the order demands it, last.
 */
bool poly_do_split(struct poly_plan *plan, struct poly_item *leaf,
	const char *loop, const char *condition, bool last,
	struct poly_refusal *why);
/* Cut the first "n" iterations off "loop", or with a negative "n" the last. */
bool poly_do_peel(struct poly_plan *plan, struct poly_item *leaf,
	const char *loop, int64_t n, struct poly_refusal *why);
/* One loop in the place of "loop" and of its neighbours that have its name, around
 * "leaf" and "other".
 */
bool poly_do_fuse(struct poly_plan *plan, struct poly_item *leaf,
	struct poly_item *other, const char *loop, struct poly_refusal *why);
/* "loop" around each of the things in it. */
bool poly_do_distribute(struct poly_plan *plan, struct poly_item *leaf,
	const char *loop, struct poly_refusal *why);

/* Take the leaf "leaf", and what is around nothing else, out of the tree below "top". */
void poly_plan_drop_leaf(struct poly_plan *plan, struct poly_item *leaf,
	struct poly_item *top);
/* Put what "leaf" is in, beside the loop "name", into that: at its first iteration if it
 * stands in front of it, else at its last.
 */
bool poly_do_sink(struct poly_plan *plan, struct poly_item *leaf,
	const char *name, struct poly_refusal *why);

/* ------------------------------------------------------------- condition.c */

/* The instances of "leaf" for which "text" holds; NULL, having said why, if it is no
 * condition on loops around it and sizes.
 */
__isl_give isl_set *poly_condition(struct poly_plan *plan,
	struct poly_item *leaf, const char *text, struct poly_refusal *why);

/* ------------------------------------------------------------ whole_tree.c */

/* Put the plan of the tree "text" in the place of "*plan", if what that says of its
 * bands holds.
 */
isl_bool poly_do_order(struct poly_plan **plan, const char *text,
	struct poly_refusal *why);

/* --------------------------------------------------------------- storage.c */

/* Keep the elements of "array" along dimension "dim" in "n" cells, in turn; keep its
 * coordinates in that order.
 */
bool poly_do_fold(struct poly_plan *plan, const char *array, int dim, int64_t n,
	struct poly_refusal *why);
bool poly_do_store(struct poly_plan *plan, const char *array, const int64_t *order,
	int n, struct poly_refusal *why);
/* Let the program keep its arrays as the plan says. */
void poly_plan_keep(struct poly_plan *plan);

/* ------------------------------------------------------------- divide_sum.c */

/* Divide the sum that "loop" goes over for "leaf" into "n" parts, which a new loop counts:
 * each n-th iteration, or, with "blocks", neighbours; or into lanes, for which the program
 * has the plan as its schedule, and is another one afterwards. False, having said why, if
 * that cannot be; nothing has changed then. What is done is not undone.
 */
enum { POLY_MOST_SHARES = 65536 };
isl_bool poly_do_reduce(struct poly_plan *plan, struct poly_item *leaf,
	const char *loop, int64_t n, bool blocks, struct poly_refusal *why);
isl_bool poly_do_lanes(struct poly_plan *plan, struct poly_item *leaf,
	const char *loop, int64_t n, struct poly_refusal *why);

/* ----------------------------------------------------------------- stage.c */

/* Copy the array "name" at the beginning of each iteration of "loop", or, if that is
 * NULL, of each block of the kernel around "leaf". Of "near" the reads are those of the
 * leaf's accesses to the array, in their order; 0: all, of all statements there.
 */
bool poly_do_stage(struct poly_plan *plan, struct poly_item *leaf,
	const char *loop, const char *name, struct poly_near near,
	struct poly_refusal *why);
/* Let "near" be of what statement "maker" computes, at "loop" around "leaf". */
bool poly_do_compute_at(struct poly_plan *plan, struct poly_item *leaf,
	struct poly_item *maker, const char *loop, struct poly_near near,
	struct poly_refusal *why);
/* Make the copies at the loop "name" an iteration early, each in one of two in turn. */
bool poly_do_pipeline(struct poly_plan *plan, struct poly_item *leaf,
	const char *name, struct poly_refusal *why);
/* Can all copies of "kernel" be made, or those outside of kernels? Does "item" have
 * any? Make them statements.
 */
isl_bool poly_stages_hold(struct poly_plan *plan, struct poly_item *kernel,
	struct poly_refusal *why);
isl_bool poly_far_stages_hold(struct poly_plan *plan, struct poly_refusal *why);
bool poly_item_is_staged(const struct poly_item *item);
bool poly_plan_make_copies(struct poly_plan *plan, struct poly_item *item);
/* Take out statements whose values are all computed elsewhere now. */
void poly_plan_drop_unread(struct poly_plan *plan);
/* What has to run before what, as elements are computed where they are read: who reads
 * them, before who writes what that takes.
 */
__isl_give isl_union_map *poly_made_pairs(const struct poly_plan *plan);
/* Which of "n" threads runs an instance of the copy "leaf", and in which round of its loop:
 * one element each in turn. Returns the dimension of the array that the rounds go along.
 */
int poly_copy_rounds(const struct poly_item *leaf, int64_t n,
	isl_pw_aff **thread, isl_pw_aff **round);

/* -------------------------------------------------------------- own_stmts.c */

/* Have each leaf whose reads are copied, and that is a piece of a statement with others,
 * be a statement of its own.
 */
isl_stat poly_plan_own_stmts(struct poly_plan *plan);

/* ------------------------------------------------------------------- gpu.c */

/* Make the outermost of these loops a kernel, in which they are blocks and threads. */
bool poly_do_gpu(struct poly_plan *plan, struct poly_item *leaf,
	const struct poly_names *block, const struct poly_names *thread,
	struct poly_refusal *why);

/* Is the number of threads of "kernel" a constant that a block may have? Asked behind each
 * command: loops that are scaled, shifted or cut may have another number.
 */
bool poly_threads_fit(struct poly_plan *plan, struct poly_item *kernel,
	struct poly_refusal *why);

/* What the coordinate "role", "axis" of "kernel" is, counted from 0 in each launch,
 * and, of threads, in each block; "*n" is how many of it there may be, 0 if that is no
 * constant. NULL if the kernel has no such coordinate.
 */
__isl_give isl_union_pw_aff *poly_coordinate_of(struct poly_plan *plan,
	struct poly_item *kernel, enum poly_role_of_loop role, int axis,
	int64_t *n);
/* The values that the coordinate has in the loops; one of these. */
__isl_give isl_union_pw_aff *poly_coordinate_values(struct poly_item *kernel,
	enum poly_role_of_loop role, int axis, struct poly_item **loop);
/* How many values "loop" has at most in one run, 0 if that is no constant. */
int64_t poly_loop_extent(struct poly_plan *plan, struct poly_item *loop);
/* The most values between "first" and "last" for the sizes that there may be; 0 if that
 * is no number.
 */
int64_t poly_count_between(struct poly_plan *plan, __isl_keep isl_pw_aff *first,
	__isl_keep isl_pw_aff *last);
/* The first, or with "last" the last, value of "loop" in each iteration of the loops
 * around it, from the innermost of these to the outermost.
 */
__isl_give isl_pw_aff *poly_loop_end(struct poly_plan *plan,
	struct poly_item *loop, bool last);
/* The least and the greatest value that "loop" has in all its runs; false if one of
 * them is no number.
 */
bool poly_loop_bounds(struct poly_plan *plan, struct poly_item *loop,
	int64_t *least, int64_t *greatest);
/* How many elements of "array" along each dimension what runs below "loop", in one
 * iteration of it and of the loops around it, accesses at most: into "n", 0 where that
 * is no number. False, having said why, if it accesses none.
 */
bool poly_loop_footprint(struct poly_plan *plan, struct poly_item *loop,
	const struct poly_array *array, int64_t *n, struct poly_refusal *why);

/* ------------------------------------------------------------------ show.c */

/* The plan as loops, in C. */
isl_stat poly_plan_print(struct poly_plan *plan, struct poly_str *out);
/* The order of the plan as a text would have it: its loops, whatever they are mapped to. */
__isl_give isl_schedule *poly_plan_order(struct poly_plan *plan);

/* ---------------------------------------------------------------- finish.c */

/* Give the program the plan as its schedule, with its kernels. */
isl_stat poly_plan_finish(struct poly_plan *plan);

#endif
