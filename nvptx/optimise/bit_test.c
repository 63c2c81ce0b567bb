/* nvptx: tests of several bits of one number, which ptxas must not see.
 *
 * ptxas (12.9.86, 13.0.88 and 13.4.59, from -O1 on) makes the predicates of
 *
 *	and.b32 %a, %x, 1;	setp.eq.b32 %p, %a, 0;
 *	and.b32 %b, %x, 2;	setp.eq.b32 %q, %b, 0;
 *
 * by one instruction, R2P PR, x, 3, which writes up to seven of them from the low bits
 * of a byte. Where more predicates are alive than there are, it makes one of these
 * again at its use, and then from whatever number the next R2P has: without a word, a
 * bit of another number is tested. So it sees one such test of a byte. Of the others the
 * bit is moved to where the sign is:
 *
 *	shl.b32 %b, %x, 30;	setp.lt.s32 %q, %b, 0;
 *
 * LLVM would make the former of that, so that it does not see the shift.
 */
#include <stdio.h>
#include <string.h>

#include "nvptx/optimise/optimise.h"

/* Of how many shifts, casts and masks a bit comes. */
enum { DEPTH = 4 };

/* A test of one bit: is "bit" of "of" set, or is it not? */
struct test {
	LLVMValueRef of;
	unsigned bit;
	bool set;
};

static bool is_op(LLVMValueRef v, LLVMOpcode op)
{
	return LLVMIsAInstruction(v) && LLVMGetInstructionOpcode(v) == op;
}

static bool is_number(LLVMValueRef v)
{
	return LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMIntegerTypeKind &&
		LLVMGetIntTypeWidth(LLVMTypeOf(v)) <= 64;
}

/* The number whose "*bit" is that of "v": what "v" was shifted or cut off from. */
static LLVMValueRef origin(LLVMValueRef v, unsigned *bit)
{
	LLVMValueRef by;

	for (;;) {
		if (is_op(v, LLVMTrunc) || (is_op(v, LLVMZExt) &&
		    *bit < LLVMGetIntTypeWidth(LLVMTypeOf(LLVMGetOperand(v, 0))))) {
			v = LLVMGetOperand(v, 0);
			continue;
		}
		if (!is_op(v, LLVMLShr) && !is_op(v, LLVMAShr))
			return v;
		by = LLVMGetOperand(v, 1);
		if (!LLVMIsAConstantInt(by) || LLVMConstIntGetZExtValue(by) + *bit >=
		    LLVMGetIntTypeWidth(LLVMTypeOf(v)))
			return v;
		*bit += (unsigned)LLVMConstIntGetZExtValue(by);
		v = LLVMGetOperand(v, 0);
	}
}

/* Is "v" a comparison of x & 2^k with 0 or 2^k, or x cut off to one bit? */
static bool find_test(LLVMValueRef v, struct test *t)
{
	LLVMValueRef a, mask, with;
	unsigned long long m, w;

	t->bit = 0;
	if (!LLVMIsAInstruction(v) || !is_number(v) ||
	    LLVMGetIntTypeWidth(LLVMTypeOf(v)) != 1)
		return false;
	if (is_op(v, LLVMTrunc)) {
		t->set = true;
		t->of = origin(LLVMGetOperand(v, 0), &t->bit);
		return is_number(t->of);
	}
	if (!is_op(v, LLVMICmp) || !is_op(LLVMGetOperand(v, 0), LLVMAnd) ||
	    (LLVMGetICmpPredicate(v) != LLVMIntEQ &&
	     LLVMGetICmpPredicate(v) != LLVMIntNE))
		return false;
	a = LLVMGetOperand(v, 0);
	mask = LLVMGetOperand(a, 1);
	with = LLVMGetOperand(v, 1);
	if (!is_number(a) || !LLVMIsAConstantInt(mask) || !LLVMIsAConstantInt(with))
		return false;
	m = LLVMConstIntGetZExtValue(mask);
	w = LLVMConstIntGetZExtValue(with);
	if (!m || (m & (m - 1)) || (w && w != m))
		return false;
	for (; m > 1; m >>= 1)
		t->bit++;
	t->set = (LLVMGetICmpPredicate(v) == LLVMIntEQ) == (w != 0);
	t->of = origin(LLVMGetOperand(a, 0), &t->bit);
	return true;
}

/* Does "t" have another one beside it that the same R2P takes, of those that "v" is
 * used for?
 */
static bool is_joined(LLVMValueRef v, const struct test *t, int depth)
{
	struct test other;

	for (LLVMUseRef use = LLVMGetFirstUse(v); use && depth; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);

		if (find_test(user, &other)) {
			if (other.of == t->of && other.bit != t->bit &&
			    other.bit / 8 == t->bit / 8 && other.bit % 8 != 7)
				return true;
		} else if ((is_op(user, LLVMAnd) || is_op(user, LLVMLShr) ||
			    is_op(user, LLVMAShr) || is_op(user, LLVMTrunc) ||
			    is_op(user, LLVMZExt)) && is_joined(user, t, depth - 1)) {
			return true;
		}
	}
	return false;
}

/* "v" in the word that "bit" of it is in: the lower one or the upper one. */
static LLVMValueRef word_of(LLVMBuilderRef build, LLVMValueRef v, unsigned bit,
	LLVMTypeRef word)
{
	if (bit >= 32)
		v = LLVMBuildLShr(build, v, LLVMConstInt(LLVMTypeOf(v), 32, 0), "");
	return LLVMGetIntTypeWidth(LLVMTypeOf(v)) < 32 ?
		LLVMBuildZExt(build, v, word, "") : LLVMBuildTrunc(build, v, word, "");
}

/* Test by the sign, if "v" tests a bit and ptxas would join it with another test. */
static void hide(struct nvptx_module *m, LLVMBuilderRef build, LLVMValueRef v)
{
	LLVMTypeRef word = LLVMInt32TypeInContext(m->ctx), type;
	LLVMValueRef fn, x;
	struct test t;
	char text[40];

	if (!find_test(v, &t) || LLVMIsConstant(t.of) || t.bit % 8 == 7 ||
	    !is_joined(t.of, &t, DEPTH))
		return;
	LLVMPositionBuilderBefore(build, v);
	snprintf(text, sizeof(text), "shl.b32 \t$0, $1, %u;", 31 - t.bit % 32);
	type = LLVMFunctionType(word, &word, 1, 0);
	fn = LLVMGetInlineAsm(type, text, strlen(text), "=r,r", strlen("=r,r"), 0, 0,
		LLVMInlineAsmDialectATT, 0);
	x = word_of(build, t.of, t.bit, word);
	x = LLVMBuildCall2(build, type, fn, &x, 1, "bit");
	x = LLVMBuildICmp(build, t.set ? LLVMIntSLT : LLVMIntSGE, x,
		LLVMConstInt(word, 0, 0), "");
	LLVMReplaceAllUsesWith(v, x);
	LLVMInstructionEraseFromParent(v);
}

void nvptx_hide_bit_tests(struct nvptx_module *m)
{
	nvptx_each_instruction(m, hide);
}
