/* nvptx: divisions and roots in f32 by numbers of their own, first without care.
 *
 * ptxas makes of each div.rn.f32 and sqrt.rn.f32 a test for operands that need more care,
 * and a branch, one after the other: loads and functions of other elements that a thread
 * has wait behind it. Where a kernel computes longer than it waits for memory, code
 * whose loads read what no store changes becomes
 *
 *	block:	.. divisions and roots as division.c has them, without a branch ..
 *		br "an operand was out of bounds", careful, done
 *	careful: the same code once more, as it was
 *	done:	what was needed behind it, of either, and all stores
 *
 * so that all that the block loads is under way at once. A root is
 *
 *	s = x r;  s = s + (x - s s) r / 2	with r = 1 / sqrt(x) by the hardware
 *
 * for x from 2^-101 on, which is what ptxas makes of sqrt.rn.f32 for these x.
 */
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Target.h>

#include "nvptx/optimise/division.h"

enum {
	WORD = 4,
	MOST_STORES = 64,
	/* instructions for each word that is loaded, from which on memory waits: 18
	 * bytes and 128 instructions a cycle and multiprocessor, half of what hides both
	 */
	HEAVY = 14,
	ROOT_LOW = 0x0d000000,		/* 2^-101 */
	ROOT_RANGE = 0x727fffff,	/* to the greatest number */
};

/* The original instructions of a region, but for its stores, are its members; "copy" has
 * those of the careful block.
 */
struct careful {
	struct nvptx_region *r;
	LLVMValueRef store[MOST_STORES];
	int n_store;
	struct nvptx_divisions g;
	LLVMValueRef *copy;
	LLVMBasicBlockRef block, slow, done;
};

/* Is "v" a root in f32? */
static bool is_root(LLVMValueRef v)
{
	LLVMValueRef f = LLVMIsACallInst(v) ? LLVMGetCalledValue(v) : NULL;
	size_t length;

	return f && LLVMIsAFunction(f) &&
		!strcmp(LLVMGetValueName2(f, &length), "llvm.sqrt.f32");
}

/* ------------------------------------------------------------------ which code */

/* The words that the load "v" brings. */
static double words_of(const struct nvptx_region *r, LLVMValueRef v)
{
	return (double) LLVMABISizeOfType(LLVMGetModuleDataLayout(r->m->module),
		LLVMTypeOf(v)) / WORD;
}

/* Are there several divisions and roots among the members, and does what these compute
 * take longer than what they load? Regions that load nothing have their operands from
 * others, which waited for memory.
 */
static bool is_heavy(const struct nvptx_region *r)
{
	double words = 0;
	int n = 0;

	for (int i = 0; i < r->n; i++) {
		LLVMValueRef v = r->member[i].v;

		words += LLVMIsALoadInst(v) ? words_of(r, v) : 0;
		n += nvptx_is_division(v) || is_root(v);
	}
	return n >= NVPTX_LEAST_DIVISIONS && words > 0 && r->n >= HEAVY * words;
}

/* -------------------------------------------------------------------- the copy */

/* The number of the member that "v" is, or -1. */
static int number_of(const struct nvptx_region *r, LLVMValueRef v)
{
	LLVMValueRef node = LLVMIsAInstruction(v) ? LLVMGetMetadata(v, r->mark) : NULL;
	LLVMValueRef index;

	if (!node)
		return -1;
	LLVMGetMDNodeOperands(node, &index);
	return (int) LLVMConstIntGetZExtValue(index);
}

/* Write all members once more at the end of the careful block. */
static void copy_members(struct careful *c)
{
	struct nvptx_region *r = c->r;

	LLVMPositionBuilderAtEnd(r->b, c->slow);
	for (int i = 0; i < r->n; i++) {
		LLVMValueRef v = LLVMInstructionClone(r->member[i].v);

		LLVMSetMetadata(v, r->mark, NULL);
		LLVMInsertIntoBuilder(r->b, v);
		for (int k = 0; k < LLVMGetNumOperands(v); k++) {
			int from = number_of(r, LLVMGetOperand(v, k));

			if (from >= 0)
				LLVMSetOperand(v, (unsigned) k, c->copy[from]);
		}
		c->copy[i] = v;
	}
	LLVMSetCurrentDebugLocation2(r->b, NULL);
	LLVMBuildBr(r->b, c->done);
}

