/* frontend/c/read: what a declaration is made of, for the files that read one. */
#ifndef FRONTEND_C_DECL_H
#define FRONTEND_C_DECL_H

#include <stdbool.h>
#include <stdint.h>

#include "frontend/c/read/read.h"

/* What stands in front of declarators. */
struct fe_c_specifiers {
	bool is_const, is_typedef, is_static, is_extern, is_void;
	bool is_odd;	/* an attribute changes the layout */
	enum poly_type type;
	const struct fe_c_struct *st;	/* NULL: numbers */
	const char *bad;
};

/* What a declarator says. */
struct fe_c_declarator {
	const struct fe_c_token *name;	/* or NULL */
	int n_pointer, n_dim;
	struct fe_c_expr *dim[FE_C_MAX_RANK];
	const char *bad;
};


/* --------------------------------------------------------------- c_type.c */

/* All words in front of the first declarator; false if there are none. */
bool fe_c_specifiers(struct fe_c_parse *p, struct fe_c_specifiers *s);
void fe_c_declarator(struct fe_c_parse *p, struct fe_c_declarator *d);
/* Why a variable that is declared so cannot be used, or NULL. A single pointer
 * becomes an array.
 */
const char *fe_c_judge(const struct fe_c_specifiers *s,
	struct fe_c_declarator *d);

/* ------------------------------------------------------------ c_initial.c */

/* The statements of initialisers; "at" is the element that comes next. */
struct fe_c_elements {
	struct fe_c_stmt *first, **last;
	int64_t at[FE_C_MAX_RANK];
	int n;
};
/* Is it a structure that is several variables? */
bool fe_c_is_object(const struct fe_c_name *n);
/* The value behind "=" of "v", which is declared inside; of the structure "n",
 * which is several variables; and of "n", or "v", outside.
 */
void fe_c_initialiser(struct fe_c_parse *p, struct fe_c_var *v,
	struct fe_c_elements *el);
void fe_c_struct_initialiser(struct fe_c_parse *p,
	const struct fe_c_name *n, const struct fe_c_declarator *d,
	bool is_const, struct fe_c_elements *el);
void fe_c_outer_initialiser(struct fe_c_parse *p, struct fe_c_name *n,
	struct fe_c_var *v);

#endif
