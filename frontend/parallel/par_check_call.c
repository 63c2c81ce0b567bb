/* Data-parallel functions: checks of calls.
 *
 * Each check sets the type of the call, "e->type", and what the evaluator needs
 * ("builtin", "callee", "dim"). A check reports and returns false; its caller
 * goes on with other arguments, so that one run tells as many mistakes as there
 * are, but never two about one expression.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/parallel/parallel.h"

/* Fields of zip are called a to z. */
enum { MAX_ZIP = 26 };	/* arrays of zip */

static const struct {
	const char *name;
	enum fe_par_builtin id;
	int n_arg;
} builtins[] = {
#define BUILTIN(id, name, n) { name, FE_PAR_B_##id, n },
#include "frontend/parallel/par_builtin.def"
#undef BUILTIN
};

/* False, so that a check can end with it. */
static bool report_count(struct fe_par_checker *ck, const struct fe_par_expr *e,
	int want)
{
	FE_REPORT(ck->unit, FE_ARGUMENTS, &e->loc, e->symbol->name, want,
		want == 1 ? "" : "s", e->n_arg);
	return false;
}

/* "e" has to be an array of "rank" dimensions or more.
 *
 * "what" is the name of whoever wants it, for the message.
 */
static bool need_array(struct fe_par_checker *ck, const struct fe_par_expr *e,
	const char *what, int rank)
{
	char name[96];

	if (e->type.rank >= rank)
		return true;
	FE_REPORT(ck->unit, FE_PAR_ARRAY, &e->loc, what, rank,
		fe_par_type_name(&e->type, name));
	return false;
}

/* Check the arguments from "a" on.
 *
 * All are checked, even behind one that is wrong.
 */
static bool check_all(struct fe_par_checker *ck, struct fe_par_expr *a)
{
	bool good = true;

	for (; a; a = a->next)
		good &= fe_par_check_expr(ck, a);
	return good;
}

/* ------------------------------------------------- what works on arrays */

/* The argument "a" has to be an operator, or name a function.
 *
 * Only its kind is checked here: its type depends on the arguments
 * (fe_par_apply_type). A variable hides a function of its name.
 */
static bool need_function(struct fe_par_checker *ck, struct fe_par_expr *a,
	const struct fe_par_expr *call)
{
	if (a->kind == FE_PAR_E_OPERATOR)
		return true;
	if (a->kind == FE_PAR_E_NAME && !fe_par_find_var(ck, a->symbol) &&
	    fe_par_find_callee(ck->prog, a)) {
		fe_par_note_call(ck, &a->callee, &a->loc);
		return true;
	}
	FE_REPORT(ck->unit, FE_PAR_NO_OPERATOR, &a->loc, call->symbol->name);
	return false;
}

/* map(f, xs), zip_with(f, xs, ys, ..)
 *
 * The result is an array of what f makes of the elements. Arrays of different
 * lengths are found in evaluation, where lengths are known.
 */
static bool check_map(struct fe_par_checker *ck, struct fe_par_expr *e)
{
	struct fe_par_type arg[FE_MAX_NESTING], result;
	struct fe_par_expr *a = e->arg->next;
	bool good = need_function(ck, e->arg, e) && check_all(ck, a);
	int n = 0;

	for (; good && a; a = a->next) {
		good = need_array(ck, a, e->symbol->name, 1);
		if (good && n < FE_MAX_NESTING)
			arg[n++] = fe_par_element(a->type);
	}
	good = good && fe_par_apply_type(ck->unit, &e->arg->callee, arg, n,
		&e->arg->loc, &result);
	if (good)
		e->type = fe_par_array_of(result);
	return good;
}

/* May the operator be associative? A function of the text promises it.
 *
 * The regrouping of a reduction is right only for such. Of operators it is
 * known; a function cannot be asked.
 */
