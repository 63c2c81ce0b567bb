/* Dependences between the statements' instances: by single assignment (flow.c)
 * or by the order of the text (flow_order.c). The first thing that those of
 * definitions can show is one that needs itself.
 */
#include "polyir/ir/ir.h"
#include "polyir/deps/deps.h"

/* Compute the dependences between the point statements.
 *
 * requires nothing, before schedule; establishes deps
 */
isl_stat poly_deps(struct poly_prog *prog)
{
	if (poly_deps_again(prog) < 0)
		return isl_stat_error;
	if (prog->original)
		return isl_stat_ok;
	isl_union_map_free(prog->deps.rar);
	prog->deps.rar = poly_rar_of(poly_reads(prog));
	return prog->deps.rar ? isl_stat_ok : poly_isl_error(prog, "deps");
}
