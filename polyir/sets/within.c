/* Affine functions in a shorter form that holds on a box: divisions by numbers lose
 * what is a multiple, and those whose rest stays within one multiple go.
 *
 *	floor((9c + 3r + s)/9), where 0 <= 3r + s < 9, is c
 */
#include <stdlib.h>

#include <isl/ilp.h>
#include <isl/local_space.h>
#include <isl/space.h>
#include <isl/val.h>

#include "polyir/sets/sets.h"

/* The least and greatest value of each variable, the parameters first; NULL where
 * there is no bound.
 */
struct poly_bounds {
	int n_param, n;
	isl_val **bound[2];
};

static const enum isl_dim_type type_of[] = { isl_dim_param, isl_dim_in };

void poly_bounds_free(struct poly_bounds *box)
{
	if (!box)
		return;
	for (int side = 0; side < 2; side++) {
		for (int i = 0; box->bound[side] && i < box->n; i++)
			isl_val_free(box->bound[side][i]);
		free(box->bound[side]);
	}
	free(box);
}

/* The bound of variable "i" of "set"; NULL if it has none. */
static __isl_give isl_val *bound_of(__isl_keep isl_set *set, int n_param, int i,
	int side)
{
	isl_local_space *space = isl_local_space_from_space(
		isl_set_get_space(set));
	isl_aff *var = isl_aff_var_on_domain(space,
		i < n_param ? isl_dim_param : isl_dim_set,
		(unsigned)(i < n_param ? i : i - n_param));
	isl_val *v = side ? isl_set_max_val(set, var) : isl_set_min_val(set, var);

	isl_aff_free(var);
	if (isl_val_is_int(v) == isl_bool_true)
		return v;
	isl_val_free(v);
	return NULL;
}

struct poly_bounds *poly_bounds_of(__isl_keep isl_set *set)
{
	int n_param = (int)isl_set_dim(set, isl_dim_param);
	int n = n_param + (int)isl_set_dim(set, isl_dim_set);
	struct poly_bounds *box = n < 0 ? NULL : calloc(1, sizeof(*box));

	if (!box)
		return NULL;
	*box = (struct poly_bounds){ .n_param = n_param, .n = n };
	for (int side = 0; side < 2; side++) {
		box->bound[side] = calloc((size_t)n + 1, sizeof(isl_val *));
		if (!box->bound[side]) {
			poly_bounds_free(box);
			return NULL;
		}
		for (int i = 0; i < n; i++)
			box->bound[side][i] = bound_of(set, n_param, i, side);
	}
	return box;
}

static __isl_give isl_val *coefficient(__isl_keep isl_aff *aff, const struct poly_bounds *box,
	int i)
{
	int in = i >= box->n_param;

	return isl_aff_get_coefficient_val(aff, type_of[in],
		in ? i - box->n_param : i);
}

/* "sum" and "v" times the bound that makes it least or greatest; both are taken. NULL
 * if there is none.
 */
static __isl_give isl_val *add_bound(__isl_take isl_val *sum, __isl_take isl_val *v,
	__isl_take isl_val *least, __isl_take isl_val *most, int side)
{
	isl_val *bound = (isl_val_is_neg(v) == isl_bool_true) == !side ? most : least;

	isl_val_free(bound == most ? least : most);
	if (bound)
		return isl_val_add(sum, isl_val_mul(v, bound));
	isl_val_free(sum);
	isl_val_free(v);
	return NULL;
}

/* The least (0) or greatest (1) value of "aff" on "box", rational, NULL if unknown:
 * that of its terms apart.
 */
