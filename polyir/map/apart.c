/* Why kernels stay apart: for each two of which one computes what the other
 * needs, the two are scheduled as one, and what stands in the way becomes a
 * remark: in words, and with two instances of which the second needs the first
 * and is at another point of the two outer loops, where a kernel cannot wait.
 */
#include <stdlib.h>

#include "polyir/base/base.h"
#include "polyir/ir/ir.h"
#include "polyir/legal/legal.h"
#include "polyir/schedule/schedule.h"
#include "polyir/map/map.h"

/* The instances of "from" that compute values, and those of "to" that need them. */
static __isl_give isl_union_map *flow_between(struct poly_prog *prog,
	__isl_keep isl_union_set *from, __isl_keep isl_union_set *to)
{
	isl_union_map *flow = isl_union_map_copy(prog->deps.flow);

	flow = isl_union_map_intersect_domain(flow, isl_union_set_copy(from));
	return isl_union_map_intersect_range(flow, isl_union_set_copy(to));
}

/* True if instances of "to" need values that instances of "from" compute. */
static bool needs(struct poly_prog *prog, __isl_keep isl_union_set *to,
	__isl_keep isl_union_set *from)
{
	isl_union_map *flow = flow_between(prog, from, to);
	bool needed = isl_union_map_is_empty(flow) == isl_bool_false;

	isl_union_map_free(flow);
	return needed;
}

/* The kernel that needs "from" and is needed by "to", which could only run
 * inside of the two if they were one; or NULL.
 */
static const struct poly_kernel *find_between(struct poly_prog *prog, int from,
	int to)
{
	const struct poly_kernel *found = NULL;
	isl_union_set *first = poly_kernel_domain(prog, prog->kernel[from]);
	isl_union_set *last = poly_kernel_domain(prog, prog->kernel[to]);

	for (int i = from + 1; i < to && !found; i++) {
		isl_union_set *middle =
			poly_kernel_domain(prog, prog->kernel[i]);

		if (needs(prog, middle, first) && needs(prog, last, middle))
			found = prog->kernel[i];
		isl_union_set_free(middle);
	}
	isl_union_set_free(first);
	isl_union_set_free(last);
	return found;
}

/* The words of a remark for the reason "fit" why two kernels are not one. */
static const char *fit_text(enum poly_fit fit)
{
	switch (fit) {
	case POLY_FIT_WORDS:
		return "what a thread accumulates for both does not fit into "
			"its registers";
	case POLY_FIT_LOOPS:
		return "they have fewer than two outer loops in common, and a "
			"kernel needs two";
	case POLY_FIT_PARALLEL:
		return "of the outer loops in common, fewer than two are "
			"parallel, and a kernel needs two";
	case POLY_FIT_CELLS:
		return "fewer outer loops in common are parallel than a "
			"reduction has without the other";
	case POLY_FIT_RANGES:
		return "their outer loops have different ranges";
	default:
		return "the scheduler orders them one after the other";
	}
}

/* "points" with "n" more coordinates, which are 0. */
static __isl_give isl_union_map *pad(__isl_take isl_union_map *points, int n)
{
	isl_union_map *padded = isl_union_map_empty(
		isl_union_map_get_space(points));
	isl_map_list *list = isl_union_map_get_map_list(points);

	for (int i = 0; i < (int)isl_map_list_size(list); i++) {
		isl_map *map = isl_map_list_get_at(list, i);
		int at = isl_map_dim(map, isl_dim_out);

		map = isl_map_add_dims(map, isl_dim_out, n);
		for (int k = 0; k < n; k++)
			map = isl_map_fix_si(map, isl_dim_out, at + k, 0);
		padded = isl_union_map_add_map(padded,
			isl_map_reset_tuple_id(map, isl_dim_out));
	}
	isl_map_list_free(list);
	isl_union_map_free(points);
	return padded;
}

/* Add to "points" where the instances below "node" are along the two outermost loops
 * around each, which is 0 along a loop that there is not.
 */
