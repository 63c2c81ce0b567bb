/* The verbs build and check: compile, and write what was asked for. */
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/tools.h"

struct build {
	struct tool_options *o;
	struct tool_source src;
	struct tool_output out[TOOL_N_EMIT + 1];	/* in o->order; depfile */
	int n_out;
};

static const enum tool_stage made_by[] = {
#define VERB(id, name, operand, help)
#define EMIT(id, name, suffix, stage, help) TOOL_STAGE_##stage,
#define OPTION(verbs, letter, name, kind, field, argument, help)
#include "tools/lib/option.def"
#undef VERB
#undef EMIT
#undef OPTION
};

/* The last stage that the kinds of output need. */
static enum tool_stage last_stage(const struct tool_options *o)
{
	enum tool_stage last = TOOL_STAGE_FE_READ;
	int i;

	for (i = 0; i < o->n_order; i++)
		if (made_by[o->order[i]] > last)
			last = made_by[o->order[i]];
	return last;
}

/* --------------------------------------------------------------- outputs */

bool tool_is_folder(const char *path)
{
	struct stat st;
	size_t len = strlen(path);

	return (len && path[len - 1] == '/') ||
		(stat(path, &st) == 0 && S_ISDIR(st.st_mode));
}

char *tool_stem(const char *file)
{
	char *stem = tool_base_name(strcmp(file, "-") ? file : "stdin");
	char *dot = stem ? strrchr(stem, '.') : NULL;

	if (dot && dot != stem)
		*dot = '\0';
	return stem;
}

/* Where the output "kind" goes; owned by the caller. A single kind goes to -o
 * itself; several take it as the stem of their names, or as their folder.
 */
static char *output_path(const struct tool_options *o, enum tool_emit kind)
{
	const char *given = o->output;
	bool folder = given && tool_is_folder(given);
	char *stem, *path = NULL;
	int n;

	if (!given && o->n_order == 1 && kind != TOOL_EMIT_CUBIN)
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

static enum tool_exit open_outputs(struct build *b)
{
	struct tool_options *o = b->o;
	enum tool_exit status = TOOL_OK;
	char *path;
	int i;

	for (i = 0; i < o->n_order && status == TOOL_OK; i++) {
		path = output_path(o, o->order[i]);
		if (!path) {
			tool_message(MSG_NO_MEMORY, "the names of outputs");
			status = TOOL_ENVIRONMENT;
		} else if (o->order[i] == TOOL_EMIT_CUBIN &&
			   !strcmp(path, "-") && isatty(STDOUT_FILENO)) {
			tool_message(MSG_USAGE_CONFLICT, "a cubin is not "
				"written to a terminal: give -o FILE");
			status = TOOL_USAGE;
		} else if (!tool_output_open(&b->out[b->n_out++], path)) {
			status = TOOL_ENVIRONMENT;
		}
		free(path);
	}
	if (status == TOOL_OK)
		status = tool_depfile_open(o, b->out, &b->n_out);
	return status;
}

static enum tool_exit write_output(int fd, const struct poly_str *text,
	const char *what)
{
	if (tool_write(fd, text->s, text->len))
		return TOOL_OK;
	tool_message(MSG_FILE_WRITE, what, "the disk is full or fails");
	return TOOL_ENVIRONMENT;
}

/* ----------------------------------------------------------------- build */

/* The dynamic shared memory of "kernel", of which ptxas knows nothing. */
static int dynamic_shared(const struct tool_compile *c, const char *kernel)
{
	const struct nvptx_plan *plan = nvptx_module_plan(c->module);
	int i;

	for (i = 0; plan && i < plan->n_launch; i++)
		if (!strcmp(plan->launch[i].kernel, kernel))
			return plan->launch[i].shared_bytes;
	return 0;
}

static void print_usage(const struct tool_compile *c)
{
	const struct nvptx_usage *u;
	int i;

	for (i = 0; i < c->n_usage; i++) {
		u = &c->usage[i];
		fprintf(stderr, "%s: remark: %s: %d registers, %d bytes stack,"
			" %d bytes spill stores, %d bytes spill loads, %d bytes"
			" shared, %d bytes constant\n", c->source->name,
			u->kernel, u->registers, u->stack, u->spill_stores,
			u->spill_loads,
			u->shared + dynamic_shared(c, u->kernel),
			u->constant);
	}
}

static enum tool_exit build_in_worker(void *user)
{
	struct build *b = user;
	struct tool_options *o = b->o;
	struct tool_compile c;
	enum tool_exit status;
	int i;

	tool_compile_init(&c, o, &b->src, NVPTX_GPU, last_stage(o), NULL);
	if (!c.nvptx.target)
		c.nvptx.target = nvptx_target_find("sm_90a");
	c.emit = o->emit;
	c.shown_file = true;
	status = tool_compile(&c);
	if (status == TOOL_OK)
		print_usage(&c);
	for (i = 0; i < o->n_order && status == TOOL_OK; i++)
		status = write_output(b->out[i].fd, &c.out[o->order[i]],
			tool_emit_name(o->order[i]));
	return tool_compile_free(&c, status);
}

enum tool_exit tool_build(struct tool_options *o)
{
	struct build b = { .o = o };
	enum tool_exit status;

	if (o->emit & 1u << TOOL_EMIT_OBJECT)
		return tool_build_object(o);
	if (!tool_source_read(&b.src, o->file))
		return TOOL_INPUT;
	status = open_outputs(&b);
	if (status == TOOL_OK)
		status = tool_worker(o, &b.src, build_in_worker, &b);
	if (status == TOOL_OK && !tool_output_commit(b.out, b.n_out))
		status = TOOL_ENVIRONMENT;
	tool_output_close(b.out, b.n_out);
	tool_source_free(&b.src);
	return status;
}

/* ----------------------------------------------------------------- check */

static enum tool_exit check_in_worker(void *user)
{
	struct build *b = user;
	struct poly_str text = { 0 };
	struct tool_compile c;
	enum tool_exit status;

	tool_compile_init(&c, b->o, &b->src, NVPTX_HOST, TOOL_STAGE_FE_READ,
		NULL);
	status = tool_compile(&c);
	if (status == TOOL_OK)
		fe_print_check(c.unit, &text);
	if (text.s)
		fputs(text.s, stdout);
	poly_str_free(&text);
	return tool_compile_free(&c, status);
}

enum tool_exit tool_check(struct tool_options *o)
{
	struct build b = { .o = o };
	enum tool_exit status;

	if (!tool_source_read(&b.src, o->file))
		return TOOL_INPUT;
	status = tool_worker(o, &b.src, check_in_worker, &b);
	tool_source_free(&b.src);
	return status;
}
