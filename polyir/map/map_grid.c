/* All parallel loops of a kernel that has no tiles are digits of its grid.
 *
 * map_points.c gives blocks and threads to two of the parallel loops and leaves the others
 * below them, for tiles. What has no tiles in the end, such as the largest values of
 * windows or a body with loops of its own, has the others in the grid as well, and
 * rows of its blocks along the loop whose values share most:
 *
 *	before: filter [b0, b1, t0, t1]		after: filter [b0, b1, t0, t1, b2]
 *		  band [b, j] 1 1			 band [i, j, b] 1 1 1
 *		    band [i, q] 1 0			   band [q] 0
 *
 * Where two loops are too short for the threads of a block, and sizes are fixed, several
 * are one, if all of their values meet: 7 i + j of images of 7 x 7. So are those whose short
 * rows lie side by side in memory (grid_beside.c).
 */
#include <math.h>
#include <stdlib.h>

#include <isl/space.h>
#include <isl/val.h>

#include "polyir/ir/ir.h"
#include "polyir/sets/sets.h"
#include "polyir/layout/layout.h"
#include "polyir/schedule/schedule.h"
#include "polyir/map/map.h"

/* 256 threads: a block of eight warps, of which several fit a multiprocessor.
 */
enum { THREADS = 256, MOST_LOOPS = 16 };	/* threads of a block */
/* The least part of the threads that have points, and the longest loop made of several. */
#define USED 0.7
#define LONGEST 1073741824.0

/* A loop: the dimension of the statements that it counts, the innermost if they differ;
 * "digit": it becomes a digit of the grid.
 *
 * p0 and p1 are the first two, the outermost of the others next.
 */
struct loop {
	isl_union_pw_aff *at;		/* NULL: part of another one */
	double count;
	int dim;
	bool parallel, digit;
};

/* One of the loops that are one: it has "count" iterations, each of "every" of that.
 *
 * p1 / every mod count is its value.
 */
struct part {
	isl_union_pw_aff *at;
	long every, count;
};

/* The loops of a kernel: p0, p1, and those of the band right below; "part": what p1
 * was made of, the innermost first.
 */
struct loops {
	struct poly_prog *prog;
	struct poly_kernel *kernel;
	isl_union_set *domain;
	struct loop loop[2 + MOST_LOOPS];
	struct part part[2 + MOST_LOOPS];
	int n, n_part;
	bool permutable;
	bool cells;		/* a thread has several values of p1 (several.c) */
};

/* The innermost dimension of a statement that "member" counts, or -1.
 *
 * It stands for how close the loop is to memory's rows.
 */
static int innermost_dim(const struct loops *p,
	__isl_keep isl_union_pw_aff *member)
{
	int n, dim = -1;
	struct poly_stmt **list = poly_stmts_of(p->prog, p->domain, &n);

	for (int i = 0; list && i < n; i++) {
		int own = poly_counted_dim(member, list[i]);

		dim = own > dim ? own : dim;
	}
	free(list);
	return dim;
}

/* Can "member" of the loop nest be a digit of the grid, or p0? These count from 0, and
 * a loop of a script may have negative values.
 *
 * A digit b counts from 0 up to its extent; a value below 0 would never run.
 */
static bool counts_up(const struct loops *p, __isl_keep isl_union_pw_aff *member)
{
	isl_union_map *map = isl_union_map_from_union_pw_aff(
		isl_union_pw_aff_copy(member));
	isl_union_set *domain = isl_union_set_intersect_params(
		isl_union_set_copy(p->domain), poly_known_sizes(p->prog));
	isl_set *values = isl_set_from_union_set(isl_union_set_apply(domain,
		map));
	bool up;

	values = isl_set_upper_bound_si(values, isl_dim_set, 0, -1);
	up = isl_set_is_empty(values) == isl_bool_true;
	isl_set_free(values);
	return up;
}

/* Append the loops of "band": what each counts, how long it is, and whether it
 * may become a digit of the grid. Bands whose loops are written out stay loops.
 *
 * At most MOST_LOOPS members, as is_band has seen to.
 */
