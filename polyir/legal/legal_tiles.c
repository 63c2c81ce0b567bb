/* Do the blocks of a kernel run the tiles, and its threads the points, that their
 * coordinates say? Has the grid all blocks, and lie the members of each tile operation
 * in its tile?
 */
#include <stdlib.h>

#include <isl/space.h>

#include "polyir/base/base.h"
#include "polyir/ir/ir.h"
#include "polyir/sets/sets.h"
#include "polyir/layout/layout.h"
#include "polyir/legal/legal.h"

isl_stat poly_refuse_sources(struct poly_prog *prog, const char *pass,
	__isl_take isl_union_map *pairs)
{
	struct poly_pair pair;
	isl_bool empty;

	pairs = isl_union_map_intersect_params(pairs,
		isl_set_copy(prog->context));
	empty = isl_union_map_is_empty(pairs);
	if (empty == isl_bool_false) {
		pairs = isl_union_map_intersect_params(pairs,
			poly_known_sizes(prog));
		empty = isl_union_map_is_empty(pairs);
	}
	if (empty == isl_bool_false) {
		pair = poly_witness(prog, pairs);
		poly_report_add(prog->report, MSG_POLY_TILE, NULL, pass,
			pair.source ? pair.source : "?");
		free(pair.source);
		free(pair.sink);
	}
	isl_union_map_free(pairs);
	if (empty < 0)
		return poly_isl_error(prog, pass);
	return empty ? isl_stat_ok : isl_stat_error;
}

struct launch {
	const struct poly_prog *prog;
	isl_union_map *points;
	int n_host;
};

/* Equate coordinates z0, .. of a point with the launch's h0, .. */
static isl_stat bind_launch(__isl_take isl_map *map, void *user)
{
	struct launch *launch = user;

	for (int i = 0; i < launch->n_host; i++) {
		int pos = isl_map_dim(map, isl_dim_param);

		map = isl_map_add_dims(map, isl_dim_param, 1);
		map = isl_map_set_dim_name(map, isl_dim_param, pos,
			poly_coordinate(launch->prog, POLY_LAUNCH + i));
		map = isl_map_equate(map, isl_dim_param, pos, isl_dim_out,
			2 + i);
	}
	launch->points = isl_union_map_add_map(launch->points, map);
	return isl_stat_ok;
}

/* Instances of the tiled kernel "k" in launch (h0, ..) -> [p0, p1, z..]. */
static __isl_give isl_union_map *launch_points(struct poly_prog *prog,
	const struct poly_kernel *k)
{
	struct launch launch = { prog, isl_union_map_empty(
		isl_set_get_space(prog->context)),
		poly_kernel_n_host(prog, k) };
	struct poly_places p;

	poly_find_places(prog, k, &p);
	p.at = isl_union_map_intersect_domain(p.at, p.domain);
	isl_union_map_foreach_map(p.at, bind_launch, &launch);
	isl_union_map_free(p.at);
	return launch.points;
}

/* Has every instance of "k" a block of the grid? */
static isl_stat check_grid(struct poly_prog *prog,
	const struct poly_kernel *k, const char *pass)
{
	isl_union_map *tile;

	if (k->tiled)
		tile = launch_points(prog, k);
	else
		tile = poly_naive_points(prog, k);
	tile = isl_union_map_apply_range(tile, poly_place_of(prog, k, false));
	tile = isl_union_map_intersect_params(tile,
		isl_set_copy(prog->context));
	return poly_refuse_sources(prog, pass, isl_union_map_subtract_range(tile,
		isl_union_set_from_set(poly_kernel_tiles(prog, k))));
}

/* Does "op" have each instance of "m" in the tile of the instance's point, as both
 * are written? Only true is an answer: nothing is compared point by point.
 */
