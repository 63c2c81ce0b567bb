/* What operators of index notation stand between: literals, names, calls of functions,
 * reductions, random numbers, and expressions in brackets.
 */
#include <string.h>

#include "frontend/index/parse_scalar.h"

/* A name that stands for an operation. */
struct scalar_function {
	const char *name;
	enum poly_op op;
	bool place;		/* of a reduction: where its value is */
};
/* Functions of scalars by name, from the table that the checks of types use as
 * well.
 */
static const struct scalar_function functions[] = {
#define SCALAR(name, op, floats, integers) { name, POLY_OP_##op, false },
#include "frontend/index/tensor/scalar.def"
#undef SCALAR
};
/* The words in front of a reduction. Two of them ask where the value is, and
 * not for the value.
 */
static const struct scalar_function reductions[] = {
	{ "sum", POLY_OP_ADD, false }, { "prod", POLY_OP_MUL, false },
	{ "min", POLY_OP_MIN, false }, { "max", POLY_OP_MAX, false },
	{ "argmin", POLY_OP_MIN, true }, { "argmax", POLY_OP_MAX, true },
};

/* -------------------------------------------------------------- primaries */

/* Is the number spelled with digits alone?
 *
 * "3" is whole, "3.0" and "3e1" are not: a whole number may be a size or a
 * position.
 */
static bool is_whole(const struct fe_token *t)
{
	int i;

	for (i = 0; i < t->loc.len; i++)
		if (t->text[i] < '0' || t->text[i] > '9')
			return false;
	return true;
}

/* A number; NULL, having reported, for a whole one that a double may not hold.
 *
 * 2^53 is the largest: up to there each whole number is a double, so that none
 * is changed by reading it.
 */
static struct fe_scalar *parse_literal(struct fe_parser *p)
{
	const struct fe_token *t = p->token;
	struct fe_scalar *e = fe_scalar_new(p->unit, FE_S_NUMBER, &t->loc);

	e->whole = is_whole(t);
	e->value = fe_parse_number(p);
	if (e->whole && !fe_number_is_exact(t->text, (size_t)t->loc.len, 10)) {
		FE_REPORT(p->unit, FE_LARGE, &e->loc);
		return NULL;
	}
	return e;
}

/* The index goes to the end of the list: positions in a definition follow the
 * order of the text.
 */
struct fe_index *fe_parse_add_index(struct fe_parser *p,
	struct fe_scope *scope, const struct fe_token *name)
{
	struct fe_index *i = fe_arena_alloc(&p->unit->arena, sizeof(*i)), **at;

	i->symbol = name->symbol;
	i->loc = name->loc;
	for (at = &scope->first; *at; at = &(*at)->next)
		;
	*at = i;
	scope->n++;
	return i;
}

/* True if the bracket at the current token opens a reduction: names, then ":"
 * or "for".
 *
 * Without that look ahead "max(a, b)", a function with two arguments, is not
 * told from "max(a, b: x(a,b))", a reduction over two indices.
 */
static bool opens_reduction(const struct fe_parser *p)
{
	const struct fe_token *t = p->token->next;

	while (t->kind == FE_NAME && t->next->kind == FE_COMMA)
		t = t->next->next;
	return t->kind == FE_NAME && (t->next->kind == FE_COLON ||
		fe_parse_is_word(t->next, "for"));
}

/* The reduction "of" behind its name, at the bracket.
 *
 *	sum(i, j for i <= j: x(i,j))
 *
 * The indices come first, the conditions behind "for", then the term behind the
 * colon.
 */
static struct fe_scalar *parse_reduction(struct fe_parser *p,
	const struct fe_token *name, const struct scalar_function *of)
{
	struct fe_scalar *e = fe_parse_op(p, of->op, name, NULL, NULL);

	e->kind = FE_S_REDUCE;
	e->place = of->place;
	e->scope = fe_arena_alloc(&p->unit->arena, sizeof(*e->scope));
	fe_parse_advance(p);
	do {
		if (!fe_parse_expect(p, FE_NAME))
			return NULL;
		fe_parse_add_index(p, e->scope, p->last);
	} while (fe_parse_accept(p, FE_COMMA));
	/* "argmax" yields one position, so it has one index. */
	if (e->place && e->scope->n > 1) {
		FE_REPORT(p->unit, FE_ONE_INDEX, &name->loc, of->name,
			e->scope->n);
		return NULL;
	}
	if (fe_parse_accept_word(p, "for") &&
	    !fe_parse_conditions(p, &e->scope->condition))
		return NULL;
	if (!fe_parse_expect(p, FE_COLON))
		return NULL;
	e->arg[0] = fe_parse_scalar(p);
	if (!e->arg[0] || !fe_parse_expect(p, FE_CLOSE))
		return NULL;
	e->n_arg = 1;
	return fe_parse_measure(p, e, name);
}

