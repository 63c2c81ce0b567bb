/* Statements in pieces, and reductions whose cells or terms data tell as reads, loops and
 * sorts.
 */
#ifndef POLYIR_CUT_H
#define POLYIR_CUT_H

#include "polyir/ir/ir.h"

isl_stat poly_cut(struct poly_prog *prog);

/* pick.c: sums of definitions that have one term, at a place that data tell, become
 * reads. Returns how many there were; pointers to statements are void then.
 */
int poly_pick(struct poly_prog *prog);
/* span.c: reductions of definitions over what lies between two values become loops whose
 * bounds these are. How many were that.
 */
int poly_span(struct poly_prog *prog);
/* owners.c: updates at places that data tell, that are not atomic, are sorted by their cells.
 * How many were that, or -1 on failure.
 */
int poly_own_updates(struct poly_prog *prog);

#endif
