/* nvptx: isl's AST as LLVM IR.
 *
 * Each kernel has an AST of its own. In it, a loop
 *
 *	for (int c2 = 0; c2 < K; c2 += 1) S(b0, c2);
 *
 * becomes the blocks for.k, for.k.body and for.k.end with the iterator %k as
 * a phi: it takes the name of the index of S that it is. A loop over all elements
 * that an atomic update may mean is none, as one of them is meant. Leaves are handed
 * to the emitters of statements.
 */
#include <string.h>

#include "nvptx/llvm/llvm.h"
#include "nvptx/lower/lower.h"

static void node(struct nvptx_lower *l, __isl_take isl_ast_node *n);

/* What index "i" of the statement with that domain, where the sizes have bounds, may
 * be.
 */
static struct nvptx_range index_range(__isl_keep isl_set *domain, int i)
{
	isl_aff *index = isl_aff_var_on_domain(isl_local_space_from_space(
		isl_set_get_space(domain)), isl_dim_set, i);
	struct nvptx_range r = nvptx_range_on(domain, index);

	isl_aff_free(index);
	return r.lo <= r.hi ? r :
		(struct nvptx_range){ INT64_MIN, INT64_MAX };
}

/* "r" without what index "i" of "s" never is in the kernel, which is kept while one
 * instance of "s" comes after another.
 */
static struct nvptx_range clip(struct nvptx_lower *l,
	const struct poly_stmt *s, struct nvptx_range r, int i)
{
	struct nvptx_entered *e = &l->entered;

	if (e->stmt != s || e->kernel != l->kernel)
		*e = (struct nvptx_entered){ .stmt = s, .kernel = l->kernel };
	if (!e->known[i]) {
		isl_set *domain = isl_set_intersect_params(
			isl_set_copy(s->domain), isl_set_copy(l->fact.places));

		e->range[i] = index_range(domain, i);
		e->known[i] = true;
		isl_set_free(domain);
	}
	if (e->range[i].lo > r.lo)
		r.lo = e->range[i].lo;
	if (e->range[i].hi < r.hi)
		r.hi = e->range[i].hi;
	return r;
}

/* Say that "arg" lies in the domain of "s", as it does where the instance
 * runs; "before" receives what was known.
 */
static void enter_domain(struct nvptx_lower *l, const struct poly_stmt *s,
	LLVMValueRef *arg, struct nvptx_range *before)
{
	isl_size n = isl_set_dim(s->domain, isl_dim_set);

	for (int i = 0; i < n; i++) {
		struct nvptx_range r;

		before[i] = nvptx_range_of(l->ir, arg[i]);
		if (LLVMIsAConstantInt(arg[i]))
			continue;
		r = clip(l, s, before[i], i);
		if (nvptx_range_type(l->ir, r) == nvptx_i32(l->ir) &&
		    LLVMTypeOf(arg[i]) != nvptx_i32(l->ir)) {
			arg[i] = nvptx_extend(l->ir, arg[i], nvptx_i32(l->ir));
			before[i] = r;
		}
		nvptx_range_set(l->ir, arg[i], r);
	}
}

/* The point statement "s" at "arg"; what is known of the arguments inside is
 * not known behind.
 */
static void point(struct nvptx_lower *l, const struct poly_stmt *s,
	LLVMValueRef *arg)
{
	struct nvptx_range before[16];
	isl_size n = isl_set_dim(s->domain, isl_dim_set);

	if (l->kernel->tiled) {
		nvptx_point(l, s, arg);
		return;
	}
	enter_domain(l, s, arg, before);
	nvptx_point(l, s, arg);
	for (int i = 0; i < n; i++)
		if (!LLVMIsAConstantInt(arg[i]))
			nvptx_range_set(l->ir, arg[i], before[i]);
}

/* The statement that "n" calls: a point, or an operation on a tile. */
static void user_node(struct nvptx_lower *l, __isl_keep isl_ast_node *n)
{
	LLVMValueRef arg[16];
	isl_ast_expr *call;
	struct poly_stmt *s = nvptx_called(l->prog, n, &call);
	isl_size n_arg = isl_ast_expr_op_get_n_arg(call), n_var = l->name.n;

	if (!s || n_arg > 17) {
		nvptx_fail(l->ir, nvptx_i32(l->ir), "the AST calls no statement");
		isl_ast_expr_free(call);
		return;
	}
	if (!nvptx_has_part(l, s)) {
		isl_ast_expr_free(call);
		return;
	}
	nvptx_debug_stmt(l->ir, s);
	nvptx_unit_bind(l, s);
	for (int i = 1; i < n_arg; i++)
		arg[i - 1] = nvptx_ast_expr(l, isl_ast_expr_op_get_arg(call, i));
	nvptx_unbind(&l->name, n_var);
	isl_ast_expr_free(call);
	if (s->kind != POLY_POINT) {
		nvptx_instance(l, s, arg);
		nvptx_tile(l, s, arg);
	} else
		point(l, s, arg);
}

