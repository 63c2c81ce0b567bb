/* Commands that take loops apart and put them together.
 *
 *	split	loop i { A }		->	list { loop i { A: i < 5 }
 *						       loop i { A: not (i < 5) } }
 *	fuse	list { loop i { A }	->	loop i { list { A
 *		       loop i { B } }			        B } }
 *	sink	list { A		->	loop j { list { A: j = first
 *		       loop j { B } }			        B } }
 *
 * distribute is the reverse of fuse. What is sunk runs in the first iteration of the loop,
 * or, if it stands behind the loop, in the last: a loop that holds all can be cut and
 * moved. What split leaves behind as the second loop has
 * statements with new numbers.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <isl/space.h>
#include <isl/val.h>

#include "polyir/base/base.h"
#include "polyir/ir/ir.h"
#include "polyir/sets/sets.h"
#include "polyir/script/command.h"
#include "polyir/script/plan.h"

static bool no_memory(struct poly_refusal *why)
{
	poly_refuse(why, "there is not enough memory");
	return false;
}

/* ------------------------------------------------------------------- split */

/* If the list "list" stands in another, its children take its place. */
static bool flatten(struct poly_item *list)
{
	struct poly_item *outer = list->parent;
	int at;

	if (!outer || outer->kind != POLY_ITEM_LIST)
		return true;
	at = poly_item_place(list);
	while (list->n_child) {
		struct poly_item *one = list->child[list->n_child - 1];

		poly_item_take(one);
		if (!poly_item_insert(outer, at + 1, one))
			return false;
	}
	poly_item_take(list);
	poly_item_free(list);
	return true;
}

/* Give the leaf "leaf" the number "to": all loops around know it by that. */
static void renumber(struct poly_item *leaf, int to)
{
	for (struct poly_item *at = leaf->parent; at; at = at->parent)
		if (at->kind == POLY_ITEM_LOOP) {
			isl_pw_aff_free(at->at[to]);
			at->at[to] = isl_pw_aff_copy(at->at[leaf->number]);
		}
	leaf->number = to;
}

/* Forget what "item" and the loops in it know of statements that are not there. */
static void forget_absent(struct poly_item *item)
{
	struct poly_item *leaf[POLY_MOST_LEAVES];
	bool there[POLY_MOST_LEAVES] = { false };
	int n = poly_item_leaves(item, leaf);

	for (int i = 0; i < n; i++)
		there[leaf[i]->number] = true;
	for (int i = 0; item->at && i < POLY_MOST_LEAVES; i++)
		if (!there[i])
			item->at[i] = isl_pw_aff_free(item->at[i]);
	for (int i = 0; i < item->n_child; i++)
		forget_absent(item->child[i]);
}

void poly_plan_drop_leaf(struct poly_plan *plan, struct poly_item *leaf,
	struct poly_item *top)
{
	struct poly_item *gone = leaf, *list;

	while (gone != top && gone->parent->n_child == 1)
		gone = gone->parent;
	if (gone == top)
		return;
	list = gone->parent;
	poly_item_take(gone);
	poly_item_free(gone);
	if (list->kind == POLY_ITEM_LIST && list->n_child == 1 && list != top)
		poly_item_unwrap(plan, list);
}

/* Is "part" possible for no size? */
static bool is_never(struct poly_plan *plan, __isl_keep isl_set *part)
{
	isl_set *known = isl_set_intersect_params(isl_set_copy(part),
		isl_set_copy(plan->prog->context));
	bool none = isl_set_is_empty(known) == isl_bool_true;

	isl_set_free(known);
	return none;
}

/* Keep of the leaves in "top" what is in "part", by their numbers, which is taken. */
static void keep_part(struct poly_plan *plan, struct poly_item *top,
	isl_set **part)
{
	struct poly_item *leaf[POLY_MOST_LEAVES];
	int n = poly_item_leaves(top, leaf), left = n;

	for (int i = 0; i < n; i++) {
		bool none = is_never(plan, part[i]);

		isl_set_free(leaf[i]->domain);
		leaf[i]->domain = poly_set_coalesce(part[i]);
		if (none && left > 1 && left--)
			poly_plan_drop_leaf(plan, leaf[i], top);
	}
	forget_absent(top);
}

