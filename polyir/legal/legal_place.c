/* Does every instance run where what it needs is?
 *
 * Inside a kernel both ends of a dependence must be in one thread, or in one
 * block with a barrier between. Point statements have no barriers between
 * them, so theirs must be in one thread; so must the updates of one cell. A
 * value in a register is named by the digits of a point, so there both ends
 * must be at one point, which also keeps them in one kernel; but for what a group
 * hands on to a product through a buffer: which element the product finds there is
 * for legal_copies.c to say, and for race.c that there is a barrier.
 *
 * All this is said in terms of points, from which block and thread follow if
 * every tile operation is executed by the block of its tile, if the tile is
 * that of its members' points, and if the grid has that block.
 */
#include <stdio.h>
#include <stdlib.h>

#include <isl/space.h>

#include "polyir/base/base.h"
#include "polyir/ir/ir.h"
#include "polyir/sets/sets.h"
#include "polyir/layout/layout.h"
#include "polyir/legal/legal.h"

/* ----------------------------------------------------------------- points */

/* The tile operations, or point statements, of "kernel" in program order. */
static struct poly_stmt **kernel_stmts(struct poly_prog *prog,
	const struct poly_kernel *kernel, int *n)
{
	isl_union_set *domain = poly_kernel_domain(prog, kernel);
	struct poly_stmt **list = poly_stmts_of(prog, domain, n);

	isl_union_set_free(domain);
	return list;
}

/* Instances of the point statements of the naive "kernel" -> [p0, p1, z..], with
 * block and thread as parameters.
 */
static __isl_give isl_union_map *naive_points(struct poly_prog *prog,
	const struct poly_kernel *kernel)
{
	isl_schedule_node *node = poly_kernel_node(prog, kernel);
	isl_union_map *points;

	node = isl_schedule_node_child(node, 0);
	points = poly_kernel_points(kernel, node);
	isl_schedule_node_free(node);
	return points;
}

/* The point statements that the kernel's threads execute at their own points:
 * where each instance is, whatever the domains, and the instances. Apart, as what
 * is at one point would have the pieces of two domains.
 */
struct points {
	isl_union_map *at;		/* -> [p0, p1, z..] */
	isl_union_set *domain;
};

static void free_points(struct points *p)
{
	isl_union_map_free(p->at);
	isl_union_set_free(p->domain);
}

/* "{ S[..] -> [p0, p1, z..] }" of the members of tile operations. */
static void member_points(struct poly_prog *prog,
	const struct poly_kernel *kernel, struct points *p)
{
	int n_outer = poly_kernel_n_outer(prog, kernel), n;
	struct poly_stmt **op = kernel_stmts(prog, kernel, &n);

	p->at = isl_union_map_empty(isl_set_get_space(prog->context));
	p->domain = isl_union_set_empty(isl_set_get_space(prog->context));
	for (int i = 0; i < n; i++)
		for (int j = 0; j < op[i]->n_member; j++) {
			struct poly_stmt *m = op[i]->member[j];
			isl_map *map;

			if (!m->at)
				continue;
			map = isl_map_reverse(poly_own_points(isl_map_reverse(
				poly_member_points(op[i], m)), n_outer));
			p->at = isl_union_map_add_map(p->at, map);
			p->domain = isl_union_set_add_set(p->domain,
				isl_set_copy(m->domain));
		}
	free(op);
}

struct forget {
	isl_union_map *all;
	isl_id *id;
};

/* Callback of forget: project the parameter out of "map" if the map has it. */
static isl_stat forget_param(__isl_take isl_map *map, void *user)
{
	struct forget *f = user;
	int pos = isl_map_find_dim_by_id(map, isl_dim_param, f->id);

	if (pos >= 0)
		map = isl_map_project_out(map, isl_dim_param, pos, 1);
	f->all = isl_union_map_add_map(f->all, map);
	return isl_stat_ok;
}

/* "at" for all values of the parameter "name", a coordinate of a launch, which is
 * "value".
 */
static __isl_give isl_union_map *forget(__isl_take isl_union_map *at,
	const char *name, __isl_take isl_union_pw_aff *value)
{
	struct forget f = { isl_union_map_empty(isl_union_map_get_space(at)),
		isl_id_alloc(isl_union_map_get_ctx(at), name, NULL) };
	isl_union_set *all = isl_union_pw_aff_domain(
		isl_union_pw_aff_copy(value));

	value = isl_union_pw_aff_sub(value,
		isl_union_pw_aff_param_on_domain_id(all, isl_id_copy(f.id)));
	at = isl_union_map_intersect_domain(at,
		isl_union_pw_aff_zero_union_set(value));
	isl_union_map_foreach_map(at, forget_param, &f);
	isl_union_map_free(at);
	isl_id_free(f.id);
	return f.all;
}

