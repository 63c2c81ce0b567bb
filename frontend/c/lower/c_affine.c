/* Affine expressions of C as functions and sets of isl.
 *
 * Everything is built on the space of the loops around the expression, without
 * a name: first the sizes, then a dimension for each loop. "/" and "%" truncate
 * as in C; where the dividend cannot be negative, that is a floor. A value that
 * C computes without a sign, or converts to a type that holds less, must be one of
 * its type: that is noted as a need and weighed when the place is known
 * (fe_c_settle).
 */
#include <string.h>

#include <isl/local_space.h>
#include <isl/space.h>
#include <isl/val.h>

#include "frontend/c/lower/lower.h"
#include "frontend/c/rewrite/rewrite.h"

/* The space of functions at "at": the sizes and a dimension for each loop. At
 * depth -1, where no loop can be, it is that of the sizes alone.
 *
 * No name: sets and functions of different statements can be combined.
 */
static __isl_give isl_space *space_of(const struct fe_c_lower *lw,
	const struct fe_c_place *at)
{
	isl_space *space = isl_space_copy(lw->params);

	if (at->depth < 0)
		return space;
	space = isl_space_set_from_params(space);
	return isl_space_add_dims(space, isl_dim_set, (unsigned)at->depth);
}

/* The function that is "value" everywhere. */
static __isl_give isl_pw_aff *constant(const struct fe_c_lower *lw,
	const struct fe_c_place *at, int64_t value)
{
	isl_local_space *ls;
	isl_val *v = isl_val_int_from_si(lw->prog->ctx, (long)value);

	ls = isl_local_space_from_space(space_of(lw, at));
	return isl_pw_aff_from_aff(isl_aff_val_on_domain(ls, v));
}

/* Takes "value". */
static __isl_give isl_pw_aff *scaled(__isl_take isl_pw_aff *value,
	int64_t factor)
{
	return isl_pw_aff_scale_val(value, isl_val_int_from_si(
		isl_pw_aff_get_ctx(value), (long)factor));
}

/* The iterator of the loop "s" after as many iterations as "count" says. What
 * its first value needs has been noted before.
 *
 *	first + count * step
 *
 * The first value is computed here once more: the needs that it adds are taken
 * off again.
 */
static __isl_give isl_pw_aff *counted(struct fe_c_lower *lw,
	const struct fe_c_place *at, const struct fe_c_stmt *s,
	__isl_take isl_pw_aff *count)
{
	struct fe_c_need *need = lw->need;
	isl_pw_aff *first = fe_c_aff(lw, at, s->right);

	for (; lw->need != need; lw->need = lw->need->next)
		isl_set_free(lw->need->bad);
	return isl_pw_aff_add(first, scaled(count, s->step));
}

/* The value of the variable "v": of another name what it stands for, of a size
 * the parameter, of a loop's variable the innermost dimension that is this
 * loop's. A dimension that counts iterations is turned back into the variable's
 * value.
 *
 * Several loops may use one variable, one inside of another: the innermost
 * counts.
 */
static __isl_give isl_pw_aff *variable(struct fe_c_lower *lw,
	const struct fe_c_place *at, const struct fe_c_var *v)
{
	isl_local_space *ls;
	isl_pw_aff *value;
	int d;

	if (v->use == FE_C_ALIAS)
		return fe_c_aff(lw, at, v->init);
	ls = isl_local_space_from_space(space_of(lw, at));
	if (v->use == FE_C_SIZE) {
		d = isl_local_space_find_dim_by_name(ls, isl_dim_param,
			v->lowered);
		return isl_pw_aff_from_aff(isl_aff_var_on_domain(ls,
			isl_dim_param, (unsigned)d));
	}
	for (d = at->depth - 1; d > 0 && at->iterator[d] != v; d--)
		;
	value = isl_pw_aff_from_aff(isl_aff_var_on_domain(ls, isl_dim_set,
		(unsigned)d));
	return at->counted[d] ? counted(lw, at, at->counted[d], value) : value;
}

/* Where "value" is below "limit", or above it, within what is known of "at".
 *
 * "at->domain" counts only if it has the dimensions of "at": while a loop's
 * bounds are read its own dimension is still missing.
 */
