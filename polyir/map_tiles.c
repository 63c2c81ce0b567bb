/* Tiling for blocks and threads: point statements become tile operations.
 *
 * A kernel's two outer loops are cut into tiles, one a block. What stood below
 * them, in order, becomes one tile operation each: a run of point-wise
 * statements a GROUP, a sum of products over one more loop a CONTRACT, tiled
 * along that loop too:
 *
 *	before: mark kernel:K               after: mark kernel:K
 *	          band [i, j] 1 1                    filter [b0, b1]
 *	            sequence                           band [t0, t1] 1 1
 *	              D_init                             sequence
 *	              band [k] D                           K_init
 *	              E                                    band [tk] D_tile
 *	                                                   K_points
 *
 * with the contraction { D[i,j,k] -> D_tile[i/64, j/64, k/16] } and so on. A
 * nest of another shape keeps one thread a point (map_naive.c).
 */
#include <stdlib.h>

#include <isl/space.h>

#include "polyir_internal.h"

/* Registers of a thread that accumulators may take: with 8 x 8 of them and 168
 * registers in all, ptxas keeps two fragments of each operand beside them.
 */
#define ACCUMULATOR_WORDS 64
/* Slots of a product's buffers, and the bytes that all of them may take. */
#define STAGES 2
#define SHARED_BYTES 49152

struct nest {
	struct poly_prog *prog;
	struct poly_kernel *kernel;
	struct poly_stmt **point;	/* in order of execution */
	bool *product;
	isl_map **map;	/* instance -> [p0, p1] or [p0, p1, pk] */
	int n;
	bool regular;	/* has the shape that we tile */
};

/* "{ [p..] -> S[..] }", the inverse of "map", if it is affine; else NULL. */
static __isl_give isl_multi_aff *inverse(__isl_keep isl_map *map,
	const struct poly_stmt *stmt)
{
	isl_map *back = isl_map_gist_domain(isl_map_copy(map),
		isl_set_copy(stmt->domain));
	isl_pw_multi_aff *pma;

	back = isl_map_reverse(back);
	if (isl_map_is_single_valued(back) != isl_bool_true) {
		isl_map_free(back);
		return NULL;
	}
	pma = isl_pw_multi_aff_from_map(back);
	if (isl_pw_multi_aff_isa_multi_aff(pma) != isl_bool_true) {
		isl_pw_multi_aff_free(pma);
		return NULL;
	}
	return isl_pw_multi_aff_as_multi_aff(pma);
}

/* Is the update "stmt" a sum of products whose operands both move with the
 * summation and each with its own axis of the tile?
 */
static bool is_product(const struct poly_stmt *stmt)
{
	int a, b;

	if (stmt->reduce != POLY_OP_ADD || stmt->rhs->op != POLY_OP_MUL)
		return false;
	a = poly_operand_axis(stmt, stmt->at, 0);
	b = poly_operand_axis(stmt, stmt->at, 1);
	return a >= 0 && b >= 0 && a != b;
}

/* Append the statement "stmt" with schedule "map". */
static void add_point(struct nest *nest, struct poly_stmt *stmt,
	__isl_take isl_map *map)
{
	int i = nest->n++;

	isl_multi_aff_free(stmt->at);
	stmt->at = inverse(map, stmt);
	nest->point[i] = stmt;
	nest->map[i] = map;
	nest->product[i] = false;
	if (!stmt->at) {
		nest->regular = false;
	} else if (isl_map_dim(map, isl_dim_out) == 3) {
		nest->product[i] = is_product(stmt);
		nest->regular &= nest->product[i];
	} else {
		nest->regular &= stmt->reduce == POLY_OP_NONE;
	}
}

/* Append the statements of "domain", which "points" schedules. */
static void add_points(struct nest *nest, __isl_keep isl_union_set *domain,
	__isl_keep isl_union_map *points)
{
	int n;
	struct poly_stmt **list = poly_stmts_of(nest->prog, domain, &n);

	for (int i = 0; i < n; i++) {
		isl_union_map *one = isl_union_map_intersect_domain(
			isl_union_map_copy(points), isl_union_set_from_set(
				isl_set_copy(list[i]->domain)));

		add_point(nest, list[i], isl_map_from_union_map(one));
	}
	free(list);
}

/* Walk what stands below the outer band, "points" being its two members, and
 * collect the point statements in order.
 */
