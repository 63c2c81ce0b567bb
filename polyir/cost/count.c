/* How many points a set has, and what a kernel does in all: operations, and bytes
 * that it cannot do without.
 *
 * A set without parameters is a union of disjoint basic sets; in each, a dimension
 * has the bounds that its constraints give, once those before it are known. The
 * walk goes through a dimension value by value only where bounds of a later one
 * depend on it, and remembers what it has counted for a value that alone decides
 * (Clauss, "Counting Solutions to Linear and Nonlinear Constraints", counts in
 * closed form; sizes are known here). Existential integers of a basic set are
 * dimensions like others once they are functions of the point.
 */
#include <stdlib.h>

#include <isl/constraint.h>
#include <isl/ilp.h>
#include <isl/space.h>
#include <isl/val.h>

#include "polyir/ir/ir.h"
#include "polyir/sets/sets.h"
#include "polyir/cost/cost.h"

/* Limits of what is counted: dimensions, constraints, steps of the count,
 * values of a dimension whose counts are kept, and parts. Beyond them the
 * number is that of a box or hull.
 */
enum { MOST_DIM = 24, MOST_ROWS = 256, MOST_STEPS = 20000000,
	MOST_KNOWN = 1 << 20, MOST_PARTS = 64 };

/* A basic set: rows of constraints, "constant + sum of factor[i] * x[i] >= 0". */
struct row {
	long factor[MOST_DIM], constant;
	int last;		/* dimension of the last factor, -1: none */
};
/* The points of a set while they are counted: "at" is the value of each
 * dimension so far.
 */
struct points {
	struct row row[MOST_ROWS];
	int n_row, n_dim;
	long low[MOST_DIM], high[MOST_DIM];	/* of the box around it */
	/* The dimension that decides how many there are from this one on: -1
	 * none, MANY more than one.
	 */
	int decides[MOST_DIM];
	double *known[MOST_DIM];	/* by its value; -1: not counted yet */
	long at[MOST_DIM];
	long steps;
	bool failed;
};
/* Which dimension decides: none, or more than one. */
enum { NONE = -1, MANY = -2 };

/* ------------------------------------------------------------- constraints */

/* The value of "v", which is taken, as a long; sets "*failed" if it is no
 * integer or does not fit.
 */
static long number(__isl_take isl_val *v, bool *failed)
{
	long n = 0;

	if (isl_val_is_int(v) == isl_bool_true &&
	    isl_val_n_abs_num_chunks(v, sizeof(int)) <= 1)
		n = isl_val_get_num_si(v);
	else
		*failed = true;
	isl_val_free(v);
	return n;
}

/* Append "row" times "sign", which is 1 or -1; the points fail if there is no
 * room.
 */
static void add_row(struct points *p, const struct row *row, long sign)
{
	if (p->n_row == MOST_ROWS) {
		p->failed = true;
		return;
	}
	p->row[p->n_row] = *row;
	for (int i = 0; i < p->n_dim; i++)
		p->row[p->n_row].factor[i] *= sign;
	p->row[p->n_row++].constant *= sign;
}

/* Callback of prepare: turn "c" into rows ">= 0"; an equality becomes two of
 * opposite sign.
 */
static isl_stat add_constraint(__isl_take isl_constraint *c, void *user)
{
	struct points *p = user;
	struct row row = { .last = NONE };

	row.constant = number(isl_constraint_get_constant_val(c), &p->failed);
	for (int i = 0; i < p->n_dim; i++) {
		row.factor[i] = number(isl_constraint_get_coefficient_val(c,
			isl_dim_set, i), &p->failed);
		if (row.factor[i])
			row.last = i;
	}
	add_row(p, &row, 1);
	if (isl_constraint_is_equality(c) == isl_bool_true)
		add_row(p, &row, -1);
	isl_constraint_free(c);
	return p->failed ? isl_stat_error : isl_stat_ok;
}

/* The box around "set", which is taken. */
static void bound(struct points *p, __isl_take isl_set *set)
{
	for (int i = 0; i < p->n_dim && !p->failed; i++) {
		p->low[i] = number(isl_set_dim_min_val(isl_set_copy(set), i),
			&p->failed);
		p->high[i] = number(isl_set_dim_max_val(isl_set_copy(set), i),
			&p->failed);
	}
	isl_set_free(set);
}

/* Which dimensions before "d" have a say in the bounds of "d" and those behind. */
static int find_decides(const struct points *p, int d)
{
	int found = NONE;

	for (int r = 0; r < p->n_row; r++)
		for (int i = 0; i < d && p->row[r].last >= d; i++) {
			if (!p->row[r].factor[i] || found == i)
				continue;
			if (found != NONE)
				return MANY;
			found = i;
		}
	return found;
}