/* Arguments behind the bracket into e->arg.
 *
 * As many as a tensor has dimensions: no function has more arguments.
 */
static bool parse_arguments(struct fe_parser *p, struct fe_scalar *e)
{
	if (fe_parse_accept(p, FE_CLOSE))
		return true;
	do {
		struct fe_scalar *arg = fe_parse_scalar(p);

		if (!arg)
			return false;
		if (e->n_arg == FE_MAX_RANK) {
			FE_REPORT(p->unit, FE_RANK, &arg->loc, FE_MAX_RANK);
			return false;
		}
		e->arg[e->n_arg++] = arg;
	} while (fe_parse_accept(p, FE_COMMA));
	return fe_parse_expect(p, FE_CLOSE);
}

/* ---------------------------------------------------------- random numbers */

/* The number "value" of the type "type". */
static struct fe_scalar *number(struct fe_parser *p, const struct fe_token *t,
	enum poly_type type, double value)
{
	struct fe_scalar *e = fe_scalar_new(p->unit, FE_S_NUMBER, &t->loc);

	e->type = type;
	e->value = value;
	return e;
}

/* "a" as a value of "type"; NULL, having reported, if it is nested too deep. */
static struct fe_scalar *convert(struct fe_parser *p, const struct fe_token *t,
	enum poly_type type, struct fe_scalar *a)
{
	struct fe_scalar *e = a ? fe_parse_op(p, POLY_OP_NONE, t, a, NULL) : NULL;

	if (!e)
		return NULL;
	e->kind = FE_S_CAST;
	e->type = type;
	return e;
}

/* "a op b", for numbers of one type; "b" NULL: "op a". */
static struct fe_scalar *join(struct fe_parser *p, const struct fe_token *t,
	enum poly_op op, struct fe_scalar *a, struct fe_scalar *b)
{
	if (!a || (!b && poly_op_n_arg(op) == 2))
		return NULL;
	return fe_parse_op(p, op, t, a, b);
}

/* The argument "a" of a random number in 64 bits. */
static struct fe_scalar *counted(struct fe_parser *p, const struct fe_token *t,
	const struct fe_scalar *a)
{
	struct fe_scalar *e = convert(p, t, POLY_I64, fe_scalar_copy(p->unit, a,
		NULL, NULL));

	if (e)
		e->counts = true;
	return e;
}

/* The upper 24 of the random bits of "seed" at "i": a u32. */
static struct fe_scalar *upper_bits(struct fe_parser *p,
	const struct fe_token *t, struct fe_scalar *seed, struct fe_scalar *i)
{
	struct fe_scalar *e = join(p, t, POLY_OP_PHILOX, seed, i);

	return join(p, t, POLY_OP_SHR, convert(p, t, POLY_U32, e),
		number(p, t, POLY_U32, 8));
}

/* "a", an integer of 24 bits, times "unit", as an f32: both are exact. */
static struct fe_scalar *scaled(struct fe_parser *p, const struct fe_token *t,
	struct fe_scalar *a, double unit)
{
	return join(p, t, POLY_OP_MUL, convert(p, t, POLY_F32, a),
		number(p, t, POLY_F32, unit));
}

/* Box and Muller's method: two uniform numbers u and v, of which the first is not 0,
 * make sqrt(-2 log(u)) the distance and 2 pi v the angle of a point whose two
 * coordinates are normal.
 *
 *	u = (bits at i & -2 >> 8 + 1) / 2^24
 *	v = (bits at i | 1 >> 8) / 2^24
 *	even i	sqrt(-2 log(u)) cospi(2 v)
 *	odd i	sqrt(-2 log(u)) cospi(2 v - 1/2), which is the sine
 */