static __isl_give isl_set *outside(const struct fe_c_place *at,
	__isl_keep isl_pw_aff *value, __isl_take isl_val *limit, bool above)
{
	isl_pw_aff *end = isl_pw_aff_val_on_domain(
		isl_pw_aff_domain(isl_pw_aff_copy(value)), limit);
	isl_set *set = above ?
		isl_pw_aff_gt_set(isl_pw_aff_copy(value), end) :
		isl_pw_aff_lt_set(isl_pw_aff_copy(value), end);

	if (at->depth >= 0 && at->domain &&
	    isl_set_dim(at->domain, isl_dim_set) == at->depth)
		set = isl_set_intersect(set, isl_set_copy(at->domain));
	return set;
}

/* Where "value" is negative, within what is known of "at".
 *
 * Used where C rounds towards zero: with no negative dividend that is a floor.
 */
static __isl_give isl_set *negative(const struct fe_c_place *at,
	__isl_keep isl_pw_aff *value)
{
	return outside(at, value, isl_val_zero(isl_pw_aff_get_ctx(value)),
		false);
}

/* The last value of type "t", upwards or downwards:
 *
 *	up	2^bits - 1
 *	down	-2^bits for a type with a sign, else 0
 */
__isl_give isl_val *fe_c_last(isl_ctx *ctx, enum poly_type t, bool up)
{
	int bits = 8 * poly_type_size(t);
	bool sign = poly_type_class(t) == POLY_CLASS_INT;
	isl_val *all = isl_val_2exp(isl_val_int_from_si(ctx, bits - sign));

	if (up)
		return isl_val_sub_ui(all, 1);
	return sign ? isl_val_neg(all) : isl_val_mul_ui(all, 0);
}

/* An empty set is no need. What cannot be told counts as one; the set is kept
 * with the expression that messages point at.
 */
void fe_c_need(struct fe_c_lower *lw, const struct fe_c_expr *e,
	__isl_take isl_set *bad)
{
	struct fe_c_need *n;

	if (isl_set_is_empty(bad) != isl_bool_false) {
		isl_set_free(bad);
		return;
	}
	n = fe_arena_alloc(&lw->arena, sizeof(*n));
	n->bad = bad;
	n->e = e;
	n->next = lw->need;
	lw->need = n;
}

/* C says what becomes of a "value" of "e" that leaves its type, so it must not.
 *
 * Both ends of the type are asked for.
 */
static void need_type(struct fe_c_lower *lw, const struct fe_c_place *at,
	const struct fe_c_expr *e, __isl_keep isl_pw_aff *value)
{
	isl_ctx *ctx = isl_pw_aff_get_ctx(value);

	for (int up = 0; up < 2; up++)
		fe_c_need(lw, e, outside(at, value,
			fe_c_last(ctx, e->type, up), up));
}

/* "value / divisor", truncated, where "divisor" is positive.
 *
 * Positive parts are rounded down and negative ones up, each on its own domain,
 * and put together again. If there is no negative value, one floor is all.
 */
static __isl_give isl_pw_aff *truncated(const struct fe_c_place *at,
	__isl_take isl_pw_aff *value, int64_t divisor)
{
	isl_ctx *ctx = isl_pw_aff_get_ctx(value);
	isl_set *below = negative(at, value);
	isl_bool never = isl_set_is_empty(below);
	isl_pw_aff *down;

	value = isl_pw_aff_scale_down_val(value,
		isl_val_int_from_si(ctx, (long)divisor));
	isl_set_free(below);
	if (never == isl_bool_true)
		return isl_pw_aff_floor(value);
	below = isl_pw_aff_nonneg_set(isl_pw_aff_copy(value));
	down = isl_pw_aff_floor(isl_pw_aff_copy(value));
	down = isl_pw_aff_intersect_domain(down, isl_set_copy(below));
	value = isl_pw_aff_intersect_domain(isl_pw_aff_ceil(value),
		isl_set_complement(below));
	return isl_pw_aff_union_add(down, value);
}

/* "value / divisor", truncated.
 *
 *	a / -b	is	-(a / b)
 */
