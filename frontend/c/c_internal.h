/* frontend: the front end of C loop nests; grouped by file.
 *
 * Preprocessed text becomes tokens (c_lex.c); a scan of the file finds the
 * function (c_file.c); its declarations (c_decl.c), statements (c_stmt.c) and
 * expressions (c_expr.c) become a tree in which every conversion of C is a
 * node. c_check.c decides what each variable is and whether bounds, subscripts
 * and conditions are affine. The tree is lowered (c_lower.c, c_affine.c,
 * c_value.c) or executed as it is (c_interp.c).
 */
#ifndef FRONTEND_C_INTERNAL_H
#define FRONTEND_C_INTERNAL_H

#include <isl/flow.h>
#include <isl/id.h>
#include <isl/local_space.h>
#include <isl/schedule.h>
#include <isl/space.h>
#include <isl/val.h>

#include "frontend/frontend_internal.h"

enum {
	FE_C_MAX_RANK = 8,		/* dimensions of an array */
	FE_C_MAX_DEPTH = 16,		/* loops around a statement */
	FE_C_MAX_STMT = 2000,		/* statements of the lowered program */
	FE_C_MAX_NEST = 200,		/* brackets, blocks */
	FE_C_MAX_OPERATOR = 4000,	/* of two operands, in a statement */
	FE_C_MAX_SCALARS = 1 << 28,	/* of a structure */
	FE_C_MAX_FIELDS = 1000		/* its members that are no structures */
};

struct fe_c_parse;

/* ---------------------------------------------------------------- c_lex.c */

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
/* The tokens of "text", an array that FE_C_END ends. With "original", the text
 * before preprocessing, line markers are obeyed, and places are those in it.
 */
struct fe_c_token *fe_c_lex(struct fe_unit *u, const char *text, size_t len,
	const char *original, size_t original_len);
bool fe_c_is(const struct fe_c_token *t, const char *text);

/* -------------------------------------------------------------- the tree */

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
	 * 0 until it is found that "by" has a value, or -"by" if "down"; while
	 * parsing "outer" is the loop around; "breaks": it has a BREAK
	 */
	struct fe_c_stmt *outer;
	struct fe_c_var *var;
	int64_t step;
	struct fe_c_expr *by;
	struct poly_loc step_loc;
	bool down, breaks;
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
	FE_C_ALIAS	/* another name of the affine value "init" */
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
	bool is_const;
	bool outer;	/* comes from outside: a parameter, a global, .. */
	bool is_param;
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
	bool folded;	/* its value makes something affine */
	int64_t value;
	const char *extent;	/* found, for a dimension that is not written */
	int n_write, n_loop;
	struct fe_c_expr *init;		/* of a scalar */
	struct fe_c_stmt *values;	/* that a const array gets outside */
	enum fe_c_use use;
	enum poly_role role;
};

/* -------------------------------------------------------------- c_unit.c */

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
	bool is_old;		/* the function has no prototype */
	bool returns;		/* a value of type "type" */
	bool returns_other;	/* of a type that is not arithmetic */
	enum poly_type type;
	const char *prototype;
	const char *assumed;	/* of the sizes, a set of isl as text */
	struct fe_entry *entry;	/* if asked for */
	struct fe_c_stmt *body;
	struct fe_c_stmt *written;	/* the same before it was rewritten */
	const char *function;
	struct fe_matrix *input, *output;
	int n_input, n_output;
	const struct fe_c_var **size;	/* in order of declaration */
	int n_size;
};
/* Fill the unit, whose text is preprocessed. */
void fe_c_read(struct fe_unit *u, const struct fe_c_source *src,
	const struct fe_define *def, int n_def);
void fe_c_print_check(const struct fe_unit *u, struct poly_str *out);

/* ------------------------------------------------------------- c_entry.c */

/* Keep the text of the prototype, while the names of types are known. */
void fe_c_prototype(struct fe_c_parse *p);
/* Describe how the function is called; reports what stands in the way. */
void fe_c_entry(struct fe_unit *u);

/* ------------------------------------------------------------- c_parse.c */

