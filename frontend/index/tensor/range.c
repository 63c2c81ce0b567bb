/* Ranges of indices, as bounds that are functions of the sizes.
 *
 * An index that conditions name has the bounds that follow from them. Any
 * other takes what the reads in its expressions allow: for X(i,2*j+1,k/3) with
 * X of sizes N, M and L,
 *
 *	0 <= i < N, 0 <= 2 * j + 1 < M, 0 <= k < 3 * L
 *
 * Reads of other definitions allow their ranges, which may be inferred themselves:
 * the bounds of all definitions of a group grow together until nothing
 * changes. A position made of several indices, X(p+r), says something about p
 * where no other read does and the range of r is known; then it has to hold
 * for all r. A position that names an index twice, as i % 4 does, which is
 * i - 4 * (i / 4), says nothing about it: what it allows may be no range.
 *
 * The bounds of an index make a box around the domain. It holds the domain,
 * and may be larger: conditions between indices (j <= i) remain conditions, and
 * of a quotient that conditions name beside its index only the nearest whole
 * numbers are known. Whether every read is in the domain of what it reads is
 * checked later, with isl (index_domain.c).
 */
#include <stdlib.h>

#include "frontend/index/tensor/tensor.h"

/* Rounds in which the bounds of a group must settle. */
enum { MAX_ROUND = 200 };

/* The search for bounds of the indices of "tensor". */
struct ranger {
	struct fe_unit *unit;
	struct fe_tensor *tensor;
	const struct fe_scope *scope;	/* whose conditions are used */
	bool changed;
	struct fe_index *last;		/* that changed */
	bool joint;			/* look at positions of several */
	bool updates;			/* look at what updates cells: it does
					 * not say which there are */
};

/* ---------------------------------------------------------------- bounds */

/* Let "i" run from 0 to "upper". */
static void range_from_zero(struct fe_unit *u, struct fe_index *i,
	struct fe_bound *upper)
{
	i->lower = fe_bound_new(u);
	i->n_lower = 1;
	i->upper = upper;
	i->n_upper = 1;
}

void fe_range_size(struct fe_unit *u, struct fe_index *i,
	const struct fe_scalar *size)
{
	struct fe_bound *b = fe_range_form(u, size);

	if (!b) {
		FE_REPORT(u, FE_AFFINE, &size->loc, FE_MAX_NUMBER);
		return;
	}
	b->constant--;
	range_from_zero(u, i, b);
}

void fe_range_dim(struct fe_unit *u, struct fe_index *i,
	const struct fe_size *size)
{
	struct fe_bound *b = fe_bound_new(u);

	b->constant = size->param ? -1 : size->value - 1;
	if (size->param)
		b->coef[size->param->index] = 1;
	range_from_zero(u, i, b);
}

bool fe_range_from_zero(const struct fe_index *i)
{
	static const struct fe_bound zero = { .div = 1 };

	return i->n_lower == 1 && fe_bound_same(i->lower, &zero);
}

bool fe_range_is_size(const struct fe_unit *u, const struct fe_index *i,
	struct fe_size *size)
{
	const struct fe_param *p;
	int k;

	if (i->n_upper != 1 || !fe_range_from_zero(i) || i->upper->div != 1)
		return false;
	*size = (struct fe_size) { .value = i->upper->constant + 1 };
	for (k = u->n_param; k < i->upper->n; k++)
		if (i->upper->coef[k])
			return false;
	for (p = u->param; p; p = p->next) {
		int64_t coef = fe_bound_coef(i->upper, p->index);

		if (!coef)
			continue;
		if (coef != 1 || size->param || size->value)
			return false;
		size->param = p;
	}
	if (size->param)
		size->value = size->param->fixed ? size->param->value : -1;
	return size->param || size->value >= 0;
}

/* ------------------------------------------------------------ conditions */

