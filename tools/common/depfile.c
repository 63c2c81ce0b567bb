/* --depfile: what the outputs were made from, for make and ninja:
 *
 *	out/gemm.o out/gemm.h out/gemm.json: src/gemm.dsl flags.txt
 *
 * The headers that a C file includes are known, and follow, when it has been
 * preprocessed.
 *
 * Blanks, "#" and ":" of names carry a backslash, "$" is doubled; backslashes
 * before a blank or "#" are doubled, others stay as they are.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/tools.h"

/* Append "name" with the escapes of a makefile: only backslashes in front of a
 * blank or "#" are doubled.
 */
static void add_name(struct poly_str *text, const char *name)
{
	size_t backslashes = 0;

	for (; *name; name++) {
		if (strchr(" \t#", *name))
			while (backslashes--)
				poly_str_add(text, "\\");
		if (strchr(" \t#:", *name))
			poly_str_add(text, "\\");
		else if (*name == '$')
			poly_str_add(text, "$");
		backslashes = *name == '\\' ? backslashes + 1 : 0;
		poly_str_addn(text, name, 1);
	}
}

/* False, having said so, if "name" cannot stand in a dependency file. */
static bool can_stand(const char *name)
{
	if (name && !strchr(name, '\n'))
		return true;
	tool_message(MSG_USAGE_CONFLICT, name ? "--depfile cannot hold a name "
		"with a line break" : "--depfile needs outputs that are "
		"files: give -o");
	return false;
}

/* Make the rule: the outputs, then what they depend on as far as the command
 * line tells: the program, files of options, and those that options read.
 * False, having said so, if a name cannot stand there.
 */
static bool make_text(const struct tool_options *o,
	const struct tool_output *out, int n, struct poly_str *text)
{
	int i;

	for (i = 0; i < n; i++) {
		if (!can_stand(out[i].name))
			return false;
		poly_str_add(text, i ? " " : "");
		add_name(text, out[i].name);
	}
	poly_str_add(text, ":");
	if (strcmp(o->file, "-")) {
		if (!can_stand(o->file))
			return false;
		poly_str_add(text, " ");
		add_name(text, o->file);
	}
	for (i = 0; i < 5; i++) {
		const char *const read[] = { o->config, o->tuning, o->schedule,
			o->profile, o->decisions };
		const char *name = read[i];

		if (!name || (i == 1 && !strcmp(name, "none")))
			continue;
		if (!can_stand(name))
			return false;
		poly_str_add(text, " ");
		add_name(text, name);
	}
	for (i = 0; i < o->arg_files.n; i++) {
		if (!can_stand(o->arg_files.item[i]))
			return false;
		poly_str_add(text, " ");
		add_name(text, o->arg_files.item[i]);
	}
	return true;
}

/* Write "text", which is freed, to "out". */
static enum tool_exit write_text(const struct tool_options *o,
	const struct tool_output *out, struct poly_str *text)
{
	enum tool_exit status = TOOL_OK;

	if (text->failed) {
		status = tool_no_memory("the dependency file");
	} else if (!tool_write(out->fd, text->s, text->len)) {
		tool_message(MSG_FILE_WRITE, o->depfile,
			strerror(errno));
		status = TOOL_ENVIRONMENT;
	}
	poly_str_free(text);
	return status;
}

enum tool_exit tool_depfile_open(const struct tool_options *o,
	struct tool_output *out, int *n)
{
	struct poly_str text = { 0 };
	enum tool_exit status = TOOL_USAGE;

	if (!o->depfile)
		return TOOL_OK;
	if (make_text(o, out, *n, &text)) {
		if (tool_output_open(&out[(*n)++], o->depfile))
			return write_text(o, &out[*n - 1], &text);
		status = TOOL_ENVIRONMENT;
	}
	poly_str_free(&text);
	return status;
}

enum tool_exit tool_depfile_finish(const struct tool_options *o,
	const struct tool_output *out, const char *header)
{
	struct poly_str text = { 0 };
	size_t len;
	char *name;

	for (; *header; header += len + 1) {
		len = strcspn(header, "\n");
		name = strndup(header, len);
		text.failed |= !name;
		poly_str_add(&text, " ");
		if (name)
			add_name(&text, name);
		free(name);
	}
	poly_str_add(&text, "\n");
	return write_text(o, out, &text);
}
