/* Values that are put together one after the other: a recurrence of as many states as
 * the value has numbers, in pieces where the operator may be grouped in another way.
 */
#include <string.h>

#include "frontend/parallel/par_reduce.h"

/* -------------------------------------------------------------- recurrences */

/* The array of the store by itself. */
struct fe_par_value fe_par_store_value(struct fe_par *p, struct fe_par_store *s,
	const struct fe_par_scalar *length, const struct poly_loc *loc)
{
	s->length[0] = length;
	return fe_par_stored(p, s, NULL, 0, loc);
}

/* The condition that the innermost loop is at 0. */
const struct fe_par_scalar *fe_par_at_first(struct fe_par *p,
	const struct fe_par_scalar *i, const struct poly_loc *loc)
{
	static const struct fe_par_callee equal = { .kind = FE_PAR_C_OP,
		.op = POLY_OP_EQ, .n_arg = 2, .spelling = "==" };
	const struct fe_par_scalar *arg[2] = { i,
		fe_par_number(p, POLY_I32, 0, loc) };

	return fe_par_operation(p, &equal, arg, 2, loc);
}

/* The loops that the numbers of "v" need. */
static unsigned loops_of(struct fe_par *p, const struct fe_par_value *v)
{
	int i, n = fe_par_count(&v->type);
	const struct fe_par_scalar **leaf = fe_arena_alloc(&p->unit->arena,
		((size_t)n + 1) * sizeof(*leaf));
	unsigned loops = 0;

	fe_par_flatten(v, leaf);
	for (i = 0; i < n; i++)
		loops |= leaf[i]->loops;
	return loops;
}

/* The definitions of a recurrence in the loop that has been entered, over one position
 * more than the array has, yet without values.
 */
static struct fe_tensor **define_states(const struct par_reduction *r,
	struct fe_par_store *s, unsigned loops)
{
	struct fe_par *p = r->p;
	int i, n = fe_par_count(&r->id->type);
	struct fe_tensor **t = fe_arena_alloc(&p->unit->arena,
		((size_t)n + 1) * sizeof(*t));

	s->type = fe_par_array_of(r->id->type);
	s->n_own = 1;
	s->symbol = fe_arena_alloc(&p->unit->arena,
		((size_t)n + 1) * sizeof(*s->symbol));
	for (i = 0; i < n; i++) {
		t[i] = fe_par_define(p, fe_par_leaf_name(p, &r->id->type, i,
			r->e->symbol->name), r->loc,
			fe_par_leaf_type(&r->id->type, i), loops, 1, s);
		s->symbol[i] = t[i]->symbol;
	}
	return t;
}

/* Give "t" its values: "first", and behind that "next" of the loop "from", which goes
 * over the elements.
 */
static void set_states(struct fe_par *p, struct fe_tensor **t,
	const struct fe_par_value *first, const struct fe_par_value *next,
	const struct fe_symbol *from, const struct poly_loc *loc)
{
	const struct fe_par_loop *l = &p->loop[p->n_loop - 1];
	const struct fe_par_scalar *i = fe_par_name(p, l->symbol, 0, loc);
	const struct fe_par_scalar *back = fe_par_plus(p, i, -1, loc);
	int k, n = fe_par_count(&first->type);
	const struct fe_par_scalar **leaf = fe_arena_alloc(&p->unit->arena,
		2 * ((size_t)n + 1) * sizeof(*leaf));

	fe_par_flatten(first, leaf);
	fe_par_flatten(next, leaf + n);
	for (k = 0; k < n; k++) {
		fe_par_piece(p, t[k], fe_par_at_first(p, i, loc)->place, leaf[k]->data);
		fe_par_piece(p, t[k], NULL, fe_scalar_copy(p->unit, leaf[n + k]->data,
			from, back->place));
	}
}

/* "next" where those of "loops" count, elsewhere "now". */
static struct fe_par_value stay(struct fe_par *p, struct fe_par_value next,
	struct fe_par_value now, unsigned loops, const struct poly_loc *loc)
{
	const struct fe_par_scalar **leaf, **old;
	int i, n;

	leaf = fe_par_leaves(p, &next, &n);
	old = fe_par_leaves(p, &now, &n);
	for (i = 0; i < n; i++)
		leaf[i] = fe_par_guard(p, loops, leaf[i], old[i], loc);
	return fe_par_unflatten(p, next.type, leaf);
}

