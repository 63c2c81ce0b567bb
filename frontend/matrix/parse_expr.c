/* Tokens to the right-hand side of a matrix definition. The grammar is the README's:
 *
 *	sum := term { (+|-) term };  term := sign { (*|.*) sign };
 *	sign := - sign | postfix;  postfix := primary { ^T | ' }
 *
 * Recursive descent, as parse.c. The parts of a right-hand side are linked in the order
 * in which they are made, operands first, so that later passes need no recursion.
 */
#include <stdlib.h>

#include "frontend/matrix/matrix.h"
#include "frontend/base/parse.h"
#include "frontend/index/index.h"

/* A new part of the definition that is being parsed.
 *
 * The list of parts is the definition's, in the order in which they are made:
 * operands before what uses them.
 */
static struct fe_expr *add_expr(struct fe_parser *p, enum fe_expr_kind kind,
	const struct poly_loc *loc, struct fe_expr *a, struct fe_expr *b)
{
	struct fe_expr *e = fe_arena_alloc(&p->unit->arena, sizeof(*e));

	e->kind = kind;
	e->op = POLY_OP_NONE;
	e->loc = *loc;
	e->arg[0] = a;
	e->arg[1] = b;
	*p->expr_tail = e;
	p->expr_tail = &e->next;
	return e;
}

/* An operation on each element. */
static struct fe_expr *add_elementwise(struct fe_parser *p, enum poly_op op,
	const struct poly_loc *loc, struct fe_expr *a, struct fe_expr *b)
{
	struct fe_expr *e = add_expr(p, FE_ELEMENTWISE, loc, a, b);

	e->op = op;
	return e;
}

/* Arguments of a call, behind the bracket. Returns their number, of which the
 * first two are stored, or -1.
 *
 * More than two are counted for the message, and are wrong for every function.
 */
static int parse_arguments(struct fe_parser *p, struct fe_expr *arg[2])
{
	int n = 0;

	do {
		struct fe_expr *e = fe_parse_sum(p);

		if (!e)
			return -1;
		if (n < 2)
			arg[n] = e;
		n++;
	} while (fe_parse_accept(p, FE_COMMA));
	return fe_parse_expect(p, FE_CLOSE) ? n : -1;
}

/* Does what is in brackets begin as that of a reduction, "sum(j: ..)"? */
static bool at_reduction(const struct fe_parser *p)
{
	const struct fe_token *t = p->token;

	return t->kind == FE_OPEN && t->next->kind == FE_NAME &&
		t->next->next->kind == FE_COLON;
}

/* Has the text declared or defined a matrix called "s" so far? */
static bool is_matrix(const struct fe_parser *p, const struct fe_symbol *s)
{
	const struct fe_decl *d = p->unit->ast->decl;
	const struct fe_assign *a = p->unit->ast->assign;

	while (d && (d->symbol != s || d->is_param))
		d = d->next;
	while (!d && a && a->symbol != s)
		a = a->next;
	return d || a;
}

static void report_no_function(struct fe_parser *p, const struct fe_token *name)
{
	const struct fe_symbol *s = name->symbol;
	char text[FE_ADVICE];

	FE_REPORT(p->unit, FE_NO_FUNCTION, &name->loc, s->name, is_matrix(p, s) ?
		"; elements are read in index notation, as in y(i) = A(i,3)" :
		fe_advice(FE_AT_CALL, s->name, text));
}

/* The call of the function "name", whose bracket comes next.
 *
 * Transposition is a call in the text, and a part of its own kind here.
 */
static struct fe_expr *parse_call(struct fe_parser *p,
	const struct fe_token *name)
{
	const struct fe_function *f = name->symbol->function;
	struct fe_expr *arg[2] = { NULL, NULL }, *e;
	int n;

	if (at_reduction(p)) {
		fe_parse_advance(p);
		fe_parse_expected(p, "a matrix (a sum over an index is for "
			"definitions of index notation: s() = .. or out s = ..)");
		return NULL;
	}
	if (!f) {
		report_no_function(p, name);
		return NULL;
	}
	if (!fe_parse_expect(p, FE_OPEN) || !fe_parse_enter(p))
		return NULL;
	n = parse_arguments(p, arg);
	p->nesting--;
	if (n < 0)
		return NULL;
	if (n != f->n_arg) {
		FE_REPORT(p->unit, FE_ARGUMENTS, &name->loc,
			name->symbol->name, f->n_arg,
			f->n_arg == 1 ? "" : "s", n, "");
		return NULL;
	}
	if (f->op == POLY_OP_NONE)
		return add_expr(p, FE_TRANSPOSE, &name->loc, arg[0], NULL);
	e = add_elementwise(p, f->op, &name->loc, arg[0], arg[1]);
	e->function = f;
	return e;
}

