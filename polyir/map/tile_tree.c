/* The tree of a kernel with tiles, over its operations (map_tiles.c). */
#include <stdio.h>
#include <stdlib.h>

#include <isl/ilp.h>
#include <isl/space.h>

#include "polyir/base/base.h"
#include "polyir/ir/ir.h"
#include "polyir/sets/sets.h"
#include "polyir/text/text.h"
#include "polyir/layout/layout.h"
#include "polyir/cost/cost.h"
#include "polyir/tune/tune.h"
#include "polyir/sums/sums.h"
#include "polyir/map/map.h"

/* "{ X[t0, t1, ..] -> [(t0)]; .. }" over the operations for coordinate "d" of
 * the tile, or, from 2 on, of the batch.
 */
static __isl_give isl_union_pw_aff *coordinate(const struct poly_nest *nest,
	struct poly_stmt **op, int n, int d)
{
	isl_union_pw_aff *all = isl_union_pw_aff_empty_ctx(nest->prog->ctx);

	for (int i = 0; i < n; i++) {
		isl_space *tile = poly_tile_tuple(op[i], op[i]->name);

		all = isl_union_pw_aff_union_add(all, isl_union_pw_aff_from_aff(
			d < 2 ? poly_at(tile, "t%d", d) : poly_at(tile, "e%d",
			poly_op_first_outer(op[i]) + nest->n_host + d - 2)));
		isl_space_free(tile);
	}
	return all;
}

/* The coordinate of tiles that the blocks of a cluster tell apart, -1: none do. Those of a
 * product have nothing in common but what they copy.
 */
static int cluster_axis(const struct poly_nest *nest)
{
	for (int d = 0; d < 2; d++)
		if (poly_cluster(nest->kernel, d) > 1 && !nest->kernel->tile_k)
			return d;
	return -1;
}

/* The band over the tiles and the batch, from coordinate "from" to "to" - 1, but for
 * "but".
 */
static __isl_give isl_multi_union_pw_aff *tile_band(
	const struct poly_nest *nest, struct poly_stmt **op, int n, int from,
	int to, int but)
{
	isl_ctx *ctx = nest->prog->ctx;
	isl_union_pw_aff_list *list = isl_union_pw_aff_list_alloc(ctx, to);

	for (int d = from; d < to; d++)
		if (d != but)
			list = isl_union_pw_aff_list_add(list,
				coordinate(nest, op, n, d));
	return poly_band_of(list);
}

/* "space" with parameters for the coordinates that the kernel's filter binds. */
static __isl_give isl_space *add_places(__isl_take isl_space *space,
	const struct poly_nest *nest)
{
	for (int i = 0; i < nest->n_host; i++)
		space = poly_add_size(space,
			poly_coordinate(nest->prog, POLY_LAUNCH + i));
	for (int i = 0; i < 2 + nest->n_batch; i++)
		space = poly_add_size(space,
			poly_coordinate(nest->prog, POLY_BLOCK + i));
	return space;
}

/* The tiles of "op" in block (b0, b1, ..) of a launch. */
static __isl_give isl_set *block_tiles(const struct poly_nest *nest,
	const struct poly_stmt *op)
{
	isl_space *tile = add_places(poly_tile_tuple(op, op->name), nest);
	isl_set *set = isl_set_universe(isl_space_copy(tile));
	int first = poly_op_first_outer(op);

	for (int i = 0; i < 2 + nest->n_outer; i++) {
		int k = i - 2;
		const char *place = poly_coordinate(nest->prog, k < 0 ?
			POLY_BLOCK + i : k < nest->n_host ? POLY_LAUNCH + k :
			POLY_BLOCK + i - nest->n_host);

		set = isl_set_intersect(set, isl_aff_eq_set(k < 0 ?
			poly_at(tile, "t%d", i) :
			poly_at(tile, "e%d", first + k),
			poly_at(tile, "%s", place)));
	}
	isl_space_free(tile);
	return set;
}

/* The operations of block (b0, b1, ..) of a launch. */
static __isl_give isl_union_set *block_filter(struct poly_nest *nest,
	struct poly_stmt **op, int n)
{
	isl_union_set *filter = isl_union_set_empty_ctx(nest->prog->ctx);

	for (int i = 0; i < n; i++)
		filter = isl_union_set_union(filter, isl_union_set_from_set(
			block_tiles(nest, op[i])));
	return filter;
}

/* How many of the "n" operations "op" are in the loop of the first one. */
static int in_loop(struct poly_stmt **op, int n)
{
	int k = 1;

	while (k < n && op[k]->with && op[k]->with == op[0])
		k++;
	return k;
}

/* All instances of the "n" operations "op". */
static __isl_give isl_union_set *all_of(struct poly_stmt **op, int n)
{
	isl_union_set *all = isl_union_set_empty_ctx(isl_set_get_ctx(op[0]->domain));

	for (int i = 0; i < n; i++)
		all = isl_union_set_add_set(all, isl_set_universe(
			isl_set_get_space(op[i]->domain)));
	return all;
}

