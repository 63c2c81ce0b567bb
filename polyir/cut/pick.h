/* Reductions of which data tell, at each cell, over which of a loop they go: pick.c, span.c;
 * and elements at steps that data tell: steps_at.c.
 */
#ifndef PREPARE_PICK_H
#define PREPARE_PICK_H

#include <stdbool.h>

#include <isl/aff.h>

struct poly_prog;
struct poly_stmt;
struct poly_array;
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


/* steps_at.c: the step "step", an I64, of the loop "dim" of "s"; "first", { X[..] -> S[..] },
 * gives that loop's first instance. What is no number of steps is refused.
 */
struct poly_steps {
	const struct poly_stmt *s;
	int dim;
	isl_multi_aff *first;
	struct poly_expr *step;
	bool refused;
};
/* "sum", NULL: 0, and what "pa", a function of the instances, is at the step; takes both. */
struct poly_expr *poly_add_position(struct poly_steps *s, struct poly_expr *sum,
	__isl_take isl_pw_aff *pa);
/* The number of the element "index" of "array", counted row by row, behind "sum". */
struct poly_expr *poly_add_number(struct poly_steps *s, struct poly_expr *sum,
	const struct poly_array *array, __isl_keep isl_multi_pw_aff *index);

#endif
