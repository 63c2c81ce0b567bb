/* Recurrences that are scans: a statement that makes each value of the one before it
 * by an associative operator, or by a linear function.
 *
 * y[i] = a[i]*y[i-1] + b[i] is one: each step is the function v -> a*v + b,
 * functions of that form are closed under composition, and composition is
 * associative. So lanes compose their steps first and look at what comes before
 * last. Blelloch, "Prefix sums and their applications" (1990), has the theory.
 *
 * Four forms are known, with y for the array, v and f for any values that do
 * not read it:
 *
 *	y[i] = y[i-1] op v	op is associative
 *	y[i] = y[i-1] - v	a sum whose values are negated
 *	y[i] = f*y[i-1] + v	linear; also as fma(f, y[i-1], v)
 *
 *	y[i] = y[i-1] joined with v	by an operator of the text (JOIN)
 *
 * also of integers that are computed in longer ones and cut again, where that keeps the
 * bits: all but the least and greatest.
 *
 * A statement may have further dimensions, along which it has recurrences side
 * by side. Whether rounding allows another grouping is asked apart from the
 * form (poly_recurrence_read).
 */
#include <isl/aff.h>
#include <isl/ilp.h>
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

/* Is each cell that "stmt" writes, one of "array", that of one instance?
 *
 * The write must name each dimension once, as y[j][i] of S[i,j] does: then two
 * instances never write one cell, and the order of the others is free.
 */
static bool has_own_cells(const struct poly_stmt *stmt,
	const struct poly_array *array)
{
	int n = isl_set_dim(stmt->domain, isl_dim_set);
	unsigned seen = 0;

	if (array != stmt->write_array || array->n_dim != n)
		return false;
	for (int k = 0; k < n; k++) {
		int d = poly_index_dim(stmt->write_index, k, stmt);

		if (d < 0 || (seen & 1u << d))
			return false;
		seen |= 1u << d;
	}
	return true;
}

/* The dimension of "stmt", which has its own cells, along which "leaf" reads the one
 * before; -1 if it reads another one.
 */
static int dim_before(const struct poly_stmt *stmt, const struct poly_expr *leaf)
{
	int n = isl_set_dim(stmt->domain, isl_dim_set), along = -1;

	for (int k = 0; k < n; k++) {
		int d = poly_index_dim(stmt->write_index, k, stmt), by;

		by = distance(isl_multi_pw_aff_get_at(leaf->index, k), stmt,
			d);
		/* along one dimension only, and never forward */
		if (by > 0 || (by < 0 && along >= 0))
			return -1;
		along = by < 0 ? d : along;
	}
	return along;
}

/* The extent of the last dimension of "array", 0 if that is not one number. */
static int64_t row_length(const struct poly_array *array)
{
	isl_pw_aff *extent = isl_multi_pw_aff_get_at(array->extent,
		array->n_dim - 1);
	isl_val *n = isl_pw_aff_is_cst(extent) == isl_bool_true ?
		isl_pw_aff_max_val(isl_pw_aff_copy(extent)) : NULL;
	int64_t length = isl_val_is_int(n) == isl_bool_true ?
		isl_val_get_num_si(n) : 0;

	isl_val_free(n);
	isl_pw_aff_free(extent);
	return length;
}

/* Reads "leaf", at coordinates "along" and the one before of its array, the element
 * before that of "stmt", whose dimensions "over" and "dim" these are, as elements lie in
 * memory? The others are the same.
 */
static bool goes_on(const struct poly_stmt *stmt, const struct poly_expr *leaf,
	int over, int dim)
{
	int k = leaf->array->n_dim - 1;
	isl_pw_aff *at = isl_multi_pw_aff_get_at(leaf->index, k - 1);
	isl_pw_aff *tile = isl_pw_aff_var_on_domain(isl_local_space_from_space(
		isl_set_get_space(stmt->domain)), isl_dim_set, over);

	at = isl_pw_aff_scale_val(isl_pw_aff_sub(at, tile), isl_val_int_from_si(
		isl_multi_pw_aff_get_ctx(leaf->index), row_length(leaf->array)));
	at = isl_pw_aff_add(at, isl_multi_pw_aff_get_at(leaf->index, k));
	return distance(at, stmt, dim) == -1;
}

/* Is each instance of "stmt" that "leaf" reads of the one before in a row of tiles?
 * "*over" is the dimension that tells these, the result that along them; -1: it is not.
 */
