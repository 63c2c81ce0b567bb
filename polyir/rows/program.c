/* What a row program gains by statements of its own, while it is still a program of
 * points:
 *
 * - rows of arrays that come from elsewhere are loaded once, before all else:
 *
 *	x_row[i, j] = x[i, j]		t_row[i] = t[i]
 *
 * - what the group makes and others see, and it goes on to read itself, is kept in a
 *   temporary, which is stored when it is done:
 *
 *	s_row[i] += e[i, j]		s[i] = s_row[i]
 */
#include <stdlib.h>
#include <string.h>

#include <isl/aff.h>
#include <isl/space.h>

#include "polyir/base/base.h"
#include "polyir/ir/ir.h"
#include "polyir/ir/recurrence.h"
#include "polyir/text/text.h"
#include "polyir/rows/rows.h"

/* ------------------------------------------------------------------- the members */

/* Let the new statement "stmt", the last of the program, be a member of the group,
 * with the axes "axis", and stand at position "at".
 */
static bool add_member(struct poly_row_group *g, int at,
	const signed char *axis)
{
	int n = g->n_stmt + 1;
	bool *in = realloc(g->in, n * sizeof(*in));
	signed char (*all)[POLY_ROW_DIMS];

	if (in)
		g->in = in;
	all = in ? realloc(g->axis, n * sizeof(*all)) : NULL;
	if (!all)
		return false;
	g->axis = all;
	poly_move_stmt(g->prog, n - 1, at);
	memmove(&in[at + 1], &in[at], (n - 1 - at) * sizeof(*in));
	memmove(&all[at + 1], &all[at], (n - 1 - at) * sizeof(*all));
	in[at] = true;
	memcpy(all[at], axis, sizeof(*all));
	g->n_stmt = n;
	return true;
}

/* "{ LIKE[..] -> S[..] }": the same point of "stmt" as of one whose dimension d has the
 * axis d, or, with "back", the other way round.
 */
static __isl_give isl_multi_aff *by_axes(const struct poly_row_group *g,
	int stmt, __isl_keep isl_space *points, bool back)
{
	const struct poly_stmt *s = g->prog->stmt[stmt];
	isl_space *own = isl_set_get_space(s->domain);
	isl_space *axes = isl_space_align_params(isl_space_copy(points),
		isl_space_params(isl_space_copy(own)));
	isl_space *from = back ? own : axes, *to = back ? axes : own;
	int n = isl_space_dim(to, isl_dim_set);
	isl_aff_list *list = isl_aff_list_alloc(isl_space_get_ctx(to), n);
	isl_local_space *local = isl_local_space_from_space(
		isl_space_copy(from));

	for (int d = 0; d < n; d++) {
		int at = g->axis[stmt][d];

		for (int e = 0; back && e < POLY_ROW_DIMS; e++)
			if (g->axis[stmt][e] == d)
				at = e;
		list = isl_aff_list_add(list, isl_aff_var_on_domain(
			isl_local_space_copy(local), isl_dim_set, at));
	}
	isl_local_space_free(local);
	return isl_multi_aff_from_aff_list(
		isl_space_map_from_domain_and_range(from, to), list);
}

/* ------------------------------------------------------------------------- loads */

/* Reads of one array at one function of the points, by members that go along rows. */
struct load {
	struct poly_row_group *g;
	int stmt;			/* whose reads are looked at */
	struct poly_array *array;
	isl_multi_pw_aff *index;	/* on "points"; NULL: none yet */
	isl_space *points;		/* [axis 0, axis 1, ..] */
	isl_set *domain;		/* where it is read */
	int n_read, last;		/* statements that do, and the last one */
	bool update;			/* one of them is a reduction, or a scan */
	struct poly_array *row;		/* that takes its place */
	int n_axis;			/* that this has: a row may have one */
	bool moves;			/* reads that move along the row */
	bool replaces, failed;
};

/* What "leaf" reads, as a function of the points. */
static __isl_give isl_multi_pw_aff *at_points(const struct load *l,
	const struct poly_expr *leaf)
{
	return isl_multi_pw_aff_pullback_multi_aff(
		isl_multi_pw_aff_copy(leaf->index),
		by_axes(l->g, l->stmt, l->points, false));
}

/* Let the read "leaf" be one of the row. */
static void take_row(struct load *l, struct poly_expr *leaf)
{
	isl_multi_aff *ma = by_axes(l->g, l->stmt, l->points, true);
	int n = isl_multi_aff_dim(ma, isl_dim_out);

	ma = isl_multi_aff_drop_dims(ma, isl_dim_out, l->n_axis,
		n - l->n_axis);
	ma = isl_multi_aff_set_tuple_name(ma, isl_dim_out, l->row->name);
	isl_multi_pw_aff_free(leaf->index);
	leaf->index = isl_multi_pw_aff_from_multi_aff(ma);
	leaf->array = l->row;
}

