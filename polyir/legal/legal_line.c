/* Operations along the lines of a tile: what each thread of a line holds.
 *
 * A thread has what an operation of its line has made; so no dependence of such a
 * value, which is in registers, needs a barrier as long as it stays on the line. For
 * that:
 *
 * - the kernel has one tile along the line, or one cluster of tiles that all have
 *   the operation; threads put together what they have (poly_has_line_lanes);
 * - an array in registers is written along one set of axes, by all that write it;
 * - what stands on a line reads only registers that its threads hold alike;
 * - a REDUCE has a cell for each line, and no other;
 * - a SCAN has a cell for each point, its points on a line lie side by side, and what
 *   it reads is the cell of the point before;
 * - where that is in another tile, it is the last point of the tile before along the
 *   other axis, and all tiles but the first of these have one: so they can be taken in
 *   turn, each by whoever comes next (nvptx/lower/lower_relay.c).
 */
#include <isl/ilp.h>
#include <isl/space.h>

#include "polyir/base/base.h"
#include "polyir/ir/in_rows.h"
#include "polyir/ir/ir.h"
#include "polyir/ir/recurrence.h"
#include "polyir/sets/sets.h"
#include "polyir/layout/layout.h"
#include "polyir/legal/legal.h"


bool poly_has_line_lanes(const struct poly_kernel *k, int axis)
{
	int n = k->thread[axis], columns = k->thread[1];

	if (k->unit && columns != poly_unit_columns(k))
		return false;
	return !(n & (n - 1)) && !(columns & (columns - 1)) &&
		k->thread[0] * columns % POLY_LANES == 0;
}

static isl_stat refuse(struct poly_prog *prog, const struct poly_stmt *s,
	const char *pass)
{
	return poly_refuse_pairs(prog, MSG_POLY_OWNER, pass,
		isl_union_set_identity(isl_union_set_from_set(
			isl_set_copy(s->domain))));
}

/* The operations of a kernel. */
struct lines {
	struct poly_prog *prog;
	const struct poly_kernel *kernel;
	struct poly_stmt **op;
	int n;
	unsigned along;		/* of the operation that is looked at */
	bool right;
};

/* Do the operations that write "array" stand on lines of the same axes? */
static bool is_written_alike(const struct lines *l,
	const struct poly_array *array)
{
	unsigned along = poly_lines_of(l->op, l->n, array);

	for (int i = 0; i < l->n; i++)
		for (int k = 0; k < l->op[i]->n_member; k++)
			if (l->op[i]->member[k]->write_array == array &&
			    l->op[i]->along != along)
				return false;
	return true;
}

static void look_at_read(struct poly_expr *leaf, void *user)
{
	struct lines *l = user;

	if (leaf->array->space == POLY_REGISTER)
		l->right &= (poly_lines_of(l->op, l->n, leaf->array) &
			l->along) == l->along;
}

/* Has each line a cell of "m", the member of a REDUCE, and no two the same? */
static bool has_own_cells(struct lines *l, const struct poly_stmt *m)
{
	isl_map *at = isl_map_intersect_range(isl_map_from_multi_aff(
		isl_multi_aff_copy(m->at)), isl_set_copy(m->domain));
	bool own;

	at = isl_map_intersect_params(at, poly_known_sizes(l->prog));
	at = isl_map_apply_range(at, isl_map_from_multi_pw_aff(
		isl_multi_pw_aff_copy(m->write_index)));
	at = isl_map_apply_domain(at, poly_line_map(l->prog, l->kernel,
		l->along));
	own = isl_map_is_single_valued(at) == isl_bool_true &&
		isl_map_is_injective(at) == isl_bool_true;
	isl_map_free(at);
	return own;
}

/* "{ [p0, p1, z..] -> [p0, p1 + by, z..] }" for all "by" above 0 along the axis of "l". */
static __isl_give isl_map *later_points(const struct lines *l, int n)
{
	isl_space *space = isl_space_set_alloc(l->prog->ctx, 0, n);
	isl_map *later = isl_map_universe(isl_space_map_from_set(space));
	int d = l->along & POLY_AXIS_0 ? 0 : 1;

	for (int i = 0; i < n; i++)
		if (i != d)
			later = isl_map_equate(later, isl_dim_in, i,
				isl_dim_out, i);
	return isl_map_order_lt(later, isl_dim_in, d, isl_dim_out, d);
}

/* Do the points at which the member "m" stands lie side by side on each line? */
static bool is_whole(const struct lines *l, __isl_take isl_set *points)
{
	isl_map *later = later_points(l, isl_set_dim(points, isl_dim_set));
	isl_set *behind = isl_set_apply(isl_set_copy(points),
		isl_map_copy(later));
	isl_set *between = isl_set_intersect(behind, isl_set_apply(
		isl_set_copy(points), isl_map_reverse(later)));
	bool whole = isl_set_is_subset(between, points) == isl_bool_true;

	isl_set_free(between);
	isl_set_free(points);
	return whole;
}

