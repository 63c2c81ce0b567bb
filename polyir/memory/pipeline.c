/* Software pipelining: copies run ahead of the product that uses them.
 *
 * A product whose buffers have S slots (kernel.stages; promote_shared.c) does
 * not wait for the copy of its own tile but has it started S - 1 tiles earlier,
 * so that the copy's latency is hidden by the products in between. The
 * decision is a shift in the band; the copies become asynchronous, and a
 * barrier that waits for those of the tile stands before the product:
 *
 *	before: band [tk]                 after: band [D_tile: tk; copies: tk - 2]
 *	          sequence                         sequence
 *	            A_copy                           D_tile_wait
 *	            B_copy                           A_copy
 *	            D_tile                           B_copy
 *	                                             D_tile
 *
 * Products that share the loop (map/join.c) have one barrier before them.
 *
 * Copies of whole boxes (bulk.c) are in bulk where the target can, those of whole rows
 * if the configuration says so, too.
 *
 * Blocks of a kernel whose copies are all in bulk take one tile after another (turns.c).
 *
 * At the wait for tile tk the copies up to tile tk + S - 2 are on their way;
 * those behind tk ("ahead" = S - 2) need not have landed. Where products go on while
 * the next tile's copies begin (poly_unit_is_async), that is one tile less each. The same barrier
 * keeps a slot from being filled again before all threads have used it.
 */
#include <stdlib.h>
#include <string.h>

#include "polyir/base/base.h"
#include "polyir/ir/ir.h"
#include "polyir/sets/sets.h"
#include "polyir/layout/layout.h"
#include "polyir/tune/tune.h"
#include "polyir/memory/memory.h"
#include "polyir/loops/loops.h"

/* The products of one loop, the first of them, and what belongs to them. */
struct ring {
	struct poly_prog *prog;
	const struct poly_kernel *kernel;
	struct poly_stmt *product, *wait;
	struct poly_stmt **copy;
	int n_copy;
	bool done;
};

/* How many tiles the copies are ahead of the product: all slots but that in use, or,
 * where the product of the tile before may still read its own, one less.
 */
static int tiles_ahead(const struct poly_kernel *k)
{
	return k->stages - (poly_unit_is_async(k->unit) ? 2 : 1);
}

/* The barrier before the product, yet without a place in the tree. */
static isl_stat add_wait(struct ring *r)
{
	char *name = poly_unique_name(r->prog, r->product->name, "wait");

	r->wait = name ? poly_prog_add_stmt(r->prog, name, POLY_SYNC,
		isl_set_set_tuple_name(isl_set_copy(r->product->domain),
			name)) : NULL;
	free(name);
	if (!r->wait)
		return isl_stat_error;
	r->wait->loc = r->product->loc;
	r->wait->wait = r->product;
	r->wait->ahead = tiles_ahead(r->kernel) - 1;
	return isl_stat_ok;
}

/* "{ OP[t0, t1, tk, ..] -> [(tk + later)] }" */
static __isl_give isl_union_pw_aff *step_of(const struct poly_stmt *op,
	int later)
{
	isl_space *tile = poly_tile_tuple(op, op->name);
	isl_aff *step = isl_aff_add_constant_si(poly_at(tile, "tk"), later);

	isl_space_free(tile);
	return isl_union_pw_aff_from_aff(step);
}

/* "[{ D_tile[t0, t1, tk] -> [(tk)]; A_copy[t0, t1, tk] -> [(tk - 2)]; .. }]" */
static __isl_give isl_multi_union_pw_aff *shifted(const struct ring *r)
{
	isl_union_pw_aff *band = step_of(r->wait, 0);
	const struct poly_stmt *p = r->product;

	for (; p; p = poly_next_in_loop(r->prog, p))
		band = isl_union_pw_aff_union_add(band, step_of(p, 0));
	for (int i = 0; i < r->n_copy; i++)
		band = isl_union_pw_aff_union_add(band,
			step_of(r->copy[i], -tiles_ahead(r->kernel)));
	return isl_multi_union_pw_aff_from_union_pw_aff(band);
}

static __isl_give isl_union_set *universe(const struct poly_stmt *s)
{
	return isl_union_set_from_set(isl_set_universe(
		isl_set_get_space(s->domain)));
}

/* Is "node" the loop over the tiles of the product? */
static bool is_loop(const struct ring *r, __isl_keep isl_schedule_node *node)
{
	isl_union_set *domain, *own;
	isl_schedule_node *child;
	bool is;

	if (r->done || isl_schedule_node_get_type(node) !=
	    isl_schedule_node_band ||
	    isl_schedule_node_band_n_member(node) != 1)
		return false;
	child = isl_schedule_node_get_child(node, 0);
	is = isl_schedule_node_get_type(child) == isl_schedule_node_sequence;
	isl_schedule_node_free(child);
	domain = isl_schedule_node_get_domain(node);
	own = isl_union_set_intersect(domain, universe(r->product));
	is &= isl_union_set_is_empty(own) == isl_bool_false;
	isl_union_set_free(own);
	return is;
}

