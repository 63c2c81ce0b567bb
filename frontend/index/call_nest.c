/* The nest of a call, for what the call gives it.
 *
 * The text of the nest is read as if a function of C called it: the program's sizes
 * and the arrays that are given become variables outside, and the parameters of the
 * nest names for these, or for values made of sizes.
 *
 *	nest f(param n, f32 a[n]) { for (..) a[i] = n; }
 *	f(2*N, P);	is	for (..) P[i] = 2*N;
 *
 * From there on it is a nest as any other.
 */
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <isl/set.h>

#include "frontend/index/call.h"
#include "frontend/c/c.h"
#include "frontend/c/read/read.h"
#include "frontend/c/lower/lower.h"

/* A call whose nest is read, of the program "unit". "size" is fe_call_read's. */
struct caller {
	struct fe_unit *unit;
	struct fe_call *call;
	struct fe_bound *const *size;
};

/* -------------------------------------------------------------------- forms */

static struct fe_c_expr *form(const struct caller *k, struct fe_c_parse *p,
	const struct fe_bound *b);

/* What coefficient "i" of a form counts: a size, or a quotient of sizes. */
static struct fe_c_expr *counted(const struct caller *k, struct fe_c_parse *p,
	int i)
{
	const struct poly_loc *loc = &k->call->loc;
	const struct fe_bound *of;

	if (i < k->unit->n_param)
		return fe_c_scalar(p, k->call->size[i], loc);
	of = fe_quotient_at(k->unit, i)->of;
	return fe_c_binary(p, POLY_OP_DIV, loc, form(k, p, of),
		fe_c_int(p->u, POLY_I64, of->div, loc));
}

/* "sum" + k * "e"; "sum" is NULL in the beginning. */
static struct fe_c_expr *add(struct fe_c_parse *p, const struct poly_loc *loc,
	struct fe_c_expr *sum, int64_t k, struct fe_c_expr *e)
{
	enum poly_op op = sum && k < 0 ? POLY_OP_SUB : POLY_OP_ADD;

	if (sum && k < 0)
		k = -k;
	if (k != 1)
		e = fe_c_binary(p, POLY_OP_MUL, loc,
			fe_c_int(p->u, POLY_I64, k, loc), e);
	return sum ? fe_c_binary(p, op, loc, sum, e) : e;
}

/* What "b" divides, as an expression of C. */
static struct fe_c_expr *form(const struct caller *k, struct fe_c_parse *p,
	const struct fe_bound *b)
{
	const struct poly_loc *loc = &k->call->loc;
	struct fe_c_expr *sum = NULL, *one;
	int i;

	for (i = 0; i < b->n; i++)
		if (b->coef[i])
			sum = add(p, loc, sum, b->coef[i], counted(k, p, i));
	one = fe_c_int(p->u, POLY_I64, sum ? llabs(b->constant) : b->constant,
		loc);
	if (!sum)
		return one;
	return b->constant ? add(p, loc, sum, b->constant < 0 ? -1 : 1, one) :
		sum;
}

/* ---------------------------------------------------------------- variables */

/* Give the nest a variable for each size of the program. */
static void add_sizes(const struct caller *k, struct fe_c_parse *p)
{
	const struct fe_param *size;

	for (size = k->unit->param; size; size = size->next) {
		struct fe_c_var *v = fe_c_add_var(p, size->symbol->name,
			POLY_I64, &k->call->loc);

		v->is_param = v->by_value = v->is_size = true;
		k->call->size[size->index] = v;
	}
}

/* The variable that stands for the definition that "a" passes: an array, or a
 * scalar by value.
 */
static struct fe_c_var *add_array(const struct caller *k, struct fe_c_parse *p,
	const struct fe_arg *a)
{
	const struct fe_index *i = a->from->scope.first;
	struct fe_c_var *v = fe_c_add_var(p, a->value->symbol->name,
		a->from->type, &k->call->loc);
	int d;

	v->is_param = true;
	v->n_dim = a->from->rank;
	v->by_value = !v->n_dim;
	for (d = 0; d < v->n_dim; d++, i = i->next)
		v->dim[d] = form(k, p, fe_call_extent(k->unit, i));
	return v;
}

/* ------------------------------------------------------------------ arguments */

/* What "a" passes if it is no definition: a form of sizes, or a number. */
static struct fe_c_expr *value(const struct caller *k, struct fe_c_parse *p,
	const struct fe_arg *a)
{
	struct fe_c_expr *e;

	if (a->form)
		return form(k, p, a->form);
	e = fe_c_node(p, FE_C_FLOAT, POLY_F64, &k->call->loc);
	e->value = a->number;
	return e;
}

