/* Do the loops that isl makes of a tree run what the tree holds?
 *
 * They are read as what they say, loop by loop and condition by condition, with
 * all names (sizes, coordinates, iterators) as parameters: where a call is
 * reached, what its arguments are. All calls together must be the instances
 * that reach the leaves of the tree, and where a division is meant to leave no
 * remainder, or to have no negative dividend, that must hold. isl (0.25) loses
 * conditions of this kind:
 *
 *	for (c = (11 - 7 * t1) / 2; c <= ..; c += 3)	only for odd t1
 */
#include <isl/ast.h>
#include <isl/ast_build.h>
#include <isl/id.h>
#include <isl/space.h>
#include <isl/val.h>

#include "polyir/base/base.h"
#include "polyir/ir/ir.h"
#include "polyir/sets/sets.h"
#include "polyir/tune/tune.h"
#include "polyir/loops/loops.h"

/* "done": what the calls read so far run. */
struct reading {
	isl_ctx *ctx;
	isl_union_set *done;
	bool wrong;
};

/* Values are "[names] -> { [value] }"; "at" is where they are needed. */
static __isl_give isl_pw_aff *value(struct reading *r,
	__isl_take isl_ast_expr *e, __isl_keep isl_set *at);

static __isl_give isl_set *condition(struct reading *r,
	__isl_take isl_ast_expr *e, __isl_keep isl_set *at);

static __isl_give isl_pw_aff *named(isl_ctx *ctx, __isl_take isl_id *id)
{
	isl_aff *aff = poly_size_at(isl_space_params_alloc(ctx, 0),
		isl_id_get_name(id));

	isl_id_free(id);
	return isl_pw_aff_from_aff(aff);
}

static __isl_give isl_pw_aff *constant(isl_ctx *ctx, __isl_take isl_val *v)
{
	return isl_pw_aff_from_aff(isl_aff_val_on_domain_space(
		isl_space_params_alloc(ctx, 0), v));
}

/* All of "at" must be in "set". */
static void require(struct reading *r, __isl_keep isl_set *at,
	__isl_take isl_set *set)
{
	if (isl_set_is_subset(at, set) != isl_bool_true)
		r->wrong = true;
	isl_set_free(set);
}

/* The quotient or remainder of "a" by the number "b". */
static __isl_give isl_pw_aff *division(struct reading *r,
	enum isl_ast_expr_op_type op, __isl_take isl_pw_aff *a,
	__isl_take isl_val *b, __isl_keep isl_set *at)
{
	bool rest = op == isl_ast_expr_op_pdiv_r ||
		op == isl_ast_expr_op_zdiv_r;

	if (op == isl_ast_expr_op_pdiv_q || op == isl_ast_expr_op_pdiv_r)
		require(r, at, isl_pw_aff_nonneg_set(isl_pw_aff_copy(a)));
	if (op == isl_ast_expr_op_div)
		require(r, at, isl_pw_aff_zero_set(isl_pw_aff_mod_val(
			isl_pw_aff_copy(a), isl_val_abs(isl_val_copy(b)))));
	return rest ? isl_pw_aff_mod_val(a, b) :
		isl_pw_aff_floor(isl_pw_aff_scale_down_val(a, b));
}

/* The value of "c ? a : b"; each of the two is read only where it is chosen. */
static __isl_give isl_pw_aff *choice(struct reading *r,
	__isl_keep isl_ast_expr *e, __isl_keep isl_set *at)
{
	isl_set *holds = condition(r, isl_ast_expr_get_op_arg(e, 0), at);
	isl_set *then = isl_set_intersect(isl_set_copy(at),
		isl_set_copy(holds));
	isl_set *otherwise = isl_set_subtract(isl_set_copy(at), holds);
	isl_pw_aff *a = value(r, isl_ast_expr_get_op_arg(e, 1), then);
	isl_pw_aff *b = value(r, isl_ast_expr_get_op_arg(e, 2), otherwise);

	return isl_pw_aff_union_add(isl_pw_aff_intersect_params(a, then),
		isl_pw_aff_intersect_params(b, otherwise));
}

static __isl_give isl_pw_aff *unknown(struct reading *r)
{
	r->wrong = true;
	return constant(r->ctx, isl_val_zero(r->ctx));
}

