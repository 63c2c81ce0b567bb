/* C files: preprocessed by the system's compiler, then read.
 *
 * The text goes to "cc -E" ($CC if it is set) as a file in memory, behind a
 * line that gives it its name, so that no file has to exist; includes are
 * looked for in the folder of the source, too. A definition NAME=VALUE of the
 * command line is a macro, unless the function declares a variable of that
 * name: then it is the value of a size. A file that ends in ".i" is read as it
 * is.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/lib/compile/compile.h"

/* Bytes of memory of the preprocessor, which reads what it is told to include as a
 * whole; and of its errors, how many are told.
 */
enum { MOST_MEMORY = 512 << 20, MOST_ERRORS = 20 };

/* One run of the preprocessor. */
struct run {
	const struct tool_source *src;
	struct tool_args args;
	int fd[3];		/* its standard streams */
	struct poly_report *report;
};

/* ---------------------------------------------------------------- running */

/* Write the source, behind a marker with its name, to the preprocessor's input.
 */
static bool fill_input(struct run *r)
{
	struct poly_str line = { 0 };
	bool ok;

	poly_str_add(&line, "# 1 \"");
	fe_marker_write(r->src->name, &line);
	poly_str_add(&line, "\"\n");
	ok = !line.failed && tool_write(r->fd[0], line.s, line.len) &&
		tool_write(r->fd[0], r->src->text, r->src->len) &&
		lseek(r->fd[0], 0, SEEK_SET) == 0;
	poly_str_free(&line);
	return ok;
}

/* Run and wait; the exit status, or -1 with errno. */
static int run_and_wait(struct run *r)
{
	char *program = nvptx_path_find(r->args.item[0]);
	const struct nvptx_child c = { .path = program, .arg = r->args.item,
		.fd = { r->fd[0], r->fd[1], r->fd[2] },
		.most_file = TOOL_MOST_TEXT, .most_memory = MOST_MEMORY };
	int err, status = 0;
	pid_t pid;

	if (!program) {
		errno = errno == ENOMEM ? ENOMEM : ENOENT;
		return -1;
	}
	err = nvptx_child_start(&c, &pid);
	free(program);
	if (err) {
		errno = err;
		return -1;
	}
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}

static bool read_stream(int fd, struct tool_source *text)
{
	*text = (struct tool_source) { 0 };
	return lseek(fd, 0, SEEK_SET) == 0 && tool_source_read_fd(text, fd);
}

/* ---------------------------------------------------------------- messages */

/* "file:line:col: fatal error: text" */
static bool report_line(struct run *r, char *line)
{
	size_t n = fe_marker_match(line, r->src->name);
	struct poly_loc loc = { 0, 0, 1 };
	char *text;
	int used = 0;

	text = strstr(line + n, "error: ");
	if (!text)
		return false;
	if (n && sscanf(line + n, ":%d:%d:%n", &loc.line, &loc.col,
		&used) == 2 && used)
		poly_report_add(r->report, MSG_FE_C_CPP, &loc, text + 7);
	else
		poly_report_add(r->report, MSG_FE_C_CPP, NULL, text + 7);
	return true;
}

/* Report what the preprocessor has said, up to MOST_ERRORS lines of it. */
static void report_errors(struct run *r)
{
	struct tool_source text;
	char *line, *save;
	int n = 0;

	if (!read_stream(r->fd[2], &text))
		return;
	line = strtok_r(text.text, "\n", &save);
	for (; line && n < MOST_ERRORS; line = strtok_r(NULL, "\n", &save))
		n += report_line(r, line);
	if (!n)
		poly_report_add(r->report, MSG_FE_C_CPP, NULL,
			"it failed without saying why");
	tool_source_free(&text);
}

/* --------------------------------------------------------------- arguments */

/* Append one argument, "a" and "b" together. Without memory it is left out, and
 * poly_memory_refused keeps the preprocessor from running.
 */
static void add(struct run *r, const char *a, const char *b)
{
	struct poly_str s = { 0 };

	poly_str_add(&s, a);
	poly_str_add(&s, b);
	if (!s.failed)
		tool_args_add(&r->args, s.s);
	poly_str_free(&s);
}

/* The name in front of "=". */
static char *defined_name(const char *text)
{
	return strndup(text, strcspn(text, "="));
}

/* True if the definition is that of a size in "declared", a file that was
 * preprocessed without it.
 */
static bool is_size(const struct tool_source *src,
	const struct tool_source *declared, const char *text)
{
	char *name = defined_name(text);
	bool found = name && strchr(text, '=') && declared->text &&
		fe_c_declares(src->name, declared->text, declared->len, name);

	free(name);
	return found;
}

/* The command line of the preprocessor. While "declared" has no text, only
 * macros without a value are given; later all but those that are sizes of the
 * program. The folder of the source is among those of headers.
 */
static void add_arguments(struct run *r, const struct tool_options *o,
	const struct tool_source *declared)
{
	const char *cc = getenv("CC"), *slash = strrchr(r->src->name, '/');
	char *folder;
	int i;

	tool_args_add(&r->args, cc && *cc ? cc : "cc");
	tool_args_add(&r->args, "-E");
	if (o->host && o->host->unsigned_char)
		tool_args_add(&r->args, "-funsigned-char");
	for (i = 0; i < o->define_list.n; i++)
		if (!strchr(o->define_list.item[i], '=') || (declared->text &&
		    !is_size(r->src, declared, o->define_list.item[i])))
			add(r, "-D", o->define_list.item[i]);
	for (i = 0; i < o->include_list.n; i++)
		add(r, "-I", o->include_list.item[i]);
	folder = slash ? strndup(r->src->name,
		(size_t)(slash - r->src->name) + 1) : strdup(".");
	tool_args_add(&r->args, "-iquote");
	add(r, folder ? folder : ".", "");
	free(folder);
	add(r, "-xc", "");
	add(r, "-", "");
}

