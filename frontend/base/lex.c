/* Text to tokens.
 *
 * The whole text becomes a list before the parser looks at it. What cannot be
 * a token is reported here and stays in the list as FE_BAD, so that the
 * parser knows that the place has been complained about.
 */
#include <stdio.h>
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

struct lexer {
	struct fe_unit *unit;
	const char *p, *end;
	const char *line_start;
	int line;
	int bad_line;		/* the last one with a byte that is none */
	struct fe_token **tail;
};

/* What messages call "kind". */
const char *fe_token_name(enum fe_token_kind kind)
{
	return spelling[kind].text;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_name_start(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_name_part(char c)
{
	return is_name_start(c) || is_digit(c);
}

/* The byte "n" behind the current one, or NUL behind the end. */
static char peek(const struct lexer *lx, size_t n)
{
	return (size_t)(lx->end - lx->p) > n ? lx->p[n] : '\0';
}

/* The place of the "len" bytes from here. */
static struct poly_loc here(const struct lexer *lx, size_t len)
{
	return (struct poly_loc) {
		.line = lx->line,
		.col = (int)(lx->p - lx->line_start) + 1,
		.len = (int)len,
	};
}

/* Go on behind the current byte, counting lines. */
static void skip_byte(struct lexer *lx)
{
	if (*lx->p++ == '\n') {
		lx->line++;
		lx->line_start = lx->p;
	}
}

static void skip_line(struct lexer *lx)
{
	while (lx->p < lx->end && *lx->p != '\n')
		skip_byte(lx);
}

/* Skip a comment that may contain comments. */
static void skip_comment(struct lexer *lx)
{
	struct poly_loc loc = here(lx, 2);
	int depth = 0;

	while (lx->p < lx->end) {
		bool open = peek(lx, 0) == '/' && peek(lx, 1) == '*';
		bool close = peek(lx, 0) == '*' && peek(lx, 1) == '/';

		skip_byte(lx);
		if (open || close)
			skip_byte(lx);
		depth += open - close;
		if (!depth)
			return;
	}
	FE_REPORT(lx->unit, FE_COMMENT, &loc);
}

/* Skip blanks and comments. */
static void skip_space(struct lexer *lx)
{
	while (lx->p < lx->end) {
		if (strchr(" \t\r\n\v\f", *lx->p) && *lx->p)
			skip_byte(lx);
		else if (*lx->p == '#')
			skip_line(lx);
		else if (*lx->p == '/' && peek(lx, 1) == '/')
			skip_line(lx);
		else if (*lx->p == '/' && peek(lx, 1) == '*')
			skip_comment(lx);
		else
			return;
	}
}

/* Append a token of the next "len" bytes and go on behind them. */
static struct fe_token *add(struct lexer *lx, enum fe_token_kind kind,
	size_t len)
{
	struct fe_token *t = fe_arena_alloc(&lx->unit->arena, sizeof(*t));

	t->kind = kind;
	t->loc = here(lx, len);
	t->text = lx->p;
	*lx->tail = t;
	lx->tail = &t->next;
	lx->p += len;
	return t;
}

/* A name or a reserved word. */
static void lex_name(struct lexer *lx)
{
	struct fe_token *t;
	size_t len = 0;
	int kind;

	while (is_name_part(peek(lx, len)))
		len++;
	for (kind = 0; kind < FE_N_TOKEN; kind++)
		if (spelling[kind].is_word &&
			strlen(spelling[kind].text) == len &&
			!memcmp(spelling[kind].text, lx->p, len))
			break;
	t = add(lx, kind < FE_N_TOKEN ? (enum fe_token_kind)kind : FE_NAME,
		len);
	if (t->kind != FE_NAME)
		return;
	if (len > FE_MAX_NAME) {
		FE_REPORT(lx->unit, FE_LONG_NAME, &t->loc, FE_MAX_NAME);
		t->kind = FE_BAD;
		return;
	}
	t->symbol = fe_symbol_find(lx->unit, t->text, len);
}

static size_t skip_digits(const struct lexer *lx, size_t len)
{
	while (is_digit(peek(lx, len)))
		len++;
	return len;
}

/* The length of the exponent that stands "len" bytes from here, or 0. */
static size_t exponent_length(const struct lexer *lx, size_t len)
{
	size_t n = 1;

	if (peek(lx, len) != 'e' && peek(lx, len) != 'E')
		return 0;
	if (peek(lx, len + 1) == '+' || peek(lx, len + 1) == '-')
		n++;
	if (!is_digit(peek(lx, len + n)))
		return 0;
	return skip_digits(lx, len + n) - len;
}

/* A number: digits, a fraction, an exponent. "2.*A" is "2 .* A". */
static void lex_number(struct lexer *lx)
{
	struct fe_token *t;
	size_t len = skip_digits(lx, 0), tail;

	if (peek(lx, len) == '.' && peek(lx, len + 1) != '*')
		len = skip_digits(lx, len + 1);
	len += exponent_length(lx, len);
	tail = len;
	while (is_name_part(peek(lx, tail)) ||
		(peek(lx, tail) == '.' && peek(lx, tail + 1) != '*'))
		tail++;
	t = add(lx, FE_NUMBER, tail);
	if (tail == len)
		return;
	t->kind = FE_BAD;
	FE_REPORT(lx->unit, FE_NUMBER_FORM, &t->loc,
		(int)(tail < 40 ? tail : 40), t->text);
}

/* The mark that the text begins with, or FE_N_TOKEN. */
static enum fe_token_kind find_mark(const struct lexer *lx)
{
	size_t left = (size_t)(lx->end - lx->p), len;
	int kind;

	if (peek(lx, 0) == '^' && is_name_part(peek(lx, 2)))
		return FE_N_TOKEN;
	for (kind = 0; kind < FE_N_TOKEN; kind++) {
		len = strlen(spelling[kind].text);
		if (spelling[kind].is_mark && len <= left &&
			!memcmp(spelling[kind].text, lx->p, len))
			break;
	}
	return (enum fe_token_kind)kind;
}

/* What the byte may have been meant for. */
static const char *advice(unsigned char c)
{
	if (c == '^')
		return "; transposition is ^T, ' or transpose()";
	return c == '[' ? "; elements are read as in A(i,j)" : "";
}

/* A byte that no token begins with, or a row of bytes that are not ASCII. Of one
 * line the first is told.
 */
static void lex_bad(struct lexer *lx)
{
	char text[16];
	unsigned char c = (unsigned char)*lx->p;
	size_t len = 1;
	struct fe_token *t;

	while (c >= 0x80 && (unsigned char)peek(lx, len) >= 0x80)
		len++;
	if (c > ' ' && c < 0x7f)
		snprintf(text, sizeof(text), "'%c'", c);
	else
		snprintf(text, sizeof(text), "byte 0x%02x", c);
	t = add(lx, FE_BAD, len);
	if (t->loc.line != lx->bad_line)
		FE_REPORT(lx->unit, FE_CHARACTER, &t->loc, text, advice(c));
	lx->bad_line = t->loc.line;
}

static void lex_token(struct lexer *lx)
{
	enum fe_token_kind mark;

	if (is_name_start(*lx->p))
		lex_name(lx);
	else if (is_digit(*lx->p) || (*lx->p == '.' && is_digit(peek(lx, 1))))
		lex_number(lx);
	else if ((mark = find_mark(lx)) != FE_N_TOKEN)
		add(lx, mark, strlen(spelling[mark].text));
	else
		lex_bad(lx);
}

struct fe_token *fe_lex(struct fe_unit *u)
{
	struct fe_token *first = NULL;
	struct lexer lx = {
		.unit = u,
		.p = u->text,
		.end = u->text + u->len,
		.line = 1,
		.tail = &first,
	};

	if (u->len >= 3 && !memcmp(u->text, "\xef\xbb\xbf", 3))
		lx.p += 3;
	lx.line_start = lx.p;
	for (;;) {
		skip_space(&lx);
		if (lx.p == lx.end)
			break;
		lex_token(&lx);
	}
	add(&lx, FE_END, 0);
	return first;
}
