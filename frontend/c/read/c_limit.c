/* What arrays hold, as pragmas inside of a function say.
 *
 *	#pragma cetane assume 0 <= col < M	each element of col is from 0 to M - 1
 */
#include <string.h>

#include "frontend/c/read/read.h"

/* One side of an assumption: the tokens from "begin" on, up to an operator that becomes
 * the end of a text; "open": it is "<" or ">", "down": ">" or ">=".
 */
struct side {
	struct fe_c_token *begin, *end;
	bool open, down;
};

static void refuse(struct fe_c_parse *p, const struct fe_c_pragma *a, const char *why)
{
	struct poly_str text = { 0 };

	poly_str_addn(&text, a->text, (size_t)a->len);
	FE_REPORT(p->u, FE_LIMIT, &a->loc, text.s ? text.s : "", why);
	poly_str_free(&text);
}

/* Cut "t" at its comparisons, of which there have to be two of one direction. */
static bool cut(struct fe_c_token *t, struct side side[2])
{
	int n = 0;

	side[0].begin = t;
	for (; t->kind != FE_C_END; t++) {
		bool open = fe_c_is(t, "<") || fe_c_is(t, ">");

		if (!open && !fe_c_is(t, "<=") && !fe_c_is(t, ">="))
			continue;
		if (n == 2)
			return false;
		side[n].end = t;
		side[n].open = open;
		side[n++].down = *t->text == '>';
	}
	if (n != 2 || side[0].down != side[1].down || side[1].end != side[0].end + 2)
		return false;
	side[1].begin = side[1].end + 1;
	side[0].end->kind = side[1].end->kind = FE_C_END;
	side[1].end = t;
	return true;
}

/* The value of "side", one more or less if it is not reached. NULL: it is none. */
static struct fe_c_expr *end_of(struct fe_c_parse *p, const struct side *side, bool upper,
	const struct poly_loc *loc)
{
	struct fe_c_expr *e, *one = fe_c_int(p->u, POLY_I32, 1, loc);

	p->t = side->begin;
	p->quiet = true;
	e = fe_c_expression(p);
	if (!e || p->t != side->end || poly_type_is_float(e->type))
		e = NULL;
	else if (side->open)
		e = fe_c_binary(p, upper ? POLY_OP_SUB : POLY_OP_ADD, loc, e, one);
	p->quiet = p->bad = false;
	return e;
}

/* Let an array have the limits that "a" says. */
static void limit(struct fe_c_parse *p, const struct fe_c_pragma *a)
{
	struct fe_c_token *t = fe_c_lex(p->u, a->text, (size_t)a->len, NULL, 0), *one;
	struct side side[2];
	const struct fe_c_name *n;
	struct fe_c_expr *e[2];
	int low;

	for (one = t; one->kind != FE_C_END; one++)
		one->loc = a->loc;
	if (!fe_c_is(t, "assume") || !cut(t + 1, side)) {
		refuse(p, a, "it is not as in: #pragma cetane assume 0 <= id < N");
		return;
	}
	n = fe_c_find(p, side[0].end + 1);
	if (!n || !n->var || !n->var->n_dim || poly_type_is_float(n->var->type) ||
	    !n->var->outer) {
		refuse(p, a, "no array of integers that comes from outside is called so");
		return;
	}
	low = side[0].down;
	for (int k = 0; k < 2; k++)
		e[k] = end_of(p, &side[k ^ low], k, &a->loc);
	if (!e[0] || !e[1] || n->var->limit[0])
		refuse(p, a, e[0] && e[1] ? "this has been said of it already" :
			"both ends are expressions of sizes that the function has");
	else
		memcpy(n->var->limit, e, sizeof(e));
}

void fe_c_limits(struct fe_c_parse *p, const struct fe_c_function *f)
{
	const struct fe_c_token *t = p->t;

	for (const struct fe_c_pragma *a = p->c->pragma; a; a = a->next)
		if (a->text > f->begin->text && a->text < f->end->text)
			limit(p, a);
	p->t = t;
}
