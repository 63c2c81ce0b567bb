/* How long a product takes, counted, not run; and which block it is best cut
 * into.
 *
 * A block of T threads with register tiles of r0 x r1 points and a reduction
 * of K steps, k of which go through shared memory at a time, takes, on one
 * multiprocessor that runs c such blocks at once, for each k steps
 *
 *	tile(c) = max(k w t u(w) + copy w + barrier, latency / ahead, c bytes / cache)
 *
 *	w	warps that share one of the four schedulers: c T / 128
 *	t	its cycles for a step of a warp: r0 r1 multiply-adds, the loads
 *		of r0 + r1 elements, "step" for all else, and "columns" of that if
 *		buffers have columns of steps
 *	u(w)	what latencies add that few warps do not hide: 1 for many
 *	copy	cycles in which a thread starts its copies of the k steps
 *	ahead	tiles that the copies run ahead; if these are all, none waits
 *	bytes	of both operands of a block for the k steps
 *
 * N blocks over S multiprocessors, each of which has room for R (registers,
 * shared memory, threads), are N / (S R) full waves and a last one of c =
 * min(R, 1 + rest / S) blocks, since they go where blocks end, not where there
 * are few; without a full wave, ceil(rest / S):
 *
 *	cycles = K / k (waves tile(R) + tile(c)) + fill (1 + waves / R)
 *
 * but never less than memory takes to move all operands and results once; of blocks that
 * this bounds alike the best is the one that takes least beside it. What
 * tiles cover beyond the edges counts as work, so padding needs no term of its
 * own. Blocks that take one tile after another (layout/turns.c) have one fill, and
 * "unit_turn" for each tile more; those of a cluster share the bytes of the operand that
 * they have in common. A reduction in P parts has P N blocks and K / P steps, writes P results
 * and reads them again in a second kernel, which costs a launch and the bytes.
 * Two products in one kernel have one "fill", and the first copies of the second
 * one "latency".
 *
 * The constants, with what is on record of each, are in rate.def. All of
 * it depends on the sizes, the types and the target
 * alone: the same choice wherever it is made. What was measured best for large
 * sizes stays unless another block is clearly better.
 */
#include <math.h>

#include "polyir/base/base.h"
#include "polyir/text/text.h"
#include "polyir/layout/layout.h"
#include "polyir/cost/cost.h"
#include "polyir/tune/tune.h"
#include "polyir/cost/model.h"

/* Steps of a tile at least. */
#define LEAST_STEPS 4

/* ------------------------------------------------------------------ blocks */

/* The bytes of the buffers for one step of a tile, with rows padded by a run. */
static double slot_bytes(const struct poly_work *w, const struct poly_block *b)
{
	double bytes = w->bytes_step + w->beside_step;

	if (b->unit)
		return poly_unit_bytes(w, b);

	for (int d = 0; d < 2; d++)
		bytes += (w->bytes[d] + w->beside[d]) *
			(double)(b->tile[d] + b->vec[d]);
	return bytes;
}

/* The bytes of what is kept for another product, with rows padded by a run. */
static double kept_bytes(const struct poly_work *w, const struct poly_block *b)
{
	double steps = ceil(w->kept_steps / b->tile_k) * b->tile_k, bytes = 0;

	for (int d = 0; d < 2; d++)
		bytes += w->kept[d] * fmax(b->tile[d] * (steps + b->vec_k),
			(b->tile[d] + b->vec[d]) * steps);
	return bytes;
}

int poly_shared_room(const struct poly_work *w)
{
	return w->target.shared_bytes ? w->target.shared_bytes :
		POLY_SHARED_BYTES;
}

double poly_shared_bytes(const struct poly_work *w, const struct poly_block *b)
{
	return slot_bytes(w, b) * b->tile_k * (b->stages ? b->stages : 1) +
		kept_bytes(w, b);
}

/* Give "b" as many slots of as many steps as there is room for, "stages" and
 * MOST_STEPS at most. Without asynchronous copies there is one slot.
 */
