/* Ranges of one dimension, as functions of the sizes, and how many values they
 * have if the sizes are taken for typical ones.
 *
 * A range is a set "[N] -> { [x] : .. }". What counts is from its least to its
 * greatest value, holes included. Storage for it needs the exact functions;
 * a choice between mappings only a number, in which a size that is not fixed
 * counts as UNKNOWN.
 */
#include <isl/ilp.h>
#include <isl/val.h>

#include "polyir/base/base.h"
#include "polyir/ir/ir.h"
#include "polyir/sets/sets.h"

#define UNKNOWN 4096

static isl_stat note_first(__isl_take isl_set *set, __isl_take isl_aff *aff,
	void *user)
{
	isl_aff **first = user;

	isl_set_free(set);
	if (*first)
		isl_aff_free(aff);
	else
		*first = aff;
	return isl_stat_ok;
}

__isl_give isl_pw_aff *poly_first_piece(__isl_keep isl_pw_aff *pa)
{
	isl_aff *first = NULL;

	isl_pw_aff_foreach_piece(pa, note_first, &first);
	return isl_pw_aff_from_aff(first);
}

int64_t poly_only_value(__isl_take isl_pw_aff *pa)
{
	int64_t n = -1;
	isl_val *low, *high;

	if (isl_pw_aff_is_cst(pa) != isl_bool_true) {
		isl_pw_aff_free(pa);
		return n;
	}
	low = isl_pw_aff_min_val(isl_pw_aff_copy(pa));
	high = isl_pw_aff_max_val(pa);
	if (isl_val_is_nonneg(low) == isl_bool_true &&
	    isl_val_is_int(low) == isl_bool_true &&
	    isl_val_eq(low, high) == isl_bool_true)
		n = isl_val_get_num_si(low);
	isl_val_free(low);
	isl_val_free(high);
	return n;
}

/* "n" without its domain, if that keeps it from being negative anywhere; else
 * NULL.
 */
static __isl_give isl_pw_aff *everywhere(struct poly_prog *prog,
	__isl_keep isl_pw_aff *n)
{
	isl_pw_aff *one;
	isl_set *bad;
	bool ok;

	if (isl_pw_aff_n_piece(n) != 1)
		return NULL;
	one = poly_first_piece(n);
	bad = isl_pw_aff_nonneg_set(isl_pw_aff_copy(one));
	bad = isl_set_subtract(isl_set_copy(prog->context), bad);
	ok = isl_set_is_empty(bad) == isl_bool_true;
	isl_set_free(bad);
	return ok ? one : isl_pw_aff_free(one);
}

/* A bound by something that exists may be none. */
bool poly_range_has_bound(__isl_keep isl_set *range, bool upper)
{
	isl_set *plain = isl_set_remove_divs(isl_set_copy(range));
	isl_bool has = upper ?
		isl_set_dim_has_upper_bound(plain, isl_dim_set, 0) :
		isl_set_dim_has_lower_bound(plain, isl_dim_set, 0);

	isl_set_free(plain);
	return has == isl_bool_true;
}

__isl_give isl_set *poly_range_of(__isl_keep isl_set *set, int dim)
{
	int n = isl_set_dim(set, isl_dim_set);

	set = isl_set_project_out(isl_set_copy(set), isl_dim_set, dim + 1,
		n - dim - 1);
	return isl_set_reset_tuple_id(isl_set_project_out(set, isl_dim_set, 0,
		dim));
}

/* The hull may lack a bound that each part has: where the parts are bounded by
 * different sizes, no constraint of one need hold for another.
 */
__isl_give isl_set *poly_range_hull(struct poly_prog *prog,
	__isl_take isl_set *range)
{
	isl_set *hull;

	range = poly_set_coalesce(isl_set_intersect_params(range,
		isl_set_copy(prog->context)));
	hull = isl_set_from_basic_set(isl_set_simple_hull(
		isl_set_copy(range)));
	if (poly_range_has_bound(hull, false) &&
	    poly_range_has_bound(hull, true)) {
		isl_set_free(range);
		return hull;
	}
	isl_set_free(hull);
	return range;
}

static __isl_give isl_pw_aff *bound(struct poly_prog *prog,
	__isl_take isl_set *range, bool upper)
{
	isl_pw_aff *value;

	range = poly_range_hull(prog, range);
	value = upper ? isl_set_dim_max(range, 0) : isl_set_dim_min(range, 0);
	return isl_pw_aff_gist_params(value, isl_set_copy(prog->context));
}

__isl_give isl_pw_aff *poly_range_first(struct poly_prog *prog,
	__isl_take isl_set *range)
{
	return bound(prog, range, false);
}

