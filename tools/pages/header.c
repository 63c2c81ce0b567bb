/* Headers of C as pages: what the comment at the head says, and then an entry for each
 * comment with the declarations below it, up to an empty line or the next comment. Lines of
 * a comment that begin with a tab are code. Where declarations include a table
 * "NAME.def", its rows follow.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "tools/pages/pages.h"

/* The text of the header, and where it is read. */
struct header {
	struct page *p;
	const char *at, *path;
	int n;			/* entries */
};

/* ---------------------------------------------------------------- comments */

/* The end of the comment at "s", behind it. */
static const char *comment_end(const char *s)
{
	const char *end = strstr(s + 2, "*/");

	return end ? end + 2 : s + strlen(s);
}

/* The line of a comment at "s", without what stands in front of it; "*n" are its bytes. */
static const char *comment_line(const char *s, const char *end, size_t *n)
{
	const char *stop = memchr(s, '\n', (size_t)(end - s));

	stop = stop ? stop : end;
	while (s < stop && *s == ' ')
		s++;
	if (s < stop && *s == '*')
		s++;
	if (s < stop && *s == ' ')
		s++;
	while (stop > s && stop[-1] == ' ')
		stop--;
	*n = (size_t)(stop - s);
	return s;
}

/* A block of a comment while it is read: code or a paragraph, of so many bytes, and the
 * empty lines behind its lines, which are of it if more of it follows.
 */
struct block {
	FILE *out;
	char *text;
	size_t size;
	bool code;
	int lines, empty;
};

/* Tell the block, if there is one, and free it. */
static void end_block(struct page *p, struct block *b)
{
	if (!b->out)
		return;
	fclose(b->out);
	if (b->code)
		p->w->code(p, b->text);
	else
		p->w->paragraph(p, b->text);
	free(b->text);
	*b = (struct block){ .out = NULL };
}

/* Add a line of "n" bytes to the block, or to a new one. */
static void add_line(struct page *p, struct block *b, const char *line, size_t n)
{
	bool code = n && *line == '\t';

	if (!n) {
		b->empty++;
		return;
	}
	if (b->out && (b->code != code || (!code && b->empty)))
		end_block(p, b);
	if (!b->out) {
		b->out = page_memory(open_memstream(&b->text, &b->size));
		b->code = code;
	} else if (!code) {
		putc(' ', b->out);
	}
	for (; code && b->lines && b->empty > 0; b->empty--)
		putc('\n', b->out);
	b->empty = 0;
	b->lines++;
	fprintf(b->out, code ? "%.*s\n" : "%.*s", (int)n - code, line + code);
}

/* The comment from "s" to "end", which are its marks. */
static void put_comment(struct page *p, const char *s, const char *end)
{
	struct block b = { .out = NULL };
	const char *line, *next;
	size_t n;

	end -= 2;
	for (s += 2; s < end; s = next) {
		line = comment_line(s, end, &n);
		next = memchr(s, '\n', (size_t)(end - s));
		next = next ? next + 1 : end;
		add_line(p, &b, line, n);
	}
	end_block(p, &b);
}

/* ------------------------------------------------------------ declarations */

/* Skip white space and lines of the preprocessor; a brace of extern "C", too. */
static void skip(struct header *h)
{
	for (;;) {
		h->at += strspn(h->at, " \t\n");
		if (*h->at == '#' || !strncmp(h->at, "extern \"C\"", 10) ||
		    *h->at == '}')
			h->at += strcspn(h->at, "\n");
		else
			return;
	}
}

/* The end of a declaration, behind its semicolon and what stands in the line with it. */
static const char *declaration_end(const char *s)
{
	int depth = 0;

	for (; *s; s++) {
		if (!strncmp(s, "/*", 2))
			s = comment_end(s) - 1;
		else if (*s == '{' || *s == '(')
			depth++;
		else if (*s == '}' || *s == ')')
			depth--;
		else if (*s == ';' && !depth)
			return s + 1 + strcspn(s + 1, "\n");
	}
	return s;
}

