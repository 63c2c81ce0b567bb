/* Outcomes of cases as XML that continuous integration reads: a suite a file. */
#include <string.h>

#include "tools/cases/cases.h"

/* Append "text" as XML has it; what XML cannot have becomes a question mark. */
static void add_text(struct poly_str *xml, const char *text)
{
	for (; text && *text; text++) {
		const char *name = *text == '&' ? "&amp;" :
			*text == '<' ? "&lt;" : *text == '>' ? "&gt;" :
			*text == '"' ? "&quot;" : NULL;

		if (name)
			poly_str_add(xml, name);
		else
			poly_str_printf(xml, "%c", (unsigned char)*text < ' ' &&
				*text != '\n' && *text != '\t' ? '?' : *text);
	}
}

static int count_failed(const struct tool_outcome *all, int n)
{
	int i, failed = 0;

	for (i = 0; i < n; i++)
		failed += !all[i].passed;
	return failed;
}

static void add_case(struct poly_str *xml, const struct tool_outcome *one)
{
	poly_str_add(xml, "    <testcase classname=\"");
	add_text(xml, one->file);
	poly_str_printf(xml, "\" name=\"line %d: ", one->of->loc.line);
	add_text(xml, one->of->title);
	poly_str_printf(xml, " [%s]\"", one->device);
	if (one->passed) {
		poly_str_add(xml, "/>\n");
		return;
	}
	poly_str_printf(xml, ">\n      <failure message=\"exit code %d\">",
		(int)one->status);
	add_text(xml, one->said.s);
	poly_str_add(xml, "</failure>\n    </testcase>\n");
}

void tool_cases_junit(const struct tool_outcome *all, int n,
	struct poly_str *xml)
{
	int from, to;

	poly_str_printf(xml, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<testsuites tests=\"%d\" failures=\"%d\">\n", n,
		count_failed(all, n));
	for (from = 0; from < n; from = to) {
		for (to = from; to < n && all[to].file == all[from].file; to++)
			;
		poly_str_add(xml, "  <testsuite name=\"");
		add_text(xml, all[from].file);
		poly_str_printf(xml, "\" tests=\"%d\" failures=\"%d\">\n",
			to - from, count_failed(all + from, to - from));
		for (; from < to; from++)
			add_case(xml, &all[from]);
		poly_str_add(xml, "  </testsuite>\n");
	}
	poly_str_add(xml, "</testsuites>\n");
}
