/* A statement that stands beside a loop becomes one in it.
 *
 *	loop k { A			->	loop k { loop j { A: j = first
 *		 loop j { B } }				  B } }
 *
 * A loop that then holds them all can be cut and moved. A runs in the first iteration of
 * the loop, or, if it stands behind the loop, in the last.
 */
#include <string.h>

#include <isl/space.h>

#include "polyir/ir/ir.h"
#include "polyir/sets/sets.h"
#include "polyir/script/command.h"
#include "polyir/script/plan.h"

/* The value "end" of "loop", a function of the loops around it, at "leaf". */
static __isl_give isl_pw_aff *at_leaf(struct poly_item *loop,
	const struct poly_item *leaf, __isl_keep isl_pw_aff *end)
{
	isl_space *space = isl_space_from_domain(isl_set_get_space(leaf->domain));
	isl_multi_pw_aff *at;
	int n = 0;

	for (struct poly_item *up = loop->parent; up; up = up->parent)
		n += up->kind == POLY_ITEM_LOOP;
	at = isl_multi_pw_aff_zero(isl_space_add_dims(space, isl_dim_out, n));
	n = 0;
	for (struct poly_item *up = loop->parent; up; up = up->parent)
		if (up->kind == POLY_ITEM_LOOP)
			at = isl_multi_pw_aff_set_at(at, n++,
				isl_pw_aff_copy(up->at[leaf->number]));
	return isl_pw_aff_pullback_multi_pw_aff(isl_pw_aff_copy(end), at);
}

/* Let "loop" count what it has first, or last, at all leaves of "item", which then is in
 * it; false, having said why, if it has no iteration for one of them.
 */
static bool count_at(struct poly_plan *plan, struct poly_item *loop,
	struct poly_item *item, bool last, struct poly_refusal *why)
{
	struct poly_item *leaf[POLY_MOST_LEAVES];
	int n = poly_item_leaves(item, leaf);
	isl_pw_aff *end = poly_loop_end(plan, loop, last);
	bool ok = true;

	for (int i = 0; i < n && ok; i++) {
		isl_set *here = isl_set_intersect_params(isl_set_intersect_params(
			isl_set_copy(leaf[i]->domain),
			isl_set_copy(plan->prog->context)),
			poly_known_sizes(plan->prog));
		isl_pw_aff *at = at_leaf(loop, leaf[i], end);
		isl_set *there = isl_pw_aff_domain(isl_pw_aff_copy(at));

		ok = isl_set_is_subset(here, there) == isl_bool_true;
		if (!ok)
			poly_refuse(why, "loop '%s' has no iteration where "
				"statement %d (%s) runs", loop->name,
				leaf[i]->number, leaf[i]->stmt->name);
		loop->at[leaf[i]->number] = poly_pw_aff_coalesce(
			isl_pw_aff_gist(at, here));
		isl_set_free(there);
	}
	isl_pw_aff_free(end);
	return ok;
}

/* The loop "name" that stands beside what "*item" is in, which "*item" becomes. */
static struct poly_item *find_beside(struct poly_item **item, const char *name)
{
	for (; (*item)->parent; *item = (*item)->parent) {
		struct poly_item *list = (*item)->parent;
		int at = poly_item_place(*item);

		for (int i = at - 1; i <= at + 1; i += 2)
			if (list->kind == POLY_ITEM_LIST && i >= 0 &&
			    i < list->n_child &&
			    list->child[i]->kind == POLY_ITEM_LOOP &&
			    !strcmp(list->child[i]->name, name))
				return list->child[i];
	}
	return NULL;
}

bool poly_do_sink(struct poly_plan *plan, struct poly_item *leaf,
	const char *name, struct poly_refusal *why)
{
	struct poly_item *item = leaf;
	struct poly_item *loop = find_beside(&item, name), *list, *inner;
	bool last;

	if (!loop || poly_item_kernel(loop)) {
		poly_refuse(why, loop ? "loop '%s' is in a kernel already" :
			"no loop '%s' stands right beside what statement %d is "
			"in", name, leaf->number);
		return false;
	}
	last = poly_item_place(item) > poly_item_place(loop);
	if (!count_at(plan, loop, item, last, why))
		return false;
	list = item->parent;
	poly_item_take(item);
	inner = loop->child[0];
	if (inner->kind != POLY_ITEM_LIST) {
		struct poly_item *all = poly_item_alloc(POLY_ITEM_LIST);

		if (!all || !poly_item_wrap(plan, inner, all)) {
			poly_refuse(why, "there is not enough memory");
			return false;
		}
		inner = all;
	}
	if (list->n_child == 1)
		poly_item_unwrap(plan, list);
	return poly_item_insert(inner, last ? inner->n_child : 0, item);
}
