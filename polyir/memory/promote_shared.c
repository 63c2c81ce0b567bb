/* Operands that a block's threads share go through shared memory.
 *
 * Along one axis of the tile every thread needs the same elements of what a
 * product reads (the access is not injective on the parallel dimensions), so
 * each such read of a CONTRACT gets one buffer of a tile, which the block fills
 * together before it is used; other reads stay as they are:
 *
 *	before: band [tk]              after: band [tk]
 *	          D_tile                        sequence
 *	                                          A_copy   A -> A_shared
 *	                                          B_copy   B -> B_shared
 *	                                          D_tile
 *
 * Buffers are stored summation dimension first, A_shared[k][i] and
 * B_shared[k][j], so that a thread's register tile reads along the rows; or, of
 * an array that lies along the sum where the points of a thread do not lie in
 * runs (kernel.vec), A_shared[i][k], so that it reads runs of steps. Threads
 * copy along the array's contiguous dimension; when that is the buffer's column
 * (the copy transposes), and where threads read different rows at once, rows
 * are padded by a run to keep them off one bank; buffers that warpgroups read are swizzled
 * instead, where their rows allow it (add_buffer). What lies outside the array is filled with
 * zero; if that changes nothing that is used, the product runs full tiles (full.c). How many
 * elements a thread copies at once is decided when the copy is emitted (nvptx_copy_run in
 * nvptx/contract/lower_copy.c).
 */
#include <stdlib.h>

#include <isl/space.h>

#include "polyir/base/base.h"
#include "polyir/ir/ir.h"
#include "polyir/deps/deps.h"
#include "polyir/layout/layout.h"
#include "polyir/legal/legal.h"
#include "polyir/memory/memory.h"
#include "polyir/loops/loops.h"

/* One operand of a CONTRACT on its way to shared memory. */
struct operand {
	struct poly_prog *prog;
	const struct poly_kernel *kernel;
	struct poly_stmt *op, *point;	/* the CONTRACT and its member */
	struct poly_expr *leaf;		/* the access to the array */
	int moves;			/* of the access: POLY_MOVES_0, .. */
	int rows, columns;		/* of its buffer: steps, points */
	bool transposes;	/* the array's rows become its columns */
	bool steps;		/* rows are points, columns are steps */
};

/* The axis of the tile along which the operand moves, or -1. */
static int axis_of(const struct operand *o)
{
	return o->moves & POLY_MOVES_0 ? 0 : o->moves & POLY_MOVES_1 ? 1 : -1;
}

/* How large the operand's buffer is: a step or a point that it does not move
 * with adds nothing.
 */
static void set_box(struct operand *o)
{
	int axis = axis_of(o);
	bool along = poly_leaf_has_steps(o->leaf, o->point->at);

	o->rows = o->moves & POLY_MOVES_K ? o->kernel->tile_k : 1;
	o->columns = axis < 0 ? 1 : o->kernel->tile[axis];
	o->steps = along && axis >= 0 && o->rows > 1 && (o->kernel->unit ||
		(o->kernel->vec_k > 1 && o->kernel->vec[axis] == 1));
	o->transposes = !o->steps && (along || o->columns == 1);
}

/* Does the unit read the operand from swizzled rows? Points or steps fill these. */
static bool is_swizzled(const struct operand *o)
{
	enum poly_type one = poly_unit(o->kernel->unit)->element[0];

	return poly_type_size(o->leaf->array->type) == poly_type_size(one) &&
		o->rows > 1 && (o->steps ? o->rows : o->columns) %
		poly_swizzled_column(o->leaf->array->type) == 0;
}

/* The buffer: its rows and columns, once for each stage. */
static struct poly_array *add_buffer(struct operand *o)
{
	struct poly_array *array = o->leaf->array, *buffer;
	char *name = poly_unique_name(o->prog, array->name, "shared");
	bool staged = o->kernel->stages > 1;
	const int64_t size[] = { o->kernel->stages,
		o->steps ? o->columns : o->rows,
		o->steps ? o->rows : o->columns };

	if (!name)
		return NULL;
	buffer = poly_prog_add_array(o->prog, name, array->type, POLY_TEMP,
		poly_box(o->prog->ctx, name, 2 + staged, size + !staged));
	free(name);
	if (!buffer)
		return NULL;
	buffer->space = POLY_SHARED;
	if (poly_unit_is_async(o->kernel->unit))
		buffer->swizzled = is_swizzled(o);
	else if (o->kernel->unit && o->columns > 1 && o->rows > 1)
		buffer->row_pad = poly_unit_pad(o->kernel->unit);
	else if (o->steps)
		buffer->row_pad = o->kernel->vec_k;
	else if (o->transposes && o->columns > 1)
		buffer->row_pad = o->kernel->vec[axis_of(o)];
	buffer->loc = o->point->loc;
	return buffer;
}

