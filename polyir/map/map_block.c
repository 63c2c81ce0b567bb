/* A kernel of one block, or of blocks that run together, for what is too small
 * for launches.
 *
 * Where a loop that runs in order has little work in each iteration, it runs
 * inside of a kernel, whose threads share the parallel loops below it:
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
 * With N blocks that are on the device at once the filters name the block, too:
 *
 *	i mod (N 256) = 256 b1 + t1		one loop for all threads
 *	i mod N = b1 and j mod 256 = t1		rows for the blocks
 *
 * What has no parallel loop is done by the first thread. Barriers come later
 * (block_sync.c); loop_cost.c says which of the two it is.
 */
#include <stdlib.h>

#include <isl/id.h>
#include <isl/ilp.h>
#include <isl/space.h>
#include <isl/val.h>

#include "polyir/base/base.h"
#include "polyir/ir/ir.h"
#include "polyir/sets/sets.h"
#include "polyir/layout/layout.h"
#include "polyir/schedule/schedule.h"
#include "polyir/map/map.h"

/* Threads of a block: one warp, at least. */
enum { LEAST_THREADS = 32 };
/* Rounds of the threads, whose code stands one behind the other. */
enum { MOST_ROUNDS = 8 };

/* A mapping: of "blocks" blocks, or, if that is 0, of one alone. */
struct sharing {
	struct poly_prog *prog;
	int threads, blocks;
};

/* ----------------------------------------------------------------- mapping */

/* "factor" times the coordinate "c" on what reaches "node". */
static __isl_give isl_union_pw_aff *coordinate(const struct sharing *s,
	__isl_keep isl_schedule_node *node, int c, int factor)
{
	isl_union_set *domain = isl_union_set_universe(
		poly_node_domain(node));
	isl_ctx *ctx = isl_schedule_node_get_ctx(node);
	isl_union_pw_aff *at = isl_union_pw_aff_param_on_domain_id(domain,
		isl_id_alloc(ctx, poly_coordinate(s->prog, c), NULL));

	return isl_union_pw_aff_scale_val(at,
		isl_val_int_from_si(ctx, factor));
}

/* Insert the filter "value = 0" above "node". */
static __isl_give isl_schedule_node *where_zero(
	__isl_take isl_schedule_node *node, __isl_take isl_union_pw_aff *value)
{
	return isl_schedule_node_insert_filter(node,
		isl_union_pw_aff_zero_union_set(value));
}

/* The mark keeps isl from making one of a filter below it and that of a
 * sequence's child.
 */
static __isl_give isl_schedule_node *mark_threads(
	__isl_take isl_schedule_node *node)
{
	return isl_schedule_node_insert_mark(node, isl_id_alloc(
		isl_schedule_node_get_ctx(node), "threads", NULL));
}

/* Insert the filter "block = b1 and thread = t1" above "node"; "block" is NULL
 * if there is one only.
 */
static __isl_give isl_schedule_node *in_thread(const struct sharing *s,
	__isl_take isl_schedule_node *node, __isl_take isl_union_pw_aff *block,
	__isl_take isl_union_pw_aff *thread)
{
	isl_union_set *here = isl_union_pw_aff_zero_union_set(
		isl_union_pw_aff_sub(thread,
			coordinate(s, node, POLY_THREAD + 1, 1)));

	if (block)
		here = isl_union_set_intersect(here,
			isl_union_pw_aff_zero_union_set(isl_union_pw_aff_sub(
				block, coordinate(s, node, POLY_BLOCK + 1,
					1))));
	return mark_threads(isl_schedule_node_insert_filter(node, here));
}

__isl_give isl_schedule_node *poly_in_thread(struct poly_prog *prog,
	__isl_take isl_schedule_node *node, __isl_take isl_union_pw_aff *thread)
{
	struct sharing s = { prog, 0, 0 };

	return in_thread(&s, node, NULL, thread);
}

/* "node", which is taken, in the first thread, of the first block if there are
 * several.
 */
static __isl_give isl_schedule_node *in_first(const struct sharing *s,
	__isl_take isl_schedule_node *node)
{
	isl_union_pw_aff *block = s->blocks ? poly_zero_at(node) : NULL;
	isl_union_pw_aff *thread = poly_zero_at(node);

	return in_thread(s, node, block, thread);
}

