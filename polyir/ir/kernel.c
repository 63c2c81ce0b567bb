/* Kernels as passes see them: their points, their grid, and the simplest of all
 * mappings.
 *
 * A place is made of coordinates of the block (b0, b1, batch) and of the thread
 * (t0, t1). A mapped tree binds them with a filter above the kernel's outer
 * band; here are that filter for the plain case, a point a thread, and the way
 * back from filters to a map that tells who runs an instance.
 */
#include <stdio.h>
#include <stdlib.h>

#include <isl/id.h>
#include <isl/ilp.h>
#include <isl/space.h>
#include <isl/val.h>

#include "polyir/base/base.h"
#include "polyir/ir/ir.h"
#include "polyir/sets/sets.h"
#include "polyir/text/text.h"

/* "{ [p0, p1, z..] : p = size * b + t and 0 <= t < size and z = b }" with b and t
 * the block and thread parameters of "kernel", whose batch the z are.
 *
 * For 8 x 32 threads: [b0,b1,t0,t1] -> { [p0,p1] : p0 = 8*b0 + t0 and p1 =
 * 32*b1 + t1 and 0 <= t0 < 8 and 0 <= t1 < 32 }. Points beyond the extent are
 * in it; the domain of the statements cuts them off.
 */
static __isl_give isl_set *place(struct poly_prog *prog,
	const struct poly_kernel *kernel)
{
	isl_space *space = poly_tuple(prog->ctx, NULL);
	isl_set *set;

	for (int i = 0; i < 4; i++)
		space = poly_add_size(space, poly_coordinate(prog,
			(i < 2 ? POLY_BLOCK : POLY_THREAD) + i % 2));
	for (int i = 0; i < kernel->n_batch; i++)
		space = poly_add_size(space, poly_coordinate(prog,
			POLY_BLOCK + 2 + i));
	space = poly_add_dims(space, "p", 0, 2);
	space = poly_add_dims(space, "z", 0, kernel->n_batch);
	set = isl_set_universe(isl_space_copy(space));
	for (int d = 0; d < 2; d++) {
		isl_aff *b = poly_at(space, "%s",
			poly_coordinate(prog, POLY_BLOCK + d));
		isl_aff *t = poly_at(space, "%s",
			poly_coordinate(prog, POLY_THREAD + d));

		set = poly_between(set, isl_aff_copy(t), kernel->thread[d]);
		set = isl_set_intersect(set, isl_aff_eq_set(
			poly_at(space, "p%d", d), isl_aff_add(t,
				poly_times(b, kernel->thread[d]))));
	}
	for (int i = 0; i < kernel->n_batch; i++)
		set = isl_set_intersect(set, isl_aff_eq_set(
			poly_at(space, "z%d", i), poly_at(space, "%s",
				poly_coordinate(prog, POLY_BLOCK + 2 + i))));
	isl_space_free(space);
	return set;
}

/* What finding the largest point of a range may take: about half a second's work. */
enum { MOST_OPERATIONS = 400000 };

/* In how many pieces it may be told: each check compares all points with them. */
enum { MOST_PIECES = 8 };

/* Is "most" told in few pieces, with those that each of its conditions has? */
static bool is_short(__isl_keep isl_pw_aff *most)
{
	isl_set *domain = isl_pw_aff_domain(isl_pw_aff_copy(most));
	isl_size n = isl_set_n_basic_set(domain);

	isl_set_free(domain);
	return n >= 0 && n <= MOST_PIECES;
}

/* The largest point of "range" in dimension "d", or more: blocks more than needed have
 * guards. Where points are known by some number that exists, it is not asked to be
 * whole: that is hard for isl. Nor does isl compare the largest of each piece with those
 * of all others where these are too many, or look for the last one with the right
 * remainders: one box around all of them, without remainders, has it, too.
 */
static __isl_give isl_pw_aff *largest(__isl_keep isl_set *range, int d)
{
	isl_ctx *ctx = isl_set_get_ctx(range);
	isl_set *set = isl_set_remove_unknown_divs(isl_set_copy(range));
	unsigned long all = poly_ctx_attempt(ctx, MOST_OPERATIONS);
	isl_pw_aff *most = isl_set_dim_max(isl_set_copy(set), d);
	isl_set *box;

	if (poly_ctx_attempted(ctx, all) && is_short(most)) {
		isl_set_free(set);
		return most;
	}
	isl_pw_aff_free(most);
	box = isl_set_from_basic_set(isl_set_simple_hull(
		isl_set_remove_divs(isl_set_copy(set))));
	if (isl_set_dim_has_upper_bound(box, isl_dim_set, d) != isl_bool_true) {
		isl_set_free(box);
		return isl_set_dim_max(set, d);
	}
	isl_set_free(set);
	return isl_set_dim_max(box, d);
}

