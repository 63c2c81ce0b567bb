/* The reference interpreter of index notation: elements and definitions.
 *
 * Values that an element needs and that are not known yet are put on a stack,
 * and the element is evaluated again behind them: recurrences may be long, so
 * nothing recurses but expressions. An element that is met while it waits for
 * others needs itself; that, and positions outside, end the evaluation.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/index/interp_index.h"

/* A new element counts like that many operations: it takes memory. */
enum { ELEMENT_COST = 16 };

/* Work is counted in operations. When what is allowed is used up, all that runs
 * stops, with "failed".
 */
void fe_interp_work(struct fe_index_interp *in, double n)
{
	if (!fe_work_do(in->work, n))
		in->failed = true;
}

/* ------------------------------------------------------------- elements */

/* The slot of "key", or the free one where it belongs; there is always one.
 *
 * Elements are mostly asked for one beside the other, and what that takes is that
 * memory comes to the processor. So eight in a row lie together, in an order of
 * their own, where a hash of their block says. A slot that is taken leads to one
 * of the next eight: the step is odd, so that it meets all 2^k slots, of which
 * at most three in four are taken (see element()).
 */
static struct fe_interp_element *find(const struct fe_interp_object *o,
	uint64_t key)
{
	uint64_t i = (key >> 3) * 0x9e3779b97f4a7c15u;

	i = ((i ^ i >> 32) << 3 | ((key ^ i >> 61) & 7)) & (o->cap - 1);
	while (o->slot[i].key && o->slot[i].key != key)
		i = (i + 9) & (o->cap - 1);
	return &o->slot[i];
}

/* "n" free slots, of which none is in two lines of the cache if one fits into one. */
static struct fe_interp_element *make_slots(size_t n)
{
	enum { LINE = 64 };
	size_t size = n * sizeof(struct fe_interp_element);
	struct fe_interp_element *slot = aligned_alloc(LINE, size);

	if (slot)
		memset(slot, 0, size);
	return slot;
}

/* The element at "at", made if it is new; NULL without memory. Good until the
 * next call.
 *
 * Keys are positions plus 1, so that a slot of zeros is free. The table doubles
 * when it gets full; its elements are put into the new one by their keys.
 */
static struct fe_interp_element *element(struct fe_interp_object *o, uint64_t at)
{
	struct fe_interp_object bigger = *o;
	struct fe_interp_element *e;
	size_t i;

	if (4 * (o->n + 1) > 3 * o->cap) {
		bigger.cap = o->cap ? 2 * o->cap : 16;
		bigger.slot = make_slots(bigger.cap);
		if (!bigger.slot)
			return NULL;
		for (i = 0; i < o->cap; i++)
			if (o->slot[i].key)
				*find(&bigger, o->slot[i].key) = o->slot[i];
		free(o->slot);
		*o = bigger;
	}
	e = find(o, at + 1);
	o->n += !e->key;
	e->key = at + 1;
	return e;
}

/* Element "at" of "o" is to be computed next; false without memory.
 *
 * Tasks are a stack: what is added last is computed first.
 */
static bool add_task(struct fe_index_interp *in, struct fe_interp_object *o,
	uint64_t at)
{
	size_t cap = in->cap_task ? 2 * in->cap_task : 64;
	struct fe_interp_task *task = in->task;

	if (in->n_task == in->cap_task) {
		task = realloc(task, cap * sizeof(*task));
		if (!task)
			return false;
		in->task = task;
		in->cap_task = cap;
	}
	task[in->n_task++] = (struct fe_interp_task) { o, at };
	return true;
}

/* The value of an element that is known, or of an input. Otherwise a task is
 * added for it, "missing" is set and the value returned is nothing: the
 * caller's own value is thrown away and computed once more.
 *
 * An element that waits is one that the stack already has: it needs itself.
 */
struct fe_number fe_interp_value(struct fe_index_interp *in,
	struct fe_interp_object *o, uint64_t at)
{
	struct fe_interp_element *e;

	if (o->tensor->is_input)
		return fe_value_load(o->tensor->type, o->data, (int64_t)at,
			in->work->ring);
	e = element(o, at);
	if (e && e->state == FE_KNOWN)
		return e->value;
	in->missing = true;
	if (!e || e->state == FE_WAITING || !add_task(in, o, at))
		in->failed = true;
	return (struct fe_number) { 0 };
}

