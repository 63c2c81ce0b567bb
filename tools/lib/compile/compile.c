/* The compiler: one function, run_stages, that calls the stages in the order
 * of the pipeline figure in README.md. Which of them run, and what is printed
 * in between, is decided beforehand (tool_compile_init).
 */
#include <stdlib.h>
#include <string.h>

#include "runtime/host_abi.h"
#include "tools/lib/compile/compile.h"
#include "tools/lib/compile/tuning.h"
#include "tools/lib/object/object.h"

#define HOST(name) { "cetane_host_" #name, (void *)cetane_host_##name }
const struct nvptx_symbol tool_host_symbol[] = {
	HOST(barrier), HOST(exchange), HOST(mma), HOST(cluster_sync), HOST(cluster_read), HOST(meet),
	HOST(lanes), HOST(turn), HOST(tell), HOST(hear), HOST(check),
	HOST(instance),
	HOST(copy), HOST(copy_commit), HOST(copy_wait), HOST(copy_bulk), HOST(copy_box),
	HOST(mbarrier_init), HOST(mbarrier_expect), HOST(mbarrier_arrive), HOST(mbarrier_wait),
	HOST(f32_to_f16), HOST(f16_to_f32), HOST(f32_to_bf16),
	HOST(bf16_to_f32), HOST(f32_to_tf32), HOST(f32_to_e4m3), HOST(e4m3_to_f32),
	HOST(f32_to_e5m2), HOST(e5m2_to_f32),
	HOST(fma), HOST(fmaf), HOST(floor), HOST(floorf), HOST(ceil),
	HOST(ceilf), HOST(trunc), HOST(truncf),
};
#undef HOST

const int tool_n_host_symbol =
	sizeof(tool_host_symbol) / sizeof(tool_host_symbol[0]);
_Static_assert(sizeof(tool_host_symbol) / sizeof(tool_host_symbol[0]) <=
	TOOL_MAX_HOST_SYMBOL, "there is room for all of them");

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

/* Change the name of the source that debug locations give. */
static void show_file(const struct tool_options *o, struct poly_prog *prog)
{
	char *name = tool_source_shown(o, prog->file);

	if (!name)
		return;
	free(prog->file);
	prog->file = name;
}

struct poly_prog *tool_lower(struct tool_compile *c,
	struct poly_report *report)
{
	struct poly_prog *prog = fe_lower(c->unit, c->ctx, report);
	int i;