/* "a op b", of which "e" has the second, or more of them. */
static __isl_give isl_pw_aff *combine(struct reading *r,
	enum isl_ast_expr_op_type op, __isl_take isl_pw_aff *a,
	__isl_take isl_ast_expr *second, __isl_keep isl_set *at)
{
	isl_pw_aff *b;

	if (op >= isl_ast_expr_op_div && op <= isl_ast_expr_op_zdiv_r) {
		isl_val *by = isl_ast_expr_get_val(second);

		isl_ast_expr_free(second);
		return division(r, op, a, by, at);
	}
	b = value(r, second, at);
	switch (op) {
	case isl_ast_expr_op_max:
		return isl_pw_aff_max(a, b);
	case isl_ast_expr_op_min:
		return isl_pw_aff_min(a, b);
	case isl_ast_expr_op_add:
		return isl_pw_aff_add(a, b);
	case isl_ast_expr_op_sub:
		return isl_pw_aff_sub(a, b);
	case isl_ast_expr_op_mul:
		return isl_pw_aff_mul(a, b);
	default:
		isl_pw_aff_free(a);
		isl_pw_aff_free(b);
		return unknown(r);
	}
}

/* The value of an operator and its arguments, which isl may give more than two.
 */
static __isl_give isl_pw_aff *operation(struct reading *r,
	__isl_keep isl_ast_expr *e, __isl_keep isl_set *at)
{
	enum isl_ast_expr_op_type op = isl_ast_expr_get_op_type(e);
	isl_size n = isl_ast_expr_get_op_n_arg(e);
	isl_pw_aff *a;

	if (op == isl_ast_expr_op_cond || op == isl_ast_expr_op_select)
		return choice(r, e, at);
	a = value(r, isl_ast_expr_get_op_arg(e, 0), at);
	if (op == isl_ast_expr_op_minus)
		return isl_pw_aff_neg(a);
	for (int i = 1; i < n; i++)
		a = combine(r, op, a, isl_ast_expr_get_op_arg(e, i), at);
	return a;
}

/* The value of "e" as a function of all names. What it needs for its divisions
 * to be right must hold on "at"; r->wrong says if it does not.
 */
static __isl_give isl_pw_aff *value(struct reading *r,
	__isl_take isl_ast_expr *e, __isl_keep isl_set *at)
{
	isl_pw_aff *v;

	switch (isl_ast_expr_get_type(e)) {
	case isl_ast_expr_id:
		v = named(r->ctx, isl_ast_expr_get_id(e));
		break;
	case isl_ast_expr_int:
		v = constant(r->ctx, isl_ast_expr_get_val(e));
		break;
	case isl_ast_expr_op:
		v = operation(r, e, at);
		break;
	default:
		v = unknown(r);
	}
	isl_ast_expr_free(e);
	return v;
}

/* The names for which the comparison "e" holds; wrong, if it is none. */
static __isl_give isl_set *comparison(struct reading *r,
	__isl_keep isl_ast_expr *e, __isl_keep isl_set *at)
{
	isl_pw_aff *a = value(r, isl_ast_expr_get_op_arg(e, 0), at);
	isl_pw_aff *b = value(r, isl_ast_expr_get_op_arg(e, 1), at);

	switch (isl_ast_expr_get_op_type(e)) {
	case isl_ast_expr_op_eq:
		return isl_pw_aff_eq_set(a, b);
	case isl_ast_expr_op_le:
		return isl_pw_aff_le_set(a, b);
	case isl_ast_expr_op_lt:
		return isl_pw_aff_lt_set(a, b);
	case isl_ast_expr_op_ge:
		return isl_pw_aff_ge_set(a, b);
	case isl_ast_expr_op_gt:
		return isl_pw_aff_gt_set(a, b);
	default:
		r->wrong = true;
		isl_pw_aff_free(a);
		return isl_pw_aff_zero_set(b);
	}
}

/* "a and b" or "a or b": b counts only where a does not decide. */
static __isl_give isl_set *both(struct reading *r, __isl_keep isl_ast_expr *e,
	__isl_keep isl_set *at, bool and)
{
	isl_set *a = condition(r, isl_ast_expr_get_op_arg(e, 0), at);
	isl_set *open = isl_set_copy(at), *b;

	open = and ? isl_set_intersect(open, isl_set_copy(a)) :
		isl_set_subtract(open, isl_set_copy(a));
	b = condition(r, isl_ast_expr_get_op_arg(e, 1), open);
	isl_set_free(open);
	return and ? isl_set_intersect(a, b) : isl_set_union(a, b);
}