static void fit_stages(const struct poly_work *w, struct poly_block *b,
	int stages)
{
	double room = poly_shared_room(w);

	b->tile_k = MOST_STEPS;
	while (poly_work_is_known(w) && b->tile_k > LEAST_STEPS &&
	    b->tile_k / 2 >= w->steps)
		b->tile_k /= 2;
	b->stages = w->async ? stages : 1;
	if (!w->async)
		return;
	while (b->tile_k > LEAST_STEPS && poly_shared_bytes(w, b) > room)
		b->tile_k /= 2;
}

/* A block of "t0" x "t1" threads with "r0" x "r1" points each; with "steps",
 * what it loads along axis 0 are runs of steps.
 */
static struct poly_block block(const struct poly_work *w, int t0, int t1,
	int r0, int r1, int stages, bool steps)
{
	struct poly_block b = {
		.thread = { t0, t1 }, .tile = { t0 * r0, t1 * r1 },
		.vec = { steps ? 1 : 4, 4 }, .vec_k = steps ? 4 : 1,
	};

	fit_stages(w, &b, stages);
	return b;
}

/* Elements of the operand along axis "d" that a copy moves at a time: one if
 * the array has rows of steps and the buffer has columns of them.
 */
static int run_length(const struct poly_work *w, const struct poly_block *b,
	int d)
{
	return d == 0 && w->rows_of_steps && b->vec_k == 1 ? 1 : w->run[d];
}

/* With rows of no constant length, addresses take registers, too: then
 * accumulators have half of theirs; if an operand has more than two dimensions,
 * whose addresses are longer sums, a quarter, and half of that if copies go
 * through registers. Twice as much to load for a point as two operands have
 * takes half of them, too.
 */
int poly_most_accumulators(const struct poly_work *w)
{
	int part = w->fixed ? 1 : !w->deep ? 2 : w->async ? 4 : 8;

	if (w->bytes[0] + w->bytes[1] >= 16 * w->words)
		part *= 2;
	return POLY_ACCUMULATOR_WORDS / part / w->words;
}

/* Columns of steps are copied one by one, which small elements cannot be without
 * waiting. With all registers, 16 x 8 points and columns of steps are the best
 * even if elements must be copied one by one; a stage more hides that, unless
 * those of both operands must (measured on an H200).
 */
static bool has_columns(const struct poly_work *w)
{
	return w->async && !(w->small && w->rows_of_steps) &&
		poly_most_accumulators(w) >= 16 * 8;
}

/* Are the elements of rows of steps copied one at a time, whatever their buffer? */
static bool has_odd_rows(const struct poly_work *w)
{
	return has_columns(w) && w->rows_of_steps && w->run[0] == 1;
}

bool poly_copies_elements(const struct poly_work *w)
{
	return has_odd_rows(w) && w->run[1] == 1;
}

static struct poly_block columns(const struct poly_work *w, int t0, int t1)
{
	struct poly_block b = block(w, t0, t1, 16, 8, 2, false);

	if (run_length(w, &b, 0) > 1 || run_length(w, &b, 1) > 1)
		fit_stages(w, &b, 3);
	return b;
}

struct poly_block poly_usual_block(const struct poly_work *w)
{
	int most = poly_most_accumulators(w);
	bool steps = w->rows_of_steps;

	if (w->units)
		return poly_usual_unit_block(w);

	if (has_columns(w))
		return columns(w, 8, 16);
	return block(w, steps ? 8 : 16, steps ? 16 : 8, most >= 32 ? 8 : 4,
		most >= 128 ? 16 : most >= 64 ? 8 : 4, 2, steps);
}

/* ----------------------------------------------------------------- the time */

/* What latencies add to the work of "n" warps of a scheduler. */
double poly_unhidden(const struct poly_work *w, double n)
{
	const struct poly_rates *r = w->rates;

	return n < 2 ? r->one_warp : n < 3 ? r->two_warps :
		n < 4 ? r->three_warps : 1;
}

/* Registers of a thread. */
static int registers(const struct poly_work *w, const struct poly_block *b)
{
	int r0 = b->tile[0] / b->thread[0], r1 = b->tile[1] / b->thread[1];
	int elements = b->unit ? 2 * (2 * r0 + r1) : b->vec_k * r0 + r1;

	return r0 * r1 * w->words + elements + (b->vec_k > 1 ? 0 : elements) +
		48;
}

