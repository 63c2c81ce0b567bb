/* "switch": a choice among the places of its body where its cases stand, from which
 * the body is read to its end (c_jump.c); its "break" goes there.
 *
 *	switch (e) {		if (e == 1) { A; B; }
 *	case 1: A;		else if (e == 2) { B; }
 *	case 2: B; break;	else { C; }
 *	default: C;
 *	}
 */
#include "frontend/c/read/read.h"

/* Cases of one switch. */
enum { MAX_CASES = 256 };

/* Labels that stand together in the body of a switch, the first at "to". */
struct labels {
	struct labels *next;
	const struct fe_c_token *to;
	struct fe_c_expr *cond;	/* the value is that of one, or NULL */
	bool is_default;
};
/* A switch that is being read: its labels, and the numbers of its cases so far.
 */
struct choices {
	struct fe_c_expr *value;
	struct labels *first;
	const struct fe_c_token *body, *end;
	int64_t seen[MAX_CASES];
	int n_seen;
	bool has_default;
};

bool fe_c_is_case(const struct fe_c_token *t)
{
	return fe_c_is(t, "case") ||
		(fe_c_is(t, "default") && fe_c_is(t + 1, ":"));
}

struct fe_c_expr *fe_c_case_label(struct fe_c_parse *p)
{
	struct fe_c_expr *e = NULL;

	if (fe_c_is(p->t++, "case"))
		e = fe_c_expression(p);
	fe_c_expect(p, ":");
	return e;
}

/* Add "case e" to the labels "l". */
static void add_case(struct fe_c_parse *p, struct choices *c,
	struct labels *l, struct fe_c_expr *e)
{
	struct fe_c_expr *is, *one;
	int64_t value;
	int i;

	if (poly_type_is_float(e->type) || !fe_c_constant(e, &value) ||
	    c->n_seen == MAX_CASES) {
		FE_C_ERROR(p, FE_C_CASE, &e->loc);
		return;
	}
	value = fe_c_wrap(c->value->type, value);
	for (i = 0; i < c->n_seen; i++)
		if (c->seen[i] == value)
			FE_C_ERROR(p, FE_C_CASE, &e->loc);
	c->seen[c->n_seen++] = value;
	is = fe_c_binary(p, POLY_OP_EQ, &e->loc, c->value,
		fe_c_int(p->u, c->value->type, value, &e->loc));
	if (!l->cond || !is) {
		l->cond = is;
		return;
	}
	one = fe_c_node(p, FE_C_OR, POLY_I32, &e->loc);
	one->arg[0] = l->cond;
	one->arg[1] = is;
	l->cond = one;
}

/* Find the labels of the body, which begins at "p->t". */
static void find_cases(struct fe_c_parse *p, struct choices *c)
{
	struct labels **last = &c->first, *l;

	while (p->t < c->end && !p->bad) {
		if (!fe_c_is_case(p->t) || !fe_c_is_between(p->t - 1)) {
			p->t = fe_c_step_over(p->t);
			continue;
		}
		l = fe_arena_alloc(&p->u->arena, sizeof(*l));
		l->to = p->t;
		*last = l;
		last = &l->next;
		while (fe_c_is_case(p->t) && !p->bad) {
			const struct fe_c_token *at = p->t;
			struct fe_c_expr *e = fe_c_case_label(p);

			if (e)
				add_case(p, c, l, e);
			else if (!p->bad && c->has_default)
				FE_C_ERROR(p, FE_C_CASE, &at->loc);
			else
				c->has_default = l->is_default = true;
		}
	}
}

/* Declarations in front of the first case, whose values nothing would set. */
static void first_declarations(struct fe_c_parse *p)
{
	while (!p->bad && fe_c_is_type(p)) {
		const struct fe_c_token *t = p->t;

		if (fe_c_declaration(p))
			FE_C_ERROR(p, FE_C_STATEMENT, &t->loc, t->len, t->text);
	}
}

/* A new list in the place of "*at", and the way from it to "label". */
static void add_way(struct fe_c_parse *p, struct fe_c_stmt **at,
	const struct fe_c_token *label)
{
	struct fe_c_end *e;

	*at = fe_c_new_stmt(p, FE_C_BLOCK, &label->loc);
	e = fe_c_new_end(p, &(*at)->body);
	e->label = label;
	fe_c_add_end(&p->ends.first, e);
}

