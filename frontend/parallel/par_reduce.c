/* Data-parallel functions: reductions and scans.
 *
 * reduce by an operator that index notation has is its reduction. scan and exscan by
 * an operator are recurrences, which become scans of the program. By a function of
 * the text all three are a recurrence over what has been put together so far, which
 * begins with the identity:
 *
 *	t(0) = id	t(s+1) = f(t(s), x(s))
 *
 * which says what f is by itself, too (struct fe_join), so that it may become a scan.
 *
 * So is iterate, without the elements. Where segments begin, the identity stands for
 * what is before; a sum of integers is linear then, which is a scan again:
 *
 *	y(i) = int(!begins(i)) * y(i-1) + x(i)
 *
 * What a segment makes is what its scan has at its last element, which is a filter.
 *
 * A long reduce is one of pieces, each of which one block puts together, and then one of
 * what these make:
 *
 *	p(b) = reduce(f, id, x(L b .. L b + L - 1))	reduce(f, id, p)
 */
#include "frontend/parallel/par_reduce.h"

/* "a" with the loop just entered, of "length", bound by a reduction.
 *
 * The loop is left: the value has one loop less. What its condition and its
 * length need stays.
 */
static struct fe_par_scalar *bind_loop(struct fe_par *p, const char *name,
	enum poly_op op, const struct fe_par_scalar *a, bool place,
	const struct poly_loc *loc)
{
	struct fe_par_scalar *sum = fe_arena_alloc(&p->unit->arena,
		sizeof(*sum));
	struct fe_scalar *e = fe_scalar_new(p->unit, FE_S_REDUCE, loc);
	const struct fe_par_loop *l = &p->loop[p->n_loop - 1];
	struct fe_index *i = fe_arena_alloc(&p->unit->arena, sizeof(*i));

	i->symbol = l->symbol;
	i->loc = *l->loc;
	e->op = op;
	e->spelling = name;
	e->place = place;
	e->scope = fe_arena_alloc(&p->unit->arena, sizeof(*e->scope));
	e->scope->first = i;
	e->scope->n = 1;
	e->scope->condition = fe_par_bounds(p, l);
	e->arg[0] = a->data;
	e->n_arg = 1;
	e->depth = a->data->depth + 1;
	sum->type = place ? POLY_I64 : a->type;
	sum->data = e;
	sum->loops = (a->loops & ~(1u << (p->n_loop - 1))) | l->length->loops |
		(l->live ? l->live->loops : 0);
	sum->size = a->size + 2;
	fe_par_leave(p, 1);
	return sum;
}

const struct fe_par_scalar *fe_par_sum(struct fe_par *p,
	const struct fe_par_scalar *a, const struct poly_loc *loc)
{
	return bind_loop(p, "+", POLY_OP_ADD, a, false, loc);
}

/* With the type of "like". */
static struct fe_par_value number_value(struct fe_par_value like,
	const struct fe_par_scalar *a)
{
	like.scalar = a;
	return like;
}

/* reduce by an operator of index notation.
 *
 * The identity is put in front unless it is the operator's own.
 */
static struct fe_par_value reduce_sum(struct par_reduction *r,
	const struct fe_par_callee *op)
{
	struct fe_par *p = r->p;
	const struct fe_par_scalar *i = fe_par_enter(p, r->xs->length, r->loc);
	struct fe_par_value x = fe_par_element_at(p, r->xs, i);
	const struct fe_par_scalar *arg[2];

	arg[0] = r->id->scalar;
	arg[1] = fe_par_guard(p, x.scalar->loops | fe_par_inner(p, 1),
		x.scalar, fe_par_nothing(p, op->op, x.scalar->type, r->loc), r->loc);
	arg[1] = bind_loop(p, r->callee->spelling, op->op, arg[1], false, r->loc);
	if (fe_par_is_identity(op->op, arg[0]))
		return number_value(*r->id, arg[1]);
	return number_value(*r->id, fe_par_operation(p, op, arg, 2, r->loc));
}

/* argmin, argmax: the first place, as an int.
 *
 * Of equal elements the first counts. An array whose length data tell is
 * refused.
 */
static struct fe_par_value reduce_place(struct par_reduction *r)
{
	static const struct fe_par_callee to_int = { .kind = FE_PAR_C_CAST,
		.type = POLY_I32, .n_arg = 1, .spelling = "int" };
	struct fe_par *p = r->p;
	const struct fe_par_scalar *i = fe_par_enter(p, r->xs->length, r->loc);
	struct fe_par_value x = fe_par_element_at(p, r->xs, i);
	const struct fe_par_scalar *at;

	if (p->loop[p->n_loop - 1].live) {
		FE_REPORT(p->unit, FE_PAR_YET, r->loc, r->e->symbol->name,
			"data tell the length of its array");
		fe_par_stop(p);
	}
	at = bind_loop(p, r->e->symbol->name, r->e->builtin ==
		FE_PAR_B_ARGMIN ? POLY_OP_MIN : POLY_OP_MAX, x.scalar, true,
		r->loc);

