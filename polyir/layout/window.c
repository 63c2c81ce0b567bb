/* Windows that slide over an array, as boxes see them.
 *
 * The points of a product may be the pixels of what it writes, and what it reads of a
 * pixel's window has its place there and the step's place in the window:
 *
 *	Y(b,i,j,k) += X(b, 2 i + p - 1, 2 j + q - 1, c) * F(k,p,q,c)
 *
 * At one step (p, q, c) pixels side by side have elements of X that lie in rows and columns
 * at the same distances. So what copies boxes can walk over them, from one row, or image,
 * to the next (bulk.c), if all loops of the pixels are one, all steps are another, and no
 * tile of steps has several places of the window: if these have whole swizzled rows.
 */
#include <isl/ilp.h>
#include <isl/space.h>
#include <isl/val.h>

#include "polyir/base/base.h"
#include "polyir/ir/ir.h"
#include "polyir/sets/sets.h"
#include "polyir/layout/layout.h"

/* Bytes of a swizzled row. */
enum { ROW_BYTES = 128 };

/* Does the target have a unit for "stmt" whose operands come in boxes? */
static bool has_boxes(const struct poly_prog *prog, const struct poly_stmt *stmt,
	__isl_keep isl_multi_aff *at)
{
	bool has = false;

	for (int u = 1; u < POLY_N_UNIT; u++)
		has |= poly_unit_is_async(u) && prog->target.units >> u & 1 &&
			poly_unit_may_add(prog->fp, u) &&
			poly_unit_does(u, stmt, at);
	return has && prog->target.bulk;
}

/* Has "index", at points, as its entry "d" a multiple of loop "x[d]" and something that no
 * loop "x" has a part in? The first one is that loop itself.
 */
static bool slides(__isl_keep isl_multi_pw_aff *index, int d, const int *x, int n)
{
	isl_pw_aff *pa = isl_multi_pw_aff_get_at(index, d);
	bool is = isl_pw_aff_isa_aff(pa) == isl_bool_true;
	isl_aff *aff = is ? isl_pw_aff_as_aff(isl_pw_aff_copy(pa)) : NULL;
	isl_val *by = is ? isl_aff_get_coefficient_val(aff, isl_dim_in, x[d]) : NULL;

	is = is && isl_val_is_int(by) == isl_bool_true &&
		isl_val_cmp_si(by, 1) >= 0 &&
		isl_val_cmp_si(by, d ? POLY_MOST_BOX_STEP : 1) <= 0;
	if (is)
		aff = isl_aff_set_coefficient_si(aff, isl_dim_in, x[d], 0);
	for (int i = 0; i < n && is; i++)
		is = isl_aff_involves_dims(aff, isl_dim_in, x[i], 1) ==
			isl_bool_false;
	is = is && (d || isl_aff_plain_is_zero(aff) == isl_bool_true);
	isl_val_free(by);
	isl_aff_free(aff);
	isl_pw_aff_free(pa);
	return is;
}

/* Do windows of "array", read at "index", slide along the loops "x", and go the steps, of
 * dimension "k", along its rows?
 */
static bool has_windows(struct poly_prog *prog, const struct poly_array *array,
	__isl_keep isl_multi_pw_aff *index, const int *x, int n, int k)
{
	int size = poly_type_size(array->type), last = array->n_dim - 1;
	isl_pw_aff *steps;
	bool is = array->space == POLY_GLOBAL && !array->stride && n == last && n > 1 &&
		array->n_dim <= POLY_MOST_BOX_DIM &&
		poly_row_align(prog, array) == POLY_RUN_BYTES;

	for (int d = 0; d <= last && is; d++)
		is = poly_fixed_extent(prog, array, d) > 0;
	is = is && poly_fixed_extent(prog, array, last) * size % ROW_BYTES == 0;
	for (int d = 0; d < n && is; d++)
		is = slides(index, d, x, n);
	steps = isl_multi_pw_aff_get_at(index, last);
	is = is && isl_pw_aff_involves_dims(steps, isl_dim_in, k, 1) == isl_bool_true;
	isl_pw_aff_free(steps);
	return is;
}

bool poly_leaf_slides(struct poly_prog *prog, const struct poly_stmt *stmt,
	const struct poly_expr *leaf, const int *x, int n)
{
	isl_multi_pw_aff *index = isl_multi_pw_aff_pullback_multi_aff(
		isl_multi_pw_aff_copy(leaf->index), isl_multi_aff_copy(stmt->at));
	bool slide = has_boxes(prog, stmt, stmt->at) &&
		has_windows(prog, leaf->array, index, x, n, 2);

	isl_multi_pw_aff_free(index);
	return slide;
}

/* The dimension of "stmt" that entry "d" of "index" moves with and what it writes, too;
 * -1: there is none, or there are several.
 */
