/* cetane_pages: a page of HTML, or a manual page, from one file. */
#include <stdlib.h>
#include <string.h>

#include "tools/pages/pages.h"

void *page_memory(void *p)
{
	if (!p) {
		fprintf(stderr, "cetane_pages: not enough memory\n");
		exit(3);
	}
	return p;
}

char *page_read(const char *path)
{
	FILE *in = fopen(path, "r"), *out;
	char *text = NULL;
	size_t size = 0;
	int c;

	if (!in)
		return NULL;
	out = page_memory(open_memstream(&text, &size));
	while ((c = getc(in)) != EOF)
		putc(c, out);
	fclose(out);
	fclose(in);
	return page_memory(text);
}

static bool ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), k = strlen(end);

	return n >= k && !strcmp(text + n - k, end);
}

/* Keep "FILE=PAGE". */
static bool add_link(struct page *p, char *word)
{
	char *equals = strchr(word, '=');

	if (!equals || p->n_link == PAGE_LINKS)
		return false;
	*equals = '\0';
	p->from[p->n_link] = word;
	p->to[p->n_link++] = equals + 1;
	return true;
}

int main(int argc, char **argv)
{
	struct page p = { .out = stdout };
	bool ok = argc >= 6;
	char *text;
	int i;

	for (i = 5; i < argc - 1 && ok; i++)
		ok = !strncmp(argv[i], "--link=", 7) && add_link(&p, argv[i] + 7);
	if (!ok || (strcmp(argv[1], "html") && strcmp(argv[1], "man"))) {
		fprintf(stderr, "usage: cetane_pages html|man NAME SECTION WHAT "
			"[--link=FILE=PAGE]... FILE\n");
		return 2;
	}
	p.w = !strcmp(argv[1], "html") ? &page_html : &page_roff;
	p.name = argv[2];
	p.section = argv[3];
	p.what = argv[4];
	text = page_read(argv[i]);
	if (!text) {
		fprintf(stderr, "cetane_pages: cannot read %s\n", argv[i]);
		return 1;
	}
	p.w->begin(&p);
	if (ends_with(argv[i], ".h"))
		page_header(&p, text, argv[i]);
	else
		page_markdown(&p, text);
	p.w->end(&p);
	free(text);
	return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 3;
}
