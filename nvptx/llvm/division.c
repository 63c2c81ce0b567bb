/* nvptx: divisions in f32 whose special cases are tested for together.
 *
 * ptxas makes of each div.rn.f32 an approximate reciprocal, a test for operands that
 * need more care (FCHK), and a branch, one after the other: no two divisions overlap.
 * Here the divisions of a block that do not need each other become
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
 *	a finite q
 *
 * The second is not needed where x / y becomes f16 at once: less than 2^-76 rounds to
 * 0. As y is positive, a zero of either sign keeps it. tests/nvptx/test_division.c
 * has the quotients that are next to the middle of two numbers.
 *
 * What uses a quotient moves behind the branch, stores of it too, and with these all
 * later ones. A load of what may be stored, and what threads do together, end a group.
 */
#include <stdlib.h>
#include <string.h>

#include "nvptx/llvm/llvm.h"

enum {
	LEAST = 2,		/* divisions of a group */
	MOST = 32,
	MANTISSA = 23,		/* bits of f32 */
	BIAS = 127,
	DIVISOR_LOW = -24, DIVISOR_HIGH = 24, DIVIDEND_LOW = -100,
	SUMS = 4,		/* of quotients, each as long as a fourth of them */
};

/* Divisions, and what needs their results. */
struct group {
	struct nvptx_module *m;
	LLVMBuilderRef b;
	unsigned mark, invariant;	/* metadata: of "late", of loads */
	LLVMTypeRef f32, i32;
	LLVMValueRef division[MOST];
	int n_division;
	LLVMValueRef *late;		/* in order, the divisions among them */
	int n_late, max_late;
	bool stores;			/* some of them are stores */
	/* while code is made: */
	LLVMValueRef inverse[MOST], quotient[MOST];
	LLVMValueRef bad, least, sum[SUMS];
};

static LLVMValueRef integer(struct group *g, uint64_t v)
{
	return LLVMConstInt(g->i32, v, 0);
}

/* The bits of 2^e as f32. */
static uint64_t power_bits(int e)
{
	return (uint64_t) (BIAS + e) << MANTISSA;
}

static LLVMValueRef call(struct group *g, const char *name, LLVMTypeRef type,
	LLVMValueRef *arg, unsigned n)
{
	LLVMValueRef f = LLVMGetIntrinsicDeclaration(g->m->module,
		LLVMLookupIntrinsicID(name, strlen(name)), &type, 1);

	return LLVMBuildCall2(g->b, LLVMGlobalGetValueType(f), f, arg, n, "");
}

static LLVMValueRef fma3(struct group *g, LLVMValueRef x, LLVMValueRef y,
	LLVMValueRef z)
{
	LLVMValueRef arg[3] = { x, y, z };

	return call(g, "llvm.fma", g->f32, arg, 3);
}

static LLVMValueRef bits_of(struct group *g, LLVMValueRef x)
{
	return LLVMBuildBitCast(g->b, x, g->i32, "");
}

/* ------------------------------------------------------------ what is a group */

/* Is "y", a constant, within the bounds of a divisor? */
static bool is_divisor(LLVMValueRef y)
{
	LLVMBool lost;
	double v = LLVMConstRealGetDouble(y, &lost);

	return v >= 1. / (1 << -DIVISOR_LOW) && v < 1 << DIVISOR_HIGH;
}

static bool is_division(struct group *g, LLVMValueRef v)
{
	return LLVMGetInstructionOpcode(v) == LLVMFDiv && LLVMTypeOf(v) == g->f32 &&
		!LLVMGetFastMathFlags(v) &&
		(!LLVMIsAConstantFP(LLVMGetOperand(v, 1)) ||
		is_divisor(LLVMGetOperand(v, 1)));
}

static bool is_late(struct group *g, LLVMValueRef v)
{
	return LLVMIsAInstruction(v) && LLVMGetMetadata(v, g->mark);
}

static bool needs_late(struct group *g, LLVMValueRef v)
{
	int n = LLVMGetNumOperands(v);

	for (int i = 0; i < n; i++)
		if (is_late(g, LLVMGetOperand(v, i)))
			return true;
	return false;
}

static bool has_attribute(LLVMValueRef f, const char *name, uint64_t value)
{
	LLVMAttributeRef a = LLVMGetEnumAttributeAtIndex(f,
		LLVMAttributeFunctionIndex,
		LLVMGetEnumAttributeKindForName(name, strlen(name)));

	return a && LLVMGetEnumAttributeValue(a) == value;
}

