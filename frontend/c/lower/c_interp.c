/* The reference interpreter of C nests: executes the tree in the order of the
 * text, with C's types, each operation rounded once and nothing fused. It knows
 * nothing of isl, nor of what is rewritten for the lowering: bounds, subscripts
 * and conditions are evaluated as they were written, each time.
 *
 * Beside each float stands a bound of what correct programs may make of it
 * (value.h), and integers are certain or in doubt. Where a condition is in
 * doubt both branches are executed, and what they assign covers what was there
 * before, too. Of these, "live" is what the values in the program's own types
 * lead to.
 *
 * Where it is in doubt if a loop is left, by a "break" or its own condition, the loop goes
 * on, up to where it ends for sure. From there on all that the loop assigns covers what
 * was there before, since the loop may have been left:
 *
 *	for (i < 4) {			s is what it was at the first of both exits,
 *		s = s * .5 + 1;		or what it is at the end
 *		if (s < t) break;
 *	}
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/c/lower/c_interp.h"

/* -------------------------------------------------------------- statements */

static void run(struct fe_c_interp *in, const struct fe_c_stmt *s);

/* What the variable of the loop is in the turn behind that of "i". What a turn adds may
 * be known by now only.
 *
 * The sign is that of "i += by" or "i -= by"; or it is multiplied, in 64 bits.
 */
static struct fe_c_integer next_turn(struct fe_c_interp *in, const struct fe_c_stmt *s,
	struct fe_c_integer i)
{
	struct fe_c_integer by;

	if (s->step)
		return (struct fe_c_integer) { i.i + s->step, i.doubt };
	by = fe_c_interp_integer(in, s->by);
	i.doubt |= by.doubt;
	if (!s->scales) {
		i.i = s->down ? i.i - by.i : i.i + by.i;
		return i;
	}
	switch (s->scale) {
	case POLY_OP_MUL:
		i.i = (int64_t)((uint64_t)i.i * (uint64_t)by.i);
		break;
	case POLY_OP_DIV:
		i.i = s->var->type == POLY_U64 ?
			(int64_t)((uint64_t)i.i / (uint64_t)by.i) : i.i / by.i;
		break;
	case POLY_OP_SHL:
		i.i = (int64_t)((uint64_t)i.i << by.i);
		break;
	default:
		i.i = s->var->type == POLY_U64 ?
			(int64_t)((uint64_t)i.i >> by.i) : i.i >> by.i;
		break;
	}
	return i;
}

/* The variable of a loop, or another one that counts, becomes "k" in its type. */
static void set_counter(struct fe_c_interp *in, const struct fe_c_var *v,
	struct fe_c_integer k)
{
	struct fe_c_store *to = &in->store[v->id];

	to->scalar = fe_c_wrap(v->type, k.i);
	to->lost = k.doubt;
}

/* It was "old", and what has changed it may not have happened, or has not if not "live". */
static void cover_counter(struct fe_c_store *v, struct fe_c_integer old, bool live)
{
	v->lost |= old.doubt || v->scalar != old.i;
	if (!live)
		v->scalar = old.i;
}

/* Nothing is known of what the statements write. */
static void forget(struct fe_c_interp *in, const struct fe_c_stmt *s)
{
	for (; s; s = s->next) {
		if (s->kind == FE_C_ASSIGN)
			in->store[s->left->var->id].lost = true;
		if (s->kind == FE_C_FOR)
			in->store[s->var->id].lost = true;
		forget(in, s->body);
		forget(in, s->otherwise);
	}
}

/* The loop may be left here, and is if "now": what comes behind, up to where it ends, may
 * happen or not.
 *
 * Its variable is in the end what it is where the loop is left by what is live.
 */
static void leave(struct fe_c_interp *in, bool now)
{
	in->left = in->doubt = true;
	if (!in->live || !now)
		return;
	in->last = in->counter->scalar;
	in->gone = true;
	in->live = false;
}

/* So many turns are looked at that nobody knows to happen, when the loop may never end. */
enum { MOST_TURNS = 100 };

/* Is there another turn of the loop "s"? If that is in doubt, there is, and what it does
 * may not happen. Behind "n" such turns, which it counts, all is possible.
 */
static bool goes_on(struct fe_c_interp *in, const struct fe_c_stmt *s, int *n)
{
	struct fe_c_integer c = fe_c_interp_truth(in, s->cond);

	if (!c.doubt)
		return c.i;
	leave(in, !c.i);
	if (in->live || (*n)++ < MOST_TURNS)
		return true;
	forget(in, s->body);
	return false;
}

