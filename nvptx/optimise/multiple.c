/* nvptx: products of multiples of 2^32 that ptxas must not see.
 *
 * Where ptxas knows by products alone that the low half of a number is 0, it forgets
 * the constant factor of a product of 64 bits to which a constant is added, without a
 * word. The releases seen do so (12.4.131 to 13.1.80, from -O1 on, for every target;
 * 13.5.37 does not). Of
 *
 *	mul.lo.s64 %a, %x, 65536;
 *	mul.lo.s64 %b, %a, 65536;
 *	mad.lo.s64 %c, %b, 3, 5;
 *
 * %c is %b + 5. ptxas unrolls loops, so that a value which a loop multiplies by an
 * even number is such a multiple in a later round. And it takes what was stored for
 * what is loaded, as LLVM's code generator does: what a function loads has as many
 * zeros here as what it stores.
 */
#include "nvptx/optimise/optimise.h"

/* How deep operands of operands are looked at, and what a loop's rounds multiply. */
enum { DEPTH = 12, ROUNDS = 32, HALF = 32 };

static int least(int a, int b)
{
	return a < b ? a : b;
}

static int of_constant(LLVMValueRef v)
{
	uint64_t u = LLVMConstIntGetZExtValue(v);

	return u ? __builtin_ctzll(u) : 64;
}

/* Is "v" a product with, or a sum of, "phi" and constants? Then let "*n" grow by the
 * zeros that it has at least beside those of "phi"; -1 if it is no such thing.
 */
static int grown(LLVMValueRef v, LLVMValueRef phi, int depth)
{
	LLVMValueRef c;
	int n;

	if (v == phi)
		return 0;
	if (!depth || !LLVMIsAInstruction(v) || LLVMGetNumOperands(v) != 2)
		return -1;
	c = LLVMGetOperand(v, 1);
	if (!LLVMIsAConstantInt(c) ||
	    (n = grown(LLVMGetOperand(v, 0), phi, depth - 1)) < 0)
		return -1;
	switch (LLVMGetInstructionOpcode(v)) {
	case LLVMMul:
		return n + of_constant(c);
	case LLVMShl:
		return n + (int)least(64, (int)LLVMConstIntGetZExtValue(c));
	case LLVMAdd:
	case LLVMOr:
	case LLVMXor:
		return of_constant(c) < HALF ? -1 : n;
	default:
		return -1;
	}
}

/* The zeros of the value "v" of a loop after some rounds. */
static int in_loop(LLVMValueRef v)
{
	int most = 0;

	for (unsigned i = 0; i < LLVMCountIncoming(v); i++) {
		int n = grown(LLVMGetIncomingValue(v, i), v, DEPTH);

		if (n > 0)
			most = least(64, n * ROUNDS);
	}
	return most;
}

/* At most how many bits at the end of "v" ptxas may know to be 0, if those of what is
 * loaded are "loaded".
 */
static int zeros(LLVMValueRef v, int loaded, int depth)
{
	LLVMValueRef a, b;
	int n, other;

	if (LLVMIsAConstantInt(v))
		return of_constant(v);
	if (!depth || !LLVMIsAInstruction(v))
		return 0;
	if (LLVMIsALoadInst(v))
		return loaded;
	if (LLVMIsAPHINode(v))
		return in_loop(v);
	if (LLVMIsASelectInst(v))
		return least(zeros(LLVMGetOperand(v, 1), loaded, depth - 1),
			zeros(LLVMGetOperand(v, 2), loaded, depth - 1));
	if (LLVMGetNumOperands(v) != 2)
		return 0;
	a = LLVMGetOperand(v, 0);
	b = LLVMGetOperand(v, 1);
	switch (LLVMGetInstructionOpcode(v)) {
	case LLVMMul:
		return least(64, zeros(a, loaded, depth - 1) + zeros(b, loaded, depth - 1));
	case LLVMShl:
		if (!LLVMIsAConstantInt(b))
			return zeros(a, loaded, depth - 1);
		return least(64, zeros(a, loaded, depth - 1) +
			(int)LLVMConstIntGetZExtValue(b));
	case LLVMAdd:
	case LLVMSub:
	case LLVMOr:
	case LLVMXor:
		return least(zeros(a, loaded, depth - 1), zeros(b, loaded, depth - 1));
	case LLVMAnd:
		n = zeros(a, loaded, depth - 1);
		other = zeros(b, loaded, depth - 1);
		return n > other ? n : other;
	default:
		return 0;
	}
}

/* Is "v" a product of 64 bits with a constant, to which a constant is added? */
static bool is_product(LLVMValueRef v)
{
	LLVMTypeRef type = LLVMTypeOf(v);
	bool added = false;

	if (LLVMGetTypeKind(type) != LLVMIntegerTypeKind ||
	    LLVMGetIntTypeWidth(type) != 64 ||
	    LLVMGetInstructionOpcode(v) != LLVMMul ||
	    !LLVMIsAConstantInt(LLVMGetOperand(v, 1)))
		return false;
	for (LLVMUseRef use = LLVMGetFirstUse(v); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);

		added |= LLVMGetNumOperands(user) == 2 &&
			(LLVMIsAConstantInt(LLVMGetOperand(user, 0)) ||
			LLVMIsAConstantInt(LLVMGetOperand(user, 1)));
	}
	return added;
}

/* The most zeros of what "fn" stores, or "loaded" if these are more. */
static int stored(LLVMValueRef fn, int loaded)
{
	int most = loaded, n;

	for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb;
	     bb = LLVMGetNextBasicBlock(bb))
		for (LLVMValueRef v = LLVMGetFirstInstruction(bb); v;
		     v = LLVMGetNextInstruction(v)) {
			if (!LLVMIsAStoreInst(v) ||
			    LLVMIsAConstant(LLVMGetOperand(v, 0)))
				continue;
			n = zeros(LLVMGetOperand(v, 0), loaded, DEPTH);
			most = n > most ? n : most;
		}
	return most;
}

/* Put the variable factor of "v" apart, if it may be a multiple of 2^32. */
static void hide(struct nvptx_module *m, LLVMBuilderRef build, LLVMValueRef v)
{
	LLVMValueRef fn, a;
	int loaded = 0, n;

	if (!is_product(v))
		return;
	fn = LLVMGetBasicBlockParent(LLVMGetInstructionParent(v));
	while (loaded < HALF && (n = stored(fn, loaded)) > loaded)
		loaded = n;
	a = LLVMGetOperand(v, 0);
	if (zeros(a, loaded, DEPTH) < HALF)
		return;
	LLVMPositionBuilderBefore(build, v);
	LLVMSetOperand(v, 0, nvptx_apart(m, build, a));
}

void nvptx_hide_multiples(struct nvptx_module *m)
{
	nvptx_each_instruction(m, hide);
}
