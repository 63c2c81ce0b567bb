/* What a program is (record.h), and what is asked of it and changed in it. */
#ifndef POLYIR_IR_H
#define POLYIR_IR_H

#include "polyir/ir/record.h"

/* prog.c. Everything added is owned by the program; names must be unique
 * identifiers, and not words of isl (poly_is_word). "fix" gives param "name" a value.
 */
struct poly_prog *poly_prog_alloc(isl_ctx *ctx, const char *name,
	struct poly_report *report);
struct poly_prog *poly_prog_free(struct poly_prog *prog);
bool poly_is_word(const char *word);
struct poly_param *poly_prog_add_param(struct poly_prog *prog,
	const char *name);
isl_stat poly_prog_fix(struct poly_prog *prog, const char *name, int64_t v);
struct poly_array *poly_prog_add_array(struct poly_prog *prog,
	const char *name, enum poly_type type, enum poly_role role,
	__isl_take isl_multi_pw_aff *extent);
struct poly_stmt *poly_prog_add_stmt(struct poly_prog *prog,
	const char *name, enum poly_kind kind, __isl_take isl_set *domain);
struct poly_kernel *poly_prog_add_kernel(struct poly_prog *prog,
	const char *name);
/* The name of coordinate "c", a parameter of isl's sets that is no size of the
 * program (coordinate.c); which coordinate "name" is, or -1; is it one of a launch?
 */
const char *poly_coordinate(const struct poly_prog *prog, int c);
int poly_find_coordinate(const struct poly_prog *prog, const char *name);
bool poly_is_launch(const struct poly_prog *prog, const char *name);
/* The statements run as "schedule", a tree of all their domains made of bands,
 * sequences and filters, says (LANGUAGE rule M).
 */
void poly_prog_set_original(struct poly_prog *prog,
	__isl_take isl_schedule *schedule);
void poly_stmt_set_write(struct poly_stmt *stmt, struct poly_array *array,
	__isl_take isl_multi_pw_aff *index, enum poly_op reduce,
	struct poly_expr *rhs);
/* How many coordinates of the tile operation "op" come before the z. */
int poly_op_first_outer(const struct poly_stmt *op);
void poly_stmt_add_member(struct poly_stmt *stmt, struct poly_stmt *member);
/* Have all sizes one value? */
bool poly_prog_is_fixed(const struct poly_prog *prog);
struct poly_param *poly_prog_find_param(struct poly_prog *p, const char *name);
/* gaps.c: give the caller's arrays of several dimensions strides, sizes behind the others; an
 * error, reported, where elements of one are numbered. Let those from "param" on be those of
 * "a". Has an array some? The name of that of dimension "d". */
isl_stat poly_add_strides(struct poly_prog *prog);
void poly_array_set_stride(struct poly_prog *prog, struct poly_array *a, int param);
bool poly_has_strides(const struct poly_prog *prog);
const char *poly_array_stride(const struct poly_prog *prog, const struct poly_array *a, int d);

/* The hidden size of that kind, or NULL; add one named after the size "size", NULL
 * without memory.
 */
const struct poly_param *poly_prog_hidden(const struct poly_prog *prog,
	enum poly_hidden kind);
struct poly_param *poly_prog_add_hidden(struct poly_prog *prog,
	const char *size, enum poly_hidden kind);
struct poly_array *poly_prog_find_array(struct poly_prog *p, const char *name);
struct poly_stmt *poly_prog_find_stmt(struct poly_prog *p, const char *name);
struct poly_kernel *poly_prog_find_kernel(struct poly_prog *p,
	const char *name);

/* True if "stmt" is reached through a tile operation, not by the tree. */
bool poly_stmt_is_member(const struct poly_prog *p,
	const struct poly_stmt *stmt);

/* access.c: unions over point statements (members included). */
__isl_give isl_union_set *poly_point_domains(struct poly_prog *prog);
/* Every element of the array, as far as the dimensions from "first" on say. */
__isl_give isl_set *poly_array_box(const struct poly_array *array, int first);
/* Is "array" a temporary, from which nobody gathers, so that passes may move it? */
bool poly_is_temp(const struct poly_array *array);
__isl_give isl_union_map *poly_reads(struct poly_prog *prog);
__isl_give isl_union_map *poly_writes(struct poly_prog *prog);
__isl_give isl_union_map *poly_updates(struct poly_prog *prog);
__isl_give isl_union_map *poly_stmt_reads(struct poly_stmt *stmt);
__isl_give isl_map *poly_stmt_write(struct poly_stmt *stmt);
/* What "stmt" reads by "leaf", an access in one of its expressions; or a GATHER. */
__isl_give isl_map *poly_stmt_read(const struct poly_stmt *stmt,
	const struct poly_expr *leaf);
