/* What only the last turn of a loop leaves, of those that data choose.
 *
 *	for (i)				last = none;
 *		if (a[i] < 0)		for (i) last = max(last, a[i] < 0 ? i : none);
 *			k = i;		k = last == none ? k : last;
 *
 * Elements whose number is data have a last turn each:
 *
 *	for (i)				for (j) last[j] = none;
 *		a[k[i]] = b[i];		for (i) last[k[i]] = max(last[k[i]], i);
 *					for (j) a[j] = last[j] == none ? a[j] : b[last[j]];
 *
 * Which turn is the last may be found in any order. The values, which nothing in the loop
 * needs or changes, are then computed once. Where the loop reads behind the condition what
 * that gives, the last turn up to each one is a scan, and each turn computes the value:
 *
 *	for (i) {			last = none; old = v;
 *		if (a[i] > 0)		for (i) { last = max(last, ..); at[i] = last; }
 *			v = d[i];	for (i) {
 *		b[i] = v * c[i];		v = at[i] == none ? old : d[at[i]];
 *	}					b[i] = v * c[i];
 *					}
 */
#include "frontend/c/rewrite/make.h"
#include "frontend/c/rewrite/rewrite.h"

/* Assignments that are made together. */
enum { MOST_SET = 8 };

/* In the turns that "cond" chooses, or in all if it is NULL, "set" are made. */
struct chosen {
	struct fe_c_maker m;
	const struct fe_c_stmt *loop;
	const struct fe_c_expr *cond;
	const struct fe_c_stmt *set[MOST_SET];
	int n_set;
	bool reads;		/* the loop reads them behind the condition */
	struct fe_c_var *last, *at, *old[MOST_SET];
};

/* --------------------------------------------------------------------- the form */

/* Does the loop leave "e" alone, so that it may be asked for behind it? */
static bool is_kept(const struct chosen *x, const struct fe_c_expr *e)
{
	return !fe_c_changes(x->loop, e) && fe_c_known_later(x->loop, e);
}

/* Has the loop "v" in "s", and else only behind it, without a new value? "s" is of the list
 * of the loop itself; "reads" tells whether it is there at all.
 */
static bool is_before_others(const struct chosen *x, const struct fe_c_stmt *s,
	const struct fe_c_var *v, bool *reads)
{
	const struct fe_c_stmt *list = fe_c_inside(x->loop->body), *t = list;

	if (!fe_c_has_others(x->loop->body, s, v))
		return true;
	*reads = true;
	while (t && t != s)
		t = t->next;
	for (; list && list != t; list = list->next) {
		struct fe_c_stmt one = *list;

		one.next = NULL;
		if (fe_c_has_others(&one, s, v))
			return false;
	}
	return t && !fe_c_writes(t->next, v);
}

/* Does the loop count from 0 by 1 to an end that it does not change? */
static bool counts_up(const struct chosen *x)
{
	const struct fe_c_expr *cond = x->loop->cond;
	int64_t begin;

	return x->loop->step == 1 && fe_c_constant(x->loop->right, &begin) &&
		!begin && cond->kind == FE_C_OP && cond->op == POLY_OP_LT &&
		cond->arg[0]->kind == FE_C_VAR &&
		cond->arg[0]->var == x->loop->var &&
		fe_c_affine(cond->arg[1], true) &&
		!fe_c_changes(x->loop, cond->arg[1]);
}

/* Is "left" a scalar that the loop does not declare, and which it has in "s" alone, or
 * reads behind that?
 */
static bool is_left(struct chosen *x, const struct fe_c_stmt *s,
	const struct fe_c_stmt *set)
{
	const struct fe_c_var *v;

	if (set->kind != FE_C_ASSIGN || set->declares || set->begins ||
	    set->left->n_index || set->left->type == POLY_BOOL)
		return false;
	v = set->left->var;
	if (v->n_loop || fe_c_is_born_in(x->loop->body, v) ||
	    !is_before_others(x, s, v, &x->reads))
		return false;
	for (int i = 0; i < x->n_set; i++)
		if (x->set[i]->left->var == v)
			return false;
	return is_kept(x, set->right);
}

