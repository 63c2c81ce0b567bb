/* Lanes of sums: threads of a block that each go over a part of what a cell has, and put
 * their parts together at the end.
 *
 * Along memory the lanes of a cell go through it side by side, in runs of 16 bytes where
 * rows begin at multiples of that: those of a warp, or, where cells are few, of a block.
 * Across memory neighbouring cells are columns of a block, whose rows are the lanes of
 * each. split.c says which sums are to have some; a script can say how many.
 */
#include <math.h>
#include <string.h>

#include <isl/space.h>

#include "polyir/ir/ir.h"
#include "polyir/sets/sets.h"
#include "polyir/layout/layout.h"
#include "polyir/cost/cost.h"
#include "polyir/sums/sums.h"
#include "polyir/sums/split.h"

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
/* Values of a lane that take longer than another kernel does. */
#define LONG_LANE 512
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
/* Parts of a sum, at most; of one of LONG_COLUMN values, as its blocks are few. */
#define MOST_PARTS 65536
#define SHARES 4
/* Parts that one thread adds up at once, at most. */
#define MOST_SHARES 256
/* Values of one sum along memory from which on parts of it have blocks, of each of them at
 * least and at most, and what divides them, so that runs begin with each part.
 */
#define LONG_SHARED 32768
#define SHARE 4096
#define MOST_SHARE 16384
#define SHARE_STEP 1024
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

/* --------------------------------------------------------------- decisions */

/* How well dimension "i" goes along the memory that the sum over "d" goes through: of
 * s(i) += exp(X(i,j) - m(i)) first of all X counts, since a thread that has s and m
 * once has them for all its values.
 */
static int stride_of(const struct split *s, int d, int i)
{
	enum { FIRST = 1024 };

	return FIRST * poly_turn_stride(s->p.prog, s->p.stmt, d, i) +
		poly_dim_stride(s->p.prog, s->p.stmt, i);
}

bool poly_sum_along_rows(const struct split *s, int d)
{
	int own = stride_of(s, d, d);

	for (int i = 0; i < s->n; i++)
		if (s->parallel[i] && s->count[i] > 1 &&
		    stride_of(s, d, i) >= own)
			return false;
	return true;
}

