/* Products that share an operand, as gates do, have one loop.
 *
 *	G(i,j) += X(i,k) * V(k,j);  U(i,j) += X(i,k) * W(k,j)
 *
 *	before: G_init, loop over k: G; U_init, loop over k: U
 *	after:  G_init, U_init, loop over k: G, U
 *
 * A tile of X is copied once for both then. Their steps must be the same, and nothing that
 * the second one needs may come of the first; what it needs moves in front of both.
 */
#include <stdlib.h>

#include "polyir/base/base.h"
#include "polyir/ir/ir.h"
#include "polyir/layout/layout.h"
#include "polyir/map/map.h"

/* Do products "i" and "k" have the same steps at the same points? */
static bool have_same_steps(const struct poly_nest *nest, int i, int k)
{
	isl_set *a = isl_map_range(isl_map_copy(nest->map[i]));
	isl_set *b = isl_map_range(isl_map_copy(nest->map[k]));
	bool same = isl_set_dim(a, isl_dim_set) == isl_set_dim(b, isl_dim_set) &&
		isl_set_is_equal(a, b) == isl_bool_true;

	isl_set_free(a);
	isl_set_free(b);
	return same;
}

/* Does product "k" read from shared memory what "i" does? */
static bool share_operand(const struct poly_nest *nest, int i, int k)
{
	struct poly_expr *leaf[POLY_MAX_OPERAND];
	int n = poly_leaves(nest->point[k], leaf);

	for (int j = 0; j < n && j < POLY_MAX_OPERAND; j++)
		if (poly_is_shared_leaf(leaf[j], poly_leaf_moves(leaf[j],
		    nest->point[k]->at)) && poly_find_read(nest->point[k],
		    leaf[j], nest->point[i]) >= 0)
			return true;
	return false;
}

/* Find in "needed" which statements from "first" on "k" needs, those too that these
 * need; false if a product is among them.
 */
static bool find_needed(const struct poly_nest *nest, int first, int k, bool *needed)
{
	bool free_of_products = true;

	for (int i = first; i <= k; i++)
		needed[i] = i == k;
	for (int i = k - 1; i >= first; i--) {
		for (int j = i + 1; j <= k && !needed[i]; j++)
			needed[i] = needed[j] && poly_has_pair(nest->deps,
				nest->point[i], nest->point[j]);
		free_of_products = free_of_products &&
			!(needed[i] && nest->product[i]);
	}
	return free_of_products;
}

/* Let product "k" run in the loop of "first", whose last product is "last", if it may. */
static bool join(struct poly_nest *nest, int *first, int *last, int k)
{
	bool *needed = calloc((size_t)nest->n + 1, sizeof(*needed));
	int begin = *first;
	bool joins = needed && have_same_steps(nest, begin, k) &&
		share_operand(nest, begin, k) &&
		find_needed(nest, begin, k, needed);

	for (int i = begin; joins && i < k; i++) {
		if (!needed[i])
			continue;
		poly_nest_move(nest, i, *first);
		++*first;
		++*last;
	}
	if (joins)
		poly_nest_move(nest, k, ++*last);
	free(needed);
	return joins;
}

void poly_join_products(struct poly_nest *nest)
{
	for (int i = 0; i < nest->n; i++)
		nest->loop[i] = i;
	for (int i = 0; i < nest->n; i++) {
		int first = i, last = i;

		if (!nest->product[i])
			continue;
		for (int k = i + 1; k < nest->n; k++)
			if (k > last && nest->product[k])
				join(nest, &first, &last, k);
		for (int k = first; k <= last; k++)
			nest->loop[k] = first;
		i = last;
	}
}