/* Are the sets possible for none of the sizes that are known? */
static bool are_empty(struct poly_plan *plan, isl_set **part, int n)
{
	bool empty = true;

	for (int i = 0; i < n && empty; i++) {
		isl_set *known = isl_set_intersect_params(isl_set_copy(part[i]),
			poly_known_sizes(plan->prog));

		empty = isl_set_is_empty(known) == isl_bool_true;
		isl_set_free(known);
	}
	return empty;
}

/* Can what is in "loop" be cut into "part" and "rest", the "n" sets of each? */
static bool can_cut(struct poly_plan *plan, const struct poly_item *loop,
	isl_set **part, isl_set **rest, int n, struct poly_refusal *why)
{
	bool none = are_empty(plan, part, n), all = are_empty(plan, rest, n);

	if (plan->n_leaf + n > POLY_MOST_LEAVES)
		poly_refuse(why, "there are more than %d statements",
			POLY_MOST_LEAVES);
	else if (none || all)
		poly_refuse(why, "%s of loop '%s' is cut off", none ? "nothing" :
			"all", loop->name);
	else
		return true;
	for (int i = 0; i < n; i++) {
		isl_set_free(part[i]);
		isl_set_free(rest[i]);
	}
	return false;
}

/* Cut "loop" into the instances that are in "part", by the leaves below, and the rest,
 * which comes first with "last". The sets are taken. A leaf that is all in the rest keeps
 * its number.
 */
static bool cut(struct poly_plan *plan, struct poly_item *loop, isl_set **part,
	bool last, struct poly_refusal *why)
{
	struct poly_item *leaf[POLY_MOST_LEAVES], *other, *list;
	isl_set *rest[POLY_MOST_LEAVES];
	bool moves[POLY_MOST_LEAVES];
	int n = poly_item_leaves(loop, leaf);

	for (int i = 0; i < n; i++) {
		rest[i] = isl_set_subtract(isl_set_copy(leaf[i]->domain),
			isl_set_copy(part[i]));
		part[i] = isl_set_intersect(part[i],
			isl_set_copy(leaf[i]->domain));
		moves[i] = is_never(plan, part[i]);
	}
	if (!can_cut(plan, loop, part, rest, n, why))
		return false;
	other = poly_item_copy(loop);
	list = poly_item_alloc(POLY_ITEM_LIST);
	if (!other || !list || !poly_item_wrap(plan, loop, list) ||
	    !poly_item_insert(list, last ? 0 : 1, other))
		return no_memory(why);
	n = poly_item_leaves(other, leaf);
	for (int i = 0; i < n; i++)
		if (!moves[i])
			renumber(leaf[i], plan->n_leaf++);
	keep_part(plan, loop, part);
	keep_part(plan, other, rest);
	return flatten(list) ? true : no_memory(why);
}

bool poly_do_split(struct poly_plan *plan, struct poly_item *leaf,
	const char *name, const char *condition, bool last,
	struct poly_refusal *why)
{
	struct poly_item *loop = poly_find_loop(plan, leaf, name, why);
	struct poly_item *below[POLY_MOST_LEAVES];
	isl_set *part[POLY_MOST_LEAVES];
	int n = loop ? poly_item_leaves(loop, below) : 0;

	if (loop && poly_item_kernel(loop)) {
		poly_refuse(why, "loop '%s' is in a kernel already", name);
		return false;
	}
	for (int i = 0; i < n; i++) {
		part[i] = poly_condition(plan, below[i], condition, why);
		if (part[i])
			continue;
		while (i-- > 0)
			isl_set_free(part[i]);
		return false;
	}
	return loop && cut(plan, loop, part, last, why);
}

/* -------------------------------------------------------------------- peel */

/* "{ [outer loops.., loop] }", the values that "loop" and those around it have at the
 * instances of "leaf".
 */
static __isl_give isl_map *values_of(struct poly_item *loop,
	struct poly_item *leaf)
{
	isl_space *space = isl_space_from_domain(isl_set_get_space(leaf->domain));
	isl_multi_pw_aff *at;
	int n = 0;

