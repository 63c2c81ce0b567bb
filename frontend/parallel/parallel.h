/* frontend/parallel: data-parallel functions; grouped by file.
 *
 * The text becomes tokens (par_lex.c) and a tree (par_parse.c, par_expr.c), whose
 * names and types are checked (par_check.c, par_types.c, par_callee.c). The function
 * that is compiled is then evaluated on symbols (par_eval.h), and what it returns
 * becomes definitions as index notation has them.
 */
#ifndef FRONTEND_PARALLEL_H
#define FRONTEND_PARALLEL_H

#include "frontend/base/base.h"

/* --------------------------------------------------------------- par_lex.c */

enum fe_par_token_kind {
#define TOKEN(id, text) FE_PAR_##id,
#define WORD(id, text) FE_PAR_##id,
#define MARK(id, text) FE_PAR_##id,
#include "frontend/parallel/par_token.def"
#undef TOKEN
#undef WORD
#undef MARK
	FE_PAR_N_TOKEN
};
struct fe_par_token {
	struct fe_par_token *next;	/* NULL behind FE_PAR_END */
	enum fe_par_token_kind kind;
	struct poly_loc loc;
	const char *text;		/* in the source, loc.len bytes */
	struct fe_symbol *symbol;	/* of a name */
	double value;			/* of a number */
	bool whole, hex;
};
/* The tokens of the unit's text; errors are reported and leave FE_PAR_BAD. */
struct fe_par_token *fe_par_lex(struct fe_unit *u);
const char *fe_par_token_name(enum fe_par_token_kind kind);

/* ------------------------------------------------------------------ the tree */

struct fe_scalar;	/* index/index.h */
struct fe_par_record;
/* "rank" brackets behind a number, bool or structure. "open": a literal, or made of
 * such, that may still become any type of numbers; with the base f32 of floats.
 */
struct fe_par_type {
	enum poly_type base;
	const struct fe_par_record *record;	/* NULL: "base" */
	int rank;
	bool open;
};
/* A type as it is written. */
struct fe_par_written {
	struct fe_symbol *symbol;
	struct poly_loc loc;
	int rank;
};

/* A parameter, a variable or the element of a "for". */
struct fe_par_var {
	struct fe_par_var *next;	/* of a list of parameters or fields */
	struct fe_symbol *symbol;
	struct poly_loc loc;
	struct fe_par_written written;
	struct fe_par_type type;
	int uses;	/* in the text; inside of a further loop each counts twice */
	int depth;	/* loops around it */
};
/* A structure; its members are variables without uses. */
struct fe_par_record {
	struct fe_par_record *next;
	struct fe_symbol *symbol;
	struct poly_loc loc;
	struct fe_par_var *field;
	int n_field;
	bool unnamed;			/* of zip: the same as any of these fields */
	int mark;			/* while circles are looked for */
};

enum fe_par_kind {
	FE_PAR_E_NUMBER,
	FE_PAR_E_BOOL,
	FE_PAR_E_NAME,
	FE_PAR_E_CALL,		/* of "symbol" */
	FE_PAR_E_INDEX,		/* arg[0][arg[1]] */
	FE_PAR_E_FIELD,		/* arg[0].symbol */
	FE_PAR_E_RECORD,	/* struct "symbol" { .. }: arguments in "field" order
				 * once checked */
	FE_PAR_E_OP,
	FE_PAR_E_CHOOSE,	/* arg[0] ? arg[1] : arg[2] */
	FE_PAR_E_FOR,		/* "var" over arg[0] */
	FE_PAR_E_OPERATOR	/* "+" as an argument */
};
enum fe_par_builtin {
	FE_PAR_B_NONE,
#define BUILTIN(id, name, n) FE_PAR_B_##id,
#include "frontend/parallel/par_builtin.def"
#undef BUILTIN
	FE_PAR_B_DIM
};
/* What is called, or applied to the elements of arrays. */
enum fe_par_callee_kind {
	FE_PAR_C_NONE,
	FE_PAR_C_FUNCTION,	/* of the text */
	FE_PAR_C_OP,		/* an operator or function of numbers */
	FE_PAR_C_CAST,		/* to "type" */
	FE_PAR_C_LOG2		/* of an integer, rounded down */
};
struct fe_par_function;
struct fe_par_callee {
	enum fe_par_callee_kind kind;
	struct fe_par_function *function;
	enum poly_op op;
	bool turned;		/* the operands change places */
	bool logic;		/* && || !: of bools */
	bool floats, integers;	/* which types a function of numbers has */
	int n_arg;
	enum poly_type type;
	const char *spelling;
};
struct fe_par_expr {
	struct fe_par_expr *next;	/* in a list of arguments */
	enum fe_par_kind kind;
	struct poly_loc loc;
	struct fe_par_type type;
	struct fe_symbol *symbol;
	struct fe_par_expr *arg;	/* a list */
	int n_arg, depth;
	double value;
	bool whole, hex;
	enum poly_type key;		/* of sort_by a function */
	struct fe_par_callee callee;	/* of an operation, call or argument */
	enum fe_par_builtin builtin;
	int dim;			/* of dimK */
	int field;			/* which one */
	struct fe_par_record *record;
	struct fe_par_var *var;
	struct fe_par_stmt *body;	/* of a "for" */
	struct fe_par_member *member;	/* of a structure, as written */
};
struct fe_par_member {
	struct fe_par_member *next;
	struct fe_symbol *symbol;
	struct poly_loc loc;
	struct fe_par_expr *value;
};
/* "type var = value;", or "return value;" if "var" is NULL. */
struct fe_par_stmt {
	struct fe_par_stmt *next;
	struct poly_loc loc;
	struct fe_par_var *var;
	struct fe_par_expr *value;
};
struct fe_par_function {
	struct fe_par_function *next;
	struct fe_symbol *symbol;
	struct poly_loc loc;
	struct fe_par_written written;
	struct fe_par_type type;
	struct fe_par_var *param;
	int n_param;
	struct fe_par_stmt *body;
	struct fe_par_call_edge *edge;	/* what it calls */
	int mark;			/* while circles are looked for */
	struct fe_par_function *from;	/* what calls it there */
};
struct fe_par_program {
	struct fe_par_record *record;
	struct fe_par_function *function;
};

