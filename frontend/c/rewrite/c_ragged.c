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
#include "frontend/c/rewrite/make.h"
#include "frontend/c/rewrite/rewrite.h"

/* Cells that a loop may write; loops in one another inside of it; nodes that the
 * expressions of one loop may have.
 */
enum { MOST_CELLS = 16, MOST_HEADS = 4, MOST_NODES = 4000 };

/* What a cell holds by now. */
struct cell {
	const struct fe_c_expr *left;
	struct fe_c_expr *value;
};
struct state {
	struct cell cell[MOST_CELLS];
	int n;
};
/* A cell that is written below the loops "head", and what it holds behind a step. */
struct written {
	const struct fe_c_stmt *head[MOST_HEADS];
	int n_head;
	const struct fe_c_expr *left;
	struct fe_c_expr *value;
	struct fe_c_var *carry;
};
struct ragged {
	struct fe_c_maker m;
	struct fe_c_stmt *loop;
	struct fe_c_var *step;
	const struct fe_c_stmt *head[MOST_HEADS];
	int n_head, n_node;
	struct written out[MOST_CELLS];
	int n_out;
	bool ok;
};

static void follow(struct ragged *r, struct state *st,
	const struct fe_c_stmt *s);

/* ------------------------------------------------------------------ expressions */

/* A new scalar that a loop has: its step or what it carries. */
static struct fe_c_var *add_scalar(const struct ragged *r, const char *name,
	enum poly_type type, enum fe_c_use use)
{
	struct fe_c_var *v = fe_c_make_var(&r->m, name, type);

	v->use = use;
	return v;
}

/* The largest number of a loop in "e", -1 if there is none. */
static int64_t last_number(const struct fe_c_expr *e)
{
	int64_t last = e->kind == FE_C_LOOP ? e->var->value : -1, part;

	for (int i = 0; i < 3 && e->arg[i]; i++) {
		part = last_number(e->arg[i]);
		last = part > last ? part : last;
	}
	for (int i = 0; i < e->n_index; i++) {
		part = last_number(e->index[i]);
		last = part > last ? part : last;
	}
	return last;
}

/* A loop and the state in which an expression is asked for. */
struct moment {
	struct ragged *r;
	const struct state *st;
};

/* What a cell holds in the place of "e", which may not read a part of one. */
static struct fe_c_expr *held(void *with, const struct fe_c_expr *e)
{
	const struct moment *at = with;
	const struct state *st = at->st;

	at->r->ok &= ++at->r->n_node < MOST_NODES;
	if (!at->r->ok || (e->kind != FE_C_VAR && e->kind != FE_C_ELEMENT))
		return NULL;
	for (int i = st->n - 1; i >= 0; i--)
		if (fe_c_same(st->cell[i].left, e))
			return fe_c_copy_expr(at->r->m.u, st->cell[i].value);
	for (int i = 0; i < st->n; i++)
		at->r->ok &= st->cell[i].left->var != e->var;
	return NULL;
}

/* "e" as it is in the state "st": cells have their values, and variables of loops are
 * their steps. False "ok" if "e" may read a part of what a cell holds.
 */
static struct fe_c_expr *now(struct ragged *r, const struct state *st,
	const struct fe_c_expr *e)
{
	struct moment at = { r, st };
	struct fe_c_expr *c = r->ok ? fe_c_replace(r->m.u, e, held, &at) : NULL;

	return r->ok ? c : NULL;
}

/* ------------------------------------------------------------------------ loops */

/* The type in which the condition of "s" looks at its variable; POLY_N_TYPE if it counts
 * otherwise than up by 1 as far as something that is no function of it.
 */
static enum poly_type counted_in(const struct fe_c_stmt *s)
{
	const struct fe_c_expr *e = s->cond, *v = e->arg[0];

	if (s->step != 1 || s->breaks || s->asks || e->kind != FE_C_OP ||
	    (e->op != POLY_OP_LT && e->op != POLY_OP_LE))
		return POLY_N_TYPE;
	if (v->kind == FE_C_CAST && poly_type_size(v->type) >=
	    poly_type_size(s->var->type))
		v = v->arg[0];
	return v->kind == FE_C_VAR && v->var == s->var &&
		!fe_c_reads(e->arg[1], s->var) && !poly_type_is_float(e->arg[1]->type) ?
		e->arg[0]->type : POLY_N_TYPE;
}

static bool is_unsteady(const void *with, const struct fe_c_expr *e)
{
	(void)with;
	return (e->kind == FE_C_VAR || e->kind == FE_C_ELEMENT) &&
		!(e->var->n_loop ? e->var->active : e->var->outer &&
		  !e->var->n_write);
}

