/* Fewer pieces for the same elements.
 *
 * isl 0.25 joins pieces with integer divisions that are not one piece:
 *
 *	n >= 2 and 0 <= i <= 1, or i even and 0 <= i <= n - 2
 *
 * becomes i >= 0 and 2 * floor(i / 2) <= n - 2, in which i = 3 is, too. So where
 * there are divisions, what isl has joined is asked for what was not there. If
 * there is any, pieces take its place that have nothing in common, with which isl
 * does not go wrong in the loops that it makes, either.
 *
 * Now and then isl finds itself at fault amid this ("original tableau does not
 * correspond to original basic map"); then the pieces stay as they are.
 *
 * Pieces multiply in all later operations, so it pays to join them; but what is
 * joined wrongly is a wrong program. Each function here takes its object and
 * returns one with the same elements, with fewer pieces where that is sure.
 */
#include <isl/aff.h>
#include <isl/map.h>
#include <isl/set.h>
#include <isl/union_map.h>
#include <isl/union_set.h>

#include "polyir/base/base.h"
#include "polyir/sets/sets.h"

/* Is "joined" what isl made of "set", and not more than it?
 *
 * The number of pieces tells whether anything was joined; without divisions isl
 * is right.
 */
static bool is_same(__isl_keep isl_set *joined, __isl_keep isl_set *set)
{
	return isl_set_n_basic_set(joined) == isl_set_n_basic_set(set) ||
		isl_set_involves_locals(set) == isl_bool_false ||
		isl_set_is_subset(joined, set) == isl_bool_true;
}

__isl_give isl_set *poly_set_coalesce(__isl_take isl_set *set)
{
	isl_set *joined = isl_set_coalesce(isl_set_copy(set));

	if (!joined && set && poly_ctx_forgives(isl_set_get_ctx(set)))
		return set;
	if (!joined || is_same(joined, set)) {
		isl_set_free(set);
		return joined;
	}
	isl_set_free(joined);
	return isl_set_make_disjoint(set);
}

/* A map is the set of its pairs. */
__isl_give isl_map *poly_map_coalesce(__isl_take isl_map *map)
{
	return isl_set_unwrap(poly_set_coalesce(isl_map_wrap(map)));
}

/* Is "joined", one of the maps that isl has joined, no more than the map of its
 * space in "user", the union map before?
 */
static isl_bool is_map_same(__isl_keep isl_map *joined, void *user)
{
	isl_union_map *all = user;
	isl_set *set = isl_map_wrap(isl_union_map_extract_map(all,
		isl_map_get_space(joined)));
	isl_set *now = isl_map_wrap(isl_map_copy(joined));
	bool same = is_same(now, set);

	isl_set_free(set);
	isl_set_free(now);
	return isl_bool_ok(same);
}

static isl_stat add_coalesced(__isl_take isl_map *map, void *user)
{
	isl_union_map **all = user;

	*all = isl_union_map_add_map(*all, poly_map_coalesce(map));
	return *all ? isl_stat_ok : isl_stat_error;
}

/* Map by map only if one of them was joined wrongly: the whole is faster. */
__isl_give isl_union_map *poly_union_map_coalesce(
	__isl_take isl_union_map *map)
{
	isl_union_map *joined = isl_union_map_coalesce(
		isl_union_map_copy(map));

	if (!joined && map && poly_ctx_forgives(isl_union_map_get_ctx(map)))
		return map;
	if (joined && isl_union_map_every_map(joined, is_map_same, map) !=
	    isl_bool_true) {
		isl_union_map_free(joined);
		joined = isl_union_map_empty(isl_union_map_get_space(map));
		if (isl_union_map_foreach_map(map, add_coalesced,
		    &joined) < 0)
			joined = isl_union_map_free(joined);
	}
	isl_union_map_free(map);
	return joined;
}

/* The same without the detour: pieces stay if anything came in. */
__isl_give isl_union_set *poly_union_set_coalesce(
	__isl_take isl_union_set *set)
{
	isl_union_set *joined = isl_union_set_coalesce(
		isl_union_set_copy(set));

	if (!joined && set && poly_ctx_forgives(isl_union_set_get_ctx(set)))
		return set;
	if (!joined || isl_union_set_is_subset(joined, set) ==
	    isl_bool_true) {
		isl_union_set_free(set);
		return joined;
	}
	isl_union_set_free(joined);
	return set;
}

/* Is "joined" what isl made of "pa", in no place with another value?
 *
 * The joined function may have another value only where its pieces were joined.
 */
static bool is_function_same(__isl_keep isl_pw_aff *joined,
	__isl_keep isl_pw_aff *pa)
{
	isl_set *set = isl_pw_aff_domain(isl_pw_aff_copy(pa));
	bool same = (isl_pw_aff_n_piece(pa) == 1 &&
		isl_set_n_basic_set(set) == 1) ||
		isl_set_involves_locals(set) == isl_bool_false ||
		isl_pw_aff_is_equal(joined, pa) == isl_bool_true;

	isl_set_free(set);
	return same;
}

__isl_give isl_pw_aff *poly_pw_aff_coalesce(__isl_take isl_pw_aff *pa)
{
	isl_pw_aff *joined = isl_pw_aff_coalesce(isl_pw_aff_copy(pa));

	if (!joined && pa && poly_ctx_forgives(isl_pw_aff_get_ctx(pa)))
		return pa;
	if (!joined || is_function_same(joined, pa)) {
		isl_pw_aff_free(pa);
		return joined;
	}
	isl_pw_aff_free(joined);
	return pa;
}
