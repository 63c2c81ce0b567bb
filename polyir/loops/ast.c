/* The tree as loops: isl's AST generator, with the sizes entering last. What
 * stands above the kernels is one AST, that of the launches; each kernel is
 * another.
 *
 * Passes work with symbolic sizes even where they are fixed, so that constants
 * cannot change what is fused, and guards are simplified once, here:
 *
 *	domain                       domain
 *	  band [t]          =>         context [N,h0,b0,..]: sizes, ranges
 *	    mark kernel:K                mark kernel:K
 *	      filter [h0,b0..]             filter [h0,b0,..]
 *
 * A kernel's context states which launches there are, which blocks they start,
 * and the range of thread indices. It does not state that a block, or a thread,
 * has an instance: that is the guard to be generated.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <isl/ast_build.h>
#include <isl/id.h>
#include <isl/space.h>
#include <isl/val.h>

#include "polyir/base/base.h"
#include "polyir/ir/ir.h"
#include "polyir/sets/sets.h"
#include "polyir/loops/loops.h"

/* Pieces of what is known of a kernel's launches and blocks that are worth their time. */
enum { MOST_PIECES = 8 };

/* "set", constraints on parameters, as isl_schedule_node_insert_context wants
 * it: a set without dimensions.
 */
static __isl_give isl_set *as_context(__isl_take isl_set *set)
{
	return isl_set_from_params(set);
}

/* The sizes: what the program knows and what the command fixed. */
static __isl_give isl_set *sizes(struct poly_prog *prog)
{
	isl_set *set = isl_set_copy(prog->context);

	for (int i = 0; i < prog->n_param; i++) {
		struct poly_param *p = &prog->param[i];
		int pos;

		if (!p->fixed)
			continue;
		pos = isl_set_find_dim_by_name(set, isl_dim_param, p->name);
		if (pos < 0) {
			pos = isl_set_dim(set, isl_dim_param);
			set = isl_set_add_dims(set, isl_dim_param, 1);
			set = isl_set_set_dim_name(set, isl_dim_param, pos,
				p->name);
		}
		set = isl_set_fix_val(set, isl_dim_param, pos,
			isl_val_int_from_si(prog->ctx, p->value));
	}
	return set;
}

/* Forget what "set" says about the thread coordinate "d" and bound it by the
 * size of the kernel's block.
 */
static __isl_give isl_set *any_thread(const struct poly_prog *prog,
	__isl_take isl_set *set, const struct poly_kernel *kernel, int d)
{
	const char *name = poly_coordinate(prog, POLY_THREAD + d);
	int pos = isl_set_find_dim_by_name(set, isl_dim_param, name);

	if (pos >= 0) {
		isl_set *range;

		set = isl_set_project_out(set, isl_dim_param, pos, 1);
		range = isl_set_universe(isl_set_get_space(set));
		pos = isl_set_dim(range, isl_dim_param);
		range = isl_set_add_dims(range, isl_dim_param, 1);
		range = isl_set_set_dim_name(range, isl_dim_param, pos,
			name);
		range = isl_set_lower_bound_si(range, isl_dim_param, pos, 0);
		range = isl_set_upper_bound_si(range, isl_dim_param, pos,
			kernel->thread[d] - 1);
		set = isl_set_intersect(set, range);
	}
	return set;
}

/* Forget what "set" says about the blocks of "kernel": those of the grid run,
 * also where none of their threads has an instance.
 */
static __isl_give isl_set *any_block(struct poly_prog *prog,
	__isl_take isl_set *set, const struct poly_kernel *kernel)
{
	isl_set *tiles = poly_kernel_tiles(prog, kernel);
	int n = isl_set_dim(tiles, isl_dim_set);

	for (int i = 0; i < n; i++) {
		const char *name = poly_coordinate(prog, POLY_BLOCK + i);
		int pos = isl_set_dim(tiles, isl_dim_param), old;

		old = isl_set_find_dim_by_name(set, isl_dim_param, name);
		if (old >= 0)
			set = isl_set_project_out(set, isl_dim_param, old, 1);
		tiles = isl_set_move_dims(tiles, isl_dim_param, pos,
			isl_dim_set, 0, 1);
		tiles = isl_set_set_dim_name(tiles, isl_dim_param, pos, name);
	}
	return isl_set_intersect(set, isl_set_params(tiles));
}

