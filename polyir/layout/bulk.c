/* Which asynchronous copies can be done in bulk: whole rows at once, or whole boxes.
 *
 * A copy in bulk moves the rows of its tile, each by one instruction that knows
 * nothing of the array's ends. So each row of the buffer must be a run of
 * elements that lie side by side in the array, inside of it for all tiles, and
 * rows must begin and end at multiples of 16 bytes on both sides:
 *
 *	{ B_copy_element[t0, t1, tk, r, c] -> B[32 tk + r, 128 t1 + c] }
 *		with B[2048, 2048]: rows of 128 elements
 *		with B[2050, 2048]: not all inside
 *		with B[2048, 2050]: rows begin anywhere
 *
 * Into swizzled buffers whole boxes are moved, of 128 bytes along rows of the array and
 * as many rows of the buffer as there are, along one other dimension. What moves them
 * knows where the array ends, and writes zeros instead of what lies outside. So nothing
 * else may be left out:
 *
 *	{ B_copy_element[t0, t1, tk, r, c] -> B[64 tk + r, 128 t1 + c] }
 *		with B[2050, 2050]: the first rows of the last tile lie inside
 *		for 64 tk + r < 2040 alone: but so do these, which are not to be copied
 *
 * Dimensions of the array that lie in memory as one are one: pixels of an image
 *
 *	{ X_copy_element[t0, t1, tk, r, c] -> X[p / 196, p / 14 mod 14, p mod 14, 64 tk + c] }
 *		with p = 128 t0 + r, of X[32, 14, 14, 256]
 *
 * Boxes may walk over pixels (window.c), with windows that begin in front of the array, or
 * end behind it: zeros are written instead of what is not there.
 *
 * Whoever waits for a copy in bulk counts how often its slot was filled: the tile
 * tk is the (tk / stages)th one in its slot, if a block has the tiles 0, 1, 2, ..
 * and each of them once.
 */
#include <isl/ilp.h>
#include <isl/space.h>

#include "polyir/ir/ir.h"
#include "polyir/sets/sets.h"
#include "polyir/layout/layout.h"

/* A copy's member, the elements of its buffer's rows, for all tiles. */
struct rows {
	struct poly_prog *prog;
	const struct poly_stmt *element;
	const struct poly_array *from, *to;
	__isl_keep isl_multi_pw_aff *index;	/* into "from" */
	isl_set *box;
	int column;				/* dimension of "box" */
	int size[2];
};

/* The extent of the buffer in its last dimension but "d". */
static int extent(const struct poly_array *a, int d)
{
	isl_pw_aff *n = isl_multi_pw_aff_get_at(a->extent, a->n_dim - 1 - d);
	isl_val *most = isl_pw_aff_max_val(n);
	int size = isl_val_is_int(most) == isl_bool_true ?
		(int)isl_val_get_num_si(most) : 0;

	isl_val_free(most);
	return size;
}

/* All elements of the buffer's rows, for all tiles of "copy". */
static __isl_give isl_set *whole_box(const struct rows *r,
	const struct poly_stmt *copy)
{
	isl_set *box = isl_set_add_dims(isl_set_copy(copy->domain),
		isl_dim_set, 2);

	box = isl_set_set_tuple_id(box,
		isl_set_get_tuple_id(r->element->domain));
	for (int d = 0; d < 2; d++) {
		box = isl_set_lower_bound_si(box, isl_dim_set, r->column - d,
			0);
		box = isl_set_upper_bound_si(box, isl_dim_set, r->column - d,
			r->size[d] - 1);
	}
	return isl_set_intersect_params(box, poly_known_sizes(r->prog));
}

/* Are all elements copied, each from inside of the array? */
static bool is_inside(const struct rows *r)
{
	isl_set *good = isl_set_preimage_multi_pw_aff(
		poly_array_box(r->from, 0),
		isl_multi_pw_aff_copy(r->index));
	bool is;

	good = isl_set_intersect(good, isl_set_copy(r->element->domain));
	is = isl_set_is_subset(r->box, good) == isl_bool_true;
	isl_set_free(good);
	return is;
}

