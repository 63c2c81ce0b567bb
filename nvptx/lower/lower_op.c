/* nvptx: operators of expressions on values of every type, as op.def says.
 *
 * Floats: each operation is the plain IEEE 754 one, without fast-math flags,
 * so that GPU and host device agree bit for bit. Nodes of a storage type
 * (f16, bf16, i8, u16, ...) are computed in their compute type and rounded.
 * Integers: nothing traps; what C leaves undefined has a value here.
 */
#include "nvptx/llvm/llvm.h"
#include "nvptx/math/math.h"
#include "nvptx/lower/lower.h"

/* a / b or a % b towards zero; x / 0 and x % 0 are 0, and the least number
 * divided by -1 wraps, on every device.
 */
static LLVMValueRef int_divide(struct nvptx_lower *l, LLVMValueRef a,
	LLVMValueRef b, bool with_sign, bool rest)
{
	LLVMTypeRef type = LLVMTypeOf(a);
	LLVMValueRef zero = LLVMConstNull(type), one = LLVMConstInt(type, 1, 0);
	LLVMValueRef minus = LLVMConstAllOnes(type), none, flip, safe, q;
	LLVMOpcode op = with_sign ? (rest ? LLVMSRem : LLVMSDiv) :
		(rest ? LLVMURem : LLVMUDiv);

	none = LLVMBuildICmp(l->b, LLVMIntEQ, b, zero, "");
	safe = LLVMBuildSelect(l->b, none, one, b, "");
	if (with_sign) {
		flip = LLVMBuildICmp(l->b, LLVMIntEQ, b, minus, "");
		safe = LLVMBuildSelect(l->b, flip, one, safe, "");
	}
	q = LLVMBuildBinOp(l->b, op, a, safe, "");
	if (with_sign && !rest)
		q = LLVMBuildSelect(l->b, flip, LLVMBuildNeg(l->b, a, ""), q,
			"");
	return LLVMBuildSelect(l->b, none, zero, q, "");
}

/* "x" shifted by "n" modulo the width of "t"; its compute type may be wider.
 */
static LLVMValueRef shift(struct nvptx_lower *l, enum poly_type t, bool left,
	LLVMValueRef x, LLVMValueRef n)
{
	unsigned width = t == POLY_BOOL ? 1 : 8 * poly_type_size(t);

	n = LLVMBuildAnd(l->b, n, LLVMConstInt(LLVMTypeOf(x), width - 1, 0),
		"");
	if (left)
		return LLVMBuildShl(l->b, x, n, "");
	return poly_type_class(t) == POLY_CLASS_INT ?
		LLVMBuildAShr(l->b, x, n, "") : LLVMBuildLShr(l->b, x, n, "");
}

/* Operations that take signed numbers in another way than unsigned ones. */
static LLVMValueRef sign_op(struct nvptx_lower *l, enum poly_op op,
	bool with_sign, const LLVMValueRef *x)
{
	LLVMValueRef pair[2] = { x[0], x[1] };

	switch (op) {
	case POLY_OP_MIN:
		return nvptx_intrinsic(l, with_sign ? "llvm.smin" :
			"llvm.umin", pair, 2);
	case POLY_OP_MAX:
		return nvptx_intrinsic(l, with_sign ? "llvm.smax" :
			"llvm.umax", pair, 2);
	case POLY_OP_RELU:
		pair[1] = LLVMConstNull(LLVMTypeOf(x[0]));
		return with_sign ? nvptx_intrinsic(l, "llvm.smax", pair, 2) :
			x[0];
	case POLY_OP_ABS:
		pair[1] = LLVMConstNull(LLVMInt1TypeInContext(l->m->ctx));
		return with_sign ? nvptx_intrinsic(l, "llvm.abs", pair, 2) :
			x[0];
	default:
		return int_divide(l, x[0], x[1], with_sign,
			op == POLY_OP_REM);
	}
}

