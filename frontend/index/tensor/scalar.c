/* Expressions of index notation: making them, walking them, and reading them
 * as linear functions.
 *
 * A form is a sum of terms with integer coefficients: indices, sizes, and
 * floors of forms. fe_form_read decides what is affine; the rest of the front
 * end asks forms, not trees. Coefficients stay below 2^60, so that sums of two
 * never overflow.
 */
#include <math.h>
#include <stdlib.h>

#include "frontend/index/tensor/tensor.h"
#include "frontend/matrix/matrix.h"

/* In the arena of the unit; its type is found later (type.c). */
struct fe_scalar *fe_scalar_new(struct fe_unit *u, enum fe_scalar_kind kind,
	const struct poly_loc *loc)
{
	struct fe_scalar *e = fe_arena_alloc(&u->arena, sizeof(*e));

	e->kind = kind;
	e->op = POLY_OP_NONE;
	e->type = POLY_N_TYPE;
	e->loc = *loc;
	return e;
}

/* The scope of a reduction with indices of its own.
 *
 * Indices are bound by their scope, so a copy must not share them.
 */
static struct fe_scope *copy_scope(struct fe_unit *u,
	const struct fe_scope *from, const struct fe_symbol *name, const struct fe_scalar *to)
{
	struct fe_scope *scope = fe_arena_alloc(&u->arena, sizeof(*scope));
	struct fe_index **index = &scope->first;
	struct fe_scalar **tail = &scope->condition;
	const struct fe_scalar *c;
	const struct fe_index *i;

	scope->n = from->n;
	for (i = from->first; i; i = i->next) {
		*index = fe_arena_alloc(&u->arena, sizeof(**index));
		(*index)->symbol = i->symbol;
		(*index)->loc = i->loc;
		index = &(*index)->next;
	}
	for (c = from->condition; c; c = c->next) {
		*tail = fe_scalar_copy(u, c, name, to);
		tail = &(*tail)->next;
	}
	return scope;
}

/* "from", if it is not NULL, is replaced by a copy of "to". Trees are copied
 * wherever they are used twice: each node of index notation stands in one
 * place.
 */
struct fe_scalar *fe_scalar_copy(struct fe_unit *u, const struct fe_scalar *e,
	const struct fe_symbol *from, const struct fe_scalar *to)
{
	struct fe_scalar *copy;
	int i;

	if (from && e->kind == FE_S_NAME && e->symbol == from)
		return fe_scalar_copy(u, to, NULL, NULL);
	copy = fe_arena_alloc(&u->arena, sizeof(*copy));
	*copy = *e;
	copy->next = NULL;
	for (i = 0; i < e->n_arg; i++)
		copy->arg[i] = fe_scalar_copy(u, e->arg[i], from, to);
	if (e->scope)
		copy->scope = copy_scope(u, e->scope, from, to);
	return copy;
}

/* Arguments before what uses them, conditions of a sum first. */
void fe_scalar_each(struct fe_scalar *e,
	void (*fn)(struct fe_scalar *e, void *user), void *user)
{
	struct fe_scalar *c;
	int i;

	if (!e)
		return;
	for (c = e->scope ? e->scope->condition : NULL; c; c = c->next)
		fe_scalar_each(c, fn, user);
	for (i = 0; i < e->n_arg; i++)
		fe_scalar_each(e->arg[i], fn, user);
	fn(e, user);
}

/* Sizes, conditions, start and pieces of a definition. */
void fe_tensor_each(struct fe_tensor *t,
	void (*fn)(struct fe_scalar *e, void *user), void *user)
{
	struct fe_scalar *c;
	struct fe_piece *p;
	int i;

	for (i = 0; i < t->rank; i++)
		fe_scalar_each(t->size[i], fn, user);
	for (c = t->scope.condition; c; c = c->next)
		fe_scalar_each(c, fn, user);
	fe_scalar_each(t->start, fn, user);
	for (p = t->piece; p; p = p->next) {
		fe_scalar_each(p->condition, fn, user);
		fe_scalar_each(p->value, fn, user);
	}
}

/* "t" needs the values of "to": an edge for each pair, once. */
void fe_tensor_need(struct fe_unit *u, struct fe_tensor *t, struct fe_tensor *to)
{
	struct fe_edge *edge;

	for (edge = t->edge; edge; edge = edge->next)
		if (edge->to == to)
			return;
	edge = fe_arena_alloc(&u->arena, sizeof(*edge));
	edge->to = to;
	edge->next = t->edge;
	t->edge = edge;
}

