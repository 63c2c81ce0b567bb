/* Nodes of the expression DAG: shapes, broadcast, element types.
 *
 * One node is made for each operation of the text, and one for each
 * transposition, literal and broadcast. Sizes agree if they are the same
 * parameter or have the same value; a parameter has a value if -D gives one.
 * Agreeing sizes may differ in spelling; the result takes the left one.
 */
#include <math.h>
#include <stdio.h>

#include "frontend/matrix/matrix.h"

/* Bytes of a shape as text: two names with their values. */
enum { SHAPE_TEXT = 2 * (FE_MAX_NAME + 16) };

/* A parameter equals itself whatever it is; two parameters are equal only if
 * both have the same value.
 */
bool fe_size_equal(const struct fe_size *a, const struct fe_size *b)
{
	return (a->param && a->param == b->param) ||
		(a->value >= 0 && a->value == b->value);
}

/* A size of -1 has no value yet. */
static bool is_one(const struct fe_size *s)
{
	return s->value == 1;
}

static bool is_scalar(const struct fe_node *n)
{
	return is_one(&n->dim[0]) && is_one(&n->dim[1]);
}

/* Write a size as messages show it: "M", "M=3" or "3".
 *
 * Returns what snprintf does.
 */
static int print_size(char *text, size_t size, const struct fe_size *s)
{
	if (!s->param)
		return snprintf(text, size, "%lld", (long long)s->value);
	if (s->value < 0)
		return snprintf(text, size, "%s", s->param->symbol->name);
	return snprintf(text, size, "%s=%lld", s->param->symbol->name,
		(long long)s->value);
}

/* Write "(M,N=3)" into "text", which has SHAPE_TEXT bytes; returns it.
 *
 * Never longer than SHAPE_TEXT, as names are FE_MAX_NAME at most.
 */
static const char *print_shape(const struct fe_node *n, char *text)
{
	int len = 1;

	text[0] = '(';
	len += print_size(text + len, SHAPE_TEXT - (size_t)len, &n->dim[0]);
	text[len++] = ',';
	len += print_size(text + len, SHAPE_TEXT - (size_t)len, &n->dim[1]);
	snprintf(text + len, SHAPE_TEXT - (size_t)len, ")");
	return text;
}

/* What the text calls the operation of "e".
 *
 * For messages: as the user has written it.
 */
static const char *operation_name(const struct fe_expr *e)
{
	if (e->function)
		return e->function->name;
	if (e->kind == FE_MULTIPLY)
		return "*";
	switch (e->op) {
	case POLY_OP_ADD:
		return "+";
	case POLY_OP_MUL:
		return ".*";
	default:
		return "-";
	}
}

/* How a view selects: "a" selects from the operand, "via" tells for the
 * operand's row and column what they are of the view.
 *
 * A view is a node that stores nothing: transposition and broadcast of A[i,j]
 * read A[j,i] or A[0,j]. Views of views are composed at once, so that each
 * leads to what is stored.
 */
static enum fe_select compose(enum fe_select a, const enum fe_select via[2])
{
	return a == FE_ZERO ? FE_ZERO : via[a];
}

/* Make "n" the view of its operand whose row and column are "via".
 *
 * The operand has been made a view, or is its own base.
 */
static void set_view(struct fe_node *n, const enum fe_select via[2])
{
	const struct fe_node *a = n->arg[0];

	n->base = a->base;
	n->select[0] = compose(a->select[0], via);
	n->select[1] = compose(a->select[1], via);
}

/* In order of making, which is that of evaluation. "owner" is the definition,
 * NULL of inputs.
 */
struct fe_node *fe_node_add(struct fe_unit *u, enum fe_node_kind kind,
	struct fe_def *owner, struct fe_node *a, struct fe_node *b)
{
	struct fe_node *n = fe_arena_alloc(&u->arena, sizeof(*n));
	int i;

