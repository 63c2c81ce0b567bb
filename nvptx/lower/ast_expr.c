/* nvptx: expressions of the AST of isl as LLVM IR. */
#include "nvptx/llvm/llvm.h"
#include "nvptx/lower/lower.h"

LLVMValueRef nvptx_ast_condition(struct nvptx_ir *ir, LLVMValueRef v)
{
	if (LLVMTypeOf(v) == LLVMInt1TypeInContext(ir->m->ctx))
		return v;
	return LLVMBuildICmp(ir->b, LLVMIntNE, v,
		LLVMConstNull(LLVMTypeOf(v)), "");
}

static LLVMValueRef expr_id(struct nvptx_lower *l, __isl_keep isl_ast_expr *e)
{
	isl_id *id = isl_ast_expr_id_get_id(e);
	LLVMValueRef v = nvptx_find_var(l, isl_id_get_name(id));

	isl_id_free(id);
	return v;
}

static LLVMValueRef expr_int(struct nvptx_ir *ir, __isl_keep isl_ast_expr *e)
{
	isl_val *v = isl_ast_expr_int_get_val(e);
	LLVMValueRef n = isl_val_n_abs_num_chunks(v, 7) > 1 ?
		nvptx_fail(ir, nvptx_i32(ir), "a constant is too large") :
		nvptx_exact_int(ir, isl_val_get_num_si(v));

	isl_val_free(v);
	return n;
}

/* The comparison "op" of two numbers, which may have different types. */
static LLVMValueRef compare(struct nvptx_ir *ir,
	enum isl_ast_expr_op_type op, LLVMValueRef a, LLVMValueRef b)
{
	static const LLVMIntPredicate pred[] = {
		[isl_ast_expr_op_eq] = LLVMIntEQ,
		[isl_ast_expr_op_le] = LLVMIntSLE,
		[isl_ast_expr_op_lt] = LLVMIntSLT,
		[isl_ast_expr_op_ge] = LLVMIntSGE,
		[isl_ast_expr_op_gt] = LLVMIntSGT,
	};

	return nvptx_exact_compare(ir, pred[op], a, b);
}

/* What "op" is in exact arithmetic. */
static enum nvptx_exact arithmetic(enum isl_ast_expr_op_type op)
{
	switch (op) {
	case isl_ast_expr_op_max:
		return NVPTX_EXACT_MAX;
	case isl_ast_expr_op_min:
		return NVPTX_EXACT_MIN;
	case isl_ast_expr_op_add:
		return NVPTX_EXACT_ADD;
	case isl_ast_expr_op_sub:
		return NVPTX_EXACT_SUB;
	case isl_ast_expr_op_mul:
		return NVPTX_EXACT_MUL;
	case isl_ast_expr_op_pdiv_q:
		return NVPTX_EXACT_DIV;
	case isl_ast_expr_op_pdiv_r:
		return NVPTX_EXACT_MOD;
	case isl_ast_expr_op_zdiv_r:
		return NVPTX_EXACT_REM;
	default:
		return NVPTX_EXACT_FLOOR;
	}
}

/* "a" op "b" of isl's AST. A division is one without a rest; both sides of "and" and
 * "or" are computed.
 */
static LLVMValueRef binary(struct nvptx_ir *ir,
	enum isl_ast_expr_op_type op, LLVMValueRef a, LLVMValueRef b)
{
	switch (op) {
	case isl_ast_expr_op_and:
	case isl_ast_expr_op_and_then:
		return LLVMBuildAnd(ir->b, nvptx_ast_condition(ir, a), nvptx_ast_condition(ir, b), "");
	case isl_ast_expr_op_or:
	case isl_ast_expr_op_or_else:
		return LLVMBuildOr(ir->b, nvptx_ast_condition(ir, a), nvptx_ast_condition(ir, b), "");
	case isl_ast_expr_op_eq:
	case isl_ast_expr_op_le:
	case isl_ast_expr_op_lt:
	case isl_ast_expr_op_ge:
	case isl_ast_expr_op_gt:
		return compare(ir, op, a, b);
	case isl_ast_expr_op_div:
		return LLVMBuildExactSDiv(ir->b, a, nvptx_extend(ir, b,
			LLVMTypeOf(a)), "");
	default:
		return nvptx_exact(ir, arithmetic(op), a, b);
	}
}

/* The value of "e", an operator with its arguments, of which "and", "or", "min" and "max"
 * may have more than two.
 */
static LLVMValueRef expr_op(struct nvptx_lower *l, __isl_keep isl_ast_expr *e)
{
	enum isl_ast_expr_op_type op = isl_ast_expr_op_get_type(e);
	isl_size n = isl_ast_expr_op_get_n_arg(e);
	LLVMValueRef v = nvptx_ast_expr(l, isl_ast_expr_op_get_arg(e, 0));
	LLVMValueRef a, b;

	switch (op) {
	case isl_ast_expr_op_minus:
		return nvptx_exact(l->ir, NVPTX_EXACT_SUB, nvptx_int(l->ir, 0),
			v);
	case isl_ast_expr_op_cond:
	case isl_ast_expr_op_select:
		a = nvptx_ast_expr(l, isl_ast_expr_op_get_arg(e, 1));
		b = nvptx_ast_expr(l, isl_ast_expr_op_get_arg(e, 2));
		return nvptx_exact_select(l->ir, nvptx_ast_condition(l->ir, v), a, b);
	case isl_ast_expr_op_error:
	case isl_ast_expr_op_call:
	case isl_ast_expr_op_access:
	case isl_ast_expr_op_member:
	case isl_ast_expr_op_address_of:
		return nvptx_fail(l->ir, nvptx_i32(l->ir),
			"unexpected expression in the AST");
	default:
		for (int i = 1; i < n; i++)
			v = binary(l->ir, op, v,
				nvptx_ast_expr(l, isl_ast_expr_op_get_arg(e, i)));
		return v;
	}
}

/* The value of "e", which is taken. */
LLVMValueRef nvptx_ast_expr(struct nvptx_lower *l, __isl_take isl_ast_expr *e)
{
	LLVMValueRef v;

	switch (isl_ast_expr_get_type(e)) {
	case isl_ast_expr_id:
		v = expr_id(l, e);
		break;
	case isl_ast_expr_int:
		v = expr_int(l->ir, e);
		break;
	case isl_ast_expr_op:
		v = expr_op(l, e);
		break;
	default:
		v = nvptx_fail(l->ir, nvptx_i32(l->ir),
			"isl's AST has an error");
	}
	isl_ast_expr_free(e);
	return v;
}
