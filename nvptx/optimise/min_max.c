/* nvptx: chains of min and max that ptxas must not join.
 *
 * From compute capability 9.0 on, ptxas makes one VIMNMX3 of two min or of two
 * max of signed integers, and the releases seen (13.0.88) lose the sign of its
 * second operand if that is a negation: of
 *
 *	%m = call i32 @llvm.smax.i32(i32 %a, i32 %minus.x)
 *	%n = call i32 @llvm.smax.i32(i32 %m, i32 %b)
 *
 * max(a, x, b) is left, without a word. It finds the negation, and the two
 * operations, behind select, in other blocks and in what unrolling makes of an
 * induction variable; the loop strength reduction before it makes some more. So
 * wherever an operand of a chain can be a negation,
 *
 *	%m.apart = call i32 asm "xor; add", "=r,r"(i32 %m)
 *
 * takes the place of %m in the later operation: the highest bit changed twice, of
 * which ptxas does not see that it is nothing. The addition becomes part of the
 * operation (VIADDMNMX). Unsigned and 64-bit operations are not joined wrongly.
 */
#include <string.h>

#include "nvptx/optimise/optimise.h"

enum kind { NEITHER, MIN, MAX };

/* The phis that a walk has met, and its steps. One too long for either says yes to
 * what it was to find out.
 */
struct walk {
	LLVMValueRef phi[32];
	int n_phi, n_step;
};

#define MAX_PHI ((int) (sizeof(((struct walk *) 0)->phi) / sizeof(LLVMValueRef)))
#define MAX_STEP 1000

static bool is_long(struct walk *w)
{
	return w->n_phi == MAX_PHI || ++w->n_step > MAX_STEP;
}

/* Has "w" not met "phi"? */
static bool first_time(struct walk *w, LLVMValueRef phi)
{
	for (int i = 0; i < w->n_phi; i++)
		if (w->phi[i] == phi)
			return false;
	w->phi[w->n_phi++] = phi;
	return true;
}

/* The kind of select(compare(a, b), a, b), operands "a" and "b". */
static enum kind kind_of_select(LLVMValueRef v, LLVMValueRef *a, LLVMValueRef *b)
{
	LLVMValueRef test = LLVMGetOperand(v, 0);
	bool less, swapped;

	if (!LLVMIsAICmpInst(test))
		return NEITHER;
	*a = LLVMGetOperand(v, 1);
	*b = LLVMGetOperand(v, 2);
	swapped = LLVMGetOperand(test, 0) == *b && LLVMGetOperand(test, 1) == *a;
	if (!swapped && (LLVMGetOperand(test, 0) != *a ||
			LLVMGetOperand(test, 1) != *b))
		return NEITHER;
	switch (LLVMGetICmpPredicate(test)) {
	case LLVMIntSLT:
	case LLVMIntSLE:
		less = true;
		break;
	case LLVMIntSGT:
	case LLVMIntSGE:
		less = false;
		break;
	default:
		return NEITHER;
	}
	return less != swapped ? MIN : MAX;
}

LLVMTypeRef nvptx_element_type(LLVMTypeRef type)
{
	return LLVMGetTypeKind(type) == LLVMVectorTypeKind ?
		LLVMGetElementType(type) : type;
}

/* Is "v" the least or the greatest of "a" and "b", signed integers of at most 32 bits?
 * (LLVM computes those of 8 with 16, and a vector's one by one.)
 */
static enum kind kind_of(LLVMValueRef v, LLVMValueRef *a, LLVMValueRef *b)
{
	LLVMTypeRef type = nvptx_element_type(LLVMTypeOf(v));
	unsigned id;

	if (LLVMGetTypeKind(type) != LLVMIntegerTypeKind ||
	    LLVMGetIntTypeWidth(type) > 32)
		return NEITHER;
	if (LLVMIsASelectInst(v))
		return kind_of_select(v, a, b);
	id = nvptx_called_intrinsic(v);
	if (!id || LLVMGetNumArgOperands(v) != 2)
		return NEITHER;
	*a = LLVMGetOperand(v, 0);
	*b = LLVMGetOperand(v, 1);
	if (id == LLVMLookupIntrinsicID("llvm.smin", strlen("llvm.smin")))
		return MIN;
	return id == LLVMLookupIntrinsicID("llvm.smax", strlen("llvm.smax")) ?
		MAX : NEITHER;
}

/* The "*n" values that "v" may be, its operands from "*first" on: in another width, in
 * a vector, or by a loop or a branch, "*carried" then. None if it is computed.
 */
static void find_sources(LLVMValueRef v, int *first, int *n, bool *carried)
{
	*first = 0;
	*n = 0;
	if (LLVMIsATruncInst(v) || LLVMIsASExtInst(v) || LLVMIsAZExtInst(v) ||
	    LLVMIsAFreezeInst(v))
		*n = 1;
	if (LLVMIsAExtractElementInst(v) || LLVMIsAInsertElementInst(v) ||
	    LLVMIsAShuffleVectorInst(v))
		*n = 2;
	if (LLVMIsASelectInst(v)) {
		*first = 1;
		*n = 2;
	}
	if (LLVMIsAPHINode(v))
		*n = LLVMGetNumOperands(v);
	*carried |= LLVMIsASelectInst(v) || LLVMIsAPHINode(v);
}