static bool is_chain(const struct fe_par_callee *c)
{
	return c->kind == FE_PAR_C_FUNCTION || (c->kind == FE_PAR_C_OP &&
		(c->op == POLY_OP_ADD || c->op == POLY_OP_MUL ||
		 c->op == POLY_OP_MIN || c->op == POLY_OP_MAX ||
		 c->op == POLY_OP_AND || c->op == POLY_OP_OR ||
		 c->op == POLY_OP_XOR));
}

/* What "f" makes, "found", has to be of the type "want".
 *
 * Reports at "f".
 */
static bool need_same(struct fe_par_checker *ck, const struct fe_par_expr *f,
	const struct fe_par_type *found, const struct fe_par_type *want)
{
	char one[96], other[96];

	if (fe_par_same(found, want))
		return true;
	FE_REPORT(ck->unit, FE_PAR_TYPE, &f->loc, fe_par_type_name(want, one),
		fe_par_type_name(found, other));
	return false;
}

/* reduce(op, id, xs), scan, exscan; segmented_reduce(op, id, bs, xs), segmented_scan
 *
 * The identity must have the type of an element, and the operator make one of
 * two such. xs is the last argument; of the segmented ones the begins of
 * segments stand before it.
 */
static bool check_reduce(struct fe_par_checker *ck, struct fe_par_expr *e)
{
	const struct fe_par_type truths = { .base = POLY_BOOL, .rank = 1 };
	struct fe_par_expr *op = e->arg, *id = op->next, *xs = id->next;
	struct fe_par_type one[2], result;

	if (!need_function(ck, op, e) || !check_all(ck, id) ||
	    (xs->next && !fe_par_require(ck->unit, xs, &truths)))
		return false;
	xs = xs->next ? xs->next : xs;
	if (!need_array(ck, xs, e->symbol->name, 1))
		return false;
	if (!is_chain(&op->callee)) {
		FE_REPORT(ck->unit, FE_PAR_CHAIN, &op->loc,
			op->callee.spelling, e->symbol->name);
		return false;
	}
	one[0] = one[1] = fe_par_element(xs->type);
	if (one[0].rank) {
		FE_REPORT(ck->unit, FE_PAR_YET, &xs->loc, e->symbol->name,
			"the elements of its array are arrays");
		return false;
	}
	if (!fe_par_require(ck->unit, id, &one[0]) ||
	    !fe_par_apply_type(ck->unit, &op->callee, one, 2, &op->loc,
		&result))
		return false;
	if (!need_same(ck, op, &result, &one[0]))
		return false;
	e->type = e->builtin == FE_PAR_B_REDUCE ? result :
		fe_par_array_of(result);
	return true;
}

/* iterate(f, n, x)
 *
 * n is an int; f takes and makes one type, that of x. Arrays as x would need a
 * store for each step.
 */
static bool check_iterate(struct fe_par_checker *ck, struct fe_par_expr *e)
{
	const struct fe_par_type whole = fe_par_plain(POLY_I32);
	struct fe_par_expr *f = e->arg, *n = f->next, *x = n->next;
	struct fe_par_type result;

	if (!need_function(ck, f, e) || !check_all(ck, n) ||
	    !fe_par_require(ck->unit, n, &whole))
		return false;
	/* a literal as x takes the type that f wants */
	if (f->callee.kind == FE_PAR_C_FUNCTION && f->callee.n_arg == 1)
		fe_par_settle(ck->unit, x, f->callee.function->param->type.base);
	fe_par_settle_alone(ck->unit, x);
	if (x->type.rank) {
		FE_REPORT(ck->unit, FE_PAR_YET, &x->loc, e->symbol->name,
			"what goes on is an array");
		return false;
	}
	e->type = x->type;
	return fe_par_apply_type(ck->unit, &f->callee, &x->type, 1, &f->loc,
		&result) && need_same(ck, f, &result, &x->type);
}

/* range(n), transpose(xss), argmin(xs), argmax(xs), dimK(xs)
 *
 * Their results are ints or views; nothing is computed.
 */
