/* Statements that need one another in a circle, and what is left of it without some
 * pairs of instances.
 *
 *	for (i) {
 *	S1:	a[i] = b[i] * c[i];		S1[i] -> S2[i], which reads a[i]
 *	S2:	d[i] = a[i] * a[i + 1];		S2[i] -> S1[i + 1], which overwrites it
 *	}
 *
 * As long as both pairs hold, the loop has to go on in order. If S2 reads a copy of
 * what a[i + 1] was, the second kind is gone: then all of S1 may run before all of S2.
 */
#include <string.h>

#include <isl/space.h>

#include "polyir/ir/ir.h"
#include "polyir/prepare/prepare.h"

/* Which statement leads to which, directly or by others. */
struct leads {
	struct poly_prog *prog;
	bool to[POLY_MOST_IN_CIRCLE][POLY_MOST_IN_CIRCLE];
};

/* The number of the statement with instances in this space, or -1. */
static int number_of(const struct poly_prog *prog, __isl_keep isl_map *pairs,
	enum isl_dim_type type)
{
	const char *name = isl_map_has_tuple_name(pairs, type) == isl_bool_true ?
		isl_map_get_tuple_name(pairs, type) : NULL;

	for (int i = 0; name && i < prog->n_stmt; i++)
		if (!strcmp(prog->stmt[i]->name, name))
			return i;
	return -1;
}

/* Callback for pairs of instances of two statements. */
static isl_stat add_pairs(__isl_take isl_map *pairs, void *user)
{
	struct leads *l = user;
	int from = number_of(l->prog, pairs, isl_dim_in);
	int to = number_of(l->prog, pairs, isl_dim_out);

	if (from >= 0 && to >= 0)
		l->to[from][to] = true;
	isl_map_free(pairs);
	return isl_stat_ok;
}

/* What leads to what by "pairs". */
static isl_stat find_leads(struct leads *l, struct poly_prog *prog,
	__isl_keep isl_union_map *pairs)
{
	int n = prog->n_stmt;

	memset(l, 0, sizeof(*l));
	l->prog = prog;
	if (isl_union_map_foreach_map(pairs, add_pairs, l) < 0)
		return isl_stat_error;
	for (int k = 0; k < n; k++)
		for (int i = 0; i < n; i++)
			for (int j = 0; j < n; j++)
				l->to[i][j] |= l->to[i][k] && l->to[k][j];
	return isl_stat_ok;
}

/* Are both in one circle? */
static bool is_circle(const struct leads *l, int a, int b)
{
	return l->to[a][b] && l->to[b][a];
}

/* Loop "d" of the instances of each statement that is in a circle with "s". */
static __isl_give isl_union_pw_aff *loop_of(const struct leads *l, int s, int d)
{
	isl_union_pw_aff *at = isl_union_pw_aff_empty(isl_set_get_space(
		l->prog->context));

	for (int i = 0; i < l->prog->n_stmt; i++) {
		isl_set *domain = l->prog->stmt[i]->domain;

		if (is_circle(l, s, i) && isl_set_dim(domain, isl_dim_set) > d)
			at = isl_union_pw_aff_add_pw_aff(at,
				isl_pw_aff_var_on_domain(
				isl_local_space_from_space(isl_set_get_space(
				domain)), isl_dim_set, d));
	}
	return at;
}

/* The instances of what is in a circle with "s". */
static __isl_give isl_union_set *members(const struct leads *l, int s)
{
	isl_union_set *all = isl_union_set_empty(isl_set_get_space(
		l->prog->context));

	for (int i = 0; i < l->prog->n_stmt; i++)
		if (is_circle(l, s, i))
			all = isl_union_set_add_set(all, isl_set_copy(
				l->prog->stmt[i]->domain));
	return all;
}

/* Are both ends of the pairs of the circle around "s" in one iteration of loop "d"? */
static bool is_parallel(const struct leads *l, int s, int d,
	__isl_keep isl_union_map *pairs)
{
	isl_union_set *all = members(l, s);
	isl_union_map *own = isl_union_map_intersect_range(
		isl_union_map_intersect_domain(isl_union_map_copy(pairs),
		isl_union_set_copy(all)), all);
	isl_union_map *equal = isl_union_map_eq_at_multi_union_pw_aff(
		isl_union_map_copy(own), isl_multi_union_pw_aff_from_union_pw_aff(
		loop_of(l, s, d)));
	bool is = isl_union_map_is_subset(own, equal) == isl_bool_true;

	isl_union_map_free(own);
	isl_union_map_free(equal);
	return is;
}

/* How many loops are around all of what is in a circle with "s"; 0 if it is in none. */
static int depth_of(const struct leads *l, int s)
{
	int depth = 0;

	for (int i = 0; i < l->prog->n_stmt; i++) {
		int n = isl_set_dim(l->prog->stmt[i]->domain, isl_dim_set);

		if (is_circle(l, s, i))
			depth = !depth || n < depth ? n : depth;
	}
	return depth;
}

/* Is one of the loops around the circle of "s" parallel? */
static bool has_parallel(const struct leads *l, int s,
	__isl_keep isl_union_map *pairs)
{
	int depth = depth_of(l, s);

	for (int d = 0; d < depth; d++)
		if (is_parallel(l, s, d, pairs))
			return true;
	return false;
}

/* All pairs but those of "s" and a later write of "array", of which "order" has what
 * stays.
 */
static __isl_give isl_union_map *others(struct poly_prog *prog,
	const struct poly_deps *deps, const struct poly_stmt *s,
	const struct poly_array *array, __isl_keep isl_union_map *order)
{
	isl_union_map *all = isl_union_map_copy(deps->anti);
	isl_union_set *from = isl_union_set_from_set(isl_set_copy(s->domain));
	isl_union_set *to = isl_union_set_empty(isl_set_get_space(prog->context));

	for (int i = 0; i < prog->n_stmt; i++)
		if (prog->stmt[i]->write_array == array)
			to = isl_union_set_add_set(to, isl_set_copy(
				prog->stmt[i]->domain));
	all = isl_union_map_subtract(all, isl_union_map_from_domain_and_range(
		from, to));
	all = isl_union_map_union(all, isl_union_map_copy(deps->flow));
	all = isl_union_map_union(all, isl_union_map_copy(deps->output));
	all = isl_union_map_union(all, isl_union_map_copy(deps->reduction));
	return isl_union_map_union(all, isl_union_map_copy(order));
}

bool poly_is_circle(struct poly_prog *prog, const struct poly_deps *deps,
	const struct poly_stmt *s, const struct poly_array *array,
	__isl_keep isl_union_map *order, __isl_keep isl_union_map *dropped)
{
	isl_union_map *rest, *all;
	struct leads before, after;
	int at = 0;
	bool is;

	if (!deps->flow || !deps->anti || !deps->output || !deps->reduction)
		return false;
	while (prog->stmt[at] != s)
		at++;
	rest = others(prog, deps, s, array, order);
	all = isl_union_map_union(isl_union_map_copy(rest),
		isl_union_map_copy(dropped));
	is = find_leads(&before, prog, all) == isl_stat_ok &&
		find_leads(&after, prog, rest) == isl_stat_ok &&
		depth_of(&before, at) > 0 && !has_parallel(&before, at, all);
	for (int i = 0; i < prog->n_stmt && is; i++)
		if (is_circle(&before, at, i) && is_circle(&after, i, i))
			is = has_parallel(&after, i, rest);
	isl_union_map_free(rest);
	isl_union_map_free(all);
	return is;
}
