/* The schedule as a script changes it: loops, sequences and statements. */
#ifndef POLYIR_SCRIPT_PLAN_H
#define POLYIR_SCRIPT_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include <isl/aff.h>
#include <isl/schedule.h>
#include <isl/set.h>
#include <isl/union_map.h>

#include "polyir/deps/deps.h"
#include "polyir/ir/ir.h"

enum { POLY_MOST_LOOPS = 24, POLY_LOOP_TEXT = 64, POLY_MOST_LEAVES = 1024 };

/* One node of the plan.
 *
 * LOOP: "at[n]" is what the loop counts at the instances of the statement with
 *	number n, a function of its instances; NULL for statements that are not
 *	below. "tile" is T if the loop goes through the T points of a tile whose
 *	number is its value divided by T, else 0; "step" is what its values are
 *	multiples of. "role" and "axis" say which coordinate of the grid or the
 *	block it is: axis 0 is x. An "unroll" loop is written out. The iterations of
 *	one that is "concurrent" run at one time if there are kernels in it.
 * LIST: the children run one after another.
 * LEAF: the instances "domain" of "stmt", the statement with the number
 *	"number" of the script. Several leaves may be pieces of one statement.
 * KERNEL: what is below is one kernel, whose loops with a role are its
 *	coordinates.
 * MARK: what is below has the mark "name" of a pass.
 */
enum poly_item_kind {
	POLY_ITEM_LOOP, POLY_ITEM_LIST, POLY_ITEM_LEAF, POLY_ITEM_KERNEL,
	POLY_ITEM_MARK
};
/* "array" is copied at the beginning of each iteration: in a kernel to shared memory,
 * elsewhere to global memory. Dimension "last" of it (-1: the last) is the last one of the
 * copy, whose rows get elements behind them, so that their length is coprime with -pad,
 * or, if it is more than 1, a multiple of it. If "number" is not -1, only these accesses
 * of that statement read the copy, a bit each in "reads", in the order of its expression.
 * "ahead": there are two copies in turn, and each is made an iteration early. With
 * "maker", the statement that computes the array, the elements are not copied but computed
 * there.
 */
struct poly_near {
	struct poly_array *array;
	int pad, last, number;
	unsigned reads;
	bool ahead;
	struct poly_stmt *maker;
};
enum { POLY_MOST_NEAR = 4 };
enum poly_role_of_loop { POLY_LOOP_SERIAL, POLY_LOOP_BLOCK, POLY_LOOP_THREAD };
struct poly_item {
	enum poly_item_kind kind;
	struct poly_item *parent, **child;
	int n_child;

	char name[POLY_LOOP_TEXT];
	isl_pw_aff **at;
	int64_t tile, step;
	enum poly_role_of_loop role;
	int axis;
	bool unroll, concurrent;
	struct poly_near near[POLY_MOST_NEAR];	/* of a LOOP or KERNEL */
	int n_near;

	int number;
	struct poly_stmt *stmt;
	isl_set *domain;
	bool copy;		/* is a copy to shared memory (stage.c), */
	int n_dim, last;	/* of an array of so many dimensions, of which this
				 * one is its last */
};

/* A name that is no loop any more, and the line of the script that consumed it. */
struct poly_gone {
	char name[POLY_LOOP_TEXT], by[POLY_LOOP_TEXT];
	int line;
	struct poly_gone *next;
};

/* How the script has an array kept: with "fold", as "cells" says; coordinate "order[d]"
 * of an element, if n_order is not 0, is the one at position d. "anti" and "output" are
 * the dependences that this adds, NULL for none.
 */
enum { POLY_MOST_KEPT = 16, POLY_MOST_ORDER = 8 };
struct poly_kept {
	struct poly_array *array;
	bool fold;
	struct poly_cells cells;
	int n_order, order[POLY_MOST_ORDER];
	isl_union_map *anti, *output;
};

/* The plan: its nodes, and how many numbers of statements have been given out. "tree" is
 * the tree that was read, with all that it says of its bands, until a command changes the
 * plan; NULL then. A "closed" plan has parts that passes have made for the mapping, which
 * commands do not change. "made" are the pairs that values which are computed where they
 * are read add to the anti-dependences, while these are asked; else NULL.
 */
struct poly_plan {
	struct poly_prog *prog;
	struct poly_item *root;
	int n_leaf;
	bool closed;
	isl_schedule *tree;
	struct poly_gone *gone;
	struct poly_kept kept[POLY_MOST_KEPT];
	int n_kept;
	isl_union_map *made;
};

/* Why a command is refused; nothing is owned but "source" and "sink". "text" is all
 * there is unless "kind" names that of a dependence, through "array", whose source and
 * sink are instances of "from" and "to", "distance" apart.
 */
struct poly_refusal {
	char text[400];
	const char *kind;
	const struct poly_array *array;
	const struct poly_stmt *from, *to;
	char *source, *sink;
	char distance[120];
};

/* ------------------------------------------------------------------ plan.c */

/* The plan of "schedule", a tree of bands, sequences and filters; NULL if it has
 * anything else, or more loops and statements than a script may have.
 */