/* Rebuild the loop over the tiles of the product. */
static __isl_give isl_schedule_node *shift(__isl_take isl_schedule_node *node,
	void *user)
{
	struct ring *r = user;
	const struct poly_stmt *p;
	isl_union_set_list *filters;

	if (!is_loop(r, node))
		return node;
	r->done = true;
	filters = isl_union_set_list_from_union_set(universe(r->wait));
	for (int i = 0; i < r->n_copy; i++)
		filters = isl_union_set_list_add(filters,
			universe(r->copy[i]));
	for (p = r->product; p; p = poly_next_in_loop(r->prog, p))
		filters = isl_union_set_list_add(filters, universe(p));
	node = isl_schedule_node_cut(node);
	node = isl_schedule_node_insert_sequence(node, filters);
	node = isl_schedule_node_insert_partial_schedule(node, shifted(r));
	return isl_schedule_node_band_member_set_ast_loop_type(node, 0,
		isl_ast_loop_separate);
}

/* The bytes of the buffers that the copies of "k" fill. */
static int64_t buffer_bytes(struct poly_prog *prog, const struct poly_kernel *k)
{
	isl_union_set *domain = poly_kernel_domain(prog, k);
	int64_t all = 0;
	int n;
	struct poly_stmt **op = poly_stmts_of(prog, domain, &n);

	isl_union_set_free(domain);
	for (int i = 0; i < n; i++) {
		const struct poly_array *to = op[i]->kind != POLY_COPY ? NULL :
			op[i]->member[0]->write_array;
		int64_t bytes = to ? poly_type_size(to->type) : 0;

		for (int d = 0; to && d < to->n_dim; d++)
			bytes *= poly_fixed_extent(prog, to, d);
		all += bytes;
	}
	free(op);
	return all;
}

/* Has a multiprocessor room for one block of "k" alone? */
static bool is_alone(struct poly_prog *prog, const struct poly_kernel *k)
{
	return poly_unit_is_async(k->unit) &&
		buffer_bytes(prog, k) > prog->target.shared_bytes;
}

/* Does "copy" have boxes with windows that slide over pixels? */
static bool slides(struct poly_prog *prog, const struct poly_stmt *copy)
{
	struct poly_boxes boxes;
	bool has = poly_boxes_of(prog, copy, &boxes);

	poly_boxes_free(&boxes);
	return has && boxes.slide;
}

/* Does a copy of the loop of "op" have such boxes? */
static bool has_windows(struct poly_prog *prog, const struct poly_stmt *op)
{
	bool has = false;

	for (int i = 0; i < POLY_MAX_OPERAND; i++) {
		const struct poly_stmt *copy = poly_buffer_copy(prog, op->operand[i]);

		has |= copy && copy->kind == POLY_COPY && slides(prog, copy);
	}
	return has;
}

/* Is the copy best in bulk? Boxes are, where a warp can start them for many steps, which
 * is asked when all are there ("fed"), else but for one warpgroup and small tiles, where
 * copies that threads start themselves arrive sooner: in bf16 1664 x 256 x 640 takes 3.4
 * us so, and 4.4 us in boxes; 384 x 256 x 11008, in tiles of 128 x 64, 9.3 and 11.3 us.
 * With the warp, in tiles of 64 x 64, 896 x 512 x 2432 takes 6.8 us, without 7.9. Windows
 * that slide are in boxes wherever they can, as threads ask of each run whether it is there.
 */
static bool is_bulk(struct poly_prog *prog, const struct poly_kernel *k,
	const struct poly_stmt *copy, bool fed)
{
	enum { LEAST_POINTS = 128 * 128 };
	enum poly_copies copies = poly_config_copies(prog);
	bool boxes = copy->member[0]->write_array->swizzled && (fed ||
		(k->thread[0] * k->thread[1] > POLY_GROUP_THREADS &&
		k->tile[0] * k->tile[1] >= LEAST_POINTS));

	return prog->target.bulk && (copies == POLY_COPIES_BULK ||
		(copies == POLY_COPIES_BEST && boxes)) &&
		poly_fills_in_turn(prog, copy) &&
		poly_moves_in_bulk(prog, copy);
}

/* Has "copy" so many steps that a warp of its own had better start it? Open sizes may be large. */
static bool has_many_steps(struct poly_prog *prog, const struct poly_stmt *copy)
{
	return !poly_prog_is_fixed(prog) ||
		poly_copy_steps(prog, copy) >= POLY_FED_STEPS;
}

