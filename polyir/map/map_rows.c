/* The mapping of row programs (polyir/rows): first a thread has a row, then a block
 * has a tile of whole rows.
 *
 *	after map_points: mark kernel:K		after map_tiles: mark kernel:K
 *	  filter [b0, b1, t0, t1]		  filter [b0, b1]
 *	    band [i, 0] 1 1			    band [t0, t1] 1 1
 *	      mark rows				      sequence
 *	        sequence			        K_points, x_load's group
 *	          band [j] x_load		        K_lines, m_init's, along 1
 *	          m_init			        m_reduce, along 1
 *	          band [j] m			        ..
 *
 * A row program is a nest whose statements go over the rows of one shape: maps,
 * and reductions of a row to a number. poly_row_shape has decided how many
 * threads a row has, how many registers each of these, and how many rows a
 * block; here the tree and the kernel get these numbers, and each statement its
 * "at".
 */
#include <stdlib.h>

#include <isl/space.h>

#include "polyir/base/base.h"
#include "polyir/ir/ir.h"
#include "polyir/ir/recurrence.h"
#include "polyir/layout/layout.h"
#include "polyir/schedule/schedule.h"
#include "polyir/rows/rows.h"
#include "polyir/map/map.h"

/* ----------------------------------------------------------------- to threads */

/* Insert a band of the members "list", which it takes, all parallel.
 *
 * Takes "list".
 */
static __isl_give isl_schedule_node *insert_band(
	__isl_take isl_schedule_node *node,
	__isl_take isl_union_pw_aff_list *list)
{
	isl_space *space = isl_space_set_alloc(
		isl_schedule_node_get_ctx(node), 0,
		isl_union_pw_aff_list_size(list));

	return poly_insert_parallel(node,
		isl_multi_union_pw_aff_from_union_pw_aff_list(space, list));
}

/* The band of the rows is deleted and comes back in two parts: loops of the
 * host or grid, and the two that count points. Along the row there is one
 * point, 0, for each thread goes through its whole row at first. 64 rows a
 * block is what the reference mapping has; map_tiles replaces it.
 */
__isl_give isl_schedule_node *poly_insert_row_points(struct poly_prog *prog,
	__isl_take isl_schedule_node *node, int *thread)
{
	isl_ctx *ctx = isl_schedule_node_get_ctx(node);
	isl_multi_union_pw_aff *band =
		isl_schedule_node_band_get_partial_schedule(node);
	isl_union_pw_aff_list *points = isl_union_pw_aff_list_alloc(ctx, 2);
	isl_union_pw_aff_list *rest = isl_union_pw_aff_list_alloc(ctx, 1);
	struct poly_row_shape shape = { 0 };
	struct poly_row_group g;
	bool ok = poly_row_group_read(&g, prog, node) &&
		poly_row_shape(&g, &shape);

	for (int i = 0; ok && i < g.n_kept; i++)
		if (i != shape.other)
			rest = isl_union_pw_aff_list_add(rest,
				isl_multi_union_pw_aff_get_at(band, i));
	node = isl_schedule_node_delete(node);
	for (int d = 0; ok && d < 2; d++)
		points = isl_union_pw_aff_list_add(points,
			d == shape.along_row ? poly_zero_at(node) :
			isl_multi_union_pw_aff_get_at(band, shape.other));
	thread[shape.along_row] = 1;
	thread[!shape.along_row] = 64;
	isl_multi_union_pw_aff_free(band);
	poly_row_group_clear(&g);
	if (!ok) {
		isl_union_pw_aff_list_free(points);
		isl_union_pw_aff_list_free(rest);
		return isl_schedule_node_free(node);
	}
	return insert_band(insert_band(node, rest), points);
}

/* ------------------------------------------------------------------- to tiles */

/* The mark of the row program of "kernel", or NULL if it is none.
 *
 * Filters and bands may stand between the kernel's mark and that of the rows.
 */
static __isl_give isl_schedule_node *find_mark(struct poly_prog *prog,
	const struct poly_kernel *kernel)
{
	isl_schedule_node *node = poly_kernel_node(prog, kernel);

	while (node && !poly_is_rows(node)) {
		enum isl_schedule_node_type type =
			isl_schedule_node_get_type(node);

		if (type != isl_schedule_node_filter &&
		    type != isl_schedule_node_band)
			return isl_schedule_node_free(node);
		node = isl_schedule_node_child(node, 0);
	}
	return node;
}

/* A nest under way: of which statements each stands where.
 *
 * For the callbacks; nothing is owned.
 */
struct row_nest {
	struct poly_nest *nest;
	const struct poly_row_group *g;
	const struct poly_row_shape *shape;
};

/* The coordinate of a point, [p0, p1, z..], that "axis" is.
 *
 * The axis of the row is p1, or p0 if the row lies down the tile; the last loop
 * over rows is the other of the two, and all further ones are z's.
 */
