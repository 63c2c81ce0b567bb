/* What the files of polyir share and nobody else sees. */
#ifndef POLYIR_INTERNAL_H
#define POLYIR_INTERNAL_H

#include "polyir/polyir.h"

/* flow.c */

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
/* Release what "d" holds. */
void poly_deps_clear(struct poly_deps *d);

/* The program has changed: its dependences are not known any more. */
void poly_forget_deps(struct poly_prog *prog);

/* deps_sizes.c: the pairs "deps" as they are for the sizes that are fixed */
__isl_give isl_union_map *poly_deps_of_sizes(struct poly_prog *prog,
	__isl_take isl_union_map *deps);

/* flow_order.c */

/* The dependences of a program with an original order into "d", which is
 * empty; those that isl cannot compute are NULL, those of other kinds than
 * "kinds" empty. With "use", only those through arrays for which it says so.
 */
enum poly_kinds {
	POLY_DEPS_VALUE = 1,	/* flow, reduction */
	POLY_DEPS_MEMORY = 2,	/* anti, output */
	POLY_DEPS_ALL = POLY_DEPS_VALUE | POLY_DEPS_MEMORY
};
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
enum { POLY_N_ACCESS = 4 };
struct poly_found {
	const struct poly_array *array;
	isl_union_map *access[POLY_N_ACCESS];
	isl_schedule *original;
	enum poly_kinds kinds;
	struct poly_deps deps;
	struct poly_found *next;
};
struct poly_found *poly_found_at(struct poly_prog *prog,
	const struct poly_array *array, __isl_keep isl_union_map **access);
void poly_found_free(struct poly_found *f);

/* True if the updates that "s" makes of one cell may be done in any order. */
bool poly_is_free_update(const struct poly_prog *prog,
	const struct poly_stmt *s);

/* prog.c: the statements, and the loops around each. In the order of isl's
 * scheduler are programs of up to POLY_LARGE.
 */
enum { POLY_LARGE = 200 };
int poly_measure(const struct poly_prog *prog);

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

/* snapshot.c: copies, at the beginning, of arrays whose old values are read
 * while they are changed in place. Returns how many were added, or -1 on
 * failure.
 */
int poly_snapshot(struct poly_prog *prog);

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
/* "map", found in one iteration, for any of them. */
__isl_give isl_union_map *poly_any_iteration(__isl_take isl_union_map *map);

/* parts.c: parts of "array", each access of "accesses" being in one of them. */
__isl_give isl_set_list *poly_array_parts(const struct poly_array *array,
	__isl_keep isl_union_map *const accesses[POLY_N_ACCESS]);

/* difference.c: are the constraints of "maps", which is not NULL, on the difference
 * of two numbers, or on one, each?
 */
bool poly_are_differences(__isl_keep isl_union_map *maps);

/* live.c: split temporaries that hold several unrelated values one after
 * another. Returns how many were added, or -1 on failure. The dependences are
 * those of the program before.
 */
int poly_split_live(struct poly_prog *prog);

/* range.c: does "range", of one dimension, surely have a least, or a greatest,
 * value for all values of the parameters?
 */
bool poly_range_has_bound(__isl_keep isl_set *range, bool upper);
/* The values of dimension "dim" of "set", a set of one dimension. */
__isl_give isl_set *poly_range_of(__isl_keep isl_set *set, int dim);
/* Of the one-dimensional set "range", a set per value of the
 * parameters: its least value, and how many values lie from that to its
 * greatest, or 0 if there are none. Both may take in what lies between the
 * parts of the set: they are those of the hull, for sizes of the context.
 */
__isl_give isl_set *poly_range_hull(struct poly_prog *prog,
	__isl_take isl_set *range);
__isl_give isl_pw_aff *poly_range_first(struct poly_prog *prog,
	__isl_take isl_set *range);
/* The function of the first piece of "pa", everywhere; NULL if it has none. */
__isl_give isl_pw_aff *poly_first_piece(__isl_keep isl_pw_aff *pa);
__isl_give isl_pw_aff *poly_range_length(struct poly_prog *prog,
	__isl_take isl_set *range);
/* "set" where parameter "i" of "prog" is "value". */
__isl_give isl_set *poly_at_size(const struct poly_prog *prog,
	__isl_take isl_set *set, int i, int64_t value);
/* How many values dimension "dim" of "set" has, for all parameters that are no
 * sizes together; sizes that are not fixed are taken for typical ones.
 */
double poly_range_count(struct poly_prog *prog, __isl_take isl_set *set,
	int dim);
/* How many elements "array" has then. */
double poly_array_count(struct poly_prog *prog,
	const struct poly_array *array);

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

/* apart.c: remark, for each two kernels of which one computes what the other
 * needs, why they are two.
 */
isl_stat poly_explain_apart(struct poly_prog *prog);

/* The schedule of all point statements under the program's own dependences;
 * NULL if isl finds none.
 */
__isl_give isl_schedule *poly_schedule_deps(struct poly_prog *prog);

/* parallel.c */

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
int poly_parallel_score(struct poly_prog *prog,
	__isl_keep isl_schedule *schedule);
/* What no schedule of isl's scheduler scores more than. */
int poly_parallel_bound(const struct poly_prog *prog);

/* stride.c: the higher, the better for memory if the lanes of a warp go along
 * dimension "dim" of "stmt", or along "member" of a band over "domain".
 */
int poly_dim_stride(struct poly_prog *prog, const struct poly_stmt *stmt,
	int dim);
int poly_stride_score(struct poly_prog *prog,
	__isl_keep isl_union_pw_aff *member, __isl_keep isl_union_set *domain);