/* floor((max + tile) / tile), with "max" the largest point of "range" in
 * dimension "d": the number of tiles of that dimension, in whole clusters of "cluster"
 * tiles; those behind the last point have nothing to do.
 *
 * Of { [i] : 0 <= i < N } and tiles of 32 that is floor((N - 1 + 32) / 32). The
 * gist drops "N >= 1", which a launch without points does not meet: such a grid
 * has no blocks.
 */
static __isl_give isl_pw_aff *n_tile(__isl_keep isl_set *range, int d,
	int tile, int cluster)
{
	isl_pw_aff *n = largest(range, d);
	isl_ctx *ctx = isl_set_get_ctx(range);
	isl_set *domain;

	n = poly_pw_aff_coalesce(n);
	n = isl_pw_aff_add_constant_val(n,
		isl_val_int_from_si(ctx, (long)tile * cluster));
	n = isl_pw_aff_scale_down_val(n,
		isl_val_int_from_si(ctx, (long)tile * cluster));
	n = isl_pw_aff_scale_val(isl_pw_aff_floor(n),
		isl_val_int_from_si(ctx, cluster));
	domain = isl_pw_aff_domain(isl_pw_aff_copy(n));
	return isl_pw_aff_gist_params(n, domain);
}

/* Grid and batch are as they were: whoever gives another block sets the grid
 * again (poly_kernel_set_grid).
 */
void poly_kernel_set_block(struct poly_kernel *kernel,
	const struct poly_block *b)
{
	for (int d = 0; d < 2; d++) {
		kernel->thread[d] = b->thread[d];
		kernel->tile[d] = b->tile[d];
		kernel->vec[d] = b->vec[d];
	}
	kernel->vec_k = b->vec_k;
	kernel->tile_k = b->tile_k;
	kernel->stages = b->stages;
	kernel->unit = b->unit;
	for (int d = 0; d < 2; d++)
		kernel->cluster[d] = b->cluster[d];
}

struct poly_block poly_kernel_block(const struct poly_kernel *kernel)
{
	return (struct poly_block){
		.thread = { kernel->thread[0], kernel->thread[1] },
		.tile = { kernel->tile[0], kernel->tile[1] },
		.vec = { kernel->vec[0], kernel->vec[1] },
		.vec_k = kernel->vec_k, .tile_k = kernel->tile_k,
		.stages = kernel->stages, .unit = kernel->unit,
		.cluster = { kernel->cluster[0], kernel->cluster[1] } };
}

/* "range" must have as many dimensions as the kernel has axes and batch digits.
 * On failure the kernel lacks some of its grid and cannot be run.
 */
isl_stat poly_kernel_set_grid(struct poly_kernel *kernel,
	__isl_take isl_set *range)
{
	bool ok = true;

	for (int d = 0; d < 2; d++) {
		isl_pw_aff_free(kernel->grid[d]);
		kernel->grid[d] = n_tile(range, d, kernel->tile[d],
			poly_cluster(kernel, d));
		ok &= kernel->grid[d] != NULL;
	}
	for (int d = 0; d < kernel->n_batch; d++) {
		isl_pw_aff_free(kernel->batch[d]);
		kernel->batch[d] = n_tile(range, 2 + d, 1, 1);
		ok &= kernel->batch[d] != NULL;
	}
	isl_set_free(range);
	return ok ? isl_stat_ok : isl_stat_error;
}

/* The first "keep" members of "band", without a name.
 *
 * Their order is that of the axes: rows, columns, then digits of the batch.
 */
static __isl_give isl_multi_union_pw_aff *first_members(
	__isl_keep isl_schedule_node *band, int keep)
{
	isl_multi_union_pw_aff *partial =
		isl_schedule_node_band_get_partial_schedule(band);
	int n = isl_multi_union_pw_aff_size(partial);

	partial = isl_multi_union_pw_aff_reset_tuple_id(partial, isl_dim_out);
	return isl_multi_union_pw_aff_drop_dims(partial, isl_dim_out, keep,
		n - keep);
}

__isl_give isl_union_map *poly_kernel_axes(const struct poly_kernel *kernel,
	__isl_keep isl_schedule_node *band)
{
	return isl_union_map_from_multi_union_pw_aff(first_members(band,
		2 + kernel->n_batch));
}

__isl_give isl_union_map *poly_kernel_points(const struct poly_kernel *kernel,
	__isl_keep isl_schedule_node *band)
{
	return isl_union_map_intersect_domain(poly_kernel_axes(kernel, band),
		poly_node_domain(band));
}

