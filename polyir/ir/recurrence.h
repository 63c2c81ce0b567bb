/* Recurrences that are scans: statements whose value is made of the one before. */
#ifndef POLYIR_RECURRENCE_H
#define POLYIR_RECURRENCE_H

#include <stdbool.h>

#include "polyir/ir/ir.h"

/* A first-order recurrence along dimension "dim" of a statement, whose cells are
 * those of its instances:
 *
 *	y[.., i, ..] = y[.., i - 1, ..] op value
 *	y[.., i, ..] = factor * y[.., i - 1, ..] + value	op is ADD
 *
 *	y[.., i, ..] = y[.., i - 1, ..] joined with value	op is JOIN, "join" the node
 *
 * "before" is the leaf that reads y; "value" is negated if "minus" is set, and NULL
 * means 0, beside a factor; "factor" NULL means that there is none. All of these belong
 * to the statement.
 *
 * A row may be written in tiles of L elements, the extent of the array's last dimension.
 * Then it goes on over dimension "over", -1: it is in one piece, from the end of each
 * tile to the beginning of the next:
 *
 *	y[.., b, 0] = y[.., b - 1, L - 1] op value
 */
struct poly_recurrence {
	int dim, over;
	enum poly_op op;
	struct poly_expr *before, *factor, *value;
	const struct poly_expr *join;
	bool minus;
};

/* Is "stmt" one that may be computed in any grouping? "r" may be NULL. */
bool poly_recurrence_read(const struct poly_prog *prog,
	const struct poly_stmt *stmt, struct poly_recurrence *r);
/* Is it one as far as its value goes, whichever cell that reads? */
bool poly_recurrence_has_form(const struct poly_prog *prog,
	const struct poly_stmt *stmt);
/* The same whatever order of floating-point operations the program asks for. */
bool poly_recurrence_find(const struct poly_stmt *stmt,
	struct poly_recurrence *r);
/* Is "leaf", of "stmt", what such a statement reads of its own array? */
bool poly_reads_before(const struct poly_prog *prog,
	const struct poly_stmt *stmt, const struct poly_expr *leaf);

#endif
