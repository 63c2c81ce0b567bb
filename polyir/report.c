/* The report: messages in the order in which stages gave them.
 *
 * message.def is the only place where a message's number, severity and wording
 * stand; a caller names the message and supplies the arguments of its format.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "polyir/polyir.h"

static const struct {
	int number;
	enum poly_severity severity;
	const char *format;
} table[] = {
#define MSG(number, id, severity, format) { number, POLY_##severity, format },
#include "polyir/message.def"
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

/* Append "m", taking its text. An error is counted even when there is no
 * memory left to keep its text.
 */
static void append(struct poly_report *r, struct poly_message m)
{
	struct poly_message *msg = r->msg;
	int cap = r->cap ? 2 * r->cap : 8;

	if (m.severity == POLY_ERROR)
		r->n_error++;
	if (r->n_msg == r->cap) {
		msg = realloc(msg, (size_t)cap * sizeof(*msg));
		if (msg) {
			r->msg = msg;
			r->cap = cap;
		}
	}
	if (!msg || !m.text) {
		free(m.text);
		return;
	}
	r->msg[r->n_msg++] = m;
}

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
	if (loc)
		m.loc = *loc;
	va_start(ap, loc);
	m.text = format_text(table[i].format, ap);
	va_end(ap);
	append(r, m);
}

/* Release the messages; "r" is empty and usable afterwards. */
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

void poly_report_free(struct poly_report *r)
{
	int i;

	for (i = 0; i < r->n_msg; i++)
		free(r->msg[i].text);
	free(r->msg);
	*r = (struct poly_report) { 0 };
}
