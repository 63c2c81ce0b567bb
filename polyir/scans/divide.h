/* polyir: what the files that divide recurrences into tiles share. */
#ifndef POLYIR_DIVIDE_H
#define POLYIR_DIVIDE_H

#include "polyir/scans/scans.h"

/* A recurrence under way. Points are [outer.., b, r], or without r. Row "begin" has
 * "tiles" of "length" elements from "base" on; "start" gives the first value, NULL:
 * some other statement does, or none.
 */
struct poly_divide {
	struct poly_prog *prog;
	const struct poly_scan_box *box;
	struct poly_stmt *stmt, *start;
	int n;			/* dimensions of [outer.., b] */
	int64_t length, base, tiles;
	struct poly_expr *value, *factor, *first;	/* on the old statements */
	struct poly_expr *both, *none;	/* of a JOIN: see expr.h */
	struct poly_array *part, *product, *carry, *row;
	int from;		/* the number of the first new statement */
	bool chained;		/* blocks scan tiles in turn */
	bool failed;
};

/* divide_points.c. */
__isl_give isl_aff *poly_divide_constant(__isl_keep isl_space *space, int64_t v);
/* The element of the old row that is at a point of "space". */
__isl_give isl_aff *poly_divide_element(const struct poly_divide *d,
	__isl_keep isl_space *space);
/* The points of "space" from element "first" of rows on, of the tiles "set". */
__isl_give isl_set *poly_divide_from_element(const struct poly_divide *d,
	__isl_take isl_set *set, __isl_keep isl_space *space, int64_t first);
/* The instance of the old statement at a point, [outer.., b, r]. */
__isl_give isl_multi_aff *poly_divide_instance(const struct poly_divide *d,
	__isl_keep isl_space *space);
/* "{ X[outer.., b, r] -> S[..] }": the instance of the old statement in the row of a
 * point of "space" whose element is "at", which is taken.
 */
__isl_give isl_multi_aff *poly_divide_instance_at(const struct poly_divide *d,
	__isl_keep isl_space *space, __isl_take isl_aff *at);
/* The points of statement "name": [outer.., b], and r if "inner". */
__isl_give isl_space *poly_divide_points(const struct poly_divide *d, const char *name,
	bool inner);
/* "{ X[outer.., b, r] -> T[..] }" to the instance of the statement that begins the
 * row; other dimensions than those of rows have one value.
 */
__isl_give isl_multi_aff *poly_divide_start_instance(const struct poly_divide *d,
	__isl_keep isl_space *space);
/* Points of "space" of the tiles from "first" to "last". */
__isl_give isl_set *poly_divide_tiles(const struct poly_divide *d,
	__isl_keep isl_space *space, int64_t first, int64_t last);
__isl_give isl_aff *poly_divide_var(__isl_keep isl_space *space, int dim);

#endif
