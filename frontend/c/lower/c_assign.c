/* Assignments of C as statements: cut into pieces where conditions inside of expressions
 * are known, with what is stored where the guards fail.
 */
#include <stdlib.h>

#include <isl/schedule.h>
#include <isl/space.h>

#include "frontend/c/lower/lower.h"
#include "frontend/c/rewrite/rewrite.h"

/* First "a", then "b"; either may be NULL: nothing. */
__isl_give isl_schedule *fe_c_sequence(__isl_take isl_schedule *a,
	__isl_take isl_schedule *b)
{
	if (!a)
		return b;
	return b ? isl_schedule_sequence(a, b) : a;
}

/* -------------------------------------------------------------- statements */

/* A name that nothing in the program has. */
void fe_c_make_name(struct fe_c_lower *lw, const char *prefix, int *number,
	char name[32])
{
	do {
		snprintf(name, 32, "%s%d", prefix, ++*number);
	} while (poly_prog_find_array(lw->prog, name) ||
		 poly_prog_find_param(lw->prog, name) ||
		 poly_prog_find_stmt(lw->prog, name));
}

/* Add a point statement for all instances of "at", named S1, S2 and so on. NULL
 * without memory, or if there are too many, which is reported once.
 */
struct poly_stmt *fe_c_add_stmt(struct fe_c_lower *lw,
	const struct fe_c_place *at, const struct poly_loc *loc)
{
	struct poly_stmt *stmt;
	isl_set *domain;
	char name[32];

	if (lw->prog->n_stmt >= FE_C_MAX_STMT) {
		if (!lw->quiet && lw->prog->n_stmt == FE_C_MAX_STMT)
			FE_REPORT(lw->u, FE_C_STATEMENTS, loc, FE_C_MAX_STMT);
		return NULL;
	}
	fe_c_make_name(lw, "S", &lw->n_stmt, name);
	domain = isl_set_gist_params(isl_set_copy(at->domain),
		isl_set_copy(lw->prog->context));
	if (lw->part)
		domain = isl_set_align_params(domain,
			isl_space_copy(lw->params));
	stmt = poly_prog_add_stmt(lw->prog, name, POLY_POINT,
		isl_set_set_tuple_name(domain, name));
	if (stmt)
		stmt->loc = *loc;
	return stmt;
}

/* ---------------------------------------------------------------- updates */

static bool is_integer(const struct fe_c_expr *e)
{
	return !poly_type_is_float(e->type);
}

/* "-e"; the sign of a product goes to its first factor. */
static struct poly_expr *negated(struct poly_expr *e)
{
	if (e && e->op == POLY_OP_MUL) {
		e->arg[0] = poly_expr_op(POLY_OP_NEG, e->arg[0]->type,
			e->arg[0], NULL);
		return e->arg[0] ? e : poly_expr_free(e);
	}
	return e ? poly_expr_op(POLY_OP_NEG, e->type, e, NULL) : NULL;
}

/* ------------------------------------------------------------- assignments */

/* Is "s" an update? Where sums of floats keep their order, those are none. */
static const struct fe_c_expr *updates(const struct fe_c_lower *lw,
	const struct fe_c_stmt *s, enum poly_op *op)
{
	const struct fe_c_expr *by = fe_c_update(s, op);
	bool keeps = lw->part && poly_type_is_float(s->left->type) &&
		by && *op != POLY_OP_MIN && *op != POLY_OP_MAX;

	return keeps ? NULL : by;
}

/* The innermost guard that holds wherever "s" is seen, or NULL: the variable is
 * declared under it, or is written anew before it is read.
 */
static const struct fe_c_guard *unseen(const struct fe_c_piece *p,
	const struct fe_c_stmt *s)
{
	const struct fe_c_guard *g = p->guard;

	if (!s->begins && !s->declares && !s->hidden)
		while (g && !fe_c_is_born_in(g->list, s->left->var))
			g = g->outer;
	return g;
}

/* The guards of "p" that are not around "end", or NULL: there are none. What they
 * read is in doubt if there are others.
 */
static struct poly_expr *guards(struct fe_c_piece *p,
	const struct fe_c_guard *end)
{
	struct poly_expr *cond = NULL;

	p->doubts += end != NULL;
	if (p->guard != end)
		cond = fe_c_guards(p, p->guard, end);
	p->doubts -= end != NULL;
	return cond;
}

/* What is stored: the value, or where the guards fail what was there. */
static struct poly_expr *stored(struct fe_c_piece *p,
	const struct fe_c_stmt *s)
{
	const struct fe_c_guard *end = unseen(p, s);
	struct poly_expr *cond = guards(p, end), *value;

	p->doubts += p->guard != NULL;
	value = fe_c_value(p, s->right);
	if (p->guard != end)
		value = poly_expr_select(cond, value, fe_c_value(p, s->left));
	p->doubts -= p->guard != NULL;
	return value;
}

