/* Few parallel loops outside of loops that go on in order are inside of these.
 *
 * isl's scheduler puts parallel loops outermost. Where these are few and others follow
 * behind loops that go on in order, one kernel of few threads would run all of it; the
 * loops that go on in order are better outside, and all parallel loops below:
 *
 *	h(l,s,b,f) of h(l-1,s,b,j) and h(l,s-1,b,j):
 *
 *	before: band [b, l, s] 1 0 0	after: band [l + s] 0
 *		  sequence			 sequence
 *		    band [q, f] 1 1		   band [b, l, q, f] 1 1 1 1
 *		    band [f] 1			   band [b, l, f] 1 1 1
 *
 * A parallel loop carries no dependence, so it may stand anywhere below.
 */
#include <stdlib.h>

#include <isl/space.h>

#include "polyir/ir/ir.h"
#include "polyir/sets/sets.h"
#include "polyir/schedule/schedule.h"

/* Parallel iterations outside that keep a GPU busy; iterations of the parallel loops
 * inside, for each of those outside, that are worth a launch for each step of the loops
 * in order.
 */
#define BUSY 16384.0
#define WORTH 32.0

/* The walk over the tree: "done" if it has changed something. */
struct sink {
	struct poly_prog *prog;
	bool done;
};

/* How many iterations the parallel members of "band" have. */
static double count(struct poly_prog *prog, __isl_keep isl_schedule_node *band)
{
	isl_size n = isl_schedule_node_band_n_member(band);
	double all = 1;

	for (int i = 0; i < n; i++)
		if (isl_schedule_node_band_member_get_coincident(band, i) ==
		    isl_bool_true)
			all *= poly_member_count(prog, band, i);
	return all;
}

/* How many members of "band" are parallel. */
static int n_parallel(__isl_keep isl_schedule_node *band)
{
	isl_size n = isl_schedule_node_band_n_member(band);
	int parallel = 0;

	for (int i = 0; i < n; i++)
		parallel += isl_schedule_node_band_member_get_coincident(band,
			i) == isl_bool_true;
	return parallel;
}

static bool is_band(__isl_keep isl_schedule_node *node)
{
	return isl_schedule_node_get_type(node) == isl_schedule_node_band;
}

/* The most parallel iterations that a band has. */
struct inner {
	struct poly_prog *prog;
	double most;
};

/* Note how many iterations the parallel members of a band have, if these are
 * the most so far.
 */
static isl_bool note_band(__isl_keep isl_schedule_node *node, void *user)
{
	struct inner *in = user;

	if (is_band(node) && n_parallel(node)) {
		double n = count(in->prog, node);

		in->most = n > in->most ? n : in->most;
	}
	return isl_bool_true;
}

/* The most parallel iterations of a band below "node". */
static double most_below(struct poly_prog *prog,
	__isl_keep isl_schedule_node *node)
{
	struct inner in = { prog, 0 };
	isl_schedule_node *child = isl_schedule_node_get_child(node, 0);

	isl_schedule_node_foreach_descendant_top_down(child, note_band, &in);
	isl_schedule_node_free(child);
	return in.most;
}

/* Put the member of "partial" with the most values, of those that reach "node", first:
 * of a wavefront, the others are the parallel ones.
 */
static __isl_give isl_multi_union_pw_aff *longest_first(struct poly_prog *prog,
	__isl_take isl_multi_union_pw_aff *partial,
	__isl_keep isl_schedule_node *node)
{
	isl_size n = isl_multi_union_pw_aff_size(partial);
	isl_union_set *domain = poly_node_domain(node);
	isl_union_pw_aff *first, *longest;
	double most = 0;
	int at = 0;

	for (int i = 0; i < n; i++) {
		double own = poly_value_count(prog, domain,
			isl_multi_union_pw_aff_get_at(partial, i));

		at = own > most ? i : at;
		most = own > most ? own : most;
	}
	isl_union_set_free(domain);
	first = isl_multi_union_pw_aff_get_at(partial, 0);
	longest = isl_multi_union_pw_aff_get_at(partial, at);
	partial = isl_multi_union_pw_aff_set_at(partial, at, first);
	return isl_multi_union_pw_aff_set_at(partial, 0, longest);
}

/* The parallel members of "band", or the others. */
static __isl_give isl_multi_union_pw_aff *members(
	__isl_keep isl_schedule_node *band, bool parallel)
{
	isl_multi_union_pw_aff *partial =
		isl_schedule_node_band_get_partial_schedule(band);
	isl_ctx *ctx = isl_schedule_node_get_ctx(band);
	isl_size n = isl_multi_union_pw_aff_size(partial);
	isl_union_pw_aff_list *list = isl_union_pw_aff_list_alloc(ctx, n);
	int kept = 0;

	for (int i = 0; i < n; i++)
		if ((isl_schedule_node_band_member_get_coincident(band, i) ==
		     isl_bool_true) == parallel) {
			list = isl_union_pw_aff_list_add(list,
				isl_multi_union_pw_aff_get_at(partial, i));
			kept++;
		}
	isl_multi_union_pw_aff_free(partial);
	return isl_multi_union_pw_aff_from_union_pw_aff_list(
		isl_space_set_alloc(ctx, 0, kept), list);
}

