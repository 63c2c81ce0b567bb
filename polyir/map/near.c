/* Cells that data tell, few of which a block has a copy of to itself.
 *
 * Each thread of a block updates what it meets in the copy, in shared memory; when all
 * have, each cell of the copy is put together with that of the array, once. So a block
 * has more to do than a point a thread: steps of all its threads, side by side.
 *
 *	before: band [i] 1		after: band [T (i div TK) + i mod T] 1
 *					       band [(i mod TK) div T] 0
 *
 * Of an array that is too long, h[e], blocks of row b0 of the grid have slice b0 mod S, of
 * S slices: the other point of the kernel is e div R, or, of two loops, S (i div K) + e div
 * R, where threads that go along j have K steps of i.
 */
#include <stdlib.h>

#include <isl/val.h>

#include "polyir/ir/ir.h"
#include "polyir/sets/sets.h"
#include "polyir/layout/layout.h"
#include "polyir/prepare/prepare.h"
#include "polyir/schedule/schedule.h"
#include "polyir/map/map.h"

/* Steps of a block, and blocks that keep a device busy. */
#define LEAST_STEPS 8
#define MOST_STEPS 256
#define BLOCKS 1024
/* The steps for sizes that are not known. */
#define SOME_STEPS 64
/* Points along the second of two loops that fill a block with a slice. */
#define LEAST_LINE (POLY_MOST_THREADS / 2)
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

