/* Dimensions of sets that count up to a size, and the one of a statement that
 * counts the parts of its sum.
 */
#include <isl/space.h>

#include "polyir/base/base.h"
#include "polyir/ir/ir.h"
#include "polyir/sets/sets.h"

bool poly_aff_is_within(__isl_keep isl_aff *aff, int most)
{
	isl_size n = isl_aff_dim(aff, isl_dim_in);
	bool within = true;

	for (int i = 0; i < n; i++) {
		isl_val *v = isl_val_abs(isl_aff_get_coefficient_val(aff,
			isl_dim_in, i));

		within &= isl_val_cmp_si(v, most) <= 0;
		isl_val_free(v);
	}
	return within;
}

__isl_give isl_set *poly_replace_dim(__isl_take isl_set *set, int d, int more)
{
	isl_id *id = isl_set_get_tuple_id(set);

	set = isl_set_project_out(set, isl_dim_set, d, 1);
	set = isl_set_insert_dims(set, isl_dim_set, d, more);
	return isl_set_set_tuple_id(set, id);
}

__isl_give isl_set *poly_bound_dim(__isl_take isl_set *set, int d,
	const char *name)
{
	isl_aff *end = poly_size_at(isl_set_get_space(set), name);
	isl_aff *at = isl_aff_var_on_domain(isl_local_space_from_space(
		isl_aff_get_domain_space(end)), isl_dim_set, d);

	set = isl_set_lower_bound_si(set, isl_dim_set, d, 0);
	return isl_set_intersect(set, isl_aff_lt_set(at, end));
}

bool poly_goes_over(__isl_keep isl_set *set, int d, const char *size)
{
	isl_set *all = poly_bound_dim(poly_replace_dim(isl_set_copy(set), d, 1),
		d, size);
	bool same = isl_set_is_equal(all, set) == isl_bool_true;

	isl_set_free(all);
	return same;
}

int poly_parts_dim(const struct poly_prog *prog, const struct poly_stmt *stmt)
{
	const struct poly_param *parts = poly_prog_hidden(prog, POLY_PARTS);
	int n = isl_set_dim(stmt->domain, isl_dim_set);

	for (int d = 0; d < n && parts; d++)
		if (poly_goes_over(stmt->domain, d, parts->name))
			return d;
	return -1;
}
