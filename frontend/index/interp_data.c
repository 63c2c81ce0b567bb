/* The interpreter: are positions that are data inside of their tensors?
 *
 * Each gather is looked at for all values of the indices that its positions, and
 * the conditions under which it is read, depend on: of emb(id(t),d) for each t
 * once. Other indices only need to have a value. What a condition of a piece or of
 * "?:" leaves out is not read. What cannot be evaluated, as the condition of a piece
 * that is read where only another part of it decides, is left to the kernel's own
 * guard. The same goes for the positions at which definitions are updated.
 */
#include <string.h>

#include "frontend/index/interp_index.h"

/* A condition on the way to a gather. "holds": what it has to be. */
enum kind { OF_SCOPE, OF_PIECE, OF_CHOICE };
struct step {
	const struct step *outer;
	const struct fe_scalar *condition;
	bool holds;
	enum kind kind;
};
/* What is read, or updated, at the positions "at"; those that are NULL are affine. */
struct target {
	const struct fe_interp_object *o;
	const struct fe_scalar *at[FE_MAX_RANK];
	struct poly_loc loc;
	bool update;
};
/* The search for gathers, and then for what they read. */
struct looker {
	struct fe_index_interp *in;
	const struct fe_tensor *tensor;
	const struct fe_scope *scope[FE_MAX_LOOP + 1];
	int n_scope;
	struct target to;
	const struct step *way;
	const struct fe_index *loop[FE_MAX_LOOP];	/* over which it goes */
	int n_loop;
	const char *input;		/* whose range is asked for, or NULL */
	struct fe_bad_read *bad;
	bool found;
};

/* ------------------------------------------------------------------ points */

/* Does the way up to "s" lead to the gather at the indices that are set? What is
 * outside decides first: what is inside need not have a value elsewhere.
 */
static bool leads(struct looker *l, const struct step *s)
{
	struct fe_number v;

	if (!s)
		return true;
	if (!leads(l, s->outer))
		return false;
	if (s->kind == OF_SCOPE)
		v = (struct fe_number) { .i = fe_interp_holds(l->in,
			s->condition) };
	else if (s->kind == OF_PIECE)
		v = fe_interp_guard(l->in, s->condition);
	else
		v = fe_interp_scalar(l->in, s->condition);
	return !l->in->missing && (v.bound != 0 || !v.i != s->holds);
}

/* Note that position "d" of the target is "at". */
static void note_bad(struct looker *l, int d, int64_t at)
{
	const struct fe_interp_object *o = l->to.o;
	struct fe_bad_read *bad = l->bad;
	int i;

	*bad = (struct fe_bad_read) { .name = o->tensor->symbol->name,
		.loc = l->to.loc, .update = l->to.update, .dim = d, .at = at, .first = o->first[d],
		.last = o->first[d] + o->size[d] - 1, .n_index = l->n_loop };
	for (i = 0; i < l->n_loop; i++) {
		bad->index[i] = l->loop[i]->symbol ? l->loop[i]->symbol->name :
			"?";
		bad->value[i] = l->in->index[l->loop[i]->slot];
	}
	l->found = true;
}

/* Look at the target at the indices that are set. */
static void look_here(struct looker *l)
{
	const struct fe_interp_object *o = l->to.o;
	struct fe_number v;

	if (!leads(l, l->way))
		return;
	for (int d = 0; d < o->tensor->rank && !l->found; d++) {
		if (!l->to.at[d])
			continue;
		v = fe_interp_position(l->in, l->to.at[d]);
		if (l->in->missing || l->in->failed)
			return;
		if (v.i < o->first[d] || v.i - o->first[d] >= o->size[d])
			note_bad(l, d, v.i);
	}
}

/* The same, evaluating first what it needs. */
static void look_at_point(struct looker *l)
{
	int64_t index[FE_MAX_LOOP];
	int i;

	for (i = 0; i < l->n_loop; i++)
		index[i] = l->in->index[l->loop[i]->slot];
	do {
		l->in->missing = false;
		l->in->n_task = 0;
		look_here(l);
		if (!l->in->missing)
			break;
		fe_interp_finish(l->in);
		for (i = 0; i < l->n_loop; i++)
			l->in->index[l->loop[i]->slot] = index[i];
	} while (!l->in->failed);
}

/* Look at the gather for all values of the loops from number "i" on, until a
 * bad position is found or the evaluation fails.
 */
static void loop(struct looker *l, int i)
{
	int64_t first, last, k;

	if (i == l->n_loop) {
		look_at_point(l);
		return;
	}
	fe_interp_range(l->in, l->loop[i], &first, &last);
	for (k = first; k <= last && !l->found && !l->in->failed; k++) {
		l->in->index[l->loop[i]->slot] = k;
		loop(l, i + 1);
	}
}

/* ----------------------------------------------------------------- indices */

/* What is asked of the indices in an expression: which there are, or whether
 * one of "used" is.
 */
struct mention {
	const bool *used;
	bool *mentions, any;
};

