/* The loops of a statement in the place of what stands below a node.
 *
 * Sums that lie in classes are counted by their cells, and the text goes over them in
 * another order: y[2 i + r] += .. by i, then r. Where nothing but the sum stands, and
 * each cell has its terms in the same order, the order of the text may as well be
 *
 *	before: band [i]			after: band [t]
 *		  band [r]			         band [a]
 *						           band [p]
 *
 * and has dependences of few pieces, from each step of p to the next.
 */
#include <stdlib.h>

#include <isl/space.h>

#include "polyir/ir/ir.h"
#include "polyir/deps/deps.h"
#include "polyir/layout/layout.h"
#include "polyir/prepare/prepare.h"

/* "{ S[..] -> [x0, x1, ..] }": the bands above "node", whatever bounds S.
 *
 * From inside to outside, so the innermost comes first in the range; only
 * whether they tell a dimension is asked.
 */
static __isl_give isl_map *loops_above(__isl_keep isl_schedule_node *node,
	const struct poly_stmt *stmt)
{
	isl_map *loops = isl_map_from_domain(isl_set_from_basic_set(
		isl_set_affine_hull(isl_set_copy(stmt->domain))));

	node = isl_schedule_node_copy(node);
	while (isl_schedule_node_has_parent(node) == isl_bool_true) {
		isl_multi_union_pw_aff *partial;
		int n;

		node = isl_schedule_node_parent(node);
		if (isl_schedule_node_get_type(node) != isl_schedule_node_band)
			continue;
		partial = isl_schedule_node_band_get_partial_schedule(node);
		n = isl_multi_union_pw_aff_size(partial);
		for (int i = 0; i < n; i++)
			loops = isl_map_flat_range_product(loops,
				isl_map_from_pw_aff(poly_band_member_at(partial, i,
					stmt)));
		isl_multi_union_pw_aff_free(partial);
	}
	isl_schedule_node_free(node);
	return loops;
}

/* Do "loops" tell dimension "d" of the "n" ones of the instances?
 *
 * Given all loops around it, has dimension d one value? Then a loop over it is
 * not needed.
 */
static bool is_told(__isl_keep isl_map *loops, int d, int n)
{
	isl_map *at = isl_map_reverse(isl_map_copy(loops));
	bool told;

	at = isl_map_project_out(at, isl_dim_out, d + 1, n - d - 1);
	at = isl_map_project_out(at, isl_dim_out, 0, d);
	told = isl_map_is_single_valued(at) == isl_bool_true;
	isl_map_free(at);
	return told;
}

/* Put a loop over dimension "d" of "stmt" above "node", the leaf or a loop. */
static __isl_give isl_schedule_node *insert_loop(
	__isl_take isl_schedule_node *node, const struct poly_stmt *stmt, int d)
{
	isl_pw_aff *at = isl_pw_aff_var_on_domain(isl_local_space_from_space(
		isl_set_get_space(stmt->domain)), isl_dim_set, d);

	return isl_schedule_node_insert_partial_schedule(node,
		isl_multi_union_pw_aff_from_union_pw_aff(
			isl_union_pw_aff_from_pw_aff(at)));
}

/* The order is that of the dimensions, those that are "last" behind the others.
 * A dimension that the loops above and those before tell gets no loop. Deletes
 * all of the tree below "node": the statement must be alone there. NULL on
 * failure of isl.
 */
__isl_give isl_schedule_node *poly_put_own_loops(
	__isl_take isl_schedule_node *node, const struct poly_stmt *stmt,
	const bool *last)
{
	int n = isl_set_dim(stmt->domain, isl_dim_set), n_own = 0;
	int *own = calloc((size_t)n + 1, sizeof(*own));
	isl_map *loops = loops_above(node, stmt);

	for (int i = 0; own && i < 2 * n; i++) {
		/* two rounds: first those that are not last */
		int d = i % n;

		if ((last ? last[d] : false) != (i >= n) ||
		    is_told(loops, d, n))
			continue;
		own[n_own++] = d;
		loops = isl_map_flat_range_product(loops, isl_map_from_pw_aff(
			isl_pw_aff_var_on_domain(isl_local_space_from_space(
				isl_set_get_space(stmt->domain)), isl_dim_set,
				d)));
	}
	isl_map_free(loops);
	while (own && isl_schedule_node_get_type(node) !=
	       isl_schedule_node_leaf)
		node = isl_schedule_node_delete(node);
	while (n_own-- > 0)
		node = insert_loop(node, stmt, own[n_own]);
	free(own);
	return node;
}

