/* Declarations of C: variables, types, and parameters. A pointer is an array of an
 * extent that is not written.
 *
 * Whatever else a file may declare is remembered with the reason why it cannot
 * be used, which is told where it is used.
 */
#include <string.h>

#include "frontend/c/read/decl.h"

/* ------------------------------------------------------------- variables */

struct fe_c_var *fe_c_add_var(struct fe_c_parse *p, const char *name,
	enum poly_type type, const struct poly_loc *loc)
{
	struct fe_c_var *v = fe_arena_alloc(&p->u->arena, sizeof(*v));

	v->name = name;
	v->type = type;
	v->loc = *loc;
	v->id = p->c->n_var++;
	v->outer = p->outer;
	*p->c->last_var = v;
	p->c->last_var = &v->next;
	return v;
}

/* Is it one array with C's layout? Memory that a caller sees is, an array or a
 * global, if all scalars have one type.
 */
static bool is_one_array(const struct fe_c_parse *p,
	const struct fe_c_specifiers *s, const struct fe_c_declarator *d)
{
	return p->outer && (d->n_dim || !p->function) && !s->st->is_mixed;
}

/* Add the dimension of the scalars; why that cannot be, or NULL. */
static const char *add_row(struct fe_c_parse *p,
	const struct fe_c_specifiers *s, struct fe_c_declarator *d)
{
	if (d->n_dim == FE_C_MAX_RANK)
		return "an array of more than 7 dimensions of structures";
	d->dim[d->n_dim++] = fe_c_int(p->u, POLY_I64, s->st->n, &d->name->loc);
	return NULL;
}

/* The name stands for structures: of "v", or of variables for the members. */
static void bind_struct(struct fe_c_parse *p, const struct fe_c_specifiers *s,
	const struct fe_c_declarator *d, struct fe_c_name *n, struct fe_c_var *v)
{
	struct fe_c_view *view;
	int i;

	if (!v) {
		n->view = fe_c_new_object(p, s->st, d->name, d->n_dim, d->dim);
		for (i = 0; i < n->view->object->n_field; i++) {
			v = n->view->object->field[i];
			v->is_const = p->outer && s->is_const;
			v->is_static = s->is_static;
			v->is_extern = s->is_extern;
		}
		return;
	}
	v->has_row = true;
	view = fe_arena_alloc(&p->u->arena, sizeof(*view));
	view->var = v;
	view->st = s->st;
	n->view = view;
}

/* Bind the name; NULL if it is no variable that can be used, or several. */
static struct fe_c_var *add_variable(struct fe_c_parse *p,
	const struct fe_c_specifiers *s, struct fe_c_declarator *d)
{
	const char *bad = fe_c_judge(s, d);
	struct fe_c_name *n = d->name ? fe_c_bind(p, d->name) : NULL;
	struct fe_c_var *v;
	bool one = true;

	if (!n)
		return NULL;
	if (!bad && !p->outer && s->is_static && !s->is_const)
		bad = "static";
	if (!bad && !p->outer && d->n_dim && !d->dim[0] &&
	    !fe_c_is(p->t, "="))
		bad = "a pointer";
	if (!bad && s->st) {
		one = is_one_array(p, s, d);
		bad = one ? add_row(p, s, d) : NULL;
	}
	n->bad = bad;
	if (!bad && !one)
		bind_struct(p, s, d, n, NULL);
	if (bad || !one)
		return NULL;
	v = fe_c_add_var(p, fe_arena_text(&p->u->arena, d->name->text,
		(size_t)d->name->len), s->type, &d->name->loc);
	v->is_const = s->is_const;
	v->is_static = s->is_static;
	v->is_extern = s->is_extern;
	v->n_dim = d->n_dim;
	memcpy(v->dim, d->dim, sizeof(v->dim));
	n->var = v;
	if (s->st)
		bind_struct(p, s, d, n, v);
	return v;
}

/* ---------------------------------------------------------- declarations */

