/* Which kernels may have blocks that take one tile after another, and a warp of its own,
 * the feeder, which starts the copies of all tiles (nvptx/kernel/turns.c).
 *
 *	kernel K .. blocks 132		tiles 0, 132, 264, .. are those of block 0
 *
 * Its copies are all in bulk: one thread starts them, and the others wait for their bytes.
 * Whoever waits for a slot counts how often it was filled, in the tiles before, too: so
 * all tiles have as many steps. The roles meet nowhere but at slots: so nothing that
 * threads do waits for the whole block.
 *
 * Blocks of a cluster have neighbours of the grid along one axis. What a copy reads that
 * knows nothing of this axis is the same for all of them: each reads a part of its rows
 * from memory for all.
 */
#include <stdlib.h>

#include <isl/ilp.h>
#include <isl/space.h>
#include <isl/val.h>

#include "polyir/ir/ir.h"
#include "polyir/sets/sets.h"
#include "polyir/layout/layout.h"

/* Tiles of a grid at most, so that 32 bits hold their number.
 *
 * Blocks count tiles in an int and add the number of blocks to it.
 */
#define MOST_TILES (1 << 30)

/* How many tiles have steps of "copy", of which 0 is the first: a function of the sizes. */
__isl_give isl_pw_aff *poly_copy_length(struct poly_prog *prog,
	const struct poly_stmt *copy)
{
	return poly_range_length(prog, poly_range_of(copy->domain, 2));
}

/* 0 if sizes are not known: then there is no such count. */
int64_t poly_copy_steps(struct poly_prog *prog, const struct poly_stmt *copy)
{
	isl_set *all = isl_set_intersect_params(isl_set_copy(copy->domain),
		poly_known_sizes(prog));
	isl_val *last = isl_set_dim_max_val(all, 2);
	int64_t n = isl_val_is_int(last) == isl_bool_true ?
		isl_val_get_num_si(last) + 1 : 0;

	isl_val_free(last);
	return n;
}

/* 0 also for more than MOST_TILES, and if isl fails. */
int64_t poly_kernel_count(struct poly_prog *prog, const struct poly_kernel *k)
{
	isl_set *tiles = isl_set_intersect_params(poly_kernel_tiles(prog, k),
		poly_known_sizes(prog));
	isl_size n_dim = isl_set_dim(tiles, isl_dim_set);
	int64_t n = n_dim >= 0;

	for (int d = 0; d < n_dim; d++) {
		isl_val *last = isl_set_dim_max_val(isl_set_copy(tiles), d);
		int64_t size = isl_val_is_int(last) == isl_bool_true ?
			isl_val_get_num_si(last) + 1 : 0;

		isl_val_free(last);
		n = size > 0 && n < MOST_TILES ? n * size : 0;
	}
	isl_set_free(tiles);
	return n <= MOST_TILES ? n : 0;
}

/* Has each tile of "k" all steps of "copy", from 0 on?
 *
 * With pieces of a sum, or a triangular one, tiles have different steps: then
 * the count of fills would differ from tile to tile.
 */
static bool has_all_steps(struct poly_prog *prog, const struct poly_kernel *k,
	const struct poly_stmt *copy)
{
	isl_set *all = poly_kernel_tiles(prog, k), *steps, *own;
	int n = isl_set_dim(copy->domain, isl_dim_set);
	bool has;

	if (n != isl_set_dim(all, isl_dim_set) + 1 ||
	    (poly_prog_is_fixed(prog) && !poly_copy_steps(prog, copy))) {
		isl_set_free(all);
		return false;
	}
	steps = isl_set_reset_tuple_id(isl_set_copy(copy->domain));
	steps = isl_set_project_out(steps, isl_dim_set, 3, n - 3);
	steps = isl_set_project_out(steps, isl_dim_set, 0, 2);
	steps = isl_set_insert_dims(steps, isl_dim_set, 0, 2);
	steps = isl_set_add_dims(steps, isl_dim_set, n - 3);
	steps = isl_set_lower_bound_si(steps, isl_dim_set, 2, 0);
	all = isl_set_insert_dims(all, isl_dim_set, 2, 1);
	all = isl_set_intersect(isl_set_reset_tuple_id(all), steps);
	all = isl_set_set_tuple_id(all, isl_set_get_tuple_id(copy->domain));
	own = isl_set_intersect_params(isl_set_copy(copy->domain),
		poly_known_sizes(prog));
	all = isl_set_intersect_params(all, poly_known_sizes(prog));
	has = isl_set_is_equal(all, own) == isl_bool_true;
	isl_set_free(all);
	isl_set_free(own);
	return has;
}

