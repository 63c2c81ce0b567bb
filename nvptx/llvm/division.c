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
 *	a finite q
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
#include <llvm-c/Target.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nvptx/llvm/llvm.h"
#include "polyir/base/gpu.h"

enum {
	LEAST = 2,		/* divisions of a group */
	MOST = 8,		/* a run of 16 bytes in f16 */
	MANTISSA = 23,		/* bits of f32 */
	BIAS = 127,
	DIVISOR_LOW = NVPTX_DIVISOR_LOW, DIVISOR_HIGH = NVPTX_DIVISOR_HIGH,
	DIVIDEND_LOW = -100,
	SUMS = 4,		/* of quotients, each as long as a fourth of them */
};

/* A divisor, its reciprocal, and whether it is out of bounds; NULL: it never is. */
struct divisor {
	LLVMValueRef y, inverse, bad;
};

/* Divisions, and their blocks: where they are computed together, where they are as
 * they were, and where both meet.
 */
struct group {
	LLVMValueRef division[MOST], phi[MOST];
	int n;
	LLVMBasicBlockRef fast, slow, join;
	LLVMValueRef bad, least, sum[SUMS];
};

/* An instruction. It needs what is there from 1 + the last group on whose quotients are
 * among its operands, or what these were computed of, and 0 if there is none. Its step
 * is that, or what the order of memory asks for. Before there are groups, both count
 * the divisions that need each other.
 */
struct member {
	LLVMValueRef v;
	int need, step;
	int group;		/* of a division, or NONE */
};
enum { NONE = -1 };

/* Instructions of a block, in a row, and what is made of them. */
struct region {
	struct nvptx_module *m;
	LLVMBuilderRef b;
	unsigned mark, invariant;	/* metadata: the index of a member; of loads */
	LLVMTypeRef f32, i32;
	struct member *member;
	int n, max;
	struct group *group;
	int n_group;
	struct divisor *divisor;
	int n_divisor;
	bool bytes;		/* of quotients (makes_bytes) */
};

static LLVMValueRef integer(struct region *r, uint64_t v)
{
	return LLVMConstInt(r->i32, v, 0);
}

/* The bits of 2^e as f32. */
static uint64_t power_bits(int e)
{
	return (uint64_t) (BIAS + e) << MANTISSA;
}

static LLVMValueRef fma3(struct region *r, LLVMValueRef x, LLVMValueRef y,
	LLVMValueRef z)
{
	LLVMValueRef arg[3] = { x, y, z };

	return nvptx_build_intrinsic(r->m->module, r->b, "llvm.fma", arg, 3);
}

static LLVMValueRef bits_of(struct region *r, LLVMValueRef x)
{
	return LLVMBuildBitCast(r->b, x, r->i32, "");
}

static LLVMValueRef either(struct region *r, LLVMValueRef a, LLVMValueRef b)
{
	return a && b ? LLVMBuildOr(r->b, a, b, "") : a ? a : b;
}

/* -------------------------------------------------------------- instructions */

static bool has_attribute(LLVMValueRef f, LLVMAttributeIndex i, const char *name,
	uint64_t value)
{
	LLVMAttributeRef a = LLVMGetEnumAttributeAtIndex(f, i,
		LLVMGetEnumAttributeKindForName(name, strlen(name)));

	return a && LLVMGetEnumAttributeValue(a) == value;
}

/* A call of LLVM's that neither sees memory nor other threads. */
static bool is_pure_call(LLVMValueRef v)
{
	LLVMAttributeIndex at = (LLVMAttributeIndex) LLVMAttributeFunctionIndex;

	return nvptx_called_intrinsic(v) &&
		has_attribute(LLVMGetCalledValue(v), at, "memory", 0) &&
		!has_attribute(LLVMGetCalledValue(v), at, "convergent", 0);
}

/* Can "v" have another place among what it does not depend on? */
static bool can_move(LLVMValueRef v)
{
	switch (LLVMGetInstructionOpcode(v)) {
	case LLVMLoad:
	case LLVMStore:
		return !LLVMGetVolatile(v) && !LLVMIsAtomic(v);
	case LLVMSelect:
	case LLVMExtractElement:
	case LLVMInsertElement:
	case LLVMShuffleVector:
	case LLVMExtractValue:
	case LLVMInsertValue:
	case LLVMGetElementPtr:
	case LLVMFreeze:
		return true;
	case LLVMCall:
		return is_pure_call(v);
	default:
		return LLVMIsABinaryOperator(v) || LLVMIsAUnaryOperator(v) ||
			LLVMIsACmpInst(v) || LLVMIsACastInst(v);
	}
}