/* Blocks that a multiprocessor has room for. */
static double resident(const struct poly_work *w, const struct poly_block *b)
{
	int threads = b->thread[0] * b->thread[1];
	int each = fmin(registers(w, b), POLY_THREAD_REGISTERS);
	double n = floor(POLY_REGISTERS / (double)(each * threads));

	n = fmin(n, floor(2.0 * poly_shared_room(w) /
		(poly_shared_bytes(w, b) + POLY_SHARED_REST)));
	return fmax(fmin(n, fmin(w->target.threads / threads,
		w->target.blocks)), 1);
}

/* Cycles of a thread for a copy along axis "d" that it starts in one of
 * "n" blocks.
 */
static double one_copy(const struct poly_work *w, const struct poly_block *b,
	int d, double n)
{
	double rows = fmax(n, 2) * b->tile[0];	/* two tiles of one block */

	return d || b->vec_k > 1 || !has_odd_rows(w) ? w->rates->copy :
		w->rates->copy + w->rates->far_copy *
		fmax(rows / w->rates->near_rows - 1, 0);
}

/* Cycles of a thread for the copies of a tile's steps in one of "n" blocks. */
double poly_copy_cycles(const struct poly_work *w,
	const struct poly_block *b, double n)
{
	double cycles = 0;

	for (int d = 0; d < 2; d++)
		if (w->bytes[d])
			cycles += ceil(b->tile[d] * (double)b->tile_k /
				run_length(w, b, d) /
				(b->thread[0] * b->thread[1])) *
				one_copy(w, b, d, n);
	return cycles;
}

/* Points of a thread along axis "d" that are computed: not what lies beyond all of
 * "w", a run of all threads at a time.
 */
static double computed(const struct poly_work *w, const struct poly_block *b,
	int d)
{
	double all = b->tile[d] / b->thread[d];
	double runs = ceil(w->points[d] / (b->thread[d] * b->vec[d]));

	return w->ends[d] ? fmin(all, runs * b->vec[d]) : all;
}

/* The bytes of the operand along axis "d" that a block copies for the steps of a tile: as
 * many of whole lines as take as long. What rows that begin within lines lack of these steps
 * is not copied.
 */
static double operand_bytes(const struct poly_work *w, const struct poly_block *b, int d)
{
	double points = w->ends[d] ? fmin(b->tile[d], w->points[d]) : b->tile[d];
	double bytes = w->bytes[d] * points / fmax(b->cluster[!d], 1);

	if (!b->unit || !w->bent[d])
		return bytes * b->tile_k;
	return bytes * fmin(b->tile_k, w->steps) * (poly_unit_is_async(b->unit) ?
		w->rates->group_bent : w->rates->warp_bent);
}

static double tile_bytes(const struct poly_work *w, const struct poly_block *b)
{
	return operand_bytes(w, b, 0) + operand_bytes(w, b, 1);
}

/* Cycles that "n" blocks on a multiprocessor take for the steps of a tile, if
 * latencies add "most" to their work at most.
 */
static double tile_cycles(const struct poly_work *w,
	const struct poly_block *b, double n, double most)
{
	double r0 = computed(w, b, 0), r1 = computed(w, b, 1);
	double warps = ceil(n * b->thread[0] * b->thread[1] / 128);
	double step = (r0 * r1 * w->words + (r0 + r1) + w->rates->step) *
		(b->vec_k > 1 ? 1 : w->rates->columns);
	double bytes = tile_bytes(w, b), cycles, wait;
	double latency = w->rates->latency;

	if (b->unit)
		return poly_unit_cycles(w, b, n, warps, bytes);
	cycles = b->tile_k * warps * step * fmin(poly_unhidden(w, warps), most) +
		poly_copy_cycles(w, b, n) * warps + w->rates->barrier;
	wait = b->stages > 1 ? latency / (b->stages - 1) : latency + cycles;
	if (w->steps <= b->tile_k * (b->stages - 1.0))
		wait = 0;
	return fmax(fmax(cycles, wait), n * bytes / w->rates->cache);
}