static struct fe_scalar *normal(struct fe_parser *p, const struct fe_token *t,
	struct fe_scalar *const arg[2])
{
	struct fe_scalar *even = join(p, t, POLY_OP_AND, counted(p, t, arg[1]),
		number(p, t, POLY_I64, -2));
	struct fe_scalar *odd = join(p, t, POLY_OP_OR, counted(p, t, arg[1]),
		number(p, t, POLY_I64, 1));
	struct fe_scalar *half = join(p, t, POLY_OP_AND, counted(p, t, arg[1]),
		number(p, t, POLY_I64, 1));
	struct fe_scalar *u, *v;

	u = upper_bits(p, t, counted(p, t, arg[0]), even);
	u = join(p, t, POLY_OP_ADD, u, number(p, t, POLY_U32, 1));
	u = join(p, t, POLY_OP_LOG, scaled(p, t, u, 0x1p-24), NULL);
	u = join(p, t, POLY_OP_MUL, number(p, t, POLY_F32, -2), u);
	u = join(p, t, POLY_OP_SQRT, u, NULL);
	v = upper_bits(p, t, counted(p, t, arg[0]), odd);
	half = join(p, t, POLY_OP_SHL, convert(p, t, POLY_I32, half),
		number(p, t, POLY_I32, 22));
	v = join(p, t, POLY_OP_SUB, convert(p, t, POLY_I32, v), half);
	v = join(p, t, POLY_OP_COSPI, scaled(p, t, v, 0x1p-23), NULL);
	return join(p, t, POLY_OP_MUL, u, v);
}

/* The random number that "name" says of the arguments of "e"; NULL, having reported.
 *
 * A normal number has its arguments several times, so they count as so much deeper:
 * the limit of the depth limits copies of copies.
 */
static struct fe_scalar *parse_random(struct fe_parser *p,
	const struct fe_token *t, enum fe_random kind, struct fe_scalar *e)
{
	struct fe_scalar *bits;

	if (e->n_arg != 2) {
		FE_REPORT(p->unit, FE_ARGUMENTS, &t->loc, t->symbol->name, 2,
			"s", e->n_arg, "");
		return NULL;
	}
	if (kind == FE_RANDOM_NORMAL) {
		e->arg[0]->depth *= 3;
		e->arg[1]->depth *= 3;
		return normal(p, t, e->arg);
	}
	if (kind == FE_RANDOM_UNIFORM)
		return scaled(p, t, upper_bits(p, t, counted(p, t, e->arg[0]),
			counted(p, t, e->arg[1])), 0x1p-24);
	bits = join(p, t, POLY_OP_PHILOX, counted(p, t, e->arg[0]),
		counted(p, t, e->arg[1]));
	return convert(p, t, POLY_U32, bits);
}

/* What to say of "op" with one argument, where it takes two. */
static const char *one_of(enum poly_op op)
{
	return op == POLY_OP_MAX ? "; that of all elements names its indices, as in "
		"max(j: x(i,j))" : op == POLY_OP_MIN ? "; that of all elements names "
		"its indices, as in min(j: x(i,j))" : "";
}

/* Make "e" the call of the function or type "name", or leave it a read.
 *
 * A name that is a function is looked up before one that is a tensor; what is
 * left without a count of arguments stays a read, whose name is bound later.
 */
static bool resolve_call(struct fe_parser *p, const struct fe_token *name,
	struct fe_scalar *e)
{
	const struct fe_function *f = name->symbol->function;
	enum poly_type type = poly_type_find(name->symbol->name);
	int n = e->n_arg, want = -1, i;

	for (i = 0; i < COUNT(functions); i++) {
		if (strcmp(functions[i].name, name->symbol->name))
			continue;
		e->op = functions[i].op;
		want = poly_op_n_arg(e->op);
	}
	if (f && f->op != POLY_OP_NONE) {
		e->op = f->op;
		want = f->n_arg;
	}
	if (type != POLY_N_TYPE) {
		e->type = type;
		want = 1;
	}
	/* A function of whole matrices has no meaning for an element. */
	if (f && f->op == POLY_OP_NONE) {
		FE_REPORT(p->unit, FE_MATRIX_FUNCTION, &name->loc, f->name);
		return false;
	}
	if (want >= 0)
		e->kind = type != POLY_N_TYPE ? FE_S_CAST : FE_S_OP;
	if (want >= 0 && n != want)
		FE_REPORT(p->unit, FE_ARGUMENTS, &name->loc,
			name->symbol->name, want, want == 1 ? "" : "s", n,
			n == 1 ? one_of(e->op) : "");
	return want < 0 || n == want;
}

