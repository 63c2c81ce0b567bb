/* What runs loops that go on in order: launches, one block, or blocks together?
 *
 * A launch takes microseconds; a barrier of the blocks that are on the device,
 * about one; that of one block, a fraction. So what has little work in each
 * iteration is done sooner inside of one kernel, and what has very little, by one
 * block:
 *
 *	launches	n (loop_launch + work at the rate of the device)
 *	one block	n (loop_phase + work at that of a block)
 *	together	loop_start + n (loop_meeting + work at that of the blocks
 *			that are resident)
 *
 * for n parts of the tree that run one after another. A large loop wants the whole
 * device, so that sizes without a value are taken for typical and for large ones:
 * one block must be the best for both. Blocks run together only if all sizes are
 * fixed, and if that clearly takes less. The rates are in polyir/cost/rate.def.
 *
 * This is no second poly_price_kernel (polyir/cost/price.c). It is asked before there are
 * kernels: nothing is known of blocks, accesses and registers, which that one counts, and
 * sizes may be open. It only compares three ways to run the same instances, so what these
 * cost enters as one number, the same for all. Its launches are those of a stream, one after
 * another (loop_launch), as programs with such loops are run; price.c has those of a graph.
 *
 * poly_loop_cost gives the times for all three ways at once. It walks the tree:
 * each part that runs as a whole, a parallel band or what has none, is one
 * addition to each of the sums.
 */
#include <stdlib.h>

#include <isl/ilp.h>
#include <isl/space.h>
#include <isl/val.h>

#include "polyir/ir/ir.h"
#include "polyir/ir/recurrence.h"
#include "polyir/sets/sets.h"
#include "polyir/cost/cost.h"
#include "polyir/schedule/schedule.h"

/* What sizes that are not fixed may be.
 *
 * A size that makes the device's whole width worth having.
 */
#define LARGE (1 << 20)
/* More statements than that would make the checks of one kernel long. */
#define MOST_STATEMENTS 64

/* ----------------------------------------------------------------- measure */

/* The values of member "i" of "band".
 *
 * A band's member counts what its statements make of it; the count is an
 * estimate where sizes are open.
 */
double poly_member_count(struct poly_prog *prog,
	__isl_keep isl_schedule_node *band, int i)
{
	isl_multi_union_pw_aff *partial =
		isl_schedule_node_band_get_partial_schedule(band);
	isl_union_set *domain = poly_node_domain(band);
	double n = poly_value_count(prog, domain,
		isl_multi_union_pw_aff_get_at(partial, i));

	isl_union_set_free(domain);
	isl_multi_union_pw_aff_free(partial);
	return n;
}

static double greater(double a, double b)
{
	return a > b ? a : b;
}

static double less(double a, double b)
{
	return a < b ? a : b;
}

/* The instances of the statements that reach "node", in boxes; in "most" those of the
 * statement that has the most.
 *
 * Boxes, as poly_range_count measures one dimension at a time.
 */
static double instances(struct poly_prog *prog,
	__isl_keep isl_schedule_node *node, double *most)
{
	isl_union_set *domain = poly_node_domain(node);
	int n;
	struct poly_stmt **list = poly_stmts_of(prog, domain, &n);
	double sum = 0;

	*most = 0;

	for (int i = 0; i < n; i++) {
		int n_dim = isl_set_dim(list[i]->domain, isl_dim_set);
		double box = 1;

		for (int d = 0; d < n_dim; d++)
			box *= poly_range_count(prog,
				isl_set_copy(list[i]->domain), d);
		sum += box;
		*most = greater(*most, box);
	}
	free(list);
	isl_union_set_free(domain);
	return sum;
}

/* Add the part at "node", all of which "times" repetitions run, where
 * "width" and "block_width" instances may run together.
 *
 * Each sum takes the larger of two bounds: all instances at the full rate, and
 * one thread's instances one after another at a thread's rate. "threads" are
 * limited by those of a block, or of all that are resident. A row program has threads
 * along its rows, too, but in a kernel of its own alone.
 */
