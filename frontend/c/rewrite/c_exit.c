/* Loops that data end: a "break" under a condition on data, and conditions of loops that
 * ask for data.
 *
 * A condition that the loop changes nothing of is asked of all iterations, first. Then
 * the loop runs as far as it would have:
 *
 *	for (i) {			stop = none;
 *		A;			for (i) if (a[i] < 0) stop = min(stop, i);
 *		if (a[i] < 0) {		for (i) if (i <= stop) {
 *			B;			A;
 *			break;			if (a[i] < 0) { B; } else { C; }
 *		}			}
 *		C;
 *	}
 *
 * which may all be done in any order. Any other is asked in the order of the text:
 *
 *	for (i) if (stop == none) { A; if (s > 9) { B; stop = i; } else { C; } }
 *
 * Behind the loop its variable is "stop", unless that is none. Where another loop goes on
 * from there, or goes as far, it has all iterations, and a condition on data:
 *
 *	for (; i < n; i++) A;		for (j = 0; j < n; j++) if (i <= j) A;
 *	for (j = 0; j < i; j++) B;	for (j = 0; j < n; j++) if (j < i) B;
 *
 * Conditions that are affine cut the iterations (c_loop.c), and remain as they are.
 */
#include "frontend/c/rewrite/exit.h"

/* ------------------------------------------------------------------- conditions */

/* Is the operation made of one value that may vary, and numbers? */
static bool is_plain_op(const struct fe_c_expr *e)
{
	int64_t value;

	switch (e->op) {
	case POLY_OP_MUL:
		return fe_c_constant(e->arg[0], &value) ||
			fe_c_constant(e->arg[1], &value);
	case POLY_OP_DIV:
	case POLY_OP_REM:
	case POLY_OP_SHL:
	case POLY_OP_SHR:
	case POLY_OP_AND:
		return fe_c_constant(e->arg[1], &value);
	default:
		return true;
	}
}

/* Is "e" made as affine values are, of integers that are not in "data"? */
bool fe_c_is_plain(const struct fe_c_told *data, const struct fe_c_expr *e)
{
	if (e->kind == FE_C_ELEMENT || poly_type_is_float(e->type) ||
	    (e->kind == FE_C_VAR && !e->var->n_loop && (e->var->id >= data->n ||
	     data->has[e->var->id])) ||
	    (e->kind == FE_C_OP && !is_plain_op(e)))
		return false;
	for (int i = 0; i < 3 && e->arg[i]; i++)
		if (!fe_c_is_plain(data, e->arg[i]))
			return false;
	return true;
}

/* Add the scalars that data tell to "data", "under" a condition that they tell; is there
 * one more?
 */
static bool add_data(struct fe_c_told *data, const struct fe_c_stmt *s, bool under)
{
	bool more = false, here;

	for (; s; s = s->next) {
		here = under || (s->kind == FE_C_IF && !fe_c_is_plain(data, s->cond));
		if (s->kind == FE_C_ASSIGN && s->left->var->id < data->n &&
		    !data->has[s->left->var->id] &&
		    (under || !fe_c_is_plain(data, s->right))) {
			data->has[s->left->var->id] = true;
			more = true;
		}
		more |= add_data(data, s->body, here);
		more |= add_data(data, s->otherwise, here);
	}
	return more;
}

static void find_data(struct fe_c_told *data, const struct fe_c_stmt *s)
{
	while (add_data(data, s, false))
		;
}

/* Does a "break" of the loop around stand in the list under a condition on data? */
static bool leaves(const struct fe_c_told *data, const struct fe_c_stmt *s, bool under)
{
	for (; s; s = s->next) {
		bool here = under || (s->kind == FE_C_IF &&
			!fe_c_is_plain(data, s->cond));

		if ((s->kind == FE_C_BREAK && under) || (s->kind != FE_C_FOR &&
		    (leaves(data, s->body, here) ||
		     leaves(data, s->otherwise, here))))
			return true;
	}
	return false;
}

static struct fe_c_expr *both(const struct fe_c_maker *m, struct fe_c_expr *a,
	struct fe_c_expr *b)
{
	return !a ? b : !b ? a : fe_c_make_node(m, FE_C_AND, POLY_I32, a, b);
}

/* Part the condition "e" in what is plain and the rest, which may be NULL. */
static void part(const struct fe_c_maker *m, const struct fe_c_told *data,
	struct fe_c_expr *e, struct fe_c_expr **plain, struct fe_c_expr **rest)
{
	if (e->kind == FE_C_AND) {
		part(m, data, e->arg[0], plain, rest);
		part(m, data, e->arg[1], plain, rest);
	} else if (fe_c_is_plain(data, e)) {
		*plain = both(m, *plain, e);
	} else {
		*rest = both(m, *rest, e);
	}
}

