/* Loops that become one: the axes that they go along. */
#ifndef POLYIR_MERGE_H
#define POLYIR_MERGE_H

#include <stdbool.h>

#include <isl/aff.h>

#include "polyir/ir/ir.h"
#include "polyir/map/map.h"

/* Loops of an axis, at most. */
enum { POLY_AXIS_LOOPS = 24 };

/* An axis: its loops from outside in, and the turns of each. Loops have the
 * numbers that they have in a product: [p0, p1, pk, z.., u..]. Some lie in memory as one,
 * but for windows that slide along them.
 */
struct poly_axis {
	int n, loop[POLY_AXIS_LOOPS];
	long extent[POLY_AXIS_LOOPS];
	bool line, slides;
};

/* What asks whether accesses of a statement, of which "at" tells the loops, see the loops
 * of an axis as dimensions that lie in memory as one.
 */
struct poly_in_line {
	const struct poly_nest *nest;
	const struct poly_axis *axis;
	const struct poly_stmt *stmt;
	bool product, is, slides;
};

/* merge.c: are the loops of the axis one dimension of "array" behind the other, all of them
 * or none?
 */
void poly_ask_line(struct poly_in_line *a, const struct poly_array *array,
	__isl_keep isl_multi_pw_aff *index);
/* The turns of loop "x", which all statements of "nest" share, or 0. */
long poly_nest_turns(const struct poly_nest *nest, int x);
/* Put loop "x", of "n" turns, into "axis" as number "at". May it have more loops? */
void poly_axis_insert(struct poly_axis *axis, int at, int x, long n);
bool poly_axis_is_short(const struct poly_axis *axis);

/* merge_points.c: put loops of the batch of "nest", which has no product, into "axis" where
 * that is better.
 */
void poly_merge_points(const struct poly_nest *nest, struct poly_axis axis[2]);

#endif
