/* Data-parallel functions: numbers as expressions of index notation.
 *
 * An int that is made of loops, sizes and whole numbers is kept twice: as the place
 * that it can be, computed exactly, and as data, which is computed modulo 2^32 and
 * divides as C does.
 *
 * fe_par_scalar has both: "form" (linear), "place" (a tree that may be a
 * position), "data" (a tree that is computed at run time). Which one is used is
 * decided where it is used.
 */
#include <math.h>

#include "frontend/parallel/par_eval.h"

/* A node of index notation; its depth bounds recursion. */
struct fe_scalar *fe_par_op(struct fe_par *p, enum poly_op op,
	struct fe_scalar *a, struct fe_scalar *b, const struct poly_loc *loc)
{
	struct fe_scalar *e = fe_scalar_new(p->unit, FE_S_OP, loc);

	e->op = op;
	e->spelling = poly_op_name(op);
	e->arg[0] = a;
	e->arg[1] = b;
	e->n_arg = b ? 2 : 1;
	e->depth = (b && b->depth > a->depth ? b->depth : a->depth) + 1;
	return e;
}

/* Untyped, as positions are. */
static struct fe_scalar *whole_number(struct fe_par *p, int64_t value,
	const struct poly_loc *loc)
{
	struct fe_scalar *e = fe_scalar_new(p->unit, FE_S_NUMBER, loc);

	e->value = (double)value;
	e->whole = true;
	return e;
}

/* The place that "f" is.
 *
 * coef * name + .. +- constant; a constant alone is a number.
 */
static struct fe_scalar *form_tree(struct fe_par *p,
	const struct fe_par_form *f, const struct poly_loc *loc)
{
	struct fe_scalar *sum = NULL, *e;
	int k;

	for (k = 0; k < f->n; k++) {
		e = fe_scalar_new(p->unit, FE_S_NAME, loc);
		e->symbol = f->term[k].symbol;
		if (f->term[k].coef != 1)
			e = fe_par_op(p, POLY_OP_MUL, whole_number(p,
				f->term[k].coef, loc), e, loc);
		sum = sum ? fe_par_op(p, POLY_OP_ADD, sum, e, loc) : e;
	}
	if (!sum)
		return whole_number(p, f->constant, loc);
	if (f->constant > 0)
		sum = fe_par_op(p, POLY_OP_ADD, sum, whole_number(p, f->constant,
			loc), loc);
	if (f->constant < 0)
		sum = fe_par_op(p, POLY_OP_SUB, sum, whole_number(p, -f->constant,
			loc), loc);
	return sum;
}

/* A literal of data. */
static struct fe_scalar *typed_number(struct fe_par *p, enum poly_type type,
	double value, const struct poly_loc *loc)
{
	struct fe_scalar *e = fe_scalar_new(p->unit, FE_S_NUMBER, loc);

	e->value = value;
	e->type = type;
	e->whole = !poly_type_is_float(type);
	return e;
}

/* Rounds, if "type" is narrower. */
static struct fe_scalar *cast_tree(struct fe_par *p, enum poly_type type,
	struct fe_scalar *a, const struct poly_loc *loc)
{
	struct fe_scalar *e = fe_scalar_new(p->unit, FE_S_CAST, loc);

	e->type = type;
	e->arg[0] = a;
	e->n_arg = 1;
	e->depth = a->depth + 1;
	return e;
}

/* "loops" are those that the form names. A constant needs no loop. */
struct fe_par_scalar *fe_par_from_form(struct fe_par *p,
	const struct fe_par_form *f, unsigned loops, const struct poly_loc *loc)
{
	struct fe_par_scalar *a = fe_arena_alloc(&p->unit->arena, sizeof(*a));
	struct fe_par_form *kept = fe_arena_alloc(&p->unit->arena,
		sizeof(*kept));
	struct fe_par_form least;

	*kept = *f;
	a->type = POLY_I32;
	a->form = kept;
	a->place = form_tree(p, f, loc);
	a->data = f->n ? cast_tree(p, POLY_I32, a->place, loc) :
		typed_number(p, POLY_I32, (double)f->constant, loc);
	a->loops = f->n ? loops : 0;
	a->natural = fe_par_form_least(p, f, &least) &&
		fe_par_form_natural(&least);
	a->size = 1;
	return a;
}

