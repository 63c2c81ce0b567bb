/* nvptx: divisions in f32 whose special cases are tested for together.
 *
 * ptxas makes of each div.rn.f32 an approximate reciprocal, a test for operands that
 * need more care (FCHK), and a branch, one after the other: no two divisions overlap.
 * In blocks that make numbers of 8 or 16 bits, where that takes longer than memory
 * does, the divisions that do not need each other become
 *
 *	r = 1 / y, rounded once: one for each divisor
 *	q = x * r;  t = q * y - x;  q = q - t * r
 *
 * and one branch, to the divisions as they were, where the operands of any of them are
 * out of bounds. q is x / y rounded once (P. Markstein, Computation of elementary
 * functions on the IBM RISC System/6000 processor, 1990) where t is exact and nothing
 * overflows or is denormal. That is so for
 *
 *	y from 2^-24 up to, but without, 2^24
 *	x = 0, or |x| >= 2^-100
 *	a finite q, which it is if |x| <= 1
 *
 * The second is not needed where x / y becomes f16 at once: less than 2^-76 rounds to
 * 0. As y is positive, a zero of either sign keeps it. tests/nvptx/test_division.c
 * has the quotients that are next to the middle of two numbers.
 *
 * The instructions of a block are put in an order for that: what needs no quotient, the
 * quotients of the first group, what needs these, and so on. A division that needs
 * another one of a group, or by a number of its own, stays as it is: elements that a thread has
 * one after the other would all have to be in registers at once. Stores keep their
 * order; where an access that needs no quotient would have to wait for one that does,
 * all stays. Calls that see memory or other threads stay where they are.
 */
#include <stdlib.h>

#include "nvptx/optimise/division.h"
#include "polyir/base/gpu.h"

enum {
	MANTISSA = 23,		/* bits of f32 */
	BIAS = 127,
	DIVISOR_LOW = NVPTX_DIVISOR_LOW, DIVISOR_HIGH = NVPTX_DIVISOR_HIGH,
	DIVIDEND_LOW = -100,
};

LLVMValueRef nvptx_region_integer(struct nvptx_region *r, uint64_t v)
{
	return LLVMConstInt(r->i32, v, 0);
}

/* The bits of 2^e as f32. */
static uint64_t power_bits(int e)
{
	return (uint64_t) (BIAS + e) << MANTISSA;
}

static LLVMValueRef fma3(struct nvptx_region *r, LLVMValueRef x, LLVMValueRef y,
	LLVMValueRef z)
{
	LLVMValueRef arg[3] = { x, y, z };

	return nvptx_build_intrinsic(r->m->module, r->b, "llvm.fma", arg, 3);
}

static LLVMValueRef bits_of(struct nvptx_region *r, LLVMValueRef x)
{
	return LLVMBuildBitCast(r->b, x, r->i32, "");
}

static LLVMValueRef either(struct nvptx_region *r, LLVMValueRef a, LLVMValueRef b)
{
	return a && b ? LLVMBuildOr(r->b, a, b, "") : a ? a : b;
}

/* ---------------------------------------------------------------------- code */

/* 1 / y, rounded once, for a divisor within its bounds. */
static LLVMValueRef inverse_of(struct nvptx_region *r, LLVMValueRef y)
{
	LLVMBool lost;

	if (LLVMIsAConstantFP(y))
		return LLVMConstReal(r->f32,
			(float) (1 / LLVMConstRealGetDouble(y, &lost)));
	if (r->m->opt.device == NVPTX_HOST)
		return LLVMBuildFDiv(r->b, LLVMConstReal(r->f32, 1), y, "");
	return nvptx_hw_inverse(r->m->module, r->b, y);
}

