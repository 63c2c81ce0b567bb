/* Does the value of an expression stay what it is, whatever the text around changes? */
#include <string.h>

#include "frontend/c/read/read.h"

/* Does the token assign? */
bool fe_c_is_effect(const struct fe_c_token *t)
{
	return fe_c_is(t, "++") || fe_c_is(t, "--") ||
		(t->kind == FE_C_MARK && t->text[t->len - 1] == '=' &&
		 !fe_c_is(t, "==") && !fe_c_is(t, "!=") &&
		 !fe_c_is(t, "<=") && !fe_c_is(t, ">="));
}

bool fe_c_same_name(const struct fe_c_token *a, const struct fe_c_token *b)
{
	return a->kind == FE_C_NAME && a->len == b->len &&
		!memcmp(a->text, b->text, (size_t)a->len);
}

static bool is_member(const struct fe_c_token *t)
{
	return fe_c_is(t - 1, ".") || fe_c_is(t - 1, "->");
}

/* True if the text of [t, end) may change a member of the structure "name".
 *
 * By its tokens alone, so the answer errs towards "may change": an address, or
 * a pass to a function, counts.
 */
static bool is_member_changed(const struct fe_c_token *t,
	const struct fe_c_token *end, const struct fe_c_token *name)
{
	const struct fe_c_token *e;

	for (; t < end; t++) {
		if (!fe_c_same_name(t, name) || is_member(t))
			continue;
		if (fe_c_is(t - 1, "++") || fe_c_is(t - 1, "--") ||
		    fe_c_is(t - 1, "&") || fe_c_is(t - 1, "("))
			return true;
		for (e = t + 1; e < end; )
			if (fe_c_is(e, "["))
				e = fe_c_skip(e);
			else if (fe_c_is(e, ".") || fe_c_is(e, "->"))
				e += 2;
			else
				break;
		if (fe_c_is_effect(e) && !(e == t + 1 && t[-1].kind == FE_C_NAME))
			return true;
	}
	return false;
}

/* The same of a variable that is no structure; its address taken counts, that
 * of an element does not.
 */
bool fe_c_is_changed(const struct fe_c_token *t, const struct fe_c_token *end,
	const struct fe_c_token *name)
{
	for (; t < end; t++) {
		bool pointed = fe_c_is(t - 1, "*");
		bool declared = t[-1].kind == FE_C_NAME;

		if (!fe_c_same_name(t, name) || is_member(t))
			continue;
		if (fe_c_is(t - 1, "++") || fe_c_is(t - 1, "--") ||
		    (fe_c_is(t - 1, "&") && !fe_c_is(t + 1, "[") &&
		     !fe_c_is(t + 1, "->")))
			return true;
		if (fe_c_is(t + 1, "++") || fe_c_is(t + 1, "--"))
			return true;
		if (fe_c_is_effect(t + 1) && !pointed &&
		    !(declared && fe_c_is(t + 1, "=")))
			return true;
	}
	return false;
}

/* True if a function of the file may change the variable.
 *
 * Functions are looked at as text, all of the file: a call between may be of
 * any.
 */
static bool may_change(struct fe_c_parse *p, const struct fe_c_var *v)
{
	const char *text = v->object ? v->object->name : v->name;
	struct fe_c_token name = { .kind = FE_C_NAME, .loc = v->loc,
		.text = text, .len = (int)strlen(text) };
	const struct fe_c_function *f;
	const struct fe_c_stmt *loop;

	for (loop = p->loops; loop; loop = loop->outer)
		if (loop->var == v)
			return false;
	for (f = p->c->functions; f; f = f->next)
		if (v->object ? is_member_changed(f->body, f->end, &name) :
		    fe_c_is_changed(f->body, f->end, &name))
			return true;
	return false;
}

/* An element of an array may be written at any time; a loop's variable is
 * stable in its body.
 */
bool fe_c_is_stable(struct fe_c_parse *p, const struct fe_c_expr *e)
{
	int i;

	if (e->kind == FE_C_ELEMENT ||
	    (e->kind == FE_C_VAR && may_change(p, e->var)))
		return false;
	for (i = 0; i < 3 && e->arg[i]; i++)
		if (!fe_c_is_stable(p, e->arg[i]))
			return false;
	return true;
}
