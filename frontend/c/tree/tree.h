/* frontend/c/tree: a nest as a tree, in which every conversion of C is a node: what
 * reading makes, rewriting changes, and lowering and execution walk.
 */
#ifndef FRONTEND_C_TREE_H
#define FRONTEND_C_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "frontend/base/base.h"

enum {
	FE_C_MAX_RANK = 8,		/* dimensions of an array */
	FE_C_MAX_DEPTH = 16,		/* loops around a statement */
	FE_C_MAX_STMT = 2000,		/* statements of the lowered program */
	FE_C_MAX_NEST = 200,		/* brackets, blocks */
	FE_C_MAX_OPERATOR = 4000,	/* of two operands, in a statement */
	FE_C_MAX_SCALARS = 1 << 28,	/* of a structure */
	FE_C_MAX_FIELDS = 1000		/* its members that are no structures */
};

/* ----------------------------------------------------------------- c_lex.c */

enum fe_c_token_kind {
	FE_C_NAME,
	FE_C_NUMBER,
	FE_C_TEXT,	/* string or character */
	FE_C_MARK,	/* punctuation */
	FE_C_SCOP,	/* #pragma scop */
	FE_C_ENDSCOP,
	FE_C_END
};
/* "loc" is the place in the user's file; line 0: in another file. */
struct fe_c_token {
	enum fe_c_token_kind kind;
	struct poly_loc loc;
	const char *text;
	int len;
	bool packed;		/* "#pragma pack" changes layouts here */
};
/* What "#pragma cetane" says behind that word. */
struct fe_c_pragma {
	struct fe_c_pragma *next;
	struct poly_loc loc;
	const char *text;
	int len;
};
/* The tokens of "text", an array that FE_C_END ends. With "original", the text
 * before preprocessing, line markers are obeyed, and places are those in it.
 */
struct fe_c_token *fe_c_lex(struct fe_unit *u, const char *text, size_t len,
	const char *original, size_t original_len);
bool fe_c_is(const struct fe_c_token *t, const char *text);

/* ---------------------------------------------------------------- c_walk.c */

/* The tokens with pointers that walk along an array as an array and a place in it. */
struct fe_c_token *fe_c_walking(struct fe_unit *u, struct fe_c_token *token);

/* ---------------------------------------------------------------- the tree */

enum fe_c_kind {
	FE_C_INT,	/* "bits" */
	FE_C_FLOAT,	/* "value" */
	FE_C_VAR,	/* a scalar */
	FE_C_ELEMENT,	/* "var" at index[0 .. n_index - 1] */
	FE_C_OP,	/* "op"; comparisons give an int */
	FE_C_AND,	/* && || ! give an int */
	FE_C_OR,
	FE_C_NOT,
	FE_C_COND,	/* arg[0] ? arg[1] : arg[2] */
	FE_C_LOOP,	/* the STEP "var" in the RANGE arg[1]: arg[0], then arg[2] of
			 * what the range's "var" carries */
	FE_C_RANGE,	/* from arg[0] on, below arg[1] */
	FE_C_CAST	/* arg[0] to "type" */
};
struct fe_c_var;
/* An expression, a value of "type". Arguments of an operation have the type
 * in which it is computed: conversions are nodes of their own.
 */
struct fe_c_expr {
	enum fe_c_kind kind;
	enum poly_type type;
	enum poly_op op;
	struct poly_loc loc;
	int64_t bits;		/* of an integer, sign or zero extended */
	double value;
	struct fe_c_var *var;
	struct fe_c_expr *arg[3];
	struct fe_c_expr **index;
	int n_index;
};

