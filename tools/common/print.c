/* Messages on standard error, and their colour. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/tools.h"

bool tool_color(const struct tool_options *o)
{
	const char *off = getenv("NO_COLOR"), *term = getenv("TERM");

	if (o->color != TOOL_COLOR_AUTO)
		return o->color == TOOL_COLOR_ALWAYS;
	return !(off && *off) && term && strcmp(term, "dumb") &&
		isatty(STDERR_FILENO);
}

/* Print the messages on standard error, as text or as JSON. */
static void print(void *user, const char *file, const char *text, size_t len,
	const struct poly_report *report)
{
	const struct tool_options *o = user;
	struct poly_str json = { 0 };

	if (o->format == TOOL_FORMAT_JSON) {
		tool_json_messages(&json, file, text, len, report);
		fputs(json.s ? json.s : "", stderr);
		poly_str_free(&json);
	} else {
		fe_diag_print(stderr, file, text, len, report, tool_color(o));
	}
}

void tool_print_messages(const struct tool_options *o)
{
	tool_listen((struct tool_ear){ print, (void *)(uintptr_t)o });
}