/* Does "v", a load, read what no store of this kernel changes? An argument that is
 * neither written nor has another name is such a place.
 */
static bool is_invariant(struct region *r, LLVMValueRef v)
{
	LLVMValueRef p = LLVMGetOperand(v, 0), f;
	LLVMAttributeIndex at = 1;

	if (LLVMGetMetadata(v, r->invariant))
		return true;
	while (LLVMIsAGetElementPtrInst(p) || LLVMIsAAddrSpaceCastInst(p))
		p = LLVMGetOperand(p, 0);
	if (!LLVMIsAArgument(p))
		return false;
	f = LLVMGetParamParent(p);
	for (LLVMValueRef a = LLVMGetFirstParam(f); a != p; a = LLVMGetNextParam(a))
		at++;
	return has_attribute(f, at, "readonly", 0) && has_attribute(f, at, "noalias", 0);
}

/* --------------------------------------------------------------------- steps */

/* The member that "v" is, or NULL. */
static struct member *find(struct region *r, LLVMValueRef v)
{
	LLVMValueRef node = LLVMIsAInstruction(v) ? LLVMGetMetadata(v, r->mark) : NULL;
	LLVMValueRef index;

	if (!node)
		return NULL;
	LLVMGetMDNodeOperands(node, &index);
	return &r->member[LLVMConstIntGetZExtValue(index)];
}

/* Do two members or more divide by "y"? Constants have no lists of uses. */
static bool is_common(struct region *r, LLVMValueRef y)
{
	int n = 0;

	for (int i = 0; LLVMIsConstant(y) && i < r->n && n < LEAST; i++)
		n += nvptx_is_division(r->member[i].v) &&
			LLVMGetOperand(r->member[i].v, 1) == y;
	for (LLVMUseRef use = LLVMIsConstant(y) ? NULL : LLVMGetFirstUse(y);
	     use && n < LEAST; use = LLVMGetNextUse(use)) {
		const struct member *m = find(r, LLVMGetUser(use));

		n += m && nvptx_is_division(m->v) && LLVMGetOperand(m->v, 1) == y;
	}
	return n == LEAST;
}

/* The bytes of an element of "v", a run of them; 0 if it is none. */
static unsigned long long size_of_run(struct region *r, LLVMValueRef v)
{
	LLVMTypeRef type = LLVMTypeOf(v);

	return LLVMGetTypeKind(type) != LLVMVectorTypeKind ? 0 : LLVMABISizeOfType(
		LLVMGetModuleDataLayout(r->m->module), LLVMGetElementType(type));
}

/* Does the region store runs of bytes, and do two members or more divide by a number that
 * is no constant?
 */
static bool makes_bytes(struct region *r)
{
	bool bytes = false, common = false;

	for (int i = 0; i < r->n; i++) {
		LLVMValueRef v = r->member[i].v;

		bytes |= LLVMIsAStoreInst(v) && size_of_run(r,
			LLVMGetOperand(v, 0)) == 1;
		common |= nvptx_is_division(v) &&
			!LLVMIsConstant(LLVMGetOperand(v, 1)) &&
			is_common(r, LLVMGetOperand(v, 1));
	}
	return bytes && common;
}

/* Does another member divide by the same number? A constant is like any other one, but
 * where bytes are made of quotients by something else: a division by a constant is where
 * their divisor comes from. Norms in f16, whose divisors come from sums by a number of
 * elements, would have groups as well, and take 1.04 to 1.23 times as long: they have so many
 * registers that fewer blocks share a multiprocessor.
 */
static bool is_shared_divisor(struct region *r, LLVMValueRef y)
{
	return (LLVMIsConstant(y) && !r->bytes) || is_common(r, y);
}

/* Can "m" be in a group? */
static bool is_candidate(struct region *r, const struct member *m)
{
	return !m->step && nvptx_is_division(m->v) &&
		is_shared_divisor(r, LLVMGetOperand(m->v, 1));
}

/* Give members their steps; "after" tells from which on the result of one is there. */
static void set_steps(struct region *r, int (*after)(struct region *r,
	const struct member *m))
{
	int loaded = 0, stored = 0;	/* the last steps of loads and stores so far */

	for (int i = 0; i < r->n; i++) {
		struct member *m = &r->member[i];
		int n = LLVMGetNumOperands(m->v);

		m->need = 0;
		for (int k = 0; k < n; k++) {
			struct member *arg = find(r, LLVMGetOperand(m->v, k));
			int step = arg ? after(r, arg) : 0;

			m->need = step > m->need ? step : m->need;
		}
		m->step = m->need;
		if (LLVMIsALoadInst(m->v) && !is_invariant(r, m->v)) {
			m->step = stored > m->step ? stored : m->step;
			loaded = m->step > loaded ? m->step : loaded;
		} else if (LLVMIsAStoreInst(m->v)) {
			m->step = stored > m->step ? stored : m->step;
			m->step = loaded > m->step ? loaded : m->step;
			stored = m->step;
		}
	}
}

