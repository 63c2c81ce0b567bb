/* The compiler: one function, run_stages, that calls the stages in the order
 * of the pipeline figure in README.md. Which of them run, and what is printed
 * in between, is decided beforehand (tool_compile_init).
 */
#include <stdlib.h>
#include <string.h>

#include "tools/lib/compile/compile.h"
#include "tools/lib/compile/tuning.h"
#include "tools/lib/object/object.h"

#define HOST(name) { "cetane_host_" #name, (void *)cetane_host_##name },
const struct nvptx_symbol tool_host_symbol[TOOL_N_HOST_SYMBOL] = {
#include "runtime/host_symbol.def"
};
#undef HOST

/* --------------------------------------------------------------- set-up */

/* Log what the pass driver says; remember that a dump was among it. */
static void log_text(void *user, const char *text)
{
	struct tool_compile *c = user;

	if (!strncmp(text, "# after ", 8))
		c->dumped = true;
	if (c->options->log >= 0)
		tool_write(c->options->log, text, strlen(text));
}

static unsigned bit(enum tool_stage stage)
{
	return 1u << stage;
}

/* The stages from the kind of the input to "last" on the way to "device". */
static unsigned choose_stages(enum tool_from from, enum nvptx_device device,
	enum tool_stage last)
{
	unsigned poly = bit(TOOL_STAGE_POLY_PARSE);
	unsigned llvm = bit(TOOL_STAGE_NVPTX_READ);
	unsigned stages;

	if (from == TOOL_FROM_LLVM && last < TOOL_STAGE_NVPTX_READ)
		last = TOOL_STAGE_NVPTX_READ;
	stages = 2 * bit(last) - 1;

	if (from == TOOL_FROM_DSL)
		stages &= ~(poly | llvm);
	else if (from == TOOL_FROM_POLY)
		stages &= ~(poly - 1) & ~llvm;
	else
		stages &= ~(llvm - 1);
	if (device == NVPTX_HOST)
		stages &= ~(bit(TOOL_STAGE_NVPTX_EMIT_PTX) |
			bit(TOOL_STAGE_NVPTX_ASSEMBLE));
	return stages;
}

void tool_compile_init(struct tool_compile *c, const struct tool_options *o,
	const struct tool_source *src, enum nvptx_device device,
	enum tool_stage last, struct fe_unit *unit)
{
	*c = (struct tool_compile){ .options = o, .source = src,
		.unit = unit, .poly = poly_options_default };
	c->stages = choose_stages(o->from, device, last);
	if (unit)
		c->stages &= ~bit(TOOL_STAGE_FE_READ);
	c->poly.mapping = o->mapping;
	c->poly.roundtrip = o->roundtrip ||
		tool_debug_has(TOOL_DEBUG_ROUNDTRIP, 0);
	c->poly.stop_after = o->stop_after;
	c->poly.check = !o->no_check;
	c->poly.dump_after = o->dump_after;
	c->poly.time = o->time_passes;
	c->poly.log = log_text;
	c->poly.log_user = c;
	c->nvptx.device = device;
	c->nvptx.target = o->target;
	c->nvptx.no_contract = o->no_contract;
	c->nvptx.ring = o->ring;
	c->nvptx.comment = o->emit & (1u << TOOL_EMIT_LLVM |
		1u << TOOL_EMIT_LLVM_OPT);
}

/* ---------------------------------------------------------------- stages */

/* The program in the source, in whatever notation. */
static struct fe_unit *read_source(struct tool_compile *c)
{
	const struct tool_options *o = c->options;
	const struct tool_source *src = c->source;

	if (!tool_is_program(o, src->name, &c->report))
		return NULL;
	return tool_read(o, src, &c->headers, &c->report);
}

/* The analyses of the dependence pass, which needs a program of its own: the
 * later passes transform the one that is compiled.
 */
static bool print_deps(struct tool_compile *c, struct poly_str *out)
{
	struct poly_prog *prog = fe_lower(c->unit, c->ctx, &c->report);
	bool ok = prog && poly_deps(prog) == isl_stat_ok &&
		poly_print_diesel(prog, out) == isl_stat_ok;

	poly_prog_free(prog);
	return ok;
}

/* The module; if isl fails to find loops for a schedule, which happens with
 * integer divisions in conditions, or takes too long, that of one thread in the
 * order of the text.
 *
 * Versions are lowered together into one module.
 */
static struct nvptx_module *to_module(struct tool_compile *c)
{
	struct nvptx_module *m;

