/* The order of a program whose sum is divided into parts (partial.c).
 *
 * The new statements stand around the outermost loop of S that goes over a
 * dimension of the sum, where the text has an order; if the parts are lanes of
 * a block, the schedule says the same of the loops that count them:
 *
 *	band [i]			band [i]
 *	  band [j] S			  sequence
 *					    I | band [j] S | C
 */
#include <stdlib.h>

#include <isl/id.h>
#include <isl/space.h>
#include <isl/val.h>

#include "polyir/ir/ir.h"
#include "polyir/sets/sets.h"
#include "polyir/layout/layout.h"
#include "polyir/sums/sums.h"
#include "polyir/sums/partial.h"

/* ------------------------------------------------------------------- order */

/* True if a member of the band "node" counts a dimension in "dims" of "s". */
static bool counts(__isl_keep isl_schedule_node *node,
	const struct poly_stmt *s, const bool *dims)
{
	isl_multi_union_pw_aff *partial =
		isl_schedule_node_band_get_partial_schedule(node);
	isl_size n = isl_multi_union_pw_aff_size(partial);
	bool found = false;

	for (int i = 0; i < n; i++) {
		isl_union_pw_aff *member =
			isl_multi_union_pw_aff_get_at(partial, i);
		int dim = poly_counted_dim(member, s);

		found |= dim >= 0 && dims[dim];
		isl_union_pw_aff_free(member);
	}
	isl_multi_union_pw_aff_free(partial);
	return found;
}

/* Does an instance of "s" reach "node"? */
static bool reaches(__isl_keep isl_schedule_node *node,
	const struct poly_stmt *s)
{
	isl_union_set *domain = poly_node_domain(node);
	isl_set *part = isl_union_set_extract_set(domain,
		isl_set_get_space(s->domain));
	bool is = isl_set_plain_is_empty(part) == isl_bool_false;

	isl_set_free(part);
	isl_union_set_free(domain);
	return is;
}

/* The tree being rebuilt. "sums" are the dimensions of the new S that the new
 * statements lack; "lanes" if it is the schedule, where the loops of S and of
 * these say what its lanes are.
 */
struct rebuild {
	struct partial *t;
	bool sums[2 * POLY_MAX_DIM];
	bool done, lanes;
};

/* "pa", and where it says nothing its first piece: new statements are also
 * where S has no instance.
 */
static __isl_give isl_pw_aff *everywhere(__isl_take isl_pw_aff *pa)
{
	isl_pw_aff *rest = poly_first_piece(pa);

	if (!rest)
		return pa;
	if (isl_pw_aff_n_piece(pa) == 1) {
		isl_pw_aff_free(pa);
		return rest;
	}
	rest = isl_pw_aff_subtract_domain(rest, isl_pw_aff_domain(
		isl_pw_aff_copy(pa)));
	return isl_pw_aff_union_add(pa, rest);
}

/* "member" with the functions of the new statements, which are those of S. */
static __isl_give isl_union_pw_aff *extend(const struct rebuild *r,
	__isl_take isl_union_pw_aff *member)
{
	struct poly_stmt *both[2] = { r->t->init, r->t->sum };
	isl_pw_aff *pa = poly_member_at(member, r->t->domain);

	pa = everywhere(isl_pw_aff_gist(pa, isl_set_copy(r->t->domain)));
	for (int i = 0; i < 2; i++) {
		isl_pw_aff *own = isl_pw_aff_pullback_multi_aff(
			isl_pw_aff_copy(pa), poly_partial_zero(r->t, both[i]));

		member = isl_union_pw_aff_union_add(member,
			isl_union_pw_aff_from_pw_aff(own));
	}
	isl_pw_aff_free(pa);
	return member;
}