/* What a loop is called after: the index that its iterator is. */
struct naming {
	struct poly_prog *prog;
	isl_id *iterator;
	struct poly_str name;
};

/* Is "e", which is taken, the iterator "id" alone? */
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

/* Name the loop after the first argument of a call that is its iterator. */
static isl_bool find_name(__isl_keep isl_ast_node *n, void *user)
{
	struct naming *w = user;
	isl_ast_expr *call;
	struct poly_stmt *s;
	isl_size n_arg;

	if (isl_ast_node_get_type(n) != isl_ast_node_user || w->name.s)
		return isl_bool_ok(!w->name.s);
	s = nvptx_called(w->prog, n, &call);
	n_arg = s ? isl_ast_expr_op_get_n_arg(call) : 0;
	for (int i = 1; i < n_arg && !w->name.s; i++)
		if (is_id(isl_ast_expr_op_get_arg(call, i), w->iterator))
			name_after(w, s, i - 1);
	isl_ast_expr_free(call);
	return isl_bool_false;
}

/* The bound of "iterator < bound" or "<=", which does not change while the
 * loop runs; NULL if the condition is not like this.
 */
static LLVMValueRef loop_bound(struct nvptx_lower *l,
	__isl_keep isl_ast_expr *cond, __isl_keep isl_id *id, bool *less)
{
	enum isl_ast_expr_op_type op;

	if (isl_ast_expr_get_type(cond) != isl_ast_expr_op)
		return NULL;
	op = isl_ast_expr_op_get_type(cond);
	*less = op == isl_ast_expr_op_lt;
	if ((!*less && op != isl_ast_expr_op_le) ||
	    !is_id(isl_ast_expr_op_get_arg(cond, 0), id))
		return NULL;
	return nvptx_ast_expr(l, isl_ast_expr_op_get_arg(cond, 1));
}

/* What the iterator from "init" can be while "bound" holds, and behind. */
static struct nvptx_range iterator_range(struct nvptx_ir *ir,
	LLVMValueRef init, LLVMValueRef bound, bool less)
{
	struct nvptx_range r = nvptx_range_of(ir, init);
	struct nvptx_range to = { 0, INT64_MAX };

	if (bound)
		to = nvptx_range_of(ir, bound);
	if (r.hi < to.hi - less)
		r.hi = to.hi - less;
	return r;
}

/* Run "body" once with the iterator "id" at -1, where it begins at that and has more
 * iterations: there a script has copies made an iteration early, for the next one, and
 * all others then do all that the loop does. The value that the loop begins with.
 */
static LLVMValueRef early(struct nvptx_lower *l, __isl_keep isl_id *id,
	LLVMValueRef init, LLVMValueRef step, LLVMValueRef bound,
	__isl_keep isl_ast_node *body)
{
	int n_var = l->name.n;

	if (!l->kernel->given || !LLVMIsAConstantInt(init) || !bound ||
	    LLVMConstIntGetSExtValue(init) != -1 || !LLVMIsAConstantInt(bound) ||
	    LLVMConstIntGetSExtValue(bound) < 1 ||
	    LLVMConstIntGetSExtValue(step) != 1)
		return init;
	nvptx_bind(l, isl_id_get_name(id), init);
	node(l, isl_ast_node_copy(body));
	nvptx_unbind(&l->name, n_var);
	return nvptx_exact_int(l->ir, 0);
}

/* A loop over the tiles of a summation stays: unrolled, it leaves one long
 * block to ptxas, which spills (see lower_contract.c). The iterator of a tiled
 * kernel, which counts tiles, has 32 bits.
 */
