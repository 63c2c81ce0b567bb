/* The largest or smallest value of a loop, with where it was found.
 *
 *	for (i)
 *		if (a[i] > m) {
 *			m = a[i];
 *			k = i;
 *		}
 *
 * becomes two reductions, which may be made in any order, and what depends on them:
 *
 *	for (i) most = max(most, a[i]);
 *	for (i) at = min(at, a[i] == most ? i : none);
 *	if (at != none && most > m) { m = most; k = at; }
 *
 * All that C says of special values holds. A NaN is taken by a condition that is
 * negated, as in "!(a[i] <= m)" or "m = m > a[i] ? m : a[i]", and then by whatever
 * follows it: what comes before the last NaN does not count. Zeros of both signs are
 * equal, so that "at" has the sign beside the number.
 *
 * The loop may do other things, which neither need nor change any of that.
 */
#include <math.h>

#include "frontend/c/rewrite/make.h"
#include "frontend/c/rewrite/rewrite.h"

/* Variables beside the value that are set with it. */
enum { MOST_SET = 8 };

/* "left" = "value" is done where "cond" says so: if it holds, or if "negated", if it
 * does not. "down": the smallest; "ties": equal ones are taken, the last one stays;
 * "any": what cannot be compared is taken. "set" are further assignments.
 */
struct extreme {
	struct fe_c_maker m;
	const struct fe_c_stmt *loop;
	const struct fe_c_expr *left, *value;
	bool down, ties, any;
	const struct fe_c_stmt *set[MOST_SET];
	int n_set;
	struct fe_c_var *most, *at, *what;
	struct fe_c_var *last;		/* NaN, or NULL */
};

/* ----------------------------------------------------------------- expressions */

static struct fe_c_expr *number(const struct extreme *x, double value)
{
	struct fe_c_expr *e = fe_c_make_node(&x->m, FE_C_FLOAT, x->value->type,
		NULL, NULL);

	e->value = value;
	return e;
}

static struct fe_c_expr *value(const struct extreme *x)
{
	return fe_c_copy_expr(x->m.u, x->value);
}

static bool is_float(const struct extreme *x)
{
	return poly_type_is_float(x->value->type);
}

/* The loop's variable as a number of 64 bits. */
static struct fe_c_expr *turn(const struct extreme *x)
{
	struct fe_c_expr *e = fe_c_make_read(&x->m, x->loop->var);

	return e->type == POLY_I64 ? e :
		fe_c_make_node(&x->m, FE_C_CAST, POLY_I64, e, NULL);
}

/* The end of 64 bits that stands for no turn where the last one is looked for, or the
 * first one. Turns are doubled, but are far from it.
 */
static struct fe_c_expr *none(const struct extreme *x, bool last)
{
	return fe_c_make_int(&x->m, POLY_I64, last ? INT64_MIN : INT64_MAX);
}

/* ------------------------------------------------------------------ statements */

/* Let "v" become the larger, or the smaller one of itself and "e", in all turns;
 * "begin" is what it is before.
 */
static struct fe_c_stmt *reduce(const struct extreme *x, struct fe_c_var *v,
	bool down, struct fe_c_expr *e, struct fe_c_expr *begin,
	struct fe_c_stmt *next)
{
	struct fe_c_expr *own = fe_c_make_read(&x->m, v), *all;
	struct fe_c_stmt *s;

	if (poly_type_is_float(v->type))
		all = fe_c_make_op(&x->m, down ? POLY_OP_MIN : POLY_OP_MAX,
			v->type, own, e);
	else
		all = fe_c_make_choice(&x->m, down ? fe_c_make_op(&x->m,
			POLY_OP_LT, POLY_I32, e, own) :
			fe_c_make_op(&x->m, POLY_OP_LT, POLY_I32, own, e),
				fe_c_copy_expr(x->m.u, e),
			fe_c_copy_expr(x->m.u, own));
	s = fe_c_make_loop(&x->m, x->loop, fe_c_make_assign(&x->m, own, all,
		NULL), next);
	s = fe_c_make_assign(&x->m, own, begin, s);
	s->declares = true;
	return s;
}

/* ------------------------------------------------------------------- reductions */

