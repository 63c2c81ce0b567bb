/* Tiling for blocks and threads: point statements become tile operations.
 *
 * A kernel's points are cut into tiles, one a block. What stood below them, in
 * order, becomes one tile operation each: a run of point-wise statements a
 * GROUP, a reduction over loops of its own a CONTRACT, one of whose loops is
 * tiled too:
 *
 *	before: mark kernel:K               after: mark kernel:K
 *	          band [i, j] 1 1                    filter [b0, b1]
 *	            sequence                           band [t0, t1] 1 1
 *	              D_init                             sequence
 *	              band [k] D                           K_init
 *	              E                                    band [tk] D_tile
 *	                                                   K_points
 *
 * with the contraction { D[i,j,k] -> D_tile[i/64, j/64, k/16] } and so on.
 * Further parallel loops are the batch, digits of the grid; further loops of a
 * reduction stand outside of that over its tiles. Kernels with a product
 * (nest.c), and others whose threads move several points at once or in turn
 * (runs.c), are tiled; what is left keeps its thread a point.
 */
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

/* What sizes that are not fixed are taken for, one after another, where two
 * kernels may become one.
 */
static const int64_t sizes[] = { 256, 1024, 4096, 16384, 65536 };
enum { N_SIZES = sizeof(sizes) / sizeof(sizes[0]) };

/* ------------------------------------------------------- tile operations */

/* Add a tile operation named after "base" and "suffix", yet without members,
 * whose domain will be what they contract to; "n" is its dimension.
 */
static struct poly_stmt *add_op(struct poly_nest *nest, const char *base,
	const char *suffix, enum poly_kind kind, int n)
{
	isl_ctx *ctx = nest->prog->ctx;
	char *name = poly_unique_name(nest->prog, base, suffix);
	struct poly_stmt *op;
	isl_space *space;

	if (!name)
		return NULL;
	space = isl_space_set_alloc(ctx, 0, n);
	space = isl_space_set_tuple_id(space, isl_dim_set,
		isl_id_alloc(ctx, name, NULL));
	op = poly_prog_add_stmt(nest->prog, name, kind,
		isl_set_empty(space));
	free(name);
	if (op)
		op->contraction = isl_union_map_empty(
			isl_set_get_space(nest->prog->context));
	return op;
}

/* Name the coordinates of "op": t0, t1, tk, z0, .., u0, .. */
static void name_coordinates(struct poly_nest *nest, struct poly_stmt *op)
{
	int n = isl_set_dim(op->domain, isl_dim_set), first = 2;
	char name[16];

	op->domain = isl_set_set_dim_name(op->domain, isl_dim_set, 0, "t0");
	op->domain = isl_set_set_dim_name(op->domain, isl_dim_set, 1, "t1");
	if (op->kind == POLY_CONTRACT)
		op->domain = isl_set_set_dim_name(op->domain, isl_dim_set,
			first++, "tk");
	for (int i = first; i < n; i++) {
		int z = i - first;

		snprintf(name, sizeof(name), z < nest->n_outer ? "z%d" : "u%d",
			z < nest->n_outer ? z : z - nest->n_outer);
		op->domain = isl_set_set_dim_name(op->domain, isl_dim_set, i,
			name);
	}
}

/* "tiles", which is taken, or more, if which of them have an instance is a
 * question of divisions: where a row of tiles holds the rows of several loops, isl
 * (0.25) takes minutes to find out what follows from that. A tile without an
 * instance fills its buffers and adds nothing.
 */
static __isl_give isl_set *simple(__isl_take isl_set *tiles)
{
	if (isl_set_involves_locals(tiles) != isl_bool_true)
		return tiles;
	return isl_set_from_basic_set(isl_set_simple_hull(
		isl_set_remove_divs(tiles)));
}

/* The tile coordinate "d" of all that "map" has, if the sizes leave one; else -1. */
static int only_tile(struct poly_nest *nest, __isl_keep isl_map *map, int d)
{
	isl_set *all = isl_map_range(isl_map_copy(map));
	isl_set *range = isl_set_intersect_params(poly_range_of(all, d),
		poly_known_sizes(nest->prog));
	isl_val *least = isl_set_dim_min_val(isl_set_copy(range), 0);
	isl_val *most = isl_set_dim_max_val(range, 0);
	int tile = -1;

	isl_set_free(all);
	if (isl_val_is_int(least) == isl_bool_true &&
	    isl_val_eq(least, most) == isl_bool_true)
		tile = (int)isl_val_get_num_si(least);
	isl_val_free(least);
	isl_val_free(most);
	return tile;
}

