/* Lines and words of the text form, and the bounds on what isl may see.
 *
 * isl's readers are recursive and trust their input: deep nesting overflows
 * the stack, powers and long numbers take forever. Every quoted text is
 * therefore checked here, character by character, before isl gets it.
 */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "polyir/base/base.h"
#include "polyir/ir/ir.h"
#include "polyir/text/text.h"

/* Report "fmt" as message "id" at "loc" unless something was reported already.
 *
 * Only the first error is told: what follows it is mostly a consequence.
 */
static bool fail(struct poly_scan *s, enum poly_msg id,
	const struct poly_loc *loc, const char *fmt, va_list ap)
{
	char text[300];

	if (!s->failed) {
		vsnprintf(text, sizeof(text), fmt, ap);
		poly_report_add(s->report, id, loc, text);
	}
	s->failed = true;
	return false;
}

/* Report at column "col" of the current line.
 *
 * For errors of characters, where there is no token yet.
 */
static bool fail_at(struct poly_scan *s, enum poly_msg id, size_t col,
	const char *fmt, ...)
{
	struct poly_loc loc = { .line = s->line, .col = (int)col, .len = 1 };
	va_list ap;

	va_start(ap, fmt);
	fail(s, id, &loc, fmt, ap);
	va_end(ap);
	return false;
}

/* False, so that a caller can return it. The place is that of the next token,
 * or of the end of the line.
 */
bool poly_scan_error(struct poly_scan *s, const char *fmt, ...)
{
	struct poly_loc loc = poly_scan_peek(s)->loc;
	va_list ap;

	va_start(ap, fmt);
	fail(s, MSG_POLY_SYNTAX, &loc, fmt, ap);
	va_end(ap);
	return false;
}

/* As poly_scan_error, with another number: the text may be right but is more
 * than the reader takes.
 */
bool poly_scan_limit(struct poly_scan *s, const char *fmt, ...)
{
	struct poly_loc loc = poly_scan_peek(s)->loc;
	va_list ap;

	va_start(ap, fmt);
	fail(s, MSG_POLY_LIMIT, &loc, fmt, ap);
	va_end(ap);
	return false;
}

/* Begin reading the "len" bytes at "text", which must stay. False, reported,
 * if the text is too long; poly_scan_free is due in any case.
 */
bool poly_scan_start(struct poly_scan *s, isl_ctx *ctx, const char *text,
	size_t len, struct poly_report *report)
{
	*s = (struct poly_scan) {
		.ctx = ctx, .report = report, .next = text, .end = text + len,
	};
	if (len <= POLY_TEXT_MAX)
		return true;
	s->line = 1;
	return fail_at(s, MSG_POLY_LIMIT, 1, "the text has more than %d bytes",
		POLY_TEXT_MAX);
}

/* Tokens and their texts are void afterwards. */
void poly_scan_free(struct poly_scan *s)
{
	free(s->buffer);
	free(s->token);
}

/* Append a token of the current line that begins at column "col".
 *
 * "width" is what it takes in the source, with quotes and escapes; "len" what
 * it means.
 */
static bool add_token(struct poly_scan *s, enum poly_token_kind kind,
	const char *text, size_t len, size_t col, size_t width)
{
	struct poly_token *bigger;
	int cap = s->cap ? 2 * s->cap : 64;

	if (s->n_token == s->cap) {
		bigger = realloc(s->token, (size_t)cap * sizeof(*bigger));
		if (!bigger)
			return fail_at(s, MSG_POLY_LIMIT, col,
				"out of memory");
		s->token = bigger;
		s->cap = cap;
	}
	s->token[s->n_token++] = (struct poly_token) {
		.kind = kind, .text = text, .len = len,
		.loc = { s->line, (int)col, (int)width },
	};
	return true;
}

/* Numbers, floats, places and names are all words; who reads one says which it
 * is.
 */
static bool is_word_char(char c)
{
	return isalnum((unsigned char)c) || (c && strchr("_.:,+-", c));
}

/* The value of a hexadecimal digit, or -1. */
static int hex_digit(char c)
{
	const char *all = "0123456789abcdef", *p = c ? strchr(all, c) : NULL;

	return p ? (int)(p - all) : -1;
}

/* Resolve the escape behind the backslash at "p" into "*to"; returns what
 * follows, or NULL if it is none.
 *
 * \", \\ and \xNN; \x00 is none, so that a text is a C string.
 */
static const char *resolve_escape(const char *p, const char *end, char *to)
{
	int high, low;

	if (end - p >= 2 && (p[1] == '"' || p[1] == '\\')) {
		*to = p[1];
		return p + 2;
	}
	if (end - p < 4 || p[1] != 'x')
		return NULL;
	high = hex_digit(p[2]);
	low = hex_digit(p[3]);
	if (high < 0 || low < 0 || high + low == 0)
		return NULL;
	*to = (char)(16 * high + low);
	return p + 4;
}