/* "domain", of what reaches "node", in the launch whose iteration of the host's loops
 * h0, h1, .. name.
 */
static __isl_give isl_union_set *in_launch(const struct poly_prog *prog,
	__isl_keep isl_schedule_node *node, __isl_take isl_union_set *domain)
{
	isl_multi_union_pw_aff *prefix =
		isl_schedule_node_get_prefix_schedule_multi_union_pw_aff(node);
	isl_ctx *ctx = isl_schedule_node_get_ctx(node);
	int n = isl_multi_union_pw_aff_size(prefix);

	for (int i = 0; i < n; i++) {
		isl_union_pw_aff *at =
			isl_multi_union_pw_aff_get_at(prefix, i);
		isl_union_pw_aff *h;

		h = isl_union_pw_aff_param_on_domain_id(
			isl_union_set_copy(domain), isl_id_alloc(ctx,
				poly_coordinate(prog, POLY_LAUNCH + i), NULL));
		domain = isl_union_set_intersect(domain,
			isl_union_pw_aff_zero_union_set(
				isl_union_pw_aff_sub(at, h)));
	}
	isl_multi_union_pw_aff_free(prefix);
	return domain;
}

/* A kernel inside of host loops is run once for each of their iterations. Its
 * points are then those of one iteration, which h0, h1, .. name as if they were
 * sizes.
 */
__isl_give isl_union_set *poly_launch_filter(const struct poly_prog *prog,
	__isl_keep isl_schedule_node *node)
{
	return in_launch(prog, node, poly_node_domain(node));
}

/* The instances that reach the points "band" in classes: those that are alike, in what
 * they are and where, but for the names of their statements.
 */
static struct poly_alikes *alike_at(__isl_keep isl_schedule_node *band,
	__isl_keep isl_union_set *domain, __isl_keep isl_multi_union_pw_aff *axes)
{
	isl_multi_union_pw_aff *at =
		isl_schedule_node_get_prefix_schedule_multi_union_pw_aff(band);

	return poly_alikes_find(domain, isl_multi_union_pw_aff_flat_range_product(
		at, isl_multi_union_pw_aff_copy(axes)));
}

/* "thread0" times "thread1" is at most what the target lets a block have; the
 * caller has seen to it. NULL on failure, and the kernel is then half set.
 *
 * What is computed of one statement of a class holds for all of them.
 */
__isl_give isl_schedule_node *poly_kernel_thread_a_point(struct poly_prog *prog,
	struct poly_kernel *kernel, __isl_take isl_schedule_node *band,
	int thread0, int thread1, int n_batch)
{
	isl_multi_union_pw_aff *axes = first_members(band, 2 + n_batch);
	isl_union_set *domain = poly_node_domain(band);
	struct poly_alikes *alikes = alike_at(band, domain, axes);
	isl_union_map *points;
	isl_set *range, *here;

	if (!alikes) {
		isl_multi_union_pw_aff_free(axes);
		isl_union_set_free(domain);
		return isl_schedule_node_free(band);
	}
	domain = poly_alikes_first(alikes, domain);
	axes = isl_multi_union_pw_aff_intersect_domain(axes,
		isl_union_set_copy(domain));
	points = isl_union_map_intersect_domain(
		isl_union_map_from_multi_union_pw_aff(axes),
		in_launch(prog, band, domain));
	range = isl_set_from_union_set(
		isl_union_map_range(isl_union_map_copy(points)));
	kernel->tiled = false;
	kernel->n_batch = n_batch;
	kernel->thread[0] = kernel->tile[0] = thread0;
	kernel->thread[1] = kernel->tile[1] = thread1;
	kernel->tile_k = 0;
	kernel->vec[0] = kernel->vec[1] = kernel->vec_k = 1;
	kernel->stages = 1;
	here = place(prog, kernel);
	points = isl_union_map_intersect_range(points,
		isl_union_set_from_set(here));
	band = isl_schedule_node_insert_filter(band,
		poly_alikes_spread(alikes, poly_union_set_coalesce(
			isl_union_map_domain(points))));
	poly_alikes_free(alikes);
	if (poly_kernel_set_grid(kernel, poly_set_coalesce(range)) < 0)
		return isl_schedule_node_free(band);
	return band;
}

/* A set in the making that holds for any thread, and perhaps block. */
struct anywhere {
	const struct poly_prog *prog;
	isl_union_set *all;
	int n;			/* coordinates to be forgotten */
};

