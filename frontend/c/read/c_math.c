/* Calls of functions of math.h and stdlib.h, which become operators.
 *
 * The table is c_math.def: a name, its arguments, its operator, for double; the
 * same with an "f" behind is of float. Long doubles have no counterpart.
 */
#include <math.h>
#include <string.h>

#include "frontend/c/read/read.h"

/* A function of math.h.
 *
 * A row of the table.
 */
struct function {
	const char *name;
	int n_arg;
	enum poly_type type;	/* F64: the name with an "f" is of F32 */
	enum poly_op op;
};
static const struct function function[] = {
#define FUNCTION(name, n_arg, op) { name, n_arg, POLY_F64, POLY_OP_##op },
#define INTEGER(name, type, op) { name, 1, POLY_##type, POLY_OP_##op },
#include "frontend/c/read/c_math.def"
#undef FUNCTION
#undef INTEGER
};

/* The function whose name has the "len" bytes at "text"; "type" becomes that
 * of its arguments and its value.
 *
 * __builtin_ in front is what headers make of some.
 */
static const struct function *find(const char *text, int len,
	enum poly_type *type)
{
	static const char builtin[] = "__builtin_";
	size_t i, n;

	if (len > 10 && !memcmp(text, builtin, 10)) {
		text += 10;
		len -= 10;
	}
	for (i = 0; i < sizeof(function) / sizeof(function[0]); i++) {
		n = strlen(function[i].name);
		if (memcmp(function[i].name, text,
			n < (size_t)len ? n : (size_t)len))
			continue;
		*type = function[i].type;
		if (n == (size_t)len)
			return &function[i];
		if (n + 1 == (size_t)len && text[n] == 'f' &&
		    *type == POLY_F64) {
			*type = POLY_F32;
			return &function[i];
		}
	}
	return NULL;
}

/* Functions that math.h has for INFINITY, HUGE_VAL and NAN: constants. */
static const struct {
	const char *name;
	enum poly_type type;
	double value;
} constant[] = {
	{ "__builtin_inf", POLY_F64, INFINITY },
	{ "__builtin_inff", POLY_F32, INFINITY },
	{ "__builtin_huge_val", POLY_F64, INFINITY },
	{ "__builtin_huge_valf", POLY_F32, INFINITY },
	{ "__builtin_nan", POLY_F64, NAN },
	{ "__builtin_nanf", POLY_F32, NAN },
	{ "nan", POLY_F64, NAN },
	{ "nanf", POLY_F32, NAN }
};

static bool is_named(const struct fe_c_token *t, const char *name)
{
	return strlen(name) == (size_t)t->len &&
		!memcmp(name, t->text, (size_t)t->len);
}

/* The number of the constant that the function gives, or -1. */
static int find_constant(const struct fe_c_token *name)
{
	int i = (int)(sizeof(constant) / sizeof(constant[0]));

	while (--i >= 0 && !is_named(name, constant[i].name))
		;
	return i;
}

/* Macros of math.h that ask what kind of number a float is. */
enum asked { IS_NAN, IS_INF, IS_FINITE, SIGN_BIT, NOTHING };
static const char *const question[][2] = {
	[IS_NAN] = { "isnan", "__builtin_isnan" },
	[IS_INF] = { "isinf", "__builtin_isinf_sign" },
	[IS_FINITE] = { "isfinite", "__builtin_isfinite" },
	[SIGN_BIT] = { "signbit", "__builtin_signbit" }
};

static enum asked find_question(const struct fe_c_token *name)
{
	int q = IS_NAN;

	while (q < NOTHING && !is_named(name, question[q][0]) &&
	       !is_named(name, question[q][1]))
		q++;
	return q;
}

bool fe_c_takes_text(const struct fe_c_token *name)
{
	int i = find_constant(name);

	return i >= 0 && isnan(constant[i].value);
}

/* For the check whether a call is one of a function that the file lacks. */
bool fe_c_knows(const struct fe_c_token *name)
{
	enum poly_type type = POLY_F64;

	return find_constant(name) >= 0 || find_question(name) != NOTHING ||
		fe_c_is_random(name) || find(name->text, name->len, &type);
}

/* A float constant. */
static struct fe_c_expr *real(struct fe_c_parse *p, enum poly_type type,
	double value, const struct poly_loc *loc)
{
	struct fe_c_expr *e = fe_c_node(p, FE_C_FLOAT, type, loc);

	e->value = value;
	return e;
}

/* "cond ? a : b", of the type of "a".
 *
 * The condition is an int.
 */
static struct fe_c_expr *choose(struct fe_c_parse *p, struct fe_c_expr *cond,
	struct fe_c_expr *a, struct fe_c_expr *b, const struct poly_loc *loc)
{
	struct fe_c_expr *e = fe_c_node(p, FE_C_COND, a->type, loc);

