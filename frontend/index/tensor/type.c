/* Types of index notation.
 *
 * Nothing is converted by itself, except that literals take the type that
 * stands next to them, and indices and sizes any type of integers. So each
 * expression has a type, or is one of these until its surroundings decide:
 *
 *	UNKNOWN	only definitions whose type is not known yet
 *	WHOLE	literals without a point: any type of numbers
 *	INDEX	indices, sizes and literals: integers
 *	POINT	literals with a point: floats
 *	BAD	something was wrong, and has been or will be reported
 *
 * A definition has the type of its value. Definitions that read one another
 * are done together: the types that can be known are found first; then they
 * are checked and written into all expressions.
 */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "frontend/index/tensor/tensor.h"

/* Types that are none of elements: not known yet; a number without a point, an
 * index, a number with one, each of which takes the type of what it meets; no
 * type at all.
 */
enum { UNKNOWN = -1, WHOLE = -2, INDEX = -3, POINT = -4, BAD = -5 };

/* The walk over a group's expressions; with "report", what is wrong is said. */
struct typer {
	struct fe_unit *unit;
	bool report;
};

/* Which types an operation takes. */
struct function_types {
	enum poly_op op;
	bool floats, integers;
};
static const struct function_types functions[] = {
#define SCALAR(name, op, floats, integers) \
	{ POLY_OP_##op, floats, integers },
#include "frontend/index/tensor/scalar.def"
#undef SCALAR
#define FUNCTION(name, n_arg, op, integers) { POLY_OP_##op, true, integers },
#include "frontend/base/function.def"
#undef FUNCTION
	{ POLY_OP_AND, false, true }, { POLY_OP_OR, false, true },
	{ POLY_OP_NOT, false, true }, { POLY_OP_SHL, false, true },
	{ POLY_OP_SHR, false, true },
};

static bool is_float(int t)
{
	return t >= 0 && poly_type_is_float((enum poly_type)t);
}

static bool is_integer(int t)
{
	return t >= 0 && t != POLY_BOOL && !is_float(t);
}

/* What messages call the type "t", which need not be one of elements. */
static const char *type_name(int t)
{
	return t >= 0 ? poly_type_name((enum poly_type)t) :
		t == INDEX ? "an index" : t == WHOLE ? "a whole number" :
		t == POINT ? "a number with a point" : "an unknown type";
}

/* What "a" and "b" are together: BAD if nothing. */
static int join(int a, int b)
{
	int flexible = a < 0 ? a : b, other = a < 0 ? b : a;

	if (a == b || b == UNKNOWN || a == BAD)
		return a;
	if (a == UNKNOWN || b == BAD)
		return b;
	if (a >= 0 && b >= 0)
		return BAD;
	if (other >= 0)
		return (flexible == WHOLE && other != POLY_BOOL) ||
			(flexible == INDEX && is_integer(other)) ||
			(flexible == POINT && is_float(other)) ? other : BAD;
	return a == WHOLE ? b : b == WHOLE ? a : BAD;
}

static int infer(struct typer *ty, struct fe_scalar *e);
static bool infer_position(struct typer *ty, struct fe_scalar *e);

/* The type of the operands from "first" on of "e". */
static int infer_operands(struct typer *ty, struct fe_scalar *e, int first)
{
	int t = UNKNOWN, i;

	for (i = first; i < e->n_arg; i++) {
		int arg = infer(ty, e->arg[i]), both = join(t, arg);

		if (both == BAD && t != BAD && arg != BAD && ty->report)
			FE_REPORT(ty->unit, FE_MIX, &e->loc,
				e->spelling ? e->spelling : "", type_name(t),
				type_name(arg));
		t = both;
	}
	return t;
}

/* Is "name" spelt like a function, and no operator? */
static bool is_function(const char *name)
{
	return isalpha((unsigned char)*name) && strcmp(name, "not") &&
		strcmp(name, "and") && strcmp(name, "or");
}

/* Report that "e" does not work on "t", and how a number becomes one that it works on. */
static int refuse(struct typer *ty, const struct fe_scalar *e, int t)
{
	const char *name = e->spelling ? e->spelling : "";
	char text[FE_ADVICE];

	if (!ty->report)
		return BAD;
	snprintf(text, sizeof(text), is_function(name) && t >= 0 &&
		t != POLY_BOOL && !poly_type_is_float(t) ?
		"%s; convert it, as in %s(f32(x))" : "%s", type_name(t), name);
	FE_REPORT(ty->unit, FE_OPERAND, &e->loc, name, text);
	return BAD;
}

/* The operands of "e", which has to be a condition, are of type "t". */
static int require_bool(struct typer *ty, const struct fe_scalar *e, int t)
{
	return t == POLY_BOOL || t == UNKNOWN ? POLY_BOOL : t == BAD ? BAD :
		refuse(ty, e, t);
}

/* The type of the operation "e" on operands of type "t". */
static int infer_plain(struct typer *ty, const struct fe_scalar *e, int t)
{
	size_t i, n = sizeof(functions) / sizeof(functions[0]);

	for (i = 0; i < n; i++)
		if (functions[i].op == e->op && e->op != POLY_OP_MUL)
			break;
	if (t == BAD || t == UNKNOWN)
		return t;
	if (t == POLY_BOOL)
		return e->op == POLY_OP_AND || e->op == POLY_OP_OR ||
			e->op == POLY_OP_XOR || e->op == POLY_OP_NOT ? t :
			refuse(ty, e, t);
	if (i == n)
		return t;
	if (!functions[i].floats && (is_float(t) || t == POINT))
		return refuse(ty, e, t);
	if (!functions[i].integers && (is_integer(t) || t == INDEX))
		return refuse(ty, e, t);
	return !functions[i].integers && t == WHOLE ? POINT : t;
}

/* The type of the operation "e". A selection has that of its second and third
 * operand.
 */
static int infer_op(struct typer *ty, struct fe_scalar *e)
{
	int t, cond;

	if (e->op == POLY_OP_SCATTER)
		return infer(ty, e->arg[0]);
	if (e->op == POLY_OP_EARLIER)
		return infer(ty, e->arg[0]) == BAD ? BAD : POLY_I32;
	if (poly_op_shape(e->op) == POLY_SHAPE_SELECT) {
		cond = require_bool(ty, e, infer(ty, e->arg[0]));
		t = infer_operands(ty, e, 1);
		return cond == BAD ? BAD : t;
	}
	t = infer_operands(ty, e, 0);
	if (e->logic)
		return require_bool(ty, e, t);
	if (poly_op_shape(e->op) == POLY_SHAPE_COMPARE)
		return t == BAD ? BAD : POLY_BOOL;
	return infer_plain(ty, e, t);
}

/* The type of a cast. What a function is given has to be of the type of its
 * parameter, and what random numbers are counted by an integer.
 */
static int infer_cast(struct typer *ty, struct fe_scalar *e)
{
	int t = infer(ty, e->arg[0]);

	if (e->counts && (t == POLY_BOOL || t == POINT || is_float(t)))
		return refuse(ty, e, t);
	if (t == BAD || !e->given || join(t, (int)e->type) != BAD)
		return t == BAD ? BAD : (int)e->type;
	if (ty->report)
		FE_REPORT(ty->unit, FE_PAR_TYPE, &e->loc,
			type_name((int)e->type), type_name(t));
	return BAD;
}

/* The type of the read "e"; positions that are data have to be integers. */
static int infer_read(struct typer *ty, struct fe_scalar *e)
{
	int i;

	if (!e->tensor || e->tensor->broken)
		return BAD;
	for (i = 0; i < e->n_arg; i++) {
		if (e->arg[i]->affine)
			continue;
		if (!infer_position(ty, e->arg[i]))
			return BAD;
	}
	return e->tensor->has_type ? (int)e->tensor->type : UNKNOWN;
}

/* Is the position "e" an integer, if its type is known? Reports. */
static bool infer_position(struct typer *ty, struct fe_scalar *e)
{
	int t = infer(ty, e);

	if (t >= 0 && !is_integer(t) && ty->report)
		FE_REPORT(ty->unit, FE_POSITION_TYPE, &e->loc, type_name(t));
	return t != BAD && (t < 0 || is_integer(t));
}

/* Are the positions and conditions that say which cell is meant right? */
static bool infer_cells(struct typer *ty, struct fe_scalar *c)
{
	bool good = true;

	if (c->cell)
		return c->arg[0]->affine || infer_position(ty, c->arg[0]);
	if (c->op != POLY_OP_AND || !c->logic)
		return infer(ty, c) != BAD;
	for (int i = 0; i < c->n_arg; i++)
		good &= infer_cells(ty, c->arg[i]);
	return good;
}

/* The type of "e"; with ty->report, say what is wrong. */
static int infer(struct typer *ty, struct fe_scalar *e)
{
	int t;

	switch (e->kind) {
	case FE_S_NUMBER:
		return e->type != POLY_N_TYPE ? (int)e->type :
			e->whole ? WHOLE : POINT;
	case FE_S_INDEX:
	case FE_S_SIZE:
		return INDEX;
	case FE_S_READ:
		return infer_read(ty, e);
	case FE_S_CAST:
		return infer_cast(ty, e);
	case FE_S_REDUCE:
		if (e->n_arg == 2 && !infer_cells(ty, e->arg[1]))
			return BAD;
		t = infer_plain(ty, e, infer(ty, e->arg[0]));
		return e->place && t != BAD && t != UNKNOWN ? POLY_I64 : t;
	case FE_S_OP:
		return infer_op(ty, e);
	default:
		return BAD;
	}
}

/* --------------------------------------------------------------- writing */

static void resolve(struct typer *ty, struct fe_scalar *e, enum poly_type t);

/* The type of an expression whose surroundings leave it open. */
static enum poly_type settle(const struct typer *ty, int t)
{
	return t >= 0 ? (enum poly_type)t : t == INDEX || t == WHOLE ?
		POLY_I64 : t == POINT ? POLY_F64 : ty->unit->type;
}

/* Give the literal "e" the type "t", and round it to that. */
static void resolve_number(struct typer *ty, struct fe_scalar *e,
	enum poly_type t)
{
	double value = e->value;

	if (e->type != POLY_N_TYPE)
		return;
	e->type = t;
	if (poly_type_is_float(t))
		value = fe_number_round(t, value);
	else if (value != floor(value))
		FE_REPORT(ty->unit, FE_FRACTION, &e->loc, value,
			poly_type_name(t));
	else if (!fe_number_fits(t, value))
		value = INFINITY;
	if (!isfinite(value))
		FE_REPORT(ty->unit, FE_RANGE, &e->loc, e->value,
			poly_type_name(t));
	e->value = value;
}

/* The argument of a cast is computed in its own type; a literal takes that of
 * the cast, an index is as wide as it gets.
 */
static void resolve_cast(struct typer *ty, struct fe_scalar *e)
{
	int t = infer(ty, e->arg[0]);

	if (t == WHOLE || (t == POINT && poly_type_is_float(e->type)))
		t = e->type == POLY_BOOL ? POLY_I32 : (int)e->type;
	resolve(ty, e->arg[0], settle(ty, t));
}

/* Positions that are data are computed in their own type. */
static void resolve_positions(struct typer *ty, struct fe_scalar *e)
{
	for (int i = 0; i < e->n_arg; i++)
		if (!e->arg[i]->affine)
			resolve(ty, e->arg[i], settle(ty, infer(ty,
				e->arg[i])));
}

/* Give the operands of "e", whose value is of type "t", their types. Those of a
 * comparison agree among themselves, whatever the comparison is used for.
 */
static void resolve_op(struct typer *ty, struct fe_scalar *e,
	enum poly_type t)
{
	enum poly_type arg = t;
	int first = 0, i;

	if (e->op == POLY_OP_SCATTER) {
		resolve(ty, e->arg[0], t);
		resolve(ty, e->arg[1], POLY_I32);
		return;
	}
	if (e->op == POLY_OP_EARLIER) {
		resolve(ty, e->arg[0], POLY_I32);
		resolve(ty, e->arg[1], POLY_I32);
		return;
	}
	if (poly_op_shape(e->op) == POLY_SHAPE_SELECT) {
		resolve(ty, e->arg[0], POLY_BOOL);
		first = 1;
	} else if (poly_op_shape(e->op) == POLY_SHAPE_COMPARE) {
		arg = settle(ty, infer_operands(ty, e, 0));
	}
	for (i = first; i < e->n_arg; i++)
		resolve(ty, e->arg[i], arg);
}

/* Is "e" a quotient or remainder of indices, sizes and whole numbers alone? They
 * round down, those of other values towards 0.
 */
static bool rounds_down(const struct fe_scalar *e, int found,
	enum poly_type t)
{
	return e->kind == FE_S_OP &&
		(e->op == POLY_OP_DIV || e->op == POLY_OP_REM) &&
		(found == INDEX || (found == WHOLE && is_integer((int)t)));
}

/* Does the whole number "e" fit into its type? Reports. */
static void check_whole(struct typer *ty, const struct fe_scalar *e)
{
	int64_t value;

	if (fe_scalar_whole(e, &value) &&
	    !fe_number_fits(e->type, (double)value))
		FE_REPORT(ty->unit, FE_RANGE, &e->loc, (double)value,
			poly_type_name(e->type));
}

/* What says which cell is meant; positions are computed in their own type. */
static void resolve_cells(struct typer *ty, struct fe_scalar *c)
{
	c->type = POLY_BOOL;
	if (c->cell) {
		resolve(ty, c->arg[0], settle(ty, infer(ty, c->arg[0])));
	} else if (c->op != POLY_OP_AND || !c->logic) {
		resolve(ty, c, POLY_BOOL);
	} else {
		resolve_cells(ty, c->arg[0]);
		resolve_cells(ty, c->arg[1]);
	}
}

/* Give "e" and its parts their types; "t" is what the surroundings need. */
static void resolve(struct typer *ty, struct fe_scalar *e, enum poly_type t)
{
	int found = infer(ty, e);
	bool down = rounds_down(e, found, t);

	if (e->kind == FE_S_NUMBER) {
		resolve_number(ty, e, t);
		return;
	}
	if (e->kind == FE_S_CAST) {
		resolve_cast(ty, e);
		return;
	}
	if (e->kind == FE_S_READ) {
		resolve_positions(ty, e);
		e->type = e->tensor->type;
		return;
	}
	e->type = t;
	e->affine = e->affine && (found == INDEX || down);
	if (e->affine && found == WHOLE)
		check_whole(ty, e);
	if (e->affine)
		return;
	if (down)
		FE_REPORT(ty->unit, FE_AFFINE, &e->loc, FE_MAX_NUMBER);
	if (e->kind == FE_S_REDUCE && e->place)
		resolve(ty, e->arg[0], settle(ty, infer(ty, e->arg[0])));
	else if (e->kind == FE_S_REDUCE)
		resolve(ty, e->arg[0], t);
	else
		resolve_op(ty, e, t);
}

/* ------------------------------------------------------------ conditions */

/* Is what values decide in the condition "c" a bool? Reports. */
static bool infer_guard(struct typer *ty, struct fe_scalar *c)
{
	bool good = true;
	int i, t;

	if (!c->data || c->asked)
		return true;
	if (fe_scalar_joins(c)) {
		for (i = 0; i < c->n_arg; i++)
			good &= infer_guard(ty, c->arg[i]);
		return good;
	}
	t = infer(ty, c);
	if (t >= 0 && t != POLY_BOOL)
		FE_REPORT(ty->unit, FE_CONDITION, &c->loc);
	return t == POLY_BOOL;
}

/* Give types to what values decide in the condition "c"; affine comparisons
 * have none.
 */
static void resolve_guard(struct typer *ty, struct fe_scalar *c)
{
	int i;

	if (c->data && !c->asked && !fe_scalar_joins(c))
		resolve(ty, c, POLY_BOOL);
	for (i = 0; c->data && fe_scalar_joins(c) && i < c->n_arg; i++)
		resolve_guard(ty, c->arg[i]);
}

/* ---------------------------------------------------------------- groups */

/* The type of "t", which starts with a value that is updated. */
static int infer_update(struct typer *ty, struct fe_tensor *t)
{
	int start = infer(ty, t->start), value = infer(ty, t->piece->value);
	int both = join(start, value);

	if (both == BAD && start != BAD && value != BAD && ty->report)
		FE_REPORT(ty->unit, FE_START_TYPE, &t->piece->loc,
			t->symbol->name, type_name(start), type_name(value));
	return both;
}

/* The type of the values of "t". */
static int infer_tensor(struct typer *ty, struct fe_tensor *t)
{
	struct fe_scalar update = { .kind = FE_S_REDUCE, .op = t->update,
		.loc = t->loc };
	struct fe_piece *p;
	int type = UNKNOWN;

	if (t->start)
		return infer_update(ty, t);
	for (p = t->piece; p; p = p->next) {
		int one = p->value ? infer(ty, p->value) : BAD;
		int both = join(type, one);

		if (both == BAD && type != BAD && one != BAD && ty->report)
			FE_REPORT(ty->unit, FE_PIECES, &p->loc,
				type_name(type), type_name(one));
		type = both;
	}
	if (t->update == POLY_OP_NONE)
		return type;
	update.spelling = t->update == POLY_OP_ADD ? "+=" :
		t->update == POLY_OP_MUL ? "*=" :
		t->update == POLY_OP_MIN ? "min=" : "max=";
	return infer_plain(ty, &update, type);
}

/* Find the types that follow from others; true if there was one. */
static bool find_types(struct typer *ty, struct fe_tensor *group)
{
	struct fe_tensor *t;
	bool found = false;

	for (t = group; t; t = t->order_next) {
		int type = t->has_type ? -1 : infer_tensor(ty, t);

		if (type < 0)
			continue;
		t->has_type = found = true;
		t->type = (enum poly_type)type;
	}
	return found;
}

/* Give the first definition without a type one of its own. */
static bool choose_type(struct typer *ty, struct fe_tensor *group)
{
	struct fe_tensor *t;
	int type;

	for (t = group; t; t = t->order_next)
		if (!t->has_type)
			break;
	if (!t)
		return false;
	type = infer_tensor(ty, t);
	t->has_type = true;
	t->type = type == INDEX ? POLY_I32 : ty->unit->type;
	return true;
}

void fe_type_group(struct fe_unit *u, struct fe_tensor *group)
{
	struct typer ty = { .unit = u };
	struct fe_tensor *t;
	struct fe_piece *p;

	while (find_types(&ty, group) || choose_type(&ty, group))
		;
	ty.report = true;
	for (t = group; t; t = t->order_next) {
		if (infer_tensor(&ty, t) == BAD)
			t->broken = true;
		for (p = t->piece; p && p->condition; p = p->next)
			t->broken |= !infer_guard(&ty, p->condition);
	}
	ty.report = false;
	for (t = group; t; t = t->order_next)
		for (p = t->broken ? NULL : t->piece; p; p = p->next) {
			if (p->condition)
				resolve_guard(&ty, p->condition);
			resolve(&ty, p->value, t->type);
			if (fe_tensor_cells(t))
				resolve_cells(&ty, p->value->arg[1]);
			if (t->start)
				resolve(&ty, t->start, t->type);
		}
}
