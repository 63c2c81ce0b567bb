/* From accesses to dependences, where the order of the text is the meaning.
 *
 * isl's flow analysis follows each cell through the original order: a read
 * sees the last write before it. Updates whose order the floating-point class
 * leaves open are sources that may have written, so that what reads the cell
 * later depends on all of them, back to the last plain write:
 *
 *	s = 0; for (i) s += a[i]; t = s;
 *	flow      = { S0 -> U[i]; S0 -> T; U[i] -> T }
 *	reduction = { U[i] -> U[i'] : i < i' }
 *
 * An update whose order is fixed is a read and a write like any other. Pairs
 * of different update statements are always in order.
 *
 * Subscripts that have little to do with one another make the last write before
 * a read a case of hundreds. Where that takes too many operations, all writes
 * before it are taken for the last, which orders no less. Arrays are asked about
 * one by one, so that the others keep what is exact; what was found is known as
 * long as the accesses to an array are the same in the same order (found.c).
 * Parts of an array that no two accesses share are asked about one by one, too
 * (parts.c). A value that a temporary has from its own iteration is found there,
 * whatever the loops around it are (iteration.c).
 *
 * Reads and writes need not be the nearest to one another: all pairs order the
 * same. isl's scheduler has less to do with the nearest; a program that is too
 * large for it gets all pairs, which take less to find where they are few.
 */
#include <stdlib.h>

#include <isl/flow.h>
#include <isl/space.h>

#include "polyir/base/base.h"
#include "polyir/ir/ir.h"
#include "polyir/sets/sets.h"
#include "polyir/deps/deps.h"

/* Operations that isl may put into one kind of dependences of an array; half as
 * many after each that takes more, but no fewer than LEAST. Beyond these it has
 * STEP for each statement and each loop around one, of which it asks what the
 * tree says first.
 */
#define MOST 300000ul
#define LEAST 25000ul
#define STEP 1200ul

/* Pairs of statements through an array, up to which all of them may be taken. */
#define PAIRS 256

/* The accesses to "array". OWN are the reads that free updates make of the cells
 * they update, READ all other reads; FIXED are the writes in a fixed order,
 * LOOSE those of the free updates. "size" are the statements that have any, and
 * the loops around each.
 */
enum { OWN, READ, FIXED, LOOSE };
/* The accesses to "array" of each kind, { instance -> element }. */
struct accesses {
	const struct poly_array *array;
	isl_union_map *of[POLY_N_ACCESS];
	int size;
};

bool poly_is_free_update(const struct poly_prog *prog,
	const struct poly_stmt *s)
{
	if (s->kind != POLY_POINT || s->reduce == POLY_OP_NONE)
		return false;
	switch (s->reduce) {
	case POLY_OP_MIN:
	case POLY_OP_MAX:
	case POLY_OP_AND:
	case POLY_OP_OR:
	case POLY_OP_XOR:
		return true;
	case POLY_OP_ADD:
	case POLY_OP_MUL:
		return prog->fp != POLY_FP_STRICT ||
			!poly_type_is_float(s->write_array->type);
	default:
		return false;
	}
}

/* The statement whose reads are added to "a". */
struct reads {
	struct poly_stmt *stmt;
	struct accesses *a;
};

/* Callback for each access in an expression: add it to the reads if it is to
 * the array looked at.
 */
static void add_read(struct poly_expr *leaf, void *user)
{
	struct reads *r = user;
	isl_map *map;

	if (leaf->array != r->a->array)
		return;
	map = poly_stmt_read(r->stmt, leaf);
	r->a->of[READ] = isl_union_map_union(r->a->of[READ],
		isl_union_map_from_map(map));
}

/* The same of an element that data tell: all of them. */
static void add_gathered(struct poly_expr *leaf, void *user)
{
	struct reads *r = user;

	if (leaf->array == r->a->array)
		r->a->of[READ] = isl_union_map_union(r->a->of[READ],
			isl_union_map_from_map(poly_stmt_gathered(r->stmt,
			leaf)));
}