/* Has "v" so many uses that it stays in a register anyway? */
static bool is_shared(LLVMValueRef v)
{
	LLVMUseRef use = LLVMIsConstant(v) ? NULL : LLVMGetFirstUse(v);
	int n = 0;

	for (; use && n < MOST; use = LLVMGetNextUse(use))
		n++;
	return LLVMIsConstant(v) || n == MOST;
}

/* Do the operands of "v" take no more registers than its result? */
static bool is_light(LLVMValueRef v)
{
	if (LLVMIsABinaryOperator(v))
		return is_shared(LLVMGetOperand(v, 0)) || is_shared(LLVMGetOperand(v, 1));
	return LLVMIsACastInst(v) || LLVMIsAUnaryOperator(v) ||
		LLVMIsAExtractElementInst(v) || LLVMIsAGetElementPtrInst(v);
}

/* The last step in which "v" can be. */
static int last_step(struct region *r, LLVMValueRef v)
{
	int last = r->n_group;

	for (LLVMUseRef use = LLVMGetFirstUse(v); use; use = LLVMGetNextUse(use)) {
		const struct member *m = find(r, LLVMGetUser(use));
		int step = !m ? last : m->group == NONE ? m->step : m->group;

		last = step < last ? step : last;
	}
	return last;
}

/* Have what is computed from little wait until it is needed, and loads until the step
 * before, so that few registers hold something while groups before are computed.
 */
static void delay(struct region *r)
{
	for (int i = r->n - 1; i >= 0; i--) {
		struct member *m = &r->member[i];
		int last = last_step(r, m->v);

		if (m->group == NONE && is_light(m->v))
			m->step = last;
		else if (LLVMIsALoadInst(m->v) && is_invariant(r, m->v) &&
		    m->step < last - 1)
			m->step = last - 1;
	}
}

/* The step from which on the result of "m" is there, if each division is a group but
 * those by a number of their own.
 */
static int after_division(struct region *r, const struct member *m)
{
	return m->step + (nvptx_is_division(m->v) &&
		is_shared_divisor(r, LLVMGetOperand(m->v, 1)));
}

/* The same with the groups that there are. */
static int after_group(struct region *r, const struct member *m)
{
	(void) r;
	return m->group == NONE ? m->step : m->group + 1;
}

/* Does an access of memory wait for a store that needs a quotient, and needs none
 * itself? Elements that are one run of memory would be apart then.
 */
static bool is_torn(struct region *r)
{
	for (int i = 0; i < r->n; i++)
		if (r->member[i].need < r->member[i].step)
			return true;
	return false;
}

/* Does every use of "v" round it to 16 bits, with "half" to f16? */
static bool becomes(LLVMValueRef v, bool half)
{
	LLVMUseRef use;

	for (use = LLVMGetFirstUse(v); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);

		if (LLVMGetInstructionOpcode(user) != LLVMFPTrunc ||
		    (half && LLVMGetTypeKind(LLVMTypeOf(user)) !=
		    LLVMHalfTypeKind))
			return false;
	}
	return true;
}

/* Does the region make numbers of less than 32 bits, which it stores, or others do?
 * Where all have 32, memory takes longer than divisions do; so it does where runs of
 * both are stored.
 */
static bool is_narrow(struct region *r)
{
	bool narrow = false, wide = false;

	for (int i = 0; i < r->n; i++) {
		LLVMValueRef v = r->member[i].v, x;
		unsigned long long size;

		if (nvptx_is_division(v) && becomes(v, false))
			return true;
		if (!LLVMIsAStoreInst(v))
			continue;
		x = LLVMGetOperand(v, 0);
		if (LLVMABISizeOfType(LLVMGetModuleDataLayout(r->m->module),
		    LLVMTypeOf(x)) < sizeof(float))
			return true;
		size = size_of_run(r, x);
		narrow |= size && size < sizeof(float);
		wide |= size >= sizeof(float);
	}
	return narrow && !wide;
}

