/* Bounds of indices: linear functions of sizes, and of quotients of sizes that are
 * rounded down.
 *
 * A quotient is made once for each that is needed, and then is one more thing that
 * bounds have a coefficient for, behind the sizes. Its dividend has coefficients
 * and a constant from 0 to the divisor - 1, the rest is taken out:
 *
 *	(5*N - 1) / 2	is	2*N - 1 + (N + 1) / 2
 *
 * so that equal quotients are one, and none is negative: sizes are not.
 */
#include <stdlib.h>
#include <string.h>

#include "frontend/index/tensor/tensor.h"

/* Room for quotients that the unit gets later.
 *
 * A bound may be added to when new quotients exist: most of the time it has the
 * room.
 */
enum { SLACK = 4 };

/* The bound 0, over 1. */
struct fe_bound *fe_bound_new(struct fe_unit *u)
{
	struct fe_bound *b = fe_arena_alloc(&u->arena, sizeof(*b));

	b->n = u->n_param + u->n_quotient + SLACK;
	b->coef = fe_arena_alloc(&u->arena,
		(size_t)b->n * sizeof(*b->coef));
	b->div = 1;
	return b;
}

/* The copy has room for quotients that the unit got since "a" was made. */
struct fe_bound *fe_bound_copy(struct fe_unit *u, const struct fe_bound *a)
{
	struct fe_bound *b = fe_bound_new(u);

	b->constant = a->constant;
	b->div = a->div;
	memcpy(b->coef, a->coef, (size_t)(a->n < b->n ? a->n : b->n) *
		sizeof(*b->coef));
	return b;
}

/* Coefficients that a bound has no room for are 0. */
int64_t fe_bound_coef(const struct fe_bound *b, int i)
{
	return i < b->n ? b->coef[i] : 0;
}

/* How many coefficients bounds have.
 *
 * Sizes first, quotients behind them.
 */
static int count(const struct fe_unit *u)
{
	return u->n_param + u->n_quotient;
}

/* Coefficient "i" of "b", which gets room for it: quotients may have been added
 * since it was made.
 *
 * The room comes from the arena: nothing is freed.
 */
static int64_t *coef_at(struct fe_unit *u, struct fe_bound *b, int i)
{
	struct fe_bound *more;

	if (i >= b->n) {
		more = fe_bound_copy(u, b);
		b->coef = more->coef;
		b->n = more->n;
	}
	return &b->coef[i];
}

/* Add "scale" times "a" to "*sum"; false if that has more than 60 bits.
 *
 * 60 bits leave room for a few sums in 64: callers add up without a test in
 * between.
 */
static bool scale_add(int64_t *sum, int64_t a, int64_t scale)
{
	int64_t part;

	return !__builtin_mul_overflow(a, scale, &part) &&
		!__builtin_add_overflow(*sum, part, sum) &&
		*sum < INT64_C(1) << 60 && *sum > -(INT64_C(1) << 60);
}

/* The divisors are not looked at: both must have the same one, or "a" none. */
bool fe_bound_add(struct fe_unit *u, struct fe_bound *b,
	const struct fe_bound *a, int64_t scale)
{
	int i;

	for (i = 0; i < a->n; i++)
		if (a->coef[i] &&
		    !scale_add(coef_at(u, b, i), a->coef[i], scale))
			return false;
	return scale_add(&b->constant, a->constant, scale);
}

/* Numerator and divisor times "scale": the value stays the same. A divisor
 * stays within 31 bits.
 */
bool fe_bound_widen(struct fe_unit *u, struct fe_bound *b, int64_t scale)
{
	int64_t div = 0;

	if (scale == 1)
		return true;
	if (!scale_add(&div, b->div, scale) || div > INT64_C(1) << 31)
		return false;
	b->div = div;
	return fe_bound_add(u, b, b, scale - 1);
}

/* The greatest common divisor, not negative; of 0 and b, b. */
static int64_t common(int64_t a, int64_t b)
{
	while (b) {
		int64_t rest = a % b;

		a = b;
		b = rest;
	}
	return llabs(a);
}

/* Rounds down, for a positive "b". */
int64_t fe_floor_div(int64_t a, int64_t b)
{
	return a / b - (a % b < 0);
}

/* Divide all by what they have in common. The constant is rounded to the side
 * on which the bound still says the same of whole numbers: down for an upper
 * one, up for a lower one.
 */
void fe_bound_reduce(struct fe_bound *b, bool upper)
{
	int64_t g = b->div;
	int i;

	for (i = 0; i < b->n; i++)
		g = common(g, b->coef[i]);
	if (g <= 1)
		return;
	b->div /= g;
	for (i = 0; i < b->n; i++)
		b->coef[i] /= g;
	b->constant = upper ? fe_floor_div(b->constant, g) :
		-fe_floor_div(-b->constant, g);
}