/* "{ D[..] -> BUFFER[pk mod tile_k, pa mod tile_a] }": where the product
 * finds its element.
 */
static __isl_give isl_multi_pw_aff *buffer_index(struct operand *o,
	const struct poly_array *buffer)
{
	isl_space *point = poly_point_of_tile(o->op);
	isl_aff_list *list = isl_aff_list_alloc(o->prog->ctx, 3);
	const struct poly_kernel *k = o->kernel;
	isl_map *back = isl_map_reverse(isl_map_from_multi_aff(
		isl_multi_aff_copy(o->point->at)));
	isl_multi_aff *index;

	if (k->stages > 1)
		list = isl_aff_list_add(list, poly_modulo(poly_floor(
			poly_at(point, "pk"), k->tile_k), k->stages));
	for (int d = 0; d < 2; d++) {
		bool step = (d == 1) == o->steps;
		int n = step ? o->rows : o->columns;

		list = isl_aff_list_add(list, n == 1 ? poly_number(point, 0) :
			poly_modulo(step ? poly_at(point, "pk") :
				poly_at(point, "p%d", axis_of(o)), n));
	}
	index = poly_function(point, buffer->name, list);
	isl_space_free(point);
	return isl_multi_pw_aff_pullback_pw_multi_aff(
		isl_multi_pw_aff_from_multi_aff(index),
		isl_pw_multi_aff_from_map(back));
}

/* "NAME[t0, t1, tk, .., r, c]": an element that a tile of "op" copies. */
static __isl_give isl_space *element_tuple(const struct poly_stmt *op,
	const char *name)
{
	return poly_add_dim(poly_add_dim(poly_tile_tuple(op, name), "r"), "c");
}

/* "{ COPY[t0, t1, tk, r, c] -> [p0, p1, pk] }" for the copied element; the
 * other axis of the tile plays no part.
 */
static __isl_give isl_multi_aff *element_point(struct operand *o,
	const char *name)
{
	isl_space *element = element_tuple(o->op, name);
	int n = (int)isl_space_dim(element, isl_dim_set) - 2;
	isl_aff_list *list = isl_aff_list_alloc(o->prog->ctx, n);
	const struct poly_kernel *k = o->kernel;
	isl_multi_aff *point;

	for (int d = 0; d < 2; d++) {
		isl_aff *first = poly_times(poly_at(element, "t%d", d),
			k->tile[d]);

		list = isl_aff_list_add(list, d != axis_of(o) ? first :
			isl_aff_add(first, poly_at(element,
				o->steps ? "r" : "c")));
	}
	list = isl_aff_list_add(list, isl_aff_add(
		poly_times(poly_at(element, "tk"), k->tile_k),
		poly_at(element, o->steps ? "c" : "r")));
	list = poly_add_at(list, element, 3, n);
	point = poly_function(element, NULL, list);
	isl_space_free(element);
	return point;
}

/* "index", a function of the product's point, as one of the element copied. */
static __isl_give isl_multi_pw_aff *element_index(struct operand *o,
	const char *name)
{
	isl_multi_aff *instance = isl_multi_aff_pullback_multi_aff(
		isl_multi_aff_copy(o->point->at), element_point(o, name));

	return isl_multi_pw_aff_pullback_multi_aff(
		isl_multi_pw_aff_copy(o->leaf->index), instance);
}

/* "{ NAME[t0, t1, tk, .., r, c] -> COPY[t0, t1, tk, ..] }" */
static __isl_give isl_map *tile_of_element(const struct poly_stmt *copy,
	const char *name)
{
	isl_space *element = element_tuple(copy, name);
	int n = (int)isl_space_dim(element, isl_dim_set) - 2;

	return poly_function_map(element, copy->name, poly_add_at(
		isl_aff_list_alloc(isl_set_get_ctx(copy->domain), n), element,
		0, n));
}

/* The set of elements that "copy" copies: its box for each of its tiles. */
static __isl_give isl_set *element_domain(struct operand *o, const char *name,
	struct poly_stmt *copy)
{
	isl_space *element = element_tuple(copy, name);
	isl_set *box = isl_set_universe(isl_space_copy(element));
	isl_map *tile;
	isl_set *domain;
	isl_size n;

