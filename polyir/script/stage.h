/* Copies of what an iteration of a loop reads: where they are, and how they are made. */
#ifndef POLYIR_SCRIPT_STAGE_H
#define POLYIR_SCRIPT_STAGE_H

#include <stdbool.h>
#include <stdint.h>

#include <isl/aff.h>
#include <isl/map.h>
#include <isl/union_map.h>

#include "polyir/ir/ir.h"
#include "polyir/sums/sums.h"
#include "polyir/script/plan.h"

/* The box of the elements that the iterations of "item" read, "near", and the copy of it:
 * "cells" are those of each iteration of the loops "o" outside, from "low" on, "size"
 * along each dimension. "reads" are the instances that read through the copy, by what
 * they read.
 */
struct poly_box_of_cells {
	struct poly_plan *plan;
	struct poly_item *item;
	const struct poly_item *leaf;
	const struct poly_near *near;
	isl_map *cells;			/* [o] -> [e] */
	isl_union_map *reads;		/* S -> ARRAY[e] */
	isl_multi_pw_aff *low;		/* [o] -> [e] */
	int64_t size[POLY_MAX_DIM];
	int access;			/* of the leaf, from 0 */
	struct poly_array *copy;
	isl_union_map *use;		/* S -> the copies that it reads */
	const char *name;
	bool gathers;
	int64_t threads;		/* of the kernel */
};

/* The box of what is staged at "item" as "near", which is to be cleared. */
struct poly_box_of_cells poly_find_box(struct poly_plan *plan,
	struct poly_item *item, const struct poly_near *near);
void poly_clear_box(struct poly_box_of_cells *b);
/* Is "leaf", an access of b->leaf, one that reads the copy? Each access is asked once, in
 * their order.
 */
bool poly_box_has(struct poly_box_of_cells *b, const struct poly_expr *leaf);
/* The dimension of the array that is at place "d" of its copy: of one of "n", where that
 * number "last" is the last of the copy, if it is not negative.
 */
int poly_dim_at(int last, int n, int d);
int poly_near_dim(const struct poly_near *near, int d);
/* Elements behind each row of the copy. */
int poly_near_padding(const struct poly_box_of_cells *b);
/* The loops that a copy of "item" is made anew for: those around it, and itself, but for
 * threads; returns how many.
 */
int poly_loops_outside(struct poly_item *item, struct poly_item **list);
/* "{ S[..] -> [o..] }", the loops outside of "item" at leaf "leaf". */
__isl_give isl_multi_pw_aff *poly_outside_at(struct poly_item *item,
	const struct poly_item *leaf);

#endif
