/* nvptx: isl's AST as LLVM IR.
 *
 * Each kernel has an AST of its own. In it, a loop
 *
 *	for (int c2 = 0; c2 < K; c2 += 1) S(b0, c2);
 *
 * becomes the blocks for.k, for.k.body and for.k.end with the iterator %k as
 * a phi: it takes the name of the index of S that it is. Leaves are handed to
 * the emitters of statements.
 */
#include <string.h>

#include "nvptx/nvptx_internal.h"

static LLVMValueRef expr(struct nvptx_lower *l, __isl_take isl_ast_expr *e);
static void node(struct nvptx_lower *l, __isl_take isl_ast_node *n);

static LLVMValueRef to_bool(struct nvptx_lower *l, LLVMValueRef v)
{
	if (LLVMTypeOf(v) == LLVMInt1TypeInContext(l->m->ctx))
		return v;
	return LLVMBuildICmp(l->b, LLVMIntNE, v,
		LLVMConstNull(LLVMTypeOf(v)), "");
}

static LLVMValueRef expr_id(struct nvptx_lower *l, __isl_keep isl_ast_expr *e)
{
	isl_id *id = isl_ast_expr_id_get_id(e);
	LLVMValueRef v = nvptx_find_var(l, isl_id_get_name(id));

	isl_id_free(id);
	return v;
}

static LLVMValueRef expr_int(struct nvptx_lower *l, __isl_keep isl_ast_expr *e)
{
	isl_val *v = isl_ast_expr_int_get_val(e);
	LLVMValueRef c = nvptx_int(l, isl_val_get_num_si(v));

	isl_val_free(v);
	return c;
}

static LLVMValueRef compare(struct nvptx_lower *l,
	enum isl_ast_expr_op_type op, LLVMValueRef a, LLVMValueRef b)
{
	static const LLVMIntPredicate pred[] = {
		[isl_ast_expr_op_eq] = LLVMIntEQ,
		[isl_ast_expr_op_le] = LLVMIntSLE,
		[isl_ast_expr_op_lt] = LLVMIntSLT,
		[isl_ast_expr_op_ge] = LLVMIntSGE,
		[isl_ast_expr_op_gt] = LLVMIntSGT,
	};

	return nvptx_compare(l, pred[op], a, b);
}

static LLVMValueRef divide(struct nvptx_lower *l,
	enum isl_ast_expr_op_type op, LLVMValueRef a, LLVMValueRef b)
{
	switch (op) {
	case isl_ast_expr_op_div:
		return LLVMBuildExactSDiv(l->b, a, b, "");
	case isl_ast_expr_op_pdiv_q:
		return nvptx_div(l, a, b);
	case isl_ast_expr_op_pdiv_r:
		return nvptx_mod(l, a, b);
	case isl_ast_expr_op_zdiv_r:
		return LLVMBuildSRem(l->b, a, b, "");
	default:
		if (!LLVMIsAConstantInt(b))
			return nvptx_fail(l, nvptx_i32(l),
				"division by a variable");
		return nvptx_floor_div(l, a, LLVMConstIntGetSExtValue(b));
	}
}

static LLVMValueRef binary(struct nvptx_lower *l,
	enum isl_ast_expr_op_type op, LLVMValueRef a, LLVMValueRef b)
{
	LLVMValueRef pair[2] = { a, b };

	switch (op) {
	case isl_ast_expr_op_and:
	case isl_ast_expr_op_and_then:
		return LLVMBuildAnd(l->b, to_bool(l, a), to_bool(l, b), "");
	case isl_ast_expr_op_or:
	case isl_ast_expr_op_or_else:
		return LLVMBuildOr(l->b, to_bool(l, a), to_bool(l, b), "");
	case isl_ast_expr_op_max:
		return nvptx_intrinsic(l, "llvm.smax", pair, 2);
	case isl_ast_expr_op_min:
		return nvptx_intrinsic(l, "llvm.smin", pair, 2);
	case isl_ast_expr_op_add:
		return nvptx_add(l, a, b, "");
	case isl_ast_expr_op_sub:
		return nvptx_sub(l, a, b);
	case isl_ast_expr_op_mul:
		return nvptx_mul(l, a, b);
	case isl_ast_expr_op_eq:
	case isl_ast_expr_op_le:
	case isl_ast_expr_op_lt:
	case isl_ast_expr_op_ge:
	case isl_ast_expr_op_gt:
		return compare(l, op, a, b);
	default:
		return divide(l, op, a, b);
	}
}

