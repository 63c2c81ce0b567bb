/* The first schedule of the whole program. What it fuses is isl's choice
 * (scheduler.c); distribute.c decides what of it becomes a kernel.
 */
#include "polyir_internal.h"

/* Order all statements, fusing what shares parallel loops.
 *
 * requires deps; establishes schedule
 */
isl_stat poly_schedule(struct poly_prog *prog)
{
	isl_schedule *schedule;

	if (poly_is_matrix(prog))
		schedule = poly_schedule_domain(prog,
			poly_point_domains(prog));
	else
		schedule = poly_schedule_deps(prog);
	if (!schedule && isl_ctx_last_error(prog->ctx) == isl_error_alloc)
		return poly_isl_error(prog, "schedule");
	if (!schedule) {
		poly_report_add(prog->report, MSG_POLY_NO_SCHEDULE, NULL,
			isl_ctx_last_error_msg(prog->ctx));
		isl_ctx_reset_error(prog->ctx);
		return isl_stat_error;
	}
	return poly_set_schedule(prog, schedule);
}
