/* Messages of the command itself, their colour, and which exit code a failure
 * gets.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/lib/lib.h"

static enum tool_color wanted = TOOL_COLOR_AUTO;

void tool_color_choose(enum tool_color color)
{
	wanted = color;
}

bool tool_color(void)
{
	const char *off = getenv("NO_COLOR"), *term = getenv("TERM");

	if (wanted != TOOL_COLOR_AUTO)
		return wanted == TOOL_COLOR_ALWAYS;
	return !(off && *off) && term && strcmp(term, "dumb") &&
		isatty(STDERR_FILENO);
}

void tool_report_print(struct poly_report *report)
{
	fe_diag_print(stderr, "cetane", NULL, 0, report, tool_color());
	poly_report_free(report);
}

/* A message about the program's own text, whatever its notation. */
static bool is_input(int number)
{
	return number < 300 || number == MSG_POLY_SYNTAX ||
		number == MSG_POLY_LIMIT || number == MSG_POLY_CYCLE ||
		number == MSG_POLY_NO_SCHEDULE;
}

/* A message that tells of a fault of ours, whatever the input. */
static bool is_internal(int number)
{
	return number >= 900 || number == MSG_POLY_ISL;
}

enum tool_exit tool_exit_of(const struct poly_report *report,
	enum tool_from from)
{
	int i, number;

	for (i = 0; i < report->n_msg; i++) {
		if (report->msg[i].severity != POLY_ERROR)
			continue;
		number = report->msg[i].number;
		if (is_internal(number))
			return TOOL_INTERNAL;
		if (number == MSG_FE_MEMORY)
			return TOOL_ENVIRONMENT;
		if (number >= 500)
			return number < 600 ? TOOL_ENVIRONMENT : TOOL_USAGE;
		if (is_input(number) || from != TOOL_FROM_DSL)
			return TOOL_INPUT;
		return TOOL_INTERNAL;
	}
	return TOOL_INTERNAL;
}
