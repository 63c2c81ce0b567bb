/* The first schedule of the whole program.
 *
 * It is the candidate with most parallelism (parallel.c) among isl's schedule,
 * isl's without fusion, and the order of the text, where it has one, so that a
 * program that is too large for isl's scheduler still compiles. Too large is
 * what has many statements and loops, or takes isl many operations: the same
 * on every machine.
 */
#include <isl/aff.h>
#include <isl/options.h>
#include <isl/union_map.h>
#include <isl/val.h>

#include "polyir/base/base.h"
#include "polyir/ir/ir.h"
#include "polyir/prepare/prepare.h"
#include "polyir/schedule/schedule.h"
#include "polyir/sets/sets.h"

/* Operations that isl may put into one search; where one has taken more, into
 * the next. One takes the longer the more dependences of loops there are: with
 * more than FEW parts of them, in which its systems have big numbers, up to ten
 * microseconds in place of half of one.
 */
#define SEARCH 1000000ul
#define SEARCH_MANY 450000ul
#define SEARCH_LARGE 10000000ul
#define SEARCH_AGAIN 125000ul
#define FEW 64

/* What isl may multiply loops by and add to them. Without a limit it finds
 * schedules that are right, but count in steps of an array's size. Where it
 * gives up permutable loops it forgets the limit: it finds wave fronts so, but
 * inside of parallel loops it puts a whole nest of small loops into one,
 * 124 * i + 25 * j + 5 * k + l, which takes minutes to make loops of. So there a
 * schedule with a coefficient above FAR is not considered.
 */
#define MOST_COEFFICIENT 4
#define MOST_CONSTANT 64
#define FAR 16

/* Add the number of pieces of "map" to "user", if both ends are in loops. */
static isl_stat count_parts(__isl_take isl_map *map, void *user)
{
	isl_size n = isl_map_n_basic_map(map);

	if (isl_map_dim(map, isl_dim_in) > 0 &&
	    isl_map_dim(map, isl_dim_out) > 0)
		*(int *)user += n > 0 ? n : 0;
	isl_map_free(map);
	return isl_stat_ok;
}

/* The parts that the dependences between loops of "prog" have. */
static int n_parts(const struct poly_prog *prog)
{
	isl_union_map *all[] = {
		prog->deps.flow, prog->deps.anti, prog->deps.output,
		prog->deps.reduction
	};
	int n = 0;

	for (int i = 0; i < 4; i++)
		isl_union_map_foreach_map(all[i], count_parts, &n);
	return n;
}

/* The best candidate so far. */
struct best {
	isl_schedule *schedule;
	int score;
	int bound;	/* that no score is above */
};

/* Has every loop that counts been found parallel? Then nothing is better. */
static bool is_best(const struct best *best)
{
	return best->schedule && best->score > 0 && best->score >= best->bound;
}

/* Keep "schedule" if it is better than what there is. */
static void consider(struct poly_prog *prog, struct best *best,
	__isl_take isl_schedule *schedule)
{
	int score;

	if (!schedule) {
		isl_ctx_reset_error(prog->ctx);
		return;
	}
	schedule = poly_scatter_inside(prog, schedule);
	score = poly_parallel_score(schedule);
	if (best->schedule && score <= best->score && best->score) {
		isl_schedule_free(schedule);
		return;
	}
	isl_schedule_free(best->schedule);
	best->schedule = schedule;
	best->score = score;
}

/* Note a coefficient, or a constant, that is too large. */
static isl_stat look_at_aff(__isl_take isl_set *set, __isl_take isl_aff *aff,
	void *user)
{
	*(bool *)user |= !poly_aff_is_within(aff, FAR);
	isl_set_free(set);
	isl_aff_free(aff);
	return isl_stat_ok;
}

static isl_stat look_at_member(__isl_take isl_pw_aff *pa, void *user)
{
	isl_stat ok = isl_pw_aff_foreach_piece(pa, look_at_aff, user);

	isl_pw_aff_free(pa);
	return ok;
}

/* Is a loop around "node", which is taken, parallel? */
static bool is_in_parallel(__isl_take isl_schedule_node *node)
{
	bool any = false;

	while (isl_schedule_node_has_parent(node) == isl_bool_true) {
		node = isl_schedule_node_parent(node);
		if (isl_schedule_node_get_type(node) ==
		    isl_schedule_node_band)
			any |= isl_schedule_node_band_member_get_coincident(
				node, 0) == isl_bool_true;
	}
	isl_schedule_node_free(node);
	return any;
}

/* Note in "user" a band inside of a parallel loop that counts in steps of more
 * than FAR.
 */
static isl_bool look_at_band(__isl_keep isl_schedule_node *node, void *user)
{
	isl_multi_union_pw_aff *partial;
	isl_size n;

	if (isl_schedule_node_get_type(node) != isl_schedule_node_band ||
	    !is_in_parallel(isl_schedule_node_copy(node)))
		return isl_bool_true;
	partial = isl_schedule_node_band_get_partial_schedule(node);
	n = isl_multi_union_pw_aff_size(partial);
	for (int i = 0; i < n; i++) {
		isl_union_pw_aff *member =
			isl_multi_union_pw_aff_get_at(partial, i);

		isl_union_pw_aff_foreach_pw_aff(member, look_at_member, user);
		isl_union_pw_aff_free(member);
	}
	isl_multi_union_pw_aff_free(partial);
	return isl_bool_true;
}

