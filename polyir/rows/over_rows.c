/* Sums over more than rows are sums of what rows have:
 *
 *	s += x[i, j]			p[i] += x[i, j]		a row program
 *					s += p[i]
 *
 * The first is over rows like those of other sums, whose kernel it can share with all
 * that reads them; the second has few values. So that the rows are those of the others,
 * a sum is parted where one of these ends, if it goes through an array of as many
 * dimensions; if none does, and it is of all there is, or along rows of which no cluster
 * holds one, where the row is long enough to be worth a block's while. Rows that no cluster holds are cut:
 *
 *	s += x[i]			p[c] += x[8192 c + j]	a row program
 *					s += p[c]
 *
 * The program is one of definitions, the sizes are known, and the sum can be done in any
 * order. It has another schedule then.
 */
#include <math.h>
#include <stdlib.h>

#include "polyir/base/base.h"
#include "polyir/deps/deps.h"
#include "polyir/ir/ir.h"
#include "polyir/schedule/schedule.h"
#include "polyir/sets/sets.h"
#include "polyir/sums/split.h"
#include "polyir/sums/sums.h"
#include "polyir/rows/rows.h"

/* Values of a row: enough for a block; those below which a row is no better than a sum of
 * parts; those that no cluster holds; those of a sum that may be a row as it is. Rows, and
 * values of all, at least: fewer leave the machine idle, or are not worth a kernel.
 */
enum { ENOUGH = 1024, FEWEST = 64, LONGEST = 65536, LONG = 8192, ROWS = 128,
	VALUES = 1 << 18 };

/* Values of a row that no cluster holds, and of those that are cut from it: a block has one. */
enum { WHOLE = 262144, CUT = 8192 };

/* The sum that is looked at, as the largest array that it reads has it: the dimension of
 * the statement at each place of that, from the last one on, and how many values it has.
 */
struct sum {
	struct poly_prog *prog;
	struct poly_stmt *stmt;
	int n, n_dim;
	int dim[POLY_MAX_DIM];
	double count[POLY_MAX_DIM];
	bool over[POLY_MAX_DIM];	/* no dimension of the cell */
	bool made;			/* reads what other statements make */
};

/* Take the array of "leaf" if it has the most dimensions, all of them those of the
 * statement.
 */
static void take_leaf(struct poly_expr *leaf, void *user)
{
	struct sum *s = user;
	int n = leaf->array->n_dim, dim[POLY_MAX_DIM];

	if (n <= s->n || n > s->n_dim || leaf->op != POLY_OP_ACCESS)
		return;
	for (int k = 0; k < n; k++) {
		dim[k] = poly_index_dim(leaf->index, n - 1 - k, s->stmt);
		for (int e = 0; e < k; e++)
			if (dim[e] == dim[k])
				return;
		if (dim[k] < 0)
			return;
	}
	s->n = n;
	for (int k = 0; k < n; k++)
		s->dim[k] = dim[k];
}

/* Read the statement; false if it is no sum that reads such an array, whole. */
static bool read_sum(struct sum *s, struct poly_prog *prog,
	struct poly_stmt *stmt)
{
	*s = (struct sum) { .prog = prog, .stmt = stmt,
		.n_dim = isl_set_dim(stmt->domain, isl_dim_set) };
	if (stmt->kind != POLY_POINT || stmt->across ||
	    !poly_can_split(prog, stmt) || s->n_dim > POLY_ROW_DIMS)
		return false;
	poly_expr_each_access(stmt->rhs, take_leaf, s);
	for (int k = 0; k < s->n; k++) {
		s->count[k] = poly_range_count(prog,
			isl_set_copy(stmt->domain), s->dim[k]);
		s->over[k] = isl_multi_pw_aff_involves_dims(stmt->write_index,
			isl_dim_in, s->dim[k], 1) == isl_bool_false;
	}
	return s->n && s->n == s->n_dim;
}

/* How many of the last dimensions the sum is over, one behind another; their values. */
static int row_dims(const struct sum *s, double *values)
{
	int n = 0;

	*values = 1;
	while (n < s->n && s->over[n])
		*values *= s->count[n++];
	return n;
}

/* The values that the last "n" dimensions have together. */
static double values_of(const struct sum *s, int n)
{
	double values = 1;

	for (int k = 0; k < n; k++)
		values *= s->count[k];
	return values;
}