/* Is "e" the same wherever it stands, as long as loops around do not go on: made of
 * constants, of variables of loops that are around, and of what nothing writes?
 */
static bool is_steady(const struct fe_c_expr *e)
{
	return !fe_c_any(e, is_unsteady, NULL);
}

/* The value of the local "e" if it is declared with a steady one and never changes, as in
 * "int end = row[i + 1]", or NULL.
 */
static struct fe_c_expr *opened(void *with, const struct fe_c_expr *e)
{
	const struct fe_c_maker *m = with;
	struct fe_c_var *v = e->kind == FE_C_VAR ? e->var : NULL;

	if (!v || v->outer || v->use != FE_C_CELL || !v->init ||
	    v->n_write != 1 || !is_steady(v->init))
		return NULL;
	v->opened = true;
	return fe_c_make_cast(m, e->type, fe_c_copy_expr(m->u, v->init));
}

/* The steps of "s" in the state "st", as the condition counts them; NULL: it does not.
 * An int that is compared as an unsigned one counts from there on.
 */
static struct fe_c_expr *range_of(struct ragged *r, const struct state *st,
	const struct fe_c_stmt *s)
{
	enum poly_type t = counted_in(s);
	struct fe_c_expr *low = now(r, st, s->right), *end;

	end = t == POLY_N_TYPE ? NULL : now(r, st, s->cond->arg[1]);
	r->ok &= low && end;
	if (!r->ok)
		return NULL;
	low = fe_c_replace(r->m.u, low, opened, &r->m);
	low = fe_c_make_cast(&r->m, POLY_I64, fe_c_make_cast(&r->m, t,
		fe_c_make_cast(&r->m, s->var->type, low)));
	end = fe_c_make_cast(&r->m, POLY_I64, fe_c_replace(r->m.u, end, opened,
		&r->m));
	if (s->cond->op == POLY_OP_LE)
		end = fe_c_make_op(&r->m, POLY_OP_ADD, POLY_I64, end,
			fe_c_make_int(&r->m, POLY_I64, 1));
	return fe_c_make_node(&r->m, FE_C_RANGE, POLY_I64, low, end);
}

/* A LOOP over "step" in a copy of "range": "first", then "next", an expression of
 * "carry".
 */
static struct fe_c_expr *make_loop(const struct ragged *r,
	struct fe_c_var *step, struct fe_c_var *carry,
	const struct fe_c_expr *range, struct fe_c_expr *first,
	struct fe_c_expr *next)
{
	struct fe_c_expr *e = fe_c_make_node(&r->m, FE_C_LOOP, next->type, first,
		fe_c_copy_expr(r->m.u, range));

	e->arg[2] = next;
	e->var = step;
	e->arg[1]->var = carry;
	return e;
}

/* Note in "to" the cells that the list "s" writes, but for what it declares. */
static void note_cells(struct ragged *r, struct state *to,
	const struct fe_c_stmt *s)
{
	for (; s && r->ok; s = s->next) {
		bool known = s->kind != FE_C_ASSIGN || s->declares;

		note_cells(r, to, s->body);
		note_cells(r, to, s->otherwise);
		for (int i = 0; i < to->n && !known; i++)
			known = fe_c_same(to->cell[i].left, s->left);
		if (known)
			continue;
		r->ok &= to->n < MOST_CELLS;
		if (r->ok)
			to->cell[to->n++] = (struct cell){ s->left, NULL };
	}
}

/* Is "v" a variable that the list "s" declares? */
static bool is_inner(const struct fe_c_stmt *s, const struct fe_c_var *v)
{
	for (; s; s = s->next)
		if ((s->kind == FE_C_BLOCK && v->id >= s->first_id &&
		     v->id < s->first_id + s->n_id) ||
		    (s->kind == FE_C_ASSIGN && s->declares &&
		     s->left->var == v) ||
		    is_inner(s->body, v) || is_inner(s->otherwise, v))
			return true;
	return false;
}

/* Move the cells of "to" that "list" declares to "st": they have no value yet. */
static void begin_inner(struct ragged *r, struct state *st, struct state *to,
	const struct fe_c_stmt *list)
{
	int n = 0;

	for (int i = 0; i < to->n && r->ok; i++) {
		const struct fe_c_expr *left = to->cell[i].left;
		bool real = poly_type_is_float(left->type);

		if (!is_inner(list, left->var)) {
			to->cell[n++] = to->cell[i];
			continue;
		}
		r->ok = !left->n_index && st->n < MOST_CELLS;
		if (r->ok)
			st->cell[st->n++] = (struct cell){ left, fe_c_make_node(
				&r->m, real ? FE_C_FLOAT : FE_C_INT, left->type,
				NULL, NULL) };
	}
	to->n = n;
}

