/* What the accesses of a warp cost, found by enumerating its lanes.
 *
 * The warp is the first of block (0, 0); a loop around an access is in its
 * first step. Where each lane's element lies follows from the maps: the access
 * is made a function of the point [p0, p1] of the tile space (with pk = 0 for a
 * product's operands, or [.., r, c] of the box for a copy), and evaluated at
 * the point that the mapping gives the lane.
 *
 * What the lanes' bytes cost is counted in place/traffic.c. Points of a
 * thread that lie side by side are one access if it is known to be aligned:
 * shared memory is, the caller's arrays are aligned to their elements only.
 * For counting, arrays begin at a multiple of 32 bytes.
 */
#include <stdlib.h>
#include <string.h>

#include <isl/point.h>
#include <isl/space.h>
#include <isl/val.h>

#include "polyir/ir/ir.h"
#include "polyir/sets/sets.h"
#include "polyir/layout/layout.h"

/* Coordinates of a place, or dimensions of an array; bytes that one instruction
 * moves; multiples at which shared arrays begin.
 */
enum { MAX_DIM = 16, VECTOR_BYTES = 16, SHARED_ALIGN = 1024 };

/* How points are given to the threads for the statements of one kind: the layout of
 * [p0, p1], or of the elements of a copy's box, counted, or, "crossed", of the points of
 * a tile, counted along axis 0.
 */
struct place {
	const struct poly_kernel *kernel;
	const struct poly_stmt *copy;	/* or NULL */
	bool crossed;
	int64_t box[2];			/* of the copy, or tile */
	int n_dim;			/* coordinates */
	int n_digit;			/* points of a thread */
	struct poly_layout layout;
};

/* The walk over all accesses of a program whose sizes are "size"; "list" are
 * those it has found.
 */
struct walk {
	struct poly_prog *prog;
	const int64_t *size;
	struct poly_access *list;
	int n, cap;
	bool failed;
};

/* One access under way: "index" is a function of the place's coordinates. */
struct pattern {
	struct walk *w;
	struct place place;
	struct poly_stmt *stmt;
	struct poly_array *array;
	isl_multi_pw_aff *index;
	int64_t extent[MAX_DIM];
};

/* ------------------------------------------------------------- evaluation */

static int param_number(const struct poly_prog *prog, const char *name)
{
	for (int i = 0; i < prog->n_param; i++)
		if (name && !strcmp(prog->param[i].name, name))
			return i;
	return -1;
}

/* "space" at "at", with the sizes in force; block coordinates are 0. */
static __isl_give isl_point *point(const struct walk *w,
	__isl_take isl_space *space, const int64_t *at)
{
	isl_ctx *ctx = w->prog->ctx;
	isl_size n_param = isl_space_dim(space, isl_dim_param);
	isl_size n = at ? isl_space_dim(space, isl_dim_set) : 0;
	isl_point *p = isl_point_zero(isl_space_copy(space));

	for (int i = 0; i < n_param; i++) {
		int k = param_number(w->prog, isl_space_get_dim_name(space,
			isl_dim_param, i));

		if (k >= 0)
			p = isl_point_set_coordinate_val(p, isl_dim_param, i,
				isl_val_int_from_si(ctx, (long) w->size[k]));
	}
	for (int i = 0; i < n; i++)
		p = isl_point_set_coordinate_val(p, isl_dim_set, i,
			isl_val_int_from_si(ctx, (long) at[i]));
	isl_space_free(space);
	return p;
}

/* The value of "pa" at "at"; false where it has none. */
static bool evaluate(const struct walk *w, __isl_take isl_pw_aff *pa,
	const int64_t *at, int64_t *value)
{
	isl_point *p = point(w, isl_pw_aff_get_domain_space(pa), at);
	isl_val *v = isl_pw_aff_eval(pa, p);
	bool ok = isl_val_is_int(v) == isl_bool_true;

	*value = ok ? isl_val_get_num_si(v) : 0;
	isl_val_free(v);
	return ok;
}

/* The byte at which the element begins that the pattern accesses at "at";
 * -1 where it accesses none.
 */
static int64_t address(const struct pattern *p, const int64_t *at)
{
	const struct poly_array *a = p->array;
	int64_t element = 0, index;

	for (int i = 0; i < a->n_dim; i++) {
		int64_t row = p->extent[i];

		if (!evaluate(p->w, isl_multi_pw_aff_get_at(p->index, i), at,
				&index) || index < 0 || index >= row)
			return -1;
		if (i == a->n_dim - 1)
			row += a->row_pad;
		element = element * row + index;
	}
	return element * poly_type_size(a->type);
}

/* The coordinates of point number "digit" of thread "lane"; false if it has none.
 */