/* "member" as a function of the instances of the statement with "domain". */
__isl_give isl_pw_aff *poly_member_at(__isl_keep isl_union_pw_aff *member,
	__isl_keep isl_set *domain);
/* The dimension of "stmt" that "member" counts, -1 if there is none. */
int poly_counted_dim(__isl_keep isl_union_pw_aff *member,
	const struct poly_stmt *stmt);

/* partial.c: a sum as sums of parts. "sum" says for each dimension of "stmt"
 * whether the update goes over it for one cell, "part" into how many parts it
 * is divided (0: not), "own" whether the parts need a place for each of its
 * values. "rows": the parts of one cell lie side by side in memory. "values":
 * so many neighbours of a dimension are a part; 0: what leaves one remainder.
 * "open": the only parts are the values of a dimension, however many there are.
 * "at_once": one instance adds all parts of a cell. "whole": rows of parts may
 * be whole runs of POLY_RUN_BYTES, longer than those of the cells. "lanes": the only parts are
 * lanes, runs of "run" elements each; the program's schedule has them then,
 * below marks POLY_LANES "RUN". "columns", if not 0: the lanes go down so many
 * columns of a block, and the mark is POLY_LANES "1:COLUMNS".
 */
#define POLY_LANES "lanes:"
enum { POLY_MAX_DIM = 16 };
struct poly_parts {
	struct poly_prog *prog;
	struct poly_stmt *stmt;
	bool sum[POLY_MAX_DIM], own[POLY_MAX_DIM];
	int part[POLY_MAX_DIM], values[POLY_MAX_DIM], run, columns;
	bool rows, at_once, whole, lanes, open;
};
/* Make the sums of parts, which needs the dependences anew; returns the
 * statement that adds them up, whose last dimensions are the parts unless it
 * does so at once, or NULL.
 */
struct poly_stmt *poly_add_partial(const struct poly_parts *p);
/* The dimensions of "stmt" that loops of the text count around the outermost
 * of those over dimensions in "sum", into "around". False if something else
 * that this loop runs accesses a cell that "stmt" updates in it.
 */
bool poly_partial_loops(struct poly_prog *prog, struct poly_stmt *stmt,
	const bool *sum, bool *around);

/* tree.c */

/* The text behind "kernel:" if "node" is a mark of a kernel, else NULL.
 * Owned by isl's identifier, which the tree keeps.
 */
const char *poly_mark_kernel(__isl_keep isl_schedule_node *node);
/* Insert the mark "kernel:NAME" above "node". */
__isl_give isl_schedule_node *poly_insert_kernel_mark(
	__isl_take isl_schedule_node *node, const char *name);
/* The child 0 of the mark of "kernel" in the program's tree, or NULL. */
__isl_give isl_schedule_node *poly_kernel_node(struct poly_prog *prog,
	const struct poly_kernel *kernel);
/* Which launch an instance below the mark of "kernel" is in: the bands above,
 * whatever the domains of the statements if there are any.
 */
__isl_give isl_multi_union_pw_aff *poly_kernel_launch(struct poly_prog *prog,
	const struct poly_kernel *kernel);
/* The statement instances below the mark of "kernel". */
__isl_give isl_union_set *poly_kernel_domain(struct poly_prog *prog,
	const struct poly_kernel *kernel);
/* The "*n" statements that the next filter above "kernel" names, all of its own
 * among them, in program order. Free the list.
 */
struct poly_stmt **poly_named_stmts(struct poly_prog *prog,
	const struct poly_kernel *kernel, int *n);
/* The statement instances that reach "node", as isl_schedule_node_get_domain
 * gives them; but that intersects the filters above from the root down, all
 * statements of the program, and this from "node" up, those that reach it.
 */
__isl_give isl_union_set *poly_node_domain(__isl_keep isl_schedule_node *node);
/* The intersection of "set" with "other", of which only the statements of "set"
 * are looked at.
 */
__isl_give isl_union_set *poly_narrow(__isl_take isl_union_set *set,
	__isl_take isl_union_set *other);

/* kernel.c: the kernel that runs "stmt", by itself or as a member, or NULL. */
const struct poly_kernel *poly_kernel_of(struct poly_prog *prog,
	const struct poly_stmt *stmt);

/* ast_check.c: does "ast", made of "schedule", run for the names of "context"
 * all instances of the leaves, and no others? Not in which order, nor whether
 * one runs twice. Error if isl fails.
 */
isl_bool poly_ast_is_right(__isl_keep isl_ast_node *ast,
	__isl_keep isl_schedule *schedule, __isl_keep isl_set *context);

/* Copy the tree below "src" to the leaf "dst", restricted to the statements
 * that reach "dst".
 */
__isl_give isl_schedule_node *poly_tree_copy(
	__isl_take isl_schedule_node *dst, __isl_keep isl_schedule_node *src);
/* The tree below "src" for the instances "domain"; below the root of "schedule". */
__isl_give isl_schedule *poly_tree_over(__isl_take isl_union_set *domain,
	__isl_keep isl_schedule_node *src);
__isl_give isl_schedule *poly_tree_of(__isl_take isl_union_set *domain,
	__isl_keep isl_schedule *schedule);
/* The band "node", all of whose members are parallel, and the band right below it
 * as one.
 */
__isl_give isl_schedule_node *poly_join_bands(
	__isl_take isl_schedule_node *node);
/* "schedule" without children that no statement reaches. */
__isl_give isl_schedule *poly_tidy(__isl_take isl_schedule *schedule);
/* "schedule" below the band "partial", which has the properties of the band
 * "like", or below the mark "id".
 */
