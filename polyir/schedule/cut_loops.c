/* Cut loops into ranges that are parallel: index set splitting (Griebl, Feautrier,
 * Lengauer: Index Set Splitting. IJPP 28(6), 2000).
 *
 * Of
 *
 *	for (i = 0; i < n; i++) S: a[i] = a[n / 2] + b[i];
 *
 * instances before the one in the middle read what was there, those behind it
 * what that one writes, so that no loop over all of S is parallel. But what is
 * before it, itself, and what is behind it have no order of their own:
 *
 *	before: band [i] 0		after: sequence
 *		  S				 S: band [i] 1		i < n/2
 *						 S_cut: band [i] 1	i = n/2
 *						 S_cut2: band [i] 1	i > n/2
 *
 * A dependence from the value s of a member to the value t is an interval
 * (s, t]; a cut c puts the two ends into different ranges, i < c and i >= c, if
 * s < c <= t. The fewest cuts for all intervals are the least end, the least
 * one of those that begin behind it, and so on, as functions of the sizes and of
 * the values of the loops around, which both ends share. A distance, as that of
 * a recurrence, never comes to an end: after POLY_MOST_CUTS the band stays as it is.
 *
 * The sequence stands above the parallel members that are around a loop in one
 * band or in the band above: the ends of a dependence have the same values of
 * these, too.
 */
#include <stdlib.h>

#include <isl/ilp.h>
#include <isl/space.h>
#include <isl/val.h>

#include "polyir/base/base.h"
#include "polyir/ir/ir.h"
#include "polyir/sets/sets.h"
#include "polyir/legal/legal.h"
#include "polyir/prepare/prepare.h"
#include "polyir/schedule/cut_ranges.h"

/* Statements that a loop may have. */
enum { MOST_STATEMENTS = 8 };

/* Bands that are cut, at most; isl's operations to find the cuts of one. */
enum { MOST_BANDS = 8, MOST_OPERATIONS = 250000 };

/* A member that is to become parallel: of the band at "node", or, with "inner",
 * of the one right below it, all of whose members are parallel. Its value with
 * those of the bands above and of the parallel members of "node", for an
 * instance, is "at", "{ S[..] -> [.., v] }".
 */
struct member {
	isl_schedule_node *node;
	bool inner;
	int pos;
	isl_union_map *at;
};

static bool is_coincident(__isl_keep isl_schedule_node *band, int i)
{
	return isl_schedule_node_band_member_get_coincident(band, i) ==
		isl_bool_true;
}

/* The first member of "band" that is not parallel; how many there are, if none.
 */
static int first_serial(__isl_keep isl_schedule_node *band)
{
	int n = isl_schedule_node_band_n_member(band), i = 0;

	while (i < n && is_coincident(band, i))
		i++;
	return i;
}

/* "at", which is taken, and the member "pos" of "band". */
static __isl_give isl_union_map *and_member(__isl_take isl_union_map *at,
	__isl_keep isl_schedule_node *band, int pos)
{
	isl_multi_union_pw_aff *partial =
		isl_schedule_node_band_get_partial_schedule(band);
	isl_union_pw_aff *value = isl_multi_union_pw_aff_get_at(partial, pos);

	isl_multi_union_pw_aff_free(partial);
	return isl_union_map_flat_range_product(at,
		isl_union_map_from_union_pw_aff(value));
}

/* The values of the bands above "node", for what reaches it. */
static __isl_give isl_union_map *values_above(
	__isl_keep isl_schedule_node *node)
{
	isl_union_map *at =
		isl_schedule_node_get_prefix_schedule_union_map(node);

	return isl_union_map_intersect_domain(at, poly_node_domain(node));
}

/* The first member of the band "node", or of the one below, that is not parallel;
 * false if there is none, or if two parallel members are enough without it.
 */
static bool find_member(__isl_keep isl_schedule_node *node, struct member *m)
{
	isl_size n = isl_schedule_node_band_n_member(node);
	isl_schedule_node *child = isl_schedule_node_get_child(node, 0);
	bool found;

	m->pos = first_serial(node);
	m->inner = m->pos == n;
	found = m->pos < 2 && (!m->inner ||
		isl_schedule_node_get_type(child) == isl_schedule_node_band);
	if (found && m->inner)
		m->pos = first_serial(child);
	found = found && (!m->inner || m->pos == 0);
	if (found) {
		m->node = isl_schedule_node_copy(node);
		m->at = values_above(node);
		for (int i = 0; i < n; i++)
			if (is_coincident(node, i))
				m->at = and_member(m->at, node, i);
		m->at = and_member(m->at, m->inner ? child : node, m->pos);
	}
	isl_schedule_node_free(child);
	return found;
}