/* What follows from sign * f + b >= 0 for "index", which "f" has once. */
static void find_bounds(struct ranger *r, const struct fe_form *f,
	const struct fe_index *index, int sign, struct fe_bound *b, bool all)
{
	struct fe_index *i = (struct fe_index *)index;

	if (!fe_range_find(r->unit, f, i, sign, b, all))
		return;
	r->changed = true;
	r->last = i;
}

/* How often "index" is in "f", floors included. */
static int count_in(const struct fe_form *f, const struct fe_index *index)
{
	int k, n = 0;

	for (k = 0; k < f->n; k++)
		n += fe_term_count(&f->term[k], index);
	return n;
}

/* "f" without what is rounded down of indices, other than "keep" if that is not
 * NULL, where f >= 0: quotients are as large as that allows, and then "f" is
 * multiplied by the divisor.
 */
static bool relax(struct fe_form *f, const struct fe_index *keep)
{
	const struct fe_floor *q;
	struct fe_form g;
	int64_t coef;
	int k;

	for (k = 0; k < f->n; k++)
		if (f->term[k].kind == FE_T_FLOOR &&
		    fe_term_count(&f->term[k], NULL) &&
		    !(keep && fe_term_count(&f->term[k], keep)))
			break;
	if (k == f->n)
		return true;
	coef = f->term[k].coef;
	q = f->term[k].floor;
	f->term[k] = f->term[--f->n];
	g = (struct fe_form) { 0 };
	if (!fe_form_add(&g, f->term, f->n, f->constant, q->div) ||
	    !fe_form_add(&g, q->term, q->n, q->constant, coef) ||
	    (coef < 0 && !fe_form_add(&g, NULL, 0, q->div - 1, -coef)))
		return false;
	*f = g;
	return relax(f, keep);
}

/* The position of "index" in the scope, -1 if it is not there. */
static int place_in(const struct fe_scope *scope,
	const struct fe_index *index)
{
	const struct fe_index *i;
	int n = 0;

	for (i = scope->first; i && i != index; i = i->next)
		n++;
	return i ? n : -1;
}

/* May f >= 0, which the comparison "c" says, bound "v" of the scope? The indices of a
 * definition are not bounded by what it says of those of its reduction. As for its domain
 * (frame.c), what is written counts: that an index cancels out, as u does in
 * i >= (2*u + N) % 2, makes no difference.
 */
static bool may_bound(const struct ranger *r, const struct fe_scalar *c,
	const struct fe_form *f, const struct fe_index *v)
{
	const int rank = r->tensor->rank;

	if (!v->written || !count_in(f, v))
		return false;
	return r->scope != &r->tensor->scope || place_in(r->scope, v) >= rank ||
		!fe_scalar_mentions(c, r->scope, rank);
}

/* f >= 0, which the comparison "c" says, holds for the indices of a scope. */
static void use_form(struct ranger *r, const struct fe_scalar *c,
	const struct fe_form *f)
{
	const struct fe_index *i;
	struct fe_form g;

	for (i = r->scope->first; i; i = i->next) {
		if (!may_bound(r, c, f, i))
			continue;
		g = *f;
		if (relax(&g, count_in(f, i) == 1 ? i : NULL) &&
		    count_in(&g, i) == 1)
			find_bounds(r, &g, i, 1, fe_bound_new(r->unit),
				false);
	}
}

/* b - a - gap >= 0, of the sides of the comparison "c": a and b, or turned round */
static void use_order(struct ranger *r, const struct fe_scalar *c, bool turned,
	int gap)
{
	struct fe_scalar *a = c->arg[turned], *b = c->arg[!turned];
	struct fe_scalar one = { .kind = FE_S_NUMBER, .whole = true,
		.value = gap };
	struct fe_scalar less = { .kind = FE_S_OP, .op = POLY_OP_SUB,
		.n_arg = 2, .arg = { b, a } };
	struct fe_scalar all = { .kind = FE_S_OP, .op = POLY_OP_SUB,
		.n_arg = 2, .arg = { &less, &one } };
	struct fe_form f;

	if (fe_form_read(r->unit, &all, &f))
		use_form(r, c, &f);
}