static void add_part(struct poly_loop_cost *c, struct poly_prog *prog,
	__isl_keep isl_schedule_node *node, double times, double width,
	double block_width)
{
	const struct poly_rates *r = poly_rates_of(&prog->target);
	double most, all = instances(prog, node, &most);
	double each = times > 0 ? all / times : 0;
	double threads = less(block_width, POLY_MOST_THREADS);
	double own = times > 0 && poly_is_above_rows(node) ? most / times : width;

	c->launches += times * (r->loop_launch + greater(each / r->loop_device,
		each * r->loop_instance / greater(own, 1)));
	c->block += times * (r->loop_phase + greater(each / r->loop_block,
		each * r->loop_instance / greater(threads, 1)));
	threads = less(width, (double) POLY_MOST_TOGETHER *
		prog->target.multiprocessors);
	c->together += times * (r->loop_meeting + greater(each / r->loop_together,
		each * r->loop_far / greater(threads, 1)));
	c->width = greater(c->width, block_width);
	c->area = greater(c->area, width);
	c->n += times;
	c->kernels++;
}

/* The parallel band "node", or, with "wave", one that will be skewed.
 *
 * A wave of m x n points has m + n steps, each of at most min(m, n) points; on
 * average width / steps.
 */
static void add_band(struct poly_loop_cost *c, struct poly_prog *prog,
	__isl_keep isl_schedule_node *node, double times, bool wave)
{
	int n = isl_schedule_node_band_n_member(node);
	double width = 1, most = 1, sum = 0;

	for (int i = 0; i < n; i++) {
		double count = poly_member_count(prog, node, i);

		sum += count;
		if (!wave && isl_schedule_node_band_member_get_coincident(
			node, i) != isl_bool_true)
			continue;
		width *= count;
		most = greater(most, count);
	}
	if (wave)
		add_part(c, prog, node, times * sum, width / greater(sum, 1),
			most);
	else
		add_part(c, prog, node, times, width, most);
}

/* Add what is at and below "node".
 *
 * "times" is how often all of this is run by serial loops around it. A part
 * without parallel loops is run by one thread.
 */
static void measure(struct poly_loop_cost *c, struct poly_prog *prog,
	__isl_keep isl_schedule_node *node, double times)
{
	enum isl_schedule_node_type type = isl_schedule_node_get_type(node);
	isl_size n = isl_schedule_node_n_children(node);
	enum poly_shape_of_band shape;

	if (type != isl_schedule_node_filter &&
	    (type == isl_schedule_node_leaf || !poly_has_parallel(node))) {
		add_part(c, prog, node, times, 1, 1);
		return;
	}
	if (type == isl_schedule_node_band) {
		shape = poly_band_shape(node);
		if (shape != POLY_BAND_SERIAL) {
			c->serial += shape == POLY_BAND_WAVE;
			add_band(c, prog, node, times,
				shape == POLY_BAND_WAVE);
			return;
		}
		c->serial++;
		n = isl_schedule_node_band_n_member(node);
		for (int i = 0; i < n; i++)
			times *= poly_member_count(prog, node, i);
		n = 1;
	}
	for (int i = 0; i < n; i++) {
		isl_schedule_node *child =
			isl_schedule_node_get_child(node, i);

		measure(c, prog, child, times);
		isl_schedule_node_free(child);
	}
}

/* The result has sums in microseconds, and what was counted on the way. Loops
 * above "node" multiply everything.
 */
struct poly_loop_cost poly_loop_cost(struct poly_prog *prog,
	__isl_keep isl_schedule_node *node)
{
	struct poly_loop_cost c = {
		.together = poly_rates_of(&prog->target)->loop_start };
	isl_multi_union_pw_aff *prefix =
		isl_schedule_node_get_prefix_schedule_multi_union_pw_aff(node);
	isl_union_set *domain = poly_node_domain(node);
	isl_size n = isl_multi_union_pw_aff_size(prefix);
	double times = 1;

	for (int i = 0; i < n; i++) {
		isl_union_map *map = isl_union_map_from_union_pw_aff(
			isl_multi_union_pw_aff_get_at(prefix, i));

		times *= poly_range_count(prog, isl_set_from_union_set(
			isl_union_set_apply(isl_union_set_copy(domain), map)),
			0);
	}
	isl_union_set_free(domain);
	isl_multi_union_pw_aff_free(prefix);
	measure(&c, prog, node, times);
	return c;
}

