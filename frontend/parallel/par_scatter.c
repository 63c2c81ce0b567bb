/* Data-parallel functions: elements at positions that data tell.
 *
 * gather(xs, is) reads them, as xs[i] does where data tell i: what is read has to be
 * stored. scatter(f, xs, is, ys) is an update at such positions, as index notation
 * has it, of what starts as xs:
 *
 *	r(j) = xs(j)		r(is(i)) f= ys(i)
 *
 * and histogram(n, is) is scatter(+, zeros, is, ones).
 */
#include "frontend/parallel/par_eval.h"

struct scatter {
	struct fe_par *p;
	const struct fe_par_expr *e;
	const struct poly_loc *loc;
	enum poly_op op;
	const struct fe_par_array *is, *ys;	/* "ys" NULL: ones */
	const struct fe_par_scalar *length, *start;
	enum poly_type type;
	const struct fe_par_callee *operator;	/* "op", NULL: of a histogram */
};

_Noreturn static void refuse(struct fe_par *p, const struct fe_par_expr *e,
	const char *why)
{
	FE_REPORT(p->unit, FE_PAR_YET, &e->loc, e->symbol ? e->symbol->name :
		"a position that is data", why);
	fe_par_stop(p);
}

/* ------------------------------------------------------------------- gathers */

/* The definitions of the elements of "a", each a copy. */
static struct fe_par_array *copy_of(struct fe_par *p,
	const struct fe_par_array *a, const struct poly_loc *loc)
{
	struct fe_par_store *s = fe_arena_alloc(&p->unit->arena, sizeof(*s));
	struct fe_par_array *copy = fe_par_array(p, FE_PAR_A_STORE, a->type,
		a->length, loc);
	struct fe_par_value v = fe_par_element_at(p, a, fe_par_enter(p,
		a->length, loc));
	unsigned loops = a->length->loops | fe_par_bound(a->length)->loops;
	const struct fe_par_scalar **leaf;
	struct fe_tensor *t;
	int k, n;

	s->type = a->type;
	s->n_own = 1;
	s->length[0] = a->length;
	leaf = fe_par_leaves(p, &v, &n);
	s->symbol = fe_arena_alloc(&p->unit->arena, ((size_t)n + 1) *
		sizeof(*s->symbol));
	for (k = 0; k < n; k++)
		loops |= leaf[k]->loops & ~fe_par_inner(p, 1);
	for (k = 0; k < n; k++) {
		t = fe_par_define(p, fe_par_leaf_name(p, &v.type, k, "copy"),
			loc, leaf[k]->type, loops, 1, s);
		fe_par_piece(p, t, NULL, leaf[k]->data);
		s->symbol[k] = t->symbol;
	}
	fe_par_leave(p, 1);
	copy->store = s;
	return copy;
}

/* One copy serves all, if it depends on nothing around. */
const struct fe_par_array *fe_par_apart(struct fe_par *p,
	const struct fe_par_array *a, const struct poly_loc *loc)
{
	const struct fe_tensor *t = a->kind == FE_PAR_A_STORE ?
		a->store->symbol[0]->tensor : NULL;
	struct fe_par_copy *c;

	if (!t || !t->join || a->type.rank != 1 || a->n_at)
		return a;
	for (c = p->copy; c; c = c->next)
		if (c->of == t)
			return c->array;
	c = fe_arena_alloc(&p->unit->arena, sizeof(*c));
	*c = (struct fe_par_copy) { .of = t, .array = copy_of(p, a, loc),
		.next = p->copy };
	if (!p->n_path && !c->array->store->n_outer)
		p->copy = c;
	return c->array;
}

/* "a", which is to be read at any position. */
static const struct fe_par_array *stored(struct fe_par *p,
	const struct fe_par_expr *e, const struct fe_par_array *a)
{
	const struct fe_par_value v = { .type = a->type, .array = a };

	if (a->length->bound)
		refuse(p, e, "data tell the length of its array");
	return fe_par_apart(p, fe_par_force(p, v, "source", &e->loc).array,
		&e->loc);
}

struct fe_par_value fe_par_pick(struct fe_par *p, const struct fe_par_expr *e,
	const struct fe_par_array *a, const struct fe_par_scalar *i)
{
	if (i->place) {
		fe_par_need_inside(p, i, a->length, &e->loc);
		return fe_par_element_at(p, a, i);
	}
	return fe_par_element_at(p, stored(p, e, a), i);
}