/* "at", which knows the coordinates of a launch as parameters, without these. */
static __isl_give isl_union_map *any_launch(struct poly_prog *prog,
	const struct poly_kernel *kernel, __isl_take isl_union_map *at)
{
	isl_multi_union_pw_aff *launch = poly_kernel_launch(prog, kernel);
	int n = poly_kernel_n_host(prog, kernel);

	for (int i = 0; i < n; i++)
		at = forget(at, poly_coordinate(prog, POLY_LAUNCH + i),
			isl_multi_union_pw_aff_get_at(launch, i));
	isl_multi_union_pw_aff_free(launch);
	return at;
}

/* Set "p" to the instances of "kernel" and their points of the tile space:
 * those of the members of its tile operations, or, without tiles, those of its
 * point statements.
 */
static void find_points(struct poly_prog *prog,
	const struct poly_kernel *kernel, struct points *p)
{
	isl_schedule_node *node;

	if (kernel->tiled) {
		member_points(prog, kernel, p);
		return;
	}
	node = isl_schedule_node_child(poly_kernel_node(prog, kernel), 0);
	p->at = any_launch(prog, kernel, poly_kernel_axes(kernel, node));
	p->domain = poly_kernel_domain(prog, kernel);
	isl_schedule_node_free(node);
}

/* ------------------------------------------------------------ dependences */

/* Add floor(p0/4) mod 8, ..: the digits of the thread that has the point. */
static __isl_give isl_aff_list *add_threads(__isl_take isl_aff_list *list,
	__isl_keep isl_space *point, const struct poly_kernel *k)
{
	struct poly_layout l = poly_kernel_digits(k);

	for (int i = 0; i < l.n_digit; i++) {
		const struct poly_digit *g = &l.digit[i];

		for (int d = 0; d < 2 && g->place == POLY_PLACE_THREAD; d++)
			if (g->step[d])
				list = isl_aff_list_add(list, poly_modulo(
					poly_floor(poly_at(point, "p%d", d),
						g->step[d]), g->radix));
	}
	return list;
}

/* "{ [p0, p1, z..] -> [b0, b1, z.., t..] }", or only the block; without tiles, there
 * are no z.
 */
static __isl_give isl_union_map *place_of(struct poly_prog *prog,
	const struct poly_kernel *k, bool thread)
{
	int n = k->tiled ? poly_kernel_n_outer(prog, k) : k->n_batch;
	int from = thread || !k->tiled ? 0 : poly_kernel_n_host(prog, k);
	isl_space *point = poly_point_tuple(prog->ctx, n);
	isl_aff_list *list = isl_aff_list_alloc(prog->ctx, 2 + n);

	for (int d = 0; d < 2; d++)
		list = isl_aff_list_add(list, poly_floor(
			poly_at(point, "p%d", d), k->tile[d]));
	list = poly_add_at(list, point, 2 + from, 2 + n);
	if (thread)
		list = add_threads(list, point, k);
	return isl_union_map_from_map(poly_function_map(point, NULL, list));
}

/* The pairs of "deps" within "points", whatever the places of their ends. */
static __isl_give isl_union_map *among(__isl_take isl_union_map *deps,
	const struct points *points)
{
	deps = isl_union_map_intersect_domain(deps,
		isl_union_set_copy(points->domain));
	return isl_union_map_intersect_range(deps,
		isl_union_set_copy(points->domain));
}

/* The pairs of "deps", which are within "points", whose ends are at different
 * points; a point has one thread, so the others are in order.
 */
static __isl_give isl_union_map *off_point(__isl_take isl_union_map *deps,
	const struct points *points)
{
	if (isl_union_map_n_map(deps) == 0)
		return deps;
	return isl_union_map_subtract(deps,
		poly_same_image(isl_union_map_copy(points->at)));
}

/* Refuse, as "id", the pairs of "deps" whose ends are in different blocks, or,
 * with "thread", in different threads.
 */
