/* nvptx: the functions of an object ask whether sizes are what its program assumes. */
#include "nvptx/out/object.h"
#include "nvptx/plan/plan.h"

/* Replace the arguments on top of the stack by the value of "op".
 *
 * Returns how many values are on the stack then.
 */
static int apply(struct nvptx_object *o, const struct cetane_rt_op *op,
	const LLVMValueRef *size, LLVMValueRef *stack, int n)
{
	LLVMBuilderRef b = o->b;
	LLVMValueRef x = n > 1 ? stack[n - 2] : NULL, y = n ? stack[n - 1] :
		NULL, v;

	switch (op->code) {
	case CETANE_RT_CONST:
		stack[n] = LLVMConstInt(o->i64,
			(unsigned long long) op->value, 1);
		return n + 1;
	case CETANE_RT_SIZE:
		stack[n] = size[op->value];
		return n + 1;
	case CETANE_RT_ADD:
		v = LLVMBuildAdd(b, x, y, "");
		break;
	case CETANE_RT_SUB:
		v = LLVMBuildSub(b, x, y, "");
		break;
	case CETANE_RT_MUL:
		v = LLVMBuildMul(b, x, y, "");
		break;
	/* C rounds a quotient towards zero; a formula rounds it down. One is
	 * taken off where the rest is negative.
	 */
	case CETANE_RT_DIV:
		v = LLVMBuildSRem(b, x, y, "");
		v = LLVMBuildICmp(b, LLVMIntSLT, v, LLVMConstNull(o->i64),
			"");
		v = LLVMBuildSub(b, LLVMBuildSDiv(b, x, y, ""),
			LLVMBuildZExt(b, v, o->i64, ""), "");
		break;
	case CETANE_RT_LE:
		v = LLVMBuildZExt(b, LLVMBuildICmp(b, LLVMIntSLE, x, y, ""),
			o->i64, "");
		break;
	case CETANE_RT_EQ:
		v = LLVMBuildZExt(b, LLVMBuildICmp(b, LLVMIntEQ, x, y, ""),
			o->i64, "");
		break;
	case CETANE_RT_AND:
		v = LLVMBuildAnd(b, x, y, "");
		break;
	default:
		v = LLVMBuildOr(b, x, y, "");
		break;
	}
	stack[n - 2] = v;
	return n - 1;
}

LLVMValueRef nvptx_object_valid(struct nvptx_object *o, struct poly_prog *prog,
	const char *valid, const LLVMValueRef *size)
{
	LLVMValueRef stack[CETANE_RT_MAX_STACK];
	struct cetane_rt_formula f;
	int n = 0;

	if (!nvptx_sizes_meet(o->m, prog, valid, &f)) {
		o->failed = true;
		return LLVMConstNull(o->i32);
	}
	for (int i = 0; i < f.n; i++)
		n = apply(o, &f.op[i], size, stack, n);
	cetane_rt_formula_clear(&f);
	return LLVMBuildTrunc(o->b, stack[0], o->i32, "valid");
}
