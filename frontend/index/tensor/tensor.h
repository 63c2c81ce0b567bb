/* frontend/index/tensor: tensors and their expressions; grouped by file.
 *
 *	index	a name that stands for integers, such as i
 *	scope	indices, and the conditions that bound them: of a definition,
 *		or of a reduction inside an expression
 *	form	an affine function of sizes and indices
 */
#ifndef FRONTEND_TENSOR_H
#define FRONTEND_TENSOR_H

#include <stdbool.h>
#include <stdint.h>

#include "frontend/base/base.h"

enum {
	FE_MAX_RANK = 8,		/* indices of a tensor */
	FE_MAX_DEPTH = 1000,		/* operators that wait for others */
	FE_MAX_LOOP = 16,		/* indices of an expression */
	FE_MAX_TERM = FE_MAX_LOOP + 64,	/* of a form */
	FE_MAX_SLOT = 256,		/* indices of all expressions of a
					 * definition, where data tell positions */
	FE_MAX_BOUND = 8,		/* kept for one side of an index */
	FE_MAX_NUMBER = 1 << 30		/* in indices and conditions */
};

struct fe_index;
struct fe_tensor;
struct fe_read;		/* matrix/matrix.h */
struct fe_call;		/* call.h */

/* A function of the sizes: constant, and coefficients for the parameters of the
 * unit and, behind them, its quotients; those from "n" on are 0. The bound that it
 * stands for is divided by "div" and rounded inwards.
 */
struct fe_bound {
	struct fe_bound *next;
	int64_t constant, div;
	int64_t *coef;
	int n;
};
/* A quotient of sizes, "of" rounded down; "index" is the number of its coefficient.
 */
struct fe_quotient {
	struct fe_quotient *next;
	const struct fe_bound *of;
	int index;
};

/* A name for integers. "lower" and "upper" are bounds, all of which hold. */
struct fe_index {
	struct fe_index *next;
	struct fe_symbol *symbol;
	struct poly_loc loc;
	int slot;		/* number within its definition */
	bool written;		/* conditions bound it */
	bool told;		/* data tell which cells along it are updated; it
				 * has no name then, else "alias" in the update */
	struct fe_symbol *alias;
	bool hidden;		/* expressions do not find it */
	struct fe_bound *lower, *upper;
	int n_lower, n_upper;
};

/* Indices with conditions. "open": names that mean nothing else become
 * indices (of the reduction "+=").
 */
struct fe_scope {
	struct fe_scope *outer;
	struct fe_index *first;
	int n;
	struct fe_scalar *condition;	/* list by "next" */
	bool open;
};

enum fe_scalar_kind {
	FE_S_NUMBER,
	FE_S_NAME,	/* not bound yet */
	FE_S_INDEX,
	FE_S_SIZE,
	FE_S_READ,	/* of "tensor" at arg[0..n_arg); those that are not
			 * affine are data */
	FE_S_OP,
	FE_S_CAST,
	FE_S_REDUCE	/* arg[0] over "scope"; as the whole value of a definition
			 * also only for the cell that arg[1] says is meant: made by
			 * "and" of comparisons "cell" of a position with an index
			 * of the definition, and of other conditions */
};

/* An expression of index notation. An operation may be BRANCH, which is SELECT that
 * computes only what it needs, and as the value of a definition SCATTER: of the
 * instance at index arg[2], arg[0] is the value not of that element, but of the one
 * that has arg[1], an i32, in the place of the index; each instance has another. Such a
 * place may be arg[0] + EARLIER: how often its arg[0], an i32, is the same at smaller
 * values of that index, arg[2], from the last multiple of the number arg[1] on.
 * "type" is that of its value as it would be
 * stored; "affine": made of indices, sizes and whole numbers so that its value
 * is a quasi-affine function of them.
 */
