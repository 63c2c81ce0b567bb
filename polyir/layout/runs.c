/* Tiles of kernels without products, which memory limits.
 *
 * A thread moves runs of 16 bytes, as long as an instruction takes, along the
 * axes that arrays lie along, if their rows begin at multiples of that:
 *
 *	C(i,j) = A(i,j) + B(i,j)	runs of 4 j, two rows
 *	C(i,j) = A(j,i)			runs of 4 i to read and of 4 j to
 *					write: a square of points in registers
 *
 * Where rows of the last begin anywhere, a block moves a square of points through shared
 * memory (crossed.c).
 *
 * Other arrays are read element by element, neighbours by neighbouring
 * threads; then a thread has points that lie a block's width apart. Several
 * points a thread keep enough bytes under way. What is too small for that has
 * one row a thread, and a block follows the shape of what is narrow.
 */
#include <math.h>
#include <stdlib.h>

#include <isl/space.h>

#include "polyir/ir/ir.h"
#include "polyir/sets/sets.h"
#include "polyir/layout/layout.h"
#include "polyir/tune/tune.h"
#include "polyir/map/map.h"

/* Threads of a block; elements of one run, at most; points from
 * which on a thread has several rows of them.
 */
enum { THREADS = 256, MOST_RUN = 8 };
/* Points of a block along axis 0 where small elements lie along that. */
enum { LINE = 64 };
/* Points of a thread along an axis where the other one is shorter than a run. */
enum { LOW_ROWS = 4 };
/* Lanes side by side, at least. */
enum { FEW_LANES = 8 };
/* Points along an axis from which on a block moves squares through shared memory; bytes of
 * a line of one along either axis.
 */
enum { SQUARE = 16, ROW_BYTES = 256, COLUMN_BYTES = 128 };
#define MANY_POINTS 1048576.0

/* Which axes the accesses of "stmt" lie along, axis 0 if they move with the other one,
 * too, "stored" if one of those writes, "crossed" if one may go through shared memory;
 * "whole" if all of these have rows that begin where a run may.
 */
struct runs {
	struct poly_prog *prog;
	const struct poly_nest *nest;
	const struct poly_stmt *stmt;
	bool along[2], whole[2], moves[2], stored, crossed;
	int size;			/* of the largest element */
	int align[2];			/* bytes that divide where rows begin */
};

/* Do the rows of "a" begin at multiples of POLY_RUN_BYTES? */
static bool is_aligned(struct poly_prog *prog, const struct poly_array *a)
{
	return a->n_dim == 1 || poly_row_align(prog, a) == POLY_RUN_BYTES;
}

/* Does the entry of "index" move with coordinate "d"? */
static bool entry_moves(__isl_keep isl_multi_pw_aff *index, int entry, int d)
{
	isl_pw_aff *pa = isl_multi_pw_aff_get_at(index, entry);
	bool moves = isl_pw_aff_involves_dims(pa, isl_dim_in, d, 1) ==
		isl_bool_true;

	isl_pw_aff_free(pa);
	return moves;
}

/* Does "data", which may be NULL, change along axis "d" of the points of "stmt"? */
static bool data_move(const struct poly_stmt *stmt,
	const struct poly_expr *data, int d)
{
	int n = isl_multi_aff_size(stmt->at);
	bool does = false;

	for (int i = 0; data && i < n && !does; i++) {
		isl_aff *at = isl_multi_aff_get_at(stmt->at, i);

		does = isl_aff_involves_dims(at, isl_dim_in, d, 1) ==
			isl_bool_true && poly_expr_moves(data, i);
		isl_aff_free(at);
	}
	return does;
}

/* Note an access to "array", at "own" or, with "data", as far behind it as they say.
 */