/* "e" where the turn is behind the last NaN, else "other". */
static struct fe_c_expr *behind(const struct extreme *x, struct fe_c_expr *e,
	struct fe_c_expr *other)
{
	return !x->last ? e : fe_c_make_choice(&x->m, fe_c_make_op(&x->m,
		POLY_OP_LT, POLY_I32,
		fe_c_make_read(&x->m, x->last), turn(x)), e, other);
}

/* The value that nothing is beyond, from the other side. */
static struct fe_c_expr *least(const struct extreme *x)
{
	enum poly_type t = x->value->type;
	int bits = 8 * poly_type_size(t);
	bool is_unsigned = poly_type_class(t) == POLY_CLASS_UINT;
	uint64_t all = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;

	if (is_float(x))
		return number(x, x->down ? INFINITY : -INFINITY);
	if (is_unsigned)
		return fe_c_make_int(&x->m, t, x->down ? (int64_t)all : 0);
	return fe_c_make_int(&x->m, t, x->down ? (int64_t)(all >> 1) :
		-(int64_t)(all >> 1) - 1);
}

/* Where the value is: the turn, of floats twice that, and 1 more if the sign is
 * set.
 */
static struct fe_c_expr *place(const struct extreme *x)
{
	struct fe_c_expr *one = number(x, 1), *sign;

	if (!is_float(x))
		return turn(x);
	sign = fe_c_make_op(&x->m, POLY_OP_LT, POLY_I32, fe_c_make_op(&x->m,
		POLY_OP_COPYSIGN,
		x->value->type, one, value(x)), number(x, 0));
	return fe_c_make_op(&x->m, POLY_OP_ADD, POLY_I64, fe_c_make_op(&x->m,
		POLY_OP_MUL, POLY_I64,
		turn(x), fe_c_make_int(&x->m, POLY_I64, 2)),
		fe_c_make_node(&x->m, FE_C_CAST, POLY_I64, sign, NULL));
}

/* The reductions, before "next". */
static struct fe_c_stmt *reductions(const struct extreme *x,
	struct fe_c_stmt *next)
{
	struct fe_c_expr *is, *e;
	struct fe_c_stmt *s;

	is = fe_c_make_op(&x->m, POLY_OP_EQ, POLY_I32, value(x),
		fe_c_make_read(&x->m, x->most));
	e = fe_c_make_choice(&x->m, is, place(x), none(x, x->ties));
	s = reduce(x, x->at, !x->ties, behind(x, e, none(x, x->ties)),
		none(x, x->ties), next);
	s = reduce(x, x->most, x->down, behind(x, value(x), least(x)),
		least(x), s);
	if (!x->last)
		return s;
	is = fe_c_make_op(&x->m, POLY_OP_NE, POLY_I32, value(x), value(x));
	return reduce(x, x->last, false,
		fe_c_make_choice(&x->m, is, turn(x), none(x, true)), none(x,
			true), s);
}

/* ------------------------------------------------------------------ the result */

/* "e" where the loop's variable is "at". */
static struct fe_c_expr *at_turn(const struct extreme *x,
	const struct fe_c_expr *e, struct fe_c_expr *at)
{
	const struct fe_c_expr *i = fe_c_make_read(&x->m, x->loop->var);

	return fe_c_put(x->m.u, e, i, fe_c_make_cast(&x->m, i->type, at));
}

static struct fe_c_expr *found_turn(const struct extreme *x)
{
	struct fe_c_expr *at = fe_c_make_read(&x->m, x->at);

	return is_float(x) ? fe_c_make_op(&x->m, POLY_OP_SHR, POLY_I64, at,
		fe_c_make_int(&x->m, POLY_I64, 1)) : at;
}

/* The value with its own sign. */
static struct fe_c_expr *found(const struct extreme *x)
{
	struct fe_c_expr *sign;

	if (!is_float(x))
		return fe_c_make_read(&x->m, x->most);
	sign = fe_c_make_op(&x->m, POLY_OP_AND, POLY_I64, fe_c_make_read(&x->m,
		x->at),
		fe_c_make_int(&x->m, POLY_I64, 1));
	sign = fe_c_make_op(&x->m, POLY_OP_EQ, POLY_I32, sign,
		fe_c_make_int(&x->m, POLY_I64, 0));
	return fe_c_make_op(&x->m, POLY_OP_COPYSIGN, x->value->type,
		fe_c_make_read(&x->m, x->most),
		fe_c_make_choice(&x->m, sign, number(x, 1), number(x, -1)));
}

