/* build --emit=runtime: the runtime as two source files, for programs that are
 * built where no libcetane_rt is installed.
 *
 * The command holds the files of runtime/ as they are; here, all C files become
 * one, and the headers that they include stand in the place of the first
 * #include, tables (.def) in the place of each. What is public becomes
 * cetane_rt.h.
 */
#include <stdlib.h>
#include <string.h>

#include "tools/lib/object/object.h"
#include "tools/lib/object/runtime.h"

const char *const tool_runtime_name[TOOL_N_RUNTIME] = {
	"cetane_rt.c", "cetane_rt.h"
};

static const char public[] = "cetane_rt.h";

/* One file in the making out of all sources of the runtime. */
struct merge {
	struct poly_str *out;
	bool *seen;		/* one a file: stands in "out" already */
	bool inside_public;	/* what is merged is cetane_rt.h */
};

/* The file that the path of "len" bytes at "name" ends in, or -1: no two files of
 * runtime/ have one name.
 */
static int find_file(const char *name, size_t len)
{
	const char *slash = memrchr(name, '/', len);
	int i;

	if (slash) {
		len -= (size_t)(slash + 1 - name);
		name = slash + 1;
	}
	for (i = 0; tool_runtime_file[i].name; i++)
		if (strlen(tool_runtime_file[i].name) == len &&
		    !memcmp(tool_runtime_file[i].name, name, len))
			return i;
	return -1;
}

static void merge_file(struct merge *m, int file);

/* Headers come once. Those that cetane_rt.h holds come with it. */
static void merge_include(struct merge *m, int file)
{
	const char *name = tool_runtime_file[file].name;
	bool header = tool_ends_with(name, ".h");

	if (header && m->seen[file])
		return;
	m->seen[file] = true;
	if (!m->inside_public && !strcmp(name, public))
		poly_str_printf(m->out, "#include \"%s\"\n", public);
	else
		merge_file(m, file);
}

/* Append the text of a file, with that of the files of ours that it includes in
 * the place of the lines that do.
 */
static void merge_file(struct merge *m, int file)
{
	static const char include[] = "#include \"";
	const char *line = tool_runtime_file[file].text;
	size_t len, skip = sizeof(include) - 1;
	int other;

	for (; *line; line += len) {
		len = strcspn(line, "\n");
		len += line[len] == '\n';
		other = -1;
		if (!strncmp(line, include, skip))
			other = find_file(line + skip,
				strcspn(line + skip, "\""));
		if (other >= 0)
			merge_include(m, other);
		else
			poly_str_addn(m->out, line, len);
	}
}

/* Mark what "file" includes, so that it is not merged again. */
static void mark_included(struct merge *m, int file)
{
	struct poly_str text = { 0 };
	struct merge inner = { .out = &text, .seen = m->seen,
		.inside_public = true };

	merge_file(&inner, file);
	poly_str_free(&text);
}

/* Make cetane_rt.c: what is public first, as the header has it, then all C
 * files.
 */
static void make_source(struct merge *m)
{
	int file;

	poly_str_add(m->out, "/* The runtime of programs that cetane "
		CETANE_VERSION " compiles, in one file. */\n"
		"#ifndef _GNU_SOURCE\n#define _GNU_SOURCE\n#endif\n\n");
	file = find_file(public, strlen(public));
	merge_include(m, file);
	mark_included(m, file);
	for (file = 0; tool_runtime_file[file].name; file++)
		if (tool_ends_with(tool_runtime_file[file].name, ".c"))
			merge_file(m, file);
}

static void make_header(struct merge *m)
{
	m->inside_public = true;
	merge_file(m, find_file(public, strlen(public)));
}

enum tool_exit tool_make_runtime(struct tool_reply *reply)
{
	struct poly_str text[TOOL_N_RUNTIME] = { 0 };
	enum tool_exit status = TOOL_OK;
	struct merge m;
	int i, n;

	for (n = 0; tool_runtime_file[n].name; n++)
		;
	for (i = 0; i < TOOL_N_RUNTIME && status == TOOL_OK; i++) {
		m = (struct merge){ .out = &text[i],
			.seen = calloc((size_t)n, sizeof(bool)) };
		if (m.seen && i == 0)
			make_source(&m);
		else if (m.seen)
			make_header(&m);
		if (!m.seen || text[i].failed || !tool_reply_add(reply,
				"runtime", tool_runtime_name[i], text[i].s,
				text[i].len)) {
			status = tool_no_memory("the runtime");
		}
		free(m.seen);
		poly_str_free(&text[i]);
	}
	return status;
}