/* Is the token one that no operator is, and an operand may be? */
static bool starts_value(const struct fe_parser *p)
{
	return fe_parse_at(p, FE_NAME) || fe_parse_at(p, FE_NUMBER) ||
		fe_parse_at(p, FE_OPEN);
}

/* What stands behind the name "name", at the bracket.
 *
 * The words of reductions are no reserved words: a tensor may be called "sum".
 */
static struct fe_scalar *parse_call(struct fe_parser *p,
	const struct fe_token *name)
{
	enum fe_random kind = fe_random_find(name->symbol->name,
		strlen(name->symbol->name));
	struct fe_scalar *e;
	char text[FE_ADVICE];
	int i;

	for (i = 0; i < COUNT(reductions); i++)
		if (fe_parse_is_word(name, reductions[i].name) &&
		    opens_reduction(p))
			return parse_reduction(p, name, &reductions[i]);
	if (opens_reduction(p)) {
		FE_REPORT(p->unit, FE_NO_FUNCTION, &name->loc,
			name->symbol->name, "; over indices there are sum, prod, "
			"min, max, argmin and argmax");
		return NULL;
	}
	e = fe_parse_op(p, POLY_OP_NONE, name, NULL, NULL);
	e->kind = FE_S_READ;
	e->symbol = name->symbol;
	fe_parse_advance(p);
	if (!parse_arguments(p, e))
		return NULL;
	if (kind < FE_N_RANDOM)
		return parse_random(p, name, kind, e);
	if (fe_parse_is_word(name, "if") && starts_value(p)) {
		fe_parse_expected_but(p, "an operator",
			fe_advice(FE_AT_CALL, name->symbol->name, text));
		return NULL;
	}
	if (!resolve_call(p, name, e))
		return NULL;
	/* Loops that run in parallel have functions of their own, which replace
	 * the call (frontend/parallel/).
	 */
	if (e->kind == FE_S_READ && p->unit->inline_call)
		e = p->unit->inline_call(p->unit, e);
	if (!e)
		return NULL;
	return fe_parse_measure(p, e, name);
}

/* The brackets leave no node: they only say what belongs together. */
static struct fe_scalar *parse_bracket(struct fe_parser *p)
{
	struct fe_scalar *e;

	fe_parse_advance(p);
	e = fe_parse_scalar(p);
	return e && fe_parse_expect(p, FE_CLOSE) ? e : NULL;
}

/* Brackets and calls are counted on the way in and given back on the way out
 * ("nesting"), so that the parser's own recursion has a limit, too.
 */
struct fe_scalar *fe_parse_primary(struct fe_parser *p)
{
	const struct fe_token *t = p->token;
	struct fe_scalar *e = NULL;

	if (fe_parse_at(p, FE_NUMBER))
		return parse_literal(p);
	if (fe_parse_at_word(p, "true") || fe_parse_at_word(p, "false")) {
		e = fe_scalar_new(p->unit, FE_S_NUMBER, &t->loc);
		e->type = POLY_BOOL;
		/* "accept" advances over "true" and yields 1; behind "false" it
		 * has to be done here.
		 */
		e->value = fe_parse_accept_word(p, "true");
		if (!e->value)
			fe_parse_advance(p);
		return e;
	}
	if (!fe_parse_at(p, FE_NAME) && !fe_parse_at(p, FE_OPEN)) {
		fe_parse_expected_but(p, "an expression", fe_parse_at_power(p) ?
			"; a power is pow(x, y)" : "");
		return NULL;
	}
	if (!fe_parse_enter(p))
		return NULL;
	if (fe_parse_at(p, FE_OPEN)) {
		e = parse_bracket(p);
	} else {
		fe_parse_advance(p);
		if (fe_parse_at(p, FE_OPEN)) {
			e = parse_call(p, t);
		} else {
			e = fe_scalar_new(p->unit, FE_S_NAME, &t->loc);
			e->symbol = t->symbol;
		}
	}
	p->nesting--;
	return e;
}
