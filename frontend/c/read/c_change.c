/* "++" and "--" inside of expressions: in assignments, initialisers, returned
 * values, conditions of "if", and conditions of loops.
 *
 * What is changed, a variable or an element, changes in front of the statement or
 * behind it; nothing else there may name it, as C then says no more what the value
 * is:
 *
 *	a[k++] = b[--m];	m--; a[k] = b[m]; k++;
 *	x = d[i]++ * 2;		x = d[i] * 2; d[i] += 1;
 *	if (--d[i] == 0) ..	d[i] -= 1; if (d[i] == 0) ..
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

#include "frontend/c/read/read.h"

bool fe_c_can_change(const struct fe_c_parse *p)
{
	return p->changes && !p->conditional;
}

struct fe_c_expr *fe_c_change(struct fe_c_parse *p, struct fe_c_expr *e,
	const struct fe_c_token *op, bool before)
{
	struct fe_c_changes *c = p->changes;
	const struct fe_c_token *name = before ? op + 1 : op - 1;

	if (!e)
		return NULL;
	if ((e->kind != FE_C_VAR && (c->of_loop || e->kind != FE_C_ELEMENT)) ||
	    (c->of_loop && (e->var->is_global || e->var->is_const ||
	     poly_type_is_float(e->type) || e->type == POLY_BOOL ||
	     name->kind != FE_C_NAME)) || c->n == FE_C_MAX_CHANGES) {
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
		fe_c_int(p->u, POLY_I32, 1, &v->loc));
}

/* The statement by which "v" counts one up, or down. */
static struct fe_c_stmt *step(struct fe_c_parse *p, struct fe_c_var *v,
	bool up, const struct poly_loc *loc)
{
	struct fe_c_stmt *s = fe_c_assign(p, fe_c_scalar(p, v, loc),
		next(p, fe_c_scalar(p, v, loc), up));

	if (s)
		s->loc = *loc;
	return s;
}

/* How many nodes of "e" other than "but" name the variable "v". */
static int count(const struct fe_c_expr *e, const struct fe_c_var *v,
	const struct fe_c_expr *but)
{
	int i, n;

	if (!e)
		return 0;
	n = e != but && e->var == v;
	for (i = 0; i < 3; i++)
		n += count(e->arg[i], v, but);
	for (i = 0; i < e->n_index; i++)
		n += count(e->index[i], v, but);
	return n;
}

/* How often the list "s", and what is in its statements, has "v", but for the
 * expression "but".
 */
static int count_all(const struct fe_c_stmt *s, const struct fe_c_var *v,
	const struct fe_c_expr *but)
{
	int n = 0;

	for (; s; s = s->next)
		n += count(s->left, v, but) + count(s->right, v, but) +
			count(s->cond, v, but) + (s->var == v) +
			count_all(s->body, v, but) +
			count_all(s->otherwise, v, but);
	return n;
}

/* Does a statement assign to a variable that "e" reads? */
static bool is_assigned(const struct fe_c_stmt *s, const struct fe_c_expr *e)
{
	for (; s; s = s->next)
		if ((s->kind == FE_C_ASSIGN && fe_c_reads(e, s->left->var)) ||
		    is_assigned(s->body, e) || is_assigned(s->otherwise, e))
			return true;
	return false;
}

/* Can change "i" stand in front of "s" or behind it? */
static bool is_apart(struct fe_c_parse *p, const struct fe_c_stmt *s,
	const struct fe_c_changes *c, int i)
{
	const struct fe_c_expr *e = c->item[i].e;
	int k;

	if (count_all(s, e->var, e) || count_all(p->pending, e->var, e))
		return false;
	for (k = 0; k < e->n_index; k++)
		if (is_assigned(s, e->index[k]) ||
		    is_assigned(p->pending, e->index[k]))
			return false;
	for (k = 0; k < c->n; k++)
		if (k != i && count(c->item[k].e, e->var, e))
			return false;
	return true;
}

/* The assignment that change "i" is. */
static struct fe_c_stmt *change(struct fe_c_parse *p,
	const struct fe_c_changes *c, int i)
{
	const struct fe_c_expr *e = c->item[i].e;
	struct fe_c_expr *place[2];
	struct fe_c_stmt *s;
	int k;

	for (k = 0; k < 2; k++) {
		place[k] = fe_c_node(p, e->kind, e->type, &e->loc);
		*place[k] = *e;
		place[k]->index = fe_arena_alloc(&p->u->arena,
			((size_t)e->n_index + 1) * sizeof(*e->index));
		memcpy(place[k]->index, e->index,
			(size_t)e->n_index * sizeof(*e->index));
	}
	s = fe_c_assign(p, place[0], next(p, place[1], c->item[i].up));
	if (s)
		s->loc = e->loc;
	return s;
}

/* Those in front in their order, as a subscript changes first; those behind in
 * the reverse one.
 */
struct fe_c_stmt *fe_c_changed(struct fe_c_parse *p, struct fe_c_stmt *s,
	const struct fe_c_changes *c)
{
	struct fe_c_stmt *first = NULL, **last = &first, *one;
	int i;

	for (i = 0; i < c->n && !p->bad; i++)
		if (!is_apart(p, s, c, i))
			FE_C_ERROR(p, FE_C_ELSEWHERE, &c->item[i].e->loc,
				c->item[i].e->var->name);
	for (i = 0; i < c->n && !p->bad; i++)
		if (c->item[i].before && (one = change(p, c, i))) {
			*last = one;
			last = &one->next;
		}
	for (*last = s; *last; last = &(*last)->next)
		;
	for (i = c->n - 1; i >= 0 && !p->bad; i--)
		if (!c->item[i].before && (one = change(p, c, i))) {
			*last = one;
			last = &one->next;
		}
	return p->bad ? NULL : first;
}

/* The condition "*cond" of a choice: what it changes in front, and behind it if
 * its value is kept in a variable.
 */
struct fe_c_stmt *fe_c_choose(struct fe_c_parse *p, struct fe_c_expr **cond,
	const struct fe_c_changes *c)
{
	const struct poly_loc *loc = &(*cond)->loc;
	struct fe_c_stmt *s;
	struct fe_c_var *v;

	if (!c->n)
		return NULL;
	v = fe_c_add_var(p, "cond", POLY_I32, loc);
	s = fe_c_assign(p, fe_c_scalar(p, v, loc), fe_c_binary(p, POLY_OP_NE,
		loc, *cond, fe_c_int(p->u, POLY_I32, 0, loc)));
	if (!s)
		return NULL;
	v->init = s->right;
	s->declares = true;
	*cond = fe_c_scalar(p, v, loc);
	return fe_c_changed(p, s, c);
}

/* ------------------------------------------------------------- conditions */

/* Is "e", but for casts, the node "old"? */
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
			fe_c_int(p->u, POLY_I32, 0, &e->loc), now);
	if (e->kind != FE_C_OP || e->op != POLY_OP_LT ||
	    !is_read(e->arg[up ? 0 : 1], old))
		return e;
	if (up && sign && e->type == POLY_I32)
		return fe_c_binary(p, POLY_OP_LE, &e->loc, now, e->arg[1]);
	if (!up && (sign || (fe_c_constant(e->arg[0], &n) && n >= 0)))
		return fe_c_binary(p, POLY_OP_LE, &e->loc, sign ? e->arg[0] :
			fe_c_int(p->u, POLY_I64, n, &e->loc), now);
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
			loop->cond, fe_c_int(p->u, POLY_I32, 0, &c->e->loc));
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
