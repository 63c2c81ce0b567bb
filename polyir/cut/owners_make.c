/* Arrays and statements of updates that cells own. */
#include <stdio.h>
#include <stdlib.h>

#include <isl/val.h>

#include "polyir/cut/owners.h"

/* An array that is made up has as many dimensions as "extent" has functions. */
struct poly_array *poly_owners_array(struct poly_owners *o, const char *suffix,
	enum poly_type type, isl_pw_aff **extent, int n_dim)
{
	char *name = poly_unique_name(o->prog, o->s->write_array->name, suffix);
	isl_space *space = isl_space_set_from_params(isl_set_get_space(
		o->prog->context));
	isl_pw_aff_list *list = isl_pw_aff_list_alloc(o->prog->ctx, n_dim);
	struct poly_array *array = NULL;

	for (int d = 0; d < n_dim; d++)
		list = isl_pw_aff_list_add(list, extent[d]);
	space = isl_space_add_dims(space, isl_dim_set, (unsigned)n_dim);
	if (name)
		array = poly_prog_add_array(o->prog, name, type, POLY_TEMP,
			isl_multi_pw_aff_from_pw_aff_list(isl_space_set_tuple_name(
			space, isl_dim_set, name), list));
	if (!name) {
		isl_space_free(space);
		isl_pw_aff_list_free(list);
	}
	free(name);
	if (array)
		array->loc = o->s->loc;
	o->failed |= !array;
	return array;
}

__isl_give isl_space *poly_owners_points(struct poly_owners *o, const char *suffix,
	int n_dim)
{
	char *name = poly_unique_name(o->prog, o->s->name, suffix);
	isl_space *space = isl_space_set_from_params(isl_set_get_space(
		o->prog->context));

	space = isl_space_add_dims(space, isl_dim_set, (unsigned)n_dim);
	for (int d = 0; d < n_dim; d++) {
		const char dim[2] = { (char)('i' + d), '\0' };

		space = isl_space_set_dim_name(space, isl_dim_set, (unsigned)d, dim);
	}
	space = isl_space_set_tuple_name(space, isl_dim_set, name ? name : "");
	o->failed |= !name;
	free(name);
	return space;
}

__isl_give isl_aff *poly_owners_var(__isl_keep isl_space *space, int d)
{
	return isl_aff_var_on_domain(isl_local_space_from_space(
		isl_space_copy(space)), isl_dim_set, (unsigned)d);
}

struct poly_expr *poly_owners_index(enum poly_type t, __isl_keep isl_space *space, int d)
{
	return poly_expr_index(t, isl_multi_pw_aff_from_pw_aff(isl_pw_aff_from_aff(
		poly_owners_var(space, d))));
}

__isl_give isl_aff *poly_owners_number(__isl_keep isl_space *space, int64_t v)
{
	return isl_aff_val_on_domain(isl_local_space_from_space(isl_space_copy(space)),
		isl_val_int_from_si(isl_space_get_ctx(space), (long)v));
}

__isl_give isl_pw_aff *poly_owners_size(__isl_keep isl_space *space,
	__isl_take isl_pw_aff *pa)
{
	return isl_pw_aff_insert_domain(pa, isl_space_copy(space));
}

__isl_give isl_set *poly_owners_below(__isl_take isl_set *set, int d,
	__isl_take isl_pw_aff *end)
{
	isl_space *space = isl_set_get_space(set);
	isl_set *below = isl_pw_aff_lt_set(isl_pw_aff_from_aff(poly_owners_var(space,
		d)), poly_owners_size(space, end));

	isl_space_free(space);
	set = isl_set_lower_bound_si(set, isl_dim_set, (unsigned)d, 0);
	return isl_set_intersect(set, below);
}

__isl_give isl_multi_pw_aff *poly_owners_at(__isl_keep isl_space *space,
	const struct poly_array *array, __isl_take isl_aff *a, __isl_take isl_aff *b)
{
	isl_space *to = isl_space_set_from_params(isl_space_params(isl_space_copy(
		space)));
	isl_aff_list *list = isl_aff_list_from_aff(a);

	if (b)
		list = isl_aff_list_add(list, b);
	to = isl_space_add_dims(to, isl_dim_set, b ? 2 : 1);
	to = isl_space_set_tuple_name(to, isl_dim_set, array->name);
	return isl_multi_pw_aff_from_multi_aff(isl_multi_aff_from_aff_list(
		isl_space_map_from_domain_and_range(isl_space_copy(space), to), list));
}

struct poly_expr *poly_owners_read(__isl_keep isl_space *space,
	struct poly_array *array, __isl_take isl_aff *a, __isl_take isl_aff *b)
{
	return poly_expr_access(array, poly_owners_at(space, array, a, b));
}

struct poly_stmt *poly_owners_add(struct poly_owners *o, __isl_take isl_space *space,
	__isl_take isl_set *set, struct poly_array *array,
	__isl_take isl_multi_pw_aff *index, enum poly_op op, struct poly_expr *value)
{
	struct poly_stmt *s = NULL;

	if (!o->failed && value)
		s = poly_prog_add_stmt(o->prog, isl_space_get_tuple_name(space,
			isl_dim_set), POLY_POINT, set);
	else
		isl_set_free(set);
	isl_space_free(space);
	o->failed |= !s;
	if (!s) {
		isl_multi_pw_aff_free(index);
		poly_expr_free(value);
		return NULL;
	}
	s->loc = o->s->loc;
	poly_stmt_set_write(s, array, index, op, value);
	return s;
}
