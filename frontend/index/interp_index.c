/* The reference interpreter of index notation.
 *
 * An element is evaluated from its definition as it stands in the text: the
 * first piece whose condition holds, reductions in the order of their indices.
 * It knows nothing of isl, statements or schedules. What is evaluated is
 * remembered.
 *
 * Values that an element needs and that are not known yet are put on a stack,
 * and the element is evaluated again behind them: recurrences may be long, so
 * nothing recurses but expressions. An element that is met while it waits for
 * others needs itself; that, and positions outside, end the evaluation.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/index/index.h"
#include "frontend/base/value.h"
#include "frontend/c/lower/lower.h"

enum state { UNKNOWN, WAITING, KNOWN };

struct element {
	uint64_t key;		/* position plus 1 */
	enum state state;
	struct fe_number value;
};
/* What is known of a tensor: its box, an input's data, evaluated elements. */
struct object {
	const struct fe_tensor *tensor;
	int64_t first[FE_MAX_RANK], size[FE_MAX_RANK];
	const void *data;
	struct element *slot;
	size_t n, cap;
};
struct task {
	struct object *object;
	uint64_t at;
};
struct fe_index_interp {
	const struct fe_unit *unit;
	struct fe_work *work;
	int64_t *param;
	struct object *object;		/* by id of the tensor */
	int64_t *index;			/* by slot, of the element */
	struct task *task;
	size_t n_task, cap_task;
	bool missing;			/* something has to be evaluated */
	bool failed;
	struct call *call;		/* those of the unit, in its order */
	int n_call;
};
/* A call, and whether it has been executed. */
struct call {
	const struct fe_call *of;
	struct fe_c_interp *nest;
	bool done;
};

static struct fe_number eval(struct fe_index_interp *in,
	const struct fe_scalar *e);

/* A new element counts like that many operations: it takes memory. */
enum { ELEMENT_COST = 16 };

/* Do "n" operations, or fail. */
static void work(struct fe_index_interp *in, double n)
{
	if (!fe_work_do(in->work, n))
		in->failed = true;
}

/* ------------------------------------------------------------- numbers */

/* The value of the affine expression "e". */
static int64_t eval_affine(const struct fe_index_interp *in,
	const struct fe_scalar *e)
{
	int64_t a, b;

	switch (e->kind) {
	case FE_S_NUMBER:
		return (int64_t)e->value;
	case FE_S_INDEX:
		return in->index[e->index->slot];
	case FE_S_SIZE:
		return in->param[e->param->index];
	default:
		break;
	}
	a = eval_affine(in, e->arg[0]);
	if (e->op == POLY_OP_NEG)
		return -a;
	b = eval_affine(in, e->arg[1]);
	switch (e->op) {
	case POLY_OP_ADD:
		return a + b;
	case POLY_OP_SUB:
		return a - b;
	case POLY_OP_MUL:
		return a * b;
	case POLY_OP_DIV:
		return fe_floor_div(a, b);
	default:
		return a - b * fe_floor_div(a, b);
	}
}

/* Does the comparison "c" of affine expressions hold? It has no type. */
static bool compares(const struct fe_index_interp *in,
	const struct fe_scalar *c)
{
	int64_t a = eval_affine(in, c->arg[0]), b = eval_affine(in, c->arg[1]);

	return c->op == POLY_OP_LT ? a < b : c->op == POLY_OP_LE ? a <= b :
		c->op == POLY_OP_EQ ? a == b : a != b;
}

/* Does "c" hold if all that values decide is "data"? */
static bool holds_if(const struct fe_index_interp *in,
	const struct fe_scalar *c, bool data)
{
	if (c->op == POLY_OP_NOT && fe_scalar_joins(c))
		return !holds_if(in, c->arg[0], !data);
	if (fe_scalar_joins(c))
		return holds_if(in, c->arg[0], data) == (c->op == POLY_OP_OR) ?
			c->op == POLY_OP_OR : holds_if(in, c->arg[1], data);
	return c->data ? data : compares(in, c);
}

static bool holds(const struct fe_index_interp *in,
	const struct fe_scalar *c)
{
	return holds_if(in, c, false);
}