/* Can the operation "op" be one of a block that takes several tiles?
 *
 * A fold or a reduction across threads waits for the whole block at the end of
 * a tile, as another tile's copies land.
 */
static bool fits(struct poly_prog *prog, const struct poly_kernel *k,
	const struct poly_stmt *op)
{
	for (int i = 0; i < op->n_member; i++)
		if (op->member[i]->fold || op->member[i]->across)
			return false;
	switch (op->kind) {
	case POLY_COPY:
		return op->bulk && has_all_steps(prog, k, op);
	case POLY_SYNC:
		return op->wait != NULL;
	case POLY_GROUP:
	case POLY_CONTRACT:
		return true;
	default:
		return false;
	}
}

/* Have blocks of a cluster of "k" tiles that are neighbours, all at one time? */
static bool has_whole_clusters(const struct poly_kernel *k)
{
	int n = poly_cluster(k, 0) * poly_cluster(k, 1);

	return (n & (n - 1)) == 0 && n <= POLY_MOST_CLUSTER && k->blocks % n == 0;
}

/* Does the element of an array that "copy" reads depend on the tile along axis "d"? */
static bool depends_on(const struct poly_stmt *copy, int d)
{
	const struct poly_expr *e = copy->member[0]->rhs;
	bool depends = e->op != POLY_OP_ACCESS;

	for (int i = 0; !depends && i < e->array->n_dim; i++) {
		isl_pw_aff *at = isl_multi_pw_aff_get_at(e->index, i);

		at = isl_pw_aff_gist(at, isl_pw_aff_domain(
			isl_pw_aff_copy(at)));
		depends = isl_pw_aff_involves_dims(at, isl_dim_in, d, 1) !=
			isl_bool_false;
		isl_pw_aff_free(at);
	}
	return depends;
}

/* A part is whole groups of rows that are swizzled alike. */
int poly_copy_parts(const struct poly_kernel *k, const struct poly_stmt *copy)
{
	enum { GROUP_ROWS = 8 };
	const struct poly_array *to = copy->member[0]->write_array;
	int d = poly_cluster(k, 0) > 1 ? 0 : 1, n = poly_cluster(k, d);
	isl_pw_aff *rows;
	isl_val *most;
	bool whole;

	if (n == 1 || !k->blocks || !to->swizzled)
		return 1;
	rows = isl_multi_pw_aff_get_at(to->extent, to->n_dim - 2);
	most = isl_pw_aff_max_val(rows);
	whole = isl_val_is_int(most) == isl_bool_true &&
		isl_val_get_num_si(most) % (n * GROUP_ROWS) == 0;
	isl_val_free(most);
	return whole && !depends_on(copy, d) ? n : 1;
}

/* Do known sizes have so few tiles that they can be counted? Tiles of open sizes are counted
 * in 64 bits; clusters would ask for a number of them that they divide.
 */
static bool is_counted(struct poly_prog *prog, const struct poly_kernel *k)
{
	if (poly_prog_is_fixed(prog))
		return poly_kernel_count(prog, k) > 0;
	return !prog->n_hidden && poly_cluster(k, 0) * poly_cluster(k, 1) == 1;
}

/* All conditions are necessary for the emitter (nvptx/lower): it has one
 * product loop in a loop over tiles, with barriers that count fills.
 */
bool poly_may_take_turns(struct poly_prog *prog, const struct poly_kernel *k)
{
	bool may = k->tiled && poly_unit_is_async(k->unit) && !k->together &&
		!k->chained && has_whole_clusters(k) &&
		!poly_kernel_n_host(prog, k) && is_counted(prog, k);
	isl_union_set *domain = poly_kernel_domain(prog, k);
	int n, n_product = 0;
	struct poly_stmt **op = poly_stmts_of(prog, domain, &n);

	isl_union_set_free(domain);
	for (int i = 0; may && op && i < n; i++) {
		n_product += op[i]->kind == POLY_CONTRACT && !op[i]->with;
		may = fits(prog, k, op[i]);
	}
	free(op);
	return may && n_product == 1;
}