struct fe_scalar {
	struct fe_scalar *next;		/* in a list */
	enum fe_scalar_kind kind;
	enum poly_op op;
	enum poly_type type;
	struct poly_loc loc;
	const char *spelling;		/* of the operator */
	int depth;			/* of the tree of operators */
	int n_arg;
	struct fe_scalar *arg[FE_MAX_RANK];
	double value;
	bool whole;			/* a number without a point */
	bool logic;			/* "and", "or", "not": of bools */
	bool affine;
	bool data;			/* a condition that values decide */
	bool asked;			/* affine, but among the data; of a scope: see
					 * fe_scope_ask */
	bool cell;			/* a comparison that tells a cell */
	bool counts;			/* a cast of what has to be an integer */
	bool given;			/* a cast of what has to be of its type */
	bool bits;			/* a cast of a float to the integer of its bits */
	bool computed;			/* a position that need not read what tells it */
	bool place;			/* of a reduction: the first index that has
					 * its value; -1 if there is none */
	struct fe_symbol *symbol;
	struct fe_index *index;
	struct fe_param *param;
	struct fe_tensor *tensor;
	struct fe_scope *scope;
};

/* One value of a definition, where "condition" holds and no earlier one does;
 * without condition, everywhere else. A condition is made by and, or and not
 * of comparisons of affine expressions and of other expressions of bools,
 * which are "data", as is all that is made of them. So are affine comparisons that
 * are "asked" at each point, as sets of points would have too many pieces.
 */
struct fe_piece {
	struct fe_piece *next;
	struct fe_scalar *condition, *value;
	struct poly_loc loc;
};

/* An end of what an input is assumed to hold: "value", which it does not reach if that is
 * "open".
 */
struct fe_limit {
	struct fe_limit *next;
	struct fe_scalar *value;
	struct poly_loc loc;
	bool upper, open;
};

/* A tensor that one reads. */
struct fe_edge {
	struct fe_edge *next;
	struct fe_tensor *to;
};

/* Values "state" that an operator of the text puts together, "n" of them: each is "body",
 * a function of the states before and of "right", which are definitions that nothing but
 * this reads. NULL, or where another segment "begins", whose states need none before.
 */
struct fe_join {
	int n;
	struct fe_tensor **state, **right, **body, *begins;
};

/* A declared tensor, or a definition, by which one matrix is made, too.
 * Element [i] in memory is the value at lower + i.
 */
struct fe_tensor {
	struct fe_tensor *next;		/* in the order of the text */
	struct fe_symbol *symbol;
	struct poly_loc loc;
	int order;			/* of the item in the text */
	bool is_input, is_out, is_output, is_read, live;
	bool broken;			/* it had an error */
	int rank;
	bool has_type;
	enum poly_type type;
	struct fe_scope scope;		/* inputs have indices, too */
	struct fe_scalar *size[FE_MAX_RANK];	/* of an input */
	struct fe_limit *limit;			/* of what it holds */
	enum poly_op update;		/* POLY_OP_NONE: "=" */
	struct fe_piece *piece;
	struct fe_scalar *start;		/* what its cells hold before they are
						 * updated; NULL: nothing */
	bool asks;			/* the conditions of its scopes that are asked
					 * are in its value, not in its domain */
	int n_slot;			/* indices in all its scopes */
	struct fe_edge *edge;
	const struct fe_node *node;	/* the matrix that it stands for */
	struct fe_def *def;		/* the definition of a matrix that it
					 * holds, as a copy if "node" is NULL */
	struct fe_read *reads;		/* matrices that its text names */
	struct fe_call *call;		/* that makes it, from "from" */
	struct fe_tensor *from;
	struct fe_tensor *newer;	/* the version that a call makes of it */
	bool in_place;			/* it is stored where "newer" is */
	const struct fe_join *join;	/* that it is a part of; NULL: none */
	bool aside;			/* it is no state of that */
	/* The same values, found without a comparison of each cell with each update;
	 * "hidden": what only these need, or "instead" they themselves, which have no array
	 * of their own. The interpreter does not look at them.
	 */
	struct fe_tensor *owned;
	bool hidden, instead;
	int mark, low;			/* while the graph is walked */
	int group;			/* the same for those of a group */
	bool on_stack;
	struct fe_tensor *stack, *order_next;
	int id;				/* among those that have names */
	const char *name;		/* in the program that is lowered */
};