/* Forms are compared and not values: two that are not reduced may differ and
 * have the same value.
 */
bool fe_bound_same(const struct fe_bound *a, const struct fe_bound *b)
{
	int i;

	if (a->constant != b->constant || a->div != b->div)
		return false;
	for (i = 0; i < a->n || i < b->n; i++)
		if (fe_bound_coef(a, i) != fe_bound_coef(b, i))
			return false;
	return true;
}

/* -------------------------------------------------------------- quotients */

/* Quotients are numbered behind the sizes; number "i" has the coefficient "i"
 * in each bound.
 */

/* The only thing that "b" counts, and once, or -1.
 *
 *	N + 3	is single, 2*N and N + M are not
 */
static int single(const struct fe_bound *b)
{
	int i, found = -1;

	for (i = 0; i < b->n; i++) {
		if (!b->coef[i])
			continue;
		if (found >= 0 || b->coef[i] != 1)
			return -1;
		found = i;
	}
	return found;
}

/* There is one with that number: bounds have no coefficient for others. */
const struct fe_quotient *fe_quotient_at(const struct fe_unit *u, int i)
{
	const struct fe_quotient *q = u->quotient;

	while (q->index != i)
		q = q->next;
	return q;
}

/* The number of the coefficient of "of", rounded down.
 *
 * A dividend that is new makes a new quotient. Equal dividends have equal forms
 * (take_whole), so each exists once.
 */
static int find_quotient(struct fe_unit *u, struct fe_bound *of)
{
	struct fe_quotient **at = &u->quotient;

	for (; *at; at = &(*at)->next)
		if (fe_bound_same((*at)->of, of))
			return (*at)->index;
	*at = fe_arena_alloc(&u->arena, sizeof(**at));
	(*at)->of = of;
	(*at)->index = u->n_param + u->n_quotient++;
	return (*at)->index;
}

/* Leave what is less than the divisor in "b", and put the rest, divided, into
 * "whole".
 *
 *	(5*N - 1) / 2	leaves (N + 1) / 2 and puts 2*N - 1 aside
 */
static bool take_whole(struct fe_unit *u, struct fe_bound *b,
	struct fe_bound *whole)
{
	int64_t part;
	int i;

	for (i = -1; i < b->n; i++) {
		int64_t *at = i < 0 ? &b->constant : &b->coef[i];

		part = fe_floor_div(*at, b->div);
		*at -= part * b->div;
		if (part && !scale_add(i < 0 ? &whole->constant :
		    coef_at(u, whole, i), part, 1))
			return false;
	}
	return true;
}

/* floor((floor(A / d) + c) / D) is floor((A + c * d) / (d * D)): if "b" is the
 * first, make it the second.
 *
 * So quotients of quotients of sizes are quotients of sizes: two ways to write
 * them are one form.
 */
static bool merge(struct fe_unit *u, struct fe_bound *b)
{
	int i = single(b);
	const struct fe_bound *inner;
	struct fe_bound *all;

	if (i < u->n_param)
		return true;
	inner = fe_quotient_at(u, i)->of;
	all = fe_bound_copy(u, inner);
	all->div = 0;
	if (!scale_add(&all->constant, b->constant, inner->div) ||
	    !scale_add(&all->div, inner->div, b->div) ||
	    all->div > INT64_C(1) << 31)
		return false;
	fe_bound_reduce(all, true);
	*b = *all;
	return true;
}

/* "b" becomes itself rounded down, with the divisor 1: a whole part, and a
 * quotient with coefficient 1 if anything is left.
 */
bool fe_bound_floor(struct fe_unit *u, struct fe_bound *b)
{
	struct fe_bound *whole = fe_bound_new(u);
	bool rest = false;
	int i;

	fe_bound_reduce(b, true);
	if (b->div == 1)
		return true;
	/* False if numbers get too large; then the caller has no bound. */
	if (!take_whole(u, b, whole) || !merge(u, b))
		return false;
	for (i = 0; i < b->n; i++)
		rest |= b->coef[i] != 0;
	if (rest)
		++*coef_at(u, whole, find_quotient(u, fe_bound_copy(u, b)));
	*b = *whole;
	return true;
}

/* Sizes whose values the program fixes are numbers afterwards. That may make
 * quotients equal that were different ones, or numbers.
 */
struct fe_bound *fe_bound_given(struct fe_unit *u, const struct fe_bound *a)
{
	struct fe_bound *b = fe_bound_new(u), *of;
	const struct fe_param *p;
	int i;