static isl_bool is_plain_tile(struct poly_prog *prog, const struct poly_kernel *k,
	const struct poly_stmt *op, const struct poly_stmt *m,
	__isl_keep isl_union_map *has)
{
	isl_map *point = isl_map_intersect_domain(poly_member_points(op, m),
		isl_set_copy(m->domain));
	isl_pw_multi_aff *tile;
	isl_set *domain;
	isl_bool is;

	tile = isl_pw_multi_aff_pullback_pw_multi_aff(
		isl_pw_multi_aff_from_map(poly_tile_map(prog, k, op)),
		isl_pw_multi_aff_from_map(point));
	domain = isl_pw_multi_aff_domain(isl_pw_multi_aff_copy(tile));
	is = isl_set_is_subset(m->domain, domain);
	isl_set_free(domain);
	if (is != isl_bool_true) {
		isl_pw_multi_aff_free(tile);
		return is;
	}
	return poly_is_written_alike(
		isl_multi_pw_aff_from_pw_multi_aff(tile),
		isl_multi_pw_aff_from_pw_multi_aff(isl_pw_multi_aff_from_map(
			isl_map_from_union_map(isl_union_map_copy(has)))),
		m->domain);
}

/* Do the members of "op" belong to the tiles that their points are in? */
static isl_stat check_members(struct poly_prog *prog,
	const struct poly_kernel *k, const struct poly_stmt *op,
	const char *pass)
{
	for (int i = 0; i < op->n_member; i++) {
		const struct poly_stmt *m = op->member[i];
		isl_union_map *has;
		isl_map *wants;
		isl_bool same;

		if (!m->at)
			continue;
		has = isl_union_map_intersect_domain(
			isl_union_map_copy(op->contraction),
			isl_union_set_from_set(isl_set_copy(m->domain)));
		same = is_plain_tile(prog, k, op, m, has);
		if (same == isl_bool_true) {
			isl_union_map_free(has);
			continue;
		}
		wants = isl_map_apply_range(
			isl_map_intersect_domain(poly_member_points(op, m),
				isl_set_copy(m->domain)),
			poly_tile_map(prog, k, op));
		if (poly_refuse_sources(prog, pass, isl_union_map_subtract(has,
			isl_union_map_from_map(wants))) < 0)
			return isl_stat_error;
	}
	return isl_stat_ok;
}

/* "[b0, b1, h0, b2] -> { [b0, b1, h0, b2] }", the block of "k" and its launch. */
static __isl_give isl_set *block_here(struct poly_prog *prog,
	const struct poly_kernel *k)
{
	int n_host = poly_kernel_n_host(prog, k), n = 2 + n_host + k->n_batch;
	isl_space *space = poly_tuple(prog->ctx, NULL);
	isl_aff_list *list = isl_aff_list_alloc(prog->ctx, n);

	for (int i = 0; i < n; i++)
		space = poly_add_size(space, poly_coordinate(prog, i < 2 ?
			POLY_BLOCK + i : i < 2 + n_host ? POLY_LAUNCH + i - 2 :
			POLY_BLOCK + i - n_host));
	for (int i = 0; i < n; i++)
		list = isl_aff_list_add(list, isl_aff_var_on_domain(
			isl_local_space_from_space(isl_space_copy(space)),
			isl_dim_param, (unsigned)i));
	return isl_map_range(poly_function_map(space, NULL, list));
}

/* "[b0, b1, t0, t1, b2] -> { [8 b0 + t0, .., b2] : .. }" */
static __isl_give isl_set *point_here(struct poly_prog *prog,
	const struct poly_kernel *k)
{
	isl_space *space = poly_tuple(prog->ctx, NULL);
	isl_aff_list *list = isl_aff_list_alloc(prog->ctx, 2);
	isl_set *set;

	for (int i = 0; i < 4; i++)
		space = poly_add_size(space, poly_coordinate(prog,
			(i < 2 ? POLY_BLOCK : POLY_THREAD) + i % 2));
	for (int i = 0; i < k->n_batch; i++)
		space = poly_add_size(space, poly_coordinate(prog,
			POLY_BLOCK + 2 + i));
	set = isl_set_universe(isl_space_copy(space));
	for (int d = 0; d < 2; d++) {
		isl_aff *b = poly_at(space, "%s",
			poly_coordinate(prog, POLY_BLOCK + d));
		isl_aff *t = poly_at(space, "%s",
			poly_coordinate(prog, POLY_THREAD + d));

		set = poly_between(set, isl_aff_copy(t), k->thread[d]);
		list = isl_aff_list_add(list, isl_aff_add(
			poly_times(b, k->thread[d]), t));
	}
	for (int i = 0; i < k->n_batch; i++)
		list = isl_aff_list_add(list, poly_at(space, "%s",
			poly_coordinate(prog, POLY_BLOCK + 2 + i)));
	return isl_map_range(isl_map_intersect_domain(
		poly_function_map(space, NULL, list), set));
}

