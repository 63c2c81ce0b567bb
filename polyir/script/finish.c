/* The plan becomes the program's schedule.
 *
 * What the script has mapped is a kernel of one thread a point with the blocks and
 * threads that it says; all else is left to the mapping of the automatic schedule,
 * which goes by parallel loops that stand outside.
 *
 *	mark script-kernel:0	=>	mark kernel:K
 *	  band [k]			  filter [b0, b1, t0, t1] -> p0, p1 = ..
 *	    S1				    band [p0, p1] 1 1
 *					      band [k]
 *						S1
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <isl/id.h>
#include <isl/schedule_node.h>
#include <isl/space.h>
#include <isl/val.h>

#include "polyir/base/base.h"
#include "polyir/ir/ir.h"
#include "polyir/schedule/schedule.h"
#include "polyir/script/command.h"
#include "polyir/script/plan.h"

/* The kernels of the plan, in the order of their marks. */
struct finish {
	struct poly_plan *plan;
	struct poly_item *kernel[POLY_MOST_LEAVES];
	bool failed;
};

/* Which kernel of the plan the mark "node" is, or -1. */
static int kernel_at(__isl_keep isl_schedule_node *node)
{
	const size_t n = strlen(POLY_SCRIPT_KERNEL);
	isl_id *id;
	int number = -1;

	if (isl_schedule_node_get_type(node) != isl_schedule_node_mark)
		return -1;
	id = isl_schedule_node_mark_get_id(node);
	if (!strncmp(isl_id_get_name(id), POLY_SCRIPT_KERNEL, n))
		number = atoi(isl_id_get_name(id) + n);
	isl_id_free(id);
	return number;
}

/* "a", 0 if it is NULL, times "n", plus "b", which may be NULL; both are taken. */
static __isl_give isl_union_pw_aff *combine(__isl_keep isl_schedule_node *node,
	__isl_take isl_union_pw_aff *a, int64_t n, __isl_take isl_union_pw_aff *b)
{
	isl_ctx *ctx = isl_schedule_node_get_ctx(node);

	a = a ? isl_union_pw_aff_scale_val(a, isl_val_int_from_si(ctx, n)) :
		NULL;
	if (a && b)
		return isl_union_pw_aff_add(a, b);
	return a ? a : b ? b : poly_zero_at(node);
}

/* The points of "kernel" and its batch as a band above "node"; "thread" gets the sizes
 * of its blocks.
 */
static __isl_give isl_schedule_node *insert_points(struct finish *f,
	struct poly_item *kernel, __isl_take isl_schedule_node *node, int *thread,
	int *n_batch)
{
	isl_union_pw_aff_list *list = isl_union_pw_aff_list_alloc(
		f->plan->prog->ctx, 2);
	isl_union_pw_aff *t[3], *b[2 + POLY_MAX_BATCH];
	int64_t n[3], any;

	for (int d = 0; d < 3; d++) {
		t[d] = poly_coordinate_of(f->plan, kernel, POLY_LOOP_THREAD, d,
			&n[d]);
		n[d] = t[d] ? n[d] : 1;
	}
	for (int d = 0; d < 2 + POLY_MAX_BATCH; d++)
		b[d] = poly_coordinate_of(f->plan, kernel, POLY_LOOP_BLOCK, d,
			&any);
	thread[0] = (int)(n[1] * n[2]);
	thread[1] = (int)n[0];
	list = isl_union_pw_aff_list_add(list, combine(node, b[1], n[1] * n[2],
		combine(node, t[2], n[1], t[1])));
	list = isl_union_pw_aff_list_add(list, combine(node, b[0], n[0], t[0]));
	*n_batch = 0;
	for (int d = 2; d < 2 + POLY_MAX_BATCH; d++)
		if (b[d] && ++*n_batch)
			list = isl_union_pw_aff_list_add(list, b[d]);
	return poly_insert_parallel(node, poly_band_of(list));
}

/* Make a kernel of what is below the mark "node", which goes. */
static __isl_give isl_schedule_node *make_kernel(struct finish *f, int number,
	__isl_take isl_schedule_node *node)
{
	struct poly_prog *prog = f->plan->prog;
	isl_union_set *domain;
	struct poly_kernel *kernel;
	int thread[2], n_batch;

	node = isl_schedule_node_delete(node);
	domain = poly_node_domain(node);
	kernel = poly_kernel_add(prog, domain);
	isl_union_set_free(domain);
	if (!kernel) {
		f->failed = true;
		return node;
	}
	node = insert_points(f, f->kernel[number], node, thread, &n_batch);
	node = poly_kernel_thread_a_point(prog, kernel, node, thread[0],
		thread[1], n_batch);
	kernel->given = true;
	return poly_insert_kernel_mark(node, kernel->name);
}

/* Make a kernel of each mark at or below "node" that stands for one. */
static __isl_give isl_schedule_node *walk(struct finish *f,
	__isl_take isl_schedule_node *node)
{
	int n = isl_schedule_node_n_children(node), number;

	if (!node || f->failed)
		return node;
	number = kernel_at(node);
	if (number >= 0)
		return make_kernel(f, number, node);
	for (int i = 0; i < n; i++) {
		node = isl_schedule_node_child(node, i);
		node = isl_schedule_node_parent(walk(f, node));
	}
	return node;
}

isl_stat poly_plan_finish(struct poly_plan *plan)
{
	struct finish f = { .plan = plan };
	isl_schedule *schedule = poly_find_coincident(plan->prog,
		poly_plan_schedule(plan, true));
	isl_schedule_node *node = isl_schedule_get_root(schedule);

	isl_schedule_free(schedule);
	poly_plan_kernels(plan, f.kernel, POLY_MOST_LEAVES);
	node = walk(&f, node);
	schedule = isl_schedule_node_get_schedule(node);
	isl_schedule_node_free(node);
	if (f.failed)
		schedule = isl_schedule_free(schedule);
	return poly_set_schedule(plan->prog, schedule);
}
