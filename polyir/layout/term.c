/* What a reduction along lines does with each term, and what with all of them at once.
 *
 * A function that grows, of the greatest of some numbers, is the greatest of its values:
 *
 *	m[i] = max(j: tanh(x[i, j]))		tanh(max(j: x[i, j]))
 *	m[i] = max(j: exp(-|x[i, j]|))		exp(-min(j: |x[i, j]|))
 *
 * So are sums and quotients of a term and of a number. All this is computed once for each
 * line. What it makes of a line without terms may be another number than what changes
 * nothing, so each cell has to have a term. Terms that are NaN are none, before it and behind
 * it: what is done here makes NaN of NaN alone.
 * The function of the greatest term is off by no more than those of the terms are, but it
 * need not be the same to the last bit, as functions need not grow from each number to the
 * next one: with --fp=strict each term is computed.
 */
#include <float.h>
#include <math.h>

#include <isl/aff.h>
#include <isl/map.h>
#include <isl/set.h>

#include "polyir/ir/ir.h"
#include "polyir/sets/sets.h"
#include "polyir/layout/layout.h"

/* Does "e" grow with its argument, wherever it is a number? */
static bool grows(const struct poly_expr *e)
{
	switch (e->op) {
	case POLY_OP_EXP:
	case POLY_OP_EXP2:
	case POLY_OP_SIGMOID:
	case POLY_OP_TANH:
		return true;
	case POLY_OP_SQRT:
		return e->arg[0]->op == POLY_OP_ABS;
	default:
		return false;
	}
}

/* Is "e" a number, the same for all terms? Infinite ones, which arrays may have, make NaN of
 * some terms alone.
 */
static bool is_number(const struct poly_expr *e)
{
	switch (e->op) {
	case POLY_OP_CONST:
		return fabs(e->value) <= FLT_MAX;
	case POLY_OP_PARAM:
		return true;
	case POLY_OP_INDEX:
		return isl_multi_pw_aff_involves_dims(e->index, isl_dim_in, 0,
			isl_multi_pw_aff_dim(e->index, isl_dim_in)) == isl_bool_false;
	default:
		return e->op == POLY_OP_CAST && is_number(e->arg[0]);
	}
}

/* Of "e", which is done to a term: the argument that is one, where the other one is a number
 * and "e" grows with it, or falls with it, which turns "*op"; NULL: none is.
 */
static const struct poly_expr *inner(const struct poly_expr *e, enum poly_op *op)
{
	bool falls = e->op == POLY_OP_NEG;
	const struct poly_expr *term = NULL;

	if (grows(e) || falls)
		term = e->arg[0];
	else if (e->op == POLY_OP_DIV && e->arg[1]->op == POLY_OP_CONST &&
		 e->arg[1]->value > 0 && is_number(e->arg[1]))
		term = e->arg[0];
	else if ((e->op == POLY_OP_ADD || e->op == POLY_OP_SUB) &&
		 is_number(e->arg[1]))
		term = e->arg[0];
	else if ((e->op == POLY_OP_ADD || e->op == POLY_OP_SUB) &&
		 is_number(e->arg[0])) {
		falls = e->op == POLY_OP_SUB;
		term = e->arg[1];
	}
	if (term && falls)
		*op = *op == POLY_OP_MIN ? POLY_OP_MAX : POLY_OP_MIN;
	return term;
}

/* Is there a function, or a division, among what "e" does to a term first of all? */
static bool has_function(const struct poly_expr *e)
{
	enum poly_op op = POLY_OP_MAX;

	while (e && !grows(e) && e->op != POLY_OP_DIV)
		e = inner(e, &op);
	return e && inner(e, &op);
}

/* The cells that are begun by other statements than "s", for the sizes that are known. */
static __isl_give isl_set *begun(struct poly_prog *prog, const struct poly_stmt *s)
{
	isl_set *cells = NULL;

	for (int i = 0; i < prog->n_stmt; i++) {
		struct poly_stmt *other = prog->stmt[i];
		isl_set *own;

		if (other == s || other->write_array != s->write_array ||
		    other->kind != POLY_POINT)
			continue;
		own = isl_map_range(poly_stmt_write(other));
		cells = cells ? isl_set_union(cells, own) : own;
	}
	return cells;
}

/* Has each cell of the array that "s" updates a term of it? */
static bool has_terms(struct poly_prog *prog, struct poly_stmt *s)
{
	isl_set *cells = begun(prog, s), *own;
	bool all;

	if (!cells)
		return false;
	cells = isl_set_intersect_params(cells, poly_known_sizes(prog));
	own = isl_map_range(poly_stmt_write(s));
	all = isl_set_is_subset(cells, own) == isl_bool_true;
	isl_set_free(cells);
	isl_set_free(own);
	return all;
}

struct poly_term poly_term_of(struct poly_prog *prog, struct poly_stmt *s)
{
	struct poly_term t = { s->rhs, s->reduce };
	enum poly_type type = s->write_array->type;

	if (prog->fp == POLY_FP_STRICT || t.e->type != type ||
	    !poly_type_is_float(type) || poly_type_compute(type) != type)
		return t;
	if ((t.op != POLY_OP_MIN && t.op != POLY_OP_MAX) ||
	    !has_function(t.e) || !has_terms(prog, s))
		return t;
	while (has_function(t.e))
		t.e = inner(t.e, &t.op);
	return t;
}