static LLVMValueRef expr_op(struct nvptx_lower *l, __isl_keep isl_ast_expr *e)
{
	enum isl_ast_expr_op_type op = isl_ast_expr_op_get_type(e);
	isl_size n = isl_ast_expr_op_get_n_arg(e);
	LLVMValueRef v = expr(l, isl_ast_expr_op_get_arg(e, 0));
	LLVMValueRef a, b;

	switch (op) {
	case isl_ast_expr_op_minus:
		return nvptx_sub(l, nvptx_int(l, 0), v);
	case isl_ast_expr_op_cond:
	case isl_ast_expr_op_select:
		a = expr(l, isl_ast_expr_op_get_arg(e, 1));
		b = expr(l, isl_ast_expr_op_get_arg(e, 2));
		return LLVMBuildSelect(l->b, to_bool(l, v), a, b, "");
	case isl_ast_expr_op_error:
	case isl_ast_expr_op_call:
	case isl_ast_expr_op_access:
	case isl_ast_expr_op_member:
	case isl_ast_expr_op_address_of:
		return nvptx_fail(l, nvptx_i32(l),
			"unexpected expression in the AST");
	default:
		for (int i = 1; i < n; i++)
			v = binary(l, op, v,
				expr(l, isl_ast_expr_op_get_arg(e, i)));
		return v;
	}
}

static LLVMValueRef expr(struct nvptx_lower *l, __isl_take isl_ast_expr *e)
{
	LLVMValueRef v;

	switch (isl_ast_expr_get_type(e)) {
	case isl_ast_expr_id:
		v = expr_id(l, e);
		break;
	case isl_ast_expr_int:
		v = expr_int(l, e);
		break;
	case isl_ast_expr_op:
		v = expr_op(l, e);
		break;
	default:
		v = nvptx_fail(l, nvptx_i32(l), "isl's AST has an error");
	}
	isl_ast_expr_free(e);
	return v;
}

/* The statement that user node "n" calls, and the call; NULL on error. */
static struct poly_stmt *called(struct poly_prog *prog,
	__isl_keep isl_ast_node *n, isl_ast_expr **call)
{
	isl_ast_expr *fn;
	isl_id *id;
	struct poly_stmt *s;

	*call = isl_ast_node_user_get_expr(n);
	fn = isl_ast_expr_op_get_arg(*call, 0);
	id = isl_ast_expr_id_get_id(fn);
	s = id ? poly_prog_find_stmt(prog, isl_id_get_name(id)) : NULL;
	isl_id_free(id);
	isl_ast_expr_free(fn);
	return s;
}

static void user_node(struct nvptx_lower *l, __isl_keep isl_ast_node *n)
{
	LLVMValueRef arg[16];
	isl_ast_expr *call;
	struct poly_stmt *s = called(l->prog, n, &call);
	isl_size n_arg = isl_ast_expr_op_get_n_arg(call);

	if (!s || n_arg > 17) {
		nvptx_fail(l, nvptx_i32(l), "the AST calls no statement");
		isl_ast_expr_free(call);
		return;
	}
	nvptx_debug_stmt(l, s);
	for (int i = 1; i < n_arg; i++)
		arg[i - 1] = expr(l, isl_ast_expr_op_get_arg(call, i));
	isl_ast_expr_free(call);
	if (s->kind == POLY_POINT)
		nvptx_point(l, s, arg);
	else
		nvptx_tile(l, s, arg);
}

/* What a loop is called after: the index that its iterator is. */
struct naming {
	struct poly_prog *prog;
	isl_id *iterator;
	struct poly_str name;
};

static bool is_id(__isl_take isl_ast_expr *e, __isl_keep isl_id *id)
{
	bool is = false;

	if (isl_ast_expr_get_type(e) == isl_ast_expr_id) {
		isl_id *own = isl_ast_expr_id_get_id(e);

		is = own == id;
		isl_id_free(own);
	}
	isl_ast_expr_free(e);
	return is;
}

/* Tile coordinates have the name of what they are tiles of: "k.tile". */
static void name_after(struct naming *w, const struct poly_stmt *s, int pos)
{
	const char *name;

	if (s->kind == POLY_POINT) {
		name = isl_set_get_dim_name(s->domain, isl_dim_set, pos);
		if (name)
			poly_str_add(&w->name, name);
	} else if (s->n_member && s->member[0]->at) {
		name = nvptx_point_name(s->member[0], pos);
		if (name)
			poly_str_printf(&w->name, "%s.tile", name);
	}
}

static isl_bool find_name(__isl_keep isl_ast_node *n, void *user)
{
	struct naming *w = user;
	isl_ast_expr *call;
	struct poly_stmt *s;
	isl_size n_arg;

	if (isl_ast_node_get_type(n) != isl_ast_node_user || w->name.s)
		return isl_bool_ok(!w->name.s);
	s = called(w->prog, n, &call);
	n_arg = s ? isl_ast_expr_op_get_n_arg(call) : 0;
	for (int i = 1; i < n_arg && !w->name.s; i++)
		if (is_id(isl_ast_expr_op_get_arg(call, i), w->iterator))
			name_after(w, s, i - 1);
	isl_ast_expr_free(call);
	return isl_bool_false;
}

