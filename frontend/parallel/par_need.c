/* Data-parallel functions: what must hold of lengths and positions.
 *
 * What follows from the loops around needs nothing. Lengths of parameters that have
 * to agree become one size. What only the sizes decide becomes an assumption of the
 * program; what no sizes meet is an error.
 *
 * Needs are collected during evaluation and become assumptions at its end, when
 * -D and agreeing lengths are known. Each has the place in the text where it
 * comes from.
 *
 *	zip_with(+, xs, ys)	length xs = length ys: one size from then on
 *	xs[i + 1]	i + 1 < length xs for the last i: an assumption
 *	range(n - 3)	n - 3 >= 0: an assumption
 */
#include <stdlib.h>

#include "frontend/parallel/par_eval.h"

/* Back to where par_unit.c or par_split.c began, which give up the program: something has
 * been reported.
 */
_Noreturn void fe_par_stop(struct fe_par *p)
{
	longjmp(p->stop, 1);
}

/* Append a need, yet empty, that is to be met at "loc".
 *
 * Lists go in the order of the text.
 */
static struct fe_par_need *add_need(struct fe_par *p, const struct poly_loc *loc)
{
	struct fe_par_need *need = fe_arena_alloc(&p->unit->arena,
		sizeof(*need));

	need->loc = *loc;
	*p->need_tail = need;
	p->need_tail = &need->next;
	return need;
}

/* Note that the sizes in "f" have to be sizes.
 *
 * A size that nothing needs is no parameter of the program.
 */
static void use_sizes(struct fe_par *p, const struct fe_par_form *f)
{
	struct fe_par_size *size;
	int k;

	for (k = 0; k < f->n; k++)
		if ((size = fe_par_find_size(p, f->term[k].symbol)))
			size->needed = true;
}

/* "f" has to be no less than 0, whatever the loops are; "text" says what for.
 *
 * The least value over all positions of the loops decides. On a path that may
 * not be taken nothing is assumed: the value is guarded instead.
 */
static void need_natural(struct fe_par *p, const struct fe_par_form *f,
	enum poly_msg id, const struct poly_loc *loc)
{
	struct fe_par_form *least = fe_arena_alloc(&p->unit->arena,
		sizeof(*least));
	struct fe_par_need *need;

	use_sizes(p, f);
	if (!fe_par_form_least(p, f, least)) {
		p->guarded = true;
		return;
	}
	if (fe_par_form_natural(least))
		return;
	p->guarded = true;
	if (p->n_path)
		return;
	/* a number below 0: an error whatever the sizes are */
	if (!least->n) {
		if (fe_may_report(p->unit, (int)id))
			poly_report_add(p->unit->report, id, loc);
		fe_par_stop(p);
	}
	need = add_need(p, loc);
	need->form = least;
	need->least = true;
}

/* A length that data tell is at least 0 by how it is counted. */
void fe_par_need_length(struct fe_par *p, const struct fe_par_scalar *length,
	const struct poly_loc *loc)
{
	if (length->bound)
		return;
	fe_par_place(p, length, loc);
	if (length->form)
		need_natural(p, length->form, MSG_FE_PAR_NEGATIVE, loc);
}

/* "at" has to be a loop over an array whose length is "length", which data tell.
 *
 * Then i < length holds for all positions that count.
 */
static void need_live(struct fe_par *p, const struct fe_par_scalar *at,
	const struct fe_par_scalar *length, const struct poly_loc *loc)
{
	const struct fe_par_loop *l;
	int k;

	for (k = 0; k < p->n_loop; k++) {
		l = &p->loop[k];
		if (at->place->kind == FE_S_NAME &&
		    at->place->symbol == l->symbol && l->live &&
		    fe_par_same_tree(p, l->live->data, length->data))
			return;
	}
	FE_REPORT(p->unit, FE_PAR_YET, loc, "[]",
		"data tell the length of its array");
	fe_par_stop(p);
}