static __isl_give isl_pw_aff *quotient(const struct fe_c_place *at,
	__isl_take isl_pw_aff *value, int64_t divisor)
{
	if (divisor < 0)
		return isl_pw_aff_neg(truncated(at, value, -divisor));
	return truncated(at, value, divisor);
}

/* "a" op the constant "c"
 *
 *	a << c	is	a * 2^c
 *	a % c	is	a - c * (a / c)
 *	a >> c	is	floor(a / 2^c)
 *	a & c	is	a mod (c + 1)
 *
 * The last one is for masks of all ones, c + 1 a power of 2, which the test for
 * affine expressions has seen to.
 */
static __isl_give isl_pw_aff *with_constant(const struct fe_c_place *at,
	enum poly_op op, __isl_take isl_pw_aff *a, int64_t c)
{
	isl_pw_aff *down;
	isl_val *v;

	switch (op) {
	case POLY_OP_SHL:
		return scaled(a, INT64_C(1) << c);
	case POLY_OP_DIV:
		return quotient(at, a, c);
	case POLY_OP_REM:
		down = scaled(quotient(at, isl_pw_aff_copy(a), c), c);
		return isl_pw_aff_sub(a, down);
	case POLY_OP_SHR:
		v = isl_val_int_from_si(isl_pw_aff_get_ctx(a),
			1L << c);
		return isl_pw_aff_floor(isl_pw_aff_scale_down_val(a, v));
	default:
		v = isl_val_int_from_si(isl_pw_aff_get_ctx(a), (long)c + 1);
		return isl_pw_aff_mod_val(a, v);
	}
}

/* 1 where "e" holds and 0 elsewhere
 *
 * A condition used as a number.
 */
static __isl_give isl_pw_aff *truth(struct fe_c_lower *lw,
	const struct fe_c_place *at, const struct fe_c_expr *e)
{
	isl_set *set = fe_c_cond(lw, at, e);
	isl_pw_aff *yes = constant(lw, at, 1), *no = constant(lw, at, 0);

	yes = isl_pw_aff_intersect_domain(yes, isl_set_copy(set));
	no = isl_pw_aff_intersect_domain(no, isl_set_complement(set));
	return isl_pw_aff_union_add(yes, no);
}

/* "c ? a : b" with an affine condition: "a" where it holds, "b" elsewhere.
 *
 * The pieces are joined where they agree, so that the function stays small.
 */
static __isl_give isl_pw_aff *choice(struct fe_c_lower *lw,
	const struct fe_c_place *at, const struct fe_c_expr *e)
{
	isl_set *set = fe_c_cond(lw, at, e->arg[0]);
	isl_pw_aff *yes = fe_c_aff(lw, at, e->arg[1]);
	isl_pw_aff *no = fe_c_aff(lw, at, e->arg[2]);

	yes = isl_pw_aff_intersect_domain(yes, isl_set_copy(set));
	no = isl_pw_aff_intersect_domain(no, isl_set_complement(set));
	return poly_pw_aff_coalesce(isl_pw_aff_union_add(yes, no));
}

/* A product: the factor that is a constant, or made of sizes whose values are
 * given, scales the other one.
 *
 * The test for affine expressions has made sure that there is one.
 */
static __isl_give isl_pw_aff *product(struct fe_c_lower *lw,
	const struct fe_c_place *at, const struct fe_c_expr *e)
{
	int64_t c = 0;

	if (fe_c_constant(e->arg[0], &c))
		return scaled(fe_c_aff(lw, at, e->arg[1]), c);
	if (fe_c_known(e->arg[1], &c))
		return scaled(fe_c_aff(lw, at, e->arg[0]), c);
	fe_c_known(e->arg[0], &c);
	return scaled(fe_c_aff(lw, at, e->arg[1]), c);
}

/* The value of an operation other than a choice or a conversion. But for sums
 * and products the second operand is a number (fe_c_affine).
 *
 * An absolute value is the larger of the value and its negation.
 */
