/* The calls of cetane.h. A build gathers options as the words of a command
 * line "cetane build --arch=... -- NAME", which is what the parser reads and
 * what a worker that is executed gets.
 */
#include <stdlib.h>
#include <string.h>

#include "runtime/program.h"
#include "tools/lib/lib.h"
#include "tools/lib/worker/helper.h"
#include "tools/lib/worker/worker.h"
#include "tools/lib/compile/compile.h"

/* What a caller has said and set, and what came of the last run.
 *
 * A build may run several times; the reply is that of the last time.
 */
struct cetane_build {
	char *name;
	struct tool_source src;
	struct tool_args words;		/* options, as "--name=value" */
	int log;
	struct tool_reply reply;	/* of the last run */
	struct tool_reply unread;	/* why the file could not be read */
	struct nvptx_code *code;	/* the object, when it was loaded */
};

/* The version that was linked, not that of the header. */
const char *cetane_version(void)
{
	return CETANE_VERSION;
}

/* ---------------------------------------------------------------- a build */

/* A build called "name", without a text; NULL without memory.
 *
 * The log is off until it is set.
 */
static struct cetane_build *new_build(const char *name)
{
	struct cetane_build *b = calloc(1, sizeof(*b));

	if (!b)
		return NULL;
	b->log = -1;
	b->name = strdup(name);
	if (!b->name) {
		free(b);
		return NULL;
	}
	return b;
}

/* Text and name are copied. The text gets a NUL behind it. */
struct cetane_build *cetane_build_new(const char *name, const char *text,
	size_t size)
{
	struct cetane_build *b = new_build(name);
	char *copy = b && size < SIZE_MAX ? malloc(size + 1) : NULL;

	if (!copy) {
		cetane_build_free(b);
		return NULL;
	}
	if (size)
		memcpy(copy, text, size);
	copy[size] = '\0';
	b->src = (struct tool_source){ b->name, copy, size };
	return b;
}

/* A file that cannot be read is told by the first run: this only fails without
 * memory.
 */
struct cetane_build *cetane_build_open(const char *path)
{
	struct cetane_build *b = new_build(path);
	struct tool_ear before;

	if (!b)
		return NULL;
	before = tool_listen(tool_reply_ear(&b->unread));
	tool_source_read_file(&b->src, b->name,
		TOOL_MOST_TEXT);
	tool_listen(before);
	return b;
}

/* Forget the last run.
 *
 * What pointers of the caller point to is gone then.
 */
static void forget(struct cetane_build *b)
{
	nvptx_code_free(b->code);
	b->code = NULL;
	tool_reply_free(&b->reply);
}

/* NULL is allowed. */
void cetane_build_free(struct cetane_build *b)
{
	if (!b)
		return;
	forget(b);
	tool_reply_free(&b->unread);
	tool_source_free(&b->src);
	tool_args_free(&b->words);
	free(b->name);
	free(b);
}

/* The option is kept as a word and read when the build runs: only then is it
 * known whether it is right.
 */
enum cetane_build_status cetane_build_set(struct cetane_build *b,
	const char *option, const char *value)
{
	struct poly_str word = { 0 };
	enum tool_exit status = TOOL_ENVIRONMENT;

	poly_str_printf(&word, "--%s%s%s", option, value ? "=" : "",
		value ? value : "");
	if (!word.failed)
		status = tool_args_add(&b->words, word.s);
	poly_str_free(&word);
	return (enum cetane_build_status)status;
}

/* -1 writes no log. */
void cetane_build_log(struct cetane_build *b, int fd)
{
	b->log = fd;
}

/* ------------------------------------------------------------------- runs */

/* The words become a command line, so that options mean the same as on one. */

/* Options of the command that mean nothing here, because they are about files
 * and text that it writes.
 *
 * "word" begins with two dashes.
 */
static bool is_of_command(const char *word)
{
	static const char *const name[] = { "output", "depfile", "crash-dir",
		"verify-reproducible", "help", "version", "verbose" };
	size_t i, len = strcspn(word + 2, "=");

	for (i = 0; i < sizeof(name) / sizeof(name[0]); i++)
		if (strlen(name[i]) == len && !memcmp(word + 2, name[i], len))
			return true;
	return false;
}

/* Fill o->args and read them.
 *
 * "--" keeps a name that begins with a dash from being an option.
 */
static enum tool_exit read_options(const struct cetane_build *b,
	const char *verb, struct tool_options *o)
{
	enum tool_exit status = tool_args_add(&o->args, "cetane");
	int i;

	if (status == TOOL_OK)
		status = tool_args_add(&o->args, verb);
	for (i = 0; i < b->words.n && status == TOOL_OK; i++) {
		status = tool_args_add(&o->args, b->words.item[i]);
		if (is_of_command(b->words.item[i])) {
			tool_message(MSG_USAGE_OPTION, b->words.item[i],
				": only the command has it", "");
			return TOOL_USAGE;
		}
	}
	if (status == TOOL_OK)
		status = tool_args_add(&o->args, "--");
	if (status == TOOL_OK)
		status = tool_args_add(&o->args, b->name);
	if (status == TOOL_OK)
		status = tool_options_read(o);
	return status == TOOL_OK ? tool_options_check(o) : status;
}

/* Compile with the options that were read.
 *
 * In this process, in a fork, or in the helper, which is found beside the
 * library.
 */
