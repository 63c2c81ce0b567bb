/* Which access to a cell comes last before another one: what isl is asked, within bounds.
 *
 * Subscripts that have little to do with one another make the last write before
 * a read a case of hundreds. Where that takes too many operations, all writes
 * before it are taken for the last, which orders no less. A value that a temporary
 * has from its own iteration is found there, whatever the loops around it are
 * (iteration.c): without isl's search if that iteration has no loops.
 */
#include <isl/flow.h>
#include <isl/space.h>

#include "polyir/base/base.h"
#include "polyir/ir/ir.h"
#include "polyir/sets/sets.h"
#include "polyir/deps/deps.h"
#include "polyir/deps/flow_order.h"

/* Operations that one kind of dependences of an array may take, at the least. */
#define LEAST 25000ul

bool poly_has_no_access(__isl_keep isl_union_map *accesses)
{
	return !accesses || !isl_union_map_n_map(accesses);
}

/* What isl finds for "sink". Any of the others may be NULL. */
static __isl_give isl_union_flow *search(__isl_keep isl_schedule *order,
	__isl_keep isl_union_map *sink, __isl_keep isl_union_map *must,
	__isl_keep isl_union_map *may, __isl_keep isl_union_map *kill)
{
	isl_union_access_info *info = isl_union_access_info_from_sink(
		isl_union_map_copy(sink));

	if (must)
		info = isl_union_access_info_set_must_source(info,
			isl_union_map_copy(must));
	if (may)
		info = isl_union_access_info_set_may_source(info,
			isl_union_map_copy(may));
	if (kill)
		info = isl_union_access_info_set_kill(info,
			isl_union_map_copy(kill));
	info = isl_union_access_info_set_schedule(info,
		isl_schedule_copy(order));
	return isl_union_access_info_compute_flow(info);
}

/* Pairs of a source and a sink of the same cell. */
static __isl_give isl_union_map *meet(__isl_keep isl_union_map *source,
	__isl_keep isl_union_map *sink)
{
	return isl_union_map_apply_range(isl_union_map_copy(source),
		isl_union_map_reverse(isl_union_map_copy(sink)));
}

/* All of "may" before each sink, but those with one of "kill" between. "found"
 * has the last of "kill" before each sink.
 *
 * There is none between if the last before the one is the last before the other,
 * if neither has one, or if that of the sink is a part of the same instance.
 */
static __isl_give isl_union_map *since(__isl_keep isl_schedule *order,
	__isl_keep isl_union_map *sink, __isl_keep isl_union_map *may,
	__isl_keep isl_union_map *kill, __isl_keep isl_union_flow *found)
{
	isl_union_flow *own = search(order, may, kill, NULL, NULL);
	isl_union_map *none = isl_union_flow_get_must_no_source(own);
	isl_union_map *bare = isl_union_flow_get_must_no_source(found);
	isl_union_map *last = isl_union_flow_get_must_dependence(found);
	isl_union_map *pairs = isl_union_map_intersect(meet(may, sink),
		isl_union_map_copy(last));
	isl_union_map *before = isl_union_flow_get_must_dependence(own);

	before = isl_union_map_apply_range(isl_union_map_reverse(before), last);
	before = isl_union_map_intersect(before, meet(may, sink));
	before = isl_union_map_union(before, meet(none, bare));
	before = poly_pairs_before(order, before);
	isl_union_map_free(none);
	isl_union_map_free(bare);
	isl_union_flow_free(own);
	return isl_union_map_union(pairs, before);
}

/* Does isl's search for "last" and "may" at once find its way?
 *
 * It goes on with the sinks that no source of "may" was found for. Of those
 * isl_set_subtract expresses existentially quantified variables, perhaps as
 * others of the same set are (isl_map_compute_divs), and isl_map_partial_lexmax
 * writes beyond the variables of a domain that has the same one twice
 * (align_context_divs in isl_tab_pip.c; isl 0.25). Differences have no such
 * variables.
 */
static bool is_safe(__isl_keep isl_schedule *order,
	__isl_keep isl_union_map *sink, __isl_keep isl_union_map *last,
	__isl_keep isl_union_map *may)
{
	isl_union_map *when;
	bool safe;

	if (poly_has_no_access(last) || poly_has_no_access(may))
		return true;
	when = isl_schedule_get_map(order);
	safe = poly_are_differences(sink) && poly_are_differences(last) &&
		poly_are_differences(may) && poly_are_differences(when);
	isl_union_map_free(when);
	return safe;
}

