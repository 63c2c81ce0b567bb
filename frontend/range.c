/* Ranges of indices, as bounds that are affine in the sizes.
 *
 * An index that conditions name has the bounds that follow from them. Any
 * other takes what the reads in its expressions allow: for X(i,2*j+1) with X
 * of sizes N and M,
 *
 *	0 <= i < N, 0 <= 2 * j + 1 < M
 *
 * Reads of definitions allow their ranges, which may be inferred themselves:
 * the bounds of all definitions of a group grow together until nothing
 * changes. A position made of several indices, X(p+r), says something about p
 * where no other read does and the range of r is known; then it has to hold
 * for all r.
 *
 * The bounds of an index make a box around the domain. It holds the domain,
 * and may be larger: conditions between indices (j <= i) remain conditions.
 * Whether every read is in the domain of what it reads is checked later, with
 * isl (index_domain.c).
 */
#include <stdlib.h>
#include <string.h>

#include "frontend/index.h"

enum { MAX_ROUND = 200, MAX_STEP = 2000 };

struct ranger {
	struct fe_unit *unit;
	struct fe_tensor *tensor;
	const struct fe_scope *scope;	/* whose conditions are used */
	bool changed;
	struct fe_index *last;		/* that changed */
	bool joint;			/* look at positions of several */
	int steps;			/* left for one condition */
};

/* ---------------------------------------------------------------- bounds */

static struct fe_bound *new_bound(struct fe_unit *u)
{
	struct fe_bound *b = fe_arena_alloc(&u->arena, sizeof(*b));

	b->coef = fe_arena_alloc(&u->arena,
		((size_t)u->n_param + 1) * sizeof(*b->coef));
	b->div = 1;
	return b;
}

static bool scale_add(int64_t *sum, int64_t a, int64_t scale)
{
	int64_t part;

	return !__builtin_mul_overflow(a, scale, &part) &&
		!__builtin_add_overflow(*sum, part, sum) &&
		*sum < INT64_C(1) << 60 && *sum > -(INT64_C(1) << 60);
}

/* b += scale * (what "a" divides) */
static bool add_bound(const struct fe_unit *u, struct fe_bound *b,
	const struct fe_bound *a, int64_t scale)
{
	int i;

	for (i = 0; i < u->n_param; i++)
		if (!scale_add(&b->coef[i], a->coef[i], scale))
			return false;
	return scale_add(&b->constant, a->constant, scale);
}

/* Multiply "b" and its divisor, so that the bound stays as it is. */
static bool widen(const struct fe_unit *u, struct fe_bound *b, int64_t scale)
{
	int64_t div = 0;

	if (scale == 1)
		return true;
	if (!scale_add(&div, b->div, scale) || div > INT64_C(1) << 31)
		return false;
	b->div = div;
	return add_bound(u, b, b, scale - 1);
}

static int64_t common(int64_t a, int64_t b)
{
	while (b) {
		int64_t rest = a % b;

		a = b;
		b = rest;
	}
	return llabs(a);
}

static int64_t floor_div(int64_t a, int64_t b)
{
	return a / b - (a % b < 0);
}

/* Divide out what the divisor and all coefficients share; the constant is
 * rounded inwards.
 */
static void reduce(const struct fe_unit *u, struct fe_bound *b, bool upper)
{
	int64_t g = b->div;
	int i;

	for (i = 0; i < u->n_param; i++)
		g = common(g, b->coef[i]);
	if (g <= 1)
		return;
	b->div /= g;
	for (i = 0; i < u->n_param; i++)
		b->coef[i] /= g;
	b->constant = upper ? floor_div(b->constant, g) :
		-floor_div(-b->constant, g);
}

static bool same_slope(const struct fe_unit *u, const struct fe_bound *a,
	const struct fe_bound *b)
{
	return a->div == b->div && !memcmp(a->coef, b->coef,
		(size_t)u->n_param * sizeof(*a->coef));
}

/* Let "b" bound "i", too, unless that is known. */
static void take_bound(struct ranger *r, struct fe_index *i,
	struct fe_bound *b, bool upper)
{
	struct fe_bound **at = upper ? &i->upper : &i->lower;
	int *n = upper ? &i->n_upper : &i->n_lower;

	reduce(r->unit, b, upper);
	for (; *at; at = &(*at)->next)
		if (same_slope(r->unit, *at, b))
			break;
	if (*at && (upper ? (*at)->constant <= b->constant :
	    (*at)->constant >= b->constant))
		return;
	if (*at) {
		(*at)->constant = b->constant;
	} else {
		if (*n == FE_MAX_BOUND)
			return;
		*at = b;
		++*n;
	}
	r->changed = true;
	r->last = i;
}

