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
#include "polyir/prepare/prepare.h"
#include "polyir/tune/tune.h"
#include "polyir/schedule/schedule.h"
#include "polyir/sums/sums.h"
#include "polyir/sums/split.h"
#include "polyir/rows/rows.h"

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
/* Bytes of parts. */
#define MOST_BYTES 268435456.0

/* --------------------------------------------------------------- decisions */

/* Make "wanted" parts of another loop of the sum as well, the longest one: what is left of
 * the one that has parts is more than a part is worth. Of more loops with parts not all
 * would be threads.
 */
static void part_another(struct split *s, double wanted)
{
	int best = -1;

	for (int d = 0; d < s->n; d++)
		if (s->p.sum[d] && !s->host[d] && !s->p.part[d] &&
		    (best < 0 || s->count[d] > s->count[best]))
			best = d;
	if (best >= 0 && wanted >= VALUES && s->count[best] >= VALUES)
		s->p.part[best] = poly_power_below(fmin(wanted,
			s->count[best] / (s->count[best] < FEW ? 1 : VALUES)));
}

/* Decide on the numbers of parts; false: none. */
static bool choose_parts(struct split *s)
{
	int d = poly_split_longest(s, -1);
	double wanted = s->width > 1 ? 1 / s->width : 1, values;
	double bytes = poly_type_size(s->p.stmt->write_array->type);

	s->p.run = 1;
	if (d < 0)
		return false;
	s->p.rows = poly_sum_along_rows(s, d);
	if (s->width > (s->p.rows ? MANY_ROWS : MANY_COLUMNS))
		return false;
	wanted *= s->p.rows ? FULL : FULL_COLUMNS;
	values = s->p.rows ? VALUES : VALUES_COLUMNS;
	s->p.part[d] = poly_power_below(fmin(wanted, s->count[d] / values));
	if (s->p.rows && s->p.part[d] < POLY_LANES)
		s->p.part[d] = POLY_LANES;
	part_another(s, wanted / s->p.part[d]);
	for (int i = 0; i < s->n; i++)
		bytes *= s->p.part[i] ? s->p.part[i] : s->p.own[i] ?
			s->count[i] : 1;
	return s->p.part[d] >= VALUES && bytes <= MOST_BYTES;
}

/* ---------------------------------------------------------------- products */

/* How many parts the sum has best that has the steps of "along", "*values" of these in
 * each. A step of it may be many of the whole, "w": channels of windows go over the places
 * of a window each. What parts gain is counted for all of these.
 */
static int best_parts(const struct poly_work *w, const struct poly_work *along,
	int *values)
{
	struct poly_work divided = *w;
	double turns = w->steps / along->steps;
	int parts = poly_best_parts(w, values);

	if (parts == 1 || turns <= 1)
		return parts;
	divided.parts = true;
	parts = poly_given_parts(along, parts, values);
	return parts > 1 && poly_parts_cycles(&divided, parts,
		*values * turns) < w->rates->clearly *
		poly_best_block(w).estimate.cycles ? parts : 1;
}

/* Is the reduction one for tiles? Then, unless "divided" is NULL, decide whether
 * its longest sum is divided: the model (model.c) counts what blocks that idle
 * now would gain.
 */
static bool is_product(struct split *s, bool *divided)
{
	int axis[2], k, hidden, parts, values = 0;
	struct poly_work w, along;

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
	poly_split_merge(s, axis, &w);
	along = w;
	along.steps = fmax(1, s->count[k]);
	parts = poly_config_parts(s->p.prog, s->p.stmt->write_array->name);
	if (parts)
		s->p.part[k] = poly_given_parts(&along, parts, &values);
	else
		s->p.part[k] = s->whole ? 1 : best_parts(&w, &along, &values);
	poly_explain_parts(s->p.prog, s->p.stmt->name, &w, s->p.part[k],
		values * (w.steps / along.steps));
	poly_search_note_parts(s->p.prog, s->p.stmt->write_array->name, &along,
		s->p.part[k]);
	*divided = s->p.part[k] > 1;
	s->p.values[k] = values;
	s->p.at_once = s->p.whole = true;
	return true;
}

