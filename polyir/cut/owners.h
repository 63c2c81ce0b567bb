/* What the files of updates that cells own share: owners.c, owners_sort.c, owners_find.c. */
#ifndef PREPARE_OWNERS_H
#define PREPARE_OWNERS_H

#include <stdbool.h>

#include <isl/aff.h>
#include <isl/set.h>
#include <isl/space.h>

#include "polyir/ir/ir.h"

/* Elements of a tile, and bits of a digit, that are counted together; dimensions of an update,
 * at most.
 */
enum { POLY_OWN_TILE = 4096, POLY_OWN_BITS = 8, POLY_OWN_DIGITS = 1 << POLY_OWN_BITS,
	POLY_OWN_DIMS = 8 };

/* The update "s", of whose dimensions "cell" is coordinate "told" of what is written, which
 * data tell, and "term" counts the terms of a cell. Both go from 0 on: "n" terms, "m" values
 * of the coordinate, functions of the sizes. "wanted" is the place of a term, and "rest" what
 * else must hold, or NULL. "bits" are those of the places.
 */
struct poly_owners {
	struct poly_prog *prog;
	struct poly_stmt *s;
	int cell, term, told, bits;
	const struct poly_expr *wanted;
	struct poly_expr *rest;
	isl_pw_aff *n, *m;
	isl_set *cells;		/* "{ A[..] }": those that "s" updates */
	int from;		/* the number of the first new statement */
	bool failed;
};

/* owners_find.c: is "s" an update whose cells had better own their terms? Fills in "o",
 * which poly_owners_end empties in any case.
 */
bool poly_owners_find(struct poly_owners *o, struct poly_prog *prog,
	struct poly_stmt *s);
void poly_owners_end(struct poly_owners *o);

/* owners_make.c: a temporary of "n_dim" dimensions that "extent" tells, which are taken. */
struct poly_array *poly_owners_array(struct poly_owners *o, const char *suffix,
	enum poly_type type, isl_pw_aff **extent, int n_dim);
/* The points [x0, ..] of a new statement named after the old one and "suffix". */
__isl_give isl_space *poly_owners_points(struct poly_owners *o, const char *suffix,
	int n_dim);
/* Coordinate "d" of "space", as a function or as a value; the number "v"; "pa", a function of
 * the sizes, which is taken, on "space".
 */
__isl_give isl_aff *poly_owners_var(__isl_keep isl_space *space, int d);
struct poly_expr *poly_owners_index(enum poly_type t, __isl_keep isl_space *space, int d);
__isl_give isl_aff *poly_owners_number(__isl_keep isl_space *space, int64_t v);
__isl_give isl_pw_aff *poly_owners_size(__isl_keep isl_space *space,
	__isl_take isl_pw_aff *pa);
/* "set" where coordinate "d" is below "end", a function of the sizes, which is taken, and
 * not negative.
 */
__isl_give isl_set *poly_owners_below(__isl_take isl_set *set, int d,
	__isl_take isl_pw_aff *end);
/* "{ X[..] -> A[a] }", or A[a, b] if "b" is not NULL; takes these. What A has there. */
__isl_give isl_multi_pw_aff *poly_owners_at(__isl_keep isl_space *space,
	const struct poly_array *array, __isl_take isl_aff *a, __isl_take isl_aff *b);
struct poly_expr *poly_owners_read(__isl_keep isl_space *space,
	struct poly_array *array, __isl_take isl_aff *a, __isl_take isl_aff *b);
/* Add the statement with the points "set" of "space", which writes "value" to "index", all of
 * which are taken.
 */
struct poly_stmt *poly_owners_add(struct poly_owners *o, __isl_take isl_space *space,
	__isl_take isl_set *set, struct poly_array *array,
	__isl_take isl_multi_pw_aff *index, enum poly_op op, struct poly_expr *value);

/* owners_sort.c: sort "*keys", which are numbers of o->bits bits from 0 on, and what is beside
 * them, "*beside", by the keys; what has one key stays in its order.
 */
void poly_owners_sort(struct poly_owners *o, struct poly_array **keys,
	struct poly_array **beside);

#endif
