/* poly: the arrays and statements of folds. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <isl/ilp.h>
#include <isl/space.h>
#include <isl/val.h>

#include "polyir/base/base.h"
#include "polyir/ir/ir.h"
#include "polyir/sets/sets.h"
#include "polyir/text/text.h"
#include "polyir/layout/layout.h"
#include "polyir/cost/cost.h"
#include "polyir/legal/legal.h"
#include "polyir/schedule/schedule.h"
#include "polyir/sums/sums.h"
#include "polyir/sums/split.h"

/* --------------------------------------------------------------- what is made */

/* "{ S[i, j] -> S[i, j / 64] }" for dimension "d" of "space". */
static __isl_give isl_multi_aff *to_parts(__isl_take isl_space *space, int d,
	int width)
{
	isl_multi_aff *ma = isl_multi_aff_identity_on_domain_space(space);
	isl_aff *aff = isl_multi_aff_get_at(ma, d);
	isl_val *n = isl_val_int_from_si(isl_aff_get_ctx(aff), width);

	aff = isl_aff_floor(isl_aff_scale_down_val(aff, n));
	return isl_multi_aff_set_at(ma, d, aff);
}

/* "{ S[i, l] -> S[i, 64 l] }": an instance of part l. */
static __isl_give isl_multi_aff *from_parts(__isl_take isl_space *space, int d,
	int width)
{
	isl_multi_aff *ma = isl_multi_aff_identity_on_domain_space(space);
	isl_aff *aff = isl_multi_aff_get_at(ma, d);
	isl_val *n = isl_val_int_from_si(isl_aff_get_ctx(aff), width);

	return isl_multi_aff_set_at(ma, d, isl_aff_scale_val(aff, n));
}

/* "{ S[i, l] -> part[l, i] }" on "space": parts lie apart, cells side by side. */
static __isl_give isl_multi_aff *place(__isl_take isl_space *space, int d,
	const char *name)
{
	int n = isl_space_dim(space, isl_dim_set);
	isl_local_space *local = isl_local_space_from_space(
		isl_space_copy(space));
	isl_aff_list *list = isl_aff_list_alloc(isl_space_get_ctx(space), n);

	for (int i = 0; i < n; i++)
		list = isl_aff_list_add(list, isl_aff_var_on_domain(
			isl_local_space_copy(local), isl_dim_set,
			i == 0 ? d : i <= d ? i - 1 : i));
	isl_local_space_free(local);
	space = isl_space_add_dims(isl_space_from_domain(space), isl_dim_out,
		n);
	space = isl_space_set_tuple_name(space, isl_dim_out, name);
	return isl_multi_aff_from_aff_list(space, list);
}

/* How far below 0 dimension "d" of "cells" begins; a place is that much further. */
static __isl_give isl_val *below_0(struct poly_prog *prog,
	__isl_keep isl_set *cells, int d)
{
	isl_set *set = isl_set_intersect_params(isl_set_copy(cells),
		poly_known_sizes(prog));
	isl_val *least = isl_set_dim_min_val(set, d);

	if (isl_val_is_neg(least) != isl_bool_true)
		least = isl_val_mul_ui(least, 0);
	return isl_val_neg(least);
}

/* "at", moved so that no place of "cells" is below 0. */
static __isl_give isl_multi_aff *from_0(struct poly_prog *prog,
	__isl_take isl_multi_aff *at, __isl_keep isl_set *cells)
{
	int n = isl_set_dim(cells, isl_dim_set);

	for (int d = 0; d < n; d++)
		at = isl_multi_aff_set_at(at, d, isl_aff_add_constant_val(
			isl_multi_aff_get_at(at, d), below_0(prog, cells, d)));
	return at;
}

/* A temporary with a place for each of "cells", of the type in which "like" is
 * computed.
 */
static struct poly_array *add_parts(struct poly_prog *prog,
	const struct poly_array *like, __isl_keep isl_set *cells)
{
	int n = isl_set_dim(cells, isl_dim_set);
	char *name = poly_unique_name(prog, like->name, "part");
	isl_space *space = isl_space_set_from_params(
		isl_set_get_space(prog->context));
	isl_pw_aff_list *list = isl_pw_aff_list_alloc(prog->ctx, n);
	struct poly_array *array;

	for (int d = 0; d < n; d++)
		list = isl_pw_aff_list_add(list, isl_pw_aff_add_constant_val(
			isl_pw_aff_add(
				poly_range_first(prog, poly_range_of(cells, d)),
				poly_range_length(prog, poly_range_of(cells, d))),
			below_0(prog, cells, d)));
	space = isl_space_add_dims(space, isl_dim_set, n);
	space = isl_space_set_tuple_name(space, isl_dim_set, name ? name : "");
	array = poly_prog_add_array(prog, name ? name : "",
		poly_type_partial(like->type), POLY_TEMP,
		isl_multi_pw_aff_from_pw_aff_list(space, list));
	free(name);
	if (array)
		array->loc = like->loc;
	return array;
}

