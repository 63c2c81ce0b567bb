/* How few cells do for an array, dimension by dimension. */
#ifndef POLYIR_SHRINK_H
#define POLYIR_SHRINK_H

#include <stdbool.h>

#include <isl/union_map.h>

#include "polyir/ir/ir.h"
#include "polyir/deps/deps.h"
#include "polyir/memory/memory.h"

/* The accesses to one array. */
struct poly_shrink {
	struct poly_prog *prog;
	struct poly_array *array;
	isl_union_map *reads, *writes;
};

/* shrink_cells.c: is dimension "dim" one that no threads count, in any statement that
 * accesses it?
 */
bool poly_is_of_steps(const struct poly_shrink *s, int dim,
	const struct poly_clock *clock);
/* Does all that is accessed lie inside of dimension "dim"? */
bool poly_is_inside(const struct poly_shrink *s, int dim);
/* Set "best" to the dimension that "clock" lets shrink most, and its cells. */
bool poly_fewest_cells(const struct poly_shrink *s, const struct poly_clock *clock,
	struct poly_cells *best);

#endif
