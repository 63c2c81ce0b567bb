/* From accesses to dependences, for single-assignment definitions.
 *
 * Outside C loop nests the text has no order: a value flows from whoever
 * writes a cell to whoever reads it, flow = writes . reads^-1. The updates of
 * a reduction are the exception. They write and read one cell many times, in
 * an order that the floating-point class may leave open, so pairs of updates
 * of one cell are split off:
 *
 *	S(i,j): s[i] += a[i,j]; T(i): t[i] = s[i]
 *	flow      = { S[i,j] -> T[i] for all j; S_init[i] -> S[i,j] }
 *	reduction = { S[i,j] -> S[i,j'] : j < j' }
 *
 * Keeping only the last update as a source, as a last-writer analysis does,
 * would let a schedule run T before the others. Anti and output dependences
 * are empty: a cell has one value, and whatever a reduction overwrites is
 * covered by flow.
 */
#include <stdlib.h>

#include <isl/space.h>

#include "polyir/base/base.h"
#include "polyir/ir/ir.h"
#include "polyir/sets/sets.h"
#include "polyir/deps/deps.h"
#include "polyir/prepare/prepare.h"

/* The pairs of "map" within one statement whose source comes lexicographically
 * before the sink.
 */
static isl_stat add_increasing(__isl_take isl_map *map, void *user)
{
	isl_union_map **result = user;
	isl_space *space = isl_map_get_space(map);

	if (isl_space_tuple_is_equal(space, isl_dim_in, space, isl_dim_out)) {
		isl_map *lt = isl_map_lex_lt(isl_space_domain(
			isl_space_copy(space)));

		map = isl_map_intersect(map, lt);
		*result = isl_union_map_add_map(*result, map);
	} else {
		isl_map_free(map);
	}
	isl_space_free(space);
	return isl_stat_ok;
}

/* writes . reads^-1: writer -> reader of the same cell. */
static __isl_give isl_union_map *meet(__isl_take isl_union_map *from,
	__isl_take isl_union_map *to)
{
	return poly_union_map_coalesce(isl_union_map_apply_range(from,
		isl_union_map_reverse(to)));
}

/* A difference of union maps, made map by map. */
struct difference {
	isl_union_map *minus, *rest;
};

/* Add to the rest what "map" has and the map of its space in "minus" has not.
 */
static isl_stat add_rest(__isl_take isl_map *map, void *user)
{
	struct difference *d = user;
	isl_map *minus = isl_union_map_extract_map(d->minus,
		isl_map_get_space(map));

	if (isl_map_plain_is_empty(minus) == isl_bool_true)
		isl_map_free(minus);
	else
		map = isl_map_subtract(map, minus);
	d->rest = isl_union_map_add_map(d->rest, map);
	return isl_stat_ok;
}

/* "map", which is taken, without "minus". isl (0.25) first makes integer divisions
 * of all variables of "map" that exist, also where there is nothing to subtract.
 */
static __isl_give isl_union_map *subtract(__isl_take isl_union_map *map,
	__isl_keep isl_union_map *minus)
{
	struct difference d = { minus,
		isl_union_map_empty(isl_union_map_get_space(map)) };

	isl_union_map_foreach_map(map, add_rest, &d);
	isl_union_map_free(map);
	return d.rest;
}

void poly_forget_deps(struct poly_prog *prog)
{
	poly_deps_clear(&prog->deps);
	prog->have &= ~POLY_HAVE_DEPS;
}

void poly_deps_of(struct poly_deps *d, __isl_take isl_union_map *reads,
	__isl_take isl_union_map *writes, __isl_take isl_union_map *updates)
{
	isl_space *space = isl_union_map_get_space(writes);
	isl_union_map *pairs;

	d->flow = meet(writes, isl_union_map_copy(reads));
	pairs = meet(isl_union_map_copy(updates), updates);
	d->flow = subtract(d->flow, pairs);
	d->reduction = isl_union_map_empty(isl_space_copy(space));
	isl_union_map_foreach_map(pairs, add_increasing, &d->reduction);
	isl_union_map_free(pairs);
	d->anti = isl_union_map_empty(isl_space_copy(space));
	d->output = isl_union_map_empty(space);
	isl_union_map_free(reads);
	d->rar = isl_union_map_empty(isl_union_map_get_space(d->flow));
}

__isl_give isl_union_map *poly_rar_of(__isl_take isl_union_map *reads)
{
	isl_union_map *same = isl_union_set_identity(
		isl_union_map_domain(isl_union_map_copy(reads)));
	isl_union_map *rar = subtract(meet(isl_union_map_copy(reads), reads),
		same);

	isl_union_map_free(same);
	return rar;
}

/* Is there an instance that needs itself? isl's scheduler would not see it. */
static isl_bool needs_itself(__isl_keep isl_union_map *flow)
{
	isl_union_set *ends = isl_union_map_domain(isl_union_map_copy(flow));
	isl_union_map *same = isl_union_set_identity(ends);
	isl_bool disjoint = isl_union_map_is_disjoint(flow, same);

	isl_union_map_free(same);
	return isl_bool_not(disjoint);
}

/* "flow", which is taken, without what an instance reads of an array that comes in, in
 * the cell that it writes: that is what came in. Other instances write no such cell
 * before, or the program would have an order (polyir/scans/scans.c).
 */
static __isl_give isl_union_map *drop_incoming(struct poly_prog *prog,
	__isl_take isl_union_map *flow)
{
	for (int i = 0; i < prog->n_stmt; i++) {
		const struct poly_stmt *s = prog->stmt[i];
		isl_union_map *same;

		if (s->kind != POLY_POINT || !s->rhs ||
		    s->write_array->role != POLY_INOUT ||
		    !poly_expr_accesses(s->rhs, s->write_array))
			continue;
		same = isl_union_map_from_map(isl_set_identity(
			isl_set_copy(s->domain)));
		flow = isl_union_map_subtract(flow, same);
	}
	return poly_drop_overwritten(prog, flow);
}

isl_stat poly_deps_again(struct poly_prog *prog)
{
	struct poly_deps *d = &prog->deps;
	isl_bool cyclic;

	poly_deps_clear(d);
	if (prog->original) {
		poly_deps_ordered(prog, d, POLY_DEPS_ALL, NULL, NULL);
		poly_forget_atomic(prog);
		return d->flow && d->anti && d->output && d->reduction ?
			isl_stat_ok : poly_isl_error(prog, "deps");
	}
	poly_deps_of(d, poly_reads(prog), poly_writes(prog),
		poly_updates(prog));
	d->flow = poly_deps_of_sizes(prog, drop_incoming(prog, d->flow));
	d->reduction = poly_deps_of_sizes(prog, d->reduction);
	poly_forget_atomic(prog);
	cyclic = needs_itself(d->flow);
	if (cyclic < 0 || !d->reduction)
		return poly_isl_error(prog, "deps");
	if (cyclic) {
		char *text = isl_union_map_to_str(d->flow);

		poly_report_add(prog->report, MSG_POLY_CYCLE, NULL, text);
		free(text);
		return isl_stat_error;
	}
	return isl_stat_ok;
}

void poly_forget_atomic(struct poly_prog *prog)
{
	for (int i = 0; i < prog->n_stmt; i++)
		if (prog->stmt[i]->atomic)
			prog->deps.reduction = isl_union_map_subtract_domain(
				prog->deps.reduction, isl_union_set_from_set(
					isl_set_copy(prog->stmt[i]->domain)));
}
