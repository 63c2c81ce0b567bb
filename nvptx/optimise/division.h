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
	LLVMValueRef bad, least, least_part, sum[NVPTX_QUOTIENT_SUMS];
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

/* division.c: "v" as an i32. Compute the divisions of "g" together where the code stands. */
LLVMValueRef nvptx_region_integer(struct nvptx_region *r, uint64_t v);
void nvptx_make_divisions(struct nvptx_region *r, struct nvptx_divisions *g);

/* division_find.c: may the instruction "v" go elsewhere? Does every use of "v" round it
 * to 16 bits, with "half" to f16? Find the groups of "r" and the step of each instruction.
 */
bool nvptx_can_move(LLVMValueRef v);
bool nvptx_becomes_short(LLVMValueRef v, bool half);
void nvptx_find_divisions(struct nvptx_region *r);

/* division_move.c: add "v" to the region; false without memory. Make the groups of the
 * region, which ends before "next" in "block", and forget it.
 */
bool nvptx_region_add(struct nvptx_region *r, LLVMValueRef v);
void nvptx_region_end(struct nvptx_region *r, LLVMBasicBlockRef block,
	LLVMValueRef next);

#endif