/* For definitions of matrices that an index definition reads. */
void fe_read_def(struct fe_unit *u, struct fe_def *def, struct fe_read **reads)
{
	struct fe_read *r = fe_arena_alloc(&u->arena, sizeof(*r));

	r->def = def;
	r->next = *reads;
	*reads = r;
	def->is_read = true;
}

/* A position that is no affine function of indices: data tell it. */
bool fe_scalar_gathers(const struct fe_scalar *e)
{
	for (int i = 0; e->kind == FE_S_READ && i < e->n_arg; i++)
		if (!e->arg[i]->affine)
			return true;
	return false;
}

/* Is it a condition made of conditions? */
bool fe_scalar_joins(const struct fe_scalar *c)
{
	return c->kind == FE_S_OP && (c->op == POLY_OP_AND ||
		c->op == POLY_OP_OR || c->op == POLY_OP_NOT);
}

/* Does "e" read a value, so that data decide on it? */
bool fe_scalar_reads(const struct fe_scalar *e)
{
	bool does = e->kind == FE_S_READ || e->kind == FE_S_REDUCE;

	for (int i = 0; i < e->n_arg && !does; i++)
		does = fe_scalar_reads(e->arg[i]);
	return does;
}

/* Has "e" a quotient or remainder, of which each may cut a set in two? */
bool fe_scalar_divides(const struct fe_scalar *e)
{
	bool any = e->kind == FE_S_OP &&
		(e->op == POLY_OP_DIV || e->op == POLY_OP_REM);

	for (int i = 0; i < e->n_arg; i++)
		any |= fe_scalar_divides(e->arg[i]);
	return any;
}

bool fe_scalar_has_guards(const struct fe_scalar *e)
{
	return e->n_arg == 1 && !e->place && (e->op == POLY_OP_ADD ||
		e->op == POLY_OP_MUL);
}

/* The operation "op" of two operands; its place is that of the second. */
static struct fe_scalar *operation(struct fe_unit *u, enum poly_op op,
	struct fe_scalar *a, struct fe_scalar *b)
{
	struct fe_scalar *e = fe_scalar_new(u, FE_S_OP, &b->loc);

	e->op = op;
	e->spelling = b->spelling ? b->spelling : "for";
	e->arg[0] = a;
	e->arg[1] = b;
	e->n_arg = 2;
	e->depth = 1 + (a->depth > b->depth ? a->depth : b->depth);
	return e;
}

struct fe_scalar *fe_scalar_both(struct fe_unit *u, struct fe_scalar *all,
	struct fe_scalar *c)
{
	if (!all)
		return c;
	all = operation(u, POLY_OP_AND, all, c);
	all->logic = true;
	return all;
}

struct fe_scalar *fe_scalar_guarded(struct fe_unit *u, const struct fe_scalar *e,
	struct fe_scalar *guard)
{
	struct fe_scalar *all = operation(u, POLY_OP_SELECT, guard, e->arg[0]);

	all->arg[2] = fe_scalar_new(u, FE_S_NUMBER, &guard->loc);
	all->arg[2]->value = e->op == POLY_OP_MUL;
	all->arg[2]->whole = all->arg[2]->affine = true;
	all->n_arg = 3;
	return all;
}

/* y[p[i]] = ..: the definition's value is a SCATTER; else NULL. */
const struct fe_scalar *fe_tensor_scatter(const struct fe_tensor *t)
{
	const struct fe_scalar *e = t->piece ? t->piece->value : NULL;

	return e && e->kind == FE_S_OP && e->op == POLY_OP_SCATTER ? e : NULL;
}

/* The reduction whose cells are told by a second argument, as of a histogram.
 */
const struct fe_scalar *fe_tensor_cells(const struct fe_tensor *t)
{
	const struct fe_scalar *e = t->piece ? t->piece->value : NULL;

	return e && e->kind == FE_S_REDUCE && e->n_arg == 2 ? e : NULL;
}

/* Does "e" mention an index of "scope" behind the first "n", one of its sums?
 */
bool fe_scalar_mentions(const struct fe_scalar *e,
	const struct fe_scope *scope, int n)
{
	const struct fe_index *i = scope->first;
	int k;

	for (k = 0; i; i = i->next, k++)
		if (k >= n && e->kind == FE_S_INDEX && e->index == i)
			return true;
	for (k = 0; k < e->n_arg; k++)
		if (fe_scalar_mentions(e->arg[k], scope, n))
			return true;
	return false;
}

