/* Expressions of index notation.
 *
 * Recursive descent over the grammar of README.md, from "?:" down to names
 * and numbers. Comparisons bind less than all arithmetic, and a chain such as
 * 0 <= i < N is the conjunction of its pairs. Names stay unbound (bind.c); what has
 * no operator is read in parse_primary.c.
 */
#include <math.h>

#include "frontend/index/parse_scalar.h"

/* A binary operator of one level of precedence.
 *
 * One row says that "token" between two operands of its level makes the
 * operation "op".
 */
struct binary {
	enum fe_token_kind token;
	enum poly_op op;
	bool swap;	/* a > b is b < a */
};
/* The levels of operators between two operands, from those that bind most:
 * terms, sums, shifts, "&", "|", and comparisons. Operators of one level join
 * from left to right. A comparison has no operation of its own for ">" and
 * ">=": these exchange their operands.
 */
static const struct binary sums[] = {
	{ FE_PLUS, POLY_OP_ADD, false }, { FE_MINUS, POLY_OP_SUB, false },
};
static const struct binary terms[] = {
	{ FE_STAR, POLY_OP_MUL, false }, { FE_DOT_STAR, POLY_OP_MUL, false },
	{ FE_SLASH, POLY_OP_DIV, false }, { FE_PERCENT, POLY_OP_REM, false },
};
static const struct binary shifts[] = {
	{ FE_LEFT, POLY_OP_SHL, false }, { FE_RIGHT, POLY_OP_SHR, false },
};
static const struct binary ands[] = { { FE_AND, POLY_OP_AND, false } };
static const struct binary ors[] = { { FE_OR, POLY_OP_OR, false } };
static const struct binary compares[] = {
	{ FE_LESS, POLY_OP_LT, false }, { FE_AT_MOST, POLY_OP_LE, false },
	{ FE_GREATER, POLY_OP_LT, true }, { FE_AT_LEAST, POLY_OP_LE, true },
	{ FE_EQUAL, POLY_OP_EQ, false }, { FE_UNEQUAL, POLY_OP_NE, false },
};

/* Depth is what later walks over the tree recurse by: it is limited here, once,
 * so that none of them has to count. A read adds nothing by itself; what adds
 * is inside of its positions.
 */
struct fe_scalar *fe_parse_measure(struct fe_parser *p, struct fe_scalar *e,
	const struct fe_token *t)
{
	const struct fe_scalar *c = e->scope ? e->scope->condition : NULL;
	int i;

	e->depth = 0;
	for (i = 0; i < e->n_arg; i++)
		if (e->arg[i]->depth > e->depth)
			e->depth = e->arg[i]->depth;
	for (; c; c = c->next)
		if (c->depth > e->depth)
			e->depth = c->depth;
	e->depth += e->kind != FE_S_READ;
	if (e->depth <= FE_MAX_DEPTH)
		return e;
	FE_REPORT(p->unit, FE_DEPTH, &t->loc, FE_MAX_DEPTH);
	return NULL;
}

struct fe_scalar *fe_parse_op(struct fe_parser *p, enum poly_op op,
	const struct fe_token *t, struct fe_scalar *a, struct fe_scalar *b)
{
	struct fe_scalar *e = fe_scalar_new(p->unit, FE_S_OP, &t->loc);

	e->op = op;
	e->spelling = fe_arena_text(&p->unit->arena, t->text,
		(size_t)t->loc.len);
	e->arg[0] = a;
	e->arg[1] = b;
	e->n_arg = !!a + !!b;
	return fe_parse_measure(p, e, t);
}

/* The row of "table" that the current token spells, or NULL. */
static const struct binary *find_binary(const struct fe_parser *p,
	const struct binary *table, int n)
{
	int i;

	for (i = 0; i < n; i++)
		if (fe_parse_at(p, table[i].token))
			return &table[i];
	return NULL;
}

/* Operands of one level, read by "next", with operators of "table".
 *
 *	a - b - c	is	(a - b) - c
 *
 * An operand that cannot be read ends the level; it has been reported.
 */
static struct fe_scalar *parse_level(struct fe_parser *p,
	const struct binary *table, int n,
	struct fe_scalar *(*next)(struct fe_parser *p))
{
	struct fe_scalar *a = next(p), *b;
	const struct binary *op;

	while (a && (op = find_binary(p, table, n))) {
		const struct fe_token *t = p->token;

		fe_parse_advance(p);
		b = next(p);
		if (!b)
			return NULL;
		a = fe_parse_op(p, op->op, t, a, b);
	}
	return a;
}

/* ---------------------------------------------------------------- levels */

/* A primary behind its signs. "-" in front of a number makes a negative number,
 * so that the smallest integer can be written.
 *
 *	-9223372036854775808
 *
 * is one number. Read as the negation of a positive number it would not fit.
 */
static struct fe_scalar *parse_unary(struct fe_parser *p)
{
	const struct fe_token *t = p->token;
	struct fe_scalar *e;

	if (!fe_parse_at(p, FE_MINUS) && !fe_parse_at(p, FE_BANG) &&
	    !fe_parse_at(p, FE_TILDE))
		return fe_parse_primary(p);
	if (!fe_parse_enter(p))
		return NULL;
	fe_parse_advance(p);
	e = parse_unary(p);
	p->nesting--;
	if (!e)
		return NULL;
	if (t->kind == FE_MINUS && e->kind == FE_S_NUMBER &&
	    !signbit(e->value) && e->type == POLY_N_TYPE) {
		e->value = -e->value;
		return e;
	}
	e = fe_parse_op(p, t->kind == FE_MINUS ? POLY_OP_NEG : POLY_OP_NOT, t, e,
		NULL);
	/* "!" negates a truth value, "~" the bits. */
	if (e)
		e->logic = t->kind == FE_BANG;
	return e;
}

