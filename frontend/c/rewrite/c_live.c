/* Assignments whose condition nothing asks for.
 *
 * An assignment under a condition that is data keeps the old value where the
 * condition fails (c_lower.c). Of a scalar whose value nothing reads there any
 * more it need not, and each iteration of a loop has a value of its own:
 *
 *	for (i = 0; i < n; i++)
 *		if (a[i] > 0) {
 *			t = a[i] * b[i];	written for each i
 *			c[i] += t;
 *		}
 *
 * The nest is walked backwards with the scalars that are live: those whose
 * value may be read before they are written. A local scalar that is live at the
 * beginning, because it is read where another condition holds than that under
 * which it is written, begins as 0, as its old value is read, too.
 *
 * What is declared under a condition has no old value where that fails. Of arrays
 * nothing more is known: a small one begins as 0 where it is declared, if there are
 * conditions between its declaration and an assignment.
 */
#include <string.h>

#include "frontend/c/rewrite/rewrite.h"

/* ---------------------------------------------------------- sets of variables */

bool *fe_c_set_copy(struct fe_unit *u, const bool *set)
{
	size_t n = (size_t)u->c->n_var + 1;
	bool *copy = fe_arena_alloc(&u->arena, n * sizeof(*copy));

	if (set)
		memcpy(copy, set, n * sizeof(*copy));
	return copy;
}

void fe_c_set_add(const struct fe_unit *u, bool *set, const bool *other)
{
	int i;

	for (i = 0; i <= u->c->n_var; i++)
		set[i] |= other[i];
}

/* ------------------------------------------------------------- declarations */

/* Number the statements from "n" on, and find where variables are declared; the next
 * number. Of a text that stands several times the first counts.
 */
static int number(struct fe_unit *u, struct fe_c_stmt *s, int n)
{
	struct fe_c_var *v;

	for (; s; s = s->next) {
		s->number = n++;
		for (v = s->n_id ? u->c->var : NULL; v; v = v->next)
			if (!v->born && v->id >= s->first_id &&
			    v->id < s->first_id + s->n_id)
				v->born = s->number;
		n = number(u, s->body, n);
		n = number(u, s->otherwise, n);
		s->behind = n;
	}
	return n;
}

bool fe_c_is_born_in(const struct fe_c_stmt *list, const struct fe_c_var *v)
{
	for (; v->born && list; list = list->next)
		if (v->born >= list->number && v->born < list->behind)
			return true;
	return false;
}

/* --------------------------------------------------------------------- walk */

/* So many elements of an array at most begin as 0. */
enum { MOST_ZEROS = 64 };

/* The conditions around a statement, and what is live where one fails. */
struct failing {
	const struct failing *outer;
	const bool *live;
	const struct fe_c_stmt *list;	/* where it holds */
};
/* The walk over the statements, from the end to the beginning. */
struct walk {
	struct fe_unit *u;
	bool mark;		/* assignments are marked */
	bool written;		/* the nest as it was written */
	const bool *behind;	/* live behind the innermost loop */
	bool *kept;		/* variables whose old value is kept */
	bool *begun;		/* arrays with an initialiser */
};

static void walk_list(struct walk *w, struct fe_c_stmt *s, bool *live,
	const struct failing *f);

/* Add the scalars that "e" reads to "live". */
static void read_value(const struct fe_c_expr *e, bool *live)
{
	int i;

	if (e->kind == FE_C_VAR)
		live[e->var->id] = true;
	for (i = 0; i < 3 && e->arg[i]; i++)
		read_value(e->arg[i], live);
	for (i = 0; i < e->n_index; i++)
		read_value(e->index[i], live);
}

/* Mark the assignment of a scalar as hidden if the scalar is not live where any
 * of the conditions "f" around it fails. Otherwise its old value is kept there,
 * so that it needs one; so is that of an array which was declared outside of
 * the condition.
 */