__isl_give isl_pw_aff *poly_range_length(struct poly_prog *prog,
	__isl_take isl_set *range)
{
	isl_pw_aff *n = isl_pw_aff_sub(
		bound(prog, isl_set_copy(range), true),
		bound(prog, isl_set_copy(range), false));
	isl_local_space *params = isl_local_space_from_space(
		isl_set_get_space(prog->context));
	isl_pw_aff *none = isl_pw_aff_from_aff(
		isl_aff_zero_on_domain(params));
	isl_pw_aff *one;

	isl_set_free(range);
	n = isl_pw_aff_add_constant_val(n, isl_val_one(prog->ctx));
	one = everywhere(prog, n);
	if (one) {
		isl_pw_aff_free(n);
		isl_pw_aff_free(none);
		return one;
	}
	n = isl_pw_aff_union_max(n, none);
	n = isl_pw_aff_gist_params(n, isl_set_copy(prog->context));
	return poly_pw_aff_coalesce(n);
}

/* What size "p" typically is: all points are those of the program. */
static int64_t typical(const struct poly_prog *prog, const struct poly_param *p)
{
	if (p->fixed)
		return p->value;
	if (p->behind)
		return 0;
	return prog->trial.guess ? prog->trial.guess : UNKNOWN;
}

__isl_give isl_set *poly_at_size(const struct poly_prog *prog,
	__isl_take isl_set *set, int i, int64_t value)
{
	int pos = isl_set_find_dim_by_name(set, isl_dim_param,
		prog->param[i].name);

	return pos < 0 ? set : isl_set_fix_val(set, isl_dim_param, pos,
		isl_val_int_from_si(prog->ctx, (long)value));
}

/* "set" for the sizes that are fixed or typical. */
static __isl_give isl_set *at_typical_sizes(struct poly_prog *prog,
	__isl_take isl_set *set)
{
	for (int i = 0; i < prog->n_param; i++)
		set = poly_at_size(prog, set, i,
			typical(prog, &prog->param[i]));
	return isl_set_project_out_all_params(set);
}

double poly_array_count(struct poly_prog *prog, const struct poly_array *array)
{
	double n = 1;

	for (int i = 0; i < array->n_dim; i++) {
		isl_set *last = isl_set_from_pw_aff(
			isl_multi_pw_aff_get_at(array->extent, i));
		isl_val *most = isl_set_dim_max_val(at_typical_sizes(prog,
			last), 0);

		n *= isl_val_is_int(most) == isl_bool_true ?
			isl_val_get_d(most) : UNKNOWN;
		isl_val_free(most);
	}
	return n;
}

double poly_range_count(struct poly_prog *prog, __isl_take isl_set *set,
	int dim)
{
	isl_val *least, *most;
	double n = UNKNOWN;

	set = at_typical_sizes(prog, set);
	if (isl_set_is_empty(set) == isl_bool_true) {
		isl_set_free(set);
		return 0;
	}
	least = isl_set_dim_min_val(isl_set_copy(set), dim);
	most = isl_set_dim_max_val(set, dim);
	if (isl_val_is_int(least) == isl_bool_true &&
	    isl_val_is_int(most) == isl_bool_true)
		n = isl_val_get_d(most) - isl_val_get_d(least) + 1;
	isl_val_free(least);
	isl_val_free(most);
	return n;
}

double poly_value_count(struct poly_prog *prog,
	__isl_keep isl_union_set *domain, __isl_take isl_union_pw_aff *member)
{
	isl_union_set *values = isl_union_set_apply(isl_union_set_copy(domain),
		isl_union_map_from_union_pw_aff(member));
	double n = 0;

	if (isl_union_set_is_empty(values) == isl_bool_false)
		n = poly_range_count(prog, isl_set_from_union_set(
			isl_union_set_copy(values)), 0);
	isl_union_set_free(values);
	return n;
}

__isl_give isl_set *poly_known_sizes(struct poly_prog *prog)
{
	isl_set *set = isl_set_params(isl_set_copy(prog->context));

	for (int i = 0; i < prog->n_param; i++) {
		isl_id *id = isl_id_alloc(prog->ctx, prog->param[i].name, NULL);
		int pos = isl_set_find_dim_by_id(set, isl_dim_param, id);

		if (pos < 0) {
			pos = isl_set_dim(set, isl_dim_param);
			set = isl_set_add_dims(set, isl_dim_param, 1);
			set = isl_set_set_dim_id(set, isl_dim_param, pos,
				isl_id_copy(id));
		}
		isl_id_free(id);
		set = isl_set_lower_bound_si(set, isl_dim_param, pos, 0);
		if (prog->param[i].fixed)
			set = isl_set_fix_val(set, isl_dim_param, pos,
				isl_val_int_from_si(prog->ctx,
					prog->param[i].value));
	}
	return set;
}

char *poly_assumed_sizes(struct poly_prog *prog)
{
	isl_set *set = isl_set_params(isl_set_copy(prog->context)), *natural;
	char *text = NULL;

	for (int i = 0; i < prog->n_param; i++) {
		int pos = isl_set_find_dim_by_name(set, isl_dim_param,
			prog->param[i].name);

		if (pos >= 0 && prog->param[i].hidden != POLY_KNOWN)
			set = isl_set_project_out(set, isl_dim_param, pos, 1);
	}
	natural = isl_set_universe(isl_set_get_space(set));
	for (int i = 0; i < isl_set_dim(set, isl_dim_param); i++)
		natural = isl_set_lower_bound_si(natural, isl_dim_param, i, 0);
	set = isl_set_coalesce(isl_set_gist(set, natural));
	if (isl_set_plain_is_universe(set) == isl_bool_false)
		text = isl_set_to_str(set);
	isl_set_free(set);
	return text;
}

