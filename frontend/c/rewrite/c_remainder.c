/* Remainders by a size, where a loop says how often it fits: conditions in their
 * place, which are affine.
 *
 *	for (i = 0; i < n; i++)
 *		a[(i + 1) % n]		i + 1 < n ? i + 1 : i + 1 - n
 *		a[(i - 1 + n) % n]	i - 1 + n < n ? i - 1 + n : i - 1
 *
 * With 0 <= i < n, so that n >= 1, k * i + p * n + c lies between p * n + c and
 * (p + k) * n + c - k, and n goes into it at least no time and at most p + k - 1
 * times, or p + c times if c >= k. Variables whose loops go from a number to a
 * number may be part of c. What is written is what C computes for all n.
 */
#include "frontend/c/rewrite/rewrite.h"

/* Multiples of the divisor that are taken off, at most. */
enum { MOST = 5 };

/* The sum of times[..] * i[..], variables of loops, and p * n + c; "n" is a size. */
enum { MOST_LOOPS = 4 };
struct linear {
	const struct fe_c_var *i[MOST_LOOPS], *n;
	int64_t times[MOST_LOOPS], p, c;
	int n_loop;
};

/* From pn + low to pn + high, and to "k" * i more, with i from 0 to n - 1. */
struct span {
	int64_t k, p, low, high;
};

/* Loops by id of their variable, while they are around. */
struct round {
	struct fe_unit *u;
	const struct fe_c_stmt **loop;
};

/* ----------------------------------------------------------------- reading */

/* "e" without casts to integers of 32 bits or more, whatever they are from. */
static const struct fe_c_expr *bare(const struct fe_c_expr *e)
{
	while (e->kind == FE_C_CAST && !poly_type_is_float(e->type) &&
	       e->type != POLY_BOOL && poly_type_size(e->type) >= 4)
		e = e->arg[0];
	return e;
}

/* Is "v" an integer from outside that stays as it is? */
static bool is_size(const struct fe_c_var *v)
{
	return v->outer && !v->n_dim && !v->n_write && !v->n_loop &&
		!poly_type_is_float(v->type) && v->type != POLY_BOOL;
}

static bool is_small(int64_t x)
{
	return x >= -INT32_MAX && x <= INT32_MAX;
}

/* Add "by" times the variable "i" to "l"; false if these are too many. */
static bool add_loop(struct linear *l, const struct fe_c_var *i, int64_t by)
{
	int d;

	for (d = 0; d < l->n_loop && l->i[d] != i; d++)
		;
	if (d == MOST_LOOPS)
		return false;
	l->n_loop += d == l->n_loop;
	l->i[d] = i;
	l->times[d] += by;
	return true;
}

/* Add "by" times "e" to "l"; false if that is another function. */
static bool add_linear(struct linear *l, const struct fe_c_expr *e, int64_t by)
{
	int64_t x;

	e = bare(e);
	if (!is_small(by))
		return false;
	if (fe_c_constant(e, &x)) {
		l->c += is_small(x) ? by * x : 0;
		return is_small(x) && is_small(l->c);
	}
	if (e->kind == FE_C_VAR && e->var == l->n) {
		l->p += by;
		return true;
	}
	if (e->kind == FE_C_VAR && e->var->n_loop)
		return add_loop(l, e->var, by);
	if (e->kind == FE_C_VAR)
		return e->var->n_write == 1 && e->var->init &&
			add_linear(l, e->var->init, by);
	if (e->kind != FE_C_OP || poly_type_is_float(e->type))
		return false;
	if (e->op == POLY_OP_NEG)
		return add_linear(l, e->arg[0], -by);
	if (e->op == POLY_OP_ADD || e->op == POLY_OP_SUB)
		return add_linear(l, e->arg[0], by) && add_linear(l, e->arg[1],
			e->op == POLY_OP_SUB ? -by : by);
	if (e->op != POLY_OP_MUL)
		return false;
	if (fe_c_constant(e->arg[0], &x))
		return is_small(x) && add_linear(l, e->arg[1], by * x);
	return fe_c_constant(e->arg[1], &x) && is_small(x) &&
		add_linear(l, e->arg[0], by * x);
}

/* Is "e" a number >= "low"? */
static bool is_from(const struct fe_c_expr *e, int64_t low)
{
	int64_t x;

	return fe_c_constant(bare(e), &x) && is_small(x) && x >= low;
}

/* Is "e" <= n - "by"? */
static bool is_below(const struct fe_c_expr *e, const struct fe_c_var *n,
	int64_t by)
{
	struct linear l = { .n = n };

	return add_linear(&l, e, 1) && !l.n_loop && l.p == 1 && l.c <= -by;
}

static bool is_variable(const struct fe_c_expr *e, const struct fe_c_var *v)
{
	e = bare(e);
	return e->kind == FE_C_VAR && e->var == v;
}

