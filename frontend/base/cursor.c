/* A place in a text, for those who make tokens of it: bytes, blanks, comments, lines.
 *
 * Lexers of matrix and data-parallel notation share it. The text need not end
 * in a NUL: all looks ahead go through fe_peek, which gives '\0' behind the
 * end. Lines and columns count from 1, columns in bytes.
 */
#include <stdio.h>
#include <string.h>

#include "frontend/base/base.h"

/* A byte order mark of UTF-8 is skipped; it has no column. */
struct fe_cursor fe_cursor_begin(struct fe_unit *u)
{
	struct fe_cursor c = { .unit = u, .p = u->text,
		.end = u->text + u->len, .line = 1 };

	if (u->len >= 3 && !memcmp(u->text, "\xef\xbb\xbf", 3))
		c.p += 3;
	c.line_start = c.p;
	return c;
}

/* By ASCII, whatever the locale. */
bool fe_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

bool fe_is_name_start(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool fe_is_name_part(char c)
{
	return fe_is_name_start(c) || fe_is_digit(c);
}

/* The byte "n" behind the current one. */
char fe_peek(const struct fe_cursor *c, size_t n)
{
	return (size_t)(c->end - c->p) > n ? c->p[n] : '\0';
}

/* A place of "len" bytes that begins at the current one. */
struct poly_loc fe_here(const struct fe_cursor *c, size_t len)
{
	return (struct poly_loc) {
		.line = c->line,
		.col = (int)(c->p - c->line_start) + 1,
		.len = (int)len,
	};
}

/* How long the row of digits is that ends a prefix of "len" bytes; nothing is
 * passed.
 */
size_t fe_digits(const struct fe_cursor *c, size_t len)
{
	while (fe_is_digit(fe_peek(c, len)))
		len++;
	return len;
}

/* Go on behind the current byte, counting lines.
 *
 * The caller has seen that there is one.
 */
static void skip_byte(struct fe_cursor *c)
{
	if (*c->p++ == '\n') {
		c->line++;
		c->line_start = c->p;
	}
}

static void skip_line(struct fe_cursor *c)
{
	while (c->p < c->end && *c->p != '\n')
		skip_byte(c);
}

/* Skip a comment that may contain comments.
 *
 * Comments of C nest here, so that a region that holds comments can be
 * commented out. One that does not end is reported at its begin.
 */
static void skip_comment(struct fe_cursor *c)
{
	struct poly_loc loc = fe_here(c, 2);
	int depth = 0;

	while (c->p < c->end) {
		bool open = fe_peek(c, 0) == '/' && fe_peek(c, 1) == '*';
		bool close = fe_peek(c, 0) == '*' && fe_peek(c, 1) == '/';

		skip_byte(c);
		if (open || close)
			skip_byte(c);
		depth += open - close;
		if (!depth)
			return;
	}
	FE_REPORT(c->unit, FE_COMMENT, &loc);
}

/* "hash": a "#" begins a comment as well. Stops at the first byte of a token,
 * or at the end.
 */
void fe_skip_space(struct fe_cursor *c, bool hash)
{
	while (c->p < c->end) {
		if (*c->p && strchr(" \t\r\n\v\f", *c->p))
			skip_byte(c);
		else if (hash && *c->p == '#')
			skip_line(c);
		else if (*c->p == '/' && fe_peek(c, 1) == '/')
			skip_line(c);
		else if (*c->p == '/' && fe_peek(c, 1) == '*')
			skip_comment(c);
		else
			return;
	}
}

/* For texts that no cursor goes through: returns what is behind the comment at
 * "p", or "p" if there is none.
 */
const char *fe_skip_comment(const char *p, const char *end)
{
	int depth = 0;

	if (*p == '#' || (p + 1 < end && p[0] == '/' && p[1] == '/')) {
		while (p < end && *p != '\n')
			p++;
		return p;
	}
	if (p + 1 >= end || p[0] != '/' || p[1] != '*')
		return p;
	while (p + 1 < end) {
		bool open = p[0] == '/' && p[1] == '*';
		bool close = p[0] == '*' && p[1] == '/';

		depth += open - close;
		p += open || close ? 2 : 1;
		if (!depth)
			return p;
	}
	return end;
}

/* The bytes of a character of UTF-8, or several, are one mistake. */
size_t fe_bad_bytes(const struct fe_cursor *c)
{
	size_t len = 1;

	while ((unsigned char)*c->p >= 0x80 &&
	       (unsigned char)fe_peek(c, len) >= 0x80)
		len++;
	return len;
}

/* One message a line: a binary file would have thousands. "advice" goes behind
 * it and may be "".
 */
void fe_report_bytes(struct fe_cursor *c, const struct poly_loc *loc,
	char byte, const char *advice)
{
	unsigned char b = (unsigned char)byte;
	char text[16];

	if (b > ' ' && b < 0x7f)
		snprintf(text, sizeof(text), "'%c'", b);
	else
		snprintf(text, sizeof(text), "byte 0x%02x", b);
	if (loc->line != c->bad_line)
		FE_REPORT(c->unit, FE_CHARACTER, loc, text, advice);
	c->bad_line = loc->line;
}
