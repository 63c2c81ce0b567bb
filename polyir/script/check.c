/* Is the plan legal? All is asked of the dependences, after each command:
 *
 * order: a thread goes through its instances in an order that respects them;
 * places: no dependence, nor two updates of one cell, are in different blocks or
 *	threads of a launch, or in launches that run at one time. There are no barriers
 *	within what a script maps.
 *
 * The first that is not respected, and two of its instances, is why a command is
 * refused.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <isl/space.h>

#include "polyir/base/base.h"
#include "polyir/ir/ir.h"
#include "polyir/legal/legal.h"
#include "polyir/schedule/schedule.h"
#include "polyir/sets/sets.h"
#include "polyir/script/command.h"
#include "polyir/script/plan.h"

static const char *const kind_name[POLY_N_DEP] = {
	"flow", "anti", "output", "reduction"
};

void poly_refusal_clear(struct poly_refusal *why)
{
	free(why->source);
	free(why->sink);
	*why = (struct poly_refusal){ .kind = NULL };
}

void poly_refuse(struct poly_refusal *why, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(why->text, sizeof(why->text), format, args);
	va_end(args);
}

/* The dependences of kind number "kind", as "kind_name" has them. */
__isl_give isl_union_map *poly_deps_of_kind(const struct poly_plan *plan,
	int kind)
{
	const struct poly_deps *d = &plan->prog->deps;
	isl_union_map *const all[POLY_N_DEP] = {
		d->flow, d->anti, d->output, d->reduction
	};
	isl_union_map *deps = isl_union_map_copy(all[kind]);

	for (int i = 0; i < plan->n_kept; i++) {
		isl_union_map *const more[POLY_N_DEP] = {
			NULL, plan->kept[i].anti, plan->kept[i].output, NULL
		};

		if (more[kind])
			deps = isl_union_map_union(deps,
				isl_union_map_copy(more[kind]));
	}
	return kind == POLY_DEP_ANTI && plan->made ? isl_union_map_union(deps,
		isl_union_map_copy(plan->made)) : deps;
}

/* The part of "pairs" for the sizes that there may be. */
static __isl_give isl_union_map *possible(struct poly_prog *prog,
	__isl_take isl_union_map *pairs)
{
	pairs = isl_union_map_intersect_params(pairs,
		isl_set_copy(prog->context));
	return isl_union_map_intersect_params(pairs, poly_known_sizes(prog));
}

/* Keep in "user" the first map that is not empty. */
static isl_stat keep_one(__isl_take isl_map *map, void *user)
{
	isl_map **one = user;

	if (!*one && isl_map_is_empty(map) == isl_bool_false)
		*one = map;
	else
		isl_map_free(map);
	return isl_stat_ok;
}

/* Name the statements and the array of the pair that "why" shows, one of "pairs". */
static void name_ends(struct poly_prog *prog, struct poly_refusal *why,
	__isl_keep isl_union_map *pairs)
{
	const char *sink = why->sink ? why->sink : "";
	const char *source = why->source ? why->source : "";
	isl_map *map = NULL;

	if (*source == '[' && strstr(source, "] "))
		source = strstr(source, "] ") + 2;
	for (int i = 0; i < prog->n_stmt; i++) {
		const char *name = prog->stmt[i]->name;
		size_t len = strlen(name);

		if (!strncmp(source, name, len) && source[len] == '[')
			why->from = prog->stmt[i];
		if (!strncmp(sink, name, len) && sink[len] == '[')
			why->to = prog->stmt[i];
	}
	if (!why->from || !why->to)
		return;
	pairs = isl_union_map_intersect_domain(isl_union_map_copy(pairs),
		isl_union_set_from_set(isl_set_copy(why->from->domain)));
	pairs = isl_union_map_intersect_range(pairs,
		isl_union_set_from_set(isl_set_copy(why->to->domain)));
	isl_union_map_foreach_map(pairs, keep_one, &map);
	why->array = map ? poly_shared_array(prog, map) : NULL;
	isl_map_free(map);
	isl_union_map_free(pairs);
}