static isl_stat refuse_apart(struct poly_prog *prog,
	const struct poly_kernel *k, enum poly_msg id, const char *pass,
	__isl_keep isl_union_map *deps, const struct points *points,
	bool thread)
{
	isl_union_map *place;

	if (isl_union_map_is_empty(deps) == isl_bool_true)
		return isl_stat_ok;
	place = isl_union_map_apply_range(isl_union_map_copy(points->at),
		place_of(prog, k, thread));
	return poly_refuse_pairs(prog, id, pass, isl_union_map_subtract(
		isl_union_map_copy(deps), poly_same_image(place)));
}

/* The dependences through what the kernel's "points" hold in registers: a value
 * that they write or overwrite there.
 */
static __isl_give isl_union_map *through_registers(struct poly_prog *prog,
	const struct points *points)
{
	isl_union_map *deps = isl_union_map_union(
		isl_union_map_copy(prog->deps.flow),
		isl_union_map_copy(prog->deps.output));
	isl_union_map *anti = isl_union_map_copy(prog->deps.anti);
	isl_union_set *writers = isl_union_set_empty(
		isl_set_get_space(prog->context));

	deps = isl_union_map_union(deps,
		isl_union_map_copy(prog->deps.reduction));
	for (int i = 0; i < prog->n_stmt; i++) {
		const struct poly_stmt *s = prog->stmt[i];

		if (s->kind == POLY_POINT && s->write_array &&
		    s->write_array->space == POLY_REGISTER)
			writers = isl_union_set_add_set(writers,
				isl_set_copy(s->domain));
	}
	writers = isl_union_set_intersect(writers,
		isl_union_set_copy(points->domain));
	deps = isl_union_map_intersect_domain(deps,
		isl_union_set_copy(writers));
	return isl_union_map_union(deps,
		isl_union_map_intersect_range(anti, writers));
}

/* Refuse dependences through a register whose ends are at different points, or
 * of which one is outside of the kernel. "given" are the pairs whose value a
 * thread gets from another one by other means (given_pairs).
 */
static isl_stat check_registers(struct poly_prog *prog, const char *pass,
	const struct points *points, __isl_keep isl_union_map *given)
{
	isl_union_map *deps = through_registers(prog, points);

	deps = isl_union_map_subtract(deps, isl_union_map_copy(given));

	if (isl_union_map_is_empty(deps) != isl_bool_true) {
		isl_union_map *inside = among(isl_union_map_copy(deps),
			points);

		deps = isl_union_map_subtract(deps, isl_union_map_intersect(
			inside, poly_same_image(
				isl_union_map_copy(points->at))));
	}
	return poly_refuse_pairs(prog, MSG_POLY_REGISTER, pass, deps);
}

/* The pairs of "deps" that one launch of "k" runs both ends of. */
static __isl_give isl_union_map *within_launch(struct poly_prog *prog,
	const struct poly_kernel *k, __isl_take isl_union_map *deps)
{
	if (poly_kernel_n_host(prog, k) == 0)
		return deps;
	return isl_union_map_eq_at_multi_union_pw_aff(deps,
		poly_kernel_launch(prog, k));
}

/* The dependences "deps" and "updates", which are taken, between instances at
 * "points".
 */
static isl_stat check_pairs(struct poly_prog *prog,
	const struct poly_kernel *k, const char *pass,
	__isl_take isl_union_map *deps, __isl_take isl_union_map *updates,
	const struct points *points)
{
	isl_stat ok;

	deps = within_launch(prog, k, among(deps, points));
	deps = off_point(deps, points);
	updates = within_launch(prog, k, among(updates, points));
	updates = off_point(updates, points);
	ok = refuse_apart(prog, k, MSG_POLY_BLOCK, pass, deps, points, false);
	if (ok == isl_stat_ok)
		ok = refuse_apart(prog, k, MSG_POLY_BARRIER, pass, deps,
			points, true);
	if (ok == isl_stat_ok)
		ok = refuse_apart(prog, k, MSG_POLY_OWNER, pass, updates,
			points, true);
	isl_union_map_free(deps);
	isl_union_map_free(updates);
	return ok;
}

/* What threads that go across read, each has at its own point; what they write
 * is at the first one's.
 */
