/* The plan as loops, in C: those that isl makes of it, whose iterators have the names
 * of the plan's loops.
 *
 *	for (int i = 0; i < n; i += 1)
 *	  S1(i);
 */
#include <stdlib.h>
#include <string.h>

#include <isl/ast.h>
#include <isl/ast_build.h>
#include <isl/id.h>
#include <isl/schedule_node.h>

#include "polyir/base/base.h"
#include "polyir/ir/ir.h"
#include "polyir/sets/sets.h"
#include "polyir/script/command.h"
#include "polyir/script/plan.h"

/* The names of the loops at and below "item", by their depth: of the statement that has
 * most of them.
 */
static __isl_give isl_id_list *iterators(isl_ctx *ctx, struct poly_item *item)
{
	isl_id_list *list = isl_id_list_alloc(ctx, POLY_MOST_LOOPS);
	struct poly_item *leaf[POLY_MOST_LEAVES], *loop[2 * POLY_MOST_LOOPS];
	struct poly_item *longest = NULL;
	int n = poly_item_leaves(item, leaf), most = -1;

	for (int i = 0; i < n; i++) {
		int depth = poly_leaf_loops(leaf[i], loop);

		longest = depth > most ? leaf[i] : longest;
		most = depth > most ? depth : most;
	}
	n = longest ? poly_leaf_loops(longest, loop) : 0;
	for (int i = 0; i < n; i++)
		list = isl_id_list_add(list,
			isl_id_alloc(ctx, loop[i]->name, NULL));
	return list;
}

/* Take roles away from loops, which are loops of the text then, and kernels out. */
static void forget_roles(struct poly_plan *plan, struct poly_item *item)
{
	item->role = POLY_LOOP_SERIAL;
	item->unroll = false;
	for (int i = 0; i < item->n_child; i++)
		forget_roles(plan, item->child[i]);
	if (item->kind == POLY_ITEM_KERNEL)
		poly_item_unwrap(plan, item);
}

/* Print what is at and below "item", which no loop is around. */
static isl_stat print_item(struct poly_plan *plan, struct poly_item *item,
	struct poly_str *out)
{
	isl_ctx *ctx = plan->prog->ctx;
	struct poly_plan part = { .prog = plan->prog, .root = item };
	isl_ast_build *build = isl_ast_build_from_context(
		poly_known_sizes(plan->prog));
	isl_ast_node *node;
	char *text;

	build = isl_ast_build_set_iterators(build, iterators(ctx, item));
	node = isl_ast_build_node_from_schedule(build,
		poly_plan_schedule(&part, false));
	isl_ast_build_free(build);
	text = isl_ast_node_to_C_str(node);
	isl_ast_node_free(node);
	if (text)
		poly_str_add(out, text);
	free(text);
	return text ? isl_stat_ok : isl_stat_error;
}

isl_stat poly_plan_print(struct poly_plan *plan, struct poly_str *out)
{
	struct poly_plan *copy = poly_plan_copy(plan);
	isl_stat ok = copy ? isl_stat_ok : isl_stat_error;
	struct poly_item *root;

	if (!copy)
		return ok;
	forget_roles(copy, copy->root);
	root = copy->root;
	if (root->kind != POLY_ITEM_LIST)
		ok = print_item(copy, root, out);
	else
		for (int i = 0; i < root->n_child && ok == isl_stat_ok; i++)
			ok = print_item(copy, root->child[i], out);
	poly_plan_free(copy);
	return ok;
}
