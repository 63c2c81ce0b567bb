/* Row programs: maps and reductions over the same rows share one kernel.
 *
 * The scheduler fuses what shares all its parallel loops, so that a reduction and what
 * needs its result are two kernels, and rows go through memory between them. Here
 * the statements that go over the same rows (find.c), if the threads of a block have
 * room for one (shape.c), become one nest of the tree, in an order that needs no other:
 *
 *	before: sequence			after: band [i] 1
 *		  band [i] 1				 mark rows
 *		    sequence				   sequence
 *		      m_init, band [j] m		     band [j] x_load
 *		  band [i, j] 1 1 e			     m_init
 *		  band [i] 1				     band [j] m
 *		    sequence				     band [j] e
 *		      s_init, band [j] s		     ...
 *		  band [i, j] 1 1 y
 *
 * What else there is stays as it was scheduled, in parts that stand before, between
 * and behind the groups.
 */
#include <stdlib.h>
#include <string.h>

#include <isl/aff.h>
#include <isl/id.h>
#include <isl/space.h>

#include "polyir/base/base.h"
#include "polyir/ir/ir.h"
#include "polyir/ir/recurrence.h"
#include "polyir/deps/deps.h"
#include "polyir/schedule/schedule.h"
#include "polyir/scans/scans.h"
#include "polyir/rows/rows.h"

/* A statement that has its place in group number "group", and the axes of its
 * dimensions there.
 */
struct placed {
	const struct poly_stmt *stmt;
	int group;
	signed char axis[POLY_ROW_DIMS];
};

/* The pass under way. "next" and "group_of" are of the "n" statements that there are,
 * "done" are those that have a place in the order.
 */
struct rows {
	struct poly_prog *prog;
	int n;
	bool *next, *done;
	int *group_of;
	struct placed *placed;
	int n_placed, n_group;
	int n_kept[POLY_MOST_ROWS], n_row[POLY_MOST_ROWS];
};

/* ---------------------------------------------------------------------- groups */

/* Note which statements need which, and what group each is in. */
static bool look_around(struct rows *r)
{
	struct poly_prog *prog = r->prog;

	free(r->next);
	free(r->group_of);
	r->n = prog->n_stmt;
	r->next = calloc((size_t)r->n * r->n, sizeof(*r->next));
	r->group_of = calloc(r->n, sizeof(*r->group_of));
	if (!r->next || !r->group_of)
		return false;
	poly_note_edges(prog, prog->deps.flow, r->next);
	poly_note_edges(prog, prog->deps.anti, r->next);
	poly_note_edges(prog, prog->deps.output, r->next);
	for (int i = 0; i < r->n; i++) {
		r->group_of[i] = -1;
		for (int k = 0; k < r->n_placed; k++)
			if (r->placed[k].stmt == prog->stmt[i])
				r->group_of[i] = r->placed[k].group;
	}
	return true;
}

/* Keep the members of "g" as one more group. */
static bool keep(struct rows *r, const struct poly_row_group *g)
{
	struct placed *more = realloc(r->placed,
		(r->n_placed + g->n_stmt) * sizeof(*more));

	if (!more)
		return false;
	r->placed = more;
	for (int i = 0; i < g->n_stmt; i++) {
		struct placed *p = &r->placed[r->n_placed];

		if (!g->in[i])
			continue;
		p->stmt = g->prog->stmt[i];
		p->group = r->n_group;
		memcpy(p->axis, g->axis[i], sizeof(p->axis));
		r->n_placed++;
	}
	r->n_kept[r->n_group] = g->n_kept;
	r->n_row[r->n_group++] = g->n_row;
	return true;
}

/* Can statement "i" be what a group grows from? */
static bool is_seed(const struct rows *r, int i)
{
	return poly_is_update(r->prog->stmt[i]) ||
		poly_recurrence_read(r->prog, r->prog->stmt[i], NULL);
}

