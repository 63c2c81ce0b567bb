/* The plan as a schedule tree.
 *
 *	loop i				band [i]
 *	  kernel			  mark script-kernel:0
 *	    loop jj (block x)	  =>	    band [k]
 *	      loop k			      S1
 *	        loop j (thread x)
 *	          0: S1
 *
 * Loops with a role are coordinates, which the pass puts above the kernel's tree when
 * all commands are done (finish.c). The checks see them as outer loops of it: a
 * thread goes through what it has to do in the order of the loops that are left.
 */
#include <stdio.h>
#include <stdlib.h>

#include <isl/id.h>
#include <isl/schedule_node.h>
#include <isl/space.h>

#include "polyir/base/base.h"
#include "polyir/ir/ir.h"
#include "polyir/script/command.h"
#include "polyir/script/plan.h"

__isl_give isl_union_set *poly_item_domain(struct poly_item *item)
{
	struct poly_item *leaf[POLY_MOST_LEAVES];
	int n = poly_item_leaves(item, leaf);
	isl_union_set *all = isl_union_set_from_set(
		isl_set_copy(leaf[0]->domain));

	for (int i = 1; i < n; i++)
		all = isl_union_set_union(all, isl_union_set_from_set(
			isl_set_copy(leaf[i]->domain)));
	return all;
}

/* Does a leaf beside "leaf[i]" have its statement, and another function in "loop"? */
static bool is_piece(const struct poly_item *loop, struct poly_item **leaf,
	int n, int i)
{
	for (int k = 0; k < n; k++)
		if (k != i && leaf[k]->stmt == leaf[i]->stmt &&
		    isl_pw_aff_plain_is_equal(loop->at[leaf[k]->number],
			loop->at[leaf[i]->number]) != isl_bool_true)
			return true;
	return false;
}

/* Does a leaf before "leaf[i]" say the same? */
static bool is_said(const struct poly_item *loop, struct poly_item **leaf, int i)
{
	for (int k = 0; k < i; k++)
		if (leaf[k]->stmt == leaf[i]->stmt &&
		    isl_pw_aff_plain_is_equal(loop->at[leaf[k]->number],
			loop->at[leaf[i]->number]) == isl_bool_true)
			return true;
	return false;
}

__isl_give isl_union_pw_aff *poly_loop_values(struct poly_item *loop)
{
	struct poly_item *leaf[POLY_MOST_LEAVES];
	int n = poly_item_leaves(loop, leaf);
	isl_union_pw_aff *all = NULL;

	for (int i = 0; i < n; i++) {
		bool piece = is_piece(loop, leaf, n, i);
		isl_union_pw_aff *one;

		if (!piece && is_said(loop, leaf, i))
			continue;
		one = isl_union_pw_aff_from_pw_aff(
			isl_pw_aff_copy(loop->at[leaf[i]->number]));
		if (piece)
			one = isl_union_pw_aff_intersect_domain(one,
				isl_union_set_from_set(isl_set_copy(
					leaf[i]->domain)));
		all = all ? isl_union_pw_aff_union_add(all, one) : one;
	}
	return all;
}

/* -------------------------------------------------------------- schedules */

/* The schedule in the making. With "marks" kernels are marks, else their
 * coordinates are outer loops.
 */
struct emit {
	isl_ctx *ctx;
	bool marks;
	int n_kernel;
};

static __isl_give isl_schedule *emit(struct emit *e, struct poly_item *item);

static bool has_kernel(const struct poly_item *item)
{
	bool has = item->kind == POLY_ITEM_KERNEL;

	for (int i = 0; i < item->n_child && !has; i++)
		has = has_kernel(item->child[i]);
	return has;
}

bool poly_item_is_concurrent(const struct poly_item *item)
{
	return item->kind == POLY_ITEM_LOOP && item->concurrent &&
		!item->unroll && has_kernel(item);
}

