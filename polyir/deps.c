/* Dependences between the statements' instances: by single assignment (flow.c)
 * or by the order of the text (flow_order.c). The first thing that those of
 * definitions can show is one that needs itself.
 */
#include <stdlib.h>

#include "polyir_internal.h"

/* Is there an instance that needs itself? isl's scheduler would not see it. */
static isl_bool needs_itself(__isl_keep isl_union_map *flow)
{
	isl_union_set *ends = isl_union_map_domain(isl_union_map_copy(flow));
	isl_union_map *same = isl_union_set_identity(ends);
	isl_bool disjoint = isl_union_map_is_disjoint(flow, same);

	isl_union_map_free(same);
	return isl_bool_not(disjoint);
}

/* Compute the dependences between the point statements.
 *
 * requires nothing; establishes deps
 */
isl_stat poly_deps(struct poly_prog *prog)
{
	struct poly_deps *d = &prog->deps;
	isl_bool cyclic;

	poly_deps_clear(d);
	if (prog->original) {
		poly_deps_ordered(prog, d, POLY_DEPS_ALL, NULL, NULL);
		poly_forget_atomic(prog);
		return d->flow && d->anti && d->output && d->reduction ?
			isl_stat_ok : poly_isl_error(prog, "deps");
	}
	poly_deps_of(d, poly_reads(prog), poly_writes(prog),
		poly_updates(prog));
	cyclic = needs_itself(d->flow);
	if (cyclic < 0 || !d->reduction || !d->rar)
		return poly_isl_error(prog, "deps");
	if (cyclic) {
		char *text = isl_union_map_to_str(d->flow);

		poly_report_add(prog->report, MSG_POLY_CYCLE, NULL, text);
		free(text);
		return isl_stat_error;
	}
	return isl_stat_ok;
}
