/* Loops that go along one axis of a product are merged into one.
 *
 * A product of arrays with many dimensions has several loops that move the same
 * operand: rows, columns and steps of a matrix that nobody stores as one.
 *
 *	C(i,j,p,q) += A(i,k,p,l) * B(l,j,k,q)
 *
 *	before: [i, q, l, (batch) j, p, (sum) k]
 *	after:  [P i + p, Q j + q, L k + l]	rows, columns and steps
 *
 * Tiles are cut from whole axes then, not from a loop that may be shorter than
 * a tile, and a sum has one row of tiles through which copies run ahead. What
 * the loops were are floors and remainders of where a point stands, so loops
 * are merged whose extents are constants; a loop that covers many tiles gains
 * nothing and stays as it is, unless it lies in memory as one with others.
 *
 * Points that are no product have loops merged, too (merge_points.c).
 */
#include <stdlib.h>

#include <isl/ilp.h>
#include <isl/space.h>
#include <isl/val.h>

#include "polyir/base/base.h"
#include "polyir/ir/ir.h"
#include "polyir/sets/sets.h"
#include "polyir/layout/layout.h"
#include "polyir/cost/cost.h"
#include "polyir/sums/sums.h"
#include "polyir/map/map.h"
#include "polyir/map/merge.h"

/* Which reads of "stmt" that a tile shares move with its loop "x", a bit each. */
static int reads_with(const struct poly_stmt *stmt, int x)
{
	struct poly_expr *leaf[POLY_MAX_OPERAND];
	int n = poly_leaves(stmt, leaf), with = 0;

	for (int i = 0; i < n && i < POLY_MAX_OPERAND; i++) {
		isl_multi_pw_aff *index;

		if (!poly_is_shared_leaf(leaf[i],
		    poly_leaf_moves(leaf[i], stmt->at)))
			continue;
		index = isl_multi_pw_aff_pullback_multi_aff(
			isl_multi_pw_aff_copy(leaf[i]->index),
			isl_multi_aff_copy(stmt->at));
		if (isl_multi_pw_aff_involves_dims(index, isl_dim_in, x, 1) ==
		    isl_bool_true)
			with |= 1 << i;
		isl_multi_pw_aff_free(index);
	}
	return with;
}

/* The axis whose loop moves the same reads of "stmt" as its loop "x" does; those
 * behind the "n_outer" loops z are of the sum. -1: there is none.
 */
static int axis_of(const struct poly_stmt *stmt, int x, int n_outer)
{
	int with = reads_with(stmt, x);

	if (x >= 3 + n_outer)
		return with == reads_with(stmt, 2) ? 2 : -1;
	for (int d = 0; d < 2; d++)
		if (with == reads_with(stmt, d))
			return d;
	return -1;
}

/* How far inside loop "x" of "stmt" belongs: by the last entry of what is
 * written that moves with it; before all, if a row of what is read does, and
 * before that, if it is read anew for each tile of steps.
 */
static int depth(const struct poly_stmt *stmt, int x)
{
	struct poly_expr *leaf[POLY_MAX_OPERAND];
	int n = poly_leaves(stmt, leaf), deep = -1;
	int anew = reads_with(stmt, 2);
	isl_multi_pw_aff *index = isl_multi_pw_aff_pullback_multi_aff(
		isl_multi_pw_aff_copy(stmt->write_index),
		isl_multi_aff_copy(stmt->at));

	for (int d = 0; d < stmt->write_array->n_dim; d++) {
		isl_pw_aff *pa = isl_multi_pw_aff_get_at(index, d);

		if (isl_pw_aff_involves_dims(pa, isl_dim_in, x, 1) ==
		    isl_bool_true)
			deep = d;
		isl_pw_aff_free(pa);
	}
	isl_multi_pw_aff_free(index);
	for (int i = 0; i < n && i < POLY_MAX_OPERAND; i++)
		if (poly_leaf_goes_along(leaf[i], stmt->at, x, 1))
			deep += anew >> i & 1 ? (POLY_MAX_OPERAND + 1) *
				POLY_MAX_DIM : POLY_MAX_DIM;
	return deep;
}