/* "if (value == 1) .. else if (value == 2) .. else ..", with a way in each. */
static struct fe_c_stmt *choose(struct fe_c_parse *p, struct choices *c)
{
	struct fe_c_stmt *first = NULL, **at = &first, *s;
	const struct fe_c_token *otherwise = c->end;
	const struct labels *l;

	p->ends = (struct fe_c_ends) { .leaves = true, .at = c->body };
	for (l = c->first; l; l = l->next) {
		if (l->is_default) {
			otherwise = l->to;
			continue;
		}
		*at = s = fe_c_new_stmt(p, FE_C_IF, &l->to->loc);
		s->cond = l->cond;
		add_way(p, &s->body, l->to);
		s->otherwise = fe_c_new_stmt(p, FE_C_BLOCK, &l->to->loc);
		at = &s->otherwise->body;
	}
	add_way(p, at, otherwise);
	return first;
}

/* The value of the switch, promoted; a variable in front of it unless it is one
 * already.
 */
static struct fe_c_expr *value_of(struct fe_c_parse *p, struct fe_c_stmt **keep)
{
	struct fe_c_expr *e = fe_c_expression(p);
	struct fe_c_var *v;

	if (!e)
		return NULL;
	if (poly_type_is_float(e->type)) {
		FE_C_ERROR(p, FE_C_INTEGERS, &e->loc);
		return NULL;
	}
	if (poly_type_size(e->type) < 4)
		e = fe_c_convert(p, POLY_I32, e);
	if (e->kind == FE_C_VAR || e->kind == FE_C_ELEMENT)
		return e;
	v = fe_c_add_var(p, "chosen", e->type, &e->loc);
	*keep = fe_c_assign(p, fe_c_scalar(p, v, &e->loc), e);
	if (!*keep)
		return NULL;
	v->init = (*keep)->right;
	(*keep)->declares = true;
	return fe_c_scalar(p, v, &e->loc);
}

/* Read the body for all ways; what they are behind it becomes "p->ends". */
static struct fe_c_stmt *switch_body(struct fe_c_parse *p, struct choices *c)
{
	const struct fe_c_token *outer_end = p->switch_end, *stop = p->stop;
	int outer_depth = p->switch_depth;
	struct fe_c_stmt *s = NULL;
	const struct fe_c_end *e;

	p->stop = NULL;
	p->switch_end = c->end;
	p->switch_depth = p->depth;
	p->t = c->body + 1;
	first_declarations(p);
	find_cases(p, c);
	if (!p->bad) {
		p->t = c->body + 1;
		s = choose(p, c);
		fe_c_follow_body(p, c->end);
	}
	p->switch_end = outer_end;
	p->switch_depth = outer_depth;
	p->stop = stop;
	p->t = c->end;
	if (p->bad || !fe_c_expect(p, "}"))
		return NULL;
	for (e = p->ends.first; e && !e->label; e = e->next)
		;
	p->ends.leaves = p->ends.dead || e;
	return s;
}

struct fe_c_stmt *fe_c_switch(struct fe_c_parse *p)
{
	const struct fe_c_token *at = p->t++;
	struct fe_c_name *names = p->names;
	struct choices c = { 0 };
	struct fe_c_stmt *keep = NULL, *s;

	if (!fe_c_expect(p, "("))
		return NULL;
	c.value = value_of(p, &keep);
	if (!c.value || !fe_c_expect(p, ")"))
		return NULL;
	if (!fe_c_is(p->t, "{")) {
		FE_C_ERROR(p, FE_C_STATEMENT, &at->loc, at->len, at->text);
		return NULL;
	}
	c.body = p->t;
	c.end = fe_c_skip(p->t) - 1;
	p->depth++;
	s = fe_c_enter(p) ? switch_body(p, &c) : NULL;
	p->depth--;
	fe_c_leave(p);
	p->names = names;
	if (!keep)
		return s;
	keep->next = s;
	return keep;
}