/* "left" as a value of the compared type. */
static struct fe_c_expr *held(const struct extreme *x)
{
	struct fe_c_expr *e = fe_c_copy_expr(x->m.u, x->left);

	return e->type == x->value->type ? e :
		fe_c_make_node(&x->m, FE_C_CAST, x->value->type, e, NULL);
}

/* Would C take the value that was found, if it were the only one? */
static struct fe_c_expr *is_taken(const struct extreme *x)
{
	struct fe_c_expr *a = held(x), *b = fe_c_make_read(&x->m, x->most), *e;
	struct fe_c_expr *low = x->down ? b : a, *high = x->down ? a : b;

	if (!x->any)
		return fe_c_make_op(&x->m, x->ties ? POLY_OP_LE : POLY_OP_LT,
			POLY_I32, low,
			high);
	e = fe_c_make_op(&x->m, x->ties ? POLY_OP_LT : POLY_OP_LE, POLY_I32,
		high, low);
	return fe_c_make_node(&x->m, FE_C_NOT, POLY_I32, e, NULL);
}

/* Has a turn been found, the first or the "last" one of its kind? */
static struct fe_c_expr *has(const struct extreme *x, struct fe_c_var *v,
	bool last)
{
	return fe_c_make_op(&x->m, POLY_OP_NE, POLY_I32, fe_c_make_read(&x->m,
		v), none(x, last));
}

/* What is to be done behind the reductions: TAKE what was found, or let what follows
 * the last NaN be that, as there is nothing: BREAK.
 */
enum { KEEP, TAKE, BREAK };
static struct fe_c_expr *what_to_do(const struct extreme *x)
{
	struct fe_c_expr *taken = is_taken(x), *e = fe_c_make_int(&x->m,
		POLY_I32, KEEP);

	if (x->last) {
		e = fe_c_make_choice(&x->m, has(x, x->last, true),
			fe_c_make_int(&x->m, POLY_I32, BREAK), e);
		taken = fe_c_make_node(&x->m, FE_C_OR, POLY_I32, has(x, x->last,
			true),
			taken);
	}
	taken = fe_c_make_node(&x->m, FE_C_AND, POLY_I32, has(x, x->at,
		x->ties), taken);
	return fe_c_make_choice(&x->m, taken, fe_c_make_int(&x->m, POLY_I32,
		TAKE), e);
}

/* "left" becomes what is to be done with it, before "next". */
static struct fe_c_stmt *result(const struct extreme *x,
	const struct fe_c_expr *left, struct fe_c_expr *take,
	struct fe_c_expr *broken, struct fe_c_stmt *next)
{
	struct fe_c_expr *e = fe_c_copy_expr(x->m.u, left);

	if (x->last)
		e = fe_c_make_choice(&x->m, fe_c_make_op(&x->m, POLY_OP_EQ,
			POLY_I32, fe_c_make_read(&x->m, x->what),
			fe_c_make_int(&x->m, POLY_I32, BREAK)), broken, e);
	e = fe_c_make_choice(&x->m, fe_c_make_op(&x->m, POLY_OP_EQ, POLY_I32,
		fe_c_make_read(&x->m, x->what),
		fe_c_make_int(&x->m, POLY_I32, TAKE)), take, e);
	return fe_c_make_assign(&x->m, left, e, next);
}

/* What is left to do behind the reductions. */
static struct fe_c_stmt *results(const struct extreme *x)
{
	struct fe_c_stmt *s = NULL;
	struct fe_c_expr *e;

	for (int i = x->n_set - 1; i >= 0; i--) {
		e = x->set[i]->right;
		s = result(x, x->set[i]->left, at_turn(x, e, found_turn(x)),
			x->last ? at_turn(x, e, fe_c_make_read(&x->m,
				x->last)) : NULL,
			s);
	}
	s = result(x, x->left, found(x), x->last ? number(x, NAN) : NULL, s);
	s = fe_c_make_assign(&x->m, fe_c_make_read(&x->m, x->what),
		what_to_do(x), s);
	s->declares = true;
	return s;
}

/* --------------------------------------------------------------------- the form */

