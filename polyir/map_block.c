/* A kernel of one block, for what is too small for launches.
 *
 * A launch takes microseconds; a barrier, a fraction of one. Where a loop that
 * runs in order has little work in each iteration, it runs inside of one
 * block, whose threads share the parallel loops below it:
 *
 *	before: band [t] 0		after: mark kernel:A
 *		  sequence			 filter [t1] -> 0 <= t1 < 1024
 *		    S0: band [i] 1		   band [t] 0
 *		    S1: band [] ..		     sequence
 *						       S0: mark threads
 *							     filter i mod 1024 = t1
 *							       band [i]
 *						       S1: mark threads
 *							     filter t1 = 0
 *
 * What has no parallel loop is done by the first thread. Barriers come later
 * (block_sync.c). The choice is by a measure of work that knows the sizes, as
 * a large loop wants the whole device: without their values it is not made.
 */
#include <stdlib.h>

#include <isl/id.h>
#include <isl/space.h>
#include <isl/val.h>

#include "polyir_internal.h"

/* Microseconds of a launch, of a phase between two barriers, and of an
 * instance in one thread; instances that a block and a device can do in one
 * microsecond; threads.
 */
#define LAUNCH 3.0
#define PHASE 0.3
#define INSTANCE 0.02
#define BLOCK_RATE 5000.0
#define DEVICE_RATE 1000000.0
/* More statements than that would make the checks of one kernel long. */
#define MOST_STATEMENTS 64
enum { MOST_THREADS = 1024, LEAST_THREADS = 32 };

/* ----------------------------------------------------------------- measure */

/* What a part of a tree takes with "n" launches, and in a block; "width" is the
 * longest parallel loop.
 */
struct cost {
	double launches, block, width, n;
	int kernels, serial;
};

/* Have all sizes that the statements of "domain" depend on a value? */
static bool knows_sizes(struct poly_prog *prog,
	__isl_keep isl_union_set *domain)
{
	isl_set *params = isl_union_set_params(isl_union_set_copy(domain));
	bool known = true;

	for (int i = 0; i < prog->n_param; i++) {
		int pos = isl_set_find_dim_by_name(params, isl_dim_param,
			prog->param[i].name);

		known &= pos < 0 || prog->param[i].fixed ||
			isl_set_involves_dims(params, isl_dim_param, pos, 1) ==
			isl_bool_false;
	}
	isl_set_free(params);
	return known;
}

/* The values of member "i" of "band". */
static double member_count(struct poly_prog *prog,
	__isl_keep isl_schedule_node *band, int i)
{
	isl_multi_union_pw_aff *partial =
		isl_schedule_node_band_get_partial_schedule(band);
	isl_union_map *map = isl_union_map_from_union_pw_aff(
		isl_multi_union_pw_aff_get_at(partial, i));
	isl_union_set *range = isl_union_set_apply(poly_node_domain(band),
		map);
	double n = 0;

	isl_multi_union_pw_aff_free(partial);
	if (isl_union_set_is_empty(range) == isl_bool_false)
		n = poly_range_count(prog, isl_set_from_union_set(
			isl_union_set_copy(range)), 0);
	isl_union_set_free(range);
	return n;
}

/* The instances of the statements that reach "node", in boxes. */
static double instances(struct poly_prog *prog,
	__isl_keep isl_schedule_node *node)
{
	isl_union_set *domain = poly_node_domain(node);
	int n;
	struct poly_stmt **list = poly_stmts_of(prog, domain, &n);
	double sum = 0;

	for (int i = 0; i < n; i++) {
		int n_dim = isl_set_dim(list[i]->domain, isl_dim_set);
		double box = 1;

		for (int d = 0; d < n_dim; d++)
			box *= poly_range_count(prog,
				isl_set_copy(list[i]->domain), d);
		sum += box;
	}
	free(list);
	isl_union_set_free(domain);
	return sum;
}

static double greater(double a, double b)
{
	return a > b ? a : b;
}

/* Add the part at "node", all of which "times" repetitions run, where
 * "width" and "block_width" instances may run together.
 */
static void add_part(struct cost *c, struct poly_prog *prog,
	__isl_keep isl_schedule_node *node, double times, double width,
	double block_width)
{
	double each = times > 0 ? instances(prog, node) / times : 0;
	double threads = block_width < MOST_THREADS ? block_width :
		MOST_THREADS;

	c->launches += times * (LAUNCH + greater(each / DEVICE_RATE,
		each * INSTANCE / greater(width, 1)));
	c->block += times * (PHASE + greater(each / BLOCK_RATE,
		each * INSTANCE / greater(threads, 1)));
	c->width = greater(c->width, block_width);
	c->n += times;
	c->kernels++;
}