/* ---------------------------------------------------------- definitions */

/* Does "c" hold, as far as it is about the own indices of "t"?
 *
 * A condition that mentions an index inside of the reduction is no condition on
 * the element; it is left to the reduction.
 */
static bool holds_outside(const struct fe_index_interp *in,
	const struct fe_tensor *t, const struct fe_scalar *c)
{
	if (c->op == POLY_OP_AND)
		return holds_outside(in, t, c->arg[0]) &&
			holds_outside(in, t, c->arg[1]);
	return fe_scalar_mentions(c, &t->scope, t->rank) || fe_interp_holds(in, c);
}

/* Do all conditions on the indices of "t" hold, as far as they are about these
 * alone?
 *
 * Outside of the domain an element is 0 (eval_tensor).
 */
static bool in_domain(const struct fe_index_interp *in,
	const struct fe_tensor *t)
{
	const struct fe_scalar *c;

	for (c = t->scope.condition; c; c = c->next)
		if (!holds_outside(in, t, c))
			return false;
	return true;
}

/* Is "e" the value of "t" somewhere else, or a multiple of it?
 *
 *	y(t) = a(t) * y(t - 1) + x(t)
 *
 * The first term of the sum is such a multiple.
 */
static bool is_before(const struct fe_tensor *t, const struct fe_scalar *e)
{
	if (e->kind == FE_S_OP && e->op == POLY_OP_MUL)
		return is_before(t, e->arg[0]) || is_before(t, e->arg[1]);
	return e->kind == FE_S_READ && e->tensor == t;
}

/* Add to the bound of "v", the value of "e" in "t", what it may be off if this is a
 * recurrence that is computed as a scan: what comes before a value is put together in
 * another order, and each step rounds sums as large as its two terms.
 *
 * Values that are exact, in a ring, need none.
 */
static void allow_scan(struct fe_index_interp *in, const struct fe_tensor *t,
	const struct fe_scalar *e, struct fe_number *v)
{
	long double size = 0;

	if (e->kind != FE_S_OP || !poly_type_is_float(e->type) || v->ring ||
	    (e->op != POLY_OP_ADD && e->op != POLY_OP_SUB) ||
	    (!is_before(t, e->arg[0]) && !is_before(t, e->arg[1])))
		return;
	for (int i = 0; i < 2; i++) {
		struct fe_number x = fe_interp_scalar(in, e->arg[i]);

		size += fabsl(x.wide);
	}
	fe_value_allow_scan(v, e->type, size);
}

/* The value that the pieces of "t" from "p" on have.
 *
 * A condition may be in doubt: its two sides lie so close together that correct
 * programs may see either. Then the value covers both that of this piece and
 * that of the pieces behind.
 */
static struct fe_number eval_pieces(struct fe_index_interp *in,
	const struct fe_tensor *t, const struct fe_piece *p)
{
	enum poly_type type = poly_type_compute(t->type);
	struct fe_number guard = { .i = 1 }, v = { 0 }, other;

	for (; p && p->condition; p = p->next) {
		guard = fe_interp_guard(in, p->condition);
		if (in->missing || in->failed)
			return v;
		if (guard.i || guard.bound != 0)
			break;
	}
	/* No piece holds and none is "else": the element has no value. */
	if (!p) {
		in->failed = true;
		return v;
	}
	v = fe_interp_scalar(in, p->value);
	if (!in->missing && !in->failed)
		allow_scan(in, t, p->value, &v);
	fe_interp_cast(type, poly_type_compute(p->value->type), &v);
	if (!p->condition || guard.bound == 0)
		return v;
	other = eval_pieces(in, t, p->next);
	return fe_value_select(type, &guard, &v, &other);
}

/* A read of the same type is stored as it is; all else is computed in the type
 * for computing, then rounded to the one that is stored.
 */
struct fe_number fe_interp_stored(struct fe_index_interp *in,
	const struct fe_scalar *e, enum poly_type type)
{
	struct fe_number v;

	if (e->kind == FE_S_READ && e->tensor->type == type)
		return fe_interp_read(in, e);
	v = fe_interp_scalar(in, e);
	fe_interp_cast(type, poly_type_compute(e->type), &v);
	return v;
}

