/* nvptx: elements that lie side by side have addresses that say so.
 *
 * Where code in front has made i + 4 already, LLVM's optimiser takes that for the first
 * element of a run, and makes the others of i:
 *
 *	%a = or disjoint i32 %i, 4	%b = or disjoint i32 %j, 5	%i and %j are one sum,
 *	store x[sext %a]		store x[sext %b]		put together apart
 *
 * Its code generator does not find that these lie side by side, and stores a run of four
 * as one, one and two. So addresses of a block that have the same terms, and lie in one run,
 * are those of the first one and a constant.
 */
#include <stdlib.h>

#include <llvm-c/Target.h>

#include "nvptx/optimise/optimise.h"

/* Terms of a sum, at most; bytes that one instruction loads or stores; how often a value is
 * one of several.
 */
enum { TERMS = 8, RUN = 16, CHOICES = 2 };

/* The sum of the numbers term[i] * times[i], and "by". */
struct sum {
	LLVMValueRef term[TERMS];
	long long times[TERMS], by;
	int n;
};

/* The address "at" of the byte "sum" behind "from". */
struct address {
	LLVMValueRef at, from;
	struct sum sum;
};

static bool is_op(LLVMValueRef v, LLVMOpcode op)
{
	return LLVMIsAInstruction(v) && LLVMGetInstructionOpcode(v) == op;
}

/* Does "v" not overflow as a number with a sign, or, as it is not "negative", as one
 * without?
 */
static bool is_exact(LLVMValueRef v, bool negative)
{
	return LLVMGetNSW(v) || (!negative && LLVMGetNUW(v));
}

static bool is_same(const struct sum *a, const struct sum *b)
{
	bool is = a->n == b->n;

	for (int i = 0; i < a->n && is; i++)
		is = a->term[i] == b->term[i] && a->times[i] == b->times[i];
	return is;
}

/* Add "v" by itself; false if there is no room. */
static bool add_term(struct sum *s, LLVMValueRef v, long long times)
{
	int at = s->n;

	if (s->n == TERMS)
		return false;
	for (; at && (size_t)s->term[at - 1] > (size_t)v; at--) {
		s->term[at] = s->term[at - 1];
		s->times[at] = s->times[at - 1];
	}
	s->term[at] = v;
	s->times[at] = times;
	s->n++;
	return true;
}

static bool add(struct sum *s, LLVMValueRef v, long long times, bool negative,
	int choices);

/* Add "v", which is one of several numbers, if all of them are the same sum. */
static bool add_choice(struct sum *s, LLVMValueRef v, long long times, bool negative,
	int choices)
{
	struct sum first = *s, other;

	if (!choices || !LLVMCountIncoming(v) || !add(&first,
	    LLVMGetIncomingValue(v, 0), times, negative, choices - 1))
		return add_term(s, v, times);
	for (unsigned i = 1; i < LLVMCountIncoming(v); i++) {
		other = *s;
		if (!add(&other, LLVMGetIncomingValue(v, i), times, negative,
		    choices - 1) || !is_same(&other, &first) ||
		    other.by != first.by)
			return add_term(s, v, times);
	}
	*s = first;
	return true;
}

/* Add "times" what "v" is, widened by its sign; false if that is too much. If it is not
 * "negative", nor is what it is the sum of without a sign.
 */
static bool add(struct sum *s, LLVMValueRef v, long long times, bool negative,
	int choices)
{
	if (LLVMIsAConstantInt(v)) {
		s->by += times * LLVMConstIntGetSExtValue(v);
		return true;
	}
	if ((is_op(v, LLVMOr) && LLVMGetIsDisjoint(v)) ||
	    (is_op(v, LLVMAdd) && is_exact(v, negative))) {
		negative |= is_op(v, LLVMAdd) && !LLVMGetNUW(v);
		return add(s, LLVMGetOperand(v, 0), times, negative, choices) &&
			add(s, LLVMGetOperand(v, 1), times, negative, choices);
	}
	if (is_op(v, LLVMShl) && is_exact(v, negative) &&
	    LLVMIsAConstantInt(LLVMGetOperand(v, 1)))
		return add(s, LLVMGetOperand(v, 0), times <<
			LLVMConstIntGetZExtValue(LLVMGetOperand(v, 1)),
			negative || !LLVMGetNUW(v), choices);
	return LLVMIsAPHINode(v) ? add_choice(s, v, times, negative, choices) :
		add_term(s, v, times);
}