/* Callback: note an index that is mentioned, or whether it is one of those
 * used.
 */
static void note_index(struct fe_scalar *e, void *user)
{
	struct mention *m = user;

	if (e->kind != FE_S_INDEX)
		return;
	m->any |= m->used && m->used[e->index->slot];
	if (m->mentions)
		m->mentions[e->index->slot] = true;
}

/* Mark the indices that "e" mentions in "used". */
static void use(const struct fe_scalar *e, bool *used)
{
	struct mention m = { .mentions = used };

	fe_scalar_each((struct fe_scalar *)e, note_index, &m);
}

/* Does "e" mention an index that is used? */
static bool mentions(const struct fe_scalar *e, const bool *used)
{
	struct mention m = { .used = used };

	fe_scalar_each((struct fe_scalar *)e, note_index, &m);
	return m.any;
}

/* Mark the indices that decide on the positions of the target, and on whether it is
 * read.
 */
static void find_used(const struct looker *l, bool *used)
{
	const struct step *s;
	int n = -1, now = 0, i;

	for (i = 0; i < l->to.o->tensor->rank; i++)
		if (l->to.at[i])
			use(l->to.at[i], used);
	for (s = l->way; s; s = s->outer)
		if (s->kind != OF_SCOPE)
			use(s->condition, used);
	while (n != now) {
		n = now;
		for (s = l->way; s; s = s->outer)
			if (mentions(s->condition, used))
				use(s->condition, used);
		for (i = now = 0; i < l->tensor->n_slot; i++)
			now += used[i];
	}
}

/* The loops over the indices that are used; false if another one has no value, so
 * that nothing is read.
 */
static bool find_loops(struct looker *l, const bool *used)
{
	const struct fe_index *i;
	int64_t first, last;

	l->n_loop = 0;
	for (int k = 0; k < l->n_scope; k++)
		for (i = l->scope[k]->first; i; i = i->next) {
			if (i->told)
				continue;
			fe_interp_range(l->in, i, &first, &last);
			if (first > last)
				return false;
			l->in->index[i->slot] = first;
			if (used[i->slot] && l->n_loop < FE_MAX_LOOP)
				l->loop[l->n_loop++] = i;
		}
	return true;
}

/* ------------------------------------------------------------------- walks */

/* If the position "e" is what the input asked for holds, its values are at most
 * those of dimension "d" of what it reads.
 */
static void limit_input(struct looker *l, const struct fe_scalar *e, int d)
{
	const struct fe_interp_object *o = l->to.o;
	int64_t last = o->first[d] + o->size[d] - 1;

	while (e->kind == FE_S_CAST)
		e = e->arg[0];
	if (e->kind != FE_S_READ || strcmp(e->tensor->name, l->input))
		return;
	if (!l->found || l->bad->first < o->first[d])
		l->bad->first = o->first[d];
	if (!l->found || l->bad->last > last)
		l->bad->last = last;
	l->found = true;
}

/* Look at the target l->to, to which "way" leads. If a range is asked for, only
 * the dimensions that it reads with the input count; else all values of the
 * indices that decide on it are tried.
 */
static void look_at(struct looker *l, const struct step *way)
{
	bool used[FE_MAX_SLOT] = { false };

	l->way = way;
	for (int d = 0; l->input && d < l->to.o->tensor->rank; d++)
		if (l->to.at[d])
			limit_input(l, l->to.at[d], d);
	if (l->input || l->tensor->n_slot > FE_MAX_SLOT)
		return;
	find_used(l, used);
	if (find_loops(l, used))
		loop(l, 0);
}

static void look_at_gather(struct looker *l, const struct fe_scalar *e,
	const struct step *way)
{
	l->to = (struct target) { .o = &l->in->object[e->tensor->id],
		.loc = e->loc };
	for (int d = 0; d < e->n_arg; d++)
		l->to.at[d] = e->arg[d]->affine ? NULL : e->arg[d];
	look_at(l, way);
}

/* Take the positions that "c" says of a cell; the other conditions are on the way. */
static void find_cell(struct looker *l, const struct fe_scalar *c,
	const struct fe_scalar *guard[FE_MAX_RANK], int *n)
{
	const struct fe_index *i = l->tensor->scope.first;
	int d = 0;

	if (!c->cell && c->op == POLY_OP_AND && c->logic) {
		find_cell(l, c->arg[0], guard, n);
		find_cell(l, c->arg[1], guard, n);
	} else if (!c->cell && *n < FE_MAX_RANK) {
		guard[(*n)++] = c;
	}
	if (!c->cell)
		return;
	for (; i != c->arg[1]->index; i = i->next)
		d++;
	l->to.at[d] = c->arg[0];
	l->to.loc = c->loc;
}

/* Look at the cells from guard "k" of "n" on. */
static void look_at_cells(struct looker *l, const struct fe_scalar **guard,
	int k, int n, const struct step *way)
{
	struct step s = { way, k < n ? guard[k] : NULL, true, OF_CHOICE };

	if (k < n)
		look_at_cells(l, guard, k + 1, n, &s);
	else
		look_at(l, way);
}

