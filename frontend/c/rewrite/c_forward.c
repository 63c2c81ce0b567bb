/* Integers that follow the loops: their values in the place of reads.
 *
 * A local integer that is given a value made of loop variables and sizes is
 * replaced by that value where it is read, so that subscripts become affine. If
 * each iteration of a loop adds a constant to it, its value is known from the
 * loop variable:
 *
 *	k = -1;
 *	for (i = 0; i < n; i += 2) {
 *		k++;			a[k] is a[-1 + (i - 0) / 2 + 1]
 *		a[k] = b[i];
 *	}
 *
 * The variable of a loop has a value behind it, too: there it is where the
 * condition first failed, unless a "break" ends the loop.
 *
 * Assignments stay, with values in the place of reads, unless nothing reads the
 * variable any more.
 */
#include <stdlib.h>
#include <string.h>

#include "frontend/c/rewrite/forward.h"

/* Is "v" a local integer whose values are followed: one that is assigned anew,
 * but counts no loop?
 */
static bool is_tracked(const struct fe_c_var *v)
{
	return !v->n_dim && v->n_write && !v->n_loop && !v->is_global &&
		!(v->n_write == 1 && v->init) &&
		!poly_type_is_float(v->type) && poly_type_size(v->type) >= 4;
}

/* Has "v" a value that is not that of a loop around? */
static bool has_value(const struct fe_c_var *v)
{
	return is_tracked(v) || (v->n_loop && !v->active && !v->n_dim);
}

/* ----------------------------------------------------------- substitution */

/* What is known in the place of the variable "e", or NULL. */
static struct fe_c_expr *known(void *with, const struct fe_c_expr *e)
{
	struct fe_c_state *s = with;
	struct fe_c_expr *c;

	if (e->kind != FE_C_VAR || !has_value(e->var) || !s->value[e->var->id])
		return NULL;
	c = fe_c_copy_node(s->u, fe_c_converted(s->u, e->type, s->value[e->var->id]));
	c->loc = e->loc;
	return c;
}

/* "e" with what is known in the place of variables. */
struct fe_c_expr *fe_c_forward_substitute(struct fe_c_state *s, struct fe_c_expr *e)
{
	return fe_c_replace(s->u, e, known, s);
}

/* True if the value is made of loop variables, sizes and numbers. */
bool fe_c_forward_is_good(const struct fe_c_state *s, const struct fe_c_expr *e)
{
	int i;

	if (poly_type_is_float(e->type) || e->kind == FE_C_ELEMENT)
		return false;
	if (e->kind == FE_C_VAR && e->bits == START)
		return s->dry;
	if (e->kind == FE_C_VAR && e->var->n_loop)
		return e->var->active;
	if (e->kind == FE_C_VAR && e->var->n_write == 1 && e->var->init)
		return fe_c_forward_is_good(s, e->var->init);
	if (e->kind == FE_C_VAR)
		return !e->var->n_write && e->var->outer;
	for (i = 0; i < 3 && e->arg[i]; i++)
		if (!fe_c_forward_is_good(s, e->arg[i]))
			return false;
	return true;
}

/* The size of "e". */
int fe_c_forward_count_nodes(const struct fe_c_expr *e)
{
	int i, n = 1;

	for (i = 0; i < 3 && e->arg[i]; i++)
		n += fe_c_forward_count_nodes(e->arg[i]);
	return n;
}

/* ------------------------------------------------------------------- loops */

/* A new array of values by id of the variable: those that are known now, if
 * "same", or none.
 */
struct fe_c_expr **fe_c_forward_values(const struct fe_c_state *s, bool same)
{
	size_t n = (size_t)s->u->c->n_var + 1;
	struct fe_c_expr **value = fe_arena_alloc(&s->u->arena,
		n * sizeof(*value));

	if (same)
		memcpy(value, s->value, n * sizeof(*value));
	return value;
}