/* "set", which is taken, or, if it has more than MOST_PIECES pieces, with quotients, a
 * set around it that has one and none.
 *
 * A kernel in a loop over 25i + 5j + k is launched for the values that some instance
 * has. Where the loops over i, j and k are short, some values between the first and
 * the last have none, and it takes many pieces to say which. All else that is known
 * would be compared with each of them, again and again.
 */
static __isl_give isl_set *around(__isl_take isl_set *set)
{
	if (isl_set_n_basic_set(set) <= MOST_PIECES ||
	    isl_set_involves_locals(set) != isl_bool_true)
		return set;
	return isl_set_from_basic_set(isl_set_unshifted_simple_hull(
		isl_set_remove_divs(set)));
}

/* What holds of the block and thread parameters of "kernel", whose mapping
 * filter is "filter" over "domain": not that there is an integer in between two
 * bounds of a loop, which isl would look for again and again, and which the bounds
 * say anyway.
 */
static __isl_give isl_set *ranges(struct poly_prog *prog,
	const struct poly_kernel *kernel, __isl_take isl_union_set *filter,
	__isl_take isl_union_set *domain)
{
	isl_set *set = isl_set_remove_unknown_divs(isl_union_set_params(
		isl_union_set_intersect(filter, domain)));

	for (int d = 0; d < 2; d++)
		set = any_thread(prog, set, kernel, d);
	return around(poly_set_coalesce(any_block(prog, set, kernel)));
}

/* Put a guard that always holds below the band "node", if at least three
 * statements meet there.
 *
 * Where the values of a band have a stride, isl moves those of each statement
 * to a multiple of it, except above nodes that depend on outer bands, such as a
 * guard. It finds the distances of the statements from one of them, and takes
 * any that has no outer iteration in common with that one for 0, although both
 * may have some in common with a third: then instances swap places (isl 0.25).
 */
static __isl_give isl_schedule_node *keep_places(
	__isl_take isl_schedule_node *node, void *user)
{
	isl_union_set *domain;
	isl_space *space;
	bool few;

	(void)user;
	if (isl_schedule_node_get_type(node) != isl_schedule_node_band)
		return node;
	domain = isl_schedule_node_get_domain(node);
	few = isl_union_set_n_set(domain) < 3;
	isl_union_set_free(domain);
	if (few)
		return node;
	node = isl_schedule_node_child(node, 0);
	space = isl_space_set_alloc(isl_schedule_node_get_ctx(node), 0,
		(unsigned)isl_schedule_node_get_schedule_depth(node));
	node = isl_schedule_node_insert_guard(node, isl_set_universe(space));
	return isl_schedule_node_parent(node);
}

/* In the kernel of a script, put a guard above what a filter of a list leaves: for which
 * iterations of the loops above there is any. isl would make bounds of its loops of that,
 * such that a loop of a constant number of iterations, or none, looks like one of any.
 */
static __isl_give isl_schedule_node *guard_items(
	__isl_take isl_schedule_node *node, void *user)
{
	isl_union_map *prefix;
	isl_set *guard;

	(void)user;
	if (isl_schedule_node_get_type(node) != isl_schedule_node_filter ||
	    isl_schedule_node_get_schedule_depth(node) < 1 ||
	    isl_schedule_node_get_parent_type(node) != isl_schedule_node_sequence)
		return node;
	node = isl_schedule_node_child(node, 0);
	prefix = isl_schedule_node_get_prefix_schedule_union_map(node);
	guard = isl_set_from_union_set(isl_union_set_apply(
		poly_node_domain(node), prefix));
	guard = isl_set_from_basic_set(isl_set_unshifted_simple_hull(
		isl_set_remove_divs(guard)));
	node = isl_schedule_node_insert_guard(node, guard);
	return isl_schedule_node_parent(node);
}

/* "ast", which is taken, if it runs what "schedule", which is taken too, holds;
 * else it fails like isl does where it finds no loops.
 */
static __isl_give isl_ast_node *checked(__isl_take isl_ast_node *ast,
	__isl_take isl_schedule *schedule, __isl_take isl_set *context)
{
	isl_bool right = ast ? poly_ast_is_right(ast, schedule, context) :
		isl_bool_error;

	isl_schedule_free(schedule);
	if (right == isl_bool_false)
		isl_die(isl_set_get_ctx(context), isl_error_internal,
			"the loops are not those of the tree", ;);
	isl_set_free(context);
	return right == isl_bool_true ? ast : isl_ast_node_free(ast);
}

