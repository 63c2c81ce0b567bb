/* nvptx: what the files of CONTRACT share. */
#ifndef NVPTX_LOWER_CONTRACT_H
#define NVPTX_LOWER_CONTRACT_H

#include "nvptx/contract/contract.h"

enum { NVPTX_PLACE_DIM = 24 };

/* How a read is loaded on a GPU: digits or steps at once, and the elements of
 * its buffer from one digit or step to the next.
 */
struct nvptx_contract_load {
	int run[3];
	int64_t stride[3];
	int64_t aligned;	/* every load begins at a multiple of that many */
	LLVMValueRef first;	/* its address at step 0 for digits that are 0 */
};

struct nvptx_contract {
	const struct poly_stmt *op;
	struct poly_stmt *point;
	int n_tile;			/* coordinates of the tile */
	int n[2];			/* digits */
	int n_read;
	const struct poly_expr *read[POLY_MAX_OPERAND];
	isl_multi_pw_aff *index[POLY_MAX_OPERAND];	/* simplified, or NULL */
	isl_set *guard;			/* the points there are, or NULL */
	LLVMValueRef in[NVPTX_PLACE_DIM];
	struct nvptx_contract_load load[POLY_MAX_OPERAND];
	LLVMValueRef *fragment;		/* of each read, one a pair of digits */
	int body;			/* steps of one */
};

/* Rows of a matrix that ldmatrix loads. */
enum { NVPTX_MATRIX_ROWS = 8 };

/* An operand: "point" and "step" are the coordinates of its fragments "f" that count
 * points and steps, "stride" elements of its buffer apart; "n" of "n_reg" registers
 * with "n_element" lie along the axis, next to one another "each" digits apart.
 */
struct nvptx_side {
	const struct poly_array *buffer;
	__isl_keep isl_multi_pw_aff *index;
	struct poly_layout *f;
	int axis, point, step, n, each, n_reg, n_element;
	int64_t stride[2];
	bool rows;		/* ldmatrix loads it, */
	bool trans;		/* whose rows are steps */
	bool pairs;		/* and of whose bytes lanes have two columns each, */
	LLVMValueRef order[2];	/* which they put together so */
	LLVMValueRef first[2];	/* its addresses for digits and steps that are 0, and
				 * with rows of one fragment and of two */
};

/* A CONTRACT on a matrix unit under way. */
struct nvptx_fragments {
	const struct nvptx_unit_op *op;
	const struct poly_unit_row *row;
	const struct poly_array *sum;	/* what the updates write */
	struct poly_layout *c;
	int threads;		/* that hold a fragment of C, */
	int n_c;		/* in so many registers, with */
	int digit[NVPTX_MAX_SUM][2];	/* these register digits */
	struct nvptx_side side[2];
	LLVMValueRef lane;
};

/* unit_load.c: describe operand "read" of "u", along "axis"; false if its address is no sum
 * of multiples of the digits and the step. Load all fragments of "s" at the step "k".
 */
bool nvptx_side_begin(struct nvptx_lower *l, struct nvptx_fragments *u, int read, int axis);
void nvptx_side_load(struct nvptx_lower *l, const struct nvptx_side *s, int k,
	LLVMValueRef *reg);

/* Where in "in" the offsets of the digits, the thread, and the step are. */
static inline int nvptx_at_digit(const struct nvptx_contract *c)
{
	return c->n_tile;
}

static inline int nvptx_at_thread(const struct nvptx_contract *c)
{
	return c->n_tile + 2;
}

static inline int nvptx_at_step(const struct nvptx_contract *c)
{
	return c->n_tile + 4;
}

/* contract_update.c: the first read that finds its elements where read "o" does; must "o" be
 * loaded; where its fragment has the element for a pair of digits.
 */
int nvptx_contract_first_read(const struct nvptx_contract *c, int o);
bool nvptx_contract_is_loaded(const struct nvptx_contract *c, int o);
int nvptx_contract_entry(const struct nvptx_contract *c, int o, int r0, int r1);
/* Load what the step reads from shared memory; update the accumulators of all digits by
 * what step "at" of the fragments has, with "ask" where the point is there. Is the update
 * one operation, which needs no register of its own?
 */