/* Bound indices by the condition "c". Only "and" and comparisons tell a bound;
 * what "or", "not" and "!=" leave is no range.
 */
static void use_condition(struct ranger *r, struct fe_scalar *c)
{
	if (c->kind != FE_S_OP)
		return;
	switch (c->op) {
	case POLY_OP_AND:
		use_condition(r, c->arg[0]);
		use_condition(r, c->arg[1]);
		break;
	case POLY_OP_EQ:
		use_order(r, c, true, 0);
		use_order(r, c, false, 0);
		break;
	case POLY_OP_LE:
		use_order(r, c, false, 0);
		break;
	case POLY_OP_LT:
		use_order(r, c, false, 1);
		break;
	default:
		break;
	}
}

/* Take bounds from all conditions of "scope". */
static void use_scope(struct ranger *r, const struct fe_scope *scope)
{
	struct fe_scalar *c;

	r->scope = scope;
	for (c = scope->condition; c; c = c->next)
		use_condition(r, c);
}

static void use_reduction(struct fe_scalar *e, void *user)
{
	if (e->kind == FE_S_REDUCE)
		use_scope(user, e->scope);
}

/* An index that a condition names. */
static void mark_written(struct fe_scalar *e, void *user)
{
	const struct fe_scope *scope = user;
	struct fe_index *i;

	for (i = scope->first; i; i = i->next)
		if (e->kind == FE_S_INDEX && e->index == i)
			i->written = true;
}

/* Mark the indices of "scope" that its conditions name. */
static void mark_scope(struct fe_scope *scope)
{
	struct fe_scalar *c;

	for (c = scope->condition; c; c = c->next)
		fe_scalar_each(c, mark_written, scope);
}

static void mark_reduction(struct fe_scalar *e, void *user)
{
	(void)user;
	if (e->kind == FE_S_REDUCE)
		mark_scope(e->scope);
}

/* ----------------------------------------------------------------- reads */

static bool is_open(const struct fe_index *i)
{
	return !i->written && (!i->n_lower || !i->n_upper);
}

/* Add the indices of "term" to the "n" of "list"; returns how many these are. */
static int list_indices(const struct fe_term *term,
	const struct fe_index *list[FE_MAX_LOOP], int n)
{
	int i;

	for (i = 0; term->kind == FE_T_FLOOR && i < term->floor->n; i++)
		n = list_indices(&term->floor->term[i], list, n);
	if (term->kind != FE_T_INDEX)
		return n;
	for (i = 0; i < n; i++)
		if (list[i] == term->index)
			return n;
	if (n < FE_MAX_LOOP)
		list[n++] = term->index;
	return n;
}

/* Can a read that runs over "to" bound "i"? What a definition reads of itself says
 * nothing about its own indices.
 */
static bool can_bound(const struct ranger *r, const struct fe_tensor *to,
	const struct fe_index *i)
{
	int k = to == r->tensor ? place_in(&to->scope, i) : -1;

	if ((k >= 0 && k < to->rank) || (r->updates &&
	    place_in(&r->tensor->scope, i) >= 0))
		return false;
	return r->joint ? is_open(i) : !i->written;
}

/* What position "e" of a read of "tensor" that runs over "to" says about its
 * indices, if it names them once.
 */
static void use_position(struct ranger *r, const struct fe_scalar *e,
	const struct fe_tensor *tensor, const struct fe_index *to)
{
	const struct fe_index *index[FE_MAX_LOOP];
	const struct fe_bound *b;
	struct fe_bound *minus;
	struct fe_form f;
	bool once = true;
	int n = 0, k;

	if (!fe_form_read(r->unit, e, &f))
		return;
	for (k = 0; k < f.n; k++)
		n = list_indices(&f.term[k], index, n);
	for (k = 0; k < n; k++)
		once &= count_in(&f, index[k]) == 1;
	for (k = 0; once && k < n && (n > 1) == r->joint; k++) {
		if (!can_bound(r, tensor, index[k]))
			continue;
		for (b = to->upper; b; b = b->next)
			find_bounds(r, &f, index[k], -1,
				fe_bound_copy(r->unit, b), true);
		for (b = to->lower; b; b = b->next) {
			minus = fe_bound_new(r->unit);
			minus->div = b->div;
			if (fe_bound_add(r->unit, minus, b, -1))
				find_bounds(r, &f, index[k], 1, minus, true);
		}
	}
}

