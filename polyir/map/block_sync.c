/* Barriers of block kernels, where threads depend on one another.
 *
 *	band [t]				band [t]
 *	  sequence				  sequence
 *	    S0: filter i mod 64 = t1		    S0: ..
 *	    S1: filter i mod 64 = t1		    A_sync[t]
 *						    S1: ..
 *						    A_sync2[t]
 *
 * A barrier is a statement with the bands above as its dimensions, so that all
 * threads go through it together (barrier.c). Down the tree go the pairs of instances in
 * different threads that one block must not mix up. In a sequence, a barrier
 * stands before the first child that depends on one behind the last barrier;
 * a loop gets one at its end if it carries a pair that no barrier of its body
 * covers. isl cannot add statements to a tree, so that it is made anew.
 *
 * What must be covered: all pairs of instances in different threads of which
 * the second needs, or overwrites, what the first has done (poly_thread_pairs).
 * A barrier between two children of a sequence covers all pairs from before it
 * to behind it; so one barrier often covers many. Within a thread the order of
 * the tree is enough.
 *
 * For blocks that run together the same statement is a barrier of all of them;
 * which instruction it becomes is nvptx/lower's affair. poly_find_race
 * (legal/race.c) proves the result afterwards, without a look at this file.
 */
#include <stdlib.h>

#include <isl/id.h>
#include <isl/space.h>

#include "polyir/ir/ir.h"
#include "polyir/sets/sets.h"
#include "polyir/legal/legal.h"
#include "polyir/map/map.h"
#include "polyir/map/block_sync.h"

/* Takes nothing; NULL with s->failed, or on an error of isl's. */
static __isl_give isl_schedule *build(struct poly_barriers *s,
	__isl_keep isl_schedule_node *node, __isl_keep isl_union_map *pairs);

/* --------------------------------------------------------------- sequences */

/* The pairs of "pairs" from instances of "from" to those of "to".
 *
 * Neither "from" nor "to" is taken.
 */
static __isl_give isl_union_map *between(__isl_keep isl_union_map *pairs,
	__isl_keep isl_union_set *from, __isl_keep isl_union_set *to)
{
	isl_union_map *part = isl_union_map_intersect_domain(
		isl_union_map_copy(pairs), isl_union_set_copy(from));

	return isl_union_map_intersect_range(part, isl_union_set_copy(to));
}

/* What isl does not know counts as met: a barrier too many. */
static bool meets(__isl_keep isl_union_map *pairs,
	__isl_keep isl_union_set *from, __isl_keep isl_union_set *to)
{
	isl_union_map *part = between(pairs, from, to);
	bool some = isl_union_map_is_empty(part) != isl_bool_true;

	isl_union_map_free(part);
	return some;
}

/* The children of a sequence, "before" which of them a barrier stands.
 *
 * Both arrays are owned, and as long as the sequence.
 */
struct children {
	isl_union_set **domain;
	bool *before;
	int n;
};

/* Fill in "c" with what each child of the sequence "node" runs, without
 * barriers yet; false without memory. free_children releases it in both cases.
 */
static bool read_children(struct poly_barriers *s, __isl_keep isl_schedule_node *node,
	struct children *c)
{
	c->n = isl_schedule_node_n_children(node);
	c->domain = calloc(c->n + 1, sizeof(*c->domain));
	c->before = calloc(c->n + 1, sizeof(*c->before));
	for (int i = 0; c->domain && c->before && i < c->n; i++) {
		isl_schedule_node *child =
			isl_schedule_node_get_child(node, i);

		child = isl_schedule_node_child(child, 0);
		c->domain[i] = poly_reaching(s, child);
		isl_schedule_node_free(child);
	}
	return c->domain && c->before;
}

static void free_children(struct children *c)
{
	for (int i = 0; c->domain && i < c->n; i++)
		isl_union_set_free(c->domain[i]);
	free(c->domain);
	free(c->before);
}

/* Place the barriers that the "pairs" within one round need.
 *
 * Greedy from left to right: a barrier stands as late as the first child that
 * needs it, and everything before it is covered from then on. That is the least
 * number for one round: each barrier is forced by a pair that the ones before
 * do not cover.
 */
static void place_barriers(struct children *c,
	__isl_keep isl_union_map *pairs)
{
	int since = 0;

	for (int i = 1; i < c->n; i++)
		for (int k = since; k < i; k++)
			if (meets(pairs, c->domain[k], c->domain[i])) {
				c->before[i] = true;
				since = i;
			}
}

/* Does a pair of "carried" stay without a barrier among the children?
 *
 * A pair that the loop carries goes from child i of one iteration to child j of
 * a later one. It is covered by any barrier behind i or before j; so only
 * children behind the last barrier, and before the first one, are left to ask.
 */
