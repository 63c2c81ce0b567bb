/* Integers of a nest as polynomials: sums of products of sizes, loop variables and
 * what else is affine. They are read from expressions, divided by one another, and
 * written as expressions again.
 *
 * A term has a number, at most one affine value, its atom, and sizes that it is
 * multiplied by:
 *
 *	3 * i * n * m	coef 3, atom i, sizes n m
 */
#include <stdlib.h>
#include <string.h>

#include "frontend/c/rewrite/c_polynomial.h"
#include "frontend/c/rewrite/rewrite.h"

/* ------------------------------------------------------------- polynomials */

/* Any order of expressions, in which those that are the same are equal.
 *
 * The order has no meaning: it only makes equal products of sizes look alike.
 */
static int compare_size(const struct fe_c_expr *a, const struct fe_c_expr *b)
{
	int i, by = (int)a->kind - (int)b->kind;

	if (!by && a->var && b->var)
		return a->var->id - b->var->id;
	if (!by)
		by = (int)a->op - (int)b->op;
	if (!by)
		by = (int)a->type - (int)b->type;
	if (!by && a->kind == FE_C_INT)
		by = (a->bits > b->bits) - (a->bits < b->bits);
	for (i = 0; i < 3 && !by && a->arg[i] && b->arg[i]; i++)
		by = compare_size(a->arg[i], b->arg[i]);
	return by;
}

/* By the number of sizes first: so a term with more of them is larger, which is
 * what a division needs (fe_c_poly_leading).
 */
int fe_c_term_compare(const struct fe_c_term *a, const struct fe_c_term *b)
{
	int i, by = a->n_size - b->n_size;

	for (i = 0; i < a->n_size && !by; i++)
		by = compare_size(a->size[i], b->size[i]);
	return by;
}

/* NULL is the atom of a term without one. */
bool fe_c_same_atom(const struct fe_c_expr *a, const struct fe_c_expr *b)
{
	return a == b || (a && b && fe_c_same(a, b));
}

/* Terms that differ in their numbers alone are added up; one that becomes 0
 * goes. Too many terms or too large a number make the polynomial fail, and
 * nothing after that repairs it.
 */
void fe_c_poly_add(struct fe_c_poly *p, const struct fe_c_term *t)
{
	int i;

	for (i = 0; i < p->n; i++)
		if (fe_c_same_atom(p->term[i].atom, t->atom) &&
		    !fe_c_term_compare(&p->term[i], t)) {
			p->term[i].coef += t->coef;
			if (!p->term[i].coef)
				p->term[i] = p->term[--p->n];
			return;
		}
	if (!t->coef)
		return;
	if (p->n == FE_C_MAX_TERM || t->coef > INT32_MAX || t->coef < -INT32_MAX)
		p->failed = true;
	else
		p->term[p->n++] = *t;
}

/*	p += by * q */
void fe_c_poly_add_all(struct fe_c_poly *p, const struct fe_c_poly *q, int64_t by)
{
	int i;

	p->failed |= q->failed;
	for (i = 0; i < q->n; i++) {
		struct fe_c_term t = q->term[i];

		t.coef *= by;
		fe_c_poly_add(p, &t);
	}
}

/* The product of two terms, with sizes in order. "p" fails if both have an
 * atom, or if there are too many sizes.
 *
 * An atom is affine; the product of two is not.
 */
static struct fe_c_term times_term(struct fe_c_poly *p, const struct fe_c_term *a,
	const struct fe_c_term *b)
{
	struct fe_c_term t = *a;
	int i, k;

	t.coef *= b->coef;
	if (a->atom && b->atom)
		p->failed = true;
	t.atom = a->atom ? a->atom : b->atom;
	for (i = 0; i < b->n_size; i++) {
		if (t.n_size == FE_C_MAX_POWER) {
			p->failed = true;
			break;
		}
		for (k = t.n_size++; k > 0 && compare_size(t.size[k - 1],
			b->size[i]) > 0; k--)
			t.size[k] = t.size[k - 1];
		t.size[k] = b->size[i];
	}
	return t;
}

/* Add the product of "a" and "b" to "r", which fails if a product of two terms
 * does.
 *
 * Terms are limited in number, so this ends early for large ones.
 */
static void multiply(struct fe_c_poly *r, const struct fe_c_poly *a,
	const struct fe_c_poly *b)
{
	int i, k;

	r->failed |= a->failed || b->failed;
	for (i = 0; i < a->n && !r->failed; i++)
		for (k = 0; k < b->n; k++) {
			struct fe_c_term t = times_term(r, &a->term[i],
				&b->term[k]);

			fe_c_poly_add(r, &t);
		}
}