static int coordinate_of(const struct row_nest *r, int axis)
{
	if (axis >= r->g->n_kept)
		return r->shape->along_row ? 1 : 0;
	if (axis == r->shape->other)
		return r->shape->along_row ? 0 : 1;
	return 2 + axis - (axis > r->shape->other);
}

/* How far points lie apart along the row for one step of "axis", one of the row: these
 * axes count it, the last one fastest.
 *
 * Of a row [c][x] of 8 x 100 elements a step of c is 100 points.
 */
static int step_of(const struct row_nest *r, int axis)
{
	int step = 1;

	for (int i = axis + 1; i < r->g->n_kept + r->g->n_row; i++)
		step *= r->g->extent[i];
	return step;
}

/* The coordinate of the first element of a row: "{ [p0, p1, z..] -> [(7p0) mod 8] }"
 *
 * A row that begins at element 7 of a run has the points 7, 8, ..: point 0
 * would be the run's begin.
 */
static __isl_give isl_aff *first_of(const struct row_nest *r,
	__isl_take isl_local_space *local)
{
	isl_ctx *ctx = r->g->prog->ctx;
	isl_aff *first = isl_aff_zero_on_domain(local);

	for (int i = 0; i < r->g->n_kept; i++)
		first = isl_aff_add_coefficient_si(first, isl_dim_in,
			coordinate_of(r, i), r->shape->phase[i]);
	return isl_aff_mod_val(first, isl_val_int_from_si(ctx, r->shape->run));
}

/* What "axis" is at a point, a function on "local".
 *
 * Takes "local". The inverse of step_of for rows of several axes: floor(p /
 * step) mod extent.
 */
static __isl_give isl_aff *value_of(const struct row_nest *r, int axis,
	__isl_take isl_local_space *local)
{
	isl_ctx *ctx = r->g->prog->ctx;
	isl_aff *aff = isl_aff_var_on_domain(isl_local_space_copy(local),
		isl_dim_set, coordinate_of(r, axis));

	if (axis >= r->g->n_kept && r->shape->shifted)
		aff = isl_aff_sub(aff, first_of(r, local));
	else
		isl_local_space_free(local);
	if (axis < r->g->n_kept || r->g->n_row == 1)
		return aff;
	aff = isl_aff_floor(isl_aff_scale_down_val(aff,
		isl_val_int_from_si(ctx, step_of(r, axis))));
	if (axis > r->g->n_kept)
		aff = isl_aff_mod_val(aff, isl_val_int_from_si(ctx,
			r->g->extent[axis]));
	return aff;
}

/* "{ [p0, p1, z..] -> S[..] }"
 *
 * Affine, as tiles want it: floors are allowed in isl_aff.
 */
static __isl_give isl_multi_aff *point_of(const struct row_nest *r, int stmt)
{
	struct poly_prog *prog = r->g->prog;
	isl_space *to = isl_set_get_space(prog->stmt[stmt]->domain);
	isl_space *from = isl_space_set_alloc(prog->ctx, 0,
		1 + r->g->n_kept);
	int n = isl_space_dim(to, isl_dim_set);
	isl_aff_list *list = isl_aff_list_alloc(prog->ctx, n);
	isl_local_space *local;

	from = isl_space_align_params(from, isl_space_params(
		isl_space_copy(to)));
	local = isl_local_space_from_space(isl_space_copy(from));
	for (int d = 0; d < n; d++)
		list = isl_aff_list_add(list, value_of(r, r->g->axis[stmt][d],
			isl_local_space_copy(local)));
	isl_local_space_free(local);
	return isl_multi_aff_from_aff_list(
		isl_space_map_from_domain_and_range(from, to), list);
}

/* Append statement "stmt" to the nest.
 *
 * What stands once on a line has its point at the line's begin; "on_line" tells
 * map_tiles which operation it becomes.
 */
static void add_point(struct row_nest *r, int stmt)
{
	struct poly_nest *nest = r->nest;
	struct poly_stmt *s = r->g->prog->stmt[stmt];
	int row = r->shape->along_row ? 1 : 0, i = nest->n++;
	isl_map *map;

	isl_multi_aff_free(s->at);
	s->at = point_of(r, stmt);
	map = isl_map_reverse(isl_map_from_multi_aff(
		isl_multi_aff_copy(s->at)));
	if (!poly_row_is_long(r->g, stmt))
		map = isl_map_fix_si(map, isl_dim_out, row, 0);
	nest->point[i] = s;
	nest->map[i] = isl_map_intersect_domain(map,
		isl_set_copy(s->domain));
	if (poly_is_update(s) && poly_row_is_long(r->g, stmt))
		nest->on_line[i] = POLY_LINE_REDUCED;
	else if (poly_recurrence_read(r->g->prog, s, NULL))
		nest->on_line[i] = POLY_LINE_SCANNED;
	else if (!poly_row_is_long(r->g, stmt))
		nest->on_line[i] = POLY_LINE_ONCE;
}

