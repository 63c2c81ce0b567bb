/* Expressions of C as values of statements.
 *
 * Conditions inside an expression become "select", which computes both values.
 * That is wrong where C would not have made an access: so an affine condition
 * around accesses is decided beforehand, by cutting the statement into pieces
 * (fe_c_undecided), and an access under a condition that is data must be in
 * bounds anyway, which is noted as a doubt and judged at the end. What a
 * statement accesses in any case is known to be in bounds, or else the program
 * is wrong.
 */
#include <stdlib.h>

#include <isl/id.h>
#include <isl/space.h>

#include "frontend/c/lower/lower.h"
#include "frontend/c/rewrite/rewrite.h"

/* --------------------------------------------------------------- decisions */

const struct fe_c_decision *fe_c_decided(const struct fe_c_piece *p,
	const struct fe_c_expr *cond)
{
	const struct fe_c_decision *d;

	for (d = p->decision; d; d = d->outer)
		if (d->cond == cond)
			return d;
	return NULL;
}

/* Is there an element of an array in "e"? Its subscripts do not matter: it is
 * an access already.
 */
static bool has_access(const struct fe_c_expr *e)
{
	int i;

	if (e->kind == FE_C_ELEMENT)
		return true;
	for (i = 0; i < 3 && e->arg[i]; i++)
		if (has_access(e->arg[i]))
			return true;
	return false;
}

/* For "c ? a : b": the condition if it is affine and accesses depend on it, so
 * that it is to be decided first; else one inside of the three, or, once c is
 * decided, inside of the one that is left.
 */
static const struct fe_c_expr *undecided_cond(const struct fe_c_piece *p,
	const struct fe_c_expr *e)
{
	const struct fe_c_decision *d = fe_c_decided(p, e->arg[0]);
	const struct fe_c_expr *found;

	if (d)
		return fe_c_undecided(p, e->arg[d->value ? 1 : 2]);
	if (fe_c_affine_cond(e->arg[0], false) &&
	    (has_access(e->arg[1]) || has_access(e->arg[2])))
		return e->arg[0];
	found = fe_c_undecided(p, e->arg[0]);
	if (!found)
		found = fe_c_undecided(p, e->arg[1]);
	return found ? found : fe_c_undecided(p, e->arg[2]);
}

/* The same for "a && b" and "a || b", whose right side is evaluated only where
 * the left one does not decide.
 */
static const struct fe_c_expr *undecided_logic(const struct fe_c_piece *p,
	const struct fe_c_expr *e)
{
	const struct fe_c_decision *d = fe_c_decided(p, e->arg[0]);
	const struct fe_c_expr *found;

	if (d)
		return d->value == (e->kind == FE_C_AND) ?
			fe_c_undecided(p, e->arg[1]) : NULL;
	if (fe_c_affine_cond(e->arg[0], false) && has_access(e->arg[1]))
		return e->arg[0];
	found = fe_c_undecided(p, e->arg[0]);
	return found ? found : fe_c_undecided(p, e->arg[1]);
}

const struct fe_c_expr *fe_c_undecided(const struct fe_c_piece *p,
	const struct fe_c_expr *e)
{
	const struct fe_c_expr *found;
	int i;

	if (e->kind == FE_C_COND)
		return undecided_cond(p, e);
	if (e->kind == FE_C_AND || e->kind == FE_C_OR)
		return undecided_logic(p, e);
	for (i = 0; i < 3 && e->arg[i]; i++) {
		found = fe_c_undecided(p, e->arg[i]);
		if (found)
			return found;
	}
	for (i = 0; i < e->n_index; i++) {
		found = has_access(e->index[i]) ?
			fe_c_undecided(p, e->index[i]) : NULL;
		if (found)
			return found;
	}
	return NULL;
}

/* ---------------------------------------------------------------- accesses */

/* "e" as a function on the instances of the statement. */
static __isl_give isl_pw_aff *on_stmt(struct fe_c_piece *p,
	const struct fe_c_expr *e)
{
	isl_pw_aff *value = fe_c_aff(p->lw, &p->at, e);
	isl_id *id = isl_set_get_tuple_id(p->stmt->domain);

	value = isl_pw_aff_gist(value, isl_set_copy(p->at.domain));
	return isl_pw_aff_set_tuple_id(poly_pw_aff_coalesce(value),
		isl_dim_in, id);
}

