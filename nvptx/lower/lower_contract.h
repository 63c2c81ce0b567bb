/* nvptx: what the files of CONTRACT share. */
#ifndef NVPTX_LOWER_CONTRACT_H
#define NVPTX_LOWER_CONTRACT_H

#include "nvptx/lower/lower.h"

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

#endif
