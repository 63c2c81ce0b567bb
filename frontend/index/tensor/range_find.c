/* What follows for one index from a form that is not negative.
 *
 * The terms with other indices are replaced by what bounds them, and what is left
 * is divided by the coefficient of the index. Where the index stands in something
 * that is rounded down, that is bounded first, and the index in it by what follows:
 *
 *	N - 1 - (i + 1) / 2 >= 0	(i + 1) / 2 <= N - 1	i + 1 <= 2*N - 1
 */
#include <stdlib.h>

#include "frontend/index/tensor/tensor.h"

/* Steps of a search for bounds. */
enum { MAX_STEP = 2000 };

/* The largest number in a bound that says something of a loop. Conditions that contradict
 * each other, as j <= i and 10 i < j do for i > 0, make a larger bound of each one that
 * they have made.
 */
#define MOST_NUMBER (INT64_C(1) << 36)

/* A search for what follows from "sign * form >= 0" for the index "index": of the
 * form, or of what is rounded down in it.
 */
struct search {
	struct fe_unit *unit;
	struct fe_index *index;
	const struct fe_term *term;
	int n;
	int64_t constant;
	int sign;
	bool all;	/* it holds for all values of other indices, not for some */
	int *steps;	/* left */
	bool *changed;	/* is a bound of the index */
};

static bool is_beyond(int64_t x)
{
	return x < -MOST_NUMBER || x > MOST_NUMBER;
}

/* Has "b" a number that no loop comes to? */
static bool is_far(const struct fe_bound *b)
{
	bool far = is_beyond(b->constant) || is_beyond(b->div);

	for (int i = 0; i < b->n; i++)
		far |= is_beyond(b->coef[i]);
	return far;
}

/* Let "b" bound the index, too, unless that is known; what follows from it goes. */
static void take_bound(const struct search *s, struct fe_bound *b,
	bool upper)
{
	struct fe_index *i = s->index;
	struct fe_bound **at = upper ? &i->upper : &i->lower;
	int *n = upper ? &i->n_upper : &i->n_lower;

	fe_bound_reduce(b, upper);
	if (*at && is_far(b))
		return;
	for (; *at; at = &(*at)->next)
		if (fe_bound_implies(s->unit, *at, b, upper))
			return;
	for (at = upper ? &i->upper : &i->lower; *at;) {
		if (fe_bound_implies(s->unit, b, *at, upper)) {
			*at = (*at)->next;
			--*n;
		} else {
			at = &(*at)->next;
		}
	}
	if (*n == FE_MAX_BOUND)
		return;
	b->next = NULL;
	*at = b;
	++*n;
	*s->changed = true;
}

/* b += scale * "term", which has no index. */
static bool add_size(struct fe_unit *u, struct fe_bound *b,
	const struct fe_term *term, int64_t scale)
{
	struct fe_bound *part = fe_bound_new(u);
	int64_t coef;
	int i;

	if (__builtin_mul_overflow(term->coef, scale, &coef))
		return false;
	if (term->kind == FE_T_SIZE) {
		part->coef[term->param->index] = 1;
		return fe_bound_add(u, b, part, coef);
	}
	part->constant = term->floor->constant;
	for (i = 0; i < term->floor->n; i++)
		if (!add_size(u, part, &term->floor->term[i], 1))
			return false;
	part->div = term->floor->div;
	return fe_bound_floor(u, part) && fe_bound_add(u, b, part, coef);
}

/* b += scale * (the sizes and the constant) */
static bool add_sizes(struct fe_unit *u, struct fe_bound *b,
	const struct fe_term *term, int n, int64_t constant, int64_t scale)
{
	struct fe_bound number = { .constant = constant };
	int k;

	for (k = 0; k < n; k++)
		if (!fe_term_count(&term[k], NULL) &&
		    !add_size(u, b, &term[k], scale))
			return false;
	return fe_bound_add(u, b, &number, scale);
}

struct fe_bound *fe_range_form(struct fe_unit *u, const struct fe_scalar *e)
{
	struct fe_bound *b = fe_bound_new(u);
	struct fe_form f;

	return fe_form_read(u, e, &f) &&
		add_sizes(u, b, f.term, f.n, f.constant, 1) ? b : NULL;
}

static void find_bound(const struct search *s, int k, struct fe_bound *b);

/* A bound of "index" as a number that is rounded already; NULL if there is none, or
 * if there are several and only the nearest will do.
 */