/* What the statements assign becomes unknown. */
void fe_c_forward_forget(struct fe_c_state *s, const struct fe_c_stmt *stmt)
{
	for (; stmt; stmt = stmt->next) {
		if (stmt->kind == FE_C_ASSIGN && !stmt->left->n_index)
			s->value[stmt->left->var->id] = NULL;
		if (stmt->kind == FE_C_FOR)
			s->value[stmt->var->id] = NULL;
		fe_c_forward_forget(s, stmt->body);
		fe_c_forward_forget(s, stmt->otherwise);
	}
}

/* What the variables of the loops are becomes unknown. */
static void forget_loops(struct fe_c_state *s, const struct fe_c_stmt *stmt)
{
	for (; stmt; stmt = stmt->next) {
		if (stmt->kind == FE_C_FOR)
			s->value[stmt->var->id] = NULL;
		forget_loops(s, stmt->body);
		forget_loops(s, stmt->otherwise);
	}
}

/* What the statements assign stands for itself. */
static void begin_anew(struct fe_c_state *s, const struct fe_c_stmt *stmt)
{
	for (; stmt; stmt = stmt->next) {
		if (stmt->kind == FE_C_ASSIGN && !stmt->left->n_index &&
		    has_value(stmt->left->var)) {
			struct fe_c_var *v = stmt->left->var;
			struct fe_c_expr *e = fe_c_make(s->u, FE_C_VAR, v->type,
				&stmt->loc);

			e->var = v;
			e->bits = START;
			s->value[v->id] = e;
		}
		begin_anew(s, stmt->body);
		begin_anew(s, stmt->otherwise);
	}
}

static void walk(struct fe_c_state *s, struct fe_c_stmt *stmt);

/* Walk a loop. Its body is walked dry first, from variables that stand for
 * their values at its beginning, to see what an iteration adds to them; then,
 * in earnest, with what each has in an iteration, if that is known. Behind the
 * loop they have what all iterations add, or nothing is known of them.
 */
static void walk_loop(struct fe_c_state *s, struct fe_c_stmt *loop)
{
	struct fe_c_expr **before = fe_c_forward_values(s, true), **start;
	struct fe_c_state one = { s->u, fe_c_forward_values(s, false), true };
	struct fe_c_expr *first = fe_c_forward_substitute(s, loop->right);
	bool good = fe_c_forward_is_good(s, first), active = loop->var->active;
	struct fe_c_expr *n;

	if (!s->dry) {
		loop->right = first;
		fe_c_find_step(s, loop);
	}
	begin_anew(&one, loop->body);
	start = fe_c_forward_values(&one, true);
	loop->var->active = true;
	walk(&one, loop->body);
	forget_loops(s, loop->body);
	if (!s->dry && good && loop->step)
		fe_c_advance(s, start, one.value, loop, NULL);
	else
		fe_c_forward_forget(s, loop->body);
	if (!s->dry) {
		loop->cond = fe_c_forward_substitute(s, loop->cond);
		walk(s, loop->body);
	}
	loop->var->active = active;
	s->value = before;
	n = fe_c_run_count(s, loop, first);
	forget_loops(s, loop->body);
	if (!n)
		fe_c_forward_forget(s, loop->body);
	else
		fe_c_advance(s, start, one.value, loop, n);
	s->value[loop->var->id] = active ? NULL : fe_c_last_value(s, loop, first);
}

/* ------------------------------------------------------------- statements */

/* Put what is known into the assignment "a", and note its value if it is made
 * of loop variables, sizes and numbers, and not too large to be repeated.
 */
static void walk_assign(struct fe_c_state *s, struct fe_c_stmt *a)
{
	struct fe_c_expr *value = fe_c_forward_substitute(s, a->right);
	struct fe_c_var *v = a->left->var;

	if (!s->dry) {
		a->right = value;
		if (a->declares && v->init)
			v->init = value;
		if (a->left->n_index)
			a->left = fe_c_forward_substitute(s, a->left);
	}
	if (!a->left->n_index && has_value(v))
		s->value[v->id] = fe_c_forward_is_good(s, value) &&
			fe_c_forward_count_nodes(value) <= MAX_NODE ? value : NULL;
}

