/* Loops that become blocks and threads.
 *
 * A kernel has up to six loops of blocks and three of threads. Its points are
 *
 *	p1 = x block * x threads + x thread
 *	p0 = y block * (y * z threads) + z thread * y threads + y thread
 *
 * and further blocks are its batch (struct poly_kernel). A loop over the points of a
 * tile is counted from the beginning of the tile, another one from its first value in
 * a launch, for threads in a block.
 */
#include <stdlib.h>
#include <string.h>

#include <isl/ilp.h>
#include <isl/space.h>
#include <isl/val.h>

#include "polyir/base/base.h"
#include "polyir/ir/ir.h"
#include "polyir/sets/sets.h"
#include "polyir/script/command.h"
#include "polyir/script/plan.h"

enum { MOST_BLOCK_LOOPS = POLY_MOST_AXES, MOST_THREAD_LOOPS = 3 };

/* ------------------------------------------------------------- coordinates */

static int64_t tile_of(const struct poly_item *loop)
{
	return loop->tile;
}

static int64_t step_of(const struct poly_item *loop)
{
	return loop->step;
}

/* What "of" is of all loops of the coordinate, or "other" if it is not the same of all;
 * "seen" is what it was so far, -1 at first.
 */
static int64_t common(struct poly_item *item, enum poly_role_of_loop role, int axis,
	int64_t (*of)(const struct poly_item *loop), int64_t other, int64_t seen)
{
	if (item->kind == POLY_ITEM_LOOP && item->role == role &&
	    item->axis == axis)
		return seen < 0 || seen == of(item) ? of(item) : other;
	for (int i = 0; i < item->n_child; i++)
		seen = common(item->child[i], role, axis, of, other, seen);
	return seen;
}

/* The instances at and below "item", but, of threads, those of copies (stage.c), which
 * threads share in their own way.
 */
static __isl_give isl_union_set *domain_of(struct poly_item *item,
	enum poly_role_of_loop role)
{
	isl_union_set *all = poly_item_domain(item);
	struct poly_item *leaf[POLY_MOST_LEAVES];
	int n = poly_item_leaves(item, leaf);

	for (int i = 0; i < n && role == POLY_LOOP_THREAD; i++)
		if (leaf[i]->copy)
			all = isl_union_set_subtract(all,
				isl_union_set_from_set(isl_set_copy(
					leaf[i]->domain)));
	return all;
}

__isl_give isl_union_pw_aff *poly_coordinate_values(struct poly_item *item,
	enum poly_role_of_loop role, int axis, struct poly_item **loop)
{
	isl_union_pw_aff *all = NULL;

	if (item->kind == POLY_ITEM_LOOP && item->role == role &&
	    item->axis == axis) {
		*loop = item;
		return isl_union_pw_aff_intersect_domain(poly_loop_values(item),
			domain_of(item, role));
	}
	for (int i = 0; i < item->n_child; i++) {
		isl_union_pw_aff *one = poly_coordinate_values(item->child[i],
			role, axis, loop);

		all = all && one ? isl_union_pw_aff_union_add(all, one) :
			all ? all : one;
	}
	return all;
}

/* The loops above "item" and, if it is not NULL, the blocks of "kernel", at the instances
 * there; NULL if there are none.
 */
static __isl_give isl_multi_union_pw_aff *outside(struct poly_plan *plan,
	struct poly_item *item, struct poly_item *kernel)
{
	isl_ctx *ctx = plan->prog->ctx;
	isl_union_pw_aff_list *list = isl_union_pw_aff_list_alloc(ctx, 8);
	struct poly_item *loop;
	int n;

	for (struct poly_item *up = item->parent; up; up = up->parent)
		if (up->kind == POLY_ITEM_LOOP)
			list = isl_union_pw_aff_list_add(list,
				poly_loop_values(up));
	for (int axis = 0; kernel && axis < MOST_BLOCK_LOOPS; axis++) {
		isl_union_pw_aff *at = poly_coordinate_values(kernel,
			POLY_LOOP_BLOCK, axis, &loop);

		if (at)
			list = isl_union_pw_aff_list_add(list, at);
	}
	n = isl_union_pw_aff_list_n_union_pw_aff(list);
	if (!n) {
		isl_union_pw_aff_list_free(list);
		return NULL;
	}
	return isl_multi_union_pw_aff_from_union_pw_aff_list(
		isl_space_set_alloc(ctx, 0, n), list);
}

