/* Folds: reductions that begin in the tiles of a kernel.
 *
 * The threads of a block put together what a fold makes at the points of a line
 * that goes through a tile, and one of them writes the cell. So the cell must be
 * that of a line, and of no other one, whatever tile it is in; the first point of
 * a line must be there if another is, as it says where the cell is:
 *
 *	part[i, floor(j/64)] += C[i, j]		tiles of 64 columns: right
 *						of 32: a cell has two lines
 *						of 128: a line has two cells
 *
 * A kernel without tiles has no lines.
 */
#include <isl/space.h>

#include "polyir/base/base.h"
#include "polyir/ir/ir.h"
#include "polyir/sets/sets.h"
#include "polyir/layout/layout.h"
#include "polyir/legal/legal.h"


/* "{ [p0, p1, z..] -> [p0, p1 / 64, z..] }": the line of a point along "axis", or,
 * with "first", "64 (p1 / 64)", its first point.
 */
static __isl_give isl_map *line_of(struct poly_prog *prog,
	const struct poly_kernel *kernel, int n_outer, int axis, bool first)
{
	isl_space *point = poly_point_tuple(prog->ctx, n_outer);
	isl_aff_list *list = isl_aff_list_alloc(prog->ctx, 2 + n_outer);

	for (int d = 0; d < 2; d++) {
		isl_aff *p = poly_at(point, "p%d", d);

		if (d == axis)
			p = poly_floor(p, kernel->tile[d]);
		list = isl_aff_list_add(list, d == axis && first ?
			poly_times(p, kernel->tile[d]) : p);
	}
	list = poly_add_at(list, point, 2, 2 + n_outer);
	return poly_function_map(point, NULL, list);
}

/* Is "map" one to one? It is taken. */
static bool is_one_to_one(__isl_take isl_map *map)
{
	bool is = isl_map_is_single_valued(map) == isl_bool_true &&
		isl_map_is_injective(map) == isl_bool_true;

	isl_map_free(map);
	return is;
}

/* Do "points", with any of a line along "axis", have its first one? */
static bool has_first(struct poly_prog *prog, const struct poly_kernel *kernel,
	int n_outer, int axis, __isl_keep isl_set *points)
{
	isl_set *first = isl_set_apply(isl_set_copy(points),
		line_of(prog, kernel, n_outer, axis, true));
	bool has = isl_set_is_subset(first, points) == isl_bool_true;

	isl_set_free(first);
	return has;
}

/* Lie the threads of a line so that lanes of a warp, or rows of warps, can put
 * together what they have?
 */
static bool has_lanes(const struct poly_kernel *k, int axis)
{
	return poly_has_line_lanes(k, axis) &&
		(axis == 0 || k->thread[axis] <= POLY_LANES);
}

int poly_fold_axis(struct poly_prog *prog, const struct poly_kernel *kernel,
	const struct poly_stmt *s)
{
	int n_outer = poly_kernel_n_outer(prog, kernel), axis;

	for (axis = 1; axis >= 0; axis--) {
		isl_map *at = isl_map_intersect_range(isl_map_from_multi_aff(
			isl_multi_aff_copy(s->at)), isl_set_copy(s->domain));
		isl_set *points;
		bool is;

		at = isl_map_intersect_params(at, poly_known_sizes(prog));
		points = isl_map_domain(isl_map_copy(at));
		is = has_lanes(kernel, axis) &&
			has_first(prog, kernel, n_outer, axis, points);
		isl_set_free(points);
		at = isl_map_apply_range(at, isl_map_from_multi_pw_aff(
			isl_multi_pw_aff_copy(s->write_index)));
		at = isl_map_apply_domain(at, line_of(prog, kernel, n_outer,
			axis, false));
		if (is_one_to_one(at) && is)
			return axis;
	}
	return axis;
}

static isl_stat refuse(struct poly_prog *prog, const struct poly_stmt *s,
	const char *pass)
{
	return poly_refuse_pairs(prog, MSG_POLY_OWNER, pass,
		isl_union_set_identity(isl_union_set_from_set(
			isl_set_copy(s->domain))));
}

isl_stat poly_check_folds(struct poly_prog *prog,
	const struct poly_kernel *kernel, const struct poly_stmt *op,
	const char *pass)
{
	if (op->fold && (prog->have & POLY_HAVE_TILES))
		return refuse(prog, op, pass);
	for (int i = 0; i < op->n_member; i++) {
		const struct poly_stmt *m = op->member[i];

		if (m->fold && (op->kind != POLY_GROUP ||
		    poly_fold_axis(prog, kernel, m) < 0) &&
		    refuse(prog, m, pass) < 0)
			return isl_stat_error;
	}
	return isl_stat_ok;
}