static bool is_store(LLVMValueRef v)
{
	return LLVMIsAStoreInst(v) && !LLVMGetVolatile(v) && !LLVMIsAtomic(v);
}

/* A call of LLVM's that neither sees memory nor other threads. */
static bool is_pure_call(LLVMValueRef v)
{
	LLVMValueRef f = LLVMIsACallInst(v) ? LLVMGetCalledValue(v) : NULL;

	return f && LLVMIsAFunction(f) && LLVMGetIntrinsicID(f) &&
		has_attribute(f, "memory", 0) && !has_attribute(f, "convergent", 0);
}

/* Can stores before "v" be behind it as well? */
static bool is_before_stores(struct group *g, LLVMValueRef v)
{
	switch (LLVMGetInstructionOpcode(v)) {
	case LLVMLoad:
		return LLVMGetMetadata(v, g->invariant) != NULL;
	case LLVMCall:
		return is_pure_call(v);
	case LLVMFence:
	case LLVMAtomicRMW:
	case LLVMAtomicCmpXchg:
	case LLVMStore:
		return false;
	default:
		return true;
	}
}

/* Is "v" the same wherever it stands? */
static bool can_move(LLVMValueRef v)
{
	if (LLVMIsABinaryOperator(v) || LLVMIsAUnaryOperator(v) || LLVMIsACmpInst(v))
		return true;
	switch (LLVMGetInstructionOpcode(v)) {
	case LLVMSelect:
	case LLVMExtractElement:
	case LLVMInsertElement:
	case LLVMShuffleVector:
	case LLVMGetElementPtr:
	case LLVMFreeze:
		return true;
	default:
		return LLVMIsACastInst(v) || is_pure_call(v);
	}
}

/* Add "v" to what comes late. */
static bool delay(struct group *g, LLVMValueRef v)
{
	LLVMMetadataRef none;

	if (g->n_late == g->max_late) {
		int max = g->max_late ? 2 * g->max_late : 64;
		LLVMValueRef *late = realloc(g->late, max * sizeof(*late));

		if (!late)
			return false;
		g->late = late;
		g->max_late = max;
	}
	none = LLVMMDNodeInContext2(g->m->ctx, NULL, 0);
	LLVMSetMetadata(v, g->mark, LLVMMetadataAsValue(g->m->ctx, none));
	g->late[g->n_late++] = v;
	return true;
}

/* Forget the group. */
static void end(struct group *g)
{
	for (int i = 0; i < g->n_late; i++)
		LLVMSetMetadata(g->late[i], g->mark, NULL);
	g->n_late = g->n_division = 0;
	g->stores = false;
}

/* ---------------------------------------------------------------------- code */

/* 1 / y, rounded once, for a divisor within its bounds. */
static LLVMValueRef inverse_of(struct group *g, LLVMValueRef y)
{
	LLVMValueRef one = LLVMConstReal(g->f32, 1), start;
	LLVMBool lost;

	if (LLVMIsAConstantFP(y))
		return LLVMConstReal(g->f32,
			(float) (1 / LLVMConstRealGetDouble(y, &lost)));
	if (g->m->opt.device == NVPTX_HOST)
		return LLVMBuildFDiv(g->b, one, y, "");
	start = nvptx_hw_inverse(g->m->module, g->b, y);
	return fma3(g, start, fma3(g, LLVMBuildFNeg(g->b, y, ""), start, one), start);
}

static void add_bad(struct group *g, LLVMValueRef bad)
{
	g->bad = g->bad ? LLVMBuildOr(g->b, g->bad, bad, "") : bad;
}

/* The reciprocal for division "i", and whether its divisor is out of bounds. */
static void make_inverse(struct group *g, int i)
{
	LLVMValueRef y = LLVMGetOperand(g->division[i], 1), low;
	int j;

	for (j = 0; j < i; j++)
		if (LLVMGetOperand(g->division[j], 1) == y) {
			g->inverse[i] = g->inverse[j];
			return;
		}
	g->inverse[i] = inverse_of(g, y);
	if (LLVMIsAConstantFP(y))
		return;
	low = LLVMBuildSub(g->b, bits_of(g, y),
		integer(g, power_bits(DIVISOR_LOW)), "");
	add_bad(g, LLVMBuildICmp(g->b, LLVMIntUGE, low, integer(g,
		power_bits(DIVISOR_HIGH) - power_bits(DIVISOR_LOW)), ""));
}

