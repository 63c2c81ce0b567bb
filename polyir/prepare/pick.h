/* Reductions of which data tell, at each cell, over which of a loop they go: pick.c, span.c. */
#ifndef PREPARE_PICK_H
#define PREPARE_PICK_H

#include <stdbool.h>

#include <isl/aff.h>

struct poly_prog;
struct poly_stmt;
struct poly_expr;

/* A reduction, the loop of which data tell, what begins its cells, and
 * { P[i..] -> S[i.., 0] }, from points of that to the first term of each.
 */
struct poly_pick {
	struct poly_prog *prog;
	struct poly_stmt *s, *begin;
	int dim;
	isl_multi_aff *first;
	struct poly_expr *at;	/* what data say, an I64 on the points */
	struct poly_expr *inside;	/* is it one of the loop? */
	bool refused;
};
/* Fill in "begin" and "first"; false: the statement is none that leaves its cell as it is
 * where its value is the second choice, or other statements write there.
 */
bool poly_find_points(struct poly_pick *p);
/* Is dimension p->dim of "s" from 0 to the same end everywhere, with what begins its
 * cells at the same points otherwise, for all sizes that there may be? Then
 * "*length" is that end, on the points.
 */
bool poly_is_box(const struct poly_pick *p, isl_pw_aff **length);

#endif
