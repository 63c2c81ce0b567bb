/* The interpreter of index notation: expressions and conditions.
 *
 * It computes each element by its definition, without a schedule and without
 * isl: the reference that compiled programs are compared with. Values carry a
 * bound of their rounding error (fe_number); what cannot be told for rounding
 * has an infinite one.
 */
#include <math.h>
#include <string.h>

#include "frontend/index/interp_index.h"

/* ------------------------------------------------------------- numbers */

/* The value of the affine expression "e".
 *
 * Indices have their values in "in", by their slots. No overflow is possible:
 * the check has bounded all positions.
 */
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

/* Does the comparison "c" of affine expressions hold? It has no type.
 *
 * Four comparisons, as conditions have.
 */
static bool compares(const struct fe_index_interp *in,
	const struct fe_scalar *c)
{
	int64_t a = eval_affine(in, c->arg[0]), b = eval_affine(in, c->arg[1]);

	return c->op == POLY_OP_LT ? a < b : c->op == POLY_OP_LE ? a <= b :
		c->op == POLY_OP_EQ ? a == b : a != b;
}

/* Does "c" hold if all that values decide is "data"?
 *
 * Joins stop early, as && and || do.
 */
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

/* For conditions that values decide, false. */
bool fe_interp_holds(const struct fe_index_interp *in,
	const struct fe_scalar *c)
{
	return holds_if(in, c, false);
}

