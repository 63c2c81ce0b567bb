/* The plan as loops, in C: those that isl makes of it, whose iterators have the names
 * of the plan's loops.
 *
 *	for (int i = 0; i < n; i++)
 *	  S1(i);
 */
#include <stdlib.h>
#include <string.h>

#include <isl/ast.h>
#include <isl/ast_build.h>
#include <isl/id.h>
#include <isl/printer.h>
#include <isl/schedule_node.h>
#include <isl/val.h>

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

/* "at", which is taken, plus one: in the number that it ends with, if it has one. */
static __isl_give isl_ast_expr *plus_one(__isl_take isl_ast_expr *at)
{
	isl_ctx *ctx = isl_ast_expr_get_ctx(at);
	isl_ast_expr *one = isl_ast_expr_from_val(isl_val_one(ctx));
	enum isl_ast_expr_op_type op = isl_ast_expr_get_type(at) ==
		isl_ast_expr_op ? isl_ast_expr_op_get_type(at) :
		isl_ast_expr_op_error;
	isl_ast_expr *last, *first;

	if (isl_ast_expr_get_type(at) == isl_ast_expr_int) {
		isl_ast_expr_free(one);
		one = isl_ast_expr_from_val(isl_val_add_ui(
			isl_ast_expr_int_get_val(at), 1));
		isl_ast_expr_free(at);
		return one;
	}
	if (op == isl_ast_expr_op_min || op == isl_ast_expr_op_max) {
		for (int i = 0; i < isl_ast_expr_op_get_n_arg(at); i++)
			at = isl_ast_expr_set_op_arg(at, i, plus_one(
				isl_ast_expr_op_get_arg(at, i)));
		isl_ast_expr_free(one);
		return at;
	}
	last = op == isl_ast_expr_op_add || op == isl_ast_expr_op_sub ?
		isl_ast_expr_op_get_arg(at, 1) : NULL;
	if (!last || isl_ast_expr_get_type(last) != isl_ast_expr_int) {
		isl_ast_expr_free(last);
		return isl_ast_expr_add(at, one);
	}
	if (op == isl_ast_expr_op_sub && isl_ast_expr_is_equal(last, one) ==
	    isl_bool_true) {
		first = isl_ast_expr_op_get_arg(at, 0);
		isl_ast_expr_free(at);
		at = first;
	} else {
		at = isl_ast_expr_set_op_arg(at, 1, op == isl_ast_expr_op_add ?
			plus_one(isl_ast_expr_copy(last)) : isl_ast_expr_from_val(
				isl_val_sub_ui(isl_ast_expr_int_get_val(last), 1)));
	}
	isl_ast_expr_free(last);
	isl_ast_expr_free(one);
	return at;
}

/* The last value of the loop "node", whose condition is "cond", if that is a number. */
static __isl_give isl_ast_expr *exact_end(__isl_keep isl_ast_node *node,
	__isl_take isl_ast_expr *end)
{
	isl_ast_expr *init = isl_ast_node_for_get_init(node);
	isl_ast_expr *inc = isl_ast_node_for_get_inc(node);

	if (isl_ast_expr_get_type(init) == isl_ast_expr_int &&
	    isl_ast_expr_get_type(inc) == isl_ast_expr_int &&
	    isl_ast_expr_get_type(end) == isl_ast_expr_int) {
		isl_val *from = isl_ast_expr_int_get_val(init);
		isl_val *n = isl_val_sub(isl_ast_expr_int_get_val(end),
			isl_val_copy(from));

		n = isl_val_sub(n, isl_val_mod(isl_val_copy(n),
			isl_ast_expr_int_get_val(inc)));
		isl_ast_expr_free(end);
		end = isl_ast_expr_from_val(isl_val_add(from, n));
	}
	isl_ast_expr_free(init);
	isl_ast_expr_free(inc);
	return end;
}

