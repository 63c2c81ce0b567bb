/* The interpreter of C nests: how many statements a nest executes. */
#include <math.h>

#include "frontend/c/lower/c_interp.h"
#include "frontend/c/rewrite/rewrite.h"

static double cost_of(struct fe_c_interp *in, const struct fe_c_stmt *s);

/* Are there only assignments in the list? */
static bool is_simple(const struct fe_c_stmt *s)
{
	for (; s; s = s->next)
		if (s->kind == FE_C_BLOCK ? !is_simple(s->body) :
		    s->kind != FE_C_ASSIGN)
			return false;
	return true;
}

/* Is "e" made of sums of integers with a sign, which grow or shrink with each
 * variable?
 */
static bool is_sum(const struct fe_c_expr *e)
{
	if (poly_type_class(e->type) != POLY_CLASS_INT)
		return false;
	if (e->kind == FE_C_INT || e->kind == FE_C_VAR)
		return true;
	return (e->kind == FE_C_CAST && is_sum(e->arg[0])) ||
		(e->kind == FE_C_OP && (e->op == POLY_OP_ADD ||
		 e->op == POLY_OP_SUB || e->op == POLY_OP_MUL) &&
		 is_sum(e->arg[0]) && is_sum(e->arg[1]));
}

/* Is the condition of "s" one that, once false, stays false? */
static bool is_plain(const struct fe_c_stmt *s)
{
	const struct fe_c_expr *c = s->cond;

	return is_simple(s->body) && c->kind == FE_C_OP &&
		(c->op == POLY_OP_LT || c->op == POLY_OP_LE) &&
		is_sum(c->arg[0]) && is_sum(c->arg[1]);
}

/* Does the condition of "s" hold in turn "n" from the value "first" on? */
static bool goes_on(struct fe_c_interp *in, const struct fe_c_stmt *s,
	int64_t first, int64_t n)
{
	int64_t *i = &in->store[s->var->id].scalar;

	if (__builtin_mul_overflow(n, s->step, i) ||
	    __builtin_add_overflow(*i, first, i))
		return false;
	return *i == fe_c_wrap(s->var->type, *i) &&
		fe_c_interp_truth(in, s->cond).i;
}

/* How often "s", whose condition is plain, turns: found by steps that double,
 * then halve. Leaves the variable behind the loop.
 */
static double count_turns(struct fe_c_interp *in, const struct fe_c_stmt *s)
{
	int64_t *i = &in->store[s->var->id].scalar, first = *i, n = 0, by;

	for (by = 1; goes_on(in, s, first, n + by - 1); by *= 2)
		n += by;
	for (; by > 0; by /= 2)
		if (goes_on(in, s, first, n + by - 1))
			n += by;
	*i = fe_c_wrap(s->var->type, first + n * s->step);
	return (double)n;
}

/* Loops are run; of the innermost, most are counted. The interpreter goes to the
 * element that is meant, not over those that could be. Nothing is counted beyond
 * what may be done.
 */
static double loop_cost(struct fe_c_interp *in, const struct fe_c_stmt *s)
{
	int64_t *i = &in->store[s->var->id].scalar;
	double cost = 0;

	if (s->asks)
		return 1;
	*i = fe_c_wrap(s->var->type, fe_c_interp_integer(in, s->right).i);
	if (is_plain(s))
		return (1 + cost_of(in, s->body)) * count_turns(in, s);
	for (; fe_c_interp_truth(in, s->cond).i &&
	     cost <= in->work->left && !in->broken;
	     *i = fe_c_wrap(s->var->type, *i + s->step))
		cost += 1 + cost_of(in, s->body);
	in->broken = false;
	return cost;
}

/* The statements that the list "s" executes. Of a condition both branches
 * count, as data decide, unless one may break the loop. Only assignments to
 * names of affine values, which bounds may need, are executed.
 */
static double cost_of(struct fe_c_interp *in, const struct fe_c_stmt *s)
{
	double cost = 0;

	for (; s && !in->broken; s = s->next) {
		if (s->kind == FE_C_ASSIGN)
			cost++;
		else if (s->kind == FE_C_FOR)
			cost += loop_cost(in, s);
		else if (s->kind == FE_C_BREAK)
			in->broken = true;
		else if (s->kind == FE_C_IF && fe_c_may_break(s))
			cost += cost_of(in, fe_c_interp_truth(in, s->cond).i ?
				s->body : s->otherwise);
		else
			cost += cost_of(in, s->body) +
				cost_of(in, s->otherwise);
		if (s->kind == FE_C_ASSIGN && s->left->var->use == FE_C_ALIAS)
			fe_c_interp_assign(in, s);
	}
	return cost;
}

double fe_c_interp_cost(void *interp)
{
	struct fe_c_interp *in = interp;

	if (in->cost < 0)
		in->cost = cost_of(in, in->unit->c->body);
	return in->cost;
}

bool fe_c_interp_affords(struct fe_c_interp *in)
{
	in->work->spent |= isfinite(in->work->left) &&
		fe_c_interp_cost(in) > in->work->left;
	return !in->work->spent;
}
