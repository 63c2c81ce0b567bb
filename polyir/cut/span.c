/* Sums over what lies between two values are loops whose bounds these are:
 *
 *	y[i] += row[i] <= j and j < row[i + 1] ? x[i, j] : 0
 *	y[i] += loop (j from max(row[i], 0) below min(row[i + 1], N)) x[i, j]
 *
 * That is any reduction of a definition whose value is what changes nothing but where
 * data say that the loop is between them, as in rows of a sparse matrix. Each cell then
 * takes its own terms in the place of a comparison with all.
 */
#include <isl/aff.h>
#include <isl/set.h>

#include "polyir/base/base.h"
#include "polyir/ir/ir.h"
#include "polyir/sets/sets.h"
#include "polyir/cut/pick.h"
#include "polyir/prepare/prepare.h"
#include "polyir/cut/cut.h"

/* Positions that are less are none, wherever they are counted from. */
#define NOWHERE (-0x1p60)

/* The reduction, and what data say of its loop: where it begins and ends, I64, and what
 * else must hold; each NULL if they say nothing.
 */
struct span {
	struct poly_pick p;
	struct poly_steps at;
	struct poly_expr *low, *high, *rest;
};

static struct poly_expr *both(enum poly_op op, struct poly_expr *a, struct poly_expr *b)
{
	return poly_expr_op(op, POLY_I64, a, b);
}

static struct poly_expr *number(int64_t n)
{
	return poly_expr_const(POLY_I64, (double)n);
}

/* ---------------------------------------------------------------- conditions */

/* Is "e" the loop's index, as an integer that holds all its values? */
static bool is_index(const struct span *s, const struct poly_expr *e)
{
	while (e->op == POLY_OP_CAST && poly_type_class(e->type) == POLY_CLASS_INT &&
	       poly_type_size(e->type) >= 4)
		e = e->arg[0];
	return e->op == POLY_OP_INDEX && poly_index_dim(e->index, 0, s->p.s) == s->p.dim;
}

/* The greater of "a", NULL for nothing, and "b", or the less. */
static struct poly_expr *outer(struct poly_expr *a, struct poly_expr *b, bool greater)
{
	struct poly_expr *less;

	if (!a)
		return b;
	less = poly_expr_op(POLY_OP_LT, POLY_BOOL, poly_expr_copy(a),
		poly_expr_copy(b));
	return greater ? poly_expr_select(less, b, a) : poly_expr_select(less, a, b);
}

/* Is the comparison "cond" one of the index with what does not move with it? Keep the
 * bound that it is.
 */
static bool is_bound(struct span *s, const struct poly_expr *cond)
{
	bool low = is_index(s, cond->arg[1]), more;
	const struct poly_expr *with = cond->arg[!low ? 1 : 0];
	enum poly_type t = with->type;
	struct poly_expr *at;

	if ((cond->op != POLY_OP_LE && cond->op != POLY_OP_LT) ||
	    low == is_index(s, cond->arg[0]) || (t != POLY_I32 && t != POLY_I64) ||
	    poly_expr_moves(with, s->p.dim))
		return false;
	more = low == (cond->op == POLY_OP_LT);
	if (more && t == POLY_I64)	/* there may be no number above it */
		return false;
	at = poly_expr_cast(POLY_I64, poly_expr_copy(with));
	if (more)
		at = both(POLY_OP_ADD, at, number(1));
	if (low)
		s->low = outer(s->low, at, true);
	else
		s->high = outer(s->high, at, false);
	return true;
}

/* Take "cond" apart. */
static void find_bounds(struct span *s, const struct poly_expr *cond)
{
	struct poly_expr *one;

	if (cond->op == POLY_OP_AND && cond->type == POLY_BOOL) {
		find_bounds(s, cond->arg[0]);
		find_bounds(s, cond->arg[1]);
		return;
	}
	if (poly_op_n_arg(cond->op) == 2 && is_bound(s, cond))
		return;
	one = poly_expr_copy(cond);
	s->rest = s->rest ? poly_expr_op(POLY_OP_AND, POLY_BOOL, s->rest, one) : one;
}

/* ------------------------------------------------------------------ the body */

static struct poly_expr *at_step(struct span *s, struct poly_expr *e);

/* Can the element that "e" reads be gathered: of an array that is not written? */
static bool can_gather(const struct poly_expr *e)
{
	return e->array->role == POLY_INPUT && e->array->space == POLY_GLOBAL &&
		!e->array->stride;
}

/* The elements that the gather "e" reads, by their numbers alone. */
static struct poly_expr *gather_at(struct span *s, struct poly_expr *e)
{
	struct poly_expr *behind = at_step(s, e->arg[0]), *gather;
	bool far = behind && behind->op == POLY_OP_SELECT &&
		behind->arg[2]->op == POLY_OP_CONST && behind->arg[2]->value <= NOWHERE;

	e->arg[0] = NULL;
	if (e->index && !far)
		behind = poly_expr_select(poly_expr_op(POLY_OP_LT, POLY_BOOL,
			poly_expr_copy(behind), number(0)),
			poly_expr_const(POLY_I64, 4 * NOWHERE), behind);
	if (e->index)
		behind = poly_add_number(&s->at, behind, e->array, e->index);
	gather = poly_expr_gather(e->array, behind);
	poly_expr_free(e);
	return gather;
}

/* The index "e" at the step. */
static struct poly_expr *index_at(struct span *s, struct poly_expr *e)
{
	struct poly_expr *at = poly_add_position(&s->at, NULL, isl_multi_pw_aff_get_at(e->index,
		0));

	at = poly_expr_cast(e->type, at ? at : number(0));
	poly_expr_free(e);
	return at;
}

