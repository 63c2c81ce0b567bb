/* frontend/c/rewrite: what becomes of a tree before it is lowered; grouped by file.
 *
 * c_check.c decides what each variable is and whether bounds, subscripts and
 * conditions are affine; the others make more of them affine.
 */
#ifndef FRONTEND_C_REWRITE_H
#define FRONTEND_C_REWRITE_H

#include <stdbool.h>
#include <stdint.h>

#include "frontend/c/tree/tree.h"

/* --------------------------------------------------------------- c_check.c */

/* What each variable is; what is not affine and must be. */
void fe_c_check(struct fe_unit *u);
/* True if "e" is an affine function of sizes and active iterators; with "any",
 * also of integers from outside that are no sizes yet.
 */
bool fe_c_affine(const struct fe_c_expr *e, bool any);
/* The value of "e" if it is a constant, or made of sizes that are fixed. */
bool fe_c_known(const struct fe_c_expr *e, int64_t *value);
/* True if "e" has the variable of a loop that is not around. */
bool fe_c_has_inactive(const struct fe_c_expr *e);
/* True if "e" is a condition on such functions. */
bool fe_c_affine_cond(const struct fe_c_expr *e, bool any);
/* True if "e" has a quotient or a remainder. As a condition that is affine it may
 * then be asked at each point instead of cutting the domain (c_lower.c).
 */
bool fe_c_divides(const struct fe_c_expr *e);

/* -------------------------------------------------------------- c_ragged.c */

/* Make loops whose bounds are data parts of values. */
void fe_c_ragged(struct fe_unit *u);

/* ------------------------------------------------------------- c_scatter.c */

/* Writes to elements whose number is data become loops over elements. */
void fe_c_scatter(struct fe_unit *u);

/* ------------------------------------------------------------- c_written.c */

/* Keep the nest as it stands in the text. */
void fe_c_written(struct fe_unit *u);

/* ------------------------------------------------------------ c_replace.c */

/* What stands in the place of "e", or NULL: a copy of "e", in which other things may
 * stand in the place of its parts.
 */
typedef struct fe_c_expr *fe_c_other(void *with, const struct fe_c_expr *e);
/* A copy of "e" in which each part is what "other" has for it, from outside to inside;
 * "with" goes to "other". Variables are shared; "e" may be NULL.
 */
struct fe_c_expr *fe_c_replace(struct fe_unit *u, const struct fe_c_expr *e,
	fe_c_other *other, void *with);
/* The same with "to" in the place of what is "from"; "to" is shared. */
struct fe_c_expr *fe_c_put(struct fe_unit *u, const struct fe_c_expr *e,
	const struct fe_c_expr *from, struct fe_c_expr *to);
/* A deep copy of "e", which may be NULL; variables are shared. */
struct fe_c_expr *fe_c_copy_expr(struct fe_unit *u, const struct fe_c_expr *e);
/* How a list of statements is copied: "other", which may be NULL, has what stands in the
 * place of parts of expressions. "begin" and "end", if "begin" is not NULL, are told of
 * each statement "s" and its copy, before the copy has its own expressions and lists,
 * and when it has them.
 */
struct fe_c_copying {
	fe_c_other *other;
	void (*begin)(void *with, struct fe_c_stmt *copy,
		const struct fe_c_stmt *s);
	void (*end)(void *with, struct fe_c_stmt *copy,
		const struct fe_c_stmt *s);
	void *with;
};
/* A deep copy of the list "s"; variables are shared. */
struct fe_c_stmt *fe_c_copy_list(struct fe_unit *u, const struct fe_c_stmt *s,
	const struct fe_c_copying *how);

/* --------------------------------------------------------------- c_power.c */

/* Write out the iterations of loops whose variable is multiplied or divided. */
void fe_c_powers(struct fe_unit *u);

/* --------------------------------------------------------------- c_exit.c */

/* Loops that data end run all their iterations, of which those behind do nothing. */
void fe_c_exits(struct fe_unit *u);
/* True if a BREAK of the loop around stands under the condition "s". */
bool fe_c_may_break(const struct fe_c_stmt *s);

/* ------------------------------------------------------------- c_forward.c */

/* Put the values of integers that follow the loops in the place of reads, and
 * find the steps of loops.
 */
void fe_c_forward(struct fe_unit *u);

/* ---------------------------------------------------------------- c_dead.c */

/* Drop what nothing reads, and put constants in the place of variables. */
void fe_c_dead(struct fe_unit *u);

/* ------------------------------------------------------------- c_combine.c */

/* Make one statement of updates of one cell that follow one another. */
void fe_c_combine(struct fe_unit *u);

/* ------------------------------------------------------------- c_compact.c */

/* Replace loops that put what a condition keeps one behind another by scans. */
void fe_c_compact(struct fe_unit *u);

/* ------------------------------------------------------------- c_extreme.c */

/* Replace largest and smallest values of loops, with where they are, by reductions. */
void fe_c_extreme(struct fe_unit *u);
/* May "e" be asked for in a turn of the loop that data tell? Subscripts that have the
 * loop's variable are data then.
 */
bool fe_c_known_later(const struct fe_c_stmt *loop, const struct fe_c_expr *e);

/* --------------------------------------------------------------- c_last.c */

/* Replace what only the last turn of a loop leaves, of those that data choose, by which
 * turn that is.
 */
void fe_c_last_turns(struct fe_unit *u);

/* ----------------------------------------------------------- c_remainder.c */

/* Replace remainders of loop variables by sizes that are affine. */
void fe_c_remainder(struct fe_unit *u);

/* ---------------------------------------------------------------- c_live.c */

/* Sets of variables, by their ids: a copy of "set", of nothing if that is NULL; and
 * what is in "other" into "set", too.
 */
bool *fe_c_set_copy(struct fe_unit *u, const bool *set);
void fe_c_set_add(const struct fe_unit *u, bool *set, const bool *other);
/* Find the assignments that need not keep what was there. */
void fe_c_live(struct fe_unit *u);
/* Does a statement of the list declare "v"? */
bool fe_c_is_born_in(const struct fe_c_stmt *list, const struct fe_c_var *v);

/* -------------------------------------------------------------- c_linear.c */

/* True if the integer "e" is a sum of products of affine values. */
bool fe_c_polynomial(struct fe_unit *u, const struct fe_c_expr *e);
/* Give arrays of one dimension the dimensions that their subscripts show. */
void fe_c_linear(struct fe_unit *u);

#endif