/* What the condition of the loop asks of data ends its iterations. */
static void ask_inside(struct fe_unit *u, const struct fe_c_told *data, struct fe_c_stmt *loop)
{
	const struct fe_c_maker m = { u, &loop->cond->loc };
	struct fe_c_expr *plain = NULL, *rest = NULL;
	struct fe_c_stmt *s;

	part(&m, data, loop->cond, &plain, &rest);
	if (!plain || !rest)
		return;
	s = fe_c_make_stmt(&m, FE_C_IF, NULL);
	s->cond = rest;
	s->body = loop->body;
	s->otherwise = fe_c_make_stmt(&m, FE_C_BREAK, NULL);
	loop->cond = plain;
	loop->body = s;
	loop->breaks = true;
}

/* ------------------------------------------------------------- what is asked first */

bool fe_c_may_break(const struct fe_c_stmt *s)
{
	const struct fe_c_stmt *part[2] = { s->body, s->otherwise };

	for (int i = 0; i < 2; i++)
		for (s = part[i]; s; s = s->next)
			if (s->kind == FE_C_BREAK || (s->kind != FE_C_FOR &&
			    fe_c_may_break(s)))
				return true;
	return false;
}

/* -------------------------------------------------------- variables of loops */

/* A copy of "e" that reads "by" in the place of "v". */
static struct fe_c_expr *renamed(const struct fe_c_maker *m,
	const struct fe_c_expr *e, struct fe_c_var *v, struct fe_c_var *by)
{
	return fe_c_put(m->u, e, fe_c_make_read(m, v), fe_c_make_read(m, by));
}

/* The list reads "by" in the place of "v", but for loops over "v". */
static void rename_list(const struct fe_c_maker *m, struct fe_c_stmt *s,
	struct fe_c_var *v, struct fe_c_var *by)
{
	for (; s; s = s->next) {
		s->right = renamed(m, s->right, v, by);
		if (s->kind == FE_C_FOR && s->var == v)
			continue;
		for (int i = 0; s->left && i < s->left->n_index; i++)
			s->left->index[i] = renamed(m, s->left->index[i], v, by);
		s->cond = renamed(m, s->cond, v, by);
		s->by = renamed(m, s->by, v, by);
		rename_list(m, s->body, v, by);
		rename_list(m, s->otherwise, v, by);
	}
}

/* Each loop over "v" has a variable of its own, of which "v" has the value behind it. */
static void split(struct fe_unit *u, struct fe_c_stmt *s, struct fe_c_var *v)
{
	struct fe_c_maker m = { u, NULL };

	for (; s; s = s->next) {
		split(u, s->body, v);
		split(u, s->otherwise, v);
		if (s->kind != FE_C_FOR || s->var != v)
			continue;
		m.loc = &s->loc;
		s->var = fe_c_make_var(&m, v->name, v->type);
		s->var->n_loop = 1;
		v->n_loop--;
		s->cond = renamed(&m, s->cond, v, s->var);
		s->by = renamed(&m, s->by, v, s->var);
		rename_list(&m, s->body, v, s->var);
		s->next = fe_c_make_assign(&m, fe_c_make_read(&m, v),
			fe_c_make_read(&m, s->var), s->next);
	}
}

/* Split the variables of loops that data end which are read elsewhere, too; all loops over
 * one are split together. Data tell them then. Is there one?
 */
static bool split_some(struct fe_unit *u, const struct fe_c_told *data,
	struct fe_c_stmt *s)
{
	bool more = false;

	for (; s; s = s->next) {
		struct fe_c_var *v = s->var;

		if (s->kind == FE_C_FOR && v->id < data->n &&
		    (!fe_c_is_plain(data, s->cond) || leaves(data, s->body, false)) &&
		    fe_c_list_reads(u->c->body, v)) {
			split(u, u->c->body, v);
			data->has[v->id] = more = true;
		}
		more |= split_some(u, data, s->body);
		more |= split_some(u, data, s->otherwise);
	}
	return more;
}

/* Where a loop has ended may end others, in front of it, too, where loops are around both. */
static void split_variables(struct fe_unit *u, struct fe_c_told *data)
{
	while (split_some(u, data, u->c->body))
		find_data(data, u->c->body);
}

/* ---------------------------------------------------------------- going on */

/* "v" is where data have ended a loop that began with "first" and went up by 1: no less
 * than that, and, if that is "known", no more than "loop", what it was, would have made
 * of it.
 */
struct reached {
	struct fe_c_var *v;
	struct fe_c_expr *first;
	struct fe_c_stmt loop;
	bool known;
};

/* Is "e" no number, and may something change it? */
static bool may_change(const void *with, const struct fe_c_expr *e)
{
	(void)with;
	return e->kind == FE_C_ELEMENT || (e->var && (e->var->n_write ||
		e->var->n_loop));
}

/* Note where the loop that "loop" was has ended, if the statement behind it does. */
static void reach(struct reached *r, const struct fe_c_stmt *loop,
	const struct fe_c_stmt *behind)
{
	if (loop->step == 1 && behind && behind->kind == FE_C_ASSIGN &&
	    !behind->left->n_index && fe_c_reads(behind->right, loop->var) &&
	    !fe_c_any(loop->right, may_change, NULL))
		*r = (struct reached){ behind->left->var, loop->right, *loop,
			true };
}

