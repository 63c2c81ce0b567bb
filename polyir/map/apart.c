/* Why kernels stay apart: for each two of which one computes what the other
 * needs, the two are scheduled as one, and what stands in the way becomes a
 * remark.
 */
#include "polyir/base/base.h"
#include "polyir/ir/ir.h"
#include "polyir/schedule/schedule.h"
#include "polyir/map/map.h"

/* True if instances of "to" need values that instances of "from" compute. */
static bool needs(struct poly_prog *prog, __isl_keep isl_union_set *to,
	__isl_keep isl_union_set *from)
{
	isl_union_map *flow = isl_union_map_copy(prog->deps.flow);
	bool needed;

	flow = isl_union_map_intersect_domain(flow, isl_union_set_copy(from));
	flow = isl_union_map_intersect_range(flow, isl_union_set_copy(to));
	needed = isl_union_map_is_empty(flow) == isl_bool_false;
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

/* Do the instances of "both" fit into one kernel? */
static enum poly_fit fit_together(struct poly_prog *prog,
	__isl_take isl_union_set *both)
{
	isl_schedule *schedule = poly_schedule_domain(prog, both);
	enum poly_fit fit = schedule ? poly_fit_schedule(prog, schedule) :
		POLY_FIT_LOOPS;

	isl_schedule_free(schedule);
	return fit;
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
	enum poly_fit fit;

	for (int i = 0; stmt && i < n; i++)
		if (stmt[i]->write_array == stmt[0]->write_array)
			both = isl_union_set_add_set(both,
				isl_set_copy(stmt[i]->domain));
	fit = fit_together(prog, both);
	if (stmt && n && fit != POLY_FIT)
		poly_str_printf(why, "statements are placed one after the "
			"other, and %s would not go with the first: ",
			stmt[0]->name);
	poly_str_add(why, fit_text(fit));
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
	struct poly_str why = { 0 };
	enum poly_fit fit;

	if (between) {
		poly_str_printf(&why, "%s runs between them, needs the first "
			"and is needed by the second", between->name);
	} else if (large) {
		poly_str_printf(&why, "together they have more than %d "
			"statements", POLY_FIT_STATEMENTS);
	} else {
		fit = fit_together(prog, isl_union_set_copy(both));
		if (fit == POLY_FIT)
			explain_order(prog, from, to, &why);
		else
			poly_str_add(&why, fit_text(fit));
	}
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
