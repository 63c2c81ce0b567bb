/* One iteration of the loops that are around all statements of an order.
 *
 * A temporary that each iteration writes before it reads it carries no value
 * from one iteration to another:
 *
 *	for (i) for (j) { s = 0; for (k) s += a[i][k] * a[j][k]; c[i][j] = s; }
 *
 * That can be asked of one iteration (i, j), with its numbers as parameters:
 * what is left of the question has the loops inside alone. In the nest above
 * isl has to compare one loop in place of three.
 */
#include <stdio.h>

#include <isl/id.h>
#include <isl/local_space.h>
#include <isl/space.h>

#include "polyir/deps/deps.h"
#include "polyir/tune/tune.h"

/* What the parameters for loops are called: no program can spell it. */
#define NAME "@%d"

struct loops {
	isl_union_set *at;	/* the instances of one iteration */
	int n;			/* the loops of which it is one */
};

/* Parameter "k" as a function without a domain. */
static __isl_give isl_pw_aff *number(isl_ctx *ctx, int k)
{
	char name[16];

	snprintf(name, sizeof(name), NAME, k);
	return isl_pw_aff_from_aff(poly_size_at(
		isl_space_params_alloc(ctx, 0), name));
}

/* Take the next loop, "member", which is taken, at one of its values. */
static void add_member(struct loops *loops,
	__isl_take isl_union_pw_aff *member)
{
	isl_pw_aff *at = number(isl_union_set_get_ctx(loops->at), loops->n++);
	isl_union_set *domain = isl_union_pw_aff_domain(
		isl_union_pw_aff_copy(member));

	member = isl_union_pw_aff_sub(member,
		isl_union_pw_aff_pw_aff_on_domain(domain, at));
	loops->at = isl_union_set_intersect(loops->at,
		isl_union_pw_aff_zero_union_set(member));
}

static void add_band(struct loops *loops, __isl_keep isl_schedule_node *node)
{
	isl_multi_union_pw_aff *partial =
		isl_schedule_node_band_get_partial_schedule(node);
	isl_size n = isl_multi_union_pw_aff_size(partial);

	for (int i = 0; i < n; i++)
		add_member(loops,
			isl_multi_union_pw_aff_get_at(partial, i));
	isl_multi_union_pw_aff_free(partial);
}

__isl_give isl_union_set *poly_one_iteration(__isl_keep isl_schedule *order)
{
	isl_schedule_node *node = isl_schedule_get_root(order);
	struct loops loops = { isl_schedule_get_domain(order), 0 };

	while (isl_schedule_node_n_children(node) == 1) {
		node = isl_schedule_node_child(node, 0);
		if (isl_schedule_node_get_type(node) ==
		    isl_schedule_node_band)
			add_band(&loops, node);
	}
	isl_schedule_node_free(node);
	return loops.n ? loops.at : isl_union_set_free(loops.at);
}

/* Add what runs at and below "node" to "*turns"; "domain", which is taken, reaches it.
 * At a loop, "*turns" becomes NULL.
 */
static void add_turns(isl_union_set_list **turns,
	__isl_keep isl_schedule_node *node, __isl_take isl_union_set *domain)
{
	enum isl_schedule_node_type type = isl_schedule_node_get_type(node);
	isl_size n = isl_schedule_node_n_children(node);

	if (type == isl_schedule_node_leaf) {
		*turns = isl_union_set_list_add(*turns, domain);
		return;
	}
	if (type == isl_schedule_node_filter)
		domain = isl_union_set_intersect(domain,
			isl_schedule_node_filter_get_filter(node));
	else if (type != isl_schedule_node_sequence)
		*turns = isl_union_set_list_free(*turns);
	for (int i = 0; *turns && i < n; i++) {
		isl_schedule_node *child = isl_schedule_node_get_child(node, i);

		add_turns(turns, child, isl_union_set_copy(domain));
		isl_schedule_node_free(child);
	}
	isl_union_set_free(domain);
}

__isl_give isl_union_set_list *poly_turns(__isl_keep isl_schedule *order)
{
	isl_schedule_node *node = isl_schedule_get_root(order);
	isl_union_set_list *turns = isl_union_set_list_alloc(
		isl_schedule_get_ctx(order), 0);

	while (isl_schedule_node_get_type(node) != isl_schedule_node_filter &&
	       isl_schedule_node_n_children(node) == 1)
		node = isl_schedule_node_child(node, 0);
	add_turns(&turns, node, isl_schedule_get_domain(order));
	isl_schedule_node_free(node);
	return turns;
}

__isl_give isl_union_map *poly_any_iteration(__isl_take isl_union_map *map)
{
	isl_size n = isl_union_map_dim(map, isl_dim_param);

	for (int i = n - 1; map && i >= 0; i--) {
		isl_id *id = isl_union_map_get_dim_id(map, isl_dim_param, i);
		bool ours = id && isl_id_get_name(id)[0] == NAME[0];

		isl_id_free(id);
		if (ours)
			map = isl_union_map_project_out(map, isl_dim_param, i,
				1);
	}
	return map;
}
