/* Loops whose bounds are data, as in rows of a sparse matrix.
 *
 *	for (j = row[i]; j < row[i + 1]; j++)
 *		y[i] += a[j] * x[col[j]];
 *
 * Such a loop is no dimension of the program. It becomes a part of a value, a LOOP that
 * carries what the cell holds from one step to the next:
 *
 *	y[i] = loop (j from row[i] below row[i + 1]; carry = y[i])
 *		carry + a[j] * x[col[j]];
 *
 * The body is followed from its begin to its end: for each cell that it writes, what it
 * holds then is an expression of what the cells held at the begin. Loops inside are
 * loops in that expression, or, where the cells move with them, stand around it:
 *
 *	for (j ..)			for (f ..)
 *		for (f ..)			c[i][f] = loop (j ..) ..
 *			c[i][f] += ..
 *
 * This is right if each cell needs only itself of all that the loop writes, and if
 * bounds and places of cells are the same in all steps. Other loops are left as they
 * are, and refused (c_check.c).
 */
#include "frontend/c/rewrite/ragged.h"

/* ---------------------------------------------------------------------- checks */

static bool is_lost(const void *with, const struct fe_c_expr *e)
{
	const struct fe_c_ragged *r = with;

	if (e->kind != FE_C_VAR && e->kind != FE_C_ELEMENT)
		return false;
	for (int i = 0; i < r->n_head; i++)
		if (r->head[i]->var == e->var)
			return false;
	return e->var == r->loop->var || fe_c_writes(r->loop->body, e->var);
}

/* Is "e" the same in all steps, but for the loops that stand around, and what STEP
 * and CARRY say?
 */
static bool is_kept(const struct fe_c_ragged *r, const struct fe_c_expr *e)
{
	return !fe_c_any(e, is_lost, r);
}

/* May cell "i" be computed by itself, below its loops? It moves with these, which do
 * not change; nothing else writes its variable.
 */
static bool is_apart(struct fe_c_ragged *r, int i, struct fe_c_var *const *carry)
{
	const struct fe_c_ragged_written *w = &r->out[i];
	bool apart = fe_c_ragged_needs_itself(w->value, carry, r->n_out, i);

	for (int k = 0; k < r->n_out; k++)
		apart &= k == i || r->out[k].left->var != w->left->var;
	r->n_head = w->n_head;
	for (int k = 0; k < w->n_head; k++) {
		r->head[k] = w->head[k];
		apart &= fe_c_reads(w->left, w->head[k]->var) &&
			is_kept(r, w->head[k]->right) &&
			is_kept(r, w->head[k]->cond);
	}
	for (int k = 0; k < w->left->n_index; k++)
		apart &= is_kept(r, w->left->index[k]);
	apart &= is_kept(r, w->value);
	r->n_head = 0;
	return apart;
}

/* The statement that makes all steps of "w", before "next". */
static struct fe_c_stmt *statement(const struct fe_c_ragged *r,
	const struct fe_c_ragged_written *w, const struct fe_c_expr *range,
	struct fe_c_stmt *next)
{
	struct fe_c_expr *e = fe_c_ragged_make_loop(r, r->step, w->carry, range,
		fe_c_copy_expr(r->m.u, w->left), w->value);
	struct fe_c_stmt *s = fe_c_make_assign(&r->m, w->left, e, NULL);

	for (int i = w->n_head - 1; i >= 0; i--)
		s = fe_c_make_loop(&r->m, w->head[i], s, NULL);
	s->next = next;
	return s;
}

/* Forget what "list" declares: values stand in its place. */
static void drop(const struct fe_c_stmt *list)
{
	for (const struct fe_c_stmt *s = list; s; s = s->next) {
		if (s->kind == FE_C_ASSIGN && s->declares)
			s->left->var->used = false;
		drop(s->body);
		drop(s->otherwise);
	}
}

/* Put LOOPs in the place of "loop", if that is right. */
static void replace(struct fe_unit *u, struct fe_c_stmt *loop)
{
	struct fe_c_ragged r = { .m = { u, &loop->loc }, .loop = loop, .ok = true };
	struct fe_c_var *carry[MOST_CELLS];
	struct fe_c_expr *range;
	struct fe_c_stmt *all, *list = NULL;
	struct fe_c_ragged_state st = { .n = 0 };

	range = fe_c_ragged_range_of(&r, &st, loop);
	if (!range || !is_kept(&r, range))
		return;
	r.step = fe_c_ragged_add_scalar(&r, loop->var->name, loop->var->type, FE_C_STEP);
	st.cell[st.n++] = (struct fe_c_ragged_cell){ fe_c_make_read(&r.m, loop->var),
		fe_c_make_read(&r.m, r.step) };
	fe_c_ragged_follow_top(&r, &st, loop->body);
	for (int i = 0; i < r.n_out && r.ok; i++)
		carry[i] = r.out[i].carry;
	for (int i = 0; i < r.n_out && r.ok; i++) {
		r.ok = is_apart(&r, i, carry);
		if (r.ok)
			fe_c_ragged_number_loop(&r, r.step, r.out[i].value);
	}
	for (int i = r.n_out - 1; i >= 0 && r.ok; i--) {
		carry[i]->value = r.step->value;
		list = statement(&r, &r.out[i], range, list);
	}
	if (!r.ok)
		return;
	drop(loop->body);
	all = fe_c_make_stmt(&r.m, FE_C_BLOCK, loop->next);
	all->body = list;
	*loop = *all;
}

/* -------------------------------------------------------------------- the walk */

/* Does "e" have data, whatever becomes of its sizes? */
static bool has_data(const struct fe_c_expr *e)
{
	bool data = e->kind == FE_C_ELEMENT || (e->kind == FE_C_VAR &&
		!fe_c_affine(e, true) && !poly_type_is_float(e->type));

	for (int i = 0; i < 3 && e->arg[i] && !data; i++)
		data = has_data(e->arg[i]);
	return data;
}

/* Replace what can be in "list", from inside to outside. Variables of loops around are
 * active.
 */
static void walk(struct fe_unit *u, struct fe_c_stmt *list)
{
	for (struct fe_c_stmt *s = list; s; s = s->next) {
		struct fe_c_var *v = s->kind == FE_C_FOR ? s->var : NULL;
		bool active = v && v->active, data = v && has_data(s->right);

		if (v)
			v->active = true;
		data = data || (v && has_data(s->cond));
		if (s->kind != FE_C_ASSIGN && !data) {
			walk(u, s->body);
			walk(u, s->otherwise);
		}
		if (v)
			v->active = active;
		if (data)
			replace(u, s);
	}
}

/* Drop declarations of locals whose values stand in bounds, and nowhere else. */
static void drop_opened(struct fe_unit *u, struct fe_c_stmt *s)
{
	for (; s; s = s->next) {
		drop_opened(u, s->body);
		drop_opened(u, s->otherwise);
		if (s->kind != FE_C_ASSIGN || !s->declares ||
		    !s->left->var->opened || fe_c_list_reads(u->c->body, s->left->var))
			continue;
		s->left->var->used = false;
		*s = (struct fe_c_stmt){ .next = s->next, .kind = FE_C_BLOCK,
			.loc = s->loc };
	}
}

void fe_c_ragged(struct fe_unit *u)
{
	walk(u, u->c->body);
	drop_opened(u, u->c->body);
}