	b->constant = a->constant;
	b->div = a->div;
	for (p = u->param; p; p = p->next) {
		int64_t k = fe_bound_coef(a, p->index);

		if (p->fixed)
			b->constant += k * p->value;
		else
			*coef_at(u, b, p->index) += k;
	}
	for (i = u->n_param; i < a->n; i++) {
		if (!a->coef[i])
			continue;
		of = fe_bound_given(u, fe_quotient_at(u, i)->of);
		if (fe_bound_floor(u, of))
			fe_bound_add(u, b, of, a->coef[i]);
	}
	return b;
}

/* Is "b" never negative? Quotients that it takes away are as large as what they
 * divide allows; what it adds may be 0.
 *
 *	b - q	with q = floor(A / d)	is at least	b - A / d
 *
 * "b" is multiplied by d for that, which does not change its sign. Quotients
 * are handled from the last one, since each is made of earlier ones only.
 */
static bool is_positive(struct fe_unit *u, struct fe_bound *b)
{
	const struct fe_bound *of;
	int64_t coef;
	int i;

	for (i = count(u) - 1; i >= u->n_param; i--) {
		coef = fe_bound_coef(b, i);
		if (coef >= 0)
			continue;
		of = fe_quotient_at(u, i)->of;
		b->coef[i] = 0;
		if (!fe_bound_add(u, b, b, of->div - 1) ||
		    !fe_bound_add(u, b, of, coef))
			return false;
	}
	for (i = 0; i < b->n; i++)
		if (b->coef[i] < 0)
			return false;
	return b->constant >= 0;
}

/* Does "a" imply "b"? For upper bounds b - a must never be negative, for lower
 * ones a - b; both over a common divisor. False if that cannot be told.
 */
bool fe_bound_implies(struct fe_unit *u, const struct fe_bound *a,
	const struct fe_bound *b, bool upper)
{
	struct fe_bound *more = fe_bound_new(u);

	return fe_bound_add(u, more, b, upper ? a->div : -a->div) &&
		fe_bound_add(u, more, a, upper ? -b->div : b->div) &&
		is_positive(u, more);
}

/* ------------------------------------------------------------------ values */

/* The value for given sizes, rounded inwards: down for an upper bound, up for a
 * lower one.
 */
int64_t fe_bound_value(const struct fe_unit *u, const struct fe_bound *b,
	const int64_t *param, bool upper)
{
	int64_t x = b->constant;
	int i;

	for (i = 0; i < b->n; i++) {
		if (!b->coef[i])
			continue;
		x += b->coef[i] * (i < u->n_param ? param[i] :
			fe_bound_value(u, fe_quotient_at(u, i)->of, param,
				true));
	}
	return upper ? fe_floor_div(x, b->div) : -fe_floor_div(-x, b->div);
}

/* Write what coefficient "i" counts: a size, or a quotient "(N+1)/2". Unless it
 * stands "alone", without a factor in front, a quotient has brackets.
 *
 *	N	(N+1)/2		2*(N/2)
 *
 * A dividend that is a single size needs no brackets of its own.
 */
static void print_name(const struct fe_unit *u, int i, bool alone,
	struct poly_str *out)
{
	const struct fe_param *p = u->param;
	const struct fe_bound *of;

	if (i >= u->n_param) {
		of = fe_quotient_at(u, i)->of;
		poly_str_add(out, alone ? "" : "(");
		poly_str_add(out, single(of) < 0 || of->constant ? "(" : "");
		fe_bound_print(u, of, out);
		poly_str_add(out, single(of) < 0 || of->constant ? ")" : "");
		poly_str_printf(out, "/%lld%s", (long long)of->div,
			alone ? "" : ")");
		return;
	}
	while (p->index != i)
		p = p->next;
	poly_str_add(out, p->symbol->name);
}

/* Terms in the order of their numbers, then the constant. The divisor of the
 * bound itself is left to the caller.
 */
void fe_bound_print(const struct fe_unit *u, const struct fe_bound *b,
	struct poly_str *out)
{
	bool first = true;
	int i;

	for (i = 0; i < count(u); i++) {
		int64_t k = fe_bound_coef(b, i);

		if (!k)
			continue;
		poly_str_add(out, k < 0 ? "-" : first ? "" : "+");
		if (llabs(k) != 1)
			poly_str_printf(out, "%lld*", llabs(k));
		print_name(u, i, k == 1 || (k == -1 && !first), out);
		first = false;
	}
	if (first || b->constant)
		poly_str_printf(out, first ? "%lld" : "%+lld",
			(long long)b->constant);
}