/* A loop over each dimension of "s". */
static __isl_give isl_schedule *loops_of(const struct poly_stmt *s)
{
	isl_union_set *domain = isl_union_set_from_set(
		isl_set_copy(s->domain));
	isl_schedule *schedule = isl_schedule_from_domain(domain);
	isl_multi_aff *all = isl_multi_aff_identity_on_domain_space(
		isl_set_get_space(s->domain));

	all = isl_multi_aff_reset_tuple_id(all, isl_dim_out);
	return isl_schedule_insert_partial_schedule(schedule,
		isl_multi_union_pw_aff_from_multi_pw_aff(
			isl_multi_pw_aff_from_multi_aff(all)));
}

/* A band over dimension "dim" of "s" above "node". */
static __isl_give isl_schedule_node *insert_dim(
	__isl_take isl_schedule_node *node, const struct poly_stmt *s, int dim)
{
	isl_aff *aff = isl_aff_var_on_domain(isl_local_space_from_space(
		isl_set_get_space(s->domain)), isl_dim_set, dim);

	return isl_schedule_node_insert_partial_schedule(node,
		isl_multi_union_pw_aff_from_union_pw_aff(
			isl_union_pw_aff_from_aff(aff)));
}

/* The mark "lanes:R" or "lanes:1:C", the band of the lanes, dimension "lane" of
 * "s", and, if it is S, the loops of its sums, that over a run unrolled.
 */
static __isl_give isl_schedule *lanes_of(const struct rebuild *r,
	const struct poly_stmt *s, int lane)
{
	const struct partial *t = r->t;
	isl_schedule_node *node = isl_schedule_node_from_domain(
		isl_union_set_from_set(isl_set_copy(s->domain)));
	isl_schedule *schedule;
	char name[48];

	node = isl_schedule_node_child(node, 0);
	for (int i = t->n - 1; i >= 0 && s == t->stmt; i--) {
		if (!t->drop[i])
			continue;
		node = insert_dim(node, s, i);
		if (t->is_run[i])
			node = poly_unrolled(node);
	}
	node = insert_dim(node, s, lane);
	node = isl_schedule_node_band_member_set_coincident(node, 0, 1);
	if (t->p->columns)
		snprintf(name, sizeof(name), POLY_LANES_MARK "1:%d",
			t->p->columns);
	else
		snprintf(name, sizeof(name), POLY_LANES_MARK "%d", t->p->run);
	node = isl_schedule_node_insert_mark(node, isl_id_alloc(t->prog->ctx,
		name, NULL));
	schedule = isl_schedule_node_get_schedule(node);
	isl_schedule_node_free(node);
	return schedule;
}

/* S, with its lanes, between the new statements. */
static __isl_give isl_schedule *lane_loops(const struct rebuild *r)
{
	const struct partial *t = r->t;
	isl_schedule *all;
	int lane = 0, short_lane = 0;

	while (!t->is_part[lane])
		short_lane += !t->drop[lane++];
	all = isl_schedule_sequence(lanes_of(r, t->init, short_lane),
		lanes_of(r, t->stmt, lane));
	return isl_schedule_sequence(all, lanes_of(r, t->sum, short_lane));
}

/* Put the band "partial" with the flags of "node" above "schedule". */
static __isl_give isl_schedule *rebuild(struct rebuild *r,
	__isl_keep isl_schedule_node *node);

static __isl_give isl_schedule *rebuild_child(struct rebuild *r,
	__isl_keep isl_schedule_node *node, int i)
{
	isl_schedule_node *child = isl_schedule_node_get_child(node, i);
	isl_schedule *schedule = rebuild(r, child);

	isl_schedule_node_free(child);
	return schedule;
}

/* Rebuild a band. At the outermost one that S reaches and that counts a
 * dimension of the sum, the new statements are put around it, or, in the
 * schedule with lanes, S and they get new loops. The bands above are extended
 * to the new statements.
 */
