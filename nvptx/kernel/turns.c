/* nvptx: kernels whose blocks take one tile after another (polyir/layout/turns.c), of
 * which a warp of its own, the feeder, starts the copies of all tiles.
 *
 *	feeder	for all tiles of the block
 *			for all steps: wait until the slot is free; start its copies
 *	others	for all tiles of the block
 *			begin its sums
 *			for all steps: wait for the slot; multiply; free the slot before
 *			store its sums
 *
 * Both walk over the same loops, of which each emits the operations of its role
 * (nvptx_has_part). The feeder is ahead by as many slots as there are, while results are
 * stored, too; a slot has two channels: barriers of bytes that say that it is full, and
 * barriers that say that it is free (nvptx/contract/lower_bulk.c).
 */
#include <stdlib.h>

#include "nvptx/llvm/llvm.h"
#include "nvptx/lower/lower.h"
#include "nvptx/kernel/kernel.h"

/* Registers of a thread of the feeder's warpgroup, and of two or three others: a
 * multiprocessor has 512 for a thread of each, which the latter share.
 */
enum { FEEDER_REGISTERS = 24, FED_BY_TWO = 240, FED_BY_THREE = 160 };

/* The code of the role in force, for the tiles from "first" on. */
static void all_tiles(struct nvptx_lower *l, __isl_keep isl_ast_node *ast,
	LLVMValueRef first)
{
	LLVMBasicBlockRef before = LLVMGetInsertBlock(l->ir->b), last;
	LLVMBasicBlockRef body = nvptx_block(l->ir, "tile");
	LLVMBasicBlockRef end = nvptx_block(l->ir, "tile.end");
	LLVMValueRef n = nvptx_count_tiles(l), zero = nvptx_int(l->ir, 0);
	LLVMValueRef tile, next, turn;
	LLVMTypeRef type = LLVMTypeOf(n);
	int n_var = l->name.n;

	first = LLVMBuildZExtOrBitCast(l->ir->b, first, type, "");
	LLVMBuildBr(l->ir->b, body);
	LLVMPositionBuilderAtEnd(l->ir->b, body);
	tile = LLVMBuildPhi(l->ir->b, type, "tile");
	turn = LLVMBuildPhi(l->ir->b, nvptx_i32(l->ir), "turn");
	l->value.turn = turn;
	nvptx_bind_tile(l, tile);
	nvptx_ast(l, ast);
	nvptx_unbind(&l->name, n_var);
	if (l->now.role == NVPTX_ALONE)
		nvptx_hw(l->ir, NVPTX_HW_BARRIER, &zero, 1, "");
	next = LLVMBuildAdd(l->ir->b, tile, LLVMConstInt(type, l->kernel->blocks, 0),
		"");
	last = LLVMGetInsertBlock(l->ir->b);
	LLVMAddIncoming(tile, &first, &before, 1);
	LLVMAddIncoming(tile, &next, &last, 1);
	LLVMAddIncoming(turn, &zero, &before, 1);
	turn = LLVMBuildAdd(l->ir->b, turn, nvptx_int(l->ir, 1), "");
	LLVMAddIncoming(l->value.turn, &turn, &last, 1);
	LLVMBuildCondBr(l->ir->b, LLVMBuildICmp(l->ir->b, LLVMIntULT, next, n,
		""), body, end);
	LLVMPositionBuilderAtEnd(l->ir->b, end);
	l->value.turn = NULL;
}

/* The row of threads that the first lane of the warp is in: one number for all its
 * lanes, so that the warp goes one way.
 */
static LLVMValueRef row_of_warp(struct nvptx_lower *l)
{
	enum { LAST = 31 };
	LLVMValueRef arg[4] = { nvptx_int(l->ir, -1), l->value.tid[0],
		nvptx_int(l->ir, 0), nvptx_int(l->ir, LAST) };

	return l->ir->m->opt.device == NVPTX_GPU ? nvptx_hw(l->ir,
		NVPTX_HW_FROM_LANE, arg, 4, "") : l->value.tid[0];
}

/* With a feeder that is in a register from the start, which the first lane of each warp
 * tells: ptxas would make the address again in a branch that few threads take, and no more
 * see that all threads of a warp are in one slot.
 */
