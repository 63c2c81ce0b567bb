/* Updates: assignments that put something together with what their variable holds, and
 * steps of loops.
 */
#include "frontend/c/tree/tree.h"

static bool is_integer(const struct fe_c_expr *e)
{
	return !poly_type_is_float(e->type);
}

/* "e" without conversions between integers that keep the low bits a value of
 * type "t" has.
 */
static const struct fe_c_expr *bare(const struct fe_c_expr *e,
	enum poly_type t)
{
	while (e->kind == FE_C_CAST && is_integer(e) &&
	       is_integer(e->arg[0]) && e->type != POLY_BOOL &&
	       poly_type_size(e->type) >= poly_type_size(t))
		e = e->arg[0];
	return e;
}

/* Operators that give the low bits of the result from those of the arguments.
 */
static bool keeps_low_bits(enum poly_op op)
{
	return op == POLY_OP_ADD || op == POLY_OP_SUB || op == POLY_OP_MUL ||
		op == POLY_OP_AND || op == POLY_OP_OR || op == POLY_OP_XOR;
}

/* May "value", an operation, be the update of a variable "left"? An integer one
 * must give its low bits from those of the variable; a float one must be
 * computed in the variable's type.
 */
static bool can_update(const struct fe_c_expr *left,
	const struct fe_c_expr *value)
{
	enum poly_op op = value->op;

	if (value->kind != FE_C_OP || left->type == POLY_BOOL)
		return false;
	if (is_integer(value))
		return is_integer(left) && keeps_low_bits(op) &&
			poly_type_size(value->type) >=
			poly_type_size(left->type);
	return value->type == left->type && (op == POLY_OP_ADD ||
		op == POLY_OP_SUB || op == POLY_OP_MUL ||
		op == POLY_OP_MIN || op == POLY_OP_MAX);
}

/* What "value", an operation, updates "left" with, or NULL. */
static const struct fe_c_expr *operand(const struct fe_c_expr *left,
	const struct fe_c_expr *value, enum poly_op *op)
{
	const struct fe_c_expr *a = value->arg[0], *b = value->arg[1];

	*op = value->op;
	if (fe_c_same(bare(a, left->type), left))
		return b;
	return *op != POLY_OP_SUB && fe_c_same(bare(b, left->type), left) ?
		a : NULL;
}

/* "e" without a conversion of integers of type "t" that keeps their values. */
static const struct fe_c_expr *narrow(const struct fe_c_expr *e,
	enum poly_type t)
{
	return e->kind == FE_C_CAST && is_integer(e) &&
		e->arg[0]->type == t &&
		poly_type_size(e->type) > poly_type_size(t) &&
		(poly_type_class(e->type) == POLY_CLASS_INT ||
		 poly_type_class(t) == POLY_CLASS_UINT) ? e->arg[0] : e;
}

/* The other one than "left" of two integers of which "value", a choice, is the
 * smaller or the larger one, or NULL.
 */
static const struct fe_c_expr *rival(const struct fe_c_expr *left,
	const struct fe_c_expr *value, enum poly_op *op)
{
	const struct fe_c_expr *cond = value->arg[0];
	const struct fe_c_expr *part[4] = {
		cond->arg[0], cond->arg[1], value->arg[1], value->arg[2]
	};
	bool less;

	if (cond->kind != FE_C_OP ||
	    (cond->op != POLY_OP_LT && cond->op != POLY_OP_LE) ||
	    !is_integer(left) || left->type == POLY_BOOL)
		return NULL;
	for (int i = 0; i < 4; i++) {
		part[i] = narrow(part[i], left->type);
		if (part[i]->type != left->type)
			return NULL;
	}
	less = fe_c_same(part[0], part[2]);
	if (!fe_c_same(part[0], part[less ? 2 : 3]) ||
	    !fe_c_same(part[1], part[less ? 3 : 2]))
		return NULL;
	*op = less ? POLY_OP_MIN : POLY_OP_MAX;
	if (fe_c_same(part[0], left))
		return part[1];
	return fe_c_same(part[1], left) ? part[0] : NULL;
}

const struct fe_c_expr *fe_c_update(const struct fe_c_stmt *s,
	enum poly_op *op)
{
	const struct fe_c_expr *value = bare(s->right, s->left->type);
	const struct fe_c_expr *by = NULL;

	if (value->kind == FE_C_COND)
		by = rival(s->left, value, op);
	else if (can_update(s->left, value))
		by = operand(s->left, value, op);
	return by && !fe_c_reads(by, s->left->var) ? by : NULL;
}

/* ------------------------------------------------------------ steps of loops */

/* Casts of the loop's variable are C's promotions. */
static bool is_loop_variable(const struct fe_c_expr *e,
	const struct fe_c_stmt *s)
{
	e = fe_c_without_casts(e);
	return e->kind == FE_C_VAR && e->var == s->var;
}

/* Is "e" the variable of the loop times a constant, or divided by one, which makes
 * it larger or smaller: i *= 2, i = 3 * i, i /= 2, i <<= 1?
 *
 * c_power.c has the iterations of such loops.
 */
static bool find_scale(const struct fe_c_expr *e, struct fe_c_stmt *s)
{
	bool shifts = e->op == POLY_OP_SHL || e->op == POLY_OP_SHR;
	int b = e->op != POLY_OP_MUL || is_loop_variable(e->arg[0], s);
	int64_t by;

	if ((e->op != POLY_OP_MUL && e->op != POLY_OP_DIV && !shifts) ||
	    !is_loop_variable(e->arg[!b], s) ||
	    !fe_c_constant(e->arg[b], &by) || by < (shifts ? 1 : 2) || by > 30)
		return false;
	s->by = e->arg[b];
	s->scale = e->op;
	return s->scales = true;
}

/* i = i + 2, i = 2 + i, i -= 3. A step that is no constant is kept in "by"
 * until its value is known.
 */
bool fe_c_step(const struct fe_c_expr *e, struct fe_c_stmt *s)
{
	int b;

	e = fe_c_without_casts(e);
	if (e->kind != FE_C_OP || poly_type_is_float(e->type))
		return false;
	if (e->op != POLY_OP_ADD && e->op != POLY_OP_SUB)
		return find_scale(e, s);
	b = e->op == POLY_OP_SUB || is_loop_variable(e->arg[0], s);
	if (!is_loop_variable(e->arg[!b], s) ||
	    fe_c_reads(e->arg[b], s->var))
		return false;
	s->by = e->arg[b];
	s->down = e->op == POLY_OP_SUB;
	if (!fe_c_constant(fe_c_without_casts(s->by), &s->step))
		return true;
	s->step = s->down ? -s->step : s->step;
	return s->step && s->step <= INT32_MAX && s->step >= -INT32_MAX;
}