	if (prog && c->options->fp_name)
		prog->fp = c->options->fp;
	if (prog && c->shown_file)
		show_file(c->options, prog);
	for (i = 0; prog && c->options->parametric && i < prog->n_param; i++)
		prog->param[i].fixed = fe_unit_param_folded(c->unit, i);
	if (prog && c->options->pitched && poly_add_strides(prog) != isl_stat_ok) {
		poly_prog_free(prog);
		return NULL;
	}
	return prog;
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

/* Read the file of --config; what is wrong with it is told about that file. */
static bool read_config(struct tool_compile *c)
{
	struct poly_report report = { 0 };
	struct tool_source file;

	c->unreadable = tool_source_read_file(&file, c->options->config,
		TOOL_MOST_TEXT);
	if (c->unreadable == TOOL_OK) {
		c->poly.request.config = poly_config_read(c->ctx, file.text, file.len,
			&report);
		tool_tell(file.name, file.text, file.len, &report);
		tool_source_free(&file);
	}
	if (!c->poly.request.config && c->unreadable != TOOL_ENVIRONMENT)
		poly_report_add(&c->report, MSG_CONFIG, NULL,
			c->source->name, c->options->config);
	return c->poly.request.config != NULL;
}

static const char model_choice[] = "blocks and parts of the model";

/* For those who listen, say where blocks and parts come from.
 *
 * Said once for each compilation, as a remark.
 */
static void tell_choice(struct tool_compile *c, const char *from)
{
	if (c->report.remarks)
		poly_report_add(&c->report, MSG_POLY_CHOICE, NULL,
			c->prog->name, from);
}

/* The configuration that the database of --tuning has for the program, if any.
 * One that cannot be read is not used.
 *
 * Three ends: the database has nothing, it says that the model is right, or it
 * has a line for this program.
 */
static void find_tuned(struct tool_compile *c, const struct tool_tuning *t)
{
	const char *arch = c->nvptx.target ? c->nvptx.target->name :
		TOOL_DEFAULT_ARCH;
	const struct tool_tuned *r = tool_tuning_find(t, c->prog, arch,
		&c->report);
	struct poly_report report = { 0 };
	struct poly_str s = { 0 };

	if (!r) {
		tell_choice(c, "blocks and parts of the model: the file of "
			"--tuning has none for it");
		return;
	}
	if (!strcmp(r->config, TOOL_TUNING_MODEL)) {
		poly_str_printf(&s, "blocks and parts of the model, which line "
			"%d of %s found the best on %s", r->line, t->path,
			r->device);
		tell_choice(c, s.s ? s.s : "");
		poly_str_free(&s);
		return;
	}
	if (tool_tuning_config(r, c->prog->name, &s))
		c->poly.request.config = poly_config_read(c->ctx, s.s, s.len, &report);
	poly_report_free(&report);
	poly_str_free(&s);
	if (!c->poly.request.config) {
		poly_report_add(&c->report, MSG_TUNING_LINE, NULL, t->path,
			r->line, "its configuration cannot be read");
		tell_choice(c, model_choice);
		return;
	}
	poly_str_printf(&s, "blocks and parts of line %d of %s, tuned for %s "
		"on %s", r->line, t->path, r->sizes, r->device);
	if (r->mhz > 0)
		poly_str_printf(&s, " at %.0f MHz", r->mhz);
	if (r->spread > 0)
		poly_str_printf(&s, ", within %.2g %%", 100 * r->spread);
	tell_choice(c, s.s ? s.s : "");
	poly_str_free(&s);
	c->tuned_line = r->line;
}

/* Read the file of --tuning, and take from it what it has for the program;
 * false if it cannot be read.
 *
 * What was wrong with the file is in the report, or in c->unreadable.
 */
static bool read_tuning(struct tool_compile *c)
{
	struct tool_tuning t = { 0 };
	bool ok;

	c->unreadable = tool_tuning_read(&t, c->options->tuning, &c->report);
	ok = c->unreadable == TOOL_OK;
	if (ok)
		find_tuned(c, &t);
	if (c->unreadable == TOOL_INPUT && !c->report.n_error)
		poly_report_add(&c->report, MSG_CONFIG, NULL,
			c->source->name, c->options->tuning);
	tool_tuning_free(&t);
	return ok;
}

/* The blocks and parts that are not the model's choice.
 *
 * In this order: what the tuner tries, --config, a script's own, --tuning, the
 * model.
 */
static bool choose_config(struct tool_compile *c)
{
	const struct tool_options *o = c->options;

	if (o->config_text) {
		c->poly.request.config = poly_config_read(c->ctx, o->config_text,
			strlen(o->config_text), &c->report);
		return c->poly.request.config != NULL;
	}
	if (o->config) {
		tell_choice(c, "blocks and parts of the file of --config");
		return read_config(c);
	}
	if (o->mapping == POLY_MAP_NAIVE || c->poly.request.config)
		return true;
	if (strcmp(o->tuning, "none"))
		return read_tuning(c);
	tell_choice(c, model_choice);
	return true;
}

/* A tuned configuration that the program cannot have, for once: compile it as
 * the model thinks best.
 *
 * Only errors about the configuration allow that. The program is lowered again,
 * since passes have changed it.
 */
static bool compile_untuned(struct tool_compile *c)
{
	int i;

	for (i = 0; i < c->report.n_msg; i++)
		if (c->report.msg[i].severity == POLY_ERROR &&
		    c->report.msg[i].number != MSG_CONFIG)
			return false;
	poly_report_drop_errors(&c->report);
	poly_report_add(&c->report, MSG_TUNING_LINE, NULL, c->options->tuning,
		c->tuned_line, "the program cannot have its configuration");
	tell_choice(c, "blocks and parts of the model after all");
	c->poly.request.config = poly_config_free(c->poly.request.config);
	c->tuned_line = 0;
	poly_prog_free(c->prog);
	c->prog = tool_lower(c, &c->report);
	return c->prog && poly_compile(&c->prog, &c->poly) == isl_stat_ok;
}

/* Compile it for one thread, which takes least.
 *
 * In the order of the text, without any schedule.
 */
static bool compile_for_one(struct tool_compile *c)
{
	poly_prog_free(c->prog);
	c->poly.mapping = POLY_MAP_NAIVE;
	c->prog = tool_lower(c, &c->report);
	return c->prog && poly_compile(&c->prog, &c->poly) == isl_stat_ok;
}

/* isl stops counting operations at an error; both are set back. */
void tool_renew_budget(struct tool_compile *c)
{
	isl_ctx_reset_error(c->ctx);
	poly_ctx_budget(c->ctx, POLY_BUDGET);
	c->spent = true;
}

/* Has the mapping to threads spent the budget, where one thread would do? Then
 * go on with a new one.
 *
 * Only what came from a text can be lowered again.
 */
static bool mapping_overspent(struct tool_compile *c)
{
	if (!c->unit || c->poly.mapping == POLY_MAP_NAIVE ||
	    (!poly_report_has(&c->report, MSG_BUDGET) &&
	     !poly_ctx_spent(c->ctx)))
		return false;
	poly_report_drop_errors(&c->report);
	poly_report_add(&c->report, MSG_POLY_ONE_THREAD, NULL,
		tool_stage_name(c->stage), POLY_BUDGET);
	tool_renew_budget(c);
	return true;
}

/* Run the passes, in another way where that fails for a reason that allows it.
 *
 * At most one other way is tried.
 */
static bool compile_somehow(struct tool_compile *c)
{
	bool ok = poly_compile(&c->prog, &c->poly) == isl_stat_ok;

	tool_tell_script(c);
	if (!ok && c->script.serial) {
		poly_report_drop_errors(&c->report);
		tool_renew_budget(c);
		return compile_for_one(c);
	}
	return ok || (mapping_overspent(c) && compile_for_one(c)) ||
		(c->tuned_line && compile_untuned(c));
}

/* Run the passes; a pass to dump after must have been among them. Code for the
 * host device is scheduled as that for the target that a build has by itself.
 *
 * Words of CETANE_DEBUG force what the passes choose; they are for tests.
 */
static bool run_passes(struct tool_compile *c)
{
	const struct nvptx_target *t = c->nvptx.target;

	t = t ? t : nvptx_target_find(TOOL_DEFAULT_ARCH);
	c->poly.target = nvptx_poly_target(t);
	if (tool_debug_has(TOOL_DEBUG_SMALL, 0))
		c->poly.target.multiprocessors = 1;
	c->poly.request.loops = tool_debug_has(TOOL_DEBUG_LAUNCHES, 0) ?
		POLY_LOOPS_LAUNCHES : tool_debug_has(TOOL_DEBUG_BLOCK, 0) ?
		POLY_LOOPS_BLOCK : tool_debug_has(TOOL_DEBUG_TOGETHER, 0) ?
		POLY_LOOPS_TOGETHER : POLY_LOOPS_BEST;
	c->poly.request.blocks = tool_debug_has(TOOL_DEBUG_FEW, 0) ? 3 : 0;
	c->poly.request.chains = tool_debug_has(TOOL_DEBUG_CHAIN, 0);
	c->poly.request.unfolded = tool_debug_has(TOOL_DEBUG_UNFOLDED, 0);
	c->poly.request.helped = tool_debug_has(TOOL_DEBUG_HELPED, 0);
	c->poly.request.apart = tool_debug_has(TOOL_DEBUG_APART, 0);
	if (c->options->versions > 1)
		c->poly.request.choice = poly_choice_alloc();
	tool_record_script(c);
	if (!tool_read_script(c) || !choose_config(c) || !compile_somehow(c))
		return false;
	if (!tool_make_versions(c))
		return false;
	if (!c->poly.dump_after || c->dumped ||
	    !strcmp(c->poly.dump_after, "all"))
		return true;
	poly_report_add(&c->report, MSG_USAGE_VALUE, NULL, "dump-after",
		"a pass that runs", c->poly.dump_after, "", "");
	return false;
}

/* Did isl fail to find loops, where one thread would do?
 *
 * A program that was given as poly IR cannot be lowered again.
 */
static bool loops_failed(struct tool_compile *c)
{
	if (!c->prog->no_loops || !c->unit ||
	    c->poly.mapping == POLY_MAP_NAIVE || poly_ctx_spent(c->ctx))
		return false;
	poly_report_drop_errors(&c->report);
	poly_report_add(&c->report, MSG_POLY_LOOPS, NULL,
		c->prog->no_loops->name);
	return true;
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
	if (m || (!mapping_overspent(c) && !loops_failed(c)) ||
	    !compile_for_one(c))
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
	return (mapping_overspent(c) || loops_failed(c)) &&
		compile_for_one(c) &&
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
	RUN(POLY_COMPILE, run_passes(c));
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
		tool_n_host_symbol, &c->kernel, report));
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

	ok = tool_limits_on(c->options) && (c->ctx = poly_ctx_alloc()) &&
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