void nvptx_contract_load_step(struct nvptx_lower *l, struct nvptx_contract *c);
void nvptx_contract_update(struct nvptx_lower *l, struct nvptx_contract *c, int at,
	bool ask);
bool nvptx_contract_is_fused(const struct nvptx_contract *c);

/* contract_ahead.c: plan loads of all operands that run a step ahead; false, and there are
 * none, if one of them cannot; forget the plan; load the fragment of read "o" at the step
 * that is "s" behind "from" so. The loops over the steps with such loads.
 */
bool nvptx_contract_plan_loads(struct nvptx_lower *l, struct nvptx_contract *c);
void nvptx_contract_forget_loads(struct nvptx_contract *c);
void nvptx_contract_load_ahead(struct nvptx_lower *l, struct nvptx_contract *c, int o,
	LLVMValueRef from, int s, LLVMValueRef *frag);
void nvptx_contract_ahead(struct nvptx_lower *l, struct nvptx_contract *c,
	LLVMValueRef *phi);

/* contract_finite.c: "whole", or is all finite that makes points, which are left out
 * otherwise, add zero?
 */
LLVMValueRef nvptx_contract_or_finite(struct nvptx_lower *l, struct nvptx_contract *c,
	LLVMValueRef whole);

/* contract_redo.c: are the sums of "op" that are no numbers computed again, behind its last
 * step? Then it runs for all points. Emit that for the tile "arg" of a group.
 */
bool nvptx_contract_is_redone(const struct nvptx_lower *l, const struct poly_stmt *op);
void nvptx_contract_redo(struct nvptx_lower *l, const struct poly_stmt *op,
	const LLVMValueRef *arg);

/* contract_place.c: the points that a thread is behind the one before it, of which "in"
 * has the number; with a unit it has those themselves.
 */
int nvptx_thread_step(const struct poly_kernel *k, int d);
/* "{ [T0,T1,Tk,..] -> S[..] }": the member's instance at a thread's place; in "*box"
 * the places.
 */
__isl_give isl_multi_aff *nvptx_contract_instance(struct nvptx_lower *l,
	const struct nvptx_contract *c, isl_set **box);
/* "index" (member's domain -> buffer) as a function of the thread's place. */
__isl_give isl_multi_pw_aff *nvptx_contract_index(struct nvptx_lower *l,
	const struct nvptx_contract *c, __isl_keep isl_multi_pw_aff *index);
/* The tiles in which the operation runs, as a set without a name. */
__isl_give isl_set *nvptx_contract_tiles(const struct nvptx_facts *fact,
	const struct nvptx_contract *c);
/* The places whose point the member has, as far as that is not known. */
__isl_give isl_set *nvptx_contract_guard(struct nvptx_lower *l,
	const struct nvptx_contract *c);
/* The steps that the tile has, as a function of its coordinates. */
__isl_give isl_pw_aff *nvptx_contract_steps(struct nvptx_lower *l,
	const struct nvptx_contract *c);
/* Is all finite that the buffers of the two operands, of those "which" says, have for the
 * tile, asked by all threads of the block at once? NULL: they cannot ask.
 */
LLVMValueRef nvptx_unit_finite(struct nvptx_lower *l, const struct nvptx_contract *c,
	const bool *which);
/* Let "in" be where point "x" of fragment "i" along the axis of "s", of those of the
 * thread, and the step "k", are; the address that it stands for.
 */
void nvptx_side_go_to(struct nvptx_lower *l, const struct nvptx_fragments *u,
	const struct nvptx_side *s, LLVMValueRef x, LLVMValueRef k, LLVMValueRef i);
LLVMValueRef nvptx_side_address(struct nvptx_lower *l,
	const struct nvptx_fragments *u, const struct nvptx_side *s);
/* The address of the lane's first element; where ldmatrix wants it to point for "n"
 * fragments; and for one of pairs of bytes, with the order of these.
 */
LLVMValueRef nvptx_side_element(struct nvptx_lower *l,
	const struct nvptx_fragments *u, const struct nvptx_side *s);
LLVMValueRef nvptx_side_row(struct nvptx_lower *l,
	const struct nvptx_fragments *u, const struct nvptx_side *s, int n);
LLVMValueRef nvptx_side_pair(struct nvptx_lower *l,
	const struct nvptx_fragments *u, struct nvptx_side *s);

#endif
