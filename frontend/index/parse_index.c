/* Items of index notation: sizes, tensors, assumptions, definitions, calls of nests.
 *
 * Their words are no reserved words: "param M" and "tensor f32" cannot begin
 * an item of matrices, where "=" follows a name. A name with a bracket begins
 * a definition, and so does one with an update behind it.
 */
#include <string.h>

#include "frontend/index/call.h"
#include "frontend/base/parse.h"
#include "frontend/matrix/matrix.h"

/* Does "t" begin an update: "+=", "*=", "min=" or "max="? */
static bool at_update(const struct fe_token *t)
{
	return t->kind == FE_PLUS_EQUALS || t->kind == FE_STAR_EQUALS ||
		(t->kind == FE_NAME && t->next->kind == FE_EQUALS &&
		(fe_parse_is_word(t, "min") || fe_parse_is_word(t, "max")));
}

/* What the word "assume" begins is an item of index notation unless "="
 * follows: that would assign a matrix of that name.
 */
bool fe_parse_at_index_item(const struct fe_parser *p)
{
	const struct fe_token *t = p->token, *next = t->next;

	if (t->kind != FE_NAME)
		return false;
	if (next->kind == FE_OPEN || at_update(next))
		return true;
	if (next->kind == FE_NAME && (fe_parse_is_word(t, "param") ||
	    fe_parse_is_word(t, "tensor") || fe_parse_is_word(t, "out")))
		return true;
	return fe_parse_is_word(t, "assume") && next->kind != FE_EQUALS;
}

/* A new tensor named by the token "name", in the order of the text.
 *
 * What has no type yet gets one when it is bound. The file has index notation
 * from the first tensor on.
 */
static struct fe_tensor *add_tensor(struct fe_parser *p,
	const struct fe_token *name)
{
	struct fe_tensor *t = fe_arena_alloc(&p->unit->arena, sizeof(*t));

	t->symbol = name->symbol;
	t->loc = name->loc;
	t->order = p->order;
	t->update = POLY_OP_NONE;
	t->type = POLY_N_TYPE;
	*p->tensor_tail = t;
	/* Lists are added to at their end, so that they are in the order of the
	 * text.
	 */
	p->tensor_tail = &t->next;
	p->unit->indexed = true;
	return t;
}

/* -------------------------------------------------------------- declared */

/* The type at the current token.
 *
 * Only names of types may stand there; another name is reported as what it is.
 */
static bool parse_type(struct fe_parser *p, enum poly_type *type)
{
	const struct fe_token *t = p->token;
	char text[FE_ADVICE];

	if (!fe_parse_expect(p, FE_NAME))
		return false;
	*type = poly_type_find(t->symbol->name);
	if (*type != POLY_N_TYPE)
		return true;
	FE_REPORT(p->unit, FE_TYPE_NAME, &t->loc, t->symbol->name,
		poly_type_names(), fe_advice(FE_AT_TYPE, t->symbol->name, text));
	return false;
}

/* Sizes in brackets, if there are any.
 *
 *	tensor f32 X(S, B), y, z();
 *
 * A scalar has no brackets or empty ones.
 */
static bool parse_sizes(struct fe_parser *p, struct fe_tensor *t)
{
	if (!fe_parse_accept(p, FE_OPEN) || fe_parse_accept(p, FE_CLOSE))
		return true;
	do {
		struct fe_scalar *size = fe_parse_scalar(p);

		if (!size)
			return false;
		if (t->rank == FE_MAX_RANK) {
			FE_REPORT(p->unit, FE_RANK, &size->loc, FE_MAX_RANK);
			return false;
		}
		t->size[t->rank++] = size;
	} while (fe_parse_accept(p, FE_COMMA));
	return fe_parse_expect(p, FE_CLOSE);
}

/* The semicolon behind names that commas separate. */
static bool end_list(struct fe_parser *p)
{
	if (!fe_parse_at(p, FE_NAME))
		return fe_parse_expect(p, FE_SEMICOLON);
	fe_parse_expected(p, "',' or ';'");
	return false;
}

/* "tensor f32 X(S,B,F), y;", behind the word.
 *
 * Each name after the type is an input of that type.
 */
