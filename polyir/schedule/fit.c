/* What fits into one kernel: loops whose two outermost are parallel and have
 * one range for all statements, as many parallel loops as the cells of its
 * reductions have dimensions (parts of a sum and what adds them are two), and
 * accumulators that fit into registers.
 */
#include <stdlib.h>

#include "polyir/ir/ir.h"
#include "polyir/schedule/schedule.h"

/* Of a thread's 255 registers, what accumulators may take: two products in
 * f64. A third makes ptxas spill.
 */
#define ACCUMULATOR_WORDS 64

/* The tile space's range of statement "s" in the first two members of the
 * band "node": a set "{ [p0, p1] }".
 */
static __isl_give isl_set *point_range(__isl_keep isl_schedule_node *node,
	struct poly_stmt *s)
{
	isl_union_map *map =
		isl_schedule_node_band_get_partial_schedule_union_map(node);
	isl_set *set;
	int n;

	map = isl_union_map_intersect_domain(map,
		isl_union_set_from_set(isl_set_copy(s->domain)));
	set = isl_set_from_union_set(isl_union_map_range(map));
	n = isl_set_dim(set, isl_dim_set);
	set = isl_set_project_out(set, isl_dim_set, 2, n - 2);
	return isl_set_reset_tuple_id(set);
}

/* Are "a" and "b" equal wherever the sizes let both be nonempty? */
static isl_bool same_range(__isl_keep isl_set *a, __isl_keep isl_set *b)
{
	isl_set *pa = isl_set_params(isl_set_copy(a));
	isl_set *pb = isl_set_params(isl_set_copy(b));
	isl_bool equal;

	a = isl_set_intersect_params(isl_set_copy(a), pb);
	b = isl_set_intersect_params(isl_set_copy(b), pa);
	equal = isl_set_is_equal(a, b);
	isl_set_free(a);
	isl_set_free(b);
	return equal;
}

/* Have all statements below "band" the same values of its first two members,
 * which become the tile space? An error of isl is isl_bool_error.
 */
static isl_bool ranges_agree(struct poly_prog *prog,
	__isl_keep isl_schedule_node *band)
{
	isl_union_set *domain = poly_node_domain(band);
	int n;
	struct poly_stmt **list = poly_stmts_of(prog, domain, &n);
	isl_set *first = n ? point_range(band, list[0]) : NULL;
	isl_bool ok = isl_bool_ok(n > 0);

	for (int i = 1; i < n && ok == isl_bool_true; i++) {
		isl_set *range = point_range(band, list[i]);

		ok = same_range(first, range);
		isl_set_free(range);
	}
	isl_set_free(first);
	isl_union_set_free(domain);
	free(list);
	return ok;
}

/* The 32-bit registers that a thread needs for what the reductions among
 * "domain" accumulate, with a register tile of 4 x 4 (map_tiles.c).
 */
static int accumulator_words(struct poly_prog *prog,
	__isl_keep isl_union_set *domain)
{
	int n, words = 0;
	struct poly_stmt **list = poly_stmts_of(prog, domain, &n);

	for (int i = 0; i < n; i++)
		if (poly_is_update(list[i]))
			words += 4 * 4 *
				poly_type_size(list[i]->write_array->type) / 4;
	free(list);
	return words;
}

/* Do the parallel loops of the band "node" go over all cells of the reductions
 * that it runs?
 */
static bool goes_over_cells(struct poly_prog *prog,
	__isl_keep isl_schedule_node *node)
{
	isl_union_set *domain = poly_node_domain(node);
	int n, parallel = 0;
	struct poly_stmt **list = poly_stmts_of(prog, domain, &n);
	bool ok = list != NULL;

	for (int i = 0; i < isl_schedule_node_band_n_member(node); i++)
		parallel += isl_schedule_node_band_member_get_coincident(node,
			i) == isl_bool_true;
	for (int i = 0; i < n && ok; i++)
		ok = !poly_is_update(list[i]) ||
			list[i]->write_array->n_dim <= parallel;
	free(list);
	isl_union_set_free(domain);
	return ok;
}

/* The outermost loops of the band "node". */
static enum poly_fit fit_band(struct poly_prog *prog,
	__isl_keep isl_schedule_node *node)
{
	isl_bool same;

	if (isl_schedule_node_get_type(node) != isl_schedule_node_band)
		return POLY_FIT_LOOPS;
	if (isl_schedule_node_band_n_member(node) < 2)
		return POLY_FIT_LOOPS;
	for (int i = 0; i < 2; i++)
		if (!isl_schedule_node_band_member_get_coincident(node, i))
			return POLY_FIT_PARALLEL;
	if (!goes_over_cells(prog, node))
		return POLY_FIT_CELLS;
	same = ranges_agree(prog, node);
	if (same < 0)
		return POLY_FIT_ERROR;
	return same ? POLY_FIT : POLY_FIT_RANGES;
}

static enum poly_fit fit_node(struct poly_prog *prog,
	__isl_keep isl_schedule_node *node)
{
	isl_union_set *domain = poly_node_domain(node);
	bool fits = accumulator_words(prog, domain) <= ACCUMULATOR_WORDS;

	isl_union_set_free(domain);
	return fits ? fit_band(prog, node) : POLY_FIT_WORDS;
}

enum poly_fit poly_fit_schedule(struct poly_prog *prog,
	__isl_keep isl_schedule *schedule)
{
	isl_schedule_node *node = isl_schedule_get_root(schedule);
	enum poly_fit fit;

	node = isl_schedule_node_child(node, 0);
	fit = fit_node(prog, node);
	isl_schedule_node_free(node);
	return fit;
}
