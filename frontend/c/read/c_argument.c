/* Parameters of functions that the file defines, and what calls give them. */
#include "frontend/c/read/call_read.h"

void fe_c_refuse_call(struct fe_c_parse *p, const struct fe_c_call *c, const char *why)
{
	FE_C_ERROR(p, FE_C_NO_INLINE, &c->at->loc, c->at->len, c->at->text, why);
}

/* The name in "(*name)", or NULL. */
static const struct fe_c_token *pointer_name(const struct fe_c_token *t)
{
	if (!fe_c_is(t, "(") || !fe_c_is(t + 1, "*"))
		return NULL;
	for (t += 2; t->kind == FE_C_NAME && t[1].kind == FE_C_NAME; t++)
		;
	return t->kind == FE_C_NAME ? t : NULL;
}

/* The parameters of the function, as tokens.
 *
 * Nothing is parsed yet: types are read in the scope of the file, arguments in
 * that of the caller.
 */
bool fe_c_find_params(struct fe_c_parse *p, struct fe_c_call *c)
{
	const struct fe_c_token *t = c->f->params;
	struct fe_c_argument *a = NULL;

	if (fe_c_is(t, "void") && fe_c_is(t + 1, ")"))
		return true;
	for (; t->kind != FE_C_END && !fe_c_is(t, ")"); t++) {
		if (!a) {
			if (c->n == MAX_PARAM)
				break;
			a = &c->param[c->n++];
			a->begin = t;
		}
		a->is_pointer |= fe_c_is(t, "*") || fe_c_is(t, "[");
		if (t->kind == FE_C_NAME && (fe_c_is(t + 1, ",") ||
		    fe_c_is(t + 1, ")") || fe_c_is(t + 1, "[")))
			a->name = a->name ? a->name : t;
		if (fe_c_is(t, ",")) {
			a = NULL;
		} else if (fe_c_is(t, "(") || fe_c_is(t, "[")) {
			a->name = a->name ? a->name : pointer_name(t);
			a->is_pointer |= fe_c_is(t + 1, "*");
			t = fe_c_skip(t) - 1;
		}
	}
	if (!fe_c_is(t, ")"))
		fe_c_refuse_call(p, c, "it has too many parameters");
	return !p->bad;
}

/* Read the type of the parameter "a" where it is declared, with the names of
 * the file; "p" stays where it is. False, having reported that it is nothing
 * that can be passed.
 */
bool fe_c_param_type(struct fe_c_parse *p, struct fe_c_call *c, struct fe_c_argument *a)
{
	const struct fe_c_token *t = p->t;
	struct fe_c_name *names = p->names;

	p->t = a->begin;
	p->names = p->file_names;
	fe_c_base_type(p, &a->type, &a->is_void, &a->bad, &a->st);
	p->t = t;
	p->names = names;
	if (!p->bad && (!a->name || a->bad || a->is_void))
		fe_c_refuse_call(p, c, "it takes what is no number and no array of "
			"numbers");
	return !p->bad;
}

/* Read what the call gives the parameter "a": a number, converted to its type,
 * a structure, or a pointer to elements of the same type. False, having
 * reported why.
 *
 * A pointer to elements of another type would be a view in other sizes.
 */
static bool argument(struct fe_c_parse *p, struct fe_c_call *c, struct fe_c_argument *a)
{
	struct poly_loc loc = p->t->loc;

	if (!fe_c_param_type(p, c, a))
		return false;
	if (!a->is_pointer && !a->st) {
		a->value = fe_c_convert(p, a->type, fe_c_expression(p));
		return a->value != NULL;
	}
	a->view = fe_arena_alloc(&p->u->arena, sizeof(*a->view));
	if (!a->is_pointer)
		return fe_c_structure(p, a->st, a->view);
	if (!fe_c_view(p, a->view))
		return false;
	if (a->view->st != a->st || (!a->st && a->view->var->type != a->type) ||
	    (a->st && fe_c_remaining(a->view) < 1)) {
		FE_C_ERROR(p, FE_C_POINTER, &loc);
		return false;
	}
	return true;
}

/* From behind "name(" to behind ")". */
bool fe_c_call_arguments(struct fe_c_parse *p, struct fe_c_call *c)
{
	char name[32];
	int n = 0;

	while (!fe_c_is(p->t, ")") && n < c->n) {
		if (!argument(p, c, &c->param[n++]))
			return false;
		if (!fe_c_accept(p, ","))
			break;
	}
	if (n == c->n)
		return fe_c_expect(p, ")");
	snprintf(name, sizeof(name), "%.*s", c->at->len < 31 ? c->at->len : 31,
		c->at->text);
	FE_C_ERROR(p, FE_ARGUMENTS, &c->at->loc, name, c->n,
		c->n == 1 ? "" : "s", n, "");
	return false;
}