/* Give the cell "left" the value "value". */
static void set_cell(struct ragged *r, struct state *st,
	const struct fe_c_expr *left, struct fe_c_expr *value)
{
	for (int i = st->n - 1; i >= 0; i--)
		if (fe_c_same(st->cell[i].left, left)) {
			st->cell[i].value = value;
			return;
		}
	r->ok = false;
}

/* Let the number of the loop over "step" be above those of all loops in "e". */
static void number_loop(struct ragged *r, struct fe_c_var *step,
	const struct fe_c_expr *e)
{
	int64_t number = last_number(e) + 1;

	if (number > step->value)
		step->value = number;
	r->ok &= number < POLY_MAX_LOOP;
}

/* Does "value" need none of the "n" cells but its own, by what these carry? */
static bool needs_itself(const struct fe_c_expr *value,
	struct fe_c_var *const *carry, int n, int own)
{
	for (int i = 0; i < n; i++)
		if (i != own && fe_c_reads(value, carry[i]))
			return false;
	return true;
}

/* Follow the loop "s" inside of a body, over cells that stay in place: each becomes a
 * LOOP.
 */
static void follow_inner(struct ragged *r, struct state *st,
	const struct fe_c_stmt *s)
{
	struct fe_c_var *step, *carry[MOST_CELLS], *v = s->var;
	struct fe_c_expr *range;
	struct state inner = *st, to = { .n = 0 };

	range = range_of(r, st, s);
	note_cells(r, &to, s->body);
	begin_inner(r, &inner, &to, s->body);
	r->ok &= range && inner.n + to.n + 1 < MOST_CELLS;
	if (!r->ok)
		return;
	step = add_scalar(r, v->name, v->type, FE_C_STEP);
	inner.cell[inner.n++] = (struct cell){ fe_c_make_read(&r->m, v),
		fe_c_make_read(&r->m, step) };
	for (int i = 0; i < to.n && r->ok; i++) {
		carry[i] = add_scalar(r, "carry", to.cell[i].left->type,
			FE_C_CARRY);
		to.cell[i].value = now(r, st, to.cell[i].left);
		inner.cell[inner.n++] = (struct cell){ to.cell[i].left,
			fe_c_make_read(&r->m, carry[i]) };
		r->ok &= !fe_c_reads(to.cell[i].left, v);
	}
	follow(r, &inner, s->body);
	for (int i = 0; i < to.n && r->ok; i++) {
		struct fe_c_expr *next = now(r, &inner, to.cell[i].left);

		r->ok &= next && needs_itself(next, carry, to.n, i);
		if (!r->ok)
			return;
		number_loop(r, step, next);
		to.cell[i].value = make_loop(r, step, carry[i], range,
			to.cell[i].value, next);
	}
	for (int i = 0; i < to.n && r->ok; i++) {
		carry[i]->value = step->value;
		set_cell(r, st, to.cell[i].left, to.cell[i].value);
	}
}

/* ------------------------------------------------------------------- statements */

/* Follow a condition: cells have what either way leaves. */
static void follow_if(struct ragged *r, struct state *st,
	const struct fe_c_stmt *s)
{
	struct fe_c_expr *cond = now(r, st, s->cond);
	struct state yes = *st, no = *st;

	follow(r, &yes, s->body);
	follow(r, &no, s->otherwise);
	for (int i = 0; i < st->n && r->ok; i++)
		if (yes.cell[i].value != no.cell[i].value)
			st->cell[i].value = fe_c_make_choice(&r->m,
				fe_c_copy_expr(r->m.u, cond), yes.cell[i].value,
				no.cell[i].value);
}

/* Follow one statement. */
static void follow_one(struct ragged *r, struct state *st,
	const struct fe_c_stmt *s)
{
	struct fe_c_expr *value;

	switch (s->kind) {
	case FE_C_ASSIGN:
		value = now(r, st, s->right);
		if (!r->ok)
			return;
		value = fe_c_make_cast(&r->m, s->left->type, value);
		if (s->declares && st->n < MOST_CELLS)
			st->cell[st->n++] = (struct cell){ s->left, value };
		else
			set_cell(r, st, s->left, value);
		break;
	case FE_C_FOR:
		follow_inner(r, st, s);
		break;
	case FE_C_IF:
		follow_if(r, st, s);
		break;
	case FE_C_BLOCK:
		follow(r, st, s->body);
		break;
	case FE_C_BREAK:
		r->ok = false;
		break;
	}
}

