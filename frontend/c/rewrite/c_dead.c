/* What a nest computes for nobody, and constants that stand in variables.
 *
 * A local float that is declared with a constant value, or with that of another
 * variable from outside, and is never changed stands for that value:
 *
 *	double alpha = 1.5;
 *	for (..) a[i] *= alpha;		a[i] *= 1.5
 *
 * An assignment whose value nothing may read is dropped, and conditions and loops
 * in which nothing is left. First it is asked which variables anything that is
 * seen depends on at all. Then the nest is walked backwards with what may still be
 * read; of a loop all that it reads may be read in its next iteration. Elements of
 * arrays are not told apart.
 */
#include <string.h>

#include "frontend/c/rewrite/rewrite.h"

/* -------------------------------------------------------------- constants */

/* Is "e" the same wherever it stands: made of numbers, or, unless operations
 * round, of variables from outside that nothing changes?
 */
static bool is_constant(const struct fe_c_expr *e, bool rounds)
{
	int i;

	if (e->kind == FE_C_INT || e->kind == FE_C_FLOAT)
		return true;
	if (e->kind == FE_C_VAR)
		return !rounds && e->var->outer && !e->var->n_write &&
			!e->var->n_loop && !e->var->n_dim;
	if (e->kind == FE_C_ELEMENT)
		return false;
	rounds |= e->kind != FE_C_CAST && e->op != POLY_OP_NEG;
	for (i = 0; i < 3 && e->arg[i]; i++)
		if (!is_constant(e->arg[i], rounds))
			return false;
	return true;
}

/* Put copies of "value" in the place of "v" in the expression at "*at". */
static void put_value(struct fe_unit *u, struct fe_c_expr **at,
	const struct fe_c_var *v, const struct fe_c_expr *value)
{
	struct fe_c_expr *e = *at;
	int i;

	if (!e)
		return;
	if (e->kind == FE_C_VAR && e->var == v) {
		*at = fe_arena_alloc(&u->arena, sizeof(**at));
		**at = *value;
		(*at)->loc = e->loc;
		return;
	}
	for (i = 0; i < 3; i++)
		put_value(u, &e->arg[i], v, value);
	for (i = 0; i < e->n_index; i++)
		put_value(u, &e->index[i], v, value);
}

/* Put "value" in the place of "v", which is not assigned in the statements. */
static void put_all(struct fe_unit *u, struct fe_c_stmt *s,
	const struct fe_c_var *v, const struct fe_c_expr *value)
{
	int i;

	for (; s; s = s->next) {
		for (i = 0; s->left && i < s->left->n_index; i++)
			put_value(u, &s->left->index[i], v, value);
		put_value(u, &s->right, v, value);
		put_value(u, &s->cond, v, value);
		put_all(u, s->body, v, value);
		put_all(u, s->otherwise, v, value);
	}
}

/* Make the statement do nothing. */
static void empty(struct fe_c_stmt *s)
{
	*s = (struct fe_c_stmt) { .next = s->next, .kind = FE_C_BLOCK,
		.loc = s->loc };
}

static void drop(struct fe_c_stmt *s)
{
	s->left->var->n_write--;
	empty(s);
}

/* Fold what the statements declare. */
static void fold(struct fe_unit *u, struct fe_c_stmt *s)
{
	for (; s; s = s->next) {
		struct fe_c_var *v = s->kind == FE_C_ASSIGN ? s->left->var :
			NULL;

		if (v && s->declares && v->n_write == 1 && !v->outer &&
		    poly_type_is_float(v->type) && !s->left->n_index &&
		    !v->is_result && is_constant(s->right, false)) {
			put_all(u, u->c->body, v, s->right);
			drop(s);
		}
		fold(u, s->body);
		fold(u, s->otherwise);
	}
}

/* -------------------------------------------------------------------- dead */

/* By id of the variable: "needed" if anything that is seen depends on it; "live"
 * what may be read behind a place, "at_exit" behind the loop around.
 */
struct walk {
	struct fe_unit *u;
	bool *needed;
	const bool *at_exit;
	bool changed;
};

/* Add the variables that "e" reads to "live"; "e" may be NULL. */
static void read_value(const struct fe_c_expr *e, bool *live)
{
	int i;

	if (!e)
		return;
	if (e->var)
		live[e->var->id] = true;
	for (i = 0; i < 3; i++)
		read_value(e->arg[i], live);
	for (i = 0; i < e->n_index; i++)
		read_value(e->index[i], live);
}

/* Add what is needed for what is; whether the statements do anything. */
static bool need(struct walk *w, const struct fe_c_stmt *s)
{
	bool acts = false, this;
	int i;

	for (; s; s = s->next) {
		this = s->kind == FE_C_BREAK || (s->kind == FE_C_ASSIGN &&
			(w->needed[s->left->var->id] ||
			 s->left->var->n_loop)) ||
			(s->kind == FE_C_FOR && w->needed[s->var->id]);
		this |= need(w, s->body);
		this |= need(w, s->otherwise);
		acts |= this;
		if (!this || s->kind == FE_C_BLOCK)
			continue;
		for (i = 0; s->left && i < s->left->n_index; i++)
			read_value(s->left->index[i], w->needed);
		read_value(s->right, w->needed);
		read_value(s->cond, w->needed);
	}
	return acts;
}