/* The same for a mean of "n" blocks. */
static double between(const struct poly_work *w, const struct poly_block *b,
	double n)
{
	double part = n - floor(n), cycles = tile_cycles(w, b, floor(n), INFINITY);

	return part ? (1 - part) * cycles +
		part * tile_cycles(w, b, floor(n) + 1, INFINITY) : cycles;
}

/* Do parts gain little by a second warp? They do where both operands are copied
 * one element at a time, "tiles" tiles of steps, which are many: these instructions,
 * not latencies, are what a warp waits for; and where the "blocks" are a round of
 * "n" for all multiprocessors but few (measured on an H200).
 */
static bool hides_alone(const struct poly_work *w, const struct poly_block *b,
	double tiles, double blocks, double n)
{
	return w->parts && w->async && b->stages > 1 && b->vec_k == 1 &&
		run_length(w, b, 0) == 1 && run_length(w, b, 1) == 1 &&
		tiles >= w->rates->many_tiles &&
		blocks >= w->rates->full_round * n * w->target.multiprocessors;
}

/* The bytes that are moved between memory and the cache at least. */
static double least_bytes(const struct poly_work *w)
{
	double points = w->points[0] * w->points[1] * w->batch;
	double bytes = points * (w->narrow && !w->parts ? 2 : w->out_bytes);

	for (int d = 0; d < 2; d++) {
		double own = w->points[d] * w->steps * w->batch * w->bytes[d];

		bytes += w->held[d] ? fmin(own, w->held[d]) : own;
	}
	return bytes;
}

/* The cycles of all tiles of "w" in blocks "b", and "*e" but for these. */
static double all_tiles(const struct poly_work *w, const struct poly_block *b,
	struct poly_estimate *e)
{
	double sm = w->target.multiprocessors, waves, rest, tiles, cycles;

	e->blocks = ceil(w->points[0] / b->tile[0]) *
		ceil(w->points[1] / b->tile[1]) * w->batch;
	e->resident = resident(w, b);
	tiles = ceil(w->steps / b->tile_k);
	waves = floor(e->blocks / (sm * e->resident));
	rest = (e->blocks - waves * sm * e->resident) / sm;
	rest = waves && rest > 0 ? fmin(1 + rest, e->resident) : ceil(rest);
	e->waves = waves + (rest > 0);
	e->registers = registers(w, b);
	e->shared = poly_shared_bytes(w, b);
	e->padding = 1 - w->points[0] * w->points[1] * w->batch / (e->blocks *
		b->tile[0] * b->tile[1]);
	cycles = tiles * waves * tile_cycles(w, b, e->resident, INFINITY);
	if (!waves && hides_alone(w, b, tiles, e->blocks, rest))
		cycles = tiles * tile_cycles(w, b, rest, w->rates->alone);
	else if (rest > 0)
		cycles += tiles * between(w, b, rest);
	return cycles;
}

/* The cycles in which the first tiles of the blocks "b" arrive. */
static double first_fill(const struct poly_work *w, const struct poly_block *b)
{
	double groups = b->thread[0] * b->thread[1] / (double)POLY_GROUP_THREADS;

	return w->rates->fill + (poly_is_fed_anyway(w, b) ? groups * w->rates->group_fed : 0);
}

/* Do copies of rows that begin within lines bound "resident" blocks, so that others take no
 * less while the first copies of one are on their way? 24 products of 352 x 864 x 376 in
 * bf16 take 20.4 us in two blocks of 128 x 128, 18.2 us in one of 128 x 192 that goes on.
 */
static bool is_copy_bound(const struct poly_work *w, const struct poly_block *b,
	double resident)
{
	double cycles = resident * tile_bytes(w, b) / w->rates->unit_cache;

	return (w->bent[0] || w->bent[1]) && poly_unit_is_async(b->unit) &&
		cycles >= tile_cycles(w, b, resident, INFINITY);
}

/* What each round of tiles but the first takes beside its steps, with "resident" blocks. */
static double next_fill(const struct poly_work *w, const struct poly_block *b,
	double resident)
{
	bool turns = poly_unit_is_async(b->unit) && resident == 1 &&
		(w->open ? poly_is_fed_anyway(w, b) :
		b->thread[0] * b->thread[1] > POLY_GROUP_THREADS);

	return turns ? w->rates->unit_turn : w->rates->fill /
		(is_copy_bound(w, b, resident) ? 1 : resident);
}