__isl_give isl_schedule *poly_add_band(__isl_take isl_schedule *schedule,
	__isl_take isl_multi_union_pw_aff *partial,
	__isl_keep isl_schedule_node *like);
__isl_give isl_schedule *poly_add_mark(__isl_take isl_schedule *schedule,
	__isl_take isl_id *id);
/* Where a new statement goes: next to "anchor", whose domain (but for the
 * name) and whose place in every band it shares.
 */
struct poly_companion {
	struct poly_stmt *stmt;
	struct poly_stmt *anchor;
	bool after;
};
/* Rebuild the program's tree with "n" companions added, several of one
 * anchor and side in the order given. The statements are in prog already.
 */
isl_stat poly_tree_insert(struct poly_prog *prog,
	const struct poly_companion *c, int n);
/* Replace the program's schedule by "schedule" (NULL: error). */
isl_stat poly_set_schedule(struct poly_prog *prog,
	__isl_take isl_schedule *schedule);
/* Statement called "name" in a set or tuple of that name. */
struct poly_stmt *poly_stmt_of_set(struct poly_prog *prog,
	__isl_keep isl_set *set);
/* Where the statement "name" stands in the program, from 0; n_stmt if there is
 * none, or no name.
 */
int poly_stmt_position(const struct poly_prog *prog, const char *name);
/* Move the statement at position "from" to "at", which is not behind it. */
void poly_move_stmt(struct poly_prog *prog, int from, int at);
/* The statements of "domain" in program order; "*n" receives their number.
 * Free the array.
 */
struct poly_stmt **poly_stmts_of(struct poly_prog *prog,
	__isl_keep isl_union_set *domain, int *n);

/* access.c: does "s" go on from what its cell holds? Does "s" access "array"? Does
 * one of the "n" statements "list" write it? Make the access "leaf" one to "array",
 * and all those of "s" to "from" such to "to". A new temporary like "array", named
 * after it and "suffix"; NULL without memory.
 */
bool poly_is_update(const struct poly_stmt *s);
bool poly_stmt_accesses(struct poly_stmt *s, const struct poly_array *array);
bool poly_any_writes(struct poly_stmt *const *list, int n,
	const struct poly_array *array);
void poly_leaf_set(struct poly_expr *leaf, struct poly_array *array);
void poly_stmt_rename(struct poly_stmt *s, const struct poly_array *from,
	struct poly_array *to);
struct poly_array *poly_add_like(struct poly_prog *prog,
	const struct poly_array *array, const char *suffix);

/* The dimension of "stmt" that "index", a function of its instances, is at
 * position "pos"; -1 if it is something else.
 */
int poly_index_dim(__isl_keep isl_multi_pw_aff *index, int pos,
	const struct poly_stmt *stmt);

/* scatter.c: make those updates atomic that had better be, and take their
 * reductions out of the dependences; only the latter, after these have been
 * computed anew.
 */
isl_stat poly_scatter(struct poly_prog *prog);
void poly_forget_atomic(struct poly_prog *prog);
/* Can "stmt" be atomic? */
bool poly_is_atomic(const struct poly_prog *prog, const struct poly_stmt *stmt);
/* "schedule", where loops over elements that may be meant are not parallel. */
__isl_give isl_schedule *poly_scatter_inside(struct poly_prog *prog,
	__isl_take isl_schedule *schedule);

/* legal_fold.c: can "kernel" run the folds among the members of its operation "op"? */
isl_stat poly_check_folds(struct poly_prog *prog,
	const struct poly_kernel *kernel, const struct poly_stmt *op,
	const char *pass);

/* driver.c: a copy of "prog" that reports to "report"; or one that further passes
 * have tried, up to "pass", without checks. NULL if that fails.
 */
struct poly_prog *poly_copy(struct poly_prog *prog,
	struct poly_report *report);
struct poly_prog *poly_try(struct poly_prog *prog, const char *pass,
	struct poly_report *report);

/* group.c: make one of neighbours in sequences that are small. */
isl_stat poly_group_small(struct poly_prog *prog);
/* fuse.c: make one of parallel loops that are one loop of the text. */
isl_stat poly_fuse_text(struct poly_prog *prog);

/* The most threads of a block, and of one of those that run together: these must
 * all be on the device, and one that has a fraction of the multiprocessors has room
 * for some on each.
 */
enum { POLY_MOST_THREADS = 1024, POLY_MOST_TOGETHER = 256 };
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

/* map_block.c: make what is at and below "node" a kernel of one block, or of
 * blocks that run "together", still without barriers.
 */
__isl_give isl_schedule_node *poly_map_block(struct poly_prog *prog,
	__isl_take isl_schedule_node *node, bool together);
/* Give what is at and below "node", in the block kernel "kernel", to its threads. */
__isl_give isl_schedule_node *poly_share_in_block(struct poly_prog *prog,
	const struct poly_kernel *kernel, __isl_take isl_schedule_node *node);
/* block_stage.c: let kernels of one block have what they access in shared memory;
 * computes the dependences anew.
 */
isl_stat poly_stage_blocks(struct poly_prog *prog);
/* block_sync.c: insert the barriers that block kernels need. */
isl_stat poly_sync_blocks(struct poly_prog *prog);

/* race.c: the pairs of instances in a launch of the block kernel "kernel" that
 * are in different threads and not free of one another, in both directions.
 */
__isl_give isl_union_map *poly_thread_pairs(struct poly_prog *prog,
	const struct poly_kernel *kernel);