/* Sort the accesses of "s" to the array of "a" into the four kinds. An update
 * whose order is fixed counts as a read and a write of its cell.
 */
static void add_stmt(struct poly_prog *prog, struct poly_stmt *s,
	struct accesses *a)
{
	struct reads reads = { s, a };
	isl_union_map *write;

	a->size += 1 + isl_set_dim(s->domain, isl_dim_set);
	poly_expr_each_access(s->rhs, add_read, &reads);
	poly_expr_each_gather(s->rhs, add_gathered, &reads);
	if (s->write_array != a->array)
		return;
	write = isl_union_map_from_map(poly_stmt_write(s));
	if (poly_is_free_update(prog, s)) {
		a->of[OWN] = isl_union_map_union(a->of[OWN],
			isl_union_map_copy(write));
		a->of[LOOSE] = isl_union_map_union(a->of[LOOSE], write);
		return;
	}
	if (s->reduce != POLY_OP_NONE)
		a->of[READ] = isl_union_map_union(a->of[READ],
			isl_union_map_copy(write));
	a->of[FIXED] = isl_union_map_union(a->of[FIXED], write);
}

/* Fill in "a" with all accesses of point statements to its array, for sizes of
 * the context.
 */
static void find_accesses(struct poly_prog *prog, struct accesses *a)
{
	for (int i = 0; i < POLY_N_ACCESS; i++)
		a->of[i] = isl_union_map_empty(
			isl_set_get_space(prog->context));
	for (int i = 0; i < prog->n_stmt; i++)
		if (prog->stmt[i]->kind == POLY_POINT &&
		    poly_stmt_accesses(prog->stmt[i], a->array))
			add_stmt(prog, prog->stmt[i], a);
	for (int i = 0; i < POLY_N_ACCESS; i++)
		a->of[i] = isl_union_map_intersect_params(a->of[i],
			isl_set_copy(prog->context));
}

static void free_accesses(struct accesses *a)
{
	for (int i = 0; i < POLY_N_ACCESS; i++)
		isl_union_map_free(a->of[i]);
}

static __isl_give isl_union_map *writes_of(const struct accesses *a)
{
	return isl_union_map_union(isl_union_map_copy(a->of[FIXED]),
		isl_union_map_copy(a->of[LOOSE]));
}

/* How many pairs of a write and another access there are, statement by
 * statement.
 */
static int count_pairs(const struct accesses *a)
{
	int n_write = isl_union_map_n_map(a->of[FIXED]) +
		isl_union_map_n_map(a->of[LOOSE]);

	return n_write * (n_write + isl_union_map_n_map(a->of[READ]));
}

/* The order of the statements that have accesses "a". */
static __isl_give isl_schedule *order_of(struct poly_prog *prog,
	const struct accesses *a)
{
	isl_union_map *all = isl_union_map_union(writes_of(a),
		isl_union_map_copy(a->of[READ]));

	return poly_bare_order(prog->original, isl_union_map_domain(all));
}

/* Is "accesses" NULL, or are there none? */
static bool is_empty(__isl_keep isl_union_map *accesses)
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

	if (is_empty(last) || is_empty(may))
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

