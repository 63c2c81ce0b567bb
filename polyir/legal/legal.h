/* The checks: structure, dependences, races; and the witnesses that they show. */
#ifndef POLYIR_LEGAL_H
#define POLYIR_LEGAL_H

#include <stdbool.h>

#include <isl/ctx.h>
#include <isl/schedule.h>
#include <isl/schedule_node.h>
#include <isl/union_map.h>
#include <isl/union_set.h>

#include "polyir/base/base.h"
#include "polyir/ir/facts.h"
#include "polyir/ir/ir.h"

/* verify.c: structure of the program and its tree (bands total on the
 * domain, sequence filters partition, flags count, names resolve, kernels and
 * marks agree). Called after every pass and after reading.
 */
isl_stat poly_verify(struct poly_prog *prog, const char *pass);

/* legal.c: the legality checks (DESIGN section 4). Each reports the first
 * violation with two instances and fails. "pass" names who is to blame.
 * order: the tree respects deps (order walk; at tile level with contracted
 *	dependences, and at instance level on the expanded tree).
 * place: no dependence crosses blocks inside a kernel; reductions have one
 *	owner thread; a register is read at the point that wrote it; every
 *	tile and point is in the block and thread that the kernel says.
 * barriers: a dependence between threads of a block has a barrier between.
 * copies: what is read through a shared buffer is the original element, which
 *	has been copied by then and not been overwritten.
 */
isl_stat poly_check_order(struct poly_prog *prog, const char *pass);
isl_stat poly_check_place(struct poly_prog *prog, const char *pass);
isl_stat poly_check_barriers(struct poly_prog *prog, const char *pass);
isl_stat poly_check_copies(struct poly_prog *prog, const char *pass);
isl_stat poly_check(struct poly_prog *prog, const char *pass);

/* Folds of a group, at most. */
enum { POLY_MAX_FOLDS = 8 };

/* legal_fold.c: the axis of the tiles of "kernel" along which the instances of the
 * fold "s", a member of one of its groups, lie that make one cell, and along which
 * no two cells have instances in a tile; -1 if there is none.
 */
int poly_fold_axis(struct poly_prog *prog, const struct poly_kernel *kernel,
	const struct poly_stmt *s);

/* The statement that gives the cells of "s", which threads of "kernel" run
 * together, what they hold before it, if one does, in the thread that updates
 * them, which runs neither for another cell; else NULL.
 */
struct poly_stmt *poly_across_start(struct poly_prog *prog,
	const struct poly_kernel *kernel, struct poly_stmt *s);

/* legal_fold.c: can "kernel" run the folds among the members of its operation "op"? */
isl_stat poly_check_folds(struct poly_prog *prog,
	const struct poly_kernel *kernel, const struct poly_stmt *op,
	const char *pass);

/* legal_line.c: can the threads of "kernel" along "axis" put together what they have?
 */
bool poly_has_line_lanes(const struct poly_kernel *kernel, int axis);
/* Is what the operations of "kernel" do along lines of its tiles right? */
isl_stat poly_check_lines(struct poly_prog *prog,
	const struct poly_kernel *kernel, struct poly_stmt **op, int n,
	const char *pass);
/* Of rows that have no tiles yet, of the "n" statements "op": the pairs of instances of
 * a recurrence. How one hands a value on to the next is asked when there are tiles.
 */
__isl_give isl_union_map *poly_row_pairs(struct poly_prog *prog,
	struct poly_stmt **op, int n);

/* race.c: the pairs of instances in a launch of the block kernel "kernel" that
 * are in different threads and not free of one another, in both directions.
 */
__isl_give isl_union_map *poly_thread_pairs(struct poly_prog *prog,
	const struct poly_kernel *kernel);

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
/* The same; "distance" gets how far the sink is from the source along the outer
 * indices that both have by one name, such as "i 0, k 1".
 */
struct poly_pair poly_witness_apart(struct poly_prog *prog,
	__isl_keep isl_union_map *deps, struct poly_str *distance);

/* seen.c: what the checks read of a program (ir/facts.h). */
struct poly_seen *poly_seen_take(const struct poly_prog *prog);
/* The same of what the checks read of "kernel". */
struct poly_seen *poly_seen_kernel(struct poly_prog *prog,
	const struct poly_kernel *kernel);
