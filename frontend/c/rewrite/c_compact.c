/* Elements that a condition keeps, one behind another.
 *
 *	k = 0;
 *	for (i = 0; i < n; i++)
 *		if (a[i] > 0)
 *			b[k++] = a[i];
 *
 * How many are kept up to each element is a scan, which tells where each of them goes.
 * The others fill the array from its end on, so that each has a place of its own, whatever
 * the data, and none waits for the count of all:
 *
 *	count = 0;
 *	for (i) { if (a[i] > 0) count++; upto[i] = count; }
 *	for (i) kept[a[i] > 0 ? upto[i] - 1 : n - 1 - i + upto[i]] = a[i];
 *	for (j = 0; j < n; j++)
 *		if (j < count)
 *			b[j] = kept[j];
 *	k = count;
 *
 * The count may as well stand in front of what is filled, "b[++k] = a[i]".
 *
 * It is done where the place of the first one is a number that stands before the loop,
 * where the loop counts from 0 by 1, and where nothing else reads or writes "b" or
 * "k" in it.
 */
#include <string.h>

#include "frontend/c/rewrite/make.h"
#include "frontend/c/rewrite/rewrite.h"

/* Arrays that are filled together. */
enum { MOST_FILLED = 8 };

/* A loop that does that: under "cond", "fill" writes elements at "place", which one of
 * the assignments then counts up, or did before if it is "early"; the first element that
 * is filled is "first".
 */
struct compact {
	struct fe_c_maker m;
	const struct fe_c_stmt *loop;
	const struct fe_c_expr *cond, *place;
	const struct fe_c_stmt *fill[MOST_FILLED];
	int n_fill;
	bool early;
	int64_t first;
	struct fe_c_var *count, *upto;
	enum poly_type type;		/* of counts */
};

/* ---------------------------------------------------------------------- the form */

/* Is "s" the assignment "v = v + 1"? */
static bool counts(const struct fe_c_stmt *s)
{
	enum poly_op op;
	const struct fe_c_expr *by;
	int64_t value;

	if (s->kind != FE_C_ASSIGN || s->left->n_index ||
	    poly_type_is_float(s->left->type) || s->left->type == POLY_BOOL)
		return false;
	by = fe_c_update(s, &op);
	return by && op == POLY_OP_ADD && fe_c_constant(by, &value) &&
		value == 1;
}

/* Has the array of "s" room for as many elements as the loop has turns, from the first
 * one on?
 */
static bool has_room(const struct compact *x, const struct fe_c_stmt *s)
{
	const struct fe_c_expr *end = fe_c_without_casts(
		x->loop->cond->arg[1]);
	const struct fe_c_expr *dim = fe_c_without_casts(s->left->var->dim[0]);
	int64_t turns, room;

	return (!x->first && fe_c_same(end, dim)) || (fe_c_known(end, &turns) &&
		fe_c_known(dim, &room) && x->first + turns <= room);
}

/* Is "s" the assignment of an element at the place that is counted? */
static bool fills(const struct compact *x, const struct fe_c_stmt *s)
{
	return s->kind == FE_C_ASSIGN && s->left->n_index == 1 &&
		s->left->var->dim[0] && fe_c_same(fe_c_without_casts(
		s->left->index[0]), x->place);
}

/* Does the loop count from 0 by 1 to an end that it does not change? */
static bool counts_up(const struct compact *x)
{
	const struct fe_c_stmt *s = x->loop;
	int64_t begin;

	return s->step == 1 && !s->breaks && !s->asks &&
		fe_c_constant(s->right, &begin) && !begin &&
		s->cond->kind == FE_C_OP && s->cond->op == POLY_OP_LT &&
		s->cond->arg[0]->kind == FE_C_VAR &&
		s->cond->arg[0]->var == s->var &&
		!fe_c_changes(s, s->cond->arg[1]);
}

/* Read the assignments that the condition guards: the last one counts, or the first. */
static bool read_list(struct compact *x, const struct fe_c_stmt *list)
{
	const struct fe_c_stmt *last = list, *s;

	x->early = list && list->next && counts(list);
	while (last && last->next)
		last = last->next;
	if (!last || last == list || (!x->early && !counts(last)))
		return false;
	x->place = x->early ? list->left : last->left;
	for (s = x->early ? list->next : list; s && (x->early || s != last);
	     s = s->next) {
		if (x->n_fill == MOST_FILLED || !fills(x, s) ||
		    fe_c_changes(x->loop, s->right))
			return false;
		for (int i = 0; i < x->n_fill; i++)
			if (x->fill[i]->left->var == s->left->var)
				return false;
		x->fill[x->n_fill++] = s;
	}
	return !fe_c_changes(x->loop, x->cond);
}

