/* Loops whose bounds are data: what c_ragged.c and c_ragged_step.c share. */
#ifndef FRONTEND_C_REWRITE_RAGGED_H
#define FRONTEND_C_REWRITE_RAGGED_H

#include "frontend/c/rewrite/make.h"
#include "frontend/c/rewrite/rewrite.h"

/* Cells that a loop may write; loops in one another inside of it; nodes that the
 * expressions of one loop may have.
 */
enum { MOST_CELLS = 16, MOST_HEADS = 4, MOST_NODES = 4000 };

/* What a cell holds by now. */
struct fe_c_ragged_cell {
	const struct fe_c_expr *left;
	struct fe_c_expr *value;
};

struct fe_c_ragged_state {
	struct fe_c_ragged_cell cell[MOST_CELLS];
	int n;
};

/* A cell that is written below the loops "head", and what it holds behind a step. */
struct fe_c_ragged_written {
	const struct fe_c_stmt *head[MOST_HEADS];
	int n_head;
	const struct fe_c_expr *left;
	struct fe_c_expr *value;
	struct fe_c_var *carry;
};

struct fe_c_ragged {
	struct fe_c_maker m;
	struct fe_c_stmt *loop;
	struct fe_c_var *step;
	const struct fe_c_stmt *head[MOST_HEADS];
	int n_head, n_node;
	struct fe_c_ragged_written out[MOST_CELLS];
	int n_out;
	bool ok;
};

/* A new scalar that a loop has: its step or what it carries. */
struct fe_c_var *fe_c_ragged_add_scalar(const struct fe_c_ragged *r,
	const char *name, enum poly_type type, enum fe_c_use use);
/* The steps of "s" in the state "st", as the condition counts them; NULL: it does not.
 * An int that is compared as an unsigned one counts from there on.
 */
struct fe_c_expr *fe_c_ragged_range_of(struct fe_c_ragged *r, const struct fe_c_ragged_state *st,
	const struct fe_c_stmt *s);
/* A LOOP over "step" in a copy of "range": "first", then "next", an expression of
 * "carry".
 */
struct fe_c_expr *fe_c_ragged_make_loop(const struct fe_c_ragged *r,
	struct fe_c_var *step, struct fe_c_var *carry,
	const struct fe_c_expr *range, struct fe_c_expr *first,
	struct fe_c_expr *next);
/* Let the number of the loop over "step" be above those of all loops in "e". */
void fe_c_ragged_number_loop(struct fe_c_ragged *r, struct fe_c_var *step,
	const struct fe_c_expr *e);
/* Does "value" need none of the "n" cells but its own, by what these carry? */
bool fe_c_ragged_needs_itself(const struct fe_c_expr *value,
	struct fe_c_var *const *carry, int n, int own);
/* Follow the list "s", a body but for the loops that stand around: these have cells of
 * their own, and what the list declares in front of them.
 */
void fe_c_ragged_follow_top(struct fe_c_ragged *r, const struct fe_c_ragged_state *before,
	const struct fe_c_stmt *body);

#endif