static void collect(struct nest *nest, __isl_keep isl_schedule_node *node,
	__isl_keep isl_union_map *points)
{
	enum isl_schedule_node_type type = isl_schedule_node_get_type(node);
	isl_union_set *domain = poly_node_domain(node);
	isl_union_map *inner;
	isl_schedule_node *child;

	if (type == isl_schedule_node_leaf) {
		add_points(nest, domain, points);
	} else if (type == isl_schedule_node_band) {
		inner = isl_schedule_node_band_get_partial_schedule_union_map(
			node);
		inner = isl_union_map_flat_range_product(
			isl_union_map_copy(points), inner);
		child = isl_schedule_node_get_child(node, 0);
		if (isl_schedule_node_band_n_member(node) != 1 ||
		    isl_union_set_n_set(domain) != 1 ||
		    isl_schedule_node_get_type(child) != isl_schedule_node_leaf)
			nest->regular = false;
		else
			add_points(nest, domain, inner);
		isl_schedule_node_free(child);
		isl_union_map_free(inner);
	} else if (type == isl_schedule_node_sequence ||
		   type == isl_schedule_node_set) {
		for (int i = 0; i < isl_schedule_node_n_children(node); i++) {
			child = isl_schedule_node_get_child(node, i);
			child = isl_schedule_node_child(child, 0);
			collect(nest, child, points);
			isl_schedule_node_free(child);
		}
	} else {
		nest->regular = false;
	}
	isl_union_set_free(domain);
}

static void free_nest(struct nest *nest)
{
	for (int i = 0; i < nest->n; i++)
		isl_map_free(nest->map[i]);
	free(nest->map);
	free(nest->point);
	free(nest->product);
}

/* ------------------------------------------------------- tile operations */

/* Add a tile operation named after "base" and "suffix", yet without members,
 * whose domain will be what they contract to; "n" is its dimension.
 */
static struct poly_stmt *add_op(struct nest *nest, const char *base,
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

/* Extend the domain of "op" by the tiles that the instances scheduled by
 * "map" fall into, and name its dimensions.
 */
static void cover(struct nest *nest, struct poly_stmt *op,
	__isl_keep isl_map *map)
{
	static const char *const coordinate[] = { "t0", "t1", "tk" };
	isl_set *tiles = isl_map_range(isl_map_copy(map));

	tiles = isl_set_apply(tiles,
		poly_tile_map(nest->prog, nest->kernel, op));
	op->domain = isl_set_coalesce(isl_set_union(op->domain, tiles));
	for (int i = 0; i < isl_set_dim(op->domain, isl_dim_set); i++)
		op->domain = isl_set_set_dim_name(op->domain, isl_dim_set, i,
			coordinate[i]);
}

/* A group covers all tiles of the kernel, whoever its members are. */
static struct poly_stmt *add_group(struct nest *nest, bool init)
{
	struct poly_stmt *op = add_op(nest, nest->kernel->name,
		init ? "init" : "points", POLY_GROUP, 2);

	for (int i = 0; op && i < nest->n; i++)
		if (!nest->product[i])
			cover(nest, op, nest->map[i]);
	return op;
}

/* Add point "i" of the nest to "op". */
static void add_member(struct nest *nest, struct poly_stmt *op, int i)
{
	isl_map *map = isl_map_apply_range(isl_map_copy(nest->map[i]),
		poly_tile_map(nest->prog, nest->kernel, op));

	poly_tile_add_member(op, nest->point[i], map);
}

static struct poly_stmt *add_contract(struct nest *nest, int i)
{
	struct poly_stmt *op = add_op(nest, nest->point[i]->name, "tile",
		POLY_CONTRACT, 3);

	if (!op)
		return NULL;
	cover(nest, op, nest->map[i]);
	add_member(nest, op, i);
	return op;
}

/* Make the tile operations of "nest" in "op", at most 2n + 1; returns their
 * number, -1 on failure. A group follows the last product even if no statement
 * does: what the product computed has to be stored (promote_registers.c).
 */
static int add_ops(struct nest *nest, struct poly_stmt **op)
{
	const struct poly_kernel *k = nest->kernel;
	int n = 0;

	for (int i = 0; i < nest->n; i++) {
		if (nest->product[i]) {
			op[n] = add_contract(nest, i);
			if (!op[n++])
				return -1;
			continue;
		}
		if (!n || op[n - 1]->kind != POLY_GROUP) {
			op[n] = add_group(nest, n == 0 && k->tile_k);
			if (!op[n++])
				return -1;
		}
		add_member(nest, op[n - 1], i);
	}
	if (n && op[n - 1]->kind == POLY_CONTRACT) {
		op[n] = add_group(nest, false);
		if (!op[n++])
			return -1;
	}
	return n;
}

/* -------------------------------------------------------------- the tree */

static const char *coordinates(const struct poly_stmt *op)
{
	return op->kind == POLY_CONTRACT ? "t0, t1, tk" : "t0, t1";
}

/* "[{ X[t0, t1] -> [(t0)]; .. }, { .. -> [(t1)] }]" over the operations. */
static __isl_give isl_multi_union_pw_aff *tile_band(struct poly_prog *prog,
	struct poly_stmt **op, int n)
{
	struct poly_str s = { 0 };
	isl_multi_union_pw_aff *band;

	for (int d = 0; d < 2; d++) {
		poly_str_add(&s, d ? " }, {" : "[{");
		for (int i = 0; i < n; i++)
			poly_str_printf(&s, "%s %s[%s] -> [(t%d)]",
				i ? ";" : "", op[i]->name, coordinates(op[i]),
				d);
	}
	poly_str_add(&s, " }]");
	band = s.failed ? NULL :
		isl_multi_union_pw_aff_read_from_str(prog->ctx, s.s);
	poly_str_free(&s);
	return band;
}

/* The operations of block (b0, b1). */
static __isl_give isl_union_set *block_filter(struct nest *nest,
	struct poly_stmt **op, int n)
{
	struct poly_str s = { 0 };
	isl_union_set *filter;

	poly_str_add(&s, "[b0, b1] -> {");
	for (int i = 0; i < n; i++)
		poly_str_printf(&s, "%s %s[b0, b1%s]", i ? ";" : "",
			op[i]->name, op[i]->kind == POLY_CONTRACT ? ", tk" : "");
	poly_str_add(&s, " }");
	filter = s.failed ? NULL :
		isl_union_set_read_from_str(nest->prog->ctx, s.s);
	poly_str_free(&s);
	return filter;
}

/* Below the sequence child of a product: the loop over its tiles. */
static __isl_give isl_schedule_node *insert_k_band(
	__isl_take isl_schedule_node *node, const struct poly_stmt *op)
{
	struct poly_str s = { 0 };
	isl_ctx *ctx = isl_schedule_node_get_ctx(node);
	isl_multi_union_pw_aff *band;

	poly_str_printf(&s, "[{ %s[t0, t1, tk] -> [(tk)] }]", op->name);
	band = s.failed ? NULL : isl_multi_union_pw_aff_read_from_str(ctx, s.s);
	poly_str_free(&s);
	return isl_schedule_node_insert_partial_schedule(node, band);
}

static __isl_give isl_schedule_node *insert_ops(
	__isl_take isl_schedule_node *node, struct poly_stmt **op, int n)
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
		node = insert_k_band(node, op[i]);
		node = isl_schedule_node_ancestor(node, 2);
	}
	return node;
}