static int dim_in_tiles(const struct poly_stmt *stmt,
	const struct poly_expr *leaf, int *over)
{
	int n = leaf->array->n_dim, last[2];

	if (n < 2 || row_length(leaf->array) < 2)
		return -1;
	for (int k = 0; k < n; k++) {
		int d = poly_index_dim(stmt->write_index, k, stmt);

		if (k < n - 2 && distance(isl_multi_pw_aff_get_at(leaf->index,
		    k), stmt, d) != 0)
			return -1;
		last[k == n - 1] = d;
	}
	*over = last[0];
	return goes_on(stmt, leaf, last[0], last[1]) ? last[1] : -1;
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

static bool is_integer(enum poly_type t)
{
	return !poly_type_is_float(t) && poly_type_class(t) != POLY_CLASS_BOOL;
}

/* Is "e" a cast between integers? */
static bool casts_integers(const struct poly_expr *e)
{
	return e->op == POLY_OP_CAST && is_integer(e->type) &&
		is_integer(e->arg[0]->type);
}

/* The read of the array that "stmt" writes if "e" is one, perhaps of a short integer that
 * is computed in a longer one; else NULL.
 */
static struct poly_expr *own_of(const struct poly_stmt *stmt,
	struct poly_expr *e)
{
	if (casts_integers(e) && poly_type_size(e->type) >=
	    poly_type_size(e->arg[0]->type))
		e = e->arg[0];
	return e->op == POLY_OP_ACCESS && e->array == stmt->write_array ? e :
		NULL;
}

/* What "stmt" computes: where that is cut to a shorter integer, whose low bits depend on
 * low bits alone, what is cut.
 */
static const struct poly_expr *computed(const struct poly_stmt *stmt)
{
	const struct poly_expr *e = stmt->rhs, *inner = e->arg[0];

	if (!casts_integers(e) || poly_type_size(e->type) >
	    poly_type_size(inner->type))
		return e;
	return inner->op == POLY_OP_ADD || inner->op == POLY_OP_SUB ||
		inner->op == POLY_OP_MUL || inner->op == POLY_OP_AND ||
		inner->op == POLY_OP_OR || inner->op == POLY_OP_XOR ? inner : e;
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
		r->before = own_of(stmt, e->arg[i]);
		if (!r->before)
			continue;
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
	const struct poly_expr *e = computed(stmt);
	bool minus = e->op == POLY_OP_SUB;

	if (e->op == POLY_OP_JOIN) {
		r->op = e->op;
		r->join = e;
		r->value = e->arg[1];
		r->before = own_of(stmt, e->arg[0]);
		return r->before;
	}
	r->op = minus || e->op == POLY_OP_FMA ? POLY_OP_ADD : e->op;
	r->minus = minus;
	if (e->op == POLY_OP_FMA) {
		for (int i = 0; i < 2 && !r->before; i++)
			if ((r->before = own_of(stmt, e->arg[i])))
				r->factor = e->arg[!i];
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
		r->before = own_of(stmt, e->arg[i]);
		if (!r->before && r->op == POLY_OP_ADD)
			find_factor(stmt, e->arg[i], r);
	}
	return r->before;
}

/* Is the value of "stmt" made of one value of its array as recurrences are? */
static bool has_form(const struct poly_stmt *stmt, struct poly_recurrence *r)
{
	*r = (struct poly_recurrence) { .dim = -1, .over = -1,
		.op = POLY_OP_NONE };
	return stmt->kind == POLY_POINT && stmt->rhs && !stmt->atomic &&
		!stmt->fold && !stmt->across && stmt->reduce == POLY_OP_NONE &&
		stmt->rhs->type == stmt->write_array->type &&
		poly_type_class(stmt->rhs->type) != POLY_CLASS_BOOL &&
		find_form(stmt, r) && own_reads(stmt) == 1;
}

/* Has "e" a value that may be rounded? */
static bool has_floats(const struct poly_expr *e)
{
	bool has = poly_type_is_float(e->type);

	for (int i = 0; i < poly_op_n_arg(e->op) && !has; i++)
		has = has_floats(e->arg[i]);
	return has;
}

/* May values of "stmt" be put together in any grouping? */
static bool is_free(const struct poly_prog *prog, const struct poly_stmt *stmt,
	const struct poly_recurrence *r)
{
	return r->op == POLY_OP_MIN || r->op == POLY_OP_MAX ||
		(prog->fp != POLY_FP_STRICT && !stmt->ordered) ||
		!(r->join ? has_floats(r->join->arg[2]) :
		poly_type_is_float(stmt->write_array->type));
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
	if (!has_form(stmt, r) || !has_own_cells(stmt, r->before->array))
		return false;
	r->dim = dim_before(stmt, r->before);
	if (r->dim < 0)
		r->dim = dim_in_tiles(stmt, r->before, &r->over);
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