static bool check_view(struct fe_par_checker *ck, struct fe_par_expr *e)
{
	const struct fe_par_type whole = fe_par_plain(POLY_I32);
	struct fe_par_type one;
	char name[96];

	if (!check_all(ck, e->arg))
		return false;
	switch (e->builtin) {
	case FE_PAR_B_RANGE:
		e->type = fe_par_array_of(whole);
		return fe_par_require(ck->unit, e->arg, &whole);
	case FE_PAR_B_TRANSPOSE:
		e->type = e->arg->type;
		return need_array(ck, e->arg, e->symbol->name, 2);
	case FE_PAR_B_DIM:
		e->type = whole;
		return need_array(ck, e->arg, e->symbol->name, e->dim + 1);
	default:
		e->type = whole;
		if (!need_array(ck, e->arg, e->symbol->name, 1))
			return false;
		one = fe_par_element(e->arg->type);
		if (!fe_par_is_number(&one)) {
			FE_REPORT(ck->unit, FE_OPERAND, &e->loc,
				e->symbol->name, fe_par_type_name(&one, name));
			return false;
		}
		return true;
	}
}

/* Is "a" an operator, or the name of a function?
 *
 * As need_function, without a message.
 */
static bool is_function(const struct fe_par_checker *ck,
	const struct fe_par_expr *a)
{
	return a->kind == FE_PAR_E_OPERATOR ||
		(a->kind == FE_PAR_E_NAME && !fe_par_find_var(ck, a->symbol));
}

/* filter_with(xs, bs), or filter_with(f, xs)
 *
 * Two forms: truths beside the elements, or a function that makes them.
 */
static bool check_filter(struct fe_par_checker *ck, struct fe_par_expr *e)
{
	const struct fe_par_type truths = { .base = POLY_BOOL, .rank = 1 };
	const struct fe_par_type truth = fe_par_plain(POLY_BOOL);
	struct fe_par_expr *first = e->arg, *second = first->next;
	struct fe_par_type one, result;

	if (is_function(ck, first)) {
		if (!need_function(ck, first, e) || !check_all(ck, second) ||
		    !need_array(ck, second, e->symbol->name, 1))
			return false;
		one = fe_par_element(second->type);
		e->type = second->type;
		return fe_par_apply_type(ck->unit, &first->callee, &one, 1,
			&first->loc, &result) &&
			need_same(ck, first, &result, &truth);
	}
	if (!check_all(ck, first) ||
	    !need_array(ck, first, e->symbol->name, 1))
		return false;
	e->type = first->type;
	return fe_par_require(ck->unit, second, &truths);
}

/* "e", of type "t", has to be a number, a key of a sort. */
static bool need_key(struct fe_par_checker *ck, const struct fe_par_expr *e,
	const struct fe_par_type *t, const struct fe_par_expr *call)
{
	char name[96];

	if (fe_par_is_number(t))
		return true;
	FE_REPORT(ck->unit, FE_OPERAND, &e->loc, call->symbol->name,
		fe_par_type_name(t, name));
	return false;
}

/* sort(xs) */
static bool check_sort(struct fe_par_checker *ck, struct fe_par_expr *e)
{
	struct fe_par_type one;

	if (!check_all(ck, e->arg) ||
	    !need_array(ck, e->arg, e->symbol->name, 1))
		return false;
	e->type = one = e->arg->type;
	one.rank = 0;
	return need_key(ck, e->arg, &one, e);
}

