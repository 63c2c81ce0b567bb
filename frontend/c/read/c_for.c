/* Loops by "for": their heads, steps and bodies. */
#include "frontend/c/read/read.h"

static bool bad_loop(struct fe_c_parse *p, const struct poly_loc *loc,
	const char *why)
{
	FE_C_ERROR(p, FE_C_LOOP, loc, why);
	return false;
}

/* "int i = e, .. ;" or "i = e, .. ;"; NULL if there is none, or having reported
 * why.
 *
 * All of its variables must get values.
 */
static struct fe_c_stmt *loop_begin(struct fe_c_parse *p)
{
	const struct fe_c_token *first = p->t;
	struct fe_c_stmt *init = NULL, *s;

	if (fe_c_accept(p, ";"))
		return NULL;
	init = fe_c_is_type(p) ? fe_c_declaration(p) : fe_c_assignments(p);
	for (s = init; s && s->left->kind == FE_C_VAR; s = s->next)
		;
	if (!p->bad && (!init || s))
		bad_loop(p, s && s != init ? &s->loc : &first->loc,
			"it begins without a value");
	return p->bad ? NULL : init;
}

/* "i = i" for the variable i that is "e".
 *
 * For loops that go on from what the variable holds.
 */
static struct fe_c_stmt *keeps(struct fe_c_parse *p, const struct fe_c_expr *e)
{
	struct fe_c_expr *part[2];

	for (int i = 0; i < 2; i++) {
		part[i] = fe_c_node(p, FE_C_VAR, e->type, &e->loc);
		part[i]->var = e->var;
	}
	return fe_c_assign(p, part[0], part[1]);
}

/* The same for the variable i that "steps" change and "cond" asks for.
 *
 * The condition tells which of the variables is meant.
 */
static struct fe_c_stmt *goes_on(struct fe_c_parse *p,
	const struct fe_c_stmt *steps, const struct fe_c_expr *cond)
{
	for (; steps; steps = steps->next)
		if (steps->left->kind == FE_C_VAR &&
		    fe_c_reads(cond, steps->left->var))
			return keeps(p, steps->left);
	return NULL;
}

/* The variable of "init" is that of the loop "s". */
static bool set_variable(struct fe_c_parse *p, struct fe_c_stmt *s,
	const struct fe_c_stmt *init)
{
	s->var = init->left->var;
	s->right = init->right;
	s->var->n_write--;
	s->var->n_loop++;
	s->var->init = NULL;
	return (!s->var->n_dim && !poly_type_is_float(s->var->type) &&
		s->var->type != POLY_BOOL) || bad_loop(p, &init->left->loc,
		"its variable is not an integer");
}

/* The assignment of the list to the variable that "step" changes, or NULL.
 *
 * Of a list such as i = 0, j = n.
 */
static const struct fe_c_stmt *find_init(const struct fe_c_stmt *init,
	const struct fe_c_stmt *step)
{
	for (; init; init = init->next)
		if (init->left->var == step->left->var)
			return init;
	return NULL;
}

/* "i++", "i += 2, j--", .. , which begins at "loc": find the variable of the
 * loop "s", which its condition asks for, and take its step out of "*steps".
 *
 * The others of the list are statements before the loop and at the end of its
 * body; they must not depend on the loop's variable in a way that this changes.
 */
static bool loop_step(struct fe_c_parse *p, struct fe_c_stmt *s,
	const struct fe_c_stmt *init, struct fe_c_stmt **steps,
	const struct poly_loc *loc)
{
	struct fe_c_stmt **at, *step, *other;

	for (at = steps; *at; at = &(*at)->next)
		if ((*at)->left->kind == FE_C_VAR && find_init(init, *at) &&
		    (!init->next || fe_c_reads(s->cond, (*at)->left->var)))
			break;
	if (!*at)
		return bad_loop(p, loc, "it changes another variable");
	step = *at;
	*at = step->next;
	init = find_init(init, step);
	if (!set_variable(p, s, init))
		return false;
	for (init = init->next; init; init = init->next)
		if (init->left->var == s->var ||
		    fe_c_reads(s->right, init->left->var))
			return bad_loop(p, &init->loc,
				"this changes what its variable begins with");
	s->var->n_write--;
	s->step_loc = step->loc;
	for (other = *steps; other; other = other->next)
		if (fe_c_reads(other->right, s->var) ||
		    other->left->kind != FE_C_VAR ||
		    other->left->var == s->var)
			return bad_loop(p, &other->loc,
				"it changes another variable");
	return fe_c_step(step->right, s) ||
		bad_loop(p, &step->loc, FE_C_BAD_STEP);
}

/* What stands between the condition and ")". */
static struct fe_c_stmt *steps_of(struct fe_c_parse *p)
{
	struct fe_c_stmt *first = NULL, **last = &first;

	if (fe_c_is(p->t, ")"))
		bad_loop(p, &p->t->loc, "its variable does not change");
	while (!p->bad) {
		*last = fe_c_assignment(p);
		while (*last)
			last = &(*last)->next;
		if (!fe_c_accept(p, ","))
			break;
	}
	return first;
}