LLVMValueRef nvptx_shared_start(struct nvptx_lower *l)
{
	enum { LAST = 31 };
	LLVMValueRef start = nvptx_hw(l->ir, NVPTX_HW_SHARED, NULL, 0, "shared");
	LLVMValueRef arg[4] = { nvptx_int(l->ir, -1), NULL, nvptx_int(l->ir, 0),
		nvptx_int(l->ir, LAST) };

	if (!nvptx_has_feeder(l) || l->ir->m->opt.device != NVPTX_GPU)
		return start;
	arg[1] = LLVMBuildPtrToInt(l->ir->b, start, nvptx_i32(l->ir), "");
	return LLVMBuildIntToPtr(l->ir->b, nvptx_hw(l->ir, NVPTX_HW_FROM_LANE, arg,
		4, ""), LLVMTypeOf(start), "shared");
}

/* Let each thread of the warpgroup have "n" registers from here on. */
static void move_registers(struct nvptx_lower *l, enum nvptx_hw op, int n)
{
	LLVMValueRef arg = nvptx_int(l->ir, n);

	nvptx_hw(l->ir, op, &arg, 1, "");
}

/* Is the thread the one of its warp, whose first one is "first", that starts all copies? On
 * a GPU one is elected, so that ptxas knows that no other comes along, and has no loop over
 * the threads that may be there around each copy.
 */
static LLVMValueRef is_chosen(struct nvptx_lower *l, int first)
{
	LLVMValueRef all = nvptx_int(l->ir, -1);

	if (l->ir->m->opt.device != NVPTX_GPU)
		return LLVMBuildICmp(l->ir->b, LLVMIntEQ, nvptx_thread_number(l,
			""), nvptx_int(l->ir, first), "");
	return LLVMBuildExtractValue(l->ir->b, nvptx_hw(l->ir, NVPTX_HW_ELECT,
		&all, 1, ""), 1, "");
}

/* One of the feeder's threads starts all copies: of several warps, one of the first. */
static void start_copies(struct nvptx_lower *l, __isl_keep isl_ast_node *ast,
	LLVMValueRef first)
{
	int threads = l->kernel->thread[0] * l->kernel->thread[1];
	struct nvptx_branch warp, one;

	if (nvptx_moves_registers(l))
		nvptx_if_begin(l->ir, &warp, LLVMBuildICmp(l->ir->b, LLVMIntEQ,
			row_of_warp(l), nvptx_int(l->ir, l->kernel->thread[0]),
			""), "first");
	nvptx_if_begin(l->ir, &one, is_chosen(l, threads), "feeds");
	l->now.role = NVPTX_FEEDS;
	all_tiles(l, ast, first);
	nvptx_if_end(l->ir, &one);
	if (nvptx_moves_registers(l))
		nvptx_if_end(l->ir, &warp);
}

/* The code of the feeder, whose threads end here. */
static void feeder(struct nvptx_lower *l, __isl_keep isl_ast_node *ast,
	LLVMValueRef first)
{
	struct nvptx_branch branch;
	LLVMBasicBlockRef last;

	nvptx_if_begin(l->ir, &branch, LLVMBuildICmp(l->ir->b, LLVMIntUGE,
		row_of_warp(l), nvptx_int(l->ir, l->kernel->thread[0]), ""),
		"feeder");
	if (nvptx_moves_registers(l))
		move_registers(l, NVPTX_HW_REGISTERS_LESS, FEEDER_REGISTERS);
	start_copies(l, ast, first);
	if (nvptx_cluster_blocks(l) > 1)
		nvptx_cluster_sync(l->ir);
	last = LLVMGetInsertBlock(l->ir->b);
	nvptx_if_end(l->ir, &branch);
	LLVMInstructionEraseFromParent(LLVMGetBasicBlockTerminator(last));
	LLVMPositionBuilderAtEnd(l->ir->b, last);
	LLVMBuildRetVoid(l->ir->b);
	LLVMPositionBuilderAtEnd(l->ir->b, branch.join);
}

void nvptx_turns(struct nvptx_lower *l, __isl_keep isl_ast_node *ast)
{
	LLVMValueRef first = nvptx_hw(l->ir, NVPTX_HW_CTAID_X, NULL, 0, "");

	if (nvptx_has_feeder(l)) {
		feeder(l, ast, first);
		if (nvptx_moves_registers(l))
			move_registers(l, NVPTX_HW_REGISTERS_MORE, l->kernel->thread[0] *
				l->kernel->thread[1] > 2 * POLY_GROUP_THREADS ?
				FED_BY_THREE : FED_BY_TWO);
		l->now.role = NVPTX_FED;
	}
	all_tiles(l, ast, first);
	l->now.role = NVPTX_ALONE;
}
