/* nvptx: constants, and conversions between all element types.
 *
 * A conversion rounds once, to nearest even, also where the way from 64 bits
 * to 16 or 8 bits leads over f64 and f32: what is cut off on the way leaves its
 * trace in the last bit ("round to odd"). A float becomes an integer by
 * truncation, which wraps; NaN gives 0, and what exceeds 64 bits saturates
 * first. Anything but 0 is true.
 */
#include <math.h>
#include <string.h>

#include "nvptx/llvm/llvm.h"
#include "nvptx/value/value.h"
#include "nvptx/math/math.h"

static bool is_float(enum poly_type t)
{
	return poly_type_is_float(t);
}

/* Is "t" a float that is computed in f32, other than that? */
static bool is_half(enum poly_type t)
{
	return t != POLY_F32 && poly_type_compute(t) == POLY_F32;
}

static bool is_signed(enum poly_type t)
{
	return poly_type_class(t) == POLY_CLASS_INT;
}

bool nvptx_is_wide(struct nvptx_ir *ir, enum poly_type t)
{
	return ir->m->opt.wide && is_float(t);
}

/* The bits of "value" in the ring: infinities are its least and greatest elements, from
 * which minima and maxima begin.
 */
static uint64_t ring_bits(enum poly_type t, double value)
{
	uint64_t top = UINT64_C(1) << (8 * poly_type_size(t) - 1);

	if (isinf(value))
		return value < 0 ? top : top - 1;
	return value == 1 ? 1 : value == 0 ? 0 : poly_type_bits(t, value);
}

struct nvptx_value nvptx_const(struct nvptx_ir *ir, enum poly_type t,
	double value)
{
	LLVMTypeRef f64 = LLVMDoubleTypeInContext(ir->m->ctx);
	struct nvptx_value x = { NULL, NULL };

	if (poly_type_is_words(t)) {
		x.v = LLVMConstNull(nvptx_value_type(ir, t));
	} else if (ir->m->opt.ring && is_float(t)) {
		x.v = LLVMConstInt(nvptx_value_type(ir, t), ring_bits(t, value), 0);
	} else if (t == POLY_BOOL) {
		x.v = LLVMConstInt(nvptx_value_type(ir, t), value != 0, 0);
	} else if (!is_float(t)) {
		x.v = LLVMConstInt(nvptx_value_type(ir, t),
			(unsigned long long) (int64_t) value, 1);
	} else if (nvptx_is_wide(ir, t)) {
		x.v = LLVMConstReal(f64, value);
		x.bound = LLVMConstNull(f64);
	} else if (is_half(t)) {
		x.v = LLVMConstReal(LLVMFloatTypeInContext(ir->m->ctx), value);
		x = nvptx_cast(ir, t, POLY_F32, x);
	} else {
		x.v = LLVMConstReal(nvptx_value_type(ir, t), value);
	}
	return x;
}

/* "x" (f64) as f32 with its last bit set if anything was cut off, so that
 * rounding the result once more to a narrower type rounds "x" right.
 */
static LLVMValueRef round_to_odd(struct nvptx_ir *ir, LLVMValueRef x)
{
	LLVMTypeRef f32 = LLVMFloatTypeInContext(ir->m->ctx);
	LLVMTypeRef f64 = LLVMDoubleTypeInContext(ir->m->ctx);
	LLVMValueRef one = nvptx_int(ir, 1), near, back, far, bits, size[2];
	LLVMValueRef inexact, even, step;

	near = LLVMBuildFPTrunc(ir->b, x, f32, "");
	back = LLVMBuildFPExt(ir->b, near, f64, "");
	size[0] = nvptx_intrinsic(ir, "llvm.fabs", &back, 1);
	size[1] = nvptx_intrinsic(ir, "llvm.fabs", &x, 1);
	far = LLVMBuildFCmp(ir->b, LLVMRealOGT, size[0], size[1], "");
	inexact = LLVMBuildFCmp(ir->b, LLVMRealONE, back, x, "");
	bits = LLVMBuildBitCast(ir->b, near, nvptx_i32(ir), "");
	even = LLVMBuildICmp(ir->b, LLVMIntEQ,
		LLVMBuildAnd(ir->b, bits, one, ""), nvptx_int(ir, 0), "");
	step = LLVMBuildSelect(ir->b, far, nvptx_int(ir, -1), one, "");
	step = LLVMBuildSelect(ir->b, LLVMBuildAnd(ir->b, inexact, even, ""),
		step, nvptx_int(ir, 0), "");
	return LLVMBuildBitCast(ir->b, LLVMBuildAdd(ir->b, bits, step, ""), f32,
		"");
}