/* Divide the "n" candidates into groups of like size. */
static void make_groups(struct region *r, int n)
{
	int k = 0;

	r->n_group = (n + MOST - 1) / MOST;
	for (int i = 0; i < r->n; i++) {
		struct member *m = &r->member[i];
		struct group *g;

		if (!is_candidate(r, m))
			continue;
		m->group = k++ * r->n_group / n;
		g = &r->group[m->group];
		g->division[g->n++] = m->v;
	}
}

/* Find the groups of the region; none without memory. */
static void find_groups(struct region *r)
{
	int n = 0;

	r->bytes = makes_bytes(r);
	set_steps(r, after_division);
	for (int i = 0; i < r->n; i++)
		n += is_candidate(r, &r->member[i]);
	r->group = calloc(n + 1, sizeof(*r->group));
	r->divisor = calloc(n + 1, sizeof(*r->divisor));
	r->n_group = r->n_divisor = 0;
	if (!r->group || !r->divisor || n < LEAST || !is_narrow(r))
		return;
	make_groups(r, n);
	set_steps(r, after_group);
	if (is_torn(r))
		r->n_group = 0;
	else
		delay(r);
}

/* ---------------------------------------------------------------------- code */

/* 1 / y, rounded once, for a divisor within its bounds. */
static LLVMValueRef inverse_of(struct region *r, LLVMValueRef y)
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
static const struct divisor *divisor_of(struct region *r, LLVMValueRef y)
{
	struct divisor *d = r->divisor;
	LLVMValueRef low;

	for (; d < r->divisor + r->n_divisor; d++)
		if (d->y == y)
			return d;
	r->n_divisor++;
	d->y = y;
	d->inverse = inverse_of(r, y);
	if (LLVMIsAConstantFP(y))
		return d;
	low = LLVMBuildSub(r->b, bits_of(r, y), integer(r, power_bits(DIVISOR_LOW)), "");
	d->bad = LLVMBuildICmp(r->b, LLVMIntUGE, low, integer(r,
		power_bits(DIVISOR_HIGH) - power_bits(DIVISOR_LOW)), "");
	return d;
}

/* Have "x" among the numbers the least of which is tested: 2 |x| - 1 as bits, which is
 * the greatest of all for 0.
 */
static void test_dividend(struct region *r, struct group *g, LLVMValueRef x)
{
	LLVMValueRef v = bits_of(r, x), arg[2];

	v = LLVMBuildAdd(r->b, LLVMBuildAdd(r->b, v, v, ""),
		LLVMConstAllOnes(r->i32), "");
	arg[0] = g->least;
	arg[1] = v;
	g->least = g->least ? nvptx_build_intrinsic(r->m->module, r->b, "llvm.umin",
		arg, 2) : v;
}

/* The quotient of division "i" of "g", where nothing is out of bounds. */
static LLVMValueRef make_quotient(struct region *r, struct group *g, int i)
{
	LLVMValueRef x = LLVMGetOperand(g->division[i], 0);
	LLVMValueRef y = LLVMGetOperand(g->division[i], 1), q, t, zero, *sum;
	const struct divisor *d = divisor_of(r, y);

	q = LLVMBuildFMul(r->b, x, d->inverse, "");
	t = fma3(r, q, y, LLVMBuildFNeg(r->b, x, ""));
	q = fma3(r, LLVMBuildFNeg(r->b, t, ""), d->inverse, q);
	if (d->bad != g->bad)
		g->bad = either(r, g->bad, d->bad);
	if (!becomes(g->phi[i], true))
		test_dividend(r, g, x);
	zero = LLVMConstReal(r->f32, 0);
	sum = &g->sum[i % SUMS];
	*sum = fma3(r, q, zero, *sum ? *sum : zero);
	return q;
}

/* Is it true that the least dividend is too small, or that a sum of quotients times 0
 * is NaN, as it is if one is not finite?
 */
static LLVMValueRef make_test(struct region *r, struct group *g)
{
	LLVMValueRef sum = g->sum[0], bad;

	for (int i = 1; i < SUMS && g->sum[i]; i++)
		sum = LLVMBuildFAdd(r->b, sum, g->sum[i], "");
	bad = LLVMBuildFCmp(r->b, LLVMRealUNO, sum, sum, "");
	if (g->least)
		bad = either(r, bad, LLVMBuildICmp(r->b, LLVMIntULT, g->least,
			integer(r, 2 * power_bits(DIVIDEND_LOW) - 1), ""));
	return either(r, bad, g->bad);
}

