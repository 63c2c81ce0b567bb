/* What a tree runs first: of pairs of instances, those whose source it runs
 * before the sink.
 *
 * Down the tree go the pairs that all bands above leave equal. A band gives
 * those that it puts into an order, a sequence those from an earlier child to a
 * later one; what reaches a leaf is one instance, or has no order.
 *
 * isl's flow analysis asks at each leaf what is above it. In a tree that holds
 * each statement at all points of its space the answer is a function; where the
 * instances are unions of many pieces, it takes longer than all that is asked
 * about the accesses, which have the pieces, too.
 */
#include "polyir/ir/ir.h"
#include "polyir/deps/deps.h"

static __isl_give isl_union_map *walk(__isl_keep isl_schedule_node *node,
	__isl_take isl_union_map *pairs);

static __isl_give isl_union_map *walk_child(
	__isl_keep isl_schedule_node *node, int i,
	__isl_take isl_union_map *pairs)
{
	isl_schedule_node *child = isl_schedule_node_get_child(node, i);

	pairs = walk(child, pairs);
	isl_schedule_node_free(child);
	return pairs;
}

/* The pairs that the band runs in order, and of those that it leaves equal the
 * ones that the tree below runs in order.
 */
static __isl_give isl_union_map *walk_band(__isl_keep isl_schedule_node *node,
	__isl_take isl_union_map *pairs)
{
	isl_multi_union_pw_aff *partial =
		isl_schedule_node_band_get_partial_schedule(node);
	isl_union_map *later = isl_union_map_lex_lt_at_multi_union_pw_aff(
		isl_union_map_copy(pairs),
		isl_multi_union_pw_aff_copy(partial));

	pairs = isl_union_map_eq_at_multi_union_pw_aff(pairs, partial);
	return isl_union_map_union(later, walk_child(node, 0, pairs));
}

static __isl_give isl_union_set *filter_of(
	__isl_keep isl_schedule_node *node, int i)
{
	isl_schedule_node *child = isl_schedule_node_get_child(node, i);
	isl_union_set *filter = isl_schedule_node_filter_get_filter(child);

	isl_schedule_node_free(child);
	return filter;
}

/* The pairs from each child to itself go on down, those to a later one are in
 * order; "behind" is what the children behind it run.
 */
static __isl_give isl_union_map *walk_sequence(
	__isl_keep isl_schedule_node *node, __isl_take isl_union_map *pairs)
{
	isl_union_set *behind = isl_union_set_empty(
		isl_union_map_get_space(pairs));
	isl_union_map *all = isl_union_map_empty(
		isl_union_map_get_space(pairs));

	for (int i = isl_schedule_node_n_children(node) - 1; i >= 0; i--) {
		isl_union_set *own = filter_of(node, i);
		isl_union_map *from = isl_union_map_intersect_domain(
			isl_union_map_copy(pairs), isl_union_set_copy(own));
		isl_union_map *within = isl_union_map_intersect_range(
			isl_union_map_copy(from), isl_union_set_copy(own));

		all = isl_union_map_union(all, walk_child(node, i, within));
		all = isl_union_map_union(all, isl_union_map_intersect_range(
			from, isl_union_set_copy(behind)));
		behind = isl_union_set_union(behind, own);
	}
	isl_union_set_free(behind);
	isl_union_map_free(pairs);
	return all;
}

/* The part of "pairs" that the tree at and below "node" runs in order; NULL if
 * isl fails. The order of the text has no set (poly_verify), so that each node but
 * a sequence has one child at most.
 */
static __isl_give isl_union_map *walk(__isl_keep isl_schedule_node *node,
	__isl_take isl_union_map *pairs)
{
	isl_space *space;

	if (isl_union_map_is_empty(pairs) != isl_bool_false)
		return pairs;
	switch (isl_schedule_node_get_type(node)) {
	case isl_schedule_node_error:
		return isl_union_map_free(pairs);
	case isl_schedule_node_leaf:
		space = isl_union_map_get_space(pairs);
		isl_union_map_free(pairs);
		return isl_union_map_empty(space);
	case isl_schedule_node_band:
		return walk_band(node, pairs);
	case isl_schedule_node_sequence:
		return walk_sequence(node, pairs);
	default:
		return walk_child(node, 0, pairs);
	}
}

__isl_give isl_union_map *poly_pairs_before(__isl_keep isl_schedule *schedule,
	__isl_take isl_union_map *pairs)
{
	isl_schedule_node *root = isl_schedule_get_root(schedule);

	pairs = walk_child(root, 0, pairs);
	isl_schedule_node_free(root);
	return pairs;
}

__isl_give isl_schedule *poly_bare_order(__isl_keep isl_schedule *schedule,
	__isl_take isl_union_set *use)
{
	return poly_tree_of(isl_union_set_universe(use), schedule);
}
