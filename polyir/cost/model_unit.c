/* How long a product takes on a matrix unit, counted, not run: model.c for blocks with
 * a unit.
 *
 * A warp takes for a step of its points as long as the unit for the multiply-adds, or
 * as the loads of its fragments from shared memory, and what copies write there, if that
 * is longer; a warpgroup has no fragments of operands, and computes while copies begin.
 * What bounds both is how fast the cache gives the operands:
 *
 *	tile(c) = max(max(k w t, unit_crowded s(w)) + unit_copy copy w +
 *		unit_stage / ahead, latency / ahead, c bytes / unit_cache)	warps
 *	tile(c) = max(max(k w t, copy w + barrier) + group_going_on,
 *		group_step, group_latency / ahead, c bytes / unit_cache)	warpgroups,
 *		group_alone times that if there is one of them, group_told more in
 *		clusters
 *
 * The constants are in rate.def.
 */
#include <math.h>

#include "polyir/layout/layout.h"
#include "polyir/cost/model.h"

/* Bytes of a row of steps, and of a run. */
#define ROW_BYTES 128
#define RUN_BYTES 16
/* Points of a thread side by side where they are stored in 16 bits, a run at a time. Where
 * rows begin within one they are stored one by one, or two by two: then those of all threads
 * of a fragment had better lie side by side.
 */
#define NARROW_RUN 8
double poly_unit_bytes(const struct poly_work *w, const struct poly_block *b)
{
	double bytes = 0;

	for (int d = 0; d < 2; d++)
		bytes += w->bytes[d] * fmax(b->tile[d] +
			poly_unit_pad(b->unit), b->tile[d] *
			(1 + poly_unit_pad(b->unit) / (double)b->tile_k));
	return bytes;
}

/* ------------------------------------------------------------------ blocks */

/* Do the sums of 8 warps, of "rows" fragments and "columns" points each, leave a
 * multiprocessor no registers for another block?
 */
static bool is_alone(const struct poly_work *w, int groups, int rows, int columns)
{
	return groups == 8 && rows * columns / 2 * w->words >= POLY_ACCUMULATOR_WORDS;
}

/* A block of "groups" groups of the threads of "unit", in "across" columns, that hold
 * "rows" fragments each along axis 0, in tiles of "columns" points. Copies that wait keep what they read in
 * registers, so that there are few of them.
 */
static struct poly_block block(const struct poly_work *w, enum poly_unit unit,
	int groups, int across, int rows, int columns, int stages)
{
	const struct poly_unit_row *row = poly_unit(unit);
	int size = poly_type_size(row->element[0]);
	double room = poly_shared_room(w) * (is_alone(w, groups, rows, columns /
		across) ? 2 : 1);
	bool narrow = w->narrow && !w->odd_out && !poly_unit_pairs(unit) &&
		columns % (4 * across * NARROW_RUN) == 0;
	struct poly_block b = { .unit = unit,
		.thread = { row->size[0] / 2 * groups / across, 4 * across },
		.tile = { row->size[0] * groups / across * rows, columns },
		.vec = { 1, narrow ? NARROW_RUN : poly_unit_run(unit) },
		.vec_k = RUN_BYTES / size,
		.tile_k = w->async ? ROW_BYTES / size : row->size[2],
		.stages = w->async ? stages : 1 };

	while (b.tile_k > row->size[2] && ((poly_work_is_known(w) &&
	    b.tile_k / 2 >= w->steps) || poly_shared_bytes(w, &b) > room))
		b.tile_k /= 2;
	return b;
}

/* Are the operands of "unit" copied in the longest runs, without waiting? */
static bool has_runs(const struct poly_work *w, int unit)
{
	int size = poly_type_size(poly_unit(unit)->element[0]);

	return w->async && size * w->run[0] == RUN_BYTES &&
		size * w->run[1] == RUN_BYTES;
}

/* Is "unit" one of "w" that finds its operands as it wants them? */
static bool has_unit(const struct poly_work *w, int unit)
{
	return w->units >> unit & 1 && (!poly_unit_is_async(unit) ||
		(has_runs(w, unit) && !w->beside[0] && !w->beside[1]));
}

/* Has a multiprocessor the room for the buffers of "b"? */
static bool has_room(const struct poly_work *w, const struct poly_block *b)
{
	return poly_shared_bytes(w, b) + POLY_SHARED_REST <= 2.0 * poly_shared_room(w);
}

/* Sums of a thread, at most: fewer beside fragments in f16, and beside copies of bytes one
 * by one, each of which is in a register of its own.
 */
static int most_sums(const struct poly_work *w, int unit)
{
	enum { FEW = 64 };
	int most = poly_most_accumulators(w);
	bool bytes = !w->async && poly_type_size(poly_unit(unit)->element[0]) == 1;

	return (poly_unit_widens(unit) || bytes) && most > FEW ? FEW : most;
}

struct poly_block poly_usual_unit_block(const struct poly_work *w)
{
	int most = poly_most_accumulators(w), unit = 1;
	int columns = most >= 128 ? 256 : most >= 64 ? 128 : 64;
	struct poly_block b;