static void clear_member(struct member *m)
{
	isl_schedule_node_free(m->node);
	isl_union_map_free(m->at);
}

/* The dependences that the member carries, between values, "{ [.., s] -> [.., t]
 * : s < t }", or NULL.
 */
static __isl_give isl_map *carried(struct poly_prog *prog,
	const struct member *m)
{
	isl_union_map *deps = isl_union_map_union(poly_ordering_deps(prog),
		isl_union_map_copy(prog->deps.reduction));
	isl_union_set *domain = isl_union_map_domain(
		isl_union_map_copy(m->at));
	isl_union_set *values = isl_union_map_range(isl_union_map_copy(m->at));
	isl_set *all = isl_set_from_union_set(isl_union_set_universe(values));
	isl_map *pairs, *order;
	int last = isl_set_dim(all, isl_dim_set) - 1;

	order = isl_map_universe(isl_space_map_from_set(
		isl_set_get_space(all)));
	for (int i = 0; i < last; i++)
		order = isl_map_equate(order, isl_dim_in, i, isl_dim_out, i);
	order = isl_map_order_lt(order, isl_dim_in, last, isl_dim_out, last);
	deps = isl_union_map_intersect_domain(deps, isl_union_set_copy(domain));
	deps = isl_union_map_intersect_range(deps, domain);
	deps = isl_union_map_apply_domain(deps, isl_union_map_copy(m->at));
	deps = isl_union_map_apply_range(deps, isl_union_map_copy(m->at));
	pairs = isl_union_map_extract_map(deps, isl_map_get_space(order));
	isl_union_map_free(deps);
	isl_set_free(all);
	pairs = isl_map_intersect(pairs, order);
	pairs = isl_map_intersect_params(pairs, isl_set_copy(prog->context));
	return poly_map_coalesce(pairs);
}

/* ------------------------------------------------------------------ pieces */

/* Where a node stands: the numbers of the children from the root on. */
struct path {
	int child[64], n;
};

/* Note where "node" stands; false if that is too deep in its tree. */
static bool find_path(__isl_keep isl_schedule_node *node, struct path *p)
{
	isl_schedule_node *at = isl_schedule_node_copy(node);

	p->n = isl_schedule_node_get_tree_depth(node);
	for (int i = p->n - 1; i >= 0 && p->n <= 64; i--) {
		p->child[i] = isl_schedule_node_get_child_position(at);
		at = isl_schedule_node_parent(at);
	}
	isl_schedule_node_free(at);
	return p->n <= 64;
}

static __isl_give isl_schedule_node *follow(__isl_keep isl_schedule *schedule,
	const struct path *p)
{
	isl_schedule_node *node = isl_schedule_get_root(schedule);

	for (int i = 0; i < p->n; i++)
		node = isl_schedule_node_child(node, p->child[i]);
	return node;
}

/* Is "set" empty for all sizes that are possible? */
static bool is_empty(const struct poly_prog *prog, __isl_keep isl_set *set)
{
	bool empty;

	set = isl_set_intersect_params(isl_set_copy(set),
		isl_set_copy(prog->context));
	empty = isl_set_is_empty(set) != isl_bool_false;
	isl_set_free(set);
	return empty;
}

