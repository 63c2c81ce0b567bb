/* How often a loop runs, by its bounds, its step and what is known of its variable, and
 * what variables are behind it.
 */
#include <stdlib.h>

#include "frontend/c/rewrite/forward.h"

/* Is "e" a size, perhaps converted? */
static bool is_size(const struct fe_c_expr *e)
{
	while (e->kind == FE_C_CAST && !poly_type_is_float(e->type))
		e = e->arg[0];
	return e->kind == FE_C_VAR && e->var->outer && !e->var->n_write &&
		!e->var->n_loop && !poly_type_is_float(e->type);
}

/* Is "e" made of sizes and numbers? */
static bool is_fixed(const struct fe_c_expr *e)
{
	if (e->kind == FE_C_INT || is_size(e))
		return true;
	if (e->kind == FE_C_ELEMENT || !e->arg[0] ||
	    poly_type_is_float(e->type))
		return false;
	for (int i = 0; i < 3 && e->arg[i]; i++)
		if (!is_fixed(e->arg[i]))
			return false;
	return true;
}

/* If "e" is "v" plus a number, with all bits that "v" has: that; perhaps plus
 * "*more", which is made of sizes, or NULL.
 */
static bool is_plus(const struct fe_c_expr *e, const struct fe_c_var *v,
	int64_t *by, struct fe_c_expr **more)
{
	int64_t x;

	*more = NULL;

	while (e->kind == FE_C_CAST &&
	       poly_type_size(e->type) >= poly_type_size(v->type))
		e = e->arg[0];
	if (e->kind == FE_C_VAR) {
		*by = 0;
		return e->var == v;
	}
	if (e->kind != FE_C_OP)
		return false;
	if (e->op == POLY_OP_ADD && fe_c_constant(e->arg[0], &x) &&
	    is_plus(e->arg[1], v, by, more)) {
		*by += x;
		return true;
	}
	if ((e->op != POLY_OP_ADD && e->op != POLY_OP_SUB) ||
	    !is_plus(e->arg[0], v, by, more))
		return false;
	if (!fe_c_constant(e->arg[1], &x)) {
		if (*more || e->op != POLY_OP_ADD || !is_fixed(e->arg[1]))
			return false;
		*more = e->arg[1];
		return true;
	}
	*by += e->op == POLY_OP_ADD ? x : -x;
	return true;
}

/* How often the loop runs, if that is a number; else -1. */
static int64_t trips(const struct fe_c_stmt *loop)
{
	const struct fe_c_expr *c = loop->cond, *i;
	int64_t first, end;
	bool up = loop->step > 0;

	if (c->kind != FE_C_OP || (c->op != POLY_OP_LT && c->op != POLY_OP_LE))
		return -1;
	for (i = c->arg[!up]; i->kind == FE_C_CAST; i = i->arg[0])
		;
	if (i->kind != FE_C_VAR || i->var != loop->var ||
	    !fe_c_constant(loop->right, &first) ||
	    !fe_c_constant(c->arg[up], &end) || llabs(first) > INT32_MAX ||
	    llabs(end) > INT32_MAX)
		return -1;
	end = (up ? end - first : first - end) + (c->op == POLY_OP_LE);
	return end <= 0 ? 0 : (end + llabs(loop->step) - 1) /
		llabs(loop->step);
}

/* How many iterations of the loop have ended. What a variable with a sign begins
 * with may be less than 0.
 */
static struct fe_c_expr *count(struct fe_unit *u, const struct fe_c_stmt *loop,
	enum poly_type type)
{
	struct fe_c_expr *i = fe_c_make(u, FE_C_VAR, loop->var->type,
		&loop->loc);
	enum poly_type t = poly_type_class(i->type) == POLY_CLASS_INT &&
		poly_type_class(type) == POLY_CLASS_UINT ? POLY_I64 : type;
	struct fe_c_expr *by;

	i->var = loop->var;
	by = loop->step > 0 ? fe_c_computed(u, t, POLY_OP_SUB, i, loop->right) :
		fe_c_computed(u, t, POLY_OP_SUB, loop->right, i);
	if (llabs(loop->step) != 1)
		by = fe_c_computed(u, t, POLY_OP_DIV, by, fe_c_int(u, t,
			llabs(loop->step), &loop->loc));
	return fe_c_converted(u, type, by);
}

/* The value of "e", if it is made of numbers and of sizes that are fixed, whose
 * values are then part of the program.
 */