__isl_give isl_map *poly_stmt_gathered(const struct poly_stmt *stmt,
	const struct poly_expr *leaf);

/* The loops of the mapped "prog", from outside to inside for each statement;
 * the caller frees them, in case of an error, too.
 */
isl_stat poly_loops(struct poly_prog *prog, struct poly_loop **list, int *n);

/* The passes, one file each, in the order in which poly_compile runs them.
 * Each header comment states what the pass requires, establishes and breaks.
 */
isl_stat poly_deps(struct poly_prog *prog);

/* kernel.c: the blocks of the block kernel "kernel". */
int poly_kernel_n_block(const struct poly_kernel *kernel);
/* kernel.c: the point statements that "kernel" runs, in program order; copies
 * to shared memory are left out. "*n" receives their number. Free the array.
 */
struct poly_stmt **poly_kernel_stmts(struct poly_prog *prog,
	const struct poly_kernel *kernel, int *n);

/* tree.c: how many members the bands around the mark of "kernel" have. */
int poly_kernel_n_host(struct poly_prog *prog,
	const struct poly_kernel *kernel);

/* prog.c: the statements, and the loops around each. In the order of isl's
 * scheduler are programs of up to POLY_LARGE.
 */
enum { POLY_LARGE = 200 };
int poly_measure(const struct poly_prog *prog);

/* The text behind "prefix" if "node" is a mark whose name begins with it, else NULL; and
 * behind "kernel:". Owned by isl's identifier, which the tree keeps.
 */
const char *poly_mark_after(__isl_keep isl_schedule_node *node, const char *prefix);
const char *poly_mark_kernel(__isl_keep isl_schedule_node *node);
/* Is "node" the mark "name"? */
bool poly_is_mark(__isl_keep isl_schedule_node *node, const char *name);
/* Is "node" the mark above a band of the host, the iterations of whose first member run at
 * one time? Is there one in the program's tree?
 */
#define POLY_CONCURRENT "concurrent"
bool poly_mark_is_concurrent(__isl_keep isl_schedule_node *node);
bool poly_prog_is_concurrent(const struct poly_prog *prog);
/* Insert the mark "kernel:NAME" above "node". */
__isl_give isl_schedule_node *poly_insert_kernel_mark(
	__isl_take isl_schedule_node *node, const char *name);
/* Insert the band "partial" of parallel loops above "node"; nothing if it has none. 0
 * on all that reaches "node".
 */
__isl_give isl_schedule_node *poly_insert_parallel(
	__isl_take isl_schedule_node *node,
	__isl_take isl_multi_union_pw_aff *partial);
__isl_give isl_union_pw_aff *poly_zero_at(__isl_keep isl_schedule_node *node);
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
/* The band "node" with a loop that is written out. */
__isl_give isl_schedule_node *poly_unrolled(__isl_take isl_schedule_node *node);
/* The intersection of "set" with "other", of which only the statements of "set"
 * are looked at.
 */
__isl_give isl_union_set *poly_narrow(__isl_take isl_union_set *set,
	__isl_take isl_union_set *other);

/* kernel.c: the kernel that runs "stmt", by itself or as a member, or NULL. */
const struct poly_kernel *poly_kernel_of(struct poly_prog *prog,
	const struct poly_stmt *stmt);

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
/* Set edge[i * n_stmt + k] where "deps" has pairs from statement i to another one, k. */
void poly_note_edges(const struct poly_prog *prog,
	__isl_keep isl_union_map *deps, bool *edge);
/* Move the statement at position "from" to "at", which is not behind it. */
void poly_move_stmt(struct poly_prog *prog, int from, int at);
/* The statements of "domain" in program order; "*n" receives their number.
 * Free the array.
 */
struct poly_stmt **poly_stmts_of(struct poly_prog *prog,
	__isl_keep isl_union_set *domain, int *n);

/* Is it a SCATTER that "stmt" writes? */
bool poly_is_scatter(const struct poly_stmt *stmt);
/* access.c: does "s" go on from what its cell holds? Does "s" access "array"? Does one of
 * the "n" statements "list" write it, or what is beside them access it? Let the access "leaf"
 * be one to "array", all of "s" to "from" such to "to". A temporary like "array"; or NULL.
 */
bool poly_is_update(const struct poly_stmt *s);
bool poly_stmt_accesses(struct poly_stmt *s, const struct poly_array *array);
bool poly_any_writes(struct poly_stmt *const *list, int n, const struct poly_array *array);
bool poly_accessed_beside(const struct poly_prog *prog,
	struct poly_stmt *const *list, int n, const struct poly_array *array);
