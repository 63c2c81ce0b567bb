/* frontend/index: the reference interpreter, what its files share.
 *
 * An element is evaluated from its definition as it stands in the text: the
 * first piece whose condition holds, reductions in the order of their indices.
 * It knows nothing of isl, statements or schedules. What is evaluated is
 * remembered.
 */
#ifndef FRONTEND_INDEX_INTERP_H
#define FRONTEND_INDEX_INTERP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "frontend/base/value.h"
#include "frontend/index/index.h"

struct fe_c_interp;	/* c/lower/lower.h */

enum fe_interp_state { FE_UNKNOWN, FE_WAITING, FE_KNOWN };

struct fe_interp_element {
	uint64_t key;		/* position plus 1 */
	enum fe_interp_state state;
	struct fe_number value;
};
/* What is known of a tensor: its box, an input's data, evaluated elements. */
struct fe_interp_object {
	const struct fe_tensor *tensor;
	int64_t first[FE_MAX_RANK], size[FE_MAX_RANK];
	const void *data;
	struct fe_interp_element *slot;
	size_t n, cap;
	struct fe_interp_object *source;	/* of a SCATTER: which instance
						 * makes an element */
	struct fe_sum *cell;	/* of cells that data tell: what they get */
};
/* How often what the EARLIER "of" counts has been each number so far, in front of the
 * index "next", for the indices "outer" around.
 */
enum { FE_MOST_EARLIER = 1024 };
struct fe_interp_earlier {
	const struct fe_scalar *of;
	int64_t next, outer[FE_MAX_RANK], count[FE_MOST_EARLIER];
};
struct fe_interp_task {
	struct fe_interp_object *object;
	uint64_t at;
};
struct fe_index_interp {
	const struct fe_unit *unit;
	struct fe_work *work;
	int64_t *param;
	struct fe_interp_object *object;		/* by id of the tensor */
	int64_t *index;			/* by slot, of the element */
	struct fe_interp_task *task;
	size_t n_task, cap_task;
	struct fe_interp_earlier earlier;
	bool missing;			/* something has to be evaluated */
	bool failed;
	struct fe_interp_call *call;		/* those of the unit, in its order */
	int n_call;
};
/* A call, and whether it has been executed. */
struct fe_interp_call {
	const struct fe_call *of;
	struct fe_c_interp *nest;
	bool done;
};

/* -------------------------------------------------------- interp_index.c */

/* Do "n" operations, or fail. */
void fe_interp_work(struct fe_index_interp *in, double n);
/* Evaluate the elements that are waited for, and what these need. Indices are others
 * then.
 */
void fe_interp_finish(struct fe_index_interp *in);
/* The value of the element "at" of "o", or nothing yet. */
struct fe_number fe_interp_value(struct fe_index_interp *in,
	struct fe_interp_object *o, uint64_t at);
/* The value of "e" as it is stored in "type". */
struct fe_number fe_interp_stored(struct fe_index_interp *in,
	const struct fe_scalar *e, enum poly_type type);
/* The element "at" of "o"; false if it cannot be evaluated. */
bool fe_interp_evaluate(struct fe_index_interp *in, struct fe_interp_object *o,
	uint64_t at, struct fe_number *v);

/* ---------------------------------------------------------------- limit.c */

/* Move "*first" and "*last" to what the input "t" is assumed to hold, if anything is. */
bool fe_interp_limits(struct fe_index_interp *in, const struct fe_tensor *t,
	int64_t *first, int64_t *last);

/* ------------------------------------------------------- interp_scalar.c */

/* Does "c" hold if no value does? It is affine, or made of what is. */
bool fe_interp_holds(const struct fe_index_interp *in,
	const struct fe_scalar *c);
/* The first and the last value of the index "i". */
void fe_interp_range(const struct fe_index_interp *in,
	const struct fe_index *i, int64_t *first, int64_t *last);
/* Let "v" of the type "from" be of the type "to". */
void fe_interp_cast(enum poly_type to, enum poly_type from,
	struct fe_number *v);
/* The position "e", an integer. */
struct fe_number fe_interp_position(struct fe_index_interp *in,
	const struct fe_scalar *e);
/* The value that "e" reads, as it is stored: 0 if a position that is data is outside
 * of the tensor.
 */
struct fe_number fe_interp_read(struct fe_index_interp *in,
	const struct fe_scalar *e);
/* The value of "e" in its compute type. */
struct fe_number fe_interp_scalar(struct fe_index_interp *in,
	const struct fe_scalar *e);
/* Reduce "e" over the index "i" and those behind it, where the conditions of
 * "scope" hold.
 */
void fe_interp_reduce(struct fe_index_interp *in, struct fe_sum *s,
	const struct fe_scope *scope, const struct fe_index *i,
	const struct fe_scalar *e);
/* Does the condition of a piece hold? The bound is not 0 where rounding decides.
 * Its values count, and may be asked for, only where indices alone do not decide.
 */
struct fe_number fe_interp_guard(struct fe_index_interp *in,
	const struct fe_scalar *c);

/* ---------------------------------------------------------- interp_unit.c */

/* The number of elements in the box of the indices from "i" on; the operations of an
 * expression, reductions by their boxes.
 */
double fe_interp_count_box(const struct fe_index_interp *in,
	const struct fe_index *i);
double fe_interp_count(const struct fe_index_interp *in,
	const struct fe_scalar *e);

/* --------------------------------------------------------- interp_cell.c */

/* Add up what the cells of "o" get; false: something is missing, or it failed. Indices
 * are others then.
 */
bool fe_interp_fill_cells(struct fe_index_interp *in, struct fe_interp_object *o);
/* The element "at" of "o", whose cells are filled, at in->index. */
struct fe_number fe_interp_cell(struct fe_index_interp *in,
	struct fe_interp_object *o, uint64_t at);
/* What the definition "t" of cells that data tell costs, in operations. */
double fe_interp_cells_cost(const struct fe_index_interp *in,
	const struct fe_tensor *t);

/* --------------------------------------------------------- interp_call.c */

/* Interpreters of the calls; false without memory. */
bool fe_interp_add_calls(struct fe_index_interp *in);
void fe_interp_free_calls(struct fe_index_interp *in);
/* Inputs have other values: execute the calls again when they are asked for. */
void fe_interp_reset_calls(struct fe_index_interp *in);
/* Element in->index of "t", which a call makes. */
struct fe_number fe_interp_call(struct fe_index_interp *in,
	const struct fe_tensor *t);
/* What the calls cost, in statements. */
double fe_interp_call_cost(struct fe_index_interp *in);

#endif
