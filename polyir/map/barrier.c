/* One barrier of a block kernel: the rounds that it is met in.
 *
 *	band [t]		A_sync[t] : 0 <= t < T
 *	  here			whatever block and thread it is, as all meet it
 */
#include <stdlib.h>

#include <isl/space.h>

#include "polyir/ir/ir.h"
#include "polyir/sets/sets.h"
#include "polyir/map/map.h"
#include "polyir/map/block_sync.h"

/* "set" in any launch, block and thread.
 *
 * Takes "set". Barriers are met by all threads, so no coordinate of one may
 * bound them.
 */
static __isl_give isl_set *forget(struct poly_prog *prog,
	__isl_take isl_set *set)
{
	for (int i = isl_set_dim(set, isl_dim_param) - 1; i >= 0; i--) {
		const char *name = isl_set_get_dim_name(set, isl_dim_param, i);

		if (!poly_prog_find_param(prog, name))
			set = isl_set_project_out(set, isl_dim_param, i, 1);
	}
	return poly_set_coalesce(set);
}

/* A union set in the making without any coordinates of the grid. */
struct forget {
	struct poly_prog *prog;
	isl_union_set *all;
};

static isl_stat forget_set(__isl_take isl_set *set, void *user)
{
	struct forget *f = user;

	f->all = isl_union_set_add_set(f->all, forget(f->prog, set));
	return isl_stat_ok;
}

__isl_give isl_union_set *poly_reaching(struct poly_barriers *s,
	__isl_keep isl_schedule_node *node)
{
	isl_union_set *domain = poly_node_domain(node);
	struct forget f = { s->prog, isl_union_set_empty(
		isl_set_get_space(s->prog->context)) };

	isl_union_set_foreach_set(domain, forget_set, &f);
	isl_union_set_free(domain);
	return f.all;
}

__isl_give isl_union_set *poly_leaf_domain(struct poly_barriers *s,
	__isl_keep isl_schedule_node *node)
{
	isl_union_set *own = poly_reaching(s, node);
	isl_union_set *all;

	if (!s->all)
		return own;
	all = isl_union_set_intersect(isl_union_set_copy(s->all),
		isl_union_set_universe(isl_union_set_copy(own)));
	if (isl_union_set_is_equal(all, own) == isl_bool_true) {
		isl_union_set_free(own);
		return all;
	}
	isl_union_set_free(all);
	return own;
}

/* Has every dimension of "set" its bounds? What bounds it by another dimension
 * need not.
 *
 * Asked of one dimension alone, after the others are projected out: 0 <= j <= i
 * and no bound of i is none.
 */
static bool is_bounded(__isl_keep isl_set *set)
{
	isl_size n = isl_set_dim(set, isl_dim_set);
	bool bounded = true;

	for (int i = 0; i < n && bounded; i++) {
		isl_set *own = isl_set_project_out(isl_set_copy(set),
			isl_dim_set, i + 1, n - i - 1);

		own = isl_set_project_out(own, isl_dim_set, 0, i);
		bounded = poly_range_has_bound(own, false) &&
			poly_range_has_bound(own, true);
		isl_set_free(own);
	}
	return bounded;
}

/* The hull of "set", the values of the bands above a barrier, of which the
 * first "n_host" are those of a launch: only launches that there are. A hull that
 * isl finds without bounds, as it looks at no more than the constraints of the
 * parts, is none.
 *
 * Rounds in many pieces would make as many loops. Their hull may have rounds
 * with nothing to do, which cost a barrier each and are harmless: all threads
 * go through them.
 */
static __isl_give isl_set *hull(__isl_take isl_set *set, int n_host)
{
	unsigned n = isl_set_dim(set, isl_dim_set) - n_host;
	isl_set *launches = isl_set_project_out(isl_set_copy(set),
		isl_dim_set, n_host, n);
	isl_set *whole = isl_set_from_basic_set(isl_set_simple_hull(
		isl_set_copy(set)));

	if (!is_bounded(whole)) {
		isl_set_free(whole);
		isl_set_free(launches);
		return set;
	}
	isl_set_free(set);
	return poly_set_coalesce(isl_set_intersect(whole,
		isl_set_add_dims(launches, isl_dim_set, n)));
}

/* The values of the bands above "node".
 *
 * One instance for each: [h0, .., t, ..] of the loops that the host runs and
 * those inside of the kernel.
 */
static __isl_give isl_set *rounds(struct poly_barriers *s,
	__isl_keep isl_schedule_node *node)
{
	isl_multi_union_pw_aff *prefix =
		isl_schedule_node_get_prefix_schedule_multi_union_pw_aff(node);
	isl_union_set *domain = poly_reaching(s, node);
	isl_set *set;

	if (isl_multi_union_pw_aff_size(prefix) == 0) {
		isl_multi_union_pw_aff_free(prefix);
		return isl_set_from_params(isl_union_set_params(domain));
	}
	set = isl_set_from_union_set(isl_union_set_apply(domain,
		isl_union_map_from_multi_union_pw_aff(prefix)));
	set = forget(s->prog, isl_set_reset_tuple_id(set));
	if (isl_set_n_basic_set(set) > 1)
		set = hull(set, poly_kernel_n_host(s->prog, s->kernel));
	return set;
}

__isl_give isl_schedule *poly_barrier_at(struct poly_barriers *s,
	__isl_keep isl_schedule_node *node)
{
	char *name = poly_unique_name(s->prog, s->kernel->name, "sync");
	isl_set *set = isl_set_set_tuple_name(rounds(s, node), name);
	isl_union_set *domain = isl_union_set_from_set(isl_set_copy(set));

	if (!name || !poly_prog_add_stmt(s->prog, name, POLY_SYNC, set)) {
		s->failed = true;
		isl_union_set_free(domain);
		domain = NULL;
	}
	free(name);
	return isl_schedule_from_domain(domain);
}
