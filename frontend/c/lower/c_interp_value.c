/* The interpreter of C nests: values of expressions. */
#include <math.h>

#include "frontend/c/lower/c_interp.h"

/* ------------------------------------------------------------- variables */

int64_t fe_c_interp_position(struct fe_c_interp *in, const struct fe_c_expr *e,
	bool *doubt)
{
	const struct fe_c_store *s = &in->store[e->var->id];
	bool flat = e->n_index != e->var->n_dim;
	int64_t row = e->var->has_row ? s->dim[e->var->n_dim - 1] : 1;
	struct fe_c_integer k;
	int64_t at = 0;
	int d;

	for (d = 0; d < e->n_index; d++) {
		int64_t n = !flat ? s->dim[d] : d ? row :
			s->n / (row ? row : 1);

		k = fe_c_interp_integer(in, e->index[d]);
		*doubt |= k.doubt;
		if (k.i < 0 || k.i >= n)
			return -1;
		at = at * n + k.i;
	}
	return at;
}

/* Note that "e" reads outside of its array, the first time: where, in which dimension. */
static void note_outside(struct fe_c_interp *in, const struct fe_c_expr *e)
{
	const struct fe_c_store *s = &in->store[e->var->id];
	bool flat = e->n_index != e->var->n_dim;
	int64_t at, n;

	for (int d = 0; d < e->n_index && !in->outside.name; d++) {
		at = fe_c_interp_integer(in, e->index[d]).i;
		n = flat ? s->n : s->dim[d];
		if (at < 0 || at >= n)
			in->outside = (struct fe_bad_read){ .name =
				e->var->name, .loc = e->loc, .at = at, .dim = d,
				.last = n - 1 };
	}
}

/* The element that "e" names. If its place is certain and outside of the array,
 * the nest fails where the values in the program's own types lead here; if it
 * is in doubt, any value is possible.
 */
static struct fe_number load(struct fe_c_interp *in,
	const struct fe_c_expr *e)
{
	const struct fe_c_store *s = &in->store[e->var->id];
	struct fe_number v = { .bound = INFINITY };
	bool doubt = false;
	int64_t at;

	if (!s->data)
		return v;
	at = fe_c_interp_position(in, e, &doubt);
	if (at < 0) {
		if (in->live && !doubt && !in->failed)
			note_outside(in, e);
		in->failed |= in->live && !doubt;
		return v;
	}
	v = fe_c_load(e->type, s, at);
	if (doubt)
		v.bound = INFINITY;
	return v;
}

/* -------------------------------------------------------------- integers */

static struct fe_c_integer integer_of(const struct fe_number *v)
{
	return (struct fe_c_integer) { v->i, v->bound > 0 };
}

static struct fe_number number_of(const struct fe_c_interp *in,
	struct fe_c_integer k)
{
	return (struct fe_number) { .i = k.i, .ring = in->work->ring,
		.bound = k.doubt ? INFINITY : 0 };
}

struct fe_c_integer fe_c_interp_truth(struct fe_c_interp *in,
	const struct fe_c_expr *e)
{
	struct fe_number v, zero = { 0 };
	struct fe_c_integer k;

	if (poly_type_is_float(e->type)) {
		v = fe_c_interp_real(in, e);
		v = fe_value_apply(POLY_OP_NE, e->type, &v, &zero);
		return integer_of(&v);
	}
	k = fe_c_interp_integer(in, e);
	k.i = k.i != 0;
	return k;
}

/* Is "v" an argument that only statements read whose value nothing reads? The
 * program does not have it then (c_dead.c).
 */
static bool is_left_out(const struct fe_c_var *v)
{
	return v->outer && !v->used && !v->n_dim;
}

/* The value of an integer variable or element. Sizes are certain; so is a loop's variable,
 * unless it is lost. That has its own place in the store, whatever the variable is used
 * for.
 */
static struct fe_c_integer integer_variable(struct fe_c_interp *in,
	const struct fe_c_expr *e)
{
	const struct fe_c_store *s = &in->store[e->var->id];
	struct fe_c_integer k = { s->scalar, s->counts && s->lost };
	struct fe_number v;

	if (e->kind == FE_C_VAR && is_left_out(e->var))
		return (struct fe_c_integer) { e->var->fixed ? e->var->value : 0,
			!e->var->fixed };
	if (e->kind == FE_C_VAR && (e->var->use == FE_C_SIZE ||
	    s->counts))
		return k;
	v = load(in, e);
	return integer_of(&v);
}

/* An operation with an integer result: on integers, or a comparison of floats,
 * which is in doubt if the bounds of the floats allow both answers.
 */
static struct fe_c_integer integer_operation(struct fe_c_interp *in,
	const struct fe_c_expr *e)
{
	enum poly_type t = e->arg[0]->type;
	struct fe_c_integer a, b = { 0, false };
	struct fe_number x, y;

	if (poly_type_is_float(t)) {
		x = fe_c_interp_real(in, e->arg[0]);
		y = fe_c_interp_real(in, e->arg[1]);
		x = fe_value_apply(e->op, t, &x, &y);
		return integer_of(&x);
	}
	a = fe_c_interp_integer(in, e->arg[0]);
	if (e->arg[1])
		b = fe_c_interp_integer(in, e->arg[1]);
	return (struct fe_c_integer) { fe_c_apply(e->op, t, a.i, b.i),
		a.doubt || b.doubt };
}