/* The same, with each array's "part" taken down as 0 (ir/facts.h). */
struct poly_seen *poly_seen_parts(struct poly_prog *prog,
	const struct poly_kernel *kernel, const int64_t *part);

/* same_kernels.c: what a kernel does, as a text with numbers in the place of the names of its
 * kernels, statements and arrays: kernels with the same text differ in these alone, and in
 * the parts that they access of arrays.
 *
 * "array" are those that the text names, in its order. "part", by their numbers in the
 * program: the only index of their first dimension that the kernel accesses; -1: there are
 * several, or none.
 */
struct poly_alike {
	struct poly_str text;
	int *array;
	int n_array;
	int64_t *part;
};
struct poly_alike *poly_alike_take(struct poly_prog *prog,
	const struct poly_kernel *kernel);
/* Returns NULL; "a" may be NULL. */
struct poly_alike *poly_alike_free(struct poly_alike *a);
/* False without memory, too. */
bool poly_alike_same(const struct poly_alike *a, const struct poly_alike *b);
/* For each kernel that is not "known" the number of the first such one that is alike, or its
 * own, which known ones have, too. The caller frees the list; NULL without memory.
 */
int *poly_alike_first(struct poly_prog *prog, const bool *known);

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
/* Those pairs of "deps" whose source the tree does not run before its sink; NULL if
 * isl fails. They are pairs as poly_check_pairs has them without "tiles".
 */
__isl_give isl_union_map *poly_disorder(struct poly_prog *prog,
	__isl_take isl_union_map *deps);
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

/* legal_point.c: the point statements that the threads of a kernel execute at their own
 * points: where each instance is, whatever the domains, and the instances. Apart, as
 * what is at one point would have the pieces of two domains.
 */
struct poly_places {
	isl_union_map *at;		/* -> [p0, p1, z..] */
	isl_union_set *domain;
};
/* Set "p" to the instances of "kernel" and their points of the tile space:
 * those of the members of its tile operations, or, without tiles, those of its
 * point statements.
 */
void poly_find_places(struct poly_prog *prog,
	const struct poly_kernel *kernel, struct poly_places *p);
void poly_places_free(struct poly_places *p);
/* The tile operations, or point statements, of "kernel" in program order: an array
 * for the caller.
 */
struct poly_stmt **poly_kernel_list(struct poly_prog *prog,
	const struct poly_kernel *kernel, int *n);
/* Instances of the point statements of the naive "kernel" -> [p0, p1, z..], with
 * block and thread as parameters.
 */
__isl_give isl_union_map *poly_naive_points(struct poly_prog *prog,
	const struct poly_kernel *kernel);
/* "{ [p0, p1, z..] -> [b0, b1, z.., t..] }", or only the block; without tiles, there
 * are no z.
 */
__isl_give isl_union_map *poly_place_of(struct poly_prog *prog,
	const struct poly_kernel *k, bool thread);

/* legal_tiles.c: does the kernel run what its threads can: all of them together the
 * tile operations of a tiled kernel, each by itself the points of a naive one?
 */
isl_stat poly_check_kinds(struct poly_prog *prog,
	const struct poly_kernel *k, struct poly_stmt **op, int n,
	const char *pass);
/* Check that blocks and threads run what their coordinates say, that the grid
 * has all blocks that are needed, and, of a tiled kernel, that the members of
 * each tile operation lie in its tile.
 */
isl_stat poly_check_tiles(struct poly_prog *prog,
	const struct poly_kernel *k, struct poly_stmt **op, int n,
	const char *pass);
/* Report the sources of "pairs", which are taken, if there are any, as
 * instances in no or in the wrong block.
 */
isl_stat poly_refuse_sources(struct poly_prog *prog, const char *pass,
	__isl_take isl_union_map *pairs);
/* legal_apart.c: does each point of the kernel "k", whose blocks are apart, have one block
 * of the grid, and does none of the "n" statements "op" wait for another block?
 */
isl_stat poly_check_apart(struct poly_prog *prog, const struct poly_kernel *k,
	struct poly_stmt **op, int n, const char *pass);

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

#endif