static struct fe_bound *nearest_end(struct fe_unit *u,
	const struct fe_index *index, bool upper, bool only)
{
	const struct fe_bound *end = upper ? index->upper : index->lower;
	struct fe_bound *b;

	if (!end || (only && end->next))
		return NULL;
	b = fe_bound_copy(u, end);
	if (!upper)
		b->constant += b->div - 1;
	return fe_bound_floor(u, b) ? b : NULL;
}

/* What bounds "term", which is of indices that have bounds, or NULL. With "only" it
 * is the least or the largest value.
 */
static struct fe_bound *end_of(struct fe_unit *u, const struct fe_term *term,
	bool upper, bool only)
{
	const struct fe_floor *q;
	struct fe_bound *b, *part;
	int i;

	if (term->kind == FE_T_INDEX)
		return nearest_end(u, term->index, upper, only);
	q = term->floor;
	b = fe_bound_new(u);
	if (!add_sizes(u, b, q->term, q->n, q->constant, 1))
		return NULL;
	for (i = 0; i < q->n; i++) {
		if (!fe_term_count(&q->term[i], NULL))
			continue;
		part = end_of(u, &q->term[i], upper == (q->term[i].coef > 0),
			only);
		if (!part || !fe_bound_add(u, b, part, q->term[i].coef))
			return NULL;
	}
	b->div = q->div;
	return fe_bound_floor(u, b) ? b : NULL;
}

/* From coef * "term" + b >= 0, where "term" has the index. */
static void bound_term(const struct search *s, const struct fe_term *term,
	int64_t coef, struct fe_bound *b)
{
	bool upper = coef < 0;
	struct search inner = *s;
	struct fe_bound *part = fe_bound_new(s->unit);

	if (llabs(coef) > FE_MAX_NUMBER || b->div > FE_MAX_NUMBER ||
	    !fe_bound_add(s->unit, part, b, upper ? 1 : -1))
		return;
	part->div = b->div * llabs(coef);
	if (term->kind == FE_T_INDEX) {
		take_bound(s, part, upper);
		return;
	}
	if (!upper)
		part->constant += part->div - 1;
	if (part->div > INT64_C(1) << 31 || term->floor->div > FE_MAX_NUMBER ||
	    !fe_bound_floor(s->unit, part))
		return;
	inner.term = term->floor->term;
	inner.n = term->floor->n;
	inner.constant = term->floor->constant;
	inner.sign = upper ? -1 : 1;
	b = fe_bound_new(s->unit);
	b->constant = upper ? term->floor->div - 1 : 0;
	if (fe_bound_add(s->unit, b, part, upper ? term->floor->div :
	    -term->floor->div) && add_sizes(s->unit, b, inner.term, inner.n,
	    inner.constant, inner.sign))
		find_bound(&inner, 0, b);
}

/* What follows, "b" being the sizes and the terms with other indices before "k",
 * replaced by their largest values, or, if it holds for all, by their least.
 * Where that would take too long, bounds are left out.
 */
static void find_bound(const struct search *s, int k, struct fe_bound *b)
{
	const struct fe_term *own = NULL, *term;
	const struct fe_bound *other;
	struct fe_bound *more;
	int64_t coef;
	bool upper;

	for (; k < s->n; k++)
		if (fe_term_count(&s->term[k], NULL) &&
		    !fe_term_count(&s->term[k], s->index))
			break;
	if ((*s->steps)-- <= 0)
		return;
	if (k == s->n) {
		for (k = 0; k < s->n; k++)
			if (fe_term_count(&s->term[k], s->index))
				own = &s->term[k];
		bound_term(s, own, s->sign * own->coef, b);
		return;
	}
	term = &s->term[k];
	coef = s->sign * term->coef;
	upper = (coef > 0) != s->all;
	if (s->all || term->kind == FE_T_FLOOR)
		other = end_of(s->unit, term, upper, s->all);
	else
		other = upper ? term->index->upper : term->index->lower;
	for (; other; other = other->next) {
		more = fe_bound_copy(s->unit, b);
		if (fe_bound_widen(s->unit, more, other->div) &&
		    fe_bound_add(s->unit, more, other,
			coef * (more->div / other->div)))
			find_bound(s, k + 1, more);
	}
}

bool fe_range_find(struct fe_unit *u, const struct fe_form *f,
	struct fe_index *index, int sign, struct fe_bound *b, bool all)
{
	int steps = MAX_STEP;
	bool changed = false;
	struct search s = { .unit = u, .index = index, .term = f->term,
		.n = f->n, .constant = f->constant, .sign = sign, .all = all,
		.steps = &steps, .changed = &changed };

	if (add_sizes(u, b, f->term, f->n, f->constant, sign * b->div))
		find_bound(&s, 0, b);
	return changed;
}