/* The value of the element "at" of "o", at in->index.
 *
 * Four forms of definitions: updates of single elements, which have cells; a
 * reduction over the indices behind the rank; a case; one expression.
 */
static struct fe_number eval_tensor(struct fe_index_interp *in,
	struct fe_interp_object *o, uint64_t at)
{
	const struct fe_tensor *t = o->tensor;
	const struct fe_index *i = t->scope.first;
	struct fe_number v = { .ring = in->work->ring };
	enum poly_type type = poly_type_compute(t->type);
	const struct fe_scalar *scatter;
	struct fe_sum s;
	int d;

	if (!in_domain(in, t))
		return v;
	if (fe_tensor_cells(t))
		return fe_interp_cell(in, o, at);
	/* The indices of the left side come first in the scope; those behind
	 * them are what the update goes over.
	 */
	if (t->update != POLY_OP_NONE) {
		for (d = 0; d < t->rank; d++)
			i = i->next;
		fe_sum_begin(&s, t->update, t->type, in->work->ring);
		fe_interp_reduce(in, &s, &t->scope, i, t->piece->value);
		v = fe_sum_end(&s);
		type = s.type;
	} else if (t->piece->condition) {
		v = eval_pieces(in, t, t->piece);
	} else {
		/* The instance of a SCATTER has been found before
		 * (go_to_source): its value is that of the first operand there.
		 */
		scatter = fe_tensor_scatter(t);
		return fe_interp_stored(in, scatter ? scatter->arg[0] :
			t->piece->value, t->type);
	}
	fe_interp_cast(t->type, type, &v);
	return v;
}

/* ------------------------------------------------------------------ tasks */

/* Set the indices of "o" for the element "at".
 *
 * Positions count from 0 in the box, row by row; indices begin at the first
 * value of their range.
 */
static void set_indices(struct fe_index_interp *in,
	const struct fe_interp_object *o, uint64_t at)
{
	const struct fe_index *i = o->tensor->scope.first;
	int64_t index[FE_MAX_RANK];
	int d;

	for (d = o->tensor->rank - 1; d >= 0; d--) {
		index[d] = (int64_t)(at % (uint64_t)o->size[d]) + o->first[d];
		at /= (uint64_t)o->size[d];
	}
	for (d = 0; d < o->tensor->rank; d++, i = i->next)
		in->index[i->slot] = index[d];
}

/* Elements of "o" between two that lie side by side along the index of "e".
 *
 * "dim" gets the dimension of that index.
 */
static uint64_t step_along(const struct fe_interp_object *o,
	const struct fe_scalar *e, int *dim)
{
	const struct fe_index *i = o->tensor->scope.first;
	uint64_t step = 1;
	int d;

	for (*dim = 0; i != e->arg[2]->index; i = i->next)
		++*dim;
	for (d = *dim + 1; d < o->tensor->rank; d++)
		step *= (uint64_t)o->size[d];
	return step;
}

/* Find out which instances of "o", whose values are the SCATTER "e", make the elements
 * on the line of that at "at", or add what that needs.
 *
 * Only that one dimension is scattered along, so a line is all that has to be
 * looked at. Each place on it must have one source: two instances at one place
 * are a failure, as is a place outside.
 */
static void find_sources(struct fe_index_interp *in, struct fe_interp_object *o,
	const struct fe_scalar *e, uint64_t at)
{
	int64_t *index = &in->index[e->arg[2]->index->slot], k, n;
	struct fe_interp_element *to;
	struct fe_number place;
	int dim;
	uint64_t step = step_along(o, e, &dim);

	n = o->size[dim];
	at -= (uint64_t)(*index - o->first[dim]) * step;
	/* What is missing is added as a task; the rest of the line is looked at
	 * all the same, so that all that is missing is known at once.
	 */
	for (k = 0; k < n && !in->failed; k++) {
		*index = o->first[dim] + k;
		fe_interp_work(in, 1);
		place = fe_interp_scalar(in, e->arg[1]);
		if (in->missing)
			continue;
		if (place.i < 0 || place.i >= n) {
			in->failed = true;
			return;
		}
		to = element(o->source, at + (uint64_t)place.i * step);
		in->failed |= !to || (to->state == FE_KNOWN &&
			to->value.i != *index);
		if (in->failed)
			return;
		to->state = FE_KNOWN;
		to->value.i = *index;
	}
}

