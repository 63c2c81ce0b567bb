/* Calls of functions that the file defines: what c_inline.c and c_argument.c share. */
#ifndef FRONTEND_C_CALL_READ_H
#define FRONTEND_C_CALL_READ_H

#include "frontend/c/read/read.h"

/* A parameter of the function that is called, and what it is given.
 *
 * Tokens are those of the function's text.
 */
struct fe_c_argument {
	const struct fe_c_token *begin, *end, *name;
	bool is_pointer, is_void;
	enum poly_type type;
	const struct fe_c_struct *st;	/* NULL: a number */
	const char *bad;
	struct fe_c_expr *value;
	struct fe_c_view *view;
};
/* Parameters of a function, as many as C11 has every compiler take. */
enum { MAX_PARAM = 127 };
/* A call of "f", which begins at "at". */
struct fe_c_call {
	const struct fe_c_function *f;
	const struct fe_c_token *at;
	struct fe_c_argument param[MAX_PARAM];
	int n;
	bool is_void;
	enum poly_type type;
	const struct fe_c_struct *st;	/* that it returns, or NULL */
	struct fe_c_view *result;	/* which is there then */
};

void fe_c_refuse_call(struct fe_c_parse *p, const struct fe_c_call *c, const char *why);
/* The parameters of the function, as tokens.
 *
 * Nothing is parsed yet: types are read in the scope of the file, arguments in
 * that of the caller.
 */
bool fe_c_find_params(struct fe_c_parse *p, struct fe_c_call *c);
/* Read the type of the parameter "a" where it is declared, with the names of
 * the file; "p" stays where it is. False, having reported that it is nothing
 * that can be passed.
 */
bool fe_c_param_type(struct fe_c_parse *p, struct fe_c_call *c, struct fe_c_argument *a);
/* From behind "name(" to behind ")". */
bool fe_c_call_arguments(struct fe_c_parse *p, struct fe_c_call *c);

#endif