struct poly_plan *poly_plan_of(struct poly_prog *prog,
	__isl_keep isl_schedule *schedule);
struct poly_plan *poly_plan_copy(const struct poly_plan *plan);
struct poly_plan *poly_plan_free(struct poly_plan *plan);
/* Put "other" in the place of "*plan", of which the names that are gone and how arrays
 * are kept stay.
 */
void poly_plan_become(struct poly_plan **plan, struct poly_plan *other);

struct poly_item *poly_item_alloc(enum poly_item_kind kind);
/* Free "item" and all below. */
struct poly_item *poly_item_free(struct poly_item *item);
/* Free "item" alone, which is in no tree and has no children any more. */
void poly_item_drop(struct poly_item *item);
struct poly_item *poly_item_copy(const struct poly_item *item);
/* A copy of "item" without its children; it owns its own objects of isl. */
struct poly_item *poly_item_copy_alone(const struct poly_item *item);
/* Insert "child", which has no parent, below "item" at place "i"; false without memory. */
bool poly_item_insert(struct poly_item *item, int i, struct poly_item *child);
/* Take "item" from its parent's children. */
void poly_item_take(struct poly_item *item);
/* Where "item" stands among its parent's children. */
int poly_item_place(const struct poly_item *item);
/* Put "by", which has no parent, in the place of "item", which has none afterwards. */
void poly_item_replace(struct poly_plan *plan, struct poly_item *item,
	struct poly_item *by);
/* Put "loop", which has no parent and no child, above "item". */
bool poly_item_wrap(struct poly_plan *plan, struct poly_item *item,
	struct poly_item *loop);
/* Take the loop, or list of one child, "item" out: its child has its place. */
void poly_item_unwrap(struct poly_plan *plan, struct poly_item *item);

/* The leaf with that number, or NULL; the leaves at and below "item", at most
 * POLY_MOST_LEAVES of them, into "list"; returns how many.
 */
struct poly_item *poly_plan_leaf(const struct poly_plan *plan, int number);
int poly_item_leaves(struct poly_item *item, struct poly_item **list);
/* The loops around "leaf", from outside to inside; returns how many. */
int poly_leaf_loops(struct poly_item *leaf, struct poly_item **loop);
/* The loop "name" around "leaf", or NULL. */
struct poly_item *poly_leaf_loop(struct poly_item *leaf, const char *name);
/* Is "item" at or below "above"? */
bool poly_item_is_below(const struct poly_item *item,
	const struct poly_item *above);
/* The most loops around a leaf that is at or below "item", those above it among them. */
int poly_item_depth(const struct poly_item *item);
/* The kernel that "item" is in, or NULL. */
struct poly_item *poly_item_kernel(struct poly_item *item);

/* --------------------------------------------------------------- emit.c */

/* The plan as a schedule: with "marks", a mark POLY_SCRIPT_KERNEL and its number above
 * what a kernel runs in each thread; else the kernel's coordinates are a band there,
 * for the checks.
 */
#define POLY_SCRIPT_KERNEL "script-kernel:"
__isl_give isl_schedule *poly_plan_schedule(struct poly_plan *plan, bool marks);
/* Is "item" a loop, outside of kernels, whose iterations run at one time? */
bool poly_item_is_concurrent(const struct poly_item *item);
/* What "loop" counts, at the instances of all statements below. */
__isl_give isl_union_pw_aff *poly_loop_values(struct poly_item *loop);
/* The instances of the leaves at and below "item". */
__isl_give isl_union_set *poly_item_domain(struct poly_item *item);
/* The kernels of the plan in order; returns how many there are of at most "most". */
int poly_plan_kernels(struct poly_plan *plan, struct poly_item **list, int most);

/* -------------------------------------------------------------- check.c */

/* Do all dependences hold? If not, "why" says which does not. isl_bool_error if isl
 * fails.
 */
isl_bool poly_plan_is_legal(struct poly_plan *plan, struct poly_refusal *why);
/* Do the iterations of "loop" depend on nothing of one another? Updates of one cell do. */
isl_bool poly_loop_carries_nothing(struct poly_plan *plan, struct poly_item *loop,
	struct poly_refusal *why);
/* Has no iteration of "loop", if they run at one time, a copy in global memory, which all of
 * them would share?
 */
isl_bool poly_copies_are_apart(const struct poly_item *loop, struct poly_refusal *why);
/* The dependences of a kind: flow, anti, output, or reduction, which gives no order. */
enum { POLY_DEP_ANTI = 1, POLY_DEP_REDUCTION = 3, POLY_N_DEP = 4 };
__isl_give isl_union_map *poly_deps_of_kind(const struct poly_plan *plan,
	int kind);
/* Say that pairs of the kind "kind" break the rule "what"; "pairs" is taken. True if
 * there are none.
 */
isl_bool poly_blame(struct poly_prog *prog, struct poly_refusal *why, int kind,
	const char *what, __isl_take isl_union_map *pairs);
void poly_refusal_clear(struct poly_refusal *why);
/* Say why in words. */
void poly_refuse(struct poly_refusal *why, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
