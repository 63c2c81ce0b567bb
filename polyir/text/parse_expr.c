/* The value of a statement from its text: an expression in parentheses.
 *
 *	(add (read A "{ S[i] -> A[i] }") (const f32 1))
 *
 * The operator comes first, and behind it what it has: a type, a number, an array,
 * then its arguments.
 */
#include "polyir/ir/ir.h"
#include "polyir/text/text.h"
#include "polyir/text/parse.h"

enum poly_type poly_parse_type(struct poly_scan *s)
{
	enum poly_type t = poly_type_find(poly_scan_peek(s)->text);

	if (t == POLY_N_TYPE)
		poly_scan_error(s, "expected a type");
	else
		poly_scan_word(s, "a type");
	return t;
}

struct poly_array *poly_parse_array_name(struct poly_parser *p)
{
	struct poly_scan *s = &p->scan;
	struct poly_array *array;

	array = poly_prog_find_array(p->prog, poly_scan_peek(s)->text);
	if (s->failed || !array) {
		poly_scan_error(s, "expected the name of an array");
		return NULL;
	}
	poly_scan_word(s, "an array");
	return array;
}

/* Read a constant, an index, a cast and the like: each names a type first. A cast to the
 * type that is there already would not come back from printing.
 */
static struct poly_expr *parse_typed(struct poly_parser *p, enum poly_op op,
	int depth)
{
	enum poly_type type = poly_parse_type(&p->scan);
	struct poly_expr *e = NULL;
	double value;
	int loop;

	if (p->scan.failed)
		return NULL;
	if (op == POLY_OP_CONST) {
		if (poly_scan_number(&p->scan, &value))
			e = poly_expr_const(type, value);
		return e;
	}
	if (op == POLY_OP_INDEX)
		return poly_expr_index(type, poly_scan_index(&p->scan));
	if (op == POLY_OP_STEP || op == POLY_OP_CARRY)
		return !poly_scan_small(&p->scan, "a loop", 0,
			POLY_MAX_LOOP - 1, &loop) ? NULL : op == POLY_OP_STEP ?
			poly_expr_step(loop) : poly_expr_carry(loop, type);
	if (op == POLY_OP_LEFT || op == POLY_OP_RIGHT)
		return poly_expr_side(op, type);
	if (op == POLY_OP_PART)
		return poly_scan_small(&p->scan, "a word", 0,
			POLY_MOST_WORDS - 1, &loop) ? poly_expr_part(type, loop,
			poly_parse_expr(p, depth + 1)) : NULL;
	e = poly_parse_expr(p, depth + 1);
	if (e && e->type == type) {
		poly_scan_error(&p->scan, "the cast changes nothing");
		return poly_expr_free(e);
	}
	return poly_expr_cast(type, e);
}

/* Read a size parameter or an access. */
static struct poly_expr *parse_leaf(struct poly_parser *p, enum poly_op op)
{
	struct poly_scan *s = &p->scan;
	struct poly_array *array;

	if (op == POLY_OP_ACCESS) {
		array = poly_parse_array_name(p);
		return array ? poly_expr_access(array, poly_scan_index(s)) :
			NULL;
	}
	if (!poly_prog_find_param(p->prog, poly_scan_peek(s)->text)) {
		poly_scan_error(s, "expected the name of a parameter");
		return NULL;
	}
	return poly_expr_param(poly_scan_word(s, "a parameter"));
}

/* (gather A EXPR) or, with an element that it counts from, (gather A "INDEX" EXPR). */
static struct poly_expr *parse_gather(struct poly_parser *p, int depth)
{
	struct poly_array *array = poly_parse_array_name(p);
	isl_multi_pw_aff *index = NULL;
	struct poly_expr *at;

	if (!array)
		return NULL;
	if (poly_scan_peek(&p->scan)->kind == POLY_TOKEN_STRING) {
		index = poly_scan_index(&p->scan);
		if (!index)
			return NULL;
	}
	at = poly_parse_expr(p, depth + 1);
	return index ? poly_expr_gather_from(array, index, at) :
		poly_expr_gather(array, at);
}