/* "schedule", which is taken, or NULL if a loop inside of parallel ones counts in
 * long steps.
 */
static __isl_give isl_schedule *without_long_steps(
	__isl_take isl_schedule *schedule)
{
	bool far = false;

	isl_schedule_foreach_schedule_node_top_down(schedule, look_at_band,
		&far);
	return far ? isl_schedule_free(schedule) : schedule;
}

/* Definitions of fixed sizes are searched up to this measure, all others up to
 * POLY_LARGE.
 */
enum { POLY_LARGE_FIXED = 700 };

/* How isl may fuse: as it likes, so that all loops stay parallel, not at all. */
enum fusion { FUSE, FUSE_PARALLEL, FUSE_NOT };

/* Consider what isl finds with "fusion"; false if that takes longer than "budget"
 * allows.
 */
static bool ask_isl(struct poly_prog *prog, struct best *best,
	enum fusion fusion, unsigned long budget)
{
	static const char *const name[] = {
		"with fusion", "with parallel fusion", "without fusion"
	};
	isl_ctx *ctx = prog->ctx;
	unsigned long all = poly_ctx_attempt(ctx, budget);
	isl_schedule *schedule;
	bool spent;

	isl_options_set_schedule_max_coefficient(ctx, MOST_COEFFICIENT);
	isl_options_set_schedule_max_constant_term(ctx, MOST_CONSTANT);
	isl_options_set_schedule_maximize_coincidence(ctx,
		fusion == FUSE_PARALLEL);
	isl_options_set_schedule_serialize_sccs(ctx, fusion == FUSE_NOT);
	schedule = poly_schedule_deps(prog);
	isl_options_set_schedule_serialize_sccs(ctx, 0);
	isl_options_set_schedule_maximize_coincidence(ctx, 0);
	isl_options_set_schedule_max_coefficient(ctx, -1);
	isl_options_set_schedule_max_constant_term(ctx, -1);
	spent = !poly_ctx_attempted(ctx, all) && !schedule;
	if (spent)
		poly_report_add(prog->report, MSG_POLY_SEARCH, NULL,
			name[fusion], budget);
	if (!schedule)
		isl_ctx_reset_error(ctx);
	else if (prog->original)
		schedule = without_long_steps(schedule);
	consider(prog, best, schedule);
	return !spent;
}

/* The candidate with the best score; without parallel loops the last one,
 * which is the order of the text.
 */
static __isl_give isl_schedule *choose(struct poly_prog *prog)
{
	struct best best = { .bound = poly_parallel_bound(prog) };
	bool many = prog->original && n_parts(prog) > FEW;
	unsigned long most = many ? SEARCH_MANY : SEARCH;
	int size = poly_measure(prog);
	bool fixed = !prog->original && poly_prog_is_fixed(prog);
	int large = fixed ? POLY_LARGE_FIXED : POLY_LARGE;

	if (size > POLY_LARGE && fixed)
		most = SEARCH_LARGE;
	if (size > large) {
		poly_report_add(prog->report, MSG_POLY_LARGE, NULL, size,
			large, prog->original ? "their order stays" :
			"nothing is fused");
	} else if (!ask_isl(prog, &best, FUSE, most) || many ||
		(!is_best(&best) &&
		!ask_isl(prog, &best, FUSE_PARALLEL, most))) {
		most = SEARCH_AGAIN;
	}
	if (!is_best(&best) && (size <= large || !prog->original))
		ask_isl(prog, &best, FUSE_NOT, prog->original ? most :
			POLY_BUDGET);
	if (!best.schedule && !prog->original)
		consider(prog, &best, poly_schedule_deps(prog));
	if (prog->original && !is_best(&best))
		consider(prog, &best, poly_find_coincident(prog,
			isl_schedule_copy(prog->original)));
	if (best.schedule)
		best.schedule = poly_own_loops(prog, best.schedule);
	return best.schedule ? poly_sink_parallel(prog, best.schedule) : NULL;
}

/* Order all statements, fusing what shares parallel loops, after it is known which
 * of them are atomic, and which exponents have a sign.
 *
 * requires deps, before kernels; establishes schedule
 */
isl_stat poly_schedule(struct poly_prog *prog)
{
	isl_schedule *schedule = poly_sign_exponents(prog) < 0 ||
		poly_scatter(prog) < 0 ? NULL : choose(prog);

	if (!schedule && (isl_ctx_last_error(prog->ctx) == isl_error_alloc ||
	    poly_ctx_spent(prog->ctx)))
		return poly_isl_error(prog, "schedule");
	if (!schedule) {
		poly_report_add(prog->report, MSG_POLY_NO_SCHEDULE, NULL,
			isl_ctx_last_error_msg(prog->ctx));
		isl_ctx_reset_error(prog->ctx);
		return isl_stat_error;
	}
	return poly_set_schedule(prog, schedule);
}
