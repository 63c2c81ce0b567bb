/* Calls of nests among definitions.
 *
 * A nest reads versions of what it is given and makes new versions of what it
 * writes: text below the call reads these. Each is a tensor, which needs all that
 * the call is given:
 *
 *	P(i,j) = ..;	P, in its first version
 *	decay(P);	P, in its second one: the call made it of the first
 *	Q = P * P;	reads the second
 *
 * Sizes may be left out, as arrays have them. What arrays are given must have the
 * extents that the nest says. The call becomes a function of C (struct fe_call),
 * which is read, lowered and executed like any other.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/index/index.h"
#include "frontend/matrix/matrix.h"
#include "frontend/c/lower/lower.h"

#define NAME "cetane_"

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

static void describe(enum poly_type type, int n_dim, char text[64])
{
	if (n_dim)
		snprintf(text, 64, "an array of %s with %d dimension%s",
			poly_type_name(type), n_dim, n_dim == 1 ? "" : "s");
	else
		snprintf(text, 64, "a value of type %s", poly_type_name(type));
}

/* The argument is not what the nest takes. */
static void report_type(struct fe_unit *u, const struct fe_call *c,
	const struct fe_arg *a)
{
	const struct fe_c_var *v = a->formal->var;
	char wanted[64] = "a size", found[64] = "something else";

	if (!fe_c_is_size(a->formal))
		describe(v->type, v->n_dim, wanted);
	if (a->from)
		describe(a->from->type, a->from->rank, found);
	FE_REPORT(u, FE_CALL_TYPE, &a->value->loc, c->nest->symbol->name,
		wanted, found);
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
			n == 1 ? "" : "s", c->n_arg);
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
	report_type(u, c, a);
	return false;
}

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

static void declare_nest(struct fe_unit *u, struct fe_nest *n)
{
	struct fe_c_source how = { .original = u->whole,
		.original_len = u->len, .function = n->symbol->name };
	const struct fe_nest *other;
	bool once = true;

	for (other = u->nest; other; other = other->next)
		once &= other == n || other->symbol != n->symbol;
	if (fe_declare(u, n->symbol, &n->loc) && once)
		n->alone = fe_read_c(u->file, u->nest_text,
			strlen(u->nest_text), &how, NULL, 0, u->report);
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
		FE_REPORT(u, FE_UNDEFINED, &e->loc, s->name);
	s->broken = true;
	return NULL;
}

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

/* -------------------------------------------------------------------- sizes */

static bool same_form(struct fe_unit *u, const struct fe_bound *a,
	const struct fe_bound *b)
{
	return fe_bound_same(fe_bound_given(u, a), fe_bound_given(u, b));
}

static void no_memory(struct fe_unit *u, struct poly_str *s)
{
	poly_str_free(s);
	longjmp(u->arena.no_memory, 1);
}

static const char *form_text(struct fe_unit *u, const struct fe_bound *b,
	bool c)
{
	struct poly_str s = { 0 };
	const char *text;

	fe_bound_print(u, b, c ? NAME "size" : NULL, &s);
	if (s.failed)
		no_memory(u, &s);
	text = fe_arena_text(&u->arena, s.s, s.len);
	poly_str_free(&s);
	return text;
}

/* ------------------------------------------------------------------- checks */

/* A call that is checked: of each variable of the nest that is a size, what it
 * is.
 */
struct check {
	struct fe_unit *u;
	struct fe_call *c;
	struct fe_bound **size;
};

/* Is "e" a comparison of an index with a size, or several? */
static bool is_plain(struct fe_unit *u, const struct fe_scalar *e)
{
	struct fe_form f;
	int i;

	if (e->kind != FE_S_OP)
		return false;
	if (e->op == POLY_OP_AND)
		return is_plain(u, e->arg[0]) && is_plain(u, e->arg[1]);
	if (e->op != POLY_OP_LT && e->op != POLY_OP_LE)
		return false;
	for (i = 0; i < 2; i++) {
		int k, n = 0;

		if (e->arg[i]->kind != FE_S_INDEX ||
		    !fe_form_read(u, e->arg[!i], &f))
			continue;
		for (k = 0; k < f.n; k++)
			n += fe_term_count(&f.term[k], NULL);
		if (!n)
			return true;
	}
	return false;
}

/* The extent of the index "i", or NULL if it does not go from 0. */
static struct fe_bound *extent_of(struct fe_unit *u, const struct fe_index *i)
{
	struct fe_bound *b;

	if (i->n_upper != 1 || !fe_range_from_zero(i) || i->upper->div != 1)
		return NULL;
	b = fe_bound_copy(u, i->upper);
	b->constant++;
	return b;
}

