/* The loops of a sum are those of its statement.
 *
 * isl's scheduler may put what a sum goes over into loops of its own making: of
 * windows of two by two, whose turns have an order for it, it makes one loop.
 *
 *	before: band [2 p + q]		after: band [p]
 *		  band [p] 1		         band [q]
 *
 * Where nothing but the sum itself stands below a node, and its order is free, its
 * own loops do as well, and everything that looks for products knows these.
 */
#include <stdlib.h>

#include <isl/space.h>

#include "polyir/ir/ir.h"
#include "polyir/layout/layout.h"
#include "polyir/legal/legal.h"
#include "polyir/schedule/schedule.h"

struct sums {
	struct poly_prog *prog;
	isl_union_map *deps;	/* that have an order; NULL: not asked yet */
	bool done;
};

/* What the member "i" of "partial" counts, of instances of "stmt". */
static __isl_give isl_pw_aff *count_at(
	__isl_keep isl_multi_union_pw_aff *partial, int i,
	const struct poly_stmt *stmt)
{
	isl_union_pw_aff *member = isl_multi_union_pw_aff_get_at(partial, i);
	isl_pw_aff *at = poly_member_at(member, stmt->domain);

	isl_union_pw_aff_free(member);
	return at;
}

/* Is a member of the band "node" no dimension of "stmt", but made of some? */
static bool is_made_up(__isl_keep isl_schedule_node *node,
	const struct poly_stmt *stmt)
{
	isl_multi_union_pw_aff *partial =
		isl_schedule_node_band_get_partial_schedule(node);
	int n = isl_multi_union_pw_aff_size(partial);
	bool made_up = false;

	for (int i = 0; i < n && !made_up; i++) {
		isl_pw_aff *at = count_at(partial, i, stmt);
		int d = isl_pw_aff_dim(at, isl_dim_in), some = 0;

		while (d-- > 0)
			some += isl_pw_aff_involves_dims(at, isl_dim_in, d,
				1) == isl_bool_true;
		made_up = some > 1;
		isl_pw_aff_free(at);
	}
	isl_multi_union_pw_aff_free(partial);
	return made_up;
}

/* Do bands alone stand at and below "node", and is one of them made up? */
static bool has_made_up(__isl_keep isl_schedule_node *node,
	const struct poly_stmt *stmt)
{
	isl_schedule_node *at = isl_schedule_node_copy(node);
	bool bands = true, made_up = false;

	while (bands && isl_schedule_node_get_type(at) !=
	       isl_schedule_node_leaf) {
		bands = isl_schedule_node_get_type(at) ==
			isl_schedule_node_band && !poly_is_written_out(at);
		made_up |= bands && is_made_up(at, stmt);
		at = isl_schedule_node_child(at, 0);
	}
	isl_schedule_node_free(at);
	return bands && made_up;
}

/* May instances of "stmt" that reach "node" together run in any order? */
static bool is_free(struct sums *s, __isl_keep isl_schedule_node *node,
	const struct poly_stmt *stmt)
{
	isl_union_set *all = isl_union_set_from_set(isl_set_universe(
		isl_set_get_space(stmt->domain)));
	isl_union_map *deps;
	bool is;

	if (!s->deps)
		s->deps = poly_ordering_deps(s->prog);
	deps = isl_union_map_intersect_domain(isl_union_map_copy(s->deps),
		isl_union_set_copy(all));
	deps = isl_union_map_intersect_range(deps, all);
	if (isl_schedule_node_get_schedule_depth(node) > 0)
		deps = isl_union_map_eq_at_multi_union_pw_aff(deps,
			isl_schedule_node_get_prefix_schedule_multi_union_pw_aff(
				node));
	is = isl_union_map_is_empty(deps) == isl_bool_true;
	isl_union_map_free(deps);
	return is;
}

/* "{ S[..] -> [x0, x1, ..] }": the bands above "node", whatever bounds S. */
static __isl_give isl_map *loops_above(__isl_keep isl_schedule_node *node,
	const struct poly_stmt *stmt)
{
	isl_map *loops = isl_map_from_domain(isl_set_from_basic_set(
		isl_set_affine_hull(isl_set_copy(stmt->domain))));

	node = isl_schedule_node_copy(node);
	while (isl_schedule_node_has_parent(node) == isl_bool_true) {
		isl_multi_union_pw_aff *partial;
		int n;

		node = isl_schedule_node_parent(node);
		if (isl_schedule_node_get_type(node) != isl_schedule_node_band)
			continue;
		partial = isl_schedule_node_band_get_partial_schedule(node);
		n = isl_multi_union_pw_aff_size(partial);
		for (int i = 0; i < n; i++)
			loops = isl_map_flat_range_product(loops,
				isl_map_from_pw_aff(count_at(partial, i,
					stmt)));
		isl_multi_union_pw_aff_free(partial);
	}
	isl_schedule_node_free(node);
	return loops;
}

