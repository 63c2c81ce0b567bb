/* Expressions of C: operators by precedence, with C's conversions.
 *
 * The tree says each conversion: arguments of an operation have one type, that
 * of the usual arithmetic conversions, and values narrower than int are
 * promoted first. "x > y" is "y < x"; comparisons, "&&", "||" and "!" give an
 * int. Assignments are no expressions here; see c_stmt.c.
 */
#include <string.h>

#include "frontend/c/read/read.h"

struct fe_c_expr *fe_c_node(struct fe_c_parse *p, enum fe_c_kind kind,
	enum poly_type type, const struct poly_loc *loc)
{
	return fe_c_make(p->u, kind, type, loc);
}

/* ----------------------------------------------------------- conversions */

struct fe_c_expr *fe_c_convert(struct fe_c_parse *p, enum poly_type type,
	struct fe_c_expr *e)
{
	struct fe_c_expr *cast;

	if (!e || e->type == type)
		return e;
	if (e->kind == FE_C_INT && !poly_type_is_float(type))
		return fe_c_int(p->u, type, e->bits, &e->loc);
	cast = fe_c_node(p, FE_C_CAST, type, &e->loc);
	cast->arg[0] = e;
	return cast;
}

/* The type that operands of "t" are computed in, as C has it; f16 and bf16 are
 * computed in f32.
 */
static enum poly_type promoted(enum poly_type t)
{
	if (poly_type_is_float(t))
		return t == POLY_F64 ? POLY_F64 : POLY_F32;
	return poly_type_size(t) < 4 ? POLY_I32 : t;
}

/* The common type of two promoted ones. */
static enum poly_type common(enum poly_type a, enum poly_type b)
{
	if (a == POLY_F64 || b == POLY_F64)
		return POLY_F64;
	if (a == POLY_F32 || b == POLY_F32)
		return POLY_F32;
	if (poly_type_size(a) != poly_type_size(b))
		return poly_type_size(a) > poly_type_size(b) ? a : b;
	return poly_type_class(a) == POLY_CLASS_UINT ? a : b;
}

/* Operators that take integers alone. */
static bool needs_integers(enum poly_op op)
{
	return op == POLY_OP_REM || op == POLY_OP_AND || op == POLY_OP_OR ||
		op == POLY_OP_XOR || op == POLY_OP_NOT || op == POLY_OP_SHL ||
		op == POLY_OP_SHR;
}

/* "a op b" with the operator at "loc". */
struct fe_c_expr *fe_c_binary(struct fe_c_parse *p, enum poly_op op,
	const struct poly_loc *loc, struct fe_c_expr *a, struct fe_c_expr *b)
{
	bool compares = poly_op_shape(op) == POLY_SHAPE_COMPARE;
	enum poly_type t;
	struct fe_c_expr *e;
	struct poly_loc span;

	if (!a || !b)
		return NULL;
	if (needs_integers(op) && (poly_type_is_float(a->type) ||
	    poly_type_is_float(b->type))) {
		FE_C_ERROR(p, FE_C_INTEGERS, loc);
		return NULL;
	}
	t = common(promoted(a->type), promoted(b->type));
	if (op == POLY_OP_SHL || op == POLY_OP_SHR)
		t = promoted(a->type);
	span = fe_c_span(&a->loc, &b->loc);
	e = fe_c_node(p, FE_C_OP, compares ? POLY_I32 : t, &span);
	e->op = op;
	e->arg[0] = fe_c_convert(p, t, a);
	e->arg[1] = fe_c_convert(p, t, b);
	return e;
}

/* "a && b", "a || b" or, with "b" NULL, "!a"; NULL if an operand is missing. */
static struct fe_c_expr *logic(struct fe_c_parse *p, enum fe_c_kind kind,
	struct fe_c_expr *a, struct fe_c_expr *b)
{
	struct fe_c_expr *e;
	struct poly_loc span;

	if (!a || (kind != FE_C_NOT && !b))
		return NULL;
	span = b ? fe_c_span(&a->loc, &b->loc) : a->loc;
	e = fe_c_node(p, kind, POLY_I32, &span);
	e->arg[0] = a;
	e->arg[1] = b;
	return e;
}

