/* A tree with long lists has all parameters of its sets in one order.
 *
 * Filters name the parameters that they need, each in an order of its own. isl
 * meets what reaches a list with the filter of each child, and brings all of it
 * into the filter's order first: with hundreds of statements in a list, that is
 * done as many times for each of them. Here a filter has all parameters, its own
 * before the others.
 *
 * The order of parameters is that of terms in what isl makes of the tree. So it stays
 * what isl makes it, but where a list is long.
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
	const struct poly_copying how = { .filter = align, .user = &all };
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
