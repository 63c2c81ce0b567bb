/* Recurrences that become scans. */
#ifndef POLYIR_SCANS_H
#define POLYIR_SCANS_H

#include <stdbool.h>

#include "polyir/ir/ir.h"
#include "polyir/ir/recurrence.h"

/* scans.c */
isl_stat poly_scans(struct poly_prog *prog);

/* explain.c: say in remarks which recurrences are scans, statement i where "in_rows"[i]
 * is set, and why others are none.
 */
void poly_explain_scans(struct poly_prog *prog, const bool *in_rows);

/* Elements at which a row of tiles begins are a multiple of this: whole sectors. */
enum { POLY_SCAN_ALIGN = 16 };

/* The box of a recurrence "stmt": dimensions that tell rows apart in the order of the
 * array's coordinates, with one more than the last value of each; the values of the
 * dimension along which it goes, from "first" to "end" - 1, and the coordinate of the
 * array that this is.
 */
enum { POLY_SCAN_DIMS = 8 };
struct poly_scan_box {
	struct poly_stmt *stmt;
	struct poly_recurrence r;
	int n_outer, outer[POLY_SCAN_DIMS];
	int64_t count[POLY_SCAN_DIMS];
	int64_t first, end;
	int coord;
};

/* box.c: find the box of "stmt"; false if it is no recurrence, sizes are not fixed, or
 * the instances are no box.
 */
bool poly_scan_box(struct poly_prog *prog, struct poly_stmt *stmt,
	struct poly_scan_box *box);
/* The rows of the box, at most INT64_MAX. */
int64_t poly_scan_rows(const struct poly_scan_box *box);

/* needs.c: does "to" need what other statements make of what "from" makes? */
bool poly_scan_needs(struct poly_prog *prog, const struct poly_stmt *from,
	const struct poly_stmt *to);

/* turn.c: does another statement read what "scan" makes otherwise than its own dimensions
 * say?
 */
bool poly_scan_is_read_apart(const struct poly_prog *prog,
	const struct poly_stmt *scan);
/* Is all that reads what "scan" makes, with the first values from "start", a
 * temporary, of a kind that may stand in tiles? Let "reader" stand there, at "points",
 * where the cell "at" of "array" is at "index" of "row"; these are taken.
 */
bool poly_scan_can_turn(struct poly_prog *prog, const struct poly_stmt *scan,
	const struct poly_stmt *start);
/* How far in memory what these readers write, or if it is none what the recurrence reads,
 * is behind the elements of that.
 */
int64_t poly_scan_offset(struct poly_prog *prog,
	const struct poly_scan_box *box, const struct poly_stmt *start);
isl_stat poly_scan_turn(struct poly_prog *prog, struct poly_stmt *reader,
	const struct poly_array *array, __isl_take isl_set *points,
	__isl_take isl_multi_aff *at, struct poly_array *row,
	__isl_take isl_multi_pw_aff *index);

/* alike.c: let what begins recurrences read elements by the index of what they read. */
void poly_scan_read_alike(struct poly_prog *prog);

/* divide.c: divide the rows of the recurrence "box" into tiles of "length" elements,
 * with statements of their own.
 */
isl_stat poly_scan_divide(struct poly_prog *prog,
	const struct poly_scan_box *box, int64_t length);

#endif