	m = tool_lower_versions(c);
	if (m || (!tool_mapping_overspent(c) && !tool_loops_failed(c)) ||
	    !tool_compile_for_one(c))
		return m;
	return nvptx_lower(c->prog, &c->nvptx, &c->report);
}

/* The loops of the kernels; those of one thread where there are none for more.
 *
 * A schedule whose loops cannot be found is printed for one thread.
 */
static bool print_ast(struct tool_compile *c, struct poly_str *out)
{
	if (!c->prog->schedule) {
		poly_report_add(&c->report, MSG_USAGE_CONFLICT, NULL,
			"--emit=ast needs a schedule, and no pass has made "
			"one yet");
		return false;
	}
	if (poly_print_ast(c->prog, out) == isl_stat_ok)
		return true;
	poly_str_free(out);
	return (tool_mapping_overspent(c) || tool_loops_failed(c)) &&
		tool_compile_for_one(c) &&
		poly_print_ast(c->prog, out) == isl_stat_ok;
}

/* Assemble; where there is no assembler at all, go on if PTX will do.
 *
 * Errors that were there before are not dropped.
 */
static isl_stat assemble(struct tool_compile *c)
{
	int n_error = c->report.n_error;
	isl_stat stat = nvptx_assemble(&c->ptx, c->nvptx.target, &c->cubin,
		&c->usage, &c->n_usage, &c->report);

	if (stat == isl_stat_ok || !c->ptx_will_do || n_error ||
	    !poly_report_has(&c->report, MSG_NVPTX_NO_ASSEMBLER))
		return stat;
	poly_report_drop_errors(&c->report);
	return isl_stat_ok;
}

/* Begin a stage if it is due; each has a budget of its own.
 *
 * False for a stage that this compilation does not have: it is skipped.
 */
static bool begin(struct tool_compile *c, enum tool_stage stage)
{
	if (!(c->stages & bit(stage)))
		return false;
	tool_stage(stage);
	poly_ctx_budget(c->ctx, POLY_BUDGET);
	c->stage = stage;
	return true;
}

/* The text of a kind of output, if it was asked for.
 *
 * NULL if it was not.
 */
static struct poly_str *wanted(struct tool_compile *c, enum tool_emit kind)
{
	return c->emit & (1u << kind) ? &c->out[kind] : NULL;
}

/* The program whose text is given. One with hidden sizes, which only a version of
 * a program has, does not say what they are.
 *
 * A program that is only part of another one cannot run alone.
 */
static struct poly_prog *read_poly(struct tool_compile *c)
{
	struct poly_prog *prog = poly_parse(c->ctx, c->source->text,
		c->source->len, &c->report);
	const struct poly_param *p;

	if (!prog || !prog->n_hidden)
		return prog;
	p = &prog->param[prog->n_param - 1];
	poly_report_add(&c->report, MSG_POLY_HIDDEN, &p->loc, p->name);
	return poly_prog_free(prog);
}