/* isl's AST of the tree of "root", which is taken, under the sizes and
 * "context".
 */
static __isl_give isl_ast_node *build(struct poly_prog *prog,
	__isl_take isl_schedule_node *root, __isl_take isl_set *context,
	bool given)
{
	isl_schedule_node *node = isl_schedule_node_child(root, 0);
	isl_schedule *schedule;
	isl_ast_build *build;
	isl_ast_node *ast;

	context = isl_set_intersect(context, sizes(prog));
	node = isl_schedule_node_insert_context(node,
		as_context(isl_set_copy(context)));
	schedule = isl_schedule_node_get_schedule(node);
	isl_schedule_node_free(node);
	schedule = isl_schedule_map_schedule_node_bottom_up(schedule,
		keep_places, NULL);
	if (given)
		schedule = isl_schedule_map_schedule_node_bottom_up(schedule,
			guard_items, NULL);
	build = isl_ast_build_alloc(prog->ctx);
	ast = isl_ast_build_node_from_schedule(build,
		isl_schedule_copy(schedule));
	isl_ast_build_free(build);
	return checked(ast, schedule, context);
}

/* What holds of the coordinates inside of the kernel's mark "node": which
 * launches and blocks there are.
 */
static __isl_give isl_set *places(struct poly_prog *prog,
	const struct poly_kernel *kernel, __isl_keep isl_schedule_node *node)
{
	isl_schedule_node *filter = isl_schedule_node_get_child(node, 0);
	isl_set *context = isl_set_copy(prog->context);

	if (isl_schedule_node_get_type(filter) ==
	    isl_schedule_node_filter) {
		isl_set_free(context);
		context = ranges(prog, kernel,
			isl_schedule_node_filter_get_filter(filter),
			poly_node_domain(filter));
	}
	isl_schedule_node_free(filter);
	return context;
}

__isl_give isl_set *poly_kernel_places(struct poly_prog *prog,
	const struct poly_kernel *kernel)
{
	isl_schedule_node *mark = isl_schedule_node_parent(
		poly_kernel_node(prog, kernel));
	isl_set *set = isl_set_intersect(places(prog, kernel, mark),
		sizes(prog));

	isl_schedule_node_free(mark);
	for (int i = 0; i < prog->n_param; i++) {
		int pos = isl_set_find_dim_by_name(set, isl_dim_param,
			prog->param[i].name);

		if (pos >= 0)
			set = isl_set_upper_bound_si(set, isl_dim_param, pos,
				INT32_MAX);
	}
	return set;
}

/* Where an instance of "kernel" runs: "[.., b0, b1] -> { [t1] }". */
static __isl_give isl_set *columns(struct poly_prog *prog,
	const struct poly_kernel *kernel)
{
	isl_schedule_node *node = poly_kernel_node(prog, kernel);
	isl_set *set = isl_union_set_params(isl_union_set_intersect(
		isl_schedule_node_filter_get_filter(node),
		poly_node_domain(node)));
	int pos;

	isl_schedule_node_free(node);
	set = isl_set_intersect(isl_set_from_params(set),
		isl_set_from_params(sizes(prog)));
	pos = isl_set_find_dim_by_name(set, isl_dim_param,
		poly_coordinate(prog, POLY_THREAD));
	if (pos >= 0)
		set = isl_set_project_out(set, isl_dim_param, pos, 1);
	pos = isl_set_find_dim_by_name(set, isl_dim_param,
		poly_coordinate(prog, POLY_THREAD + 1));
	set = isl_set_move_dims(set, isl_dim_set, 0, isl_dim_param, pos, 1);
	return poly_set_coalesce(set);
}

