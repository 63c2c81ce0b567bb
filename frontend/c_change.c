/* "++" and "--" inside of expressions: in subscripts, and in conditions of loops.
 *
 * In a subscript the variable changes in front of the assignment, or behind it;
 * the assignment must not name it anywhere else:
 *
 *	a[k++] = b[--m];	m--; a[k] = b[m]; k++;
 *
 * The condition of a loop is computed once an iteration, so that its change is
 * the step of the loop; behind it the old value is one more, or one less:
 *
 *	for (i = n; i-- > 0; )		for (i = n - 1; i + 1 > 0; i--)
 *
 * which is simpler as "i >= 0". A variable without a sign has no value in front
 * of 0, to which the last step leads. There another variable, with a sign, is
 * that of the loop, and stands for it in the body; behind the loop it has what
 * that makes of it, whether a "break" ended the loop or not:
 *
 *	for (u = n; u-- > 0; ) a[u] = 0;
 *
 *	for (i = (long)n - 1; i >= 0; i--) a[(unsigned)i] = 0;
 *	u = (unsigned)i;
 */
#include <string.h>

#include "frontend/c_internal.h"

bool fe_c_can_change(const struct fe_c_parse *p)
{
	return p->changes && !p->conditional &&
		(p->changes->anywhere || p->subscripts);
}

struct fe_c_expr *fe_c_change(struct fe_c_parse *p, struct fe_c_expr *e,
	const struct fe_c_token *op, bool before)
{
	struct fe_c_changes *c = p->changes;
	const struct fe_c_token *name = before ? op + 1 : op - 1;

	if (!e)
		return NULL;
	if (e->kind != FE_C_VAR || e->var->is_global || e->var->is_const ||
	    poly_type_is_float(e->type) || e->type == POLY_BOOL ||
	    name->kind != FE_C_NAME || c->n == FE_C_MAX_CHANGES) {
		FE_C_ERROR(p, FE_C_EFFECT, &op->loc);
		return NULL;
	}
	c->item[c->n++] = (struct fe_c_change) { e, name, before,
		fe_c_is(op, "++") };
	return e;
}

/* Is what is changed named once between the beginning and "end"? */
static bool is_once(const struct fe_c_changes *c, int i,
	const struct fe_c_token *end)
{
	const struct fe_c_token *t, *name = c->item[i].name;
	int n = 0;

	for (t = c->begin; t < end; t++)
		n += t->kind == FE_C_NAME && t->len == name->len &&
			!memcmp(t->text, name->text, (size_t)t->len);
	return n == 1;
}

/* "v" plus or minus 1, a new node. */
static struct fe_c_expr *next(struct fe_c_parse *p, struct fe_c_expr *v,
	bool up)
{
	return fe_c_binary(p, up ? POLY_OP_ADD : POLY_OP_SUB, &v->loc, v,
		fe_c_int(p, POLY_I32, 1, &v->loc));
}

static struct fe_c_stmt *step(struct fe_c_parse *p, struct fe_c_var *v,
	bool up, const struct poly_loc *loc)
{
	struct fe_c_stmt *s = fe_c_assign(p, fe_c_scalar(p, v, loc),
		next(p, fe_c_scalar(p, v, loc), up));

	if (s)
		s->loc = *loc;
	return s;
}

struct fe_c_stmt *fe_c_changed(struct fe_c_parse *p, struct fe_c_stmt *s,
	const struct fe_c_changes *c)
{
	struct fe_c_stmt **last, *one;

	for (int i = 0; i < c->n && !p->bad; i++) {
		if (!is_once(c, i, p->t)) {
			FE_C_ERROR(p, FE_C_EFFECT, &c->item[i].name->loc);
			break;
		}
		one = step(p, c->item[i].e->var, c->item[i].up,
			&c->item[i].e->loc);
		if (!one)
			break;
		if (c->item[i].before) {
			one->next = s;
			s = one;
			continue;
		}
		for (last = &s; *last; last = &(*last)->next)
			;
		*last = one;
	}
	return s;
}

/* ------------------------------------------------------------- conditions */

static bool is_read(const struct fe_c_expr *e, const struct fe_c_expr *old)
{
	while (e != old && e->kind == FE_C_CAST)
		e = e->arg[0];
	return e == old;
}

/* The condition that "e", on the value "old" in front of the step, is on "now",
 * the one behind it; or "e" if none is known that is simpler. Down to 0 the
 * loop meets 0, or never ends.
 */
static struct fe_c_expr *on_new_value(struct fe_c_parse *p,
	struct fe_c_expr *e, const struct fe_c_expr *old, bool up,
	struct fe_c_expr *now)
{
	bool sign = e->arg[0] && poly_type_class(e->arg[0]->type) ==
		POLY_CLASS_INT;
	int64_t n = 0;