static bool is_read(const struct fe_c_expr *e, const struct fe_c_var *v)
{
	e = fe_c_without_casts(e);
	return e->kind == FE_C_VAR && e->var == v;
}

/* Run the iterations of "loop" only that have "cond". */
static void ask_all(const struct fe_c_maker *m, struct fe_c_stmt *loop,
	struct fe_c_expr *cond)
{
	struct fe_c_stmt *s = fe_c_make_stmt(m, FE_C_IF, NULL);

	s->cond = cond;
	s->body = loop->body;
	loop->body = s;
}

/* The loop begins where data have ended another one: it begins where that did. */
static bool begin_before(struct fe_unit *u, const struct reached *r,
	struct fe_c_stmt *loop)
{
	const struct fe_c_maker m = { u, &loop->loc };

	if (!r->v || loop->step != 1 || !is_read(loop->right, r->v) ||
	    fe_c_writes(loop->body, r->v))
		return false;
	loop->right = fe_c_make_cast(&m, loop->right->type,
		fe_c_copy_expr(u, r->first));
	ask_all(&m, loop, fe_c_make_op(&m, POLY_OP_LE, POLY_I32,
		fe_c_make_cast(&m, POLY_I64, fe_c_make_read(&m, r->v)),
		fe_c_make_cast(&m, POLY_I64, fe_c_make_read(&m, loop->var))));
	return true;
}

/* The loop goes as far as data have let another one go: it goes as far as that could. */
static void end_behind(struct fe_unit *u, const struct reached *r,
	struct fe_c_stmt *loop)
{
	const struct fe_c_maker m = { u, &loop->loc };
	struct fe_c_expr *cond = loop->cond;
	int64_t first, other;

	if (!r->v || !r->known || loop->step != 1 || cond->kind != FE_C_OP ||
	    cond->op != POLY_OP_LT || !is_read(cond->arg[0], loop->var) ||
	    !is_read(cond->arg[1], r->v) || fe_c_writes(loop->body, r->v) ||
	    !fe_c_constant(r->first, &first) || first > 0 ||
	    !fe_c_constant(loop->right, &other) || other < 0)
		return;
	loop->cond = renamed(&m, r->loop.cond, r->loop.var, loop->var);
	ask_all(&m, loop, cond);
}

/* Behind the loop, which "was" so, "v" is not less than it was before. */
static void keep_larger(struct fe_unit *u, struct reached *r,
	const struct fe_c_stmt *was, struct fe_c_stmt *behind)
{
	const struct fe_c_maker m = { u, &behind->loc };
	struct fe_c_expr *old = fe_c_make_read(&m, r->v);

	r->known = r->known && fe_c_same(was->cond, renamed(&m, r->loop.cond,
		r->loop.var, was->var));

	behind->right = fe_c_make_choice(&m, fe_c_make_op(&m, POLY_OP_LT,
		POLY_I32, fe_c_make_cast(&m, POLY_I64, fe_c_copy_expr(u,
		behind->right)), fe_c_make_cast(&m, POLY_I64, old)),
		fe_c_make_cast(&m, behind->right->type, old), behind->right);
}

/* Does the statement give "v" a value? */
static bool sets(const struct fe_c_stmt *s, const struct fe_c_var *v)
{
	struct fe_c_stmt one = *s;

	one.next = NULL;
	return fe_c_writes(&one, v);
}

/* The loop "s" ends by data: it runs without a "break". "r" is what was reached before,
 * and becomes what is reached by it.
 */
static void walk_loop(struct fe_unit *u, struct fe_c_told *data, struct reached *r,
	struct fe_c_stmt *s)
{
	struct fe_c_stmt was, *behind = s->next;
	bool begins;

	ask_inside(u, data, s);
	was = *s;
	begins = begin_before(u, r, s);
	end_behind(u, r, s);
	if (leaves(data, s->body, false)) {
		fe_c_end_by_data(u, data, s);
		if (!begins && s->kind == FE_C_BLOCK)
			reach(r, &was, behind);
		find_data(data, u->c->body);
	}
	if (begins && behind && behind->kind == FE_C_ASSIGN &&
	    behind->left->var == r->v)
		keep_larger(u, r, &was, behind);
}

/* Loops inside first: what data make of their variables may end those around. */
static void walk(struct fe_unit *u, struct fe_c_told *data, struct fe_c_stmt *s)
{
	const struct fe_c_stmt *behind = NULL;
	struct reached r = { 0 };

	for (; s; s = s->next) {
		struct fe_c_var *v = s->var;
		bool active = v && v->active;

		if (r.v && s != behind && sets(s, r.v))
			r.v = NULL;
		if (v)
			v->active = true;
		walk(u, data, s->body);
		walk(u, data, s->otherwise);
		if (!v)
			continue;
		walk_loop(u, data, &r, s);
		behind = s->next;
		v->active = active;
	}
}

void fe_c_exits(struct fe_unit *u)
{
	struct fe_c_told data = { fe_c_set_copy(u, NULL), u->c->n_var };

	find_data(&data, u->c->body);
	split_variables(u, &data);
	walk(u, &data, u->c->body);
}
