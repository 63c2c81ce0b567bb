/* Integers that follow the loops: their values in the place of reads.
 *
 * A local integer that is given a value made of loop variables and sizes is
 * replaced by that value where it is read, so that subscripts become affine. If
 * each iteration of a loop adds a constant to it, its value is known from the
 * loop variable:
 *
 *	k = -1;
 *	for (i = 0; i < n; i += 2) {
 *		k++;			a[k] is a[-1 + (i - 0) / 2 + 1]
 *		a[k] = b[i];
 *	}
 *
 * The variable of a loop has a value behind it, too: there it is where the
 * condition first failed, unless a "break" ends the loop.
 *
 * Assignments stay, with values in the place of reads, unless nothing reads the
 * variable any more.
 */
#include <stdlib.h>
#include <string.h>

#include "frontend/c/rewrite/rewrite.h"

/* Of a value that is put in the place of reads: each may stand several times in
 * the next.
 */
enum { MAX_NODE = 100 };

/* What is known: "value", by id of the variable, NULL: nothing. While "dry"
 * nothing is rewritten, and variables whose "bits" are START stand for what
 * they are at first.
 */
enum { START = 1 };
struct state {
	struct fe_unit *u;
	struct fe_c_expr **value;
	bool dry;
};

/* Is "v" a local integer whose values are followed: one that is assigned anew,
 * but counts no loop?
 */
static bool is_tracked(const struct fe_c_var *v)
{
	return !v->n_dim && v->n_write && !v->n_loop && !v->is_global &&
		!(v->n_write == 1 && v->init) &&
		!poly_type_is_float(v->type) && poly_type_size(v->type) >= 4;
}

/* Has "v" a value that is not that of a loop around? */
static bool has_value(const struct fe_c_var *v)
{
	return is_tracked(v) || (v->n_loop && !v->active && !v->n_dim);
}

/* ---------------------------------------------------------------- making */

static struct fe_c_expr *copy(struct fe_unit *u, const struct fe_c_expr *e)
{
	struct fe_c_expr *c = fe_arena_alloc(&u->arena, sizeof(*c));

	*c = *e;
	return c;
}

static struct fe_c_expr *number(struct fe_unit *u, enum poly_type type,
	int64_t bits, const struct poly_loc *loc)
{
	struct fe_c_expr *e = fe_c_make(u, FE_C_INT, type, loc);

	e->bits = fe_c_wrap(type, bits);
	return e;
}

/* "e" converted to "type"; a constant is one of that type at once. */
static struct fe_c_expr *converted(struct fe_unit *u, enum poly_type type,
	struct fe_c_expr *e)
{
	struct fe_c_expr *cast;
	int64_t value;

	if (e->type == type)
		return e;
	if (fe_c_constant(e, &value))
		return number(u, type, value, &e->loc);
	cast = fe_c_make(u, FE_C_CAST, type, &e->loc);
	cast->arg[0] = e;
	return cast;
}

/* "a" op "b" in "type"; numbers are computed. */
static struct fe_c_expr *combine(struct fe_unit *u, enum poly_type type,
	enum poly_op op, struct fe_c_expr *a, struct fe_c_expr *b)
{
	struct fe_c_expr *e;
	int64_t x, y;

	a = converted(u, type, a);
	b = converted(u, type, b);
	if (fe_c_constant(a, &x) && fe_c_constant(b, &y))
		return number(u, type, fe_c_apply(op, type, x, y), &a->loc);
	e = fe_c_make(u, FE_C_OP, type, &a->loc);
	e->op = op;
	e->arg[0] = a;
	e->arg[1] = b;
	return e;
}

/* "a < b", both of "type" */
static struct fe_c_expr *less(struct fe_unit *u, enum poly_type type,
	struct fe_c_expr *a, struct fe_c_expr *b)
{
	struct fe_c_expr *e = fe_c_make(u, FE_C_OP, POLY_I32, &a->loc);

	e->op = POLY_OP_LT;
	e->arg[0] = converted(u, type, a);
	e->arg[1] = converted(u, type, b);
	return e;
}

