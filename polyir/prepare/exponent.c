/* Exponents that are never positive.
 *
 *	top(i) = max(j: X(i,j));	e(i,j) = exp(X(i,j) - top(i))
 *
 * What a maximum is taken away from is one of the numbers that it is taken of, so the
 * difference is 0, less, or NaN, and is written so:
 *
 *	e(i,j) = exp(-|top(i) - X(i,j)|)
 *
 * That is the same number, of which the lowering sees the sign: the exponential of
 * such a number takes fewer operations (nvptx/math).
 */
#include "polyir/ir/ir.h"
#include "polyir/prepare/prepare.h"

/* Has "array" one value an element, whenever it is read?
 *
 * An input has; a temporary that one statement writes, each cell once, has from
 * then on.
 */
static bool is_constant(struct poly_prog *prog, const struct poly_array *array)
{
	struct poly_stmt *writer = NULL;
	isl_map *write;
	bool once;

	for (int i = 0; i < prog->n_stmt; i++)
		if (prog->stmt[i]->write_array == array) {
			if (writer || prog->stmt[i]->reduce != POLY_OP_NONE)
				return false;
			writer = prog->stmt[i];
		}
	if (!writer)
		return true;
	write = poly_stmt_write(writer);
	once = array->role == POLY_TEMP && isl_map_is_injective(write) == isl_bool_true;
	isl_map_free(write);
	return once;
}

/* "same", from instances of one statement to those of another, where the indices "a"
 * and "b" are equal too.
 *
 * { S[i,j] -> M[i',j'] } with X's index i = i', j = j'.
 */
static __isl_give isl_map *where_equal(__isl_take isl_map *same,
	__isl_keep isl_multi_pw_aff *a, __isl_keep isl_multi_pw_aff *b)
{
	isl_map *to = isl_map_from_multi_pw_aff(isl_multi_pw_aff_copy(a));
	isl_map *from = isl_map_from_multi_pw_aff(isl_multi_pw_aff_copy(b));

	return isl_map_intersect(same, isl_map_apply_range(to, isl_map_reverse(from)));
}

/* "same" where "a" and "b" have one value, for all that is known.
 *
 * Structural: the same operators on the same leaves. What cannot be told, a
 * gather or an index, counts as different, so the answer errs towards no
 * rewrite.
 */
static __isl_give isl_map *where_same(struct poly_prog *prog, __isl_take isl_map *same,
	const struct poly_expr *a, const struct poly_expr *b)
{
	bool alike = a->op == b->op && a->type == b->type && a->array == b->array;

	switch (a->op) {
	case POLY_OP_CONST:
		alike = alike && a->value == b->value;
		break;
	case POLY_OP_PARAM:
	case POLY_OP_GATHER:
	case POLY_OP_LOOP:
	case POLY_OP_STEP:
	case POLY_OP_CARRY:
	case POLY_OP_INDEX:
	case POLY_OP_PUT:
	case POLY_OP_PART:
		alike = false;
		break;
	case POLY_OP_ACCESS:
		alike = alike && is_constant(prog, a->array);
		if (alike)
			same = where_equal(same, a->index, b->index);
		break;
	default:
		break;
	}
	if (!alike) {
		isl_space *space = isl_map_get_space(same);

		isl_map_free(same);
		return isl_map_empty(space);
	}
	for (int i = 0; i < poly_op_n_arg(a->op); i++)
		same = where_same(prog, same, a->arg[i], b->arg[i]);
	return same;
}

/* The instances of "stmt" whose "a" is one of the numbers that have gone into the
 * maximum "top" that they read, by the updates of "max".
 *
 * Flow goes from the updates to "stmt", which reads the maximum.
 */
static __isl_give isl_set *where_included(struct poly_prog *prog,
	const struct poly_stmt *stmt, const struct poly_expr *a, const struct poly_stmt *max)
{
	isl_space *space = isl_space_map_from_domain_and_range(
		isl_set_get_space(max->domain), isl_set_get_space(stmt->domain));
	isl_map *same = isl_map_reverse(isl_union_map_extract_map(prog->deps.flow, space));

	return isl_map_domain(where_same(prog, same, a, max->rhs));
}

/* Is a - top never positive at an instance of "stmt"?
 *
 * The updates together must cover all instances: each instance has its own X
 * among the numbers of its maximum.
 */
static isl_bool is_below(struct poly_prog *prog, const struct poly_stmt *stmt,
	const struct poly_expr *a, const struct poly_expr *top)
{
	isl_set *rest;
	isl_bool below;

	if (top->op != POLY_OP_ACCESS)
		return isl_bool_false;
	rest = isl_set_copy(stmt->domain);
	for (int i = 0; i < prog->n_stmt; i++) {
		const struct poly_stmt *max = prog->stmt[i];

		if (max->write_array == top->array && max->reduce == POLY_OP_MAX)
			rest = isl_set_subtract(rest,
				where_included(prog, stmt, a, max));
	}
	below = isl_set_is_empty(rest);
	isl_set_free(rest);
	return below;
}

/* Is it exp(a - b) of a type that is computed in itself?
 *
 * f16 is computed in f32 and rounded, by conversions in between: not this form.
 */
static bool is_exp_of_difference(const struct poly_expr *e)
{
	return e->op == POLY_OP_EXP && e->arg[0]->op == POLY_OP_SUB &&
		(e->type == POLY_F32 || e->type == POLY_F64);
}

/* Rewrite the exponents in "e", of "stmt".
 *
 * From the leaves up; a rewritten node is not looked at again. An error of isl
 * is one; "unknown" leaves the expression alone.
 */
static isl_stat rewrite(struct poly_prog *prog, const struct poly_stmt *stmt,
	struct poly_expr *e)
{
	struct poly_expr *sub, *top;
	isl_bool below;

	for (int i = 0; i < poly_op_n_arg(e->op); i++)
		if (rewrite(prog, stmt, e->arg[i]) < 0)
			return isl_stat_error;
	if (!is_exp_of_difference(e))
		return isl_stat_ok;
	sub = e->arg[0];
	below = is_below(prog, stmt, sub->arg[0], sub->arg[1]);
	/* The magnitude of a NaN is NaN, so a NaN stays one. */
	if (below != isl_bool_true)
		return below < 0 ? isl_stat_error : isl_stat_ok;
	top = sub->arg[1];
	sub->arg[1] = sub->arg[0];
	sub->arg[0] = top;
	e->arg[0] = poly_expr_op(POLY_OP_NEG, e->type,
		poly_expr_op(POLY_OP_ABS, e->type, sub, NULL), NULL);
	return e->arg[0] ? isl_stat_ok : isl_stat_error;
}

isl_stat poly_sign_exponents(struct poly_prog *prog)
{
	for (int i = 0; i < prog->n_stmt; i++)
		if (prog->stmt[i]->kind == POLY_POINT &&
		    rewrite(prog, prog->stmt[i], prog->stmt[i]->rhs) < 0)
			return isl_stat_error;
	return isl_stat_ok;
}