static void walk_assign(struct walk *w, struct fe_c_stmt *s, bool *live,
	const struct failing *f)
{
	int i, v = s->left->var->id;

	if (!s->left->n_index) {
		bool had = f != NULL;

		s->hidden = true;
		for (; f; f = f->outer)
			s->hidden &= !f->live[v];
		w->kept[v] |= w->mark && had && !s->hidden && !s->declares;
		live[v] = false;
	}
	if (s->left->n_index) {
		w->kept[v] |= f && !fe_c_is_born_in(f->list, s->left->var);
		w->begun[v] |= s->begins;
	}
	for (i = 0; i < s->left->n_index; i++)
		read_value(s->left->index[i], live);
	read_value(s->right, live);
}

/* An affine condition cuts the domain: where it fails nothing is assigned. One with
 * quotients may be asked at each point instead (c_lower.c).
 */
static void walk_if(struct walk *w, struct fe_c_stmt *s, bool *live,
	const struct failing *f)
{
	bool *after = fe_c_set_copy(w->u, live);
	bool *other = fe_c_set_copy(w->u, live);
	const struct failing where_it_holds = { f, after, s->otherwise };
	const struct failing where_it_fails = { f, other, s->body };
	bool cuts = fe_c_affine_cond(s->cond, false) &&
		!fe_c_divides(s->cond);

	walk_list(w, s->otherwise, other, cuts ? f : &where_it_holds);
	walk_list(w, s->body, live, cuts ? f : &where_it_fails);
	fe_c_set_add(w->u, live, other);
	read_value(s->cond, live);
}

/* Does a "break" of the loop around stand in the list, "under" a condition on data? */
static bool breaks(const struct fe_c_stmt *s, bool under)
{
	for (; s; s = s->next) {
		bool here = under || (s->kind == FE_C_IF &&
			!fe_c_affine_cond(s->cond, false));

		if ((s->kind == FE_C_BREAK && under) || (s->kind != FE_C_FOR &&
		    (breaks(s->body, here) || breaks(s->otherwise, here))))
			return true;
	}
	return false;
}

/* Walk the body twice: first to find what an iteration reads before it writes,
 * which is live at the end of one, then to mark. The conditions outside of the
 * loop stay those of its body.
 *
 * Where data may have ended the loop as it is written, that is one more condition around.
 */
static void walk_loop(struct walk *w, struct fe_c_stmt *s, bool *live,
	const struct failing *f)
{
	bool *first = fe_c_set_copy(w->u, NULL), mark = w->mark;
	const bool *outer = w->behind, *behind = fe_c_set_copy(w->u, live);
	const struct failing where_it_goes_on = { f, behind, s->body };

	s->var->active = true;
	if (w->written && (!fe_c_affine_cond(s->cond, false) ||
	    breaks(s->body, false)))
		f = &where_it_goes_on;
	w->behind = behind;
	w->mark = false;
	walk_list(w, s->body, first, NULL);
	w->mark = mark;
	fe_c_set_add(w->u, live, first);
	read_value(s->cond, live);
	if (mark)
		walk_list(w, s->body, fe_c_set_copy(w->u, live), f);
	w->behind = outer;
	s->var->active = false;
	read_value(s->right, live);
}

/* Walk a list backwards, from what is live behind it; "live" becomes what is
 * live in front of it.
 */
static void walk_list(struct walk *w, struct fe_c_stmt *s, bool *live,
	const struct failing *f)
{
	struct fe_c_stmt **list, *at;
	int n = 0;

	for (at = s; at; at = at->next)
		n++;
	list = fe_arena_alloc(&w->u->arena, (size_t)(n + 1) * sizeof(*list));
	for (n = 0, at = s; at; at = at->next)
		list[n++] = at;
	while (n--) {
		if (list[n]->kind == FE_C_ASSIGN)
			walk_assign(w, list[n], live, f);
		else if (list[n]->kind == FE_C_FOR)
			walk_loop(w, list[n], live, f);
		else if (list[n]->kind == FE_C_IF)
			walk_if(w, list[n], live, f);
		else if (list[n]->kind == FE_C_BREAK)
			memcpy(live, w->behind, (size_t)w->u->c->n_var *
				sizeof(*live));
		else
			walk_list(w, list[n]->body, live, f);
	}
}