static void range_from_zero(struct fe_unit *u, struct fe_index *i,
	struct fe_bound *upper)
{
	i->lower = new_bound(u);
	i->n_lower = 1;
	i->upper = upper;
	i->n_upper = 1;
}

void fe_range_size(struct fe_unit *u, struct fe_index *i,
	const struct fe_scalar *size)
{
	struct fe_bound *b = new_bound(u);
	struct fe_form f;
	int k;

	if (!fe_form_read(size, &f)) {
		FE_REPORT(u, FE_AFFINE, &size->loc, FE_MAX_NUMBER);
		return;
	}
	b->constant = f.constant - 1;
	for (k = 0; k < f.n; k++)
		b->coef[f.term[k].param->index] += f.term[k].coef;
	range_from_zero(u, i, b);
}

void fe_range_dim(struct fe_unit *u, struct fe_index *i,
	const struct fe_size *size)
{
	struct fe_bound *b = new_bound(u);

	b->constant = size->param ? -1 : size->value - 1;
	if (size->param)
		b->coef[size->param->index] = 1;
	range_from_zero(u, i, b);
}

bool fe_range_is_size(const struct fe_unit *u, const struct fe_index *i,
	struct fe_size *size)
{
	const struct fe_param *p;
	int k;

	if (i->n_lower != 1 || i->n_upper != 1 || i->lower->constant ||
	    i->lower->div != 1 || i->upper->div != 1)
		return false;
	*size = (struct fe_size) { .value = i->upper->constant + 1 };
	for (p = u->param; p; p = p->next) {
		k = p->index;
		if (i->lower->coef[k])
			return false;
		if (!i->upper->coef[k])
			continue;
		if (i->upper->coef[k] != 1 || size->param || size->value)
			return false;
		size->param = p;
	}
	if (size->param)
		size->value = size->param->fixed ? size->param->value : -1;
	return size->param || size->value >= 0;
}

/* ------------------------------------------------------------ conditions */

/* Terms of a form that are indices, from "k" on; f->n if there is none. */
static int next_index(const struct fe_form *f, int k)
{
	while (k < f->n && (!f->term[k].index || !f->term[k].coef))
		k++;
	return k;
}

/* The sizes and the constant of "f", times "scale". */
static bool add_sizes(struct fe_bound *b, const struct fe_form *f,
	int64_t scale)
{
	int k;

	for (k = 0; k < f->n; k++)
		if (f->term[k].param && !scale_add(
		    &b->coef[f->term[k].param->index], f->term[k].coef,
		    scale))
			return false;
	return scale_add(&b->constant, f->constant, scale);
}

static struct fe_bound *copy_bound(struct fe_unit *u,
	const struct fe_bound *a)
{
	struct fe_bound *b = new_bound(u);

	b->constant = a->constant;
	b->div = a->div;
	memcpy(b->coef, a->coef, (size_t)u->n_param * sizeof(*b->coef));
	return b;
}

/* From f >= 0, of which term "v" is an index: what follows for it, "b" being
 * the rest with the terms before "k" replaced by their largest values. Where
 * that would take too long, bounds are left out.
 */
static void bound_by_rest(struct ranger *r, const struct fe_form *f, int v,
	int k, struct fe_bound *b)
{
	const struct fe_bound *other;
	struct fe_bound *more;
	int64_t coef;

	if (r->steps-- <= 0)
		return;
	k = next_index(f, k);
	if (k == v)
		k = next_index(f, k + 1);
	if (k == f->n) {
		coef = f->term[v].coef;
		if (coef > 0)
			b->constant = -b->constant;
		for (k = 0; coef > 0 && k < r->unit->n_param; k++)
			b->coef[k] = -b->coef[k];
		b->div *= llabs(coef);
		take_bound(r, (struct fe_index *)f->term[v].index, b,
			coef < 0);
		return;
	}
	coef = f->term[k].coef;
	other = coef > 0 ? f->term[k].index->upper : f->term[k].index->lower;
	for (; other; other = other->next) {
		more = copy_bound(r->unit, b);
		if (widen(r->unit, more, other->div) &&
		    add_bound(r->unit, more, other,
			coef * (more->div / other->div)))
			bound_by_rest(r, f, v, k + 1, more);
	}
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

/* May f >= 0 bound its term "v"? Indices are bounded by their own scope, and
 * those of a definition not by what it says of the indices of its reduction.
 */
static bool may_bound(const struct ranger *r, const struct fe_form *f, int v)
{
	bool own = r->scope == &r->tensor->scope &&
		place_in(r->scope, f->term[v].index) < r->tensor->rank;
	int k;

	if (place_in(r->scope, f->term[v].index) < 0 ||
	    llabs(f->term[v].coef) > FE_MAX_NUMBER)
		return false;
	for (k = next_index(f, 0); own && k < f->n; k = next_index(f, k + 1))
		if (place_in(r->scope, f->term[k].index) >= r->tensor->rank)
			return false;
	return true;
}

/* f >= 0 holds for the indices of a scope. */
static void use_form(struct ranger *r, const struct fe_form *f)
{
	struct fe_bound *b;
	int v;

	for (v = next_index(f, 0); v < f->n; v = next_index(f, v + 1)) {
		if (!f->term[v].index->written || !may_bound(r, f, v))
			continue;
		b = new_bound(r->unit);
		r->steps = MAX_STEP;
		if (add_sizes(b, f, 1))
			bound_by_rest(r, f, v, 0, b);
	}
}

/* b - a - gap >= 0 */
static void use_order(struct ranger *r, struct fe_scalar *a,
	struct fe_scalar *b, int gap)
{
	struct fe_scalar one = { .kind = FE_S_NUMBER, .whole = true,
		.value = gap };
	struct fe_scalar less = { .kind = FE_S_OP, .op = POLY_OP_SUB,
		.n_arg = 2, .arg = { b, a } };
	struct fe_scalar all = { .kind = FE_S_OP, .op = POLY_OP_SUB,
		.n_arg = 2, .arg = { &less, &one } };
	struct fe_form f;

	if (fe_form_read(&all, &f))
		use_form(r, &f);
}

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
		use_order(r, c->arg[1], c->arg[0], 0);
		use_order(r, c->arg[0], c->arg[1], 0);
		break;
	case POLY_OP_LE:
		use_order(r, c->arg[0], c->arg[1], 0);
		break;
	case POLY_OP_LT:
		use_order(r, c->arg[0], c->arg[1], 1);
		break;
	default:
		break;
	}
}

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

