/* The first schedule: isl's Pluto-like scheduler under our constraints.
 *
 * Outer coincidence asks for parallel outer loops and keeps a reduction and
 * its consumers in one nest:
 *
 *	D = A * B; E = D + C
 *	band [i, j] coincident 1 1
 *	  sequence: D_init | band [k] D | E
 *
 * Dependences are gisted by the domain before isl sees them, for two reasons:
 * with the bounds visible the consumer of a reduction may be fused at its last
 * iteration, and scheduling deep nests takes seconds instead of
 * milliseconds. For the same reason sizes are symbols here, even when they are
 * fixed; they enter when the AST is built.
 */
#include <stdlib.h>

#include "polyir_internal.h"

static __isl_give isl_union_map *gist(__isl_take isl_union_map *deps,
	__isl_keep isl_union_set *domain)
{
	deps = isl_union_map_intersect_domain(deps,
		isl_union_set_copy(domain));
	deps = isl_union_map_intersect_range(deps, isl_union_set_copy(domain));
	deps = isl_union_map_gist_domain(deps, isl_union_set_copy(domain));
	return isl_union_map_gist_range(deps, isl_union_set_copy(domain));
}

__isl_give isl_schedule *poly_schedule_domain(struct poly_prog *prog,
	__isl_take isl_union_set *domain)
{
	struct poly_deps *d = &prog->deps;
	isl_union_map *validity, *proximity;
	isl_schedule_constraints *sc;

	validity = isl_union_map_union(isl_union_map_copy(d->flow),
		isl_union_map_copy(d->anti));
	validity = isl_union_map_union(validity,
		isl_union_map_copy(d->output));
	validity = isl_union_map_union(validity,
		isl_union_map_copy(d->reduction));
	validity = gist(validity, domain);
	proximity = gist(isl_union_map_copy(d->flow), domain);
	sc = isl_schedule_constraints_on_domain(domain);
	sc = isl_schedule_constraints_set_context(sc,
		isl_set_copy(prog->context));
	sc = isl_schedule_constraints_set_validity(sc,
		isl_union_map_copy(validity));
	sc = isl_schedule_constraints_set_coincidence(sc, validity);
	sc = isl_schedule_constraints_set_proximity(sc, proximity);
	return isl_schedule_constraints_compute_schedule(sc);
}

/* Order all statements, fusing what shares parallel loops.
 *
 * requires deps; establishes schedule
 */
isl_stat poly_schedule(struct poly_prog *prog)
{
	isl_union_set *domain = poly_point_domains(prog);
	isl_schedule *schedule = poly_schedule_domain(prog, domain);

	if (!schedule) {
		poly_report_add(prog->report, MSG_POLY_NO_SCHEDULE, NULL,
			isl_ctx_last_error_msg(prog->ctx));
		isl_ctx_reset_error(prog->ctx);
		return isl_stat_error;
	}
	return poly_set_schedule(prog, schedule);
}
