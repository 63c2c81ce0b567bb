/* Data-parallel functions: tokens to structures, functions and statements.
 *
 * An item that is wrong is reported once and left out; the next one begins behind
 * its braces.
 *
 * Recursive descent; par_expr.c has expressions. Trees are in the unit's arena.
 */
#include <stdio.h>

#include "frontend/parallel/parallel.h"

/* The kind alone is asked. */
bool fe_par_at(const struct fe_par_parser *p, enum fe_par_token_kind kind)
{
	return p->token->kind == kind;
}

/* Never past the end. */
void fe_par_advance(struct fe_par_parser *p)
{
	p->last = p->token;
	if (p->token->next)
		p->token = p->token->next;
}

bool fe_par_accept(struct fe_par_parser *p, enum fe_par_token_kind kind)
{
	if (!fe_par_at(p, kind))
		return false;
	fe_par_advance(p);
	return true;
}

/* Report that "what" should stand at the current token. Where the token is on a
 * later line, the place is behind the last one. A malformed token has been reported.
 */
void fe_par_expected(struct fe_par_parser *p, const char *what)
{
	const struct fe_par_token *t = p->token;
	struct poly_loc loc = t->loc;
	char found[64];

	if (fe_par_at(p, FE_PAR_BAD))
		return;
	snprintf(found, sizeof(found), "'%.*s'", loc.len < 40 ? loc.len : 40,
		t->text);
	if (p->last && p->last->loc.line < loc.line) {
		loc = p->last->loc;
		loc.col += loc.len;
		loc.len = 1;
	}
	FE_REPORT(p->unit, FE_EXPECTED, &loc, what, t->kind == FE_PAR_END ?
		fe_par_token_name(FE_PAR_END) : found, "");
}

/* The same as fe_parse_expect of the other notation, with its own tokens. */
bool fe_par_expect(struct fe_par_parser *p, enum fe_par_token_kind kind)
{
	char what[32];

	if (fe_par_accept(p, kind))
		return true;
	snprintf(what, sizeof(what), kind == FE_PAR_NAME ? "%s" : "'%s'",
		fe_par_token_name(kind));
	fe_par_expected(p, what);
	return false;
}

/* "NAME" and pairs of brackets.
 *
 * float[][] has rank 2.
 */
bool fe_par_parse_type(struct fe_par_parser *p, struct fe_par_written *w)
{
	if (!fe_par_at(p, FE_PAR_NAME)) {
		fe_par_expected(p, "a type");
		return false;
	}
	fe_par_advance(p);
	*w = (struct fe_par_written) { .symbol = p->last->symbol,
		.loc = p->last->loc };
	while (fe_par_accept(p, FE_PAR_OPEN_BRACKET)) {
		if (!fe_par_expect(p, FE_PAR_CLOSE_BRACKET))
			return false;
		w->rank++;
	}
	return true;
}

/* "type name"; NULL, having reported.
 *
 * Of a parameter, field or variable.
 */
static struct fe_par_var *parse_var(struct fe_par_parser *p)
{
	struct fe_par_var *v = fe_arena_alloc(&p->unit->arena, sizeof(*v));

	if (!fe_par_parse_type(p, &v->written) ||
	    !fe_par_expect(p, FE_PAR_NAME))
		return NULL;
	v->symbol = p->last->symbol;
	v->loc = p->last->loc;
	return v;
}

/* One statement with its semicolon.
 *
 * NULL, having reported: the item is given up.
 */
static struct fe_par_stmt *parse_stmt(struct fe_par_parser *p)
{
	struct fe_par_stmt *s = fe_arena_alloc(&p->unit->arena, sizeof(*s));

	s->loc = p->token->loc;
	if (!fe_par_accept(p, FE_PAR_RETURN)) {
		if (!fe_par_at(p, FE_PAR_NAME)) {
			fe_par_expected(p, "a statement");
			return NULL;
		}
		s->var = parse_var(p);
		if (!s->var || !fe_par_expect(p, FE_PAR_ASSIGN))
			return NULL;
	}
	s->value = fe_par_parse_expr(p);
	return s->value && fe_par_expect(p, FE_PAR_SEMICOLON) ? s : NULL;
}