/* The cycles in which the first tiles of the blocks of "e" arrive, and what they
 * compute leaves.
 */
static double fill_cycles(const struct poly_work *w, const struct poly_block *b,
	const struct poly_estimate *e)
{
	return first_fill(w, b) + fmax(e->waves - 1, 0) * next_fill(w, b, e->resident);
}

/* The cycles in which each round of "resident" blocks stores its results. */
static double store_cycles(const struct poly_work *w, const struct poly_block *b,
	double resident)
{
	return b->unit ? poly_store_cycles(w, b) / fmin(resident, 2) : 0;
}

double poly_block_cycles(const struct poly_work *w,
	const struct poly_block *b, struct poly_estimate *e)
{
	double cycles = all_tiles(w, b, e) + fill_cycles(w, b, e);

	if (b->cluster[0] || b->cluster[1])
		cycles += e->waves * w->rates->group_cluster;
	if (b->unit)
		cycles += e->waves * store_cycles(w, b, e->resident) +
			w->rates->unit_block *
			(ceil(e->blocks / w->target.multiprocessors) - 1);
	e->busy = cycles;
	e->cycles = fmax(cycles, least_bytes(w) / w->rates->memory);
	return e->cycles;
}

double poly_chain_cycles(const struct poly_work w[2],
	const struct poly_block *b, struct poly_estimate *e)
{
	struct poly_estimate second;
	double cycles = all_tiles(&w[0], b, e) + all_tiles(&w[1], b, &second);
	double bytes = least_bytes(&w[0]) + least_bytes(&w[1]);

	cycles += fill_cycles(w, b, e) + w->rates->latency;
	e->busy = cycles;
	e->cycles = fmax(cycles, bytes / w->rates->memory);
	return e->cycles;
}

void poly_block_cost(const struct poly_work *w, const struct poly_block *b,
	struct poly_cost *cost)
{
	struct poly_work few = *w;
	double stored;

	cost->multiprocessors = w->target.multiprocessors;
	cost->resident = resident(w, b);
	cost->slots = b->stages;
	if (isinf(w->steps) && b->stages > 1)
		few.steps = b->tile_k * (b->stages - 1);
	for (int n = 1; n <= cost->resident; n++) {
		cost->cycles[n] = llround(tile_cycles(w, b, n, INFINITY));
		cost->few[n] = llround(tile_cycles(&few, b, n, INFINITY));
	}
	stored = store_cycles(w, b, cost->resident);
	cost->fill = llround(first_fill(w, b) + stored);
	cost->again = llround(next_fill(w, b, cost->resident) + stored);
	cost->block = b->unit ? llround(w->rates->unit_block) : 0;
	for (int d = 0; d < 2; d++)
		cost->tile[d] = b->tile[d];
	cost->tile_k = b->tile_k;
	cost->bytes[0] = w->narrow && !w->parts ? 2 : w->out_bytes;
	cost->bytes[1] = w->bytes[0];
	cost->bytes[2] = w->bytes[1];
	cost->bytes_cycle = w->rates->memory;
	cost->sum_cycle = llround(w->rates->cache) * w->target.multiprocessors;
	cost->part = llround(w->rates->part);
	cost->most_bytes = llround(w->rates->cache_bytes);
}

/* ---------------------------------------------------------------- choosing */

/* Threads of a block, and points of a thread. */
static const int threads[][2] = {
	{ 16, 16 }, { 8, 32 }, { 16, 8 }, { 8, 16 }, { 4, 32 }, { 32, 4 },
	{ 8, 8 }, { 4, 16 },
};
static const int points[][2] = {
	{ 8, 16 }, { 8, 8 }, { 4, 16 }, { 16, 4 }, { 4, 8 }, { 8, 4 }, { 4, 4 },
	{ 2, 8 }, { 2, 4 },
};
enum {
	N_THREADS = sizeof(threads) / sizeof(threads[0]),
	N_POINTS = sizeof(points) / sizeof(points[0])
};

