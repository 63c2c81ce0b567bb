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

#include <isl/id.h>
#include <isl/schedule_node.h>
#include <isl/space.h>
#include <isl/val.h>

#include "polyir/base/base.h"
#include "polyir/ir/ir.h"
#include "polyir/map/map.h"
#include "polyir/schedule/schedule.h"
#include "polyir/sets/sets.h"
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
	const char *number = poly_mark_after(node, POLY_SCRIPT_KERNEL);

	return number ? atoi(number) : -1;
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

/* ------------------------------------------------------- kernels with copies */

/* What the threads of a kernel with copies share. */
struct shared {
	struct poly_prog *prog;
	isl_union_set *copies;		/* instances of copies */
	isl_union_pw_aff *thread;	/* of all instances below the mark */
};

/* Add the instances of the copies at and below "item" to "all", and the threads that
 * run them, of "n", to "*thread".
 */
static __isl_give isl_union_set *copies_of(struct poly_item *item, int64_t n,
	isl_union_pw_aff **thread, __isl_take isl_union_set *all)
{
	for (int i = 0; i < item->n_child; i++)
		all = copies_of(item->child[i], n, thread, all);
	if (item->kind == POLY_ITEM_LEAF && item->copy) {
		isl_pw_aff *own, *round;

		poly_copy_rounds(item, n, &own, &round);
		isl_pw_aff_free(round);
		*thread = isl_union_pw_aff_union_add(*thread,
			isl_union_pw_aff_from_pw_aff(own));
		all = isl_union_set_add_set(all, isl_set_copy(item->domain));
	}
	return all;
}

/* Give what is at and below "node" to the threads: loops that copies are in to all
 * together, all else to each by itself.
 */
static __isl_give isl_schedule_node *share(struct shared *s,
	__isl_take isl_schedule_node *node)
{
	isl_union_set *here = poly_node_domain(node);
	isl_union_set *others = isl_union_set_subtract(isl_union_set_copy(here),
		isl_union_set_copy(s->copies));
	bool mixed = isl_union_set_is_disjoint(here, s->copies) ==
		isl_bool_false && isl_union_set_is_empty(others) ==
		isl_bool_false;
	int n = isl_schedule_node_n_children(node);

	isl_union_set_free(here);
	isl_union_set_free(others);
	if (!mixed)
		return poly_in_thread(s->prog, node,
			isl_union_pw_aff_copy(s->thread));
	for (int i = 0; i < n; i++) {
		node = isl_schedule_node_child(node, i);
		if (isl_schedule_node_get_type(node) ==
		    isl_schedule_node_filter) {
			node = isl_schedule_node_child(node, 0);
			node = isl_schedule_node_parent(share(s, node));
		} else {
			node = share(s, node);
		}
		node = isl_schedule_node_parent(node);
	}
	return node;
}

/* What runs in block [b0, b1], which "block" gives, of this launch. */
static __isl_give isl_union_set *in_block(struct poly_prog *prog,
	__isl_keep isl_schedule_node *node, isl_union_pw_aff **block)
{
	isl_union_set *here = poly_launch_filter(prog, node);

	for (int d = 0; d < 2; d++) {
		isl_union_pw_aff *b = isl_union_pw_aff_param_on_domain_id(
			isl_union_set_universe(isl_union_set_copy(here)),
			isl_id_alloc(prog->ctx, poly_coordinate(prog,
				POLY_BLOCK + d), NULL));

		here = isl_union_set_intersect(here,
			isl_union_pw_aff_zero_union_set(isl_union_pw_aff_sub(
				isl_union_pw_aff_copy(block[d]), b)));
	}
	return here;
}

/* "n" threads, side by side, as bounds of their coordinates. */
static __isl_give isl_set *threads_of(struct poly_prog *prog, int64_t n)
{
	isl_space *place = poly_tuple(prog->ctx, NULL);
	const char *name[2] = { poly_coordinate(prog, POLY_THREAD),
		poly_coordinate(prog, POLY_THREAD + 1) };
	isl_set *set;

	place = poly_add_size(poly_add_size(place, name[0]), name[1]);
	set = isl_set_universe(isl_space_copy(place));
	set = poly_between(set, poly_at(place, "%s", name[0]), 1);
	set = poly_between(set, poly_at(place, "%s", name[1]), n);
	isl_space_free(place);
	return isl_set_params(set);
}

/* Which thread of a kernel with "n[d]" threads along axis d runs an instance. */
static __isl_give isl_union_pw_aff *thread_of(struct finish *f,
	struct poly_item *kernel, __isl_keep isl_schedule_node *node, int64_t *n)
{
	isl_union_pw_aff *t[3], *thread;