isl_bool poly_blame(struct poly_prog *prog, struct poly_refusal *why, int kind,
	const char *what, __isl_take isl_union_map *pairs)
{
	struct poly_str distance = { 0 };
	isl_bool none;

	pairs = possible(prog, pairs);
	none = isl_union_map_is_empty(pairs);
	if (none == isl_bool_false) {
		struct poly_pair pair = poly_witness_apart(prog, pairs,
			&distance);

		poly_refusal_clear(why);
		why->kind = kind_name[kind];
		why->source = pair.source;
		why->sink = pair.sink;
		snprintf(why->distance, sizeof(why->distance), "%s",
			distance.s ? distance.s : "");
		name_ends(prog, why, pairs);
		poly_refuse(why, "%s", what);
	}
	poly_str_free(&distance);
	isl_union_map_free(pairs);
	return none;
}

/* ------------------------------------------------------------------ places */

/* The pairs of "deps" within one launch of "kernel". */
static __isl_give isl_union_map *in_launch(struct poly_item *kernel,
	__isl_take isl_union_map *deps)
{
	isl_union_set *domain = poly_item_domain(kernel);

	deps = isl_union_map_intersect_domain(deps, isl_union_set_copy(domain));
	deps = isl_union_map_intersect_range(deps, domain);
	for (struct poly_item *at = kernel->parent; at; at = at->parent)
		if (at->kind == POLY_ITEM_LOOP)
			deps = isl_union_map_eq_at_multi_union_pw_aff(deps,
				isl_multi_union_pw_aff_from_union_pw_aff(
					poly_loop_values(at)));
	return deps;
}

/* Do the pairs "deps" of the kind "kind" stay at one place along the coordinate? */
static isl_bool stay(struct poly_plan *plan, struct poly_item *kernel, int role,
	int axis, int kind, struct poly_refusal *why)
{
	struct poly_item *loop = NULL;
	isl_union_pw_aff *at = poly_coordinate_values(kernel, role, axis, &loop);
	isl_union_map *deps, *same;
	char what[200];

	if (!at)
		return isl_bool_true;
	deps = in_launch(kernel, poly_deps_of_kind(plan, kind));
	same = isl_union_map_eq_at_multi_union_pw_aff(isl_union_map_copy(deps),
		isl_multi_union_pw_aff_from_union_pw_aff(at));
	snprintf(what, sizeof(what), "%s '%s' would run at once what %s",
		role == POLY_LOOP_BLOCK ? "the blocks of loop" :
		"the threads of loop", loop->name, kind == POLY_DEP_REDUCTION ?
		"updates one cell" : "depends on one another");
	return poly_blame(plan->prog, why, kind, what,
		isl_union_map_subtract(deps, same));
}

isl_bool poly_loop_carries_nothing(struct poly_plan *plan, struct poly_item *loop,
	struct poly_refusal *why)
{
	isl_bool ok = isl_bool_true;
	char what[200];

	for (int kind = 0; kind < POLY_N_DEP && ok == isl_bool_true; kind++) {
		isl_union_map *deps = in_launch(loop, poly_deps_of_kind(plan, kind));
		isl_union_map *same = isl_union_map_eq_at_multi_union_pw_aff(
			isl_union_map_copy(deps),
			isl_multi_union_pw_aff_from_union_pw_aff(
				poly_loop_values(loop)));

		snprintf(what, sizeof(what), "iterations of loop '%s' %s",
			loop->name, kind == POLY_DEP_REDUCTION ?
			"update one cell" : "depend on one another");
		ok = poly_blame(plan->prog, why, kind, what,
			isl_union_map_subtract(deps, same));
	}
	return ok;
}

/* The loop at or below "item", outside of kernels, that has a copy; NULL: none has. */
static const struct poly_item *copying_loop(const struct poly_item *item)
{
	const struct poly_item *found = item->n_near ? item : NULL;

	if (item->kind == POLY_ITEM_KERNEL)
		return NULL;
	for (int i = 0; i < item->n_child && !found; i++)
		found = copying_loop(item->child[i]);
	return found;
}

