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

#include "frontend/c/rewrite/c_polynomial.h"
#include "frontend/c/rewrite/rewrite.h"

enum { MAX_STRIDE = FE_C_MAX_RANK };

/* ----------------------------------------------------------------- strides */

/* The strides of an array, the largest first; none is a constant. */
struct shape {
	struct fe_unit *u;
	struct fe_c_var *v;
	struct fe_c_poly *stride;
	int n;
	bool failed;
	bool split;	/* each term has a stride of its own */
};

/* Of two strides the smaller one, if it divides the other by a number; both
 * otherwise.
 */
static bool merge(struct fe_c_poly *old, const struct fe_c_poly *stride)
{
	const struct fe_c_poly *large = old, *small = stride;
	struct fe_c_poly rest, q = { .n = 0 };
	const struct fe_c_term *a = fe_c_poly_leading(old);
	const struct fe_c_term *b = fe_c_poly_leading(stride);

	if (fe_c_term_compare(a, b) || !a || !b)
		return false;
	if (llabs(a->coef) < llabs(b->coef)) {
		large = stride;
		small = old;
	}
	rest = *large;
	fe_c_poly_divide(&rest, small, &q);
	if (rest.failed || rest.n || !fe_c_poly_is_number(&q))
		return false;
	if (small != old)
		*old = *small;
	return true;
}

/* Add "stride", made positive, to the strides of the array, which are in order
 * of size; nothing if it is a number or a multiple of one that is there. With
 * too many of them the array stays flat.
 */
static void add_stride(struct shape *s, struct fe_c_poly *stride)
{
	const struct fe_c_term *lead = fe_c_poly_leading(stride);
	int i, k;

	if (!lead || fe_c_poly_is_number(stride))
		return;
	if (lead->coef < 0) {
		struct fe_c_poly minus = { .n = 0 };

		fe_c_poly_add_all(&minus, stride, -1);
		*stride = minus;
	}
	for (i = 0; i < s->n; i++)
		if (merge(&s->stride[i], stride))
			return;
	if (s->n == MAX_STRIDE - 1) {
		s->failed = true;
		return;
	}
	lead = fe_c_poly_leading(stride);
	for (i = 0; i < s->n && fe_c_term_compare(fe_c_poly_leading(&s->stride[i]),
		lead) >= 0; i++)
		;
	for (k = s->n++; k > i; k--)
		s->stride[k] = s->stride[k - 1];
	s->stride[i] = *stride;
}

/* The strides of the polynomial "p": what its atoms are multiplied with. */
static void find_strides(struct shape *s, const struct fe_c_poly *p)
{
	struct fe_c_poly *stride = calloc(1, sizeof(*stride));
	int i, k;

	s->failed |= p->failed || !stride;
	for (i = 0; i < p->n && stride; i++) {
		bool seen = !p->term[i].atom;

		for (k = 0; k < i && !s->split; k++)
			seen |= fe_c_same_atom(p->term[k].atom, p->term[i].atom);
		if (seen)
			continue;
		stride->n = 0;
		for (k = i; k < p->n; k++) {
			struct fe_c_term t = p->term[k];

			if (!fe_c_same_atom(t.atom, p->term[i].atom) ||
			    (s->split && k > i))
				continue;
			t.atom = NULL;
			fe_c_poly_add(stride, &t);
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

/* Call "fn" for each access to the array in the statements. */
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

/* Add the strides of the subscript of one access; an access with dimensions
 * already is left alone.
 */
static void measure(struct shape *s, struct fe_c_expr *e)
{
	struct fe_c_poly *p;

	if (e->n_index != 1 + s->v->has_row)
		return;
	p = calloc(1, sizeof(*p));
	if (p)
		fe_c_poly_read(s->u, p, e->index[0]);
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
static bool is_below(const struct fe_c_poly *rest, const struct fe_c_poly *next)
{
	struct fe_c_poly *p = calloc(2, sizeof(*p));
	bool is = rest->n > 0;
	int i;

	for (i = 0; i < rest->n; i++)
		is &= !rest->term[i].n_size && rest->term[i].coef < 0;
	if (p && !is && next) {
		p[0] = *rest;
		fe_c_poly_divide(&p[0], next, &p[1]);
		is = !p[0].failed && p[1].n && fe_c_poly_is_number(&p[1]) &&
			p[1].term[0].coef < 0;
	}
	free(p);
	return is;
}

/* A subscript that is below 0: borrow from the one before it. */
static void borrow(struct fe_c_poly *rest, struct fe_c_poly *q,
	const struct fe_c_poly *by, const struct fe_c_poly *next)
{
	struct fe_c_term one = { .coef = -1 };

	if (!is_below(rest, next))
		return;
	fe_c_poly_add(q, &one);
	fe_c_poly_add_all(rest, by, 1);
}

/* Replace the subscript by several. */
static void rewrite(struct shape *s, struct fe_c_expr *e)
{
	struct fe_c_expr **index;
	struct fe_c_poly *p;
	int i;

	if (e->n_index != 1 + s->v->has_row)
		return;
	p = calloc(2, sizeof(*p));
	if (!p)
		longjmp(s->u->arena.no_memory, 1);
	index = fe_arena_alloc(&s->u->arena,
		((size_t)s->n + 2) * sizeof(*index));
	fe_c_poly_read(s->u, p, e->index[0]);
	for (i = 0; i < s->n; i++) {
		p[1].n = 0;
		fe_c_poly_divide(&p[0], &s->stride[i], &p[1]);
		borrow(&p[0], &p[1], &s->stride[i], i + 1 < s->n ?
			&s->stride[i + 1] : NULL);
		index[i] = fe_c_poly_expression(s->u, &p[1], &e->index[0]->loc);
	}
	index[s->n] = fe_c_poly_expression(s->u, &p[0], &e->index[0]->loc);
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
	struct fe_c_poly *p = calloc(2, sizeof(*p));
	struct fe_c_expr *e = NULL;

	if (!p)
		longjmp(s->u->arena.no_memory, 1);
	fe_c_poly_read(s->u, &p[0], s->v->dim[0]);
	fe_c_poly_divide(&p[0], &s->stride[0], &p[1]);
	if (!p[0].failed && !p[0].n)
		e = fe_c_poly_expression(s->u, &p[1], &s->v->dim[0]->loc);
	free(p);
	return e;
}

/* Find the inner extents; false if one is not the product of what follows. */
static bool inner_extents(struct shape *s, struct fe_c_expr *dim[])
{
	struct fe_c_poly rest, *q = calloc(1, sizeof(*q));
	bool good = q != NULL;
	int i;

	for (i = 0; i + 1 < s->n && good; i++) {
		q->n = 0;
		rest = s->stride[i];
		fe_c_poly_divide(&rest, &s->stride[i + 1], q);
		good = !rest.failed && !rest.n;
		dim[i + 1] = fe_c_poly_expression(s->u, q, &s->v->loc);
	}
	free(q);
	dim[s->n] = fe_c_poly_expression(s->u, &s->stride[s->n - 1], &s->v->loc);
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

/* Find the dimensions of the flat array "v" and give them to it and to all its
 * accesses; nothing changes if strides and extents do not fit one another. If a
 * loop variable may count in several dimensions, each term is a stride of its
 * own in a second attempt. "stride" has room for the strides.
 */
static void find_shape(struct fe_unit *u, struct fe_c_var *v,
	struct fe_c_poly *stride)
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
	struct fe_c_poly *stride = calloc(MAX_STRIDE, sizeof(*stride));
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