/* Bind the name of a "typedef". A structure that is not defined yet is no fault
 * here, as its definition may follow.
 */
static void bind_type(struct fe_c_parse *p, const struct fe_c_specifiers *s,
	struct fe_c_declarator *d)
{
	const char *bad = fe_c_judge(s, d);
	struct fe_c_name *n = d->name ? fe_c_bind(p, d->name) : NULL;

	if (!n)
		return;
	n->is_type = true;
	n->is_odd = s->is_odd;
	n->type = s->type;
	n->st = s->st;
	if (s->st && bad == s->st->bad)		/* may be defined below */
		bad = NULL;
	n->bad = d->n_dim ? "an array type" : bad;
}

/* The name with the view that its value is; NULL, or a bad one, having reported
 * why.
 */
static struct fe_c_name *view_name(struct fe_c_parse *p,
	const struct fe_c_specifiers *s, const struct fe_c_declarator *d)
{
	struct fe_c_view *view = fe_arena_alloc(&p->u->arena, sizeof(*view));
	struct fe_c_shape shape = { 0 };
	struct fe_c_name *n;
	int i;

	p->t++;
	if (!fe_c_view(p, view))
		return NULL;
	shape.type = s->type;
	shape.st = s->st;
	shape.n_dim = d->n_dim ? d->n_dim : 1;
	memcpy(shape.dim, d->dim, sizeof(shape.dim));
	if (!fe_c_reshape(p, view, &shape, &d->name->loc))
		return NULL;
	n = fe_c_bind(p, d->name);
	if (!n)
		return NULL;
	if (fe_c_is_changed(p->function->body, p->function->end, d->name))
		n->bad = "a pointer that changes";
	for (i = 0; i < view->n_index; i++)
		if (!fe_c_is_stable(p, view->index[i]))
			n->bad = "a pointer to what changes";
	if (view->offset && !fe_c_is_stable(p, view->offset))
		n->bad = "a pointer to what changes";
	for (i = 1; i < view->n_dim; i++)
		if (!fe_c_is_stable(p, view->dim[i]))
			n->bad = "a pointer to what changes";
	n->view = n->bad ? NULL : view;
	return n;
}

/* "type *name = a + k": another name for a part of an array. In front of a region
 * it may be anything else, and then is not read; a variable that nothing uses says
 * to c_entry.c that a declaration stands there.
 */
static bool pointer(struct fe_c_parse *p, const struct fe_c_specifiers *s,
	const struct fe_c_declarator *d)
{
	const struct fe_c_token *begin = p->t;
	const struct fe_c_name *n;

	n = view_name(p, s, d);
	if (p->outer && (!n || !n->view)) {
		p->bad = false;
		p->t = begin;
		return false;
	}
	if (p->outer)
		fe_c_add_var(p, fe_arena_text(&p->u->arena, d->name->text,
			(size_t)d->name->len), s->type,
			&d->name->loc)->outer = false;
	return true;
}

/* Is a pointer, "*name" or "(*name)[n]", given a value here? */
static bool is_pointer(const struct fe_c_parse *p, const struct fe_c_declarator *d)
{
	return fe_c_is(p->t, "=") && !fe_c_is(p->t + 1, "{") &&
		(d->n_pointer ? d->n_pointer == 1 && !d->n_dim :
		 d->n_dim && !d->dim[0]);
}

/* Read one declarator of a declaration and its initialiser: a type, another
 * name for a pointer's value, or a variable, whose initial values become
 * statements in "el" inside of the region. An array of structures without an
 * extent is as long as its initialiser.
 */
static void one_declarator(struct fe_c_parse *p, const struct fe_c_specifiers *s,
	struct fe_c_elements *el)
{
	const struct fe_c_token *begin = p->t;
	struct fe_c_declarator d = { 0 };
	struct fe_c_specifiers own = *s;
	struct fe_c_name *n;
	struct fe_c_var *v;

