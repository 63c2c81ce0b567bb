/* Points that are no product have loops merged where those of a block would leave most of
 * its threads nothing to do:
 *
 *	before: [k, l, (batch) i, j], k < 2, l < 4	blocks of 8 points
 *	after:  [2 j + k, l, (batch) i]
 *
 * and where rows are short and begin anywhere, whose neighbours in memory other blocks have:
 *
 *	before: [i, k, (batch) j], k < 17		y[i, j, k] = x[i, j, k] + c[k]
 *	after:  [i, 17 j + k]
 *
 * What is read may lie across them, and goes through shared memory then:
 *
 *	before: [e, b, (batch) d], b < 29		y[e, d, b] = x[b, d, e]
 *	after:  [e, 29 d + b]
 *
 * Rows that begin where a run of 16 bytes may stay as they are, across them, too: those of 32
 * elements of bf16 take 0.157 ms so, and 0.168 ms as one with others.
 */
#include <isl/aff.h>

#include "polyir/ir/ir.h"
#include "polyir/sets/sets.h"
#include "polyir/layout/layout.h"
#include "polyir/map/map.h"
#include "polyir/map/merge.h"

/* Threads of a block; bytes of a row that is short; how many times as many points there are as
 * elements of an array that need not lie as they do.
 */
enum { THREADS = 256, SHORT_ROW = 256, FEW_ELEMENTS = 64 };
/* Points that are many. */
#define MANY_POINTS 1048576.0

/* The last entry of what "stmt", no product, writes that moves with its loop "x". */
static int written_at(const struct poly_stmt *stmt, int x)
{
	isl_multi_pw_aff *index = isl_multi_pw_aff_pullback_multi_aff(
		isl_multi_pw_aff_copy(stmt->write_index),
		isl_multi_aff_copy(stmt->at));
	int last = -1;

	for (int d = 0; d < stmt->write_array->n_dim; d++) {
		isl_pw_aff *pa = isl_multi_pw_aff_get_at(index, d);

		if (isl_pw_aff_involves_dims(pa, isl_dim_in, x < 2 ? x : x - 1,
		    1) == isl_bool_true)
			last = d;
		isl_pw_aff_free(pa);
	}
	isl_multi_pw_aff_free(index);
	return last;
}

/* Put loops of the batch into "rows", axis 0 of points of which there are as few along
 * axis 1 as "columns", as long as a block has more threads than points: the inner ones
 * first, each where the last statement writes along it.
 */
static void add_short(const struct poly_nest *nest, struct poly_axis *rows, long columns)
{
	const struct poly_stmt *stmt = nest->point[nest->n - 1];
	long points = rows->extent[0] * columns;

	for (int x = 2 + nest->n_outer; x > 2 && points < THREADS; x--) {
		long n = poly_nest_turns(nest, x);
		int at = rows->n;

		if (!n || !poly_axis_is_short(rows))
			break;
		while (at > 0 && written_at(stmt, rows->loop[at - 1]) >
		       written_at(stmt, x))
			at--;
		poly_axis_insert(rows, at, x, n);
		points *= n;
	}
}

/* The question whether a piece of memory is gone through side by side, loop behind loop. */
struct beside {
	struct poly_in_line line;
	double points;
	bool is;
};

/* Do the loops of the axis go through "array" so, or are its elements few? */
static void ask_beside(struct beside *b, const struct poly_array *array,
	__isl_keep isl_multi_pw_aff *index)
{
	double elements = 1;

	for (int d = 0; d < array->n_dim; d++)
		elements *= (double)poly_fixed_extent(b->line.nest->prog, array, d);
	b->line.is = true;
	poly_ask_line(&b->line, array, index);
	b->is &= b->line.is || (elements > 0 && elements * FEW_ELEMENTS <= b->points);
}

/* The same of a read, which may also lie across (layout/crossed.c). */
static void ask_read_beside(struct poly_expr *leaf, void *user)
{
	struct beside *b = user;

	if (!poly_is_crossed(b->line.nest->prog, b->line.stmt, leaf))
		ask_beside(b, leaf->array, leaf->index);
}

/* Do all statements of "nest", which has so many points, go through what they access so, or
 * across what they read?
 */
static bool are_beside(const struct poly_nest *nest, const struct poly_axis *axis,
	double points)
{
	struct beside b = { .points = points, .is = true };

	for (int i = 0; i < nest->n && b.is; i++) {
		b.line = (struct poly_in_line){ nest, axis, nest->point[i], false, true, false };
		ask_beside(&b, nest->point[i]->write_array, nest->point[i]->write_index);
		/* What is read at positions that are data lies anywhere. */
		b.is &= b.line.is && !poly_is_update(nest->point[i]) &&
			!poly_expr_has(nest->point[i]->rhs, POLY_OP_GATHER, -1);
		poly_expr_each_access(nest->point[i]->rhs, ask_read_beside, &b);
	}
	return b.is;
}

/* Has what "nest" writes last short rows along axis 1, which begin where no run may? */
static bool has_short_rows(const struct poly_nest *nest)
{
	const struct poly_array *a = nest->point[nest->n - 1]->write_array;

	return a->space == POLY_GLOBAL && a->n_dim >= 3 &&
		poly_row_align(nest->prog, a) < POLY_RUN_BYTES &&
		poly_nest_turns(nest, 1) * poly_type_size(a->type) < SHORT_ROW;
}

/* Put loops of the batch that lie between those of both axes into "columns", axis 1, inner
 * ones first, as long as rows are short and all go through memory side by side.
 */
static void add_beside(const struct poly_nest *nest, struct poly_axis *columns, double points)
{
	const struct poly_stmt *stmt = nest->point[nest->n - 1];
	int rows = written_at(stmt, 0), inner = written_at(stmt, 1);
	double bytes = (double)columns->extent[0] * poly_type_size(stmt->write_array->type);

	for (int at = inner - 1; at > rows; at--)
		for (int x = 3; x < 3 + nest->n_outer && bytes < SHORT_ROW; x++) {
			struct poly_axis all = *columns;
			long n = poly_nest_turns(nest, x);

			if (written_at(stmt, x) != at || !n || all.n >= POLY_AXIS_LOOPS)
				continue;
			poly_axis_insert(&all, 0, x, n);
			if (!are_beside(nest, &all, points))
				continue;
			*columns = all;
			bytes *= (double)n;
		}
	columns->line = columns->n > 1;
}

/* The points of "nest" in all. */
static double count_all(const struct poly_nest *nest)
{
	double all = 1;

	for (int x = 0; x < 3 + nest->n_outer; x++)
		all *= x == 2 ? 1 : (double)poly_nest_turns(nest, x);
	return all;
}

/* Are there many points in all, but fewer along both axes than a block has threads? */
static bool has_few_points(const struct poly_nest *nest)
{
	return nest->n && !nest->n_host && count_all(nest) >= MANY_POINTS &&
		poly_nest_turns(nest, 0) * poly_nest_turns(nest, 1) < THREADS;
}

void poly_merge_points(const struct poly_nest *nest, struct poly_axis axis[2])
{
	if (has_few_points(nest))
		add_short(nest, &axis[0], axis[1].extent[0]);
	else if (nest->n && !nest->n_host && count_all(nest) >= MANY_POINTS &&
		 has_short_rows(nest))
		add_beside(nest, &axis[1], count_all(nest));
}
