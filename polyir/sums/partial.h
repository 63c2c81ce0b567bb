/* What the two halves of the division of a sum into parts share: partial.c makes
 * the statements, partial_order.c puts them into the order of the program.
 */
#ifndef POLYIR_PARTIAL_H
#define POLYIR_PARTIAL_H

#include "polyir/ir/ir.h"
#include "polyir/sums/sums.h"

/* "wide" takes S[.., l, q, ..] to the old S[.., L q + l, ..]; "zero" the
 * domain of the new statements, S without its sums but with the parts, to the
 * new S, with zeros for what is missing. "index" is the place of the part on
 * that domain, "drop" says which dimensions of the new S it lacks, "is_part"
 * which are parts, "is_run" which count within a run; "row" is the cells'
 * dimension along which places are whole lines of "line" bytes, -1 if there is
 * none.
 */
struct partial {
	const struct poly_parts *p;
	struct poly_prog *prog;
	struct poly_stmt *stmt, *init, *sum;
	struct poly_array *array;
	isl_multi_aff *wide;
	isl_set *old, *domain;
	int n, from[2 * POLY_MAX_DIM], row, line;
	bool drop[2 * POLY_MAX_DIM], is_part[2 * POLY_MAX_DIM];
	bool is_run[2 * POLY_MAX_DIM];
};

/* From the domain of "s", one of the new statements, to the new S. */
__isl_give isl_multi_aff *poly_partial_zero(const struct partial *t,
	const struct poly_stmt *x);
/* Put the new statements into the original order and, if the parts are lanes,
 * into the schedule; false if that cannot be done.
 */
bool poly_partial_order(struct partial *t);

#endif