	e->arg[0] = cond;
	e->arg[1] = a;
	e->arg[2] = b;
	return e;
}

/* fdim: "x <= y ? 0 : x - y", NaN if one is.
 *
 * A NaN makes the comparison false, so that x - y, a NaN, is taken.
 */
static struct fe_c_expr *positive_difference(struct fe_c_parse *p,
	struct fe_c_expr **arg, const struct poly_loc *loc)
{
	return choose(p, fe_c_binary(p, POLY_OP_LE, loc, arg[0], arg[1]),
		real(p, arg[0]->type, 0, loc),
		fe_c_binary(p, POLY_OP_SUB, loc, arg[0], arg[1]), loc);
}

/* The answer to "q" of "x", an int: a NaN is not equal to itself. isinf tells the
 * sign.
 */
static struct fe_c_expr *answer(struct fe_c_parse *p, enum asked q,
	struct fe_c_expr *x, const struct poly_loc *loc)
{
	struct fe_c_expr *most = real(p, x->type, INFINITY, loc), *e;
	struct fe_c_expr *least = real(p, x->type, -INFINITY, loc);

	if (q == IS_NAN)
		return fe_c_binary(p, POLY_OP_NE, loc, x, x);
	if (q == SIGN_BIT) {
		e = fe_c_node(p, FE_C_OP, x->type, loc);
		e->op = POLY_OP_COPYSIGN;
		e->arg[0] = real(p, x->type, 1, loc);
		e->arg[1] = x;
		return fe_c_binary(p, POLY_OP_LT, loc, e,
			real(p, x->type, 0, loc));
	}
	if (q == IS_INF)
		return fe_c_binary(p, POLY_OP_SUB, loc,
			fe_c_binary(p, POLY_OP_EQ, loc, x, most),
			fe_c_binary(p, POLY_OP_EQ, loc, x, least));
	e = fe_c_node(p, FE_C_AND, POLY_I32, loc);
	e->arg[0] = fe_c_binary(p, POLY_OP_LT, loc, least, x);
	e->arg[1] = fe_c_binary(p, POLY_OP_LT, loc, x, most);
	return e;
}

/* Report that nothing is known of the function, and one that is like it. */
static void unknown(struct fe_c_parse *p, const struct fe_c_token *name,
	const struct poly_loc *loc)
{
	struct fe_suggest s = fe_suggest_begin(name->text, (size_t)name->len);
	const char *best = fe_c_nearest_function(p->u, &s, p->c->functions);
	size_t i;

	if (fe_c_is_itself(p, name)) {
		FE_C_ERROR(p, FE_C_NO_INLINE, loc, name->len, name->text,
			"it is the function that is compiled");
		return;
	}
	for (i = 0; i < sizeof(function) / sizeof(function[0]); i++)
		if (fe_suggest_try(&s, function[i].name))
			best = function[i].name;
	FE_C_ERROR(p, FE_C_CALL, loc, name->len, name->text,
		best ? "; did you mean " : "", best ? best : "");
}

struct fe_c_expr *fe_c_miscounted(struct fe_c_parse *p,
	const struct fe_c_token *name, const struct poly_loc *loc, int want,
	int n)
{
	char text[32];

	snprintf(text, sizeof(text), "%.*s", name->len < 31 ? name->len : 31,
		name->text);
	FE_C_ERROR(p, FE_ARGUMENTS, loc, text, want, want == 1 ? "" : "s", n, "");
	return NULL;
}

/* "arg" has "n" values; they are converted to the type of the function. NULL,
 * having reported.
 */
struct fe_c_expr *fe_c_call(struct fe_c_parse *p,
	const struct fe_c_token *name, struct fe_c_expr **arg, int n,
	const struct poly_loc *loc)
{
	enum poly_type type = POLY_F64;
	const struct function *f = find(name->text, name->len, &type);
	struct poly_loc span = fe_c_span(&name->loc, loc);
	struct fe_c_expr *e;
	int i;

	if (fe_c_is_random(name))
		return fe_c_random(p, name, arg, n, &span);
	if (!n && find_constant(name) >= 0) {
		i = find_constant(name);
		return real(p, constant[i].type, constant[i].value, &span);
	}
	if (n == 1 && find_question(name) != NOTHING &&
	    poly_type_is_float(arg[0]->type))
		return answer(p, find_question(name), arg[0], &span);
	if (!f) {
		unknown(p, name, &span);
		return NULL;
	}
	if (n != f->n_arg)
		return fe_c_miscounted(p, name, &span, f->n_arg, n);
	for (i = 0; i < n; i++)
		arg[i] = fe_c_convert(p, type, arg[i]);
	if (f->op == POLY_OP_NONE)
		return positive_difference(p, arg, &span);
	e = fe_c_node(p, FE_C_OP, type, &span);
	e->op = f->op;
	memcpy(e->arg, arg, (size_t)n * sizeof(*arg));
	return e;
}
