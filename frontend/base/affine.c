/* Comparisons of affine functions, as sets. */
#include "frontend/frontend_internal.h"

__isl_give isl_set *fe_compare(enum poly_op op, __isl_take isl_pw_aff *a,
	__isl_take isl_pw_aff *b)
{
	switch (op) {
	case POLY_OP_LT:
		return isl_pw_aff_lt_set(a, b);
	case POLY_OP_LE:
		return isl_pw_aff_le_set(a, b);
	case POLY_OP_EQ:
		return isl_pw_aff_eq_set(a, b);
	default:
		return isl_pw_aff_ne_set(a, b);
	}
}
