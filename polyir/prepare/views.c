/* poly: what one array sees of its loops: numbers, cells, and dimensions that others tell. */
#include <stdlib.h>
#include <string.h>

#include <isl/ilp.h>
#include <isl/stride_info.h>

#include "polyir/base/base.h"
#include "polyir/prepare/classes.h"

/* ------------------------------------------------------------------ numbers */

/* "v", which is taken, as a number; false if it is none, or a great one. */
bool poly_small_number(__isl_take isl_val *v, int64_t *n)
{
	bool is = isl_val_is_int(v) == isl_bool_true &&
		isl_val_cmp_si(v, INT32_MAX) < 0 &&
		isl_val_cmp_si(v, -INT32_MAX) > 0;

	*n = is ? isl_val_get_num_si(v) : 0;
	isl_val_free(v);
	return is;
}

bool poly_coefficient(__isl_keep isl_constraint *c, enum isl_dim_type type,
	int pos, int64_t *n)
{
	return poly_small_number(isl_constraint_get_coefficient_val(c, type, pos), n);
}

/* The constant and the sizes of "c", times "factor".
 *
 * False where a size counts whose number is too large for struct poly_linear,
 * or one that is no size of the program.
 */
bool poly_linear_of(const struct poly_prog *prog,
	__isl_keep isl_constraint *c, int64_t factor, struct poly_linear *of)
{
	int n = isl_constraint_dim(c, isl_dim_param);

	memset(of, 0, sizeof(*of));
	if (!poly_small_number(isl_constraint_get_constant_val(c), &of->at))
		return false;
	of->at *= factor;
	for (int i = 0; i < n; i++) {
		const char *name = isl_constraint_get_dim_name(c, isl_dim_param,
			i);
		int64_t times;
		int at = 0;

		if (!poly_coefficient(c, isl_dim_param, i, &times))
			return false;
		while (at < prog->n_param && strcmp(prog->param[at].name, name))
			at++;
		if (times && (at == prog->n_param || at >= POLY_VIEW_SIZES))
			return false;
		if (times)
			of->size[at] = factor * times;
	}
	return true;
}

/* The value of a - b, if the sizes that count are fixed.
 *
 * a - b of "n + 3" and "n" is 3 for every n: sizes that both have cancel.
 */
bool poly_linear_apart(const struct poly_prog *prog, const struct poly_linear *a,
	const struct poly_linear *b, int64_t *n)
{
	*n = a->at - b->at;
	for (int i = 0; i < POLY_VIEW_SIZES; i++) {
		int64_t times = a->size[i] - b->size[i];

		if (times && !prog->param[i].fixed)
			return false;
		if (times)
			*n += times * prog->param[i].value;
	}
	return true;
}

/* "of" as a function on "space".
 *
 * The inverse of poly_linear_of.
 */
__isl_give isl_aff *poly_linear_on(const struct poly_prog *prog,
	__isl_keep isl_space *space, const struct poly_linear *of)
{
	isl_aff *sum = poly_number(space, of->at);

	for (int i = 0; i < prog->n_param && i < POLY_VIEW_SIZES; i++)
		if (of->size[i])
			sum = isl_aff_add(sum, poly_times(poly_size_at(
				isl_space_copy(space), prog->param[i].name),
				of->size[i]));
	return sum;
}

/* -------------------------------------------------------------------- views */

int poly_view_dims(const struct poly_view *v)
{
	return isl_set_dim(v->domain, isl_dim_set);
}

/* Dimension "d" of the tuple "space" as a function of it. */
__isl_give isl_aff *poly_dim_on(__isl_keep isl_space *space, int d)
{
	return isl_aff_var_on_domain(isl_local_space_from_space(
		isl_space_copy(space)), isl_dim_set, d);
}

/* What the cell that "v" writes is, in its own dimensions. */
__isl_give isl_multi_pw_aff *poly_view_cell(const struct poly_view *v)
{
	return isl_multi_pw_aff_pullback_multi_aff(isl_multi_pw_aff_copy(
		v->stmt->write_index), isl_multi_aff_copy(v->pull));
}

/* Note which dimensions of "v" its cell moves with.
 *
 * A dimension that the cell does not move with is a loop of the sum.
 */
static void find_cells(struct poly_view *v)
{
	isl_multi_pw_aff *cell = poly_view_cell(v);

	for (int d = 0; d < poly_view_dims(v); d++)
		v->cell[d] = isl_multi_pw_aff_involves_dims(cell, isl_dim_in, d,
			1) == isl_bool_true;
	isl_multi_pw_aff_free(cell);
}

/* Ends with poly_view_end. The view has references of its own; "stmt" is not
 * changed before classes.c decides to.
 */
void poly_view_begin(struct poly_view *v, struct poly_prog *prog,
	struct poly_stmt *stmt)
{
	memset(v, 0, sizeof(*v));
	v->prog = prog;
	v->stmt = stmt;
	v->domain = isl_set_copy(stmt->domain);
	v->pull = isl_multi_aff_identity_on_domain_space(
		isl_set_get_space(stmt->domain));
	find_cells(v);
}