/* kernel.c */

/* The first two members of "band" as a map, instance -> [p0, p1]: for what
 * reaches the band, and whatever the domains of the statements.
 */
__isl_give isl_union_map *poly_kernel_axes(__isl_keep isl_schedule_node *band);
__isl_give isl_union_map *poly_kernel_points(
	__isl_keep isl_schedule_node *band);
/* Set the grid from the points "range", "{ [p0, p1, batch..] }", of the kernel's
 * tile space and its tile sizes.
 */
isl_stat poly_kernel_set_grid(struct poly_kernel *kernel,
	__isl_take isl_set *range);
/* What reaches "node", with the members of the bands above as the parameters
 * h0, h1, ..
 */
__isl_give isl_union_set *poly_launch_filter(const struct poly_prog *prog,
	__isl_keep isl_schedule_node *node);
/* Map the kernel whose outer band is "band" with one thread a point, in
 * blocks of "thread0" x "thread1"; the result is the mapping filter above it.
 */
__isl_give isl_schedule_node *poly_kernel_thread_a_point(struct poly_prog *prog,
	struct poly_kernel *kernel, __isl_take isl_schedule_node *band,
	int thread0, int thread1);
/* Which threads of the block kernel "kernel" run an instance: "{ S[..] -> [t0,
 * t1] }", or, of blocks that run together, "{ S[..] -> [b1, t0, t1] }", in a
 * launch, where the host runs loops around it.
 */
__isl_give isl_union_map *poly_kernel_threads(struct poly_prog *prog,
	const struct poly_kernel *kernel);
/* "set" whatever the coordinates of the thread, and, with "block", of its block. */
__isl_give isl_union_set *poly_any_thread(const struct poly_prog *prog,
	__isl_take isl_union_set *set, bool block);
/* The tiles of the grid of "kernel": "{ [b0, b1, b2..] : 0 <= bd < gridd }". */
__isl_give isl_set *poly_kernel_tiles(struct poly_prog *prog,
	const struct poly_kernel *k);
/* How many threads go together across the statements of "domain"; 0: none do. */
int poly_across(struct poly_prog *prog, __isl_keep isl_union_set *domain);
/* A new kernel, named after the last array that "domain" writes, but for parts of
 * others; NULL without memory.
 */
struct poly_kernel *poly_kernel_add(struct poly_prog *prog,
	__isl_keep isl_union_set *domain);

/* tile.c */

/* The reads of "stmt" from left to right; returns their number, which may be
 * more than there is room for. Owned by "stmt".
 */
int poly_leaves(const struct poly_stmt *stmt,
	struct poly_expr *leaf[POLY_MAX_OPERAND]);
/* Which of p0, p1 and pk a read moves with: "at" is { [p0, p1, pk, ..] ->
 * S[..] }.
 */
enum { POLY_MOVES_0 = 1, POLY_MOVES_1 = 2, POLY_MOVES_K = 4 };
int poly_leaf_moves(const struct poly_expr *leaf,
	__isl_keep isl_multi_aff *at);
/* Does the contiguous dimension of what "leaf" reads move with one of the "n"
 * coordinates from "first" on; with the steps?
 */
bool poly_leaf_goes_along(const struct poly_expr *leaf,
	__isl_keep isl_multi_aff *at, int first, int n);
bool poly_leaf_has_steps(const struct poly_expr *leaf,
	__isl_keep isl_multi_aff *at);
/* Do the threads of a block share what "leaf" reads, an array in memory? */
bool poly_is_shared_leaf(const struct poly_expr *leaf, int moves);
/* Append the names of the coordinates of the tile operation "op" behind t0, t1
 * and tk: ", e3, e4".
 */
void poly_tile_rest(struct poly_str *s, const struct poly_stmt *op);
/* Append "NAME[t0, t1, K, e3, e4]" with the coordinates of "op", "k" being the
 * text that stands for tk.
 */
void poly_tile_tuple(struct poly_str *s, const struct poly_stmt *op,
	const char *name, const char *k);
/* How many coordinates z.. the tile operations of "kernel" have: the host's
 * loops around it and its batch digits.
 */
int poly_kernel_n_outer(struct poly_prog *prog,
	const struct poly_kernel *kernel);
/* A map from [p0, p1, z..], or from [p0, p1, pk, z.., u..] without pk and u. */
__isl_give isl_map *poly_own_points(__isl_take isl_map *map, int n_outer);
/* "{ [p0, p1, z..] -> OP[t0, t1, z..] }" or "{ [p0, p1, pk, z.., u..] -> OP[t0,
 * t1, tk, z.., u..] }": which tile a point of the kernel belongs to.
 */
__isl_give isl_map *poly_tile_map(struct poly_prog *prog,
	const struct poly_kernel *kernel, const struct poly_stmt *op);
/* axes.c: the two of the "n" loops "member" of a band over "domain" that tiles
 * of its reductions are best cut along, into "axis", the lane direction second;
 * false if tiles would share nothing that is read.
 */
bool poly_choose_axes(struct poly_prog *prog, __isl_keep isl_union_set *domain,
	isl_union_pw_aff **member, const bool *coincident, int n, int axis[2]);
/* Which of the "n" loops "member" become points: those for tiles, else the lane
 * direction second, and in the first place another parallel one, or -1. True if
 * they are for tiles.
 */
bool poly_choose_points(struct poly_prog *prog,
	__isl_keep isl_union_set *domain, isl_union_pw_aff **member,
	const bool *coincident, int n, int point[2]);