static bool coordinates(const struct place *c, int lane, int digit,
	int64_t *at)
{
	int place[POLY_N_AT] = { [POLY_AT_THREAD] = lane,
		[POLY_AT_REG] = digit }, x[POLY_LAYOUT_DIM];

	memset(at, 0, c->n_dim * sizeof(*at));
	if (!poly_layout_at(&c->layout, place, x))
		return false;
	if (c->copy) {
		int dir = c->copy->coalesce;

		at[c->n_dim - 2 + dir] = x[0] % c->box[dir];
		at[c->n_dim - 2 + !dir] = x[0] / c->box[dir];
	} else if (c->crossed) {
		at[0] = x[0] % c->box[0];
		at[1] = x[0] / c->box[0];
	} else {
		at[0] = x[0];
		at[1] = x[1];
	}
	return true;
}

/* The byte of point number "digit" of thread "lane", as address() has it. */
static int64_t byte_of(const struct pattern *p, int lane, int digit)
{
	int64_t at[MAX_DIM];

	return coordinates(&p->place, lane, digit, at) ? address(p, at) : -1;
}

/* --------------------------------------------------------------- counting */

/* The fewest parts of "part" that hold "n". */
static int parts(int64_t n, int part)
{
	return (int) ((n + part - 1) / part);
}

/* How many of the elements of thread "lane" lie side by side, as far as one
 * instruction could take them.
 */
static int run_length(const struct pattern *p, int lane)
{
	int size = poly_type_size(p->array->type), most = 1, run = 1;
	int64_t before = byte_of(p, lane, 0), byte;

	for (int d = 1; d < p->place.n_digit; d++) {
		byte = byte_of(p, lane, d);
		if (byte >= 0 && byte == before)
			continue;
		run = before >= 0 && byte == before + size ? run + 1 : 1;
		before = byte;
		while (2 * most <= run && 2 * most * size <= VECTOR_BYTES)
			most *= 2;
	}
	return most;
}

/* The elements of one instruction of thread "lane", for arrays whose rows begin at
 * multiples of "align".
 */
static int vector_width(const struct pattern *p, int lane, const int64_t *byte,
	int n, int align)
{
	int size = poly_type_size(p->array->type);
	int width = run_length(p, lane);

	for (int i = 0; i < n; i++)
		while (width > 1 && (byte[i] % (width * size) ||
				width * size > align))
			width /= 2;
	return width;
}

/* A new entry, all zero, at the end of the list; NULL without memory. */
static struct poly_access *add_access(struct walk *w)
{
	struct poly_access *more;
	int cap = w->cap ? 2 * w->cap : 16;

	if (w->n == w->cap) {
		more = realloc(w->list, cap * sizeof(*more));
		if (!more)
			return NULL;
		w->list = more;
		w->cap = cap;
	}
	memset(&w->list[w->n], 0, sizeof(*w->list));
	return &w->list[w->n++];
}

/* Append what one access of the first warp costs: the lanes that have an
 * element, how many elements one instruction takes, and the memory
 * transactions, in fact and at the least.
 */
static void count(struct pattern *p, bool write)
{
	const struct poly_kernel *k = p->place.kernel;
	int threads = k->thread[0] * k->thread[1], n = 0;
	int size = poly_type_size(p->array->type);
	struct poly_access *a = add_access(p->w);
	struct poly_traffic traffic;
	int64_t byte[POLY_LANES];

	if (!a) {
		p->w->failed = true;
		return;
	}
	for (int lane = 0; lane < POLY_LANES && lane < threads; lane++) {
		byte[n] = byte_of(p, lane, 0);
		n += byte[n] >= 0;
	}
	a->kernel = k;
	a->stmt = p->stmt;
	a->array = p->array;
	a->write = write;
	a->lanes = n;
	a->vector = vector_width(p, 0, byte, n,
		p->array->space == POLY_SHARED ? SHARED_ALIGN : size);
	/* Of a row the first thread may lack an element in front. */
	a->run = p->array->space == POLY_SHARED ? a->vector :
		vector_width(p, threads > 1, byte, n, p->array->n_dim == 1 ?
			POLY_RUN_BYTES : poly_row_align(p->w->prog, p->array));
	traffic = p->array->space == POLY_SHARED ?
		poly_traffic_shared(byte, n, a->run * size) :
		poly_traffic_global(byte, n, a->run * size);
	a->transactions = traffic.transactions;
	a->least = traffic.least;
}

/* ----------------------------------------------------------------- access */

/* Count the access of "stmt" to "array" at "index", which is a function of the
 * coordinates of "place".
 */