/* The first and the last value of the index "i". */
static void range_of(const struct fe_index_interp *in,
	const struct fe_index *i, int64_t *first, int64_t *last)
{
	const struct fe_bound *b;
	int64_t x;

	*first = INT64_MIN;
	*last = INT64_MAX;
	for (b = i->lower; b; b = b->next) {
		x = fe_bound_value(in->unit, b, in->param, false);
		*first = x > *first ? x : *first;
	}
	for (b = i->upper; b; b = b->next) {
		x = fe_bound_value(in->unit, b, in->param, true);
		*last = x < *last ? x : *last;
	}
}

/* ------------------------------------------------------------- elements */

static struct element *find(const struct object *o, uint64_t key)
{
	uint64_t i = key * 0x9e3779b97f4a7c15u;

	i = (i ^ i >> 32) & (o->cap - 1);
	while (o->slot[i].key && o->slot[i].key != key)
		i = (i + 1) & (o->cap - 1);
	return &o->slot[i];
}

/* The element at "at", made if it is new; NULL without memory. Good until the
 * next call.
 */
static struct element *element(struct object *o, uint64_t at)
{
	struct object bigger = *o;
	struct element *e;
	size_t i;

	if (4 * (o->n + 1) > 3 * o->cap) {
		bigger.cap = o->cap ? 2 * o->cap : 16;
		bigger.slot = calloc(bigger.cap, sizeof(*bigger.slot));
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

static bool add_task(struct fe_index_interp *in, struct object *o,
	uint64_t at)
{
	size_t cap = in->cap_task ? 2 * in->cap_task : 64;
	struct task *task = in->task;

	if (in->n_task == in->cap_task) {
		task = realloc(task, cap * sizeof(*task));
		if (!task)
			return false;
		in->task = task;
		in->cap_task = cap;
	}
	task[in->n_task++] = (struct task) { o, at };
	return true;
}

/* The value of the element "at" of "o", or nothing yet. */
static struct fe_number value_at(struct fe_index_interp *in,
	struct object *o, uint64_t at)
{
	struct element *e;

	if (o->tensor->is_input)
		return fe_value_load(o->tensor->type, o->data, (int64_t)at,
			in->work->ring);
	e = element(o, at);
	if (e && e->state == KNOWN)
		return e->value;
	in->missing = true;
	if (!e || e->state == WAITING || !add_task(in, o, at))
		in->failed = true;
	return (struct fe_number) { 0 };
}

/* Let "v" of the type "from" be of the type "to". */
static void cast(enum poly_type to, enum poly_type from, struct fe_number *v)
{
	if (to != from)
		*v = fe_value_cast(to, from, v);
}

static struct fe_number eval_read(struct fe_index_interp *in,
	const struct fe_scalar *e)
{
	struct object *o = &in->object[e->tensor->id];
	uint64_t at = 0;
	int d;

	for (d = 0; d < e->n_arg; d++) {
		int64_t i = eval_affine(in, e->arg[d]) - o->first[d];

		if (i < 0 || i >= o->size[d]) {
			in->failed = true;
			return (struct fe_number) { 0 };
		}
		at = at * (uint64_t)o->size[d] + (uint64_t)i;
	}
	return value_at(in, o, at);
}

/* The value that "e" reads, as one of "type". */
static struct fe_number read_as(struct fe_index_interp *in,
	const struct fe_scalar *e, enum poly_type type)
{
	struct fe_number v = eval_read(in, e);

	cast(type, e->tensor->type, &v);
	return v;
}

/* ---------------------------------------------------------- expressions */

/* Reduce "e" over the index "i" and those behind it, where the conditions of
 * "scope" hold.
 */
static void reduce(struct fe_index_interp *in, struct fe_sum *s,
	const struct fe_scope *scope, const struct fe_index *i,
	const struct fe_scalar *e)
{
	const struct fe_scalar *c;
	int64_t first, last, k;
	struct fe_number x;

	if (in->failed)
		return;
	if (i) {
		range_of(in, i, &first, &last);
		for (k = first; k <= last; k++) {
			work(in, 1);
			in->index[i->slot] = k;
			reduce(in, s, scope, i->next, e);
		}
		return;
	}
	for (c = scope->condition; c; c = c->next)
		if (!holds(in, c))
			return;
	x = eval(in, e);
	cast(s->type, poly_type_compute(e->type), &x);
	fe_sum_add(s, &x);
}

static struct fe_number eval_op(struct fe_index_interp *in,
	const struct fe_scalar *e)
{
	enum poly_type type = poly_type_compute(e->type), arg = type;
	enum poly_type from[3] = { type, type, type };
	bool compare = poly_op_shape(e->op) == POLY_SHAPE_COMPARE;
	struct fe_number x[3] = { { .bound = 0 } };
	int i;

	for (i = 0; i < e->n_arg; i++) {
		x[i] = eval(in, e->arg[i]);
		from[i] = poly_type_compute(e->arg[i]->type);
	}
	if (compare)
		arg = from[0];
	for (i = e->op == POLY_OP_SELECT; i < e->n_arg; i++)
		cast(arg, from[i], &x[i]);
	if (e->op == POLY_OP_SELECT)
		return fe_value_select(type, &x[0], &x[1], &x[2]);
	if (e->n_arg == 3)
		return fe_value_apply3(e->op, arg, x);
	return fe_value_apply(e->op, arg, &x[0], e->n_arg == 2 ? &x[1] :
		NULL);
}

/* The value of "e" in its compute type. */
static struct fe_number eval(struct fe_index_interp *in,
	const struct fe_scalar *e)
{
	enum poly_type type = poly_type_compute(e->type), from;
	struct fe_number v;
	struct fe_sum s;

	if (e->kind == FE_S_NUMBER)
		return fe_value_const(type, e->value, in->work->ring);
	if (e->affine)
		return fe_value_integer(e->type, eval_affine(in, e),
			in->work->ring);
	switch (e->kind) {
	case FE_S_READ:
		return read_as(in, e, type);
	case FE_S_CAST:
		from = poly_type_compute(e->arg[0]->type);
		v = eval(in, e->arg[0]);
		cast(e->type, from, &v);
		cast(type, e->type, &v);
		return v;
	case FE_S_REDUCE:
		fe_sum_begin(&s, e->op, e->type, in->work->ring);
		reduce(in, &s, e->scope, e->scope->first, e->arg[0]);
		return fe_sum_end(&s);
	default:
		work(in, 1);
		return eval_op(in, e);
	}
}

/* ---------------------------------------------------------- definitions */

/* Does "c" hold, as far as it is about the own indices of "t"? */
static bool holds_outside(const struct fe_index_interp *in,
	const struct fe_tensor *t, const struct fe_scalar *c)
{
	if (c->op == POLY_OP_AND)
		return holds_outside(in, t, c->arg[0]) &&
			holds_outside(in, t, c->arg[1]);
	return fe_scalar_mentions(c, &t->scope, t->rank) || holds(in, c);
}

static bool in_domain(const struct fe_index_interp *in,
	const struct fe_tensor *t)
{
	const struct fe_scalar *c;

	for (c = t->scope.condition; c; c = c->next)
		if (!holds_outside(in, t, c))
			return false;
	return true;
}

/* Does the condition "c" hold? The bound is not 0 where rounding decides. */
static struct fe_number eval_condition(struct fe_index_interp *in,
	const struct fe_scalar *c)
{
	bool decides = c->op == POLY_OP_OR;
	struct fe_number a, b;

	if (!c->data)
		return (struct fe_number) { .i = holds(in, c),
			.ring = in->work->ring };
	if (c->asked)
		return (struct fe_number) { .i = compares(in, c),
			.ring = in->work->ring };
	if (!fe_scalar_joins(c))
		return eval(in, c);
	a = eval_condition(in, c->arg[0]);
	if (c->op == POLY_OP_NOT) {
		a.i = !a.i;
		return a;
	}
	b = eval_condition(in, c->arg[1]);
	if (a.bound == 0 && a.i == decides)
		return a;
	if (b.bound == 0 && b.i == decides)
		return b;
	a.i = decides ? a.i | b.i : a.i & b.i;
	a.bound = fmaxl(a.bound, b.bound);
	return a;
}

/* The same for that of a piece: its values count, and may be asked for, only
 * where indices alone do not decide.
 */
static struct fe_number eval_guard(struct fe_index_interp *in,
	const struct fe_scalar *c)
{
	bool may = holds_if(in, c, true);

	if (holds_if(in, c, false) == may)
		return (struct fe_number) { .i = may };
	return eval_condition(in, c);
}

/* The value that the pieces of "t" from "p" on have. */
static struct fe_number eval_pieces(struct fe_index_interp *in,
	const struct fe_tensor *t, const struct fe_piece *p)
{
	enum poly_type type = poly_type_compute(t->type);
	struct fe_number guard = { .i = 1 }, v = { 0 }, other;

	for (; p && p->condition; p = p->next) {
		guard = eval_guard(in, p->condition);
		if (in->missing || in->failed)
			return v;
		if (guard.i || guard.bound != 0)
			break;
	}
	if (!p) {
		in->failed = true;
		return v;
	}
	v = eval(in, p->value);
	cast(type, poly_type_compute(p->value->type), &v);
	if (!p->condition || guard.bound == 0)
		return v;
	other = eval_pieces(in, t, p->next);
	return fe_value_select(type, &guard, &v, &other);
}

/* The value of "e" as it is stored in "type". */
static struct fe_number eval_stored(struct fe_index_interp *in,
	const struct fe_scalar *e, enum poly_type type)
{
	struct fe_number v;

	if (e->kind == FE_S_READ && e->tensor->type == type)
		return eval_read(in, e);
	v = eval(in, e);
	cast(type, poly_type_compute(e->type), &v);
	return v;
}

/* The value of "t" at in->index. */
static struct fe_number eval_tensor(struct fe_index_interp *in,
	const struct fe_tensor *t)
{
	const struct fe_index *i = t->scope.first;
	struct fe_number v = { .ring = in->work->ring };
	enum poly_type type = poly_type_compute(t->type);
	struct fe_sum s;
	int d;

	if (!in_domain(in, t))
		return v;
	if (t->update != POLY_OP_NONE) {
		for (d = 0; d < t->rank; d++)
			i = i->next;
		fe_sum_begin(&s, t->update, t->type, in->work->ring);
		reduce(in, &s, &t->scope, i, t->piece->value);
		v = fe_sum_end(&s);
		type = s.type;
	} else if (t->piece->condition) {
		v = eval_pieces(in, t, t->piece);
	} else {
		return eval_stored(in, t->piece->value, t->type);
	}
	cast(t->type, type, &v);
	return v;
}

/* ------------------------------------------------------------------ calls */

static uint64_t count_elements(const struct object *o)
{
	uint64_t n = 1;
	int d;

	for (d = 0; d < o->tensor->rank; d++)
		n *= (uint64_t)o->size[d];
	return n;
}

/* Give the nest what the tensor "o" holds as its variable "v". Without "give",
 * only note what is missing.
 */
static void give(struct fe_index_interp *in, struct call *c,
	const struct fe_c_var *v, struct object *o, bool give)
{
	uint64_t n = count_elements(o), at;
	struct fe_number x;

	for (at = 0; at < n && !in->failed; at++) {
		x = value_at(in, o, at);
		if (give && !fe_c_interp_put(c->nest, v, (int64_t)at, &x))
			in->failed = true;
	}
}

static void give_all(struct fe_index_interp *in, struct call *c, bool all)
{
	const struct fe_c_var *v;
	const struct fe_arg *a;

	for (v = c->of->unit->c->var; v; v = v->next) {
		a = fe_call_arg(c->of, v);
		if (a && v->used)
			give(in, c, v, &in->object[a->from->id], all);
	}
}

/* Execute the call, unless something is missing. */
static void execute(struct fe_index_interp *in, struct call *c)
{
	give_all(in, c, false);
	in->failed |= !fe_c_interp_affords(c->nest);
	if (in->missing || in->failed)
		return;
	fe_c_interp_begin(c->nest);
	give_all(in, c, true);
	if (!in->failed)
		in->failed = !fe_c_interp_run(c->nest);
	c->done = true;
}

/* Element in->index of "t", which a call makes. */
static struct fe_number eval_call(struct fe_index_interp *in,
	const struct fe_tensor *t)
{
	const struct object *o = &in->object[t->id];
	const struct fe_index *i = t->scope.first;
	struct call *c = in->call;
	const struct fe_c_var *v;
	int64_t at = 0;
	int d;

	while (c->of != t->call)
		c++;
	if (!c->done)
		execute(in, c);
	for (d = 0; d < t->rank; d++, i = i->next)
		at = at * o->size[d] + in->index[i->slot] - o->first[d];
	for (v = t->call->unit->c->var; v; v = v->next) {
		const struct fe_arg *a = fe_call_arg(t->call, v);

		if (c->done && !in->failed && a && a->to == t && v->used)
			return fe_c_interp_get(c->nest, v, at);
	}
	return (struct fe_number) { 0 };
}

/* ------------------------------------------------------------------ tasks */

/* Set the indices of "o" for the element "at". */
static void set_indices(struct fe_index_interp *in, const struct object *o,
	uint64_t at)
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

/* Evaluate the element of the last task, or add what it needs. */
static void run_task(struct fe_index_interp *in)
{
	struct task t = in->task[in->n_task - 1];
	struct element *e = element(t.object, t.at);
	struct fe_number v;

	if (!e || e->state == KNOWN) {
		in->failed = !e;
		in->n_task--;
		return;
	}
	e->state = WAITING;
	set_indices(in, t.object, t.at);
	in->missing = false;
	work(in, ELEMENT_COST);
	v = t.object->tensor->call ? eval_call(in, t.object->tensor) :
		eval_tensor(in, t.object->tensor);
	if (in->missing || in->failed)
		return;
	e = element(t.object, t.at);
	if (!e) {
		in->failed = true;
		return;
	}
	e->value = v;
	e->state = KNOWN;
	in->n_task--;
}

/* Nothing waits any more, so that other elements may be evaluated. */
static void give_up(struct fe_index_interp *in)
{
	struct task *t;

	for (; in->n_task; in->n_task--) {
		t = &in->task[in->n_task - 1];
		if (t->object->cap && find(t->object, t->at + 1)->state ==
		    WAITING)
			find(t->object, t->at + 1)->state = UNKNOWN;
	}
	in->failed = false;
}

/* The element "at" of "o"; false if it cannot be evaluated. */
static bool evaluate(struct fe_index_interp *in, struct object *o,
	uint64_t at, struct fe_number *v)
{
	in->n_task = 0;
	if (in->failed)
		return false;
	if (!o->tensor->is_input) {
		if (!add_task(in, o, at))
			return false;
		while (in->n_task && !in->failed)
			run_task(in);
	}
	if (!in->failed)
		*v = value_at(in, o, at);
	if (!in->work->spent)
		return !in->failed;
	give_up(in);
	return false;
}

/* ------------------------------------------------------------ interface */

/* Set the box of the tensor "t". */
static void set_box(struct fe_index_interp *in, const struct fe_tensor *t)
{
	struct object *o = &in->object[t->id];
	const struct fe_index *i = t->scope.first;
	int64_t last;
	int d;

	o->tensor = t;
	for (d = 0; d < t->rank; d++, i = i->next) {
		range_of(in, i, &o->first[d], &last);
		o->size[d] = last < o->first[d] ? 0 : last - o->first[d] + 1;
	}
}

/* Interpreters of the calls; false without memory. */
static bool add_calls(struct fe_index_interp *in)
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
			size[i] = in->param[fe_call_size(in->unit, nest->size[i])];
		in->call[in->n_call].of = c;
		in->call[in->n_call].nest = fe_c_interp_alloc(c->unit, size,
			in->work);
		good = in->call[in->n_call].nest != NULL;
	}
	free(size);
	return good;
}

