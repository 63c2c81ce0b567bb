/* The windows that the terms of a sum lie in: what of its loops moves with its cells.
 *
 *	0 <= u - 2 i < 4		2 i >= u - 3, 2 i <= u: two turns of i in steps of 2
 *	2 i + r == u			r goes away: 2 i >= u - 3, ..
 *	(u - r) mod 2 == 0		r is at every second step, which u tells
 *	y[2 i + r] += ..		u in the place of r: 2 i >= u - 3, ..
 *
 * Each bound that ties one loop of the sum to one dimension of the cell is
 * brought to the form
 *
 *	stride * loop >= sign * cell + by		(or <=)
 *
 * by being a number and sizes times numbers. A lower and an upper bound of one
 * form with a known distance are a window; its length over the stride is the
 * number of turns. What a window says is noted as a split (classes.h), which
 * classes.c carries out. Bounds of other forms stay in the domain, untouched:
 * nothing here changes what a statement computes.
 */
#include <stdlib.h>
#include <string.h>

#include <isl/ilp.h>
#include <isl/stride_info.h>

#include "polyir/base/base.h"
#include "polyir/prepare/classes.h"

/* The longest step, and so the most classes, which are one parallel loop more. */
enum { MOST_STRIDE = 64 };

/* ---------------------------------------------------------- what is scattered */

/* How many coordinates of "cell" move with dimension "d".
 *
 * 2*i + r in one coordinate and i in another: i moves two of them.
 */
static int n_moving(__isl_keep isl_multi_pw_aff *cell, int d)
{
	int n = isl_multi_pw_aff_size(cell), moving = 0;

	for (int i = 0; i < n; i++) {
		isl_pw_aff *at = isl_multi_pw_aff_get_at(cell, i);

		moving += isl_pw_aff_involves_dims(at, isl_dim_in, d, 1) ==
			isl_bool_true;
		isl_pw_aff_free(at);
	}
	return moving;
}

/* The last dimension of which "at", a coordinate of "cell", has one, and no other
 * coordinate has any, if it has several dimensions; else -1.
 *
 * The last one, as it is the innermost loop of the text: u takes its place and
 * is contiguous there.
 */
static int unit_dim(__isl_keep isl_multi_pw_aff *cell, __isl_keep isl_aff *at)
{
	int n = isl_aff_dim(at, isl_dim_in), unit = -1, some = 0;

	if (isl_aff_dim(at, isl_dim_div) > 0)
		return -1;
	for (int d = 0; d < n; d++) {
		int64_t by;

		if (!poly_small_number(isl_aff_get_coefficient_val(at, isl_dim_in, d),
		    &by))
			return -1;
		some += by != 0;
		if ((by == 1 || by == -1) && n_moving(cell, d) == 1)
			unit = d;
	}
	return some > 1 ? unit : -1;
}

/* Count cells, "at", which is taken, in the place of dimension "d".
 *
 * With at = 2*i + r and d the place of r: r = u - 2*i, and u, the new
 * dimension, counts cells one by one.
 */
static void count_cells(struct poly_view *v, int d, __isl_take isl_aff *at)
{
	isl_space *space = isl_set_get_space(v->domain);
	isl_val *by = isl_aff_get_coefficient_val(at, isl_dim_in, d);
	isl_aff *rest = isl_aff_set_coefficient_si(at, isl_dim_in, d, 0);

	rest = isl_aff_sub(poly_dim_on(space, d), rest);
	poly_view_move(v, isl_multi_aff_set_at(isl_multi_aff_identity_on_domain_space(
		space), d, isl_aff_scale_val(rest, by)));
}

/* Let the cells of "v" be counted, each coordinate by a dimension of its own.
 *
 * A cell that moves with one loop alone is counted already.
 */
void poly_view_gather(struct poly_view *v)
{
	int n = isl_multi_pw_aff_size(v->stmt->write_index);

	for (int i = 0; i < n; i++) {
		isl_multi_pw_aff *cell = poly_view_cell(v);
		isl_pw_aff *pa = isl_multi_pw_aff_get_at(cell, i);
		isl_aff *at = isl_pw_aff_isa_aff(pa) == isl_bool_true ?
			isl_pw_aff_as_aff(isl_pw_aff_copy(pa)) : NULL;
		int d = at ? unit_dim(cell, at) : -1;

		if (d >= 0)
			count_cells(v, d, at);
		else
			isl_aff_free(at);
		isl_pw_aff_free(pa);
		isl_multi_pw_aff_free(cell);
	}
}

