/* A band with parallel members as a kernel: which of them are its points, and what a
 * thread has of these.
 *
 *	plain		band [p0, p1]		a point a thread
 *	runs		band [p0, floor(p1/4)]	several side by side
 *	lanes		band [p0, W p1 + l]	W threads a cell (split.c)
 *	near		band [p0, p1]		blocks with copies of what they update
 *	ranks		band [p0, tile]		tiles whose elements are ranked
 */
#include <stdio.h>

#include <isl/constraint.h>
#include <isl/id.h>
#include <isl/space.h>
#include <isl/val.h>

#include "polyir/ir/ir.h"
#include "polyir/sets/sets.h"
#include "polyir/layout/layout.h"
#include "polyir/schedule/schedule.h"
#include "polyir/sums/sums.h"
#include "polyir/memory/memory.h"
#include "polyir/prepare/prepare.h"
#include "polyir/map/map.h"
#include "polyir/map/map_points.h"

/* Threads of a block if a thread has runs, a warp rows of 128 bytes. */
#define RUN_ROWS 16
#define RUN_COLUMNS 8
/* The same of a block with a copy of what it updates. */
#define NEAR_LINE 256

__isl_give isl_schedule_node *poly_insert_points(
	__isl_take isl_schedule_node *node, __isl_take isl_union_pw_aff *p0,
	__isl_take isl_union_pw_aff *p1)
{
	isl_ctx *ctx = isl_schedule_node_get_ctx(node);
	isl_union_pw_aff_list *list = isl_union_pw_aff_list_alloc(ctx, 2);

	list = isl_union_pw_aff_list_add(list, p0);
	list = isl_union_pw_aff_list_add(list, p1);
	return poly_insert_parallel(node,
		isl_multi_union_pw_aff_from_union_pw_aff_list(
			isl_space_set_alloc(ctx, 0, 2), list));
}

__isl_give isl_schedule_node *poly_make_kernel(struct poly_mapping *m,
	__isl_take isl_schedule_node *node, int thread0, int thread1)
{
	isl_union_set *domain = poly_node_domain(node);
	struct poly_kernel *kernel = poly_kernel_add(m->prog, domain);

	isl_union_set_free(domain);
	if (!kernel) {
		m->failed = true;
		return node;
	}
	node = poly_kernel_thread_a_point(m->prog, kernel, node, thread0,
		thread1, 0);
	return poly_insert_kernel_mark(node, kernel->name);
}

/* Choose which members of "band" are the points of a kernel. */
static void choose(struct poly_mapping *m, __isl_keep isl_schedule_node *band,
	struct poly_points *c)
{
	isl_union_set *domain = poly_node_domain(band);
	int point[2];

	c->tiles = poly_choose_points(m->prog, domain, c->member,
		c->coincident, c->n, point);
	c->p0 = point[0];
	c->p1 = point[1];
	isl_union_set_free(domain);
}

/* Does "c" bound no more than one dimension of the set? */
static isl_stat bounds_one(__isl_take isl_constraint *c, void *user)
{
	bool *one = user;
	int n = isl_constraint_dim(c, isl_dim_set), involved = 0;

	for (int i = 0; i < n; i++)
		involved += isl_constraint_involves_dims(c, isl_dim_set, i,
			1) == isl_bool_true;
	*one &= involved <= 1;
	isl_constraint_free(c);
	return isl_stat_ok;
}

/* Do the parallel members of "c" have ranges of their own in a launch? */
static bool is_box(const struct poly_mapping *m, __isl_keep isl_schedule_node *node,
	const struct poly_points *c)
{
	isl_ctx *ctx = isl_schedule_node_get_ctx(node);
	isl_union_pw_aff_list *list = isl_union_pw_aff_list_alloc(ctx, c->n);
	isl_union_set *here = poly_launch_filter(m->prog, node);
	isl_basic_set *hull;
	isl_union_map *map;
	isl_set *range;
	bool box = true;
	int n = 0;

	for (int i = 0; i < c->n; i++)
		if (c->coincident[i] && ++n)
			list = isl_union_pw_aff_list_add(list,
				isl_union_pw_aff_copy(c->member[i]));
	map = isl_union_map_from_multi_union_pw_aff(
		isl_multi_union_pw_aff_from_union_pw_aff_list(
			isl_space_set_alloc(ctx, 0, n), list));
	range = isl_set_from_union_set(isl_union_set_apply(here, map));
	range = isl_set_intersect_params(range,
		isl_set_copy(m->prog->context));
	hull = isl_set_simple_hull(poly_set_coalesce(range));
	if (isl_basic_set_foreach_constraint(hull, bounds_one, &box) < 0)
		box = false;
	isl_basic_set_free(hull);
	return box;
}