/* Cut "stmt" into what of it is in the ranges, and add the pieces to "filter". */
static isl_stat cut_stmt(struct poly_prog *prog, struct poly_stmt *stmt,
	const struct member *m, const struct poly_ranges *r, isl_union_set **filter)
{
	isl_space *in = isl_set_get_space(stmt->domain);
	isl_space *out = isl_set_get_space(r->range[0]);
	isl_map *at;
	isl_set *piece[POLY_MOST_RANGES];
	int where[POLY_MOST_RANGES], n = 0, first;

	in = isl_space_align_params(in, isl_space_copy(out));
	out = isl_space_align_params(out, isl_space_copy(in));
	at = isl_union_map_extract_map(m->at,
		isl_space_map_from_domain_and_range(in, out));
	for (int i = 0; i < r->n; i++) {
		isl_set *set = isl_set_apply(isl_set_copy(r->range[i]),
			isl_map_reverse(isl_map_copy(at)));

		set = isl_set_intersect(isl_set_copy(stmt->domain), set);
		if (is_empty(prog, set)) {
			isl_set_free(set);
			continue;
		}
		where[n] = i;
		piece[n++] = poly_set_coalesce(set);
	}
	isl_map_free(at);
	first = poly_stmt_position(prog, stmt->name);
	if (!n || poly_cut_stmt(prog, stmt, piece, n) < 0)
		return isl_stat_error;
	for (int i = 0; i < n; i++)
		filter[where[i]] = isl_union_set_add_set(filter[where[i]],
			isl_set_universe(isl_set_get_space(
				prog->stmt[first + i]->domain)));
	return isl_stat_ok;
}

/* May "stmt" be cut? */
static bool can_cut(const struct poly_stmt *stmt)
{
	return stmt->kind == POLY_POINT && !stmt->across && !stmt->atomic;
}

/* The statements of "node", if all of them may be cut. */
static struct poly_stmt **find_stmts(struct poly_prog *prog,
	__isl_keep isl_schedule_node *node, int *n)
{
	isl_union_set *domain = poly_node_domain(node);
	struct poly_stmt **list = poly_stmts_of(prog, domain, n);
	bool ok = list && *n <= MOST_STATEMENTS;

	isl_union_set_free(domain);
	for (int i = 0; ok && i < *n; i++)
		ok = can_cut(list[i]);
	if (ok)
		return list;
	free(list);
	return NULL;
}

/* ------------------------------------------------------------------- trees */

/* Does the member carry no dependence? */
static isl_bool is_parallel(struct poly_prog *prog, const struct member *m)
{
	isl_map *pairs = carried(prog, m);
	isl_bool empty = isl_map_is_empty(pairs);

	isl_map_free(pairs);
	return empty;
}

/* Flag the members at "node" that have become parallel; those of two bands are
 * those of one then.
 */
static __isl_give isl_schedule_node *flag(struct poly_prog *prog,
	__isl_take isl_schedule_node *node)
{
	bool more = true;

	while (more) {
		struct member m = { 0 };

		more = find_member(node, &m) &&
			is_parallel(prog, &m) == isl_bool_true;
		if (more && m.inner)
			node = poly_join_bands(node);
		if (more)
			node = isl_schedule_node_band_member_set_coincident(
				node, first_serial(node), 1);
		clear_member(&m);
	}
	return node;
}

/* Put the statements "filter" of each range in a sequence at "node". */
static isl_stat insert_ranges(struct poly_prog *prog, const struct path *path,
	__isl_take isl_union_set_list *filter)
{
	isl_schedule_node *node = follow(prog->schedule, path);
	int n = isl_union_set_list_size(filter);

	if (n == 1)
		isl_union_set_list_free(filter);
	else
		node = isl_schedule_node_insert_sequence(node, filter);
	if (poly_set_schedule(prog, poly_tidy(
		isl_schedule_node_get_schedule(node))) < 0)
		return isl_stat_error;
	isl_schedule_node_free(node);
	node = follow(prog->schedule, path);
	for (int i = 0; i < n && n > 1; i++) {
		node = isl_schedule_node_child(node, i);
		node = flag(prog, isl_schedule_node_child(node, 0));
		node = isl_schedule_node_parent(node);
		node = isl_schedule_node_parent(node);
	}
	if (n == 1)
		node = flag(prog, node);
	n = poly_set_schedule(prog, isl_schedule_node_get_schedule(node));
	isl_schedule_node_free(node);
	return n < 0 ? isl_stat_error : isl_stat_ok;
}

