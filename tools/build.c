/* The verbs build, check and inspect: the library compiles, and what it gives is
 * written to files or printed. They are opened before, so that a folder that cannot be
 * written to is found at once.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/lib/worker/worker.h"
#include "tools/lib/object/object.h"
#include "tools/lib/lib.h"
#include "tools/tools.h"

/* Kinds of output, parts of an object, and the dependency file. */
enum { MOST_OUTPUT = (int)TOOL_N_EMIT + (int)TOOL_N_PART + 1 };

/* Options, source, and the files of the outputs, in the library's order, with
 * the dependency file behind them.
 *
 * The order is what connects an output with its file.
 */
struct build {
	struct tool_options *o;
	struct tool_source src;
	struct tool_output out[MOST_OUTPUT];
	int n_out;
	struct tool_reply reply;
};

/* --------------------------------------------------------------- outputs */

/* All outputs are opened before anything is compiled, and put in place behind
 * it.
 */

/* Others are text and may go to a terminal. */
static bool is_binary(enum tool_emit kind)
{
	return kind == TOOL_EMIT_CUBIN || kind == TOOL_EMIT_FATBIN;
}

/* Where the output "kind" goes; owned by the caller. A single kind goes to -o
 * itself; several take it as the stem of their names, or as their folder.
 *
 * Without -o one kind of text goes to the standard output, and everything else
 * to files named after the source, in the current folder.
 */
static char *output_path(const struct tool_options *o, enum tool_emit kind)
{
	const char *given = o->output;
	bool folder = given && tool_is_folder(given);
	char *stem, *path = NULL;
	int n;

	if (!given && o->n_order == 1 && !is_binary(kind))
		return strdup("-");
	if (given && !strcmp(given, "-"))
		return strdup("-");
	if (given && o->n_order == 1 && !folder)
		return strdup(given);
	stem = given && !folder ? strdup(given) : tool_stem(o->file);
	n = stem ? asprintf(&path, "%s%s%s%s", folder ? given : "",
			folder ? "/" : "", stem, tool_emit_suffix(kind)) : -1;
	free(stem);
	return n < 0 ? NULL : path;
}

/* Where the part of an object with that suffix goes: -o is the object's file or
 * a folder; the others get its name with another suffix. Owned by the caller,
 * NULL without memory.
 *
 *	-o x.o	x.o, x.h, x.json
 */
static char *part_path(const struct tool_options *o, const char *suffix)
{
	const char *given = o->output;
	bool folder = given && tool_is_folder(given);
	char *stem = given && !folder ? strdup(given) : tool_stem(o->file);
	size_t len = stem ? strlen(stem) : 0;
	char *path = NULL;

	if (given && !folder && len > 2 && !strcmp(stem + len - 2, ".o"))
		stem[len - 2] = '\0';
	if (stem && asprintf(&path, "%s%s%s%s", folder ? given : "",
			folder ? "/" : "", stem, suffix) < 0)
		path = NULL;
	free(stem);
	return path;
}

/* Open the output "path", which is freed; NULL: there was no memory for it.
 *
 * The counter goes up even if it fails, so that it is closed.
 */
static enum tool_exit open_output(struct build *b, char *path)
{
	enum tool_exit status = TOOL_OK;

	if (!path) {
		return tool_no_memory("the names of outputs");
	}
	if (!tool_output_open(&b->out[b->n_out++], path))
		status = TOOL_ENVIRONMENT;
	free(path);
	return status;
}

/* Open the three files of an object; standard output cannot be all of them.
 *
 * Which three is in tool_part_suffix.
 */
static enum tool_exit open_parts(struct build *b)
{
	enum tool_exit status = TOOL_OK;
	int i;

	if (b->o->output && !strcmp(b->o->output, "-")) {
		tool_message(MSG_USAGE_CONFLICT, "an object is three files: "
			"give -o FILE.o or a folder");
		return TOOL_USAGE;
	}
	for (i = 0; i < TOOL_N_PART && status == TOOL_OK; i++)
		status = open_output(b, part_path(b->o, tool_part_suffix[i]));
	return status;
}