/* How many of the dimensions the sum is over. */
static int count_over(const struct sum *s)
{
	int n = 0;

	for (int k = 0; k < s->n; k++)
		n += s->over[k];
	return n;
}

/* The dimensions of the rows of another sum, which is over nothing else, that are some of
 * those of "s", the most of them; 0: none has such rows.
 */
static int rows_of_others(const struct sum *s)
{
	double values;
	int most = row_dims(s, &values), best = 0;

	for (int i = 0; i < s->prog->n_stmt; i++) {
		struct sum other;
		int n;

		if (s->prog->stmt[i] == s->stmt ||
		    !read_sum(&other, s->prog, s->prog->stmt[i]) ||
		    other.n != s->n)
			continue;
		n = row_dims(&other, &values);
		for (int k = 0; k < s->n; k++)
			if (other.count[k] != s->count[k])
				n = 0;
		if (n == count_over(&other) && n < count_over(s) &&
		    n <= most && n > best && values >= FEWEST / 2 &&
		    values <= LONGEST)
			best = n;
	}
	return best;
}

/* How many of the last dimensions are a row; 0: the sum stays whole. */
static int choose_row(const struct sum *s)
{
	double values, all = values_of(s, s->n), over = 1;
	int most = row_dims(s, &values), n = rows_of_others(s);
	int n_over = count_over(s);

	for (int k = 0; k < s->n; k++)
		over *= s->over[k] ? s->count[k] : 1;
	if (!n && (n_over == s->n || (n_over == most && over > WHOLE)))
		while (n < most && values_of(s, n) < ENOUGH)
			n++;
	if (n && (n == n_over || values_of(s, n) > LONGEST) &&
	    values_of(s, n - 1) >= FEWEST)
		n--;
	values = values_of(s, n);
	return n && n < n_over && values >= FEWEST / 2 &&
		(values <= LONGEST || (n == 1 && values > WHOLE)) &&
		over >= LONG && all >= VALUES && (values > WHOLE ||
		all / values >= ROWS) ? n : 0;
}

/* The last dimensions of "s" that a sum over outer ones had better keep: it is over some
 * that lie around those of its cell, and over a few values of the last ones, so that
 * neighbours in memory are parts of neighbouring cells; 0: there are none.
 */
static int short_end(const struct sum *s)
{
	double values, all = values_of(s, s->n), outer = 1;
	int n = row_dims(s, &values);
	bool kept = false;

	if (!n || n == s->n || values >= FEWEST / 2)
		return 0;
	for (int k = n; k < s->n; k++) {
		kept |= !s->over[k];
		if (s->over[k] && !kept)
			return 0;
		outer *= s->over[k] ? s->count[k] : 1;
	}
	return outer >= FEWEST && all >= VALUES && all / outer >= FEWEST ? n : 0;
}

/* Part the sum "s" by its last "n" dimensions, over which the statement goes that adds the
 * parts.
 */
static struct poly_stmt *part_end(const struct sum *s, int n)
{
	struct poly_parts p = { .prog = s->prog, .stmt = s->stmt, .rows = true,
		.run = 1, .open = true };

	for (int k = 0; k < s->n; k++) {
		p.sum[s->dim[k]] = s->over[k];
		p.own[s->dim[k]] = !s->over[k];
		p.part[s->dim[k]] = s->over[k] && k < n;
	}
	return poly_add_partial(&p);
}

/* Part the sum "s" behind the last "n" dimensions; the statement that adds the parts. */
static struct poly_stmt *part(const struct sum *s, int n)
{
	struct poly_parts p = { .prog = s->prog, .stmt = s->stmt, .rows = true,
		.run = 1, .open = true };

	for (int k = 0; k < s->n; k++) {
		p.sum[s->dim[k]] = s->over[k];
		p.own[s->dim[k]] = !s->over[k];
		p.part[s->dim[k]] = s->over[k] && k >= n;
	}
	return poly_add_partial(&p);
}

/* Note a read of rows that another statement makes. */
static void note_made(struct poly_expr *leaf, void *user)
{
	struct sum *s = user;

	s->made |= poly_is_temp(leaf->array) && leaf->array->n_dim >= s->n;
}

/* Is the sum one along rows, of which no cluster holds one? */
static bool is_too_long(const struct sum *s)
{
	return count_over(s) == 1 && s->over[0] && s->count[0] > WHOLE &&
		values_of(s, s->n) / CUT >= ROWS;
}

