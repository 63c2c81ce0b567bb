/* nvptx: expressions of statements as LLVM IR.
 *
 * Every operation is the plain IEEE 754 one of its type, without fast-math
 * flags, so that GPU and host device agree bit for bit. Nodes of a storage
 * type (f16, bf16, i8) are computed in their compute type and rounded. The
 * only fused operation is the explicit llvm.fma of "cell += x * y".
 */
#include "nvptx/nvptx_internal.h"

static bool is_float(enum poly_type t)
{
	return poly_type_is_float(t);
}

static bool is_wide(struct nvptx_lower *l, enum poly_type t)
{
	return l->m->opt.wide && is_float(t);
}

struct nvptx_value nvptx_const(struct nvptx_lower *l, enum poly_type t,
	double value)
{
	LLVMTypeRef f64 = LLVMDoubleTypeInContext(l->m->ctx);
	struct nvptx_value x = { NULL, NULL };

	if (!is_float(t)) {
		x.v = LLVMConstInt(nvptx_value_type(l, t),
			(unsigned long long) (int64_t) value, 1);
	} else if (is_wide(l, t)) {
		x.v = LLVMConstReal(f64, value);
		x.bound = LLVMConstNull(f64);
	} else if (t == POLY_F16 || t == POLY_BF16) {
		x.v = LLVMConstReal(LLVMFloatTypeInContext(l->m->ctx), value);
		x = nvptx_cast(l, t, POLY_F32, x);
	} else {
		x.v = LLVMConstReal(nvptx_value_type(l, t), value);
	}
	return x;
}

/* "x" (f64) as f32 with its last bit set if anything was cut off, so that
 * rounding the result once more to a narrower type rounds "x" right.
 */
static LLVMValueRef round_to_odd(struct nvptx_lower *l, LLVMValueRef x)
{
	LLVMTypeRef f32 = LLVMFloatTypeInContext(l->m->ctx);
	LLVMTypeRef f64 = LLVMDoubleTypeInContext(l->m->ctx);
	LLVMValueRef one = nvptx_int(l, 1), near, back, far, bits, size[2];
	LLVMValueRef inexact, even, step;

	near = LLVMBuildFPTrunc(l->b, x, f32, "");
	back = LLVMBuildFPExt(l->b, near, f64, "");
	size[0] = nvptx_intrinsic(l, "llvm.fabs", &back, 1);
	size[1] = nvptx_intrinsic(l, "llvm.fabs", &x, 1);
	far = LLVMBuildFCmp(l->b, LLVMRealOGT, size[0], size[1], "");
	inexact = LLVMBuildFCmp(l->b, LLVMRealONE, back, x, "");
	bits = LLVMBuildBitCast(l->b, near, nvptx_i32(l), "");
	even = LLVMBuildICmp(l->b, LLVMIntEQ,
		LLVMBuildAnd(l->b, bits, one, ""), nvptx_int(l, 0), "");
	step = LLVMBuildSelect(l->b, far, nvptx_int(l, -1), one, "");
	step = LLVMBuildSelect(l->b, LLVMBuildAnd(l->b, inexact, even, ""),
		step, nvptx_int(l, 0), "");
	return LLVMBuildBitCast(l->b, LLVMBuildAdd(l->b, bits, step, ""), f32,
		"");
}

static LLVMValueRef narrow(struct nvptx_lower *l, enum poly_type to,
	LLVMValueRef f32)
{
	return nvptx_hw(l, to == POLY_F16 ? NVPTX_HW_F32_TO_F16 :
		NVPTX_HW_F32_TO_BF16, &f32, 1, "");
}

static LLVMValueRef widen(struct nvptx_lower *l, enum poly_type from,
	LLVMValueRef x)
{
	return nvptx_hw(l, from == POLY_F16 ? NVPTX_HW_F16_TO_F32 :
		NVPTX_HW_BF16_TO_F32, &x, 1, "");
}

static LLVMValueRef cast_float(struct nvptx_lower *l, enum poly_type to,
	enum poly_type from, LLVMValueRef x)
{
	if (from == POLY_F16 || from == POLY_BF16) {
		x = widen(l, from, x);
		from = POLY_F32;
	}
	if (to == from)
		return x;
	if (to == POLY_F16 || to == POLY_BF16)
		return narrow(l, to, from == POLY_F64 ? round_to_odd(l, x) : x);
	if (to == POLY_F64)
		return LLVMBuildFPExt(l->b, x, nvptx_value_type(l, to), "");
	return LLVMBuildFPTrunc(l->b, x, nvptx_value_type(l, to), "");
}

/* Truncate, then wrap; NaN gives 0, what exceeds 64 bits saturates first. */
static LLVMValueRef float_to_int(struct nvptx_lower *l, enum poly_type to,
	enum poly_type from, LLVMValueRef x)
{
	LLVMTypeRef type[2];
	LLVMTypeRef fn_type;
	LLVMValueRef fn;
	unsigned id = LLVMLookupIntrinsicID("llvm.fptosi.sat", 15);