enum fe_c_stmt_kind {
	FE_C_ASSIGN,
	FE_C_FOR,
	FE_C_IF,
	FE_C_BLOCK,
	FE_C_BREAK	/* nothing of the loop runs behind it */
};
/* The step of the loop is no constant. */
#define FE_C_BAD_STEP	"its step is not a constant other than 0"
struct fe_c_stmt {
	struct fe_c_stmt *next;
	enum fe_c_stmt_kind kind;
	struct poly_loc loc;
	/* ASSIGN: "left" = "right"; "declares": the initialiser of a scalar;
	 * "begins": part of an initialiser; "hidden": nothing sees what it writes
	 * where a condition around fails
	 */
	struct fe_c_expr *left, *right;
	bool declares, begins, hidden;
	/* FOR: "var" from "right" while "cond", plus "step" each time, which is
	 * 0 until it is found that "by" has a value, or -"by" if "down"; or, if it
	 * "scales", "var" becomes "var" "scale" "by"; while parsing "outer" is the loop
	 * around; "breaks": it has a BREAK; "asks": over elements that ask
	 * whether they are meant (c_scatter.c)
	 */
	struct fe_c_stmt *outer;
	struct fe_c_var *var;
	int64_t step;
	struct fe_c_expr *by;
	enum poly_op scale;
	struct poly_loc step_loc;
	bool down, breaks, asks, scales;
	/* FOR, IF */
	struct fe_c_expr *cond;
	struct fe_c_stmt *body, *otherwise;
	/* BLOCK: the variables from "first_id" on, "n_id" of them, begin here */
	int first_id, n_id;
	/* its number in the order of the text, and the one behind what it holds */
	int number, behind;
};

/* What a variable is in the lowered program. */
enum fe_c_use {
	FE_C_CELL,	/* an array; a scalar has rank 0 */
	FE_C_SIZE,	/* a size parameter */
	FE_C_ITERATOR,
	FE_C_ALIAS,	/* another name of the affine value "init" */
	FE_C_STEP,	/* of the LOOP with the number "value" */
	FE_C_CARRY	/* from one of its steps to the next */
};
struct fe_c_var {
	struct fe_c_var *next;	/* in order of declaration */
	int id;
	const char *name;
	const char *lowered;	/* in the program that is lowered */
	enum poly_type type;
	struct poly_loc loc;
	int n_dim;
	struct fe_c_expr *dim[FE_C_MAX_RANK];	/* NULL: not written */
	struct fe_c_expr *limit[2];	/* what it holds at least, at most; or NULL */
	bool is_const;
	bool outer;	/* comes from outside: a parameter, a global, .. */
	bool is_param;
	bool is_size;	/* from outside, even if it is only computed with */
	bool is_result;	/* what the function returns */
	bool is_global;
	bool is_static;
	bool is_extern;	/* a global that another file defines */
	bool has_value;	/* a global that is given values here */
	bool is_hidden;	/* in front of the region, and nothing behind it uses it */
	bool by_value;	/* its last value is not seen outside */
	bool unset;	/* has no value at the beginning */
	int born;	/* number of the statement that declares it, or 0 */
	bool used;
	int checked;	/* its extents: 1 to find sizes, 2 to report */
	bool active;	/* while its loop is walked */
	bool sized;	/* a bound, subscript or condition needs it */
	bool fixed;	/* a size: to "value" */
	bool flat;	/* one dimension in the text, several here */
	bool has_row;	/* the last dimension is the members of a structure */
	const struct fe_c_object *object;	/* that it is a member of, or NULL */
	bool opened;	/* its value stands in bounds that are data */
	bool folded;	/* its value makes something affine */
	int64_t value;
	const char *extent;	/* found, for a dimension that is not written */
	int n_write, n_loop;
	struct fe_c_expr *init;		/* of a scalar */
	struct fe_c_stmt *values;	/* that a const array gets outside */
	enum fe_c_use use;
	enum poly_role role;
};

/* ---------------------------------------------------------------- the unit */

/* A parameter of the function; "var" is NULL if it cannot be used, then "bad"
 * says why, and it may still be a pointer.
 */
struct fe_c_object;
struct fe_c_param {
	struct fe_c_param *next;
	const struct fe_c_token *name;
	struct fe_c_var *var;
	const char *bad;
	bool is_pointer;
	const struct fe_c_struct *st;	/* a structure by value */
	struct fe_c_object *object;	/* that it is, several variables */
};
/* A function that the file defines: tokens. "params" is behind its bracket,
 * "body" the bracket; "scop" and "endscop" may be NULL.
 */
struct fe_c_function {
	struct fe_c_function *next;
	const struct fe_c_token *begin, *name, *params, *body, *end;
	const struct fe_c_token *scop, *endscop;
	bool has_loop;
	bool is_bare;	/* no function: a region outside of all */
	bool is_old;	/* types of parameters stood behind their names */
};
/* Where the function stands in the tokens; "scop" may be NULL. "rest" is what
 * follows the region, or the returned value behind it if that is compiled.
 */