/* Pairs of a source and a sink that touch one cell, the source first: for each
 * sink the last of "must", and all of "may" since the last of "must" or of
 * "kill". Any of them but the sink may be NULL; one of "must" and "kill" is.
 */
static __isl_give isl_union_map *exactly(__isl_keep isl_schedule *order,
	__isl_keep isl_union_map *sink, __isl_keep isl_union_map *must,
	__isl_keep isl_union_map *may, __isl_keep isl_union_map *kill)
{
	isl_union_map *last = must ? must : kill, *pairs;
	bool safe = is_safe(order, sink, last, may);
	isl_union_flow *flow = safe ? search(order, sink, must, may, kill) :
		search(order, sink, last, NULL, NULL);

	pairs = safe || must ? isl_union_flow_get_may_dependence(flow) :
		isl_union_map_empty(isl_union_map_get_space(sink));
	if (!safe)
		pairs = isl_union_map_union(pairs,
			since(order, sink, may, last, flow));
	isl_union_flow_free(flow);
	return poly_union_map_coalesce(pairs);
}

__isl_give isl_union_map *poly_pairs_roughly(__isl_keep isl_schedule *order,
	__isl_keep isl_union_map *sink, __isl_keep isl_union_map *must,
	__isl_keep isl_union_map *may)
{
	isl_union_map *all = must ? isl_union_map_copy(must) :
		isl_union_map_empty(isl_union_map_get_space(sink));
	isl_union_map *pairs;

	if (may)
		all = isl_union_map_union(all, isl_union_map_copy(may));
	pairs = meet(all, sink);
	isl_union_map_free(all);
	return poly_pairs_before(order, pairs);
}

/* Say once that dependences are not exact. */
static void tell(const struct poly_search *s)
{
	if (!poly_report_has(s->prog->report, MSG_POLY_FLOW))
		poly_report_add(s->prog->report, MSG_POLY_FLOW, NULL,
			s->most + s->tree);
}

/* Is there no pair of "sink" and "must" or "may", as one side has no access? */
static bool is_one_empty(__isl_keep isl_union_map *sink,
	__isl_keep isl_union_map *must, __isl_keep isl_union_map *may)
{
	return poly_has_no_access(sink) || (poly_has_no_access(must) && poly_has_no_access(may));
}

/* isl takes some searches for invalid, too, in the middle of one (isl 0.25). */
__isl_give isl_union_map *poly_pairs_between(struct poly_search *s,
	__isl_keep isl_union_map *sink, __isl_keep isl_union_map *must,
	__isl_keep isl_union_map *may, __isl_keep isl_union_map *kill)
{
	isl_ctx *ctx = s->prog->ctx;
	isl_union_map *pairs;
	unsigned long all;

	if (is_one_empty(sink, must, may))
		return isl_union_map_empty(
			isl_set_get_space(s->prog->context));
	all = poly_ctx_attempt(ctx, s->most + s->tree);
	pairs = exactly(s->order, sink, must, may, kill);
	if (poly_ctx_attempted(ctx, all) && (pairs || !poly_ctx_faulted(ctx)))
		return pairs;
	isl_union_map_free(pairs);
	isl_ctx_reset_error(ctx);
	tell(s);

	s->most = s->most / 2 > LEAST ? s->most / 2 : LEAST;
	return poly_pairs_roughly(s->order, sink, must, may);
}

/* "accesses" in the iteration "one". */
static __isl_give isl_union_map *at(__isl_keep isl_union_map *accesses,
	__isl_keep isl_union_set *one)
{
	return isl_union_map_intersect_domain(isl_union_map_copy(accesses),
		isl_union_set_copy(one));
}

/* "accesses" by what runs at turn "i". */
static __isl_give isl_union_map *turn_of(__isl_keep isl_union_map *accesses,
	__isl_keep isl_union_set_list *turn, int i)
{
	return isl_union_map_intersect_domain(isl_union_map_copy(accesses),
		isl_union_set_list_get_at(turn, i));
}

/* What "within" has found: "pairs", and "open", the sinks that look further. */
struct near {
	struct poly_search *s;
	isl_union_map *must, *may;	/* those of the iteration */
	isl_union_map *pairs, *open;
};

/* Find the pairs of the sinks "to", which is taken, and the last of "must" before them
 * in the iteration, where that has no loops: one after another, from each sink back. To
 * "open" goes what is left.
 *
 * isl would ask each sink which of all sources may be the last.
 */
