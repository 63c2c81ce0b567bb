/* Kernels whose blocks are apart: each instance is in one block of the grid, and none waits
 * for another block. What threads of one block wait for is asked of barriers (race.c).
 */
#include <isl/id.h>

#include "polyir/ir/ir.h"
#include "polyir/legal/legal.h"

/* Pairs of instances of "k" that are in different blocks, which have nothing to do with
 * one another.
 */
static __isl_give isl_union_map *across_blocks(struct poly_prog *prog,
	const struct poly_kernel *k, __isl_keep isl_union_map *block)
{
	isl_union_set *all = poly_kernel_domain(prog, k);
	isl_union_map *deps = isl_union_map_union(poly_ordering_deps(prog),
		isl_union_map_copy(prog->deps.reduction)), *same;

	deps = isl_union_map_intersect_domain(deps, isl_union_set_copy(all));
	deps = isl_union_map_intersect_range(deps, all);
	if (poly_kernel_n_host(prog, k) > 0)
		deps = isl_union_map_eq_at_multi_union_pw_aff(deps,
			poly_kernel_launch(prog, k));
	same = isl_union_map_apply_range(isl_union_map_copy(block),
		isl_union_map_reverse(isl_union_map_copy(block)));
	return isl_union_map_subtract(deps, same);
}

/* "block" where the coordinates of a launch, which are parameters of the grid, are those
 * that the instance runs in.
 */
static __isl_give isl_union_map *in_launch(struct poly_prog *prog,
	const struct poly_kernel *k, __isl_take isl_union_map *block)
{
	isl_multi_union_pw_aff *launch = poly_kernel_launch(prog, k);
	int n = poly_kernel_n_host(prog, k);

	for (int i = 0; i < n; i++) {
		isl_union_pw_aff *at = isl_multi_union_pw_aff_get_at(launch, i);
		isl_union_set *all = isl_union_pw_aff_domain(
			isl_union_pw_aff_copy(at));
		isl_id *id = isl_id_alloc(prog->ctx, poly_coordinate(prog,
			POLY_LAUNCH + i), NULL);

		at = isl_union_pw_aff_sub(at,
			isl_union_pw_aff_param_on_domain_id(all, id));
		block = isl_union_map_intersect_domain(block,
			isl_union_pw_aff_zero_union_set(at));
	}
	isl_multi_union_pw_aff_free(launch);
	return block;
}

isl_stat poly_check_apart(struct poly_prog *prog, const struct poly_kernel *k,
	struct poly_stmt **op, int n, const char *pass)
{
	isl_union_map *block = poly_kernel_blocks(prog, k);
	isl_union_map *wrong = isl_union_map_subtract_range(
		in_launch(prog, k, isl_union_map_copy(block)),
		isl_union_set_from_set(poly_kernel_tiles(prog, k)));
	isl_union_set *none = isl_union_set_intersect_params(
		poly_kernel_domain(prog, k), isl_set_copy(prog->context));
	isl_stat ok;

	none = isl_union_set_subtract(none, isl_union_map_domain(
		isl_union_map_copy(block)));
	wrong = isl_union_map_union(wrong, isl_union_set_identity(none));
	for (int i = 0; i < n; i++) {
		isl_union_map *own = isl_union_map_intersect_domain(
			isl_union_map_copy(block), isl_union_set_from_set(
				isl_set_copy(op[i]->domain)));

		if (op[i]->kind != POLY_SYNC &&
		    isl_union_map_is_single_valued(own) != isl_bool_true)
			wrong = isl_union_map_union(wrong,
				isl_union_map_copy(own));
		isl_union_map_free(own);
	}
	ok = poly_refuse_sources(prog, pass, wrong);
	if (ok == isl_stat_ok)
		ok = poly_refuse_sources(prog, pass, across_blocks(prog, k, block));
	isl_union_map_free(block);
	return ok;
}