/* "f32" in 8 bits. The hardware converts two numbers, of which the first has the high
 * bits; what is too large becomes the largest number, and NaN 0x7f.
 */
static LLVMValueRef narrow_to_8(struct nvptx_ir *ir, enum poly_type to,
	LLVMValueRef f32)
{
	LLVMValueRef pair[2] = { LLVMConstNull(LLVMTypeOf(f32)), f32 };
	bool e4m3 = to == POLY_F8E4M3;

	if (ir->m->opt.device == NVPTX_HOST)
		return nvptx_hw(ir, e4m3 ? NVPTX_HW_F32_TO_E4M3_HOST :
			NVPTX_HW_F32_TO_E5M2_HOST, &f32, 1, "");
	return LLVMBuildTrunc(ir->b, nvptx_hw(ir, e4m3 ?
		NVPTX_HW_F32_TO_E4M3 : NVPTX_HW_F32_TO_E5M2, pair, 2, ""),
		nvptx_value_type(ir, to), "");
}

/* "x", of 8 bits, as an f32: the hardware makes two f16 of two. */
static LLVMValueRef widen_8(struct nvptx_ir *ir, enum poly_type from,
	LLVMValueRef x)
{
	bool e4m3 = from == POLY_F8E4M3;

	if (ir->m->opt.device == NVPTX_HOST)
		return nvptx_hw(ir, e4m3 ? NVPTX_HW_E4M3_TO_F32_HOST :
			NVPTX_HW_E5M2_TO_F32_HOST, &x, 1, "");
	x = LLVMBuildZExt(ir->b, x, LLVMInt16TypeInContext(ir->m->ctx), "");
	x = nvptx_hw(ir, e4m3 ? NVPTX_HW_E4M3_TO_F16 : NVPTX_HW_E5M2_TO_F16,
		&x, 1, "");
	return LLVMBuildFPExt(ir->b, LLVMBuildExtractElement(ir->b, x,
		nvptx_int(ir, 0), ""), LLVMFloatTypeInContext(ir->m->ctx), "");
}

/* "x" without the bits below those of tf32, which a conversion or whoever filled an
 * array may leave.
 */
static LLVMValueRef cut_to_tf32(struct nvptx_ir *ir, LLVMValueRef x)
{
	enum { BELOW = 0x1fff };

	return LLVMBuildAnd(ir->b, x, nvptx_int(ir, ~BELOW), "");
}

static LLVMValueRef narrow(struct nvptx_ir *ir, enum poly_type to,
	LLVMValueRef f32)
{
	if (poly_type_size(to) == 1)
		return narrow_to_8(ir, to, f32);
	if (to == POLY_TF32)
		return cut_to_tf32(ir, nvptx_hw(ir, NVPTX_HW_F32_TO_TF32, &f32,
			1, ""));
	f32 = nvptx_math_rounded(ir->m, ir->b, to, f32);
	return nvptx_hw(ir, to == POLY_F16 ? NVPTX_HW_F32_TO_F16 :
		NVPTX_HW_F32_TO_BF16, &f32, 1, "");
}

static LLVMValueRef widen(struct nvptx_ir *ir, enum poly_type from,
	LLVMValueRef x)
{
	if (poly_type_size(from) == 1)
		return widen_8(ir, from, x);
	if (from == POLY_TF32)
		return LLVMBuildBitCast(ir->b, cut_to_tf32(ir, x),
			LLVMFloatTypeInContext(ir->m->ctx), "");
	return nvptx_hw(ir, from == POLY_F16 ? NVPTX_HW_F16_TO_F32 :
		NVPTX_HW_BF16_TO_F32, &x, 1, "");
}

/* A float of one type as one of another. Numbers of 8 and 16 bits are converted by
 * way of f32, where f64 is rounded to odd first.
 */