	for (struct poly_item *up = loop->parent; up; up = up->parent)
		n += up->kind == POLY_ITEM_LOOP;
	at = isl_multi_pw_aff_zero(isl_space_add_dims(space, isl_dim_out, n + 1));
	at = isl_multi_pw_aff_set_pw_aff(at, n, isl_pw_aff_copy(
		loop->at[leaf->number]));
	for (struct poly_item *up = loop->parent; up; up = up->parent)
		if (up->kind == POLY_ITEM_LOOP)
			at = isl_multi_pw_aff_set_pw_aff(at, --n,
				isl_pw_aff_copy(up->at[leaf->number]));
	return isl_map_intersect_domain(isl_map_from_multi_pw_aff(at),
		isl_set_copy(leaf->domain));
}

/* "{ [o.., x] -> [o.., y] : x + by <= y }", with "n" o's. */
static __isl_give isl_map *behind(isl_ctx *ctx, int n, int64_t by)
{
	isl_map *map = isl_map_universe(isl_space_alloc(ctx, 0, n + 1, n + 1));
	isl_space *space = isl_space_wrap(isl_map_get_space(map));
	isl_local_space *local = isl_local_space_from_space(
		isl_space_copy(space));
	isl_aff *far = isl_aff_sub(
		isl_aff_var_on_domain(isl_local_space_copy(local), isl_dim_set,
			2 * n + 1),
		isl_aff_var_on_domain(local, isl_dim_set, n));
	isl_set *set;

	isl_space_free(space);
	far = isl_aff_add_constant_si(far, (int)-by);
	set = isl_pw_aff_nonneg_set(isl_pw_aff_from_aff(far));
	for (int i = 0; i < n; i++)
		map = isl_map_equate(map, isl_dim_in, i, isl_dim_out, i);
	return isl_map_intersect(map, isl_set_unwrap(set));
}

bool poly_do_peel(struct poly_plan *plan, struct poly_item *leaf,
	const char *name, int64_t n, struct poly_refusal *why)
{
	struct poly_item *loop = poly_find_loop(plan, leaf, name, why);
	struct poly_item *below[POLY_MOST_LEAVES];
	isl_set *part[POLY_MOST_LEAVES], *all = NULL, *behind_them;
	int64_t far = (n < 0 ? -n : n) * (loop ? loop->step : 1);
	int n_below = loop ? poly_item_leaves(loop, below) : 0;
	isl_map *after;

	if (!loop)
		return false;
	if (!n || far > INT32_MAX || poly_item_kernel(loop)) {
		poly_refuse(why, "%lld iterations of loop '%s' cannot be peeled",
			(long long)n, name);
		return false;
	}
	for (int i = 0; i < n_below; i++) {
		isl_set *one = isl_map_range(values_of(loop, below[i]));

		all = all ? isl_set_union(all, one) : one;
	}
	after = behind(plan->prog->ctx, isl_set_dim(all, isl_dim_set) - 1, far);
	after = n < 0 ? isl_map_reverse(after) : after;
	behind_them = isl_set_apply(isl_set_copy(all), after);
	all = isl_set_subtract(all, behind_them);
	for (int i = 0; i < n_below; i++)
		part[i] = isl_map_domain(isl_map_intersect_range(
			values_of(loop, below[i]), isl_set_copy(all)));
	isl_set_free(all);
	return cut(plan, loop, part, n < 0, why);
}

/* -------------------------------------------------------------------- fuse */

/* The child of "list" that "item" is at or below. */
static int child_with(const struct poly_item *list, const struct poly_item *item)
{
	for (int i = 0; i < list->n_child; i++)
		if (poly_item_is_below(item, list->child[i]))
			return i;
	return -1;
}

/* The innermost list that both are in, or NULL. */
static struct poly_item *common_list(struct poly_item *a, struct poly_item *b)
{
	for (struct poly_item *at = a; at; at = at->parent)
		if (at->kind == POLY_ITEM_LIST && poly_item_is_below(b, at))
			return at;
	return NULL;
}