/* Is "s" a condition on data under which scalars get values? */
static bool chooses(struct chosen *x, const struct fe_c_stmt *s)
{
	const struct fe_c_stmt *set;

	if (s->kind != FE_C_IF || s->otherwise || fe_c_affine_cond(s->cond, true) ||
	    fe_c_changes(x->loop, s->cond))
		return false;
	x->cond = s->cond;
	for (set = fe_c_inside(s->body); set; set = set->next) {
		if (x->n_set == MOST_SET || !is_left(x, s, set))
			return false;
		x->set[x->n_set++] = set;
	}
	return x->n_set > 0 && (!x->reads || counts_up(x));
}

/* Does "s" give an element whose number is data a value, perhaps under a condition? */
static bool scatters(struct chosen *x, const struct fe_c_stmt *s)
{
	const struct fe_c_stmt *set = s;
	const struct fe_c_expr *left;

	if (s->kind == FE_C_IF && !s->otherwise) {
		x->cond = s->cond;
		set = fe_c_inside(s->body);
	}
	if (!set || set->kind != FE_C_ASSIGN || (set != s && set->next) ||
	    set->begins || set->left->n_index != 1)
		return false;
	left = set->left;
	x->set[x->n_set++] = set;
	return !fe_c_affine(left->index[0], true) && left->var->dim[0] &&
		fe_c_reads(left->index[0], x->loop->var) &&
		!poly_type_is_float(left->index[0]->type) &&
		left->type != POLY_BOOL &&
		is_kept(x, left->index[0]) && is_kept(x, set->right) &&
		(!x->cond || !fe_c_changes(x->loop, x->cond)) &&
		!fe_c_has_others(x->loop->body, s, left->var) &&
		!fe_c_reads(set->right, left->var) &&
		!fe_c_reads(left->index[0], left->var) &&
		(!x->cond || !fe_c_reads(x->cond, left->var));
}

/* ------------------------------------------------------------------ statements */

/* No turn. */
static struct fe_c_expr *none(const struct chosen *x)
{
	return fe_c_make_int(&x->m, POLY_I64, INT64_MIN);
}

/* A loop over "to" let it become the turn, if that is later, where "cond" holds; before
 * "next".
 */
static struct fe_c_stmt *find_last(const struct chosen *x, struct fe_c_expr *to,
	struct fe_c_stmt *next)
{
	struct fe_c_expr *turn = fe_c_make_cast(&x->m, POLY_I64,
		fe_c_make_read(&x->m, x->loop->var)), *later;

	if (x->cond)
		turn = fe_c_make_choice(&x->m, fe_c_copy_expr(x->m.u, x->cond),
			turn, none(x));
	later = fe_c_make_op(&x->m, POLY_OP_LT, POLY_I32, to, turn);
	later = fe_c_make_choice(&x->m, later, fe_c_copy_expr(x->m.u, turn),
		fe_c_copy_expr(x->m.u, to));
	return fe_c_make_loop(&x->m, x->loop, fe_c_make_assign(&x->m, to, later,
		NULL), next);
}

/* "left" becomes what "set" gives it in the turn "last", or "old" if there is none. */
static struct fe_c_stmt *take_or(const struct chosen *x, const struct fe_c_stmt *set,
	struct fe_c_expr *left, struct fe_c_expr *last, struct fe_c_expr *old,
	struct fe_c_stmt *next)
{
	const struct fe_c_expr *i = fe_c_make_read(&x->m, x->loop->var);
	struct fe_c_expr *e = fe_c_put(x->m.u, set->right, i, fe_c_make_cast(
		&x->m, i->type, last)), *is_none;

	is_none = fe_c_make_op(&x->m, POLY_OP_EQ, POLY_I32, fe_c_copy_expr(
		x->m.u, last), none(x));
	return fe_c_make_assign(&x->m, left, fe_c_make_choice(&x->m, is_none, old,
		fe_c_make_cast(&x->m, left->type, e)), next);
}

