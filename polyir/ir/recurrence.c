/* Recurrences that are scans: a statement that makes each value of the one before it
 * by an associative operator, or by a linear function.
 *
 * y[i] = a[i]*y[i-1] + b[i] is one: each step is the function v -> a*v + b,
 * functions of that form are closed under composition, and composition is
 * associative. So lanes compose their steps first and look at what comes before
 * last. Blelloch, "Prefix sums and their applications" (1990), has the theory.
 *
 * Three forms are known, with y for the array, v and f for any values that do
 * not read it:
 *
 *	y[i] = y[i-1] op v	op is associative
 *	y[i] = y[i-1] - v	a sum whose values are negated
 *	y[i] = f*y[i-1] + v	linear; also as fma(f, y[i-1], v)
 *
 * A statement may have further dimensions, along which it has recurrences side
 * by side. Whether rounding allows another grouping is asked apart from the
 * form (poly_recurrence_read).
 */
#include <isl/aff.h>
#include <isl/space.h>

#include "polyir/ir/ir.h"
#include "polyir/ir/recurrence.h"

/* ------------------------------------------------------------------ the cells */

/* How far "pa", a function of the instances of "stmt", is from dimension "d", if that
 * is 0 or -1 everywhere; else 1.
 *
 * What is asked is the value on the domain, not the form: i - 1 and 2*i - 1 - i
 * are the same answer.
 */
static int distance(__isl_take isl_pw_aff *pa, const struct poly_stmt *stmt,
	int d)
{
	isl_pw_aff *dim = isl_pw_aff_var_on_domain(isl_local_space_from_space(
		isl_set_get_space(stmt->domain)), isl_dim_set, d);
	int found = 1;

	pa = isl_pw_aff_sub(pa, dim);
	/* -by is added, so that a distance of "by" leaves 0. */
	for (int by = 0; by >= -1 && found > 0; by--) {
		isl_pw_aff *rest = isl_pw_aff_add_constant_val(
			isl_pw_aff_copy(pa), isl_val_int_from_si(
			isl_pw_aff_get_ctx(pa), -by));
		isl_set *none = isl_pw_aff_zero_set(rest);

		if (isl_set_is_subset(stmt->domain, none) == isl_bool_true)
			found = by;
		isl_set_free(none);
	}
	isl_pw_aff_free(pa);
	return found;
}

/* The dimension of "stmt" along which "leaf" reads the cell before its own, where
 * each instance has a cell of its own; -1 if it reads another one.
 *
 * The write must name each dimension once, as y[j][i] of S[i,j] does: then two
 * instances never write one cell, and the order of the others is free.
 */
static int dim_before(const struct poly_stmt *stmt, const struct poly_expr *leaf)
{
	int n = isl_set_dim(stmt->domain, isl_dim_set), along = -1;
	unsigned seen = 0;

	if (leaf->array != stmt->write_array || leaf->array->n_dim != n)
		return -1;
	for (int k = 0; k < n; k++) {
		int d = poly_index_dim(stmt->write_index, k, stmt), by;

		if (d < 0 || (seen & 1u << d))
			return -1;
		seen |= 1u << d;
		by = distance(isl_multi_pw_aff_get_at(leaf->index, k), stmt,
			d);
		/* along one dimension only, and never forward */
		if (by > 0 || (by < 0 && along >= 0))
			return -1;
		along = by < 0 ? d : along;
	}
	return along;
}

/* How many reads of "array" there are. */
struct reads {
	const struct poly_array *array;
	int n;
};

static void count_read(struct poly_expr *leaf, void *user)
{
	struct reads *r = user;

	r->n += leaf->array == r->array;
}

/* How often "stmt" reads what it writes.
 *
 * More than once, as in y[i-1]*y[i-1], is no linear function.
 */
static int own_reads(const struct poly_stmt *stmt)
{
	struct reads r = { stmt->write_array, 0 };

	poly_expr_each_access(stmt->rhs, count_read, &r);
	poly_expr_each_gather(stmt->rhs, count_read, &r);
	return r.n;
}

/* ------------------------------------------------------------------- the form */

/* May operands of "op" be put together in any grouping, but for rounding?
 *
 * LANGUAGE rule: sums of floats are regrouped unless the program is strict. MIN
 * and MAX never round.
 */