/* Has "t" a value everywhere in a box from 0 on? */
static bool is_box(struct fe_unit *u, const struct fe_tensor *t)
{
	const struct fe_scalar *e;
	const struct fe_index *i = t->scope.first;
	int d;

	for (e = t->scope.condition; e; e = e->next)
		if (!is_plain(u, e))
			return false;
	for (d = 0; d < t->rank; d++, i = i->next)
		if (!extent_of(u, i))
			return false;
	return true;
}

/* a / b as C has it, if "b" is a number and "a" is never negative, else NULL. */
static struct fe_bound *divided(struct fe_unit *u, const struct fe_bound *a,
	const struct fe_bound *b)
{
	static const struct fe_bound zero = { .div = 1 };
	struct fe_bound *q = fe_bound_copy(u, a);
	int i;

	for (i = 0; i < b->n; i++)
		if (b->coef[i])
			return NULL;
	if (b->constant <= 0 || b->constant > FE_MAX_NUMBER ||
	    !fe_bound_implies(u, &zero, a, true))
		return NULL;
	q->div = b->constant;
	return fe_bound_floor(u, q) ? q : NULL;
}

/* "e", an extent in the nest, in the sizes of the program; NULL if it cannot be
 * told.
 */
static struct fe_bound *form_of(struct check *k, const struct fe_c_expr *e)
{
	struct fe_bound *a, *b, *f;

	e = fe_c_without_casts(e);
	f = fe_bound_new(k->u);
	if (e->kind == FE_C_INT) {
		f->constant = e->bits;
		return f;
	}
	if (e->kind == FE_C_VAR)
		return k->size[e->var->id];
	if (e->kind != FE_C_OP)
		return NULL;
	a = form_of(k, e->arg[0]);
	b = e->arg[1] ? form_of(k, e->arg[1]) : a;
	if (!a || !b)
		return NULL;
	switch (e->op) {
	case POLY_OP_DIV:
		return divided(k->u, a, b);
	case POLY_OP_ADD:
	case POLY_OP_SUB:
		return fe_bound_add(k->u, f, a, 1) && fe_bound_add(k->u, f, b,
			e->op == POLY_OP_ADD ? 1 : -1) ? f : NULL;
	case POLY_OP_NEG:
		return fe_bound_add(k->u, f, a, -1) ? f : NULL;
	case POLY_OP_MUL:
		if (e->arg[0]->kind == FE_C_INT)
			return fe_bound_add(k->u, f, b, a->constant) ? f : NULL;
		return e->arg[1]->kind == FE_C_INT &&
			fe_bound_add(k->u, f, a, b->constant) ? f : NULL;
	default:
		return NULL;
	}
}

/* Sizes that are left out are those of the arrays. */
static bool find_sizes(struct check *k)
{
	const struct fe_c_param *p;
	const struct fe_arg *a;
	int d;

	for (a = k->c->arg; a; a = a->next) {
		const struct fe_c_var *v = a->formal->var;
		const struct fe_index *i = a->from ? a->from->scope.first : NULL;

		for (d = 0; d < v->n_dim; d++, i = i->next) {
			const struct fe_c_expr *e =
				fe_c_without_casts(v->dim[d]);

			if (e->kind == FE_C_VAR && !k->size[e->var->id])
				k->size[e->var->id] = extent_of(k->u, i);
		}
	}
	for (p = k->c->nest->alone->c->param; p; p = p->next) {
		if (!fe_c_is_size(p) || k->size[p->var->id])
			continue;
		FE_REPORT(k->u, FE_CALL_SIZE, &k->c->loc, p->var->name);
		return false;
	}
	return true;
}

static bool check_extents(struct check *k, const struct fe_arg *a)
{
	const struct fe_c_var *v = a->formal->var;
	const struct fe_index *i = a->from->scope.first;
	int d;

	for (d = 0; d < v->n_dim; d++, i = i->next) {
		struct fe_bound *is = extent_of(k->u, i);
		struct fe_bound *said = form_of(k, v->dim[d]);

		if (said && same_form(k->u, is, said))
			continue;
		FE_REPORT(k->u, FE_CALL_EXTENT, &a->value->loc, d + 1,
			a->from->symbol->name, form_text(k->u, is, false),
			said ? form_text(k->u, said, false) :
			"what is not known");
		return false;
	}
	return true;
}

/* The tensor that is given has the type and dimensions, as a box. */
static bool check_given(struct check *k, const struct fe_arg *a)
{
	const struct fe_c_var *v = a->formal->var;

	if (a->from->type != v->type || a->from->rank != v->n_dim) {
		report_type(k->u, k->c, a);
		return false;
	}
	if (is_box(k->u, a->from))
		return true;
	FE_REPORT(k->u, FE_CALL_BOX, &a->value->loc, a->from->symbol->name);
	return false;
}