/* How far loop "x" of statement "i" of "nest" goes, if it runs from 0 on to a
 * constant, else -1; 0: it has no such loop.
 */
static long turns_of(const struct poly_nest *nest, int i, int x)
{
	isl_set *range = isl_set_intersect_params(
		isl_map_range(isl_map_copy(nest->map[i])),
		poly_known_sizes(nest->prog));
	int at = nest->product[i] || x < 2 ? x : x - 1;
	isl_val *least, *most;
	long n = -1;

	if (at >= (int) isl_set_dim(range, isl_dim_set)) {
		isl_set_free(range);
		return 0;
	}
	least = isl_set_dim_min_val(isl_set_copy(range), at);
	most = isl_set_dim_max_val(range, at);
	if (isl_val_is_zero(least) == isl_bool_true &&
	    isl_val_is_int(most) == isl_bool_true &&
	    isl_val_cmp_si(most, INT32_MAX) < 0)
		n = isl_val_get_num_si(most) + 1;
	isl_val_free(least);
	isl_val_free(most);
	return n;
}

/* The turns of loop "x", which all statements of "nest" share, or 0. */
long poly_nest_turns(const struct poly_nest *nest, int x)
{
	long n = 0;

	for (int i = 0; i < nest->n; i++) {
		long own = turns_of(nest, i, x);

		if (own < 0)
			return 0;
		n = own > n ? own : n;
	}
	return n;
}

/* Put loop "x", of "n" turns, into "axis" as number "at". */
void poly_axis_insert(struct poly_axis *axis, int at, int x, long n)
{
	for (int i = axis->n++; i > at; i--) {
		axis->loop[i] = axis->loop[i - 1];
		axis->extent[i] = axis->extent[i - 1];
	}
	axis->loop[at] = x;
	axis->extent[at] = n;
}

/* Put loop "x", of "n" turns, into "axis", in front of the first that is
 * deeper; of the sum, whose order may count, in front of the last one.
 */
static void join(struct poly_axis *axis, const struct poly_stmt *stmt, int x, long n)
{
	int at = axis->n - 1;

	if (axis->loop[at] != 2) {
		while (at >= 0 && depth(stmt, axis->loop[at]) >=
		       depth(stmt, x))
			at--;
		at++;
	}
	poly_axis_insert(axis, at, x, n);
}

static bool has_loop(const struct poly_axis *axis, int x)
{
	for (int i = 0; i < axis->n; i++)
		if (axis->loop[i] == x)
			return true;
	return false;
}

/* Is "x" a loop that became part of an axis that is called otherwise? */
static bool is_gone(const struct poly_axis axis[3], int x)
{
	bool gone = false;

	for (int d = 0; d < 3; d++)
		gone |= x != d && has_loop(&axis[d], x);
	return gone;
}

/* --------------------------------------------------------- the new loops */

/* The value of loop "x" in terms of the new loops y, "loops". */
static __isl_give isl_aff *digit_of(__isl_keep isl_space *loops,
	const struct poly_axis axis[3], int x)
{
	for (int d = 0; d < 3; d++) {
		long inner = 1;
		int i = axis[d].n;
		isl_aff *digit;

		while (--i >= 0 && axis[d].loop[i] != x)
			inner *= axis[d].extent[i];
		if (i < 0)
			continue;
		digit = poly_floor(poly_at(loops, "y%d", d), inner);
		if (i > 0)
			digit = isl_aff_sub(digit, poly_times(poly_floor(
				poly_at(loops, "y%d", d),
				inner * axis[d].extent[i]), axis[d].extent[i]));
		return digit;
	}
	return poly_at(loops, "y%d", x);
}

