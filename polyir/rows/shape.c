/* How the threads of a block share rows, and how the blocks of a cluster share a long one.
 *
 * Lanes go along memory (row_accesses.c). Where rows lie so, a row has some threads side by
 * side, and a block as many rows as make it busy; where columns do, lanes are neighbouring
 * rows of the program, and threads go down them:
 *
 *	sum over j of x[i, j]	32 threads a row, 8 rows	t0: i, t1: j
 *	sum over i of x[i, j]	8 lanes with 4 columns each	t0: i, t1: j
 *
 * A thread keeps its elements in registers, so a row has a longest length.
 */
#include <isl/aff.h>

#include "polyir/base/base.h"
#include "polyir/ir/ir.h"
#include "polyir/ir/recurrence.h"
#include "polyir/sets/sets.h"
#include "polyir/rows/rows.h"
#include "polyir/rows/row_accesses.h"

/* Threads of a block, as a rule. Of the elements that a thread holds of a row: as many as
 * make one warp enough, as a rule, at most, and the same for all that is alive in a block
 * of the most threads.
 */
enum {
	BLOCK = 256,
	WARP_OWN = 32, OWN = 16, MOST_OWN = 32, MOST_WORDS = 64
};

/* Bytes that a thread should have under way at once. */
enum { FLIGHT = 64 };

/* How many times as many threads rows may take whose runs do not begin with them, as their
 * elements are loaded one by one otherwise: as a rule, and where blocks of a cluster,
 * which have all threads that there are, load parts of a word so. Rows of 50257 in f16
 * take 0.138 ms in 1.28 times as many, 0.150 ms one by one; in one block, rows of 5003
 * take 0.102 ms in 1.2 times as many, 0.049 ms one by one.
 */
#define IDLE 1.125
#define IDLE_PARTS 1.34

/* Elements that are little to do; runs that a row has where these do not begin with
 * it, at the least.
 */
enum { LITTLE = 1 << 20, LEAST_RUNS = 8 };

/* Lanes of a kernel that leave most of the target idle. */
enum { FEW_LANES = 32768 };

/* The axes of a row that may begin in the midst of a run: of more of them isl takes long to
 * tell where a run ends.
 */
enum { MOST_SHIFTED = 2 };

static int power_from(int n)
{
	int p = 1;

	while (p < n)
		p *= 2;
	return p;
}

static int divide(int a, int b)
{
	return (a + b - 1) / b;
}

/* Does a member, no update, write along rows: temporaries, or what others see? */
static bool writes_rows(const struct poly_row_group *g, bool temporary)
{
	for (int i = 0; i < g->n_stmt; i++) {
		const struct poly_stmt *s = g->prog->stmt[i];

		if (g->in[i] && poly_row_is_long(g, i) && !poly_is_update(s) &&
		    poly_is_temp(s->write_array) == temporary)
			return true;
	}
	return false;
}

/* Does the group keep rows for more than one sum? What it does no more to than load it has one
 * reader then.
 */
static bool keeps_rows(const struct poly_row_group *g)
{
	int n_sum = 0;

	for (int i = 0; i < g->n_stmt; i++) {
		const struct poly_stmt *s = g->prog->stmt[i];

		if (!g->in[i] || !poly_row_is_long(g, i))
			continue;
		n_sum += poly_is_update(s);
		if (!poly_is_update(s) && !(poly_is_temp(s->write_array) &&
		    s->rhs->op == POLY_OP_ACCESS))
			return true;
	}
	return n_sum > 1;
}

/* The arrays of whole rows that are alive at once, at most. */
static int n_alive(const struct poly_row_group *g)
{
	return 1 + writes_rows(g, true);
}

/* The registers that an element takes of what a statement reads along its row. */
struct words {
	const struct poly_row_group *g;
	int stmt, most;
};

/* Callback for each access in an expression: note the most registers that an
 * element takes of what moves along the row.
 */
