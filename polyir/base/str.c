/* A growing string.
 *
 * Everything that prints builds its text here, so that nothing in this folder
 * writes to a stream. An allocation failure is remembered in the string and
 * looked at once, by whoever uses the finished text.
 *
 * Length and capacity double, so that n bytes take O(n) time. The text ends in
 * a NUL whenever there is any; "s" is NULL before the first byte.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "polyir/base/base.h"

/* Make room for "n" more bytes and the NUL; false if there is none.
 *
 * After a failure nothing is appended any more.
 */
static bool reserve(struct poly_str *b, size_t n)
{
	size_t cap = b->cap ? b->cap : 64;
	char *s;

	if (b->failed)
		return false;
	if (b->len + n < b->cap)
		return true;
	while (cap <= b->len + n)
		cap *= 2;
	s = realloc(b->s, cap);
	if (!s) {
		poly_memory_note();
		poly_str_fail(b);
		return false;
	}
	b->s = s;
	b->cap = cap;
	return true;
}

/* Append the "n" bytes at "text". */
void poly_str_addn(struct poly_str *b, const char *text, size_t n)
{
	if (!reserve(b, n))
		return;
	if (n)
		memcpy(b->s + b->len, text, n);
	b->len += n;
	b->s[b->len] = '\0';
}

/* Append "text". */
void poly_str_add(struct poly_str *b, const char *text)
{
	poly_str_addn(b, text, strlen(text));
}

/* Append what printf would print.
 *
 * Formats twice, first to measure.
 */
void poly_str_printf(struct poly_str *b, const char *fmt, ...)
{
	va_list ap, again;
	int n;

	va_start(ap, fmt);
	va_copy(again, ap);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n >= 0 && reserve(b, (size_t)n)) {
		vsnprintf(b->s + b->len, (size_t)n + 1, fmt, again);
		b->len += (size_t)n;
	}
	va_end(again);
}

/* Control characters in a message would reach the user's terminal. */
const char *poly_shown(char c, char text[8])
{
	bool control = (unsigned char)c < 0x20 || c == 0x7f;

	if (c == '\n' || c == '\t' || c == '\r')
		snprintf(text, 8, "\\%c", c == '\n' ? 'n' : c == '\t' ? 't' :
			'r');
	else
		snprintf(text, 8, control ? "\\x%02x" : "%c",
			(unsigned char)c);
	return text;
}

void poly_str_add_shown(struct poly_str *b, const char *text)
{
	char shown[8];

	for (; *text; text++)
		poly_str_add(b, poly_shown(*text, shown));
}

/* Drop the text of which a part is missing. */
void poly_str_fail(struct poly_str *b)
{
	poly_str_free(b);
	b->failed = true;
}

/* Release the text; "b" is empty and usable afterwards. */
void poly_str_free(struct poly_str *b)
{
	free(b->s);
	*b = (struct poly_str) { 0 };
}
