/* cetane inspect: what a source becomes, or what an artifact holds. */
#include <string.h>

#include "tools/lib/compile/compile.h"
#include "tools/lib/inspect/inspect.h"

/* Compile for the first of --arch as far as this machine can. */
static enum tool_exit inspect_source(const struct tool_options *o,
	const struct tool_source *src, struct poly_str *out)
{
	struct tool_facts f = { 0 };
	struct poly_str tree = { 0 };
	struct tool_compile c;
	enum tool_exit status;

	tool_compile_init(&c, o, src, NVPTX_GPU,
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
	} else if (status == TOOL_OK && o->before) {
		poly_print_tree(c.prog, &tree, "");
		status = tool_tree_compare(o->before, tree.s ? tree.s : "",
			out);
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

enum tool_exit tool_inspect_make(const struct tool_options *o,
	const struct tool_source *src, struct poly_str *out)
{
	return !o->from_name && tool_is_artifact(src) ?
		tool_inspect_artifact(o, src, out) :
		inspect_source(o, src, out);
}