static bool find_value(const struct fe_c_expr *e, int64_t *value)
{
	struct fe_c_var *v = e->var;
	int64_t a, b;

	if (fe_c_constant(e, value))
		return true;
	if (e->kind == FE_C_VAR && v->n_write == 1 && v->init)
		return find_value(v->init, value);
	if (e->kind == FE_C_VAR) {
		if (!v->fixed || !v->outer || v->n_write || v->n_loop)
			return false;
		*value = v->value;
		v->used = v->sized = v->folded = true;
		return true;
	}
	if (poly_type_is_float(e->type) || !e->arg[0] || e->arg[2] ||
	    !find_value(e->arg[0], &a))
		return false;
	if (e->kind == FE_C_CAST)
		*value = fe_c_wrap(e->type, a);
	else if (e->kind == FE_C_OP && e->arg[1] &&
		 find_value(e->arg[1], &b))
		*value = fe_c_apply(e->op, e->arg[0]->type, a, b);
	else
		return false;
	return true;
}

/* Find the step of the loop, if it is not known yet; the body must not change
 * it.
 */
void fe_c_find_step(const struct fe_c_state *s, struct fe_c_stmt *loop)
{
	struct fe_c_state kept = { s->u, fe_c_forward_values(s, true), false };
	struct fe_c_expr *by;
	int64_t step;

	if (loop->step)
		return;
	fe_c_forward_forget(&kept, loop->body);
	by = fe_c_forward_substitute(&kept, loop->by);
	if (!find_value(by, &step))
		return;
	step = fe_c_wrap(poly_type_size(by->type) == 8 ? POLY_I64 : POLY_I32,
		loop->down ? -step : step);
	if (step <= INT32_MAX && step >= -INT32_MAX)
		loop->step = step;
}

/* Report the loops whose step was not found. */
void fe_c_need_steps(struct fe_unit *u, const struct fe_c_stmt *s)
{
	for (; s; s = s->next) {
		if (s->kind == FE_C_FOR && !s->step)
			FE_REPORT(u, FE_C_LOOP, &s->step_loc, FE_C_BAD_STEP);
		fe_c_need_steps(u, s->body);
		fe_c_need_steps(u, s->otherwise);
	}
}

/* "e", a sum of integers with a sign, without the numbers that it adds, which
 * "*more" becomes.
 */
static const struct fe_c_expr *without_numbers(const struct fe_c_expr *e,
	int64_t *more)
{
	int64_t n;
	int b;

	*more = 0;
	while (e->kind == FE_C_OP && poly_type_class(e->type) ==
	       POLY_CLASS_INT && (e->op == POLY_OP_ADD ||
	       e->op == POLY_OP_SUB)) {
		b = e->op == POLY_OP_SUB || fe_c_constant(e->arg[1], &n);
		if (!fe_c_constant(e->arg[b], &n) || n < -INT16_MAX ||
		    n > INT16_MAX || *more < -INT16_MAX || *more > INT16_MAX)
			break;
		*more += e->op == POLY_OP_SUB ? -n : n;
		e = e->arg[!b];
	}
	return e;
}

/* The value at which the condition of the loop is sure to fail, or NULL; it
 * begins with "first".
 */
static struct fe_c_expr *find_end(const struct fe_c_state *s,
	const struct fe_c_stmt *loop, const struct fe_c_expr *first)
{
	struct fe_c_state kept = { s->u, fe_c_forward_values(s, true), s->dry };
	const struct fe_c_expr *c = loop->cond, *i;
	bool up = loop->step > 0;
	struct fe_c_expr *end;
	int64_t more;

	if (!loop->step || loop->breaks || c->kind != FE_C_OP ||
	    (c->op != POLY_OP_LT && c->op != POLY_OP_LE))
		return NULL;
	i = fe_c_without_casts(without_numbers(c->arg[!up], &more));
	if (i->kind != FE_C_VAR || i->var != loop->var ||
	    poly_type_is_float(c->arg[0]->type))
		return NULL;
	fe_c_forward_forget(&kept, loop->body);
	end = fe_c_forward_substitute(&kept, c->arg[up]);
	if (!fe_c_forward_is_good(s, first) || !fe_c_forward_is_good(s, end) ||
	    3 * (fe_c_forward_count_nodes(first) + fe_c_forward_count_nodes(end)) > MAX_NODE)
		return NULL;
	if (c->op == POLY_OP_LE)
		more -= up ? 1 : -1;
	return !more ? end : fe_c_computed(s->u, end->type,
		more < 0 ? POLY_OP_ADD : POLY_OP_SUB, end,
		fe_c_int(s->u, end->type, more < 0 ? -more : more, &end->loc));
}

/* "by", not negative, as a multiple of "step", rounded up. */
static struct fe_c_expr *round_up(struct fe_unit *u, struct fe_c_expr *by,
	int64_t step)
{
	struct fe_c_expr *n = fe_c_int(u, by->type, step, &by->loc);

	by = fe_c_computed(u, by->type, POLY_OP_ADD, by,
		fe_c_int(u, by->type, step - 1, &by->loc));
	by = fe_c_computed(u, by->type, POLY_OP_DIV, by, n);
	return fe_c_computed(u, by->type, POLY_OP_MUL, by, n);
}