/* "{ [outside] -> [values] }" at the instances of "item". */
static __isl_give isl_map *ranges(struct poly_plan *plan, struct poly_item *item,
	__isl_keep isl_multi_union_pw_aff *outer,
	__isl_keep isl_union_pw_aff *values)
{
	isl_union_set *domain = isl_union_set_intersect_params(
		poly_item_domain(item), isl_set_copy(plan->prog->context));
	isl_multi_union_pw_aff *all = isl_multi_union_pw_aff_from_union_pw_aff(
		isl_union_pw_aff_copy(values));
	int n = outer ? isl_multi_union_pw_aff_size(outer) : 0;
	isl_map *map;

	if (outer)
		all = isl_multi_union_pw_aff_flat_range_product(
			isl_multi_union_pw_aff_copy(outer), all);
	map = isl_map_from_range(poly_set_coalesce(isl_set_from_union_set(
		isl_union_set_apply(domain,
			isl_union_map_from_multi_union_pw_aff(all)))));
	return isl_map_move_dims(map, isl_dim_in, 0, isl_dim_out, 0, n);
}

/* The least value, or with "last" the greatest, for each point outside. */
static __isl_give isl_pw_aff *end_of(__isl_keep isl_map *map, bool last)
{
	isl_pw_multi_aff *end = last ?
		isl_map_lexmax_pw_multi_aff(isl_map_copy(map)) :
		isl_map_lexmin_pw_multi_aff(isl_map_copy(map));
	isl_pw_aff *at = isl_pw_multi_aff_get_pw_aff(end, 0);

	isl_pw_multi_aff_free(end);
	return poly_pw_aff_coalesce(at);
}

int64_t poly_count_between(struct poly_plan *plan, __isl_keep isl_pw_aff *first,
	__isl_keep isl_pw_aff *last)
{
	isl_pw_aff *n = isl_pw_aff_sub(isl_pw_aff_copy(last),
		isl_pw_aff_copy(first));
	isl_val *most = isl_pw_aff_max_val(isl_pw_aff_intersect_params(n,
		poly_known_sizes(plan->prog)));
	int64_t count = isl_val_is_int(most) == isl_bool_true &&
		isl_val_cmp_si(most, INT32_MAX) < 0 ?
		isl_val_get_num_si(most) + 1 : 0;

	isl_val_free(most);
	return count;
}

/* "values" counted from the least that they have for each point outside. */
static __isl_give isl_union_pw_aff *from_first(struct poly_plan *plan,
	struct poly_item *kernel, __isl_take isl_multi_union_pw_aff *outer,
	__isl_take isl_union_pw_aff *values, int64_t *n)
{
	isl_map *map = ranges(plan, kernel, outer, values);
	isl_pw_aff *first = end_of(map, false), *last = end_of(map, true);
	isl_union_pw_aff *from;

	*n = poly_count_between(plan, first, last);
	isl_pw_aff_free(last);
	isl_map_free(map);
	if (outer)
		from = isl_union_pw_aff_pullback_union_pw_multi_aff(
			isl_union_pw_aff_from_pw_aff(first),
			isl_union_pw_multi_aff_from_multi_union_pw_aff(outer));
	else
		from = isl_union_pw_aff_pw_aff_on_domain(
			isl_union_set_universe(poly_item_domain(kernel)),
			isl_pw_aff_project_domain_on_params(first));
	return isl_union_pw_aff_sub(values, from);
}

__isl_give isl_union_pw_aff *poly_coordinate_of(struct poly_plan *plan,
	struct poly_item *kernel, enum poly_role_of_loop role, int axis,
	int64_t *n)
{
	struct poly_item *loop = NULL;
	isl_union_pw_aff *at = poly_coordinate_values(kernel, role, axis, &loop);
	int64_t tile = common(kernel, role, axis, tile_of, 0, -1);
	int64_t step = common(kernel, role, axis, step_of, 1, -1);
	isl_ctx *ctx = plan->prog->ctx;

	*n = 0;
	if (!at)
		return NULL;
	if (role == POLY_LOOP_THREAD && tile > 0) {
		*n = tile;
		at = isl_union_pw_aff_mod_val(at, isl_val_int_from_si(ctx, tile));
	} else {
		at = from_first(plan, kernel, outside(plan, kernel,
			role == POLY_LOOP_THREAD ? kernel : NULL), at, n);
	}
	if (step > 1) {
		at = isl_union_pw_aff_floor(isl_union_pw_aff_scale_down_val(at,
			isl_val_int_from_si(ctx, step)));
		*n = (*n + step - 1) / step;
	}
	return at;
}

