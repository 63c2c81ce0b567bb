/* Tiles in registers and shared memory, their pipeline, and barriers. */
#ifndef POLYIR_MEMORY_H
#define POLYIR_MEMORY_H

#include <stdbool.h>

#include <isl/ctx.h>
#include <isl/union_map.h>

#include "polyir/ir/ir.h"

isl_stat poly_promote_registers(struct poly_prog *prog);
/* own_values.c: temporaries of which each point of "kernel", which has no tiles, has an
 * element to itself become registers.
 */
void poly_keep_own_values(struct poly_prog *prog,
	const struct poly_kernel *kernel);
isl_stat poly_promote_shared(struct poly_prog *prog);
isl_stat poly_pipeline(struct poly_prog *prog);
isl_stat poly_sync(struct poly_prog *prog);
isl_stat poly_shrink(struct poly_prog *prog);

/* clock.c: when instances of point statements run, those that tile operations stand for
 * among them: "{ S[..] -> [t, ..] }", earlier ones before later ones in lexicographic
 * order, by the order of launches or, with "inside", by that inside of kernels without
 * tiles, too. "block" has POLY_MAX_BATCH numbers more, the digits of the grid beside its
 * rows and columns.
 */
struct poly_clock {
	bool inside;
	isl_union_map *time, *block;
};
isl_stat poly_clock_read(struct poly_prog *prog, bool inside,
	struct poly_clock *clock);
void poly_clock_free(struct poly_clock *clock);

/* reroute.c: give the dependences through "array" that enter or leave a kernel
 * its statements "load" (or NULL) and "store" as their ends. "points" are its
 * members that still access the array, with theirs: -> [p0, p1, z..].
 */
isl_stat poly_reroute(struct poly_prog *prog,
	__isl_take isl_union_map *points, const struct poly_array *array,
	const struct poly_stmt *load, const struct poly_stmt *store);

#endif
