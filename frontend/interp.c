/* The reference interpreter of a unit: that of its notation. */
#include <math.h>
#include <stdlib.h>

#include "frontend/base/value.h"

/* "by" does all, on "in". */
struct fe_interp {
	const struct fe_executor *by;
	void *in;
	struct fe_work work;
};

/* A parameter that -D fixed keeps that value. "u" must outlive the result;
 * NULL if a value is negative or there is no memory.
 */
struct fe_interp *fe_interp_alloc(const struct fe_unit *u,
	const int64_t *param)
{
	struct fe_interp *in = calloc(1, sizeof(*in));

	if (!in)
		return NULL;
	in->work.left = INFINITY;
	in->by = u->notation->executor;
	in->in = in->by->alloc(u, param, &in->work);
	return in->in ? in : fe_interp_free(in);
}

/* Free "in", which may be NULL; returns NULL. */
struct fe_interp *fe_interp_free(struct fe_interp *in)
{
	if (in)
		in->by->free(in->in);
	free(in);
	return NULL;
}

/* The data must stay as it is while elements are evaluated. False if there
 * is no such input.
 */
bool fe_interp_set_input(struct fe_interp *in, const char *name,
	const void *data)
{
	return in->by->set_input(in->in, name, data);
}

int fe_interp_shape(struct fe_interp *in, const char *name,
	int64_t dim[FE_MAX_DIM])
{
	return in->by->shape(in->in, name, dim);
}

void fe_interp_limit(struct fe_interp *in, double operations)
{
	in->work.left = operations;
	in->work.spent = false;
}

void fe_interp_relax(struct fe_interp *in, bool relaxed)
{
	in->work.relaxed = relaxed;
}

bool fe_interp_spent(const struct fe_interp *in)
{
	return in->work.spent;
}

void fe_interp_set_ring(struct fe_interp *in)
{
	in->work.ring = true;
}

bool fe_interp_is_whole(const struct fe_interp *in)
{
	return in->by->whole;
}

/* True if "index" is an element of the matrix "name". */
static bool is_inside(struct fe_interp *in, const char *name,
	const int64_t *index)
{
	int64_t dim[FE_MAX_DIM];
	int n_dim = fe_interp_shape(in, name, dim), d;

	for (d = 0; d < n_dim; d++)
		if (index[d] < 0 || index[d] >= dim[d])
			return false;
	return n_dim >= 0;
}

/* False if there is no such element, if an input that is read was not set,
 * without memory, or if it took more than is allowed.
 */
bool fe_interp_eval(struct fe_interp *in, const char *name,
	const int64_t *index, struct fe_value *v)
{
	if (!is_inside(in, name, index))
		return false;
	return in->by->eval(in->in, name, index, v);
}

bool fe_interp_check(struct fe_interp *in, struct fe_bad_read *bad)
{
	return !in->by->check || in->by->check(in->in, bad);
}

bool fe_interp_positions(struct fe_interp *in, const char *name,
	int64_t *first, int64_t *last)
{
	return in->by->positions &&
		in->by->positions(in->in, name, first, last);
}

double fe_interp_cost(struct fe_interp *in)
{
	return in->by->cost(in->in);
}
