/* polyir: the points of a scan in tiles. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <isl/aff.h>
#include <isl/ilp.h>
#include <isl/space.h>

#include "polyir/ir/ir.h"
#include "polyir/sets/sets.h"
#include "polyir/text/text.h"
#include "polyir/scans/divide.h"

/* ------------------------------------------------------------------- points */

static const char *old_name(const struct poly_divide *d, int dim)
{
	const char *name = isl_set_get_dim_name(d->stmt->domain, isl_dim_set,
		dim);

	return name ? name : "i";
}

/* The points of statement "name": [outer.., b], and r if "inner". */
__isl_give isl_space *poly_divide_points(const struct poly_divide *d, const char *name,
	bool inner)
{
	isl_space *space = isl_space_set_from_params(
		isl_set_get_space(d->prog->context));
	char dim[64];

	space = isl_space_add_dims(space, isl_dim_set, d->n + inner);
	for (int i = 0; i < d->n - 1; i++)
		space = isl_space_set_dim_name(space, isl_dim_set, i,
			old_name(d, d->box->outer[i]));
	snprintf(dim, sizeof(dim), "%.40s_tile", old_name(d, d->box->r.dim));
	space = isl_space_set_dim_name(space, isl_dim_set, d->n - 1, dim);
	if (inner)
		space = isl_space_set_dim_name(space, isl_dim_set, d->n,
			old_name(d, d->box->r.dim));
	return isl_space_set_tuple_name(space, isl_dim_set, name);
}

__isl_give isl_aff *poly_divide_var(__isl_keep isl_space *space, int dim)
{
	return isl_aff_var_on_domain(isl_local_space_from_space(
		isl_space_copy(space)), isl_dim_set, dim);
}

__isl_give isl_aff *poly_divide_constant(__isl_keep isl_space *space, int64_t v)
{
	return isl_aff_val_on_domain(isl_local_space_from_space(
		isl_space_copy(space)), isl_val_int_from_si(
		isl_space_get_ctx(space), v));
}

/* The element of the old row that is at a point of "space". */
__isl_give isl_aff *poly_divide_element(const struct poly_divide *d,
	__isl_keep isl_space *space)
{
	isl_aff *aff = isl_aff_scale_val(poly_divide_var(space, d->n - 1),
		isl_val_int_from_si(d->prog->ctx, d->length));

	aff = isl_aff_add(aff, poly_divide_var(space, d->n));
	return isl_aff_add(aff, poly_divide_constant(space, d->base));
}

/* "{ X[outer.., b, r] -> S[..] }": the instance of the old statement in the row of a
 * point of "space" whose element is "at", which is taken.
 */
__isl_give isl_multi_aff *poly_divide_instance_at(const struct poly_divide *d,
	__isl_keep isl_space *space, __isl_take isl_aff *at)
{
	isl_space *old = isl_set_get_space(d->box->stmt->domain);
	int n = isl_space_dim(old, isl_dim_set);
	isl_aff_list *list = isl_aff_list_alloc(d->prog->ctx, n);

	for (int k = 0; k < n; k++) {
		int outer = 0;

		while (outer < d->n - 1 && d->box->outer[outer] != k)
			outer++;
		list = isl_aff_list_add(list, k == d->box->r.dim ?
			isl_aff_copy(at) : poly_divide_var(space, outer));
	}
	isl_aff_free(at);
	old = isl_space_align_params(old, isl_space_params(
		isl_space_copy(space)));
	return isl_multi_aff_from_aff_list(isl_space_map_from_domain_and_range(
		isl_space_copy(space), old), list);
}

/* The instance of the old statement at a point, [outer.., b, r]. */
__isl_give isl_multi_aff *poly_divide_instance(const struct poly_divide *d,
	__isl_keep isl_space *space)
{
	return poly_divide_instance_at(d, space, poly_divide_element(d, space));
}

/* "{ X[outer.., b, r] -> T[..] }" to the instance of the statement that begins the
 * row; other dimensions than those of rows have one value.
 */
__isl_give isl_multi_aff *poly_divide_start_instance(const struct poly_divide *d,
	__isl_keep isl_space *space)
{
	const struct poly_stmt *t = d->start;
	isl_space *old = isl_set_get_space(t->domain);
	int n = isl_space_dim(old, isl_dim_set), at[POLY_SCAN_DIMS];
	isl_aff_list *list = isl_aff_list_alloc(d->prog->ctx, n);
	isl_set *known = isl_set_intersect_params(isl_set_copy(t->domain),
		poly_known_sizes(d->prog));

	memset(at, -1, sizeof(at));
	for (int k = 0, outer = 0; k < t->write_array->n_dim; k++)
		if (k != d->box->coord)
			at[poly_index_dim(t->write_index, k, t)] = outer++;
	for (int k = 0; k < n; k++) {
		isl_val *v = at[k] < 0 ? isl_set_dim_min_val(
			isl_set_copy(known), k) : NULL;

		list = isl_aff_list_add(list, at[k] >= 0 ? poly_divide_var(space, at[k]) :
			poly_divide_constant(space, isl_val_get_num_si(v)));
		isl_val_free(v);
	}
	isl_set_free(known);
	old = isl_space_align_params(old, isl_space_params(
		isl_space_copy(space)));
	return isl_multi_aff_from_aff_list(isl_space_map_from_domain_and_range(
		isl_space_copy(space), old), list);
}

/* The points of "set" from the first rows of the old statement on. */
static __isl_give isl_set *in_rows(const struct poly_divide *d,
	__isl_take isl_set *set)
{
	isl_set *old = isl_set_intersect_params(isl_set_copy(
		d->box->stmt->domain), poly_known_sizes(d->prog));

	for (int i = 0; i < d->n - 1; i++) {
		isl_val *v = isl_set_dim_min_val(isl_set_copy(old),
			d->box->outer[i]);

		set = isl_set_lower_bound_val(set, isl_dim_set, i, v);
	}
	isl_set_free(old);
	return set;
}

/* Points of "space" of the tiles from "first" to "last". */
__isl_give isl_set *poly_divide_tiles(const struct poly_divide *d,
	__isl_keep isl_space *space, int64_t first, int64_t last)
{
	isl_set *set = isl_set_universe(isl_space_copy(space));
	isl_ctx *ctx = d->prog->ctx;

	for (int i = 0; i < d->n - 1; i++)
		set = isl_set_upper_bound_val(set, isl_dim_set, i,
			isl_val_int_from_si(ctx, d->box->count[i] - 1));
	set = isl_set_lower_bound_val(set, isl_dim_set, d->n - 1,
		isl_val_int_from_si(ctx, first));
	set = isl_set_upper_bound_val(set, isl_dim_set, d->n - 1,
		isl_val_int_from_si(ctx, last));
	return in_rows(d, set);
}

/* The points of "space" from element "first" of rows on, of the tiles "set". */
__isl_give isl_set *poly_divide_from_element(const struct poly_divide *d,
	__isl_take isl_set *set, __isl_keep isl_space *space, int64_t first)
{
	isl_set *later = isl_aff_ge_set(poly_divide_element(d, space),
		poly_divide_constant(space, first));
	isl_set *end = isl_aff_lt_set(poly_divide_element(d, space),
		poly_divide_constant(space, d->box->end));

	set = isl_set_intersect(isl_set_intersect(set, later), end);
	set = isl_set_lower_bound_si(set, isl_dim_set, d->n, 0);
	return isl_set_upper_bound_val(set, isl_dim_set, d->n,
		isl_val_int_from_si(d->prog->ctx, d->length - 1));
}
