/* Data-parallel functions: loops around, and definitions over them.
 *
 * What the evaluator makes goes on as index notation, so that everything behind
 * it, lowering, interpreter and printing, is shared. A definition has an index
 * for each loop around it, in their order, and behind these its own:
 *
 *	xs = map(f, ys) within a loop over i	xs(i, j) = f(ys(j))
 */
#include <stdio.h>
#include <string.h>

#include "frontend/parallel/par_eval.h"

/* Such a name would be read as something else if it named a definition. */
bool fe_par_has_meaning(const struct fe_symbol *s)
{
	return s->function || fe_index_is_taken(s->name);
}

/* "t", "t_1", "t_2", ..: none that the text or another definition has. The
 * number is kept with the plain name, so that a thousand temporaries take a
 * thousand steps.
 */
struct fe_symbol *fe_par_fresh(struct fe_par *p, const char *hint)
{
	struct fe_symbol *plain = fe_symbol_find(p->unit, hint, strlen(hint));
	struct fe_symbol *s = plain;
	char text[FE_MAX_NAME + 80];

	while (s->define_line || fe_par_has_meaning(s)) {
		snprintf(text, sizeof(text), "%.100s_%d", hint,
			++plain->next_number);
		s = fe_symbol_find(p->unit, text, strlen(text));
	}
	s->define_line = 1;
	return s;
}

/* The index of a new innermost loop of that length, as a scalar. Names go from
 * i on by depth. Stops with a message if there are too many, or none may be.
 */
const struct fe_par_scalar *fe_par_enter(struct fe_par *p,
	const struct fe_par_scalar *length, const struct poly_loc *loc)
{
	static const char *const names[] = { "i", "j", "k", "l", "m", "n",
		"o", "p", "q", "r", "s", "t", "u", "v", "w", "x" };
	struct fe_par_loop *l = &p->loop[p->n_loop];

	if (p->plain) {
		FE_REPORT(p->unit, FE_PAR_YET, loc, "a loop",
			"it is in a function that a definition calls");
		fe_par_stop(p);
	}
	if (p->n_loop == FE_MAX_LOOP) {
		FE_REPORT(p->unit, FE_LOOPS, loc, FE_MAX_LOOP);
		fe_par_stop(p);
	}
	*l = fe_par_loop(fe_par_fresh(p, names[p->n_loop]), length, loc);
	fe_par_place(p, l->length, loc);
	p->n_loop++;
	return fe_par_name(p, l->symbol, 1u << (p->n_loop - 1), loc);
}

/* The innermost "n". */
void fe_par_leave(struct fe_par *p, int n)
{
	p->n_loop -= n;
}

/* ------------------------------------------------------ lengths that data tell */

/* A length that data tell has a bound that sizes tell: the array has as many
 * places, of which the first "length" count.
 */
const struct fe_par_scalar *fe_par_bound(const struct fe_par_scalar *a)
{
	return a->place || !a->bound ? a : a->bound;
}

/* "live" is the true length then: NULL if every position counts. */
struct fe_par_loop fe_par_loop(struct fe_symbol *symbol,
	const struct fe_par_scalar *length, const struct poly_loc *loc)
{
	struct fe_par_loop l = { .symbol = symbol, .loc = loc };

	l.length = fe_par_bound(length);
	l.live = l.length == length ? NULL : length;
	return l;
}

/* The loops that those of "loops" need for their lengths, and these.
 *
 * From the innermost outwards, as lengths name only loops further out.
 */
static unsigned with_outer(const struct fe_par *p, unsigned loops)
{
	int k;

	for (k = p->n_loop - 1; k >= 0; k--)
		if (loops & 1u << k)
			loops |= p->loop[k].length->loops | (p->loop[k].live ?
				p->loop[k].live->loops : 0);
	return loops;
}

/* As a set of bits: the n innermost. */
unsigned fe_par_inner(const struct fe_par *p, int n)
{
	return n ? ((1u << n) - 1) << (p->n_loop - n) : 0;
}

/* A condition, or NULL: all positions of these loops that count, i < live for
 * each that has one.
 */
const struct fe_par_scalar *fe_par_live(struct fe_par *p, unsigned loops)
{
	static const struct fe_par_callee less = { .kind = FE_PAR_C_OP,
		.op = POLY_OP_LT, .n_arg = 2, .spelling = "<" };
	static const struct fe_par_callee both = { .kind = FE_PAR_C_OP,
		.op = POLY_OP_AND, .n_arg = 2, .logic = true, .spelling = "&&" };
	const struct fe_par_scalar *arg[2], *all = NULL;
	int k;

	loops = with_outer(p, loops);
	for (k = 0; k < p->n_loop; k++) {
		const struct fe_par_loop *l = &p->loop[k];

		if (!(loops & 1u << k) || !l->live)
			continue;
		arg[0] = fe_par_name(p, l->symbol, 1u << k, l->loc);
		arg[1] = l->live;
		arg[1] = fe_par_operation(p, &less, arg, 2, l->loc);
		arg[0] = all;
		all = all ? fe_par_operation(p, &both, arg, 2, l->loc) : arg[1];
	}
	return all;
}

/* "a" where the position counts, and "other" elsewhere, without evaluating "a"
 * there.
 */
const struct fe_par_scalar *fe_par_guard(struct fe_par *p, unsigned loops,
	const struct fe_par_scalar *a, const struct fe_par_scalar *other,
	const struct poly_loc *loc)
{
	const struct fe_par_scalar *live = fe_par_live(p, loops);

	return live ? fe_par_select(p, POLY_OP_BRANCH, live, a, other, loc) : a;
}

