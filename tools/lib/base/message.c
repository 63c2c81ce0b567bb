/* Messages without a place of their own, where the messages of a thread go,
 * and which exit code a failure gets.
 */
#include "tools/lib/base/base.h"

static _Thread_local struct tool_ear ear;

struct tool_ear tool_listen(struct tool_ear now)
{
	struct tool_ear before = ear;

	ear = now;
	return before;
}

void tool_tell(const char *file, const char *text, size_t len,
	struct poly_report *report)
{
	poly_memory_refused();
	if (ear.hear)
		ear.hear(ear.user, file, text, len, report);
	poly_report_free(report);
}

void tool_report_tell(struct poly_report *report)
{
	tool_tell("cetane", NULL, 0, report);
}

static const char no_reason[] = "it failed without a reason";

enum tool_exit tool_no_memory(const char *what)
{
	if (poly_memory_refused()) {
		tool_message(MSG_NO_MEMORY, what);
		return TOOL_ENVIRONMENT;
	}
	tool_message(MSG_CRASH, tool_stage_current(), no_reason);
	return TOOL_INTERNAL;
}

/* A message about the program's own text, whatever its notation. */
static bool is_input(int number)
{
	return number < 300 || number == MSG_POLY_SYNTAX ||
		number == MSG_POLY_LIMIT || number == MSG_POLY_CYCLE ||
		number == MSG_POLY_NO_SCHEDULE ||
		(number >= MSG_SCRIPT_LUA && number <= MSG_SCRIPT_UNFOLDED);
}

/* A message that tells of a fault of ours, whatever the input. */
static bool is_internal(int number)
{
	return number >= 900 || number == MSG_POLY_ISL;
}

/* See that the report has a reason, and a true one. */
static void find_reason(struct poly_report *report)
{
	int i;

	if (!poly_memory_refused())
		poly_report_drop(report, MSG_NO_MEMORY, "");
	for (i = 0; i < report->n_msg; i++)
		if (report->msg[i].severity == POLY_ERROR)
			return;
	if (poly_memory_refused())
		poly_report_add(report, MSG_NO_MEMORY, NULL, "the compilation");
	else
		poly_report_add(report, MSG_CRASH, NULL, tool_stage_current(),
			no_reason);
}

enum tool_exit tool_exit_of(struct poly_report *report, enum tool_from from)
{
	int i, number;

	find_reason(report);
	for (i = 0; i < report->n_msg; i++) {
		if (report->msg[i].severity != POLY_ERROR)
			continue;
		number = report->msg[i].number;
		if (is_internal(number))
			return TOOL_INTERNAL;
		if (number == MSG_BUDGET)
			return TOOL_LIMIT;
		if (number >= 500)
			return number < 600 ? TOOL_ENVIRONMENT : TOOL_USAGE;
		if (is_input(number) || from != TOOL_FROM_DSL)
			return TOOL_INPUT;
		return TOOL_INTERNAL;
	}
	return TOOL_INTERNAL;
}
