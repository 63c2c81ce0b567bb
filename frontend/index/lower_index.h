/* frontend/index: tensors to a program, what the files that lower them share. */
#ifndef FRONTEND_INDEX_LOWER_H
#define FRONTEND_INDEX_LOWER_H

#include <isl/aff.h>
#include <isl/schedule.h>
#include <isl/set.h>

#include "frontend/index/index.h"
#include "frontend/index/tensor/frame.h"

enum { FE_MAX_STMT_NAME = FE_MAX_NAME + 128 };

struct fe_lower {
	const struct fe_unit *unit;
	struct poly_prog *prog;
	isl_ctx *ctx;
	const struct fe_tensor *tensor;	/* being lowered */
	isl_set *assumed;		/* of the sizes, or NULL */
	struct poly_loc loc;
	struct poly_array **sum;	/* by id, in which one is summed that is
					 * stored in another type */
	struct poly_array **words;	/* by id, that hold a state of a join */
	const struct fe_join *join;	/* whose operator is being lowered, or NULL */
	enum poly_type side;		/* of the words of that */
	isl_schedule *order;		/* of all so far, if there are calls */
};

/* A reduction: the array that holds it, and the indices of that. */
struct fe_cell {
	struct poly_array *array;
	const struct fe_index *dim[FE_MAX_LOOP];
	int n;
};

/* ---------------------------------------------------------- lower_array.c */

/* Write a name that neither the program nor its text has: "base_suffix", or with
 * a number behind it.
 */
const char *fe_lower_free_name(struct fe_lower *lw, const char *base,
	const char *suffix, char text[FE_MAX_STMT_NAME]);
/* What the statement that computes "t" is called behind the name of its array:
 * "other", unless it is a matrix.
 */
const char *fe_lower_stmt_word(const struct fe_tensor *t, const char *other);
/* An array called "name" over the boxes of the "n" indices. */
struct poly_array *fe_lower_add_array(struct fe_lower *lw, const char *name,
	const struct fe_index *const *dim, int n, enum poly_type type,
	enum poly_role role);
/* The element of "array" at the values of the indices "dim" of the frame. */
__isl_give isl_multi_pw_aff *fe_lower_own_index(const struct fe_frame *f,
	const struct poly_array *array, const struct fe_index *const *dim,
	int n);
/* The element that the read "e" names; along dimensions where data tell which, the
 * first.
 */
__isl_give isl_multi_pw_aff *fe_lower_read_index(const struct fe_frame *f,
	const struct fe_scalar *e);
/* The statement of the frame's name on "domain": cell[dim] (reduce)= rhs. */
isl_stat fe_lower_add_stmt(struct fe_lower *lw, const struct fe_frame *f,
	__isl_take isl_set *domain, const struct fe_cell *cell,
	enum poly_op reduce, struct poly_expr *rhs);
/* "set" on the dimensions of the frame "from" as one on those of "to". */
__isl_give isl_set *fe_lower_move(__isl_take isl_set *set,
	const struct fe_frame *from, const struct fe_frame *to);
/* Let the indices of "cell" be those of the frame that "e" mentions. */
void fe_lower_uses(const struct fe_scalar *e, const struct fe_frame *f,
	struct fe_cell *cell);

/* --------------------------------------------------------- lower_scalar.c */

/* Initialise "cell" on "where" of the frame "f" and reduce "e" into it over
 * the indices of "scope" that "f" lacks. "base" begins the statements' names. With
 * "most", reduce the index where "e" is what that cell holds, by "op", a minimum.
 */
isl_stat fe_lower_reduce(struct fe_lower *lw, const struct fe_cell *cell,
	const char *base, const struct fe_frame *f,
	__isl_keep isl_set *where, const struct fe_scope *scope,
	enum poly_op op, enum poly_type type, const struct fe_scalar *e,
	const struct fe_cell *most);
/* The value of "e" at "where" of the frame, in its compute type. */
struct poly_expr *fe_lower_value(struct fe_lower *lw,
	const struct fe_scalar *e, const struct fe_frame *f,
	__isl_keep isl_set *where);
/* The value of "e" at "where" of the frame, as it is stored in "type". */
struct poly_expr *fe_lower_stored(struct fe_lower *lw,
	const struct fe_scalar *e, const struct fe_frame *f,
	__isl_keep isl_set *where, enum poly_type type);
/* The value of the affine expression "e", of its type. */
struct poly_expr *fe_lower_integer(const struct fe_scalar *e,
	const struct fe_frame *f);
/* "value" where all conditions of "scope" and those around it that are asked at each point
 * of "f" hold, elsewhere 0 or, of a term, what changes nothing in a reduction by "op".
 */
struct poly_expr *fe_lower_asked(struct fe_lower *lw,
	const struct fe_scope *scope, const struct fe_frame *f,
	struct poly_expr *value, enum poly_op op);
/* The condition "c" at "where", as a bool. What is affine and the same for all
 * of it is left out.
 */
struct poly_expr *fe_lower_guard(struct fe_lower *lw,
	const struct fe_scalar *c, const struct fe_frame *f,
	__isl_keep isl_set *where);

/* ----------------------------------------------------------- lower_join.c */

/* The type of the words that hold the states of "join"; POLY_N_TYPE if it is to be lowered
 * one by one, or NULL.
 */
enum poly_type fe_join_words(const struct fe_unit *u, const struct fe_join *join);
/* The statements of the join of "t", which is in words. */
isl_stat fe_join_lower(struct fe_lower *lw, const struct fe_tensor *t);
/* What a read of "t", of a join that has words, at "index" of its array is. */
struct poly_expr *fe_join_read(struct fe_lower *lw, const struct fe_tensor *t,
	__isl_take isl_multi_pw_aff *index);

/* -------------------------------------------------------- lower_gather.c */

/* What the gather "e" reads of "array", of which "index" is the first element that it
 * may read: 0 if a position that is data is outside of the tensor.
 */
struct poly_expr *fe_lower_gather(struct fe_lower *lw,
	const struct fe_scalar *e, const struct fe_frame *f,
	__isl_keep isl_set *where, struct poly_array *array,
	__isl_take isl_multi_pw_aff *index);

/* The term "e" of a sum at "where" of the frame, in its compute type, if it is a product
 * with a factor that is a gather, and the same for several cells: this is put into an
 * array first. Otherwise NULL.
 */
struct poly_expr *fe_lower_gathered(struct fe_lower *lw,
	const struct fe_scalar *e, const struct fe_frame *f,
	__isl_keep isl_set *where);

/* Start "cell" with what "t" has before it is updated, at "where" of the frame "f", and
 * update it at the positions that data tell.
 */
isl_stat fe_lower_update(struct fe_lower *lw, const struct fe_tensor *t,
	const struct fe_cell *cell, const struct fe_frame *f,
	__isl_keep isl_set *where);

/* --------------------------------------------------------------- limit.c */

/* Let "array", of the input "t", be within what is assumed that it holds. */
void fe_limits_lower(struct fe_lower *lw, const struct fe_tensor *t,
	struct poly_array *array);

/* ---------------------------------------------------------- lower_call.c */

/* Put the statements from "first" on behind what there is. */
isl_stat fe_lower_add_order(struct fe_lower *lw, int first, bool recurs);
/* Lower the call that makes "t", unless that has been done. */
isl_stat fe_lower_call(struct fe_lower *lw, const struct fe_tensor *t);

#endif
