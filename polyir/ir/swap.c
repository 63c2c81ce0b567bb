/* Tile operations in the place of the statements that they stand for.
 *
 * isl cannot change the statements of a tree. So the tree above the kernels is
 * copied node by node, and at the mark of a kernel that is tiled its new tree
 * takes the place of what stood there:
 *
 *	before: band [k]                 after: band [k]
 *	          { S[k,i,j] -> k }               { S_tile[t0,t1,tk,z] -> z }
 *	          mark kernel:K                   mark kernel:K
 *	            filter, band [i, j], ..         filter, band [t0, t1], ..
 *
 * What the host runs around a kernel are coordinates of its tile operations.
 */
#include <string.h>

#include <isl/space.h>

#include "polyir/ir/ir.h"
#include "polyir/ir/tree_copy.h"

/* A copy of the tree in which "n" kernels get tile operations.
 *
 * Nothing is owned; it lives as long as poly_tree_swap runs.
 */
struct copy {
	struct poly_prog *prog;
	const struct poly_swap *swap;
	int n;
};

/* All points of the tuple of "op": a filter of its copy names it whole, and
 * what its instances are stands in the domain node.
 */
static __isl_give isl_union_set *op_universe(const struct poly_stmt *op)
{
	return isl_union_set_from_set(isl_set_universe(
		isl_set_get_space(op->domain)));
}

/* "set" with the tile operations of each swap whose statements it has in their
 * place.
 *
 * A filter that has some of a kernel's statements has all of them: kernels are
 * whole below each filter above their mark.
 */
static __isl_give isl_union_set *swap_set(__isl_take isl_union_set *set,
	const void *user)
{
	const struct copy *c = user;

	for (int i = 0; i < c->n; i++) {
		isl_union_set *old = isl_union_set_universe(
			isl_union_set_copy(c->swap[i].domain));

		if (isl_union_set_is_disjoint(set, old) == isl_bool_true) {
			isl_union_set_free(old);
			continue;
		}
		set = isl_union_set_subtract(set, old);
		for (int k = 0; k < c->swap[i].n_op; k++)
			set = isl_union_set_union(set,
				op_universe(c->swap[i].op[k]));
	}
	return set;
}

/* Coordinate "d" of "op" as a piece of a band.
 *
 * As a function { OP[t0,t1,tk,z..] -> [its d-th] }, for all points of the
 * tuple.
 */
static __isl_give isl_union_pw_aff *coordinate(const struct poly_stmt *op,
	int d)
{
	isl_local_space *space = isl_local_space_from_space(
		isl_set_get_space(op->domain));

	return isl_union_pw_aff_from_pw_aff(
		isl_pw_aff_var_on_domain(space, isl_dim_set, d));
}

/* One member of a band around kernels, with "depth" others above it.
 *
 * The member's functions of the statements that leave are dropped; each tile
 * operation gets the coordinate z that stands for this loop.
 * poly_op_first_outer tells where the z begin.
 */
static __isl_give isl_union_pw_aff *swap_member(const struct copy *c,
	__isl_take isl_union_pw_aff *member, int depth)
{
	isl_union_set *domain =
		isl_union_pw_aff_domain(isl_union_pw_aff_copy(member));
	isl_union_set *old;

	for (int i = 0; i < c->n; i++) {
		old = isl_union_set_universe(
			isl_union_set_copy(c->swap[i].domain));
		if (isl_union_set_is_disjoint(domain, old) == isl_bool_true) {
			isl_union_set_free(old);
			continue;
		}
		member = isl_union_pw_aff_subtract_domain(member, old);
		for (int k = 0; k < c->swap[i].n_op; k++) {
			const struct poly_stmt *op = c->swap[i].op[k];

			member = isl_union_pw_aff_union_add(member,
				coordinate(op, poly_op_first_outer(op) + depth));
		}
	}
	isl_union_set_free(domain);
	return member;
}

/* A band around kernels.
 *
 * Permutability and coincidence are kept: they are about the loop, and the tile
 * operations go through it as their members did.
 */
static __isl_give isl_multi_union_pw_aff *swap_band(
	__isl_take isl_multi_union_pw_aff *partial,
	__isl_keep isl_schedule_node *src, const void *user)
{
	int n = isl_multi_union_pw_aff_size(partial);
	int depth = isl_schedule_node_get_schedule_depth(src);

	for (int i = 0; i < n; i++)
		partial = isl_multi_union_pw_aff_set_at(partial, i,
			swap_member(user, isl_multi_union_pw_aff_get_at(
				partial, i), depth + i));
	return partial;
}

/* The mark of a kernel: its new tree, or a copy of the old one.
 *
 * What stands below in "tree" is for this kernel alone, so poly_tree_copy needs
 * no swaps.
 */
static bool swap_kernel(isl_schedule_node **dst,
	__isl_keep isl_schedule_node *src, const void *user)
{
	const struct copy *c = user;
	const char *name = poly_mark_kernel(src);
	isl_schedule_node *tree;

	if (!name)
		return false;
	for (int i = 0; i < c->n; i++) {
		if (strcmp(c->swap[i].kernel->name, name))
			continue;
		tree = isl_schedule_get_root(c->swap[i].tree);
		tree = isl_schedule_node_child(tree, 0);
		*dst = poly_tree_copy(*dst, tree);
		isl_schedule_node_free(tree);
		return true;
	}
	*dst = poly_tree_copy(*dst, src);
	return true;
}

/* Takes time linear in the nodes above the kernels, times the swaps. What the
 * trees of the swaps hold is referenced, not changed.
 */
isl_stat poly_tree_swap(struct poly_prog *prog, const struct poly_swap *swap,
	int n)
{
	const struct copy c = { prog, swap, n };
	const struct poly_copying how = { swap_set, swap_band, swap_kernel, NULL,
		&c, 0 };
	isl_union_set *domain = isl_schedule_get_domain(prog->schedule);

	for (int i = 0; i < n; i++) {
		domain = isl_union_set_subtract(domain, isl_union_set_universe(
			isl_union_set_copy(swap[i].domain)));
		for (int k = 0; k < swap[i].n_op; k++)
			domain = isl_union_set_add_set(domain,
				isl_set_copy(swap[i].op[k]->domain));
	}
	return poly_tree_anew(prog, domain, &how);
}