void poly_leaf_set(struct poly_expr *leaf, struct poly_array *array);
void poly_stmt_rename(struct poly_stmt *s, const struct poly_array *from,
	struct poly_array *to);
struct poly_array *poly_add_like(struct poly_prog *prog,
	const struct poly_array *array, const char *suffix);

/* Is "pa" dimension "d" of "stmt", by its form or, with "values", by what it is? */
bool poly_is_dim(__isl_keep isl_pw_aff *pa, const struct poly_stmt *stmt, int d,
	bool values);
/* The dimension of "stmt" that "index", a function of its instances, is at
 * position "pos"; -1 if it is something else.
 */
int poly_index_dim(__isl_keep isl_multi_pw_aff *index, int pos,
	const struct poly_stmt *stmt);
/* access.c: what dimension "dim" of "stmt" has to be equal to where that selects another value
 * than the one that changes nothing; NULL if it is not said. It does not depend on that
 * dimension. The instances of "stmt" that run, without the dimensions that an atomic update
 * takes from data, as it has one value of each.
 */
const struct poly_expr *poly_wanted(const struct poly_stmt *stmt, int dim);
__isl_give isl_set *poly_stmt_runs(const struct poly_stmt *stmt);

/* The first members of "band", the axes and the batch of "kernel", as a map,
 * instance -> [p0, p1, z..]: whatever the domains of the statements, and for what
 * reaches the band.
 */
__isl_give isl_union_map *poly_kernel_axes(const struct poly_kernel *kernel,
	__isl_keep isl_schedule_node *band);
__isl_give isl_union_map *poly_kernel_points(const struct poly_kernel *kernel,
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
 * blocks of "thread0" x "thread1"; the "n_batch" members behind the first two are
 * digits of the grid. The result is the mapping filter above the band.
 */
__isl_give isl_schedule_node *poly_kernel_thread_a_point(struct poly_prog *prog,
	struct poly_kernel *kernel, __isl_take isl_schedule_node *band,
	int thread0, int thread1, int n_batch);
/* Which threads of the block kernel "kernel" run an instance: "{ S[..] -> [t0,
 * t1] }", or, of blocks that run together, "{ S[..] -> [b1, t0, t1] }", in a
 * launch, where the host runs loops around it.
 */
__isl_give isl_union_map *poly_kernel_threads(struct poly_prog *prog,
	const struct poly_kernel *kernel);
/* Which block of the kernel, whose blocks are apart, runs an instance: "{ S[..] -> [b0,
 * b1] }", in any launch.
 */
__isl_give isl_union_map *poly_kernel_blocks(struct poly_prog *prog,
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

/* model.c: the block of a product's kernel, as struct poly_kernel has it. */
struct poly_block {
	int thread[2], tile[2], vec[2], vec_k, tile_k, stages;
	enum poly_unit unit;
	int cluster[2];		/* 0: none */
};

/* unit.c: the name of an instruction, and back: POLY_UNIT_NONE if there is none. */
const char *poly_unit_name(enum poly_unit unit);
enum poly_unit poly_find_unit(const char *name);
/* kernel.c: how many blocks of "kernel" along axis "d" are a cluster, 1 at least. */
int poly_cluster(const struct poly_kernel *kernel, int d);
/* kernel.c: give "kernel" the block "b"; the block that it has. */
void poly_kernel_set_block(struct poly_kernel *kernel,
	const struct poly_block *b);
struct poly_block poly_kernel_block(const struct poly_kernel *kernel);

/* prog.c: release kernel "i", which has no mark; statement "i"; an array without accesses. */
void poly_prog_drop_kernel(struct poly_prog *prog, int i);
void poly_prog_drop_stmt(struct poly_prog *prog, int i);
void poly_prog_drop_array(struct poly_prog *prog, struct poly_array *array);

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

/* coordinate.c: name the coordinates, as the sizes of "prog" are now; before any
 * filter binds one.
 */
void poly_coordinates_choose(struct poly_prog *prog);

/* A unique name made of "base" and "suffix". Free it. */
char *poly_unique_name(struct poly_prog *prog, const char *base,
	const char *suffix);
/* Failure of isl inside "pass": reports what isl said; isl_stat_error. */
isl_stat poly_isl_error(struct poly_prog *prog, const char *pass);

/* reshape.c: the size, or another parameter, "name" as a function on "space". */
__isl_give isl_aff *poly_size_at(__isl_take isl_space *space, const char *name);

#endif