	box = poly_between(box, poly_at(element, "r"),
		o->steps ? o->columns : o->rows);
	box = poly_between(box, poly_at(element, "c"),
		o->steps ? o->rows : o->columns);
	isl_space_free(element);
	tile = isl_map_intersect_domain(tile_of_element(copy, name), box);
	domain = isl_set_apply(isl_set_copy(copy->domain),
		isl_map_reverse(tile));
	n = isl_set_dim(copy->domain, isl_dim_set);
	for (isl_size i = 0; i < n; i++)
		domain = isl_set_set_dim_name(domain, isl_dim_set, i,
			isl_set_get_dim_name(copy->domain, isl_dim_set, i));
	return domain;
}

/* "{ NAME[.., r, c] -> BUFFER[tk mod 3, r, c] }" */
static __isl_give isl_multi_pw_aff *element_place(const struct operand *o,
	const struct poly_stmt *copy, const struct poly_array *buffer,
	const char *name)
{
	isl_space *element = element_tuple(copy, name);
	isl_aff_list *list = isl_aff_list_alloc(o->prog->ctx, 3);
	isl_multi_aff *place;

	if (o->kernel->stages > 1)
		list = isl_aff_list_add(list, poly_modulo(
			poly_at(element, "tk"), o->kernel->stages));
	list = isl_aff_list_add(list, poly_at(element, "r"));
	list = isl_aff_list_add(list, poly_at(element, "c"));
	place = poly_function(element, buffer->name, list);
	isl_space_free(element);
	return isl_multi_pw_aff_from_multi_aff(place);
}

/* The point statement "BUFFER[r, c] = array[..]" of "copy". */
static isl_stat add_element(struct operand *o, struct poly_stmt *copy,
	struct poly_array *buffer)
{
	char *name = poly_unique_name(o->prog, copy->name, "element");
	struct poly_stmt *element;

	if (!name)
		return isl_stat_error;
	element = poly_prog_add_stmt(o->prog, name, POLY_POINT,
		element_domain(o, name, copy));
	if (element) {
		element->loc = o->point->loc;
		poly_stmt_set_write(element, buffer,
			element_place(o, copy, buffer, name), POLY_OP_NONE,
			poly_expr_access(o->leaf->array,
				element_index(o, name)));
		poly_tile_add_member(copy, element,
			tile_of_element(copy, name));
	}
	free(name);
	return element && copy->contraction ? isl_stat_ok : isl_stat_error;
}

/* Make the buffer and the copy of operand "which". */
static struct poly_stmt *add_copy(struct operand *o, int which)
{
	struct poly_array *buffer = add_buffer(o);
	char *name = poly_unique_name(o->prog, o->leaf->array->name, "copy");
	struct poly_stmt *copy = NULL;

	if (buffer && name)
		copy = poly_prog_add_stmt(o->prog, name, POLY_COPY,
			isl_set_set_tuple_name(isl_set_copy(o->op->domain),
				name));
	free(name);
	if (!copy)
		return NULL;
	copy->loc = o->point->loc;
	copy->fill = 0;
	copy->coalesce = o->transposes ? 0 : 1;
	copy->contraction = isl_union_map_empty(
		isl_set_get_space(o->prog->context));
	o->op->operand[which] = buffer;
	o->op->operand_index[which] = buffer_index(o, buffer);
	return add_element(o, copy, buffer) < 0 ? NULL : copy;
}

/* The buffer of an earlier read of "op" that reads what read "i" does; -1 if
 * there is none.
 */
static int same_read(const struct poly_stmt *op,
	struct poly_expr *leaf[POLY_MAX_OPERAND], int i)
{
	for (int k = 0; k < i; k++)
		if (op->operand[k] && leaf[k]->array == leaf[i]->array &&
		    isl_multi_pw_aff_plain_is_equal(leaf[k]->index,
			leaf[i]->index) == isl_bool_true)
			return k;
	return -1;
}

/* Let read "i" of "o" find what has been copied for the first product of its loop, if that
 * reads the same.
 */
static bool find_in_loop(struct operand *o, int i)
{
	const struct poly_stmt *first = o->op->with;
	int read = first ? poly_find_read(o->point, o->leaf, first->member[0]) : -1;

	if (read < 0 || read >= POLY_MAX_OPERAND || !first->operand[read])
		return false;
	o->op->operand[i] = first->operand[read];
	o->op->operand_index[i] = buffer_index(o, first->operand[read]);
	return true;
}