static void add_members(struct loops *p, __isl_keep isl_schedule_node *band)
{
	bool loops = !poly_is_written_out(band);
	isl_multi_union_pw_aff *partial =
		isl_schedule_node_band_get_partial_schedule(band);
	int n = isl_multi_union_pw_aff_size(partial);

	for (int i = 0; i < n; i++) {
		struct loop *loop = &p->loop[p->n++];

		loop->at = isl_multi_union_pw_aff_get_at(partial, i);
		loop->dim = innermost_dim(p, loop->at);
		loop->parallel = loops && counts_up(p, loop->at) &&
			isl_schedule_node_band_member_get_coincident(band, i) ==
			isl_bool_true;
		loop->count = poly_value_count(p->prog, p->domain,
			isl_union_pw_aff_copy(loop->at));
	}
	isl_multi_union_pw_aff_free(partial);
}

static void free_loops(struct loops *p)
{
	for (int i = 0; i < p->n; i++)
		isl_union_pw_aff_free(p->loop[i].at);
	for (int i = 0; i < p->n_part; i++)
		isl_union_pw_aff_free(p->part[i].at);
	isl_union_set_free(p->domain);
}

/* Let parallel loops become digits of the grid, the longest ones where they are too
 * many. Returns how many.
 *
 * POLY_MAX_BATCH at most, as a grid has that many digits.
 */
static int choose_digits(struct loops *p)
{
	int n = 0;

	for (; n < POLY_MAX_BATCH; n++) {
		struct loop *best = NULL;

		for (int i = 2; i < p->n; i++)
			if (p->loop[i].parallel && !p->loop[i].digit &&
			    (!best || p->loop[i].count > best->count))
				best = &p->loop[i];
		if (!best)
			break;
		best->digit = true;
	}
	return n;
}

/* Let p0 be the loop, of it and the digits, whose accesses have the best strides, of
 * these the innermost one.
 *
 * p1 stays, as map_points chose it for the lanes; p0 is then the loop along
 * whose values a block's rows share most of what they load.
 */
static void choose_rows(struct loops *p)
{
	struct loop *old = &p->loop[0], *best = old, swap;
	int most = poly_stride_score(p->prog, old->at, p->domain);

	for (int i = 2; i < p->n; i++) {
		struct loop *loop = &p->loop[i];
		int score = loop->digit ? poly_stride_score(p->prog, loop->at,
			p->domain) : most - 1;

		if (score > most || (score == most && loop->dim > best->dim)) {
			most = score;
			best = loop;
		}
	}
	if (best == old)
		return;
	swap = *old;
	*old = *best;
	*best = swap;
	best->digit = true;
	old->digit = false;
}

/* The least power of two that is not below "x", at most "most".
 *
 * Powers of two keep the lanes of a warp in whole rows.
 */
static int power(double x, int most)
{
	int n = 1;

	while (n < x && n < most)
		n *= 2;
	return n;
}

/* Rows and columns of a block: as many threads as there may be, no more of either
 * than there are points.
 *
 * Columns first, up to a warp; then rows; then what is left to columns.
 */
static void choose_block(const struct loops *p, int *rows, int *columns)
{
	*columns = power(p->loop[1].count, POLY_LANES);
	*rows = power(p->loop[0].count, THREADS / *columns);
	*columns = power(p->loop[1].count, THREADS / *rows);
}

/* Would blocks be small, or many of their threads have no points?
 *
 * USED of the threads must have a point; rounding up to whole blocks counts.
 */
static bool is_wasteful(const struct loops *p)
{
	double n0 = p->loop[0].count, n1 = p->loop[1].count;
	int rows, columns;

	choose_block(p, &rows, &columns);
	return rows * columns < THREADS || n0 * n1 < USED *
		rows * ceil(n0 / rows) * columns * ceil(n1 / columns);
}

/* Let "loop" be part of p1, each iteration "every" of that.
 *
 * The longest is below 2^30, so the conversion is exact.
 */
static void add_part(struct loops *p, const struct loop *loop, long every)
{
	p->part[p->n_part++] = (struct part){
		isl_union_pw_aff_copy(loop->at), every, (long)loop->count };
}

/* Make one loop of p0 and p1; the innermost of the digits becomes p0, or, without
 * digits, a loop of one iteration. Returns whether there was a digit.
 *
 * p1 becomes p0 * count(p1) + p1. The loop that was p0 is then a part, whose
 * value is told by a quotient (where_parts).
 */
