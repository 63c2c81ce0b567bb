/* Data-parallel functions: what a name calls, and what it makes of which types. */
#include <string.h>

#include "frontend/parallel/parallel.h"

/* A function of numbers, and which types it takes. */
struct numeric {
	const char *name;
	enum poly_op op;
	int n_arg;
	bool floats, integers;
};
static const struct numeric functions[] = {
#define FUNCTION(name, n_arg, op, integers) \
	{ name, POLY_OP_##op, n_arg, true, integers },
#include "frontend/base/function.def"
#undef FUNCTION
#define SCALAR(name, op, floats, integers) \
	{ name, POLY_OP_##op, 0, floats, integers },
#include "frontend/index/tensor/scalar.def"
#undef SCALAR
};

static const struct {
	const char *name;
	enum poly_type type;
} casts[] = {
	{ "int", POLY_I32 }, { "float", POLY_F32 },
	{ "float_of_int", POLY_F32 }, { "int_of_float", POLY_I32 },
};

/* A function of numbers, but those of matrices. */
static const struct numeric *find_numeric(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		if (!strcmp(functions[i].name, name))
			break;
	if (i == sizeof(functions) / sizeof(functions[0]) ||
	    functions[i].op == POLY_OP_NONE || functions[i].op == POLY_OP_MUL ||
	    functions[i].op == POLY_OP_SELECT)
		return NULL;
	return &functions[i];
}

/* Is "name" that of a cast, or of a type? Then "type" becomes what it casts to.
 */
static bool find_cast(const char *name, enum poly_type *type)
{
	size_t i;

	for (i = 0; i < sizeof(casts) / sizeof(casts[0]); i++)
		if (!strcmp(casts[i].name, name)) {
			*type = casts[i].type;
			return true;
		}
	*type = poly_type_find(name);
	return *type != POLY_N_TYPE;
}

static struct fe_par_function *find_function(const struct fe_par_program *prog,
	const struct fe_symbol *s)
{
	struct fe_par_function *f;

	for (f = prog->function; f; f = f->next)
		if (f->symbol == s)
			break;
	return f;
}

bool fe_par_find_callee(const struct fe_par_program *prog,
	struct fe_par_expr *e)
{
	struct fe_par_callee *c = &e->callee;
	const struct numeric *n;

	c->spelling = e->symbol->name;
	c->function = find_function(prog, e->symbol);
	if (c->function) {
		c->kind = FE_PAR_C_FUNCTION;
		c->n_arg = c->function->n_param;
	} else if (find_cast(e->symbol->name, &c->type)) {
		c->kind = FE_PAR_C_CAST;
		c->n_arg = 1;
	} else if ((n = find_numeric(e->symbol->name))) {
		c->kind = FE_PAR_C_OP;
		c->op = n->op;
		c->floats = n->floats;
		c->integers = n->integers;
		c->n_arg = n->n_arg ? n->n_arg : poly_op_n_arg(n->op);
	}
	return c->kind != FE_PAR_C_NONE;
}

/* ------------------------------------------------------------------- types */

/* Report that "c" takes no argument of type "t". */
static bool refuse(struct fe_unit *u, const struct fe_par_callee *c,
	const struct fe_par_type *t, const struct poly_loc *loc)
{
	char name[96];

	FE_REPORT(u, FE_OPERAND, loc, c->spelling, fe_par_type_name(t, name));
	return false;
}

/* Does the operator "op", none of a comparison, work on "t"? */
static bool op_has(enum poly_op op, enum poly_type t)
{
	bool is_float = poly_type_is_float(t);

	switch (op) {
	case POLY_OP_AND:
	case POLY_OP_OR:
	case POLY_OP_XOR:
	case POLY_OP_NOT:
		return !is_float;
	case POLY_OP_SHL:
	case POLY_OP_SHR:
	case POLY_OP_REM:
		return !is_float && t != POLY_BOOL;
	default:
		return t != POLY_BOOL;
	}
}

/* An operator or a function of numbers on values of the type "t". */
static bool apply_op(struct fe_unit *u, const struct fe_par_callee *c,
	const struct fe_par_type *t, const struct poly_loc *loc,
	struct fe_par_type *result)
{
	bool named = c->floats || c->integers;

	*result = fe_par_plain(t->base);
	if (t->rank || t->record)
		return refuse(u, c, t, loc);
	if (poly_op_shape(c->op) == POLY_SHAPE_COMPARE) {
		*result = fe_par_plain(POLY_BOOL);
		return t->base != POLY_BOOL || c->op == POLY_OP_EQ ||
			c->op == POLY_OP_NE || refuse(u, c, t, loc);
	}
	if (c->logic)
		return t->base == POLY_BOOL || refuse(u, c, t, loc);
	if (named && (t->base == POLY_BOOL ? c->op != POLY_OP_XOR :
	    poly_type_is_float(t->base) ? !c->floats : !c->integers))
		return refuse(u, c, t, loc);
	if (c->op == POLY_OP_NOT && t->base == POLY_BOOL)
		return refuse(u, c, t, loc);
	return op_has(c->op, t->base) || refuse(u, c, t, loc);
}

/* A function of the text: its parameters have to be of these types. */
static bool apply_function(struct fe_unit *u, const struct fe_par_function *f,
	const struct fe_par_type *arg, int n, const struct poly_loc *loc)
{
	const struct fe_par_var *v = f->param;
	char want[96], found[96];
	int i;

	for (i = 0; i < n; i++, v = v->next)
		if (!fe_par_same(&v->type, &arg[i])) {
			FE_REPORT(u, FE_PAR_TYPE, loc,
				fe_par_type_name(&v->type, want),
				fe_par_type_name(&arg[i], found));
			return false;
		}
	return true;
}

bool fe_par_apply_type(struct fe_unit *u, struct fe_par_callee *c,
	const struct fe_par_type *arg, int n, const struct poly_loc *loc,
	struct fe_par_type *result)
{
	char one[96], other[96];
	int i;

	if (n != c->n_arg) {
		FE_REPORT(u, FE_ARGUMENTS, loc, c->spelling, c->n_arg,
			c->n_arg == 1 ? "" : "s", n, "");
		return false;
	}
	if (c->kind == FE_PAR_C_FUNCTION) {
		*result = c->function->type;
		return apply_function(u, c->function, arg, n, loc);
	}
	for (i = 1; i < n; i++)
		if (!fe_par_same(&arg[0], &arg[i])) {
			FE_REPORT(u, FE_MIX, loc, c->spelling,
				fe_par_type_name(&arg[0], one),
				fe_par_type_name(&arg[i], other));
			return false;
		}
	if (c->op == POLY_OP_LOG2 && fe_par_is_number(&arg[0]) &&
	    !poly_type_is_float(arg[0].base)) {
		c->kind = FE_PAR_C_LOG2;
		*result = fe_par_plain(arg[0].base);
		return arg[0].base == POLY_I32 || refuse(u, c, &arg[0], loc);
	}
	if (c->kind != FE_PAR_C_CAST)
		return apply_op(u, c, &arg[0], loc, result);
	*result = fe_par_plain(c->type);
	return (!arg[0].rank && !arg[0].record) || refuse(u, c, &arg[0], loc);
}
