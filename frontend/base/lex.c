/* Text to tokens.
 *
 * The whole text becomes a list before the parser looks at it. What cannot be
 * a token is reported here and stays in the list as FE_BAD, so that the
 * parser knows that the place has been complained about.
 */
#include <string.h>

#include "frontend/base/base.h"

static const struct {
	const char *text;
	bool is_word, is_mark;
} spelling[FE_N_TOKEN] = {
#define TOKEN(id, text) { text, false, false },
#define WORD(id, text) { text, true, false },
#define MARK(id, text) { text, false, true },
#include "frontend/base/token.def"
#undef TOKEN
#undef WORD
#undef MARK
};

/* A text that is read, and where its next token goes. */
struct lexer {
	struct fe_cursor at;
	struct fe_token **tail;
};

/* What messages call "kind". */
const char *fe_token_name(enum fe_token_kind kind)
{
	return spelling[kind].text;
}

/* Append a token of the next "len" bytes and go on behind them. */
static struct fe_token *add(struct lexer *lx, enum fe_token_kind kind,
	size_t len)
{
	struct fe_token *t = fe_arena_alloc(&lx->at.unit->arena, sizeof(*t));

	t->kind = kind;
	t->loc = fe_here(&lx->at, len);
	t->text = lx->at.p;
	*lx->tail = t;
	lx->tail = &t->next;
	lx->at.p += len;
	return t;
}

/* A name or a reserved word. */
static void lex_name(struct lexer *lx)
{
	struct fe_token *t;
	size_t len = 0;
	int kind;

	while (fe_is_name_part(fe_peek(&lx->at, len)))
		len++;
	for (kind = 0; kind < FE_N_TOKEN; kind++)
		if (spelling[kind].is_word &&
			strlen(spelling[kind].text) == len &&
			!memcmp(spelling[kind].text, lx->at.p, len))
			break;
	t = add(lx, kind < FE_N_TOKEN ? (enum fe_token_kind)kind : FE_NAME,
		len);
	if (t->kind != FE_NAME)
		return;
	if (len > FE_MAX_NAME) {
		FE_REPORT(lx->at.unit, FE_LONG_NAME, &t->loc, FE_MAX_NAME);
		t->kind = FE_BAD;
		return;
	}
	t->symbol = fe_symbol_find(lx->at.unit, t->text, len);
}

/* The length of the exponent that stands "len" bytes from here, or 0. */
static size_t exponent_length(const struct lexer *lx, size_t len)
{
	size_t n = 1;

	if (fe_peek(&lx->at, len) != 'e' && fe_peek(&lx->at, len) != 'E')
		return 0;
	if (fe_peek(&lx->at, len + 1) == '+' || fe_peek(&lx->at, len + 1) == '-')
		n++;
	if (!fe_is_digit(fe_peek(&lx->at, len + n)))
		return 0;
	return fe_digits(&lx->at, len + n) - len;
}

/* A number: digits, a fraction, an exponent. "2.*A" is "2 .* A". */
static void lex_number(struct lexer *lx)
{
	struct fe_token *t;
	size_t len = fe_digits(&lx->at, 0), tail;

	if (fe_peek(&lx->at, len) == '.' && fe_peek(&lx->at, len + 1) != '*')
		len = fe_digits(&lx->at, len + 1);
	len += exponent_length(lx, len);
	tail = len;
	while (fe_is_name_part(fe_peek(&lx->at, tail)) ||
		(fe_peek(&lx->at, tail) == '.' && fe_peek(&lx->at, tail + 1) != '*'))
		tail++;
	t = add(lx, FE_NUMBER, tail);
	if (tail == len)
		return;
	t->kind = FE_BAD;
	FE_REPORT(lx->at.unit, FE_NUMBER_FORM, &t->loc,
		(int)(tail < 40 ? tail : 40), t->text,
		len < tail && memmem(t->text, tail, "..", 2) ?
		"; a range is written as in 0 <= i < 5" : "");
}

/* The mark that the text begins with, or FE_N_TOKEN. */
static enum fe_token_kind find_mark(const struct lexer *lx)
{
	size_t left = (size_t)(lx->at.end - lx->at.p), len;
	int kind;

	if (fe_peek(&lx->at, 0) == '^' && fe_is_name_part(fe_peek(&lx->at, 2)))
		return FE_N_TOKEN;
	for (kind = 0; kind < FE_N_TOKEN; kind++) {
		len = strlen(spelling[kind].text);
		if (spelling[kind].is_mark && len <= left &&
			!memcmp(spelling[kind].text, lx->at.p, len))
			break;
	}
	return (enum fe_token_kind)kind;
}

/* What the byte may have been meant for. */
static const char *advice(char c)
{
	if (c == '^')
		return "; transposition is ^T, ' or transpose(), a power pow(x, y)";
	if (c == '@')
		return "; a product of matrices is A * B";
	return c == '[' ? "; elements are read as in A(i,j)" : "";
}

/* A byte that no token begins with, or a row of bytes that are not ASCII. Of one
 * line the first is told.
 */
static void lex_bad(struct lexer *lx)
{
	char c = *lx->at.p;
	struct fe_token *t = add(lx, FE_BAD, fe_bad_bytes(&lx->at));

	fe_report_bytes(&lx->at, &t->loc, c, advice(c));
}

/* Add the token at the place where the lexer is, or report what is none. */
static void lex_token(struct lexer *lx)
{
	enum fe_token_kind mark;

	if (fe_is_name_start(*lx->at.p))
		lex_name(lx);
	else if (fe_is_digit(*lx->at.p) || (*lx->at.p == '.' && fe_is_digit(fe_peek(&lx->at, 1))))
		lex_number(lx);
	else if ((mark = find_mark(lx)) != FE_N_TOKEN)
		add(lx, mark, strlen(spelling[mark].text));
	else
		lex_bad(lx);
}

struct fe_token *fe_lex(struct fe_unit *u)
{
	struct fe_token *first = NULL;
	struct lexer lx = { .at = fe_cursor_begin(u), .tail = &first };

	for (;;) {
		fe_skip_space(&lx.at, true);
		if (lx.at.p == lx.at.end)
			break;
		lex_token(&lx);
	}
	add(&lx, FE_END, 0);
	return first;
}