/* "schedule" below the loop "item". */
static __isl_give isl_schedule *add_loop(struct emit *e,
	__isl_take isl_schedule *schedule, struct poly_item *item)
{
	isl_schedule_node *node;

	schedule = isl_schedule_insert_partial_schedule(schedule,
		isl_multi_union_pw_aff_from_union_pw_aff(
			poly_loop_values(item)));
	if (e->marks && poly_item_is_concurrent(item))
		return poly_add_mark(schedule, isl_id_alloc(e->ctx,
			POLY_CONCURRENT, NULL));
	if (!item->unroll)
		return schedule;
	node = isl_schedule_get_root(schedule);
	isl_schedule_free(schedule);
	node = poly_unrolled(isl_schedule_node_child(node, 0));
	schedule = isl_schedule_node_get_schedule(node);
	isl_schedule_node_free(node);
	return schedule;
}

static __isl_give isl_schedule *emit_list(struct emit *e,
	struct poly_item *item)
{
	isl_schedule *all;

	if (!item->n_child)
		return isl_schedule_empty(isl_space_params_alloc(e->ctx, 0));
	all = emit(e, item->child[0]);
	for (int i = 1; i < item->n_child; i++)
		all = isl_schedule_sequence(all, emit(e, item->child[i]));
	return all;
}

/* "schedule", what a thread of the kernel "item" runs, below the coordinates. */
static __isl_give isl_schedule *add_places(__isl_take isl_schedule *schedule,
	struct poly_item *item)
{
	for (int i = 0; i < 2 * POLY_MOST_AXES; i++) {
		struct poly_item *loop;
		isl_union_pw_aff *at = poly_coordinate_values(item, i % 2 ?
			POLY_LOOP_THREAD : POLY_LOOP_BLOCK, i / 2, &loop);

		if (at)
			schedule = isl_schedule_insert_partial_schedule(
				schedule,
				isl_multi_union_pw_aff_from_union_pw_aff(at));
	}
	return schedule;
}

/* What is in the kernel "item": below its mark, or, for the checks, below its
 * coordinates.
 */
static __isl_give isl_schedule *emit_kernel(struct emit *e,
	struct poly_item *item)
{
	int number = e->n_kernel++;
	isl_schedule *inner = emit(e, item->child[0]);
	char name[64];

	if (!e->marks)
		return add_places(inner, item);
	snprintf(name, sizeof(name), POLY_SCRIPT_KERNEL "%d", number);
	return poly_add_mark(inner, isl_id_alloc(e->ctx, name, NULL));
}

/* The schedule of "item" and what is in it. */
static __isl_give isl_schedule *emit(struct emit *e, struct poly_item *item)
{
	switch (item->kind) {
	case POLY_ITEM_LEAF:
		return isl_schedule_from_domain(isl_union_set_from_set(
			isl_set_copy(item->domain)));
	case POLY_ITEM_LIST:
		return emit_list(e, item);
	case POLY_ITEM_KERNEL:
		return emit_kernel(e, item);
	case POLY_ITEM_MARK:
		return poly_add_mark(emit(e, item->child[0]),
			isl_id_alloc(e->ctx, item->name, NULL));
	default:
		return item->role ? emit(e, item->child[0]) :
			add_loop(e, emit(e, item->child[0]), item);
	}
}

__isl_give isl_schedule *poly_plan_schedule(struct poly_plan *plan, bool marks)
{
	struct emit e = { plan->prog->ctx, marks, 0 };

	if (plan->tree)
		return isl_schedule_copy(plan->tree);
	return emit(&e, plan->root);
}

/* Append the kernels at and below "item" to the "n" of "list"; returns how many
 * there are.
 */
static int add_kernels(struct poly_item *item, struct poly_item **list, int n,
	int most)
{
	if (item->kind == POLY_ITEM_KERNEL && n < most)
		list[n++] = item;
	for (int i = 0; i < item->n_child; i++)
		n = add_kernels(item->child[i], list, n, most);
	return n;
}

int poly_plan_kernels(struct poly_plan *plan, struct poly_item **list, int most)
{
	return add_kernels(plan->root, list, 0, most);
}
