/* frontend/index: nests beside definitions, and calls of them; grouped by file. */
#ifndef FRONTEND_INDEX_CALL_H
#define FRONTEND_INDEX_CALL_H

#include <stdbool.h>

#include "frontend/index/index.h"

struct fe_c_param;	/* c/read/tree.h */
struct fe_c_var;

/* A nest that stands beside definitions; "alone" is it by itself. */
struct fe_nest {
	struct fe_nest *next;
	struct fe_symbol *symbol;
	struct poly_loc loc;
	struct fe_unit *alone;		/* NULL: not read yet, or it had errors */
	bool called;
};
/* What a call gives a parameter: a version of an array; or a value, which is
 * "form", or "number" if that is NULL. "to" is the version that the call makes of
 * an array, if it changes it.
 */
struct fe_arg {
	struct fe_arg *next;
	struct fe_scalar *value;	/* as written */
	const struct fe_c_param *formal;
	struct fe_tensor *from, *to;
	struct fe_bound *form;
	double number;
	struct fe_c_var *var;		/* in the call's unit: the array */
};
/* A call. "unit" is the nest for what the call gives it; size[i] is what it has for
 * the program's size "i".
 */
struct fe_call {
	struct fe_call *next;
	struct fe_nest *nest;
	struct poly_loc loc;
	int order;			/* of the item in the text */
	struct fe_arg *arg;
	int n_arg;
	bool ready;			/* what it reads is known */
	bool broken;
	struct fe_unit *unit;
	struct fe_c_var **size;
};

/* ---------------------------------------------------------------- call.c */

/* The version of "t" that item "order" of the text reads. */
struct fe_tensor *fe_version(struct fe_tensor *t, int order);
/* Read the nests, find what calls read and which versions they make. */
void fe_calls_declare(struct fe_unit *u);
/* The same for the matrices of calls up to item "order", whose text has been
 * followed.
 */
void fe_calls_follow(struct fe_unit *u, int order);
/* Which versions stand where the ones before them stood. */
void fe_calls_place(struct fe_unit *u);

/* ---------------------------------------------------------- call_check.c */

/* Check what the call is given, and find what it makes. */
void fe_call_check(struct fe_unit *u, struct fe_call *c);
/* Report that the argument is not what the nest takes. */
void fe_call_report_type(struct fe_unit *u, const struct fe_call *c,
	const struct fe_arg *a);
/* The extent of the index "i"; NULL if it does not run from 0. */
struct fe_bound *fe_call_extent(struct fe_unit *u, const struct fe_index *i);

/* ----------------------------------------------------------- call_nest.c */

/* Read the nest for what the call gives it; "size" has, by the number of a variable
 * of the nest alone, what it is if it is a size. False, having reported what is
 * wrong.
 */
bool fe_call_read(struct fe_unit *u, struct fe_call *c,
	struct fe_bound *const *size);
/* The number of the program's size that "v" of the call's unit is. */
int fe_call_size(const struct fe_call *c, const struct fe_c_var *v);
/* Give the sizes of the call the names of the program's. */
void fe_call_name_sizes(const struct fe_unit *u, struct fe_call *c);

#endif
