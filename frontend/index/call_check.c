/* What a call gives a nest: types, dimensions and extents must be those that the
 * nest says.
 *
 * Sizes may be left out, as arrays have them. All are compared as forms of the
 * program's sizes (bound.c).
 */
#include <math.h>
#include <setjmp.h>
#include <stdio.h>

#include "frontend/index/call.h"
#include "frontend/c/tree/tree.h"

/* What messages call a variable of the nest or a tensor that is given. */
static void describe(enum poly_type type, int n_dim, char text[64])
{
	if (n_dim)
		snprintf(text, 64, "an array of %s with %d dimension%s",
			poly_type_name(type), n_dim, n_dim == 1 ? "" : "s");
	else
		snprintf(text, 64, "a value of type %s", poly_type_name(type));
}

/* A size may be given as any expression of sizes: "a size" is all that is said
 * of it.
 */
void fe_call_report_type(struct fe_unit *u, const struct fe_call *c,
	const struct fe_arg *a)
{
	const struct fe_c_var *v = a->formal->var;
	char wanted[64] = "a size", found[64] = "something else";

	if (!fe_c_is_size(a->formal))
		describe(v->type, v->n_dim, wanted);
	if (a->from)
		describe(a->from->type, a->from->rank, found);
	FE_REPORT(u, FE_CALL_TYPE, &a->value->loc, c->nest->symbol->name,
		wanted, found);
}

/* ------------------------------------------------------------------- forms */

/* With sizes of known values put in, different forms may be the same number. */
static bool same_form(struct fe_unit *u, const struct fe_bound *a,
	const struct fe_bound *b)
{
	return fe_bound_same(fe_bound_given(u, a), fe_bound_given(u, b));
}

/* "N/2 + 1", for messages.
 *
 * Without memory the whole compilation is given up (no_memory), as for all that
 * the arena holds.
 */
static const char *form_text(struct fe_unit *u, const struct fe_bound *b)
{
	struct poly_str s = { 0 };
	const char *text;

	fe_bound_print(u, b, &s);
	if (s.failed) {
		poly_str_free(&s);
		longjmp(u->arena.no_memory, 1);
	}
	text = fe_arena_text(&u->arena, s.s, s.len);
	poly_str_free(&s);
	return text;
}

/* A call that is checked: of each variable of the nest that is a size, what it
 * is.
 *
 * A size that is not known yet is NULL.
 */
struct check {
	struct fe_unit *u;
	struct fe_call *c;
	struct fe_bound **size;
};

/* Is "e" a comparison of an index with a size, or several?
 *
 *	0 <= i < N and j < i + 1
 *
 * has one plain comparison, the first; the second compares two indices.
 */
static bool is_plain(struct fe_unit *u, const struct fe_scalar *e)
{
	struct fe_form f;
	int i;

	if (e->kind != FE_S_OP)
		return false;
	if (e->op == POLY_OP_AND)
		return is_plain(u, e->arg[0]) && is_plain(u, e->arg[1]);
	if (e->op != POLY_OP_LT && e->op != POLY_OP_LE)
		return false;
	for (i = 0; i < 2; i++) {
		int k, n = 0;

		if (e->arg[i]->kind != FE_S_INDEX ||
		    !fe_form_read(u, e->arg[!i], &f))
			continue;
		for (k = 0; k < f.n; k++)
			/* No term that counts an index: what is left is sizes
			 * and numbers.
			 */
			n += fe_term_count(&f.term[k], NULL);
		if (!n)
			return true;
	}
	return false;
}

/* The extent of an index that runs from 0 to one upper bound, which is no
 * quotient; NULL for others. The bound is that of the last value, so 1 is
 * added.
 */
struct fe_bound *fe_call_extent(struct fe_unit *u, const struct fe_index *i)
{
	struct fe_bound *b;

	if (i->n_upper != 1 || !fe_range_from_zero(i) || i->upper->div != 1)
		return NULL;
	b = fe_bound_copy(u, i->upper);
	b->constant++;
	return b;
}

/* Has "t" a value everywhere in a box from 0 on?
 *
 * A nest indexes its arrays from 0 and may read each element.
 */
static bool is_box(struct fe_unit *u, const struct fe_tensor *t)
{
	const struct fe_scalar *e;
	const struct fe_index *i = t->scope.first;
	int d;

	for (e = t->scope.condition; e; e = e->next)
		if (!is_plain(u, e))
			return false;
	for (d = 0; d < t->rank; d++, i = i->next)
		if (!fe_call_extent(u, i))
			return false;
	return true;
}

