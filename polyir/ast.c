/* The tree as loops: isl's AST generator, with the sizes entering last.
 *
 * Passes work with symbolic sizes even where they are fixed, so that constants
 * cannot change what is fused, and guards are simplified once, here:
 *
 *	domain                       domain
 *	  mark kernel:K     =>         context [M,N]: sizes
 *	    filter [b0..]                mark kernel:K
 *	                                   context [b0,..]: ranges
 *	                                     filter [b0,..]
 *
 * A kernel's context states which blocks the launch starts (those that have an
 * instance at all) and the range of thread indices. It does not state that the
 * thread has an instance: that is the guard to be generated.
 */
#include <isl/ast_build.h>
#include <isl/space.h>

#include "polyir_internal.h"

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
static __isl_give isl_set *any_thread(__isl_take isl_set *set,
	const struct poly_kernel *kernel, int d)
{
	const char *name = d ? "t1" : "t0";
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

/* What holds of the block and thread parameters of "kernel", whose mapping
 * filter is "filter" over "domain".
 */
static __isl_give isl_set *ranges(const struct poly_kernel *kernel,
	__isl_take isl_union_set *filter, __isl_take isl_union_set *domain)
{
	isl_set *set = isl_union_set_params(
		isl_union_set_intersect(filter, domain));

	for (int d = 0; d < 2; d++)
		set = any_thread(set, kernel, d);
	return isl_set_coalesce(set);
}

/* Insert the context of the kernel that "node" marks, if it marks one. */
static __isl_give isl_schedule_node *add_ranges(
	__isl_take isl_schedule_node *node, void *user)
{
	struct poly_prog *prog = user;
	const char *name = poly_mark_kernel(node);
	struct poly_kernel *kernel;
	isl_set *context;

	kernel = name ? poly_prog_find_kernel(prog, name) : NULL;
	if (!kernel)
		return node;
	node = isl_schedule_node_child(node, 0);
	if (isl_schedule_node_get_type(node) == isl_schedule_node_filter) {
		context = ranges(kernel,
			isl_schedule_node_filter_get_filter(node),
			poly_node_domain(node));
		node = isl_schedule_node_insert_context(node,
			as_context(context));
	}
	return isl_schedule_node_parent(node);
}

__isl_give isl_ast_node *poly_ast(struct poly_prog *prog)
{
	isl_schedule *schedule = isl_schedule_copy(prog->schedule);
	isl_schedule_node *node;
	isl_ast_build *build;
	isl_ast_node *ast;

	schedule = isl_schedule_map_schedule_node_bottom_up(schedule,
		add_ranges, prog);
	node = isl_schedule_get_root(schedule);
	isl_schedule_free(schedule);
	node = isl_schedule_node_child(node, 0);
	node = isl_schedule_node_insert_context(node,
		as_context(sizes(prog)));
	schedule = isl_schedule_node_get_schedule(node);
	isl_schedule_node_free(node);
	build = isl_ast_build_alloc(prog->ctx);
	ast = isl_ast_build_node_from_schedule(build, schedule);
	isl_ast_build_free(build);
	return ast;
}
