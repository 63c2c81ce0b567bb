/* Reductions in parallel: which sums to divide into parts, and how many.
 *
 * A thread that goes over a whole reduction alone is right where there are
 * many cells. Where there are few, most of the machine idles; and a thread a
 * row reads memory badly. Such a reduction becomes sums of parts (partial.c),
 * in several steps if there are many parts:
 *
 *	s += a[i]		p[l] += a[4096 q + l]	4096 threads
 *				p2[m] += p[64 q + m]	64 threads
 *				s += p2[m]		one thread
 *
 * Where threads of one kernel can fill the device, a part is a lane instead, and
 * the lanes of a cell put their sums together at the end (partial.c). Along
 * memory the lanes of a cell go through it side by side, in runs of 16 bytes
 * where rows begin at multiples of that: those of a warp, or, where cells are
 * few, of a block. Across memory neighbouring cells are columns of a block,
 * whose rows are the lanes of each.
 *
 * The schedule of the undivided program says how many cells are under way at
 * one time and which loops the host runs: dividing those gains nothing. All of
 * it depends on the sizes and the program alone, so that results are the same
 * wherever they are computed. Only what may be done in any order is divided.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <isl/space.h>

#include "polyir/ir/ir.h"
#include "polyir/sets/sets.h"
#include "polyir/deps/deps.h"
#include "polyir/layout/layout.h"
#include "polyir/cost/cost.h"
#include "polyir/tune/tune.h"
#include "polyir/schedule/schedule.h"
#include "polyir/sums/sums.h"
#include "polyir/sums/split.h"

/* Threads that fill a device; where each reads a word here and a word there,
 * which is little, it takes twice as many.
 */
#define FULL 65536
#define FULL_COLUMNS (2 * FULL)
/* Cells under way beyond which a reduction stays whole: where one cell's
 * values lie side by side, and where those of neighbouring cells do.
 */
#define MANY_ROWS 131072
#define MANY_COLUMNS 32768
/* Values of each part, at least: of columns more, as their parts are added in
 * another kernel.
 */
#define VALUES 4
#define VALUES_COLUMNS 16
/* Parts that one thread adds up. */
#define FEW 64
/* Threads of a kernel with lanes that fill the device, each with many loads
 * under way, or twice as many where these are of single elements; those that do
 * for a sum of more than QUICK_ROW or LONG_ROW values, which are less than
 * another kernel costs; values that are worth lanes.
 */
#define FULL_LANES 131072
#define FULL_DOWN (2 * FULL_LANES)
#define MANY_LANES 16384
#define SHORT 32
#define QUICK_ROW 4096
#define LONG_ROW 65536
/* Lanes of a block that has a row for itself, as it goes through a long one in
 * larger pieces than a warp does; loads of each of them that are worth as many:
 * of runs, of single elements, and of these where cells are few. Where sizes are
 * not known, rows may be short.
 */
#define LEAST_WIDE 128
#define MOST_WIDE 512
#define RUNS 4
#define SINGLES 16
#define FEW_SINGLES 8
/* Columns of a block: at most and at least; blocks that keep all multiprocessors
 * busy, and the fewest that do; values of a thread that other blocks need not
 * share.
 */
#define COLUMNS 32
#define LEAST_COLUMNS 8
#define BLOCKS 120
#define LEAST_BLOCKS 64
#define QUICK_COLUMN 64
/* Values of a column from which on another kernel costs less than blocks of few
 * columns, which read memory badly.
 */
#define LONG_COLUMN 8192
/* Bytes of parts. */
#define MOST_BYTES 268435456.0

/* --------------------------------------------------------------- decisions */

/* Does the sum over "d" go along memory, and no parallel loop as well? */
static bool goes_along_rows(const struct split *s, int d)
{
	int own = poly_dim_stride(s->p.prog, s->p.stmt, d);

	for (int i = 0; i < s->n; i++)
		if (s->parallel[i] && s->count[i] > 1 &&
		    poly_dim_stride(s->p.prog, s->p.stmt, i) >= own)
			return false;
	return true;
}

/* The largest power of two up to "x". */
static int power(double x)
{
	int n = 1;

	while (2.0 * n <= x && n < FULL)
		n *= 2;
	return n;
}

static double least(double a, double b)
{
	return a < b ? a : b;
}

/* Would parts of "s" begin with what the cell holds (partial.c)? Then they need
 * it in all lanes.
 */