	n->kind = kind;
	n->op = POLY_OP_NONE;
	n->id = u->n_node++;
	n->owner = owner;
	n->arg[0] = a;
	n->arg[1] = b;
	n->n_arg = !!a + !!b;
	n->base = n;
	n->select[0] = FE_ROW;
	n->select[1] = FE_COLUMN;
	/* 2 * 3 is made of literals alone, so that it scales what it is
	 * multiplied with
	 */
	n->literal = n->n_arg > 0;
	for (i = 0; i < n->n_arg; i++)
		n->literal = n->literal && n->arg[i]->literal;
	if (owner && !owner->first)
		owner->first = n;
	if (u->last_node)
		u->last_node->next = n;
	else
		u->node = n;
	u->last_node = n;
	return n;
}

/* A node for "e", which has a place in the text. */
static struct fe_node *add_node(struct fe_unit *u, enum fe_node_kind kind,
	struct fe_def *def, const struct fe_expr *e, struct fe_node *a,
	struct fe_node *b)
{
	struct fe_node *n = fe_node_add(u, kind, def, a, b);

	n->loc = e->loc;
	return n;
}

/* A literal, rounded to the element type.
 *
 * NULL, having reported: a fraction among integers, or a number that the type
 * cannot hold.
 */
static struct fe_node *make_const(struct fe_unit *u, struct fe_def *def,
	const struct fe_expr *e)
{
	const char *type = poly_type_name(u->type);
	bool is_float = poly_type_is_float(u->type);
	double value = e->value;
	struct fe_node *n;

	if (!is_float && isfinite(value) && value != floor(value)) {
		FE_REPORT(u, FE_FRACTION, &e->loc, value, type);
		return NULL;
	}
	if (is_float)
		value = fe_number_round(u->type, value);
	else if (fabs(value) > 2147483648.0 ||
		fe_number_round(u->type, value) != value)
		value = INFINITY;
	if (!isfinite(value)) {
		FE_REPORT(u, FE_RANGE, &e->loc, e->value, type);
		return NULL;
	}
	n = add_node(u, FE_CONST, def, e, NULL, NULL);
	n->dim[0].value = n->dim[1].value = 1;
	n->literal = true;
	/* -0 is 0 among integers */
	n->value = is_float ? value : value + 0.0;
	return n;
}

/* The transposed "a", a view of it.
 *
 * Nothing is moved.
 */
static struct fe_node *make_flip(struct fe_unit *u, struct fe_def *def,
	const struct fe_expr *e, struct fe_node *a)
{
	static const enum fe_select via[2] = { FE_COLUMN, FE_ROW };
	struct fe_node *n = add_node(u, FE_FLIP, def, e, a, NULL);

	n->dim[0] = a->dim[1];
	n->dim[1] = a->dim[0];
	set_view(n, via);
	return n;
}

/* "a" repeated to the shape of "to", which it fits.
 *
 * A dimension of size 1 reads element 0 all along the other's.
 */
static struct fe_node *make_bcast(struct fe_unit *u, struct fe_def *def,
	const struct fe_expr *e, struct fe_node *a, const struct fe_node *to)
{
	enum fe_select via[2] = { FE_ROW, FE_COLUMN };
	struct fe_node *n = add_node(u, FE_BCAST, def, e, a, NULL);
	int d;

	for (d = 0; d < 2; d++) {
		n->dim[d] = to->dim[d];
		if (!fe_size_equal(&a->dim[d], &to->dim[d]))
			via[d] = FE_ZERO;
	}
	set_view(n, via);
	return n;
}

/* True if each size of "a" is that of "b" or 1.
 *
 * So both fit one another if they are equal.
 */
static bool fits(const struct fe_node *a, const struct fe_node *b)
{
	int d;

	for (d = 0; d < 2; d++)
		if (!fe_size_equal(&a->dim[d], &b->dim[d]) &&
			!is_one(&a->dim[d]))
			return false;
	return true;
}

/* Give the operands of "e" one shape; false, having reported why, if they
 * have none.
 *
 * One of them is broadcast, never both: a column plus a row is a message that
 * says how to mean it.
 */
