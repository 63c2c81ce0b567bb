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
#include <stdlib.h>
#include <string.h>

#include <isl/space.h>

#include "polyir/ir/ir.h"

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
static __isl_give isl_union_set *swap_set(const struct copy *c,
	__isl_take isl_union_set *set)
{
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

static __isl_give isl_schedule_node *copy_node(const struct copy *c,
	__isl_take isl_schedule_node *dst, __isl_keep isl_schedule_node *src);

/* Copy what is below the only child of "src" to the only child of "dst";
 * returns "dst".
 */
static __isl_give isl_schedule_node *copy_child(const struct copy *c,
	__isl_take isl_schedule_node *dst, __isl_keep isl_schedule_node *src)
{
	isl_schedule_node *child = isl_schedule_node_get_child(src, 0);

	dst = isl_schedule_node_child(dst, 0);
	dst = copy_node(c, dst, child);
	isl_schedule_node_free(child);
	return isl_schedule_node_parent(dst);
}

/* A band around kernels.
 *
 * Permutability and coincidence are kept: they are about the loop, and the tile
 * operations go through it as their members did.
 */
static __isl_give isl_schedule_node *copy_band(const struct copy *c,
	__isl_take isl_schedule_node *dst, __isl_keep isl_schedule_node *src)
{
	isl_multi_union_pw_aff *partial =
		isl_schedule_node_band_get_partial_schedule(src);
	isl_union_set *domain = poly_node_domain(dst);
	int n = isl_multi_union_pw_aff_size(partial);
	int depth = isl_schedule_node_get_schedule_depth(src);

	for (int i = 0; i < n; i++)
		partial = isl_multi_union_pw_aff_set_at(partial, i,
			swap_member(c, isl_multi_union_pw_aff_get_at(partial,
				i), depth + i));
	/* isl takes no band that has functions of statements which do not reach
	 * it
	 */
	partial = isl_multi_union_pw_aff_intersect_domain(partial,
		isl_union_set_universe(domain));
	dst = isl_schedule_node_insert_partial_schedule(dst, partial);
	dst = isl_schedule_node_band_set_permutable(dst,
		isl_schedule_node_band_get_permutable(src));
	for (int i = 0; i < n; i++)
		dst = isl_schedule_node_band_member_set_coincident(dst, i,
			isl_schedule_node_band_member_get_coincident(src, i));
	return copy_child(c, dst, src);
}

/* Copy a sequence or set whose children may be kernels: each filter gets the
 * tile operations in the place of the statements that they stand for.
 *
 * Filters are all made before the list is inserted, as isl wants them at once.
 */
static __isl_give isl_schedule_node *copy_list(const struct copy *c,
	__isl_take isl_schedule_node *dst, __isl_keep isl_schedule_node *src)
{
	int n = isl_schedule_node_n_children(src);
	isl_union_set_list *filters = isl_union_set_list_alloc(
		isl_schedule_node_get_ctx(src), n);

	for (int i = 0; i < n; i++) {
		isl_schedule_node *child = isl_schedule_node_get_child(src, i);

		filters = isl_union_set_list_add(filters, swap_set(c,
			isl_schedule_node_filter_get_filter(child)));
		isl_schedule_node_free(child);
	}
	if (isl_schedule_node_get_type(src) == isl_schedule_node_set)
		dst = isl_schedule_node_insert_set(dst, filters);
	else
		dst = isl_schedule_node_insert_sequence(dst, filters);
	for (int i = 0; i < n; i++) {
		isl_schedule_node *child = isl_schedule_node_get_child(src, i);

		dst = isl_schedule_node_child(dst, i);
		dst = copy_child(c, dst, child);
		dst = isl_schedule_node_parent(dst);
		isl_schedule_node_free(child);
	}
	return dst;
}

/* The mark of a kernel: its new tree, or a copy of the old one.
 *
 * What stands below in "tree" is for this kernel alone, so poly_tree_copy needs
 * no swaps.
 */
static __isl_give isl_schedule_node *copy_kernel(const struct copy *c,
	__isl_take isl_schedule_node *dst, __isl_keep isl_schedule_node *src)
{
	const char *name = poly_mark_kernel(src);
	isl_schedule_node *tree;

	for (int i = 0; i < c->n; i++) {
		if (strcmp(c->swap[i].kernel->name, name))
			continue;
		tree = isl_schedule_get_root(c->swap[i].tree);
		tree = isl_schedule_node_child(tree, 0);
		dst = poly_tree_copy(dst, tree);
		isl_schedule_node_free(tree);
		return dst;
	}
	return poly_tree_copy(dst, src);
}

/* Copy "src" and all below it to the leaf "dst".
 *
 * A node of a kind that stands above no kernel, an extension or a guard, is a
 * failure: NULL.
 */
static __isl_give isl_schedule_node *copy_node(const struct copy *c,
	__isl_take isl_schedule_node *dst, __isl_keep isl_schedule_node *src)
{
	if (poly_mark_kernel(src))
		return copy_kernel(c, dst, src);
	switch (isl_schedule_node_get_type(src)) {
	case isl_schedule_node_leaf:
		return dst;
	case isl_schedule_node_band:
		return copy_band(c, dst, src);
	case isl_schedule_node_sequence:
	case isl_schedule_node_set:
		return copy_list(c, dst, src);
	case isl_schedule_node_filter:
		dst = isl_schedule_node_insert_filter(dst, swap_set(c,
			isl_schedule_node_filter_get_filter(src)));
		return copy_child(c, dst, src);
	case isl_schedule_node_mark:
		dst = isl_schedule_node_insert_mark(dst,
			isl_schedule_node_mark_get_id(src));
		return copy_child(c, dst, src);
	case isl_schedule_node_context:
		dst = isl_schedule_node_insert_context(dst,
			isl_schedule_node_context_get_context(src));
		return copy_child(c, dst, src);
	default:
		return isl_schedule_node_free(dst);
	}
}

/* Takes time linear in the nodes above the kernels, times the swaps. What the
 * trees of the swaps hold is referenced, not changed.
 */
isl_stat poly_tree_swap(struct poly_prog *prog, const struct poly_swap *swap,
	int n)
{
	struct copy c = { prog, swap, n };
	isl_union_set *domain = isl_schedule_get_domain(prog->schedule);
	isl_schedule_node *src = isl_schedule_get_root(prog->schedule), *dst;
	isl_schedule *schedule;

	for (int i = 0; i < n; i++) {
		domain = isl_union_set_subtract(domain, isl_union_set_universe(
			isl_union_set_copy(swap[i].domain)));
		for (int k = 0; k < swap[i].n_op; k++)
			domain = isl_union_set_add_set(domain,
				isl_set_copy(swap[i].op[k]->domain));
	}
	src = isl_schedule_node_child(src, 0);
	dst = isl_schedule_node_from_domain(domain);
	dst = isl_schedule_node_child(dst, 0);
	dst = copy_node(&c, dst, src);
	isl_schedule_node_free(src);
	schedule = isl_schedule_node_get_schedule(dst);
	isl_schedule_node_free(dst);
	return poly_set_schedule(prog, schedule);
}