/* Open a file for each kind of output that was asked for, in the order of the
 * command line. No binary goes to a terminal.
 *
 * A file may still be a terminal by its name; only the standard output is
 * looked at.
 */
static enum tool_exit open_kinds(struct build *b)
{
	const struct tool_options *o = b->o;
	enum tool_exit status = TOOL_OK;
	char *path;
	int i;

	for (i = 0; i < o->n_order && status == TOOL_OK; i++) {
		path = output_path(o, o->order[i]);
		if (path && is_binary(o->order[i]) &&
		    !strcmp(path, "-") && isatty(STDOUT_FILENO)) {
			tool_message(MSG_USAGE_CONFLICT, "a binary is not "
				"written to a terminal: give -o FILE");
			free(path);
			return TOOL_USAGE;
		}
		status = open_output(b, path);
	}
	return status;
}

/* The runtime's two files go into a folder, that of -o or the current one.
 *
 * The folder is not made.
 */
static enum tool_exit open_runtime(struct build *b)
{
	const char *folder = b->o->output ? b->o->output : ".";
	enum tool_exit status = TOOL_OK;
	char *path;
	int i;

	if (!tool_is_folder(folder)) {
		tool_message(MSG_USAGE_CONFLICT, "the runtime is two files: "
			"give -o FOLDER, which has to exist");
		return TOOL_USAGE;
	}
	for (i = 0; i < TOOL_N_RUNTIME && status == TOOL_OK; i++) {
		if (asprintf(&path, "%s/%s", folder, tool_runtime_name[i]) < 0)
			path = NULL;
		status = open_output(b, path);
	}
	return status;
}

/* What the output "i" would replace, or NULL.
 *
 * The program, what options read, and files of arguments. An output named twice
 * counts, too.
 */
static const char *replaced(const struct build *b, int i)
{
	const struct tool_options *o = b->o;
	const char *const file[] = { o->file, o->config, o->tuning,
		o->schedule, o->decisions };
	const struct tool_output *out = &b->out[i];
	size_t k;
	int n;

	for (k = 0; k < sizeof(file) / sizeof(file[0]); k++)
		if (file[k] && tool_output_replaces(out, file[k]))
			return file[k];
	for (n = 0; n < o->arg_files.n; n++)
		if (tool_output_replaces(out, o->arg_files.item[n]))
			return o->arg_files.item[n];
	for (n = 0; n < i; n++)
		if (tool_output_same(out, &b->out[n]))
			return "another output";
	return NULL;
}

/* Refuse outputs that would take the place of an input or of one another.
 *
 * Nothing has been written so far, so nothing is lost.
 */
static enum tool_exit keep_apart(const struct build *b)
{
	const char *what;
	int i;

	for (i = 0; i < b->n_out; i++) {
		what = replaced(b, i);
		if (!what)
			continue;
		tool_message(MSG_USAGE_REPLACES, b->out[i].name, what);
		return TOOL_USAGE;
	}
	return TOOL_OK;
}

/* Open all outputs, the dependency file last, before anything is compiled.
 *
 * What kind of files there are depends on the kinds that were asked for.
 */
static enum tool_exit open_outputs(struct build *b)
{
	unsigned emit = b->o->emit;
	enum tool_exit status = emit & 1u << TOOL_EMIT_OBJECT ? open_parts(b) :
		emit & 1u << TOOL_EMIT_RUNTIME ? open_runtime(b) :
		open_kinds(b);

	if (status == TOOL_OK)
		status = tool_depfile_open(b->o, b->out, &b->n_out);
	return status == TOOL_OK ? keep_apart(b) : status;
}

/* Write what the library gave to the files, and put all of them in place. The
 * dependency file gets the names of headers, which the reply has behind the
 * other outputs.
 *
 * If writing fails no file is replaced: all are put in place together.
 */