static struct fe_c_stmt *take(const struct chosen *x, const struct fe_c_stmt *set,
	struct fe_c_expr *left, struct fe_c_expr *last, struct fe_c_stmt *next)
{
	return take_or(x, set, left, last, fe_c_copy_expr(x->m.u, left), next);
}

/* What stands for scalars that are set. */
static struct fe_c_stmt *scalars(struct chosen *x)
{
	struct fe_c_expr *last;
	struct fe_c_stmt *s = NULL;

	x->last = fe_c_make_var(&x->m, "last", POLY_I64);
	last = fe_c_make_read(&x->m, x->last);
	for (int i = x->n_set - 1; i >= 0; i--)
		s = take(x, x->set[i], x->set[i]->left, last, s);
	s = fe_c_make_assign(&x->m, last, none(x), find_last(x, last, s));
	s->declares = true;
	return s;
}

/* What stands in the loop in the place of "s", of which what is in front of the loop tells
 * the last turn.
 */
static struct fe_c_stmt *each_turn(struct chosen *x)
{
	struct fe_c_stmt *s = NULL;

	for (int i = x->n_set - 1; i >= 0; i--)
		s = take_or(x, x->set[i], x->set[i]->left, fe_c_make_element(
			&x->m, x->at, fe_c_make_read(&x->m, x->loop->var)),
			fe_c_make_read(&x->m, x->old[i]), s);
	return s;
}

/* What stands in front of the loop, before "next". */
static struct fe_c_stmt *scan(struct chosen *x, struct fe_c_stmt *next)
{
	struct fe_c_expr *last;
	struct fe_c_stmt *s;

	x->last = fe_c_make_var(&x->m, "last", POLY_I64);
	x->at = fe_c_make_var(&x->m, "at", POLY_I64);
	x->at->n_dim = 1;
	x->at->dim[0] = fe_c_copy_expr(x->m.u, x->loop->cond->arg[1]);
	last = fe_c_make_read(&x->m, x->last);
	s = find_last(x, last, next);
	s->body->next = fe_c_make_assign(&x->m, fe_c_make_element(&x->m, x->at,
		fe_c_make_read(&x->m, x->loop->var)), fe_c_copy_expr(x->m.u,
		last), NULL);
	s = fe_c_make_assign(&x->m, last, none(x), s);
	s->declares = true;
	for (int i = 0; i < x->n_set; i++) {
		struct fe_c_expr *left = x->set[i]->left;

		x->old[i] = fe_c_make_var(&x->m, "old", left->type);
		s = fe_c_make_assign(&x->m, fe_c_make_read(&x->m, x->old[i]),
			fe_c_copy_expr(x->m.u, left), s);
		s->declares = true;
	}
	return s;
}

/* A loop over the elements of the array, around "body", before "next". */
static struct fe_c_stmt *over_elements(const struct chosen *x,
	struct fe_c_stmt *body, struct fe_c_stmt *next)
{
	struct fe_c_stmt *s = fe_c_make_stmt(&x->m, FE_C_FOR, next);

	s->var = x->at;
	s->right = fe_c_make_int(&x->m, POLY_I64, 0);
	s->cond = fe_c_make_op(&x->m, POLY_OP_LT, POLY_I32, fe_c_make_read(&x->m,
		x->at), fe_c_make_cast(&x->m, POLY_I64, fe_c_copy_expr(x->m.u,
		x->set[0]->left->var->dim[0])));
	s->step = 1;
	s->body = body;
	x->at->n_loop++;
	return s;
}

/* What stands for elements that are set. */
static struct fe_c_stmt *elements(struct chosen *x)
{
	const struct fe_c_expr *left = x->set[0]->left;
	struct fe_c_expr *to, *from;
	struct fe_c_stmt *s;