/* Does "index", on the points, move along a row? */
static bool moves_along(const struct load *l,
	__isl_keep isl_multi_pw_aff *index)
{
	return isl_multi_pw_aff_involves_dims(index, isl_dim_in, l->g->n_kept,
		l->g->n_row) != isl_bool_false;
}

/* Callback for each access in a member. The first read of the array, of the
 * kind asked for, decides the index of the row; further reads at the same index
 * are counted with it, or, with "replaces", become reads of the row.
 */
static void look_at_leaf(struct poly_expr *leaf, void *user)
{
	struct load *l = user;
	isl_multi_pw_aff *index;
	isl_set *own;

	if (leaf->array != l->array)
		return;
	index = at_points(l, leaf);
	l->failed |= !index;
	if (!l->index && !l->replaces && moves_along(l, index) == l->moves)
		l->index = isl_multi_pw_aff_copy(index);
	if (!l->index ||
	    isl_multi_pw_aff_is_equal(index, l->index) != isl_bool_true) {
		isl_multi_pw_aff_free(index);
		return;
	}
	isl_multi_pw_aff_free(index);
	if (l->replaces) {
		take_row(l, leaf);
		return;
	}
	own = isl_set_apply(isl_set_copy(l->g->prog->stmt[l->stmt]->domain),
		isl_map_from_multi_aff(by_axes(l->g, l->stmt, l->points,
			true)));
	l->domain = l->domain ? isl_set_union(l->domain, own) : own;
	l->n_read += l->last != l->stmt;
	l->last = l->stmt;
	l->update |= poly_is_update(l->g->prog->stmt[l->stmt]) ||
		poly_recurrence_read(l->g->prog, l->g->prog->stmt[l->stmt],
			NULL);
}

/* Look at the reads of the members from "first" on, or replace them. */
static void look_at_reads(struct load *l, int first)
{
	for (l->stmt = first; l->stmt < l->g->n_stmt; l->stmt++)
		if (l->g->in[l->stmt] && poly_row_is_long(l->g, l->stmt))
			poly_expr_each_access(l->g->prog->stmt[l->stmt]->rhs,
				look_at_leaf, l);
}

/* How many values "axis" has, a function of the parameters. */
static __isl_give isl_pw_aff *extent_of(const struct poly_row_group *g, int axis)
{
	isl_space *space = isl_set_get_space(g->prog->context);
	isl_pw_aff *n = isl_pw_aff_from_aff(isl_aff_val_on_domain(
		isl_local_space_from_space(space), isl_val_int_from_si(g->prog->ctx,
		g->open & 1u << axis ? 0 : g->extent[axis])));

	for (int i = 0; g->open & 1u << axis && i < g->n_stmt; i++) {
		isl_set *domain = g->prog->stmt[i]->domain;
		int n_dim = isl_set_dim(domain, isl_dim_set);

		for (int d = 0; g->in[i] && d < n_dim; d++)
			if (g->axis[i][d] == axis)
				n = isl_pw_aff_union_max(n, isl_pw_aff_add_constant_val(
					isl_set_dim_max(isl_set_copy(domain), d),
					isl_val_one(g->prog->ctx)));
	}
	return n;
}

/* A temporary with a place for each value of the first "n" axes, of the type of "like".
 */
static struct poly_array *add_row(const struct poly_row_group *g,
	const struct poly_array *like, int n)
{
	char *name = poly_unique_name(g->prog, like->name, "row");
	isl_space *space = isl_space_set_from_params(
		isl_set_get_space(g->prog->context));
	isl_multi_pw_aff *extent;
	struct poly_array *row = NULL;

	space = isl_space_add_dims(space, isl_dim_set, n);
	if (name)
		space = isl_space_set_tuple_name(space, isl_dim_set, name);
	extent = isl_multi_pw_aff_zero(space);
	for (int d = 0; d < n; d++)
		extent = isl_multi_pw_aff_set_at(extent, d, extent_of(g, d));
	if (name)
		row = poly_prog_add_array(g->prog, name, like->type, POLY_TEMP,
			extent);
	else
		isl_multi_pw_aff_free(extent);
	free(name);
	if (row)
		row->loc = like->loc;
	return row;
}

