/* frontend: what its files share; grouped by file.
 *
 * Text becomes tokens (lex.c), tokens become declarations and definitions
 * (parse.c), and these become the expression DAG of a unit (check.c, shape.c,
 * names.c). Everything of a unit lives in its arena and goes with it.
 *
 * A node of the DAG is an input, a constant, an operation, or a view: a
 * transposition or a broadcast, which only says where an element of its
 * operand stands. Each node knows its "base", the node behind all views, and
 * how an element [i,j] of it selects the element of the base.
 */
#ifndef FRONTEND_INTERNAL_H
#define FRONTEND_INTERNAL_H

#include <setjmp.h>

#include "frontend/frontend.h"

enum {
	FE_MAX_TEXT = 1 << 20,		/* bytes of source */
	FE_MAX_NAME = 64,		/* bytes of a name */
	FE_MAX_NESTING = 256,		/* brackets, calls, signs */
	FE_MAX_DEFINITION = 10000,
	FE_MAX_ERROR = 50,		/* errors shown */
	FE_MAX_SIZE = 2147483647
};

/* ---------------------------------------------------------------- arena.c */

struct fe_block;
/* Memory that is freed at once. "no_memory" is where an allocation that fails
 * goes; it must be set before the first one.
 */
struct fe_arena {
	struct fe_block *block;
	size_t used, size;
	jmp_buf no_memory;
};
/* "size" zeroed bytes, aligned for any object; never NULL. */
void *fe_arena_alloc(struct fe_arena *arena, size_t size);
char *fe_arena_text(struct fe_arena *arena, const char *text, size_t len);
void fe_arena_free(struct fe_arena *arena);

/* --------------------------------------------------------------- symbol.c */

/* A function of the language, see function.def. */
struct fe_function {
	const char *name;
	int n_arg;
	enum poly_op op;	/* POLY_OP_NONE: transpose */
	bool integers;
};

/* What a name stands for. There is one for each name of the program. */
struct fe_call;		/* index.h */
struct fe_symbol {
	const char *name;
	const struct fe_function *function;	/* if it is a function's */
	struct fe_param *param;		/* if it is a size parameter */
	struct fe_node *node;		/* newest value of a matrix */
	struct fe_def *def;		/* newest definition, if any */
	struct fe_tensor *tensor;	/* of index notation */
	const struct fe_call *changes;	/* that will change the matrix, or NULL */
	struct poly_loc loc;		/* declaration or first definition */
	int define_line;		/* of the first definition, or 0 */
	bool is_matrix;
	bool broken;	/* its declaration or definition had an error */
	bool taken;	/* the program that is lowered has this name */
	int next_number;	/* that makes a name of it, if it is taken */
};
struct fe_table {
	struct fe_symbol **slot;
	size_t n, cap;
};
/* The symbol of the "len" bytes at "name", made if it is new. */
struct fe_symbol *fe_symbol_find(struct fe_unit *u, const char *name,
	size_t len);
/* Does the text declare "name", or has something in the program this name? */
bool fe_symbol_is_used(const struct fe_unit *u, const char *name);

/* ------------------------------------------------------------------ lex.c */

enum fe_token_kind {
#define TOKEN(id, text) FE_##id,
#define WORD(id, text) FE_##id,
#define MARK(id, text) FE_##id,
#include "frontend/base/token.def"
#undef TOKEN
#undef WORD
#undef MARK
	FE_N_TOKEN
};
struct fe_token {
	struct fe_token *next;	/* NULL behind FE_END */
	enum fe_token_kind kind;
	struct poly_loc loc;
	const char *text;	/* in the source, loc.len bytes */
	struct fe_symbol *symbol;	/* of a name */
};
/* The tokens of the unit's text; errors are reported and leave FE_BAD. */
struct fe_token *fe_lex(struct fe_unit *u);
const char *fe_token_name(enum fe_token_kind kind);

/* ---------------------------------------------------------------- parse.c */

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

/* ----------------------------------------------------------------- unit.c */

struct fe_param {
	struct fe_param *next;
	struct fe_symbol *symbol;
	const char *name;	/* in the program that is lowered */
	int index;
	bool used;
	bool fixed;
	int64_t value;		/* if fixed */
	bool folded;		/* the value makes something affine */
	struct poly_loc loc;
};

/* A size: "param", or the number "value". A fixed parameter has both; "value"
 * is -1 if it is not known.
 */
struct fe_size {
	const struct fe_param *param;
	int64_t value;
};

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