/* Has the loop's variable values from 0 to n - 1 alone? */
static bool stays_below(const struct fe_c_stmt *loop, const struct fe_c_var *n)
{
	const struct fe_c_expr *c = loop->cond;
	bool less = c->op == POLY_OP_LT;

	if (c->kind != FE_C_OP || (!less && c->op != POLY_OP_LE))
		return false;
	if (loop->step > 0)
		return is_from(loop->right, 0) &&
			is_variable(c->arg[0], loop->var) &&
			is_below(c->arg[1], n, !less);
	return loop->step < 0 && is_below(loop->right, n, 1) &&
		is_variable(c->arg[1], loop->var) &&
		is_from(c->arg[0], less ? -1 : 0);
}

/* Does the loop's variable go from "*low" to "*high", or not as far? */
static bool is_between(const struct fe_c_stmt *loop, int64_t *low, int64_t *high)
{
	const struct fe_c_expr *c = loop->cond;
	bool up = loop->step > 0, less = c->op == POLY_OP_LT;

	if (c->kind != FE_C_OP || (!less && c->op != POLY_OP_LE) ||
	    !is_variable(c->arg[!up], loop->var) ||
	    !fe_c_constant(bare(loop->right), up ? low : high) ||
	    !fe_c_constant(bare(c->arg[up]), up ? high : low))
		return false;
	*(up ? high : low) += up ? -less : less;
	return is_small(*low) && is_small(*high) && *low <= *high;
}

/* Find what "l" is between; false if nobody knows. */
static bool find_span(struct round *r, const struct linear *l, struct span *s)
{
	int64_t low = 0, high = 0, by;
	int d;

	*s = (struct span) { 0, l->p, l->c, l->c };
	for (d = 0; d < l->n_loop; d++) {
		const struct fe_c_stmt *loop = r->loop[l->i[d]->id];

		by = l->times[d];
		if (loop && is_between(loop, &low, &high)) {
			s->low += by * (by < 0 ? high : low);
			s->high += by * (by < 0 ? low : high);
		} else if (loop && by && !s->k && stays_below(loop, l->n)) {
			s->k = by < 0 ? -by : by;
			s->p += by < 0 ? by : 0;
			s->low -= by < 0 ? by : 0;
			s->high -= by < 0 ? by : 0;
		} else if (by) {
			return false;
		}
	}
	return s->k && is_small(s->low) && is_small(s->high);
}

/* ------------------------------------------------------------------ making */

static struct fe_c_expr *number(struct round *r, enum poly_type t, int64_t x,
	const struct poly_loc *loc)
{
	struct fe_c_expr *e = fe_c_make(r->u, FE_C_INT, t, loc);

	e->bits = x;
	return e;
}

/* "a op b" of type "t", at the place of "a". */
static struct fe_c_expr *binary(struct round *r, enum poly_op op,
	enum poly_type t, struct fe_c_expr *a, struct fe_c_expr *b)
{
	struct fe_c_expr *e = fe_c_make(r->u, FE_C_OP, t, &a->loc);

	e->op = op;
	e->arg[0] = a;
	e->arg[1] = b;
	return e;
}

/* "times" times the variable "v", or the number 1 if that is NULL. */
static struct fe_c_expr *product(struct round *r, enum poly_type t,
	const struct fe_c_var *v, int64_t times, const struct poly_loc *loc)
{
	struct fe_c_expr *e, *cast;

	if (!v)
		return number(r, t, times, loc);
	e = fe_c_make(r->u, FE_C_VAR, v->type, loc);
	e->var = (struct fe_c_var *)(uintptr_t)v;
	if (v->type != t) {
		cast = fe_c_make(r->u, FE_C_CAST, t, loc);
		cast->arg[0] = e;
		e = cast;
	}
	return times == 1 ? e :
		binary(r, POLY_OP_MUL, t, number(r, t, times, loc), e);
}

/* "l", what is added before what is taken off. */
static struct fe_c_expr *value(struct round *r, enum poly_type t,
	const struct linear *l, const struct poly_loc *loc)
{
	const struct fe_c_var *var[MOST_LOOPS + 2] = { l->n };
	int64_t times[MOST_LOOPS + 2] = { l->p, l->c };
	struct fe_c_expr *sum = NULL, *e;
	int i, n = l->n_loop + 2;

	for (i = 2; i < n; i++) {
		var[i] = l->i[i - 2];
		times[i] = l->times[i - 2];
	}
	for (i = 0; i < 2 * n; i++) {
		int64_t x = i < n ? times[i] : -times[i - n];

		if (x <= 0)
			continue;
		e = product(r, t, var[i % n], x, loc);
		if (!sum && i >= n)
			sum = number(r, t, 0, loc);
		sum = sum ? binary(r, i < n ? POLY_OP_ADD : POLY_OP_SUB, t,
			sum, e) : e;
	}
	return sum ? sum : number(r, t, 0, loc);
}