/* May "s", an update by "op", update its variable by nothing where the guards of "p"
 * fail? Nothing is added to a float as -0, and it is multiplied by 1, which both
 * leave it as it is; but the larger one of a NaN and any number is that number.
 */
static bool can_skip(const struct fe_c_piece *p, const struct fe_c_stmt *s,
	enum poly_op op)
{
	const struct fe_c_guard *g, *end = unseen(p, s);

	for (g = p->guard; g != end; g = g->outer)
		if (fe_c_reads(g->cond, s->left->var))
			return false;
	return p->guard == end || is_integer(s->left) ||
		(op != POLY_OP_MIN && op != POLY_OP_MAX);
}

/* What "s" updates its variable with: "e", or nothing where the guards fail. */
static struct poly_expr *update(struct fe_c_piece *p,
	const struct fe_c_stmt *s, const struct fe_c_expr *e, enum poly_op *op)
{
	const struct fe_c_guard *end = unseen(p, s);
	struct poly_expr *cond = guards(p, end), *value;

	p->doubts += p->guard != NULL;
	poly_expr_free(fe_c_value(p, s->left));
	value = poly_expr_cast(s->left->type, fe_c_value(p, e));
	p->doubts -= p->guard != NULL;
	if (*op == POLY_OP_SUB) {
		*op = POLY_OP_ADD;
		value = negated(value);
	}
	return p->guard == end ? value : poly_expr_select(cond, value,
		poly_expr_nothing(*op, s->left->type));
}

/* Give the statement of "p" its access and its value: what it updates its
 * variable with, if "s" is an update that may be one by nothing where the
 * guards fail; else what is stored. Without guards nothing but this judges the
 * access on the left.
 */
static void write_piece(struct fe_c_piece *p, const struct fe_c_stmt *s)
{
	enum poly_op op = POLY_OP_NONE;
	const struct fe_c_expr *e;
	struct poly_expr *rhs;

	e = updates(p->lw, s, &op);
	if (e && can_skip(p, s, op)) {
		rhs = update(p, s, e, &op);
	} else {
		op = POLY_OP_NONE;
		if (!p->guard)
			poly_expr_free(fe_c_value(p, s->left));
		rhs = stored(p, s);
	}
	if (!rhs)
		return;
	poly_stmt_set_write(p->stmt, p->lw->array[s->left->var->id],
		fe_c_index(p, s->left), op, rhs);
	p->stmt->ordered = p->lw->part && op == POLY_OP_NONE &&
		poly_type_is_float(s->left->type) &&
		poly_expr_accesses(rhs, p->stmt->write_array);
}

/* The next affine condition that a piece of "s" must decide before its accesses
 * are right, in its value or in its guards, or NULL.
 */
static const struct fe_c_expr *next_cut(const struct fe_c_piece *p,
	const struct fe_c_stmt *s)
{
	const struct fe_c_expr *e = fe_c_undecided(p, s->right);
	const struct fe_c_guard *g;

	for (g = p->guard; g && !e; g = g->outer)
		if (!g->cell)
			e = fe_c_undecided(p, g->cond);
	return e;
}

/* The assignment "s" where the domain of "p" is, cut into pieces. */
static __isl_give isl_schedule *assign_pieces(const struct fe_c_piece *p,
	const struct fe_c_stmt *s)
{
	struct fe_c_piece piece = *p;
	const struct fe_c_expr *cut = next_cut(p, s);
	struct fe_c_decision d = { p->decision, cut, true };
	isl_schedule *all = NULL;
	isl_set *holds;

	if (isl_set_is_empty(p->at.domain) != isl_bool_false)
		return NULL;
	if (cut) {
		holds = fe_c_cond(p->lw, &p->at, cut);
		fe_c_settle(p->lw, p->at.domain);
		piece.decision = &d;
		piece.at.domain = poly_set_coalesce(isl_set_intersect(
			isl_set_copy(p->at.domain), isl_set_copy(holds)));
		all = assign_pieces(&piece, s);
		isl_set_free(piece.at.domain);
		d.value = false;
		piece.at.domain = poly_set_coalesce(isl_set_subtract(
			isl_set_copy(p->at.domain), holds));
		all = fe_c_sequence(all, assign_pieces(&piece, s));
		isl_set_free(piece.at.domain);
		return all;
	}
	piece.stmt = fe_c_add_stmt(p->lw, &p->at, &s->loc);
	if (!piece.stmt)
		return NULL;
	write_piece(&piece, s);
	fe_c_settle(p->lw, p->at.domain);
	return isl_schedule_from_domain(isl_union_set_from_set(
		isl_set_copy(piece.stmt->domain)));
}

__isl_give isl_schedule *fe_c_lower_assign(struct fe_c_lower *lw,
	const struct fe_c_place *at, const struct fe_c_guard *guard,
	const struct fe_c_stmt *s)
{
	struct fe_c_piece p = { .lw = lw, .at = *at, .guard = guard };

	if (s->left->var->use != FE_C_CELL)
		return NULL;
	return assign_pieces(&p, s);
}
