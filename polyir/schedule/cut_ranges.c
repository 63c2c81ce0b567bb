/* poly: where loops are cut, and the ranges between. */
#include <stdlib.h>

#include <isl/ilp.h>
#include <isl/space.h>
#include <isl/val.h>

#include "polyir/base/base.h"
#include "polyir/ir/ir.h"
#include "polyir/sets/sets.h"
#include "polyir/legal/legal.h"
#include "polyir/prepare/prepare.h"
#include "polyir/schedule/cut_ranges.h"

/* Parts of the dependences that a loop carries, and values that one of its ranges has at
 * least.
 */
enum { MOST_PARTS = 32, LEAST_VALUES = 16 };

/* ------------------------------------------------------------------- cuts */

void poly_cuts_clear(struct poly_cuts *c)
{
	while (c->n)
		isl_set_free(c->from[--c->n]);
}

/* The values from "at", "{ [..] -> [c] }", on. */
static __isl_give isl_set *values_from(__isl_take isl_aff *at)
{
	isl_map *map = isl_map_from_aff(at);
	isl_map *on = isl_map_universe(isl_space_map_from_set(
		isl_space_range(isl_map_get_space(map))));
	int n = isl_map_dim(map, isl_dim_in);

	on = isl_map_order_le(on, isl_dim_in, 0, isl_dim_out, 0);
	map = isl_map_apply_range(map, on);
	map = isl_map_move_dims(map, isl_dim_out, 0, isl_dim_in, 0, n);
	return isl_map_range(map);
}

/* Does "at" round what depends on the loops around? Ranges that begin at such places
 * are no longer simple.
 */
static bool is_rounded(__isl_keep isl_aff *at)
{
	bool is = false;

	for (int i = 0; i < isl_aff_dim(at, isl_dim_div); i++) {
		isl_aff *div = isl_aff_get_div(at, i);

		is |= isl_aff_involves_dims(div, isl_dim_in, 0,
			isl_aff_dim(div, isl_dim_in)) != isl_bool_false;
		isl_aff_free(div);
	}
	return is;
}

/* Add the cut "at", the value of one piece of the least ends, whatever the
 * domain of the piece: no pair is parted less by a cut more.
 */
static isl_stat add_cut(__isl_take isl_set *where, __isl_take isl_aff *at,
	void *user)
{
	struct poly_cuts *c = user;

	isl_set_free(where);
	c->bad |= c->n == POLY_MOST_TRIED || is_rounded(at);
	if (c->bad) {
		isl_aff_free(at);
		return isl_stat_ok;
	}
	c->from[c->n++] = values_from(at);
	return isl_stat_ok;
}

/* The pairs of "pairs", which are taken, that no cut of "c" but for "without"
 * parts.
 */
static __isl_give isl_map *not_parted(__isl_take isl_map *pairs,
	const struct poly_cuts *c, int without)
{
	for (int i = 0; i < c->n; i++) {
		isl_map *parted;

		if (i == without)
			continue;
		parted = isl_map_intersect_range(isl_map_copy(pairs),
			isl_set_copy(c->from[i]));
		parted = isl_map_subtract_domain(parted,
			isl_set_copy(c->from[i]));
		pairs = isl_map_subtract(pairs, parted);
	}
	return pairs;
}

/* Cut at the least ends of "pairs". */
static void cut_at_least(__isl_keep isl_map *pairs, struct poly_cuts *c)
{
	isl_map *ends = isl_map_from_range(isl_map_range(
		isl_map_copy(pairs)));
	int n = isl_map_dim(ends, isl_dim_out) - 1;
	isl_pw_multi_aff *least;
	isl_pw_aff *at;

	ends = isl_map_move_dims(ends, isl_dim_in, 0, isl_dim_out, 0, n);
	least = isl_map_lexmin_pw_multi_aff(ends);
	at = poly_pw_aff_coalesce(isl_pw_multi_aff_get_at(least, 0));
	isl_pw_multi_aff_free(least);
	isl_pw_aff_foreach_piece(at, add_cut, c);
	isl_pw_aff_free(at);
}