static bool merge(struct loops *p)
{
	isl_ctx *ctx = p->prog->ctx;
	struct loop *rows = &p->loop[0], *columns = &p->loop[1], *next = NULL;
	isl_val *count = isl_val_int_from_si(ctx, (long)columns->count);

	for (int i = 2; i < p->n; i++)
		if (p->loop[i].digit && (!next || p->loop[i].dim > next->dim))
			next = &p->loop[i];
	if (!p->n_part)
		add_part(p, columns, 1);
	add_part(p, rows, (long)columns->count);
	columns->at = isl_union_pw_aff_add(columns->at,
		isl_union_pw_aff_scale_val(isl_union_pw_aff_copy(rows->at),
			count));
	columns->count *= rows->count;
	if (!next) {
		rows->at = isl_union_pw_aff_scale_val(rows->at,
			isl_val_zero(ctx));
		rows->count = 1;
		return false;
	}
	isl_union_pw_aff_free(rows->at);
	*rows = *next;
	rows->digit = next->digit = false;
	next->at = NULL;
	return true;
}

/* The values of "loop", from 0 on, as dimension "d" of "set".
 *
 * Takes "set".
 */
static __isl_give isl_set *between(__isl_take isl_set *set,
	const struct loop *loop, unsigned d)
{
	set = isl_set_lower_bound_si(set, isl_dim_set, d, 0);
	return isl_set_upper_bound_si(set, isl_dim_set, d,
		(int)loop->count - 1);
}

/* Have p0, p1 and the digits all of their values at all of the others'? What has not
 * would be many cases of one loop.
 *
 * A triangle as one loop would have holes: the threads there would ask a
 * condition each.
 */
static bool is_box(const struct loops *p)
{
	isl_ctx *ctx = p->prog->ctx;
	isl_union_pw_aff_list *list = isl_union_pw_aff_list_alloc(ctx, p->n);
	isl_set *points, *box;
	int own[2 + MOST_LOOPS], n = 0;
	bool is;

	for (int i = 0; i < p->n; i++)
		if (p->loop[i].at && (i < 2 || p->loop[i].digit)) {
			own[n++] = i;
			list = isl_union_pw_aff_list_add(list,
				isl_union_pw_aff_copy(p->loop[i].at));
		}
	points = isl_set_from_union_set(isl_union_set_apply(
		isl_union_set_copy(p->domain),
		isl_union_map_from_multi_union_pw_aff(
			isl_multi_union_pw_aff_from_union_pw_aff_list(
				isl_space_set_alloc(ctx, 0, n), list))));
	points = isl_set_project_out_all_params(isl_set_intersect_params(points,
		poly_known_sizes(p->prog)));
	box = isl_set_universe(isl_set_get_space(points));
	for (int d = 0; d < n; d++)
		box = between(box, &p->loop[own[d]], d);
	is = isl_set_is_equal(points, box) == isl_bool_true;
	isl_set_free(points);
	isl_set_free(box);
	return is;
}

/* Make blocks of what has short loops.
 *
 * Each round makes the block's columns longer, until threads have enough to do
 * or nothing is left to merge.
 */
static void merge_short(struct loops *p, int *n)
{
	while (is_wasteful(p) && p->loop[0].count > 1 &&
	       p->loop[0].count * p->loop[1].count < LONGEST)
		*n -= merge(p);
}

/* Make one loop of p1 and the digits whose rows lie beside its own, where that pays.
 *
 * What p1 was merged with last is the next inner loop.
 */
static void merge_beside(struct loops *p, int *n)
{
	struct loop *rows = &p->loop[0], *columns = &p->loop[1];

	for (int i = 2; i < p->n; i++) {
		const struct part *last = p->n_part ? &p->part[p->n_part - 1] : NULL;
		struct loop *digit = &p->loop[i], swap = *rows;
		struct poly_rows_beside beside = { digit->at,
			last ? last->at : columns->at, digit->count,
			last ? (double)last->count : columns->count, columns->count };

		if (!digit->digit || columns->count * digit->count >= LONGEST ||
		    !poly_pays_beside(p->prog, p->domain, &beside))
			continue;
		*rows = *digit;
		*digit = swap;
		digit->digit = true;
		rows->digit = false;
		*n -= merge(p);
		i = 1;
	}
}

