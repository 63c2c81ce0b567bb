/* Reductions: what par_reduce.c and par_fold.c share. */
#ifndef FRONTEND_PARALLEL_REDUCE_H
#define FRONTEND_PARALLEL_REDUCE_H

#include "frontend/parallel/par_eval.h"

/* A call of a reduction of "xs" by "callee", from "id" on.
 *
 * "e" is the call, for its name and place. "callee" may be NULL where the call
 * itself says what is done.
 */
struct par_reduction {
	struct fe_par *p;
	const struct fe_par_expr *e;
	const struct fe_par_callee *callee;
	const struct fe_par_value *id;
	const struct fe_par_array *xs, *begins;	/* "begins": of segments, or NULL */
	const struct poly_loc *loc;
};

/* The array of the store by itself. */
struct fe_par_value fe_par_store_value(struct fe_par *p, struct fe_par_store *s,
	const struct fe_par_scalar *length, const struct poly_loc *loc);
/* The condition that the innermost loop is at 0. */
const struct fe_par_scalar *fe_par_at_first(struct fe_par *p,
	const struct fe_par_scalar *i, const struct poly_loc *loc);
/* reduce, scan, exscan and segmented scans by any function. */
struct fe_par_value fe_par_fold_by(struct par_reduction *r);

#endif