static __isl_give isl_pw_aff *operation(struct fe_c_lower *lw,
	const struct fe_c_place *at, const struct fe_c_expr *e)
{
	isl_pw_aff *a, *b;
	int64_t c = 0;

	if (e->op == POLY_OP_MUL)
		return product(lw, at, e);
	a = fe_c_aff(lw, at, e->arg[0]);
	if (e->op == POLY_OP_NEG)
		return isl_pw_aff_neg(a);
	if (e->op == POLY_OP_ABS) {
		b = isl_pw_aff_neg(isl_pw_aff_copy(a));
		return isl_pw_aff_max(a, b);
	}
	if (e->op == POLY_OP_ADD || e->op == POLY_OP_SUB) {
		b = fe_c_aff(lw, at, e->arg[1]);
		return e->op == POLY_OP_ADD ? isl_pw_aff_add(a, b) :
			isl_pw_aff_sub(a, b);
	}
	fe_c_known(e->arg[1], &c);
	return with_constant(at, e->op, a, c);
}

/* May "e" be another number than its operands give, and does C say which?
 *
 * A type without a sign wraps, and so does a cast to a type of 4 bytes or less
 * from one that holds more.
 */
static bool can_wrap(const struct fe_c_expr *e)
{
	enum poly_type from = e->arg[0]->type;

	return poly_type_class(e->type) == POLY_CLASS_UINT ||
		(e->kind == FE_C_CAST && poly_type_size(e->type) <= 4 &&
		 (poly_type_size(from) > 4 || from == POLY_U32));
}

/* The function that "e" is over the loops at "at". What is neither an operation
 * with one type nor a cast is a condition: its value is 1 or 0.
 *
 * A cast changes nothing of the number: that it fits is a need.
 */
__isl_give isl_pw_aff *fe_c_aff(struct fe_c_lower *lw,
	const struct fe_c_place *at, const struct fe_c_expr *e)
{
	isl_pw_aff *value;
	int64_t c;

	if (fe_c_constant(e, &c))
		return constant(lw, at, c);
	if (e->kind == FE_C_VAR)
		return variable(lw, at, e->var);
	if (e->kind == FE_C_COND)
		return choice(lw, at, e);
	if (e->kind == FE_C_OP && poly_op_shape(e->op) == POLY_SHAPE_SAME)
		value = operation(lw, at, e);
	else if (e->kind == FE_C_CAST)
		value = fe_c_aff(lw, at, e->arg[0]);
	else
		return truth(lw, at, e);
	if (can_wrap(e))
		need_type(lw, at, e, value);
	return value;
}

/* The iterations at which the comparison "e" of affine values holds.
 *
 * Which of the loops' iterations they are isl finds from the two functions.
 */
static __isl_give isl_set *comparison(struct fe_c_lower *lw,
	const struct fe_c_place *at, const struct fe_c_expr *e)
{
	isl_pw_aff *a = fe_c_aff(lw, at, e->arg[0]);
	isl_pw_aff *b = fe_c_aff(lw, at, e->arg[1]);

	/* The set of the iterations at which "e" holds. A value that is no
	 * comparison holds where it is not 0.
	 */
	return fe_compare(e->op, a, b);
}

__isl_give isl_set *fe_c_cond(struct fe_c_lower *lw,
	const struct fe_c_place *at, const struct fe_c_expr *e)
{
	isl_set *a, *b;
	int64_t c;

	/* A constant holds everywhere or nowhere. */
	if (fe_c_constant(e, &c)) {
		a = isl_set_universe(space_of(lw, at));
		return c ? a : isl_set_complement(a);
	}
	if (e->kind == FE_C_NOT)
		return isl_set_complement(fe_c_cond(lw, at, e->arg[0]));
	if (e->kind == FE_C_AND || e->kind == FE_C_OR) {
		a = fe_c_cond(lw, at, e->arg[0]);
		b = fe_c_cond(lw, at, e->arg[1]);
		return e->kind == FE_C_AND ? isl_set_intersect(a, b) :
			poly_set_coalesce(isl_set_union(a, b));
	}
	if (e->kind == FE_C_OP &&
	    poly_op_shape(e->op) == POLY_SHAPE_COMPARE)
		return comparison(lw, at, e);
	return isl_set_complement(isl_pw_aff_zero_set(fe_c_aff(lw, at, e)));
}
