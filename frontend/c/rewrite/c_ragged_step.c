/* What one step of a loop whose bounds are data makes of cells. */
#include "frontend/c/rewrite/ragged.h"

static void follow(struct fe_c_ragged *r, struct fe_c_ragged_state *st,
	const struct fe_c_stmt *s);

/* ------------------------------------------------------------------ expressions */

/* A new scalar that a loop has: its step or what it carries. */
struct fe_c_var *fe_c_ragged_add_scalar(const struct fe_c_ragged *r, const char *name,
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
	struct fe_c_ragged *r;
	const struct fe_c_ragged_state *st;
};

/* What a cell holds in the place of "e", which may not read a part of one. */
static struct fe_c_expr *held(void *with, const struct fe_c_expr *e)
{
	const struct moment *at = with;
	const struct fe_c_ragged_state *st = at->st;

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
static struct fe_c_expr *now(struct fe_c_ragged *r, const struct fe_c_ragged_state *st,
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
struct fe_c_expr *fe_c_ragged_range_of(struct fe_c_ragged *r, const struct fe_c_ragged_state *st,
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
struct fe_c_expr *fe_c_ragged_make_loop(const struct fe_c_ragged *r,
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
static void note_cells(struct fe_c_ragged *r, struct fe_c_ragged_state *to,
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
			to->cell[to->n++] = (struct fe_c_ragged_cell){ s->left, NULL };
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
static void begin_inner(struct fe_c_ragged *r, struct fe_c_ragged_state *st, struct fe_c_ragged_state *to,
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
			st->cell[st->n++] = (struct fe_c_ragged_cell){ left, fe_c_make_node(
				&r->m, real ? FE_C_FLOAT : FE_C_INT, left->type,
				NULL, NULL) };
	}
	to->n = n;
}

/* Give the cell "left" the value "value". */
static void set_cell(struct fe_c_ragged *r, struct fe_c_ragged_state *st,
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
void fe_c_ragged_number_loop(struct fe_c_ragged *r, struct fe_c_var *step,
	const struct fe_c_expr *e)
{
	int64_t number = last_number(e) + 1;

	if (number > step->value)
		step->value = number;
	r->ok &= number < POLY_MAX_LOOP;
}

/* Does "value" need none of the "n" cells but its own, by what these carry? */
bool fe_c_ragged_needs_itself(const struct fe_c_expr *value,
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
static void follow_inner(struct fe_c_ragged *r, struct fe_c_ragged_state *st,
	const struct fe_c_stmt *s)
{
	struct fe_c_var *step, *carry[MOST_CELLS], *v = s->var;
	struct fe_c_expr *range;
	struct fe_c_ragged_state inner = *st, to = { .n = 0 };

	range = fe_c_ragged_range_of(r, st, s);
	note_cells(r, &to, s->body);
	begin_inner(r, &inner, &to, s->body);
	r->ok &= range && inner.n + to.n + 1 < MOST_CELLS;
	if (!r->ok)
		return;
	step = fe_c_ragged_add_scalar(r, v->name, v->type, FE_C_STEP);
	inner.cell[inner.n++] = (struct fe_c_ragged_cell){ fe_c_make_read(&r->m, v),
		fe_c_make_read(&r->m, step) };
	for (int i = 0; i < to.n && r->ok; i++) {
		carry[i] = fe_c_ragged_add_scalar(r, "carry", to.cell[i].left->type,
			FE_C_CARRY);
		to.cell[i].value = now(r, st, to.cell[i].left);
		inner.cell[inner.n++] = (struct fe_c_ragged_cell){ to.cell[i].left,
			fe_c_make_read(&r->m, carry[i]) };
		r->ok &= !fe_c_reads(to.cell[i].left, v);
	}
	follow(r, &inner, s->body);
	for (int i = 0; i < to.n && r->ok; i++) {
		struct fe_c_expr *next = now(r, &inner, to.cell[i].left);

		r->ok &= next && fe_c_ragged_needs_itself(next, carry, to.n, i);
		if (!r->ok)
			return;
		fe_c_ragged_number_loop(r, step, next);
		to.cell[i].value = fe_c_ragged_make_loop(r, step, carry[i], range,
			to.cell[i].value, next);
	}
	for (int i = 0; i < to.n && r->ok; i++) {
		carry[i]->value = step->value;
		set_cell(r, st, to.cell[i].left, to.cell[i].value);
	}
}

/* ------------------------------------------------------------------- statements */

/* Follow a condition: cells have what either way leaves. */
static void follow_if(struct fe_c_ragged *r, struct fe_c_ragged_state *st,
	const struct fe_c_stmt *s)
{
	struct fe_c_expr *cond = now(r, st, s->cond);
	struct fe_c_ragged_state yes = *st, no = *st;

	follow(r, &yes, s->body);
	follow(r, &no, s->otherwise);
	for (int i = 0; i < st->n && r->ok; i++)
		if (yes.cell[i].value != no.cell[i].value)
			st->cell[i].value = fe_c_make_choice(&r->m,
				fe_c_copy_expr(r->m.u, cond), yes.cell[i].value,
				no.cell[i].value);
}

/* Follow one statement. */
static void follow_one(struct fe_c_ragged *r, struct fe_c_ragged_state *st,
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
			st->cell[st->n++] = (struct fe_c_ragged_cell){ s->left, value };
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

static void follow(struct fe_c_ragged *r, struct fe_c_ragged_state *st,
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
void fe_c_ragged_follow_top(struct fe_c_ragged *r, const struct fe_c_ragged_state *before,
	const struct fe_c_stmt *body)
{
	struct fe_c_ragged_state st = *before, to = { .n = 0 };
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
		struct fe_c_ragged_written *w = &r->out[r->n_out++];

		*w = (struct fe_c_ragged_written){ .n_head = r->n_head,
			.left = to.cell[i].left, .carry = fe_c_ragged_add_scalar(r, "carry",
			to.cell[i].left->type, FE_C_CARRY) };
		for (int k = 0; k < r->n_head; k++)
			w->head[k] = r->head[k];
		st.cell[st.n++] = (struct fe_c_ragged_cell){ w->left,
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
		fe_c_ragged_follow_top(r, &st, s->body);
		r->n_head--;
	}
	for (int i = 0; i < to.n && r->ok; i++)
		r->out[first + i].value = now(r, &st, to.cell[i].left);
}
