/* Initialisers of C: values of what a nest declares, and of what is declared
 * outside of it.
 */
#include <string.h>

#include "frontend/c/read/decl.h"

/* "var[at] = e" */
static void add_element(struct fe_c_parse *p, struct fe_c_var *v,
	struct fe_c_elements *el, struct fe_c_expr *e)
{
	struct fe_c_stmt *s = fe_arena_alloc(&p->u->arena, sizeof(*s));
	struct fe_c_expr *left;
	int i;

	if (!e)
		return;
	if (++el->n > FE_C_MAX_STMT) {
		FE_C_ERROR(p, FE_C_STATEMENTS, &e->loc, FE_C_MAX_STMT);
		return;
	}
	left = fe_c_node(p, v->n_dim ? FE_C_ELEMENT : FE_C_VAR, v->type,
		&v->loc);
	left->var = v;
	left->n_index = v->n_dim;
	left->index = fe_arena_alloc(&p->u->arena,
		((size_t)v->n_dim + 1) * sizeof(*left->index));
	for (i = 0; i < v->n_dim; i++)
		left->index[i] = fe_c_int(p->u, POLY_I64, el->at[i], &v->loc);
	s->kind = FE_C_ASSIGN;
	s->left = left;
	s->right = fe_c_convert(p, v->type, e);
	s->loc = fe_c_span(&v->loc, &e->loc);
	s->declares = !v->n_dim;
	s->begins = true;
	v->n_write++;
	*el->last = s;
	el->last = &s->next;
}

/* Zeros from element "at" of dimension "d" to the end. */
static void add_zeros(struct fe_c_parse *p, struct fe_c_var *v,
	struct fe_c_elements *el, int d)
{
	int64_t n = 0, k;

	if (p->bad)
		return;
	if (d == v->n_dim) {
		add_element(p, v, el, fe_c_int(p->u, POLY_I32, 0, &v->loc));
		return;
	}
	fe_c_constant(v->dim[d], &n);
	for (k = el->at[d]; k < n && !p->bad; k++) {
		el->at[d] = k;
		add_zeros(p, v, el, d + 1);
	}
	el->at[d] = 0;
}

/* "{ .. }" of dimension "d". */
static void braces(struct fe_c_parse *p, struct fe_c_var *v,
	struct fe_c_elements *el, int d)
{
	int64_t n = INT64_MAX;

	if (!fe_c_expect(p, "{"))
		return;
	if (v->dim[d] && !fe_c_constant(v->dim[d], &n)) {
		FE_C_ERROR(p, FE_C_INITIALISER, &v->loc, v->name);
		return;
	}
	el->at[d] = 0;
	while (!fe_c_is(p->t, "}") && !p->bad) {
		if (el->at[d] >= n) {
			FE_C_ERROR(p, FE_C_INITIALISER, &p->t->loc, v->name);
			return;
		}
		if (d + 1 < v->n_dim)
			braces(p, v, el, d + 1);
		else
			add_element(p, v, el, fe_c_expression(p));
		el->at[d]++;
		if (!fe_c_accept(p, ","))
			break;
	}
	if (!v->dim[d])
		v->dim[d] = fe_c_int(p->u, POLY_I64, el->at[d], &v->loc);
	add_zeros(p, v, el, d);
	fe_c_expect(p, "}");
}

static void append(struct fe_c_elements *el, struct fe_c_stmt *s)
{
	for (*el->last = s; *el->last; )
		el->last = &(*el->last)->next;
}

/* What must run in front of a value runs behind the declarators before. */
static void flush(struct fe_c_parse *p, struct fe_c_elements *el)
{
	if (p->head)
		return;
	append(el, p->pending);
	p->pending = NULL;
}

void fe_c_initialiser(struct fe_c_parse *p, struct fe_c_var *v,
	struct fe_c_elements *el)
{
	struct fe_c_changes here = { .begin = p->t }, *outer = p->changes;
	struct fe_c_stmt **at;
	struct fe_c_expr *e;