void nvptx_for_loop(struct nvptx_lower *l, __isl_keep isl_ast_node *n,
	__isl_keep isl_id *id, LLVMValueRef init, __isl_take isl_ast_node *body)
{
	struct naming naming = { l->prog, id, { 0 } };
	const char *iterator = isl_id_get_name(id);
	isl_ast_expr *cond = isl_ast_node_for_get_cond(n);
	LLVMValueRef step = nvptx_ast_expr(l, isl_ast_node_for_get_inc(n)), c;
	bool less = false;
	LLVMValueRef bound = loop_bound(l, cond, id, &less);
	LLVMTypeRef type = nvptx_i32(l->ir);
	struct nvptx_range r, last;
	struct nvptx_loop loop;
	int unroll;

	init = early(l, id, init, step, bound, body);
	r = last = iterator_range(l->ir, init, bound, less);
	if (!l->kernel->tiled && (__builtin_add_overflow(r.hi,
	    LLVMConstIntGetSExtValue(step), &last.hi) ||
	    nvptx_range_type(l->ir, last) != type))
		type = nvptx_i64(l->ir);
	isl_ast_node_foreach_descendant_top_down(n, &find_name, &naming);
	nvptx_loop_begin(l->ir, &loop, naming.name.s ? naming.name.s : iterator,
		nvptx_extend(l->ir, init, type), nvptx_extend(l->ir, step,
		type));
	nvptx_bind(l, iterator, loop.i);
	c = bound ? nvptx_exact_compare(l->ir, less ? LLVMIntSLT : LLVMIntSLE,
		loop.i, bound) : nvptx_ast_condition(l->ir,
		nvptx_ast_expr(l, isl_ast_expr_copy(cond)));
	isl_ast_expr_free(cond);
	if (!l->kernel->tiled)
		nvptx_range_set(l->ir, loop.i, r);
	nvptx_loop_body(l->ir, &loop, c);
	unroll = l->kernel->tile_k ? 1 : nvptx_unrolling(l, body, r);
	node(l, body);
	nvptx_loop_end(l->ir, &loop, unroll);
	poly_str_free(&naming.name);
}

/* Emit a loop around "body" that adds up what a lane reads with several
 * iterations at a time; false: it is none.
 */
static bool sum_loop(struct nvptx_lower *l, __isl_keep isl_ast_node *n,
	__isl_keep isl_id *id, LLVMValueRef init,
	__isl_keep isl_ast_node *body)
{
	struct nvptx_sum s = { .id = id, .iterator = isl_id_get_name(id),
		.init = init, .body = body };
	struct naming naming = { l->prog, id, { 0 } };
	isl_ast_expr *cond;
	bool less = false;

	if ((!l->fact.lanes && !poly_prog_hidden(l->prog, POLY_PARTS)) ||
	    l->ir->m->opt.wide)
		return false;
	s.step = LLVMConstIntGetSExtValue(nvptx_ast_expr(l,
		isl_ast_node_for_get_inc(n)));
	s.times = nvptx_sum_times(l, &s);
	cond = isl_ast_node_for_get_cond(n);
	s.last = s.times ? loop_bound(l, cond, id, &less) : NULL;
	isl_ast_expr_free(cond);
	if (!s.last)
		return false;
	s.range = iterator_range(l->ir, init, s.last, less);
	if (s.range.hi > INT32_MAX - 2 * s.times * s.step)
		return false;
	if (less)
		s.last = nvptx_exact(l->ir, NVPTX_EXACT_SUB, s.last,
			nvptx_int(l->ir, 1));
	isl_ast_node_foreach_descendant_top_down(n, &find_name, &naming);
	s.name = naming.name.s ? naming.name.s : s.iterator;
	nvptx_sum_loop(l, &s);
	poly_str_free(&naming.name);
	return true;
}

/* The statement that may do nothing, and the call, that "n", which is taken, or loops
 * alone around it run; NULL if there is more.
 */
static struct poly_stmt *only_choice(struct poly_prog *prog,
	__isl_take isl_ast_node *n, isl_ast_expr **call)
{
	enum isl_ast_node_type type = isl_ast_node_get_type(n);
	struct poly_stmt *s = NULL;

	if (type == isl_ast_node_for || type == isl_ast_node_mark) {
		isl_ast_node *inner = type == isl_ast_node_for ?
			isl_ast_node_for_get_body(n) :
			isl_ast_node_mark_get_node(n);

		isl_ast_node_free(n);
		return only_choice(prog, inner, call);
	}
	if (type == isl_ast_node_user) {
		s = nvptx_called(prog, n, call);
		if (!s || !poly_skips(s)) {
			*call = isl_ast_expr_free(*call);
			s = NULL;
		}
	}
	isl_ast_node_free(n);
	return s;
}