static void note_words(struct poly_expr *leaf, void *user)
{
	struct words *w = user;
	int own = divide(poly_type_size(leaf->array->type), POLY_WORD);
	int n = isl_multi_pw_aff_dim(leaf->index, isl_dim_in);
	bool moves = false;

	for (int d = 0; d < n; d++)
		moves |= w->g->axis[w->stmt][d] >= w->g->n_kept &&
			isl_multi_pw_aff_involves_dims(leaf->index, isl_dim_in,
				d, 1) == isl_bool_true;
	w->most = moves && own > w->most ? own : w->most;
}

/* The registers that an element of a row takes, at most. */
static int words_of(const struct poly_row_group *g)
{
	struct words w = { .g = g, .most = 1 };

	for (w.stmt = 0; w.stmt < g->n_stmt; w.stmt++)
		if (g->in[w.stmt] && poly_row_is_long(g, w.stmt))
			poly_expr_each_access(g->prog->stmt[w.stmt]->rhs,
				note_words, &w);
	return w.most;
}

/* The elements of "words" registers that a thread may hold of a row: fewer where what
 * it makes of them takes more, too.
 */
static int most_own(int words)
{
	return words > 1 ? 3 * MOST_OWN / (4 * words) : MOST_OWN;
}

/* The elements that a thread has of a row of "length" in runs of "run". */
static int own_of(int length, int run, int threads)
{
	return divide(divide(length, run), threads) * run;
}

/* The threads of a row of "length" elements of "words" registers each in runs of
 * "run": one warp for as long as that will do, then as many as have OWN elements each, or half or twice as many if
 * fewer are left over so.
 */
static int row_threads(int length, int run, int words)
{
	int best = POLY_LANES, most = most_own(words);

	if (own_of(length, run, POLY_LANES) <= WARP_OWN / words) {
		best = power_from(divide(length, run > 1 ? 2 * run : POLY_ROW_RUN));
		return best > POLY_LANES ? POLY_LANES : best;
	}
	for (int n = 2 * POLY_LANES; n <= POLY_MOST_THREADS; n *= 2) {
		int own = own_of(length, run, n), held = own_of(length, run,
			best);

		if (own < OWN / 2 && held <= most)
			break;
		if (held > most || n * own < best * held ||
		    (n * own == best * held && own >= OWN))
			best = n;
	}
	return best;
}

/* How many blocks the group has with the shape "s". */
static double blocks_of(const struct poly_row_group *g,
	const struct poly_row_shape *s)
{
	double n = s->cluster;

	for (int i = 0; i < g->n_kept; i++)
		n *= i == s->other ? divide(g->extent[i],
			s->tile[!s->along_row ? 1 : 0]) : g->extent[i];
	return n;
}

bool poly_row_goes_on(const struct poly_row_group *g)
{
	struct poly_recurrence r;

	for (int i = 0; i < g->n_stmt; i++)
		if (g->in[i] && poly_recurrence_read(g->prog, g->prog->stmt[i],
		    &r) && r.over >= 0)
			return true;
	return false;
}

bool poly_row_has_scan(const struct poly_row_group *g)
{
	for (int i = 0; i < g->n_stmt; i++)
		if (g->in[i] && poly_recurrence_read(g->prog, g->prog->stmt[i],
			NULL))
			return true;
	return false;
}

/* Do elements of the group go where data tell? Those that lie side by side go to neighbours,
 * as a rule, so lanes have one each.
 */
static bool scatters(const struct poly_row_group *g)
{
	for (int i = 0; i < g->n_stmt; i++)
		if (g->in[i] && poly_is_scatter(g->prog->stmt[i]))
			return true;
	return false;
}

/* The bytes that a thread loads for an element of a row: of all arrays that lie along it and
 * have another row for each of the program's; what these share is in the cache.
 */