/* One function a level, so that parse_level can be given the one below. */
static struct fe_scalar *parse_term(struct fe_parser *p)
{
	return parse_level(p, terms, COUNT(terms), parse_unary);
}

static struct fe_scalar *parse_sum(struct fe_parser *p)
{
	return parse_level(p, sums, COUNT(sums), parse_term);
}

static struct fe_scalar *parse_shift(struct fe_parser *p)
{
	return parse_level(p, shifts, COUNT(shifts), parse_sum);
}

static struct fe_scalar *parse_and_bits(struct fe_parser *p)
{
	return parse_level(p, ands, COUNT(ands), parse_shift);
}

static struct fe_scalar *parse_or_bits(struct fe_parser *p)
{
	return parse_level(p, ors, COUNT(ors), parse_and_bits);
}

/* Comparisons; the pairs of a chain hold together.
 *
 *	0 <= i < N	is	0 <= i and i < N
 *
 * The operand in the middle stands in both pairs.
 */
static struct fe_scalar *parse_compare(struct fe_parser *p)
{
	struct fe_scalar *a = parse_or_bits(p), *b, *pair, *all = NULL;
	const struct binary *op;

	while (a && (op = find_binary(p, compares, COUNT(compares)))) {
		const struct fe_token *t = p->token;

		fe_parse_advance(p);
		b = parse_or_bits(p);
		if (!b)
			return NULL;
		pair = fe_parse_op(p, op->op, t, op->swap ? b : a,
			op->swap ? a : b);
		if (pair && all)
			pair = fe_parse_op(p, POLY_OP_AND, t, all, pair);
		if (!pair)
			return NULL;
		pair->logic = pair->op == POLY_OP_AND;
		all = pair;
		a = b;
	}
	return a && all ? all : a;
}

/* A comparison, or "not" one.
 *
 * "not" binds less than comparisons and more than "and": "not i < n" negates
 * the comparison.
 */
static struct fe_scalar *parse_not(struct fe_parser *p)
{
	const struct fe_token *t = p->token;
	struct fe_scalar *e;

	if (!fe_parse_at_word(p, "not"))
		return parse_compare(p);
	if (!fe_parse_enter(p))
		return NULL;
	fe_parse_advance(p);
	e = parse_not(p);
	p->nesting--;
	if (!e)
		return NULL;
	e = fe_parse_op(p, POLY_OP_NOT, t, e, NULL);
	if (e)
		e->logic = true;
	return e;
}

/* Operands read by "next", joined by "word" or "mark".
 *
 * Each joint is marked as logic: it joins truth values and not bits.
 */
static struct fe_scalar *parse_logic(struct fe_parser *p, const char *word,
	enum fe_token_kind mark, enum poly_op op,
	struct fe_scalar *(*next)(struct fe_parser *p))
{
	struct fe_scalar *a = next(p), *b;

	while (a && (fe_parse_at_word(p, word) || fe_parse_at(p, mark))) {
		const struct fe_token *t = p->token;

		fe_parse_advance(p);
		b = next(p);
		if (!b)
			return NULL;
		a = fe_parse_op(p, op, t, a, b);
		if (a)
			a->logic = true;
	}
	return a;
}

/* "and" binds more than "or". */
static struct fe_scalar *parse_conjunction(struct fe_parser *p)
{
	return parse_logic(p, "and", FE_BOTH, POLY_OP_AND, parse_not);
}

struct fe_scalar *fe_parse_condition(struct fe_parser *p)
{
	return parse_logic(p, "or", FE_EITHER, POLY_OP_OR, parse_conjunction);
}

/*	c ? a : b
 *
 * Both branches may hold a choice without brackets; so may not the condition.
 */
struct fe_scalar *fe_parse_scalar(struct fe_parser *p)
{
	struct fe_scalar *c = fe_parse_condition(p), *a, *b, *e = NULL;
	const struct fe_token *t = p->token;

	if (!c || !fe_parse_at(p, FE_QUESTION))
		return c;
	if (!fe_parse_enter(p))
		return NULL;
	fe_parse_advance(p);
	a = fe_parse_scalar(p);
	b = a && fe_parse_expect(p, FE_COLON) ? fe_parse_scalar(p) : NULL;
	p->nesting--;
	if (!b)
		return NULL;
	e = fe_parse_op(p, POLY_OP_SELECT, t, c, a);
	if (!e)
		return NULL;
	e->arg[2] = b;
	/* The third operand came behind fe_parse_op(), which knows two: the depth
	 * is measured again.
	 */
	e->n_arg = 3;
	return fe_parse_measure(p, e, t);
}

/* Conditions that commas separate all hold. They stay a list, since each is
 * looked at alone when ranges are found.
 */
bool fe_parse_conditions(struct fe_parser *p, struct fe_scalar **first)
{
	do {
		struct fe_scalar *c = fe_parse_condition(p);

		if (!c)
			return false;
		*first = c;
		first = &c->next;
	} while (fe_parse_accept(p, FE_COMMA));
	return true;
}