/* All sources before the sink. */
static __isl_give isl_union_map *roughly(__isl_keep isl_schedule *order,
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

/* What is being found: "order" is that of the accesses, "one" one iteration of the
 * loops around all of them, NULL if there is no such loop; the operations that
 * the next kind may take, beyond "tree" for the order; "nearest" if of the
 * accesses before a write only the nearest count, "cells" if the array has more
 * than one cell.
 */
struct search {
	struct poly_prog *prog;
	isl_schedule *order;
	isl_union_set *one;
	unsigned long most, tree;
	bool nearest, cells;
};

/* Say once that dependences are not exact. */
static void tell(const struct search *s)
{
	if (!poly_report_has(s->prog->report, MSG_POLY_FLOW))
		poly_report_add(s->prog->report, MSG_POLY_FLOW, NULL,
			s->most + s->tree);
}

/* Is there no pair of "sink" and "must" or "may", as one side has no access? */
static bool is_one_empty(__isl_keep isl_union_map *sink,
	__isl_keep isl_union_map *must, __isl_keep isl_union_map *may)
{
	return is_empty(sink) || (is_empty(must) && is_empty(may));
}

/* As exactly, but within bounds. isl takes some searches for invalid, too, in
 * the middle of one (isl 0.25).
 */
static __isl_give isl_union_map *between(struct search *s,
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
	return roughly(s->order, sink, must, may);
}

/* "accesses" in the iteration "one". */
static __isl_give isl_union_map *at(__isl_keep isl_union_map *accesses,
	__isl_keep isl_union_set *one)
{
	return isl_union_map_intersect_domain(isl_union_map_copy(accesses),
		isl_union_set_copy(one));
}

/* What "within" has found: "pairs", and "open", the sinks that look further. */
struct near {
	struct search *s;
	isl_union_map *must, *may;	/* those of the iteration */
	isl_union_map *pairs, *open;
};

/* Find the pairs of the sinks "to", which is taken, of one iteration that have one
 * of "must" before them there: no other iteration matters to them.
 */
static isl_stat add_near(struct near *n, __isl_take isl_union_map *to)
{
	isl_union_flow *flow = search(n->s->order, to, n->must, NULL, NULL);
	isl_union_map *open = isl_union_flow_get_must_no_source(flow), *pairs;

	to = isl_union_map_subtract(to, isl_union_map_copy(open));
	pairs = is_empty(n->may) ? isl_union_flow_get_must_dependence(flow) :
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
static __isl_give isl_union_map *within(struct search *s,
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

/* The flow of values to "sink", asked of one iteration first. */
static __isl_give isl_union_map *values(struct search *s,
	__isl_keep isl_union_map *sink, __isl_keep isl_union_map *must,
	__isl_keep isl_union_map *may)
{
	isl_union_map *open = NULL, *near = NULL, *far;

	if (s->one && !is_empty(sink) && !is_empty(must))
		near = within(s, sink, must, may, &open);
	if (!near)
		open = isl_union_map_copy(sink);
	far = s->nearest ? between(s, open, must, may, NULL) :
		roughly(s->order, open, must, may);
	isl_union_map_free(open);
	return near ? isl_union_map_union(near, far) : far;
}

/* Pairs that are divided into those of free updates of one statement, and
 * others.
 */
struct split {
	struct poly_prog *prog;
	isl_union_map *same, *other;
};

/* Callback of split: a pair of two instances of one free update goes to "same",
 * any other to "other".
 */
static isl_stat split_pair(__isl_take isl_map *map, void *user)
{
	struct split *s = user;
	isl_set *end = isl_map_range(isl_map_copy(map));
	struct poly_stmt *stmt = poly_stmt_of_set(s->prog, end);
	isl_space *space = isl_map_get_space(map);
	bool same = isl_space_tuple_is_equal(space, isl_dim_in, space,
		isl_dim_out) == isl_bool_true;

	isl_set_free(end);
	isl_space_free(space);
	if (same && stmt && poly_is_free_update(s->prog, stmt))
		s->same = isl_union_map_add_map(s->same, map);
	else
		s->other = isl_union_map_add_map(s->other, map);
	return isl_stat_ok;
}

/* Divide "pairs", which is taken, into those of free updates of one statement
 * and the others, and add them to "*same" and "*other".
 */
static void split(struct poly_prog *prog, __isl_take isl_union_map *pairs,
	isl_union_map **same, isl_union_map **other)
{
	struct split s = { prog, *same, *other };

	isl_union_map_foreach_map(pairs, split_pair, &s);
	isl_union_map_free(pairs);
	*same = s.same;
	*other = s.other;
}

/* Add the flows of values: to reads, and to updates, which go on from what
 * their cells hold; those among free updates of one statement are of the
 * reduction.
 */
static void find_value(struct search *s, const struct accesses *a,
	struct poly_deps *d)
{

	d->flow = isl_union_map_union(d->flow,
		values(s, a->of[READ], a->of[FIXED], a->of[LOOSE]));
	split(s->prog, values(s, a->of[OWN], a->of[FIXED], a->of[LOOSE]),
		&d->reduction, &d->flow);
}

/* Add the dependences by memory through the accesses "a": anti from reads to
 * writes, output from writes to writes. Pairs of free updates of one statement
 * are left out; they are reductions, which find_value has added.
 */
static void find_memory(struct search *s, const struct accesses *a,
	struct poly_deps *d)
{
	isl_union_map *all = writes_of(a);
	isl_union_map *seen = isl_union_map_empty(
		isl_set_get_space(s->prog->context));

	d->anti = isl_union_map_union(d->anti, s->nearest ?
		between(s, all, NULL, a->of[READ], a->of[FIXED]) :
		roughly(s->order, all, NULL, a->of[READ]));
	split(s->prog, s->nearest ?
		between(s, all, a->of[FIXED], a->of[LOOSE], NULL) :
		roughly(s->order, all, all, NULL), &seen, &d->output);
	isl_union_map_free(seen);
	isl_union_map_free(all);
}

/* Let "d" have no dependences of any kind. */
static void make_empty(struct poly_prog *prog, struct poly_deps *d)
{
	isl_space *space = isl_set_get_space(prog->context);

	poly_deps_clear(d);
	d->reduction = isl_union_map_empty(isl_space_copy(space));
	d->rar = isl_union_map_empty(isl_space_copy(space));
	d->output = isl_union_map_empty(isl_space_copy(space));
	d->anti = isl_union_map_empty(isl_space_copy(space));
	d->flow = isl_union_map_empty(space);
}

static void coalesce(struct poly_deps *d)
{
	d->flow = poly_union_map_coalesce(d->flow);
	d->anti = poly_union_map_coalesce(d->anti);
	d->output = poly_union_map_coalesce(d->output);
	d->reduction = poly_union_map_coalesce(d->reduction);
}

/* Find the dependences of "kinds" through the accesses "a". */
static void find_through(struct search *s, const struct accesses *a,
	enum poly_kinds kinds, struct poly_deps *d)
{
	s->nearest = poly_measure(s->prog) <= POLY_LARGE ||
		count_pairs(a) > PAIRS;
	s->cells = a->array->n_dim > 0;
	s->order = order_of(s->prog, a);
	s->one = poly_one_iteration(s->order);
	if (kinds & POLY_DEPS_VALUE)
		find_value(s, a, d);
	if (kinds & POLY_DEPS_MEMORY)
		find_memory(s, a, d);
	s->order = isl_schedule_free(s->order);
	s->one = isl_union_set_free(s->one);
}

/* The accesses of "a" to the cells "part", which is taken. */
static struct accesses narrowed(const struct accesses *a,
	__isl_take isl_set *part)
{
	struct accesses one = { .array = a->array, .size = a->size };
	isl_union_set *cells = isl_union_set_from_set(part);

	for (int i = 0; i < POLY_N_ACCESS; i++)
		one.of[i] = isl_union_map_intersect_range(
			isl_union_map_copy(a->of[i]),
			isl_union_set_copy(cells));
	isl_union_set_free(cells);
	return one;
}

/* Find those of "kinds" that "f" does not have, through the accesses "a": part by
 * part, where these are in parts of the array that have nothing in common.
 */
static void find(struct search *s, const struct accesses *a,
	enum poly_kinds kinds, struct poly_found *f)
{
	isl_set_list *parts;
	isl_size n;

	if (!kinds)
		return;
	s->tree = STEP * a->size;
	if (!f->deps.flow)
		make_empty(s->prog, &f->deps);
	parts = poly_array_parts(a->array, a->of);
	n = isl_set_list_n_set(parts);
	for (int i = 0; i < n; i++) {
		struct accesses one = narrowed(a,
			isl_set_list_get_at(parts, i));

		find_through(s, &one, kinds, &f->deps);
		free_accesses(&one);
	}
	isl_set_list_free(parts);
	coalesce(&f->deps);
}

/* Did isl compute all that was asked for? */
static bool is_known(const struct poly_deps *d)
{
	return d->flow && d->anti && d->output && d->reduction;
}

/* Add the dependences "from" of the kinds asked for to "d". */
static void add_kinds(struct poly_deps *d, const struct poly_deps *from,
	enum poly_kinds kinds)
{
	if (kinds & POLY_DEPS_VALUE) {
		d->flow = isl_union_map_union(d->flow,
			isl_union_map_copy(from->flow));
		d->reduction = isl_union_map_union(d->reduction,
			isl_union_map_copy(from->reduction));
	}
	if (kinds & POLY_DEPS_MEMORY) {
		d->anti = isl_union_map_union(d->anti,
			isl_union_map_copy(from->anti));
		d->output = isl_union_map_union(d->output,
			isl_union_map_copy(from->output));
	}
}

/* Add the dependences of "kinds" through the array of "a" to "d". */
static void add_array(struct search *s, struct accesses *a,
	enum poly_kinds kinds, struct poly_deps *d)
{
	struct poly_found *f = poly_found_at(s->prog, a->array, a->of);

	if (!f) {
		poly_deps_clear(d);
		return;
	}
	find(s, a, kinds & ~f->kinds, f);
	f->kinds |= is_known(&f->deps) ? kinds : 0;
	add_kinds(d, &f->deps, kinds);
}

/* The accesses to each array of "prog" for which "use" says so, those that have
 * the fewest pairs first; "*n" counts them. NULL without memory.
 */
static struct accesses *list_accesses(struct poly_prog *prog,
	bool (*use)(const struct poly_array *array, const void *user),
	const void *user, int *n)
{
	struct accesses *list = calloc(prog->n_array + 1, sizeof(*list));

	*n = 0;
	for (int i = 0; list && i < prog->n_array; i++) {
		struct accesses a = { .array = prog->array[i] };
		int k = *n;

		if (use && !use(a.array, user))
			continue;
		find_accesses(prog, &a);
		for (; k > 0 && count_pairs(&list[k - 1]) > count_pairs(&a); k--)
			list[k] = list[k - 1];
		list[k] = a;
		++*n;
	}
	return list;
}

static void free_list(struct accesses *list, int n)
{
	for (int i = 0; i < n; i++)
		free_accesses(&list[i]);
	free(list);
}

void poly_deps_ordered(struct poly_prog *prog, struct poly_deps *d,
	enum poly_kinds kinds,
	bool (*use)(const struct poly_array *array, const void *user),
	const void *user)
{
	struct search s = { .prog = prog, .most = MOST };
	int n;
	struct accesses *list = list_accesses(prog, use, user, &n);

	if (list)
		make_empty(prog, d);
	for (int i = 0; i < n; i++)
		add_array(&s, &list[i], kinds, d);
	free_list(list, n);
	if (n > 1)
		coalesce(d);
	d->flow = poly_deps_of_sizes(prog, d->flow);
	d->anti = poly_deps_of_sizes(prog, d->anti);
	d->output = poly_deps_of_sizes(prog, d->output);
	d->reduction = poly_deps_of_sizes(prog, d->reduction);
}

__isl_give isl_union_map *poly_reuse_ordered(struct poly_prog *prog,
	bool (*use)(const struct poly_array *array, const void *user),
	const void *user)
{
	isl_space *space = isl_set_get_space(prog->context);
	isl_union_map *pairs = isl_union_map_empty(isl_space_copy(space));
	isl_union_map *same = isl_union_map_empty(space);
	int n;
	struct accesses *list = list_accesses(prog, use, user, &n);

	for (int i = 0; i < n; i++) {
		isl_schedule *order = order_of(prog, &list[i]);
		isl_union_map *sink = writes_of(&list[i]);

		split(prog, roughly(order, sink, sink, list[i].of[READ]),
			&same, &pairs);
		isl_union_map_free(sink);
		isl_schedule_free(order);
	}
	isl_union_map_free(same);
	if (!list)
		pairs = isl_union_map_free(pairs);
	free_list(list, n);
	return poly_deps_of_sizes(prog, pairs);
}