/* The same for the dimensions of the reduction "stmt" that are "parallel". */
bool poly_stmt_axes(struct poly_prog *prog, const struct poly_stmt *stmt,
	const bool *parallel, int axis[2]);

/* view.c */

/* "{ [p0, p1, z..] -> element }": where all accesses to "array" of the "n"
 * statements "list" are, if they are at one element of their own point, which
 * is that of no other point; with "n_fixed", of no other one that has the same
 * first n_fixed of the z. NULL if not, or if there are none.
 */
__isl_give isl_map *poly_own_view(const struct poly_array *array,
	struct poly_stmt **list, int n, int n_outer, int n_fixed);
/* Does "stmt" read or write "array"? Does it read it, or update it? */
bool poly_touches(struct poly_stmt *stmt, const struct poly_array *array);
bool poly_reads_cell(struct poly_stmt *stmt, const struct poly_array *array);

/* reroute.c: give the dependences through "array" that enter or leave a kernel
 * its statements "load" (or NULL) and "store" as their ends. "points" are its
 * members that still access the array, with theirs: -> [p0, p1, z..].
 */
isl_stat poly_reroute(struct poly_prog *prog,
	__isl_take isl_union_map *points, const struct poly_array *array,
	const struct poly_stmt *load, const struct poly_stmt *store);

/* model.c: the block of a product's kernel, as struct poly_kernel has it. */
struct poly_block {
	int thread[2], tile[2], vec[2], vec_k, tile_k, stages;
};
/* kernel.c: give "kernel" the block "b"; the block that it has. */
void poly_kernel_set_block(struct poly_kernel *kernel,
	const struct poly_block *b);
struct poly_block poly_kernel_block(const struct poly_kernel *kernel);
/* print.c: the words of a block, as poly_scan_block reads them. */
void poly_print_block(const struct poly_block *b, struct poly_str *out);
/* 32-bit registers of a thread that accumulators may take: half of all there
 * are, so that two fragments of each operand fit beside them.
 */
enum { POLY_ACCUMULATOR_WORDS = 128 };
/* What there is to do: "points" of the tile space and "steps" of the sum, at
 * least 1 each, "batch" times. "words": 32-bit registers for what one point
 * accumulates. "bytes": of the operands for one step of one point along an axis,
 * which copies move "run" elements at a time; "bytes_step": of those that move
 * with the steps alone. "out_bytes": that a point writes. "rows_of_steps": what
 * threads share along axis 0 is loaded in runs of steps. "shared": bytes that a
 * block may use so that two of them run, 0 if unknown. "deep": an operand has
 * more than two dimensions; "small": its elements are smaller than a word, so
 * that only runs of them can be copied without waiting; "async": some can.
 * "parts": it is those of a divided sum, all in one kernel. "beside": bytes like
 * "bytes" of another product in the kernel, whose buffers are there, too; "kept":
 * of a buffer that holds "kept_steps" steps of all points of an axis (chain.c).
 * "ends": the points along an axis are of one number for all sizes, and nothing is
 * computed beyond them where all that a thread holds in a row lies there.
 */
struct poly_work {
	double points[2], steps, batch;
	int words, bytes[2], bytes_step, run[2], out_bytes;
	bool rows_of_steps, async, fixed, deep, small, parts, ends[2];
	int multiprocessors, shared;
	int beside[2], beside_step, kept[2];
	double kept_steps;
};
/* What the model expects: blocks of the grid, those that a multiprocessor has
 * room for, rounds of them, registers of a thread, bytes of shared memory, the
 * part of the points that lies beyond the edges, and cycles.
 */
struct poly_estimate {
	double blocks, resident, waves, padding, shared, cycles;
	int registers;
};
struct poly_ranked {
	struct poly_block block;
	struct poly_estimate estimate;
};
/* Are both operands copied one element at a time, whatever their buffers are? Then
 * columns of steps take no more copies than runs of them.
 */
bool poly_copies_elements(const struct poly_work *w);
/* The bytes of the buffers of a block "b". Beside these a block may take
 * POLY_SHARED_REST bytes for alignment and barriers.
 */
enum { POLY_SHARED_REST = 1024 };
double poly_shared_bytes(const struct poly_work *w, const struct poly_block *b);
/* The block for products of large or unknown sizes. */
struct poly_block poly_usual_block(const struct poly_work *w);
/* The cycles that "w" takes in blocks "b", and "*e". */
double poly_block_cycles(const struct poly_work *w,
	const struct poly_block *b, struct poly_estimate *e);
/* The "n" best blocks, best first, into "list", which is zero; if there are
 * fewer, the rest stays zero.
 */
void poly_rank_blocks(const struct poly_work *w, struct poly_ranked *list,
	int n);
/* The cycles that both "w" take in blocks "b", one after the other in each of
 * these (chain.c), and "*e".
 */
double poly_chain_cycles(const struct poly_work w[2],
	const struct poly_block *b, struct poly_estimate *e);
/* Add to "out" how many blocks there are: of what kinds. */
void poly_block_factors(const struct poly_work *w, struct poly_str *out);
/* The block to use: the usual one, or the best one if that is clearly better. */
struct poly_ranked poly_best_block(const struct poly_work *w);
/* Into how many parts the steps are divided best, 1: not at all; "*values"
 * receives the steps of one, which are whole tiles.
 */
int poly_best_parts(const struct poly_work *w, int *values);
/* How many parts it makes to divide the steps into "parts" or a few less. */
int poly_given_parts(const struct poly_work *w, int parts, int *values);
/* A block takes the place of the usual one if it needs less than this part of
 * its time; a division of the sum, and a cut of the tiles, likewise.
 */