/* A pointer into an array: to element "offset", NULL: 0, of what "index" gives
 * of "var". If "shaped", what is left of "var" is one dimension, or none, is seen
 * as of dimensions "dim", of which the first does not matter, and "offset" counts
 * elements. With "st" it points to such structures, whose scalars are the last
 * dimension of "var"; or, with "object", whose members from "field" on are
 * variables, which have "n_path" dimensions up to there.
 */
struct fe_c_struct;
struct fe_c_view {
	struct fe_c_var *var;
	const struct fe_c_struct *st;
	struct fe_c_object *object;
	int field, n_path;
	struct fe_c_expr *index[FE_C_MAX_RANK], *offset;
	int n_index;
	bool shaped;
	int n_dim;
	struct fe_c_expr *dim[FE_C_MAX_RANK];
};
/* What a pointer points to, as a type says. */
struct fe_c_shape {
	enum poly_type type;
	const struct fe_c_struct *st;	/* NULL: numbers */
	bool is_void;
	int n_dim;
	struct fe_c_expr *dim[FE_C_MAX_RANK];
};
/* A name in scope: a variable, a type, a constant; or another name for a value
 * or a pointer.
 */
struct fe_c_name {
	struct fe_c_name *next;
	const char *text;
	int len, depth;
	bool is_type, is_constant;
	bool is_tag;	/* of the structure "tag": another space of names */
	bool is_odd;	/* of a type: an attribute changes its layout */
	enum poly_type type;
	const struct fe_c_struct *st;
	struct fe_c_struct *tag;
	int64_t bits;
	struct fe_c_var *var;
	struct fe_c_expr *value;
	const struct fe_c_view *view;
	const char *bad;	/* why it cannot be used, or NULL */
};
/* A way that a statement ends: at the end of "list", NULL: of the list that is
 * read, from where it goes on behind the statement or, by the "goto" or "break"
 * at "at", at "label", the name of one or the "}" of a switch. "names" are those
 * that are known there; "to" is where it goes on, once it is found.
 */
struct fe_c_end {
	struct fe_c_end *next;
	struct fe_c_stmt **list;
	const struct fe_c_token *at, *label, *to;
	struct fe_c_name *names;
};
/* How a statement ends. If it "leaves": the ways that it goes on; "dead": there are
 * others where nothing of its list runs any more. "at" is the last word that did it.
 */
struct fe_c_ends {
	bool leaves, dead;
	const struct fe_c_token *at;
	struct fe_c_end *first;
};
/* "++" and "--" inside of expressions since "begin", perhaps of the condition of a
 * loop; "e" is where what is changed is read.
 */
enum { FE_C_MAX_CHANGES = 4 };
struct fe_c_change {
	struct fe_c_expr *e;
	const struct fe_c_token *name;
	bool before;	/* "++k" */
	bool up;
};
struct fe_c_changes {
	const struct fe_c_token *begin;
	bool of_loop;
	struct fe_c_change item[FE_C_MAX_CHANGES];
	int n;
};
struct fe_c_parse {
	struct fe_unit *u;
	struct fe_c_unit *c;
	const struct fe_c_source *src;
	const struct fe_c_token *t;
	struct fe_c_name *names;
	int depth;		/* of blocks */
	int nesting;		/* of brackets and blocks */
	int n_operator;		/* of two operands, in the statement so far */
	bool quiet;		/* what is wrong is left out without a word */
	bool bad;		/* something was wrong in this statement */
	bool outer;		/* declarations are outside of the region */
	struct fe_c_name *file_names;	/* those of the file */
	const struct fe_c_function *function;	/* the one that is parsed */
	int n_inline;		/* calls around what is parsed */
	int conditional;	/* conditions inside the expression */
	struct fe_c_var *result;	/* of the innermost call */
	const struct fe_c_view *result_view;	/* the same, a structure */
	struct fe_c_stmt *pending;	/* to run before the statement */
	struct fe_c_stmt *loops;	/* around what is parsed */
	struct fe_c_stmt *outer_loops;	/* around the innermost call */
	struct fe_c_ends ends;	/* of the statement that has just been read */
	int n_again;		/* lists that were read again */
	bool in_list;		/* a statement of a list begins */
	const struct fe_c_token *stop;	/* up to which a list is read, or NULL */
	const struct fe_c_token *switch_end;	/* where "break" leads, or NULL */
	int switch_depth;	/* of the body of the innermost switch */
	struct fe_c_changes *changes;	/* NULL: none is allowed */
	bool head;		/* of a loop is parsed */
};
/* True if "report" has the message "number" for this place. */
bool fe_c_is_told(const struct poly_report *report, int number,
	const struct poly_loc *loc);