/* Move what is in the loop "from" behind what is in "to", whose values it keeps. */
static bool take_in(struct poly_plan *plan, struct poly_item *to,
	struct poly_item *from)
{
	struct poly_item *list = to->child[0], *inner = from->child[0];

	if (list->kind != POLY_ITEM_LIST) {
		list = poly_item_alloc(POLY_ITEM_LIST);
		if (!list || !poly_item_wrap(plan, to->child[0], list))
			return false;
	}
	for (int i = 0; i < POLY_MOST_LEAVES; i++)
		if (from->at[i] && !to->at[i]) {
			to->at[i] = from->at[i];
			from->at[i] = NULL;
		}
	if (to->tile != from->tile || to->step != from->step) {
		to->tile = 0;
		to->step = 1;
	}
	while (inner->kind == POLY_ITEM_LIST && inner->n_child) {
		struct poly_item *one = inner->child[0];

		poly_item_take(one);
		if (!poly_item_insert(list, list->n_child, one))
			return false;
	}
	if (inner->kind != POLY_ITEM_LIST) {
		poly_item_take(inner);
		if (!poly_item_insert(list, list->n_child, inner))
			return false;
	}
	poly_item_take(from);
	poly_item_free(from);
	return true;
}

bool poly_do_fuse(struct poly_plan *plan, struct poly_item *leaf,
	struct poly_item *other, const char *name, struct poly_refusal *why)
{
	struct poly_item *list = common_list(leaf, other), *first;
	int a = list ? child_with(list, leaf) : 0;
	int b = list ? child_with(list, other) : 0;

	if (leaf == other || (poly_leaf_loop(leaf, name) &&
	    poly_leaf_loop(leaf, name) == poly_leaf_loop(other, name))) {
		poly_refuse(why, "statements %d and %d share loop '%s' already",
			leaf->number, other->number, name);
		return false;
	}
	for (int i = a < b ? a : b; list && i <= (a < b ? b : a); i++) {
		const struct poly_item *loop = list->child[i];

		if (loop->kind == POLY_ITEM_LOOP && !loop->role &&
		    !strcmp(loop->name, name))
			continue;
		poly_refuse(why, "between statements %d and %d there is more "
			"than loops '%s' one behind another", leaf->number,
			other->number, name);
		return false;
	}
	if (!list) {
		poly_refuse(why, "statements %d and %d are not in loops one "
			"behind another", leaf->number, other->number);
		return false;
	}
	first = list->child[a < b ? a : b];
	for (int i = a < b ? b - a : a - b; i > 0; i--)
		if (!take_in(plan, first, list->child[poly_item_place(first) + 1]))
			return no_memory(why);
	if (list->n_child == 1)
		poly_item_unwrap(plan, list);
	return true;
}

/* -------------------------------------------------------------- distribute */

/* A copy of "loop" around the child "i" of "list" alone. */
static bool wrap_child(struct poly_plan *plan, const struct poly_item *loop,
	struct poly_item *list, int i)
{
	struct poly_item *own = poly_item_copy_alone(loop);

	if (!own)
		return false;
	if (!poly_item_wrap(plan, list->child[i], own))
		return false;
	forget_absent(own);
	return true;
}

bool poly_do_distribute(struct poly_plan *plan, struct poly_item *leaf,
	const char *name, struct poly_refusal *why)
{
	struct poly_item *loop = poly_find_loop(plan, leaf, name, why), *list;

	if (!loop)
		return false;
	list = loop->child[0];
	if (list->kind != POLY_ITEM_LIST) {
		poly_refuse(why, "there is one thing in loop '%s'", name);
		return false;
	}
	for (int i = 0; i < list->n_child; i++)
		if (!wrap_child(plan, loop, list, i))
			return no_memory(why);
	poly_item_unwrap(plan, loop);
	return flatten(list) ? true : no_memory(why);
}

/* -------------------------------------------------------------------- sink */

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

		if (!all || !poly_item_wrap(plan, inner, all))
			return no_memory(why);
		inner = all;
	}
	if (list->n_child == 1)
		poly_item_unwrap(plan, list);
	return poly_item_insert(inner, last ? inner->n_child : 0, item);
}