static void add_access(struct runs *r, const struct poly_array *array,
	__isl_keep isl_multi_pw_aff *own, const struct poly_expr *data)
{
	isl_multi_pw_aff *index = isl_multi_pw_aff_pullback_multi_aff(
		isl_multi_pw_aff_copy(own),
		isl_multi_aff_copy(r->stmt->at));
	int last = poly_row_dim(r->prog, array);
	int size = poly_type_size(array->type), align;

	for (int d = 0; d < 2 && last >= 0; d++) {
		bool other = entry_moves(index, last, !d) ||
			data_move(r->stmt, data, d);
		bool both = other || data_move(r->stmt, data, !d);

		for (int i = 0; i < array->n_dim; i++) {
			r->moves[d] |= entry_moves(index, i, d);
			both |= entry_moves(index, i, !d);
			other |= i != last && entry_moves(index, i, d);
		}
		if (other || !entry_moves(index, last, d) || (d == 0 && !both))
			continue;
		r->along[d] = true;
		if (!poly_accessed_beside(r->prog, r->nest->point, r->nest->n,
		    array))
			continue;
		r->whole[d] &= is_aligned(r->prog, array);
		align = array->n_dim == 1 ? POLY_RUN_BYTES :
			poly_row_align(r->prog, array);
		r->align[d] = align < r->align[d] ? align : r->align[d];
		r->size = size > r->size ? size : r->size;
	}
	isl_multi_pw_aff_free(index);
}

/* Note what the statement writes. */
static void add_write(struct runs *r)
{
	bool along = r->along[0];

	r->along[0] = false;
	add_access(r, r->stmt->write_array, r->stmt->write_index, NULL);
	r->stored |= r->along[0];
	r->along[0] |= along;
}

static void add_read(struct poly_expr *leaf, void *user)
{
	struct runs *r = user;

	add_access(r, leaf->array, leaf->index, NULL);
	r->crossed |= poly_is_crossed(r->prog, r->stmt, leaf);
}

static void add_gather(struct poly_expr *leaf, void *user)
{
	if (leaf->index)
		add_access(user, leaf->array, leaf->index, leaf->arg[0]);
}

/* What the accesses of the nest have in common. */
static struct runs find_runs(const struct poly_nest *nest)
{
	struct runs r = { .prog = nest->prog, .nest = nest,
		.whole = { true, true }, .size = 1,
		.align = { POLY_RUN_BYTES, POLY_RUN_BYTES } };

	for (int i = 0; i < nest->n; i++) {
		r.stmt = nest->point[i];
		add_write(&r);
		poly_expr_each_access(r.stmt->rhs, add_read, &r);
		poly_expr_each_gather(r.stmt->rhs, add_gather, &r);
	}
	return r;
}

/* How many values coordinate "d" of the points of "nest" has. */
static double count_points(const struct poly_nest *nest, int d)
{
	double most = 1;

	for (int i = 0; i < nest->n; i++) {
		isl_set *range = isl_map_range(isl_map_copy(nest->map[i]));
		double n = poly_range_count(nest->prog, range, d);

		most = n > most ? n : most;
	}
	return most;
}

/* How many points the kernel of "nest" has. */
static double count_all(const struct poly_nest *nest)
{
	double n = count_points(nest, 0) * count_points(nest, 1);

	for (int d = nest->n_host; d < nest->n_outer; d++)
		n *= count_points(nest, 2 + d);
	return n;
}

/* The least power of two that is not below "x". */
static int power(double x)
{
	int n = 1;

	while (n < x && n < THREADS)
		n *= 2;
	return n;
}

/* Sectors of one access of a warp that has "lanes" lanes along an axis with elements of
 * "size" bytes, and reads or writes along it in runs of "run": of each row one more where
 * rows begin anywhere.
 */
static int sectors_of(int lanes, int run, int size, bool whole)
{
	int each = (lanes * run * size + POLY_SECTOR - 1) / POLY_SECTOR;

	return POLY_LANES / lanes * (each + !whole);
}

/* Lanes along axis 1. Where arrays lie along both axes and threads have runs, those that lie
 * along axis 0 have a row for each of these lanes, of as many bytes as the other lanes
 * move. Where one of them is written there are so few lanes along axis 1 that all lines
 * have whole sectors,
 *
 *	C(j,i) = A(i,j) + B(i,j)	8 x 4 lanes: 128 bytes of a row of A, 64 of one of C
 *
 * if axis 0 has points enough for a block of "threads" so, "each" for a thread. Parts of
 * sectors that are written are read before; those that are read wait in the cache for the
 * next warp, and tiles that are wide along axis 1 suit memory better.
 */