/* "op a" with the operator at "loc", after the integer promotions; NULL, having
 * reported why. POLY_OP_NONE is unary plus, which only promotes; a constant is
 * computed at once.
 */
static struct fe_c_expr *unary_op(struct fe_c_parse *p, enum poly_op op,
	const struct poly_loc *loc, struct fe_c_expr *a)
{
	struct fe_c_expr *e;
	struct poly_loc span;

	if (!a)
		return NULL;
	if (needs_integers(op) && poly_type_is_float(a->type)) {
		FE_C_ERROR(p, FE_C_INTEGERS, loc);
		return NULL;
	}
	a = fe_c_convert(p, promoted(a->type), a);
	if (op == POLY_OP_NONE)
		return a;
	span = fe_c_span(loc, &a->loc);
	if (a->kind == FE_C_INT)
		return fe_c_int(p->u, a->type, fe_c_apply(op, a->type, a->bits,
			0), &span);
	e = fe_c_node(p, FE_C_OP, a->type, &span);
	e->op = op;
	e->arg[0] = a;
	return e;
}

/* -------------------------------------------------------------- operands */

struct fe_c_expr *fe_c_scalar(struct fe_c_parse *p, struct fe_c_var *v,
	const struct poly_loc *loc)
{
	struct fe_c_expr *e = fe_c_node(p, FE_C_VAR, v->type, loc);

	e->var = v;
	e->index = fe_arena_alloc(&p->u->arena, sizeof(*e->index));
	return e;
}

/* A variable that is known, an element of it, or a constant. */
static struct fe_c_expr *named(struct fe_c_parse *p)
{
	const struct fe_c_token *t = p->t;
	const struct fe_c_name *n = fe_c_find(p, t);
	struct fe_c_expr *e;

	if (!n || n->is_type) {
		fe_c_undeclared(p, t);
		return NULL;
	}
	if (!n->value && !(n->is_constant && !n->bad))
		return fe_c_place(p);
	p->t++;
	if (n->is_constant)
		return fe_c_int(p->u, n->type, n->bits, &t->loc);
	e = fe_c_node(p, FE_C_INT, n->value->type, &t->loc);
	*e = *n->value;
	e->loc = t->loc;
	return e;
}

/* "name(arguments)"; those of an unknown function may be anything, such as text
 * or arrays, and are not read.
 */
static struct fe_c_expr *call(struct fe_c_parse *p)
{
	const struct fe_c_token *name = p->t;
	const struct fe_c_function *f = fe_c_defined(p, name);
	struct fe_c_changes *changes = p->changes;
	struct fe_c_expr *arg[4], *value;
	int n = 0;

	if (f) {
		p->changes = NULL;
		value = fe_c_inline(p, f);
		p->changes = changes;
		if (!value)
			FE_C_ERROR(p, FE_C_TYPE, &name->loc,
				fe_c_returns_struct(p, f) ? "a structure here" :
				"void");
		return value;
	}
	if (!fe_c_knows(name))
		return fe_c_call(p, name, NULL, 0, &name->loc);
	p->t += 2;
	if (fe_c_takes_text(name) && p->t->kind == FE_C_TEXT)
		p->t++;
	while (!fe_c_is(p->t, ")")) {
		struct fe_c_expr *e = fe_c_expression(p);

		if (!e)
			return NULL;
		if (n < 4)
			arg[n] = e;
		n++;
		if (!fe_c_accept(p, ","))
			break;
	}
	if (!fe_c_expect(p, ")"))
		return NULL;
	return fe_c_call(p, name, arg, n, &p->t[-1].loc);
}

/* A literal, a name, a call, a place such as "(*a)[i]", or an expression in
 * brackets.
 */
static struct fe_c_expr *primary(struct fe_c_parse *p)
{
	struct fe_c_expr *e;

