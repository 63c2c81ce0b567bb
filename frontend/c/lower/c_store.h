/* frontend: what the variables of a C nest hold while it is executed
 * (c_store.c).
 */
#ifndef FRONTEND_C_STORE_H
#define FRONTEND_C_STORE_H

#include "frontend/c/tree/tree.h"
#include "frontend/base/value.h"

struct fe_c_trace;
struct fe_c_store {
	void *data;		/* elements, row-major */
	const void *input;	/* what it holds in the beginning, or NULL */
	int64_t dim[FE_C_MAX_RANK];
	int64_t n;
	int64_t scalar;		/* of sizes and loop variables */
	bool counts;		/* it is the variable of a loop */
	struct fe_c_trace *trace;	/* of each element; NULL: all exact */
	bool lost;	/* some element was written, it is not known which; or "scalar" is
			 * in doubt */
	bool ring;	/* floats are elements of the ring */
};
/* Go back to what it holds in the beginning. */
void fe_c_store_begin(enum poly_type t, struct fe_c_store *s);
void fe_c_store_free(struct fe_c_store *s);

struct fe_number fe_c_load(enum poly_type t, const struct fe_c_store *s,
	int64_t at);
/* False without memory, as below. */
bool fe_c_save(enum poly_type t, struct fe_c_store *s, int64_t at,
	const struct fe_number *v);
/* The float becomes itself "op" "x"; updates by one operator that follow one
 * another may be made in any order.
 */
bool fe_c_save_update(enum poly_type t, struct fe_c_store *s, int64_t at,
	enum poly_op op, const struct fe_number *x);

#endif