/* "{ [p0, p1, z..] -> [p0 + 1, q1, z..] }" for a line along axis 1: from the last of
 * "points" on a line to the first one of the next.
 */
static __isl_give isl_map *next_lines(const struct lines *l,
	__isl_keep isl_set *points)
{
	int n = isl_set_dim(points, isl_dim_set), other = l->along &
		POLY_AXIS_0 ? 1 : 0;
	isl_map *later = later_points(l, n), *next;
	isl_multi_aff *step = isl_multi_aff_identity_on_domain_space(
		isl_set_get_space(points));
	isl_set *last = isl_set_subtract(isl_set_copy(points), isl_set_apply(
		isl_set_copy(points), isl_map_reverse(isl_map_copy(later))));
	isl_set *first = isl_set_subtract(isl_set_copy(points), isl_set_apply(
		isl_set_copy(points), later));

	next = isl_map_from_multi_aff(isl_multi_aff_set_at(step, other,
		isl_aff_add_constant_si(isl_multi_aff_get_at(step, other), 1)));
	next = isl_map_eliminate(next, isl_dim_out, 1 - other, 1);
	return isl_map_intersect_range(isl_map_intersect_domain(next, last),
		first);
}

/* The cell that the member "m" of a SCAN accesses at a point by "index". */
static __isl_give isl_map *cells_of(const struct poly_stmt *m,
	__isl_keep isl_multi_pw_aff *index)
{
	return isl_map_apply_range(isl_map_from_multi_aff(
		isl_multi_aff_copy(m->at)), isl_map_from_multi_pw_aff(
		isl_multi_pw_aff_copy(index)));
}

/* Reads the member "m" of a SCAN, where it stands first on a line but in tile 0, the
 * cell of the last point of the line before, by "before", and it alone?
 */
static bool goes_on(const struct lines *l, const struct poly_stmt *m,
	__isl_keep isl_set *points, __isl_keep isl_map *before)
{
	isl_map *next = next_lines(l, points);
	isl_map *own = cells_of(m, m->write_index), *same;
	int other = l->along & POLY_AXIS_0 ? 1 : 0;
	isl_set *first = isl_set_subtract(isl_set_copy(points), isl_set_apply(
		isl_set_copy(points), later_points(l, isl_set_dim(points,
		isl_dim_set)))), *read;
	bool on;

	same = isl_map_apply_range(isl_map_reverse(isl_map_copy(next)), own);
	same = isl_map_intersect(same, isl_map_copy(before));
	first = isl_set_lower_bound_si(first, isl_dim_set, other, 1);
	read = isl_map_domain(same);
	on = isl_set_is_subset(first, read) == isl_bool_true;
	isl_set_free(first);
	isl_set_free(read);
	isl_map_free(next);
	return on;
}

/* Has each point a cell of its own, and reads "m", the member of a SCAN that stands at
 * "points", that of the point before?
 */
static bool reads_before(const struct lines *l, const struct poly_stmt *m,
	__isl_keep isl_set *points)
{
	struct poly_recurrence r;
	isl_map *own = cells_of(m, m->write_index), *before, *next;
	int n = isl_map_dim(own, isl_dim_in);
	bool reads = isl_map_is_injective(own) == isl_bool_true &&
		poly_recurrence_read(l->prog, m, &r);

	next = later_points(l, n);
	before = isl_map_apply_range(isl_map_copy(next), isl_map_copy(next));
	next = isl_map_subtract(next, before);
	before = reads ? cells_of(m, r.before->index) : NULL;
	if (reads && r.over >= 0) {
		next = isl_map_union(next, next_lines(l, points));
		before = isl_map_intersect_domain(before, isl_set_copy(points));
		reads = goes_on(l, m, points, before);
	}
	own = isl_map_apply_range(isl_map_reverse(next), own);
	reads = reads && isl_map_is_subset(before, own) == isl_bool_true;
	isl_map_free(before);
	isl_map_free(own);
	return reads;
}

/* Can the blocks of the kernel take the tiles of the SCAN member "m" in turn? A warp
 * hands on for its block, which has one line; there is room for a known number of tiles.
 */
static bool takes_turns(const struct lines *l, const struct poly_stmt *m)
{
	const struct poly_kernel *k = l->kernel;
	struct poly_recurrence r;

	return !poly_recurrence_read(l->prog, m, &r) || r.over < 0 ||
		(l->along == POLY_AXIS_1 && k->tile[0] == 1 && !k->blocks &&
		k->thread[1] > POLY_LANES && poly_most_tiles(l->prog, k, 0) > 0 &&
		poly_kernel_n_host(l->prog, k) == 0 &&
		poly_cluster(k, 0) * poly_cluster(k, 1) == 1);
}