/* Insert what is left of the band below the points; further parallel members,
 * counted from their first value, may become digits of the grid (map_tiles.c).
 * Where there is no product, a thread goes over what would leave blocks idle.
 */
static __isl_give isl_schedule_node *insert_rest(const struct poly_mapping *m,
	__isl_take isl_schedule_node *node, const struct poly_points *c,
	bool permutable)
{
	isl_ctx *ctx = isl_schedule_node_get_ctx(node);
	isl_union_pw_aff_list *list = isl_union_pw_aff_list_alloc(ctx, c->n);
	bool digits = c->tiles || (c->n > 2 && is_box(m, node, c));
	bool coincident[16];
	int n = 0;

	for (int i = 0; i < c->n; i++) {
		isl_union_pw_aff *member;

		if (i == c->p0 || i == c->p1)
			continue;
		member = isl_union_pw_aff_copy(c->member[i]);
		coincident[n] = digits && c->coincident[i];
		if (coincident[n++])
			member = poly_from_first(m, node, member);
		list = isl_union_pw_aff_list_add(list, member);
	}
	return poly_insert_members(node, list, coincident, permutable);
}

/* Add the lanes that "node" has, a mark and its band, to "user", and drop both.
 */
static __isl_give isl_schedule_node *take_lane(
	__isl_take isl_schedule_node *node, void *user)
{
	struct poly_points *c = user;
	const char *lanes = poly_mark_after(node, POLY_LANES_MARK);
	isl_multi_union_pw_aff *partial;

	if (!lanes)
		return node;
	sscanf(lanes, "%d:%d", &c->run, &c->columns);
	node = isl_schedule_node_delete(node);
	partial = isl_schedule_node_band_get_partial_schedule(node);
	c->lane = isl_union_pw_aff_union_add(c->lane,
		isl_multi_union_pw_aff_get_at(partial, 0));
	isl_multi_union_pw_aff_free(partial);
	return isl_schedule_node_delete(node);
}

/* Find the lanes of the band "node" and take them out of the tree. */
static __isl_give isl_schedule_node *take_lanes(struct poly_mapping *m,
	__isl_take isl_schedule_node *node, struct poly_points *c)
{
	isl_union_set *domain = poly_node_domain(node);

	c->across = poly_across(m->prog, domain);
	isl_union_set_free(domain);
	if (!c->across)
		return node;
	c->lane = poly_zero_at(node);
	return isl_schedule_node_map_descendant_bottom_up(node, take_lane, c);
}

/* The points of a band whose sums have lanes: the first parallel member, and
 * the lanes of each value of the second; or the lanes of each value of the
 * member that does not go along memory, and the one that does. "c" gives up what
 * it holds.
 */
static __isl_give isl_schedule_node *map_lanes(struct poly_mapping *m,
	__isl_take isl_schedule_node *node, struct poly_points *c)
{
	isl_union_pw_aff *p[2] = { NULL, NULL };
	isl_ctx *ctx = m->prog->ctx;
	int d = c->columns ? 0 : 1;
	int rows = poly_lane_rows(m, node, c->member[0], c->across);

	choose(m, node, c);
	node = isl_schedule_node_delete(node);
	for (int i = 0; i < c->n; i++) {
		int at = !c->columns ? i : i == c->p1;

		if (at < 2)
			p[at] = poly_from_first(m, node,
				isl_union_pw_aff_copy(c->member[i]));
		isl_union_pw_aff_free(c->member[i]);
	}
	p[d] = p[d] ? p[d] : poly_zero_at(node);
	p[d] = isl_union_pw_aff_add(isl_union_pw_aff_scale_val(p[d],
		isl_val_int_from_si(ctx, c->across)), c->lane);
	node = poly_insert_points(node, p[0], p[1]);
	node = c->columns ? poly_make_kernel(m, node, c->across, c->columns) :
		poly_make_kernel(m, node, rows, c->across);
	if (!m->failed)
		m->prog->kernel[m->prog->n_kernel - 1]->vec_k = c->run;
	return node;
}