/* Has the sum "s" nothing that another statement makes for each of its points, or does it
 * compute that itself now? What makes it has no such rows. "*ok" is false without memory.
 */
static bool reads_inputs(struct sum *s, bool *ok)
{
	*ok = poly_row_take_maps(s->prog, s->stmt);
	if (*ok)
		poly_expr_each_access(s->stmt->rhs, note_made, s);
	return *ok && !s->made;
}

/* Part the sum "s" along rows into rows of CUT values; the statement that adds the parts. */
static struct poly_stmt *cut(const struct sum *s)
{
	struct poly_parts p = { .prog = s->prog, .stmt = s->stmt, .rows = true,
		.run = 1 };
	int row = s->dim[0];

	for (int k = 0; k < s->n; k++)
		p.own[s->dim[k]] = !s->over[k];
	p.sum[row] = true;
	p.values[row] = CUT;
	p.part[row] = (int)ceil(s->count[0] / CUT);
	return poly_add_partial(&p);
}

/* A sum along rows that is cut: its cells, what adds its parts, and the one of the list whose
 * extreme it asks for, or NULL.
 */
struct cut {
	struct sum sum;
	bool is;
	struct poly_array *cell;
	struct poly_stmt *end;
	const struct cut *extreme;
};

/* Find out which of "n" sums ask for the extreme of another one. */
static void find_extremes(struct poly_prog *prog, struct cut *list, int n)
{
	for (int i = 0; i < n; i++)
		for (int k = 0; k < n && list[i].is; k++)
			if (list[k].is && poly_row_asks_extreme(prog,
			    list[i].sum.stmt, list[k].sum.stmt))
				list[i].extreme = &list[k];
}

/* Cut those of the list, "n" sums; false without memory. */
static bool cut_all(struct cut *list, int n)
{
	bool ok = true;

	for (int i = 0; i < n && ok; i++) {
		if (!list[i].is)
			continue;
		list[i].cell = list[i].sum.stmt->write_array;
		list[i].end = cut(&list[i].sum);
		ok = list[i].end;
	}
	for (int i = 0; i < n && ok; i++)
		if (list[i].extreme)
			ok = poly_row_ask_parts(list[i].sum.stmt, list[i].end,
				list[i].extreme->sum.stmt,
				list[i].extreme->cell);
	return ok;
}

/* Part the sums along rows of which no cluster holds one; "*n_part" counts. False without
 * memory.
 */
static bool cut_rows(struct poly_prog *prog, int *n_part)
{
	int n = prog->n_stmt;
	struct cut *list = calloc(n + 1, sizeof(*list));
	bool ok = list;

	for (int i = 0; ok && i < n; i++) {
		struct poly_stmt *s = prog->stmt[i];
		const struct poly_expr *was = s->rhs;

		list[i].is = read_sum(&list[i].sum, prog, s) &&
			is_too_long(&list[i].sum) &&
			reads_inputs(&list[i].sum, &ok);
		*n_part += list[i].is || s->rhs != was;
	}
	if (ok) {
		find_extremes(prog, list, n);
		ok = cut_all(list, n);
	}
	free(list);
	if (ok)
		poly_row_drop_unread(prog);
	return ok;
}

isl_stat poly_sums_over_rows(struct poly_prog *prog)
{
	int n_stmt = prog->n_stmt, n_part = 0;
	struct poly_stmt **list = calloc(n_stmt + 1, sizeof(*list));
	bool ok = list;

	for (int i = 0; ok && i < n_stmt; i++)
		list[i] = prog->stmt[i];
	for (int i = 0; ok && i < n_stmt && poly_prog_is_fixed(prog); i++) {
		struct sum s;
		int n;

		while (ok && read_sum(&s, prog, list[i]) &&
		    (n = choose_row(&s)) > 0) {
			n_part++;
			list[i] = part(&s, n);
			ok = list[i];
		}
		if (ok && read_sum(&s, prog, list[i]) && (n = short_end(&s)) > 0) {
			n_part++;
			ok = part_end(&s, n);
		}
	}
	free(list);
	if (ok && poly_prog_is_fixed(prog))
		ok = cut_rows(prog, &n_part);
	if (ok && n_part)
		ok = poly_deps(prog) == isl_stat_ok &&
			poly_schedule(prog) == isl_stat_ok;
	return ok ? isl_stat_ok : isl_stat_error;
}
