/* Pages of HTML: one file, with its style inside, which loads nothing. */
#include <stdlib.h>
#include <string.h>

#include "tools/pages/pages.h"

/* Bytes in which nothing is a mark of HTML. */
static void html_text(struct page *p, const char *text, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		switch (text[i]) {
		case '&':
			fputs("&amp;", p->out);
			break;
		case '<':
			fputs("&lt;", p->out);
			break;
		case '>':
			fputs("&gt;", p->out);
			break;
		case '"':
			fputs("&quot;", p->out);
			break;
		default:
			putc(text[i], p->out);
		}
}

static void put(struct page *p, const char *text)
{
	html_text(p, text, strlen(text));
}

static void html_begin(struct page *p)
{
	fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
		"<meta name=\"viewport\" content=\"width=device-width\">\n<title>",
		p->out);
	put(p, p->name);
	fputs(": ", p->out);
	put(p, p->what);
	fputs("</title>\n<style>\nbody { font: 15px/1.5 sans-serif; "
		"max-width: 50em; margin: 1em auto; padding: 0 1em }\n"
		"pre { background: #f4f4f4; padding: 8px; overflow: auto; "
		"tab-size: 8 }\ncode, pre { font: 13px monospace }\n"
		"table { border-collapse: collapse }\nth, td { border: 1px solid "
		"#ccc; padding: 2px 8px; text-align: left; vertical-align: top }\n"
		"</style></head><body>\n", p->out);
	if (strcmp(p->name, "index"))
		fputs("<p><a href=\"index.html\">All pages</a></p>\n", p->out);
}

static void html_end(struct page *p)
{
	fputs("</body></html>\n", p->out);
}

static void html_heading(struct page *p, int level, const char *text)
{
	char *slug = page_slug(text);

	fprintf(p->out, "<h%d id=\"%s\">", level, slug);
	page_inline(p, text);
	fprintf(p->out, "</h%d>\n", level);
	free(slug);
}

static void html_paragraph(struct page *p, const char *text)
{
	fputs("<p>", p->out);
	page_inline(p, text);
	fputs("</p>\n", p->out);
}

static void html_code(struct page *p, const char *text)
{
	fputs("<pre>", p->out);
	put(p, text);
	fputs("</pre>\n", p->out);
}

static void html_list(struct page *p, bool begins, bool numbered)
{
	fprintf(p->out, "<%s%s>\n", begins ? "" : "/", numbered ? "ol" : "ul");
}

static void html_item(struct page *p, const char *mark, const char *text)
{
	(void)mark;
	fputs("<li>", p->out);
	page_inline(p, text);
	fputs("</li>\n", p->out);
}

static void put_cells(struct page *p, char *const *cell, int n, const char *tag)
{
	int i;

	fputs("<tr>", p->out);
	for (i = 0; i < n; i++) {
		fprintf(p->out, "<%s>", tag);
		page_inline(p, cell[i]);
		fprintf(p->out, "</%s>", tag);
	}
	fputs("</tr>\n", p->out);
}

static void html_table(struct page *p, bool begins, char *const *head, int n)
{
	fputs(begins ? "<table>\n" : "</table>\n", p->out);
	if (begins)
		put_cells(p, head, n, "th");
}

static void html_row(struct page *p, char *const *head, char *const *cell, int n)
{
	(void)head;
	put_cells(p, cell, n, "td");
}

static void html_style(struct page *p, enum page_style style, bool begins)
{
	static const char *const tag[] = { [PAGE_CODE] = "code",
		[PAGE_BOLD] = "b", [PAGE_ITALIC] = "i" };

	fprintf(p->out, "<%s%s>", begins ? "" : "/", tag[style]);
}

static void html_link(struct page *p, const char *to, bool begins)
{
	if (!begins) {
		fputs("</a>", p->out);
		return;
	}
	fputs("<a href=\"", p->out);
	put(p, to);
	fputs("\">", p->out);
}

const struct page_writer page_html = { html_begin, html_end, html_heading,
	html_paragraph, html_code, html_list, html_item, html_table, html_row,
	html_text, html_style, html_link };
