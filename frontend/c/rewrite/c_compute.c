/* Values that rewrites put together, computed where they are numbers. */
#include "frontend/c/rewrite/forward.h"

struct fe_c_expr *fe_c_copy_node(struct fe_unit *u, const struct fe_c_expr *e)
{
	struct fe_c_expr *c = fe_arena_alloc(&u->arena, sizeof(*c));

	*c = *e;
	return c;
}

/* "e" converted to "type"; a constant is one of that type at once. */
struct fe_c_expr *fe_c_converted(struct fe_unit *u, enum poly_type type,
	struct fe_c_expr *e)
{
	struct fe_c_expr *cast;
	int64_t value;

	if (e->type == type)
		return e;
	if (fe_c_constant(e, &value))
		return fe_c_int(u, type, value, &e->loc);
	cast = fe_c_make(u, FE_C_CAST, type, &e->loc);
	cast->arg[0] = e;
	return cast;
}

/* "a" op "b" in "type"; numbers are computed. */
struct fe_c_expr *fe_c_computed(struct fe_unit *u, enum poly_type type,
	enum poly_op op, struct fe_c_expr *a, struct fe_c_expr *b)
{
	struct fe_c_expr *e;
	int64_t x, y;

	a = fe_c_converted(u, type, a);
	b = fe_c_converted(u, type, b);
	if (fe_c_constant(a, &x) && fe_c_constant(b, &y))
		return fe_c_int(u, type, fe_c_apply(op, type, x, y), &a->loc);
	e = fe_c_make(u, FE_C_OP, type, &a->loc);
	e->op = op;
	e->arg[0] = a;
	e->arg[1] = b;
	return e;
}

/* "a < b", both of "type" */
struct fe_c_expr *fe_c_less(struct fe_unit *u, enum poly_type type,
	struct fe_c_expr *a, struct fe_c_expr *b)
{
	struct fe_c_expr *e = fe_c_make(u, FE_C_OP, POLY_I32, &a->loc);

	e->op = POLY_OP_LT;
	e->arg[0] = fe_c_converted(u, type, a);
	e->arg[1] = fe_c_converted(u, type, b);
	return e;
}

/* "cond ? a : b" in the type of "a". */
struct fe_c_expr *fe_c_choice_of(struct fe_unit *u, struct fe_c_expr *cond,
	struct fe_c_expr *a, struct fe_c_expr *b)
{
	struct fe_c_expr *e = fe_c_make(u, FE_C_COND, a->type, &a->loc);

	e->arg[0] = cond;
	e->arg[1] = a;
	e->arg[2] = fe_c_converted(u, a->type, b);
	return e;
}