/* ------------------------------------------------------------------- windows */

/* The loop of a sum and the cell's dimension, or -1, that "c" is about; false if it is
 * about more.
 *
 * More than one loop, or two dimensions of the cell, is no window: a bound on i
 * + j moves with both.
 */
static bool dims_of(const struct poly_view *v, __isl_keep isl_constraint *c,
	struct poly_bound *b, int64_t *times, int64_t *of_cell)
{
	b->loop = b->cell = -1;
	*of_cell = 0;
	for (int d = 0; d < poly_view_dims(v); d++) {
		int64_t n;

		if (!poly_coefficient(c, isl_dim_set, d, &n))
			return false;
		if (!n)
			continue;
		if (v->cell[d] ? b->cell >= 0 : b->loop >= 0)
			return false;
		*(v->cell[d] ? &b->cell : &b->loop) = d;
		*(v->cell[d] ? of_cell : times) = n;
	}
	return b->loop >= 0 && *of_cell <= 1 && *of_cell >= -1;
}

/* Callback: note the constraint "c" in the view "user" if it bounds one loop by at most
 * one cell, with no floor and no large stride; others are left to the condition.
 */
static isl_stat look_at_bound(__isl_take isl_constraint *c, void *user)
{
	struct poly_view *v = user;
	struct poly_bound b;
	int64_t times = 0, of_cell;
	bool is = v->n_bound < POLY_VIEW_BOUNDS &&
		isl_constraint_is_equality(c) != isl_bool_true &&
		isl_constraint_involves_dims(c, isl_dim_div, 0,
			isl_constraint_dim(c, isl_dim_div)) ==
			isl_bool_false && dims_of(v, c, &b, &times, &of_cell);

	if (is) {
		/* times * loop + of_cell * cell + by >= 0 */
		b.upper = times < 0;
		b.stride = b.upper ? -times : times;
		b.sign = (int)(b.upper ? of_cell : -of_cell);
		if (b.stride <= MOST_STRIDE &&
		    poly_linear_of(v->prog, c, b.upper ? 1 : -1, &b.by))
			v->bound[v->n_bound++] = b;
	}
	isl_constraint_free(c);
	return isl_stat_ok;
}

/* How many turns the bounds "low" and "high" leave, if that is known.
 *
 * Of u - 3 <= 2*i <= u that is 3/2 + 1 = 2. Sizes must cancel, or be fixed.
 */
static bool turns(const struct poly_view *v, const struct poly_bound *low,
	const struct poly_bound *high, int64_t *n)
{
	if (low->upper || !high->upper || low->loop != high->loop ||
	    low->cell != high->cell || low->sign != high->sign ||
	    low->stride != high->stride ||
	    !poly_linear_apart(v->prog, &high->by, &low->by, n) || *n < 0)
		return false;
	*n = *n / low->stride + 1;
	return true;
}

/* Has the loop of "low" bounds of its own that leave "n" turns or fewer?
 *
 * A filter of 4 over an input of 2: the loop over the input is the short one,
 * and classes would gain nothing.
 */
static bool is_short(const struct poly_view *v, const struct poly_bound *low, int64_t n)
{
	for (int i = 0; i < v->n_bound; i++)
		for (int j = 0; j < v->n_bound; j++) {
			int64_t own;

			if (v->bound[i].loop == low->loop &&
			    v->bound[i].cell < 0 &&
			    turns(v, &v->bound[i], &v->bound[j], &own) &&
			    own <= n)
				return true;
		}
	return false;
}

/* Is "of" a number? */
static bool is_number(const struct poly_linear *of)
{
	bool is = true;

	for (int i = 0; i < POLY_VIEW_SIZES; i++)
		is &= !of->size[i];
	return is;
}

/* Let quotients be counted from 0 on, where it is known what the first would be.
 *
 * Without it quotients of negative numbers would begin somewhere below 0; the
 * text and users of --dump expect loops from 0.
 */
static void count_from_zero(const struct poly_view *v, struct poly_split *s)
{
	int64_t first, below;
	isl_val *least;

	if (s->sign < 0 || !is_number(&s->by))
		return;
	least = isl_set_dim_min_val(isl_set_copy(v->domain), s->cell);
	if (!poly_small_number(least, &first))
		return;
	first += s->by.at;
	below = first % s->stride;
	first -= below < 0 ? below + s->stride : below;
	s->by.at -= first;
	s->ahead = -first / s->stride;
}