/* Add "times" the index "v" of an address. */
static bool add_index(struct sum *s, LLVMValueRef v, long long times)
{
	bool wide = is_op(v, LLVMSExt) || (is_op(v, LLVMZExt) && LLVMGetNNeg(v));
	LLVMValueRef of = wide ? LLVMGetOperand(v, 0) : v;

	if (LLVMIsAConstantInt(v)) {
		s->by += times * LLVMConstIntGetSExtValue(v);
		return true;
	}
	return wide && LLVMGetTypeKind(LLVMTypeOf(of)) == LLVMIntegerTypeKind &&
		LLVMGetIntTypeWidth(LLVMTypeOf(of)) == 32 ?
		add(s, of, times, is_op(v, LLVMSExt), CHOICES) :
		add_term(s, v, times);
}

/* Is "v" an address in global memory that has an index? Read it into "a". */
static bool read_address(LLVMTargetDataRef layout, LLVMValueRef v, struct address *a)
{
	LLVMValueRef p = v;

	*a = (struct address) { .at = v };
	if (!LLVMIsAGetElementPtrInst(v) ||
	    LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMPointerTypeKind ||
	    LLVMGetPointerAddressSpace(LLVMTypeOf(v)) != 1)
		return false;
	for (; LLVMIsAGetElementPtrInst(p); p = LLVMGetOperand(p, 0)) {
		LLVMTypeRef type = LLVMGetGEPSourceElementType(p);

		if (LLVMGetNumOperands(p) != 2 || !LLVMTypeIsSized(type) ||
		    !add_index(&a->sum, LLVMGetOperand(p, 1),
		    (long long)LLVMABISizeOfType(layout, type)))
			return false;
	}
	a->from = p;
	return a->sum.n > 0;
}

/* Do the two lie in one run, whatever the terms are? */
static bool is_near(const struct address *a, const struct address *b)
{
	return a->from == b->from && llabs(a->sum.by - b->sum.by) < RUN &&
		is_same(&a->sum, &b->sum);
}

/* Let the addresses of "block" be those of the first one in their run; "seen" has room for
 * all of them.
 */
static void share(struct nvptx_module *m, LLVMBuilderRef build, LLVMBasicBlockRef block,
	struct address *seen)
{
	LLVMTargetDataRef layout = LLVMGetModuleDataLayout(m->module);
	LLVMTypeRef byte = LLVMInt8TypeInContext(m->ctx);
	LLVMValueRef v = LLVMGetFirstInstruction(block), next, by;
	int n = 0, k;

	for (; v; v = next) {
		struct address *a = &seen[n];

		next = LLVMGetNextInstruction(v);
		if (!read_address(layout, v, a))
			continue;
		for (k = 0; k < n && !is_near(&seen[k], a); k++)
			;
		if (k == n) {
			n++;
			continue;
		}
		LLVMPositionBuilderBefore(build, v);
		by = LLVMConstInt(LLVMInt64TypeInContext(m->ctx),
			(unsigned long long)(a->sum.by - seen[k].sum.by), true);
		LLVMReplaceAllUsesWith(v, LLVMBuildGEP2(build, byte, seen[k].at,
			&by, 1, ""));
		LLVMInstructionEraseFromParent(v);
	}
}

/* The most instructions of a block. */
static size_t longest(LLVMValueRef f)
{
	size_t most = 0;

	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b;
	     b = LLVMGetNextBasicBlock(b)) {
		size_t n = 0;

		for (LLVMValueRef v = LLVMGetFirstInstruction(b); v;
		     v = LLVMGetNextInstruction(v))
			n++;
		most = n > most ? n : most;
	}
	return most;
}

void nvptx_share_bases(struct nvptx_module *m)
{
	LLVMBuilderRef build = LLVMCreateBuilderInContext(m->ctx);

	for (LLVMValueRef f = LLVMGetFirstFunction(m->module); f;
	     f = LLVMGetNextFunction(f)) {
		struct address *seen = calloc(longest(f) + 1, sizeof(*seen));

		for (LLVMBasicBlockRef b = seen ? LLVMGetFirstBasicBlock(f) : NULL; b;
		     b = LLVMGetNextBasicBlock(b))
			share(m, build, b, seen);
		free(seen);
	}
	LLVMDisposeBuilder(build);
}