static enum tool_exit write_outputs(struct build *b)
{
	const struct cetane_output *out = b->reply.output;
	int i, n = b->n_out - (b->o->depfile != NULL);

	if (n < b->n_out && tool_depfile_finish(b->o, &b->out[n],
	    n < b->reply.n_output ? out[n].data : "") != TOOL_OK)
		return TOOL_ENVIRONMENT;
	for (i = 0; i < n && i < b->reply.n_output; i++, out++) {
		const char *name = b->out[i].name;

		if (tool_write(b->out[i].fd, out->data, out->size))
			continue;
		tool_message(MSG_FILE_WRITE, name ? name : out->kind,
			strerror(errno));
		return TOOL_ENVIRONMENT;
	}
	return tool_output_commit(b->out, b->n_out) ? TOOL_OK :
		TOOL_ENVIRONMENT;
}

/* ----------------------------------------------------------------- verbs */

/* The three verbs differ in what they do with the reply. */

/* Is there an error among the messages of the reply?
 *
 * A failure without one had no memory for its message.
 */
static bool has_error(const struct tool_reply *r)
{
	int i;

	for (i = 0; i < r->n_message; i++)
		if (r->message[i].severity == CETANE_ERROR)
			return true;
	return false;
}

/* Compile, print the messages, keep the reproducer of a failure.
 *
 * Messages have been rendered in the worker; they are printed as they are.
 */
static enum tool_exit compile(struct build *b)
{
	struct tool_reply *r = &b->reply;
	struct tool_request q = { .o = b->o, .src = &b->src, .reply = r };
	struct tool_end end;
	int i;

	r->colored = tool_color(b->o);
	r->json = b->o->format == TOOL_FORMAT_JSON;
	end = tool_request(&q);
	for (i = 0; i < r->n_message; i++)
		fputs(r->message[i].rendered, stderr);
	if (end.status != TOOL_OK && !has_error(r))
		tool_message(MSG_NO_MEMORY, "the messages");
	if (end.stage && r->n_output)
		tool_keep_reproducer(b->o, end.stage, r->output[0].data,
			r->output[0].size);
	return end.status;
}

/* The runtime is written without a program: its source has a name only. */
enum tool_exit tool_build(struct tool_options *o)
{
	struct build b = { .o = o };
	enum tool_exit status;

	if (!o->file)
		b.src.name = tool_emit_name(o->order[0]);
	status = o->file ? tool_source_read(&b.src, o->file,
		TOOL_MOST_TEXT) : TOOL_OK;
	if (status != TOOL_OK)
		return status;
	status = open_outputs(&b);
	if (status == TOOL_OK)
		status = compile(&b);
	if (status == TOOL_OK && o->reproduce)
		status = tool_reproduce(o, &b.src, b.out,
			b.n_out - (o->depfile != NULL), &b.reply);
	if (status == TOOL_OK)
		status = write_outputs(&b);
	tool_output_close(b.out, b.n_out);
	tool_reply_free(&b.reply);
	tool_source_free(&b.src);
	return status;
}

/* Compile, and print the only output.
 *
 * "check" and "inspect" have one, a text.
 */
static enum tool_exit print_output(struct tool_options *o, size_t most)
{
	struct build b = { .o = o };
	enum tool_exit status;

	status = tool_source_read(&b.src, o->file, most);
	if (status != TOOL_OK)
		return status;
	status = compile(&b);
	if (status == TOOL_OK)
		fputs(b.reply.output[0].data, stdout);
	tool_reply_free(&b.reply);
	tool_source_free(&b.src);
	return status;
}

/* Programs are texts, and what "inspect" reads may be larger. */
enum tool_exit tool_check(struct tool_options *o)
{
	return print_output(o, TOOL_MOST_TEXT);
}

enum tool_exit tool_inspect(struct tool_options *o)
{
	return print_output(o, TOOL_MOST_ARTIFACT);
}
