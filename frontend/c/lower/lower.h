/* frontend/c/lower: a tree as a polyhedral program (c_lower.c, c_affine.c,
 * c_value.c), or executed as it is (c_interp.c); grouped by file.
 */
#ifndef FRONTEND_C_LOWER_H
#define FRONTEND_C_LOWER_H

#include <stdbool.h>
#include <stdint.h>

#include <isl/aff.h>
#include <isl/schedule.h>
#include <isl/set.h>
#include <isl/space.h>
#include <isl/val.h>

#include "frontend/c/tree/tree.h"

/* -------------------------------------------------------------- c_affine.c */

/* What is known where an expression stands. A dimension of the domain is the
 * iterator of a loop, or, for those with a loop in "counted", the number of
 * iterations before.
 */
struct fe_c_place {
	isl_set *domain;	/* of the loops around it, no name */
	const struct fe_c_var *iterator[FE_C_MAX_DEPTH];
	const struct fe_c_stmt *counted[FE_C_MAX_DEPTH];
	int depth;
};
/* A requirement that "e" stays in the range of its type, met on the way. */
struct fe_c_need {
	struct fe_c_need *next;
	isl_set *bad;		/* where it is */
	const struct fe_c_expr *e;
};
/* An access that C may leave out; "bad" are the sizes for which it would leave
 * its array.
 */
struct fe_c_doubt {
	struct fe_c_doubt *next;
	isl_set *bad;
	const struct fe_c_expr *e;
};
struct fe_c_lower {
	struct fe_unit *u;
	struct fe_arena arena;
	struct poly_prog *prog;
	bool quiet;		/* all was reported before */
	isl_space *params;
	struct fe_c_need *need;
	struct fe_c_doubt *doubt;
	struct poly_array **array;	/* by id of the variable */
	int n_stmt, n_cond;
	bool part;		/* of a program of definitions: sums of floats
				 * keep their order by dependences */
	isl_set *assumed;	/* of the sizes, else the program is wrong */
};
/* "e", which is affine, as a function on the loops of "at". */
__isl_give isl_pw_aff *fe_c_aff(struct fe_c_lower *lw,
	const struct fe_c_place *at, const struct fe_c_expr *e);
/* Where "e", an affine condition, holds. */
__isl_give isl_set *fe_c_cond(struct fe_c_lower *lw,
	const struct fe_c_place *at, const struct fe_c_expr *e);

/* The last value of "t" upwards or downwards. */
__isl_give isl_val *fe_c_last(isl_ctx *ctx, enum poly_type t, bool up);
/* "e" is what C makes of it where it is computed outside of "bad". */
void fe_c_need(struct fe_c_lower *lw, const struct fe_c_expr *e,
	__isl_take isl_set *bad);

/* ---------------------------------------------------------------- c_loop.c */

/* The place inside the loop "s" that stands at "at"; its domain is the
 * caller's.
 */
struct fe_c_place fe_c_enter_loop(struct fe_c_lower *lw,
	const struct fe_c_place *at, const struct fe_c_stmt *s);
/* Weigh the needs met since the last call, on "domain". */
void fe_c_settle(struct fe_c_lower *lw, __isl_keep isl_set *domain);

/* --------------------------------------------------------------- c_value.c */

/* A condition that is data, under which a statement runs. */
struct fe_c_guard {
	const struct fe_c_guard *outer;
	const struct fe_c_expr *cond;
	struct poly_array *cell;	/* that holds its value, or NULL */
	const struct fe_c_stmt *list;	/* that it guards */
	bool negated;
};
/* A condition inside an expression whose value is known in this piece. */
struct fe_c_decision {
	const struct fe_c_decision *outer;
	const struct fe_c_expr *cond;
	bool value;
};
/* One statement that is being made. "stmt" is NULL while only the accesses
 * are looked at.
 */
struct fe_c_piece {
	struct fe_c_lower *lw;
	struct fe_c_place at;
	const struct fe_c_guard *guard;
	const struct fe_c_decision *decision;
	struct poly_stmt *stmt;
	const struct fe_c_expr *sure[64];	/* accesses made in any case */
	int n_sure;
	int doubts;	/* conditions and loops around what is being lowered */
	int loops;	/* these loops, LOOPs */
};
/* Whether "cond" is decided, and how. */
const struct fe_c_decision *fe_c_decided(const struct fe_c_piece *p,
	const struct fe_c_expr *cond);
/* An affine condition in "e" that is to be decided first, or NULL. */
const struct fe_c_expr *fe_c_undecided(const struct fe_c_piece *p,
	const struct fe_c_expr *e);