__isl_give isl_multi_pw_aff *fe_c_index(struct fe_c_piece *p,
	const struct fe_c_expr *e)
{
	struct poly_array *array = p->lw->array[e->var->id];
	isl_space *space = isl_multi_pw_aff_get_space(array->extent);
	isl_pw_aff_list *list;
	int i;

	list = isl_pw_aff_list_alloc(p->lw->prog->ctx, e->n_index);
	for (i = 0; i < e->n_index; i++)
		list = isl_pw_aff_list_add(list, on_stmt(p, e->index[i]));
	space = isl_space_map_from_domain_and_range(
		isl_set_get_space(p->stmt->domain), space);
	return isl_multi_pw_aff_from_pw_aff_list(space, list);
}

/* Where the instances of the statement leave the array through "index", in
 * dimension "first" or one behind it.
 */
static __isl_give isl_set *outside(const struct poly_stmt *stmt,
	const struct poly_array *array, __isl_keep isl_multi_pw_aff *index,
	int first)
{
	isl_map *map = isl_map_from_multi_pw_aff(isl_multi_pw_aff_copy(index));

	map = isl_map_intersect_domain(map, isl_set_copy(stmt->domain));
	return isl_map_domain(isl_map_subtract_range(map,
		poly_array_box(array, first)));
}

/* True if the statement makes the access "e" in any case. */
static bool is_sure(const struct fe_c_piece *p, const struct fe_c_expr *e)
{
	int i;

	for (i = 0; i < p->n_sure; i++)
		if (fe_c_same(p->sure[i], e))
			return true;
	return false;
}

/* Note the access "e", which C may leave out, with "bad", the sizes for which
 * it would leave its array.
 */
static void add_doubt(struct fe_c_piece *p, const struct fe_c_expr *e,
	__isl_take isl_set *bad)
{
	struct fe_c_doubt *d;

	d = fe_arena_alloc(&p->lw->arena, sizeof(*d));
	d->bad = bad;
	d->e = e;
	d->next = p->lw->doubt;
	p->lw->doubt = d;
}

/* In a flat array C could go on in the next row, so that the sizes for which
 * the access does not are told.
 */
static void tell_rows(struct fe_c_piece *p, const struct fe_c_expr *e,
	__isl_keep isl_multi_pw_aff *index)
{
	struct fe_c_lower *lw = p->lw;
	isl_set *good, *ran;
	char *text;

	good = isl_set_params(outside(p->stmt, lw->array[e->var->id], index,
		1));
	ran = isl_set_params(isl_set_copy(p->stmt->domain));
	ran = isl_set_intersect(ran, isl_set_copy(lw->assumed));
	ran = isl_set_intersect(ran, isl_set_copy(lw->prog->context));
	good = isl_set_gist(isl_set_complement(good), ran);
	good = poly_set_coalesce(good);
	text = fe_c_conditions(good);
	if (text && isl_set_plain_is_universe(good) == isl_bool_false &&
	    !lw->quiet && !fe_is_told(lw->u->report, MSG_FE_C_ROWS, &e->loc))
		FE_REPORT(lw->u, FE_C_ROWS, &e->loc, text, e->var->name);
	free(text);
	isl_set_free(good);
}

/* Does the statement run for sizes that may be given, but never without leaving
 * an array? Sizes in "good" are those for which it does not.
 */
static bool is_never_right(const struct fe_c_piece *p,
	__isl_keep isl_set *good)
{
	isl_set *ran = isl_set_params(isl_set_copy(p->stmt->domain)), *given;
	bool never;

	ran = isl_set_intersect(ran, isl_set_copy(p->lw->prog->context));
	given = fe_c_given(p->lw, isl_set_copy(ran));
	ran = isl_set_intersect(ran, isl_set_copy(good));
	never = isl_set_is_empty(ran) == isl_bool_true &&
		isl_set_is_empty(given) == isl_bool_false;
	isl_set_free(given);
	isl_set_free(ran);
	return never;
}

