/* poly: which points of a nest are products, along which loop they add up, and which of their
 * cells can be accumulators.
 */
#include <stdlib.h>
#include <string.h>

#include <isl/space.h>

#include "polyir/base/base.h"
#include "polyir/ir/ir.h"
#include "polyir/text/text.h"
#include "polyir/layout/layout.h"
#include "polyir/legal/legal.h"
#include "polyir/map/map.h"

/* -------------------------------------------------------------- products */

/* Is "array" a temporary of which nothing writes some elements? A tile would
 * copy these, too.
 *
 * Holes hold anything, a NaN too, and full tiles (layout/full.c) multiply all
 * that was copied.
 */
static bool has_holes(struct poly_prog *prog, const struct poly_array *array)
{
	isl_union_set *written, *all;
	isl_bool whole;

	if (array->role != POLY_TEMP)
		return false;
	written = isl_union_map_range(poly_writes(prog));
	all = isl_union_set_from_set(poly_array_box(array, 0));
	all = isl_union_set_intersect_params(all,
		isl_set_copy(prog->context));
	whole = isl_union_set_is_subset(all, written);
	isl_union_set_free(all);
	isl_union_set_free(written);
	return whole != isl_bool_true;
}

/* Is the reduction "stmt" worth tiles, and can it be tiled?
 *
 * C[i][j] += A[i][k] * B[k][j]: A moves with p0 and k, B with p1 and k: one of
 * each at least. What the nest itself writes cannot be copied before it is
 * there.
 */
bool poly_nest_is_product(const struct poly_nest *nest,
	const struct poly_stmt *stmt)
{
	struct poly_expr *leaf[POLY_MAX_OPERAND];
	int n = poly_leaves(stmt, leaf), along[2] = { 0, 0 };

	if (n > POLY_MAX_OPERAND)
		return false;
	for (int i = 0; i < n; i++) {
		int moves = poly_leaf_moves(leaf[i], stmt->at);

		if (!poly_is_shared_leaf(leaf[i], moves))
			continue;
		if (poly_any_writes(nest->point, nest->n, leaf[i]->array) ||
		    has_holes(nest->prog, leaf[i]->array))
			return false;
		for (int d = 0; d < 2; d++)
			along[d] += moves == (1 << d | POLY_MOVES_K);
	}
	return along[0] && along[1];
}

static bool has_dim(__isl_keep isl_multi_pw_aff *index, int d)
{
	return isl_multi_pw_aff_involves_dims(index, isl_dim_in, d, 1) ==
		isl_bool_true;
}

/* How many reads of "stmt" move with its loop "k" of "n", those first that move
 * with an axis, too; and along memory, which lets copies for the first axis move
 * runs (promote_shared.c).
 *
 * The weights only order candidates: to move with an axis counts most (16), to
 * go along memory next (8 or 4), to move at all last.
 */
static int step_score(const struct poly_nest *nest,
	const struct poly_stmt *stmt, __isl_keep isl_map *map, int k)
{
	struct poly_expr *leaf[POLY_MAX_OPERAND];
	int n = poly_leaves(stmt, leaf), score = 0;
	isl_map *steps = poly_nest_steps_third(nest, isl_map_copy(map), k);
	isl_multi_aff *at = poly_nest_inverse(steps, stmt);

	for (int i = 0; at && i < n && i < POLY_MAX_OPERAND; i++) {
		isl_multi_pw_aff *index = isl_multi_pw_aff_pullback_multi_aff(
			isl_multi_pw_aff_copy(leaf[i]->index),
			isl_multi_aff_copy(at));
		int last = isl_multi_pw_aff_size(index) - 1;
		bool first = has_dim(index, 0);
		bool axis = first || has_dim(index, 1);
		isl_pw_aff *pa;

		score += has_dim(index, 2) * (axis ? 16 : 1);
		if (last >= 0 && axis) {
			pa = isl_multi_pw_aff_get_at(index, last);
			if (isl_pw_aff_involves_dims(pa, isl_dim_in, 2, 1) ==
			    isl_bool_true)
				score += first ? 8 : 4;
			isl_pw_aff_free(pa);
		}
		isl_multi_pw_aff_free(index);
	}
	isl_multi_aff_free(at);
	isl_map_free(steps);
	return score;
}

bool poly_has_pair(__isl_keep isl_union_map *deps,
	const struct poly_stmt *from, const struct poly_stmt *to)
{
	isl_space *space = isl_space_map_from_domain_and_range(
		poly_stmt_space(from), poly_stmt_space(to));
	isl_map *map = isl_union_map_extract_map(deps, space);
	bool has = isl_map_is_empty(map) != isl_bool_true;

	isl_map_free(map);
	return has;
}

/* Which of the "n" loops of the reduction "stmt" is cut into tiles: the one
 * that most reads move with, if it may become the innermost one.
 *
 * The chosen loop is outermost among those of the sum; with a dependence
 * between terms the order of the loops must stay as it is.
 */
int poly_nest_choose_steps(const struct poly_nest *nest,
	const struct poly_stmt *stmt, __isl_keep isl_map *map, int n)
{
	int best = n - 1, most = -1;

	if (n == 1 || poly_has_pair(nest->deps, stmt, stmt))
		return n - 1;
	for (int k = n - 1; k >= 0; k--) {
		int score = step_score(nest, stmt, map, k);

		if (score > most) {
			most = score;
			best = k;
		}
	}
	return best;
}
/* ------------------------------------------------------------ accumulators */

/* The points at which "point[i]" runs: a set "{ [p0, p1, z..] }".
 *
 * Without the steps of a sum.
 */
static __isl_give isl_set *points_of(const struct poly_nest *nest, int i)
{
	isl_map *map = isl_map_reverse(isl_map_copy(nest->map[i]));

	return isl_map_domain(poly_own_points(map, nest->n_outer));
}

/* Does every statement that touches "array" run within the points of "first",
 * the first that does, or go on there from what memory holds, as "first" does?
 *
 * If memory is loaded at the first access, what others find beyond the points
 * of the first is in memory all the same.
 */
static bool is_covered(const struct poly_nest *nest,
	struct poly_array *array, int first)
{
	bool loads = poly_reads_cell(nest->point[first], array);
	isl_set *all = points_of(nest, first);
	bool covered = true;

	all = isl_set_intersect_params(all, isl_set_copy(nest->prog->context));
	for (int i = 0; i < nest->n && covered; i++) {
		isl_set *own;

		if (!poly_touches(nest->point[i], array) ||
		    (loads && poly_reads_cell(nest->point[i], array)))
			continue;
		own = isl_set_intersect_params(points_of(nest, i),
			isl_set_copy(nest->prog->context));
		covered = isl_set_is_subset(own, all) == isl_bool_true;
		isl_set_free(own);
	}
	isl_set_free(all);
	return covered;
}

/* Can what the product "point[i]" accumulates stay in registers? A definition
 * is written once, so it cannot go on in another kernel or launch.
 *
 * poly_own_view asks whether each point has its own element; is_covered,
 * whether a statement elsewhere would miss the register's value.
 */
bool poly_nest_can_accumulate(const struct poly_nest *nest, int i)
{
	struct poly_array *array = nest->point[i]->write_array;
	bool ordered = nest->prog->original != NULL;
	isl_map *view = poly_own_view(array, nest->point, nest->n,
		nest->n_outer, ordered ? nest->n_host : 0);
	int first = 0;

	isl_map_free(view);
	while (!poly_touches(nest->point[first], array))
		first++;
	return view && is_covered(nest, array, first) && (ordered ||
		!poly_reads_cell(nest->point[first], array));
}