/* "map", of statement "i", to tiles of "op". Where points are shifted, by divisions,
 * a row may be one tile all the same.
 */
static __isl_give isl_map *to_tiles(struct poly_nest *nest,
	const struct poly_stmt *op, __isl_take isl_map *map)
{
	isl_set *pairs = isl_map_wrap(isl_map_copy(map));
	bool shifted = isl_set_involves_locals(pairs) == isl_bool_true;

	isl_set_free(pairs);
	map = isl_map_apply_range(map,
		poly_tile_map(nest->prog, nest->kernel, op));
	for (int d = 0; d < 2 && shifted; d++) {
		int tile = only_tile(nest, map, d);

		if (tile < 0)
			continue;
		map = isl_map_drop_constraints_involving_dims(map, isl_dim_out,
			d, 1);
		map = isl_map_fix_si(map, isl_dim_out, d, tile);
	}
	return map;
}

/* Extend the domain of "op" by the tiles that the instances scheduled by
 * "map" fall into.
 */
static void cover(struct poly_nest *nest, struct poly_stmt *op,
	__isl_keep isl_map *map)
{
	isl_set *tiles = isl_map_range(to_tiles(nest, op, isl_map_copy(map)));

	if (op->kind == POLY_CONTRACT)
		tiles = simple(tiles);
	op->domain = poly_set_coalesce(isl_set_union(op->domain, tiles));
	name_coordinates(nest, op);
}

/* Let "op", an operation along lines, have all tiles of its cluster: its blocks wait
 * for one another, wherever members are.
 */
static void cover_cluster(struct poly_nest *nest, struct poly_stmt *op)
{
	int d = op->along == POLY_AXIS_0 ? 0 : 1;
	int n = poly_cluster(nest->kernel, d);

	if (n == 1 || !op->along)
		return;
	op->domain = isl_set_project_out(op->domain, isl_dim_set, d, 1);
	op->domain = isl_set_insert_dims(op->domain, isl_dim_set, d, 1);
	op->domain = isl_set_lower_bound_si(op->domain, isl_dim_set, d, 0);
	op->domain = isl_set_upper_bound_si(op->domain, isl_dim_set, d, n - 1);
	op->domain = isl_set_set_tuple_name(op->domain, op->name);
	name_coordinates(nest, op);
}

/* "map", of statement "i", without pk and the u. */
static __isl_give isl_map *at_points(const struct poly_nest *nest, int i)
{
	return isl_map_reverse(poly_own_points(isl_map_reverse(
		isl_map_copy(nest->map[i])), nest->n_outer));
}

/* A group covers all tiles of the kernel, whoever its members are. */
static struct poly_stmt *add_group(struct poly_nest *nest, bool init)
{
	struct poly_stmt *op = add_op(nest, nest->kernel->name,
		init ? "init" : "points", POLY_GROUP, 2 + nest->n_outer);
	bool all = nest->n_product == nest->n;

	if (op && nest->n_flat)
		op->along = POLY_AXIS_0;
	for (int i = 0; op && i < nest->n; i++)
		if (!nest->product[i] || all) {
			isl_map *map = at_points(nest, i);

			cover(nest, op, map);
			isl_map_free(map);
		}
	return op;
}

/* Add point "i" of the nest to "op". */
static void add_member(struct poly_nest *nest, struct poly_stmt *op, int i)
{
	isl_map *map = to_tiles(nest, op, isl_map_copy(nest->map[i]));

	poly_tile_add_member(op, nest->point[i], map);
}

static struct poly_stmt *add_contract(struct poly_nest *nest, int i)
{
	struct poly_stmt *op = add_op(nest, nest->point[i]->name, "tile",
		POLY_CONTRACT, isl_map_dim(nest->map[i], isl_dim_out));

	if (!op)
		return NULL;
	cover(nest, op, nest->map[i]);
	add_member(nest, op, i);
	return op;
}

/* Make the tile operations of "nest" in "op", at most 2n + 2; returns their
 * number, -1 on failure. Groups stand before the first product and behind the
 * last one even if no statement does: what a product computes has to be stored,
 * and perhaps to be loaded first (promote_registers.c).
 */