/* Pairs of a point of the product and what writes an element that its tile
 * would copy, whether it is read or not: "{ writer -> D[..] }".
 */
static __isl_give isl_union_map *writers_of_copies(struct operand *o)
{
	isl_map *cell = isl_map_from_multi_pw_aff(element_index(o, "element"));
	isl_union_map *tile = isl_union_map_from_map(
		tile_of_element(o->op, "element"));
	isl_union_map *pairs;

	cell = isl_map_intersect_domain(cell,
		element_domain(o, "element", o->op));
	pairs = isl_union_map_apply_range(poly_writes(o->prog),
		isl_union_map_reverse(isl_union_map_from_map(cell)));
	pairs = isl_union_map_apply_range(pairs, tile);
	return isl_union_map_apply_range(pairs, isl_union_map_reverse(
		isl_union_map_copy(o->op->contraction)));
}

/* Is all that a copy of the operand reads written before? A tile has elements
 * that no point of the product reads, which another kernel may write meanwhile.
 * In an order of the text, a copy depends on what its points read alone.
 */
static isl_bool is_ready(struct operand *o)
{
	if (o->prog->original || !poly_any_writes(o->prog->stmt, o->prog->n_stmt,
			o->leaf->array))
		return isl_bool_true;
	return poly_are_ordered(o->prog, writers_of_copies(o));
}

/* The companions that are being made. */
struct companions {
	struct poly_companion *c;
	int n;
};

/* Stage what the CONTRACT "op" reads by copies before it. */
static isl_stat stage(struct poly_prog *prog,
	const struct poly_kernel *kernel, struct poly_stmt *op,
	struct companions *all)
{
	struct operand o = { .prog = prog, .kernel = kernel, .op = op,
		.point = op->member[0] };
	struct poly_expr *leaf[POLY_MAX_OPERAND];
	int n = poly_leaves(o.point, leaf), same;
	isl_bool ready;

	for (int i = 0; i < n && i < POLY_MAX_OPERAND; i++) {
		o.leaf = leaf[i];
		o.moves = poly_leaf_moves(leaf[i], o.point->at);
		if (!poly_is_shared_leaf(leaf[i], o.moves))
			continue;
		same = same_read(op, leaf, i);
		if (same >= 0) {
			op->operand[i] = op->operand[same];
			op->operand_index[i] = isl_multi_pw_aff_copy(
				op->operand_index[same]);
			continue;
		}
		set_box(&o);
		if (find_in_loop(&o, i))
			continue;
		ready = is_ready(&o);
		if (ready < 0)
			return isl_stat_error;
		if (!ready)
			continue;
		all->c[all->n] = (struct poly_companion){ add_copy(&o, i), op,
			false };
		if (!all->c[all->n++].stmt)
			return isl_stat_error;
	}
	op->full = poly_runs_full(prog, kernel, op);
	return isl_stat_ok;
}

/* Stage what the products of "kernel" read. */
static isl_stat stage_kernel(struct poly_prog *prog,
	const struct poly_kernel *kernel, struct companions *all)
{
	isl_union_set *domain = poly_kernel_domain(prog, kernel);
	int n;
	struct poly_stmt **op = poly_stmts_of(prog, domain, &n);
	isl_stat ok = op ? isl_stat_ok : isl_stat_error;

	isl_union_set_free(domain);
	for (int i = 0; i < n && ok == isl_stat_ok; i++)
		if (op[i]->kind == POLY_CONTRACT)
			ok = stage(prog, kernel, op[i], all);
	free(op);
	return ok;
}

/* Stage what every CONTRACT reads through shared memory.
 *
 * requires registers, before pipeline; establishes shared and new deps
 */
isl_stat poly_promote_shared(struct poly_prog *prog)
{
	struct companions all = { calloc(POLY_MAX_OPERAND * prog->n_stmt + 1,
		sizeof(*all.c)), 0 };
	isl_stat ok = all.c ? isl_stat_ok : isl_stat_error;

	for (int i = 0; i < prog->n_kernel && ok == isl_stat_ok; i++)
		ok = stage_kernel(prog, prog->kernel[i], &all);
	if (ok == isl_stat_ok && all.n)
		ok = poly_tree_insert(prog, all.c, all.n);
	free(all.c);
	if (ok < 0)
		return poly_isl_error(prog, "promote_shared");
	return prog->original || !all.n ? isl_stat_ok : poly_deps_again(prog);
}