/* The search for a row program with a recurrence.
 *
 * For a callback.
 */
struct scans {
	struct poly_prog *prog;
	bool found;
};

/* Note if a row program has a recurrence among its statements. */
static isl_bool look_for_scan(__isl_keep isl_schedule_node *node, void *user)
{
	struct scans *s = user;
	isl_union_set *domain;
	struct poly_stmt **list;
	int n;

	if (!poly_is_rows(node))
		return isl_bool_true;
	domain = poly_node_domain(node);
	list = poly_stmts_of(s->prog, domain, &n);
	for (int i = 0; i < n; i++)
		s->found |= poly_recurrence_read(s->prog, list[i], NULL);
	free(list);
	isl_union_set_free(domain);
	return isl_bool_false;
}

/* Does a row program at or below "node" scan its rows? Elsewhere a thread would go
 * through one.
 *
 * Row programs have a mapping of their own (map_rows.c).
 */
static bool has_scan(struct poly_prog *prog, __isl_keep isl_schedule_node *node)
{
	struct scans s = { prog, false };

	isl_schedule_node_foreach_descendant_top_down(node, look_for_scan, &s);
	return s.found;
}

/* Can what "node" roots be one kernel: is it small enough, and has it no lanes
 * already, nor scans?
 *
 * Kernels with lanes have chosen their threads already.
 */
static bool is_possible(struct poly_prog *prog,
	__isl_keep isl_schedule_node *node)
{
	isl_union_set *domain = poly_node_domain(node);
	bool is = isl_union_set_n_set(domain) <= MOST_STATEMENTS &&
		!poly_across(prog, domain) && !has_scan(prog, node);

	isl_union_set_free(domain);
	return is;
}

/* Is one block better than launches, which "c" says for typical sizes, for large ones,
 * too?
 *
 * "c" is passed by value: it is replaced for large sizes.
 */
static bool block_wins(struct poly_prog *prog,
	__isl_keep isl_schedule_node *node, struct poly_loop_cost c)
{
	if (c.block < c.launches && !poly_prog_is_fixed(prog)) {
		prog->trial.guess = LARGE;
		c = poly_loop_cost(prog, node);
		prog->trial.guess = 0;
	}
	return c.block < c.launches;
}

/* For a part that could be a kernel of its own; nothing is forced by the
 * request.
 */
bool poly_fits_block(struct poly_prog *prog,
	__isl_keep isl_schedule_node *node)
{
	return prog->request.loops == POLY_LOOPS_BEST && is_possible(prog, node) &&
		block_wins(prog, node, poly_loop_cost(prog, node));
}

/* CETANE_DEBUG decides first (request.loops), then the model. A nest that is
 * one parallel kernel already needs no loops: launches.
 */
enum poly_loops poly_choose_loops(struct poly_prog *prog,
	__isl_keep isl_schedule_node *node)
{
	struct poly_loop_cost c;

	if (prog->request.loops == POLY_LOOPS_LAUNCHES || !poly_has_parallel(node) ||
	    !is_possible(prog, node))
		return POLY_LOOPS_LAUNCHES;
	c = poly_loop_cost(prog, node);
	if (c.kernels + c.serial <= 1)
		return POLY_LOOPS_LAUNCHES;
	if (prog->request.loops != POLY_LOOPS_BEST)
		return prog->request.loops;
	if (poly_prog_is_fixed(prog) && prog->target.multiprocessors > 1 &&
	    poly_rates_of(&prog->target)->loop_clearly * c.together <
	    less(c.launches, c.block))
		return POLY_LOOPS_TOGETHER;
	return block_wins(prog, node, c) ? POLY_LOOPS_BLOCK :
		POLY_LOOPS_LAUNCHES;
}
