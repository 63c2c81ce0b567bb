/* The mapping of any program: points to threads, loops to the host.
 *
 * From the top of the tree down:
 *
 *	a band with parallel members	a kernel: one or two of them become
 *					blocks and threads, all else is below
 *					them, in the thread
 *	a permutable band without	a wavefront: the sum of its members is a
 *	parallel members		loop of the host, the others are
 *					parallel
 *	another band			a loop of the host around the kernels
 *					below, each launched in each iteration
 *	what has no parallel loop	a kernel of one thread, as high as possible
 *
 *	before: band [k]		after: band [k]
 *		  sequence			 sequence
 *		    S0: band [i] 1		   S0: mark kernel:A
 *		    S1: band [i, j] 1 1		     filter [h0, b1, t1] ->
 *						       k = h0, i - k - 1 = ..
 *						     band [0, i - k - 1] 1 1
 *						   S1: mark kernel:B ...
 *
 * Points are counted from the first one of the launch, so that triangles have
 * no idle blocks; the guards are isl's and complete. Of the parallel members
 * the one that goes along memory becomes the lane direction; but where sums
 * have lanes (split.c) these are, W of them a cell, and what has none is in the
 * first (lanes that go down columns are rows of the block in the same way):
 *
 *	before: band [i, j] 1 1		after: mark kernel:A
 *		  sequence			 filter [b0, b1, t0, t1] -> ..
 *		    S0				   band [i, W j + l] 1 1
 *		    mark lanes			     sequence
 *		      band [l] 1		       S0	(l = 0)
 *			S1			       S1
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <isl/constraint.h>
#include <isl/id.h>
#include <isl/ilp.h>
#include <isl/space.h>
#include <isl/val.h>

#include "polyir/ir/ir.h"
#include "polyir/sets/sets.h"
#include "polyir/text/text.h"
#include "polyir/layout/layout.h"
#include "polyir/schedule/schedule.h"
#include "polyir/sums/sums.h"
#include "polyir/memory/memory.h"
#include "polyir/prepare/prepare.h"
#include "polyir/map/map.h"

/* Threads of a block: along one dimension, or two. */
#define LINE 64
/* The same where threads are few and each has at least so many steps, so that the work
 * of a warp more on a multiprocessor is longer than one on another takes to begin.
 */
#define SHORT_LINE 32
#define MANY_STEPS 1000
#define ROWS 8
#define COLUMNS 32
/* The same if a thread has runs, a warp rows of 128 bytes. */
#define RUN_ROWS 16
#define RUN_COLUMNS 8
#define LANE_THREADS 256
/* The same of a block with a copy of what it updates. */
#define NEAR_LINE 256
#define LEAST_LANE_THREADS 64
/* Blocks that keep all multiprocessors busy. */
#define BLOCKS 128

/* The walk over the tree. */
struct map {
	struct poly_prog *prog;
	bool failed;
};

static __isl_give isl_schedule_node *map_node(struct map *m,
	__isl_take isl_schedule_node *node);

/* ---------------------------------------------------------------- kernels */