/* "{ ELEMENT[.., r, c] -> ELEMENT[.., r, 0] }" for "column", or another dimension. */
static __isl_give isl_multi_aff *begin_of(const struct rows *r, int dim)
{
	isl_space *space = isl_set_get_space(r->box);
	isl_aff *zero = isl_aff_zero_on_domain(isl_local_space_from_space(
		isl_space_copy(space)));

	return isl_multi_aff_set_aff(isl_multi_aff_identity_on_domain_space(
		space), dim, zero);
}

/* The elements of which the index "d" is that of their row's first one, and, along
 * rows of the array, as many more as they are behind it, where these begin at
 * multiples of "n".
 */
static __isl_give isl_set *in_row(const struct rows *r, int d, int n)
{
	isl_pw_aff *at = isl_multi_pw_aff_get_at(r->index, d);
	isl_pw_aff *first = isl_pw_aff_pullback_multi_aff(
		isl_pw_aff_copy(at), begin_of(r, r->column));
	isl_set *aligned;

	if (d != poly_row_dim(r->prog, r->from))
		return isl_pw_aff_eq_set(at, first);
	aligned = isl_pw_aff_zero_set(isl_pw_aff_mod_val(
		isl_pw_aff_copy(first), isl_val_int_from_si(r->prog->ctx, n)));
	first = isl_pw_aff_add(first, isl_pw_aff_from_aff(
		isl_aff_var_on_domain(isl_local_space_from_space(
		isl_set_get_space(r->box)), isl_dim_set, r->column)));
	return isl_set_intersect(isl_pw_aff_eq_set(at, first), aligned);
}

/* Does each row of the buffer go along one of the array? */
static bool goes_along(const struct rows *r)
{
	isl_set *good = isl_set_copy(r->box);
	bool is;

	for (int d = 0; d < r->from->n_dim; d++)
		good = isl_set_intersect(good, in_row(r, d,
			POLY_RUN_BYTES / poly_type_size(r->from->type)));
	is = isl_set_is_subset(r->box, good) == isl_bool_true;
	isl_set_free(good);
	return is;
}

/* Are rows whole runs of 16 bytes, in the buffer and in the array? */
static bool is_aligned(const struct rows *r)
{
	int size = poly_type_size(r->to->type);

	return r->size[0] > 0 && r->size[1] > 0 &&
		r->size[0] * size % POLY_RUN_BYTES == 0 &&
		r->to->row_pad * size % POLY_RUN_BYTES == 0 &&
		poly_row_align(r->prog, r->from) == POLY_RUN_BYTES;
}

/* Describe the rows of "copy", which whoever gets true frees; false if it has none. */
static bool begin_rows(struct rows *r, struct poly_prog *prog,
	const struct poly_stmt *copy)
{
	const struct poly_stmt *element = copy->member[0];

	*r = (struct rows){ .prog = prog, .element = element,
		.to = element->write_array };
	if (element->rhs->op != POLY_OP_ACCESS || copy->coalesce != 1 ||
	    r->to->n_dim != 3)
		return false;
	r->from = element->rhs->array;
	r->index = element->rhs->index;
	r->column = isl_set_dim(copy->domain, isl_dim_set) + 1;
	if (r->from->space != POLY_GLOBAL || r->from->type != r->to->type ||
	    r->from->n_dim < 1 ||
	    isl_set_dim(element->domain, isl_dim_set) != r->column + 1)
		return false;
	for (int d = 0; d < 2; d++)
		r->size[d] = extent(r->to, d);
	if (!is_aligned(r))
		return false;
	r->box = whole_box(r, copy);
	return true;
}