/* Execute the loop "s" to its end or to a "break", which ends this loop only.
 * Each turn counts as an operation, so that a loop without end exhausts what is
 * allowed.
 *
 * The variable is wrapped to its type at each turn, as C does for types without
 * a sign.
 */
static void run_turns(struct fe_c_interp *in, const struct fe_c_stmt *s)
{
	struct fe_c_store *v = in->counter;
	int n = 0;

	set_counter(in, s->var, fe_c_interp_integer(in, s->right));
	while (!in->failed && goes_on(in, s, &n)) {
		in->failed |= !fe_work_do(in->work, 1);
		run(in, s->body);
		if (in->broken)
			break;
		set_counter(in, s->var, next_turn(in, s,
			(struct fe_c_integer) { v->scalar, v->lost }));
	}
	if (in->gone)
		v->scalar = in->last;
	v->lost |= in->left;
}

/* A "break" that was met is used up here, and the doubt that one left. */
static void run_loop(struct fe_c_interp *in, const struct fe_c_stmt *s)
{
	struct fe_c_store *v = &in->store[s->var->id];
	const struct fe_c_integer old = { v->scalar, v->lost };
	const struct fe_c_interp before = *in;

	in->counter = v;
	in->own_doubt = in->left = in->gone = in->broken = false;
	run_turns(in, s);
	in->broken = false;
	in->own_doubt = before.own_doubt;
	in->left = before.left;
	in->gone = before.gone;
	in->live = before.live;
	in->doubt = before.doubt;
	in->last = before.last;
	in->counter = before.counter;
	if (in->doubt)
		cover_counter(v, old, in->live);
}

/* Under a condition in doubt the loop may be left. Any other "break" ends it, for all that
 * did not leave it before.
 */
static void run_break(struct fe_c_interp *in)
{
	if (in->own_doubt)
		leave(in, true);
	else
		in->broken = true;
}

/* What element "at" gets by the assignment "s". Nothing else sees a variable
 * that is declared where all is in doubt, or read where the condition holds only.
 *
 * In doubt the new value covers the old one, too: "bound = INFINITY" makes the
 * choice one that may go either way. Which of them is the value is what "live"
 * says.
 */
static struct fe_number assigned(struct fe_c_interp *in,
	const struct fe_c_stmt *s, const struct fe_c_store *to, int64_t at)
{
	const struct fe_number cond = { .i = in->live, .bound = INFINITY };
	struct fe_number v = fe_c_interp_value(in, s->right), old;

	if (!in->doubt || s->declares || s->hidden ||
	    s->left->var->use == FE_C_ALIAS)
		return v;
	old = fe_c_load(s->left->type, to, at);
	return fe_value_select(s->left->type, &cond, &v, &old);
}

/* "e" without casts around it.
 *
 * Casts matter for values, not for the form of the assignment.
 */
static const struct fe_c_expr *bare(const struct fe_c_expr *e)
{
	while (e->kind == FE_C_CAST)
		e = e->arg[0];
	return e;
}

/* Is the value of "s" its left side "op" "e", or the other way round?
 *
 *	x = x + e	x = e * x	x = x - e
 *
 * "x - e" is the only form of a difference: e - x is no update.
 */
static bool is_made_of(const struct fe_c_stmt *s, const struct fe_c_expr *e,
	enum poly_op op)
{
	const struct fe_c_expr *value = bare(s->right);
	int i;

	if (value->kind != FE_C_OP || value->op != op)
		return false;
	i = value->arg[1] == e ? 0 : 1;
	return value->arg[!i] == e && (op != POLY_OP_SUB || i == 0) &&
		fe_c_same(bare(value->arg[i]), s->left);
}

/* If "s" is x += e, -= or *= of a float that does happen: what x is updated
 * with, by "op".
 *
 * An update of a float is kept as a running sum or product, whose bound is that
 * of a reduction in any order.
 */
static bool is_update(struct fe_c_interp *in, const struct fe_c_stmt *s,
	enum poly_op *op, struct fe_number *x)
{
	enum poly_type t = s->left->type;
	const struct fe_c_expr *e;

