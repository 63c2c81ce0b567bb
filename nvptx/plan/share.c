/* nvptx: how the threads of a block share the box of a copy.
 *
 * One layout says which runs of elements each thread copies. The emitter
 * (nvptx/contract/lower_copy.c) computes addresses from its digits, and nvptx_share_covers
 * enumerates them: a copy is emitted only if its threads move each element of the
 * box exactly once, which is what the legality checks take a copy to do.
 */
#include <stdlib.h>

#include "polyir/place/place.h"
#include "nvptx/plan/plan.h"

/* Threads that go along a row of the array where that is a column of the buffer:
 * with half a warp, two elements of a bank are written at once, not four, and two
 * rows are read (measured on an H200: 8 and 32 are slower).
 */
#define COLUMN 16

/* Runs in a line of the box along "along".
 *
 * A run is what one thread copies at once.
 */
static int64_t runs_in_line(const struct nvptx_share *s)
{
	return s->size[s->along] / s->run;
}

/* Let "side" threads, or any number of them if that is 0, share a line.
 *
 * With 0 the runs are counted through all lines.
 */
static void set_side(struct nvptx_share *s, int64_t side)
{
	int64_t inner = runs_in_line(s), across = s->size[!s->along];
	int64_t lines = side ? s->threads / side : 1;

	s->side = side;
	s->n = side ? inner / side * ((across + lines - 1) / lines) :
		(inner * across + s->threads - 1) / s->threads;
}

/* Threads that fill a line, or whole lines, make addresses simple. */
void nvptx_share_out(struct nvptx_share *s, int run)
{
	int64_t inner, side;

	s->run = run;
	inner = runs_in_line(s);
	side = s->threads % inner == 0 ? inner :
		inner % s->threads == 0 ? s->threads : 0;
	if (s->along == 0 && run == 1 && side && side % COLUMN == 0)
		side = COLUMN;
	set_side(s, side);
}

/* Lines are shared by fewer threads as long as all turns stay equal. */
void nvptx_share_in_lines(struct nvptx_share *s, int turns)
{
	int64_t inner = runs_in_line(s);

	while (s->along == 1 && s->run == 1 && s->n % turns == 0 &&
	    s->side && s->side % (2 * POLY_LANES) == 0 &&
	    s->n / turns % (2 * inner / s->side) == 0)
		set_side(s, s->side / 2);
}

/* 0 if the box cannot be cut into that many equal turns. */
int64_t nvptx_share_turn(const struct nvptx_share *s, int turns)
{
	int64_t groups;

	if (!s->side || s->run > 1 || s->n % turns)
		return 0;
	groups = runs_in_line(s) / s->side;
	return s->n / turns % groups || s->n / groups *
		(s->threads / s->side) != s->size[!s->along] ? 0 :
		s->n / turns;
}

/* Where the elements of the box are: the e-th run of a thread is in its registers
 * e * run and on. Where threads go on in the next line, in any of it, the elements
 * are counted.
 *
 * Two cases: threads in lines, or counted through.
 */
static struct poly_layout digits(const struct nvptx_share *s)
{
	int box[2] = { (int) s->size[0], (int) s->size[1] }, run = s->run;
	int flat = box[0] * box[1], threads = (int) s->threads;
	int side = (int) s->side, n = (int) s->n, groups;
	struct poly_layout l;

	if (!side) {
		l = poly_layout_begin(1, &flat);
		poly_layout_add_along(&l, POLY_PLACE_THREAD, threads, 1, 0, run);
		poly_layout_add_along(&l, POLY_PLACE_REG, n, run, 0,
			threads * run);
		poly_layout_add_along(&l, POLY_PLACE_REG, run, 1, 0, 1);
		return l;
	}
	groups = (int) runs_in_line(s) / side;
	l = poly_layout_begin(2, box);
	poly_layout_add_along(&l, POLY_PLACE_THREAD, threads / side, side,
		!s->along, 1);
	poly_layout_add_along(&l, POLY_PLACE_THREAD, side, 1, s->along, run);
	poly_layout_add_along(&l, POLY_PLACE_REG, n / groups, groups * run,
		!s->along, threads / side);
	poly_layout_add_along(&l, POLY_PLACE_REG, groups, run, s->along,
		side * run);
	poly_layout_add_along(&l, POLY_PLACE_REG, run, 1, s->along, 1);
	return l;
}

/* Where the last thread's run lies outside of the box, "lines" or "threads"
 * says what is inside.
 */
struct nvptx_run nvptx_share_run(const struct nvptx_share *s, int64_t e)
{
	struct poly_layout l = digits(s);
	int first[POLY_N_AT] = { [POLY_AT_REG] = (int) e * s->run };
	int last[POLY_N_AT] = { [POLY_AT_THREAD] = (int) s->threads - 1,
		[POLY_AT_REG] = first[POLY_AT_REG] };
	int x[POLY_LAYOUT_DIM], other[POLY_LAYOUT_DIM];
	struct nvptx_run r = { .width = s->side ? s->side : runs_in_line(s) };
	bool all = poly_layout_at(&l, last, other);

	poly_layout_at(&l, first, x);
	if (s->side) {
		r.add[s->along] = x[s->along] / s->run;
		r.add[!s->along] = x[!s->along];
		r.lines = all ? 0 : s->size[!s->along];
	} else {
		r.first = x[0] / s->run;
		r.threads = all ? 0 : runs_in_line(s) * s->size[!s->along] -
			r.first;
	}
	return r;
}

/* Exactly once: no element twice, and none left out. */
isl_bool nvptx_share_covers(const struct nvptx_share *s, int turns)
{
	struct poly_layout l = digits(s);
	int most = poly_layout_replication(&l);

	if (most < 0)
		return isl_bool_error;
	return isl_bool_ok(most == 1 && poly_layout_covers(&l) &&
		(turns == 1 || nvptx_share_turn(s, turns) * turns == s->n));
}

/* Several threads may share a row if their number is a multiple of that of the
 * rows.
 */
struct nvptx_run nvptx_share_rows(int64_t threads, int64_t rows, int64_t e)
{
	struct nvptx_run r = { .add = { e * threads, 0 } };

	r.width = threads % rows == 0 ? threads / rows : 1;
	if (r.width == 1 && r.add[0] + threads > rows)
		r.lines = rows;
	return r;
}

/* Note in "seen" the rows that turn "e" moves; false if one is noted already.
 *
 * Threads of one row count once.
 */
static bool note_rows(int64_t threads, int64_t rows, int64_t e, bool *seen)
{
	struct nvptx_run r = nvptx_share_rows(threads, rows, e);

	for (int64_t lane = 0; lane < threads; lane += r.width) {
		int64_t row = lane / r.width + r.add[0];

		if (r.lines && row >= r.lines)
			continue;
		if (row >= rows || seen[row])
			return false;
		seen[row] = true;
	}
	return true;
}

/* The rows are enumerated, as many as there are: boxes are small. */
isl_bool nvptx_share_covers_rows(int64_t threads, int64_t rows)
{
	bool *seen = calloc(rows, sizeof(*seen)), fits = true;

	if (!seen)
		return isl_bool_error;
	for (int64_t e = 0; fits && e * threads < rows; e++)
		fits = note_rows(threads, rows, e, seen);
	for (int64_t row = 0; row < rows; row++)
		fits = fits && seen[row];
	free(seen);
	return isl_bool_ok(fits);
}