#define POLY_CLEARLY 0.95
/* Parts of a sum that are worth it, at most. */
enum { POLY_MOST_PARTS = 64 };
/* Cycles of a launch, and those of them in which the first operands arrive, which
 * the cycles of a product have already.
 */
#define POLY_LAUNCH_CYCLES 4000.0
#define POLY_FILL_CYCLES 2500.0
/* What a part adds to that where a loop goes through the parts. */
#define POLY_PART_CYCLES 45.0
/* The cycles of the kernel that adds "n" parts, 0 for one; INFINITY if they take
 * too much memory. Those of the parts, of "each" steps, with it.
 */
double poly_sum_cycles(const struct poly_work *w, int n);
double poly_parts_cycles(const struct poly_work *w, int n, int each);
/* The cycles of the best division of "w", 1 part among them; those of the block and
 * the parts that are chosen for a product, which may have "parts".
 */
double poly_divided_cycles(const struct poly_work *w);
double poly_chosen_cycles(const struct poly_work *w, bool parts);

/* The constants of model.c for blocks "b", into "cost". */
void poly_block_cost(const struct poly_work *w, const struct poly_block *b,
	struct poly_cost *cost);
/* The blocks there are, up to "n" of them, into "list"; returns their number. */
enum { POLY_MOST_BLOCKS = 256 };
int poly_all_blocks(const struct poly_work *w, struct poly_block *list, int n);
/* choose.c: note, if prog->choice is set, the one product of "nest", its work and
 * its block.
 */
struct poly_nest;
void poly_choice_note(const struct poly_nest *nest, const struct poly_work *w,
	const struct poly_block *b);

/* reshape.c: the size, or another parameter, "name" as a function on "space". */
__isl_give isl_aff *poly_size_at(__isl_take isl_space *space, const char *name);
/* Does dimension "d" of "set" take all values below "size", whatever the others are?
 * "set" with "more" dimensions, which are free, in the place of "d"; where 0 <=
 * dimension "d" < size "name".
 */
bool poly_goes_over(__isl_keep isl_set *set, int d, const char *size);
__isl_give isl_set *poly_replace_dim(__isl_take isl_set *set, int d, int more);
__isl_give isl_set *poly_bound_dim(__isl_take isl_set *set, int d,
	const char *name);
/* The dimension of "stmt" that goes over the parts of a divided sum, -1 if
 * there is none.
 */
int poly_parts_dim(const struct poly_prog *prog, const struct poly_stmt *stmt);
/* pieces.c: make "stmt" the first of its "n" pieces, which are taken, and the
 * others statements of their own, in the same place of the text's order and of the
 * schedule, where there is one.
 */
isl_stat poly_cut_stmt(struct poly_prog *prog, struct poly_stmt *stmt,
	isl_set **piece, int n);
/* rest.c: cut "stmt", and what shares its kernel, where a rest of its tiles does
 * not fill the machine; "*n" counts.
 */
isl_stat poly_cut_rest(struct poly_prog *prog, struct poly_stmt *stmt, int *n);

/* search.c: note, if prog->search is set, the blocks that the kernel "name" could
 * have and the one that it has; the parts that the sum into "array" could be in,
 * and the number that it is in.
 */
void poly_search_note_blocks(struct poly_prog *prog, const char *name,
	const struct poly_work *w, const struct poly_block *chosen);
void poly_search_note_parts(struct poly_prog *prog, const char *array,
	const struct poly_work *w, int parts);

/* config.c: what the program's configuration says: the block of the kernel with
 * a product, false if nothing; into how many parts the sum of a product into
 * "array" is divided, 0 if nothing; whether whole rows are copied in bulk, false if
 * nothing. The configuration of one product, NULL without
 * memory. Refuse what it says about "name"; or if it says something about the
 * program that nobody asked for. Why "b" cannot be the block for "w", or NULL.
 */
bool poly_config_block(const struct poly_prog *prog, const char *kernel,
	struct poly_block *block);
int poly_config_parts(const struct poly_prog *prog, const char *array);
bool poly_config_bulk(const struct poly_prog *prog);
isl_stat poly_config_refuse(struct poly_prog *prog, const char *name,
	const char *why);
isl_stat poly_config_check(struct poly_prog *prog);
struct poly_config *poly_config_make(const struct poly_block *block);
const char *poly_block_fault(const struct poly_block *b,
	const struct poly_work *w);

/* work.c: begin to describe work: what is known of the sizes and the target;
 * add what the product "stmt" does, "at" being { [p0, p1, pk, ..] -> S[..] };
 * once all are added, find out how rows are copied. Is the work known well
 * enough for the model?
 */
void poly_work_begin(struct poly_work *w, const struct poly_prog *prog);
void poly_work_add(struct poly_work *w, struct poly_prog *prog,
	const struct poly_stmt *stmt, __isl_keep isl_multi_aff *at);
bool poly_work_is_known(const struct poly_work *w);
/* Remark, if the report wants to hear it, why the kernel "name" has the blocks
 * "chosen", or why the reduction "name" is in "parts" of "values" steps.
 */
void poly_explain_block(struct poly_prog *prog, const char *name,
	const struct poly_work *w, const struct poly_block *chosen);
void poly_explain_parts(struct poly_prog *prog, const char *name,
	const struct poly_work *w, int parts, int values);

