/* nvptx: functions of f32 by approximations of the hardware, for programs of class relaxed.
 *
 *	exp(x) = 2^n 2^t,  t = x log2(e) - n, of which log2(e) has two parts
 *	exp2(x) = 2^n 2^t,  t = x - n
 *	rsqrt(x), as it is
 *	erf(x), |x| >= 7/8, whose distance from 1 is 2^t of a polynomial (math_erf.c)
 *	gelu(x), of which x / (x + 2) begins with a reciprocal of the hardware, and
 *		fewer steps are sums (math_erf.c)
 *
 * What the hardware has for 2^t, |t| <= 1/2, is off by 2 ulp, and for rsqrt, too. A
 * function has a form here if that is off by less than 2.5 ulp over all 2^32 numbers, so
 * that op.def holds as it stands; others have that of all classes. The host device has the
 * latter of all functions.
 */
#include "nvptx/math/math.h"
#include "nvptx/math/math_kit.h"

bool nvptx_has_relaxed(enum poly_op op)
{
	return op == POLY_OP_EXP || op == POLY_OP_EXP2 || op == POLY_OP_RSQRT ||
		op == POLY_OP_ERF || op == POLY_OP_GELU;
}

/* 2^(n + t), where the low bits of "bits" are n and twice the bias. */
static LLVMValueRef lifted(struct fn *f, LLVMValueRef t, LLVMValueRef bits)
{
	LLVMValueRef half = LLVMBuildLShr(f->b, bits, integer(f, 1), "");
	LLVMValueRef p = nvptx_hw_approximate(f->module, f->b, NVPTX_HW_POWER, t);

	p = mul(f, p, as_power(f, half));
	return mul(f, p, as_power(f, LLVMBuildSub(f->b, bits, half, "")));
}

static LLVMValueRef relaxed_exp(struct fn *f, LLVMValueRef x)
{
	const double log2e_lo = 0x1.4ae0cp-26;
	LLVMValueRef magic = real(f, f->f->round + 2 * f->f->bias), shifted, t;
	LLVMValueRef by = real(f, f->f->log2e);

	x = clamp(f, x, f->f->exp_low, f->f->exp_high);
	shifted = fma3(f, x, by, magic);
	t = fma3(f, x, by, neg(f, sub(f, shifted, magic)));
	t = fma3(f, x, real(f, log2e_lo), t);
	return lifted(f, t, to_bits(f, shifted));
}

static LLVMValueRef relaxed_exp2(struct fn *f, LLVMValueRef x)
{
	LLVMValueRef magic = real(f, f->f->round + 2 * f->f->bias), shifted;

	x = clamp(f, x, -160, 160);
	shifted = add(f, x, magic);
	return lifted(f, sub(f, x, sub(f, shifted, magic)), to_bits(f, shifted));
}

LLVMValueRef nvptx_relaxed(struct fn *f, enum poly_op op, LLVMValueRef x)
{
	switch (op) {
	case POLY_OP_EXP:
		return relaxed_exp(f, x);
	case POLY_OP_EXP2:
		return relaxed_exp2(f, x);
	case POLY_OP_RSQRT:
		return nvptx_hw_approximate(f->module, f->b, NVPTX_HW_RSQRT, x);
	default:
		f->relaxed = true;
		return nvptx_math_erf(f, op, x);
	}
}