LLVMValueRef nvptx_int_op(struct nvptx_lower *l, enum poly_op op,
	enum poly_type t, const LLVMValueRef *x)
{
	switch (op) {
	case POLY_OP_ADD:
		return LLVMBuildAdd(l->b, x[0], x[1], "");
	case POLY_OP_SUB:
		return LLVMBuildSub(l->b, x[0], x[1], "");
	case POLY_OP_MUL:
		return LLVMBuildMul(l->b, x[0], x[1], "");
	case POLY_OP_NEG:
		return LLVMBuildNeg(l->b, x[0], "");
	case POLY_OP_AND:
		return LLVMBuildAnd(l->b, x[0], x[1], "");
	case POLY_OP_OR:
		return LLVMBuildOr(l->b, x[0], x[1], "");
	case POLY_OP_XOR:
		return LLVMBuildXor(l->b, x[0], x[1], "");
	case POLY_OP_NOT:
		return LLVMBuildNot(l->b, x[0], "");
	case POLY_OP_SHL:
	case POLY_OP_SHR:
		return shift(l, t, op == POLY_OP_SHL, x[0], x[1]);
	case POLY_OP_FLOOR:
	case POLY_OP_CEIL:
	case POLY_OP_TRUNC:
	case POLY_OP_ROUND:
		return x[0];
	case POLY_OP_DIV:
	case POLY_OP_REM:
	case POLY_OP_MIN:
	case POLY_OP_MAX:
	case POLY_OP_RELU:
	case POLY_OP_ABS:
		return sign_op(l, op, poly_type_class(t) == POLY_CLASS_INT,
			x);
	default:
		return nvptx_fail(l, LLVMTypeOf(x[0]),
			"an integer has no such function");
	}
}

/* x <= 0 gives +0, so that NaN stays. */
static LLVMValueRef relu(struct nvptx_lower *l, LLVMValueRef x)
{
	LLVMValueRef zero = LLVMConstNull(LLVMTypeOf(x));
	LLVMValueRef low = LLVMBuildFCmp(l->b, LLVMRealOLE, x, zero, "");

	return LLVMBuildSelect(l->b, low, zero, x, "");
}

/* The intrinsic that does "op" as it is, or NULL. */
static const char *float_intrinsic(enum poly_op op)
{
	switch (op) {
	case POLY_OP_MIN:
		return "llvm.minimumnum";
	case POLY_OP_MAX:
		return "llvm.maximumnum";
	case POLY_OP_ABS:
		return "llvm.fabs";
	case POLY_OP_FLOOR:
		return "llvm.floor";
	case POLY_OP_CEIL:
		return "llvm.ceil";
	case POLY_OP_TRUNC:
		return "llvm.trunc";
	case POLY_OP_SQRT:
		return "llvm.sqrt";
	case POLY_OP_COPYSIGN:
		return "llvm.copysign";
	case POLY_OP_FMA:
		return "llvm.fma";
	default:
		return NULL;
	}
}

/* a * (1 - t) + b * t, which is "a" at 0 and "b" at 1 */
static LLVMValueRef lerp(struct nvptx_lower *l, const LLVMValueRef *x)
{
	LLVMValueRef one = LLVMConstReal(LLVMTypeOf(x[2]), 1), a, b;

	a = LLVMBuildFMul(l->b, x[0], LLVMBuildFSub(l->b, one, x[2], ""), "");
	b = LLVMBuildFMul(l->b, x[1], x[2], "");
	return LLVMBuildFAdd(l->b, a, b, "");
}

LLVMValueRef nvptx_float_op(struct nvptx_lower *l, enum poly_op op,
	LLVMValueRef *x)
{
	const char *name = float_intrinsic(op);
	LLVMValueRef v;

	if (name)
		return nvptx_intrinsic(l, name, x, poly_op_n_arg(op));
	switch (op) {
	case POLY_OP_ADD:
		return LLVMBuildFAdd(l->b, x[0], x[1], "");
	case POLY_OP_SUB:
		return LLVMBuildFSub(l->b, x[0], x[1], "");
	case POLY_OP_MUL:
		return LLVMBuildFMul(l->b, x[0], x[1], "");
	case POLY_OP_DIV:
		return LLVMBuildFDiv(l->b, x[0], x[1], "");
	case POLY_OP_NEG:
		return LLVMBuildFNeg(l->b, x[0], "");
	case POLY_OP_RELU:
		return relu(l, x[0]);
	case POLY_OP_LERP:
		return lerp(l, x);
	default:
		v = nvptx_math(l->m, l->b, op, x);
		return v ? v : nvptx_fail(l, LLVMTypeOf(x[0]),
			"a float has no such operator");
	}
}

