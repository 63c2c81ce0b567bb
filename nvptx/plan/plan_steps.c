/* nvptx: the launch program: isl's AST above the kernels as steps of the plan.
 *
 *	for (int c0 = 0; c0 < T; c0 += 1)	LOOP 0: 0, i0 < T, 1
 *	  k0(c0);				  LAUNCH k0: i0
 *						END
 *
 * Loops number their iterators by their depth. Where the tree says that iterations run at
 * one time, the loop is an EACH; but for one whose launches share a temporary of their own,
 * such as a count of blocks, so that one has to be over before the next begins.
 *
 * Host loops are isl's own, so what runs is exactly the tree's order. Links
 * from the begin of a loop or condition to its end are made last, by
 * cetane_rt_steps_link, which checks the nesting, too.
 */
#include <stdlib.h>
#include <string.h>

#include "nvptx/llvm/llvm.h"
#include "nvptx/plan/plan.h"
#include "nvptx/value/value.h"

/* The walk: "name" are the iterators of the loops that are open.
 *
 * "cap" is the room of the plan's list of steps; "name" has references of its
 * own.
 */
struct steps {
	struct nvptx_lower *l;
	struct nvptx_plan *plan;
	int cap;
	isl_id *name[CETANE_RT_MAX_ITER];
	int depth;
	const char *each;	/* the iterator of the loop to be an EACH, or NULL */
};

static void add_expr(struct steps *s, struct nvptx_postfix *c,
	__isl_take isl_ast_expr *e);
static void add_node(struct steps *s, __isl_take isl_ast_node *n);

/* ------------------------------------------------------------ expressions */

/* Push the iterator of an open loop, the innermost of that name, or else the
 * size that "e" names.
 *
 * isl names iterators c0, c1, ..; a size of that name would be hidden by a
 * loop, so the loop is looked for first.
 */
static void add_id(struct steps *s, struct nvptx_postfix *c,
	__isl_keep isl_ast_expr *e)
{
	isl_id *id = isl_ast_expr_id_get_id(e);
	int k = nvptx_param_number(s->l->prog, isl_id_get_name(id));
	int i = s->depth - 1;

	while (i >= 0 && s->name[i] != id)
		i--;
	isl_id_free(id);
	if (i >= 0)
		nvptx_push(c, CETANE_RT_ITER, i);
	else if (k >= 0)
		nvptx_push_size(s->l, c, k);
	else
		c->failed = true;
}

/* The code of an operator of two arguments; "*swap": they change places.
 *
 * isl's three divisions are all floor divisions where it makes them: pdiv has
 * operands that are not negative, div is exact.
 */
static enum cetane_rt_code code_of(struct nvptx_postfix *c,
	enum isl_ast_expr_op_type op, bool *swap)
{
	*swap = op == isl_ast_expr_op_ge || op == isl_ast_expr_op_gt;
	switch (op) {
	case isl_ast_expr_op_and:
	case isl_ast_expr_op_and_then:
		return CETANE_RT_AND;
	case isl_ast_expr_op_or:
	case isl_ast_expr_op_or_else:
		return CETANE_RT_OR;
	case isl_ast_expr_op_max:
		return CETANE_RT_MAX;
	case isl_ast_expr_op_min:
		return CETANE_RT_MIN;
	case isl_ast_expr_op_add:
		return CETANE_RT_ADD;
	case isl_ast_expr_op_sub:
		return CETANE_RT_SUB;
	case isl_ast_expr_op_mul:
		return CETANE_RT_MUL;
	case isl_ast_expr_op_div:
	case isl_ast_expr_op_fdiv_q:
	case isl_ast_expr_op_pdiv_q:
		return CETANE_RT_DIV;
	case isl_ast_expr_op_pdiv_r:
	case isl_ast_expr_op_zdiv_r:
		return CETANE_RT_MOD;
	case isl_ast_expr_op_eq:
		return CETANE_RT_EQ;
	case isl_ast_expr_op_le:
	case isl_ast_expr_op_ge:
		return CETANE_RT_LE;
	case isl_ast_expr_op_lt:
	case isl_ast_expr_op_gt:
		return CETANE_RT_LT;
	default:
		c->failed = true;
		return CETANE_RT_ADD;
	}
}

/* Push the operator "e" behind its arguments. "a > b" is pushed as b < a.
 *
 * Operators of several arguments, as min, are pushed pairwise.
 */
