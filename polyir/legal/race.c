/* Dependences between threads of a block, or of blocks that run together, that no
 * barrier orders.
 *
 * The threads of a block run their parts of a tile operation without any order
 * between them. Two tile operations that touch one shared buffer, one of them
 * writing, therefore need a barrier between them. The walk carries such pairs
 * down the tree in two parts: those that all loops so far leave equal, and
 * those that some loop has separated ("carried": the sink runs in a later
 * iteration). At a sequence
 *
 *	0: copy | 1: sync | 2: use | 3: sync
 *
 * an equal pair (copy -> use) is covered by a barrier between the two, a
 * carried pair (use -> copy) by one behind the source or before the sink; by
 * one that runs in that very round, as a barrier need not run in all of them.
 * What remains is a race. Block filters keep only the pairs of one block.
 */
#include <stdlib.h>

#include <isl/space.h>

#include "polyir/ir/ir.h"
#include "polyir/sets/sets.h"
#include "polyir/layout/layout.h"
#include "polyir/legal/legal.h"

/* The walk over a kernel's tree, which ends with the first race. */
struct walk {
	struct poly_prog *prog;
	struct poly_race *race;
	bool block;		/* of a block kernel: blocks have no filter */
	bool found;
	bool failed;		/* out of memory */
};

/* The operations among "op" to the shared buffers that they write, copies and
 * groups, or else read, products, each slot of a buffer taken as one cell.
 */
static __isl_give isl_union_map *buffers(struct poly_prog *prog,
	struct poly_stmt **op, int n_op, bool write)
{
	isl_union_map *result = isl_union_map_empty(
		isl_set_get_space(prog->context));

	for (int i = 0; i < n_op; i++) {
		struct poly_stmt *s = op[i];

		for (int m = 0; write && m < s->n_member; m++)
			if (s->member[m]->write_array->space == POLY_SHARED)
				result = isl_union_map_add_map(result,
					poly_buffer_slots(s,
						s->member[m]->write_array,
						s->member[m]->write_index));
		for (int o = 0; !write && o < POLY_MAX_OPERAND; o++)
			if (s->operand[o])
				result = isl_union_map_add_map(result,
					poly_buffer_slots(s, s->operand[o],
						s->operand_index[o]));
	}
	return result;
}

/* The pairs of operations among "op", in either direction, that touch one
 * buffer, one of them writing; no instance with itself.
 */
static __isl_give isl_union_map *conflicts(struct poly_prog *prog,
	struct poly_stmt **op, int n_op)
{
	isl_union_map *w = buffers(prog, op, n_op, true);
	isl_union_map *all = buffers(prog, op, n_op, false);
	isl_union_map *pairs, *same;

	all = isl_union_map_union(all, isl_union_map_copy(w));
	pairs = isl_union_map_apply_range(w, isl_union_map_reverse(all));
	same = isl_union_set_identity(
		isl_union_map_domain(isl_union_map_copy(pairs)));
	pairs = isl_union_map_subtract(pairs, same);
	same = isl_union_map_reverse(isl_union_map_copy(pairs));
	return isl_union_map_union(pairs, same);
}

/* --------------------------------------------------------------- the walk */

static void walk(struct walk *w, __isl_keep isl_schedule_node *node,
	__isl_take isl_union_map *equal, __isl_take isl_union_map *carried);

/* The first statement of "ends" in program order. */
static struct poly_stmt *first_stmt(struct walk *w,
	__isl_take isl_union_set *ends)
{
	int n;
	struct poly_stmt **list = poly_stmts_of(w->prog, ends, &n);
	struct poly_stmt *first = n ? list[0] : NULL;

	free(list);
	isl_union_set_free(ends);
	return first;
}

/* Note the first pair of "deps" as a race; one that no loop carries comes
 * before those that are carried.
 */
static void note(struct walk *w, __isl_take isl_union_map *deps, bool carried)
{
	struct poly_race *race = w->race;

	if (isl_union_map_is_empty(deps) == isl_bool_false)
		deps = isl_union_map_intersect_params(deps,
			poly_known_sizes(w->prog));
	if (isl_union_map_is_empty(deps) != isl_bool_false ||
	    (w->found && (carried || !race->carried))) {
		isl_union_map_free(deps);
		return;
	}
	w->found = true;
	race->carried = carried;
	race->source = first_stmt(w,
		isl_union_map_domain(isl_union_map_copy(deps)));
	deps = isl_union_map_intersect_domain(deps, isl_union_set_from_set(
		isl_set_copy(race->source->domain)));
	race->sink = first_stmt(w,
		isl_union_map_range(isl_union_map_copy(deps)));
	deps = isl_union_map_intersect_range(deps, isl_union_set_from_set(
		isl_set_copy(race->sink->domain)));
	free(race->pair.source);
	free(race->pair.sink);
	race->pair = poly_witness(w->prog, deps);
	isl_union_map_free(deps);
}