/* The value of the place before the loop, which "list" has, if a statement in front of
 * it says so; false if it is not known.
 */
static bool find_first(struct compact *x, const struct fe_c_stmt *list)
{
	const struct fe_c_stmt *s;
	bool known = false;

	for (s = list; s && s != x->loop; s = s->next) {
		struct fe_c_stmt one = *s;

		one.next = NULL;
		if (s->kind == FE_C_ASSIGN && fe_c_same(s->left, x->place))
			known = fe_c_constant(s->right, &x->first) &&
				(x->first += x->early) >= 0 &&
				x->first < 1 << 30;
		else if (fe_c_writes(&one, x->place->var))
			known = false;
	}
	return known;
}

/* Is the loop of "x", in "list", one that keeps elements and does nothing else? */
static bool read_form(struct compact *x, const struct fe_c_stmt *list)
{
	const struct fe_c_stmt *s = fe_c_inside(x->loop->body);

	if (!s || s->next || s->kind != FE_C_IF || s->otherwise ||
	    fe_c_affine_cond(s->cond, true))
		return false;
	x->cond = s->cond;
	if (!read_list(x, fe_c_inside(s->body)) || !counts_up(x) ||
	    !find_first(x, list))
		return false;
	for (int i = 0; i < x->n_fill; i++)
		if (!has_room(x, x->fill[i]))
			return false;
	return true;
}

/* -------------------------------------------------------------------- statements */

/* A new array with as many elements as the loop has turns. */
static struct fe_c_var *add_array(const struct compact *x, const char *name,
	enum poly_type type)
{
	struct fe_c_var *v = fe_c_make_var(&x->m, name, type);

	v->n_dim = 1;
	v->dim[0] = fe_c_copy_expr(x->m.u, x->loop->cond->arg[1]);
	return v;
}

static struct fe_c_expr *turn(const struct compact *x)
{
	return fe_c_make_cast(&x->m, POLY_I64, fe_c_make_read(&x->m,
		x->loop->var));
}

static struct fe_c_expr *element(const struct compact *x, struct fe_c_var *v)
{
	return fe_c_make_element(&x->m, v, fe_c_make_read(&x->m, x->loop->var));
}

/* The type of counts: 32 bits hold them where they hold the number of turns. */
static enum poly_type count_type(const struct compact *x)
{
	const struct fe_c_expr *end = x->loop->cond->arg[1];

	while (end->kind == FE_C_CAST && end->type == POLY_I64)
		end = end->arg[0];
	return end->type == POLY_I32 ? POLY_I32 : POLY_I64;
}

static struct fe_c_expr *in_i64(const struct compact *x, struct fe_c_expr *count)
{
	return fe_c_make_cast(&x->m, POLY_I64, count);
}

static struct fe_c_expr *cond(const struct compact *x)
{
	return fe_c_copy_expr(x->m.u, x->cond);
}

/* Count, and note the count behind each turn. */
static struct fe_c_stmt *counting(const struct compact *x,
	struct fe_c_stmt *next)
{
	const struct fe_c_maker *m = &x->m;
	struct fe_c_expr *count = fe_c_make_read(m, x->count), *more;
	struct fe_c_stmt *s;

	more = fe_c_make_choice(m, cond(x), fe_c_make_int(m, x->type, 1),
		fe_c_make_int(m, x->type, 0));
	s = fe_c_make_assign(m, element(x, x->upto), count, NULL);
	s = fe_c_make_assign(m, count, fe_c_make_op(m, POLY_OP_ADD, x->type,
		count, more), s);
	s = fe_c_make_loop(m, x->loop, s, next);
	s = fe_c_make_assign(m, count, fe_c_make_int(m, x->type, 0), s);
	s->declares = true;
	return s;
}