/* Find the group of one more reduction or scan, from number "*seed" on, and give it what it
 * needs. False at the end, or without memory, which clears "*ok".
 */
static bool find_next(struct rows *r, int *seed, bool *ok)
{
	for (; *seed < r->n && r->n_group < POLY_MOST_ROWS; ++*seed) {
		struct poly_row_shape shape;
		struct poly_row_group g;
		bool found;

		if (r->group_of[*seed] >= 0 || !is_seed(r, *seed))
			continue;
		found = poly_row_group_find(&g, r->prog, *seed, r->group_of,
			r->next) && poly_row_shape(&g, &shape) &&
			poly_row_fits(&g, &shape);
		if (found)
			*ok = poly_row_program(&g) == isl_stat_ok &&
				keep(r, &g) &&
				poly_deps_again(r->prog) == isl_stat_ok &&
				look_around(r);
		poly_row_group_clear(&g);
		if (found)
			return *ok;
	}
	return false;
}

/* -------------------------------------------------------------------- the tree */

static const struct placed *place_of(const struct rows *r, int i)
{
	for (int k = 0; k < r->n_placed; k++)
		if (r->placed[k].stmt == r->prog->stmt[i])
			return &r->placed[k];
	return NULL;
}

/* Does statement "i" need none of those that are not done, but for its own group? */
static bool is_ready(const struct rows *r, int i)
{
	for (int k = 0; k < r->n; k++)
		if (!r->done[k] && k != i && r->next[k * r->n + i])
			return false;
	return true;
}

/* Is all that members of "group" need done, but for what they do themselves? */
static bool is_group_ready(const struct rows *r, int group)
{
	for (int i = 0; i < r->n; i++)
		for (int k = 0; r->group_of[i] == group && k < r->n; k++)
			if (!r->done[k] && r->group_of[k] != group &&
			    r->next[k * r->n + i])
				return false;
	return true;
}

/* Does statement "i" go along the rows? */
static bool is_long(const struct rows *r, int i)
{
	const struct placed *p = place_of(r, i);
	int n = isl_set_dim(p->stmt->domain, isl_dim_set);

	return n > r->n_kept[p->group];
}

/* In which order the members of a group that are ready come: what leaves the fewest
 * operations of tiles behind. Maps that only stores need are LATE, if no more rows have
 * to be kept for them than they make: their values are in registers for a while only.
 */
enum turn { LOAD, LINE, MAP, REDUCTION, LATE, STORE };

/* Note whether a temporary is read. */
static void note_inside(struct poly_expr *leaf, void *user)
{
	bool *inside = user;

	*inside |= poly_is_temp(leaf->array);
}

/* The turn of statement "i": sums and scans, what goes to memory, one value a
 * row, loads from memory, or what computes from temporaries.
 */
static enum turn turn_of(const struct rows *r, int i)
{
	struct poly_stmt *s = r->prog->stmt[i];
	bool inside = false;

	if (poly_is_update(s) || poly_recurrence_read(r->prog, s, NULL))
		return REDUCTION;
	if (!poly_is_temp(s->write_array))
		return STORE;
	if (!is_long(r, i))
		return LINE;
	poly_expr_each_access(s->rhs, note_inside, &inside);
	return inside ? MAP : LOAD;
}

/* Note of each member of "group" in "turn" whether it is a map that only stores need. */
static void find_late(const struct rows *r, int group, enum turn *turn)
{
	bool more = true;

	for (int i = 0; i < r->n; i++)
		if (turn[i] == MAP)
			turn[i] = LATE;
	while (more) {
		more = false;
		for (int i = 0; i < r->n; i++)
			for (int k = 0; turn[i] == LATE && k < r->n; k++)
				if (k != i && r->group_of[k] == group &&
				    r->next[i * r->n + k] &&
				    turn[k] != LATE && turn[k] != STORE) {
					turn[i] = MAP;
					more = true;
				}
	}
}