/* The divisor "y", of which the code is made where it is needed first. */
static const struct nvptx_divisor *divisor_of(struct nvptx_region *r, LLVMValueRef y)
{
	struct nvptx_divisor *d = r->divisor;
	LLVMValueRef low;

	for (; d < r->divisor + r->n_divisor; d++)
		if (d->y == y)
			return d;
	r->n_divisor++;
	d->y = y;
	d->inverse = inverse_of(r, y);
	if (LLVMIsAConstantFP(y))
		return d;
	low = LLVMBuildSub(r->b, bits_of(r, y), nvptx_region_integer(r, power_bits(DIVISOR_LOW)), "");
	d->bad = LLVMBuildICmp(r->b, LLVMIntUGE, low, nvptx_region_integer(r,
		power_bits(DIVISOR_HIGH) - power_bits(DIVISOR_LOW)), "");
	return d;
}

/* Have "x" among the numbers the least of which is tested: 2 |x| - 1 as bits, or x - 1 where
 * it is a part of 1, which is the greatest of all for 0.
 */
static void test_dividend(struct nvptx_region *r, struct nvptx_divisions *g, LLVMValueRef x,
	bool part)
{
	LLVMValueRef v = bits_of(r, x), arg[2], *least = part ? &g->least_part : &g->least;

	if (!part)
		v = LLVMBuildAdd(r->b, v, v, "");
	v = LLVMBuildAdd(r->b, v, LLVMConstAllOnes(r->i32), "");
	arg[0] = *least;
	arg[1] = v;
	*least = *least ? nvptx_build_intrinsic(r->m->module, r->b, "llvm.umin",
		arg, 2) : v;
}

/* The quotient of division "i" of "g", where nothing is out of bounds. */
static LLVMValueRef make_quotient(struct nvptx_region *r, struct nvptx_divisions *g, int i)
{
	LLVMValueRef x = LLVMGetOperand(g->division[i], 0);
	LLVMValueRef y = LLVMGetOperand(g->division[i], 1), q, t, zero, *sum;
	const struct nvptx_divisor *d = divisor_of(r, y);
	bool part = nvptx_is_part_of_one(r->m->module, x);

	q = LLVMBuildFMul(r->b, x, d->inverse, "");
	t = fma3(r, q, y, LLVMBuildFNeg(r->b, x, ""));
	q = fma3(r, LLVMBuildFNeg(r->b, t, ""), d->inverse, q);
	if (d->bad != g->bad)
		g->bad = either(r, g->bad, d->bad);
	if (!nvptx_becomes_short(g->phi[i], true))
		test_dividend(r, g, x, part);
	if (part)
		return q;
	zero = LLVMConstReal(r->f32, 0);
	sum = &g->sum[i % NVPTX_QUOTIENT_SUMS];
	*sum = fma3(r, q, zero, *sum ? *sum : zero);
	return q;
}

/* Is "least" less than "low"? NULL: there is none. */
static LLVMValueRef is_less(struct nvptx_region *r, LLVMValueRef least, uint64_t low)
{
	return least ? LLVMBuildICmp(r->b, LLVMIntULT, least,
		nvptx_region_integer(r, low), "") : NULL;
}

/* Is it true that the least dividend is too small, or that a sum of quotients times 0
 * is NaN, as it is if one is not finite? NULL: never.
 */
static LLVMValueRef make_test(struct nvptx_region *r, struct nvptx_divisions *g)
{
	LLVMValueRef sum = NULL, bad;

	for (int i = 0; i < NVPTX_QUOTIENT_SUMS; i++)
		if (g->sum[i])
			sum = sum ? LLVMBuildFAdd(r->b, sum, g->sum[i], "") :
				g->sum[i];
	bad = sum ? LLVMBuildFCmp(r->b, LLVMRealUNO, sum, sum, "") : NULL;
	bad = either(r, bad, is_less(r, g->least, 2 * power_bits(DIVIDEND_LOW) - 1));
	bad = either(r, bad, is_less(r, g->least_part, power_bits(DIVIDEND_LOW) - 1));
	return either(r, bad, g->bad);
}