/* Read the string whose quote is at "p" into "*to", which is moved behind it.
 * Returns what follows the closing quote, or NULL, reported.
 *
 * "to" never overtakes the source, as an escape is longer than what it means.
 */
static const char *scan_string(struct poly_scan *s, const char *begin,
	const char *p, const char *end, char **to)
{
	const char *open = p++;
	char *text = *to;

	while (p && p < end && *p != '"') {
		if (*p == '\\')
			p = resolve_escape(p, end, (*to)++);
		else
			*(*to)++ = *p++;
	}
	if (!p || p == end) {
		fail_at(s, MSG_POLY_SYNTAX, (size_t)(open - begin) + 1,
			p ? "missing closing quote" : "unknown escape");
		return NULL;
	}
	*(*to)++ = '\0';
	add_token(s, POLY_TOKEN_STRING, text, (size_t)(*to - text) - 1,
		(size_t)(open - begin) + 1, (size_t)(p - open) + 1);
	return p + 1;
}

/* Read a word at "p" into "*to"; returns what follows.
 *
 * At least one character, as the caller has looked.
 */
static const char *scan_word(struct poly_scan *s, const char *begin,
	const char *p, const char *end, char **to)
{
	const char *first = p;
	char *text = *to;

	while (p < end && is_word_char(*p))
		*(*to)++ = *p++;
	*(*to)++ = '\0';
	add_token(s, POLY_TOKEN_WORD, text, (size_t)(p - first),
		(size_t)(first - begin) + 1, (size_t)(p - first));
	return p;
}

static const char *const punct[] = { ['('] = "(", [')'] = ")", ['='] = "=" };

/* Split the line from "begin" to "end" into tokens.
 *
 * Tabs are no blanks: print.c makes none, and columns are counted in bytes.
 */
static bool scan_tokens(struct poly_scan *s, const char *begin,
	const char *end)
{
	const char *p = begin + s->indent;
	char *to = s->buffer;

	while (p && p < end && !s->failed) {
		unsigned char c = (unsigned char)*p;

		if (c == ' ') {
			p++;
		} else if (c == '"') {
			p = scan_string(s, begin, p, end, &to);
		} else if (is_word_char(*p)) {
			p = scan_word(s, begin, p, end, &to);
		} else if (c < sizeof(punct) / sizeof(punct[0]) && punct[c]) {
			add_token(s, POLY_TOKEN_PUNCT, punct[c], 1,
				(size_t)(p - begin) + 1, 1);
			p++;
		} else {
			fail_at(s, MSG_POLY_SYNTAX, (size_t)(p - begin) + 1,
				"unexpected character");
		}
	}
	return !s->failed;
}

/* Set up the line from "begin" to "end"; "n_token" stays 0 if it is empty.
 *
 * A line of blanks, or a comment after "#", has no tokens.
 */
static bool open_line(struct poly_scan *s, const char *begin, const char *end)
{
	const char *p = begin;
	char *bigger;

	s->n_token = s->pos = 0;
	if (end - begin > POLY_LINE_MAX)
		return fail_at(s, MSG_POLY_LIMIT, 1,
			"the line has more than %d bytes", POLY_LINE_MAX);
	while (p < end && *p == ' ')
		p++;
	s->indent = (int)(p - begin);
	if (p == end || *p == '#')
		return true;
	/* a word takes a NUL more than it has bytes */
	bigger = realloc(s->buffer, 2 * (size_t)(end - begin) + 2);
	if (!bigger)
		return fail_at(s, MSG_POLY_LIMIT, 1, "out of memory");
	s->buffer = bigger;
	return scan_tokens(s, begin, end);
}

/* Ends the line first: a token that is left over is an error. False at the end
 * of the text, too, where "at_end" is set.
 */
bool poly_scan_line(struct poly_scan *s)
{
	const char *begin, *eol;

	if (s->failed || s->at_end)
		return false;
	if (s->pos < s->n_token)
		return poly_scan_error(s, "unexpected \"%.40s\"",
			s->token[s->pos].text);
	do {
		s->line++;
		s->n_token = s->pos = s->indent = 0;
		begin = s->next;
		if (begin == s->end) {
			s->at_end = true;
			return false;
		}
		eol = memchr(begin, '\n', (size_t)(s->end - begin));
		s->next = eol ? eol + 1 : s->end;
		if (!open_line(s, begin, eol ? eol : s->end))
			return false;
	} while (!s->n_token);
	return true;
}

/* Never NULL: behind the last token stands an empty one, whose place is the end
 * of the line, for messages.
 */
