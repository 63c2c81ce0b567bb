/* Arrays of one dimension that are used as arrays of several, as in
 * "a[(i * m + j) * n + k]": their dimensions are found, so that subscripts
 * become affine.
 *
 * A subscript is taken as a polynomial. What multiplies a loop variable is its
 * stride, a polynomial of sizes (or of w / 2 and the like); here m * n, n and
 * 1. If each stride of all
 * accesses to the array divides the next larger one, then the quotients are
 * the inner extents, and dividing the subscript by one stride after the other
 * gives the subscripts:
 *
 *	a[i*m*n + j*n + k]	strides m*n, n	a[..][m][n], a[i][j][k]
 *
 * A loop variable that counts in two dimensions, as in "a[i * n + i]", has the
 * strides n and 1; that is tried if n + 1 does not fit, or would be less than n.
 *
 * The members of structures are one dimension more, which stays the last.
 *
 * The memory is the same. That each subscript stays below its extent is not
 * looked at here; c_value.c makes it an assumption if it does not follow.
 */
#include <stdlib.h>
#include <string.h>

#include "frontend/c/rewrite/rewrite.h"

enum {
	MAX_TERM = 48,		/* of a polynomial */
	MAX_POWER = 6,		/* factors of a term */
	MAX_STRIDE = FE_C_MAX_RANK
};

/* "coef" times "atom", which is no product and may be NULL, times sizes in the
 * order of their ids.
 */
struct term {
	int64_t coef;
	const struct fe_c_expr *atom;
	const struct fe_c_expr *size[MAX_POWER];
	int n_size;
};
struct poly {
	struct term term[MAX_TERM];
	int n;
	bool failed;
};

/* ------------------------------------------------------------- polynomials */

/* Any order of expressions, in which those that are the same are equal. */
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

/* By degree, then by sizes: the order in which terms are divided. */
static int compare_sizes(const struct term *a, const struct term *b)
{
	int i, by = a->n_size - b->n_size;

	for (i = 0; i < a->n_size && !by; i++)
		by = compare_size(a->size[i], b->size[i]);
	return by;
}

static bool same_atom(const struct fe_c_expr *a, const struct fe_c_expr *b)
{
	return a == b || (a && b && fe_c_same(a, b));
}

static void add_term(struct poly *p, const struct term *t)
{
	int i;

	for (i = 0; i < p->n; i++)
		if (same_atom(p->term[i].atom, t->atom) &&
		    !compare_sizes(&p->term[i], t)) {
			p->term[i].coef += t->coef;
			if (!p->term[i].coef)
				p->term[i] = p->term[--p->n];
			return;
		}
	if (!t->coef)
		return;
	if (p->n == MAX_TERM || t->coef > INT32_MAX || t->coef < -INT32_MAX)
		p->failed = true;
	else
		p->term[p->n++] = *t;
}

static void add_all(struct poly *p, const struct poly *q, int64_t by)
{
	int i;

	p->failed |= q->failed;
	for (i = 0; i < q->n; i++) {
		struct term t = q->term[i];

		t.coef *= by;
		add_term(p, &t);
	}
}

