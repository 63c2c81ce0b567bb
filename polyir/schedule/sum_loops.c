/* The loops of a sum are those of its statement.
 *
 * isl's scheduler may put what a sum goes over into loops of its own making: of
 * windows of two by two, whose turns have an order for it, it makes one loop.
 *
 *	before: band [2 p + q]		after: band [p]
 *		  band [p] 1		         band [q]
 *
 * Where nothing but the sum itself stands below a node, its own loops do as well, if
 * they keep what order its terms have, and everything that looks for products knows these.
 */
#include <stdlib.h>

#include <isl/space.h>

#include "polyir/ir/ir.h"
#include "polyir/layout/layout.h"
#include "polyir/legal/legal.h"
#include "polyir/prepare/prepare.h"
#include "polyir/schedule/schedule.h"

/* "deps" is asked for once, at the first sum that needs it. */
struct sums {
	struct poly_prog *prog;
	isl_union_map *deps;	/* that have an order; NULL: not asked yet */
	bool done;
};

/* Is a member of the band "node" no dimension of "stmt", but made of some?
 *
 * 2*p + q is made up; p + 3 is not.
 */
static bool is_made_up(__isl_keep isl_schedule_node *node,
	const struct poly_stmt *stmt)
{
	isl_multi_union_pw_aff *partial =
		isl_schedule_node_band_get_partial_schedule(node);
	int n = isl_multi_union_pw_aff_size(partial);
	bool made_up = false;

	for (int i = 0; i < n && !made_up; i++) {
		isl_pw_aff *at = poly_band_member_at(partial, i, stmt);
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

/* Do bands alone stand at and below "node", and is one of them made up?
 *
 * A band whose loops are written out was chosen on purpose.
 */
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

/* May instances of "stmt" that reach "node" together run in the order of its
 * dimensions? Those that "node" tells apart count for nothing.
 *
 * A pair must not go back, nor stay, in lexicographic order of the dimensions:
 * lex_ge has both.
 */
static bool is_ordered(struct sums *s, __isl_keep isl_schedule_node *node,
	const struct poly_stmt *stmt)
{
	isl_set *all = isl_set_universe(isl_set_get_space(stmt->domain));
	isl_union_map *deps, *back;
	bool is;

	if (!s->deps)
		s->deps = poly_ordering_deps(s->prog);
	back = isl_union_map_from_map(isl_map_lex_ge(isl_set_get_space(all)));
	deps = isl_union_map_intersect_domain(isl_union_map_copy(s->deps),
		isl_union_set_from_set(isl_set_copy(all)));
	deps = isl_union_map_intersect_range(deps, isl_union_set_from_set(all));
	if (isl_schedule_node_get_schedule_depth(node) > 0)
		deps = isl_union_map_eq_at_multi_union_pw_aff(deps,
			isl_schedule_node_get_prefix_schedule_multi_union_pw_aff(
				node));
	is = isl_union_map_is_disjoint(deps, back) == isl_bool_true;
	isl_union_map_free(back);
	isl_union_map_free(deps);
	return is;
}

/* The update that alone reaches the band "node", or NULL.
 *
 * A plain write has no order of its own to win.
 */
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

/* Parallel loops were chosen by the scheduler and stay. */
static isl_bool has_parallel(__isl_keep isl_schedule_node *node)
{
	int n = isl_schedule_node_band_n_member(node);
	isl_bool any = isl_bool_false;

	for (int i = 0; i < n && !any; i++)
		any = isl_schedule_node_band_member_get_coincident(node, i);
	return any;
}

/* Let sums at and below "node" have loops of their own.
 *
 * Takes "node". Below a sum that gets its own loops there is nothing left to
 * look at.
 */
static __isl_give isl_schedule_node *look(struct sums *s,
	__isl_take isl_schedule_node *node)
{
	isl_size n = isl_schedule_node_n_children(node);
	struct poly_stmt *stmt = NULL;

	if (isl_schedule_node_get_type(node) == isl_schedule_node_band &&
	    !has_parallel(node))
		stmt = only_update(s->prog, node);
	if (stmt && has_made_up(node, stmt) && is_ordered(s, node, stmt)) {
		s->done = true;
		return poly_put_own_loops(node, stmt, NULL);
	}
	for (int i = 0; i < n; i++) {
		node = isl_schedule_node_child(node, i);
		node = look(s, node);
		node = isl_schedule_node_parent(node);
	}
	return node;
}

/* Takes "schedule" and returns the same one if nothing is to be done. Runs on
 * the scheduler's result, before it is mapped.
 */
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
