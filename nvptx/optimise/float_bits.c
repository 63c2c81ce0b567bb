/* nvptx: sums of the bits of floats that LLVM's code generator must not look at.
 *
 * exp, log and the like add to the exponents of floats as integers. Where an
 * epilogue computes them at each of a thread's elements, a kernel has hundreds of
 * such sums, and the straight line strength reduction of the NVPTX back end (LLVM
 * 22) compares each with fifty others, asking of each pair what is known of the
 * floats they come from: a product with Mish twice behind it took half a minute.
 * There is nothing to find, so where there are many, they are taken out of its
 * sight:
 *
 *	%e = add i32 %bits, 1065353216
 * becomes
 *	%e = call i32 asm "add.s32 $0, $1, $2;", "=r,r,n"(i32 %bits, i32 1065353216)
 *
 * which is the same instruction in PTX.
 */
#include <stdbool.h>
#include <string.h>

#include "nvptx/optimise/optimise.h"

/* Sums that the code generator may look at. */
enum { MANY = 128 };

/* How far behind a sum its float is looked for. */
enum { FAR = 4 };

/* Does the integer "v" come from the bits of a float? */
static bool is_of_float(LLVMValueRef v, int far)
{
	LLVMTypeKind from;

	if (!LLVMIsAInstruction(v) || far == 0)
		return false;
	switch (LLVMGetInstructionOpcode(v)) {
	case LLVMBitCast:
		from = LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(v, 0)));
		return from == LLVMFloatTypeKind || from == LLVMDoubleTypeKind;
	case LLVMAdd: case LLVMSub: case LLVMShl: case LLVMAShr: case LLVMLShr:
	case LLVMAnd: case LLVMOr: case LLVMTrunc: case LLVMZExt:
		return is_of_float(LLVMGetOperand(v, 0), far - 1) ||
			(LLVMGetNumOperands(v) > 1 &&
			is_of_float(LLVMGetOperand(v, 1), far - 1));
	default:
		return false;
	}
}

static bool is_word(LLVMTypeRef type)
{
	return LLVMGetTypeKind(type) == LLVMIntegerTypeKind &&
		(LLVMGetIntTypeWidth(type) == 32 ||
		LLVMGetIntTypeWidth(type) == 64);
}

/* Is "v" the sum of a float's bits and a constant? */
static bool is_sum(LLVMValueRef v)
{
	return LLVMGetInstructionOpcode(v) == LLVMAdd &&
		is_word(LLVMTypeOf(v)) && LLVMIsAConstantInt(LLVMGetOperand(v, 1)) &&
		is_of_float(LLVMGetOperand(v, 0), FAR);
}

/* Replace "v", a sum, by an instruction of PTX. */
static void hide(LLVMBuilderRef build, LLVMValueRef v)
{
	bool wide = LLVMGetIntTypeWidth(LLVMTypeOf(v)) == 64;
	const char *text = wide ? "add.s64 \t$0, $1, $2;" :
		"add.s32 \t$0, $1, $2;";
	const char *how = wide ? "=l,l,n" : "=r,r,n";
	LLVMValueRef arg[2] = { LLVMGetOperand(v, 0), LLVMGetOperand(v, 1) };
	LLVMTypeRef word = LLVMTypeOf(v), of[2] = { word, word };
	LLVMTypeRef type = LLVMFunctionType(word, of, 2, 0);
	LLVMValueRef fn = LLVMGetInlineAsm(type, text, strlen(text), how,
		strlen(how), 0, 0, LLVMInlineAsmDialectATT, 0);

	LLVMPositionBuilderBefore(build, v);
	LLVMReplaceAllUsesWith(v, LLVMBuildCall2(build, type, fn, arg, 2, ""));
	LLVMInstructionEraseFromParent(v);
}

/* Count the sums of the function "f", or hide them with "build". */
static int walk(LLVMValueRef f, LLVMBuilderRef build)
{
	LLVMValueRef next;
	int n = 0;

	for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(f); bb;
	     bb = LLVMGetNextBasicBlock(bb))
		for (LLVMValueRef v = LLVMGetFirstInstruction(bb); v; v = next) {
			next = LLVMGetNextInstruction(v);
			if (!is_sum(v))
				continue;
			n++;
			if (build)
				hide(build, v);
		}
	return n;
}

void nvptx_hide_float_bits(struct nvptx_module *m)
{
	LLVMBuilderRef build = LLVMCreateBuilderInContext(m->ctx);

	for (LLVMValueRef f = LLVMGetFirstFunction(m->module); f;
	     f = LLVMGetNextFunction(f))
		if (walk(f, NULL) > MANY)
			walk(f, build);
	LLVMDisposeBuilder(build);
}
