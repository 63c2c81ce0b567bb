/* The parser's hands: looking at tokens, passing them, and saying what was
 * expected instead.
 *
 * All parsers have one token of look-ahead and "next" of each token for more. A
 * parser goes on to the end whatever it meets: the last token is FE_END and is
 * never passed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/base/parse.h"

/* "last" is the token that was passed, for places and names. */
void fe_parse_advance(struct fe_parser *p)
{
	p->last = p->token;
	if (p->token->next)
		p->token = p->token->next;
}

bool fe_parse_at(const struct fe_parser *p, enum fe_token_kind kind)
{
	return p->token->kind == kind;
}

/* True, and passed, if it is of that kind. */
bool fe_parse_accept(struct fe_parser *p, enum fe_token_kind kind)
{
	if (!fe_parse_at(p, kind))
		return false;
	fe_parse_advance(p);
	return true;
}

/* Words of the notation are names: "case" is a word where one is expected, and
 * a name elsewhere.
 */
bool fe_parse_is_word(const struct fe_token *t, const char *word)
{
	return t->kind == FE_NAME && !strcmp(t->symbol->name, word);
}

bool fe_parse_at_word(const struct fe_parser *p, const char *word)
{
	return fe_parse_is_word(p->token, word);
}

bool fe_parse_accept_word(struct fe_parser *p, const char *word)
{
	if (!fe_parse_at_word(p, word))
		return false;
	fe_parse_advance(p);
	return true;
}

/* "text" has room for it; tokens of more than 40 bytes are cut. */
const char *fe_parse_describe(const struct fe_token *t, char text[64])
{
	int len = t->loc.len < 40 ? t->loc.len : 40;

	if (t->kind == FE_END)
		return fe_token_name(FE_END);
	snprintf(text, 64, "'%.*s'", len, t->text);
	return text;
}

/* The place is behind the last token if that ends a line before: what is
 * missing is missing there. After a bad character the lexer has said enough.
 */
void fe_parse_expected(struct fe_parser *p, const char *what)
{
	fe_parse_expected_but(p, what, "");
}

void fe_parse_expected_but(struct fe_parser *p, const char *what, const char *advice)
{
	struct poly_loc loc = p->token->loc;
	char found[64];

	if (fe_parse_at(p, FE_BAD))
		return;
	if (p->last && p->last->loc.line < loc.line) {
		loc = p->last->loc;
		loc.col += loc.len;
		loc.len = 1;
	}
	FE_REPORT(p->unit, FE_EXPECTED, &loc, what,
		fe_parse_describe(p->token, found), advice);
}

bool fe_parse_at_power(const struct fe_parser *p)
{
	return fe_parse_at(p, FE_STAR) && p->last && p->last->kind == FE_STAR;
}

/* Passes it, or reports and leaves the token. */
bool fe_parse_expect(struct fe_parser *p, enum fe_token_kind kind)
{
	char what[32], text[FE_ADVICE];

	if (fe_parse_accept(p, kind))
		return true;
	if (kind == FE_NAME)
		snprintf(what, sizeof(what), "%s", fe_token_name(kind));
	else
		snprintf(what, sizeof(what), "'%s'", fe_token_name(kind));
	fe_parse_expected_but(p, what, !fe_parse_at(p, FE_NAME) ? "" :
		fe_advice(FE_AT_FOUND, p->token->symbol->name, text));
	return false;
}

bool fe_parse_end_sizes(struct fe_parser *p)
{
	if (!fe_parse_at(p, FE_EQUALS))
		return fe_parse_expect(p, FE_SEMICOLON);
	fe_parse_expected_but(p, "';'", "; a size has its value from outside, as in "
		"-D N=8, or is a number where it is used");
	return false;
}

/* NULL, having reported. */
struct fe_token *fe_parse_expect_name(struct fe_parser *p)
{
	return fe_parse_expect(p, FE_NAME) ? p->last : NULL;
}

/* Brackets nest FE_MAX_NESTING deep, since parsers are recursive. Each success
 * needs a "nesting--".
 */
bool fe_parse_enter(struct fe_parser *p)
{
	if (p->nesting >= FE_MAX_NESTING) {
		FE_REPORT(p->unit, FE_NESTING, &p->token->loc,
			FE_MAX_NESTING);
		return false;
	}
	p->nesting++;
	return true;
}

/* The token is a number as the lexer has found it. */
double fe_parse_number(struct fe_parser *p)
{
	double value = strtod(fe_arena_text(&p->unit->arena, p->token->text,
		(size_t)p->token->loc.len), NULL);

	fe_parse_advance(p);
	return value;
}