/* What the variable of the loop is behind it, or NULL. Without a sign only what
 * needs no difference is known.
 */
struct fe_c_expr *fe_c_last_value(const struct fe_c_state *s,
	const struct fe_c_stmt *loop, struct fe_c_expr *first)
{
	enum poly_type t = loop->cond->arg[0] ? loop->cond->arg[0]->type :
		POLY_BOOL;
	struct fe_c_expr *end = find_end(s, loop, first), *last = end, *runs;
	bool up = loop->step > 0;

	if (!end || (poly_type_class(t) == POLY_CLASS_UINT &&
	    (loop->step != 1 || loop->cond->op != POLY_OP_LT)))
		return NULL;
	if (up && loop->step != 1)
		last = fe_c_computed(s->u, t, POLY_OP_ADD, first, round_up(s->u,
			fe_c_computed(s->u, t, POLY_OP_SUB, end, first),
			loop->step));
	if (loop->step < -1)
		last = fe_c_computed(s->u, t, POLY_OP_SUB, first, round_up(s->u,
			fe_c_computed(s->u, t, POLY_OP_SUB, first, end),
			-loop->step));
	runs = up ? fe_c_less(s->u, t, first, end) : fe_c_less(s->u, t, end, first);
	return fe_c_converted(s->u, loop->var->type, fe_c_choice_of(s->u, runs,
		fe_c_converted(s->u, t, last), first));
}

/* How often the loop, which begins with "first", runs, or NULL. With a size as
 * one end and numbers that only make it more, that is their difference.
 */
struct fe_c_expr *fe_c_run_count(const struct fe_c_state *s,
	const struct fe_c_stmt *loop, struct fe_c_expr *first)
{
	struct fe_c_expr *end, *low, *high, *len;
	const struct fe_c_expr *core;
	int64_t n = trips(loop), more, less_by;
	enum poly_type t;

	if (!loop->step || loop->breaks)
		return NULL;
	if (n >= 0)
		return fe_c_int(s->u, POLY_I64, n, &loop->loc);
	end = find_end(s, loop, first);
	if (!end || llabs(loop->step) != 1)
		return NULL;
	t = end->type;
	low = loop->step > 0 ? first : end;
	high = loop->step > 0 ? end : first;
	core = without_numbers(high, &more);
	if (fe_c_constant(low, &less_by) && is_size(core) &&
	    llabs(less_by) <= INT16_MAX && more >= less_by) {
		len = fe_c_converted(s->u, t, fe_c_copy_node(s->u, core));
		return more == less_by ? len : fe_c_computed(s->u, t, POLY_OP_ADD,
			len, fe_c_int(s->u, t, more - less_by, &loop->loc));
	}
	if (poly_type_class(t) != POLY_CLASS_INT)
		return NULL;
	return fe_c_choice_of(s->u, fe_c_less(s->u, t, low, high),
		fe_c_computed(s->u, t, POLY_OP_SUB, high, low),
		fe_c_int(s->u, t, 0, &loop->loc));
}

/* After the loop, or in an iteration if "times" is NULL, each variable has what
 * it had plus "times" the constant that an iteration adds. An iteration takes
 * those in "start" to "after".
 */
void fe_c_advance(struct fe_c_state *s, struct fe_c_expr **start,
	struct fe_c_expr **after, const struct fe_c_stmt *loop,
	struct fe_c_expr *times)
{
	struct fe_c_var *v;
	struct fe_c_expr *n, *more, *each;
	int64_t by;

	for (v = s->u->c->var; v; v = v->next) {
		struct fe_c_expr **value = &s->value[v->id];

		if (!start[v->id] || !*value)
			continue;
		if (!after[v->id] || !is_plus(after[v->id], v, &by,
		    &more) ||
		    (by < 0 && poly_type_class(v->type) == POLY_CLASS_UINT)) {
			*value = NULL;
			continue;
		}
		if (!by && !more)
			continue;
		n = times ? times : count(s->u, loop, v->type);
		each = fe_c_int(s->u, v->type, by, &loop->loc);
		if (more)
			each = by ? fe_c_computed(s->u, v->type, POLY_OP_ADD, more,
				each) : fe_c_converted(s->u, v->type, more);
		*value = fe_c_computed(s->u, v->type, POLY_OP_ADD, *value,
			fe_c_computed(s->u, v->type, POLY_OP_MUL, each, n));
	}
}

/* ------------------------------------------------------------- statements */

/* Does nothing run behind the list, because of a "break"? */
bool fe_c_breaks(const struct fe_c_stmt *s)
{
	for (; s; s = s->next)
		if (s->kind == FE_C_BREAK ||
		    (s->kind == FE_C_BLOCK && fe_c_breaks(s->body)) ||
		    (s->kind == FE_C_IF && fe_c_breaks(s->body) &&
		     fe_c_breaks(s->otherwise)))
			return true;
	return false;
}
