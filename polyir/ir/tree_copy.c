/* Copies of a schedule tree, node by node, as isl cannot change the statements of one.
 *
 * What reaches the leaf that the copy hangs below decides what is left of filters and
 * lists. Who copies may give filters and bands other statements, and put something else
 * in the place of a node (struct poly_copying).
 */
#include <stdlib.h>

#include <isl/space.h>

#include "polyir/ir/ir.h"
#include "polyir/ir/tree_copy.h"

/* Copy what hangs below child 0 of "src" below "dst" and return to "dst". */
static __isl_give isl_schedule_node *copy_child(
	__isl_take isl_schedule_node *dst, __isl_keep isl_schedule_node *src,
	const struct poly_copying *how)
{
	isl_schedule_node *child = isl_schedule_node_get_child(src, 0);

	dst = isl_schedule_node_child(dst, 0);
	dst = poly_tree_copy_as(dst, child, how);
	isl_schedule_node_free(child);
	return isl_schedule_node_parent(dst);
}

static isl_stat add_universe(__isl_take isl_set *set, void *user)
{
	isl_union_set **all = user;
	isl_space *space = isl_space_drop_all_params(isl_set_get_space(set));

	isl_set_free(set);
	*all = isl_union_set_add_set(*all, isl_set_universe(space));
	return isl_stat_non_null(*all);
}

/* All points of the spaces of what reaches "node", without the coordinates that
 * filters above it name: these are no parameters of the bands below.
 */
static __isl_give isl_union_set *reaching_spaces(
	__isl_keep isl_schedule_node *node)
{
	isl_union_set *domain = poly_node_domain(node), *all;

	all = isl_union_set_empty(isl_space_params_alloc(
		isl_schedule_node_get_ctx(node), 0));
	if (isl_union_set_foreach_set(domain, add_universe, &all) < 0)
		all = isl_union_set_free(all);
	isl_union_set_free(domain);
	return all;
}

/* Copy the band "src", with its flags and options, and what is below it. isl takes no
 * band that has functions of statements which do not reach it.
 */
static __isl_give isl_schedule_node *copy_band(
	__isl_take isl_schedule_node *dst, __isl_keep isl_schedule_node *src,
	const struct poly_copying *how)
{
	isl_union_set *options =
		isl_schedule_node_band_get_ast_build_options(src);
	isl_multi_union_pw_aff *partial =
		isl_schedule_node_band_get_partial_schedule(src);
	int n = isl_schedule_node_band_n_member(src);

	if (how->band)
		partial = how->band(partial, src, how->user);
	if (n > 0)
		partial = isl_multi_union_pw_aff_intersect_domain(partial,
			reaching_spaces(dst));
	dst = isl_schedule_node_insert_partial_schedule(dst, partial);
	dst = isl_schedule_node_band_set_permutable(dst,
		isl_schedule_node_band_get_permutable(src));
	for (int i = 0; i < n; i++)
		dst = isl_schedule_node_band_member_set_coincident(dst, i,
			isl_schedule_node_band_member_get_coincident(src, i));
	dst = isl_schedule_node_band_set_ast_build_options(dst, options);
	return copy_child(dst, src, how);
}

/* The filter "node" as the copy has it. */
static __isl_give isl_union_set *filter_of(__isl_keep isl_schedule_node *node,
	const struct poly_copying *how)
{
	isl_union_set *set = isl_schedule_node_filter_get_filter(node);

	return how->filter ? how->filter(set, how->user) : set;
}

/* The children of the copy of the sequence or set "src": their filters, and
 * in "from" the child each is to be copied from (-1: nothing below). Children
 * that no statement of "domain" reaches are dropped.
 */
static __isl_give isl_union_set_list *list_children(
	__isl_keep isl_schedule_node *src, __isl_keep isl_union_set *domain,
	const struct poly_copying *how, int *from)
{
	int n = isl_schedule_node_n_children(src), kept = 0;
	isl_union_set *all = isl_union_set_universe(
		isl_union_set_copy(domain));
	isl_union_set_list *filters = isl_union_set_list_alloc(
		isl_schedule_node_get_ctx(src), n);

	for (int i = 0; i < n; i++) {
		isl_schedule_node *c = isl_schedule_node_get_child(src, i);
		isl_union_set *f = isl_union_set_intersect(filter_of(c, how),
			isl_union_set_copy(all));

		if (isl_union_set_is_empty(f)) {
			isl_union_set_free(f);
		} else if (how->list && how->list(&filters, c, how->user)) {
			isl_union_set_free(f);
			while (kept < isl_union_set_list_size(filters))
				from[kept++] = -1;
		} else {
			from[kept++] = i;
			filters = isl_union_set_list_add(filters, f);
		}
		isl_schedule_node_free(c);
	}
	isl_union_set_free(all);
	return filters;
}