static bool parse_tensors(struct fe_parser *p)
{
	enum poly_type type;

	if (!parse_type(p, &type))
		return false;
	do {
		const struct fe_token *name = fe_parse_expect_name(p);
		struct fe_tensor *t;

		if (!name)
			return false;
		t = add_tensor(p, name);
		t->is_input = true;
		t->has_type = true;
		t->type = type;
		if (!parse_sizes(p, t))
			return false;
	} while (fe_parse_accept(p, FE_COMMA));
	return end_list(p);
}

/* "param M, N;", behind the word.
 *
 * A parameter is a declaration like that of a matrix language's sizes, and goes
 * into the same list.
 */
static bool parse_params(struct fe_parser *p)
{
	do {
		const struct fe_token *name = fe_parse_expect_name(p);
		struct fe_decl *d;

		if (!name)
			return false;
		d = fe_arena_alloc(&p->unit->arena, sizeof(*d));
		d->is_param = true;
		d->symbol = name->symbol;
		d->loc = name->loc;
		*p->decl_tail = d;
		p->decl_tail = &d->next;
	} while (fe_parse_accept(p, FE_COMMA));
	return fe_parse_at(p, FE_NAME) ? end_list(p) : fe_parse_end_sizes(p);
}

/* "assume N >= 3, M <= N;", behind the word.
 *
 * The tail moves to the end of what was read: a later "assume" adds to it.
 */
static bool parse_assume(struct fe_parser *p)
{
	struct fe_scalar *c;

	if (!fe_parse_conditions(p, p->assume_tail))
		return false;
	for (c = *p->assume_tail; c; c = c->next)
		p->assume_tail = &c->next;
	p->unit->indexed = true;
	return fe_parse_expect(p, FE_SEMICOLON);
}

/* ------------------------------------------------------------ definitions */

/* Advice where "out" and the name of "t" are no definition. */
static const char *no_brackets(const struct fe_parser *p, const struct fe_tensor *t)
{
	if (poly_type_find(t->symbol->name) != POLY_N_TYPE && fe_parse_at(p, FE_NAME))
		return "; an output has the type of its value, as in out y(i) = "
			"f16(2*x(i))";
	return fe_parse_at(p, FE_SEMICOLON) ? "; an output is a definition with out "
		"in front of it, as in out y(i) = 2*x(i)" : "";
}

/* The indices of a definition. A scalar has empty brackets or none: then a matrix is
 * defined unless "out" or an update tells them apart.
 *
 *	y(i, j) = ..	s() = ..	out s = ..	s += ..
 *
 * The indices are names alone: what a definition defines is a whole box. The
 * update of a single element has another form (fe_parse_update).
 */
static bool parse_indices(struct fe_parser *p, struct fe_tensor *t)
{
	if (at_update(p->token) || (t->is_out && fe_parse_at(p, FE_EQUALS)))
		return true;
	if (!fe_parse_accept(p, FE_OPEN)) {
		fe_parse_expected_but(p, "'('", t->is_out ? no_brackets(p, t) : "");
		return false;
	}
	if (fe_parse_accept(p, FE_CLOSE))
		return true;
	do {
		const struct fe_token *name = fe_parse_expect_name(p);

		if (!name)
			return false;
		if (t->rank == FE_MAX_RANK) {
			FE_REPORT(p->unit, FE_RANK, &name->loc, FE_MAX_RANK);
			return false;
		}
		fe_parse_add_index(p, &t->scope, name);
		t->rank++;
	} while (fe_parse_accept(p, FE_COMMA));
	return fe_parse_expect(p, FE_CLOSE);
}

/* "=", "+=", "*=", "min=" or "max=".
 *
 * An update may use indices that the left side has not: "open" says so.
 *
 *	y(i) += x(i, j)
 *
 * "min" and "max" are words, and the "=" behind them is a token of its own.
 */
static bool parse_assignment(struct fe_parser *p, struct fe_tensor *t)
{
	if (fe_parse_accept(p, FE_EQUALS))
		return true;
	if (fe_parse_accept(p, FE_PLUS_EQUALS))
		t->update = POLY_OP_ADD;
	else if (fe_parse_accept(p, FE_STAR_EQUALS))
		t->update = POLY_OP_MUL;
	else if (fe_parse_accept_word(p, "min"))
		t->update = POLY_OP_MIN;
	else if (fe_parse_accept_word(p, "max"))
		t->update = POLY_OP_MAX;
	t->scope.open = t->update != POLY_OP_NONE;
	if (t->update == POLY_OP_ADD || t->update == POLY_OP_MUL)
		return true;
	return fe_parse_expect(p, FE_EQUALS);
}