static LLVMValueRef cast_float(struct nvptx_ir *ir, enum poly_type to,
	enum poly_type from, LLVMValueRef x)
{
	if (is_half(from)) {
		x = widen(ir, from, x);
		from = POLY_F32;
	}
	if (to == from)
		return x;
	if (is_half(to))
		return narrow(ir, to, from == POLY_F64 ? round_to_odd(ir, x) :
			x);
	if (to == POLY_F64)
		return LLVMBuildFPExt(ir->b, x, nvptx_value_type(ir, to), "");
	return LLVMBuildFPTrunc(ir->b, x, nvptx_value_type(ir, to), "");
}

/* "x" as the integer "to" by the saturating conversion "name". */
static LLVMValueRef saturate(struct nvptx_ir *ir, const char *name, LLVMTypeRef to,
	LLVMValueRef x)
{
	unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
	LLVMTypeRef type[2] = { to, LLVMTypeOf(x) };
	LLVMValueRef fn;

	fn = LLVMGetIntrinsicDeclaration(ir->m->module, id, type, 2);
	return LLVMBuildCall2(ir->b,
		LLVMIntrinsicGetType(ir->m->ctx, id, type, 2), fn, &x, 1, "");
}

/* The f32 "x" truncated to 8 bits, by way of 32, to which a GPU converts four times as
 * fast as to 64. From 2^31 on the low 8 bits are 0, until 64 bits saturate; those of the
 * largest number of 32 bits are not.
 */
static LLVMValueRef float_to_byte(struct nvptx_ir *ir, LLVMTypeRef to, LLVMValueRef x)
{
	LLVMTypeRef f32 = LLVMTypeOf(x);
	LLVMValueRef v, large, fits;

	v = ir->m->opt.device == NVPTX_HOST ?
		saturate(ir, "llvm.fptosi.sat", nvptx_i32(ir), x) :
		nvptx_hw(ir, NVPTX_HW_F32_TO_I32, &x, 1, "");
	large = LLVMBuildFCmp(ir->b, LLVMRealOGE, x, LLVMConstReal(f32, 0x1p31), "");
	fits = LLVMBuildFCmp(ir->b, LLVMRealOLT, x, LLVMConstReal(f32, 0x1p63), "");
	large = LLVMBuildAnd(ir->b, large, fits, "");
	v = LLVMBuildSelect(ir->b, large, nvptx_int(ir, 0), v, "");
	return LLVMBuildTrunc(ir->b, v, to, "");
}

/* "x" truncated to the integer type "to". For u64, what is negative wraps, as
 * an i64, and all else may have 64 bits.
 */
static LLVMValueRef float_to_int(struct nvptx_ir *ir, enum poly_type to,
	enum poly_type from, LLVMValueRef x)
{
	LLVMTypeRef type = nvptx_value_type(ir, to);
	LLVMValueRef low, zero;

	x = is_half(from) ? widen(ir, from, x) : nvptx_math_truncated(ir->m, ir->b, x);
	if (poly_type_size(to) == 1 && from != POLY_F64)
		return float_to_byte(ir, type, x);
	if (to != POLY_U64)
		return LLVMBuildTrunc(ir->b, saturate(ir, "llvm.fptosi.sat",
			nvptx_i64(ir), x), type, "");
	zero = LLVMConstNull(LLVMTypeOf(x));
	low = LLVMBuildFCmp(ir->b, LLVMRealOLT, x, zero, "");
	return LLVMBuildSelect(ir->b, low, saturate(ir, "llvm.fptosi.sat", type, x),
		saturate(ir, "llvm.fptoui.sat", type, x), "");
}

/* The integer "x" of 64 bits with its low bits made one, where f64 could not
 * hold them.
 */