static bool needs_cell(const struct split *s)
{
	enum poly_op op = s->p.stmt->reduce;

	return s->p.prog->original && op != POLY_OP_ADD &&
		op != POLY_OP_MUL && op != POLY_OP_XOR;
}

/* Is there a sum for as many threads as "n", of which the kernel can have that
 * many, if it has lanes, too?
 */
static bool are_enough(const struct split *s, int d, int n)
{
	double all = s->width * n;

	return (all >= MANY_LANES || s->count[d] <= QUICK_ROW) &&
		(all >= FULL_LANES || s->count[d] <= LONG_ROW);
}

/* How many lanes go side by side along a row of the sum over "d": those of a warp,
 * or, where rows are long or cells are few, of a block. Sums that share a kernel
 * share its lanes.
 */
static int lanes_along(const struct split *s, int d)
{
	double runs = s->count[d] / s->p.run;
	int lanes = power(least(runs, POLY_LANES)), wide;

	if (lanes < POLY_LANES || !s->alike)
		return lanes;
	if (s->across >= POLY_LANES)
		return power(least(runs, s->across));
	wide = power(least(runs / (s->p.run > 1 ? RUNS : SINGLES), MOST_WIDE));
	if (wide >= LEAST_WIDE && poly_prog_is_fixed(s->p.prog))
		lanes = wide;
	wide = power(least(runs / (s->p.run > 1 ? RUNS : FEW_SINGLES),
		POLY_MOST_THREADS));
	while (2 * lanes <= wide && 2 * lanes * s->width <= FULL_LANES)
		lanes *= 2;
	return lanes;
}

/* Lanes along memory for the sum over "d"; false: too few. */
static bool choose_along(struct split *s, int d)
{
	int lanes;

	s->p.run = poly_run_of(s->p.prog, s->p.stmt, d);
	lanes = lanes_along(s, d);
	if (s->across && (s->down || (lanes > POLY_LANES && lanes != s->across)))
		return false;
	s->p.part[d] = lanes;
	return lanes > 1 && are_enough(s, d, lanes);
}

/* The parallel dimension that goes along memory best, if it does so better than
 * the sum over "d"; -1 if there is none.
 */
static int columns_of(const struct split *s, int d)
{
	int best = -1, score = poly_dim_stride(s->p.prog, s->p.stmt, d);

	for (int i = 0; i < s->n; i++)
		if (s->parallel[i] && s->count[i] > 1 &&
		    poly_dim_stride(s->p.prog, s->p.stmt, i) > score) {
			score = poly_dim_stride(s->p.prog, s->p.stmt, i);
			best = i;
		}
	return best;
}

/* Do cells lie on both sides of a place along "column" that has none? The lanes of
 * a block wait for one another, those of all its columns.
 */
static bool has_holes(const struct split *s, int column)
{
	isl_set *cells = isl_set_copy(s->p.stmt->domain), *before;
	isl_map *less;
	bool none;

	for (int d = s->n - 1; d >= 0; d--) {
		if (s->parallel[d])
			continue;
		cells = isl_set_project_out(cells, isl_dim_set, d, 1);
		column -= d < column;
	}
	less = isl_map_universe(isl_space_map_from_set(
		isl_set_get_space(cells)));
	for (int d = isl_set_dim(cells, isl_dim_set) - 1; d >= 0; d--)
		less = d == column ?
			isl_map_order_lt(less, isl_dim_in, d, isl_dim_out, d) :
			isl_map_equate(less, isl_dim_in, d, isl_dim_out, d);
	before = isl_set_apply(isl_set_copy(cells), isl_map_copy(less));
	before = isl_set_intersect(before, isl_set_apply(isl_set_copy(cells),
		isl_map_reverse(less)));
	none = isl_set_is_subset(before, cells) == isl_bool_true;
	isl_set_free(before);
	isl_set_free(cells);
	return !none;
}

/* Blocks that are "columns" of the dimension "column" wide. */
static double blocks_of(const struct split *s, int column, int columns)
{
	return s->width / s->count[column] *
		ceil(s->count[column] / columns);
}

/* The dimension that goes along columns, down which lanes of the sum over "d" may
 * go; -1: none.
 */
static int down_column(const struct split *s, int d)
{
	return s->alike && s->all_cells ? columns_of(s, d) : -1;
}

