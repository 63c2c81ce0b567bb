/* What is read of an array that comes in, and is overwritten, where there is no order of
 * the text: if what overwrites a cell needs what is made of what it held, that was read
 * before.
 *
 *	S[i]: old[i] = y[i]	T[i]: y[i] = old[i] + ..	S[i] reads what came in
 */
#include <isl/space.h>

#include "polyir/ir/ir.h"
#include "polyir/sets/sets.h"
#include "polyir/deps/deps.h"

/* Values that lie between the one that was read and the one that overwrites it, at most:
 * of a row program a load, what is made of it, a scan, and what is made of that.
 */
enum { STEPS = 5 };

__isl_give isl_union_map *poly_in_flow(__isl_keep isl_union_map *flow,
	__isl_keep isl_union_map *pairs)
{
	isl_union_map *path = isl_union_map_intersect_domain(
		isl_union_map_copy(flow), isl_union_map_domain(
		isl_union_map_copy(pairs)));
	isl_union_map *found = isl_union_map_intersect(isl_union_map_copy(
		pairs), isl_union_map_copy(path));

	for (int i = 1; i < STEPS && isl_union_map_is_subset(pairs, found) !=
	     isl_bool_true; i++) {
		path = poly_union_map_coalesce(isl_union_map_apply_range(path,
			isl_union_map_copy(flow)));
		found = isl_union_map_union(found, isl_union_map_intersect(
			isl_union_map_copy(pairs), isl_union_map_copy(path)));
	}
	isl_union_map_free(path);
	return found;
}

/* The pairs of a write to "array" and a read of it. */
static __isl_give isl_union_map *through(struct poly_prog *prog,
	const struct poly_array *array)
{
	isl_union_map *read = isl_union_map_empty(isl_set_get_space(
		prog->context)), *write = isl_union_map_copy(read), *all;
	isl_set *cells;

	for (int i = 0; i < prog->n_stmt; i++) {
		struct poly_stmt *s = prog->stmt[i];

		if (s->write_array == array)
			write = isl_union_map_add_map(write, poly_stmt_write(s));
	}
	cells = isl_set_universe(isl_multi_pw_aff_get_space(array->extent));
	all = poly_reads(prog);
	read = isl_union_map_union(read, isl_union_map_intersect_range(all,
		isl_union_set_from_set(cells)));
	return poly_union_map_coalesce(isl_union_map_apply_range(write,
		isl_union_map_reverse(read)));
}

/* Does the program read and write "array" by statements that are no updates of it? */
static bool is_overwritten(const struct poly_prog *prog,
	const struct poly_array *array)
{
	bool reads = false, writes = false;

	for (int i = 0; i < prog->n_stmt; i++) {
		const struct poly_stmt *s = prog->stmt[i];

		if (s->kind != POLY_POINT || !s->rhs)
			continue;
		reads |= poly_expr_accesses(s->rhs, array);
		writes |= s->write_array == array;
		if (s->write_array == array && s->reduce != POLY_OP_NONE)
			return false;
	}
	return reads && writes;
}

__isl_give isl_union_map *poly_drop_overwritten(struct poly_prog *prog,
	__isl_take isl_union_map *flow)
{
	for (int i = 0; i < prog->n_array; i++) {
		const struct poly_array *a = prog->array[i];
		isl_union_map *pairs, *rest, *back;

		if (a->role != POLY_INOUT || !is_overwritten(prog, a))
			continue;
		pairs = isl_union_map_intersect(through(prog, a),
			isl_union_map_copy(flow));
		rest = isl_union_map_subtract(isl_union_map_copy(flow),
			isl_union_map_copy(pairs));
		back = isl_union_map_reverse(pairs);
		pairs = poly_in_flow(rest, back);
		flow = isl_union_map_subtract(flow, isl_union_map_reverse(pairs));
		isl_union_map_free(rest);
		isl_union_map_free(back);
	}
	return flow;
}
