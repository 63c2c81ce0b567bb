/* Row programs: maps and reductions over the same rows share one kernel. */
#ifndef POLYIR_ROWS_H
#define POLYIR_ROWS_H

#include <stdbool.h>

#include <isl/ctx.h>
#include <isl/schedule_node.h>

#include "polyir/ir/ir.h"

isl_stat poly_rows(struct poly_prog *prog);

/* over_rows.c: let sums over more than rows be sums of what rows have, by another
 * schedule.
 */
isl_stat poly_sums_over_rows(struct poly_prog *prog);

/* remade.c: let groups make values themselves that others store for them, where that is
 * sooner done, by another schedule.
 */
isl_stat poly_remake_rows(struct poly_prog *prog);
/* remade.c: had readers of "array", which a map makes, better make its values themselves? */
bool poly_row_remakes(struct poly_prog *prog, struct poly_array *array);
/* remade.c: let "stmt" compute what maps make for it, if that takes less time; maps whose
 * values nobody reads stay. False without memory.
 */
bool poly_row_take_maps(struct poly_prog *prog, struct poly_stmt *stmt);
/* remade.c: drop maps whose values nobody reads. */
void poly_row_drop_unread(struct poly_prog *prog);

/* Groups of a program, at most. */
enum { POLY_MOST_ROWS = 64 };

/* Statements that share a kernel. Axes from 0 to n_kept - 1 are those of the rows, that
 * is, parallel; the "n_row" others go along a row. "axis" has those of the dimensions
 * of each statement, which has all of the first, and all of the others or none; of one
 * that is "in" the group.
 */
enum { POLY_ROW_DIMS = 8 };
struct poly_row_group {
	struct poly_prog *prog;
	int n_kept, n_row, n_stmt;
	int extent[POLY_ROW_DIMS];	/* by axis: the most values */
	unsigned open;			/* axes, bit by bit, that have any number */
	bool *in;
	signed char (*axis)[POLY_ROW_DIMS];
};

/* find.c: the group that grows from the reduction number "seed": "group_of" has the
 * group of each statement, -1: none yet, and "next" is true at i * n + k where
 * statement k needs i. False if there is none. poly_row_group_clear releases what it
 * holds, in any case.
 */
bool poly_row_group_find(struct poly_row_group *g, struct poly_prog *prog,
	int seed, const int *group_of, const bool *next);
void poly_row_group_clear(struct poly_row_group *g);
/* Does a statement of the group write "array"? */
bool poly_row_makes(const struct poly_row_group *g,
	const struct poly_array *array);
/* Does the statement go along rows? */
bool poly_row_is_long(const struct poly_row_group *g, int stmt);

/* row_read.c: the group whose tree begins at the band "node", above the mark. */
bool poly_row_group_read(struct poly_row_group *g, struct poly_prog *prog,
	__isl_keep isl_schedule_node *node);

/* shape.c: how the threads of a block share rows. With "along_row" a row is coordinate
 * 1 of the points, which lies along memory, else coordinate 0; the other one is axis
 * "other". A thread has runs of "run" elements along coordinate 1. Where rows begin
 * anywhere, they are "shifted": the first element of row i, and so on for the axis of
 * i, is at coordinate (phase[i] * i + ..) mod run. False if there is no way. Is it a
 * way that is worth it: are there registers and work enough?
 */
struct poly_row_shape {
	bool along_row, shifted;
	bool part;		/* a row is a part of a row in memory */
	bool kept;		/* its elements are, for more than a sum */
	bool packed;		/* one of several axes has its elements side by side */
	int other;
	int thread[2], tile[2], run, size;	/* size: bytes of an element */
	int words;		/* registers that an element takes, at most */
	int cluster;		/* blocks that share a row */
	int down;		/* a thread's run of coordinate 0 */
	int phase[POLY_ROW_DIMS];
};
bool poly_row_shape(const struct poly_row_group *g, struct poly_row_shape *s);
/* shape.c: has the group a scan that goes on from tile to tile? A block has one tile then. */
bool poly_row_goes_on(const struct poly_row_group *g);
/* shape.c: has it any scan? */
bool poly_row_has_scan(const struct poly_row_group *g);
bool poly_row_fits(const struct poly_row_group *g,
	const struct poly_row_shape *s);

/* beside.c: the axis along which a block of "rows" rows, of "bytes" each, has them. */
int poly_row_beside(const struct poly_row_group *g, int rows, double bytes);

/* extreme.c: is "s" a reduction of what is equal to the extreme "m" of the same values, over
 * the same points? Both are parted alike then, and "sum" adds the parts of "s": let "s" ask
 * for the extreme of its part, which "m" makes now, and "sum" for "cell", that of all.
 */
bool poly_row_asks_extreme(const struct poly_prog *prog, const struct poly_stmt *s,
	const struct poly_stmt *m);
bool poly_row_ask_parts(struct poly_stmt *s, struct poly_stmt *sum,
	const struct poly_stmt *m, struct poly_array *cell);

/* program.c: let rows be loaded once, and values that others need be stored, by
 * statements of their own, which become members of the group.
 */
isl_stat poly_row_program(struct poly_row_group *g);

/* again.c: let the readers of a map compute it, which is dropped, if that is sooner
 * done; of statements in no group, which "group_of" tells by numbers below 0. Returns
 * how many there were, 1 at most: pointers and positions of statements are void then.
 * The schedule still has it, and dependences are those before.
 */
int poly_compute_again(struct poly_prog *prog, const int *group_of);
/* again.c: let "*e" compute what the map "map" makes, all of whose elements that it reads
 * are at one place; false if they are not. "*e" is NULL without memory.
 */
bool poly_compute_map(struct poly_prog *prog, struct poly_expr **e,
	struct poly_stmt *map);

#endif