/* "cond ? a : b" in the type of "a". */
static struct fe_c_expr *choice(struct fe_unit *u, struct fe_c_expr *cond,
	struct fe_c_expr *a, struct fe_c_expr *b)
{
	struct fe_c_expr *e = fe_c_make(u, FE_C_COND, a->type, &a->loc);

	e->arg[0] = cond;
	e->arg[1] = a;
	e->arg[2] = converted(u, a->type, b);
	return e;
}

/* ----------------------------------------------------------- substitution */

/* What is known in the place of the variable "e", or NULL. */
static struct fe_c_expr *known(void *with, const struct fe_c_expr *e)
{
	struct state *s = with;
	struct fe_c_expr *c;

	if (e->kind != FE_C_VAR || !has_value(e->var) || !s->value[e->var->id])
		return NULL;
	c = copy(s->u, converted(s->u, e->type, s->value[e->var->id]));
	c->loc = e->loc;
	return c;
}

/* "e" with what is known in the place of variables. */
static struct fe_c_expr *substitute(struct state *s, struct fe_c_expr *e)
{
	return fe_c_replace(s->u, e, known, s);
}

/* True if the value is made of loop variables, sizes and numbers. */
static bool is_good(const struct state *s, const struct fe_c_expr *e)
{
	int i;

	if (poly_type_is_float(e->type) || e->kind == FE_C_ELEMENT)
		return false;
	if (e->kind == FE_C_VAR && e->bits == START)
		return s->dry;
	if (e->kind == FE_C_VAR && e->var->n_loop)
		return e->var->active;
	if (e->kind == FE_C_VAR && e->var->n_write == 1 && e->var->init)
		return is_good(s, e->var->init);
	if (e->kind == FE_C_VAR)
		return !e->var->n_write && e->var->outer;
	for (i = 0; i < 3 && e->arg[i]; i++)
		if (!is_good(s, e->arg[i]))
			return false;
	return true;
}

/* The size of "e". */
static int count_nodes(const struct fe_c_expr *e)
{
	int i, n = 1;

	for (i = 0; i < 3 && e->arg[i]; i++)
		n += count_nodes(e->arg[i]);
	return n;
}

/* ------------------------------------------------------------------- loops */

/* A new array of values by id of the variable: those that are known now, if
 * "same", or none.
 */
static struct fe_c_expr **values(const struct state *s, bool same)
{
	size_t n = (size_t)s->u->c->n_var + 1;
	struct fe_c_expr **value = fe_arena_alloc(&s->u->arena,
		n * sizeof(*value));

	if (same)
		memcpy(value, s->value, n * sizeof(*value));
	return value;
}

/* What the statements assign becomes unknown. */
static void forget(struct state *s, const struct fe_c_stmt *stmt)
{
	for (; stmt; stmt = stmt->next) {
		if (stmt->kind == FE_C_ASSIGN && !stmt->left->n_index)
			s->value[stmt->left->var->id] = NULL;
		if (stmt->kind == FE_C_FOR)
			s->value[stmt->var->id] = NULL;
		forget(s, stmt->body);
		forget(s, stmt->otherwise);
	}
}

/* What the variables of the loops are becomes unknown. */
static void forget_loops(struct state *s, const struct fe_c_stmt *stmt)
{
	for (; stmt; stmt = stmt->next) {
		if (stmt->kind == FE_C_FOR)
			s->value[stmt->var->id] = NULL;
		forget_loops(s, stmt->body);
		forget_loops(s, stmt->otherwise);
	}
}

/* What the statements assign stands for itself. */
static void begin_anew(struct state *s, const struct fe_c_stmt *stmt)
{
	for (; stmt; stmt = stmt->next) {
		if (stmt->kind == FE_C_ASSIGN && !stmt->left->n_index &&
		    has_value(stmt->left->var)) {
			struct fe_c_var *v = stmt->left->var;
			struct fe_c_expr *e = fe_c_make(s->u, FE_C_VAR, v->type,
				&stmt->loc);

			e->var = v;
			e->bits = START;
			s->value[v->id] = e;
		}
		begin_anew(s, stmt->body);
		begin_anew(s, stmt->otherwise);
	}
}