/* Are all statements of "domain" barriers? */
static bool is_sync(struct walk *w, __isl_keep isl_union_set *domain)
{
	int n;
	struct poly_stmt **list = poly_stmts_of(w->prog, domain, &n);
	bool sync = list && n > 0;

	for (int i = 0; i < n; i++)
		sync &= list[i]->kind == POLY_SYNC;
	free(list);
	return sync;
}

/* The children of a sequence: their instances, and for those that are
 * barriers all instances that have one in their round, that is, at the same
 * values of the bands above; NULL for other children.
 */
struct rounds {
	isl_union_set **part, **covered;
	isl_union_map *time;	/* instances -> the bands above */
	int n;
};

/* The instances that child "i" of the sequence "node" runs, whatever thread (in
 * a block kernel, also whatever block) runs them.
 */
static __isl_give isl_union_set *child_domain(struct walk *w,
	__isl_keep isl_schedule_node *node, int i)
{
	isl_schedule_node *child = isl_schedule_node_get_child(node, i);
	isl_union_set *domain;

	child = isl_schedule_node_child(child, 0);
	domain = poly_any_thread(w->prog, poly_node_domain(child),
		w->block);
	isl_schedule_node_free(child);
	return domain;
}

/* Fill in "r" for the sequence "node"; false if memory runs out. free_rounds
 * releases it in both cases.
 */
static bool find_rounds(struct walk *w, __isl_keep isl_schedule_node *node,
	struct rounds *r)
{
	isl_union_map *time =
		isl_schedule_node_get_prefix_schedule_union_map(node);

	r->time = time;
	r->n = isl_schedule_node_n_children(node);
	r->part = calloc(r->n + 1, sizeof(*r->part));
	r->covered = calloc(r->n + 1, sizeof(*r->covered));
	for (int i = 0; r->part && r->covered && i < r->n; i++) {
		isl_union_set *now;

		r->part[i] = child_domain(w, node, i);
		if (!is_sync(w, r->part[i]))
			continue;
		now = isl_union_set_apply(isl_union_set_copy(r->part[i]),
			isl_union_map_copy(time));
		now = poly_union_set_coalesce(isl_union_set_gist_params(now,
			isl_set_copy(w->prog->context)));
		r->covered[i] = poly_any_thread(w->prog, isl_union_set_apply(now,
			isl_union_map_reverse(isl_union_map_copy(time))),
			w->block);
	}
	return r->part && r->covered;
}

static void free_rounds(struct rounds *r)
{
	for (int i = 0; r->part && r->covered && i < r->n; i++) {
		isl_union_set_free(r->part[i]);
		isl_union_set_free(r->covered[i]);
	}
	free(r->part);
	free(r->covered);
	isl_union_map_free(r->time);
}

/* The part of "deps" from child "i" to child "j". */
static __isl_give isl_union_map *between(__isl_keep isl_union_map *deps,
	const struct rounds *r, int i, int j)
{
	isl_union_map *part = isl_union_map_intersect_domain(
		isl_union_map_copy(deps), isl_union_set_copy(r->part[i]));

	return isl_union_map_intersect_range(part,
		isl_union_set_copy(r->part[j]));
}

/* Remove the pairs of "deps" whose source, or else whose sink, has in its
 * round a barrier among the children from "from" up to, but without, "to".
 */
static __isl_give isl_union_map *uncovered(__isl_take isl_union_map *deps,
	const struct rounds *r, int from, int to, bool source)
{
	for (int i = from; i < to; i++) {
		if (!r->covered[i] ||
		    isl_union_map_is_empty(deps) == isl_bool_true)
			continue;
		if (source)
			deps = isl_union_map_subtract_domain(deps,
				isl_union_set_copy(r->covered[i]));
		else
			deps = isl_union_map_subtract_range(deps,
				isl_union_set_copy(r->covered[i]));
	}
	return deps;
}

/* The instances of child "i" with their rounds. */
static __isl_give isl_union_map *times(const struct rounds *r, int i)
{
	return isl_union_map_intersect_domain(isl_union_map_copy(r->time),
		isl_union_set_copy(r->part[i]));
}

/* Remove the pairs of "deps", from child "i" to "j", that have a barrier in a
 * round between theirs.
 */
static __isl_give isl_union_map *not_between(__isl_take isl_union_map *deps,
	const struct rounds *r, int i, int j)
{
	for (int k = 0; k < r->n; k++) {
		isl_union_map *to, *from;

		if (!r->covered[k] ||
		    isl_union_map_is_empty(deps) == isl_bool_true)
			continue;
		to = isl_union_map_lex_lt_union_map(times(r, i), times(r, k));
		from = isl_union_map_lex_lt_union_map(times(r, k),
			times(r, j));
		to = isl_union_map_apply_range(to, from);
		deps = isl_union_map_subtract(deps, to);
	}
	return deps;
}

