/* Sets of affine conditions, and for which sizes they count.
 *
 * Sizes are at least 0 and at most 2^31 - 1, as a launch takes them. What holds
 * for no such sizes never holds: fe_never_is asks that, and not whether a set
 * is empty for all integers.
 */
#include "frontend/base/base.h"

/* NE is the default: there are four comparisons, the others being these with
 * their sides changed. Takes both.
 */
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

/* Takes "set" and returns it with the bound on each of its parameters, which
 * must all be sizes.
 */
__isl_give isl_set *fe_possible(__isl_take isl_set *set)
{
	isl_size n = isl_set_dim(set, isl_dim_param);

	for (isl_size i = 0; i < n; i++)
		set = isl_set_upper_bound_si(set, isl_dim_param, (unsigned)i,
			INT32_MAX);
	return set;
}

/* Keeps "set". False if isl does not know. */
bool fe_never_is(__isl_keep isl_set *set)
{
	isl_set *possible = fe_possible(isl_set_copy(set));
	bool never = isl_set_is_empty(possible) == isl_bool_true;

	isl_set_free(possible);
	return never;
}