__isl_give isl_pw_aff *poly_end_column(struct poly_prog *prog,
	const struct poly_kernel *kernel, bool last)
{
	isl_schedule_node *mark = isl_schedule_node_parent(
		poly_kernel_node(prog, kernel));
	isl_set *others = isl_set_intersect(places(prog, kernel, mark),
		sizes(prog));
	isl_set *set = columns(prog, kernel);
	isl_pw_aff *end;

	isl_schedule_node_free(mark);
	for (int d = 0; d < 2; d++) {
		int pos = isl_set_find_dim_by_name(others, isl_dim_param,
			poly_coordinate(prog, POLY_THREAD + d));

		if (pos >= 0)
			others = isl_set_project_out(others, isl_dim_param,
				pos, 1);
	}
	end = last ? isl_set_dim_max(set, 0) : isl_set_dim_min(set, 0);
	others = isl_set_subtract(others,
		isl_pw_aff_domain(isl_pw_aff_copy(end)));
	end = isl_pw_aff_union_add(end, isl_pw_aff_val_on_domain(others,
		isl_val_int_from_si(prog->ctx,
			last ? kernel->thread[1] - 1 : 0)));
	return poly_pw_aff_coalesce(end);
}

__isl_give isl_ast_node *poly_ast_kernel(struct poly_prog *prog,
	const struct poly_kernel *kernel)
{
	isl_schedule_node *mark = isl_schedule_node_parent(
		poly_kernel_node(prog, kernel));
	isl_set *context = isl_set_intersect(places(prog, kernel, mark),
		sizes(prog));
	isl_schedule_node *root = poly_tree_for_loops(
		poly_node_domain(mark), context, mark);
	isl_ast_node *ast;

	isl_schedule_node_free(mark);
	ast = build(prog, root, context, kernel->given);
	if (!ast && poly_ctx_faulted(prog->ctx))
		prog->no_loops = kernel;
	return ast;
}

/* ---------------------------------------------------------------- launches */

/* The launches of the kernel "name", whose mark is "node": one instance of a
 * statement of that name for each value of the bands above. Floors that tell when
 * there are any have names where "named", which makes some loops more.
 */
static __isl_give isl_schedule *launches_of(
	__isl_keep isl_schedule_node *node, const char *name, bool named)
{
	isl_union_map *prefix =
		isl_schedule_node_get_prefix_schedule_union_map(node);
	isl_union_set *domain = poly_node_domain(node);
	isl_set *launch = isl_set_from_union_set(
		isl_union_set_apply(domain, prefix));

	launch = poly_set_coalesce(launch);
	if (named)
		launch = isl_set_compute_divs(launch);
	launch = isl_set_set_tuple_name(launch, name);
	return isl_schedule_from_domain(isl_union_set_from_set(launch));
}

static __isl_give isl_schedule *launches(__isl_keep isl_schedule_node *node,
	bool named);

/* The launches below the children of the sequence or set "node". */
static __isl_give isl_schedule *list_launches(
	__isl_keep isl_schedule_node *node, bool named)
{
	bool ordered = isl_schedule_node_get_type(node) ==
		isl_schedule_node_sequence;
	isl_size n = isl_schedule_node_n_children(node);
	isl_schedule *all = NULL;

	for (int i = 0; i < n; i++) {
		isl_schedule_node *child =
			isl_schedule_node_get_child(node, i);
		isl_schedule *one = launches(child, named);

		isl_schedule_node_free(child);
		if (!all)
			all = one;
		else if (ordered)
			all = isl_schedule_sequence(all, one);
		else
			all = isl_schedule_set(all, one);
	}
	return all;
}

/* The members of a band: "{ K[h0, .., hn] -> [h_from, ..] }". */
struct members {
	isl_union_map *map;
	int from, n;
};

/* Add the members of the band for the launches "set" of a kernel, whose
 * dimensions are the values of all bands above it, from outside to inside.
 */
static isl_stat add_members(__isl_take isl_set *set, void *user)
{
	struct members *m = user;
	isl_map *map = isl_set_identity(set);
	int all = isl_map_dim(map, isl_dim_out), to = m->from + m->n;

	map = isl_map_reset_tuple_id(map, isl_dim_out);
	map = isl_map_project_out(map, isl_dim_out, to, all - to);
	map = isl_map_project_out(map, isl_dim_out, 0, m->from);
	m->map = isl_union_map_add_map(m->map, map);
	return isl_stat_ok;
}