static int parallel_at(const struct poly_stmt *stmt, __isl_keep isl_multi_pw_aff *index,
	int d)
{
	isl_pw_aff *at = isl_multi_pw_aff_get_at(index, d);
	int n = isl_set_dim(stmt->domain, isl_dim_set), found = -1;

	for (int x = 0; x < n && found > -2; x++)
		if (isl_pw_aff_involves_dims(at, isl_dim_in, x, 1) == isl_bool_true &&
		    isl_multi_pw_aff_involves_dims(stmt->write_index, isl_dim_in, x,
		    1) == isl_bool_true)
			found = found < 0 ? x : -2;
	isl_pw_aff_free(at);
	return found < 0 ? -1 : found;
}

/* Are the first "n" entries of "index" the loops "x" alone? Then no window slides: what they
 * go along is a line.
 */
static bool is_line(__isl_keep isl_multi_pw_aff *index, const int *x, int n)
{
	bool is = true;

	for (int d = 0; d < n && is; d++) {
		isl_pw_aff *at = isl_multi_pw_aff_get_at(index, d);
		isl_pw_aff *own = isl_pw_aff_from_aff(isl_aff_var_on_domain(
			isl_local_space_from_space(isl_pw_aff_get_domain_space(at)),
			isl_dim_set, x[d]));

		is = isl_pw_aff_plain_is_equal(at, own) == isl_bool_true;
		isl_pw_aff_free(at);
		isl_pw_aff_free(own);
	}
	return is;
}

bool poly_windows_slide(struct poly_prog *prog, const struct poly_stmt *stmt,
	__isl_keep isl_multi_aff *at, int k)
{
	struct poly_expr *leaf[POLY_MAX_OPERAND];
	int n = poly_leaves(stmt, leaf);
	bool any = false;

	for (int i = 0; i < n && i < POLY_MAX_OPERAND && !any; i++) {
		const struct poly_array *array = leaf[i]->array;
		int x[POLY_MOST_BOX_DIM], last = array->n_dim - 1;
		bool all = last > 1 && last < POLY_MOST_BOX_DIM;

		for (int d = 0; d < last && all; d++) {
			x[d] = parallel_at(stmt, leaf[i]->index, d);
			all = x[d] >= 0;
		}
		any = all && !is_line(leaf[i]->index, x, last) &&
			has_windows(prog, array, leaf[i]->index, x, last, k);
	}
	return any && has_boxes(prog, stmt, at);
}

/* ------------------------------------------------- boxes that walk over pixels */

/* What a copy of boxes asks of its elements "box": where they are in the array. */
struct walk {
	const struct poly_array *from;
	__isl_keep isl_multi_pw_aff *index;
	__isl_keep isl_set *box;
	int column;
};

/* "index" of all elements where tiles have no place, as at the first pixel: in tile 0 of
 * both axes, in the first row and column.
 */
static __isl_give isl_pw_aff *at_first(const struct walk *w, __isl_take isl_pw_aff *index)
{
	const int none[4] = { 0, 1, w->column - 1, w->column };
	isl_space *space = isl_set_get_space(w->box);
	isl_aff *zero = isl_aff_zero_on_domain(isl_local_space_from_space(
		isl_space_copy(space)));
	isl_multi_aff *first = isl_multi_aff_identity_on_domain_space(space);

	for (int i = 0; i < 4; i++)
		first = isl_multi_aff_set_aff(first, none[i], isl_aff_copy(zero));
	isl_aff_free(zero);
	return isl_pw_aff_pullback_multi_aff(index, first);
}

/* The least or the greatest value of "at" in "set", or "none" if that is no number of
 * ordinary size.
 */
static int bound_of(__isl_keep isl_pw_aff *at, __isl_take isl_set *set, bool most,
	int none)
{
	enum { HUGE_BOUND = 1 << 28 };
	isl_pw_aff *in = isl_pw_aff_intersect_domain(isl_pw_aff_copy(at), set);
	isl_val *v = most ? isl_pw_aff_max_val(in) : isl_pw_aff_min_val(in);
	int n = none;

	if (isl_val_is_int(v) == isl_bool_true && isl_val_cmp_si(v, HUGE_BOUND) < 0 &&
	    isl_val_cmp_si(v, -HUGE_BOUND) > 0)
		n = (int)isl_val_get_num_si(v);
	isl_val_free(v);
	return n;
}

/* Is "at", which is taken, 0 for all elements? */
static bool is_nothing(const struct walk *w, __isl_take isl_pw_aff *at)
{
	isl_set *zero = isl_pw_aff_zero_set(at);
	bool is = isl_set_is_subset(w->box, zero) == isl_bool_true;

	isl_set_free(zero);
	return is;
}

/* "at", which is taken, divided by "n". */
static __isl_give isl_pw_aff *divide(__isl_take isl_pw_aff *at, int n)
{
	isl_ctx *ctx = isl_pw_aff_get_ctx(at);

	return isl_pw_aff_floor(isl_pw_aff_scale_down_val(at,
		isl_val_int_from_si(ctx, n)));
}

static __isl_give isl_pw_aff *times(__isl_take isl_pw_aff *at, int n)
{
	isl_ctx *ctx = isl_pw_aff_get_ctx(at);

	return isl_pw_aff_scale_val(at, isl_val_int_from_si(ctx, n));
}