/* Let what needs "v", member "i", behind the region have it from where it was computed. */
static void join_member(struct careful *c, int i)
{
	struct nvptx_region *r = c->r;
	LLVMValueRef v = r->member[i].v, phi = NULL, in[2] = { v, c->copy[i] };
	LLVMBasicBlockRef from[2] = { c->block, c->slow };
	LLVMUseRef use = LLVMGetFirstUse(v), next;

	for (; use; use = next) {
		LLVMValueRef user = LLVMGetUser(use);

		next = LLVMGetNextUse(use);
		if (number_of(r, user) >= 0 || user == phi ||
		    LLVMGetInstructionParent(user) == c->slow)
			continue;
		if (!phi) {
			LLVMValueRef first = LLVMGetFirstInstruction(c->done);

			if (first)
				LLVMPositionBuilderBefore(r->b, first);
			else
				LLVMPositionBuilderAtEnd(r->b, c->done);
			phi = LLVMBuildPhi(r->b, LLVMTypeOf(v), "");
		}
		for (int k = 0; k < LLVMGetNumOperands(user); k++)
			if (LLVMGetOperand(user, k) == v)
				LLVMSetOperand(user, (unsigned) k, phi);
		next = LLVMGetFirstUse(v);
	}
	if (phi)
		LLVMAddIncoming(phi, in, from, 2);
}

/* --------------------------------------------------------------- without care */

/* The root of "x" where that is in bounds; note where it is not. */
static LLVMValueRef make_root(struct careful *c, LLVMValueRef x)
{
	struct nvptx_region *r = c->r;
	LLVMValueRef inverse = nvptx_hw_inverse_root(r->m, r->b, x), s, bits, bad, arg[3];

	s = LLVMBuildFMul(r->b, x, inverse, "");
	arg[0] = LLVMBuildFNeg(r->b, s, "");
	arg[1] = s;
	arg[2] = x;
	arg[0] = nvptx_build_intrinsic(r->m->module, r->b, "llvm.fma", arg, 3);
	arg[1] = LLVMBuildFMul(r->b, inverse, LLVMConstReal(r->f32, 0.5), "");
	arg[2] = s;
	s = nvptx_build_intrinsic(r->m->module, r->b, "llvm.fma", arg, 3);
	bits = LLVMBuildBitCast(r->b, x, r->i32, "");
	bits = LLVMBuildSub(r->b, bits, nvptx_region_integer(r, ROOT_LOW), "");
	bad = LLVMBuildICmp(r->b, LLVMIntUGT, bits, nvptx_region_integer(r,
		ROOT_RANGE), "");
	c->g.bad = c->g.bad ? LLVMBuildOr(r->b, c->g.bad, bad, "") : bad;
	return s;
}

/* Let member "i" be computed without care, if it is a division or a root. */
static void hurry(struct careful *c, int i)
{
	struct nvptx_region *r = c->r;
	LLVMValueRef v = r->member[i].v, fast;

	if (!nvptx_is_division(v) && !is_root(v))
		return;
	LLVMPositionBuilderBefore(r->b, v);
	LLVMSetCurrentDebugLocation2(r->b, LLVMInstructionGetDebugLoc(v));
	if (is_root(v)) {
		fast = make_root(c, LLVMGetOperand(v, 0));
	} else {
		c->g.division[0] = c->g.phi[0] = v;
		fast = nvptx_make_quotient(r, &c->g, 0);
	}
	LLVMReplaceAllUsesWith(v, fast);
	LLVMSetMetadata(v, r->mark, NULL);
	LLVMInstructionEraseFromParent(v);
	r->member[i].v = NULL;
}