static void walk_child(struct walk *w, __isl_keep isl_schedule_node *node,
	int i, __isl_take isl_union_map *equal,
	__isl_take isl_union_map *carried)
{
	isl_schedule_node *child = isl_schedule_node_get_child(node, i);

	child = isl_schedule_node_child(child, 0);
	walk(w, child, equal, carried);
	isl_schedule_node_free(child);
}

/* At a sequence, note as races the pairs between two children that no barrier
 * separates, and walk each child with the pairs inside it. Equal pairs need a
 * barrier between the two children. Carried ones may have it behind the source,
 * before the sink, or in a round in between. An equal pair from a later to an
 * earlier child is the reverse of one that is checked.
 */
static void walk_sequence(struct walk *w, __isl_keep isl_schedule_node *node,
	__isl_keep isl_union_map *equal, __isl_keep isl_union_map *carried)
{
	struct rounds r = { 0 };

	w->failed |= !find_rounds(w, node, &r);
	for (int i = 0; !w->failed && i < r.n; i++)
		for (int j = 0; j < r.n; j++) {
			isl_union_map *e = between(equal, &r, i, j);
			isl_union_map *c = between(carried, &r, i, j);

			c = uncovered(c, &r, i + 1, r.n, true);
			c = uncovered(c, &r, 0, j, false);
			c = not_between(c, &r, i, j);
			if (i == j) {
				walk_child(w, node, i, e, c);
				continue;
			}
			note(w, c, true);
			if (i < j)
				note(w, uncovered(e, &r, i + 1, j, true),
					false);
			else
				isl_union_map_free(e);
		}
	free_rounds(&r);
}

/* Keep in "*equal" the pairs that the band "node" leaves equal; returns those
 * whose sink it puts into a later iteration.
 */
static __isl_give isl_union_map *carry(__isl_keep isl_schedule_node *node,
	isl_union_map **equal)
{
	isl_multi_union_pw_aff *partial =
		isl_schedule_node_band_get_partial_schedule(node);
	isl_union_map *later;

	if (isl_schedule_node_band_n_member(node) == 0) {
		isl_multi_union_pw_aff_free(partial);
		return isl_union_map_empty(isl_union_map_get_space(*equal));
	}
	later = isl_union_map_lex_lt_at_multi_union_pw_aff(
		isl_union_map_copy(*equal),
		isl_multi_union_pw_aff_copy(partial));
	*equal = isl_union_map_eq_at_multi_union_pw_aff(*equal, partial);
	return later;
}

/* The pairs of "deps" with both ends in the child "filter", in whichever
 * thread.
 */
static __isl_give isl_union_map *within(struct walk *w,
	__isl_take isl_union_map *deps, __isl_keep isl_schedule_node *filter)
{
	isl_union_set *set = poly_any_thread(w->prog,
		isl_schedule_node_filter_get_filter(filter), w->block);

	deps = isl_union_map_intersect_domain(deps, isl_union_set_copy(set));
	return isl_union_map_intersect_range(deps, set);
}

/* Walk the tree at and below "node". "equal" are the pairs that all bands above
 * leave in one iteration, "carried" those whose sink they put into a later one.
 * Pairs that reach a leaf have no barrier.
 */
static void walk(struct walk *w, __isl_keep isl_schedule_node *node,
	__isl_take isl_union_map *equal, __isl_take isl_union_map *carried)
{
	enum isl_schedule_node_type type = isl_schedule_node_get_type(node);
	isl_schedule_node *child;
	bool broken = !node || !equal || !carried;

	w->failed |= broken;
	if (broken || (isl_union_map_is_empty(equal) == isl_bool_true &&
	    isl_union_map_is_empty(carried) == isl_bool_true)) {
		isl_union_map_free(equal);
		isl_union_map_free(carried);
		return;
	}
	if (!node || type == isl_schedule_node_leaf) {
		note(w, carried, true);
		note(w, equal, false);
		return;
	}
	if (type == isl_schedule_node_sequence ||
	    type == isl_schedule_node_set) {
		walk_sequence(w, node, equal, carried);
		isl_union_map_free(equal);
		isl_union_map_free(carried);
		return;
	}
	if (type == isl_schedule_node_band)
		carried = isl_union_map_union(carried, carry(node, &equal));
	if (type == isl_schedule_node_filter) {
		equal = within(w, equal, node);
		carried = within(w, carried, node);
	}
	child = isl_schedule_node_get_child(node, 0);
	walk(w, child, equal, carried);
	isl_schedule_node_free(child);
}

/* What is left of pairs without those within a thread. */
struct apart {
	struct poly_prog *prog;
	isl_union_map *thread, *pairs;
};