/* Prepare "basic", whose existential integers have been made dimensions. */
static void prepare(struct points *p, __isl_take isl_basic_set *basic)
{
	isl_size n = isl_basic_set_dim(basic, isl_dim_set);

	p->failed = n < 0 || n > MOST_DIM;
	p->n_dim = p->failed ? 0 : n;
	if (!p->failed)
		isl_basic_set_foreach_constraint(basic, add_constraint, p);
	bound(p, isl_set_from_basic_set(basic));
	for (int d = 0; d < p->n_dim; d++) {
		int by = p->decides[d] = find_decides(p, d);
		long n_known = by < 0 ? 1 : p->high[by] - p->low[by] + 1;

		if (p->failed || by == MANY || n_known > MOST_KNOWN)
			continue;
		p->known[d] = malloc((size_t)n_known * sizeof(double));
		for (long i = 0; p->known[d] && i < n_known; i++)
			p->known[d][i] = -1;
	}
}

/* -------------------------------------------------------------------- walk */

static long divide_down(long a, long b)
{
	return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

/* The bounds of dimension "d" where those before it are at "at". */
static void find_bounds(const struct points *p, int d, long *low, long *high)
{
	*low = p->low[d];
	*high = p->high[d];
	for (int r = 0; r < p->n_row; r++) {
		const struct row *row = &p->row[r];
		long rest = row->constant, f = row->factor[d], most;

		if (row->last != d)
			continue;
		for (int i = 0; i < d; i++)
			rest += row->factor[i] * p->at[i];
		most = divide_down(rest, f < 0 ? -f : f);
		if (f > 0 && -most > *low)
			*low = -most;
		if (f < 0 && most < *high)
			*high = most;
	}
}

static double count_from(struct points *p, int d);

/* The points from dimension "d" on. */
static double count_dim(struct points *p, int d)
{
	long low, high;
	double sum = 0;

	find_bounds(p, d, &low, &high);
	if (low > high)
		return 0;
	if (d + 1 == p->n_dim)
		return (double)(high - low + 1);
	p->at[d] = low;
	if (p->decides[d + 1] != d && p->decides[d + 1] != MANY)
		return (double)(high - low + 1) * count_from(p, d + 1);
	for (; p->at[d] <= high && !p->failed; p->at[d]++)
		sum += count_from(p, d + 1);
	return sum;
}

/* The points from dimension "d" on, for the values of those before it in p->at.
 * The result is kept for each value of the one dimension that decides it, so
 * that it is counted only once.
 */
static double count_from(struct points *p, int d)
{
	int by = d < p->n_dim ? p->decides[d] : NONE;
	double *known = d < p->n_dim ? p->known[d] : NULL, n;

	if (d == p->n_dim)
		return 1;
	if (known && by >= 0)
		known += p->at[by] - p->low[by];
	if (known && *known >= 0)
		return *known;
	if (++p->steps > MOST_STEPS)
		p->failed = true;
	n = p->failed ? 0 : count_dim(p, d);
	if (known)
		*known = n;
	return n;
}

/* ---------------------------------------------------------------- the sets */

/* The number of points of all parts, and whether it is exact. */
struct count {
	double n;
	bool exact;
};

/* How many points the box around the set has. */
static double box_size(const struct points *p)
{
	double n = 1;

	for (int i = 0; i < p->n_dim; i++)
		n *= (double)(p->high[i] - p->low[i] + 1);
	return n;
}

/* The box around a basic set, if it cannot be counted. */
static double count_box(__isl_take isl_basic_set *basic)
{
	isl_size n = isl_basic_set_dim(basic, isl_dim_set);
	struct points *p = n >= 0 && n <= MOST_DIM ? calloc(1, sizeof(*p)) :
		NULL;
	double size = 0;

	if (p) {
		p->n_dim = n;
		bound(p, isl_set_from_basic_set(basic));
		size = p->failed ? 0 : box_size(p);
	} else {
		isl_basic_set_free(basic);
	}
	free(p);
	return size;
}

/* Callback of poly_count_points: add the number of points of "basic". If it has
 * too many dimensions or takes too many steps, add those of the box around it
 * and note that the count is not exact.
 */
static isl_stat count_basic(__isl_take isl_basic_set *basic, void *user)
{
	struct count *count = user;
	struct points *p = calloc(1, sizeof(*p));
	double n = 0;

	if (isl_basic_set_is_empty(basic) == isl_bool_true || !p) {
		count->exact &= p != NULL;
		isl_basic_set_free(basic);
		free(p);
		return isl_stat_ok;
	}
	prepare(p, isl_basic_set_flatten(isl_basic_set_lift(
		isl_basic_set_copy(basic))));
	if (!p->failed)
		n = count_from(p, 0);
	if (p->failed) {
		count->exact = false;
		n = count_box(isl_basic_set_copy(basic));
	}
	count->n += n;
	for (int d = 0; d < p->n_dim; d++)
		free(p->known[d]);
	free(p);
	isl_basic_set_free(basic);
	return isl_stat_ok;
}

double poly_count_points(__isl_take isl_set *set, bool *exact)
{
	struct count count = { .exact = true };

	set = isl_set_project_out_all_params(poly_set_coalesce(set));
	if (isl_set_n_basic_set(set) <= MOST_PARTS)
		set = isl_set_make_disjoint(isl_set_compute_divs(set));
	if (isl_set_n_basic_set(set) > MOST_PARTS) {
		count.exact = false;
		set = isl_set_from_basic_set(isl_set_simple_hull(set));
	}
	isl_set_foreach_basic_set(set, count_basic, &count);
	isl_set_free(set);
	*exact &= count.exact;
	return count.n;
}

/* ----------------------------------------------------------------- kernels */

/* Operators of "e" that compute: not leaves, casts, and changes of sign, which
 * other operators do along the way.
 */
static double count_operators(const struct poly_expr *e)
{
	enum poly_shape shape = e ? poly_op_shape(e->op) : POLY_SHAPE_LEAF;
	double n = shape != POLY_SHAPE_LEAF && shape != POLY_SHAPE_CAST &&
		e->op != POLY_OP_NEG;

	for (int i = 0; e && i < POLY_MAX_ARG; i++)
		n += count_operators(e->arg[i]);
	return n;
}

/* "set" for these sizes. */
static __isl_give isl_set *at_sizes(struct poly_prog *prog,
	const int64_t *size, __isl_take isl_set *set)
{
	for (int i = 0; i < prog->n_param; i++)
		set = poly_at_size(prog, set, i, size[i]);
	return set;
}

/* The bytes of global memory among the elements "cells". */
static double count_bytes(struct poly_prog *prog, const int64_t *size,
	__isl_take isl_union_set *cells, bool *exact)
{
	double bytes = 0;

	for (int i = 0; i < prog->n_array; i++) {
		const struct poly_array *a = prog->array[i];
		isl_space *space = isl_multi_pw_aff_get_space(a->extent);

		if (a->space != POLY_GLOBAL) {
			isl_space_free(space);
			continue;
		}
		bytes += poly_type_size(a->type) * poly_count_points(at_sizes(
			prog, size, isl_union_set_extract_set(cells, space)),
			exact);
	}
	isl_union_set_free(cells);
	return bytes;
}

isl_stat poly_kernel_work(struct poly_prog *prog,
	const struct poly_kernel *kernel, const int64_t *size,
	struct poly_kernel_work *work)
{
	int n;
	struct poly_stmt **stmt = poly_kernel_stmts(prog, kernel, &n);
	isl_space *space = isl_set_get_space(prog->context);
	isl_union_set *read = isl_union_set_empty(isl_space_copy(space));
	isl_union_set *written = isl_union_set_empty(space);

	*work = (struct poly_kernel_work){ .exact = stmt != NULL };
	for (int i = 0; stmt && i < n; i++) {
		struct poly_stmt *s = stmt[i];
		double each = count_operators(s->rhs) +
			(s->reduce != POLY_OP_NONE);
		isl_union_map *reads = poly_stmt_reads(s);

		if (each)
			work->operations += each * poly_count_points(at_sizes(
				prog, size, poly_stmt_runs(s)),
				&work->exact);
		read = isl_union_set_union(read, isl_union_map_range(reads));
		written = isl_union_set_add_set(written,
			isl_map_range(poly_stmt_write(s)));
	}
	free(stmt);
	read = poly_union_set_coalesce(read);
	work->read = count_bytes(prog, size, read, &work->exact);
	work->written = count_bytes(prog, size, written, &work->exact);
	return stmt ? isl_stat_ok : isl_stat_error;
}

double poly_kernel_own_reads(struct poly_prog *prog,
	const struct poly_kernel *kernel, const int64_t *size)
{
	int n;
	struct poly_stmt **stmt = poly_kernel_stmts(prog, kernel, &n);
	isl_space *space = isl_set_get_space(prog->context);
	isl_union_set *all = isl_union_set_empty(isl_space_copy(space)), *own;
	isl_union_map *read = isl_union_map_empty(isl_space_copy(space));
	isl_union_map *written = isl_union_map_empty(space), *inside;
	bool exact = true;

	for (int i = 0; stmt && i < n; i++) {
		all = isl_union_set_add_set(all,
			isl_set_copy(stmt[i]->domain));
		read = isl_union_map_union(read, poly_stmt_reads(stmt[i]));
		written = isl_union_map_add_map(written,
			poly_stmt_write(stmt[i]));
	}
	free(stmt);
	inside = isl_union_map_intersect_domain(
		isl_union_map_copy(prog->deps.flow), isl_union_set_copy(all));
	inside = isl_union_map_intersect_range(inside, all);
	inside = isl_union_map_apply_range(isl_union_map_reverse(inside),
		written);
	own = isl_union_map_range(isl_union_map_copy(read));
	own = isl_union_set_subtract(own, isl_union_map_range(
		isl_union_map_subtract(read, inside)));
	return count_bytes(prog, size, own, &exact);
}