/* The names for which "e" holds. */
static __isl_give isl_set *condition(struct reading *r,
	__isl_take isl_ast_expr *e, __isl_keep isl_set *at)
{
	isl_set *set;

	if (isl_ast_expr_get_type(e) == isl_ast_expr_int)
		return isl_pw_aff_non_zero_set(value(r, e, at));
	switch (isl_ast_expr_get_op_type(e)) {
	case isl_ast_expr_op_and:
	case isl_ast_expr_op_and_then:
		set = both(r, e, at, true);
		break;
	case isl_ast_expr_op_or:
	case isl_ast_expr_op_or_else:
		set = both(r, e, at, false);
		break;
	default:
		set = comparison(r, e, at);
	}
	isl_ast_expr_free(e);
	return set;
}

/* ------------------------------------------------------------------ nodes */

/* What "node" runs where it is reached for the names "at", which is taken. */
static void read_node(struct reading *r, __isl_take isl_ast_node *node,
	__isl_take isl_set *at);

/* Add to r->done the instance that a call runs: its statement, with the values
 * of its arguments, for all names of "at".
 */
static void read_user(struct reading *r, __isl_keep isl_ast_node *node,
	__isl_keep isl_set *at)
{
	isl_ast_expr *call = isl_ast_node_user_get_expr(node);
	isl_ast_expr *name = isl_ast_expr_get_op_arg(call, 0);
	isl_size n = isl_ast_expr_get_op_n_arg(call);
	isl_space *space = isl_space_set_alloc(r->ctx, 0, n - 1);
	isl_pw_aff_list *list = isl_pw_aff_list_alloc(r->ctx, n);
	isl_set *set;

	space = isl_space_set_tuple_id(space, isl_dim_set,
		isl_ast_expr_get_id(name));
	for (int i = 1; i < n; i++)
		list = isl_pw_aff_list_add(list, value(r,
			isl_ast_expr_get_op_arg(call, i), at));
	isl_ast_expr_free(name);
	isl_ast_expr_free(call);
	set = isl_set_from_multi_pw_aff(
		isl_multi_pw_aff_from_pw_aff_list(space, list));
	set = isl_set_intersect_params(set, isl_set_copy(at));
	r->done = isl_union_set_add_set(r->done, set);
}

/* Where the body of the loop "node" with "iterator" is reached. */
static __isl_give isl_set *iterations(struct reading *r,
	__isl_keep isl_ast_node *node, __isl_keep isl_pw_aff *iterator,
	__isl_take isl_set *at)
{
	isl_pw_aff *first = value(r, isl_ast_node_for_get_init(node), at);
	isl_pw_aff *by;
	isl_ast_expr *inc, *cond;
	isl_val *step;

	if (isl_ast_node_for_is_degenerate(node) == isl_bool_true)
		return isl_set_intersect(at, isl_pw_aff_eq_set(first,
			isl_pw_aff_copy(iterator)));
	at = isl_set_intersect(at, isl_pw_aff_ge_set(
		isl_pw_aff_copy(iterator), isl_pw_aff_copy(first)));
	inc = isl_ast_node_for_get_inc(node);
	step = isl_ast_expr_get_val(inc);
	isl_ast_expr_free(inc);
	r->wrong |= isl_val_is_pos(step) != isl_bool_true;
	by = isl_pw_aff_sub(isl_pw_aff_copy(iterator), first);
	if (isl_val_is_one(step) == isl_bool_true || r->wrong) {
		isl_pw_aff_free(by);
		isl_val_free(step);
	} else {
		at = isl_set_intersect(at, isl_pw_aff_zero_set(
			isl_pw_aff_mod_val(by, step)));
	}
	cond = isl_ast_node_for_get_cond(node);
	/* A loop without end. */
	r->wrong |= isl_ast_expr_get_type(cond) == isl_ast_expr_int;
	return isl_set_intersect(at, condition(r, cond, at));
}

/* "all" without the iterator "id": what is run for any of its values. */
static __isl_give isl_union_set *forget(__isl_take isl_union_set *all,
	__isl_keep isl_id *id)
{
	isl_space *space = isl_union_set_get_space(all);
	int pos = isl_space_find_dim_by_id(space, isl_dim_param, id);

	isl_space_free(space);
	return pos < 0 ? all : isl_union_set_project_out(all, isl_dim_param,
		pos, 1);
}

/* Add what the loop "node" runs. Its body is read with the iterator as one more
 * name, over which the result is then taken for all its values.
 */
static void read_for(struct reading *r, __isl_keep isl_ast_node *node,
	__isl_take isl_set *at)
{
	isl_ast_expr *e = isl_ast_node_for_get_iterator(node);
	isl_id *id = isl_ast_expr_get_id(e);
	isl_pw_aff *iterator = named(r->ctx, isl_id_copy(id));
	isl_union_set *outside = r->done;

	isl_ast_expr_free(e);
	r->done = isl_union_set_empty(isl_set_get_space(at));
	at = iterations(r, node, iterator, at);
	isl_pw_aff_free(iterator);
	read_node(r, isl_ast_node_for_get_body(node), at);
	r->done = isl_union_set_union(outside, forget(r->done, id));
	isl_id_free(id);
}