/* Does every use of "v" round it to f16? */
static bool becomes_half(LLVMValueRef v)
{
	LLVMUseRef use;

	for (use = LLVMGetFirstUse(v); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);

		if (LLVMGetInstructionOpcode(user) != LLVMFPTrunc ||
		    LLVMGetTypeKind(LLVMTypeOf(user)) != LLVMHalfTypeKind)
			return false;
	}
	return true;
}

/* Have "x" among the numbers the least of which is tested: 2 |x| - 1 as bits, which is
 * the greatest of all for 0.
 */
static void test_dividend(struct group *g, LLVMValueRef x)
{
	LLVMValueRef v = bits_of(g, x), arg[2];

	v = LLVMBuildAdd(g->b, LLVMBuildAdd(g->b, v, v, ""),
		LLVMConstAllOnes(g->i32), "");
	arg[0] = g->least;
	arg[1] = v;
	g->least = g->least ? call(g, "llvm.umin", g->i32, arg, 2) : v;
}

/* The quotient of division "i", where nothing is out of bounds. */
static void make_quotient(struct group *g, int i)
{
	LLVMValueRef x = LLVMGetOperand(g->division[i], 0);
	LLVMValueRef y = LLVMGetOperand(g->division[i], 1), q, t, zero, *sum;

	q = LLVMBuildFMul(g->b, x, g->inverse[i], "");
	t = fma3(g, q, y, LLVMBuildFNeg(g->b, x, ""));
	q = fma3(g, LLVMBuildFNeg(g->b, t, ""), g->inverse[i], q);
	if (!becomes_half(g->division[i]))
		test_dividend(g, x);
	zero = LLVMConstReal(g->f32, 0);
	sum = &g->sum[i % SUMS];
	*sum = fma3(g, q, zero, *sum ? *sum : zero);
	g->quotient[i] = q;
}

/* Add to "bad": the least dividend is too small, or a sum of quotients times 0 is NaN,
 * as it is if one is not finite.
 */
static void add_tests(struct group *g)
{
	LLVMValueRef sum = g->sum[0];
	int i;

	for (i = 1; i < SUMS && g->sum[i]; i++)
		sum = LLVMBuildFAdd(g->b, sum, g->sum[i], "");
	add_bad(g, LLVMBuildFCmp(g->b, LLVMRealUNO, sum, sum, ""));
	if (g->least)
		add_bad(g, LLVMBuildICmp(g->b, LLVMIntULT, g->least, integer(g,
			2 * power_bits(DIVIDEND_LOW) - 1), ""));
}

/* Branch to "yes" if "bad", which is rare, else to "no". */
static void branch(struct group *g, LLVMValueRef bad, LLVMBasicBlockRef yes,
	LLVMBasicBlockRef no)
{
	LLVMContextRef ctx = g->m->ctx;
	LLVMValueRef br = LLVMBuildCondBr(g->b, bad, yes, no);
	LLVMMetadataRef weight[3] = {
		LLVMMDStringInContext2(ctx, "branch_weights", 14),
		LLVMValueAsMetadata(integer(g, 1)),
		LLVMValueAsMetadata(integer(g, 1 << 20)),
	};

	LLVMSetMetadata(br, LLVMGetMDKindIDInContext(ctx, "prof", 4),
		LLVMMetadataAsValue(ctx, LLVMMDNodeInContext2(ctx, weight, 3)));
}