/* "e" without conversions of integers that keep their values. */
static const struct fe_c_expr *plain(const struct fe_c_expr *e)
{
	while (e->kind == FE_C_CAST && !poly_type_is_float(e->type) &&
	       !poly_type_is_float(e->arg[0]->type) && e->type != POLY_BOOL &&
	       poly_type_size(e->type) > poly_type_size(e->arg[0]->type) &&
	       (poly_type_class(e->type) == POLY_CLASS_INT ||
		poly_type_class(e->arg[0]->type) == POLY_CLASS_UINT))
		e = e->arg[0];
	return e;
}

/* Does "cond" compare "left" and "value", and so take the value where it holds, or
 * where it does not?
 */
static bool read_condition(struct extreme *x, const struct fe_c_expr *cond,
	bool negated)
{
	const struct fe_c_expr *a, *b;
	bool first;

	for (; cond->kind == FE_C_NOT; cond = cond->arg[0])
		negated = !negated;
	if (cond->kind != FE_C_OP ||
	    (cond->op != POLY_OP_LT && cond->op != POLY_OP_LE))
		return false;
	a = plain(cond->arg[0]);
	b = plain(cond->arg[1]);
	first = fe_c_same(a, x->left);
	if (!fe_c_same(first ? b : a, plain(x->value)) ||
	    (!first && !fe_c_same(b, x->left)))
		return false;
	x->down = first == negated;
	x->ties = (cond->op == POLY_OP_LE) != negated;
	x->any = negated && poly_type_is_float(x->left->type);
	return true;
}

/* Is "e" the same wherever it is computed? A sum of a product may be one operation in
 * one place and two in another.
 */
static bool is_repeatable(const struct fe_c_expr *e)
{
	bool sum = e->op == POLY_OP_ADD || e->op == POLY_OP_SUB;

	if (!poly_type_is_float(e->type) || e->kind == FE_C_FLOAT ||
	    e->kind == FE_C_VAR || e->kind == FE_C_ELEMENT)
		return true;
	if (e->kind != FE_C_CAST && e->kind != FE_C_OP)
		return false;
	for (int i = 0; i < 3 && e->arg[i]; i++)
		if (!is_repeatable(e->arg[i]) || (sum &&
		    fe_c_without_casts(e->arg[i])->op == POLY_OP_MUL))
			return false;
	return true;
}

bool fe_c_known_later(const struct fe_c_stmt *loop, const struct fe_c_expr *e)
{
	const struct fe_c_var *v = e->var;

	if (e->kind == FE_C_ELEMENT && fe_c_reads(e, loop->var) &&
	    (v->n_write || !v->outer || v->n_dim != e->n_index))
		return false;
	for (int i = 0; e->kind == FE_C_ELEMENT && i < e->n_index; i++)
		if (!v->dim[i] && fe_c_reads(e, loop->var))
			return false;
	for (int i = 0; i < 3 && e->arg[i]; i++)
		if (!fe_c_known_later(loop, e->arg[i]))
			return false;
	return true;
}

/* Is "left" one cell, whatever the turn? */
static bool is_one_cell(const struct extreme *x, const struct fe_c_expr *left)
{
	for (int i = 0; i < left->n_index; i++)
		if (fe_c_reads(left->index[i], x->loop->var) ||
		    fe_c_changes(x->loop, left->index[i]))
			return false;
	return left->type != POLY_BOOL;
}

/* Is "x", of the statement "s" in its loop, one that may become reductions? */
static bool is_right(const struct extreme *x, const struct fe_c_stmt *s)
{
	const struct fe_c_stmt *body = x->loop->body;

	if (!is_repeatable(x->value) || fe_c_changes(x->loop, x->value) ||
	    !fe_c_reads(x->value, x->loop->var) ||
	    !is_one_cell(x, x->left) || fe_c_has_others(body, s, x->left->var))
		return false;
	for (int i = 0; i < x->n_set; i++) {
		const struct fe_c_stmt *set = x->set[i];

		if (!is_one_cell(x, set->left) || fe_c_changes(x->loop, set->right) ||
		    set->left->var == x->left->var ||
		    fe_c_has_others(body, s, set->left->var) ||
		    !fe_c_known_later(x->loop, set->right))
			return false;
		for (int k = 0; k < i; k++)
			if (x->set[k]->left->var == set->left->var)
				return false;
	}
	return true;
}

