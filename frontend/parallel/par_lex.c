/* Data-parallel functions: text to tokens. What cannot be a token is reported and
 * stays in the list, so that the parser knows of the complaint.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/parallel/parallel.h"

static const struct {
	const char *text;
	bool is_word, is_mark;
} spelling[FE_PAR_N_TOKEN] = {
#define TOKEN(id, text) { text, false, false },
#define WORD(id, text) { text, true, false },
#define MARK(id, text) { text, false, true },
#include "frontend/parallel/par_token.def"
#undef TOKEN
#undef WORD
#undef MARK
};

struct par_lexer {
	struct fe_unit *unit;
	const char *p, *end, *line_start;
	int line;
	int bad_line;		/* the last one with a byte that is none */
	struct fe_par_token **tail;
};

/* What messages call "kind". */
const char *fe_par_token_name(enum fe_par_token_kind kind)
{
	return spelling[kind].text;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_start(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_part(char c)
{
	return is_start(c) || is_digit(c);
}

/* The byte "n" behind the current one, or NUL behind the end. */
static char peek(const struct par_lexer *lx, size_t n)
{
	return (size_t)(lx->end - lx->p) > n ? lx->p[n] : '\0';
}

static struct poly_loc here(const struct par_lexer *lx, size_t len)
{
	return (struct poly_loc) {
		.line = lx->line,
		.col = (int)(lx->p - lx->line_start) + 1,
		.len = (int)len,
	};
}

static void skip_byte(struct par_lexer *lx)
{
	if (*lx->p++ == '\n') {
		lx->line++;
		lx->line_start = lx->p;
	}
}

/* Skip a comment that may contain comments. */
static void skip_comment(struct par_lexer *lx)
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
static void skip_space(struct par_lexer *lx)
{
	while (lx->p < lx->end) {
		if (*lx->p && strchr(" \t\r\n\v\f", *lx->p))
			skip_byte(lx);
		else if (*lx->p == '/' && peek(lx, 1) == '/')
			while (lx->p < lx->end && *lx->p != '\n')
				skip_byte(lx);
		else if (*lx->p == '/' && peek(lx, 1) == '*')
			skip_comment(lx);
		else
			return;
	}
}

/* Append a token of the next "len" bytes and go on behind them. */
static struct fe_par_token *add(struct par_lexer *lx,
	enum fe_par_token_kind kind, size_t len)
{
	struct fe_par_token *t = fe_arena_alloc(&lx->unit->arena, sizeof(*t));

	t->kind = kind;
	t->loc = here(lx, len);
	t->text = lx->p;
	*lx->tail = t;
	lx->tail = &t->next;
	lx->p += len;
	return t;
}

/* A name or a reserved word. */
static void lex_name(struct par_lexer *lx)
{
	struct fe_par_token *t;
	size_t len = 0;
	int kind;

	while (is_part(peek(lx, len)))
		len++;
	for (kind = 0; kind < FE_PAR_N_TOKEN; kind++)
		if (spelling[kind].is_word &&
		    strlen(spelling[kind].text) == len &&
		    !memcmp(spelling[kind].text, lx->p, len))
			break;
	t = add(lx, kind < FE_PAR_N_TOKEN ? (enum fe_par_token_kind)kind :
		FE_PAR_NAME, len);
	if (t->kind != FE_PAR_NAME)
		return;
	if (len > FE_MAX_NAME) {
		FE_REPORT(lx->unit, FE_LONG_NAME, &t->loc, FE_MAX_NAME);
		t->kind = FE_PAR_BAD;
		return;
	}
	t->symbol = fe_symbol_find(lx->unit, t->text, len);
}

static size_t skip_digits(const struct par_lexer *lx, size_t len)
{
	while (is_digit(peek(lx, len)))
		len++;
	return len;
}

/* The length of the fraction and the exponent that stand "len" bytes from here. */
static size_t skip_rest(const struct par_lexer *lx, size_t len)
{
	size_t n;

	if (peek(lx, len) == '.')
		len = skip_digits(lx, len + 1);
	if (peek(lx, len) != 'e' && peek(lx, len) != 'E')
		return len;
	n = peek(lx, len + 1) == '+' || peek(lx, len + 1) == '-' ? 2 : 1;
	return is_digit(peek(lx, len + n)) ? skip_digits(lx, len + n) : len;
}

/* The bytes of the number that begins here, and whether it is "0x..". */
static size_t number_length(const struct par_lexer *lx, bool *hex)
{
	size_t len = 2;

	*hex = peek(lx, 0) == '0' && (peek(lx, 1) == 'x' || peek(lx, 1) == 'X');
	if (!*hex)
		return skip_rest(lx, skip_digits(lx, 0));
	while (peek(lx, len) && strchr("0123456789abcdefABCDEF", peek(lx, len)))
		len++;
	return len;
}

/* A number: digits, perhaps with a fraction or an exponent, or hexadecimal ones. */
static void lex_number(struct par_lexer *lx)
{
	struct fe_par_token *t;
	char text[64];
	bool hex;
	size_t len = number_length(lx, &hex), tail = len, i;

	while (is_part(peek(lx, tail)))
		tail++;
	t = add(lx, FE_PAR_NUMBER, tail);
	t->hex = hex;
	t->whole = true;
	for (i = 0; i < len && !hex; i++)
		t->whole &= is_digit(t->text[i]);
	if (tail > len || len >= sizeof(text) || (hex && len == 2)) {
		t->kind = FE_PAR_BAD;
		FE_REPORT(lx->unit, FE_NUMBER_FORM, &t->loc,
			(int)(tail < 40 ? tail : 40), t->text);
		return;
	}
	memcpy(text, t->text, len);
	text[len] = '\0';
	t->value = strtod(text, NULL);
	if (t->whole && t->value > 9007199254740992.0) {
		t->kind = FE_PAR_BAD;
		FE_REPORT(lx->unit, FE_LARGE, &t->loc);
	}
}

/* A byte that no token begins with, or a row of bytes that are not ASCII. Of one
 * line the first is told.
 */
static void lex_bad(struct par_lexer *lx)
{
	unsigned char c = (unsigned char)*lx->p;
	struct fe_par_token *t;
	char text[16];
	size_t len = 1;

	while (c >= 0x80 && (unsigned char)peek(lx, len) >= 0x80)
		len++;
	if (c > ' ' && c < 0x7f)
		snprintf(text, sizeof(text), "'%c'", c);
	else
		snprintf(text, sizeof(text), "byte 0x%02x", c);
	t = add(lx, FE_PAR_BAD, len);
	if (t->loc.line != lx->bad_line)
		FE_REPORT(lx->unit, FE_CHARACTER, &t->loc, text, "");
	lx->bad_line = t->loc.line;
}

/* The mark that the text begins with, or FE_PAR_N_TOKEN. */
static int find_mark(const struct par_lexer *lx)
{
	size_t left = (size_t)(lx->end - lx->p), len;
	int kind;

	for (kind = 0; kind < FE_PAR_N_TOKEN; kind++) {
		len = strlen(spelling[kind].text);
		if (spelling[kind].is_mark && len <= left &&
		    !memcmp(spelling[kind].text, lx->p, len))
			break;
	}
	return kind;
}

static void lex_token(struct par_lexer *lx)
{
	int mark;

	if (is_start(*lx->p))
		lex_name(lx);
	else if (is_digit(*lx->p) || (*lx->p == '.' && is_digit(peek(lx, 1))))
		lex_number(lx);
	else if ((mark = find_mark(lx)) != FE_PAR_N_TOKEN)
		add(lx, (enum fe_par_token_kind)mark,
			strlen(spelling[mark].text));
	else
		lex_bad(lx);
}

struct fe_par_token *fe_par_lex(struct fe_unit *u)
{
	struct fe_par_token *first = NULL;
	struct par_lexer lx = {
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
	add(&lx, FE_PAR_END, 0);
	return first;
}
