/* poly: arrays that are made longer, so that each iteration has values of its own. */
#include <stdlib.h>

#include <isl/id.h>
#include <isl/space.h>
#include <isl/val.h>

#include "polyir/ir/ir.h"
#include "polyir/sets/sets.h"
#include "polyir/deps/deps.h"
#include "polyir/layout/layout.h"
#include "polyir/prepare/privatise.h"

/* ----------------------------------------------------------------- storage */

/* The values of loop "k" of "t".
 *
 * Over all statements that use the temporary, so that they agree on the first
 * one.
 */
static __isl_give isl_set *values(const struct poly_private *t, int k)
{
	isl_union_map *map = isl_union_map_from_union_pw_aff(
		isl_union_pw_aff_copy(t->loop[k]));

	return isl_set_from_union_set(isl_union_set_apply(
		isl_union_set_copy(t->domain), map));
}

/* Put the lengths of the loops of "t" in front of the extents of its array.
 *
 * The new dimensions are outermost, in the order of the loops: the elements of
 * one iteration stay together in memory.
 */
static void set_extent(struct poly_prog *prog, struct poly_private *t)
{
	struct poly_array *a = t->array;
	isl_pw_aff_list *list = isl_pw_aff_list_alloc(prog->ctx, POLY_PRIVATE_DIM);
	isl_space *space = isl_space_set_from_params(
		isl_set_get_space(prog->context));

	for (int k = 0; k < t->n; k++)
		list = isl_pw_aff_list_add(list,
			poly_range_length(prog, values(t, k)));
	for (int i = 0; i < a->n_dim; i++)
		list = isl_pw_aff_list_add(list,
			isl_multi_pw_aff_get_at(a->extent, i));
	space = isl_space_add_dims(space, isl_dim_set, a->n_dim + t->n);
	space = isl_space_set_tuple_name(space, isl_dim_set, a->name);
	isl_multi_pw_aff_free(a->extent);
	a->extent = isl_multi_pw_aff_from_pw_aff_list(space, list);
}

/* Loop "k" of "t" for the instances of "s", counted from its first value.
 *
 * Counted from 0, as arrays begin there: i - 5 for a loop from 5 on.
 */
static __isl_give isl_pw_aff *loop_of(struct poly_prog *prog,
	const struct poly_private *t, int k, const struct poly_stmt *s)
{
	isl_pw_aff *value = poly_member_at(t->loop[k], s->domain);
	isl_pw_aff *first = isl_pw_aff_insert_domain(
		poly_range_first(prog, values(t, k)),
		isl_set_get_space(s->domain));

	value = isl_pw_aff_sub(value, first);
	return isl_pw_aff_gist(value, isl_set_copy(s->domain));
}

/* What renames the accesses of one statement.
 *
 * For the callback; nothing is owned.
 */
struct rename {
	struct poly_prog *prog;
	const struct poly_private *t;
	const struct poly_stmt *stmt;
};

/* "index", which is taken, of the temporary in "stmt", with its loops.
 *
 * s[j] becomes s[i - first, j].
 */
static __isl_give isl_multi_pw_aff *longer(const struct rename *r,
	__isl_take isl_multi_pw_aff *index)
{
	isl_ctx *ctx = isl_multi_pw_aff_get_ctx(index);
	isl_pw_aff_list *list = isl_pw_aff_list_alloc(ctx, POLY_PRIVATE_DIM);
	isl_space *space = isl_space_from_domain(isl_set_get_space(
		r->stmt->domain));
	int n = isl_multi_pw_aff_size(index);

	for (int k = 0; k < r->t->n; k++)
		list = isl_pw_aff_list_add(list, loop_of(r->prog, r->t, k,
			r->stmt));
	for (int i = 0; i < n; i++)
		list = isl_pw_aff_list_add(list,
			isl_multi_pw_aff_get_at(index, i));
	isl_multi_pw_aff_free(index);
	space = isl_space_add_dims(space, isl_dim_out, n + r->t->n);
	space = isl_space_set_tuple_name(space, isl_dim_out,
		r->t->array->name);
	return isl_multi_pw_aff_from_pw_aff_list(space, list);
}

/* Give a read of the temporary its loops. */
static void rename_read(struct poly_expr *leaf, void *user)
{
	const struct rename *r = user;

	if (leaf->array == r->t->array)
		leaf->index = longer(r, leaf->index);
}

/* Give the temporary its loops, everywhere.
 *
 * Reads and writes together, then the extent: in between the program does not
 * fit together. The loops are equal at both ends of each flow of values, so these
 * go as before.
 */
void poly_private_lengthen(struct poly_prog *prog, struct poly_private *t)
{
	struct poly_found *f = poly_found_values(prog, t->array);

	for (int i = 0; i < prog->n_stmt; i++) {
		struct poly_stmt *s = prog->stmt[i];
		struct rename r = { prog, t, s };

		poly_expr_each_access(s->rhs, rename_read, &r);
		if (s->write_array == t->array)
			s->write_index = longer(&r, s->write_index);
	}
	set_extent(prog, t);
	t->array->n_dim += t->n;
	if (f)
		poly_found_keep_values(prog, f);
}