/* Insert the band "user", the place in a run, at a leaf. */
static __isl_give isl_schedule_node *insert_run(
	__isl_take isl_schedule_node *node, void *user)
{
	isl_union_pw_aff *inner = user;

	if (isl_schedule_node_get_type(node) != isl_schedule_node_leaf)
		return node;
	node = isl_schedule_node_insert_partial_schedule(node,
		isl_multi_union_pw_aff_from_union_pw_aff(
			isl_union_pw_aff_copy(inner)));
	node = isl_schedule_node_band_member_set_coincident(node, 0, 1);
	return poly_unrolled(node);
}

/* Let a thread have runs of "run" points along "*p1" side by side, in the innermost
 * loop of each statement; as that is parallel, it may be there:
 *
 *	before: band [i, j] 1 1		after: band [i, floor(j/4)] 1 1
 *		  band [k]			 band [k]
 *						   band [j mod 4]	unrolled
 */
static __isl_give isl_schedule_node *take_runs(
	__isl_take isl_schedule_node *node, isl_union_pw_aff **p1, int run)
{
	isl_ctx *ctx = isl_schedule_node_get_ctx(node);
	isl_val *n = isl_val_int_from_si(ctx, run);
	isl_union_pw_aff *inner = isl_union_pw_aff_mod_val(
		isl_union_pw_aff_copy(*p1), isl_val_copy(n));

	*p1 = isl_union_pw_aff_floor(isl_union_pw_aff_scale_down_val(*p1, n));
	node = isl_schedule_node_map_descendant_bottom_up(node, insert_run,
		inner);
	isl_union_pw_aff_free(inner);
	return node;
}

/* Let a thread have "cells" points along "p1", which counts from 0, one after another:
 *
 *	before: band [k]		after: band [j mod 4]	unrolled
 *					 band [k]
 */
static __isl_give isl_schedule_node *take_cells(
	__isl_take isl_schedule_node *node, __isl_keep isl_union_pw_aff *p1, int cells)
{
	isl_union_pw_aff *inner = isl_union_pw_aff_mod_val(
		isl_union_pw_aff_copy(p1), isl_val_int_from_si(
		isl_schedule_node_get_ctx(node), cells));

	node = isl_schedule_node_insert_partial_schedule(node,
		isl_multi_union_pw_aff_from_union_pw_aff(inner));
	node = isl_schedule_node_band_member_set_coincident(node, 0, 1);
	return poly_unrolled(node);
}

/* The band "node", which is gone, as a kernel that ranks the points of "r". */
static __isl_give isl_schedule_node *map_ranks(struct poly_mapping *m,
	__isl_take isl_schedule_node *node, const struct poly_ranks *r,
	__isl_take isl_union_pw_aff *p0, __isl_take isl_union_pw_aff *p1)
{
	node = poly_rank_steps(node, r, &p1);
	node = poly_make_kernel(m, poly_insert_points(node, p0, p1), 1,
		r->tile / POLY_RANK_ITEMS);
	if (!m->failed)
		m->prog->kernel[m->prog->n_kernel - 1]->ranked = true;
	return node;
}

/* The same where blocks have copies of what "near" updates; of lines, if "line" is not
 * below 0, one for each value of "p0"; or slices, one for each value of what takes the
 * place of "p0".
 */
static __isl_give isl_schedule_node *map_near(struct poly_mapping *m,
	__isl_take isl_schedule_node *node, const struct poly_stmt *near, int line,
	const struct poly_slices *slices, __isl_take isl_union_pw_aff *p0,
	__isl_take isl_union_pw_aff *p1, bool two)
{
	bool rows = two && line < 0 && !slices->rows;
	int columns = slices->rows ? POLY_MOST_THREADS : rows ? POLY_BLOCK_COLUMNS :
		NEAR_LINE;

	if (slices->rows)
		node = poly_slice_steps(node, near, slices, &p0, &p1, two);
	else
		node = poly_near_steps(m->prog, node, near, rows ? &p0 : &p1,
			rows ? POLY_BLOCK_ROWS : NEAR_LINE, NEAR_LINE);
	node = poly_make_kernel(m, poly_insert_points(node, p0, p1),
		rows ? POLY_BLOCK_ROWS : 1, columns);
	if (!m->failed) {
		m->prog->kernel[m->prog->n_kernel - 1]->near = true;
		m->prog->kernel[m->prog->n_kernel - 1]->slice = slices->rows;
	}
	return node;
}

