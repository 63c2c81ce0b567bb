/* Tokens to declarations, definitions and outputs.
 *
 * Recursive descent over the grammar of README.md. A function that meets
 * something wrong reports it and returns NULL or false; the item is dropped
 * and parsing goes on behind the next semicolon, or at a line that begins
 * like an item. The parts of a right-hand side are linked in the order in
 * which they are made, operands first, so that later passes need no recursion.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/matrix/matrix.h"
#include "frontend/base/parse.h"
#include "frontend/index/index.h"

/* The grammar is the README's:
 *
 *	sum := term { (+|-) term };  term := sign { (*|.*) sign };
 *	sign := - sign | postfix;  postfix := primary { ^T | ' }
 */
static struct fe_expr *parse_sum(struct fe_parser *p);

/* -------------------------------------------------------------- tokens */

/* True if the current token begins a line as an item begins.
 *
 * Only where a line begins, as "A = .." within an expression is none.
 */
static bool at_item(const struct fe_parser *p)
{
	const struct fe_token *t = p->token;

	if (p->last && p->last->loc.line == t->loc.line)
		return false;
	return t->kind == FE_PARAMS || t->kind == FE_MATRIX ||
		t->kind == FE_CODEGEN ||
		(t->kind == FE_NAME && t->next->kind == FE_EQUALS) ||
		(t->loc.col == 1 && fe_parse_at_index_item(p));
}

/* Go to where an item may begin.
 *
 * At least one token is passed, so it ends. Semicolons within a case end a
 * piece of it, not the item.
 */
static void recover(struct fe_parser *p, const struct fe_token *start)
{
	while (!fe_parse_at(p, FE_END) && !(p->token != start && at_item(p))) {
		if (!p->in_case && fe_parse_accept(p, FE_SEMICOLON))
			return;
		if (fe_parse_at(p, FE_CLOSE_BRACE))
			p->in_case = false;
		if (fe_parse_at_word(p, "case"))
			p->in_case = p->token->next->kind == FE_OPEN_BRACE;
		fe_parse_advance(p);
	}
}

/* --------------------------------------------------------- expressions */

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
		struct fe_expr *e = parse_sum(p);

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
	e = parse_sum(p);
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
static struct fe_expr *parse_sum(struct fe_parser *p)
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

/* --------------------------------------------------------------- items */

/* Append the declaration of the name "name".
 *
 * Declared names are checked later, all at once (check.c).
 */
static struct fe_decl *add_decl(struct fe_parser *p, const struct fe_token *name,
	bool is_param)
{
	struct fe_decl *d = fe_arena_alloc(&p->unit->arena, sizeof(*d));

	d->is_param = is_param;
	d->symbol = name->symbol;
	d->loc = name->loc;
	*p->decl_tail = d;
	p->decl_tail = &d->next;
	return d;
}

/* "Params M, N;", behind the word.
 *
 * Lists of names.
 */
static bool parse_params(struct fe_parser *p)
{
	do {
		const struct fe_token *name = fe_parse_expect_name(p);

		if (!name)
			return false;
		add_decl(p, name, true);
	} while (fe_parse_accept(p, FE_COMMA));
	return fe_parse_end_sizes(p);
}

/* A size in the declaration of a matrix: a parameter or an integer.
 *
 * A number that is no size is reported and counts as 0, so that the declaration
 * goes on.
 */
static bool parse_dim(struct fe_parser *p, struct fe_dim *dim)
{
	struct fe_expr number = { .kind = FE_LITERAL };
	bool negative;

	dim->loc = p->token->loc;
	if (fe_parse_accept(p, FE_NAME)) {
		dim->symbol = p->last->symbol;
		return true;
	}
	negative = fe_parse_accept(p, FE_MINUS);
	if (!fe_parse_at(p, FE_NUMBER)) {
		fe_parse_expected(p, "a size");
		return false;
	}
	number.value = strtod(fe_arena_text(&p->unit->arena, p->token->text,
		(size_t)p->token->loc.len), NULL);
	fe_parse_advance(p);
	/* no conversion of what int64_t does not hold */
	dim->value = number.value <= FE_MAX_SIZE ? (int64_t)number.value : -1;
	dim->loc.len = p->last->loc.col + p->last->loc.len - dim->loc.col;
	if (!negative && (double)dim->value == number.value)
		return true;
	FE_REPORT(p->unit, FE_SIZE, &dim->loc, FE_MAX_SIZE);
	dim->value = 0;
	return true;
}

