/* Neighbours in a sequence that are too small for launches of their own.
 *
 *	before: sequence		after: sequence
 *		  S0: ..			 sequence
 *		  S1: ..			   S0: ..
 *		  S2: band [i, j] 1 1		   S1: ..
 *						 S2: band [i, j] 1 1
 *
 * What has no parallel loop runs in one thread, what has little work is done
 * sooner by one block (map_block.c); several of these in a row are one kernel.
 */
#include <stdlib.h>

#include "polyir/ir/ir.h"
#include "polyir/schedule/schedule.h"

/* Is the child of a sequence at "node" small? */
static bool is_small(struct poly_prog *prog,
	__isl_keep isl_schedule_node *node)
{
	isl_schedule_node *child = isl_schedule_node_get_child(node, 0);
	bool small = !poly_has_parallel(child) ||
		poly_fits_block(prog, child);

	isl_schedule_node_free(child);
	return small;
}

/* The filters of the groups of the children of "node", or NULL if each is one
 * by itself, or all are one.
 */
static __isl_give isl_union_set_list *groups(struct poly_prog *prog,
	__isl_keep isl_schedule_node *node)
{
	int n = isl_schedule_node_n_children(node), n_group = 0;
	isl_union_set_list *list = isl_union_set_list_alloc(
		isl_schedule_node_get_ctx(node), n);
	isl_union_set *last = NULL;
	bool before = false;

	for (int i = 0; i < n; i++) {
		isl_schedule_node *child =
			isl_schedule_node_get_child(node, i);
		isl_union_set *filter =
			isl_schedule_node_filter_get_filter(child);
		bool small = is_small(prog, child);

		isl_schedule_node_free(child);
		if (last && small && before) {
			last = isl_union_set_union(last, filter);
			continue;
		}
		if (last)
			list = isl_union_set_list_add(list, last);
		last = filter;
		before = small;
		n_group++;
	}
	list = isl_union_set_list_add(list, last);
	if (n_group > 1 && n_group < n)
		return list;
	return isl_union_set_list_free(list);
}

/* Group the children of the first sequence at or below "node" that has any to
 * group; "*found" says whether there was one.
 */
static __isl_give isl_schedule_node *group_first(struct poly_prog *prog,
	__isl_take isl_schedule_node *node, bool *found)
{
	enum isl_schedule_node_type type = isl_schedule_node_get_type(node);
	isl_size n = isl_schedule_node_n_children(node);
	isl_union_set_list *list = NULL;

	if (type == isl_schedule_node_leaf || !poly_has_parallel(node) ||
	    (type == isl_schedule_node_band &&
	     poly_band_shape(node) != POLY_BAND_SERIAL))
		return node;
	if (type == isl_schedule_node_sequence)
		list = groups(prog, node);
	if (list) {
		*found = true;
		return isl_schedule_node_insert_sequence(node, list);
	}
	for (int i = 0; i < n && !*found; i++) {
		node = isl_schedule_node_child(node, i);
		node = group_first(prog, node, found);
		node = isl_schedule_node_parent(node);
	}
	return node;
}

isl_stat poly_group_small(struct poly_prog *prog)
{
	bool found = true;

	for (int most = prog->n_stmt; found && most > 0; most--) {
		isl_schedule_node *node = isl_schedule_get_root(
			prog->schedule);

		found = false;
		node = isl_schedule_node_child(node, 0);
		node = group_first(prog, node, &found);
		if (found && poly_set_schedule(prog, poly_tidy(
			isl_schedule_node_get_schedule(node))) < 0) {
			isl_schedule_node_free(node);
			return isl_stat_error;
		}
		isl_schedule_node_free(node);
	}
	return isl_stat_ok;
}