static __isl_give isl_schedule *rebuild_band(struct rebuild *r,
	__isl_keep isl_schedule_node *node)
{
	isl_multi_union_pw_aff *partial =
		isl_schedule_node_band_get_partial_schedule(node);
	isl_size n = isl_multi_union_pw_aff_size(partial);
	bool here = !r->done && reaches(node, r->t->stmt);
	bool head = here && counts(node, r->t->stmt, r->sums);
	isl_schedule *schedule;

	r->done |= head;
	if (head && r->lanes) {
		isl_multi_union_pw_aff_free(partial);
		return lane_loops(r);
	}
	for (int i = 0; here && !head && i < n; i++)
		partial = isl_multi_union_pw_aff_set_at(partial, i,
			extend(r, isl_multi_union_pw_aff_get_at(partial, i)));
	schedule = rebuild_child(r, node, 0);
	schedule = poly_add_band(schedule, partial, node);
	if (!head)
		return schedule;
	schedule = isl_schedule_sequence(loops_of(r->t->init), schedule);
	return isl_schedule_sequence(schedule, loops_of(r->t->sum));
}

/* The tree at and below "node" with the new statements. */
static __isl_give isl_schedule *rebuild(struct rebuild *r,
	__isl_keep isl_schedule_node *node)
{
	enum isl_schedule_node_type type = isl_schedule_node_get_type(node);
	isl_size n = isl_schedule_node_n_children(node);
	isl_schedule *all;

	if (!node)
		return NULL;
	if (type == isl_schedule_node_leaf)
		return isl_schedule_from_domain(poly_node_domain(node));
	if (type == isl_schedule_node_band)
		return rebuild_band(r, node);
	all = rebuild_child(r, node, 0);
	if (type == isl_schedule_node_mark)
		return poly_add_mark(all, isl_schedule_node_mark_get_id(node));
	for (int i = 1; i < n; i++)
		all = isl_schedule_sequence(all, rebuild_child(r, node, i));
	return all;
}

/* The order "old" in terms of the new S. */
static __isl_give isl_schedule *widened(const struct partial *t,
	__isl_keep isl_schedule *old)
{
	isl_union_set *all = isl_schedule_get_domain(old);
	isl_union_set *others;
	isl_union_pw_multi_aff *pull;
	isl_pw_multi_aff *own = isl_pw_multi_aff_from_multi_aff(
		isl_multi_aff_copy(t->wide));

	others = isl_union_set_subtract(isl_union_set_universe(all),
		isl_union_set_universe(isl_union_set_from_set(
			isl_set_copy(t->old))));
	pull = isl_union_set_identity_union_pw_multi_aff(others);
	own = isl_pw_multi_aff_intersect_domain(own, isl_set_gist(
		isl_set_copy(t->domain), isl_set_preimage_multi_aff(
			isl_set_copy(t->old), isl_multi_aff_copy(t->wide))));
	pull = isl_union_pw_multi_aff_add_pw_multi_aff(pull, own);
	return isl_schedule_pullback_union_pw_multi_aff(
		isl_schedule_copy(old), pull);
}

/* "old" with the new statements; as the schedule, if "lanes". */
static __isl_give isl_schedule *reordered(struct partial *t,
	__isl_keep isl_schedule *old, bool lanes)
{
	struct rebuild r = { .t = t, .lanes = lanes };
	isl_schedule *schedule = widened(t, old);
	isl_schedule_node *node = isl_schedule_get_root(schedule);

	for (int i = 0; i < t->n; i++)
		r.sums[i] = t->drop[i] || t->is_part[i];
	isl_schedule_free(schedule);
	node = isl_schedule_node_child(node, 0);
	schedule = rebuild(&r, node);
	isl_schedule_node_free(node);
	return r.done ? schedule : isl_schedule_free(schedule);
}

bool poly_partial_order(struct partial *t)
{
	isl_schedule *schedule;

	if (t->prog->original) {
		schedule = reordered(t, t->prog->original, false);
		if (!schedule)
			return false;
		poly_prog_set_original(t->prog, schedule);
	}
	return !t->p->lanes || poly_set_schedule(t->prog, reordered(t,
		t->prog->schedule, true)) == isl_stat_ok;
}

