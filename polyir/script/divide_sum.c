/* A sum that the script divides into parts.
 *
 *	loop k { S: c += a[k] }	->	loop k_part { S_begin: p[k_part] = 0 }
 *					loop k_part { loop k { S: p[k_part] += .. } }
 *					loop k_part { S_end: c += p[k_part] }
 *
 * A part has each n-th iteration ("threads": neighbours go side by side), or n parts
 * have as many neighbours each ("blocks"). The parts of a cell are places of a new array,
 * so that loops over them carry nothing and can be mapped; S_end puts them together. All
 * other loops stay as they are. "lanes" are the threads of a block that put their parts
 * together in registers: what is around them then is left to the mapping of the automatic
 * schedule.
 *
 * Only updates that may be done in any order are divided: those of floats in nests of C
 * need --fp=reassoc. The program has more statements afterwards, which is not undone.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <isl/id.h>
#include <isl/space.h>

#include "polyir/base/base.h"
#include "polyir/deps/deps.h"
#include "polyir/ir/ir.h"
#include "polyir/layout/layout.h"
#include "polyir/schedule/schedule.h"
#include "polyir/sets/sets.h"
#include "polyir/sums/sums.h"
#include "polyir/script/command.h"
#include "polyir/script/plan.h"

/* What is divided: dimension "d" of the statement of "leaf", which "loop" counts. */
struct division {
	struct poly_plan *plan;
	struct poly_item *leaf, *loop;
	int d;
	bool around[POLY_MAX_DIM];	/* loops outside count these */
	struct poly_parts p;
};

/* ------------------------------------------------------------------- asking */

/* How many leaves at and below "item" have the statement "stmt". */
static int pieces_of(struct poly_item *item, const struct poly_stmt *stmt)
{
	struct poly_item *leaf[POLY_MOST_LEAVES];
	int n = poly_item_leaves(item, leaf), same = 0;

	for (int i = 0; i < n; i++)
		same += leaf[i]->stmt == stmt;
	return same;
}

/* Is "at" dimension "d" of "stmt" and a constant? */
static bool counts(__isl_keep isl_pw_aff *at, const struct poly_stmt *stmt, int d)
{
	isl_pw_aff *own = isl_pw_aff_var_on_domain(isl_local_space_from_space(
		isl_set_get_space(stmt->domain)), isl_dim_set, d);
	bool is;

	own = isl_pw_aff_gist(poly_pw_aff_coalesce(isl_pw_aff_sub(
		isl_pw_aff_copy(at), own)), isl_set_copy(stmt->domain));
	is = isl_pw_aff_is_cst(own) == isl_bool_true;
	isl_pw_aff_free(own);
	return is;
}

/* The dimension that "loop" counts at "leaf", -1 if it counts something else. */
static int counted_by(const struct poly_item *loop, const struct poly_item *leaf)
{
	int n = isl_set_dim(leaf->domain, isl_dim_set), d = 0;

	while (d < n && !counts(loop->at[leaf->number], leaf->stmt, d))
		d++;
	return d < n ? d : -1;
}

static bool names_cell(const struct poly_stmt *stmt, int d)
{
	return isl_multi_pw_aff_involves_dims(stmt->write_index, isl_dim_in, d,
		1) != isl_bool_false;
}

/* May the updates of "leaf" be done in any order? */
static bool is_free(const struct poly_plan *plan, const struct poly_item *leaf,
	struct poly_refusal *why)
{
	const struct poly_stmt *s = leaf->stmt;

	if (poly_is_free_update(plan->prog, s) && !s->atomic && !s->fold)
		return true;
	if (s->reduce != POLY_OP_NONE && poly_type_is_float(s->write_array->type))
		poly_refuse(why, "the sum of statement %d (%s) has the order of "
			"the text: --fp=reassoc lets it have others",
			leaf->number, s->name);
	else
		poly_refuse(why, "statement %d (%s) is no update of a cell that "
			"may be done in any order", leaf->number, s->name);
	return false;
}

/* Find out what the loops around the statement are to the sum: "sum" are the dimensions
 * that "loop" and those in it count and that name no cell, "own" all that name one. False,
 * having said why, if loops outside go over these too.
 */
static bool read_loops(struct division *x, struct poly_refusal *why)
{
	const struct poly_stmt *s = x->leaf->stmt;
	int n = isl_set_dim(s->domain, isl_dim_set);

	for (struct poly_item *at = x->loop->parent; at; at = at->parent) {
		int d = at->kind == POLY_ITEM_LOOP ? counted_by(at, x->leaf) : -1;

		if (d >= 0)
			x->around[d] = true;
	}
	for (int d = 0; d < n; d++) {
		x->p.own[d] = names_cell(s, d);
		x->p.sum[d] = !x->p.own[d] && !x->around[d];
	}
	for (struct poly_item *at = x->loop->parent; at; at = at->parent)
		for (int d = 0; d < n && at->kind == POLY_ITEM_LOOP; d++)
			if (x->p.sum[d] && isl_pw_aff_involves_dims(
				at->at[x->leaf->number], isl_dim_in, d, 1) !=
			    isl_bool_false) {
				poly_refuse(why, "loop '%s' outside of '%s' goes "
					"over the sum, too", at->name,
					x->loop->name);
				return false;
			}
	return true;
}