static bool is_open(const struct children *c,
	__isl_keep isl_union_map *carried)
{
	int first = c->n, last = 0;

	for (int i = c->n - 1; i > 0; i--)
		if (c->before[i])
			first = i;
	for (int i = 1; i < c->n; i++)
		if (c->before[i])
			last = i;
	for (int i = last; i < c->n; i++)
		for (int j = 0; j < first; j++)
			if (meets(carried, c->domain[i], c->domain[j]))
				return true;
	return false;
}

/* NULL as build. */
static __isl_give isl_schedule *build_child(struct poly_barriers *s,
	__isl_keep isl_schedule_node *node, int i,
	__isl_keep isl_union_map *pairs)
{
	isl_schedule_node *child = isl_schedule_node_get_child(node, i);
	isl_schedule *schedule = build(s, child, pairs);

	isl_schedule_node_free(child);
	return schedule;
}

/* A sequence in a block, in a loop that carries "carried".
 *
 * "pairs" are those within one iteration, "carried" those to later ones. The
 * barrier at the end, for these, is the loop's last child.
 */
static __isl_give isl_schedule *build_sequence(struct poly_barriers *s,
	__isl_keep isl_schedule_node *node, __isl_keep isl_union_map *pairs,
	__isl_keep isl_union_map *carried)
{
	struct children c = { 0 };
	isl_schedule *all = NULL;

	if (!read_children(s, node, &c))
		s->failed = true;
	else
		place_barriers(&c, pairs);
	for (int i = 0; !s->failed && i < c.n; i++) {
		isl_union_map *own = between(pairs, c.domain[i], c.domain[i]);
		isl_schedule *one = build_child(s, node, i, own);

		isl_union_map_free(own);
		if (c.before[i])
			all = isl_schedule_sequence(all, poly_barrier_at(s, node));
		all = i ? isl_schedule_sequence(all, one) : one;
	}
	if (!s->failed && is_open(&c, carried))
		all = isl_schedule_sequence(all, poly_barrier_at(s, node));
	free_children(&c);
	return all;
}

/* What a loop of a block that carries "carried" runs.
 *
 * A body that is no sequence has no place for barriers but its end.
 */
static __isl_give isl_schedule *build_body(struct poly_barriers *s,
	__isl_keep isl_schedule_node *node, __isl_keep isl_union_map *pairs,
	__isl_keep isl_union_map *carried)
{
	isl_schedule *schedule;

	if (isl_schedule_node_get_type(node) == isl_schedule_node_sequence)
		return build_sequence(s, node, pairs, carried);
	schedule = build(s, node, pairs);
	if (isl_union_map_is_empty(carried) != isl_bool_true)
		schedule = isl_schedule_sequence(schedule, poly_barrier_at(s, node));
	return schedule;
}

/* -------------------------------------------------------------------- tree */

/* A member of a band, to which its values for barriers are added.
 *
 * "member" grows by a function for each barrier.
 */
struct extension {
	struct poly_prog *prog;
	isl_union_pw_aff *member;
	int dim;
};

/* Give a barrier its dimension "dim" as its value of the member.
 *
 * A barrier has the bands above as its dimensions, so its value of the member
 * is that dimension itself.
 */
static isl_stat extend(__isl_take isl_set *set, void *user)
{
	struct extension *e = user;
	const struct poly_stmt *stmt = poly_stmt_of_set(e->prog, set);
	isl_local_space *local = isl_local_space_from_space(
		isl_set_get_space(set));

	isl_set_free(set);
	if (stmt && stmt->kind == POLY_SYNC) {
		isl_pw_aff *at = isl_pw_aff_from_aff(isl_aff_var_on_domain(
			isl_local_space_copy(local), isl_dim_set, e->dim));

		e->member = isl_union_pw_aff_union_add(e->member,
			isl_union_pw_aff_from_pw_aff(at));
	}
	isl_local_space_free(local);
	return isl_stat_ok;
}

/* Put the band "node" above "schedule", for the barriers, too.
 *
 * Flags and options are those of the band as it was.
 */
static __isl_give isl_schedule *add_band(struct poly_barriers *s,
	__isl_take isl_schedule *schedule, __isl_keep isl_schedule_node *node)
{
	isl_multi_union_pw_aff *partial =
		isl_schedule_node_band_get_partial_schedule(node);
	isl_union_set *domain = isl_schedule_get_domain(schedule);
	int n = isl_multi_union_pw_aff_size(partial);
	int depth = isl_schedule_node_get_schedule_depth(node);

	for (int i = 0; i < n; i++) {
		struct extension e = { s->prog,
			isl_multi_union_pw_aff_get_at(partial, i), depth + i };

		isl_union_set_foreach_set(domain, extend, &e);
		partial = isl_multi_union_pw_aff_set_at(partial, i, e.member);
	}
	isl_union_set_free(domain);
	return poly_add_band(schedule, partial, node);
}

