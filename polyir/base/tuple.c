/* Tuples with named coordinates, and the functions and sets that are made of them.
 *
 *	space = poly_add_dim(poly_tuple(ctx, "S"), "p%d", 0)		S[p0]
 *	poly_floor(poly_at(space, "p0"), 64)				floor(p0/64)
 *
 * A function of a tuple is a list of such expressions, one for each coordinate of its
 * values. All of it passes NULL on, as isl does.
 *
 * Names serve two ends: spaces of different origin are matched by them, and
 * dumps show them. A coordinate is asked for by name (poly_at), which finds set
 * dimensions first, then parameters.
 */
#include <stdarg.h>
#include <stdio.h>

#include <isl/aff.h>
#include <isl/id.h>
#include <isl/local_space.h>
#include <isl/space.h>
#include <isl/val.h>

#include "polyir/base/base.h"

/* The most bytes of the name of a coordinate. */
enum { NAME = 64 };

/* No dimensions yet; NULL for a tuple without a name. */
__isl_give isl_space *poly_tuple(isl_ctx *ctx, const char *name)
{
	isl_space *space = isl_space_set_alloc(ctx, 0, 0);

	return name ? isl_space_set_tuple_name(space, isl_dim_set, name) : space;
}

/* Each size once, however often it is asked for. */
__isl_give isl_space *poly_add_size(__isl_take isl_space *space,
	const char *name)
{
	unsigned n = (unsigned)isl_space_dim(space, isl_dim_param);

	if (isl_space_find_dim_by_name(space, isl_dim_param, name) >= 0)
		return space;
	space = isl_space_add_dims(space, isl_dim_param, 1);
	return isl_space_set_dim_name(space, isl_dim_param, n, name);
}

/* isl drops a tuple's name when dimensions are added, so that is put back. */
__isl_give isl_space *poly_add_dim(__isl_take isl_space *space,
	const char *format, ...)
{
	unsigned n = (unsigned)isl_space_dim(space, isl_dim_set);
	bool named = isl_space_has_tuple_id(space, isl_dim_set) == isl_bool_true;
	isl_id *id = named ? isl_space_get_tuple_id(space, isl_dim_set) : NULL;
	char name[NAME];
	va_list args;

	va_start(args, format);
	vsnprintf(name, sizeof(name), format, args);
	va_end(args);
	space = isl_space_add_dims(space, isl_dim_set, 1);
	space = isl_space_set_dim_name(space, isl_dim_set, n, name);
	return named ? isl_space_set_tuple_id(space, isl_dim_set, id) : space;
}

__isl_give isl_space *poly_add_dims(__isl_take isl_space *space,
	const char *letter, int from, int to)
{
	for (int i = from; i < to; i++)
		space = poly_add_dim(space, "%s%d", letter, i);
	return space;
}

/* [p0, p1, z0, ..]: the points of a kernel's tile space. */
__isl_give isl_space *poly_point_tuple(isl_ctx *ctx, int n_outer)
{
	return poly_add_dims(poly_add_dims(poly_tuple(ctx, NULL), "p", 0, 2),
		"z", 0, n_outer);
}

/* NULL for a name that is not there, which whatever uses the result passes on.
 */
__isl_give isl_aff *poly_at(__isl_keep isl_space *space, const char *format, ...)
{
	enum isl_dim_type type = isl_dim_set;
	char name[NAME];
	va_list args;
	int pos;

	va_start(args, format);
	vsnprintf(name, sizeof(name), format, args);
	va_end(args);
	pos = isl_space_find_dim_by_name(space, type, name);
	if (pos < 0) {
		type = isl_dim_param;
		pos = isl_space_find_dim_by_name(space, type, name);
	}
	return pos < 0 ? NULL : isl_aff_var_on_domain(
		isl_local_space_from_space(isl_space_copy(space)), type,
		(unsigned)pos);
}

__isl_give isl_aff *poly_number(__isl_keep isl_space *space, int64_t n)
{
	return isl_aff_val_on_domain(isl_local_space_from_space(
		isl_space_copy(space)),
		isl_val_int_from_si(isl_space_get_ctx(space), (long)n));
}