/* The value of the new loop "x" in terms of what it was, "loops". */
static __isl_give isl_aff *sum_of(__isl_keep isl_space *loops,
	const struct poly_axis axis[3], int x)
{
	isl_aff *sum;

	if (x > 2 || axis[x].n < 2)
		return poly_at(loops, "x%d", x);
	sum = poly_at(loops, "x%d", axis[x].loop[0]);
	for (int i = 1; i < axis[x].n; i++)
		sum = isl_aff_add(poly_times(sum, axis[x].extent[i]),
			poly_at(loops, "x%d", axis[x].loop[i]));
	return sum;
}

/* Is "x" one of the loops of a statement, or, with "left", of what is left of them? */
static bool is_loop(const struct poly_axis axis[3], int x, bool product, bool left)
{
	return (x != 2 || product) && !(left && is_gone(axis, x));
}

/* The tuple of the loops of a statement, which are named by "letter". */
static __isl_give isl_space *loops_of(isl_ctx *ctx, const struct poly_axis axis[3],
	int n, bool product, bool left, char letter)
{
	isl_space *space = poly_tuple(ctx, NULL);

	for (int x = 0; x < n; x++)
		if (is_loop(axis, x, product, left))
			space = poly_add_dim(space, "%c%d", letter, x);
	return space;
}

/* Let statement "i" of "nest" have the new loops. */
static isl_stat apply(struct poly_nest *nest, int i,
	const struct poly_axis axis[3])
{
	bool product = nest->product[i];
	int n = isl_map_dim(nest->map[i], isl_dim_out) + !product;
	isl_ctx *ctx = nest->prog->ctx;
	isl_space *old = loops_of(ctx, axis, n, product, false, 'x');
	isl_space *new = loops_of(ctx, axis, n, product, true, 'y');
	isl_aff_list *to = isl_aff_list_alloc(ctx, n);
	isl_aff_list *from = isl_aff_list_alloc(ctx, n);

	for (int x = 0; x < n; x++) {
		if (is_loop(axis, x, product, true))
			to = isl_aff_list_add(to, sum_of(old, axis, x));
		if (is_loop(axis, x, product, false))
			from = isl_aff_list_add(from, digit_of(new, axis, x));
	}
	nest->map[i] = isl_map_apply_range(nest->map[i],
		poly_function_map(old, NULL, to));
	nest->point[i]->at = isl_multi_aff_pullback_multi_aff(
		nest->point[i]->at, poly_function(new, NULL, from));
	isl_space_free(new);
	return nest->map[i] && nest->point[i]->at ? isl_stat_ok :
		isl_stat_error;
}

/* ---------------------------------------------------------------- deciding */

/* The axis that every product of "nest" puts its loop "x" into, or -1. */
static int common_axis(const struct poly_nest *nest, int x)
{
	int axis = -1, first = true;

	for (int i = 0; i < nest->n; i++) {
		int own;

		if (!nest->product[i])
			continue;
		own = axis_of(nest->point[i], x, nest->n_outer);
		axis = first || own == axis ? own : -1;
		first = false;
	}
	return axis;
}

/* May "axis" have more loops? */
bool poly_axis_is_short(const struct poly_axis *axis)
{
	long n = 1;

	for (int i = 0; i < axis->n && n && n < POLY_LONG_AXIS; i++)
		n *= axis->extent[i];
	return n && n < POLY_LONG_AXIS && axis->n < POLY_AXIS_LOOPS;
}

/* The entry of "index", at loops, that is loop "x" alone; -1 if others have it, -2 if none
 * has.
 */
