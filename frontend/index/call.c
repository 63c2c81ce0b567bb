/* Calls of nests among definitions: which versions they read and make.
 *
 * A nest reads versions of what it is given and makes new versions of what it
 * writes; text below the call reads these. Each is a tensor, which needs all that
 * the call is given:
 *
 *	P(i,j) = ..;	P, in its first version
 *	decay(P);	P, in its second one: the call made it of the first
 *	Q = P * P;	reads the second
 *
 * Calls are declared before anything else is checked; then the calls that change
 * matrices are followed in the order of the text. call_check.c checks what a call
 * is given as soon as that is known, and call_nest.c reads the nest for it.
 */
#include <stdio.h>
#include <string.h>

#include "frontend/index/call.h"
#include "frontend/matrix/matrix.h"
#include "frontend/c/c.h"
#include "frontend/c/tree/tree.h"

struct fe_tensor *fe_version(struct fe_tensor *t, int order)
{
	while (t->newer && t->newer->order < order)
		t = t->newer;
	return t;
}

/* ---------------------------------------------------------------- arguments */

static bool is_array(const struct fe_c_param *p)
{
	return p->is_pointer || (p->var && p->var->n_dim);
}

/* What stands in the way of calling the nest by "p", or NULL. */
static const char *obstacle(const struct fe_c_param *p)
{
	int d;

	if (!p->var)
		return p->bad ? p->bad : "a parameter has no meaning";
	if (p->is_pointer && !p->var->n_dim)
		return "a parameter is a pointer";
	if (p->var->flat)
		return "an array is of one dimension and used as of several";
	for (d = 0; d < p->var->n_dim; d++)
		if (!p->var->dim[d])
			return "an array has an extent that is not written";
	return NULL;
}

/* Give each argument its parameter; sizes may be left out. */
static bool match(struct fe_unit *u, struct fe_call *c)
{
	const struct fe_c_unit *nest = c->nest->alone->c;
	const struct fe_c_param *p;
	struct fe_arg *a = c->arg;
	int n = 0, sizes = 0;

	for (p = nest->param; p; p = p->next) {
		const char *why = obstacle(p);

		n++;
		sizes += fe_c_is_size(p);
		if (why)
			FE_REPORT(u, FE_CALL_FORM, &c->loc,
				c->nest->symbol->name, why);
		if (why)
			return false;
	}
	if (c->n_arg != n && c->n_arg != n - sizes) {
		FE_REPORT(u, FE_ARGUMENTS, &c->loc, c->nest->symbol->name, n,
			n == 1 ? "" : "s", c->n_arg, "");
		return false;
	}
	for (p = nest->param; p; p = p->next) {
		if (c->n_arg != n && fe_c_is_size(p))
			continue;
		a->formal = p;
		a = a->next;
	}
	return true;
}

/* The name that stands for the whole argument, or NULL. */
static struct fe_symbol *name_of(const struct fe_arg *a)
{
	return a->value->kind == FE_S_NAME ? a->value->symbol : NULL;
}

/* Is the argument a tensor, or a matrix? */
static bool is_given(const struct fe_arg *a)
{
	const struct fe_symbol *s = name_of(a);

	return is_array(a->formal) ||
		(s && s->tensor && !s->tensor->rank && !fe_c_is_size(a->formal));
}

static bool is_changed(const struct fe_arg *a)
{
	return is_array(a->formal) && a->formal->var->n_write > 0;
}

/* ----------------------------------------------------------------- versions */

/* The new version that the call makes by "a", in its place of the text. */
static void add_version(struct fe_unit *u, struct fe_call *c, struct fe_arg *a)
{
	struct fe_tensor *t = fe_arena_alloc(&u->arena, sizeof(*t)), **at;

	t->symbol = name_of(a);
	t->loc = a->value->loc;
	t->order = c->order;
	t->update = POLY_OP_NONE;
	t->type = POLY_N_TYPE;
	t->call = c;
	for (at = &u->tensor; *at && (*at)->order <= c->order; at = &(*at)->next)
		;
	t->next = *at;
	*at = t;
	a->to = t;
}

/* The argument reads "from". */
static void read_version(struct fe_arg *a, struct fe_tensor *from)
{
	a->from = from;
	from->is_read |= from->is_input;
	if (!a->to)
		return;
	a->to->from = from;
	from->newer = a->to;
}

/* Let all that the call makes need all that it is given. */
static void add_edges(struct fe_unit *u, struct fe_call *c)
{
	struct fe_arg *a, *b;

	for (a = c->arg; a; a = a->next)
		for (b = c->arg; a->to && b; b = b->next)
			if (b->from)
				fe_tensor_need(u, a->to, b->from);
	c->ready = true;
}

/* Nothing is changed that is given twice. */
static bool check_twice(struct fe_unit *u, const struct fe_call *c)
{
	const struct fe_arg *a, *b;

	for (a = c->arg; a; a = a->next) {
		for (b = c->arg; b != a; b = b->next) {
			if (!is_given(a) || !is_given(b) ||
			    name_of(a) != name_of(b) ||
			    (!is_changed(a) && !is_changed(b)))
				continue;
			FE_REPORT(u, FE_CALL_TWICE, &a->value->loc,
				name_of(a)->name);
			return false;
		}
	}
	return true;
}

/* Does the argument give what can be given? */
static bool check_kind(struct fe_unit *u, const struct fe_call *c,
	const struct fe_arg *a)
{
	const struct fe_symbol *s = name_of(a);

	if (!is_array(a->formal) || (s && !s->param && !s->function))
		return true;
	fe_call_report_type(u, c, a);
	return false;
}