/* ------------------------------------------------------------------ forms */

/* Beyond 2^60 counts as overflow. */
static bool add_overflows(int64_t a, int64_t b, int64_t *sum)
{
	return __builtin_add_overflow(a, b, sum) || llabs(*sum) > INT64_C(1)
		<< 60;
}

static bool same_floor(const struct fe_floor *a, const struct fe_floor *b);

/* Do "a" and "b" count the same?
 *
 * By what they are; coefficients are not compared.
 */
static bool same_term(const struct fe_term *a, const struct fe_term *b)
{
	if (a->kind != b->kind)
		return false;
	return a->kind == FE_T_INDEX ? a->index == b->index :
		a->kind == FE_T_SIZE ? a->param == b->param :
		same_floor(a->floor, b->floor);
}

/* Do both round the same quotient, with terms in whatever order?
 *
 * Quadratic in the terms, of which there are a handful.
 */
static bool same_floor(const struct fe_floor *a, const struct fe_floor *b)
{
	int i, k;

	if (a == b)
		return true;
	if (a->div != b->div || a->constant != b->constant || a->n != b->n)
		return false;
	for (i = 0; i < a->n; i++) {
		for (k = 0; k < b->n; k++)
			if (same_term(&a->term[i], &b->term[k]))
				break;
		if (k == b->n || a->term[i].coef != b->term[k].coef)
			return false;
	}
	return true;
}

/* f += scale * (sum of the n terms + constant). Terms that come to 0 go away.
 * False if there is no room, or a number is too large.
 */
bool fe_form_add(struct fe_form *f, const struct fe_term *term, int n,
	int64_t constant, int64_t scale)
{
	int64_t part;
	int i, k;

	if (__builtin_mul_overflow(constant, scale, &part) ||
	    add_overflows(f->constant, part, &f->constant))
		return false;
	for (i = 0; i < n; i++) {
		for (k = 0; k < f->n; k++)
			if (same_term(&f->term[k], &term[i]))
				break;
		if (k == FE_MAX_TERM)
			return false;
		if (k == f->n) {
			f->term[f->n] = term[i];
			f->term[f->n++].coef = 0;
		}
		if (__builtin_mul_overflow(term[i].coef, scale, &part) ||
		    add_overflows(f->term[k].coef, part, &f->term[k].coef))
			return false;
		if (!f->term[k].coef)
			f->term[k] = f->term[--f->n];
	}
	return true;
}

/* How many times "index", or any index if that is NULL, is in the term; floors
 * are looked into.
 */
int fe_term_count(const struct fe_term *term, const struct fe_index *index)
{
	int i, n = 0;

	if (term->kind == FE_T_INDEX)
		return !index || term->index == index;
	for (i = 0; term->kind == FE_T_FLOOR && i < term->floor->n; i++)
		n += fe_term_count(&term->floor->term[i], index);
	return n;
}

/* A product, one of whose factors is a constant.
 *
 * A product of two indices is none: false.
 */
static bool multiply(struct fe_unit *u, const struct fe_scalar *e,
	struct fe_form *f)
{
	struct fe_form a;
	int64_t scale;
	int k = !fe_scalar_whole(e->arg[0], &scale);

	*f = (struct fe_form) { 0 };
	return (!k || fe_scalar_whole(e->arg[1], &scale)) &&
		fe_form_read(u, e->arg[!k], &a) &&
		fe_form_add(f, a.term, a.n, a.constant, scale);
}

/* Add to "f" "a" divided by "div" and rounded down, times "scale". What "div"
 * divides is taken out.
 *
 * floor((4*i + 6*j + 7) / 4) is i + 1 + floor((6*j + 3) / 4): multiples of the
 * divisor are exact and leave the floor, which makes equal floors look equal.
 */
static bool add_floor(struct fe_unit *u, struct fe_form *f,
	const struct fe_form *a, int64_t div, int64_t scale)
{
	struct fe_floor *q = fe_arena_alloc(&u->arena, sizeof(*q));
	int64_t whole = fe_floor_div(a->constant, div);
	struct fe_term term = { .kind = FE_T_FLOOR, .floor = q, .coef = 1 };
	int i;

	q->div = div;
	q->constant = a->constant - whole * div;
	q->term = fe_arena_alloc(&u->arena,
		((size_t)a->n + 1) * sizeof(*q->term));
	if (!fe_form_add(f, NULL, 0, whole, scale))
		return false;
	for (i = 0; i < a->n; i++) {
		struct fe_term one = a->term[i];

		if (one.coef % div) {
			q->term[q->n++] = one;
			continue;
		}
		one.coef /= div;
		if (!fe_form_add(f, &one, 1, 0, scale))
			return false;
	}
	return !q->n || fe_form_add(f, &term, 1, 0, scale);
}

