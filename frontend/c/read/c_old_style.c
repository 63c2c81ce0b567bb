/* Definitions of functions as C had them before prototypes:
 *
 *	void f(n, a) int n; double a[]; { .. }
 *
 * The tokens of the parameters are put together as a prototype has them, each
 * behind its type, so that nobody else knows of this form.
 */
#include <string.h>

#include "frontend/c/read/read.h"

/* One parameter: its type, "[type, type_end)", and its declarator. */
struct declared {
	const struct fe_c_token *type, *type_end, *begin, *end;
};
/* Tokens that are being put together; "to" is NULL while they are counted. */
struct list {
	struct fe_c_token *to;
	int n;
};

static bool is_same(const struct fe_c_token *a, const struct fe_c_token *b)
{
	return a->len == b->len && !memcmp(a->text, b->text, (size_t)a->len);
}

const struct fe_c_token *fe_c_old_style(const struct fe_c_token *open)
{
	const struct fe_c_token *t = open + 1;

	while (t->kind == FE_C_NAME && fe_c_is(t + 1, ","))
		t += 2;
	if (t->kind != FE_C_NAME || !fe_c_is(t + 1, ")"))
		return NULL;
	t += 2;
	if (t->kind != FE_C_NAME || fe_c_is(t + 1, "("))
		return NULL;
	for (; t->kind < FE_C_SCOP && !fe_c_is(t, "{"); t++)
		if (fe_c_is(t, "=") || fe_c_is(t, "}"))
			return NULL;
	return t->kind < FE_C_SCOP && fe_c_is(t - 1, ";") ? t : NULL;
}

/* The name that the declarator in [t, end) declares, or NULL. */
static const struct fe_c_token *name_of(const struct fe_c_token *t,
	const struct fe_c_token *end)
{
	for (; t < end; t++)
		if (t->kind == FE_C_NAME && t[1].kind != FE_C_NAME)
			return t;
	return NULL;
}

/* The end of the declarator that begins at "t". */
static const struct fe_c_token *declarator_end(const struct fe_c_token *t)
{
	while (t->kind < FE_C_SCOP && !fe_c_is(t, ",") && !fe_c_is(t, ";"))
		t = fe_c_is(t, "(") || fe_c_is(t, "[") ? fe_c_skip(t) : t + 1;
	return t;
}

/* Find the declaration of "name" in [t, end). */
static bool find(const struct fe_c_token *t, const struct fe_c_token *end,
	const struct fe_c_token *name, struct declared *d)
{
	while (t < end) {
		d->type = t;
		while (t->kind == FE_C_NAME && (t[1].kind == FE_C_NAME ||
		       fe_c_is(t + 1, "*") || fe_c_is(t + 1, "(")))
			t++;
		d->type_end = t;
		do {
			const struct fe_c_token *found;

			t += fe_c_is(t, ",");
			d->begin = t;
			d->end = t = declarator_end(t);
			found = name_of(d->begin, d->end);
			if (found && is_same(found, name))
				return true;
		} while (fe_c_is(t, ","));
		t++;
	}
	return false;
}

/* Append the tokens from "t" on; a list without memory only counts them. */
static void add(struct list *l, const struct fe_c_token *t,
	const struct fe_c_token *end)
{
	for (; t < end; t++, l->n++)
		if (l->to)
			l->to[l->n] = *t;
}

/* "type declarator, .. )" of the names behind "open". */
static void write_list(struct list *l, const struct fe_c_token *open,
	const struct fe_c_token *body)
{
	const struct fe_c_token *close = fe_c_skip(open) - 1, *t;
	struct fe_c_token integer = { .kind = FE_C_NAME,
		.loc = open->loc, .text = "int", .len = 3 };
	struct declared d;

	l->n = 0;
	for (t = open + 1; t < close; t += 2) {
		if (find(close + 1, body, t, &d)) {
			add(l, d.type, d.type_end);
			add(l, d.begin, d.end);
		} else {
			add(l, &integer, &integer + 1);
			add(l, t, t + 1);
		}
		add(l, t + 1, t + 2);
	}
}

const struct fe_c_token *fe_c_new_style(struct fe_unit *u,
	const struct fe_c_token *open, const struct fe_c_token *body)
{
	struct list l = { 0 };

	write_list(&l, open, body);
	l.to = fe_arena_alloc(&u->arena, ((size_t)l.n + 2) * sizeof(*l.to));
	l.to[0] = *open;
	l.to++;
	write_list(&l, open, body);
	l.to[l.n] = (struct fe_c_token) { .kind = FE_C_END,
		.loc = body->loc, .text = "" };
	return l.to;
}