/* a / b as C has it, if "b" is a number and "a" is never negative, else NULL.
 *
 * C rounds towards zero and a bound rounds down: for a dividend that is never
 * negative both are the same.
 */
static struct fe_bound *divided(struct fe_unit *u, const struct fe_bound *a,
	const struct fe_bound *b)
{
	static const struct fe_bound zero = { .div = 1 };
	struct fe_bound *q = fe_bound_copy(u, a);
	int i;

	for (i = 0; i < b->n; i++)
		if (b->coef[i])
			return NULL;
	if (b->constant <= 0 || b->constant > FE_MAX_NUMBER ||
	    !fe_bound_implies(u, &zero, a, true))
		return NULL;
	q->div = b->constant;
	return fe_bound_floor(u, q) ? q : NULL;
}

/* "e", an extent in the nest, in the sizes of the program; NULL if it cannot be
 * told.
 *
 * Sums, differences, negations, products with a number and quotients by one:
 * what a declaration of an array may compute.
 */
static struct fe_bound *form_of(struct check *k, const struct fe_c_expr *e)
{
	struct fe_bound *a, *b, *f;

	e = fe_c_without_casts(e);
	f = fe_bound_new(k->u);
	if (e->kind == FE_C_INT) {
		f->constant = e->bits;
		return f;
	}
	if (e->kind == FE_C_VAR)
		return k->size[e->var->id];
	if (e->kind != FE_C_OP)
		return NULL;
	a = form_of(k, e->arg[0]);
	b = e->arg[1] ? form_of(k, e->arg[1]) : a;
	if (!a || !b)
		return NULL;
	switch (e->op) {
	case POLY_OP_DIV:
		return divided(k->u, a, b);
	case POLY_OP_ADD:
	case POLY_OP_SUB:
		return fe_bound_add(k->u, f, a, 1) && fe_bound_add(k->u, f, b,
			e->op == POLY_OP_ADD ? 1 : -1) ? f : NULL;
	case POLY_OP_NEG:
		return fe_bound_add(k->u, f, a, -1) ? f : NULL;
	/* One factor has to be a number, as it is written: the product of two
	 * sizes is no bound.
	 */
	case POLY_OP_MUL:
		if (e->arg[0]->kind == FE_C_INT)
			return fe_bound_add(k->u, f, b, a->constant) ? f : NULL;
		return e->arg[1]->kind == FE_C_INT &&
			fe_bound_add(k->u, f, a, b->constant) ? f : NULL;
	default:
		return NULL;
	}
}

/* Sizes that are left out are those of the arrays.
 *
 *	void f(int n, float x[n])
 *
 * called as f(x) has n from the extent of x. The first array that has a
 * dimension of that size alone tells it; check_extents() compares the others.
 */
static bool find_sizes(struct check *k)
{
	const struct fe_c_param *p;
	const struct fe_arg *a;
	int d;

	for (a = k->c->arg; a; a = a->next) {
		const struct fe_c_var *v = a->formal->var;
		const struct fe_index *i = a->from ? a->from->scope.first : NULL;

		for (d = 0; d < v->n_dim; d++, i = i->next) {
			const struct fe_c_expr *e =
				fe_c_without_casts(v->dim[d]);

			if (e->kind == FE_C_VAR && !k->size[e->var->id])
				k->size[e->var->id] = fe_call_extent(k->u, i);
		}
	}
	/* A size that nothing tells is an error. */
	for (p = k->c->nest->alone->c->param; p; p = p->next) {
		if (!fe_c_is_size(p) || k->size[p->var->id])
			continue;
		FE_REPORT(k->u, FE_CALL_SIZE, &k->c->loc, p->var->name);
		return false;
	}
	return true;
}

/* The extents of an array must be those that the nest says of it.
 *
 * The message has both as texts in the sizes of the program.
 */
static bool check_extents(struct check *k, const struct fe_arg *a)
{
	const struct fe_c_var *v = a->formal->var;
	const struct fe_index *i = a->from->scope.first;
	int d;

	for (d = 0; d < v->n_dim; d++, i = i->next) {
		struct fe_bound *is = fe_call_extent(k->u, i);
		struct fe_bound *said = form_of(k, v->dim[d]);

		if (said && same_form(k->u, is, said))
			continue;
		FE_REPORT(k->u, FE_CALL_EXTENT, &a->value->loc, d + 1,
			a->from->symbol->name, form_text(k->u, is),
			said ? form_text(k->u, said) :
			"what is not known");
		return false;
	}
	return true;
}