/* An expression in brackets, at the first one; NULL, having reported.
 *
 * Nesting is counted against FE_MAX_NESTING.
 */
static struct fe_expr *parse_bracket(struct fe_parser *p)
{
	struct fe_expr *e;

	if (!fe_parse_enter(p))
		return NULL;
	fe_parse_advance(p);
	e = fe_parse_sum(p);
	p->nesting--;
	return e && fe_parse_expect(p, FE_CLOSE) ? e : NULL;
}

/* The number at the current token, with the sign that stands before it.
 *
 * -2147483648 is one literal; as the negation of 2147483648 it would be out of
 * range.
 */
static struct fe_expr *parse_number(struct fe_parser *p, bool negative)
{
	struct fe_token *t = p->token;
	struct fe_expr *e = add_expr(p, FE_LITERAL, &t->loc, NULL, NULL);
	char *text;

	text = fe_arena_text(&p->unit->arena, t->text, (size_t)t->loc.len);
	e->value = strtod(text, NULL);
	if (negative)
		e->value = -e->value;
	fe_parse_advance(p);
	return e;
}

/* A number, a matrix, a call, or an expression in brackets; "negative": behind
 * a sign that belongs to a number. NULL, having reported.
 *
 * A function's name without a bracket is an error of parse_call's.
 */
static struct fe_expr *parse_primary(struct fe_parser *p, bool negative)
{
	struct fe_token *t = p->token;
	struct fe_expr *e;

	if (fe_parse_at(p, FE_NUMBER))
		return parse_number(p, negative);
	if (fe_parse_at(p, FE_OPEN))
		return parse_bracket(p);
	if (!fe_parse_accept(p, FE_NAME)) {
		fe_parse_expected_but(p, "an expression", fe_parse_at_power(p) ?
			"; powers of elements are pow(x, y) in index notation" :
			"");
		return NULL;
	}
	if (fe_parse_at(p, FE_OPEN) || t->symbol->function)
		return parse_call(p, t);
	e = add_expr(p, FE_USE, &t->loc, NULL, NULL);
	e->symbol = t->symbol;
	return e;
}

/* A^T and A' bind tighter than a sign in front. */
static struct fe_expr *parse_postfix(struct fe_parser *p, bool negative)
{
	struct fe_expr *e = parse_primary(p, negative);

	while (e && (fe_parse_accept(p, FE_POWER_T) || fe_parse_accept(p, FE_QUOTE)))
		e = add_expr(p, FE_TRANSPOSE, &p->last->loc, e, NULL);
	return e;
}

/* Signs; one before a number is part of it.
 *
 * -2^T: the sign belongs to the number, which is transposed then; -A^T negates
 * the transposed.
 */
static struct fe_expr *parse_sign(struct fe_parser *p)
{
	struct poly_loc loc = p->token->loc;
	struct fe_expr *e;

	if (!fe_parse_at(p, FE_MINUS))
		return parse_postfix(p, false);
	if (!fe_parse_enter(p))
		return NULL;
	fe_parse_advance(p);
	if (fe_parse_at(p, FE_NUMBER)) {
		e = parse_postfix(p, true);
	} else {
		e = parse_sign(p);
		if (e)
			e = add_elementwise(p, POLY_OP_NEG, &loc, e, NULL);
	}
	p->nesting--;
	return e;
}

/* Factors that "*" and ".*" join, from left to right.
 *
 * "*" is a product of matrices, or scaling; which of them is seen when shapes
 * are known (shape.c).
 */
static struct fe_expr *parse_term(struct fe_parser *p)
{
	struct fe_expr *a = parse_sign(p), *b;

	while (a && (fe_parse_at(p, FE_STAR) || fe_parse_at(p, FE_DOT_STAR))) {
		struct fe_token *t = p->token;

		fe_parse_advance(p);
		b = parse_sign(p);
		if (!b)
			return NULL;
		if (t->kind == FE_STAR)
			a = add_expr(p, FE_MULTIPLY, &t->loc, a, b);
		else
			a = add_elementwise(p, POLY_OP_MUL, &t->loc, a, b);
	}
	return a;
}

/* Terms that "+" and "-" join, from left to right.
 *
 * Left to right, as floats are not associative.
 */
struct fe_expr *fe_parse_sum(struct fe_parser *p)
{
	struct fe_expr *a = parse_term(p), *b;

	while (a && (fe_parse_at(p, FE_PLUS) || fe_parse_at(p, FE_MINUS))) {
		struct fe_token *t = p->token;

		fe_parse_advance(p);
		b = parse_term(p);
		if (!b)
			return NULL;
		a = add_elementwise(p, t->kind == FE_PLUS ?
			POLY_OP_ADD : POLY_OP_SUB, &t->loc, a, b);
	}
	return a;
}