static int bytes_of_all(const struct poly_row_look *k)
{
	double most = 0;
	int bytes = 0;

	for (int i = 0; i < k->n_noted; i++)
		if (k->noted[i].elements > most)
			most = k->noted[i].elements;
	for (int i = 0; i < k->n_noted; i++)
		if (k->noted[i].axis == k->lane && 2 * k->noted[i].elements > most)
			bytes += poly_type_size(k->noted[i].array->type);
	return bytes > 0 ? bytes : k->most;
}

/* The elements of a row of "length" that a thread has, without places behind its end that
 * no thread's run reaches.
 */
static int elements_of(const struct poly_row_shape *s, int length)
{
	int own = s->tile[1] / s->thread[1];

	return own < length ? own : length;
}

/* Let a thread have several rows where it has little of one, so that FLIGHT bytes are
 * under way, as long as there are blocks and registers enough. Where it keeps rows to
 * store them, that would take too many; a scan takes twice as many.
 */
static void deepen(const struct poly_row_look *k, struct poly_row_shape *s, int length)
{
	int own = elements_of(s, length) * bytes_of_all(k);
	int words = s->tile[1] / s->thread[1] * n_alive(k->g) * s->words;
	int most = poly_row_has_scan(k->g) ? MOST_WORDS / 2 : MOST_WORDS;

	if (writes_rows(k->g, false) || poly_row_goes_on(k->g))
		return;
	while (s->cluster == 1 && own < FLIGHT && words <= most &&
	       blocks_of(k->g, s) >= 8 * k->g->prog->target.multiprocessors) {
		own *= 2;
		words *= 2;
		s->tile[0] *= 2;
	}
}

/* The most blocks of a cluster on the target. */
static int most_cluster(const struct poly_row_group *g)
{
	return g->prog->target.cluster > 1 ? g->prog->target.cluster : 1;
}

/* The run of a thread that holds nearly all that it may: one of half the length, of a
 * word or more, where it holds less so, as fewer of its elements are behind the row.
 */
static int fuller_run(const struct poly_row_shape *s, int length, int threads)
{
	int own = own_of(length, s->run, threads), half = s->run / 2;

	if (own * s->words > 3 * MOST_OWN / 4 && half * s->size >= POLY_WORD &&
	    own_of(length, half, threads) < own)
		return half;
	return s->run;
}

/* The threads of a row of "length", "threads" as a rule: more, down to two runs for each,
 * where there are fewer rows than multiprocessors, which would have nothing to do.
 */
static int spread(const struct poly_row_look *k, const struct poly_row_shape *s,
	int length, int threads)
{
	double rows = 1;

	for (int i = 0; i < k->g->n_kept; i++)
		rows *= k->g->extent[i];
	if (k->g->open || poly_row_has_scan(k->g) ||
	    rows > k->g->prog->target.multiprocessors)
		return threads;
	while (threads < BLOCK && own_of(length, s->run, threads) > 2 * s->run)
		threads *= 2;
	return threads;
}

/* Rows that lie along memory: several in a block where they are short, several blocks
 * where they are long. Of these, two share a multiprocessor if there may be as many:
 * one waits for its cluster while the other one loads. Blocks that hold half as much each
 * would keep all in registers, but wait for one another more often: rows of 32000 take 0.33 ms
 * so, not 0.19. Tiles that blocks scan in turn are
 * those of few threads, with much of each under way (scans.c).
 */
