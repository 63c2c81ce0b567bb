/* The schedule of a script: the order of the text, or where there is none the
 * automatic one, as a plan (plan.c), and what the commands of the script make of it.
 */
#include <stdlib.h>

#include "polyir/base/base.h"
#include "polyir/ir/ir.h"
#include "polyir/tune/tune.h"
#include "polyir/script/box.h"
#include "polyir/script/command.h"
#include "polyir/script/plan.h"
#include "polyir/script/script.h"

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
	poly_str_free(&box.script->asked);
	box.script->config = poly_config_free(box.script->config);
	box.script->folds.n = 0;
	box.script->serial = false;
	prog->request.folds = &box.script->folds;
	ok = poly_script_begin(prog);
	if (ok < 0)
		return ok;
	box.plan = poly_plan_of(prog, prog->schedule);
	if (!box.plan) {
		poly_report_add(prog->report, MSG_SCRIPT_FAILED, NULL,
			box.script->name);
		return isl_stat_error;
	}
	box.plan->tree = isl_schedule_free(box.plan->tree);
	ok = poly_box_run(&box);
	box.script->serial &= ok == isl_stat_ok;
	if (ok == isl_stat_ok)
		ok = box.script->serial ? isl_stat_error :
			poly_plan_finish(box.plan);
	poly_plan_free(box.plan);
	if (!box.chains)
		prog->have |= POLY_HAVE_CHAINS;
	return ok;
}
