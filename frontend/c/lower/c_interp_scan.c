/* The interpreter of C nests: bounds of values that scans and reductions put together. */
#include <math.h>

#include "frontend/c/lower/c_interp.h"

/* Is "e" a linear function of a value of the variable of "s"? */
static bool is_before(const struct fe_c_stmt *s, const struct fe_c_expr *e)
{
	while (e->kind == FE_C_CAST)
		e = e->arg[0];
	if (e->kind == FE_C_COND)
		return is_before(s, e->arg[1]) || is_before(s, e->arg[2]);
	if (e->kind == FE_C_OP && e->op == POLY_OP_NEG)
		return is_before(s, e->arg[0]);
	if (e->kind == FE_C_OP && e->op == POLY_OP_FMA)
		return is_before(s, e->arg[0]) || is_before(s, e->arg[1]) ||
			is_before(s, e->arg[2]);
	if (e->kind == FE_C_OP && (e->op == POLY_OP_MUL ||
	    e->op == POLY_OP_ADD || e->op == POLY_OP_SUB))
		return is_before(s, e->arg[0]) || is_before(s, e->arg[1]);
	return (e->kind == FE_C_ELEMENT || e->kind == FE_C_VAR) &&
		e->var == s->left->var;
}

/* The largest that the float "e" may be, without its sign. */
static long double size_of(struct fe_c_interp *in, const struct fe_c_expr *e)
{
	struct fe_number v = fe_c_interp_real(in, e);

	return fabsl(v.wide) + v.bound;
}

/* The size of the terms of the float "e" with positive signs; "sum" becomes true if there
 * are several. A condition in doubt may take either.
 */
static long double terms_size(struct fe_c_interp *in, const struct fe_c_expr *e,
	bool *sum)
{
	if (e->kind == FE_C_CAST && poly_type_is_float(e->arg[0]->type))
		return terms_size(in, e->arg[0], sum);
	if (e->kind == FE_C_COND) {
		struct fe_c_integer c = fe_c_interp_truth(in, e->arg[0]);
		long double size = terms_size(in, e->arg[c.i ? 1 : 2], sum);
		bool live = in->live;

		in->live = false;
		if (c.doubt)
			size = fmaxl(size, terms_size(in, e->arg[c.i ? 2 : 1], sum));
		in->live = live;
		return size;
	}
	if (e->kind == FE_C_OP && e->op == POLY_OP_NEG)
		return terms_size(in, e->arg[0], sum);
	if (e->kind == FE_C_OP && e->op == POLY_OP_FMA) {
		*sum = true;
		return size_of(in, e->arg[0]) * size_of(in, e->arg[1]) +
			terms_size(in, e->arg[2], sum);
	}
	if (e->kind != FE_C_OP ||
	    (e->op != POLY_OP_ADD && e->op != POLY_OP_SUB))
		return size_of(in, e);
	*sum = true;
	return terms_size(in, e->arg[0], sum) + terms_size(in, e->arg[1], sum);
}

void fe_c_interp_allow_scan(struct fe_c_interp *in, const struct fe_c_stmt *s,
	struct fe_number *v)
{
	long double size;
	bool sum = false;

	if (!poly_type_is_float(s->left->type) || in->work->ring ||
	    !poly_type_is_float(s->right->type) || !is_before(s, s->right))
		return;
	size = terms_size(in, s->right, &sum);
	if (sum)
		fe_value_allow_scan(v, s->left->type, size);
}