static void add_op(struct steps *s, struct nvptx_postfix *c,
	__isl_keep isl_ast_expr *e)
{
	enum isl_ast_expr_op_type op = isl_ast_expr_op_get_type(e);
	isl_size n = isl_ast_expr_op_get_n_arg(e);
	enum cetane_rt_code code;
	bool swap;

	if (op == isl_ast_expr_op_minus) {
		nvptx_push(c, CETANE_RT_CONST, 0);
		add_expr(s, c, isl_ast_expr_op_get_arg(e, 0));
		nvptx_push(c, CETANE_RT_SUB, 0);
	} else if (op == isl_ast_expr_op_cond ||
		   op == isl_ast_expr_op_select) {
		for (int i = 0; i < 3; i++)
			add_expr(s, c, isl_ast_expr_op_get_arg(e, i));
		nvptx_push(c, CETANE_RT_SELECT, 0);
	} else {
		code = code_of(c, op, &swap);
		add_expr(s, c, isl_ast_expr_op_get_arg(e, swap ? 1 : 0));
		for (int i = 1; i < n; i++) {
			add_expr(s, c, isl_ast_expr_op_get_arg(e,
				swap ? 0 : i));
			nvptx_push(c, code, 0);
		}
	}
}

/* Push the value of "e", which is taken.
 *
 * An integer of isl's AST fits 64 bits, as sizes do.
 */
static void add_expr(struct steps *s, struct nvptx_postfix *c,
	__isl_take isl_ast_expr *e)
{
	isl_val *v;

	switch (isl_ast_expr_get_type(e)) {
	case isl_ast_expr_id:
		add_id(s, c, e);
		break;
	case isl_ast_expr_int:
		v = isl_ast_expr_int_get_val(e);
		nvptx_push(c, CETANE_RT_CONST, isl_val_get_num_si(v));
		isl_val_free(v);
		break;
	case isl_ast_expr_op:
		add_op(s, c, e);
		break;
	default:
		c->failed = true;
	}
	isl_ast_expr_free(e);
}

/* A failure is reported by nvptx_postfix_end and ends the lowering. */
static void add_formula(struct steps *s, __isl_take isl_ast_expr *e,
	struct cetane_rt_formula *f)
{
	struct nvptx_postfix c = { .cap = 0 };

	add_expr(s, &c, e);
	nvptx_postfix_end(s->l, &c, f);
}

/* ------------------------------------------------------------------ steps */

/* A new step with room for "n" formulas, or NULL without memory.
 *
 * Reported if there is no memory.
 */
static struct cetane_rt_step *add_step(struct steps *s,
	enum cetane_rt_kind_of_step kind, int index, int n)
{
	struct nvptx_plan *plan = s->plan;
	struct cetane_rt_step *step = plan->step;

	if (plan->n_step == s->cap) {
		s->cap = s->cap ? 2 * s->cap : 16;
		step = realloc(step, s->cap * sizeof(*step));
	}
	if (!step) {
		nvptx_fail(s->l->ir, nvptx_i32(s->l->ir), "out of memory");
		return NULL;
	}
	plan->step = step;
	step += plan->n_step++;
	*step = (struct cetane_rt_step) { .kind = kind, .index = index };
	step->formula = calloc(n + 1, sizeof(*step->formula));
	step->n_formula = step->formula ? n : 0;
	if (!step->formula)
		nvptx_fail(s->l->ir, nvptx_i32(s->l->ir), "out of memory");
	return step->formula ? step : NULL;
}

/* The condition of a loop; a degenerate one runs once.
 *
 * A loop that runs once is "degenerate" to isl: it has no condition.
 */
static void add_bound(struct steps *s, __isl_keep isl_ast_node *n,
	struct cetane_rt_formula *f)
{
	struct nvptx_postfix c = { .cap = 0 };

	if (isl_ast_node_for_is_degenerate(n) != isl_bool_true) {
		add_formula(s, isl_ast_node_for_get_cond(n), f);
		return;
	}
	nvptx_push(&c, CETANE_RT_ITER, s->depth - 1);
	add_expr(s, &c, isl_ast_node_for_get_init(n));
	nvptx_push(&c, CETANE_RT_LE, 0);
	nvptx_postfix_end(s->l, &c, f);
}

/* The increment of a loop; 1 for a degenerate one, whose condition ends it
 * then.
 */
