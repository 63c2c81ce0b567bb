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
#include <isl/space.h>

#include "polyir_internal.h"

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

void poly_deps_clear(struct poly_deps *d)
{
	d->flow = isl_union_map_free(d->flow);
	d->anti = isl_union_map_free(d->anti);
	d->output = isl_union_map_free(d->output);
	d->reduction = isl_union_map_free(d->reduction);
	d->rar = isl_union_map_free(d->rar);
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
	isl_union_map *pairs, *same;

	d->flow = meet(writes, isl_union_map_copy(reads));
	pairs = meet(isl_union_map_copy(updates), updates);
	d->flow = isl_union_map_subtract(d->flow, isl_union_map_copy(pairs));
	d->reduction = isl_union_map_empty(isl_space_copy(space));
	isl_union_map_foreach_map(pairs, add_increasing, &d->reduction);
	isl_union_map_free(pairs);
	d->anti = isl_union_map_empty(isl_space_copy(space));
	d->output = isl_union_map_empty(space);
	same = isl_union_set_identity(
		isl_union_map_domain(isl_union_map_copy(reads)));
	d->rar = meet(isl_union_map_copy(reads), reads);
	d->rar = isl_union_map_subtract(d->rar, same);
}

isl_stat poly_deps_again(struct poly_prog *prog)
{
	if (poly_deps(prog) < 0)
		return isl_stat_error;
	isl_union_map_free(prog->deps.rar);
	prog->deps.rar = isl_union_map_empty(isl_set_get_space(prog->context));
	return prog->deps.rar ? isl_stat_ok : isl_stat_error;
}