/* A number, if "e" is one, perhaps behind a sign. */
static bool number_of(const struct fe_scalar *e, double *value)
{
	double sign = 1;

	if (e->kind == FE_S_OP && e->op == POLY_OP_NEG) {
		sign = -1;
		e = e->arg[0];
	}
	*value = sign * e->value;
	return e->kind == FE_S_NUMBER && isfinite(e->value);
}

/* The value that is given, as a text of C; NULL, having reported why. */
static const char *value_text(struct check *k, const struct fe_arg *a)
{
	const struct fe_c_var *v = a->formal->var;
	int before = k->u->report->n_error;
	struct fe_bound *b;
	char text[40];
	double x;

	if (poly_type_is_float(v->type) && number_of(a->value, &x)) {
		snprintf(text, sizeof(text), "(%a)", x);
		return fe_arena_text(&k->u->arena, text, strlen(text));
	}
	if (a->value->kind == FE_S_NUMBER && !a->value->whole) {
		report_type(k->u, k->c, a);
		return NULL;
	}
	fe_bind_size(k->u, a->value);
	if (k->u->report->n_error > before)
		return NULL;
	b = fe_range_form(k->u, a->value);
	if (!b) {
		report_type(k->u, k->c, a);
		return NULL;
	}
	if (!poly_type_is_float(v->type))
		k->size[v->id] = b;
	return form_text(k->u, b, true);
}

/* --------------------------------------------------------------- the call in C */

/* "TYPE cetane_arg0[cetane_size0]" */
static void print_array(struct check *k, const struct fe_tensor *t, int n,
	struct poly_str *out)
{
	const struct fe_index *i = t->scope.first;
	int d;

	poly_str_printf(out, ", %s " NAME "arg%d", poly_type_name(t->type), n);
	for (d = 0; d < t->rank; d++, i = i->next) {
		poly_str_add(out, "[");
		fe_bound_print(k->u, extent_of(k->u, i), NAME "size", out);
		poly_str_add(out, "]");
	}
}

/* What stands for the parameter "p" of the nest in the call. */
static const char *argument(struct check *k, const struct fe_c_param *p,
	const char *const *value)
{
	const struct fe_arg *a;
	char text[40];
	int n = 0;

	for (a = k->c->arg; a && a->formal != p; a = a->next)
		n++;
	if (a && a->from) {
		snprintf(text, sizeof(text), NAME "arg%d", n);
		return fe_arena_text(&k->u->arena, text, strlen(text));
	}
	if (a)
		return value[n];
	return form_text(k->u, k->size[p->var->id], true);
}

/* What the function that calls is called: nothing of the nests' text. */
static const char *caller(const struct check *k)
{
	struct poly_str name = { 0 };
	const char *copy;

	poly_str_add(&name, NAME "call");
	while (!name.failed && strstr(k->u->nest_text, name.s))
		poly_str_add(&name, "_");
	if (name.failed)
		no_memory(k->u, &name);
	copy = fe_arena_text(&k->u->arena, name.s, name.len);
	poly_str_free(&name);
	return copy;
}

static void print_call(struct check *k, const char *const *value,
	struct poly_str *out)
{
	const struct fe_c_param *p;
	const struct fe_param *size;
	const struct fe_arg *a;
	int n = 0;

	poly_str_printf(out, "\n# %d \"%s\"\nvoid %s(int " NAME "none",
		k->c->loc.line, k->u->file, caller(k));
	for (size = k->u->param; size; size = size->next)
		poly_str_printf(out, ", param " NAME "size%d", size->index);
	for (a = k->c->arg; a; a = a->next, n++)
		if (a->from)
			print_array(k, a->from, n, out);
	poly_str_printf(out, ") { %s(", k->c->nest->symbol->name);
	for (p = k->c->nest->alone->c->param; p; p = p->next)
		poly_str_printf(out, "%s%s", argument(k, p, value),
			p->next ? ", " : "");
	poly_str_add(out, "); }\n");
}