/* Does a member with the turn "reads" need what member "i", which goes along rows, makes? */
static bool is_read_by(const struct rows *r, int group, const enum turn *turn, int i,
	enum turn reads)
{
	for (int k = 0; k < r->n; k++)
		if (k != i && r->group_of[k] == group && turn[k] == reads &&
		    r->next[i * r->n + k])
			return true;
	return false;
}

/* Do late maps need more rows of others than stores need of them? */
static bool keeps_more(const struct rows *r, int group, const enum turn *turn)
{
	int need = 0, make = 0;

	for (int i = 0; i < r->n; i++) {
		if (r->group_of[i] != group || !is_long(r, i) ||
		    poly_is_update(r->prog->stmt[i]))
			continue;
		if (turn[i] == LATE)
			make += is_read_by(r, group, turn, i, STORE);
		else
			need += is_read_by(r, group, turn, i, LATE);
	}
	return need > make;
}

/* The turns of the members of "group". NULL: no memory. */
static enum turn *turns_of(const struct rows *r, int group)
{
	enum turn *turn = calloc(r->n + 1, sizeof(*turn));
	bool early;

	for (int i = 0; turn && i < r->n; i++)
		turn[i] = r->group_of[i] == group ? turn_of(r, i) : STORE;
	if (!turn)
		return NULL;
	find_late(r, group, turn);
	early = keeps_more(r, group, turn);
	for (int i = 0; early && i < r->n; i++)
		if (turn[i] == LATE)
			turn[i] = MAP;
	return turn;
}

/* The next member of "group" in the order, -1: none is left. */
static int next_member(const struct rows *r, int group, const enum turn *turn)
{
	int best = -1;

	for (int i = 0; i < r->n; i++)
		if (r->group_of[i] == group && !r->done[i] && is_ready(r, i) &&
		    (best < 0 || turn[i] < turn[best]))
			best = i;
	return best;
}

static __isl_give isl_union_set *domain_of(const struct rows *r, int i)
{
	return isl_union_set_from_set(isl_set_copy(r->prog->stmt[i]->domain));
}

/* "{ S[..] -> [axis] }" of member "i". */
static __isl_give isl_union_pw_aff *along(const struct rows *r, int i, int axis)
{
	const struct placed *p = place_of(r, i);
	isl_local_space *local = isl_local_space_from_space(
		isl_set_get_space(p->stmt->domain));
	int d = 0;

	while (p->axis[d] != axis)
		d++;
	return isl_union_pw_aff_from_pw_aff(isl_pw_aff_var_on_domain(local,
		isl_dim_set, d));
}

/* The band of axes "from" to "to" - 1 of the members "list". */
static __isl_give isl_multi_union_pw_aff *band_of(const struct rows *r,
	const int *list, int n, int from, int to)
{
	isl_ctx *ctx = r->prog->ctx;
	isl_union_pw_aff_list *all = isl_union_pw_aff_list_alloc(ctx,
		to - from);

	for (int axis = from; axis < to; axis++) {
		isl_union_pw_aff *one = along(r, list[0], axis);

		for (int i = 1; i < n; i++)
			one = isl_union_pw_aff_union_add(one, along(r, list[i],
				axis));
		all = isl_union_pw_aff_list_add(all, one);
	}
	return isl_multi_union_pw_aff_from_union_pw_aff_list(
		isl_space_set_alloc(ctx, 0, to - from), all);
}

/* The tree of one member below the mark. */
static __isl_give isl_schedule *member_tree(const struct rows *r, int i,
	int group)
{
	isl_schedule *tree = isl_schedule_from_domain(domain_of(r, i));
	int first = r->n_kept[group];

	if (!is_long(r, i))
		return tree;
	return isl_schedule_insert_partial_schedule(tree, band_of(r, &i, 1,
		first, first + r->n_row[group]));
}

