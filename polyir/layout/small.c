/* Do 32 bits hold what is computed on the way to an index? A kernel with tiles asks only
 * whether they hold the index itself: of (50001 i) / 100003 that is not the same.
 */
#include <isl/aff.h>
#include <isl/constraint.h>
#include <isl/set.h>
#include <isl/val.h>

#include "polyir/ir/ir.h"
#include "polyir/sets/sets.h"
#include "polyir/layout/layout.h"

/* Multiples of a coordinate that surely have 32 bits wherever an element has. */
enum { SMALL = 16 };

static isl_stat look_at_aff(__isl_take isl_set *set, __isl_take isl_aff *aff,
	void *user)
{
	bool *small = user;

	*small &= isl_aff_involves_locals(aff) == isl_bool_false &&
		poly_aff_is_within(aff, SMALL);
	isl_set_free(set);
	isl_aff_free(aff);
	return isl_stat_ok;
}

/* Has "index" no divisions, and small coefficients? */
static bool is_small_index(__isl_keep isl_multi_pw_aff *index)
{
	bool small = true;

	for (int i = 0; i < isl_multi_pw_aff_size(index); i++) {
		isl_pw_aff *pa = isl_multi_pw_aff_get_at(index, i);

		isl_pw_aff_foreach_piece(pa, look_at_aff, &small);
		isl_pw_aff_free(pa);
	}
	return small;
}

static bool is_small_expr(const struct poly_expr *e)
{
	bool small = !e->index || is_small_index(e->index);

	for (int i = 0; i < poly_op_n_arg(e->op); i++)
		small = small && is_small_expr(e->arg[i]);
	return small;
}

static isl_stat look_at_constraint(__isl_take isl_constraint *c, void *user)
{
	bool *small = user;
	isl_aff *aff = isl_constraint_get_aff(c);

	*small &= poly_aff_is_within(aff, SMALL);
	isl_aff_free(aff);
	isl_constraint_free(c);
	return isl_stat_ok;
}

static isl_stat look_at_part(__isl_take isl_basic_set *bset, void *user)
{
	isl_stat ok = isl_basic_set_foreach_constraint(bset,
		look_at_constraint, user);

	isl_basic_set_free(bset);
	return ok;
}

bool poly_is_small(const struct poly_stmt *stmt)
{
	bool small = is_small_index(stmt->write_index) &&
		is_small_expr(stmt->rhs) &&
		isl_set_involves_locals(stmt->domain) == isl_bool_false;

	isl_set_foreach_basic_set(stmt->domain, look_at_part, &small);
	return small;
}