/* Put the values of "fill" where they go in "kept". */
static struct fe_c_stmt *keeping(const struct compact *x,
	const struct fe_c_stmt *fill, struct fe_c_var *kept,
	struct fe_c_stmt *next)
{
	const struct fe_c_maker *m = &x->m;
	struct fe_c_expr *last = fe_c_make_op(m, POLY_OP_SUB, POLY_I64,
		fe_c_make_cast(m, POLY_I64, fe_c_copy_expr(m->u,
		x->loop->cond->arg[1])), fe_c_make_int(m, POLY_I64, 1));
	struct fe_c_expr *at = fe_c_make_op(m, POLY_OP_SUB, POLY_I64, in_i64(x,
		element(x, x->upto)), fe_c_make_int(m, POLY_I64, 1)), *behind;

	behind = fe_c_make_op(m, POLY_OP_ADD, POLY_I64, fe_c_make_op(m,
		POLY_OP_SUB, POLY_I64, last, turn(x)), in_i64(x, element(x,
		x->upto)));
	at = fe_c_make_choice(m, cond(x), at, behind);
	return fe_c_make_loop(m, x->loop, fe_c_make_assign(m, element(x, kept),
		fe_c_make_op(m, POLY_OP_SCATTER, kept->type, fe_c_make_cast(m,
		kept->type, fe_c_copy_expr(m->u, fill->right)), at), NULL),
		next);
}

/* Copy what was kept to the array of "fill". */
static struct fe_c_stmt *copying(const struct compact *x,
	const struct fe_c_stmt *fill, struct fe_c_var *kept,
	struct fe_c_stmt *next)
{
	const struct fe_c_maker *m = &x->m;
	struct fe_c_expr *to, *at = turn(x);
	struct fe_c_stmt *s;

	if (x->first)
		at = fe_c_make_op(m, POLY_OP_ADD, POLY_I64, at,
			fe_c_make_int(m, POLY_I64, x->first));
	to = fe_c_make_element(m, fill->left->var, at);
	s = fe_c_make_stmt(m, FE_C_IF, NULL);
	s->cond = fe_c_make_op(m, POLY_OP_LT, POLY_I32, turn(x), in_i64(x,
		fe_c_make_read(m, x->count)));
	s->body = fe_c_make_assign(m, to, element(x, kept), NULL);
	return fe_c_make_loop(m, x->loop, s, next);
}

/* --------------------------------------------------------------------- the walk */

/* Put what stands for the loop in its place. */
static void replace(struct compact *x, struct fe_c_stmt *loop)
{
	const struct fe_c_maker *m = &x->m;
	struct fe_c_var *kept[MOST_FILLED];
	struct fe_c_stmt *s = NULL, all;
	struct fe_c_expr *end;

	x->type = count_type(x);
	x->count = fe_c_make_var(m, "count", x->type);
	x->upto = add_array(x, "upto", x->type);
	for (int i = 0; i < x->n_fill; i++)
		kept[i] = add_array(x, "kept", x->fill[i]->left->type);
	end = fe_c_make_op(m, POLY_OP_ADD, POLY_I64, in_i64(x, fe_c_make_read(m,
		x->count)), fe_c_make_int(m, POLY_I64, x->first - x->early));
	s = fe_c_make_assign(m, x->place, end, NULL);
	for (int i = x->n_fill - 1; i >= 0; i--) {
		s = copying(x, x->fill[i], kept[i], s);
		s = keeping(x, x->fill[i], kept[i], s);
	}
	all = *fe_c_make_stmt(m, FE_C_BLOCK, loop->next);
	all.body = counting(x, s);
	all.first_id = x->count->id;
	all.n_id = x->m.u->c->n_var - x->count->id;
	*loop = all;
}

/* Replace what has the form in "list", and in what that holds. Variables of loops
 * around are active, so that conditions on them are known to be affine.
 */
static void walk(struct fe_unit *u, struct fe_c_stmt *list)
{
	for (struct fe_c_stmt *s = list; s; s = s->next) {
		struct compact x = { .m = { u, &s->loc }, .loop = s };
		struct fe_c_var *v = s->kind == FE_C_FOR ? s->var : NULL;
		bool active = v && v->active;

		if (v)
			v->active = true;
		if (v && read_form(&x, list)) {
			replace(&x, s);
		} else {
			walk(u, s->body);
			walk(u, s->otherwise);
		}
		if (v)
			v->active = active;
	}
}

void fe_c_compact(struct fe_unit *u)
{
	walk(u, u->c->body);
}