/* 0 <= at and at <= length - 1. What is not linear is guarded in the code. */
void fe_par_need_inside(struct fe_par *p, const struct fe_par_scalar *at,
	const struct fe_par_scalar *length, const struct poly_loc *loc)
{
	struct fe_par_form high = { .constant = -1 };

	fe_par_place(p, at, loc);
	if (length->bound) {
		need_live(p, at, length, loc);
		return;
	}
	if (!at->form || !length->form ||
	    !fe_par_form_add(&high, length->form, 1) ||
	    !fe_par_form_add(&high, at->form, -1)) {
		p->guarded = true;
		return;
	}
	need_natural(p, at->form, MSG_FE_PAR_OUTSIDE, loc);
	need_natural(p, &high, MSG_FE_PAR_OUTSIDE, loc);
}

/* ------------------------------------------------------------------ equality */

/* Report that "a" and "b" differ where they must be the same, and stop.
 *
 * Lengths that data tell have no text: "?".
 */
static _Noreturn void report_lengths(struct fe_par *p,
	const struct fe_par_scalar *a, const struct fe_par_scalar *b,
	const struct poly_loc *loc)
{
	struct poly_str one = { 0 }, other = { 0 };

	if (a->form)
		fe_par_form_print(a->form, &one);
	if (b->form)
		fe_par_form_print(b->form, &other);
	FE_REPORT(p->unit, FE_PAR_LENGTHS, loc, one.s ? one.s : "?",
		other.s ? other.s : "?");
	poly_str_free(&one);
	poly_str_free(&other);
	fe_par_stop(p);
}

/* The length of a parameter that "f" is, or NULL.
 *
 * 2*n is none, nor is n + 1.
 */
static struct fe_par_size *is_size(struct fe_par *p, const struct fe_par_form *f)
{
	if (f->n != 1 || f->constant || f->term[0].coef != 1)
		return NULL;
	return fe_par_find_size(p, f->term[0].symbol);
}

/* Let "a" and "b" be one size: that which -D gives, of which it has the name, else the
 * one that is further up in the text.
 *
 * "a" stays, "b" leads to it (rep). Both having different values is an error of
 * the user's.
 */
static void unite(struct fe_par *p, struct fe_par_size *a, struct fe_par_size *b,
	const struct poly_loc *loc)
{
	struct fe_par_size *s;

	for (s = p->size; s != a && s != b; s = s->next)
		;
	if (a->given != b->given ? b->given : s == b) {
		s = b;
		b = a;
		a = s;
	}
	if (a->given && b->given && a->value != b->value) {
		FE_REPORT(p->unit, FE_PAR_GIVEN, loc, a->symbol->name,
			(long long)a->value, b->symbol->name,
			(long long)b->value);
		fe_par_stop(p);
	}
	a->needed = true;
	a->is_length |= b->is_length;
	b->rep = a;
}

/* The name "s", or if it is a size that which agrees with it.
 *
 * Other names are themselves.
 */
static const struct fe_symbol *rep_of(const struct fe_par *p,
	const struct fe_symbol *s)
{
	const struct fe_par_size *size = s ? fe_par_find_size(p, s) : NULL;

	return size ? size->symbol : s;
}

/* The same operations on the same names, lengths that agree being one. */
bool fe_par_same_tree(const struct fe_par *p, const struct fe_scalar *a,
	const struct fe_scalar *b)
{
	int i;

	if (a->kind != b->kind || a->op != b->op || a->n_arg != b->n_arg ||
	    rep_of(p, a->symbol) != rep_of(p, b->symbol) ||
	    a->value != b->value)
		return false;
	for (i = 0; i < a->n_arg; i++)
		if (!fe_par_same_tree(p, a->arg[i], b->arg[i]))
			return false;
	return true;
}

/* Lengths that are not both linear: equal if they are the same, or if the sizes say
 * so.
 *
 * Lengths within a loop must be told equal now; others may be assumed.
 */
static void need_same(struct fe_par *p, const struct fe_par_scalar *a,
	const struct fe_par_scalar *b, const struct poly_loc *loc)
{
	struct fe_par_need *need;

	if (a->bound && b->bound && fe_par_same_tree(p, a->data, b->data))
		return;
	fe_par_place(p, a, loc);
	fe_par_place(p, b, loc);
	if (fe_par_same_tree(p, a->place, b->place))
		return;
	if (a->loops || b->loops)
		report_lengths(p, a, b, loc);
	need = add_need(p, loc);
	need->left = a->place;
	need->right = b->place;
}