/* Is "e" a size, perhaps converted? */
static bool is_size(const struct fe_c_expr *e)
{
	while (e->kind == FE_C_CAST && !poly_type_is_float(e->type))
		e = e->arg[0];
	return e->kind == FE_C_VAR && e->var->outer && !e->var->n_write &&
		!e->var->n_loop && !poly_type_is_float(e->type);
}

/* Is "e" made of sizes and numbers? */
static bool is_fixed(const struct fe_c_expr *e)
{
	if (e->kind == FE_C_INT || is_size(e))
		return true;
	if (e->kind == FE_C_ELEMENT || !e->arg[0] ||
	    poly_type_is_float(e->type))
		return false;
	for (int i = 0; i < 3 && e->arg[i]; i++)
		if (!is_fixed(e->arg[i]))
			return false;
	return true;
}

/* If "e" is "v" plus a number, with all bits that "v" has: that; perhaps plus
 * "*more", which is made of sizes, or NULL.
 */
static bool is_plus(const struct fe_c_expr *e, const struct fe_c_var *v,
	int64_t *by, struct fe_c_expr **more)
{
	int64_t x;

	*more = NULL;

	while (e->kind == FE_C_CAST &&
	       poly_type_size(e->type) >= poly_type_size(v->type))
		e = e->arg[0];
	if (e->kind == FE_C_VAR) {
		*by = 0;
		return e->var == v;
	}
	if (e->kind != FE_C_OP)
		return false;
	if (e->op == POLY_OP_ADD && fe_c_constant(e->arg[0], &x) &&
	    is_plus(e->arg[1], v, by, more)) {
		*by += x;
		return true;
	}
	if ((e->op != POLY_OP_ADD && e->op != POLY_OP_SUB) ||
	    !is_plus(e->arg[0], v, by, more))
		return false;
	if (!fe_c_constant(e->arg[1], &x)) {
		if (*more || e->op != POLY_OP_ADD || !is_fixed(e->arg[1]))
			return false;
		*more = e->arg[1];
		return true;
	}
	*by += e->op == POLY_OP_ADD ? x : -x;
	return true;
}

/* How often the loop runs, if that is a number; else -1. */
static int64_t trips(const struct fe_c_stmt *loop)
{
	const struct fe_c_expr *c = loop->cond, *i;
	int64_t first, end;
	bool up = loop->step > 0;

	if (c->kind != FE_C_OP || (c->op != POLY_OP_LT && c->op != POLY_OP_LE))
		return -1;
	for (i = c->arg[!up]; i->kind == FE_C_CAST; i = i->arg[0])
		;
	if (i->kind != FE_C_VAR || i->var != loop->var ||
	    !fe_c_constant(loop->right, &first) ||
	    !fe_c_constant(c->arg[up], &end) || llabs(first) > INT32_MAX ||
	    llabs(end) > INT32_MAX)
		return -1;
	end = (up ? end - first : first - end) + (c->op == POLY_OP_LE);
	return end <= 0 ? 0 : (end + llabs(loop->step) - 1) /
		llabs(loop->step);
}

/* How many iterations of the loop have ended. What a variable with a sign begins
 * with may be less than 0.
 */
static struct fe_c_expr *count(struct fe_unit *u, const struct fe_c_stmt *loop,
	enum poly_type type)
{
	struct fe_c_expr *i = fe_c_make(u, FE_C_VAR, loop->var->type,
		&loop->loc);
	enum poly_type t = poly_type_class(i->type) == POLY_CLASS_INT &&
		poly_type_class(type) == POLY_CLASS_UINT ? POLY_I64 : type;
	struct fe_c_expr *by;