/* Let each of "threads" that go along "*points" have "steps" of these below "node". */
static __isl_give isl_schedule_node *insert_steps(
	__isl_take isl_schedule_node *node, isl_union_pw_aff **points, int threads,
	int steps)
{
	isl_ctx *ctx = isl_schedule_node_get_ctx(node);
	isl_val *t = isl_val_int_from_si(ctx, threads);
	isl_val *all = isl_val_mul(isl_val_copy(t), isl_val_int_from_si(ctx, steps));
	isl_union_pw_aff *inner, *first;
	bool coincident = false;

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

__isl_give isl_schedule_node *poly_near_steps(struct poly_prog *prog,
	__isl_take isl_schedule_node *node, const struct poly_stmt *stmt,
	isl_union_pw_aff **points, int threads, int all_threads)
{
	isl_union_set *domain = poly_node_domain(node);
	double n = poly_value_count(prog, domain, isl_union_pw_aff_copy(*points));
	int line;
	double cells = (double)poly_near_cells(prog, stmt, &line);
	int steps = count_steps(line >= 0 || !poly_prog_is_fixed(prog) ? -1 :
		n * all_threads / threads, cells, all_threads);

	isl_union_set_free(domain);
	return insert_steps(node, points, threads, steps);
}

/* Which slice an instance updates: its first coordinate tells. */
static __isl_give isl_union_pw_aff *slice_of(const struct poly_stmt *stmt, int rows)
{
	isl_pw_aff *at = isl_multi_pw_aff_get_at(stmt->write_index, 0);
	isl_ctx *ctx = isl_pw_aff_get_ctx(at);

	at = isl_pw_aff_intersect_domain(at, isl_set_copy(stmt->domain));
	at = isl_pw_aff_scale_down_val(at, isl_val_int_from_si(ctx, rows));
	return isl_union_pw_aff_from_pw_aff(isl_pw_aff_floor(at));
}

__isl_give isl_schedule_node *poly_slice_steps(
	__isl_take isl_schedule_node *node, const struct poly_stmt *stmt,
	const struct poly_slices *slices, isl_union_pw_aff **first,
	isl_union_pw_aff **points, bool two)
{
	isl_ctx *ctx = isl_schedule_node_get_ctx(node);
	isl_union_pw_aff *part = NULL;

	if (two)
		part = isl_union_pw_aff_copy(*first);
	node = two ? insert_steps(node, &part, 1, slices->steps) :
		insert_steps(node, points, POLY_MOST_THREADS, slices->steps);
	isl_union_pw_aff_free(*first);
	*first = slice_of(stmt, slices->rows);
	if (two)
		*first = isl_union_pw_aff_add(*first, isl_union_pw_aff_scale_val(
			part, isl_val_int_from_si(ctx, slices->n)));
	return node;
}

const struct poly_stmt *poly_near_points(struct poly_prog *prog,
	__isl_keep isl_union_set *domain, __isl_keep isl_union_pw_aff *first,
	__isl_keep isl_union_pw_aff *last, int *line, struct poly_slices *slices)
{
	int n;
	struct poly_stmt **list = poly_stmts_of(prog, domain, &n), *s = NULL;

	*line = -1;
	slices->rows = 0;
	if (list && poly_near(prog, domain)) {
		s = list[0];
		poly_near_cells(prog, s, line);
	} else if (list && n == 1 && (!first || poly_value_count(prog, domain,
		   isl_union_pw_aff_copy(last)) >= LEAST_LINE) &&
		   poly_slice(prog, list[0], slices)) {
		s = list[0];
	} else {
		slices->rows = 0;
	}
	free(list);
	for (int d = 0; s && *line >= 0 && d < s->write_array->n_dim; d++)
		if (d != *line && (!first ||
		    poly_index_dim(s->write_index, d, s) !=
		    poly_counted_dim(first, s)))
			return NULL;
	return s;
}

/* What is counted along is counted from 0. */
bool poly_choose_ranks(struct poly_prog *prog, __isl_keep isl_schedule_node *node,
	isl_union_pw_aff **member, const bool *coincident, int n, int *p0, int *p1,
	struct poly_ranks *r)
{
	isl_union_set *domain = poly_node_domain(node);
	int n_stmt, at = -1;
	struct poly_stmt **list = poly_stmts_of(prog, domain, &n_stmt);
	bool is = list && poly_ranks_read(prog, list, n_stmt, r);

	isl_union_set_free(domain);
	for (int i = 0; is && i < n; i++)
		if (coincident[i] &&
		    poly_counted_dim(member[i], list[0]) == r->last)
			at = i;
	free(list);
	if (at < 0)
		return false;
	if (*p0 == at)
		*p0 = *p1;
	*p1 = at;
	return true;
}

/* Scatters whose places are ranks in tiles: a block has a tile, each warp a part of it,
 * whose lanes have one element after the other side by side.
 *
 *	before: band [i] 1		after: band [W (i div T) + 32 (i mod T div P) + i mod 32] 1
 *					       band [i mod P div 32] 0	unrolled
 *
 * with P = 32 T / W elements of a warp.
 */
static __isl_give isl_union_pw_aff *part(__isl_keep isl_union_pw_aff *points,
	int mod, int div, int times)
{
	isl_ctx *ctx = isl_union_pw_aff_get_ctx(points);
	isl_union_pw_aff *upa = isl_union_pw_aff_copy(points);

	if (mod)
		upa = isl_union_pw_aff_mod_val(upa, isl_val_int_from_si(ctx, mod));
	upa = isl_union_pw_aff_floor(isl_union_pw_aff_scale_down_val(upa,
		isl_val_int_from_si(ctx, div)));
	return isl_union_pw_aff_scale_val(upa, isl_val_int_from_si(ctx, times));
}

__isl_give isl_schedule_node *poly_rank_steps(
	__isl_take isl_schedule_node *node, const struct poly_ranks *r,
	isl_union_pw_aff **points)
{
	int apart = POLY_LANES * POLY_RANK_ITEMS, threads = r->tile / POLY_RANK_ITEMS;
	isl_union_pw_aff *inner = part(*points, apart, POLY_LANES, 1);
	isl_union_pw_aff *outer = part(*points, 0, r->tile, threads);
	bool coincident = false;

	outer = isl_union_pw_aff_add(outer, part(*points, r->tile, apart,
		POLY_LANES));
	outer = isl_union_pw_aff_add(outer, part(*points, POLY_LANES, 1, 1));
	isl_union_pw_aff_free(*points);
	*points = outer;
	node = poly_insert_members(node,
		isl_union_pw_aff_list_from_union_pw_aff(inner), &coincident,
		true);
	return poly_unrolled(node);
}