struct fe_index_interp *fe_index_interp_alloc(const struct fe_unit *u,
	const int64_t *param, struct fe_work *work)
{
	struct fe_index_interp *in = calloc(1, sizeof(*in));
	const struct fe_param *p;
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
	if (!in->param || !in->object || !in->index)
		return fe_index_interp_free(in);
	for (p = u->param; p; p = p->next) {
		in->param[p->index] = p->fixed ? p->value : param[p->index];
		if (in->param[p->index] < 0)
			return fe_index_interp_free(in);
	}
	for (i = 0; i < u->n_input; i++)
		set_box(in, u->in[i]);
	for (t = u->sorted; t; t = t->order_next)
		set_box(in, t);
	return add_calls(in) ? in : fe_index_interp_free(in);
}

struct fe_index_interp *fe_index_interp_free(struct fe_index_interp *in)
{
	int i;

	if (!in)
		return NULL;
	for (i = 0; in->object && i < in->unit->n_tensor; i++)
		free(in->object[i].slot);
	for (i = 0; i < in->n_call; i++)
		fe_c_interp_free(in->call[i].nest);
	free(in->call);
	free(in->object);
	free(in->index);
	free(in->task);
	free(in->param);
	free(in);
	return NULL;
}

bool fe_index_interp_set(struct fe_index_interp *in, const char *name,
	const void *data)
{
	const struct fe_unit *u = in->unit;
	int i, k;

	for (i = 0; i < u->n_input; i++) {
		if (strcmp(u->in[i]->name, name))
			continue;
		in->object[u->in[i]->id].data = data;
		for (k = 0; k < in->n_call; k++)
			in->call[k].done = false;
		return true;
	}
	return false;
}