/* Insert a band [p0, p1] at "node"; both are taken. */
static __isl_give isl_schedule_node *insert_points(
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

/* Make the band [p0, p1] at "node" a kernel with blocks of that many threads.
 */
static __isl_give isl_schedule_node *make_kernel(struct map *m,
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

/* All below "node" in one thread. */
static __isl_give isl_schedule_node *map_serial(struct map *m,
	__isl_take isl_schedule_node *node)
{
	isl_union_pw_aff *p0 = poly_zero_at(node), *p1 = poly_zero_at(node);

	return make_kernel(m, insert_points(node, p0, p1), 1, 1);
}

/* ---------------------------------------------------------------- members */

/* What becomes of the members of a band. */
struct choice {
	isl_union_pw_aff *member[16];
	bool coincident[16];
	int n;
	int p0, p1;		/* their numbers, p0 may be -1 */
	bool tiles;		/* these are for tiles */
	isl_union_pw_aff *lane;	/* NULL: none */
	int across, run;	/* how many lanes, how many elements each */
	int columns;		/* that they go down, or 0 */
};

/* Choose which members of "band" are the points of a kernel. */
static void choose(struct map *m, __isl_keep isl_schedule_node *band,
	struct choice *c)
{
	isl_union_set *domain = poly_node_domain(band);
	int point[2];

	c->tiles = poly_choose_points(m->prog, domain, c->member,
		c->coincident, c->n, point);
	c->p0 = point[0];
	c->p1 = point[1];
	isl_union_set_free(domain);
}

static bool is_simple(__isl_keep isl_pw_aff *pa)
{
	return isl_pw_aff_n_piece(pa) == 1;
}

/* "range", which is taken, in all launches. */
static __isl_give isl_set *in_all_launches(__isl_take isl_set *range)
{
	isl_size n = isl_set_dim(range, isl_dim_param);

	while (n-- > 0) {
		const char *name = isl_set_get_dim_name(range, isl_dim_param,
			n);

		if (name && name[0] == 'h' && name[1] >= '0' &&
		    name[1] <= '7' && !name[2])
			range = isl_set_project_out(range, isl_dim_param, n,
				1);
	}
	return range;
}

/* The number that "first", which is taken, never is below, as a function, if it has
 * several pieces and "range" has one such: some sizes then have idle points.
 */
static __isl_give isl_pw_aff *simple_first(__isl_take isl_pw_aff *first,
	__isl_keep isl_set *range)
{
	isl_val *least = is_simple(first) ? NULL :
		isl_set_dim_min_val(isl_set_copy(range), 0);

	if (isl_val_is_int(least) == isl_bool_true) {
		isl_set *all = isl_set_universe(isl_pw_aff_get_domain_space(
			first));

		isl_pw_aff_free(first);
		return isl_pw_aff_val_on_domain(all, least);
	}
	isl_val_free(least);
	return first;
}

/* The least point of "range", which is taken, in a launch; where that takes
 * several pieces, in all launches, if there is one, which keeps the code short.
 */
static __isl_give isl_pw_aff *first_point(__isl_take isl_set *range)
{
	isl_set *known = isl_set_params(isl_set_copy(range));
	isl_pw_aff *first = isl_set_dim_min(isl_set_copy(range), 0);

	first = isl_pw_aff_gist_params(poly_pw_aff_coalesce(first), known);
	if (!is_simple(first))
		range = in_all_launches(range);
	if (is_simple(first) || !poly_range_has_bound(range, false)) {
		isl_set_free(range);
		return first;
	}
	isl_pw_aff_free(first);
	known = isl_set_params(isl_set_copy(range));
	first = poly_pw_aff_coalesce(isl_set_dim_min(isl_set_copy(range), 0));
	first = simple_first(isl_pw_aff_gist_params(first, known), range);
	isl_set_free(range);
	return first;
}

/* "member" counted from its first value in a launch, for the sizes that are
 * possible.
 */
static __isl_give isl_union_pw_aff *from_first(const struct map *m,
	__isl_keep isl_schedule_node *node,
	__isl_take isl_union_pw_aff *member)
{
	isl_union_set *here = poly_launch_filter(m->prog, node);
	isl_union_map *map = isl_union_map_from_union_pw_aff(
		isl_union_pw_aff_copy(member));
	isl_set *range = isl_set_from_union_set(isl_union_set_apply(
		isl_union_set_copy(here), map));
	isl_pw_aff *first = first_point(poly_range_hull(m->prog, range));

	here = isl_union_set_universe(here);
	return isl_union_pw_aff_sub(member,
		isl_union_pw_aff_pw_aff_on_domain(here, first));
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
static bool is_box(const struct map *m, __isl_keep isl_schedule_node *node,
	const struct choice *c)
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
static __isl_give isl_schedule_node *insert_rest(const struct map *m,
	__isl_take isl_schedule_node *node, const struct choice *c,
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
			member = from_first(m, node, member);
		list = isl_union_pw_aff_list_add(list, member);
	}
	return poly_insert_members(node, list, coincident, permutable);
}

/* Add the lanes that "node" has, a mark and its band, to "user", and drop both.
 */
static __isl_give isl_schedule_node *take_lane(
	__isl_take isl_schedule_node *node, void *user)
{
	struct choice *c = user;
	isl_multi_union_pw_aff *partial;
	isl_id *id;

	if (isl_schedule_node_get_type(node) != isl_schedule_node_mark)
		return node;
	id = isl_schedule_node_mark_get_id(node);
	if (strncmp(isl_id_get_name(id), POLY_LANES_MARK, strlen(POLY_LANES_MARK))) {
		isl_id_free(id);
		return node;
	}
	sscanf(isl_id_get_name(id) + strlen(POLY_LANES_MARK), "%d:%d", &c->run,
		&c->columns);
	isl_id_free(id);
	node = isl_schedule_node_delete(node);
	partial = isl_schedule_node_band_get_partial_schedule(node);
	c->lane = isl_union_pw_aff_union_add(c->lane,
		isl_multi_union_pw_aff_get_at(partial, 0));
	isl_multi_union_pw_aff_free(partial);
	return isl_schedule_node_delete(node);
}

/* Find the lanes of the band "node" and take them out of the tree. */
static __isl_give isl_schedule_node *take_lanes(struct map *m,
	__isl_take isl_schedule_node *node, struct choice *c)
{
	isl_union_set *domain = poly_node_domain(node);

	c->across = poly_across(m->prog, domain);
	isl_union_set_free(domain);
	if (!c->across)
		return node;
	c->lane = poly_zero_at(node);
	return isl_schedule_node_map_descendant_bottom_up(node, take_lane, c);
}

/* Rows of a block with "across" lanes each, where "member" counts the rows: fewer
 * where these are few.
 */
static int lane_rows(struct map *m, __isl_keep isl_schedule_node *node,
	__isl_keep isl_union_pw_aff *member, int across)
{
	isl_union_set *domain = poly_node_domain(node);
	double n = poly_value_count(m->prog, domain,
		isl_union_pw_aff_copy(member));
	int rows = across <= POLY_LANES ? LANE_THREADS / across : 1;

	isl_union_set_free(domain);
	while (rows * across > LEAST_LANE_THREADS && rows > 1 &&
	       n < rows * BLOCKS)
		rows /= 2;
	return rows;
}

/* The points of a band whose sums have lanes: the first parallel member, and
 * the lanes of each value of the second; or the lanes of each value of the
 * member that does not go along memory, and the one that does. "c" gives up what
 * it holds.
 */
static __isl_give isl_schedule_node *map_lanes(struct map *m,
	__isl_take isl_schedule_node *node, struct choice *c)
{
	isl_union_pw_aff *p[2] = { NULL, NULL };
	isl_ctx *ctx = m->prog->ctx;
	int d = c->columns ? 0 : 1;
	int rows = lane_rows(m, node, c->member[0], c->across);

	choose(m, node, c);
	node = isl_schedule_node_delete(node);
	for (int i = 0; i < c->n; i++) {
		int at = !c->columns ? i : i == c->p1;

		if (at < 2)
			p[at] = from_first(m, node,
				isl_union_pw_aff_copy(c->member[i]));
		isl_union_pw_aff_free(c->member[i]);
	}
	p[d] = p[d] ? p[d] : poly_zero_at(node);
	p[d] = isl_union_pw_aff_add(isl_union_pw_aff_scale_val(p[d],
		isl_val_int_from_si(ctx, c->across)), c->lane);
	node = insert_points(node, p[0], p[1]);
	node = c->columns ? make_kernel(m, node, c->across, c->columns) :
		make_kernel(m, node, rows, c->across);
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

/* The instances of the statement of "domain" that has most, in boxes. */
static double most_instances(struct map *m, __isl_keep isl_union_set *domain)
{
	int n;
	struct poly_stmt **list = poly_stmts_of(m->prog, domain, &n);
	double most = 0;

	for (int i = 0; i < n; i++) {
		int n_dim = isl_set_dim(list[i]->domain, isl_dim_set);
		double box = 1;

		for (int d = 0; d < n_dim; d++)
			box *= poly_range_count(m->prog,
				isl_set_copy(list[i]->domain), d);
		most = box > most ? box : most;
	}
	free(list);
	return most;
}

/* Threads of a block along "points", the only parallel loop of what is at "node": a
 * warp if that has blocks on more multiprocessors, and much to do on each.
 */
static int line_threads(struct map *m, __isl_keep isl_schedule_node *node,
	__isl_keep isl_union_pw_aff *points)
{
	isl_union_set *domain;
	int threads = LINE;
	double n;

	if (!poly_prog_is_fixed(m->prog) || m->prog->target.multiprocessors <= 1)
		return threads;
	domain = poly_node_domain(node);
	n = poly_value_count(m->prog, domain, isl_union_pw_aff_copy(points));
	if (n > SHORT_LINE && n <= (double)LINE * BLOCKS &&
	    most_instances(m, domain) >= MANY_STEPS * n)
		threads = SHORT_LINE;
	isl_union_set_free(domain);
	return threads;
}

/* Rows of threads of a block for the points "p0" x "p1" of what is at "node": fewer
 * where a block of all of them would leave multiprocessors without one.
 */
static int row_threads(struct map *m, __isl_keep isl_schedule_node *node,
	__isl_keep isl_union_pw_aff *p0, __isl_keep isl_union_pw_aff *p1)
{
	enum { FEWEST = 2 };
	isl_union_set *domain;
	int rows = ROWS;
	double n;

	if (!poly_prog_is_fixed(m->prog) || m->prog->target.multiprocessors <= 1)
		return rows;
	domain = poly_node_domain(node);
	n = poly_value_count(m->prog, domain, isl_union_pw_aff_copy(p0)) *
		poly_value_count(m->prog, domain, isl_union_pw_aff_copy(p1));
	isl_union_set_free(domain);
	while (rows > FEWEST &&
	       n < (double)rows * COLUMNS * m->prog->target.multiprocessors)
		rows /= 2;
	return rows;
}

/* The band "node", which is gone, as a kernel that ranks the points of "r". */
static __isl_give isl_schedule_node *map_ranks(struct map *m,
	__isl_take isl_schedule_node *node, const struct poly_ranks *r,
	__isl_take isl_union_pw_aff *p0, __isl_take isl_union_pw_aff *p1)
{
	node = poly_rank_steps(node, r, &p1);
	node = make_kernel(m, insert_points(node, p0, p1), 1,
		r->tile / POLY_RANK_ITEMS);
	if (!m->failed)
		m->prog->kernel[m->prog->n_kernel - 1]->ranked = true;
	return node;
}

/* The same where blocks have copies of what "near" updates; of lines, if "line" is not
 * below 0, one for each value of "p0".
 */
static __isl_give isl_schedule_node *map_near(struct map *m,
	__isl_take isl_schedule_node *node, const struct poly_stmt *near, int line,
	__isl_take isl_union_pw_aff *p0, __isl_take isl_union_pw_aff *p1, bool two)
{
	bool rows = two && line < 0;

	node = poly_near_steps(m->prog, node, near, rows ? &p0 : &p1, rows ?
		ROWS : NEAR_LINE, NEAR_LINE);
	node = make_kernel(m, insert_points(node, p0, p1), rows ? ROWS : 1,
		rows ? COLUMNS : NEAR_LINE);
	if (!m->failed)
		m->prog->kernel[m->prog->n_kernel - 1]->near = true;
	return node;
}

/* The band "node" as a kernel. */
static __isl_give isl_schedule_node *map_parallel(struct map *m,
	__isl_take isl_schedule_node *node)
{
	isl_multi_union_pw_aff *partial =
		isl_schedule_node_band_get_partial_schedule(node);
	bool permutable = isl_schedule_node_band_get_permutable(node) ==
		isl_bool_true;
	struct choice c = { .n = isl_multi_union_pw_aff_size(partial) };
	isl_union_pw_aff *p0, *p1;
	const struct poly_stmt *near;
	isl_union_set *domain;
	struct poly_ranks ranks;
	bool two, ranked;
	int run, line, rows;

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
		&line);
	run = near ? 1 : poly_run_of_cells(m->prog, c.member[c.p1], domain);
	isl_union_set_free(domain);
	node = isl_schedule_node_delete(node);
	node = insert_rest(m, node, &c, permutable);
	p0 = two ? from_first(m, node, isl_union_pw_aff_copy(c.member[c.p0])) :
		poly_zero_at(node);
	p1 = from_first(m, node, isl_union_pw_aff_copy(c.member[c.p1]));
	for (int i = 0; i < c.n; i++)
		isl_union_pw_aff_free(c.member[i]);
	if (ranked)
		return map_ranks(m, node, &ranks, p0, p1);
	domain = poly_node_domain(node);
	p1 = poly_in_phase(m->prog, domain, p1);
	isl_union_set_free(domain);
	if (run > 1)
		node = take_runs(node, &p1, run);
	if (near)
		return map_near(m, node, near, line, p0, p1, two);
	line = two ? COLUMNS : line_threads(m, node, p1);
	rows = two ? row_threads(m, node, p0, p1) : 1;
	node = insert_points(node, p0, p1);
	if (run > 1)
		node = make_kernel(m, node, two ? RUN_ROWS : 1, two ?
			RUN_COLUMNS : LINE);
	else
		node = make_kernel(m, node, rows, line);
	if (!m->failed)
		m->prog->kernel[m->prog->n_kernel - 1]->vec_k = run;
	return node;
}

/* ------------------------------------------------------------------ loops */

static __isl_give isl_schedule_node *map_child(struct map *m,
	__isl_take isl_schedule_node *node, int i)
{
	node = isl_schedule_node_child(node, i);
	node = map_node(m, node);
	return isl_schedule_node_parent(node);
}

/* Does the mark of a row program stand right below the band "node"? */
static bool is_above_rows(__isl_keep isl_schedule_node *node)
{
	isl_schedule_node *child = isl_schedule_node_get_child(node, 0);
	bool is = poly_is_rows(child);

	isl_schedule_node_free(child);
	return is;
}

/* The band "node" of a row program as a kernel. */
static __isl_give isl_schedule_node *map_rows(struct map *m,
	__isl_take isl_schedule_node *node)
{
	int thread[2];

	node = poly_insert_row_points(m->prog, node, thread);
	m->failed |= !node;
	return node ? make_kernel(m, node, thread[0], thread[1]) : NULL;
}

/* Map a band: parallel members make a kernel, of others the first one becomes a
 * loop of the host; a wavefront is skewed, so that the first one carries all.
 */
static __isl_give isl_schedule_node *map_band(struct map *m,
	__isl_take isl_schedule_node *node)
{
	enum poly_shape_of_band shape = poly_band_shape(node);

	if (shape == POLY_BAND_PARALLEL)
		return map_parallel(m, node);
	if (shape == POLY_BAND_WAVE)
		node = poly_skew(node);
	else if (isl_schedule_node_band_n_member(node) > 1)
		node = isl_schedule_node_band_split(node, 1);
	return map_child(m, node, 0);
}

/* Map all children of "node". */
static __isl_give isl_schedule_node *map_children(struct map *m,
	__isl_take isl_schedule_node *node)
{
	isl_size n = isl_schedule_node_n_children(node);

	for (int i = 0; i < n; i++) {
		node = isl_schedule_node_child(node, i);
		node = map_child(m, node, 0);
		node = isl_schedule_node_parent(node);
	}
	return node;
}

static isl_bool is_no_kernel(__isl_keep isl_schedule_node *node, void *user)
{
	(void)user;
	return isl_bool_ok(!poly_mark_kernel(node));
}

/* Is a kernel of a script at or below "node"? */
static bool has_kernel(__isl_keep isl_schedule_node *node)
{
	return isl_schedule_node_every_descendant(node, is_no_kernel, NULL) ==
		isl_bool_false;
}

/* Map what a script has left at and below "node": the host runs the loops around
 * its kernels.
 */
static __isl_give isl_schedule_node *map_around(struct map *m,
	__isl_take isl_schedule_node *node)
{
	enum isl_schedule_node_type type = isl_schedule_node_get_type(node);

	if (poly_mark_kernel(node))
		return node;
	return type == isl_schedule_node_sequence ||
		type == isl_schedule_node_set ? map_children(m, node) :
		map_child(m, node, 0);
}

/* Map what is at and below "node". */
static __isl_give isl_schedule_node *map_node(struct map *m,
	__isl_take isl_schedule_node *node)
{
	enum isl_schedule_node_type type = isl_schedule_node_get_type(node);
	enum poly_loops how;

	if (m->failed || !node)
		return node;
	if (m->prog->request.script && has_kernel(node))
		return map_around(m, node);
	if (type == isl_schedule_node_band && is_above_rows(node))
		return map_rows(m, node);
	if (type == isl_schedule_node_filter ||
	    type == isl_schedule_node_context ||
	    type == isl_schedule_node_mark)
		return map_child(m, node, 0);
	how = poly_choose_loops(m->prog, node);
	if (how != POLY_LOOPS_LAUNCHES) {
		node = poly_map_block(m->prog, node,
			how == POLY_LOOPS_TOGETHER);
		m->failed |= !node;
		return node;
	}
	if (!poly_has_parallel(node))
		return map_serial(m, node);
	if (type == isl_schedule_node_band)
		return map_band(m, node);
	return map_children(m, node);
}

/* Where each kernel stands in the tree. */
struct places {
	struct poly_prog *prog;
	int n;
};

/* Move the kernel whose mark "node" is to its place among the kernels. */
static isl_bool place_kernel(__isl_keep isl_schedule_node *node, void *user)
{
	struct places *p = user;
	struct poly_kernel **list = p->prog->kernel;
	const char *name = poly_mark_kernel(node);
	int i = p->n;

	if (!name)
		return isl_bool_true;
	while (i < p->prog->n_kernel && strcmp(list[i]->name, name))
		i++;
	if (i < p->prog->n_kernel) {
		struct poly_kernel *kernel = list[i];

		memmove(list + p->n + 1, list + p->n,
			(size_t)(i - p->n) * sizeof(*list));
		list[p->n++] = kernel;
	}
	return isl_bool_false;
}

/* Put the kernels, some of which a script has made, into the order of the tree. */
static isl_stat sort_kernels(struct poly_prog *prog)
{
	struct places p = { prog, 0 };

	return isl_schedule_foreach_schedule_node_top_down(prog->schedule,
		place_kernel, &p);
}

/* Give every point a thread, and the host the loops around.
 *
 * requires schedule, before tiles; establishes kernels, mapping
 */
isl_stat poly_map_points(struct poly_prog *prog)
{
	struct map m = { .prog = prog };
	isl_schedule_node *node;
	isl_union_set *domain = isl_schedule_get_domain(prog->schedule);
	bool none = isl_union_set_is_empty(domain) == isl_bool_true;
	isl_schedule *schedule;

	isl_union_set_free(domain);
	if (none)
		return isl_stat_ok;
	if (!prog->request.script &&
	    (poly_fuse_alike(prog) < 0 || poly_group_small(prog) < 0))
		return poly_isl_error(prog, "map_points");
	if (prog->request.record) {
		poly_str_free(&prog->request.record->mapped);
		poly_print_tree(prog, &prog->request.record->mapped, "");
	}
	node = isl_schedule_get_root(prog->schedule);
	node = map_child(&m, node, 0);
	schedule = isl_schedule_node_get_schedule(node);
	isl_schedule_node_free(node);
	if (poly_set_schedule(prog, schedule) < 0 || m.failed ||
	    sort_kernels(prog) < 0 || poly_stage_blocks(prog) < 0 || poly_sync_blocks(prog) < 0)
		return poly_isl_error(prog, "map_points");
	if (prog->report && prog->report->remarks &&
	    poly_explain_apart(prog) < 0)
		return poly_isl_error(prog, "map_points");
	return isl_stat_ok;
}