/* Copy a sequence or set. */
static __isl_give isl_schedule_node *copy_list(
	__isl_take isl_schedule_node *dst, __isl_keep isl_schedule_node *src,
	const struct poly_copying *how)
{
	isl_union_set *domain = poly_node_domain(dst);
	int most = isl_schedule_node_n_children(src) + how->n_more;
	int *from = calloc(most + 1, sizeof(*from));
	isl_union_set_list *filters = from ?
		list_children(src, domain, how, from) : NULL;
	int n = isl_union_set_list_size(filters);

	isl_union_set_free(domain);
	if (isl_schedule_node_get_type(src) == isl_schedule_node_set)
		dst = isl_schedule_node_insert_set(dst, filters);
	else
		dst = isl_schedule_node_insert_sequence(dst, filters);
	for (int i = 0; i < n; i++) {
		isl_schedule_node *child;

		if (from[i] < 0)
			continue;
		child = isl_schedule_node_get_child(src, from[i]);
		dst = isl_schedule_node_child(dst, i);
		dst = copy_child(dst, child, how);
		dst = isl_schedule_node_parent(dst);
		isl_schedule_node_free(child);
	}
	free(from);
	return dst;
}

/* A node of a kind that stands in no tree of ours, an extension or a guard, is a
 * failure: NULL.
 */
__isl_give isl_schedule_node *poly_tree_copy_as(
	__isl_take isl_schedule_node *dst, __isl_keep isl_schedule_node *src,
	const struct poly_copying *how)
{
	if (how->instead && how->instead(&dst, src, how->user))
		return dst;
	switch (isl_schedule_node_get_type(src)) {
	case isl_schedule_node_leaf:
		return dst;
	case isl_schedule_node_band:
		return copy_band(dst, src, how);
	case isl_schedule_node_sequence:
	case isl_schedule_node_set:
		return copy_list(dst, src, how);
	case isl_schedule_node_filter:
		dst = isl_schedule_node_insert_filter(dst, filter_of(src, how));
		return copy_child(dst, src, how);
	case isl_schedule_node_mark:
		dst = isl_schedule_node_insert_mark(dst,
			isl_schedule_node_mark_get_id(src));
		return copy_child(dst, src, how);
	case isl_schedule_node_context:
		dst = isl_schedule_node_insert_context(dst,
			isl_schedule_node_context_get_context(src));
		return copy_child(dst, src, how);
	default:
		return isl_schedule_node_free(dst);
	}
}

__isl_give isl_schedule_node *poly_tree_copy(
	__isl_take isl_schedule_node *dst, __isl_keep isl_schedule_node *src)
{
	const struct poly_copying plain = { .n_more = 0 };

	return poly_tree_copy_as(dst, src, &plain);
}

/* The tree below "src", copied as "how" says, for the instances "domain". */
static __isl_give isl_schedule *tree_over(__isl_take isl_union_set *domain,
	__isl_keep isl_schedule_node *src, const struct poly_copying *how)
{
	isl_schedule_node *node = isl_schedule_node_from_domain(domain);
	isl_schedule *schedule;

	node = poly_tree_copy_as(isl_schedule_node_child(node, 0), src, how);
	schedule = isl_schedule_node_get_schedule(node);
	isl_schedule_node_free(node);
	return schedule;
}

__isl_give isl_schedule *poly_tree_over(__isl_take isl_union_set *domain,
	__isl_keep isl_schedule_node *src)
{
	const struct poly_copying plain = { .n_more = 0 };

	return tree_over(domain, src, &plain);
}

isl_stat poly_tree_anew(struct poly_prog *prog, __isl_take isl_union_set *domain,
	const struct poly_copying *how)
{
	isl_schedule_node *src = isl_schedule_get_root(prog->schedule);
	isl_schedule *schedule;

	src = isl_schedule_node_child(src, 0);
	schedule = tree_over(domain, src, how);
	isl_schedule_node_free(src);
	return poly_set_schedule(prog, schedule);
}

__isl_give isl_schedule *poly_tree_of(__isl_take isl_union_set *domain,
	__isl_keep isl_schedule *schedule)
{
	isl_schedule_node *src = isl_schedule_get_root(schedule);

	src = isl_schedule_node_child(src, 0);
	schedule = poly_tree_over(domain, src);
	isl_schedule_node_free(src);
	return schedule;
}

__isl_give isl_schedule *poly_tidy(__isl_take isl_schedule *schedule)
{
	isl_schedule *tidy = poly_tree_of(isl_schedule_get_domain(schedule),
		schedule);

	isl_schedule_free(schedule);
	return tidy;
}