static __isl_give isl_val *value(__isl_keep isl_aff *aff, int64_t n)
{
	return isl_val_int_from_si(isl_aff_get_ctx(aff), (long)n);
}

__isl_give isl_aff *poly_times(__isl_take isl_aff *aff, int64_t n)
{
	isl_val *v = aff ? value(aff, n) : NULL;

	return isl_aff_scale_val(aff, v);
}

/* floor(aff / n), the tile of a point. */
__isl_give isl_aff *poly_floor(__isl_take isl_aff *aff, int64_t n)
{
	isl_val *v = aff ? value(aff, n) : NULL;

	return isl_aff_floor(isl_aff_scale_down_val(aff, v));
}

__isl_give isl_aff *poly_modulo(__isl_take isl_aff *aff, int64_t n)
{
	isl_val *v = aff ? value(aff, n) : NULL;

	return isl_aff_mod_val(aff, v);
}

/* The coordinates "from" to "to" - 1 as they are: most functions of tuples keep
 * most coordinates.
 */
__isl_give isl_aff_list *poly_add_at(__isl_take isl_aff_list *list,
	__isl_keep isl_space *space, int from, int to)
{
	for (int i = from; i < to; i++)
		list = isl_aff_list_add(list, isl_aff_var_on_domain(
			isl_local_space_from_space(isl_space_copy(space)),
			isl_dim_set, (unsigned)i));
	return list;
}

/* Keeps "from", takes "list". */
__isl_give isl_multi_aff *poly_function(__isl_keep isl_space *from,
	const char *to, __isl_take isl_aff_list *list)
{
	isl_space *space = isl_space_from_domain(isl_space_copy(from));

	space = isl_space_add_dims(space, isl_dim_out,
		(unsigned)isl_aff_list_size(list));
	if (to)
		space = isl_space_set_tuple_name(space, isl_dim_out, to);
	return isl_multi_aff_from_aff_list(space, list);
}

/* The same as a relation, taking "from". */
__isl_give isl_map *poly_function_map(__isl_take isl_space *from,
	const char *to, __isl_take isl_aff_list *list)
{
	isl_multi_aff *function = poly_function(from, to, list);

	isl_space_free(from);
	return isl_map_from_multi_aff(function);
}

/* A fixed extent, as of a shared buffer: { name[n0, n1, ..] }. */
__isl_give isl_multi_pw_aff *poly_box(isl_ctx *ctx, const char *name, int n,
	const int64_t *size)
{
	isl_space *params = isl_space_params_alloc(ctx, 0);
	isl_space *space = isl_space_set_alloc(ctx, 0, (unsigned)n);
	isl_aff_list *list = isl_aff_list_alloc(ctx, n);

	for (int i = 0; i < n; i++)
		list = isl_aff_list_add(list, poly_number(params, size[i]));
	isl_space_free(params);
	space = isl_space_set_tuple_name(space, isl_dim_set, name);
	return isl_multi_pw_aff_from_multi_aff(
		isl_multi_aff_from_aff_list(space, list));
}

/* 0 <= aff < n, added to "set". */
__isl_give isl_set *poly_between(__isl_take isl_set *set,
	__isl_take isl_aff *aff, int64_t n)
{
	isl_aff *end = aff ? isl_aff_val_on_domain(
		isl_aff_get_domain_local_space(aff),
		isl_val_int_from_si(isl_aff_get_ctx(aff), (long)n)) : NULL;
	isl_set *least = isl_pw_aff_nonneg_set(isl_pw_aff_from_aff(
		isl_aff_copy(aff)));

	return isl_set_intersect(set, isl_set_intersect(least,
		isl_aff_lt_set(aff, end)));
}

/* A band of any number of members for a schedule tree. */
__isl_give isl_multi_union_pw_aff *poly_band_of(
	__isl_take isl_union_pw_aff_list *list)
{
	isl_space *space = isl_space_set_alloc(
		isl_union_pw_aff_list_get_ctx(list), 0,
		(unsigned)isl_union_pw_aff_list_size(list));

	return isl_multi_union_pw_aff_from_union_pw_aff_list(space, list);
}
