/* How a kernel's statements see one array from the points of its tile space: a
 * value that all of them see at one element of their own point can stay with
 * the thread of that point.
 *
 * With at of the statements, each access is { [p0,p1,z..] -> element }. If all
 * accesses to an array are one and the same such map, and it is injective, each
 * point has an element to itself, and the array can be a register of the
 * point's thread. That is a question of isl sets alone; whether there are
 * registers enough is asked elsewhere.
 */
#include <isl/space.h>

#include "polyir/ir/ir.h"
#include "polyir/layout/layout.h"

/* How the accesses to "array" that have been looked at see it. */
struct view {
	const struct poly_array *array;
	struct poly_stmt *stmt;	/* whose accesses are being looked at */
	int n_outer;
	isl_map *map;		/* [p0, p1, z..] -> element, the first seen */
	bool same;		/* all are that one */
	bool touched;
};

/* Look at an access at "index".
 *
 * A statement without "at" is no member of a tile, so its thread is another
 * one.
 */
static void view_index(struct view *v, __isl_keep isl_multi_pw_aff *index)
{
	isl_map *map;

	v->touched = true;
	if (!v->stmt->at) {
		v->same = false;
		return;
	}
	index = isl_multi_pw_aff_pullback_multi_aff(
		isl_multi_pw_aff_copy(index),
		isl_multi_aff_copy(v->stmt->at));
	map = poly_own_points(isl_map_from_multi_pw_aff(index), v->n_outer);
	/* Along axes that the statement does not stand on, any point will do:
	 * 0.
	 */
	for (int d = 0; d < 2; d++)
		if (isl_multi_aff_involves_dims(v->stmt->at, isl_dim_in, d,
			1) == isl_bool_false)
			map = isl_map_fix_si(map, isl_dim_in, d, 0);
	if (!v->map) {
		v->map = map;
		v->same &= isl_map_is_single_valued(map) == isl_bool_true;
		return;
	}
	v->same &= isl_map_is_equal(map, v->map) == isl_bool_true;
	isl_map_free(map);
}

static void view_leaf(struct poly_expr *leaf, void *user)
{
	struct view *v = user;

	if (leaf->array == v->array)
		view_index(v, leaf->index);
}

/* Look at the accesses of "stmt" to the array of "v". */
static void view_stmt(struct view *v, struct poly_stmt *stmt)
{
	v->stmt = stmt;
	if (stmt->write_array == v->array)
		view_index(v, stmt->write_index);
	poly_expr_each_access(stmt->rhs, view_leaf, v);
}

static void note_leaf(struct poly_expr *leaf, void *user)
{
	struct view *v = user;

	v->touched |= leaf->array == v->array;
}

/* Touching is reading or writing; an index does not matter. */
bool poly_touches(struct poly_stmt *stmt, const struct poly_array *array)
{
	struct view v = { .array = array };

	poly_expr_each_access(stmt->rhs, note_leaf, &v);
	return v.touched || stmt->write_array == array;
}

/* A plain write, which replaces what is there, does not read. */
bool poly_reads_cell(struct poly_stmt *stmt, const struct poly_array *array)
{
	struct view v = { .array = array };

	poly_expr_each_access(stmt->rhs, note_leaf, &v);
	return v.touched || (stmt->write_array == array &&
		poly_is_update(stmt));
}

/* Does "map" give different points, or with "n_fixed" > 0 those that agree in
 * the first n_fixed of the z, different elements?
 *
 * With fixed z: what is the same in one launch, or batch, only.
 */
static bool is_injective(__isl_keep isl_map *map, int n_fixed)
{
	isl_space *space = isl_space_domain(isl_map_get_space(map));
	int n = isl_space_dim(space, isl_dim_set);
	isl_map *fixed = isl_map_identity(isl_space_map_from_set(space));
	bool injective;

	fixed = isl_map_project_out(fixed, isl_dim_out, 2 + n_fixed,
		n - 2 - n_fixed);
	fixed = isl_map_project_out(fixed, isl_dim_out, 0, 2);
	fixed = isl_map_flat_range_product(isl_map_copy(map), fixed);
	injective = isl_map_is_injective(fixed) == isl_bool_true;
	isl_map_free(fixed);
	return injective;
}

/* The points of the tile space at which statements of "list" touch the array. */
static __isl_give isl_set *touching_points(const struct view *v,
	struct poly_stmt **list, int n)
{
	isl_set *all = isl_set_empty(isl_space_domain(isl_map_get_space(
		v->map)));

	for (int i = 0; i < n; i++) {
		isl_map *at;

		if (!poly_touches(list[i], v->array))
			continue;
		at = isl_map_from_multi_aff(isl_multi_aff_copy(list[i]->at));
		at = isl_map_intersect_range(at, isl_set_copy(list[i]->domain));
		all = isl_set_union(all, isl_map_domain(poly_own_points(at,
			v->n_outer)));
	}
	return all;
}

/* NULL if there is no such map, or isl fails; then the array stays where it is.
 * Cost: one equality of maps for each access.
 */
__isl_give isl_map *poly_own_view(const struct poly_array *array,
	struct poly_stmt **list, int n, int n_outer, int n_fixed)
{
	struct view v = { .array = array, .n_outer = n_outer, .same = true };

	for (int i = 0; i < n; i++)
		view_stmt(&v, list[i]);
	if (v.map && v.same && is_injective(v.map, n_fixed))
		return v.map;
	/* 2 a + t is a cell of its own where t is no more than 1. */
	if (v.map && v.same) {
		v.map = isl_map_intersect_domain(v.map,
			touching_points(&v, list, n));
		if (is_injective(v.map, n_fixed))
			return v.map;
	}
	isl_map_free(v.map);
	return NULL;
}
