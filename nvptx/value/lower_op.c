/* nvptx: operators of expressions on values of every type, as op.def says.
 *
 * Floats: each operation is the plain IEEE 754 one, without fast-math flags,
 * so that GPU and host device agree bit for bit. Nodes of a storage type
 * (f16, bf16, i8, u16, ...) are computed in their compute type and rounded.
 * Integers: nothing traps; what C leaves undefined has a value here.
 *
 * The same functions serve the GPU and the host device: that is why both give
 * the same bits, which tests compare. Functions that are more than an
 * instruction (exp, erf, ..) are in nvptx/math.
 */
#include "nvptx/llvm/llvm.h"
#include "nvptx/math/math.h"
#include "nvptx/value/value.h"

/* a / b or a % b towards zero; x / 0 and x % 0 are 0, and the least number
 * divided by -1 wraps, on every device.
 *
 * Hardware gives x / 0 no defined value, and the host traps: the divisor is
 * replaced by 1 before, and the result selected afterwards.
 */
static LLVMValueRef int_divide(struct nvptx_ir *ir, LLVMValueRef a,
	LLVMValueRef b, bool with_sign, bool rest)
{
	LLVMTypeRef type = LLVMTypeOf(a);
	LLVMValueRef zero = LLVMConstNull(type), one = LLVMConstInt(type, 1, 0);
	LLVMValueRef minus = LLVMConstAllOnes(type), none, flip, safe, q;
	LLVMOpcode op = with_sign ? (rest ? LLVMSRem : LLVMSDiv) :
		(rest ? LLVMURem : LLVMUDiv);

	none = LLVMBuildICmp(ir->b, LLVMIntEQ, b, zero, "");
	safe = LLVMBuildSelect(ir->b, none, one, b, "");
	if (with_sign) {
		flip = LLVMBuildICmp(ir->b, LLVMIntEQ, b, minus, "");
		safe = LLVMBuildSelect(ir->b, flip, one, safe, "");
	}
	q = LLVMBuildBinOp(ir->b, op, a, safe, "");
	if (with_sign && !rest)
		q = LLVMBuildSelect(ir->b, flip, LLVMBuildNeg(ir->b, a, ""), q,
			"");
	return LLVMBuildSelect(ir->b, none, zero, q, "");
}

/* "x" shifted by "n" modulo the width of "t"; its compute type may be wider.
 *
 * PTX's shifts clamp the amount, x86's take it modulo 32 or 64; C leaves it
 * undefined. Here it is modulo the width of the type everywhere.
 */
static LLVMValueRef shift(struct nvptx_ir *ir, enum poly_type t, bool left,
	LLVMValueRef x, LLVMValueRef n)
{
	unsigned width = t == POLY_BOOL ? 1 : 8 * poly_type_size(t);

	n = LLVMBuildAnd(ir->b, n, LLVMConstInt(LLVMTypeOf(x), width - 1, 0),
		"");
	if (left)
		return LLVMBuildShl(ir->b, x, n, "");
	return poly_type_class(t) == POLY_CLASS_INT ?
		LLVMBuildAShr(ir->b, x, n, "") : LLVMBuildLShr(ir->b, x, n, "");
}

/* The bits of "t" above the highest of "x" that is 1.
 *
 * An i8 is computed in 32 bits: 24 leading zeros of these are not its own.
 */
static LLVMValueRef leading_zeros(struct nvptx_ir *ir, enum poly_type t,
	LLVMValueRef x)
{
	LLVMTypeRef type = LLVMTypeOf(x);
	unsigned wide = LLVMGetIntTypeWidth(type);
	unsigned width = t == POLY_BOOL ? 1 : 8 * poly_type_size(t);
	LLVMValueRef arg[2] = { x,
		LLVMConstNull(LLVMInt1TypeInContext(ir->m->ctx)) }, n;

	if (width < wide)
		arg[0] = LLVMBuildAnd(ir->b, x, LLVMConstInt(type,
			(1ull << width) - 1, 0), "");
	n = nvptx_intrinsic(ir, "llvm.ctlz", arg, 2);
	return LLVMBuildSub(ir->b, n, LLVMConstInt(type, wide - width, 0), "");
}

/* 32 random bits as a number of the type that computes "t".
 *
 * Seed and number are of 64 bits: those of a signed type with their signs.
 */
static LLVMValueRef random_bits(struct nvptx_ir *ir, enum poly_type t,
	const LLVMValueRef *x)
{
	LLVMTypeRef type = LLVMTypeOf(x[0]);
	bool with_sign = poly_type_class(t) == POLY_CLASS_INT;
	LLVMValueRef wide[2], v;

	for (int i = 0; i < 2; i++)
		wide[i] = LLVMBuildIntCast2(ir->b, x[i], nvptx_i64(ir),
			with_sign, "");
	v = nvptx_philox(ir->b, wide[0], wide[1]);
	return LLVMBuildIntCast2(ir->b, v, type, false, "");
}