	i->var = loop->var;
	by = loop->step > 0 ? combine(u, t, POLY_OP_SUB, i, loop->right) :
		combine(u, t, POLY_OP_SUB, loop->right, i);
	if (llabs(loop->step) != 1)
		by = combine(u, t, POLY_OP_DIV, by, number(u, t,
			llabs(loop->step), &loop->loc));
	return converted(u, type, by);
}

/* The value of "e", if it is made of numbers and of sizes that are fixed, whose
 * values are then part of the program.
 */
static bool find_value(const struct fe_c_expr *e, int64_t *value)
{
	struct fe_c_var *v = e->var;
	int64_t a, b;

	if (fe_c_constant(e, value))
		return true;
	if (e->kind == FE_C_VAR && v->n_write == 1 && v->init)
		return find_value(v->init, value);
	if (e->kind == FE_C_VAR) {
		if (!v->fixed || !v->outer || v->n_write || v->n_loop)
			return false;
		*value = v->value;
		v->used = v->sized = v->folded = true;
		return true;
	}
	if (poly_type_is_float(e->type) || !e->arg[0] || e->arg[2] ||
	    !find_value(e->arg[0], &a))
		return false;
	if (e->kind == FE_C_CAST)
		*value = fe_c_wrap(e->type, a);
	else if (e->kind == FE_C_OP && e->arg[1] &&
		 find_value(e->arg[1], &b))
		*value = fe_c_apply(e->op, e->arg[0]->type, a, b);
	else
		return false;
	return true;
}

/* Find the step of the loop, if it is not known yet; the body must not change
 * it.
 */
static void find_step(const struct state *s, struct fe_c_stmt *loop)
{
	struct state kept = { s->u, values(s, true), false };
	struct fe_c_expr *by;
	int64_t step;

	if (loop->step)
		return;
	forget(&kept, loop->body);
	by = substitute(&kept, loop->by);
	if (!find_value(by, &step))
		return;
	step = fe_c_wrap(poly_type_size(by->type) == 8 ? POLY_I64 : POLY_I32,
		loop->down ? -step : step);
	if (step <= INT32_MAX && step >= -INT32_MAX)
		loop->step = step;
}

/* Report the loops whose step was not found. */
static void need_steps(struct fe_unit *u, const struct fe_c_stmt *s)
{
	for (; s; s = s->next) {
		if (s->kind == FE_C_FOR && !s->step)
			FE_REPORT(u, FE_C_LOOP, &s->step_loc, FE_C_BAD_STEP);
		need_steps(u, s->body);
		need_steps(u, s->otherwise);
	}
}

/* "e", a sum of integers with a sign, without the numbers that it adds, which
 * "*more" becomes.
 */
static const struct fe_c_expr *without_numbers(const struct fe_c_expr *e,
	int64_t *more)
{
	int64_t n;
	int b;

	*more = 0;
	while (e->kind == FE_C_OP && poly_type_class(e->type) ==
	       POLY_CLASS_INT && (e->op == POLY_OP_ADD ||
	       e->op == POLY_OP_SUB)) {
		b = e->op == POLY_OP_SUB || fe_c_constant(e->arg[1], &n);
		if (!fe_c_constant(e->arg[b], &n) || n < -INT16_MAX ||
		    n > INT16_MAX || *more < -INT16_MAX || *more > INT16_MAX)
			break;
		*more += e->op == POLY_OP_SUB ? -n : n;
		e = e->arg[!b];
	}
	return e;
}

/* The value at which the condition of the loop is sure to fail, or NULL; it
 * begins with "first".
 */