/* The part of "loops" that is for what reaches "node". */
static __isl_give isl_multi_union_pw_aff *here(
	__isl_keep isl_multi_union_pw_aff *loops,
	__isl_keep isl_schedule_node *node)
{
	return isl_multi_union_pw_aff_intersect_domain(
		isl_multi_union_pw_aff_copy(loops),
		isl_union_set_universe(poly_node_domain(node)));
}

/* Let "loops" be parallel loops at or below "node": in the first band that has some,
 * or above what has none.
 */
static __isl_give isl_schedule_node *push(__isl_take isl_schedule_node *node,
	__isl_keep isl_multi_union_pw_aff *loops)
{
	enum isl_schedule_node_type type = isl_schedule_node_get_type(node);
	isl_size n = isl_schedule_node_n_children(node);
	bool inside = poly_has_parallel(node);

	if (type == isl_schedule_node_band && n_parallel(node)) {
		node = poly_insert_parallel(node, here(loops, node));
		return poly_join_bands(node);
	}
	/* No band goes between a sequence and its filters. */
	if (type == isl_schedule_node_leaf ||
	    (!inside && type != isl_schedule_node_filter))
		return poly_insert_parallel(node, here(loops, node));
	for (int i = 0; i < n; i++) {
		node = isl_schedule_node_child(node, i);
		node = push(node, loops);
		node = isl_schedule_node_parent(node);
	}
	return node;
}

/* Is the parallel part of "band" too little, and is there more below the rest? */
static bool wants_sinking(struct poly_prog *prog,
	__isl_keep isl_schedule_node *band)
{
	int parallel = n_parallel(band);
	isl_schedule_node *child = isl_schedule_node_get_child(band, 0);
	bool ordered = parallel < isl_schedule_node_band_n_member(band) ||
		(is_band(child) && !n_parallel(child));

	isl_schedule_node_free(child);
	return ordered && parallel && count(prog, band) < BUSY &&
		most_below(prog, band) >= WORTH;
}

/* Sink the parallel members of the band "node". */
static __isl_give isl_schedule_node *sink_band(struct poly_prog *prog,
	__isl_take isl_schedule_node *node)
{
	isl_multi_union_pw_aff *loops = members(node, true);
	isl_multi_union_pw_aff *ordered = members(node, false);
	bool permutable = isl_schedule_node_band_get_permutable(node) ==
		isl_bool_true;

	node = isl_schedule_node_delete(node);
	if (isl_multi_union_pw_aff_size(ordered) > 0) {
		if (permutable)
			ordered = longest_first(prog, ordered, node);
		node = isl_schedule_node_insert_partial_schedule(node, ordered);
		node = isl_schedule_node_band_set_permutable(node, permutable);
	} else {
		isl_multi_union_pw_aff_free(ordered);
	}
	if (poly_band_shape(node) == POLY_BAND_WAVE) {
		node = isl_schedule_node_child(poly_skew(node), 0);
		loops = isl_multi_union_pw_aff_flat_range_product(loops,
			isl_schedule_node_band_get_partial_schedule(node));
		node = isl_schedule_node_delete(node);
	} else {
		node = isl_schedule_node_child(node, 0);
	}
	node = push(node, loops);
	isl_multi_union_pw_aff_free(loops);
	return isl_schedule_node_parent(node);
}

/* Sink the outermost parallel loops at or below "node" that should be. */
static __isl_give isl_schedule_node *sink(__isl_take isl_schedule_node *node,
	struct sink *s)
{
	isl_size n = isl_schedule_node_n_children(node);

	if (is_band(node) && wants_sinking(s->prog, node)) {
		s->done = true;
		return sink_band(s->prog, node);
	}
	if (is_band(node))
		return node;
	for (int i = 0; i < n; i++) {
		node = isl_schedule_node_child(node, i);
		node = sink(node, s);
		node = isl_schedule_node_parent(node);
	}
	return node;
}

__isl_give isl_schedule *poly_sink_parallel(struct poly_prog *prog,
	__isl_take isl_schedule *schedule)
{
	struct sink s = { prog, false };
	isl_schedule_node *node = isl_schedule_get_root(schedule);

	node = sink(node, &s);
	if (s.done) {
		isl_schedule_free(schedule);
		schedule = isl_schedule_node_get_schedule(node);
	}
	isl_schedule_node_free(node);
	return schedule;
}
