/* Random numbers of a seed and a counter, as operators that there are.
 *
 * They are those of index notation.
 */
#include "frontend/c/read/read.h"

static enum fe_random find(const struct fe_c_token *name)
{
	return fe_random_find(name->text, (size_t)name->len);
}

bool fe_c_is_random(const struct fe_c_token *name)
{
	return find(name) < FE_N_RANDOM;
}

/* A float constant. */
static struct fe_c_expr *real(struct fe_c_parse *p, double value,
	const struct poly_loc *loc)
{
	struct fe_c_expr *e = fe_c_node(p, FE_C_FLOAT, POLY_F32, loc);

	e->value = value;
	return e;
}

/* The operation "op" on "a" and, if it is not NULL, "b", of the type of "a". */
static struct fe_c_expr *apply(struct fe_c_parse *p, enum poly_op op,
	struct fe_c_expr *a, struct fe_c_expr *b)
{
	struct fe_c_expr *e = fe_c_node(p, FE_C_OP, a->type, &a->loc);

	e->op = op;
	e->arg[0] = a;
	e->arg[1] = b;
	return e;
}

/* An integer of 24 bits times "unit", a float: both are exact. */
static struct fe_c_expr *scaled(struct fe_c_parse *p, struct fe_c_expr *a,
	double unit)
{
	return apply(p, POLY_OP_MUL, fe_c_convert(p, POLY_F32, a),
		real(p, unit, &a->loc));
}

/* The random bits of "seed" at "i", without the "less" lowest. */
static struct fe_c_expr *random_bits(struct fe_c_parse *p,
	struct fe_c_expr *seed, struct fe_c_expr *i, int less)
{
	struct fe_c_expr *e = fe_c_convert(p, POLY_U32, apply(p,
		POLY_OP_PHILOX, seed, i));

	return less ? apply(p, POLY_OP_SHR, e, fe_c_int(p->u, POLY_U32, less,
		&e->loc)) : e;
}

/* Box and Muller's method, as in index notation: frontend/README.md has the formula.
 *
 * The sine, which odd numbers have, is the cosine of an angle that is a quarter of a
 * turn less.
 */
static struct fe_c_expr *normal(struct fe_c_parse *p, struct fe_c_expr *seed,
	struct fe_c_expr *i)
{
	struct fe_c_expr *one = fe_c_int(p->u, POLY_U64, 1, &i->loc);
	struct fe_c_expr *even = fe_c_int(p->u, POLY_U64, -2, &i->loc), *u, *v;

	u = random_bits(p, seed, apply(p, POLY_OP_AND, i, even), 8);
	u = apply(p, POLY_OP_ADD, u, fe_c_int(p->u, POLY_U32, 1, &i->loc));
	u = apply(p, POLY_OP_LOG, scaled(p, u, 0x1p-24), NULL);
	u = apply(p, POLY_OP_MUL, real(p, -2, &i->loc), u);
	u = apply(p, POLY_OP_SQRT, u, NULL);
	v = random_bits(p, seed, apply(p, POLY_OP_OR, i, one), 8);
	v = fe_c_convert(p, POLY_I32, v);
	i = fe_c_convert(p, POLY_I32, apply(p, POLY_OP_AND, i, one));
	i = apply(p, POLY_OP_SHL, i, fe_c_int(p->u, POLY_I32, 22, &i->loc));
	v = apply(p, POLY_OP_SUB, v, i);
	v = apply(p, POLY_OP_COSPI, scaled(p, v, 0x1p-23), NULL);
	return apply(p, POLY_OP_MUL, u, v);
}

struct fe_c_expr *fe_c_random(struct fe_c_parse *p,
	const struct fe_c_token *name, struct fe_c_expr **arg, int n,
	const struct poly_loc *loc)
{
	enum fe_random kind = find(name);
	int i;

	if (n != 2)
		return fe_c_miscounted(p, name, loc, 2, n);
	for (i = 0; i < n; i++)
		arg[i] = fe_c_convert(p, POLY_U64, arg[i]);
	if (kind == FE_RANDOM_NORMAL)
		return normal(p, arg[0], arg[1]);
	if (kind == FE_RANDOM_BITS)
		return random_bits(p, arg[0], arg[1], 0);
	return scaled(p, random_bits(p, arg[0], arg[1], 8), 0x1p-24);
}