/* Is nothing done by "s"? */
static bool is_nothing(const struct fe_c_stmt *s)
{
	return s->kind == FE_C_BLOCK && !s->body;
}

/* Find the value among the assignments "list" that are made where "cond" holds or, if
 * "negated", where it does not.
 */
static bool read_list(struct extreme *x, const struct fe_c_expr *cond,
	const struct fe_c_stmt *list, bool negated)
{
	const struct fe_c_stmt *s;

	for (s = list; s; s = s->next) {
		if (is_nothing(s))
			continue;
		if (s->kind != FE_C_ASSIGN || s->declares || s->begins)
			return false;
		x->left = s->left;
		x->value = plain(s->right);
		if (x->value->type == s->left->type &&
		    read_condition(x, cond, negated))
			break;
		x->value = NULL;
	}
	if (!x->value)
		return false;
	for (; list; list = list->next) {
		if (list == s || is_nothing(list))
			continue;
		if (list->kind != FE_C_ASSIGN || x->n_set == MOST_SET)
			return false;
		x->set[x->n_set++] = list;
	}
	return true;
}

/* Read the choice of a value that "s" is. */
static bool read_choice(struct extreme *x, const struct fe_c_stmt *s)
{
	const struct fe_c_expr *e = plain(s->right);
	bool keeps;

	if (e->kind != FE_C_COND || s->declares || s->begins)
		return false;
	x->left = s->left;
	keeps = fe_c_same(plain(e->arg[1]), s->left);
	if (!keeps && !fe_c_same(plain(e->arg[2]), s->left))
		return false;
	x->value = plain(e->arg[keeps ? 2 : 1]);
	return x->value->type == s->left->type &&
		read_condition(x, e->arg[0], keeps);
}

/* Read "s". Choices of integers, without anything else, are updates as they are. */
static bool read_form(struct extreme *x, const struct fe_c_stmt *s)
{
	const struct fe_c_stmt *list = fe_c_inside(s->body);
	bool found;

	if (s->kind == FE_C_IF && !s->otherwise)
		found = read_list(x, s->cond, list, false);
	else if (s->kind == FE_C_IF && (!list || (is_nothing(list) && !list->next)))
		found = read_list(x, s->cond, fe_c_inside(s->otherwise), true);
	else
		found = s->kind == FE_C_ASSIGN && read_choice(x, s);
	return found && (x->n_set || poly_type_is_float(x->left->type)) &&
		is_right(x, s);
}

/* --------------------------------------------------------------------- the walk */

/* Make "s" nothing, and put what stands for it behind the loop. */
static void replace(struct extreme *x, struct fe_c_stmt *loop,
	struct fe_c_stmt *s)
{
	struct fe_c_stmt *block, *first;

	x->most = fe_c_make_var(&x->m, "most", x->value->type);
	x->at = fe_c_make_var(&x->m, "found", POLY_I64);
	x->what = fe_c_make_var(&x->m, "what", POLY_I32);
	if (x->any)
		x->last = fe_c_make_var(&x->m, "last", POLY_I64);
	first = reductions(x, results(x));
	block = fe_c_make_stmt(&x->m, FE_C_BLOCK, loop->next);
	block->body = first;
	block->first_id = x->most->id;
	block->n_id = x->m.u->c->n_var - x->most->id;
	loop->next = block;
	*s = (struct fe_c_stmt) { .next = s->next, .kind = FE_C_BLOCK,
		.loc = s->loc };
}

/* Replace what is an extreme among the statements of the loop. */
static void walk_body(struct fe_unit *u, struct fe_c_stmt *loop,
	struct fe_c_stmt *s)
{
	for (; s; s = s->next) {
		struct extreme x = { .m = { u, &s->loc }, .loop = loop };

		if (s->kind == FE_C_BLOCK)
			walk_body(u, loop, s->body);
		else if (read_form(&x, s))
			replace(&x, loop, s);
	}
}

static void walk(struct fe_unit *u, struct fe_c_stmt *s)
{
	for (; s; s = s->next) {
		walk(u, s->body);
		walk(u, s->otherwise);
		if (s->kind == FE_C_FOR && s->step > 0 && !s->breaks &&
		    !s->asks && !poly_type_is_float(s->var->type))
			walk_body(u, s, s->body);
	}
}

void fe_c_extreme(struct fe_unit *u)
{
	walk(u, u->c->body);
}