static LLVMValueRef odd_integer(struct nvptx_ir *ir, LLVMValueRef x,
	bool with_sign)
{
	const uint64_t low = 0xfff;
	LLVMTypeRef type = nvptx_i64(ir);
	LLVMValueRef size = x, cut, odd, arg[2];
	LLVMValueRef none = LLVMConstNull(type);

	if (with_sign) {
		arg[0] = x;
		arg[1] = LLVMConstNull(LLVMInt1TypeInContext(ir->m->ctx));
		size = nvptx_intrinsic(ir, "llvm.abs", arg, 2);
	}
	cut = LLVMBuildAnd(ir->b, x, LLVMConstInt(type, low, 0), "");
	odd = LLVMBuildSelect(ir->b, LLVMBuildICmp(ir->b, LLVMIntNE, cut, none,
		""), LLVMConstInt(type, (low + 1) / 2, 0), none, "");
	odd = LLVMBuildOr(ir->b, LLVMBuildAnd(ir->b, x,
		LLVMConstInt(type, ~low, 0), ""), odd, "");
	return LLVMBuildSelect(ir->b, LLVMBuildICmp(ir->b, LLVMIntUGT, size,
		LLVMConstInt(type, UINT64_C(1) << 53, 0), ""), odd, x, "");
}

/* An integer as a float. To 8 or 16 bits it goes by way of f64, to which one of 64
 * bits is rounded to odd first.
 */
static LLVMValueRef int_to_float(struct nvptx_ir *ir, enum poly_type to,
	enum poly_type from, LLVMValueRef x)
{
	LLVMTypeRef type = nvptx_value_type(ir, is_half(to) ? POLY_F64 : to);

	if (is_half(to) && poly_type_size(from) == 8)
		x = odd_integer(ir, x, is_signed(from));
	x = is_signed(from) ? LLVMBuildSIToFP(ir->b, x, type, "") :
		LLVMBuildUIToFP(ir->b, x, type, "");
	return is_half(to) ? cast_float(ir, to, POLY_F64, x) : x;
}

/* "x" != 0; NaN is not 0. */
static LLVMValueRef to_bool(struct nvptx_ir *ir, enum poly_type from,
	LLVMValueRef x)
{
	if (is_half(from))
		x = widen(ir, from, x);
	if (is_float(from))
		return LLVMBuildFCmp(ir->b, LLVMRealUNE, x,
			LLVMConstNull(LLVMTypeOf(x)), "");
	return LLVMBuildICmp(ir->b, LLVMIntNE, x,
		LLVMConstNull(LLVMTypeOf(x)), "");
}

/* In ring mode floats are signed integers. */
static LLVMValueRef ring_cast(struct nvptx_ir *ir, enum poly_type to,
	enum poly_type from, LLVMValueRef x)
{
	if (to == POLY_BOOL)
		return LLVMBuildICmp(ir->b, LLVMIntNE, x,
			LLVMConstNull(LLVMTypeOf(x)), "");
	return LLVMBuildIntCast2(ir->b, x, nvptx_value_type(ir, to),
		is_signed(from) || is_float(from), "");
}

LLVMValueRef nvptx_cast_exact(struct nvptx_ir *ir, enum poly_type to,
	enum poly_type from, LLVMValueRef x)
{
	if (to == from)
		return x;
	if (ir->m->opt.ring && (is_float(to) || is_float(from)))
		return ring_cast(ir, to, from, x);
	if (to == POLY_BOOL)
		return to_bool(ir, from, x);
	if (is_float(from))
		return is_float(to) ? cast_float(ir, to, from, x) :
			float_to_int(ir, to, from, x);
	if (is_float(to))
		return int_to_float(ir, to, from, x);
	return LLVMBuildIntCast2(ir->b, x, nvptx_value_type(ir, to),
		is_signed(from), "");
}

struct nvptx_value nvptx_cast(struct nvptx_ir *ir, enum poly_type to,
	enum poly_type from, struct nvptx_value x)
{
	if (to == from)
		return x;
	if (ir->m->opt.wide)
		return nvptx_wide_cast(ir, to, from, x);
	x.v = nvptx_cast_exact(ir, to, from, x.v);
	return x;
}

struct nvptx_value nvptx_bits(struct nvptx_ir *ir, enum poly_type to,
	enum poly_type from, struct nvptx_value x)
{
	struct nvptx_value r = { x.v, NULL };

	if (ir->m->opt.ring)
		return r;
	if (ir->m->opt.wide)
		return nvptx_wide_bits(ir, to, from, x);
	r.v = LLVMBuildBitCast(ir->b, x.v, nvptx_value_type(ir, to), "");
	return r;
}