	for (int d = 0; d < 3; d++) {
		t[d] = poly_coordinate_of(f->plan, kernel, POLY_LOOP_THREAD, d,
			&n[d]);
		n[d] = t[d] ? n[d] : 1;
	}
	thread = combine(node, t[2], n[1], t[1]);
	return combine(node, thread, n[0], t[0]);
}

/* The blocks of the kernel, along both axes. */
static void blocks_of(struct finish *f, struct poly_item *kernel,
	__isl_keep isl_schedule_node *node, isl_union_pw_aff **block)
{
	for (int d = 0; d < 2; d++) {
		int64_t any;
		isl_union_pw_aff *b = poly_coordinate_of(f->plan, kernel,
			POLY_LOOP_BLOCK, 1 - d, &any);

		block[d] = b ? b : poly_zero_at(node);
	}
}

/* Give "kernel" the grid of the blocks of "here". */
static bool set_grid(struct poly_kernel *kernel,
	__isl_keep isl_union_set *here, isl_union_pw_aff **block, int64_t n)
{
	isl_union_pw_aff_list *list = isl_union_pw_aff_list_alloc(
		isl_union_set_get_ctx(here), 2);
	isl_set *range;

	for (int d = 0; d < 2; d++)
		list = isl_union_pw_aff_list_add(list,
			isl_union_pw_aff_copy(block[d]));
	range = isl_set_from_union_set(isl_union_set_apply(
		isl_union_set_copy(here), isl_union_map_from_multi_union_pw_aff(
			poly_band_of(list))));
	kernel->block = kernel->apart = kernel->given = true;
	kernel->tile_k = 0;
	kernel->stages = 1;
	for (int d = 0; d < 2; d++)
		kernel->thread[d] = kernel->tile[d] = kernel->vec[d] = 1;
	kernel->vec_k = 1;
	if (poly_kernel_set_grid(kernel, poly_set_coalesce(range)) < 0)
		return false;
	kernel->thread[1] = kernel->tile[1] = (int)n;
	return true;
}

/* Make the kernel of "item", which has copies, of what is at and below "node". */
static __isl_give isl_schedule_node *make_shared(struct finish *f,
	struct poly_item *item, struct poly_kernel *kernel,
	__isl_take isl_schedule_node *node)
{
	struct poly_prog *prog = f->plan->prog;
	int64_t n[3], all;
	struct shared s = { .prog = prog,
		.thread = thread_of(f, item, node, n) };
	isl_union_set *none = isl_union_set_empty(
		isl_set_get_space(prog->context)), *here;
	isl_union_pw_aff *block[2];

	/* The number of threads may be right for the sizes that are fixed only. */
	prog->context = isl_set_intersect(prog->context, poly_known_sizes(prog));
	all = n[0] * n[1] * n[2];
	blocks_of(f, item, node, block);
	s.copies = copies_of(item, all, &s.thread, none);
	here = poly_launch_filter(prog, node);
	f->failed |= !set_grid(kernel, here, block, all);
	isl_union_set_free(here);
	here = isl_union_set_intersect_params(in_block(prog, node, block),
		threads_of(prog, all));
	node = share(&s, node);
	node = isl_schedule_node_insert_filter(node, here);
	for (int d = 0; d < 2; d++)
		isl_union_pw_aff_free(block[d]);
	isl_union_pw_aff_free(s.thread);
	isl_union_set_free(s.copies);
	return poly_insert_kernel_mark(node, kernel->name);
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
	if (poly_item_is_staged(f->kernel[number]))
		return make_shared(f, f->kernel[number], kernel, node);
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
	isl_schedule *schedule;
	isl_schedule_node *node;

	poly_plan_keep(plan);
	if (poly_plan_own_stmts(plan) < 0 ||
	    !poly_plan_make_copies(plan, plan->root))
		return isl_stat_error;
	poly_plan_drop_unread(plan);
	if (poly_item_is_staged(plan->root))
		poly_prog_set_original(plan->prog, poly_plan_order(plan));
	schedule = poly_plan_schedule(plan, true);
	if (!plan->tree)
		schedule = poly_find_coincident(plan->prog, schedule);
	node = isl_schedule_get_root(schedule);
	isl_schedule_free(schedule);
	poly_plan_kernels(plan, f.kernel, POLY_MOST_LEAVES);
	node = walk(&f, node);
	schedule = isl_schedule_node_get_schedule(node);
	isl_schedule_node_free(node);
	if (f.failed)
		schedule = isl_schedule_free(schedule);
	return poly_set_schedule(plan->prog, schedule);
}