int64_t poly_loop_extent(struct poly_plan *plan, struct poly_item *loop)
{
	isl_multi_union_pw_aff *outer = outside(plan, loop, NULL);
	isl_union_pw_aff *values = poly_loop_values(loop);
	isl_map *map = ranges(plan, loop, outer, values);
	isl_pw_aff *first = end_of(map, false), *last = end_of(map, true);
	int64_t n = poly_count_between(plan, first, last);

	isl_pw_aff_free(first);
	isl_pw_aff_free(last);
	isl_map_free(map);
	isl_union_pw_aff_free(values);
	isl_multi_union_pw_aff_free(outer);
	return (n + loop->step - 1) / loop->step;
}

__isl_give isl_pw_aff *poly_loop_end(struct poly_plan *plan,
	struct poly_item *loop, bool last)
{
	isl_multi_union_pw_aff *outer = outside(plan, loop, NULL);
	isl_union_pw_aff *values = poly_loop_values(loop);
	isl_map *map = ranges(plan, loop, outer, values);
	isl_pw_aff *end = end_of(map, last);

	isl_map_free(map);
	isl_union_pw_aff_free(values);
	isl_multi_union_pw_aff_free(outer);
	return end;
}

/* The number that "end" is for all sizes that there may be, or false. */
static bool number_of(struct poly_plan *plan, __isl_take isl_pw_aff *end,
	bool last, int64_t *n)
{
	isl_val *v;
	bool ok;

	end = isl_pw_aff_intersect_params(end, poly_known_sizes(plan->prog));
	v = last ? isl_pw_aff_max_val(end) : isl_pw_aff_min_val(end);
	ok = isl_val_is_int(v) == isl_bool_true &&
		isl_val_cmp_si(v, INT32_MAX) < 0 &&
		isl_val_cmp_si(v, INT32_MIN) > 0;
	*n = ok ? isl_val_get_num_si(v) : 0;
	isl_val_free(v);
	return ok;
}

bool poly_loop_bounds(struct poly_plan *plan, struct poly_item *loop,
	int64_t *least, int64_t *greatest)
{
	isl_union_pw_aff *values = poly_loop_values(loop);
	isl_map *map = ranges(plan, loop, NULL, values);
	bool low = number_of(plan, end_of(map, false), false, least);
	bool high = number_of(plan, end_of(map, true), true, greatest);

	isl_map_free(map);
	isl_union_pw_aff_free(values);
	return low && high;
}

/* The elements of "array" that instances of "domain" access, "{ S[..] -> A[..] }". */
static __isl_give isl_union_map *accesses_in(struct poly_plan *plan,
	const struct poly_array *array, __isl_take isl_union_set *domain)
{
	isl_union_map *reads, *writes;

	poly_find_accesses(plan->prog, array, &reads, &writes);
	return isl_union_map_intersect_domain(isl_union_map_union(reads, writes),
		domain);
}

bool poly_loop_footprint(struct poly_plan *plan, struct poly_item *loop,
	const struct poly_array *array, int64_t *n, struct poly_refusal *why)
{
	isl_union_set *domain = isl_union_set_intersect_params(
		poly_item_domain(loop), isl_set_copy(plan->prog->context));
	isl_union_map *access = accesses_in(plan, array, domain);
	isl_multi_union_pw_aff *outer = outside(plan, loop->child[0], NULL);
	isl_union_map *at = isl_union_map_apply_domain(access,
		isl_union_map_from_multi_union_pw_aff(outer));
	isl_map *map;

	if (isl_union_map_is_empty(at) != isl_bool_false) {
		isl_union_map_free(at);
		poly_refuse(why, "nothing in loop '%s' accesses '%s'",
			loop->name, array->name);
		return false;
	}
	map = isl_map_from_union_map(at);
	for (int d = 0; d < array->n_dim; d++) {
		isl_map *one = isl_map_project_out(isl_map_copy(map),
			isl_dim_out, d + 1, array->n_dim - d - 1);
		isl_pw_aff *first, *last;

		one = isl_map_project_out(one, isl_dim_out, 0, d);
		first = end_of(one, false);
		last = end_of(one, true);
		n[d] = poly_count_between(plan, first, last);
		isl_pw_aff_free(first);
		isl_pw_aff_free(last);
		isl_map_free(one);
	}
	isl_map_free(map);
	return true;
}

/* ----------------------------------------------------------------- command */