isl_bool poly_copies_are_apart(const struct poly_item *loop, struct poly_refusal *why)
{
	const struct poly_item *at = copying_loop(loop);

	if (!at || !poly_item_is_concurrent(loop))
		return isl_bool_true;
	poly_refuse(why, "iterations of loop '%s', which run at one time, would "
		"share the copy of '%s' at loop '%s'", loop->name,
		at->near[0].array->name, at->name);
	return isl_bool_false;
}

/* Do the loops at and below "item" whose iterations run at one time carry nothing? */
static isl_bool concurrent_are_legal(struct poly_plan *plan, struct poly_item *item,
	struct poly_refusal *why)
{
	isl_bool ok = isl_bool_true;

	if (item->kind == POLY_ITEM_KERNEL)
		return ok;
	if (poly_item_is_concurrent(item)) {
		ok = poly_loop_carries_nothing(plan, item, why);
		if (ok == isl_bool_true)
			ok = poly_copies_are_apart(item, why);
	}
	for (int i = 0; i < item->n_child && ok == isl_bool_true; i++)
		ok = concurrent_are_legal(plan, item->child[i], why);
	return ok;
}

/* Does no coordinate of "kernel" carry anything? */
static isl_bool kernel_is_legal(struct poly_plan *plan, struct poly_item *kernel,
	struct poly_refusal *why)
{
	isl_bool ok = isl_bool_ok(poly_threads_fit(plan, kernel, why));

	for (int kind = 0; kind < POLY_N_DEP && ok == isl_bool_true; kind++)
		for (int axis = 0; axis < 2 * POLY_MOST_AXES &&
		     ok == isl_bool_true; axis++)
			ok = stay(plan, kernel, axis % 2 ? POLY_LOOP_THREAD :
				POLY_LOOP_BLOCK, axis / 2, kind, why);
	return ok == isl_bool_true && poly_item_is_staged(kernel) ?
		poly_stages_hold(plan, kernel, why) : ok;
}

/* ------------------------------------------------------------------- order */

/* Does the program, whose schedule is that of the plan, keep the order? */
static isl_bool is_in_order(struct poly_plan *plan, struct poly_refusal *why)
{
	struct poly_prog *prog = plan->prog;
	isl_union_map *all = poly_ordering_deps(prog), *wrong;
	isl_bool ok;

	for (int kind = 0; kind < POLY_DEP_REDUCTION; kind++)
		all = isl_union_map_union(all, poly_deps_of_kind(plan, kind));
	wrong = possible(prog, poly_disorder(prog, all));
	ok = isl_union_map_is_empty(wrong);
	isl_union_map_free(wrong);
	for (int kind = 0; kind < POLY_DEP_REDUCTION && ok == isl_bool_false;
	     kind++) {
		isl_bool none;

		wrong = poly_disorder(prog, poly_deps_of_kind(plan, kind));
		none = poly_blame(prog, why, kind,
			"the order of these instances would change", wrong);
		if (none != isl_bool_true)
			return none;
	}
	return ok;
}

/* Does the plan keep all dependences, and those of what it computes anew? */
static isl_bool keeps_all(struct poly_plan *plan, struct poly_refusal *why)
{
	struct poly_prog *prog = plan->prog;
	isl_schedule *before = prog->schedule;
	struct poly_item *kernel[POLY_MOST_LEAVES];
	int n = poly_plan_kernels(plan, kernel, POLY_MOST_LEAVES);
	isl_bool ok = isl_bool_true;

	for (int i = 0; i < n && ok == isl_bool_true; i++)
		ok = kernel_is_legal(plan, kernel[i], why);
	if (ok == isl_bool_true)
		ok = concurrent_are_legal(plan, plan->root, why);
	if (ok == isl_bool_true)
		ok = poly_far_stages_hold(plan, why);
	if (ok != isl_bool_true)
		return ok;
	prog->schedule = poly_plan_schedule(plan, false);
	ok = prog->schedule ? is_in_order(plan, why) : isl_bool_error;
	isl_schedule_free(prog->schedule);
	prog->schedule = before;
	return ok;
}

isl_bool poly_plan_is_legal(struct poly_plan *plan, struct poly_refusal *why)
{
	isl_bool ok;

	plan->made = poly_made_pairs(plan);
	ok = keeps_all(plan, why);
	plan->made = isl_union_map_free(plan->made);
	return ok;
}