void poly_view_end(struct poly_view *v)
{
	isl_set_free(v->domain);
	isl_multi_aff_free(v->pull);
}

/* Count by "to", "{ S[new] -> S[..] }", which is taken.
 *
 * "pull" is the composition of all moves: what was S[i] when the view began is
 * S[pull(new)].
 */
void poly_view_move(struct poly_view *v, __isl_take isl_multi_aff *to)
{
	v->domain = isl_set_preimage_multi_aff(v->domain,
		isl_multi_aff_copy(to));
	v->pull = isl_multi_aff_pullback_multi_aff(v->pull, to);
	v->moved = true;
	find_cells(v);
}

/* ------------------------------------------------- one loop that others tell */

/* The dimension of a sum that the equality "c" tells, or -1.
 *
 * An equality such as u = 2*i + r tells r of u and i: r has the coefficient 1
 * or -1, so it is whole wherever the others are. One that has division counts
 * as none, and one of r alone is a constant, for which there is a simpler way.
 */
static int told_by(const struct poly_view *v, __isl_keep isl_constraint *c)
{
	int told = -1, others = 0;

	if (isl_constraint_is_equality(c) != isl_bool_true ||
	    isl_constraint_involves_dims(c, isl_dim_div, 0,
		isl_constraint_dim(c, isl_dim_div)) != isl_bool_false)
		return -1;
	for (int d = 0; d < poly_view_dims(v); d++) {
		int64_t n;

		if (!poly_coefficient(c, isl_dim_set, d, &n))
			return -1;
		others += n != 0;
		if (!v->cell[d] && (n == 1 || n == -1))
			told = d;
	}
	return others > 1 ? told : -1;
}

/* The tuple of the statement of "v" with "n" dimensions. */
__isl_give isl_space *poly_view_tuple(const struct poly_view *v, int n)
{
	isl_space *space = isl_space_params(isl_set_get_space(v->domain));

	space = isl_space_set_from_params(space);
	space = isl_space_add_dims(space, isl_dim_set, n);
	return isl_space_set_tuple_name(space, isl_dim_set, v->stmt->name);
}

/* "{ S[..] -> S[..] }" from "space" with all values 0. */
__isl_give isl_multi_aff *poly_view_zero(const struct poly_view *v,
	__isl_keep isl_space *space)
{
	return isl_multi_aff_zero(isl_space_map_from_domain_and_range(
		isl_space_copy(space), isl_set_get_space(v->domain)));
}

/* Leave dimension "d" away, which "told", taken, tells of the others.
 *
 * The loops behind "d" move one place forward; all keep their names.
 */
static void drop_dim(struct poly_view *v, int d, __isl_take isl_aff *told)
{
	int n = poly_view_dims(v);
	isl_space *new = poly_view_tuple(v, n - 1);
	isl_multi_aff *to = poly_view_zero(v, new);

	for (int i = 0; i < n; i++) {
		const char *name = isl_set_get_dim_name(v->domain, isl_dim_set,
			i);

		if (i != d && name)
			new = isl_space_set_dim_name(new, isl_dim_set,
				i - (i > d), name);
	}
	isl_multi_aff_free(to);
	to = poly_view_zero(v, new);
	for (int i = 0; i < n; i++)
		if (i != d)
			to = isl_multi_aff_set_at(to, i, poly_dim_on(new,
				i - (i > d)));
	to = isl_multi_aff_set_at(to, d, isl_aff_pullback_multi_aff(told,
		isl_multi_aff_copy(to)));
	isl_space_free(new);
	poly_view_move(v, to);
}

/* A dimension of a sum and what tells it.
 *
 * The first equality that tells one ends the search; "by" is owned by whoever
 * looks.
 */
struct told {
	const struct poly_view *v;
	int dim;
	isl_aff *by;
};

static isl_stat look_at_equality(__isl_take isl_constraint *c, void *user)
{
	struct told *t = user;
	int dim = t->by ? -1 : told_by(t->v, c);

	if (dim >= 0) {
		t->dim = dim;
		t->by = isl_constraint_get_bound(c, isl_dim_set, dim);
	}
	isl_constraint_free(c);
	return isl_stat_ok;
}

/* Leave loops of the sum away that others and the cell tell.
 *
 * At most as many rounds as there are loops: each leaves one away.
 */
void poly_view_drop_told(struct poly_view *v)
{
	for (int i = poly_view_dims(v); i > 0; i--) {
		struct told t = { v, -1, NULL };
		isl_basic_set *hull = isl_set_affine_hull(isl_set_copy(
			v->domain));

		isl_basic_set_foreach_constraint(hull, look_at_equality, &t);
		isl_basic_set_free(hull);
		if (!t.by)
			break;
		drop_dim(v, t.dim, t.by);
	}
}
