/* frontend/c/lower: the interpreter of C nests, what its files share. */
#ifndef FRONTEND_C_INTERP_H
#define FRONTEND_C_INTERP_H

#include <stdbool.h>
#include <stdint.h>

#include "frontend/c/lower/c_store.h"
#include "frontend/c/lower/lower.h"

/* An integer; in doubt, a correct program may have another. */
struct fe_c_integer {
	int64_t i;
	bool doubt;
};

struct fe_c_interp {
	const struct fe_unit *unit;
	struct fe_work *work;
	double cost;			/* of the nest; negative: not known */
	struct fe_c_store *store;	/* by id of the variable */
	bool done, failed;
	bool broken;	/* "break": the innermost loop ends */
	bool live;	/* what is executed does happen */
	bool doubt;	/* or may, or may not */
	bool own_doubt;	/* for a condition around, in the innermost loop */
	bool left, gone;	/* that may have been left; it has */
	struct fe_c_store *counter;	/* its variable */
	int64_t last;		/* what that was where it has */
	struct fe_bad_read outside;	/* without a name: none was */
};

/* ------------------------------------------------------ c_interp_value.c */

/* The position of the element in its array; -1 outside. Sets "doubt" if it may
 * be another. An array may have more dimensions than in the text, of which the
 * last is that of the text if it is the members of a structure.
 */
int64_t fe_c_interp_position(struct fe_c_interp *in, const struct fe_c_expr *e,
	bool *doubt);
/* The value of "e", which is an integer. */
struct fe_c_integer fe_c_interp_integer(struct fe_c_interp *in,
	const struct fe_c_expr *e);
/* Is "e" not 0? */
struct fe_c_integer fe_c_interp_truth(struct fe_c_interp *in,
	const struct fe_c_expr *e);
/* The value of "e", which is a float. */
struct fe_number fe_c_interp_real(struct fe_c_interp *in,
	const struct fe_c_expr *e);
/* The value of "e", of whatever type. */
struct fe_number fe_c_interp_value(struct fe_c_interp *in,
	const struct fe_c_expr *e);

/* ------------------------------------------------------- c_interp_scan.c */

/* Add to the bound of "v", the value of "s", what it may be off if this is a linear
 * recurrence that is computed as a scan or a reduction: what comes before a value is put
 * together in another order, and each step rounds sums as large as its terms.
 */
void fe_c_interp_allow_scan(struct fe_c_interp *in, const struct fe_c_stmt *s,
	struct fe_number *v);

/* ------------------------------------------------------------ c_interp.c */

/* Execute the assignment. */
void fe_c_interp_assign(struct fe_c_interp *in, const struct fe_c_stmt *s);

#endif