/* Does something else in the loop touch the cells of the sum? */
static bool is_alone(struct division *x, struct poly_refusal *why)
{
	struct poly_prog *prog = x->plan->prog;
	bool around[POLY_MAX_DIM] = { false };
	isl_schedule *text = prog->original;
	bool alone = true;

	if (text) {
		prog->original = poly_plan_order(x->plan);
		alone = poly_partial_loops(prog, x->leaf->stmt, x->p.sum, around);
		isl_schedule_free(prog->original);
		prog->original = text;
	}
	if (!alone)
		poly_refuse(why, "what loop '%s' runs besides statement %d (%s) "
			"touches its cells", x->loop->name, x->leaf->number,
			x->leaf->stmt->name);
	return alone;
}

/* Set how many parts there are; false, having said why, if that cannot be. */
static bool count_parts(struct division *x, int64_t n, bool blocks,
	struct poly_refusal *why)
{
	struct poly_prog *prog = x->plan->prog;
	const struct poly_stmt *s = x->leaf->stmt;
	double all = poly_range_count(prog, isl_set_copy(s->domain), x->d);

	if (n < 2 || n > POLY_MOST_SHARES) {
		poly_refuse(why, "a sum has 2 to %d parts", POLY_MOST_SHARES);
		return false;
	}
	if (blocks && (!poly_prog_is_fixed(prog) || all < n)) {
		poly_refuse(why, poly_prog_is_fixed(prog) ? "loop '%s' has fewer "
			"iterations than parts" : "how many iterations of loop "
			"'%s' a part has depends on sizes that are not known",
			x->loop->name);
		return false;
	}
	x->p.part[x->d] = (int)n;
	if (blocks) {
		x->p.values[x->d] = (int)ceil(all / (double)n);
		x->p.part[x->d] = (int)ceil(all / x->p.values[x->d]);
	}
	x->p.run = 1;
	return true;
}

/* Can the loop of "x" be divided at all, and is it that of one statement? */
static bool can_divide(struct division *x, struct poly_refusal *why)
{
	struct poly_plan *plan = x->plan;
	const struct poly_item *leaf = x->leaf;
	struct poly_item *kernel[1], *in[POLY_MOST_LEAVES];

	if (poly_plan_kernels(plan, kernel, 1) || plan->n_kept ||
	    poly_item_is_staged(plan->root))
		poly_refuse(why, "reduce comes before gpu, stage, fold and store");
	else if (pieces_of(plan->root, leaf->stmt) > 1)
		poly_refuse(why, "statement %d (%s) is in pieces", leaf->number,
			leaf->stmt->name);
	else if (poly_item_leaves(x->loop, in) > 1)
		poly_refuse(why, "loop '%s' has other statements in it: "
			"distribute it first", x->loop->name);
	else if (x->loop->unroll || x->d < 0 ||
		 isl_set_dim(leaf->domain, isl_dim_set) > POLY_MAX_DIM - 4)
		poly_refuse(why, "loop '%s' does not count an index of statement "
			"%d (%s): reduce comes before what changes it",
			x->loop->name, leaf->number, leaf->stmt->name);
	else if (names_cell(leaf->stmt, x->d))
		poly_refuse(why, "loop '%s' goes over cells, not over what is put "
			"together in one", x->loop->name);
	else
		return is_free(plan, leaf, why);
	return false;
}

/* ------------------------------------------------------------------ the plan */

static __isl_give isl_pw_aff *var_on(__isl_keep isl_space *space, int d)
{
	return isl_pw_aff_var_on_domain(isl_local_space_from_space(
		isl_space_copy(space)), isl_dim_set, d);
}

