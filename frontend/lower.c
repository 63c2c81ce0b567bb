/* A unit to a polyhedral program, whatever its notation is. */
#include "frontend/base/base.h"

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
	prog = u->notation->lower(u, ctx, report);
	if (!prog && report->n_error == before)
		report_failure(ctx, report);
	return prog;
}
