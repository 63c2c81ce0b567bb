/* The report: messages in the order in which stages gave them.
 *
 * message.def is the only place where a message's number, severity and wording
 * stand; a caller names the message and supplies the arguments of its format.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "polyir/base/base.h"

/* Messages are kept in memory, not printed: tools print them in the end with
 * the source's lines, the language server sends them to an editor, and a
 * trial's are thrown away. What has no memory for its text is still counted as
 * an error, so a run cannot succeed by accident.
 */
static const struct {
	int number;
	enum poly_severity severity;
	const char *format;
} table[] = {
#define MSG(number, id, severity, format) { number, POLY_##severity, format },
#include "polyir/base/message.def"
#undef MSG
};

/* Format "fmt" with "ap" into new memory; NULL if there is none. */
static char *format_text(const char *fmt, va_list ap)
{
	va_list again;
	char *text = NULL;
	int n;

	va_copy(again, ap);
	n = vsnprintf(NULL, 0, fmt, again);
	va_end(again);
	if (n >= 0)
		text = malloc((size_t)n + 1);
	if (text)
		vsnprintf(text, (size_t)n + 1, fmt, ap);
	return text;
}

/* What is reported where there is no memory for a message, and the place of a
 * report that has no memory at all.
 *
 * No lock: each thread has its own "only".
 */
static char lost_text[] = "not enough memory for a message";
static const struct poly_message lost = { .number = MSG_NO_MEMORY,
	.severity = POLY_ERROR, .text = lost_text };
static _Thread_local struct poly_message only;

static void free_text(struct poly_message *m)
{
	if (m->text != lost_text)
		free(m->text);
}

/* Make room for one message more; false without memory.
 *
 * "only" may be the array until there is memory: its message moves.
 */
static bool grow(struct poly_report *r)
{
	int cap = r->cap ? 2 * r->cap : 8;
	struct poly_message *msg;

	if (r->n_msg < r->cap)
		return true;
	msg = realloc(r->cap ? r->msg : NULL, (size_t)cap * sizeof(*msg));
	if (!msg)
		return false;
	if (!r->cap && r->n_msg)
		msg[0] = only;
	r->msg = msg;
	r->cap = cap;
	return true;
}

/* The last message says "m" already, of the same place: a macro's errors all
 * have the place of its call.
 *
 * Only the last message is asked: repeated errors follow one another.
 */
static bool is_said(const struct poly_report *r, const struct poly_message *m)
{
	const struct poly_message *last = r->n_msg ? &r->msg[r->n_msg - 1] : NULL;

	return last && m->text && m->loc.line && last->number == m->number &&
		last->loc.line == m->loc.line && last->loc.col == m->loc.col &&
		!strcmp(last->text, m->text);
}

/* Append "m", taking its text. An error without memory for it is reported as
 * "lost", in the place of the last message if need be.
 *
 * Remarks and warnings may be lost, errors never: "n_error" counts even what
 * cannot be kept.
 */
static void append(struct poly_report *r, struct poly_message m)
{
	bool room;

	if (is_said(r, &m)) {
		free(m.text);
		return;
	}
	room = grow(r);
	if (m.severity == POLY_ERROR)
		r->n_error++;
	if (room && m.text) {
		r->msg[r->n_msg++] = m;
		return;
	}
	free(m.text);
	if (m.severity != POLY_ERROR)
		return;
	if (room) {
		r->msg[r->n_msg++] = lost;
	} else if (r->n_msg == 0) {
		only = lost;
		r->msg = &only;
		r->n_msg = 1;
	} else if (r->cap) {
		free_text(&r->msg[r->n_msg - 1]);
		r->msg[r->n_msg - 1] = lost;
	}
}

/* A linear search through some hundreds of rows, once for each message. An
 * unknown number is ignored: tests see to it that there is none.
 */
void poly_report_add(struct poly_report *r, enum poly_msg id,
	const struct poly_loc *loc, ...)
{
	struct poly_message m = { .number = (int)id };
	va_list ap;
	size_t i;

	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (table[i].number == m.number)
			break;
	if (i == sizeof(table) / sizeof(table[0]))
		return;
	m.severity = table[i].severity;
	poly_memory_refused();
	if (loc)
		m.loc = *loc;
	va_start(ap, loc);
	m.text = format_text(table[i].format, ap);
	va_end(ap);
	append(r, m);
}

bool poly_report_has(const struct poly_report *r, enum poly_msg id)
{
	for (int i = 0; i < r->n_msg; i++)
		if (r->msg[i].number == (int)id)
			return true;
	return false;
}

void poly_report_drop_errors(struct poly_report *r)
{
	int i, n = 0;

	for (i = 0; i < r->n_msg; i++) {
		if (r->msg[i].severity == POLY_ERROR)
			free_text(&r->msg[i]);
		else
			r->msg[n++] = r->msg[i];
	}
	r->n_msg = n;
	r->n_error = 0;
}

/* For a message that a later stage makes superfluous: all with that number
 * whose text begins so.
 */
void poly_report_drop(struct poly_report *r, enum poly_msg id,
	const char *begin)
{
	int n = 0;

	for (int i = 0; i < r->n_msg; i++) {
		if (r->msg[i].number == (int)id &&
		    !strncmp(r->msg[i].text, begin, strlen(begin)))
			free_text(&r->msg[i]);
		else
			r->msg[n++] = r->msg[i];
	}
	r->n_msg = n;
}

/* Does one of the first "n" messages have the number and the place of "m"?
 *
 * Two stages may find one mistake: the second tells nothing new.
 */
static bool is_told(const struct poly_report *r, int n,
	const struct poly_message *m)
{
	for (int i = 0; i < n; i++)
		if (r->msg[i].number == m->number && m->loc.line &&
		    r->msg[i].loc.line == m->loc.line &&
		    r->msg[i].loc.col == m->loc.col)
			return true;
	return false;
}

/* Messages from "first" on are those of a second look. */
void poly_report_drop_told(struct poly_report *r, int first)
{
	int n = first;

	for (int i = first; i < r->n_msg; i++) {
		if (is_told(r, first, &r->msg[i])) {
			r->n_error -= r->msg[i].severity == POLY_ERROR;
			free_text(&r->msg[i]);
		} else {
			r->msg[n++] = r->msg[i];
		}
	}
	r->n_msg = n;
}

/* Remarks of a trial that was chosen become those of the program; their texts
 * change owner.
 */
void poly_report_take_remarks(struct poly_report *from,
	struct poly_report *to)
{
	int i, n = 0;

	for (i = 0; i < from->n_msg; i++) {
		if (from->msg[i].severity == POLY_REMARK)
			append(to, from->msg[i]);
		else
			from->msg[n++] = from->msg[i];
	}
	from->n_msg = n;
}

/* Release the messages; "r" is empty and usable afterwards. */
void poly_report_free(struct poly_report *r)
{
	int i;

	for (i = 0; i < r->n_msg; i++)
		free_text(&r->msg[i]);
	if (r->cap)
		free(r->msg);
	*r = (struct poly_report) { 0 };
}