static void follow(struct ragged *r, struct state *st,
	const struct fe_c_stmt *s)
{
	for (; s && r->ok; s = s->next)
		follow_one(r, st, s);
}

/* Does a cell that the list "s" writes move with "v"? */
static bool cells_move(const struct fe_c_stmt *s, const struct fe_c_var *v)
{
	for (; s; s = s->next)
		if ((s->kind == FE_C_ASSIGN && fe_c_reads(s->left, v)) ||
		    cells_move(s->body, v) || cells_move(s->otherwise, v))
			return true;
	return false;
}

/* Must the loop "s" stand around the one over data? */
static bool is_head(const struct fe_c_stmt *s)
{
	return s->kind == FE_C_FOR && cells_move(s->body, s->var);
}

/* Follow the list "s", a body but for the loops that stand around: these have cells of
 * their own, and what the list declares in front of them.
 */
static void follow_top(struct ragged *r, const struct state *before,
	const struct fe_c_stmt *body)
{
	struct state st = *before, to = { .n = 0 };
	const struct fe_c_stmt *list = fe_c_inside(body), *s;
	int first = r->n_out;

	for (s = list; s; s = s->next) {
		struct fe_c_stmt one = *s;

		one.next = NULL;
		if (!is_head(s))
			note_cells(r, &to, &one);
	}
	begin_inner(r, &st, &to, body);
	for (int i = 0; i < to.n; i++)
		r->ok &= !is_inner(r->loop->body, to.cell[i].left->var);
	r->ok &= r->n_out + to.n <= MOST_CELLS && st.n + to.n <= MOST_CELLS;
	for (int i = 0; i < to.n && r->ok; i++) {
		struct written *w = &r->out[r->n_out++];

		*w = (struct written){ .n_head = r->n_head,
			.left = to.cell[i].left, .carry = add_scalar(r, "carry",
			to.cell[i].left->type, FE_C_CARRY) };
		for (int k = 0; k < r->n_head; k++)
			w->head[k] = r->head[k];
		st.cell[st.n++] = (struct cell){ w->left,
			fe_c_make_read(&r->m, w->carry) };
	}
	for (s = list; s && r->ok; s = s->next) {
		if (!is_head(s)) {
			follow_one(r, &st, s);
			continue;
		}
		r->ok = r->n_head < MOST_HEADS && s->step && !s->breaks;
		if (!r->ok)
			return;
		r->head[r->n_head++] = s;
		follow_top(r, &st, s->body);
		r->n_head--;
	}
	for (int i = 0; i < to.n && r->ok; i++)
		r->out[first + i].value = now(r, &st, to.cell[i].left);
}

/* ---------------------------------------------------------------------- checks */

static bool is_lost(const void *with, const struct fe_c_expr *e)
{
	const struct ragged *r = with;

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
static bool is_kept(const struct ragged *r, const struct fe_c_expr *e)
{
	return !fe_c_any(e, is_lost, r);
}

/* May cell "i" be computed by itself, below its loops? It moves with these, which do
 * not change; nothing else writes its variable.
 */
static bool is_apart(struct ragged *r, int i, struct fe_c_var *const *carry)
{
	const struct written *w = &r->out[i];
	bool apart = needs_itself(w->value, carry, r->n_out, i);

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
static struct fe_c_stmt *statement(const struct ragged *r,
	const struct written *w, const struct fe_c_expr *range,
	struct fe_c_stmt *next)
{
	struct fe_c_expr *e = make_loop(r, r->step, w->carry, range,
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
	struct ragged r = { .m = { u, &loop->loc }, .loop = loop, .ok = true };
	struct fe_c_var *carry[MOST_CELLS];
	struct fe_c_expr *range;
	struct fe_c_stmt *all, *list = NULL;
	struct state st = { .n = 0 };

	range = range_of(&r, &st, loop);
	if (!range || !is_kept(&r, range))
		return;
	r.step = add_scalar(&r, loop->var->name, loop->var->type, FE_C_STEP);
	st.cell[st.n++] = (struct cell){ fe_c_make_read(&r.m, loop->var),
		fe_c_make_read(&r.m, r.step) };
	follow_top(&r, &st, loop->body);
	for (int i = 0; i < r.n_out && r.ok; i++)
		carry[i] = r.out[i].carry;
	for (int i = 0; i < r.n_out && r.ok; i++) {
		r.ok = is_apart(&r, i, carry);
		if (r.ok)
			number_loop(&r, r.step, r.out[i].value);
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