/* A quotient or a remainder.
 *
 * a mod d is a - d * floor(a/d). Divisors are positive whole numbers.
 */
static bool divide(struct fe_unit *u, const struct fe_scalar *e,
	struct fe_form *f)
{
	struct fe_form a;
	int64_t div;

	*f = (struct fe_form) { 0 };
	if (!fe_scalar_whole(e->arg[1], &div) || div <= 0 ||
	    !fe_form_read(u, e->arg[0], &a))
		return false;
	if (e->op == POLY_OP_DIV)
		return add_floor(u, f, &a, div, 1);
	return fe_form_add(f, a.term, a.n, a.constant, 1) &&
		add_floor(u, f, &a, div, -div);
}

/* "e", no operation, as a form; false unless it is a whole number, an index or
 * a size.
 *
 * Other leaves, as a read, are no forms.
 */
static bool read_leaf(const struct fe_scalar *e, struct fe_form *f)
{
	*f = (struct fe_form) { 0 };
	if (e->kind == FE_S_NUMBER) {
		f->constant = (int64_t)e->value;
		return e->whole && fabs(e->value) <= FE_MAX_NUMBER;
	}
	f->n = 1;
	f->term[0].coef = 1;
	f->term[0].kind = e->kind == FE_S_INDEX ? FE_T_INDEX : FE_T_SIZE;
	if (e->kind == FE_S_INDEX)
		f->term[0].index = e->index;
	else
		f->term[0].param = e->param;
	return e->kind == FE_S_INDEX || e->kind == FE_S_SIZE;
}

/* False if "e" is not affine, or numbers are too large. */
bool fe_form_read(struct fe_unit *u, const struct fe_scalar *e,
	struct fe_form *f)
{
	struct fe_form b;

	if (e->kind != FE_S_OP)
		return read_leaf(e, f);
	switch (e->op) {
	case POLY_OP_ADD:
	case POLY_OP_SUB:
		return fe_form_read(u, e->arg[0], f) &&
			fe_form_read(u, e->arg[1], &b) &&
			fe_form_add(f, b.term, b.n, b.constant,
				e->op == POLY_OP_ADD ? 1 : -1);
	case POLY_OP_NEG:
		*f = (struct fe_form) { 0 };
		return fe_form_read(u, e->arg[0], &b) &&
			fe_form_add(f, b.term, b.n, b.constant, -1);
	case POLY_OP_MUL:
		return multiply(u, e, f);
	case POLY_OP_DIV:
	case POLY_OP_REM:
		return divide(u, e, f);
	default:
		return false;
	}
}

/* The value of the operation "op" on whole numbers.
 *
 * Division rounds down, for positive divisors.
 */
static bool apply_whole(enum poly_op op, int64_t a, int64_t b, int64_t *value)
{
	switch (op) {
	case POLY_OP_ADD:
		return !add_overflows(a, b, value);
	case POLY_OP_SUB:
		return !add_overflows(a, -b, value);
	case POLY_OP_MUL:
		return !__builtin_mul_overflow(a, b, value) &&
			llabs(*value) <= INT64_C(1) << 60;
	case POLY_OP_DIV:
	case POLY_OP_REM:
		if (b <= 0)
			return false;
		*value = fe_floor_div(a, b);
		if (op == POLY_OP_REM)
			*value = a - b * *value;
		return true;
	default:
		return false;
	}
}

/* A constant of whole numbers, as 2 * 3 - 1. */
bool fe_scalar_whole(const struct fe_scalar *e, int64_t *value)
{
	int64_t a, b;

	if (e->kind == FE_S_NUMBER) {
		*value = (int64_t)e->value;
		return e->whole && fabs(e->value) <= FE_MAX_NUMBER;
	}
	if (e->kind != FE_S_OP || e->n_arg > 2 ||
	    !fe_scalar_whole(e->arg[0], &a))
		return false;
	if (e->op == POLY_OP_NEG) {
		*value = -a;
		return true;
	}
	return e->n_arg == 2 && fe_scalar_whole(e->arg[1], &b) &&
		apply_whole(e->op, a, b, value);
}
