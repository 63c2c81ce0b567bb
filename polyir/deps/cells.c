/* Dependences that come from giving cells of an array several values, one after another:
 * who accesses the value before comes before who writes the next.
 */
#include <isl/local_space.h>
#include <isl/space.h>

#include "polyir/ir/ir.h"
#include "polyir/sets/sets.h"
#include "polyir/deps/deps.h"

void poly_find_accesses(struct poly_prog *prog, const struct poly_array *array,
	isl_union_map **reads, isl_union_map **writes)
{
	isl_union_set *own = isl_union_set_from_set(isl_set_universe(
		isl_multi_pw_aff_get_space(array->extent)));

	*reads = isl_union_map_empty(isl_set_get_space(prog->context));
	*writes = isl_union_map_copy(*reads);
	for (int i = 0; i < prog->n_stmt; i++) {
		struct poly_stmt *stmt = prog->stmt[i];

		if (stmt->kind != POLY_POINT ||
		    !poly_stmt_accesses(stmt, array))
			continue;
		*reads = isl_union_map_union(*reads,
			isl_union_map_intersect_range(poly_stmt_reads(stmt),
				isl_union_set_copy(own)));
		if (stmt->write_array == array)
			*writes = isl_union_map_add_map(*writes,
				poly_stmt_write(stmt));
	}
	isl_union_set_free(own);
}

__isl_give isl_map *poly_along(const struct poly_array *array, int dim)
{
	isl_space *space = isl_multi_pw_aff_get_space(array->extent);
	isl_map *map = isl_map_universe(isl_space_map_from_set(space));

	for (int d = 0; d < array->n_dim; d++)
		if (d != dim)
			map = isl_map_equate(map, isl_dim_in, d, isl_dim_out,
				d);
	return map;
}

/* From an element to those that come so far behind it that they may have its cell. */
static __isl_give isl_map *later(const struct poly_array *array,
	const struct poly_cells *cells)
{
	isl_map *map = poly_along(array, cells->dim);
	isl_local_space *pair = isl_local_space_from_space(
		isl_space_wrap(isl_map_get_space(map)));
	isl_aff *from = isl_aff_var_on_domain(isl_local_space_copy(pair),
		isl_dim_set, cells->dim);
	isl_aff *to = isl_aff_var_on_domain(pair, isl_dim_set,
		array->n_dim + cells->dim);
	isl_aff *apart = cells->down ? isl_aff_sub(from, to) :
		isl_aff_sub(to, from);

	apart = isl_aff_add_constant_si(apart, -(int)cells->n);
	return isl_map_intersect(map, isl_set_unwrap(isl_pw_aff_nonneg_set(
		isl_pw_aff_from_aff(apart))));
}

__isl_give isl_union_map *poly_cell_pairs(const struct poly_array *array,
	const struct poly_cells *cells, __isl_take isl_union_map *access,
	__isl_take isl_union_map *writes)
{
	isl_union_map *pairs = isl_union_map_apply_range(access,
		isl_union_map_from_map(later(array, cells)));
	isl_union_map *same;

	pairs = isl_union_map_apply_range(pairs, isl_union_map_reverse(writes));
	same = isl_union_set_identity(isl_union_map_domain(
		isl_union_map_copy(pairs)));
	return poly_union_map_coalesce(isl_union_map_subtract(pairs, same));
}