static isl_stat check_across(struct poly_prog *prog,
	const struct poly_kernel *k, struct poly_stmt **op, int n,
	const char *pass, const struct points *points)
{
	isl_union_map *own = isl_union_map_intersect_domain(
		isl_union_map_copy(points->at),
		isl_union_set_copy(points->domain));
	isl_union_map *reads = poly_across_reads(prog);
	isl_union_map *deps = isl_union_map_subtract(poly_ordering_deps(prog),
		isl_union_map_copy(reads));
	struct points writing = {
		poly_writing_points(prog, isl_union_map_copy(points->at)),
		isl_union_set_copy(points->domain)
	};
	isl_stat ok;

	ok = check_pairs(prog, k, pass, deps,
		isl_union_map_copy(prog->deps.reduction), &writing);
	free_points(&writing);
	if (ok == isl_stat_ok)
		ok = check_pairs(prog, k, pass, isl_union_map_copy(reads),
			isl_union_map_empty(isl_set_get_space(prog->context)),
			points);
	isl_union_map_free(reads);
	if (ok == isl_stat_ok)
		ok = poly_check_across(prog, k, op, n, pass, own);
	isl_union_map_free(own);
	return ok;
}

/* What a thread has been given that another one has made: through a buffer that a
 * group fills, or along the lines of a tile. Rows have no lines before they have tiles:
 * until then a recurrence of theirs is taken for one that hands on.
 */
static __isl_give isl_union_map *given_pairs(struct poly_prog *prog,
	const struct poly_kernel *k, struct poly_stmt **op, int n)
{
	isl_union_map *pairs = poly_handed_pairs(prog, k);

	if (k->tiled)
		return isl_union_map_union(pairs, poly_line_pairs(prog, k, op,
			n));
	return isl_union_map_union(pairs, poly_row_pairs(prog, op, n));
}

/* Check the dependences inside kernel "k", which runs the "n" statements "op"
 * and is no block kernel: those through memory must stay in one block or
 * thread, those through registers at one point.
 */
static isl_stat check_deps(struct poly_prog *prog,
	const struct poly_kernel *k, struct poly_stmt **op, int n,
	const char *pass)
{
	isl_union_map *given = given_pairs(prog, k, op, n);
	struct points points;
	bool across = false;
	isl_stat ok;

	find_points(prog, k, &points);
	for (int i = 0; i < n; i++)
		across |= op[i]->across > 0;
	ok = across ? check_across(prog, k, op, n, pass, &points) :
		check_pairs(prog, k, pass, isl_union_map_subtract(
			poly_ordering_deps(prog), isl_union_map_copy(given)),
			isl_union_map_subtract(
				isl_union_map_copy(prog->deps.reduction),
				isl_union_map_copy(given)), &points);
	if (ok == isl_stat_ok)
		ok = check_registers(prog, pass, &points, given);
	isl_union_map_free(given);
	free_points(&points);
	return ok;
}

/* ------------------------------------------------------------------ tiles */

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
	struct points p;

	find_points(prog, k, &p);
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
		tile = naive_points(prog, k);
	tile = isl_union_map_apply_range(tile, place_of(prog, k, false));
	tile = isl_union_map_intersect_params(tile,
		isl_set_copy(prog->context));
	return poly_refuse_sources(prog, pass, isl_union_map_subtract_range(tile,
		isl_union_set_from_set(poly_kernel_tiles(prog, k))));
}