/* Are the elements of the boxes that lie inside of the array those that are copied? */
static bool has_all_inside(const struct rows *r)
{
	isl_set *inside = isl_set_preimage_multi_pw_aff(
		poly_array_box(r->from, 0), isl_multi_pw_aff_copy(r->index));
	bool has;

	inside = isl_set_intersect(inside, isl_set_copy(r->box));
	has = isl_set_is_subset(inside, r->element->domain) == isl_bool_true;
	isl_set_free(inside);
	return has;
}

/* By how much "at", which is taken, of an element is beyond that of the first row: 0 or,
 * with "rows", the number of its row.
 */
static bool grows(const struct rows *r, __isl_take isl_pw_aff *at, bool rows)
{
	isl_pw_aff *first = isl_pw_aff_pullback_multi_aff(isl_pw_aff_copy(at),
		begin_of(r, r->column - 1));
	isl_set *good;
	bool is;

	if (rows)
		first = isl_pw_aff_add(first, isl_pw_aff_from_aff(
			isl_aff_var_on_domain(isl_local_space_from_space(
			isl_set_get_space(r->box)), isl_dim_set,
			r->column - 1)));
	good = isl_pw_aff_eq_set(at, first);
	is = isl_set_is_subset(r->box, good) == isl_bool_true;
	isl_set_free(good);
	return is;
}

/* The index "d" of an element. */
static __isl_give isl_pw_aff *index_at(const struct rows *r, int d)
{
	return isl_multi_pw_aff_get_at(r->index, d);
}

/* Is the index "d" of all elements below "n", and not negative? */
static bool is_within(const struct rows *r, int d, int64_t n)
{
	isl_ctx *ctx = r->prog->ctx;
	isl_pw_aff *at = isl_pw_aff_floor(isl_pw_aff_scale_down_val(
		index_at(r, d), isl_val_int_from_si(ctx, n)));
	isl_set *good = isl_pw_aff_zero_set(at);
	bool is = isl_set_is_subset(r->box, good) == isl_bool_true;

	isl_set_free(good);
	return is;
}

/* Do the dimensions "line" to "across" of the array lie in memory as one, of which each
 * row of the buffer has the next element? Then whatever is outside of the array is outside of
 * the first of them.
 */
static bool is_line(const struct rows *r, int line, int across)
{
	isl_pw_aff *at = index_at(r, line);
	int64_t all = poly_fixed_extent(r->prog, r->from, line);
	bool is = line == across || (all > 0 && !r->from->stride);

	for (int d = line + 1; d <= across && is; d++) {
		int64_t n = poly_fixed_extent(r->prog, r->from, d);

		is = n > 0 && all < INT32_MAX / n && is_within(r, d, n);
		all *= n;
		at = isl_pw_aff_add(isl_pw_aff_scale_val(at,
			isl_val_int_from_si(r->prog->ctx, n)), index_at(r, d));
	}
	return grows(r, at, true) && is;
}

/* The dimension of the array along which boxes have rows, if that is the only one but for
 * the last; else -1. Several that lie in memory as one, from "*line" on, are one.
 */
static int rows_along(const struct rows *r, int *line)
{
	int across = -1;

	*line = -1;
	for (int d = 0; d < r->from->n_dim; d++) {
		if (grows(r, index_at(r, d), false))
			continue;
		across = d;
		*line = *line < 0 ? d : *line;
	}
	return across >= 0 && across < r->from->n_dim - 1 &&
		is_line(r, *line, across) ? across : -1;
}

bool poly_boxes_of(struct poly_prog *prog, const struct poly_stmt *copy,
	struct poly_boxes *b)
{
	const struct poly_array *from = copy->member[0]->rhs->array;
	struct rows r;

	*b = (struct poly_boxes){ .line = -1, .across = -1 };
	if (!copy->member[0]->write_array->swizzled || copy->fill ||
	    !begin_rows(&r, prog, copy))
		return false;
	if (r.size[1] <= POLY_MOST_BOX_ROWS && from->n_dim <= POLY_MOST_BOX_DIM &&
	    poly_row_dim(prog, from) == from->n_dim - 1 && goes_along(&r) &&
	    has_all_inside(&r)) {
		b->across = rows_along(&r, &b->line);
		if (b->across < 0)
			poly_boxes_slide(prog, from, r.index, r.box, b);
	}
	isl_set_free(r.box);
	return b->across >= 0;
}