/* Cut the member "m" into the ranges "r". */
static isl_stat cut_member(struct poly_prog *prog, const struct member *m,
	const struct poly_ranges *r, struct poly_stmt **stmt, int n_stmt)
{
	isl_union_set *filter[POLY_MOST_RANGES];
	isl_union_set_list *list = isl_union_set_list_alloc(prog->ctx, r->n);
	isl_stat ok = isl_stat_ok;
	struct path path;

	if (!find_path(m->node, &path))
		ok = isl_stat_error;
	for (int i = 0; i < r->n; i++)
		filter[i] = isl_union_set_empty(isl_set_get_space(
			prog->context));
	for (int i = 0; i < n_stmt && ok == isl_stat_ok; i++)
		ok = cut_stmt(prog, stmt[i], m, r, filter);
	for (int i = 0; i < r->n; i++)
		if (isl_union_set_is_empty(filter[i]) == isl_bool_false)
			list = isl_union_set_list_add(list, filter[i]);
		else
			isl_union_set_free(filter[i]);
	if (ok < 0 || poly_deps(prog) < 0) {
		isl_union_set_list_free(list);
		return isl_stat_error;
	}
	return insert_ranges(prog, &path, list);
}

/* ------------------------------------------------------------------ search */

/* Find the ranges into which "m" is to be cut; there are none if isl does not find
 * the cuts within its operations.
 */
static void search(struct poly_prog *prog, const struct member *m, struct poly_ranges *r)
{
	unsigned long all = poly_ctx_attempt(prog->ctx, MOST_OPERATIONS);
	struct poly_cuts cuts = { .n = 0 };
	isl_set *values = isl_set_from_union_set(isl_union_map_range(
		isl_union_map_copy(m->at)));
	isl_map *pairs = carried(prog, m);

	if (isl_map_is_empty(pairs) == isl_bool_false && poly_find_cuts(pairs, &cuts))
		poly_find_ranges(&cuts, values, r);
	if (!poly_ctx_attempted(prog->ctx, all))
		poly_ranges_clear(r);
	isl_map_free(pairs);
	isl_set_free(values);
	poly_cuts_clear(&cuts);
}

/* Cut a member of the band "node" if that makes it parallel; "*done" says
 * whether.
 */
static isl_stat try_band(struct poly_prog *prog,
	__isl_keep isl_schedule_node *node, bool *done)
{
	struct member m = { 0 };
	struct poly_ranges ranges = { .n = 0 };
	int n = 0;
	struct poly_stmt **stmt = find_stmts(prog, node, &n);
	isl_stat ok = isl_stat_ok;

	if (stmt && find_member(node, &m))
		search(prog, &m, &ranges);
	*done = ranges.n > 1 && poly_has_long_range(prog, &ranges);
	if (*done)
		ok = cut_member(prog, &m, &ranges, stmt, n);
	poly_ranges_clear(&ranges);
	clear_member(&m);
	free(stmt);
	return ok;
}

/* Cut the first band at or below "node" that can be. */
static isl_stat cut_first(struct poly_prog *prog,
	__isl_keep isl_schedule_node *node, bool *done)
{
	enum isl_schedule_node_type type = isl_schedule_node_get_type(node);
	isl_size n = isl_schedule_node_n_children(node);
	isl_stat ok = isl_stat_ok;

	if (type == isl_schedule_node_leaf ||
	    isl_schedule_node_get_schedule_depth(node) > POLY_HOST_LOOPS)
		return isl_stat_ok;
	if (type == isl_schedule_node_band) {
		ok = try_band(prog, node, done);
		if (poly_band_shape(node) != POLY_BAND_SERIAL)
			return ok;
	}
	for (int i = 0; i < n && ok == isl_stat_ok && !*done; i++) {
		isl_schedule_node *child =
			isl_schedule_node_get_child(node, i);

		ok = cut_first(prog, child, done);
		isl_schedule_node_free(child);
	}
	return ok;
}

/* Cut the loops of a program whose text has an order.
 *
 * requires schedule, parts, before kernels; establishes ranges
 */
isl_stat poly_cut_loops(struct poly_prog *prog)
{
	bool done = prog->original && !(prog->have & POLY_HAVE_KERNELS);
	isl_stat ok = isl_stat_ok;

	for (int i = 0; i < MOST_BANDS && done && ok == isl_stat_ok; i++) {
		isl_schedule_node *node = isl_schedule_get_root(
			prog->schedule);

		done = false;
		node = isl_schedule_node_child(node, 0);
		ok = cut_first(prog, node, &done);
		isl_schedule_node_free(node);
	}
	return ok < 0 ? poly_isl_error(prog, "cut_loops") : isl_stat_ok;
}