/* "{ S'[.., part, step, ..] -> S[.., d, ..] }". */
static __isl_give isl_multi_aff *widening(const struct division *x,
	__isl_keep isl_set *old)
{
	isl_space *now = isl_set_get_space(x->leaf->stmt->domain);
	isl_local_space *local = isl_local_space_from_space(isl_space_copy(now));
	int n = isl_set_dim(old, isl_dim_set), values = x->p.values[x->d];
	isl_ctx *ctx = x->plan->prog->ctx;
	isl_aff_list *list = isl_aff_list_alloc(ctx, n);

	for (int i = 0; i < n; i++) {
		isl_aff *at = isl_aff_var_on_domain(isl_local_space_copy(local),
			isl_dim_set, i + (i > x->d));
		isl_val *by = isl_val_int_from_si(ctx, values ? values :
			x->p.part[x->d]);

		if (i == x->d) {
			isl_aff *step = isl_aff_var_on_domain(
				isl_local_space_copy(local), isl_dim_set, i + 1);

			at = values ? isl_aff_add(isl_aff_scale_val(at,
				isl_val_copy(by)), step) : isl_aff_add(at,
				isl_aff_scale_val(step, isl_val_copy(by)));
		}
		isl_val_free(by);
		list = isl_aff_list_add(list, at);
	}
	isl_local_space_free(local);
	return isl_multi_aff_from_aff_list(isl_space_map_from_domain_and_range(
		now, isl_set_get_space(old)), list);
}

/* "{ X[..] -> S'[..] }" of a new statement: what it lacks is 0. */
static __isl_give isl_multi_aff *in_sum(const struct division *x,
	const struct poly_stmt *stmt)
{
	isl_space *space = isl_set_get_space(stmt->domain);
	isl_space *to = isl_set_get_space(x->leaf->stmt->domain);
	isl_local_space *local = isl_local_space_from_space(
		isl_space_copy(space));
	int n = isl_space_dim(to, isl_dim_set), at = 0;
	isl_aff_list *list = isl_aff_list_alloc(x->plan->prog->ctx, n);

	for (int i = 0; i < n; i++) {
		bool lacks = i == x->d ? false : x->p.sum[i - (i > x->d)];

		list = isl_aff_list_add(list, lacks ? isl_aff_zero_on_domain(
			isl_local_space_copy(local)) : isl_aff_var_on_domain(
			isl_local_space_copy(local), isl_dim_set, at++));
	}
	isl_local_space_free(local);
	return isl_multi_aff_from_aff_list(isl_space_map_from_domain_and_range(
		space, to), list);
}

/* A loop around "inner" that counts dimension "d" of the statement of "leaf". */
static struct poly_item *loop_over(const struct poly_item *leaf,
	struct poly_item *inner, int d)
{
	struct poly_item *loop = poly_item_alloc(POLY_ITEM_LOOP);
	isl_space *space = isl_set_get_space(leaf->domain);
	const char *name = isl_space_get_dim_name(space, isl_dim_set, d);

	if (loop && inner && poly_item_insert(loop, 0, inner)) {
		snprintf(loop->name, sizeof(loop->name), "%.*s",
			POLY_LOOP_TEXT - 1, name ? name : "r");
		loop->at[leaf->number] = var_on(space, d);
	} else if (loop) {
		loop = poly_item_free(loop);
	}
	isl_space_free(space);
	return loop;
}

/* Insert the new statement "stmt" at place "at" of "list", in loops over what the loops
 * outside, "outer" of each dimension of it, do not count; these know it as S.
 */
static bool add_stmt(struct division *x, struct poly_item *list, int at,
	struct poly_stmt *stmt, const bool *outer)
{
	struct poly_item *leaf = poly_item_alloc(POLY_ITEM_LEAF), *top = leaf;
	isl_multi_aff *as = in_sum(x, stmt);

	if (!leaf || x->plan->n_leaf >= POLY_MOST_LEAVES) {
		isl_multi_aff_free(as);
		return false;
	}
	leaf->number = x->plan->n_leaf++;
	leaf->stmt = stmt;
	leaf->domain = isl_set_copy(stmt->domain);
	for (int d = isl_set_dim(stmt->domain, isl_dim_set) - 1; d >= 0; d--)
		if (!outer[d])
			top = loop_over(leaf, top, d);
	for (struct poly_item *up = list; up; up = up->parent)
		if (up->kind == POLY_ITEM_LOOP)
			up->at[leaf->number] = isl_pw_aff_pullback_multi_aff(
				isl_pw_aff_copy(up->at[x->leaf->number]),
				isl_multi_aff_copy(as));
	isl_multi_aff_free(as);
	return top && poly_item_insert(list, at, top);
}

/* The list that "item" stands in, a new one if it stands in none. */
static struct poly_item *list_around(struct poly_plan *plan,
	struct poly_item *item)
{
	struct poly_item *list = item->parent;

	if (list && list->kind == POLY_ITEM_LIST)
		return list;
	list = poly_item_alloc(POLY_ITEM_LIST);
	return list && poly_item_wrap(plan, item, list) ? list : NULL;
}

/* Put the loop over the parts around that over their steps, and the statements "begin" and
 * "end" beside it.
 */