/* The comparison "op" of values of the type "t", as an i1. */
static LLVMValueRef compare(struct nvptx_lower *l, enum poly_op op,
	enum poly_type t, LLVMValueRef *x)
{
	bool less = op == POLY_OP_LT;

	if (op == POLY_OP_EQ || op == POLY_OP_NE) {
		if (poly_type_is_float(t) && !l->m->opt.ring)
			return LLVMBuildFCmp(l->b, op == POLY_OP_EQ ?
				LLVMRealOEQ : LLVMRealUNE, x[0], x[1], "");
		return LLVMBuildICmp(l->b, op == POLY_OP_EQ ? LLVMIntEQ :
			LLVMIntNE, x[0], x[1], "");
	}
	if (poly_type_is_float(t) && !l->m->opt.ring)
		return LLVMBuildFCmp(l->b, less ? LLVMRealOLT : LLVMRealOLE,
			x[0], x[1], "");
	if (poly_type_class(t) == POLY_CLASS_INT || poly_type_is_float(t))
		return LLVMBuildICmp(l->b, less ? LLVMIntSLT : LLVMIntSLE,
			x[0], x[1], "");
	return LLVMBuildICmp(l->b, less ? LLVMIntULT : LLVMIntULE, x[0], x[1],
		"");
}

LLVMValueRef nvptx_op_exact(struct nvptx_lower *l, enum poly_op op,
	enum poly_type t, const LLVMValueRef *arg)
{
	enum poly_type compute = poly_type_compute(t);
	LLVMValueRef x[POLY_MAX_ARG] = { NULL };

	if (poly_op_shape(op) == POLY_SHAPE_SELECT)
		return LLVMBuildSelect(l->b, arg[0], arg[1], arg[2], "");
	for (int i = 0; i < poly_op_n_arg(op); i++)
		x[i] = nvptx_cast_exact(l, compute, t, arg[i]);
	if (poly_op_shape(op) == POLY_SHAPE_COMPARE)
		return compare(l, op, compute, x);
	if (!poly_type_is_float(t))
		x[0] = nvptx_int_op(l, op, t, x);
	else if (l->m->opt.ring)
		x[0] = nvptx_ring_op(l, op, x);
	else
		x[0] = nvptx_float_op(l, op, x);
	return nvptx_cast_exact(l, t, compute, x[0]);
}

struct nvptx_value nvptx_op(struct nvptx_lower *l, enum poly_op op,
	enum poly_type t, const struct nvptx_value *arg)
{
	struct nvptx_value r = { NULL, NULL };
	LLVMValueRef x[POLY_MAX_ARG] = { NULL };

	if (l->m->opt.wide)
		return nvptx_wide_op(l, op, t, arg);
	for (int i = 0; i < poly_op_n_arg(op); i++)
		x[i] = arg[i].v;
	r.v = nvptx_op_exact(l, op, t, x);
	return r;
}

LLVMValueRef nvptx_combined(struct nvptx_lower *l, enum poly_op op,
	enum poly_type t, LLVMValueRef a, LLVMValueRef b)
{
	struct nvptx_value pair[2] = { { a, NULL }, { b, NULL } };

	return nvptx_op(l, op, t, pair).v;
}

LLVMValueRef nvptx_identity(struct nvptx_lower *l, enum poly_op op,
	enum poly_type t)
{
	struct poly_expr *e = poly_expr_identity(op, t);
	LLVMValueRef v = nvptx_cast(l, t, e->type, nvptx_expr(l, e, NULL)).v;

	poly_expr_free(e);
	return v;
}