/* "i < end; i++" of the loop "node". */
static __isl_give isl_printer *print_rest(__isl_take isl_printer *p,
	__isl_keep isl_ast_node *node, __isl_keep isl_ast_expr *i)
{
	isl_ast_expr *cond = isl_ast_node_for_get_cond(node);
	isl_ast_expr *inc = isl_ast_node_for_get_inc(node);
	bool simple = isl_ast_expr_get_type(cond) == isl_ast_expr_op &&
		isl_ast_expr_op_get_type(cond) == isl_ast_expr_op_le;

	if (simple) {
		isl_ast_expr *end = plus_one(exact_end(node,
			isl_ast_expr_op_get_arg(cond, 1)));

		isl_ast_expr_free(cond);
		cond = isl_ast_expr_lt(isl_ast_expr_copy(i), end);
	}
	p = isl_printer_print_ast_expr(p, cond);
	p = isl_printer_print_str(p, "; ");
	p = isl_printer_print_ast_expr(p, i);
	if (isl_ast_expr_get_type(inc) == isl_ast_expr_int) {
		isl_val *v = isl_ast_expr_int_get_val(inc);

		simple = isl_val_is_one(v) == isl_bool_true;
		isl_val_free(v);
	} else {
		simple = false;
	}
	p = isl_printer_print_str(p, simple ? "++" : " += ");
	if (!simple)
		p = isl_printer_print_ast_expr(p, inc);
	isl_ast_expr_free(cond);
	isl_ast_expr_free(inc);
	return p;
}

/* Print the loop "node" as C programs have them. */
static __isl_give isl_printer *print_for(__isl_take isl_printer *p,
	__isl_take isl_ast_print_options *options,
	__isl_keep isl_ast_node *node, void *user)
{
	isl_ast_expr *i = isl_ast_node_for_get_iterator(node);
	isl_ast_expr *init = isl_ast_node_for_get_init(node);
	isl_ast_node *body = isl_ast_node_for_get_body(node);
	bool block = isl_ast_node_get_type(body) == isl_ast_node_block;

	(void)user;
	p = isl_printer_print_str(isl_printer_start_line(p), "for (int ");
	p = isl_printer_print_ast_expr(p, i);
	p = isl_printer_print_str(p, " = ");
	p = isl_printer_print_ast_expr(p, init);
	p = isl_printer_print_str(p, "; ");
	p = isl_ast_node_for_is_degenerate(node) == isl_bool_true ?
		isl_printer_print_str(p, "; ") : print_rest(p, node, i);
	p = isl_printer_end_line(isl_printer_print_str(p, block ? ") {" : ")"));
	p = isl_printer_indent(p, 2);
	if (block) {
		isl_ast_node_list *list = isl_ast_node_block_get_children(body);
		int n = isl_ast_node_list_n_ast_node(list);

		for (int k = 0; k < n; k++) {
			isl_ast_node *one = isl_ast_node_list_get_at(list, k);

			p = isl_ast_node_print(one, p,
				isl_ast_print_options_copy(options));
			isl_ast_node_free(one);
		}
		isl_ast_node_list_free(list);
	} else {
		p = isl_ast_node_print(body, p,
			isl_ast_print_options_copy(options));
	}
	p = isl_printer_indent(p, -2);
	if (block)
		p = isl_printer_end_line(isl_printer_print_str(
			isl_printer_start_line(p), "}"));
	isl_ast_node_free(body);
	isl_ast_expr_free(init);
	isl_ast_expr_free(i);
	isl_ast_print_options_free(options);
	return p;
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
	isl_ast_print_options *options = isl_ast_print_options_set_print_for(
		isl_ast_print_options_alloc(ctx), print_for, NULL);
	isl_printer *p = isl_printer_set_output_format(isl_printer_to_str(ctx),
		ISL_FORMAT_C);
	isl_ast_node *node;
	char *text;

	build = isl_ast_build_set_iterators(build, iterators(ctx, item));
	node = isl_ast_build_node_from_schedule(build,
		poly_plan_schedule(&part, false));
	isl_ast_build_free(build);
	p = isl_ast_node_print(node, p, options);
	text = isl_printer_get_str(p);
	isl_printer_free(p);
	isl_ast_node_free(node);
	if (text)
		poly_str_add(out, text);
	free(text);
	return text ? isl_stat_ok : isl_stat_error;
}

__isl_give isl_schedule *poly_plan_order(struct poly_plan *plan)
{
	struct poly_plan *copy = poly_plan_copy(plan);
	isl_schedule *order = NULL;

	if (!copy)
		return NULL;
	forget_roles(copy, copy->root);
	order = poly_plan_schedule(copy, false);
	poly_plan_free(copy);
	return order;
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