/* Position "f" of a read runs over "to" of what is read: what follows for
 * term "v", if all else is known. Bound "from" of "to", upper or lower.
 */
static void use_side(struct ranger *r, const struct fe_form *f, int v,
	const struct fe_bound *from, bool upper)
{
	struct fe_bound *b = copy_bound(r->unit, from);
	int64_t coef = f->term[v].coef;
	bool ok = add_sizes(b, f, -b->div);
	int k;

	for (k = next_index(f, 0); ok && k < f->n; k = next_index(f, k + 1)) {
		const struct fe_index *i = f->term[k].index;
		bool top = upper == (f->term[k].coef > 0);
		const struct fe_bound *end = top ? i->upper : i->lower;

		if (k == v)
			continue;
		ok = end && !end->next && end->div == 1 &&
			add_bound(r->unit, b, end, -b->div * f->term[k].coef);
	}
	if (!ok || llabs(coef) > FE_MAX_NUMBER ||
	    b->div > FE_MAX_NUMBER)
		return;
	b->div *= llabs(coef);
	if (coef < 0)
		b->constant = -b->constant;
	for (k = 0; coef < 0 && k < r->unit->n_param; k++)
		b->coef[k] = -b->coef[k];
	take_bound(r, (struct fe_index *)f->term[v].index, b,
		upper == (coef > 0));
}

static bool is_open(const struct fe_index *i)
{
	return !i->written && (!i->n_lower || !i->n_upper);
}

/* What position "e" of a read that runs over "to" says about its indices. */
static void use_position(struct ranger *r, const struct fe_scalar *e,
	const struct fe_index *to)
{
	const struct fe_bound *b;
	struct fe_form f;
	int v, more;

	if (!fe_form_read(e, &f))
		return;
	v = next_index(&f, 0);
	more = v < f.n ? next_index(&f, v + 1) : f.n;
	if (v == f.n || (more < f.n) != r->joint)
		return;
	for (; v < f.n; v = next_index(&f, v + 1)) {
		if (r->joint ? !is_open(f.term[v].index) :
		    f.term[v].index->written)
			continue;
		for (b = to->lower; b; b = b->next)
			use_side(r, &f, v, b, false);
		for (b = to->upper; b; b = b->next)
			use_side(r, &f, v, b, true);
	}
}

static void use_read(struct fe_scalar *e, void *user)
{
	struct ranger *r = user;
	const struct fe_index *to;
	int k = 0;

	if (e->kind != FE_S_READ || (r->joint && r->changed))
		return;
	for (to = e->tensor->scope.first; to && k < e->n_arg; to = to->next)
		use_position(r, e->arg[k++], to);
}

/* ---------------------------------------------------------------- groups */

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

static void check_reduction(struct fe_scalar *e, void *user)
{
	struct ranger *r = user;
	struct fe_index *i;

	if (e->kind != FE_S_REDUCE)
		return;
	for (i = e->scope->first; i; i = i->next)
		check_index(r->unit, r->tensor, i);
}

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
			fe_tensor_each(t, use_read, r);
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
	for (t = group; t && !r->changed; t = t->order_next)
		fe_tensor_each(t, use_read, r);
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