	x->last = fe_c_make_var(&x->m, left->var->name, POLY_I64);
	x->at = fe_c_make_var(&x->m, "at", POLY_I64);
	x->last->n_dim = 1;
	x->last->dim[0] = fe_c_copy_expr(x->m.u, left->var->dim[0]);
	from = fe_c_make_element(&x->m, x->last, fe_c_make_read(&x->m, x->at));
	to = fe_c_make_element(&x->m, left->var, fe_c_make_read(&x->m, x->at));
	s = over_elements(x, take(x, x->set[0], to, from, NULL), NULL);
	s = find_last(x, fe_c_make_element(&x->m, x->last, fe_c_copy_expr(x->m.u,
		left->index[0])), s);
	return over_elements(x, fe_c_make_assign(&x->m, fe_c_copy_expr(x->m.u,
		from), none(x), NULL), s);
}

/* --------------------------------------------------------------------- the walk */

/* Make "s" nothing, and put what stands for it behind the loop. */
static void replace(struct chosen *x, struct fe_c_stmt *loop, struct fe_c_stmt *s,
	bool is_scatter)
{
	struct fe_c_stmt *block = fe_c_make_stmt(&x->m, FE_C_BLOCK, loop->next);
	int first = x->m.u->c->n_var;

	block->body = is_scatter ? elements(x) : scalars(x);
	block->first_id = first;
	block->n_id = x->m.u->c->n_var - first;
	loop->next = block;
	for (int i = 0; i < x->n_set; i++)
		x->set[i]->left->var->n_write--;
	*s = (struct fe_c_stmt){ .next = s->next, .kind = FE_C_BLOCK,
		.loc = s->loc };
}

/* Put the values of each turn in the place of "s", and the loop into a block behind what
 * tells them.
 */
static void replace_each(struct chosen *x, struct fe_c_stmt *loop,
	struct fe_c_stmt *s)
{
	struct fe_c_stmt *inner = fe_c_make_stmt(&x->m, FE_C_FOR, NULL), block;
	int first = x->m.u->c->n_var;

	*inner = *loop;
	inner->next = NULL;
	x->loop = inner;
	block = *fe_c_make_stmt(&x->m, FE_C_BLOCK, loop->next);
	block.body = scan(x, inner);
	block.first_id = first;
	block.n_id = x->m.u->c->n_var - first;
	for (int i = 0; i < x->n_set; i++)
		x->set[i]->left->var->n_write--;
	*s = (struct fe_c_stmt){ .next = s->next, .kind = FE_C_BLOCK,
		.loc = s->loc, .body = each_turn(x) };
	*loop = block;
}

/* Replace what has a last turn among the statements of the loop. */
static void walk_body(struct fe_unit *u, struct fe_c_stmt *loop,
	struct fe_c_stmt *s)
{
	for (; s && loop->kind == FE_C_FOR; s = s->next) {
		struct chosen x = { .m = { u, &s->loc }, .loop = loop };
		struct chosen y = x;

		bool is = s->kind != FE_C_BLOCK && chooses(&x, s);

		if (s->kind == FE_C_BLOCK)
			walk_body(u, loop, s->body);
		else if (is && x.reads)
			replace_each(&x, loop, s);
		else if (is)
			replace(&x, loop, s, false);
		else if (scatters(&y, s))
			replace(&y, loop, s, true);
	}
}

/* Variables of loops around are active, so that conditions on them are known to be
 * affine.
 */
static void walk(struct fe_unit *u, struct fe_c_stmt *s)
{
	for (; s; s = s->next) {
		bool active = s->var && s->var->active;

		if (s->kind == FE_C_FOR)
			s->var->active = true;
		walk(u, s->body);
		walk(u, s->otherwise);
		if (s->kind == FE_C_FOR && s->step > 0 && !s->breaks && !s->asks)
			walk_body(u, s, s->body);
		if (s->kind == FE_C_FOR)
			s->var->active = active;
	}
}

void fe_c_last_turns(struct fe_unit *u)
{
	walk(u, u->c->body);
}
