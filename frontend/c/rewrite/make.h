/* Parts of a tree that rewrites make (c_make.c). */
#ifndef FRONTEND_C_REWRITE_MAKE_H
#define FRONTEND_C_REWRITE_MAKE_H

#include "frontend/c/tree/tree.h"

/* What is made is the unit's, in its arena, and stands at "loc" for messages. What is
 * given becomes a part of it, and is not copied unless a function says so.
 */
struct fe_c_maker {
	struct fe_unit *u;
	const struct poly_loc *loc;
};
/* A node with up to two arguments; NULL: it has fewer. */
struct fe_c_expr *fe_c_make_node(const struct fe_c_maker *m,
	enum fe_c_kind kind, enum poly_type type, struct fe_c_expr *a,
	struct fe_c_expr *b);
/* "a op b", or "op a". */
struct fe_c_expr *fe_c_make_op(const struct fe_c_maker *m, enum poly_op op,
	enum poly_type type, struct fe_c_expr *a, struct fe_c_expr *b);
/* "cond ? a : b", of the type of "a". */
struct fe_c_expr *fe_c_make_choice(const struct fe_c_maker *m,
	struct fe_c_expr *cond, struct fe_c_expr *a, struct fe_c_expr *b);
/* The value of the scalar "v". */
struct fe_c_expr *fe_c_make_read(const struct fe_c_maker *m, struct fe_c_var *v);
/* The element of "v", of one dimension, at "index". */
struct fe_c_expr *fe_c_make_element(const struct fe_c_maker *m,
	struct fe_c_var *v, struct fe_c_expr *index);
/* An integer constant: "bits" is sign or zero extended from "type". */
struct fe_c_expr *fe_c_make_int(const struct fe_c_maker *m, enum poly_type type,
	int64_t bits);
/* "e" as a value of "type": itself if it is one. */
struct fe_c_expr *fe_c_make_cast(const struct fe_c_maker *m, enum poly_type type,
	struct fe_c_expr *e);
/* An empty statement before "next". */
struct fe_c_stmt *fe_c_make_stmt(const struct fe_c_maker *m,
	enum fe_c_stmt_kind kind, struct fe_c_stmt *next);
/* "left" = "e", converted, before "next"; "left" is copied. */
struct fe_c_stmt *fe_c_make_assign(const struct fe_c_maker *m,
	const struct fe_c_expr *left, struct fe_c_expr *e,
	struct fe_c_stmt *next);
/* The head of the loop "from", copied, around "body" alone, before "next". */
struct fe_c_stmt *fe_c_make_loop(const struct fe_c_maker *m,
	const struct fe_c_stmt *from, struct fe_c_stmt *body,
	struct fe_c_stmt *next);
/* A new local scalar without a value; its name need not be free. */
struct fe_c_var *fe_c_make_var(const struct fe_c_maker *m, const char *name,
	enum poly_type type);

#endif