/* Empty if *first > *last. */
void fe_interp_range(const struct fe_index_interp *in,
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

/* ---------------------------------------------------------------- reads */

/* To the same type nothing is done. */
void fe_interp_cast(enum poly_type to, enum poly_type from, struct fe_number *v)
{
	if (to != from)
		*v = fe_value_cast(to, from, v);
}

/* An i64. One that comes out of data has the bound of what it was made of. */
struct fe_number fe_interp_position(struct fe_index_interp *in,
	const struct fe_scalar *e)
{
	struct fe_number v;

	if (e->affine)
		return (struct fe_number) { .i = eval_affine(in, e) };
	v = fe_interp_scalar(in, e);
	fe_interp_cast(POLY_I64, poly_type_compute(e->type), &v);
	return v;
}

/* Outside of the tensor a gather gives 0, and anything else is a failure of the
 * check. A position that rounding may have changed reads an element that may be
 * the wrong one: the bound is infinite.
 */
struct fe_number fe_interp_read(struct fe_index_interp *in,
	const struct fe_scalar *e)
{
	struct fe_interp_object *o = &in->object[e->tensor->id];
	bool gathers = false, open = false, inside = true;
	struct fe_number v = { .ring = in->work->ring };
	uint64_t at = 0;
	int d;

	for (d = 0; d < e->n_arg && !in->failed; d++) {
		struct fe_number i = fe_interp_position(in, e->arg[d]);

		gathers |= !e->arg[d]->affine;
		open |= i.bound != 0;
		i.i -= o->first[d];
		inside &= i.i >= 0 && i.i < o->size[d];
		at = at * (uint64_t)o->size[d] + (uint64_t)i.i;
	}
	in->failed |= !inside && !gathers;
	/* all that is missing is asked for at once, but for what that would tell */
	if (!inside || in->failed || (gathers && in->missing))
		return v;
	v = fe_interp_value(in, o, at);
	if (open && !v.ring)
		v.bound = INFINITY;
	return v;
}

/* The value that "e" reads, as one of "type".
 *
 * "type" is the computing type of the reader.
 */
static struct fe_number read_as(struct fe_index_interp *in,
	const struct fe_scalar *e, enum poly_type type)
{
	struct fe_number v = fe_interp_read(in, e);

	fe_interp_cast(type, e->tensor->type, &v);
	return v;
}

/* ---------------------------------------------------------- expressions */

static bool all_hold(const struct fe_index_interp *in,
	const struct fe_scalar *c)
{
	for (; c; c = c->next)
		if (!fe_interp_holds(in, c))
			return false;
	return true;
}

/* Is "e" a float of 8 bits, converted or not? */
static bool is_short(const struct fe_scalar *e)
{
	while (e->kind == FE_S_CAST && poly_type_is_float(e->type) &&
	    poly_type_size(e->type) > 1)
		e = e->arg[0];
	return poly_type_is_float(e->type) && poly_type_size(e->type) == 1;
}

/* Is "e" a product of two such, whose sums some units cut (polyir/cost/work.c)? */
static bool is_short_product(const struct fe_scalar *e)
{
	return e->kind == FE_S_OP && e->op == POLY_OP_MUL &&
		is_short(e->arg[0]) && is_short(e->arg[1]);
}

/* Recursive over the indices of the scope, the outermost first; "i" is NULL
 * inside of all. Work is counted, so that endless evaluations can be stopped.
 */
void fe_interp_reduce(struct fe_index_interp *in, struct fe_sum *s,
	const struct fe_scope *scope, const struct fe_index *i,
	const struct fe_scalar *e)
{
	int64_t first, last, k;
	struct fe_number x;

	if (in->failed)
		return;
	if (i) {
		fe_interp_range(in, i, &first, &last);
		for (k = first; k <= last; k++) {
			fe_interp_work(in, 1);
			in->index[i->slot] = k;
			fe_interp_reduce(in, s, scope, i->next, e);
		}
		return;
	}
	if (!all_hold(in, scope->condition))
		return;
	s->cut = in->work->relaxed && is_short_product(e);
	x = fe_interp_scalar(in, e);
	fe_interp_cast(s->type, poly_type_compute(e->type), &x);
	fe_sum_add(s, &x);
}

/* Where the value of the reduction "e" is.
 *
 * argmax and argmin: the first position of the extreme; -1 if there is none.
 * NaNs are skipped, as they equal nothing.
 */
static struct fe_number eval_place(struct fe_index_interp *in,
	const struct fe_scalar *e)
{
	enum poly_type type = poly_type_compute(e->arg[0]->type);
	const struct fe_index *i = e->scope->first;
	bool ring = in->work->ring, any = false;
	struct fe_number best = { .bound = 0 };
	struct fe_number at = fe_value_integer(POLY_I64, -1, ring);
	int64_t first, last, k;

	fe_interp_range(in, i, &first, &last);
	for (k = first; k <= last && !in->failed; k++) {
		struct fe_number x, here, less;

		fe_interp_work(in, 1);
		in->index[i->slot] = k;
		if (!all_hold(in, e->scope->condition))
			continue;
		x = fe_interp_scalar(in, e->arg[0]);
		here = fe_value_integer(POLY_I64, k, ring);
		if (!fe_value_apply(POLY_OP_EQ, type, &x, &x).i)
			continue;
		if (!any) {
			any = true;
			best = x;
			at = here;
			continue;
		}
		less = e->op == POLY_OP_MAX ?
			fe_value_apply(POLY_OP_LT, type, &best, &x) :
			fe_value_apply(POLY_OP_LT, type, &x, &best);
		at = fe_value_select(POLY_I64, &less, &here, &at);
		best = fe_value_select(type, &less, &x, &best);
	}
	return at;
}

/* Count one more value of what "c" counts; how often it was there before. Values that
 * are too large, or negative, share a place: they are no digits, and are not used.
 */
static int64_t count_one(struct fe_index_interp *in, struct fe_interp_earlier *c)
{
	struct fe_number x = fe_interp_scalar(in, c->of->arg[0]);
	bool fits = x.i >= 0 && x.i < FE_MOST_EARLIER;

	in->failed |= !fits && !in->missing;
	return fits ? c->count[x.i]++ : 0;
}

/* How often what the EARLIER "e" counts is the same in front of the index that it counts
 * along. Mostly the index is the next one, so that the counts are there.
 */
static struct fe_number eval_earlier(struct fe_index_interp *in,
	const struct fe_scalar *e)
{
	struct fe_interp_earlier *c = &in->earlier;
	int slot = e->arg[2]->index->slot;
	int64_t *index = &in->index[slot], own = *index, n = 0;
	int64_t first = own - own % (int64_t)e->arg[1]->value;

	if (c->of != e || c->next != own || own == first ||
	    memcmp(c->outer, in->index, (size_t)slot * sizeof(*index))) {
		memset(c, 0, sizeof(*c));
		c->of = e;
		memcpy(c->outer, in->index, (size_t)slot * sizeof(*index));
		for (*index = first; *index < own && !in->missing &&
		     !in->failed; ++*index) {
			fe_interp_work(in, 1);
			count_one(in, c);
		}
		*index = own;
	}
	if (!in->missing)
		n = count_one(in, c);
	c->next = own + 1;
	if (in->missing)
		c->of = NULL;
	return fe_value_integer(POLY_I32, n, in->work->ring);
}

/* The operation "e", in the type that its values are computed in; a comparison,
 * in that of its operands. The condition of a selection is a bool already.
 *
 * Operands are converted to one type first; which, type.c has decided.
 */
static struct fe_number eval_op(struct fe_index_interp *in,
	const struct fe_scalar *e)
{
	enum poly_type type = poly_type_compute(e->type), arg = type;
	enum poly_type from[3] = { type, type, type };
	bool compare = poly_op_shape(e->op) == POLY_SHAPE_COMPARE;
	struct fe_number x[3] = { { .bound = 0 } };
	int i;

	if (e->op == POLY_OP_EARLIER)
		return eval_earlier(in, e);
	for (i = 0; i < e->n_arg; i++) {
		x[i] = fe_interp_scalar(in, e->arg[i]);
		from[i] = poly_type_compute(e->arg[i]->type);
	}
	if (compare)
		arg = from[0];
	for (i = poly_op_shape(e->op) == POLY_SHAPE_SELECT; i < e->n_arg; i++)
		fe_interp_cast(arg, from[i], &x[i]);
	if (poly_op_shape(e->op) == POLY_SHAPE_SELECT)
		return fe_value_select(type, &x[0], &x[1], &x[2]);
	if (e->n_arg == 3)
		return fe_value_apply3(e->op, arg, x);
	return fe_value_apply(e->op, arg, &x[0], e->n_arg == 2 ? &x[1] :
		NULL);
}

/* The value in the computing type of "e". */
struct fe_number fe_interp_scalar(struct fe_index_interp *in,
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
		v = fe_interp_scalar(in, e->arg[0]);
		if (e->bits)
			return fe_value_bits(from, &v);
		fe_interp_cast(e->type, from, &v);
		fe_interp_cast(type, e->type, &v);
		return v;
	case FE_S_REDUCE:
		if (e->place)
			return eval_place(in, e);
		fe_sum_begin(&s, e->op, e->type, in->work->ring);
		fe_interp_reduce(in, &s, e->scope, e->scope->first, e->arg[0]);
		return fe_sum_end(&s);
	default:
		fe_interp_work(in, 1);
		return eval_op(in, e);
	}
}

/* ----------------------------------------------------------- conditions */

/* Does the condition "c" hold? The bound is not 0 where rounding decides.
 *
 * AND and OR of a decided side need not know the other: 0 and x is 0, whatever
 * the bound of x.
 */
static struct fe_number eval_condition(struct fe_index_interp *in,
	const struct fe_scalar *c)
{
	bool decides = c->op == POLY_OP_OR;
	struct fe_number a, b;

	if (!c->data)
		return (struct fe_number) { .i = fe_interp_holds(in, c),
			.ring = in->work->ring };
	if (c->asked)
		return (struct fe_number) { .i = compares(in, c),
			.ring = in->work->ring };
	if (!fe_scalar_joins(c))
		return fe_interp_scalar(in, c);
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

/* First without any data: if it holds, or fails, whatever these are, no value
 * is read.
 */
struct fe_number fe_interp_guard(struct fe_index_interp *in,
	const struct fe_scalar *c)
{
	bool may = holds_if(in, c, true);

	if (holds_if(in, c, false) == may)
		return (struct fe_number) { .i = may };
	return eval_condition(in, c);
}
