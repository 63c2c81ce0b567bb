/* Which rows a block has side by side.
 *
 * A block has several rows where these are short, those along the last axis beside them as
 * a rule, as they lie side by side in memory. That axis may have few of them: of
 *
 *	sum over l of x[i, j, k, l], k < 2	threads for 128 rows, two of which have one
 *
 * most threads would have nothing to do then, and rows along another axis are better,
 * though each of them may use a part alone of what a load brings.
 */
#include "polyir/base/base.h"
#include "polyir/ir/ir.h"
#include "polyir/rows/rows.h"

/* How many times as good rows along another axis must be. */
#define BETTER 1.5

/* The part of "rows" threads that have a row along "axis". */
static double busy(const struct poly_row_group *g, int axis, int rows)
{
	int n = g->extent[axis];

	if (g->open & 1u << axis)
		return 1;
	return n / (double)((n + rows - 1) / rows * rows);
}

int poly_row_beside(const struct poly_row_group *g, int rows, double bytes)
{
	double used = bytes < POLY_SECTOR ? bytes / POLY_SECTOR : 1;
	int last = g->n_kept - 1, best = last;
	double most = BETTER * busy(g, last, rows);

	for (int i = last - 1; i >= 0; i--)
		if (used * busy(g, i, rows) > most) {
			most = used * busy(g, i, rows);
			best = i;
		}
	return best;
}