	x.type = fe_par_plain(POLY_I32);
	return number_value(x, fe_par_operation(p, &to_int, &at, 1, r->loc));
}

/* -------------------------------------------------------------- recurrences */

/* "a" with "to" in the place of the innermost loop. */
static const struct fe_par_scalar *moved(struct fe_par *p,
	const struct fe_par_scalar *a, const struct fe_par_scalar *to,
	const struct poly_loc *loc)
{
	struct fe_par_scalar *b = fe_arena_alloc(&p->unit->arena, sizeof(*b));

	*b = *a;
	b->form = NULL;
	b->place = NULL;
	b->natural = false;
	b->data = fe_scalar_copy(p->unit, a->data, p->loop[p->n_loop - 1].symbol,
		fe_par_place(p, to, loc));
	return b;
}

static const struct fe_par_scalar *apply1(struct par_reduction *r,
	const struct fe_par_callee *c, const struct fe_par_scalar *a)
{
	return fe_par_operation(r->p, c, &a, 1, r->loc);
}

/* Let "arg", what is before an element and the element at "i", be put together only
 * within a segment, by an addition.
 */
static void cut_sum(struct par_reduction *r, const struct fe_par_scalar *i,
	const struct fe_par_scalar *arg[2])
{
	static const struct fe_par_callee not = { .kind = FE_PAR_C_OP,
		.op = POLY_OP_NOT, .n_arg = 1, .logic = true, .spelling = "!" };
	const struct fe_par_callee cast = { .kind = FE_PAR_C_CAST,
		.type = arg[0]->type, .n_arg = 1,
		.spelling = poly_type_name(arg[0]->type) };
	const struct fe_par_scalar *begins = fe_par_element_at(r->p, r->begins,
		i).scalar;

	arg[0] = fe_par_infix(r->p, POLY_OP_MUL, "*", apply1(r, &cast,
		apply1(r, &not, begins)), arg[0], r->loc);
	if (fe_par_is_identity(POLY_OP_ADD, r->id->scalar))
		return;
	arg[1] = fe_par_infix(r->p, POLY_OP_ADD, "+", fe_par_select(r->p,
		POLY_OP_SELECT, begins, r->id->scalar, fe_par_number(r->p,
		arg[1]->type, 0, r->loc), r->loc), arg[1], r->loc);
}

/* scan or exscan by the operator "op": y(i) = y(i-1) op x(i), or x(i-1). */
static struct fe_par_value scan_by(struct par_reduction *r,
	const struct fe_par_callee *op, bool before)
{
	struct fe_par *p = r->p;
	struct fe_par_store *s = fe_arena_alloc(&p->unit->arena, sizeof(*s));
	const struct fe_par_scalar *i = fe_par_enter(p, r->xs->length, r->loc);
	const struct fe_par_scalar *back = fe_par_plus(p, i, -1, r->loc);
	const struct fe_par_scalar *arg[2], *first, *next;
	struct fe_tensor *t;

	s->type = fe_par_array_of(r->id->type);
	s->n_own = 1;
	s->symbol = fe_arena_alloc(&p->unit->arena, sizeof(*s->symbol));
	arg[0] = r->id->scalar;
	arg[1] = fe_par_element_at(p, r->xs, i).scalar;
	if (!fe_par_is_leaf(arg[1]))
		arg[1] = fe_par_guard(p, fe_par_inner(p, 1), arg[1],
			fe_par_number(p, arg[1]->type, 0, r->loc), r->loc);
	if (before)
		arg[1] = moved(p, arg[1], back, r->loc);
	first = before ? arg[0] : fe_par_is_identity(op->op, arg[0]) ? arg[1] :
		fe_par_operation(p, op, arg, 2, r->loc);
	t = fe_par_define(p, r->e->symbol->name, r->loc, first->type,
		arg[0]->loops | arg[1]->loops, 1, s);
	s->symbol[0] = t->symbol;
	arg[0] = fe_par_stored(p, s, &back, 1, r->loc).scalar;
	if (r->begins)
		cut_sum(r, i, arg);
	next = fe_par_operation(p, op, arg, 2, r->loc);
	fe_par_piece(p, t, fe_par_at_first(p, i, r->loc)->place, first->data);
	fe_par_piece(p, t, NULL, next->data);
	fe_par_leave(p, 1);
	return fe_par_store_value(p, s, r->xs->length, r->loc);
}

/* ------------------------------------------------------------------ pieces */

/* iterate(f, n, x): t(0) = x, t(s+1) = f(t(s)); its value is t(n). */
static struct fe_par_value iterate(struct par_reduction *r,
	const struct fe_par_value *arg)
{
	fe_par_need_length(r->p, arg[1].scalar, r->loc);
	r->xs = fe_par_array(r->p, FE_PAR_A_RANGE, fe_par_array_of(arg[1].type),
		arg[1].scalar, r->loc);
	r->id = &arg[2];
	return fe_par_fold_by(r);
}