/* The same where threads have no more than points: of a run of "run" parts of a sum, or
 * "cells", each.
 */
static __isl_give isl_schedule_node *map_plain(struct poly_mapping *m,
	__isl_take isl_schedule_node *node, __isl_take isl_union_pw_aff *p0,
	__isl_take isl_union_pw_aff *p1, bool two, int run, int cells)
{
	int line = two ? POLY_BLOCK_COLUMNS : poly_line_threads(m, node, p1);
	int rows = two ? poly_row_threads(m, node, p0, p1) : 1;

	node = poly_insert_points(node, p0, p1);
	node = run > 1 ? poly_make_kernel(m, node, two ? RUN_ROWS : 1, two ?
		RUN_COLUMNS : POLY_LINE) : poly_make_kernel(m, node, rows, line);
	if (!m->failed)
		m->prog->kernel[m->prog->n_kernel - 1]->vec_k = run > 1 ? run : cells;
	return node;
}

__isl_give isl_schedule_node *poly_map_parallel(struct poly_mapping *m,
	__isl_take isl_schedule_node *node)
{
	isl_multi_union_pw_aff *partial =
		isl_schedule_node_band_get_partial_schedule(node);
	bool permutable = isl_schedule_node_band_get_permutable(node) ==
		isl_bool_true;
	struct poly_points c = { .n = isl_multi_union_pw_aff_size(partial) };
	isl_union_pw_aff *p0, *p1;
	const struct poly_stmt *near;
	isl_union_set *domain;
	struct poly_slices slices;
	struct poly_ranks ranks;
	bool two, ranked;
	int run, cells, line;

	node = take_lanes(m, node, &c);
	for (int i = 0; i < c.n; i++) {
		c.member[i] = isl_multi_union_pw_aff_get_at(partial, i);
		c.coincident[i] =
			isl_schedule_node_band_member_get_coincident(node,
				i) == isl_bool_true;
	}
	isl_multi_union_pw_aff_free(partial);
	if (c.lane)
		return map_lanes(m, node, &c);
	choose(m, node, &c);
	ranked = poly_choose_ranks(m->prog, node, c.member, c.coincident, c.n,
		&c.p0, &c.p1, &ranks);
	c.tiles &= !ranked;
	two = c.p0 >= 0;
	domain = poly_node_domain(node);
	near = poly_near_points(m->prog, domain, two ? c.member[c.p0] : NULL,
		c.member[c.p1], &line, &slices);
	run = near ? 1 : poly_run_of_cells(m->prog, c.member[c.p1], domain);
	cells = near || ranked || run > 1 ? 1 : poly_run_of_windows(m->prog, domain, &c);
	isl_union_set_free(domain);
	node = isl_schedule_node_delete(node);
	if (cells > 1)
		node = take_cells(node, c.member[c.p1], cells);
	node = insert_rest(m, node, &c, permutable);
	p0 = two ? poly_from_first(m, node, isl_union_pw_aff_copy(c.member[c.p0])) :
		poly_zero_at(node);
	p1 = poly_from_first(m, node, isl_union_pw_aff_copy(c.member[c.p1]));
	for (int i = 0; i < c.n; i++)
		isl_union_pw_aff_free(c.member[i]);
	if (ranked)
		return map_ranks(m, node, &ranks, p0, p1);
	domain = poly_node_domain(node);
	p1 = cells > 1 ? p1 : poly_in_phase(m->prog, domain, p1);
	isl_union_set_free(domain);
	if (run > 1)
		node = take_runs(node, &p1, run);
	if (cells > 1)
		p1 = isl_union_pw_aff_floor(isl_union_pw_aff_scale_down_val(p1,
			isl_val_int_from_si(m->prog->ctx, cells)));
	if (near)
		return map_near(m, node, near, line, &slices, p0, p1, two);
	return map_plain(m, node, p0, p1, two, run, cells);
}