/* Operations that take signed numbers in another way than unsigned ones.
 *
 * Unsigned numbers are never negative: RELU and ABS leave them as they are.
 */
static LLVMValueRef sign_op(struct nvptx_ir *ir, enum poly_op op,
	bool with_sign, const LLVMValueRef *x)
{
	LLVMValueRef pair[2] = { x[0], x[1] };

	switch (op) {
	case POLY_OP_MIN:
		return nvptx_intrinsic(ir, with_sign ? "llvm.smin" :
			"llvm.umin", pair, 2);
	case POLY_OP_MAX:
		return nvptx_intrinsic(ir, with_sign ? "llvm.smax" :
			"llvm.umax", pair, 2);
	case POLY_OP_RELU:
		pair[1] = LLVMConstNull(LLVMTypeOf(x[0]));
		return with_sign ? nvptx_intrinsic(ir, "llvm.smax", pair, 2) :
			x[0];
	case POLY_OP_ABS:
		pair[1] = LLVMConstNull(LLVMInt1TypeInContext(ir->m->ctx));
		return with_sign ? nvptx_intrinsic(ir, "llvm.abs", pair, 2) :
			x[0];
	default:
		return int_divide(ir, x[0], x[1], with_sign,
			op == POLY_OP_REM);
	}
}

/* Rounding functions leave integers as they are, as op.def allows them there.
 */
LLVMValueRef nvptx_int_op(struct nvptx_ir *ir, enum poly_op op,
	enum poly_type t, const LLVMValueRef *x)
{
	switch (op) {
	case POLY_OP_ADD:
		return LLVMBuildAdd(ir->b, x[0], x[1], "");
	case POLY_OP_SUB:
		return LLVMBuildSub(ir->b, x[0], x[1], "");
	case POLY_OP_MUL:
		return LLVMBuildMul(ir->b, x[0], x[1], "");
	case POLY_OP_NEG:
		return LLVMBuildNeg(ir->b, x[0], "");
	case POLY_OP_AND:
		return LLVMBuildAnd(ir->b, x[0], x[1], "");
	case POLY_OP_OR:
		return LLVMBuildOr(ir->b, x[0], x[1], "");
	case POLY_OP_XOR:
		return LLVMBuildXor(ir->b, x[0], x[1], "");
	case POLY_OP_NOT:
		return LLVMBuildNot(ir->b, x[0], "");
	case POLY_OP_SHL:
	case POLY_OP_SHR:
		return shift(ir, t, op == POLY_OP_SHL, x[0], x[1]);
	case POLY_OP_CLZ:
		return leading_zeros(ir, t, x[0]);
	case POLY_OP_PHILOX:
		return random_bits(ir, t, x);
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
		return sign_op(ir, op, poly_type_class(t) == POLY_CLASS_INT,
			x);
	default:
		return nvptx_fail(ir, LLVMTypeOf(x[0]),
			"an integer has no such function");
	}
}

/* x <= 0 gives +0, so that NaN stays. A GPU has an instruction for that in f32.
 *
 * max.NaN.f32 of PTX keeps NaNs; the comparison is false for a NaN, so that x
 * is selected.
 */
static LLVMValueRef relu(struct nvptx_ir *ir, LLVMValueRef x)
{
	LLVMValueRef zero = LLVMConstNull(LLVMTypeOf(x)), arg[2] = { x, zero }, low;

	if (ir->m->opt.device == NVPTX_GPU &&
	    LLVMGetTypeKind(LLVMTypeOf(x)) == LLVMFloatTypeKind)
		return nvptx_intrinsic(ir, "llvm.maximum", arg, 2);
	low = LLVMBuildFCmp(ir->b, LLVMRealOLE, x, zero, "");
	return LLVMBuildSelect(ir->b, low, zero, x, "");
}

/* The intrinsic that does "op" as it is, or NULL.
 *
 * minimumnum and maximumnum are those of IEEE 754-2019: a NaN is no number, so
 * the other operand is the result, and -0 is less than +0.
 */
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

/* a * (1 - t) + b * t, which is "a" at 0 and "b" at 1
 *
 * The form a + t * (b - a) would not give b at 1, after rounding.
 */
static LLVMValueRef lerp(struct nvptx_ir *ir, const LLVMValueRef *x)
{
	LLVMValueRef one = LLVMConstReal(LLVMTypeOf(x[2]), 1), a, b;

	a = LLVMBuildFMul(ir->b, x[0], LLVMBuildFSub(ir->b, one, x[2], ""), "");
	b = LLVMBuildFMul(ir->b, x[1], x[2], "");
	return LLVMBuildFAdd(ir->b, a, b, "");
}