int poly_power_below(double x)
{
	int n = 1;

	while (2.0 * n <= x && n < MOST_PARTS)
		n *= 2;
	return n;
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

/* The values that a cell has of all loops that one kernel runs. */
static double n_values(const struct split *s)
{
	double n = 1;

	for (int i = 0; i < s->n; i++)
		if (s->p.sum[i] && !s->host[i])
			n *= s->count[i];
	return n;
}

/* Is there a sum over "d" for as many threads as "n", of which the kernel can have that
 * many, if it has lanes, too? Few threads are enough for few values of all loops.
 */
static bool are_enough(const struct split *s, int d, int n)
{
	double all = s->width * n;

	return (all >= MANY_LANES || n_values(s) <= QUICK_ROW) &&
		(all >= FULL_LANES || s->count[d] <= LONG_ROW);
}

/* How many lanes go side by side along a row of the sum over "d": those of a warp,
 * or, where rows are long or cells are few, of a block. Sums that share a kernel
 * share its lanes.
 */
static int lanes_along(const struct split *s, int d)
{
	double runs = s->count[d] / s->p.run;
	int lanes = poly_power_below(fmin(runs, POLY_LANES)), wide;

	if (lanes < POLY_LANES || !s->alike)
		return lanes;
	if (s->across >= POLY_LANES)
		return poly_power_below(fmin(runs, s->across));
	wide = poly_power_below(fmin(runs / (s->p.run > 1 ? RUNS : SINGLES), MOST_WIDE));
	if (wide >= LEAST_WIDE && poly_prog_is_fixed(s->p.prog))
		lanes = wide;
	wide = poly_power_below(fmin(runs / (s->p.run > 1 ? RUNS : FEW_SINGLES),
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
	int best = -1, score = stride_of(s, d, d);

	for (int i = 0; i < s->n; i++)
		if (s->parallel[i] && s->count[i] > 1 &&
		    stride_of(s, d, i) > score) {
			score = stride_of(s, d, i);
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
	    (blocks_of(s, column, columns) < BLOCKS ||
	    columns / 2 >= s->count[column]))
		columns /= 2;
	blocks = blocks_of(s, column, columns);
	lanes = poly_power_below(fmin(s->count[d] / RUNS, fmin(POLY_MOST_THREADS / columns,
		FULL_DOWN / s->width)));
	if (lanes < RUNS || (s->across && (!s->down || s->across != lanes)) ||
	    (blocks < LEAST_BLOCKS && n_values(s) > QUICK_COLUMN * lanes) ||
	    (s->width * lanes < FULL_DOWN / 4 && n_values(s) > s->count[d] &&
	    n_values(s) > LONG_LANE * lanes))
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

/* Can a sum have lanes in a kernel of its own? */
static bool can_have_lanes(const struct split *s)
{
	int axis[2];

	return !poly_stmt_axes(s->p.prog, s->p.stmt, s->parallel, axis) &&
		!has_parallel_sum(s) && !has_cells_in_turn(s) && !needs_cell(s);
}

/* The sum that goes along memory best; -1 if none can have lanes in a kernel of its
 * own.
 */
static int lanes_alone(const struct split *s)
{
	int d = -1;

	for (int i = 0; i < s->n; i++)
		if (s->p.sum[i] && !s->host[i] && (d < 0 ||
		    poly_dim_stride(s->p.prog, s->p.stmt, i) >=
		    poly_dim_stride(s->p.prog, s->p.stmt, d)))
			d = i;
	if (d < 0 || !can_have_lanes(s) || s->count[d] < SHORT)
		return -1;
	return d;
}

/* The sum that goes along memory best; -1 if none can have lanes. */
static int lanes_of(const struct split *s)
{
	return s->alone ? lanes_alone(s) : -1;
}

/* Cut the sum over "d" into "n" parts, or as few less as leave none empty, of "values" each,
 * or, if that is 0, as many as they need; false: one.
 */
static bool cut(struct split *s, int d, int n, int values)
{
	s->p.values[d] = values ? values : (int) ceil(s->count[d] / n);
	s->p.part[d] = (int) ceil(s->count[d] / s->p.values[d]);
	s->p.at_once = s->p.part[d] > 1;
	return s->p.at_once;
}

/* The longest loop of the sum that the kernel runs but "d"; -1: none. */
static int loop_beside(const struct split *s, int d)
{
	int best = -1;

	for (int i = 0; i < s->n; i++)
		if (s->p.sum[i] && !s->host[i] && i != d && s->count[i] > 1 &&
		    (best < 0 || s->count[i] > s->count[best]))
			best = i;
	return best;
}

/* The loops that the kernel has threads for. */
static int n_parallel(const struct split *s)
{
	int n = 0;

	for (int i = 0; i < s->n; i++)
		n += s->parallel[i];
	return n;
}

/* Are cells so few, and sums over "d" and the loop "other", or what each lane has of them, so
 * long, that these need parts of the other one, each of which has lanes along "d" then?
 * Decide how many: so many that these lanes are enough, and so few that one thread adds
 * them up.
 */
static bool share_rows(struct split *s, int d, int other)
{
	int n;
	double lanes, wanted, values = s->count[d] * s->count[other];

	s->p.run = 1;
	lanes = lanes_along(s, d);
	if (values < LONG_ROW && (n_parallel(s) > 1 || values < LONG_LANE * lanes))
		return false;
	wanted = FULL_LANES / (lanes * s->width);
	if (lanes < POLY_LANES || wanted < 2)
		return false;
	n = poly_power_below(fmin(wanted, s->count[other]));
	return n <= MOST_SHARES && are_enough(s, d, n * (int) lanes) &&
		cut(s, other, n, 0);
}

/* Are cells so few, and the only long sum of each, over "d", so long, that parts of it
 * should have a block each? These lie one behind another, so that a part is read like a
 * whole sum, in runs, and are so few that one thread adds them up. In a text that has an
 * order other loops may go on around the sum; where there are short loops beside it, which
 * each part goes through, the lanes of all parts must be enough for these, too.
 */
static bool share_row(struct split *s, int d)
{
	double lanes, wanted = 1, beside = n_values(s) / s->count[d];
	int n, values;

	if (s->count[d] < LONG_SHARED || s->p.prog->original ||
	    !poly_prog_is_fixed(s->p.prog))
		return false;
	s->p.run = 1;
	lanes = lanes_along(s, d);
	wanted = fmin(FULL_LANES / (lanes * s->width), s->count[d] / SHARE);
	if (lanes < POLY_LANES || wanted < 2)
		return false;
	n = poly_power_below(fmin(wanted, MOST_SHARES));
	values = (int)ceil(s->count[d] / n / SHARE_STEP) * SHARE_STEP;
	if (beside > 1 && values * beside > QUICK_ROW &&
	    n * lanes * s->width < MANY_LANES)
		return false;
	return values <= MOST_SHARE && cut(s, d, (int)ceil(s->count[d] / values),
		values);
}

bool poly_choose_shares(struct split *s)
{
	int d = lanes_alone(s), column;
	double blocks;
	int other;

	if (d >= 0 && poly_sum_along_rows(s, d)) {
		other = poly_split_longest(s, d);
		if (other >= 0)
			return share_rows(s, d, other);
		other = loop_beside(s, d);
		return share_row(s, d) || (other >= 0 && share_rows(s, d, other));
	}
	if (d < 0 || !s->alone || s->count[d] < LONG_COLUMN)
		return false;
	column = down_column(s, d);
	if (column < 0)
		return false;
	blocks = blocks_of(s, column, COLUMNS);
	if (blocks >= BLOCKS || s->count[column] < COLUMNS)
		return false;
	s->p.run = 1;
	return cut(s, d, poly_power_below(fmin(2 * FULL_DOWN / POLY_MOST_THREADS / blocks,
		s->count[d] / LONG_COLUMN * SHARES)), 0);
}

/* Lanes as many as "n" for the sum over "d": false if it cannot have them. */
static bool take_lanes(struct split *s, int d, int n)
{
	bool rows = poly_sum_along_rows(s, d);
	int column = rows ? -1 : down_column(s, d);

	if (!s->alone || !s->p.sum[d] || s->host[d] || !can_have_lanes(s) ||
	    (s->across && (s->across != n || s->down != (column >= 0))))
		return false;
	s->p.lanes = true;
	s->p.part[d] = n;
	s->p.run = rows ? poly_run_of(s->p.prog, s->p.stmt, d) : 1;
	if (column < 0 || has_holes(s, column))
		return rows || !s->down;
	poly_split_assume_cells(s);
	s->p.columns = COLUMNS;
	while (s->p.columns * n > POLY_MOST_THREADS)
		s->p.columns /= 2;
	return true;
}

bool poly_give_lanes(struct poly_prog *prog, struct poly_stmt *stmt, int d,
	int lanes)
{
	struct split s = { .p = { .prog = prog, .stmt = stmt } };

	return poly_can_split(prog, stmt) && poly_split_read(&s) &&
		take_lanes(&s, d, lanes) && poly_add_partial(&s.p);
}

bool poly_choose_lanes(struct split *s)
{
	int d = lanes_of(s);

	if (d < 0)
		return false;
	s->p.lanes = true;
	if (poly_sum_along_rows(s, d) ? choose_along(s, d) : choose_down(s, d))
		return true;
	memset(s->p.part, 0, sizeof(s->p.part));
	s->p.lanes = false;
	return false;
}

bool poly_take_lanes(struct split *s, int d)
{
	int n = (int)s->count[d];

	if (!s->alone || !s->p.sum[d] || s->host[d] || has_parallel_sum(s) ||
	    has_cells_in_turn(s) || needs_cell(s) ||
	    (s->across && (s->down || s->across != n)))
		return false;
	s->p.lanes = true;
	s->p.run = 1;
	s->p.part[d] = n;
	return true;
}