/* What holds behind a branch that ends the loop does not matter. */
static void walk_if(struct fe_c_state *s, struct fe_c_stmt *stmt)
{
	struct fe_c_state other = { s->u, fe_c_forward_values(s, true), s->dry };
	struct fe_c_expr *cond;
	struct fe_c_var *v;
	bool good;

	cond = fe_c_forward_substitute(s, stmt->cond);
	if (!s->dry)
		stmt->cond = cond;
	good = fe_c_forward_is_good(s, cond);
	walk(s, stmt->body);
	walk(&other, stmt->otherwise);
	if (fe_c_breaks(stmt->body))
		s->value = other.value;
	if (fe_c_breaks(stmt->body) || fe_c_breaks(stmt->otherwise))
		return;
	for (v = s->u->c->var; v; v = v->next) {
		struct fe_c_expr *a = s->value[v->id], *b = other.value[v->id];

		if (a == b || (a && b && fe_c_same(a, b)))
			continue;
		s->value[v->id] = a && b && good ?
			fe_c_choice_of(s->u, cond, a, b) : NULL;
	}
}

/* Walk the statements in order, while s->value says what is known. */
static void walk(struct fe_c_state *s, struct fe_c_stmt *stmt)
{
	for (; stmt; stmt = stmt->next) {
		switch (stmt->kind) {
		case FE_C_ASSIGN:
			walk_assign(s, stmt);
			break;
		case FE_C_FOR:
			walk_loop(s, stmt);
			break;
		case FE_C_IF:
			walk_if(s, stmt);
			break;
		case FE_C_BLOCK:
			walk(s, stmt->body);
			break;
		case FE_C_BREAK:
			break;
		}
	}
}

/* ------------------------------------------------------------------- reads */

/* Count the reads of each scalar in "e", by id of the variable; "e" may be
 * NULL.
 */
static void count_reads(const struct fe_c_expr *e, int *read)
{
	int i;

	if (!e)
		return;
	if (e->kind == FE_C_VAR)
		read[e->var->id]++;
	for (i = 0; i < 3; i++)
		count_reads(e->arg[i], read);
	for (i = 0; i < e->n_index; i++)
		count_reads(e->index[i], read);
}

/* The same in all expressions of the statements; the variable on the left is no
 * read.
 */
static void count_all(const struct fe_c_stmt *s, int *read)
{
	int i;

	for (; s; s = s->next) {
		for (i = 0; s->left && i < s->left->n_index; i++)
			count_reads(s->left->index[i], read);
		count_reads(s->right, read);
		count_reads(s->cond, read);
		count_all(s->body, read);
		count_all(s->otherwise, read);
	}
}

/* Drop what is assigned to variables that nothing reads or sees, and what a
 * loop's variable is given elsewhere, whose value stands where it is read.
 */
static void drop(struct fe_c_stmt *s, const int *read)
{
	for (; s; s = s->next) {
		bool active = s->var && s->var->active;

		if (s->kind == FE_C_FOR)
			s->var->active = true;
		drop(s->body, read);
		drop(s->otherwise, read);
		if (s->kind == FE_C_FOR)
			s->var->active = active;
		if (s->kind == FE_C_ASSIGN && s->left->var->n_loop &&
		    !s->left->var->active)
			s->kind = FE_C_BLOCK;
		if (s->kind != FE_C_ASSIGN || s->left->n_index ||
		    !is_tracked(s->left->var) || read[s->left->var->id] ||
		    (s->left->var->outer && !s->left->var->by_value) ||
		    s->left->var->is_result)
			continue;
		s->kind = FE_C_BLOCK;
	}
}

void fe_c_forward(struct fe_unit *u)
{
	struct fe_c_state s = { .u = u };
	const struct fe_c_var *v;
	int *read;

	s.value = fe_c_forward_values(&s, false);
	walk(&s, u->c->body);
	fe_c_need_steps(u, u->c->body);
	read = fe_arena_alloc(&u->arena,
		((size_t)u->c->n_var + 1) * sizeof(*read));
	count_all(u->c->body, read);
	for (v = u->c->var; v; v = v->next) {
		int d;

		for (d = 0; d < v->n_dim; d++)
			count_reads(v->dim[d], read);
		for (d = 0; d < 2; d++)
			count_reads(v->limit[d], read);
	}
	drop(u->c->body, read);
}
