/* Elements of arrays at a step that data tell, by their numbers.
 *
 * What an access reads along a loop, x[i, 2 p + 1], is, where the step of that loop is a
 * value, the element number i * N + 2 * step + 1 of x.
 */
#include <isl/aff.h>
#include <isl/set.h>

#include "polyir/ir/ir.h"
#include "polyir/cut/pick.h"

static struct poly_expr *both(enum poly_op op, struct poly_expr *a, struct poly_expr *b)
{
	return poly_expr_op(op, POLY_I64, a, b);
}

static struct poly_expr *number(int64_t n)
{
	return poly_expr_const(POLY_I64, (double)n);
}

/* Is "pa" 0 everywhere? */
static bool is_zero(__isl_keep isl_pw_aff *pa)
{
	isl_aff *aff;
	bool is;

	if (isl_pw_aff_isa_aff(pa) != isl_bool_true)
		return false;
	aff = isl_pw_aff_as_aff(isl_pw_aff_copy(pa));
	is = isl_aff_plain_is_zero(aff) == isl_bool_true;
	isl_aff_free(aff);
	return is;
}

/* How much "pa" grows from one step to the next; what has no such number is refused. */
static int64_t growth(struct poly_steps *s, __isl_keep isl_pw_aff *pa)
{
	isl_val *by = NULL;
	isl_aff *aff;
	int64_t n = 0;

	if (isl_pw_aff_involves_dims(pa, isl_dim_in, s->dim, 1) == isl_bool_false)
		return 0;
	if (isl_pw_aff_isa_aff(pa) == isl_bool_true) {
		aff = isl_pw_aff_as_aff(isl_pw_aff_copy(pa));
		if (isl_aff_involves_locals(aff) == isl_bool_false)
			by = isl_aff_get_coefficient_val(aff, isl_dim_in, s->dim);
		isl_aff_free(aff);
	}
	if (by && isl_val_is_int(by) == isl_bool_true)
		n = isl_val_get_num_si(by);
	s->refused |= !n;
	isl_val_free(by);
	return n;
}

/* "sum" and what "pa", a function of the instances with the loop, is at its step: what
 * it is at the first, behind how much it grows. Takes "pa"; NULL is 0.
 */
struct poly_expr *poly_add_position(struct poly_steps *s, struct poly_expr *sum,
	__isl_take isl_pw_aff *pa)
{
	int64_t by = growth(s, pa);
	struct poly_expr *steps = by == 1 ? poly_expr_copy(s->step) : by ?
		both(POLY_OP_MUL, poly_expr_copy(s->step), number(by)) : NULL;

	pa = isl_pw_aff_pullback_multi_aff(pa, isl_multi_aff_copy(s->first));
	if (steps)
		sum = sum ? both(POLY_OP_ADD, sum, steps) : steps;
	if (!is_zero(pa)) {
		struct poly_expr *first = poly_expr_index(POLY_I64,
			isl_multi_pw_aff_from_pw_aff(isl_pw_aff_copy(pa)));

		sum = sum ? both(POLY_OP_ADD, sum, first) : first;
	}
	isl_pw_aff_free(pa);
	return sum;
}

/* The number of the element "index" of "array", counted row by row, behind "sum". */
struct poly_expr *poly_add_number(struct poly_steps *s, struct poly_expr *sum,
	const struct poly_array *array, __isl_keep isl_multi_pw_aff *index)
{
	struct poly_expr *at = NULL;

	for (int d = 0; d < array->n_dim; d++) {
		isl_pw_aff *size = isl_multi_pw_aff_get_at(array->extent, d);

		if (at)
			at = both(POLY_OP_MUL, at, poly_expr_index(POLY_I64,
				isl_multi_pw_aff_from_pw_aff(isl_pw_aff_insert_domain(
				isl_pw_aff_copy(size),
				isl_multi_aff_get_domain_space(s->first)))));
		isl_pw_aff_free(size);
		if (!at && d == array->n_dim - 1)
			return poly_add_position(s, sum, isl_multi_pw_aff_get_at(index, d));
		at = poly_add_position(s, at, isl_multi_pw_aff_get_at(index, d));
	}
	at = at ? at : number(0);
	return sum ? both(POLY_OP_ADD, sum, at) : at;
}
