/* Which version of a program to run: of those that are right for the sizes, the
 * one that is expected to take the least time.
 *
 * Everything that depends on it asks here: the workspace, and the launch. The
 * answer depends on the sizes alone.
 */
#include "runtime/image/image.h"

static enum cetane_status without_value(const struct cetane_rt_record *r, int i,
	const char *what)
{
	return cetane_rt_fail(CETANE_INVALID_VALUE, "%s: the %s of version %d "
		"has no value for these sizes", r->program, what, i);
}

/* What version "i" is expected to take. */
static enum cetane_status find_cost(const struct cetane_rt_record *r, int i,
	const int64_t *size, int64_t *cost)
{
	const struct cetane_rt_version *v = &r->version[i];
	int64_t value[CETANE_RT_MAX_ITER];
	int k;

	for (k = 0; k < v->n_cost; k++)
		if (!cetane_rt_formula_value(&v->cost[k], size, value,
			&value[k]))
			return without_value(r, i, "cost");
	*cost = value[v->n_cost - 1];
	return CETANE_OK;
}

enum cetane_status cetane_rt_record_version(const struct cetane_rt_record *r,
	const int64_t *size, int *version)
{
	int64_t holds, cost = 0, least = INT64_MAX;
	enum cetane_status s;
	int i;

	*version = r->n_version ? -1 : 0;
	for (i = 0; i < r->n_version; i++) {
		if (!cetane_rt_formula_value(&r->version[i].condition, size,
			NULL, &holds))
			return without_value(r, i, "condition");
		if (!holds)
			continue;
		s = find_cost(r, i, size, &cost);
		if (s != CETANE_OK)
			return s;
		if (*version >= 0 && cost >= least)
			continue;
		least = cost;
		*version = i;
	}
	return *version >= 0 ? CETANE_OK : cetane_rt_fail(
		CETANE_INVALID_VALUE, "%s: none of its versions is for these "
		"sizes", r->program);
}
