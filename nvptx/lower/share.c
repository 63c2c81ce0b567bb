/* nvptx: how the threads of a block share the box of a copy.
 *
 * One record says which runs of elements each thread copies. The emitter
 * (lower_copy.c) computes addresses from it, and nvptx_share_covers enumerates
 * it: a copy is emitted only if its threads move each element of the box
 * exactly once, which is what the legality checks take a copy to do.
 */
#include <stdlib.h>

#include "nvptx/lower/lower.h"

/* Threads that go along a row of the array where that is a column of the buffer:
 * with half a warp, two elements of a bank are written at once, not four, and two
 * rows are read (measured on an H200: 8 and 32 are slower).
 */
#define COLUMN 16
#define WARP 32

/* Runs in a line of the box along "along". */
static int64_t runs_in_line(const struct nvptx_share *s)
{
	return s->size[s->along] / s->run;
}

/* Let "side" threads, or any number of them if that is 0, share a line. */
static void set_side(struct nvptx_share *s, int64_t side)
{
	int64_t inner = runs_in_line(s), across = s->size[!s->along];
	int64_t lines = side ? s->threads / side : 1;

	s->side = side;
	s->n = side ? inner / side * ((across + lines - 1) / lines) :
		(inner * across + s->threads - 1) / s->threads;
}

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

void nvptx_share_in_lines(struct nvptx_share *s, int turns)
{
	int64_t inner = runs_in_line(s);

	while (s->along == 1 && s->run == 1 && s->n % turns == 0 &&
	    s->side && s->side % (2 * WARP) == 0 &&
	    s->n / turns % (2 * inner / s->side) == 0)
		set_side(s, s->side / 2);
}

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

struct nvptx_run nvptx_share_run(const struct nvptx_share *s, int64_t e)
{
	int64_t inner = runs_in_line(s), across = s->size[!s->along];
	struct nvptx_run r = { .width = s->side ? s->side : inner };

	if (s->side) {
		int64_t groups = inner / s->side, lines = s->threads / s->side;

		r.add[s->along] = e % groups * s->side;
		r.add[!s->along] = e / groups * lines;
		if (r.add[!s->along] + lines > across)
			r.lines = across;
	} else {
		r.first = e * s->threads;
		if (r.first + s->threads > inner * across)
			r.threads = inner * across - r.first;
	}
	return r;
}

/* The element of the box with which the run "e" of thread "lane" begins, by what
 * nvptx_share_run says of it, "later" lines on; false if there is no such run.
 */
static bool run_at(const struct nvptx_share *s, int64_t e, int64_t lane,
	int64_t later, int64_t at[2])
{
	struct nvptx_run r = nvptx_share_run(s, e);
	int64_t index = lane + r.first;

	at[s->along] = (index % r.width + r.add[s->along]) * s->run;
	at[!s->along] = index / r.width + r.add[!s->along];
	if ((r.lines && at[!s->along] >= r.lines) ||
	    (r.threads && lane >= r.threads))
		return false;
	at[!s->along] += later;
	return true;
}

/* Note in "seen" the elements of a run that begins at "at"; false if one is
 * outside of the box or noted already.
 */
static bool note_run(const struct nvptx_share *s, const int64_t at[2],
	bool *seen)
{
	for (int i = 0; i < s->run; i++) {
		int64_t x[2] = { at[0], at[1] };
		bool *here;

		x[s->along] += i;
		if (x[0] >= s->size[0] || x[1] >= s->size[1])
			return false;
		here = &seen[x[0] * s->size[1] + x[1]];
		if (*here)
			return false;
		*here = true;
	}
	return true;
}

isl_bool nvptx_share_covers(const struct nvptx_share *s, int turns)
{
	int64_t n = s->size[0] * s->size[1], at[2], moved = 0;
	bool *seen = calloc(n, sizeof(*seen)), fits = true;

	if (!seen)
		return isl_bool_error;
	for (int turn = 0; turn < turns; turn++)
		for (int64_t e = 0; fits && e < s->n / turns; e++)
			for (int64_t lane = 0; fits && lane < s->threads; lane++)
				if (run_at(s, e, lane, turn *
				    (s->size[!s->along] / turns), at)) {
					fits = note_run(s, at, seen);
					moved += s->run;
				}
	free(seen);
	return isl_bool_ok(fits && moved == n);
}

struct nvptx_run nvptx_share_rows(int64_t threads, int64_t rows, int64_t e)
{
	struct nvptx_run r = { .add = { e * threads, 0 } };

	r.width = threads % rows == 0 ? threads / rows : 1;
	if (r.width == 1 && r.add[0] + threads > rows)
		r.lines = rows;
	return r;
}

/* Note in "seen" the rows that turn "e" moves; false if one is noted already. */
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