static __isl_give isl_union_map *add_points(__isl_take isl_schedule_node *node,
	__isl_take isl_union_map *points)
{
	int depth = isl_schedule_node_get_schedule_depth(node);
	int n = isl_schedule_node_n_children(node);
	isl_multi_union_pw_aff *loops;

	for (int i = 0; i < n && depth < 2; i++)
		points = add_points(isl_schedule_node_get_child(node, i),
			points);
	if (n == 0 || depth >= 2) {
		loops =
		isl_schedule_node_get_prefix_schedule_multi_union_pw_aff(node);
		loops = isl_multi_union_pw_aff_intersect_domain(loops,
			poly_node_domain(node));
		points = isl_union_map_union(points, depth >= 2 ?
			isl_union_map_from_multi_union_pw_aff(
				isl_multi_union_pw_aff_drop_dims(loops,
				isl_dim_set, 2, depth - 2)) :
			pad(isl_union_map_from_multi_union_pw_aff(loops),
				2 - depth));
	}
	isl_schedule_node_free(node);
	return points;
}

/* Where the instances of "domain", which is taken, are along the first two indices of
 * each.
 */
static __isl_give isl_union_map *own_points(__isl_take isl_union_set *domain)
{
	isl_union_map *same = isl_union_set_identity(domain), *points;
	isl_map_list *list = isl_union_map_get_map_list(same);

	points = isl_union_map_empty(isl_union_map_get_space(same));
	for (int i = 0; i < (int)isl_map_list_size(list); i++) {
		isl_map *map = isl_map_list_get_at(list, i);
		int n = isl_map_dim(map, isl_dim_out), kept = n < 2 ? n : 2;

		map = isl_map_project_out(map, isl_dim_out, kept, n - kept);
		map = isl_map_reset_tuple_id(map, isl_dim_out);
		points = isl_union_map_union(points,
			pad(isl_union_map_from_map(map), 2 - kept));
	}
	isl_map_list_free(list);
	isl_union_map_free(same);
	return points;
}

/* "pairs" for sizes of at least 1, if there are any then. */
static __isl_give isl_union_map *with_sizes(__isl_take isl_union_map *pairs)
{
	isl_set *sizes = isl_set_universe(isl_union_map_get_space(pairs));
	int n = isl_set_dim(sizes, isl_dim_param);
	isl_union_map *some;

	for (int i = 0; i < n; i++)
		sizes = isl_set_lower_bound_si(sizes, isl_dim_param, i, 1);
	some = isl_union_map_intersect_params(isl_union_map_copy(pairs), sizes);
	if (isl_union_map_is_empty(some) != isl_bool_false) {
		isl_union_map_free(some);
		return pairs;
	}
	isl_union_map_free(pairs);
	return some;
}

/* Add two instances of the kernels "from" and "to" of which the second needs the first,
 * and which are apart if both are scheduled as "schedule", NULL: by their indices; nothing
 * if none are. Sizes are at least 1, where that leaves any.
 */
static void add_instances(struct poly_prog *prog, int from, int to,
	__isl_keep isl_schedule *schedule, struct poly_str *why)
{
	isl_union_set *first = poly_kernel_domain(prog, prog->kernel[from]);
	isl_union_set *last = poly_kernel_domain(prog, prog->kernel[to]);
	isl_union_map *flow = flow_between(prog, first, last), *points;
	isl_union_map *back;
	struct poly_pair pair;

	points = schedule ? add_points(isl_schedule_node_child(
			isl_schedule_get_root(schedule), 0),
			isl_union_map_empty(isl_union_map_get_space(flow))) :
		own_points(isl_union_set_union(isl_union_set_copy(first),
			isl_union_set_copy(last)));
	back = isl_union_map_reverse(isl_union_map_copy(points));
	flow = isl_union_map_subtract(flow,
		isl_union_map_apply_range(points, back));
	flow = with_sizes(flow);
	if (isl_union_map_is_empty(flow) == isl_bool_false) {
		pair = poly_witness(prog, flow);
		poly_str_printf(why, "; %s must come before %s, which is at "
			"another point of their loops",
			pair.source ? pair.source : "an instance",
			pair.sink ? pair.sink : "another");
		free(pair.source);
		free(pair.sink);
	}
	isl_union_map_free(flow);
	isl_union_set_free(first);
	isl_union_set_free(last);
}