	if (e->kind == FE_C_AND) {
		e->arg[0] = on_new_value(p, e->arg[0], old, up, now);
		return e;
	}
	if (!up && (is_read(e, old) || (e->kind == FE_C_OP &&
	    e->op == POLY_OP_NE && is_read(e->arg[0], old) &&
	    fe_c_is_zero(e->arg[1]))))
		return fe_c_binary(p, POLY_OP_LE, &e->loc,
			fe_c_int(p, POLY_I32, 0, &e->loc), now);
	if (e->kind != FE_C_OP || e->op != POLY_OP_LT ||
	    !is_read(e->arg[up ? 0 : 1], old))
		return e;
	if (up && sign && e->type == POLY_I32)
		return fe_c_binary(p, POLY_OP_LE, &e->loc, now, e->arg[1]);
	if (!up && (sign || (fe_c_constant(e->arg[0], &n) && n >= 0)))
		return fe_c_binary(p, POLY_OP_LE, &e->loc, sign ? e->arg[0] :
			fe_c_int(p, POLY_I64, n, &e->loc), now);
	return e;
}

/* A variable with a sign that stands for that of "c" from here on. */
static struct fe_c_var *stand_in(struct fe_c_parse *p,
	const struct fe_c_change *c)
{
	struct fe_c_var *v = fe_c_add_var(p, c->e->var->name, POLY_I64,
		&c->e->var->loc);
	struct fe_c_name *n;

	p->depth++;
	n = fe_c_bind(p, c->name);
	p->depth--;
	if (n)
		n->value = fe_c_convert(p, c->e->type,
			fe_c_scalar(p, v, &c->e->loc));
	return n ? v : NULL;
}

/* Of the variable of "c", which begins with the value of "init" and is "v" in
 * the loop: the first value, and the condition.
 */
static void rewrite(struct fe_c_parse *p, struct fe_c_stmt *loop,
	struct fe_c_stmt *init, const struct fe_c_change *c,
	struct fe_c_var *v)
{
	struct fe_c_expr *now = fe_c_scalar(p, v, &c->e->loc), *old;

	init->left = fe_c_scalar(p, v, &init->left->loc);
	init->right = fe_c_convert(p, v->type, next(p, fe_c_convert(p,
		v->type, init->right), c->up));
	if (c->before && is_read(loop->cond, c->e))
		loop->cond = fe_c_binary(p, POLY_OP_NE, &loop->cond->loc,
			loop->cond, fe_c_int(p, POLY_I32, 0, &c->e->loc));
	if (c->before)
		return;
	loop->cond = on_new_value(p, loop->cond, c->e, c->up, now);
	old = next(p, fe_c_scalar(p, v, &c->e->loc), !c->up);
	if (v == c->e->var) {
		*c->e = *old;
		return;
	}
	c->e->kind = FE_C_CAST;
	c->e->var = NULL;
	c->e->arg[0] = old;
}

bool fe_c_count(struct fe_c_parse *p, struct fe_c_stmt *loop,
	struct fe_c_stmt *init, struct fe_c_stmt **steps,
	struct fe_c_stmt **behind, const struct fe_c_changes *c)
{
	struct fe_c_var *v = c->item[0].e->var, *counter = v;
	bool wraps = poly_type_class(v->type) == POLY_CLASS_UINT &&
		!c->item[0].before && !c->item[0].up;
	struct fe_c_stmt *first;

	if (c->n != 1 || !is_once(c, 0, p->t) || p->pending) {
		FE_C_ERROR(p, FE_C_EFFECT, &c->item[0].name->loc);
		return false;
	}
	while (init && init->left->var != v)
		init = init->next;
	if (!init) {
		FE_C_ERROR(p, FE_C_LOOP, &c->item[0].name->loc,
			"it begins without a value");
		return false;
	}
	if (wraps) {
		counter = stand_in(p, &c->item[0]);
		if (!counter)
			return false;
		v->n_write--;
		counter->n_write++;
		v->init = init->declares ? NULL : v->init;
		*behind = init->declares ? NULL : fe_c_assign(p,
			fe_c_scalar(p, v, &c->item[0].e->loc),
			fe_c_scalar(p, counter, &c->item[0].e->loc));
		init->declares = false;
	}
	rewrite(p, loop, init, &c->item[0], counter);
	first = step(p, counter, c->item[0].up, &c->item[0].e->loc);
	if (!first)
		return false;
	first->next = *steps;
	*steps = first;
	return !p->bad;
}