/* The statement that begins what "stmt" does: it makes "parts", of which "index"
 * has the place.
 */
static struct poly_stmt *add_fold(struct poly_prog *prog,
	const struct poly_stmt *stmt, struct poly_array *parts,
	__isl_take isl_multi_pw_aff *index)
{
	char *name = poly_unique_name(prog, stmt->name, "fold");
	struct poly_stmt *s = name ? poly_prog_add_stmt(prog, name, POLY_POINT,
		isl_set_set_tuple_name(isl_set_copy(stmt->domain), name)) :
		NULL;
	isl_multi_aff *same;

	free(name);
	if (!s) {
		isl_multi_pw_aff_free(index);
		return NULL;
	}
	same = isl_multi_aff_identity_on_domain_space(
		isl_set_get_space(stmt->domain));
	same = isl_multi_aff_set_tuple_name(same, isl_dim_in, s->name);
	poly_stmt_set_write(s, parts, isl_multi_pw_aff_set_tuple_name(index,
		isl_dim_in, s->name), stmt->reduce,
		poly_expr_copy(stmt->rhs));
	poly_expr_pullback(s->rhs, same);
	isl_multi_aff_free(same);
	s->fold = true;
	s->loc = stmt->loc;
	return s;
}

/* The dimensions of "set" named as those of "like", "d" as one of parts. */
static __isl_give isl_set *named_like(__isl_take isl_set *set,
	__isl_keep isl_set *like, int d)
{
	char name[64];

	for (int i = 0; i < isl_set_dim(set, isl_dim_set); i++) {
		const char *was = isl_set_get_dim_name(like, isl_dim_set, i);

		snprintf(name, sizeof(name), "%.40s%s", was ? was : "i",
			i == d ? "_part" : "");
		set = isl_set_set_dim_name(set, isl_dim_set, i, name);
	}
	return set;
}

/* Let "stmt" begin in tiles of "width" values of dimension "d". */
bool poly_fold_apply(struct poly_prog *prog, struct poly_stmt *stmt, int d,
	int width)
{
	isl_space *space = isl_set_get_space(stmt->domain);
	isl_multi_aff *to = to_parts(isl_space_copy(space), d, width), *at;
	isl_set *rest = isl_set_apply(isl_set_copy(stmt->domain),
		isl_map_from_multi_aff(isl_multi_aff_copy(to)));
	isl_set *cells = isl_set_apply(isl_set_copy(rest),
		isl_map_from_multi_aff(place(isl_space_copy(space), d, "")));
	struct poly_array *parts = add_parts(prog, stmt->write_array, cells);
	struct poly_stmt *fold;
	isl_multi_pw_aff *index;

	at = place(isl_space_copy(space), d, parts ? parts->name : "");
	at = from_0(prog, at, cells);
	isl_set_free(cells);
	fold = parts ? add_fold(prog, stmt, parts,
		isl_multi_pw_aff_from_multi_aff(
			isl_multi_aff_pullback_multi_aff(
				isl_multi_aff_copy(at), to))) : NULL;
	if (!fold || !fold->rhs) {
		isl_multi_aff_free(at);
		isl_set_free(rest);
		isl_space_free(space);
		return false;
	}
	poly_move_stmt(prog, prog->n_stmt - 1,
		poly_stmt_position(prog, stmt->name));
	index = isl_multi_pw_aff_pullback_multi_aff(
		isl_multi_pw_aff_copy(stmt->write_index),
		from_parts(space, d, width));
	rest = named_like(poly_set_coalesce(rest), stmt->domain, d);
	isl_set_free(stmt->domain);
	stmt->domain = rest;
	poly_stmt_set_write(stmt, stmt->write_array, index, stmt->reduce,
		poly_expr_cast(stmt->rhs->type, poly_expr_access(parts,
			isl_multi_pw_aff_from_multi_aff(at))));
	return stmt->rhs != NULL;
}