/* What the nest assumes of the sizes must hold for those that -D gives. */
static bool check_sizes(struct check *k)
{
	const char *assumed = k->c->unit->c->assumed;
	isl_ctx *ctx = poly_ctx_alloc();
	isl_set *set = ctx && assumed ? isl_set_read_from_str(ctx, assumed) :
		NULL;
	const struct fe_param *p;
	char name[40], *text;
	isl_bool empty;
	isl_set *left;

	for (p = k->u->param; p; p = p->next) {
		int at;

		snprintf(name, sizeof(name), NAME "size%d", p->index);
		at = isl_set_find_dim_by_name(set, isl_dim_param, name);
		if (at >= 0)
			set = isl_set_set_dim_name(set, isl_dim_param,
				(unsigned)at, p->symbol->name);
	}
	left = isl_set_copy(set);
	for (p = k->u->param; p; p = p->next) {
		int at = isl_set_find_dim_by_name(left, isl_dim_param,
			p->symbol->name);

		if (at >= 0 && p->fixed)
			left = isl_set_fix_si(left, isl_dim_param,
				(unsigned)at, (int)p->value);
	}
	empty = isl_set_is_empty(left);
	isl_set_free(left);
	text = empty == isl_bool_true ? fe_c_conditions(set) : NULL;
	if (empty == isl_bool_true)
		FE_REPORT(k->u, FE_C_SIZES, &k->c->loc, text ? text : "?");
	free(text);
	isl_set_free(set);
	if (ctx)
		poly_ctx_free(ctx);
	return empty != isl_bool_true;
}

static bool read_call(struct check *k, const char *const *value)
{
	struct fe_c_source how = { .original = k->u->whole,
		.original_len = k->u->len, .function = caller(k),
		.call = true };
	struct poly_str text = { 0 };
	struct fe_call *c = k->c;
	int n = k->u->report->n_msg;

	poly_str_add(&text, k->u->nest_text);
	print_call(k, value, &text);
	if (text.failed)
		no_memory(k->u, &text);
	c->unit = fe_read_c(k->u->file, text.s, text.len, &how, NULL, 0,
		k->u->report);
	poly_str_free(&text);
	poly_report_drop_told(k->u->report, n);
	return c->unit && check_sizes(k);
}

/* The new version is like the old one. */
static void copy_shape(struct fe_tensor *t, struct fe_unit *u)
{
	const struct fe_tensor *from = t->from;
	const struct fe_index *i = from->scope.first;
	struct fe_index **at = &t->scope.first;
	int d;

	t->has_type = true;
	t->type = from->type;
	t->rank = t->n_slot = t->scope.n = from->rank;
	for (d = 0; d < t->rank; d++, i = i->next) {
		*at = fe_arena_alloc(&u->arena, sizeof(**at));
		**at = *i;
		(*at)->next = NULL;
		(*at)->slot = d;
		(*at)->written = false;
		at = &(*at)->next;
	}
}

static bool check(struct check *k)
{
	const char **value = fe_arena_alloc(&k->u->arena,
		((size_t)k->c->n_arg + 1) * sizeof(*value));
	struct fe_arg *a;
	int n = 0;

	for (a = k->c->arg; a; a = a->next) {
		if (a->from && a->from->broken)
			return false;
		if (a->from && !check_given(k, a))
			return false;
	}
	for (a = k->c->arg; a; a = a->next, n++)
		if (!a->from && !(value[n] = value_text(k, a)))
			return false;
	if (!find_sizes(k))
		return false;
	for (a = k->c->arg; a; a = a->next)
		if (a->from && !check_extents(k, a))
			return false;
	return read_call(k, value);
}

void fe_call_check(struct fe_unit *u, struct fe_call *c)
{
	struct check k = { .u = u, .c = c };
	struct fe_arg *a;

	if (!c->broken && !c->unit) {
		k.size = fe_arena_alloc(&u->arena,
			((size_t)c->nest->alone->c->n_var + 1) *
			sizeof(struct fe_bound *));
		c->broken = !check(&k);
	}
	for (a = c->arg; a; a = a->next) {
		if (!a->to)
			continue;
		a->to->broken |= c->broken;
		if (!a->to->broken)
			copy_shape(a->to, u);
	}
}

/* -------------------------------------------------------------------- names */

/* The number behind "prefix" in the name of "v", or -1. */
static int number_behind(const struct fe_c_var *v, const char *prefix)
{
	size_t len = strlen(prefix);

	return strncmp(v->name, prefix, len) ? -1 : atoi(v->name + len);
}

int fe_call_size(const struct fe_unit *u, const struct fe_c_var *v)
{
	int n = v->is_param ? number_behind(v, NAME "size") : -1;

	return n < u->n_param ? n : -1;
}

void fe_call_name_sizes(const struct fe_unit *u, struct fe_call *c)
{
	const struct fe_param *p;
	struct fe_c_var *v;

	for (v = c->unit ? c->unit->c->var : NULL; v; v = v->next)
		for (p = u->param; p; p = p->next)
			if (fe_call_size(u, v) == p->index)
				v->lowered = p->name;
}

const struct fe_arg *fe_call_arg(const struct fe_call *c,
	const struct fe_c_var *v)
{
	int n = v->is_param ? number_behind(v, NAME "arg") : -1;
	const struct fe_arg *a = n < 0 ? NULL : c->arg;

	for (; a && n; n--)
		a = a->next;
	return a;
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