	if (!poly_type_is_float(t) || in->doubt || in->work->ring)
		return false;
	e = fe_c_update(s, op);
	if (!e || (*op != POLY_OP_ADD && *op != POLY_OP_SUB &&
	    *op != POLY_OP_MUL) || !is_made_of(s, e, *op))
		return false;
	*x = fe_c_interp_real(in, e);
	if (*op == POLY_OP_SUB) {
		*x = fe_value_apply(POLY_OP_NEG, t, x, NULL);
		*op = POLY_OP_ADD;
	}
	return true;
}

/* Does the place to write to depend on data? */
static bool is_scattered(const struct fe_c_expr *e)
{
	int i;

	if (e->kind == FE_C_ELEMENT || (e->kind == FE_C_VAR &&
	    e->var->use == FE_C_CELL && !e->var->n_dim))
		return true;
	for (i = 0; i < 3 && e->arg[i]; i++)
		if (is_scattered(e->arg[i]))
			return true;
	return false;
}

/* Nothing is written outside. Where the place is data that is allowed, where it
 * is not the nest is wrong.
 *
 * An access that is affine has been proved in bounds for all sizes that are
 * right.
 */
static void leave_out(struct fe_c_interp *in, const struct fe_c_stmt *s)
{
	int i;

	for (i = 0; i < s->left->n_index; i++)
		if (is_scattered(s->left->index[i]))
			return;
	in->failed |= in->live;
	in->store[s->left->var->id].lost = true;
}

/* A variable that counts gets the value of "s"; it covers the old one as assigned() does. */
static void assign_counter(struct fe_c_interp *in, const struct fe_c_stmt *s)
{
	struct fe_c_store *to = &in->store[s->left->var->id];
	const struct fe_c_integer old = { to->scalar, to->lost };

	set_counter(in, s->left->var, fe_c_interp_integer(in, s->right));
	if (in->doubt && !s->declares && !s->hidden)
		cover_counter(to, old, in->live);
}

/* Variables of loops are integers in the store; other variables have data,
 * unless the lowering drops them and nothing reads them.
 */
void fe_c_interp_assign(struct fe_c_interp *in, const struct fe_c_stmt *s)
{
	struct fe_c_store *to = &in->store[s->left->var->id];
	enum poly_type t = s->left->type;
	struct fe_number v;
	enum poly_op op;
	int64_t at;

	if (to->counts)
		assign_counter(in, s);
	if (to->counts || !to->data)
		return;
	in->failed |= !fe_work_do(in->work, 1);
	/* Negative positions stand for one outside. */
	at = fe_c_interp_position(in, s->left, &to->lost);
	if (at < 0)
		leave_out(in, s);
	else if (is_update(in, s, &op, &v))
		in->failed |= !fe_c_save_update(t, to, at, op, &v);
	else {
		v = assigned(in, s, to, at);
		fe_c_interp_allow_scan(in, s, &v);
		in->failed |= !fe_c_save(t, to, at, &v);
	}
}

/* Where the condition is in doubt, each branch may be executed or not.
 *
 * "live" marks the branch that the values take; both are executed.
 */
static void run_if(struct fe_c_interp *in, const struct fe_c_stmt *s)
{
	struct fe_c_integer c = fe_c_interp_truth(in, s->cond);
	bool live = in->live, doubt = in->doubt, own = in->own_doubt;

	if (!c.doubt) {
		run(in, c.i ? s->body : s->otherwise);
		return;
	}
	in->doubt = in->own_doubt = true;
	in->live = live && c.i;
	run(in, s->body);
	in->live = live && !c.i;
	run(in, s->otherwise);
	in->live = live && !in->gone;
	in->doubt = doubt || in->left;
	in->own_doubt = own;
}

/* Execute the list "s" in its order, until something fails or a "break" leaves
 * the innermost loop.
 *
 * "broken" is seen by all lists up to the loop's, which run no further.
 */
static void run(struct fe_c_interp *in, const struct fe_c_stmt *s)
{
	for (; s && !in->failed && !in->broken; s = s->next) {
		switch (s->kind) {
		case FE_C_ASSIGN:
			fe_c_interp_assign(in, s);
			break;
		case FE_C_FOR:
			run_loop(in, s);
			break;
		case FE_C_IF:
			run_if(in, s);
			break;
		case FE_C_BLOCK:
			run(in, s->body);
			break;
		case FE_C_BREAK:
			run_break(in);
			break;
		}
	}
}

/* "written" is the tree as it was read, before it was rewritten for the
 * lowering.
 */
bool fe_c_interp_run(struct fe_c_interp *in)
{
	run(in, in->unit->c->written);
	in->done = true;
	return !in->failed;
}