/* ------------------------------------------------------------------- copies */

/* -------------------------------------------------------------- definitions */

/* 0 <= i and i < length, as two conditions. */
struct fe_scalar *fe_par_bounds(struct fe_par *p, const struct fe_par_loop *l)
{
	const struct fe_par_scalar *i = fe_par_name(p, l->symbol, 0, l->loc);
	const struct fe_par_scalar *zero = fe_par_number(p, POLY_I32, 0,
		l->loc);
	struct fe_scalar *c = fe_par_op(p, POLY_OP_LE, zero->place,
		fe_scalar_copy(p->unit, i->place, NULL, NULL), l->loc);
	struct fe_scalar *first = fe_scalar_copy(p->unit, i->place, NULL, NULL);

	if (l->tile)
		first = fe_par_op(p, POLY_OP_MUL, fe_scalar_copy(p->unit,
			fe_par_number(p, POLY_I32, l->tile, l->loc)->place,
			NULL, NULL), first, l->loc);
	c->next = fe_par_op(p, POLY_OP_LT, first, fe_scalar_copy(p->unit,
		l->length->place, NULL, NULL), l->loc);
	return c;
}

/* The loops that "loops" needs, with those that lengths of these and the path
 * need.
 *
 * The path are conditions of choices around; a definition within one must have
 * their loops.
 */
static unsigned close_loops(const struct fe_par *p, unsigned loops)
{
	int k;

	for (k = 0; k < p->n_path; k++)
		loops |= p->path[k]->loops;
	return with_outer(p, loops);
}

/* Add to "t" the index of the loop "l".
 *
 * Its range is in the scope's conditions.
 */
static void add_index(struct fe_par *p, struct fe_tensor *t,
	const struct fe_par_loop *l)
{
	struct fe_index *i = fe_arena_alloc(&p->unit->arena, sizeof(*i)), **at;
	struct fe_scalar **tail = &t->scope.condition;

	i->symbol = l->symbol;
	i->loc = *l->loc;
	for (at = &t->scope.first; *at; at = &(*at)->next)
		;
	*at = i;
	t->scope.n++;
	t->rank++;
	while (*tail)
		tail = &(*tail)->next;
	*tail = fe_par_bounds(p, l);
}

/* The definition holds where the path does.
 *
 * "guarded" tells that some elements of the definition are none.
 */
static void add_path(struct fe_par *p, struct fe_tensor *t)
{
	struct fe_scalar **tail = &t->scope.condition;
	int k;

	p->guarded |= p->n_path > 0;
	while (*tail)
		tail = &(*tail)->next;
	for (k = 0; k < p->n_path; k++) {
		*tail = fe_scalar_copy(p->unit, fe_par_place(p, p->path[k], &t->loc),
			NULL, NULL);
		tail = &(*tail)->next;
	}
}

/* For lengths that depend on the store's own positions. */
void fe_par_own_loops(const struct fe_par *p, struct fe_par_store *s)
{
	int k;

	s->own_loops = fe_par_inner(p, s->n_own);
	for (k = 0; k < s->n_own; k++)
		s->own[k] = p->loop[p->n_loop - s->n_own + k].symbol;
}

/* "loops" are those that its value needs, "n_own" of the innermost are its own
 * dimensions. "store->outer" receives the indices of the others. Its pieces
 * come later (fe_par_piece). Names of types and order are as if the text had
 * written them.
 */
struct fe_tensor *fe_par_define(struct fe_par *p, const char *hint,
	const struct poly_loc *loc, enum poly_type type, unsigned loops,
	int n_own, struct fe_par_store *store)
{
	struct fe_tensor *t = fe_arena_alloc(&p->unit->arena, sizeof(*t));
	int k;

	loops = close_loops(p, loops);
	store->n_outer = 0;
	t->symbol = fe_par_fresh(p, hint);
	t->symbol->tensor = t;
	t->loc = *loc;
	t->order = 1;
	t->update = POLY_OP_NONE;
	t->has_type = true;
	t->type = type;
	for (k = 0; k < p->n_loop; k++) {
		bool own = k >= p->n_loop - n_own;

		if (!own && !(loops & 1u << k))
			continue;
		if (t->rank == FE_MAX_RANK) {
			FE_REPORT(p->unit, FE_RANK, loc, FE_MAX_RANK);
			fe_par_stop(p);
		}
		if (!own)
			store->outer[store->n_outer++] = fe_par_name(p,
				p->loop[k].symbol, 1u << k, loc);
		add_index(p, t, &p->loop[k]);
	}
	add_path(p, t);
	*p->tensor_tail = t;
	p->tensor_tail = &t->next;
	return t;
}

/* "condition" NULL: everywhere else. Pieces hold in their order. */
void fe_par_piece(struct fe_par *p, struct fe_tensor *t,
	const struct fe_scalar *condition, const struct fe_scalar *value)
{
	struct fe_piece *piece = fe_arena_alloc(&p->unit->arena,
		sizeof(*piece)), **tail = &t->piece;

	piece->loc = value->loc;
	piece->value = fe_scalar_copy(p->unit, value, NULL, NULL);
	if (condition)
		piece->condition = fe_scalar_copy(p->unit, condition, NULL, NULL);
	while (*tail)
		tail = &(*tail)->next;
	*tail = piece;
}