/* A loop over the tiles of a summation stays: unrolled, it leaves one long
 * block to ptxas, which spills (see lower_contract.c).
 */
static void for_loop(struct nvptx_lower *l, __isl_keep isl_ast_node *n,
	__isl_keep isl_id *id, LLVMValueRef init, __isl_take isl_ast_node *body)
{
	struct naming naming = { l->prog, id, { 0 } };
	const char *iterator = isl_id_get_name(id);
	struct nvptx_loop loop;
	LLVMValueRef step = expr(l, isl_ast_node_for_get_inc(n));

	isl_ast_node_foreach_descendant_top_down(n, &find_name, &naming);
	nvptx_loop_begin(l, &loop, naming.name.s ? naming.name.s : iterator,
		init, step);
	nvptx_bind(l, iterator, loop.i);
	nvptx_loop_body(l, &loop,
		to_bool(l, expr(l, isl_ast_node_for_get_cond(n))));
	node(l, body);
	nvptx_loop_end(l, &loop, l->kernel->tile_k ? 1 : 0);
	poly_str_free(&naming.name);
}

static void for_node(struct nvptx_lower *l, __isl_keep isl_ast_node *n)
{
	isl_ast_expr *iterator = isl_ast_node_for_get_iterator(n);
	isl_id *id = isl_ast_expr_id_get_id(iterator);
	LLVMValueRef init = expr(l, isl_ast_node_for_get_init(n));
	isl_ast_node *body = isl_ast_node_for_get_body(n);
	int n_var = l->n_var;

	if (isl_ast_node_for_is_degenerate(n) == isl_bool_true) {
		nvptx_bind(l, isl_id_get_name(id), init);
		node(l, body);
	} else {
		for_loop(l, n, id, init, body);
	}
	nvptx_unbind(l, n_var);
	isl_ast_expr_free(iterator);
	isl_id_free(id);
}

static void if_node(struct nvptx_lower *l, __isl_keep isl_ast_node *n)
{
	LLVMValueRef cond = to_bool(l, expr(l, isl_ast_node_if_get_cond(n)));
	struct nvptx_branch branch, other;

	nvptx_if_begin(l, &branch, cond, "if");
	node(l, isl_ast_node_if_get_then_node(n));
	nvptx_if_end(l, &branch);
	if (isl_ast_node_if_has_else_node(n) != isl_bool_true)
		return;
	cond = LLVMBuildNot(l->b, cond, "");
	nvptx_if_begin(l, &other, cond, "else");
	node(l, isl_ast_node_if_get_else_node(n));
	nvptx_if_end(l, &other);
}

static void block_node(struct nvptx_lower *l, __isl_keep isl_ast_node *n)
{
	isl_ast_node_list *list = isl_ast_node_block_get_children(n);
	isl_size size = isl_ast_node_list_size(list);

	for (int i = 0; i < size; i++)
		node(l, isl_ast_node_list_get_at(list, i));
	isl_ast_node_list_free(list);
}

struct visit {
	struct poly_prog *prog;
	void (*fn)(struct poly_stmt *stmt, void *user);
	void *user;
};

static isl_bool visit_stmt(__isl_keep isl_ast_node *n, void *user)
{
	struct visit *v = user;
	isl_ast_expr *call;
	struct poly_stmt *s;

	if (isl_ast_node_get_type(n) != isl_ast_node_user)
		return isl_bool_true;
	s = called(v->prog, n, &call);
	isl_ast_expr_free(call);
	if (s)
		v->fn(s, v->user);
	return isl_bool_false;
}

static void node(struct nvptx_lower *l, __isl_take isl_ast_node *n)
{
	switch (isl_ast_node_get_type(n)) {
	case isl_ast_node_for:
		for_node(l, n);
		break;
	case isl_ast_node_if:
		if_node(l, n);
		break;
	case isl_ast_node_block:
		block_node(l, n);
		break;
	case isl_ast_node_mark:
		node(l, isl_ast_node_mark_get_node(n));
		break;
	case isl_ast_node_user:
		user_node(l, n);
		break;
	default:
		nvptx_fail(l, nvptx_i32(l), "isl's AST has an error");
	}
	isl_ast_node_free(n);
}

void nvptx_ast(struct nvptx_lower *l, __isl_keep isl_ast_node *ast)
{
	node(l, isl_ast_node_copy(ast));
}

isl_stat nvptx_ast_stmts(struct poly_prog *prog,
	__isl_keep isl_ast_node *ast,
	void (*fn)(struct poly_stmt *stmt, void *user), void *user)
{
	struct visit v = { prog, fn, user };

	return isl_ast_node_foreach_descendant_top_down(ast, &visit_stmt, &v);
}