static int count(const struct walk *w)
{
	int i, n = 0;

	for (i = 0; i <= w->u->c->n_var; i++)
		n += w->needed[i];
	return n;
}

/* What the statements read besides what they only update. */
static void read_all(const struct fe_c_stmt *s, bool *live)
{
	int i;

	for (; s; s = s->next) {
		bool own = s->kind == FE_C_ASSIGN && live[s->left->var->id];

		for (i = 0; s->kind == FE_C_ASSIGN &&
		     i < s->left->n_index; i++)
			read_value(s->left->index[i], live);
		if (s->kind != FE_C_BLOCK)
			read_value(s->right, live);
		if (s->kind == FE_C_ASSIGN)
			live[s->left->var->id] = own;
		read_value(s->cond, live);
		read_all(s->body, live);
		read_all(s->otherwise, live);
	}
}

/* Every function here returns whether what it was given still does something. */
static bool walk(struct walk *w, struct fe_c_stmt *s, bool *live);

/* Drop the assignment "s" if nothing reads or needs its variable. A scalar is
 * not live in front of it, an array is, as only one element is written.
 */
static bool walk_assign(struct walk *w, struct fe_c_stmt *s, bool *live)
{
	int i;

	if ((!live[s->left->var->id] || !w->needed[s->left->var->id]) &&
	    !s->left->var->n_loop) {
		w->changed = true;
		drop(s);
		return false;
	}
	if (!s->left->n_index)
		live[s->left->var->id] = false;
	for (i = 0; i < s->left->n_index; i++)
		read_value(s->left->index[i], live);
	read_value(s->right, live);
	return true;
}

/* Walk both branches from what is live behind them; a condition without any
 * effect is dropped, and its operands are not read.
 */
static bool walk_if(struct walk *w, struct fe_c_stmt *s, bool *live)
{
	bool *other = fe_c_set_copy(w->u, live);
	bool acts = walk(w, s->otherwise, other);

	acts |= walk(w, s->body, live);
	fe_c_set_add(w->u, live, other);
	if (acts)
		read_value(s->cond, live);
	else
		empty(s);
	return acts;
}

/* Walk the body once, with all that it reads already live at its end, as the
 * next iteration may read it. A loop stays if its body does anything, or if its
 * variable is read behind it.
 */
static bool walk_loop(struct walk *w, struct fe_c_stmt *s, bool *live)
{
	const bool *outer = w->at_exit;
	bool *inner = fe_c_set_copy(w->u, live);
	bool *exit = fe_c_set_copy(w->u, live), acts;

	read_all(s->body, inner);
	read_value(s->cond, inner);
	read_value(s->cond, exit);
	w->at_exit = exit;
	acts = walk(w, s->body, inner);
	w->at_exit = outer;
	acts |= live[s->var->id] && w->needed[s->var->id];
	if (!acts) {
		s->var->n_loop--;
		empty(s);
		return false;
	}
	fe_c_set_add(w->u, live, inner);
	read_value(s->cond, live);
	read_value(s->right, live);
	return true;
}

/* Walk one statement. In front of a "break" what is live behind the loop is
 * live.
 */
static bool walk_one(struct walk *w, struct fe_c_stmt *s, bool *live)
{
	switch (s->kind) {
	case FE_C_ASSIGN:
		return walk_assign(w, s, live);
	case FE_C_IF:
		return walk_if(w, s, live);
	case FE_C_FOR:
		return walk_loop(w, s, live);
	case FE_C_BLOCK:
		return walk(w, s->body, live);
	case FE_C_BREAK:
		fe_c_set_add(w->u, live, w->at_exit);
		return true;
	}
	return true;
}

/* Walk the list backwards: it is linked forwards, so that it is copied to an
 * array.
 */
static bool walk(struct walk *w, struct fe_c_stmt *s, bool *live)
{
	struct fe_c_stmt **list, *at;
	bool acts = false;
	int n = 0;

	for (at = s; at; at = at->next)
		n++;
	list = fe_arena_alloc(&w->u->arena, (size_t)(n + 1) * sizeof(*list));
	for (n = 0, at = s; at; at = at->next)
		list[n++] = at;
	while (n--)
		acts |= walk_one(w, list[n], live);
	return acts;
}

/* What is read behind the nest: what is outside, and the extents of arrays. */
static bool *live_out(struct walk *w)
{
	size_t n = (size_t)w->u->c->n_var + 1;
	bool *live = fe_arena_alloc(&w->u->arena, n * sizeof(*live));
	const struct fe_c_var *v;
	int d;

	for (v = w->u->c->var; v; v = v->next) {
		live[v->id] |= (v->outer && !v->by_value) || v->is_result;
		for (d = 0; d < v->n_dim; d++)
			read_value(v->dim[d], live);
		for (d = 0; d < 2; d++)
			read_value(v->limit[d], live);
	}
	return live;
}

void fe_c_dead(struct fe_unit *u)
{
	struct walk w = { .u = u, .changed = true };
	int n;

	fold(u, u->c->body);
	w.needed = live_out(&w);
	do {
		n = count(&w);
		need(&w, u->c->body);
	} while (count(&w) > n);
	while (w.changed) {
		w.changed = false;
		walk(&w, u->c->body, live_out(&w));
	}
}
