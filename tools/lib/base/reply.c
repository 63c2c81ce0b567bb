/* The reply of a compilation: messages and outputs as values, and how they
 * travel from the worker to its parent: through a file in memory, in this
 * machine's byte order.
 *
 *	u64 number of messages
 *	each: u64 severity, number, line, column; text; rendered text
 *	u64 number of outputs
 *	each: kind; suffix; data
 *
 * where a text is its length (u64), its bytes and a NUL.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "tools/lib/base/base.h"

/* --------------------------------------------------------------- building */

/* A copy of "size" bytes with a NUL behind them; NULL without memory.
 *
 * The NUL lets a text that was copied be used as a string.
 */
static char *copy(const void *data, size_t size)
{
	char *p = size < SIZE_MAX ? malloc(size + 1) : NULL;

	if (!p)
		return NULL;
	if (size)
		memcpy(p, data, size);
	p[size] = '\0';
	return p;
}

/* The interface has its texts const; whoever made them frees them. */
static void release(const void *p)
{
	free((void *)(uintptr_t)p);
}

static void free_message(struct cetane_message *m)
{
	release(m->text);
	release(m->rendered);
}

static void free_output(struct cetane_output *out)
{
	release(out->kind);
	release(out->suffix);
	release(out->data);
}

/* Append "m" with its texts, which are taken in any case.
 *
 * False without memory. A message without one of its texts is dropped.
 */
static bool add_message(struct tool_reply *r, struct cetane_message m)
{
	struct cetane_message *more = NULL;

	if (m.text && m.rendered)
		more = realloc(r->message,
			(size_t)(r->n_message + 1) * sizeof(*more));
	if (!more) {
		free_message(&m);
		return false;
	}
	r->message = more;
	r->message[r->n_message++] = m;
	return true;
}

/* Append "out" with its copies, which are taken in any case; false without
 * memory.
 *
 * As for messages: what is incomplete is not added.
 */
static bool add_output(struct tool_reply *r, struct cetane_output out)
{
	struct cetane_output *more = NULL;

	if (out.kind && out.suffix && out.data)
		more = realloc(r->output,
			(size_t)(r->n_output + 1) * sizeof(*more));
	if (!more) {
		free_output(&out);
		return false;
	}
	r->output = more;
	r->output[r->n_output++] = out;
	return true;
}

/* All three are copied. */
bool tool_reply_add(struct tool_reply *r, const char *kind, const char *suffix,
	const void *data, size_t size)
{
	struct cetane_output out = { .kind = strdup(kind),
		.suffix = strdup(suffix), .data = copy(data, size),
		.size = size };

	return add_output(r, out);
}

/* The message "m" as it would be printed.
 *
 * Printed to memory, through the same function that prints to a terminal. NULL
 * without memory.
 */
static char *render(const struct tool_reply *r, const char *file,
	const char *text, size_t len, struct poly_message *m)
{
	/* A report of one message, since the functions take reports. */
	struct poly_report one = { .msg = m, .n_msg = 1 };
	struct poly_str json = { 0 };
	char *rendered = NULL;
	size_t size;
	FILE *f = open_memstream(&rendered, &size);

	if (!f)
		return NULL;
	if (r->json) {
		tool_json_messages(&json, file, text, len, &one);
		fputs(json.s ? json.s : "", f);
		poly_str_free(&json);
	} else {
		fe_diag_print(f, file, text, len, &one, r->colored);
	}
	if (fclose(f) == 0)
		return rendered;
	free(rendered);
	return NULL;
}

/* Hear the messages of "report" for the reply "user". One that there is no
 * memory for is left out.
 *
 * Both forms are kept: the text for programs, the rendered one for people.
 */
static void listen(void *user, const char *file, const char *text, size_t len,
	const struct poly_report *report)
{
	static const enum cetane_severity severity[] = {
		[POLY_ERROR] = CETANE_ERROR, [POLY_WARNING] = CETANE_WARNING,
		[POLY_REMARK] = CETANE_REMARK
	};
	struct tool_reply *r = user;
	int i;

	for (i = 0; i < report->n_msg; i++) {
		struct poly_message *m = &report->msg[i];
		/* The library's own severities, which do not change with those
		 * inside.
		 */
		struct cetane_message copied = {
			.severity = severity[m->severity],
			.number = m->number, .line = m->loc.line,
			.column = m->loc.col, .text = strdup(m->text),
			.rendered = render(r, file, text, len, m)
		};

		add_message(r, copied);
	}
}

/* The texts are copied: "from" may be freed. */
void tool_reply_copy_messages(struct tool_reply *r,
	const struct tool_reply *from)
{
	int i;

	for (i = 0; i < from->n_message; i++) {
		struct cetane_message m = from->message[i];

		m.text = strdup(m.text);
		m.rendered = strdup(m.rendered);
		add_message(r, m);
	}
}

/* "r" must live as long as the ear is in use. */
struct tool_ear tool_reply_ear(struct tool_reply *r)
{
	return (struct tool_ear){ listen, r };
}