static void shape_rows(const struct poly_row_look *k, struct poly_row_shape *s,
	int length)
{
	int threads, rows;

	s->cluster = power_from(divide(length, POLY_MOST_THREADS *
		most_own(s->words)));
	threads = row_threads(divide(length, s->cluster), s->run, s->words);
	if (s->cluster == 1)
		threads = spread(k, s, length, threads);
	if (poly_row_goes_on(k->g))
		threads = BLOCK;
	if (s->cluster > 1 && threads == POLY_MOST_THREADS &&
	    2 * s->cluster <= most_cluster(k->g) && !poly_row_has_scan(k->g)) {
		s->cluster *= 2;
		threads /= 2;
	}
	if (s->cluster > 1 && !s->shifted)
		s->run = fuller_run(s, divide(length, s->cluster), threads);
	rows = BLOCK / threads;
	rows = rows < 1 || s->cluster > 1 ? 1 : rows;
	s->other = poly_row_beside(k->g, rows, 1. * length * s->size);
	s->thread[1] = threads;
	s->tile[1] = own_of(divide(length, s->cluster), s->run, threads) *
		threads;
	s->cluster = divide(length, s->tile[1]);
	for (;; rows /= 2) {
		s->thread[0] = s->tile[0] = rows;
		if (rows == 1 || rows / 2 * threads < POLY_LANES ||
		    blocks_of(k->g, s) >= 2 * k->g->prog->target.multiprocessors)
			break;
	}
	deepen(k, s, length);
}

/* The blocks of a cluster, of "threads" threads each with "lanes" side by side, that go
 * down "length" rows. What threads add up and keep nothing of takes registers for half of it.
 */
static int n_down(const struct poly_row_shape *s, int length, int threads,
	int lanes)
{
	int own = (s->kept ? 1 : 2) * most_own(s->words) / s->run;

	own = own < 1 ? 1 : own;
	return divide(length, threads / lanes * own);
}

/* Lanes side by side, at most: those of a warp, but half as many where these are enough for
 * all columns that lie beside one another, and for a sector, if there are so many others
 * that each multiprocessor has a block.
 */
static int most_lanes(const struct poly_row_look *k, const struct poly_row_shape *s)
{
	int lanes = POLY_LANES, n = k->g->extent[s->other];
	double blocks = 1;

	for (int i = 0; i < k->g->n_kept; i++)
		blocks *= i == s->other ? 1 : k->g->extent[i];
	if (k->g->open & 1u << s->other ||
	    blocks < k->g->prog->target.multiprocessors)
		return lanes;
	while (lanes / 2 * s->run >= n &&
	       lanes / 2 * s->run * s->size >= POLY_SECTOR)
		lanes /= 2;
	return lanes;
}

/* Lanes side by side: "lanes", or fewer. Where a block of the most threads has no room for
 * whole columns, or where it alone has, blocks have half as many, so that one block loads
 * while another one waits, if there may be enough of them with lanes of two sectors or
 * more; "*threads" are those of a block, at most.
 */
static int choose_lanes(const struct poly_row_shape *s, int lanes, int length,
	int most, int *threads)
{
	int half = POLY_MOST_THREADS / 2;

	*threads = POLY_MOST_THREADS;
	if (n_down(s, length, half, lanes) > 1 &&
	    n_down(s, length, half, lanes / 2) == 1 &&
	    lanes / 2 * s->run * s->size >= 2 * POLY_SECTOR) {
		*threads = half;
		return lanes / 2;
	}
	if (n_down(s, length, *threads, lanes) == 1)
		return lanes;
	*threads = half;
	for (int n = lanes; n * s->run * s->size >= 2 * POLY_SECTOR; n /= 2)
		if (n_down(s, length, half, n) <= most)
			return n;
	*threads = POLY_MOST_THREADS;
	while (lanes > 1 && n_down(s, length, *threads, lanes) > most)
		lanes /= 2;
	return lanes;
}

/* Rows that neighbours in memory have one each: a warp side by side, each lane with a
 * word of them, so that few columns are left to put together, and threads that go down
 * them, in as many blocks as they need. Where one thread has all of a column, several warps
 * are side by side, as blocks of one are too many.
 */
