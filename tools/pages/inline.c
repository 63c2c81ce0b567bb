/* What stands within a line of a README: `code`, **bold**, *italic*, [text](link), and a
 * backslash in front of a mark.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "tools/pages/pages.h"

static void inline_range(struct page *p, const char *s, const char *end);

/* The bytes of the character of UTF-8 at "s". */
static size_t character(const char *s, const char *end)
{
	size_t n = 1;

	while (s + n < end && ((unsigned char)s[n] & 0xc0) == 0x80)
		n++;
	return n;
}

/* How many backquotes stand at "s". */
static size_t quotes(const char *s, const char *end)
{
	size_t n = 0;

	while (s + n < end && s[n] == '`')
		n++;
	return n;
}

/* The end of the code that begins with "n" backquotes in front of "s", or NULL. */
static const char *code_end(const char *s, const char *end, size_t n)
{
	for (; s < end; s += quotes(s, end) ? quotes(s, end) : 1)
		if (quotes(s, end) == n)
			return s;
	return NULL;
}

/* Where "mark" stands next outside of code, or NULL. */
static const char *find_mark(const char *s, const char *end, const char *mark)
{
	size_t n = strlen(mark), k;
	const char *to;

	while (s + n <= end) {
		k = quotes(s, end);
		to = k ? code_end(s + k, end, k) : NULL;
		if (to)
			s = to + k;
		else if (!strncmp(s, mark, n))
			return s;
		else
			s += *s == '\\' && s + 1 < end ? 2 : 1;
	}
	return NULL;
}

/* Code of "n" backquotes: a blank at both ends is none of it, and "\|" is "|", as cells of
 * tables have it. Returns what is behind it, or NULL.
 */
static const char *put_code(struct page *p, const char *s, const char *end,
	size_t n)
{
	const char *from = s + n, *to = code_end(from, end, n), *stop = to;

	if (!to)
		return NULL;
	if (stop - from > 2 && *from == ' ' && stop[-1] == ' ') {
		from++;
		stop--;
	}
	p->w->style(p, PAGE_CODE, true);
	for (; from < stop; from += character(from, stop))
		if (*from != '\\' || from + 1 == stop || from[1] != '|')
			p->w->text(p, from, character(from, stop));
	p->w->style(p, PAGE_CODE, false);
	return to + n;
}

/* What stands between two marks, in a style; or NULL. */
static const char *put_style(struct page *p, const char *s, const char *end,
	const char *mark, enum page_style style)
{
	size_t n = strlen(mark);
	const char *to;

	if (s + n >= end || isspace((unsigned char)s[n]))
		return NULL;
	to = find_mark(s + n, end, mark);
	if (!to || isspace((unsigned char)to[-1]))
		return NULL;
	p->w->style(p, style, true);
	inline_range(p, s + n, to);
	p->w->style(p, style, false);
	return to + n;
}

/* Where a link to "url" leads, or NULL if nowhere: text. */
static const char *target(const struct page *p, const char *url)
{
	size_t n = strcspn(url, "#");
	int i;

	if (*url == '#' || !strncmp(url, "https://", 8) ||
	    (n > 5 && !strncmp(url + n - 5, ".html", 5)))
		return url;
	for (i = 0; i < p->n_link; i++)
		if (strlen(p->from[i]) == n && !strncmp(p->from[i], url, n))
			return p->to[i];
	return NULL;
}

/* A link; NULL if none begins at "s". */
static const char *put_link(struct page *p, const char *s, const char *end)
{
	const char *middle = find_mark(s + 1, end, "](");
	const char *stop = middle ? memchr(middle, ')', (size_t)(end - middle)) :
		NULL;
	const char *to;
	char *url;

	if (!stop)
		return NULL;
	url = page_memory(strndup(middle + 2, (size_t)(stop - middle - 2)));
	to = target(p, url);
	if (to)
		p->w->link(p, to, true);
	inline_range(p, s + 1, middle);
	if (to)
		p->w->link(p, to, false);
	free(url);
	return stop + 1;
}

/* The text from "s" to "end"; what looks like a mark and closes nowhere is text. */
static void inline_range(struct page *p, const char *s, const char *end)
{
	const char *next;

	while (s < end) {
		next = NULL;
		if (*s == '`')
			next = put_code(p, s, end, quotes(s, end));
		else if (!strncmp(s, "**", 2))
			next = put_style(p, s, end, "**", PAGE_BOLD);
		else if (*s == '*')
			next = put_style(p, s, end, "*", PAGE_ITALIC);
		else if (*s == '[')
			next = put_link(p, s, end);
		else if (*s == '\\' && s + 1 < end && ispunct((unsigned char)s[1]))
			s++;
		if (!next) {
			next = s + character(s, end);
			p->w->text(p, s, (size_t)(next - s));
		}
		s = next;
	}
}

void page_inline(struct page *p, const char *text)
{
	if (p->plain)
		p->w->text(p, text, strlen(text));
	else
		inline_range(p, text, text + strlen(text));
}

char *page_slug(const char *text)
{
	char *slug = page_memory(malloc(strlen(text) + 1)), *to = slug;

	for (; *text; text++)
		if (isalnum((unsigned char)*text) || *text == '_')
			*to++ = (char)tolower((unsigned char)*text);
		else if (*text == ' ' || *text == '-')
			*to++ = '-';
	*to = '\0';
	return slug;
}