/* What stands behind a size, which is no expression. */
static bool expect_behind_dim(struct fe_parser *p, enum fe_token_kind kind)
{
	static const enum fe_token_kind operators[] = { FE_PLUS, FE_MINUS,
		FE_STAR, FE_SLASH, FE_PERCENT };

	for (size_t i = 0; i < sizeof(operators) / sizeof(operators[0]); i++)
		if (fe_parse_at(p, operators[i])) {
			fe_parse_expected_but(p, kind == FE_COMMA ? "','" : "')'",
				"; a size of a Matrix is a name or a number, "
				"that of a tensor may be N/2");
			return false;
		}
	return fe_parse_expect(p, kind);
}

/* "Matrix A(M,N);", behind the word.
 *
 * Two sizes, always: vectors are matrices of one row or column.
 */
static bool parse_matrix(struct fe_parser *p)
{
	const struct fe_token *name = fe_parse_expect_name(p);
	struct fe_dim dim[2] = { { 0 }, { 0 } };
	struct fe_decl *d;

	if (!name || !fe_parse_expect(p, FE_OPEN) || !parse_dim(p, &dim[0]) ||
		!expect_behind_dim(p, FE_COMMA) || !parse_dim(p, &dim[1]) ||
		!expect_behind_dim(p, FE_CLOSE))
		return false;
	d = add_decl(p, name, false);
	d->dim[0] = dim[0];
	d->dim[1] = dim[1];
	return fe_parse_expect(p, FE_SEMICOLON);
}

/* Report that the token is no element type, and the names of those that are.
 *
 * The list is that of element.def.
 */
static void report_element(struct fe_parser *p, const struct fe_token *t)
{
	struct poly_str names = { 0 };

#define ELEMENT(name, type) poly_str_add(&names, " " name);
#include "frontend/base/element.def"
#undef ELEMENT
	FE_REPORT(p->unit, FE_ELEMENT, &t->loc, t->symbol->name,
		names.s ? names.s + 1 : "");
	poly_str_free(&names);
}

/* The element type at the current token. An unknown one is reported.
 *
 * True after a message, too: the statement can go on.
 */
static bool parse_element(struct fe_parser *p)
{
	static const struct {
		const char *name;
		enum poly_type type;
	} element[] = {
#define ELEMENT(name, type) { name, POLY_##type },
#include "frontend/base/element.def"
#undef ELEMENT
	};
	const struct fe_token *t = p->token;
	size_t i;

	if (!fe_parse_accept(p, FE_NAME)) {
		fe_parse_expected(p, "an element type");
		return false;
	}
	for (i = 0; i < sizeof(element) / sizeof(element[0]); i++) {
		if (t->symbol == fe_symbol_find(p->unit, element[i].name,
			strlen(element[i].name))) {
			p->unit->ast->type = element[i].type;
			return true;
		}
	}
	report_element(p, t);
	return true;
}

/* The names of the outputs in braces.
 *
 * Which names they are is checked later.
 */
static bool parse_outputs(struct fe_parser *p)
{
	do {
		const struct fe_token *name = fe_parse_expect_name(p);
		struct fe_output_name *o;

		if (!name)
			return false;
		o = fe_arena_alloc(&p->unit->arena, sizeof(*o));
		o->symbol = name->symbol;
		o->loc = name->loc;
		*p->output_tail = o;
		p->output_tail = &o->next;
	} while (fe_parse_accept(p, FE_COMMA));
	return true;
}

/* "CodeGen name (type, { outputs });", behind the word, which ends the program.
 *
 * Without a name the entry point is called after the file.
 */
