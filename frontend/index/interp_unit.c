/* The interpreter: a unit with its sizes and inputs, what others ask of it, and what
 * it costs.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/index/interp_index.h"

/* ------------------------------------------------------------ interface */

/* Set the box of the tensor "t".
 *
 * An empty range has size 0.
 */
static void set_box(struct fe_index_interp *in, const struct fe_tensor *t)
{
	struct fe_interp_object *o = &in->object[t->id];
	const struct fe_index *i = t->scope.first;
	int64_t last;
	int d;

	o->tensor = t;
	for (d = 0; d < t->rank; d++, i = i->next) {
		fe_interp_range(in, i, &o->first[d], &last);
		o->size[d] = last < o->first[d] ? 0 : last - o->first[d] + 1;
	}
}

/* Give the sizes their values; false if one is negative.
 *
 * Sizes that the program fixes win over what is given.
 */
static bool set_params(struct fe_index_interp *in, const int64_t *param)
{
	const struct fe_param *p;

	for (p = in->unit->param; p; p = p->next) {
		in->param[p->index] = p->fixed ? p->value : param[p->index];
		if (in->param[p->index] < 0)
			return false;
	}
	return true;
}

/* Objects are made for all tensors, inputs included, with their boxes. Elements
 * come later, as they are asked for. "index" has room for the most slots that a
 * definition needs.
 */
void *fe_index_interp_alloc(const struct fe_unit *u,
	const int64_t *param, struct fe_work *work)
{
	struct fe_index_interp *in = calloc(1, sizeof(*in));
	const struct fe_tensor *t;
	size_t slots = 1;
	int i;

	if (!in)
		return NULL;
	in->unit = u;
	in->work = work;
	in->param = calloc((size_t)u->n_param + 1, sizeof(*in->param));
	in->object = calloc((size_t)u->n_tensor + 1, sizeof(*in->object));
	for (t = u->sorted; t; t = t->order_next)
		if ((size_t)t->n_slot > slots)
			slots = (size_t)t->n_slot;
	in->index = calloc(slots, sizeof(*in->index));
	if (!in->param || !in->object || !in->index ||
	    !set_params(in, param)) {
		fe_index_interp_free(in);
		return NULL;
	}
	/* The boxes of inputs first, then those of definitions in the order of
	 * the sort.
	 */
	for (i = 0; i < u->n_input; i++)
		set_box(in, u->in[i]);
	for (t = u->sorted; t; t = t->order_next)
		set_box(in, t);
	/* Calls last: their sizes are made of the parameters. */
	if (fe_interp_add_calls(in))
		return in;
	fe_index_interp_free(in);
	return NULL;
}

/* Takes what fe_index_interp_alloc() leaves half made, too. */
void fe_index_interp_free(void *interp)
{
	struct fe_index_interp *in = interp;
	int i;

	if (!in)
		return;
	/* A source has a table of slots of its own. */
	for (i = 0; in->object && i < in->unit->n_tensor; i++) {
		if (in->object[i].source)
			free(in->object[i].source->slot);
		free(in->object[i].source);
		free(in->object[i].cell);
		free(in->object[i].slot);
	}
	fe_interp_free_calls(in);
	free(in->object);
	free(in->index);
	free(in->task);
	free(in->param);
	free(in);
}

/* Data are not copied: they have to stay while elements are evaluated. Calls
 * that ran on other data run again.
 */
bool fe_index_interp_set(void *interp, const char *name,
	const void *data)
{
	struct fe_index_interp *in = interp;
	const struct fe_unit *u = in->unit;
	int i;

	for (i = 0; i < u->n_input; i++) {
		if (strcmp(u->in[i]->name, name))
			continue;
		in->object[u->in[i]->id].data = data;
		fe_interp_reset_calls(in);
		return true;
	}
	return false;
}

/* What has the name "name", the newest version of it.
 *
 * A call makes new versions of what it writes, behind the old ones: the search
 * goes backwards.
 */