	if (p->t->kind == FE_C_NUMBER || p->t->kind == FE_C_TEXT) {
		e = fe_c_literal(p);
		p->t++;
		return e;
	}
	if (p->t->kind == FE_C_NAME)
		return fe_c_is(p->t + 1, "(") ? call(p) : named(p);
	if (fe_c_is_place(p->t))
		return fe_c_place(p);
	if (fe_c_is(p->t, "(")) {
		const struct fe_c_token *open = p->t++;

		e = fe_c_expression(p);
		if (!e || !fe_c_expect(p, ")"))
			return NULL;
		e->loc = fe_c_span(&open->loc, &p->t[-1].loc);
		return e;
	}
	fe_c_unexpected(p, "an expression");
	return NULL;
}

/* "(type)e" or an operand. "(void)e" is 0, as its value cannot be used; a
 * bracket with no type in it belongs to the operand.
 */
static struct fe_c_expr *cast_or_primary(struct fe_c_parse *p)
{
	const struct fe_c_token *open = p->t;
	enum poly_type type;
	struct fe_c_expr *e;

	if (!fe_c_is(open, "(") || fe_c_is_place(open))
		return primary(p);
	p->t++;
	if (fe_c_is(p->t, "void") && fe_c_is(p->t + 1, ")")) {
		p->t += 2;
		e = fe_c_unary(p);
		return e ? fe_c_int(p->u, POLY_I32, 0, &open->loc) : NULL;
	}
	if (!fe_c_is_type(p)) {
		p->t = open;
		return primary(p);
	}
	if (!fe_c_type_name(p, &type) || !fe_c_expect(p, ")"))
		return NULL;
	e = fe_c_convert(p, type, fe_c_unary(p));
	if (e)
		e->loc = fe_c_span(&open->loc, &p->t[-1].loc);
	return e;
}

/* sizeof of a type or of a variable, in bytes. */
static struct fe_c_expr *size_of(struct fe_c_parse *p)
{
	struct poly_loc loc = p->t++->loc;
	int64_t n;

	if (!fe_c_expect(p, "("))
		return NULL;
	if (!fe_c_is_type(p)) {
		fe_c_unexpected(p, "a type");
		return NULL;
	}
	n = fe_c_type_size(p);
	if (!n || !fe_c_expect(p, ")"))
		return NULL;
	return fe_c_int(p->u, POLY_U64, n, &loc);
}

/* An operand behind its unary operators. The address of something is no value
 * here.
 */
static struct fe_c_expr *prefixed(struct fe_c_parse *p)
{
	const struct poly_loc *loc = &p->t->loc;

	if (fe_c_accept(p, "-"))
		return unary_op(p, POLY_OP_NEG, loc, fe_c_unary(p));
	if (fe_c_accept(p, "+"))
		return unary_op(p, POLY_OP_NONE, loc, fe_c_unary(p));
	if (fe_c_accept(p, "~"))
		return unary_op(p, POLY_OP_NOT, loc, fe_c_unary(p));
	if (fe_c_accept(p, "!"))
		return logic(p, FE_C_NOT, fe_c_unary(p), NULL);
	if (fe_c_accept(p, "__extension__"))
		return fe_c_unary(p);
	if (fe_c_is(p->t, "*"))
		return fe_c_place(p);
	if (fe_c_is(p->t, "sizeof"))
		return size_of(p);
	if (fe_c_is(p->t, "&")) {
		FE_C_ERROR(p, FE_C_POINTER, loc);
		return NULL;
	}
	return cast_or_primary(p);
}

static bool is_change(const struct fe_c_token *t)
{
	return fe_c_is(t, "++") || fe_c_is(t, "--");
}

struct fe_c_expr *fe_c_unary(struct fe_c_parse *p)
{
	const struct fe_c_token *t = p->t;
	struct fe_c_expr *e;

	if (!fe_c_enter(p))
		return NULL;
	if (is_change(t) && !fe_c_can_change(p)) {
		FE_C_ERROR(p, FE_C_EFFECT, &t->loc);
		return NULL;
	}
	p->t += is_change(t);
	e = prefixed(p);
	if (is_change(t))
		e = fe_c_change(p, e, t, true);
	else if (is_change(p->t) && fe_c_can_change(p))
		e = fe_c_change(p, e, p->t++, false);
	if (fe_c_is(p->t, ".") || fe_c_is(p->t, "->"))
		FE_C_ERROR(p, FE_C_MEMBER, &p->t->loc, "no structure");
	fe_c_leave(p);
	return p->bad ? NULL : e;
}