struct poly_expr *fe_c_value(struct fe_c_piece *p, const struct fe_c_expr *e);
struct poly_expr *fe_c_bool(struct fe_c_piece *p, const struct fe_c_expr *e);
/* The guards from "g" outwards, up to "end", which is not one of them; NULL without
 * memory.
 */
struct poly_expr *fe_c_guards(struct fe_c_piece *p, const struct fe_c_guard *g,
	const struct fe_c_guard *end);
/* True if a subscript of the element "e" is data. */
bool fe_c_is_gather(const struct fe_c_expr *e);
/* The index of an access "e" to its array. */
__isl_give isl_multi_pw_aff *fe_c_index(struct fe_c_piece *p,
	const struct fe_c_expr *e);

/* -------------------------------------------------------------- c_assign.c */

/* First "a", then "b"; either may be NULL: nothing. */
__isl_give isl_schedule *fe_c_sequence(__isl_take isl_schedule *a,
	__isl_take isl_schedule *b);
/* A name that nothing in the program has. */
void fe_c_make_name(struct fe_c_lower *lw, const char *prefix, int *number,
	char name[32]);
/* Add a point statement for all instances of "at", named S1, S2 and so on. NULL
 * without memory, or if there are too many, which is reported once.
 */
struct poly_stmt *fe_c_add_stmt(struct fe_c_lower *lw,
	const struct fe_c_place *at, const struct poly_loc *loc);
__isl_give isl_schedule *fe_c_lower_assign(struct fe_c_lower *lw,
	const struct fe_c_place *at, const struct fe_c_guard *guard,
	const struct fe_c_stmt *s);

/* --------------------------------------------------------------- c_lower.c */

struct poly_prog *fe_c_lower(const struct fe_unit *u, isl_ctx *ctx,
	struct poly_report *report, bool quiet);
/* Add the nest to "prog", whose arrays have the sizes "params". "array" are those of
 * its parameters, by id of the variable. The order of what is added, or NULL.
 */
__isl_give isl_schedule *fe_c_lower_into(const struct fe_unit *u,
	struct poly_prog *prog, __isl_take isl_space *params,
	struct poly_array *const *array);

/* ------------------------------------------------------------- c_program.c */

/* Sizes, arrays and what is known of them. */
isl_stat fe_c_begin(struct fe_c_lower *lw);
/* The arrays that "lw" lacks, by names that its program does not have. */
isl_stat fe_c_add_locals(struct fe_c_lower *lw);
/* What the whole program assumes; reports what contradicts it. */
isl_stat fe_c_end(struct fe_c_lower *lw);
struct poly_array *fe_c_add_cell(struct fe_c_lower *lw, const char *name,
	enum poly_type type);
/* What "sizes" must meet, as text, or NULL without memory: "n > 0 and m > n". */
char *fe_c_conditions(__isl_keep isl_set *sizes);
/* "set", of sizes, for the values that the sizes have if they have any. */
__isl_give isl_set *fe_c_given(const struct fe_c_lower *lw,
	__isl_take isl_set *set);

/* --------------------------------------------------------------- c_roles.c */

/* Lower once to find out which arrays come in and which go out. */
void fe_c_roles(struct fe_unit *u);

/* --------------------------------------------------------- c_interp_nest.c */

/* The nest executed as it stands; see struct fe_executor. */
struct fe_c_interp;
struct fe_work;
void *fe_c_interp_alloc(const struct fe_unit *u,
	const int64_t *param, struct fe_work *work);
void fe_c_interp_free(void *interp);
bool fe_c_interp_set_input(void *interp, const char *name,
	const void *data);
/* What an array is said to hold; false if nothing is. */
bool fe_c_interp_positions(void *interp, const char *name, int64_t *first,
	int64_t *last);
int fe_c_interp_shape(void *interp, const char *name,
	int64_t dim[FE_MAX_DIM]);
bool fe_c_interp_eval(void *interp, const char *name,
	const int64_t *index, struct fe_value *v);
struct fe_bad_read;
bool fe_c_interp_check(void *interp, struct fe_bad_read *bad);
/* For one that is a part of another program: forget what was executed, set
 * element "at" of the variable "v", execute, get it.
 */
struct fe_number;
void fe_c_interp_begin(struct fe_c_interp *in);
bool fe_c_interp_put(struct fe_c_interp *in, const struct fe_c_var *v,
	int64_t at, const struct fe_number *x);
struct fe_number fe_c_interp_get(struct fe_c_interp *in,
	const struct fe_c_var *v, int64_t at);

/* -------------------------------------------------------------- c_interp.c */

bool fe_c_interp_run(struct fe_c_interp *in);

/* --------------------------------------------------------- c_interp_cost.c */

double fe_c_interp_cost(void *interp);
/* May the nest be executed? If not, "spent" says so. */
bool fe_c_interp_affords(struct fe_c_interp *in);

#endif
