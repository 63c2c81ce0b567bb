/* Operators: the questions that can be asked of a row of op.def.
 *
 * What a row means: op.def. Semantics on values, as what min makes of a NaN,
 * are LANGUAGE.md's, and nvptx/lower emits them.
 */
#include <string.h>

#include "polyir/ir/ir.h"

static const struct {
	const char *name;
	int n_arg, ulp;
	enum poly_shape shape;
} table[POLY_OP_NONE] = {
#define OP(id, name, n_arg, ulp, shape) \
	{ name, n_arg, ulp, POLY_SHAPE_##shape },
#include "polyir/ir/op.def"
#undef OP
};

/* The operator's name in the text form; "none" for POLY_OP_NONE. */
const char *poly_op_name(enum poly_op op)
{
	return op == POLY_OP_NONE ? "none" : table[op].name;
}

int poly_op_n_arg(enum poly_op op)
{
	return op == POLY_OP_NONE ? 0 : table[op].n_arg;
}

int poly_op_ulp(enum poly_op op)
{
	return op == POLY_OP_NONE ? 0 : table[op].ulp;
}

enum poly_shape poly_op_shape(enum poly_op op)
{
	return op == POLY_OP_NONE ? POLY_SHAPE_LEAF : table[op].shape;
}

enum poly_op poly_op_find(const char *name)
{
	int op;

	for (op = 0; op < POLY_OP_NONE; op++)
		if (!strcmp(table[op].name, name))
			break;
	return (enum poly_op)op;
}
