/* The order of the text as the schedule. It is always legal, and it is what
 * the reference runs. Where definitions have no order, isl finds one.
 */
#include "polyir/ir/ir.h"
#include "polyir/schedule/schedule.h"

/* Run the statements in their original order.
 *
 * requires deps, before kernels; establishes schedule
 */
isl_stat poly_order(struct poly_prog *prog)
{
	if (!prog->original)
		return poly_schedule(prog);
	return poly_set_schedule(prog, isl_schedule_copy(prog->original));
}
