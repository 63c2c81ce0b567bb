/* What a reduction along lines does with each term, and what with all of them at once.
 *
 * A function that grows, of the greatest of some numbers, is the greatest of its values;
 * what divides each term divides their sum:
 *
 *	m[i] = max(j: tanh(x[i, j]))		tanh(max(j: x[i, j]))
 *	m[i] = max(j: exp(-|x[i, j]|))		exp(-min(j: |x[i, j]|))
 *	s[i] += x[i, j] / n			(sum over j of x[i, j]) / n
 *
 * So do sums and quotients of a term and of what is the same for all of them, where that is
 * in registers. All this is computed once for each line. What it makes of a line without
 * terms may be another number than what changes nothing, so each cell has to have a term.
 * The function of the greatest term is off by no more than those of the terms are, but it
 * need not be the same to the last bit, as functions need not grow from each number to the
 * next one: with --fp=strict each term is computed.
 */
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

/* A statement whose terms are looked at. */
struct terms {
	struct poly_prog *prog;
	struct poly_stmt *s;
};

/* Is the value of "index" another one for other terms of a cell? */
static bool moves(const struct terms *t, __isl_keep isl_multi_pw_aff *index)
{
	int n = isl_multi_pw_aff_dim(index, isl_dim_in);

	for (int d = 0; d < n; d++)
		if (isl_multi_pw_aff_involves_dims(t->s->write_index, isl_dim_in,
		    d, 1) == isl_bool_false &&
		    isl_multi_pw_aff_involves_dims(index, isl_dim_in, d, 1) !=
		    isl_bool_false)
			return true;
	return false;
}

/* Is "e" the same for all terms of a cell, and made of literals, sizes and what each thread
 * of the line has in registers?
 */
static bool is_steady(const struct terms *t, const struct poly_expr *e)
{
	switch (e->op) {
	case POLY_OP_CONST:
	case POLY_OP_PARAM:
		return true;
	case POLY_OP_INDEX:
		return isl_multi_pw_aff_involves_dims(e->index, isl_dim_in, 0,
			isl_multi_pw_aff_dim(e->index, isl_dim_in)) == isl_bool_false;
	case POLY_OP_ACCESS:
		return e->array->space == POLY_REGISTER && !moves(t, e->index);
	case POLY_OP_CAST:
	case POLY_OP_ABS:
	case POLY_OP_SQRT:
		return is_steady(t, e->arg[0]);
	case POLY_OP_ADD:
	case POLY_OP_SUB:
	case POLY_OP_MUL:
	case POLY_OP_DIV:
		return is_steady(t, e->arg[0]) && is_steady(t, e->arg[1]);
	default:
		return grows(e) && is_steady(t, e->arg[0]);
	}
}

/* Is "e" 0 or more, with "more" more than 0, unless it is NaN? */
static bool is_positive(const struct poly_expr *e, bool more)
{
	switch (e->op) {
	case POLY_OP_CONST:
		return more ? e->value > 0 : e->value >= 0;
	case POLY_OP_ABS:
		return !more;
	case POLY_OP_ADD:
		return is_positive(e->arg[0], false) && is_positive(e->arg[1], false) &&
			(!more || is_positive(e->arg[0], true) ||
			is_positive(e->arg[1], true));
	default:
		return false;
	}
}

/* Of "e", which is done to a term: the argument that is one, where the other ones are
 * steady and "e" grows with it, or falls with it, which turns "*op"; NULL: none is.
 */
static const struct poly_expr *inner(const struct terms *t, const struct poly_expr *e,
	enum poly_op *op)
{
	bool falls = e->op == POLY_OP_NEG;
	const struct poly_expr *term = NULL;

	if (grows(e) || falls)
		term = e->arg[0];
	else if (e->op == POLY_OP_DIV && is_steady(t, e->arg[1]) &&
		 is_positive(e->arg[1], true))
		term = e->arg[0];
	else if ((e->op == POLY_OP_ADD || e->op == POLY_OP_SUB) &&
		 is_steady(t, e->arg[1]))
		term = e->arg[0];
	else if ((e->op == POLY_OP_ADD || e->op == POLY_OP_SUB) &&
		 is_steady(t, e->arg[0])) {
		falls = e->op == POLY_OP_SUB;
		term = e->arg[1];
	}
	if (term && falls)
		*op = *op == POLY_OP_MIN ? POLY_OP_MAX : POLY_OP_MIN;
	return term;
}

/* Is there a function, or a division, among what "e" does to a term first of all? */
static bool has_function(const struct terms *t, const struct poly_expr *e)
{
	enum poly_op op = POLY_OP_MAX;

	while (e && !grows(e) && e->op != POLY_OP_DIV)
		e = inner(t, e, &op);
	return e && inner(t, e, &op);
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
	const struct terms terms = { prog, s };
	enum poly_type type = s->write_array->type;

	if (prog->fp == POLY_FP_STRICT || t.e->type != type ||
	    !poly_type_is_float(type) || poly_type_compute(type) != type)
		return t;
	while (t.op == POLY_OP_ADD && t.e->op == POLY_OP_DIV &&
	       is_steady(&terms, t.e->arg[1]))
		t.e = t.e->arg[0];
	if ((t.op != POLY_OP_MIN && t.op != POLY_OP_MAX) ||
	    !has_function(&terms, t.e) || !has_terms(prog, s))
		return t;
	while (has_function(&terms, t.e))
		t.e = inner(&terms, t.e, &t.op);
	return t;
}