/* Whole numbers that fit are forms, so that arithmetic with them stays linear.
 */
struct fe_par_scalar *fe_par_number(struct fe_par *p, enum poly_type type,
	double value, const struct poly_loc *loc)
{
	struct fe_par_form f = { .constant = (int64_t)value };
	struct fe_par_scalar *a;

	if (type == POLY_I32 && fabs(value) <= FE_MAX_NUMBER)
		return fe_par_from_form(p, &f, 0, loc);
	a = fe_arena_alloc(&p->unit->arena, sizeof(*a));
	a->type = type;
	a->data = typed_number(p, type, value, loc);
	a->size = 1;
	return a;
}

/* A loop's index or a size. */
const struct fe_par_scalar *fe_par_name(struct fe_par *p, struct fe_symbol *s,
	unsigned loops, const struct poly_loc *loc)
{
	struct fe_par_form f = { .n = 1, .term = { { s, 1 } } };

	return fe_par_from_form(p, &f, loops, loc);
}

/* Such a scalar is not worth a definition: reading it is as cheap as it gets.
 */
bool fe_par_is_leaf(const struct fe_par_scalar *a)
{
	return a->form || a->data->kind == FE_S_NUMBER ||
		a->data->kind == FE_S_READ;
}

/* Callback: a size in a position is a parameter of the program. */
static void mark_needed(struct fe_scalar *e, void *user)
{
	struct fe_par_size *size = e->kind == FE_S_NAME ?
		fe_par_find_size(user, e->symbol) : NULL;

	if (size)
		size->needed = true;
}

/* Never NULL: without a place the evaluation stops, with a message that data
 * cannot tell here.
 */
struct fe_scalar *fe_par_place(struct fe_par *p, const struct fe_par_scalar *a,
	const struct poly_loc *loc)
{
	if (!a->place) {
		FE_REPORT(p->unit, FE_PAR_DATA, loc);
		fe_par_stop(p);
	}
	fe_scalar_each(a->place, mark_needed, p);
	return a->place;
}

/* For positions that data tell, of gathers: 64 bits. */
struct fe_scalar *fe_par_computed(struct fe_par *p,
	const struct fe_par_scalar *a, const struct poly_loc *loc)
{
	struct fe_scalar *e = cast_tree(p, POLY_I64, a->data, loc);

	e->computed = true;
	return e;
}

/* -------------------------------------------------------------- operations */

/* The form that the operation makes of those of its operands; false if that is
 * none.
 *
 * C divides towards 0: for constants the same as for places only if neither is
 * negative, so quotients of names are no forms.
 */
static bool combine(enum poly_op op, const struct fe_par_form *a,
	const struct fe_par_form *b, struct fe_par_form *f)
{
	*f = *a;
	switch (op) {
	case POLY_OP_ADD:
		return fe_par_form_add(f, b, 1);
	case POLY_OP_SUB:
		return fe_par_form_add(f, b, -1);
	case POLY_OP_NEG:
		*f = (struct fe_par_form) { 0 };
		return fe_par_form_add(f, a, -1);
	case POLY_OP_MUL:
		*f = (struct fe_par_form) { 0 };
		if (!b->n)
			return fe_par_form_add(f, a, b->constant);
		return !a->n && fe_par_form_add(f, b, a->constant);
	case POLY_OP_DIV:
	case POLY_OP_REM:
		if (a->n || b->n || !b->constant)
			return false;
		f->constant = op == POLY_OP_DIV ? a->constant / b->constant :
			a->constant % b->constant;
		return true;
	default:
		return false;
	}
}

/* The place that the operation on ints, which is no form, makes of places, or NULL.
 * Quotients round down there, so what is divided must not be negative.
 *
 * Places of positions are exact: ints that wrap have none.
 */
