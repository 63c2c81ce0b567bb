/* Affine conditions that are asked at each point, as sets of points would have too many
 * pieces. With each more, isl takes several times as long to make loops of them.
 *
 *	out a(i) for 0 <= i < N, i%3 != 1, i%5 != 1 = b(i);
 *
 *	a_def[i]	a[i] = i%5 != 1 ? b[i] : 0	on i%3 != 1
 *
 * What is checked is the definition with all of its conditions; the program has those that
 * are asked in its values.
 */
#include "frontend/index/tensor/tensor.h"

/* Pieces with divisions that the condition of a piece may have, and those of scopes, which
 * hold for sums, too: with four there, checks of lanes take minutes.
 */
enum { MOST_PIECES = 4, MOST_OF_SCOPES = 2 };

/* Find the affine comparisons in the condition "e" that are asked at each point.
 * One with a quotient or remainder makes two pieces of each one there, "*n" so
 * far: neither it nor its contrary is convex.
 */
static void ask_at_points(struct fe_scalar *e, int *n)
{
	if (fe_scalar_joins(e)) {
		for (int i = 0; i < e->n_arg; i++)
			ask_at_points(e->arg[i], n);
		for (int i = 0; i < e->n_arg; i++)
			e->data |= e->arg[i]->data;
	} else if (!e->data && fe_scalar_divides(e)) {
		e->data = e->asked = *n >= MOST_PIECES;
		*n *= 2;
	}
}

void fe_piece_ask(struct fe_scalar *condition)
{
	int pieces = 1;

	ask_at_points(condition, &pieces);
}

static bool has_index(const struct fe_scalar *e)
{
	bool any = e->kind == FE_S_INDEX;

	for (int i = 0; i < e->n_arg; i++)
		any |= has_index(e->arg[i]);
	return any;
}

/* Does "e" ask for a remainder of what differs from point to point? */
static bool has_rest(const struct fe_scalar *e)
{
	bool any = e->kind == FE_S_OP && e->op == POLY_OP_REM && has_index(e);

	for (int i = 0; i < e->n_arg; i++)
		any |= has_rest(e->arg[i]);
	return any;
}

/* How many pieces the condition "c" may make of one. An equation makes one, a stride,
 * if it holds: "holds". A quotient in a comparison is mostly a bound like any other.
 */
static int pieces_of(const struct fe_scalar *c, bool holds)
{
	int n = 1;

	if (!fe_scalar_joins(c))
		return has_rest(c) && !(holds && c->op == POLY_OP_EQ) ? 2 : 1;
	for (int i = 0; i < c->n_arg && n <= MOST_PIECES; i++)
		n *= pieces_of(c->arg[i], holds && c->op == POLY_OP_AND);
	return n;
}

static void ask(struct fe_scalar *e, void *user)
{
	(void)user;
	e->asked = true;
}

/* Conditions of scopes around this one cut its points, too. */
void fe_scope_ask(struct fe_scope *scope)
{
	int n = 1, more;

	for (const struct fe_scope *s = scope->outer; s; s = s->outer)
		for (const struct fe_scalar *c = s->condition; c; c = c->next)
			n *= c->asked ? 1 : pieces_of(c, true);
	for (struct fe_scalar *c = scope->condition; c; c = c->next) {
		more = pieces_of(c, true);
		if (more > 1 && n * more > MOST_OF_SCOPES)
			fe_scalar_each(c, ask, NULL);
		else
			n *= more;
	}
}

bool fe_scope_asks(const struct fe_scope *scope)
{
	const struct fe_scalar *c = scope->condition;

	while (c && !c->asked)
		c = c->next;
	return c != NULL;
}
