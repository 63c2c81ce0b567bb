/* The search for statements that go over the same rows: who may join, and how long
 * rows are then.
 */
#ifndef POLYIR_ROW_JOIN_H
#define POLYIR_ROW_JOIN_H

#include <stdbool.h>

#include "polyir/ir/ir.h"
#include "polyir/rows/rows.h"

/* The search for a group. "next" are the pairs of statements of which the second needs
 * the first.
 */
struct poly_row_find {
	struct poly_row_group *g;
	const int *group_of;
	const bool *next;		/* n x n */
	bool *seen;			/* during a walk */
};

/* The walk over the accesses of a statement that is to join: "axis" are those of its
 * dimensions so far. With "hints", what it reads tells, but need not agree.
 */
struct poly_row_join {
	struct poly_row_find *f;
	struct poly_stmt *stmt, *other;
	signed char axis[POLY_ROW_DIMS];
	const signed char *other_axis;
	const struct poly_array *array;
	isl_multi_pw_aff *index;	/* of the access of "stmt" */
	bool hints, fails, whole;
};

/* row_join.c: find the axes of the dimensions of "stmt", if it can join. */
bool poly_row_find_axes(struct poly_row_find *f, struct poly_row_join *j,
	struct poly_stmt *stmt);
/* Can an update join: are its cells those of rows, and its sums free? */
bool poly_row_is_update(const struct poly_row_join *j);
/* Does the statement read an element of each point, or does it not go along rows? A
 * product reads the same ones at many points.
 */
bool poly_row_is_no_product(struct poly_row_join *j);
/* One more than the last value of dimension "d" of "stmt"; 0 if there is none, or one
 * below 0, or if it is not known; -1 if it is any.
 */
int poly_row_end_of(const struct poly_row_group *g, const struct poly_stmt *stmt,
	int d);

/* find.c: find the extent of each axis; false if that of a row is not known. Of rows
 * themselves there may be any number: SUPPOSED is what is planned for then.
 */
bool poly_row_measure(struct poly_row_group *g);

#endif