/* Is "v" an operation of "kind", or one that is handed on? */
static bool comes_from(struct walk *w, LLVMValueRef v, enum kind kind)
{
	LLVMValueRef a, b;
	int first, n;
	bool carried = false;

	if (kind_of(v, &a, &b) == kind || is_long(w))
		return true;
	if (LLVMIsAPHINode(v) && !first_time(w, v))
		return false;
	find_sources(v, &first, &n, &carried);
	for (int i = first; i < first + n; i++)
		if (comes_from(w, LLVMGetOperand(v, i), kind))
			return true;
	return false;
}

/* Can ptxas find that "v" is a negation? Any difference can be one, once its first
 * operand is known, and so can whatever an induction variable becomes; a chain's
 * operands, of "kind", are looked through. "carried" if a loop or a branch hands on
 * the value.
 */
static bool may_negate(struct walk *w, LLVMValueRef v, enum kind kind, bool carried)
{
	LLVMValueRef a, b;
	enum kind found;
	int first, n;

	if (is_long(w))
		return true;
	if (!LLVMIsAInstruction(v))
		return false;
	found = kind_of(v, &a, &b);
	if (found != NEITHER)
		return found == kind && (may_negate(w, a, kind, carried) ||
			may_negate(w, b, kind, carried));
	if (LLVMIsAPHINode(v) && !first_time(w, v))
		return false;
	find_sources(v, &first, &n, &carried);
	for (int i = first; i < first + n; i++)
		if (may_negate(w, LLVMGetOperand(v, i), kind, carried))
			return true;
	switch (LLVMGetInstructionOpcode(v)) {
	case LLVMSub:
		return true;
	case LLVMMul:
		if (carried || !LLVMIsAConstantInt(LLVMGetOperand(v, 1)) ||
		    LLVMConstIntGetSExtValue(LLVMGetOperand(v, 1)) < 0)
			return true;
		return may_negate(w, LLVMGetOperand(v, 0), kind, carried);
	case LLVMAdd:
	case LLVMOr:
	case LLVMShl:
		return carried || may_negate(w, LLVMGetOperand(v, 0), kind, carried) ||
			may_negate(w, LLVMGetOperand(v, 1), kind, carried);
	default:
		return false;
	}
}

LLVMValueRef nvptx_apart(struct nvptx_module *m, LLVMBuilderRef build, LLVMValueRef v)
{
	static const char full[] = "xor.b64 \t$0, $1, -9223372036854775808;\n"
		"\tadd.s64 \t$0, $0, -9223372036854775808;";
	static const char wide[] = "xor.b32 \t$0, $1, -2147483648;\n"
		"\tadd.s32 \t$0, $0, -2147483648;";
	static const char half[] = "xor.b16 \t$0, $1, -32768;\n"
		"\tadd.s16 \t$0, $0, -32768;";
	LLVMTypeRef of = LLVMTypeOf(v), word = LLVMInt32TypeInContext(m->ctx), in, type;
	unsigned width = LLVMGetIntTypeWidth(nvptx_element_type(of));
	const char *text = width > 32 ? full : width > 16 ? wide : half;
	const char *constraint = width > 32 ? "=l,l" : width > 16 ? "=r,r" : "=h,h";
	LLVMValueRef fn, all = LLVMGetPoison(of), at;

	if (nvptx_element_type(of) != of) {
		for (unsigned i = 0; i < LLVMGetVectorSize(of); i++) {
			at = LLVMConstInt(word, i, 0);
			all = LLVMBuildInsertElement(build, all, nvptx_apart(m, build,
				LLVMBuildExtractElement(build, v, at, "")), at, "");
		}
		return all;
	}
	in = LLVMIntTypeInContext(m->ctx, width > 32 ? 64 : width > 16 ? 32 : 16);
	type = LLVMFunctionType(in, &in, 1, 0);
	fn = LLVMGetInlineAsm(type, text, strlen(text), constraint,
		strlen(constraint), 0, 0, LLVMInlineAsmDialectATT, 0);
	v = LLVMBuildSExt(build, v, in, "");
	v = LLVMBuildCall2(build, type, fn, &v, 1, "apart");
	return LLVMBuildTrunc(build, v, of, "");
}

/* Part "v" from the operations of its kind that it is computed from. */
static void part(struct nvptx_module *m, LLVMBuilderRef build, LLVMValueRef v)
{
	LLVMValueRef of[2], hidden;
	enum kind kind = kind_of(v, &of[0], &of[1]);

	if (kind == NEITHER || !may_negate(&(struct walk) { 0 }, v, kind, false))
		return;
	for (int i = 0; i < 2; i++) {
		if (!comes_from(&(struct walk) { 0 }, of[i], kind))
			continue;
		LLVMPositionBuilderBefore(build, v);
		hidden = nvptx_apart(m, build, of[i]);
		for (int j = 0; j < LLVMGetNumOperands(v); j++)
			if (LLVMGetOperand(v, j) == of[i])
				LLVMSetOperand(v, j, hidden);
	}
}

void nvptx_part_min_max(struct nvptx_module *m)
{
	nvptx_each_instruction(m, part);
}