/* "v = 0", or of an array its element "n" in the order of memory, in front of
 * "next".
 */
static struct fe_c_stmt *zero(struct fe_unit *u, struct fe_c_var *v, int64_t n,
	struct fe_c_stmt *next)
{
	struct fe_c_stmt *s = fe_arena_alloc(&u->arena, sizeof(*s));
	bool is_float = poly_type_is_float(v->type);
	int64_t extent = 1;

	s->kind = FE_C_ASSIGN;
	s->loc = v->loc;
	s->left = fe_c_make(u, v->n_dim ? FE_C_ELEMENT : FE_C_VAR, v->type,
		&v->loc);
	s->left->var = v;
	s->left->n_index = v->n_dim;
	s->left->index = fe_arena_alloc(&u->arena,
		((size_t)v->n_dim + 1) * sizeof(*s->left->index));
	for (int d = v->n_dim - 1; d >= 0; d--, n /= extent) {
		fe_c_constant(v->dim[d], &extent);
		s->left->index[d] = fe_c_make(u, FE_C_INT, POLY_I64, &v->loc);
		s->left->index[d]->bits = n % extent;
	}
	s->right = fe_c_make(u, is_float ? FE_C_FLOAT : FE_C_INT, v->type,
		&v->loc);
	s->begins = v->n_dim > 0;
	s->next = next;
	v->n_write++;
	return s;
}

/* The elements of "v", if it is a small array, or 0. */
static int64_t count_elements(const struct fe_c_var *v)
{
	int64_t n = v->n_dim > 0, extent;

	for (int d = 0; d < v->n_dim && n; d++)
		n = v->dim[d] && fe_c_constant(v->dim[d], &extent) &&
			extent > 0 && extent <= MOST_ZEROS / n ? n * extent : 0;
	return n;
}

/* The arrays that are in "need" begin as 0 where the statements declare them. */
static void begin_arrays(struct fe_unit *u, struct fe_c_stmt *s,
	const bool *need)
{
	struct fe_c_var *v;

	for (; s; s = s->next) {
		begin_arrays(u, s->body, need);
		begin_arrays(u, s->otherwise, need);
		for (v = s->n_id ? u->c->var : NULL; v; v = v->next) {
			if (!need[v->id] || v->born != s->number)
				continue;
			for (int64_t n = count_elements(v); n > 0; n--)
				s->body = zero(u, v, n - 1, s->body);
		}
	}
}

/* Mark the assignments of the nest "s", and find what is live where it begins. */
static bool *mark(struct walk *w, struct fe_c_stmt *s)
{
	bool *live = fe_c_set_copy(w->u, NULL);
	struct fe_c_var *v;

	w->kept = fe_c_set_copy(w->u, NULL);
	w->begun = fe_c_set_copy(w->u, NULL);
	for (v = w->u->c->var; v; v = v->next)
		live[v->id] = (v->outer && !v->by_value) ||
			v->is_result;
	walk_list(w, s, live, NULL);
	return live;
}

void fe_c_live(struct fe_unit *u)
{
	struct walk w = { .u = u, .mark = true };
	struct fe_c_var *v;
	bool *live;

	w.written = true;
	mark(&w, u->c->written);
	w.written = false;
	number(u, u->c->body, 1);
	live = mark(&w, u->c->body);
	for (v = u->c->var; v; v = v->next) {
		w.kept[v->id] &= !v->outer && !v->n_loop && !v->is_result;
		if (!v->n_dim && live[v->id] && w.kept[v->id])
			u->c->body = zero(u, v, 0, u->c->body);
		w.kept[v->id] &= v->n_dim > 0 && !w.begun[v->id];
	}
	begin_arrays(u, u->c->body, w.kept);
}