static struct term times_term(struct poly *p, const struct term *a,
	const struct term *b)
{
	struct term t = *a;
	int i, k;

	t.coef *= b->coef;
	if (a->atom && b->atom)
		p->failed = true;
	t.atom = a->atom ? a->atom : b->atom;
	for (i = 0; i < b->n_size; i++) {
		if (t.n_size == MAX_POWER) {
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

static void multiply(struct poly *r, const struct poly *a,
	const struct poly *b)
{
	int i, k;

	r->failed |= a->failed || b->failed;
	for (i = 0; i < a->n && !r->failed; i++)
		for (k = 0; k < b->n; k++) {
			struct term t = times_term(r, &a->term[i],
				&b->term[k]);

			add_term(r, &t);
		}
}

/* "a" / "b" without remainder, else false. */
static bool divide_term(const struct term *a, const struct term *b,
	struct term *q)
{
	int i, k = 0;

	*q = (struct term) { .coef = a->coef / b->coef, .atom = a->atom };
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

/* True if no loop variable stands in the affine value "e". */
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

static const struct fe_c_expr *bare(const struct fe_c_expr *e)
{
	while (e->kind == FE_C_CAST && poly_type_size(e->type) >= 4 &&
	       !poly_type_is_float(e->type) &&
	       !poly_type_is_float(e->arg[0]->type))
		e = e->arg[0];
	return e;
}

static struct fe_c_expr *binary(struct fe_unit *u, enum poly_op op,
	struct fe_c_expr *a, struct fe_c_expr *b)
{
	struct fe_c_expr *e = fe_c_make(u, FE_C_OP, POLY_I64, &a->loc);

	e->op = op;
	e->arg[0] = a;
	e->arg[1] = b;
	return e;
}

static struct fe_c_expr *factor(struct fe_unit *u, const struct fe_c_expr *e,
	const struct poly_loc *loc)
{
	struct fe_c_expr *cast = fe_c_make(u, FE_C_CAST, POLY_I64, loc);

	cast->arg[0] = fe_arena_alloc(&u->arena, sizeof(*e));
	*cast->arg[0] = *e;
	cast->arg[0]->loc = *loc;
	return cast;
}

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

/* The expression that "p" is, at "loc". */
static struct fe_c_expr *expression(struct fe_unit *u, const struct poly *p,
	const struct poly_loc *loc)
{
	struct fe_c_expr *sum = NULL, *e;
	int i, k;

	for (i = 0; i < p->n; i++) {
		const struct term *t = &p->term[i];

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

/* The only variable of a loop in "e", or NULL; "many" if there are others. */
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

/* What "p" multiplies the variable that "cond" asks for with, or 1. */
static struct term stride_of(const struct poly *p, const struct fe_c_expr *cond)
{
	struct term one = { .coef = 1 };
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
 */
static void add_choice(struct fe_unit *u, struct poly *p, const struct term *t,
	const struct fe_c_expr *cond, bool not)
{
	struct poly times = { .n = 1 };
	struct term stride = stride_of(p, cond), sum;
	struct fe_c_expr *e = fe_c_make(u, FE_C_COND, POLY_I64, &cond->loc);

	if (!divide_term(t, &stride, &times.term[0]) ||
	    times.term[0].n_size + (times.term[0].atom != NULL) > 1) {
		stride = *t;
		stride.atom = NULL;
		stride.coef = 1;
		divide_term(t, &stride, &times.term[0]);
	}
	e->arg[0] = (struct fe_c_expr *)(uintptr_t)cond;
	e->arg[1 + not] = expression(u, &times, &cond->loc);
	e->arg[2 - not] = number(u, 0, &cond->loc);
	sum = stride;
	sum.atom = e;
	add_term(p, &sum);
}

/* Move what "a" and "b" have in common to "p". */
static void add_common(struct poly *p, struct poly *a, struct poly *b)
{
	int i, k;

	p->failed |= a->failed || b->failed;
	for (i = a->n - 1; i >= 0; i--)
		for (k = 0; k < b->n; k++)
			if (a->term[i].coef == b->term[k].coef &&
			    same_atom(a->term[i].atom, b->term[k].atom) &&
			    !compare_sizes(&a->term[i], &b->term[k])) {
				add_term(p, &a->term[i]);
				a->term[i] = a->term[--a->n];
				b->term[k] = b->term[--b->n];
				break;
			}
}

/* What is no sum or product must be affine. */
static void leaf(struct poly *p, const struct fe_c_expr *e)
{
	struct term t = { .coef = 1 };
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
	add_term(p, &t);
}

/* Is there a product in "e" that is affine for sizes that are fixed at most? */
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

static void read_poly(struct fe_unit *u, struct poly *p,
	const struct fe_c_expr *e);

/* "c ? a : b" of polynomials: what they have in common, and choices for the rest.
 *
 *	y > 0 ? i - n : i	with i = y * n + x: (y - (y > 0 ? 1 : 0)) * n + x
 */
static void read_choice(struct fe_unit *u, struct poly *p,
	const struct fe_c_expr *e)
{
	struct poly *part = calloc(3, sizeof(*part));
	int i, k;

	if (!part || !fe_c_affine_cond(e->arg[0], true)) {
		p->failed = true;
		free(part);
		return;
	}
	for (i = 0; i < 2; i++)
		read_poly(u, &part[i], e->arg[1 + i]);
	add_common(&part[2], &part[0], &part[1]);
	for (i = 0; i < 2; i++)
		for (k = 0; k < part[i].n && !part[2].failed; k++)
			add_choice(u, &part[2], &part[i].term[k], e->arg[0],
				i);
	add_all(p, &part[2], 1);
	free(part);
}

static void read_poly(struct fe_unit *u, struct poly *p,
	const struct fe_c_expr *e)
{
	struct poly *a, *b;
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
	read_poly(u, a, e->arg[0]);
	if (e->op != POLY_OP_NEG)
		read_poly(u, b, e->arg[1]);
	if (e->op == POLY_OP_MUL) {
		multiply(p, a, b);
	} else {
		add_all(p, a, e->op == POLY_OP_NEG ? -1 : 1);
		add_all(p, b, e->op == POLY_OP_SUB ? -1 : 1);
	}
	free(a);
}

bool fe_c_polynomial(struct fe_unit *u, const struct fe_c_expr *e)
{
	struct poly *p = calloc(1, sizeof(*p));
	bool good;

	if (p)
		read_poly(u, p, e);
	good = p && !p->failed;
	free(p);
	return good;
}

/* ---------------------------------------------------------------- division */

static const struct term *leading(const struct poly *p)
{
	const struct term *best = NULL;
	int i;

	for (i = 0; i < p->n; i++)
		if (!p->term[i].atom && (!best ||
		    compare_sizes(&p->term[i], best) > 0))
			best = &p->term[i];
	return best;
}

/* A term of "p" that the leading term of "by" divides, the largest. */
static bool next_quotient(const struct poly *p, const struct term *by,
	struct term *q)
{
	const struct term *best = NULL;
	struct term one;
	int i;

	for (i = 0; i < p->n; i++)
		if (divide_term(&p->term[i], by, &one) && (!best ||
		    compare_sizes(&p->term[i], best) > 0)) {
			best = &p->term[i];
			*q = one;
		}
	return best != NULL;
}

/* "p" = "q" * "by" + what stays in "p". */
static void divide(struct poly *p, const struct poly *by, struct poly *q)
{
	const struct term *lead = leading(by);
	struct term one;
	int steps = 0;

	while (!p->failed && lead && next_quotient(p, lead, &one)) {
		struct poly part = { .n = 0 };
		int i;

		add_term(q, &one);
		for (i = 0; i < by->n; i++) {
			struct term t = times_term(p, &by->term[i], &one);

			add_term(&part, &t);
		}
		add_all(p, &part, -1);
		if (++steps > 2 * MAX_TERM)
			p->failed = true;
	}
}

/* ----------------------------------------------------------------- strides */

/* The strides of an array, the largest first; none is a constant. */
struct shape {
	struct fe_unit *u;
	struct fe_c_var *v;
	struct poly *stride;
	int n;
	bool failed;
	bool split;	/* each term has a stride of its own */
};

static bool is_number(const struct poly *p)
{
	return p->n == 0 || (p->n == 1 && !p->term[0].atom &&
		!p->term[0].n_size);
}

/* Of two strides the smaller one, if it divides the other by a number; both
 * otherwise.
 */
static bool merge(struct poly *old, const struct poly *stride)
{
	const struct poly *large = old, *small = stride;
	struct poly rest, q = { .n = 0 };
	const struct term *a = leading(old), *b = leading(stride);

	if (compare_sizes(a, b) || !a || !b)
		return false;
	if (llabs(a->coef) < llabs(b->coef)) {
		large = stride;
		small = old;
	}
	rest = *large;
	divide(&rest, small, &q);
	if (rest.failed || rest.n || !is_number(&q))
		return false;
	if (small != old)
		*old = *small;
	return true;
}

static void add_stride(struct shape *s, struct poly *stride)
{
	const struct term *lead = leading(stride);
	int i, k;

	if (!lead || is_number(stride))
		return;
	if (lead->coef < 0) {
		struct poly minus = { .n = 0 };

		add_all(&minus, stride, -1);
		*stride = minus;
	}
	for (i = 0; i < s->n; i++)
		if (merge(&s->stride[i], stride))
			return;
	if (s->n == MAX_STRIDE - 1) {
		s->failed = true;
		return;
	}
	lead = leading(stride);
	for (i = 0; i < s->n && compare_sizes(leading(&s->stride[i]),
		lead) >= 0; i++)
		;
	for (k = s->n++; k > i; k--)
		s->stride[k] = s->stride[k - 1];
	s->stride[i] = *stride;
}

/* The strides of the polynomial "p": what its atoms are multiplied with. */
static void find_strides(struct shape *s, const struct poly *p)
{
	struct poly *stride = calloc(1, sizeof(*stride));
	int i, k;

	s->failed |= p->failed || !stride;
	for (i = 0; i < p->n && stride; i++) {
		bool seen = !p->term[i].atom;

		for (k = 0; k < i && !s->split; k++)
			seen |= same_atom(p->term[k].atom, p->term[i].atom);
		if (seen)
			continue;
		stride->n = 0;
		for (k = i; k < p->n; k++) {
			struct term t = p->term[k];

			if (!same_atom(t.atom, p->term[i].atom) ||
			    (s->split && k > i))
				continue;
			t.atom = NULL;
			add_term(stride, &t);
		}
		add_stride(s, stride);
	}
	free(stride);
}

/* ------------------------------------------------------------------- walks */

/* Call "fn" for each access to the array in the nest, and in the values of
 * other names.
 */
static void each_access(struct shape *s, struct fe_c_expr *e,
	void (*fn)(struct shape *, struct fe_c_expr *))
{
	int i;

	if (!e)
		return;
	if (e->kind == FE_C_ELEMENT && e->var == s->v)
		fn(s, e);
	for (i = 0; i < 3; i++)
		each_access(s, e->arg[i], fn);
	for (i = 0; i < e->n_index; i++)
		each_access(s, e->index[i], fn);
}

static void each_stmt(struct shape *s, struct fe_c_stmt *stmt,
	void (*fn)(struct shape *, struct fe_c_expr *))
{
	for (; stmt; stmt = stmt->next) {
		if (stmt->kind == FE_C_ASSIGN)
			each_access(s, stmt->left, fn);
		each_access(s, stmt->right, fn);
		each_access(s, stmt->cond, fn);
		each_stmt(s, stmt->body, fn);
		each_stmt(s, stmt->otherwise, fn);
	}
}

static void measure(struct shape *s, struct fe_c_expr *e)
{
	struct poly *p;

	if (e->n_index != 1 + s->v->has_row)
		return;
	p = calloc(1, sizeof(*p));
	if (p)
		read_poly(s->u, p, e->index[0]);
	else
		s->failed = true;
	if (p)
		find_strides(s, p);
	free(p);
}

/* ---------------------------------------------------------------- rewriting */

/* Does what is left go down from 0, or have a negative number as its subscript for
 * the stride "next", which may be NULL?
 */
static bool is_below(const struct poly *rest, const struct poly *next)
{
	struct poly *p = calloc(2, sizeof(*p));
	bool is = rest->n > 0;
	int i;

	for (i = 0; i < rest->n; i++)
		is &= !rest->term[i].n_size && rest->term[i].coef < 0;
	if (p && !is && next) {
		p[0] = *rest;
		divide(&p[0], next, &p[1]);
		is = !p[0].failed && p[1].n && is_number(&p[1]) &&
			p[1].term[0].coef < 0;
	}
	free(p);
	return is;
}

/* A subscript that is below 0: borrow from the one before it. */
static void borrow(struct poly *rest, struct poly *q, const struct poly *by,
	const struct poly *next)
{
	struct term one = { .coef = -1 };

	if (!is_below(rest, next))
		return;
	add_term(q, &one);
	add_all(rest, by, 1);
}

/* Replace the subscript by several. */
static void rewrite(struct shape *s, struct fe_c_expr *e)
{
	struct fe_c_expr **index;
	struct poly *p;
	int i;

	if (e->n_index != 1 + s->v->has_row)
		return;
	p = calloc(2, sizeof(*p));
	if (!p)
		longjmp(s->u->arena.no_memory, 1);
	index = fe_arena_alloc(&s->u->arena,
		((size_t)s->n + 2) * sizeof(*index));
	read_poly(s->u, p, e->index[0]);
	for (i = 0; i < s->n; i++) {
		p[1].n = 0;
		divide(&p[0], &s->stride[i], &p[1]);
		borrow(&p[0], &p[1], &s->stride[i], i + 1 < s->n ?
			&s->stride[i + 1] : NULL);
		index[i] = expression(s->u, &p[1], &e->index[0]->loc);
	}
	index[s->n] = expression(s->u, &p[0], &e->index[0]->loc);
	free(p);
	if (s->v->has_row)
		index[s->n + 1] = e->index[1];
	e->index = index;
	e->n_index += s->n;
}

/* The extent "whole" of a flat array, divided by its first stride; NULL if
 * that is not possible.
 */
static struct fe_c_expr *first_extent(struct shape *s)
{
	struct poly *p = calloc(2, sizeof(*p));
	struct fe_c_expr *e = NULL;

	if (!p)
		longjmp(s->u->arena.no_memory, 1);
	read_poly(s->u, &p[0], s->v->dim[0]);
	divide(&p[0], &s->stride[0], &p[1]);
	if (!p[0].failed && !p[0].n)
		e = expression(s->u, &p[1], &s->v->dim[0]->loc);
	free(p);
	return e;
}

/* Find the inner extents; false if one is not the product of what follows. */
static bool inner_extents(struct shape *s, struct fe_c_expr *dim[])
{
	struct poly rest, *q = calloc(1, sizeof(*q));
	bool good = q != NULL;
	int i;

	for (i = 0; i + 1 < s->n && good; i++) {
		q->n = 0;
		rest = s->stride[i];
		divide(&rest, &s->stride[i + 1], q);
		good = !rest.failed && !rest.n;
		dim[i + 1] = expression(s->u, q, &s->v->loc);
	}
	free(q);
	dim[s->n] = expression(s->u, &s->stride[s->n - 1], &s->v->loc);
	return good;
}

/* True if a stride is a difference, as n - 1 in "a[i * n + k - i]". */
static bool is_less(const struct shape *s)
{
	int i, k;

	for (i = 0; i < s->n; i++)
		for (k = 0; k < s->stride[i].n; k++)
			if (s->stride[i].term[k].coef < 0)
				return true;
	return false;
}

static void find_shape(struct fe_unit *u, struct fe_c_var *v,
	struct poly *stride)
{
	struct shape s = { .u = u, .v = v, .stride = stride };
	struct fe_c_expr *dim[FE_C_MAX_RANK] = { NULL };
	bool good;

	each_stmt(&s, u->c->body, measure);
	good = !s.failed && s.n && !is_less(&s) && inner_extents(&s, dim);
	if (!good && s.n) {
		s = (struct shape) { u, v, stride, 0, false, true };
		each_stmt(&s, u->c->body, measure);
		good = !s.failed && s.n && inner_extents(&s, dim);
	}
	if (!good || v->n_dim + s.n > FE_C_MAX_RANK)
		return;
	if (v->dim[0]) {
		dim[0] = first_extent(&s);
		if (!dim[0])
			return;
	}
	each_stmt(&s, u->c->body, rewrite);
	if (v->has_row)
		dim[s.n + 1] = v->dim[1];
	memcpy(v->dim, dim, sizeof(dim));
	v->n_dim += s.n;
	v->flat = true;
}

/* Whether loop variables count as affine, wherever they stand. */
static void set_active(struct fe_unit *u, bool active)
{
	struct fe_c_var *v;

	for (v = u->c->var; v; v = v->next)
		v->active = active && v->n_loop;
}

void fe_c_linear(struct fe_unit *u)
{
	struct poly *stride = calloc(MAX_STRIDE, sizeof(*stride));
	struct fe_c_var *v;

	if (!stride)
		longjmp(u->arena.no_memory, 1);
	set_active(u, true);
	for (v = u->c->var; v; v = v->next)
		if (v->used && v->n_dim == 1 + v->has_row)
			find_shape(u, v, stride);
	set_active(u, false);
	free(stride);
}
