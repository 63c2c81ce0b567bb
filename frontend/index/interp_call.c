/* The interpreter of index notation: calls of nests, which are executed as a whole
 * as soon as one of their elements is asked for.
 */
#include <stdlib.h>

#include "frontend/index/interp_index.h"
#include "frontend/index/call.h"
#include "frontend/c/lower/lower.h"

/* All elements of the tensor's box. */
static uint64_t count_elements(const struct fe_interp_object *o)
{
	uint64_t n = 1;
	int d;

	for (d = 0; d < o->tensor->rank; d++)
		n *= (uint64_t)o->size[d];
	return n;
}

/* Give the nest what the tensor "o" holds as its variable "v". Without "give",
 * only note what is missing.
 *
 * "missing" is set where an element has a task now; the rest of the elements
 * get theirs, too.
 */
static void give(struct fe_index_interp *in, struct fe_interp_call *c,
	const struct fe_c_var *v, struct fe_interp_object *o, bool give)
{
	uint64_t n = count_elements(o), at;
	struct fe_number x;

	for (at = 0; at < n && !in->failed; at++) {
		x = fe_interp_value(in, o, at);
		if (give && !fe_c_interp_put(c->nest, v, (int64_t)at, &x))
			in->failed = true;
	}
}

/* Give the nest all that it takes from definitions; see give().
 *
 * Variables that the nest does not use are given nothing.
 */
static void give_all(struct fe_index_interp *in, struct fe_interp_call *c, bool all)
{
	const struct fe_arg *a;

	for (a = c->of->arg; a; a = a->next)
		if (a->from && a->var->used)
			give(in, c, a->var, &in->object[a->from->id], all);
}

/* Execute the call, unless something is missing.
 *
 * A nest runs as a whole, so everything that it takes must be known first: a
 * first round only asks, and the second one gives.
 */
static void execute(struct fe_index_interp *in, struct fe_interp_call *c)
{
	give_all(in, c, false);
	/* Where the work that is left is too little it does not begin. */
	in->failed |= !fe_c_interp_affords(c->nest);
	if (in->missing || in->failed)
		return;
	fe_c_interp_begin(c->nest);
	give_all(in, c, true);
	if (!in->failed)
		in->failed = !fe_c_interp_run(c->nest);
	c->done = true;
}

/* An element that a call makes: the call is executed when the first of them is
 * asked for. Afterwards the nest's own memory is read.
 */
struct fe_number fe_interp_call(struct fe_index_interp *in,
	const struct fe_tensor *t)
{
	const struct fe_interp_object *o = &in->object[t->id];
	const struct fe_index *i = t->scope.first;
	struct fe_interp_call *c = in->call;
	const struct fe_arg *a;
	int64_t at = 0;
	int d;

	while (c->of != t->call)
		c++;
	if (!c->done)
		execute(in, c);
	/* The position of the element in the array of the nest, which begins at
	 * 0.
	 */
	for (d = 0; d < t->rank; d++, i = i->next)
		at = at * o->size[d] + in->index[i->slot] - o->first[d];
	for (a = t->call->arg; a; a = a->next)
		if (c->done && !in->failed && a->to == t && a->var->used)
			return fe_c_interp_get(c->nest, a->var, at);
	return (struct fe_number) { 0 };
}

/* Sizes of the nest by their numbers there, from the parameters that the call
 * gives for them. A call whose interpreter cannot be made ends it.
 */
bool fe_interp_add_calls(struct fe_index_interp *in)
{
	const struct fe_call *c;
	int64_t *size;
	int n = 0, i;
	bool good;

	for (c = in->unit->call; c; c = c->next)
		n++;
	in->call = calloc((size_t)n + 1, sizeof(*in->call));
	size = calloc((size_t)in->unit->n_param + 1, sizeof(*size));
	good = in->call && size;
	for (c = in->unit->call; good && c; c = c->next, in->n_call++) {
		const struct fe_c_unit *nest = c->unit->c;

		for (i = 0; i < nest->n_size; i++)
			size[i] = in->param[fe_call_size(c, nest->size[i])];
		in->call[in->n_call].of = c;
		in->call[in->n_call].nest = fe_c_interp_alloc(c->unit, size,
			in->work);
		good = in->call[in->n_call].nest != NULL;
	}
	free(size);
	return good;
}

/* Only those that were made: n_call counts these. */
void fe_interp_free_calls(struct fe_index_interp *in)
{
	int i;

	for (i = 0; i < in->n_call; i++)
		fe_c_interp_free(in->call[i].nest);
	free(in->call);
}

/* After new data each call is executed once more. */
void fe_interp_reset_calls(struct fe_index_interp *in)
{
	int i;

	for (i = 0; i < in->n_call; i++)
		in->call[i].done = false;
}

/* Each call is executed once, whatever is read of it. */
double fe_interp_call_cost(struct fe_index_interp *in)
{
	double cost = 0;
	int i;

	for (i = 0; i < in->n_call; i++)
		cost += fe_c_interp_cost(in->call[i].nest);
	return cost;
}