/* Lanes across memory for the sum over "d"; false: none. */
static bool choose_down(struct split *s, int d)
{
	int column = down_column(s, d), columns = COLUMNS, lanes;
	double blocks;

	if (column < 0 || has_holes(s, column))
		return false;
	while (columns > LEAST_COLUMNS &&
	    blocks_of(s, column, columns) < BLOCKS)
		columns /= 2;
	blocks = blocks_of(s, column, columns);
	lanes = power(least(s->count[d] / RUNS, least(POLY_MOST_THREADS / columns,
		FULL_DOWN / s->width)));
	if (lanes < RUNS || (s->across && (!s->down || s->across != lanes)) ||
	    (blocks < LEAST_BLOCKS && s->count[d] > QUICK_COLUMN * lanes))
		return false;
	poly_split_assume_cells(s);
	s->p.run = 1;
	s->p.columns = columns;
	s->p.part[d] = lanes;
	return true;
}

/* Does a loop over cells of "s" lie below its band? Each lane would have several of
 * them in turn, and lanes put together one.
 */
static bool has_cells_in_turn(const struct split *s)
{
	for (int d = 0; d < s->n; d++)
		if (s->p.own[d] && !s->parallel[d] && !s->host[d] &&
		    s->count[d] > 1)
			return true;
	return false;
}

/* Is a loop of the sum among those that the kernel has threads for? One of a single
 * value is parallel, too, but goes where lanes take the place of the loops.
 */
static bool has_parallel_sum(const struct split *s)
{
	for (int d = 0; d < s->n; d++)
		if (s->p.sum[d] && s->parallel[d])
			return true;
	return false;
}

/* The sum that goes along memory best; -1 if none can have lanes in a kernel of its
 * own.
 */
static int lanes_alone(const struct split *s)
{
	int d = -1, axis[2];

	for (int i = 0; i < s->n; i++)
		if (s->p.sum[i] && !s->host[i] && (d < 0 ||
		    poly_dim_stride(s->p.prog, s->p.stmt, i) >=
		    poly_dim_stride(s->p.prog, s->p.stmt, d)))
			d = i;
	if (d < 0 || poly_stmt_axes(s->p.prog, s->p.stmt, s->parallel, axis) ||
	    has_parallel_sum(s) || has_cells_in_turn(s) || needs_cell(s) || s->count[d] < SHORT)
		return -1;
	return d;
}

/* The sum that goes along memory best; -1 if none can have lanes. */
static int lanes_of(const struct split *s)
{
	return s->alone ? lanes_alone(s) : -1;
}

/* Cut the sum over "d" into "n" parts, or as few less as leave none empty; false: one. */
static bool cut(struct split *s, int d, int n)
{
	s->p.values[d] = (int) ceil(s->count[d] / n);
	s->p.part[d] = (int) ceil(s->count[d] / s->p.values[d]);
	s->p.at_once = s->p.part[d] > 1;
	return s->p.at_once;
}

/* Are cells so few, and sums over "d" and another loop so long, that these need parts of
 * the other one, each of which has lanes along "d" then? Decide how many.
 */
static bool share_rows(struct split *s, int d)
{
	int other = poly_split_longest(s, d);
	double lanes, wanted;

	if (other < 0 || s->count[d] * s->count[other] < LONG_ROW)
		return false;
	s->p.run = 1;
	lanes = lanes_along(s, d);
	wanted = FULL_LANES / (lanes * s->width);
	if (lanes < POLY_LANES || wanted < 2)
		return false;
	return cut(s, other, power(least(wanted, s->count[other])));
}

/* Are columns long and so few that blocks of enough of them side by side need
 * parts, each of which has lanes then? Decide how many.
 */
static bool choose_shares(struct split *s)
{
	int d = lanes_alone(s), column;
	double blocks;

	if (d >= 0 && goes_along_rows(s, d))
		return share_rows(s, d);
	if (d < 0 || !s->alone || s->count[d] < LONG_COLUMN)
		return false;
	column = down_column(s, d);
	if (column < 0)
		return false;
	blocks = blocks_of(s, column, COLUMNS);
	if (blocks >= BLOCKS || s->count[column] < COLUMNS)
		return false;
	s->p.run = 1;
	return cut(s, d, power(least(2 * FULL_DOWN / POLY_MOST_THREADS / blocks,
		s->count[d] / LONG_COLUMN * VALUES)));
}

/* Decide on lanes; false: none. */
static bool choose_lanes(struct split *s)
{
	int d = lanes_of(s);

	if (d < 0)
		return false;
	s->p.lanes = true;
	if (goes_along_rows(s, d) ? choose_along(s, d) : choose_down(s, d))
		return true;
	memset(s->p.part, 0, sizeof(s->p.part));
	s->p.lanes = false;
	return false;
}