/* The tree of the group, whose members are done then. */
static __isl_give isl_schedule *group_tree(struct rows *r, int group)
{
	int *list = calloc(r->n, sizeof(*list)), n = 0;
	enum turn *turn = turns_of(r, group);
	isl_schedule *tree = NULL;
	isl_schedule_node *node;
	isl_multi_union_pw_aff *band;

	for (int i; list && turn && (i = next_member(r, group, turn)) >= 0;) {
		isl_schedule *one = member_tree(r, i, group);

		list[n++] = i;
		r->done[i] = true;
		tree = tree ? isl_schedule_sequence(tree, one) : one;
	}
	tree = poly_add_mark(tree, isl_id_alloc(r->prog->ctx, POLY_ROWS, NULL));
	band = n ? band_of(r, list, n, 0, r->n_kept[group]) : NULL;
	free(list);
	free(turn);
	node = isl_schedule_node_child(isl_schedule_get_root(tree), 0);
	isl_schedule_free(tree);
	node = poly_insert_parallel(node, band);
	tree = isl_schedule_node_get_schedule(node);
	isl_schedule_node_free(node);
	return tree;
}

/* Does statement "i" need one that is neither done nor in "set"? */
static bool needs_others(const struct rows *r, int i, const bool *set)
{
	for (int k = 0; k < r->n; k++)
		if (!r->done[k] && !set[k] && r->next[k * r->n + i])
			return true;
	return false;
}

/* Does a sum that is neither done nor in "set", but in no group, begin with what
 * statement "i" writes, which none of "set" needs?
 */
static bool begins_later(const struct rows *r, int i, const bool *set)
{
	const struct poly_stmt *begin = r->prog->stmt[i];
	bool later = false;

	for (int k = 0; k < r->n; k++) {
		const struct poly_stmt *s = r->prog->stmt[k];

		if (k == i || r->done[k] || !r->next[i * r->n + k])
			continue;
		if (set[k])
			return false;
		later |= poly_is_update(s) && r->group_of[k] < 0 &&
			s->write_array == begin->write_array;
	}
	return later && !poly_is_update(begin);
}

/* Is statement "i" a map whose values only others need that are in no group, and neither
 * done nor in "set"? In a nest of its own it would have to store them.
 */
static bool maps_later(const struct rows *r, int i, const bool *set)
{
	struct poly_stmt *s = r->prog->stmt[i];
	bool later = false;

	if (!poly_is_temp(s->write_array) || poly_is_update(s))
		return false;
	for (int k = 0; k < r->n; k++) {
		if (k == i || !r->next[i * r->n + k])
			continue;
		if (r->done[k] || set[k] || r->group_of[k] >= 0)
			return false;
		later = true;
	}
	return later;
}

/* Take out of "set" what had better stand beside those that need it. */
static void wait_for_others(const struct rows *r, bool *set)
{
	bool less = true;

	while (less) {
		less = false;
		for (int i = 0; i < r->n; i++)
			if (set[i] && (begins_later(r, i, set) ||
			    maps_later(r, i, set))) {
				set[i] = false;
				less = true;
			}
	}
}

/* The statements in no group that need nothing that is not done, or only each other,
 * as those of a recurrence do. With "wait" the first values of sums stay with these,
 * with which they have a nest: by themselves both would lose it; so do maps with what
 * needs them. NULL: no memory.
 */
static bool *rest_of(const struct rows *r, bool wait)
{
	bool *set = calloc(r->n + 1, sizeof(*set)), less = set != NULL;

	for (int i = 0; set && i < r->n; i++)
		set[i] = !r->done[i] && r->group_of[i] < 0 &&
			r->prog->stmt[i]->kind == POLY_POINT;
	while (less) {
		less = false;
		for (int i = 0; i < r->n; i++) {
			if (!set[i] || !needs_others(r, i, set))
				continue;
			set[i] = false;
			less = true;
		}
	}
	if (set && wait)
		wait_for_others(r, set);
	return set;
}

/* What the old tree has of the rest that is ready, which is done then. NULL: there is
 * none.
 */
