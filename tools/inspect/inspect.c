/* cetane inspect: what a source becomes, or what an artifact holds. */
#include <string.h>

#include "tools/lib/compile/compile.h"
#include "tools/inspect/inspect.h"

struct inspect {
	struct tool_options *o;
	struct tool_source src;
};

static enum tool_exit print(struct poly_str *out, enum tool_exit status)
{
	if (out->failed || (status == TOOL_OK && poly_memory_refused())) {
		status = tool_no_memory("the report");
	} else if (out->s && status == TOOL_OK) {
		fputs(out->s, stdout);
	}
	poly_str_free(out);
	return status;
}

/* Compile for the first of --arch as far as this machine can. */
static enum tool_exit inspect_source(struct inspect *in, struct poly_str *out)
{
	const struct tool_options *o = in->o;
	struct tool_facts f = { 0 };
	struct poly_str tree = { 0 };
	struct tool_compile c;
	enum tool_exit status;

	tool_compile_init(&c, o, &in->src, NVPTX_GPU,
		o->tree || o->layout ? TOOL_STAGE_POLY_COMPILE :
		TOOL_STAGE_NVPTX_ASSEMBLE, NULL);
	if (!c.nvptx.target)
		c.nvptx.target = nvptx_target_find(TOOL_DEFAULT_ARCH);
	c.ptx_will_do = true;
	c.report.remarks = true;
	status = tool_compile(&c);
	if (status == TOOL_OK && o->layout) {
		tool_inspect_layouts(c.prog, o->svg, out);
	} else if (status == TOOL_OK && o->svg) {
		poly_print_tree(c.prog, &tree, "");
		tool_tree_draw(tree.s ? tree.s : "", out);
		poly_str_free(&tree);
	} else if (status == TOOL_OK && o->tree) {
		poly_print_tree(c.prog, out, "");
	} else if (status == TOOL_OK) {
		status = tool_facts_gather(&f, o, &c);
		if (status == TOOL_OK && !f.record)
			status = tool_inspect_code(&c, out);
		else if (status == TOOL_OK && o->json)
			tool_facts_json(&f, out);
		else if (status == TOOL_OK)
			tool_facts_text(&f, out);
		tool_facts_free(&f);
	}
	return tool_compile_free(&c, status);
}

static enum tool_exit inspect_in_worker(void *user)
{
	struct inspect *in = user;
	struct poly_str out = { 0 };
	enum tool_exit status;

	if (!in->o->from_name && tool_is_artifact(&in->src))
		status = tool_inspect_artifact(in->o, &in->src, &out);
	else
		status = inspect_source(in, &out);
	return print(&out, status);
}

enum tool_exit tool_inspect(struct tool_options *o)
{
	struct inspect in = { .o = o };
	enum tool_exit status;

	status = tool_source_read(&in.src, o->file,
		TOOL_MOST_ARTIFACT);
	if (status != TOOL_OK)
		return status;
	status = tool_worker(o, &in.src, inspect_in_worker, &in);
	tool_source_free(&in.src);
	return status;
}