/* Decide on the numbers of parts; false: none. */
static bool choose_parts(struct split *s)
{
	int d = poly_split_longest(s, -1), other;
	double wanted = s->width > 1 ? 1 / s->width : 1, values;
	double bytes = poly_type_size(s->p.stmt->write_array->type);

	s->p.run = 1;
	if (d < 0)
		return false;
	s->p.rows = goes_along_rows(s, d);
	if (s->width > (s->p.rows ? MANY_ROWS : MANY_COLUMNS))
		return false;
	wanted *= s->p.rows ? FULL : FULL_COLUMNS;
	values = s->p.rows ? VALUES : VALUES_COLUMNS;
	s->p.part[d] = power(least(wanted, s->count[d] / values));
	if (s->p.rows && s->p.part[d] < POLY_LANES)
		s->p.part[d] = POLY_LANES;
	other = poly_split_longest(s, d);
	if (other >= 0 && wanted / s->p.part[d] >= VALUES)
		s->p.part[other] = power(least(wanted / s->p.part[d],
			s->count[other] / VALUES));
	for (int i = 0; i < s->n; i++)
		bytes *= s->p.part[i] ? s->p.part[i] : s->p.own[i] ?
			s->count[i] : 1;
	return s->p.part[d] >= VALUES && bytes <= MOST_BYTES;
}

/* ---------------------------------------------------------------- products */

/* Is the reduction one for tiles? Then, unless "divided" is NULL, decide whether
 * its longest sum is divided: the model (model.c) counts what blocks that idle
 * now would gain.
 */
static bool is_product(struct split *s, bool *divided)
{
	int axis[2], k, hidden, parts, values = 0;
	struct poly_work w;

	if (divided)
		*divided = false;
	if (!poly_split_product(s, axis, &k, &w))
		return false;
	if (k < 0)
		return true;
	hidden = poly_parts_dim(s->p.prog, s->p.stmt);
	if (!poly_work_is_known(&w) && hidden < 0)
		return false;
	if (!divided)
		return true;
	if (hidden >= 0) {
		s->p.part[hidden] = 1;
		*divided = s->p.open = true;
		return true;
	}
	w.steps = s->count[k];
	parts = poly_config_parts(s->p.prog, s->p.stmt->write_array->name);
	s->p.part[k] = parts;
	if (parts)
		s->p.part[k] = poly_given_parts(&w, s->p.part[k], &values);
	else
		s->p.part[k] = s->whole ? 1 : poly_best_parts(&w, &values);
	poly_explain_parts(s->p.prog, s->p.stmt->name, &w, s->p.part[k],
		values);
	poly_search_note_parts(s->p.prog, s->p.stmt->write_array->name, &w,
		s->p.part[k]);
	*divided = s->p.part[k] > 1;
	s->p.values[k] = values;
	s->p.at_once = s->p.whole = true;
	return true;
}

/* ---------------------------------------------------------------- division */

/* The parts of "sum", whose last dimensions they are, as a reduction of its
 * own: "s" becomes that.
 */
static bool next_step(struct split *s, struct poly_stmt *sum)
{
	struct split old = *s;
	int d = 0, parts = 1, wanted = 1, best = -1;

	memset(s, 0, sizeof(*s));
	s->p.prog = old.p.prog;
	s->p.run = 1;
	s->p.stmt = sum;
	s->p.rows = old.p.rows;
	for (int i = 0; i < old.n; i++) {
		if (!old.p.sum[i]) {
			s->p.own[d++] = old.p.own[i];
		} else if (old.p.part[i]) {
			s->p.sum[d] = true;
			s->count[d] = old.p.part[i];
			parts *= old.p.part[i];
			if (best < 0 || s->count[d] > s->count[best])
				best = d;
			d++;
		}
	}
	s->n = d;
	while (wanted * wanted < parts)
		wanted *= 2;
	if (parts <= FEW || wanted >= s->count[best])
		return false;
	s->p.part[best] = wanted;
	return true;
}

/* Decide on lanes, or else on parts; false: neither. "*more" if the sums of the
 * parts may be divided, too.
 */
