/* What a request makes: an object (object.c), the texts and binaries of stages,
 * or what a check or an inspection has to say.
 */
#include <string.h>

#include "tools/lib/lib.h"
#include "tools/lib/object/object.h"
#include "tools/lib/compile/compile.h"
#include "tools/lib/inspect/inspect.h"

static const enum tool_stage made_by[] = {
#define VERB(id, name, operand, help)
#define EMIT(id, name, suffix, stage, help) TOOL_STAGE_##stage,
#define OPTION(verbs, letter, name, kind, field, argument, help)
#include "tools/lib/base/option.def"
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

/* Tell what each kernel takes of registers and memory, as the assembler says;
 * shared memory that a launch asks for is added, as the assembler does not know
 * it.
 */
static void tell_usage(const struct tool_compile *c)
{
	struct poly_report report = { 0 };
	const struct nvptx_usage *u;
	int i;

	for (i = 0; i < c->n_usage; i++) {
		u = &c->usage[i];
		poly_report_add(&report, MSG_NVPTX_USAGE, NULL, u->kernel,
			u->registers, u->stack, u->spill_stores,
			u->spill_loads,
			u->shared + dynamic_shared(c, u->kernel),
			u->constant);
	}
	tool_tell(c->source->name, NULL, 0, &report);
}

static enum tool_exit add(struct tool_reply *reply, const char *kind,
	const char *suffix, const struct poly_str *text)
{
	if (!text->failed && tool_reply_add(reply, kind, suffix,
			text->s ? text->s : "", text->len))
		return TOOL_OK;
	return tool_no_memory("the result");
}

enum tool_exit tool_make_headers(const struct tool_compile *c,
	struct tool_reply *reply)
{
	return (c->options->depfile || c->options->reproduce) &&
		tool_has_macros(c->options) ?
		add(reply, "headers", "", &c->headers) : TOOL_OK;
}

/* Compile for one target up to what the last kind of output needs, and add each
 * kind that was asked for.
 */
static enum tool_exit make_stages(const struct tool_options *o,
	const struct tool_source *src, struct tool_reply *reply)
{
	bool page = o->emit & 1u << TOOL_EMIT_HTML;
	bool cubin = o->emit & 1u << TOOL_EMIT_CUBIN;
	struct tool_options all = *o;
	struct tool_compile c;
	enum tool_exit status;
	int i;

	all.explain = page;
	tool_compile_init(&c, &all, src, NVPTX_GPU, last_stage(o), NULL);
	c.ptx_will_do = !cubin;
	c.report.remarks = page;
	if (!c.nvptx.target)
		c.nvptx.target = nvptx_target_find(TOOL_DEFAULT_ARCH);
	c.emit = o->emit;
	if (page)
		c.emit |= 1u << TOOL_EMIT_SCHEDULE | 1u << TOOL_EMIT_LLVM_OPT;
	c.shown_file = true;
	status = tool_compile(&c);
	if (status == TOOL_OK && cubin)
		tell_usage(&c);
	if (status == TOOL_OK && page)
		status = tool_inspect_page(&c, &c.out[TOOL_EMIT_HTML]);
	for (i = 0; i < o->n_order && status == TOOL_OK; i++)
		status = add(reply, tool_emit_name(o->order[i]),
			tool_emit_suffix(o->order[i]), &c.out[o->order[i]]);
	if (status == TOOL_OK)
		status = tool_make_headers(&c, reply);
	return tool_compile_free(&c, status);
}

/* Read and lower the program, and add what "check" says of it. */
static enum tool_exit make_check(const struct tool_options *o,
	const struct tool_source *src, struct tool_reply *reply)
{
	struct poly_str text = { 0 };
	struct tool_compile c;
	enum tool_exit status;

	tool_compile_init(&c, o, src, NVPTX_HOST, TOOL_STAGE_FE_LOWER, NULL);
	status = tool_compile(&c);
	if (status == TOOL_OK) {
		fe_print_check(c.unit, &text);
		status = add(reply, "check", ".txt", &text);
	}
	poly_str_free(&text);
	return tool_compile_free(&c, status);
}

/* Add what the heuristics of scripts advise for each statement. */
static enum tool_exit make_advice(const struct tool_options *o,
	const struct tool_source *src, struct tool_reply *reply)
{
	struct tool_compile c;
	enum tool_exit status;

	tool_compile_init(&c, o, src, NVPTX_GPU, TOOL_STAGE_POLY_COMPILE, NULL);
	c.poly.stop_after = "script";
	status = tool_compile(&c);
	if (status == TOOL_OK)
		status = add(reply, "advice", ".txt", &c.script.out);
	return tool_compile_free(&c, status);
}

/* Add what "inspect" says, as text, JSON or a drawing. */
static enum tool_exit make_inspect(const struct tool_options *o,
	const struct tool_source *src, struct tool_reply *reply)
{
	struct poly_str text = { 0 };
	enum tool_exit status = tool_inspect_make(o, src, &text);

	if (status == TOOL_OK)
		status = add(reply, "inspect", o->svg ? ".svg" : o->json ?
			".json" : ".txt", &text);
	poly_str_free(&text);
	return status;
}

/* Make what the verb and the kinds of output ask for; those that are made alone
 * (runtime, fatbin, object) come first.
 */
static enum tool_exit make(const struct tool_options *o,
	const struct tool_source *src, struct tool_reply *reply)
{
	if (o->verb == TOOL_CHECK)
		return make_check(o, src, reply);
	if (o->verb == TOOL_EXPLAIN)
		return make_advice(o, src, reply);
	if (o->verb == TOOL_INSPECT)
		return make_inspect(o, src, reply);
	if (o->emit & 1u << TOOL_EMIT_RUNTIME)
		return tool_make_runtime(reply);
	if (o->emit & 1u << TOOL_EMIT_FATBIN)
		return tool_make_fatbin(o, src, reply);
	if (o->emit & 1u << TOOL_EMIT_OBJECT)
		return tool_make_object(o, src, reply);
	return make_stages(o, src, reply);
}

/* Code that asks for memory and goes without may leave something out. */
enum tool_exit tool_make(const struct tool_options *o,
	const struct tool_source *src, struct tool_reply *reply)
{
	enum tool_exit status = make(o, src, reply);

	if (status != TOOL_OK || !poly_memory_refused())
		return status;
	return tool_no_memory("the result");
}