static void access_at(struct walk *w, const struct place *place,
	struct poly_stmt *stmt, struct poly_array *array,
	__isl_take isl_multi_pw_aff *index, bool write)
{
	struct pattern p = { .w = w, .place = *place, .stmt = stmt,
		.array = array, .index = index };

	if (!index || array->n_dim > MAX_DIM || place->n_dim > MAX_DIM)
		w->failed = true;
	for (int i = 0; !w->failed && i < array->n_dim; i++)
		w->failed = !evaluate(w, isl_multi_pw_aff_get_at(
			array->extent, i), NULL, &p.extent[i]);
	if (!w->failed)
		count(&p, write);
	isl_multi_pw_aff_free(index);
}

/* The accesses of a point statement, whose instance at a point is "at". */
struct leaves {
	struct walk *w;
	const struct place *place;
	struct poly_stmt *stmt;
	isl_pw_multi_aff *at;
	const struct poly_crossed *crossed;	/* reads of a group that are so */
	int n_crossed;
};

/* Where the elements of a read are that lies across the lanes: warps go along axis 0, a row
 * of the tile after another.
 */
static struct place crossed_place(const struct place *place)
{
	const struct poly_kernel *k = place->kernel;
	struct place p = { .kernel = k, .crossed = true, .n_dim = place->n_dim,
		.n_digit = place->n_digit, .box = { k->tile[0], k->tile[1] } };

	p.layout = poly_turn_digits(k, k->tile[0] * k->tile[1]);
	return p;
}

/* Add the access to "array", which lies in memory unless it is of registers. */
static void visit(struct leaves *l, const struct place *place, struct poly_array *array,
	__isl_keep isl_multi_pw_aff *index, bool write)
{
	int n = l->w->n;

	if (array->space != POLY_REGISTER)
		access_at(l->w, place, l->stmt, array,
			isl_multi_pw_aff_pullback_pw_multi_aff(
				isl_multi_pw_aff_copy(index),
				isl_pw_multi_aff_copy(l->at)), write);
	if (l->w->n > n)
		l->w->list[n].index = index;
}

static void visit_leaf(struct poly_expr *leaf, void *user)
{
	struct leaves *l = user;
	struct place place = *l->place;

	for (int i = 0; i < l->n_crossed; i++)
		if (l->crossed[i].read == leaf)
			place = crossed_place(l->place);
	visit(l, &place, leaf->array, leaf->index, false);
}

/* Count all accesses of the point statement "stmt" whose instance at a point of
 * "place" is "at", which is taken: an update reads its cell first. Of its reads those of
 * "list", which has "n", lie across the lanes.
 */
static void point_accesses(struct walk *w, const struct place *place,
	struct poly_stmt *stmt, __isl_take isl_pw_multi_aff *at,
	const struct poly_crossed *list, int n)
{
	struct leaves l = { w, place, stmt, at, list, n };

	if (poly_is_update(stmt))
		visit(&l, place, stmt->write_array, stmt->write_index, false);
	poly_expr_each_access(stmt->rhs, &visit_leaf, &l);
	visit(&l, place, stmt->write_array, stmt->write_index, true);
	isl_pw_multi_aff_free(at);
}

/* Count the read and the write of a copy. Threads share the elements of the
 * buffer's box in turn, whatever points of the tile they own.
 */
static void copy_accesses(struct walk *w, const struct poly_kernel *kernel,
	struct poly_stmt *copy)
{
	struct poly_stmt *point = copy->member[0];
	const struct poly_array *buffer = point->write_array;
	struct place place = { .kernel = kernel, .copy = copy };
	int threads = kernel->thread[0] * kernel->thread[1], first = w->n;

	place.n_dim = isl_set_dim(point->domain, isl_dim_set);
	for (int d = 0; d < 2; d++)
		if (!evaluate(w, isl_multi_pw_aff_get_at(buffer->extent,
				buffer->n_dim - 2 + d), NULL, &place.box[d]))
			w->failed = true;
	place.n_digit = parts(place.box[0] * place.box[1], threads);
	place.layout = poly_turn_digits(kernel,
		(int) (place.box[0] * place.box[1]));
	point_accesses(w, &place, point, isl_pw_multi_aff_intersect_domain(
		isl_pw_multi_aff_identity_on_domain_space(
			isl_set_get_space(point->domain)),
		isl_set_copy(point->domain)), NULL, 0);
	for (int i = first; i < w->n; i++)
		w->list[i].bulk = copy->bulk;
}

/* Count the reads of a product from its shared buffers, at the first step of
 * its loops.
 */
static void product_accesses(struct walk *w, const struct place *place,
	struct poly_stmt *product)
{
	struct poly_stmt *member = product->member[0];
	struct place deep = *place;

	deep.n_dim = isl_multi_aff_dim(member->at, isl_dim_in);
	for (int i = 0; i < POLY_MAX_OPERAND; i++)
		if (product->operand[i])
			access_at(w, &deep, member, product->operand[i],
				isl_multi_pw_aff_pullback_multi_aff(
					isl_multi_pw_aff_copy(
						product->operand_index[i]),
					isl_multi_aff_copy(member->at)),
				false);
}