/* One piece of a case, up to its semicolon.
 *
 * "else" is a name elsewhere, and here only if a colon follows.
 */
static bool parse_piece(struct fe_parser *p, struct fe_piece *piece)
{
	piece->loc = p->token->loc;
	if (fe_parse_at_word(p, "else") &&
	    p->token->next->kind == FE_COLON) {
		fe_parse_advance(p);
	} else {
		piece->condition = fe_parse_condition(p);
		if (!piece->condition)
			return false;
	}
	if (!fe_parse_expect(p, FE_COLON))
		return false;
	piece->value = fe_parse_scalar(p);
	return piece->value && fe_parse_expect(p, FE_SEMICOLON);
}

/* "case { i == 0: a; else: b; }", behind the word.
 *
 * "else" has no condition, and ends the case.
 */
static bool parse_case(struct fe_parser *p, struct fe_tensor *t)
{
	struct fe_piece **tail = &t->piece, *piece;

	if (!fe_parse_expect(p, FE_OPEN_BRACE))
		return false;
	do {
		piece = fe_arena_alloc(&p->unit->arena, sizeof(*piece));
		if (!parse_piece(p, piece))
			return false;
		*tail = piece;
		tail = &piece->next;
		if (!piece->condition)
			break;
	} while (!fe_parse_at(p, FE_CLOSE_BRACE));
	if (!fe_parse_expect(p, FE_CLOSE_BRACE))
		return false;
	/* Behind the brace a semicolon ends an item again, where the parser
	 * goes on after an error.
	 */
	p->in_case = false;
	return true;
}

/* The value of a definition: one expression, or a case, which updates cannot
 * have.
 *
 * A definition with one expression is a single piece without a condition, so
 * that what comes later has one form to handle.
 */
static bool parse_value(struct fe_parser *p, struct fe_tensor *t)
{
	if (fe_parse_at_word(p, "case") &&
	    p->token->next->kind == FE_OPEN_BRACE) {
		p->in_case = true;
		if (t->scope.open) {
			fe_parse_expected(p, "an expression");
			return false;
		}
		fe_parse_advance(p);
		return parse_case(p, t);
	}
	t->piece = fe_arena_alloc(&p->unit->arena, sizeof(*t->piece));
	t->piece->loc = p->token->loc;
	t->piece->value = fe_parse_scalar(p);
	return t->piece->value != NULL;
}

/* A definition, at its name. It takes its place even if what follows is
 * wrong, so that uses of its name are no further errors.
 *
 *	out y(i) for i > 0 = x(i - 1);
 *
 * An update of single elements is told by the form of its left side, and is
 * read elsewhere.
 */
static bool parse_definition(struct fe_parser *p, bool is_out)
{
	const struct fe_token *name = fe_parse_expect_name(p);
	struct fe_tensor *t;

	if (!name)
		return false;
	p->nesting = 0;
	if (fe_parse_at_update(p))
		return fe_parse_update(p, name, is_out);
	t = add_tensor(p, name);
	t->is_out = is_out;
	if (++p->unit->ast->n_indexed > FE_MAX_DEFINITION) {
		FE_REPORT(p->unit, FE_DEFINITIONS, &t->loc,
			FE_MAX_DEFINITION);
		/* Too many: the rest of the file is not read, so that this is
		 * said once.
		 */
		p->done = true;
		return true;
	}
	if (!parse_indices(p, t))
		return false;
	if (fe_parse_accept_word(p, "for") &&
	    !fe_parse_conditions(p, &t->scope.condition))
		return false;
	return parse_assignment(p, t) && parse_value(p, t) &&
		fe_parse_expect(p, FE_SEMICOLON);
}

/* ------------------------------------------------------------------ calls */

/* A call looks like a definition up to its brackets. What follows these
 * decides.
 */

/* What stands behind the brackets that follow the current token; NULL if none
 * do, or they do not close.
 *
 * The tokens in between are skipped over, brackets in brackets counted.
 */
static const struct fe_token *behind_brackets(const struct fe_parser *p)
{
	const struct fe_token *t = p->token->next;
	int depth = 0;

	if (t->kind != FE_OPEN)
		return NULL;
	for (; t->next && t->kind != FE_SEMICOLON; t = t->next) {
		depth += t->kind == FE_OPEN;
		depth -= t->kind == FE_CLOSE;
		if (!depth)
			return t->next;
	}
	return NULL;
}