/* Does another declaration follow at once, without a comment or an empty line? */
static bool goes_on(const char *s)
{
	return *s == '\n' && s[1] && (isalpha((unsigned char)s[1]) ||
		s[1] == '_') && strncmp(s + 1, "extern \"C\"", 10);
}

/* The rows of a table that "text" includes, as items. */
static void put_table(struct header *h, const char *text)
{
	const char *word = strstr(text, "#include \""), *slash;
	char path[512], *table, *row;
	char id[64], what[256];
	int value;

	slash = strrchr(h->path, '/');
	if (!word)
		return;
	snprintf(path, sizeof(path), "%.*s%.*s",
		(int)(slash ? slash + 1 - h->path : 0), h->path,
		(int)strcspn(word + 10, "\""), word + 10);
	table = page_memory(page_read(path));
	h->p->w->list(h->p, true, false);
	for (row = strstr(table, "\nSTATUS("); row;
	     row = strstr(row + 1, "\nSTATUS("))
		if (sscanf(row, "\nSTATUS(%d, %63[A-Z_], \"%255[^\"]\"", &value,
				id, what) == 3) {
			char item[400];

			snprintf(item, sizeof(item), "CETANE_%s (%d): %s", id,
				value, what);
			h->p->w->item(h->p, "-", item);
		}
	h->p->w->list(h->p, false, false);
	free(table);
}

/* What an entry is called: the name in front of the first bracket, or behind the first
 * struct or enum.
 */
static void put_title(struct header *h, const char *s, const char *end)
{
	const char *open = memchr(s, '(', (size_t)(end - s));
	const char *brace = memchr(s, '{', (size_t)(end - s)), *to, *from;

	to = open && (!brace || open < brace) ? open : brace ? brace : end;
	while (to > s && !isalnum((unsigned char)to[-1]) && to[-1] != '_')
		to--;
	for (from = to; from > s && (isalnum((unsigned char)from[-1]) ||
			from[-1] == '_'); from--)
		continue;
	if (to > from) {
		char *name = page_memory(strndup(from, (size_t)(to - from)));

		h->p->w->heading(h->p, 3, name);
		free(name);
	}
}

/* One entry: the comment, if there is one, and the declarations below it. */
static void read_entry(struct header *h)
{
	const char *comment = NULL, *behind = NULL, *s, *end;
	char *text;

	if (!strncmp(h->at, "/*", 2)) {
		comment = h->at;
		behind = comment_end(comment);
		h->at = behind;
		skip(h);
	}
	s = h->at;
	if (!*s || !strncmp(s, "/*", 2)) {
		if (comment)
			put_comment(h->p, comment, behind);
		return;
	}
	end = declaration_end(s);
	while (goes_on(end))
		end = declaration_end(end + 1);
	put_title(h, s, end);
	text = page_memory(strndup(s, (size_t)(end - s)));
	h->p->w->code(h->p, text);
	if (comment)
		put_comment(h->p, comment, behind);
	put_table(h, text);
	free(text);
	h->at = end;
}

void page_header(struct page *p, char *text, const char *path)
{
	struct header h = { .p = p, .at = text, .path = path };
	const char *slash = strrchr(path, '/'), *end;
	char *include;
	size_t size;
	FILE *f = page_memory(open_memstream(&include, &size));

	p->plain = true;
	fprintf(f, "#include <%s>\n", slash ? slash + 1 : path);
	fclose(f);
	p->w->heading(p, 1, p->name);
	if (!strncmp(h.at, "/*", 2)) {
		end = comment_end(h.at);
		put_comment(p, h.at, end);
		h.at = end;
	}
	p->w->heading(p, 2, "Include");
	p->w->code(p, include);
	p->w->heading(p, 2, "Declarations");
	for (skip(&h); *h.at; skip(&h))
		read_entry(&h);
	free(include);
}