static struct fe_c_expr *find_end(const struct state *s,
	const struct fe_c_stmt *loop, const struct fe_c_expr *first)
{
	struct state kept = { s->u, values(s, true), s->dry };
	const struct fe_c_expr *c = loop->cond, *i;
	bool up = loop->step > 0;
	struct fe_c_expr *end;
	int64_t more;

	if (!loop->step || loop->breaks || c->kind != FE_C_OP ||
	    (c->op != POLY_OP_LT && c->op != POLY_OP_LE))
		return NULL;
	i = fe_c_without_casts(without_numbers(c->arg[!up], &more));
	if (i->kind != FE_C_VAR || i->var != loop->var ||
	    poly_type_is_float(c->arg[0]->type))
		return NULL;
	forget(&kept, loop->body);
	end = substitute(&kept, c->arg[up]);
	if (!is_good(s, first) || !is_good(s, end) ||
	    3 * (count_nodes(first) + count_nodes(end)) > MAX_NODE)
		return NULL;
	if (c->op == POLY_OP_LE)
		more -= up ? 1 : -1;
	return !more ? end : combine(s->u, end->type,
		more < 0 ? POLY_OP_ADD : POLY_OP_SUB, end,
		number(s->u, end->type, more < 0 ? -more : more, &end->loc));
}

/* "by", not negative, as a multiple of "step", rounded up. */
static struct fe_c_expr *round_up(struct fe_unit *u, struct fe_c_expr *by,
	int64_t step)
{
	struct fe_c_expr *n = number(u, by->type, step, &by->loc);

	by = combine(u, by->type, POLY_OP_ADD, by,
		number(u, by->type, step - 1, &by->loc));
	by = combine(u, by->type, POLY_OP_DIV, by, n);
	return combine(u, by->type, POLY_OP_MUL, by, n);
}

/* What the variable of the loop is behind it, or NULL. Without a sign only what
 * needs no difference is known.
 */
static struct fe_c_expr *last_value(const struct state *s,
	const struct fe_c_stmt *loop, struct fe_c_expr *first)
{
	enum poly_type t = loop->cond->arg[0] ? loop->cond->arg[0]->type :
		POLY_BOOL;
	struct fe_c_expr *end = find_end(s, loop, first), *last = end, *runs;
	bool up = loop->step > 0;

	if (!end || (poly_type_class(t) == POLY_CLASS_UINT &&
	    (loop->step != 1 || loop->cond->op != POLY_OP_LT)))
		return NULL;
	if (up && loop->step != 1)
		last = combine(s->u, t, POLY_OP_ADD, first, round_up(s->u,
			combine(s->u, t, POLY_OP_SUB, end, first),
			loop->step));
	if (loop->step < -1)
		last = combine(s->u, t, POLY_OP_SUB, first, round_up(s->u,
			combine(s->u, t, POLY_OP_SUB, first, end),
			-loop->step));
	runs = up ? less(s->u, t, first, end) : less(s->u, t, end, first);
	return converted(s->u, loop->var->type, choice(s->u, runs,
		converted(s->u, t, last), first));
}

static void walk(struct state *s, struct fe_c_stmt *stmt);

/* How often the loop, which begins with "first", runs, or NULL. With a size as
 * one end and numbers that only make it more, that is their difference.
 */
static struct fe_c_expr *run_count(const struct state *s,
	const struct fe_c_stmt *loop, struct fe_c_expr *first)
{
	struct fe_c_expr *end, *low, *high, *len;
	const struct fe_c_expr *core;
	int64_t n = trips(loop), more, less_by;
	enum poly_type t;

	if (!loop->step || loop->breaks)
		return NULL;
	if (n >= 0)
		return number(s->u, POLY_I64, n, &loop->loc);
	end = find_end(s, loop, first);
	if (!end || llabs(loop->step) != 1)
		return NULL;
	t = end->type;
	low = loop->step > 0 ? first : end;
	high = loop->step > 0 ? end : first;
	core = without_numbers(high, &more);
	if (fe_c_constant(low, &less_by) && is_size(core) &&
	    llabs(less_by) <= INT16_MAX && more >= less_by) {
		len = converted(s->u, t, copy(s->u, core));
		return more == less_by ? len : combine(s->u, t, POLY_OP_ADD,
			len, number(s->u, t, more - less_by, &loop->loc));
	}
	if (poly_type_class(t) != POLY_CLASS_INT)
		return NULL;
	return choice(s->u, less(s->u, t, low, high),
		combine(s->u, t, POLY_OP_SUB, high, low),
		number(s->u, t, 0, &loop->loc));
}

