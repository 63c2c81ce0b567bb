/* Data-parallel functions: scatters whose cells own their updates.
 *
 * Where memory has no update that several may do at once in any order, updates are
 * brought together first. scatter(f, xs, is, ys) is, with m = dim0(xs),
 *
 *	key(i) = is(i), or m if that is outside
 *	k, v = key, ys sorted by key			as they stand where keys are equal
 *	s = segmented_scan(f, id, k(i) != k(i-1), v)
 *	last(k(i)) = i where k(i+1) != k(i); -1 where there is none
 *	r(j) = last(j) < 0 ? xs(j) : f(xs(j), s(last(j)))
 *
 * which takes each update a fixed number of times, and each cell once. Only what is
 * lowered has this; the interpreter goes by the definition that "owns" it.
 */
#include "frontend/parallel/par_eval.h"

/* A scatter to "length" cells: "keys" and "sums" in the
 * order of their cells, and which of them are the last of a cell.
 */
struct fe_par_owned {
	struct fe_par *p;
	const struct fe_par_expr *e;
	const struct poly_loc *loc;
	const struct fe_par_callee *op;
	const struct fe_par_scalar *length;
	const struct fe_par_array *keys, *sums, *ends;
};

/* ---------------------------------------------------------------- operations */

static const struct fe_par_scalar *apply(const struct fe_par_owned *o,
	enum poly_op op, bool logic, const struct fe_par_scalar *a,
	const struct fe_par_scalar *b)
{
	const struct fe_par_callee c = { .kind = FE_PAR_C_OP, .op = op,
		.n_arg = 2, .logic = logic, .spelling = o->e->symbol->name };
	const struct fe_par_scalar *arg[2] = { a, b };

	return fe_par_operation(o->p, &c, arg, 2, o->loc);
}

static const struct fe_par_scalar *cast(const struct fe_par_owned *o,
	enum poly_type type, const struct fe_par_scalar *a)
{
	const struct fe_par_callee c = { .kind = FE_PAR_C_CAST, .type = type,
		.n_arg = 1, .spelling = poly_type_name(type) };

	return a->type == type ? a : fe_par_operation(o->p, &c, &a, 1, o->loc);
}

/* An array of "length" numbers of the type "type", which "hint" names, and the
 * definition of them in the loop that has been entered, which needs "loops", yet without
 * a value.
 */
static const struct fe_par_array *define(const struct fe_par_owned *o,
	const char *hint, enum poly_type type, unsigned loops,
	const struct fe_par_scalar *length, struct fe_tensor **t)
{
	struct fe_par_store *s = fe_arena_alloc(&o->p->unit->arena, sizeof(*s));
	struct fe_par_array *a = fe_par_array(o->p, FE_PAR_A_STORE,
		fe_par_array_of(fe_par_plain(type)), length, o->loc);

	s->type = a->type;
	s->n_own = 1;
	s->length[0] = length;
	s->symbol = fe_arena_alloc(&o->p->unit->arena, sizeof(*s->symbol));
	*t = fe_par_define(o->p, hint, o->loc, type, loops, 1, s);
	s->symbol[0] = (*t)->symbol;
	a->store = s;
	return a;
}

/* --------------------------------------------------------------------- steps */

/* The keys of the positions "is". */
static const struct fe_par_array *find_keys(const struct fe_par_owned *o,
	const struct fe_par_array *is)
{
	struct fe_par *p = o->p;
	const struct fe_par_scalar *i = fe_par_enter(p, is->length, o->loc);
	const struct fe_par_scalar *x = fe_par_rounded(p, fe_par_element_at(p, is,
		i).scalar), *at = cast(o, POLY_I64, x), *inside;
	const struct fe_par_array *keys;
	struct fe_tensor *t;

	inside = apply(o, POLY_OP_AND, true, apply(o, POLY_OP_LE, false,
		fe_par_number(p, POLY_I64, 0, o->loc), at), apply(o, POLY_OP_LT,
		false, at, cast(o, POLY_I64, o->length)));
	x = fe_par_select(p, POLY_OP_SELECT, inside, cast(o, POLY_I32, x),
		o->length, o->loc);
	x = fe_par_guard(p, fe_par_inner(p, 1), x, o->length, o->loc);
	keys = define(o, "key", POLY_I32, (x->loops & ~fe_par_inner(p, 1)) |
		is->length->loops | fe_par_bound(is->length)->loops, is->length,
		&t);
	fe_par_piece(p, t, NULL, x->data);
	fe_par_leave(p, 1);
	return keys;
}

