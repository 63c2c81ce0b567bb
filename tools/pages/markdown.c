/* README files as pages: headings, paragraphs, lists, tables, and code that stands between
 * lines of backquotes or four blanks from the left.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "tools/pages/pages.h"

/* The lines of the file, and the text of the block that is read. */
struct markdown {
	struct page *p;
	char *line;		/* the present one, or NULL behind the last */
	char *rest;
	FILE *block;
	char *text;
	size_t len;
};

static void next_line(struct markdown *m)
{
	char *end;

	m->line = m->rest && *m->rest ? m->rest : NULL;
	end = m->line ? strchr(m->line, '\n') : NULL;
	m->rest = end ? end + 1 : NULL;
	if (end)
		*end = '\0';
}

static bool is_blank(const char *line)
{
	return line[strspn(line, " \t")] == '\0';
}

static void open_block(struct markdown *m)
{
	m->block = page_memory(open_memstream(&m->text, &m->len));
}

/* The text of the block, which free_block frees. */
static const char *close_block(struct markdown *m)
{
	fclose(m->block);
	return page_memory(m->text);
}

static void free_block(struct markdown *m)
{
	free(m->text);
	m->text = NULL;
}

/* The length of the mark of an item, "- " or "1. ", or 0. */
static int item_mark(const char *line)
{
	int n = 0;

	if (!strncmp(line, "- ", 2) || !strncmp(line, "* ", 2))
		return 2;
	while (isdigit((unsigned char)line[n]))
		n++;
	return n && !strncmp(line + n, ". ", 2) ? n + 2 : 0;
}

static bool begins_block(const char *line)
{
	return is_blank(line) || *line == '#' || *line == '|' ||
		!strncmp(line, "```", 3) || item_mark(line);
}

/* Add the lines up to the next block, each without the blanks in front of it. */
static void add_lines(struct markdown *m)
{
	const char *before = "";

	do {
		fprintf(m->block, "%s%s", before,
			m->line + strspn(m->line, " \t"));
		before = " ";
		next_line(m);
	} while (m->line && !begins_block(m->line));
}

static void read_heading(struct markdown *m)
{
	int level = (int)strspn(m->line, "#");

	m->p->w->heading(m->p, level, m->line + level +
		strspn(m->line + level, " "));
	next_line(m);
}

/* Code up to the line that closes it. */
static void read_fence(struct markdown *m)
{
	open_block(m);
	for (next_line(m); m->line && strncmp(m->line, "```", 3); next_line(m))
		fprintf(m->block, "%s\n", m->line);
	next_line(m);
	m->p->w->code(m->p, close_block(m));
	free_block(m);
}

/* Code that stands to the right; blank lines within it are of it. */
static void read_indented(struct markdown *m)
{
	int blank = 0;

	open_block(m);
	for (; m->line && (is_blank(m->line) || !strncmp(m->line, "    ", 4));
	     next_line(m)) {
		if (is_blank(m->line)) {
			blank++;
			continue;
		}
		for (; blank > 0; blank--)
			putc('\n', m->block);
		fprintf(m->block, "%s\n", m->line + 4);
	}
	m->p->w->code(m->p, close_block(m));
	free_block(m);
}

/* Items up to what is none of this list; a blank line may part two of them. */
static void read_list(struct markdown *m)
{
	bool numbered = isdigit((unsigned char)*m->line) != 0;
	char mark[16];
	int n;

	m->p->w->list(m->p, true, numbered);
	while (m->line && (n = item_mark(m->line)) > 0 &&
			numbered == (isdigit((unsigned char)*m->line) != 0)) {
		snprintf(mark, sizeof(mark), "%.*s", n - 1, m->line);
		m->line += n;
		open_block(m);
		add_lines(m);
		m->p->w->item(m->p, mark, close_block(m));
		free_block(m);
		while (m->line && is_blank(m->line))
			next_line(m);
	}
	m->p->w->list(m->p, false, numbered);
}

/* Cut a row into cells, in its place; returns their number. A "|" behind a backslash
 * parts none, in code either.
 */
static int split_row(char *line, char *cell[PAGE_CELLS])
{
	bool more = true;
	char *end, *last;
	int n = 0;

	for (line++; more && n < PAGE_CELLS; line = end + 1) {
		line += strspn(line, " ");
		for (end = line; *end && *end != '|'; end++)
			if (*end == '\\' && end[1] == '|')
				end++;
		more = *end == '|';
		*end = '\0';
		if (!more && !*line)
			break;
		cell[n++] = line;
		for (last = end; last > line && last[-1] == ' '; last--)
			last[-1] = '\0';
	}
	return n;
}

/* A head, a line of dashes, and rows. */
static void read_table(struct markdown *m)
{
	char *head[PAGE_CELLS], *cell[PAGE_CELLS];
	int n = split_row(m->line, head), k;
	bool left_out = n && !strcmp(head[0], "file");

	next_line(m);
	if (m->line && !strncmp(m->line, "|-", 2))
		next_line(m);
	if (!left_out)
		m->p->w->table(m->p, true, head, n);
	for (; m->line && *m->line == '|'; next_line(m)) {
		for (k = split_row(m->line, cell); k < n; k++)
			cell[k] = head[n - 1] + strlen(head[n - 1]);
		if (!left_out)
			m->p->w->row(m->p, head, cell, n);
	}
	if (!left_out)
		m->p->w->table(m->p, false, head, n);
}

void page_markdown(struct page *p, char *text)
{
	struct markdown m = { .p = p, .rest = text };

	next_line(&m);
	while (m.line) {
		if (is_blank(m.line))
			next_line(&m);
		else if (*m.line == '#')
			read_heading(&m);
		else if (!strncmp(m.line, "```", 3))
			read_fence(&m);
		else if (!strncmp(m.line, "    ", 4))
			read_indented(&m);
		else if (item_mark(m.line))
			read_list(&m);
		else if (*m.line == '|')
			read_table(&m);
		else {
			open_block(&m);
			add_lines(&m);
			p->w->paragraph(p, close_block(&m));
			free_block(&m);
		}
	}
}