/* Where each tile belongs, or, for points of a naive kernel, "{ [8 b0 + t0,
 * ..] }".
 */
static __isl_give isl_union_set *here(struct poly_prog *prog,
	const struct poly_kernel *k)
{
	return isl_union_set_from_set(k->tiled ? block_here(prog, k) :
		point_here(prog, k));
}

/* Tile operations -> themselves, as the tree runs them in block (b0, b1, ..). */
static __isl_give isl_union_map *block_tiles(struct poly_prog *prog,
	const struct poly_kernel *k)
{
	isl_schedule_node *node = poly_kernel_node(prog, k);
	isl_union_map *tiles;

	node = isl_schedule_node_child(node, 0);
	tiles = isl_union_set_identity(poly_node_domain(node));
	isl_schedule_node_free(node);
	return tiles;
}

struct coordinates {
	isl_union_map *result;
	int n_outer;
};

/* Keep t0, t1 and the z of what a tile operation is mapped to. */
static isl_stat keep_places(__isl_take isl_map *map, void *user)
{
	struct coordinates *c = user;

	map = isl_map_reset_tuple_id(map, isl_dim_out);
	map = isl_map_reverse(poly_own_points(isl_map_reverse(map),
		c->n_outer));
	c->result = isl_union_map_add_map(c->result, map);
	return isl_stat_ok;
}

/* Does block (b0, b1) run the tiles (b0, b1), and, in a naive kernel, thread
 * (t0, t1) the points with these digits?
 */
static isl_stat check_filter(struct poly_prog *prog,
	const struct poly_kernel *k, const char *pass)
{
	struct coordinates c = { NULL, poly_kernel_n_outer(prog, k) };
	isl_union_map *place, *tiles;

	if (!k->tiled) {
		place = poly_naive_points(prog, k);
	} else {
		c.result = isl_union_map_empty(
			isl_set_get_space(prog->context));
		tiles = block_tiles(prog, k);
		isl_union_map_foreach_map(tiles, keep_places, &c);
		isl_union_map_free(tiles);
		place = c.result;
	}
	place = isl_union_map_intersect_params(place,
		isl_set_copy(prog->context));
	return poly_refuse_sources(prog, pass,
		isl_union_map_subtract_range(place, here(prog, k)));
}

isl_stat poly_check_kinds(struct poly_prog *prog,
	const struct poly_kernel *k, struct poly_stmt **op, int n,
	const char *pass)
{
	struct poly_str s = { 0 };

	for (int i = 0; i < n; i++) {
		if (((op[i]->kind == POLY_POINT) != k->tiled ||
		    (k->block && op[i]->kind == POLY_SYNC)) &&
		    !(k->block && op[i]->across))
			continue;
		poly_str_printf(&s, "kernel %s cannot run %s (after %s)",
			k->name, op[i]->name, pass);
		poly_report_add(prog->report, MSG_POLY_PROGRAM, NULL,
			s.s ? s.s : pass);
		poly_str_free(&s);
		return isl_stat_error;
	}
	return isl_stat_ok;
}

isl_stat poly_check_tiles(struct poly_prog *prog,
	const struct poly_kernel *k, struct poly_stmt **op, int n,
	const char *pass)
{
	isl_stat ok = check_filter(prog, k, pass);

	if (ok == isl_stat_ok)
		ok = check_grid(prog, k, pass);
	for (int i = 0; i < n && k->tiled && ok == isl_stat_ok; i++)
		ok = check_members(prog, k, op[i], pass);
	return ok;
}