/* ----------------------------------------------------------------- asked.c */

/* Let the comparisons of the bound condition of a piece be asked at each point of which
 * there would be too many pieces: they are data from now on.
 */
void fe_piece_ask(struct fe_scalar *condition);
/* Mark conditions of "scope" that had better be asked at each point. They say where there
 * are values nevertheless.
 */
void fe_scope_ask(struct fe_scope *scope);
/* Has "scope" such conditions? */
bool fe_scope_asks(const struct fe_scope *scope);

/* ---------------------------------------------------------------- scalar.c */

/* Call "fn" on "e" and all below it, operands first; scopes' conditions, too.
 */
void fe_scalar_each(struct fe_scalar *e,
	void (*fn)(struct fe_scalar *e, void *user), void *user);
/* Call "fn" on all expressions of the definition "t". */
void fe_tensor_each(struct fe_tensor *t,
	void (*fn)(struct fe_scalar *e, void *user), void *user);
/* Note that "t" needs "to"; once. */
void fe_tensor_need(struct fe_unit *u, struct fe_tensor *t, struct fe_tensor *to);
/* Note in "reads" that the text reads "def". */
void fe_read_def(struct fe_unit *u, struct fe_def *def, struct fe_read **reads);
/* True if "e" is made of whole numbers; its value, "/" and "%" rounding down. */
bool fe_scalar_whole(const struct fe_scalar *e, int64_t *value);
/* Is "e" a read with a position that is data, a gather? */
bool fe_scalar_gathers(const struct fe_scalar *e);
/* Is the condition "c" made of others by and, or or not? */
bool fe_scalar_joins(const struct fe_scalar *c);
/* Does "e" read a value? Has it a quotient or a remainder? */
bool fe_scalar_reads(const struct fe_scalar *e);
bool fe_scalar_divides(const struct fe_scalar *e);
/* May data say which terms of the reduction "e" count? "all", NULL for nothing, and the
 * condition "c"; the term of "e", or what changes nothing where "guard" does not hold.
 */
bool fe_scalar_has_guards(const struct fe_scalar *e);
struct fe_scalar *fe_scalar_both(struct fe_unit *u, struct fe_scalar *all,
	struct fe_scalar *c);
struct fe_scalar *fe_scalar_guarded(struct fe_unit *u, const struct fe_scalar *e,
	struct fe_scalar *guard);
/* The SCATTER that the values of "t" are, or NULL. */
const struct fe_scalar *fe_tensor_scatter(const struct fe_tensor *t);
/* The reduction by cells that data tell which "t" is, or NULL. */
const struct fe_scalar *fe_tensor_cells(const struct fe_tensor *t);
/* Does "e" mention an index of "scope" behind the first "n"? */
bool fe_scalar_mentions(const struct fe_scalar *e,
	const struct fe_scope *scope, int n);
/* A copy of "e", in which that of "to" stands for the name "from", if it is not NULL. */
struct fe_scalar *fe_scalar_copy(struct fe_unit *u, const struct fe_scalar *e,
	const struct fe_symbol *from, const struct fe_scalar *to);
/* A new scalar of the arena. */
struct fe_scalar *fe_scalar_new(struct fe_unit *u, enum fe_scalar_kind kind,
	const struct poly_loc *loc);

/* What a form counts: an index, a size, or a form divided by a number and rounded
 * down.
 */
enum fe_term_kind { FE_T_INDEX, FE_T_SIZE, FE_T_FLOOR };
struct fe_floor;
struct fe_term {
	enum fe_term_kind kind;
	union {
		const struct fe_index *index;
		const struct fe_param *param;
		const struct fe_floor *floor;
	};
	int64_t coef;
};
/* A constant plus terms. */
struct fe_form {
	int64_t constant;
	int n;
	struct fe_term term[FE_MAX_TERM];
};
struct fe_floor {
	int64_t div, constant;
	int n;
	struct fe_term *term;
};
/* The form that the affine expression "e" is; false if its numbers are too large
 * or its terms too many.
 */
