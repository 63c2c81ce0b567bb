/* poly: what one array sees of its loops: numbers, cells, dimensions that others tell, and
 * classes that loops and cells are counted by.
 */
#include <stdlib.h>
#include <string.h>

#include <isl/ilp.h>
#include <isl/stride_info.h>

#include "polyir/base/base.h"
#include "polyir/deps/deps.h"
#include "polyir/layout/layout.h"
#include "polyir/prepare/classes.h"
#include "polyir/prepare/prepare.h"

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

/* ------------------------------------------------------------------- classes */

/* The name of dimension "d", or "", with "suffix" behind it.
 *
 * A loop u becomes u_r, the class, and u_q, the quotient; a loop i that goes
 * with it i_p. Dumps show these.
 */
static __isl_give isl_space *name_dim(__isl_take isl_space *space, int at,
	const struct poly_view *v, int d, const char *suffix)
{
	const char *old = isl_set_get_dim_name(v->domain, isl_dim_set, d);
	struct poly_str name = { 0 };

	poly_str_printf(&name, "%s%s", old ? old : "i", suffix);
	if (name.s)
		space = isl_space_set_dim_name(space, isl_dim_set, at, name.s);
	poly_str_free(&name);
	return space;
}

/* Has "s" classes? Its cells are shifted only if not. */
bool poly_split_has_classes(const struct poly_split *s)
{
	return s && s->stride > 1;
}

/* Where the quotient of dimension "d" is in the new tuple, behind its class.
 *
 * Each class stands right before its quotient and moves all that follows.
 */
static int place_of(const struct poly_view *v, int d)
{
	int at = d;

	for (int i = 0; i < v->n_split; i++)
		at += poly_split_has_classes(&v->split[i]) && v->split[i].cell <= d;
	return at;
}

/* The new tuple of "v".
 *
 * A dimension without a split keeps its place among the others and its name.
 */
static __isl_give isl_space *new_tuple(const struct poly_view *v)
{
	int n = poly_view_dims(v);
	isl_space *space = poly_view_tuple(v, n > 0 ? place_of(v, n - 1) + 1 : 0);

	for (int d = 0; d < n; d++) {
		const struct poly_split *s = poly_view_split_of(v, d, true);
		bool loop = poly_view_split_of(v, d, false) != NULL;

		if (poly_split_has_classes(s))
			space = name_dim(space, place_of(v, d) - 1, v, d, "_r");
		space = name_dim(space, place_of(v, d), v, d, poly_split_has_classes(s) ?
			"_q" : loop ? "_p" : "");
	}
	return space;
}

/* stride * a + t - by, the cell times its sign, on the new tuple "space".
 *
 * u = stride*a + t - by, and with sign -1 it is -u that is counted so.
 */
static __isl_give isl_aff *cell_on(const struct poly_view *v, const struct poly_split *s,
	__isl_keep isl_space *space)
{
	int at = place_of(v, s->cell);

	return isl_aff_sub(isl_aff_add(poly_times(poly_dim_on(space, at), s->stride),
		poly_dim_on(space, at - 1)), poly_linear_on(v->prog, space, &s->by));
}

/* What the loop of "s", dimension "d", was, on the new tuple "space".
 *
 * Three cases. A window with a stride: i = a + p, where a counts steps of the
 * cell. Every stride-th step: i = stride*p + t, the class is the remainder of
 * the loop. A window without a stride: i = p + sign*cell + by, a shift alone.
 */
static __isl_give isl_aff *old_loop(const struct poly_view *v, int d,
	const struct poly_split *s, __isl_keep isl_space *space)
{
	isl_aff *at = poly_dim_on(space, place_of(v, d));
	isl_aff *cell = poly_dim_on(space, place_of(v, s->cell));

	if (poly_split_has_classes(s) && !s->every)
		return isl_aff_add(at, isl_aff_add_constant_si(cell,
			(int)-s->ahead));
	if (poly_split_has_classes(s)) {
		isl_aff_free(cell);
		return isl_aff_add(poly_times(at, s->stride), poly_dim_on(space,
			place_of(v, s->cell) - 1));
	}
	return isl_aff_add(at, isl_aff_add(poly_times(cell, s->sign),
		poly_linear_on(v->prog, space, &s->by)));
}

/* What dimension "d" was, on the new tuple "space".
 *
 * A dimension that is a loop of one split and the cell of none is what old_loop
 * says.
 */
