/* Variables that are structures, and values of structures.
 *
 * Memory that C's caller sees keeps C's layout: an array of structures whose
 * members all have one type is an array of that type with one dimension more,
 * the row of the scalars of a structure:
 *
 *	struct p { float x, v[2]; } a[n];	float a[n][3]
 *	a[i].x, a[i].v[j]			a[i][0], a[i][1 + j]
 *
 * Any other structure is as many variables as it has members: one whose members
 * have different types, a local one, and a parameter by value. In an object that
 * stands in the place of the function, the runtime copies members between these
 * arrays and C's layout (c_entry.c).
 *
 *	struct p t;				float t.x, t.v[2]
 *
 * To copy a structure is to copy each of its scalars.
 */
#include <string.h>

#include "frontend/c/read/read.h"

/* ---------------------------------------------------------------- variables */

/* "path.name" */
static const char *member_path(struct fe_c_parse *p, const char *path,
	const char *name)
{
	size_t size = strlen(path) + strlen(name) + 2;
	char *text = fe_arena_alloc(&p->u->arena, size);

	snprintf(text, size, "%s.%s", path, name);
	return text;
}

/* The variables of the members of "s", whose dimensions come behind the first
 * "n_dim" of "dim".
 */
static void add_fields(struct fe_c_parse *p, struct fe_c_object *o,
	const struct fe_c_struct *s, const char *path, int n_dim,
	struct fe_c_expr **dim)
{
	const struct fe_c_member *m;
	struct fe_c_var *v;

	for (m = s->first; m && !p->bad; m = m->next) {
		const char *name = member_path(p, path, m->name);
		int n = n_dim + m->n_dim;

		if (n > FE_C_MAX_RANK) {
			FE_C_ERROR(p, FE_C_TYPE, &o->loc,
				"an array of more than 8 dimensions");
			return;
		}
		memcpy(dim + n_dim, m->dim, (size_t)m->n_dim * sizeof(*dim));
		if (m->inner) {
			add_fields(p, o, m->inner, name, n, dim);
			continue;
		}
		v = fe_c_add_var(p, name, m->type, &o->loc);
		v->object = o;
		v->n_dim = n;
		memcpy(v->dim, dim, (size_t)n * sizeof(*dim));
		v->unset = p->outer;
		o->field[o->n_field++] = v;
	}
}

struct fe_c_view *fe_c_new_object(struct fe_c_parse *p,
	const struct fe_c_struct *s, const struct fe_c_token *name, int n_dim,
	struct fe_c_expr *const *extent)
{
	struct fe_c_object *o = fe_arena_alloc(&p->u->arena, sizeof(*o));
	struct fe_c_view *view = fe_arena_alloc(&p->u->arena, sizeof(*view));
	struct fe_c_expr *dim[2 * FE_C_MAX_RANK] = { NULL };

	memcpy(dim, extent, (size_t)n_dim * sizeof(*dim));
	o->name = fe_arena_text(&p->u->arena, name->text,
		(size_t)name->len);
	o->loc = name->loc;
	o->st = s;
	o->field = fe_arena_alloc(&p->u->arena,
		((size_t)s->n_field + 1) * sizeof(struct fe_c_var *));
	add_fields(p, o, s, o->name, n_dim, dim);
	view->object = o;
	view->st = s;
	view->n_path = n_dim;
	return view;
}

/* ------------------------------------------------------------------- values */

static void copy_members(struct fe_c_parse *p, const struct fe_c_view *to,
	const struct fe_c_view *from, struct fe_c_list *l);

/* Add "to" = "value" to "l". A declaration gives a value to a constant, too,
 * and that of a scalar becomes its initial value.
 */
static void add_assignment(struct fe_c_parse *p, const struct fe_c_view *to,
	struct fe_c_expr *value, struct fe_c_list *l)
{
	struct fe_c_expr *left = fe_c_element(p, to, &l->loc);
	bool is_const = left && left->var->is_const;
	struct fe_c_stmt *s;

	if (!left || !value)
		return;
	if (++l->n > FE_C_MAX_STMT) {
		FE_C_ERROR(p, FE_C_STATEMENTS, &l->loc, FE_C_MAX_STMT);
		return;
	}
	left->var->is_const &= !l->declares;
	left->loc = l->loc;
	s = fe_c_assign(p, left, value);
	left->var->is_const = is_const;
	if (!s)
		return;
	s->loc = l->loc;
	s->begins = l->declares;
	if (l->declares && left->kind == FE_C_VAR) {
		s->declares = true;
		left->var->init = s->right;
	}
	*l->last = s;
	l->last = &s->next;
}