/* What has the name "name", the newest version of it. */
static struct object *find_object(struct fe_index_interp *in,
	const char *name)
{
	int i;

	for (i = in->unit->n_tensor - 1; i >= 0; i--)
		if (in->object[i].tensor->name &&
		    !strcmp(in->object[i].tensor->name, name))
			return &in->object[i];
	return NULL;
}

int fe_index_interp_shape(struct fe_index_interp *in, const char *name,
	int64_t dim[FE_MAX_DIM])
{
	const struct object *o = find_object(in, name);

	if (!o)
		return -1;
	memcpy(dim, o->size, sizeof(o->size));
	return o->tensor->rank;
}

static bool has_inputs(const struct fe_index_interp *in)
{
	const struct fe_unit *u = in->unit;
	int i;

	for (i = 0; i < u->n_input; i++)
		if (u->in[i]->is_read && !in->object[u->in[i]->id].data)
			return false;
	return true;
}

bool fe_index_interp_eval(struct fe_index_interp *in, const char *name,
	const int64_t *index, struct fe_value *v)
{
	struct object *o = find_object(in, name);
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
	if (!evaluate(in, o, at, &x))
		return false;
	fe_value_result(o->tensor->type, &x, v);
	return true;
}

/* --------------------------------------------------------------- the cost */