/* nest.c: the statements of a kernel, as a mapping to tiles wants them. */
struct poly_nest {
	struct poly_prog *prog;
	struct poly_kernel *kernel;
	isl_union_set *domain;		/* of the kernel */
	isl_union_map *deps;		/* between them, in one launch */
	struct poly_stmt **point;	/* in an order of execution at a point */
	bool *product;	/* a reduction with loops of its own, worth tiles */
	isl_map **map;	/* -> [p0, p1, z..] or [p0, p1, pk, z.., u..] */
	int n, n_product;
	int n_host, n_batch, n_outer;	/* loops z: of the host, batch, both */
	bool regular;	/* can be tiled: all of the above is there */
};
/* The nest of "kernel", whose mark stands above a filter or its points; "at"
 * of its statements is set if it is regular. NULL without memory.
 */
struct poly_nest *poly_nest_find(struct poly_prog *prog,
	struct poly_kernel *kernel);
void poly_nest_free(struct poly_nest *nest);
/* merge.c: merge short loops of the products of "nest", which is regular, with
 * others that go along the same axis, where extents are constants.
 */
isl_stat poly_merge_loops(struct poly_nest *nest);

/* link.c: two kernels in a row, the second "kernel", with their point statements
 * "stmt": what the first hands on to the second. The caller sets all up to
 * "n_outer", the rest is zero.
 */
struct poly_link {
	struct poly_prog *prog;
	const struct poly_kernel *kernel;
	struct poly_stmt **stmt[2];
	int n[2], n_outer;
	struct poly_array *array;	/* that the first hands on */
	isl_map *view;			/* [p0, p1, z..] -> its element */
	struct poly_stmt *product;	/* of the second, that reads it, */
	int read;			/* as this of its reads */
	int axis;	/* of the tile, along which the two share points */
};
/* Is there such an array? poly_clear_link releases what is found, in any case. */
bool poly_find_link(struct poly_link *l);
void poly_clear_link(struct poly_link *l);
/* What two kernels in a row have to do: for each of "n" sizes the works of both;
 * along which axes they have the "same" points.
 */
enum { POLY_MOST_SIZES = 8 };
struct poly_works {
	int n;
	bool same[2];
	struct poly_work work[POLY_MOST_SIZES][2];
};
/* Had the product of "second" better go on in the kernel of "first", whose
 * result it reads? Then "*b" is the block for both.
 */
bool poly_choose_chain(const struct poly_nest *first,
	const struct poly_nest *second, const struct poly_works *works,
	struct poly_block *b);

/* prog.c: release kernel "i", which has no mark any more. */
void poly_prog_drop_kernel(struct poly_prog *prog, int i);

/* runs.c: blocks and tiles of the kernel of "nest", which has no product. True
 * if that gains something: threads have several points, which lie in runs or
 * are many in one launch.
 */
bool poly_choose_runs(struct poly_nest *nest);
/* phase.c: "member" of the instances "domain", which is taken, or a constant more:
 * what makes most of the accesses along it begin runs at its multiples.
 */
__isl_give isl_union_pw_aff *poly_in_phase(struct poly_prog *prog,
	__isl_keep isl_union_set *domain, __isl_take isl_union_pw_aff *member);
/* How many elements side by side all reads of "stmt" that move with dimension
 * "dim" can take at once.
 */
int poly_run_of(struct poly_prog *prog, const struct poly_stmt *stmt, int dim);
/* How many cells side by side along "member" a thread takes at once where the
 * statements of "domain" add the parts of sums up, as many as a launch wants: what
 * all they read and write can; else 1.
 */
int poly_run_of_cells(struct poly_prog *prog,
	__isl_keep isl_union_pw_aff *member, __isl_keep isl_union_set *domain);

/* swap.c: kernels of "prog" whose statements become members of tile operations:
 * "tree" is the schedule of kernel "kernel" over these, from its mark on.
 */
struct poly_swap {
	const struct poly_kernel *kernel;
	isl_union_set *domain;		/* of the statements */
	struct poly_stmt **op;		/* the tile operations */
	int n_op;
	isl_schedule *tree;
};
/* Put the trees of the "n" swaps into that of "prog". */
isl_stat poly_tree_swap(struct poly_prog *prog, const struct poly_swap *swap,
	int n);

/* full.c: may the product "op" run for all points of its tiles, because those
 * that its member lacks add nothing to what is used?
 */
bool poly_runs_full(struct poly_prog *prog, const struct poly_kernel *kernel,
	const struct poly_stmt *op);

/* Make "member" a member of the tile operation "stmt"; "to_tile" maps its
 * instances to those of "stmt".
 */
void poly_tile_add_member(struct poly_stmt *stmt, struct poly_stmt *member,
	__isl_take isl_map *to_tile);

/* "{ OP[t0, t1, tk] -> BUFFER[slot] }": the slots of "buffer" that the COPY or
 * CONTRACT "op" touches through its member's "index"; "BUFFER[]" if it has
 * but one.
 */
__isl_give isl_map *poly_buffer_slots(const struct poly_stmt *op,
	const struct poly_array *buffer, __isl_keep isl_multi_pw_aff *index);
/* The first copy, or group, that fills "buffer", or NULL; is "stmt" one? Its member
 * that writes elements of an array there, or NULL.
 */
struct poly_stmt *poly_buffer_copy(struct poly_prog *prog,
	const struct poly_array *buffer);
bool poly_fills_buffer(const struct poly_stmt *stmt,
	const struct poly_array *buffer);
struct poly_stmt *poly_buffer_element(const struct poly_stmt *stmt,
	const struct poly_array *buffer);
/* The tiles of "op" that the instances of its member with access "index" are in. */
__isl_give isl_map *poly_member_tile(const struct poly_stmt *op,
	__isl_keep isl_multi_pw_aff *index);