static int lanes_of(const struct poly_kernel *k, const struct runs *r, double count,
	int each, int threads)
{
	int best = POLY_LANES, least = 0;

	if (!r->stored || !r->along[1] || (k->vec[0] == 1 && k->vec[1] == 1))
		return best;
	for (int n = POLY_LANES; n >= FEW_LANES; n /= 2) {
		int sectors = sectors_of(n, k->vec[1], r->size, r->whole[1]) +
			sectors_of(POLY_LANES / n, k->vec[0], r->size, r->whole[0]);

		if (n < POLY_LANES && threads / n * (double)each > count)
			break;
		if (!least || sectors <= least) {
			least = sectors;
			best = n;
		}
	}
	return best;
}

/* A block of up to "threads" threads that is no wider than "count" points, in runs of
 * "run" along the lanes, of which "lanes" lie so, and no higher, in runs of "low".
 */
static void choose_block(struct poly_kernel *k, const double *count, int run, int low,
	int threads, int lanes)
{
	int wide = power(count[1] / run);
	double high = ceil(count[0] / low);

	k->thread[1] = wide < lanes ? wide : lanes;
	k->thread[0] = threads / k->thread[1];
	if (high < k->thread[0]) {
		k->thread[0] = power(high);
		k->thread[1] = threads / k->thread[0];
	}
	if (k->thread[1] > wide && wide * k->thread[0] >= POLY_LANES)
		k->thread[1] = wide;
}

/* Threads of a block: fewer where a kernel of "points" threads in all would not
 * have a block for each multiprocessor.
 */
static int n_threads(const struct poly_prog *prog, double points)
{
	int n = THREADS;

	while (n > 2 * POLY_LANES && points < (double)n * prog->target.multiprocessors)
		n /= 2;
	return n;
}

/* Does a statement of "nest" add up, in each thread? */
static bool adds(const struct poly_nest *nest)
{
	bool any = false;

	for (int i = 0; i < nest->n; i++)
		any |= nest->point[i]->reduce != POLY_OP_NONE;
	return any;
}

/* The points of a run, of "run" at most, in a kernel of "all" points. Where threads that
 * add up are few, each has fewer points: the loads of one go in turns, as registers
 * allow, those of many at once.
 */
static int shorter(const struct poly_nest *nest, double all, int run)
{
	enum { FEW = 256 };	/* threads of a multiprocessor */

	while (run > 1 && adds(nest) &&
	       all / run < (double)FEW * nest->prog->target.multiprocessors)
		run /= 2;
	return run;
}

/* The rows of points of a thread where arrays lie along them, too, and there are no runs:
 * a block of "threads" rows of them has as many as a line of memory has small elements,
 * or some less or more, so that "count" is divided evenly.
 */
static int rows_of(double count, int threads)
{
	double tiles = floor(count / LINE + .5);

	return (int)ceil(count / ((tiles < 1 ? 1 : tiles) * threads));
}

/* The columns of points of a thread then: warps have words side by side. */
static int columns_of(int size, double all)
{
	return all >= MANY_POINTS && size < POLY_WORD ? POLY_WORD / size : 1;
}

/* The run along axis "d", which has fewer values than a run, "count", where arrays lie along
 * the other one, too: all of them, or what divides them and where rows begin.
 */
static int short_run(const struct runs *r, int d, double count, int run)
{
	int n = 1;

	while (2 * n <= run && 2 * n * r->size <= r->align[d] &&
	       fmod(count, 2 * n) == 0)
		n *= 2;
	return n;
}

/* Cut the points of "k", which arrays lie along both axes of, for a block of which axis "d" is
 * shorter than a run: runs along the other axis would have each element in another sector of
 * what lies along this one. So neighbours along that are neighbouring threads, each of which
 * has several points a block's width apart.
 */
