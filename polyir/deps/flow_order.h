/* Accesses and their pairs, for the dependences of a program with an order of its text. */
#ifndef POLYIR_FLOW_ORDER_H
#define POLYIR_FLOW_ORDER_H

#include <stdbool.h>

#include <isl/schedule.h>
#include <isl/union_map.h>
#include <isl/union_set.h>

#include "polyir/ir/ir.h"
#include "polyir/deps/deps.h"

/* The accesses to "array". OWN are the reads that free updates make of the cells
 * they update, READ all other reads; FIXED are the writes in a fixed order,
 * LOOSE those of the free updates. "size" are the statements that have any, and
 * the loops around each.
 */
enum { POLY_OWN, POLY_READ, POLY_FIXED, POLY_LOOSE };
/* The accesses to "array" of each kind, { instance -> element }. */
struct poly_accesses {
	const struct poly_array *array;
	isl_union_map *of[POLY_N_ACCESS];
	int size;
};

/* flow_accesses.c: all writes of "a". */
__isl_give isl_union_map *poly_writes_of(const struct poly_accesses *a);
/* The order of the statements that have accesses "a". */
__isl_give isl_schedule *poly_order_of(struct poly_prog *prog,
	const struct poly_accesses *a);
/* How many pairs of a write and another access there are, statement by
 * statement.
 */
int poly_count_pairs(const struct poly_accesses *a);
/* The accesses of "a" to the cells "part", which is taken. */
struct poly_accesses poly_accesses_to(const struct poly_accesses *a,
	__isl_take isl_set *part);
/* The accesses to each array of "prog" for which "use" says so, those that have
 * the fewest pairs first; "*n" counts them. NULL without memory.
 */
struct poly_accesses *poly_list_accesses(struct poly_prog *prog,
	bool (*use)(const struct poly_array *array, const void *user),
	const void *user, int *n);
/* Free what "a" has; a list of "n". */
void poly_free_accesses(struct poly_accesses *a);
void poly_free_accesses_list(struct poly_accesses *list, int n);

/* What is being found: "order" is that of the accesses, "one" one iteration of the
 * loops around all of them, NULL if there is no such loop, and "turn" what that runs,
 * one after another, NULL if there are loops inside; the operations that
 * the next kind may take, beyond "tree" for the order; "nearest" if of the
 * accesses before a write only the nearest count, "cells" if the array has more
 * than one cell.
 */
struct poly_search {
	struct poly_prog *prog;
	isl_schedule *order;
	isl_union_set *one;
	isl_union_set_list *turn;
	unsigned long most, tree;
	bool nearest, cells;
};

/* flow_pairs.c: is "accesses" NULL, or are there none? */
bool poly_has_no_access(__isl_keep isl_union_map *accesses);
/* Pairs of a source and a sink that touch one cell, the source first: for each sink the
 * last of "must", and all of "may" since the last of "must" or of "kill"; within bounds,
 * beyond which they are all. Any of the three may be NULL; one of "must" and "kill" is.
 */
__isl_give isl_union_map *poly_pairs_between(struct poly_search *s,
	__isl_keep isl_union_map *sink, __isl_keep isl_union_map *must,
	__isl_keep isl_union_map *may, __isl_keep isl_union_map *kill);
/* The flow of values to "sink", asked of one iteration first. */
__isl_give isl_union_map *poly_pairs_of_values(struct poly_search *s,
	__isl_keep isl_union_map *sink, __isl_keep isl_union_map *must,
	__isl_keep isl_union_map *may);
/* All sources before the sink. */
__isl_give isl_union_map *poly_pairs_roughly(__isl_keep isl_schedule *order,
	__isl_keep isl_union_map *sink, __isl_keep isl_union_map *must,
	__isl_keep isl_union_map *may);

#endif