static struct fe_interp_object *find_object(struct fe_index_interp *in,
	const char *name)
{
	int i;

	for (i = in->unit->n_tensor - 1; i >= 0; i--)
		if (in->object[i].tensor->name &&
		    !strcmp(in->object[i].tensor->name, name))
			return &in->object[i];
	return NULL;
}

/* -1 if nothing has that name. */
int fe_index_interp_shape(void *interp, const char *name,
	int64_t dim[FE_MAX_DIM])
{
	const struct fe_interp_object *o = find_object(interp, name);

	if (!o)
		return -1;
	memcpy(dim, o->size, sizeof(o->size));
	return o->tensor->rank;
}

/* Has each input that is read its data?
 *
 * An input that nothing reads needs none.
 */
static bool has_inputs(const struct fe_index_interp *in)
{
	const struct fe_unit *u = in->unit;
	int i;

	for (i = 0; i < u->n_input; i++)
		if (u->in[i]->is_read && !in->object[u->in[i]->id].data)
			return false;
	return true;
}

/* Indices count from 0 here, as in the arrays of the lowered program. */
bool fe_index_interp_eval(void *interp, const char *name,
	const int64_t *index, struct fe_value *v)
{
	struct fe_index_interp *in = interp;
	struct fe_interp_object *o = find_object(in, name);
	struct fe_number x = { 0 };
	uint64_t at = 0;
	int d;

	if (!o || !has_inputs(in))
		return false;
	for (d = 0; d < o->tensor->rank; d++) {
		if (index[d] < 0 || index[d] >= o->size[d])
			return false;
		at = at * (uint64_t)o->size[d] + (uint64_t)index[d];
	}
	if (!fe_interp_evaluate(in, o, at, &x))
		return false;
	fe_value_result(o->tensor->type, &x, v);
	return true;
}

/* --------------------------------------------------------------- the cost */

/* The number of values of all indices from "i" on, as if each range were
 * independent of the others.
 */
double fe_interp_count_box(const struct fe_index_interp *in,
	const struct fe_index *i)
{
	int64_t first, last;
	double n = 1;

	for (; i; i = i->next) {
		fe_interp_range(in, i, &first, &last);
		n *= last < first ? 0 : (double)(last - first + 1);
	}
	return n;
}

/* Operations of one evaluation of "e". An affine expression costs nothing: it
 * is a position and not a value. A reduction is evaluated for all of its box.
 */
double fe_interp_count(const struct fe_index_interp *in,
	const struct fe_scalar *e)
{
	double n = e->kind == FE_S_OP || e->kind == FE_S_REDUCE;
	int k;

	for (k = 0; !e->affine && k < e->n_arg; k++)
		n += fe_interp_count(in, e->arg[k]);
	return e->scope ? n * fe_interp_count_box(in, e->scope->first) : n;
}

/* Those of an element of "t", or of one more term of it.
 *
 * Of pieces the most expensive one counts, and each condition on data in
 * addition. No element is free: at least 1.
 */
static double count_element(const struct fe_index_interp *in,
	const struct fe_tensor *t)
{
	const struct fe_piece *p;
	double n = 0;

	for (p = t->piece; p; p = p->next)
		n = fmax(n, fe_interp_count(in, p->value));
	for (p = t->piece; p; p = p->next)
		if (p->condition && p->condition->data)
			n += fe_interp_count(in, p->condition);
	return fmax(n + (t->update != POLY_OP_NONE), 1);
}

/* Of a product, as of any sum of terms, two operations a term.
 *
 * Cells and calls say themselves what they cost.
 */
double fe_index_interp_cost(void *interp)
{
	struct fe_index_interp *in = interp;
	const struct fe_tensor *t;
	double cost = fe_interp_call_cost(in);

	for (t = in->unit->sorted; t; t = t->order_next)
		if (t->live && !t->hidden && fe_tensor_cells(t))
			cost += fe_interp_cells_cost(in, t);
		else if (t->live && !t->hidden && !t->call)
			cost += count_element(in, t) *
				fe_interp_count_box(in, t->scope.first);
	return cost;
}