/* Leave out cuts that the others make needless. */
static void drop_needless(__isl_keep isl_map *pairs, struct poly_cuts *c)
{
	for (int i = c->n - 1; i >= 0; i--) {
		isl_map *rest = not_parted(isl_map_copy(pairs), c, i);

		if (isl_map_is_empty(rest) == isl_bool_true) {
			isl_set_free(c->from[i]);
			c->from[i] = c->from[--c->n];
		}
		isl_map_free(rest);
	}
}

/* Find the cuts that part all of "pairs"; false if there are none. */
bool poly_find_cuts(__isl_keep isl_map *pairs, struct poly_cuts *c)
{
	isl_map *rest = isl_map_copy(pairs);
	isl_bool empty = isl_bool_false;

	c->bad = isl_map_n_basic_map(pairs) > MOST_PARTS;
	for (int i = 0; i < POLY_MOST_CUTS && empty == isl_bool_false && !c->bad;
	     i++) {
		cut_at_least(rest, c);
		rest = not_parted(rest, c, -1);
		empty = isl_map_is_empty(rest);
	}
	isl_map_free(rest);
	if (empty != isl_bool_true || c->bad)
		return false;
	drop_needless(pairs, c);
	return c->n <= POLY_MOST_CUTS;
}

/* ----------------------------------------------------------------- ranges */

void poly_ranges_clear(struct poly_ranges *r)
{
	while (r->n)
		isl_set_free(r->range[--r->n]);
}

/* How many bits of "x" are 1. */
static int n_bits(int x)
{
	int n = 0;

	for (; x; x &= x - 1)
		n++;
	return n;
}

/* The values of "all" that are behind just those cuts that are in "mask". */
static __isl_give isl_set *range_of(const struct poly_cuts *c,
	__isl_keep isl_set *all, int mask)
{
	isl_set *range = isl_set_copy(all);

	for (int i = 0; i < c->n; i++)
		range = mask >> i & 1 ?
			isl_set_intersect(range, isl_set_copy(c->from[i])) :
			isl_set_subtract(range, isl_set_copy(c->from[i]));
	return range;
}

/* Of two ranges that are not empty for the same values of what is around, the
 * first is behind fewer cuts.
 */
void poly_find_ranges(const struct poly_cuts *c, __isl_keep isl_set *all,
	struct poly_ranges *r)
{
	for (int bits = 0; bits <= c->n; bits++)
		for (int mask = 0; mask < 1 << c->n; mask++) {
			isl_set *range;

			if (n_bits(mask) != bits)
				continue;
			range = range_of(c, all, mask);
			if (isl_set_is_empty(range) == isl_bool_false)
				r->range[r->n++] = range;
			else
				isl_set_free(range);
		}
}

/* Can "range" have LEAST_VALUES values for one of those around? */
static bool is_long(struct poly_prog *prog, __isl_keep isl_set *range)
{
	isl_map *map = isl_map_from_range(isl_set_intersect_params(
		isl_set_copy(range), poly_known_sizes(prog)));
	int n = isl_map_dim(map, isl_dim_out) - 1;
	isl_val *most;
	bool is;

	map = isl_map_move_dims(map, isl_dim_in, 0, isl_dim_out, 0, n);
	map = isl_map_apply_range(isl_map_reverse(isl_map_copy(map)), map);
	most = isl_set_dim_max_val(isl_map_deltas(map), 0);
	is = isl_val_is_infty(most) == isl_bool_true ||
		(isl_val_is_int(most) == isl_bool_true &&
		 isl_val_cmp_si(most, LEAST_VALUES - 1) >= 0);
	isl_val_free(most);
	return is;
}

/* Is one of the ranges worth it? */
bool poly_has_long_range(struct poly_prog *prog, const struct poly_ranges *r)
{
	for (int i = 0; i < r->n; i++)
		if (is_long(prog, r->range[i]))
			return true;
	return false;
}