/* "a" / "b" without remainder, else false.
 *
 * Both lists of sizes are in order, so one walk is enough.
 */
static bool divide_term(const struct fe_c_term *a, const struct fe_c_term *b,
	struct fe_c_term *q)
{
	int i, k = 0;

	*q = (struct fe_c_term) { .coef = a->coef / b->coef, .atom = a->atom };
	if (a->coef % b->coef)
		return false;
	for (i = 0; i < a->n_size; i++) {
		if (k < b->n_size && !compare_size(a->size[i], b->size[k]))
			k++;
		else
			q->size[q->n_size++] = a->size[i];
	}
	return k == b->n_size;
}

/* True if no loop variable stands in the affine value "e".
 *
 * Another name is looked through.
 */
static bool is_size(const struct fe_c_expr *e)
{
	int i;

	if (e->kind == FE_C_VAR)
		return e->var->use == FE_C_ALIAS ? is_size(e->var->init) :
			!e->var->n_loop;
	for (i = 0; i < 3 && e->arg[i]; i++)
		if (!is_size(e->arg[i]))
			return false;
	return true;
}

/* "e" without casts from integers to those of 32 bits or more.
 *
 * Such casts change no value that fits.
 */
static const struct fe_c_expr *bare(const struct fe_c_expr *e)
{
	while (e->kind == FE_C_CAST && poly_type_size(e->type) >= 4 &&
	       !poly_type_is_float(e->type) &&
	       !poly_type_is_float(e->arg[0]->type))
		e = e->arg[0];
	return e;
}

/* "a op b" in 64 bits.
 *
 * At the place of "a", for messages.
 */
static struct fe_c_expr *binary(struct fe_unit *u, enum poly_op op,
	struct fe_c_expr *a, struct fe_c_expr *b)
{
	struct fe_c_expr *e = fe_c_make(u, FE_C_OP, POLY_I64, &a->loc);

	e->op = op;
	e->arg[0] = a;
	e->arg[1] = b;
	return e;
}

/* A copy of "e" at "loc", converted to 64 bits, so that products do not
 * overflow.
 *
 * "e" itself may stand elsewhere in the tree.
 */
static struct fe_c_expr *factor(struct fe_unit *u, const struct fe_c_expr *e,
	const struct poly_loc *loc)
{
	struct fe_c_expr *cast = fe_c_make(u, FE_C_CAST, POLY_I64, loc);

	cast->arg[0] = fe_arena_alloc(&u->arena, sizeof(*e));
	*cast->arg[0] = *e;
	cast->arg[0]->loc = *loc;
	return cast;
}

/* Of 64 bits, as all that is made here. */
static struct fe_c_expr *number(struct fe_unit *u, int64_t value,
	const struct poly_loc *loc)
{
	struct fe_c_expr *e = fe_c_make(u, FE_C_INT, POLY_I64, loc);

	e->bits = value;
	return e;
}

/* The product; "a" may be NULL, which stands for 1. */
static struct fe_c_expr *times(struct fe_unit *u, struct fe_c_expr *a,
	struct fe_c_expr *b)
{
	return a ? binary(u, POLY_OP_MUL, a, b) : b;
}

/* The sum of all terms, each a product of 64 bits. An empty polynomial is the
 * number 0.
 */
struct fe_c_expr *fe_c_poly_expression(struct fe_unit *u, const struct fe_c_poly *p,
	const struct poly_loc *loc)
{
	struct fe_c_expr *sum = NULL, *e;
	int i, k;

	for (i = 0; i < p->n; i++) {
		const struct fe_c_term *t = &p->term[i];

		e = NULL;
		if (t->coef != 1 || (!t->atom && !t->n_size))
			e = number(u, t->coef, loc);
		if (t->atom)
			e = times(u, e, factor(u, t->atom, loc));
		for (k = 0; k < t->n_size; k++)
			e = times(u, e, factor(u, t->size[k], loc));
		sum = sum ? binary(u, POLY_OP_ADD, sum, e) : e;
	}
	return sum ? sum : number(u, 0, loc);
}

/* The only variable of a loop in "e", or NULL; "many" if there are others.
 *
 * A variable that stands there several times is one.
 */
static const struct fe_c_var *find_loop(const struct fe_c_expr *e, bool *many)
{
	const struct fe_c_var *v = NULL, *other;
	int i;

	if (e->kind == FE_C_VAR && e->var->use == FE_C_ALIAS)
		return find_loop(e->var->init, many);
	if (e->kind == FE_C_VAR)
		return e->var->n_loop ? e->var : NULL;
	for (i = 0; i < 3 && e->arg[i]; i++) {
		other = find_loop(e->arg[i], many);
		*many |= v && other && v != other;
		v = other ? other : v;
	}
	return v;
}