/* The first instance of the member "stmt" of a group at each point: in the first
 * launch, and the first of what else the grid has.
 */
static __isl_give isl_pw_multi_aff *first_member_at(struct poly_stmt *stmt)
{
	isl_map *at = isl_map_from_multi_aff(isl_multi_aff_copy(stmt->at));

	at = isl_map_intersect_range(at, isl_set_copy(stmt->domain));
	at = isl_map_project_out(at, isl_dim_in, 2,
		isl_map_dim(at, isl_dim_in) - 2);
	return isl_map_lexmin_pw_multi_aff(at);
}

/* The first instance of "stmt" at each point, in a kernel with one thread a
 * point whose tree is "node".
 */
static __isl_give isl_pw_multi_aff *first_at(struct poly_stmt *stmt,
	__isl_take isl_schedule_node *node)
{
	isl_union_map *all;
	isl_map *map;

	while (isl_schedule_node_get_type(node) == isl_schedule_node_filter)
		node = isl_schedule_node_child(node, 0);
	if (isl_schedule_node_get_type(node) != isl_schedule_node_band) {
		isl_schedule_node_free(node);
		return NULL;
	}
	all = isl_schedule_node_band_get_partial_schedule_union_map(node);
	isl_schedule_node_free(node);
	all = isl_union_map_intersect_domain(all, isl_union_set_from_set(
		isl_set_copy(stmt->domain)));
	map = isl_map_from_union_map(all);
	map = isl_map_project_out(map, isl_dim_out, 2,
		isl_map_dim(map, isl_dim_out) - 2);
	map = isl_map_reset_tuple_id(map, isl_dim_out);
	return isl_map_lexmin_pw_multi_aff(isl_map_reverse(map));
}

/* The first instance of "stmt" in each thread of the block kernel "kernel". */
static __isl_give isl_pw_multi_aff *first_in(struct poly_prog *prog,
	const struct poly_kernel *kernel, struct poly_stmt *stmt)
{
	isl_union_map *all = isl_union_map_intersect_domain(
		poly_kernel_threads(prog, kernel),
		isl_union_set_from_set(isl_set_copy(stmt->domain)));
	isl_map *map = isl_map_from_union_map(all);

	return isl_map_lexmin_pw_multi_aff(isl_map_reverse(map));
}

/* The accesses of "stmt", which stands in the tree of "kernel". */
static void stmt_accesses(struct walk *w, const struct poly_kernel *kernel,
	struct poly_stmt *stmt)
{
	struct place place = { .kernel = kernel, .n_dim = 2,
		.layout = poly_kernel_digits(kernel) };
	struct poly_crossed crossed[POLY_MAX_OPERAND];
	int n_crossed = poly_crossed_reads(w->prog, kernel, stmt, crossed);

	if (kernel->tiled && stmt->kind != POLY_GROUP)
		place.n_dim += poly_kernel_n_outer(w->prog, kernel);
	place.n_digit = kernel->tile[0] / kernel->thread[0] *
		(kernel->tile[1] / kernel->thread[1]);
	if (stmt->kind == POLY_COPY)
		copy_accesses(w, kernel, stmt);
	else if (stmt->kind == POLY_CONTRACT)
		product_accesses(w, &place, stmt);
	else if (stmt->kind == POLY_POINT)
		point_accesses(w, &place, stmt, kernel->block ?
			first_in(w->prog, kernel, stmt) : first_at(stmt,
			poly_kernel_node(w->prog, kernel)), NULL, 0);
	for (int i = 0; stmt->kind == POLY_GROUP && i < stmt->n_member; i++)
		point_accesses(w, &place, stmt->member[i],
			first_member_at(stmt->member[i]), crossed, n_crossed);
}

isl_stat poly_accesses(struct poly_prog *prog, const int64_t *size,
	struct poly_access **list, int *n)
{
	struct walk w = { .prog = prog, .size = size };

	for (int i = 0; i < prog->n_kernel; i++) {
		isl_union_set *domain =
			poly_kernel_domain(prog, prog->kernel[i]);
		int n_stmt;
		struct poly_stmt **stmt =
			poly_stmts_of(prog, domain, &n_stmt);

		for (int k = 0; stmt && k < n_stmt && !w.failed; k++)
			stmt_accesses(&w, prog->kernel[i], stmt[k]);
		w.failed |= !stmt;
		isl_union_set_free(domain);
		free(stmt);
	}
	if (w.failed) {
		free(w.list);
		return poly_isl_error(prog, "poly_accesses");
	}
	*list = w.list;
	*n = w.n;
	return isl_stat_ok;
}
