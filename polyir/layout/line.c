/* Lines of tiles: points that differ along some axes alone.
 *
 * What a reduction along a line makes, and what is computed once on each line from
 * that, every thread of the line holds; elements of such an array are named by the
 * register digits of the other axes:
 *
 *	m[i] max= x[i, j]		reduce, along 1
 *	c[i] = m[i] * scale		group, along 1
 *	y[i, j] = x[i, j] - c[i]	group: at each point
 *
 * What a scan makes, the thread of each point holds; along its line it reads what the
 * point before has:
 *
 *	w[i, j] = w[i, j - 1] + x[i, j]	scan, along 1
 *
 * or, where it goes on over tiles, the last point of the tile before, which hands that on
 * (recurrence.h).
 */
#include <stdlib.h>

#include <isl/space.h>

#include "polyir/ir/ir.h"
#include "polyir/ir/recurrence.h"
#include "polyir/text/text.h"
#include "polyir/base/base.h"
#include "polyir/layout/layout.h"

unsigned poly_lines_of(struct poly_stmt *const *op, int n,
	const struct poly_array *array)
{
	for (int i = 0; i < n; i++)
		for (int k = 0; op[i]->along && op[i]->kind != POLY_SCAN &&
		     k < op[i]->n_member; k++)
			if (op[i]->member[k]->write_array == array)
				return op[i]->along;
	return 0;
}

__isl_give isl_map *poly_line_map(struct poly_prog *prog,
	const struct poly_kernel *kernel, unsigned along)
{
	int n_outer = poly_kernel_n_outer(prog, kernel);
	isl_space *point = poly_point_tuple(prog->ctx, n_outer);
	isl_aff_list *list = isl_aff_list_alloc(prog->ctx, 2 + n_outer);

	for (int d = 0; d < 2; d++)
		list = isl_aff_list_add(list, along & (1u << d) ?
			poly_number(point, 0) : poly_at(point, "p%d", d));
	list = poly_add_at(list, point, 2, 2 + n_outer);
	return poly_function_map(point, NULL, list);
}

/* Where the members of "op" that write registers, or all of them, stand. */
static __isl_give isl_union_map *points_of(struct poly_prog *prog,
	const struct poly_kernel *kernel, const struct poly_stmt *op,
	bool registers)
{
	int n_outer = poly_kernel_n_outer(prog, kernel);
	isl_union_map *points = isl_union_map_empty(
		isl_set_get_space(prog->context));

	for (int i = 0; i < op->n_member; i++) {
		const struct poly_stmt *m = op->member[i];
		isl_map *map;

		if (!m->at || (registers &&
		    m->write_array->space != POLY_REGISTER))
			continue;
		map = isl_map_reverse(poly_own_points(isl_map_reverse(
			poly_member_points(op, m)), n_outer));
		points = isl_union_map_add_map(points, map);
	}
	return points;
}

/* "{ [p0, p1, z..] -> [p0, p1 + 1, z..] }": the next point along "along". */
static __isl_give isl_union_map *next_point(struct poly_prog *prog,
	const struct poly_kernel *kernel, unsigned along)
{
	int n_outer = poly_kernel_n_outer(prog, kernel);
	isl_space *space = isl_space_set_alloc(prog->ctx, 0, 2 + n_outer);
	isl_multi_aff *next = isl_multi_aff_identity_on_domain_space(space);
	int d = along & POLY_AXIS_0 ? 0 : 1;
	isl_aff *aff = isl_aff_add_constant_si(isl_multi_aff_get_at(next, d),
		1);

	return isl_union_map_from_map(isl_map_from_multi_aff(
		isl_multi_aff_set_at(next, d, aff)));
}

/* The pairs of an instance of the member "m" of a SCAN, and that which reads what it has
 * written, if tiles are scanned in turn: some of these are in other tiles.
 */
static __isl_give isl_union_map *turn_pairs(const struct poly_prog *prog,
	const struct poly_stmt *m)
{
	struct poly_recurrence r;
	isl_map *write = poly_stmt_write((struct poly_stmt *)m);

	if (!poly_recurrence_read(prog, m, &r) || r.over < 0) {
		isl_map_free(write);
		return isl_union_map_empty(isl_set_get_space(prog->context));
	}
	return isl_union_map_from_map(isl_map_apply_range(write,
		isl_map_reverse(poly_stmt_read(m, r.before))));
}

/* The pairs of an instance that writes what the SCAN "scan" does, and the instance of
 * this at the next point, which reads that.
 */
static __isl_give isl_union_map *scan_pairs(struct poly_prog *prog,
	const struct poly_kernel *kernel, const struct poly_stmt *scan,
	__isl_keep isl_union_map *all)
{
	isl_union_set *writers = isl_union_set_empty(
		isl_set_get_space(prog->context));
	isl_union_map *from, *to;

	for (int i = 0; i < prog->n_stmt; i++)
		if (prog->stmt[i]->write_array == scan->member[0]->write_array)
			writers = isl_union_set_add_set(writers, isl_set_copy(
				prog->stmt[i]->domain));
	from = isl_union_map_intersect_domain(isl_union_map_copy(all), writers);
	from = isl_union_map_apply_range(from, next_point(prog, kernel,
		scan->along));
	to = points_of(prog, kernel, scan, true);
	from = isl_union_map_apply_range(from, isl_union_map_reverse(to));
	return isl_union_map_union(from, turn_pairs(prog, scan->member[0]));
}

__isl_give isl_union_map *poly_line_pairs(struct poly_prog *prog,
	const struct poly_kernel *kernel, struct poly_stmt *const *op, int n)
{
	isl_union_map *pairs = isl_union_map_empty(
		isl_set_get_space(prog->context));
	isl_union_map *all = isl_union_map_copy(pairs);
	bool any = false;

	for (int i = 0; i < n; i++)
		any |= op[i]->along != 0;
	for (int i = 0; i < n && any; i++)
		all = isl_union_map_union(all,
			points_of(prog, kernel, op[i], false));
	for (int i = 0; i < n; i++) {
		isl_union_map *line, *from, *to;

		if (!op[i]->along)
			continue;
		if (op[i]->kind == POLY_SCAN) {
			pairs = isl_union_map_union(pairs, scan_pairs(prog,
				kernel, op[i], all));
			continue;
		}
		line = isl_union_map_from_map(poly_line_map(prog, kernel,
			op[i]->along));
		from = isl_union_map_apply_range(
			points_of(prog, kernel, op[i], true),
			isl_union_map_copy(line));
		to = isl_union_map_apply_range(isl_union_map_copy(all), line);
		pairs = isl_union_map_union(pairs, isl_union_map_apply_range(
			from, isl_union_map_reverse(to)));
	}
	isl_union_map_free(all);
	return pairs;
}
