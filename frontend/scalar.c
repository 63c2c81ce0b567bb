/* Expressions of index notation: making them, walking them, and reading them
 * as linear functions.
 */
#include <math.h>
#include <stdlib.h>

#include "frontend/index.h"

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
	for (p = t->piece; p; p = p->next) {
		fe_scalar_each(p->condition, fn, user);
		fe_scalar_each(p->value, fn, user);
	}
}

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

bool fe_scalar_joins(const struct fe_scalar *c)
{
	return c->kind == FE_S_OP && (c->op == POLY_OP_AND ||
		c->op == POLY_OP_OR || c->op == POLY_OP_NOT);
}

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

static bool add_overflows(int64_t a, int64_t b, int64_t *sum)
{
	return __builtin_add_overflow(a, b, sum) || llabs(*sum) > INT64_C(1)
		<< 60;
}

/* f += scale * g */
static bool add_form(struct fe_form *f, const struct fe_form *g,
	int64_t scale)
{
	int64_t part;
	int i, k;

	if (__builtin_mul_overflow(g->constant, scale, &part) ||
	    add_overflows(f->constant, part, &f->constant))
		return false;
	for (i = 0; i < g->n; i++) {
		for (k = 0; k < f->n; k++)
			if (f->term[k].index == g->term[i].index &&
			    f->term[k].param == g->term[i].param)
				break;
		if (k == FE_MAX_TERM)
			return false;
		if (k == f->n) {
			f->term[f->n] = g->term[i];
			f->term[f->n++].coef = 0;
		}
		if (__builtin_mul_overflow(g->term[i].coef, scale, &part) ||
		    add_overflows(f->term[k].coef, part, &f->term[k].coef))
			return false;
	}
	return true;
}

/* A product, one of whose factors is a constant. */
static bool multiply(const struct fe_scalar *e, struct fe_form *f)
{
	struct fe_form a, b;

	if (!fe_form_read(e->arg[0], &a) || !fe_form_read(e->arg[1], &b))
		return false;
	*f = (struct fe_form) { 0 };
	return a.n == 0 ? add_form(f, &b, a.constant) :
		b.n == 0 && add_form(f, &a, b.constant);
}

static bool read_leaf(const struct fe_scalar *e, struct fe_form *f)
{
	*f = (struct fe_form) { 0 };
	if (e->kind == FE_S_NUMBER) {
		f->constant = (int64_t)e->value;
		return e->whole && fabs(e->value) <= FE_MAX_NUMBER;
	}
	f->n = 1;
	f->term[0].index = e->index;
	f->term[0].param = e->param;
	f->term[0].coef = 1;
	return e->kind == FE_S_INDEX || e->kind == FE_S_SIZE;
}

bool fe_form_read(const struct fe_scalar *e, struct fe_form *f)
{
	struct fe_form b;

	if (e->kind != FE_S_OP)
		return read_leaf(e, f);
	switch (e->op) {
	case POLY_OP_ADD:
	case POLY_OP_SUB:
		return fe_form_read(e->arg[0], f) &&
			fe_form_read(e->arg[1], &b) &&
			add_form(f, &b, e->op == POLY_OP_ADD ? 1 : -1);
	case POLY_OP_NEG:
		*f = (struct fe_form) { 0 };
		return fe_form_read(e->arg[0], &b) && add_form(f, &b, -1);
	case POLY_OP_MUL:
		return multiply(e, f);
	default:
		return false;
	}
}

bool fe_scalar_whole(const struct fe_scalar *e, int64_t *value)
{
	struct fe_form f;

	if (!fe_form_read(e, &f) || f.n)
		return false;
	*value = f.constant;
	return true;
}
