/* Data-parallel functions: checks of calls.
 *
 * Each check sets the type of the call, "e->type", and what the evaluator needs
 * ("builtin", "callee", "dim"). A check reports and returns false; its caller
 * goes on with other arguments, so that one run tells as many mistakes as there
 * are, but never two about one expression.
 */
#include <ctype.h>
#include <string.h>

#include "frontend/parallel/parallel.h"

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
		want == 1 ? "" : "s", e->n_arg, "");
	return false;
}

/* "e" has to be an array of "rank" dimensions or more.
 *
 * "what" is the name of whoever wants it, for the message.
 */
bool fe_par_need_array(struct fe_par_checker *ck, const struct fe_par_expr *e,
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
bool fe_par_check_all(struct fe_par_checker *ck, struct fe_par_expr *a)
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
bool fe_par_need_function(struct fe_par_checker *ck, struct fe_par_expr *a,
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
	bool good = fe_par_need_function(ck, e->arg, e) && fe_par_check_all(ck, a);
	int n = 0;

	for (; good && a; a = a->next) {
		good = fe_par_need_array(ck, a, e->symbol->name, 1);
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
bool fe_par_is_chain(const struct fe_par_callee *c)
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
bool fe_par_need_same(struct fe_par_checker *ck, const struct fe_par_expr *f,
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

	if (!fe_par_need_function(ck, op, e) || !fe_par_check_all(ck, id) ||
	    (xs->next && !fe_par_require(ck->unit, xs, &truths)))
		return false;
	xs = xs->next ? xs->next : xs;
	if (!fe_par_need_array(ck, xs, e->symbol->name, 1))
		return false;
	if (!fe_par_is_chain(&op->callee)) {
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
	if (!fe_par_need_same(ck, op, &result, &one[0]))
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

	if (!fe_par_need_function(ck, f, e) || !fe_par_check_all(ck, n) ||
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
		&result) && fe_par_need_same(ck, f, &result, &x->type);
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

	if (!fe_par_check_all(ck, e->arg))
		return false;
	switch (e->builtin) {
	case FE_PAR_B_RANGE:
		e->type = fe_par_array_of(whole);
		return fe_par_require(ck->unit, e->arg, &whole);
	case FE_PAR_B_TRANSPOSE:
		e->type = e->arg->type;
		return fe_par_need_array(ck, e->arg, e->symbol->name, 2);
	case FE_PAR_B_DIM:
		e->type = whole;
		return fe_par_need_array(ck, e->arg, e->symbol->name, e->dim + 1);
	default:
		e->type = whole;
		if (!fe_par_need_array(ck, e->arg, e->symbol->name, 1))
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
		return fe_par_check_filter(ck, e);
	case FE_PAR_B_ZIP:
		return fe_par_check_zip(ck, e);
	case FE_PAR_B_UNZIP:
		return fe_par_check_unzip(ck, e);
	case FE_PAR_B_GATHER:
	case FE_PAR_B_HISTOGRAM:
		return fe_par_check_positions(ck, e);
	case FE_PAR_B_SCATTER:
		return fe_par_check_scatter(ck, e);
	case FE_PAR_B_SORT:
		return fe_par_check_sort(ck, e);
	case FE_PAR_B_SORT_BY:
		return fe_par_check_sort_by(ck, e);
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

	if (!fe_par_check_all(ck, e->arg))
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
		FE_REPORT(ck->unit, FE_NO_FUNCTION, &e->loc, name, "");
		return false;
	}
	if (e->n_arg != e->callee.n_arg)
		return report_count(ck, e, e->callee.n_arg);
	return e->callee.kind == FE_PAR_C_FUNCTION ? check_arguments(ck, e) :
		check_numeric(ck, e);
}