/* The coordinate "d" of each of the "n" products "op". */
static __isl_give isl_union_pw_aff *step(struct poly_stmt **op, int n, int d)
{
	isl_union_pw_aff *all = isl_union_pw_aff_empty_ctx(
		isl_set_get_ctx(op[0]->domain));

	for (int i = 0; i < n; i++) {
		isl_space *tile = poly_tile_tuple(op[i], op[i]->name);

		all = isl_union_pw_aff_union_add(all, isl_union_pw_aff_from_aff(
			isl_aff_var_on_domain(isl_local_space_from_space(tile),
			isl_dim_set, (unsigned)d)));
	}
	return all;
}

/* The loop of the "n" products "op" over their tiles, or else over coordinates
 * "from" to "to".
 */
static __isl_give isl_schedule_node *insert_loops(
	__isl_take isl_schedule_node *node, struct poly_stmt **op, int n, int from,
	int to)
{
	isl_ctx *ctx = isl_schedule_node_get_ctx(node);
	isl_union_pw_aff_list *list = isl_union_pw_aff_list_alloc(ctx, to);

	for (int i = from; i < to; i++)
		list = isl_union_pw_aff_list_add(list, step(op, n, i));
	return isl_schedule_node_insert_partial_schedule(node,
		poly_band_of(list));
}

/* Put the "n" operations "op" into a sequence below "node", those of one loop into one
 * child; one child alone needs none.
 */
static __isl_give isl_schedule_node *insert_sequence(
	__isl_take isl_schedule_node *node, struct poly_stmt **op, int n,
	bool loops)
{
	isl_union_set_list *filters = isl_union_set_list_alloc(
		isl_schedule_node_get_ctx(node), n);

	for (int i = 0, k; i < n; i += k) {
		k = loops ? in_loop(op + i, n - i) : 1;
		filters = isl_union_set_list_add(filters, all_of(op + i, k));
	}
	if (isl_union_set_list_size(filters) > 1)
		return isl_schedule_node_insert_sequence(node, filters);
	isl_union_set_list_free(filters);
	return node;
}

/* Below the sequence child of the "n" products "op": their loops, that over tiles inside,
 * and their order.
 */
static __isl_give isl_schedule_node *insert_k_band(
	__isl_take isl_schedule_node *node, const struct poly_nest *nest,
	struct poly_stmt **op, int n)
{
	int n_dim = isl_set_dim(op[0]->domain, isl_dim_set);

	node = insert_sequence(node, op, n, false);
	node = insert_loops(node, op, n, 2, 3);
	if (n_dim > 3 + nest->n_outer)
		node = insert_loops(node, op, n, 3 + nest->n_outer, n_dim);
	return node;
}

/* Put the operations in order below "node", each product below a loop over its
 * tiles of the reduction dimension and its further reduction loops. One
 * operation alone needs no sequence.
 */
static __isl_give isl_schedule_node *insert_ops(
	__isl_take isl_schedule_node *node, const struct poly_nest *nest,
	struct poly_stmt **op, int n)
{
	node = insert_sequence(node, op, n, true);
	for (int i = 0, child = 0, k; i < n && n > 1; i += k, child++) {
		k = in_loop(op + i, n - i);
		if (op[i]->kind != POLY_CONTRACT)
			continue;
		node = isl_schedule_node_grandchild(node, child, 0);
		node = insert_k_band(node, nest, op + i, k);
		node = isl_schedule_node_ancestor(node, 2);
	}
	return node;
}

/* The blocks of a cluster run each operation together: the loop over them stands in
 * each child of the sequence "node".
 */
static __isl_give isl_schedule_node *insert_cluster(
	__isl_take isl_schedule_node *node, const struct poly_nest *nest,
	struct poly_stmt **op, int n)
{
	int d = cluster_axis(nest);

	for (int i = 0, child = 0, k; i < n && d >= 0; i += k, child++) {
		k = in_loop(op + i, n - i);
		node = isl_schedule_node_grandchild(node, child, 0);
		node = poly_insert_parallel(node, tile_band(nest, op + i, k, d,
			d + 1, -1));
		node = isl_schedule_node_ancestor(node, 2);
	}
	return node;
}

/* The tree of one kernel over its tile operations. */
__isl_give isl_schedule *poly_tile_tree(struct poly_nest *nest,
	struct poly_stmt **op, int n)
{
	isl_union_set *domain = isl_union_set_empty(
		isl_set_get_space(nest->prog->context));
	isl_schedule_node *node;
	isl_schedule *schedule;

	for (int i = 0; i < n; i++)
		domain = isl_union_set_add_set(domain,
			isl_set_copy(op[i]->domain));
	node = isl_schedule_node_from_domain(domain);
	node = isl_schedule_node_child(node, 0);
	node = poly_insert_kernel_mark(node, nest->kernel->name);
	node = isl_schedule_node_child(node, 0);
	node = isl_schedule_node_insert_filter(node,
		block_filter(nest, op, n));
	node = isl_schedule_node_child(node, 0);
	node = poly_insert_parallel(node, tile_band(nest, op, n, 0,
		2 + nest->n_batch, cluster_axis(nest)));
	node = isl_schedule_node_child(node, 0);
	node = insert_ops(node, nest, op, n);
	node = insert_cluster(node, nest, op, n);
	schedule = isl_schedule_node_get_schedule(node);
	isl_schedule_node_free(node);
	return schedule;
}