/* After the loop, or in an iteration if "times" is NULL, each variable has what
 * it had plus "times" the constant that an iteration adds. An iteration takes
 * those in "start" to "after".
 */
static void advance(struct state *s, struct fe_c_expr **start,
	struct fe_c_expr **after, const struct fe_c_stmt *loop,
	struct fe_c_expr *times)
{
	struct fe_c_var *v;
	struct fe_c_expr *n, *more, *each;
	int64_t by;

	for (v = s->u->c->var; v; v = v->next) {
		struct fe_c_expr **value = &s->value[v->id];

		if (!start[v->id] || !*value)
			continue;
		if (!after[v->id] || !is_plus(after[v->id], v, &by,
		    &more) ||
		    (by < 0 && poly_type_class(v->type) == POLY_CLASS_UINT)) {
			*value = NULL;
			continue;
		}
		if (!by && !more)
			continue;
		n = times ? times : count(s->u, loop, v->type);
		each = number(s->u, v->type, by, &loop->loc);
		if (more)
			each = by ? combine(s->u, v->type, POLY_OP_ADD, more,
				each) : converted(s->u, v->type, more);
		*value = combine(s->u, v->type, POLY_OP_ADD, *value,
			combine(s->u, v->type, POLY_OP_MUL, each, n));
	}
}

/* Walk a loop. Its body is walked dry first, from variables that stand for
 * their values at its beginning, to see what an iteration adds to them; then,
 * in earnest, with what each has in an iteration, if that is known. Behind the
 * loop they have what all iterations add, or nothing is known of them.
 */
static void walk_loop(struct state *s, struct fe_c_stmt *loop)
{
	struct fe_c_expr **before = values(s, true), **start;
	struct state one = { s->u, values(s, false), true };
	struct fe_c_expr *first = substitute(s, loop->right);
	bool good = is_good(s, first), active = loop->var->active;
	struct fe_c_expr *n;

	if (!s->dry) {
		loop->right = first;
		find_step(s, loop);
	}
	begin_anew(&one, loop->body);
	start = values(&one, true);
	loop->var->active = true;
	walk(&one, loop->body);
	forget_loops(s, loop->body);
	if (!s->dry && good && loop->step)
		advance(s, start, one.value, loop, NULL);
	else
		forget(s, loop->body);
	if (!s->dry) {
		loop->cond = substitute(s, loop->cond);
		walk(s, loop->body);
	}
	loop->var->active = active;
	s->value = before;
	n = run_count(s, loop, first);
	forget_loops(s, loop->body);
	if (!n)
		forget(s, loop->body);
	else
		advance(s, start, one.value, loop, n);
	s->value[loop->var->id] = active ? NULL : last_value(s, loop, first);
}

/* ------------------------------------------------------------- statements */

/* Put what is known into the assignment "a", and note its value if it is made
 * of loop variables, sizes and numbers, and not too large to be repeated.
 */
static void walk_assign(struct state *s, struct fe_c_stmt *a)
{
	struct fe_c_expr *value = substitute(s, a->right);
	struct fe_c_var *v = a->left->var;

	if (!s->dry) {
		a->right = value;
		if (a->declares && v->init)
			v->init = value;
		if (a->left->n_index)
			a->left = substitute(s, a->left);
	}
	if (!a->left->n_index && has_value(v))
		s->value[v->id] = is_good(s, value) &&
			count_nodes(value) <= MAX_NODE ? value : NULL;
}

/* Does nothing run behind the list, because of a "break"? */
static bool breaks(const struct fe_c_stmt *s)
{
	for (; s; s = s->next)
		if (s->kind == FE_C_BREAK ||
		    (s->kind == FE_C_BLOCK && breaks(s->body)) ||
		    (s->kind == FE_C_IF && breaks(s->body) &&
		     breaks(s->otherwise)))
			return true;
	return false;
}