/* Do "loops" tell dimension "d" of the "n" ones of the instances? */
static bool is_told(__isl_keep isl_map *loops, int d, int n)
{
	isl_map *at = isl_map_reverse(isl_map_copy(loops));
	bool told;

	at = isl_map_project_out(at, isl_dim_out, d + 1, n - d - 1);
	at = isl_map_project_out(at, isl_dim_out, 0, d);
	told = isl_map_is_single_valued(at) == isl_bool_true;
	isl_map_free(at);
	return told;
}

/* Put a loop over dimension "d" of "stmt" above "node", the leaf or a loop. */
static __isl_give isl_schedule_node *insert_loop(
	__isl_take isl_schedule_node *node, const struct poly_stmt *stmt, int d)
{
	isl_pw_aff *at = isl_pw_aff_var_on_domain(isl_local_space_from_space(
		isl_set_get_space(stmt->domain)), isl_dim_set, d);

	return isl_schedule_node_insert_partial_schedule(node,
		isl_multi_union_pw_aff_from_union_pw_aff(
			isl_union_pw_aff_from_pw_aff(at)));
}

/* Let the loops of "stmt" that those above do not tell stand at "node". */
static __isl_give isl_schedule_node *put_own_loops(
	__isl_take isl_schedule_node *node, const struct poly_stmt *stmt)
{
	int n = isl_set_dim(stmt->domain, isl_dim_set), n_own = 0;
	int *own = calloc((size_t)n + 1, sizeof(*own));
	isl_map *loops = loops_above(node, stmt);

	for (int d = 0; own && d < n; d++) {
		if (is_told(loops, d, n))
			continue;
		own[n_own++] = d;
		loops = isl_map_flat_range_product(loops, isl_map_from_pw_aff(
			isl_pw_aff_var_on_domain(isl_local_space_from_space(
				isl_set_get_space(stmt->domain)), isl_dim_set,
				d)));
	}
	isl_map_free(loops);
	while (own && isl_schedule_node_get_type(node) !=
	       isl_schedule_node_leaf)
		node = isl_schedule_node_delete(node);
	while (n_own-- > 0)
		node = insert_loop(node, stmt, own[n_own]);
	free(own);
	return node;
}

/* The update that alone reaches the band "node", or NULL. */
static struct poly_stmt *only_update(struct poly_prog *prog,
	__isl_keep isl_schedule_node *node)
{
	isl_union_set *domain = poly_node_domain(node);
	struct poly_stmt *stmt = NULL;
	int n;
	struct poly_stmt **list = poly_stmts_of(prog, domain, &n);

	if (list && n == 1 && poly_is_update(list[0]))
		stmt = list[0];
	free(list);
	isl_union_set_free(domain);
	return stmt;
}

static isl_bool has_parallel(__isl_keep isl_schedule_node *node)
{
	int n = isl_schedule_node_band_n_member(node);
	isl_bool any = isl_bool_false;

	for (int i = 0; i < n && !any; i++)
		any = isl_schedule_node_band_member_get_coincident(node, i);
	return any;
}

/* Let sums at and below "node" have loops of their own. */
static __isl_give isl_schedule_node *look(struct sums *s,
	__isl_take isl_schedule_node *node)
{
	isl_size n = isl_schedule_node_n_children(node);
	struct poly_stmt *stmt = NULL;

	if (isl_schedule_node_get_type(node) == isl_schedule_node_band &&
	    !has_parallel(node))
		stmt = only_update(s->prog, node);
	if (stmt && has_made_up(node, stmt) && is_free(s, node, stmt)) {
		s->done = true;
		return put_own_loops(node, stmt);
	}
	for (int i = 0; i < n; i++) {
		node = isl_schedule_node_child(node, i);
		node = look(s, node);
		node = isl_schedule_node_parent(node);
	}
	return node;
}

__isl_give isl_schedule *poly_own_loops(struct poly_prog *prog,
	__isl_take isl_schedule *schedule)
{
	struct sums s = { .prog = prog };
	isl_schedule_node *node = isl_schedule_get_root(schedule);

	node = look(&s, node);
	if (s.done) {
		isl_schedule_free(schedule);
		schedule = isl_schedule_node_get_schedule(node);
	}
	isl_schedule_node_free(node);
	isl_union_map_free(s.deps);
	return schedule;
}