/* ---------------------------------------------------------------- division */

/* Make "wanted" parts of the sums of "s", side by side first, but no more than half of the
 * values of each.
 */
static void keep_parts(struct split *s, int wanted)
{
	for (int d = s->n - 1; d >= 0 && wanted > 1; d--)
		if (s->p.sum[d] && s->count[d] >= 4) {
			s->p.part[d] = poly_power_below(fmin(wanted,
				s->count[d] / 2));
			wanted /= s->p.part[d];
		}
}

/* The parts of "sum", whose last dimensions they are, as a reduction of its
 * own: "s" becomes that.
 */
static bool next_step(struct split *s, struct poly_stmt *sum)
{
	struct split old = *s;
	int d = 0, parts = 1, wanted = 1;

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
			d++;
		}
	}
	s->n = d;
	while (wanted * wanted < parts || wanted * FEW < parts)
		wanted *= 2;
	if (parts <= FEW)
		return false;
	keep_parts(s, wanted);
	return true;
}

/* Decide on lanes, or else on parts; false: neither. "*more" if the sums of the
 * parts may be divided, too.
 */
static bool choose(struct split *s, bool lanes, bool *more)
{
	bool divided, product = is_product(s, lanes ? NULL : &divided);
	int dealt = poly_lane_dim(s->p.stmt);
	bool can;

	*more = false;
	if (dealt >= 0)
		return lanes && poly_take_lanes(s, dealt);
	if (!product && !lanes && poly_choose_shares(s))
		return true;
	can = !product && poly_choose_lanes(s);
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

	if (!poly_split_read(&s) || !choose(&s, lanes, &more)) {
		if (!lanes || poly_lane_dim(stmt) < 0)
			return isl_stat_ok;
		++*n;
		return poly_undeal_loop(prog, stmt);
	}
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

static isl_bool is_no_row(__isl_keep isl_schedule_node *node, void *user)
{
	(void)user;
	return isl_bool_ok(!poly_is_rows(node));
}

/* Has the schedule row programs? */
static bool has_rows(struct poly_prog *prog)
{
	isl_schedule_node *root = isl_schedule_get_root(prog->schedule);
	bool has = isl_schedule_node_every_descendant(root, is_no_row, NULL) ==
		isl_bool_false;

	isl_schedule_node_free(root);
	return has;
}

/* Find another schedule; row programs, which that does not have, are found again. */
static isl_stat schedule_again(struct poly_prog *prog)
{
	bool rows = has_rows(prog);

	if (poly_deps(prog) < 0 || poly_schedule(prog) < 0)
		return isl_stat_error;
	return rows ? poly_rows(prog) : isl_stat_ok;
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

/* Part the band "node", which a loop with lanes has for itself, if these are its last
 * member: threads of their own go over them.
 */
static __isl_give isl_schedule_node *part_lanes(
	__isl_take isl_schedule_node *node, void *user)
{
	struct poly_prog *prog = user;
	isl_union_set *domain;
	struct poly_stmt **list;
	int n_stmt, n;
	bool part;

	if (isl_schedule_node_get_type(node) != isl_schedule_node_band)
		return node;
	n = isl_schedule_node_band_n_member(node);
	domain = poly_node_domain(node);
	list = poly_stmts_of(prog, domain, &n_stmt);
	part = list && n > 1 && n_stmt == 1 && poly_lane_dim(list[0]) >= 0 &&
		isl_schedule_node_band_member_get_coincident(node, n - 1) ==
		isl_bool_false;
	free(list);
	isl_union_set_free(domain);
	return part ? isl_schedule_node_band_split(node, n - 1) : node;
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
		ok = poly_set_schedule(prog,
			isl_schedule_map_schedule_node_bottom_up(
			isl_schedule_copy(prog->schedule), part_lanes, prog));
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
