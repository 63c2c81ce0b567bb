/* From tile operations back to points: the tree at instance level.
 *
 * Legality is a matter of statement instances. A tile operation stands for
 * the instances of its members, which one instance of it executes in this
 * order: the points of the tile (and of the summation) one after another, the
 * members in their order at each. isl_schedule_expand puts these inner trees
 * below the tile operations' leaves.
 *
 *	before: ... band [tk] D_tile     after: ... band [tk]
 *	                                              band [i] [j] [k] D
 *
 * Threads do not run points one after another; that nothing depends on such an
 * order is what poly_check_place shows.
 */
#include <stdlib.h>

#include <isl/space.h>

#include "polyir_internal.h"

__isl_give isl_union_map *poly_contraction(struct poly_prog *prog)
{
	isl_union_map *result = isl_union_map_empty(
		isl_set_get_space(prog->context));

	for (int i = 0; i < prog->n_stmt; i++) {
		struct poly_stmt *s = prog->stmt[i];

		if (s->n_member) {
			result = isl_union_map_union(result,
				isl_union_map_copy(s->contraction));
		} else if (!poly_stmt_is_member(prog, s)) {
			isl_map *same = isl_set_identity(
				isl_set_copy(s->domain));

			result = isl_union_map_add_map(result, same);
		}
	}
	return result;
}

/* Points [p..] of the members of "s": member instance -> point. */
static __isl_give isl_union_map *member_points(struct poly_stmt *s)
{
	isl_union_map *points = isl_union_map_empty(isl_space_params_alloc(
		isl_set_get_ctx(s->domain), 0));

	for (int i = 0; i < s->n_member; i++) {
		isl_map *map;

		if (!s->member[i]->at)
			continue;
		map = isl_map_from_multi_aff(
			isl_multi_aff_copy(s->member[i]->at));
		map = isl_map_reverse(map);
		map = isl_map_intersect_domain(map,
			isl_set_copy(s->member[i]->domain));
		points = isl_union_map_add_map(points, map);
	}
	return points;
}

static __isl_give isl_union_set *member_domain(struct poly_stmt *s)
{
	isl_union_set *domain = isl_union_set_empty(isl_space_params_alloc(
		isl_set_get_ctx(s->domain), 0));

	if (!s->n_member)
		domain = isl_union_set_add_set(domain,
			isl_set_copy(s->domain));
	for (int i = 0; i < s->n_member; i++)
		domain = isl_union_set_add_set(domain,
			isl_set_copy(s->member[i]->domain));
	return domain;
}

/* The members in their order of execution at one point. */
static __isl_give isl_schedule_node *insert_members(
	__isl_take isl_schedule_node *node, struct poly_stmt *s)
{
	isl_union_set_list *filters;

	if (s->n_member < 2)
		return node;
	filters = isl_union_set_list_alloc(isl_schedule_node_get_ctx(node),
		s->n_member);
	for (int i = 0; i < s->n_member; i++)
		filters = isl_union_set_list_add(filters,
			isl_union_set_from_set(
				isl_set_copy(s->member[i]->domain)));
	return isl_schedule_node_insert_sequence(node, filters);
}

/* The tree of one instance of "s". */
static __isl_give isl_schedule *inner_tree(struct poly_stmt *s)
{
	isl_union_map *points = member_points(s);
	isl_schedule_node *node =
		isl_schedule_node_from_domain(member_domain(s));
	isl_schedule *schedule;

	node = isl_schedule_node_child(node, 0);
	if (!isl_union_map_is_empty(points)) {
		node = isl_schedule_node_insert_partial_schedule(node,
			isl_multi_union_pw_aff_from_union_map(points));
		node = isl_schedule_node_child(node, 0);
	} else {
		isl_union_map_free(points);
	}
	node = insert_members(node, s);
	schedule = isl_schedule_node_get_schedule(node);
	isl_schedule_node_free(node);
	return schedule;
}

__isl_give isl_schedule *poly_expand(struct poly_prog *prog)
{
	isl_union_pw_multi_aff *contraction;
	isl_schedule *inner = NULL;

	for (int i = 0; i < prog->n_stmt; i++) {
		struct poly_stmt *s = prog->stmt[i];
		isl_schedule *one;

		if (poly_stmt_is_member(prog, s))
			continue;
		one = inner_tree(s);
		inner = inner ? isl_schedule_set(inner, one) : one;
	}
	if (!inner)
		return isl_schedule_copy(prog->schedule);
	contraction = isl_union_pw_multi_aff_from_union_map(
		poly_contraction(prog));
	return isl_schedule_expand(isl_schedule_copy(prog->schedule),
		contraction, inner);
}