/* Their difference must vanish: identically, by making two sizes one, or as an
 * assumption.
 */
void fe_par_need_equal(struct fe_par *p, const struct fe_par_scalar *a,
	const struct fe_par_scalar *b, const struct poly_loc *loc)
{
	struct fe_par_form *f = fe_arena_alloc(&p->unit->arena, sizeof(*f));
	struct fe_par_size *one, *other;

	if (!a->form || !b->form) {
		need_same(p, a, b, loc);
		return;
	}
	*f = *a->form;
	if (!fe_par_form_add(f, b->form, -1))
		report_lengths(p, a, b, loc);
	*f = fe_par_form_rep(p, f);
	if (!f->n && !f->constant)
		return;
	if (!f->n || a->loops || b->loops)
		report_lengths(p, a, b, loc);
	one = is_size(p, a->form);
	other = is_size(p, b->form);
	if (one && other) {
		unite(p, one, other, loc);
		return;
	}
	use_sizes(p, f);
	add_need(p, loc)->form = f;
}

/* --------------------------------------------------------------- assumptions */

/* The value of "f", if -D gives all that is in it.
 *
 * Loops are none of the sizes, so false.
 */
static bool is_given(const struct fe_par *p, const struct fe_par_form *f,
	int64_t *value)
{
	const struct fe_par_size *size;
	int k;

	*value = f->constant;
	for (k = 0; k < f->n; k++) {
		size = fe_par_find_size(p, f->term[k].symbol);
		if (!size || !size->given)
			return false;
		*value += f->term[k].coef * size->value;
	}
	return true;
}

/* Report that the values of -D do not meet "need".
 *
 * The condition is told as the need has it.
 */
static void report_need(struct fe_par *p, const struct fe_par_need *need)
{
	struct poly_str text = { 0 };

	fe_par_form_print(need->form, &text);
	poly_str_printf(&text, " %s 0", need->least ? ">=" : "==");
	FE_REPORT(p->unit, FE_PAR_UNMET, &need->loc, text.s ? text.s : "?");
	poly_str_free(&text);
}

/* "left op right" as an assumption.
 *
 * At the end of the unit's assumptions, which index notation checks and lowers
 * like those of a text.
 */
static void assume(struct fe_par *p, enum poly_op op,
	const struct fe_scalar *left, const struct fe_scalar *right,
	const struct poly_loc *loc)
{
	struct fe_scalar *e = fe_scalar_new(p->unit, FE_S_OP, loc);
	struct fe_scalar **tail = &p->unit->assume;

	e->op = op;
	e->spelling = poly_op_name(op);
	e->arg[0] = fe_scalar_copy(p->unit, left, NULL, NULL);
	e->arg[1] = fe_scalar_copy(p->unit, right, NULL, NULL);
	e->n_arg = 2;
	while (*tail)
		tail = &(*tail)->next;
	*tail = e;
}

/* Needs that hold by now are left out. */
void fe_par_assume(struct fe_par *p)
{
	const struct fe_par_need *need;
	struct fe_par_form zero = { 0 }, f;
	int64_t value;

	for (need = p->need; need; need = need->next) {
		if (need->left) {
			assume(p, POLY_OP_EQ, need->left, need->right,
				&need->loc);
			continue;
		}
		f = fe_par_form_rep(p, need->form);
		if (need->least ? fe_par_form_natural(&f) :
		    !f.n && !f.constant)
			continue;
		if (is_given(p, &f, &value) &&
		    (need->least ? value < 0 : value != 0))
			report_need(p, need);
		assume(p, need->least ? POLY_OP_LE : POLY_OP_EQ,
			fe_par_from_form(p, &zero, 0, &need->loc)->place,
			fe_par_from_form(p, &f, 0, &need->loc)->place,
			&need->loc);
	}
}