static int entry_of(__isl_keep isl_multi_pw_aff *index, int x)
{
	int at = -2;

	for (int d = 0; d < (int)isl_multi_pw_aff_size(index); d++) {
		isl_pw_aff *pa = isl_multi_pw_aff_get_at(index, d);
		isl_pw_aff *own = isl_pw_aff_from_aff(isl_aff_var_on_domain(
			isl_local_space_from_space(isl_pw_aff_get_domain_space(
			pa)), isl_dim_set, (unsigned)x));

		if (isl_pw_aff_involves_dims(pa, isl_dim_in, (unsigned)x, 1) ==
		    isl_bool_true)
			at = at == -2 && isl_pw_aff_plain_is_equal(pa, own) ==
				isl_bool_true ? d : -1;
		isl_pw_aff_free(pa);
		isl_pw_aff_free(own);
	}
	return at;
}

/* Are the loops of the axis one dimension of "array" behind the other, all of them or none? */
void poly_ask_line(struct poly_in_line *a, const struct poly_array *array,
	__isl_keep isl_multi_pw_aff *index)
{
	isl_multi_pw_aff *at = isl_multi_pw_aff_pullback_multi_aff(
		isl_multi_pw_aff_copy(index), isl_multi_aff_copy(a->stmt->at));
	int first = 0;

	for (int i = 0; i < a->axis->n && a->is; i++) {
		int x = a->axis->loop[i];
		int d = entry_of(at, x < 2 || a->product ? x : x - 1);

		if (i == 0)
			first = d;
		a->is = d == -2 ? first == -2 : first >= 0 && d == first + i &&
			(i == 0 || poly_fixed_extent(a->nest->prog, array, d) ==
			a->axis->extent[i]);
	}
	a->is &= first == -2 || !array->stride;
	isl_multi_pw_aff_free(at);
}

/* The same of a read; windows of a product may slide along the loops, too. */
static void ask_read(struct poly_expr *leaf, void *user)
{
	struct poly_in_line *a = user;
	bool was = a->is, slides;

	poly_ask_line(a, leaf->array, leaf->index);
	slides = was && !a->is && a->product && poly_leaf_slides(a->nest->prog, a->stmt,
		leaf, a->axis->loop, a->axis->n);
	a->is |= slides;
	a->slides |= slides;
}

/* Do all statements of "nest" see the loops of "axis" as dimensions that lie in memory as
 * one? "*slides": but for windows that slide along them.
 */
static bool is_line(const struct poly_nest *nest, const struct poly_axis *axis, bool *slides)
{
	bool is = axis->n > 1 && axis->n < POLY_AXIS_LOOPS;

	*slides = false;

	for (int i = 0; i < axis->n; i++)
		is &= axis->extent[i] > 0;
	for (int i = 0; i < nest->n && is; i++) {
		struct poly_in_line a = { nest, axis, nest->point[i],
			nest->product[i], true, false };

		poly_ask_line(&a, a.stmt->write_array, a.stmt->write_index);
		poly_expr_each_access(a.stmt->rhs, ask_read, &a);
		is = a.is;
		*slides |= a.slides;
	}
	return is;
}

/* Loops that lie in memory as one, and of which the innermost would have tiles with edges,
 * are one whatever their length: then a tile is a piece of memory.
 */
static void add_line(const struct poly_nest *nest, struct poly_axis *axis, int d, int i)
{
	enum { TILE = 128 };
	struct poly_axis all = *axis;
	bool slides, is;

	for (int x = 3 + nest->n_host; x < 3 + nest->n_outer; x++) {
		long n = common_axis(nest, x) == d ? poly_nest_turns(nest, x) : 0;

		if (n && all.n < POLY_AXIS_LOOPS)
			join(&all, nest->point[i], x, n);
	}
	is = is_line(nest, &all, &slides) && (slides || all.extent[all.n - 1] % TILE);
	if (is)
		*axis = all;
	axis->line = is;
	axis->slides = is && slides;
}

/* Put the batch, or the further loops of the sum of statement "i", into the
 * axes that they belong to.
 */