static __isl_give isl_schedule *rest_tree(struct rows *r, bool wait)
{
	isl_union_set *domain = NULL;
	bool *set = rest_of(r, wait);

	for (int i = 0; set && i < r->n; i++) {
		r->done[i] |= set[i];
		if (!set[i] || isl_set_is_empty(r->prog->stmt[i]->domain) ==
		    isl_bool_true)
			continue;
		domain = domain ? isl_union_set_union(domain,
			domain_of(r, i)) : domain_of(r, i);
	}
	free(set);
	return domain ? poly_tidy(poly_tree_of(domain, r->prog->schedule)) :
		NULL;
}

/* The group that is next in the order, -1: none is left, or ready. */
static int next_group(const struct rows *r)
{
	for (int k = 0; k < r->n_group; k++) {
		bool done = true;

		for (int i = 0; i < r->n; i++)
			done &= r->group_of[i] != k || r->done[i];
		if (!done && is_group_ready(r, k))
			return k;
	}
	return -1;
}

/* The whole tree: the groups, and between them what is left of the old one. */
static __isl_give isl_schedule *new_tree(struct rows *r)
{
	isl_schedule *tree = NULL;

	for (;;) {
		isl_schedule *one = rest_tree(r, true);
		int k = next_group(r);

		if (!one && k < 0)
			one = rest_tree(r, false);
		if (!one && k < 0)
			return tree;
		if (one)
			tree = tree ? isl_schedule_sequence(tree, one) : one;
		if (k < 0)
			continue;
		one = group_tree(r, k);
		tree = tree ? isl_schedule_sequence(tree, one) : one;
	}
}

static bool all_done(const struct rows *r)
{
	for (int i = 0; i < r->n; i++)
		if (!r->done[i])
			return false;
	return true;
}

/* Find the groups, and give each its nest. What would be stored between kernels is
 * computed again if that is better.
 */
static bool make_rows(struct rows *r)
{
	int seed = 0, n = 0;
	bool ok = look_around(r);
	isl_schedule *tree;

	while (ok && find_next(r, &seed, &ok))
		;
	for (; ok && poly_compute_again(r->prog, r->group_of); n++)
		ok = poly_deps_again(r->prog) == isl_stat_ok && look_around(r);
	r->done = calloc(r->n + 1, sizeof(*r->done));
	if (!ok || !r->done || !(r->n_group + n))
		return ok && r->done;
	tree = new_tree(r);
	if (all_done(r))
		return poly_set_schedule(r->prog, tree) == isl_stat_ok;
	isl_schedule_free(tree);
	return false;
}

/* Say which recurrences are scans. */
static void explain(const struct rows *r)
{
	struct poly_prog *prog = r->prog;
	bool *in = calloc(prog->n_stmt + 1, sizeof(*in));

	for (int i = 0; in && i < prog->n_stmt; i++)
		in[i] = place_of(r, i);
	if (in)
		poly_explain_scans(prog, in);
	free(in);
}

/* Let the sums, and the maps, be those of rows, by another schedule. */
static bool prepare(struct poly_prog *prog)
{
	return poly_sums_over_rows(prog) == isl_stat_ok &&
		poly_remake_rows(prog) == isl_stat_ok;
}

/* Give statements that go over the same rows one nest of loops. Behind yet another
 * schedule (split.c) sums and maps stay as they are.
 *
 * requires schedule and folds, before parts; establishes rows, and new deps
 */
isl_stat poly_rows(struct poly_prog *prog)
{
	struct rows r = { .prog = prog };
	bool ok = true;

	if (!prog->original && !prog->request.apart)
		ok = ((prog->have & POLY_HAVE_ROWS) || prepare(prog)) &&
			make_rows(&r);
	if (ok)
		explain(&r);
	free(r.next);
	free(r.done);
	free(r.group_of);
	free(r.placed);
	if (!ok)
		return poly_isl_error(prog, "rows");
	return isl_stat_ok;
}
