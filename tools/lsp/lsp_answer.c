/* What the server knows of a program: the command checks it, and lowers it, in a worker,
 * as the verbs check and build do.
 */
#include <stdlib.h>
#include <string.h>

#include "tools/lib/lib.h"
#include "tools/lib/worker/worker.h"
#include "tools/lsp/lsp.h"

/* Of more statements that write a name, the first are shown. */
enum { LINES_MOST = 40 };

/* Run the command line "word", NULL behind the last, on the text.
 *
 * The file need not exist: the text is that of the document. Messages go to the
 * reply.
 */
static void request(const struct tool_document *d, const char *const *word,
	struct tool_reply *reply)
{
	struct tool_source src = { d->file, d->text, d->len };
	struct tool_ear before = tool_listen(tool_reply_ear(reply));
	struct tool_request q = { .src = &src, .quiet = true,
		.reply = reply };
	enum tool_exit status = TOOL_OK;
	struct tool_options o;

	tool_options_init(&o);
	for (; *word && status == TOOL_OK; word++)
		status = tool_args_add(&o.args, *word);
	if (status == TOOL_OK)
		status = tool_args_add(&o.args, d->file);
	if (status == TOOL_OK)
		status = tool_options_read(&o);
	if (status == TOOL_OK)
		status = tool_options_check(&o);
	q.o = &o;
	if (status == TOOL_OK)
		tool_request(&q);
	tool_listen(before);
	tool_options_free(&o);
}

/* The messages in JSON, as "check --format=json" prints them, are what the
 * protocol calls diagnostics. A message that has no place is left out.
 */
void tool_lsp_diagnostics(const struct tool_document *d, struct poly_str *out)
{
	static const char *const word[] = { "cetane", "check", "--", NULL };
	struct tool_reply reply = { .json = true };
	const char *text;
	int i, n = 0;

	request(d, word, &reply);
	poly_str_add(out, "[");
	for (i = 0; i < reply.n_message; i++) {
		text = reply.message[i].rendered;
		if (!text || *text != '{')
			continue;
		poly_str_add(out, n++ ? ", " : "");
		poly_str_addn(out, text, strcspn(text, "\n"));
	}
	poly_str_add(out, "]");
	tool_reply_free(&reply);
}

/* The text of the first output.
 *
 * Empty if there was an error.
 */
static const char *output(const struct tool_reply *reply)
{
	return reply->n_output ? reply->output[0].data : "";
}

/* Is "p" the name with a shape, or alone?
 *
 * What stands behind the name tells: "AB" is no entry of "A".
 */
static bool is_entry(const char *p, const char *name)
{
	size_t len = strlen(name);

	return !strncmp(p, name, len) && p[len] && strchr("[ \n=", p[len]);
}

/* The table of types decides. */
static bool is_type(const char *word, size_t len)
{
	char name[16];

	if (len >= sizeof(name))
		return false;
	memcpy(name, word, len);
	name[len] = '\0';
	return poly_type_find(name) < POLY_N_TYPE;
}

/* The word of the line at "*p", with the type in front of it; moves "*p" behind it. "*len"
 * is its length, 0 at the end of the line; returns the name in it.
 *
 * Entries are parted by spaces: "f32 A[M,K]" is one entry of two words.
 */
static const char *next_entry(const char **p, const char **from, size_t *len)
{
	const char *name;

	while (**p == ' ')
		++*p;
	name = *from = *p;
	*p += strcspn(*p, " \n");
	if (**p == ' ' && !memchr(name, '[', (size_t)(*p - name)) &&
	    is_type(name, (size_t)(*p - name))) {
		name = *p + 1;
		*p = name + strcspn(name, " \n");
	}
	*len = (size_t)(*p - *from);
	return name;
}

/* From "2 inputs: f32 A[M,K] B[K,N]", in the text of check, what the name is.
 *
 * The line's own word, such as "inputs", says what it is.
 */
static void add_shape(const char *text, const char *name, struct poly_str *out)
{
	const char *line = text, *end, *p, *from, *is, *entry;
	size_t len;

	for (; *line; line = *end ? end + 1 : end) {
		end = line + strcspn(line, "\n");
		p = memchr(line, ':', (size_t)(end - line));
		if (*line < '0' || *line > '9' || !p)
			continue;
		is = line + strcspn(line, " ") + 1;
		len = (size_t)(p++ - is);
		for (entry = next_entry(&p, &from, &len); len;
		     entry = next_entry(&p, &from, &len))
			if (is_entry(entry, name))
				poly_str_printf(out, "- %.*s: `%.*s`\n",
					(int)strcspn(is, ":"), is, (int)len,
					from);
	}
}

/* Does the line "write S = { S[..] -> NAME[..] }" write the name? Then "*stmt" is S.
 *
 * Several accesses may stand in one line.
 */
static bool writes(const char *line, const char *end, const char *name,
	const char **stmt, size_t *len)
{
	const char *p = line;

	if (strncmp(line, "write ", 6))
		return false;
	*stmt = line + 6;
	*len = strcspn(*stmt, " ");
	while ((p = strstr(p, "-> ")) && p < end) {
		p += 3;
		if (is_entry(p, name) && p[strlen(name)] == '[')
			return true;
	}
	return false;
}

/* The lines of deps about the statement: its domain, what it reads and writes.
 *
 * Three lines, in the order of the text.
 */
static void add_statement(const char *text, const char *stmt, size_t len,
	struct poly_str *out)
{
	static const char *const about[] = { "domain ", "read ", "write " };
	const char *line = text, *end;
	size_t i, n;

	for (; *line; line = *end ? end + 1 : end) {
		end = line + strcspn(line, "\n");
		for (i = 0; i < 3; i++) {
			n = strlen(about[i]);
			if (!strncmp(line, about[i], n) &&
			    !strncmp(line + n, stmt, len) && line[n + len] == ' ')
				poly_str_printf(out, "%.*s\n", (int)(end - line),
					line);
		}
	}
}

/* All statements that write the name.
 *
 * As a block of text, at most LINES_MOST of them.
 */
static void add_statements(const char *text, const char *name,
	struct poly_str *out)
{
	const char *line = text, *end, *stmt;
	size_t len;
	int n = 0;

	for (; *line && n < LINES_MOST; line = *end ? end + 1 : end) {
		end = line + strcspn(line, "\n");
		if (!writes(line, end, name, &stmt, &len))
			continue;
		if (n++ == 0)
			poly_str_add(out, "\n```\n");
		add_statement(text, stmt, len, out);
	}
	if (n)
		poly_str_add(out, "```\n");
}

/* Two requests: one tells the shape, the other, of the lowered program, the
 * statements. Either may fail; then the other's answer is all.
 */
void tool_lsp_hover(const struct tool_document *d, const char *name,
	struct poly_str *out)
{
	static const char *const check[] = { "cetane", "check", "--", NULL };
	static const char *const deps[] = { "cetane", "build", "--emit=deps",
		"--", NULL };
	struct tool_reply reply = { .json = true };

	request(d, check, &reply);
	add_shape(output(&reply), name, out);
	tool_reply_free(&reply);
	reply = (struct tool_reply){ .json = true };
	request(d, deps, &reply);
	add_statements(output(&reply), name, out);
	tool_reply_free(&reply);
}