LLVMValueRef nvptx_neighbour(struct nvptx_ir *ir, const LLVMValueRef *x)
{
	LLVMTypeRef t = LLVMTypeOf(x[0]), word = LLVMGetTypeKind(t) ==
		LLVMDoubleTypeKind ? nvptx_i64(ir) : nvptx_i32(ir);
	LLVMValueRef one = LLVMConstInt(word, 1, 0), none = LLVMConstNull(word);
	LLVMValueRef a = LLVMBuildBitCast(ir->b, x[0], word, ""), up, away, near;
	LLVMValueRef sign = LLVMBuildNot(ir->b, LLVMBuildLShr(ir->b,
		LLVMConstAllOnes(word), one, ""), "");

	up = LLVMBuildFCmp(ir->b, LLVMRealOLT, x[0], x[1], "");
	away = LLVMBuildICmp(ir->b, LLVMIntEQ, up, LLVMBuildICmp(ir->b,
		LLVMIntSGT, a, none, ""), "");
	near = LLVMBuildAdd(ir->b, a, LLVMBuildSelect(ir->b, away, one,
		LLVMConstAllOnes(word), ""), "");
	sign = LLVMBuildAnd(ir->b, sign, LLVMBuildBitCast(ir->b, x[1], word, ""),
		"");
	near = LLVMBuildSelect(ir->b, LLVMBuildFCmp(ir->b, LLVMRealOEQ, x[0],
		LLVMConstNull(t), ""), LLVMBuildOr(ir->b, sign, one, ""), near,
		"");
	near = LLVMBuildSelect(ir->b, LLVMBuildFCmp(ir->b, LLVMRealOEQ, x[0], x[1],
		""), x[1], LLVMBuildBitCast(ir->b, near, t, ""), "");
	return LLVMBuildSelect(ir->b, LLVMBuildFCmp(ir->b, LLVMRealUNO, x[0], x[1],
		""), LLVMBuildFAdd(ir->b, x[0], x[1], ""), near, "");
}

/* Functions without an intrinsic are called; nvptx/math makes a function of
 * each once a module.
 */
LLVMValueRef nvptx_float_op(struct nvptx_ir *ir, enum poly_op op,
	LLVMValueRef *x)
{
	const char *name = float_intrinsic(op);
	LLVMValueRef v;

	if (name)
		return nvptx_intrinsic(ir, name, x, poly_op_n_arg(op));
	switch (op) {
	case POLY_OP_ADD:
		return LLVMBuildFAdd(ir->b, x[0], x[1], "");
	case POLY_OP_SUB:
		return LLVMBuildFSub(ir->b, x[0], x[1], "");
	case POLY_OP_MUL:
		return LLVMBuildFMul(ir->b, x[0], x[1], "");
	case POLY_OP_DIV:
		return LLVMBuildFDiv(ir->b, x[0], x[1], "");
	case POLY_OP_NEG:
		return LLVMBuildFNeg(ir->b, x[0], "");
	case POLY_OP_RELU:
		return relu(ir, x[0]);
	case POLY_OP_LERP:
		return lerp(ir, x);
	case POLY_OP_NEXTAFTER:
		return nvptx_neighbour(ir, x);
	default:
		v = nvptx_math(ir->m, ir->b, op, x);
		return v ? v : nvptx_fail(ir, LLVMTypeOf(x[0]),
			"a float has no such operator");
	}
}

/* The word that "v" is in 64 bits, such as the index of a point; NULL: none.
 *
 * An index of a point comes as a sign extension of 32 bits.
 */
static LLVMValueRef word_of(struct nvptx_ir *ir, LLVMValueRef v)
{
	LLVMValueRef word;

	if (LLVMTypeOf(v) != nvptx_i64(ir) || !LLVMIsASExtInst(v))
		return NULL;
	word = LLVMGetOperand(v, 0);
	return LLVMTypeOf(word) == nvptx_i32(ir) ? word : NULL;
}

/* Is "index" the number "x"? Many points ask that of one number, so what follows from
 * this alone, its low word and whether it has another one, is computed once; LLVM must
 * not see that the two questions are one:
 *
 *	(word ^ low) | more == 0
 *
 * Used for h[e] += e == a[i] ? ..: one a[i] is compared with many e.
 */
