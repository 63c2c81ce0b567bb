/* Data-parallel functions: text to tokens. What cannot be a token is reported and
 * stays in the list, so that the parser knows of the complaint.
 */
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

/* A text that is read, and where its next token goes. */
struct par_lexer {
	struct fe_cursor at;
	struct fe_par_token **tail;
};

/* What messages call "kind". */
const char *fe_par_token_name(enum fe_par_token_kind kind)
{
	return spelling[kind].text;
}

/* Append a token of the next "len" bytes and go on behind them. */
static struct fe_par_token *add(struct par_lexer *lx,
	enum fe_par_token_kind kind, size_t len)
{
	struct fe_par_token *t = fe_arena_alloc(&lx->at.unit->arena, sizeof(*t));

	t->kind = kind;
	t->loc = fe_here(&lx->at, len);
	t->text = lx->at.p;
	*lx->tail = t;
	lx->tail = &t->next;
	lx->at.p += len;
	return t;
}

/* A name or a reserved word. */
static void lex_name(struct par_lexer *lx)
{
	struct fe_par_token *t;
	size_t len = 0;
	int kind;

	while (fe_is_name_part(fe_peek(&lx->at, len)))
		len++;
	for (kind = 0; kind < FE_PAR_N_TOKEN; kind++)
		if (spelling[kind].is_word &&
		    strlen(spelling[kind].text) == len &&
		    !memcmp(spelling[kind].text, lx->at.p, len))
			break;
	t = add(lx, kind < FE_PAR_N_TOKEN ? (enum fe_par_token_kind)kind :
		FE_PAR_NAME, len);
	if (t->kind != FE_PAR_NAME)
		return;
	if (len > FE_MAX_NAME) {
		FE_REPORT(lx->at.unit, FE_LONG_NAME, &t->loc, FE_MAX_NAME);
		t->kind = FE_PAR_BAD;
		return;
	}
	t->symbol = fe_symbol_find(lx->at.unit, t->text, len);
}

/* The length of the fraction and the exponent that stand "len" bytes from here. */
static size_t skip_rest(const struct par_lexer *lx, size_t len)
{
	size_t n;

	if (fe_peek(&lx->at, len) == '.')
		len = fe_digits(&lx->at, len + 1);
	if (fe_peek(&lx->at, len) != 'e' && fe_peek(&lx->at, len) != 'E')
		return len;
	n = fe_peek(&lx->at, len + 1) == '+' || fe_peek(&lx->at, len + 1) == '-' ? 2 : 1;
	return fe_is_digit(fe_peek(&lx->at, len + n)) ? fe_digits(&lx->at, len + n) : len;
}

/* The bytes of the number that begins here, and whether it is "0x..". */
static size_t number_length(const struct par_lexer *lx, bool *hex)
{
	size_t len = 2;

	*hex = fe_peek(&lx->at, 0) == '0' && (fe_peek(&lx->at, 1) == 'x' || fe_peek(&lx->at, 1) == 'X');
	if (!*hex)
		return skip_rest(lx, fe_digits(&lx->at, 0));
	while (fe_peek(&lx->at, len) && strchr("0123456789abcdefABCDEF", fe_peek(&lx->at, len)))
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

	while (fe_is_name_part(fe_peek(&lx->at, tail)))
		tail++;
	t = add(lx, FE_PAR_NUMBER, tail);
	t->hex = hex;
	t->whole = true;
	for (i = 0; i < len && !hex; i++)
		t->whole &= fe_is_digit(t->text[i]);
	if (tail > len || len >= sizeof(text) || (hex && len == 2)) {
		t->kind = FE_PAR_BAD;
		FE_REPORT(lx->at.unit, FE_NUMBER_FORM, &t->loc,
			(int)(tail < 40 ? tail : 40), t->text, "");
		return;
	}
	memcpy(text, t->text, len);
	text[len] = '\0';
	t->value = strtod(text, NULL);
	if (t->whole && !fe_number_is_exact(t->text + 2 * hex, len - 2 * hex,
			hex ? 16 : 10)) {
		t->kind = FE_PAR_BAD;
		FE_REPORT(lx->at.unit, FE_LARGE, &t->loc);
	}
}

/* A byte that no token begins with, or a row of bytes that are not ASCII. Of one
 * line the first is told.
 */
static void lex_bad(struct par_lexer *lx)
{
	char c = *lx->at.p;
	struct fe_par_token *t = add(lx, FE_PAR_BAD, fe_bad_bytes(&lx->at));

	fe_report_bytes(&lx->at, &t->loc, c, "");
}

/* The mark that the text begins with, or FE_PAR_N_TOKEN. */
static int find_mark(const struct par_lexer *lx)
{
	size_t left = (size_t)(lx->at.end - lx->at.p), len;
	int kind;

	for (kind = 0; kind < FE_PAR_N_TOKEN; kind++) {
		len = strlen(spelling[kind].text);
		if (spelling[kind].is_mark && len <= left &&
		    !memcmp(spelling[kind].text, lx->at.p, len))
			break;
	}
	return kind;
}

static void lex_token(struct par_lexer *lx)
{
	int mark;

	if (fe_is_name_start(*lx->at.p))
		lex_name(lx);
	else if (fe_is_digit(*lx->at.p) || (*lx->at.p == '.' && fe_is_digit(fe_peek(&lx->at, 1))))
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
	struct par_lexer lx = { .at = fe_cursor_begin(u), .tail = &first };

	for (;;) {
		fe_skip_space(&lx.at, false);
		if (lx.at.p == lx.at.end)
			break;
		lex_token(&lx);
	}
	add(&lx, FE_PAR_END, 0);
	return first;
}
