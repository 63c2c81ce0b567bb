/* The verb explain: what a message means, from explain.def. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/tools.h"

/* A row of polyir/base/message.def.
 *
 * Only what is printed of it.
 */
struct message {
	int number;
	enum poly_severity severity;
	const char *format;
};
/* A row of explain.def.
 *
 * By the name of its message, so that a row for none does not compile.
 */
struct explanation {
	int number;
	const char *meaning, *advice;
};

static const struct message messages[] = {
#define MSG(number, id, severity, format)				\
	{ number, POLY_##severity, format },
#include "polyir/base/message.def"
#undef MSG
};

static const struct explanation explanations[] = {
#define EXPLAIN(id, meaning, advice) { MSG_##id, meaning, advice },
#include "tools/explain.def"
#undef EXPLAIN
};

/* A code has a letter, digits and a NUL. */
enum {
	N_MESSAGE = sizeof(messages) / sizeof(messages[0]),
	N_EXPLANATION = sizeof(explanations) / sizeof(explanations[0]),
	CODE_SIZE = 16
};
_Static_assert((int)N_MESSAGE == (int)N_EXPLANATION,
	"explain.def needs one row for each row of message.def");

/* In the order of enum poly_severity. */
static const char *const severity_name[] = { "error", "warning", "remark" };
static const char severity_letter[] = "EWR";

/*	E238 */
static void code_of(const struct message *m, char code[CODE_SIZE])
{
	snprintf(code, CODE_SIZE, "%c%d", severity_letter[m->severity],
		m->number);
}

/* The message that "text" names, with or without its letter.
 *
 * Letters in either case. The number alone is enough, since numbers are not
 * used twice.
 */
static const struct message *find(const char *text)
{
	char code[CODE_SIZE];
	int i;

	for (i = 0; i < N_MESSAGE; i++) {
		code_of(&messages[i], code);
		if (!strcasecmp(text, code) || !strcmp(text, code + 1))
			return &messages[i];
	}
	return NULL;
}

/* The right letter for a number that exists, else the nearest code.
 *
 * "W238" for "E238" is the first case.
 */
static enum tool_exit unknown_code(const char *text)
{
	const struct message *m = find(text + !!isalpha((unsigned char)*text));
	struct fe_suggest s = fe_suggest_begin(text, strlen(text));
	char code[CODE_SIZE], best[CODE_SIZE] = "";
	int i;

	if (m)
		code_of(m, best);
	for (i = 0; !m && i < N_MESSAGE; i++) {
		code_of(&messages[i], code);
		if (fe_suggest_try(&s, code))
			memcpy(best, code, sizeof(best));
	}
	tool_message(MSG_USAGE_CODE, text, *best ? "; did you mean " : "",
		best);
	return TOOL_USAGE;
}

/* The text of a message with N for each integer that its format fills in, X
 * for each number, and "..." for each text.
 *
 * Two texts one behind the other are one "...": where a format has an optional
 * part it is such a pair.
 */
static void add_text(struct poly_str *out, const char *format)
{
	bool after_text = false, is_text;

	for (; *format; format++) {
		if (*format != '%') {
			poly_str_addn(out, format, 1);
			after_text = false;
			continue;
		}
		/* Widths and lengths do not matter here. */
		format += 1 + strspn(format + 1, "0123456789.*lz");
		is_text = *format == 's';
		if (!is_text || !after_text)
			poly_str_add(out, is_text ? "..." :
				*format == 'g' ? "X" : "N");
		after_text = is_text;
	}
}

/* A line for each message, or several.
 *
 * Without an operand.
 */
static void list_all(void)
{
	struct poly_str text = { 0 };
	char code[CODE_SIZE];
	int i, at;

	for (i = 0; i < N_MESSAGE; i++) {
		code_of(&messages[i], code);
		add_text(&text, messages[i].format);
		at = printf("%s  ", code);
		tool_print_wrapped(text.s ? text.s : "", at, at);
		poly_str_free(&text);
	}
}

/* The message itself, what it means, and what can be done; with --advise, what the
 * library says of a program.
 */
enum tool_exit tool_explain(struct tool_options *o)
{
	const struct message *m = o->file ? find(o->file) : NULL;
	struct poly_str text = { 0 };
	char code[CODE_SIZE];
	int i;

	if (o->advise)
		return tool_check(o);
	if (!o->file) {
		list_all();
		return TOOL_OK;
	}
	if (!m)
		return unknown_code(o->file);
	code_of(m, code);
	poly_str_printf(&text, "%s[%s]: ", severity_name[m->severity], code);
	add_text(&text, m->format);
	tool_print_wrapped(text.s ? text.s : code, 0, 0);
	poly_str_free(&text);
	for (i = 0; i < N_EXPLANATION; i++) {
		if (explanations[i].number != m->number)
			continue;
		printf("\n");
		tool_print_wrapped(explanations[i].meaning, 0, 0);
		printf("\n");
		tool_print_wrapped(explanations[i].advice, 0, 0);
	}
	return TOOL_OK;
}
