/* The tree of a block kernel that is made anew with its barriers. */
#ifndef POLYIR_BLOCK_SYNC_H
#define POLYIR_BLOCK_SYNC_H

#include <stdbool.h>

#include <isl/schedule.h>
#include <isl/schedule_node.h>
#include <isl/union_set.h>

#include "polyir/ir/ir.h"

/* The tree that is being built anew, with barriers. */
struct poly_barriers {
	struct poly_prog *prog;
	const struct poly_kernel *kernel;	/* around the node, or NULL */
	bool shared;		/* below the filter of a thread */
	isl_union_set *all;	/* that reaches this filter, or NULL */
	bool failed;
};

/* barrier.c: what reaches "node" in any launch, block and thread.
 *
 * With the sizes of the program as the only parameters.
 */
__isl_give isl_union_set *poly_reaching(struct poly_barriers *s,
	__isl_keep isl_schedule_node *node);
/* What reaches the leaf "node" in any thread: said as above the filter that gives it
 * to the threads, if that is the same.
 *
 * The filter of a thread is i mod 64 = t1; for any thread that is all i. isl
 * finds it in pieces, one for each remainder, and the set above is the same in
 * one.
 */
__isl_give isl_union_set *poly_leaf_domain(struct poly_barriers *s,
	__isl_keep isl_schedule_node *node);
/* A new barrier for each round at "node".
 *
 * The program owns the statement. NULL with s->failed where the name or memory
 * is missing.
 */
__isl_give isl_schedule *poly_barrier_at(struct poly_barriers *s,
	__isl_keep isl_schedule_node *node);

#endif
