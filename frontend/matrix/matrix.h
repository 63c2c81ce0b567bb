/* frontend/matrix: matrix expressions; grouped by file.
 *
 * Tokens become declarations and definitions (parse.c), and these become the
 * expression DAG of a unit (check.c, shape.c, names.c).
 *
 * A node of the DAG is an input, a constant, an operation, or a view: a
 * transposition or a broadcast, which only says where an element of its
 * operand stands. Each node knows its "base", the node behind all views, and
 * how an element [i,j] of it selects the element of the base.
 */
#ifndef FRONTEND_MATRIX_H
#define FRONTEND_MATRIX_H

#include <stdbool.h>
#include <stdint.h>

#include "frontend/base/base.h"

/* ----------------------------------------------------------------- parse.c */

/* A size as written: a parameter, or a number if "symbol" is NULL. */
struct fe_dim {
	struct fe_symbol *symbol;
	int64_t value;
	struct poly_loc loc;
};
/* One name of a Params line, or a Matrix. */
struct fe_decl {
	struct fe_decl *next;
	bool is_param;
	struct fe_symbol *symbol;
	struct poly_loc loc;
	struct fe_dim dim[2];
};
enum fe_expr_kind {
	FE_USE,		/* of a matrix */
	FE_LITERAL,
	FE_TRANSPOSE,
	FE_MULTIPLY,	/* "*": product or scaling */
	FE_ELEMENTWISE	/* "op" on each element */
};
/* An expression. "next" goes through all parts of a definition's right-hand
 * side, operands before what uses them.
 */
struct fe_expr {
	struct fe_expr *next;
	enum fe_expr_kind kind;
	enum poly_op op;
	const struct fe_function *function;	/* NULL: an operator */
	struct fe_expr *arg[2];
	struct fe_symbol *symbol;
	double value;
	struct poly_loc loc;
	struct fe_node *node;	/* set by the checks; NULL: an error */
};
struct fe_assign {
	struct fe_assign *next;
	int order;		/* of the item in the text */
	struct fe_symbol *symbol;
	struct poly_loc loc;
	struct fe_expr *first, *root;
};
struct fe_output_name {
	struct fe_output_name *next;
	struct fe_symbol *symbol;
	struct poly_loc loc;
};
struct fe_ast {
	struct fe_decl *decl;
	struct fe_assign *assign;
	int n_assign, n_indexed;
	bool has_codegen;
	enum poly_type type;
	struct fe_symbol *entry;	/* CodeGen NAME, or NULL */
	struct fe_output_name *output;
};
/* Parse the tokens; what is wrong is reported and left out. */
void fe_parse(struct fe_unit *u, struct fe_token *token);

/* ------------------------------------------------------------ parse_expr.c */

/* Parse the right-hand side of a definition; NULL, having reported it, if it is wrong. */
struct fe_parser;
struct fe_expr *fe_parse_sum(struct fe_parser *p);

/* ----------------------------------------------------------------- the DAG */

enum fe_node_kind {
	FE_INPUT,
	FE_CONST,
	FE_OP,
	FE_PRODUCT,
	FE_FLIP,	/* transposition of arg[0] */
	FE_BCAST,	/* arg[0] repeated along rows or columns */
	FE_TENSOR	/* a definition in index notation */
};
/* Which index of a node is an index of its base. */
enum fe_select { FE_ROW, FE_COLUMN, FE_ZERO };

struct fe_node {
	struct fe_node *next;	/* in order of creation: operands first */
	int id;			/* position in that order */
	enum fe_node_kind kind;
	enum poly_op op;	/* of FE_OP */
	struct fe_node *arg[2];
	int n_arg;
	struct fe_size dim[2];
	double value;		/* of FE_CONST, in the element type */
	struct poly_loc loc;
	struct fe_def *owner;	/* definition it was made for; NULL: input */
	struct fe_def *def;	/* definition whose value it holds, or NULL */
	bool flipped;		/* its array holds the transposed matrix */
	bool rounded;		/* its value is rounded to the element type */
	bool literal;		/* made of literals alone */
	struct fe_node *base;
	struct fe_tensor *tensor;	/* of FE_TENSOR; or made for it */
	enum fe_select select[2];
	const char *name;	/* of its dataset */
};

/* One earlier definition that a definition reads. */
struct fe_read {
	struct fe_read *next;
	struct fe_def *def;
};
/* One version of a matrix: "symbol" means "node" from here on. */
struct fe_def {
	struct fe_def *next, *prev;
	struct fe_symbol *symbol;
	struct poly_loc loc;
	struct fe_node *node;
	struct fe_node *first;	/* of the nodes that were made for it */
	struct fe_read *reads;
	int version;		/* 1 for the first */
	bool is_read, is_output, live;
	bool owns_node;		/* node->base holds this definition's value */
	struct fe_tensor *tensor;
};

/* ----------------------------------------------------------------- check.c */

/* Names, shapes and types of what was parsed; fills the unit. */
void fe_check(struct fe_unit *u, const struct fe_define *def, int n_def);

/* ----------------------------------------------------------------- shape.c */

/* The node of "e", whose operands have theirs; NULL, having reported why. */
struct fe_node *fe_node_make(struct fe_unit *u, struct fe_def *def,
	struct fe_expr *e);
/* A new node of "kind", in the unit's list; it is its own base. */
struct fe_node *fe_node_add(struct fe_unit *u, enum fe_node_kind kind,
	struct fe_def *owner, struct fe_node *a, struct fe_node *b);
bool fe_size_equal(const struct fe_size *a, const struct fe_size *b);

/* ----------------------------------------------------------------- names.c */

/* Give everything that is lowered its name. */
void fe_names(struct fe_unit *u);

/* ----------------------------------------------------------------- dag.c */

/* What "check" says of matrices, and their DAG. */
void fe_matrix_print(const struct fe_unit *u, struct poly_str *out);
void fe_matrix_print_dag(const struct fe_unit *u, struct poly_str *out);

#endif