/* ------------------------------------------------------------------ cells first */

/* "{ S[..] -> S[..] }": two terms of one cell, the first of which does not come before
 * the second by those dimensions that are "last".
 *
 * Both are in the order of the text, so what is asked is x_last(first) >=
 * x_last(second).
 */
static __isl_give isl_map *not_before(const struct poly_stmt *stmt,
	const bool *last)
{
	isl_set *all = isl_set_universe(isl_set_get_space(stmt->domain));
	isl_map *sum = isl_map_from_domain(all);
	int n = isl_set_dim(stmt->domain, isl_dim_set);
	isl_map *back;

	for (int d = 0; d < n; d++)
		if (last[d])
			sum = isl_map_flat_range_product(sum,
				isl_map_from_pw_aff(isl_pw_aff_var_on_domain(
					isl_local_space_from_space(
						isl_set_get_space(stmt->domain)),
					isl_dim_set, d)));
	back = isl_map_lex_ge(isl_space_range(isl_map_get_space(sum)));
	back = isl_map_apply_range(isl_map_copy(sum), back);
	return isl_map_apply_range(back, isl_map_reverse(sum));
}

/* Does each cell of "stmt" have its terms in the order of the dimensions "last"?
 *
 * If no pair of the text is the other way round, loops over cells outside and
 * "last" inside run the same terms in the same order: bit by bit the same sum.
 */
static bool is_in_order(struct poly_prog *prog, struct poly_stmt *stmt,
	const bool *last)
{
	isl_map *of_cell = isl_map_reverse(poly_stmt_write(stmt));
	isl_union_map *pairs = poly_pairs_before(prog->original,
		isl_union_map_from_map(isl_map_apply_range(
			poly_stmt_write(stmt), of_cell)));
	isl_union_map *wrong = isl_union_map_from_map(not_before(stmt, last));
	bool is = isl_union_map_is_disjoint(pairs, wrong) == isl_bool_true;

	isl_union_map_free(pairs);
	isl_union_map_free(wrong);
	return is;
}

/* For the walk of put_cells. */
struct cells {
	const struct poly_stmt *stmt;
	const bool *last;
};

/* Let the loops of the statement stand where nothing else does, at or below "node".
 *
 * Sequences keep the statement beside others; only a band that it has for
 * itself is replaced.
 */
static __isl_give isl_schedule_node *put_cells(
	__isl_take isl_schedule_node *node, const struct cells *c)
{
	isl_union_set *domain = poly_node_domain(node);
	isl_set *own = isl_union_set_extract_set(domain,
		isl_set_get_space(c->stmt->domain));
	bool here = isl_set_is_empty(own) == isl_bool_false;
	bool alone = isl_union_set_n_set(domain) == 1;
	isl_size n = isl_schedule_node_n_children(node);

	isl_set_free(own);
	isl_union_set_free(domain);
	if (!here)
		return node;
	if (alone && isl_schedule_node_get_type(node) == isl_schedule_node_band)
		return poly_put_own_loops(node, c->stmt, c->last);
	for (int i = 0; i < n; i++) {
		node = isl_schedule_node_child(node, i);
		node = put_cells(node, c);
		node = isl_schedule_node_parent(node);
	}
	return node;
}

/* Leaves the order as it is where that is not allowed, which is no error. */
isl_stat poly_cells_first(struct poly_prog *prog, struct poly_stmt *stmt,
	const bool *last)
{
	struct cells c = { stmt, last };
	isl_schedule_node *node;

	if (!prog->original || poly_expr_accesses(stmt->rhs, stmt->write_array) ||
	    !is_in_order(prog, stmt, last))
		return isl_stat_ok;
	node = isl_schedule_get_root(prog->original);
	node = isl_schedule_node_child(node, 0);
	node = put_cells(node, &c);
	poly_prog_set_original(prog, isl_schedule_node_get_schedule(node));
	isl_schedule_node_free(node);
	return prog->original ? isl_stat_ok : isl_stat_error;
}