/* What holds behind a branch that ends the loop does not matter. */
static void walk_if(struct state *s, struct fe_c_stmt *stmt)
{
	struct state other = { s->u, values(s, true), s->dry };
	struct fe_c_expr *cond;
	struct fe_c_var *v;
	bool good;

	cond = substitute(s, stmt->cond);
	if (!s->dry)
		stmt->cond = cond;
	good = is_good(s, cond);
	walk(s, stmt->body);
	walk(&other, stmt->otherwise);
	if (breaks(stmt->body))
		s->value = other.value;
	if (breaks(stmt->body) || breaks(stmt->otherwise))
		return;
	for (v = s->u->c->var; v; v = v->next) {
		struct fe_c_expr *a = s->value[v->id], *b = other.value[v->id];

		if (a == b || (a && b && fe_c_same(a, b)))
			continue;
		s->value[v->id] = a && b && good ?
			choice(s->u, cond, a, b) : NULL;
	}
}

/* Walk the statements in order, while s->value says what is known. */
static void walk(struct state *s, struct fe_c_stmt *stmt)
{
	for (; stmt; stmt = stmt->next) {
		switch (stmt->kind) {
		case FE_C_ASSIGN:
			walk_assign(s, stmt);
			break;
		case FE_C_FOR:
			walk_loop(s, stmt);
			break;
		case FE_C_IF:
			walk_if(s, stmt);
			break;
		case FE_C_BLOCK:
			walk(s, stmt->body);
			break;
		case FE_C_BREAK:
			break;
		}
	}
}

/* ------------------------------------------------------------------- reads */

/* Count the reads of each scalar in "e", by id of the variable; "e" may be
 * NULL.
 */
static void count_reads(const struct fe_c_expr *e, int *read)
{
	int i;

	if (!e)
		return;
	if (e->kind == FE_C_VAR)
		read[e->var->id]++;
	for (i = 0; i < 3; i++)
		count_reads(e->arg[i], read);
	for (i = 0; i < e->n_index; i++)
		count_reads(e->index[i], read);
}

/* The same in all expressions of the statements; the variable on the left is no
 * read.
 */
static void count_all(const struct fe_c_stmt *s, int *read)
{
	int i;

	for (; s; s = s->next) {
		for (i = 0; s->left && i < s->left->n_index; i++)
			count_reads(s->left->index[i], read);
		count_reads(s->right, read);
		count_reads(s->cond, read);
		count_all(s->body, read);
		count_all(s->otherwise, read);
	}
}

/* Drop what is assigned to variables that nothing reads or sees, and what a
 * loop's variable is given elsewhere, whose value stands where it is read.
 */
static void drop(struct fe_c_stmt *s, const int *read)
{
	for (; s; s = s->next) {
		bool active = s->var && s->var->active;

		if (s->kind == FE_C_FOR)
			s->var->active = true;
		drop(s->body, read);
		drop(s->otherwise, read);
		if (s->kind == FE_C_FOR)
			s->var->active = active;
		if (s->kind == FE_C_ASSIGN && s->left->var->n_loop &&
		    !s->left->var->active)
			s->kind = FE_C_BLOCK;
		if (s->kind != FE_C_ASSIGN || s->left->n_index ||
		    !is_tracked(s->left->var) || read[s->left->var->id] ||
		    (s->left->var->outer && !s->left->var->by_value) ||
		    s->left->var->is_result)
			continue;
		s->kind = FE_C_BLOCK;
	}
}

void fe_c_forward(struct fe_unit *u)
{
	struct state s = { .u = u };
	const struct fe_c_var *v;
	int *read;

	s.value = values(&s, false);
	walk(&s, u->c->body);
	need_steps(u, u->c->body);
	read = fe_arena_alloc(&u->arena,
		((size_t)u->c->n_var + 1) * sizeof(*read));
	count_all(u->c->body, read);
	for (v = u->c->var; v; v = v->next) {
		int d;

		for (d = 0; d < v->n_dim; d++)
			count_reads(v->dim[d], read);
	}
	drop(u->c->body, read);
}