static void add_batch(const struct poly_nest *nest, struct poly_axis axis[2], int i)
{
	for (int d = 0; d < 2; d++)
		add_line(nest, &axis[d], d, i);
	for (int x = 3 + nest->n_host; x < 3 + nest->n_outer; x++) {
		int d = common_axis(nest, x);
		long n = d < 0 ? 0 : poly_nest_turns(nest, x);

		if (n && poly_axis_is_short(&axis[d]) && !has_loop(&axis[d], x))
			join(&axis[d], nest->point[i], x, n);
	}
}

/* Put the further loops of the sum of statement "i" that move the same reads as
 * its steps do into "axis", that of the steps: all of them, where windows slide.
 */
static void add_steps(const struct poly_nest *nest, struct poly_axis *axis, int i)
{
	int end = isl_map_dim(nest->map[i], isl_dim_out);

	for (int x = 3 + nest->n_outer; x < end; x++) {
		int d = axis_of(nest->point[i], x, nest->n_outer);
		long n = turns_of(nest, i, x);

		if (d == 2 && n > 0 && (poly_axis_is_short(axis) ||
		    (axis->slides && axis->n < POLY_AXIS_LOOPS)))
			join(axis, nest->point[i], x, n);
	}
}

/* The axis "d" of one loop alone, of "n" turns. */
static struct poly_axis alone(int d, long n)
{
	struct poly_axis axis = { .n = 1, .loop = { d }, .extent = { n } };

	return axis;
}

/* The axis of the steps of statement "i". */
static struct poly_axis step_axis(const struct poly_nest *nest, const struct poly_axis points[2],
	int i)
{
	struct poly_axis axis = alone(2, 0);

	axis.slides = points[0].slides || points[1].slides;
	if (nest->product[i]) {
		axis.extent[0] = turns_of(nest, i, 2);
		add_steps(nest, &axis, i);
	}
	return axis;
}

/* Let all statements have the new loops; each has steps of its own. */
static isl_stat apply_all(struct poly_nest *nest, const struct poly_axis axis[2])
{
	isl_stat ok = isl_stat_ok;

	for (int i = 0; i < nest->n && ok == isl_stat_ok; i++) {
		struct poly_axis own[3] = { axis[0], axis[1], step_axis(nest, axis, i) };

		ok = apply(nest, i, own);
	}
	return ok;
}

/* What a point stands for is known for the sizes that are fixed alone. */
static void assume_sizes(struct poly_nest *nest)
{
	isl_set *sizes = poly_known_sizes(nest->prog);

	for (int i = 0; i < nest->n; i++) {
		struct poly_stmt *s = nest->point[i];

		s->domain = isl_set_intersect_params(s->domain,
			isl_set_copy(sizes));
		nest->map[i] = isl_map_intersect_params(nest->map[i],
			isl_set_copy(sizes));
	}
	isl_set_free(nest->prog->context);
	nest->prog->context = sizes;
}

isl_stat poly_merge_loops(struct poly_nest *nest)
{
	struct poly_axis axis[2] = { alone(0, poly_nest_turns(nest, 0)),
		alone(1, poly_nest_turns(nest, 1)) };
	int first = 0, gone, steps = 0;
	isl_stat ok;

	if (!poly_prog_is_fixed(nest->prog))
		return isl_stat_ok;
	while (first < nest->n && !nest->product[first])
		first++;
	if (first < nest->n)
		add_batch(nest, axis, first);
	else
		poly_merge_points(nest, axis);
	gone = axis[0].n + axis[1].n - 2;
	nest->slides = axis[0].slides || axis[1].slides;
	for (int d = 0; d < 2; d++)
		nest->line[d] = axis[d].line ? axis[d].n - 1 : 0;
	for (int i = first; i < nest->n; i++)
		steps += step_axis(nest, axis, i).n - 1;
	if (!gone && !steps)
		return isl_stat_ok;
	assume_sizes(nest);
	ok = apply_all(nest, axis);
	nest->n_batch -= gone;
	nest->n_outer -= gone;
	return ok;
}