bool fe_form_read(struct fe_unit *u, const struct fe_scalar *e,
	struct fe_form *f);
/* f += scale * (the terms and the constant) */
bool fe_form_add(struct fe_form *f, const struct fe_term *term, int n,
	int64_t constant, int64_t scale);
/* How often "term" and what it is made of has "index", or, if that is NULL, any. */
int fe_term_count(const struct fe_term *term, const struct fe_index *index);

/* ----------------------------------------------------------------- bound.c */

int64_t fe_floor_div(int64_t a, int64_t b);
struct fe_bound *fe_bound_new(struct fe_unit *u);
struct fe_bound *fe_bound_copy(struct fe_unit *u, const struct fe_bound *a);
int64_t fe_bound_coef(const struct fe_bound *b, int i);
/* b += scale * (what "a" divides); false if it gets too large. */
bool fe_bound_add(struct fe_unit *u, struct fe_bound *b,
	const struct fe_bound *a, int64_t scale);
/* Multiply "b" and its divisor, so that the bound stays as it is. */
bool fe_bound_widen(struct fe_unit *u, struct fe_bound *b, int64_t scale);
/* Divide out what the divisor and all coefficients share; the constant is
 * rounded inwards.
 */
void fe_bound_reduce(struct fe_bound *b, bool upper);
/* Round "b" down, so that its divisor is 1. */
bool fe_bound_floor(struct fe_unit *u, struct fe_bound *b);
bool fe_bound_same(const struct fe_bound *a, const struct fe_bound *b);
/* Does the bound "b" follow from "a", whatever the sizes are? */
bool fe_bound_implies(struct fe_unit *u, const struct fe_bound *a,
	const struct fe_bound *b, bool upper);
/* What the values of -D make of it. */
struct fe_bound *fe_bound_given(struct fe_unit *u, const struct fe_bound *a);
/* The quotient with coefficient "i". */
const struct fe_quotient *fe_quotient_at(const struct fe_unit *u, int i);
/* Its value for these sizes. */
int64_t fe_bound_value(const struct fe_unit *u, const struct fe_bound *b,
	const int64_t *param, bool upper);
/* What is divided: "N-1", "2*(N/2)+3". */
void fe_bound_print(const struct fe_unit *u, const struct fe_bound *b,
	struct poly_str *out);

/* ------------------------------------------------------------------ type.c */

/* Types of the definitions of one group that depend on one another, in
 * "order_next"; reports.
 */
void fe_type_group(struct fe_unit *u, struct fe_tensor *group);

/* ------------------------------------------------------------ range_find.c */

/* The affine expression "e" of sizes; NULL if its numbers are too large. */
struct fe_bound *fe_range_form(struct fe_unit *u, const struct fe_scalar *e);
/* Bound "index", which "f" has once, by what follows from sign * f + b >= 0: for
 * some values of the other indices, or for all. True if that tells something new.
 */
bool fe_range_find(struct fe_unit *u, const struct fe_form *f,
	struct fe_index *index, int sign, struct fe_bound *b, bool all);

/* ----------------------------------------------------------------- range.c */

/* Ranges of the indices of the definitions of one group, in "order_next". */
void fe_range_group(struct fe_unit *u, struct fe_tensor *group);
/* Let "i" run from 0 to "size" - 1, affine in the sizes. */
void fe_range_size(struct fe_unit *u, struct fe_index *i,
	const struct fe_scalar *size);
/* The same for the size of a matrix. */
void fe_range_dim(struct fe_unit *u, struct fe_index *i,
	const struct fe_size *size);
bool fe_range_from_zero(const struct fe_index *i);
/* If "i" runs from 0 to a size of matrices minus 1, that size. */
bool fe_range_is_size(const struct fe_unit *u, const struct fe_index *i,
	struct fe_size *size);

#endif