/* The band above "node"; an empty list is no band. Takes both. */
__isl_give isl_schedule_node *poly_insert_members(
	__isl_take isl_schedule_node *node,
	__isl_take isl_union_pw_aff_list *members, const bool *parallel,
	bool permutable)
{
	isl_ctx *ctx = isl_schedule_node_get_ctx(node);
	int n = isl_union_pw_aff_list_size(members);

	if (n == 0) {
		isl_union_pw_aff_list_free(members);
		return node;
	}
	node = isl_schedule_node_insert_partial_schedule(node,
		isl_multi_union_pw_aff_from_union_pw_aff_list(
			isl_space_set_alloc(ctx, 0, n), members));
	for (int i = 0; i < n; i++)
		node = isl_schedule_node_band_member_set_coincident(node, i,
			parallel[i]);
	return isl_schedule_node_band_set_permutable(node, permutable);
}

/* The band [p0, p1, digits] above "node", or, with "rest", that of the others.
 *
 * The digits follow p0 and p1 in the order that the loops had.
 */
static __isl_give isl_schedule_node *insert_members(const struct loops *p,
	__isl_take isl_schedule_node *node, bool rest)
{
	isl_ctx *ctx = isl_schedule_node_get_ctx(node);
	isl_union_pw_aff_list *list = isl_union_pw_aff_list_alloc(ctx, p->n);
	bool parallel[2 + MOST_LOOPS];
	int n = 0;

	for (int i = 0; i < p->n; i++) {
		const struct loop *loop = &p->loop[i];

		if (!loop->at || (i < 2 || loop->digit) == rest)
			continue;
		parallel[n++] = !rest || loop->parallel;
		list = isl_union_pw_aff_list_add(list,
			isl_union_pw_aff_copy(loop->at));
	}
	return poly_insert_members(node, list, parallel,
		!rest || p->permutable);
}

/* p1 of "kernel" as a function of the coordinates: size * b + t.
 *
 * As a function of parameters alone, for the filter.
 */
static __isl_give isl_aff *columns_place(struct poly_prog *prog,
	const struct poly_kernel *kernel)
{
	const char *block = poly_coordinate(prog, POLY_BLOCK + 1);
	const char *thread = poly_coordinate(prog, POLY_THREAD + 1);
	isl_space *space = poly_add_size(poly_add_size(isl_space_params_alloc(
		prog->ctx, 0), block), thread);
	isl_aff *at = isl_aff_add(poly_times(poly_at(space, "%s", block),
		kernel->thread[1]), poly_at(space, "%s", thread));

	isl_space_free(space);
	return at;
}

/* "set" where "at" is the function "value" of the coordinates; both are taken.
 *
 * Equality on all of the set's spaces.
 */
static __isl_give isl_union_set *where(__isl_take isl_union_set *set,
	__isl_take isl_union_pw_aff *at, __isl_take isl_aff *value)
{
	isl_union_set *all = isl_union_set_universe(isl_union_set_copy(set));

	return isl_union_set_intersect(set, isl_union_pw_aff_zero_union_set(
		isl_union_pw_aff_sub(at, isl_union_pw_aff_pw_aff_on_domain(all,
			isl_pw_aff_from_aff(value)))));
}

/* "set" where the loops that p1 is made of are quotients and remainders of its value.
 * Of their sum alone isl would make a case for each of them.
 *
 * floor(p1 / every) - count * floor(p1 / (every * count)), and for the
 * outermost part the quotient alone.
 */
static __isl_give isl_union_set *where_parts(const struct loops *p,
	__isl_take isl_union_set *set)
{
	for (int i = 0; i < p->n_part; i++) {
		const struct part *part = &p->part[i];
		isl_aff *at = columns_place(p->prog, p->kernel);
		isl_aff *value = poly_floor(isl_aff_copy(at), part->every);

		if (i + 1 < p->n_part)
			value = isl_aff_sub(value, poly_times(poly_floor(
				isl_aff_copy(at), part->every * part->count),
				part->count));
		isl_aff_free(at);
		set = where(set, isl_union_pw_aff_copy(part->at), value);
	}
	return set;
}