struct fe_par_value fe_par_gather(struct fe_par *p, const struct fe_par_expr *e,
	const struct fe_par_value *arg)
{
	const struct fe_par_array **source = fe_arena_alloc(&p->unit->arena,
		2 * sizeof(*source));
	struct fe_par_array *a = fe_par_array(p, FE_PAR_A_GATHER, e->type,
		arg[1].array->length, &e->loc);

	source[0] = stored(p, e, arg[0].array);
	source[1] = arg[1].array;
	a->expr = e;
	a->source = source;
	a->n_source = 2;
	a->lazy = (source[0]->lazy > source[1]->lazy ? source[0] :
		source[1])->lazy + 1;
	return (struct fe_par_value) { .type = a->type, .array = a };
}

/* ------------------------------------------------------------------ scatters */

/* "position == index", of the cell that is meant, where the term counts. */
static struct fe_scalar *meant(struct scatter *s, const struct fe_par_scalar *at,
	struct fe_index *index, const struct fe_par_scalar *live)
{
	struct fe_scalar *i = fe_scalar_new(s->p->unit, FE_S_INDEX, s->loc), *e;

	index->told = true;
	i->index = index;
	i->symbol = index->symbol;
	i->affine = true;
	i->type = POLY_I64;
	e = fe_par_op(s->p, POLY_OP_EQ, fe_par_computed(s->p, at, s->loc), i,
		s->loc);
	e->cell = true;
	if (!live)
		return e;
	e = fe_par_op(s->p, POLY_OP_AND, live->data, e, s->loc);
	e->logic = true;
	return e;
}

/* The reduction over the innermost loop, of which each term goes to one cell. */
static struct fe_scalar *sum_of(struct scatter *s, const struct fe_par_scalar *v,
	struct fe_scalar *cell)
{
	struct fe_par *p = s->p;
	struct fe_scalar *e = fe_scalar_new(p->unit, FE_S_REDUCE, s->loc);
	const struct fe_par_loop *l = &p->loop[p->n_loop - 1];
	struct fe_index *i = fe_arena_alloc(&p->unit->arena, sizeof(*i));

	i->symbol = l->symbol;
	i->loc = *l->loc;
	e->op = s->op;
	e->spelling = s->e->symbol->name;
	e->scope = fe_arena_alloc(&p->unit->arena, sizeof(*e->scope));
	e->scope->first = i;
	e->scope->n = 1;
	e->scope->condition = fe_par_bounds(p, l);
	e->arg[0] = v->data;
	e->arg[1] = cell;
	e->n_arg = 2;
	e->depth = (v->data->depth > cell->depth ? v->data : cell)->depth + 1;
	return e;
}

/* The last index of "t". */
static struct fe_index *last_index(const struct fe_tensor *t)
{
	struct fe_index *i = t->scope.first;

	while (i->next)
		i = i->next;
	return i;
}

struct fe_scalar *fe_par_cells(struct fe_par *p, const struct fe_par_expr *e,
	enum poly_op op, const struct fe_par_scalar *v,
	const struct fe_par_scalar *at, const struct fe_par_scalar *inside,
	const struct fe_tensor *t)
{
	struct scatter s = { .p = p, .e = e, .loc = &e->loc, .op = op };
	struct fe_scalar *sum = sum_of(&s, v, meant(&s, at, last_index(t), NULL));
	struct fe_scalar **tail = &sum->scope->condition;

	while (*tail)
		tail = &(*tail)->next;
	*tail = fe_scalar_copy(p->unit, inside->place, NULL, NULL);
	return sum;
}

struct fe_scalar *fe_par_updates(struct fe_par *p, const struct fe_par_expr *e,
	enum poly_op op, const struct fe_par_scalar *v,
	const struct fe_par_scalar *at, const struct fe_par_scalar *live,
	const struct fe_tensor *t)
{
	struct scatter s = { .p = p, .e = e, .loc = &e->loc, .op = op };

	return sum_of(&s, v, meant(&s, at, last_index(t), live));
}