/* The body of the loop "s", in which "break" ends that loop and no switch
 * around it.
 *
 * "break" and "continue" of the body are worked out by c_jump.c when it has
 * been read.
 */
static struct fe_c_stmt *loop_body(struct fe_c_parse *p, struct fe_c_stmt *s,
	bool in_list)
{
	const struct fe_c_token *switch_end = p->switch_end;
	struct fe_c_stmt *b;

	s->outer = p->loops;
	p->loops = s;
	p->switch_end = NULL;
	b = fe_c_body(p);
	p->loops = s->outer;
	p->switch_end = switch_end;
	fe_c_end_loop(p, s, b, in_list);
	return b;
}

/* The condition of the loop "s" with what it changes. One that is left out
 * holds, and only a "break" ends the loop.
 *
 * Changes in a condition, as in "n-- > 0", are noted, and counted by
 * fe_c_count.
 */
static bool loop_condition(struct fe_c_parse *p, struct fe_c_stmt *s,
	struct fe_c_changes *changes)
{
	*changes = (struct fe_c_changes) { .begin = p->t, .of_loop = true };
	p->changes = changes;
	s->cond = fe_c_is(p->t, ";") ? fe_c_int(p->u, POLY_I32, 1, &p->t->loc) :
		fe_c_expression(p);
	p->changes = NULL;
	return !p->bad && s->cond && fe_c_expect(p, ";");
}

/* "i = 0", "i++" of a new variable, for a loop whose head changes none.
 *
 * for (;;): the loop counts itself.
 */
static struct fe_c_stmt *counter(struct fe_c_parse *p,
	struct fe_c_stmt **steps, const struct poly_loc *loc)
{
	struct fe_c_var *v = fe_c_add_var(p, "n", POLY_I64, loc);

	*steps = fe_c_update_of(p, POLY_OP_ADD, loc, fe_c_scalar(p, v, loc),
		fe_c_int(p->u, POLY_I32, 1, loc));
	return fe_c_assign(p, fe_c_scalar(p, v, loc),
		fe_c_int(p->u, POLY_I32, 0, loc));
}

/* The head of the loop "s", from "(" on; what it changes besides the variable
 * of the loop becomes "*steps", and what follows the loop "*behind".
 *
 * NULL, having reported. The order of the cases is from the usual loop to those
 * that go on from before.
 */
static struct fe_c_stmt *loop_head(struct fe_c_parse *p, struct fe_c_stmt *s,
	struct fe_c_stmt **steps, struct fe_c_stmt **behind)
{
	struct fe_c_changes changes;
	struct fe_c_stmt *init;
	const struct poly_loc *loc;
	bool endless;

	if (!fe_c_expect(p, "("))
		return NULL;
	init = loop_begin(p);
	endless = fe_c_is(p->t, ";");
	if (p->bad || !loop_condition(p, s, &changes))
		return NULL;
	loc = &p->t->loc;
	if (endless && !init && fe_c_is(p->t, ")"))
		init = counter(p, steps, loc);
	else if (!changes.n || !fe_c_is(p->t, ")"))
		*steps = steps_of(p);
	if (!p->bad && !init && endless && (*steps)->left->kind == FE_C_VAR)
		init = keeps(p, (*steps)->left);
	if (!p->bad && !init && changes.n)
		init = keeps(p, changes.item[0].e);
	if (!p->bad && changes.n &&
	    !fe_c_count(p, s, init, steps, behind, &changes))
		return NULL;
	if (!p->bad && !init)
		init = goes_on(p, *steps, s->cond);
	if (!p->bad && !init)
		bad_loop(p, loc, "it changes another variable");
	if (p->bad || !loop_step(p, s, init, steps, loc) ||
	    !fe_c_expect(p, ")"))
		return NULL;
	if (p->pending)
		bad_loop(p, &s->loc, "a call in its head has statements");
	return init;
}

/* With more than one variable the others begin in front of the loop, and
 * change at the end of its body.
 *
 * A loop without an end would never finish: a constant condition needs a break.
 */
struct fe_c_stmt *fe_c_loop(struct fe_c_parse *p)
{
	struct fe_c_stmt *s = fe_c_new_stmt(p, FE_C_FOR, &p->t++->loc), *all = s;
	struct fe_c_name *names = p->names;
	struct fe_c_stmt *init, *steps = NULL, *behind = NULL, **last;
	bool in_list = p->in_list;

	p->depth++;
	p->head = true;
	init = loop_head(p, s, &steps, &behind);
	p->head = false;
	if (init)
		s->body = loop_body(p, s, in_list);
	if (!p->bad && !s->breaks && s->cond->kind == FE_C_INT && s->cond->bits)
		bad_loop(p, &s->cond->loc, "it has no end");
	s->next = behind;
	if (s->breaks && steps)
		bad_loop(p, &steps->loc, "a break leaves this out");
	if (s->body)
		s->body->next = steps;
	if (init && (init->next || behind)) {
		all = fe_c_new_stmt(p, FE_C_BLOCK, &s->loc);
		all->body = init;
		for (last = &init; *last; last = &(*last)->next)
			;
		*last = s;
	}
	p->depth--;
	p->names = names;
	return p->bad ? NULL : all;
}