static struct fe_scalar *place_of(struct fe_par *p, enum poly_op op,
	const struct fe_par_scalar *const *arg, int n,
	const struct poly_loc *loc, bool *natural)
{
	const struct fe_par_scalar *a = arg[0], *b = n > 1 ? arg[1] : NULL;

	*natural = a->natural && b && b->natural && op != POLY_OP_SUB;
	if (!a->place || (b && !b->place))
		return NULL;
	switch (op) {
	case POLY_OP_ADD:
	case POLY_OP_SUB:
	case POLY_OP_MUL:
		return fe_par_op(p, op, a->place, b->place, loc);
	case POLY_OP_NEG:
		return fe_par_op(p, op, a->place, NULL, loc);
	case POLY_OP_DIV:
	case POLY_OP_REM:
		*natural = true;
		return a->natural ? fe_par_op(p, op, a->place, b->place, loc) :
			NULL;
	default:
		return NULL;
	}
}

/* The condition that a comparison of places or a connection of conditions is, or
 * NULL.
 *
 * A condition of index notation can decide which piece holds.
 */
static struct fe_scalar *condition_of(struct fe_par *p,
	const struct fe_par_callee *c, const struct fe_par_scalar *const *arg,
	int n, const struct poly_loc *loc)
{
	struct fe_scalar *e;
	bool compare = poly_op_shape(c->op) == POLY_SHAPE_COMPARE;

	if (!arg[0]->place || (n > 1 && !arg[1]->place) ||
	    (compare ? arg[0]->type != POLY_I32 : !c->logic))
		return NULL;
	e = fe_par_op(p, c->op, arg[c->turned]->place, n > 1 ?
		arg[!c->turned]->place : NULL, loc);
	e->logic = c->logic;
	return e;
}

/* floor(log2(n)) of an i32, -1 below 1.
 *
 * 31 minus the leading zeros.
 */
static struct fe_scalar *log2_tree(struct fe_par *p, struct fe_scalar *n,
	const struct poly_loc *loc)
{
	n = fe_par_op(p, POLY_OP_MAX, n, typed_number(p, POLY_I32, 0, loc), loc);
	return fe_par_op(p, POLY_OP_SUB, typed_number(p, POLY_I32, 31, loc),
		fe_par_op(p, POLY_OP_CLZ, n, NULL, loc), loc);
}

static bool is_compare(const struct fe_par_callee *c)
{
	return c->kind == FE_PAR_C_OP &&
		poly_op_shape(c->op) == POLY_SHAPE_COMPARE;
}

/* The data that the operation computes. Places are compared as such.
 *
 * A comparison of two forms, as i < n, is exact even where ints would wrap.
 */
static struct fe_scalar *data_of(struct fe_par *p, const struct fe_par_callee *c,
	const struct fe_par_scalar *const *arg, int n,
	const struct poly_loc *loc)
{
	struct fe_scalar *e;
	bool exact;
	int i;

	if (c->kind == FE_PAR_C_CAST)
		return cast_tree(p, c->type, arg[0]->data, loc);
	if (c->kind == FE_PAR_C_LOG2)
		return log2_tree(p, arg[0]->data, loc);
	exact = is_compare(c) && arg[0]->form && arg[1]->form &&
		(arg[0]->form->n || arg[1]->form->n);
	e = fe_scalar_new(p->unit, FE_S_OP, loc);
	e->op = c->op;
	e->spelling = c->spelling;
	e->logic = c->logic;
	e->n_arg = n;
	for (i = 0; i < n; i++) {
		const struct fe_par_scalar *one = arg[c->turned ? n - 1 - i : i];

		e->arg[i] = exact ? one->place : one->data;
		if (e->arg[i]->depth >= e->depth)
			e->depth = e->arg[i]->depth + 1;
	}
	return e;
}

/* The form if there is one; else place, if any, and data. A cast to the same
 * type only rounds.
 */