/* "first" receives the list. */
bool fe_par_parse_body(struct fe_par_parser *p, struct fe_par_stmt **first)
{
	if (!fe_par_expect(p, FE_PAR_OPEN_BRACE))
		return false;
	while (!fe_par_accept(p, FE_PAR_CLOSE_BRACE)) {
		*first = parse_stmt(p);
		if (!*first)
			return false;
		first = &(*first)->next;
	}
	return true;
}

/* "struct name { type name; .. };", behind the word.
 *
 * Fields are variables.
 */
static struct fe_par_record *parse_record(struct fe_par_parser *p)
{
	struct fe_par_record *r = fe_arena_alloc(&p->unit->arena, sizeof(*r));
	struct fe_par_var **tail = &r->field;

	if (!fe_par_expect(p, FE_PAR_NAME))
		return NULL;
	r->symbol = p->last->symbol;
	r->loc = p->last->loc;
	if (!fe_par_expect(p, FE_PAR_OPEN_BRACE))
		return NULL;
	while (!fe_par_accept(p, FE_PAR_CLOSE_BRACE)) {
		*tail = parse_var(p);
		if (!*tail || !fe_par_expect(p, FE_PAR_SEMICOLON))
			return NULL;
		tail = &(*tail)->next;
		r->n_field++;
	}
	return fe_par_expect(p, FE_PAR_SEMICOLON) ? r : NULL;
}

/* "()" or "(type name, ..)". */
static bool parse_params(struct fe_par_parser *p, struct fe_par_function *f)
{
	struct fe_par_var **tail = &f->param;

	if (!fe_par_expect(p, FE_PAR_OPEN))
		return false;
	if (fe_par_accept(p, FE_PAR_CLOSE))
		return true;
	do {
		*tail = parse_var(p);
		if (!*tail)
			return false;
		tail = &(*tail)->next;
		f->n_param++;
	} while (fe_par_accept(p, FE_PAR_COMMA));
	return fe_par_expect(p, FE_PAR_CLOSE);
}

/* "type name(parameters) { statements }"
 *
 * The body belongs to it.
 */
static struct fe_par_function *parse_function(struct fe_par_parser *p)
{
	struct fe_par_function *f = fe_arena_alloc(&p->unit->arena, sizeof(*f));

	if (!fe_par_at(p, FE_PAR_NAME)) {
		fe_par_expected(p, "a function or a struct");
		return NULL;
	}
	if (!fe_par_parse_type(p, &f->written) || !fe_par_expect(p, FE_PAR_NAME))
		return NULL;
	f->symbol = p->last->symbol;
	f->loc = p->last->loc;
	p->nesting = 0;
	return parse_params(p, f) && fe_par_parse_body(p, &f->body) ? f : NULL;
}

/* Go on behind the braces of the item that began at "t".
 *
 * Braces are counted from the begin of the item, so that one within it does not
 * end it.
 */
static void recover(struct fe_par_parser *p, struct fe_par_token *t)
{
	bool record = t->kind == FE_PAR_STRUCT;
	int depth = 0;

	for (; t->next; t = t->next) {
		depth += t->kind == FE_PAR_OPEN_BRACE;
		if (t->kind == FE_PAR_CLOSE_BRACE && --depth <= 0)
			break;
	}
	p->token = t;
	fe_par_advance(p);
	if (record)
		fe_par_accept(p, FE_PAR_SEMICOLON);
}

/* What could be parsed, in the order of the text. */
struct fe_par_program *fe_par_parse(struct fe_unit *u,
	struct fe_par_token *token)
{
	struct fe_par_parser p = { .unit = u, .token = token };
	struct fe_par_program *prog = fe_arena_alloc(&u->arena, sizeof(*prog));
	struct fe_par_record **record = &prog->record;
	struct fe_par_function **function = &prog->function;

	while (!fe_par_at(&p, FE_PAR_END)) {
		struct fe_par_token *from = p.token;
		bool good;

		if (fe_par_accept(&p, FE_PAR_STRUCT)) {
			good = (*record = parse_record(&p)) != NULL;
			record = good ? &(*record)->next : record;
		} else {
			good = (*function = parse_function(&p)) != NULL;
			function = good ? &(*function)->next : function;
		}
		if (!good)
			recover(&p, from);
	}
	return prog;
}