/* Do the instances of "both" fit into one kernel? "*schedule" is how they are one; free
 * it.
 */
static enum poly_fit fit_together(struct poly_prog *prog,
	__isl_take isl_union_set *both, __isl_give isl_schedule **schedule)
{
	*schedule = poly_schedule_domain(prog, both);
	return *schedule ? poly_fit_schedule(prog, *schedule) : POLY_FIT_LOOPS;
}

/* Add why the kernels "from" and "to" do not fit, in words and by instances. */
static void explain_fit(struct poly_prog *prog, int from, int to,
	enum poly_fit fit, __isl_keep isl_schedule *schedule,
	struct poly_str *why)
{
	poly_str_add(why, fit_text(fit));
	if (fit == POLY_FIT_LOOPS || fit == POLY_FIT_PARALLEL ||
	    fit == POLY_FIT_CELLS)
		add_instances(prog, from, to, schedule, why);
}

/* The two would fit, but statements are placed one after the other: say why
 * the first of kernel "to" was not placed into kernel "from".
 */
static void explain_order(struct poly_prog *prog, int from, int to,
	struct poly_str *why)
{
	isl_union_set *both = poly_kernel_domain(prog, prog->kernel[from]);
	int n;
	struct poly_stmt **stmt =
		poly_kernel_stmts(prog, prog->kernel[to], &n);
	isl_schedule *schedule;
	enum poly_fit fit;

	for (int i = 0; stmt && i < n; i++)
		if (stmt[i]->write_array == stmt[0]->write_array)
			both = isl_union_set_add_set(both,
				isl_set_copy(stmt[i]->domain));
	fit = fit_together(prog, both, &schedule);
	if (stmt && n && fit != POLY_FIT)
		poly_str_printf(why, "statements are placed one after the "
			"other, and %s would not go with the first: ",
			stmt[0]->name);
	explain_fit(prog, from, to, fit, schedule, why);
	isl_schedule_free(schedule);
	free(stmt);
}

/* Remark why kernels "from" and "to" stay apart: a third one runs in between,
 * they have too many statements, or what stands in the way when "both", their
 * instances (taken), are scheduled as one.
 */
static isl_stat remark(struct poly_prog *prog, int from, int to,
	__isl_take isl_union_set *both)
{
	const struct poly_kernel *between = find_between(prog, from, to);
	bool large = isl_union_set_n_set(both) > POLY_FIT_STATEMENTS;
	isl_schedule *schedule = NULL;
	struct poly_str why = { 0 };
	enum poly_fit fit;

	if (between) {
		poly_str_printf(&why, "%s runs between them, needs the first "
			"and is needed by the second", between->name);
	} else if (large) {
		poly_str_printf(&why, "together they have more than %d "
			"statements", POLY_FIT_STATEMENTS);
	} else {
		fit = fit_together(prog, isl_union_set_copy(both), &schedule);
		if (fit == POLY_FIT)
			explain_order(prog, from, to, &why);
		else
			explain_fit(prog, from, to, fit, schedule, &why);
	}
	isl_schedule_free(schedule);
	isl_union_set_free(both);
	poly_report_add(prog->report, MSG_POLY_APART, NULL,
		prog->kernel[from]->name, prog->kernel[to]->name,
		why.s ? why.s : "");
	poly_str_free(&why);
	return isl_stat_ok;
}

isl_stat poly_explain_apart(struct poly_prog *prog)
{
	isl_stat ok = isl_stat_ok;

	for (int to = 1; to < prog->n_kernel; to++) {
		isl_union_set *last =
			poly_kernel_domain(prog, prog->kernel[to]);

		for (int from = 0; from < to && ok == isl_stat_ok; from++) {
			isl_union_set *first =
				poly_kernel_domain(prog, prog->kernel[from]);

			if (needs(prog, last, first))
				ok = remark(prog, from, to,
					isl_union_set_union(
					isl_union_set_copy(first),
					isl_union_set_copy(last)));
			isl_union_set_free(first);
		}
		isl_union_set_free(last);
	}
	return ok;
}
