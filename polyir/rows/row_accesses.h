/* What the accesses of a row program have in common, for the shape of its blocks. */
#ifndef POLYIR_ROW_ACCESSES_H
#define POLYIR_ROW_ACCESSES_H

#include <stdbool.h>

#include "polyir/ir/ir.h"
#include "polyir/rows/rows.h"

/* Elements of one run, at most. */
enum { POLY_ROW_RUN = 8 };

/* How far the first element of a row lies behind the beginning of a run, of POLY_ROW_RUN
 * elements, for one step of each axis; in how many accesses it is so.
 */
struct poly_row_phase {
	int step[POLY_ROW_DIMS], votes;
};
/* Ways in which rows begin that are counted. */
enum { POLY_ROW_PHASES = 8 };

/* An array that lies along an axis, and the most elements of it that a statement accesses
 * so. It counts once, however often it is read: a row program loads it once (program.c),
 * and its shape must be that of the group that it is made of.
 */
struct poly_row_noted {
	const struct poly_array *array;
	int axis;
	double elements;
};
/* Arrays that are counted. */
enum { POLY_ROW_NOTED = 32 };

/* What the accesses of a group have in common: what lies along each axis; of those
 * along "lane", unless that is -1, the bytes of the smallest and of the largest element, and
 * the longest run that begins at a multiple of itself in all of them; where their rows
 * begin.
 */
struct poly_row_look {
	const struct poly_row_group *g;
	int stmt, lane, size, most, run;
	const struct poly_array *without;	/* counts for nothing */
	struct poly_row_noted noted[POLY_ROW_NOTED];
	int n_noted;
	struct poly_row_phase phase[POLY_ROW_PHASES];
	int n_phase, n_access;
	bool part;		/* an access is at L i + r of a row, r in the lanes */
	bool packed;		/* rows of several axes have their elements side by side */
};

/* row_accesses.c: look at all accesses of members that go along rows; results of
 * reductions are no rows.
 */
void poly_row_look_at(struct poly_row_look *k);
/* The axis along which the most elements lie, one of a row if there is a choice. */
int poly_row_lane_axis(const struct poly_row_look *k);

#endif
