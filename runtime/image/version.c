/* Which version of a program to run: of those that are right for the sizes, the
 * one that is expected to take the least time.
 *
 * Everything that depends on it asks here: the workspace, and the launch. The
 * answer depends on the sizes alone, so that a thread that asks again for the same
 * ones, which takes microseconds where there are many versions, gets the same.
 */
#include <string.h>
#include "runtime/image/image.h"

/* What a thread was answered last: for the record that was read as number "read", and
 * sizes, of which there are no more.
 */
enum { MOST_SIZES = 16 };
static _Thread_local struct {
	uint64_t read;
	int64_t size[MOST_SIZES];
	int version;
} last;

static bool is_last(const struct cetane_rt_record *r, const int64_t *size)
{
	return r->read && r->read == last.read &&
		!memcmp(size, last.size, (size_t) r->n_size * sizeof(*size));
}

/* Keep the answer, if there is room for the sizes. */
static void keep(const struct cetane_rt_record *r, const int64_t *size,
	int version)
{
	if (!r->read || r->n_size > MOST_SIZES)
		return;
	last.read = r->read;
	memcpy(last.size, size, (size_t) r->n_size * sizeof(*size));
	last.version = version;
}

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
	if (r->n_version && is_last(r, size)) {
		*version = last.version;
		return CETANE_OK;
	}
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
	if (*version < 0)
		return cetane_rt_fail(CETANE_INVALID_VALUE, "%s: none of its "
			"versions is for these sizes", r->program);
	keep(r, size, *version);
	return CETANE_OK;
}
