/* From tile operations back to points: the tree at instance level.
 *
 * Legality is a matter of statement instances. A tile operation stands for
 * the instances of its members, which one instance of it executes in this
 * order: the points of the tile (and of the summation) one after another, the
 * members in their order at each. The tree is pulled back to the members, and
 * these inner trees are put at the tile operations' leaves. (The expansion
 * nodes of isl_schedule_expand would leave everything above them in terms of
 * tiles, where the order walk finds no instance.)
 *
 *	before: ... band [tk] D_tile     after: ... band [tk]
 *	                                              band [i] [j] [k] D
 *
 * Threads do not run points one after another; that nothing depends on such an
 * order is what poly_check_place shows.
 */
#include <stdlib.h>

#include <isl/space.h>

#include "polyir/ir/ir.h"
#include "polyir/layout/layout.h"
#include "polyir/legal/legal.h"

/* Members' instances -> instances of their tile operations among "list"; the
 * identity on its point statements, whatever their domains, which would only end
 * up in every band.
 */
static __isl_give isl_union_map *contraction_of(struct poly_prog *prog,
	struct poly_stmt **list, int n)
{
	isl_union_map *result = isl_union_map_empty(
		isl_set_get_space(prog->context));

	for (int i = 0; i < n; i++) {
		struct poly_stmt *s = list[i];

		if (s->n_member)
			result = isl_union_map_union(result,
				isl_union_map_copy(s->contraction));
		else
			result = isl_union_map_add_map(result,
				isl_set_identity(isl_set_universe(
					isl_set_get_space(s->domain))));
	}
	return result;
}

/* The contraction of the statements of "set". */
static __isl_give isl_union_map *contraction(struct poly_prog *prog,
	__isl_keep isl_union_set *set)
{
	int n;
	struct poly_stmt **list = poly_stmts_of(prog, set, &n);
	isl_union_map *map = list ? contraction_of(prog, list, n) : NULL;

	free(list);
	return map;
}

/* Add "map" to "user", in one part if one function says it for all: what is asked of a
 * function takes as long as it has pairs of parts, and the edges of a grid have many,
 * each with another form of the same, { D[i] -> T[0] : i < 16 }.
 */
static isl_stat add_simple(__isl_take isl_map *map, void *user)
{
	isl_union_map **all = user;
	isl_map *hull;

	if (isl_map_n_basic_map(map) > 1) {
		hull = isl_map_from_basic_map(isl_map_simple_hull(
			isl_map_copy(map)));
		if (isl_map_is_single_valued(hull) == isl_bool_true) {
			isl_map_free(map);
			map = hull;
		} else {
			isl_map_free(hull);
		}
	}
	*all = isl_union_map_add_map(*all, map);
	return *all ? isl_stat_ok : isl_stat_error;
}

/* "map", which is taken, as a function, which may be defined at more instances. */
static __isl_give isl_union_pw_multi_aff *simple_function(
	__isl_take isl_union_map *map)
{
	isl_union_map *all = isl_union_map_empty(isl_union_map_get_space(map));

	if (isl_union_map_foreach_map(map, add_simple, &all) < 0)
		all = isl_union_map_free(all);
	isl_union_map_free(map);
	return isl_union_pw_multi_aff_from_union_map(all);
}

__isl_give isl_union_set *poly_instances(struct poly_prog *prog,
	__isl_take isl_union_set *set)
{
	isl_union_map *to = contraction(prog, set);

	return isl_union_set_preimage_union_pw_multi_aff(set,
		isl_union_pw_multi_aff_from_union_map(to));
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
		map = isl_map_intersect_domain(
			poly_member_points(s, s->member[i]),
			isl_set_copy(s->member[i]->domain));
		points = isl_union_map_add_map(points, map);
	}
	return points;
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

/* The tile operation of whose members "domain" consists, or NULL. */
static struct poly_stmt *owner_of(struct poly_prog *prog,
	__isl_keep isl_union_set *domain)
{
	struct poly_stmt *owner = NULL;
	int n, found = 0;
	struct poly_stmt **list = poly_stmts_of(prog, domain, &n);

	for (int i = 0; i < prog->n_stmt; i++)
		for (int m = 0; list && m < prog->stmt[i]->n_member; m++)
			for (int k = 0; k < n; k++)
				if (prog->stmt[i]->member[m] == list[k]) {
					found += owner != prog->stmt[i];
					owner = prog->stmt[i];
				}
	free(list);
	return found == 1 ? owner : NULL;
}

/* Insert the tree of one instance of a tile operation at its leaf. */
static __isl_give isl_schedule_node *insert_inner(
	__isl_take isl_schedule_node *node, void *user)
{
	isl_union_set *domain;
	isl_union_map *points;
	struct poly_stmt *s;

	if (isl_schedule_node_get_type(node) != isl_schedule_node_leaf)
		return node;
	domain = poly_node_domain(node);
	s = owner_of(user, domain);
	isl_union_set_free(domain);
	if (!s || s->kind == POLY_COPY)
		return node;
	points = member_points(s);
	node = isl_schedule_node_insert_partial_schedule(node,
		isl_multi_union_pw_aff_from_union_map(points));
	node = isl_schedule_node_child(node, 0);
	node = insert_members(node, s);
	return isl_schedule_node_parent(node);
}

__isl_give isl_schedule *poly_expand(struct poly_prog *prog,
	__isl_keep isl_schedule_node *node)
{
	isl_union_set *domain = poly_node_domain(node);
	isl_union_pw_multi_aff *to = simple_function(contraction(prog, domain));
	isl_schedule_node *leaf = isl_schedule_node_from_domain(domain);
	isl_schedule *schedule;

	leaf = isl_schedule_node_child(leaf, 0);
	leaf = poly_tree_copy(leaf, node);
	schedule = isl_schedule_node_get_schedule(leaf);
	isl_schedule_node_free(leaf);
	schedule = isl_schedule_pullback_union_pw_multi_aff(schedule, to);
	return isl_schedule_map_schedule_node_bottom_up(schedule,
		insert_inner, prog);
}
