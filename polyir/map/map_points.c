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
 * Points are counted from the first one of the launch (first_point.c); the guards are
 * isl's and complete. Of the parallel members (map_band.c) the one that goes along memory
 * becomes the lane direction; but where sums have lanes (split.c) these are, W of them a
 * cell, and what has none is in the first (lanes that go down columns are rows of the
 * block in the same way):
 *
 *	before: band [i, j] 1 1		after: mark kernel:A
 *		  sequence			 filter [b0, b1, t0, t1] -> ..
 *		    S0				   band [i, W j + l] 1 1
 *		    mark lanes			     sequence
 *		      band [l] 1		       S0	(l = 0)
 *			S1			       S1
 */
#include <string.h>

#include <isl/space.h>

#include "polyir/ir/ir.h"
#include "polyir/sets/sets.h"
#include "polyir/text/text.h"
#include "polyir/layout/layout.h"
#include "polyir/schedule/schedule.h"
#include "polyir/map/map.h"
#include "polyir/map/map_points.h"

static __isl_give isl_schedule_node *map_node(struct poly_mapping *m,
	__isl_take isl_schedule_node *node);

/* All below "node" in one thread. */
static __isl_give isl_schedule_node *map_serial(struct poly_mapping *m,
	__isl_take isl_schedule_node *node)
{
	isl_union_pw_aff *p0 = poly_zero_at(node), *p1 = poly_zero_at(node);

	return poly_make_kernel(m, poly_insert_points(node, p0, p1), 1, 1);
}

static __isl_give isl_schedule_node *map_child(struct poly_mapping *m,
	__isl_take isl_schedule_node *node, int i)
{
	node = isl_schedule_node_child(node, i);
	node = map_node(m, node);
	return isl_schedule_node_parent(node);
}

/* The band "node" of a row program as a kernel. */
static __isl_give isl_schedule_node *map_rows(struct poly_mapping *m,
	__isl_take isl_schedule_node *node)
{
	int thread[2];

	node = poly_insert_row_points(m->prog, node, thread);
	m->failed |= !node;
	return node ? poly_make_kernel(m, node, thread[0], thread[1]) : NULL;
}

/* Map a band: parallel members make a kernel, of others the first one becomes a
 * loop of the host; a wavefront is skewed, so that the first one carries all.
 */
static __isl_give isl_schedule_node *map_band(struct poly_mapping *m,
	__isl_take isl_schedule_node *node)
{
	enum poly_shape_of_band shape = poly_band_shape(node);

	if (shape == POLY_BAND_PARALLEL)
		return poly_map_parallel(m, node);
	if (shape == POLY_BAND_WAVE)
		node = poly_skew(node);
	else if (isl_schedule_node_band_n_member(node) > 1)
		node = isl_schedule_node_band_split(node, 1);
	return map_child(m, node, 0);
}

/* Map all children of "node". */
static __isl_give isl_schedule_node *map_children(struct poly_mapping *m,
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
static __isl_give isl_schedule_node *map_around(struct poly_mapping *m,
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
static __isl_give isl_schedule_node *map_node(struct poly_mapping *m,
	__isl_take isl_schedule_node *node)
{
	enum isl_schedule_node_type type = isl_schedule_node_get_type(node);
	enum poly_loops how;

	if (m->failed || !node)
		return node;
	if (m->prog->request.script && has_kernel(node))
		return map_around(m, node);
	if (type == isl_schedule_node_band && poly_is_above_rows(node))
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
	struct poly_mapping m = { .prog = prog };
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