/* ------------------------------------------------------------------- loops */

/* Accesses to the array that S updates, other than by its updates. */
struct others {
	const struct poly_stmt *s;
	isl_union_map *map;
};

/* Add the access to "array" at "index", if S updates this array. */
static void add_access(struct others *o, const struct poly_array *array,
	__isl_keep isl_multi_pw_aff *index)
{
	isl_map *map;

	if (array != o->s->write_array)
		return;
	map = isl_map_from_multi_pw_aff(isl_multi_pw_aff_copy(index));
	o->map = isl_union_map_union(o->map, isl_union_map_from_map(map));
}

static void add_read(struct poly_expr *leaf, void *user)
{
	add_access(user, leaf->array, leaf->index);
}

/* Among what the loop "node" runs in one go, is there an access, other than by
 * S's updates, to a cell that S updates?
 */
static bool is_shared(struct poly_prog *prog, struct poly_stmt *s,
	__isl_keep isl_schedule_node *node)
{
	isl_multi_union_pw_aff *prefix =
		isl_schedule_node_get_prefix_schedule_multi_union_pw_aff(node);
	isl_union_set *domain = poly_node_domain(node);
	struct others o = { .s = s, .map = isl_union_map_empty(
		isl_set_get_space(prog->context)) };
	isl_union_map *pairs;
	isl_bool none;
	int n;
	struct poly_stmt **list = poly_stmts_of(prog, domain, &n);

	for (int i = 0; i < n; i++) {
		poly_expr_each_access(list[i]->rhs, add_read, &o);
		if (list[i] != s)
			add_access(&o, list[i]->write_array,
				list[i]->write_index);
	}
	o.map = isl_union_map_intersect_domain(o.map, domain);
	pairs = isl_union_map_apply_range(isl_union_map_from_map(
		poly_stmt_write(s)), isl_union_map_reverse(o.map));
	if (isl_multi_union_pw_aff_size(prefix) > 0)
		pairs = isl_union_map_eq_at_multi_union_pw_aff(pairs, prefix);
	else
		isl_multi_union_pw_aff_free(prefix);
	none = isl_union_map_is_empty(pairs);
	isl_union_map_free(pairs);
	free(list);
	return !list || none != isl_bool_true;
}

/* Note in "around" what the band "node" counts of "s". */
static void note_dims(__isl_keep isl_schedule_node *node,
	const struct poly_stmt *s, bool *around)
{
	bool one[POLY_MAX_DIM] = { false };
	int n = isl_set_dim(s->domain, isl_dim_set);

	for (int d = 0; d < n; d++) {
		one[d] = true;
		around[d] |= counts(node, s, one);
		one[d] = false;
	}
}

/* The child of "node", which is taken, that "stmt" reaches. */
static __isl_give isl_schedule_node *child_of(
	__isl_take isl_schedule_node *node, const struct poly_stmt *stmt)
{
	isl_size n = isl_schedule_node_n_children(node);

	for (int i = 0; i < n - 1; i++) {
		bool here;

		node = isl_schedule_node_child(node, i);
		node = isl_schedule_node_child(node, 0);
		here = reaches(node, stmt);
		node = isl_schedule_node_parent(node);
		if (here)
			return node;
		node = isl_schedule_node_parent(node);
	}
	return isl_schedule_node_child(node, n - 1);
}

bool poly_partial_loops(struct poly_prog *prog, struct poly_stmt *stmt,
	const bool *sum, bool *around)
{
	isl_schedule_node *node = isl_schedule_get_root(prog->original);
	bool free = false;

	while (isl_schedule_node_has_children(node) == isl_bool_true) {
		if (isl_schedule_node_get_type(node) ==
		    isl_schedule_node_band) {
			if (counts(node, stmt, sum)) {
				free = !is_shared(prog, stmt, node);
				break;
			}
			note_dims(node, stmt, around);
		}
		node = child_of(node, stmt);
	}
	isl_schedule_node_free(node);
	return free;
}