static void look_back(struct near *n, __isl_take isl_union_map *to)
{
	int last = isl_union_set_list_n_union_set(n->s->turn);

	for (int i = 0; i < last; i++) {
		isl_union_map *open = turn_of(to, n->s->turn, i);

		for (int k = i - 1; k >= 0 && !poly_has_no_access(open); k--) {
			isl_union_map *from = turn_of(n->must, n->s->turn, k);
			isl_union_map *hit = isl_union_map_intersect_range(
				isl_union_map_copy(open), isl_union_map_range(
				isl_union_map_copy(from)));

			open = isl_union_map_subtract(open,
				isl_union_map_copy(hit));
			n->pairs = isl_union_map_union(n->pairs,
				poly_any_iteration(meet(from, hit)));
			isl_union_map_free(from);
			isl_union_map_free(hit);
		}
		n->open = isl_union_map_union(n->open, poly_any_iteration(open));
	}
	isl_union_map_free(to);
}

/* Find the pairs of the sinks "to", which is taken, of one iteration that have one
 * of "must" before them there: no other iteration matters to them.
 */
static isl_stat add_near(struct near *n, __isl_take isl_union_map *to)
{
	isl_union_map *open, *pairs;
	isl_union_flow *flow;

	if (n->s->turn && poly_has_no_access(n->may)) {
		look_back(n, to);
		return n->pairs && n->open ? isl_stat_ok : isl_stat_error;
	}
	flow = search(n->s->order, to, n->must, NULL, NULL);
	open = isl_union_flow_get_must_no_source(flow);
	to = isl_union_map_subtract(to, isl_union_map_copy(open));
	pairs = poly_has_no_access(n->may) ? isl_union_flow_get_must_dependence(flow) :
		exactly(n->s->order, to, n->must, n->may, NULL);
	isl_union_flow_free(flow);
	isl_union_map_free(to);
	n->pairs = isl_union_map_union(n->pairs, poly_any_iteration(pairs));
	n->open = isl_union_map_union(n->open, poly_any_iteration(open));
	return n->pairs && n->open ? isl_stat_ok : isl_stat_error;
}

static isl_stat add_piece(__isl_take isl_basic_map *sink, void *user)
{
	return add_near(user, isl_union_map_from_map(
		isl_map_from_basic_map(sink)));
}

/* One access after the other, if a statement has several: together, their cells
 * make isl tell apart which of them meet.
 */
static isl_stat add_each(__isl_take isl_map *map, void *user)
{
	isl_stat ok = isl_map_foreach_basic_map(map, add_piece, user);

	isl_map_free(map);
	return ok;
}

/* The pairs of those sinks that have one of "must" before them in their own
 * iteration. "*open" are the other sinks. NULL if isl does not find them within
 * its operations.
 */
static __isl_give isl_union_map *within(struct poly_search *s,
	__isl_keep isl_union_map *sink, __isl_keep isl_union_map *must,
	__isl_keep isl_union_map *may, isl_union_map **open)
{
	unsigned long all = poly_ctx_attempt(s->prog->ctx, s->most + s->tree);
	isl_union_map *to = at(sink, s->one);
	isl_space *space = isl_union_map_get_space(sink);
	struct near n = { .s = s, .must = at(must, s->one),
		.may = at(may, s->one),
		.pairs = isl_union_map_empty(isl_space_copy(space)),
		.open = isl_union_map_empty(space) };
	isl_stat ok = s->cells ? isl_union_map_foreach_map(to, add_each, &n) :
		add_near(&n, isl_union_map_copy(to));

	isl_union_map_free(to);
	isl_union_map_free(n.must);
	isl_union_map_free(n.may);
	*open = poly_union_map_coalesce(n.open);
	n.pairs = poly_union_map_coalesce(n.pairs);
	if (poly_ctx_attempted(s->prog->ctx, all) && ok == isl_stat_ok)
		return n.pairs;
	*open = isl_union_map_free(*open);
	isl_ctx_reset_error(s->prog->ctx);
	return isl_union_map_free(n.pairs);
}

__isl_give isl_union_map *poly_pairs_of_values(struct poly_search *s,
	__isl_keep isl_union_map *sink, __isl_keep isl_union_map *must,
	__isl_keep isl_union_map *may)
{
	isl_union_map *open = NULL, *near = NULL, *far;

	if (s->one && !poly_has_no_access(sink) && !poly_has_no_access(must))
		near = within(s, sink, must, may, &open);
	if (!near)
		open = isl_union_map_copy(sink);
	far = s->nearest ? poly_pairs_between(s, open, must, may, NULL) :
		poly_pairs_roughly(s->order, open, must, may);
	isl_union_map_free(open);
	return near ? isl_union_map_union(near, far) : far;
}