/* The access is made in any case: sizes for which it leaves the array are
 * wrong.
 */
static void be_sure(struct fe_c_piece *p, const struct fe_c_expr *e,
	__isl_take isl_set *bad)
{
	struct fe_c_lower *lw = p->lw;
	isl_set *good;

	if (p->n_sure < 64)
		p->sure[p->n_sure++] = e;
	bad = isl_set_intersect(bad, isl_set_copy(lw->prog->context));
	if (isl_set_is_empty(bad) != isl_bool_false) {
		isl_set_free(bad);
		return;
	}
	good = isl_set_complement(bad);
	if (!lw->quiet && !lw->need && is_never_right(p, good))
		FE_REPORT(lw->u, FE_C_OUTSIDE, &e->loc, e->var->name);
	lw->assumed = poly_set_coalesce(isl_set_intersect(lw->assumed, good));
}

/* Note whether "e" may leave its array. */
static void judge_access(struct fe_c_piece *p, const struct fe_c_expr *e,
	__isl_keep isl_multi_pw_aff *index)
{
	struct poly_array *array = p->lw->array[e->var->id];
	isl_set *bad;

	if (!index || (p->doubts && is_sure(p, e)))
		return;
	if (e->var->flat && !p->doubts)
		tell_rows(p, e, index);
	bad = isl_set_params(outside(p->stmt, array, index, 0));
	if (p->doubts && isl_set_is_empty(bad) == isl_bool_false)
		add_doubt(p, e, bad);
	else if (p->doubts)
		isl_set_free(bad);
	else
		be_sure(p, e, bad);
}

bool fe_c_is_gather(const struct fe_c_expr *e)
{
	int i;

	for (i = 0; i < e->n_index; i++)
		if (!fe_c_affine(e->index[i], false))
			return true;
	return false;
}

/* "a" op "b" in I64 */
static struct poly_expr *in_i64(enum poly_op op, struct poly_expr *a,
	struct poly_expr *b)
{
	return poly_expr_op(op, POLY_I64, poly_expr_cast(POLY_I64, a),
		poly_expr_cast(POLY_I64, b));
}

/* "at" if it is in [0, "n"), else -1, which is no element. */
static struct poly_expr *within(struct poly_expr *at, struct poly_expr *n)
{
	struct poly_expr *low, *high;

	low = poly_expr_op(POLY_OP_LE, POLY_BOOL,
		poly_expr_const(POLY_I64, 0), poly_expr_copy(at));
	high = poly_expr_op(POLY_OP_LT, POLY_BOOL, poly_expr_copy(at),
		poly_expr_cast(POLY_I64, n));
	return poly_expr_select(poly_expr_op(POLY_OP_AND, POLY_BOOL, low,
		high), at, poly_expr_const(POLY_I64, -1));
}

/* An element whose number is data. Where C may leave out the access, subscripts
 * may be anything.
 */
static struct poly_expr *gather(struct fe_c_piece *p,
	const struct fe_c_expr *e)
{
	const struct fe_c_var *v = e->var;
	struct poly_expr *at = NULL, *index;
	int d;

	for (d = 0; d < e->n_index; d++) {
		index = poly_expr_cast(POLY_I64, fe_c_value(p, e->index[d]));
		at = !at ? index : in_i64(POLY_OP_ADD, in_i64(POLY_OP_MUL, at,
			fe_c_value(p, v->dim[d])), index);
	}
	if (p->doubts > p->loops) {
		index = poly_expr_const(POLY_I64, 1);
		for (d = 0; d < v->n_dim; d++)
			index = in_i64(POLY_OP_MUL, index,
				fe_c_value(p, v->dim[d]));
		at = within(at, index);
	}
	return poly_expr_gather(p->lw->array[v->id], at);
}

/* The value of an element: of an affine one a read at its index, which is
 * judged; else a gather.
 */