static void add_increment(struct steps *s, __isl_keep isl_ast_node *n,
	struct cetane_rt_formula *f)
{
	struct nvptx_postfix c = { .cap = 0 };

	if (isl_ast_node_for_is_degenerate(n) != isl_bool_true) {
		add_formula(s, isl_ast_node_for_get_inc(n), f);
		return;
	}
	nvptx_push(&c, CETANE_RT_CONST, 1);
	nvptx_postfix_end(s->l, &c, f);
}

/* Has a launch among the steps from "first" on a temporary that no statement has? Then each
 * launch of its kernel uses it anew.
 */
static bool has_own_arrays(const struct nvptx_plan *plan, int first)
{
	for (int i = first; i < plan->n_step; i++) {
		const struct nvptx_launch *l = &plan->launch[
			plan->step[i].index];

		if (plan->step[i].kind != CETANE_RT_LAUNCH)
			continue;
		if (l->before)
			return true;
		for (int k = 0; k < l->n_arg; k++)
			if (l->arg[k].kind == NVPTX_ARG_COUNT ||
			    l->arg[k].kind == NVPTX_ARG_CLEAR)
				return true;
	}
	return false;
}

/* The steps of the loop "n": its first value, its bound and its increment as
 * formulas, its body, its end.
 *
 * CETANE_RT_MAX_ITER loops may be open at one time.
 */
static void add_loop(struct steps *s, __isl_keep isl_ast_node *n)
{
	isl_ast_expr *iterator = isl_ast_node_for_get_iterator(n);
	int at = s->plan->n_step;
	bool each;
	struct cetane_rt_step *step = s->depth < CETANE_RT_MAX_ITER ?
		add_step(s, CETANE_RT_LOOP, s->depth, 3) : NULL;

	if (!step) {
		nvptx_fail(s->l->ir, nvptx_i32(s->l->ir), "too many loops");
		isl_ast_expr_free(iterator);
		return;
	}
	add_formula(s, isl_ast_node_for_get_init(n), &step->formula[0]);
	s->name[s->depth++] = isl_ast_expr_id_get_id(iterator);
	isl_ast_expr_free(iterator);
	each = s->each && !strcmp(s->each, isl_id_get_name(s->name[s->depth - 1]));
	add_bound(s, n, &step->formula[1]);
	add_increment(s, n, &step->formula[2]);
	add_node(s, isl_ast_node_for_get_body(n));
	isl_id_free(s->name[--s->depth]);
	if (each && !has_own_arrays(s->plan, at + 1))
		s->plan->step[at].kind = CETANE_RT_EACH;
	add_step(s, CETANE_RT_END, 0, 0);
}

/* The steps of "body" under the condition "e", or its contrary.
 *
 * Takes both. An "else" is a second condition; the program changes nothing in
 * between that the condition reads.
 */
static void add_if(struct steps *s, __isl_take isl_ast_expr *e, bool other,
	__isl_take isl_ast_node *body)
{
	struct cetane_rt_step *step = add_step(s, CETANE_RT_IF, 0, 1);
	struct nvptx_postfix c = { .cap = 0 };

	if (!step) {
		isl_ast_expr_free(e);
		isl_ast_node_free(body);
		return;
	}
	add_expr(s, &c, e);
	if (other) {
		nvptx_push(&c, CETANE_RT_CONST, 0);
		nvptx_push(&c, CETANE_RT_EQ, 0);
	}
	nvptx_postfix_end(s->l, &c, &step->formula[0]);
	add_node(s, body);
	add_step(s, CETANE_RT_END, 0, 0);
}

/* The name of the call is that of the kernel. */
static int kernel_number(struct poly_prog *prog, const char *name)
{
	for (int i = 0; i < prog->n_kernel; i++)
		if (name && !strcmp(prog->kernel[i]->name, name))
			return i;
	return -1;
}

/* The hidden sizes of a launch are iterators behind the others.
 *
 * They come behind the iterators, where the kernel looks for them.
 */
static void add_hidden(struct steps *s, struct cetane_rt_step *step, int at)
{
	struct poly_prog *prog = s->l->prog;

	for (int i = 0; i < prog->n_hidden; i++) {
		struct nvptx_postfix c = { .cap = 0 };

		nvptx_push_size(s->l, &c, prog->n_param - prog->n_hidden + i);
		nvptx_postfix_end(s->l, &c, &step->formula[at + i]);
	}
}