/* Add "set" without the parameters that say which thread, and of four
 * coordinates also which block, runs an instance.
 *
 * Sets over thread coordinates are as many as there are threads; projected out,
 * they are one, which is what dependences between statements need.
 */
static isl_stat forget_place(__isl_take isl_set *set, void *user)
{
	static const int coordinate[] = { POLY_THREAD, POLY_THREAD + 1,
		POLY_BLOCK, POLY_BLOCK + 1 };
	struct anywhere *a = user;

	for (int d = 0; d < a->n; d++) {
		int pos = isl_set_find_dim_by_name(set, isl_dim_param,
			poly_coordinate(a->prog, coordinate[d]));

		if (pos >= 0)
			set = isl_set_project_out(set, isl_dim_param, pos, 1);
	}
	a->all = isl_union_set_add_set(a->all, set);
	return isl_stat_ok;
}

__isl_give isl_union_set *poly_any_thread(const struct poly_prog *prog,
	__isl_take isl_union_set *set, bool block)
{
	struct anywhere a = { prog, isl_union_set_empty(isl_space_params_alloc(
		isl_union_set_get_ctx(set), 0)), block ? 4 : 2 };

	isl_union_set_foreach_set(set, forget_place, &a);
	isl_union_set_free(set);
	return a.all;
}

int poly_cluster(const struct poly_kernel *kernel, int d)
{
	return kernel->cluster[d] > 1 ? kernel->cluster[d] : 1;
}

/* 0 if isl cannot tell: the grid of a block kernel is a constant, so that is a
 * failure.
 */
int poly_kernel_n_block(const struct poly_kernel *kernel)
{
	isl_val *n = isl_pw_aff_max_val(isl_pw_aff_copy(kernel->grid[1]));
	int blocks = isl_val_is_int(n) == isl_bool_true ?
		(int) isl_val_get_num_si(n) : 0;

	isl_val_free(n);
	return blocks;
}

/* Parameters are sizes only. What a persistent kernel's blocks take in turn is
 * still this set.
 */
__isl_give isl_set *poly_kernel_tiles(struct poly_prog *prog,
	const struct poly_kernel *k)
{
	isl_set *tiles = isl_set_universe(
		isl_space_set_alloc(prog->ctx, 0, 2 + k->n_batch));

	for (int d = 0; d < 2 + k->n_batch; d++) {
		isl_space *space = isl_set_get_space(tiles);
		isl_pw_aff *n = isl_pw_aff_insert_domain(isl_pw_aff_copy(
			d < 2 ? k->grid[d] : k->batch[d - 2]),
			isl_space_copy(space));
		isl_pw_aff *b = isl_pw_aff_var_on_domain(
			isl_local_space_from_space(space), isl_dim_set, d);

		tiles = isl_set_intersect(tiles,
			isl_pw_aff_lt_set(b, n));
		tiles = isl_set_lower_bound_si(tiles, isl_dim_set, d, 0);
	}
	return tiles;
}

/* The coordinates that an instance's leaf names, "n" of them. */
struct threads {
	struct poly_prog *prog;
	const int *coordinate;
	int n;
	isl_union_map *map;
};

/* "[b1, t0, t1] -> { S[..] }" as "{ S[..] -> [b1, t0, t1] }", for these coordinates.
 *
 * A parameter of the leaf's domain becomes a dimension of the range; what else
 * is no size, a launch's h0, is projected out, since who runs an instance does
 * not depend on it.
 */
static isl_stat add_threads(__isl_take isl_set *set, void *user)
{
	struct threads *t = user;
	isl_map *map = isl_map_add_dims(isl_map_from_domain(set),
		isl_dim_out, t->n);

	for (int d = 0; d < t->n; d++) {
		int pos = isl_map_find_dim_by_name(map, isl_dim_param,
			poly_coordinate(t->prog, t->coordinate[d]));

		if (pos >= 0)
			map = isl_map_equate(map, isl_dim_param, pos,
				isl_dim_out, d);
	}
	for (int i = isl_map_dim(map, isl_dim_param) - 1; i >= 0; i--) {
		const char *param = isl_map_get_dim_name(map, isl_dim_param,
			i);

		if (!poly_prog_find_param(t->prog, param))
			map = isl_map_project_out(map, isl_dim_param, i, 1);
	}
	t->map = isl_union_map_add_map(t->map, map);
	return isl_stat_ok;
}

/* Add the threads of the instances that reach a leaf.
 *
 * Does not go below: a leaf has nothing there.
 */
