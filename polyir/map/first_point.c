/* Points counted from the first one of a launch, so that triangles have no idle blocks.
 *
 *	for (k) for (i > k)		i - k - 1, from 0 on, in the launch of k
 */
#include <isl/ilp.h>
#include <isl/space.h>
#include <isl/val.h>

#include "polyir/ir/ir.h"
#include "polyir/sets/sets.h"
#include "polyir/layout/layout.h"
#include "polyir/map/map.h"
#include "polyir/map/map_points.h"

static bool is_simple(__isl_keep isl_pw_aff *pa)
{
	return isl_pw_aff_n_piece(pa) == 1;
}

/* "range", which is taken, in all launches. */
static __isl_give isl_set *in_all_launches(__isl_take isl_set *range)
{
	isl_size n = isl_set_dim(range, isl_dim_param);

	while (n-- > 0) {
		const char *name = isl_set_get_dim_name(range, isl_dim_param,
			n);

		if (name && name[0] == 'h' && name[1] >= '0' &&
		    name[1] <= '7' && !name[2])
			range = isl_set_project_out(range, isl_dim_param, n,
				1);
	}
	return range;
}

/* The number that "first", which is taken, never is below, as a function, if it has
 * several pieces and "range" has one such: some sizes then have idle points.
 */
static __isl_give isl_pw_aff *simple_first(__isl_take isl_pw_aff *first,
	__isl_keep isl_set *range)
{
	isl_val *least = is_simple(first) ? NULL :
		isl_set_dim_min_val(isl_set_copy(range), 0);

	if (isl_val_is_int(least) == isl_bool_true) {
		isl_set *all = isl_set_universe(isl_pw_aff_get_domain_space(
			first));

		isl_pw_aff_free(first);
		return isl_pw_aff_val_on_domain(all, least);
	}
	isl_val_free(least);
	return first;
}

/* The least point of "range", which is taken, in a launch; where that takes
 * several pieces, in all launches, if there is one, which keeps the code short.
 */
static __isl_give isl_pw_aff *first_point(__isl_take isl_set *range)
{
	isl_set *known = isl_set_params(isl_set_copy(range));
	isl_pw_aff *first = isl_set_dim_min(isl_set_copy(range), 0);

	first = isl_pw_aff_gist_params(poly_pw_aff_coalesce(first), known);
	if (!is_simple(first))
		range = in_all_launches(range);
	if (is_simple(first) || !poly_range_has_bound(range, false)) {
		isl_set_free(range);
		return first;
	}
	isl_pw_aff_free(first);
	known = isl_set_params(isl_set_copy(range));
	first = poly_pw_aff_coalesce(isl_set_dim_min(isl_set_copy(range), 0));
	first = simple_first(isl_pw_aff_gist_params(first, known), range);
	isl_set_free(range);
	return first;
}

__isl_give isl_union_pw_aff *poly_from_first(const struct poly_mapping *m,
	__isl_keep isl_schedule_node *node,
	__isl_take isl_union_pw_aff *member)
{
	isl_union_set *here = poly_launch_filter(m->prog, node);
	isl_union_map *map = isl_union_map_from_union_pw_aff(
		isl_union_pw_aff_copy(member));
	isl_set *range = isl_set_from_union_set(isl_union_set_apply(
		isl_union_set_copy(here), map));
	isl_pw_aff *first = first_point(poly_range_hull(m->prog, range));

	here = isl_union_set_universe(here);
	return isl_union_pw_aff_sub(member,
		isl_union_pw_aff_pw_aff_on_domain(here, first));
}
