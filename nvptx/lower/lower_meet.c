/* nvptx: the barrier of all blocks of a launch.
 *
 * All of them are on the device, so that they may wait for one another. What they
 * have arrived at is counted in memory, of which the launch makes the first
 * word 0:
 *
 *	barrier of the block		what its threads wrote is before ..
 *	if (t1 == 0) {
 *	    fence			.. what this one does
 *	    was = add(count, b1 == 0 ? 2^31 - (blocks - 1) : 1)
 *	    do now = load(count), acquire
 *	    while (was and now have the same bit 31)
 *	}
 *	barrier of the block		for its other threads, too
 *
 * The sum of what all blocks add is 2^31: the last of them turns the highest bit,
 * and the others are 0 again for the next time.
 */
#include "nvptx/llvm/llvm.h"
#include "nvptx/lower/lower.h"

static LLVMValueRef is_zero(struct nvptx_lower *l, LLVMValueRef v)
{
	return LLVMBuildICmp(l->b, LLVMIntEQ, v, nvptx_int(l, 0), "");
}

/* What the block adds to the count. */
static LLVMValueRef share(struct nvptx_lower *l)
{
	int others = poly_kernel_n_block(l->kernel) - 1;
	LLVMValueRef b1 = nvptx_find_var(l,
		poly_coordinate(l->prog, POLY_BLOCK + 1));

	return LLVMBuildSelect(l->b, is_zero(l, b1),
		nvptx_int(l, (int64_t) INT32_MIN - others), nvptx_int(l, 1),
		"share");
}

/* Count the block, and wait for all others. */
static void arrive(struct nvptx_lower *l)
{
	unsigned scope = LLVMGetSyncScopeID(l->m->ctx, "device", 6);
	LLVMBasicBlockRef again = nvptx_block(l, "meet");
	LLVMBasicBlockRef done = nvptx_block(l, "met");
	LLVMValueRef was, now;

	LLVMBuildFenceSyncScope(l->b, LLVMAtomicOrderingAcquireRelease, scope,
		"");
	was = LLVMBuildAtomicRMWSyncScope(l->b, LLVMAtomicRMWBinOpAdd,
		l->count, share(l), LLVMAtomicOrderingMonotonic, scope);
	LLVMBuildBr(l->b, again);
	LLVMPositionBuilderAtEnd(l->b, again);
	now = LLVMBuildLoad2(l->b, nvptx_i32(l), l->count, "now");
	LLVMSetOrdering(now, LLVMAtomicOrderingAcquire);
	LLVMSetAtomicSyncScopeID(now, scope);
	LLVMSetAlignment(now, 4);
	LLVMBuildCondBr(l->b, LLVMBuildICmp(l->b, LLVMIntSGE,
		LLVMBuildXor(l->b, was, now, ""), nvptx_int(l, 0), ""),
		again, done);
	LLVMPositionBuilderAtEnd(l->b, done);
}

void nvptx_meet(struct nvptx_lower *l)
{
	LLVMValueRef zero = nvptx_int(l, 0);
	LLVMBasicBlockRef first, rest;

	if (l->m->opt.device != NVPTX_GPU) {
		nvptx_hw(l, NVPTX_HW_MEET, &zero, 1, "");
		return;
	}
	nvptx_hw(l, NVPTX_HW_BARRIER, &zero, 1, "");
	first = nvptx_block(l, "first");
	rest = nvptx_block(l, "rest");
	LLVMBuildCondBr(l->b, is_zero(l, l->tid[1]), first, rest);
	LLVMPositionBuilderAtEnd(l->b, first);
	arrive(l);
	LLVMBuildBr(l->b, rest);
	LLVMPositionBuilderAtEnd(l->b, rest);
	nvptx_hw(l, NVPTX_HW_BARRIER, &zero, 1, "");
}