/* Find the parameters that the call gives arguments, and the versions that it makes;
 * those that it reads as far as they are known before matrices are followed.
 */
static bool declare_call(struct fe_unit *u, struct fe_call *c)
{
	struct fe_arg *a;
	bool ready = true;

	c->nest->called = true;
	if (!c->nest->alone || !match(u, c))
		return false;
	for (a = c->arg; a; a = a->next)
		if (!check_kind(u, c, a))
			return false;
	if (!check_twice(u, c))
		return false;
	for (a = c->arg; a; a = a->next) {
		struct fe_symbol *s = name_of(a);

		if (!is_given(a))
			continue;
		if (is_changed(a))
			add_version(u, c, a);
		if (s->tensor)
			read_version(a, fe_version(s->tensor, c->order));
		else if (a->to && !s->changes)
			s->changes = c;
		ready &= s->tensor != NULL;
	}
	if (ready)
		add_edges(u, c);
	return true;
}

/* Declare the name of a nest, and read the nest by itself if no other one has
 * the name.
 */
static void declare_nest(struct fe_unit *u, struct fe_nest *n)
{
	struct fe_how how = { .original = u->whole,
		.original_len = u->len, .function = n->symbol->name };
	const struct fe_nest *other;
	bool once = true;

	for (other = u->nest; other; other = other->next)
		once &= other == n || other->symbol != n->symbol;
	if (fe_declare(u, n->symbol, &n->loc) && once)
		n->alone = fe_unit_own(u, fe_read_c(u->file, u->nest_text,
			strlen(u->nest_text), &how, NULL, 0, u->report));
}

/* Does a nest or a function call "n"? */
static bool is_called_inside(const struct fe_nest *n)
{
	const struct fe_c_function *f;
	const struct fe_c_token *t;

	for (f = n->alone->c->functions; f; f = f->next)
		for (t = f->body; t < f->end; t++)
			if (fe_c_is(t, n->symbol->name) && fe_c_is(t + 1, "("))
				return true;
	return false;
}

void fe_calls_declare(struct fe_unit *u)
{
	struct fe_nest *n;
	struct fe_call *c;

	for (n = u->nest; n; n = n->next)
		declare_nest(u, n);
	for (c = u->call; c; c = c->next)
		c->broken = !declare_call(u, c);
	for (n = u->nest; n; n = n->next)
		if (n->alone && !n->called && !is_called_inside(n))
			FE_REPORT(u, FE_NEST_UNUSED, &n->loc, n->symbol->name);
}

/* ----------------------------------------------------------------- matrices */

/* The call after "c" that changes the matrix "s". */
static const struct fe_call *next_change(const struct fe_call *c,
	const struct fe_symbol *s)
{
	const struct fe_arg *a;

	while ((c = c->next))
		for (a = c->broken ? NULL : c->arg; a; a = a->next)
			if (a->to && name_of(a) == s)
				return c;
	return NULL;
}

/* The tensor that the matrix "s" is now; NULL, having reported why. */
static struct fe_tensor *matrix(struct fe_unit *u, struct fe_symbol *s,
	const struct fe_scalar *e)
{
	if (s->node && s->def) {
		s->def->is_read = true;
		return s->def->tensor;
	}
	if (s->node)
		return fe_from_matrix(u, s->node);
	if (!s->broken && s->define_line)
		FE_REPORT(u, FE_EARLY, &e->loc, s->name, s->define_line);
	else if (!s->broken)
		fe_report_undefined(u, s, &e->loc, FE_MEANS_VALUE);
	s->broken = true;
	return NULL;
}

/* Let the call read the matrices as they are now; what it changes are tensors from
 * here on.
 */
static void follow(struct fe_unit *u, struct fe_call *c)
{
	struct fe_tensor *from;
	struct fe_arg *a;

	for (a = c->arg; a; a = a->next) {
		struct fe_symbol *s = name_of(a);

		if (!is_given(a) || a->from)
			continue;
		from = s->tensor ? fe_version(s->tensor, c->order) :
			matrix(u, s, a->value);
		if (!from) {
			c->broken = true;
			return;
		}
		read_version(a, from);
		if (!a->to)
			continue;
		s->changes = next_change(c, s);
		s->is_matrix = true;
		if (!s->tensor)
			s->tensor = a->to;
	}
	add_edges(u, c);
}

void fe_calls_follow(struct fe_unit *u, int order)
{
	struct fe_call *c;

	for (c = u->call; c && c->order < order; c = c->next) {
		if (c->ready || c->broken)
			continue;
		u->followed = c->order;
		fe_index_check(u, c->order);
		follow(u, c);
	}
}

/* ------------------------------------------------------------------ storage */

/* Does anything but the call "c" need "t"? */
static bool is_needed(const struct fe_unit *u, const struct fe_tensor *t,
	const struct fe_call *c)
{
	const struct fe_tensor *by;
	const struct fe_edge *edge;

	for (by = u->sorted; by; by = by->order_next)
		for (edge = by->live && by->call != c ? by->edge : NULL; edge;
		     edge = edge->next)
			if (edge->to == t && by->group != t->group)
				return true;
	return t->is_input || t->is_output;
}

void fe_calls_place(struct fe_unit *u)
{
	const struct fe_call *c;
	const struct fe_arg *a;

	for (c = u->call; c; c = c->next)
		for (a = c->arg; a; a = a->next)
			if (a->to && a->to->live)
				a->from->in_place = !is_needed(u, a->from, c);
}