/* What the parameter "formal" of the nest is given: a size that is left out is the
 * extent that the arrays say.
 */
static struct fe_c_given given_for(const struct caller *k,
	struct fe_c_parse *p, const struct fe_c_param *formal)
{
	struct fe_c_given g = { 0 };
	struct fe_arg *a;

	for (a = k->call->arg; a && a->formal != formal; a = a->next)
		;
	if (a && a->from && a->from->rank)
		g.var = a->var;
	else if (a && a->from)
		g.value = fe_c_scalar(p, a->var, &k->call->loc);
	else
		g.value = a ? value(k, p, a) :
			form(k, p, k->size[formal->var->id]);
	return g;
}

/* Add the variables outside, and say what each parameter of the nest gets;
 * sizes come first, as extents have them.
 */
static void give(struct fe_c_parse *p, struct fe_c_given *given, void *user)
{
	const struct caller *k = user;
	const struct fe_c_param *formal = k->call->nest->alone->c->param;
	struct fe_arg *a;

	add_sizes(k, p);
	for (a = k->call->arg; a; a = a->next)
		if (a->from)
			a->var = add_array(k, p, a);
	for (; formal; formal = formal->next)
		*given++ = given_for(k, p, formal);
}

static int count_params(const struct fe_call *c)
{
	const struct fe_c_param *p;
	int n = 0;

	for (p = c->nest->alone->c->param; p; p = p->next)
		n++;
	return n;
}

/* -------------------------------------------------------------------- sizes */

/* "set", of the call's sizes, in the names of the text. With "fixed", those that -D
 * gives have their values.
 */
static __isl_give isl_set *in_text(const struct caller *k,
	__isl_take isl_set *set, bool fixed)
{
	const struct fe_param *p;

	for (p = k->unit->param; p; p = p->next) {
		int at = isl_set_find_dim_by_name(set, isl_dim_param,
			k->call->size[p->index]->lowered);

		if (at >= 0 && fixed && p->fixed)
			set = isl_set_fix_si(set, isl_dim_param, (unsigned)at,
				(int)p->value);
		if (at >= 0)
			set = isl_set_set_dim_name(set, isl_dim_param,
				(unsigned)at, p->symbol->name);
	}
	return set;
}

/* What the nest assumes of the sizes must hold for those that -D gives. */
static bool check_sizes(const struct caller *k)
{
	const char *assumed = k->call->unit->c->assumed;
	isl_ctx *ctx = poly_ctx_alloc();
	isl_set *set = ctx && assumed ? isl_set_read_from_str(ctx, assumed) :
		NULL;
	isl_set *left = in_text(k, isl_set_copy(set), true);
	bool none = isl_set_is_empty(left) == isl_bool_true;
	char *text;

	isl_set_free(left);
	set = in_text(k, set, false);
	if (none) {
		text = fe_c_conditions(set);
		FE_REPORT(k->unit, FE_C_SIZES, &k->call->loc,
			text ? text : "?");
		free(text);
	}
	isl_set_free(set);
	if (ctx)
		poly_ctx_free(ctx);
	return !none;
}

/* ----------------------------------------------------------------- the call */

bool fe_call_read(struct fe_unit *u, struct fe_call *c,
	struct fe_bound *const *size)
{
	struct caller k = { u, c, size };
	struct fe_c_caller caller = { .loc = &c->loc, .n = count_params(c),
		.give = give, .user = &k };
	struct fe_how how = { .original = u->whole,
		.original_len = u->len, .function = c->nest->symbol->name,
		.caller = &caller };
	int before = u->report->n_msg;

	c->size = fe_arena_alloc(&u->arena,
		((size_t)u->n_param + 1) * sizeof(struct fe_c_var *));
	c->unit = fe_unit_own(u, fe_read_c(u->file, u->nest_text,
		strlen(u->nest_text), &how, NULL, 0, u->report));
	poly_report_drop_told(u->report, before);
	return c->unit && check_sizes(&k);
}

int fe_call_size(const struct fe_call *c, const struct fe_c_var *v)
{
	int i = 0;

	while (c->size[i] != v)
		i++;
	return i;
}

void fe_call_name_sizes(const struct fe_unit *u, struct fe_call *c)
{
	const struct fe_param *p;

	for (p = c->unit ? u->param : NULL; p; p = p->next)
		c->size[p->index]->lowered = p->name;
}