/* A filter, to which the barriers are added; they are met at "places".
 *
 * "places": the sizes, blocks and threads for which the filter has anything.
 */
struct narrow {
	struct poly_prog *prog;
	isl_union_set *filter;
	isl_set *places;
};

/* Let a barrier through: in its launch, for all threads.
 *
 * h0 = first dimension: the barrier is met in the launch that it is made for.
 * Without other bounds, so that no thread is left out.
 */
static isl_stat let_through(__isl_take isl_set *set, void *user)
{
	struct narrow *n = user;
	const struct poly_stmt *stmt = poly_stmt_of_set(n->prog, set);
	int dims = isl_set_dim(set, isl_dim_set);
	isl_set *own = isl_set_universe(isl_set_get_space(set));

	isl_set_free(set);
	if (!stmt || stmt->kind != POLY_SYNC) {
		isl_set_free(own);
		return isl_stat_ok;
	}
	own = isl_set_intersect_params(own, isl_set_copy(n->places));
	for (int i = 0; i < dims && i < POLY_MAX_HOST; i++) {
		int pos = isl_set_find_dim_by_name(own, isl_dim_param,
			poly_coordinate(n->prog, POLY_LAUNCH + i));

		if (pos >= 0)
			own = isl_set_equate(own, isl_dim_param, pos,
				isl_dim_set, i);
	}
	n->filter = isl_union_set_add_set(n->filter, own);
	return isl_stat_ok;
}

/* Put the filter "node", or, without threads yet, the kernel's, above.
 *
 * Below the filter of a thread there are no barriers to let through.
 */
static __isl_give isl_schedule *add_filter(struct poly_barriers *s,
	__isl_take isl_schedule *schedule, __isl_keep isl_schedule_node *node)
{
	struct narrow n = { .prog = s->prog };
	isl_union_set *domain = isl_schedule_get_domain(schedule);
	isl_schedule_node *top = isl_schedule_get_root(schedule);

	isl_schedule_free(schedule);
	n.filter = isl_schedule_node_filter_get_filter(node);
	n.places = isl_union_set_params(isl_union_set_copy(n.filter));
	if (s->kernel && !s->shared)
		isl_union_set_foreach_set(domain, let_through, &n);
	isl_union_set_free(domain);
	isl_set_free(n.places);
	top = isl_schedule_node_child(top, 0);
	top = isl_schedule_node_insert_filter(top, n.filter);
	schedule = isl_schedule_node_get_schedule(top);
	isl_schedule_node_free(top);
	return schedule;
}

/* A mark: in that of a block, barriers.
 *
 * Outside of block kernels nothing changes: "above" is NULL there.
 */
static __isl_give isl_schedule *build_mark(struct poly_barriers *s,
	__isl_keep isl_schedule_node *node, __isl_keep isl_union_map *above)
{
	const char *name = poly_mark_kernel(node);
	const struct poly_kernel *kernel = name ?
		poly_prog_find_kernel(s->prog, name) : NULL;
	isl_union_map *pairs;
	isl_schedule *schedule;

	if (!kernel || !kernel->block)
		return poly_add_mark(build_child(s, node, 0, above),
			isl_schedule_node_mark_get_id(node));
	s->kernel = kernel;
	pairs = poly_thread_pairs(s->prog, kernel);
	schedule = build_child(s, node, 0, pairs);
	isl_union_map_free(pairs);
	s->kernel = NULL;
	return poly_add_mark(schedule, isl_schedule_node_mark_get_id(node));
}

/* Rebuild a filter and what is below it. Barriers pass the filter of a kernel,
 * which binds its blocks. Below one that binds a thread there are none, since
 * threads go through barriers together.
 *
 * The kernel's filter is the first, which binds b0; the second, which binds t1
 * without b0, is that of the threads.
 */
static __isl_give isl_schedule *build_filter(struct poly_barriers *s,
	__isl_keep isl_schedule_node *node, __isl_keep isl_union_map *pairs)
{
	isl_union_set *filter = isl_schedule_node_filter_get_filter(node);
	isl_set *params = isl_union_set_params(filter);
	bool first = s->kernel && isl_set_find_dim_by_name(params,
		isl_dim_param, poly_coordinate(s->prog, POLY_BLOCK)) >= 0;
	bool inner = s->kernel && !first && isl_set_find_dim_by_name(params,
		isl_dim_param, poly_coordinate(s->prog, POLY_THREAD + 1)) >= 0;
	isl_schedule *schedule;

	isl_set_free(params);
	s->shared |= inner;
	if (inner)
		s->all = poly_reaching(s, node);
	schedule = build_child(s, node, 0, pairs);
	schedule = add_filter(s, schedule, node);
	if (inner) {
		s->shared = false;
		s->all = isl_union_set_free(s->all);
	}
	return schedule;
}