	fe_c_declarator(p, &d);
	own.is_odd |= fe_c_changes_layout(begin, p->t);
	if (p->bad)
		return;
	if (!d.name) {
		fe_c_unexpected(p, "a name");
		return;
	}
	if (s->is_typedef) {
		bind_type(p, &own, &d);
		return;
	}
	if (p->function && is_pointer(p, &d) && !d.bad && !s->bad &&
	    (pointer(p, s, &d) || !p->outer))
		return;
	if (s->st && d.n_dim && !d.dim[0] && fe_c_is(p->t, "=") &&
	    fe_c_is(p->t + 1, "{"))
		d.dim[0] = fe_c_int(p->u, POLY_I64, fe_c_count_values(p->t + 1),
			&d.name->loc);
	v = add_variable(p, &own, &d);
	if (p->outer && v)
		v->unset = true;
	if (!fe_c_accept(p, "="))
		return;
	n = fe_c_find(p, d.name);
	if (v && !p->outer)
		fe_c_initialiser(p, v, el);
	else if (n && fe_c_is_object(n) && !p->outer)
		fe_c_struct_initialiser(p, n, &d, s->is_const, el);
	else
		fe_c_outer_initialiser(p, n, v);
}

struct fe_c_stmt *fe_c_declaration(struct fe_c_parse *p)
{
	struct fe_c_elements el = { .last = &el.first };
	struct fe_c_specifiers s;

	if (!fe_c_specifiers(p, &s)) {
		fe_c_unexpected(p, "a type");
		return NULL;
	}
	if (fe_c_accept(p, ";"))
		return NULL;
	do {
		one_declarator(p, &s, &el);
	} while (!p->bad && fe_c_accept(p, ","));
	if (!p->bad)
		fe_c_expect(p, ";");
	return el.first;
}

/* The members of a structure that is several variables are parameters; the
 * structure, or NULL.
 */
static struct fe_c_object *object_param(const struct fe_c_name *n,
	bool by_value)
{
	struct fe_c_object *o = n && fe_c_is_object(n) ? n->view->object : NULL;
	int i;

	for (i = 0; o && i < o->n_field; i++) {
		o->field[i]->is_param = true;
		o->field[i]->by_value = by_value;
	}
	return o;
}

/* Append a parameter of the function, with the variable or structure that it
 * is, or why it can be neither.
 */
static void add_param(struct fe_c_parse *p, const struct fe_c_specifiers *s,
	struct fe_c_declarator *d, struct fe_c_var *v)
{
	struct fe_c_param *param = fe_arena_alloc(&p->u->arena,
		sizeof(*param));

	param->is_pointer = d->n_pointer || d->n_dim;
	param->name = d->name;
	param->var = v;
	param->bad = v ? NULL : fe_c_judge(s, d);
	param->st = param->is_pointer ? NULL : s->st;
	if (!v && d->name)
		param->object = object_param(fe_c_find(p, d->name),
			!param->is_pointer);
	if (param->object)
		param->bad = "a parameter is a structure";
	*p->c->last_param = param;
	p->c->last_param = &param->next;
}

void fe_c_params(struct fe_c_parse *p)
{
	if (fe_c_is(p->t, "void") && fe_c_is(p->t + 1, ")"))
		p->t++;
	while (!fe_c_is(p->t, ")") && !p->bad) {
		const struct fe_c_token *begin = p->t;
		struct fe_c_declarator d = { 0 };
		struct fe_c_specifiers s;
		struct fe_c_var *v;

		if (!fe_c_specifiers(p, &s)) {
			fe_c_unexpected(p, "a type");
			return;
		}
		fe_c_declarator(p, &d);
		s.is_odd |= fe_c_changes_layout(begin, p->t);
		v = p->bad ? NULL : add_variable(p, &s, &d);
		if (v) {
			v->is_param = true;
			v->by_value = !v->n_dim;
		}
		add_param(p, &s, &d, v);
		if (!fe_c_accept(p, ","))
			break;
	}
	if (!p->bad)
		fe_c_expect(p, ")");
}