/* Where another key begins. */
static const struct fe_par_array *find_begins(const struct fe_par_owned *o)
{
	struct fe_par *p = o->p;
	const struct fe_par_scalar *i = fe_par_enter(p, o->keys->length, o->loc);
	const struct fe_par_scalar *k = fe_par_element_at(p, o->keys, i).scalar;
	const struct fe_par_array *begins;
	struct fe_tensor *t;

	begins = define(o, "begins", POLY_BOOL, k->loops & ~fe_par_inner(p, 1),
		o->keys->length, &t);
	fe_par_piece(p, t, apply(o, POLY_OP_EQ, false, i, fe_par_number(p,
		POLY_I32, 0, o->loc))->place, fe_par_number(p, POLY_BOOL, 1,
		o->loc)->data);
	fe_par_piece(p, t, NULL, apply(o, POLY_OP_NE, false, k,
		fe_par_element_at(p, o->keys, fe_par_plus(p, i, -1,
		o->loc)).scalar)->data);
	fe_par_leave(p, 1);
	return begins;
}

/* The bits that keys up to "length" have. */
static int count_bits(struct fe_par *p, const struct fe_par_scalar *length)
{
	int64_t most;
	int n = 1;

	if (!fe_par_known(p, length, &most))
		return 8 * (int)poly_type_size(POLY_I32);
	while (most >> n)
		n++;
	return n;
}

/* Mark the definitions made from "*first" on. */
static void hide(struct fe_tensor **first)
{
	for (struct fe_tensor *t = *first; t; t = t->next)
		t->hidden = true;
}

struct fe_par_owned *fe_par_prepare_owned(struct fe_par *p,
	const struct fe_par_expr *e, const struct fe_par_callee *op,
	const struct fe_par_scalar *length, const struct fe_par_array *is,
	const struct fe_par_array *ys)
{
	struct fe_par_owned *o = fe_arena_alloc(&p->unit->arena, sizeof(*o));
	struct fe_tensor **first = p->tensor_tail;
	const struct fe_par_array *keys;

	*o = (struct fe_par_owned) { .p = p, .e = e, .loc = &e->loc, .op = op,
		.length = length };
	keys = find_keys(o, is);
	o->keys = fe_par_sort_beside(p, e, keys, count_bits(p, length), &ys);
	o->sums = fe_par_apart(p, fe_par_segments(p, e, op, find_begins(o), ys,
		&o->ends), o->loc);
	hide(first);
	return o;
}

/* Where the last update of each cell of the loop entered is, or -1. */
static const struct fe_par_scalar *find_last(const struct fe_par_owned *o,
	const struct fe_par_scalar *j)
{
	struct fe_par *p = o->p;
	int depth = p->n_loop;
	const struct fe_par_scalar *i = fe_par_enter(p, o->keys->length, o->loc);
	const struct fe_par_scalar *at = fe_par_element_at(p, o->keys, i).scalar;
	const struct fe_par_scalar *ends = fe_par_guard(p, 1u << depth,
		fe_par_element_at(p, o->ends, i).scalar, fe_par_number(p,
		POLY_BOOL, 0, o->loc), o->loc);
	unsigned loops = (at->loops | ends->loops) & ~(1u << depth);
	struct fe_par_loop updates = p->loop[depth];
	const struct fe_par_array *last;
	struct fe_tensor *t;

	fe_par_leave(p, 1);
	last = define(o, "last", POLY_I32, loops | o->keys->length->loops |
		fe_par_bound(o->keys->length)->loops, o->length, &t);
	t->start = fe_scalar_copy(p->unit, fe_par_number(p, POLY_I32, -1,
		o->loc)->data, NULL, NULL);
	p->loop[p->n_loop++] = updates;
	fe_par_piece(p, t, NULL, fe_par_updates(p, o->e, POLY_OP_MAX, i, at, ends,
		t));
	fe_par_leave(p, 1);
	return fe_par_element_at(p, last, j).scalar;
}

void fe_par_add_owned(struct fe_par_owned *o, struct fe_tensor *t,
	const struct fe_par_scalar *start)
{
	struct fe_par *p = o->p;
	struct fe_tensor **first = p->tensor_tail;
	const struct fe_par_loop *l = &p->loop[p->n_loop - 1];
	const struct fe_par_scalar *j = fe_par_name(p, l->symbol,
		fe_par_inner(p, 1), o->loc), *arg[2] = { start }, *last, *v;
	unsigned loops = 0;

	last = find_last(o, j);
	arg[1] = fe_par_element_at(p, o->sums, last).scalar;
	v = fe_par_select(p, POLY_OP_BRANCH, apply(o, POLY_OP_LT, false, last,
		fe_par_number(p, POLY_I32, 0, o->loc)), start, fe_par_rounded(p,
		fe_par_operation(p, o->op, arg, 2, o->loc)), o->loc);
	for (const struct fe_index *i = t->scope.first; i; i = i->next)
		for (int k = 0; k < p->n_loop; k++)
			if (p->loop[k].symbol == i->symbol)
				loops |= 1u << k;
	define(o, "owned", t->type, loops, o->length, &t->owned);
	fe_par_piece(p, t->owned, NULL, v->data);
	t->owned->instead = true;
	hide(first);
}