static void cut_low(struct poly_kernel *k, const struct runs *r, const double *count,
	int d, int run)
{
	k->vec[d] = short_run(r, d, count[d], run);
	k->vec[!d] = 1;
	k->thread[d] = power(ceil(count[d] / k->vec[d]));
	k->thread[!d] = THREADS / k->thread[d];
	while (k->thread[!d] > 2 * POLY_LANES &&
	       count[!d] < k->thread[!d] * LOW_ROWS)
		k->thread[!d] /= 2;
	k->tile[d] = k->thread[d] * k->vec[d];
	k->tile[!d] = k->thread[!d] * LOW_ROWS;
	k->tile_k = 0;
}

/* Does a block move squares of points through shared memory: no array that lies along axis 0
 * is written, and there are "count" points?
 */
static bool has_squares(const struct poly_kernel *k, const struct runs *r,
	const double *count)
{
	return r->crossed && !r->stored && r->along[1] && k->vec[0] == 1 &&
		k->vec[1] == 1 && count[0] >= SQUARE && count[1] >= SQUARE;
}

/* How many points "threads" threads with "n" each cover where there are "count". */
static double covered(double count, int threads, int n)
{
	return ceil(count / ((double)threads * n)) * threads * n;
}

/* The points of a thread along an axis of a square that has "count" points, "threads"
 * threads, and "line" points, or up to half of that less or more, so that a ninth of the
 * threads at most have none where that can be.
 */
static int points_of(double count, int threads, int line)
{
	int first = line / 2 / threads, last = line * 3 / 2 / threads, best;
	double least = INFINITY;

	first = first < 1 ? 1 : first;
	for (int n = first; n <= last || n == first; n++)
		least = fmin(least, covered(count, threads, n));
	best = first;
	for (int n = first; n <= last; n++)
		if (covered(count, threads, n) <= 1.125 * least &&
		    (covered(count, threads, best) > 1.125 * least ||
		     abs(n * threads - line) <= abs(best * threads - line)))
			best = n;
	return best;
}

/* Cut the points of "k" for that: a line of a square is a few sectors long, so that the parts
 * of sectors at its ends are few. A warp goes along axis 1, as far as there are points.
 */
static void cut_squares(struct poly_kernel *k, const struct runs *r, const double *count)
{
	const int most[2] = { ROW_BYTES / r->size, COLUMN_BYTES / r->size };

	k->thread[1] = count[1] > POLY_LANES / 2 ? POLY_LANES : POLY_LANES / 2;
	k->thread[0] = THREADS / k->thread[1];
	for (int d = 0; d < 2; d++)
		k->tile[d] = k->thread[d] * points_of(count[d], k->thread[d],
			most[d] < LINE ? most[d] : LINE);
	k->tile_k = 0;
}

bool poly_choose_runs(struct poly_nest *nest)
{
	struct poly_kernel *k = nest->kernel;
	struct runs r = find_runs(nest);
	double count[2] = { count_points(nest, 0), count_points(nest, 1) };
	double all = count_all(nest);
	int run = POLY_RUN_BYTES / r.size, row = 1, each[2], threads;
	bool both;

	r.along[1] |= r.crossed && nest->line[1];
	both = r.along[0] && r.along[1];
	run = shorter(nest, all, run > MOST_RUN ? MOST_RUN : run);
	for (int d = 0; d < 2; d++)
		k->vec[d] = r.along[d] && r.whole[d] && count[d] >= run &&
			!nest->line[1] ? run : 1;
	for (int d = 0; d < 2 && both && all >= MANY_POINTS; d++)
		if (k->vec[!d] > 1 && count[d] > 1 && count[d] < run &&
		    count[!d] >= THREADS) {
			cut_low(k, &r, count, d, run);
			return true;
		}
	if (all >= MANY_POINTS && has_squares(k, &r, count)) {
		cut_squares(k, &r, count);
		return true;
	}
	if (all >= MANY_POINTS)
		row = both && count[0] >= THREADS ? 8 : 2;
	each[0] = row > k->vec[0] ? row : k->vec[0];
	each[1] = !both ? run : k->vec[0] > 1 || k->vec[1] > 1 ? k->vec[1] :
		columns_of(r.size, all);
	if (count[0] < 2 && all >= MANY_POINTS)
		each[1] *= 2;
	threads = n_threads(nest->prog, all / each[1]);
	choose_block(k, count, each[1], k->vec[0] > 1 ? each[0] : 1, threads,
		lanes_of(k, &r, count[0], each[0], threads));
	if (!both && count[0] <= k->thread[0])
		each[0] = k->vec[0];
	if (nest->line[1] && count[1] <= (double)MOST_RUN * k->thread[1])
		each[1] = (int)ceil(count[1] / k->thread[1]);
	if (both && all >= MANY_POINTS && k->vec[0] == 1 && k->vec[1] == 1)
		each[0] = rows_of(count[0], k->thread[0]);
	for (int d = 0; d < 2; d++)
		k->tile[d] = k->thread[d] * each[d];
	k->tile_k = 0;
	return k->vec[0] > 1 || k->vec[1] > 1 || nest->n_outer > nest->n_host ||
		(each[0] * each[1] > 1 && all >= MANY_POINTS &&
		!nest->n_host);
}

