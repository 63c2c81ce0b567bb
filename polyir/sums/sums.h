/* Reductions in parts, and products that share a kernel. */
#ifndef POLYIR_SUMS_H
#define POLYIR_SUMS_H

#include <stdbool.h>

#include <isl/ctx.h>
#include <isl/map.h>

#include "polyir/ir/ir.h"
#include "polyir/cost/cost.h"

struct poly_nest;

isl_stat poly_split(struct poly_prog *prog);
isl_stat poly_fold(struct poly_prog *prog);
isl_stat poly_chain(struct poly_prog *prog);

/* partial.c: a sum as sums of parts. "sum" says for each dimension of "stmt"
 * whether the update goes over it for one cell, "part" into how many parts it
 * is divided (0: not), "own" whether the parts need a place for each of its
 * values. "rows": the parts of one cell lie side by side in memory. "values":
 * so many neighbours of a dimension are a part; 0: what leaves one remainder.
 * "open": the only parts are the values of a dimension, however many there are.
 * "at_once": one instance adds all parts of a cell. "whole": rows of parts may
 * be whole runs of POLY_RUN_BYTES, longer than those of the cells. "lanes": the only parts are
 * lanes, runs of "run" elements each; the program's schedule has them then,
 * below marks POLY_LANES_MARK "RUN". "columns", if not 0: the lanes go down so many
 * columns of a block, and the mark is POLY_LANES_MARK "1:COLUMNS".
 */
#define POLY_LANES_MARK "lanes:"
enum { POLY_MAX_DIM = 16 };
struct poly_parts {
	struct poly_prog *prog;
	struct poly_stmt *stmt;
	bool sum[POLY_MAX_DIM], own[POLY_MAX_DIM];
	int part[POLY_MAX_DIM], values[POLY_MAX_DIM], run, columns;
	bool rows, at_once, whole, lanes, open;
};
/* Make the sums of parts, which needs the dependences anew; returns the
 * statement that adds them up, whose last dimensions are the parts unless it
 * does so at once, or NULL.
 */
struct poly_stmt *poly_add_partial(const struct poly_parts *p);
/* The dimensions of "stmt" that loops of the text count around the outermost
 * of those over dimensions in "sum", into "around". False if something else
 * that this loop runs accesses a cell that "stmt" updates in it.
 */
bool poly_partial_loops(struct poly_prog *prog, struct poly_stmt *stmt,
	const bool *sum, bool *around);

/* lanes.c: divide the sum of "stmt" over dimension "d" into "lanes" lanes, which the
 * program's schedule has then. False if it cannot have them, or as many.
 */
bool poly_give_lanes(struct poly_prog *prog, struct poly_stmt *stmt, int d,
	int lanes);

/* rest.c: cut "stmt", and what shares its kernel, where a rest of its tiles does
 * not fill the machine; "*n" counts.
 */
isl_stat poly_cut_rest(struct poly_prog *prog, struct poly_stmt *stmt, int *n);

/* link.c: two kernels in a row, the second "kernel", with their point statements
 * "stmt": what the first hands on to the second. The caller sets all up to
 * "n_outer", the rest is zero.
 */
struct poly_link {
	struct poly_prog *prog;
	const struct poly_kernel *kernel;
	struct poly_stmt **stmt[2];
	int n[2], n_outer;
	struct poly_array *array;	/* that the first hands on */
	isl_map *view;			/* [p0, p1, z..] -> its element */
	struct poly_stmt *product;	/* of the second, that reads it, */
	int read;			/* as this of its reads */
	int axis;	/* of the tile, along which the two share points */
};
/* Is there such an array? poly_clear_link releases what is found, in any case. */
bool poly_find_link(struct poly_link *l);
void poly_clear_link(struct poly_link *l);
/* What two kernels in a row have to do: for each of "n" sizes the works of both;
 * along which axes they have the "same" points.
 */
enum { POLY_MOST_SIZES = 8 };
struct poly_works {
	int n;
	bool same[2];
	struct poly_work work[POLY_MOST_SIZES][2];
};
/* Had the product of "second" better go on in the kernel of "first", whose
 * result it reads? Then "*b" is the block for both.
 */
bool poly_choose_chain(const struct poly_nest *first,
	const struct poly_nest *second, const struct poly_works *works,
	struct poly_block *b);

#endif