/* The number of elements in the box of the indices from "i" on. */
static double count_box(const struct fe_index_interp *in,
	const struct fe_index *i)
{
	int64_t first, last;
	double n = 1;

	for (; i; i = i->next) {
		range_of(in, i, &first, &last);
		n *= last < first ? 0 : (double)(last - first + 1);
	}
	return n;
}

/* Counts the operations of an expression, reductions by their boxes. */
static double count(const struct fe_index_interp *in,
	const struct fe_scalar *e)
{
	double n = e->kind == FE_S_OP || e->kind == FE_S_REDUCE;
	int k;

	for (k = 0; e->kind != FE_S_READ && !e->affine && k < e->n_arg; k++)
		n += count(in, e->arg[k]);
	return e->scope ? n * count_box(in, e->scope->first) : n;
}

/* Those of an element of "t", or of one more term of it. */
static double count_element(const struct fe_index_interp *in,
	const struct fe_tensor *t)
{
	const struct fe_piece *p;
	double n = 0;

	for (p = t->piece; p; p = p->next)
		n = fmax(n, count(in, p->value));
	for (p = t->piece; p; p = p->next)
		if (p->condition && p->condition->data)
			n += count(in, p->condition);
	return fmax(n + (t->update != POLY_OP_NONE), 1);
}

/* Of a product, as of any sum of terms, two operations a term. */
double fe_index_interp_cost(struct fe_index_interp *in)
{
	const struct fe_tensor *t;
	double cost = 0;
	int k;

	for (t = in->unit->sorted; t; t = t->order_next)
		if (t->live && !t->call)
			cost += count_element(in, t) *
				count_box(in, t->scope.first);
	for (k = 0; k < in->n_call; k++)
		cost += fe_c_interp_cost(in->call[k].nest);
	return cost;
}