/* What "p" multiplies the variable that "cond" asks for with, or 1.
 *
 *	y > 0	asks for y;	in y * n + x	that is multiplied with n
 */
static struct fe_c_term stride_of(const struct fe_c_poly *p,
	const struct fe_c_expr *cond)
{
	struct fe_c_term one = { .coef = 1 };
	bool many = false;
	const struct fe_c_var *v = find_loop(cond, &many);
	int i;

	for (i = 0; i < p->n && v && !many; i++)
		if (p->term[i].atom && p->term[i].atom->kind == FE_C_VAR &&
		    p->term[i].atom->var == v) {
			one = p->term[i];
			one.atom = NULL;
			one.coef = 1;
		}
	return one;
}

/* Add "t" where "cond" holds, or where it does "not", to "p", as a multiple of what
 * it is that "cond" asks for if that can be.
 *
 *	n, where y > 0	becomes	n * (y > 0 ? 1 : 0)
 *
 * "not" exchanges the branches: the choice has "t" where the condition does not
 * hold.
 */
static void add_choice(struct fe_unit *u, struct fe_c_poly *p,
	const struct fe_c_term *t, const struct fe_c_expr *cond, bool not)
{
	struct fe_c_poly times = { .n = 1 };
	struct fe_c_term stride = stride_of(p, cond), sum;
	struct fe_c_expr *e = fe_c_make(u, FE_C_COND, POLY_I64, &cond->loc);

	if (!divide_term(t, &stride, &times.term[0]) ||
	    times.term[0].n_size + (times.term[0].atom != NULL) > 1) {
		stride = *t;
		stride.atom = NULL;
		stride.coef = 1;
		divide_term(t, &stride, &times.term[0]);
	}
	e->arg[0] = (struct fe_c_expr *)(uintptr_t)cond;
	e->arg[1 + not] = fe_c_poly_expression(u, &times, &cond->loc);
	e->arg[2 - not] = number(u, 0, &cond->loc);
	sum = stride;
	sum.atom = e;
	fe_c_poly_add(p, &sum);
}

/* Move what "a" and "b" have in common to "p".
 *
 * Terms that both branches have need no choice. What is left of "a" and "b"
 * differs.
 */
static void add_common(struct fe_c_poly *p, struct fe_c_poly *a,
	struct fe_c_poly *b)
{
	int i, k;

	p->failed |= a->failed || b->failed;
	for (i = a->n - 1; i >= 0; i--)
		for (k = 0; k < b->n; k++)
			if (a->term[i].coef == b->term[k].coef &&
			    fe_c_same_atom(a->term[i].atom, b->term[k].atom) &&
			    !fe_c_term_compare(&a->term[i], &b->term[k])) {
				fe_c_poly_add(p, &a->term[i]);
				a->term[i] = a->term[--a->n];
				b->term[k] = b->term[--b->n];
				break;
			}
}

/* What is no sum or product must be affine.
 *
 * A value that is affine and has no loop variable counts as a size.
 */
static void leaf(struct fe_c_poly *p, const struct fe_c_expr *e)
{
	struct fe_c_term t = { .coef = 1 };
	int64_t value;

	if (fe_c_constant(e, &value)) {
		t.coef = value;
	} else if (!fe_c_affine(e, true)) {
		p->failed = true;
		return;
	} else if (is_size(e)) {
		t.size[t.n_size++] = e;
	} else {
		t.atom = e;
	}
	fe_c_poly_add(p, &t);
}

/* Is there a product in "e" that is affine for sizes that are fixed at most?
 *
 * Without such a product a choice is affine, or is not, as a whole: it need not
 * be taken apart.
 */
static bool has_product(const struct fe_c_expr *e)
{
	int64_t value;
	int i;

	if (e->kind == FE_C_VAR)
		return e->var->use == FE_C_ALIAS && has_product(e->var->init);
	if (e->kind == FE_C_OP && e->op == POLY_OP_MUL &&
	    !fe_c_constant(e->arg[0], &value) &&
	    !fe_c_constant(e->arg[1], &value))
		return true;
	for (i = 0; i < 3 && e->arg[i]; i++)
		if (has_product(e->arg[i]))
			return true;
	return false;
}

/* "c ? a : b" of polynomials: what they have in common, and choices for the rest.
 *
 *	y > 0 ? i - n : i	with i = y * n + x: (y - (y > 0 ? 1 : 0)) * n + x
 */