/* The parallel members of a band: how long each is, 0 for the others, and how well
 * it goes along memory.
 */
struct members {
	isl_multi_union_pw_aff *partial;
	isl_union_set *domain;		/* of the instances */
	double count[16], score[16];
	int n;
};

/* The parallel members of "band" with their lengths and strides. The caller
 * frees "partial" and "domain".
 */
static struct members members_of(struct poly_prog *prog,
	__isl_keep isl_schedule_node *band)
{
	struct members m = { .partial =
		isl_schedule_node_band_get_partial_schedule(band) };

	m.domain = poly_node_domain(band);
	m.n = isl_multi_union_pw_aff_size(m.partial);
	for (int i = 0; i < m.n; i++) {
		isl_union_pw_aff *member =
			isl_multi_union_pw_aff_get_at(m.partial, i);

		if (isl_schedule_node_band_member_get_coincident(band, i) ==
		    isl_bool_true)
			m.count[i] = poly_member_count(prog, band, i);
		m.score[i] = poly_stride_score(prog, member, m.domain);
		isl_union_pw_aff_free(member);
	}
	return m;
}

static double at_most(double count, double most)
{
	return count < most ? count : most;
}

/* The member that "threads" threads share: the best along memory of those that
 * are long enough, or else the longest.
 */
static int shared_member(const struct members *m, double threads)
{
	int best = -1;

	for (int i = 0; i < m->n; i++) {
		double more = m->count[i] > 0 && best >= 0 ?
			at_most(m->count[i], threads) -
			at_most(m->count[best], threads) : 0;

		if (m->count[i] > 0 && (best < 0 || more > 0 ||
		    (more == 0 && m->score[i] >= m->score[best])))
			best = i;
	}
	return best < 0 ? 0 : best;
}

/* The longest other parallel member than "but", or -1. */
static int longest_but(const struct members *m, int but)
{
	int best = -1;

	for (int i = 0; i < m->n; i++)
		if (i != but && m->count[i] > 0 &&
		    (best < 0 || m->count[i] > m->count[best]))
			best = i;
	return best;
}

/* Member "i", counted from its first value if that is a constant, modulo "n". */
static __isl_give isl_union_pw_aff *rounds(struct poly_prog *prog,
	const struct members *m, int i, int n)
{
	isl_union_pw_aff *member = isl_multi_union_pw_aff_get_at(m->partial,
		i);
	isl_val *first = isl_union_pw_aff_min_val(
		isl_union_pw_aff_intersect_domain(
			isl_union_pw_aff_copy(member),
			isl_union_set_copy(m->domain)));

	if (isl_val_is_int(first) == isl_bool_true)
		member = isl_union_pw_aff_sub(member,
			isl_union_pw_aff_val_on_domain(isl_union_set_universe(
				isl_union_set_copy(m->domain)), first));
	else
		isl_val_free(first);
	return isl_union_pw_aff_mod_val(member,
		isl_val_int_from_si(prog->ctx, n));
}

/* Share a band among the blocks that run together: the blocks take one member and
 * the threads another, or all of them take one, where that occupies more.
 */
static __isl_give isl_schedule_node *share_together(const struct sharing *s,
	__isl_take isl_schedule_node *node, const struct members *m)
{
	int all = s->blocks * s->threads, one = shared_member(m, all);
	int column = shared_member(m, s->threads);
	int row = longest_but(m, column);
	isl_union_pw_aff *at;

	if (row >= 0 && at_most(m->count[row], s->blocks) *
	    at_most(m->count[column], s->threads) >=
	    at_most(m->count[one], all)) {
		at = rounds(s->prog, m, row, s->blocks);
		return in_thread(s, node, at, rounds(s->prog, m, column,
			s->threads));
	}
	at = rounds(s->prog, m, one, all);
	at = isl_union_pw_aff_sub(at,
		coordinate(s, node, POLY_BLOCK + 1, s->threads));
	at = isl_union_pw_aff_sub(at,
		coordinate(s, node, POLY_THREAD + 1, 1));
	return mark_threads(where_zero(node, at));
}

