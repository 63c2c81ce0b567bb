/* Tokens to declarations, definitions and outputs.
 *
 * Recursive descent over the grammar of README.md. A function that meets
 * something wrong reports it and returns NULL or false; the item is dropped
 * and parsing goes on behind the next semicolon, or at a line that begins
 * like an item.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/matrix/matrix.h"
#include "frontend/base/parse.h"
#include "frontend/index/index.h"

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
	a->root = fe_parse_sum(p);
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