static void shape_columns(const struct poly_row_look *k, struct poly_row_shape *s,
	int length)
{
	int most = most_cluster(k->g), word = POLY_WORD / s->size;
	int lanes, down, own, threads;

	if (word < s->run)
		s->run = word < 1 ? 1 : word;
	own = OWN / s->words / s->run;
	own = own < 1 ? 1 : own;
	lanes = choose_lanes(s, most_lanes(k, s), length, most, &threads);
	s->cluster = n_down(s, length, threads, lanes);
	length = divide(length, s->cluster);
	down = power_from(divide(length, own));
	if (down * lanes > threads)
		down = threads / lanes;
	while (down * lanes < POLY_LANES)
		down *= 2;
	while (down == 1 && 2 * lanes <= BLOCK &&
	       lanes * s->run < k->g->extent[s->other])
		lanes *= 2;
	s->thread[0] = down;
	s->thread[1] = lanes;
	s->tile[0] = divide(length, down) * down;
	s->tile[1] = lanes * s->run;
}

/* How many elements the "n" axes from "from" on have. */
static double points(const struct poly_row_group *g, int from, int n)
{
	double all = 1;

	for (int i = from; i < from + n; i++)
		all *= g->extent[i];
	return all;
}

/* Do all rows together keep the target busy, or is there little to do? */
static bool is_wide(const struct poly_row_group *g,
	const struct poly_row_shape *s)
{
	return points(g, 0, g->n_kept + g->n_row) <= LITTLE ||
		4 * blocks_of(g, s) >= g->prog->target.multiprocessors;
}

/* How many statements go along rows. */
static int n_long(const struct poly_row_group *g)
{
	int n = 0;

	for (int i = 0; i < g->n_stmt; i++)
		n += g->in[i] && poly_row_is_long(g, i);
	return n;
}

/* The blocks of all but the axis that lies along memory. */
static double grid_y(const struct poly_row_group *g,
	const struct poly_row_shape *s)
{
	double n = s->cluster;

	for (int i = 0; i < g->n_kept; i++)
		n *= i == s->other ? 1 : g->extent[i];
	return n;
}

/* Is there more than a reduction by itself, which has its lanes already (split.c), or
 * are its rows parts of those in memory, along which it would have none, or of several
 * loops the last of which has no run for each of them, or for too few lanes of all rows, or
 * so short that a thread had better have several, or columns of small elements, of which a
 * lane has a word, if most lanes have one?
 */
static bool is_worth(const struct poly_row_group *g,
	const struct poly_row_shape *s)
{
	int last = g->extent[g->n_kept + g->n_row - 1];
	double lanes = 1. * last * s->size / POLY_RUN_BYTES;

	if (n_long(g) > 1 || (s->packed && (lanes < POLY_LANES ||
	    points(g, 0, g->n_kept) * lanes < FEW_LANES)))
		return true;
	return g->n_row == 1 && (s->along_row ?
		s->part || s->tile[0] > s->thread[0] : s->run > 1 &&
		(g->open & 1u << s->other || g->extent[s->other] > s->tile[1] / 2));
}

bool poly_row_fits(const struct poly_row_group *g,
	const struct poly_row_shape *s)
{
	int own = s->tile[0] / s->thread[0] * (s->tile[1] / s->thread[1]);
	int words = own * n_alive(g) * s->words;

	return is_worth(g, s) && words <= 2 * MOST_WORDS &&
		(s->thread[0] * s->thread[1] < POLY_MOST_THREADS ||
		words <= MOST_WORDS) && is_wide(g, s) &&
		s->cluster <= (poly_row_has_scan(g) ? 1 : most_cluster(g)) &&
		(s->along_row || s->tile[1] * s->size >= POLY_SECTOR) &&
		(s->along_row || s->cluster == 1 ||
		(!g->open && grid_y(g, s) <= POLY_GRID_Y));
}

/* Let runs begin where most of the accesses have one, if they cannot begin with the
 * rows. The first run of a row and the last one are not whole then. False if they may
 * begin with the rows, or begin nowhere.
 */