/* Of the "buffer" that "group" fills: does it hold zeros where it holds no elements?
 * Do these stay there, whatever else the group writes?
 */
bool poly_is_zero_around(struct poly_prog *prog, const struct poly_stmt *group,
	const struct poly_array *buffer);
bool poly_is_kept(struct poly_prog *prog, const struct poly_stmt *group,
	const struct poly_array *buffer);
/* The pairs of a write and a read of the same element that "kernel" makes only
 * through buffers that groups fill: what the threads of the block hand on.
 */
__isl_give isl_union_map *poly_handed_pairs(struct poly_prog *prog,
	const struct poly_kernel *kernel);

/* bulk.c: can "copy" move whole rows? Does each block fill the tiles 0, 1, 2, ..
 * of "copy", and each of them once?
 */
bool poly_has_whole_rows(struct poly_prog *prog, const struct poly_stmt *copy);
bool poly_fills_in_turn(struct poly_prog *prog, const struct poly_stmt *copy);

/* expand.c */

/* The tree at and below "node" at instance level: every tile operation
 * replaced by its members in the order in which one instance executes them.
 */
__isl_give isl_schedule *poly_expand(struct poly_prog *prog,
	__isl_keep isl_schedule_node *node);
/* The instances that "set", of statements in the tree, stands for: members of
 * its tile operations, and its point statements.
 */
__isl_give isl_union_set *poly_instances(struct poly_prog *prog,
	__isl_take isl_union_set *set);

/* witness.c: two instances that a relation pairs, as text such as
 * "[M = 1] D[0, 0, 0]"; the smallest sizes come first. Free both strings.
 */
struct poly_pair {
	char *source, *sink;
};
struct poly_pair poly_witness(struct poly_prog *prog,
	__isl_keep isl_union_map *deps);

/* seen.c: all that the checks read of "prog", to be freed before the context is;
 * NULL without memory. poly_seen_same says whether two programs are the same as
 * far as that goes; false if it is not sure, and if one is NULL.
 */
struct poly_seen;
struct poly_seen *poly_seen_take(const struct poly_prog *prog);
struct poly_seen *poly_seen_free(struct poly_seen *s);
bool poly_seen_same(const struct poly_seen *a, const struct poly_seen *b);
/* The same of what the checks read of "kernel". */
struct poly_seen *poly_seen_kernel(struct poly_prog *prog,
	const struct poly_kernel *kernel);

/* legal.c: what the checks share. */

/* poly_check, but for the checks that the program has passed as it is now, when it
 * had the facts "had"; "pass" is to blame.
 */
isl_stat poly_check_since(struct poly_prog *prog, unsigned had,
	const char *pass);

/* Report the pairs of "deps", if there are any, as "id": pass, source, sink. */
isl_stat poly_refuse_pairs(struct poly_prog *prog, enum poly_msg id,
	const char *pass, __isl_take isl_union_map *deps);
/* All dependences that order instances of point statements. */
__isl_give isl_union_map *poly_ordering_deps(struct poly_prog *prog);
/* Does the tree run the source of every pair of "deps" before its sink? They
 * are pairs of point statements, members of tile operations among them, or,
 * with "tiles", of statements that are in the tree.
 */
isl_stat poly_check_pairs(struct poly_prog *prog, const char *pass,
	__isl_take isl_union_map *deps, bool tiles);
/* As poly_check_pairs without "tiles", but nothing is reported. */
isl_bool poly_are_ordered(struct poly_prog *prog,
	__isl_take isl_union_map *deps);

/* legal_across.c: pairs that "to", which is taken, takes to one and the same. */
__isl_give isl_union_map *poly_same_image(__isl_take isl_union_map *to);
/* "points", where the instances of a naive kernel are, with those
 * of statements that threads run together where they write.
 */
__isl_give isl_union_map *poly_writing_points(struct poly_prog *prog,
	__isl_take isl_union_map *points);
/* The dependences for which such an instance counts as at its own point: those
 * through what it reads beside the cell.
 */
__isl_give isl_union_map *poly_across_reads(struct poly_prog *prog);
/* "deps", which are taken, but where they are about what threads write together,
 * for the instances of the first of them.
 */
__isl_give isl_union_map *poly_first_threads(struct poly_prog *prog,
	__isl_take isl_union_map *deps);
/* Can the groups of threads of "k", whose instances are at "points", run those
 * among the "n" statements "op" together, and has each thread one register?
 */
isl_stat poly_check_across(struct poly_prog *prog,
	const struct poly_kernel *k, struct poly_stmt **op, int n,
	const char *pass, __isl_keep isl_union_map *points);

/* race.c: the first dependence between threads of a block of "kernel" that
 * lacks a barrier; isl_bool_false if there is none, which is found out once. "carried": a loop
 * separates the two. The strings of "pair" are the caller's.
 */
struct poly_race {
	struct poly_stmt *source, *sink;
	bool carried;
	struct poly_pair pair;
};
isl_bool poly_find_race(struct poly_prog *prog, struct poly_kernel *kernel, struct poly_race *race);

/* coordinate.c: name the coordinates, as the sizes of "prog" are now; before any
 * filter binds one.
 */
void poly_coordinates_choose(struct poly_prog *prog);

/* A unique name made of "base" and "suffix". Free it. */
char *poly_unique_name(struct poly_prog *prog, const char *base,
	const char *suffix);
/* Failure of isl inside "pass": reports what isl said; isl_stat_error. */
isl_stat poly_isl_error(struct poly_prog *prog, const char *pass);

#endif