const struct fe_par_scalar *fe_par_operation(struct fe_par *p,
	const struct fe_par_callee *c, const struct fe_par_scalar *const *arg,
	int n, const struct poly_loc *loc)
{
	struct fe_par_scalar *r;
	struct fe_par_form f;
	unsigned loops = 0;
	int i, size = 1;

	for (i = 0; i < n; i++) {
		loops |= arg[i]->loops;
		size += arg[i]->size;
	}
	if (c->kind == FE_PAR_C_CAST && c->type == arg[0]->type)
		return fe_par_rounded(p, arg[0]);
	if (c->kind == FE_PAR_C_OP && arg[0]->form && (n == 1 || arg[1]->form)
	    && arg[0]->type == POLY_I32 &&
	    combine(c->op, arg[0]->form, n > 1 ? arg[1]->form : NULL, &f))
		return fe_par_from_form(p, &f, loops, loc);
	r = fe_arena_alloc(&p->unit->arena, sizeof(*r));
	r->type = c->kind == FE_PAR_C_CAST ? c->type : is_compare(c) ?
		POLY_BOOL : arg[0]->type;
	r->loops = loops;
	r->size = size;
	if (r->type == POLY_BOOL && c->kind == FE_PAR_C_OP)
		r->place = condition_of(p, c, arg, n, loc);
	else if (r->type == POLY_I32 && c->kind == FE_PAR_C_OP)
		r->place = place_of(p, c->op, arg, n, loc, &r->natural);
	r->data = data_of(p, c, arg, n, loc);
	return r;
}

const struct fe_par_scalar *fe_par_infix(struct fe_par *p, enum poly_op op,
	const char *spelling, const struct fe_par_scalar *a,
	const struct fe_par_scalar *b, const struct poly_loc *loc)
{
	const struct fe_par_callee c = { .kind = FE_PAR_C_OP, .op = op,
		.n_arg = 2, .spelling = spelling };
	const struct fe_par_scalar *arg[2] = { a, b };

	return fe_par_operation(p, &c, arg, 2, loc);
}

/* a + n for a number n. */
const struct fe_par_scalar *fe_par_plus(struct fe_par *p,
	const struct fe_par_scalar *a, int64_t n, const struct poly_loc *loc)
{
	return fe_par_infix(p, POLY_OP_ADD, "+", a, fe_par_number(p, POLY_I32,
		(double)n, loc), loc);
}

/* "op" is SELECT or BRANCH; both choices have one type. */
const struct fe_par_scalar *fe_par_select(struct fe_par *p, enum poly_op op,
	const struct fe_par_scalar *c, const struct fe_par_scalar *a,
	const struct fe_par_scalar *b, const struct poly_loc *loc)
{
	const struct fe_par_callee select = { .kind = FE_PAR_C_OP,
		.op = op, .n_arg = 3, .spelling = "?:" };
	const struct fe_par_scalar *const arg[3] = { c, a, b };
	struct fe_par_scalar *r = fe_arena_alloc(&p->unit->arena, sizeof(*r));

	r->type = a->type;
	r->loops = c->loops | a->loops | b->loops;
	r->size = 1 + c->size + a->size + b->size;
	r->data = data_of(p, &select, arg, 3, loc);
	return r;
}

/* Storage types (f16, i8) are computed wider; a value that is kept in a
 * variable is rounded as it would be in memory.
 */
const struct fe_par_scalar *fe_par_rounded(struct fe_par *p,
	const struct fe_par_scalar *a)
{
	struct fe_par_scalar *r;

	if (poly_type_compute(a->type) == a->type || fe_par_is_leaf(a) ||
	    a->data->kind == FE_S_CAST)
		return a;
	r = fe_arena_alloc(&p->unit->arena, sizeof(*r));
	*r = *a;
	r->data = cast_tree(p, a->type, a->data, &a->data->loc);
	r->size++;
	return r;
}

const struct fe_par_scalar *fe_par_not(struct fe_par *p,
	const struct fe_par_scalar *condition, const struct poly_loc *loc)
{
	static const struct fe_par_callee not = { .kind = FE_PAR_C_OP,
		.op = POLY_OP_NOT, .n_arg = 1, .logic = true, .spelling = "!" };

	return fe_par_operation(p, &not, &condition, 1, loc);
}