/* Is "e" made of floats? Rounding may decide what it is then. */
static bool has_floats(const struct poly_expr *e)
{
	bool has = poly_type_is_float(e->type);

	for (int i = 0; i < poly_op_n_arg(e->op) && !has; i++)
		has = has_floats(e->arg[i]);
	return has;
}

/* The value that "call", of "s", wants the iterator "id" to have; NULL if it wants
 * none, or that is not known yet.
 */
static LLVMValueRef wanted(struct nvptx_lower *l, const struct poly_stmt *s,
	__isl_keep isl_ast_expr *call, __isl_keep isl_id *id)
{
	int n = isl_set_dim(s->domain, isl_dim_set);
	const struct poly_expr *value = NULL;
	LLVMValueRef arg[16];
	struct nvptx_range before[16];

	for (int i = 0; i < n; i++) {
		if (is_id(isl_ast_expr_op_get_arg(call, i + 1), id))
			value = poly_wanted(s, i);
		arg[i] = nvptx_int(l->ir, 0);
		if (poly_wanted(s, i))
			continue;
		if (!nvptx_is_known(&l->name, isl_ast_expr_op_get_arg(call, i + 1)))
			return NULL;
		arg[i] = nvptx_ast_expr(l, isl_ast_expr_op_get_arg(call, i + 1));
	}
	for (int i = 0; i < n && value; i++)
		if (poly_wanted(s, i) && poly_expr_moves(value, i))
			value = NULL;
	if (!value || (l->ir->m->opt.wide && has_floats(value)))
		return NULL;
	nvptx_debug_stmt(l->ir, s);
	enter_domain(l, s, arg, before);
	arg[0] = nvptx_expr(l, value, arg).v;
	return poly_type_class(value->type) == POLY_CLASS_UINT ?
		LLVMBuildZExt(l->ir->b, arg[0], nvptx_i64(l->ir), "") :
		nvptx_extend(l->ir, arg[0], nvptx_i64(l->ir));
}

/* Emit the one iteration of a loop around a choice in which this does something;
 * false: it is no such loop. Updates of a copy that the block has never branch.
 */
static bool jump(struct nvptx_lower *l, __isl_keep isl_ast_node *n,
	__isl_keep isl_id *id, LLVMValueRef init,
	__isl_keep isl_ast_node *body)
{
	isl_ast_expr *call = NULL, *cond = isl_ast_node_for_get_cond(n);
	struct poly_stmt *s = only_choice(l->prog, isl_ast_node_copy(body),
		&call);
	bool less = false;
	LLVMValueRef bound = s ?
		loop_bound(l, cond, id, &less) : NULL;
	LLVMValueRef at = bound ? wanted(l, s, call, id) : NULL, c;
	LLVMValueRef before = l->now.live;
	struct nvptx_branch branch;
	struct nvptx_range r;

	isl_ast_expr_free(cond);
	isl_ast_expr_free(call);
	if (!at || LLVMConstIntGetSExtValue(nvptx_ast_expr(l,
	    isl_ast_node_for_get_inc(n))) != 1)
		return false;
	r = iterator_range(l->ir, init, bound, less);
	c = LLVMBuildAnd(l->ir->b, LLVMBuildICmp(l->ir->b, LLVMIntSGE, at,
		nvptx_extend(l->ir, init, nvptx_i64(l->ir)), ""),
		LLVMBuildICmp(l->ir->b, less ? LLVMIntSLT : LLVMIntSLE, at,
			nvptx_extend(l->ir, bound, nvptx_i64(l->ir)), ""), "");
	if (l->value.near) {
		l->now.live = before ? LLVMBuildAnd(l->ir->b, before, c, "") :
			c;
		at = LLVMBuildSelect(l->ir->b, c, at, nvptx_extend(l->ir, init,
			nvptx_i64(l->ir)), "");
	} else {
		nvptx_if_begin(l->ir, &branch, c, "in");
	}
	at = LLVMBuildTrunc(l->ir->b, at, nvptx_range_type(l->ir, r), "");
	nvptx_range_set(l->ir, at, r);
	nvptx_bind(l, isl_id_get_name(id), at);
	node(l, isl_ast_node_copy(body));
	if (!l->value.near)
		nvptx_if_end(l->ir, &branch);
	l->now.live = before;
	return true;
}

/* The loop "n": a name for its one value, a sum in several iterations at a time, a
 * jump to the one iteration that does something, or, else, a loop.
 */