/* Add "split", or its loop to what divides the same cells in the same steps.
 *
 * A cell is divided once, a loop follows one cell. A split that came without a
 * loop, from a fact about the array, gets its loop here.
 */
void poly_view_add_split(struct poly_view *v, const struct poly_split *split)
{
	for (int i = 0; i < v->n_split; i++) {
		struct poly_split *s = &v->split[i];

		if ((split->loop >= 0 && s->loop == split->loop) ||
		    (s->cell == split->cell &&
		    (s->loop >= 0 || s->stride != split->stride ||
		     s->sign != split->sign)))
			return;
		if (s->cell == split->cell) {
			s->loop = split->loop;
			s->every = split->every;
			s->ahead = 0;
			return;
		}
	}
	if (v->n_split == POLY_MAX_DIM)
		return;
	v->split[v->n_split] = *split;
	if (split->loop >= 0 && split->stride > 1)
		count_from_zero(v, &v->split[v->n_split]);
	v->n_split++;
}

/* Divide the cells by the windows that the loops of the sum go over.
 *
 * The simple hull has bounds that hold everywhere: a domain of several pieces
 * has a window only if all have it.
 */
void poly_view_windows(struct poly_view *v)
{
	isl_basic_set *hull = isl_set_simple_hull(isl_set_copy(v->domain));

	v->n_bound = 0;
	isl_basic_set_foreach_constraint(hull, look_at_bound, v);
	isl_basic_set_free(hull);
	for (int i = 0; i < v->n_bound; i++)
		for (int j = 0; j < v->n_bound; j++) {
			const struct poly_bound *low = &v->bound[i];
			struct poly_split s = { low->cell, low->loop, low->sign,
				false, low->stride, 0, low->by };
			int64_t n;

			if (low->cell < 0 ||
			    !turns(v, low, &v->bound[j], &n) ||
			    is_short(v, low, n))
				continue;
			/* loop >= floor((sign * cell + by + stride - 1) / stride) */
			s.by.at += s.stride - 1;
			poly_view_add_split(v, &s);
		}
}

/* ------------------------------------------------------------- every other step */

/* Is loop "loop" at every "stride"-th step, from "first" on, which is taken? Then note
 * how the cell tells which.
 *
 * isl says loop = first (mod stride); the cell tells which if "first" is +-cell
 * plus a constant, modulo the stride.
 */
static void look_at_steps(struct poly_view *v, int loop, int64_t stride,
	__isl_take isl_aff *first)
{
	isl_constraint *c = isl_inequality_from_aff(first);
	struct poly_split s = { -1, loop, 0, true, stride, 0, { 0 } };
	bool is = stride > 1 && stride <= MOST_STRIDE &&
		isl_constraint_involves_dims(c, isl_dim_div, 0,
			isl_constraint_dim(c, isl_dim_div)) == isl_bool_false &&
		poly_linear_of(v->prog, c, 1, &s.by);

	for (int d = 0; is && d < poly_view_dims(v); d++) {
		int64_t n;

		is = poly_coefficient(c, isl_dim_set, d, &n);
		n = (n % stride + stride) % stride;
		if (!is || !n)
			continue;
		is = s.cell < 0 && v->cell[d] && (n == 1 || n == stride - 1);
		s.cell = d;
		s.sign = n == 1 ? 1 : -1;
	}
	isl_constraint_free(c);
	if (is && s.cell >= 0)
		poly_view_add_split(v, &s);
}

/* Divide the cells by what tells at which steps loops of the sum are.
 *
 * Remainders are what equations leave when isl has eliminated a dimension: (u -
 * r) mod 2 = 0.
 */
void poly_view_steps(struct poly_view *v)
{
	for (int d = 0; d < poly_view_dims(v); d++) {
		isl_stride_info *info;
		int64_t stride;

		if (v->cell[d])
			continue;
		info = isl_set_get_stride_info(v->domain, d);
		if (poly_small_number(isl_stride_info_get_stride(info), &stride) &&
		    stride > 1)
			look_at_steps(v, d, stride,
				isl_stride_info_get_offset(info));
		isl_stride_info_free(info);
	}
}

/* The split of dimension "d" of "v", as its cell or as its loop, or NULL.
 *
 * There is at most one for each.
 */
const struct poly_split *poly_view_split_of(const struct poly_view *v, int d, bool cell)
{
	for (int i = 0; i < v->n_split; i++)
		if ((cell ? v->split[i].cell : v->split[i].loop) == d)
			return &v->split[i];
	return NULL;
}