/* "e", an expression of the statement, at the step of the loop; takes it. */
static struct poly_expr *at_step(struct span *s, struct poly_expr *e)
{
	bool moves = e && poly_expr_moves(e, s->p.dim);

	if (!e)
		return NULL;
	s->at.refused |= e->op == POLY_OP_LOOP || e->op == POLY_OP_STEP ||
		e->op == POLY_OP_CARRY || e->op == POLY_OP_SCATTER ||
		e->op == POLY_OP_EARLIER || poly_op_shape(e->op) == POLY_SHAPE_WORDS;
	if (moves && e->op == POLY_OP_ACCESS) {
		struct poly_expr *gather;

		s->at.refused |= !can_gather(e);
		gather = poly_expr_gather(e->array, poly_add_number(&s->at, NULL, e->array,
			e->index));
		poly_expr_free(e);
		return gather;
	}
	if (moves && e->op == POLY_OP_INDEX)
		return index_at(s, e);
	if (moves && e->op == POLY_OP_GATHER) {
		s->at.refused |= !can_gather(e);
		return gather_at(s, e);
	}
	if (e->index)
		e->index = isl_multi_pw_aff_pullback_multi_aff(e->index,
			isl_multi_aff_copy(s->at.first));
	for (int i = 0; i < POLY_MAX_ARG; i++)
		e->arg[i] = at_step(s, e->arg[i]);
	return e;
}

/* ------------------------------------------------------------- the statement */

/* The loop in the place of the sum: what it carries begins with what changes nothing.
 * Takes "length", the last of the loop's indices.
 */
static struct poly_expr *make_loop(struct span *s, __isl_take isl_pw_aff *length)
{
	struct poly_stmt *stmt = s->p.s;
	enum poly_type t = stmt->rhs->type;
	isl_space *space = isl_set_get_space(stmt->domain);
	struct poly_expr *end, *value, *low, *high;

	space = isl_space_drop_dims(space, isl_dim_set, s->p.dim, 1);
	space = isl_space_set_tuple_name(space, isl_dim_set, stmt->name);
	length = isl_pw_aff_add_constant_val(isl_pw_aff_reset_tuple_id(length,
		isl_dim_in), isl_val_one(s->p.prog->ctx));
	length = isl_pw_aff_set_tuple_id(length, isl_dim_in, isl_space_get_tuple_id(
		space, isl_dim_set));
	isl_space_free(space);
	end = poly_expr_index(POLY_I64, isl_multi_pw_aff_from_pw_aff(length));
	poly_expr_pullback(s->low, s->at.first);
	poly_expr_pullback(s->high, s->at.first);
	low = outer(number(0), s->low, true);
	high = outer(end, s->high, false);
	s->low = s->high = NULL;
	value = at_step(s, poly_expr_copy(stmt->rhs->arg[1]));
	if (s->rest)
		value = poly_expr_select(at_step(s, s->rest), value,
			poly_expr_nothing(stmt->reduce, t));
	s->rest = NULL;
	return poly_expr_loop(0, 1, low, high, poly_expr_nothing(stmt->reduce, t),
		poly_expr_op(stmt->reduce, t, poly_expr_carry(0, t), value));
}

/* Let the statement have the loop as its value, at the points. */
static void take_loop(struct span *s, struct poly_expr *loop)
{
	struct poly_stmt *stmt = s->p.s;

	stmt->write_index = isl_multi_pw_aff_pullback_multi_aff(stmt->write_index,
		isl_multi_aff_copy(s->at.first));
	isl_set_free(stmt->domain);
	stmt->domain = isl_set_set_tuple_name(isl_set_copy(s->p.begin->domain),
		stmt->name);
	poly_expr_free(stmt->rhs);
	stmt->rhs = loop;
}

/* "stmt", if its loop "dim" is such a one; was it? */
static bool span(struct poly_prog *prog, struct poly_stmt *stmt, int dim)
{
	struct span s = { .p = { .prog = prog, .s = stmt, .dim = dim }, .at = {
		.s = stmt, .dim = dim, .step = poly_expr_step(0) } };
	isl_pw_aff *length = NULL;
	struct poly_expr *loop = NULL;
	bool is;

	find_bounds(&s, stmt->rhs->arg[0]);
	is = s.low && s.high && poly_find_points(&s.p) &&
		poly_is_box(&s.p, &length);
	if (is) {
		s.at.first = isl_multi_aff_set_tuple_name(isl_multi_aff_copy(s.p.first),
			isl_dim_in, stmt->name);
		loop = make_loop(&s, length);
		length = NULL;
		is = loop && !s.at.refused;
	}
	if (is)
		take_loop(&s, loop);
	else
		poly_expr_free(loop);
	isl_pw_aff_free(length);
	poly_expr_free(s.low);
	poly_expr_free(s.high);
	poly_expr_free(s.rest);
	isl_multi_aff_free(s.at.first);
	poly_expr_free(s.at.step);
	isl_multi_aff_free(s.p.first);
	return is;
}

int poly_span(struct poly_prog *prog)
{
	int n = 0;

	for (int i = prog->original ? prog->n_stmt : 0; i < prog->n_stmt; i++) {
		struct poly_stmt *s = prog->stmt[i];
		int n_dim = isl_set_dim(s->domain, isl_dim_set);
		bool is = s->kind == POLY_POINT && s->reduce != POLY_OP_NONE &&
			s->rhs->op == POLY_OP_SELECT &&
			s->rhs->type == s->write_array->type;

		for (int d = 0; is && d < n_dim; d++)
			if (span(prog, s, d)) {
				n++;
				break;
			}
	}
	return n;
}