/* sort_by(ks, xs), or sort_by(f, xs) */
static bool check_sort_by(struct fe_par_checker *ck, struct fe_par_expr *e)
{
	struct fe_par_expr *keys = e->arg, *xs = keys->next;
	struct fe_par_type one, key;

	if (!is_function(ck, keys)) {
		if (!check_all(ck, keys) ||
		    !need_array(ck, keys, e->symbol->name, 1) ||
		    !need_array(ck, xs, e->symbol->name, 1))
			return false;
		e->type = xs->type;
		key = fe_par_element(keys->type);
		return need_key(ck, keys, &key, e);
	}
	if (!need_function(ck, keys, e) || !check_all(ck, xs) ||
	    !need_array(ck, xs, e->symbol->name, 1))
		return false;
	one = fe_par_element(xs->type);
	e->type = xs->type;
	if (!fe_par_apply_type(ck->unit, &keys->callee, &one, 1, &keys->loc,
	    &key) || !need_key(ck, keys, &key, e))
		return false;
	e->key = key.base;
	return true;
}

/* Add a field of the type "t" to "r", by the name of a letter.
 *
 * The letters go on from field to field.
 */
static void add_field(struct fe_unit *u, struct fe_par_record *r,
	const struct fe_par_expr *e, struct fe_par_type t)
{
	struct fe_par_var *field = fe_arena_alloc(&u->arena, sizeof(*field));
	struct fe_par_var **tail = &r->field;
	const char letter = (char)('a' + r->n_field++);

	field->symbol = fe_symbol_find(u, &letter, 1);
	field->loc = e->loc;
	field->type = t;
	while (*tail)
		tail = &(*tail)->next;
	*tail = field;
}

/* What messages call the structure "r", which has no name: "(int, float)".
 *
 * The text is a name like any other, so equal structures look equal in
 * messages.
 */
static struct fe_symbol *name_fields(struct fe_unit *u,
	const struct fe_par_record *r)
{
	const struct fe_par_var *v;
	struct fe_symbol *symbol;
	struct poly_str s = { 0 };
	char name[96];

	for (v = r->field; v; v = v->next)
		poly_str_printf(&s, "%s%s", v == r->field ? "(" : ", ",
			fe_par_type_name(&v->type, name));
	poly_str_add(&s, ")");
	symbol = fe_symbol_find(u, s.s ? s.s : "?", s.s ? strlen(s.s) : 1);
	poly_str_free(&s);
	return symbol;
}

/* zip(xs, ys, ..): structures of the elements at one position.
 *
 * At most MAX_ZIP arrays of numbers or structures; arrays in a structure have
 * no layout yet.
 */
static bool check_zip(struct fe_par_checker *ck, struct fe_par_expr *e)
{
	struct fe_par_record *r = fe_arena_alloc(&ck->unit->arena, sizeof(*r));
	struct fe_par_expr *a;
	bool good = check_all(ck, e->arg);

	for (a = e->arg; good && a; a = a->next) {
		good = need_array(ck, a, e->symbol->name, 1);
		if (good && (a->type.rank > 1 || r->n_field == MAX_ZIP)) {
			FE_REPORT(ck->unit, FE_PAR_YET, &a->loc, e->symbol->name,
				a->type.rank > 1 ? "there is an array in a "
				"struct" : "there are too many arrays");
			return false;
		}
		if (good)
			add_field(ck->unit, r, a, fe_par_element(a->type));
	}
	r->loc = e->loc;
	r->unnamed = true;
	r->symbol = name_fields(ck->unit, r);
	e->type = (struct fe_par_type) { .base = POLY_N_TYPE, .record = r,
		.rank = 1 };
	return good;
}

/* unzip(ps): the same array, whose fields are arrays.
 *
 * Nothing happens: a field of an array of structures is an array already
 * (check_field).
 */
static bool check_unzip(struct fe_par_checker *ck, struct fe_par_expr *e)
{
	char name[96];

	if (!check_all(ck, e->arg) ||
	    !need_array(ck, e->arg, e->symbol->name, 1))
		return false;
	e->type = e->arg->type;
	if (e->type.record)
		return true;
	FE_REPORT(ck->unit, FE_OPERAND, &e->loc, e->symbol->name,
		fe_par_type_name(&e->type, name));
	return false;
}