/* && and ||: "decides" is the value of one side that settles it. */
static struct fe_c_integer logical(struct fe_c_interp *in,
	const struct fe_c_expr *e)
{
	bool decides = e->kind == FE_C_OR, live = in->live, stop;
	struct fe_c_integer a = fe_c_interp_truth(in, e->arg[0]), b;

	stop = a.i == decides;
	if (stop && !a.doubt)
		return a;
	in->live &= !stop;
	b = fe_c_interp_truth(in, e->arg[1]);
	in->live = live;
	if (b.i == decides && !b.doubt)
		return b;
	return (struct fe_c_integer) { stop ? a.i : b.i, a.doubt || b.doubt };
}

/* "c ? a : b" of integers. If the condition is in doubt, both are evaluated and
 * the result is in doubt unless they are certain and equal; the one that is not
 * taken is not "live".
 */
static struct fe_c_integer integer_choice(struct fe_c_interp *in,
	const struct fe_c_expr *e)
{
	struct fe_c_integer c = fe_c_interp_truth(in, e->arg[0]), v, other;
	bool live = in->live;

	v = fe_c_interp_integer(in, e->arg[c.i ? 1 : 2]);
	if (!c.doubt)
		return v;
	in->live = false;
	other = fe_c_interp_integer(in, e->arg[c.i ? 2 : 1]);
	in->live = live;
	v.doubt |= other.doubt || other.i != v.i;
	return v;
}

/* A conversion to an integer type; of a float it is in doubt if its bound
 * allows several results.
 */
static struct fe_c_integer integer_cast(struct fe_c_interp *in,
	const struct fe_c_expr *e)
{
	enum poly_type from = e->arg[0]->type;
	struct fe_number v;
	struct fe_c_integer k;

	if (poly_type_is_float(from)) {
		v = fe_c_interp_real(in, e->arg[0]);
		v = fe_value_cast(e->type, from, &v);
		return integer_of(&v);
	}
	k = fe_c_interp_integer(in, e->arg[0]);
	k.i = fe_c_wrap(e->type, k.i);
	return k;
}

struct fe_c_integer fe_c_interp_integer(struct fe_c_interp *in,
	const struct fe_c_expr *e)
{
	struct fe_c_integer k = { 0, false };

	switch (e->kind) {
	case FE_C_INT:
		k.i = e->bits;
		return k;
	case FE_C_FLOAT:
		return k;
	case FE_C_VAR:
	case FE_C_ELEMENT:
		return integer_variable(in, e);
	case FE_C_OP:
		return integer_operation(in, e);
	case FE_C_AND:
	case FE_C_OR:
		return logical(in, e);
	case FE_C_NOT:
		k = fe_c_interp_truth(in, e->arg[0]);
		k.i = !k.i;
		return k;
	case FE_C_COND:
		return integer_choice(in, e);
	case FE_C_CAST:
		return integer_cast(in, e);
	/* what rewriting makes, in another tree than the one as written */
	case FE_C_LOOP:
	case FE_C_RANGE:
		break;
	}
	return k;
}

/* ---------------------------------------------------------------- floats */

/* An operation on floats with one, two or three arguments, rounded once. */
static struct fe_number real_operation(struct fe_c_interp *in,
	const struct fe_c_expr *e)
{
	struct fe_number a = fe_c_interp_real(in, e->arg[0]), b = { 0 };

	if (!e->arg[1])
		return fe_value_apply(e->op, e->type, &a, NULL);
	b = fe_c_interp_real(in, e->arg[1]);
	if (e->arg[2])
		return fe_value_apply3(e->op, e->type, (struct fe_number[]) {
			a, b, fe_c_interp_real(in, e->arg[2]) });
	return fe_value_apply(e->op, e->type, &a, &b);
}

/* "c ? a : b" of floats. If the condition is in doubt, the bound of the result
 * covers both; the one that is not taken is not "live".
 */
static struct fe_number real_choice(struct fe_c_interp *in,
	const struct fe_c_expr *e)
{
	struct fe_c_integer c = fe_c_interp_truth(in, e->arg[0]);
	struct fe_number cond = number_of(in, c), v[2];
	bool live = in->live;

	v[!c.i] = fe_c_interp_real(in, e->arg[c.i ? 1 : 2]);
	if (!c.doubt)
		return v[!c.i];
	in->live = false;
	v[c.i] = fe_c_interp_real(in, e->arg[c.i ? 2 : 1]);
	in->live = live;
	return fe_value_select(e->type, &cond, &v[0], &v[1]);
}

struct fe_number fe_c_interp_value(struct fe_c_interp *in,
	const struct fe_c_expr *e)
{
	return poly_type_is_float(e->type) ? fe_c_interp_real(in, e) :
		number_of(in, fe_c_interp_integer(in, e));
}

struct fe_number fe_c_interp_real(struct fe_c_interp *in,
	const struct fe_c_expr *e)
{
	struct fe_number v = { 0 };

	switch (e->kind) {
	case FE_C_FLOAT:
		return fe_value_const(e->type, e->value, in->work->ring);
	case FE_C_VAR:
	case FE_C_ELEMENT:
		return load(in, e);
	case FE_C_OP:
		return real_operation(in, e);
	case FE_C_COND:
		return real_choice(in, e);
	case FE_C_CAST:
		v = fe_c_interp_value(in, e->arg[0]);
		return fe_value_cast(e->type, e->arg[0]->type, &v);
	default:
		return v;
	}
}