/* The parallel band "node", or, with "wave", one that will be skewed. */
static void add_band(struct cost *c, struct poly_prog *prog,
	__isl_keep isl_schedule_node *node, double times, bool wave)
{
	int n = isl_schedule_node_band_n_member(node);
	double width = 1, most = 1, sum = 0;

	for (int i = 0; i < n; i++) {
		double count = member_count(prog, node, i);

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

/* Add what is at and below "node". */
static void measure(struct cost *c, struct poly_prog *prog,
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
			times *= member_count(prog, node, i);
		n = 1;
	}
	for (int i = 0; i < n; i++) {
		isl_schedule_node *child =
			isl_schedule_node_get_child(node, i);

		measure(c, prog, child, times);
		isl_schedule_node_free(child);
	}
}

static struct cost cost_of(struct poly_prog *prog,
	__isl_keep isl_schedule_node *node)
{
	struct cost c = { 0 };
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

/* Is what "node" roots small enough, are its sizes known, and has it no lanes
 * already?
 */
static bool is_measurable(struct poly_prog *prog,
	__isl_keep isl_schedule_node *node)
{
	isl_union_set *domain = poly_node_domain(node);
	bool is = isl_union_set_n_set(domain) <= MOST_STATEMENTS &&
		knows_sizes(prog, domain) && !poly_across(prog, domain);

	isl_union_set_free(domain);
	return is;
}

bool poly_fits_block(struct poly_prog *prog,
	__isl_keep isl_schedule_node *node)
{
	struct cost c;

	if (!is_measurable(prog, node))
		return false;
	c = cost_of(prog, node);
	return c.block < c.launches;
}

bool poly_wants_block(struct poly_prog *prog,
	__isl_keep isl_schedule_node *node)
{
	struct cost c;

	if (!is_measurable(prog, node) || !poly_has_parallel(node))
		return false;
	c = cost_of(prog, node);
	return c.kernels + c.serial > 1 && c.block < c.launches;
}

/* ----------------------------------------------------------------- mapping */

/* Insert the filter "value = t1" above "node". The mark keeps isl from making
 * one of it and the filter of a sequence's child.
 */
static __isl_give isl_schedule_node *in_thread(
	__isl_take isl_schedule_node *node, __isl_take isl_union_pw_aff *value)
{
	isl_union_set *domain = isl_union_set_universe(
		poly_node_domain(node));
	isl_id *id = isl_id_alloc(isl_schedule_node_get_ctx(node), "t1", NULL);
	isl_union_pw_aff *t1 = isl_union_pw_aff_param_on_domain_id(domain, id);

	node = isl_schedule_node_insert_filter(node,
		isl_union_pw_aff_zero_union_set(
			isl_union_pw_aff_sub(value, t1)));
	return isl_schedule_node_insert_mark(node, isl_id_alloc(
		isl_schedule_node_get_ctx(node), "threads", NULL));
}

static __isl_give isl_schedule_node *in_first(
	__isl_take isl_schedule_node *node)
{
	isl_ctx *ctx = isl_schedule_node_get_ctx(node);

	return in_thread(node, isl_union_pw_aff_val_on_domain(
		isl_union_set_universe(poly_node_domain(node)),
		isl_val_zero(ctx)));
}

/* The member of the parallel band that the threads share: the best along
 * memory of those that are long enough, or else the longest.
 */
static int shared_member(struct poly_prog *prog,
	__isl_keep isl_schedule_node *band, int threads)
{
	isl_multi_union_pw_aff *partial =
		isl_schedule_node_band_get_partial_schedule(band);
	isl_union_set *domain = poly_node_domain(band);
	int n = isl_multi_union_pw_aff_size(partial), best = -1;
	double best_count = 0, best_score = 0;

	for (int i = 0; i < n; i++) {
		isl_union_pw_aff *member =
			isl_multi_union_pw_aff_get_at(partial, i);
		double count = member_count(prog, band, i);
		double score = poly_stride_score(prog, member, domain);

		isl_union_pw_aff_free(member);
		if (isl_schedule_node_band_member_get_coincident(band, i) !=
		    isl_bool_true)
			continue;
		count = count < threads ? count : threads;
		if (best >= 0 && (count < best_count ||
		    (count == best_count && score < best_score)))
			continue;
		best = i;
		best_count = count;
		best_score = score;
	}
	isl_union_set_free(domain);
	isl_multi_union_pw_aff_free(partial);
	return best;
}

static __isl_give isl_schedule_node *share_band(struct poly_prog *prog,
	__isl_take isl_schedule_node *node, int threads)
{
	isl_multi_union_pw_aff *partial =
		isl_schedule_node_band_get_partial_schedule(node);
	isl_union_pw_aff *member = isl_multi_union_pw_aff_get_at(partial,
		shared_member(prog, node, threads));

	isl_multi_union_pw_aff_free(partial);
	return in_thread(node, isl_union_pw_aff_mod_val(member,
		isl_val_int_from_si(prog->ctx, threads)));
}

static isl_bool is_serial(__isl_keep isl_schedule_node *node, void *user)
{
	(void)user;
	return isl_bool_ok(isl_schedule_node_get_type(node) !=
		isl_schedule_node_band ||
		poly_band_shape(node) == POLY_BAND_SERIAL);
}

static bool has_bands_to_share(__isl_keep isl_schedule_node *node)
{
	return isl_schedule_node_every_descendant(node, is_serial, NULL) !=
		isl_bool_true;
}

/* Give what is at and below "node" to the threads. */
static __isl_give isl_schedule_node *share(struct poly_prog *prog,
	__isl_take isl_schedule_node *node, int threads)
{
	enum isl_schedule_node_type type = isl_schedule_node_get_type(node);
	isl_size n;

	if (!has_bands_to_share(node))
		return in_first(node);
	if (type == isl_schedule_node_band) {
		if (poly_band_shape(node) == POLY_BAND_PARALLEL)
			return share_band(prog, node, threads);
		if (poly_band_shape(node) == POLY_BAND_WAVE)
			node = poly_skew(node);
	}
	n = isl_schedule_node_n_children(node);
	for (int i = 0; i < n; i++) {
		bool filter;

		node = isl_schedule_node_child(node, i);
		filter = type == isl_schedule_node_sequence ||
			type == isl_schedule_node_set;
		if (filter)
			node = isl_schedule_node_child(node, 0);
		node = share(prog, node, threads);
		if (filter)
			node = isl_schedule_node_parent(node);
		node = isl_schedule_node_parent(node);
	}
	return node;
}

/* The launch and the coordinates of the one block and its threads. */
static __isl_give isl_union_set *block_filter(
	__isl_keep isl_schedule_node *node, int threads)
{
	isl_union_set *filter = poly_launch_filter(node);
	struct poly_str s = { 0 };
	isl_set *params;

	poly_str_printf(&s, "[b0, b1, t0, t1] -> { : b0 = 0 and b1 = 0 and "
		"t0 = 0 and 0 <= t1 < %d }", threads);
	params = s.failed ? NULL : isl_set_read_from_str(
		isl_schedule_node_get_ctx(node), s.s);
	poly_str_free(&s);
	return isl_union_set_intersect_params(filter, params);
}

static __isl_give isl_pw_aff *one(isl_ctx *ctx)
{
	return isl_pw_aff_val_on_domain(isl_set_universe(
		isl_space_params_alloc(ctx, 0)), isl_val_one(ctx));
}

/* Remark, if the report wants to hear it, why the kernel "name" has one block. */
static void explain(struct poly_prog *prog, const char *name,
	const struct cost *c)
{
	struct poly_str s = { 0 };

	if (!prog->report || !prog->report->remarks)
		return;
	poly_str_printf(&s, "one block, about %.0f us; with more, %.0f launches, "
		"about %.0f us", c->block, c->n, c->launches);
	poly_report_add(prog->report, MSG_POLY_CHOICE, NULL, name,
		s.s ? s.s : "");
	poly_str_free(&s);
}

__isl_give isl_schedule_node *poly_map_block(struct poly_prog *prog,
	__isl_take isl_schedule_node *node)
{
	isl_union_set *domain = poly_node_domain(node), *filter;
	struct poly_kernel *kernel = poly_kernel_add(prog, domain);
	struct cost cost = cost_of(prog, node);
	int threads = LEAST_THREADS;

	isl_union_set_free(domain);
	if (!kernel)
		return isl_schedule_node_free(node);
	explain(prog, kernel->name, &cost);
	while (threads < cost.width && threads < MOST_THREADS)
		threads *= 2;
	filter = block_filter(node, threads);
	kernel->block = true;
	kernel->thread[1] = kernel->tile[1] = threads;
	kernel->tile_k = 0;
	for (int d = 0; d < 2; d++)
		kernel->grid[d] = one(prog->ctx);
	node = share(prog, node, threads);
	node = isl_schedule_node_insert_filter(node, filter);
	return poly_insert_kernel_mark(node, kernel->name);
}