/* "e" has to be an array of integers; false, having reported.
 *
 * A literal alone becomes i32.
 */
static bool need_positions(struct fe_par_checker *ck, struct fe_par_expr *e)
{
	char name[96];

	fe_par_settle_alone(ck->unit, e);
	if (e->type.rank == 1 && fe_par_is_number(&(struct fe_par_type) {
	    .base = e->type.base, .record = e->type.record }) &&
	    !poly_type_is_float(e->type.base))
		return true;
	FE_REPORT(ck->unit, FE_PAR_TYPE, &e->loc, "int[]",
		fe_par_type_name(&e->type, name));
	return false;
}

/* gather(xs, is) and histogram(n, is)
 *
 * gather takes elements of xs at is; histogram counts how often each number
 * below n is in is.
 */
static bool check_positions(struct fe_par_checker *ck, struct fe_par_expr *e)
{
	const struct fe_par_type whole = fe_par_plain(POLY_I32);
	struct fe_par_expr *xs = e->arg, *is = xs->next;

	if (!check_all(ck, xs) || !need_positions(ck, is))
		return false;
	e->type = e->builtin == FE_PAR_B_GATHER ? xs->type :
		fe_par_array_of(whole);
	return e->builtin == FE_PAR_B_GATHER ?
		need_array(ck, xs, e->symbol->name, 1) :
		fe_par_require(ck->unit, xs, &whole);
}

/* scatter(f, xs, is, ys)
 *
 * ys are put into copies of xs by the operator, where is says; several may
 * meet, hence the associative operator.
 */
static bool check_scatter(struct fe_par_checker *ck, struct fe_par_expr *e)
{
	struct fe_par_expr *op = e->arg, *xs = op->next, *is = xs->next;
	struct fe_par_type one[2], result;
	char name[96];

	if (!need_function(ck, op, e) || !check_all(ck, xs) ||
	    !need_array(ck, xs, e->symbol->name, 1) || !need_positions(ck, is))
		return false;
	if (!is_chain(&op->callee)) {
		FE_REPORT(ck->unit, FE_PAR_CHAIN, &op->loc,
			op->callee.spelling, e->symbol->name);
		return false;
	}
	one[0] = one[1] = fe_par_element(xs->type);
	if (one[0].rank || one[0].record) {
		FE_REPORT(ck->unit, FE_OPERAND, &xs->loc, e->symbol->name,
			fe_par_type_name(&one[0], name));
		return false;
	}
	e->type = xs->type;
	return fe_par_require(ck->unit, is->next, &xs->type) &&
		fe_par_apply_type(ck->unit, &op->callee, one, 2, &op->loc,
			&result) && need_same(ck, op, &result, &one[0]);
}

/* Check the call of what is built in: the number of its arguments, "n_arg", or,
 * if that is negative, more than -n_arg; then their types.
 *
 * map takes one array, zip_with two or more: negative numbers of the table.
 */
static bool check_builtin(struct fe_par_checker *ck, struct fe_par_expr *e,
	int n_arg)
{
	if (n_arg >= 0 ? e->n_arg != n_arg : e->n_arg < -n_arg + 1)
		return report_count(ck, e, n_arg >= 0 ? n_arg : -n_arg + 1);
	switch (e->builtin) {
	case FE_PAR_B_MAP:
	case FE_PAR_B_ZIP_WITH:
		return check_map(ck, e);
	case FE_PAR_B_REDUCE:
	case FE_PAR_B_SCAN:
	case FE_PAR_B_EXSCAN:
	case FE_PAR_B_SEGMENTED_REDUCE:
	case FE_PAR_B_SEGMENTED_SCAN:
		return check_reduce(ck, e);
	case FE_PAR_B_ITERATE:
		return check_iterate(ck, e);
	case FE_PAR_B_FILTER:
		return check_filter(ck, e);
	case FE_PAR_B_ZIP:
		return check_zip(ck, e);
	case FE_PAR_B_UNZIP:
		return check_unzip(ck, e);
	case FE_PAR_B_GATHER:
	case FE_PAR_B_HISTOGRAM:
		return check_positions(ck, e);
	case FE_PAR_B_SCATTER:
		return check_scatter(ck, e);
	case FE_PAR_B_SORT:
		return check_sort(ck, e);
	case FE_PAR_B_SORT_BY:
		return check_sort_by(ck, e);
	default:
		return check_view(ck, e);
	}
}