struct fe_c_unit;	/* c_internal.h */
struct fe_nest;		/* index.h */
struct fe_unit {
	struct fe_c_unit *c;		/* of a C file, or NULL */
	struct fe_arena arena;
	struct fe_table table;
	struct poly_report *report;	/* while it is read */
	int first_message;		/* of the report, that is ours */
	int n_error;
	const char *text;		/* while it is read */
	const char *whole;		/* the same, with nests */
	size_t len;
	struct fe_ast ast;

	const char *file, *name;
	enum poly_type type, compute;
	struct fe_param *param;
	bool indexed;			/* its text has index notation */
	bool noted;			/* remarks on pieces were made */
	struct fe_scalar *assume;	/* conditions on the sizes */
	struct fe_tensor *tensor;	/* in the order of the text */
	struct fe_tensor *sorted;	/* definitions, by "order_next": what
					 * one reads comes before it */
	struct fe_tensor *last_sorted;
	struct fe_tensor **in, **out;	/* inputs and outputs */
	struct fe_nest *nest;		/* beside definitions, and calls of them,
					 * in the order of the text */
	struct fe_call *call;
	int followed;			/* items of matrices before this one are */
	const char *nest_text;		/* nests alone, as C, where they stand */
	struct fe_quotient *quotient;	/* of sizes, that bounds have */
	int n_quotient;
	int n_visit, n_tensor;
	struct fe_node *input;		/* the inputs are the first nodes */
	struct fe_node *node, *last_node;
	struct fe_def *def, *last_def;
	int n_param, n_input, n_node, n_def, n_output;
};
/* Whether one more error may be shown; says so once when there are too many.
 */
bool fe_may_report(struct fe_unit *u);
#define FE_REPORT(u, id, ...) \
	do { \
		if (fe_may_report(u)) \
			poly_report_add((u)->report, MSG_##id, __VA_ARGS__); \
	} while (0)

/* ----------------------------------------------------------------- nest.c */

/* True if the text is made of nests alone, or looks like that. */
bool fe_is_only_nests(const char *text, size_t len);
/* List the nests that stand beside definitions, and take them out of the text. */
void fe_nest_split(struct fe_unit *u);
/* The text as a preprocessed file of C. */
void fe_nest_text(const char *file, const char *text, size_t len,
	struct poly_str *out);

/* ---------------------------------------------------------------- check.c */

/* Names, shapes and types of what was parsed; fills the unit. */
void fe_check(struct fe_unit *u, const struct fe_define *def, int n_def);
/* Note that "s" is declared at "loc"; false, having reported why, if the name
 * cannot be declared.
 */
bool fe_declare(struct fe_unit *u, struct fe_symbol *s,
	const struct poly_loc *loc);

/* ---------------------------------------------------------------- shape.c */

/* The node of "e", whose operands have theirs; NULL, having reported why. */
struct fe_node *fe_node_make(struct fe_unit *u, struct fe_def *def,
	struct fe_expr *e);
/* A new node of "kind", in the unit's list; it is its own base. */
struct fe_node *fe_node_add(struct fe_unit *u, enum fe_node_kind kind,
	struct fe_def *owner, struct fe_node *a, struct fe_node *b);
bool fe_size_equal(const struct fe_size *a, const struct fe_size *b);

/* ---------------------------------------------------------------- names.c */

/* Give everything that is lowered its name. */
void fe_names(struct fe_unit *u);

/* --------------------------------------------------------------- number.c */

/* Element "i" of "data", exactly. */
double fe_number_load(enum poly_type t, const void *data, int64_t i);
/* Element "i" of "data" becomes "x", a value of the float type "t". */
void fe_number_save(enum poly_type t, void *data, int64_t i, double x);
/* "x" rounded to the nearest value of "t", ties to even; beyond its range an
 * infinity. Integers: "x" truncated and wrapped.
 */
double fe_number_round(enum poly_type t, long double x);
/* Largest finite value and smallest positive one; unit roundoff. */
long double fe_number_max(enum poly_type t);
long double fe_number_tiny(enum poly_type t);
long double fe_number_unit(enum poly_type t);
/* Does the whole number "x" lie in the range of the integer type "t"? */
bool fe_number_fits(enum poly_type t, double x);

/* Where a "op" b holds, "op" one of LT, LE, EQ and NE: conditions have been
 * turned around to these.
 */
__isl_give isl_set *fe_compare(enum poly_op op, __isl_take isl_pw_aff *a,
	__isl_take isl_pw_aff *b);

/* "set" for the sizes that programs can be given; is it empty for these? */
__isl_give isl_set *fe_possible(__isl_take isl_set *set);
bool fe_never_is(__isl_keep isl_set *set);

#endif