/* Make the copies of the product "op" of "r" asynchronous, those that are not yet. */
static void start_ahead(struct ring *r, const struct poly_stmt *op)
{
	bool alone = is_alone(r->prog, r->kernel), windows = has_windows(r->prog, op);

	for (int i = 0; i < POLY_MAX_OPERAND; i++) {
		struct poly_stmt *copy = poly_buffer_copy(r->prog, op->operand[i]);

		if (!copy || copy->kind != POLY_COPY || copy->async)
			continue;
		copy->async = true;
		copy->bulk = is_bulk(r->prog, r->kernel, copy, windows || (alone &&
			has_many_steps(r->prog, copy)));
		r->copy[r->n_copy++] = copy;
	}
}

/* Let the copies of "product", and of those in its loop, run ahead of it: make them
 * asynchronous, add the barrier that waits for them before the products, and shift the
 * copies in the loop over its tiles.
 */
static isl_stat pipeline(struct poly_prog *prog,
	const struct poly_kernel *kernel, struct poly_stmt *product)
{
	struct ring r = { .prog = prog, .kernel = kernel, .product = product,
		.copy = calloc(prog->n_stmt + 1, sizeof(*r.copy)) };
	const struct poly_stmt *op = product;
	struct poly_companion c;
	isl_schedule *schedule;

	for (; r.copy && op; op = poly_next_in_loop(prog, op))
		start_ahead(&r, op);
	if (!r.copy || add_wait(&r) < 0) {
		free(r.copy);
		return isl_stat_error;
	}
	c = (struct poly_companion){ r.wait, product, false };
	if (poly_tree_insert(prog, &c, 1) < 0) {
		free(r.copy);
		return isl_stat_error;
	}
	schedule = isl_schedule_map_schedule_node_bottom_up(
		isl_schedule_copy(prog->schedule), shift, &r);
	free(r.copy);
	return poly_set_schedule(prog, schedule) < 0 || !r.done ?
		isl_stat_error : isl_stat_ok;
}

/* How many blocks of "k" run at once, one on each multiprocessor: clusters of more than two
 * do not fill all of these, since those that may be one are no multiple of four.
 */
static int all_at_once(const struct poly_prog *prog, const struct poly_kernel *k)
{
	int most = prog->target.multiprocessors;
	int n = poly_cluster(k, 0) * poly_cluster(k, 1);

	if (n > 2)
		most -= most / 8;
	return most - most % n;
}

/* Let "k" have as many blocks as run at once, if one is all that a multiprocessor has
 * room for, or as many as there are tiles. "op" are its "n" operations.
 */
static void take_turns(struct poly_prog *prog, struct poly_kernel *k,
	struct poly_stmt *const *op, int n)
{
	int most = all_at_once(prog, k);
	int64_t tiles = poly_kernel_count(prog, k);

	if (!poly_prog_is_fixed(prog)) {
		memset(k->cluster, 0, sizeof(k->cluster));
		tiles = most;
	}
	k->blocks = tiles < most ? (int)tiles : most;
	if (!is_alone(prog, k) || !k->blocks || !poly_may_take_turns(prog, k)) {
		k->blocks = 0;
		memset(k->cluster, 0, sizeof(k->cluster));
	}
	if (!is_alone(prog, k))
		return;
	for (int i = 0; i < n && !k->blocks; i++)
		if (op[i]->kind == POLY_COPY && op[i]->bulk)
			op[i]->bulk = is_bulk(prog, k, op[i], slides(prog, op[i]));
}

/* Let the copies of products with several slots run ahead.
 *
 * requires shared, before sync; establishes pipeline
 */
isl_stat poly_pipeline(struct poly_prog *prog)
{
	isl_stat ok = isl_stat_ok;

	for (int i = 0; i < prog->n_kernel && ok == isl_stat_ok; i++) {
		struct poly_kernel *k = prog->kernel[i];
		isl_union_set *domain;
		struct poly_stmt **op;
		int n;

		if (!k->tiled || k->stages < 2)
			continue;
		domain = poly_kernel_domain(prog, k);
		op = poly_stmts_of(prog, domain, &n);
		isl_union_set_free(domain);
		ok = op ? isl_stat_ok : isl_stat_error;
		for (int j = 0; j < n && ok == isl_stat_ok; j++)
			if (op[j]->kind == POLY_CONTRACT && !op[j]->with)
				ok = pipeline(prog, k, op[j]);
		free(op);
		domain = poly_kernel_domain(prog, k);
		op = poly_stmts_of(prog, domain, &n);
		isl_union_set_free(domain);
		if (ok == isl_stat_ok && op)
			take_turns(prog, k, op, n);
		free(op);
	}
	return ok < 0 ? poly_isl_error(prog, "pipeline") : isl_stat_ok;
}