/* The nest that the current token names, or NULL.
 *
 * Nests have been read before the first item: they are known by name.
 */
static struct fe_nest *nest_at(const struct fe_parser *p)
{
	struct fe_nest *n;

	for (n = p->unit->nest; n; n = n->next)
		if (n->symbol == p->token->symbol)
			break;
	return n;
}

/* Does an assumption begin at the current token? "assume(i) = .." defines what
 * has that name, and "assume(x);" may be a call of a nest.
 *
 * The words that may follow the brackets of a definition are tested one by one.
 */
static bool at_assume(const struct fe_parser *p)
{
	const struct fe_token *t = behind_brackets(p);

	if (!fe_parse_at_word(p, "assume"))
		return false;
	if (!t)
		return true;
	return t->kind != FE_EQUALS && t->kind != FE_PLUS_EQUALS &&
		t->kind != FE_STAR_EQUALS && !fe_parse_is_word(t, "for") &&
		!fe_parse_is_word(t, "min") && !fe_parse_is_word(t, "max") &&
		!nest_at(p);
}

/* Does a call begin at the current token? One of something else looks like it,
 * too: it ends behind the brackets.
 *
 * Whether the name is a nest is asked later, so that a call of something else
 * is reported as that.
 */
static bool at_call(const struct fe_parser *p)
{
	const struct fe_token *t = behind_brackets(p);

	return t && t->kind == FE_SEMICOLON && !at_assume(p);
}

/* The same; NULL, having reported. */
static struct fe_nest *find_nest(struct fe_parser *p)
{
	struct fe_nest *n = nest_at(p);

	if (!n)
		FE_REPORT(p->unit, FE_NO_NEST, &p->token->loc,
			p->token->symbol->name);
	return n;
}

/* The arguments of the call of a nest, with both brackets; false, having
 * reported.
 *
 * Arguments are expressions; which of them are arrays the binding tells.
 */
static bool parse_arguments(struct fe_parser *p, struct fe_call *c)
{
	struct fe_arg **tail = &c->arg, *a;

	if (!fe_parse_expect(p, FE_OPEN))
		return false;
	if (fe_parse_accept(p, FE_CLOSE))
		return true;
	do {
		a = fe_arena_alloc(&p->unit->arena, sizeof(*a));
		a->value = fe_parse_scalar(p);
		if (!a->value)
			return false;
		*tail = a;
		tail = &a->next;
		c->n_arg++;
	} while (fe_parse_accept(p, FE_COMMA));
	return fe_parse_expect(p, FE_CLOSE);
}

/* "f(N, x);"
 *
 * Calls stand in the list in the order of the text, since each sees what those
 * before it wrote. They count with the definitions towards the limit.
 */
static bool parse_call(struct fe_parser *p)
{
	struct fe_call *c = fe_arena_alloc(&p->unit->arena, sizeof(*c));
	struct fe_call **last = &p->unit->call;

	c->nest = find_nest(p);
	c->loc = p->token->loc;
	c->order = p->order;
	p->nesting = 0;
	fe_parse_advance(p);
	if (!c->nest || !parse_arguments(p, c))
		return false;
	while (*last)
		last = &(*last)->next;
	*last = c;
	p->unit->indexed = true;
	if (++p->unit->ast->n_indexed > FE_MAX_DEFINITION) {
		FE_REPORT(p->unit, FE_DEFINITIONS, &c->loc, FE_MAX_DEFINITION);
		p->done = true;
	}
	return fe_parse_expect(p, FE_SEMICOLON);
}

/* The word is looked at behind the test for a call: "param(x);" may call a nest
 * named "param".
 */
bool fe_parse_index_item(struct fe_parser *p)
{
	const struct fe_token *t = p->token;

	if (at_call(p))
		return parse_call(p);
	if (at_update(t->next))
		return parse_definition(p, false);
	if (t->next->kind != FE_OPEN || at_assume(p)) {
		fe_parse_advance(p);
		if (fe_parse_is_word(t, "param"))
			return parse_params(p);
		if (fe_parse_is_word(t, "tensor"))
			return parse_tensors(p);
		if (fe_parse_is_word(t, "assume"))
			return parse_assume(p);
		return parse_definition(p, true);
	}
	return parse_definition(p, false);
}