/* Has "value" a few values in "domain", whatever the sizes are? */
static bool has_few(struct poly_prog *prog,
	__isl_keep isl_union_pw_aff *value, __isl_keep isl_union_set *domain)
{
	isl_union_pw_aff *here = isl_union_pw_aff_intersect_domain(
		isl_union_pw_aff_copy(value), isl_union_set_intersect_params(
			isl_union_set_copy(domain),
			poly_known_sizes(prog)));
	isl_val *first = isl_union_pw_aff_min_val(isl_union_pw_aff_copy(here));
	isl_val *last = isl_union_pw_aff_max_val(here);
	bool few = isl_val_is_int(first) == isl_bool_true &&
		isl_val_is_int(last) == isl_bool_true;

	last = isl_val_sub(last, first);
	few = few && isl_val_cmp_si(last, MOST_ROUNDS) < 0;
	isl_val_free(last);
	return few;
}

/* Where a band is one loop around statements, and its rounds are few, unroll them:
 *
 *	band [i] 1			band [floor(i/1024)] 1	unrolled
 *
 * so that the loads of all rounds are under way at once.
 */
static __isl_give isl_schedule_node *unroll_rounds(const struct sharing *s,
	__isl_take isl_schedule_node *node, const struct members *m)
{
	isl_schedule_node *child = isl_schedule_node_get_child(node, 0);
	bool leaf = isl_schedule_node_get_type(child) ==
		isl_schedule_node_leaf;
	isl_union_pw_aff *round;

	isl_schedule_node_free(child);
	if (!leaf || m->n != 1)
		return node;
	round = isl_union_pw_aff_floor(isl_union_pw_aff_scale_down_val(
		isl_multi_union_pw_aff_get_at(m->partial, 0),
		isl_val_int_from_si(s->prog->ctx, s->threads)));
	if (!has_few(s->prog, round, m->domain)) {
		isl_union_pw_aff_free(round);
		return node;
	}
	node = isl_schedule_node_insert_partial_schedule(
		isl_schedule_node_delete(node),
		isl_multi_union_pw_aff_from_union_pw_aff(round));
	node = isl_schedule_node_band_member_set_coincident(node, 0, 1);
	node = isl_schedule_node_band_set_permutable(node, 1);
	return poly_unrolled(node);
}

/* Give the instances below the parallel band "node" to the threads, in turn
 * along one member. A band of several blocks is shared by blocks and threads
 * (share_together).
 */