/* The tensor that is given has the type and dimensions, as a box.
 *
 * Which of the two fails decides the message: another type, or a set of
 * elements that is no box.
 */
static bool check_given(struct check *k, const struct fe_arg *a)
{
	const struct fe_c_var *v = a->formal->var;

	if (a->from->type != v->type || a->from->rank != v->n_dim) {
		fe_call_report_type(k->u, k->c, a);
		return false;
	}
	if (is_box(k->u, a->from))
		return true;
	FE_REPORT(k->u, FE_CALL_BOX, &a->value->loc, a->from->symbol->name);
	return false;
}

/* A number, if "e" is one, perhaps behind a sign.
 *
 * Numbers that a double cannot hold do not count.
 */
static bool number_of(const struct fe_scalar *e, double *value)
{
	double sign = 1;

	if (e->kind == FE_S_OP && e->op == POLY_OP_NEG) {
		sign = -1;
		e = e->arg[0];
	}
	*value = sign * e->value;
	return e->kind == FE_S_NUMBER && isfinite(e->value);
}

/* Find the number or the form of sizes that the argument is; false, having reported
 * that it is none.
 *
 * A number for a variable that is a float is kept as it is. Everything else is
 * a form of sizes; where the variable is an integer, that is its size in the
 * nest.
 */
static bool find_value(struct check *k, struct fe_arg *a)
{
	const struct fe_c_var *v = a->formal->var;
	int before = k->u->report->n_error;

	if (poly_type_is_float(v->type) && number_of(a->value, &a->number))
		return true;
	if (a->value->kind == FE_S_NUMBER && !a->value->whole) {
		fe_call_report_type(k->u, k->c, a);
		return false;
	}
	/* Binding reports names that it does not know itself. */
	fe_bind_size(k->u, a->value);
	if (k->u->report->n_error > before)
		return false;
	a->form = fe_range_form(k->u, a->value);
	if (!a->form)
		fe_call_report_type(k->u, k->c, a);
	else if (!poly_type_is_float(v->type))
		k->size[v->id] = a->form;
	return a->form != NULL;
}

/* The new version is like the old one.
 *
 * A nest writes into its argument: what it leaves is a new tensor of the same
 * type and ranges, whose indices are its own.
 */
static void copy_shape(struct fe_tensor *t, struct fe_unit *u)
{
	const struct fe_tensor *from = t->from;
	const struct fe_index *i = from->scope.first;
	struct fe_index **at = &t->scope.first;
	int d;

	t->has_type = true;
	t->type = from->type;
	t->rank = t->n_slot = t->scope.n = from->rank;
	for (d = 0; d < t->rank; d++, i = i->next) {
		*at = fe_arena_alloc(&u->arena, sizeof(**at));
		**at = *i;
		(*at)->next = NULL;
		(*at)->slot = d;
		(*at)->written = false;
		at = &(*at)->next;
	}
}

/* Arrays first: sizes that are left out follow from their extents.
 *
 * The order of the four steps: arrays have the right type; numbers and sizes
 * are found; sizes that are left out are found; all extents are compared. The
 * nest is read with the sizes that were found (fe_call_read).
 */
static bool check(struct check *k)
{
	struct fe_arg *a;

	for (a = k->c->arg; a; a = a->next) {
		if (a->from && a->from->broken)
			return false;
		if (a->from && !check_given(k, a))
			return false;
	}
	for (a = k->c->arg; a; a = a->next)
		if (!a->from && !find_value(k, a))
			return false;
	if (!find_sizes(k))
		return false;
	for (a = k->c->arg; a; a = a->next)
		if (a->from && !check_extents(k, a))
			return false;
	return fe_call_read(k->u, k->c, k->size);
}

/* What a broken call would write is broken as well, so that its uses are no
 * further errors. A call is checked once: after that it has a unit.
 */
void fe_call_check(struct fe_unit *u, struct fe_call *c)
{
	struct check k = { .u = u, .c = c };
	struct fe_arg *a;

	if (!c->broken && !c->unit) {
		k.size = fe_arena_alloc(&u->arena,
			((size_t)c->nest->alone->c->n_var + 1) *
			sizeof(struct fe_bound *));
		c->broken = !check(&k);
	}
	for (a = c->arg; a; a = a->next) {
		if (!a->to)
			continue;
		a->to->broken |= c->broken;
		if (!a->to->broken)
			copy_shape(a->to, u);
	}
}