/* Append the statements of a leaf to the nest.
 *
 * A leaf may be reached by several statements in order.
 */
static isl_bool add_leaf(__isl_keep isl_schedule_node *node, void *user)
{
	struct row_nest *r = user;
	struct poly_prog *prog = r->g->prog;
	isl_union_set *domain;
	struct poly_stmt **list;
	int n;

	if (isl_schedule_node_get_type(node) != isl_schedule_node_leaf)
		return isl_bool_true;
	domain = poly_node_domain(node);
	list = poly_stmts_of(prog, domain, &n);
	for (int i = 0; i < n; i++)
		add_point(r, poly_stmt_position(prog, list[i]->name));
	free(list);
	isl_union_set_free(domain);
	return isl_bool_false;
}

/* Is "one" 0 everywhere? */
static bool is_zero(__isl_keep isl_union_pw_aff *one)
{
	isl_union_set *zeros = isl_union_pw_aff_zero_union_set(
		isl_union_pw_aff_copy(one));
	isl_union_set *where = isl_union_pw_aff_domain(
		isl_union_pw_aff_copy(one));
	bool is = isl_union_set_is_subset(where, zeros) == isl_bool_true;

	isl_union_set_free(zeros);
	isl_union_set_free(where);
	return is;
}

/* Append the members of the band "node" to "list", but for those that are 0.
 *
 * Members that are 0 come from poly_insert_row_points.
 */
static __isl_give isl_union_pw_aff_list *add_members(
	__isl_take isl_union_pw_aff_list *list,
	__isl_keep isl_schedule_node *node)
{
	isl_multi_union_pw_aff *band =
		isl_schedule_node_band_get_partial_schedule(node);

	for (int i = 0; i < isl_multi_union_pw_aff_size(band); i++) {
		isl_union_pw_aff *one = isl_multi_union_pw_aff_get_at(band, i);

		if (is_zero(one))
			isl_union_pw_aff_free(one);
		else
			list = isl_union_pw_aff_list_add(list, one);
	}
	isl_multi_union_pw_aff_free(band);
	return list;
}

/* The axes of the statements below "mark", by the bands above and below it: that of
 * the points, which are the outer ones, is the last of those that tell rows apart, as
 * the shape has it where there is a choice.
 */
static bool read_group(struct poly_row_group *g, struct poly_prog *prog,
	__isl_keep isl_schedule_node *mark)
{
	isl_schedule_node *node = isl_schedule_node_copy(mark);
	isl_schedule_node *up = isl_schedule_node_copy(mark);
	isl_union_pw_aff_list *list = isl_union_pw_aff_list_alloc(prog->ctx, 1);
	bool ok;

	for (up = isl_schedule_node_parent(up);
	     isl_schedule_node_get_type(up) == isl_schedule_node_band;
	     up = isl_schedule_node_parent(up))
		list = add_members(list, up);
	isl_schedule_node_free(up);
	node = insert_band(node, list);
	ok = poly_row_group_read(g, prog, node);
	isl_schedule_node_free(node);
	return ok;
}

/* Make "nest" that of the row program below "mark".
 *
 * false where the group is not what it was when rows.c made it. That is an
 * error, not a nest of another kind.
 */
static bool fill_nest(struct poly_nest *nest, __isl_keep isl_schedule_node *mark)
{
	struct poly_row_shape shape;
	struct poly_row_group g;
	struct row_nest r = { nest, &g, &shape };
	struct poly_kernel *k = nest->kernel;
	bool ok = read_group(&g, nest->prog, mark) &&
		poly_row_shape(&g, &shape);

	if (ok) {
		/* All loops over rows but one are batch. */
		nest->n_batch = nest->n_outer = g.n_kept - 1;
		nest->along = shape.along_row ? POLY_AXIS_1 : POLY_AXIS_0;
		isl_schedule_node_foreach_descendant_top_down(mark, add_leaf,
			&r);
		for (int d = 0; d < 2; d++) {
			k->thread[d] = shape.thread[d];
			k->tile[d] = shape.tile[d];
			k->cluster[d] = shape.cluster > 1 &&
				d == shape.along_row ? shape.cluster : 0;
		}
		k->vec[0] = shape.down;
		k->vec[1] = shape.run;
	}
	poly_row_group_clear(&g);
	return ok;
}

/* True: it is a row program, and "nest" is filled in. False: it is none, and
 * "nest" is as it was.
 */
isl_bool poly_nest_rows(struct poly_nest *nest)
{
	isl_schedule_node *mark = find_mark(nest->prog, nest->kernel);
	bool ok;

	if (!mark)
		return isl_bool_false;
	ok = fill_nest(nest, mark);
	isl_schedule_node_free(mark);
	return ok ? isl_bool_true : isl_bool_error;
}