void fe_c_copy(struct fe_c_parse *p, const struct fe_c_view *to,
	const struct fe_c_view *from, struct fe_c_list *l)
{
	int64_t n = fe_c_view_extent(to), k;

	if (fe_c_remaining(to) > 0) {
		for (k = 0; k < n && !p->bad; k++) {
			struct fe_c_view a = *to, b = { 0 };

			if (from)
				b = *from;
			if (!fe_c_view_at(p, &a, k, &l->loc) ||
			    (from && !fe_c_view_at(p, &b, k, &l->loc)))
				return;
			fe_c_copy(p, &a, from ? &b : NULL, l);
		}
	} else if (to->st) {
		copy_members(p, to, from, l);
	} else {
		add_assignment(p, to, from ? fe_c_element(p, from, &l->loc) :
			fe_c_int(p->u, POLY_I32, 0, &l->loc), l);
	}
}

/* Copy each member of the structure "to" from "from", or set it to 0 if that is
 * NULL.
 */
static void copy_members(struct fe_c_parse *p, const struct fe_c_view *to,
	const struct fe_c_view *from, struct fe_c_list *l)
{
	const struct fe_c_member *m;

	for (m = to->st->first; m && !p->bad; m = m->next) {
		struct fe_c_view a = *to, b = { 0 };

		if (from)
			b = *from;
		if (!fe_c_select(p, &a, m, &l->loc) ||
		    (from && !fe_c_select(p, &b, m, &l->loc)))
			return;
		fe_c_copy(p, &a, from ? &b : NULL, l);
	}
}

/* ------------------------------------------------------------- initialisers */

static void braces(struct fe_c_parse *p, const struct fe_c_view *v,
	struct fe_c_list *l);

/* What stands in braces for "v", or the value of a number or structure. */
static void one_value(struct fe_c_parse *p, const struct fe_c_view *v,
	struct fe_c_list *l)
{
	struct fe_c_view from;

	if (fe_c_is(p->t, "{"))
		braces(p, v, l);
	else if (fe_c_remaining(v) > 0)
		fe_c_expect(p, "{");
	else if (!v->st)
		add_assignment(p, v, fe_c_expression(p), l);
	else if (fe_c_structure(p, v->st, &from))
		copy_members(p, v, &from, l);
}

/* Zero for the members of "v" that are not in "set". */
static void zero_others(struct fe_c_parse *p, const struct fe_c_view *v,
	const bool *set, struct fe_c_list *l)
{
	const struct fe_c_member *m;

	for (m = v->st->first; m && !p->bad; m = m->next) {
		struct fe_c_view part = *v;

		if (!set[m->field] && fe_c_select(p, &part, m, &l->loc))
			fe_c_copy(p, &part, NULL, l);
	}
}

static void too_many(struct fe_c_parse *p, const struct fe_c_view *v)
{
	FE_C_ERROR(p, FE_C_INITIALISER, &p->t->loc,
		v->object ? v->object->name : v->var->name);
}

/* ".name = e", "e", ..: the members of "v". */
static void member_values(struct fe_c_parse *p, const struct fe_c_view *v,
	struct fe_c_list *l)
{
	const struct fe_c_member *next = v->st->first;
	bool set[FE_C_MAX_FIELDS] = { false };

	while (!p->bad && !fe_c_is(p->t, "}")) {
		struct fe_c_view part = *v;

		if (fe_c_accept(p, ".")) {
			next = fe_c_named_member(p, v->st);
			if (!next || !fe_c_expect(p, "="))
				return;
		}
		if (!next || set[next->field]) {
			too_many(p, v);
			return;
		}
		if (!fe_c_select(p, &part, next, &l->loc))
			return;
		set[next->field] = true;
		one_value(p, &part, l);
		next = next->next;
		if (!fe_c_accept(p, ","))
			break;
	}
	zero_others(p, v, set, l);
}

/* "e, ..": the elements of "v". */
static void element_values(struct fe_c_parse *p, const struct fe_c_view *v,
	struct fe_c_list *l)
{
	int64_t n = fe_c_view_extent(v), k = 0;
	struct fe_c_view part;

