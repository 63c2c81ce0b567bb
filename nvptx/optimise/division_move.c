/* nvptx: code of a block of divisions, moved to where it runs. */
#include <stdlib.h>

#include "nvptx/optimise/division.h"
#include "polyir/base/gpu.h"

/* ------------------------------------------------------------- moving of code */

/* What came to the phis at the beginning of "block" from "from" comes from "to". */
static void come_from(struct nvptx_region *r, LLVMBasicBlockRef block,
	LLVMBasicBlockRef from, LLVMBasicBlockRef to)
{
	LLVMValueRef old = LLVMGetFirstInstruction(block), next, phi;

	for (; old && LLVMIsAPHINode(old); old = next) {
		unsigned n = LLVMCountIncoming(old);

		next = LLVMGetNextInstruction(old);
		LLVMPositionBuilderBefore(r->b, old);
		phi = LLVMBuildPhi(r->b, LLVMTypeOf(old), "");
		for (unsigned i = 0; i < n; i++) {
			LLVMValueRef v = LLVMGetIncomingValue(old, i);
			LLVMBasicBlockRef b = LLVMGetIncomingBlock(old, i);

			b = b == from ? to : b;
			LLVMAddIncoming(phi, &v, &b, 1);
		}
		LLVMReplaceAllUsesWith(old, phi);
		LLVMInstructionEraseFromParent(old);
	}
}

/* Move "v" to the end of "block". */
static void move(struct nvptx_region *r, LLVMValueRef v, LLVMBasicBlockRef block)
{
	LLVMPositionBuilderAtEnd(r->b, block);
	LLVMInstructionRemoveFromParent(v);
	LLVMInsertIntoBuilder(r->b, v);
}

/* Move what "block" has from "first" on to the end of "to". */
static void move_rest(struct nvptx_region *r, LLVMBasicBlockRef block, LLVMValueRef first,
	LLVMBasicBlockRef to)
{
	LLVMValueRef next, last;

	for (; first; first = next) {
		next = LLVMGetNextInstruction(first);
		move(r, first, to);
	}
	last = LLVMGetBasicBlockTerminator(to);
	for (unsigned i = 0; i < LLVMGetNumSuccessors(last); i++)
		come_from(r, LLVMGetSuccessor(last, i), block, to);
}

/* The blocks of the groups, behind "block", with phis; divisions as they were go last. */
static void add_blocks(struct nvptx_region *r, LLVMBasicBlockRef block)
{
	LLVMValueRef function = LLVMGetBasicBlockParent(block);
	LLVMBasicBlockRef last = block;

	for (int k = 0; k < r->n_group; k++) {
		struct nvptx_divisions *g = &r->group[k];

		g->fast = last;
		g->slow = LLVMAppendBasicBlockInContext(r->m->ctx, function, "divide");
		g->join = LLVMAppendBasicBlockInContext(r->m->ctx, function, "divided");
		LLVMMoveBasicBlockAfter(g->join, last);
		LLVMMoveBasicBlockAfter(g->slow, k ? r->group[k - 1].slow : g->join);
		last = g->join;
		LLVMPositionBuilderAtEnd(r->b, g->join);
		for (int i = 0; i < g->n; i++) {
			g->phi[i] = LLVMBuildPhi(r->b, r->f32, "");
			LLVMReplaceAllUsesWith(g->division[i], g->phi[i]);
			LLVMAddIncoming(g->phi[i], &g->division[i], &g->slow, 1);
		}
	}
}

/* Divide "block" at the groups of the region, behind which it goes on with "next". */
static void divide(struct nvptx_region *r, LLVMBasicBlockRef block, LLVMValueRef next)
{
	add_blocks(r, block);
	for (int i = 0; i < r->n; i++) {
		const struct nvptx_ordered *m = &r->member[i];

		if (m->group != NVPTX_NO_DIVISIONS)
			move(r, m->v, r->group[m->group].slow);
		else if (m->step)
			move(r, m->v, r->group[m->step - 1].join);
	}
	move_rest(r, block, next, r->group[r->n_group - 1].join);
	for (int k = 0; k < r->n_group; k++)
		nvptx_make_divisions(r, &r->group[k]);
}

/* Add "v" to the region; false without memory. */
bool nvptx_region_add(struct nvptx_region *r, LLVMValueRef v)
{
	LLVMMetadataRef index;

	if (r->n == r->max) {
		int max = r->max ? 2 * r->max : 256;
		struct nvptx_ordered *member = realloc(r->member, max * sizeof(*member));

		if (!member)
			return false;
		r->member = member;
		r->max = max;
	}
	index = LLVMValueAsMetadata(nvptx_region_integer(r, r->n));
	LLVMSetMetadata(v, r->mark, LLVMMetadataAsValue(r->m->ctx,
		LLVMMDNodeInContext2(r->m->ctx, &index, 1)));
	r->member[r->n++] = (struct nvptx_ordered) { .v = v, .group = NVPTX_NO_DIVISIONS };
	return true;
}

/* Make the groups of the region, which ends before "next", and forget it. */
void nvptx_region_end(struct nvptx_region *r, LLVMBasicBlockRef block, LLVMValueRef next)
{
	nvptx_find_divisions(r);
	if (r->n_group)
		divide(r, block, next);
	for (int i = 0; i < r->n; i++)
		LLVMSetMetadata(r->member[i].v, r->mark, NULL);
	r->n = 0;
	free(r->group);
	free(r->divisor);
	r->group = NULL;
	r->divisor = NULL;
}
