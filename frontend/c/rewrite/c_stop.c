/* A loop that data end, without its "break": a scalar holds where it stops, and what
 * iterations behind that would do is left out. c_exit.c says what becomes of it.
 */
#include "frontend/c/rewrite/exit.h"

/* Scalars that an iteration gives values before it asks for them. */
enum { MOST_OWN = 32 };

/* "own[i]" stands as "as[i]" where the conditions alone are asked; NULL: its value is not
 * known there.
 */
struct leave {
	struct fe_c_maker m;
	struct fe_c_stmt *loop;
	struct fe_c_var *stop;
	const struct fe_c_told *data;
	struct fe_c_var *own[MOST_OWN], *as[MOST_OWN];
	int n_own;
	bool fails;
};

/* ------------------------------------------------------------- what is asked first */

static int find_own(const struct leave *l, const struct fe_c_var *v)
{
	for (int i = 0; i < l->n_own; i++)
		if (l->own[i] == v)
			return i;
	return -1;
}

/* What stands before the loop in the place of "e"; nothing can if the loop changes what
 * it reads, or if it has a subscript that data tell, which need not be one where the
 * loop would have ended before.
 */
static struct fe_c_expr *other_before(void *with, const struct fe_c_expr *e)
{
	struct leave *l = with;
	int own = e->var ? find_own(l, e->var) : -1;

	if (own >= 0 && l->as[own])
		return fe_c_make_read(&(struct fe_c_maker){ l->m.u, &e->loc },
			l->as[own]);
	l->fails |= own >= 0 || (e->var && fe_c_writes(l->loop->body, e->var) &&
		!(e->var->n_loop && e->var->active));
	for (int i = 0; i < e->n_index; i++)
		l->fails |= !fe_c_is_plain(l->data, e->index[i]);
	return NULL;
}

/* "e" before the loop, or NULL. */
static struct fe_c_expr *before(const struct leave *l, const struct fe_c_expr *e)
{
	struct leave one = *l;
	struct fe_c_expr *c;

	one.fails = false;
	c = fe_c_replace(l->m.u, e, other_before, &one);
	return one.fails ? NULL : c;
}

/* "v" has another name before the loop, or none that is known. */
static void set_own(struct leave *l, struct fe_c_var *v, bool known)
{
	int own = find_own(l, v);

	if (own < 0 && l->n_own == MOST_OWN) {
		l->fails = true;
		return;
	}
	if (own < 0)
		own = l->n_own++;
	l->own[own] = v;
	l->as[own] = known ? fe_c_make_var(&l->m, v->name, v->type) : NULL;
}

/* Nothing is known of what the list writes. */
static void forget(struct leave *l, const struct fe_c_stmt *s)
{
	for (; s; s = s->next) {
		if (s->kind == FE_C_ASSIGN && !s->left->n_index)
			set_own(l, s->left->var, false);
		forget(l, s->body);
		forget(l, s->otherwise);
	}
}

/* stop = min(stop, i), or max if the loop runs down, before "next". */
static struct fe_c_stmt *note(const struct leave *l, struct fe_c_stmt *next)
{
	struct fe_c_expr *stop = fe_c_make_read(&l->m, l->stop);
	struct fe_c_expr *i = fe_c_make_cast(&l->m, POLY_I64,
		fe_c_make_read(&l->m, l->loop->var));

	return fe_c_make_assign(&l->m, stop, fe_c_make_op(&l->m,
		l->loop->step < 0 ? POLY_OP_MAX : POLY_OP_MIN, POLY_I64,
		fe_c_copy_expr(l->m.u, stop), i), next);
}

/* What of the list "s" tells whether it leaves; its scalars have other names. Where
 * "sure" the list runs in every iteration. Loops inside are not looked into.
 */
static struct fe_c_stmt *asked(struct leave *l, const struct fe_c_stmt *s, bool sure)
{
	struct fe_c_stmt *first = NULL, **last = &first;
	struct fe_c_expr *e, *left;

	for (; s && !l->fails; s = s->next) {
		if (s->kind == FE_C_BREAK) {
			*last = note(l, NULL);
		} else if (s->kind == FE_C_BLOCK) {
			*last = asked(l, s->body, sure);
		} else if (s->kind == FE_C_IF && fe_c_may_break(s)) {
			e = before(l, s->cond);
			l->fails |= !e;
			*last = fe_c_make_stmt(&l->m, FE_C_IF, NULL);
			(*last)->cond = e;
			(*last)->body = asked(l, s->body, false);
			(*last)->otherwise = asked(l, s->otherwise, false);
		} else if (s->kind == FE_C_ASSIGN && sure && !s->left->n_index) {
			e = before(l, s->right);
			set_own(l, s->left->var, e);
			if (e && !l->fails) {
				left = before(l, s->left);
				*last = fe_c_make_assign(&l->m, left, e, NULL);
			}
		} else {
			struct fe_c_stmt one = *s;

			one.next = NULL;
			forget(l, &one);
		}
		while (*last)
			last = &(*last)->next;
	}
	return first;
}