/* Add what the branches of a condition run, each for the names that lead to it.
 */
static void read_if(struct reading *r, __isl_keep isl_ast_node *node,
	__isl_take isl_set *at)
{
	isl_set *holds = condition(r, isl_ast_node_if_get_cond(node), at);

	if (isl_ast_node_if_has_else_node(node) == isl_bool_true)
		read_node(r, isl_ast_node_if_get_else_node(node),
			isl_set_subtract(isl_set_copy(at),
				isl_set_copy(holds)));
	read_node(r, isl_ast_node_if_get_then_node(node),
		isl_set_intersect(at, holds));
}

/* Blocks of so many children may be iterations that were written out. */
enum { MANY = 4 };

/* Add what a child of a block runs to "all", which is taken, as r->done.
 *
 * Iterations that were written out are a piece each. Joined one after the other they
 * are few at any time; all pieces together take time that grows with their cube.
 * Where the child runs other statements than those before it, there is nothing to join.
 */
static void join_child(struct reading *r, __isl_take isl_union_set *all,
	bool many)
{
	isl_size n = isl_union_set_n_set(all) + isl_union_set_n_set(r->done);

	r->done = isl_union_set_union(all, r->done);
	if (many && isl_union_set_n_set(r->done) < n)
		r->done = poly_union_set_coalesce(r->done);
}

/* Add what each child of a block runs; all are reached for the same names. */
static void read_block(struct reading *r, __isl_keep isl_ast_node *node,
	__isl_keep isl_set *at)
{
	isl_ast_node_list *list = isl_ast_node_block_get_children(node);
	isl_size n = isl_ast_node_list_n_ast_node(list);
	isl_union_set *outside = r->done;

	r->done = isl_union_set_empty(isl_set_get_space(at));
	for (int i = 0; i < n; i++) {
		isl_union_set *before = r->done;

		r->done = isl_union_set_empty(isl_set_get_space(at));
		read_node(r, isl_ast_node_list_get_at(list, i),
			isl_set_copy(at));
		join_child(r, before, n >= MANY);
	}
	r->done = isl_union_set_union(outside, r->done);
	isl_ast_node_list_free(list);
}

/* Add what is run at and below "node", a loop, condition, block, mark or call;
 * any other kind of node is wrong.
 */
static void read_node(struct reading *r, __isl_take isl_ast_node *node,
	__isl_take isl_set *at)
{
	at = poly_set_coalesce(at);
	switch (isl_ast_node_get_type(node)) {
	case isl_ast_node_for:
		read_for(r, node, isl_set_copy(at));
		break;
	case isl_ast_node_if:
		read_if(r, node, isl_set_copy(at));
		break;
	case isl_ast_node_block:
		read_block(r, node, at);
		break;
	case isl_ast_node_mark:
		read_node(r, isl_ast_node_mark_get_node(node),
			isl_set_copy(at));
		break;
	case isl_ast_node_user:
		read_user(r, node, at);
		break;
	default:
		r->wrong = true;
	}
	isl_set_free(at);
	isl_ast_node_free(node);
}

/* Add to "user" what reaches a leaf. */
static isl_bool add_leaf(__isl_keep isl_schedule_node *node, void *user)
{
	isl_union_set **all = user;

	if (isl_schedule_node_get_type(node) == isl_schedule_node_leaf)
		*all = isl_union_set_union(*all, poly_node_domain(node));
	return isl_bool_true;
}

isl_bool poly_ast_is_right(__isl_keep isl_ast_node *ast,
	__isl_keep isl_schedule *schedule, __isl_keep isl_set *context)
{
	struct reading r = { .ctx = isl_set_get_ctx(context) };
	isl_union_set *all = isl_union_set_empty(isl_set_get_space(context));
	isl_bool same;

	r.done = isl_union_set_copy(all);
	isl_schedule_foreach_schedule_node_top_down(schedule, add_leaf, &all);
	all = isl_union_set_intersect_params(all, isl_set_copy(context));
	read_node(&r, isl_ast_node_copy(ast), isl_set_copy(context));
	same = poly_union_set_is_part(all, r.done);
	if (same == isl_bool_true)
		same = poly_union_set_is_part(r.done, all);
	isl_union_set_free(all);
	isl_union_set_free(r.done);
	return same < 0 ? same : isl_bool_ok(same && !r.wrong);
}