	if (v->n_dim) {
		braces(p, v, el, 0);
		flush(p, el);
		return;
	}
	p->changes = p->head ? NULL : &here;
	e = fe_c_expression(p);
	p->changes = outer;
	if (!e)
		return;
	flush(p, el);
	at = el->last;
	v->init = fe_c_convert(p, v->type, e);
	add_element(p, v, el, e);
	for (*at = fe_c_changed(p, *at, &here); *el->last; )
		el->last = &(*el->last)->next;
}

/* Is it a structure that is several variables? */
bool fe_c_is_object(const struct fe_c_name *n)
{
	return n->view && n->view->object && !n->bad;
}

static void struct_values(struct fe_c_parse *p, const struct fe_c_view *v,
	struct fe_c_elements *el)
{
	struct fe_c_list l = { .loc = p->t->loc, .declares = true,
		.last = el->last };

	fe_c_initialise(p, v, &l);
	el->last = l.last;
}

/* The values of a structure outside that is several variables: those that are
 * const keep them.
 */
static void object_values(struct fe_c_parse *p, const struct fe_c_view *v)
{
	struct fe_c_elements el = { .last = &el.first };
	struct fe_c_stmt *s, *next, **last;
	int i;

	struct_values(p, v, &el);
	for (i = 0; i < v->object->n_field; i++) {
		v->object->field[i]->unset = false;
		v->object->field[i]->has_value = true;
		v->object->field[i]->n_write = 0;
	}
	for (s = p->bad ? NULL : el.first; s; s = next) {
		next = s->next;
		s->next = NULL;
		for (last = &s->left->var->values; *last; last = &(*last)->next)
			;
		if (s->left->var->is_const)
			*last = s;
	}
}

/* Past an initialiser of something outside. An integer constant is kept, and
 * values that may come to stand inside (c_file.c): those of a scalar, and of a
 * const array.
 */
void fe_c_outer_initialiser(struct fe_c_parse *p, struct fe_c_name *n,
	struct fe_c_var *v)
{
	const struct fe_c_token *begin = p->t;
	struct fe_c_elements el = { .last = &el.first };
	struct fe_c_expr *e;
	int64_t value;

	if (n && !v && fe_c_is_object(n))
		object_values(p, n->view);
	if (v && v->n_dim && v->is_const) {
		if (v->has_row)
			struct_values(p, n->view, &el);
		else
			braces(p, v, &el, 0);
		v->values = p->bad ? NULL : el.first;
		v->n_write = 0;
	} else if (v && !v->n_dim) {
		e = fe_c_convert(p, v->type, fe_c_expression(p));
		if (e && v->is_const && fe_c_constant(e, &value)) {
			n->is_constant = true;
			n->type = v->type;
			n->bits = value;
		}
		v->init = p->bad ? NULL : e;
	}
	p->bad = false;
	p->t = begin;
	if (v) {
		v->unset = false;
		v->has_value = true;
	}
	while (p->t->kind != FE_C_END && !fe_c_is(p->t, ",") &&
	       !fe_c_is(p->t, ";"))
		p->t = fe_c_is(p->t, "(") || fe_c_is(p->t, "{") ||
			fe_c_is(p->t, "[") ? fe_c_skip(p->t) : p->t + 1;
}

/* "= { .. }" or "= value" of the structure "n", which is several variables. */
void fe_c_struct_initialiser(struct fe_c_parse *p,
	const struct fe_c_name *n, const struct fe_c_declarator *d, bool is_const,
	struct fe_c_elements *el)
{
	struct fe_c_list l = { .loc = d->name->loc, .declares = true };
	struct fe_c_object *o = n->view->object;
	struct fe_c_stmt *first = NULL;
	int i;

	l.last = &first;
	fe_c_initialise(p, n->view, &l);
	flush(p, el);
	append(el, first);
	for (i = 0; i < o->n_field; i++)
		o->field[i]->is_const = is_const;
}