/* Rebuild a band. In a block kernel, above the filters of threads, a barrier
 * must cover the pairs that it carries: its body ends in one unless one inside
 * of it does.
 *
 * Bands around the kernel, and those within a thread, only copy.
 */
static __isl_give isl_schedule *build_band(struct poly_barriers *s,
	__isl_keep isl_schedule_node *node, __isl_keep isl_union_map *pairs)
{
	isl_multi_union_pw_aff *partial;
	isl_union_map *equal, *carried;
	isl_schedule_node *child;
	isl_schedule *schedule;

	if (!s->kernel || s->shared)
		return add_band(s, build_child(s, node, 0, pairs), node);
	partial = isl_schedule_node_band_get_partial_schedule(node);
	carried = isl_union_map_lex_lt_at_multi_union_pw_aff(
		isl_union_map_copy(pairs),
		isl_multi_union_pw_aff_copy(partial));
	equal = isl_union_map_eq_at_multi_union_pw_aff(
		isl_union_map_copy(pairs), partial);
	child = isl_schedule_node_get_child(node, 0);
	schedule = build_body(s, child, equal, carried);
	isl_schedule_node_free(child);
	isl_union_map_free(equal);
	isl_union_map_free(carried);
	return add_band(s, schedule, node);
}

/* Rebuild a sequence, in a block kernel with the barriers between its children,
 * or a set.
 *
 * A set has no order, but in a block kernel it is treated as one: it runs in
 * some order anyway.
 */
static __isl_give isl_schedule *build_list(struct poly_barriers *s,
	__isl_keep isl_schedule_node *node, __isl_keep isl_union_map *pairs)
{
	bool ordered = isl_schedule_node_get_type(node) ==
		isl_schedule_node_sequence;
	isl_size n = isl_schedule_node_n_children(node);
	isl_schedule *all;

	if (s->kernel && !s->shared) {
		isl_union_map *none = isl_union_map_empty(
			isl_union_map_get_space(pairs));

		all = build_sequence(s, node, pairs, none);
		isl_union_map_free(none);
		return all;
	}
	all = build_child(s, node, 0, pairs);
	for (int i = 1; i < n; i++)
		all = ordered ? isl_schedule_sequence(all,
			build_child(s, node, i, pairs)) :
			isl_schedule_set(all, build_child(s, node, i, pairs));
	return all;
}

/* Is "node" a child of a sequence or set?
 *
 * The filters of sequences are made anew by isl_schedule_sequence.
 */
static bool is_part(__isl_keep isl_schedule_node *node)
{
	enum isl_schedule_node_type type =
		isl_schedule_node_get_parent_type(node);

	return type == isl_schedule_node_sequence ||
		type == isl_schedule_node_set;
}

/* The tree at and below "node", with barriers. */
static __isl_give isl_schedule *build(struct poly_barriers *s,
	__isl_keep isl_schedule_node *node, __isl_keep isl_union_map *pairs)
{
	switch (isl_schedule_node_get_type(node)) {
	case isl_schedule_node_error:
		s->failed = true;
		return NULL;
	case isl_schedule_node_leaf:
		return isl_schedule_from_domain(poly_leaf_domain(s, node));
	case isl_schedule_node_band:
		return build_band(s, node, pairs);
	case isl_schedule_node_sequence:
	case isl_schedule_node_set:
		return build_list(s, node, pairs);
	case isl_schedule_node_mark:
		return build_mark(s, node, pairs);
	case isl_schedule_node_filter:
		if (is_part(node))
			return build_child(s, node, 0, pairs);
		return build_filter(s, node, pairs);
	default:
		return build_child(s, node, 0, pairs);
	}
}

/* Replaces the tree only if there is a block kernel. NULL in the program on
 * failure.
 */
isl_stat poly_sync_blocks(struct poly_prog *prog)
{
	struct poly_barriers s = { .prog = prog };
	isl_schedule_node *node;
	isl_schedule *schedule;
	bool any = false;

	for (int i = 0; i < prog->n_kernel; i++)
		any |= prog->kernel[i]->block;
	if (!any)
		return isl_stat_ok;
	node = isl_schedule_get_root(prog->schedule);
	node = isl_schedule_node_child(node, 0);
	schedule = build(&s, node, NULL);
	isl_schedule_node_free(node);
	if (s.failed)
		schedule = isl_schedule_free(schedule);
	return poly_set_schedule(prog, schedule);
}