/* ------------------------------------------------------------- par_parse.c */

struct fe_par_parser {
	struct fe_unit *unit;
	struct fe_par_token *token, *last;
	int nesting;
};
/* Parse the tokens; what is wrong is reported. */
struct fe_par_program *fe_par_parse(struct fe_unit *u,
	struct fe_par_token *token);
bool fe_par_at(const struct fe_par_parser *p, enum fe_par_token_kind kind);
void fe_par_advance(struct fe_par_parser *p);
bool fe_par_accept(struct fe_par_parser *p, enum fe_par_token_kind kind);
/* Accept the token or report that it was expected. */
bool fe_par_expect(struct fe_par_parser *p, enum fe_par_token_kind kind);
void fe_par_expected(struct fe_par_parser *p, const char *what);
bool fe_par_parse_type(struct fe_par_parser *p, struct fe_par_written *w);
/* "{ statements }"; false, having reported. */
bool fe_par_parse_body(struct fe_par_parser *p, struct fe_par_stmt **first);

/* -------------------------------------------------------------- par_expr.c */

/* NULL, having reported. */
struct fe_par_expr *fe_par_parse_expr(struct fe_par_parser *p);

/* ------------------------------------------------------------- par_types.c */

bool fe_par_same(const struct fe_par_type *a, const struct fe_par_type *b);
bool fe_par_is_number(const struct fe_par_type *t);
struct fe_par_type fe_par_plain(enum poly_type base);
/* The element of an array. */
struct fe_par_type fe_par_element(struct fe_par_type t);
struct fe_par_type fe_par_array_of(struct fe_par_type t);
/* Write what messages call "t" into "text". */
const char *fe_par_type_name(const struct fe_par_type *t, char text[96]);
/* Give "e", if it is made of literals, the type "base"; reports numbers that are out
 * of its range.
 */
void fe_par_settle(struct fe_unit *u, struct fe_par_expr *e,
	enum poly_type base);
/* The same, the type that it has if nothing else says so. */
void fe_par_settle_alone(struct fe_unit *u, struct fe_par_expr *e);
/* "e" has to be of the type "t"; false, having reported. */
bool fe_par_require(struct fe_unit *u, struct fe_par_expr *e,
	const struct fe_par_type *t);
/* Give "a" and "b" one type; false, having reported that "what" mixes them. */
bool fe_par_join(struct fe_unit *u, struct fe_par_expr *a,
	struct fe_par_expr *b, const char *what, const struct poly_loc *loc);

/* ------------------------------------------------------------ par_callee.c */

/* What the name "e" calls, or applies where it is an argument; false if it is no
 * function.
 */
bool fe_par_find_callee(const struct fe_par_program *prog,
	struct fe_par_expr *e);
/* The type of what "c" makes of "n" values of these types; false, having
 * reported at "loc". "log2" of an integer becomes another function than that of a
 * float.
 */
bool fe_par_apply_type(struct fe_unit *u, struct fe_par_callee *c,
	const struct fe_par_type *arg, int n, const struct poly_loc *loc,
	struct fe_par_type *result);