/* The identity where a segment "begins", elsewhere "now". */
static struct fe_par_value start_again(struct par_reduction *r,
	const struct fe_par_scalar *begins, struct fe_par_value now)
{
	const struct fe_par_scalar **leaf, **id;
	int i, n;

	leaf = fe_par_leaves(r->p, &now, &n);
	id = fe_par_leaves(r->p, r->id, &n);
	for (i = 0; i < n; i++)
		leaf[i] = fe_par_select(r->p, POLY_OP_SELECT, begins, id[i],
			leaf[i], r->loc);
	return fe_par_unflatten(r->p, now.type, leaf);
}

/* A recurrence whose operator is told apart from what it is applied to: its states in
 * "store", the "element" at "i" of the loop "over", which is at "depth"; how many "steps"
 * the operator took.
 */
struct par_join {
	struct fe_par_store *store;
	struct fe_tensor **state;
	const struct fe_par_value *element;
	const struct fe_par_scalar *i;
	const struct fe_symbol *over;
	unsigned loops;
	int depth, steps;
};

/* Does the text promise that "id" changes nothing? That of an operator of the language need
 * not be its own.
 */
static bool has_identity(const struct par_reduction *r)
{
	const struct fe_par_callee *op;

	if (r->e->builtin == FE_PAR_B_ITERATE)
		return false;
	op = fe_par_operator_of(r->callee);
	return !op || fe_par_is_identity(op->op, r->id->scalar);
}

/* Where segments begin, as a definition over the states of "j". */
static struct fe_tensor *segment_begins(struct par_reduction *r,
	const struct par_join *j, const struct fe_par_loop *over)
{
	struct fe_par *p = r->p;
	struct fe_par_store *s = fe_arena_alloc(&p->unit->arena, sizeof(*s));
	struct fe_tensor *t = fe_par_define(p, "begins", r->loc, POLY_BOOL,
		j->loops, 1, s);
	struct fe_par_value none = { .type = fe_par_plain(POLY_BOOL) };
	struct fe_par_value is = none;
	struct fe_par_loop states = p->loop[j->depth];

	p->loop[j->depth] = *over;
	none.scalar = fe_par_number(p, POLY_BOOL, 0, r->loc);
	is.scalar = fe_par_guard(p, 1u << j->depth, fe_par_element_at(p,
		r->begins, j->i).scalar, none.scalar, r->loc);
	p->loop[j->depth] = states;
	set_states(p, &t, &none, &is, j->over, r->loc);
	return t;
}

/* Say of the states of "j" by which operator they are put together, and with what, as
 * definitions of their own: none if that is more than one expression.
 */
static void add_join(struct par_reduction *r, const struct par_join *j)
{
	struct fe_par *p = r->p;
	struct fe_join *join = fe_arena_alloc(&p->unit->arena, sizeof(*join));
	struct fe_tensor **all = p->tensor_tail, **tail, *t;
	struct fe_par_store *right = fe_arena_alloc(&p->unit->arena,
		sizeof(*right)), *body = fe_arena_alloc(&p->unit->arena,
		sizeof(*body));
	struct fe_par_loop states = p->loop[j->depth], over;
	const struct fe_par_scalar *next = fe_par_plus(p, j->i, 1, r->loc);
	struct fe_par_value arg[2], made[2];
	int steps = p->steps;

	if (steps + 2 * j->steps > FE_PAR_STEPS)
		return;
	*join = (struct fe_join) { .n = fe_par_count(&r->id->type),
		.state = j->state };
	join->right = define_states(r, right, j->loops);
	join->body = define_states(r, body, j->loops);
	over = fe_par_loop((struct fe_symbol *)j->over, r->xs->length, r->loc);
	if (r->begins)
		join->begins = segment_begins(r, j, &over);
	tail = p->tensor_tail;
	p->loop[j->depth] = over;
	arg[0] = fe_par_stored(p, j->store, &j->i, 1, r->loc);
	arg[1] = fe_par_stored(p, right, &next, 1, r->loc);
	p->again = true;
	made[0] = fe_par_round_all(p, fe_par_apply(p, r->callee, arg, 2, r->loc));
	p->again = false;
	made[1] = stay(p, *j->element, *r->id, 1u << j->depth, r->loc);
	p->loop[j->depth] = states;
	p->steps = steps;
	if (p->tensor_tail != tail) {
		*all = NULL;
		p->tensor_tail = all;
		return;
	}
	set_states(p, join->body, r->id, &made[0], j->over, r->loc);
	set_states(p, join->right, r->id, &made[1], j->over, r->loc);
	for (int k = 0; k < join->n; k++)
		join->state[k]->join = join;
	for (t = *all; t; t = t->next) {
		t->join = join;
		t->aside = true;
	}
}