/* Is the member "m" of a SCAN right? */
static bool is_right_scan(const struct lines *l, struct poly_stmt *m)
{
	isl_set *points = isl_set_preimage_multi_aff(isl_set_copy(m->domain),
		isl_multi_aff_copy(m->at));
	bool right;

	points = isl_set_intersect_params(points, poly_known_sizes(l->prog));
	right = is_whole(l, isl_set_copy(points)) && takes_turns(l, m) &&
		reads_before(l, m, points) &&
		m->write_array->space == POLY_REGISTER &&
		poly_lines_of(l->op, l->n, m->write_array) == 0;
	isl_set_free(points);
	return right;
}

/* Is the member "m" of "op", which stands on lines, what it must be? */
static bool is_right(struct lines *l, const struct poly_stmt *op,
	struct poly_stmt *m)
{
	if (op->kind == POLY_SCAN)
		return is_right_scan(l, m);
	l->right = !m->fold && !m->atomic && !m->across &&
		is_written_alike(l, m->write_array);
	if (op->kind == POLY_REDUCE)
		return l->right && m->write_array->space == POLY_REGISTER &&
			has_own_cells(l, m);
	for (int d = 0; d < 2; d++)
		if (l->along & 1u << d)
			l->right &= isl_multi_aff_involves_dims(m->at,
				isl_dim_in, d, 1) == isl_bool_false;
	poly_expr_each_access(m->rhs, look_at_read, l);
	return l->right;
}

/* Has "op", if it stands on any tile of the cluster along "axis", all of them? */
static bool has_whole_clusters(const struct lines *l,
	const struct poly_stmt *op, int axis)
{
	isl_set *tiles = isl_set_intersect_params(isl_set_copy(op->domain),
		poly_known_sizes(l->prog));
	isl_set *all = isl_set_project_out(isl_set_copy(tiles), isl_dim_set,
		axis, 1);
	bool whole;

	all = isl_set_insert_dims(all, isl_dim_set, axis, 1);
	all = isl_set_lower_bound_si(all, isl_dim_set, axis, 0);
	all = isl_set_upper_bound_si(all, isl_dim_set, axis,
		poly_cluster(l->kernel, axis) - 1);
	all = isl_set_set_tuple_name(all, op->name);
	whole = isl_set_is_subset(all, tiles) == isl_bool_true;
	isl_set_free(all);
	isl_set_free(tiles);
	return whole;
}

/* Has the kernel one tile along "axis", or one cluster of them, whose threads can
 * put together values, if "op" does?
 */
static bool has_one_tile(const struct lines *l, const struct poly_stmt *op,
	int axis)
{
	isl_val *n = isl_pw_aff_max_val(isl_pw_aff_intersect_params(
		isl_pw_aff_copy(l->kernel->grid[axis]),
		poly_known_sizes(l->prog)));
	bool one = isl_val_is_int(n) == isl_bool_true &&
		isl_val_cmp_si(n, poly_cluster(l->kernel, axis)) <= 0;

	isl_val_free(n);
	return one && has_whole_clusters(l, op, axis) &&
		(op->kind == POLY_GROUP ||
			poly_has_line_lanes(l->kernel, axis)) &&
		(op->kind != POLY_SCAN || poly_cluster(l->kernel, axis) == 1);
}

isl_stat poly_check_lines(struct poly_prog *prog,
	const struct poly_kernel *kernel, struct poly_stmt **op, int n,
	const char *pass)
{
	struct lines l = { .prog = prog, .kernel = kernel, .op = op, .n = n };

	for (int i = 0; i < n; i++) {
		l.along = op[i]->along;
		for (int d = 0; d < 2; d++)
			if ((l.along & 1u << d) && !has_one_tile(&l, op[i], d))
				return refuse(prog, op[i], pass);
		for (int k = 0; l.along && k < op[i]->n_member; k++)
			if (!is_right(&l, op[i], op[i]->member[k]))
				return refuse(prog, op[i]->member[k], pass);
	}
	return isl_stat_ok;
}

__isl_give isl_union_map *poly_row_pairs(struct poly_prog *prog,
	struct poly_stmt **op, int n)
{
	isl_union_map *all = isl_union_map_empty(isl_set_get_space(
		prog->context));

	for (int i = 0; i < n && !(prog->have & POLY_HAVE_TILES); i++) {
		isl_union_set *own;
		isl_union_map *flow;

		if (op[i]->kind != POLY_POINT || !poly_in_rows(prog, op[i]))
			continue;
		own = isl_union_set_from_set(isl_set_copy(op[i]->domain));
		flow = isl_union_map_intersect_domain(isl_union_map_copy(
			prog->deps.flow), isl_union_set_copy(own));
		all = isl_union_map_union(all,
			isl_union_map_intersect_range(flow, own));
	}
	return all;
}