/* Branch to "yes" if "bad", which is rare, else to "no". */
static void branch(struct nvptx_region *r, LLVMValueRef bad, LLVMBasicBlockRef yes,
	LLVMBasicBlockRef no)
{
	LLVMContextRef ctx = r->m->ctx;
	LLVMValueRef br = LLVMBuildCondBr(r->b, bad, yes, no);
	LLVMMetadataRef weight[3] = {
		LLVMMDStringInContext2(ctx, "branch_weights", 14),
		LLVMValueAsMetadata(nvptx_region_integer(r, 1)),
		LLVMValueAsMetadata(nvptx_region_integer(r, 1 << 20)),
	};

	LLVMSetMetadata(br, LLVMGetMDKindIDInContext(ctx, "prof", 4),
		LLVMMetadataAsValue(ctx, LLVMMDNodeInContext2(ctx, weight, 3)));
}

/* The code of a group at the end of its block. */
void nvptx_make_divisions(struct nvptx_region *r, struct nvptx_divisions *g)
{
	LLVMValueRef bad;

	LLVMPositionBuilderAtEnd(r->b, g->fast);
	for (int i = 0; i < g->n; i++) {
		LLVMValueRef q;

		LLVMSetCurrentDebugLocation2(r->b,
			LLVMInstructionGetDebugLoc(g->division[i]));
		q = make_quotient(r, g, i);
		LLVMAddIncoming(g->phi[i], &q, &g->fast, 1);
	}
	bad = make_test(r, g);
	branch(r, bad ? bad : LLVMConstInt(LLVMInt1TypeInContext(r->m->ctx), 0, 0),
		g->slow, g->join);
	LLVMPositionBuilderAtEnd(r->b, g->slow);
	LLVMBuildBr(r->b, g->join);
	LLVMSetCurrentDebugLocation2(r->b, NULL);
}

/* Make the groups of a block. What it is cut into stands behind it. */
static void divide_block(struct nvptx_region *r, LLVMBasicBlockRef block)
{
	LLVMValueRef v = LLVMGetFirstInstruction(block), next;

	for (; v; v = next) {
		next = LLVMGetNextInstruction(v);
		if (LLVMIsAPHINode(v) || (nvptx_can_move(v) && nvptx_region_add(r, v)))
			continue;
		nvptx_region_end(r, LLVMGetInstructionParent(v), v);
	}
}

/* Has "block" as many divisions as a group? */
static bool has_group(LLVMBasicBlockRef block)
{
	LLVMValueRef v = LLVMGetFirstInstruction(block);
	int n = 0;

	for (; v; v = LLVMGetNextInstruction(v))
		n += nvptx_is_division(v);
	return n >= NVPTX_LEAST_DIVISIONS;
}

/* Has the kernel "f" blocks of as many threads as there can be? Groups would take the
 * registers of a second block on a multiprocessor.
 */
static bool is_full(LLVMValueRef f)
{
	static const char name[] = "nvvm.reqntid";
	LLVMAttributeRef a = LLVMGetStringAttributeAtIndex(f,
		(LLVMAttributeIndex) LLVMAttributeFunctionIndex, name,
		sizeof(name) - 1);
	unsigned length;
	int x = 0, y = 0;

	return a && sscanf(LLVMGetStringAttributeValue(a, &length), "%d,%d", &x,
		&y) == 2 && x * y >= POLY_MOST_THREADS;
}

void nvptx_join_divisions(struct nvptx_module *m)
{
	struct nvptx_region r = { .m = m };
	LLVMBasicBlockRef next;

	r.b = LLVMCreateBuilderInContext(m->ctx);
	r.f32 = LLVMFloatTypeInContext(m->ctx);
	r.i32 = LLVMInt32TypeInContext(m->ctx);
	r.mark = LLVMGetMDKindIDInContext(m->ctx, "cetane.member", 13);
	r.invariant = LLVMGetMDKindIDInContext(m->ctx, "invariant.load", 14);
	for (LLVMValueRef f = LLVMGetFirstFunction(m->module); f;
	     f = LLVMGetNextFunction(f))
		for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = next) {
			next = LLVMGetNextBasicBlock(b);
			nvptx_take_back_divisions(m, b);
			if (has_group(b) && !is_full(f))
				divide_block(&r, b);
		}
	free(r.member);
	LLVMDisposeBuilder(r.b);
}