/* ------------------------------------------------------------ functions */

/* The arguments of a function of the text.
 *
 * Literals become the parameter's type. The call is noted for the search for
 * circles.
 */
static bool check_arguments(struct fe_par_checker *ck, struct fe_par_expr *e)
{
	const struct fe_par_var *v = e->callee.function->param;
	struct fe_par_expr *a;
	bool good = true;

	for (a = e->arg; a; a = a->next, v = v->next)
		good &= fe_par_check_expr(ck, a) &&
			fe_par_require(ck->unit, a, &v->type);
	e->type = e->callee.function->type;
	fe_par_note_call(ck, &e->callee, &e->loc);
	return good;
}

/* A function of numbers, or a type that converts.
 *
 * Operands of one type: literals take that of the others, and of a cast or a
 * function of floats the type that it wants.
 */
static bool check_numeric(struct fe_par_checker *ck, struct fe_par_expr *e)
{
	struct fe_par_type arg[3];
	struct fe_par_expr *a;
	int n = 0;

	if (!check_all(ck, e->arg))
		return false;
	for (a = e->arg->next; a; a = a->next)
		if (!fe_par_join(ck->unit, e->arg, a, e->symbol->name, &e->loc))
			return false;
	for (a = e->arg; a; a = a->next) {
		if (e->callee.kind == FE_PAR_C_CAST &&
		    e->callee.type != POLY_BOOL && (a->type.base == POLY_I32 ||
		    poly_type_is_float(e->callee.type)))
			fe_par_settle(ck->unit, a, e->callee.type);
		else if (a->type.base == POLY_I32 && e->callee.floats &&
			 !e->callee.integers)
			fe_par_settle(ck->unit, a, POLY_F32);
		fe_par_settle(ck->unit, a, e->arg->type.base);
		if (n < 3)
			arg[n++] = a->type;
	}
	return fe_par_apply_type(ck->unit, &e->callee, arg, n, &e->loc,
		&e->type);
}

/* The number behind "dim", or -1.
 *
 * dim0 to dim9, without further characters.
 */
static int dim_of(const char *name)
{
	const char *p = name + 3;

	if (strncmp(name, "dim", 3) || !isdigit((unsigned char)*p) || p[1])
		return -1;
	return *p - '0';
}

/* By name: what is built in first, so a function cannot hide it
 * (declare_function refuses that). Names of functions of numbers come last.
 */
bool fe_par_check_call(struct fe_par_checker *ck, struct fe_par_expr *e)
{
	const char *name = e->symbol->name;
	int n_arg = 1;
	size_t i;

	for (i = 0; i < sizeof(builtins) / sizeof(builtins[0]); i++)
		if (!strcmp(builtins[i].name, name)) {
			e->builtin = builtins[i].id;
			n_arg = builtins[i].n_arg;
		}
	e->dim = dim_of(name);
	if (e->dim >= 0)
		e->builtin = FE_PAR_B_DIM;
	if (e->builtin != FE_PAR_B_NONE)
		return check_builtin(ck, e, n_arg);
	if (!fe_par_find_callee(ck->prog, e)) {
		FE_REPORT(ck->unit, FE_NO_FUNCTION, &e->loc, name);
		return false;
	}
	if (e->n_arg != e->callee.n_arg)
		return report_count(ck, e, e->callee.n_arg);
	return e->callee.kind == FE_PAR_C_FUNCTION ? check_arguments(ck, e) :
		check_numeric(ck, e);
}
