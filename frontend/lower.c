/* A unit to a polyhedral program, whatever its notation is.
 *
 * Sizes stay symbolic where they are parameters, whatever -D says.
 */
#include <stdlib.h>
#include <string.h>

#include "frontend/index/frame.h"
#include "frontend/c/lower/lower.h"

static isl_stat add_params(const struct fe_unit *u, struct poly_prog *prog)
{
	const struct fe_param *p;

	for (p = u->param; p; p = p->next) {
		struct poly_param *param = poly_prog_add_param(prog, p->name);

		if (!param)
			return isl_stat_error;
		param->loc = p->loc;
		if (p->fixed &&
		    poly_prog_fix(prog, p->name, p->value) < 0)
			return isl_stat_error;
	}
	return isl_stat_ok;
}

/* Lower what is no C; NULL on failure. */
static struct poly_prog *lower_text(const struct fe_unit *u, isl_ctx *ctx,
	struct poly_report *report)
{
	struct poly_prog *prog = poly_prog_alloc(ctx, u->name, report);

	if (!prog)
		return NULL;
	free(prog->file);
	prog->file = strdup(u->file);
	if (!prog->file || add_params(u, prog) < 0 ||
	    fe_index_lower(u, prog) < 0)
		return poly_prog_free(prog);
	return prog;
}

/* Why lowering failed: for want of memory, or for isl's last error. */
static void report_failure(isl_ctx *ctx, struct poly_report *report)
{
	const char *why = isl_ctx_last_error_msg(ctx);

	if (poly_memory_refused())
		poly_report_add(report, MSG_NO_MEMORY, NULL,
			"the program");
	else
		poly_report_add(report, MSG_POLY_ISL, NULL, "fe_lower",
			why ? why : "no reason given");
}

/* The program belongs to the caller; it refers to "report" and not to "u". */
struct poly_prog *fe_lower(const struct fe_unit *u, isl_ctx *ctx,
	struct poly_report *report)
{
	int before = report->n_error;
	struct poly_prog *prog;

	isl_ctx_reset_error(ctx);
	prog = u->c ? fe_c_lower(u, ctx, report, true) :
		lower_text(u, ctx, report);
	if (!prog && report->n_error == before)
		report_failure(ctx, report);
	return prog;
}
