/* Schedule scripts: the file of --schedule, and those that it asks for. */
#include <stdlib.h>
#include <string.h>

#include "tools/lib/base/base.h"
#include "tools/lib/compile/compile.h"

/* The folder of the file "path", with a / at its end, links resolved; NULL if it
 * cannot be had.
 */
static char *folder_of(const char *path)
{
	char *real = realpath(path, NULL), *slash = real ? strrchr(real, '/') :
		NULL;

	if (slash)
		slash[1] = '\0';
	return real;
}

/* The text of the file "name" in the folder of the script "user", or below. */
static char *read_file(void *user, const char *name, size_t *len)
{
	const struct tool_source *script = user;
	char *folder = folder_of(script->name), *path = NULL, *real = NULL;
	struct tool_source file = { 0 };
	struct poly_str joined = { 0 };

	poly_str_printf(&joined, "%s%s", folder ? folder : "", name);
	path = joined.s;
	if (folder && path && name[0] != '/')
		real = realpath(path, NULL);
	if (real && !strncmp(real, folder, strlen(folder)) &&
	    tool_source_read_file(&file, real, TOOL_MOST_TEXT) != TOOL_OK)
		file.text = NULL;
	*len = file.len;
	free(folder);
	free(real);
	poly_str_free(&joined);
	return file.text;
}

/* The script of explain --advise. */
static const char advice[] = "for s = 0, num_statements() - 1 do advise(s) end\n";

bool tool_read_script(struct tool_compile *c)
{
	if (c->options->advise) {
		c->script = (struct poly_script){ .name = "advise", .text = advice,
			.len = sizeof(advice) - 1 };
		c->poly.request.script = &c->script;
	}
	if (!c->options->schedule)
		return true;
	c->unreadable = tool_source_read_file(&c->script_file,
		c->options->schedule, TOOL_MOST_TEXT);
	if (c->unreadable != TOOL_OK)
		return false;
	c->script = (struct poly_script){ .name = c->script_file.name,
		.text = c->script_file.text, .len = c->script_file.len,
		.read = read_file, .user = &c->script_file };
	c->script.decisions = c->options->decisions_text;
	if (c->script.decisions) {
		c->script.n_decisions = strlen(c->script.decisions);
	} else if (c->options->decisions) {
		c->unreadable = tool_source_read_file(&c->decisions,
			c->options->decisions, TOOL_MOST_TEXT);
		if (c->unreadable != TOOL_OK)
			return false;
		c->script.decisions = c->decisions.text;
		c->script.n_decisions = c->decisions.len;
		c->script.decided = c->decisions.name;
	}
	c->poly.request.script = &c->script;
	return true;
}

void tool_tell_script(struct tool_compile *c)
{
	struct poly_str *out = &c->script.out;

	if (!c->options->advise) {
		if (out->s && !out->failed && c->options->log >= 0)
			tool_write(c->options->log, out->s, out->len);
		poly_str_free(out);
	}
	if (c->script.name)
		tool_tell(c->script.name, c->script.text, c->script.len,
			&c->script.report);
}

void tool_record_script(struct tool_compile *c)
{
	if (!(c->emit & 1u << TOOL_EMIT_SCRIPT))
		return;
	c->poly.request.record = &c->record;
	c->poly.request.search = &c->search;
}

bool tool_write_script(struct tool_compile *c, struct poly_str *out)
{
	if (c->poly.mapping == POLY_MAP_NAIVE) {
		poly_str_printf(out, "-- %s in one thread.\nserial()\n",
			c->prog->name);
		return true;
	}
	if (!c->record.n || !(c->prog->have & POLY_HAVE_MAPPING)) {
		poly_report_add(&c->report, MSG_SCRIPT_RECORD, NULL,
			c->prog->name, "no pass has made one here");
		return false;
	}
	poly_record_write(&c->record, &c->search, c->prog->name, out);
	return true;
}

void tool_free_script(struct tool_compile *c)
{
	poly_record_free(&c->record);
	poly_search_free(&c->search);
	poly_config_free(c->script.config);
	poly_str_free(&c->script.out);
	poly_str_free(&c->script.asked);
	poly_report_free(&c->script.report);
	tool_source_free(&c->script_file);
	tool_source_free(&c->decisions);
}