/* Callback: let the read "e" bound the indices of its positions; if positions
 * of several indices are looked at, one read at a time.
 */
static void use_read(struct fe_scalar *e, void *user)
{
	struct ranger *r = user;
	const struct fe_index *to;
	int k = 0;

	if (e->kind != FE_S_READ || (r->joint && r->changed))
		return;
	for (to = e->tensor->scope.first; to && k < e->n_arg; to = to->next)
		use_position(r, e->arg[k++], e->tensor, to);
}

/* What the definition reads. */
static void use_reads(struct ranger *r)
{
	if (!r->tensor->start) {
		fe_tensor_each(r->tensor, use_read, r);
		return;
	}
	fe_scalar_each(r->tensor->start, use_read, r);
	r->updates = true;
	fe_scalar_each(r->tensor->piece->value, use_read, r);
	r->updates = false;
}

/* ---------------------------------------------------------------- groups */

/* Report an index that conditions bound on one side only, or that nothing
 * bounds.
 */
static void check_index(struct fe_unit *u, struct fe_tensor *t,
	const struct fe_index *i)
{
	if (i->n_lower && i->n_upper)
		return;
	if (i->written)
		FE_REPORT(u, FE_UNBOUNDED, &i->loc, i->symbol->name,
			i->n_lower ? "above" : "below");
	else
		FE_REPORT(u, FE_NO_RANGE, &i->loc, i->symbol->name);
	t->broken = true;
}

/* Callback: check the indices of a reduction. */
static void check_reduction(struct fe_scalar *e, void *user)
{
	struct ranger *r = user;
	struct fe_index *i;

	if (e->kind != FE_S_REDUCE)
		return;
	for (i = e->scope->first; i; i = i->next)
		check_index(r->unit, r->tensor, i);
}

/* Check that all indices of "t" and of its reductions have bounds. */
static void check_tensor(struct ranger *r, struct fe_tensor *t)
{
	struct fe_index *i;

	r->tensor = t;
	for (i = t->scope.first; i; i = i->next)
		check_index(r->unit, t, i);
	fe_tensor_each(t, check_reduction, r);
}

/* Let bounds grow until nothing changes; false if they never end. */
static bool settle(struct ranger *r, struct fe_tensor *group)
{
	struct fe_tensor *t;
	int round;

	for (round = 0; round < MAX_ROUND; round++) {
		r->changed = false;
		for (t = group; t; t = t->order_next) {
			r->tensor = t;
			use_scope(r, &t->scope);
			fe_tensor_each(t, use_reduction, r);
			use_reads(r);
		}
		if (!r->changed)
			return true;
	}
	FE_REPORT(r->unit, FE_RANGE_GROWS, &r->last->loc,
		r->last->symbol->name);
	return false;
}

/* Bounds from positions of several indices, one read at a time. */
static bool use_joint(struct ranger *r, struct fe_tensor *group)
{
	struct fe_tensor *t;

	r->changed = false;
	r->joint = true;
	for (t = group; t && !r->changed; t = t->order_next) {
		r->tensor = t;
		use_reads(r);
	}
	r->joint = false;
	return r->changed;
}

void fe_range_group(struct fe_unit *u, struct fe_tensor *group)
{
	struct ranger r = { .unit = u };
	struct fe_tensor *t;

	for (t = group; t; t = t->order_next) {
		mark_scope(&t->scope);
		fe_tensor_each(t, mark_reduction, NULL);
	}
	do {
		if (!settle(&r, group))
			return;
	} while (use_joint(&r, group));
	for (t = group; t; t = t->order_next)
		check_tensor(&r, t);
}