/* Read the arguments of the operator "op". That their types fit is for
 * poly_verify to say, except where the operation could not be made.
 *
 * The type of the result is taken from the arguments, so the text need not say
 * it: the first of a SELECT's choices, BOOL of a comparison, the first argument
 * of all others.
 */
static struct poly_expr *parse_args(struct poly_parser *p, enum poly_op op,
	int depth)
{
	struct poly_expr *arg[POLY_MAX_ARG] = { NULL };
	int n = poly_op_n_arg(op), dim = 0, stride = 1;

	if ((op == POLY_OP_SCATTER && !poly_scan_small(&p->scan, "a coordinate",
	     0, POLY_SCATTER_DIMS - 1, &dim)) || (op == POLY_OP_PUT &&
	    !poly_scan_small(&p->scan, "a word", 0, POLY_MOST_WORDS - 1, &dim)) || (op == POLY_OP_LOOP &&
	    (!poly_scan_small(&p->scan, "a loop", 0, POLY_MAX_LOOP - 1, &dim) ||
	     !poly_scan_small(&p->scan, "a stride", 1, POLY_MOST_THREADS, &stride))))
		return NULL;
	for (int i = 0; i < n; i++) {
		arg[i] = poly_parse_expr(p, depth + 1);
		if (arg[i])
			continue;
		while (i-- > 0)
			poly_expr_free(arg[i]);
		return NULL;
	}
	if (op == POLY_OP_SCATTER)
		return poly_expr_scatter(dim, arg[0], arg[1]);
	if (op == POLY_OP_LOOP)
		return poly_expr_loop(dim, stride, arg[0], arg[1], arg[2], arg[3]);
	if (op == POLY_OP_PUT)
		return poly_expr_put(arg[0], dim, arg[1]);
	if (op == POLY_OP_JOIN)
		return poly_expr_join(arg[0], arg[1], arg[2], arg[3]);
	if (poly_op_shape(op) == POLY_SHAPE_SELECT)
		return poly_expr_op3(op, arg[1]->type, arg[0], arg[1], arg[2]);
	if (poly_op_shape(op) == POLY_SHAPE_COMPARE)
		return poly_expr_op(op, POLY_BOOL, arg[0], arg[1]);
	if (n == 3)
		return poly_expr_op3(op, arg[0]->type, arg[0], arg[1], arg[2]);
	return poly_expr_op(op, arg[0]->type, arg[0], arg[1]);
}

struct poly_expr *poly_parse_expr(struct poly_parser *p, int depth)
{
	struct poly_scan *s = &p->scan;
	struct poly_expr *e;
	enum poly_op op;

	if (depth > POLY_EXPR_MAX)
		poly_scan_limit(s, "the expression is nested deeper than %d",
			POLY_EXPR_MAX);
	if (!poly_scan_expect(s, "("))
		return NULL;
	op = poly_op_find(poly_scan_peek(s)->text);
	if (poly_scan_accept(s, "read"))
		op = POLY_OP_ACCESS;
	else if (op == POLY_OP_NONE || op == POLY_OP_ACCESS)
		poly_scan_error(s, "expected an operator");
	else
		poly_scan_word(s, "an operator");
	if (s->failed)
		return NULL;
	if (op == POLY_OP_CONST || op == POLY_OP_CAST ||
	    op == POLY_OP_BITS || op == POLY_OP_INDEX ||
	    op == POLY_OP_STEP || op == POLY_OP_CARRY || op == POLY_OP_PART ||
	    op == POLY_OP_LEFT || op == POLY_OP_RIGHT)
		e = parse_typed(p, op, depth);
	else if (op == POLY_OP_ACCESS || op == POLY_OP_PARAM)
		e = parse_leaf(p, op);
	else if (op == POLY_OP_GATHER)
		e = parse_gather(p, depth);
	else
		e = parse_args(p, op, depth);
	if (e && !poly_scan_expect(s, ")"))
		return poly_expr_free(e);
	return e;
}