/* ------------------------------------------------------------- par_check.c */

struct fe_par_scope;
struct fe_par_checker {
	struct fe_unit *unit;
	struct fe_par_program *prog;
	struct fe_par_function *function;	/* being checked */
	const struct fe_par_scope *scope;	/* the innermost name */
	int depth;				/* loops around */
};
/* Names and types of the program; reports all that is wrong. */
void fe_par_check(struct fe_unit *u, struct fe_par_program *prog);
/* Of an expression, and all in it; false, having reported. */
bool fe_par_check_expr(struct fe_par_checker *ck, struct fe_par_expr *e);
/* The variable "s", or NULL. */
struct fe_par_var *fe_par_find_var(const struct fe_par_checker *ck,
	const struct fe_symbol *s);
/* Note that the function being checked calls that of "c", if that is one. */
void fe_par_note_call(struct fe_par_checker *ck, const struct fe_par_callee *c,
	const struct poly_loc *loc);

/* ------------------------------------------------------- par_check_call.c */

/* A call; false, having reported. */
bool fe_par_check_call(struct fe_par_checker *ck, struct fe_par_expr *e);
/* "e" has to be an array of "rank" dimensions or more.
 *
 * "what" is the name of whoever wants it, for the message.
 */
bool fe_par_need_array(struct fe_par_checker *ck, const struct fe_par_expr *e,
	const char *what, int rank);
/* Check the arguments from "a" on.
 *
 * All are checked, even behind one that is wrong.
 */
bool fe_par_check_all(struct fe_par_checker *ck, struct fe_par_expr *a);
/* The argument "a" has to be an operator, or name a function.
 *
 * Only its kind is checked here: its type depends on the arguments
 * (fe_par_apply_type). A variable hides a function of its name.
 */
bool fe_par_need_function(struct fe_par_checker *ck, struct fe_par_expr *a,
	const struct fe_par_expr *call);
/* May the operator be associative? A function of the text promises it.
 *
 * The regrouping of a reduction is right only for such. Of operators it is
 * known; a function cannot be asked.
 */
bool fe_par_is_chain(const struct fe_par_callee *c);
/* What "f" makes, "found", has to be of the type "want".
 *
 * Reports at "f".
 */
bool fe_par_need_same(struct fe_par_checker *ck, const struct fe_par_expr *f,
	const struct fe_par_type *found, const struct fe_par_type *want);

/* ------------------------------------------------------ par_check_array.c */

/* filter_with(xs, bs), or filter_with(f, xs)
 *
 * Two forms: truths beside the elements, or a function that makes them.
 */
bool fe_par_check_filter(struct fe_par_checker *ck, struct fe_par_expr *e);
/* sort(xs) */
bool fe_par_check_sort(struct fe_par_checker *ck, struct fe_par_expr *e);
/* sort_by(ks, xs), or sort_by(f, xs) */
bool fe_par_check_sort_by(struct fe_par_checker *ck, struct fe_par_expr *e);
/* zip(xs, ys, ..): structures of the elements at one position.
 *
 * At most MAX_ZIP arrays of numbers or structures; arrays in a structure have
 * no layout yet.
 */
bool fe_par_check_zip(struct fe_par_checker *ck, struct fe_par_expr *e);
/* unzip(ps): the same array, whose fields are arrays.
 *
 * Nothing happens: a field of an array of structures is an array already
 * (check_field).
 */
bool fe_par_check_unzip(struct fe_par_checker *ck, struct fe_par_expr *e);
/* gather(xs, is) and histogram(n, is)
 *
 * gather takes elements of xs at is; histogram counts how often each number
 * below n is in is.
 */
bool fe_par_check_positions(struct fe_par_checker *ck, struct fe_par_expr *e);
/* scatter(f, xs, is, ys)
 *
 * ys are put into copies of xs by the operator, where is says; several may
 * meet, hence the associative operator.
 */
bool fe_par_check_scatter(struct fe_par_checker *ck, struct fe_par_expr *e);

/* ------------------------------------------------------------- par_split.c */

/* Take the functions and structures among other definitions out of the text of "u",
 * and check them.
 */
void fe_par_split(struct fe_unit *u);
/* What stands for "e" in index notation, which looks like the call of a function:
 * itself if it is none; NULL, having reported.
 */
struct fe_scalar *fe_par_inline(struct fe_unit *u, struct fe_scalar *e);

/* -------------------------------------------------------------- par_unit.c */

/* The unit from its text: the function called "function", NULL: the last one. What
 * is left is what a text in index notation would have left. "def" are the values of
 * -D.
 */
void fe_par_read(struct fe_unit *u, const char *function,
	const struct fe_define *def, int n_def);

#endif
