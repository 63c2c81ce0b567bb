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

/* Is the function one of those that math.h has for INFINITY and HUGE_VAL?
 *
 * A header's INFINITY expands to these calls.
 */
static bool is_infinity(const struct fe_c_token *name)
{
	static const char *const known[] = { "__builtin_inf", "__builtin_inff",
		"__builtin_huge_val", "__builtin_huge_valf" };
	size_t i;

	for (i = 0; i < 4; i++)
		if (strlen(known[i]) == (size_t)name->len &&
		    !memcmp(known[i], name->text, (size_t)name->len))
			return true;
	return false;
}

/* For the check whether a call is one of a function that the file lacks. */
bool fe_c_knows(const struct fe_c_token *name)
{
	enum poly_type type = POLY_F64;

	return is_infinity(name) || find(name->text, name->len, &type);
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

/* Report that nothing is known of the function, and one that is like it.
 *
 * Functions of the file and of the table are candidates.
 */
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
	char text[32];
	int i;

	if (!n && is_infinity(name)) {
		e = fe_c_node(p, FE_C_FLOAT, name->text[name->len - 1] == 'f' &&
			name->text[name->len - 2] != 'n' ? POLY_F32 : POLY_F64,
			&span);
		e->value = INFINITY;
		return e;
	}
	if (!f) {
		unknown(p, name, &span);
		return NULL;
	}
	if (n != f->n_arg) {
		snprintf(text, sizeof(text), "%.*s",
			name->len < 31 ? name->len : 31, name->text);
		FE_C_ERROR(p, FE_ARGUMENTS, &span, text, f->n_arg,
			f->n_arg == 1 ? "" : "s", n);
		return NULL;
	}
	for (i = 0; i < n; i++)
		arg[i] = fe_c_convert(p, type, arg[i]);
	if (f->op == POLY_OP_NONE)
		return positive_difference(p, arg, &span);
	e = fe_c_node(p, FE_C_OP, type, &span);
	e->op = f->op;
	memcpy(e->arg, arg, (size_t)n * sizeof(*arg));
	return e;
}