const struct poly_token *poly_scan_peek(struct poly_scan *s)
{
	const struct poly_token *last;

	if (s->pos < s->n_token)
		return &s->token[s->pos];
	s->none = (struct poly_token) {
		.text = "", .loc = { s->line, 1, 1 }
	};
	if (s->n_token) {
		last = &s->token[s->n_token - 1];
		s->none.loc.col = last->loc.col + last->loc.len;
	}
	return &s->none;
}

/* Asks for the line's first word only, and takes nothing. */
bool poly_scan_is(struct poly_scan *s, const char *word)
{
	return !s->failed && s->n_token && s->pos == 0 &&
		s->token[0].kind == POLY_TOKEN_WORD &&
		!strcmp(s->token[0].text, word);
}

/* True, and the token is taken, if it is "text". A string never is, even of the
 * same letters.
 */
bool poly_scan_accept(struct poly_scan *s, const char *text)
{
	const struct poly_token *t = poly_scan_peek(s);

	if (s->failed || strcmp(t->text, text) ||
	    (t->kind != POLY_TOKEN_WORD && t->kind != POLY_TOKEN_PUNCT))
		return false;
	s->pos++;
	return true;
}

bool poly_scan_expect(struct poly_scan *s, const char *text)
{
	return poly_scan_accept(s, text) ||
		poly_scan_error(s, "expected \"%s\"", text);
}

/* Take a token of "kind", or report that "what" is missing.
 *
 * The text is good until the next line is read.
 */
static const char *take(struct poly_scan *s, enum poly_token_kind kind,
	const char *what)
{
	const struct poly_token *t = poly_scan_peek(s);

	if (s->failed || t->kind != kind) {
		poly_scan_error(s, "expected %s", what);
		return NULL;
	}
	s->pos++;
	return t->text;
}

const char *poly_scan_word(struct poly_scan *s, const char *what)
{
	return take(s, POLY_TOKEN_WORD, what);
}

/* A string with a NUL inside is refused. */
const char *poly_scan_string(struct poly_scan *s, const char *what)
{
	const struct poly_token *t = poly_scan_peek(s);

	if (t->kind == POLY_TOKEN_STRING && strlen(t->text) != t->len) {
		poly_scan_error(s, "unexpected character");
		return NULL;
	}
	return take(s, POLY_TOKEN_STRING, what);
}

/* Digits are counted before they are converted, so strtoll cannot overflow. */
bool poly_scan_int(struct poly_scan *s, const char *what, int64_t min,
	int64_t max, int64_t *value)
{
	const char *text = poly_scan_peek(s)->text;
	const char *digits = text + (*text == '-');
	size_t n = strspn(digits, "0123456789");

	if (n == 0 || digits[n])
		return poly_scan_error(s, "expected %s, a number", what);
	if (n > POLY_DIGITS_MAX)
		return poly_scan_limit(s, "a number has more than %d digits",
			POLY_DIGITS_MAX);
	*value = strtoll(text, NULL, 10);
	if (*value < min || *value > max)
		return poly_scan_error(s, "%s must be from %lld to %lld", what,
			(long long)min, (long long)max);
	return poly_scan_word(s, what) != NULL;
}

/* Infinities and NaNs as strtod reads them; floats are printed so that they
 * come back bit by bit.
 */
bool poly_scan_number(struct poly_scan *s, double *value)
{
	const char *text = poly_scan_word(s, "a number");
	char *end;

	if (!text)
		return false;
	*value = strtod(text, &end);
	if (*end || isspace((unsigned char)*text)) {
		s->pos--;
		return poly_scan_error(s, "expected a number");
	}
	return true;
}

/* Optional, and true if it is not there: a statement that a pass has made has
 * no place.
 */
bool poly_scan_loc(struct poly_scan *s, struct poly_loc *loc)
{
	int line, col, len, used = 0;
	const char *text;

	if (!poly_scan_accept(s, "loc"))
		return !s->failed;
	text = poly_scan_word(s, "LINE:COLUMN:LENGTH");
	if (!text)
		return false;
	if (sscanf(text, "%9d:%9d:%9d%n", &line, &col, &len, &used) < 3 ||
	    text[used] || line < 1 || col < 0 || len < 0) {
		s->pos--;
		return poly_scan_error(s, "expected LINE:COLUMN:LENGTH");
	}
	*loc = (struct poly_loc) { line, col, len };
	return true;
}

struct poly_stmt *poly_scan_above(struct poly_scan *s, struct poly_prog *prog)
{
	struct poly_stmt *stmt = poly_prog_find_stmt(prog, poly_scan_peek(s)->text);

	if (!stmt)
		poly_scan_error(s, "expected a statement above");
	poly_scan_word(s, "a statement");
	return stmt;
}
