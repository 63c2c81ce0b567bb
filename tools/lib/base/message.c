/* Messages without a place of their own, where the messages of a thread go,
 * and which exit code a failure gets.
 */
#include "tools/lib/base/base.h"

/* Each thread has its own, so that compilations side by side do not mix their
 * messages.
 */
static _Thread_local struct tool_ear ear;

/* The one before is returned, so that the caller can put it back. */
struct tool_ear tool_listen(struct tool_ear now)
{
	struct tool_ear before = ear;

	ear = now;
	return before;
}

/* "text" is the source that places in "report" are in, or NULL. Takes the
 * report's contents.
 */
void tool_tell(const char *file, const char *text, size_t len,
	struct poly_report *report)
{
	/* What was refused before this message counts no more. */
	poly_memory_refused();
	if (ear.hear)
		ear.hear(ear.user, file, text, len, report);
	poly_report_free(report);
}

/* For messages that have no place in a source. */
void tool_report_tell(struct poly_report *report)
{
	tool_tell("cetane", NULL, 0, report);
}

/* What is said where the cause is not known. */
static const char no_reason[] = "it failed without a reason";

/* A function that returns nothing may have had no memory, or may have failed
 * otherwise. If no memory was refused it is the latter, and a fault of ours.
 */
enum tool_exit tool_no_memory(const char *what)
{
	if (poly_memory_refused()) {
		tool_message(MSG_NO_MEMORY, what);
		return TOOL_ENVIRONMENT;
	}
	tool_message(MSG_CRASH, tool_stage_current(), no_reason);
	return TOOL_INTERNAL;
}

/* A message about the program's own text, whatever its notation.
 *
 * Numbers below 300 are those of the front ends. The others come from what is
 * read as poly IR or as a script.
 */
static bool is_input(int number)
{
	return number < 300 || number == MSG_POLY_SYNTAX ||
		number == MSG_POLY_LIMIT || number == MSG_POLY_CYCLE ||
		number == MSG_POLY_NO_SCHEDULE || number == MSG_POLY_PITCH ||
		number == MSG_NVPTX_FLOAT8 ||
		(number >= MSG_SCRIPT_LUA && number <= MSG_SCRIPT_UNFOLDED);
}

/* A message that tells of a fault of ours, whatever the input.
 *
 * Numbers from 900 on say that the compiler is wrong.
 */
static bool is_internal(int number)
{
	return number >= 900 || number == MSG_POLY_ISL;
}

/* See that the report has a reason, and a true one.
 *
 * A message about memory that was not refused is dropped: it was a guess of
 * whoever saw a NULL. A report that has no error left gets one.
 */
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

/* The first error decides. A fault that a text of our own stages may have is
 * the input's if the user wrote that text, and ours if a stage did.
 *
 *	900 ..		internal
 *	500 .. 599	the environment
 *	600 .. 899	usage
 */
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
