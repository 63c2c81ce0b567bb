/* The schedule of a script: the order of the text, or where there is none the
 * automatic one, as a plan (plan.c), and what the commands of the script make of it.
 */
#include <stdlib.h>

#include "polyir/base/base.h"
#include "polyir/ir/ir.h"
#include "polyir/schedule/schedule.h"
#include "polyir/script/box.h"
#include "polyir/script/command.h"
#include "polyir/script/plan.h"
#include "polyir/script/script.h"

/* The schedule that the script begins with. */
static isl_stat begin(struct poly_prog *prog)
{
	if (!prog->original)
		return poly_schedule(prog);
	return poly_set_schedule(prog, isl_schedule_copy(prog->original));
}

/* Let the script make the schedule.
 *
 * requires deps, before kernels; establishes schedule, and the facts of the passes in
 * whose place it stands
 */
isl_stat poly_script(struct poly_prog *prog)
{
	struct poly_box box = { .prog = prog, .script = prog->request.script };
	isl_stat ok;

	poly_report_free(&box.script->report);
	poly_str_free(&box.script->out);
	ok = begin(prog);
	if (ok < 0)
		return ok;
	box.plan = poly_plan_of(prog, prog->schedule);
	if (!box.plan) {
		poly_report_add(prog->report, MSG_SCRIPT_FAILED, NULL,
			box.script->name);
		return isl_stat_error;
	}
	ok = poly_box_run(&box);
	if (ok == isl_stat_ok)
		ok = poly_plan_finish(box.plan);
	poly_plan_free(box.plan);
	return ok;
}
