/* cetane_pages: what its files share. Readers (markdown.c, header.c) tell a writer (html.c,
 * roff.c) one block after another.
 */
#ifndef TOOLS_PAGES_H
#define TOOLS_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { PAGE_CELLS = 16, PAGE_LINKS = 16 };

struct page;
/* How text looks. */
enum page_style { PAGE_CODE, PAGE_BOLD, PAGE_ITALIC };
/* Text of a heading, a paragraph, an item and a cell has marks (inline.c), but of a page
 * that is "plain". Lists and tables begin and end; "head" are the names of a table's
 * columns, the same in each row.
 */
struct page_writer {
	void (*begin)(struct page *p);
	void (*end)(struct page *p);
	void (*heading)(struct page *p, int level, const char *text);
	void (*paragraph)(struct page *p, const char *text);
	void (*code)(struct page *p, const char *text);
	void (*list)(struct page *p, bool begins, bool numbered);
	void (*item)(struct page *p, const char *mark, const char *text);
	void (*table)(struct page *p, bool begins, char *const *head, int n);
	void (*row)(struct page *p, char *const *head, char *const *cell,
		int n);
	/* Within a line: bytes, a style, a link to "to", which leads somewhere. */
	void (*text)(struct page *p, const char *text, size_t len);
	void (*style)(struct page *p, enum page_style style, bool begins);
	void (*link)(struct page *p, const char *to, bool begins);
};
/* A page that is written to "out". "from" and "to": --link. */
struct page {
	const struct page_writer *w;
	FILE *out;
	const char *name, *section, *what;
	const char *from[PAGE_LINKS], *to[PAGE_LINKS];
	int n_link;
	bool plain;
};
extern const struct page_writer page_html, page_roff;

/* pages.c: memory, or the end of the program. */
void *page_memory(void *p);
/* The text of a file, which the caller frees; NULL if it cannot be read. */
char *page_read(const char *path);

/* inline.c: give "text" to the writer. */
void page_inline(struct page *p, const char *text);
/* What a heading is called in links: small letters, digits and dashes; the caller frees it. */
char *page_slug(const char *text);

void page_markdown(struct page *p, char *text);
/* "path": of the header, beside which a .def may lie. */
void page_header(struct page *p, char *text, const char *path);

#endif