/* The last dimension of "a" that has more than one index for sizes in "known". */
static int row_dim(const struct poly_prog *prog, const struct poly_array *a,
	__isl_keep isl_set *known)
{
	int d = a->n_dim - 1;

	for (; d > 0 && !a->stride; d--) {
		isl_pw_aff *n = isl_multi_pw_aff_get_at(a->extent, d);
		isl_set *one = isl_set_params(isl_pw_aff_zero_set(
			isl_pw_aff_add_constant_val(n,
				isl_val_negone(prog->ctx))));
		isl_bool is = isl_set_is_subset(known, one);

		isl_set_free(one);
		if (is != isl_bool_true)
			break;
	}
	return d;
}

/* Known from the number of dimensions alone, often; only else are sizes asked. */
int poly_row_dim(struct poly_prog *prog, const struct poly_array *a)
{
	isl_set *known;
	int d;

	if (a->n_dim < 2 || a->stride)
		return a->n_dim - 1;
	known = poly_known_sizes(prog);
	d = row_dim(prog, a, known);
	isl_set_free(known);
	return d;
}

int64_t poly_greatest(struct poly_prog *prog, __isl_keep isl_pw_aff *pa)
{
	isl_val *most = isl_pw_aff_max_val(isl_pw_aff_intersect_params(
		isl_pw_aff_copy(pa), poly_known_sizes(prog)));
	int64_t n = isl_val_is_int(most) == isl_bool_true ?
		isl_val_get_num_si(most) : 0;

	isl_val_free(most);
	return n;
}

int64_t poly_most_tiles(struct poly_prog *prog, const struct poly_kernel *k, int dim)
{
	return poly_greatest(prog, k->grid[dim]);
}

int64_t poly_fixed_extent(struct poly_prog *prog, const struct poly_array *a,
	int dim)
{
	isl_pw_aff *n = isl_pw_aff_intersect_params(
		isl_multi_pw_aff_get_at(a->extent, dim),
		poly_known_sizes(prog));
	isl_val *least = isl_pw_aff_min_val(isl_pw_aff_copy(n));
	isl_val *most = isl_pw_aff_max_val(n);
	int64_t extent = -1;

	if (isl_val_is_int(most) == isl_bool_true &&
	    isl_val_eq(least, most) == isl_bool_true)
		extent = isl_val_get_num_si(most);
	isl_val_free(least);
	isl_val_free(most);
	return extent;
}

__isl_give isl_set *poly_whole_rows(const struct poly_prog *prog,
	const struct poly_array *a, int row, int n)
{
	isl_space *space = isl_set_get_space(prog->context);
	isl_set *whole = isl_set_universe(isl_space_copy(space));
	int d = a->stride ? 0 : row, end = a->stride ? a->n_dim - 1 : row + 1;

	for (; d < end; d++) {
		isl_pw_aff *step = a->stride ? isl_pw_aff_from_aff(poly_size_at(
			isl_space_copy(space), poly_array_stride(prog, a, d))) :
			isl_multi_pw_aff_get_at(a->extent, d);

		step = isl_pw_aff_mod_val(step, isl_val_int_from_si(prog->ctx, n));
		whole = isl_set_intersect(whole,
			isl_set_params(isl_pw_aff_zero_set(step)));
	}
	isl_space_free(space);
	return whole;
}

int poly_row_align(struct poly_prog *prog, const struct poly_array *a)
{
	int size = poly_type_size(a->type), n = POLY_RUN_BYTES / size;
	isl_set *known = poly_known_sizes(prog), *whole;
	int row = row_dim(prog, a, known);

	for (; n > 1 && a->n_dim; n /= 2) {
		bool is;

		whole = poly_whole_rows(prog, a, row, n);
		is = isl_set_is_subset(known, whole) == isl_bool_true;
		isl_set_free(whole);
		if (is)
			break;
	}
	isl_set_free(known);
	return n > 1 && a->n_dim ? n * size : size;
}

/* Append the text of the context of "prog". */
static void add_context(const struct poly_prog *prog, struct poly_str *out)
{
	char *text = isl_set_to_str(prog->context);

	if (text)
		poly_str_add(out, text);
	free(text);
}

isl_bool poly_prog_fits(struct poly_prog *prog, const int64_t *size,
	struct poly_str *out)
{
	isl_set *known = poly_known_sizes(prog);
	isl_bool none;

	for (int i = 0; i < prog->n_param - prog->n_hidden; i++)
		known = poly_at_size(prog, known, i, size[i]);
	none = isl_set_is_empty(known);
	isl_set_free(known);
	if (none == isl_bool_true)
		add_context(prog, out);
	return isl_bool_not(none);
}