	while (!p->bad && !fe_c_is(p->t, "}")) {
		part = *v;
		if (k >= n) {
			too_many(p, v);
			return;
		}
		if (!fe_c_view_at(p, &part, k++, &l->loc))
			return;
		one_value(p, &part, l);
		if (!fe_c_accept(p, ","))
			break;
	}
	for (; k < n && !p->bad; k++) {
		part = *v;
		if (fe_c_view_at(p, &part, k, &l->loc))
			fe_c_copy(p, &part, NULL, l);
	}
}

/* "{ .. }" */
static void braces(struct fe_c_parse *p, const struct fe_c_view *v,
	struct fe_c_list *l)
{
	if (!fe_c_enter(p) || !fe_c_expect(p, "{"))
		return;
	if (fe_c_remaining(v) > 0)
		element_values(p, v, l);
	else if (v->st)
		member_values(p, v, l);
	else
		add_assignment(p, v, fe_c_expression(p), l);
	if (!p->bad)
		fe_c_accept(p, ",");
	if (!p->bad)
		fe_c_expect(p, "}");
	fe_c_leave(p);
}

void fe_c_initialise(struct fe_c_parse *p, const struct fe_c_view *v,
	struct fe_c_list *l)
{
	one_value(p, v, l);
}

int64_t fe_c_count_values(const struct fe_c_token *open)
{
	const struct fe_c_token *t = open + 1, *end = fe_c_skip(open);
	int64_t n = 0;

	while (t < end && !fe_c_is(t, "}")) {
		n++;
		while (t < end && !fe_c_is(t, ",") && !fe_c_is(t, "}"))
			t = fe_c_is(t, "(") || fe_c_is(t, "{") ||
				fe_c_is(t, "[") ? fe_c_skip(t) : t + 1;
		t += fe_c_is(t, ",");
	}
	return n;
}

/* ------------------------------------------------------ values of structures */

/* Report that a value of "s" should stand at "loc". */
static bool other_struct(struct fe_c_parse *p, const struct fe_c_struct *s,
	const struct poly_loc *loc)
{
	FE_C_ERROR(p, FE_C_OTHER_STRUCT, loc, s->name);
	return false;
}

/* "(type) { .. }", whose bracket is at "p->t": a variable without a name. */
static bool literal(struct fe_c_parse *p, const struct fe_c_struct *s,
	struct fe_c_view *view)
{
	const struct fe_c_token *open = p->t++, *type = p->t;
	const struct fe_c_struct *found = fe_c_struct_name(p);
	struct fe_c_list l = { .loc = open->loc, .declares = true };
	struct fe_c_stmt *first = NULL;

	if (!found || !fe_c_expect(p, ")"))
		return false;
	if (found != s)
		return other_struct(p, s, &open->loc);
	*view = *fe_c_new_object(p, s, type, 0, NULL);
	l.last = &first;
	braces(p, view, &l);
	fe_c_add_pending(p, first);
	return !p->bad;
}

bool fe_c_structure(struct fe_c_parse *p, const struct fe_c_struct *s,
	struct fe_c_view *view)
{
	const struct fe_c_token *t = p->t;
	const struct fe_c_function *f;
	bool good;

	f = t->kind == FE_C_NAME && fe_c_is(t + 1, "(") ?
		fe_c_defined(p, t) : NULL;
	if (fe_c_is(t, "(") && fe_c_is(fe_c_skip(t), "{"))
		return literal(p, s, view);
	if (f)
		good = fe_c_inline_struct(p, f, view);
	else if (t->kind == FE_C_NAME ? fe_c_is(t + 1, "(") :
		 !fe_c_is(t, "*") && !fe_c_is(t, "("))
		good = other_struct(p, s, &t->loc);
	else
		good = fe_c_operand(p, view);
	if (good && (view->st != s || fe_c_remaining(view))) {
		struct poly_loc loc = fe_c_span(&t->loc, &p->t[-1].loc);

		return other_struct(p, s, &loc);
	}
	return good;
}

struct fe_c_stmt *fe_c_copied(struct fe_c_parse *p, struct fe_c_view *to)
{
	struct fe_c_list l = { .loc = p->t->loc };
	const struct fe_c_token *t = p->t;
	struct fe_c_stmt *first = NULL;
	struct fe_c_view from;

	l.last = &first;
	if (!fe_c_structure(p, to->st, &from))
		return NULL;
	l.loc = fe_c_span(&t->loc, &p->t[-1].loc);
	fe_c_settle_view(p, t, to);
	fe_c_settle_view(p, t, &from);
	copy_members(p, to, &from, &l);
	return p->bad ? NULL : first;
}