/* ------------------------------------------------------------- operators */

/* Binary operators: how tightly they bind, and what they mean; the arguments
 * of some change places.
 */
static const struct {
	const char *text;
	int level;
	enum poly_op op;
	bool swapped;
} operator[] = {
	{ "||", 1, POLY_OP_NONE, false }, { "&&", 2, POLY_OP_NONE, false },
	{ "|", 3, POLY_OP_OR, false }, { "^", 4, POLY_OP_XOR, false },
	{ "&", 5, POLY_OP_AND, false },
	{ "==", 6, POLY_OP_EQ, false }, { "!=", 6, POLY_OP_NE, false },
	{ "<", 7, POLY_OP_LT, false }, { "<=", 7, POLY_OP_LE, false },
	{ ">", 7, POLY_OP_LT, true }, { ">=", 7, POLY_OP_LE, true },
	{ "<<", 8, POLY_OP_SHL, false }, { ">>", 8, POLY_OP_SHR, false },
	{ "+", 9, POLY_OP_ADD, false }, { "-", 9, POLY_OP_SUB, false },
	{ "*", 10, POLY_OP_MUL, false }, { "/", 10, POLY_OP_DIV, false },
	{ "%", 10, POLY_OP_REM, false },
};

/* The row of the operator that the token is, or -1. */
static int find_operator(const struct fe_c_token *t)
{
	size_t i;

	for (i = 0; i < sizeof(operator) / sizeof(operator[0]); i++)
		if (fe_c_is(t, operator[i].text))
			return (int)i;
	return -1;
}

/* Operators that bind at least as tightly as "level". */
static struct fe_c_expr *operation(struct fe_c_parse *p, int level)
{
	struct fe_c_expr *a = fe_c_unary(p), *b;
	const struct poly_loc *loc;
	int i;

	while (a && (i = find_operator(p->t)) >= 0 &&
	       operator[i].level >= level) {
		loc = &p->t++->loc;
		if (++p->n_operator > FE_C_MAX_OPERATOR) {
			FE_C_ERROR(p, FE_DEPTH, loc, FE_C_MAX_OPERATOR);
			return NULL;
		}
		p->conditional += operator[i].level <= 2;
		b = operation(p, operator[i].level + 1);
		p->conditional -= operator[i].level <= 2;
		if (operator[i].op == POLY_OP_NONE)
			a = logic(p, operator[i].level == 1 ? FE_C_OR :
				FE_C_AND, a, b);
		else if (operator[i].swapped) {
			struct fe_c_expr *first = a;

			a = fe_c_binary(p, operator[i].op, loc, b, a);
			if (a)
				a->loc = fe_c_span(&first->loc, &b->loc);
		} else
			a = fe_c_binary(p, operator[i].op, loc, a, b);
	}
	return a;
}

struct fe_c_expr *fe_c_term(struct fe_c_parse *p)
{
	return operation(p, 10);
}

struct fe_c_expr *fe_c_expression(struct fe_c_parse *p)
{
	struct fe_c_expr *a, *b, *c, *e = NULL;
	enum poly_type t;
	struct poly_loc span;

	if (!fe_c_enter(p))
		return NULL;
	a = operation(p, 1);
	if (a && fe_c_accept(p, "?")) {
		p->conditional++;
		b = fe_c_expression(p);
		c = b && fe_c_expect(p, ":") ? fe_c_expression(p) : NULL;
		p->conditional--;
		if (c) {
			t = common(promoted(b->type), promoted(c->type));
			span = fe_c_span(&a->loc, &c->loc);
			e = fe_c_node(p, FE_C_COND, t, &span);
			e->arg[0] = a;
			e->arg[1] = fe_c_convert(p, t, b);
			e->arg[2] = fe_c_convert(p, t, c);
		}
		a = e;
	}
	fe_c_leave(p);
	return p->bad ? NULL : a;
}