/* Can a block have "r0" x "r1" points a thread? */
static bool can_have(const struct poly_work *w, int r0, int r1)
{
	return r0 * r1 <= poly_most_accumulators(w) &&
		(w->rows_of_steps || r0 % 4 == 0) && r1 % 4 == 0;
}

/* Has a block of "t0" x "t1" threads with "r0" x "r1" points each runs of steps?
 * Where elements are copied one by one, columns of steps take no more copies and
 * fewer loads. They are no better for few rows, for more threads, and for flat
 * blocks of a thread if a warp has two rows of these (measured on an H200).
 */
static bool has_steps(const struct poly_work *w, int t0, int t1, int r0, int r1)
{
	return w->rows_of_steps && (!poly_copies_elements(w) || r0 % 4 ||
		w->points[0] < w->rates->column_rows ||
		t0 * t1 > w->rates->column_threads ||
		(r0 < r1 && t1 == 16));
}

/* Is "a" done sooner than "b"? If memory bounds both, which then take the same, all else
 * decides: it hides less of what memory takes where it is longer.
 */
static bool is_sooner(const struct poly_estimate *a, const struct poly_estimate *b)
{
	return a->cycles < b->cycles ||
		(a->cycles == b->cycles && a->busy < b->busy);
}

/* Put "b" among the first "n" of "list" if it is better than one of them. */
static void rank(struct poly_ranked *list, int n, const struct poly_work *w,
	const struct poly_block *b)
{
	struct poly_ranked one = { .block = *b };

	poly_block_cycles(w, b, &one.estimate);
	for (int i = 0; i < n; i++) {
		struct poly_ranked other = list[i];

		if (other.estimate.cycles &&
		    !is_sooner(&one.estimate, &other.estimate))
			continue;
		list[i] = one;
		one = other;
		if (!one.estimate.cycles)
			return;
	}
}

int poly_all_blocks(const struct poly_work *w, struct poly_block *list, int n)
{
	int most = w->async ? MOST_STAGES : 2, k = 0;

	if (w->units)
		return poly_unit_blocks(w, list, n);

	for (int t = 0; t < N_THREADS; t++) {
		const int *x = threads[t];

		for (int r = 0; r < N_POINTS; r++)
			for (int s = 2; s <= most && k < n; s++)
				if (can_have(w, points[r][0], points[r][1]))
					list[k++] = block(w, x[0], x[1],
						points[r][0], points[r][1], s,
						has_steps(w, x[0], x[1],
							points[r][0], points[r][1]));
		if (has_columns(w) && k < n)
			list[k++] = columns(w, x[0], x[1]);
	}
	return k;
}

void poly_rank_blocks(const struct poly_work *w, struct poly_ranked *list,
	int n)
{
	struct poly_block all[POLY_MOST_BLOCKS];
	int n_all = poly_all_blocks(w, all, POLY_MOST_BLOCKS);

	for (int i = 0; i < n_all; i++)
		rank(list, n, w, &all[i]);
}

void poly_block_factors(const struct poly_work *w, struct poly_str *out)
{
	int tiles = 0;

	if (w->units) {
		poly_str_add(out, "units x numbers of warps x rows of their "
			"fragments x columns x numbers of stages");
		return;
	}
	for (int r = 0; r < N_POINTS; r++)
		tiles += can_have(w, points[r][0], points[r][1]);
	poly_str_printf(out, "%d shapes of threads x %d of points x %d numbers "
		"of stages", N_THREADS, tiles, w->async ? MOST_STAGES - 1 : 1);
	if (has_columns(w))
		poly_str_printf(out, " + %d with columns", N_THREADS);
}

struct poly_ranked poly_best_block(const struct poly_work *w)
{
	struct poly_ranked best = { .block = { { 0 } } };
	struct poly_ranked usual = { .block = poly_usual_block(w) };

	poly_block_cycles(w, &usual.block, &usual.estimate);
	poly_rank_blocks(w, &best, 1);
	return best.estimate.cycles < (poly_unit_is_async(usual.block.unit) ?
		w->rates->group_clearly : w->rates->clearly) *
		usual.estimate.cycles ? best : usual;
}
