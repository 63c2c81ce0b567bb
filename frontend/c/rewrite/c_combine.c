/* Updates of one cell, one behind another, as one statement.
 *
 * What a later update makes of the cell is made of what the earlier one has made, if
 * nothing between them asks for it:
 *
 *	s += a[i];
 *	b[i] = c[i] + d[i];	b[i] = c[i] + d[i];
 *	s += b[i];		s = (s + a[i]) + b[i];
 *
 * Each operation is rounded as before. One statement can be an update that may be made
 * in any order (polyir/prepare/update.c), where two depend on one another. A statement
 * under a condition joins as the choice between the new value and the old one.
 */
#include "frontend/c/rewrite/rewrite.h"

/* So many operations at most join. */
enum { MOST = 64 };

/* ----------------------------------------------------------------- expressions */

/* How many nodes "e" has. */
static int count(const struct fe_c_expr *e)
{
	int n = 1;

	for (int i = 0; i < 3 && e->arg[i]; i++)
		n += count(e->arg[i]);
	for (int i = 0; i < e->n_index; i++)
		n += count(e->index[i]);
	return n;
}

/* How often "e" has "cell". */
static int count_cell(const struct fe_c_expr *e, const struct fe_c_expr *cell)
{
	int n = 0;

	if (fe_c_same(e, cell))
		return 1;
	for (int i = 0; i < 3 && e->arg[i]; i++)
		n += count_cell(e->arg[i], cell);
	for (int i = 0; i < e->n_index; i++)
		n += count_cell(e->index[i], cell);
	return n;
}

/* ------------------------------------------------------------------ statements */

/* The only statement in blocks, or NULL. */
static const struct fe_c_stmt *only(const struct fe_c_stmt *s)
{
	s = fe_c_inside(s);
	return s && !s->next ? s : NULL;
}

/* The assignment that "s" is, or guards and does nothing besides; NULL: none. */
static const struct fe_c_stmt *assignment(const struct fe_c_stmt *s)
{
	if (s->kind == FE_C_IF && !s->otherwise)
		s = only(s->body);
	return s && s->kind == FE_C_ASSIGN && !s->declares && !s->begins ?
		s : NULL;
}

/* Is "e" made of "cell", which is nowhere else in it, by operators of updates alone? */
static bool is_chain(const struct fe_c_expr *e, const struct fe_c_expr *cell)
{
	bool second;

	if (fe_c_same(e, cell))
		return true;
	if (e->kind == FE_C_CAST)
		return !poly_type_is_float(e->type) &&
			!poly_type_is_float(e->arg[0]->type) &&
			is_chain(e->arg[0], cell);
	if (e->kind == FE_C_COND)
		return !fe_c_reads(e->arg[0], cell->var) &&
			is_chain(e->arg[1], cell) && is_chain(e->arg[2], cell);
	if (e->kind != FE_C_OP || !e->arg[1] || e->arg[2] ||
	    (e->op != POLY_OP_ADD && e->op != POLY_OP_SUB &&
	     e->op != POLY_OP_MUL && e->op != POLY_OP_AND &&
	     e->op != POLY_OP_OR && e->op != POLY_OP_XOR))
		return false;
	second = !fe_c_reads(e->arg[0], cell->var);
	return !(second && e->op == POLY_OP_SUB) &&
		!fe_c_reads(e->arg[!second], cell->var) &&
		is_chain(e->arg[second], cell);
}

/* May "s" join others: an update of a cell, which no subscript and no condition
 * reads?
 */
static bool is_update(const struct fe_c_stmt *s)
{
	const struct fe_c_stmt *a = assignment(s);

	if (!a || fe_c_same(a->right, a->left) ||
	    !is_chain(a->right, a->left) ||
	    (s->kind == FE_C_IF && (fe_c_reads(s->cond, a->left->var) ||
	    fe_c_affine_cond(s->cond, true))))
		return false;
	for (int i = 0; i < a->left->n_index; i++)
		if (fe_c_reads(a->left->index[i], a->left->var))
			return false;
	return true;
}

/* Does the assignment "a" write what "s" reads, or read or write what "s" writes? */
static bool meet(const struct fe_c_stmt *a, const struct fe_c_stmt *s)
{
	const struct fe_c_stmt *as = assignment(s);

	return fe_c_reads(as->right, a->left->var) ||
		fe_c_reads(as->left, a->left->var) ||
		(s->kind == FE_C_IF && fe_c_reads(s->cond, a->left->var)) ||
		fe_c_reads(a->left, as->left->var) ||
		fe_c_reads(a->right, as->left->var);
}

/* The update behind "s" of the same cell by the same kind of operator, with nothing
 * between them but assignments that neither needs; NULL: there is none.
 */
static struct fe_c_stmt *partner(const struct fe_c_stmt *s)
{
	const struct fe_c_stmt *first = assignment(s), *then;
	struct fe_c_stmt *t;

	for (t = s->next; t; t = t->next) {
		then = assignment(t);
		if (then && fe_c_same(then->left, first->left))
			return is_update(t) && count(first->right) *
				count_cell(then->right, then->left) +
				count(then->right) <= MOST ? t : NULL;
		if (t->kind == FE_C_BLOCK && !t->body)
			continue;
		if (t->kind != FE_C_ASSIGN || meet(t, s))
			return NULL;
	}
	return NULL;
}

/* What the cell holds behind "s" as an expression. */
static struct fe_c_expr *value_of(struct fe_unit *u, const struct fe_c_stmt *s)
{
	const struct fe_c_stmt *a = assignment(s);
	struct fe_c_expr *e;

	if (s->kind != FE_C_IF)
		return a->right;
	e = fe_c_make(u, FE_C_COND, a->left->type, &s->loc);
	e->arg[0] = s->cond;
	e->arg[1] = a->right;
	e->arg[2] = a->left;
	return e;
}

/* Let "then" do what "s" does, too, which then does nothing. */
static void join(struct fe_unit *u, struct fe_c_stmt *s,
	struct fe_c_stmt *then)
{
	const struct fe_c_stmt *a = assignment(then);
	struct fe_c_stmt all = *a;

	all.right = fe_c_put(u, value_of(u, then), a->left, value_of(u, s));
	all.next = then->next;
	a->left->var->n_write--;
	*then = all;
	*s = (struct fe_c_stmt) { .next = s->next, .kind = FE_C_BLOCK,
		.loc = s->loc };
}

/* Join the updates of a list of statements; "in" loops, whose variables are active.
 * Nothing of the kind is done where no loop is around: one statement is one kernel
 * then.
 */
static void walk(struct fe_unit *u, struct fe_c_stmt *s, bool in)
{
	struct fe_c_stmt *then;
	bool active;

	for (; s; s = s->next) {
		active = s->var && s->var->active;
		if (s->kind == FE_C_FOR)
			s->var->active = true;
		walk(u, s->body, in || s->kind == FE_C_FOR);
		walk(u, s->otherwise, in);
		if (s->kind == FE_C_FOR)
			s->var->active = active;
		then = in && is_update(s) ? partner(s) : NULL;
		if (then)
			join(u, s, then);
	}
}

void fe_c_combine(struct fe_unit *u)
{
	walk(u, u->c->body, false);
}
