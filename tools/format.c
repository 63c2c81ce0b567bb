/* The verb fmt: programs formatted, in place, or only whether they are. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "tools/tools.h"

static enum tool_exit format(const struct tool_source *src,
	struct poly_str *out)
{
	struct poly_report report = { 0 };
	enum tool_exit status = TOOL_OK;

	if (!fe_is_definitions(src->name, src->text, src->len)) {
		tool_message(MSG_FMT_NOTATION, src->name);
		return TOOL_INPUT;
	}
	if (!fe_format(src->name, src->text, src->len, out, &report))
		status = tool_exit_of(&report, TOOL_FROM_DSL);
	tool_tell(src->name, src->text, src->len, &report);
	return status;
}

/* The file keeps its mode. */
static enum tool_exit replace(const char *path, const struct poly_str *text)
{
	struct tool_output out;
	enum tool_exit status = TOOL_ENVIRONMENT;
	struct stat before;
	bool keep_mode;

	if (!tool_output_open(&out, path))
		return TOOL_ENVIRONMENT;
	keep_mode = out.path && stat(out.path, &before) == 0;
	if (!tool_write(out.fd, text->s ? text->s : "", text->len))
		tool_message(MSG_FILE_WRITE, path, strerror(errno));
	else if (keep_mode && fchmod(out.fd, before.st_mode & 07777) < 0)
		tool_message(MSG_FILE_WRITE, path, strerror(errno));
	else if (tool_output_commit(&out, 1))
		status = TOOL_OK;
	tool_output_close(&out, 1);
	return status;
}

/* The file "path"; what stands on standard input goes to standard output. */
static enum tool_exit format_file(const struct tool_options *o,
	const char *path)
{
	struct poly_str out = { 0 };
	struct tool_source src;
	enum tool_exit status = tool_source_read(&src, path, TOOL_MOST_TEXT);
	bool same;

	if (status != TOOL_OK)
		return status;
	status = format(&src, &out);
	same = out.len == src.len &&
		(!out.len || !memcmp(out.s, src.text, out.len));
	if (status == TOOL_OK && o->check_only) {
		if (!same)
			tool_message(MSG_FMT_DIFFERS, src.name);
		status = same ? TOOL_OK : TOOL_INPUT;
	} else if (status == TOOL_OK && (!same || !strcmp(path, "-"))) {
		status = replace(path, &out);
	}
	poly_str_free(&out);
	tool_source_free(&src);
	return status;
}

enum tool_exit tool_format(struct tool_options *o)
{
	enum tool_exit status = TOOL_OK, one;
	int i;

	for (i = 0; i < o->file_list.n; i++) {
		one = format_file(o, o->file_list.item[i]);
		status = status == TOOL_OK ? one : status;
	}
	return status;
}
