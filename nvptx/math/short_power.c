/* nvptx: exp2 and the logarithms in f32.
 *
 *	exp2(x) = 2^n (1 + r E(r)),  r = x - n
 *	log(x) / ln b = k log_b 2 + f C + f^2 C (-1/2 + f P(f)),  x = 2^k (1 + f)
 *
 * C = 1 / ln b has two parts, and so have the product with it, the sum with k and, for
 * log1p, f itself. E is a minimax polynomial, P that of log.
 */
#include "nvptx/math/math_kit.h"

/* A base: log_b 2, whose upper part has a whole product with any exponent, and C. */
struct base {
	double two_hi, two_lo, c;
};

LLVMValueRef nvptx_short_exp2(struct fn *f, struct sum x)
{
	static const double coef[] = {
		0x1.62e43p-1, 0x1.ebfbd8p-3, 0x1.c6af76p-5, 0x1.3b30a6p-7,
		0x1.5f0b8cp-10, 0x1.3f9bcp-13,
	};
	LLVMValueRef magic = real(f, f->f->round), one = real(f, 1), shifted, hi;
	LLVMValueRef same, r, lo;

	hi = clamp(f, x.hi, -160, 160);
	same = LLVMBuildFCmp(f->b, LLVMRealOEQ, hi, x.hi, "");
	lo = choose(f, same, x.lo, real(f, 0));
	shifted = add(f, hi, magic);
	r = add(f, sub(f, hi, sub(f, shifted, magic)), lo);
	return scale(f, fma3(f, polynomial(f, coef, 6, r), r, one),
		LLVMBuildSub(f->b, to_bits(f, shifted), to_bits(f, magic), ""));
}

/* The logarithm of 2^k (1 + m), the lower part of "m" by its slope. */
static struct sum logarithm(struct fn *f, LLVMValueRef k, struct sum m,
	const struct base *b)
{
	struct sum c = dd(f, b->c, 0), top, s;
	double coef[MAX_LOG + 1] = { -0.5 * b->c };
	LLVMValueRef rest = m.lo, p;
	int i;

	for (i = 0; i < f->f->n_log; i++)
		coef[i + 1] = b->c * f->f->log[i];
	p = polynomial(f, coef, f->f->n_log + 1, m.hi);
	top = single(f, m.hi);
	if (!LLVMIsNull(rest))
		rest = fma3(f, neg(f, m.hi), rest, rest);
	if (b->c != 1) {
		top = exact_product(f, m.hi, c.hi);
		rest = fma3(f, m.hi, c.lo, top.lo);
	}
	rest = fma3(f, mul(f, m.hi, m.hi), p, rest);
	rest = fma3(f, k, real(f, b->two_lo), rest);
	s = fast_sum(f, mul(f, k, real(f, b->two_hi)), top.hi);
	s.lo = add(f, s.lo, rest);
	return s;
}

LLVMValueRef nvptx_short_log(struct fn *f, enum poly_op op, LLVMValueRef x)
{
	static const struct base two = { 1, 0, 0x1.71547652b82fep+0 };
	static const struct base ten = { 0x1.344p-2, 0x1.3509f8p-18,
		0x1.bcb7b1526e50ep-2 };
	LLVMValueRef k, m = nvptx_log_split(f, x, &k);
	struct sum s = logarithm(f, k, single(f, m),
		op == POLY_OP_LOG2 ? &two : &ten);

	return nvptx_log_special(f, x, add(f, s.hi, s.lo));
}

/* 1 + x is a sum, no part of which is denormal. Its lower part is added to m where it
 * has m's exponent.
 */
struct sum nvptx_short_log1p(struct fn *f, struct sum x)
{
	const struct base e = { f->f->ln2_hi, f->f->ln2_lo, 1 };
	struct sum s = exact_sum(f, real(f, 1), x.hi), m;
	LLVMValueRef bits = to_bits(f, s.hi), expo, k, one = real(f, 1);

	if (!LLVMIsNull(x.lo))
		s.lo = add(f, s.lo, x.lo);
	expo = LLVMBuildSub(f->b, bits, integer(f, f->f->sqrt_half), "");
	expo = LLVMBuildAnd(f->b, expo, integer(f, 0xff800000), "");
	k = LLVMBuildSIToFP(f->b, LLVMBuildAShr(f->b, expo,
		integer(f, f->f->mantissa), ""), f->real, "");
	m.hi = sub(f, from_bits(f, LLVMBuildSub(f->b, bits, expo, "")), one);
	m.lo = mul(f, s.lo, from_bits(f, LLVMBuildSub(f->b, to_bits(f, one),
		expo, "")));
	m.lo = choose(f, compare(f, LLVMRealOLT, s.hi, 0x1p60), m.lo, real(f, 0));
	return logarithm(f, k, fast_sum(f, m.hi, m.lo), &e);
}