/* Do the members of "op" belong to the tiles that their points are in? */
static isl_stat check_members(struct poly_prog *prog,
	const struct poly_kernel *k, const struct poly_stmt *op,
	const char *pass)
{
	for (int i = 0; i < op->n_member; i++) {
		const struct poly_stmt *m = op->member[i];
		isl_union_map *has, *wants;

		if (!m->at)
			continue;
		wants = isl_union_map_from_map(isl_map_apply_range(
			isl_map_intersect_domain(poly_member_points(op, m),
				isl_set_copy(m->domain)),
			poly_tile_map(prog, k, op)));
		has = isl_union_map_intersect_domain(
			isl_union_map_copy(op->contraction),
			isl_union_set_from_set(isl_set_copy(m->domain)));
		if (poly_refuse_sources(prog, pass,
			isl_union_map_subtract(has, wants)) < 0)
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
		place = naive_points(prog, k);
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

/* Does the kernel run what its threads can: all of them together the tile
 * operations of a tiled kernel, each by itself the points of a naive one?
 */
static isl_stat check_kinds(struct poly_prog *prog,
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

/* Check that blocks and threads run what their coordinates say, that the grid
 * has all blocks that are needed, and, of a tiled kernel, that the members of
 * each tile operation lie in its tile.
 */
static isl_stat check_tiles(struct poly_prog *prog,
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

/* ----------------------------------------------------------------- blocks */

/* "{ [t0, t1] : t0 = 0 and 0 <= t1 < 64 }", the threads of the block kernel "k"; with
 * "b1" in front where its blocks run together.
 */
static __isl_give isl_union_set *threads_of_block(struct poly_prog *prog,
	const struct poly_kernel *k)
{
	isl_space *space = poly_tuple(prog->ctx, NULL);
	isl_set *set;

	if (k->together)
		space = poly_add_dim(space, "b1");
	space = poly_add_dims(space, "t", 0, 2);
	set = isl_set_universe(isl_space_copy(space));
	if (k->together)
		set = poly_between(set, poly_at(space, "b1"),
			poly_kernel_n_block(k));
	set = poly_between(set, poly_at(space, "t0"), 1);
	set = poly_between(set, poly_at(space, "t1"), k->thread[1]);
	isl_space_free(space);
	return isl_union_set_from_set(set);
}

/* Pairs of an instance of the block kernel "k" and itself that are wrong about
 * threads: a point needs one, a barrier all.
 */
static __isl_give isl_union_map *wrong_threads(struct poly_prog *prog,
	const struct poly_kernel *k, struct poly_stmt **op, int n)
{
	isl_union_map *thread = poly_kernel_threads(prog, k);
	isl_union_map *wrong = isl_union_map_empty(
		isl_set_get_space(prog->context));
	isl_union_set *block = threads_of_block(prog, k);

	for (int i = 0; i < n; i++) {
		isl_union_set *domain = isl_union_set_from_set(
			isl_set_copy(op[i]->domain));
		isl_union_map *own = isl_union_map_intersect_domain(
			isl_union_map_copy(thread),
			isl_union_set_copy(domain));
		isl_union_map *want = isl_union_map_from_domain_and_range(
			domain, isl_union_set_copy(block));

		if (op[i]->kind == POLY_SYNC)
			wrong = isl_union_map_union(wrong,
				isl_union_map_subtract(want, own));
		else if (isl_union_map_is_single_valued(own) ==
			isl_bool_true)
			wrong = isl_union_map_union(wrong,
				isl_union_map_subtract(own, want));
		else {
			wrong = isl_union_map_union(wrong, own);
			isl_union_map_free(want);
		}
	}
	isl_union_map_free(thread);
	isl_union_set_free(block);
	return wrong;
}

/* Has every point of the block kernel "k" one thread, every barrier all, and
 * every dependence between threads a barrier?
 */
static isl_stat check_block(struct poly_prog *prog, struct poly_kernel *k,
	struct poly_stmt **op, int n, const char *pass)
{
	struct poly_race race;
	isl_bool found;

	if (poly_refuse_sources(prog, pass, wrong_threads(prog, k, op, n)) < 0 ||
	    (k->apart && poly_check_apart(prog, k, op, n, pass) < 0))
		return isl_stat_error;
	found = poly_find_race(prog, k, &race);
	if (found == isl_bool_true)
		poly_report_add(prog->report, MSG_POLY_BARRIER, NULL, pass,
			race.pair.source ? race.pair.source : "?",
			race.pair.sink ? race.pair.sink : "?");
	free(race.pair.source);
	free(race.pair.sink);
	if (found < 0)
		return poly_isl_error(prog, pass);
	return found ? isl_stat_error : isl_stat_ok;
}

/* Make all checks of place of kernel "k". A block kernel gives points to
 * threads by the filters of its tree, so that it has checks of its own for
 * threads and races.
 */
static isl_stat check_kernel(struct poly_prog *prog, struct poly_kernel *k,
	const char *pass)
{
	int n;
	struct poly_stmt **op = kernel_stmts(prog, k, &n);
	isl_stat ok;

	if (!op)
		return poly_isl_error(prog, pass);
	ok = check_kinds(prog, k, op, n, pass);
	for (int i = 0; i < n && ok == isl_stat_ok; i++)
		ok = poly_check_folds(prog, k, op[i], pass);
	if (ok == isl_stat_ok)
		ok = poly_check_lines(prog, k, op, n, pass);
	if (ok == isl_stat_ok && k->block)
		ok = check_block(prog, k, op, n, pass);
	if (ok == isl_stat_ok && !k->block)
		ok = check_deps(prog, k, op, n, pass);
	if (ok == isl_stat_ok && !k->block)
		ok = check_tiles(prog, k, op, n, pass);
	free(op);
	return ok;
}

isl_stat poly_check_place(struct poly_prog *prog, const char *pass)
{
	for (int i = 0; i < prog->n_kernel; i++)
		if (!prog->kernel[i]->known &&
		    check_kernel(prog, prog->kernel[i], pass) < 0)
			return isl_stat_error;
	return isl_stat_ok;
}