/* All values that are put together one after the other, by any function. */
static struct fe_par_store *fold(struct par_reduction *r)
{
	struct fe_par *p = r->p;
	struct fe_par_store *s = fe_arena_alloc(&p->unit->arena, sizeof(*s));
	int depth = p->n_loop;
	const struct fe_par_scalar *i = fe_par_enter(p, r->xs->length, r->loc);
	struct fe_symbol *over = p->loop[depth].symbol;
	struct fe_par_value arg[2], before, next;
	struct fe_tensor **t;
	struct fe_par_loop states;
	unsigned loops, segment_loops;
	int steps;

	arg[1] = fe_par_element_at(p, r->xs, i);
	segment_loops = r->begins ? fe_par_element_at(p, r->begins,
		i).scalar->loops & ~(1u << depth) : 0;
	loops = (loops_of(p, &arg[1]) & ~(1u << depth)) |
		loops_of(p, r->id) | r->xs->length->loops | segment_loops |
		fe_par_bound(r->xs->length)->loops;
	fe_par_leave(p, 1);
	fe_par_enter(p, fe_par_plus(p, fe_par_bound(r->xs->length), 1, r->loc),
		r->loc);
	t = define_states(r, s, loops);
	states = p->loop[depth];
	p->loop[depth] = fe_par_loop(over, r->xs->length, r->loc);
	arg[0] = fe_par_stored(p, s, &i, 1, r->loc);
	before = arg[0];
	if (r->begins)
		arg[0] = start_again(r, fe_par_element_at(p, r->begins,
			i).scalar, arg[0]);
	steps = p->steps;
	next = fe_par_round_all(p, fe_par_apply(p, r->callee, arg,
		r->e->builtin == FE_PAR_B_ITERATE ? 1 : 2, r->loc));
	next = stay(p, next, before, 1u << depth, r->loc);
	p->loop[depth] = states;
	set_states(p, t, r->id, &next, over, r->loc);
	if (has_identity(r))
		add_join(r, &(struct par_join) { .store = s, .state = t,
			.element = &arg[1], .i = i, .over = over, .loops = loops,
			.depth = depth, .steps = p->steps - steps });
	fe_par_leave(p, 1);
	return s;
}

/* The value of the state "end" of "s", computed once, so that nobody else needs states: no
 * memory has to hold these.
 */
static struct fe_par_value last_value(struct par_reduction *r,
	const struct fe_par_store *s, const struct fe_par_scalar *const *end)
{
	struct fe_par_value v = fe_par_stored(r->p, s, end, 1, r->loc);
	const struct fe_par_scalar **leaf;
	int n;

	if (!s->symbol[0]->tensor->join)
		return v;
	leaf = fe_par_leaves(r->p, &v, &n);
	for (int i = 0; i < n; i++)
		leaf[i] = fe_par_compute(r->p, leaf[i], fe_par_leaf_name(r->p,
			&v.type, i, r->e->symbol->name), r->loc);
	return fe_par_unflatten(r->p, v.type, leaf);
}

/* ------------------------------------------------------------------ pieces */

/* The most elements of a piece of the array of a reduction, which one block puts
 * together: as many as tiles of scans hold, with room to begin at whole sectors. Of
 * several words, fewer, so that a thread has no more than it has registers for.
 */
static int64_t longest_piece(const struct par_reduction *r)
{
	enum { WHOLE = 8192, WORDS = 6144, ROOM = 48 };
	int words = 0, n = fe_par_count(&r->id->type);

	for (int k = 0; k < n; k++)
		words += poly_type_n_words(fe_par_leaf_type(&r->id->type, k));
	return (words > 1 ? WORDS / words : WHOLE) - ROOM;
}

/* Is it a reduction that may be grouped in another way, of "n" elements, so many that
 * pieces of them keep all blocks busy?
 */