/* The tree of one kernel over its tile operations. */
static __isl_give isl_schedule *tile_tree(struct nest *nest,
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
	node = isl_schedule_node_insert_partial_schedule(node,
		tile_band(nest->prog, op, n));
	node = isl_schedule_node_band_set_permutable(node, 1);
	for (int d = 0; d < 2; d++)
		node = isl_schedule_node_band_member_set_coincident(node, d, 1);
	node = isl_schedule_node_child(node, 0);
	node = insert_ops(node, op, n);
	schedule = isl_schedule_node_get_schedule(node);
	isl_schedule_node_free(node);
	return schedule;
}

/* ---------------------------------------------------------------- kernels */

/* The 32-bit registers that one point of the products in "nest" needs. */
static int point_words(const struct nest *nest)
{
	int words = 0;

	for (int i = 0; i < nest->n; i++)
		if (nest->product[i])
			words += (poly_type_size(
				nest->point[i]->write_array->type) + 3) / 4;
	return words;
}

/* Bytes of one slot of all buffers of "nest", for tiles of one step; "*least"
 * receives the size of the smallest element.
 */
static int slot_bytes(const struct nest *nest, int *least)
{
	int bytes = 0;

	*least = 8;
	for (int i = 0; i < nest->n; i++)
		for (int o = 0; o < 2 && nest->product[i]; o++) {
			struct poly_stmt *s = nest->point[i];
			int axis = poly_operand_axis(s, s->at, o), size;

			size = poly_type_size(
				poly_operand_leaf(s, o)->array->type);
			*least = size < *least ? size : *least;
			bytes += size * (nest->kernel->tile[axis] +
				nest->kernel->vec[axis]);
		}
	return bytes;
}

/* How many tiles the copies of products run ahead: as many as shared memory
 * that every target has holds. Elements smaller than a word cannot be copied
 * asynchronously.
 */
static void choose_stages(struct nest *nest)
{
	struct poly_kernel *k = nest->kernel;
	int least, bytes = slot_bytes(nest, &least);

	if (least < 4)
		return;
	k->stages = STAGES;
	while (k->tile_k > 4 && k->tile_k * k->stages * bytes > SHARED_BYTES)
		k->tile_k /= 2;
}