static LLVMValueRef is_equal(struct nvptx_ir *ir, LLVMValueRef index,
	LLVMValueRef x)
{
	LLVMValueRef word = word_of(ir, index), low, more, differ;

	if (!word || LLVMIsAConstant(x) || word_of(ir, x))
		return LLVMBuildICmp(ir->b, LLVMIntEQ, index, x, "");
	low = LLVMBuildTrunc(ir->b, x, nvptx_i32(ir), "");
	more = LLVMBuildICmp(ir->b, LLVMIntNE, LLVMBuildSExt(ir->b, low,
		nvptx_i64(ir), ""), x, "");
	more = LLVMBuildZExt(ir->b, more, nvptx_i32(ir), "");
	low = nvptx_hw(ir, NVPTX_HW_HIDE, &low, 1, "");
	more = nvptx_hw(ir, NVPTX_HW_HIDE, &more, 1, "");
	differ = LLVMBuildOr(ir->b, LLVMBuildXor(ir->b, word, low, ""), more,
		"");
	return LLVMBuildICmp(ir->b, LLVMIntEQ, differ, nvptx_int(ir, 0), "");
}

/* The comparison "op" of values of the type "t", as an i1.
 *
 * Float comparisons are ordered but for NE: with a NaN, EQ, LT and LE are false
 * and NE is true. In ring mode floats are integers of their width
 * (lower_ring.c).
 */
static LLVMValueRef compare(struct nvptx_ir *ir, enum poly_op op,
	enum poly_type t, LLVMValueRef *x)
{
	bool less = op == POLY_OP_LT;

	if (op == POLY_OP_EQ || op == POLY_OP_NE) {
		if (poly_type_is_float(t) && !ir->m->opt.ring)
			return LLVMBuildFCmp(ir->b, op == POLY_OP_EQ ?
				LLVMRealOEQ : LLVMRealUNE, x[0], x[1], "");
		return op == POLY_OP_NE ? LLVMBuildICmp(ir->b, LLVMIntNE, x[0],
			x[1], "") : word_of(ir, x[0]) ?
			is_equal(ir, x[0], x[1]) : is_equal(ir, x[1], x[0]);
	}
	if (poly_type_is_float(t) && !ir->m->opt.ring)
		return LLVMBuildFCmp(ir->b, less ? LLVMRealOLT : LLVMRealOLE,
			x[0], x[1], "");
	if (poly_type_class(t) == POLY_CLASS_INT || poly_type_is_float(t))
		return LLVMBuildICmp(ir->b, less ? LLVMIntSLT : LLVMIntSLE,
			x[0], x[1], "");
	return LLVMBuildICmp(ir->b, less ? LLVMIntULT : LLVMIntULE, x[0], x[1],
		"");
}

/* "t" is the operands' type of a comparison, else the result's. Small types are
 * widened before and rounded after each operation.
 */
LLVMValueRef nvptx_op_exact(struct nvptx_ir *ir, enum poly_op op,
	enum poly_type t, const LLVMValueRef *arg)
{
	enum poly_type compute = poly_type_compute(t);
	LLVMValueRef x[POLY_MAX_ARG] = { NULL };

	if (poly_op_shape(op) == POLY_SHAPE_SELECT)
		return LLVMBuildSelect(ir->b, arg[0], arg[1], arg[2], "");
	for (int i = 0; i < poly_op_n_arg(op); i++)
		x[i] = nvptx_cast_exact(ir, compute, t, arg[i]);
	if (poly_op_shape(op) == POLY_SHAPE_COMPARE)
		return compare(ir, op, compute, x);
	if (!poly_type_is_float(t))
		x[0] = nvptx_int_op(ir, op, t, x);
	else if (ir->m->opt.ring)
		x[0] = nvptx_ring_op(ir, op, x);
	else
		x[0] = nvptx_float_op(ir, op, x);
	return nvptx_cast_exact(ir, t, compute, x[0]);
}

/* "arg" has as many as the operator; in reference mode each with its bound. */
struct nvptx_value nvptx_op(struct nvptx_ir *ir, enum poly_op op,
	enum poly_type t, const struct nvptx_value *arg)
{
	struct nvptx_value r = { NULL, NULL };
	LLVMValueRef x[POLY_MAX_ARG] = { NULL };

	if (ir->m->opt.wide)
		return nvptx_wide_op(ir, op, t, arg);
	for (int i = 0; i < poly_op_n_arg(op); i++)
		x[i] = arg[i].v;
	r.v = nvptx_op_exact(ir, op, t, x);
	return r;
}

/* For reductions: the operands are values of "t" already. */
LLVMValueRef nvptx_combined(struct nvptx_ir *ir, enum poly_op op,
	enum poly_type t, LLVMValueRef a, LLVMValueRef b)
{
	struct nvptx_value pair[2] = { { a, NULL }, { b, NULL } };

	return nvptx_op(ir, op, t, pair).v;
}

/* In the storage type, as accumulators hold it. */
LLVMValueRef nvptx_identity(struct nvptx_lower *l, enum poly_op op,
	enum poly_type t)
{
	struct poly_expr *e = poly_expr_identity(op, t);
	LLVMValueRef v = nvptx_cast(l->ir, t, e->type, nvptx_expr(l, e,
		NULL)).v;

	poly_expr_free(e);
	return v;
}