/* Define the cells, whose loop has been entered. */
static struct fe_tensor *define(struct scatter *s, struct fe_par_store *store)
{
	struct fe_par *p = s->p;
	int depth = p->n_loop;
	const struct fe_par_scalar *i = fe_par_enter(p, s->is->length, s->loc);
	const struct fe_par_scalar *at = fe_par_element_at(p, s->is, i).scalar;
	const struct fe_par_scalar *v = s->ys ? fe_par_element_at(p, s->ys,
		i).scalar : fe_par_number(p, s->type, 1, s->loc);
	unsigned inner = 1u << depth;
	unsigned loops = s->start->loops | ((at->loops | v->loops) & ~inner) |
		fe_par_bound(s->is->length)->loops | s->is->length->loops;
	const struct fe_par_scalar *live = fe_par_live(p, inner);
	struct fe_par_loop terms = p->loop[depth];
	struct fe_tensor *t;

	fe_par_leave(p, 1);
	t = fe_par_define(p, s->e->symbol->name, s->loc, s->type, loops, 1,
		store);
	t->start = fe_scalar_copy(p->unit, s->start->data, NULL, NULL);
	p->loop[p->n_loop++] = terms;
	fe_par_piece(p, t, NULL, sum_of(s, v, meant(s, at, last_index(t), live)));
	fe_par_leave(p, 1);
	return t;
}

/* Would each cell be compared with each update? Not where memory can be updated by
 * several at once: it has all of integers, which are put together in words, but products;
 * of floats sums alone, in any order. With few cells nobody minds.
 */
static bool asks_all(const struct scatter *s)
{
	enum { FEW = 8 };
	int64_t n;

	if (!s->operator || (fe_par_known(s->p, s->length, &n) && n <= FEW))
		return false;
	if (s->type == POLY_BOOL)
		return true;
	return poly_type_is_float(s->type) ? s->op != POLY_OP_ADD ||
		!s->p->unit->relaxed : s->op == POLY_OP_MUL;
}

/* The array that the scatter "s" makes: it begins with "xs", or with zeros if that is
 * NULL, and is stored, as all updates must be done before it is read.
 */
static struct fe_par_value scatter_into(struct scatter *s,
	const struct fe_par_array *xs)
{
	struct fe_par *p = s->p;
	struct fe_par_store *store = fe_arena_alloc(&p->unit->arena,
		sizeof(*store));
	struct fe_par_owned *owned;
	const struct fe_par_scalar *j;
	struct fe_tensor *t;

	store->type = s->e->type;
	store->n_own = 1;
	store->length[0] = s->length;
	store->symbol = fe_arena_alloc(&p->unit->arena,
		sizeof(*store->symbol));
	owned = asks_all(s) ? fe_par_prepare_owned(p, s->e, s->operator,
		s->length, s->is, s->ys) : NULL;
	j = fe_par_enter(p, s->length, s->loc);
	s->start = xs ? fe_par_element_at(p, xs, j).scalar :
		fe_par_number(p, s->type, 0, s->loc);
	t = define(s, store);
	store->symbol[0] = t->symbol;
	if (owned)
		fe_par_add_owned(owned, t, s->start);
	fe_par_leave(p, 1);
	return fe_par_stored(p, store, NULL, 0, s->loc);
}

struct fe_par_value fe_par_scatter(struct fe_par *p, const struct fe_par_expr *e,
	const struct fe_par_value *arg)
{
	struct scatter s = { .p = p, .e = e, .loc = &e->loc,
		.op = POLY_OP_ADD, .type = e->type.base };
	const struct fe_par_callee *op;

	if (e->builtin == FE_PAR_B_HISTOGRAM) {
		fe_par_need_length(p, arg[0].scalar, &e->arg->loc);
		s.length = arg[0].scalar;
		s.is = arg[1].array;
	} else {
		op = fe_par_operator(&e->arg->callee);
		if (!op)
			refuse(p, e, "its function is no operator");
		s.op = op->op;
		s.operator = op;
		s.length = arg[1].array->length;
		s.is = arg[2].array;
		s.ys = arg[3].array;
		fe_par_need_equal(p, s.is->length, s.ys->length, s.loc);
	}
	if (s.length->bound)
		refuse(p, e, "data tell the length of its array");
	return scatter_into(&s, s.ys ? arg[1].array : NULL);
}
