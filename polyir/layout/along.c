/* Along which loops of a product do its operands lie in memory?
 *
 * What decides in which direction the threads of a block copy an operand: neighbours
 * should ask for the same sectors. Where only the steps of the sum move along the rows
 * of the array, or only the points, there is nothing to decide. Where both do, as in
 * windows, X[c][x + j] with points x and steps (c, j), what 32 neighbours ask for is
 * counted:
 *
 *	steps	3 j, then another c: 32 of them in 11 rows
 *	points	32 x in one row, or each second where the window has a stride
 */
#include <isl/space.h>
#include <isl/val.h>

#include "polyir/base/base.h"
#include "polyir/ir/ir.h"
#include "polyir/sets/sets.h"
#include "polyir/layout/layout.h"

/* The last dimension is the contiguous one: a leaf that goes along it there can
 * be loaded in runs.
 */
bool poly_leaf_goes_along(const struct poly_expr *leaf,
	__isl_keep isl_multi_aff *at, int first, int n)
{
	isl_multi_pw_aff *index = isl_multi_pw_aff_pullback_multi_aff(
		isl_multi_pw_aff_copy(leaf->index), isl_multi_aff_copy(at));
	isl_pw_aff *last = isl_multi_pw_aff_get_at(index,
		leaf->array->n_dim - 1);
	isl_bool is = isl_pw_aff_involves_dims(last, isl_dim_in, first, n);

	isl_pw_aff_free(last);
	isl_multi_pw_aff_free(index);
	return is == isl_bool_true;
}

/* "index", a function of points, where coordinate "d" is "n" and the others are 0. */
static __isl_give isl_multi_pw_aff *index_at(__isl_keep isl_multi_pw_aff *index,
	int d, int n)
{
	isl_space *point = isl_space_domain(isl_multi_pw_aff_get_space(index));
	isl_space *none = isl_space_params(isl_space_copy(point));
	isl_multi_aff *at = isl_multi_aff_zero(isl_space_map_from_domain_and_range(
		isl_space_set_from_params(none), point));

	at = isl_multi_aff_set_at(at, d, isl_aff_add_constant_si(
		isl_multi_aff_get_at(at, d), n));
	return isl_multi_pw_aff_pullback_multi_aff(
		isl_multi_pw_aff_copy(index), at);
}

/* How far entry "i" of "to" is behind that of "from", if that is one number for all
 * sizes; else more than a sector has.
 */
static double step_of(__isl_keep isl_multi_pw_aff *from,
	__isl_keep isl_multi_pw_aff *to, int i)
{
	isl_pw_aff *step = isl_pw_aff_sub(isl_multi_pw_aff_get_at(to, i),
		isl_multi_pw_aff_get_at(from, i));
	double n = POLY_SECTOR;

	if (isl_pw_aff_isa_aff(step) == isl_bool_true) {
		isl_aff *aff = isl_pw_aff_as_aff(isl_pw_aff_copy(step));

		if (isl_aff_is_cst(aff) == isl_bool_true) {
			isl_val *v = isl_val_abs(isl_aff_get_constant_val(aff));

			n = isl_val_get_d(v);
			isl_val_free(v);
		}
		isl_aff_free(aff);
	}
	isl_pw_aff_free(step);
	return n;
}

/* The sectors that POLY_LANES neighbours along coordinate "d" of the points ask for, where
 * "leaf" is read at "index": a new one for each that lies in another row or far off,
 * and a part of one for what is near.
 */
static double sectors_along(const struct poly_expr *leaf,
	__isl_keep isl_multi_pw_aff *index, int d)
{
	double size = poly_type_size(leaf->array->type), sectors = 1;
	isl_multi_pw_aff *from = index_at(index, d, 0);

	for (int n = 1; n < POLY_LANES; n++) {
		isl_multi_pw_aff *to = index_at(index, d, n);
		double far = 0, own;

		for (int i = 0; i < leaf->array->n_dim - 1; i++)
			far += step_of(from, to, i);
		own = size * step_of(from, to, leaf->array->n_dim - 1) / POLY_SECTOR;
		sectors += far > 0 || own > 1 ? 1 : own;
		isl_multi_pw_aff_free(from);
		from = to;
	}
	isl_multi_pw_aff_free(from);
	return sectors;
}

/* Does "index" go to the next element, of the same row, with each coordinate of "n" but
 * the first along "d"?
 */
static bool goes_on(__isl_keep isl_multi_pw_aff *index, int d, int n)
{
	isl_multi_pw_aff *from = index_at(index, d, 0);
	int last = isl_multi_pw_aff_size(index) - 1;
	bool next = true;

	for (int i = 1; next && i < n; i++) {
		isl_multi_pw_aff *to = index_at(index, d, i);

		for (int k = 0; k <= last; k++)
			next = next && step_of(from, to, k) == (k == last);
		isl_multi_pw_aff_free(from);
		from = to;
	}
	isl_multi_pw_aff_free(from);
	return next;
}

bool poly_leaf_has_runs(const struct poly_expr *leaf, __isl_keep isl_multi_aff *at, int n)
{
	isl_multi_pw_aff *index = isl_multi_pw_aff_pullback_multi_aff(
		isl_multi_pw_aff_copy(leaf->index), isl_multi_aff_copy(at));
	bool has = false;

	for (int d = 0; d < 3 && !has; d++)
		has = goes_on(index, d, n);
	isl_multi_pw_aff_free(index);
	return has;
}

bool poly_leaf_has_steps(const struct poly_expr *leaf,
	__isl_keep isl_multi_aff *at)
{
	int axis = poly_leaf_goes_along(leaf, at, 0, 1) ? 0 :
		poly_leaf_goes_along(leaf, at, 1, 1) ? 1 : -1;
	isl_multi_pw_aff *index;
	bool has = poly_leaf_goes_along(leaf, at, 2, 1);

	if (!has || axis < 0)
		return has;
	index = isl_multi_pw_aff_pullback_multi_aff(
		isl_multi_pw_aff_copy(leaf->index), isl_multi_aff_copy(at));
	has = sectors_along(leaf, index, 2) <= sectors_along(leaf, index, axis);
	isl_multi_pw_aff_free(index);
	return has;
}

int poly_index_pads(__isl_keep isl_multi_pw_aff *index, __isl_keep isl_set *points)
{
	int n = isl_multi_pw_aff_size(index), pads = 0;

	for (int i = 0; i < n; i++) {
		isl_set *before = isl_pw_aff_nonneg_set(isl_pw_aff_add_constant_val(
			isl_pw_aff_neg(isl_multi_pw_aff_get_at(index, i)),
			isl_val_int_from_si(isl_set_get_ctx(points), -1)));

		before = isl_set_intersect(before, isl_set_copy(points));
		pads += isl_set_is_empty(before) == isl_bool_false;
		isl_set_free(before);
	}
	return pads;
}