/* The launches below the band "node", in the order of its members. */
static __isl_give isl_schedule *band_launches(
	__isl_keep isl_schedule_node *node, bool named)
{
	isl_schedule_node *child = isl_schedule_node_get_child(node, 0);
	isl_schedule *all = launches(child, named);
	isl_union_set *domain = isl_schedule_get_domain(all);
	struct members m = {
		isl_union_map_empty(isl_union_set_get_space(domain)),
		isl_schedule_node_get_schedule_depth(node),
		isl_schedule_node_band_n_member(node)
	};

	isl_schedule_node_free(child);
	isl_union_set_foreach_set(domain, add_members, &m);
	isl_union_set_free(domain);
	return isl_schedule_insert_partial_schedule(all,
		isl_multi_union_pw_aff_from_union_map(m.map));
}

/* "all", the launches below the mark "node", whose loops run at one time, below a mark
 * with the depth of the first of these.
 */
static __isl_give isl_schedule *mark_concurrent(
	__isl_take isl_schedule *all, __isl_keep isl_schedule_node *node)
{
	char name[64];

	snprintf(name, sizeof(name), POLY_CONCURRENT ":%d", (int)
		isl_schedule_node_get_schedule_depth(node));
	return poly_add_mark(all, isl_id_alloc(isl_schedule_node_get_ctx(node),
		name, NULL));
}

/* The launches below "node", in their order. */
static __isl_give isl_schedule *launches(__isl_keep isl_schedule_node *node,
	bool named)
{
	enum isl_schedule_node_type type = isl_schedule_node_get_type(node);
	const char *name = poly_mark_kernel(node);
	isl_schedule_node *child;
	isl_schedule *all;

	if (!node)
		return NULL;
	if (name)
		return launches_of(node, name, named);
	if (type == isl_schedule_node_band)
		return band_launches(node, named);
	if (type == isl_schedule_node_sequence ||
	    type == isl_schedule_node_set)
		return list_launches(node, named);
	if (type == isl_schedule_node_leaf)
		return isl_schedule_empty(isl_space_params_alloc(
			isl_schedule_node_get_ctx(node), 0));
	child = isl_schedule_node_get_child(node, 0);
	all = launches(child, named);
	isl_schedule_node_free(child);
	return poly_mark_is_concurrent(node) ? mark_concurrent(all, node) : all;
}

/* The loops and conditions around the launches of "prog"; launches(). */
static __isl_give isl_ast_node *build_launches(struct poly_prog *prog, bool named)
{
	isl_schedule_node *root = isl_schedule_get_root(prog->schedule);
	isl_schedule *all = launches(root, named);

	isl_schedule_node_free(root);
	root = isl_schedule_get_root(all);
	isl_schedule_free(all);
	return build(prog, root, isl_set_copy(prog->context), false);
}

/* isl refuses some sets with floors that have no names. */
__isl_give isl_ast_node *poly_ast_launches(struct poly_prog *prog)
{
	isl_ast_node *ast = build_launches(prog, false);

	if (ast)
		return ast;
	isl_ctx_reset_error(prog->ctx);
	return build_launches(prog, true);
}

/* ------------------------------------------------------------------- text */

/* Note in "user" a loop or a condition. */
static isl_bool find_control(__isl_keep isl_ast_node *node, void *user)
{
	enum isl_ast_node_type type = isl_ast_node_get_type(node);
	bool *found = user;

	*found |= type == isl_ast_node_for || type == isl_ast_node_if;
	return isl_bool_true;
}

/* Append the text of "node", which is taken. */
static bool print(__isl_take isl_ast_node *node, struct poly_str *out)
{
	char *text = isl_ast_node_to_C_str(node);
	bool ok = text != NULL;

	if (ok)
		poly_str_add(out, text);
	free(text);
	isl_ast_node_free(node);
	return ok;
}

isl_stat poly_print_ast(struct poly_prog *prog, struct poly_str *out)
{
	isl_ast_node *node;
	bool control = false, ok;

	if (!prog->n_kernel)
		return print(build(prog, isl_schedule_get_root(prog->schedule),
			isl_set_copy(prog->context), false), out) ? isl_stat_ok :
			isl_stat_error;
	node = poly_ast_launches(prog);

	isl_ast_node_foreach_descendant_top_down(node, find_control, &control);
	if (control) {
		ok = print(node, out);
	} else {
		isl_ast_node_free(node);
		ok = true;
	}
	for (int i = 0; i < prog->n_kernel && ok; i++)
		ok = print(poly_ast_kernel(prog, prog->kernel[i]), out);
	return ok ? isl_stat_ok : isl_stat_error;
}