static void walk(struct looker *l, const struct fe_scalar *e,
	const struct step *way);

/* Walk the conditions "c" of a scope, then "e" within them. */
static void walk_within(struct looker *l, const struct fe_scalar *c,
	const struct fe_scalar *e, const struct step *way)
{
	struct step s = { way, c, true, OF_SCOPE };

	if (c)
		walk_within(l, c->next, e, &s);
	else
		walk(l, e, way);
}

/* Walk "e" with the conditions "way" on the path to it. What an arm of "?:"
 * reads is read only where the condition says so.
 */
static void walk(struct looker *l, const struct fe_scalar *e,
	const struct step *way)
{
	struct step s = { way, e->arg[0], true, OF_CHOICE };

	if ((l->found && !l->input) || l->in->failed)
		return;
	if (e->kind == FE_S_REDUCE) {
		l->scope[l->n_scope++] = e->scope;
		for (int i = 0; i < e->n_arg; i++)
			walk_within(l, e->scope->condition, e->arg[i], way);
		l->n_scope--;
		return;
	}
	for (int i = 0; i < e->n_arg; i++) {
		bool arm = e->kind == FE_S_OP && i &&
			poly_op_shape(e->op) == POLY_SHAPE_SELECT;

		s.holds = i == 1;
		walk(l, e->arg[i], arm ? &s : way);
	}
	if (fe_scalar_gathers(e))
		look_at_gather(l, e, way);
}

/* Walk the pieces from "p" on, none before which holds. */
static void walk_pieces(struct looker *l, const struct fe_piece *p,
	const struct step *way)
{
	struct step s = { way, p ? p->condition : NULL, true, OF_PIECE };

	if (!p)
		return;
	if (!p->condition) {
		walk(l, p->value, way);
		return;
	}
	walk(l, p->condition, way);
	walk(l, p->value, &s);
	s.holds = false;
	walk_pieces(l, p->next, &s);
}

/* Walk what "c" and those behind it lead to at the cells that "e" updates. */
static void walk_cells(struct looker *l, const struct fe_scalar *c,
	const struct fe_scalar *e, const struct step *way)
{
	struct step s = { way, c, true, OF_SCOPE };
	const struct fe_scalar *guard[FE_MAX_RANK];
	int n = 0;

	if (c) {
		walk_cells(l, c->next, e, &s);
		return;
	}
	l->to = (struct target) { .o = &l->in->object[l->tensor->id],
		.update = true };
	find_cell(l, e->arg[1], guard, &n);
	look_at_cells(l, guard, 0, n, way);
}

/* Does "c" mention an index that data tell? */
static bool is_told(const struct fe_scalar *c)
{
	bool is = c->kind == FE_S_INDEX && c->index->told;

	for (int k = 0; k < c->n_arg && !is; k++)
		is = is_told(c->arg[k]);
	return is;
}

/* Walk the pieces of the tensor, within the conditions "c" of its scope. What these
 * say of positions that data tell does not say what is looked at.
 */
static void walk_tensor(struct looker *l, const struct fe_scalar *c,
	const struct step *way)
{
	struct step s = { way, c, true, OF_SCOPE };
	const struct fe_scalar *e = fe_tensor_cells(l->tensor);

	if (c) {
		walk_tensor(l, c->next, is_told(c) ? way : &s);
		return;
	}
	walk_pieces(l, l->tensor->piece, way);
	if (l->tensor->start)
		walk(l, l->tensor->start, way);
	if (!e || (l->found && !l->input))
		return;
	l->scope[l->n_scope++] = e->scope;
	walk_cells(l, e->scope->condition, e, way);
	l->n_scope--;
}

/* Walk all definitions that outputs need. */
static void walk_all(struct looker *l)
{
	const struct fe_tensor *t;

	for (t = l->in->unit->sorted; t; t = t->order_next) {
		if (!t->live || t->call || t->hidden)
			continue;
		l->tensor = t;
		l->scope[0] = &t->scope;
		l->n_scope = 1;
		walk_tensor(l, t->scope.condition, NULL);
	}
}

bool fe_index_interp_check(void *interp, struct fe_bad_read *bad)
{
	struct looker l = { .in = interp, .bad = bad };

	walk_all(&l);
	l.in->failed = false;
	return !l.found;
}

bool fe_index_interp_positions(void *interp, const char *name, int64_t *first,
	int64_t *last)
{
	struct fe_bad_read range = { 0 };
	struct looker l = { .in = interp, .bad = &range, .input = name };

	walk_all(&l);
	*first = l.found ? range.first : INT64_MIN;
	*last = l.found ? range.last : INT64_MAX;
	for (int i = 0; i < l.in->unit->n_input; i++)
		if (!strcmp(l.in->unit->in[i]->name, name))
			l.found |= fe_interp_limits(l.in, l.in->unit->in[i],
				first, last);
	return l.found;
}
