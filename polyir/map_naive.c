/* The simplest mapping: one thread for each point of a kernel's two outer
 * loops; everything below them runs in the thread, on global memory.
 *
 *	before: mark kernel:K          after: mark kernel:K
 *	          band [i, j] 1 1               filter [b0,b1,t0,t1] ->
 *	            ...                           i = 8 b0 + t0, j = 32 b1 + t1
 *	                                          band [i, j] 1 1
 *	                                            ...
 *
 * The filter stands above the band that it fixes, so that isl's AST has no
 * loops for it. It needs no barrier and no memory of a block, which makes it
 * the reference for every other mapping, and the last resort.
 */
#include "polyir_internal.h"

/* Map every kernel, one thread a point.
 *
 * requires kernels; establishes mapping
 */
isl_stat poly_map_naive(struct poly_prog *prog)
{
	for (int i = 0; i < prog->n_kernel; i++) {
		struct poly_kernel *kernel = prog->kernel[i];
		isl_schedule_node *node = poly_kernel_node(prog, kernel);
		isl_schedule *schedule;

		node = poly_kernel_thread_a_point(prog, kernel, node, 8,
			32);
		schedule = isl_schedule_node_get_schedule(node);
		isl_schedule_node_free(node);
		if (poly_set_schedule(prog, schedule) < 0)
			return poly_isl_error(prog, "poly_map_naive");
	}
	return isl_stat_ok;
}
