/* frontend/c/read: preprocessed C to a tree; grouped by file.
 *
 * Text becomes tokens (c_lex.c); a scan of the file finds the function (c_file.c);
 * its declarations (c_decl.c), statements (c_stmt.c) and expressions (c_expr.c)
 * become the tree (tree.h).
 */
#ifndef FRONTEND_C_READ_H
#define FRONTEND_C_READ_H

#include <stdbool.h>
#include <stdint.h>

#include "frontend/c/tree/tree.h"

struct fe_c_parse;

/* --------------------------------------------------------------- c_entry.c */

/* Keep the text of the prototype, while the names of types are known. */
void fe_c_prototype(struct fe_c_parse *p);
/* Describe how the function is called; reports what stands in the way. */
void fe_c_entry(struct fe_unit *u);

/* --------------------------------------------------------------- c_parse.c */

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
	const struct fe_how *src;
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
/* Report once a statement, and once a place. */
#define FE_C_ERROR(p, id, loc, ...) \
	do { \
		if (!(p)->quiet && !(p)->bad && !((p)->n_inline && \
		    fe_is_told((p)->u->report, MSG_##id, (loc)))) \
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

/* ---------------------------------------------------------------- c_decl.c */

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

/* ---------------------------------------------------------------- c_expr.c */

/* An expression without assignments; NULL, having reported why. */
struct fe_c_expr *fe_c_expression(struct fe_c_parse *p);
struct fe_c_expr *fe_c_unary(struct fe_c_parse *p);
/* Operators that bind as tightly as "*". */
struct fe_c_expr *fe_c_term(struct fe_c_parse *p);
struct fe_c_expr *fe_c_binary(struct fe_c_parse *p, enum poly_op op,
	const struct poly_loc *loc, struct fe_c_expr *a, struct fe_c_expr *b);
struct fe_c_expr *fe_c_convert(struct fe_c_parse *p, enum poly_type type,
	struct fe_c_expr *e);
struct fe_c_expr *fe_c_node(struct fe_c_parse *p, enum fe_c_kind kind,
	enum poly_type type, const struct poly_loc *loc);
/* The value of "v", which has no dimensions. */
struct fe_c_expr *fe_c_scalar(struct fe_c_parse *p, struct fe_c_var *v,
	const struct poly_loc *loc);

/* --------------------------------------------------------------- c_limit.c */

/* Do what pragmas in the text of "f" say that arrays hold. */
void fe_c_limits(struct fe_c_parse *p, const struct fe_c_function *f);

/* --------------------------------------------------------------- c_while.c */

/* The tokens with loops by "while" and "do" that count as "for" has them. */
struct fe_c_token *fe_c_counted(struct fe_unit *u, struct fe_c_token *token);

/* ----------------------------------------------------------- c_old_style.c */

/* The body of the function whose names of parameters are behind "open", if their
 * types follow, as in "f(n) int n; {"; else NULL.
 */
const struct fe_c_token *fe_c_old_style(const struct fe_c_token *open);
/* The parameters of such a function as in a prototype, up to its ")". */
const struct fe_c_token *fe_c_new_style(struct fe_unit *u,
	const struct fe_c_token *open, const struct fe_c_token *body);

/* -------------------------------------------------------------- c_struct.c */

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

/* -------------------------------------------------------------- c_object.c */

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

/* --------------------------------------------------------------- c_place.c */

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

/* -------------------------------------------------------------- c_inline.c */

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
/* What a caller gives a parameter: a number, or the array "var". */
struct fe_c_given {
	struct fe_c_expr *value;
	struct fe_c_var *var;
};
/* Who calls a function of "n" parameters from another notation, at "loc". "give"
 * adds the variables outside to the unit, and fills in what each parameter gets.
 */
struct fe_c_caller {
	const struct poly_loc *loc;
	int n;
	void (*give)(struct fe_c_parse *p, struct fe_c_given *given, void *user);
	void *user;
};
/* The statements of "f", which returns nothing, as the call at the name "at" runs
 * them; NULL, having reported why not.
 */
struct fe_c_stmt *fe_c_run_given(struct fe_c_parse *p,
	const struct fe_c_function *f, const struct fe_c_token *at,
	const struct fe_c_given *given, int n);

/* -------------------------------------------------------------- c_stable.c */

/* True if the value of "e" stays what it is. */
bool fe_c_is_stable(struct fe_c_parse *p, const struct fe_c_expr *e);
/* True if the text of [t, end) changes the variable "name". */
bool fe_c_is_changed(const struct fe_c_token *t, const struct fe_c_token *end,
	const struct fe_c_token *name);
/* Does the token assign? */
bool fe_c_is_effect(const struct fe_c_token *t);
bool fe_c_same_name(const struct fe_c_token *a, const struct fe_c_token *b);

/* ------------------------------------------------------------- c_literal.c */

/* The constant that the token is, or NULL, having reported why. */
struct fe_c_expr *fe_c_literal(struct fe_c_parse *p);

/* ---------------------------------------------------------------- c_math.c */

/* True if "name" is a function of C's library that has a meaning here. */
bool fe_c_knows(const struct fe_c_token *name);
/* May its argument be text, which says nothing: is it nan? */
bool fe_c_takes_text(const struct fe_c_token *name);
/* Report that a function has "want" arguments and not "n"; NULL. */
struct fe_c_expr *fe_c_miscounted(struct fe_c_parse *p,
	const struct fe_c_token *name, const struct poly_loc *loc, int want,
	int n);
/* The call of the function "name"; "n" arguments. NULL, having reported why. */
struct fe_c_expr *fe_c_call(struct fe_c_parse *p,
	const struct fe_c_token *name, struct fe_c_expr **arg, int n,
	const struct poly_loc *loc);

/* -------------------------------------------------------------- c_random.c */

/* Is "name" that of a random number? */
bool fe_c_is_random(const struct fe_c_token *name);
/* The number that it says of "n" arguments, or NULL, having reported. */
struct fe_c_expr *fe_c_random(struct fe_c_parse *p,
	const struct fe_c_token *name, struct fe_c_expr **arg, int n,
	const struct poly_loc *loc);

/* -------------------------------------------------------------- c_change.c */

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

/* ---------------------------------------------------------------- c_stmt.c */

/* "left = right", converted; NULL, having reported why. */
struct fe_c_stmt *fe_c_assign(struct fe_c_parse *p, struct fe_c_expr *left,
	struct fe_c_expr *right);
/* A statement, behind what must run before it. */
struct fe_c_stmt *fe_c_statement(struct fe_c_parse *p);
struct fe_c_stmt *fe_c_new_stmt(struct fe_c_parse *p,
	enum fe_c_stmt_kind kind, const struct poly_loc *loc);

/* What c_for.c needs of statements. */
/* "left op right" and its assignment. */
struct fe_c_stmt *fe_c_update_of(struct fe_c_parse *p, enum poly_op op,
	const struct poly_loc *loc, struct fe_c_expr *left,
	struct fe_c_expr *right);
/* The same, and what its subscripts change.
 *
 * a[i++] = x: what a subscript changes is a statement before or behind.
 */
struct fe_c_stmt *fe_c_assignment(struct fe_c_parse *p);
/* Assignments that commas join, up to ";".
 *
 * Commas outside of brackets are the end of one statement here.
 */
struct fe_c_stmt *fe_c_assignments(struct fe_c_parse *p);
/* The statement that a loop or condition runs, as a block of its own.
 *
 * "in_list" tells whether another statement may follow in the same list.
 */
struct fe_c_stmt *fe_c_body(struct fe_c_parse *p);
/* The token behind the statement at "t", with its "else" if it has one.
 *
 * Nested if and for are followed, as their last statement ends them.
 */
const struct fe_c_token *fe_c_behind(const struct fe_c_token *t);

/* ----------------------------------------------------------------- c_for.c */

/* With more than one variable the others begin in front of the loop, and
 * change at the end of its body.
 *
 * A loop without an end would never finish: a constant condition needs a break.
 */
struct fe_c_stmt *fe_c_loop(struct fe_c_parse *p);

/* ---------------------------------------------------------------- c_jump.c */

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

/* -------------------------------------------------------------- c_switch.c */

/* "switch (e) { .. }" */
struct fe_c_stmt *fe_c_switch(struct fe_c_parse *p);
bool fe_c_is_case(const struct fe_c_token *t);
/* Past the label at "p->t"; the value of a case, or NULL. */
struct fe_c_expr *fe_c_case_label(struct fe_c_parse *p);

/* -------------------------------------------------------------- c_region.c */

/* Parse the region of "f". What stands in front of it is read without a word
 * about what cannot be used; by their names in the text it is known which of
 * these variables come in and go out.
 */
void fe_c_parse_region(struct fe_c_parse *p, const struct fe_c_function *f,
	const struct fe_c_var *globals);
/* Parse the whole body of "f", which has no region. */
void fe_c_parse_body(struct fe_c_parse *p, const struct fe_c_function *f);

/* ---------------------------------------------------------------- c_file.c */

/* Find the function "function" (NULL: the one that is meant) and parse it. */
void fe_c_file(struct fe_unit *u, const struct fe_c_token *token,
	const struct fe_how *src);

#endif