/* Tile and block sizes. Products get the largest register tile, up to 8 x 8
 * points a thread, whose accumulators take ACCUMULATOR_WORDS registers: the
 * larger it is, the fewer loads from shared memory an operation needs. Its
 * runs are as long as the widest load, 16 bytes. A point-wise kernel gets wide
 * tiles.
 */
static void choose_sizes(struct nest *nest)
{
	struct poly_kernel *k = nest->kernel;
	int words = point_words(nest);
	int most = words ? ACCUMULATOR_WORDS / words : 0;

	k->tiled = true;
	k->thread[0] = 8;
	k->thread[1] = words ? 16 : 32;
	k->vec[0] = k->vec[1] = words ? 4 : 1;
	k->tile[0] = k->thread[0] * (words ? most >= 32 ? 8 : 4 : 2);
	k->tile[1] = k->thread[1] * (words ? most >= 64 ? 8 : 4 : 2);
	k->tile_k = words ? 16 : 0;
	if (words)
		choose_stages(nest);
}

/* The tiled tree of the regular "nest" whose outer band is "band". */
static __isl_give isl_schedule *tile_nest(struct nest *nest,
	__isl_keep isl_schedule_node *band)
{
	struct poly_stmt **op = calloc(2 * nest->n + 1, sizeof(*op));
	isl_schedule *schedule = NULL;
	isl_union_map *points;
	isl_set *range;
	int n;

	choose_sizes(nest);
	points = poly_kernel_points(band);
	range = isl_set_from_union_set(isl_union_map_range(points));
	n = op ? add_ops(nest, op) : -1;
	if (poly_kernel_set_grid(nest->kernel, isl_set_coalesce(range)) == 0 &&
	    n > 0)
		schedule = tile_tree(nest, op, n);
	free(op);
	return schedule;
}

/* Copy what "node" roots, without change. */
static __isl_give isl_schedule *copy_tree(__isl_keep isl_schedule_node *node)
{
	isl_schedule_node *dst = isl_schedule_node_from_domain(
		poly_node_domain(node));
	isl_schedule *schedule;

	dst = isl_schedule_node_child(dst, 0);
	dst = poly_tree_copy(dst, node);
	schedule = isl_schedule_node_get_schedule(dst);
	isl_schedule_node_free(dst);
	return schedule;
}

/* The tree of a kernel with one thread a point, outer band "band". */
static __isl_give isl_schedule *naive_tree(struct nest *nest,
	__isl_keep isl_schedule_node *band)
{
	isl_schedule *schedule = copy_tree(band);
	isl_schedule_node *node = isl_schedule_get_root(schedule);

	isl_schedule_free(schedule);
	node = isl_schedule_node_child(node, 0);
	node = poly_kernel_thread_a_point(nest->prog, nest->kernel, node, 8,
		32);
	node = poly_insert_kernel_mark(node, nest->kernel->name);
	schedule = isl_schedule_node_get_schedule(node);
	isl_schedule_node_free(node);
	return schedule;
}

/* The mapped tree of the kernel whose outer band is "band". */
static __isl_give isl_schedule *map_kernel(struct nest *nest,
	__isl_take isl_schedule_node *band)
{
	isl_union_map *points;
	isl_schedule_node *below;
	isl_schedule *schedule;
	int most = nest->prog->n_stmt;

	nest->point = calloc(most + 1, sizeof(*nest->point));
	nest->product = calloc(most + 1, sizeof(*nest->product));
	nest->map = calloc(most + 1, sizeof(*nest->map));
	nest->regular = nest->point && nest->product && nest->map;
	if (isl_schedule_node_band_n_member(band) > 2)
		band = isl_schedule_node_band_split(band, 2);
	points = poly_kernel_points(band);
	below = isl_schedule_node_get_child(band, 0);
	if (nest->regular)
		collect(nest, below, points);
	isl_schedule_node_free(below);
	isl_union_map_free(points);
	schedule = nest->regular ? tile_nest(nest, band) :
		naive_tree(nest, band);
	isl_schedule_node_free(band);
	free_nest(nest);
	return schedule;
}

/* Map every kernel to blocks and threads with a register tile.
 *
 * requires kernels; establishes mapping, tiles
 */
isl_stat poly_map_tiles(struct poly_prog *prog)
{
	isl_schedule *all = NULL;

	for (int i = 0; i < prog->n_kernel; i++) {
		struct nest nest = { .prog = prog,
			.kernel = prog->kernel[i] };
		isl_schedule *one = map_kernel(&nest,
			poly_kernel_node(prog, prog->kernel[i]));

		all = all ? isl_schedule_sequence(all, one) : one;
		if (!all)
			return poly_isl_error(prog, "poly_map_tiles");
	}
	return all ? poly_set_schedule(prog, all) : isl_stat_ok;
}