static bool shift(const struct poly_row_look *k, struct poly_row_shape *s, int length)
{
	const struct poly_row_phase *best = NULL;
	int run = POLY_RUN_BYTES / s->size, steps = 0;

	run = run > POLY_ROW_RUN ? POLY_ROW_RUN : run;
	for (int i = 0; i < k->n_phase; i++)
		if (2 * k->phase[i].votes > k->n_access)
			best = &k->phase[i];
	if (s->run >= run || !s->along_row || !best || scatters(k->g) || k->g->n_row > MOST_SHIFTED ||
	    (k->g->n_row > 1 && !k->packed) || length < LEAST_RUNS * run)
		return false;
	for (int i = 0; i < k->g->n_kept; i++)
		steps += s->phase[i] = best->step[i] % run;
	s->shifted = steps > 0;
	s->run = s->shifted ? run : s->run;
	return s->shifted;
}

/* The coordinate of the first element of a row that is shifted, at most. */
static int last_first(const struct poly_row_look *k, const struct poly_row_shape *s)
{
	unsigned all = 1, before;	/* bit i: a row begins at coordinate i */
	int most = s->run - 1;

	for (int i = 0; i < k->g->n_kept; i++) {
		bool any = k->g->open & 1u << i || k->g->extent[i] > s->run;
		int n = any ? s->run : k->g->extent[i];

		before = all;
		for (int j = 1; j < n; j++) {
			int by = j * s->phase[i] % s->run;

			all |= (before << by | before >> (s->run - by)) &
				((1u << s->run) - 1);
		}
	}
	while (!(all & 1u << most))
		most--;
	return most;
}

/* The shape of rows along memory, with or without a shift: that takes few more threads
 * that have nothing to do.
 */
static void shape_shifted(const struct poly_row_look *k, struct poly_row_shape *s,
	int length)
{
	struct poly_row_shape other = *s;

	shape_rows(k, s, length);
	if (!shift(k, &other, length))
		return;
	shape_rows(k, &other, length + last_first(k, &other));
	if (poly_row_has_scan(k->g) && other.cluster > s->cluster)
		return;
	if (1. * other.tile[1] * other.cluster <= 1. * s->tile[1] * s->cluster *
	    (s->size < POLY_WORD && s->cluster > 1 ? IDLE_PARTS : IDLE))
		*s = other;
}

bool poly_row_shape(const struct poly_row_group *g, struct poly_row_shape *s)
{
	struct poly_row_look k = { .g = g, .lane = -1, .run = POLY_ROW_RUN,
		.packed = g->n_row > 1 };
	double length = points(g, g->n_kept, g->n_row);
	int lane;

	if (length > (double)MOST_OWN * POLY_MOST_THREADS * POLY_MOST_CLUSTER ||
	    !g->n_kept || g->n_kept > POLY_MAX_BATCH + 1)
		return false;
	poly_row_look_at(&k);
	lane = k.lane = poly_row_goes_on(g) ? g->n_kept : poly_row_lane_axis(&k);
	poly_row_look_at(&k);
	if (g->n_row > 1 && lane != g->n_kept + g->n_row - 1)
		return false;
	*s = (struct poly_row_shape) { .along_row = lane >= g->n_kept };
	s->part = k.part;
	s->packed = k.packed && g->n_row > 1;
	s->words = words_of(g);
	s->kept = keeps_rows(g);
	s->other = s->along_row ? g->n_kept - 1 : lane;
	s->size = k.size ? k.size : 1;
	s->run = POLY_RUN_BYTES / s->size;
	s->run = scatters(g) ? 1 : s->run > k.run ? k.run : s->run;
	while (g->n_row > 1 && !k.packed && g->extent[lane] % s->run)
		s->run /= 2;
	while (s->run > 1 && s->run > most_own(s->words))
		s->run /= 2;
	if (s->along_row)
		shape_shifted(&k, s, (int)length);
	else
		shape_columns(&k, s, (int)length);
	s->down = !s->along_row && poly_row_has_scan(g) ? s->tile[0] / s->thread[0] : 1;
	return true;
}