static struct poly_expr *access(struct fe_c_piece *p,
	const struct fe_c_expr *e)
{
	isl_multi_pw_aff *index;

	if (fe_c_is_gather(e))
		return gather(p, e);
	index = fe_c_index(p, e);

	judge_access(p, e, index);
	return poly_expr_access(p->lw->array[e->var->id], index);
}

/* ------------------------------------------------------------------ values */

/* The value of a scalar. A loop's variable is an integer of 32 or 64 bits,
 * converted to its own type.
 */
static struct poly_expr *variable(struct fe_c_piece *p,
	const struct fe_c_expr *e)
{
	const struct fe_c_var *v = e->var;
	enum poly_type t;
	isl_multi_pw_aff *index;

	switch (v->use) {
	case FE_C_ALIAS:
		return fe_c_value(p, v->init);
	case FE_C_SIZE:
		return poly_expr_cast(e->type, poly_expr_param(v->lowered));
	case FE_C_STEP:
		return poly_expr_cast(e->type, poly_expr_step((int)v->value));
	case FE_C_CARRY:
		return poly_expr_carry((int)v->value, e->type);
	case FE_C_ITERATOR:
		t = poly_type_size(e->type) == 8 ? POLY_I64 : POLY_I32;
		index = isl_multi_pw_aff_from_pw_aff(on_stmt(p, e));
		return poly_expr_cast(e->type, poly_expr_index(t, index));
	default:
		return access(p, e);
	}
}

/* An operation of up to three arguments; NULL without memory. */
static struct poly_expr *operation(struct fe_c_piece *p,
	const struct fe_c_expr *e)
{
	struct poly_expr *a = fe_c_value(p, e->arg[0]), *b = NULL;

	if (e->arg[1]) {
		b = fe_c_value(p, e->arg[1]);
		if (!b)
			return poly_expr_free(a);
	}
	if (e->arg[2])
		return poly_expr_op3(e->op, e->type, a, b,
			fe_c_value(p, e->arg[2]));
	return poly_expr_op(e->op, e->type, a, b);
}

/* "c ? a : b": the one that is left once c is decided, or a selection, which
 * computes both, so that accesses in them are in doubt.
 */
static struct poly_expr *choice(struct fe_c_piece *p,
	const struct fe_c_expr *e)
{
	const struct fe_c_decision *d = fe_c_decided(p, e->arg[0]);
	struct poly_expr *cond, *a, *b;

	if (d)
		return fe_c_value(p, e->arg[d->value ? 1 : 2]);
	cond = fe_c_bool(p, e->arg[0]);
	p->doubts++;
	a = fe_c_value(p, e->arg[1]);
	b = fe_c_value(p, e->arg[2]);
	p->doubts--;
	return poly_expr_select(cond, a, b);
}

/* A constant; one that a double may not hold is put together. */
static struct poly_expr *integer(const struct fe_c_expr *e)
{
	const int64_t most = INT64_C(1) << 53;
	struct poly_expr *high, *by, *low;

	if (e->bits >= -most && e->bits <= most &&
	    (e->type != POLY_U64 || e->bits >= 0))
		return poly_expr_const(e->type, (double)e->bits);
	high = poly_expr_const(e->type, (double)(e->bits >> 32));
	by = poly_expr_const(e->type, 32);
	low = poly_expr_const(e->type, (double)(e->bits & 0xffffffff));
	high = poly_expr_op(POLY_OP_SHL, e->type, high, by);
	return poly_expr_op(POLY_OP_OR, e->type, high, low);
}

/* A loop whose bounds are values: it may have no step, so affine accesses in it are in
 * doubt. Those at positions that are data C makes.
 */
static struct poly_expr *loop(struct fe_c_piece *p, const struct fe_c_expr *e)
{
	struct poly_expr *low = fe_c_value(p, e->arg[1]->arg[0]);
	struct poly_expr *end = fe_c_value(p, e->arg[1]->arg[1]);
	struct poly_expr *first = fe_c_value(p, e->arg[0]), *next;

	p->doubts++;
	p->loops++;
	next = fe_c_value(p, e->arg[2]);
	p->doubts--;
	p->loops--;
	return poly_expr_loop((int)e->var->value, 1, low, end, first, next);
}