static __isl_give isl_val *value_bound(__isl_keep isl_aff *aff, const struct poly_bounds *box,
	int side)
{
	isl_val *sum = isl_aff_get_constant_val(aff);
	int n_div = (int)isl_aff_dim(aff, isl_dim_div);

	for (int i = 0; sum && i < box->n + n_div; i++) {
		bool div = i >= box->n;
		isl_val *v = div ? isl_aff_get_coefficient_val(aff, isl_dim_div,
			i - box->n) : coefficient(aff, box, i);
		isl_val *bound[2];
		isl_aff *e;

		if (isl_val_is_zero(v) == isl_bool_true) {
			isl_val_free(v);
			continue;
		}
		e = div ? isl_aff_get_div(aff, i - box->n) : NULL;
		for (int b = 0; b < 2; b++)
			bound[b] = div ? value_bound(e, box, b) :
				isl_val_copy(box->bound[b][i]);
		for (int b = 0; div && b < 2; b++)
			bound[b] = bound[b] ? isl_val_floor(bound[b]) : NULL;
		isl_aff_free(e);
		sum = add_bound(sum, v, bound[0], bound[1], side);
	}
	return sum;
}

/* The constant and the terms of the variables of "aff", or the whole part of each
 * coefficient of these.
 */
static __isl_give isl_aff *plain_part(__isl_keep isl_aff *aff,
	const struct poly_bounds *box, bool whole)
{
	isl_aff *sum = isl_aff_zero_on_domain(isl_local_space_from_space(
		isl_aff_get_domain_space(aff)));
	isl_val *v = isl_aff_get_constant_val(aff);

	sum = isl_aff_set_constant_val(sum, whole ? isl_val_floor(v) : v);
	for (int i = 0; i < box->n; i++) {
		int in = i >= box->n_param;

		v = coefficient(aff, box, i);
		sum = isl_aff_set_coefficient_val(sum, type_of[in],
			in ? i - box->n_param : i, whole ? isl_val_floor(v) : v);
	}
	return sum;
}

/* "aff" with the whole part of each coefficient. */
static __isl_give isl_aff *whole_part(__isl_keep isl_aff *aff,
	const struct poly_bounds *box)
{
	isl_aff *whole = plain_part(aff, box, true);
	int n_div = (int)isl_aff_dim(aff, isl_dim_div);

	for (int i = 0; i < n_div; i++)
		whole = isl_aff_add(whole, isl_aff_scale_val(
			isl_aff_floor(isl_aff_get_div(aff, i)), isl_val_floor(
			isl_aff_get_coefficient_val(aff, isl_dim_div, i))));
	return whole;
}

/* Is "rest" between 0 and 1, without 1, up to a number? Then that number, else NULL. */
static __isl_give isl_val *fixed_floor(__isl_keep isl_aff *rest, const struct poly_bounds *box)
{
	isl_val *least = value_bound(rest, box, 0), *most = value_bound(rest, box, 1);

	least = least ? isl_val_floor(least) : NULL;
	most = most ? isl_val_floor(most) : NULL;
	if (least && most && isl_val_eq(least, most) != isl_bool_true) {
		isl_val_free(least);
		least = NULL;
	}
	if (!most)
		least = isl_val_free(least);
	isl_val_free(most);
	return least;
}

/* The floor of "e", which is taken. */
static __isl_give isl_aff *shorten_floor(__isl_take isl_aff *e, const struct poly_bounds *box)
{
	isl_aff *whole;
	isl_val *fixed;

	e = poly_bounds_shorten(e, box);
	whole = whole_part(e, box);
	e = isl_aff_sub(e, isl_aff_copy(whole));
	fixed = fixed_floor(e, box);
	if (!fixed)
		return isl_aff_add(whole, isl_aff_floor(e));
	isl_aff_free(e);
	return isl_aff_add_constant_val(whole, fixed);
}

__isl_give isl_aff *poly_bounds_shorten(__isl_take isl_aff *aff,
	const struct poly_bounds *box)
{
	int n_div = (int)isl_aff_dim(aff, isl_dim_div);
	isl_aff *sum;

	if (n_div <= 0)
		return aff;
	sum = plain_part(aff, box, false);
	for (int i = 0; i < n_div; i++) {
		isl_val *v = isl_aff_get_coefficient_val(aff, isl_dim_div, i);
		bool none = isl_val_is_zero(v) == isl_bool_true;

		if (none)
			isl_val_free(v);
		else
			sum = isl_aff_add(sum, isl_aff_scale_val(shorten_floor(
				isl_aff_get_div(aff, i), box), v));
	}
	isl_aff_free(aff);
	return sum;
}
