/* Cells that data tell, few of which a block has a copy of to itself.
 *
 * Each thread of a block updates what it meets in the copy, in shared memory; when all
 * have, each cell of the copy is put together with that of the array, once. So a block
 * has more to do than a point a thread: steps of all its threads, side by side.
 *
 *	before: band [i] 1		after: band [T (i div TK) + i mod T] 1
 *					       band [(i mod TK) div T] 0
 */
#include <isl/val.h>

#include "polyir/ir/ir.h"
#include "polyir/sets/sets.h"
#include "polyir/prepare/prepare.h"
#include "polyir/schedule/schedule.h"
#include "polyir/map/map.h"

/* Steps of a block, and blocks that keep a device busy. */
#define LEAST_STEPS 8
#define MOST_STEPS 256
#define BLOCKS 1024
/* The steps for sizes that are not known. */
#define SOME_STEPS 64
/* Updates for each cell of the copy that pay for it. */
#define UPDATES 16

/* Steps of a block of "threads" for "n" points, negative if that is not known, and so
 * many "cells".
 */
static int count_steps(double n, double cells, int threads)
{
	int steps = n < 0 ? SOME_STEPS : LEAST_STEPS;

	while (steps < MOST_STEPS && (n >= 2.0 * steps * threads * BLOCKS ||
	       (double)steps * threads < UPDATES * cells))
		steps *= 2;
	return steps;
}

__isl_give isl_schedule_node *poly_near_steps(struct poly_prog *prog,
	__isl_take isl_schedule_node *node, const struct poly_array *array,
	isl_union_pw_aff **points, int threads, int all_threads)
{
	isl_ctx *ctx = prog->ctx;
	isl_union_set *domain = poly_node_domain(node);
	double n = poly_value_count(prog, domain, isl_union_pw_aff_copy(*points));
	int steps = count_steps(!poly_prog_is_fixed(prog) ? -1 :
		n * all_threads / threads,
		(double)poly_near_cells(prog, array), all_threads);
	isl_val *t = isl_val_int_from_si(ctx, threads);
	isl_val *all = isl_val_int_from_si(ctx, threads * steps);
	isl_union_pw_aff *inner, *first;
	bool coincident = false;

	isl_union_set_free(domain);
	inner = isl_union_pw_aff_mod_val(isl_union_pw_aff_copy(*points),
		isl_val_copy(all));
	first = isl_union_pw_aff_floor(isl_union_pw_aff_scale_down_val(*points,
		all));
	first = isl_union_pw_aff_scale_val(first, isl_val_copy(t));
	*points = isl_union_pw_aff_add(first, isl_union_pw_aff_mod_val(
		isl_union_pw_aff_copy(inner), isl_val_copy(t)));
	inner = isl_union_pw_aff_floor(isl_union_pw_aff_scale_down_val(inner,
		t));
	return poly_insert_members(node,
		isl_union_pw_aff_list_from_union_pw_aff(inner), &coincident,
		true);
}
