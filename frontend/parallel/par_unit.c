/* Data-parallel functions: a unit from the text.
 *
 * The function that is compiled is evaluated with its parameters as inputs. An array
 * has a size for each of its dimensions, "xs_0" and so on. An int is a size if a
 * length or a position needs it, else an input. What is left when the evaluation is
 * done are the items that a text in index notation would have: sizes, inputs,
 * assumptions, and definitions, of which those that nothing needs are dropped.
 */
#include <stdio.h>
#include <string.h>

#include "frontend/matrix/matrix.h"
#include "frontend/parallel/par_eval.h"

/* The numbers of a parameter: one array, or one scalar, each. */
struct par_input {
	struct par_input *next;
	const struct fe_par_var *var;
	struct fe_par_store *store;
	struct fe_par_size *size;	/* of an int, or NULL */
};

/* The function called "name", or the last one; NULL, having reported that there
 * is none.
 */
static struct fe_par_function *choose(struct fe_unit *u,
	struct fe_par_program *prog, const char *name)
{
	struct fe_par_function *f, *last = NULL;

	for (f = prog->function; f; f = f->next) {
		if (name && !strcmp(f->symbol->name, name))
			return f;
		last = f;
	}
	if (name || !last)
		FE_REPORT(u, FE_PAR_ENTRY, NULL, name ? name : "");
	return name ? NULL : last;
}

/* ------------------------------------------------------------------- parameters */

/* A size called "name". */
static struct fe_par_size *add_size(struct fe_par *p, const char *name,
	const struct poly_loc *loc, bool is_length)
{
	struct fe_par_size *s = fe_arena_alloc(&p->unit->arena, sizeof(*s));
	struct fe_par_size **tail = &p->size;

	s->symbol = fe_par_fresh(p, name);
	s->loc = *loc;
	s->is_length = is_length;
	while (*tail)
		tail = &(*tail)->next;
	*tail = s;
	return s;
}

/* The input that the parameter "v" is: an array for each number of its type, of
 * the lengths NAME_0, NAME_1, ..
 */
static struct fe_par_store *input_store(struct fe_par *p,
	const struct fe_par_var *v)
{
	struct fe_par_store *s = fe_arena_alloc(&p->unit->arena, sizeof(*s));
	struct fe_par_type one = v->type;
	char name[FE_MAX_NAME + 16];
	int d, n;

	if (v->type.rank > FE_MAX_RANK) {
		FE_REPORT(p->unit, FE_RANK, &v->loc, FE_MAX_RANK);
		fe_par_stop(p);
	}
	one.rank = 0;
	n = fe_par_count(&one);
	s->type = v->type;
	s->n_own = v->type.rank;
	s->symbol = fe_arena_alloc(&p->unit->arena,
		((size_t)n + 1) * sizeof(*s->symbol));
	for (d = 0; d < n; d++)
		s->symbol[d] = fe_par_fresh(p, fe_par_leaf_name(p, &one, d,
			v->symbol->name));
	for (d = 0; d < v->type.rank; d++) {
		snprintf(name, sizeof(name), "%s_%d", v->symbol->name, d);
		s->length[d] = fe_par_name(p, add_size(p, name, &v->loc,
			true)->symbol, 0, &v->loc);
	}
	return s;
}

/* The parameter "v" as an input, and its value. */
static struct fe_par_value add_input(struct fe_par *p,
	const struct fe_par_var *v, struct par_input *input)
{
	input->var = v;
	if (!v->type.rank && !v->type.record && v->type.base == POLY_I32) {
		input->size = add_size(p, v->symbol->name, &v->loc, false);
		return (struct fe_par_value) { .type = v->type,
			.scalar = fe_par_name(p, input->size->symbol, 0,
				&v->loc) };
	}
	input->store = input_store(p, v);
	return fe_par_stored(p, input->store, NULL, 0, &v->loc);
}

/* The values of -D. */
static void give_sizes(struct fe_par *p, const struct fe_define *def, int n)
{
	struct fe_par_size *s;
	int i;

	for (s = p->size; s; s = s->next)
		for (i = 0; i < n; i++)
			if (!strcmp(def[i].name, s->symbol->name)) {
				s->given = true;
				s->value = def[i].value;
			}
}

/* --------------------------------------------------------------------- the items */

/* A tensor without sizes yet for the input "v", in which its elements are of
 * "type".
 */
static struct fe_tensor *new_input(struct fe_par *p, struct fe_symbol *symbol,
	const struct fe_par_var *v, enum poly_type type)
{
	struct fe_tensor *t = fe_arena_alloc(&p->unit->arena, sizeof(*t));

	t->symbol = symbol;
	t->loc = v->loc;
	t->order = 1;
	t->update = POLY_OP_NONE;
	t->is_input = t->has_type = true;
	t->type = type;
	return t;
}

/* The tensors of "in", at "tail"; returns where further ones go. */
static struct fe_tensor **list_input(struct fe_par *p,
	const struct par_input *in, struct fe_tensor **tail)
{
	struct fe_par_type one = in->var->type;
	int i, d;

	if (in->size && (in->size->needed || in->size->is_length ||
	    in->size->rep))
		return tail;
	if (in->size) {
		*tail = new_input(p, in->size->symbol, in->var, POLY_I32);
		return &(*tail)->next;
	}
	one.rank = 0;
	for (i = 0; i < fe_par_count(&one); i++) {
		*tail = new_input(p, in->store->symbol[i], in->var,
			fe_par_leaf_type(&one, i));
		for (d = 0; d < in->store->n_own; d++)
			(*tail)->size[(*tail)->rank++] = fe_scalar_copy(p->unit,
				in->store->length[d]->place, NULL, NULL);
		tail = &(*tail)->next;
	}
	return tail;
}