	for (int u = 1; u < POLY_N_UNIT; u++) {
		if (!has_unit(w, u) || !poly_unit_is_async(u))
			continue;
		b = block(w, u, 2, 1, 1, columns, 4);
		return has_room(w, &b) ? b : block(w, u, 2, 1, 1, columns, 3);
	}
	while (!has_unit(w, unit))
		unit++;
	most = most_sums(w, unit);
	if (most == 64 && poly_work_is_known(w) && !w->lines)
		return block(w, unit, 8, 2, 2, 128, 4);
	return block(w, unit, 4, 1, most >= 64 ? 2 : 1, most >= 128 ? 128 : 64, 3);
}

/* Add the blocks for warps of "unit" to "list", which has "k" of "n"; returns how many
 * it has then. Of those that the model has no preference among the first is taken: two
 * warps, which leave schedulers idle, stand last.
 */
static int add_warps(const struct poly_work *w, int unit, struct poly_block *list,
	int k, int n)
{
	static const int warps[][2] = { { 4, 1 }, { 8, 1 }, { 4, 2 }, { 8, 2 },
		{ 2, 1 } };
	static const int rows[] = { 2, 1, 4 };
	int most = w->async ? MOST_STAGES : 2;

	for (int i = 0; i < 15; i++)
		for (int columns = 256; columns >= 32; columns /= 2)
			for (int s = 2; s <= most && k < n; s++) {
				const int *x = warps[i / 3];
				int each = rows[i % 3] * columns / x[1] / 2;

				if (each <= most_sums(w, unit) &&
				    (x[1] == 1 || !w->lines))
					list[k++] = block(w, unit, x[0], x[1],
						rows[i % 3], columns, s);
			}
	return k;
}

static bool is_large(const struct poly_block *b)
{
	enum { LEAST_POINTS = 128 * 128 };

	return b->tile[0] * b->tile[1] >= LEAST_POINTS;
}

/* Are copies of blocks "b" boxes, if one is all that a multiprocessor has room for, which a
 * warp starts (memory/pipeline.c)? Those of windows that slide are in any case.
 */
static bool is_fed(const struct poly_work *w, const struct poly_block *b)
{
	return poly_work_is_known(w) && !w->parts && (w->slides || w->steps >=
		(double)POLY_FED_STEPS * b->tile_k || (is_large(b) && !w->deep &&
		b->thread[0] * b->thread[1] > POLY_GROUP_THREADS));
}

/* Those of sizes that are not known are, however few steps there are. */
bool poly_is_fed_anyway(const struct poly_work *w, const struct poly_block *b)
{
	return w->open && !w->parts && poly_unit_is_async(b->unit) &&
		poly_shared_bytes(w, b) > poly_shared_room(w);
}

/* May clusters of blocks "b" that take turns be "n0" x "n1"? Those of more than two do not
 * fill all of the multiprocessors. The clusters of row programs are those of rows/shape.c.
 */
static bool may_cluster(const struct poly_work *w, const struct poly_block *b, int n0,
	int n1)
{
	double t0 = ceil(w->points[0] / b->tile[0]), t1 = ceil(w->points[1] / b->tile[1]);

	return is_fed(w, b) && n0 * n1 <= w->target.cluster && fmod(t0, n0) == 0 &&
		fmod(t1, n1) == 0 && poly_shared_bytes(w, b) > poly_shared_room(w) &&
		(n0 * n1 <= 2 || t0 * t1 * w->batch <= w->target.multiprocessors -
		w->target.multiprocessors / 8);
}

/* Add "b" alone and in the clusters that there may be of it to "list". */
static int add_clusters(const struct poly_work *w, struct poly_block b,
	struct poly_block *list, int k, int n)
{
	static const int cluster[][2] = { { 2, 1 }, { 1, 2 }, { 4, 1 }, { 1, 4 } };

	list[k++] = b;
	for (int i = 0; i < 4 && k < n; i++) {
		if (!may_cluster(w, &b, cluster[i][0], cluster[i][1]))
			continue;
		list[k] = b;
		for (int d = 0; d < 2; d++)
			list[k].cluster[d] = cluster[i][d];
		k++;
	}
	return k;
}

/* The same for warpgroups; three of them, for large tiles that a warp fills, have fewer
 * registers each. Slots beyond a half of the shared memory are for the one block of a
 * multiprocessor, where a warp fills them (layout/turns.c): of small tiles for long sums,
 * whose start, which takes longer so, is little of them, and not for their pieces. Windows
 * that slide want that warp, as zeros are multiplied for what they lack.
 */
static int add_warpgroups(const struct poly_work *w, int unit,
	struct poly_block *list, int k, int n)
{
	static const int stages[] = { 3, 4, 5, 6, 8, 10 };
	enum { N_STAGES = sizeof(stages) / sizeof(stages[0]), USUAL = 4 };
	int most = poly_most_accumulators(w);

