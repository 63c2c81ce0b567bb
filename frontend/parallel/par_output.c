/* Data-parallel functions: what the function that is compiled returns.
 *
 * A number of the result is a definition. Where it is just what another definition
 * has at the same positions, that one is the output.
 */
#include <stdio.h>

#include "frontend/parallel/par_eval.h"

/* Does "t" go over the loops from "first" on, and nothing else? */
static bool goes_over(const struct fe_par *p, const struct fe_tensor *t,
	int first)
{
	const struct fe_scalar *c = t->scope.condition;
	int d;

	for (d = 0; d < t->rank && c; d++) {
		const struct fe_par_loop *l = &p->loop[first + d];

		if (!fe_par_same_tree(p, c->next->arg[1], l->length->place))
			return false;
		c = c->next->next;
	}
	return !c;
}

/* Has "t", over the loops from "first" on, zeros behind what counts: is it guarded, or the
 * result of a filter whose positions alone may not count?
 */
static bool has_zeros(const struct fe_par *p, const struct fe_tensor *t,
	int first)
{
	const struct fe_scalar *scatter = fe_tensor_scatter(t);
	const struct fe_scalar *e = t->piece->value;
	const struct fe_index *i = t->scope.first;
	bool zeros = true;
	int k;

	if (!t->piece->condition && e->kind == FE_S_OP &&
	    e->op == POLY_OP_BRANCH)
		return true;
	for (k = first; k < p->n_loop; k++, i = i->next)
		zeros &= !p->loop[k].live || (scatter &&
			scatter->arg[2]->symbol == i->symbol);
	return zeros;
}

/* The definition that "a" is, over the loops from "first" on; or NULL. */
static struct fe_tensor *whole(struct fe_par *p, const struct fe_par_scalar *a,
	int first)
{
	const struct fe_scalar *e = a->data;
	struct fe_tensor *t = e->kind == FE_S_READ ? e->symbol->tensor : NULL;
	int d;

	if (!t || t->is_out || t->rank != p->n_loop - first)
		return NULL;
	for (d = 0; d < t->rank; d++)
		if (e->arg[d]->kind != FE_S_NAME ||
		    e->arg[d]->symbol != p->loop[first + d].symbol)
			return NULL;
	return goes_over(p, t, first) && has_zeros(p, t, first) ? t : NULL;
}

/* Take "t" from where it stands in the list of definitions to its end. */
static void move_last(struct fe_par *p, struct fe_tensor *t)
{
	struct fe_tensor **at = &p->tensor;

	while (*at != t)
		at = &(*at)->next;
	*at = t->next;
	t->next = NULL;
	while (*at)
		at = &(*at)->next;
	*at = t;
	p->tensor_tail = &t->next;
}

/* The length of dimension "d", which data tell, as an output, over the loops from "first"
 * on if it depends on them.
 */
static void output_length(struct fe_par *p, const struct fe_par_scalar *length,
	int d, int first, const struct poly_loc *loc)
{
	int own = length->loops >> first ? d : 0;
	struct fe_par_store unused = { 0 };
	struct fe_tensor *t = whole(p, length, p->n_loop - own);
	char name[32];

	snprintf(name, sizeof(name), "result_%d", d);
	if (t) {
		t->symbol = fe_par_fresh(p, name);
		t->symbol->tensor = t;
	} else {
		t = fe_par_define(p, name, loc, POLY_I32, 0, own, &unused);
		fe_par_piece(p, t, NULL, fe_par_guard(p, fe_par_inner(p, own),
			length, fe_par_number(p, POLY_I32, 0, loc), loc)->data);
	}
	t->is_out = true;
	move_last(p, t);
}

void fe_par_output(struct fe_par *p, struct fe_par_value v,
	const struct fe_par_type *type, const struct poly_loc *loc)
{
	const struct fe_par_scalar *length[FE_MAX_LOOP], **leaf;
	int first = p->n_loop, i, n, rank = v.type.rank;
	struct fe_par_value at = fe_par_enter_all(p, v, loc, length);
	struct fe_par_store unused = { 0 };
	struct fe_par_type one = *type;

	one.rank = 0;
	leaf = fe_par_leaves(p, &at, &n);
	for (i = 0; i < n; i++) {
		const char *name = fe_par_leaf_name(p, &one, i, "result");
		struct fe_tensor *t = whole(p, leaf[i], first);

		if (t) {
			t->symbol = fe_par_fresh(p, name);
			t->symbol->tensor = t;
		} else {
			t = fe_par_define(p, name, loc, leaf[i]->type, 0, rank,
				&unused);
			fe_par_piece(p, t, NULL, fe_par_guard(p,
				fe_par_inner(p, rank), leaf[i], fe_par_number(p,
				leaf[i]->type, 0, loc), loc)->data);
		}
		t->is_out = true;
		move_last(p, t);
	}
	for (i = rank - 1; i >= 0; i--) {
		fe_par_leave(p, 1);
		if (length[i]->bound)
			output_length(p, length[i], i, first, loc);
	}
}