/* Declare the sizes that lengths or positions need, one for those that agree.
 */
static void list_sizes(struct fe_par *p)
{
	struct fe_decl **tail = &p->unit->ast->decl, *d;
	const struct fe_par_size *s;

	for (s = p->size; s; s = s->next) {
		if (s->rep || (!s->is_length && !s->needed))
			continue;
		d = fe_arena_alloc(&p->unit->arena, sizeof(*d));
		d->is_param = true;
		d->symbol = s->symbol;
		d->loc = s->loc;
		*tail = d;
		tail = &d->next;
	}
}

/* Sizes that agree are one, and a definition that is an output has its name. */
static void name_rep(struct fe_scalar *e, void *user)
{
	const struct fe_par_size *size = e->kind == FE_S_NAME ?
		fe_par_find_size(user, e->symbol) : NULL;

	if (size)
		e->symbol = size->symbol;
	if (e->kind == FE_S_READ && e->symbol->tensor)
		e->symbol = e->symbol->tensor->symbol;
}

/* Definitions that are needed, but whose own reads have not been looked at. */
struct walk {
	struct fe_tensor *stack;
};

/* A definition that is needed: its reads are, too, once it is taken from the
 * stack.
 */
static void push(struct walk *w, struct fe_tensor *t)
{
	if (!t || t->live)
		return;
	t->live = true;
	t->stack = w->stack;
	w->stack = t;
}

static void push_read(struct fe_scalar *e, void *user)
{
	if (e->kind == FE_S_READ)
		push(user, e->symbol->tensor);
}

/* The definitions of the join that "t" is a part of are needed together. */
static void push_join(struct walk *w, const struct fe_tensor *t)
{
	const struct fe_join *join = t->join;

	for (int k = 0; join && k < join->n; k++) {
		push(w, join->state[k]);
		push(w, join->right[k]);
		push(w, join->body[k]);
	}
	if (join)
		push(w, join->begins);
}

/* Drop the definitions that no output needs. */
static void prune(struct fe_par *p)
{
	struct walk w = { NULL };
	struct fe_tensor *t, **at = &p->tensor;

	for (t = p->tensor; t; t = t->next)
		if (t->is_out)
			push(&w, t);
	while ((t = w.stack)) {
		w.stack = t->stack;
		fe_tensor_each(t, push_read, &w);
		push_join(&w, t);
		push(&w, t->owned);
	}
	while ((t = *at)) {
		t->stack = NULL;
		if (t->live)
			at = &t->next;
		else
			*at = t->next;
		t->live = false;
	}
}

/* Leave in the unit what has been evaluated. */
static void list_all(struct fe_par *p, const struct par_input *in)
{
	struct fe_unit *u = p->unit;
	struct fe_tensor **tail = &u->tensor, *t;

	u->ast = fe_arena_alloc(&u->arena, sizeof(*u->ast));
	u->ast->type = POLY_F32;
	u->indexed = true;
	fe_par_assume(p);
	list_sizes(p);
	for (; in; in = in->next)
		tail = list_input(p, in, tail);
	prune(p);
	*tail = p->tensor;
	for (t = u->tensor; t; t = t->next)
		fe_tensor_each(t, name_rep, p);
}

/* "def" in the names of the sizes that stand for others. */
static struct fe_define *rename_all(struct fe_par *p,
	const struct fe_define *def, int n)
{
	struct fe_define *named = fe_arena_alloc(&p->unit->arena,
		((size_t)n + 1) * sizeof(*named));
	const struct fe_par_size *s;
	int i;

	for (i = 0; i < n; i++) {
		named[i] = def[i];
		s = fe_par_find_size(p, fe_symbol_find(p->unit, def[i].name,
			strlen(def[i].name)));
		if (s)
			named[i].name = s->symbol->name;
	}
	return named;
}

/* Evaluate "f"; its inputs go to "in". */
static void evaluate(struct fe_par *p, const struct fe_par_function *f,
	const struct fe_define *def, int n_def, struct par_input **in)
{
	const struct fe_par_env *env = NULL;
	const struct fe_par_var *v;

	for (v = f->param; v; v = v->next) {
		struct fe_par_value value;

		*in = fe_arena_alloc(&p->unit->arena, sizeof(**in));
		value = add_input(p, v, *in);
		env = fe_par_bind(p, env, v, value);
		in = &(*in)->next;
	}
	give_sizes(p, def, n_def);
	fe_par_output(p, fe_par_run(p, f->body, env), &f->type, &f->loc);
}

/* The same; false, having reported. */
static bool try(struct fe_par *p, const struct fe_par_function *f,
	const struct fe_define *def, int n_def, struct par_input **in)
{
	if (setjmp(p->stop))
		return false;
	evaluate(p, f, def, n_def, in);
	return true;
}

void fe_par_read(struct fe_unit *u, const char *function,
	const struct fe_define *def, int n_def)
{
	struct fe_par *p = fe_arena_alloc(&u->arena, sizeof(*p));
	struct fe_par_program *prog = fe_par_parse(u, fe_par_lex(u));
	struct fe_par_function *f;
	struct par_input *in = NULL;

	if (fe_has_errors(u))
		return;
	fe_par_check(u, prog);
	f = fe_has_errors(u) ? NULL : choose(u, prog, function);
	if (!f)
		return;
	p->unit = u;
	p->need_tail = &p->need;
	p->tensor_tail = &p->tensor;
	u->name = f->symbol->name;
	if (!try(p, f, def, n_def, &in))
		return;
	list_all(p, in);
	if (!fe_has_errors(u))
		fe_check(u, rename_all(p, def, n_def), n_def);
}