/* Does nothing stand behind a "break" in the list? Reading puts it into the branches that
 * go on (c_jump.c).
 */
static bool ends_lists(const struct fe_c_stmt *s)
{
	for (; s; s = s->next)
		if (s->kind != FE_C_FOR && (s->kind == FE_C_BREAK ||
		    fe_c_may_break(s)) && (s->next || !ends_lists(s->body) ||
		    !ends_lists(s->otherwise)))
			return false;
	return true;
}

/* ------------------------------------------------------------------- the loop */

static struct fe_c_expr *none(const struct leave *l)
{
	return fe_c_make_int(&l->m, POLY_I64, l->loop->step < 0 ? INT64_MIN :
		INT64_MAX);
}

/* Does an iteration run, as "stop" tells before the loop or in it? */
static struct fe_c_expr *runs(const struct leave *l, bool first)
{
	struct fe_c_expr *stop = fe_c_make_read(&l->m, l->stop), *i;
	bool down = l->loop->step < 0;

	if (!first)
		return fe_c_make_op(&l->m, POLY_OP_EQ, POLY_I32, stop, none(l));
	i = fe_c_make_cast(&l->m, POLY_I64, fe_c_make_read(&l->m,
		l->loop->var));
	return fe_c_make_op(&l->m, POLY_OP_LE, POLY_I32, down ? stop : i,
		down ? i : stop);
}

/* Each "break" of the list becomes nothing, or "notes" where it was. */
static void replace(const struct leave *l, struct fe_c_stmt *s, bool notes)
{
	for (; s; s = s->next) {
		if (s->kind == FE_C_BREAK)
			*s = notes ? *note(l, NULL) : *fe_c_make_stmt(&l->m,
				FE_C_BLOCK, NULL);
		if (s->kind == FE_C_FOR)
			continue;
		replace(l, s->body, notes);
		replace(l, s->otherwise, notes);
	}
}

/* Behind the loop its variable is where it stopped, if that is what follows. */
static void keep_variable(const struct leave *l)
{
	struct fe_c_stmt *next = l->loop->next;
	struct fe_c_expr *stop, *is_none;

	if (!next || next->kind != FE_C_ASSIGN ||
	    next->right->kind != FE_C_VAR || next->right->var != l->loop->var)
		return;
	stop = fe_c_make_read(&l->m, l->stop);
	is_none = fe_c_make_op(&l->m, POLY_OP_EQ, POLY_I32, stop, none(l));
	stop = fe_c_make_cast(&l->m, next->right->type, fe_c_make_read(&l->m,
		l->stop));
	next->right = fe_c_make_choice(&l->m, is_none, next->right, stop);
}

/* ----------------------------------------------------------- the last iteration */

/* Where the list begins that holds a "break" of the loop itself; "n" counts them, in both
 * branches of each condition.
 */
static struct fe_c_stmt **find_list(struct fe_c_stmt **list, int *n)
{
	struct fe_c_stmt **found = NULL, **inner[2], *s;

	for (s = *list; s; s = s->next) {
		if (s->kind == FE_C_BREAK) {
			found = list;
			++*n;
		}
		if (s->kind == FE_C_FOR)
			continue;
		inner[0] = find_list(&s->body, n);
		inner[1] = find_list(&s->otherwise, n);
		if (inner[0] || inner[1])
			found = inner[0] ? inner[0] : inner[1];
	}
	return found;
}

/* Is "v" declared in the list, or in what it holds? */
static bool declares(const struct fe_c_stmt *s, const struct fe_c_var *v)
{
	for (; s; s = s->next)
		if ((v->id >= s->first_id && v->id < s->first_id + s->n_id) ||
		    s->var == v || declares(s->body, v) ||
		    declares(s->otherwise, v))
			return true;
	return false;
}

/* Is all that "e" reads there behind the loop, too? What is not written may have a
 * subscript that data tell.
 */