static bool choose(struct split *s, bool lanes, bool *more)
{
	bool divided, product = is_product(s, lanes ? NULL : &divided);
	bool can;

	*more = false;
	if (!product && !lanes && choose_shares(s))
		return true;
	can = !product && choose_lanes(s);
	*more = !product && !lanes;
	if (lanes || can)
		return lanes && can;
	if (product)
		return divided;
	return choose_parts(s);
}

/* Does the product "stmt" stay whole, as it is, or all are, in "chains" (chained.c)
 * one kernel with another?
 */
static bool stays_whole(const struct poly_stmt *stmt,
	const struct poly_prog *prog, struct poly_prog *chains)
{
	return prog->trial.whole || poly_is_chained(chains, stmt->name);
}

/* Divide "stmt" if that gains something, into lanes or into parts; "*n" counts.
 */
static isl_stat divide(struct poly_prog *prog, struct poly_stmt *stmt,
	struct poly_prog *chains, bool lanes, int *n)
{
	struct split s = { .p = { .prog = prog, .stmt = stmt },
		.whole = stays_whole(stmt, prog, chains) };
	struct poly_stmt *sum;
	bool more;

	if (!poly_split_read(&s) || !choose(&s, lanes, &more))
		return isl_stat_ok;
	if (s.p.at_once || s.p.open)
		prog->have |= POLY_HAVE_PARTS;
	do {
		sum = poly_add_partial(&s.p);
		if (!sum)
			return isl_stat_error;
		++*n;
	} while (more && next_step(&s, sum));
	return isl_stat_ok;
}

/* Divide the "n" statements "list"; "*done" counts. */
static isl_stat divide_all(struct poly_prog *prog, struct poly_stmt **list,
	int n, struct poly_prog *chains, bool lanes, int *done)
{
	isl_stat ok = isl_stat_ok;

	*done = 0;
	for (int i = 0; i < n && ok == isl_stat_ok; i++)
		ok = divide(prog, list[i], chains, lanes, done);
	return ok;
}

/* The statements that could be divided; NULL without memory. */
static struct poly_stmt **candidates(struct poly_prog *prog, int *n)
{
	struct poly_stmt **list = calloc(prog->n_stmt + 1, sizeof(*list));

	*n = 0;
	for (int i = 0; list && i < prog->n_stmt; i++)
		if (poly_can_split(prog, prog->stmt[i]))
			list[(*n)++] = prog->stmt[i];
	return list;
}

static isl_stat schedule_again(struct poly_prog *prog)
{
	return poly_deps(prog) < 0 ? isl_stat_error : poly_schedule(prog);
}

/* Cut the rests of products that do not stay whole. */
static isl_stat cut_rests(struct poly_prog *prog, struct poly_prog *chains)
{
	int most, n;
	struct poly_stmt **list = candidates(prog, &most);
	isl_stat ok = list ? isl_stat_ok : isl_stat_error;

	for (int i = 0; i < most && ok == isl_stat_ok; i++) {
		n = 0;
		if (stays_whole(list[i], prog, chains))
			continue;
		ok = poly_cut_rest(prog, list[i], &n);
		if (ok == isl_stat_ok && n)
			ok = schedule_again(prog);
	}
	free(list);
	return ok;
}

/* Divide sums into parts and lanes, but for those that "chains" has whole. */
static isl_stat divide_sums(struct poly_prog *prog, struct poly_prog *chains)
{
	int most, n = 0;
	struct poly_stmt **list = candidates(prog, &most);
	isl_stat ok = list ? divide_all(prog, list, most, chains, false, &n) :
		isl_stat_error;

	if (ok == isl_stat_ok && n && schedule_again(prog) < 0) {
		free(list);
		return isl_stat_error;
	}
	if (ok == isl_stat_ok)
		ok = divide_all(prog, list, most, chains, true, &n);
	free(list);
	if (ok < 0)
		return poly_isl_error(prog, "split");
	return n ? poly_deps_again(prog) : isl_stat_ok;
}

/* Divide what reductions leave most of the machine idle: first the rests of
 * products (rest.c) and sums into parts, which have a schedule of their own,
 * then, in that, into lanes. Products that become one kernel with another stay
 * whole (chained.c).
 *
 * requires schedule, before ranges; establishes parts, and another schedule
 */
isl_stat poly_split(struct poly_prog *prog)
{
	struct poly_prog *chains = poly_try_chains(prog);
	isl_stat ok = cut_rests(prog, chains);

	if (ok == isl_stat_ok)
		ok = divide_sums(prog, chains);
	poly_prog_free(chains);
	return ok;
}