struct fe_c_text {
	const struct fe_c_token *begin, *open, *scop, *rest, *end;
};
struct fe_c_unit {
	struct fe_c_var *var, **last_var;
	int n_var;
	struct fe_c_param *param, **last_param;
	struct fe_c_function *functions;
	struct fe_c_text text;
	struct fe_c_pragma *pragma;
	bool is_old;		/* the function has no prototype */
	bool returns;		/* a value of type "type" */
	bool returns_other;	/* of a type that is not arithmetic */
	enum poly_type type;
	const char *prototype;
	const char *assumed;	/* of the sizes, a set of isl as text */
	struct fe_c_stmt *body;
	struct fe_c_stmt *written;	/* the same before it was rewritten */
	const char *function;
	const struct fe_c_var **size;	/* in order of declaration */
	int n_size;
};

/* -------------------------------------------------------------- c_tree.c */

/* A new node without arguments, in the unit's arena. */
struct fe_c_expr *fe_c_make(struct fe_unit *u, enum fe_c_kind kind,
	enum poly_type type, const struct poly_loc *loc);
/* The number "bits" of the integer type "type", wrapped to it. */
struct fe_c_expr *fe_c_int(struct fe_unit *u, enum poly_type type,
	int64_t bits, const struct poly_loc *loc);
/* Does "e" read the variable "v", by itself or through another name? */
bool fe_c_reads(const struct fe_c_expr *e, const struct fe_c_var *v);
/* Is "ask" true of "e" or of a part of it? "with" goes to "ask". */
bool fe_c_any(const struct fe_c_expr *e, bool (*ask)(const void *with,
	const struct fe_c_expr *e), const void *with);
/* Does the list "s" read "v", other than below loops that have it? */
bool fe_c_list_reads(const struct fe_c_stmt *s, const struct fe_c_var *v);
/* Does the body of "loop" write what "e" reads? Its own variable does not count. */
bool fe_c_changes(const struct fe_c_stmt *loop, const struct fe_c_expr *e);
/* Does a statement of the list "s", or one in it, write "v"? */
bool fe_c_writes(const struct fe_c_stmt *s, const struct fe_c_var *v);
/* Does anything in the list but "s", with all that it holds, have "v"? */
bool fe_c_has_others(const struct fe_c_stmt *list, const struct fe_c_stmt *s,
	const struct fe_c_var *v);
/* The statements of the list "s", without blocks that are around all of them. */
const struct fe_c_stmt *fe_c_inside(const struct fe_c_stmt *s);
/* The value of an integer constant expression, in which other names of constants
 * count as these.
 */
bool fe_c_constant(const struct fe_c_expr *e, int64_t *value);
/* What is left of "e" without the conversions around it. */
const struct fe_c_expr *fe_c_without_casts(const struct fe_c_expr *e);
bool fe_c_is_zero(const struct fe_c_expr *e);
bool fe_c_same(const struct fe_c_expr *a, const struct fe_c_expr *b);
/* The variable that is, or NULL. */
struct fe_c_var *fe_c_result(const struct fe_c_unit *c);
/* Is the parameter a size, "param n"? */
bool fe_c_is_size(const struct fe_c_param *p);

/* -------------------------------------------------------------- c_update.c */

/* If "s" is x = x op e, and e does not read the variable: e and op. */
const struct fe_c_expr *fe_c_update(const struct fe_c_stmt *s,
	enum poly_op *op);
/* Find what "e", the new value of the variable of the loop "s", adds to it, or by what
 * it is multiplied or divided; false if it is none of these.
 */
bool fe_c_step(const struct fe_c_expr *e, struct fe_c_stmt *s);

/* -------------------------------------------------------------- c_number.c */

/* "x" as a value of the integer type "t", sign or zero extended. */
int64_t fe_c_wrap(enum poly_type t, int64_t x);
/* "op" on values of the integer type "t". */
int64_t fe_c_apply(enum poly_op op, enum poly_type t, int64_t a, int64_t b);

#endif
