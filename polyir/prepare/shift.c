/* Instances of recurrences that are counted by the cells that they write.
 *
 *	for (i = 0; i < n; i++)		for (i = 1; i <= n; i++)
 *		y[i + 1] = y[i] + x[i];		y[i] = y[i - 1] + x[i - 1];
 *
 * What looks for recurrences (polyir/ir/recurrence.c) then finds the element that is
 * written at the number of its instance. Nothing else changes.
 */
#include <isl/aff.h>
#include <isl/local_space.h>
#include <isl/schedule.h>
#include <isl/set.h>
#include <isl/space.h>
#include <isl/union_map.h>
#include <isl/union_set.h>

#include "polyir/ir/ir.h"
#include "polyir/ir/recurrence.h"
#include "polyir/sets/sets.h"
#include "polyir/prepare/prepare.h"

__isl_give isl_aff *poly_dim_offset(__isl_take isl_pw_aff *pa,
	const struct poly_stmt *stmt, int d)
{
	isl_pw_aff *dim = isl_pw_aff_var_on_domain(isl_local_space_from_space(
		isl_set_get_space(stmt->domain)), isl_dim_set, d);
	isl_aff *found = NULL;

	pa = isl_pw_aff_coalesce(isl_pw_aff_gist(isl_pw_aff_sub(pa, dim),
		isl_set_copy(stmt->domain)));
	if (isl_pw_aff_n_piece(pa) == 1 && isl_pw_aff_involves_dims(pa,
	    isl_dim_in, 0, isl_pw_aff_dim(pa, isl_dim_in)) == isl_bool_false)
		found = isl_pw_aff_as_aff(poly_first_piece(pa));
	isl_pw_aff_free(pa);
	return found;
}

/* The instances of "stmt" as they were, of those that are counted by the cells: NULL
 * if some cell is none of them. "*moved": they differ.
 */
static __isl_give isl_multi_aff *find_shift(const struct poly_stmt *stmt,
	bool *moved)
{
	isl_multi_aff *ma = isl_multi_aff_identity_on_domain_space(
		isl_set_get_space(stmt->domain));
	int n = isl_set_dim(stmt->domain, isl_dim_set);
	unsigned seen = 0;

	*moved = false;
	if (stmt->write_array->n_dim != n || n > 31)
		return isl_multi_aff_free(ma);
	for (int k = 0; k < n; k++) {
		isl_aff *by = NULL;
		int d = 0;

		for (; d < n && !by; d += !by)
			by = seen & 1u << d ? NULL : poly_dim_offset(
				isl_multi_pw_aff_get_at(stmt->write_index, k),
				stmt, d);
		if (!by)
			return isl_multi_aff_free(ma);
		seen |= 1u << d;
		*moved |= isl_aff_plain_is_zero(by) == isl_bool_false;
		ma = isl_multi_aff_set_at(ma, d, isl_aff_sub(
			isl_multi_aff_get_at(ma, d), by));
	}
	return ma;
}

/* "back": the new instances of the old ones. */
static __isl_give isl_multi_aff *inverse(__isl_keep isl_multi_aff *ma)
{
	isl_multi_aff *id = isl_multi_aff_identity_on_domain_space(
		isl_multi_aff_get_domain_space(ma));

	return isl_multi_aff_sub(isl_multi_aff_add(isl_multi_aff_copy(id), id),
		isl_multi_aff_copy(ma));
}

/* Count "stmt" by its cells if it is a recurrence then; 1 if so, -1 on failure. */
static int shift(struct poly_prog *prog, struct poly_stmt *stmt)
{
	isl_multi_aff *ma, *back;
	bool moved;

	if (stmt->kind != POLY_POINT || stmt->reduce != POLY_OP_NONE ||
	    !stmt->rhs || !isl_set_dim(stmt->domain, isl_dim_set) ||
	    !poly_expr_accesses(stmt->rhs, stmt->write_array))
		return 0;
	ma = find_shift(stmt, &moved);
	if (!ma || !moved) {
		isl_multi_aff_free(ma);
		return 0;
	}
	poly_stmt_pull(stmt, ma);
	if (poly_recurrence_find(stmt, NULL))
		return poly_pull_stmt(prog, stmt, ma) < 0 ? -1 : 1;
	back = inverse(ma);
	poly_stmt_pull(stmt, back);
	isl_multi_aff_free(back);
	isl_multi_aff_free(ma);
	return 0;
}

int poly_shift(struct poly_prog *prog)
{
	int n = 0, shifted;

	for (int i = 0; i < prog->n_stmt; i++) {
		shifted = shift(prog, prog->stmt[i]);
		if (shifted < 0)
			return -1;
		n += shifted;
	}
	return n;
}
