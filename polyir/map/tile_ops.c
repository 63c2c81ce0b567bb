/* The tile operations of a nest: groups, reductions over tiles, or those of row programs
 * (map_tiles.c).
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
 * instance fills its buffers and adds nothing. But no tile lies in front of the first one,
 * as some do of a hull whose sides lean.
 */
static __isl_give isl_set *simple(struct poly_nest *nest, __isl_take isl_set *tiles)
{
	isl_set *known, *hull;

	if (isl_set_involves_locals(tiles) != isl_bool_true)
		return tiles;
	known = isl_set_intersect_params(isl_set_copy(tiles),
		poly_known_sizes(nest->prog));
	hull = isl_set_from_basic_set(isl_set_simple_hull(
		isl_set_remove_divs(tiles)));
	for (unsigned d = 0; d < 2; d++) {
		isl_val *first = isl_set_dim_min_val(isl_set_copy(known), d);

		if (isl_val_is_int(first) == isl_bool_true)
			hull = isl_set_lower_bound_val(hull, isl_dim_set, d, first);
		else
			isl_val_free(first);
	}
	isl_set_free(known);
	return isl_set_remove_redundancies(hull);
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
		tiles = simple(nest, tiles);
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
__isl_give isl_map *poly_at_points(const struct poly_nest *nest, int i)
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
			isl_map *map = poly_at_points(nest, i);

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

/* Add the operation that runs the product "point[i]" on tiles, all those that
 * its instances fall into; NULL without memory.
 */
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

/* The first of the "n" operations "op" that is in the loop of statement "i", or NULL. */
static struct poly_stmt *first_of(const struct poly_nest *nest,
	struct poly_stmt **op, int n, int i)
{
	for (int k = 0; k < n && nest->loop[i] != i; k++)
		if (op[k]->kind == POLY_CONTRACT &&
		    op[k]->member[0] == nest->point[nest->loop[i]])
			return op[k];
	return NULL;
}

/* Make the tile operations of "nest" in "op", at most 2n + 2; returns their
 * number, -1 on failure. Groups stand before the first product and behind the
 * last one even if no statement does: what a product computes has to be stored,
 * and perhaps to be loaded first (promote_registers.c).
 */
int poly_add_ops(struct poly_nest *nest, struct poly_stmt **op)
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
		if (!op[n])
			return -1;
		op[n]->with = first_of(nest, op, n, i);
		n++;
	}
	if (n && op[n - 1]->kind == POLY_CONTRACT) {
		op[n] = add_group(nest, false);
		if (!op[n++])
			return -1;
	}
	return n;
}

/* Note that a register is read: one of the row program. */
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
		if (!poly_accessed_beside(nest->prog, nest->point, nest->n,
		    nest->point[i]->write_array))
			nest->point[i]->write_array->space = POLY_REGISTER;
}

/* Does statement "i" of a row program begin an operation of its own? A group has only
 * statements that stand alike, and does not load behind what it computes.
 */
static bool begins_op(const struct poly_nest *nest, int i)
{
	return i == 0 || nest->on_line[i] == POLY_LINE_REDUCED ||
		nest->on_line[i] == POLY_LINE_SCANNED ||
		nest->on_line[i] != nest->on_line[i - 1] ||
		(nest->on_line[i] == POLY_LINE_POINTS &&
		 is_load(nest->point[i - 1]) != is_load(nest->point[i]));
}

/* The operation that statement "i" of a row program begins, yet without it. */
static struct poly_stmt *add_row_op(struct poly_nest *nest, int i)
{
	static const struct { const char *suffix; enum poly_kind kind; } op[] = {
		[POLY_LINE_POINTS] = { "points", POLY_GROUP },
		[POLY_LINE_ONCE] = { "once", POLY_GROUP },
		[POLY_LINE_REDUCED] = { "line", POLY_REDUCE },
		[POLY_LINE_SCANNED] = { "scan", POLY_SCAN }
	};
	enum poly_on_line on = nest->on_line[i];

	return add_op(nest, op[on].kind == POLY_GROUP ? nest->kernel->name :
		nest->point[i]->name, op[on].suffix, op[on].kind,
		2 + nest->n_outer);
}

/* Make the tile operations of a row program in "op"; returns their number, -1 on
 * failure.
 */
int poly_add_row_ops(struct poly_nest *nest, struct poly_stmt **op)
{
	int n = 0;

	keep_rows(nest);
	for (int i = 0; i < nest->n; i++) {
		enum poly_on_line on = nest->on_line[i];

		if (begins_op(nest, i)) {
			op[n] = add_row_op(nest, i);
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