	if (from == POLY_F16 || from == POLY_BF16)
		x = widen(l, from, x);
	type[0] = nvptx_i64(l);
	type[1] = LLVMTypeOf(x);
	fn = LLVMGetIntrinsicDeclaration(l->m->module, id, type, 2);
	fn_type = LLVMIntrinsicGetType(l->m->ctx, id, type, 2);
	x = LLVMBuildCall2(l->b, fn_type, fn, &x, 1, "");
	return LLVMBuildTrunc(l->b, x, nvptx_value_type(l, to), "");
}

static LLVMValueRef cast_exact(struct nvptx_lower *l, enum poly_type to,
	enum poly_type from, LLVMValueRef x)
{
	LLVMTypeRef f64 = LLVMDoubleTypeInContext(l->m->ctx);

	if (is_float(from))
		return is_float(to) ? cast_float(l, to, from, x) :
			float_to_int(l, to, from, x);
	if (!is_float(to))
		return LLVMBuildIntCast2(l->b, x, nvptx_value_type(l, to), 1,
			"");
	if (to == POLY_F16 || to == POLY_BF16)
		return cast_float(l, to, POLY_F64,
			LLVMBuildSIToFP(l->b, x, f64, ""));
	return LLVMBuildSIToFP(l->b, x, nvptx_value_type(l, to), "");
}

struct nvptx_value nvptx_cast(struct nvptx_lower *l, enum poly_type to,
	enum poly_type from, struct nvptx_value x)
{
	if (to == from)
		return x;
	if (is_wide(l, to) || is_wide(l, from))
		return nvptx_wide_cast(l, to, from, x);
	x.v = cast_exact(l, to, from, x.v);
	return x;
}

/* a / b towards zero; x / 0 is 0, and the least number divided by -1 wraps,
 * on every device.
 */
static LLVMValueRef int_divide(struct nvptx_lower *l, LLVMValueRef a,
	LLVMValueRef b)
{
	LLVMTypeRef type = LLVMTypeOf(a);
	LLVMValueRef zero = LLVMConstNull(type), one = LLVMConstInt(type, 1, 0);
	LLVMValueRef minus = LLVMConstAllOnes(type), none, flip, safe, q;

	none = LLVMBuildICmp(l->b, LLVMIntEQ, b, zero, "");
	flip = LLVMBuildICmp(l->b, LLVMIntEQ, b, minus, "");
	safe = LLVMBuildSelect(l->b, LLVMBuildOr(l->b, none, flip, ""), one, b,
		"");
	q = LLVMBuildSDiv(l->b, a, safe, "");
	q = LLVMBuildSelect(l->b, flip, LLVMBuildNeg(l->b, a, ""), q, "");
	return LLVMBuildSelect(l->b, none, zero, q, "");
}

static LLVMValueRef int_op(struct nvptx_lower *l, enum poly_op op,
	LLVMValueRef *x)
{
	LLVMTypeRef type = LLVMTypeOf(x[0]);
	LLVMValueRef pair[2] = { x[0], LLVMConstNull(type) };

	switch (op) {
	case POLY_OP_ADD:
		return LLVMBuildAdd(l->b, x[0], x[1], "");
	case POLY_OP_SUB:
		return LLVMBuildSub(l->b, x[0], x[1], "");
	case POLY_OP_MUL:
		return LLVMBuildMul(l->b, x[0], x[1], "");
	case POLY_OP_DIV:
		return int_divide(l, x[0], x[1]);
	case POLY_OP_NEG:
		return LLVMBuildNeg(l->b, x[0], "");
	case POLY_OP_MIN:
		return nvptx_intrinsic(l, "llvm.smin", x, 2);
	case POLY_OP_MAX:
		return nvptx_intrinsic(l, "llvm.smax", x, 2);
	case POLY_OP_RELU:
		return nvptx_intrinsic(l, "llvm.smax", pair, 2);
	case POLY_OP_ABS:
		pair[1] = LLVMConstNull(LLVMInt1TypeInContext(l->m->ctx));
		return nvptx_intrinsic(l, "llvm.abs", pair, 2);
	default:
		return nvptx_fail(l, type, "an integer has no such function");
	}
}

/* x <= 0 gives +0, so that NaN stays. */
static LLVMValueRef relu(struct nvptx_lower *l, LLVMValueRef x)
{
	LLVMValueRef zero = LLVMConstNull(LLVMTypeOf(x));
	LLVMValueRef low = LLVMBuildFCmp(l->b, LLVMRealOLE, x, zero, "");

	return LLVMBuildSelect(l->b, low, zero, x, "");
}