static enum tool_exit request(struct cetane_build *b,
	const struct tool_options *o)
{
	struct tool_request q = { .o = o, .src = &b->src, .quiet = true,
		.reply = &b->reply };
	char *helper = NULL;
	enum tool_exit status;

	if (!o->in_process && !tool_helper_find(&helper))
		return TOOL_ENVIRONMENT;
	q.helper = helper;
	b->reply.colored = o->color == TOOL_COLOR_ALWAYS;
	b->reply.json = o->format == TOOL_FORMAT_JSON;
	status = tool_request(&q).status;
	free(helper);
	return status;
}

/* Run the verb on the build with its options. Everything that is said meanwhile
 * goes to the reply, in the place of what the last run left there.
 *
 * A build whose file could not be read fails here, with the reason.
 */
static enum cetane_build_status run(struct cetane_build *b, const char *verb)
{
	struct tool_options o;
	struct tool_ear before;
	enum tool_exit status;

	forget(b);
	before = tool_listen(tool_reply_ear(&b->reply));
	tool_options_init(&o);
	o.log = b->log;
	status = read_options(b, verb, &o);
	if (status == TOOL_OK && !b->src.text) {
		tool_reply_copy_messages(&b->reply, &b->unread);
		status = TOOL_INPUT;
	}
	if (status == TOOL_OK)
		status = request(b, &o);
	tool_options_free(&o);
	tool_listen(before);
	return (enum cetane_build_status)status;
}

/* The three verbs of the interface. */
enum cetane_build_status cetane_build_run(struct cetane_build *b)
{
	return run(b, "build");
}

enum cetane_build_status cetane_build_check(struct cetane_build *b)
{
	return run(b, "check");
}

enum cetane_build_status cetane_build_inspect(struct cetane_build *b)
{
	return run(b, "inspect");
}

/* ---------------------------------------------------------------- results */

/* Everything that is returned belongs to the build, until it runs again or is
 * freed.
 */

int cetane_build_messages(const struct cetane_build *b)
{
	return b->reply.n_message;
}

/* NULL for a number that there is not. */
const struct cetane_message *cetane_build_message(
	const struct cetane_build *b, int i)
{
	return i >= 0 && i < b->reply.n_message ? &b->reply.message[i] : NULL;
}

int cetane_build_outputs(const struct cetane_build *b)
{
	return b->reply.n_output;
}

const struct cetane_output *cetane_build_output(const struct cetane_build *b,
	int i)
{
	return i >= 0 && i < b->reply.n_output ? &b->reply.output[i] : NULL;
}

/* The first output of that kind. */
const struct cetane_output *cetane_build_find(const struct cetane_build *b,
	const char *kind)
{
	int i;

	for (i = 0; i < b->reply.n_output; i++)
		if (!strcmp(b->reply.output[i].kind, kind))
			return &b->reply.output[i];
	return NULL;
}

/* ---------------------------------------------------------------- loading */

/* An object is loaded into the process itself, by LLVM's linker, without a
 * file.
 */

/* The object that the last run made, or that the build was made of.
 *
 * A build of an ELF file is one, although it has not run.
 */
static bool find_object(const struct cetane_build *b, const void **data,
	size_t *size)
{
	const struct cetane_output *made = cetane_build_find(b, "object");
	bool given = !made && b->src.text && b->src.len > 4 &&
		!memcmp(b->src.text, "\177ELF", 4);

	*data = made ? made->data : b->src.text;
	*size = made ? made->size : b->src.len;
	return made || given;
}

/* Link the object of "size" bytes; what it calls is in this process.
 *
 * The object calls the runtime, whose functions are given by their addresses;
 * so are those that kernels of the host device call.
 */
static struct nvptx_code *load(const void *object, size_t size,
	struct poly_report *report)
{
	static const struct nvptx_symbol program[] = {
		{ "cetane_program_load", (void *)cetane_program_load },
		{ "cetane_program_unload", (void *)cetane_program_unload },
		{ "cetane_program_workspace",
		  (void *)cetane_program_workspace },
		{ "cetane_program_refuse", (void *)cetane_program_refuse },
		{ "cetane_program_launch", (void *)cetane_program_launch },
		{ "cetane_program_selftest", (void *)cetane_program_selftest },
		{ "cetane_program_launch_strided",
		  (void *)cetane_program_launch_strided },
		{ "cetane_program_call", (void *)cetane_program_call },
		{ "cetane_program_call_members",
		  (void *)cetane_program_call_members }
	};
	enum { N = sizeof(program) / sizeof(program[0]) };
	struct nvptx_symbol all[N + TOOL_N_HOST_SYMBOL];
	int n = 0, i;

	for (i = 0; i < N; i++)
		all[n++] = program[i];
	for (i = 0; i < TOOL_N_HOST_SYMBOL; i++)
		all[n++] = tool_host_symbol[i];
	return nvptx_code_load(object, size, all, n, report);
}

/* The object is loaded by the first call and stays until the build runs again.
 * NULL, with a message in the reply, if it has no such symbol.
 */
void *cetane_build_symbol(struct cetane_build *b, const char *name)
{
	struct tool_ear before = tool_listen(tool_reply_ear(&b->reply));
	struct poly_report report = { 0 };
	const void *object;
	void *address = NULL;
	size_t size;

	if (!find_object(b, &object, &size))
		poly_report_add(&report, MSG_NVPTX_JIT, NULL,
			"the build has made no object");
	else if (!b->code)
		b->code = load(object, size, &report);
	if (b->code)
		address = nvptx_code_symbol(b->code, name, &report);
	tool_report_tell(&report);
	tool_listen(before);
	return address;
}