static isl_bool add_leaf(__isl_keep isl_schedule_node *node, void *user)
{
	isl_union_set *domain;

	if (isl_schedule_node_get_type(node) != isl_schedule_node_leaf)
		return isl_bool_true;
	domain = poly_node_domain(node);
	isl_union_set_foreach_set(domain, add_threads, user);
	isl_union_set_free(domain);
	return isl_bool_false;
}

/* Which values of the "n" coordinates run an instance of "kernel"?
 *
 * Complete only for kernels whose filters stand above each leaf: naive and
 * block kernels. Tiled ones distribute points by their layout instead.
 */
static __isl_give isl_union_map *coordinates_of(struct poly_prog *prog,
	const struct poly_kernel *kernel, const int *coordinate, int n)
{
	isl_schedule_node *node = poly_kernel_node(prog, kernel);
	struct threads t = { prog, coordinate, n, isl_union_map_empty(
		isl_set_get_space(prog->context)) };

	isl_schedule_node_foreach_descendant_top_down(node, add_leaf, &t);
	isl_schedule_node_free(node);
	return t.map;
}

__isl_give isl_union_map *poly_kernel_threads(struct poly_prog *prog,
	const struct poly_kernel *kernel)
{
	static const int all[] = { POLY_BLOCK + 1, POLY_THREAD,
		POLY_THREAD + 1 };
	int first = kernel->together ? 0 : 1;

	return coordinates_of(prog, kernel, all + first, 3 - first);
}

__isl_give isl_union_map *poly_kernel_blocks(struct poly_prog *prog,
	const struct poly_kernel *kernel)
{
	static const int all[] = { POLY_BLOCK, POLY_BLOCK + 1 };

	return coordinates_of(prog, kernel, all, 2);
}

/* True if "stmt" is computed by "op", a statement of the tree.
 *
 * A COPY moves what others have computed, and computes nothing.
 */
static bool is_run_by(const struct poly_stmt *op, const struct poly_stmt *stmt)
{
	if (op->kind == POLY_COPY)
		return false;
	for (int i = 0; i < op->n_member; i++)
		if (op->member[i] == stmt)
			return true;
	return op == stmt && op->kind == POLY_POINT;
}

struct poly_stmt **poly_kernel_stmts(struct poly_prog *prog,
	const struct poly_kernel *kernel, int *n)
{
	isl_union_set *domain = poly_kernel_domain(prog, kernel);
	int n_op;
	struct poly_stmt **op = poly_stmts_of(prog, domain, &n_op);
	struct poly_stmt **list = calloc(prog->n_stmt + 1, sizeof(*list));

	*n = 0;
	for (int i = 0; op && list && i < prog->n_stmt; i++)
		for (int k = 0; k < n_op; k++)
			if (is_run_by(op[k], prog->stmt[i])) {
				list[(*n)++] = prog->stmt[i];
				break;
			}
	isl_union_set_free(domain);
	free(op);
	return list;
}

/* Searches kernel by kernel; passes that ask for each statement keep the
 * answer.
 */
const struct poly_kernel *poly_kernel_of(struct poly_prog *prog,
	const struct poly_stmt *stmt)
{
	const struct poly_kernel *found = NULL;

	for (int k = 0; k < prog->n_kernel && !found; k++) {
		isl_union_set *domain = poly_kernel_domain(prog,
			prog->kernel[k]);
		int n;
		struct poly_stmt **op = poly_stmts_of(prog, domain, &n);

		for (int i = 0; op && i < n; i++)
			if (op[i] == stmt || is_run_by(op[i], stmt))
				found = prog->kernel[k];
		isl_union_set_free(domain);
		free(op);
	}
	return found;
}

/* The last array is the one that users look for; a fold stands behind the
 * product that it belongs to, so it does not give the name.
 */
struct poly_kernel *poly_kernel_add(struct poly_prog *prog,
	__isl_keep isl_union_set *domain)
{
	int n;
	struct poly_stmt **list = poly_stmts_of(prog, domain, &n);
	struct poly_kernel *kernel;
	char *name;

	while (n > 1 && list[n - 1]->fold)
		n--;
	name = list && n ? poly_unique_name(prog, prog->name,
		list[n - 1]->write_array->name) : NULL;
	kernel = name ? poly_prog_add_kernel(prog, name) : NULL;
	free(name);
	free(list);
	return kernel;
}

/* The largest, as rests of a sum may go across fewer threads than its main
 * part.
 */
int poly_across(struct poly_prog *prog, __isl_keep isl_union_set *domain)
{
	int n, across = 0;
	struct poly_stmt **list = poly_stmts_of(prog, domain, &n);

	for (int i = 0; i < n; i++)
		if (list[i]->across > across)
			across = list[i]->across;
	free(list);
	return across;
}