struct poly_expr *fe_c_value(struct fe_c_piece *p, const struct fe_c_expr *e)
{
	switch (e->kind) {
	case FE_C_INT:
		return integer(e);
	case FE_C_FLOAT:
		return poly_expr_const(e->type, e->value);
	case FE_C_VAR:
		return variable(p, e);
	case FE_C_ELEMENT:
		return access(p, e);
	case FE_C_CAST:
		return poly_expr_cast(e->type, fe_c_value(p, e->arg[0]));
	case FE_C_COND:
		return choice(p, e);
	case FE_C_LOOP:
		return loop(p, e);
	case FE_C_OP:
		if (e->op == POLY_OP_SCATTER)
			return poly_expr_scatter(0, fe_c_value(p, e->arg[0]),
				fe_c_value(p, e->arg[1]));
		if (poly_op_shape(e->op) == POLY_SHAPE_SAME)
			return operation(p, e);
		break;
	default:
		break;
	}
	return poly_expr_cast(e->type, fe_c_bool(p, e));
}

/* ------------------------------------------------------------- conditions */

/* "a && b" or "a || b" as a value, which computes both, so that accesses in b
 * are in doubt; if a is decided, b or a constant.
 */
static struct poly_expr *logic(struct fe_c_piece *p,
	const struct fe_c_expr *e)
{
	const struct fe_c_decision *d = fe_c_decided(p, e->arg[0]);
	struct poly_expr *a, *b;

	if (d && d->value == (e->kind == FE_C_AND))
		return fe_c_bool(p, e->arg[1]);
	if (d)
		return poly_expr_const(POLY_BOOL, d->value);
	a = fe_c_bool(p, e->arg[0]);
	p->doubts++;
	b = fe_c_bool(p, e->arg[1]);
	p->doubts--;
	return poly_expr_op(e->kind == FE_C_AND ? POLY_OP_AND : POLY_OP_OR,
		POLY_BOOL, a, b);
}

/* Whether "e" is not 0. */
struct poly_expr *fe_c_bool(struct fe_c_piece *p, const struct fe_c_expr *e)
{
	struct poly_expr *a, *b;

	switch (e->kind) {
	case FE_C_NOT:
		return poly_expr_op(POLY_OP_NOT, POLY_BOOL,
			fe_c_bool(p, e->arg[0]), NULL);
	case FE_C_AND:
	case FE_C_OR:
		return logic(p, e);
	case FE_C_OP:
		if (poly_op_shape(e->op) != POLY_SHAPE_COMPARE)
			break;
		a = fe_c_value(p, e->arg[0]);
		b = fe_c_value(p, e->arg[1]);
		return poly_expr_op(e->op, POLY_BOOL, a, b);
	default:
		break;
	}
	return poly_expr_cast(POLY_BOOL, fe_c_value(p, e));
}

/* Whether the guard "g" holds: its condition, or the cell that keeps its value.
 */
static struct poly_expr *one_guard(struct fe_c_piece *p,
	const struct fe_c_guard *g)
{
	isl_multi_pw_aff *index;
	isl_space *space;
	struct poly_expr *e;

	if (g->cell) {
		space = isl_space_map_from_domain_and_range(
			isl_set_get_space(p->stmt->domain),
			isl_multi_pw_aff_get_space(g->cell->extent));
		index = isl_multi_pw_aff_zero(space);
		e = poly_expr_access(g->cell, index);
	} else {
		e = fe_c_bool(p, g->cond);
	}
	return g->negated ? poly_expr_op(POLY_OP_NOT, POLY_BOOL, e, NULL) : e;
}

/* The outermost guard comes first: what stands behind it is in doubt. */
struct poly_expr *fe_c_guards(struct fe_c_piece *p, const struct fe_c_guard *g,
	const struct fe_c_guard *end)
{
	struct poly_expr *outer, *e;

	if (g->outer == end)
		return one_guard(p, g);
	outer = fe_c_guards(p, g->outer, end);
	p->doubts++;
	e = one_guard(p, g);
	p->doubts--;
	return poly_expr_op(POLY_OP_AND, POLY_BOOL, outer, e);
}