/* Report once a statement, and once a place. */
#define FE_C_ERROR(p, id, loc, ...) \
	do { \
		if (!(p)->quiet && !(p)->bad && !((p)->n_inline && \
		    fe_c_is_told((p)->u->report, MSG_##id, (loc)))) \
			FE_REPORT((p)->u, id, (loc), ##__VA_ARGS__); \
		(p)->bad = true; \
	} while (0)
/* Go on if the token is "text". */
bool fe_c_accept(struct fe_c_parse *p, const char *text);
/* The same; "what" is missing otherwise. */
bool fe_c_expect(struct fe_c_parse *p, const char *text);
void fe_c_unexpected(struct fe_c_parse *p, const char *wanted);
/* Is the token "=", "+=", "++" or the like? */
bool fe_c_has_effect(const struct fe_c_token *t);
/* Report that the name is not declared, and one that is like it. */
void fe_c_undeclared(struct fe_c_parse *p, const struct fe_c_token *t);
/* Count a bracket that opens; false if there are too many. */
bool fe_c_enter(struct fe_c_parse *p);
void fe_c_leave(struct fe_c_parse *p);
/* From an opening bracket to behind the one that closes it. */
const struct fe_c_token *fe_c_skip(const struct fe_c_token *t);
struct poly_loc fe_c_span(const struct poly_loc *a, const struct poly_loc *b);

/* -------------------------------------------------------------- c_decl.c */

struct fe_c_name *fe_c_find(struct fe_c_parse *p, const struct fe_c_token *t);
struct fe_c_name *fe_c_bind(struct fe_c_parse *p, const struct fe_c_token *t);
bool fe_c_is_type(struct fe_c_parse *p);
/* The type in front of declarators; "bad" if it is none of a value. "st" may be
 * NULL, then structures are such.
 */
bool fe_c_base_type(struct fe_c_parse *p, enum poly_type *type, bool *is_void,
	const char **bad, const struct fe_c_struct **st);
/* The type of a structure, which is usable, behind "("; NULL, having reported. */
const struct fe_c_struct *fe_c_struct_name(struct fe_c_parse *p);
void fe_c_skip_attributes(struct fe_c_parse *p);
/* A type name in brackets of a cast: behind "(", up to ")". */
bool fe_c_type_name(struct fe_c_parse *p, enum poly_type *type);
/* The bytes of the type behind "(" of sizeof; 0, having reported why. */
int64_t fe_c_type_size(struct fe_c_parse *p);
/* The same of a pointer, up to ")". */
bool fe_c_pointer_type(struct fe_c_parse *p, struct fe_c_shape *shape);
/* Is the parameter a size, "param n"? */
bool fe_c_is_size(const struct fe_c_param *p);
/* A declaration up to its semicolon; the statements that its initialisers
 * are, or NULL.
 */
struct fe_c_stmt *fe_c_declaration(struct fe_c_parse *p);
/* Parameters of a function, from behind "(" to behind ")". */
void fe_c_params(struct fe_c_parse *p);
/* Read the return type in front of a function's name. */
void fe_c_return_type(struct fe_c_parse *p);
struct fe_c_var *fe_c_add_var(struct fe_c_parse *p, const char *name,
	enum poly_type type, const struct poly_loc *loc);
/* Is "v" what the function returns? A variable like others, but for its name. */
bool fe_c_is_result(const struct fe_c_var *v);
/* The variable that is, or NULL. */
struct fe_c_var *fe_c_result(const struct fe_c_unit *c);

/* -------------------------------------------------------------- c_expr.c */

/* An expression without assignments; NULL, having reported why. */
struct fe_c_expr *fe_c_expression(struct fe_c_parse *p);
struct fe_c_expr *fe_c_unary(struct fe_c_parse *p);
/* Operators that bind as tightly as "*". */
struct fe_c_expr *fe_c_term(struct fe_c_parse *p);
struct fe_c_expr *fe_c_binary(struct fe_c_parse *p, enum poly_op op,
	const struct poly_loc *loc, struct fe_c_expr *a, struct fe_c_expr *b);
struct fe_c_expr *fe_c_convert(struct fe_c_parse *p, enum poly_type type,
	struct fe_c_expr *e);
struct fe_c_expr *fe_c_int(struct fe_c_parse *p, enum poly_type type,
	int64_t bits, const struct poly_loc *loc);
/* A new node without arguments, in the unit's arena. */
struct fe_c_expr *fe_c_make(struct fe_unit *u, enum fe_c_kind kind,
	enum poly_type type, const struct poly_loc *loc);
struct fe_c_expr *fe_c_node(struct fe_c_parse *p, enum fe_c_kind kind,
	enum poly_type type, const struct poly_loc *loc);
/* Does "e" read the variable "v", by itself or through another name? */
bool fe_c_reads(const struct fe_c_expr *e, const struct fe_c_var *v);
/* The value of an integer constant expression, in which other names of constants
 * count as these.
 */
bool fe_c_constant(const struct fe_c_expr *e, int64_t *value);
/* What is left of "e" without the conversions around it. */
const struct fe_c_expr *fe_c_without_casts(const struct fe_c_expr *e);
bool fe_c_is_zero(const struct fe_c_expr *e);
/* The value of "v", which has no dimensions. */
struct fe_c_expr *fe_c_scalar(struct fe_c_parse *p, struct fe_c_var *v,
	const struct poly_loc *loc);
bool fe_c_same(const struct fe_c_expr *a, const struct fe_c_expr *b);

/* ---------------------------------------------------------- c_old_style.c */

/* The body of the function whose names of parameters are behind "open", if their
 * types follow, as in "f(n) int n; {"; else NULL.
 */
const struct fe_c_token *fe_c_old_style(const struct fe_c_token *open);
/* The parameters of such a function as in a prototype, up to its ")". */
const struct fe_c_token *fe_c_new_style(struct fe_unit *u,
	const struct fe_c_token *open, const struct fe_c_token *body);

/* ------------------------------------------------------------- c_struct.c */

/* A member: "at" is its first scalar, "field" the first of those that are no
 * structures. "name" is not NULL.
 */
struct fe_c_member {
	struct fe_c_member *next;
	const char *name;
	enum poly_type type;
	const struct fe_c_struct *inner;	/* NULL: numbers */
	int n_dim;
	struct fe_c_expr *dim[FE_C_MAX_RANK];
	int64_t at, byte;
	int field;
};
/* A structure of "n" scalars: of "type", or of several types. "size" and "align"
 * are those of C, where numbers are aligned to their sizes.
 */
struct fe_c_struct {
	const char *name;
	struct fe_c_member *first, **last;
	int64_t n, size, align;
	int n_field;
	enum poly_type type;
	bool is_mixed;
	const char *bad;	/* why it cannot be used, or NULL */
};
/* A declarator inside of a structure; "name" may be NULL. */
struct fe_c_member_text {
	const struct fe_c_token *name;
	enum poly_type type;
	const struct fe_c_struct *st;
	int n_dim;
	struct fe_c_expr *dim[FE_C_MAX_RANK];
	const char *bad;
};
/* The type at "struct"; NULL if it has neither name nor members. */
const struct fe_c_struct *fe_c_struct_type(struct fe_c_parse *p);
/* The structure of the name "tag", or NULL. */
const struct fe_c_struct *fe_c_known_tag(struct fe_c_parse *p,
	const struct fe_c_token *tag);
/* The member that the token names; NULL, having reported that there is none. */
const struct fe_c_member *fe_c_named_member(struct fe_c_parse *p,
	const struct fe_c_struct *s);
/* True if an attribute in [t, end) may change sizes or alignments. */
bool fe_c_changes_layout(const struct fe_c_token *t,
	const struct fe_c_token *end);
/* Call "add" for each declarator up to ";"; in c_decl.c. */
void fe_c_member_declaration(struct fe_c_parse *p, struct fe_c_struct *s,
	void (*add)(struct fe_c_parse *p, struct fe_c_struct *s,
	const struct fe_c_member_text *m));

/* ------------------------------------------------------------- c_object.c */

/* A structure, or an array of these, of which each member is a variable. */
struct fe_c_object {
	const char *name;
	struct poly_loc loc;
	struct fe_c_var **field;
	int n_field;
	const struct fe_c_struct *st;
};
/* Of field "i" of "s": how many scalars a structure has, and where they are in
 * it, in the order of the field's array; NULL: more than FE_C_MAX_FIELDS.
 */
const int64_t *fe_c_offsets(struct fe_unit *u, const struct fe_c_struct *s,
	int i, int64_t *n);
/* Assignments at "loc"; "declares": to what is declared there. */
struct fe_c_list {
	struct poly_loc loc;
	bool declares;
	struct fe_c_stmt **last;
	int n;
};
/* A new object of the extents "dim", which is not bound to its name. */
struct fe_c_view *fe_c_new_object(struct fe_c_parse *p,
	const struct fe_c_struct *s, const struct fe_c_token *name, int n_dim,
	struct fe_c_expr *const *dim);
/* Add "to" = "from", of the same structure; "from" may be NULL, which is 0. */
void fe_c_copy(struct fe_c_parse *p, const struct fe_c_view *to,
	const struct fe_c_view *from, struct fe_c_list *l);
/* Add what the initialiser at "p->t" gives to "v". */
void fe_c_initialise(struct fe_c_parse *p, const struct fe_c_view *v,
	struct fe_c_list *l);
/* How many values stand in the braces, not counting inner ones. */
int64_t fe_c_count_values(const struct fe_c_token *open);
/* A value of the structure "s": an object, a call, a literal. */
bool fe_c_structure(struct fe_c_parse *p, const struct fe_c_struct *s,
	struct fe_c_view *view);
/* "to" = the structure at "p->t"; NULL, having reported why. */
struct fe_c_stmt *fe_c_copied(struct fe_c_parse *p, struct fe_c_view *to);

/* -------------------------------------------------------------- c_place.c */

/* A pointer: "a", "a[i]", "&a[i][j]", "a + k", "(float (*)[n])a". False, having
 * reported why.
 */
bool fe_c_view(struct fe_c_parse *p, struct fe_c_view *view);
/* The same without "+" and "-". */
bool fe_c_operand(struct fe_c_parse *p, struct fe_c_view *view);
/* How many subscripts lead from the view to an element, or structure. */
int fe_c_remaining(const struct fe_c_view *v);
/* The extent that the next subscript has if that is a constant, or 0. */
int64_t fe_c_view_extent(const struct fe_c_view *v);
/* "v[k]" */
bool fe_c_view_at(struct fe_c_parse *p, struct fe_c_view *v, int64_t k,
	const struct poly_loc *loc);
/* "v.m" */
bool fe_c_select(struct fe_c_parse *p, struct fe_c_view *v,
	const struct fe_c_member *m, const struct poly_loc *loc);
/* The number that "v" is; NULL, having reported why. */
struct fe_c_expr *fe_c_element(struct fe_c_parse *p,
	const struct fe_c_view *v, const struct poly_loc *loc);
/* See what is left of "view" in the dimensions of "shape". */
bool fe_c_reshape(struct fe_c_parse *p, struct fe_c_view *view,
	const struct fe_c_shape *shape, const struct poly_loc *loc);
/* Does an element begin with the bracket "t"? */
bool fe_c_is_place(const struct fe_c_token *t);
/* An element of an array, or a scalar; NULL, having reported why. */
struct fe_c_expr *fe_c_place(struct fe_c_parse *p);

/* ------------------------------------------------------------- c_inline.c */

/* The function of "list" that is nearest to what "s" asks for, or NULL. */
const char *fe_c_nearest_function(struct fe_unit *u, struct fe_suggest *s,
	const struct fe_c_function *list);
/* Does the token name the function that is compiled? */
bool fe_c_is_itself(const struct fe_c_parse *p, const struct fe_c_token *t);
/* The function of the file that the token names, or NULL. */
const struct fe_c_function *fe_c_defined(struct fe_c_parse *p,
	const struct fe_c_token *t);
/* At "name(arguments)": what the function "f" returns, with its text in the
 * place of the call. What it does beyond an expression becomes pending. NULL
 * if it returns nothing, or having reported why it cannot be done.
 */
struct fe_c_expr *fe_c_inline(struct fe_c_parse *p,
	const struct fe_c_function *f);
/* The same of one that returns a structure; false, having reported why. */
bool fe_c_inline_struct(struct fe_c_parse *p, const struct fe_c_function *f,
	struct fe_c_view *view);
bool fe_c_returns_struct(struct fe_c_parse *p, const struct fe_c_function *f);
/* Keep whatever may change in "view", under "name". */
void fe_c_settle_view(struct fe_c_parse *p, const struct fe_c_token *name,
	struct fe_c_view *view);
/* "s" runs before the statement that is parsed. */
void fe_c_add_pending(struct fe_c_parse *p, struct fe_c_stmt *s);
/* True if the value of "e" stays what it is. */
bool fe_c_is_stable(struct fe_c_parse *p, const struct fe_c_expr *e);
/* True if the text of [t, end) changes the variable "name". */
bool fe_c_is_changed(const struct fe_c_token *t, const struct fe_c_token *end,
	const struct fe_c_token *name);

/* ------------------------------------------------------------ c_literal.c */

/* The constant that the token is, or NULL, having reported why. */
struct fe_c_expr *fe_c_literal(struct fe_c_parse *p);

/* ------------------------------------------------------------- c_number.c */

/* "x" as a value of the integer type "t", sign or zero extended. */
int64_t fe_c_wrap(enum poly_type t, int64_t x);
/* "op" on values of the integer type "t". */
int64_t fe_c_apply(enum poly_op op, enum poly_type t, int64_t a, int64_t b);

/* ------------------------------------------------------------- c_math.c */

/* True if "name" is a function of C's library that has a meaning here. */
bool fe_c_knows(const struct fe_c_token *name);
/* The call of the function "name"; "n" arguments. NULL, having reported why. */
struct fe_c_expr *fe_c_call(struct fe_c_parse *p,
	const struct fe_c_token *name, struct fe_c_expr **arg, int n,
	const struct poly_loc *loc);

/* ------------------------------------------------------------- c_change.c */

/* May a variable be changed inside of the expression that is parsed? */
bool fe_c_can_change(const struct fe_c_parse *p);
/* The value of "e", which the operator at "op" changes, in front of it or not;
 * NULL, having reported why.
 */
struct fe_c_expr *fe_c_change(struct fe_c_parse *p, struct fe_c_expr *e,
	const struct fe_c_token *op, bool before);
/* What runs in front of a choice by "*cond", which then is a variable, if
 * something changes in it.
 */
struct fe_c_stmt *fe_c_choose(struct fe_c_parse *p, struct fe_c_expr **cond,
	const struct fe_c_changes *c);
/* The assignments "s" with the changes in them in front and behind. */
struct fe_c_stmt *fe_c_changed(struct fe_c_parse *p, struct fe_c_stmt *s,
	const struct fe_c_changes *c);
/* The change in the condition of "loop" becomes the first of "*steps"; of the
 * list "init" the variable begins otherwise, and is perhaps another, whose
 * value "*behind" gives it behind the loop. False, having reported why.
 */
bool fe_c_count(struct fe_c_parse *p, struct fe_c_stmt *loop,
	struct fe_c_stmt *init, struct fe_c_stmt **steps,
	struct fe_c_stmt **behind, const struct fe_c_changes *c);

/* -------------------------------------------------------------- c_stmt.c */

/* "left = right", converted; NULL, having reported why. */
struct fe_c_stmt *fe_c_assign(struct fe_c_parse *p, struct fe_c_expr *left,
	struct fe_c_expr *right);
/* A statement, behind what must run before it. */
struct fe_c_stmt *fe_c_statement(struct fe_c_parse *p);
struct fe_c_stmt *fe_c_new_stmt(struct fe_c_parse *p,
	enum fe_c_stmt_kind kind, const struct poly_loc *loc);

/* -------------------------------------------------------------- c_jump.c */

/* Statements up to "}" or the end of the region. */
struct fe_c_stmt *fe_c_statements(struct fe_c_parse *p);
/* Add to "ends" how the list at "list", which has just been read, ends. */
void fe_c_list_end(struct fe_c_parse *p, struct fe_c_ends *ends,
	struct fe_c_stmt **list);
/* By the word "at" nothing of the list runs any more. */
void fe_c_leaves(struct fe_c_parse *p, const struct fe_c_token *at);
/* Behind the body of a loop: ways that lead right behind the loop, if that stands in
 * a list, break it; others must not leave it.
 */
void fe_c_end_loop(struct fe_c_parse *p, struct fe_c_stmt *loop,
	struct fe_c_stmt *body, bool in_list);
/* Report the ways that lead to labels of lists that have been read. */
void fe_c_check_jumps(struct fe_c_parse *p);
/* "continue;" or "break;"; "goto L;". */
struct fe_c_stmt *fe_c_jump(struct fe_c_parse *p);
struct fe_c_stmt *fe_c_goto(struct fe_c_parse *p);
/* A way at the end of "list", where the names are those that are known now. */
struct fe_c_end *fe_c_new_end(struct fe_c_parse *p, struct fe_c_stmt **list);
void fe_c_add_end(struct fe_c_end **last, struct fe_c_end *e);
/* Read the list at "p->t" for all ways of "p->ends", which lead into it, up to
 * "end".
 */
void fe_c_follow_body(struct fe_c_parse *p, const struct fe_c_token *end);
/* Behind the token, from which it goes on in the same list. */
const struct fe_c_token *fe_c_step_over(const struct fe_c_token *t);
/* May a statement of the list begin behind the token? */
bool fe_c_is_between(const struct fe_c_token *t);

/* ------------------------------------------------------------ c_switch.c */

/* "switch (e) { .. }" */
struct fe_c_stmt *fe_c_switch(struct fe_c_parse *p);
bool fe_c_is_case(const struct fe_c_token *t);
/* Past the label at "p->t"; the value of a case, or NULL. */
struct fe_c_expr *fe_c_case_label(struct fe_c_parse *p);

/* -------------------------------------------------------------- c_file.c */

/* Find the function "function" (NULL: the one that is meant) and parse it. */
void fe_c_file(struct fe_unit *u, const struct fe_c_token *token,
	const struct fe_c_source *src);

/* ------------------------------------------------------------- c_check.c */

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
/* True if a BREAK of the loop around stands under the condition "s". */
bool fe_c_may_break(const struct fe_c_stmt *s);
/* True if "e" is a condition on such functions. */
bool fe_c_affine_cond(const struct fe_c_expr *e, bool any);
/* True if "e" has a quotient or a remainder. As a condition that is affine it may
 * then be asked at each point instead of cutting the domain (c_lower.c).
 */
bool fe_c_divides(const struct fe_c_expr *e);

/* ------------------------------------------------------------ c_scatter.c */

/* Writes to elements whose number is data become loops over elements. */
void fe_c_scatter(struct fe_unit *u);

/* ------------------------------------------------------------ c_written.c */

/* Keep the nest as it stands in the text. */
void fe_c_written(struct fe_unit *u);

/* ------------------------------------------------------------ c_forward.c */

/* The step of the loop is no constant. */
#define FE_C_BAD_STEP	"its step is not a constant other than 0"
/* Put the values of integers that follow the loops in the place of reads, and
 * find the steps of loops.
 */
void fe_c_forward(struct fe_unit *u);

/* -------------------------------------------------------------- c_dead.c */

/* Drop what nothing reads, and put constants in the place of variables. */
void fe_c_dead(struct fe_unit *u);

/* -------------------------------------------------------- c_remainder.c */

/* Replace remainders of loop variables by sizes that are affine. */
void fe_c_remainder(struct fe_unit *u);

/* -------------------------------------------------------------- c_live.c */

/* Sets of variables, by their ids: a copy of "set", of nothing if that is NULL; and
 * what is in "other" into "set", too.
 */
bool *fe_c_set_copy(struct fe_unit *u, const bool *set);
void fe_c_set_add(const struct fe_unit *u, bool *set, const bool *other);
/* Find the assignments that need not keep what was there. */
void fe_c_live(struct fe_unit *u);
/* Does a statement of the list declare "v"? */
bool fe_c_is_born_in(const struct fe_c_stmt *list, const struct fe_c_var *v);

/* ------------------------------------------------------------- c_linear.c */

/* True if the integer "e" is a sum of products of affine values. */
bool fe_c_polynomial(struct fe_unit *u, const struct fe_c_expr *e);
/* Give arrays of one dimension the dimensions that their subscripts show. */
void fe_c_linear(struct fe_unit *u);

/* ------------------------------------------------------------- c_affine.c */

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

/* -------------------------------------------------------------- c_loop.c */

/* The place inside the loop "s" that stands at "at"; its domain is the
 * caller's.
 */
struct fe_c_place fe_c_enter_loop(struct fe_c_lower *lw,
	const struct fe_c_place *at, const struct fe_c_stmt *s);
/* Weigh the needs met since the last call, on "domain". */
void fe_c_settle(struct fe_c_lower *lw, __isl_keep isl_set *domain);

/* ------------------------------------------------------------- c_value.c */

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
	int doubts;	/* conditions around what is being lowered */
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

/* ------------------------------------------------------------- c_lower.c */

/* If "s" is x = x op e, and e does not read the variable: e and op. */
const struct fe_c_expr *fe_c_update(const struct fe_c_stmt *s,
	enum poly_op *op);

struct poly_prog *fe_c_lower(const struct fe_unit *u, isl_ctx *ctx,
	struct poly_report *report, bool quiet);
/* Add the nest to "prog", whose arrays have the sizes "params". "array" are those of
 * its parameters, by id of the variable. The order of what is added, or NULL.
 */
__isl_give isl_schedule *fe_c_lower_into(const struct fe_unit *u,
	struct poly_prog *prog, __isl_take isl_space *params,
	struct poly_array *const *array);

/* ----------------------------------------------------------- c_program.c */

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

/* ------------------------------------------------------------- c_roles.c */

/* Lower once to find out which arrays come in and which go out. */
void fe_c_roles(struct fe_unit *u);

/* ------------------------------------------------------------- c_interp.c */

/* The nest executed as it stands; see fe_interp_* in frontend.h. */
struct fe_c_interp;
struct fe_work;
struct fe_c_interp *fe_c_interp_alloc(const struct fe_unit *u,
	const int64_t *param, struct fe_work *work);
struct fe_c_interp *fe_c_interp_free(struct fe_c_interp *in);
bool fe_c_interp_set_input(struct fe_c_interp *in, const char *name,
	const void *data);
int fe_c_interp_shape(struct fe_c_interp *in, const char *name,
	int64_t dim[FE_MAX_DIM]);
bool fe_c_interp_eval(struct fe_c_interp *in, const char *name,
	const int64_t *index, struct fe_value *v);
double fe_c_interp_cost(struct fe_c_interp *in);
/* May the nest be executed? If not, "spent" says so. */
bool fe_c_interp_affords(struct fe_c_interp *in);
/* For one that is a part of another program: forget what was executed, set
 * element "at" of the variable "v", execute, get it.
 */
struct fe_number;
void fe_c_interp_begin(struct fe_c_interp *in);
bool fe_c_interp_put(struct fe_c_interp *in, const struct fe_c_var *v,
	int64_t at, const struct fe_number *x);
bool fe_c_interp_run(struct fe_c_interp *in);
struct fe_number fe_c_interp_get(struct fe_c_interp *in,
	const struct fe_c_var *v, int64_t at);

#endif