/* Preprocess into "text". With "declared", the text that came without the
 * definitions, these are given, too; otherwise errors are no matter.
 */
static bool preprocess(const struct tool_options *o,
	const struct tool_source *src, const struct tool_source *declared,
	struct tool_source *text, struct poly_report *report)
{
	struct run r = { .src = src, .fd = { -1, -1, -1 }, .report = report };
	int i, status = -1;

	*text = (struct tool_source) { 0 };
	add_arguments(&r, o, declared);
	for (i = 0; i < 3; i++)
		r.fd[i] = memfd_create("cpp", MFD_CLOEXEC);
	if (!poly_memory_refused() && r.fd[0] >= 0 && r.fd[1] >= 0 &&
	    r.fd[2] >= 0 && fill_input(&r))
		status = run_and_wait(&r);
	if (status < 0 && report)
		poly_report_add(report, MSG_NO_PREPROCESSOR, NULL,
			r.args.n ? r.args.item[0] : "cc", strerror(errno));
	if (status > 0 && report)
		report_errors(&r);
	if ((status == 0 || (status > 0 && !report)) &&
	    !read_stream(r.fd[1], text))
		status = -1;
	for (i = 0; i < 3; i++)
		if (r.fd[i] >= 0)
			close(r.fd[i]);
	tool_args_free(&r.args);
	return status == 0;
}

/* ---------------------------------------------------------------- reading */

/* Read the text with the definitions that are sizes of it. */
static struct fe_unit *read_text(const struct tool_options *o,
	const struct tool_source *src, const struct tool_source *text,
	bool macros, struct poly_report *report)
{
	struct fe_how how = { .original = src->text,
		.original_len = src->len, .function = o->function,
		.extent = o->extent_list.item, .n_extent = o->extent_list.n,
		.live_out = o->live_out_list.item,
		.n_live_out = o->live_out_list.n, .entry = o->drop_in,
		.relaxed = o->fp == POLY_FP_RELAXED,
		.strict = o->fp_name && o->fp == POLY_FP_STRICT,
		.unsigned_char = o->host && o->host->unsigned_char };
	struct fe_define *def;
	struct fe_unit *unit;
	int i, n = 0;

	if (text == src)
		how.original = NULL;
	def = calloc((size_t)o->n_define + 1, sizeof(*def));
	for (i = 0; def && i < o->n_define; i++)
		if (!macros || fe_c_declares(src->name, text->text,
			text->len, o->define[i].name))
			def[n++] = o->define[i];
	unit = fe_read_as(tool_notation(o), src->name, text->text, text->len,
		&how, def, n, report);
	free(def);
	return unit;
}

/* True if a definition may be that of a size. */
static bool has_values(const struct tool_options *o)
{
	int i;

	for (i = 0; i < o->define_list.n; i++)
		if (strchr(o->define_list.item[i], '='))
			return true;
	return false;
}

/* The text with the definitions that are no sizes of it. */
static bool preprocessed(const struct tool_options *o,
	const struct tool_source *src, struct tool_source *text,
	struct poly_report *report)
{
	struct tool_source none = { 0 }, plain = { 0 };
	bool ok;

	if (has_values(o))
		preprocess(o, src, &none, &plain, NULL);
	if (!plain.text)
		none.text = strdup("");
	ok = preprocess(o, src, plain.text ? &plain : &none, text, report);
	free(none.text);
	tool_source_free(&plain);
	return ok;
}

/* True if the line "name" is among the lines of "names". */
static bool has_line(const struct poly_str *names, const char *name, size_t len)
{
	const char *at = names->s;

	for (; at && *at; at += strcspn(at, "\n") + 1)
		if (strcspn(at, "\n") == len && !strncmp(at, name, len))
			return true;
	return false;
}

/* Add the names of the files of which parts stand in "text", behind line
 * markers, # 12 "name" flags; what is no file is called "<so>". A list of lines
 * has no place for a line break in a name.
 */
static void add_headers(const struct tool_source *src,
	const struct tool_source *text, struct poly_str *names)
{
	const char *at, *begin;
	struct poly_str name = { 0 };

	for (at = text->text; *at; at += strcspn(at, "\n"), at += *at == '\n') {
		if (strncmp(at, "# ", 2))
			continue;
		begin = at + 2 + strspn(at + 2, "0123456789");
		if (strncmp(begin, " \"", 2) || begin[2] == '<')
			continue;
		poly_str_free(&name);
		if (!fe_marker_read(begin + 1, at + strcspn(at, "\n"),
			&name) || strchr(name.s, '\n') ||
		    fe_marker_match(name.s, src->name) == name.len ||
		    has_line(names, name.s, name.len))
			continue;
		poly_str_addn(names, name.s, name.len);
		poly_str_add(names, "\n");
	}
	poly_str_free(&name);
}

struct fe_unit *tool_read(const struct tool_options *o,
	const struct tool_source *src, struct poly_str *headers,
	struct poly_report *report)
{
	const struct fe_notation *n = tool_notation(o);
	struct fe_unit *unit = NULL;
	struct tool_source text;

	if (!n || !n->expanded || tool_ends_with(src->name, n->expanded))
		return read_text(o, src, src, false, report);
	if (preprocessed(o, src, &text, report)) {
		add_headers(src, &text, headers);
		unit = read_text(o, src, &text, true, report);
	}
	tool_source_free(&text);
	return unit;
}