static __isl_give isl_schedule_node *share_band(const struct sharing *s,
	__isl_take isl_schedule_node *node)
{
	struct members m = members_of(s->prog, node);
	isl_union_pw_aff *member;

	if (s->blocks) {
		node = share_together(s, node, &m);
	} else {
		member = isl_multi_union_pw_aff_get_at(m.partial,
			shared_member(&m, s->threads));
		node = unroll_rounds(s, node, &m);
		node = in_thread(s, node, NULL, isl_union_pw_aff_mod_val(member,
			isl_val_int_from_si(s->prog->ctx, s->threads)));
	}
	isl_multi_union_pw_aff_free(m.partial);
	isl_union_set_free(m.domain);
	return node;
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
static __isl_give isl_schedule_node *share(const struct sharing *s,
	__isl_take isl_schedule_node *node)
{
	enum isl_schedule_node_type type = isl_schedule_node_get_type(node);
	isl_size n;

	if (!has_bands_to_share(node))
		return in_first(s, node);
	if (type == isl_schedule_node_band) {
		if (poly_band_shape(node) == POLY_BAND_PARALLEL)
			return share_band(s, node);
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
		node = share(s, node);
		if (filter)
			node = isl_schedule_node_parent(node);
		node = isl_schedule_node_parent(node);
	}
	return node;
}

__isl_give isl_schedule_node *poly_share_in_block(struct poly_prog *prog,
	const struct poly_kernel *kernel, __isl_take isl_schedule_node *node)
{
	struct sharing s = { prog, kernel->thread[1], 0 };

	return share(&s, node);
}

/* The launch and the coordinates of the blocks and their threads. */
static __isl_give isl_union_set *block_filter(
	__isl_keep isl_schedule_node *node, const struct sharing *sharing)
{
	const int size[2][2] = { { 1, sharing->blocks ? sharing->blocks : 1 },
		{ 1, sharing->threads } };
	isl_union_set *filter = poly_launch_filter(sharing->prog, node);
	isl_space *place = poly_tuple(sharing->prog->ctx, NULL);
	isl_set *set;

	for (int i = 0; i < 4; i++)
		place = poly_add_size(place, poly_coordinate(sharing->prog,
			(i < 2 ? POLY_BLOCK : POLY_THREAD) + i % 2));
	set = isl_set_universe(isl_space_copy(place));
	for (int i = 0; i < 4; i++)
		set = poly_between(set, poly_at(place, "%s", poly_coordinate(
			sharing->prog, (i < 2 ? POLY_BLOCK : POLY_THREAD) +
			i % 2)), size[i / 2][i % 2]);
	isl_space_free(place);
	return isl_union_set_intersect_params(filter, isl_set_params(set));
}

static __isl_give isl_pw_aff *number(isl_ctx *ctx, int n)
{
	return isl_pw_aff_val_on_domain(isl_set_universe(
		isl_space_params_alloc(ctx, 0)), isl_val_int_from_si(ctx, n));
}

/* Remark, if the report wants to hear it, why the kernel "name" is what it is. */
static void explain(struct poly_prog *prog, const char *name,
	const struct poly_loop_cost *c, const struct sharing *sharing)
{
	struct poly_str s = { 0 };

	if (!prog->report || !prog->report->remarks)
		return;
	if (sharing->blocks)
		poly_str_printf(&s, "%d blocks that wait for one another, "
			"about %.0f us; one block, about %.0f us; %.0f "
			"launches, about %.0f us", sharing->blocks,
			c->together, c->block, c->n, c->launches);
	else
		poly_str_printf(&s, "one block, about %.0f us; with more, "
			"%.0f launches, about %.0f us, or, as blocks that "
			"wait for one another, about %.0f us", c->block, c->n,
			c->launches, c->together);
	poly_report_add(prog->report, MSG_POLY_CHOICE, NULL, name,
		s.s ? s.s : "");
	poly_str_free(&s);
}

/* Choose how many threads and blocks. */
static struct sharing choose_sharing(struct poly_prog *prog,
	const struct poly_loop_cost *c, bool together)
{
	struct sharing s = { prog, LEAST_THREADS, 0 };
	int blocks = prog->target.multiprocessors > 1 ?
		prog->target.multiprocessors : 2;
	int most = together ? POLY_MOST_TOGETHER : POLY_MOST_THREADS;

	if (together)
		s.blocks = prog->request.blocks ? prog->request.blocks : blocks;
	if (together && prog->request.blocks)
		return s;
	while (s.threads < c->width && s.threads < most &&
	       (!together || (double) s.threads * s.blocks < c->area))
		s.threads *= 2;
	if (together && c->area < (double) s.threads * s.blocks &&
	    c->area <= c->width)
		s.blocks = (int) ((c->area + s.threads - 1) / s.threads);
	return s;
}

__isl_give isl_schedule_node *poly_map_block(struct poly_prog *prog,
	__isl_take isl_schedule_node *node, bool together)
{
	isl_union_set *domain = poly_node_domain(node), *filter;
	struct poly_kernel *kernel = poly_kernel_add(prog, domain);
	struct poly_loop_cost cost = poly_loop_cost(prog, node);
	struct sharing s = choose_sharing(prog, &cost, together);

	isl_union_set_free(domain);
	if (!kernel)
		return isl_schedule_node_free(node);
	explain(prog, kernel->name, &cost, &s);
	filter = block_filter(node, &s);
	kernel->block = true;
	kernel->together = together;
	kernel->thread[1] = kernel->tile[1] = s.threads;
	kernel->tile_k = 0;
	kernel->grid[0] = number(prog->ctx, 1);
	kernel->grid[1] = number(prog->ctx, together ? s.blocks : 1);
	node = share(&s, node);
	node = isl_schedule_node_insert_filter(node, filter);
	return poly_insert_kernel_mark(node, kernel->name);
}