static bool make_same_shape(struct fe_unit *u, struct fe_def *def,
	const struct fe_expr *e, struct fe_node **a, struct fe_node **b)
{
	char left[SHAPE_TEXT], right[SHAPE_TEXT];
	bool both = true;
	int d;

	if (fits(*a, *b) && fits(*b, *a))
		return true;
	if (fits(*a, *b)) {
		*a = make_bcast(u, def, e, *a, *b);
		return true;
	}
	if (fits(*b, *a)) {
		*b = make_bcast(u, def, e, *b, *a);
		return true;
	}
	for (d = 0; d < 2; d++)
		both = both && (is_one(&(*a)->dim[d]) ||
			is_one(&(*b)->dim[d]) ||
			fe_size_equal(&(*a)->dim[d], &(*b)->dim[d]));
	print_shape(*a, left);
	print_shape(*b, right);
	if (both)
		FE_REPORT(u, FE_BOTH, &e->loc, operation_name(e), left, right);
	else
		FE_REPORT(u, FE_SHAPES, &e->loc, left, right,
			operation_name(e));
	return false;
}

/* The node of "op" on each element of the operands, after they have one shape;
 * NULL, having reported. Some functions have floats only.
 *
 * FE_INTEGERS: a function of floats only.
 */
static struct fe_node *make_elementwise(struct fe_unit *u, struct fe_def *def,
	const struct fe_expr *e, enum poly_op op)
{
	struct fe_node *a = e->arg[0]->node, *n;
	struct fe_node *b = e->arg[1] ? e->arg[1]->node : NULL;

	if (e->function && !e->function->integers &&
		!poly_type_is_float(u->type)) {
		FE_REPORT(u, FE_INTEGERS, &e->loc, e->function->name,
			poly_type_name(u->type));
		return NULL;
	}
	if (b && !make_same_shape(u, def, e, &a, &b))
		return NULL;
	n = add_node(u, FE_OP, def, e, a, b);
	n->op = op;
	n->dim[0] = a->dim[0];
	n->dim[1] = a->dim[1];
	return n;
}

/* Round the value that a product reads. Only what has no name needs it: a
 * node of the same right-hand side, of which the product is the only reader.
 *
 * LANGUAGE: a product reads its operands in the element type, so the value of
 * an expression in f32 is rounded to f16 before it.
 */
static void round_operand(struct fe_node *a)
{
	if (a->base->kind == FE_OP || a->base->kind == FE_PRODUCT)
		a->base->rounded = true;
}

/* "*": scaling if an operand is made of literals, else a product if the inner
 * sizes agree, else scaling if an operand is 1 x 1.
 *
 * The order of the cases is the language's: a literal scales whatever the sizes
 * are.
 */
static struct fe_node *make_multiply(struct fe_unit *u, struct fe_def *def,
	const struct fe_expr *e)
{
	struct fe_node *a = e->arg[0]->node, *b = e->arg[1]->node, *n;
	char left[SHAPE_TEXT], right[SHAPE_TEXT];
	bool agree = fe_size_equal(&a->dim[1], &b->dim[0]);

	if (a->literal || b->literal ||
		(!agree && (is_scalar(a) || is_scalar(b))))
		return make_elementwise(u, def, e, POLY_OP_MUL);
	if (!agree) {
		FE_REPORT(u, FE_INNER, &e->loc, print_shape(a, left),
			print_shape(b, right));
		return NULL;
	}
	n = add_node(u, FE_PRODUCT, def, e, a, b);
	n->dim[0] = a->dim[0];
	n->dim[1] = b->dim[1];
	round_operand(a);
	round_operand(b);
	return n;
}

/* NULL if an operand has none, without a message of its own: the first has been
 * reported.
 */
struct fe_node *fe_node_make(struct fe_unit *u, struct fe_def *def,
	struct fe_expr *e)
{
	if ((e->arg[0] && !e->arg[0]->node) || (e->arg[1] && !e->arg[1]->node))
		return NULL;
	switch (e->kind) {
	case FE_LITERAL:
		return make_const(u, def, e);
	case FE_TRANSPOSE:
		return make_flip(u, def, e, e->arg[0]->node);
	case FE_MULTIPLY:
		return make_multiply(u, def, e);
	default:
		return make_elementwise(u, def, e, e->op);
	}
}