static void for_node(struct nvptx_lower *l, __isl_keep isl_ast_node *n)
{
	isl_ast_expr *iterator = isl_ast_node_for_get_iterator(n);
	isl_id *id = isl_ast_expr_id_get_id(iterator);
	LLVMValueRef init = nvptx_ast_expr(l, isl_ast_node_for_get_init(n));
	isl_ast_node *body = isl_ast_node_for_get_body(n);
	int n_var = l->name.n;

	if (isl_ast_node_for_is_degenerate(n) == isl_bool_true) {
		nvptx_bind(l, isl_id_get_name(id), init);
		node(l, body);
	} else if (sum_loop(l, n, id, init, body) ||
		   jump(l, n, id, init, body) ||
		   nvptx_loops_apart(l, n, id, init, body)) {
		isl_ast_node_free(body);
	} else {
		nvptx_for_loop(l, n, id, init, body);
	}
	nvptx_unbind(&l->name, n_var);
	isl_ast_expr_free(iterator);
	isl_id_free(id);
}

/* "else" is a branch of its own, on the contrary. */
static void if_node(struct nvptx_lower *l, __isl_keep isl_ast_node *n)
{
	isl_ast_expr *asked = isl_ast_node_if_get_cond(n);
	struct nvptx_branch branch, other;
	LLVMValueRef cond;
	bool holds;

	if (nvptx_is_assumed(l, asked, &holds)) {
		isl_ast_expr_free(asked);
		if (holds)
			node(l, isl_ast_node_if_get_then_node(n));
		else if (isl_ast_node_if_has_else_node(n) == isl_bool_true)
			node(l, isl_ast_node_if_get_else_node(n));
		return;
	}
	if (l->now.whole)
		asked = isl_ast_expr_free(asked);
	cond = asked ? nvptx_ast_condition(l->ir, nvptx_ast_expr(l, asked)) :
		nvptx_true(l->ir);
	nvptx_if_begin(l->ir, &branch, cond, "if");
	node(l, isl_ast_node_if_get_then_node(n));
	nvptx_if_end(l->ir, &branch);
	if (isl_ast_node_if_has_else_node(n) != isl_bool_true)
		return;
	cond = LLVMBuildNot(l->ir->b, cond, "");
	nvptx_if_begin(l->ir, &other, cond, "else");
	node(l, isl_ast_node_if_get_else_node(n));
	nvptx_if_end(l->ir, &other);
}

/* The statement that "n" calls, or NULL. */
static struct poly_stmt *statement_of(struct poly_prog *prog,
	__isl_take isl_ast_node *n)
{
	struct poly_stmt *s = NULL;
	isl_ast_expr *call;

	if (isl_ast_node_get_type(n) == isl_ast_node_user) {
		s = nvptx_called(prog, n, &call);
		isl_ast_expr_free(call);
	}
	isl_ast_node_free(n);
	return s;
}

/* If child "i" is a copy that is only started, with nothing but such copies
 * between it and a product, that product.
 */
static const struct poly_stmt *leads_to_product(struct nvptx_lower *l,
	__isl_keep isl_ast_node_list *list, int i)
{
	for (int first = i; i < isl_ast_node_list_size(list); i++) {
		struct poly_stmt *s = statement_of(l->prog,
			isl_ast_node_list_get_at(list, i));

		if (s && s->kind == POLY_CONTRACT)
			return i > first ? s : NULL;
		if (!s || s->kind != POLY_COPY || !nvptx_is_async(l, s))
			return NULL;
	}
	return NULL;
}

/* The children of "n" in their order. A copy that leads to a product may put
 * off what it starts, for as many turns as the product has bodies.
 */
static void block_node(struct nvptx_lower *l, __isl_keep isl_ast_node *n)
{
	isl_ast_node_list *list = isl_ast_node_block_get_children(n);
	isl_size size = isl_ast_node_list_size(list);

	for (int i = 0; i < size; i++) {
		const struct poly_stmt *product = leads_to_product(l, list, i);

		l->put_off.turns = product ?
			l->kernel->tile_k / nvptx_body(l->kernel, product) : 0;
		node(l, isl_ast_node_list_get_at(list, i));
		l->put_off.turns = 0;
	}
	isl_ast_node_list_free(list);
}

/* The code of "n", which is taken. */
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
		nvptx_fail(l->ir, nvptx_i32(l->ir), "isl's AST has an error");
	}
	isl_ast_node_free(n);
}

void nvptx_ast(struct nvptx_lower *l, __isl_keep isl_ast_node *ast)
{
	node(l, isl_ast_node_copy(ast));
}