/* Branch to "yes" if "bad", which is rare, else to "no". */
static void branch(struct region *r, LLVMValueRef bad, LLVMBasicBlockRef yes,
	LLVMBasicBlockRef no)
{
	LLVMContextRef ctx = r->m->ctx;
	LLVMValueRef br = LLVMBuildCondBr(r->b, bad, yes, no);
	LLVMMetadataRef weight[3] = {
		LLVMMDStringInContext2(ctx, "branch_weights", 14),
		LLVMValueAsMetadata(integer(r, 1)),
		LLVMValueAsMetadata(integer(r, 1 << 20)),
	};

	LLVMSetMetadata(br, LLVMGetMDKindIDInContext(ctx, "prof", 4),
		LLVMMetadataAsValue(ctx, LLVMMDNodeInContext2(ctx, weight, 3)));
}

/* The code of a group at the end of its block. */
static void make_group(struct region *r, struct group *g)
{
	LLVMPositionBuilderAtEnd(r->b, g->fast);
	for (int i = 0; i < g->n; i++) {
		LLVMValueRef q;

		LLVMSetCurrentDebugLocation2(r->b,
			LLVMInstructionGetDebugLoc(g->division[i]));
		q = make_quotient(r, g, i);
		LLVMAddIncoming(g->phi[i], &q, &g->fast, 1);
	}
	branch(r, make_test(r, g), g->slow, g->join);
	LLVMPositionBuilderAtEnd(r->b, g->slow);
	LLVMBuildBr(r->b, g->join);
	LLVMSetCurrentDebugLocation2(r->b, NULL);
}

/* ------------------------------------------------------------- moving of code */

/* What came to the phis at the beginning of "block" from "from" comes from "to". */
static void come_from(struct region *r, LLVMBasicBlockRef block,
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
static void move(struct region *r, LLVMValueRef v, LLVMBasicBlockRef block)
{
	LLVMPositionBuilderAtEnd(r->b, block);
	LLVMInstructionRemoveFromParent(v);
	LLVMInsertIntoBuilder(r->b, v);
}

/* Move what "block" has from "first" on to the end of "to". */
static void move_rest(struct region *r, LLVMBasicBlockRef block, LLVMValueRef first,
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
static void add_blocks(struct region *r, LLVMBasicBlockRef block)
{
	LLVMValueRef function = LLVMGetBasicBlockParent(block);
	LLVMBasicBlockRef last = block;

	for (int k = 0; k < r->n_group; k++) {
		struct group *g = &r->group[k];

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
static void divide(struct region *r, LLVMBasicBlockRef block, LLVMValueRef next)
{
	add_blocks(r, block);
	for (int i = 0; i < r->n; i++) {
		const struct member *m = &r->member[i];

		if (m->group != NONE)
			move(r, m->v, r->group[m->group].slow);
		else if (m->step)
			move(r, m->v, r->group[m->step - 1].join);
	}
	move_rest(r, block, next, r->group[r->n_group - 1].join);
	for (int k = 0; k < r->n_group; k++)
		make_group(r, &r->group[k]);
}

/* Add "v" to the region; false without memory. */
static bool add(struct region *r, LLVMValueRef v)
{
	LLVMMetadataRef index;

	if (r->n == r->max) {
		int max = r->max ? 2 * r->max : 256;
		struct member *member = realloc(r->member, max * sizeof(*member));

		if (!member)
			return false;
		r->member = member;
		r->max = max;
	}
	index = LLVMValueAsMetadata(integer(r, r->n));
	LLVMSetMetadata(v, r->mark, LLVMMetadataAsValue(r->m->ctx,
		LLVMMDNodeInContext2(r->m->ctx, &index, 1)));
	r->member[r->n++] = (struct member) { .v = v, .group = NONE };
	return true;
}

/* Make the groups of the region, which ends before "next", and forget it. */
static void end(struct region *r, LLVMBasicBlockRef block, LLVMValueRef next)
{
	find_groups(r);
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

/* Make the groups of a block. What it is cut into stands behind it. */
static void divide_block(struct region *r, LLVMBasicBlockRef block)
{
	LLVMValueRef v = LLVMGetFirstInstruction(block), next;

	for (; v; v = next) {
		next = LLVMGetNextInstruction(v);
		if (LLVMIsAPHINode(v) || (can_move(v) && add(r, v)))
			continue;
		end(r, LLVMGetInstructionParent(v), v);
	}
}

/* Has "block" as many divisions as a group? */
static bool has_group(LLVMBasicBlockRef block)
{
	LLVMValueRef v = LLVMGetFirstInstruction(block);
	int n = 0;

	for (; v; v = LLVMGetNextInstruction(v))
		n += nvptx_is_division(v);
	return n >= LEAST;
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
	struct region r = { .m = m };
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
