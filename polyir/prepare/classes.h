/* A sum, seen by the windows of its terms: which of its loops move with its cells. */
#ifndef POLYIR_CLASSES_H
#define POLYIR_CLASSES_H

#include <stdbool.h>
#include <stdint.h>

#include <isl/aff.h>
#include <isl/constraint.h>
#include <isl/set.h>
#include <isl/space.h>
#include <isl/val.h>

#include "polyir/ir/ir.h"
#include "polyir/sums/sums.h"

enum { POLY_VIEW_BOUNDS = 64, POLY_VIEW_SIZES = 32 };

/* A constant, and multiples of the sizes. */
struct poly_linear {
	int64_t at, size[POLY_VIEW_SIZES];
};

/* stride * LOOP >= sign * CELL + "by", or <=; "cell" -1: the loop by itself. */
struct poly_bound {
	int loop, cell, sign;
	bool upper;
	int64_t stride;
	struct poly_linear by;
};

/* sign * CELL + "by" = stride * a + t, 0 <= t < stride; LOOP = a + p - "ahead" or, with
 * "every", stride * p + t; "loop" -1: there is none.
 */
struct poly_split {
	int cell, loop, sign;
	bool every;
	int64_t stride, ahead;
	struct poly_linear by;
};

/* A statement that is looked at: its instances are those of "domain" by "pull",
 * "{ S[new] -> S[old] }".
 */
struct poly_view {
	struct poly_prog *prog;
	struct poly_stmt *stmt;
	isl_set *domain;
	isl_multi_aff *pull;
	struct poly_bound bound[POLY_VIEW_BOUNDS];
	int n_bound;
	struct poly_split split[POLY_MAX_DIM];
	int n_split;
	bool moved;		/* "pull" is not the identity */
	bool cell[POLY_MAX_DIM];	/* dimensions that the cell moves with */
};

/* "v", which is taken, as a number; false if it is none, or a great one. The same of a
 * coefficient of "c"; the constant and the sizes of "c", times "factor".
 */
bool poly_small_number(__isl_take isl_val *v, int64_t *n);
bool poly_coefficient(__isl_keep isl_constraint *c, enum isl_dim_type type,
	int pos, int64_t *n);
bool poly_linear_of(const struct poly_prog *prog,
	__isl_keep isl_constraint *c, int64_t factor, struct poly_linear *of);
/* a - b, if the sizes that count are fixed. */
bool poly_linear_apart(const struct poly_prog *prog, const struct poly_linear *a,
	const struct poly_linear *b, int64_t *n);
/* "of", and dimension "d", as functions on the tuple "space". */
__isl_give isl_aff *poly_linear_on(const struct poly_prog *prog,
	__isl_keep isl_space *space, const struct poly_linear *of);
__isl_give isl_aff *poly_dim_on(__isl_keep isl_space *space, int d);

/* See "stmt" as it is; release that. How many dimensions it has; count by "to",
 * "{ S[new] -> S[..] }", which is taken; what the cell is in these.
 */
void poly_view_begin(struct poly_view *v, struct poly_prog *prog,
	struct poly_stmt *stmt);
void poly_view_end(struct poly_view *v);
int poly_view_dims(const struct poly_view *v);
void poly_view_move(struct poly_view *v, __isl_take isl_multi_aff *to);
__isl_give isl_multi_pw_aff *poly_view_cell(const struct poly_view *v);
/* The tuple of the statement with "n" dimensions; "{ S[..] -> S[..] }" from "space" with
 * all values 0.
 */
__isl_give isl_space *poly_view_tuple(const struct poly_view *v, int n);
__isl_give isl_multi_aff *poly_view_zero(const struct poly_view *v,
	__isl_keep isl_space *space);

/* Leave loops of the sum away that others and the cell tell. Let its cells be counted,
 * each coordinate by a dimension of its own.
 */
void poly_view_drop_told(struct poly_view *v);
void poly_view_gather(struct poly_view *v);
/* Divide the cells by the windows that the loops of the sum go over, and by what tells at
 * which steps they are.
 */
void poly_view_windows(struct poly_view *v);
void poly_view_steps(struct poly_view *v);
/* Add "split", or its loop to what divides the same cells in the same steps. The split
 * of dimension "d", as its cell or as its loop, or NULL.
 */
void poly_view_add_split(struct poly_view *v, const struct poly_split *split);
const struct poly_split *poly_view_split_of(const struct poly_view *v, int d, bool cell);

/* views.c: has "s" classes? Count by the classes and loops of "v" that were found. */
bool poly_split_has_classes(const struct poly_split *s);
void poly_view_divide(struct poly_view *v);

#endif