/* Give the loops "name" at and below "item" the role; false if one has one. */
static bool give_role(struct poly_item *item, const char *name,
	enum poly_role_of_loop role, int axis, struct poly_refusal *why)
{
	if (item->kind == POLY_ITEM_LOOP && !strcmp(item->name, name)) {
		if (item->role || item->unroll) {
			poly_refuse(why, "loop '%s' is %s already", name,
				item->role ? "one of blocks or threads" :
				"written out");
			return false;
		}
		item->role = role;
		item->axis = axis;
		return true;
	}
	for (int i = 0; i < item->n_child; i++)
		if (!give_role(item->child[i], name, role, axis, why))
			return false;
	return true;
}

/* Is every statement in "top" in a loop of each of the names? */
static bool all_are_in(struct poly_plan *plan, struct poly_item *top,
	const struct poly_names *names, struct poly_refusal *why)
{
	struct poly_item *leaf[POLY_MOST_LEAVES];
	int n = poly_item_leaves(top, leaf);

	for (int i = 0; i < n; i++)
		for (int k = 0; k < names->n; k++) {
			struct poly_item *loop = poly_find_loop(plan, leaf[i],
				names->text[k], why);

			if (!loop)
				return false;
			if (!poly_item_is_below(loop, top)) {
				poly_refuse(why, "loop '%s' is outside of the "
					"kernel", names->text[k]);
				return false;
			}
		}
	return true;
}

bool poly_threads_fit(struct poly_plan *plan, struct poly_item *kernel,
	struct poly_refusal *why)
{
	int64_t all = 1;

	for (int axis = 0; axis < MOST_THREAD_LOOPS; axis++) {
		struct poly_item *loop = NULL;
		isl_union_pw_aff *at = poly_coordinate_values(kernel,
			POLY_LOOP_THREAD, axis, &loop);
		int64_t n;

		isl_union_pw_aff_free(at);
		if (!at)
			continue;
		isl_union_pw_aff_free(poly_coordinate_of(plan, kernel,
			POLY_LOOP_THREAD, axis, &n));
		if (!n) {
			poly_refuse(why, "loop '%s' has no constant number of "
				"iterations in a block: tile it", loop->name);
			return false;
		}
		all = all * n > INT32_MAX ? INT32_MAX : all * n;
	}
	if (all > 1024)
		poly_refuse(why, "a block would have %lld threads, and may have "
			"1024", (long long)all);
	return all <= 1024;
}

/* The outermost loop around "leaf" that has one of the names. */
static struct poly_item *outermost(struct poly_item *leaf,
	const struct poly_names *a, const struct poly_names *b)
{
	struct poly_item *top = NULL;

	for (struct poly_item *at = leaf; at; at = at->parent)
		for (int i = 0; at->kind == POLY_ITEM_LOOP && i < a->n + b->n; i++)
			if (!strcmp(at->name, i < a->n ? a->text[i] :
			    b->text[i - a->n]))
				top = at;
	return top;
}

static bool has_kernel(const struct poly_item *item)
{
	bool has = item->kind == POLY_ITEM_KERNEL;

	for (int i = 0; i < item->n_child && !has; i++)
		has = has_kernel(item->child[i]);
	return has;
}

bool poly_do_gpu(struct poly_plan *plan, struct poly_item *leaf,
	const struct poly_names *block, const struct poly_names *thread,
	struct poly_refusal *why)
{
	struct poly_item *top = outermost(leaf, block, thread);
	struct poly_item *kernel;

	if (block->n > MOST_BLOCK_LOOPS || thread->n > MOST_THREAD_LOOPS) {
		poly_refuse(why, "a kernel has at most %d loops of blocks and %d "
			"of threads", MOST_BLOCK_LOOPS, MOST_THREAD_LOOPS);
		return false;
	}
	if (!top) {
		poly_refuse(why, block->n + thread->n ? "statement %d (%s) is in "
			"none of these loops" : "no loop is named", leaf->number,
			leaf->stmt->name);
		return false;
	}
	if (poly_item_kernel(top) || has_kernel(top)) {
		poly_refuse(why, "loop '%s' has to do with a kernel already",
			top->name);
		return false;
	}
	if (!all_are_in(plan, top, block, why) ||
	    !all_are_in(plan, top, thread, why))
		return false;
	for (int i = 0; i < block->n; i++)
		if (!give_role(top, block->text[i], POLY_LOOP_BLOCK, i, why))
			return false;
	for (int i = 0; i < thread->n; i++)
		if (!give_role(top, thread->text[i], POLY_LOOP_THREAD, i, why))
			return false;
	kernel = poly_item_alloc(POLY_ITEM_KERNEL);
	if (!kernel || !poly_item_wrap(plan, top, kernel)) {
		poly_refuse(why, "there is not enough memory");
		return false;
	}
	return true;
}