/* Can "copy" move whole rows? */
static bool has_whole_rows(struct poly_prog *prog, const struct poly_stmt *copy)
{
	struct rows r;
	bool has;

	if (!begin_rows(&r, prog, copy))
		return false;
	has = goes_along(&r) && is_inside(&r);
	isl_set_free(r.box);
	return has;
}

bool poly_moves_in_bulk(struct poly_prog *prog, const struct poly_stmt *copy)
{
	struct poly_boxes boxes;
	bool moves;

	if (!copy->member[0]->write_array->swizzled)
		return has_whole_rows(prog, copy);
	moves = poly_boxes_of(prog, copy, &boxes);
	poly_boxes_free(&boxes);
	return moves;
}

bool poly_copies_boxes(const struct poly_stmt *s)
{
	return s->kind == POLY_COPY && s->bulk &&
		s->member[0]->write_array->swizzled;
}

bool poly_boxes_are_of(struct poly_prog *prog, struct poly_prog *like)
{
	for (int i = 0; i < prog->n_stmt; i++) {
		const struct poly_stmt *s = prog->stmt[i];
		const struct poly_array *from, *own;

		if (!poly_copies_boxes(s))
			continue;
		from = s->member[0]->rhs->array;
		own = poly_prog_find_array(like, from->name);
		if (!own || own->n_dim != from->n_dim)
			return false;
	}
	return true;
}

/* Does the tile tk fill slot tk mod their number? */
static bool is_round(const struct poly_stmt *copy)
{
	const struct poly_stmt *element = copy->member[0];
	isl_pw_aff *slot, *tk;
	isl_set *good;
	bool is;

	slot = isl_multi_pw_aff_get_at(element->write_index, 0);
	tk = isl_pw_aff_from_aff(isl_aff_var_on_domain(
		isl_local_space_from_space(isl_set_get_space(element->domain)),
		isl_dim_set, 2));
	tk = isl_pw_aff_mod_val(tk, isl_val_int_from_si(
		isl_set_get_ctx(copy->domain),
		extent(element->write_array, 2)));
	good = isl_pw_aff_eq_set(slot, tk);
	is = isl_set_is_subset(element->domain, good) == isl_bool_true;
	isl_set_free(good);
	return is;
}

bool poly_fills_in_turn(struct poly_prog *prog, const struct poly_stmt *copy)
{
	const struct poly_kernel *k = poly_kernel_of(prog, copy);
	isl_set *all = isl_set_copy(copy->domain), *behind, *before;
	isl_multi_aff *less;
	isl_aff *tk;
	bool in_turn;

	all = isl_set_intersect_params(all, poly_known_sizes(prog));
	behind = isl_set_subtract(isl_set_copy(all), isl_set_fix_si(
		isl_set_copy(all), isl_dim_set, 2, 0));
	less = isl_multi_aff_identity_on_domain_space(isl_set_get_space(all));
	tk = isl_aff_add_constant_si(isl_multi_aff_get_at(less, 2), -1);
	less = isl_multi_aff_set_aff(less, 2, tk);
	before = isl_set_preimage_multi_aff(isl_set_copy(all), less);
	in_turn = k && is_round(copy) && isl_set_dim(all, isl_dim_set) == 3 + k->n_batch +
		poly_kernel_n_host(prog, k) &&
		isl_set_is_subset(behind, before) == isl_bool_true;
	all = isl_set_lower_bound_si(all, isl_dim_set, 2, 0);
	in_turn = in_turn && isl_set_is_subset(behind, all) == isl_bool_true;
	isl_set_free(behind);
	isl_set_free(before);
	isl_set_free(all);
	return in_turn;
}
