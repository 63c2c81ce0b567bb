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
 * (runs.c), are tiled; what is left keeps its thread a point. The sizes of a product's
 * tiles are those of a configuration, or the model's (poly_usual_block and
 * poly_best_block in cost/model.c).
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
		isl_set *one = isl_map_range(poly_at_points(nest, i));

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
		if (nest->product[i] && nest->loop[i] == i)
			w->steps += steps_of(nest, i);
	for (int d = 0; d < 2 + nest->n_batch; d++)
		*(d < 2 ? &w->points[d] : &w->batch) =
			(d < 2 ? 1 : w->batch) * count(nest, range, d);
	isl_set_free(range);
}

/* What the products of "nest" have to do; how much, if sizes are fixed. */
static void describe(const struct poly_nest *nest, struct poly_work *w)
{
	int loops = 0;

	poly_work_begin(w, nest->prog);
	w->slides = nest->slides;
	for (int d = 0; d < 2; d++)
		w->line[d] = nest->line[d];
	for (int i = 0; i < nest->n; i++) {
		int first = nest->loop[i];

		loops += nest->product[i] && first == i;
		if (nest->product[i])
			poly_work_add(w, nest->prog, nest->point[i],
				nest->point[i]->at, first == i ? NULL :
				nest->point[first]);
	}
	if (loops)
		w->together = (nest->n_product + loops - 1) / loops;
	for (int i = 0; i < nest->n; i++) {
		const struct poly_array *a = nest->point[i]->write_array;

		if (nest->product[i] || a->space != POLY_GLOBAL ||
		    8 * poly_type_size(a->type) != 16)
			continue;
		w->narrow = true;
		w->odd_out |= poly_row_align(nest->prog, a) < POLY_RUN_BYTES;
	}
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
	poly_explain_unit(nest->prog, k->name, &w);
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
		poly_search_note_blocks(nest->prog, k->name, &w, &b, given != NULL);
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
		poly_add_row_ops(nest, swap->op) : poly_add_ops(nest, swap->op);
	if (poly_kernel_set_grid(k, points_range(nest)) < 0 ||
	    swap->n_op <= 0)
		return isl_stat_error;
	swap->tree = poly_tile_tree(nest, swap->op, swap->n_op);
	return swap->tree ? isl_stat_ok : isl_stat_error;
}

/* Can "nest", which is no row program, be tiled? Threads that go together across a sum are
 * those of a point each.
 */
static bool can_have_tiles(const struct poly_nest *nest)
{
	return !nest->along && nest->regular && nest->n &&
		!poly_across(nest->prog, nest->domain) && point_words(nest) * 16 <= POLY_ACCUMULATOR_WORDS;
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
	if (ok == isl_stat_ok)
		ok = poly_map_grid(prog);
	return ok < 0 ? poly_isl_error(prog, "map_tiles") : isl_stat_ok;
}