static bool lasts(const struct leave *l, const struct fe_c_expr *e)
{
	for (int i = 0; i < e->n_index; i++)
		if (e->var->n_write && fe_c_reads(e->index[i], l->loop->var))
			return false;
	if (e->var && e->var != l->loop->var && declares(l->loop->body, e->var))
		return false;
	for (int i = 0; i < 3 && e->arg[i]; i++)
		if (!lasts(l, e->arg[i]))
			return false;
	for (int i = 0; i < e->n_index; i++)
		if (!lasts(l, e->index[i]))
			return false;
	return true;
}

/* "e" in the last iteration. */
static struct fe_c_expr *at_stop(const struct leave *l, const struct fe_c_expr *e)
{
	const struct fe_c_expr *i = fe_c_make_read(&l->m, l->loop->var);

	return fe_c_put(l->m.u, e, i, fe_c_make_cast(&l->m, i->type,
		fe_c_make_read(&l->m, l->stop)));
}

/* Is "left" a scalar, or an element that is the same in each iteration? */
static bool is_one_cell(const struct leave *l, const struct fe_c_expr *left)
{
	for (int i = 0; i < left->n_index; i++)
		if (!fe_c_is_plain(l->data, left->index[i]) ||
		    fe_c_reads(left->index[i], l->loop->var))
			return false;
	return lasts(l, left);
}

/* Does "s" give cells values that it can give behind the loop, too? */
static bool only_values(const struct leave *l, const struct fe_c_stmt *s)
{
	bool good = s->kind == FE_C_BLOCK;

	if (s->kind == FE_C_ASSIGN)
		return is_one_cell(l, s->left) && !s->declares &&
			lasts(l, s->right);
	for (s = s->body; s && good; s = s->next)
		good = only_values(l, s);
	return good;
}

static void put_stop(const struct leave *l, struct fe_c_stmt *s)
{
	for (; s; s = s->next) {
		if (s->right)
			s->right = at_stop(l, s->right);
		put_stop(l, s->body);
	}
}

/* Take the values out of the loop that cells get in front of its only "break": they
 * are given behind it. NULL: something else stands there, or nothing.
 */
static struct fe_c_stmt *take_last(const struct leave *l)
{
	struct fe_c_stmt **list, *first, *s, *last = NULL;
	int n = 0;

	list = find_list(&l->loop->body, &n);
	for (s = n == 1 ? *list : NULL; s && s->kind != FE_C_BREAK; s = s->next) {
		if (!only_values(l, s))
			return NULL;
		last = s;
	}
	if (!last)
		return NULL;
	first = *list;
	*list = last->next;
	last->next = NULL;
	put_stop(l, first);
	return first;
}

/* Put the loop that "loop" is into a block, with what tells where it ends in front of it:
 * "first", which asks all iterations, or nothing; and behind it "last", which is done if
 * it did not run to its end, or nothing.
 */
static void enclose(struct leave *l, struct fe_c_stmt *loop, struct fe_c_stmt *first,
	struct fe_c_stmt *last)
{
	struct fe_c_stmt *inner = fe_c_make_stmt(&l->m, FE_C_FOR, NULL), *s = NULL;

	if (last) {
		s = fe_c_make_stmt(&l->m, FE_C_IF, NULL);
		s->cond = fe_c_make_op(&l->m, POLY_OP_NE, POLY_I32,
			fe_c_make_read(&l->m, l->stop), none(l));
		s->body = last;
	}
	*inner = *loop;
	inner->next = s;
	inner->breaks = false;
	s = fe_c_make_stmt(&l->m, FE_C_IF, NULL);
	s->cond = runs(l, first);
	s->body = loop->body;
	inner->body = s;
	s = first ? fe_c_make_loop(&l->m, loop, first, inner) : inner;
	s->breaks = false;
	s = fe_c_make_assign(&l->m, fe_c_make_read(&l->m, l->stop), none(l), s);
	s->declares = true;
	*loop = (struct fe_c_stmt) { .next = loop->next, .kind = FE_C_BLOCK,
		.loc = loop->loc, .body = s, .first_id = l->stop->id,
		.n_id = l->m.u->c->n_var - l->stop->id };
}

/* The loop runs without a "break". */
void fe_c_end_by_data(struct fe_unit *u, const struct fe_c_told *data, struct fe_c_stmt *loop)
{
	struct leave l = { .m = { u, &loop->loc }, .loop = loop, .data = data };
	struct fe_c_stmt *first, *last;

	if (!loop->step || !ends_lists(loop->body))
		return;
	l.stop = fe_c_make_var(&l.m, "stop", POLY_I64);
	keep_variable(&l);
	first = asked(&l, loop->body, true);
	if (l.fails)
		first = NULL;
	last = first ? take_last(&l) : NULL;
	replace(&l, loop->body, !first);
	enclose(&l, loop, first, last);
}
