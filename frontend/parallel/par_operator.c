/* Data-parallel functions: operators that put values together, and what changes nothing
 * with them.
 */
#include <math.h>

#include "frontend/parallel/par_eval.h"

/* Does "e" name the parameter number "n" of "f"?
 *
 * Parameters are told by their variables, not by names: these may be hidden by
 * others.
 */
static bool is_param(const struct fe_par_function *f,
	const struct fe_par_expr *e, int n)
{
	const struct fe_par_var *v = f->param;

	while (n--)
		v = v->next;
	return e->kind == FE_PAR_E_NAME && e->var == v;
}

/* An operator of the language, such as +. */
static bool is_operator(const struct fe_par_callee *c)
{
	return c->kind == FE_PAR_C_OP;
}

/* The operator that "c" is, looking into functions that return just that of their
 * parameters in their order; NULL if it is none. Types that are rounded at each
 * return are left alone.
 *
 *	int add(int a, int b) { return a + b; }	is +
 */
const struct fe_par_callee *fe_par_operator_of(const struct fe_par_callee *c)
{
	const struct fe_par_function *f = c->function;
	const struct fe_par_expr *e;

	if (c->kind != FE_PAR_C_FUNCTION)
		return is_operator(c) ? c : NULL;
	e = f->body->value;
	if (f->body->var || f->type.record || f->type.rank ||
	    poly_type_compute(f->type.base) != f->type.base ||
	    (e->kind != FE_PAR_E_OP && e->kind != FE_PAR_E_CALL) ||
	    e->builtin != FE_PAR_B_NONE || !is_operator(&e->callee) ||
	    e->n_arg != 2 || e->callee.turned ||
	    poly_op_shape(e->callee.op) == POLY_SHAPE_COMPARE)
		return NULL;
	return is_param(f, e->arg, 0) && is_param(f, e->arg->next, 1) ?
		&e->callee : NULL;
}

/* Is "op" one that sums are made by, and recurrences that become scans?
 *
 * These do not depend on how operands are grouped, but for rounding.
 */
bool fe_par_puts_together(enum poly_op op)
{
	return op == POLY_OP_ADD || op == POLY_OP_MUL || op == POLY_OP_MIN ||
		op == POLY_OP_MAX || op == POLY_OP_AND || op == POLY_OP_OR ||
		op == POLY_OP_XOR;
}

/* The greatest number of the type "t", at most 2^64, or infinity. */
static double greatest(enum poly_type t)
{
	return poly_type_is_float(t) ? INFINITY : ldexp(1, 8 *
		(int)poly_type_size(t) - (poly_type_class(t) ==
		POLY_CLASS_INT)) - 1;
}

static double least(enum poly_type t)
{
	return poly_type_is_float(t) ? -INFINITY : poly_type_class(t) ==
		POLY_CLASS_INT ? -greatest(t) - 1 : 0;
}

/* Is "id" the literal that "op" leaves everything as it is with?
 *
 * Only literals count, and no least or greatest number of 64 bits.
 */
bool fe_par_is_identity(enum poly_op op, const struct fe_par_scalar *id)
{
	const struct fe_scalar *e = id->data;

	if (e->kind != FE_S_NUMBER)
		return false;
	switch (op) {
	case POLY_OP_ADD:
	case POLY_OP_OR:
	case POLY_OP_XOR:
		return e->value == 0;
	case POLY_OP_MUL:
		return e->value == 1;
	case POLY_OP_AND:
		return e->value == (id->type == POLY_BOOL ? 1 : -1);
	case POLY_OP_MIN:
		return (poly_type_is_float(id->type) || poly_type_size(
			id->type) < 8) && e->value == greatest(id->type);
	case POLY_OP_MAX:
		return (poly_type_is_float(id->type) || poly_type_size(
			id->type) < 8) && e->value == least(id->type);
	default:
		return false;
	}
}

/* NULL also for an operator that nothing can be put together by, such as a
 * difference.
 */
const struct fe_par_callee *fe_par_operator(const struct fe_par_callee *c)
{
	const struct fe_par_callee *op = fe_par_operator_of(c);

	return op && fe_par_puts_together(op->op) ? op : NULL;
}

/* What changes nothing in a reduction by "op", but of 64 bits to the least or greatest.
 *
 * So that elements beyond the length of an array can be there and count for
 * nothing.
 */
const struct fe_par_scalar *fe_par_nothing(struct fe_par *p, enum poly_op op,
	enum poly_type type, const struct poly_loc *loc)
{
	switch (op) {
	case POLY_OP_MIN:
		return fe_par_number(p, type, greatest(type), loc);
	case POLY_OP_MAX:
		return fe_par_number(p, type, least(type), loc);
	case POLY_OP_AND:
		return fe_par_number(p, type, type == POLY_BOOL ? 1 :
			poly_type_class(type) == POLY_CLASS_INT ? -1 :
			greatest(type), loc);
	default:
		return fe_par_number(p, type, op == POLY_OP_MUL, loc);
	}
}
