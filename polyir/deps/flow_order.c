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
 * Arrays are asked about one by one, so that one that is too hard (flow_pairs.c) leaves
 * the others exact; what was found is known as long as the accesses to an array are the
 * same in the same order (found.c). Parts of an array that no two accesses share are
 * asked about one by one, too (parts.c).
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
#include "polyir/deps/flow_order.h"

/* Operations that isl may put into one kind of dependences of an array; half as
 * many after each that takes more (flow_pairs.c). Beyond these it has STEP for each
 * statement and each loop around one, of which it asks what the tree says first.
 */
#define MOST 300000ul
#define STEP 1200ul

/* Pairs of statements through an array, up to which all of them may be taken. */
#define PAIRS 256

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
static void find_value(struct poly_search *s, const struct poly_accesses *a,
	struct poly_deps *d)
{

	d->flow = isl_union_map_union(d->flow,
		poly_pairs_of_values(s, a->of[POLY_READ], a->of[POLY_FIXED], a->of[POLY_LOOSE]));
	split(s->prog, poly_pairs_of_values(s, a->of[POLY_OWN], a->of[POLY_FIXED], a->of[POLY_LOOSE]),
		&d->reduction, &d->flow);
}

/* Add the dependences by memory through the accesses "a": anti from reads to
 * writes, output from writes to writes. Pairs of free updates of one statement
 * are left out; they are reductions, which find_value has added.
 */
static void find_memory(struct poly_search *s, const struct poly_accesses *a,
	struct poly_deps *d)
{
	isl_union_map *all = poly_writes_of(a);
	isl_union_map *seen = isl_union_map_empty(
		isl_set_get_space(s->prog->context));

	d->anti = isl_union_map_union(d->anti, s->nearest ?
		poly_pairs_between(s, all, NULL, a->of[POLY_READ], a->of[POLY_FIXED]) :
		poly_pairs_roughly(s->order, all, NULL, a->of[POLY_READ]));
	split(s->prog, s->nearest ?
		poly_pairs_between(s, all, a->of[POLY_FIXED], a->of[POLY_LOOSE], NULL) :
		poly_pairs_roughly(s->order, all, all, NULL), &seen, &d->output);
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
static void find_through(struct poly_search *s, const struct poly_accesses *a,
	enum poly_kinds kinds, struct poly_deps *d)
{
	s->nearest = poly_measure(s->prog) <= POLY_LARGE ||
		poly_count_pairs(a) > PAIRS;
	s->cells = a->array->n_dim > 0;
	s->order = poly_order_of(s->prog, a);
	s->one = poly_one_iteration(s->order);
	s->turn = poly_turns(s->order);
	if (kinds & POLY_DEPS_VALUE)
		find_value(s, a, d);
	if (kinds & POLY_DEPS_MEMORY)
		find_memory(s, a, d);
	s->order = isl_schedule_free(s->order);
	s->one = isl_union_set_free(s->one);
	s->turn = isl_union_set_list_free(s->turn);
}

/* Find those of "kinds" that "f" does not have, through the accesses "a": part by
 * part, where these are in parts of the array that have nothing in common.
 */
static void find(struct poly_search *s, const struct poly_accesses *a,
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
		struct poly_accesses one = poly_accesses_to(a,
			isl_set_list_get_at(parts, i));

		find_through(s, &one, kinds, &f->deps);
		poly_free_accesses(&one);
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
static void add_array(struct poly_search *s, struct poly_accesses *a,
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

void poly_deps_ordered(struct poly_prog *prog, struct poly_deps *d,
	enum poly_kinds kinds,
	bool (*use)(const struct poly_array *array, const void *user),
	const void *user)
{
	struct poly_search s = { .prog = prog, .most = MOST };
	int n;
	struct poly_accesses *list = poly_list_accesses(prog, use, user, &n);

	if (list)
		make_empty(prog, d);
	for (int i = 0; i < n; i++)
		add_array(&s, &list[i], kinds, d);
	poly_free_accesses_list(list, n);
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
	struct poly_accesses *list = poly_list_accesses(prog, use, user, &n);

	for (int i = 0; i < n; i++) {
		isl_schedule *order = poly_order_of(prog, &list[i]);
		isl_union_map *sink = poly_writes_of(&list[i]);

		split(prog, poly_pairs_roughly(order, sink, sink, list[i].of[POLY_READ]),
			&same, &pairs);
		isl_union_map_free(sink);
		isl_schedule_free(order);
	}
	isl_union_map_free(same);
	if (!list)
		pairs = isl_union_map_free(pairs);
	poly_free_accesses_list(list, n);
	return poly_deps_of_sizes(prog, pairs);
}