/* Write the region of "c", behind which its block goes on with "next", twice. */
static void write_twice(struct careful *c, LLVMValueRef next)
{
	struct nvptx_region *r = c->r;
	LLVMValueRef function = LLVMGetBasicBlockParent(c->block);

	c->slow = LLVMAppendBasicBlockInContext(r->m->ctx, function, "careful");
	c->done = LLVMAppendBasicBlockInContext(r->m->ctx, function, "done");
	LLVMMoveBasicBlockAfter(c->done, c->block);
	copy_members(c);
	LLVMPositionBuilderAtEnd(r->b, c->done);
	for (int i = 0; i < c->n_store; i++) {
		LLVMInstructionRemoveFromParent(c->store[i]);
		LLVMInsertIntoBuilder(r->b, c->store[i]);
	}
	nvptx_move_rest(r, c->block, next, c->done);
	for (int i = 0; i < r->n; i++)
		join_member(c, i);
	for (int i = 0; i < r->n; i++)
		hurry(c, i);
	LLVMPositionBuilderAtEnd(r->b, c->block);
	LLVMSetCurrentDebugLocation2(r->b, NULL);
	nvptx_branch_rarely(r, c->g.sum[0] ? nvptx_division_test(r, &c->g) : c->g.bad,
		c->slow, c->done);
}

/* Write the members twice if that pays, and forget them. The careful block if it did: the
 * block ends there; or NULL.
 */
static LLVMBasicBlockRef end_region(struct careful *c, LLVMValueRef next)
{
	struct nvptx_region *r = c->r;
	bool heavy = is_heavy(r);

	c->slow = NULL;
	if (heavy) {
		c->copy = calloc((size_t) r->n, sizeof(*c->copy));
		r->divisor = calloc((size_t) r->n, sizeof(*r->divisor));
		heavy = c->copy && r->divisor;
	}
	r->n_divisor = 0;
	if (heavy)
		write_twice(c, next);
	for (int i = 0; i < r->n; i++)
		if (r->member[i].v)
			LLVMSetMetadata(r->member[i].v, r->mark, NULL);
	r->n = c->n_store = 0;
	free(r->divisor);
	free(c->copy);
	r->divisor = NULL;
	c->copy = NULL;
	return c->slow;
}

/* Can "v" be in the region of "c", behind what is there? */
static bool take_in(struct careful *c, LLVMValueRef v)
{
	if (!nvptx_can_move(v) || (LLVMIsALoadInst(v) && c->n_store &&
	    !nvptx_is_invariant(c->r, v)))
		return false;
	if (!LLVMIsAStoreInst(v))
		return nvptx_region_add(c->r, v);
	if (c->n_store == MOST_STORES)
		return false;
	c->store[c->n_store++] = v;
	return true;
}

/* Look through "block"; what a region is cut off stands behind it, and is looked at next.
 * The careful block that was made, or NULL.
 */
static LLVMBasicBlockRef look_through(struct nvptx_region *r, LLVMBasicBlockRef block)
{
	LLVMValueRef v = LLVMGetFirstInstruction(block);
	struct careful c = { .r = r, .block = block };
	LLVMBasicBlockRef slow = NULL;

	for (; v && !slow; v = LLVMGetNextInstruction(v)) {
		if (LLVMIsAPHINode(v) || take_in(&c, v))
			continue;
		slow = end_region(&c, v);
		if (!slow)
			take_in(&c, v);
	}
	return slow;
}

/* Careful blocks stand behind all others, and stay as they are. */
void nvptx_hurry_divisions(struct nvptx_module *m)
{
	struct nvptx_region r = nvptx_region_begin(m);
	LLVMValueRef f;

	for (f = LLVMGetFirstFunction(m->module); f; f = LLVMGetNextFunction(f)) {
		LLVMBasicBlockRef b = nvptx_is_full(f) ? NULL :
			LLVMGetFirstBasicBlock(f), end = NULL, slow;

		for (; b && b != end; b = LLVMGetNextBasicBlock(b)) {
			slow = look_through(&r, b);
			end = end ? end : slow;
		}
	}
	free(r.member);
	LLVMDisposeBuilder(r.b);
}