/* Let the filter "node" of the kernel say what the loops of p1 are. */
static __isl_give isl_schedule_node *filter_parts(const struct loops *p,
	__isl_take isl_schedule_node *node)
{
	isl_union_set *set = where_parts(p,
		isl_schedule_node_filter_get_filter(node));

	node = isl_schedule_node_delete(node);
	return isl_schedule_node_insert_filter(node, set);
}

/* Map "node", the filter of the kernel, anew with "n" digits.
 *
 * Where a thread adds up runs of parts (vec_k > 1), the block is kept, in whose warps these
 * lie in lines of memory. The old filter and both bands are deleted and made anew.
 */
static __isl_give isl_schedule_node *map_digits(struct loops *p,
	__isl_take isl_schedule_node *node, int n)
{
	struct poly_kernel *k = p->kernel;
	int run = k->vec_k, rows = k->thread[0], columns = k->thread[1];

	if (run == 1 || p->cells) {
		choose_rows(p);
		if (poly_prog_is_fixed(p->prog) &&
		    !poly_kernel_n_host(p->prog, k) && is_box(p)) {
			merge_beside(p, &n);
			merge_short(p, &n);
		}
		choose_block(p, &rows, &columns);
	}
	for (int i = 0; i < 3; i++)
		node = isl_schedule_node_delete(node);
	node = insert_members(p, node, true);
	node = insert_members(p, node, false);
	node = poly_kernel_thread_a_point(p->prog, k, node, rows, columns, n);
	if (p->n_part)
		node = filter_parts(p, node);
	k->vec_k = run;
	return node;
}

/* Does a band of "most" or fewer members stand at "node"?
 *
 * "most" keeps the arrays of struct loops within their bounds.
 */
static bool is_band(__isl_keep isl_schedule_node *node, int most)
{
	return isl_schedule_node_get_type(node) == isl_schedule_node_band &&
		isl_schedule_node_band_n_member(node) <= most;
}

/* Collect the loops of "p", whose filter is "node"; false if there is nothing to
 * do.
 *
 * What does not look like filter, points, one more band is left as it is.
 */
static bool find_loops(struct loops *p, __isl_keep isl_schedule_node *node)
{
	isl_schedule_node *points = NULL, *below = NULL, *cells;
	bool found = isl_schedule_node_get_type(node) ==
		isl_schedule_node_filter;

	if (found)
		points = isl_schedule_node_get_child(node, 0);
	found = found && is_band(points, 2) &&
		isl_schedule_node_band_n_member(points) == 2;
	if (found)
		below = isl_schedule_node_get_child(points, 0);
	found = found && is_band(below, MOST_LOOPS);
	if (found) {
		p->permutable = isl_schedule_node_band_get_permutable(below) ==
			isl_bool_true;
		add_members(p, points);
		add_members(p, below);
		cells = isl_schedule_node_get_child(below, 0);
		p->cells = poly_has_cells(p->kernel, cells);
		isl_schedule_node_free(cells);
	}
	isl_schedule_node_free(points);
	isl_schedule_node_free(below);
	return found;
}

/* Put the parallel loops of "kernel" into its grid.
 *
 * A kernel whose threads go together across a sum is left, too.
 */
static isl_stat map_kernel(struct poly_prog *prog, struct poly_kernel *kernel)
{
	isl_schedule_node *node = poly_kernel_node(prog, kernel);
	struct loops p = { .prog = prog, .kernel = kernel,
		.domain = poly_kernel_domain(prog, kernel) };
	isl_schedule *schedule;
	isl_stat ok = isl_stat_ok;
	int n = 0;

	if (!poly_across(prog, p.domain) && find_loops(&p, node))
		n = choose_digits(&p);
	if (n) {
		node = map_digits(&p, node, n);
		schedule = isl_schedule_node_get_schedule(node);
		ok = poly_set_schedule(prog, schedule);
	}
	isl_schedule_node_free(node);
	free_loops(&p);
	return ok;
}

isl_stat poly_map_grid(struct poly_prog *prog)
{
	isl_stat ok = isl_stat_ok;

	for (int i = 0; i < prog->n_kernel && ok == isl_stat_ok; i++)
		if (!prog->kernel[i]->tiled && !prog->kernel[i]->block &&
		    !prog->kernel[i]->given)
			ok = map_kernel(prog, prog->kernel[i]);
	return ok;
}