/* What came to the phis at the beginning of "block" from "from" comes from "to". */
static void come_from(struct group *g, LLVMBasicBlockRef block,
	LLVMBasicBlockRef from, LLVMBasicBlockRef to)
{
	LLVMValueRef old = LLVMGetFirstInstruction(block), next, phi;

	for (; old && LLVMIsAPHINode(old); old = next) {
		unsigned n = LLVMCountIncoming(old);

		next = LLVMGetNextInstruction(old);
		LLVMPositionBuilderBefore(g->b, old);
		phi = LLVMBuildPhi(g->b, LLVMTypeOf(old), "");
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

/* Move "v" to the end of the builder's block. */
static void move(struct group *g, LLVMValueRef v)
{
	LLVMInstructionRemoveFromParent(v);
	LLVMInsertIntoBuilder(g->b, v);
}

/* Move the instructions of "block" from "first" on behind "join", and what waits for
 * quotients before them.
 */
static void move_rest(struct group *g, LLVMBasicBlockRef block, LLVMValueRef first,
	LLVMBasicBlockRef join)
{
	LLVMValueRef next, last;

	LLVMPositionBuilderAtEnd(g->b, join);
	for (int i = 0; i < g->n_late; i++)
		if (LLVMGetInstructionParent(g->late[i]) == block)
			move(g, g->late[i]);
	for (; first; first = next) {
		next = LLVMGetNextInstruction(first);
		move(g, first);
	}
	last = LLVMGetBasicBlockTerminator(join);
	for (unsigned i = 0; i < LLVMGetNumSuccessors(last); i++)
		come_from(g, LLVMGetSuccessor(last, i), block, join);
}

/* Make the code of the group, whose block goes on with "next"; return the block that
 * "next" is in then.
 */
static LLVMBasicBlockRef make(struct group *g, LLVMValueRef next)
{
	LLVMBasicBlockRef block = LLVMGetInstructionParent(next), slow, join;
	LLVMValueRef function = LLVMGetBasicBlockParent(block);
	LLVMValueRef phi[MOST];
	int i;

	slow = LLVMAppendBasicBlockInContext(g->m->ctx, function, "divide");
	join = LLVMAppendBasicBlockInContext(g->m->ctx, function, "divided");
	LLVMMoveBasicBlockAfter(slow, block);
	LLVMMoveBasicBlockAfter(join, block);
	g->bad = g->least = NULL;
	memset(g->sum, 0, sizeof(g->sum));
	LLVMPositionBuilderBefore(g->b, next);
	for (i = 0; i < g->n_division; i++) {
		LLVMSetCurrentDebugLocation2(g->b,
			LLVMInstructionGetDebugLoc(g->division[i]));
		make_inverse(g, i);
		make_quotient(g, i);
	}
	add_tests(g);
	LLVMPositionBuilderAtEnd(g->b, join);
	for (i = 0; i < g->n_division; i++) {
		phi[i] = LLVMBuildPhi(g->b, g->f32, "");
		LLVMReplaceAllUsesWith(g->division[i], phi[i]);
		LLVMAddIncoming(phi[i], &g->quotient[i], &block, 1);
		LLVMAddIncoming(phi[i], &g->division[i], &slow, 1);
	}
	LLVMSetCurrentDebugLocation2(g->b, NULL);
	LLVMPositionBuilderAtEnd(g->b, slow);
	for (i = 0; i < g->n_division; i++)
		move(g, g->division[i]);
	LLVMBuildBr(g->b, join);
	move_rest(g, block, next, join);
	LLVMPositionBuilderAtEnd(g->b, block);
	branch(g, g->bad, slow, join);
	return join;
}

/* Add instruction "v" to the group, if it can be. */
static bool add(struct group *g, LLVMValueRef v)
{
	bool needs = needs_late(g, v);

	if (is_division(g, v) && !needs) {
		if (g->n_division == MOST || !delay(g, v))
			return false;
		g->division[g->n_division++] = v;
		return true;
	}
	if (is_store(v) && (needs || g->stores)) {
		g->stores = true;
		return delay(g, v);
	}
	if (!needs)
		return !LLVMIsATerminatorInst(v) &&
			(!g->stores || is_before_stores(g, v));
	return can_move(v) && !is_division(g, v) && delay(g, v);
}

/* Make the groups of a block, and of the blocks that it is cut into. These stand
 * behind it, the divisions as they were last.
 */
static void divide_block(struct group *g, LLVMBasicBlockRef block)
{
	LLVMValueRef v, next;

	for (v = LLVMGetFirstInstruction(block); v; v = next) {
		next = LLVMGetNextInstruction(v);
		if (add(g, v))
			continue;
		if (g->n_division >= LEAST)
			make(g, v);
		end(g);
		/* now "v" needs nothing that is late */
		add(g, v);
		next = LLVMGetNextInstruction(v);
	}
	end(g);
}

void nvptx_join_divisions(struct nvptx_module *m)
{
	struct group g = { .m = m };
	LLVMBasicBlockRef next;

	g.b = LLVMCreateBuilderInContext(m->ctx);
	g.f32 = LLVMFloatTypeInContext(m->ctx);
	g.i32 = LLVMInt32TypeInContext(m->ctx);
	g.mark = LLVMGetMDKindIDInContext(m->ctx, "cetane.late", 11);
	g.invariant = LLVMGetMDKindIDInContext(m->ctx, "invariant.load", 14);
	for (LLVMValueRef f = LLVMGetFirstFunction(m->module); f;
	     f = LLVMGetNextFunction(f))
		for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = next) {
			next = LLVMGetNextBasicBlock(b);
			divide_block(&g, b);
		}
	free(g.late);
	LLVMDisposeBuilder(g.b);
}