	for (int i = 0; i < 6 * 4 * N_STAGES && k < n; i++) {
		int groups = 1 + i / N_STAGES / 8, rows = 1 + i / N_STAGES / 4 % 2;
		int columns = 64 * (1 + i / N_STAGES % 4), s = i % N_STAGES;
		struct poly_block b = block(w, unit, groups, 1, rows, columns,
			stages[s]);

		if (rows * columns / 2 <= (groups > 2 ? most * 3 / 4 : most) &&
		    has_room(w, &b) && (!w->slides || poly_shared_bytes(w, &b) >
		    poly_shared_room(w)) && (s < USUAL || is_fed(w, &b)) &&
		    (groups < 3 || (is_fed(w, &b) && is_large(&b) && !w->deep &&
		    b.tile[0] <= POLY_MOST_BOX_ROWS)))
			k = add_clusters(w, b, list, k, n);
	}
	return k;
}

int poly_unit_blocks(const struct poly_work *w, struct poly_block *list, int n)
{
	int k = 0;

	for (int u = 1; u < POLY_N_UNIT; u++)
		if (has_unit(w, u) && (!w->slides || poly_unit_is_async(u)))
			k = poly_unit_is_async(u) ?
				add_warpgroups(w, u, list, k, n) :
				add_warps(w, u, list, k, n);
	return k;
}

int poly_part_steps(const struct poly_work *w, int most)
{
	for (int u = 1; u < POLY_N_UNIT; u++)
		if (has_unit(w, u) && poly_unit(u)->size[2] > most)
			most = poly_unit(u)->size[2];
	return most;
}

/* ---------------------------------------------------------------- the time */

/* Points of a warp of "b" along axis "d". */
static double warp_points(const struct poly_block *b, int d)
{
	return b->tile[d] / (b->thread[d] / (d ? 4.0 : 8.0));
}

/* Cycles of a scheduler for the multiply-adds of a step of a warp on the unit of "b". */
static double step_cycles(const struct poly_block *b)
{
	return warp_points(b, 0) * warp_points(b, 1) * 4 / poly_unit(b->unit)->rate;
}

/* Cycles in which shared memory gives "warps" warps of each scheduler the fragments of
 * a tile's steps, and takes what "bytes" bytes of copies bring.
 */
static double shared_cycles(const struct poly_work *w, const struct poly_block *b,
	double warps, double bytes)
{
	double points = warp_points(b, 0) + warp_points(b, 1);
	int size = poly_type_size(poly_unit(b->unit)->element[0]);

	return (4 * warps * b->tile_k * points * size + bytes) /
		w->rates->unit_shared;
}

/* Cycles that a step of the warp that starts copies takes at least. */
static double group_step(const struct poly_work *w, const struct poly_block *b)
{
	bool odd = b->stages & (b->stages - 1);

	return w->rates->group_step + (odd ? w->rates->group_odd : 0);
}

/* The cycles in which windows that slide bring the pixels of a step of "n" tiles, of which
 * these are so many of the "*bytes" of one.
 */
static double pixel_cycles(const struct poly_work *w, const struct poly_block *b, double n,
	double *bytes)
{
	double cycles = 0;

	for (int d = 0; d < 2 && w->slides; d++) {
		double own = w->line[d] ? b->tile[d] * (double)b->tile_k * w->bytes[d] /
			fmax(b->cluster[!d], 1) : 0;

		*bytes -= own;
		cycles += n * w->rates->pixel * own / ROW_BYTES;
	}
	return cycles;
}

double poly_unit_cycles(const struct poly_work *w, const struct poly_block *b,
	double n, double warps, double bytes)
{
	const struct poly_rates *r = w->rates;
	double units = b->tile_k * warps * step_cycles(b) * w->together;
	double cycles, wait;
	double copies = poly_copy_cycles(w, b, n) * warps;
	bool is_async = poly_unit_is_async(b->unit);
	double shared = is_async ? 0 : shared_cycles(w, b, warps, n * bytes);

	cycles = is_async ? fmax(fmax(units, copies + r->barrier) + r->group_going_on,
		group_step(w, b)) : fmax(units + r->unit_beside * shared, r->unit_crowded * shared) + r->unit_copy * copies +
		r->unit_stage / fmax(b->stages - 1, 1);
	if (is_async)
		cycles = fmax(cycles, pixel_cycles(w, b, n, &bytes));
	wait = is_async ? r->group_latency / (b->stages - 2) : b->stages > 1 ?
		r->latency / (b->stages - 1) : r->latency + cycles;
	if (w->steps <= b->tile_k * (b->stages - 1.0))
		wait = 0;
	cycles = fmax(fmax(cycles, wait), n * bytes / r->unit_cache);
	if (b->cluster[0] || b->cluster[1])
		cycles += r->group_told;
	return is_async && warps < 2 ? r->group_alone * cycles : cycles;
}

double poly_store_cycles(const struct poly_work *w, const struct poly_block *b)
{
	double points = (double)b->tile[0] * b->tile[1];

	return points * (w->narrow ? 2 : w->out_bytes) / w->rates->unit_store;
}