/* Find how the boxes walk along dimension "d" of the array, and where that begins in each
 * step. Returns which of the pixels along it an element belongs to; NULL if boxes do not.
 */
static __isl_give isl_pw_aff *walk_along(const struct walk *w, int d,
	struct poly_boxes *b)
{
	isl_pw_aff *at = isl_multi_pw_aff_get_at(w->index, d), *pixel;
	isl_pw_aff *begin = at_first(w, isl_pw_aff_copy(at));
	isl_pw_aff *rest = isl_pw_aff_sub(isl_pw_aff_copy(at),
		isl_pw_aff_copy(begin));
	isl_set *more = isl_set_intersect(isl_set_copy(w->box),
		isl_pw_aff_pos_set(isl_pw_aff_copy(rest)));
	int far = bound_of(rest, isl_set_copy(w->box), true, -1);
	int low = bound_of(begin, isl_set_copy(w->box), false, INT32_MIN);
	int high = bound_of(begin, isl_set_copy(w->box), true, INT32_MAX);
	int step = bound_of(rest, more, false, 1);
	bool is = far >= 0 && low > INT32_MIN && high < INT32_MAX && step > 0 &&
		far % step == 0 && step <= POLY_MOST_BOX_STEP;

	isl_pw_aff_free(at);
	b->step[d] = step;
	b->low[d] = low;
	b->count[d] = is ? far / step + 1 : 0;
	b->reach[d] = is ? high - low : 0;
	b->begin[d] = begin;
	pixel = is ? divide(isl_pw_aff_copy(rest), step) : NULL;
	is = is && is_nothing(w, isl_pw_aff_sub(times(isl_pw_aff_copy(pixel), step),
		isl_pw_aff_copy(rest))) && is_nothing(w, divide(isl_pw_aff_copy(pixel),
		b->count[d]));
	isl_pw_aff_free(rest);
	if (is)
		return pixel;
	isl_pw_aff_free(pixel);
	return NULL;
}

/* Do the numbers of "b", of boxes of an array with "n_dim" dimensions, fit into a map and
 * its copies? The corners have few bits each, the more dimensions the fewer.
 */
static bool fits(struct poly_prog *prog, const struct poly_array *from,
	const struct poly_boxes *b)
{
	static const int bits[] = { [3] = 16, [4] = 8, [5] = 4 };
	int n_dim = from->n_dim, most = 1 << (bits[n_dim] - 1);
	bool fit = true;

	for (int d = 1; d < n_dim - 1; d++) {
		int64_t end = b->low[d] + (int64_t)b->step[d] * (b->count[d] - 1) -
			poly_fixed_extent(prog, from, d) + 1;

		fit &= b->low[d] >= -most && b->low[d] < most && end >= -most &&
			end < most && b->reach[d] < 2 * most;
	}
	return fit;
}

bool poly_boxes_slide(struct poly_prog *prog, const struct poly_array *from,
	__isl_keep isl_multi_pw_aff *index, __isl_keep isl_set *box,
	struct poly_boxes *b)
{
	struct walk w = { from, index, box, (int)isl_set_dim(box, isl_dim_set) - 1 };
	isl_pw_aff *number = NULL;
	bool is = from->n_dim >= 3 && from->n_dim <= POLY_MOST_BOX_DIM && !from->stride;

	for (int d = 0; d < from->n_dim && is; d++)
		is = poly_fixed_extent(prog, from, d) > 0;
	if (is)
		number = isl_multi_pw_aff_get_at(index, 0);
	for (int d = 1; d < from->n_dim - 1 && is; d++) {
		isl_pw_aff *pixel = walk_along(&w, d, b);

		is = pixel != NULL;
		if (is)
			number = isl_pw_aff_add(times(number, b->count[d]), pixel);
	}
	if (is) {
		isl_aff *row = isl_aff_var_on_domain(isl_local_space_from_space(
			isl_set_get_space(box)), isl_dim_set, w.column - 1);
		isl_multi_aff *first = isl_multi_aff_identity_on_domain_space(
			isl_set_get_space(box));

		first = isl_multi_aff_set_aff(first, w.column - 1, isl_aff_sub(
			isl_aff_copy(row), isl_aff_copy(row)));
		is = is_nothing(&w, isl_pw_aff_sub(isl_pw_aff_sub(isl_pw_aff_copy(
			number), isl_pw_aff_pullback_multi_aff(isl_pw_aff_copy(
			number), first)), isl_pw_aff_from_aff(row))) &&
			fits(prog, from, b);
	}
	isl_pw_aff_free(number);
	b->slide = is;
	b->line = is ? from->n_dim - 2 : -1;
	b->across = is ? from->n_dim - 2 : -1;
	return is;
}

void poly_boxes_free(struct poly_boxes *b)
{
	for (int d = 0; d < POLY_MOST_BOX_DIM; d++)
		isl_pw_aff_free(b->begin[d]);
}
