/* Integers that follow the loops: what c_forward.c, c_trips.c and c_compute.c share. */
#ifndef FRONTEND_C_REWRITE_FORWARD_H
#define FRONTEND_C_REWRITE_FORWARD_H

#include "frontend/c/rewrite/rewrite.h"

/* What is known: "value", by id of the variable, NULL: nothing. While "dry"
 * nothing is rewritten, and variables whose "bits" are START stand for what
 * they are at first.
 */
enum { START = 1 };

struct fe_c_state {
	struct fe_unit *u;
	struct fe_c_expr **value;
	bool dry;
};

/* Of a value that is put in the place of reads: each may stand several times in
 * the next.
 */
enum { MAX_NODE = 100 };

/* ------------------------------------------------------------- c_forward.c */

/* "e" with what is known in the place of variables. */
struct fe_c_expr *fe_c_forward_substitute(struct fe_c_state *s, struct fe_c_expr *e);
/* True if the value is made of loop variables, sizes and numbers. */
bool fe_c_forward_is_good(const struct fe_c_state *s, const struct fe_c_expr *e);
/* The size of "e". */
int fe_c_forward_count_nodes(const struct fe_c_expr *e);
/* A new array of values by id of the variable: those that are known now, if
 * "same", or none.
 */
struct fe_c_expr **fe_c_forward_values(const struct fe_c_state *s, bool same);
/* What the statements assign becomes unknown. */
void fe_c_forward_forget(struct fe_c_state *s, const struct fe_c_stmt *stmt);

/* --------------------------------------------------------------- c_trips.c */

/* Find the step of the loop, if it is not known yet; the body must not change
 * it.
 */
void fe_c_find_step(const struct fe_c_state *s, struct fe_c_stmt *loop);
/* Report the loops whose step was not found. */
void fe_c_need_steps(struct fe_unit *u, const struct fe_c_stmt *s);
/* What the variable of the loop is behind it, or NULL. Without a sign only what
 * needs no difference is known.
 */
struct fe_c_expr *fe_c_last_value(const struct fe_c_state *s,
	const struct fe_c_stmt *loop, struct fe_c_expr *first);
/* How often the loop, which begins with "first", runs, or NULL. With a size as
 * one end and numbers that only make it more, that is their difference.
 */
struct fe_c_expr *fe_c_run_count(const struct fe_c_state *s,
	const struct fe_c_stmt *loop, struct fe_c_expr *first);
/* After the loop, or in an iteration if "times" is NULL, each variable has what
 * it had plus "times" the constant that an iteration adds. An iteration takes
 * those in "start" to "after".
 */
void fe_c_advance(struct fe_c_state *s, struct fe_c_expr **start,
	struct fe_c_expr **after, const struct fe_c_stmt *loop,
	struct fe_c_expr *times);
/* Does nothing run behind the list, because of a "break"? */
bool fe_c_breaks(const struct fe_c_stmt *s);

/* ------------------------------------------------------------- c_compute.c */

struct fe_c_expr *fe_c_copy_node(struct fe_unit *u, const struct fe_c_expr *e);
/* "e" converted to "type"; a constant is one of that type at once. */
struct fe_c_expr *fe_c_converted(struct fe_unit *u, enum poly_type type,
	struct fe_c_expr *e);
/* "a" op "b" in "type"; numbers are computed. */
struct fe_c_expr *fe_c_computed(struct fe_unit *u, enum poly_type type,
	enum poly_op op, struct fe_c_expr *a, struct fe_c_expr *b);
/* "a < b", both of "type" */
struct fe_c_expr *fe_c_less(struct fe_unit *u, enum poly_type type,
	struct fe_c_expr *a, struct fe_c_expr *b);
/* "cond ? a : b" in the type of "a". */
struct fe_c_expr *fe_c_choice_of(struct fe_unit *u, struct fe_c_expr *cond,
	struct fe_c_expr *a, struct fe_c_expr *b);

#endif