/* Used when a compilation fails late: messages stay, outputs go. */
void tool_reply_drop_outputs(struct tool_reply *r)
{
	int i;

	for (i = 0; i < r->n_output; i++)
		free_output(&r->output[i]);
	free(r->output);
	r->output = NULL;
	r->n_output = 0;
}

/* How messages are printed stays as it was set, so that the reply can be used
 * again.
 */
void tool_reply_free(struct tool_reply *r)
{
	int i;

	tool_reply_drop_outputs(r);
	for (i = 0; i < r->n_message; i++)
		free_message(&r->message[i]);
	free(r->message);
	*r = (struct tool_reply){ .colored = r->colored,
		.json = r->json };
}

/* ---------------------------------------------------------------- sending */

/* Worker and parent are the same program on the same machine: the bytes go as
 * they are.
 */
static void put_number(struct poly_str *s, int64_t value)
{
	poly_str_addn(s, (const char *)&value, sizeof(value));
}

/* Append a text with its length in front and a NUL behind.
 *
 * The NUL saves the receiver a copy where a text is only read.
 */
static void put(struct poly_str *s, const void *data, size_t size)
{
	put_number(s, (int64_t)size);
	poly_str_addn(s, data, size);
	poly_str_addn(s, "", 1);
}

/* The whole reply is put together first and written at once. */
bool tool_reply_send(const struct tool_reply *r, int fd)
{
	struct poly_str s = { 0 };
	bool ok;
	int i;

	put_number(&s, r->n_message);
	for (i = 0; i < r->n_message; i++) {
		const struct cetane_message *m = &r->message[i];

		put_number(&s, (int64_t)m->severity);
		put_number(&s, m->number);
		put_number(&s, m->line);
		put_number(&s, m->column);
		put(&s, m->text, strlen(m->text));
		put(&s, m->rendered, strlen(m->rendered));
	}
	put_number(&s, r->n_output);
	for (i = 0; i < r->n_output; i++) {
		const struct cetane_output *out = &r->output[i];

		put(&s, out->kind, strlen(out->kind));
		put(&s, out->suffix, strlen(out->suffix));
		put(&s, out->data, out->size);
	}
	ok = !s.failed && tool_write(fd, s.s, s.len);
	poly_str_free(&s);
	return ok;
}

/* -------------------------------------------------------------- receiving */

/* Nothing that comes is trusted: a worker may have died while it wrote. */

/* Bytes of a reply that have yet to be read. */
struct reader {
	const char *p;
	size_t left;
	bool failed;
};

/* Read a number; 0, with in->failed set, if there is none.
 *
 * After a failure each call returns 0: callers look at in->failed in the end.
 */
static int64_t get_number(struct reader *in)
{
	int64_t value = 0;

	if (in->failed || in->left < sizeof(value)) {
		in->failed = true;
		return 0;
	}
	memcpy(&value, in->p, sizeof(value));
	in->p += sizeof(value);
	in->left -= sizeof(value);
	return value;
}

/* A text, owned by the caller, and its length; NULL on failure.
 *
 * The length must leave room for the NUL behind the text.
 */
static char *get(struct reader *in, size_t *size)
{
	int64_t n = get_number(in);
	char *text;

	if (in->failed || n < 0 || (uint64_t)n >= in->left) {
		in->failed = true;
		return NULL;
	}
	*size = (size_t)n;
	text = copy(in->p, *size);
	in->failed |= !text;
	in->p += *size + 1;
	in->left -= *size + 1;
	return text;
}

/* Read a message and append it.
 *
 * A text that is missing makes the message incomplete; that is a failure.
 */
static void get_message(struct tool_reply *r, struct reader *in)
{
	struct cetane_message m = { 0 };
	size_t size;

	m.severity = (enum cetane_severity)get_number(in);
	m.number = (int)get_number(in);
	m.line = (int)get_number(in);
	m.column = (int)get_number(in);
	m.text = get(in, &size);
	m.rendered = get(in, &size);
	in->failed |= !add_message(r, m);
}

/* Read an output and append it. */
static void get_output(struct tool_reply *r, struct reader *in)
{
	struct cetane_output out = { 0 };
	size_t size;

	out.kind = get(in, &size);
	out.suffix = get(in, &size);
	out.data = get(in, &out.size);
	in->failed |= !add_output(r, out);
}

/* The file is mapped instead of read. Messages that came before a failure are
 * kept: they may say why the worker died.
 */
bool tool_reply_receive(struct tool_reply *r, int fd)
{
	struct reader in = { 0 };
	struct stat st;
	int64_t n;
	void *map;

	if (fstat(fd, &st) < 0 || st.st_size <= 0)
		return false;
	map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (map == MAP_FAILED)
		return false;
	in = (struct reader){ .p = map, .left = (size_t)st.st_size };
	for (n = get_number(&in); n > 0 && !in.failed; n--)
		get_message(r, &in);
	for (n = get_number(&in); n > 0 && !in.failed; n--)
		get_output(r, &in);
	munmap(map, (size_t)st.st_size);
	if (in.failed)
		tool_reply_drop_outputs(r);
	return !in.failed;
}
