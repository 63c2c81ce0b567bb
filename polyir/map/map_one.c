/* The mapping that is always there: the whole program in one thread.
 *
 *	before: domain              after: domain
 *	          ...                        mark kernel:K
 *	                                       filter [b0,b1,t0,t1] -> 0 = b0 + t0 ..
 *	                                         band [0, 0] 1 1
 *	                                           ...
 *
 * A kernel's tile space has two dimensions; this one has a single point. Every
 * order is that of the tree above, so nothing has to be shown but that.
 */
#include <isl/space.h>
#include <isl/val.h>

#include "polyir/ir/ir.h"
#include "polyir/map/map.h"

/* Insert a band of two members that are 0 for all instances. */
static __isl_give isl_schedule_node *insert_zeros(
	__isl_take isl_schedule_node *node)
{
	isl_union_set *domain = isl_schedule_node_get_universe_domain(node);
	isl_ctx *ctx = isl_schedule_node_get_ctx(node);
	isl_space *space = isl_space_set_alloc(ctx, 0, 2);
	isl_multi_val *zero = isl_multi_val_zero(space);

	node = isl_schedule_node_insert_partial_schedule(node,
		isl_multi_union_pw_aff_multi_val_on_domain(domain, zero));
	node = isl_schedule_node_band_set_permutable(node, 1);
	node = isl_schedule_node_band_member_set_coincident(node, 0, 1);
	return isl_schedule_node_band_member_set_coincident(node, 1, 1);
}

/* One kernel of one thread.
 *
 * requires schedule; establishes kernels, mapping
 */
isl_stat poly_map_one(struct poly_prog *prog)
{
	isl_schedule_node *node = isl_schedule_get_root(prog->schedule);
	isl_union_set *domain = isl_schedule_get_domain(prog->schedule);
	bool none = isl_union_set_is_empty(domain) == isl_bool_true;
	struct poly_kernel *kernel = none ? NULL :
		poly_kernel_add(prog, domain);
	isl_schedule *schedule;

	isl_union_set_free(domain);
	if (none || !kernel) {
		isl_schedule_node_free(node);
		return none ? isl_stat_ok : poly_isl_error(prog, "map_one");
	}
	node = isl_schedule_node_child(node, 0);
	node = insert_zeros(node);
	node = poly_kernel_thread_a_point(prog, kernel, node, 1, 1, 0);
	node = poly_insert_kernel_mark(node, kernel->name);
	schedule = isl_schedule_node_get_schedule(node);
	isl_schedule_node_free(node);
	if (poly_set_schedule(prog, schedule) < 0)
		return poly_isl_error(prog, "map_one");
	return isl_stat_ok;
}