static bool parse_codegen(struct fe_parser *p)
{
	p->unit->ast->has_codegen = true;
	p->done = true;
	if (fe_parse_accept(p, FE_NAME))
		p->unit->ast->entry = p->last->symbol;
	return fe_parse_expect(p, FE_OPEN) && parse_element(p) && fe_parse_expect(p, FE_COMMA) &&
		fe_parse_expect(p, FE_OPEN_BRACE) && parse_outputs(p) &&
		fe_parse_expect(p, FE_CLOSE_BRACE) && fe_parse_expect(p, FE_CLOSE) &&
		fe_parse_expect(p, FE_SEMICOLON);
}

/* A definition. It takes its place even if its right-hand side is wrong, so
 * that uses of its name are no further errors.
 *
 * A definition too many ends the parsing: whatever follows would refer to it.
 */
static bool parse_assign(struct fe_parser *p)
{
	struct fe_ast *ast = p->unit->ast;
	struct fe_assign *a = fe_arena_alloc(&p->unit->arena, sizeof(*a));
	char text[FE_ADVICE];

	a->symbol = p->token->symbol;
	a->loc = p->token->loc;
	a->order = p->order;
	fe_parse_advance(p);
	if (!fe_parse_accept(p, FE_EQUALS)) {
		fe_parse_expected_but(p, "'='", fe_parse_at(p, FE_NAME) ?
			fe_advice(FE_AT_ITEM, a->symbol->name, text) : "");
		return false;
	}
	if (ast->n_assign++ == FE_MAX_DEFINITION) {
		FE_REPORT(p->unit, FE_DEFINITIONS, &a->loc,
			FE_MAX_DEFINITION);
		p->done = true;
		return true;
	}
	*p->assign_tail = a;
	p->assign_tail = &a->next;
	p->expr_tail = &a->first;
	p->nesting = 0;
	a->root = parse_sum(p);
	if (a->root && fe_parse_at(p, FE_SLASH)) {
		fe_parse_expected_but(p, "';'", "; a matrix is scaled by a "
			"number, 0.5 * A, and elements are divided in index "
			"notation");
		return false;
	}
	return a->root && fe_parse_expect(p, FE_SEMICOLON);
}

/* One item: a declaration, a definition in either notation, or CodeGen; false,
 * having reported. Declarations behind a definition are reported, but parsed.
 *
 * Index notation has items of its own between those of matrices.
 */
static bool parse_item(struct fe_parser *p)
{
	const struct fe_token *t = p->token;

	if (fe_parse_at_index_item(p))
		return fe_parse_index_item(p);
	if (fe_parse_at(p, FE_NAME))
		return parse_assign(p);
	if (fe_parse_accept(p, FE_CODEGEN))
		return parse_codegen(p);
	if (!fe_parse_at(p, FE_PARAMS) && !fe_parse_at(p, FE_MATRIX)) {
		fe_parse_expected(p, "a declaration, a definition or CodeGen");
		return false;
	}
	if (p->unit->ast->n_assign)
		FE_REPORT(p->unit, FE_DECL_ORDER, &t->loc);
	fe_parse_advance(p);
	return t->kind == FE_PARAMS ? parse_params(p) : parse_matrix(p);
}

/* "u->ast" is set in any case; whether it is good, fe_has_errors tells. */
void fe_parse(struct fe_unit *u, struct fe_token *token)
{
	struct fe_ast *ast = fe_arena_alloc(&u->arena, sizeof(*ast));
	struct fe_parser p = {
		.unit = u,
		.token = token,
		.decl_tail = &ast->decl,
		.assign_tail = &ast->assign,
		.output_tail = &ast->output,
		.tensor_tail = &u->tensor,
		.assume_tail = &u->assume,
	};
	char found[64];

	ast->type = POLY_F32;
	u->ast = ast;
	while (!fe_parse_at(&p, FE_END) && !p.done) {
		const struct fe_token *start = p.token;

		p.last = NULL;
		p.in_case = false;
		p.order++;
		if (!parse_item(&p))
			recover(&p, start);
	}
	/* text behind CodeGen is a mistake, mostly a forgotten definition */
	if (ast->has_codegen && !fe_parse_at(&p, FE_END) &&
	    !fe_parse_at(&p, FE_BAD))
		FE_REPORT(u, FE_BEHIND, &p.token->loc,
			fe_parse_describe(p.token, found));
}