static bool change_plan(struct division *x, struct poly_stmt *begin,
	struct poly_stmt *end, __isl_keep isl_set *old)
{
	struct poly_item *leaf = x->leaf, *loop = x->loop, *part, *list;
	bool outer[POLY_MAX_DIM] = { false };
	int n = isl_set_dim(old, isl_dim_set), at = 0;
	isl_multi_aff *wide = widening(x, old);
	isl_space *space = isl_set_get_space(leaf->stmt->domain);

	for (int d = 0; d < n; d++)
		if (d == x->d || !x->p.sum[d])
			outer[at++] = d != x->d && x->around[d];
	for (struct poly_item *up = leaf->parent; up; up = up->parent)
		if (up->kind == POLY_ITEM_LOOP)
			up->at[leaf->number] = isl_pw_aff_pullback_multi_aff(
				up->at[leaf->number], isl_multi_aff_copy(wide));
	isl_multi_aff_free(wide);
	isl_set_free(leaf->domain);
	leaf->domain = isl_set_copy(leaf->stmt->domain);
	isl_pw_aff_free(loop->at[leaf->number]);
	loop->at[leaf->number] = var_on(space, x->d + 1);
	part = poly_item_alloc(POLY_ITEM_LOOP);
	if (!part || !poly_item_wrap(x->plan, loop, part))
		return false;
	snprintf(part->name, sizeof(part->name), "%.*s_part",
		POLY_LOOP_TEXT - 8, loop->name);
	part->at[leaf->number] = var_on(space, x->d);
	isl_space_free(space);
	list = list_around(x->plan, part);
	return list && add_stmt(x, list, poly_item_place(part), begin, outer) &&
		add_stmt(x, list, poly_item_place(part) + 1, end, outer);
}

/* ----------------------------------------------------------------- commands */

/* The statement that begins the parts that "end" puts together. */
static struct poly_stmt *begin_of(struct poly_prog *prog,
	const struct poly_stmt *sum, const struct poly_stmt *end)
{
	for (int i = 0; i < prog->n_stmt; i++)
		if (prog->stmt[i] != sum && prog->stmt[i] != end &&
		    prog->stmt[i]->write_array == sum->write_array)
			return prog->stmt[i];
	return NULL;
}

/* Divide the sum of "x", which can be: the program, its dependences and the plan. */
static isl_stat divide(struct division *x)
{
	struct poly_plan *plan = x->plan;
	struct poly_prog *prog = plan->prog;
	struct poly_stmt *sum = x->leaf->stmt, *begin, *end;
	isl_set *old = isl_set_copy(sum->domain);
	isl_stat ok = isl_stat_error;

	if (prog->original)
		poly_prog_set_original(prog, poly_plan_order(plan));
	end = poly_add_partial(&x->p);
	begin = end ? begin_of(prog, sum, end) : NULL;
	if (begin && change_plan(x, begin, end, old)) {
		plan->tree = isl_schedule_free(plan->tree);
		ok = poly_set_schedule(prog, poly_plan_schedule(plan, false));
	}
	isl_set_free(old);
	return ok < 0 ? ok : poly_deps_again(prog);
}

isl_bool poly_do_reduce(struct poly_plan *plan, struct poly_item *leaf,
	const char *name, int64_t n, bool blocks, struct poly_refusal *why)
{
	struct division x = { .plan = plan, .leaf = leaf };

	x.p.prog = plan->prog;
	x.p.stmt = leaf->stmt;
	x.loop = poly_find_loop(plan, leaf, name, why);
	if (!x.loop)
		return isl_bool_false;
	x.d = counted_by(x.loop, leaf);
	if (!can_divide(&x, why) || !read_loops(&x, why) ||
	    !is_alone(&x, why) || !count_parts(&x, n, blocks, why))
		return isl_bool_false;
	return divide(&x) < 0 ? isl_bool_error : isl_bool_true;
}

isl_bool poly_do_lanes(struct poly_plan *plan, struct poly_item *leaf,
	const char *name, int64_t n, struct poly_refusal *why)
{
	struct division x = { .plan = plan, .leaf = leaf };
	struct poly_prog *prog = plan->prog;

	x.loop = poly_find_loop(plan, leaf, name, why);
	if (!x.loop)
		return isl_bool_false;
	x.d = counted_by(x.loop, leaf);
	if (!can_divide(&x, why))
		return isl_bool_false;
	if (n < 2 || n > POLY_MOST_THREADS || (n & (n - 1))) {
		poly_refuse(why, "lanes are a power of two, of at most %d",
			POLY_MOST_THREADS);
		return isl_bool_false;
	}
	if (!poly_give_lanes(prog, leaf->stmt, x.d, (int)n)) {
		poly_refuse(why, "loop '%s' can have no %d lanes: around it are at "
			"most two loops, over cells, which are parallel, and all "
			"in these are sums of as many lanes", name, (int)n);
		return isl_bool_false;
	}
	return poly_deps_again(prog) < 0 ? isl_bool_error : isl_bool_true;
}