static void read_choice(struct fe_unit *u, struct fe_c_poly *p,
	const struct fe_c_expr *e)
{
	struct fe_c_poly *part = calloc(3, sizeof(*part));
	int i, k;

	if (!part || !fe_c_affine_cond(e->arg[0], true)) {
		p->failed = true;
		free(part);
		return;
	}
	for (i = 0; i < 2; i++)
		fe_c_poly_read(u, &part[i], e->arg[1 + i]);
	add_common(&part[2], &part[0], &part[1]);
	for (i = 0; i < 2; i++)
		for (k = 0; k < part[i].n && !part[2].failed; k++)
			add_choice(u, &part[2], &part[i].term[k], e->arg[0],
				i);
	fe_c_poly_add_all(p, &part[2], 1);
	free(part);
}

/* Sums, differences, products and negations are read as such, choices if a
 * product is inside of them. "p" is added to and fails if something else is not
 * affine.
 */
void fe_c_poly_read(struct fe_unit *u, struct fe_c_poly *p,
	const struct fe_c_expr *e)
{
	struct fe_c_poly *a, *b;
	int64_t value;

	e = bare(e);
	while (e->kind == FE_C_VAR && e->var->use == FE_C_ALIAS)
		e = bare(e->var->init);
	if (e->kind == FE_C_COND && has_product(e)) {
		read_choice(u, p, e);
		return;
	}
	if (fe_c_constant(e, &value) || e->kind != FE_C_OP ||
	    (e->op != POLY_OP_ADD && e->op != POLY_OP_SUB &&
	     e->op != POLY_OP_MUL && e->op != POLY_OP_NEG)) {
		leaf(p, e);
		return;
	}
	a = calloc(2, sizeof(*a));
	if (!a) {
		p->failed = true;
		return;
	}
	b = a + 1;
	fe_c_poly_read(u, a, e->arg[0]);
	if (e->op != POLY_OP_NEG)
		fe_c_poly_read(u, b, e->arg[1]);
	if (e->op == POLY_OP_MUL) {
		multiply(p, a, b);
	} else {
		fe_c_poly_add_all(p, a, e->op == POLY_OP_NEG ? -1 : 1);
		fe_c_poly_add_all(p, b, e->op == POLY_OP_SUB ? -1 : 1);
	}
	free(a);
}

/* The polynomials are large, so they are on the heap. */
bool fe_c_polynomial(struct fe_unit *u, const struct fe_c_expr *e)
{
	struct fe_c_poly *p = calloc(1, sizeof(*p));
	bool good;

	if (p)
		fe_c_poly_read(u, p, e);
	good = p && !p->failed;
	free(p);
	return good;
}

/* ---------------------------------------------------------------- division */

/* Division of polynomials as of numbers: the leading term of the divisor
 * decides.
 */

/* NULL if there is no term without an atom. */
const struct fe_c_term *fe_c_poly_leading(const struct fe_c_poly *p)
{
	const struct fe_c_term *best = NULL;
	int i;

	for (i = 0; i < p->n; i++)
		if (!p->term[i].atom && (!best ||
		    fe_c_term_compare(&p->term[i], best) > 0))
			best = &p->term[i];
	return best;
}

/* A term of "p" that the leading term of "by" divides, the largest.
 *
 * The largest first, so that no term comes back that was there before.
 */
static bool next_quotient(const struct fe_c_poly *p, const struct fe_c_term *by,
	struct fe_c_term *q)
{
	const struct fe_c_term *best = NULL;
	struct fe_c_term one;
	int i;

	for (i = 0; i < p->n; i++)
		if (divide_term(&p->term[i], by, &one) && (!best ||
		    fe_c_term_compare(&p->term[i], best) > 0)) {
			best = &p->term[i];
			*q = one;
		}
	return best != NULL;
}

/*	p = by * q + what is left in p
 *
 * The number of steps is limited: a division that does not come to an end
 * fails.
 */
void fe_c_poly_divide(struct fe_c_poly *p, const struct fe_c_poly *by,
	struct fe_c_poly *q)
{
	const struct fe_c_term *lead = fe_c_poly_leading(by);
	struct fe_c_term one;
	int steps = 0;

	while (!p->failed && lead && next_quotient(p, lead, &one)) {
		struct fe_c_poly part = { .n = 0 };
		int i;

		fe_c_poly_add(q, &one);
		for (i = 0; i < by->n; i++) {
			struct fe_c_term t = times_term(p, &by->term[i], &one);

			fe_c_poly_add(&part, &t);
		}
		fe_c_poly_add_all(p, &part, -1);
		if (++steps > 2 * FE_C_MAX_TERM)
			p->failed = true;
	}
}

/* 0 is a number, too. */
bool fe_c_poly_is_number(const struct fe_c_poly *p)
{
	return p->n == 0 || (p->n == 1 && !p->term[0].atom &&
		!p->term[0].n_size);
}
