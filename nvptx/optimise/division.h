/* nvptx: what the files that join divisions share. */
#ifndef NVPTX_DIVISION_H
#define NVPTX_DIVISION_H

#include "nvptx/optimise/optimise.h"

enum {
	NVPTX_LEAST_DIVISIONS = 2,		/* divisions of a group */
	NVPTX_MOST_DIVISIONS = 8,		/* a run of 16 bytes in f16 */
	NVPTX_QUOTIENT_SUMS = 4,		/* of quotients, each as long as a fourth of them */
};

/* A divisor, its reciprocal, and whether it is out of bounds; NULL: it never is. */
struct nvptx_divisor {
	LLVMValueRef y, inverse, bad;
};

/* Divisions, and their blocks: where they are computed together, where they are as
 * they were, and where both meet.
 */
struct nvptx_divisions {
	LLVMValueRef division[NVPTX_MOST_DIVISIONS], phi[NVPTX_MOST_DIVISIONS];
	int n;
	LLVMBasicBlockRef fast, slow, join;
	LLVMValueRef bad, least, sum[NVPTX_QUOTIENT_SUMS];
};

/* An instruction. It needs what is there from 1 + the last group on whose quotients are
 * among its operands, or what these were computed of, and 0 if there is none. Its step
 * is that, or what the order of memory asks for. Before there are groups, both count
 * the divisions that need each other.
 */
struct nvptx_ordered {
	LLVMValueRef v;
	int need, step;
	int group;		/* of a division, or NVPTX_NO_DIVISIONS */
};
enum { NVPTX_NO_DIVISIONS = -1 };

/* Instructions of a block, in a row, and what is made of them. */
struct nvptx_region {
	struct nvptx_module *m;
	LLVMBuilderRef b;
	unsigned mark, invariant;	/* metadata: the index of a member; of loads */
	LLVMTypeRef f32, i32;
	struct nvptx_ordered *member;
	int n, max;
	struct nvptx_divisions *group;
	int n_group;
	struct nvptx_divisor *divisor;
	int n_divisor;
	bool bytes;		/* of quotients (makes_bytes) */
};

/* division.c: no members yet; the caller disposes of its builder and frees its members. "v"
 * as an i32. Compute the divisions of "g" together where the code stands.
 */
struct nvptx_region nvptx_region_begin(struct nvptx_module *m);
LLVMValueRef nvptx_region_integer(struct nvptx_region *r, uint64_t v);
void nvptx_make_divisions(struct nvptx_region *r, struct nvptx_divisions *g);
/* The quotient of division "i" of "g" where nothing is out of bounds, and whether something
 * was; a branch to "yes" if "bad", which is rare, else to "no".
 */
LLVMValueRef nvptx_make_quotient(struct nvptx_region *r, struct nvptx_divisions *g, int i);
LLVMValueRef nvptx_division_test(struct nvptx_region *r, struct nvptx_divisions *g);
void nvptx_branch_rarely(struct nvptx_region *r, LLVMValueRef bad,
	LLVMBasicBlockRef yes, LLVMBasicBlockRef no);
/* Has the kernel "f" as many threads in a block as there can be? */
bool nvptx_is_full(LLVMValueRef f);

/* division_find.c: may the instruction "v" go elsewhere? Does every use of "v" round it
 * to 16 bits, with "half" to f16? Find the groups of "r" and the step of each instruction.
 */
bool nvptx_can_move(LLVMValueRef v);
bool nvptx_becomes_short(LLVMValueRef v, bool half);
/* Does the load "v" read what no store of its kernel changes? */
bool nvptx_is_invariant(const struct nvptx_region *r, LLVMValueRef v);
void nvptx_find_divisions(struct nvptx_region *r);

/* division_move.c: add "v" to the region; false without memory. Make the groups of the
 * region, which ends before "next" in "block", and forget it.
 */
bool nvptx_region_add(struct nvptx_region *r, LLVMValueRef v);
void nvptx_region_end(struct nvptx_region *r, LLVMBasicBlockRef block,
	LLVMValueRef next);
/* Move what "block" has from "first" on to the end of "to". */
void nvptx_move_rest(struct nvptx_region *r, LLVMBasicBlockRef block, LLVMValueRef first,
	LLVMBasicBlockRef to);

#endif