static __isl_give isl_aff *old_dim(const struct poly_view *v, int d,
	__isl_keep isl_space *space)
{
	const struct poly_split *cell = poly_view_split_of(v, d, true);
	const struct poly_split *loop = poly_view_split_of(v, d, false);

	if (loop)
		return old_loop(v, d, loop, space);
	return poly_split_has_classes(cell) ? poly_times(cell_on(v, cell, space),
		cell->sign) : poly_dim_on(space, place_of(v, d));
}

/* A set whose bounds are to be tight, and one of its dimensions, 0 <= t < stride.
 *
 * "set" grows by the constraints that are found tight.
 */
struct tight {
	isl_set *set;
	int dim;
	int64_t stride;
};

/* Has "aff" whole numbers of all dimensions and sizes? */
static bool is_whole(__isl_keep isl_aff *aff)
{
	static const enum isl_dim_type types[] = { isl_dim_in, isl_dim_param };
	bool whole = true;

	for (int k = 0; k < 2; k++)
		for (int i = 0; i < isl_aff_dim(aff, types[k]) && whole; i++) {
			int64_t n;

			whole = poly_small_number(isl_aff_get_coefficient_val(aff,
				types[k], i), &n);
		}
	return whole;
}

/* stride * (..) + n * t + by >= 0 leaves the .. no less than if t were greatest.
 *
 * 2*a + t >= 5 with t of 0 or 1 is a >= 2 for all t: 2*a >= 5 - 1. isl would
 * keep the bound with t in it, and each class would have loops of its own; the
 * points it adds are cut off by the gist in with_class.
 */
static isl_stat tighten(__isl_take isl_constraint *c, void *user)
{
	struct tight *t = user;
	isl_aff *aff = isl_constraint_get_aff(c);
	isl_val *stride = isl_val_int_from_si(isl_constraint_get_ctx(c),
		(long)t->stride);
	int64_t n = 0;
	bool is = isl_constraint_is_equality(c) == isl_bool_false &&
		/* What isl has with divisions it must keep. */
		isl_aff_dim(aff, isl_dim_div) == 0 &&
		poly_coefficient(c, isl_dim_set, t->dim, &n) && n % t->stride;

	isl_constraint_free(c);
	aff = isl_aff_set_coefficient_si(aff, isl_dim_in, t->dim, 0);
	if (n > 0)
		aff = isl_aff_add_constant_si(aff, (int)(n * (t->stride - 1)));
	aff = isl_aff_scale_down_val(aff, stride);
	aff = isl_aff_set_constant_val(aff, isl_val_floor(
		isl_aff_get_constant_val(aff)));
	if (is && is_whole(aff))
		t->set = isl_set_intersect(t->set, isl_set_from_basic_set(
			isl_basic_set_from_constraint(
			isl_inequality_from_aff(isl_aff_copy(aff)))));
	isl_aff_free(aff);
	return isl_stat_ok;
}

/* "set", of which dimension "dim" is a class below "stride", with bounds that do not
 * depend on the class where all have them.
 *
 * Exact: the bounds that are made tight are intersected with what they leave of
 * the set.
 */
static __isl_give isl_set *with_class(__isl_take isl_set *set, int dim,
	int64_t stride)
{
	struct tight t = { NULL, dim, stride };
	isl_basic_set *hull = isl_set_simple_hull(isl_set_copy(set));

	t.set = isl_set_universe(isl_set_get_space(set));
	t.set = isl_set_lower_bound_si(t.set, isl_dim_set, dim, 0);
	t.set = isl_set_upper_bound_si(t.set, isl_dim_set, dim, (int)stride - 1);
	isl_basic_set_foreach_constraint(hull, tighten, &t);
	isl_basic_set_free(hull);
	set = isl_set_gist(set, isl_set_copy(t.set));
	return isl_set_intersect(set, t.set);
}

/* Count by the classes and loops that were found.
 *
 * The domain is moved once, then each class gets its bounds.
 */
void poly_view_divide(struct poly_view *v)
{
	int n = poly_view_dims(v);
	isl_space *space = new_tuple(v);
	isl_multi_aff *to = poly_view_zero(v, space);
	int class[POLY_MAX_DIM];

	for (int d = 0; d < n; d++)
		to = isl_multi_aff_set_at(to, d, old_dim(v, d, space));
	isl_space_free(space);
	for (int i = 0; i < v->n_split; i++)
		class[i] = place_of(v, v->split[i].cell) - 1;
	poly_view_move(v, to);
	for (int i = 0; i < v->n_split; i++)
		if (poly_split_has_classes(&v->split[i]))
			v->domain = with_class(v->domain, class[i],
				v->split[i].stride);
}