static LLVMValueRef float_op(struct nvptx_lower *l, enum poly_op op,
	LLVMValueRef *x)
{
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
	case POLY_OP_MIN:
		return nvptx_intrinsic(l, "llvm.minimumnum", x, 2);
	case POLY_OP_MAX:
		return nvptx_intrinsic(l, "llvm.maximumnum", x, 2);
	case POLY_OP_RELU:
		return relu(l, x[0]);
	case POLY_OP_ABS:
		return nvptx_intrinsic(l, "llvm.fabs", x, 1);
	case POLY_OP_SQRT:
		return nvptx_intrinsic(l, "llvm.sqrt", x, 1);
	case POLY_OP_EXP:
	case POLY_OP_LOG:
	case POLY_OP_TANH:
	case POLY_OP_SIGMOID:
		return nvptx_math(l->m, l->b, op, x[0]);
	default:
		return nvptx_fail(l, LLVMTypeOf(x[0]), "unknown operator");
	}
}

/* "op" on values of type "t". */
static struct nvptx_value operate(struct nvptx_lower *l, enum poly_op op,
	enum poly_type t, const struct nvptx_value *arg)
{
	enum poly_type compute = poly_type_compute(t);
	struct nvptx_value r = { NULL, NULL };
	LLVMValueRef x[2];

	if (is_wide(l, t))
		return nvptx_wide_op(l, op, t, arg);
	for (int i = 0; i < poly_op_n_arg(op); i++)
		x[i] = nvptx_cast(l, compute, t, arg[i]).v;
	r.v = is_float(t) ? float_op(l, op, x) : int_op(l, op, x);
	return nvptx_cast(l, t, compute, r);
}

struct nvptx_value nvptx_expr(struct nvptx_lower *l,
	const struct poly_expr *e, const LLVMValueRef *in)
{
	struct nvptx_value arg[2] = { { NULL, NULL }, { NULL, NULL } };
	LLVMValueRef index[16];

	switch (e->op) {
	case POLY_OP_CONST:
		return nvptx_const(l, e->type, e->value);
	case POLY_OP_PARAM:
		arg[0].v = nvptx_find_var(l, e->param);
		return arg[0];
	case POLY_OP_ACCESS:
		if (e->array->space != POLY_REGISTER)
			nvptx_index(l, e->index, in, index);
		return nvptx_load(l, e->array, index);
	case POLY_OP_CAST:
		arg[0] = nvptx_expr(l, e->arg[0], in);
		return nvptx_cast(l, e->type, e->arg[0]->type, arg[0]);
	default:
		for (int i = 0; i < poly_op_n_arg(e->op); i++)
			arg[i] = nvptx_expr(l, e->arg[i], in);
		return operate(l, e->op, e->type, arg);
	}
}

LLVMValueRef nvptx_fma(struct nvptx_lower *l, enum poly_type t,
	LLVMValueRef x, LLVMValueRef y, LLVMValueRef z)
{
	LLVMValueRef arg[3] = { x, y, z };

	if (is_float(t))
		return nvptx_intrinsic(l, "llvm.fma", arg, 3);
	return LLVMBuildAdd(l->b, LLVMBuildMul(l->b, x, y, ""), z, "");
}

/* The new value of a cell of type "t" that holds "cell". */
static struct nvptx_value reduce(struct nvptx_lower *l,
	const struct poly_stmt *s, const LLVMValueRef *in,
	struct nvptx_value cell)
{
	const struct poly_expr *e = s->rhs;
	enum poly_type t = s->write_array->type;
	struct nvptx_value pair[2] = { cell, { NULL, NULL } };

	if (is_wide(l, t) && s->reduce == POLY_OP_ADD)
		return nvptx_wide_accumulate(l, s, in, cell);
	if (s->reduce == POLY_OP_ADD && e->op == POLY_OP_MUL && e->type == t &&
	    is_float(t) && poly_type_compute(t) == t && !is_wide(l, t)) {
		pair[0] = nvptx_expr(l, e->arg[0], in);
		pair[1] = nvptx_expr(l, e->arg[1], in);
		pair[0].v = nvptx_fma(l, t, pair[0].v, pair[1].v, cell.v);
		return pair[0];
	}
	pair[1] = nvptx_cast(l, t, e->type, nvptx_expr(l, e, in));
	return operate(l, s->reduce, t, pair);
}

void nvptx_point(struct nvptx_lower *l, const struct poly_stmt *s,
	const LLVMValueRef *in)
{
	struct poly_array *a = s->write_array;
	LLVMValueRef index[16];
	struct nvptx_value x;

	nvptx_debug_stmt(l, s);
	if (a->space != POLY_REGISTER)
		nvptx_index(l, s->write_index, in, index);
	if (s->reduce == POLY_OP_NONE)
		x = nvptx_cast(l, a->type, s->rhs->type,
			nvptx_expr(l, s->rhs, in));
	else
		x = reduce(l, s, in, nvptx_load(l, a, index));
	nvptx_store(l, a, index, x);
}