/* "set" with the names of the dimensions of statement "like". */
static __isl_give isl_set *named_like(__isl_take isl_set *set,
	const struct poly_row_group *g, int like)
{
	const struct poly_stmt *s = g->prog->stmt[like];

	for (int d = 0; d < isl_set_dim(s->domain, isl_dim_set); d++) {
		const char *name = isl_set_get_dim_name(s->domain, isl_dim_set,
			d);

		if (name)
			set = isl_set_set_dim_name(set, isl_dim_set,
				g->axis[like][d], name);
	}
	return set;
}

/* "set", which is taken, in one piece if its simple hull has no more. */
static __isl_give isl_set *in_one(__isl_take isl_set *set)
{
	isl_set *hull;

	set = poly_set_coalesce(set);
	if (isl_set_n_basic_set(set) < 2)
		return set;
	hull = isl_set_from_basic_set(isl_set_simple_hull(isl_set_copy(set)));
	if (isl_set_is_subset(hull, set) == isl_bool_true) {
		isl_set_free(set);
		return hull;
	}
	isl_set_free(hull);
	return set;
}

/* Where the load of "l" runs, by its name "name". */
static __isl_give isl_set *load_domain(const struct load *l, const char *name)
{
	isl_set *set = named_like(in_one(isl_set_copy(l->domain)), l->g,
		l->last);
	int n = isl_set_dim(set, isl_dim_set);

	set = isl_set_project_out(set, isl_dim_set, l->n_axis, n - l->n_axis);
	return isl_set_set_tuple_name(set, name);
}

/* What the load of "l" reads, by its name "name". */
static __isl_give isl_multi_pw_aff *load_index(const struct load *l,
	const char *name)
{
	int n = isl_multi_pw_aff_dim(l->index, isl_dim_in);

	return isl_multi_pw_aff_set_tuple_name(isl_multi_pw_aff_drop_dims(
		isl_multi_pw_aff_copy(l->index), isl_dim_in, l->n_axis,
		n - l->n_axis), isl_dim_in, name);
}

/* Add the statement of "l", before the member "first". */
static bool add_load(struct load *l, int first)
{
	struct poly_row_group *g = l->g;
	char *name = poly_unique_name(g->prog, l->array->name, "load");
	signed char axis[POLY_ROW_DIMS];
	struct poly_stmt *s = NULL;
	isl_multi_aff *own;

	l->n_axis = g->n_kept;
	if (l->moves)
		l->n_axis += g->n_row;
	memset(axis, -1, sizeof(axis));
	for (int d = 0; d < l->n_axis; d++)
		axis[d] = (signed char)d;
	l->row = name ? add_row(g, l->array, l->n_axis) : NULL;
	if (l->row)
		s = poly_prog_add_stmt(g->prog, name, POLY_POINT,
			load_domain(l, name));
	if (s) {
		own = isl_multi_aff_identity_on_domain_space(
			isl_set_get_space(s->domain));
		own = isl_multi_aff_set_tuple_name(own, isl_dim_out,
			l->row->name);
		s->loc = g->prog->stmt[l->last]->loc;
		poly_stmt_set_write(s, l->row,
			isl_multi_pw_aff_from_multi_aff(own), POLY_OP_NONE,
			poly_expr_access(l->array, load_index(l, name)));
	}
	free(name);
	return s && s->rhs && add_member(g, first, axis);
}

/* Load what members read of "array" alike, with "moves" what moves along rows, the
 * first of them being "first", if that is read again, or summed up.
 */
static bool load_rows(struct poly_row_group *g, struct poly_array *array,
	bool moves, int first, bool *more)
{
	struct load l = { .g = g, .array = array, .last = -1,
		.moves = moves };
	bool ok = true;

	l.points = isl_space_set_alloc(g->prog->ctx, 0, g->n_kept + g->n_row);
	look_at_reads(&l, first);
	ok = !l.failed;
	*more = false;
	if (ok && l.index && (l.n_read > 1 || l.update)) {
		ok = add_load(&l, first);
		l.replaces = true;
		if (ok)
			look_at_reads(&l, first + 1);
		*more = ok;
	}
	isl_multi_pw_aff_free(l.index);
	isl_set_free(l.domain);
	isl_space_free(l.points);
	return ok;
}

/* Load rows of all arrays that the group does not write itself, before its
 * first member: of each array first what moves along rows, then what does not.
 * An array may have several loads, one for each index.
 */
static bool load_all(struct poly_row_group *g)
{
	int first = 0, n_array = g->prog->n_array;

	while (first < g->n_stmt && !g->in[first])
		first++;
	for (int i = 0; i < 2 * n_array; i++) {
		struct poly_array *a = g->prog->array[i / 2];
		bool more = !poly_row_makes(g, a);

		while (more)
			if (!load_rows(g, a, i % 2 == 0, first, &more))
				return false;
	}
	return true;
}

