/* Manual pages, in the macros of man(7). */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "tools/pages/pages.h"

/* The character of UTF-8 at "s", of at most "len" bytes, by its number; returns its bytes. */
static size_t put_character(struct page *p, const char *s, size_t len)
{
	unsigned char first = (unsigned char)*s;
	size_t n = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2, i;
	unsigned code = first & (0xffu >> (n + 1));

	n = n > len ? len : n;
	for (i = 1; i < n; i++)
		code = code << 6 | (s[i] & 0x3f);
	fprintf(p->out, "\\[u%04X]", code);
	return n;
}

/* No line may begin with a point or an apostrophe; what would be a hyphen or a quotation
 * mark of the typesetter is that of the keyboard.
 */
static void roff_text(struct page *p, const char *text, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		switch (text[i]) {
		case '\\':
			fputs("\\e", p->out);
			break;
		case '-':
			fputs("\\-", p->out);
			break;
		case '.':
			fputs("\\&.", p->out);
			break;
		case '\'':
			fputs("\\(aq", p->out);
			break;
		case '`':
			fputs("\\(ga", p->out);
			break;
		case '^':
			fputs("\\(ha", p->out);
			break;
		case '~':
			fputs("\\(ti", p->out);
			break;
		default:
			if ((unsigned char)text[i] < 0x80)
				putc(text[i], p->out);
			else
				i += put_character(p, text + i, len - i) - 1;
		}
}

static void put(struct page *p, const char *text)
{
	roff_text(p, text, strlen(text));
}

static void roff_begin(struct page *p)
{
	const char *c;

	fputs(".TH \"", p->out);
	for (c = p->name; *c; c++)
		putc(toupper((unsigned char)*c), p->out);
	fprintf(p->out, "\" \"%s\" \"\" \"Cetane\" \"\"\n.SH NAME\n",
		p->section);
	put(p, p->name);
	fputs(" \\- ", p->out);
	put(p, p->what);
	fputs("\n.SH DESCRIPTION\n", p->out);
}

static void roff_end(struct page *p)
{
	fputs(".SH \"SEE ALSO\"\n.BR cetane (1)\n", p->out);
}

/* The title of the page stands in its head. */
static void roff_heading(struct page *p, int level, const char *text)
{
	size_t n;

	if (level < 2)
		return;
	fputs(level == 2 ? ".SH \"" : ".SS \"", p->out);
	for (; *text; text += n) {
		n = strcspn(text, "\"`");
		roff_text(p, text, n);
		if (text[n] == '"')
			fputs("\\(dq", p->out);
		n += text[n] != '\0';
	}
	fputs("\"\n", p->out);
}

static void roff_paragraph(struct page *p, const char *text)
{
	fputs(".PP\n", p->out);
	page_inline(p, text);
	putc('\n', p->out);
}

static void roff_code(struct page *p, const char *text)
{
	bool ended = true;
	size_t n;

	fputs(".PP\n.RS 4\n.nf\n", p->out);
	for (; *text; text += n) {
		n = strcspn(text, "\t\n");
		roff_text(p, text, n);
		ended = text[n] == '\n';
		if (text[n])
			fputs(ended ? "\n" : "    ", p->out);
		n += text[n] != '\0';
	}
	fputs(ended ? ".fi\n.RE\n" : "\n.fi\n.RE\n", p->out);
}

static void roff_list(struct page *p, bool begins, bool numbered)
{
	(void)numbered;
	if (!begins)
		fputs(".PP\n", p->out);
}

static void roff_item(struct page *p, const char *mark, const char *text)
{
	if (isdigit((unsigned char)*mark))
		fprintf(p->out, ".IP \"%s\" 4\n", mark);
	else
		fputs(".IP \\(bu 4\n", p->out);
	page_inline(p, text);
	putc('\n', p->out);
}

static void roff_table(struct page *p, bool begins, char *const *head, int n)
{
	(void)head;
	(void)n;
	if (!begins)
		fputs(".PP\n", p->out);
}

/* The first cell, and below it the others, each with the name of its column. */
static void roff_row(struct page *p, char *const *head, char *const *cell, int n)
{
	const char *before = "";
	int i;

	fputs(".TP\n", p->out);
	page_inline(p, n && *cell[0] ? cell[0] : "-");
	putc('\n', p->out);
	for (i = 1; i < n; i++) {
		if (!*cell[i])
			continue;
		put(p, before);
		if (*head[i]) {
			page_inline(p, head[i]);
			fputs(": ", p->out);
		}
		page_inline(p, cell[i]);
		before = "; ";
	}
	fputs(*before ? "\n" : "\\&\n", p->out);
}

static void roff_style(struct page *p, enum page_style style, bool begins)
{
	fputs(!begins ? "\\fR" : style == PAGE_ITALIC ? "\\fI" : "\\fB", p->out);
}

static void roff_link(struct page *p, const char *to, bool begins)
{
	(void)to;
	(void)p;
	(void)begins;
}

const struct page_writer page_roff = { roff_begin, roff_end, roff_heading,
	roff_paragraph, roff_code, roff_list, roff_item, roff_table, roff_row,
	roff_text, roff_style, roff_link };