/* The threads of the statement whose instances are of "space". */
static __isl_give isl_union_map *threads_of(const struct apart *a,
	__isl_take isl_space *space)
{
	return isl_union_map_intersect_domain(isl_union_map_copy(a->thread),
		isl_union_set_from_set(isl_set_universe(space)));
}

/* Is an end of "pair" a copy that its thread only starts? It runs as if in a thread of
 * its own.
 */
static bool is_started(struct poly_prog *prog, __isl_keep isl_map *pair)
{
	isl_set *from = isl_map_domain(isl_map_copy(pair));
	isl_set *to = isl_map_range(isl_map_copy(pair));
	const struct poly_stmt *source = poly_stmt_of_set(prog, from);
	const struct poly_stmt *sink = poly_stmt_of_set(prog, to);

	isl_set_free(from);
	isl_set_free(to);
	return (source && source->async) || (sink && sink->async);
}

/* Most statements have no pairs with most others: the threads of two are compared
 * if they have some.
 */
static isl_stat leave_thread(__isl_take isl_map *pair, void *user)
{
	struct apart *a = user;
	isl_space *space = isl_map_get_space(pair);
	isl_union_map *same;

	if (is_started(a->prog, pair)) {
		isl_space_free(space);
		a->pairs = isl_union_map_union(a->pairs,
			isl_union_map_from_map(pair));
		return isl_stat_non_null(a->pairs);
	}
	same = isl_union_map_apply_range(
		threads_of(a, isl_space_domain(isl_space_copy(space))),
		isl_union_map_reverse(threads_of(a, isl_space_range(space))));
	a->pairs = isl_union_map_union(a->pairs, isl_union_map_subtract(
		isl_union_map_from_map(pair), same));
	return isl_stat_non_null(a->pairs);
}

__isl_give isl_union_map *poly_thread_pairs(struct poly_prog *prog,
	const struct poly_kernel *kernel)
{
	struct apart a = { .prog = prog,
		.thread = poly_kernel_threads(prog, kernel) };
	isl_union_set *all = poly_kernel_domain(prog, kernel);
	isl_union_map *deps = isl_union_map_union(poly_ordering_deps(prog),
		isl_union_map_copy(prog->deps.reduction));
	isl_union_map *same;

	deps = isl_union_map_intersect_domain(deps, isl_union_set_copy(all));
	deps = isl_union_map_intersect_range(deps, all);
	if (poly_kernel_n_host(prog, kernel) > 0)
		deps = isl_union_map_eq_at_multi_union_pw_aff(deps,
			poly_kernel_launch(prog, kernel));
	a.pairs = isl_union_map_empty(isl_union_map_get_space(deps));
	if (isl_union_map_foreach_map(deps, &leave_thread, &a) < 0)
		a.pairs = isl_union_map_free(a.pairs);
	isl_union_map_free(deps);
	isl_union_map_free(a.thread);
	same = isl_union_map_reverse(isl_union_map_copy(a.pairs));
	return poly_union_map_coalesce(isl_union_map_union(a.pairs, same));
}

/* Walk the tree of "kernel" with all pairs that need a barrier: of a block
 * kernel those in different threads, of a tiled one the operations on one
 * buffer. "race" gets the first pair found without a barrier.
 */
static isl_bool find_race(struct poly_prog *prog,
	const struct poly_kernel *kernel, struct poly_race *race)
{
	struct walk w = { .prog = prog, .race = race,
		.block = kernel->block };
	isl_schedule_node *node = poly_kernel_node(prog, kernel);
	isl_union_set *domain = poly_node_domain(node);
	int n;
	struct poly_stmt **op = poly_stmts_of(prog, domain, &n);
	isl_union_map *pairs = !op ? NULL : kernel->block ?
		poly_thread_pairs(prog, kernel) : conflicts(prog, op, n);

	free(op);
	isl_union_set_free(domain);
	pairs = isl_union_map_intersect_params(pairs,
		isl_set_copy(prog->context));
	if (pairs)
		walk(&w, node, pairs, isl_union_map_empty(
			isl_set_get_space(prog->context)));
	isl_schedule_node_free(node);
	return pairs && !w.failed ? isl_bool_ok(w.found) : isl_bool_error;
}

isl_bool poly_find_race(struct poly_prog *prog, struct poly_kernel *kernel,
	struct poly_race *race)
{
	struct poly_seen *now = poly_seen_kernel(prog, kernel);
	isl_bool found = isl_bool_false;

	*race = (struct poly_race){ 0 };
	if (!poly_seen_same(kernel->ordered, now))
		found = find_race(prog, kernel, race);
	poly_seen_free(kernel->ordered);
	kernel->ordered = found == isl_bool_false ? now : poly_seen_free(now);
	return found;
}