/* Is it the least or greatest of 64 bits of as many elements as data tell? No number
 * of ours stands for what changes nothing there.
 */
static bool has_no_end(const struct par_reduction *r, enum poly_op op)
{
	enum poly_type t = r->id->type.base;

	return r->e->builtin == FE_PAR_B_REDUCE && r->xs->length->bound &&
		(op == POLY_OP_MIN || op == POLY_OP_MAX || op == POLY_OP_AND) &&
		!poly_type_is_float(t) && poly_type_size(t) == 8;
}

/* Where segments end: before the next one begins, and at the end of all. */
static struct fe_par_value segment_ends(struct par_reduction *r)
{
	static const struct fe_par_callee equal = { .kind = FE_PAR_C_OP,
		.op = POLY_OP_EQ, .n_arg = 2, .spelling = "==" };
	static const struct fe_par_callee either = { .kind = FE_PAR_C_OP,
		.op = POLY_OP_OR, .n_arg = 2, .logic = true, .spelling = "||" };
	struct fe_par *p = r->p;
	struct fe_par_store *s = fe_arena_alloc(&p->unit->arena, sizeof(*s));
	const struct fe_par_scalar *length = r->xs->length, *arg[2], *begins;
	const struct fe_par_scalar *i = fe_par_enter(p, length, r->loc);
	const struct fe_par_scalar *next = fe_par_plus(p, i, 1, r->loc);
	struct fe_tensor *t;

	begins = fe_par_element_at(p, r->begins, i).scalar;
	s->type = fe_par_array_of(fe_par_plain(POLY_BOOL));
	s->n_own = 1;
	s->symbol = fe_arena_alloc(&p->unit->arena, sizeof(*s->symbol));
	t = fe_par_define(p, "ends", r->loc, POLY_BOOL, begins->loops |
		length->loops, 1, s);
	s->symbol[0] = t->symbol;
	arg[0] = next;
	arg[1] = fe_par_bound(length);
	fe_par_piece(p, t, fe_par_operation(p, &equal, arg, 2, r->loc)->place,
		fe_par_number(p, POLY_BOOL, 1, r->loc)->data);
	arg[1] = length;
	arg[0] = fe_par_operation(p, &equal, arg, 2, r->loc);
	arg[1] = moved(p, begins, next, r->loc);
	fe_par_piece(p, t, NULL, (length->bound ? fe_par_operation(p, &either,
		arg, 2, r->loc) : arg[1])->data);
	fe_par_leave(p, 1);
	return fe_par_store_value(p, s, length, r->loc);
}

const struct fe_par_array *fe_par_segments(struct fe_par *p,
	const struct fe_par_expr *e, const struct fe_par_callee *op,
	const struct fe_par_array *begins, const struct fe_par_array *xs,
	const struct fe_par_array **ends)
{
	struct fe_par_value id = { .type = xs->type };
	struct par_reduction r = { .p = p, .e = e, .callee = op, .id = &id,
		.xs = xs, .begins = begins, .loc = &e->loc };

	id.type.rank = 0;
	id.scalar = fe_par_nothing(p, op->op, id.type.base, r.loc);
	*ends = segment_ends(&r).array;
	return fe_par_fold_by(&r).array;
}

/* segmented_scan and segmented_reduce. */
static struct fe_par_value segmented(struct par_reduction *r,
	const struct fe_par_callee *op, const struct fe_par_value *arg)
{
	bool sum = op && op->op == POLY_OP_ADD &&
		!poly_type_is_float(r->id->type.base);
	struct fe_par_value part[2];

	r->begins = arg[2].array;
	fe_par_need_equal(r->p, r->begins->length, r->xs->length, r->loc);
	part[0] = sum ? scan_by(r, op, false) : fe_par_fold_by(r);
	if (r->e->builtin == FE_PAR_B_SEGMENTED_SCAN)
		return part[0];
	part[1] = segment_ends(r);
	return fe_par_filter(r->p, r->e, part);
}

struct fe_par_value fe_par_reduction(struct fe_par *p,
	const struct fe_par_expr *e, const struct fe_par_value *arg)
{
	struct par_reduction r = { .p = p, .e = e, .loc = &e->loc };
	const struct fe_par_callee *op;

	if (e->builtin == FE_PAR_B_ARGMIN || e->builtin == FE_PAR_B_ARGMAX) {
		r.xs = arg[0].array;
		return reduce_place(&r);
	}
	r.callee = &e->arg->callee;
	if (e->builtin == FE_PAR_B_ITERATE)
		return iterate(&r, arg);
	r.id = &arg[1];
	r.xs = arg[e->n_arg - 1].array;
	op = fe_par_operator_of(r.callee);
	if (e->n_arg == 4)
		return segmented(&r, op, arg);
	if (!op || !fe_par_puts_together(op->op) || has_no_end(&r, op->op))
		return fe_par_fold_by(&r);
	return e->builtin == FE_PAR_B_REDUCE ? reduce_sum(&r, op) :
		scan_by(&r, op, e->builtin == FE_PAR_B_EXSCAN);
}
