/* Data-parallel functions: tokens to expressions.
 *
 * Levels of binary operators are in par_operator.def; one function climbs them
 * (parse_binary). A "?:" binds least and to the right.
 */
#include "frontend/parallel/parallel.h"

/* An operator: how strongly it binds, and whether its operands change places.
 *
 * "turned": a > b is b < a.
 */
struct binary {
	enum fe_par_token_kind token;
	enum poly_op op;
	int level;
	bool turned;
};
static const struct binary operators[] = {
#define OPERATOR(token, op, level, turned) \
	{ FE_PAR_##token, POLY_OP_##op, level, turned },
#include "frontend/parallel/par_operator.def"
#undef OPERATOR
};

/* In the arena. */
static struct fe_par_expr *new_expr(struct fe_par_parser *p,
	enum fe_par_kind kind, const struct poly_loc *loc)
{
	struct fe_par_expr *e = fe_arena_alloc(&p->unit->arena, sizeof(*e));

	e->kind = kind;
	e->loc = *loc;
	return e;
}

/* The place from the beginning of "a" to the token before the current one, if that
 * is on the same line.
 *
 * A tree's place is one line at most, as messages underline.
 */
static void reach(const struct fe_par_parser *p, struct fe_par_expr *e,
	const struct poly_loc *from)
{
	e->loc = *from;
	if (p->last && p->last->loc.line == from->line &&
	    p->last->loc.col >= from->col)
		e->loc.len = p->last->loc.col + p->last->loc.len - from->col;
}

/* "e" with its depth; NULL, having reported, if that is too much.
 *
 * 1000 deep: later passes recurse over trees.
 */
static struct fe_par_expr *measure(struct fe_par_parser *p,
	struct fe_par_expr *e)
{
	const struct fe_par_expr *a;
	enum { MOST = 1000 };

	for (a = e->arg; a; a = a->next)
		if (a->depth >= e->depth)
			e->depth = a->depth + 1;
	if (e->depth <= MOST)
		return e;
	FE_REPORT(p->unit, FE_DEPTH, &e->loc, MOST);
	return NULL;
}

/* Begin one more bracket or operator inside another; false, having reported, if
 * there are too many.
 *
 * To be followed by "p->nesting--".
 */
static bool enter(struct fe_par_parser *p)
{
	if (p->nesting >= FE_MAX_NESTING) {
		FE_REPORT(p->unit, FE_NESTING, &p->token->loc, FE_MAX_NESTING);
		return false;
	}
	p->nesting++;
	return true;
}

/* ----------------------------------------------------------------- operators */

/* The binary operator that the token is, or NULL.
 *
 * A dozen rows.
 */
static const struct binary *find_binary(const struct fe_par_token *t)
{
	size_t i;

	for (i = 0; i < sizeof(operators) / sizeof(operators[0]); i++)
		if (operators[i].token == t->kind)
			return &operators[i];
	return NULL;
}

/* && and || are AND and OR of bools that need not evaluate both. */
static void set_operator(struct fe_par_expr *e, const struct binary *op)
{
	e->callee = (struct fe_par_callee) { .kind = FE_PAR_C_OP, .op = op->op,
		.turned = op->turned, .n_arg = 2,
		.logic = op->token == FE_PAR_BOTH || op->token == FE_PAR_EITHER,
		.spelling = fe_par_token_name(op->token) };
}

/* An operator by itself, as an argument, or NULL.
 *
 * "map(+, ..)": only if a comma or bracket follows, else it is a sign.
 */
static struct fe_par_expr *parse_operator(struct fe_par_parser *p)
{
	const struct binary *op = find_binary(p->token);
	enum fe_par_token_kind next = p->token->next ? p->token->next->kind :
		FE_PAR_END;
	struct fe_par_expr *e;

	if (!op || (next != FE_PAR_COMMA && next != FE_PAR_CLOSE))
		return NULL;
	e = new_expr(p, FE_PAR_E_OPERATOR, &p->token->loc);
	set_operator(e, op);
	fe_par_advance(p);
	return e;
}

/* ----------------------------------------------------------------- primaries */

/* Arguments behind the bracket, and the bracket that closes.
 *
 * Into e->arg and e->n_arg.
 */
static bool parse_arguments(struct fe_par_parser *p, struct fe_par_expr *e)
{
	struct fe_par_expr **tail = &e->arg;

	if (fe_par_accept(p, FE_PAR_CLOSE))
		return true;
	do {
		*tail = parse_operator(p);
		if (!*tail)
			*tail = fe_par_parse_expr(p);
		if (!*tail)
			return false;
		tail = &(*tail)->next;
		e->n_arg++;
	} while (fe_par_accept(p, FE_PAR_COMMA));
	return fe_par_expect(p, FE_PAR_CLOSE);
}

/* A name, or a call.
 *
 * Only a bracket right behind makes it a call.
 */
static struct fe_par_expr *parse_name(struct fe_par_parser *p)
{
	struct fe_par_expr *e = new_expr(p, FE_PAR_E_NAME, &p->token->loc);
	bool good;

	e->symbol = p->token->symbol;
	fe_par_advance(p);
	if (!fe_par_at(p, FE_PAR_OPEN))
		return e;
	e->kind = FE_PAR_E_CALL;
	if (!enter(p))
		return NULL;
	fe_par_advance(p);
	good = parse_arguments(p, e);
	p->nesting--;
	return good ? e : NULL;
}

/* "struct name { field = value; .. }", behind the word.
 *
 * Fields are named, in any order; check_record sorts them.
 */
static struct fe_par_expr *parse_record(struct fe_par_parser *p)
{
	struct fe_par_expr *e = new_expr(p, FE_PAR_E_RECORD, &p->last->loc);
	struct fe_par_member **tail = &e->member, *m;

	if (!fe_par_expect(p, FE_PAR_NAME))
		return NULL;
	e->symbol = p->last->symbol;
	reach(p, e, &e->loc);
	if (!fe_par_expect(p, FE_PAR_OPEN_BRACE))
		return NULL;
	while (!fe_par_accept(p, FE_PAR_CLOSE_BRACE)) {
		if (!fe_par_expect(p, FE_PAR_NAME))
			return NULL;
		m = fe_arena_alloc(&p->unit->arena, sizeof(*m));
		m->symbol = p->last->symbol;
		m->loc = p->last->loc;
		if (!fe_par_expect(p, FE_PAR_ASSIGN))
			return NULL;
		m->value = fe_par_parse_expr(p);
		if (!m->value || !fe_par_expect(p, FE_PAR_SEMICOLON))
			return NULL;
		*tail = m;
		tail = &m->next;
	}
	return e;
}

/* "for (type name : array) { statements }", behind the word.
 *
 * An expression, whose value is an array.
 */
static struct fe_par_expr *parse_for(struct fe_par_parser *p)
{
	struct fe_par_expr *e = new_expr(p, FE_PAR_E_FOR, &p->last->loc);
	struct fe_par_var *v = fe_arena_alloc(&p->unit->arena, sizeof(*v));

	e->var = v;
	if (!fe_par_expect(p, FE_PAR_OPEN) ||
	    !fe_par_parse_type(p, &v->written) || !fe_par_expect(p, FE_PAR_NAME))
		return NULL;
	v->symbol = p->last->symbol;
	v->loc = p->last->loc;
	if (!fe_par_expect(p, FE_PAR_COLON))
		return NULL;
	e->arg = fe_par_parse_expr(p);
	e->n_arg = 1;
	return e->arg && fe_par_expect(p, FE_PAR_CLOSE) &&
		fe_par_parse_body(p, &e->body) ? e : NULL;
}

/* The number at the current token.
 *
 * Its type is open.
 */
static struct fe_par_expr *parse_number(struct fe_par_parser *p)
{
	struct fe_par_expr *e = new_expr(p, FE_PAR_E_NUMBER, &p->token->loc);

	e->value = p->token->value;
	e->whole = p->token->whole;
	e->hex = p->token->hex;
	fe_par_advance(p);
	return e;
}

/* true or false. */
static struct fe_par_expr *parse_truth(struct fe_par_parser *p)
{
	struct fe_par_expr *e = new_expr(p, FE_PAR_E_BOOL, &p->token->loc);

	e->value = fe_par_at(p, FE_PAR_TRUE);
	fe_par_advance(p);
	return e;
}

/* A literal, a name, a call, a structure, a loop, or an expression in brackets;
 * NULL, having reported.
 *
 * Brackets leave no trace.
 */
static struct fe_par_expr *parse_primary(struct fe_par_parser *p)
{
	struct fe_par_expr *e;

	switch (p->token->kind) {
	case FE_PAR_NUMBER:
		return parse_number(p);
	case FE_PAR_TRUE:
	case FE_PAR_FALSE:
		return parse_truth(p);
	case FE_PAR_NAME:
		return parse_name(p);
	case FE_PAR_STRUCT:
		fe_par_advance(p);
		return parse_record(p);
	case FE_PAR_FOR:
		fe_par_advance(p);
		return parse_for(p);
	case FE_PAR_OPEN:
		fe_par_advance(p);
		e = fe_par_parse_expr(p);
		return e && fe_par_expect(p, FE_PAR_CLOSE) ? e : NULL;
	default:
		fe_par_expected(p, "an expression");
		return NULL;
	}
}

/* "e[position]", behind the bracket.
 *
 * xs[i][j] is an index of an index.
 */
static struct fe_par_expr *parse_index(struct fe_par_parser *p,
	struct fe_par_expr *e)
{
	struct fe_par_expr *index = new_expr(p, FE_PAR_E_INDEX, &e->loc);

	index->arg = e;
	index->n_arg = 2;
	e->next = fe_par_parse_expr(p);
	if (!e->next || !fe_par_expect(p, FE_PAR_CLOSE_BRACKET))
		return NULL;
	reach(p, index, &e->loc);
	return measure(p, index);
}

/* What stands behind "e": positions and fields.
 *
 * Left to right.
 */
static struct fe_par_expr *parse_postfix(struct fe_par_parser *p,
	struct fe_par_expr *e)
{
	struct fe_par_expr *field;

	while (e) {
		if (fe_par_accept(p, FE_PAR_OPEN_BRACKET)) {
			e = parse_index(p, e);
		} else if (fe_par_accept(p, FE_PAR_DOT)) {
			field = new_expr(p, FE_PAR_E_FIELD, &e->loc);
			if (!fe_par_expect(p, FE_PAR_NAME))
				return NULL;
			field->symbol = p->last->symbol;
			field->arg = e;
			field->n_arg = 1;
			reach(p, field, &e->loc);
			e = measure(p, field);
		} else {
			break;
		}
	}
	return e;
}

/* A literal behind "-" is a negative one.
 *
 * So -2147483648 is a literal; a hexadecimal one is a pattern of bits, whose
 * sign is an operation.
 */
static bool negate(struct fe_par_expr *e)
{
	if (e->kind != FE_PAR_E_NUMBER || e->hex)
		return false;
	e->value = -e->value;
	return true;
}

/* A primary with what stands behind it, behind its signs; NULL, having
 * reported.
 *
 * Signs bind tighter than any binary operator.
 */
static struct fe_par_expr *parse_unary(struct fe_par_parser *p)
{
	const struct fe_par_token *t = p->token;
	struct fe_par_expr *e, *a;

	if (t->kind != FE_PAR_MINUS && t->kind != FE_PAR_TILDE &&
	    t->kind != FE_PAR_BANG)
		return parse_postfix(p, parse_primary(p));
	if (!enter(p))
		return NULL;
	fe_par_advance(p);
	a = parse_unary(p);
	p->nesting--;
	if (!a || (t->kind == FE_PAR_MINUS && negate(a)))
		return a;
	e = new_expr(p, FE_PAR_E_OP, &t->loc);
	e->callee = (struct fe_par_callee) { .kind = FE_PAR_C_OP,
		.op = t->kind == FE_PAR_MINUS ? POLY_OP_NEG : POLY_OP_NOT,
		.logic = t->kind == FE_PAR_BANG, .n_arg = 1,
		.spelling = fe_par_token_name(t->kind) };
	e->arg = a;
	e->n_arg = 1;
	return measure(p, e);
}

/* Operands with operators of "level" and higher ones between them.
 *
 * Precedence climbing: operators of one level group to the left.
 */
static struct fe_par_expr *parse_binary(struct fe_par_parser *p, int level)
{
	struct fe_par_expr *a = parse_unary(p), *e;
	const struct binary *op;

	while (a && (op = find_binary(p->token)) && op->level >= level) {
		e = new_expr(p, FE_PAR_E_OP, &p->token->loc);
		set_operator(e, op);
		fe_par_advance(p);
		a->next = parse_binary(p, op->level + 1);
		if (!a->next)
			return NULL;
		e->arg = a;
		e->n_arg = 2;
		a = measure(p, e);
	}
	return a;
}

/* "a ? b : c", behind the question mark.
 *
 * Each choice may be a choice again.
 */
static struct fe_par_expr *parse_choice(struct fe_par_parser *p,
	struct fe_par_expr *a, const struct poly_loc *loc)
{
	struct fe_par_expr *e = new_expr(p, FE_PAR_E_CHOOSE, loc);

	e->arg = a;
	e->n_arg = 3;
	a->next = fe_par_parse_expr(p);
	if (!a->next || !fe_par_expect(p, FE_PAR_COLON))
		return NULL;
	a->next->next = fe_par_parse_expr(p);
	return a->next->next ? measure(p, e) : NULL;
}

/* NULL, having reported. */
struct fe_par_expr *fe_par_parse_expr(struct fe_par_parser *p)
{
	struct fe_par_expr *e;

	if (!enter(p))
		return NULL;
	e = parse_binary(p, 1);
	if (e && fe_par_accept(p, FE_PAR_QUESTION))
		e = parse_choice(p, e, &p->last->loc);
	p->nesting--;
	return e;
}