/* Let the index of the SCATTER "e", by which "o" has its values, be that of the
 * instance that makes the element "at"; false if that is not known yet.
 *
 * The sources of a tensor are kept in a table like that of its elements, with
 * the index as the value.
 */
static bool go_to_source(struct fe_index_interp *in, struct fe_interp_object *o,
	const struct fe_scalar *e, uint64_t at)
{
	struct fe_interp_element *from;

	if (!o->source)
		o->source = calloc(1, sizeof(*o->source));
	from = o->source ? element(o->source, at) : NULL;
	if (from && from->state != FE_KNOWN) {
		find_sources(in, o, e, at);
		from = in->missing || in->failed ? NULL :
			element(o->source, at);
	}
	in->failed |= !in->missing && (!from || from->state != FE_KNOWN);
	if (in->missing || in->failed)
		return false;
	in->index[e->arg[2]->index->slot] = from->value.i;
	return true;
}

/* Evaluate the element of the last task, or add what it needs.
 *
 * A task stays on the stack until its element is known. Each time it comes to
 * the top it is evaluated from the beginning.
 */
static void run_task(struct fe_index_interp *in)
{
	struct fe_interp_task t = in->task[in->n_task - 1];
	struct fe_interp_element *e = element(t.object, t.at);
	const struct fe_scalar *scatter;
	struct fe_number v;

	if (!e || e->state == FE_KNOWN) {
		in->failed = !e;
		in->n_task--;
		return;
	}
	/* From here until it is known it waits: whoever needs it now is part of
	 * a circle.
	 */
	e->state = FE_WAITING;
	set_indices(in, t.object, t.at);
	in->missing = false;
	fe_interp_work(in, ELEMENT_COST);
	/* Cells are filled for the whole tensor at once, which sets other
	 * indices: those of this element are set again.
	 */
	if (fe_tensor_cells(t.object->tensor) && !t.object->cell) {
		if (!fe_interp_fill_cells(in, t.object))
			return;
		set_indices(in, t.object, t.at);
	}
	scatter = fe_tensor_scatter(t.object->tensor);
	if (scatter && !go_to_source(in, t.object, scatter, t.at))
		return;
	v = t.object->tensor->call ? fe_interp_call(in, t.object->tensor) :
		eval_tensor(in, t.object, t.at);
	if (in->missing || in->failed)
		return;
	/* The table may have moved while other elements were added: the slot is
	 * looked up again.
	 */
	e = element(t.object, t.at);
	if (!e) {
		in->failed = true;
		return;
	}
	e->value = v;
	e->state = FE_KNOWN;
	in->n_task--;
}

/* Tasks run until none is left. A failure leaves the others where they are. */
void fe_interp_finish(struct fe_index_interp *in)
{
	while (in->n_task && !in->failed)
		run_task(in);
}

/* Nothing waits any more, so that other elements may be evaluated.
 *
 * Used when the work that was allowed is spent: later calls with new work begin
 * afresh.
 */
static void give_up(struct fe_index_interp *in)
{
	struct fe_interp_task *t;

	for (; in->n_task; in->n_task--) {
		t = &in->task[in->n_task - 1];
		if (t->object->cap && find(t->object, t->at + 1)->state ==
		    FE_WAITING)
			find(t->object, t->at + 1)->state = FE_UNKNOWN;
	}
	in->failed = false;
}

/* After a failure that is not a lack of work, no element is evaluated any more.
 */
bool fe_interp_evaluate(struct fe_index_interp *in, struct fe_interp_object *o,
	uint64_t at, struct fe_number *v)
{
	in->n_task = 0;
	if (in->failed)
		return false;
	if (!o->tensor->is_input) {
		if (!add_task(in, o, at))
			return false;
		fe_interp_finish(in);
	}
	if (!in->failed)
		*v = fe_interp_value(in, o, at);
	if (!in->work->spent)
		return !in->failed;
	give_up(in);
	return false;
}