static int add_ops(struct poly_nest *nest, struct poly_stmt **op)
{
	int n = 0;

	for (int i = 0; i < nest->n; i++) {
		if (!n || (!nest->product[i] &&
		    op[n - 1]->kind != POLY_GROUP)) {
			op[n] = add_group(nest, n == 0 && nest->n_product);
			if (!op[n++])
				return -1;
		}
		if (!nest->product[i]) {
			add_member(nest, op[n - 1], i);
			continue;
		}
		op[n] = add_contract(nest, i);
		if (!op[n++])
			return -1;
	}
	if (n && op[n - 1]->kind == POLY_CONTRACT) {
		op[n] = add_group(nest, false);
		if (!op[n++])
			return -1;
	}
	return n;
}

/* Does something outside of "nest" access "array"? */
static bool is_seen_outside(const struct poly_nest *nest,
	const struct poly_array *array)
{
	for (int i = 0; i < nest->prog->n_stmt; i++) {
		struct poly_stmt *s = nest->prog->stmt[i];
		bool own = s->kind != POLY_POINT;

		for (int k = 0; k < nest->n && !own; k++)
			own = nest->point[k] == s;
		if (!own && poly_stmt_accesses(s, array))
			return true;
	}
	return array->role != POLY_TEMP;
}

static void note_rows(struct poly_expr *leaf, void *user)
{
	bool *own = user;

	*own |= leaf->array->space == POLY_REGISTER;
}

/* Does "stmt" fill registers from memory? */
static bool is_load(const struct poly_stmt *stmt)
{
	bool own = stmt->write_array->space != POLY_REGISTER;

	poly_expr_each_access(stmt->rhs, note_rows, &own);
	return !own;
}

/* What a row program makes for itself alone, its threads keep. */
static void keep_rows(struct poly_nest *nest)
{
	for (int i = 0; i < nest->n; i++)
		if (!is_seen_outside(nest, nest->point[i]->write_array))
			nest->point[i]->write_array->space = POLY_REGISTER;
}

/* Does statement "i" of a row program begin an operation of its own? A group has only
 * statements that stand alike, and does not load behind what it computes.
 */
static bool begins_op(const struct poly_nest *nest, int i)
{
	return i == 0 || nest->on_line[i] == POLY_LINE_REDUCED ||
		nest->on_line[i] != nest->on_line[i - 1] ||
		(nest->on_line[i] == POLY_LINE_POINTS &&
		 is_load(nest->point[i - 1]) != is_load(nest->point[i]));
}

/* Make the tile operations of a row program in "op"; returns their number, -1 on
 * failure.
 */
static int add_row_ops(struct poly_nest *nest, struct poly_stmt **op)
{
	int n = 0;

	keep_rows(nest);
	for (int i = 0; i < nest->n; i++) {
		enum poly_on_line on = nest->on_line[i];

		if (begins_op(nest, i)) {
			op[n] = add_op(nest, on == POLY_LINE_REDUCED ?
				nest->point[i]->name : nest->kernel->name,
				on == POLY_LINE_REDUCED ? "line" :
				on == POLY_LINE_ONCE ? "once" : "points",
				on == POLY_LINE_REDUCED ? POLY_REDUCE :
				POLY_GROUP, 2 + nest->n_outer);
			if (!op[n])
				return -1;
			op[n++]->along = on == POLY_LINE_POINTS ? 0 :
				nest->along;
		}
		cover(nest, op[n - 1], nest->map[i]);
		add_member(nest, op[n - 1], i);
	}
	for (int i = 0; i < n; i++)
		cover_cluster(nest, op[i]);
	return n;
}

/* -------------------------------------------------------------- the tree */

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