/* ------------------------------------------------------------------------ stores */

/* Does anyone but the members see what they write to "array": the caller, or a
 * statement that accesses it?
 */
static bool is_seen_outside(const struct poly_row_group *g,
	const struct poly_array *array)
{
	if (!poly_is_temp(array))
		return true;
	for (int i = 0; i < g->n_stmt; i++)
		if (!g->in[i] && poly_stmt_accesses(g->prog->stmt[i], array))
			return true;
	return false;
}

/* Does a member read "array", or update it? */
static bool is_read_inside(const struct poly_row_group *g,
	const struct poly_array *array)
{
	for (int i = 0; i < g->n_stmt; i++) {
		struct poly_stmt *s = g->prog->stmt[i];

		if (g->in[i] && (poly_expr_accesses(s->rhs, array) ||
		    (s->write_array == array && poly_is_update(s))))
			return true;
	}
	return false;
}

/* Let the members have "temp" in the place of "array". */
static void replace(struct poly_row_group *g, const struct poly_array *array,
	struct poly_array *temp)
{
	for (int i = 0; i < g->n_stmt; i++)
		if (g->in[i])
			poly_stmt_rename(g->prog->stmt[i], array, temp);
}

/* The elements of "array" that members write, by the statement "name", whose axes, in
 * "axis", are those of the array; the last of these statements in "*last".
 */
static __isl_give isl_set *written(const struct poly_row_group *g,
	const struct poly_array *array, const char *name, signed char *axis,
	int *last)
{
	isl_set *all = NULL;

	memset(axis, -1, POLY_ROW_DIMS);
	for (int i = 0; i < g->n_stmt; i++) {
		struct poly_stmt *s = g->prog->stmt[i];
		isl_set *own;

		if (!g->in[i] || s->write_array != array)
			continue;
		own = isl_map_range(poly_stmt_write(s));
		all = all ? isl_set_union(all, own) : own;
		for (int k = 0; k < array->n_dim; k++)
			axis[k] = g->axis[i][poly_index_dim(s->write_index, k,
				s)];
		*last = i;
	}
	all = isl_set_set_tuple_name(poly_set_coalesce(all), name);
	for (int k = 0; k < array->n_dim; k++) {
		const struct poly_stmt *s = g->prog->stmt[*last];
		const char *dim = isl_set_get_dim_name(s->domain, isl_dim_set,
			poly_index_dim(s->write_index, k, s));

		if (dim)
			all = isl_set_set_dim_name(all, isl_dim_set, k, dim);
	}
	return all;
}

/* Set "array" by a statement of its own from a temporary that the members have in its
 * place.
 */
static bool store(struct poly_row_group *g, struct poly_array *array)
{
	char *name = poly_unique_name(g->prog, array->name, "store");
	struct poly_array *temp = poly_add_like(g->prog, array, "row");
	signed char axis[POLY_ROW_DIMS];
	struct poly_stmt *s = NULL;
	int last = -1;

	if (name && temp)
		s = poly_prog_add_stmt(g->prog, name, POLY_POINT,
			written(g, array, name, axis, &last));
	if (s) {
		isl_multi_aff *own = isl_multi_aff_identity_on_domain_space(
			isl_set_get_space(s->domain));
		isl_multi_pw_aff *to = isl_multi_pw_aff_from_multi_aff(
			isl_multi_aff_set_tuple_name(own, isl_dim_out,
				array->name));

		replace(g, array, temp);
		s->loc = g->prog->stmt[last]->loc;
		poly_stmt_set_write(s, array, to, POLY_OP_NONE,
			poly_expr_access(temp, isl_multi_pw_aff_set_tuple_name(
				isl_multi_pw_aff_copy(to), isl_dim_out,
				temp->name)));
	}
	free(name);
	return s && s->rhs && add_member(g, last + 1, axis);
}

/* Members that go on with what they write to an array get a temporary in its
 * place if others see the array; a statement behind them stores it.
 */
static bool store_all(struct poly_row_group *g)
{
	int n_array = g->prog->n_array;

	for (int i = 0; i < n_array; i++) {
		struct poly_array *a = g->prog->array[i];

		if (poly_row_makes(g, a) && is_read_inside(g, a) &&
		    is_seen_outside(g, a) && !store(g, a))
			return false;
	}
	return true;
}

isl_stat poly_row_program(struct poly_row_group *g)
{
	return store_all(g) && load_all(g) ? isl_stat_ok : isl_stat_error;
}
