/* nvptx: functions of f32 whose results are rounded to f16 or bf16 at once. These have 11
 * or 8 digits, so that few operations do: what is left out is less than a 64th of what
 * the rounding may cut off, over all numbers of the type.
 *
 *	gelu(x) = max(x, 0) - |x| 2^L(|x|),  L(x) = log2(erfc(x / sqrt(2)) / 2)
 *	sigmoid(x) = 1 / (1 + t) or t / (1 + t),  t = exp(-|x|)
 *	silu(x) = x sigmoid(x),  1 + tanh(x) = 2 sigmoid(2 x)
 *
 * L is nearly a parabola, so a polynomial has it as far as results are no 0; of f16
 * those below 2^-14 may be off by as much as 2^-14 itself. 2^r is a polynomial, too.
 */
#include "nvptx/math/math_kit.h"

/* L up to "far", from where on gelu of what is negative is rounded to 0, as silu is from
 * "low" on; "lift", a power of 2, makes 2^L a normal number.
 */
struct brief {
	double far, lift, low;
	int n;
	double coef[10];
};

static const struct brief brief_f16 = {
	6.6, 1, -26, 8, {
		-0x1.ffff98p-1, -0x1.26b59ap+0, -0x1.d5a514p-2,
		-0x1.b7f26p-5, 0x1.110b5p-7, -0x1.c82724p-11,
		0x1.af3524p-15, -0x1.39829ap-20,
	},
};
static const struct brief brief_bf16 = {
	13.9, 0x1p+32, -104, 10, {
		-0x1.0001dep+0, -0x1.26a88ap+0, -0x1.d5bc92p-2,
		-0x1.ba78eap-5, 0x1.1ccbd6p-7, -0x1.0d2dd8p-10,
		0x1.6259p-14, -0x1.3034aap-18, 0x1.302944p-23,
		-0x1.0b8c1ep-29,
	},
};

/* 2^r for |r| <= 1/2, times "by". */
static LLVMValueRef power_of_rest(struct fn *f, LLVMValueRef r, double by)
{
	static const double coef[] = {
		0x1.ffffe8p-1, 0x1.62e0dcp-1, 0x1.ec06dap-3, 0x1.ca144ap-5,
		0x1.3997cep-7,
	};
	double scaled[5];

	for (int i = 0; i < 5; i++)
		scaled[i] = coef[i] * by;
	return polynomial(f, scaled, 5, r);
}

/* The exponent of 2^L is added to its bits: where these are no number |x| is none. */
static LLVMValueRef brief_gelu(struct fn *f, const struct brief *t, LLVMValueRef x)
{
	LLVMValueRef magic = real(f, f->f->round), sign, p, shifted, q;
	LLVMValueRef ax = at_most(f, magnitude(f, x, &sign), t->far);

	p = polynomial(f, t->coef, t->n, ax);
	shifted = add(f, p, magic);
	q = power_of_rest(f, sub(f, p, sub(f, shifted, magic)), t->lift);
	q = from_bits(f, LLVMBuildAdd(f->b, to_bits(f, q), LLVMBuildShl(f->b,
		to_bits(f, shifted), integer(f, f->f->mantissa), ""), ""));
	x = at_least(f, x, -0.0);
	if (t->lift == 1)
		return fma3(f, neg(f, ax), q, x);
	return fma3(f, mul(f, ax, q), real(f, -1 / t->lift), x);
}

/* exp(-times |x|) */
static LLVMValueRef brief_fall(struct fn *f, const struct brief *t, LLVMValueRef x,
	double times)
{
	LLVMValueRef by = real(f, -times * f->f->log2e), magic = real(f, f->f->round), sign;
	LLVMValueRef shifted, r, n;

	x = at_most(f, magnitude(f, x, &sign), -t->low / times);
	shifted = fma3(f, x, by, magic);
	r = fma3(f, x, by, neg(f, sub(f, shifted, magic)));
	n = LLVMBuildAdd(f->b, to_bits(f, shifted), integer(f,
		(uint64_t) f->f->lift_log), "");
	return mul(f, power_of_rest(f, r, 1 / f->f->lift), power(f, n));
}

/* times / (1 + exp(-times x)) */
static LLVMValueRef brief_sigmoid(struct fn *f, const struct brief *t,
	LLVMValueRef x, double times)
{
	LLVMValueRef e = brief_fall(f, t, x, times), y, inverse;

	inverse = inverse_of(f, add(f, real(f, 1), e));
	if (times != 1)
		e = mul(f, e, real(f, times));
	y = choose(f, compare(f, LLVMRealOLT, x, 0), e, real(f, times));
	return mul(f, y, inverse);
}

bool nvptx_has_brief(enum poly_op op)
{
	return op == POLY_OP_GELU || op == POLY_OP_SIGMOID || op == POLY_OP_SILU;
}

LLVMValueRef nvptx_brief(struct fn *f, enum poly_op op, enum poly_type to,
	LLVMValueRef x)
{
	const struct brief *t = to == POLY_F16 ? &brief_f16 : &brief_bf16;

	switch (op) {
	case POLY_OP_GELU:
		return brief_gelu(f, t, x);
	case POLY_OP_SIGMOID:
		return brief_sigmoid(f, t, x, 1);
	case POLY_OP_TANH:
		return brief_sigmoid(f, t, x, 2);
	default:
		/* Infinity times 0 is no number. */
		return mul(f, at_least(f, x, t->low), brief_sigmoid(f, t, x,
			1));
	}
}