/* The coordinate of tiles that the blocks of a cluster tell apart, -1: none do. */
static int cluster_axis(const struct poly_nest *nest)
{
	for (int d = 0; d < 2; d++)
		if (poly_cluster(nest->kernel, d) > 1)
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

/* The loop of the product "op" over its tiles, or else over coordinates
 * "from" to "to".
 */
static __isl_give isl_schedule_node *insert_loops(
	__isl_take isl_schedule_node *node, const struct poly_stmt *op,
	int from, int to)
{
	isl_ctx *ctx = isl_schedule_node_get_ctx(node);
	isl_union_pw_aff_list *list = isl_union_pw_aff_list_alloc(ctx, to);
	isl_space *tile = poly_tile_tuple(op, op->name);

	for (int i = from; i < to; i++)
		list = isl_union_pw_aff_list_add(list, isl_union_pw_aff_from_aff(
			isl_aff_var_on_domain(isl_local_space_from_space(
				isl_space_copy(tile)), isl_dim_set, i)));
	isl_space_free(tile);
	return isl_schedule_node_insert_partial_schedule(node,
		poly_band_of(list));
}

/* Below the sequence child of a product: its loops. */
static __isl_give isl_schedule_node *insert_k_band(
	__isl_take isl_schedule_node *node, const struct poly_nest *nest,
	const struct poly_stmt *op)
{
	int n = isl_set_dim(op->domain, isl_dim_set);

	node = insert_loops(node, op, 2, 3);
	if (n > 3 + nest->n_outer)
		node = insert_loops(node, op, 3 + nest->n_outer, n);
	return node;
}

static __isl_give isl_schedule_node *insert_ops(
	__isl_take isl_schedule_node *node, const struct poly_nest *nest,
	struct poly_stmt **op, int n)
{
	isl_union_set_list *filters;

	if (n == 1)
		return node;
	filters = isl_union_set_list_alloc(isl_schedule_node_get_ctx(node), n);
	for (int i = 0; i < n; i++)
		filters = isl_union_set_list_add(filters,
			isl_union_set_from_set(isl_set_universe(
				isl_set_get_space(op[i]->domain))));
	node = isl_schedule_node_insert_sequence(node, filters);
	for (int i = 0; i < n; i++) {
		if (op[i]->kind != POLY_CONTRACT)
			continue;
		node = isl_schedule_node_grandchild(node, i, 0);
		node = insert_k_band(node, nest, op[i]);
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

	for (int i = 0; i < n && d >= 0; i++) {
		node = isl_schedule_node_grandchild(node, i, 0);
		node = poly_insert_parallel(node, tile_band(nest, &op[i], 1, d,
			d + 1, -1));
		node = isl_schedule_node_ancestor(node, 2);
	}
	return node;
}

/* The tree of one kernel over its tile operations. */
static __isl_give isl_schedule *tile_tree(struct poly_nest *nest,
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

/* ---------------------------------------------------------------- kernels */

/* The 32-bit registers that one point of the products in "nest" needs. */
static int point_words(const struct poly_nest *nest)
{
	int words = 0;

	for (int i = 0; i < nest->n; i++)
		if (nest->product[i])
			words += (poly_type_size(
				nest->point[i]->write_array->type) + 3) / 4;
	return words;
}

/* The points of the nest and its batch: "{ [p0, p1, batch..] }", in a launch
 * (h0, ..).
 */
static __isl_give isl_set *points_range(const struct poly_nest *nest)
{
	isl_set *range = NULL;

	for (int i = 0; i < nest->n; i++) {
		isl_set *one = isl_map_range(at_points(nest, i));

		for (int h = 0; h < nest->n_host; h++) {
			int pos = isl_set_dim(one, isl_dim_param);

			one = isl_set_add_dims(one, isl_dim_param, 1);
			one = isl_set_set_dim_name(one, isl_dim_param, pos,
				poly_coordinate(nest->prog, POLY_LAUNCH + h));
			one = isl_set_equate(one, isl_dim_param, pos,
				isl_dim_set, 2 + h);
		}
		one = isl_set_project_out(one, isl_dim_set, 2, nest->n_host);
		range = range ? isl_set_union(range, one) : one;
	}
	return poly_set_coalesce(range);
}

/* How many values dimension "dim" of "set" has, 1 at least. */
static double count(const struct poly_nest *nest, __isl_keep isl_set *set,
	int dim)
{
	double n = poly_range_count(nest->prog, isl_set_copy(set), dim);

	return n < 1 ? 1 : n;
}

/* The steps of the product "point[i]" in one tile. */
static double steps_of(const struct poly_nest *nest, int i)
{
	isl_set *loops = isl_map_range(isl_map_copy(nest->map[i]));
	int n = isl_set_dim(loops, isl_dim_set);
	double steps = count(nest, loops, 2);

	for (int d = 3 + nest->n_outer; d < n; d++)
		steps *= count(nest, loops, d);
	isl_set_free(loops);
	return steps;
}

/* Count what the products of "nest" have to do, for typical sizes if they are not
 * fixed.
 */
static void count_work(const struct poly_nest *nest, struct poly_work *w)
{
	isl_set *range = points_range(nest);

	w->steps = 0;
	w->batch = 1;
	for (int i = 0; i < nest->n; i++)
		if (nest->product[i])
			w->steps += steps_of(nest, i);
	for (int d = 0; d < 2 + nest->n_batch; d++)
		*(d < 2 ? &w->points[d] : &w->batch) =
			(d < 2 ? 1 : w->batch) * count(nest, range, d);
	isl_set_free(range);
}

/* What the products of "nest" have to do; how much, if sizes are fixed. */
static void describe(const struct poly_nest *nest, struct poly_work *w)
{
	poly_work_begin(w, nest->prog);
	for (int i = 0; i < nest->n; i++)
		if (nest->product[i])
			poly_work_add(w, nest->prog, nest->point[i],
				nest->point[i]->at);
	for (int i = 0; i < nest->n; i++)
		w->narrow |= !nest->product[i] &&
			nest->point[i]->write_array->space == POLY_GLOBAL &&
			8 * poly_type_size(nest->point[i]->write_array->type) ==
			16;
	if (w->fixed)
		count_work(nest, w);
}

/* The blocks and runs of products: "given" ones, those that are configured, those
 * that the model thinks best for these sizes, or those for large ones.
 */
static void choose_product(struct poly_nest *nest,
	const struct poly_block *given)
{
	struct poly_kernel *k = nest->kernel;
	struct poly_work w;
	struct poly_block b;
	const char *fault = NULL;

	describe(nest, &w);
	if (given)
		b = *given;
	else if (poly_config_block(nest->prog, k->name, &b))
		fault = poly_block_fault(&b, &w);
	else
		b = poly_work_is_known(&w) ? poly_best_block(&w).block :
			poly_usual_block(&w);
	if (fault) {
		poly_config_refuse(nest->prog, k->name, fault);
		b = poly_usual_block(&w);
	} else if (poly_work_is_known(&w)) {
		poly_explain_block(nest->prog, k->name, &w, &b);
		poly_search_note_blocks(nest->prog, k->name, &w, &b);
	}
	poly_choice_note(nest, &w, &b);
	poly_kernel_set_block(k, &b);
}

/* Tile and block sizes. What has no product is for runs.c. Returns whether the
 * tiles gain something.
 */
static bool choose_sizes(struct poly_nest *nest,
	const struct poly_block *given)
{
	if (!point_words(nest))
		return poly_choose_runs(nest);
	choose_product(nest, given);
	return true;
}

/* Make the tile operations of the regular "nest" and their tree. */
static isl_stat tile_nest(struct poly_nest *nest, struct poly_swap *swap)
{
	struct poly_kernel *k = nest->kernel;

	swap->kernel = k;
	swap->domain = isl_union_set_copy(nest->domain);
	swap->op = calloc(2 * nest->n + 2, sizeof(*swap->op));
	k->tiled = true;
	k->n_batch = nest->n_batch;
	swap->n_op = !swap->op ? -1 : nest->along ?
		add_row_ops(nest, swap->op) : add_ops(nest, swap->op);
	if (poly_kernel_set_grid(k, points_range(nest)) < 0 ||
	    swap->n_op <= 0)
		return isl_stat_error;
	swap->tree = tile_tree(nest, swap->op, swap->n_op);
	return swap->tree ? isl_stat_ok : isl_stat_error;
}

/* Can "nest", which is no row program, be tiled? */
static bool can_have_tiles(const struct poly_nest *nest)
{
	return !nest->along && nest->regular && nest->n &&
		point_words(nest) * 16 <= POLY_ACCUMULATOR_WORDS;
}

/* Is "nest" to be tiled? Otherwise a thread a point is as good as it gets. */
static bool wants_tiles(struct poly_nest *nest, const struct poly_block *given)
{
	struct poly_kernel old = *nest->kernel;

	if (nest->along)
		return true;
	if (!can_have_tiles(nest))
		return false;
	if (choose_sizes(nest, given))
		return true;
	*nest->kernel = old;
	return false;
}

/* The points of "nest" along axis "d", and its batch, for the sizes that are
 * known.
 */
static __isl_give isl_set *points_along(const struct poly_nest *nest, int d)
{
	return isl_set_intersect_params(isl_set_project_out(
		points_range(nest), isl_dim_set, !d, 1),
		poly_known_sizes(nest->prog));
}

/* Have "nest" and "next" the same points along axis "d"? */
static bool share_axis(const struct poly_nest *nest,
	const struct poly_nest *next, int d)
{
	isl_set *a = points_along(nest, d), *b = points_along(next, d);
	bool share = isl_set_is_equal(a, b) == isl_bool_true;

	isl_set_free(a);
	isl_set_free(b);
	return share;
}

/* What "nest" and "next" have to do, "all", for some sizes if they are not fixed. */
static void describe_both(const struct poly_nest *nest,
	const struct poly_nest *next, struct poly_works *all)
{
	struct poly_prog *prog = nest->prog;
	const struct poly_nest *const list[2] = { nest, next };

	for (int d = 0; d < 2; d++)
		all->same[d] = share_axis(nest, next, d);
	all->n = poly_prog_is_fixed(prog) ? 1 : N_SIZES;
	for (int k = 0; k < 2; k++) {
		describe(list[k], &all->work[0][k]);
		for (int i = 0; i < all->n; i++) {
			all->work[i][k] = all->work[0][k];
			prog->trial.guess = sizes[i];
			count_work(list[k], &all->work[i][k]);
		}
		prog->trial.guess = 0;
	}
}

/* Are "nest" and "next" to become one kernel? Then "*b" is the block of both. */
static bool wants_chain(struct poly_nest *nest, struct poly_nest *next,
	struct poly_block *b)
{
	struct poly_works all;

	if (!next || !can_have_tiles(nest) || !can_have_tiles(next) ||
	    !point_words(nest) || !point_words(next))
		return false;
	describe_both(nest, next, &all);
	return poly_choose_chain(nest, next, &all, b);
}

/* Let go of what poly_nest_find has set in statements that stay as they are. */
static void leave_nest(struct poly_nest *nest)
{
	for (int i = 0; i < nest->n; i++) {
		isl_multi_aff_free(nest->point[i]->at);
		nest->point[i]->at = NULL;
	}
}

/* Tile the kernel of "nest" if that is what it wants; "*n" counts the swaps. */
static isl_stat map_nest(struct poly_nest *nest, const struct poly_block *given,
	struct poly_swap *swap, int *n)
{
	if (wants_tiles(nest, given))
		return tile_nest(nest, &swap[(*n)++]);
	leave_nest(nest);
	return isl_stat_ok;
}

/* The nest of kernel "i", or NULL. */
static struct poly_nest *find_nest(struct poly_prog *prog, int i, isl_stat *ok)
{
	struct poly_nest *nest;

	if (i >= prog->n_kernel)
		return NULL;
	nest = poly_nest_find(prog, prog->kernel[i]);
	if (!nest)
		*ok = isl_stat_error;
	return nest;
}

/* Tile the kernels, two in a row alike if they are to become one. */
static isl_stat map_kernels(struct poly_prog *prog, struct poly_swap *swap,
	int *n)
{
	isl_stat ok = isl_stat_ok;
	struct poly_nest *nest = find_nest(prog, 0, &ok), *next;
	bool given = false, chained;
	struct poly_block b;

	for (int i = 0; nest && ok == isl_stat_ok; i++) {
		next = find_nest(prog, i + 1, &ok);
		chained = !given && wants_chain(nest, next, &b);
		nest->kernel->chained = chained;
		if (ok == isl_stat_ok)
			ok = map_nest(nest, given || chained ? &b : NULL, swap,
				n);
		poly_nest_free(nest);
		nest = next;
		given = chained;
	}
	poly_nest_free(nest);
	return ok;
}

/* Map kernels to blocks and threads with a register tile.
 *
 * requires kernels, mapping, before registers; establishes tiles
 */
isl_stat poly_map_tiles(struct poly_prog *prog)
{
	struct poly_swap *swap = calloc(prog->n_kernel + 1, sizeof(*swap));
	isl_stat ok = swap ? isl_stat_ok : isl_stat_error;
	int n = 0, before = prog->report->n_error;

	if (ok == isl_stat_ok)
		ok = map_kernels(prog, swap, &n);
	if (ok == isl_stat_ok && poly_config_check(prog) == isl_stat_ok && n &&
	    prog->report->n_error == before)
		ok = poly_tree_swap(prog, swap, n);
	for (int i = 0; i < n; i++) {
		isl_union_set_free(swap[i].domain);
		isl_schedule_free(swap[i].tree);
		free(swap[i].op);
	}
	free(swap);
	if (prog->report->n_error > before)
		return isl_stat_error;
	return ok < 0 ? poly_isl_error(prog, "map_tiles") : isl_stat_ok;
}