/* The step that runs launch "launch" for the "call" of its kernel, with the iterators and
 * hidden sizes that it gets as formulas.
 *
 * Argument 0 of isl's call is the name.
 */
static void add_one(struct steps *s, __isl_keep isl_ast_expr *call, int launch)
{
	isl_size n_arg = isl_ast_expr_op_get_n_arg(call);
	struct cetane_rt_step *step = add_step(s, CETANE_RT_LAUNCH, launch,
		n_arg - 1 + s->l->prog->n_hidden);

	for (int i = 1; step && i < n_arg; i++)
		add_formula(s, isl_ast_expr_op_get_arg(call, i),
			&step->formula[i - 1]);
	if (step)
		add_hidden(s, step, n_arg - 1);
}

/* The steps that run the kernel that "n" calls: launches in front of it, then its own. */
static void add_launch(struct steps *s, __isl_keep isl_ast_node *n)
{
	isl_ast_expr *call = isl_ast_node_user_get_expr(n);
	isl_ast_expr *fn = isl_ast_expr_op_get_arg(call, 0);
	isl_id *id = isl_ast_expr_id_get_id(fn);
	int kernel = kernel_number(s->l->prog, isl_id_get_name(id));
	const struct nvptx_planned *planned = &s->l->planned;

	if (kernel < 0)
		nvptx_fail(s->l->ir, nvptx_i32(s->l->ir),
			"the AST calls no kernel");
	for (int i = kernel < 0 ? -1 : planned->before[kernel]; i >= 0; i--)
		add_one(s, call, nvptx_planned_launch(planned, kernel) - i);
	isl_id_free(id);
	isl_ast_expr_free(fn);
	isl_ast_expr_free(call);
}

/* The steps of the children of "n" in their order. */
static void add_block(struct steps *s, __isl_keep isl_ast_node *n)
{
	isl_ast_node_list *list = isl_ast_node_block_get_children(n);
	isl_size size = isl_ast_node_list_size(list);

	for (int i = 0; i < size; i++)
		add_node(s, isl_ast_node_list_get_at(list, i));
	isl_ast_node_list_free(list);
}

/* The steps below the mark "n". That of loops which run at one time has the depth of the
 * first of these, from which isl makes the name of its iterator; a loop of one iteration
 * is not there.
 */
static void add_mark(struct steps *s, __isl_keep isl_ast_node *n)
{
	isl_id *id = isl_ast_node_mark_get_id(n);
	const char *before = s->each, *name = isl_id_get_name(id);
	const size_t length = strlen(POLY_CONCURRENT ":");
	char each[32];

	if (!strncmp(name, POLY_CONCURRENT ":", length)) {
		snprintf(each, sizeof(each), "c%s", name + length);
		s->each = each;
	}
	isl_id_free(id);
	add_node(s, isl_ast_node_mark_get_node(n));
	s->each = before;
}

/* The steps of "n", which is taken. */
static void add_node(struct steps *s, __isl_take isl_ast_node *n)
{
	switch (isl_ast_node_get_type(n)) {
	case isl_ast_node_for:
		add_loop(s, n);
		break;
	case isl_ast_node_if:
		add_if(s, isl_ast_node_if_get_cond(n), false,
			isl_ast_node_if_get_then_node(n));
		if (isl_ast_node_if_has_else_node(n) == isl_bool_true)
			add_if(s, isl_ast_node_if_get_cond(n), true,
				isl_ast_node_if_get_else_node(n));
		break;
	case isl_ast_node_block:
		add_block(s, n);
		break;
	case isl_ast_node_user:
		add_launch(s, n);
		break;
	case isl_ast_node_mark:
		add_mark(s, n);
		break;
	default:
		nvptx_fail(s->l->ir, nvptx_i32(s->l->ir),
			"isl's AST has an error");
	}
	isl_ast_node_free(n);
}

/* Appends to the plan's steps; each version has its own. */
isl_stat nvptx_plan_steps(struct nvptx_lower *l)
{
	struct nvptx_plan *plan = &l->ir->m->plan;
	int first = plan->n_step;
	struct steps s = { .l = l, .plan = plan, .cap = first };
	isl_ast_node *ast = poly_ast_launches(l->prog);

	if (!ast)
		return isl_stat_error;
	add_node(&s, ast);
	return !l->ir->failed && cetane_rt_steps_link(plan->step + first,
		plan->n_step - first) ? isl_stat_ok : isl_stat_error;
}
