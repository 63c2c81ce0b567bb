/* A tree with long lists, as loops are made of it: all parameters of its sets are in one
 * order, and bands that order nothing are left out.
 *
 * Filters name the parameters that they need, each in an order of its own. isl
 * meets what reaches a list with the filter of each child, and brings all of it
 * into the filter's order first: with hundreds of statements in a list, that is
 * done as many times for each of them. Here a filter has all parameters, its own
 * before the others.
 *
 * A thread that has one point has one value in each band around the list. isl looks for
 * loops there all the same: it divides the points into pieces that have the same
 * statements, and writes the list once for each of them. A statement at the six faces of
 * a cube makes that 27 pieces; without the band it is one condition:
 *
 *	if (b0 == 0 || b0 == 19 || ..) S2(..);
 *
 * The order of parameters is that of terms in what isl makes of the tree. So it stays
 * what isl makes it, but where a list is long; and bands stay where none is.
 */
#include <stdbool.h>

#include <isl/space.h>

#include "polyir/ir/ir.h"
#include "polyir/ir/tree_copy.h"
#include "polyir/loops/loops.h"

/* Children from which on a list is long. */
enum { LONG = 64 };

/* All parameters of a tree. */
struct params {
	isl_space *space;
};

/* Callback: note in "user" whether there is a long list; the first ends the walk. */
static isl_bool find_long(__isl_keep isl_schedule_node *node, void *user)
{
	bool *found = user;

	*found |= isl_schedule_node_n_children(node) >= LONG;
	return *found ? isl_bool_error : isl_bool_true;
}

static bool has_long_list(__isl_keep isl_schedule_node *node)
{
	bool found = false;

	isl_schedule_node_foreach_descendant_top_down(node, find_long, &found);
	return found;
}

/* "space", which is taken, with the parameters of "set" before the others. */
static __isl_give isl_space *own_first(__isl_take isl_space *space,
	__isl_keep isl_union_set *set)
{
	return isl_space_align_params(space, isl_union_set_get_space(set));
}

/* Callback: "set" with all parameters, its own first. */
static __isl_give isl_union_set *align(__isl_take isl_union_set *set,
	const void *user)
{
	const struct params *all = user;
	isl_space *space = own_first(isl_space_copy(all->space), set);

	return isl_union_set_align_params(set, space);
}

/* Callback: add the affine hull of the values "map" gives its instances. */
static isl_stat add_hull(__isl_take isl_map *map, void *user)
{
	isl_set **all = user;
	isl_set *hull = isl_set_from_basic_set(isl_set_affine_hull(
		isl_map_range(map)));

	*all = *all ? isl_set_union(*all, hull) : hull;
	return isl_stat_non_null(*all);
}

/* Has the band "node" one value for each block and thread, the same for all that
 * reaches it, as functions without conditions tell?
 */
static bool has_one_value(__isl_keep isl_schedule_node *node)
{
	isl_union_map *at =
		isl_schedule_node_band_get_partial_schedule_union_map(node);
	isl_set *values = NULL;
	isl_map *map;
	isl_bool one;

	at = isl_union_map_intersect_domain(at, poly_node_domain(node));
	isl_union_map_foreach_map(at, add_hull, &values);
	isl_union_map_free(at);
	if (!values)
		return false;
	map = isl_map_from_range(isl_set_from_basic_set(
		isl_set_affine_hull(values)));
	one = isl_map_is_single_valued(map);
	isl_map_free(map);
	return one == isl_bool_true;
}

/* Callback: the band "src" that orders nothing is left out; what is below it is
 * copied.
 */
static bool leave_out(isl_schedule_node **dst,
	__isl_keep isl_schedule_node *src, const void *user)
{
	const struct params *all = user;
	const struct poly_copying how = { .filter = align,
		.instead = leave_out, .user = all };
	isl_schedule_node *child;

	if (isl_schedule_node_get_type(src) != isl_schedule_node_band ||
	    !has_one_value(src))
		return false;
	child = isl_schedule_node_get_child(src, 0);
	*dst = poly_tree_copy_as(*dst, child, &how);
	isl_schedule_node_free(child);
	return true;
}

/* Bring the parameters "all" into the order in which they reach the first list of
 * the tree of "src".
 */
static void order_params(struct params *all, __isl_keep isl_schedule_node *src)
{
	isl_schedule_node *node = isl_schedule_node_copy(src);

	while (isl_schedule_node_n_children(node) == 1) {
		if (isl_schedule_node_get_type(node) ==
		    isl_schedule_node_filter) {
			isl_union_set *filter =
				isl_schedule_node_filter_get_filter(node);

			all->space = own_first(all->space, filter);
			isl_union_set_free(filter);
		}
		node = isl_schedule_node_child(node, 0);
	}
	isl_schedule_node_free(node);
}

__isl_give isl_schedule_node *poly_tree_for_loops(
	__isl_take isl_union_set *domain, __isl_keep isl_set *context,
	__isl_keep isl_schedule_node *src)
{
	struct params all = { isl_space_params(isl_set_get_space(context)) };
	const struct poly_copying how = { .filter = align,
		.instead = leave_out, .user = &all };
	const struct poly_copying plain = { .n_more = 0 };
	bool is_long = has_long_list(src);
	isl_schedule_node *node;

	all.space = own_first(all.space, domain);
	order_params(&all, src);
	if (is_long)
		domain = align(domain, &all);
	node = isl_schedule_node_from_domain(domain);
	node = poly_tree_copy_as(isl_schedule_node_child(node, 0), src,
		is_long ? &how : &plain);
	isl_space_free(all.space);
	return isl_schedule_node_root(node);
}