static bool has_pieces(const struct par_reduction *r, int64_t *n)
{
	enum { MANY = 64 };

	return r->e->builtin == FE_PAR_B_REDUCE && !r->begins &&
		!r->p->unit->strict && !r->p->n_path && has_identity(r) &&
		!r->xs->length->bound && fe_par_known(r->p, r->xs->length, n) &&
		*n >= MANY * longest_piece(r);
}

/* The elements of a piece of "n" elements: whole sectors, so that nothing is left behind
 * the pieces if they need not be much shorter for that.
 */
static int64_t piece_length(const struct par_reduction *r, int64_t n)
{
	enum { ALIGN = 16 };
	int64_t most = longest_piece(r) / ALIGN * ALIGN, length = most;

	while (length > most / 3 && n % length)
		length -= ALIGN;
	return length > most / 3 ? length : most;
}

/* The elements of "xs" from "first" on, as many as "length". */
static const struct fe_par_array *part_of(const struct par_reduction *r,
	const struct fe_par_scalar *first, int64_t length)
{
	struct fe_par *p = r->p;
	struct fe_par_array *a = fe_par_array(p, FE_PAR_A_PART, r->xs->type,
		fe_par_number(p, POLY_I32, (double)length, r->loc), r->loc);
	const struct fe_par_array **source = fe_arena_alloc(&p->unit->arena,
		sizeof(*source));

	source[0] = r->xs;
	a->source = source;
	a->n_source = 1;
	a->column = first;
	a->lazy = r->xs->lazy + 1;
	return a;
}

/* What each of the "n" pieces of "length" elements is put together to. */
static const struct fe_par_array *fold_pieces(const struct par_reduction *r,
	int64_t n, int64_t length)
{
	struct fe_par *p = r->p;
	const struct fe_par_scalar *number = fe_par_number(p, POLY_I32,
		(double)n, r->loc), *first, *end, **leaf;
	struct par_reduction piece = *r;
	struct fe_par_store *s = fe_arena_alloc(&p->unit->arena, sizeof(*s));
	struct fe_par_value v;
	struct fe_tensor **t;
	int k, n_leaf;

	first = fe_par_infix(p, POLY_OP_MUL, "*", fe_par_enter(p, number, r->loc),
		fe_par_number(p, POLY_I32, (double)length, r->loc), r->loc);
	piece.xs = part_of(r, first, length);
	end = piece.xs->length;
	v = fe_par_stored(p, fold(&piece), &end, 1, r->loc);
	leaf = fe_par_leaves(p, &v, &n_leaf);
	t = define_states(r, s, loops_of(p, &v) & ~fe_par_inner(p, 1));
	for (k = 0; k < n_leaf; k++)
		fe_par_piece(p, t[k], NULL, leaf[k]->data);
	fe_par_leave(p, 1);
	return fe_par_store_value(p, s, number, r->loc).array;
}

/* The "n" elements in pieces, and what is left behind these. */
static struct fe_par_value reduce_pieces(const struct par_reduction *r, int64_t n)
{
	int64_t length = piece_length(r, n), whole = n / length;
	struct par_reduction all = *r, rest = *r;
	const struct fe_par_scalar *end;
	struct fe_par_value arg[2];

	all.xs = fold_pieces(r, whole, length);
	end = all.xs->length;
	arg[0] = last_value(&all, fold(&all), &end);
	if (whole * length == n)
		return arg[0];
	rest.xs = part_of(r, fe_par_number(r->p, POLY_I32, (double)(whole *
		length), r->loc), n - whole * length);
	end = rest.xs->length;
	arg[1] = last_value(&rest, fold(&rest), &end);
	return fe_par_round_all(r->p, fe_par_apply(r->p, r->callee, arg, 2,
		r->loc));
}

/* reduce, scan, exscan and segmented scans by any function. */
struct fe_par_value fe_par_fold_by(struct par_reduction *r)
{
	const struct fe_par_scalar *end = fe_par_bound(r->xs->length);
	struct fe_par_store *s;
	int64_t n;

	if (has_pieces(r, &n))
		return reduce_pieces(r, n);
	s = fold(r);
	if (r->e->builtin == FE_PAR_B_REDUCE ||
	    r->e->builtin == FE_PAR_B_ITERATE)
		return last_value(r, s, &end);
	s->shift = r->e->builtin != FE_PAR_B_EXSCAN;
	return fe_par_store_value(r->p, s, r->xs->length, r->loc);
}
