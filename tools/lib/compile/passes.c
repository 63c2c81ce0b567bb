/* The passes of polyir, with the blocks and parts that the options or a database give,
 * and in another way where that fails.
 */
#include <stdlib.h>
#include <string.h>

#include "tools/lib/compile/compile.h"
#include "tools/lib/compile/tuning.h"
#include "tools/lib/object/object.h"

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

/* Let what "prog" and the versions of "c" have to say go into "report". */
static void report_to(struct tool_compile *c, struct poly_report *report)
{
	c->prog->report = report;
	for (int i = 0; i < c->n_version; i++)
		c->version[i].prog->report = report;
}

/* Schedules take most of the time of a compilation, and targets that differ in what the
 * program does not use have the same one.
 */
void tool_share_programs(struct tool_compile *c)
{
	struct tool_compile *s = c->scheduled;
	bool runs = nvptx_target_runs(c->nvptx.target, s->prog);

	for (int i = 0; i < s->n_version && runs; i++)
		runs = nvptx_target_runs(c->nvptx.target, s->version[i].prog);
	if (!runs) {
		c->scheduled = NULL;
		return;
	}
	c->ctx = s->ctx;
	c->prog = s->prog;
	c->version = s->version;
	c->n_version = s->n_version;
	c->cost = s->cost;
	c->poly.mapping = s->poly.mapping;
	c->poly.target = s->poly.target;
	c->stages &= ~(1u << TOOL_STAGE_FE_LOWER | 1u << TOOL_STAGE_POLY_PARSE |
		1u << TOOL_STAGE_POLY_COMPILE);
	report_to(c, &c->report);
}

/* A program that was lowered anew for one thread belongs to "c". */
void tool_return_programs(struct tool_compile *c)
{
	struct tool_compile *s = c->scheduled;

	s->spent |= c->spent;
	s->ran_short |= c->ran_short;
	report_to(s, &s->report);
	if (c->prog != s->prog)
		poly_prog_free(c->prog);
	c->prog = NULL;
	c->version = NULL;
	c->n_version = 0;
	c->cost = (struct poly_cost){ 0 };
	c->ctx = NULL;
}

/* Compile it for one thread, which takes least.
 *
 * In the order of the text, without any schedule.
 */
bool tool_compile_for_one(struct tool_compile *c)
{
	if (!c->scheduled || c->prog != c->scheduled->prog)
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
bool tool_mapping_overspent(struct tool_compile *c)
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
		return tool_compile_for_one(c);
	}
	return ok || (tool_mapping_overspent(c) && tool_compile_for_one(c)) ||
		(c->tuned_line && compile_untuned(c));
}

/* Run the passes; a pass to dump after must have been among them. Code for the
 * host device is scheduled as that for the target that a build has by itself.
 *
 * Words of CETANE_DEBUG force what the passes choose; they are for tests.
 */
bool tool_run_passes(struct tool_compile *c)
{
	const struct nvptx_target *t = c->nvptx.target;
	int sm = tool_debug_number(TOOL_DEBUG_SM);

	t = t ? t : nvptx_target_find(TOOL_DEFAULT_ARCH);
	c->poly.target = nvptx_poly_target(t);
	if (sm)
		c->poly.target.multiprocessors = sm;
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
bool tool_loops_failed(struct tool_compile *c)
{
	if (!c->prog->no_loops || !c->unit ||
	    c->poly.mapping == POLY_MAP_NAIVE || poly_ctx_spent(c->ctx))
		return false;
	poly_report_drop_errors(&c->report);
	poly_report_add(&c->report, MSG_POLY_LOOPS, NULL,
		c->prog->no_loops->name);
	return true;
}