/* The longest run of what some accesses move through along a dimension. */
struct along {
	struct poly_prog *prog;
	int dim, run;
};

/* Limit the run to what an access to "array" at "index" allows: elements side
 * by side, as many as POLY_RUN_BYTES and the alignment of the rows let be. What
 * does not move along the dimension limits nothing.
 */
static void limit_run(struct along *a, const struct poly_array *array,
	__isl_keep isl_multi_pw_aff *index)
{
	int last = poly_row_dim(a->prog, array);
	int size = poly_type_size(array->type), run = 1;
	bool other = false;

	if (isl_multi_pw_aff_involves_dims(index, isl_dim_in, a->dim, 1) !=
	    isl_bool_true)
		return;
	for (int i = 0; i < array->n_dim; i++)
		other |= i != last && entry_moves(index, i, a->dim);
	while (!other && last >= 0 && 2 * run * size <= POLY_RUN_BYTES &&
	       (last == 0 || poly_row_align(a->prog, array) >=
		2 * run * size))
		run *= 2;
	a->run = run < a->run ? run : a->run;
}

static void add_along(struct poly_expr *leaf, void *user)
{
	limit_run(user, leaf->array, leaf->index);
}

/* Limit the run by a read whose index is data: if the data move along the
 * dimension, to single elements.
 */
static void add_gathered(struct poly_expr *leaf, void *user)
{
	struct along *a = user;

	if (!leaf->index || poly_expr_moves(leaf->arg[0], a->dim))
		a->run = 1;
	else
		limit_run(a, leaf->array, leaf->index);
}

/* The longest run of what "stmt" reads along "dim", and, if "cell", of what it
 * writes there.
 */
static int run_of(struct poly_prog *prog, const struct poly_stmt *stmt, int dim,
	bool cell)
{
	struct along a = { prog, dim, MOST_RUN };

	poly_expr_each_access(stmt->rhs, add_along, &a);
	poly_expr_each_gather(stmt->rhs, add_gathered, &a);
	if (cell)
		limit_run(&a, stmt->write_array, stmt->write_index);
	return a.run;
}

int poly_run_of(struct poly_prog *prog, const struct poly_stmt *stmt, int dim)
{
	return run_of(prog, stmt, dim, false);
}

/* Does "stmt" add up the parts of a sum, as many as a launch wants? */
static bool adds_parts(const struct poly_prog *prog, const struct poly_stmt *stmt)
{
	int d = poly_parts_dim(prog, stmt);

	return d >= 0 && stmt->reduce != POLY_OP_NONE &&
		isl_multi_pw_aff_involves_dims(stmt->write_index, isl_dim_in,
			d, 1) == isl_bool_false;
}

int poly_run_of_cells(struct poly_prog *prog,
	__isl_keep isl_union_pw_aff *member, __isl_keep isl_union_set *domain)
{
	int n, run = MOST_RUN;
	struct poly_stmt **list = poly_stmts_of(prog, domain, &n);
	bool parts = false;

	for (int i = 0; i < n; i++)
		parts |= adds_parts(prog, list[i]);
	for (int i = 0; parts && i < n; i++) {
		int dim = poly_counted_dim(member, list[i]);
		int own = dim < 0 ? 1 : run_of(prog, list[i], dim, true);

		run = own < run ? own : run;
	}
	free(list);
	return parts ? run : 1;
}