/* "cond ? yes : no" of type "t". */
static struct fe_c_expr *choice(struct round *r, enum poly_type t,
	struct fe_c_expr *cond, struct fe_c_expr *yes, struct fe_c_expr *no)
{
	struct fe_c_expr *e = fe_c_make(r->u, FE_C_COND, t, &cond->loc);

	e->arg[0] = cond;
	e->arg[1] = yes;
	e->arg[2] = no;
	return e;
}

/* What is left of "l" when its divisor is taken off up to "most" times; 0 where "l"
 * is "negative", which it is for the divisor 1 alone.
 */
static struct fe_c_expr *rest(struct round *r, enum poly_type t,
	const struct linear *l, int64_t most, bool negative,
	const struct poly_loc *loc)
{
	struct linear part = *l, less;
	struct fe_c_expr *e, *x = value(r, t, l, loc);
	int64_t q;

	part.p = l->p - most;
	e = value(r, t, &part, loc);
	for (q = most - 1; q >= 0; q--) {
		less = (struct linear) { .n = l->n, .p = q + 1 };
		part.p = l->p - q;
		e = choice(r, t, binary(r, POLY_OP_LT, POLY_I32, x,
			value(r, t, &less, loc)), value(r, t, &part, loc), e);
	}
	return negative ? choice(r, t, binary(r, POLY_OP_LT, POLY_I32, x,
		number(r, t, 0, loc)), number(r, t, 0, loc), e) : e;
}

/* rest() of type "t", but computed with a sign, as what is not chosen may have one.
 */
static struct fe_c_expr *typed(struct round *r, enum poly_type t,
	const struct linear *l, int64_t most, bool negative,
	const struct poly_loc *loc)
{
	struct fe_c_expr *cast;

	if (poly_type_class(t) != POLY_CLASS_UINT)
		return rest(r, t, l, most, negative, loc);
	cast = fe_c_make(r->u, FE_C_CAST, t, loc);
	cast->arg[0] = rest(r, POLY_I64, l, most, negative, loc);
	return cast;
}

/* The remainder "e" as conditions, or NULL. */
static struct fe_c_expr *rounded(struct round *r, const struct fe_c_expr *e)
{
	const struct fe_c_expr *by = bare(e->arg[1]);
	struct linear l = { .n = by->var };
	struct span s;
	int64_t most;
	bool negative;

	if (by->kind != FE_C_VAR || !is_size(by->var) ||
	    poly_type_is_float(e->type) || !add_linear(&l, e->arg[0], 1) ||
	    !find_span(r, &l, &s))
		return NULL;
	negative = s.low == -s.p - 1;
	if (s.p < 0 || s.low < -s.p - negative || (negative && (s.p < 1 ||
	    poly_type_class(e->type) == POLY_CLASS_UINT)))
		return NULL;
	most = s.high < s.k ? s.p + s.k - 1 : s.p + s.high;
	return most > MOST ? NULL : typed(r, e->type, &l, most, negative,
		&e->loc);
}

/* ------------------------------------------------------------------- walks */

/* "e", or a new tree where it differs: others may have a part of it, too. */
static struct fe_c_expr *replaced(struct round *r, struct fe_c_expr *e)
{
	struct fe_c_expr *c, *other;
	bool same = true;
	int i;

	if (!e)
		return NULL;
	other = e->kind == FE_C_OP && e->op == POLY_OP_REM ?
		rounded(r, e) : NULL;
	if (other)
		return other;
	c = fe_arena_alloc(&r->u->arena, sizeof(*c));
	*c = *e;
	if (e->n_index)
		c->index = fe_arena_alloc(&r->u->arena,
			(size_t)e->n_index * sizeof(*c->index));
	for (i = 0; i < 3; i++) {
		c->arg[i] = replaced(r, e->arg[i]);
		same &= c->arg[i] == e->arg[i];
	}
	for (i = 0; i < e->n_index; i++) {
		c->index[i] = replaced(r, e->index[i]);
		same &= c->index[i] == e->index[i];
	}
	return same ? e : c;
}

/* Replace remainders in the statements, with the loops around each known; a
 * loop's condition and body see its variable, what it begins with does not.
 */
static void walk(struct round *r, struct fe_c_stmt *s)
{
	for (; s; s = s->next) {
		const struct fe_c_stmt *outer = s->var ?
			r->loop[s->var->id] : NULL;

		s->left = replaced(r, s->left);
		s->right = replaced(r, s->right);
		if (s->declares && s->left->var->init)
			s->left->var->init = s->right;
		if (s->kind == FE_C_FOR && s->step)
			r->loop[s->var->id] = s;
		s->cond = replaced(r, s->cond);
		walk(r, s->body);
		walk(r, s->otherwise);
		if (s->kind == FE_C_FOR)
			r->loop[s->var->id] = outer;
	}
}

void fe_c_remainder(struct fe_unit *u)
{
	struct round r = { .u = u };

	r.loop = fe_arena_alloc(&u->arena, ((size_t)u->c->n_var + 1) *
		sizeof(*r.loop));
	walk(&r, u->c->body);
}