static bool is_associative(enum poly_op op)
{
	return op == POLY_OP_ADD || op == POLY_OP_MUL || op == POLY_OP_MIN ||
		op == POLY_OP_MAX || op == POLY_OP_AND || op == POLY_OP_OR ||
		op == POLY_OP_XOR;
}

/* Is "e" a read of the array that "stmt" writes? */
static bool is_own(const struct poly_stmt *stmt, const struct poly_expr *e)
{
	return e->op == POLY_OP_ACCESS && e->array == stmt->write_array;
}

/* Is "e" a product of a factor and a read of the array?
 *
 * Sets "before" and "factor" of "r" if it is. The factor comes from whichever
 * side the read is not on.
 */
static bool find_factor(const struct poly_stmt *stmt, const struct poly_expr *e,
	struct poly_recurrence *r)
{
	for (int i = 0; e->op == POLY_OP_MUL && i < 2; i++) {
		if (!is_own(stmt, e->arg[i]))
			continue;
		r->before = e->arg[i];
		r->factor = e->arg[!i];
		return true;
	}
	return false;
}

/* Find what the value of "stmt" is made of; false if it has another form.
 *
 * Where both arguments of an ADD could be the read, the first that fits counts;
 * own_reads sees to it that there is no second.
 */
static bool find_form(const struct poly_stmt *stmt, struct poly_recurrence *r)
{
	const struct poly_expr *e = stmt->rhs;
	bool minus = e->op == POLY_OP_SUB;

	r->op = minus || e->op == POLY_OP_FMA ? POLY_OP_ADD : e->op;
	r->minus = minus;
	if (e->op == POLY_OP_FMA) {
		for (int i = 0; i < 2 && !r->before; i++)
			if (is_own(stmt, e->arg[i])) {
				r->before = e->arg[i];
				r->factor = e->arg[!i];
			}
		r->value = e->arg[2];
		return r->before;
	}
	if (!is_associative(r->op))
		return false;
	/* y - v only: v - y changes the sign at each step, which is another
	 * recurrence
	 */
	for (int i = 0; i < (minus ? 1 : 2) && !r->before; i++) {
		r->value = e->arg[!i];
		if (is_own(stmt, e->arg[i]))
			r->before = e->arg[i];
		else if (r->op == POLY_OP_ADD)
			find_factor(stmt, e->arg[i], r);
	}
	return r->before;
}

/* Is the value of "stmt" made of one value of its array as recurrences are? */
static bool has_form(const struct poly_stmt *stmt, struct poly_recurrence *r)
{
	*r = (struct poly_recurrence) { .dim = -1, .op = POLY_OP_NONE };
	return stmt->kind == POLY_POINT && stmt->rhs && !stmt->atomic &&
		!stmt->fold && !stmt->across && stmt->reduce == POLY_OP_NONE &&
		stmt->rhs->type == stmt->write_array->type &&
		poly_type_class(stmt->rhs->type) != POLY_CLASS_BOOL &&
		find_form(stmt, r) && own_reads(stmt) == 1;
}

/* May values of "stmt" be put together in any grouping? */
static bool is_free(const struct poly_prog *prog, const struct poly_stmt *stmt,
	const struct poly_recurrence *r)
{
	return r->op == POLY_OP_MIN || r->op == POLY_OP_MAX ||
		(prog->fp != POLY_FP_STRICT && !stmt->ordered) ||
		!poly_type_is_float(stmt->write_array->type);
}

bool poly_recurrence_has_form(const struct poly_prog *prog,
	const struct poly_stmt *stmt)
{
	struct poly_recurrence r;

	return has_form(stmt, &r) && is_free(prog, stmt, &r);
}

bool poly_recurrence_find(const struct poly_stmt *stmt,
	struct poly_recurrence *r)
{
	struct poly_recurrence own;

	/* a caller that only asks whether there is one gives NULL */
	r = r ? r : &own;
	if (!has_form(stmt, r))
		return false;
	r->dim = dim_before(stmt, r->before);
	return r->dim >= 0;
}

bool poly_recurrence_read(const struct poly_prog *prog,
	const struct poly_stmt *stmt, struct poly_recurrence *r)
{
	struct poly_recurrence own;

	r = r ? r : &own;
	return poly_recurrence_find(stmt, r) && is_free(prog, stmt, r);
}

bool poly_reads_before(const struct poly_prog *prog,
	const struct poly_stmt *stmt, const struct poly_expr *leaf)
{
	struct poly_recurrence r;

	return poly_recurrence_read(prog, stmt, &r) && r.before == leaf;
}