/* A stage that memory was refused in fails, whatever it returns. */
#define RUN(stage, call)						\
	do {								\
		if (begin(c, TOOL_STAGE_##stage) &&			\
		    (poly_memory_refused() || !(call)))			\
			return false;					\
	} while (0)
#define RUN_ISL(stage, call) RUN(stage, (call) == isl_stat_ok)
#define EMIT(kind, call)						\
	do {								\
		if ((out = wanted(c, TOOL_EMIT_##kind)))		\
			call;						\
	} while (0)

/* The pipeline. Each stage stops it if it fails, having said why in the
 * report; each EMIT prints what the stage before it has made.
 *
 * Which stages run was decided before (c->stages): they depend on where the
 * text comes in and on what is wanted.
 */
static bool run_stages(struct tool_compile *c)
{
	const struct tool_source *src = c->source;
	struct poly_report *report = &c->report;
	struct poly_str *out;

	RUN(FE_READ, c->unit = read_source(c));
	EMIT(DAG, fe_print_dag(c->unit, out));

	RUN(FE_LOWER, c->prog = tool_lower(c, &c->report));
	EMIT(DEPS, if (!print_deps(c, out)) return false);

	RUN(POLY_PARSE, c->prog = read_poly(c));
	RUN(POLY_COMPILE, tool_run_passes(c));
	EMIT(SCHEDULE, poly_print_tree(c->prog, out, ""));
	EMIT(POLY, poly_print(c->prog, out));
	EMIT(SCRIPT, if (!tool_write_script(c, out)) return false);
	EMIT(AST, if (!print_ast(c, out)) return false);

	RUN(NVPTX_LOWER, (c->module = to_module(c)) && tool_launch_note(c));
	RUN(NVPTX_READ, c->module = nvptx_read(src->text, src->len, &c->nvptx,
		report));
	EMIT(LLVM, nvptx_print(c->module, out));

	RUN_ISL(NVPTX_OPT, nvptx_opt(c->module, report));
	EMIT(LLVM_OPT, nvptx_print(c->module, out));

	RUN_ISL(NVPTX_EMIT_PTX, nvptx_emit_ptx(c->module, &c->ptx, report));
	EMIT(PTX, poly_str_addn(out, c->ptx.s, c->ptx.len));

	RUN_ISL(NVPTX_ASSEMBLE, assemble(c));
	EMIT(CUBIN, poly_str_addn(out, c->cubin.s, c->cubin.len));

	RUN_ISL(NVPTX_JIT, nvptx_jit(c->module, tool_host_symbol,
		TOOL_N_HOST_SYMBOL, &c->kernel, report));
	return true;
}

/* True if memory ran out. A stage may go on then: for text, or after a question
 * to isl, whose failure is taken for the safe answer; the result may be right,
 * but is not what it is with enough memory. Or it fails for a reason that hides
 * this one.
 *
 * Both the compiler's own allocations and isl's are looked at.
 */
static bool ran_short(const struct tool_compile *c)
{
	if (c->ctx && isl_ctx_last_error(c->ctx) == isl_error_alloc)
		poly_memory_note();
	return poly_memory_refused();
}

/* Is a part of the texts missing?
 *
 * A text that lacks something is not given out.
 */
static bool has_gaps(const struct tool_compile *c)
{
	int i;

	for (i = 0; i < TOOL_N_EMIT; i++)
		if (c->out[i].failed)
			return true;
	return false;
}

/* If isl has spent its budget, that is the error, whatever else there is: what
 * goes on with its answers blames others.
 *
 * The budget is a number of operations of isl, so that the same program fails
 * on every machine.
 */
static bool overspent(struct tool_compile *c)
{
	if (!poly_ctx_spent(c->ctx))
		return false;
	poly_report_drop_errors(&c->report);
	poly_report_add(&c->report, MSG_BUDGET, NULL,
		tool_stage_name(c->stage),
		isl_ctx_get_max_operations(c->ctx));
	c->spent = true;
	return true;
}

/* The limits come first, then memory, then what the report says. Remarks are
 * kept apart from messages: they are printed elsewhere.
 */
enum tool_exit tool_compile(struct tool_compile *c)
{
	enum tool_exit status;
	bool ok;

	if (c->scheduled)
		tool_share_programs(c);
	ok = tool_limits_on(c->options) &&
		(c->ctx || (c->ctx = poly_ctx_alloc())) &&
		run_stages(c) && !has_gaps(c);
	c->ran_short = ran_short(c);
	if (tool_memory_over())
		return TOOL_LIMIT;
	if (c->ctx && overspent(c)) {
		ok = false;
	} else if (c->ran_short) {
		poly_report_free(&c->report);
		poly_report_add(&c->report, MSG_NO_MEMORY, NULL,
			"the compilation");
		ok = false;
	}
	if (ok)
		status = TOOL_OK;
	else if (c->unreadable != TOOL_OK && !c->report.n_error)
		status = c->unreadable;
	else
		status = tool_exit_of(&c->report, c->options->from);
	if (c->report.remarks)
		poly_report_take_remarks(&c->report, &c->remark);
	tool_tell(c->source->name, c->source->text, c->source->len,
		&c->report);
	if (status == TOOL_OK)
		tool_limits_off();
	return status;
}

enum tool_exit tool_compile_free(struct tool_compile *c,
	enum tool_exit status)
{
	int i;

	for (i = 0; i < TOOL_N_EMIT; i++)
		poly_str_free(&c->out[i]);
	poly_str_free(&c->headers);
	poly_str_free(&c->ptx);
	poly_str_free(&c->cubin);
	nvptx_usage_free(c->usage, c->n_usage);
	nvptx_module_free(c->module);
	if (c->scheduled)
		tool_return_programs(c);
	tool_versions_free(c);
	poly_prog_free(c->prog);
	poly_config_free(c->poly.request.config);
	tool_free_script(c);
	if (c->stages & bit(TOOL_STAGE_FE_READ))
		fe_unit_free(c->unit);
	poly_report_free(&c->report);
	poly_report_free(&c->remark);
	if (c->ctx && !poly_ctx_free(c->ctx) && !c->ran_short && !c->spent) {
		tool_message(MSG_LEAK, c->source->name);
		status = TOOL_INTERNAL;
	}
	*c = (struct tool_compile){ 0 };
	return status;
}
